"""Truth values and bits: logical_and and its siblings, and the operators `& | ^ ~`.

Between bools the operators are logical, between integers bitwise. None of them has a derivative.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from minitape.errors import DtypeError, teach
from minitape.op import attach, primitive

if TYPE_CHECKING:
    from typing import Any

    from minitape.tensor import Array


@primitive(
    "logical_and",
    "math.logical_and",
    broadcasts=True,
    differentiable=False,
    latex=r"{x:2} \land {y:2}",
)
def logical_and(x: Array, y: Array) -> Array:
    """Whether both x and y hold, elementwise on bools."""
    _check_bools("logical_and", x, y)
    return x & y


@primitive(
    "logical_or",
    "math.logical_or",
    broadcasts=True,
    differentiable=False,
    latex=r"{x:2} \lor {y:2}",
)
def logical_or(x: Array, y: Array) -> Array:
    """Whether x or y or both hold, elementwise on bools."""
    _check_bools("logical_or", x, y)
    return x | y


@primitive("math.logical_xor", broadcasts=True, differentiable=False, latex=r"{x:2} \oplus {y:2}")
def logical_xor(x: Array, y: Array) -> Array:
    """Whether exactly one of x and y holds, elementwise on bools."""
    _check_bools("logical_xor", x, y)
    return x ^ y


@primitive(
    "logical_not", "math.logical_not", elementwise=True, differentiable=False, latex=r"\lnot {x:3}"
)
def logical_not(x: Array) -> Array:
    """Whether x does not hold, elementwise on bools."""
    _check_bools("logical_not", x)
    return ~x


def _check_bools(op: str, *values: Any) -> None:
    for value in values:
        if value.dtype != bool:
            raise DtypeError(
                teach(
                    f"{op} got a tensor of dtype {value.dtype}.",
                    "It takes bools; numbers have no truth value by themselves.",
                    "Write a comparison, for instance `x != 0`",
                )
            )


@primitive(
    "bitwise.bitwise_and",
    operator="and",
    broadcasts=True,
    differentiable=False,
    latex=r"{x:2} \land {y:2}",
)
def bitwise_and(x: Array, y: Array) -> Array:
    """The operator &, elementwise: logical between bools, bit by bit between integers."""
    return x & y


@primitive(
    "bitwise.bitwise_or",
    operator="or",
    broadcasts=True,
    differentiable=False,
    latex=r"{x:2} \lor {y:2}",
)
def bitwise_or(x: Array, y: Array) -> Array:
    """The operator |, elementwise: logical between bools, bit by bit between integers."""
    return x | y


@primitive(
    "bitwise.bitwise_xor",
    operator="xor",
    broadcasts=True,
    differentiable=False,
    latex=r"{x:2} \oplus {y:2}",
)
def bitwise_xor(x: Array, y: Array) -> Array:
    """The operator ^, elementwise: logical between bools, bit by bit between integers."""
    return x ^ y


@primitive(
    "bitwise.invert",
    operator="invert",
    elementwise=True,
    differentiable=False,
    latex=r"\lnot {x:3}",
)
def invert(x: Array) -> Array:
    """The operator ~, elementwise: logical of a bool, bit by bit of an integer."""
    return ~x


@primitive(
    "bitwise.left_shift",
    kernel=np.left_shift,
    broadcasts=True,
    differentiable=False,
    latex=r"{x:2} \cdot 2^{{{y}}}",
)
def left_shift(x: Array, y: Array) -> Array:
    """The bits of the integer x moved up by y places, elementwise."""


@primitive(
    "bitwise.right_shift",
    kernel=np.right_shift,
    broadcasts=True,
    differentiable=False,
    latex=r"\lfloor\frac{{{x}}}{{2^{{{y}}}}}\rfloor",
)
def right_shift(x: Array, y: Array) -> Array:
    """The bits of the integer x moved down by y places, elementwise; the sign stays."""


for _operator, _op in (("and", bitwise_and), ("or", bitwise_or), ("xor", bitwise_xor)):
    attach(f"r{_operator}", lambda y, x, _op=_op: _op.public(x, y), reflected=False)
