"""`viz.pending`: counts, queue and order are the algorithm's, and the gradients are right."""

from __future__ import annotations

import collections

import numpy as np
import pytest

import minitape as tf
from minitape import viz
from minitape.graphs.schedule import Schedule
from minitape.values import nest
from minitape.viz.picture.svg import svg
from minitape.viz.trace.trace import Trace
from programs import PROGRAMS, Program
from viz_traces import HOSTILE


def shared(x):
    """a is used three times; b and c once each; d and e once each."""
    a = tf.sin(x)
    b = x * a
    c = tf.exp(a)
    d = 0.5 * b
    e = c * a
    return d + e


@pytest.fixture
def player():
    return viz.pending(shared, tf.constant(1.5, tf.float64))


def named(trace, counts):
    return {trace.nodes[n].name or trace.nodes[n].op: count for n, count in counts.items()}


def steps(player, kind):
    return [step for step in player.trace.steps if step.kind == kind]


def names(trace, nodes):
    return [trace.nodes[n].name or trace.nodes[n].op for n in nodes]


# What the algorithm's definition gives, by hand


def test_counts_begin_as_the_uses_of_each_result(player):
    (seed,) = steps(player, "seed")
    assert named(player.trace, seed.pending) == {"a": 3, "b": 1, "c": 1, "d": 1, "e": 1, "add": 0}
    assert names(player.trace, seed.queue) == ["add"]


def test_a_use_twice_by_one_op_counts_twice():
    trace = viz.pending(lambda x: tf.exp(x) ** 2.0 * tf.exp(x), tf.constant(1.0)).trace
    (seed,) = [step for step in trace.steps if step.kind == "seed"]
    squared = viz.pending(lambda x: square_of(tf.exp(x)), tf.constant(1.0)).trace
    (other,) = [step for step in squared.steps if step.kind == "seed"]
    assert sorted(seed.pending.values()) == [0, 1, 1, 1]
    assert sorted(other.pending.values()) == [0, 2]


def square_of(y):
    return y * y


def test_each_done_op_takes_one_from_the_counts_of_its_inputs(player):
    fell = [
        (player.trace.nodes[step.node].name or "add", named(player.trace, step.pending))
        for step in steps(player, "count")
    ]
    assert fell == [
        ("add", {"d": 0, "e": 0}),
        ("d", {"b": 0}),
        ("e", {"c": 0, "a": 2}),
        ("b", {"a": 1}),
        ("c", {"a": 0}),
        ("a", {}),
    ]


def test_the_queue_is_first_come_first_served(player):
    taken = [player.trace.nodes[step.node].name or "add" for step in steps(player, "ready")]
    assert taken == ["add", "d", "e", "b", "c", "a"]
    queues = [names(player.trace, step.queue) for step in steps(player, "ready")]
    assert queues == [[], ["e"], ["b"], ["c"], [], []]


def test_sentences_say_why_an_op_is_ready_and_what_else_was(player):
    by_name = {player.trace.nodes[s.node].name: s.sentence for s in steps(player, "ready")}
    assert "`a` is ready: all 3 uses of its result are done" in by_name["a"]
    assert "`e` is ready too; to take it first would be just as right." in by_name["d"]
    assert "Nothing else is ready, so every order takes it now." in by_name["a"]
    done = {player.trace.nodes[s.node].name: s.sentence for s in steps(player, "count")}
    assert "`a` (2 → 1); nothing gets ready by that" in done["b"]
    assert "`a` (1 → 0): `a` joins the queue" in done["c"]


def test_the_tape_takes_the_same_ops_latest_first_and_the_note_says_where_they_differ(player):
    own, tape = player.trace.orders
    assert names(player.trace, own.nodes) == ["add", "d", "e", "b", "c", "a"]
    assert names(player.trace, tape.nodes) == ["add", "e", "d", "c", "b", "a"]
    where, same, checked = player.trace.notes
    assert "as op number 2 it takes `e`, where the queue gives `d`" in where
    assert same == "Every order that respects the counts adds the same sums."
    assert checked.endswith("gave the same gradients.")


# Every program: order, sums, gradients

EVERY = pytest.mark.parametrize("program", PROGRAMS, ids=[p.name for p in PROGRAMS])


def started(program: Program):
    sources = [tf.constant(np.asarray(x, np.float64)) for x in program.inputs]
    return sources, viz.pending(program.function, *sources)


@EVERY
def test_the_order_is_one_in_which_consumers_come_first(program):
    _, player = started(program)
    trace = player.trace
    for order in trace.orders:
        place = {node: i for i, node in enumerate(order.nodes)}
        assert len(place) == len(order.nodes)
        for node in order.nodes:
            for source in trace.nodes[node].inputs:
                assert place.get(source, len(place)) > place[node]


