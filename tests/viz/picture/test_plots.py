"""`viz.curve`, `viz.surface` and `viz.flow`: numbers against closed forms, and pages that move."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest
from test_notebook_output import Sanitizer

import minitape as tf
from browser import expect
from minitape import viz
from minitape.viz.picture.axes import Axes, room_for, ticks
from minitape.viz.picture.canvas import Canvas, Path, Style
from minitape.viz.plots.surface import joined, pieces

if TYPE_CHECKING:
    from playwright.sync_api import Page

HOSTILE = "</script><img src=x onerror=alert(1)>"


# Curves


def test_a_curve_and_its_derivatives_are_those_of_calculus():
    plot = viz.curve(tf.sin, (-3.0, 3.0), orders=4)
    x = plot.x
    expected = [np.sin(x), np.cos(x), -np.sin(x), -np.cos(x), np.sin(x)]
    for drawn, known in zip(plot.y, expected, strict=True):
        np.testing.assert_allclose(drawn, known, atol=1e-12)


def test_a_function_with_a_branch_is_called_point_by_point():
    def ramp(x):
        if x > 0:
            return x * x
        return -x

    plot = viz.curve(ramp, np.array([-2.0, -1.0, 1.0, 3.0]))
    assert plot.y[0].tolist() == [2.0, 1.0, 1.0, 9.0]
    assert plot.y[1].tolist() == [-1.0, -1.0, 2.0, 6.0]


def test_a_function_that_mixes_its_points_is_called_point_by_point():
    plot = viz.curve(lambda x: x * tf.reduce_sum(x), np.array([1.0, 2.0, 3.0]))
    assert plot.y[0].tolist() == [1.0, 4.0, 9.0]
    assert plot.y[1].tolist() == [2.0, 4.0, 6.0]


def test_no_gradient_is_said_and_no_line_is_invented():
    plot = viz.curve(tf.floor, (0.0, 3.0))
    assert plot.y[1] is None
    assert "f′(x) cannot be drawn: the gradient is None" in plot.words


def test_gaps_are_counted():
    assert "not a finite number" in viz.curve(tf.math.log, (-1.0, 3.0)).words


def test_a_pole_leaves_no_line_across_the_picture():
    plot = viz.curve(lambda x: 1 / x, (-2.0, 2.0))
    axes = plot._panels(Canvas(1, 1, ""))[0]
    height = axes.box[3]
    for piece in axes.pieces(plot.x, plot.y[0]):
        steps = np.abs(np.diff([y for _, y in piece]))
        assert steps.max(initial=0) < 0.7 * height
        assert min(y for _, y in piece) >= axes.box[1] - 1e-6


@pytest.mark.parametrize("x", [(1.0, 1.0), (2.0, 1.0), (0.0, float("nan"))])
def test_an_empty_range_is_refused(x):
    with pytest.raises(ValueError, match=r"x=\(-2\.0, 2\.0\)"):
        viz.curve(tf.sin, x)


@pytest.mark.parametrize("x", [3.0, "ab", [1.0, 2.0, 2.0], np.zeros((3, 3))])
def test_something_that_is_no_range_is_refused(x):
    with pytest.raises(TypeError, match="range such as"):
        viz.curve(tf.sin, x)


@pytest.mark.parametrize("orders", [-1, 5, 1.5])
def test_too_many_orders_are_refused(orders):
    with pytest.raises(ValueError, match="from 0"):
        viz.curve(tf.sin, (0.0, 1.0), orders=orders)


def test_a_vector_for_one_number_is_refused():
    with pytest.raises(TypeError, match="one real number for each x"):
        viz.curve(lambda x: tf.stack([x, x]), (0.0, 1.0))


def test_an_error_of_the_learners_function_is_the_learners():
    def broken(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        viz.curve(broken, (0.0, 1.0))


def test_dragging_moves_the_tangent_and_says_its_slope(page: Page, tmp_path):
    plot = viz.curve(lambda x: x * x, (-2.0, 2.0), at=0.0, title=HOSTILE)
    page.goto(plot.save(tmp_path / "c.html").as_uri())
    said = page.locator(".said")
    expect(said).to_contain_text("f′(x) = 0.0. The tangent is level.")
    before = page.locator("[data-name=tangent]").get_attribute("d")
    page.locator("input").focus()
    page.keyboard.press("End")
    expect(said).to_contain_text("x = 2.0: f(x) = 4.0, f′(x) = 4.0")
    assert page.locator("[data-name=tangent]").get_attribute("d") != before
    box = page.locator(".picture svg").bounding_box()
    page.mouse.click(box["x"] + box["width"] * (74 + 160) / 740, box["y"] + 100)
    expect(said).to_contain_text("x = −1.0: f(x) = 1.0, f′(x) = −2.0. The tangent goes down by 2.0")
    assert page.locator("img[src='x']").count() == 0


@pytest.mark.parametrize(("width", "height", "least"), [(1400, 900, 900), (390, 844, 340)])
def test_a_saved_plot_is_as_large_as_the_window_shows_whole(
    page: Page, tmp_path, width, height, least
):
    page.set_viewport_size({"width": width, "height": height})
    page.goto(viz.curve(tf.sin, (-3.0, 3.0)).save(tmp_path / "c.html").as_uri())
    box = page.locator(".picture svg").bounding_box()
    assert box["width"] >= least
    said = page.locator(".said").bounding_box()
    assert said["y"] + said["height"] <= height
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width


def test_two_plots_on_a_page_do_not_disturb_each_other(page: Page, tmp_path):
    one, two = (viz.curve(f, (-1.0, 1.0)).html for f in (tf.sin, tf.exp))
    (tmp_path / "two.html").write_text(f"<!doctype html><meta charset=utf-8>{one}{two}")
    page.goto((tmp_path / "two.html").as_uri())
    expect(page.locator(".minitape-exhibit[data-ready=yes]")).to_have_count(2)
    first, second = page.locator(".said").nth(0), page.locator(".said").nth(1)
    stays = second.inner_text()
    page.locator("input").first.focus()
    page.keyboard.press("Home")
    expect(first).to_contain_text("x = −1.0")
    assert second.inner_text() == stays


def test_an_untrusted_notebook_keeps_picture_and_words():
    cleaner = Sanitizer()
    cleaner.feed(viz.curve(tf.sin, (-1.0, 1.0), at=0.0).html)
    left = "".join(cleaner.out)
    assert '<img src="data:image/svg+xml' in left and "x = 0.0: f(x) = 0.0" in left


# Surfaces


def bowl(x, y):
    return x * x + 3.0 * y * y


def test_a_surface_is_named_after_the_arguments_of_its_function():
    plot = viz.surface(lambda vx, vy: vx * vy, (1.0, 2.0), (1.0, 2.0), start=(1.5, 1.5), steps=1)
    assert plot.title.startswith("f(vx, vy) and its gradient")
    assert plot.table().heads[1:3] == ("vx", "vy")
    assert ">vx</text>" in plot.svg and ">vy</text>" in plot.svg
    several = viz.surface(lambda *both: both[0] * both[1], (1.0, 2.0), (1.0, 2.0))
    assert several.title == "f(x, y) and its gradient"


def test_a_surface_and_its_gradients_are_those_of_calculus():
    plot = viz.surface(bowl, (-1.0, 2.0), (-3.0, 1.0))
    x, y = np.meshgrid(plot.x, plot.y)
    np.testing.assert_allclose(plot.values, x**2 + 3 * y**2)
    np.testing.assert_allclose(plot.gradients[0], 2 * x)
    np.testing.assert_allclose(plot.gradients[1], 6 * y)


def test_descent_is_the_recursion_of_the_textbook():
    plot = viz.surface(bowl, (-2, 2), (-2, 2), start=(1.0, 1.0), learning_rate=0.1, steps=5)
    np.testing.assert_allclose([s.x for s in plot.path], 0.8 ** np.arange(6))
    np.testing.assert_allclose([s.y for s in plot.path], 0.4 ** np.arange(6), atol=1e-12)


@pytest.mark.parametrize(
    ("rate", "steps", "word"),
    [(0.1, 60, "arrives"), (0.4, 30, "diverges"), (0.01, 5, "still on its way")],
)
def test_what_a_descent_does_is_said(rate, steps, word):
    plot = viz.surface(bowl, (-2, 2), (-2, 2), start=(1.0, 1.0), learning_rate=rate, steps=steps)
    assert f"The descent {word}" in plot.words or f"The descent is {word}" in plot.words


def test_where_a_descent_arrives_a_cross_is_drawn():
    def lines(steps: int) -> int:
        how = {"start": (1.0, 1.0), "learning_rate": 0.1, "steps": steps}
        parts = viz.surface(bowl, (-2, 2), (-2, 2), **how).canvas().shapes
        return sum(isinstance(each, Path) and each.style.width == 3 for each in parts)

    assert (lines(60), lines(5)) == (2, 0)


def test_the_lowest_colour_of_a_surface_has_its_number():
    plot = viz.surface(lambda x, y: 1000 * (x * x + y * y) + 0.1234, (-1, 1), (-1, 1))
    assert ">0.1234</text>" in plot.svg


def test_a_swinging_descent_is_recognised():
    plot = viz.surface(bowl, (-2, 2), (-2, 2), start=(0.1, 1.0), learning_rate=0.32, steps=20)
    assert "swings" in plot.words


def test_a_surface_with_a_branch_and_holes_is_drawn():
    def f(x, y):
        return tf.math.log(x) if x > y else y

    plot = viz.surface(f, (-1.0, 1.0), (-1.0, 1.0))
    assert "not finite" in plot.words
    assert "<svg" in plot.svg


@pytest.mark.parametrize("given", [{"learning_rate": 0.0}, {"steps": 0}, {"steps": 2.5}])
def test_wrong_numbers_for_a_descent_are_refused(given):
    with pytest.raises(ValueError, match="learning rate|steps"):
        viz.surface(bowl, (-1, 1), (-1, 1), start=(0.0, 0.0), **given)


def test_a_start_that_is_no_pair_is_refused():
    with pytest.raises(TypeError, match=r"such as \(1\.0, -2\.0\)"):
        viz.surface(bowl, (-1, 1), (-1, 1), start=3.0)


def test_the_slider_goes_down_the_path(page: Page, tmp_path):
    plot = viz.surface(bowl, (-2, 2), (-2, 2), start=(1.0, 1.0), learning_rate=0.1, steps=3)
    page.goto(plot.save(tmp_path / "s.html").as_uri())
    page.locator("input").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".said")).to_contain_text("Step 1: at (0.8, 0.4000) f = 1.120")


def test_contours_of_a_circle_are_at_its_radius():
    x = np.linspace(-2, 2, 81)
    z = x[None] ** 2 + x[:, None] ** 2
    lines = joined(pieces(x, x, z, 1.0))
    assert len(lines) == 1 and lines[0][0] == lines[0][-1]
    np.testing.assert_allclose([np.hypot(*p) for p in lines[0]], 1.0, atol=1e-3)


# Flow


def test_a_run_that_leaps_and_then_is_exactly_zero_is_not_called_healthy():
    recorder = viz.flow({"w": [1.0, 30.0, 1e5, 0.0, 0.0, 0.0]})
    assert "Healthy" not in recorder.words
    assert "zero from step 3 to the end" in recorder.words
    assert "Exploding, then dead" in recorder.words and "at step 2" in recorder.words


def test_one_layer_that_dies_is_named():
    recorder = viz.flow({"a": [1.0, 2.0, 0.0, 0.0, 0.0], "b": [1.0, 1.0, 1.0, 1.0, 1.0]})
    assert "`a` is exactly zero from step 2" in recorder.words
    assert "`b`" not in recorder.words


def test_a_row_that_a_batch_leaves_out_now_and_then_is_healthy():
    recorder = viz.flow({"row": [1.0, 0.0, 0.0, 2.0, 0.0, 0.0], "b": [1.0] * 6})
    assert recorder.words.startswith("Healthy over 6 steps")


def test_norms_are_the_lengths_of_the_gradients():
    recorder = viz.flow([tf.Variable([1.0, 2.0]), tf.Variable(1.0)])
    recorder.note([np.array([3.0, -4.0]), None])
    recorder.note([tf.constant([[0.0, 5.0], [12.0, 0.0]]), tf.constant(-2.0)])
    assert recorder.norms == [[5.0, None], [13.0, 2.0]]


def test_huge_gradients_do_not_overflow():
    recorder = viz.flow({"w": []})
    recorder.note([np.array([3e200, 4e200])])
    assert recorder.norms == [[pytest.approx(5e200)]]


def test_sparse_gradients_have_a_length_too():
    table = tf.Variable(np.zeros((4, 2)))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.gather(table, [1, 1]))
    recorder = viz.flow([table])
    recorder.note([tape.gradient(loss, table)])
    assert recorder.norms == [[pytest.approx(np.sqrt(8.0))]]


@pytest.mark.parametrize(
    ("history", "words"),
    [
        ({"first": [1e-6] * 3, "last": [1.0] * 3}, "Vanishing towards the first layers"),
        ({"first": [1e6] * 3, "last": [1.0] * 3}, "Exploding towards the first layers"),
        ({"w": [1.0, 1e2, 1e5]}, "Exploding over time"),
        ({"w": [1e5, 1e2, 1.0]}, "Fading over time"),
        ({"w": [1.0, float("nan"), 1.0]}, "not finite at 1 of 3 steps, first at step 1"),
        ({"w": [None, None]}, "never gets a gradient"),
        ({"w": [0.0, 0.0]}, "always zero"),
        ({"a": [1.0, 0.5], "b": [2.0, 1.0]}, "Healthy over 2 steps"),
        ({"a": []}, "No step is noted yet"),
    ],
)
def test_what_gradients_do_is_said(history, words):
    plot = viz.flow(history)
    assert words in plot.words
    assert "<svg" in plot.svg and "<img" in plot.html


def test_variables_are_called_what_the_learner_calls_them():
    weight, layers = tf.Variable(1.0), [tf.Variable(2.0)]
    assert viz.flow([weight, *layers]).names == ["weight", "layers[0]"]


def test_gradients_that_do_not_fit_the_variables_are_refused():
    with pytest.raises(ValueError, match="2 gradients for 1 variables"):
        viz.flow([tf.Variable(1.0)]).note([1.0, 2.0])


@pytest.mark.parametrize("given", [[], [3.0], ["w"]])
def test_what_is_no_variable_is_refused(given):
    with pytest.raises(TypeError, match="model.trainable_variables"):
        viz.flow(given)


def test_a_history_of_unequal_lengths_is_refused():
    with pytest.raises(ValueError, match="one per step"):
        viz.flow({"a": [1.0], "b": [1.0, 2.0]})


@pytest.mark.slow
def test_a_long_history_of_many_variables_stays_small():
    history = {f"w{i}{HOSTILE}": np.full(3_000, 10.0**-i) for i in range(40)}
    page = viz.flow(history).html
    assert len(page) < 4_000_000
    assert "<img src=x" not in page


# What they share


def test_ticks_are_round_and_inside():
    assert ticks(-0.31, 0.29) == [-0.3, -0.2, -0.1, 0.0, 0.1, 0.2]
    assert ticks(1e6, 5e6, 4) == [1e6, 2e6, 3e6, 4e6, 5e6]


def test_a_line_is_cut_exactly_at_the_box():
    axes = Axes(Canvas(10, 10, ""), (0, 0, 10, 10), (0.0, 1.0), (0.0, 1.0))
    assert axes.cut((-1.0, 0.5), (2.0, 0.5)) == ((0.0, 5.0), (10.0, 5.0))
    assert axes.cut((2.0, 2.0), (3.0, 3.0)) is None


def test_room_is_made_for_poles_and_constants():
    x = np.linspace(-1, 1, 401)
    x = x[x != 0]
    low, high = room_for(1 / x)
    assert -60 < low < -1 and 1 < high < 60
    assert room_for([3.0])[0] < 3.0 < room_for([3.0])[1]


def test_hostile_text_is_text_in_svg():
    sheet = Canvas(10, 10, HOSTILE)
    sheet.text(0, 0, HOSTILE + "\x00\u202e")
    sheet.box(0, 0, 1, 1, Style(), HOSTILE)
    assert "<img" not in sheet.svg() and "\x00" not in sheet.svg()


def test_without_matplotlib_html_and_svg_work_and_png_says_what_is_missing(tmp_path):
    program = (
        "import sys\nsys.modules['matplotlib'] = None\n"
        "import minitape as tf; from minitape import viz\n"
        "plot = viz.surface(lambda x, y: x * y, (-1, 1), (-1, 1))\n"
        f"plot.save({str(tmp_path / 'a.html')!r})\n"
        f"viz.curve(tf.sin, (-1, 1)).save({str(tmp_path / 'a.svg')!r})\n"
        f"try: plot.save({str(tmp_path / 'a.png')!r})\n"
        "except viz.errors.MissingExtraError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "pip install 'minitape[export]'" in done.stdout, done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.html", "a.svg"]


def test_importing_viz_loads_no_plot():
    program = (
        "import sys; from minitape import viz; "
        "print([m for m in sys.modules if m.startswith('minitape.viz.plots')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr
