"""What lesson 8 says of traces, folding, fusion and loops, recomputed; its moving picture."""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from unittest import mock
from xml.etree import ElementTree

import numpy as np
import pytest
from test_claims import landing, run, squared_miss, two_sided

import minitape as tf
from lesson_cells import alternatives, prose
from minitape.viz.course.motion import compiling

STEP = ("def step(v)", "class Line(", "lines = trace_of(", "DO |=", "def with_slope(")
REWRITE = (*STEP, "def folded(", "def loop_of(", "program = {}")
THROW = ("def moment(", "def looped(")


@pytest.fixture(scope="module")
def rewritten():
    return run("08", *REWRITE)


def after(v):
    """The velocity after one step, by a formula."""
    return v - 0.0004 * (v + 6 * np.tanh(1.5 / 5)) ** 2


def test_python_runs_once_for_five_velocities_and_has_no_number(rewritten):
    names, printed = rewritten
    first = printed.split("a = div")[0]
    assert first.count("Python runs") == 1 and "shape=()" in first
    for v in (10.0, 12.0, 14.0, 16.0, 18.0):
        assert f"{v}: {after(v):.3f}" in printed
    assert [str(line)[0] for line in names["lines"]] == list("abcdefg")


def test_the_list_runs_without_the_function_and_its_last_line_is_the_slope(rewritten):
    names, printed = rewritten
    v = np.array([10.0, 12.0, 14.0])
    slope = 1 - 0.0008 * (v + 6 * np.tanh(1.5 / 5))
    values = names["run"](names["both"], v)
    np.testing.assert_allclose(values["g"], after(v), rtol=1e-6)
    np.testing.assert_allclose(values["l"], slope, rtol=1e-6)
    assert [line.name for line in names["both"]] == list("abcdefghijkl")
    used = {each for line in names["both"][7:] for each in line.inputs}
    assert {"d", "e"} < used and not used & set("abcfg")  # those two are used again
    assert printed.count(str(after(v).round(3))) == 2  # by the loop and by the list
    assert printed.count(str(slope.round(4))) == 2


def test_folding_leaves_nine_lines_and_the_wind_as_a_number(rewritten):
    names, _ = rewritten
    short = names["folded"](names["both"])
    assert [line.name for line in short] == list("defghijkl")
    assert str(short[0]) == f"d = add(v, {6 * np.tanh(0.3):.5g})" == "d = add(v, 1.7479)"
    v = 11.0
    assert names["run"](short, v)["g"] == pytest.approx(after(v), rel=1e-6)


def test_nine_lines_move_21_numbers_for_each_ball_and_one_loop_moves_3(rewritten):
    names, printed = rewritten
    letters = [set(re.findall(r"\b[a-z]\b", str(line))) for line in names["short"]]
    assert sum(map(len, letters)) == 21  # all that are read, and the one that is written
    assert "line by line: 21 million; in one loop: 3 million" in printed
    text = names["loop_of"](names["short"], ["g", "l"])
    assert text.count("for ") == 1 and text.count("[n] =") == 2


def test_a_vector_and_each_python_number_are_traced_and_a_tensor_is_not():
    _, printed = run("08", "def step(v)", "traced(argument)")
    assert printed.splitlines().count("4 traces") == 1
    assert re.findall(r"v is (\d.0)", printed) == ["6.0", "7.0"]


def calls(function, argument) -> int:
    """How many functions of Python are called when this one is."""
    made = 0

    def note(frame, event, _):
        nonlocal made
        made += event == "call"

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            function(tf.constant(argument))
    finally:
        sys.setprofile(before)
    return made


@pytest.mark.parametrize(
    ("begin", "name", "argument", "least"),
    [(("def step(v)",), "step", 1.0, 30), (THROW, "written_out", [10.0, 10.0], 500)],
)
def test_tracing_costs_as_many_calls_as_dozens_of_runs(begin, name, argument, least):
    names, _ = run("08", *begin)
    function = names[name]
    traced = tf.function(getattr(function, "python_function", function))
    first, again = calls(traced, argument), calls(traced, argument)
    assert first > least * again > 0
    said = (
        "Tracing this step costs about as much as a hundred runs of it; tracing the whole throw, "
        "about as much as a thousand throws"
    )
    assert said in prose("08")


