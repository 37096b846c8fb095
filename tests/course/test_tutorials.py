"""The tutorials: run, compared with what is committed, their exercises answered well and badly."""

from __future__ import annotations

import importlib.util
import json
import math
import re
import shutil
import sys
from pathlib import Path

import pytest

from tutorial_answers import wrong_answers

nbformat = pytest.importorskip("nbformat", reason="the tutorials need nbclient (extra test)")
pytest.importorskip("nbclient", reason="the tutorials need nbclient (extra test)")

FOLDER = Path(__file__).parents[2] / "tutorials"
NUMBER = re.compile(r"(?<![\w.])[-−]?\d+(?:\.\d*)?(?:e[-+]?\d+)?")
DATA = re.compile(r'<script type="application/json">(.*?)</script>', re.DOTALL)
DIGITS = 1e-4
AGAIN = "look at the change, then `python tutorials/build.py` and commit; the cell is"


def load_build():
    """The module `tutorials/build.py`, which is no package's."""
    spec = importlib.util.spec_from_file_location("build_tutorials", FOLDER / "build.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


build = load_build()
SOURCES = build.sources()
NAMES = [source.stem for source in SOURCES]
GUIDE = FOLDER / "01_autodiff_guide.py"


def committed(source: Path):
    return nbformat.read(source.with_suffix(".ipynb"), as_version=4)


def same_text(a: str, b: str) -> bool:
    """Whether two texts agree, their numbers to four digits."""
    a, b = a.replace("−", "-"), b.replace("−", "-")
    close = all(
        same_number(float(x), float(y))
        for x, y in zip(NUMBER.findall(a), NUMBER.findall(b), strict=False)
    )
    return close and NUMBER.sub("#", a) == NUMBER.sub("#", b)


def same_number(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=DIGITS, abs_tol=DIGITS)


def same(a, b) -> bool:
    """Whether two pieces of a trace agree, their numbers to four digits."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, str) and isinstance(b, str):
        return same_text(a, b)
    if isinstance(a, float) and isinstance(b, int | float):
        return same_number(a, b)
    return a == b


def same_output(a, b) -> bool:
    """Whether two outputs of a cell agree: texts, and pictures by their trace."""
    if a.output_type == "stream" or b.output_type == "stream":
        return a.output_type == b.output_type and same_text(a.text, b.text)
    if a.data.keys() != b.data.keys() or not same_text(plain_text(a.data), plain_text(b.data)):
        return False
    return all(
        same(json.loads(x), json.loads(y))
        for x, y in zip(traces(a.data), traces(b.data), strict=True)
    )


def plain_text(data) -> str:
    """The text of an output; what a drawing library says of its object holds its size in pixels."""
    return "" if "image/png" in data else data.get("text/plain", "")


def traces(data) -> list[str]:
    return DATA.findall(data.get("text/html", ""))


@pytest.fixture(scope="module", params=SOURCES, ids=NAMES)
def books(request):
    """A tutorial as it is committed, and as it is when it is built now."""
    return committed(request.param), build.executed(build.notebook(request.param))


def test_the_committed_notebook_has_the_cells_of_its_source(books):
    kept, made = books
    assert [(c.cell_type, c.source, c.id) for c in kept.cells] == [
        (c.cell_type, c.source, c.id) for c in made.cells
    ]


def test_the_committed_outputs_are_those_of_a_run_now(books):
    kept, made = books
    for old, new in zip(kept.cells, made.cells, strict=True):
        if old.cell_type == "code":
            assert len(old.outputs) == len(new.outputs), f"{AGAIN}\n{old.source}"
            for a, b in zip(old.outputs, new.outputs, strict=True):
                assert same_output(a, b), f"{AGAIN}\n{old.source}"


def test_the_committed_notebook_holds_nothing_that_changes_by_itself(books):
    kept, _ = books
    text = json.dumps(kept)
    assert "execution" not in {key for cell in kept.cells for key in cell.metadata}
    assert "widgets" not in kept.metadata
    assert kept.metadata.language_info == {"name": "python"}
    assert not re.search(r" at 0x[0-9a-f]{6}", text)


def test_no_cell_of_a_committed_notebook_failed(books):
    kept, _ = books
    kinds = {out.output_type for cell in kept.cells for out in cell.get("outputs", [])}
    assert "error" not in kinds


def test_every_player_reads_without_scripts(books):
    kept, _ = books
    pages = [o.data["text/html"] for c in kept.cells for o in c.get("outputs", []) if "data" in o
             and "minitape-player" in o.data.get("text/html", "")]  # fmt: skip
    assert pages
    for page in pages:
        light = page.split("<script")[0]
        assert '<img src="data:image/svg+xml;base64,' in light
        assert "<details>" in light


@pytest.mark.slow
def test_the_first_tutorial_shows_all_its_pictures_in_jupyterlab_before_it_is_trusted(
    jupyter, visit, tmp_path
):
    """A notebook as one has it just after cloning: no kernel, no scripts."""
    shutil.copy(GUIDE.with_suffix(".ipynb"), tmp_path)
    server = jupyter(tmp_path, "lab", kernels=False)
    server.open(visit.page, f"{GUIDE.stem}.ipynb")
    pictures = visit.page.locator(".minitape-player img")
    steps = json.dumps(committed(GUIDE)).count("steps as a table")
    assert pictures.count() == steps > 15
    widths = pictures.evaluate_all("images => images.map(image => image.naturalWidth)")
    assert all(width > 50 for width in widths)
    assert visit.page.get_by_text("13 steps as a table").first.is_visible()


def test_a_difference_in_the_fifth_digit_is_none_and_in_the_third_is_one():
    assert same_text("loss = 12.62500", "loss = 12.62501")
    assert not same_text("loss = 12.6", "loss = 12.7")
    assert not same_text("loss = 12.6", "cost = 12.6")
    assert not same({"a": [1.0, None]}, {"a": [1.0, 0.0]})


@pytest.mark.parametrize("source", SOURCES, ids=NAMES)
def test_jupytext_reads_the_same_cells(source):
    jupytext = pytest.importorskip("jupytext", reason="reading with jupytext needs extra dev")
    read = jupytext.read(source).cells
    for cell in read:
        cell.metadata.pop("lines_to_next_cell", None)  # blank lines in the script
    theirs = [(c.cell_type, c.source, c.metadata) for c in read]
    ours = [(c.kind, c.text, c.metadata) for c in build.cells(source.read_text())]
    assert theirs == ours


def test_the_tape_that_students_build_has_about_seventy_lines():
    source = FOLDER / "03_how_a_tape_works.py"
    needed = [c.text for c in build.cells(source.read_text()) if "tags" in c.metadata]
    lines = [line.strip() for text in needed for line in text.splitlines()]
    code = [line for line in lines if line and not line.startswith(("#", '"""'))]
    assert 60 < len(code) < 75


# Exercises, in this process: their code needs no notebook.


def exercises(source: Path) -> dict[str, str]:
    """The answer cell of each exercise by its name."""
    found = {}
    for cell in build.cells(source.read_text()):
        settings = cell.metadata.get("nbgrader", {})
        if settings.get("solution"):
            found[settings["grade_id"]] = cell.text
    return found


def graded(source: Path, name: str, answer: str) -> None:
    """Runs an answer to one exercise and its check, after what the exercises need.

    That is the first cell (the imports), and the cells with the tag `needed`.
    """
    parts = list(build.cells(source.read_text()))
    imports = next(cell.text for cell in parts if cell.kind == "code")
    needed = [cell.text for cell in parts if "needed" in cell.metadata.get("tags", [])]
    settings = [(cell.metadata.get("nbgrader", {}), cell.text) for cell in parts]
    check = next(text for own, text in settings if own.get("grade_id") == f"{name}-check")
    names: dict[str, object] = {"__name__": name}
    for part in (imports, *needed, answer, check):
        exec(compile(part, f"<{name}>", "exec"), names)


ALL = [(source, name) for source in SOURCES for name in exercises(source)]


@pytest.mark.parametrize("source", SOURCES, ids=NAMES)
def test_a_tutorial_has_at_least_three_exercises_in_nbgrader_s_form(source):
    cells = [c.metadata["nbgrader"] for c in build.cells(source.read_text()) if c.is_exercise]
    assert sum(settings["solution"] for settings in cells) >= 3
    assert len({settings["grade_id"] for settings in cells}) == len(cells)
    for settings in cells:
        assert settings["schema_version"] == 3
        assert settings["grade"] == settings["locked"] != settings["solution"]
        assert not settings["grade"] or settings["points"] > 0


@pytest.mark.parametrize(("source", "name"), ALL, ids=[name for _, name in ALL])
def test_the_solution_of_an_exercise_passes_its_check(source, name):
    graded(source, name, exercises(source)[name])


@pytest.mark.parametrize(("source", "name"), ALL, ids=[name for _, name in ALL])
def test_an_exercise_without_an_answer_gets_a_hint(source, name):
    with pytest.raises(AssertionError, match=r"\w+ .*[.?]"):
        graded(source, name, build.without_solution(exercises(source)[name]))


@pytest.mark.parametrize(("source", "name"), ALL, ids=[name for _, name in ALL])
def test_a_student_s_copy_holds_no_solution(source, name):
    text = build.without_solution(exercises(source)[name])
    assert "SOLUTION" not in text
    assert "...  # your code here" in text


TYPICAL = [
    pytest.param(source, *wrong, id=f"{source.stem[:2]} {mistake}")
    for source in SOURCES
    for mistake, wrong in wrong_answers(source.stem[:2]).items()
]


@pytest.mark.parametrize(("source", "name", "answer", "hint"), TYPICAL)
@pytest.mark.filterwarnings("ignore:overflow encountered in cosh")  # one answer is wrong by that
def test_a_typical_wrong_answer_gets_the_hint_that_helps(source, name, answer, hint):
    with pytest.raises(AssertionError, match=hint):
        graded(source, name, answer)


@pytest.mark.parametrize("source", SOURCES, ids=NAMES)
def test_each_exercise_has_a_typical_wrong_answer(source):
    wrong = wrong_answers(source.stem[:2]).values()
    module = f"tests/tutorial_answers/lesson_{source.stem[:2]}.py"
    assert {each.exercise for each in wrong} == exercises(source).keys(), f"write them in {module}"
