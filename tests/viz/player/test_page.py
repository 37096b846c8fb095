from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

import minitape as tf
from embedded import embedded
from minitape import viz
from minitape.viz.player.packing import PACK_ABOVE, data_script
from minitape.viz.player.page import (
    MAX_ROWS,
    fragment,
    image,
    page,
    steps_table,
)
from minitape.viz.player.payload import payload, peaks_text
from minitape.viz.player.program import program, script
from minitape.viz.player.touch import touch_data
from minitape.viz.trace.trace import Array, Node, Step, Trace
from viz_traces import EXAMPLES, HOSTILE, chain, diamond, network, unconnected

SMALL = [name for name in EXAMPLES if not name.startswith("chain_")]


def without_data(text: str) -> str:
    return re.sub(r"<script.*?</script>|base64,[\w+/=]+", "", text, flags=re.DOTALL)


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_the_same_trace_gives_the_same_bytes(name: str) -> None:
    assert page(EXAMPLES[name]()) == page(EXAMPLES[name]())
    assert fragment(EXAMPLES[name]()) == fragment(EXAMPLES[name]())


@pytest.mark.parametrize("name", SMALL)
def test_the_embedded_data_is_the_payload(name: str) -> None:
    trace = EXAMPLES[name]()
    given = payload(trace)
    assert embedded(fragment(trace)) == given
    assert embedded(page(trace)) == given | touch_data(trace)


def test_two_copies_of_a_fragment_share_no_id() -> None:
    assert " id=" not in without_data(fragment(diamond()))


def test_nothing_names_another_machine() -> None:
    text = page([diamond(), network()])
    urls = set(re.findall(r"https?://[^\s\"'<>)\\]+", text))
    assert urls <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1998/Math/MathML"}
    assert "default-src 'none'" in text


def test_hostile_names_reach_the_markup_only_escaped() -> None:
    trace = EXAMPLES["hostile"]()
    for text, scripts in (
        (page(trace), 3),
        (fragment(trace), 2),
    ):  # a page has one for old browsers
        assert "<img src=x" not in text
        assert text.count("</script>") == scripts
        assert payload(trace)["title"] == HOSTILE


def test_small_data_stays_readable_and_cannot_end_its_script() -> None:
    hostile = "</script><!--\u2028"
    script = data_script({"title": hostile})
    assert "data-packed" not in script
    assert script.count("<") == 2
    assert "\u2028" not in script
    assert embedded(script) == {"title": hostile}


def test_large_data_is_deflated() -> None:
    script = data_script({"title": "x" * PACK_ABOVE})
    assert len(script) < 300
    assert embedded(script) == {"title": "x" * PACK_ABOVE}


def test_every_number_of_an_array_arrives_as_text() -> None:
    data = payload(EXAMPLES["not_finite"]())
    assert data["arrays"][data["nodes"][0]["value"]]["cells"] == ["0.0", "1.0", "∞", "NaN"]


def test_negative_numbers_have_a_real_minus_sign_where_people_read_them() -> None:
    steep = replace(diamond().nodes[0], value=Array.of(-0.5))
    data = payload(Trace((steep, *diamond().nodes[1:])))
    assert data["nodes"][0]["label"] == "−0.5"
    assert data["arrays"][0]["cells"] == ["−0.5"]


def test_the_peaks_of_a_heat_map_are_marks_whose_sides_are_right_to_a_pixel() -> None:
    values = np.where(np.arange(96.0) < 4, np.nan, 2.0 - np.arange(96.0))
    values[8:12] = 0.0
    node = Node(0, "source", (), "float64", (96,), value=Array.of(values))
    rows, columns, largest, text = payload(Trace((node,)))["arrays"][0]["thumb"]
    assert (rows, columns, largest, len(text)) == (1, 24, 93.0, 24)
    assert (text[0], text[2]) == ("~", "P")
    widths = [(ord(character) - 80) / 45 for character in text[3:]]
    expected = -np.sqrt((np.arange(15.0, 96.0, 4) - 2) / 93)
    np.testing.assert_allclose(widths, expected, atol=0.5 / 45 + 1e-9)


