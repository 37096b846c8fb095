"""Complex numbers and their parts: complex, real, imag, angle (`conj` and `abs` are arithmetic).

Rules are plain derivatives, without conjugates: a part of z whose change is Re(w dz) contributes w
to z. TensorFlow's gradient is the conjugate, which the request makes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from minitape.op import export, operands, primitive
from minitape.ops.casting import cast
from minitape.ops.elementwise.comparison import select
from minitape.ops.shapes.creation import zeros_like
from minitape.tensors.convert import operand
from minitape.values import dtypes

if TYPE_CHECKING:
    from minitape.tensor import Array, Spec, Tensor
    from minitape.values.public_types import TensorLike


@primitive(broadcasts=True, latex=r"{x} + i \cdot {y:2}")
def complex_(x: Array, y: Array) -> Array:
    """The complex number x + iy, elementwise; a product with i would make nan of infinities."""
    out = np.empty(np.broadcast_shapes(x.shape, y.shape), f"c{2 * x.itemsize}")
    out.real, out.imag = x, y
    return out[()]


@complex_.vjp("x")
def _(g: Tensor) -> Tensor:
    return real(g)


@complex_.vjp("y")
def _(g: Tensor) -> Tensor:
    return -imag(g)


@export("complex", "dtypes.complex")
def complex_function(real: TensorLike, imag: TensorLike, name: str | None = None) -> Tensor:
    """Makes complex numbers of their real and imaginary parts, elementwise.

    Args:
        real: tensor, float32 or float64.
        imag: tensor of the dtype of `real`; the two broadcast.
        name: accepted and not used.

    Returns:
        A tensor of complex64 or complex128.

    Raises:
        TypeError: if the parts have no common floating dtype.

    Example:
        >>> import minitape as tf
        >>> tf.complex([1.0, 2.0], 3.0).numpy().tolist()
        [(1+3j), (2+3j)]
    """
    x, y = operands(complex_.op, (real, imag))
    if x.dtype != y.dtype or x.dtype not in (dtypes.float32, dtypes.float64):
        raise TypeError(
            f"real and imag have incorrect types: {x.dtype.name} {y.dtype.name}. Both parts must "
            "be float32, which makes complex64, or float64: write `tf.cast(x, tf.float32)`."
        )
    return complex_(x, y)


@primitive(elementwise=True, latex=r"\mathrm{{Re}}\left({x}\right)")
def real(x: Array) -> Array:
    """The real part of a complex tensor, elementwise."""
    return x.real


@real.vjp("x")
def _(g: Tensor, x: Spec) -> Tensor:
    return cast(g, x.dtype)


@primitive(elementwise=True, latex=r"\mathrm{{Im}}\left({x}\right)")
def imag(x: Array) -> Array:
    """The imaginary part of a complex tensor, elementwise."""
    return x.imag


@imag.vjp("x")
def _(g: Tensor) -> Tensor:
    return complex_(g * 0, -g)


@primitive(elementwise=True, latex=r"\mathrm{{arg}}\left({x}\right)")
def angle(x: Array) -> Array:
    """The angle in (-pi, pi] of a complex tensor, elementwise; it jumps across the negative axis.

    At 0 the angle is 0 and the derivative infinite.
    """
    return np.angle(x)[()]


@angle.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    return complex_(g * 0, -g) / x


@export("math.real")
def real_function(input: TensorLike, name: str | None = None) -> Tensor:  # noqa: A002
    """The real part, elementwise; a real tensor comes back itself.

    Args:
        input: tensor of numbers.
        name: accepted and not used.

    Returns:
        A tensor of float32 for complex64, float64 for complex128.

    Example:
        >>> import minitape as tf
        >>> float(tf.math.real(1.0 + 2.0j))
        1.0
    """
    x = operand(input, None)
    return real(x) if x.dtype.is_complex else x


@export("math.imag")
def imag_function(input: TensorLike, name: str | None = None) -> Tensor:  # noqa: A002
    """The imaginary part, elementwise; zeros for a real tensor.

    Args:
        input: tensor of numbers.
        name: accepted and not used.

    Returns:
        A tensor of float32 for complex64, float64 for complex128.

    Example:
        >>> import minitape as tf
        >>> float(tf.math.imag(1.0 + 2.0j))
        2.0
    """
    x = operand(input, None)
    return imag(x) if x.dtype.is_complex else zeros_like(x)


@export("math.angle")
def angle_function(input: TensorLike, name: str | None = None) -> Tensor:  # noqa: A002
    """The angle in the complex plane, elementwise, from -pi to pi.

    Args:
        input: tensor of numbers; negative real ones have the angle pi, others 0.
        name: accepted and not used.

    Returns:
        A tensor of float32 for complex64, float64 for complex128.

    Example:
        >>> import minitape as tf
        >>> tf.math.angle([1.0, -1.0]).numpy().astype(float).round(4).tolist()
        [0.0, 3.1416]
    """
    x = operand(input, None)
    if x.dtype.is_complex:
        return angle(x)
    return select.public(x < 0, np.pi, zeros_like(x))
