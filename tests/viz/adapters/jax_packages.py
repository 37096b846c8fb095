"""Programs of packages that build on JAX: a loss, and the arguments by which it is differentiated.

An argument is a pytree of arrays alone, as `jax.grad` takes it.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
from jax import numpy as jnp

KEY = jax.random.key(0)
ROWS = jnp.sin(jnp.arange(12.0) ** 2).reshape(4, 3)


class Program(NamedTuple):
    """A package, and what makes a loss and its arguments."""

    package: str
    make: Callable[[], tuple[Callable[..., Any], tuple[Any, ...]]]


def of_module(build: Callable[[Any], Any], run: Callable[[Any, Any], Any]) -> Program:
    """A module of Equinox: its arrays are the argument, the rest of it is fixed."""

    def make() -> tuple[Callable[..., Any], tuple[Any, ...]]:
        import equinox

        arrays, rest = equinox.partition(build(equinox.nn), equinox.is_inexact_array)

        def loss(arrays: Any, x: Any) -> Any:
            return jnp.mean(jnp.square(run(equinox.combine(arrays, rest), x)))

        return loss, (arrays, ROWS)

    return Program("equinox", make)


def linen() -> tuple[Callable[..., Any], tuple[Any, ...]]:
    from flax import linen as nn

    class Net(nn.Module):
        @nn.compact
        def __call__(self, x: Any) -> Any:
            x = nn.LayerNorm()(nn.relu(nn.Dense(5)(x)))
            return nn.Dense(2)(x)

    net = Net()
    return lambda weights, x: jnp.mean(net.apply(weights, x) ** 2), (net.init(KEY, ROWS), ROWS)


def linen_recurrent() -> tuple[Callable[..., Any], tuple[Any, ...]]:
    from flax import linen as nn

    net = nn.RNN(nn.GRUCell(features=3))
    x = ROWS[None]
    return lambda weights, x: jnp.sum(net.apply(weights, x) ** 2), (net.init(KEY, x), x)


def linen_attention() -> tuple[Callable[..., Any], tuple[Any, ...]]:
    from flax import linen as nn

    net, x = nn.MultiHeadDotProductAttention(num_heads=2, qkv_features=4), ROWS[None]
    return lambda weights, x: jnp.sum(net.apply(weights, x) ** 2), (net.init(KEY, x), x)


def nnx() -> tuple[Callable[..., Any], tuple[Any, ...]]:
    from flax import nnx as nn

    class Net(nn.Module):
        def __init__(self, rngs: Any) -> None:
            self.first, self.second = nn.Linear(3, 5, rngs=rngs), nn.Linear(5, 2, rngs=rngs)
            self.norm = nn.LayerNorm(5, rngs=rngs)

        def __call__(self, x: Any) -> Any:
            return self.second(self.norm(nn.gelu(self.first(x))))

    graph, state = nn.split(Net(nn.Rngs(0)))
    return lambda state, x: jnp.mean(nn.merge(graph, state)(x) ** 2), (state, ROWS)


def equation(solver: str, adjoint: str, adaptive: bool = False) -> Program:
    """An ordinary differential equation from 0 to 1."""

    def make() -> tuple[Callable[..., Any], tuple[Any, ...]]:
        import diffrax

        control = diffrax.PIDController(1e-3, 1e-3) if adaptive else diffrax.ConstantStepSize()

        def loss(w: Any, y: Any) -> Any:
            field = diffrax.ODETerm(lambda t, y, w: jnp.tanh(w @ y) - t * y)
            solution = diffrax.diffeqsolve(
                field, getattr(diffrax, solver)(),
                t0=0.0, t1=1.0, dt0=0.25, y0=y, args=w, stepsize_controller=control,
                adjoint=getattr(diffrax, adjoint)(), max_steps=16,
            )  # fmt: skip
            return jnp.sum(solution.ys**2)

        return loss, (jnp.array([[0.5, -1.0], [0.25, 0.75]]), jnp.array([1.0, 0.5]))

    return Program("diffrax", make)


PROGRAMS = {
    "MLP": of_module(lambda nn: nn.MLP(3, 2, 4, 2, key=KEY), lambda net, x: jax.vmap(net)(x)),
    "LayerNorm": of_module(lambda nn: nn.LayerNorm(3), lambda net, x: jax.vmap(net)(x) ** 3),
    "GRUCell": of_module(
        lambda nn: nn.GRUCell(3, 3, key=KEY),
        lambda cell, x: jax.lax.scan(lambda h, row: (cell(row, h), h), x[0], x)[0],
    ),
    "MultiheadAttention": of_module(
        lambda nn: nn.MultiheadAttention(1, 3, key=KEY), lambda net, x: net(x, x, x)
    ),
    "Conv1d": of_module(lambda nn: nn.Conv1d(4, 2, 2, key=KEY), lambda net, x: net(x)),
    "linen": Program("flax", linen),
    "linen, recurrent": Program("flax", linen_recurrent),
    "linen, attention": Program("flax", linen_attention),
    "nnx": Program("flax", nnx),
    "Euler": equation("Euler", "DirectAdjoint"),
    "Tsitouras": equation("Tsit5", "RecursiveCheckpointAdjoint"),
    "Tsitouras, adaptive": equation("Tsit5", "RecursiveCheckpointAdjoint", adaptive=True),
    "Heun by its adjoint": equation("Heun", "BacksolveAdjoint"),
}


def is_here(name: str) -> bool:
    """Whether the package of a program is installed."""
    return importlib.util.find_spec(PROGRAMS[name].package) is not None
