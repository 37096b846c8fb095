"""`minitape tutorials`: copies that keep what a learner wrote, and the course as offline pages."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from browser import expect
from minitape.__main__ import main
from viz.course import course
from viz.course.course import CourseError, chosen, copied, lessons

ROOT = Path(__file__).parents[2]
SOURCES = sorted(path.stem for path in (ROOT / "tutorials").glob("[0-9]*.py"))
NAMES = [lesson.name for lesson in lessons()]


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def lab(monkeypatch):
    """The command lines of what would have been started."""
    started = []

    class Process:
        def __init__(self, command):
            started.append(command)

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

        def wait(self):
            if len(started) == 1:
                started.append("interrupted")
                raise KeyboardInterrupt
            return 0

    monkeypatch.setattr(course.subprocess, "Popen", Process)
    monkeypatch.setattr(course, "find_spec", lambda name: name)
    return started


def write_lesson(folder: Path, name: str, *cells: str) -> course.Lesson:
    """A notebook of markdown cells."""
    made = [{"cell_type": "markdown", "metadata": {}, "source": text} for text in cells]
    path = folder / f"{name}.ipynb"
    path.write_text(json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}))
    return course._lesson(path)


def test_the_lessons_are_those_of_the_sources_in_their_order():
    assert set(NAMES) <= set(SOURCES)
    assert sorted(NAMES) == NAMES
    for lesson in lessons():
        assert lesson.title.startswith(f"{int(lesson.name[:2])}. ")
        assert lesson.summary.endswith((".", ":", "?"))
        assert lesson.exercises >= 3


def test_the_list_names_every_lesson(capsys):
    assert main(["tutorials", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == NAMES


@pytest.mark.parametrize(
    "asked", ["1", "01", "01_autodiff_guide", "autodiff", "01_autodiff_guide.ipynb"]
)
def test_a_lesson_is_found_by_number_name_or_part_of_its_name(asked):
    assert chosen(asked, lessons()).name == "01_autodiff_guide"


def test_an_unknown_lesson_is_one_line_with_advice(here, capsys):
    assert main(["tutorials", "nothing"]) == 2
    said = capsys.readouterr().err
    assert said == (
        "minitape: there is no lesson 'nothing'; `minitape tutorials --list` shows their numbers "
        "and names\n"
    )


def test_a_part_of_several_names_asks_which():
    with pytest.raises(CourseError, match=r"may be \w+ or \w+"):
        chosen("_", [*lessons(), lessons()[0]])


def test_everything_is_copied_with_the_data_that_lessons_read(here, lab):
    assert main(["tutorials"]) == 0
    made = {path.relative_to(here).as_posix() for path in here.rglob("*") if path.is_file()}
    data = {
        f"data/{path.name}" for path in (ROOT / "tutorials" / "data").glob("*") if path.is_file()
    }
    assert made == {f"{name}.ipynb" for name in NAMES} | data
    for name in made:
        assert (here / name).read_bytes() == (ROOT / "tutorials" / name).read_bytes()


def test_one_lesson_is_copied_and_opened_and_control_c_is_left_to_jupyterlab(here, lab):
    assert main(["tutorials", "1"]) == 0
    assert lab == [[sys.executable, "-m", "jupyterlab", "01_autodiff_guide.ipynb"], "interrupted"]
    assert [path.name for path in here.glob("*.ipynb")] == ["01_autodiff_guide.ipynb"]


def test_what_follows_two_dashes_is_for_jupyterlab(here, lab):
    assert main(["tutorials", "1", "--", "--no-browser", "--port=8899"]) == 0
    assert lab[0][3:] == ["01_autodiff_guide.ipynb", "--no-browser", "--port=8899"]


def test_without_jupyterlab_the_copies_are_made_and_the_advice_says_what_to_run(
    here, monkeypatch, capsys
):
    monkeypatch.setattr(course, "find_spec", lambda name: None)
    assert main(["tutorials", "1"]) == 2
    assert "-m pip install jupyterlab" in capsys.readouterr().err
    assert (here / "01_autodiff_guide.ipynb").exists()


def test_a_second_copy_changes_nothing(here, capsys):
    main(["tutorials", "1", "--no-lab"])
    file = here / "01_autodiff_guide.ipynb"
    before = file.stat()
    capsys.readouterr()
    assert main(["tutorials", "1", "--no-lab"]) == 0
    assert file.stat().st_mtime_ns == before.st_mtime_ns
    assert set(re.findall(r": (.*)", capsys.readouterr().out)) == {"here already"}


def test_a_learner_s_edited_copy_is_kept_and_that_is_said(here, capsys):
    main(["tutorials", "1", "--no-lab"])
    file = here / "01_autodiff_guide.ipynb"
    file.write_text("my answers")
    capsys.readouterr()
    assert main(["tutorials", "1", "--no-lab"]) == 0
    assert file.read_text() == "my answers"
    assert "01_autodiff_guide.ipynb: kept, for it differs" in capsys.readouterr().out
    assert len(list(here.glob("*.ipynb"))) == 1


def test_beside_writes_next_to_it_under_a_name_that_is_free(tmp_path):
    source = tmp_path / "course"
    source.mkdir()
    lesson = write_lesson(source, "01_first", "# 1. First")
    (tmp_path / "01_first.ipynb").write_text("mine")
    (tmp_path / "01_first.new.ipynb").write_text("mine too")
    (made,) = copied([lesson], tmp_path, beside=True)
    assert (made.place.name, made.state) == ("01_first.new2.ipynb", "beside")
    assert made.place.read_bytes() == lesson.path.read_bytes()
    assert copied([lesson], tmp_path, beside=True) == [made]
    assert (tmp_path / "01_first.ipynb").read_text() == "mine"
    assert (tmp_path / "01_first.new.ipynb").read_text() == "mine too"


def test_a_folder_in_the_place_of_a_notebook_is_kept(tmp_path):
    (tmp_path / "01_autodiff_guide.ipynb").mkdir()
    assert copied(lessons()[:1], tmp_path)[0].state == "kept"


@pytest.mark.slow
def test_an_installed_wheel_brings_the_course(tmp_path):
    pytest.importorskip("hatchling", reason="building a wheel needs hatchling (extra test)")
    build = ["-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.check_call([sys.executable, *build], cwd=ROOT)
    site, work = tmp_path / "site", tmp_path / "work"
    work.mkdir()
    install = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(site)]
    subprocess.check_call([sys.executable, *install, str(next(tmp_path.glob("*.whl")))])
    code = (
        f"import sys; sys.path.insert(0, {str(site)!r}); import minitape; "
        f"assert minitape.__file__.startswith({str(site)!r}); "
        "from minitape.__main__ import main; sys.exit(main(['tutorials', '--no-lab']))"
    )
    subprocess.check_call([sys.executable, "-c", code], cwd=work)
    assert sorted(path.stem for path in work.glob("*.ipynb")) == NAMES
    copies = [path for path in work.rglob("*") if path.is_file()]
    for path in copies:
        assert path.read_bytes() == (ROOT / "tutorials" / path.relative_to(work)).read_bytes()


# Pages.


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The folder of the whole course as pages."""
    pytest.importorskip("nbconvert", reason="pages of the course need extra notebook")
    pytest.importorskip("latex2mathml", reason="pages of the course need extra notebook")
    place = tmp_path_factory.mktemp("course") / "new" / "folder"
    assert main(["tutorials", "--html", str(place)]) == 0
    return place


