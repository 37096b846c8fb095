"""Casts: from one element type to another, with a gradient where both ends have one.

Gradients flow between floating and complex dtypes only. A cast to integers or bools is an op of its
own that is registered as not differentiable, so gradients behind it are None.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.errors.notices import warn
from minitape.op import export, primitive
from minitape.tensors.composite import Composite
from minitape.tensors.convert import operand
from minitape.values import dtypes

if TYPE_CHECKING:
    from minitape.tensor import Array, Spec, Tensor
    from minitape.values.results import SameKind


def _converted(x: Any, dtype: Any) -> Any:
    """`x` as `dtype`, the way C casts: towards zero, and the real part of a complex number."""
    if x.dtype.kind == "c" and dtype.kind not in "cb":
        x = x.real
    return x.astype(dtype)[()]


@primitive(
    elementwise=True, type_name="Cast", latex=r"\mathrm{{cast}}\left({x}\right)", lengths=True
)
def cast(x: Array, dtype: Any) -> Array:
    """Numbers in a floating or complex `dtype`; complex to real keeps the real part."""
    return _converted(x, dtype)


cast.says(grows=True, shrinks=True, keeps_axes=True)


@cast.prepare
def _(x: Any, dtype: Any) -> tuple[Any]:
    return (dtypes.as_dtype(dtype).np,)


@cast.vjp("x")
def _(g: Tensor, x: Spec) -> Tensor:
    return cast(g, x.dtype)


@primitive(
    elementwise=True,
    differentiable=False,
    type_name="Cast",
    latex=r"\mathrm{{cast}}\left({x}\right)",
)
def cast_to_discrete(x: Array, dtype: Any) -> Array:
    """Numbers as integers (rounded towards zero) or bools (whether they are not zero)."""
    return _converted(x, dtype)


@cast_to_discrete.prepare
def _(x: Any, dtype: Any) -> tuple[Any]:
    return (dtypes.as_dtype(dtype).np,)


@export("cast", "dtypes.cast")
def cast_function(x: Any, dtype: Any, name: str | None = None) -> SameKind:
    """Converts a tensor to another element type.

    Floating to integer rounds towards zero, anything to bool tests for being unequal to zero, and
    complex to real keeps the real part with a warning in the log. Gradients flow between floating
    and complex types; behind a cast to any other type they are None.

    Args:
        x: a tensor of numbers or bools, or something that becomes one.
        dtype: the element type wanted.
        name: accepted and not used.

    Returns:
        A tensor of `dtype` and the shape of `x`; `x` itself if it has that type already.

    Raises:
        TypeError: if `dtype` names no type.
        InvalidArgumentError: between strings and anything else.

    Example:
        >>> import minitape as tf
        >>> tf.cast([1.8, -1.8], tf.int32).numpy().tolist()
        [1, -1]
    """
    wanted = dtypes.as_dtype(dtype).np
    x = operand(x, None)
    if isinstance(x, Composite):
        if hasattr(x, "indices"):  # sparse slices stay sparse
            return x.with_parts([cast_function(part, wanted) for part in x.parts()])
        return _cast_op(wanted)(x, wanted)
    found = x.spec.dtype
    if found == wanted:
        return x
    if "O" in (found.kind, wanted.kind):
        raise _no_strings(x, wanted)
    if found.kind == "c" and wanted.kind not in "cb":
        warn(
            "You are casting an input of type %s to an incompatible dtype %s. This will discard "
            "the imaginary part and may not be what you intended: "
            "write tf.math.real(x) where it is.",
            found.name,
            wanted.name,
        )
    return _cast_op(wanted)(x, wanted)


def _cast_op(dtype: np.dtype[Any]) -> Any:
    return cast if dtype.kind in "fc" else cast_to_discrete


def _no_strings(x: Any, wanted: np.dtype[Any]) -> InvalidArgumentError:
    name = dtypes.of(wanted).name
    return InvalidArgumentError(
        teach(
            f"Cast {x.dtype.name} to {name} is not supported.",
            "A cast converts between numbers and bools. It does not format or parse text.",
            "Use `tf.strings.to_number(x)` for a number, or `str(x.numpy())` for a Python string.",
        )
    )
