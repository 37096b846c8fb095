"""The viewer on hostile, broken, empty and huge material, and files that are whole or untouched."""

from __future__ import annotations

import json
import os
import re
import time

import numpy as np
import pytest

import minitape as tf
from minitape import viz
from minitape.__main__ import main
from minitape.interpreter import active
from minitape.viz.base.files import write_whole
from minitape.viz.base.mathml import check_fragment
from minitape.viz.picture.export import FORMATS, save
from minitape.viz.picture.svg import svg
from minitape.viz.picture.text_graphs import dot, mermaid
from minitape.viz.player.page import page
from minitape.viz.trace.arrays import Array
from minitape.viz.trace.trace import Line, Node, Source, Step, Trace, TraceError
from peak import at_most
from viz_traces import chain, squared

HOSTILE = [
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "]]><!-- -->",
    "&lt;b&gt; & < > \" '",
    "javascript:alert(1)",
    "a\nb\r\tc\0d\x1b[31m\u2028\u2029",
    "\u202eabc\u202c \ufeff\u200b",
    "${alert(1)} `x` \\u003c {{x}} %s {0}",
    "x" * 5_000,
    "𝔵̈́ \U0001f40d 中文",
    "'; DROP TABLE nodes; --",
    "",
]
hostile = pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))


def step_of(y_of, *values, names=()):
    """The player of a program, whose variables have the given names."""
    sources = [
        tf.Variable(v, name=n or None) for v, n in zip(values, names or [""] * 9, strict=False)
    ]
    with viz.recording(), tf.GradientTape() as tape:
        y = y_of(*sources)
    return viz.step(tape, y, sources, title=(names or ("",))[0])


# Hostile names.


@hostile
def test_a_hostile_name_is_text_in_every_output(name):
    player = step_of(lambda x: x * x, 3.0, names=[name])
    trace = player.trace
    assert Trace.from_json(trace.to_json()) == trace
    html, picture = page([trace], name), svg(trace)
    for text in (html, picture, player._repr_mimebundle_()["text/html"]):
        assert "<script>alert" not in text
        assert "<img src=x" not in text
        assert not re.search(r"<[^>]*\\sonerror=", text)
    dot(trace), mermaid(trace)


@hostile
def test_a_hostile_name_leaves_the_svg_well_formed(name):
    import xml.etree.ElementTree as ElementTree

    trace = step_of(lambda x: tf.sin(x) * x, 3.0, names=[name]).trace
    ElementTree.fromstring(svg(trace))
    for node in trace.nodes:
        if node.formula is not None:
            check_fragment(node.formula.mathml, "formula")


@hostile
def test_a_hostile_name_cannot_end_the_pages_data(name):
    trace = Trace(
        (Node(0, "variable", (), "float64", (), name=name, value=Array.of(1.0)),), title=name
    )
    for block in re.findall(r"<script[^>]*>(.*?)</script>", page([trace], name), re.DOTALL):
        assert "<!--" not in block
        assert "<script>alert" not in block


def test_hostile_text_in_tensors_is_text():
    trace = Trace((Node(0, "variable", (), "string", (1,), value=Array.of([HOSTILE[0]])),))
    assert "<script>alert" not in page([trace]) + svg(trace)


HALF = "a\ud800b\udcffc"
HALVES = {
    "a scope": lambda: step_of(lambda x: scoped(x), 3.0).trace,
    "a variable": lambda: step_of(lambda x: x * x, 3.0, names=[HALF]).trace,
    "a title": lambda: Trace((), title=HALF),
    "a string tensor": lambda: Trace(
        (Node(0, "variable", (), "string", (1,), value=Array("string", (1,), (HALF,))),)
    ),
    "a line of the program": lambda: Trace(
        (Node(0, "source", (), "float32", (), line=Line(HALF, 1, HALF)),),
        source_text=(Source(HALF, 1, (HALF, "y")),),
    ),
    "a sentence": lambda: Trace(
        (Node(0, "source", (), "float32", ()),), steps=(Step("forward", 0, sentence=HALF),)
    ),
}


def scoped(x):
    with tf.name_scope(HALF):
        return x * x


