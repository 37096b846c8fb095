"""Ops, and functions that are made at run time.

Written by `python tests/stubs.py`; not to be edited.
"""

from collections.abc import Callable, Sequence
from typing import Any

from minitape.values.public_types import Axis, DTypeLike, Result, ShapeLike, TensorLike
from minitape.tensor import Tensor

def acos(x: TensorLike, name: str | None = None) -> Result:
    r"""The angle in [0, pi] with cosine x, elementwise; nan outside of [-1, 1]."""

def acosh(x: TensorLike, name: str | None = None) -> Result:
    r"""The inverse of cosh that is not negative, elementwise; nan below 1."""

def add(x: TensorLike, y: TensorLike, name: str | None = None) -> Result:
    r"""The sum x + y, elementwise."""

def asin(x: TensorLike, name: str | None = None) -> Result:
    r"""The angle in [-pi/2, pi/2] with sine x, elementwise; nan outside of [-1, 1]."""

def asinh(x: TensorLike, name: str | None = None) -> Result:
    r"""The inverse of sinh, elementwise."""

def assert_equal(x: Any, y: Any, message: str | None = None, summarize: Any = None, name: Any = None) -> None:
    r"""Checks that x == y for all elements; the shapes broadcast.

    Args:
        x: a numeric tensor.
        y: a tensor of the same dtype.
        message: what to put in front of the error's text.
        summarize: accepted and not used.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if the condition fails for an element.
    """

def assert_greater(x: Any, y: Any, message: str | None = None, summarize: Any = None, name: Any = None) -> None:
    r"""Checks that x > y for all elements; the shapes broadcast.

    Args:
        x: a numeric tensor.
        y: a tensor of the same dtype.
        message: what to put in front of the error's text.
        summarize: accepted and not used.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if the condition fails for an element.
    """

def assert_greater_equal(x: Any, y: Any, message: str | None = None, summarize: Any = None, name: Any = None) -> None:
    r"""Checks that x >= y for all elements; the shapes broadcast.

    Args:
        x: a numeric tensor.
        y: a tensor of the same dtype.
        message: what to put in front of the error's text.
        summarize: accepted and not used.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if the condition fails for an element.
    """

def assert_less(x: Any, y: Any, message: str | None = None, summarize: Any = None, name: Any = None) -> None:
    r"""Checks that x < y for all elements; the shapes broadcast.

    Args:
        x: a numeric tensor.
        y: a tensor of the same dtype.
        message: what to put in front of the error's text.
        summarize: accepted and not used.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if the condition fails for an element.
    """

def assert_less_equal(x: Any, y: Any, message: str | None = None, summarize: Any = None, name: Any = None) -> None:
    r"""Checks that x <= y for all elements; the shapes broadcast.

    Args:
        x: a numeric tensor.
        y: a tensor of the same dtype.
        message: what to put in front of the error's text.
        summarize: accepted and not used.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if the condition fails for an element.
    """

def assert_negative(x: Any, message: str | None = None, summarize: Any = None, name: Any = None) -> None:
    r"""Checks that x < 0 for all elements.

    Args:
        x: a numeric tensor.
        message: what to put in front of the error's text.
        summarize: accepted and not used.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if the condition fails for an element.
    """

def assert_non_negative(x: Any, message: str | None = None, summarize: Any = None, name: Any = None) -> None:
    r"""Checks that x >= 0 for all elements.

    Args:
        x: a numeric tensor.
        message: what to put in front of the error's text.
        summarize: accepted and not used.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if the condition fails for an element.
    """

def assert_non_positive(x: Any, message: str | None = None, summarize: Any = None, name: Any = None) -> None:
    r"""Checks that x <= 0 for all elements.

    Args:
        x: a numeric tensor.
        message: what to put in front of the error's text.
        summarize: accepted and not used.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if the condition fails for an element.
    """

def assert_none_equal(x: Any, y: Any, message: str | None = None, summarize: Any = None, name: Any = None) -> None:
    r"""Checks that x != y for all elements; the shapes broadcast.

    Args:
        x: a numeric tensor.
        y: a tensor of the same dtype.
        message: what to put in front of the error's text.
        summarize: accepted and not used.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if the condition fails for an element.
    """

