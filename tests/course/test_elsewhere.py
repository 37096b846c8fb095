"""The tables *here / PyTorch / JAX* at the ends of lessons: each row is an assertion.

Those about a library run where it is installed, and those about minitape everywhere.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import minitape as tf

FOLDER = Path(__file__).parents[2] / "tutorials"
WITH_A_TABLE = [
    path.stem
    for path in sorted(FOLDER.glob("[0-9]*.py"))
    if "## The same elsewhere" in path.read_text("utf-8")
]


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="PyTorch is not installed")


@pytest.fixture
def jax():
    return pytest.importorskip("jax", reason="JAX is not installed")


@pytest.mark.parametrize("lesson", WITH_A_TABLE)
def test_a_table_has_three_columns_and_stands_on_a_slide(lesson):
    text = (FOLDER / f"{lesson}.py").read_text("utf-8")
    marker, table = re.findall(
        r"^(# %%.*)\n# ## The same elsewhere\n(.*?)^# %%", text, re.M | re.S
    )[0]
    rows = [line for line in table.splitlines() if line.startswith("# |")]
    assert len(rows) >= 4
    assert all(len(re.split(r"(?<!\\)\|", row)) == 5 for row in rows)
    assert "| PyTorch | JAX |" in marker  # on the slide


# Lesson 1


def test_here_each_gradient_is_new_and_a_tie_goes_to_the_first():
    x, w = tf.Variable(3.0), tf.Variable(3.0)
    for _ in range(2):
        with tf.GradientTape() as tape:
            y = x * x
        assert float(tape.gradient(y, x)) == 6
    with tf.GradientTape() as tape:
        y = tf.maximum(x, w)
    assert [float(each) for each in tape.gradient(y, [x, w])] == [1, 0]


def test_pytorch_adds_to_what_is_there_and_halves_a_tie(torch):
    x = torch.tensor(3.0, requires_grad=True)
    (x * x).backward()
    assert x.grad == 6
    (x * x).backward()
    assert x.grad == 12
    torch.optim.SGD([x], lr=0.1).zero_grad()
    assert x.grad is None
    u, w = (torch.tensor(3.0, requires_grad=True) for _ in range(2))
    torch.maximum(u, w).backward()
    assert u.grad == w.grad == 0.5


def test_jax_differentiates_a_function_and_halves_a_tie(jax):
    assert jax.grad(lambda x: x * x)(3.0) == 6
    a, b = jax.grad(jax.numpy.maximum, (0, 1))(3.0, 3.0)
    assert a == b == 0.5


# Lesson 2: curvature

AT, MIXED = np.array([1.0, 2.0]), np.array([[6.0, 1.0], [1.0, 12.0]])  # second derivatives there
ROWS_OF_TWO = np.array([[1.0, 2.0], [3.0, 4.0]])


def test_here_two_tapes_give_a_hessian_and_a_batch_its_own_jacobians():
    x, rows = tf.Variable(AT), tf.Variable(ROWS_OF_TWO)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(x**3) + x[0] * x[1]
        gradient = inner.gradient(y, x)
    np.testing.assert_allclose(outer.jacobian(gradient, x).numpy(), MIXED)
    with tf.GradientTape(persistent=True) as tape:
        y = rows**2
    small = np.stack([np.diag(2 * row) for row in ROWS_OF_TWO])
    np.testing.assert_allclose(tape.batch_jacobian(y, rows).numpy(), small)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(rows, axis=1)
    assert tape.jacobian(y, rows).shape == (2, 2, 2)
    assert (np.diff(np.linalg.eigvalsh(MIXED)) > 0).all()


def test_pytorch_has_hessian_jacrev_and_vmap_and_puts_the_target_first(torch):
    from torch.func import hessian, jacrev, vmap

    x, rows = torch.tensor(AT), torch.tensor(ROWS_OF_TWO)
    found = hessian(lambda x: (x**3).sum() + x[0] * x[1])(x)
    np.testing.assert_allclose(found.numpy(), MIXED)
    small = np.stack([np.diag(2 * row) for row in ROWS_OF_TWO])
    np.testing.assert_allclose(vmap(jacrev(lambda row: row**2))(rows).numpy(), small)
    assert jacrev(lambda x: x[:1])(x).shape == (1, 2)
    assert (torch.diff(torch.linalg.eigvalsh(torch.tensor(MIXED))) > 0).all()
    x.requires_grad_()
    (slope,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    assert torch.autograd.grad(slope.sum(), x)[0].tolist() == [6, 12]


def test_jax_has_the_same_and_puts_the_target_first(jax):
    jnp = jax.numpy
    found = jax.hessian(lambda x: (x**3).sum() + x[0] * x[1])(jnp.array(AT))
    np.testing.assert_allclose(found, MIXED)
    small = np.stack([np.diag(2 * row) for row in ROWS_OF_TWO])
    np.testing.assert_allclose(jax.vmap(jax.jacrev(lambda row: row**2))(ROWS_OF_TWO), small)
    assert jax.jacrev(lambda x: x[:1])(jnp.array(AT)).shape == (1, 2)
    assert (jnp.diff(jnp.linalg.eigvalsh(jnp.array(MIXED))) > 0).all()
    assert jax.grad(jax.grad(lambda x: x**3))(3.0) == 18


# Lesson 3: how a tape works


def test_here_a_persistent_tape_is_asked_twice_and_a_broadcast_is_summed():
    x, b = tf.Variable(2.0), tf.Variable([0.5, -0.5])
    with tf.GradientTape(persistent=True) as tape:
        y = x * x + 3.0 * x
        out = tf.ones([4, 2]) + b
    assert float(tape.gradient(y, x)) == float(tape.gradient(y, x)) == 7
    assert tape.gradient(out, b).numpy().tolist() == [4, 4]
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x * x * x
        slope = inner.gradient(y, x)
    assert float(outer.gradient(slope, x)) == 12


def test_pytorch_keeps_records_behind_grad_fn_and_refuses_a_second_walk(torch):
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x + 3.0 * x
    inputs = [each for each, _ in y.grad_fn.next_functions]
    assert [type(y.grad_fn).__name__, *(type(each).__name__ for each in inputs)] == [
        "AddBackward0",
        "MulBackward0",
        "MulBackward0",
    ]
    y.backward(retain_graph=True)
    assert x.grad == 7
    y.backward()
    assert x.grad == 14
    with pytest.raises(RuntimeError, match="a second time"):
        y.backward()
    (slope,) = torch.autograd.grad(x * x * x, x, create_graph=True)
    assert torch.autograd.grad(slope, x)[0] == 12
    b = torch.tensor([0.5, -0.5], requires_grad=True)
    out = torch.ones(4, 2) + b
    assert "AccumulateGrad" in {type(each).__name__ for each, _ in out.grad_fn.next_functions}
    out.sum().backward()
    assert b.grad.tolist() == [4, 4]


def test_jax_writes_its_records_as_lines_and_a_pull_works_twice(jax):
    def f(x):
        return x * x + 3.0 * x

    lines = [str(eqn.primitive) for eqn in jax.make_jaxpr(f)(2.0).eqns]
    assert lines == ["mul", "mul", "add"]
    _, pull = jax.vjp(f, 2.0)
    assert pull(1.0)[0] == pull(1.0)[0] == 7
    assert jax.grad(jax.grad(lambda x: x * x * x))(2.0) == 12
    jnp = jax.numpy
    added = jax.make_jaxpr(lambda b: jnp.ones((4, 2)) + b)(jnp.array([0.5, -0.5]))
    assert "broadcast_in_dim" in [str(eqn.primitive) for eqn in added.eqns]


# Lesson 4: why is my gradient None?


def test_here_five_families_are_none_and_a_stop_is_too():
    x, other, still = tf.Variable(2.6), tf.Variable(1.0), tf.constant(2.6)
    before = x * x
    with tf.GradientTape(persistent=True) as tape:
        not_followed = still * still
        left = x * np.sin(x)
        heard = tf.constant(before.numpy()) * other
        staircase, stopped = tf.round(x), tf.stop_gradient(x)
        above = tf.cast(x > 1.0, tf.float32)
        where = tf.cast(tf.argmax(tf.stack([other, x])), tf.float32)
    assert tape.gradient(not_followed, still) is None
    assert float(tape.gradient(left, x)) == pytest.approx(np.sin(2.6))  # and not the slope
    for target in (heard, staircase, stopped, above, where):
        assert tape.gradient(target, x) is None
    assert tape.gradient(left, other) is None


def test_pytorch_raises_or_cuts_silently_and_rounds_with_slope_0(torch):
    x, other = (torch.tensor(2.6, requires_grad=True) for _ in range(2))
    with pytest.raises(RuntimeError, match="does not require grad"):
        torch.tensor(2.6).backward()
    for leave in (np.sin, torch.Tensor.numpy):
        with pytest.raises(RuntimeError, match="requires grad"):
            leave(x)
    y = x * x.item() * x.detach()
    y.backward()
    assert float(x.grad) == pytest.approx(2.6**2)  # a third of the slope of the cube
    with torch.no_grad():
        assert not (x * x).requires_grad
    assert torch.autograd.grad(torch.round(x), x)[0] == 0
    for jump in (x > 1.0, torch.argmax(torch.stack([other, x]))):
        with pytest.raises(RuntimeError, match="does not require grad"):
            jump.float().backward()
    with pytest.raises(RuntimeError, match="have been used in the graph"):
        torch.autograd.grad(x * x, other)
    assert torch.autograd.grad(x * x, other, allow_unused=True)[0] is None


def test_jax_takes_the_rest_for_constants_and_has_no_none(jax):
    from jax.errors import ConcretizationTypeError, TracerArrayConversionError

    outside = jax.numpy.array(2.0)
    assert jax.grad(lambda x: x * outside)(3.0) == 2
    with pytest.raises(TracerArrayConversionError):
        jax.grad(lambda x: x * np.sin(x))(2.6)
    with pytest.raises(ConcretizationTypeError):
        jax.grad(lambda x: x * float(x))(2.6)
    assert jax.grad(jax.numpy.round)(2.6) == 0
    assert jax.grad(lambda x: (x > 1.0).astype(float))(2.6) == 0
    assert jax.grad(lambda x: jax.numpy.argmax(jax.numpy.stack([1.0, x])).astype(float))(2.6) == 0
    assert jax.grad(lambda x, other: x * x, 1)(2.6, 1.0) == 0
    assert jax.grad(lambda x: x * jax.lax.stop_gradient(x))(3.0) == 3


# Lesson 5: backpropagation

SCORED, LABELS = np.array([[2.0, 1.0, 0.0], [0.5, 0.0, 3.0]]), np.array([0, 1])
PROBABILITIES = np.exp(SCORED) / np.exp(SCORED).sum(axis=1, keepdims=True)
COSTS = -np.log(PROBABILITIES[[0, 1], LABELS])


def test_here_a_kernel_has_inputs_first_and_each_row_has_its_loss():
    layer = tf.keras.layers.Dense(32)
    layer(tf.ones([1, 64]))
    assert layer.kernel.shape == (64, 32)
    costs = tf.nn.sparse_softmax_cross_entropy_with_logits(LABELS, SCORED)
    np.testing.assert_allclose(costs.numpy(), COSTS)
    x = tf.Variable([-1.0, 0.0, 2.0])
    for _ in range(2):
        with tf.GradientTape() as tape:
            y = tf.nn.relu(x)
        np.testing.assert_array_equal(tape.gradient(y, x).numpy(), [0, 0, 1])
    w = tf.Variable(3.0)
    tf.keras.optimizers.SGD(0.1).apply_gradients([(tf.constant(2.0), w)])
    assert float(w) == pytest.approx(2.8)


def test_pytorch_has_outputs_first_the_mean_of_the_losses_and_gradients_that_add_up(torch):
    assert torch.nn.Linear(64, 32).weight.shape == (32, 64)
    cost = torch.nn.functional.cross_entropy(torch.tensor(SCORED), torch.tensor(LABELS))
    assert float(cost) == pytest.approx(COSTS.mean())
    x = torch.tensor([-1.0, 0.0, 2.0], requires_grad=True)
    torch.nn.functional.relu(x).sum().backward()
    assert x.grad.tolist() == [0, 0, 1]
    w = torch.tensor(3.0, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    (2.0 * w).backward()
    optimizer.step()
    assert float(w.detach()) == pytest.approx(2.8)
    (2.0 * w).backward()
    assert w.grad == 4
    optimizer.zero_grad()
    assert w.grad is None


def test_jax_picks_from_log_softmax_and_has_the_same_slope_of_relu_at_0(jax):
    picked = -jax.nn.log_softmax(jax.numpy.array(SCORED))[np.arange(2), LABELS]
    np.testing.assert_allclose(picked, COSTS, rtol=1e-5)
    slopes = jax.vmap(jax.grad(jax.nn.relu))(jax.numpy.array([-1.0, 0.0, 2.0]))
    assert slopes.tolist() == [0, 0, 1]
    stepped = jax.tree.map(lambda w, g: w - 0.1 * g, {"w": 3.0}, {"w": 2.0})
    assert stepped["w"] == pytest.approx(2.8)


# Lesson 9: differentiate a simulation

FALL, KEPT, STEPS = 9.81, 0.8, 50
SLOPES = {"turn": 1, "floor": 0, "mirror": -1}


def bounced(where, y, way):
    """The height after one second, by the lesson's three programs, with a library's `where`."""
    dt, v = 1 / STEPS, 0.0 * y
    for _ in range(STEPS):
        y, v = y + v * dt - FALL * dt**2 / 2, v - FALL * dt
        under = y < 0.0
        v = where(under, -KEPT * v, v)
        if way != "turn":
            y = where(under, 0.0 * y if way == "floor" else -y, y)
    return y


def bounced_at_contact(where, sqrt, y):
    """The same with the moment of contact; the root is that of a height above the floor."""
    dt, v = 1 / STEPS, 0.0 * y
    for _ in range(STEPS):
        later_y, later_v = y + v * dt - FALL * dt**2 / 2, v - FALL * dt
        s = (v + sqrt(v**2 + 2 * FALL * y)) / FALL
        up, rest = -KEPT * (v - FALL * s), dt - s
        under = later_y < 0.0
        y, v = (
            where(under, up * rest - FALL * rest**2 / 2, later_y),
            where(under, up - FALL * rest, later_v),
        )
    return y


def test_here_three_programs_tell_three_slopes_and_a_segment_keeps_its_gradient():
    h = tf.constant(2.1, tf.float64)
    for way, slope in SLOPES.items():
        with tf.GradientTape() as tape:
            tape.watch(h)
            y = bounced(tf.where, h, way)
        assert float(tape.gradient(y, h)) == pytest.approx(slope)
    with tf.GradientTape() as tape:
        tape.watch(h)
        y = tf.recompute_grad(lambda y: bounced_at_contact(tf.where, tf.sqrt, y))(h)
    assert float(tape.gradient(y, h)) == pytest.approx(0.1509, abs=1e-4)


def test_pytorch_tells_the_same_three_slopes_and_checkpoints(torch):
    from torch.utils.checkpoint import checkpoint

    for way, slope in SLOPES.items():
        h = torch.tensor(2.1, dtype=torch.float64, requires_grad=True)
        bounced(torch.where, h, way).backward()
        assert float(h.grad) == pytest.approx(slope)
    h = torch.tensor(2.1, dtype=torch.float64, requires_grad=True)
    runs = []

    def segment(y):
        runs.append(1)
        return bounced_at_contact(torch.where, torch.sqrt, y)

    checkpoint(segment, h, use_reentrant=False).backward()
    assert float(h.grad) == pytest.approx(0.1509, abs=1e-4)
    assert len(runs) == 2  # the second time in the backward pass


def test_jax_tells_the_same_three_slopes_checkpoints_and_scans(jax):
    jnp = jax.numpy
    for way, slope in SLOPES.items():
        assert jax.grad(lambda y, way=way: bounced(jnp.where, y, way))(2.1) == pytest.approx(slope)
    at_contact = jax.checkpoint(lambda y: bounced_at_contact(jnp.where, jnp.sqrt, y))
    assert jax.grad(at_contact)(2.1) == pytest.approx(0.1509, abs=1e-3)

    def looped(y):
        def step(state, _):
            y, v = state
            return (y + v / STEPS, v - FALL / STEPS), None

        return jax.lax.scan(step, (y, 0.0), None, length=STEPS)[0][0]

    lines = [str(eqn.primitive) for eqn in jax.make_jaxpr(looped)(2.1).eqns]
    assert lines.count("scan") == 1 and len(lines) < 5
    assert jax.grad(looped)(2.1) == 1


# Lesson 8: what a compiler does with your step

SIDES = (3.0, -3.0)


def square(x):
    return x * x


def test_here_a_shape_and_a_python_number_are_traced_and_an_if_is_not():
    traced = tf.function(square)
    for n in (2, 3, 4, 5):
        traced(tf.ones([n]))
    assert traced.experimental_get_tracing_count() == 4
    scaled = tf.function(lambda x, by: x * by)
    for n in range(5):
        scaled(tf.constant(2.0), n + 0.5)
    assert scaled.experimental_get_tracing_count() == 5
    runs = []

    def sized(x):
        runs.append(x)
        return x if x > 0 else -x

    assert [float(tf.function(sized)(tf.constant(x))) for x in SIDES] == [3, 3]
    assert len(runs) >= 2
    with pytest.raises(TypeError, match=r"tf\.cond"):
        tf.function(sized, autograph=False)(tf.constant(3.0))


def test_here_a_traced_branch_and_a_traced_loop_have_a_gradient():
    @tf.function
    def grown(x):
        (grown,) = tf.while_loop(lambda v: v < 10.0, lambda v: [v * 2.0], [x])
        return tf.cond(x > 2.0, lambda: grown, lambda: -grown)

    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = grown(x * 1.0)
    assert (float(y), float(tape.gradient(y, x))) == (12, 4)


def graphs_of_pytorch(torch, function, calls, **how):
    """The graphs that `torch.compile` makes in these calls, and what the calls give."""
    torch._dynamo.reset()
    graphs = []

    def backend(graph, _):
        graphs.append(graph)
        return graph.forward

    compiled = torch.compile(function, backend=backend, **how)
    return graphs, [compiled(*each) for each in calls]


def test_pytorch_makes_a_second_graph_for_any_number_and_for_any_length(torch):
    def scaled(x, by):
        return x * by

    x = torch.tensor(2.0)
    graphs, found = graphs_of_pytorch(torch, scaled, [(x, n + 0.5) for n in range(5)])
    assert len(graphs) == 2
    assert [float(each) for each in found] == [1, 3, 5, 7, 9]
    assert len(graphs_of_pytorch(torch, square, [(torch.ones(n),) for n in (2, 3, 4, 5)])[0]) == 2
    tensors = [(torch.tensor(float(n)),) for n in range(5)]
    assert len(graphs_of_pytorch(torch, square, tensors)[0]) == 1
    listed = torch.fx.symbolic_trace(square).graph
    assert [node.op for node in listed.nodes] == ["placeholder", "call_function", "output"]


def test_pytorch_hands_over_to_python_for_a_print_and_draws_numpy_s_numbers_anew(torch, capsys):
    def printed(x):
        print("seen")
        return x * x

    def noisy(x):
        return x + float(np.random.normal())

    calls = [(torch.tensor(float(n)),) for n in range(4)]
    graphs_of_pytorch(torch, printed, calls)
    assert capsys.readouterr().out.count("seen") == 4
    with pytest.raises(Exception, match="(?i)print"):
        graphs_of_pytorch(torch, printed, calls, fullgraph=True)
    found = graphs_of_pytorch(torch, noisy, 4 * calls[:1])[1]
    assert len({float(each) for each in found}) == 4


def test_pytorch_breaks_the_graph_at_an_if_and_has_a_cond(torch):
    def sized(x):
        y = x * 2
        if y > 0:
            return y * y
        return -y

    calls = [(torch.tensor(x),) for x in SIDES]
    graphs, found = graphs_of_pytorch(torch, sized, calls)
    assert (len(graphs), [float(each) for each in found]) == (3, [36, 6])
    with pytest.raises(torch._dynamo.exc.Unsupported, match="Data-dependent branching"):
        graphs_of_pytorch(torch, sized, calls, fullgraph=True)

    def chosen(x):
        return torch.cond(x > 0, lambda x: x * x, lambda x: -x, (x,))

    graphs, found = graphs_of_pytorch(torch, chosen, calls, fullgraph=True)
    assert (len(graphs), [float(each) for each in found]) == (1, [9, 3])

    def loop(x):
        for _ in range(10):
            x = x * x
        return x

    (graph,), _ = graphs_of_pytorch(torch, loop, calls[:1])
    assert sum(node.op == "call_function" for node in graph.graph.nodes) == 10  # written out


def test_jax_takes_python_numbers_as_tensors_and_traces_each_length(jax, capsys):
    runs = []

    @jax.jit
    def seen(x, by):
        print("seen")
        runs.append(x)
        return x * by + np.random.normal()

    for n in range(5):
        seen(jax.numpy.float32(2.0), n + 0.5)
    assert len(runs) == 1
    assert capsys.readouterr().out.count("seen") == 1
    assert len({float(seen(jax.numpy.float32(2.0), 0.5)) for _ in range(4)}) == 1  # drawn once
    for n in (2, 3, 4, 5):
        seen(jax.numpy.ones(n), 0.5)
    assert len(runs) == 5


def test_jax_refuses_an_if_has_cond_and_scan_and_no_reverse_of_a_while_loop(jax):
    lax = jax.lax
    with pytest.raises(jax.errors.TracerBoolConversionError):
        jax.jit(lambda x: x if x > 0 else -x)(1.0)
    chosen = jax.jit(lambda x: lax.cond(x > 0, square, lambda x: -x, x))
    assert [float(chosen(x)) for x in SIDES] == [9, 3]

    def doubled(x):
        return lax.scan(lambda x, _: (x * 2.0, None), x, None, length=3)[0]

    assert jax.jit(jax.grad(doubled))(1.0) == 8
    assert len(jax.make_jaxpr(doubled)(1.0).eqns) == 1
    with pytest.raises(ValueError, match="Reverse-mode"):
        jax.grad(lambda x: lax.while_loop(lambda x: x < 10.0, lambda x: x * 2.0, x))(1.0)


def test_jax_compiles_the_step_into_one_loop_with_the_wind_as_a_number(jax):
    jnp = jax.numpy

    def step(v):
        wind = 6.0 * jnp.tanh(jnp.float32(1.5) / 5.0)
        air = v + wind
        return v - 0.0004 * air * air

    many = 1_000_000
    compiled = jax.jit(step).lower(jnp.ones(many)).compile()
    text = compiled.as_text()
    assert len(re.findall(r" fusion\(", text)) == 1
    assert not re.search(r"= \S+ tanh\(", text)
    assert "constant(1.7478" in text  # 1.7479
    cost = compiled.cost_analysis()
    assert cost["bytes accessed"] == 2 * 4 * many  # v is read, the new velocity is written


def test_the_side_that_where_does_not_take_gives_nan_everywhere():
    x = tf.constant([2.0, 0.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.where(x > 0.0, tf.math.log(x), 0.0)
    np.testing.assert_array_equal(tape.gradient(y, x), [0.5, np.nan])


def test_in_pytorch_where_gives_nan_too(torch):
    x = torch.tensor([2.0, 0.0], requires_grad=True)
    torch.where(x > 0, torch.log(x), 0.0).sum().backward()
    np.testing.assert_array_equal(x.grad, [0.5, np.nan])


def test_in_jax_where_gives_nan_too(jax):
    jnp = jax.numpy
    slope = jax.grad(lambda x: jnp.where(x > 0, jnp.log(x), 0.0).sum())
    np.testing.assert_array_equal(slope(jnp.array([2.0, 0.0])), [0.5, np.nan])


# Lesson 10: attention

DRAWN = np.random.default_rng(0).normal(size=(3, 2, 5, 4))  # queries, keys, values; two of each
MAY_LOOK = np.tril(np.ones((5, 5), bool))


def attended_here(mask) -> np.ndarray:
    """Attention in three lines, as in the lesson."""
    q, k, v = (tf.constant(each) for each in DRAWN)
    scores = q @ tf.linalg.matrix_transpose(k) / q.shape[-1] ** 0.5
    return (tf.nn.softmax(scores + mask) @ v).numpy()


def attended_by_numpy(may_look) -> np.ndarray:
    q, k, v = DRAWN
    e = np.exp(q @ k.transpose(0, 2, 1) / 2.0) * may_look
    return e / e.sum(-1, keepdims=True) @ v


def test_here_softmax_takes_the_last_axis_and_a_mask_is_added():
    s = np.array([[1.0, 2.0], [0.0, 3.0]])
    np.testing.assert_allclose(tf.nn.softmax(s).numpy().sum(-1), 1.0)
    np.testing.assert_allclose(attended_here(0.0), attended_by_numpy(True))
    hidden = np.triu(np.full((5, 5), -1e9), 1)
    np.testing.assert_allclose(attended_here(hidden), attended_by_numpy(MAY_LOOK))
    with pytest.raises(AttributeError, match="MultiHeadAttention"):
        _ = tf.keras.layers.MultiHeadAttention


def test_pytorch_has_heads_before_time_and_two_meanings_of_a_boolean_mask(torch):
    attention = torch.nn.functional.scaled_dot_product_attention
    q, k, v = (torch.tensor(each[None]) for each in DRAWN)  # (batch 1, heads 2, time 5, width 4)
    may_look = torch.tensor(MAY_LOOK)
    np.testing.assert_allclose(attention(q, k, v)[0], attended_by_numpy(True))
    wanted = attended_by_numpy(MAY_LOOK)
    np.testing.assert_allclose(attention(q, k, v, is_causal=True)[0], wanted)
    np.testing.assert_allclose(attention(q, k, v, attn_mask=may_look)[0], wanted)
    added = torch.where(may_look, 0.0, -1e9).double()
    np.testing.assert_allclose(attention(q, k, v, attn_mask=added)[0], wanted)
    layer = torch.nn.MultiheadAttention(4, 1, batch_first=True).double()
    _, weights = layer(q[0], k[0], v[0], attn_mask=~may_look)  # True: it may not look
    assert not np.triu(weights.detach().numpy(), 1).any() and (weights[:, 0, 0] == 1).all()
    with pytest.raises(TypeError, match="softmax"):
        torch.softmax(q)


def test_jax_has_time_before_heads_and_true_may_look(jax):
    attention = jax.nn.dot_product_attention
    q, k, v = (each.transpose(1, 0, 2)[None].astype(np.float32) for each in DRAWN)
    wanted = attended_by_numpy(MAY_LOOK).transpose(1, 0, 2)  # (time 5, heads 2, width 4)
    whole = attended_by_numpy(True).transpose(1, 0, 2)
    np.testing.assert_allclose(attention(q, k, v)[0], whole, atol=1e-5)
    np.testing.assert_allclose(attention(q, k, v, is_causal=True)[0], wanted, atol=1e-5)
    np.testing.assert_allclose(attention(q, k, v, mask=MAY_LOOK[None, None])[0], wanted, atol=1e-5)
    added = np.where(MAY_LOOK, 0.0, -1e9)[None, None].astype(np.float32)
    np.testing.assert_allclose(attention(q, k, v, bias=added)[0], wanted, atol=1e-5)
    s = jax.numpy.array([[1.0, 2.0], [0.0, 3.0]])
    np.testing.assert_allclose(jax.nn.softmax(s).sum(-1), 1.0, rtol=1e-6)


# Lesson 6: rules of one's own


def test_here_a_custom_gradient_returns_result_and_rule():
    @tf.custom_gradient
    def twice(x):
        return 2.0 * x, lambda g: 5.0 * g

    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = twice(x)
        z = tf.grad_pass_through(tf.round)(x * 1.3)
        both = y + z
    assert float(both) == 6 + 4
    assert float(tape.gradient(both, x)) == pytest.approx(5 + 1.3)


def test_pytorch_has_a_function_with_forward_and_backward(torch):
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 2.0 * g * x

    x = torch.tensor([3.0], dtype=torch.float64, requires_grad=True)
    (5.0 * Square.apply(x)).backward()
    assert x.grad == 30
    assert torch.autograd.gradcheck(Square.apply, (x,))
    w = torch.tensor(1.3, requires_grad=True)
    straight = w + (w.round() - w).detach()
    straight.backward()
    assert straight == 1 and w.grad == 1


def test_jax_has_custom_vjp_with_residuals(jax):
    from jax.test_util import check_grads

    @jax.custom_vjp
    def square(x):
        return x * x

    square.defvjp(lambda x: (x * x, x), lambda x, g: (2.0 * g * x,))
    assert jax.grad(lambda x: 5.0 * square(x))(3.0) == 30
    check_grads(square, (jax.numpy.array(3.0),), order=2, modes=["rev"])

    def straight(x):
        return x + jax.lax.stop_gradient(jax.numpy.round(x) - x)

    assert jax.grad(straight)(1.3) == 1


# Lesson 7: forward and reverse


def test_here_many_inputs_at_once_give_what_each_one_gives():
    xs = tf.constant([[1.0, 2.0], [3.0, 5.0]])
    together = tf.vectorized_map(lambda v: tf.reduce_sum(v**3), xs)
    np.testing.assert_allclose(together.numpy(), [9.0, 152.0])


AT, EXPECTED = [1.0, 2.0], [[2.0, 0.0], [2.0, 1.0]]
MANY = np.array([[1.0, 2.0], [3.0, 5.0]], np.float32)


def pair(v, stack):
    return stack([v[0] ** 2, v[0] * v[1]])


def test_pytorch_has_columns_and_rows_in_one_pass(torch):
    for way in (torch.func.jacfwd, torch.func.jacrev):
        found = way(lambda v: pair(v, torch.stack))(torch.tensor(AT))
        np.testing.assert_allclose(found, EXPECTED)
    np.testing.assert_allclose(torch.func.vmap(torch.sum)(torch.tensor(MANY)), [3.0, 8.0])


def test_jax_has_columns_and_rows_in_one_pass(jax):
    for way in (jax.jacfwd, jax.jacrev):
        found = way(lambda v: pair(v, jax.numpy.stack))(jax.numpy.array(AT))
        np.testing.assert_allclose(found, EXPECTED)
    np.testing.assert_allclose(jax.vmap(jax.numpy.sum)(MANY), [3.0, 8.0])


# Lesson 11: a clinic


def cube(x):
    return x * x * x


def test_here_the_first_value_that_is_not_finite_is_an_error_and_a_rule_is_checked():
    with pytest.raises(tf.errors.InvalidArgumentError, match="y"), np.errstate(all="ignore"):
        tf.debugging.check_numerics(tf.math.log(tf.constant([1.0, 0.0])), "y")
    assert bool(tf.check_gradients(cube, [2.0]))
    clipped, length = tf.clip_by_global_norm([tf.constant([3.0]), tf.constant([4.0])], 1.0)
    assert float(length) == 5
    np.testing.assert_allclose([each.numpy()[0] for each in clipped], [0.6, 0.8], rtol=1e-6)
    layer = tf.keras.layers.BatchNormalization()
    alone = tf.constant([[2.0, 3.0]])
    np.testing.assert_allclose(layer(alone, training=True).numpy(), 0.0)
    assert np.abs(layer(alone, training=False).numpy()).min() > 1


def test_pytorch_finds_the_nan_checks_a_rule_and_clips(torch):
    x = torch.zeros(1, requires_grad=True)
    with (
        pytest.raises(RuntimeError, match="nan values"),
        pytest.warns(UserWarning, match="SqrtBackward0"),
        torch.autograd.set_detect_anomaly(True),
    ):
        (torch.sqrt(x) * 0.0).backward()
    double = torch.tensor([2.0], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(cube, (double,))
    net = torch.nn.BatchNorm1d(2)
    with pytest.raises(ValueError, match="more than 1 value"):
        net(torch.tensor([[2.0, 3.0]]))
    assert net.eval()(torch.tensor([[2.0, 3.0]])).abs().min() > 1
    w = torch.nn.Parameter(torch.zeros(2))
    w.grad = torch.tensor([3.0, 4.0])
    torch.nn.utils.clip_grad_norm_([w], 1.0)
    np.testing.assert_allclose(w.grad.numpy(), [0.6, 0.8], rtol=1e-5)
    scores, label = torch.tensor([[2.0, 1.0, 0.0]]), torch.tensor([0])
    functional = torch.nn.functional
    same = functional.nll_loss(functional.log_softmax(scores, 1), label)
    assert torch.isclose(functional.cross_entropy(scores, label), same)
    here = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0], logits=scores.numpy())
    np.testing.assert_allclose(same.numpy(), here.numpy()[0], rtol=1e-6)


def test_jax_stops_at_a_nan_and_checks_a_rule(jax):
    from jax.test_util import check_grads

    jax.config.update("jax_debug_nans", True)
    try:
        with pytest.raises(FloatingPointError, match="nan"):
            jax.numpy.log(jax.numpy.float32(-1.0)).block_until_ready()
    finally:
        jax.config.update("jax_debug_nans", False)
    check_grads(cube, (2.0,), order=1)
    scores = jax.numpy.array([2.0, 1.0, 0.0])
    np.testing.assert_allclose(
        -jax.nn.log_softmax(scores)[0], np.log(1 + np.exp(-1) + np.exp(-2)), rtol=1e-5
    )


# Lesson 12: a step of one's own tape elsewhere


def parabola(p):
    return (p * p).sum()


def test_a_step_of_the_own_tape_changes_the_array_of_the_same_value():
    names: dict[str, object] = {}
    source = (FOLDER / "12_capstone.py").read_text("utf-8")
    imports = (
        "import numpy as np\nfrom typing import NamedTuple\nfrom collections.abc import Callable\n"
    )
    exec(imports + source.split("# Given: the tape of lesson 3.")[1].split("# %%")[0], names)
    value = names["Value"]([3.0])
    with names["Tape"]() as tape:
        tape.watch(value)
        y = value * value
    cotangents = {y: names["Value"]([1.0])}
    names["backward"](tape.records, cotangents)
    value.array = value.array - 0.1 * cotangents[value].array
    np.testing.assert_allclose(value.array, [2.4])


def test_pytorch_steps_without_recording_and_clears_the_gradient(torch):
    p = torch.tensor([3.0], requires_grad=True)
    parabola(p).backward()
    with torch.no_grad():
        p -= 0.1 * p.grad
    torch.testing.assert_close(p.detach(), torch.tensor([2.4]))
    torch.optim.SGD([p], lr=0.1).zero_grad()
    assert p.grad is None
    assert issubclass(torch.autograd.Function, object)


def test_jax_steps_by_making_new_arrays(jax):
    parts = {"w": jax.numpy.array([3.0])}
    grads = jax.grad(lambda parts: parabola(parts["w"]))(parts)
    new = jax.tree.map(lambda p, g: p - 0.1 * g, parts, grads)
    np.testing.assert_allclose(new["w"], [2.4], rtol=1e-6)
    assert parts["w"][0] == 3
    assert callable(jax.custom_vjp)


# Lesson 13: convolution

IMAGE = np.arange(25.0).reshape(1, 5, 5, 1) % 7
KERNEL = np.arange(9.0).reshape(3, 3, 1, 1) - 4


def convolved_here():
    """The feature map, the gradient of the image and the largest of the map, by minitape."""
    image = tf.constant(IMAGE)
    with tf.GradientTape() as tape:
        tape.watch(image)
        out = tf.nn.conv2d(image, tf.constant(KERNEL), 1, "VALID")
    return out.numpy(), tape.gradient(out, image).numpy(), tf.reduce_max(out, [1, 2]).numpy()


def test_here_images_have_their_channels_last():
    out, back, _ = convolved_here()
    assert out.shape == (1, 3, 3, 1)
    by_hand = [[(IMAGE[0, i : i + 3, j : j + 3, 0] * KERNEL[:, :, 0, 0]).sum() for j in range(3)]
               for i in range(3)]  # fmt: skip
    np.testing.assert_allclose(out[0, :, :, 0], by_hand)
    assert back.shape == IMAGE.shape


def test_pytorch_has_channels_first_and_kernels_with_outputs_first(torch):
    out, back, largest = convolved_here()
    image = torch.tensor(IMAGE.transpose(0, 3, 1, 2), requires_grad=True)
    kernel = torch.tensor(KERNEL.transpose(3, 2, 0, 1))
    made = torch.nn.functional.conv2d(image, kernel)
    np.testing.assert_allclose(made.detach().numpy()[:, 0], out[..., 0])
    made.sum().backward()
    spread = torch.nn.functional.conv_transpose2d(torch.ones_like(made), kernel)
    np.testing.assert_allclose(image.grad.numpy()[:, 0], back[..., 0])
    np.testing.assert_allclose(spread.detach().numpy()[:, 0], back[..., 0])
    np.testing.assert_allclose(torch.amax(made, (2, 3)).detach().numpy(), largest)
    assert torch.nn.Conv2d(3, 8, 5).weight.shape == (8, 3, 5, 5)


def test_jax_is_told_where_the_channels_are(jax):
    out, back, largest = convolved_here()
    names = ("NHWC", "HWIO", "NHWC")
    kernel = KERNEL.astype(np.float32)

    def convolve(image):
        return jax.lax.conv_general_dilated(image, kernel, (1, 1), "VALID", dimension_numbers=names)

    made, pull = jax.vjp(convolve, IMAGE.astype(np.float32))
    np.testing.assert_allclose(made, out, rtol=1e-5)
    (spread,) = pull(jax.numpy.ones_like(made))
    np.testing.assert_allclose(spread, back, rtol=1e-5)
    turned = jax.lax.conv_transpose(
        jax.numpy.ones_like(made), kernel, (1, 1), "VALID", dimension_numbers=names,
        transpose_kernel=True,
    )  # fmt: skip
    np.testing.assert_allclose(turned, back, rtol=1e-5)
    np.testing.assert_allclose(made.max((1, 2)), largest, rtol=1e-5)


# Lesson 14: dual numbers


def test_here_forward_mode_is_an_accumulator():
    v = tf.constant([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(v, tf.constant([1.0, 0.0])) as pushed:
        y = tf.reduce_sum(v**3)
    assert float(pushed.jvp(y)) == 3
    with tf.GradientTape() as tape:
        tape.watch(v)
        y = v * v
    pulled = tape.gradient(y, v, output_gradients=tf.constant([1.0, 10.0]))
    np.testing.assert_allclose(pulled.numpy(), [2.0, 40.0])


def test_pytorch_has_jvp_vjp_and_the_jacobians(torch):
    from torch.func import grad, hessian, jacfwd, jacrev, jvp, vjp, vmap

    def f(v):
        return (v**3).sum()

    v, one = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0])
    assert jvp(f, (v,), (one,))[1] == 3
    assert torch.equal(vjp(f, v)[1](torch.tensor(1.0))[0], torch.tensor([3.0, 12.0]))
    assert torch.equal(jacfwd(torch.square)(v), jacrev(torch.square)(v))
    assert torch.allclose(hessian(f)(v), torch.diag(6 * v))
    assert torch.allclose(jvp(grad(f), (v,), (one,))[1], 6 * v * one)
    assert vmap(grad(lambda x: x * x))(v).shape == (2,)
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(RuntimeError, match="scalar outputs"):
        (w * 2).backward()


def test_jax_has_the_same_names(jax):
    jnp = jax.numpy

    def f(v):
        return (v**3).sum()

    v, one = jnp.array([1.0, 2.0]), jnp.array([1.0, 0.0])
    assert jax.jvp(f, (v,), (one,))[1] == 3
    assert jnp.allclose(jax.vjp(f, v)[1](1.0)[0], jnp.array([3.0, 12.0]))
    assert jnp.allclose(jax.jacfwd(jnp.square)(v), jax.jacrev(jnp.square)(v))
    assert jnp.allclose(jax.hessian(f)(v), jnp.diag(6 * v))
    assert jnp.allclose(jax.jvp(jax.grad(f), (v,), (one,))[1], 6 * v * one)
    assert jax.vmap(jax.grad(lambda x: x * x))(v).shape == (2,)


# Lesson 15: expectations


def test_here_noise_of_numpy_has_no_path_and_the_mean_has_one():
    mu, noise = tf.Variable(0.0), np.linspace(-1.0, 1.0, 5).astype(np.float32)
    with tf.GradientTape(persistent=True) as tape:
        x = mu + noise
        y = tf.reduce_mean(x)
        drawn = tf.constant(noise)
    assert float(tape.gradient(y, mu)) == 1
    assert tape.gradient(drawn, mu) is None


def test_pytorch_draws_with_a_path_and_without_and_knows_log_p(torch):
    mu = torch.tensor(0.5, requires_grad=True)
    law = torch.distributions.Normal(mu, 2.0)
    assert law.rsample().requires_grad and not law.sample().requires_grad
    law.log_prob(torch.tensor(2.5)).backward()
    assert mu.grad == pytest.approx((2.5 - 0.5) / 4)


def test_jax_draws_by_a_key_and_knows_log_p(jax):
    key = jax.random.key(0)
    assert jax.grad(lambda mu: mu + 2.0 * jax.random.normal(key))(0.5) == 1
    log_p = jax.scipy.stats.norm.logpdf
    assert jax.grad(lambda mu: log_p(2.5, mu, 2.0))(0.5) == pytest.approx((2.5 - 0.5) / 4)


# Lesson 16: recurrence


def test_here_a_layer_takes_the_batch_first_and_a_gradient_is_clipped_as_a_whole():
    assert tf.keras.layers.LSTM(16)(tf.ones([2, 5, 1])).shape == (2, 16)
    clipped, length = tf.clip_by_global_norm([tf.constant([30.0]), tf.constant([40.0])], 1.0)
    np.testing.assert_allclose([each.numpy()[0] for each in clipped], [0.6, 0.8], rtol=1e-6)
    assert float(length) == 50
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * tf.stop_gradient(x)
    assert float(tape.gradient(y, x)) == 3


def test_pytorch_takes_time_first_detaches_a_state_and_clips_in_place(torch):
    for kind in (torch.nn.RNN, torch.nn.LSTM):
        assert kind(1, 16)(torch.ones(5, 2, 1))[0].shape == (5, 2, 16)  # time, batch, features
        _, last = kind(1, 16)(torch.ones(5, 2, 1))
        assert (last if kind is torch.nn.RNN else last[0]).shape == (1, 2, 16)
        _, last = kind(1, 16, batch_first=True)(torch.ones(2, 5, 1))
        assert (last if kind is torch.nn.RNN else last[0]).shape == (1, 2, 16)
    x = torch.tensor(3.0, requires_grad=True)
    (x * x.detach()).backward()
    assert x.grad == 3
    w = [torch.zeros(1, requires_grad=True) for _ in range(2)]
    for each, gradient in zip(w, (30.0, 40.0), strict=True):
        each.grad = torch.tensor([gradient])
    assert torch.nn.utils.clip_grad_norm_(w, 1.0) == 50
    np.testing.assert_allclose([each.grad[0] for each in w], [0.6, 0.8], rtol=1e-5)


def test_jax_scans_along_the_first_axis_and_stops_a_gradient(jax):
    def last(w, xs):
        return jax.lax.scan(lambda h, x: (w * h + x, None), 0.0, xs)[0]

    xs = jax.numpy.array([1.0, 3.0, 2.0])
    assert jax.grad(last)(2.0, xs) == 7  # as in exercise 1, on paper 2 w x1 + x2
    assert jax.grad(lambda x: x * jax.lax.stop_gradient(x))(3.0) == 3


# Lesson 17: from gradient to step

GIVEN = (3.0, -1.0, 2.5)  # gradients


def stepped_here(optimizer) -> float:
    """Where a weight is after a step for each of the gradients, from 1."""
    w = tf.Variable(1.0)
    for each in GIVEN:
        optimizer.apply_gradients([(tf.constant(each), w)])
    return float(w)


def stepped_by_pytorch(torch, make) -> float:
    w = torch.tensor(1.0, requires_grad=True)
    optimizer = make([w])
    for each in GIVEN:
        w.grad = torch.tensor(each)
        optimizer.step()
    return float(w.detach())


def test_here_momentum_adam_and_decay_are_the_formulas():
    k = tf.keras.optimizers
    w, m = 1.0, 0.0
    for each in GIVEN:
        m = 0.9 * m + each
        w -= 0.1 * m
    assert stepped_here(k.SGD(0.1, momentum=0.9)) == pytest.approx(w, rel=1e-6)
    assert (k.Adam(0.1).epsilon, k.AdamW(0.1).weight_decay) == (1e-7, 0.004)
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(v**3)
        gradient = inner.gradient(y, v)
    np.testing.assert_allclose(outer.jacobian(gradient, v).numpy(), [[6.0, 0.0], [0.0, 12.0]])


def test_pytorch_takes_the_same_steps_with_another_epsilon_and_another_decay(torch):
    k, optim = tf.keras.optimizers, torch.optim
    theirs = stepped_by_pytorch(torch, lambda w: optim.SGD(w, lr=0.1, momentum=0.9))
    assert theirs == pytest.approx(stepped_here(k.SGD(0.1, momentum=0.9)), rel=1e-6)
    theirs = stepped_by_pytorch(torch, lambda w: optim.Adam(w, lr=0.1))
    assert theirs == pytest.approx(stepped_here(k.Adam(0.1)), rel=1e-5)
    w = [torch.zeros(1, requires_grad=True)]
    assert optim.Adam(w).defaults["eps"] == 1e-8
    assert optim.AdamW(w).defaults["weight_decay"] == 0.01
    found = torch.func.hessian(lambda v: (v**3).sum())(torch.tensor([1.0, 2.0]))
    assert torch.allclose(found, torch.tensor([[6.0, 0.0], [0.0, 12.0]]))


def test_pytorch_scales_a_loss(torch):
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    w = torch.tensor(1.0, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    scaler.scale(w * 3.0).backward()
    assert w.grad == 3072
    scaler.step(optimizer)  # which divides first
    assert float(w.detach()) == pytest.approx(1 - 0.1 * 3)


def test_jax_has_momentum_and_adam_among_its_examples_and_scales_by_hand(jax):
    from jax.example_libraries import optimizers

    k = tf.keras.optimizers
    for (begin, update, weights), ours in [
        (optimizers.momentum(0.1, 0.9), k.SGD(0.1, momentum=0.9)),
        (optimizers.adam(0.1), k.Adam(0.1)),
    ]:
        there = begin(1.0)
        for step, each in enumerate(GIVEN):
            there = update(step, each, there)
        assert float(weights(there)) == pytest.approx(stepped_here(ours), rel=1e-5)
    assert inspect.signature(optimizers.adam).parameters["eps"].default == 1e-8
    found = jax.hessian(lambda v: (v**3).sum())(jax.numpy.array([1.0, 2.0]))
    np.testing.assert_allclose(found, [[6.0, 0.0], [0.0, 12.0]])
    half = jax.numpy.float16(1e-4)

    def loss(w, scale):
        return w * w * jax.numpy.float16(1e-4) * jax.numpy.float16(scale)

    assert jax.grad(loss)(half, 1) == 0
    assert float(jax.grad(loss)(half, 1024)) / 1024 == pytest.approx(2e-8, rel=0.01)


# Lesson 18: do the gradients arrive?

N = 400  # inputs; variances are compared to 5 in 100


def test_here_he_draws_twice_one_over_n_and_a_dense_layer_as_glorot_did():
    tf.random.set_seed(0)
    he = tf.keras.initializers.HeNormal()((N, N)).numpy()
    assert he.var() * N == pytest.approx(2, rel=0.05)
    layer = tf.keras.layers.Dense(N)
    layer(tf.ones([1, N]))
    assert layer.kernel.numpy().var() * N == pytest.approx(1, rel=0.05)
    assert (layer.bias.numpy() == 0).all()
    assert tf.keras.layers.LayerNormalization().epsilon == 1e-3


def test_here_momentum_weighs_the_old_average_and_a_mode_is_an_argument():
    layer = tf.keras.layers.BatchNormalization()
    x = np.array([[1.0], [3.0]], np.float32)
    assert np.abs(layer(x, training=True).numpy()).min() > 0.9
    np.testing.assert_allclose(layer.moving_mean.numpy(), [0.01 * 2], rtol=1e-5)
    used = layer(x, training=False).numpy()  # mean 0.02, variance still nearly 1
    np.testing.assert_allclose(used, x - 0.02, rtol=1e-3)


def test_pytorch_draws_a_third_and_its_momentum_weighs_the_new_batch(torch):
    torch.manual_seed(0)
    w = torch.empty(N, N)
    torch.nn.init.kaiming_normal_(w, nonlinearity="relu")
    assert float(w.var()) * N == pytest.approx(2, rel=0.05)
    assert float(torch.nn.Linear(N, N).weight.detach().var()) * N == pytest.approx(1 / 3, rel=0.05)
    net = torch.nn.BatchNorm1d(1)
    assert net.momentum == 0.1 and torch.nn.LayerNorm(3).eps == 1e-5
    x = torch.tensor([[1.0], [3.0]])
    net.train()
    assert float(net(x).detach().abs().min()) > 0.9
    assert float(net.running_mean) == pytest.approx(0.1 * 2)
    net.eval()
    kept = (0.2, 0.9 + 0.1 * 2.0)  # its variance divides by n - 1
    wanted = (x.numpy() - kept[0]) / np.sqrt(kept[1] + 1e-5)
    np.testing.assert_allclose(net(x).detach().numpy(), wanted, rtol=1e-5)


def test_jax_draws_as_he_did_and_standardizes_a_row(jax):
    draw = jax.nn.initializers.he_normal()
    assert float(draw(jax.random.key(0), (N, N)).var()) * N == pytest.approx(2, rel=0.05)
    x = np.array([[1.0, 2.0, 6.0]], np.float32)
    wanted = (x - 3) / np.sqrt(14 / 3 + 1e-5)
    np.testing.assert_allclose(jax.nn.standardize(x), wanted, rtol=1e-5)
    assert inspect.signature(jax.nn.standardize).parameters["epsilon"].default == 1e-5


# Lesson 19: a transformer that writes (its block in PyTorch: test_claims_writer.py)

ROWS, IDS = np.arange(12.0).reshape(4, 3), [2, 0]
LOGITS = np.log([0.5, 0.3, 0.2])


def frequencies(drawn) -> np.ndarray:
    """How often each of three letters was drawn."""
    flat = np.ravel(np.asarray(drawn))
    return np.bincount(flat, minlength=3) / flat.size


def test_here_rows_are_gathered_and_letters_drawn_by_their_logits():
    np.testing.assert_array_equal(tf.gather(ROWS, IDS).numpy(), ROWS[IDS])
    tf.random.set_seed(0)
    drawn = tf.random.categorical(tf.constant(LOGITS[None]), 4000).numpy()
    np.testing.assert_allclose(frequencies(drawn), [0.5, 0.3, 0.2], atol=0.03)


def test_pytorch_embeds_masks_by_minus_infinity_and_draws_by_probabilities(torch, tmp_path):
    embedding = torch.nn.Embedding.from_pretrained(torch.tensor(ROWS))
    np.testing.assert_array_equal(embedding(torch.tensor(IDS)), ROWS[IDS])
    assert torch.nn.Embedding(21, 28).weight.shape == (21, 28)
    mask = torch.nn.Transformer.generate_square_subsequent_mask(3).numpy()
    np.testing.assert_array_equal(mask, np.triu(np.full((3, 3), -np.inf), 1))
    torch.manual_seed(0)
    drawn = torch.multinomial(torch.tensor(np.exp(LOGITS)), 4000, replacement=True)
    np.testing.assert_allclose(frequencies(drawn), [0.5, 0.3, 0.2], atol=0.03)
    torch.save({"w": torch.tensor(ROWS)}, tmp_path / "w.pt")
    kept = torch.load(tmp_path / "w.pt", weights_only=True)
    np.testing.assert_array_equal(kept["w"], ROWS)


def test_jax_takes_rows_masks_and_draws_by_logits(jax):
    jnp = jax.numpy
    np.testing.assert_array_equal(jnp.asarray(ROWS)[jnp.asarray(IDS)], ROWS[IDS])
    mask = np.asarray(jnp.triu(jnp.full((3, 3), -1e9), 1))
    assert (mask[np.tril_indices(3)] == 0).all() and mask[0, 2] < -9e8
    drawn = jax.random.categorical(jax.random.key(0), jnp.asarray(LOGITS), shape=(4000,))
    np.testing.assert_allclose(frequencies(np.asarray(drawn)), [0.5, 0.3, 0.2], atol=0.03)