def test_traced_gusts_are_a_wind_and_in_python_they_nearly_cancel():
    names, _ = run("08", "def gusty(")

    def ends(step):
        found = []
        for _ in range(10):
            v = 10.0
            for _ in range(100):
                v = float(step(tf.constant(v)))
            found.append(v)
        return np.array(found)

    traced, plain = ends(names["gusty"]), ends(names["gusty"].python_function)
    assert np.ptp(traced) == 0 and abs(traced[0] - 10) > 1  # one line, which leads away
    assert np.ptp(plain) > 0.1 and abs(plain - 10).max() < 0.6
    assert "noise has become a wind" in prose("08")


def test_only_the_derivative_needs_neither_the_new_velocity_nor_the_drag(rewritten):
    names, _ = rewritten
    needed: set[str] = {"l"}
    for name, _, inputs in reversed(names["both"]):
        needed |= {each for each in inputs if name in needed and isinstance(each, str)}
    assert set("abcdefghijkl") - needed == set("fg")
    uses = {
        name: {each for each in row if each in "abcdefgh"}
        for name, _, row in (
            (name, op, [each for each in inputs if isinstance(each, str)])
            for name, op, inputs in names["both"][7:]
        )
    }
    assert uses["h"] == {"d"} and uses["i"] == {"e"}  # the thick arrows


def test_what_numpy_draws_while_tracing_is_the_same_at_every_call():
    _, printed = run("08", "def gusty(")
    assert "1 result" in printed.splitlines()

    @tf.function
    def drawn(v):
        return v - 0.02 * tf.random.normal([])

    assert len({float(drawn(tf.constant(10.0))) for _ in range(5)}) == 5


def test_an_if_runs_its_python_each_time_and_a_cond_does_not():
    _, printed = run("08", "def drag(", "def branching(")
    found = re.findall(r"^9\.0 -9\.0\nruns its Python each time: (\w+)", printed, re.M)
    assert found == ["True", "False"]

    @tf.function
    def both(v):
        def branch(x):
            traced.append(x)
            return x

        return tf.cond(v > 0.0, lambda: branch(v), lambda: branch(-v))

    traced: list[object] = []
    assert float(both(tf.constant(3.0))) == 3
    assert len(traced) == 2


def test_the_side_that_where_does_not_take_gives_nan():
    _, printed = run("08", "y = tf.where(", "At 0 the value is 0")
    assert "[0.693 0.   ]\n" in printed
    assert "[0.5 nan]\n" in printed


def test_a_loop_that_is_an_operation_is_one_of_few_lines():
    names, printed = run("08", *THROW, "aim = tf.")
    lines = [int(each) for each in re.findall(r"(\d+) lines", printed)]
    assert 1900 < lines[0] < 2100  # "some two thousand"
    assert lines[1] <= 12  # "a dozen at most"
    nodes = names["looped"].get_concrete_function(names["aim"]).graph.nodes
    assert sum(node.op.type_name == "Run" for node in nodes) == 1
    missed = squared_miss((10.0, 10.0)) ** 0.5
    assert printed.count(f"misses by {missed:.3f} m") == 2
    assert missed == pytest.approx(np.hypot(*(np.array(landing((10.0, 10.0))) - [20.0, 2.0])))


def test_a_line_that_has_its_turn_too_early_loses_half_of_the_drag():
    _, printed = run("08", *STEP, "def folded(", "def slope_by(", '"gfde"')
    air = 10.0 + 6 * np.tanh(0.3)
    assert f"order g f e d  slope {1 - 2 * 0.0004 * air:.4f}" in printed
    assert f"order g f d e  slope {1 - 0.0004 * air:.4f}" in printed


@pytest.mark.course
def test_a_round_saves_calls_only_if_its_tape_is_traced_too():
    parts = (*THROW, "aim = tf.", "def counted(", '"tape in the trace"', "# Given: it measures on")
    names, _ = run("08", *parts)
    (ran, plain, slow), (*around, _), (*inside, fast) = names["found"].values()
    assert (round(ran, -2), round(plain, -3)) == (600, 9000)
    assert around[0] == inside[0] == 0  # "A trace runs none of your lines"
    assert 1.0 < around[1] / plain < 1.15  # "even a few calls more"
    assert round(inside[1] / plain, 1) == 0.1
    assert "about 9000 in Python" in alternatives("08")
    assert fast < slow / 2  # "several times faster"
    assert "the round is several times faster" in prose("08")
    aim = np.array([10.0, 10.0])
    slopes = two_sided(squared_miss, aim)
    for way in names["ways"].values():
        np.testing.assert_allclose(way(names["aim"]), slopes, rtol=1e-3)


