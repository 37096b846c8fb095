"""Comparisons, and the ops that choose by them: maximum, minimum, where.

A comparison has no derivative (its gradient is None), and at a tie of maximum or minimum the first
operand takes the whole gradient.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import DtypeError, teach
from minitape.op import attach, export, operands, primitive
from minitape.ops.families import as_value
from minitape.tensor import Spec
from minitape.tensors.composite import Composite
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from minitape.tensor import Array, Indices, Tensor
    from minitape.values.results import SameKind


_LARGE = 4096  # elements


@primitive(
    "equal",
    "math.equal",
    kernel=operator.eq,
    broadcasts=True,
    differentiable=False,
    latex=r"{x} = {y}",
)
def equal(x: Array, y: Array) -> Array:
    """Whether x equals y, elementwise; NaN equals nothing."""


equal.says(jumps="truth")


@primitive(
    "not_equal",
    "math.not_equal",
    kernel=operator.ne,
    broadcasts=True,
    differentiable=False,
    latex=r"{x} \ne {y}",
)
def not_equal(x: Array, y: Array) -> Array:
    """Whether x differs from y, elementwise; NaN differs from everything."""


not_equal.says(jumps="truth")


@primitive(
    "less",
    "math.less",
    operator="lt",
    kernel=operator.lt,
    broadcasts=True,
    differentiable=False,
    latex=r"{x} < {y}",
    refuses="bcO",
)
def less(x: Array, y: Array) -> Array:
    """Whether x < y, elementwise."""


less.says(jumps="truth")


@primitive(
    "less_equal",
    "math.less_equal",
    operator="le",
    kernel=operator.le,
    broadcasts=True,
    differentiable=False,
    latex=r"{x} \le {y}",
    refuses="bcO",
)
def less_equal(x: Array, y: Array) -> Array:
    """Whether x <= y, elementwise."""


less_equal.says(jumps="truth")


@primitive(
    "greater",
    "math.greater",
    operator="gt",
    kernel=operator.gt,
    broadcasts=True,
    differentiable=False,
    latex=r"{x} > {y}",
    refuses="bcO",
)
def greater(x: Array, y: Array) -> Array:
    """Whether x > y, elementwise."""


greater.says(jumps="truth")


@primitive(
    "greater_equal",
    "math.greater_equal",
    operator="ge",
    kernel=operator.ge,
    broadcasts=True,
    differentiable=False,
    latex=r"{x} \ge {y}",
    refuses="bcO",
)
def greater_equal(x: Array, y: Array) -> Array:
    """Whether x >= y, elementwise."""


greater_equal.says(jumps="truth")


def _equality(op: Any, otherwise: bool) -> Any:
    """`==` or `!=`: what cannot be compared (None, other shapes) is unequal instead of an error."""

    def compare(x: Any, y: Any) -> Any:
        if y is None:
            return otherwise
        x, y = operands(op.op, (x, y))
        if (
            isinstance(x, Composite)
            or isinstance(y, Composite)
            or broadcastable(x.spec.shape, y.spec.shape)
        ):
            return op.public(x, y)
        return operand(otherwise, None)

    return compare


attach("eq", _equality(equal, False), reflected=False)
attach("ne", _equality(not_equal, True), reflected=False)


def broadcastable(a: Any, b: Any) -> bool:
    """Whether two shapes agree from the right, sizes of 1 and unknown ones fitting anything."""
    return all(
        m == n or m in (1, None) or n in (1, None) for m, n in zip(a[::-1], b[::-1], strict=False)
    )


@primitive(
    broadcasts=True, type_name="SelectV2", latex=r"\mathrm{{where}}\left({keep}, {x}, 0\right)"
)
def masked(x: Array, keep: Indices) -> Array:
    """The elements of x where `keep` holds, else 0, where a product would make nan of inf."""
    if np.ndim(x) == 0 or np.ndim(keep) == 0 or x.itemsize > 8:
        return np.where(keep, x, x.dtype.type(0))[()]
    # By bits, of which -True has all: `where` is ten times slower on masks without a pattern.
    integer = f"i{x.itemsize}"
    return (x.view(integer) & -keep.view("i1")).view(x.dtype)


masked.says(called="gate")


@masked.vjp("x")
def _(g: Tensor, keep: Tensor) -> Tensor:
    return masked(g, keep)


@primitive(broadcasts=True, latex=r"{x}")
def tie(x: Array, y: Array) -> Array:
    """x, as something that depends on y with derivative 0: for rules that only compare y.

    Second derivatives of relu are zeros, as in TensorFlow, and not None.
    """
    if x.shape == y.shape:
        return x
    return np.broadcast_to(x, np.broadcast_shapes(x.shape, y.shape))[()]


@tie.vjp("x")
def _(g: Tensor) -> Tensor:
    return g


@tie.vjp("y")
def _(g: Tensor) -> Tensor:
    return masked(g, np.False_)


@primitive(
    "maximum",
    "math.maximum",
    kernel=np.maximum,
    broadcasts=True,
    latex=r"\max\left({x}, {y}\right)",
    refuses="bcO",
)
def maximum(x: Array, y: Array) -> Array:
    """The larger of x and y, elementwise; NaN wins. At a tie x takes the whole gradient."""


maximum.says(
    extreme="largest",
    gate="the smaller one",
    fault="constant_won",
    flat="the other argument is larger, so this one does not matter",
)


@maximum.vjp("x")
def _(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return masked(g, x >= y)


@maximum.vjp("y")
def _(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return masked(g, ~(x >= y))


@primitive(
    "minimum",
    "math.minimum",
    kernel=np.minimum,
    broadcasts=True,
    latex=r"\min\left({x}, {y}\right)",
    refuses="bcO",
)
def minimum(x: Array, y: Array) -> Array:
    """The smaller of x and y, elementwise; NaN wins. At a tie x takes the whole gradient."""


minimum.says(
    extreme="smallest",
    gate="the larger one",
    fault="constant_won",
    flat="the other argument is smaller, so this one does not matter",
)


@minimum.vjp("x")
def _(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return masked(g, x <= y)


@minimum.vjp("y")
def _(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return masked(g, ~(x <= y))


@primitive(
    broadcasts=True,
    type_name="SelectV2",
    latex=r"\mathrm{{where}}\left({condition}, {x}, {y}\right)",
)
def select(condition: Indices, x: Array, y: Array) -> Array:
    """The elements of x where `condition` holds, else of y; each gets its own gradient."""
    arrays = type(x) is type(y) is np.ndarray and x.itemsize <= 8 and not x.dtype.hasobject
    if np.size(condition) < _LARGE or not arrays:
        return as_value(np.where(condition, x, y))
    a, b = x.view(f"i{x.itemsize}"), y.view(f"i{x.itemsize}")  # by bits, as in `masked`
    return (b ^ ((a ^ b) & -condition.view("i1"))).view(x.dtype)


select.says(also="where", gate="not chosen", flat="the condition takes the other branch")


@select.vjp("x")
def _(g: Tensor, condition: Tensor) -> Tensor:
    return masked(g, condition)


@select.vjp("y")
def _(g: Tensor, condition: Tensor) -> Tensor:
    return masked(g, ~condition)


@primitive(
    differentiable=False,
    type_name="Where",
    latex=r"\mathrm{{where}}\left({condition}\right)",
    infer=lambda specs: Spec((None, len(specs[0].shape)), np.dtype(np.int64)),
)
def nonzero_indices(condition: Indices) -> Array:
    """The int64 indices [count, rank] of the elements that are not zero or False, row by row."""
    return np.argwhere(condition)


@export("where")
def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> SameKind:
    """Chooses elements of `x` or `y`, or finds where `condition` holds.

    Args:
        condition: bool tensor; without `x` and `y` also numeric (unequal to zero counts as True).
        x: tensor to take where `condition` is True; the three broadcast.
        y: tensor to take elsewhere, of the dtype of `x`.
        name: accepted and not used.

    Returns:
        The chosen elements. Without `x` and `y`: the indices of True elements, int64 of shape
        [count, rank]. The gradient goes to the chosen side only; beware that an infinite derivative
        on the other side still gives nan there (0 * inf): make its input safe by a second `where`.

    Raises:
        ValueError: if only one of `x` and `y` is given.
        InvalidArgumentError: if `condition` is not bool while `x` and `y` are given.

    Example:
        >>> import minitape as tf
        >>> x = tf.constant([-1.0, 2.0])
        >>> tf.where(x > 0.0, x, 0.0).numpy().tolist()
        [0.0, 2.0]
        >>> tf.where([False, True, True]).numpy().tolist()
        [[1], [2]]
    """
    condition = operand(condition, None)
    if x is None and y is None:
        return nonzero_indices(condition)
    if x is None or y is None:
        raise ValueError(
            "x and y must both be non-None or both be None: `tf.where(condition)` finds indices, "
            "`tf.where(condition, x, y)` chooses values."
        )
    if not condition.dtype.is_bool:
        raise DtypeError(
            teach(
                f"tf.where got a condition of dtype {condition.dtype.name}.",
                "It chooses between `x` and `y` by truth values only.",
                "Write a comparison, for instance `tf.where(condition != 0, x, y)`.",
            )
        )
    return select.public(condition, x, y)


@primitive(broadcasts=True, latex=r"{x:2} \cdot \left[{keep}\right]")
def gate(x: Array, keep: Indices) -> Array:
    """The product of numbers and truth values, for rules: x where `keep` holds, else 0."""
    return x * keep


gate.says(sign="·", gate="dropped")


@gate.vjp("x")
def _(g: Tensor, keep: Tensor) -> Tensor:
    return gate(g, keep)
