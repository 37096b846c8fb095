"""The tutorials: run, compared with what is committed, their exercises answered well and badly."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import io
import json
import math
import re
import shutil
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from minitape.viz.course.running import with_outputs
from tutorial_answers import right_answers, wrong_answers

nbformat = pytest.importorskip("nbformat", reason="the tutorials need nbclient (extra test)")
pytest.importorskip("nbclient", reason="the tutorials need nbclient (extra test)")

FOLDER = Path(__file__).parents[2] / "tutorials"
NUMBER = re.compile(r"(?<![\w.])[-−]?\d+(?:\.\d*)?(?:e[-+]?\d+)?")
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
FIRST = FOLDER / "01_first_gradient.py"


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


def same_output(a, b) -> bool:
    """Whether the words of two outputs of a cell agree, and the words in their pictures."""
    if a.output_type == "stream" or b.output_type == "stream":
        return a.output_type == b.output_type and same_text(a.text, b.text)
    return a.data.keys() == b.data.keys() and all(
        same_text(words(a.data[form]), words(b.data[form])) for form in a.data
    )


def words(shown: str) -> str:
    """A text without elements; how a plot's axes are labelled is a matter of a pixel."""
    if "DejaVu Sans,sans" in shown:
        shown = re.sub("<svg.*?</svg>", "", shown, flags=re.DOTALL)
    return re.sub(r"<style.*?</style>|<[^>]*>", " ", shown, flags=re.DOTALL)


# The first shows at once that building works. Each is built once for all of its tests, in one
# process where there are several.
BOOKS = [
    pytest.param(
        source,
        marks=[
            pytest.mark.xdist_group(source.stem),
            *([] if source == FIRST else [pytest.mark.slow]),
        ],
    )
    for source in SOURCES
]


@pytest.fixture(scope="module", params=BOOKS, ids=[each.stem for each in SOURCES])
def books(request):
    """A tutorial as it is committed, and as it is when it is built now."""
    return committed(request.param), build.slim(build.executed(build.notebook(request.param)))


def test_the_committed_notebook_has_the_cells_of_its_source(books):
    kept, made = books
    assert [(c.cell_type, c.source, c.id) for c in kept.cells] == [
        (c.cell_type, c.source, c.id) for c in made.cells
    ]


def test_code_that_holds_an_answer_is_folded(books):
    _, made = books
    for cell in made.cells:
        folded = cell.metadata.get("jupyter", {}).get("source_hidden", False)
        check = cell.metadata.get("nbgrader", {}).get("grade", False)
        asks = "viz.predict(" in cell.source or "folded" in cell.metadata.get("tags", [])
        tells = asks or check
        assert folded == (cell.cell_type == "code" and tells)


def test_the_ward_with_the_causes_of_its_patients_is_folded():
    (ward,) = [
        cell for cell in committed(FOLDER / "11_a_clinic.py").cells if "WARD = {" in cell.source
    ]
    assert ward.metadata["jupyter"]["source_hidden"]


def test_the_committed_outputs_are_those_of_a_run_now(books):
    kept, made = books
    for old, new in zip(kept.cells, made.cells, strict=True):
        if old.cell_type == "code":
            assert len(old.outputs) == len(new.outputs), f"{AGAIN}\n{old.source}"
            if "varies" in old.metadata.get("tags", []):
                continue  # a long training in float32 goes another way on another processor
            for a, b in zip(old.outputs, new.outputs, strict=True):
                assert same_output(a, b), f"{AGAIN}\n{old.source}"


WITH_MORE = [source for source in SOURCES if "# ## Further:" in source.read_text("utf-8")]


@pytest.mark.slow
@pytest.mark.parametrize("source", WITH_MORE, ids=lambda source: source.stem)
def test_what_is_for_those_who_want_more_says_the_same_after_the_exercises_were_done(source):
    """It stands behind them, and an answer may use any name."""
    kept = committed(source)
    made = build.executed(build.notebook(source, solutions=True), exercises=True)
    first = next(i for i, cell in enumerate(kept.cells) if cell.source.startswith("## Further:"))
    for old, new in zip(kept.cells[first:], made.cells[first:], strict=True):
        pairs = zip(printed(old), printed(new), strict=True)
        assert all(same_text(a, b) for a, b in pairs), old.source


def printed(cell) -> list[str]:
    """What a cell has printed. (Explanations and players say the cell's number, too.)"""
    return [o.text for o in cell.get("outputs", []) if o.output_type == "stream"]


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


