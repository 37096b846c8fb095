"""Ops that pass numbers on: the identity, with or without a gradient, and the conjugate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.op import primitive

if TYPE_CHECKING:
    from minitape.tensor import Array, Tensor


@primitive("identity", elementwise=True, latex=r"{input}", lengths=True)
def identity(input: Array) -> Array:  # noqa: A002  # TensorFlow's name
    """The same values as a new tensor, through which gradients pass."""
    return input


identity.says(moves="same")


@identity.vjp("input")
def _(g: Tensor) -> Tensor:
    return g


@primitive(
    "stop_gradient",
    elementwise=True,
    differentiable=False,
    type_name="StopGradient",
    latex=r"\mathrm{{stop}}\left({input}\right)",
)
def stop_gradient(input: Array) -> Array:
    """The same values as a new tensor, through which no gradient passes."""
    return input


stop_gradient.says(moves="same")


@primitive("math.conj", elementwise=True, latex=r"\overline{{{x}}}")
def conj(x: Array) -> Array:
    """The complex conjugate, elementwise; real tensors stay what they are."""
    return np.conj(x) if x.dtype.kind == "c" else x


@conj.vjp("x")
def _(g: Tensor) -> Tensor:
    return conj(g)


def is_complex(x: Any) -> bool:
    """Whether an array or tensor is complex."""
    dtype = x.dtype
    return dtype.kind == "c" if isinstance(dtype, np.dtype) else dtype.is_complex


def conjugate(x: Any) -> Any:
    """The complex conjugate; a real value is left alone, without an op."""
    return conj(x) if is_complex(x) else x
