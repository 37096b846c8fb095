"""Pages and exams of a lecturer's own notebooks are made whole, or what was there stays."""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys

import pytest
from courses import code, contents, course, lesson

from minitape.__main__ import main
from minitape.viz.course.running import TO_RUN

pytest.importorskip("jupytext")
pytest.importorskip("nbclient")
pytest.importorskip("nbconvert")
pytest.importorskip("latex2mathml")

QUESTION = """
import minitape as tf
from minitape import viz

with viz.exam(points=2) as question:
    a = question.draw(2, 90)
    x = tf.Variable(float(a))
    with tf.GradientTape() as tape:
        y = x * x
    question.ask(f"The gradient of x · x at x = {a}?", tape.gradient(y, x))
"""
MATRIX = """
with viz.exam(points=3) as question:
    w = tf.Variable([[question.draw(0.5, 2.0, 0.25), 1.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(w * w * w)
    question.ask(f"The gradient at {w.numpy().tolist()}?", tape.gradient(y, w))
"""


@pytest.mark.slow
def test_the_course_that_new_writes_becomes_pages_at_once(tmp_path, capsys):
    mine, out = tmp_path / "mine", tmp_path / "out"
    assert main(["course", "new", str(mine)]) == 0
    before = contents(mine)
    assert main(["course", "pages", str(mine), str(out)]) == 0
    assert contents(mine) == before
    made = set(contents(out))
    assert {"index.html", "01_a_slope.html", "01_a_slope.slides.html", "throws.csv"} <= made
    assert "03_at_home.html" in made and "03_at_home.slides.html" not in made
    index = (out / "index.html").read_text("utf-8")
    assert "Slopes, step by step" in index
    assert index.index("A training") < index.index("At home")
    page = (out / "01_a_slope.html").read_text("utf-8")
    assert "minitape-player" in page
    assert "x * x * x" not in re.sub("<[^>]*>", "", page)  # the solution
    assert "your code here" in page
    assert main(["course", "pages", str(mine), str(out)]) == 0  # again, over what it made


@pytest.mark.slow
def test_one_of_our_lessons_in_a_course_is_run_where_its_data_are(tmp_path):
    import nbformat

    text, cell = nbformat.v4.new_markdown_cell("# Ours"), "print(open('data/number.txt').read())"
    cells = [text, nbformat.v4.new_code_cell(cell)]
    book = nbformat.v4.new_notebook(cells=cells, metadata={TO_RUN: True})
    mine, out = tmp_path / "mine", tmp_path / "out"
    (mine / "data").mkdir(parents=True)
    (mine / "data" / "number.txt").write_text("4711")
    nbformat.write(book, mine / "ours.ipynb")
    assert main(["course", "pages", str(mine), str(out)]) == 0
    assert "4711" in (out / "ours.html").read_text("utf-8")


@pytest.mark.slow
def test_a_cell_that_raises_is_named_and_what_was_made_before_stays(tmp_path, capsys):
    mine = course(tmp_path / "mine", a=lesson(code("x = 1")), b=lesson(code("1 / 0"), "text"))
    out = tmp_path / "out"
    good = course(tmp_path / "good", a=lesson(code("print(1)")))
    assert main(["course", "pages", str(good), str(out)]) == 0
    before = contents(out)
    assert main(["course", "pages", str(mine), str(out)]) == 2
    assert re.search(r"b\.md, cell 2: ZeroDivisionError: division by zero", capsys.readouterr().err)
    assert contents(out) == before


@pytest.mark.parametrize("command", ["pages", "exam"])
def test_what_was_not_made_by_these_commands_is_never_replaced(tmp_path, capsys, command):
    mine = course(tmp_path / "mine", a=lesson(code(QUESTION)))
    other = tmp_path / "thesis"
    other.mkdir()
    (other / "thesis.txt").write_text("years of work")
    for out in (other, mine, tmp_path, mine / "course.md"):
        (mine / "course.md").write_text("a file")
        assert main(["course", command, str(mine), str(out)]) == 2
    assert contents(other) == {"thesis.txt": b"years of work"}
    said = capsys.readouterr().err
    assert "was not made by `minitape course`" in said and "holds the course itself" in said


def test_what_a_notebook_writes_stays_out_of_the_course(tmp_path):
    write = code("open('made.txt', 'w').write('x')\n" + QUESTION)
    mine = course(tmp_path / "mine", a=lesson(write))
    before = contents(mine)
    assert main(["course", "exam", str(mine), str(tmp_path / "out")]) == 0
    assert contents(mine) == before