def test_lessons_are_kept_without_programs_and_are_small():
    """A player that changes renews none of them."""
    kept = [path.read_text("utf-8") for path in FOLDER.rglob("*.ipynb")]
    assert len(kept) == len(SOURCES) + 1
    assert not [text for text in kept if "<script" in text or "<input" in text]
    assert sum(map(len, kept)) < 2_420_000


def test_a_lesson_without_outputs_is_run_for_its_pages(tmp_path):
    book = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_code_cell("print(6 * 7)"),
            nbformat.v4.new_code_cell("1 / 0", metadata={"nbgrader": {"solution": True}}),
        ],
        metadata={"run_for_pages": True},
    )
    nbformat.write(book, tmp_path / "01_short.ipynb")
    answer, exercise = json.loads(with_outputs(tmp_path / "01_short.ipynb"))["cells"]
    assert "".join(answer["outputs"][0]["text"]) == "42\n"
    assert exercise["outputs"] == []


def test_every_player_is_kept_as_a_still_picture_that_has_a_title(books):
    kept, _ = books
    shown = [o.data.get("text/html", "") for c in kept.cells for o in c.get("outputs", [])
             if "data" in o]  # fmt: skip
    pictures = [
        each for page in shown for each in re.findall('<img [^>]*<svg.*?</svg>"[^>]*>', page)
    ]
    players = [each for each in pictures if "id='minitape'" in each]
    assert bool(players) == ("viz.step(" in json.dumps(kept))
    assert not [each for each in players if 'alt=""' in each or "alt=" not in each]


@pytest.mark.slow
def test_the_first_tutorial_shows_all_its_pictures_in_jupyterlab_before_it_is_trusted(
    jupyter, visit, tmp_path
):
    """A notebook as one has it just after cloning: no kernel, no scripts."""
    shutil.copy(FIRST.with_suffix(".ipynb"), tmp_path)
    server = jupyter(tmp_path, "lab", kernels=False)
    server.open(visit.page, f"{FIRST.stem}.ipynb")
    for fold in visit.page.get_by_text("Show what happens").all():
        fold.click()
    pictures = visit.page.locator(".jp-OutputArea-output img")
    kept = json.dumps(committed(FIRST))
    assert pictures.count() == kept.count("data:image/svg+xml,") >= 8
    widths = pictures.evaluate_all("images => images.map(image => image.naturalWidth)")
    assert all(width > 50 for width in widths)


def test_a_difference_in_the_fifth_digit_is_none_and_in_the_third_is_one():
    assert same_text("loss = 12.62500", "loss = 12.62501")
    assert not same_text("loss = 12.6", "loss = 12.7")
    assert not same_text("loss = 12.6", "cost = 12.6")


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
    cells = build.cells(source.read_text())
    needed = [c.text for c in cells if "needed" in c.metadata.get("tags", [])]
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


class Grade(NamedTuple):
    """What a check gave: the points, and what it said."""

    points: float
    said: str


def graded(source: Path, name: str, answer: str) -> Grade:
    """Runs an answer to one exercise and its check, after what the exercises need.

    That is the first cell (the imports), the cells with the tag `needed`, and the answers to
    earlier exercises that this one `uses`. As in nbgrader the value of the check's last line is the
    points. A check raises nothing, whatever the answer is.
    """
    parts = list(build.cells(source.read_text()))
    imports = next(cell.text for cell in parts if cell.kind == "code")
    needed = [cell.text for cell in parts if "needed" in cell.metadata.get("tags", [])]
    names: dict[str, object] = {"__name__": name}
    earlier = [exercises(source)[each] for each in cell_of(source, name).metadata.get("uses", [])]
    for part in (imports, *needed, *earlier, answer):
        exec(compile(part, f"<{name}>", "exec"), names)
    check = ast.parse(check_of(source, name).text)
    said = io.StringIO()
    last = check.body.pop()
    with contextlib.redirect_stdout(said):
        exec(compile(check, f"<check of {name}>", "exec"), names)
        points = eval(compile(ast.Expression(last.value), f"<check of {name}>", "eval"), names)
    return Grade(points, said.getvalue())


def check_of(source: Path, name: str):
    """The cell that checks an exercise."""
    return cell_of(source, f"{name}-check")


def cell_of(source: Path, grade_id: str):
    """The cell of an exercise with this name."""
    for cell in build.cells(source.read_text()):
        if cell.metadata.get("nbgrader", {}).get("grade_id") == grade_id:
            return cell
    raise AssertionError(f"{source.name} has no cell {grade_id}")


def most(source: Path, name: str) -> float:
    """The points that an exercise is worth."""
    return check_of(source, name).metadata["nbgrader"]["points"]


SCORED = [source for source in SOURCES if "viz.Score(" in source.read_text()]
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


