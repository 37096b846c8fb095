"""`viz.graph`: a traced function's nodes, its branches and loops as nested boxes."""

from __future__ import annotations

import re

import numpy as np
import pytest

import minitape as tf
from minitape import viz
from minitape.viz.layout import layout
from minitape.viz.layout.types import Layout
from minitape.viz.picture.svg import svg
from minitape.viz.trace.trace import Trace
from minitape.viz.views.of_tapes import levels, pictures
from viz_traces import HOSTILE

K = tf.constant(2.5)
LOOP = ("while_loop", "loop body")


def nested(x, y):
    """A cond in a loop."""
    a = x * y * K

    def body(i, z):
        z = tf.cond(z > 2.0, lambda: z * a, lambda: z)
        return i + 1, tf.sin(z)

    _, z = tf.while_loop(lambda i, z: i < 3, body, [tf.constant(0), tf.exp(x)])
    return z * a


@pytest.fixture
def trace():
    return viz.graph(nested, tf.constant([1.0, 2.0])[0], tf.constant(2.0)).trace


def branching(x):
    return tf.cond(x > 0.0, lambda: x * x, lambda: -x)


def many_switches(x):
    return tf.switch_case(tf.cast(x, tf.int32), [lambda: x, lambda: x * 2.0, lambda: tf.sin(x)])


def loop_in_a_loop(x):
    def outer(i, y):
        _, y = tf.while_loop(lambda j, y: j < i, lambda j, y: (j + 1, y * x), [tf.constant(0), y])
        return i + 1, y

    return tf.while_loop(lambda i, y: i < 3, outer, [tf.constant(0), x])[1]


def several_results(x):
    a, b = tf.cond(x > 0.0, lambda: (x, x * x), lambda: (tf.sin(x), x))
    return tf.cond(a > b, lambda: a * b, lambda: a - b)


PROGRAMS = [branching, many_switches, loop_in_a_loop, several_results]
EVERY = pytest.mark.parametrize("function", PROGRAMS, ids=[f.__name__ for f in PROGRAMS])


def ops(trace, scope):
    return [node.op for node in trace.nodes if node.scope == scope and node.kind == "op"]


def node_named(trace, name):
    return next(node for node in trace.nodes if node.name == name)


# Nodes


def test_nodes_have_shapes_and_dtypes_and_no_values():
    trace = viz.graph(lambda x: tf.matmul(x, x), np.ones((2, 2), np.float32)).trace
    assert [(n.kind, n.dtype, n.shape, n.value) for n in trace.nodes] == [
        ("source", "float32", (2, 2), None),
        ("op", "float32", (2, 2), None),
    ]
    assert trace.kind == "graph"


def test_inputs_variables_captured_tensors_and_constants_can_be_told_apart():
    w = tf.Variable(3.0)
    outside = tf.constant(4.0)

    def f(x):
        return x * w + outside * 2.0 * x

    found = viz.graph(f, tf.constant(1.0))
    kinds = {n.name: n.kind for n in found.trace.nodes if n.kind != "op"}
    assert kinds == {"x": "source", "w": "variable", "outside": "constant", "": "constant"}
    texts = re.sub("<[^>]*>", " ", found.svg)
    for note in ("input", "variable", "captured"):
        assert note in texts


def test_nodes_have_the_names_and_lines_of_the_learners_functions(trace):
    assert node_named(trace, "a").op == "multiply"
    assert node_named(trace, "a").line.text.strip() == "a = x * y * K"
    assert node_named(trace, "K").kind == "constant"
    loop = [n.name for n in trace.nodes if n.op == "loop variable"]
    assert loop == ["i", "z"]


def test_a_variable_after_an_assignment_is_the_assigned_one():
    v = tf.Variable(1.0)

    def f(x):
        before = v * x
        v.assign(before)
        return v + x

    trace = viz.graph(f, tf.constant(2.0)).trace
    assert [node.op for node in trace.nodes if node.op] == ["multiply", "assign", "add"]
    add = trace.nodes[-1]
    assert trace.nodes[add.inputs[0]].op == "assign"
    assert v.numpy() == 1.0


# Programs in programs


def test_branches_and_loop_parts_have_scopes_of_their_own(trace):
    assert ops(trace, ("while_loop",)) == ["loop variable", "loop variable", "while_loop"]
    assert ops(trace, ("while_loop", "loop condition")) == ["less"]
    assert ops(trace, LOOP) == ["greater", "add", "sin"]
    assert ops(trace, (*LOOP, "cond", "true branch")) == ["multiply"]
    assert ops(trace, (*LOOP, "cond", "false branch")) == ["return"]
    assert ops(trace, (*LOOP, "cond")) == ["cond"]


def test_a_cond_takes_the_predicate_and_one_result_of_each_branch():
    trace = viz.graph(branching, tf.constant(1.0)).trace
    (cond,) = [node for node in trace.nodes if node.op == "cond"]
    assert [trace.nodes[i].op for i in cond.inputs] == ["greater", "multiply", "negative"]


