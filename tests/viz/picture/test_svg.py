"""The still picture: what it shows, that nothing moves, and that texts stay texts."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import numpy as np
import pytest

from minitape.viz.layout import layout
from minitape.viz.layout.labels import columns, labels, shorten
from minitape.viz.picture.miniatures import miniature
from minitape.viz.picture.svg import escape, svg
from minitape.viz.picture.svg_style import style_sheet
from minitape.viz.trace.progress import progress
from minitape.viz.trace.trace import Array, Node, Trace
from viz_traces import (
    EXAMPLES,
    HOSTILE,
    broadcasting,
    chain,
    diamond,
    network,
    squared,
    thrice,
    unconnected,
)

NAMESPACE = "{http://www.w3.org/2000/svg}"
SHORT = [name for name in EXAMPLES if not name.startswith("chain_1")]


def drawn(trace, **options):
    return ElementTree.fromstring(svg(trace, layout(trace, engine="builtin"), **options))


def groups_of(root):
    return {int(g.get("data-node")): g for g in root.iter(f"{NAMESPACE}g") if g.get("data-node")}


def texts_of(group):
    return ["".join(text.itertext()) for text in group.findall(f"{NAMESPACE}text")]


@pytest.mark.parametrize("name", SHORT)
def test_picture_is_well_formed_at_the_end_and_at_every_kind_of_step(name):
    trace = EXAMPLES[name]()
    first = {step.kind: number for number, step in reversed(list(enumerate(trace.steps)))}
    for step in (None, -1, *first.values()):
        root = drawn(trace, step=step)
        assert len(groups_of(root)) == len(trace.nodes)
        edges = [p.get("data-edge") for p in root.iter(f"{NAMESPACE}path") if p.get("data-edge")]
        assert len(edges) == sum(len(node.inputs) for node in trace.nodes)


def test_node_shows_name_op_value_and_gradient():
    groups = groups_of(drawn(squared()))
    assert texts_of(groups[0]) == ["x", "3.0", "∂ 6.0"]
    assert texts_of(groups[1]) == ["y", "multiply", "9.0", "∂ 1.0"]


def test_array_shows_its_shape_and_a_large_one_its_range():
    groups = groups_of(drawn(broadcasting()))
    assert texts_of(groups[0]) == ["x", "[1, 3]", ""]
    assert texts_of(groups[1])[1:3] == ["[3, 2]", ""]


def test_an_array_on_a_node_is_a_square_for_each_number_and_hollow_where_it_is_negative():
    values = np.array([[1.0, -1.0, 0.0], [4.0, -4.0, 2.0]])
    node = Node(0, "source", (), "float64", (2, 3), name="x", value=Array.of(values))
    marks = re.findall(r'class="k value (\w+)" d="([^"]*)"', svg(Trace((node,))))
    sides = {name: re.findall(r"h([\d.]+)", d) for name, d in marks}
    assert {name: len(each) for name, each in sides.items()} == {
        "filled": 3,
        "hollow": 2,
        "zero": 1,
    }
    one, four, _ = map(float, sides["filled"])
    assert four == pytest.approx(2 * one, rel=0.02)  # the area says how much


def test_kinds_and_roles_are_classes():
    classes = {i: set(g.get("class").split()) for i, g in groups_of(drawn(broadcasting())).items()}
    assert classes[0] == {"n", "constant", "pictured"}
    assert classes[1] == {"n", "variable", "asked", "pictured"}
    assert classes[6] == {"n", "op", "target"}


def test_kinds_differ_in_form_and_not_only_in_colour():
    rows = [Node(0, "source", (), "x", ()), Node(1, "variable", (), "x", ())]
    rows += [Node(2, "constant", (), "x", ()), Node(3, "op", (0,), "x", (), op="exp")]
    groups = groups_of(drawn(Trace(tuple(rows))))
    forms = {
        (len(list(g.iter(f"{NAMESPACE}rect"))), g.find(f"{NAMESPACE}rect").get("rx"))
        for g in groups.values()
    }
    assert len(forms) == 4


@pytest.mark.parametrize("name", ["broadcasting", "nested_layers", "hostile"])
def test_nothing_moves_from_step_to_step(name):
    trace = EXAMPLES[name]()
    placed = layout(trace, engine="builtin")
    frozen = set()
    for step in (None, *range(-1, len(trace.steps))):
        text = re.sub(r'<g class="mini".*?</g>', "", svg(trace, placed, step=step))
        moving = r'transform="[^"]*"| d="[^"]*"|<rect [^>]*>|viewBox="[^"]*"| [xy]="[^"]*"'
        frozen.add(tuple(re.findall(moving, text)))
    assert len(frozen) == 1


def test_step_shows_only_what_is_known_then():
    trace = thrice()
    pulls = [
        number
        for number, step in enumerate(trace.steps)
        if step.node == 0 and step.kind != "forward"
    ]
    shown = [texts_of(groups_of(drawn(trace, step=number))[0])[-1] for number in pulls]
    assert shown == ["∂ 8.0", "∂ 12.0"]
    before = groups_of(drawn(trace, step=0))
    assert texts_of(before[0]) == ["x", "2.0", ""]
    assert "waiting" in before[2].get("class")


def test_step_marks_the_current_nodes_and_edge():
    trace = diamond()
    number = next(i for i, step in enumerate(trace.steps) if step.kind == "pull" and step.node == 2)
    root = drawn(trace, step=number)
    now = {i for i, g in groups_of(root).items() if "now" in g.get("class").split()}
    edges = [
        p.get("data-edge") for p in root.iter(f"{NAMESPACE}path") if "now" in p.get("class").split()
    ]
    assert (now, edges) == ({0, 2}, ["0:2:0"])


def test_unconnected_source_says_none():
    group = groups_of(drawn(unconnected()))[1]
    assert "unconnected" in group.get("class")
    assert texts_of(group)[-1] == "✕ None"


def test_badge_marks_a_node_from_the_step_at_which_paths_meet():
    trace = thrice()
    at = next(i for i, step in enumerate(trace.steps) if step.kind == "accumulate")
    for step, is_shown in ((at - 1, False), (at, True), (None, True)):
        groups = groups_of(drawn(trace, step=step))
        badges = {i for i, g in groups.items() if g.findall(f"{NAMESPACE}g[@class='badge']")}
        assert badges == {0}
        assert ("accumulated" in groups[0].get("class")) is is_shown


def test_only_the_rules_that_a_drawing_needs_are_in_it():
    inner = tuple(replace(node, layer=1, scope=("inner",)) for node in squared().nodes)
    plain, full = svg(squared()), svg(Trace(inner))
    assert ".band" not in plain
    assert ".tint-0 .rim" in full
    assert len(style_sheet("p", plain)) < 0.7 * len(style_sheet("p"))


@pytest.mark.parametrize("name", SHORT)
def test_no_text_is_wider_than_its_box_at_any_step(name):
    trace = EXAMPLES[name]()
    for label in labels(trace):
        value, cotangent = ("", "") if label.pictured else (label.value, label.cotangent)
        # 0.602 em is the width of a character of the widest usual monospaced font.
        head = 13 * columns(label.title) + sum(
            12 * (columns(part) + 1) for part in (label.note, label.shape) if part
        )
        assert 0.602 * max(head, 12 * columns(value), 12 * columns(cotangent)) <= label.width - 20
    for step in trace.steps:
        for array in (step.total, step.cotangent):
            if array is not None:
                assert columns(array.text(24)) <= 40


def test_hostile_names_are_text_in_every_place():
    trace = EXAMPLES["hostile"]()
    text = svg(trace, layout(trace, engine="builtin"))
    assert "<img" not in text
    assert "<b>" not in text
    assert "\u202e" not in text
    groups = groups_of(ElementTree.fromstring(text))
    tooltip = groups[0].find(f"{NAMESPACE}title").text
    assert tooltip.splitlines()[0] == HOSTILE
    assert "n" * 10_000 in groups[2].find(f"{NAMESPACE}title").text
    assert texts_of(groups[2])[0] == "n" * 19 + "…"


def test_names_from_right_to_left_cannot_reorder_their_neighbours():
    trace = EXAMPLES["hostile"]()
    assert "unicode-bidi:isolate" in svg(trace, layout(trace, engine="builtin"))


def test_all_ids_start_with_the_prefix_and_all_rules_are_bound_to_it():
    text = svg(diamond(), prefix="out7")
    assert all(name.startswith("out7") for name in re.findall(r' id="([^"]*)"', text))
    style = re.search(r"<style>(.*)</style>", text).group(1)
    selectors = re.findall(r"([^{}]+){", re.sub(r"@media[^{]*{", "", style))
    assert all(part.startswith("#out7") for s in selectors for part in s.split(","))


def test_prefix_that_could_leave_its_attribute_is_refused():
    with pytest.raises(ValueError, match="is no plain name; begin with a letter"):
        svg(diamond(), prefix='x" onload="alert(1)')


def test_layout_of_another_trace_is_refused():
    with pytest.raises(ValueError, match="the layout has 2 nodes and the trace 4"):
        svg(diamond(), layout(squared()))


def test_step_that_does_not_exist_is_refused():
    with pytest.raises(IndexError, match="no step 99: this trace has steps 0 to"):
        svg(diamond(), step=99)


def test_dark_mode_and_programs_without_custom_properties_are_served():
    text = svg(diamond())
    assert "@media(prefers-color-scheme:dark)" in text
    assert "fill:#16191d;fill:var(--mt-ink,#16191d)" in text


def test_contrast_of_every_text_is_readable():
    from minitape.viz.picture.theme import DARK, LIGHT

    def luminance(colour):
        parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    for colours in (LIGHT, DARK):
        for ink in ("ink", "muted", "cotangent"):
            for paper in ("op", "source", "variable", "constant", "target", "now"):
                light, dark = sorted((luminance(colours[ink]), luminance(colours[paper])))[::-1]
                assert (light + 0.05) / (dark + 0.05) >= 4.5, (ink, paper)


def test_characters_that_xml_cannot_hold_become_visible():
    assert escape("a\x00b\ud800") == "a\ufffdb\ufffd"


def test_wide_and_combining_characters_count_as_they_are_drawn():
    assert (columns("漢字"), columns("e\u0301"), columns("ab")) == (4, 1, 2)
    assert shorten("漢字漢字漢字", 6) == "漢字…"


def test_size_of_the_picture_is_bounded_per_node():
    trace = network(20)
    assert len(svg(trace, layout(trace, engine="builtin"))) / len(trace.nodes) < 6_000
    assert len(svg(chain(100))) / 100 < 1_000


def test_progress_after_all_steps_has_the_gradients():
    trace = broadcasting()
    assert {i: progress(trace).cotangents.get(i) for i in trace.sources} == trace.gradients
    assert progress(trace, -1).current is None


def test_node_without_value_says_so():
    node = Node(0, "source", (), "float32", (2,))
    assert texts_of(groups_of(drawn(Trace((node,))))[0]) == ["source", "[2]", "not kept"]
    assert Array.of(1.0).text() == "1.0"


def test_closed_group_is_drawn_as_a_stack_and_nothing_moves_for_it():
    placed = layout(squared(), engine="builtin")
    plain, stacked = (
        groups_of(ElementTree.fromstring(svg(squared(), placed, closed=ids))) for ids in ((), (1,))
    )
    assert "group" in stacked[1].get("class").split()
    assert len(stacked[1].findall(f"{NAMESPACE}path[@class='s']")) == 2
    assert stacked[1].get("transform") == plain[1].get("transform")


@pytest.mark.parametrize("shape", [(36, 2), (100, 1), (1, 64), (24, 24)])
def test_a_thin_or_large_matrix_has_a_miniature_of_its_largest_elements(shape):
    values = np.random.default_rng(0).normal(size=shape)
    values[0, 0] = -9.0  # the largest of its block, and of all
    drawn = miniature(Array.of(values, whole=4096), "value", (0, 0), (72, 36))
    marks = drawn.count("M")
    assert 4 <= marks <= 18 * 8  # cells of at least four pixels
    hollow = re.search(r'hollow" d="([^"]*)"', drawn)
    assert hollow and hollow[1].startswith("M")
    sides = [float(side) for side in re.findall(r"h([\d.]+)v", drawn)]
    assert max(sides) > 2