def exam_of(tmp_path, name, *more):
    mine = course(tmp_path / "mine", a=lesson(code(QUESTION), code(MATRIX)))
    assert main(["course", "exam", str(mine), str(tmp_path / name), *more]) == 0
    return tmp_path / name


@pytest.mark.slow
def test_the_same_seed_draws_the_same_exam_and_another_seed_another(tmp_path):
    first = exam_of(tmp_path, "first", "--variants", "4", "--seed", "7")
    second = exam_of(tmp_path, "second", "--variants", "4", "--seed", "7")
    third = exam_of(tmp_path, "third", "--variants", "4", "--seed", "8")
    assert contents(first) == contents(second) != contents(third)
    sheets = [path.read_text("utf-8") for path in sorted((first / "students").iterdir())]
    asked = {re.search(r"at x = (\d+)", sheet)[1] for sheet in sheets}
    assert len(sheets) == 4 and len(asked) >= 3


def test_the_key_has_the_right_gradients_and_learners_get_none_of_them(tmp_path):
    out = exam_of(tmp_path, "out", "--variants", "3")
    key = list(csv.DictReader(io.StringIO((out / "lecturer" / "key.csv").read_text("utf-8"))))
    assert len(key) == 6
    for row in key:
        sheet = (out / "students" / f"{row['variant']}.html").read_text("utf-8")
        words = re.sub("<[^>]*>", " ", sheet.split("</style>")[1])
        if row["question"] == "1":
            x = float(re.search(r"at x = (\d+)", words)[1])
            assert float(row["answer"]) == 2 * x
            assert f"{2 * x:g}" not in re.findall(r"\d+", words.replace(f"x = {x:g}", ""))
        else:
            first = float(re.search(r"\[\[([\d.]+), 1.0\]\]", words)[1])
            assert list(map(float, row["answer"].split())) == pytest.approx([3 * first**2, 3.0])
    made = set(contents(out / "students"))
    assert made == {"1.html", "2.html", "3.html"}


def test_the_marking_script_gives_points_for_right_answers_alone(tmp_path):
    out = exam_of(tmp_path, "out", "--variants", "2")
    key = list(csv.DictReader(io.StringIO((out / "lecturer" / "key.csv").read_text("utf-8"))))
    answers = tmp_path / "answers.csv"
    rows = ["student,variant,question,answer"]
    for row in key:
        if row["variant"] == "1":
            rows.append(f"ada,1,{row['question']},{row['answer']}")
            rows.append(f"bob,1,{row['question']},1e9")
        elif row["question"] == "2":
            rows.append(f"cy,2,2,[{row['answer']}]")
    rows.append("dee,9,1,3")
    answers.write_text("\n".join(rows), "utf-8")
    done = subprocess.run(
        [sys.executable, out / "lecturer" / "mark.py", answers], capture_output=True, text=True
    )
    assert done.stdout.split() == ["student,points", "ada,5", "bob,0", "cy,3", "dee,0"]
    assert "not in the key: dee: variant 9, question 1" in done.stderr


GLOBAL = """
import random
import numpy as np
with viz.exam(points=1) as question:
    size = tf.Variable([-random.uniform(1, 9), np.random.uniform(1, 9)])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(size * size)
    question.ask(f"The gradient at {size.numpy().tolist()}?", tape.gradient(y, size))
"""


