"""The trace: what arrays keep, how numbers are written, and that reading is strict."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from minitape.viz.base.files import write_whole
from minitape.viz.base.mathml import check_fragment
from minitape.viz.trace.arrays import Array, short
from minitape.viz.trace.trace import (
    Attribute,
    Break,
    Inside,
    Line,
    Node,
    Operand,
    Producer,
    Slopes,
    Step,
    Term,
    Trace,
    TraceError,
)  # fmt: skip
from viz_traces import EXAMPLES, squared, tangents


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3.14159, "3.142"), (2.0, "2.0"), (2, "2"), (True, "True"), (-0.000012345, "−1.234·10⁻⁵"),
        (1.5e9, "1.5·10⁹"), (123456.0, "123456"), (float("nan"), "NaN"), (-math.inf, "−∞"),
        (1 - 2j, "1.0−2.0j"), (np.float32(0.1), "0.1"), (10**12, "1000000000000"),
        (0.78699, "0.7870"), (np.int64(7), "7"),
    ],
)  # fmt: skip
def test_numbers_have_four_significant_digits(value, text):
    assert short(value) == text


def test_small_array_is_kept_whole():
    array = Array.of([[1.0, 2.0], [3.0, 4.5]])
    assert array.data == (1.0, 2.0, 3.0, 4.5)
    assert array.text() == "[[1.0, 2.0], [3.0, 4.5]]"
    assert array.min is None


def test_float32_is_kept_without_false_digits():
    assert Array.of(np.float32(0.1)).data == (0.1,)
    assert np.float32(Array.of(np.float32(1 / 3)).data[0]) == np.float32(1 / 3)


def test_large_array_keeps_statistics_over_finite_elements():
    values = np.arange(100.0)
    values[3] = np.nan
    array = Array.of(values)
    assert (array.min, array.max, array.finite) == (0.0, 99.0, False)
    assert array.mean == pytest.approx((4950 - 3) / 99)
    assert len(array.data) <= 64


def test_thumbnail_has_one_element_for_each_of_equal_blocks():
    values = np.kron(np.arange(6.0).reshape(2, 3), np.ones((24, 16)))
    rows, columns, peaks, _ = Array.of(values).thumb
    assert (rows, columns) == (24, 24)
    assert np.array(peaks).reshape(24, 24)[0].tolist() == [0.0] * 8 + [1.0] * 8 + [2.0] * 8


def test_huge_stretched_view_is_sampled_and_not_copied():
    array = Array.of(np.broadcast_to(np.float64(2), (10**9,)))
    assert array.text() == "all 2.0"
    assert array.sampled


@pytest.mark.parametrize("shape", [(100, 1), (1, 100), (5, 5, 5), (65,)])
def test_thumbnail_fits_any_shape(shape):
    rows, columns, peaks, tiles = Array.of(np.ones(shape)).thumb
    assert len(peaks) == rows * columns * np.prod(tiles)
    assert set(peaks) == {1.0}


def test_complex_array_shows_absolute_values():
    array = Array.of(np.full(100, 3 + 4j))
    assert array.text() == "|x| all 5.0"


def test_strings_bools_and_empty_arrays_are_recorded():
    assert Array.of(["a", "nan"]).data == ("a", "nan")
    assert Array.of([True]).text() == "[True]"
    assert Array.of(np.zeros((0, 3))).text() == "[] (empty)"


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name != "chain_10000"])
def test_json_gives_the_same_trace_back(name):
    text = EXAMPLES[name]().to_json()
    assert Trace.from_json(text).to_json() == text


@pytest.mark.parametrize(
    "value", [[np.nan, np.inf, -np.inf], [complex(np.nan, 1)], ["nan"], [True], [7]]
)
def test_array_elements_survive_json(value):
    node = Node(0, "source", (), "x", (), value=Array.of(value))
    back = Trace.from_json(Trace((node,)).to_json()).nodes[0].value
    assert repr(back) == repr(node.value)


def changed(**fields):
    return json.dumps({**json.loads(squared().to_json()), **fields})


def pushed(number, **fields):
    document = json.loads(tangents().to_json())
    document["steps"][number].update(fields)
    return json.dumps(document)


def test_a_trace_of_cotangents_is_written_as_before_and_read_without_the_new_field():
    document = json.loads(squared().to_json())
    assert "carries" not in document
    assert Trace.from_json(json.dumps(document)).carries == "cotangents"


def test_a_trace_of_version_1_is_read():
    assert Trace.from_json(changed(version=1)) == squared()


def everything():
    """A trace that uses every field of version 2."""
    one = Array.of(1.0)
    place = Line("model.py", 3, "y = f(x)", None, "forward")
    nodes = (
        Node(0, "source", (), "bfloat16", (), value=Array.of(1.0, dtype="bfloat16"), device="gpu"),
        Node(1, "op", (0,), "float32", (), op="f", calls=("loss",), scope=("layer",), record=0,
             attributes=(Attribute("axis", "[0, 1]"),), stack=(place, place), line=place),
        Node(2, "op", (0,), "float32", (), op="f", output=1, record=0, alias_of=1, version=2),
    )  # fmt: skip
    step = Step(
        "pull", 1, 0, 0, contribution=one, cotangents=(one, None),
        operands=(Operand("g_0", 1, one, "cotangent"), Operand("x", 0, one)),
        equation=(Term("x", 1), Term("·"), Term("cos(x)", value=one)),
        slopes=Slopes((0,), (0,), (math.inf,)),
    )  # fmt: skip
    return Trace(
        nodes, (step,), producer=Producer("torch", "2.9"), convention="derivative",
        insides=(Inside(1, nodes[:2], (), {0: 0, 1: 1}, 1e-8),),
        breaks=(Break(1, 0, "cast", "An integer has no derivative.", "x = 1.0", place),),
    )  # fmt: skip


def test_every_field_of_version_2_survives_json():
    text = everything().to_json()
    assert Trace.from_json(text) == everything()
    assert json.loads(text)["version"] == 2


def test_an_array_is_whole_up_to_the_size_that_is_asked_for():
    values = np.arange(900.0).reshape(30, 30)
    assert not Array.of(values).is_whole
    whole = Array.of(values, whole=1024)
    assert whole.data == tuple(range(900))
    assert Array.from_plain(whole.to_plain(), "array") == whole


def test_a_thumbnail_shows_the_largest_of_each_block_with_its_sign():
    values = np.zeros((48, 48))
    values[1, 1], values[47, 0] = -5.0, 3.0
    rows, columns, peaks, _ = Array.of(values).thumb
    grid = np.array(peaks).reshape(rows, columns)
    assert (grid[0, 0], grid[23, 0]) == (-5.0, 3.0)
    assert np.count_nonzero(grid) == 2


def test_a_thumbnail_of_images_has_a_tile_for_each_image_and_channel():
    images = np.random.default_rng(0).normal(size=(8, 8, 8, 4))
    rows, columns, peaks, tiles = Array.of(images, picture=(1, 2)).thumb
    assert (rows, columns, tiles) == (8, 8, (8, 4))
    shown = np.array(peaks).reshape(8, 4, 8, 8)
    np.testing.assert_allclose(shown, images.transpose(0, 3, 1, 2), rtol=5e-3)


def test_a_thumbnail_of_many_images_shows_the_first_and_the_largest_of_each_block():
    images = np.zeros((64, 28, 28, 32))
    images[0, 5, 2, 1], images[9, 0, 0, 0] = -4.0, 7.0
    rows, columns, peaks, (down, across) = Array.of(images, picture=(1, 2)).thumb
    assert (rows, columns) == (14, 14)  # blocks of 2 x 2
    shown = np.array(peaks).reshape(down, across, rows, columns)
    assert shown[0, 1, 2, 1] == -4.0
    assert np.count_nonzero(shown) == 1  # image 9 is none of the first ones


def test_a_thumbnail_of_kernels_has_a_tile_for_each_pair_of_channels():
    kernels = np.arange(3 * 3 * 4 * 4.0).reshape(3, 3, 4, 4)
    thumb = Array.of(kernels, picture=(0, 1)).thumb
    assert (thumb.rows, thumb.columns, thumb.tiles) == (3, 3, (4, 4))
    assert thumb.peaks[:9] == tuple(kernels[:, :, 0, 0].ravel())


def test_a_thumbnail_with_tiles_is_read_as_it_was_written():
    array = Array.of(np.full((2, 3, 9, 9), 1 + 1j))
    assert array.thumb.tiles == (2, 3)
    assert Array.from_plain(array.to_plain(), "array") == array


def with_node(**fields):
    document = json.loads(squared().to_json())
    document["nodes"][1].update(fields)
    return json.dumps(document)


ONE = {"dtype": "float64", "shape": [], "data": [1.0], "finite": True}


def with_step(**fields):
    document = json.loads(squared().to_json())
    next(step for step in document["steps"] if step["kind"] == "pull").update(fields)
    return json.dumps(document)


def with_array(**fields):
    document = json.loads(squared().to_json())
    document["nodes"][0]["value"].update(fields)
    return json.dumps(document)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (squared().to_json()[:-40], "cut off: save the trace again"),
        ("[]", "expected an object"),
        ("", "this is not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ("1" * 5_000, "this is not a trace"),
        ('{"format": "other"}', "'format' is 'other'"),
        (changed(version=3), "version 3 .* reads 1 and 2"),
        (changed(version=True), "version True"),
        (changed(extra=1), "unknown field 'extra'"),
        (changed(producer={}), "trace.producer: the field 'name' is missing"),
        (changed(convention="mine"), "expected one of 'conjugate', 'derivative'"),
        (with_node(alias_of=1), "alias_of 1 is not an earlier node"),
        (with_node(version=-1), "never negative"),
        (with_node(attributes=[{"name": "axis", "json": "[1"}]), "'axis': .* is not JSON"),
        (with_step(operands=[{"symbol": "g", "node": 7, "value": ONE}]), "there is no node 7"),
        (with_step(operands=[{"symbol": "g", "node": 0}]), "the field 'value' is missing"),
        (
            with_step(operands=[{"symbol": "g", "node": 0, "value": ONE, "kind": "sum"}]),
            "expected one of 'value', 'cotangent', 'tangent'",
        ),
        (
            with_step(slopes={"rows": [0, 0], "columns": [0, 0], "values": [1]}),
            r"lengths \[2, 2, 1\]",
        ),
        (with_step(slopes={"rows": [1], "columns": [0], "values": [1.0]}), "outside of 1 element"),
        (changed(insides=[{"node": 1, "nodes": [], "outer": {"0": 1}}]), "node 0 of an empty"),
        (changed(nodes={}), "trace.nodes: expected a list"),
        (changed(title=3), "trace.title: expected a text, got 3"),
        (changed(persistent=1), "expected true or false"),
        (changed(targets=[5]), "there is no node 5; the trace has nodes 0 to 1"),
        (changed(targets=[1, 1]), "appears twice"),
        (changed(sources=[-1]), "there is no node -1"),
        (changed(gradients={"x": None}), "keys are node ids"),
        (changed(gradients={"9": None}), "there is no node 9"),
        (changed(steps=[{"kind": "jump", "node": 0}]), "expected one of 'forward'"),
        (changed(steps=[{"kind": "seed", "node": 2}]), "there is no node 2"),
        (changed(steps=[{"kind": "pull", "node": 1}]), "'to' and 'position' are missing"),
        (
            changed(steps=[{"kind": "pull", "node": 1, "to": 0, "position": 2}]),
            "node 0 is not input 2 of node 1",
        ),
        (
            changed(steps=[{"kind": "push", "node": 1, "to": 0, "position": 0}]),
            "carries cotangents",
        ),
        (changed(carries="tangents"), "a pull in a trace that carries tangents"),
        (changed(carries="dots"), "expected one of 'cotangents', 'tangents'"),
        (pushed(5, to=None), "a push says where it comes from: 'to' and 'position' are missing"),
        (pushed(5, position=1), "node 0 is not input 1 of node 2"),
        (pushed(5, node=9), "there is no node 9"),
        (with_node(id=0), "the id is 0; ids are positions"),
        (with_node(id=True), "expected an integer, got True"),
        (with_node(inputs=[1]), "input 1 is not an earlier node"),
        (with_node(inputs=["0"]), r"inputs\[0\]: expected an integer, got '0'"),
        (with_node(shape=[-1]), "never negative"),
        (with_node(op=None), "only an op has one"),
        (with_node(kind="oracle"), "expected one of 'source'"),
        (with_node(name="\ud800"), "half a surrogate pair"),
        (with_node(formula={"text": "x", "mathml": "<script>1</script>"}), "not plain MathML"),
        (with_array(data=["NaN"]), 'write NaN and infinities as "nan"'),
        (with_array(data=[1.0, 2.0]), "2 elements for shape"),
        (with_array(data=[None]), "expected a number, got null"),
        (with_array(shape=[-1]), "impossible shape"),
        (with_array(thumb=[99, 99, []]), "each side is 1 to 24"),
        (with_array(thumb=[1, 2, [0.0]]), "1 peaks for 1 x 1 x 2"),
        (with_array(thumb=[1, 1, [0.0] * 65, [5, 13]]), r"tiles \[5, 13\]; .* 1 to 64 together"),
        (with_array(thumb=[1, 1, [0.0], [1]]), r"tiles \[1\]; they are counted down and across"),
        (with_array(colour=1), "unknown field 'colour' of an array"),
        (squared().to_json().replace("9.0", "NaN"), 'write it as a text: "nan"'),
        (squared().to_json().replace("9.0", "1e999"), "too large for a float"),
    ],
)
def test_broken_trace_is_refused_with_a_reason(text, message):
    with pytest.raises(TraceError, match=message):
        Trace.from_json(text)


def test_bytes_that_are_not_utf8_are_refused():
    with pytest.raises(TraceError, match="byte 0 is not UTF-8"):
        Trace.from_json(b"\xff\xfe")


def test_text_over_the_size_limit_is_refused_before_it_is_parsed():
    with pytest.raises(TraceError, match="200 bytes, more than the limit of 100; .*max_bytes=200"):
        Trace.from_json("[" * 200, max_bytes=100)


@pytest.mark.parametrize(
    "fragment",
    ["<img src='x'>", "<mi onclick=\"x\">a</mi>", "<mi>a", "</mi>", "<mi>a</mo>", "&evil;",
     '<mi href="x">a</mi>', "<!-- -->", "<mi>a</mi", "<mrow>" * 300],
)  # fmt: skip
def test_markup_beyond_plain_mathml_is_refused(fragment):
    with pytest.raises(TraceError, match=r"not plain MathML|never closed"):
        check_fragment(fragment)


def test_saved_trace_is_loaded_again(tmp_path: Path):
    path = squared().save(tmp_path / "tape.json")
    assert Trace.load(path) == squared()


def test_large_file_is_refused_without_being_read(tmp_path: Path):
    path = squared().save(tmp_path / "tape.json")
    with pytest.raises(TraceError, match="more than the limit of 10"):
        Trace.load(path, max_bytes=10)


def test_missing_folder_is_named_and_no_file_appears(tmp_path: Path):
    with pytest.raises(FileNotFoundError, match=r"folder .*gone.* does not exist; create it"):
        squared().save(tmp_path / "gone" / "tape.json")
    assert list(tmp_path.iterdir()) == []


def test_failing_write_leaves_the_old_file_whole(tmp_path: Path, monkeypatch):
    path = write_whole(tmp_path / "a.txt", "old")

    def full(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="no space"):
        write_whole(path, "new")
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]
    assert path.read_text() == "old"