@EVERY
def test_a_count_is_the_number_of_uses_that_are_not_done_yet(program):
    _, player = started(program)
    trace, counts, done = player.trace, {}, set()
    for step in trace.steps:
        counts |= step.pending or {}
        if step.kind == "count":
            done.add(step.node)
            uses = collections.Counter(
                source
                for node in trace.orders[0].nodes
                if node not in done
                for source in trace.nodes[node].inputs
            )
            assert all(count == uses[node] for node, count in counts.items())
        for node in step.queue or ():
            assert counts[node] == 0


@EVERY
def test_the_gradients_equal_the_tapes_and_differences(program):
    sources, player = started(program)
    with tf.GradientTape() as tape:
        tape.watch(sources)
        targets = program.function(*sources)
    expected = tape.gradient(targets, sources)
    for g, want in zip(player.gradients, expected, strict=True):
        np.testing.assert_allclose(g.numpy(), want.numpy(), rtol=1e-12)
    assert max(player.differences.values()) < 1e-12
    for i, g in enumerate(player.gradients):
        np.testing.assert_allclose(g.numpy(), differences(program, i), rtol=1e-5, atol=1e-7)
    last = {s.to: s.total for s in player.trace.steps if s.kind == "pull"}
    for source, g in zip(player.trace.sources, player.gradients, strict=True):
        shown = np.array(last[source].data, float).reshape(last[source].shape)
        np.testing.assert_allclose(shown, g.numpy(), rtol=1e-12)


def differences(program: Program, i: int):
    """Central differences of the sum of all results by one input."""
    inputs = [np.asarray(x, np.float64) for x in program.inputs]
    found = np.zeros_like(inputs[i])
    for index in np.ndindex(*inputs[i].shape):
        totals = []
        for step in (1e-6, -1e-6):
            moved = [x.copy() for x in inputs]
            moved[i][index] += step
            flat = nest.flatten(program.function(*[tf.constant(x) for x in moved]))
            totals.append(sum(float(np.sum(y.numpy())) for y in flat))
        found[index] = (totals[0] - totals[1]) / 2e-6
    return found


# Variables, programs, graphs


def test_variables_are_sources_and_keep_their_values():
    w = tf.Variable(2.0, name="w")
    player = viz.pending(lambda x: tf.sin(w) * x * w, tf.constant(3.0))
    assert [g.numpy() for g in player.gradients] == pytest.approx(
        [2.0 * np.sin(2.0), 3.0 * (np.sin(2.0) + 2.0 * np.cos(2.0))], rel=1e-6
    )
    assert [node.name for node in player.trace.nodes if node.kind == "variable"] == ["w"]
    assert w.numpy() == 2.0


def looped(x):
    _, y = tf.while_loop(
        lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [tf.constant(0), tf.sin(x)]
    )
    return tf.cond(x > 0.0, lambda: y * y, lambda: y)


def test_a_branch_or_loop_is_one_op_with_one_count():
    player = viz.pending(looped, tf.constant(1.2, tf.float64))
    ops = [player.trace.nodes[n].op for n in player.trace.orders[0].nodes]
    assert ops == ["cond", "while_loop", "sin"]
    f = lambda x: (np.sin(x) * x**3) ** 2  # noqa: E731
    slope = (f(1.2 + 1e-6) - f(1.2 - 1e-6)) / 2e-6
    assert player.gradients[0].numpy() == pytest.approx(slope, rel=1e-8)


def test_a_graph_with_fed_placeholders_has_values():
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, ())
        y = tf.sin(x) * x
    player = viz.pending(graph, y, x, feed_dict={x: 2.0})
    assert player.gradients[0].numpy() == pytest.approx(np.sin(2.0) + 2 * np.cos(2.0), rel=1e-6)


def test_a_graph_without_values_shows_counts_alone_and_stays_as_it_was():
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, (2,))
        y = tf.reduce_sum(tf.sin(x) * x)
    before = len(graph.nodes)
    player = viz.pending(graph, y, x)
    assert len(graph.nodes) == before
    assert [player.trace.nodes[n].op for n in player.trace.orders[0].nodes] == [
        "reduce_sum", "multiply", "sin"
    ]  # fmt: skip
    assert not player.gradients
    assert {step.kind for step in player.trace.steps} == {"forward", "ready", "count"}
    Trace.from_json(player.trace.to_json())