def assert_positive(x: Any, message: str | None = None, summarize: Any = None, name: Any = None) -> None:
    r"""Checks that x > 0 for all elements.

    Args:
        x: a numeric tensor.
        message: what to put in front of the error's text.
        summarize: accepted and not used.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if the condition fails for an element.
    """

def assign(ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None) -> Any:
    r"""Calls `ref.assign(value)`.

    Example:
        >>> import minitape as tf
        >>> float(tf.compat.v1.assign(ref=tf.Variable(1.0), value=0.0))
        0.0
    """

def assign_add(ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None) -> Any:
    r"""Calls `ref.assign_add(value)`.

    Example:
        >>> import minitape as tf
        >>> float(tf.compat.v1.assign_add(ref=tf.Variable(1.0), value=0.0))
        1.0
    """

def assign_sub(ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None) -> Any:
    r"""Calls `ref.assign_sub(value)`.

    Example:
        >>> import minitape as tf
        >>> float(tf.compat.v1.assign_sub(ref=tf.Variable(1.0), value=0.0))
        1.0
    """

def atan(x: TensorLike, name: str | None = None) -> Result:
    r"""The angle in (-pi/2, pi/2) with tangent x, elementwise."""

def atan2(y: TensorLike, x: TensorLike, name: str | None = None) -> Result:
    r"""The angle in [-pi, pi] of the point (x, y), elementwise; y comes first.

    At the origin the derivatives are nan; across the negative x axis the value jumps.
    """

def atanh(x: TensorLike, name: str | None = None) -> Result:
    r"""The inverse of tanh, elementwise: infinite at -1 and 1, nan outside."""

def bessel_i0(x: TensorLike, name: str | None = None) -> Result:
    r"""The modified Bessel function of order 0, elementwise."""

def bessel_i0e(x: TensorLike, name: str | None = None) -> Result:
    r"""The function exp(-|x|) bessel_i0(x), elementwise; the derivative at its kink 0 is 0."""

def bessel_i1(x: TensorLike, name: str | None = None) -> Result:
    r"""The modified Bessel function of order 1, elementwise."""

def bessel_i1e(x: TensorLike, name: str | None = None) -> Result:
    r"""The function exp(-|x|) bessel_i1(x), elementwise."""

def bitwise_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Result:
    r"""The operator &, elementwise: logical between bools, bit by bit between integers."""

def bitwise_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Result:
    r"""The operator |, elementwise: logical between bools, bit by bit between integers."""

def bitwise_xor(x: TensorLike, y: TensorLike, name: str | None = None) -> Result:
    r"""The operator ^, elementwise: logical between bools, bit by bit between integers."""

def ceil(x: TensorLike, name: str | None = None) -> Result:
    r"""The smallest whole number that is not below x, elementwise, in the dtype of x."""

def check_numerics(tensor: TensorLike, message: str, name: str | None = None) -> Result:
    r"""The tensor, if all its elements are finite; the cotangent is checked as well.

    Args:
        tensor: a floating tensor.
        message: what to put in front of the error's text.

    Raises:
        InvalidArgumentError: if it, or in a sweep the cotangent, has an infinite element or a NaN.
    """

def conj(x: TensorLike, name: str | None = None) -> Result:
    r"""The complex conjugate, elementwise; real tensors stay what they are."""

def cos(x: TensorLike, name: str | None = None) -> Result:
    r"""The cosine of x in radians, elementwise."""

def cosh(x: TensorLike, name: str | None = None) -> Result:
    r"""The hyperbolic cosine, elementwise."""

