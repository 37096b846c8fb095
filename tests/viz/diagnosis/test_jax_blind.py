"""Mistakes that people ask about in public, in JAX: their lines, their kinds, and what is meant."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from warm import warmed

pytest.importorskip("jax", reason="JAX is not installed (see .ci/run)")

from minitape.viz.diagnosis.trial.frameworks import report

START = "import jax\nimport jax.numpy as jnp\n"
MISTAKES = {
    "a stop_gradient around the prediction": (
        """\
def loss(w, x, y):
    p = jax.lax.stop_gradient(x @ w)
    return jnp.mean((p - y) ** 2)

print(jax.grad(loss)(jnp.array([0.5, 1.0]), jnp.eye(2), jnp.ones(2)))
""",
        ("cut_path", 4),
        "sound",
    ),
    "an element assigned by adding": (
        """\
def loss(w):
    total = jnp.zeros(2)
    total[0] += w * w
    return total.sum()

print(jax.grad(loss)(3.0))
""",
        ("array_assigned", 5),
        "sound",
    ),
    "the table of a loss is set and dropped, under jit": (
        """\
@jax.jit
def step(w):
    def loss(w):
        table = jnp.zeros(3)
        table.at[1].add(w)
        return jnp.sum((table - 1.0) ** 2)
    return w - 0.1 * jax.grad(loss)(w)

print(step(jnp.array(0.3)))
""",
        ("result_dropped", 7),
        "other",
    ),
    "the outer parameters in the loss": (
        """\
params = {"w": jnp.array([1.0, 2.0]), "b": jnp.array(0.5)}

def loss(p, x):
    return jnp.mean((x @ params["w"] + params["b"]) ** 2)

print(jax.value_and_grad(loss)(params, jnp.eye(2)))
""",
        ("argument_unread", 6),
        "sound",
    ),
    "a column beside a row": (
        """\
def loss(w, x, y):
    p = x @ w
    return jnp.mean((p - y) ** 2)

x = jnp.arange(10.0).reshape(5, 2) / 10
print(jax.grad(loss)(jnp.ones((2, 1)), x, x[:, 0]))
""",
        ("broadcast", 5),
        "other",
    ),
    "whole numbers as the state of a scan": (
        """\
def grown(rate):
    def tick(n, _):
        n = jnp.floor(n + rate * n)
        return n, None
    return jax.lax.scan(tick, jnp.array(100.0), None, length=4)[0]

print(jax.grad(grown)(0.1))
""",
        ("vanishing", 5),
        "",
    ),
    "a square root at zero in a scan": (
        """\
def path(w, x):
    step = lambda s, u: (s + jnp.sqrt(w * u), s)
    return jax.lax.scan(step, 0.0, x)[0]

print(jax.grad(path)(2.0, jnp.array([1.0, 0.0])))
""",
        ("not_finite", 4),
        "",
    ),
    "a tuple without has_aux": (
        """\
def loss(w):
    p = 2.0 * w
    return p**2, p

(value, p), g = jax.value_and_grad(loss)(3.0)
print(g)
""",
        ("grad_of_several", 7),
        "other",
    ),
    "a traced number of steps": (
        """\
@jax.jit
def power(x, n):
    return jax.lax.fori_loop(0, n, lambda i, y: y * x, 1.0)

print(jax.grad(power)(2.0, 3))
""",
        ("loop_forward_only", 5),
        "",
    ),
    "a size that jit traces": (
        """\
@jax.jit
def sums(x, n):
    return jnp.sum(x ** jnp.arange(n))

print(jax.grad(sums)(0.5, 3))
""",
        ("tracer_as_size", 5),
        "",
    ),
    "a softmax before one with a logarithm": (
        """\
def loss(w, x):
    p = jax.nn.softmax(x @ w, axis=-1)
    return -jnp.mean(jax.nn.log_softmax(p)[:, 0])

print(jax.grad(loss)(jnp.ones((2, 3)), jnp.eye(2)))
""",
        ("softmax_twice", 4),
        "other",
    ),
    "a step along the gradient of a loss": (
        """\
def loss(p):
    return jnp.mean((p["w"] * jnp.arange(3.0) + p["b"] - 2.0) ** 2)

@jax.jit
def update(p):
    g = jax.grad(loss)(p)
    return jax.tree.map(lambda a, b: a - 0.1 * b, p, g), jnp.sum(g["w"] + 1.0)

p = {"w": jnp.array(0.5), "b": jnp.array(0.0)}
for _ in range(6):
    g = jax.grad(loss)(p)
    p = {name: p[name] + 0.1 * g[name] for name in p}
""",
        ("ascent", 14),
        "sound",
    ),
}
MEANT = {
    "a target behind stop_gradient": """\
def loss(w, x):
    q = x @ w
    return jnp.mean((q - jax.lax.stop_gradient(1.0 + 0.9 * q.max())) ** 2)

print(jax.grad(loss)(jnp.array([0.5, 1.0]), jnp.eye(2)))
""",
    "a gradient at the minimum": """\
