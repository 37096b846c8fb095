"""Functions of JAX as a table: gradients beside `jax.grad`'s own, and a page."""

from __future__ import annotations

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="JAX is not installed (see .ci/run)")

from jax import (  # noqa: E402
    lax,
    nn,
    numpy as jnp,  # noqa: E402
)

import minitape.viz.adapters.jax as adapter  # noqa: E402
from minitape.viz.player.page import page  # noqa: E402

WHERE = jnp.array([[0, 2, 1], [1, 1, 0], [2, 0, 2]])


@jax.custom_vjp
def clipped(x):
    return x


clipped.defvjp(lambda x: (x, None), lambda _, g: (jnp.clip(g, -0.1, 0.1),))


@jax.custom_jvp
def softened(x):
    return jnp.log1p(jnp.exp(x))


softened.defjvp(lambda p, t: (softened(p[0]), nn.sigmoid(p[0]) * t[0]))


def asserted(x):
    jax.debug.print("{}", x[0, 0])
    return x


def solved(x, y):
    return lax.custom_linear_solve(
        lambda v: (x @ x.T + jnp.eye(3)) @ v, y[0],
        lambda _, b: jnp.linalg.solve(x @ x.T + jnp.eye(3), b), symmetric=True,
    )  # fmt: skip


def looped(x, y):
    return lax.fori_loop(0, 3, lambda i, c: jnp.tanh(c @ x + i), y)


def scanned(x, y):
    return lax.scan(lambda c, row: (jnp.tanh(c @ x + row), c.sum()), y[0], x)


