"""`viz.jacobian`: the numbers, the structure, the rows' sweeps, and what a page does with them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from test_notebook_output import Sanitizer

import minitape as tf
from browser import expect
from minitape import viz

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


def test_a_zero_that_holds_everywhere_is_not_said_to_hold_here_only():
    view = of(lambda x: x * tf.constant([0.0, 1.0], tf.float64), [1.0, 2.0])
    for said in (view.structure.words(), view.svg):
        assert re.search("zeros? at this point", said) and "only" not in said


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
    assert view.reaches(1) == "x[1] reaches y[0] (2.0), y[1] (4.0)."
    assert of(lambda x: x[:1], [1.0, 2.0]).reaches((1,)) == "x[1] reaches nothing."


def test_a_column_is_the_player_of_its_own_pass():
    view = of(lambda x: x[1:] * x[:-1], [2.0, 3.0, 4.0])
    player = view.column(1)
    np.testing.assert_array_equal(player.tangents.numpy(), view.matrix[:, 1])
    seed, *_, last = [step for step in player.trace.steps if step.kind != "forward"]
    assert seed.cotangent.data == (0.0, 1.0, 0.0)
    assert last.sentence.endswith("[0.0, 4.0] = [2.0, 4.0]. This is the column of `x[1]`.")


def test_a_column_is_found_by_its_elements_index_too():
    view = of(lambda x: x * 2.0, [[1.0, 2.0], [3.0, 4.0]])
    assert view.column((1, 0)).tangents.numpy().tolist() == [[0.0, 0.0], [2.0, 0.0]]
    assert view.column(-1).trace.title == "Column x[1,1]: the tangent is 1 there and 0 elsewhere"


@pytest.mark.parametrize("index", [7, (0, 5), "y"])
def test_a_column_that_is_not_there_is_refused_with_the_range(index):
    with pytest.raises(IndexError, match="numbered 0 to 1"):
        of(tf.exp, [1.0, 2.0]).column(index)


def test_rows_and_columns_of_one_matrix_are_the_same_numbers():
    view = of(lambda x: tf.tanh(x @ np.array([[1.0, -2.0], [0.5, 3.0]])), [[0.3, -0.2]])
    rows = [view.row(i).gradients.numpy().ravel() for i in range(2)]
    columns = [view.column(j).tangents.numpy().ravel() for j in range(2)]
    np.testing.assert_allclose(rows, view.matrix, rtol=1e-12)
    np.testing.assert_allclose(np.transpose(columns), view.matrix, rtol=1e-12)


def test_a_row_through_a_rule_that_makes_a_tensor_has_its_local_derivatives():
    view = of(lambda x: tf.linalg.eigh(x + tf.transpose(x))[0], [[1.0, 2.0], [0.5, -1.0]])
    pulls = [step for step in view.row(0).trace.steps if step.kind == "pull"]
    assert [step.local is not None for step in pulls] == [False, True, True, False]
    np.testing.assert_allclose(view.column(1).tangents.numpy(), view.matrix[:, 1], rtol=1e-12)


def test_a_row_or_column_without_any_path_is_none():
    view = of(tf.stop_gradient, [1.0, 2.0])
    assert view.row(0).gradients is None
    assert view.column(0).tangents is None


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


def test_a_page_with_all_rows_and_columns_stays_small():
    view = of(lambda x: tf.tanh(tf.cumsum(x) * x) + tf.sin(x), np.linspace(0, 1, 16))
    assert len(view.html.encode()) < 200_000


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


@pytest.mark.parametrize("ending", [".svg", ".html", ".tex", ".png", ".pdf"])
def test_it_is_saved_in_the_format_of_the_ending(tmp_path, ending):
    if ending in (".png", ".pdf"):
        pytest.importorskip({".png": "resvg_py", ".pdf": "fpdf"}[ending], reason="extra export")
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


def test_the_switch_leads_to_the_columns_and_their_passes(page: Page, tmp_path):
    x = tf.Variable([1.0, 2.0], name=HOSTILE)
    with tf.GradientTape() as tape:
        y = x * x
    page.goto(viz.jacobian(tape, y, x).save(tmp_path / "j.html").as_uri())
    said, title = page.locator(".said"), page.locator(".player .title")
    page.get_by_role("radio", name="Rows: gradients backward").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("radio", name="Columns: tangents forward")).to_be_checked()
    expect(said).to_have_text("x[0] reaches y[0] (2.0).")
    expect(title).to_contain_text("Column x[0]")
    slider = page.locator("input[type=range]").first
    expect(slider).to_have_attribute("aria-label", "Column")
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(title).to_contain_text("Column x[1]")
    expect(page.locator(".player .sentence")).to_contain_text(
        "The forward pass of tangents starts at x: [0.0, 1.0]."
    )
    page.locator(".player").focus()
    page.keyboard.press("End")
    expect(page.locator(".player .card.sum td")).to_have_text(["0.0", "4.0"])
    assert page.locator("img[src='x']").count() == 0


def test_no_box_moves_from_one_column_to_the_next(page: Page, tmp_path):
    path = of(lambda x: tf.sin(x) * 1e-3 + x[0], [1.0, -20.0, 0.0]).save(tmp_path / "j.html")
    page.goto(path.as_uri())
    page.get_by_label("Columns: tangents forward").check()
    places = set()
    for _ in range(3):
        drawn = page.locator(".graph > svg [data-node]")
        places.add(str(drawn.evaluate_all("all => all.map(g => g.getAttribute('transform'))")))
        page.locator("input[type=range]").first.focus()
        page.keyboard.press("ArrowRight")
    assert len(places) == 1


def test_the_switch_leads_back_to_the_rows(page: Page, tmp_path):
    page.goto(of(lambda x: x[:2] * 2.0, np.ones(3)).save(tmp_path / "j.html").as_uri())
    page.get_by_label("Columns: tangents forward").check()
    page.get_by_label("Rows: gradients backward").check()
    expect(page.locator(".said")).to_contain_text("y[0] depends on x[0]; on nothing else.")
    expect(page.locator(".player .title")).to_contain_text("Row y[0]")
    expect(page.locator("input[type=range]").first).to_have_attribute("max", "1")


def test_a_click_on_a_cell_chooses_its_column(page: Page, tmp_path):
    page.goto(of(lambda x: x[:3] * 2.0, np.ones(4)).save(tmp_path / "j.html").as_uri())
    page.get_by_label("Columns: tangents forward").check()
    box = page.locator("[data-name=column]").bounding_box()
    page.mouse.click(box["x"] + 2.5 * box["width"], box["y"] + 20)
    expect(page.locator(".said")).to_contain_text("x[2] reaches y[2]")
    expect(page.locator(".player .title")).to_contain_text("Column x[2]")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_rows_and_columns(page: Page, tmp_path, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page.emulate_media(color_scheme=scheme)
    page.goto(of(tf.exp, [0.0, 1.0]).save(tmp_path / "j.html").as_uri())
    for way in ("Rows: gradients backward", "Columns: tangents forward"):
        page.get_by_label(way).check()
        found = axe.run(page).response["violations"]
        serious = [v for v in found if v["impact"] in ("serious", "critical")]
        assert not serious, [(v["id"], [n["html"] for n in v["nodes"]]) for v in serious]


def test_complex_columns_have_words_and_no_player(page: Page, tmp_path):
    z = tf.constant([1.0 + 2.0j])
    with tf.GradientTape() as tape:
        tape.watch(z)
        y = z * z
    page.goto(viz.jacobian(tape, y, z).save(tmp_path / "j.html").as_uri())
    expect(page.locator(".player .title")).to_contain_text("Row")
    page.get_by_label("Columns: tangents forward").check()
    expect(page.locator(".said")).to_contain_text("reaches y[0]")
    expect(page.locator(".player")).to_have_count(0)


def test_a_click_on_a_cell_chooses_its_row(page: Page, tmp_path):
    page.goto(of(lambda x: x[:3] * 2.0, np.ones(4)).save(tmp_path / "j.html").as_uri())
    box = page.locator("[data-name=row]").bounding_box()
    page.mouse.click(box["x"] + 20, box["y"] + 2.5 * box["height"])
    expect(page.locator(".said")).to_contain_text("y[2]")