def loss(p):
    return jnp.sum((p - 1.0) ** 2)

print(jax.grad(loss)(jnp.ones(2)), jax.hessian(loss)(jnp.ones(2)))
""",
    "rounding with a straight-through gradient in a scan": """\
def total(w, x):
    def step(s, u):
        v = s + w * u
        return v + jax.lax.stop_gradient(jnp.round(v) - v), v
    return jnp.sum(jax.lax.scan(step, 0.0, x, reverse=True)[1] ** 2)

print(jax.grad(total)(0.7, jnp.arange(4.0)))
""",
    "all pairs of points": """\
def energy(x):
    gaps = x[:, None] - x
    return jnp.mean(gaps**2)

print(jax.grad(energy)(jnp.arange(4.0)))
""",
    "a likelihood and a reward that are maximised": """\
data = jnp.array([1.0, 2.0, 4.0])
likelihood = lambda m: -jnp.mean((data - m) ** 2)
reward = lambda z: jnp.sum(jax.nn.softmax(z) * data)
m, z = 0.0, jnp.zeros(3)
for _ in range(6):
    m, z = m + 0.1 * jax.grad(likelihood)(m), z + 0.1 * jax.grad(reward)(z)
""",
    "an attack on the inputs of a loss": """\
def loss(w, x):
    return jnp.mean((x @ w - 1.0) ** 2)

w, x = jnp.array([0.5, 1.0]), jnp.eye(2)
for _ in range(6):
    x = x + 0.1 * jax.grad(loss, argnums=1)(w, x)
""",
    "a mixture of softmaxes, and attention over attention": """\
def loss(w, x):
    gate, experts = jax.nn.softmax(x @ w[0]), jax.nn.softmax(x @ w[1])
    mixed = jax.nn.softmax(experts @ experts.T) @ (gate * experts)
    return -jnp.mean(jnp.log(mixed.sum(1))) + jnp.mean(gate * jnp.log(gate))

print(jax.grad(loss)(jnp.arange(8.0).reshape(2, 2, 2), jnp.eye(2)))
""",
    "a rule without its cotangent where that is 1": """\
@jax.custom_vjp
def square(x):
    return jnp.sum(x * x)

square.defvjp(lambda x: (jnp.sum(x * x), x), lambda x, g: (2.0 * x,))
print(jax.grad(square)(jnp.arange(3.0)))
""",
}


@pytest.fixture(scope="module", autouse=True)
def quickly() -> Iterator[None]:
    """A third of the time; nothing else is different."""
    with warmed("minitape.viz.diagnosis.trial.jax_child"):
        yield


def looked(folder, text):
    file = folder / "script.py"
    file.write_text(START + text)
    return report(file, (), 120.0, "jax")


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_that_is_asked_about_is_found_at_its_line(name, tmp_path):
    text, expected, verdict = MISTAKES[name]
    found = looked(tmp_path, text).diagnoses
    assert [(d.finding.cause, d.finding.line) for d in found[:1]] == [expected]
    if verdict:
        assert found[0].verdict == verdict, found[0]


@pytest.mark.parametrize("name", MEANT)
def test_what_looks_like_a_mistake_and_is_meant_is_not_named(name, tmp_path):
    assert not looked(tmp_path, MEANT[name]).diagnoses


def test_of_two_stop_gradients_neither_is_called_tried(tmp_path):
    found = looked(
        tmp_path,
        """\
def loss(w, x):
    target = jax.lax.stop_gradient(1.0 + x @ w)
    q = jax.lax.stop_gradient(x @ w)
    return jnp.mean((q - target) ** 2)

print(jax.grad(loss)(jnp.array([0.5, 1.0]), jnp.eye(2)))
""",
    ).diagnoses
    assert [d.finding.cause for d in found] == ["cut_path"]
    assert not found[0].mend


def test_the_steps_of_a_scan_give_the_gradient_that_jax_gives(tmp_path):
    """The states are w and 3 w, so the sum of their squares is 10 w**2 and its slope 20 w."""
    import jax
    import jax.numpy as jnp

    from minitape.viz.diagnosis.sources.jax import Collector
    from minitape.viz.diagnosis.sources.places import Places
    from minitape.viz.jaxprs.asked import listening

    asks = []
    collector = Collector(Places(__file__, Path(__file__).read_text()), asks.append)
    with listening(collector.ask):

        def squares(w):
            states = jax.lax.scan(lambda s, u: (s + u, s + u), 0.0, w * jnp.array([1.0, 2.0]))[1]
            return jnp.sum(states**2)

        jax.grad(squares)(0.5)
    (ask,) = asks
    names = [f.op.name for f in ask.sweep]
    assert names.count("stack") == 1 and names.count("getitem") == 2
    arrived = [f for f in ask.sweep if f.op.inputs[:1] == ask.sources]
    assert ask.looked and sum(float(f.outgoing[0]) for f in arrived) == pytest.approx(10.0)