# Of x and y, both (3, 3): what they give, arrays of any shape in any structure.
FUNCTIONS = {
    "power": lambda x, y: jnp.abs(x) ** y,
    "arctan2": lambda x, y: jnp.arctan2(x, y),
    "logaddexp": lambda x, y: jnp.logaddexp(x, y),
    "remainder": lambda x, y: jnp.remainder(x, jnp.abs(y) + 1),
    "erf": lambda x, y: jax.scipy.special.erf(x) + jax.scipy.special.erfinv(jnp.tanh(y)),
    "gammaln": lambda x, y: jax.scipy.special.gammaln(jnp.abs(x) + 1),
    "sinc": lambda x, y: jnp.sinc(x),
    "cbrt": lambda x, y: jnp.cbrt(x),
    "clip": lambda x, y: jnp.clip(x, -0.5, 0.5),
    "where": lambda x, y: jnp.where(x > 0, x, y),
    "select": lambda x, y: jnp.select([x > 1, x > 0], [x, y], 2.0),
    "piecewise": lambda x, y: jnp.piecewise(x, [x > 0], [jnp.sin, jnp.exp]),
    "var": lambda x, y: jnp.var(x, axis=0),
    "median": lambda x, y: jnp.median(x, axis=0),
    "prod": lambda x, y: jnp.prod(x, axis=1),
    "max": lambda x, y: jnp.max(x, axis=1),
    "cumsum": lambda x, y: jnp.cumsum(x) * jnp.cumprod(y.ravel()),
    "cummax": lambda x, y: lax.cummax(x),
    "sort": lambda x, y: jnp.sort(x) * y,
    "sort of pairs": lambda x, y: lax.sort((x, y), num_keys=1),
    "top_k": lambda x, y: lax.top_k(x, 2)[0],
    "logsumexp": lambda x, y: jax.scipy.special.logsumexp(x, axis=1),
    "take": lambda x, y: jnp.take(x, jnp.array([0, 2, 2]), axis=0),
    "take_along_axis": lambda x, y: jnp.take_along_axis(x, WHERE, axis=1),
    "indices": lambda x, y: x[jnp.array([0, 1]), jnp.array([1, 1])],
    "at set": lambda x, y: x.at[0].set(y[1]),
    "at add": lambda x, y: x.at[jnp.array([0, 0])].add(y[:2]),
    "at multiply": lambda x, y: x.at[1].multiply(2.0),
    "at max": lambda x, y: x.at[1].max(y[0]),
    "segment_sum": lambda x, y: jax.ops.segment_sum(x, jnp.array([0, 1, 0])),
    "dynamic_slice": lambda x, y: lax.dynamic_slice(x, (1, 0), (2, 2)),
    "dynamic_update_slice": lambda x, y: lax.dynamic_update_slice(x, y[:2, :2], (1, 0)),
    "pad": lambda x, y: jnp.pad(x, 1, mode="reflect"),
    "roll and flip": lambda x, y: jnp.roll(jnp.flip(x, 0), 1, axis=1) * y,
    "concatenate": lambda x, y: jnp.concatenate([x, y], axis=1),
    "split": lambda x, y: jnp.split(x, 3)[1] * y,
    "einsum": lambda x, y: jnp.einsum("ij,kj->ik", x, y),
    "tensordot": lambda x, y: jnp.tensordot(x, y),
    "kron": lambda x, y: jnp.kron(x, y),
    "vmap": lambda x, y: jax.vmap(jnp.dot)(x, y),
    "det": lambda x, y: jnp.linalg.det(x),
    "inv": lambda x, y: jnp.linalg.inv(x),
    "solve": lambda x, y: jnp.linalg.solve(x, y),
    "cholesky": lambda x, y: jnp.linalg.cholesky(x @ x.T + jnp.eye(3)),
    "qr": lambda x, y: jnp.linalg.qr(x)[1],
    "eigh": lambda x, y: jnp.linalg.eigh(x + x.T)[0],
    "svd": lambda x, y: jnp.linalg.svd(x, compute_uv=False),
    "expm": lambda x, y: jax.scipy.linalg.expm(x),
    "fft": lambda x, y: jnp.abs(jnp.fft.fft(x)),
    "rfft": lambda x, y: jnp.fft.irfft(jnp.fft.rfft(x) * 2),
    "complex": lambda x, y: jnp.real((x + 1j * y) ** 2),
    "convolve": lambda x, y: jnp.convolve(x[0], y[0]),
    "conv": lambda x, y: lax.conv(x[None, None], y[None, None, :2, :2], (1, 1), "SAME"),
    "max pool": lambda x, y: lax.reduce_window(
        x, -jnp.inf, lax.max, (2, 2), (1, 1), "VALID"
    ),
    "interp": lambda x, y: jnp.interp(x, jnp.array([-1.0, 0.0, 1.0]), y[0]),
    "softmax": lambda x, y: nn.softmax(x) * y,
    "gelu": lambda x, y: nn.gelu(x),
    "celu, elu and selu": lambda x, y: nn.celu(x) + nn.elu(y) + nn.selu(x),
    "hard": lambda x, y: nn.hard_tanh(x) + nn.hard_swish(y) + nn.relu6(x),
    "attention": lambda x, y: nn.dot_product_attention(x[:, None], y[:, None], x[:, None]),
    "fori_loop": looped,
    "scan": scanned,
    "associative_scan": lambda x, y: lax.associative_scan(jnp.multiply, x),
    "map": lambda x, y: lax.map(jnp.sin, x),
    "cond": lambda x, y: lax.cond(x[0, 0] > 0, jnp.sin, jnp.cos, y),
    "switch": lambda x, y: lax.switch(1, [jnp.sin, jnp.cos], x),
    "checkpoint": lambda x, y: jax.checkpoint(lambda a: jnp.sin(a) ** 2)(x),
    "custom_vjp": lambda x, y: clipped(x * 2) ** 2,
    "custom_jvp": lambda x, y: softened(x),
    "custom_linear_solve": solved,
    "stop_gradient": lambda x, y: lax.stop_gradient(x) * y,
    "debug.print": lambda x, y: asserted(x) * y,
    "grad": lambda x, y: jax.grad(lambda a: jnp.sum(jnp.sin(a) * y))(x),
    "jvp": lambda x, y: jax.jvp(jnp.tanh, (x,), (y,)),
    "hessian": lambda x, y: jax.hessian(lambda a: jnp.sum(a**3))(x[0]),
    "random": lambda x, y: x * jax.random.normal(jax.random.key(0), (3, 3)),
    "bfloat16": lambda x, y: (x.astype(jnp.bfloat16) @ y.astype(jnp.bfloat16)).astype(x.dtype),
    "several results": lambda x, y: {"sum": x + y, "both": (x * y, 3)},
    "one argument twice": lambda x, y: x @ x + x * x,
}  # fmt: skip


def total(function):
    """All floating results, weighted, as one number."""

    def loss(x, y):
        leaves = [jnp.asarray(each) for each in jax.tree.leaves(function(x, y))]
        leaves = [each for each in leaves if jnp.issubdtype(each.dtype, jnp.floating)]
        return sum(jnp.sum(e * jnp.linspace(0.5, 1.5, e.size).reshape(e.shape)) for e in leaves)

    return loss


def programs():
    """All that the table has: a name, a loss, its arguments."""
    x, y = np.random.default_rng(0).normal(size=(2, 3, 3)).astype(np.float32)
    for name, function in FUNCTIONS.items():
        yield name, total(function), (x, y)


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_gradients_are_jax_s(name):
    x, y = np.random.default_rng(0).normal(size=(2, 3, 3)).astype(np.float32)
    loss = total(FUNCTIONS[name])
    own = jax.grad(loss, argnums=(0, 1))(x, y)
    player = adapter.step(loss, x, y)
    for found, expected in zip(player.gradients.values(), own, strict=True):
        found = np.zeros((3, 3)) if found is None else np.asarray(found)
        bound = 1e-6 * max(np.abs(expected).max(), 1e-30)
        np.testing.assert_allclose(found, expected, rtol=0, atol=bound)
    assert "<script" in page(player.trace)