@pytest.mark.course
@pytest.mark.parametrize(("source", "name"), ALL, ids=[name for _, name in ALL])
def test_the_solution_of_an_exercise_gets_all_points_and_a_word_why(source, name):
    grade = graded(source, name, exercises(source)[name])
    assert grade.points == most(source, name)
    if source in SCORED:
        assert re.search(r"^Right: [a-z0-9`(].{20,}\.\n\Z", grade.said, re.MULTILINE), grade.said


@pytest.mark.parametrize(("source", "name"), ALL, ids=[name for _, name in ALL])
def test_an_exercise_without_an_answer_gets_a_hint(source, name):
    grade = graded(source, name, build.without_solutions(exercises(source)[name]))
    assert grade.points == 0
    assert re.search(r"\w+ .*[.?]", grade.said)
    assert "Right" not in grade.said


@pytest.mark.parametrize(("source", "name"), ALL, ids=[name for _, name in ALL])
def test_a_student_s_copy_holds_no_solution(source, name):
    text = build.without_solutions(exercises(source)[name])
    assert "SOLUTION" not in text
    assert "...  # your code here" in text


# The answers to a simulation and to the clinic run for seconds.
LONG: dict[str, Any] = defaultdict(tuple, {"09": pytest.mark.slow, "11": pytest.mark.slow})
TYPICAL = [
    pytest.param(source, *wrong, id=f"{source.stem[:2]} {mistake}", marks=LONG[source.stem[:2]])
    for source in SOURCES
    for mistake, wrong in wrong_answers(source.stem[:2]).items()
]


@pytest.mark.course
@pytest.mark.parametrize(("source", "name", "answer", "hint"), TYPICAL)
@pytest.mark.filterwarnings("ignore:overflow encountered in cosh")  # one answer is wrong by that
def test_a_typical_wrong_answer_gets_the_hint_that_helps(source, name, answer, hint):
    grade = graded(source, name, answer)
    assert grade.points < most(source, name)
    assert re.search(hint, grade.said), grade.said


def test_the_check_of_a_long_training_keeps_no_tape_but_the_last():
    source = next(each for each in SOURCES if each.stem.startswith("12"))
    answer = exercises(source)["digits"]
    noted = answer.replace(
        "            for part in parts:\n",
        "            TAPES.add(tape)\n            for part in parts:\n",
        1,
    )
    noted = noted.replace(
        "    return lambda x", "    assert len(TAPES) <= 2, len(TAPES)\n    return lambda x"
    )
    assert noted.count("TAPES") == 3
    begin = "import weakref\nTAPES = weakref.WeakSet()\n"
    assert graded(source, "digits", begin + noted).points == 4


def test_a_stop_with_a_record_gets_half_of_the_points():
    source = next(each for each in SOURCES if each.stem.startswith("03"))
    _, answer, _ = wrong_answers("03")["a rule that gives zero"]
    assert graded(source, "stopped", answer).points == 1


IN_OTHER_STYLES = [
    pytest.param(source, *right, id=f"{source.stem[:2]} {style}", marks=LONG[source.stem[:2]])
    for source in SOURCES
    for style, right in right_answers(source.stem[:2]).items()
]


@pytest.mark.parametrize(("source", "name", "answer"), IN_OTHER_STYLES)
def test_a_right_answer_in_another_style_gets_all_points(source, name, answer):
    grade = graded(source, name, answer)
    assert grade.points == most(source, name), grade.said
    assert "Right:" in grade.said


def test_the_checks_of_all_lessons_give_points_by_parts():
    assert SCORED == SOURCES


@pytest.mark.parametrize("source", SCORED, ids=lambda source: source.stem)
def test_each_exercise_has_three_typical_wrong_answers(source):
    wrong = Counter(each.exercise for each in wrong_answers(source.stem[:2]).values())
    module = f"tests/tutorial_answers/lesson_{source.stem[:2]}.py"
    assert wrong.keys() == exercises(source).keys(), f"write them in {module}"
    assert min(wrong.values()) >= 3, f"three each in {module}: {wrong}"


@pytest.mark.parametrize("source", SCORED, ids=lambda source: source.stem)
def test_a_lesson_asks_for_at_least_three_predictions(source):
    asked = [c for c in build.cells(source.read_text()) if "viz.predict(" in c.text]
    assert len(asked) >= 3


@pytest.mark.parametrize("source", SCORED, ids=lambda source: source.stem)
def test_a_lesson_has_something_to_think_about_and_to_read(source):
    text = source.read_text()
    assert "**To think about.**" in text
    assert "**Read on.**" in text


def test_the_first_lesson_has_at_most_eight_players():
    assert len(re.findall(r"viz\.step\(", FIRST.read_text())) <= 8