def test_minitape_drops_lines_whose_results_nobody_uses():
    @tf.function
    def unused(x):
        tf.linalg.inv(0.0 * x)  # a matrix that has none
        return x + x

    x = tf.constant([[1.0, 0.0], [0.0, 1.0]])
    nodes = unused.get_concrete_function(x).graph.nodes
    assert "MatrixInverse" in [node.op.type_name for node in nodes]
    np.testing.assert_array_equal(unused(x), 2 * np.eye(2))
    assert "and drops lines that no result needs" in prose("08")


def test_minitape_computes_constants_once():
    @tf.function
    def solved(x):
        return x @ tf.linalg.inv(tf.constant([[2.0, 0.0], [0.0, 4.0]]))

    with mock.patch.object(np.linalg, "inv", wraps=np.linalg.inv) as inverted:
        for k in range(3):
            found = solved(tf.constant([[float(k), 1.0]]))
            np.testing.assert_allclose(found, [[k / 2, 0.25]])
    if os.environ.get("MINITAPE_PLAIN") != "1":
        assert inverted.call_count == 1
    assert "minitape folds constants, too" in prose("08")


def test_only_uses_on_paths_to_the_target_count():
    _, printed = run("08", "graph = tf.Graph()", "(slope_of_q,)")
    assert "lines: 5 and 9 more" in printed
    x = 2.0
    y = x**2 * np.sin(x**2) + x
    slope = 2 * x * np.sin(x**2) + 2 * x**3 * np.cos(x**2) + 1
    bend = 2 * np.sin(x**2) + 10 * x**2 * np.cos(x**2) - 4 * x**4 * np.sin(x**2)
    found = re.findall(r"float32\((.*?)\)", printed)
    np.testing.assert_allclose([float(each) for each in found], [y, slope, bend], rtol=1e-5)
    assert f"dq/dx by the graph: {4 * np.cos(4.0):.4f}" in printed


def test_a_second_line_that_computes_the_same_stops_nothing():
    @tf.function
    def partial(a):
        return tf.gradients(a + 2.0 * a, a, stop_gradients=[2.0 * a])[0]

    assert float(partial(tf.constant(1.0))) == 3.0  # the total one
    assert "would be another node, and would stop nothing" in prose("08")


def test_what_was_made_before_a_tape_began_is_held_constant():
    a = tf.Variable(1.0)
    b = 2.0 * a
    with tf.GradientTape() as tape:
        y = a + b
    assert float(tape.gradient(y, a)) == 1.0  # the partial derivative; the total one is 3
    said = "make `b` before the tape begins: what the tape has not recorded is held constant"
    assert said in prose("08")


def test_the_trace_is_one_drawing_in_which_the_derivative_follows_the_step():
    made = compiling(["a = f(1)", "b = g(v, a)"], ["c = h(b)"], ["a"], ["for v:", " b"], "A & b.")
    svg = "{http://www.w3.org/2000/svg}"
    root = ElementTree.fromstring(made.svg)
    assert root.find(f"{svg}title").text == "A & b."
    begins = {}
    for each in root.iter(f"{svg}text"):
        shown = each.find(f"{svg}animate")
        if shown is not None:
            begins["".join(each.itertext())] = shown.get("values").split(";").index("1")
    assert begins["a = f(1)"] == begins["the step"] == 0
    assert begins["c = h(b)"] == begins["its derivative"] == 2
    assert begins["c = h(b)"] < begins["known"] < begins["for v:"] == begins[" b"]
    assert all(each.get("values").endswith("1") for each in root.iter(f"{svg}animate"))
    assert "<script" not in made.svg


def test_a_traced_step_draws_one_noise_counts_to_one_and_prints_once(capsys):
    calls = 0

    @tf.function
    def step(v):
        nonlocal calls
        calls += 1
        print("a step")
        return v + np.random.normal()

    results = {float(step(tf.constant(1.0))) for _ in range(10)}
    assert (len(results), calls, capsys.readouterr().out) == (1, 1, "a step\n")
    assert "draws one noise for all calls, counts to one, and prints once" in prose("08")


def test_the_picture_of_fusing_has_an_arrow_for_each_array_that_moves():
    reads = {"d": 1, "e": 1, "f": 2, "g": 2, "h": 1, "i": 1, "j": 1, "k": 2, "l": 1}
    assert sum(reads.values()) + len(reads) == 21
    assert "21 in all" in alternatives("08")