@pytest.mark.parametrize("made", HALVES.values(), ids=list(HALVES))
def test_half_a_surrogate_pair_is_replaced_where_no_file_can_hold_it(made, tmp_path):
    trace = made()
    assert Trace.from_json(trace.to_json()) == trace
    assert Trace.load(trace.save(tmp_path / "a.json")) == trace
    assert "\ufffd" in json.dumps(json.loads(trace.to_json()), ensure_ascii=False)
    write_whole(tmp_path / "a.html", page([trace], HALF))
    for ending in (".svg", ".dot", ".mmd"):
        save(trace, tmp_path / f"a{ending}")


def test_half_a_surrogate_pair_in_a_plots_title_is_replaced(tmp_path):
    plot = viz.curve(tf.sin, (-1.0, 1.0), title=HALF)
    assert "\ufffd" in plot.save(tmp_path / "a.html").read_text("utf-8")
    plot.html.encode()


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-8"])
def test_a_trace_file_may_have_a_byte_order_mark(codec, tmp_path):
    trace = chain(3)
    path = tmp_path / "tape.json"
    path.write_bytes(trace.to_json().encode(codec))
    assert Trace.load(path) == trace
    assert Trace.from_json(path.read_bytes()) == trace
    assert Trace.from_json(path.read_text("utf-8")) == trace


# Values.


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -0.0, 5e-324, 1.7e308])
def test_every_special_number_is_shown_and_survives_json(value):
    player = step_of(lambda x: x * x, np.float64(value))
    trace = player.trace
    again = Trace.from_json(trace.to_json())
    assert repr(again.nodes[0].value.data) == repr((float(value),))
    assert svg(again) and page([again])


def test_arrays_of_nothing_but_nan_have_a_picture_and_a_text():
    array = Array.of(np.full((100, 100), np.nan))
    assert (array.min, array.finite) == (None, False)
    assert "NaN" in array.text()
    trace = Trace((Node(0, "variable", (), "float64", (100, 100), value=array),))
    assert Trace.from_json(trace.to_json()).to_json() == trace.to_json()
    assert svg(trace) and page([trace])


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0, 2), ()])
def test_arrays_without_elements_are_stepped_through(shape):
    player = step_of(lambda x: tf.reduce_sum(x * x), np.zeros(shape))
    assert player.gradients[0].shape == shape
    assert svg(player.trace) and page([player.trace])


def test_32_dimensions_are_shown():
    player = step_of(lambda x: tf.reduce_sum(x * x), np.ones((1,) * 31 + (2,)))
    assert svg(player.trace) and page([player.trace])


HUGE = 100_000_000


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.float32, np.complex128, np.bool_])
@pytest.mark.parametrize("shape", [(HUGE,), (10_000, 10_000), (HUGE, 1), (1, HUGE), (100,) * 4])
def test_10_to_the_8_elements_are_neither_copied_nor_printed(shape, dtype):
    view = np.broadcast_to(dtype(1), shape)
    with at_most(200_000_000):  # a copy would be at least 100,000,000 to 1,600,000,000 bytes
        array = Array.of(view)
    assert len(array.text()) < 40
    assert len(json.dumps(array.to_plain())) < 20_000