def lesson_pages(pages: Path) -> list[Path]:
    return [pages / f"{name}.html" for name in NAMES]


def test_there_is_a_page_for_each_lesson_and_an_index_that_links_to_all(pages):
    assert sorted(path.name for path in pages.iterdir()) == [f"{n}.html" for n in NAMES] + [
        "index.html"
    ]
    links = re.findall(r'<li><a href="([^"]*)"', (pages / "index.html").read_text())
    assert links == [f"{name}.html" for name in NAMES]


def test_every_link_of_a_page_leads_to_a_page_or_a_heading_that_is_there(pages):
    for path in pages.iterdir():
        text = path.read_text()
        for link in re.findall(r'<a [^>]*href="([^"]*)"', text):
            file, _, heading = link.partition("#")
            assert not file or file.startswith("https://") or (pages / file).exists(), link
            assert not heading or f'id="{heading}"' in text, link


def test_a_page_holds_no_formula_in_latex_and_nothing_to_fetch(pages):
    for path in lesson_pages(pages):
        text = path.read_text()
        prose = re.sub(r"(?s)<(pre|code|script|style|template)\b.*?</\1>|<[^>]*>", "", text)
        assert "$" not in prose
        assert not re.search(r"\\[a-z]+\{", prose)
        assert "QFORMULA" not in text
        assert not re.search(r'<(script|img|link|iframe)[^>]*(src|href)="(?!data:)', text)
        assert "default-src 'none'" in text


