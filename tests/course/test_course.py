"""`minitape tutorials`: copies that keep what a learner wrote, and the course as offline pages."""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from browser import expect
from minitape import viz
from minitape.__main__ import main
from minitape.viz.course import course
from minitape.viz.course.course import CourseError, chosen, copied, lessons
from minitape.viz.course.running import with_outputs

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
    return course.lesson_of(path)


def test_the_lessons_are_those_of_the_sources_in_their_order():
    assert set(NAMES) <= set(SOURCES)
    assert sorted(NAMES) == NAMES
    for lesson in lessons():
        assert lesson.title.startswith(f"{int(lesson.name[:2])}. ")
        assert lesson.summary.endswith((".", ":", "?", "?**"))
        assert lesson.exercises >= 3


def test_the_list_names_every_lesson(capsys):
    assert main(["tutorials", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == NAMES


@pytest.mark.parametrize(
    "asked", ["1", "01", "01_first_gradient", "first", "01_first_gradient.ipynb"]
)
def test_a_lesson_is_found_by_number_name_or_part_of_its_name(asked):
    assert chosen(asked, lessons()).name == "01_first_gradient"


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
    assert lab == [[sys.executable, "-m", "jupyterlab", "01_first_gradient.ipynb"], "interrupted"]
    assert [path.name for path in here.glob("*.ipynb")] == ["01_first_gradient.ipynb"]


def test_what_follows_two_dashes_is_for_jupyterlab(here, lab):
    assert main(["tutorials", "1", "--", "--no-browser", "--port=8899"]) == 0
    assert lab[0][3:] == ["01_first_gradient.ipynb", "--no-browser", "--port=8899"]


def test_without_jupyterlab_the_copies_are_made_and_the_advice_says_what_to_run(
    here, monkeypatch, capsys
):
    monkeypatch.setattr(course, "find_spec", lambda name: None)
    assert main(["tutorials", "1"]) == 2
    assert "-m pip install jupyterlab" in capsys.readouterr().err
    assert (here / "01_first_gradient.ipynb").exists()


def test_a_second_copy_changes_nothing(here, capsys):
    main(["tutorials", "1", "--no-lab"])
    file = here / "01_first_gradient.ipynb"
    before = file.stat()
    capsys.readouterr()
    assert main(["tutorials", "1", "--no-lab"]) == 0
    assert file.stat().st_mtime_ns == before.st_mtime_ns
    assert set(re.findall(r": (.*)", capsys.readouterr().out)) == {"here already"}


def test_a_learner_s_edited_copy_is_kept_and_that_is_said(here, capsys):
    main(["tutorials", "1", "--no-lab"])
    file = here / "01_first_gradient.ipynb"
    file.write_text("my answers")
    capsys.readouterr()
    assert main(["tutorials", "1", "--no-lab"]) == 0
    assert file.read_text() == "my answers"
    assert "01_first_gradient.ipynb: kept, for it differs" in capsys.readouterr().out
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
    (tmp_path / "01_first_gradient.ipynb").mkdir()
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
        ours = ROOT / "tutorials" / path.relative_to(work)
        if path.suffix == ".ipynb":  # they travel without outputs
            assert [each["source"] for each in json.loads(path.read_text("utf-8"))["cells"]] == [
                each["source"] for each in json.loads(ours.read_text("utf-8"))["cells"]
            ]
        else:
            assert path.read_bytes() == ours.read_bytes()


# Pages.


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The folder of the whole course as pages."""
    pytest.importorskip("nbconvert", reason="pages of the course need extra notebook")
    pytest.importorskip("latex2mathml", reason="pages of the course need extra notebook")
    place = tmp_path_factory.mktemp("course") / "new" / "folder"
    assert main(["tutorials", "--html", str(place)]) == 0
    return place


def open_folds(page) -> None:
    """Shows what follows every prediction."""
    page.locator(".minitape-predict > details").evaluate_all("all => all.map(f => f.open = true)")


def lesson_pages(pages: Path) -> list[Path]:
    return [pages / f"{name}.html" for name in NAMES]


@pytest.mark.slow
def test_there_is_a_page_for_each_lesson_and_an_index_that_links_to_all(pages):
    decks = [f"{name}.slides.html" for name in NAMES]
    expected = {"index.html", *(f"{name}.html" for name in NAMES), *decks}
    assert {path.name for path in pages.iterdir()} == expected
    links = re.findall(r'<li><a href="([^"]*)"', (pages / "index.html").read_text())
    assert links == [f"{name}.html" for name in NAMES]


@pytest.mark.course
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
        needs = "minitape-player" in text or "minitape-exhibit" in text
        assert len(scripts) == len(set(scripts)) and bool(scripts) == needs
        assert not scripts or text.index(scripts[0]) > text.index("</main>")


def test_pages_are_the_same_bytes_each_time(pages, tmp_path):
    main(["tutorials", "1", "--html", str(tmp_path)])
    from minitape.viz.course.pages import lesson_page

    again = lesson_page(lessons()[0], lessons())
    assert again == (pages / "01_first_gradient.html").read_text()


def test_a_page_that_is_not_of_the_course_is_not_written_over(tmp_path, capsys):
    pytest.importorskip("nbconvert", reason="pages of the course need extra notebook")
    pytest.importorskip("latex2mathml", reason="pages of the course need extra notebook")
    (tmp_path / "index.html").write_text("my home page")
    assert main(["tutorials", "--html", str(tmp_path)]) == 2
    assert "is no page of the course; choose another folder" in capsys.readouterr().err
    assert (tmp_path / "index.html").read_text() == "my home page"
    assert len(list(tmp_path.iterdir())) == 1


def test_pages_without_nbconvert_say_what_to_install(monkeypatch, capsys, tmp_path):
    from minitape.viz.course import pages as course_pages

    monkeypatch.setattr(course_pages, "find_spec", lambda name: None)
    assert main(["tutorials", "--html", str(tmp_path / "pages")]) == 2
    assert "pip install nbconvert latex2mathml" in capsys.readouterr().err
    assert not (tmp_path / "pages").exists()


def test_formulas_are_found_and_dollars_in_code_are_none():
    pytest.importorskip("latex2mathml", reason="pages of the course need extra notebook")
    from minitape.viz.course.formulas import without_formulas

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
    from minitape.viz.course.formulas import mathml

    assert mathml("z = (-1, -x) = -2").count('form="prefix"') == 3
    assert 'form="prefix"' not in mathml("a - b")


def test_the_name_of_a_function_stands_apart_from_its_letter():
    pytest.importorskip("latex2mathml", reason="pages of the course need extra notebook")
    from minitape.viz.course.formulas import mathml

    assert "</mi><mspace" in mathml(r"\log S - s_k")
    assert "<mspace" not in mathml(r"\log (S)")


def test_a_page_names_no_cell_by_a_number_that_only_a_running_notebook_has(pages):
    for path in pages.iterdir():
        text = re.sub(r"<[^>]*>", "", path.read_text("utf-8"))
        assert not re.search(r"line \d+ of cell \d+", text), path.name


def test_a_heading_with_a_formula_has_a_name_without_it(tmp_path):
    pytest.importorskip("nbconvert", reason="pages of the course need extra notebook")
    pytest.importorskip("latex2mathml", reason="pages of the course need extra notebook")
    from minitape.viz.course.pages import body

    lesson = write_lesson(tmp_path, "01_first", "## The slope of $x^2$\n\nSee [next](02_b.ipynb).")
    made = body(lesson.path, names={"02_b"})
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
        open_folds(visit.page)
        hosts = visit.page.locator(".minitape-player")
        notebook = with_outputs(ROOT / "tutorials" / f"{path.stem}.ipynb")
        assert hosts.count() == notebook.count("steps as a table"), path.name
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
def test_the_code_of_a_prediction_which_holds_the_answer_is_seen_when_the_fold_is_open(
    pages, visit
):
    visit.page.goto((pages / f"{NAMES[0]}.html").as_uri())
    cell = visit.page.locator(".code_cell:has(.minitape-predict)").first
    assert not cell.locator(".input").is_visible()
    cell.get_by_text("Show what happens").click()
    cell.get_by_text("The code of this prediction").click()
    expect(cell.locator(".input")).to_be_visible()


@pytest.mark.slow
def test_one_walks_through_the_course_from_its_index(pages, visit):
    page = visit.page
    page.goto((pages / "index.html").as_uri())
    visit.screenshot("course_index")
    page.get_by_role("link", name=lessons()[0].title).click()
    for lesson in lessons()[1:]:
        # By the keyboard: a page that grows while it is drawn moves its foot below a mouse.
        page.wait_for_load_state()
        page.locator("a[rel=next]").press("Enter")
        expect(page).to_have_title(lesson.title)
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


# Slides.

FAULTS = """() => {
  const slide = [...document.querySelectorAll(".slide")].find((each) => !each.hidden);
  const faults = [], edge = slide.getBoundingClientRect(), bare = slide.matches(".is-player");
  for (const part of [slide, ...slide.querySelectorAll(".body, .body > *")]) {
    const box = part.getBoundingClientRect();
    const tall = part.scrollHeight > part.clientHeight + (part.matches("p") ? 12 : 2); // a formula
    const over = tall || part.scrollWidth > part.clientWidth + 2;
    const below = box.bottom > edge.bottom + 1 || box.top < edge.top - 1;
    const out = below || box.right > edge.right + 1;
    if ((over && !bare) || out) faults.push(`over the edge: ${part.className || part.tagName}`);
  }
  const texts = document.createTreeWalker(slide, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const part = texts.currentNode.parentElement;
    const size = parseFloat(getComputedStyle(part).fontSize);
    const drawn = part.closest(".figure, script, style") || !texts.currentNode.data.trim();
    if (!drawn && size < 20) faults.push(`${size} px: ${texts.currentNode.data.slice(0, 40)}`);
  }
  return faults;
}"""


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_nothing_of_a_slide_is_over_its_edge_or_smaller_than_20_pixels(pages, visit, name):
    page = visit.page
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto((pages / f"{name}.slides.html").as_uri())
    page.wait_for_timeout(300)
    faults = {}
    number = page.locator(".slide").count()
    for at in range(1, number + 1):
        page.evaluate("() => new Promise((on) => requestAnimationFrame(() => setTimeout(on, 20)))")
        if found := page.evaluate(FAULTS):
            faults[at] = found
        page.keyboard.press("PageDown")
    assert not faults
    assert page.locator("[aria-label=Slides] output").inner_text() == f"{number} / {number}"
    assert page.get_by_role("button", name="Next slide").is_disabled()


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_slides_are_as_wide_as_a_telephone(pages, visit, name):
    page = visit.page
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto((pages / f"{name}.slides.html").as_uri())
    for _ in range(page.locator(".slide").count()):
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.keyboard.press("PageDown")


@pytest.mark.slow
def test_a_player_on_a_slide_takes_its_keys_and_notes_are_shown_on_request(pages, visit):
    page = visit.page
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto((pages / f"{NAMES[0]}.slides.html").as_uri())
    while not page.locator(".is-player:visible").count():
        page.keyboard.press("ArrowRight")
    counter = page.locator("[aria-label=Slides] output")
    here = counter.inner_text()
    page.locator(".minitape-player:visible .player").press("Home")
    step = page.locator(".minitape-player:visible .counter")
    first = int(step.inner_text().split()[0])
    page.keyboard.press("ArrowRight")
    expect(step).to_contain_text(f"{first + 1} /")
    assert counter.inner_text() == here  # the key was the player's
    page.keyboard.press("p")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".hall[open] .foot :last-child")).to_contain_text(f"{first + 2} /")
    page.keyboard.press("Escape")
    page.locator(".slide:visible").click(position={"x": 2, "y": 2})
    page.keyboard.press("ArrowRight")
    assert counter.inner_text() != here  # out of the hall and beside the player it is the slides'
    page.keyboard.press("ArrowLeft")
    assert not page.locator(".notes:visible").count()
    page.get_by_role("button", name="Notes").click()
    expect(page.locator(".notes:visible")).to_contain_text("right arrow key")


@pytest.mark.slow
def test_the_presenters_window_has_notes_the_next_slide_and_the_minutes_and_keeps_step(
    pages, visit
):
    page = visit.page
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto((pages / f"{NAMES[0]}.slides.html").as_uri())
    with page.expect_popup() as opened:
        page.keyboard.press("n")
    window = opened.value
    heading = page.locator(".slide h1, .slide h2")
    notes, following = window.locator("main"), window.locator("aside")
    expect(notes).to_contain_text("3 minutes. Draw ball, ring and wind on the board.")
    expect(following).to_contain_text(heading.nth(1).text_content())
    expect(window.locator(".time")).to_have_text(re.compile(r"\d\d:\d\d"))
    expect(window.locator(".left")).to_contain_text(re.compile(r"minute 0 of \d+, planned here: 0"))
    page.keyboard.press("ArrowRight")  # from the hall's window
    expect(window.locator(".at")).to_contain_text("2 / ")
    expect(window.locator(".left")).to_contain_text("planned here: 3")
    window.keyboard.press("ArrowRight")  # and from the presenter's
    expect(page.locator("[aria-label=Slides] output")).to_contain_text("3 / ")
    expect(following).to_contain_text(heading.nth(3).text_content())
    window.keyboard.press("End")
    expect(following).to_contain_text("The last slide")
    assert not page.locator(".notes:visible").count()  # the hall sees none of it


@pytest.mark.slow
def test_where_no_window_may_be_opened_the_key_shows_the_notes_below(pages, visit):
    page = visit.page
    page.goto((pages / f"{NAMES[0]}.slides.html").as_uri())
    page.evaluate("window.open = () => null")
    page.keyboard.press("n")
    expect(page.locator(".notes:visible")).to_contain_text("Draw ball, ring and wind")


@pytest.mark.slow
def test_a_movable_plot_fills_half_of_its_slide_with_its_words_beside_it(pages, visit):
    page = visit.page
    page.set_viewport_size({"width": 1280, "height": 720})
    for lesson, title in [("01_first_gradient", "seen from above"), ("02_curvature", "Jacobians")]:
        page.goto((pages / f"{lesson}.slides.html").as_uri())
        host = page.locator(".slide", has_text=title).locator(".minitape-exhibit").first
        number = host.evaluate("e => e.closest('.slide').id")
        page.goto("about:blank")
        page.goto((pages / f"{lesson}.slides.html").as_uri() + f"#{number}")
        host = page.locator(".slide:not([hidden]) .minitape-exhibit")
        expect(host).to_have_attribute("data-large", "yes")
        picture = host.locator(".picture svg").bounding_box()
        said = host.locator(".said")
        assert picture["width"] > 500
        assert said.bounding_box()["x"] >= picture["x"] + picture["width"]
        assert float(said.evaluate("e => parseFloat(getComputedStyle(e).fontSize)")) >= 20
        expect(host.locator(".below")).to_be_hidden()
        letters = host.locator("svg text").evaluate_all(
            "all => all.filter(t => t.textContent.trim())"
            ".map(t => parseFloat(getComputedStyle(t).fontSize))"
        )
        scale = picture["width"] / float(
            host.locator(".picture svg").evaluate("e => e.viewBox.baseVal.width")
        )
        assert min(letters) * scale > 14


@pytest.mark.slow
def test_what_a_tape_holds_is_a_wide_picture_on_a_slide_without_its_table(pages, visit):
    page = visit.page
    page.set_viewport_size({"width": 1280, "height": 720})
    address = (pages / "09_differentiate_a_simulation.slides.html").as_uri()
    page.goto(address)
    slide = page.locator(".slide", has_text="kept alive by the tape alone").first
    page.evaluate("number => { location.hash = number; }", slide.evaluate("e => e.id"))
    expect(slide).to_be_visible()
    expect(slide.locator("table")).to_be_hidden()
    picture, words = slide.locator("img").bounding_box(), slide.locator("p").first
    assert picture["width"] > 900
    assert (
        float(words.evaluate("e => e.currentCSSZoom * parseFloat(getComputedStyle(e).fontSize)"))
        > 20
    )
    assert picture["y"] + picture["height"] <= 720


def test_a_deck_goes_to_the_slide_of_its_address_and_to_the_first_where_that_is_no_number(
    pages, visit
):
    page = visit.page
    page.goto((pages / f"{NAMES[0]}.slides.html").as_uri() + "#nowhere")
    counter = page.locator("[aria-label=Slides] output")
    expect(counter).to_have_text(re.compile("^1 / "))
    for number in (3, 2):
        page.evaluate("number => { location.hash = number; }", number)
        expect(counter).to_have_text(re.compile(f"^{number} / "))
        expect(page.locator(".slide:visible")).to_have_count(1)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_deck_is_printed_with_one_page_for_each_slide_and_no_notes(pages, visit, name):
    page = visit.page
    page.goto((pages / f"{name}.slides.html").as_uri())
    number = page.locator(".slide").count()
    made = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", made)) == number
    assert set(re.findall(rb"/MediaBox \[0 0 ([\d.]+ [\d.]+)\]", made)) == {b"960 540"}


def test_on_paper_a_player_is_one_picture_that_fills_the_slide(pages, visit):
    page = visit.page
    page.goto((pages / f"{NAMES[0]}.slides.html").as_uri())
    page.emulate_media(media="print")
    shown = page.locator(".minitape-player > img")
    heights = [each.bounding_box()["height"] for each in shown.all()]
    assert heights == [540] * len(heights) != []
    assert page.locator(".minitape-player > details:visible").count() == 0


def test_what_stands_on_a_slide_is_said_once_and_the_rest_is_notes(tmp_path):
    from minitape.viz.course.slides import slides

    lesson = write_lesson(
        tmp_path,
        "01_first",
        "# 1. First\n\nA sentence. Another one.",
        "No heading: notes.",
        "## List\n\n- a\n- b",
    )
    first, second = slides(lesson.path)
    assert (first.kind, first.heading, first.parts[0][1]) == ("title", "1. First", "A sentence.")
    assert first.notes.endswith("No heading: notes.")
    assert second.parts == (("markdown", "- a\n- b"),)


def test_every_lesson_s_predictions_are_a_slide_with_the_question_and_one_with_the_answer():
    from minitape.viz.course.slides import slides

    for lesson in lessons():
        kinds = [each.kind for each in slides(lesson.path)]
        texts = ["".join(cell["source"]) for cell in json.loads(lesson.path.read_text())["cells"]]
        shown = itertools.takewhile(lambda text: not text.startswith("## Further:"), texts)
        predictions = sum("viz.predict(" in text for text in shown)
        assert kinds.count("answer") == predictions, lesson.name
        assert kinds[0] == "title"


def test_the_number_of_a_lesson_stands_in_its_title_and_begins_no_list():
    pytest.importorskip("nbconvert", reason="slides need extra notebook")
    from minitape.viz.course.deck import deck

    assert "<h1>12. Capstone" in deck(chosen("12", lessons()))


# The page for lecturers.

PAGE = (ROOT / "docs" / "LECTURERS.md").read_text()


def test_the_page_for_lecturers_has_the_lessons_their_exercises_and_points():
    rows = re.findall(r"\| \d+ \| \[.*?\]\(\.\./(.*?)\) \| \d+ \| .*? \| (\d+) \| (\d+) \|", PAGE)
    expected = []
    for lesson in lessons():
        cells = json.loads(lesson.path.read_text())["cells"]
        points = [c["metadata"].get("nbgrader", {}).get("points", 0) for c in cells]
        expected.append((f"tutorials/{lesson.path.name}", str(lesson.exercises), str(sum(points))))
    assert rows == expected
    for lesson in lessons():
        assert f"\n### {lesson.title}\n" in PAGE


def part_of(title: str) -> str:
    """The part of the page for lecturers that is about a lesson."""
    return PAGE.split(f"\n### {title}\n")[1].split("\n### ")[0].split("\n## ")[0]


@pytest.mark.parametrize("name", NAMES)
def test_the_plan_of_a_lesson_names_every_section_with_its_minutes(name, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tutorials"))
    pytest.importorskip("nbclient", reason="the plan is counted by what builds the notebooks")
    plan = __import__("plan")
    (title,) = [lesson.title for lesson in lessons() if lesson.name == name]
    (said,) = re.findall(r"\*\*Plan\.\*\* (.*?) Together (\d+), (\d+)\.", part_of(title), re.DOTALL)
    entries = re.findall(r"(.*?) (\d+), (\d+)(?: · |\.$)", said[0].replace("**", ""))
    counted = plan.sections(ROOT / "tutorials" / f"{name}.py")
    assert [entry[0] for entry in entries] == [each.name for each in counted]
    for (_, shown, typed), each in zip(entries, counted, strict=True):
        assert abs(int(shown) - each.shown) <= 1
        assert abs(int(typed) - each.typed) <= 1
    assert abs(int(said[1]) - sum(each.shown for each in counted)) <= 1
    assert abs(int(said[2]) - sum(each.typed for each in counted)) <= 1
    minutes = re.findall(rf"{name}\.ipynb\) \| (\d+) \|", PAGE)
    assert sum(each.typed for each in counted) <= float(minutes[0]) == 50


def planned(path: Path, text: str, **how: float):
    """The plan of a lesson that is this text."""
    pytest.importorskip("nbclient", reason="the plan is counted by what builds the notebooks")
    source = path / "01_first.py"
    source.write_text(text)
    return __import__("plan").sections(source, **how)


def test_a_cell_may_ask_for_more_minutes_than_are_counted(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tutorials"))
    (opening,) = planned(tmp_path, '# %% tags=["picture"] minutes=1.5\ndraw()\n')
    assert (opening.shown, opening.typed) == (1.5, 1.5)


def test_a_player_of_one_s_own_tape_takes_a_minute_as_any_player(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tutorials"))
    (opening,) = planned(tmp_path, '# %% tags=["picture"]\nown.step_tape(tape, y, x)\n')
    assert opening.shown == 1.0


def plan_of(number: str, monkeypatch, **how: float):
    """The part of the page for lecturers about a lesson, its lines as one, and its counted plan."""
    monkeypatch.syspath_prepend(str(ROOT / "tutorials"))
    pytest.importorskip("nbclient", reason="the plan is counted by what builds the notebooks")
    (lesson,) = [each for each in lessons() if each.name.startswith(number)]
    source = ROOT / "tutorials" / f"{lesson.name}.py"
    return " ".join(part_of(lesson.title).split()), __import__("plan").sections(source, **how)


@pytest.mark.parametrize("number", ["01", "03"])
def test_a_lesson_fits_into_the_hour_of_a_class_that_types_slowly(number, monkeypatch):
    part, counted = plan_of(number, monkeypatch, typing=150.0)
    slow = sum(each.typed for each in counted)
    (said,) = re.findall(r"types 150 characters a minute (?:then )?needs (\d+)", part)
    assert abs(slow - int(said)) <= 1 and slow <= 50


def test_the_bold_sections_of_lesson_3_take_what_is_said(monkeypatch):
    part, counted = plan_of("03", monkeypatch)
    bold = re.findall(r"\*\*([^*.]+)\*\* \d+, \d+", part)
    assert len(bold) == 4
    (said,) = re.findall(r"the bold sections alone take (\d+), typed at 200", part)
    assert abs(sum(each.typed for each in counted if each.name in bold) - int(said)) <= 1


def test_the_minutes_in_the_notes_of_a_lesson_are_those_that_the_page_says():
    sums = dict(
        re.findall(
            r"^### (\d+)\.(?:(?!^###).)*?\*\*With questions\*\* it takes (\d+)", PAGE, re.M | re.S
        )
    )
    assert {"9", "10"} <= set(sums)
    for number, said in sums.items():
        (name,) = [name for name in NAMES if name.startswith(f"{int(number):02}_")]
        source = (ROOT / "tutorials" / f"{name}.py").read_text("utf-8")
        minutes = list(map(int, re.findall(r'^# %%.* notes="(\d+) minutes?\b', source, re.M)))
        assert sum(minutes) == int(said) <= 50


@pytest.mark.parametrize("name", NAMES)
def test_what_is_for_those_who_want_more_stands_last_and_is_on_no_slide(name):
    from minitape.viz.course.slides import slides

    (lesson,) = [each for each in lessons() if each.name == name]
    texts = ["".join(cell["source"]) for cell in json.loads(lesson.path.read_text())["cells"]]
    headings = [
        heading for text in texts for heading in re.findall(r"^## (.*)", text, re.MULTILINE)
    ]
    first = next(
        (i for i, each in enumerate(headings) if each.startswith("Further:")), len(headings)
    )
    assert headings[first - 1] == "What to remember"
    assert all(each.startswith("Further:") for each in headings[first:])
    on_slides = slides(lesson.path)
    assert len(on_slides) <= 45
    assert not [each for each in on_slides if "## Further:" in each.notes]


def test_a_section_for_those_who_want_more_is_on_no_slide_and_counts_no_minutes(tmp_path):
    from minitape.viz.course.slides import slides

    texts = ["# 1. First\n\nA sentence.", "## Further: more\n\nA long story.", "### Part\n\nMore."]
    assert len(slides(write_lesson(tmp_path, "01_first", *texts).path)) == 1


def test_a_long_list_appears_whole_on_its_slide(tmp_path):
    from minitape.viz.course.slides import slides

    items = ["A first one: short. " + 20 * "And more. ", "A second\n  one. " + 20 * "More. "]
    text = "## To keep\n\n" + "\n".join(f"- {item}" for item in items)
    lesson = write_lesson(tmp_path, "01_first", "# 1. First\n\nA sentence.", text)
    assert slides(lesson.path)[-1].parts == (("markdown", text.split("\n\n")[1].strip()),)


def test_few_words_and_the_code_below_them_are_one_slide(tmp_path):
    from minitape.viz.course.slides import slides

    lesson = write_lesson(tmp_path, "01_first", "# 1. First\n\nA sentence.", "## Two\n\nAdd them.")
    book = json.loads(lesson.path.read_text())
    code = {"cell_type": "code", "metadata": {}, "outputs": [], "source": ["x = 1 + 1"]}
    book["cells"].append(code)
    lesson.path.write_text(json.dumps(book))
    _, together = slides(lesson.path)
    assert (together.kind, together.heading) == ("code", "Two")
    assert together.parts == (("markdown", "Add them."), ("code", "x = 1 + 1"))
    book["cells"][-1] = code | {"source": ["\n".join(["x = 1"] * 14)]}
    lesson.path.write_text(json.dumps(book))
    assert [each.kind for each in slides(lesson.path)] == ["title", "text", "code"]


def test_no_class_is_cut_that_fits_on_a_slide_in_tight_lines(tmp_path):
    from minitape.viz.course.slides import slides

    methods = "".join(f"\n    def m{i}(self):\n        return {i}\n" for i in range(7))
    lesson = write_lesson(tmp_path, "01_first", "# 1. First\n\nA sentence.")
    book = json.loads(lesson.path.read_text())
    text = f"import math\n\n\nclass Tape:{methods}"
    book["cells"].append({"cell_type": "code", "metadata": {}, "outputs": [], "source": [text]})
    lesson.path.write_text(json.dumps(book))
    assert [slide.parts[0][1] for slide in slides(lesson.path)][1:] == [text.strip()]
    book["cells"][-1]["source"] = [f"{text}\n\nclass Other:{methods}"]
    lesson.path.write_text(json.dumps(book))
    pieces = [slide.parts[0][1] for slide in slides(lesson.path)][1:]
    assert [piece.count("class ") for piece in pieces] == [1, 1]
    assert all(piece.endswith("return 6") for piece in pieces)


@pytest.mark.parametrize("name", NAMES[:6])
def test_no_slide_of_the_first_lessons_begins_in_the_middle_of_a_class_or_function(name):
    from minitape.viz.course.slides import slides

    (lesson,) = [each for each in lessons() if each.name == name]
    codes = [text for each in slides(lesson.path) for form, text in each.parts if form == "code"]
    assert not [code for code in codes if code.startswith(" ")]


def test_code_that_only_draws_is_folded_on_a_page_and_imports_are_not(pages):
    page = (pages / f"{NAMES[2]}.html").read_text("utf-8")
    folded = re.findall(r'<details class="drawn">(.*?)</details>', page, re.DOTALL)
    assert any("walked_back" in each for each in folded)
    assert not any("NamedTuple" in each for each in folded)
    assert page.count("<details") == page.count("</details>")


def test_what_tells_an_answer_is_folded_on_a_page(pages):
    for lesson in lessons():
        page = (pages / f"{lesson.name}.html").read_text("utf-8")
        told = re.sub(r'<details class="drawn">.*?</details>', "", page, flags=re.DOTALL)
        told = re.sub(r"<[^>]*>", "", re.sub(r"<script.*?</script>", "", told, flags=re.DOTALL))
        assert "score.total(" not in told
        assert "with viz.predict(" not in told
        assert page.count("<summary>The check</summary>") >= lesson.exercises


def test_every_figure_of_the_course_is_a_drawing_with_a_text_of_what_is_to_be_seen(pages):
    for lesson in lessons():
        kinds = set()
        for cell in json.loads(lesson.path.read_text())["cells"]:
            for output in cell.get("outputs", []):
                kinds |= output.get("data", {}).keys()
        assert "image/png" not in kinds, lesson.name
        page = (pages / f"{lesson.name}.html").read_text("utf-8")
        assert "The plot that the code above draws." not in page, lesson.name


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_bar_of_a_deck_covers_no_button_of_a_player(pages, visit, name):
    page = visit.page
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto((pages / f"{name}.slides.html").as_uri())
    for number in page.locator(".is-player").evaluate_all("all => all.map(each => each.id)"):
        page.evaluate("number => { location.hash = number; }", number)
        host = page.locator(f"[id='{number}'] .minitape-player")
        expect(host).to_have_attribute("data-large", "yes")
        bar = page.locator("nav.bar").bounding_box()
        for right in host.evaluate(HEAD):
            assert not bar["x"] < right[1] or not right[0] < bar["x"] + bar["width"], number


HEAD = """host => [...host.shadowRoot.querySelectorAll(".bar button, .counter")].map((part) => {
  const range = document.createRange();
  range.selectNodeContents(part);
  const box = (part.matches("button") ? part : range).getBoundingClientRect();
  return [box.left, box.right];
})"""


def test_what_code_prints_stands_below_its_last_part_where_both_fit(tmp_path):
    from minitape.viz.course.slides import slides

    lesson = write_lesson(tmp_path, "01_first", "# 1. First\n\nA sentence.")
    book = json.loads(lesson.path.read_text())
    printed = {"output_type": "stream", "name": "stdout", "text": "1\n2\n"}
    code = {"cell_type": "code", "metadata": {}, "outputs": [printed]}
    long = "\n".join(["x = 1"] * 10 + [""] + ["y = 2"] * 10)
    for source, forms in [
        (long, [["code"], ["code", "text"]]),
        ("\n".join(["x = 1"] * 15), [["code", "text"]]),
        ("\n".join(["x = 1"] * 8 + ["", ""] + ["y = 2"] * 6), [["code", "text"]]),
    ]:
        book["cells"][1:] = [code | {"source": [source]}]
        lesson.path.write_text(json.dumps(book))
        found = slides(lesson.path)[1:]
        assert [[form for form, _ in each.parts] for each in found] == forms
    assert "\n\n\n" not in found[0].parts[0][1]


def test_a_slide_of_few_words_has_large_letters():
    pytest.importorskip("nbconvert", reason="slides need extra notebook")
    from minitape.viz.course.deck import _section
    from minitape.viz.course.slides import Slide

    assert " few" in _section(Slide("text", "Work", (("markdown", "Count the numbers."),)), 2)
    for words in ["- one\n- two", 30 * "word ", "$$x$$"]:
        assert " few" not in _section(Slide("text", "Work", (("markdown", words),)), 2)
    assert " few" not in _section(Slide("code", "Work", (("markdown", "Count."),)), 2)


def test_no_line_of_a_slide_begins_with_the_comma_behind_a_formula():
    pytest.importorskip("nbconvert", reason="slides need extra notebook")
    from minitape.viz.course.deck import _markdown

    assert re.search(r"<span class=whole><math.*</math>,</span>", _markdown("Take $u$, then $v$."))


def test_a_question_stands_below_the_program_it_is_about_and_never_below_its_own_code(tmp_path):
    from minitape.viz.course.slides import slides

    lesson = write_lesson(tmp_path, "01_first", "# 1. First\n\nA sentence.", "## Two\n\nAdd them.")
    book = json.loads(lesson.path.read_text())
    code = {"cell_type": "code", "metadata": {}, "outputs": [], "source": ["x = 1 + 1"]}
    html = viz.predict("What is x?", "It is 2.").html
    asked = 'with viz.predict("What is x?", "It is 2."):\n    print(x)'
    shown = {"output_type": "display_data", "data": {"text/html": html}}
    book["cells"] += [code, code | {"source": [asked], "outputs": [shown]}]
    lesson.path.write_text(json.dumps(book))
    _, question, answer = slides(lesson.path)
    assert (question.kind, question.heading, answer.kind) == ("question", "Two", "answer")
    assert question.parts[:2] == (("markdown", "Add them."), ("code", "x = 1 + 1"))
    assert "print" not in str(question.parts)
    book["cells"][2] = code | {"source": ["\n".join(["x = 1"] * 17)]}
    lesson.path.write_text(json.dumps(book))
    kinds = [each.kind for each in slides(lesson.path)]
    assert kinds == ["title", "text", "code", "question", "answer"]


def test_a_cell_can_give_each_of_its_slides_a_title_that_states_its_point(tmp_path):
    from minitape.viz.course.slides import slides

    lesson = write_lesson(tmp_path, "01_first", "# 1. First\n\nA sentence.")
    book = json.loads(lesson.path.read_text())
    html = viz.predict("What is x?", "It is 2.").html
    shown = {"output_type": "display_data", "data": {"text/html": html}}
    own = {"slide": "What is it? | Two, and not three"}
    asked = 'with viz.predict("What is x?", "It is 2."):\n    print(x)'
    book["cells"] += [{"cell_type": "code", "metadata": own, "outputs": [shown], "source": [asked]}]
    lesson.path.write_text(json.dumps(book))
    assert [each.heading for each in slides(lesson.path)][1:] == [
        "What is it?",
        "Two, and not three",
    ]


def test_a_drawing_is_a_picture_with_its_words_on_page_and_slide(tmp_path):
    pytest.importorskip("nbconvert", reason="pages of the course need extra notebook")
    from minitape.viz.course.deck import deck
    from minitape.viz.course.pages import body

    lesson = write_lesson(tmp_path, "01_first", "# 1. First\n\nA sentence.")
    book = json.loads(lesson.path.read_text())
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><rect id="a" width="5" height="5"/></svg>'
    shown = {"output_type": "display_data", "metadata": {}, "data": {"image/svg+xml": [svg]}}
    own = {"tags": ["picture"], "alt": 'A "square".'}
    cell = {"cell_type": "code", "metadata": own, "outputs": [shown], "source": ["draw()"]}
    book["cells"].append(cell | {"execution_count": None})
    lesson.path.write_text(json.dumps(book))
    for made in (body(lesson.path), deck(lesson)):
        assert 'src="data:image/svg+xml;base64,' in made
        assert re.search(r"""alt=("A &quot;square&quot;\."|'A "square"\.')""", made)
        assert "<rect" not in made


def test_a_graph_stands_beside_the_words_of_an_explanation():
    pytest.importorskip("nbconvert", reason="slides need extra notebook")
    from minitape.viz.course.deck import _part

    words, graph = "<p>The gradient is None.</p>", '<img src="data:," alt="Graph">'
    assert _part("html", words + graph, "").startswith('<div class="figure told">')
    assert "told" not in _part("html", f"<p>{graph}</p>", "")


def test_the_requirements_of_each_order_hold():
    rows = re.findall(r"\| (\d+) \| \[.*?\]\(\.\./.*?\) \| \d+ \| (.*?) \|", PAGE)
    needs = {int(n): [int(each) for each in re.findall(r"\d+", text)] for n, text in rows}
    orders = re.findall(r"\*[A-Z][\w ]+\*:\s((?:\d+, )+\d+)", PAGE)
    assert len(orders) == 5
    for order in ([int(each) for each in text.split(", ")] for text in orders):
        for at, lesson in enumerate(order):
            assert set(needs[lesson]) <= set(order[:at]), (order, lesson)


def test_the_links_of_the_page_for_lecturers_lead_somewhere():
    for link in re.findall(r"\]\((?!https)(.*?)\)", PAGE):
        assert (ROOT / "docs" / link).exists(), link


@pytest.mark.slow
def test_the_pictures_of_the_page_for_lecturers_can_be_saved(here):
    for package in ("fpdf", "resvg_py", "PIL"):
        pytest.importorskip(package, reason="PDF and GIF need extra export")
    names: dict[str, object] = {}
    for code in re.findall(r"(?s)```python\n(.*?)```", PAGE):
        exec(compile(code, "<lecturers>", "exec"), names)
    steps = len(list(here.glob("step-*.pdf")))
    with pytest.raises(IndexError, match=rf"this one has {steps};"):
        names["player"].save("more.pdf", step=steps + 1)
    for name in ["line.html", "line.svg", "line.pdf", "line-5.pdf", "line.gif"]:
        assert (here / name).stat().st_size > 1000