def test_what_the_body_gives_goes_to_the_loop_variables(trace):
    pairs = [(trace.nodes[a].op, trace.nodes[b].name) for a, b in trace.rounds]
    assert pairs == [("add", "i"), ("sin", "z")]


def test_a_loop_variable_is_watched_if_a_round_makes_it_depend_on_an_input():
    def power(x):
        start = [tf.constant(0), tf.constant(1.0), tf.constant(2.0)]
        body = lambda i, value, fixed: (i + 1, value * x, fixed * 3.0)  # noqa: E731
        _, value, fixed = tf.while_loop(lambda i, *_: i < 4, body, start)
        return value * fixed

    nodes = viz.graph(power, tf.constant(2.0)).trace.nodes
    variables = [node for node in nodes if node.op == "loop variable"]
    assert [(v.name, v.watched) for v in variables] == [
        ("i", False), ("value", True), ("fixed", False)
    ]  # fmt: skip
    assert [node.watched for node in nodes if node.op == "while_loop"] == [True, False]
    assert nodes[-1].watched


def test_what_comes_to_a_loop_variable_after_several_rounds_counts():
    def carried(x):
        start = [tf.constant(0.0), tf.constant(0.0), x]
        loop = tf.while_loop(lambda a, b, c: c > a, lambda a, b, c: (b, c, c), start)
        return loop[0]

    nodes = viz.graph(carried, tf.constant(2.0)).trace.nodes
    assert [node.watched for node in nodes if node.op == "loop variable"] == [True] * 3


def test_whole_numbers_constants_and_what_is_made_of_them_are_not_watched():
    def f(x, n):
        scale = tf.sqrt(tf.constant(4.0)) * tf.cast(n, tf.float32)
        return tf.cond(x > 0.0, lambda: x * scale, lambda: x)

    nodes = viz.graph(f, tf.constant(2.0), tf.constant(3)).trace.nodes
    watched = [node.name or node.op for node in nodes if node.watched]
    assert watched == ["x", "multiply", "return", "cond"]


def test_a_second_program_of_a_kind_has_a_scope_of_its_own():
    trace = viz.graph(several_results, tf.constant(1.0)).trace
    assert {node.scope[0] for node in trace.nodes if node.scope} == {"cond", "cond_1"}


@EVERY
def test_every_graph_is_a_valid_trace(function):
    trace = viz.graph(function, tf.constant(1.0)).trace
    assert Trace.from_json(trace.to_json()) == trace
    assert len(trace.targets) == 1


def test_a_functions_own_traces_stay_as_they_were():
    function = tf.function(branching)
    function(tf.constant(1.0))
    viz.graph(function, tf.constant(1.0))
    assert function.experimental_get_tracing_count() == 1


def test_a_graph_and_a_concrete_function_can_be_drawn():
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, (3,), name="fed")
        tf.reduce_sum(x * x)
    assert [n.op or n.kind for n in viz.graph(graph).trace.nodes] == [
        "source", "multiply", "reduce_sum"
    ]  # fmt: skip
    concrete = tf.function(branching).get_concrete_function(tf.constant(1.0))
    assert len(viz.graph(concrete).trace.nodes) == 6  # x, 0, greater, both, cond


def test_wrong_arguments_teach():
    with pytest.raises(TypeError, match="expected a function of tensors"):
        viz.graph(3.0)
    with pytest.raises(ValueError, match="cannot be drawn as a graph"):
        viz.graph(lambda x: x if x > 0 else -x, tf.constant(1.0))


# Boxes


def box_of(placed: Layout, node: int):
    (x, y), (width, height) = placed.positions[node], placed.sizes[node]
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def is_within(inner, outer):
    return (
        outer[0] <= inner[0] and outer[1] <= inner[1]
        and inner[2] <= outer[2] and inner[3] <= outer[3]
    )  # fmt: skip


