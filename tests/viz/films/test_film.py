"""Training as a film: which steps are kept, what they hold, and what the page shows."""

from __future__ import annotations

import re

import numpy as np
import pytest

import minitape as tf
from embedded import embedded
from minitape import viz
from minitape.viz.films.boundary import plane_of
from minitape.viz.films.page import film_data
from minitape.viz.films.shots import Choice, Glance, peaks
from minitape.viz.films.stage import draw_loss, draw_marks, panel
from minitape.viz.picture.canvas import Canvas, Squares


def descent(count: int, rate: float = 0.25, **options):
    """A film of the descent on w**2 from 4: w is 4 (1 - 2 rate)**step."""
    w = tf.Variable(4.0)
    film = viz.film([w], **options)
    for _ in range(count):
        with tf.GradientTape() as tape:
            loss = w * w
        film.note(tape, loss)
        w.assign_sub(rate * tape.gradient(loss, w))
    return film


def moons() -> tuple[np.ndarray, np.ndarray]:
    x = np.random.default_rng(0).normal(size=(20, 2)).astype(np.float32)
    return x, (x[:, 0] > 0).astype(np.float32)


def classifier(title: str, scale: float):
    """A film of a logistic regression whose first weight starts at `scale`."""
    x, y = moons()
    w = tf.Variable([[scale], [0.0]])
    film = viz.film(w, predict=lambda x: tf.sigmoid(x @ w), x=x, y=y, title=title)
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.sigmoid(x @ w)[:, 0] - y) ** 2)
        film.note(tape, loss)
        w.assign_sub(tape.gradient(loss, w))
    return film


@pytest.mark.parametrize("steps", [1, 7, 30, 200, 1000, 54_321])
def test_a_loop_of_any_length_keeps_its_beginning_and_steps_near_its_end(steps):
    choice, kept = Choice(), []
    for step in range(steps):
        if choice.wants(step):
            kept = [each for each in [*kept, step] if choice.keeps(each)]
    assert kept[: min(3, steps)] == [0, 1, 2][:steps]
    assert len(kept) <= 8 + 17
    assert steps - 1 - kept[-1] <= steps / 4


def test_steps_that_are_asked_for_are_the_ones_kept():
    assert [shot.step for shot in descent(30, steps=[0, 5, 29]).shots] == [0, 5, 29]


def test_a_shot_holds_value_gradient_and_loss_of_before_its_update():
    film = descent(4)
    assert film.losses == [16.0, 4.0, 1.0, 0.25]
    assert [shot.values[0].marks.item() for shot in film.shots[:3]] == [4.0, 2.0, 1.0]
    assert [shot.gradients[0].marks.item() for shot in film.shots[:3]] == [8.0, 4.0, 2.0]


def test_a_used_up_tape_says_that_note_comes_first_and_changes_nothing():
    w = tf.Variable(3.0)
    film = viz.film(w)
    with tf.GradientTape() as tape:
        loss = w * w
    tape.gradient(loss, w)
    with pytest.raises(RuntimeError, match=r"before tape\.gradient"):
        film.note(tape, loss)
    assert (film.losses, film.shots) == ([], [])


def test_a_loss_of_several_numbers_is_refused_with_the_corrected_line():
    w = tf.Variable([3.0, 4.0])
    film = viz.film(w)
    with tf.GradientTape() as tape:
        loss = w * w
    with pytest.raises(TypeError, match=r"shape \(2,\).*reduce_mean"):
        film.note(tape, loss)


def test_a_variable_without_a_path_is_shown_as_none():
    w, unused = tf.Variable(3.0), tf.Variable(1.0)
    film = viz.film([w, unused])
    with tf.GradientTape() as tape:
        loss = w * w
    film.note(tape, loss)
    assert film.shots[0].gradients[1] is None
    assert "None: no path to the loss" in film.svg


def test_something_else_than_variables_is_refused():
    with pytest.raises(TypeError, match="needs variables"):
        viz.film([tf.constant(1.0)])


def test_marks_of_a_large_array_are_the_largest_of_each_block_with_their_signs():
    table = np.zeros((16, 20))
    table[3, 4], table[15, 19] = -7.0, 2.0
    found = peaks(table)
    assert (found.shape, found.min(), found.max()) == ((8, 8), -7.0, 2.0)
    assert np.count_nonzero(found) == 2


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0), (2, 3, 4), (1, 1, 1, 1)])
def test_any_shape_has_marks_and_a_size(shape):
    values = np.arange(np.prod(shape), dtype=float).reshape(shape) - 1
    expected = np.sqrt(np.mean(values**2)) if values.size else 0.0
    assert Glance.of(values).size == pytest.approx(expected)


def test_area_says_how_much_and_the_form_says_the_sign():
    canvas = Canvas(100, 100, "")
    draw_marks(canvas, np.array([[4.0, -1.0, 0.0]]), (0, 0, 33, 11), "ink")
    filled, hollow, zero = (shape for shape in canvas.shapes if isinstance(shape, Squares))
    assert [len(each.places) for each in (filled, hollow, zero)] == [1, 1, 1]
    drawn = hollow.places[0][2] + hollow.style.width
    assert drawn / filled.places[0][2] == pytest.approx(0.5)
    assert (filled.style.fill, hollow.style.fill) == ("ink", "none")


