"""Exports: every format is what it says, and a failure leaves nothing half-written."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

from minitape import viz
from minitape.viz.errors import MissingExtraError
from minitape.viz.layout import layout
from minitape.viz.picture.export import FORMATS, gif, pdf, png, save
from minitape.viz.picture.text_graphs import dot, mermaid
from minitape.viz.plots.heatmap import heatmap
from minitape.viz.trace.arrays import Array
from minitape.viz.trace.trace import Trace
from viz_traces import EXAMPLES, broadcasting, chain, diamond, graph, squared, thrice

for package in ("resvg_py", "fpdf", "PIL"):
    pytest.importorskip(package, reason="pictures need extra export")

STARTS = {
    ".svg": b"<svg ", ".png": b"\x89PNG\r\n", ".pdf": b"%PDF-", ".gif": b"GIF89a",
    ".dot": b"digraph ", ".mmd": b"flowchart TB", ".json": b'{"format":"minitape-trace"',
}  # fmt: skip


@pytest.mark.parametrize("ending", FORMATS)
def test_file_is_what_its_ending_says(ending, tmp_path):
    path = save(squared(), tmp_path / f"tape{ending.upper()}")
    assert path.read_bytes().startswith(STARTS[ending])


@pytest.mark.parametrize("ending", FORMATS)
def test_missing_folder_is_named_and_nothing_is_written(ending, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"does not exist; create it first"):
        save(squared(), tmp_path / "gone" / f"tape{ending}")
    assert list(tmp_path.iterdir()) == []


def test_unknown_ending_is_refused_with_the_known_ones(tmp_path):
    with pytest.raises(
        ValueError, match=r"no format has the ending '.exe'; choose one of .svg, .png"
    ):
        save(squared(), tmp_path / "tape.exe")


def test_step_that_does_not_exist_leaves_the_old_file(tmp_path):
    path = save(squared(), tmp_path / "tape.svg")
    before = path.read_bytes()
    with pytest.raises(IndexError):
        save(squared(), path, step=1_000)
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", ["hostile", "complex", "empty", "not_finite", "unconnected"])
def test_every_kind_of_trace_is_drawn(name):
    assert png(EXAMPLES[name]()).startswith(b"\x89PNG")


def test_bitmap_has_two_pixels_a_point():
    from PIL import Image

    placed = layout(diamond(), engine="builtin")
    size = Image.open(io.BytesIO(png(diamond(), placed))).size
    assert size == pytest.approx((2 * placed.width, 2 * placed.height), abs=2)


def test_same_trace_gives_the_same_bytes():
    assert png(diamond()) == png(diamond())
    assert pdf(diamond()) == pdf(diamond())


def test_animation_has_a_frame_for_each_step():
    from PIL import Image

    trace = squared()
    with Image.open(io.BytesIO(gif(trace))) as picture:
        assert picture.n_frames == len(trace.steps)
        picture.seek(0)
        first = np.asarray(picture.convert("RGB")).astype(int)
        picture.seek(5)
        assert np.abs(np.asarray(picture.convert("RGB")) - first).sum() > 0


def test_animation_without_steps_is_refused():
    with pytest.raises(ValueError, match="there is no step to show: record a gradient first"):
        gif(Trace((squared().nodes[0],)))


def test_picture_too_large_for_a_bitmap_is_refused_with_a_way_out():
    with pytest.raises(ValueError, match=r"too large .*save it as \.svg, or play it"):
        png(chain(1_000))


@pytest.mark.slow
def test_a_bitmap_is_drawn_without_matplotlib():
    code = (
        "import sys; sys.path[:0] = ['.', 'tests']\n"
        "from viz_traces import squared\nfrom minitape.viz.picture import export\n"
        "assert 'matplotlib' not in sys.modules\n"
        "export.png(squared())\n"
        "assert 'matplotlib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_missing_package_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(MissingExtraError, match=r"resvg-py, .*pip install 'minitape\[export\]'"):
        png(squared())


def test_dark_picture_is_dark(tmp_path):
    from PIL import Image

    path = viz.Picture(diamond()).save(tmp_path / "dark.png", theme="dark")
    pixels = np.asarray(Image.open(path).convert("L"))
    assert np.median(pixels) < 50


@pytest.mark.skipif(shutil.which("dot") is None, reason="the program dot is not installed")
@pytest.mark.parametrize("name", ["broadcasting", "hostile", "thrice"])
def test_dot_text_is_understood_by_dot(name):
    trace = EXAMPLES[name]()
    run = subprocess.run(
        ["dot", "-Tplain"], input=dot(trace), capture_output=True, text=True, check=True
    )
    assert run.stdout.count("\nnode ") == len(trace.nodes)
    assert run.stdout.count("\nedge ") == sum(len(node.inputs) for node in trace.nodes)


def test_dot_and_mermaid_show_values_and_gradients():
    assert 'label="x\\n2.0\\n∂ 12.0"' in dot(thrice())
    assert 'n0(["x<br/>2.0<br/>∂ 12.0"])' in mermaid(thrice())
    assert mermaid(thrice()).count("-->") == 4


def test_mermaid_holds_no_markup_of_the_learners():
    text = mermaid(EXAMPLES["hostile"]())
    assert re.findall(r"<(?!br/>)", text) == []
    assert len(text.splitlines()) == 1 + 9 + 8 + 2


def test_unwatched_inputs_are_dashed():
    assert "n0 -> n3 [style=dashed];" in dot(broadcasting())
    assert "n0 -.-> n3" in mermaid(broadcasting())


def test_heat_map_has_a_cell_for_each_element_or_block():
    assert heatmap(Array.of(np.eye(3))).count("<rect") == 9
    assert heatmap(Array.of(np.ones((100, 50)))).count("<rect") == 24 * 24
    assert heatmap(Array.of(np.zeros((0, 3)))).count("<rect") == 0


def test_heat_map_tells_signs_and_missing_numbers_apart():
    text = heatmap(Array.of([2.0, -2.0, np.nan, 0.0]))
    assert re.findall(r'fill="(#\w+)"', text) == ["#b04a00", "#0072b2", "#ffffff", "#ffffff"]
    assert text.count("stroke-dasharray") == 1


def test_trace_without_nodes_is_exported():
    empty = graph([])
    assert mermaid(empty).strip() == "flowchart TB"
    assert png(empty).startswith(b"\x89PNG")
