"""`viz.explore`: sliders that record again, and a player that keeps its place."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import minitape as tf
from browser import expect
from minitape import viz

needs_widgets = pytest.mark.skipif(
    any(
        __import__("importlib.util").util.find_spec(m) is None for m in ("anywidget", "ipywidgets")
    ),
    reason="no widget test: install the extra viz",
)


def line(x, w):
    return tf.sin(x * w)


@needs_widgets
def test_the_gradients_are_those_at_the_sliders():
    found = viz.explore(line, x=(-2.0, 2.0), w=(0.0, 3.0)).at(x=0.5, w=2.0).gradients
    np.testing.assert_allclose([float(g) for g in found], [2 * np.cos(1.0), 0.5 * np.cos(1.0)])


@needs_widgets
def test_what_is_not_given_is_in_the_middle():
    nodes = viz.explore(line, x=(-1.0, 2.0), w=(0.0, 3.0)).at().trace.nodes
    assert {n.name: n.value.data for n in nodes if n.name in ("x", "w")} == {
        "x": (0.5,),
        "w": (1.5,),
    }


@needs_widgets
def test_moving_a_slider_records_again_and_keeps_the_step():
    box = viz.explore(line, x=(-1.0, 1.0), w=(0.0, 3.0)).widget()
    slider, player = box.children[0], box.children[-1]
    player.step = 3
    slider.value = 0.5
    x = player.trace.nodes[player.trace.sources[0]]
    assert x.value.data == (0.5,)
    assert player.step == 3
    assert player.data["nodes"][0]["label"] == "0.5"


@needs_widgets
def test_a_program_that_becomes_shorter_stops_at_its_last_step():
    def f(x):
        return x * x if x < 0 else tf.sin(tf.sin(x * x))

    box = viz.explore(f, x=(-1.0, 3.0)).widget()
    slider, player = box.children[0], box.children[-1]
    player.step = len(player.trace.steps) - 1
    slider.value = -0.5
    assert player.step == len(player.trace.steps) - 1


@needs_widgets
def test_an_error_of_the_function_is_shown_beside_the_sliders():
    def f(x):
        if x > 0.5:
            raise ValueError("<b>too large</b>")
        return x * x

    box = viz.explore(f, x=(-1.0, 1.0)).widget()
    box.children[0].value = 0.9
    assert "ValueError: &lt;b&gt;too large" in box.children[1].value
    box.children[0].value = 0.1
    assert box.children[1].value == ""


@needs_widgets
def test_the_output_has_a_player_for_readers_without_a_kernel():
    bundle = viz.explore(line, x=(-1, 1), w=(0, 1))._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert '<img src="data:image/svg+xml' in bundle["text/html"]


@needs_widgets
@pytest.mark.parametrize(
    ("ranges", "error", "said"),
    [
        ({}, TypeError, r"viz\.explore\(f, x="),
        ({"x": 3.0, "w": (0, 1)}, TypeError, r"x=\(-2\.0, 2\.0\)"),
        ({"x": (1.0, 0.0), "w": (0, 1)}, ValueError, "no range"),
        ({"x": (0.0, 1.0)}, TypeError, "does not fit the sliders"),
        ({"x": (0, 1), "w": (0, 1), "z": (0, 1)}, TypeError, "does not fit the sliders"),
    ],
)
def test_wrong_ranges_are_refused(ranges, error, said):
    with pytest.raises(error, match=said):
        viz.explore(line, **ranges)


@needs_widgets
def test_a_function_without_a_result_is_refused():
    with pytest.raises(TypeError, match="`return` missing"):
        viz.explore(lambda x: None, x=(0, 1)).at()


@needs_widgets
def test_a_slider_that_is_not_there_is_refused():
    with pytest.raises(TypeError, match="no slider 'z'; there are x, w"):
        viz.explore(line, x=(0, 1), w=(0, 1)).at(z=1.0)


@pytest.mark.parametrize("missing", ["ipywidgets", "anywidget"])
def test_without_the_packages_it_says_how_to_install_them(missing):
    program = (
        f"import sys\nsys.modules[{missing!r}] = None\nfrom minitape import viz\n"
        "try: viz.explore(lambda x: x, x=(0, 1))\n"
        "except viz.errors.MissingExtraError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert missing in done.stdout and "pip install 'minitape[viz]'" in done.stdout, done.stderr


@pytest.mark.slow
@pytest.mark.takes_turns
def test_in_jupyterlab_a_slider_moves_the_numbers_and_not_the_step(jupyter, visit, tmp_path):
    from browser import write_notebook

    root = str(Path(__file__).parents[3])
    start = (
        f"import sys\nsys.path[:0] = [{root!r}]\nimport minitape as tf\nfrom minitape import viz"
    )
    code = "viz.explore(lambda x, w: tf.sin(x * w) + x, x=(-2.0, 2.0), w=(0.0, 3.0))"
    write_notebook(tmp_path / "lesson.ipynb", start, code)
    page = visit.page
    server = jupyter(tmp_path, "lab")
    server.open(page, "lesson.ipynb")
    server.run_all(page)
    player = page.locator(".player").first
    player.focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    expect(player.locator(".counter")).to_contain_text("5 / ")
    page.locator(".noUi-handle").first.focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".player .graph").first).to_contain_text("0.1")
    expect(page.locator(".player .counter").first).to_contain_text("5 / ")
    visit.screenshot("explore-lab")


def explored(page, folder, f, *nudges, **ranges):
    """The sentence and the number beside the first slider, after some nudges of it."""
    page.goto(viz.explore(f, **ranges).save(folder / "explored.html").as_uri())
    slider = page.locator(".minitape-explored input[type=range]").first
    slider.focus()
    for key in nudges:
        page.keyboard.press(key)
    return page.locator(".sentence").first.text_content(), page.locator("output").first


@needs_widgets
def test_a_saved_page_is_continuous_where_its_tape_can_be_computed_again(page, tmp_path):
    def f(x, w):
        return tf.sin(x * w) + x * x

    said, x = explored(page, tmp_path, f, *["ArrowRight"] * 4, x=(-2.0, 2.0), w=(0.0, 3.0))
    moved = 0.2 * 4.0 / 6  # a fifth of the way from one of seven positions to the next
    expect(x).to_have_text(f"{moved:.4f}")
    happened = np.sin(moved * 1.5) + moved**2
    assert said == (
        f"x moved by +{moved:.4f}: the gradient promised 1.5 · {moved:.4f} = 0.2000, "
        f"and f moved by +{happened:.4f}."
    )


@needs_widgets
def test_a_slider_back_at_a_recorded_position_shows_its_steps(page, tmp_path):
    keys = ["ArrowRight"] * 20  # one position on
    said, x = explored(page, tmp_path, line, *keys, x=(-3.0, 3.0), w=(0.0, 3.0))
    expect(x).to_have_text("1.0")
    assert "promised" not in said
    assert page.locator(".touch").is_hidden()


@needs_widgets
@pytest.mark.parametrize(
    "f",
    [
        lambda x: x * x if x < 0 else tf.sin(x),  # another tape on the other side
        lambda x: x * float(x),  # a number that the tape does not know to depend on x
        lambda x: tf.linalg.det([[x, 1.0], [1.0, x]]),  # an op that is not known to the page
    ],
)
def test_a_slider_stops_at_recorded_positions_where_nothing_between_them_is_certain(
    page, tmp_path, f
):
    said, x = explored(page, tmp_path, f, "ArrowRight", x=(-2.0, 2.0))
    expect(x).to_have_text("0.2000")
    assert "promised" not in said