@pytest.mark.slow
def test_a_huge_tensor_is_stepped_through_in_seconds():
    x = tf.Variable(2.0)
    started = time.process_time()
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.broadcast_to(x, [HUGE // 10]))
    player = viz.step(tape, y, x)
    assert float(player.gradients) == HUGE / 10
    assert len(player.trace.to_json()) < 100_000
    assert time.process_time() - started < 20


@pytest.mark.slow
def test_10_000_nodes_are_drawn():
    trace = chain(10_000)
    assert len(trace.nodes) >= 10_000
    assert svg(trace).startswith("<svg")
    assert len(page([trace])) < 40_000_000


@pytest.mark.slow
def test_1_000_ops_of_a_tape_are_stepped_through():
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x
        for _ in range(1_000):
            y = y + x
    player = viz.step(tape, y, x)
    assert float(player.gradients) == 1_001.0
    assert Trace.from_json(player.trace.to_json()) == player.trace


# Files of traces.


def document(**fields):
    return json.dumps({**json.loads(squared().to_json()), **fields}).encode()


def cycle():
    """Two nodes that are inputs of each other."""
    found = json.loads(squared().to_json())
    found["nodes"][0].update(inputs=[1], kind="op", op="identity")
    return json.dumps(found).encode()


WHOLE = squared().to_json().encode()
BROKEN = {
    "nothing": (b"", "not JSON"),
    "half of it": (WHOLE[: len(WHOLE) // 2], "cut off: save the trace again"),
    "all but the last byte": (WHOLE[:-1], "cut off: save the trace again"),
    "twice": (WHOLE * 2, "not JSON"),
    "a picture": (b"\x89PNG\r\n\x1a\n", "byte 0 is not UTF-8"),
    "zeros": (bytes(100), "not JSON"),
    "UTF-16": (WHOLE.decode().encode("utf-16"), "not UTF-8"),
    "a page": (b"<!doctype html><html>", "not JSON"),
    "a pickle": (b"\x80\x04\x95\x00", "not UTF-8"),
    "a list": (b"[]", "expected an object"),
    "a number": (b"7", "expected an object"),
    "null": (b"null", "expected an object"),
    "another format": (b'{"format": "onnx", "version": 1}', "'format' is 'onnx'"),
    "no version": (b'{"format": "minitape-trace"}', "version null"),
    "version 3": (document(version=3), r"version 3 \(int\), this program reads 1 and 2"),
    "version 0": (document(version=0), "version 0"),
    "version '1'": (document(version="1"), "version '1'"),
    "nodes as a text": (document(nodes="x"), "trace.nodes: expected a list"),
    "steps as an object": (document(steps={}), "trace.steps: expected a list"),
    "a title of 3": (document(title=3), "trace.title: expected a text"),
    "a cycle": (cycle(), "inputs first, so no cycle is possible"),
    "its own input": (document(nodes=[{"id": 0, "kind": "op", "op": "f", "inputs": [0],
                      "dtype": "x", "shape": []}]), "no cycle is possible"),
    "deep lists": (b"[" * 1_000_000, "nested too deeply"),
    "deep objects": (b'{"a":' * 100_000, "nested too deeply"),
    "a number of a million digits": (b'{"format":' + b"1" * 1_000_000 + b"}", "not a trace"),
    "an unknown field": (document(colour=1), "unknown field 'colour'"),
}  # fmt: skip


@pytest.mark.parametrize(("content", "message"), BROKEN.values(), ids=list(BROKEN))
def test_a_broken_trace_file_is_refused_with_a_clear_error(tmp_path, content, message):
    path = tmp_path / "trace.json"
    path.write_bytes(content)
    with pytest.raises(TraceError, match=message) as caught:
        Trace.load(path)
    assert len(str(caught.value)) < 1_000
    assert path.read_bytes() == content


def test_a_trace_file_of_100_mb_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(100_000_000)  # a sparse file: it takes no room
    refused = pytest.raises(
        TraceError, match=r"100,000,000 bytes, more than the limit of 64,000,000"
    )
    with at_most(1_000_000), refused:
        Trace.load(path)


def test_100_mb_of_text_are_refused_before_they_are_parsed():
    with pytest.raises(TraceError, match="more than the limit"):
        Trace.from_json(bytes(100_000_000))


def test_a_huge_shape_in_a_trace_allocates_nothing():
    found = json.loads(squared().to_json())
    value = found["nodes"][0]["value"]
    value.update(shape=[10**9, 10**9], data=[1.0], finite=True)
    found["nodes"][0]["shape"] = [10**9, 10**9]
    trace = Trace.from_json(json.dumps(found))
    assert svg(trace) and page([trace])


# Writing files.


def full(*args, **kwargs):
    raise OSError(28, "No space left on device")


def interrupted(*args, **kwargs):
    raise KeyboardInterrupt


WRITERS = {
    "a page": lambda path: viz.Player(squared()).save(path.with_suffix(".html")),
    "a trace": lambda path: squared().save(path.with_suffix(".json")),
    **{ending: lambda path, e=ending: save(squared(), path.with_suffix(e)) for ending in FORMATS},
}


@pytest.mark.parametrize(("kind", "write"), WRITERS.items(), ids=list(WRITERS))
def test_a_write_that_fails_leaves_the_old_file_whole(tmp_path, monkeypatch, kind, write):
    for package in {".png": ["resvg_py"], ".gif": ["resvg_py", "PIL"], ".pdf": ["fpdf"]}.get(
        kind, []
    ):
        pytest.importorskip(package, reason="such pictures need extra export")
    path = write(tmp_path / "tape")
    before = path.read_bytes()
    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match="No space left"):
        write(tmp_path / "tape")
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("where", ["os.fsync", "os.replace", "os.chmod"])
@pytest.mark.parametrize("failure", [full, interrupted])
def test_a_write_that_fails_anywhere_leaves_the_old_file_whole(
    tmp_path, monkeypatch, failure, where
):
    path = write_whole(tmp_path / "a.txt", "old")
    monkeypatch.setattr(where, failure)
    with pytest.raises((OSError, KeyboardInterrupt)):
        write_whole(path, "new")
    monkeypatch.undo()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_command_line_leaves_the_old_page_whole_when_the_write_fails(
    tmp_path, monkeypatch, capsys
):
    script = tmp_path / "lesson.py"
    script.write_text(
        "import minitape as tf\nx = tf.Variable(3.0)\n"
        "with tf.GradientTape() as tape:\n    y = x * x\ntape.gradient(y, x)\n"
    )
    out = tmp_path / "lesson.html"
    assert main(["step", str(script), "--out", str(out)]) == 0
    before = out.read_bytes()
    monkeypatch.setattr("os.replace", full)
    assert main(["step", str(script), "--out", str(out)]) == 2
    assert "No space left on device" in capsys.readouterr().err
    assert out.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["lesson.html", "lesson.py"]


def test_a_drawing_that_fails_leaves_the_old_file_whole(tmp_path, monkeypatch):
    path = save(chain(3), tmp_path / "tape.svg")
    before = path.read_bytes()
    monkeypatch.setattr("minitape.viz.player.drawing.svg", lambda *args: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        save(chain(3), path)
    assert path.read_bytes() == before


def test_a_new_file_has_the_permissions_that_the_user_asks_for(tmp_path):
    before = os.umask(0o027)
    try:
        path = write_whole(tmp_path / "a.txt", "x")
        assert path.stat().st_mode & 0o777 == 0o640
    finally:
        os.umask(before)


def test_writing_never_changes_the_mask_that_other_threads_make_files_with(tmp_path, monkeypatch):
    monkeypatch.setattr("os.umask", interrupted)
    write_whole(tmp_path / "a.txt", "x")
    write_whole(tmp_path / "a.txt", "y")


def test_an_old_file_keeps_its_permissions(tmp_path):
    path = write_whole(tmp_path / "a.txt", "x")
    path.chmod(0o604)
    assert write_whole(path, "y").stat().st_mode & 0o777 == 0o604


# Recording.


def test_nested_recordings_give_the_outer_one_back():
    x = tf.Variable(3.0)
    with viz.recording() as outer, tf.GradientTape() as tape:
        y = x * x
        with viz.recording() as inner:
            y = y * x
        z = y + 1.0
        assert viz.record.journal.journal_in_use() is outer
    assert active() == ()
    assert [entry.op.name for entry in inner.entries] == ["multiply"]
    assert [entry.op.name for entry in outer.entries] == ["multiply", "multiply", "add"]
    assert float(viz.step(tape, z, x).gradients) == 27.0


def test_an_error_inside_of_a_recording_closes_it():
    with pytest.raises(ZeroDivisionError), viz.recording():
        raise ZeroDivisionError
    assert active() == ()


def test_a_viewer_that_fails_leaves_the_tape_as_it_was(monkeypatch):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    monkeypatch.setattr("minitape.viz.show.build_opened", lambda *args, **kwargs: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        viz.step(tape, y, x)
    assert active() == ()
    assert float(tape.gradient(y, x)) == 6.0