def test_a_peak_that_is_hardly_more_than_zero_is_no_zero() -> None:
    assert peaks_text([1e-9, -1e-9, 0.0, 1.0])[1] == "QOP}"


def test_equal_arrays_are_stored_once() -> None:
    arrays = payload(diamond())["arrays"]
    assert len(arrays) == len({json.dumps(array) for array in arrays})


def test_a_long_table_keeps_its_beginning_and_its_end() -> None:
    trace = chain(1_000)
    text = steps_table(trace)
    assert text.count("<tr>") == MAX_ROWS + 2
    assert trace.steps[0].sentence in text
    assert trace.steps[-1].sentence in text
    assert "steps are left out here" in text


def test_a_table_counts_the_steps_as_the_slider_does_and_a_dropped_record_has_no_number() -> None:
    kinds = ["forward", "seed", "pull", "release", "pull", "release"]
    text = steps_table(Trace(diamond().nodes, tuple(Step(kind, 0, sentence="") for kind in kinds)))
    numbers = re.findall(r"<tr><td>(\d*)</td><td>(\w+)", text)
    assert numbers == list(zip(["1", "2", "3", "", "4", ""], kinds, strict=True))
    assert "4 steps as a table" in text


def test_names_in_a_sentence_are_code_and_a_lonely_backtick_stays() -> None:
    steps = (Step("seed", 0, sentence="`a<b` starts"), Step("seed", 0, sentence="odd ` one"))
    text = steps_table(Trace(diamond().nodes, steps))
    assert "<code>a&lt;b</code> starts" in text
    assert "odd ` one" in text


def test_a_still_picture_is_one_image_without_scripts() -> None:
    text = image(diamond())
    assert text.startswith("<img src=")
    assert text.count("<") == 1


def test_several_traces_share_one_script() -> None:
    text = page([diamond(), unconnected(), network()], "Examples")
    assert text.count(script("player", "untouched", "page")) == 1
    assert text.count('class="minitape-player"') == 3
    assert "<title>Examples</title>" in text
    assert text.count('href="#player-') == 3


def test_a_page_without_players_is_still_a_page() -> None:
    assert "<title>Empty</title>" in page([], "Empty")


def test_a_trace_without_steps_makes_a_page() -> None:
    bare = Trace(diamond().nodes)
    assert embedded(page(bare))["steps"] == []


def test_the_script_holds_no_closing_tag() -> None:
    for names in (["player", "page"], ["player", "stage"], ["exhibit"]):
        assert "</script" not in program(*names).lower()


def test_a_script_takes_the_colours_that_it_needs_and_no_others() -> None:
    text = program("player")
    defined = set(re.findall(r"(--[\w-]+):light-dark\(#", text))
    assert defined
    assert {name for name in defined if f"var({name})" not in text} == set()
    assert "palette: here" not in text


def test_sizes_stay_in_budget() -> None:
    assert len(script("player", "page").encode()) < 69_600  # with hall, finder and motion
    twelve = chain(11)
    assert len(twelve.nodes) == 12
    assert len(fragment(twelve).encode()) < 83_500
    assert len(page(twelve).encode()) < 85_500
    assert len(page(chain(999)).encode()) < 230_000


def test_a_recorded_tape_of_twelve_nodes_stays_in_budget_with_formulas_and_code() -> None:
    """Two layers: matmul, add, tanh, matmul, sigmoid, reduce_mean; weights, inputs, targets."""
    x = tf.constant([[1.0, 2.0], [0.5, -1.0]])
    w, b = tf.Variable([[0.1, -0.2], [0.4, 0.3]]), tf.Variable([0.1, 0.0])
    v = tf.Variable([[0.5], [-0.5]])
    with viz.recording(), tf.GradientTape() as tape:
        h = tf.tanh(x @ w + b)
        out = tf.square(tf.sigmoid(h @ v))
        loss = tf.reduce_mean(out)
    trace = viz.step(tape, loss, [w, b, v]).trace
    assert len(trace.nodes) >= 11
    assert all(node.formula for node in trace.nodes if node.kind == "op")
    assert len(fragment(trace).encode()) < 97_000  # the program is 70 kB of it
