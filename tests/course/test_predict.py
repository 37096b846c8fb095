"""A question before its answer: in a running notebook, in one that is not trusted, on a page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import minitape as tf
from browser import expect
from minitape import viz

nbformat = pytest.importorskip("nbformat", reason="no notebook test: install the extra notebook")
nbclient = pytest.importorskip("nbclient", reason="no notebook test: install the extra test")
from nbformat.v4 import new_code_cell, new_notebook  # noqa: E402

ROOT = Path(__file__).parents[2]
BEGIN = (
    f"import sys\nsys.path[:0] = [{str(ROOT)!r}]\nimport minitape as tf\nfrom minitape import viz\n"
)
ASKED = BEGIN + (
    "x = tf.Variable(3.0)\n"
    "with viz.recording(), tf.GradientTape(persistent=True) as tape:\n    y = x * x\n"
    "with viz.predict('What is the slope of `x * x` at 3 & why < 9?', 'Two paths, 3 each.') as p:\n"
    "    print('slope', float(tape.gradient(y, x)))\n"
    "    p.show(viz.step(tape, y, x))\n"
)


@pytest.fixture(scope="module")
def book():
    """A notebook with one prediction, executed."""
    made = new_notebook(cells=[new_code_cell(ASKED)])
    made.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
    nbclient.NotebookClient(made, timeout=60, kernel_name="python3").execute()
    return made


@pytest.fixture
def page_of(book, tmp_path):
    """The notebook as a page of its own, made by nbconvert."""
    nbconvert = pytest.importorskip("nbconvert", reason="needs nbconvert (extra notebook)")
    path = tmp_path / "page.html"
    path.write_text(nbconvert.HTMLExporter().from_notebook_node(book)[0], "utf-8")
    return path


def test_outside_of_a_notebook_question_output_and_answer_come_in_this_order(capsys):
    with viz.predict("What is 1 + 1?", "Two.") as asked:
        print(1 + 1)
        asked.show("a thing")
    assert capsys.readouterr().out == "Predict: What is 1 + 1?\n2\n'a thing'\nTwo.\n"


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("*Why* is it 6?", "<em>Why</em> is it 6?"),
        ("Not *the same thing*, is it?", "Not <em>the same thing</em>, is it?"),
        ("2 * x * y and x*y*z and x**2*y**2", "2 * x * y and x*y*z and x**2*y**2"),
        ("f(*a) and g(*b), `h(*c, *d)`", "f(*a) and g(*b), <code>h(*c, *d)</code>"),
        ("`*no*` but *`yes`* in 3", "<code>*no*</code> but *<code>yes</code>* in 3"),
        ("*<b>x</b>*", "<em>&lt;b&gt;x&lt;/b&gt;</em>"),
    ],
)
def test_words_between_stars_are_emphasised_and_products_and_markup_stay_text(text, html):
    asked = viz.predict(text, text).html
    assert f"<strong>Predict.</strong> {html}</p>" in asked
    assert f'<p class="minitape-answer">{html}</p>' in asked


def test_all_that_a_block_shows_is_in_one_output_and_folded(book):
    (output,) = book.cells[0].outputs
    made = output.data["text/html"]
    question, fold = made.split("<details>", 1)
    assert "<code>x * x</code> at 3 &amp; why &lt; 9?" in question
    assert "<input" in question
    assert "slope 6.0" not in question
    for part in ("slope 6.0", "minitape-player", "Two paths, 3 each."):
        assert part in fold
    assert output.data["text/plain"].splitlines()[1] == "slope 6.0"


def test_an_error_in_the_block_is_raised_after_what_was_shown_before_it(capsys):
    with pytest.raises(ZeroDivisionError), viz.predict("What is 1 / 0?"):
        print(1 / 0)


def test_a_picture_has_the_text_that_was_given():
    from minitape.viz.quizzes.prediction import Prediction

    asked = Prediction("Up or down?", alt='A "line" that falls.')
    asked._shown = [{"image/png": "iVBORw0KGgo=", "text/plain": "<Figure>"}]
    assert 'alt="A &quot;line&quot; that falls."' in asked.html


@pytest.mark.slow
def test_on_a_page_the_fold_is_opened_with_the_keys_and_its_player_works(page_of, visit):
    visit.page.goto(page_of.as_uri())
    fold = visit.page.locator(".minitape-predict details")
    field = visit.page.get_by_label("Your answer")
    answer = visit.page.get_by_text("Two paths, 3 each.", exact=True)
    assert not answer.is_visible()
    field.fill("6")
    visit.page.keyboard.press("Tab")
    visit.page.keyboard.press("Enter")
    expect(answer).to_be_visible()
    player = fold.locator(".player")
    expect(fold.locator(".minitape-player")).to_have_attribute("data-ready", "yes")
    player.focus()
    before = fold.locator(".counter").text_content()
    player.press("ArrowRight")
    expect(fold.locator(".counter")).not_to_have_text(before)
    widths = fold.locator(".player svg").evaluate_all("all => all.map(e => e.clientWidth)")
    assert max(widths) > 100  # drawn as well as one that was never folded
    visit.errors.clear()  # nbconvert's page asks for its scripts
    visit.outside.clear()


@pytest.mark.slow
def test_the_fold_is_closed_in_a_notebook_that_is_not_trusted(book, jupyter, visit, tmp_path):
    nbformat.write(book, tmp_path / "lesson.ipynb")
    server = jupyter(tmp_path, "lab", kernels=False)
    server.open(visit.page, "lesson.ipynb")
    answer = visit.page.get_by_text("Two paths, 3 each.", exact=True)
    expect(visit.page.locator(".jp-OutputArea details")).to_have_count(2)  # and the table of steps
    assert not answer.is_visible()
    visit.page.get_by_text("Show what happens").click()
    expect(answer).to_be_visible()


@pytest.mark.slow
def test_in_a_running_notebook_one_writes_an_answer_and_then_opens_the_fold(
    jupyter, visit, tmp_path
):
    made = new_notebook(cells=[new_code_cell(ASKED)])
    made.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(made, tmp_path / "lesson.ipynb")
    server = jupyter(tmp_path, "lab")
    server.open(visit.page, "lesson.ipynb")
    server.run_all(visit.page)
    field = visit.page.get_by_label("Your answer")
    field.click()
    visit.page.keyboard.type("six, dd")  # `dd` deletes a cell where the notebook takes the keys
    assert field.input_value() == "six, dd"
    answer = visit.page.get_by_text("Two paths, 3 each.", exact=True)
    assert not answer.is_visible()
    visit.page.keyboard.press("Tab")
    visit.page.keyboard.press("Enter")
    expect(answer).to_be_visible()
    expect(visit.page.locator(".minitape-player")).to_have_attribute("data-ready", "yes")


def test_a_score_adds_the_parts_that_are_right_and_gives_the_points_last(capsys):
    score = viz.Score(3)
    assert score.part(1, True, "never said")
    assert not score.part(2, False, "the sign?")
    assert score.total("since it is so") == 1
    assert capsys.readouterr().out == "the sign?\n1 of 3 points.\n"


def test_a_score_without_a_fault_says_right_and_why(capsys):
    score = viz.Score(1)
    score.part(0.5, True, "a")
    score.part(0.5, True, "b")
    assert score.total("two paths meet.") == 1
    assert capsys.readouterr().out == "Right: two paths meet.\n"


def test_a_part_without_a_hint_loses_its_points_and_prints_no_line(capsys):
    score = viz.Score(3)
    score.part(1, True, "never said")
    score.part(1, False, "the sign?")
    score.part(1, False, "")
    assert score.total("since it is so") == 1
    assert capsys.readouterr().out == "the sign?\n1 of 3 points.\n"


def test_an_answer_whose_only_wrong_part_has_no_hint_is_not_called_right(capsys):
    score = viz.Score(2)
    score.part(1, True, "never said")
    score.part(1, False, "")
    assert score.total("since it is so") == 1
    assert capsys.readouterr().out == "1 of 2 points.\n"


def test_the_points_of_parts_that_are_no_binary_fractions_add_up_to_a_short_number():
    score = viz.Score(3)
    assert [score.part(0.6, right, "again") for right in (True, True, True, False)].count(True) == 3
    assert repr(score.earned) == "1.8"


def test_an_answer_that_uses_a_missing_gradient_is_asked_for_it(capsys):
    names = {"tf": tf, "viz": viz}
    answer = """
def slope(x):
    with tf.GradientTape() as tape:
        y = x**2
    return 2.0 * tape.gradient(y, x)
"""
    exec(compile(answer, "<an answer>", "exec"), names)
    check = "with viz.Score(1) as score:\n    score.part(1, slope(tf.constant(3.0)) == 12.0, '')"
    exec(compile(check, "<a check>", "exec"), names)
    assert "NoneType'. Is a gradient None? A tape follows variables" in capsys.readouterr().out
    exec(compile("def slope(x):\n    return 2.0 * None", "<an answer>", "exec"), names)
    exec(compile(check, "<a check>", "exec"), names)
    assert "Is a gradient None" not in capsys.readouterr().out


def test_parts_that_are_worth_more_than_the_exercise_are_refused():
    score = viz.Score(1)
    score.part(1, True, "a")
    with pytest.raises(ValueError, match=re.escape("write Score(2)")):
        score.part(1, True, "b")


def test_an_answer_may_be_a_number():
    assert repr(viz.predict("What is the slope?", 6.0)) == "Predict: What is the slope?\n6.0"