def test_an_op_that_leads_nowhere_has_no_count():
    def f(x):
        tf.exp(x)
        return tf.sin(x)

    trace = viz.pending(f, tf.constant(1.0)).trace
    assert [trace.nodes[n].op for n in trace.orders[0].nodes] == ["sin"]
    assert [node.op for node in trace.nodes if node.op] == ["exp", "sin"]


def test_python_that_needs_a_value_and_arguments_without_derivatives_are_errors():
    with pytest.raises(ValueError, match="cannot be drawn as a graph: .*needs a value"):
        viz.pending(lambda x: x if x > 0 else -x, tf.constant(1.0))
    with pytest.raises(ValueError, match="There is nothing to differentiate by"):
        viz.pending(lambda x: x + 1, tf.constant(1))
    with pytest.raises(TypeError, match="viz.pending got a graph and 0 more arguments"):
        viz.pending(tf.Graph())


# The schedule


def test_the_schedule_gives_the_same_records_when_it_explains_itself():
    graph = tf.function(shared).get_concrete_function(tf.constant(1.0)).graph
    ys, xs = [graph.nodes[-1].outputs[0]], {graph.nodes[0].outputs[0]}
    plain = [record[1] for record in Schedule(graph, ys, xs, set())]
    told = list(Schedule(graph, ys, xs, set()).run(explain=True))
    assert plain == [moment.record[1] for moment in told]
    assert all(moment.counts[moment.node.name] == 0 for moment in told)
    latest = [record[1] for record in Schedule(graph, ys, xs, set()).run(latest=True)]
    assert sorted(latest) == sorted(plain) and latest != plain


# Pictures


def test_positions_are_the_same_at_every_step(player):
    def places(step):
        drawing = svg(player.trace, step=step)
        return [part.split(" ")[0] for part in drawing.split("transform=")[1:]], drawing[:200]

    assert len({str(places(step)) for step in range(len(player.trace.steps))}) == 1


def test_the_still_picture_has_counts_queue_and_orders(player):
    trace = player.trace
    at = next(i for i, s in enumerate(trace.steps) if s.kind == "ready" and s.queue)
    drawing = svg(trace, step=at)
    assert drawing.count('<g class="p">') == 6
    assert "queue:          e<" in drawing
    assert "pending counts: add, d, e, b, c, a<" in drawing
    assert "a tape:         add, e, d, c, b, a<" in drawing


def test_the_table_of_an_untrusted_notebook_has_queue_and_counts(player):
    text = player._repr_mimebundle_()["text/html"]
    assert "<th>queue and counts</th>" in text
    assert "queue: b, c; counts: c 0, a 2" in text


def test_traces_with_counts_survive_json_and_wrong_ones_are_refused(player):
    text = player.trace.to_json()
    assert Trace.from_json(text) == player.trace
    for good, bad, why in (
        ('"pending":{"', '"pending":{"9', "there is no node"),
        ('"orders":[{"name":"pending counts","nodes":[', '"orders":[{"name":"","nodes":[77,', "no"),
    ):
        assert good in text
        with pytest.raises(viz.errors.TraceError, match=why):
            Trace.from_json(text.replace(good, bad, 1))


@pytest.mark.parametrize("ending", ["html", "svg", "png", "pdf", "dot", "mmd", "json"])
def test_it_is_saved_in_every_format(player, ending, tmp_path):
    pytest.importorskip("matplotlib")
    assert player.save(tmp_path / f"counts.{ending}").stat().st_size > 400


def test_hostile_names_are_text():
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, (), name=HOSTILE)
        y = tf.sin(x) * x
    for player in (viz.pending(graph, y, x, title=HOSTILE), viz.graph(graph, title=HOSTILE)):
        assert "<img src=x" not in player.svg
        assert "<img src=x" not in player._repr_mimebundle_()["text/html"]


def test_assignments_count_and_are_taken_back():
    v = tf.Variable([1.0, 2.0, 3.0])

    def f(x):
        y = v * x
        v.assign(y)
        return tf.reduce_sum(v * y)

    player = viz.pending(f, tf.constant(2.0))
    assert v.numpy().tolist() == [1.0, 2.0, 3.0]
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(f)(x)
    expected = tape.gradient(y, [x, v])
    assert v.numpy().tolist() == [2.0, 4.0, 6.0]
    assert player.gradients[0].numpy() == expected[0].numpy() == 28.0  # the sum of 2v · v
    np.testing.assert_array_equal(player.gradients[1].numpy(), [6.0, 12.0, 18.0])
    np.testing.assert_array_equal(expected[1].numpy(), [6.0, 12.0, 18.0])