@pytest.mark.slow
def test_thirty_variants_give_nobody_an_answer_and_are_marked_however_numbers_are_written(tmp_path):
    """What a program takes from global generators follows the seed, too."""
    mine = course(tmp_path / "mine", a=lesson(code(QUESTION), code(MATRIX), code(GLOBAL)))
    make = ["course", "exam", str(mine)]
    assert main([*make, str(tmp_path / "out"), "--variants", "30", "--seed", "1"]) == 0
    assert main([*make, str(tmp_path / "again"), "--variants", "30", "--seed", "1"]) == 0
    out = tmp_path / "out"
    assert contents(out) == contents(tmp_path / "again")
    key = list(csv.DictReader(io.StringIO((out / "lecturer" / "key.csv").read_text("utf-8"))))
    assert len(key) == 90 and len({row["answer"] for row in key if row["question"] == "3"}) == 30
    for row in key:
        sheet = (out / "students" / f"{row['variant']}.html").read_text("utf-8")
        assert row["answer"].split()[0] not in re.sub("<style>.*?</style>", "", sheet, flags=re.S)
    ways = {
        "spaces": lambda numbers: " ".join(numbers),
        "list": lambda numbers: f"[{','.join(numbers)}]",
        "comma": lambda numbers: " ".join(numbers).replace(".", ","),
        "semicolon": lambda numbers: "; ".join(numbers),
        "minus": lambda numbers: " ".join(numbers).replace("-", "\N{MINUS SIGN}"),
        "sign": lambda numbers: " ".join(str(-float(each)) for each in numbers),
        "fewer": lambda numbers: " ".join(numbers[1:]),
        "twice": lambda numbers: " ".join(str(2 * float(each)) for each in numbers),
        "words": lambda numbers: "I do not know",
    }
    answers = io.StringIO()
    rows = csv.writer(answers, delimiter=";")  # as a German spreadsheet writes it: 01 became 1
    rows.writerow(["student", "variant", "question", "answer"])
    for way, write in ways.items():
        for row in key:
            numbers = [f"{float(each):.4g}" for each in row["answer"].split()]
            rows.writerow([f"{way} {row['variant']}", int(row["variant"]), row["question"],
                           write(numbers)])  # fmt: skip
    (tmp_path / "answers.csv").write_text(answers.getvalue(), "utf-8")
    done = subprocess.run(
        [sys.executable, out / "lecturer" / "mark.py", tmp_path / "answers.csv"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    points: dict[str, set[str]] = {}
    for row in csv.DictReader(io.StringIO(done.stdout)):
        points.setdefault(row["student"].split()[0], set()).add(row["points"])
    full = dict.fromkeys(["spaces", "list", "comma", "semicolon", "minus"], {"6"})
    assert points == full | dict.fromkeys(["sign", "fewer", "twice", "words"], {"0"})


def test_the_marking_script_names_what_it_misses(tmp_path):
    out = exam_of(tmp_path, "out")
    (tmp_path / "answers.csv").write_text("name,variant,question,answer\nada,1,1,2\n")
    for given, words in (
        ([], "which answers?"),
        ([tmp_path / "answers.csv"], "no column 'student'"),
    ):
        done = subprocess.run(
            [sys.executable, out / "lecturer" / "mark.py", *given], capture_output=True, text=True
        )
        assert done.returncode == 1 and words in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (QUESTION.replace("y = x * x", "y = tf.constant(x.numpy()) * 2.0"),
         "cell 2: ValueError: question.ask"),
        (QUESTION.replace("question.ask(", "print("), "this question asks nothing"),
        (QUESTION.replace("draw(2, 90)", "draw(9, 2)"), "there is no number between them"),
        ("x = 1", "has a question: write `with viz.exam"),
    ],
)  # fmt: skip
def test_an_exam_that_cannot_be_drawn_says_why_and_makes_nothing(tmp_path, capsys, source, words):
    mine = course(tmp_path / "mine", a=lesson(code(source)))
    assert main(["course", "exam", str(mine), str(tmp_path / "out")]) == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_new_writes_into_an_empty_folder_alone(tmp_path, capsys):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("x")
    assert main(["course", "new", str(tmp_path / "full")]) == 2
    assert contents(tmp_path / "full") == {"x": b"x"}
    assert "is not empty; choose another folder" in capsys.readouterr().err


@pytest.mark.slow
def test_pages_hold_pictures_quizzes_and_links_and_no_answer_of_an_exam(tmp_path, visit):
    quiz = "with tf.GradientTape() as tape:\n    y = x * x\nviz.quiz(tape, y, x)"
    first = lesson("![a dot](my%20pictures/dot.svg)", "[on](second.md#part-b)", code(QUESTION),
                   code(quiz))  # fmt: skip
    mine = course(tmp_path / "mine", first=first, second=lesson("## Part B"))
    (mine / "my pictures").mkdir()
    wide = '<svg xmlns="http://www.w3.org/2000/svg" width="1500" height="9"><rect width="9"/></svg>'
    (mine / "my pictures" / "dot.svg").write_text(wide)
    assert main(["course", "pages", str(mine), str(tmp_path / "out")]) == 0
    page = visit.page
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto((tmp_path / "out" / "first.html").as_uri())
    assert page.locator("img[alt='a dot']").evaluate("each => each.naturalWidth") == 1500
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    x = int(re.search(r"at x = (\d+)\?", page.locator("main").inner_text())[1])
    assert "Answer:" not in page.locator("main").inner_text()
    page.locator(".minitape-quiz input").fill(f"{x}")  # to the one x, the other
    page.get_by_role("button", name="Check").click()
    page.locator(".said").get_by_text("Right").wait_for()
    page.get_by_role("link", name="on", exact=True).click()
    assert page.locator("h2:target").inner_text() == "Part B"
    slides = (tmp_path / "out" / "first.slides.html").read_text("utf-8")
    assert 'href="second.html#Part-B"' in slides and "my%20pictures" not in slides
    assert visit.errors == [] and visit.outside == []