def test_a_script_stands_once_on_a_page_behind_all_players(pages):
    for path in lesson_pages(pages):
        text = path.read_text()
        scripts = re.findall(r"(?s)<script>\(.*?</script>", text)
        assert len(scripts) == len(set(scripts)) >= 1
        assert text.rindex("minitape-player") > 0
        assert text.index(scripts[0]) > text.index("</main>")


def test_pages_are_the_same_bytes_each_time(pages, tmp_path):
    main(["tutorials", "1", "--html", str(tmp_path)])
    from viz.course.pages import lesson_page

    again = lesson_page(lessons()[0], lessons())
    assert again == (pages / "01_autodiff_guide.html").read_text()


def test_a_page_that_is_not_of_the_course_is_not_written_over(tmp_path, capsys):
    pytest.importorskip("nbconvert", reason="pages of the course need extra notebook")
    pytest.importorskip("latex2mathml", reason="pages of the course need extra notebook")
    (tmp_path / "index.html").write_text("my home page")
    assert main(["tutorials", "--html", str(tmp_path)]) == 2
    assert "is no page of the course; choose another folder" in capsys.readouterr().err
    assert (tmp_path / "index.html").read_text() == "my home page"
    assert len(list(tmp_path.iterdir())) == 1


def test_pages_without_nbconvert_say_what_to_install(monkeypatch, capsys, tmp_path):
    from viz.course import pages as course_pages

    monkeypatch.setattr(course_pages, "find_spec", lambda name: None)
    assert main(["tutorials", "--html", str(tmp_path / "pages")]) == 2
    assert "pip install nbconvert latex2mathml" in capsys.readouterr().err
    assert not (tmp_path / "pages").exists()


def test_formulas_are_found_and_dollars_in_code_are_none():
    pytest.importorskip("latex2mathml", reason="pages of the course need extra notebook")
    from viz.course.pages import without_formulas

    text, formulas = without_formulas(
        "With $a^2$ and\n$$\\frac{1}{2}$$\nbut `echo $HOME $PATH`,\n```\n$x$\n```\nand 5$ or 6$, "
        "\\$3 and $u =\nv$."
    )
    assert text == (
        "With QFORMULA0Q and\nQFORMULA1Q\nbut `echo $HOME $PATH`,\n```\n$x$\n```\nand 5$ or "
        "6$, \\$3 and QFORMULA2Q."
    )
    assert "<msup>" in formulas[0]
    assert 'display="block"' in formulas[1]
    assert "<mfrac>" in formulas[1]


def test_a_minus_that_is_a_sign_has_no_space_behind_it():
    pytest.importorskip("latex2mathml", reason="pages of the course need extra notebook")
    from viz.course.pages import mathml

    assert mathml("z = (-1, -x) = -2").count('form="prefix"') == 3
    assert 'form="prefix"' not in mathml("a - b")


