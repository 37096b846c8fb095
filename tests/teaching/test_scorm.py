"""`minitape course scorm`: packages that a learning platform takes, launches and gets points from.

The platform is `lms.html`: the run-time environment of SCORM 1.2, which refuses what the standard
refuses.
"""

from __future__ import annotations

import functools
import http.server
import io
import json
import threading
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path
from urllib.parse import unquote

import pytest
from courses import code, contents, course, lesson

from browser import expect
from minitape.__main__ import main

for needed in ("jupytext", "nbclient", "nbconvert", "latex2mathml"):
    pytest.importorskip(needed)

HERE = Path(__file__).parent
CP = "{http://www.imsproject.org/xsd/imscp_rootv1p1p2}"
ADL = "{http://www.adlnet.org/xsd/adlcp_rootv1p2}"
# loss = (3 w)**2 at w = 2: what arrives at 3 w is 2 * 6 = 12, at w 3 * 12 = 36.
QUIZ = code(
    "import minitape as tf\nfrom minitape import viz\nw = tf.Variable(2.0)\n"
    "with tf.GradientTape() as tape:\n    loss = tf.square(3.0 * w)\nviz.quiz(tape, loss, w)"
)
ANSWERS = ["12", "36", "36"]
PREDICT = code('from minitape import viz\nwith viz.predict("What is 6 * 7?", "42"):\n    print(42)')
EXERCISE = code("### BEGIN SOLUTION\nanswer = 55\n### END SOLUTION")
SETTINGS = 'title = "Slopes & <more>"\n'


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A course of two lessons, and its package."""
    place = tmp_path_factory.mktemp("scorm")
    first = lesson("[the second](second%20one.md)", QUIZ, PREDICT, EXERCISE,
                   "![a dot](dot.svg)", title="Slopes & <b>")  # fmt: skip
    mine = course(place / "mine", SETTINGS, first=first, **{"second one": lesson(PREDICT)})
    dot = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle r="4"/></svg>'
    (mine / "dot.svg").write_text(dot)
    before = contents(mine)
    assert main(["course", "scorm", str(mine), str(place / "own.zip")]) == 0
    assert contents(mine) == before
    return place


@pytest.mark.slow
def test_the_manifest_names_each_lesson_and_every_file_of_the_package(made):
    with zipfile.ZipFile(made / "own.zip") as package:
        names = set(package.namelist())
        root = ET.fromstring(package.read("imsmanifest.xml"))
    assert root.tag == f"{CP}manifest"
    # The order of elements, and what is required, as in imscp_rootv1p1p2.xsd.
    assert [each.tag.removeprefix(CP) for each in root] == [
        "metadata",
        "organizations",
        "resources",
    ]
    metadata, organizations, resources = root
    assert [each.text for each in metadata] == ["ADL SCORM", "1.2"]
    (organization,) = organizations
    assert organizations.get("default") == organization.get("identifier")
    assert organization[0].text == "Slopes & <more>"
    items = organization.findall(f"{CP}item")
    assert [each[0].text for each in items] == ["Slopes & <b>", "A lesson"]
    keys = [each.get("identifier") for each in root.iter() if each.get("identifier")]
    assert len(keys) == len(set(keys)) == 7
    assert all(key.replace("-", "").isalnum() and key[0].isalpha() for key in keys)
    by_key = {each.get("identifier"): each for each in resources}
    launched = [by_key[each.get("identifierref")] for each in items]
    assert {each.get(f"{ADL}scormtype") for each in launched} == {"sco"}
    assert [unquote(each.get("href")) for each in launched] == ["first.html", "second one.html"]
    listed = {unquote(each.get("href")) for each in resources.iter(f"{CP}file")}
    assert listed | {"imsmanifest.xml"} == names
    needed = {each.get("identifierref") for each in resources.iter(f"{CP}dependency")}
    assert needed <= by_key.keys()


@pytest.mark.slow
def test_the_same_course_gives_the_same_bytes_and_may_be_made_again(made):
    before = (made / "own.zip").read_bytes()
    assert main(["course", "scorm", str(made / "mine"), str(made / "own.zip")]) == 0
    assert (made / "own.zip").read_bytes() == before
    dates = {each.date_time for each in zipfile.ZipFile(io.BytesIO(before)).infolist()}
    assert dates == {(1980, 1, 1, 0, 0, 0)}


@pytest.mark.slow
def test_a_folder_gets_a_package_for_each_lesson(made):
    out = made / "packages"
    assert main(["course", "scorm", str(made / "mine"), str(out), "--lesson", "second one"]) == 0
    assert [each.name for each in out.glob("*.zip")] == ["second one.zip"]
    with zipfile.ZipFile(out / "second one.zip") as package:
        root = ET.fromstring(package.read("imsmanifest.xml"))
    assert len(root.findall(f".//{CP}item")) == 1


@pytest.mark.parametrize(
    ("out", "words"),
    [
        ("photos.zip", r"was not made by `minitape course scorm`; it would be lost"),
        ("a folder.zip", "it is a folder"),
        ("nowhere/own.zip", "does not exist; create it first"),
    ],
)
def test_what_is_there_already_stays(tmp_path, capsys, out, words):
    mine = course(tmp_path / "mine", a=lesson(code("x = 1")))
    (tmp_path / "a folder.zip").mkdir()
    with zipfile.ZipFile(tmp_path / "photos.zip", "w") as other:
        other.writestr("imsmanifest.xml", "<manifest identifier='theirs'/>")
    before = contents(tmp_path)
    assert main(["course", "scorm", str(mine), str(tmp_path / out)]) == 2
    assert words in capsys.readouterr().err
    assert contents(tmp_path) == before


@pytest.mark.slow
def test_a_cell_that_raises_or_an_unknown_lesson_leaves_the_package_as_it_was(tmp_path, capsys):
    mine = course(tmp_path / "mine", a=lesson(code("x = 1")))
    out = tmp_path / "own.zip"
    assert main(["course", "scorm", str(mine), str(out)]) == 0
    before = out.read_bytes()
    assert main(["course", "scorm", str(mine), str(out), "--lesson", "b"]) == 2
    assert "there is no lesson 'b'; there are a" in capsys.readouterr().err
    course(mine, a=lesson(code("1 / 0")))
    assert main(["course", "scorm", str(mine), str(out)]) == 2
    assert "a.md, cell 2: ZeroDivisionError" in capsys.readouterr().err
    assert out.read_bytes() == before


@pytest.fixture(scope="module")
def platform(made):
    """The address of a server with the platform and the unpacked package."""
    root = made / "served"
    with zipfile.ZipFile(made / "own.zip") as package:
        package.extractall(root / "course")
    (root / "lms.html").write_text((HERE / "lms.html").read_text("utf-8"), "utf-8")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args):
            """Says nothing."""

    handler = functools.partial(Quiet, directory=str(root))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def kept(page, name="course/first.html"):
    """What the platform has stored."""
    return json.loads(page.evaluate("name => sessionStorage.getItem(name)", name) or "{}")


def launch(page, name="course/first.html"):
    page.evaluate("name => launch(name)", name)
    return page.frame_locator("iframe")


def leave(page):
    page.evaluate("launch('about:blank')")
    page.wait_for_function("state === 'off'")


def answer(frame, text):
    frame.locator(".minitape-quiz input").fill(text)
    frame.get_by_role("button", name="Check").click()


@pytest.mark.slow
def test_a_platform_gets_points_and_time_and_a_learner_goes_on_where_she_was(platform, visit):
    page = visit.page
    page.goto(f"{platform}/lms.html")
    frame = launch(page)
    bar = frame.locator(".reported")
    expect(bar).to_contain_text("Quizzes: 0 of 3 points")
    expect(bar).to_contain_text("Exercises need Python and are not counted here")
    assert page.evaluate("calls[0]") == ["LMSInitialize", "", "true"]
    assert kept(page)["cmi.core.lesson_status"] == "incomplete"
    answer(frame, ANSWERS[0])
    answer(frame, "-36")  # wrong, so that the next is worth half
    expect(frame.locator(".said")).to_contain_text("sign is wrong")
    assert kept(page)["cmi.core.score.raw"] == "33.3"
    leave(page)
    finished = kept(page)
    assert finished["cmi.core.exit"] == "suspend"
    assert finished["cmi.core.session_time"].startswith("0000:00:")
    assert page.evaluate("calls.at(-1)") == ["LMSFinish", "", "true"]

    frame = launch(page)  # she goes on
    expect(frame.locator(".question")).to_contain_text("Question 2 of 3")
    answer(frame, ANSWERS[1])
    answer(frame, ANSWERS[2])
    expect(bar).to_contain_text("Quizzes: 2.5 of 3 points (83.3 %)")
    assert kept(page)["cmi.core.lesson_status"] == "incomplete"
    frame.locator(".minitape-predict input").fill("forty-two, élève")
    frame.locator(".minitape-predict summary").click()
    expect(bar).to_contain_text("Complete")
    leave(page)
    found = kept(page)
    names = ("lesson_status", "score.raw", "score.min", "score.max")
    assert [found[f"cmi.core.{name}"] for name in names] == ["completed", "83.3", "0", "100"]

    frame = launch(page)  # and looks at it again
    expect(frame.locator(".question")).to_contain_text("That was the last question")
    assert frame.locator(".minitape-predict input").input_value() == "forty-two, élève"
    assert kept(page)["cmi.core.score.raw"] == "83.3"
    assert page.evaluate("calls.filter((each) => each.at(-1) === 'false')") == []
    assert visit.errors == [] and visit.outside == []


@pytest.mark.slow
def test_a_lesson_without_a_quiz_is_complete_when_its_predictions_are_opened(platform, visit):
    page = visit.page
    page.goto(f"{platform}/lms.html")
    frame = launch(page, "course/second%20one.html")
    expect(frame.locator(".reported")).to_contain_text("This lesson has no quiz")
    frame.locator(".minitape-predict summary").click()
    expect(frame.locator(".reported")).to_contain_text("Complete")
    leave(page)
    found = kept(page, "course/second%20one.html")
    assert found["cmi.core.lesson_status"] == "completed" and "cmi.core.score.raw" not in found


@pytest.mark.slow
def test_the_platform_may_be_the_window_that_opened_the_lesson(platform, visit):
    page = visit.page
    page.goto(f"{platform}/lms.html")
    with page.expect_popup() as opened:
        page.evaluate("window.open('course/first.html')")
    expect(opened.value.locator(".reported")).to_contain_text("Reported to your learning platform")
    link = opened.value.get_by_role("link", name="the second")
    with opened.value.expect_popup() as other:
        link.click()  # in this window it would be reported as the first
    expect(other.value.locator(".reported")).to_contain_text("No learning platform was found")


@pytest.mark.slow
def test_without_a_platform_the_lesson_works_and_says_that_nothing_is_reported(made, visit):
    page = visit.page
    page.goto((made / "served" / "course" / "first.html").as_uri())
    answer(page, ANSWERS[0])
    expect(page.locator(".reported")).to_contain_text("Quizzes: 1 of 3 points")
    expect(page.locator(".reported")).to_contain_text("No learning platform was found")
    shown = page.locator("img[alt='a dot']")
    assert shown.evaluate("each => each.complete && each.naturalWidth > 0")
    assert visit.errors == [] and visit.outside == []


@pytest.mark.slow
@pytest.mark.parametrize("refuse", ["LMSInitialize", "LMSSetValue", "LMSCommit"])
def test_what_a_platform_refuses_is_said(platform, visit, refuse):
    page = visit.page
    page.goto(f"{platform}/lms.html?refuse={refuse}")
    bar = launch(page).locator(".reported")
    expect(bar).to_contain_text(f"The platform refused it: {refuse}")
    expect(bar).to_contain_text("error 101 (General exception)")
    expect(bar).not_to_contain_text("Reported")
    assert visit.errors == []
