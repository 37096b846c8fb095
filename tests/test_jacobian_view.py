"""`viz.jacobian`: the numbers, the structure, the rows' sweeps, and what a page does with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import minitape as tf
import viz
from browser import expect
from test_notebook_output import Sanitizer

if TYPE_CHECKING:
    from playwright.sync_api import Page

HOSTILE = "</script><img src=x onerror=alert(1)>"


def of(f, value, **options):
    x = tf.constant(np.asarray(value, np.float64))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return viz.jacobian(tape, y, x, **options)


def test_the_matrix_of_a_linear_map_is_the_map():
    A = np.array([[1.0, -2.0, 0.0], [0.5, 3.0, 4.0]])
    np.testing.assert_allclose(of(lambda x: tf.constant(A) @ x, [[1.0], [2.0], [3.0]]).matrix, A)


def test_elements_have_the_learners_names():
    W = tf.Variable(np.ones((1, 2)))
    with tf.GradientTape() as tape:
        out = W * 2.0
    view = viz.jacobian(tape, out, W)
    assert view.rows == ["out[0,0]", "out[0,1]"]
    assert view.columns == ["W[0,0]", "W[0,1]"]


def test_a_closed_relu_is_a_zero_at_this_point_and_no_structural_one():
    found = of(tf.nn.relu, [1.0, -2.0, 3.0]).structure
    assert found.reached.tolist() == np.eye(3, dtype=bool).tolist()
    assert (found.structural_zeros, found.zeros_here, found.nonzeros) == (6, 1, 2)


def test_a_constant_factor_of_zero_is_a_path():
    found = of(lambda x: x * tf.constant([0.0, 1.0], tf.float64), [1.0, 2.0]).structure
    assert found.zeros_here == 1 and found.structural_zeros == 2


def test_numbers_of_rounding_are_told_apart_from_zeros():
    found = of(tf.sin, [np.pi / 2, 0.0]).structure
    assert found.tiny == 1 and found.zeros_here == 0
    assert "tiny numbers" in found.words()


@pytest.mark.parametrize(
    ("f", "pattern"),
    [
        (tf.exp, "diagonal"),
        (tf.cumsum, "lower triangular"),
        (lambda x: tf.cumsum(x, reverse=True), "upper triangular"),
        (lambda x: x * tf.reduce_sum(x), "dense"),
        (lambda x: tf.reverse(x, [0]), "a permutation"),
        (lambda x: x[1:] - x[:-1], "banded (0 below and 1 above the diagonal)"),
        (lambda x: tf.stop_gradient(x), "zero"),
        (lambda x: x[:0], "empty"),
    ],
)
def test_the_pattern_has_a_name(f, pattern):
    assert of(f, np.arange(1.0, 7.0)).structure.pattern == pattern


def test_the_share_of_zeros_is_said():
    words = of(tf.exp, np.arange(4.0)).words
    assert words.startswith("4 × 4, diagonal: 12 of 16 (75.0 %) structural zeros")


def test_a_row_is_the_player_of_its_own_sweep():
    player = of(lambda x: x * x * x, [1.0, 2.0]).row(1)
    assert player.gradients.numpy().tolist() == [0.0, 12.0]
    seed = next(step for step in player.trace.steps if step.kind == "seed")
    assert seed.cotangent.data == (0.0, 1.0)


def test_a_row_is_found_by_its_elements_index_too():
    view = of(lambda x: x * 2.0, [[1.0, 2.0], [3.0, 4.0]])
    assert view.row((1, 0)).gradients.numpy().tolist() == [[0.0, 0.0], [2.0, 0.0]]
    assert view.row(-1).gradients.numpy().tolist() == [[0.0, 0.0], [0.0, 2.0]]


@pytest.mark.parametrize("index", [7, (0, 5), "y"])
def test_a_row_that_is_not_there_is_refused_with_the_range(index):
    with pytest.raises(IndexError, match="numbered 0 to 1"):
        of(tf.exp, [1.0, 2.0]).row(index)


def test_a_column_says_what_it_reaches():
    view = of(lambda x: x[1:] * x[:-1], [2.0, 3.0, 4.0])
    assert view.column(1) == "x[1] reaches y[0] (2.0), y[1] (4.0)."
    assert of(lambda x: x[:1], [1.0, 2.0]).column((1,)) == "x[1] reaches nothing."


def test_independent_examples_are_recognised_and_have_blocks():
    W = np.array([[1.0, 2.0], [3.0, -1.0]])
    view = of(lambda x: tf.tanh(x @ W), [[0.1, 0.2], [0.3, 0.4], [0.0, 1.0]], batch_jacobian=True)
    assert view.independent is True
    assert "block diagonal" in view.words and "independent" in view.words
    x = np.array([[0.1, 0.2], [0.3, 0.4], [0.0, 1.0]])
    slope = 1 - np.tanh(x @ W) ** 2
    np.testing.assert_allclose(view.blocks, slope[:, :, None] * W.T[None])


def test_examples_that_are_mixed_are_found_even_where_the_numbers_are_zero():
    def centred(x):
        return x + 0.0 * tf.reduce_mean(x, axis=0)

    view = of(centred, [[1.0, 2.0], [3.0, 4.0]], batch_jacobian=True)
    assert view.independent is False
    assert "NOT independent" in view.words


def test_what_has_no_common_batch_axis_is_refused():
    with pytest.raises(ValueError, match="rank at least 2"):
        of(lambda x: tf.reduce_sum(x), [[1.0, 2.0]], batch_jacobian=True)


def test_something_too_large_is_refused_with_a_way_out():
    with pytest.raises(ValueError, match=r"part = y\[:10\]"):
        of(tf.exp, np.zeros(2_001))


def test_several_targets_are_refused():
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y, z = x * 2.0, x * 3.0
    with pytest.raises(TypeError, match="one target and one source"):
        viz.jacobian(tape, [y, z], x)


def test_the_tape_is_not_used_up():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * x
    viz.jacobian(tape, y, x).row(0)
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 4.0]


def test_nan_and_infinity_are_counted_and_drawn():
    view = of(lambda x: tf.sqrt(x), [0.0, -1.0, 4.0])
    assert "2 of 9 (22.22 %) entries that are not finite" in view.words
    assert view.svg.count("stroke-dasharray") == 2


def test_complex_derivatives_follow_the_tapes_convention():
    z = tf.constant([1.0 + 2.0j])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(z)
        y = z * z
    view = viz.jacobian(tape, y, z)
    np.testing.assert_allclose(view.matrix, [[2 - 4j]])
    assert "<svg" in view.svg


@pytest.mark.parametrize("shape", [(0,), (3, 0), ()])
def test_empty_and_scalar_jacobians_are_shown(shape):
    assert "<img" in of(lambda x: x * 2.0, np.ones(shape)).html


def test_a_large_one_is_drawn_as_blocks_in_a_small_page():
    view = of(lambda x: tf.cumsum(x), np.linspace(0, 1, 600))
    assert len(view.html) < 200_000
    assert "<image" in view.svg


def test_an_untrusted_notebook_keeps_picture_words_and_table():
    cleaner = Sanitizer()
    cleaner.feed(of(tf.exp, [1.0, 2.0]).html)
    left = "".join(cleaner.out)
    assert '<img src="data:image/svg+xml' in left
    assert "diagonal" in left and "<table>" in left and "script" not in left


@pytest.mark.parametrize("ending", [".svg", ".html", ".png", ".pdf"])
def test_it_is_saved_in_the_format_of_the_ending(tmp_path, ending):
    if ending in (".png", ".pdf"):
        pytest.importorskip("matplotlib")
    assert of(tf.exp, [1.0, 2.0]).save(tmp_path / f"j{ending}").stat().st_size > 500


def test_an_unknown_ending_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"\.html, \.svg"):
        of(tf.exp, [1.0]).save(tmp_path / "j.bmp")


def test_choosing_a_row_shows_its_sweep(page: Page, tmp_path):
    x = tf.Variable([1.0, 2.0], name=HOSTILE)
    with tf.GradientTape() as tape:
        y = x * x
    page.goto(viz.jacobian(tape, y, x).save(tmp_path / "j.html").as_uri())
    said, title = page.locator(".said"), page.locator(".player .title")
    expect(said).to_contain_text("y[0] depends on x[0]; on nothing else.")
    expect(title).to_contain_text("Row y[0]")
    page.locator("input[type=range]").first.focus()
    page.keyboard.press("ArrowRight")
    expect(said).to_contain_text("y[1] depends on x[1]")
    expect(title).to_contain_text("Row y[1]")
    expect(page.locator(".player .sentence")).to_contain_text("[0.0, 1.0]")
    assert page.locator("img[src='x']").count() == 0


def test_a_click_on_a_cell_chooses_its_row(page: Page, tmp_path):
    page.goto(of(lambda x: x[:3] * 2.0, np.ones(4)).save(tmp_path / "j.html").as_uri())
    box = page.locator("[data-name=row]").bounding_box()
    page.mouse.click(box["x"] + 20, box["y"] + 2.5 * box["height"])
    expect(page.locator(".said")).to_contain_text("y[2]")