def cumprod(x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Tensor:
    r"""The running product along an axis; its gradient is right with zeros too.

    Args:
        x: a tensor of rank 1 or more.
        axis: along which axis.
        exclusive: whether element i leaves out x[i] itself.
        reverse: whether to start from the end of the axis.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if there is no such axis.

    Example:
        >>> import minitape as tf
        >>> tf.math.cumprod([1, 2, 3], exclusive=True).numpy().tolist()
        [1, 1, 2]
    """

def cumsum(x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Tensor:
    r"""The running sum along an axis.

    Args:
        x: a tensor of rank 1 or more.
        axis: along which axis.
        exclusive: whether element i leaves out x[i] itself.
        reverse: whether to start from the end of the axis.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if there is no such axis.

    Example:
        >>> import minitape as tf
        >>> tf.cumsum([1, 2, 3]).numpy().tolist()
        [1, 3, 6]
    """

def cumulative_logsumexp(x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Tensor:
    r"""The running log(sum(exp(x))) along an axis, without overflow.

    Args:
        x: a tensor of rank 1 or more.
        axis: along which axis.
        exclusive: whether element i leaves out x[i] itself.
        reverse: whether to start from the end of the axis.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if there is no such axis.

    Example:
        >>> import minitape as tf
        >>> float(tf.math.cumulative_logsumexp([0.0, 0.0])[0])
        0.0
    """

def digamma(x: TensorLike, name: str | None = None) -> Result:
    r"""The derivative of lgamma, elementwise; nan at its poles 0, -1, -2, ..."""

def divide(x: TensorLike, y: TensorLike, name: str | None = None) -> Result:
    r"""The quotient x / y, elementwise; division by zero gives inf or nan as IEEE says.

    Integers give the exact quotient: float64 for 32 and 64 bits, float32 for 8 and 16.
    """

def divide_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Result:
    r"""The quotient x / y, elementwise, but 0 where y is 0; the derivatives are 0 there too."""

def elu(features: TensorLike, name: str | None = None) -> Result:
    r"""Elementwise x where x > 0, else exp(x) - 1; smooth, with derivative 1 at 0."""

def equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Result:
    r"""Whether x equals y, elementwise; NaN equals nothing."""

def erf(x: TensorLike, name: str | None = None) -> Result:
    r"""The error function, 2/sqrt(pi) times the integral of exp(-t^2) from 0 to x, elementwise."""

def erfc(x: TensorLike, name: str | None = None) -> Result:
    r"""The complementary error function 1 - erf(x), elementwise, accurate for large x too."""

def erfinv(x: TensorLike, name: str | None = None) -> Result:
    r"""The inverse of erf, elementwise: infinite at -1 and 1, nan outside."""

def exp(x: TensorLike, name: str | None = None) -> Result:
    r"""The exponential, elementwise."""

def expm1(x: TensorLike, name: str | None = None) -> Result:
    r"""The exponential minus one, elementwise, without the loss of digits near 0."""

def floor(x: TensorLike, name: str | None = None) -> Result:
    r"""The largest whole number that is not above x, elementwise, in the dtype of x."""

def floordiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Result:
    r"""The largest whole number that is not above x / y, elementwise; no derivative."""

def floormod(x: TensorLike, y: TensorLike, name: str | None = None) -> Result:
    r"""The remainder x - floor(x / y) y, elementwise, which has the sign of y.

    It jumps where x / y is whole; the derivatives there are those of the branch to the right.
    """

def greater(x: TensorLike, y: TensorLike, name: str | None = None) -> Result:
    r"""Whether x > y, elementwise."""

def greater_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Result:
    r"""Whether x >= y, elementwise."""

def identity(input: TensorLike, name: str | None = None) -> Result:
    r"""The same values as a new tensor, through which gradients pass."""

def igamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Result:
    r"""The lower regularised incomplete gamma function, elementwise; nan unless a > 0 and x >= 0.

    The integral of t^(a-1) exp(-t) from 0 to x, divided by gamma(a).
    """

def igammac(a: TensorLike, x: TensorLike, name: str | None = None) -> Result:
    r"""The upper regularised incomplete gamma function 1 - igamma(a, x), elementwise."""

def invert(x: TensorLike, name: str | None = None) -> Result:
    r"""The operator ~, elementwise: logical of a bool, bit by bit of an integer."""

def invert_permutation(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The permutation that undoes `x`, a vector of the integers from 0 to n - 1."""

def is_finite(x: TensorLike, name: str | None = None) -> Result:
    r"""Whether x is neither infinite nor NaN, elementwise."""

def is_inf(x: TensorLike, name: str | None = None) -> Result:
    r"""Whether x is infinite, elementwise."""

def is_nan(x: TensorLike, name: str | None = None) -> Result:
    r"""Whether x is not a number, elementwise."""

def l2_loss(t: TensorLike, name: str | None = None) -> Tensor:
    r"""Half the sum of squares, sum(t**2) / 2."""

def leaky_relu(features: TensorLike, alpha: float = 0.20000000298023224, name: str | None = None) -> Result:
    r"""Elementwise x where x > 0, else alpha x; the derivative at 0 is alpha.

    Integers are taken as float32, as TensorFlow does for this activation only.
    """

def left_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Result:
    r"""The bits of the integer x moved up by y places, elementwise."""

def less(x: TensorLike, y: TensorLike, name: str | None = None) -> Result:
    r"""Whether x < y, elementwise."""

def less_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Result:
    r"""Whether x <= y, elementwise."""

def lgamma(x: TensorLike, name: str | None = None) -> Result:
    r"""The logarithm of |gamma(x)|, elementwise: infinite at 0, -1, -2, ..."""

def log(x: TensorLike, name: str | None = None) -> Result:
    r"""The natural logarithm, elementwise: -inf at 0 and nan below it, silently."""

def log1p(x: TensorLike, name: str | None = None) -> Result:
    r"""The logarithm of 1 + x, elementwise, without the loss of digits near 0."""

def log_sigmoid(x: TensorLike, name: str | None = None) -> Result:
    r"""The logarithm of sigmoid(x), elementwise, as min(x, 0) - log1p(exp(-|x|))."""

def logical_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Result:
    r"""Whether both x and y hold, elementwise on bools."""

def logical_not(x: TensorLike, name: str | None = None) -> Result:
    r"""Whether x does not hold, elementwise on bools."""

def logical_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Result:
    r"""Whether x or y or both hold, elementwise on bools."""

def logical_xor(x: TensorLike, y: TensorLike, name: str | None = None) -> Result:
    r"""Whether exactly one of x and y holds, elementwise on bools."""

def maximum(x: TensorLike, y: TensorLike, name: str | None = None) -> Result:
    r"""The larger of x and y, elementwise; NaN wins. At a tie x takes the whole gradient."""

def minimum(x: TensorLike, y: TensorLike, name: str | None = None) -> Result:
    r"""The smaller of x and y, elementwise; NaN wins. At a tie x takes the whole gradient."""

def multiply(x: TensorLike, y: TensorLike, name: str | None = None) -> Result:
    r"""The product x y, elementwise."""

def multiply_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Result:
    r"""The product of x and y, elementwise, but 0 where y is 0 even if x is infinite or nan."""

def ndtri(x: TensorLike, name: str | None = None) -> Result:
    r"""The quantile of the normal distribution at probability x, elementwise; nan outside [0, 1]."""

def negative(x: TensorLike, name: str | None = None) -> Result:
    r"""-x, elementwise."""

def nextafter(x1: TensorLike, x2: TensorLike, name: str | None = None) -> Result:
    r"""The number of this dtype that follows x1 in the direction of x2, elementwise."""

def not_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Result:
    r"""Whether x differs from y, elementwise; NaN differs from everything."""

def polygamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Result:
    r"""The derivative number a = 0, 1, ... of digamma, elementwise; not differentiable by a."""

def pow(x: TensorLike, y: TensorLike, name: str | None = None) -> Result:
    r"""The power x ** y, elementwise; integers take no negative exponents.

    The derivative with respect to y takes 0 for log x unless x > 0 (complex: x != 0).
    """

def reciprocal(x: TensorLike, name: str | None = None) -> Result:
    r"""One over x, elementwise: inf at 0.

    The derivative is infinite at 0, yet the gradient is 0 there if the incoming gradient is.
    """

def reduce_all(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    r"""Whether all elements over axes are True; True of none.

    Args:
        input_tensor: a tensor of any shape.
        axis: the axes to reduce: an integer (negative ones count from the right), a list of them,
            an integer tensor, or None for all. An empty list reduces nothing.
        keepdims: whether reduced axes stay, with size 1.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if an axis does not exist or is named twice.

    Example:
        >>> import minitape as tf
        >>> tf.reduce_all([[True, False]], axis=1).numpy().tolist()
        [False]
    """

def reduce_any(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    r"""Whether any element over axes is True; False of none.

    Args:
        input_tensor: a tensor of any shape.
        axis: the axes to reduce: an integer (negative ones count from the right), a list of them,
            an integer tensor, or None for all. An empty list reduces nothing.
        keepdims: whether reduced axes stay, with size 1.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if an axis does not exist or is named twice.

    Example:
        >>> import minitape as tf
        >>> tf.reduce_any([[True], [False]], axis=1).numpy().tolist()
        [True, False]
    """

def reduce_euclidean_norm(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    r"""The square root of the sum of squares over axes.

    Args:
        input_tensor: a tensor of any shape.
        axis: the axes to reduce: an integer (negative ones count from the right), a list of them,
            an integer tensor, or None for all. An empty list reduces nothing.
        keepdims: whether reduced axes stay, with size 1.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if an axis does not exist or is named twice.

    Example:
        >>> import minitape as tf
        >>> float(tf.math.reduce_euclidean_norm([3.0, 4.0]))
        5.0
    """

def reduce_logsumexp(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    r"""log(sum(exp(x))) over axes, without overflow or underflow; -inf of nothing.

    Args:
        input_tensor: a tensor of any shape.
        axis: the axes to reduce: an integer (negative ones count from the right), a list of them,
            an integer tensor, or None for all. An empty list reduces nothing.
        keepdims: whether reduced axes stay, with size 1.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if an axis does not exist or is named twice.

    Example:
        >>> import minitape as tf
        >>> round(float(tf.reduce_logsumexp([1000.0, 1000.0])), 2)
        1000.69
    """

def reduce_max(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    r"""The largest element over axes; elements that tie share its gradient evenly.

    Args:
        input_tensor: a tensor of any shape.
        axis: the axes to reduce: an integer (negative ones count from the right), a list of them,
            an integer tensor, or None for all. An empty list reduces nothing.
        keepdims: whether reduced axes stay, with size 1.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if an axis does not exist or is named twice.

    Example:
        >>> import minitape as tf
        >>> tf.reduce_max([[1, 5], [3, 4]], axis=1).numpy().tolist()
        [5, 4]
    """

def reduce_mean(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    r"""The mean of elements over axes; nan of none, and an integer of integers.

    Args:
        input_tensor: a tensor of any shape.
        axis: the axes to reduce: an integer (negative ones count from the right), a list of them,
            an integer tensor, or None for all. An empty list reduces nothing.
        keepdims: whether reduced axes stay, with size 1.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if an axis does not exist or is named twice.

    Example:
        >>> import minitape as tf
        >>> tf.reduce_mean([[1.0], [3.0]], axis=0).numpy().tolist()
        [2.0]
    """

def reduce_min(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    r"""The smallest element over axes; elements that tie share its gradient evenly.

    Args:
        input_tensor: a tensor of any shape.
        axis: the axes to reduce: an integer (negative ones count from the right), a list of them,
            an integer tensor, or None for all. An empty list reduces nothing.
        keepdims: whether reduced axes stay, with size 1.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if an axis does not exist or is named twice.

    Example:
        >>> import minitape as tf
        >>> tf.reduce_min([[1, 5], [3, 4]], axis=1).numpy().tolist()
        [1, 3]
    """

def reduce_prod(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    r"""The product of elements over axes; 1 of none. The gradient is right with zeros too.

    Args:
        input_tensor: a tensor of any shape.
        axis: the axes to reduce: an integer (negative ones count from the right), a list of them,
            an integer tensor, or None for all. An empty list reduces nothing.
        keepdims: whether reduced axes stay, with size 1.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if an axis does not exist or is named twice.

    Example:
        >>> import minitape as tf
        >>> tf.reduce_prod([[1, 2], [3, 4]], axis=1).numpy().tolist()
        [2, 12]
    """

def reduce_std(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    r"""The population standard deviation over axes: the square root of the variance.

    Args:
        input_tensor: a tensor of any shape.
        axis: the axes to reduce: an integer (negative ones count from the right), a list of them,
            an integer tensor, or None for all. An empty list reduces nothing.
        keepdims: whether reduced axes stay, with size 1.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if an axis does not exist or is named twice.

    Example:
        >>> import minitape as tf
        >>> float(tf.math.reduce_std([1.0, 3.0]))
        1.0
    """

def reduce_sum(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    r"""The sum of elements over axes; 0 of none.

    Args:
        input_tensor: a tensor of any shape.
        axis: the axes to reduce: an integer (negative ones count from the right), a list of them,
            an integer tensor, or None for all. An empty list reduces nothing.
        keepdims: whether reduced axes stay, with size 1.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if an axis does not exist or is named twice.

    Example:
        >>> import minitape as tf
        >>> tf.reduce_sum([[1, 2], [3, 4]], axis=1).numpy().tolist()
        [3, 7]
    """

def reduce_variance(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    r"""The population variance over axes: the mean square of the distances from the mean.

    Args:
        input_tensor: a tensor of any shape.
        axis: the axes to reduce: an integer (negative ones count from the right), a list of them,
            an integer tensor, or None for all. An empty list reduces nothing.
        keepdims: whether reduced axes stay, with size 1.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if an axis does not exist or is named twice.

    Example:
        >>> import minitape as tf
        >>> float(tf.math.reduce_variance([1.0, 2.0, 3.0, 4.0]))
        1.25
    """

def relu(features: TensorLike, name: str | None = None) -> Result:
    r"""max(x, 0), elementwise; the derivative at 0 is 0."""

def relu6(features: TensorLike, name: str | None = None) -> Result:
    r"""min(max(x, 0), 6), elementwise; the derivative at 0 and at 6 is 0."""

def right_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Result:
    r"""The bits of the integer x moved down by y places, elementwise; the sign stays."""

def rint(x: TensorLike, name: str | None = None) -> Result:
    r"""The nearest whole number, elementwise, in the dtype of x; halves go to the even one."""

def rsqrt(x: TensorLike, name: str | None = None) -> Result:
    r"""One over the square root, elementwise: inf at 0, nan below it.

    The derivative is infinite at 0, yet the gradient is 0 there if the incoming gradient is.
    """

def segment_max(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    r"""The largest elements of each segment.

    Args:
        data: a tensor of rank 1 or more.
        segment_ids: a vector of increasing integers, the segment of each row of `data`.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if shapes do not fit, or the ids are not increasing.

    Example:
        >>> import minitape as tf
        >>> tf.math.segment_max([1.0, 3.0, 5.0], [0, 0, 1]).numpy().tolist()
        [3.0, 5.0]
    """

def segment_mean(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    r"""The means of rows with the same segment id.

    Args:
        data: a tensor of rank 1 or more.
        segment_ids: a vector of increasing integers, the segment of each row of `data`.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if shapes do not fit, or the ids are not increasing.

    Example:
        >>> import minitape as tf
        >>> tf.math.segment_mean([1.0, 3.0, 5.0], [0, 0, 1]).numpy().tolist()
        [2.0, 5.0]
    """

def segment_min(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    r"""The smallest elements of each segment.

    Args:
        data: a tensor of rank 1 or more.
        segment_ids: a vector of increasing integers, the segment of each row of `data`.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if shapes do not fit, or the ids are not increasing.

    Example:
        >>> import minitape as tf
        >>> tf.math.segment_min([1.0, 3.0, 5.0], [0, 0, 1]).numpy().tolist()
        [1.0, 5.0]
    """

def segment_prod(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    r"""The products of rows with the same segment id.

    Args:
        data: a tensor of rank 1 or more.
        segment_ids: a vector of increasing integers, the segment of each row of `data`.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if shapes do not fit, or the ids are not increasing.

    Example:
        >>> import minitape as tf
        >>> tf.math.segment_prod([1.0, 3.0, 5.0], [0, 0, 1]).numpy().tolist()
        [3.0, 5.0]
    """

def segment_sum(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    r"""The sums of rows with the same segment id.

    Args:
        data: a tensor of rank 1 or more.
        segment_ids: a vector of increasing integers, the segment of each row of `data`.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if shapes do not fit, or the ids are not increasing.

    Example:
        >>> import minitape as tf
        >>> tf.math.segment_sum([1.0, 3.0, 5.0], [0, 0, 1]).numpy().tolist()
        [4.0, 5.0]
    """

def selu(features: TensorLike, name: str | None = None) -> Result:
    r"""Elementwise s x where x > 0, else s a (exp(x) - 1), the scaled elu; at 0 the slope is s."""

def sigmoid(x: TensorLike, name: str | None = None) -> Result:
    r"""The logistic function 1 / (1 + exp(-x)), elementwise.

    As e / (1 + e) with e = exp(x), which keeps the smallest values.
    """

def sin(x: TensorLike, name: str | None = None) -> Result:
    r"""The sine of x in radians, elementwise."""

def sinh(x: TensorLike, name: str | None = None) -> Result:
    r"""The hyperbolic sine, elementwise."""

def softplus(features: TensorLike, name: str | None = None) -> Result:
    r"""The logarithm of 1 + exp(x), elementwise.

    As max(x, 0) + log1p(exp(-|x|)), which neither overflows nor cancels.
    """

def softsign(features: TensorLike, name: str | None = None) -> Result:
    r"""Elementwise x / (1 + |x|); smooth at 0, with derivative 1 / (1 + |x|)**2."""

def sparse_segment_mean(data: Any, indices: Any, segment_ids: Any, num_segments: Any = None, name: str | None = None) -> Tensor:
    r"""The means of rows with the same segment id, of the rows `indices` of `data`.

    Args:
        data: a tensor of rank 1 or more.
        indices: a vector of integers: which rows of `data` to take.
        segment_ids: a vector of increasing integers, the segment of each row taken.
        num_segments: how many segments there are; by default up to the last id.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if shapes do not fit, or the ids are not increasing.

    Example:
        >>> import minitape as tf
        >>> tf.sparse.segment_mean([1.0, 3.0], [1, 0], [0, 1]).numpy().tolist()
        [3.0, 1.0]
    """

def sparse_segment_sqrt_n(data: Any, indices: Any, segment_ids: Any, num_segments: Any = None, name: str | None = None) -> Tensor:
    r"""The sums of segments by the root of their sizes, of the rows `indices` of `data`.

    Args:
        data: a tensor of rank 1 or more.
        indices: a vector of integers: which rows of `data` to take.
        segment_ids: a vector of increasing integers, the segment of each row taken.
        num_segments: how many segments there are; by default up to the last id.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if shapes do not fit, or the ids are not increasing.

    Example:
        >>> import minitape as tf
        >>> tf.sparse.segment_sqrt_n([1.0, 3.0], [1, 0], [0, 1]).numpy().tolist()
        [3.0, 1.0]
    """

def sparse_segment_sum(data: Any, indices: Any, segment_ids: Any, num_segments: Any = None, name: str | None = None) -> Tensor:
    r"""The sums of rows with the same segment id, of the rows `indices` of `data`.

    Args:
        data: a tensor of rank 1 or more.
        indices: a vector of integers: which rows of `data` to take.
        segment_ids: a vector of increasing integers, the segment of each row taken.
        num_segments: how many segments there are; by default up to the last id.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if shapes do not fit, or the ids are not increasing.

    Example:
        >>> import minitape as tf
        >>> tf.sparse.segment_sum([1.0, 3.0], [1, 0], [0, 1]).numpy().tolist()
        [3.0, 1.0]
    """

def sqrt(x: TensorLike, name: str | None = None) -> Result:
    r"""The square root, elementwise; nan below 0.

    The derivative is infinite at 0, yet the gradient is 0 there if the incoming gradient is.
    """

def square(x: TensorLike, name: str | None = None) -> Result:
    r"""The product of x with itself, elementwise."""

def squared_difference(x: TensorLike, y: TensorLike, name: str | None = None) -> Result:
    r"""The square of x - y, elementwise; for complex numbers |x - y| squared."""

def stop_gradient(input: TensorLike, name: str | None = None) -> Result:
    r"""The same values as a new tensor, through which no gradient passes."""

def subtract(x: TensorLike, y: TensorLike, name: str | None = None) -> Result:
    r"""The difference x - y, elementwise."""

def tan(x: TensorLike, name: str | None = None) -> Result:
    r"""The tangent of x in radians, elementwise."""

def tanh(x: TensorLike, name: str | None = None) -> Result:
    r"""The hyperbolic tangent, elementwise."""

def truncatediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Result:
    r"""The quotient x / y rounded towards zero, elementwise, in the dtype of x."""

def truncatemod(x: TensorLike, y: TensorLike, name: str | None = None) -> Result:
    r"""The remainder of x / y with the sign of x, elementwise."""

def unsorted_segment_max(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    r"""The largest elements of each segment, ids in any order.

    Args:
        data: a tensor whose shape starts with that of `segment_ids`.
        segment_ids: integers, the segment of each row; rows with negative ids are left out.
        num_segments: how many segments there are.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if shapes do not fit, or an id is not below `num_segments`.

    Example:
        >>> import minitape as tf
        >>> tf.math.unsorted_segment_max([1.0, 3.0, 5.0], [0, 0, 1], 2).numpy().tolist()
        [3.0, 5.0]
    """

def unsorted_segment_mean(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    r"""The means of rows with the same segment id, ids in any order.

    Args:
        data: a tensor whose shape starts with that of `segment_ids`.
        segment_ids: integers, the segment of each row; rows with negative ids are left out.
        num_segments: how many segments there are.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if shapes do not fit, or an id is not below `num_segments`.

    Example:
        >>> import minitape as tf
        >>> tf.math.unsorted_segment_mean([1.0, 3.0, 5.0], [0, 0, 1], 2).numpy().tolist()
        [2.0, 5.0]
    """

def unsorted_segment_min(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    r"""The smallest elements of each segment, ids in any order.

    Args:
        data: a tensor whose shape starts with that of `segment_ids`.
        segment_ids: integers, the segment of each row; rows with negative ids are left out.
        num_segments: how many segments there are.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if shapes do not fit, or an id is not below `num_segments`.

    Example:
        >>> import minitape as tf
        >>> tf.math.unsorted_segment_min([1.0, 3.0, 5.0], [0, 0, 1], 2).numpy().tolist()
        [1.0, 5.0]
    """

def unsorted_segment_prod(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    r"""The products of rows with the same segment id, ids in any order.

    Args:
        data: a tensor whose shape starts with that of `segment_ids`.
        segment_ids: integers, the segment of each row; rows with negative ids are left out.
        num_segments: how many segments there are.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if shapes do not fit, or an id is not below `num_segments`.

    Example:
        >>> import minitape as tf
        >>> tf.math.unsorted_segment_prod([1.0, 3.0, 5.0], [0, 0, 1], 2).numpy().tolist()
        [3.0, 5.0]
    """

def unsorted_segment_sqrt_n(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    r"""The sums of segments by the root of their sizes, ids in any order.

    Args:
        data: a tensor whose shape starts with that of `segment_ids`.
        segment_ids: integers, the segment of each row; rows with negative ids are left out.
        num_segments: how many segments there are.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if shapes do not fit, or an id is not below `num_segments`.

    Example:
        >>> import minitape as tf
        >>> tf.math.unsorted_segment_sqrt_n([1.0, 3.0], [0, 1], 2).numpy().tolist()
        [1.0, 3.0]
    """

def unsorted_segment_sum(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    r"""The sums of rows with the same segment id, ids in any order.

    Args:
        data: a tensor whose shape starts with that of `segment_ids`.
        segment_ids: integers, the segment of each row; rows with negative ids are left out.
        num_segments: how many segments there are.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if shapes do not fit, or an id is not below `num_segments`.

    Example:
        >>> import minitape as tf
        >>> tf.math.unsorted_segment_sum([1.0, 3.0, 5.0], [0, 0, 1], 2).numpy().tolist()
        [4.0, 5.0]
    """

def xdivy(x: TensorLike, y: TensorLike, name: str | None = None) -> Result:
    r"""The quotient x / y, elementwise, but 0 where x is 0, and so are the derivatives."""

def xlog1py(x: TensorLike, y: TensorLike, name: str | None = None) -> Result:
    r"""The product x log(1 + y), elementwise, but 0 where x is 0, and so are the derivatives."""

def xlogy(x: TensorLike, y: TensorLike, name: str | None = None) -> Result:
    r"""The product x log(y), elementwise, but 0 where x is 0, and so are the derivatives."""

def zeta(x: TensorLike, q: TensorLike, name: str | None = None) -> Result:
    r"""The Hurwitz zeta function, the sum of (q + k)^-x over k = 0, 1, ..., elementwise.

    Not differentiable by x. Infinite for x = 1 and at q = 0, -1, ...; nan for x < 1, and for q < 0
    if x is not whole.
    """