def touch(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


@pytest.mark.parametrize("function", [*PROGRAMS, nested], ids=lambda f: f.__name__)
def test_a_frame_holds_its_own_nodes_and_no_others(function):
    arguments = [tf.constant(1.0)] * (2 if function is nested else 1)
    trace = viz.graph(function, *arguments).trace
    placed = layout(trace)
    frames = {
        f.scope: (*f.box[:2], f.box[0] + f.box[2], f.box[1] + f.box[3]) for f in placed.frames
    }
    assert set(frames) == {n.scope[:k] for n in trace.nodes for k in range(1, len(n.scope) + 1)}
    for scope, frame in frames.items():
        for node in trace.nodes:
            if node.scope[: len(scope)] == scope:
                assert is_within(box_of(placed, node.id), frame)
            else:
                assert not touch(box_of(placed, node.id), frame)
        for other, around in frames.items():
            if scope[: len(other)] == other:
                assert is_within(frame, around)
            elif other[: len(scope)] != scope:
                assert not touch(frame, around)


@pytest.mark.parametrize("function", [*PROGRAMS, nested], ids=lambda f: f.__name__)
def test_every_edge_is_one_curve_from_its_source_to_its_target(function):
    arguments = [tf.constant(1.0)] * (2 if function is nested else 1)
    trace = viz.graph(function, *arguments).trace
    placed = layout(trace)
    keys = {(e.source, e.target, e.position) for e in placed.edges}
    assert keys == {(s, n.id, p) for n in trace.nodes for p, s in enumerate(n.inputs)}
    for edge in (*placed.edges, *placed.rounds):
        assert len(edge.points) % 3 == 1
        start, end = box_of(placed, edge.source), box_of(placed, edge.target)
        assert edge.points[0][1] == pytest.approx(start[3], abs=0.3)
        assert edge.points[-1][1] == pytest.approx(end[1], abs=0.3)
        assert start[0] <= edge.points[0][0] <= start[2]
        assert end[0] <= edge.points[-1][0] <= end[2]
    assert len(placed.rounds) == len(trace.rounds)


def test_boxes_are_labelled(trace):
    texts = re.findall(r'class="tab [a-z]+".*?<text[^>]*>([^<]*)<', svg(trace))
    assert texts == [
        "while_loop", "loop condition", "loop body", "cond", "true branch", "false branch"
    ]  # fmt: skip


def test_positions_are_the_same_at_every_step(trace):
    def places(step):
        drawing = svg(trace, step=step)
        return re.findall(r'transform="[^"]*"| d="[^"]*"|<rect class="frame[^>]*>', drawing)

    first = places(-1)
    assert all(places(step) == first for step in range(len(trace.steps)))


# Opening and closing


def test_levels_go_from_all_closed_to_all_open(trace):
    shown = [[n.name or n.op for n in view.trace.nodes if n.op] for view in levels(trace)]
    assert shown[0] == ["multiply", "a", "exp", "while_loop", "multiply"]
    assert {"i", "z", "loop condition", "loop body"} <= set(shown[1])
    assert {"less", "cond", "sin"} <= set(shown[2])
    assert {"true branch", "false branch"} <= set(shown[3])
    assert sorted(shown[4]) == sorted(n.name or n.op for n in trace.nodes if n.op)


def test_every_level_is_a_valid_graph_with_all_nodes(trace):
    for view in levels(trace):
        assert Trace.from_json(view.trace.to_json()) == view.trace
        assert sorted(n for m in view.members for n in m) == list(range(len(trace.nodes)))


def test_the_first_picture_is_open_and_each_leads_deeper(trace):
    drawn = pictures(trace)
    assert [picture.depth for picture in drawn] == [4, 0, 1, 2, 3]
    assert [drawn[p.deeper].depth for p in drawn[1:]] == [1, 2, 3, 4]
    assert drawn[0].deeper is None
    assert drawn[1].opens and set(drawn[1].opens.values()) == {2}


# Output


@pytest.mark.parametrize("ending", ["html", "svg", "png", "pdf", "dot", "mmd", "json", "gif"])
def test_it_is_saved_in_every_format(ending, tmp_path):
    if ending in ("png", "pdf", "gif"):
        pytest.importorskip("resvg_py", reason="pictures need extra export")
        pytest.importorskip("fpdf", reason="pictures need extra export")
    view = viz.graph(branching, tf.constant(1.0))
    assert view.save(tmp_path / f"graph.{ending}").stat().st_size > 200


def test_an_ending_without_a_format_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="no format has the ending"):
        viz.graph(branching, tf.constant(1.0)).save(tmp_path / "graph.xyz")


def test_hostile_names_are_text():
    def f(x):
        held = {HOSTILE: x * 2.0}
        return held[HOSTILE] + 1.0

    view = viz.graph(f, tf.constant(1.0), title=HOSTILE)
    assert any("onerror" in node.name for node in view.trace.nodes)
    for text in (view.svg, view._repr_mimebundle_()["text/html"]):
        assert "<img src=x" not in text
        assert "</script><img" not in text


def test_an_argument_keeps_its_name_when_the_function_reuses_it():
    def f(x, *others):
        x = tf.sin(x) * others[0]
        return x

    nodes = viz.graph(f, tf.constant(1.0), tf.constant(2.0)).trace.nodes
    assert [node.name for node in nodes] == ["x", "others[0]", "", "x"]


def test_the_variables_of_layers_are_called_with_their_layers():
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, name=name) for name in ("first", "last")])
    trace = viz.graph(model, tf.ones([1, 3])).trace
    assert [node.name for node in trace.nodes if node.kind == "variable"] == [
        "first.kernel", "first.bias", "last.kernel", "last.bias"
    ]  # fmt: skip