def test_a_heading_with_a_formula_has_a_name_without_it(tmp_path):
    pytest.importorskip("nbconvert", reason="pages of the course need extra notebook")
    pytest.importorskip("latex2mathml", reason="pages of the course need extra notebook")
    from viz.course.pages import body

    lesson = write_lesson(tmp_path, "01_first", "## The slope of $x^2$\n\nSee [next](02_b.ipynb).")
    made = body(lesson.path)
    (key,) = re.findall(r'<h2 id="([^"]*)"', made)
    assert key.startswith("The-slope-of")
    assert "math" not in key
    assert made.count("<math") == 1
    assert '<a href="02_b.html">next</a>' in made


@pytest.mark.slow
def test_every_player_of_the_course_steps_with_the_arrow_keys(pages, visit):
    """The visit fails if a page asks another machine or has an error on its console."""
    for path in lesson_pages(pages):
        visit.page.goto(path.as_uri())
        hosts = visit.page.locator(".minitape-player")
        assert hosts.count() > 0, path.name
        for number in range(hosts.count()):
            host = hosts.nth(number)
            host.scroll_into_view_if_needed()
            expect(host).to_have_attribute("data-ready", "yes")
            player = host.locator(".player")
            player.focus()
            player.press("Home")
            before = host.locator(".counter").text_content()
            player.press("ArrowRight")
            expect(host.locator(".counter")).not_to_have_text(before)
        for number in range(visit.page.locator(".minitape-exhibit").count()):
            plot = visit.page.locator(".minitape-exhibit").nth(number)
            expect(plot).to_have_attribute("data-ready", "yes")
            slider = plot.locator("input[type=range]").first
            slider.focus()
            slider.press("Home")
            before = slider.input_value()
            slider.press("ArrowRight")
            assert slider.input_value() != before
        visit.screenshot(f"course_{path.stem}")


@pytest.mark.slow
def test_one_walks_through_the_course_from_its_index(pages, visit):
    page = visit.page
    page.goto((pages / "index.html").as_uri())
    visit.screenshot("course_index")
    page.get_by_role("link", name=lessons()[0].title).click()
    for lesson in lessons()[1:]:
        page.locator("a[rel=next]").click()
        assert page.title() == lesson.title
    page.get_by_role("link", name="All lessons").click()
    assert (
        page.get_by_role("heading", level=1).inner_text()
        == "Automatic differentiation, tape by tape"
    )


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_have_no_fault_that_a_checker_of_accessibility_finds(pages, browser, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe")
    context = browser.new_context(bypass_csp=True, color_scheme=scheme)
    page = context.new_page()
    for name in ["index", NAMES[0], NAMES[-2], NAMES[-1]]:
        page.goto((pages / f"{name}.html").as_uri())
        faults = axe.Axe().run(page).response["violations"]
        assert not faults, [(each["id"], each["nodes"][0]["html"][:200]) for each in faults]
    context.close()


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1280])
def test_no_page_is_wider_than_the_window(pages, visit, width):
    visit.page.set_viewport_size({"width": width, "height": 800})
    for path in [pages / "index.html", *lesson_pages(pages)]:
        visit.page.goto(path.as_uri())
        wide = visit.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, path.name
        if path.stem == NAMES[0]:
            visit.screenshot(f"course_{width}")


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1280])
def test_the_formulas_of_backpropagation_are_seen_whole(pages, visit, width):
    visit.page.set_viewport_size({"width": width, "height": 800})
    visit.page.goto((pages / "05_backpropagation.html").as_uri())
    formulas = visit.page.locator("math[display=block]")
    sizes = formulas.evaluate_all("all => all.map(m => [m.scrollWidth, m.clientWidth])")
    assert len(sizes) > 8
    assert all(0 < needed <= given for needed, given in sizes)