def test_the_picture_of_what_a_model_says_is_the_model_s_own_answer():
    film = classifier("A", 5.0)
    plane, says = film.plane, film.shots[0].says
    inputs = np.concatenate([plane.grid, plane.inputs])
    np.testing.assert_allclose(says, 1 / (1 + np.exp(-5.0 * inputs[:, 0])), rtol=1e-4)
    assert plane.accuracy(says) == 1.0


def test_a_model_of_one_input_is_drawn_as_a_curve_through_its_points():
    x = np.linspace(0, 1, 5)
    w = tf.Variable(2.0, dtype=tf.float64)
    film = viz.film(w, predict=lambda x: w * x, x=x, y=3 * x)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((w * x - 3 * x) ** 2)
    film.note(tape, loss)
    np.testing.assert_allclose(film.shots[0].says[-5:], 2 * x)
    assert film.svg.count("<circle") >= 5


@pytest.mark.parametrize(
    ("predict", "x", "y", "match"),
    [
        (None, [1.0], [1.0], "needs all three"),
        (len, np.zeros((2, 3)), [0, 1], "one or two inputs"),
        (len, np.zeros((2, 2)), [0, 1, 1], "3 numbers"),
        (len, np.zeros((2, 2)), [0, 7], "0 or 1"),
    ],
)
def test_examples_that_cannot_be_drawn_are_refused_at_once(predict, x, y, match):
    with pytest.raises(ValueError, match=match):
        plane_of(predict, x, y)


def test_scores_in_place_of_probabilities_are_refused_with_the_correction():
    with pytest.raises(ValueError, match="sigmoid"):
        plane_of(len, *moons()).checked(np.full(5, 3.0), 5)


def test_two_runs_share_their_steps():
    data = film_data(classifier("tanh", 5.0).beside(classifier("relu", 0.1)).runs)
    assert [frame["step"] for frame in data["frames"]] == [0, 1, 2]
    assert [data["shots"][i]["name"] for i in data["frames"][0]["shots"]] == ["A tanh", "B relu"]


def test_a_run_that_kept_fewer_steps_shows_its_last_kept_one():
    data = film_data(descent(9, steps=[0, 8]).beside(descent(9, steps=[0, 4])).runs)
    said = [[data["shots"][i]["tape"]["data"]["title"] for i in f["shots"]] for f in data["frames"]]
    assert said == [["step 0", "step 0"], ["step 0", "step 4"], ["step 8", "step 4"]]


def test_the_page_works_offline_and_names_are_text(tmp_path):
    film = descent(3, title="</script><img src=x onerror=alert(1)>")
    text = film.save(tmp_path / "film.html").read_text("utf-8")
    assert "<img src=x" not in text
    assert not re.findall(r'(?:src|href)="http', text)
    assert "default-src 'none'" in text


def test_the_data_of_the_page_hold_every_kept_step(tmp_path):
    text = descent(3).save(tmp_path / "film.html").read_text("utf-8")
    frames = embedded(text)["frames"]
    assert [frame["step"] for frame in frames] == [0, 1, 2]
    assert "loss 4.0" in frames[1]["say"]


def test_a_film_without_a_step_says_what_to_write():
    film = viz.film(tf.Variable(1.0))
    assert "call note(tape, loss)" in film.words
    assert "<script" not in film.html


@pytest.mark.parametrize("ending", ["svg", "tex", "png", "pdf"])
def test_the_last_kept_step_saves_as_a_picture(tmp_path, ending):
    path = classifier("A", 1.0).save(tmp_path / f"film.{ending}")
    assert path.stat().st_size > 1000


@pytest.mark.slow
def test_the_curve_of_the_loss_begins_in_the_picture_however_steeply_it_falls():
    run = descent(200)
    axes = draw_loss(Canvas(400, 300, ""), [run], 0, 300)
    assert run.losses[0] == 16.0
    low, high = axes.y
    assert low < 0 < 16 < high < 20  # w**2 from 4, and nothing above


def test_a_loss_that_runs_away_leaves_its_beginning_to_be_seen():
    run = descent(60, rate=2.0)  # w is 4 (-3)**step
    axes = draw_loss(Canvas(400, 300, ""), [run], 0, 300)
    assert axes.y[1] < 0.5 * max(run.losses)


def test_a_short_curve_numbers_every_step():
    canvas = Canvas(400, 300, "")
    draw_loss(canvas, [descent(9)], 0, 300)
    numbers = re.findall(r">(\d+|\d+\.\d+)</text>", canvas.svg().partition("loss")[2])
    assert [n for n in numbers if n.isdigit()][-9:] == [str(step) for step in range(9)]


def test_a_long_name_is_cut_in_its_layer_not_in_its_own_name():
    names = ("normalization_of_inputs/gamma", "normalization_of_outputs/beta")
    both = [tf.Variable(1.0, name=name) for name in names]
    film = viz.film(both)
    with viz.recording(), tf.GradientTape() as tape:
        loss = both[0] * both[1]
    film.note(tape, loss)
    _, picture = panel(film, film.shots[0], (-2, 0), 470)
    assert "…/gamma" in picture.svg()
    assert "…/beta" in picture.svg()
