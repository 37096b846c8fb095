"""Arithmetic: the elementwise ops behind the operators `+`, `-` and `*` (`/` is in `division`).

All of these broadcast, which their declaration says and their rules ignore. A rule is the plain
derivative; the sweep conjugates at its ends where dtypes are complex.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

from minitape.op import primitive

if TYPE_CHECKING:
    from minitape.tensor import Array, Tensor


@primitive(
    "add",
    "math.add",
    operator="add",
    kernel=operator.add,
    broadcasts=True,
    type_name="AddV2",
    node_name="add",
    latex=r"{x} + {y}",
    refuses="b",
    lengths=True,
)
def add(x: Array, y: Array) -> Array:
    """The sum x + y, elementwise."""


add.says(sign="+", grows=True)


@add.vjp("x", "y")
def _(g: Tensor) -> Tensor:
    return g


@primitive(
    "subtract",
    "math.subtract",
    operator="sub",
    kernel=operator.sub,
    broadcasts=True,
    type_name="Sub",
    node_name="sub",
    latex=r"{x} - {y:2}",
    refuses="b",
    lengths=True,
)
def subtract(x: Array, y: Array) -> Array:
    """The difference x - y, elementwise."""


subtract.says(sign="−", grows=True)


@subtract.vjp("x")
def _(g: Tensor) -> Tensor:
    return g


@subtract.vjp("y")
def _(g: Tensor) -> Tensor:
    return -g


@primitive(
    "multiply",
    "math.multiply",
    operator="mul",
    kernel=operator.mul,
    broadcasts=True,
    type_name="Mul",
    node_name="mul",
    latex=r"{x:2} \cdot {y:2}",
    refuses="b",
    lengths=True,
)
def multiply(x: Array, y: Array) -> Array:
    """The product x y, elementwise."""


multiply.says(sign="·", flat="the other factor is 0", grows=True, shrinks=True)


@multiply.vjp("x")
def _(g: Tensor, y: Tensor) -> Tensor:
    return g * y


@multiply.vjp("y")
def _(g: Tensor, x: Tensor) -> Tensor:
    return g * x


@primitive(
    "negative",
    "math.negative",
    operator="neg",
    kernel=operator.neg,
    elementwise=True,
    type_name="Neg",
    latex=r"-{x:2}",
    refuses="bu",
)
def negative(x: Array) -> Array:
    """-x, elementwise."""


negative.says(sign="−")


@negative.vjp("x")
def _(g: Tensor) -> Tensor:
    return -g