def test_every_cell_of_every_lesson_says_what_it_is_on_slides():
    from viz.course.pages import slide_types

    for lesson in lessons():
        types = slide_types(lesson.path)
        assert types[0] == "slide", lesson.name
        assert types.count("slide") > 3, lesson.name
        assert set(types) == {"slide", "subslide", "-", "skip"}, lesson.name


@pytest.mark.slow
def test_a_lesson_can_be_shown_as_slides_with_its_players(pages, visit):
    page = visit.page
    page.goto((pages / "01_autodiff_guide.html").as_uri())
    shown = page.locator("main > .cell:visible")
    every = shown.count()
    page.get_by_role("button", name="Slides", exact=True).click()
    assert shown.count() == 2  # the title, and the imports
    counter = page.locator(".slidebar output")
    numbers = [counter.inner_text()]
    for _ in range(2):
        page.keyboard.press("PageDown")
        numbers.append(counter.inner_text())
    assert [number.split(" / ")[0] for number in numbers] == ["1", "2", "3"]
    while not page.locator(".minitape-player:visible").count():
        page.keyboard.press("ArrowRight")
    visit.screenshot("course_slide")
    here = counter.inner_text()
    player = page.locator(".minitape-player:visible .player").first
    player.press("ArrowRight")
    assert counter.inner_text() == here  # the key was the player's
    expect(page.locator(".minitape-player:visible .counter").first).to_contain_text("2 /")
    page.locator("h1").or_(page.locator("body")).first.focus()
    page.get_by_role("button", name="End slides").click()
    assert shown.count() == every


@pytest.mark.slow
def test_slides_are_gone_through_to_the_end(pages, visit):
    page = visit.page
    page.goto((pages / f"{NAMES[-1]}.html").as_uri())
    page.get_by_role("button", name="Slides", exact=True).click()
    last = int(page.locator(".slidebar output").inner_text().split("/")[1])
    for _ in range(last + 1):
        page.keyboard.press("PageDown")
    assert page.locator(".slidebar output").inner_text() == f"{last} / {last}"
    assert page.get_by_role("button", name="Next slide").is_disabled()
    assert page.get_by_role("heading", name="What to remember").is_visible()
    page.keyboard.press("Escape")
    assert page.get_by_role("link", name="All lessons").is_visible()


# The page for lecturers.

PAGE = (ROOT / "docs" / "LECTURERS.md").read_text()


def test_the_page_for_lecturers_has_the_lessons_their_exercises_and_points():
    rows = re.findall(r"\| \d \| \[.*?\]\(\.\./(.*?)\) \| \d+ \| .*? \| (\d+) \| (\d+) \|", PAGE)
    expected = []
    for lesson in lessons():
        cells = json.loads(lesson.path.read_text())["cells"]
        points = [c["metadata"].get("nbgrader", {}).get("points", 0) for c in cells]
        expected.append((f"tutorials/{lesson.path.name}", str(lesson.exercises), str(sum(points))))
    assert rows == expected
    for lesson in lessons():
        assert f"\n### {lesson.title}\n" in PAGE


def test_the_links_of_the_page_for_lecturers_lead_somewhere():
    for link in re.findall(r"\]\((?!https)(.*?)\)", PAGE):
        assert (ROOT / "docs" / link).exists(), link


def test_the_pictures_of_the_page_for_lecturers_can_be_saved(here):
    pytest.importorskip("matplotlib", reason="PDF and GIF need matplotlib (extra viz)")
    names: dict[str, object] = {}
    for code in re.findall(r"(?s)```python\n(.*?)```", PAGE):
        exec(compile(code, "<lecturers>", "exec"), names)
    steps = len(names["player"].trace.steps)
    assert len(list(here.glob("step-*.pdf"))) == steps
    for name in ["line.html", "line.svg", "line.pdf", "line-5.pdf", "line.gif"]:
        assert (here / name).stat().st_size > 1000
