"""Ops, and functions that are made at run time.

Written by `python tests/stubs.py`; not to be edited.
"""

from collections.abc import Callable, Sequence
from typing import Any, overload

from minitape.ragged_tensors.tensor import RaggedTensor
from minitape.values.public_types import Axis, DTypeLike, ShapeLike, TensorLike
from minitape.values.results import AnyTensor
from minitape.tensor import Tensor

@overload
def abs_(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The absolute value |x|, elementwise; real for a complex tensor.

    Args:
        x: tensor of numbers.
        name: accepted and not used.

    Returns:
        A tensor of the shape of `x`. The derivative at 0 is 0.

    Example:
        >>> import minitape as tf
        >>> print(tf.abs(tf.constant(3.0 + 4.0j)))
        tf.Tensor(5.0, shape=(), dtype=float64)
    """

@overload
def abs_(x: Any, name: str | None = None) -> Tensor:
    r"""The absolute value |x|, elementwise; real for a complex tensor.

    Args:
        x: tensor of numbers.
        name: accepted and not used.

    Returns:
        A tensor of the shape of `x`. The derivative at 0 is 0.

    Example:
        >>> import minitape as tf
        >>> print(tf.abs(tf.constant(3.0 + 4.0j)))
        tf.Tensor(5.0, shape=(), dtype=float64)
    """

@overload
def acos(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The angle in [0, pi] with cosine x, elementwise; nan outside of [-1, 1]."""

@overload
def acos(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The angle in [0, pi] with cosine x, elementwise; nan outside of [-1, 1]."""

@overload
def acosh(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The inverse of cosh that is not negative, elementwise; nan below 1."""

@overload
def acosh(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The inverse of cosh that is not negative, elementwise; nan below 1."""

@overload
def add(x: RaggedTensor | Sequence[RaggedTensor], y: TensorLike, name: str | None = None) -> AnyTensor:
    r"""The sum x + y, elementwise."""

@overload
def add(x: TensorLike, y: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The sum x + y, elementwise."""

@overload
def add(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    r"""The sum x + y, elementwise."""

@overload
def add_n_function(inputs: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""Adds all tensors of a list, elementwise.

    Args:
        inputs: list of tensors of one shape and dtype, at least one.
        name: accepted and not used.

    Returns:
        A tensor of that shape and dtype.

    Raises:
        ValueError: if `inputs` is no list, or empty.
        InvalidArgumentError: if shapes or dtypes differ.

    Example:
        >>> import minitape as tf
        >>> tf.add_n([tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])]).numpy().tolist()
        [4.0, 6.0]
    """

@overload
def add_n_function(inputs: Any, name: str | None = None) -> Tensor:
    r"""Adds all tensors of a list, elementwise.

    Args:
        inputs: list of tensors of one shape and dtype, at least one.
        name: accepted and not used.

    Returns:
        A tensor of that shape and dtype.

    Raises:
        ValueError: if `inputs` is no list, or empty.
        InvalidArgumentError: if shapes or dtypes differ.

    Example:
        >>> import minitape as tf
        >>> tf.add_n([tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])]).numpy().tolist()
        [4.0, 6.0]
    """

@overload
def asin(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The angle in [-pi/2, pi/2] with sine x, elementwise; nan outside of [-1, 1]."""

@overload
def asin(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The angle in [-pi/2, pi/2] with sine x, elementwise; nan outside of [-1, 1]."""

@overload
def asinh(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The inverse of sinh, elementwise."""

@overload
def asinh(x: TensorLike, name: str | None = None) -> Tensor:
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

@overload
def atan(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The angle in (-pi/2, pi/2) with tangent x, elementwise."""

@overload
def atan(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The angle in (-pi/2, pi/2) with tangent x, elementwise."""

@overload
def atan2(y: RaggedTensor | Sequence[RaggedTensor], x: TensorLike, name: str | None = None) -> AnyTensor:
    r"""The angle in [-pi, pi] of the point (x, y), elementwise; y comes first.

    At the origin the derivatives are nan; across the negative x axis the value jumps.
    """

@overload
def atan2(y: TensorLike, x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The angle in [-pi, pi] of the point (x, y), elementwise; y comes first.

    At the origin the derivatives are nan; across the negative x axis the value jumps.
    """

@overload
def atan2(y: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    r"""The angle in [-pi, pi] of the point (x, y), elementwise; y comes first.

    At the origin the derivatives are nan; across the negative x axis the value jumps.
    """

@overload
def atanh(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The inverse of tanh, elementwise: infinite at -1 and 1, nan outside."""

@overload
def atanh(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The inverse of tanh, elementwise: infinite at -1 and 1, nan outside."""

@overload
def bessel_i0(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The modified Bessel function of order 0, elementwise."""

@overload
def bessel_i0(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The modified Bessel function of order 0, elementwise."""

@overload
def bessel_i0e(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The function exp(-|x|) bessel_i0(x), elementwise; the derivative at its kink 0 is 0."""

@overload
def bessel_i0e(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The function exp(-|x|) bessel_i0(x), elementwise; the derivative at its kink 0 is 0."""

@overload
def bessel_i1(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The modified Bessel function of order 1, elementwise."""

@overload
def bessel_i1(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The modified Bessel function of order 1, elementwise."""

@overload
def bessel_i1e(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The function exp(-|x|) bessel_i1(x), elementwise."""

@overload
def bessel_i1e(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The function exp(-|x|) bessel_i1(x), elementwise."""

@overload
def betainc(a: RaggedTensor | Sequence[RaggedTensor], b: TensorLike, x: TensorLike, name: str | None = None) -> AnyTensor:
    r"""The part of the beta function's integral that lies left of x, elementwise.

    The integral of t^(a-1) (1-t)^(b-1) from 0 to x, divided by that from 0 to 1; nan unless a > 0,
    b > 0 and 0 <= x <= 1. Not differentiable by a and b, as in TensorFlow.
    """

@overload
def betainc(a: TensorLike, b: RaggedTensor | Sequence[RaggedTensor], x: TensorLike, name: str | None = None) -> AnyTensor:
    r"""The part of the beta function's integral that lies left of x, elementwise.

    The integral of t^(a-1) (1-t)^(b-1) from 0 to x, divided by that from 0 to 1; nan unless a > 0,
    b > 0 and 0 <= x <= 1. Not differentiable by a and b, as in TensorFlow.
    """

@overload
def betainc(a: TensorLike, b: TensorLike, x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The part of the beta function's integral that lies left of x, elementwise.

    The integral of t^(a-1) (1-t)^(b-1) from 0 to x, divided by that from 0 to 1; nan unless a > 0,
    b > 0 and 0 <= x <= 1. Not differentiable by a and b, as in TensorFlow.
    """

@overload
def betainc(a: TensorLike, b: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    r"""The part of the beta function's integral that lies left of x, elementwise.

    The integral of t^(a-1) (1-t)^(b-1) from 0 to x, divided by that from 0 to 1; nan unless a > 0,
    b > 0 and 0 <= x <= 1. Not differentiable by a and b, as in TensorFlow.
    """

@overload
def bitwise_and(x: RaggedTensor | Sequence[RaggedTensor], y: TensorLike, name: str | None = None) -> AnyTensor:
    r"""The operator &, elementwise: logical between bools, bit by bit between integers."""

@overload
def bitwise_and(x: TensorLike, y: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The operator &, elementwise: logical between bools, bit by bit between integers."""

@overload
def bitwise_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    r"""The operator &, elementwise: logical between bools, bit by bit between integers."""

@overload
def bitwise_or(x: RaggedTensor | Sequence[RaggedTensor], y: TensorLike, name: str | None = None) -> AnyTensor:
    r"""The operator |, elementwise: logical between bools, bit by bit between integers."""

@overload
def bitwise_or(x: TensorLike, y: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The operator |, elementwise: logical between bools, bit by bit between integers."""

@overload
def bitwise_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    r"""The operator |, elementwise: logical between bools, bit by bit between integers."""

@overload
def bitwise_xor(x: RaggedTensor | Sequence[RaggedTensor], y: TensorLike, name: str | None = None) -> AnyTensor:
    r"""The operator ^, elementwise: logical between bools, bit by bit between integers."""

@overload
def bitwise_xor(x: TensorLike, y: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The operator ^, elementwise: logical between bools, bit by bit between integers."""

@overload
def bitwise_xor(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    r"""The operator ^, elementwise: logical between bools, bit by bit between integers."""

@overload
def boolean_mask(tensor: RaggedTensor | Sequence[RaggedTensor], mask: TensorLike, axis: Axis = None, name: str = 'boolean_mask') -> AnyTensor:
    r"""The elements or slices of a tensor where a mask is true, in order.

    Args:
        tensor: a tensor of shape [..., n1, ..., nk, ...].
        mask: bools (or numbers, of which 0 is false) of shape [n1, ..., nk], for the axes from
            `axis` on.
        axis: the first axis that the mask covers, 0 by default.
        name: accepted and not used.

    Raises:
        ValueError: if the mask is a scalar, or its shape is not that of the axes that it covers.

    Example:
        >>> import minitape as tf
        >>> tf.boolean_mask([10, 20, 30], [True, False, True]).numpy().tolist()
        [10, 30]
    """

@overload
def boolean_mask(tensor: TensorLike, mask: TensorLike, axis: Axis = None, name: str = 'boolean_mask') -> Tensor:
    r"""The elements or slices of a tensor where a mask is true, in order.

    Args:
        tensor: a tensor of shape [..., n1, ..., nk, ...].
        mask: bools (or numbers, of which 0 is false) of shape [n1, ..., nk], for the axes from
            `axis` on.
        axis: the first axis that the mask covers, 0 by default.
        name: accepted and not used.

    Raises:
        ValueError: if the mask is a scalar, or its shape is not that of the axes that it covers.

    Example:
        >>> import minitape as tf
        >>> tf.boolean_mask([10, 20, 30], [True, False, True]).numpy().tolist()
        [10, 30]
    """

@overload
def cast_function(x: RaggedTensor | Sequence[RaggedTensor], dtype: Any, name: str | None = None) -> AnyTensor:
    r"""Converts a tensor to another element type.

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

@overload
def cast_function(x: Any, dtype: Any, name: str | None = None) -> Tensor:
    r"""Converts a tensor to another element type.

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

@overload
def ceil(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The smallest whole number that is not below x, elementwise, in the dtype of x."""

@overload
def ceil(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The smallest whole number that is not below x, elementwise, in the dtype of x."""

@overload
def check_numerics(tensor: RaggedTensor | Sequence[RaggedTensor], message: str, name: str | None = None) -> AnyTensor:
    r"""The tensor, if all its elements are finite; the cotangent is checked as well.

    Args:
        tensor: a floating tensor.
        message: what to put in front of the error's text.

    Raises:
        InvalidArgumentError: if it, or in a sweep the cotangent, has an infinite element or a NaN.
    """

@overload
def check_numerics(tensor: TensorLike, message: str, name: str | None = None) -> Tensor:
    r"""The tensor, if all its elements are finite; the cotangent is checked as well.

    Args:
        tensor: a floating tensor.
        message: what to put in front of the error's text.

    Raises:
        InvalidArgumentError: if it, or in a sweep the cotangent, has an infinite element or a NaN.
    """

@overload
def clip_by_norm(t: RaggedTensor | Sequence[RaggedTensor], clip_norm: TensorLike, axes: Axis = None, name: str | None = None) -> AnyTensor:
    r"""Scales a tensor down to a 2-norm, where it has a larger one.

    Args:
        t: floating tensor, or `IndexedSlices`.
        clip_norm: the largest norm, a scalar.
        axes: the axes over which norms are taken; all by default.
        name: accepted and not used.

    Returns:
        A tensor like `t`: `t * clip_norm / max(norm, clip_norm)`.

    Example:
        >>> import minitape as tf
        >>> print(tf.clip_by_norm([3.0, 4.0], 2.0).numpy())
        [1.2 1.6]
    """

@overload
def clip_by_norm(t: TensorLike, clip_norm: TensorLike, axes: Axis = None, name: str | None = None) -> Tensor:
    r"""Scales a tensor down to a 2-norm, where it has a larger one.

    Args:
        t: floating tensor, or `IndexedSlices`.
        clip_norm: the largest norm, a scalar.
        axes: the axes over which norms are taken; all by default.
        name: accepted and not used.

    Returns:
        A tensor like `t`: `t * clip_norm / max(norm, clip_norm)`.

    Example:
        >>> import minitape as tf
        >>> print(tf.clip_by_norm([3.0, 4.0], 2.0).numpy())
        [1.2 1.6]
    """

@overload
def clip_by_value_function(t: RaggedTensor | Sequence[RaggedTensor], clip_value_min: TensorLike, clip_value_max: TensorLike, name: str | None = None) -> AnyTensor:
    r"""Clips the elements of a tensor to a range.

    Args:
        t: tensor of real numbers, or `IndexedSlices`.
        clip_value_min: the smallest value; a tensor that broadcasts to the shape of `t`.
        clip_value_max: the largest value; a tensor that broadcasts to the shape of `t`.
        name: accepted and not used.

    Returns:
        A tensor like `t`. The gradient passes inside the range and at its bounds.

    Raises:
        InvalidArgumentError: if a bound would broadcast `t` to a larger shape.

    Example:
        >>> import minitape as tf
        >>> tf.clip_by_value([-3.0, 0.5, 5.0], -1.0, 2.0).numpy().tolist()
        [-1.0, 0.5, 2.0]
    """

@overload
def clip_by_value_function(t: TensorLike, clip_value_min: TensorLike, clip_value_max: TensorLike, name: str | None = None) -> Tensor:
    r"""Clips the elements of a tensor to a range.

    Args:
        t: tensor of real numbers, or `IndexedSlices`.
        clip_value_min: the smallest value; a tensor that broadcasts to the shape of `t`.
        clip_value_max: the largest value; a tensor that broadcasts to the shape of `t`.
        name: accepted and not used.

    Returns:
        A tensor like `t`. The gradient passes inside the range and at its bounds.

    Raises:
        InvalidArgumentError: if a bound would broadcast `t` to a larger shape.

    Example:
        >>> import minitape as tf
        >>> tf.clip_by_value([-3.0, 0.5, 5.0], -1.0, 2.0).numpy().tolist()
        [-1.0, 0.5, 2.0]
    """

@overload
def concat_values(values: RaggedTensor | Sequence[RaggedTensor], axis: Axis, name: str | None = None) -> AnyTensor:
    r"""The tensors one behind the other along `axis`.

    Args:
        values: tensors of one dtype and rank, whose shapes agree but for `axis`; one tensor
            alone comes back.
        axis: the axis along which they are joined.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if shapes do not fit, or there is nothing to join.

    Example:
        >>> import minitape as tf
        >>> tf.concat([[1, 2], [3]], axis=0).numpy().tolist()
        [1, 2, 3]
    """

@overload
def concat_values(values: TensorLike, axis: Axis, name: str | None = None) -> Tensor:
    r"""The tensors one behind the other along `axis`.

    Args:
        values: tensors of one dtype and rank, whose shapes agree but for `axis`; one tensor
            alone comes back.
        axis: the axis along which they are joined.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if shapes do not fit, or there is nothing to join.

    Example:
        >>> import minitape as tf
        >>> tf.concat([[1, 2], [3]], axis=0).numpy().tolist()
        [1, 2, 3]
    """

@overload
def conj(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The complex conjugate, elementwise; real tensors stay what they are."""

@overload
def conj(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The complex conjugate, elementwise; real tensors stay what they are."""

@overload
def cos(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The cosine of x in radians, elementwise."""

@overload
def cos(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The cosine of x in radians, elementwise."""

@overload
def cosh(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The hyperbolic cosine, elementwise."""

@overload
def cosh(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The hyperbolic cosine, elementwise."""

def cumprod(x: TensorLike, axis: TensorLike = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Tensor:
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

def cumsum(x: TensorLike, axis: TensorLike = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Tensor:
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

def cumulative_logsumexp(x: TensorLike, axis: TensorLike = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Tensor:
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

@overload
def digamma(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The derivative of lgamma, elementwise; nan at its poles 0, -1, -2, ..."""

@overload
def digamma(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The derivative of lgamma, elementwise; nan at its poles 0, -1, -2, ..."""

@overload
def divide(x: RaggedTensor | Sequence[RaggedTensor], y: TensorLike, name: str | None = None) -> AnyTensor:
    r"""The quotient x / y, elementwise; division by zero gives inf or nan as IEEE says.

    Integers give the exact quotient: float64 for 32 and 64 bits, float32 for 8 and 16.
    """

@overload
def divide(x: TensorLike, y: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The quotient x / y, elementwise; division by zero gives inf or nan as IEEE says.

    Integers give the exact quotient: float64 for 32 and 64 bits, float32 for 8 and 16.
    """

@overload
def divide(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    r"""The quotient x / y, elementwise; division by zero gives inf or nan as IEEE says.

    Integers give the exact quotient: float64 for 32 and 64 bits, float32 for 8 and 16.
    """

@overload
def divide_no_nan(x: RaggedTensor | Sequence[RaggedTensor], y: TensorLike, name: str | None = None) -> AnyTensor:
    r"""The quotient x / y, elementwise, but 0 where y is 0; the derivatives are 0 there too."""

@overload
def divide_no_nan(x: TensorLike, y: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The quotient x / y, elementwise, but 0 where y is 0; the derivatives are 0 there too."""

@overload
def divide_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    r"""The quotient x / y, elementwise, but 0 where y is 0; the derivatives are 0 there too."""

@overload
def dropout(x: RaggedTensor | Sequence[RaggedTensor], rate: Any, noise_shape: Any = None, seed: Any = None, name: str | None = None) -> AnyTensor:
    r"""Sets elements to 0 with probability `rate` and multiplies the others by 1 / (1 - rate).

    Args:
        x: Tensor, floating.
        rate: the probability, in [0, 1).
        noise_shape: the shape of the choice, which is broadcast to `x`; by default that of `x`.
        seed: a number that makes the choice repeatable.
        name: accepted and not used.

    Returns:
        Tensor like `x`; `x` itself for rate 0.

    Raises:
        ValueError: if `rate` is outside of [0, 1), or `x` is not floating.

    Example:
        >>> import minitape as tf
        >>> x = tf.ones([1000])
        >>> sorted(set(tf.nn.dropout(x, 0.5).numpy().tolist()))
        [0.0, 2.0]
    """

@overload
def dropout(x: Any, rate: Any, noise_shape: Any = None, seed: Any = None, name: str | None = None) -> Tensor:
    r"""Sets elements to 0 with probability `rate` and multiplies the others by 1 / (1 - rate).

    Args:
        x: Tensor, floating.
        rate: the probability, in [0, 1).
        noise_shape: the shape of the choice, which is broadcast to `x`; by default that of `x`.
        seed: a number that makes the choice repeatable.
        name: accepted and not used.

    Returns:
        Tensor like `x`; `x` itself for rate 0.

    Raises:
        ValueError: if `rate` is outside of [0, 1), or `x` is not floating.

    Example:
        >>> import minitape as tf
        >>> x = tf.ones([1000])
        >>> sorted(set(tf.nn.dropout(x, 0.5).numpy().tolist()))
        [0.0, 2.0]
    """

@overload
def elu(features: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""Elementwise x where x > 0, else exp(x) - 1; smooth, with derivative 1 at 0."""

@overload
def elu(features: TensorLike, name: str | None = None) -> Tensor:
    r"""Elementwise x where x > 0, else exp(x) - 1; smooth, with derivative 1 at 0."""

@overload
def equal(x: RaggedTensor | Sequence[RaggedTensor], y: TensorLike, name: str | None = None) -> AnyTensor:
    r"""Whether x equals y, elementwise; NaN equals nothing."""

@overload
def equal(x: TensorLike, y: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""Whether x equals y, elementwise; NaN equals nothing."""

@overload
def equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    r"""Whether x equals y, elementwise; NaN equals nothing."""

@overload
def erf(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The error function, 2/sqrt(pi) times the integral of exp(-t^2) from 0 to x, elementwise."""

@overload
def erf(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The error function, 2/sqrt(pi) times the integral of exp(-t^2) from 0 to x, elementwise."""

@overload
def erfc(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The complementary error function 1 - erf(x), elementwise, accurate for large x too."""

@overload
def erfc(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The complementary error function 1 - erf(x), elementwise, accurate for large x too."""

@overload
def erfinv(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The inverse of erf, elementwise: infinite at -1 and 1, nan outside."""

@overload
def erfinv(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The inverse of erf, elementwise: infinite at -1 and 1, nan outside."""

@overload
def exp(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The exponential, elementwise."""

@overload
def exp(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The exponential, elementwise."""

@overload
def expand_dims(input: RaggedTensor | Sequence[RaggedTensor], axis: Axis, name: str | None = None) -> AnyTensor:
    r"""A new axis of size 1 at position `axis` of the result; negative counts from its end.

    Raises:
        InvalidArgumentError: if `axis` is not between -rank - 1 and rank.

    Example:
        >>> import minitape as tf
        >>> tf.expand_dims(tf.ones([2, 3]), -1).shape
        TensorShape([2, 3, 1])
    """

@overload
def expand_dims(input: TensorLike, axis: Axis, name: str | None = None) -> Tensor:
    r"""A new axis of size 1 at position `axis` of the result; negative counts from its end.

    Raises:
        InvalidArgumentError: if `axis` is not between -rank - 1 and rank.

    Example:
        >>> import minitape as tf
        >>> tf.expand_dims(tf.ones([2, 3]), -1).shape
        TensorShape([2, 3, 1])
    """

@overload
def expm1(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The exponential minus one, elementwise, without the loss of digits near 0."""

@overload
def expm1(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The exponential minus one, elementwise, without the loss of digits near 0."""

@overload
def floor(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The largest whole number that is not above x, elementwise, in the dtype of x."""

@overload
def floor(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The largest whole number that is not above x, elementwise, in the dtype of x."""

@overload
def floordiv(x: RaggedTensor | Sequence[RaggedTensor], y: TensorLike, name: str | None = None) -> AnyTensor:
    r"""The largest whole number that is not above x / y, elementwise; no derivative."""

@overload
def floordiv(x: TensorLike, y: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The largest whole number that is not above x / y, elementwise; no derivative."""

@overload
def floordiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    r"""The largest whole number that is not above x / y, elementwise; no derivative."""

@overload
def floormod(x: RaggedTensor | Sequence[RaggedTensor], y: TensorLike, name: str | None = None) -> AnyTensor:
    r"""The remainder x - floor(x / y) y, elementwise, which has the sign of y.

    It jumps where x / y is whole; the derivatives there are those of the branch to the right.
    """

@overload
def floormod(x: TensorLike, y: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The remainder x - floor(x / y) y, elementwise, which has the sign of y.

    It jumps where x / y is whole; the derivatives there are those of the branch to the right.
    """

@overload
def floormod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    r"""The remainder x - floor(x / y) y, elementwise, which has the sign of y.

    It jumps where x / y is whole; the derivatives there are those of the branch to the right.
    """

@overload
def gather_slices(params: RaggedTensor | Sequence[RaggedTensor], indices: TensorLike, validate_indices: Any = None, axis: Axis = None, batch_dims: Any = 0, name: str | None = None) -> AnyTensor:
    r"""The slices of `params` along `axis` at `indices`.

    Args:
        params: a tensor of rank at least 1.
        indices: integers from 0 to `params.shape[axis] - 1`, of any shape.
        validate_indices: accepted and not used; indices are always checked.
        axis: the axis that is gathered; by default `batch_dims`.
        batch_dims: how many leading axes `params` and `indices` share, example by example.
        name: accepted and not used.

    Returns:
        A tensor of shape
        `params.shape[:axis] + indices.shape[batch_dims:] + params.shape[axis + 1:]`.
        Its gradient for axis 0 is an `IndexedSlices`.

    Raises:
        InvalidArgumentError: if an index is out of range.

    Example:
        >>> import minitape as tf
        >>> tf.gather([10, 20, 30], [2, 0, 2]).numpy().tolist()
        [30, 10, 30]
    """

@overload
def gather_slices(params: TensorLike, indices: TensorLike, validate_indices: Any = None, axis: Axis = None, batch_dims: Any = 0, name: str | None = None) -> Tensor:
    r"""The slices of `params` along `axis` at `indices`.

    Args:
        params: a tensor of rank at least 1.
        indices: integers from 0 to `params.shape[axis] - 1`, of any shape.
        validate_indices: accepted and not used; indices are always checked.
        axis: the axis that is gathered; by default `batch_dims`.
        batch_dims: how many leading axes `params` and `indices` share, example by example.
        name: accepted and not used.

    Returns:
        A tensor of shape
        `params.shape[:axis] + indices.shape[batch_dims:] + params.shape[axis + 1:]`.
        Its gradient for axis 0 is an `IndexedSlices`.

    Raises:
        InvalidArgumentError: if an index is out of range.

    Example:
        >>> import minitape as tf
        >>> tf.gather([10, 20, 30], [2, 0, 2]).numpy().tolist()
        [30, 10, 30]
    """

@overload
def gelu(features: RaggedTensor | Sequence[RaggedTensor], approximate: bool = False, name: str | None = None) -> AnyTensor:
    r"""The Gaussian error linear unit, x P(X <= x) for a standard normal X (Hendrycks, Gimpel 2016).

    Args:
        features: Tensor of any shape, floating.
        approximate: whether to use 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x**3))).
        name: accepted and not used.

    Returns:
        Tensor like `features`.

    Raises:
        InvalidArgumentError: if `features` is not floating.

    Example:
        >>> import minitape as tf
        >>> print(tf.nn.gelu(tf.constant([-1.0, 0.0, 1.0])))
        tf.Tensor([-0.15865526  0.          0.8413447 ], shape=(3,), dtype=float32)
    """

@overload
def gelu(features: TensorLike, approximate: bool = False, name: str | None = None) -> Tensor:
    r"""The Gaussian error linear unit, x P(X <= x) for a standard normal X (Hendrycks, Gimpel 2016).

    Args:
        features: Tensor of any shape, floating.
        approximate: whether to use 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x**3))).
        name: accepted and not used.

    Returns:
        Tensor like `features`.

    Raises:
        InvalidArgumentError: if `features` is not floating.

    Example:
        >>> import minitape as tf
        >>> print(tf.nn.gelu(tf.constant([-1.0, 0.0, 1.0])))
        tf.Tensor([-0.15865526  0.          0.8413447 ], shape=(3,), dtype=float32)
    """

@overload
def greater(x: RaggedTensor | Sequence[RaggedTensor], y: TensorLike, name: str | None = None) -> AnyTensor:
    r"""Whether x > y, elementwise."""

@overload
def greater(x: TensorLike, y: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""Whether x > y, elementwise."""

@overload
def greater(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    r"""Whether x > y, elementwise."""

@overload
def greater_equal(x: RaggedTensor | Sequence[RaggedTensor], y: TensorLike, name: str | None = None) -> AnyTensor:
    r"""Whether x >= y, elementwise."""

@overload
def greater_equal(x: TensorLike, y: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""Whether x >= y, elementwise."""

@overload
def greater_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    r"""Whether x >= y, elementwise."""

@overload
def identity(input: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The same values as a new tensor, through which gradients pass."""

@overload
def identity(input: TensorLike, name: str | None = None) -> Tensor:
    r"""The same values as a new tensor, through which gradients pass."""

@overload
def igamma(a: RaggedTensor | Sequence[RaggedTensor], x: TensorLike, name: str | None = None) -> AnyTensor:
    r"""The lower regularised incomplete gamma function, elementwise; nan unless a > 0 and x >= 0.

    The integral of t^(a-1) exp(-t) from 0 to x, divided by gamma(a).
    """

@overload
def igamma(a: TensorLike, x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The lower regularised incomplete gamma function, elementwise; nan unless a > 0 and x >= 0.

    The integral of t^(a-1) exp(-t) from 0 to x, divided by gamma(a).
    """

@overload
def igamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    r"""The lower regularised incomplete gamma function, elementwise; nan unless a > 0 and x >= 0.

    The integral of t^(a-1) exp(-t) from 0 to x, divided by gamma(a).
    """

@overload
def igammac(a: RaggedTensor | Sequence[RaggedTensor], x: TensorLike, name: str | None = None) -> AnyTensor:
    r"""The upper regularised incomplete gamma function 1 - igamma(a, x), elementwise."""

@overload
def igammac(a: TensorLike, x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The upper regularised incomplete gamma function 1 - igamma(a, x), elementwise."""

@overload
def igammac(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    r"""The upper regularised incomplete gamma function 1 - igamma(a, x), elementwise."""

@overload
def invert(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The operator ~, elementwise: logical of a bool, bit by bit of an integer."""

@overload
def invert(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The operator ~, elementwise: logical of a bool, bit by bit of an integer."""

def invert_permutation(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The permutation that undoes `x`, a vector of the integers from 0 to n - 1."""

@overload
def is_finite(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""Whether x is neither infinite nor NaN, elementwise."""

@overload
def is_finite(x: TensorLike, name: str | None = None) -> Tensor:
    r"""Whether x is neither infinite nor NaN, elementwise."""

@overload
def is_inf(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""Whether x is infinite, elementwise."""

@overload
def is_inf(x: TensorLike, name: str | None = None) -> Tensor:
    r"""Whether x is infinite, elementwise."""

@overload
def is_nan(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""Whether x is not a number, elementwise."""

@overload
def is_nan(x: TensorLike, name: str | None = None) -> Tensor:
    r"""Whether x is not a number, elementwise."""

def l2_loss(t: TensorLike, name: str | None = None) -> Tensor:
    r"""Half the sum of squares, sum(t**2) / 2."""

@overload
def leaky_relu(features: RaggedTensor | Sequence[RaggedTensor], alpha: float = 0.20000000298023224, name: str | None = None) -> AnyTensor:
    r"""Elementwise x where x > 0, else alpha x; the derivative at 0 is alpha.

    Integers are taken as float32, as TensorFlow does for this activation only.
    """

@overload
def leaky_relu(features: TensorLike, alpha: float = 0.20000000298023224, name: str | None = None) -> Tensor:
    r"""Elementwise x where x > 0, else alpha x; the derivative at 0 is alpha.

    Integers are taken as float32, as TensorFlow does for this activation only.
    """

@overload
def left_shift(x: RaggedTensor | Sequence[RaggedTensor], y: TensorLike, name: str | None = None) -> AnyTensor:
    r"""The bits of the integer x moved up by y places, elementwise."""

@overload
def left_shift(x: TensorLike, y: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The bits of the integer x moved up by y places, elementwise."""

@overload
def left_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    r"""The bits of the integer x moved up by y places, elementwise."""

@overload
def less(x: RaggedTensor | Sequence[RaggedTensor], y: TensorLike, name: str | None = None) -> AnyTensor:
    r"""Whether x < y, elementwise."""

@overload
def less(x: TensorLike, y: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""Whether x < y, elementwise."""

@overload
def less(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    r"""Whether x < y, elementwise."""

@overload
def less_equal(x: RaggedTensor | Sequence[RaggedTensor], y: TensorLike, name: str | None = None) -> AnyTensor:
    r"""Whether x <= y, elementwise."""

@overload
def less_equal(x: TensorLike, y: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""Whether x <= y, elementwise."""

@overload
def less_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    r"""Whether x <= y, elementwise."""

@overload
def lgamma(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The logarithm of |gamma(x)|, elementwise: infinite at 0, -1, -2, ..."""

@overload
def lgamma(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The logarithm of |gamma(x)|, elementwise: infinite at 0, -1, -2, ..."""

@overload
def log(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The natural logarithm, elementwise: -inf at 0 and nan below it, silently."""

@overload
def log(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The natural logarithm, elementwise: -inf at 0 and nan below it, silently."""

@overload
def log1p(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The logarithm of 1 + x, elementwise, without the loss of digits near 0."""

@overload
def log1p(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The logarithm of 1 + x, elementwise, without the loss of digits near 0."""

@overload
def log_sigmoid(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The logarithm of sigmoid(x), elementwise, as min(x, 0) - log1p(exp(-|x|))."""

@overload
def log_sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The logarithm of sigmoid(x), elementwise, as min(x, 0) - log1p(exp(-|x|))."""

@overload
def logical_and(x: RaggedTensor | Sequence[RaggedTensor], y: TensorLike, name: str | None = None) -> AnyTensor:
    r"""Whether both x and y hold, elementwise on bools."""

@overload
def logical_and(x: TensorLike, y: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""Whether both x and y hold, elementwise on bools."""

@overload
def logical_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    r"""Whether both x and y hold, elementwise on bools."""

@overload
def logical_not(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""Whether x does not hold, elementwise on bools."""

@overload
def logical_not(x: TensorLike, name: str | None = None) -> Tensor:
    r"""Whether x does not hold, elementwise on bools."""

@overload
def logical_or(x: RaggedTensor | Sequence[RaggedTensor], y: TensorLike, name: str | None = None) -> AnyTensor:
    r"""Whether x or y or both hold, elementwise on bools."""

@overload
def logical_or(x: TensorLike, y: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""Whether x or y or both hold, elementwise on bools."""

@overload
def logical_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    r"""Whether x or y or both hold, elementwise on bools."""

@overload
def logical_xor(x: RaggedTensor | Sequence[RaggedTensor], y: TensorLike, name: str | None = None) -> AnyTensor:
    r"""Whether exactly one of x and y holds, elementwise on bools."""

@overload
def logical_xor(x: TensorLike, y: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""Whether exactly one of x and y holds, elementwise on bools."""

@overload
def logical_xor(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    r"""Whether exactly one of x and y holds, elementwise on bools."""

@overload
def maximum(x: RaggedTensor | Sequence[RaggedTensor], y: TensorLike, name: str | None = None) -> AnyTensor:
    r"""The larger of x and y, elementwise; NaN wins. At a tie x takes the whole gradient."""

@overload
def maximum(x: TensorLike, y: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The larger of x and y, elementwise; NaN wins. At a tie x takes the whole gradient."""

@overload
def maximum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    r"""The larger of x and y, elementwise; NaN wins. At a tie x takes the whole gradient."""

@overload
def minimum(x: RaggedTensor | Sequence[RaggedTensor], y: TensorLike, name: str | None = None) -> AnyTensor:
    r"""The smaller of x and y, elementwise; NaN wins. At a tie x takes the whole gradient."""

@overload
def minimum(x: TensorLike, y: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The smaller of x and y, elementwise; NaN wins. At a tie x takes the whole gradient."""

@overload
def minimum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    r"""The smaller of x and y, elementwise; NaN wins. At a tie x takes the whole gradient."""

@overload
def multiply(x: RaggedTensor | Sequence[RaggedTensor], y: TensorLike, name: str | None = None) -> AnyTensor:
    r"""The product x y, elementwise."""

@overload
def multiply(x: TensorLike, y: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The product x y, elementwise."""

@overload
def multiply(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    r"""The product x y, elementwise."""

@overload
def multiply_no_nan(x: RaggedTensor | Sequence[RaggedTensor], y: TensorLike, name: str | None = None) -> AnyTensor:
    r"""The product of x and y, elementwise, but 0 where y is 0 even if x is infinite or nan."""

@overload
def multiply_no_nan(x: TensorLike, y: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The product of x and y, elementwise, but 0 where y is 0 even if x is infinite or nan."""

@overload
def multiply_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    r"""The product of x and y, elementwise, but 0 where y is 0 even if x is infinite or nan."""

@overload
def ndtri(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The quantile of the normal distribution at probability x, elementwise; nan outside [0, 1]."""

@overload
def ndtri(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The quantile of the normal distribution at probability x, elementwise; nan outside [0, 1]."""

@overload
def negative(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""-x, elementwise."""

@overload
def negative(x: TensorLike, name: str | None = None) -> Tensor:
    r"""-x, elementwise."""

@overload
def nextafter(x1: RaggedTensor | Sequence[RaggedTensor], x2: TensorLike, name: str | None = None) -> AnyTensor:
    r"""The number of this dtype that follows x1 in the direction of x2, elementwise."""

@overload
def nextafter(x1: TensorLike, x2: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The number of this dtype that follows x1 in the direction of x2, elementwise."""

@overload
def nextafter(x1: TensorLike, x2: TensorLike, name: str | None = None) -> Tensor:
    r"""The number of this dtype that follows x1 in the direction of x2, elementwise."""

@overload
def not_equal(x: RaggedTensor | Sequence[RaggedTensor], y: TensorLike, name: str | None = None) -> AnyTensor:
    r"""Whether x differs from y, elementwise; NaN differs from everything."""

@overload
def not_equal(x: TensorLike, y: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""Whether x differs from y, elementwise; NaN differs from everything."""

@overload
def not_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    r"""Whether x differs from y, elementwise; NaN differs from everything."""

@overload
def ones_like(input: RaggedTensor | Sequence[RaggedTensor], dtype: DTypeLike = None, name: str | None = None) -> AnyTensor:
    r"""Ones in the shape and dtype (or `dtype`) of `input`; no gradient flows through it."""

@overload
def ones_like(input: TensorLike, dtype: DTypeLike = None, name: str | None = None) -> Tensor:
    r"""Ones in the shape and dtype (or `dtype`) of `input`; no gradient flows through it."""

@overload
def polygamma(a: RaggedTensor | Sequence[RaggedTensor], x: TensorLike, name: str | None = None) -> AnyTensor:
    r"""The derivative number a = 0, 1, ... of digamma, elementwise; not differentiable by a."""

@overload
def polygamma(a: TensorLike, x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The derivative number a = 0, 1, ... of digamma, elementwise; not differentiable by a."""

@overload
def polygamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    r"""The derivative number a = 0, 1, ... of digamma, elementwise; not differentiable by a."""

@overload
def pow(x: RaggedTensor | Sequence[RaggedTensor], y: TensorLike, name: str | None = None) -> AnyTensor:
    r"""The power x ** y, elementwise; integers take no negative exponents.

    The derivative with respect to y takes 0 for log x unless x > 0 (complex: x != 0).
    """

@overload
def pow(x: TensorLike, y: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The power x ** y, elementwise; integers take no negative exponents.

    The derivative with respect to y takes 0 for log x unless x > 0 (complex: x != 0).
    """

@overload
def pow(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    r"""The power x ** y, elementwise; integers take no negative exponents.

    The derivative with respect to y takes 0 for log x unless x > 0 (complex: x != 0).
    """

@overload
def reciprocal(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""One over x, elementwise: inf at 0.

    The derivative is infinite at 0, yet the gradient is 0 there if the incoming gradient is.
    """

@overload
def reciprocal(x: TensorLike, name: str | None = None) -> Tensor:
    r"""One over x, elementwise: inf at 0.

    The derivative is infinite at 0, yet the gradient is 0 there if the incoming gradient is.
    """

def reduce_all(input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None) -> Tensor:
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

def reduce_any(input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None) -> Tensor:
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

def reduce_euclidean_norm(input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None) -> Tensor:
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

def reduce_logsumexp(input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None) -> Tensor:
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

def reduce_max(input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None) -> Tensor:
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

def reduce_mean(input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None) -> Tensor:
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

def reduce_min(input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None) -> Tensor:
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

def reduce_prod(input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None) -> Tensor:
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

def reduce_std(input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None) -> Tensor:
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

def reduce_sum(input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None) -> Tensor:
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

def reduce_variance(input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None) -> Tensor:
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

@overload
def relu(features: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""max(x, 0), elementwise; the derivative at 0 is 0."""

@overload
def relu(features: TensorLike, name: str | None = None) -> Tensor:
    r"""max(x, 0), elementwise; the derivative at 0 is 0."""

@overload
def relu6(features: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""min(max(x, 0), 6), elementwise; the derivative at 0 and at 6 is 0."""

@overload
def relu6(features: TensorLike, name: str | None = None) -> Tensor:
    r"""min(max(x, 0), 6), elementwise; the derivative at 0 and at 6 is 0."""

@overload
def reverse_value(tensor: RaggedTensor | Sequence[RaggedTensor], axis: Axis, name: str | None = None) -> AnyTensor:
    r"""The tensor backwards along each of the axes in the list `axis`.

    Raises:
        InvalidArgumentError: if an axis does not exist or is named twice.

    Example:
        >>> import minitape as tf
        >>> tf.reverse([1, 2, 3], [0]).numpy().tolist()
        [3, 2, 1]
    """

@overload
def reverse_value(tensor: TensorLike, axis: Axis, name: str | None = None) -> Tensor:
    r"""The tensor backwards along each of the axes in the list `axis`.

    Raises:
        InvalidArgumentError: if an axis does not exist or is named twice.

    Example:
        >>> import minitape as tf
        >>> tf.reverse([1, 2, 3], [0]).numpy().tolist()
        [3, 2, 1]
    """

@overload
def right_shift(x: RaggedTensor | Sequence[RaggedTensor], y: TensorLike, name: str | None = None) -> AnyTensor:
    r"""The bits of the integer x moved down by y places, elementwise; the sign stays."""

@overload
def right_shift(x: TensorLike, y: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The bits of the integer x moved down by y places, elementwise; the sign stays."""

@overload
def right_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    r"""The bits of the integer x moved down by y places, elementwise; the sign stays."""

@overload
def rint(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The nearest whole number, elementwise, in the dtype of x; halves go to the even one."""

@overload
def rint(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The nearest whole number, elementwise, in the dtype of x; halves go to the even one."""

@overload
def rsqrt(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""One over the square root, elementwise: inf at 0, nan below it.

    The derivative is infinite at 0, yet the gradient is 0 there if the incoming gradient is.
    """

@overload
def rsqrt(x: TensorLike, name: str | None = None) -> Tensor:
    r"""One over the square root, elementwise: inf at 0, nan below it.

    The derivative is infinite at 0, yet the gradient is 0 there if the incoming gradient is.
    """

@overload
def saturate_cast(value: RaggedTensor | Sequence[RaggedTensor], dtype: Any, name: str | None = None) -> AnyTensor:
    r"""Converts a tensor to another element type, clipped to the range of that type first.

    Args:
        value: a tensor of real numbers, or something that becomes one.
        dtype: the element type wanted, integer or floating.
        name: accepted and not used.

    Returns:
        A tensor of `dtype` and the shape of `value`.

    Example:
        >>> import minitape as tf
        >>> tf.saturate_cast([-7.0, 300.0], tf.uint8).numpy().tolist()
        [0, 255]
    """

@overload
def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Tensor:
    r"""Converts a tensor to another element type, clipped to the range of that type first.

    Args:
        value: a tensor of real numbers, or something that becomes one.
        dtype: the element type wanted, integer or floating.
        name: accepted and not used.

    Returns:
        A tensor of `dtype` and the shape of `value`.

    Example:
        >>> import minitape as tf
        >>> tf.saturate_cast([-7.0, 300.0], tf.uint8).numpy().tolist()
        [0, 255]
    """

def segment_max(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
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

def segment_mean(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
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

def segment_min(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
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

def segment_prod(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
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

def segment_sum(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
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

@overload
def selu(features: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""Elementwise s x where x > 0, else s a (exp(x) - 1), the scaled elu; at 0 the slope is s."""

@overload
def selu(features: TensorLike, name: str | None = None) -> Tensor:
    r"""Elementwise s x where x > 0, else s a (exp(x) - 1), the scaled elu; at 0 the slope is s."""

@overload
def sigmoid(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The logistic function 1 / (1 + exp(-x)), elementwise.

    As e / (1 + e) with e = exp(x), which keeps the smallest values.
    """

@overload
def sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The logistic function 1 / (1 + exp(-x)), elementwise.

    As e / (1 + e) with e = exp(x), which keeps the smallest values.
    """

@overload
def silu_with_slope(features: RaggedTensor | Sequence[RaggedTensor], beta: TensorLike = 1.0, name: str | None = None) -> AnyTensor:
    r"""The sigmoid linear unit, also called swish: x * sigmoid(beta * x), elementwise.

    Args:
        features: Tensor of any shape, floating.
        beta: a number or tensor.
        name: accepted and not used.

    Returns:
        Tensor like `features`.

    Example:
        >>> import minitape as tf
        >>> float(tf.nn.silu(tf.constant(0.0)))
        0.0
    """

@overload
def silu_with_slope(features: TensorLike, beta: TensorLike = 1.0, name: str | None = None) -> Tensor:
    r"""The sigmoid linear unit, also called swish: x * sigmoid(beta * x), elementwise.

    Args:
        features: Tensor of any shape, floating.
        beta: a number or tensor.
        name: accepted and not used.

    Returns:
        Tensor like `features`.

    Example:
        >>> import minitape as tf
        >>> float(tf.nn.silu(tf.constant(0.0)))
        0.0
    """

@overload
def sin(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The sine of x in radians, elementwise."""

@overload
def sin(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The sine of x in radians, elementwise."""

@overload
def sinh(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The hyperbolic sine, elementwise."""

@overload
def sinh(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The hyperbolic sine, elementwise."""

def softmax(logits: TensorLike, axis: int | None = None, name: str | None = None) -> Tensor:
    r"""The distribution exp(x) / sum(exp(x)) along `axis`, computed so that nothing overflows.

    Args:
        logits: Tensor of rank at least 1, floating.
        axis: the axis of the classes; by default the last.
        name: accepted and not used.

    Returns:
        Tensor like `logits`, whose entries along `axis` sum to 1.

    Raises:
        InvalidArgumentError: if `logits` is a scalar or not floating, or there is no such axis.

    Example:
        >>> import minitape as tf
        >>> print(tf.nn.softmax([0.0, 0.0]))
        tf.Tensor([0.5 0.5], shape=(2,), dtype=float32)
    """

@overload
def softplus(features: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The logarithm of 1 + exp(x), elementwise.

    As max(x, 0) + log1p(exp(-|x|)), which neither overflows nor cancels.
    """

@overload
def softplus(features: TensorLike, name: str | None = None) -> Tensor:
    r"""The logarithm of 1 + exp(x), elementwise.

    As max(x, 0) + log1p(exp(-|x|)), which neither overflows nor cancels.
    """

@overload
def softsign(features: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""Elementwise x / (1 + |x|); smooth at 0, with derivative 1 / (1 + |x|)**2."""

@overload
def softsign(features: TensorLike, name: str | None = None) -> Tensor:
    r"""Elementwise x / (1 + |x|); smooth at 0, with derivative 1 / (1 + |x|)**2."""

def sparse_segment_mean(data: TensorLike, indices: TensorLike, segment_ids: TensorLike, num_segments: Any = None, name: str | None = None) -> Tensor:
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

def sparse_segment_sqrt_n(data: TensorLike, indices: TensorLike, segment_ids: TensorLike, num_segments: Any = None, name: str | None = None) -> Tensor:
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

def sparse_segment_sum(data: TensorLike, indices: TensorLike, segment_ids: TensorLike, num_segments: Any = None, name: str | None = None) -> Tensor:
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

@overload
def sqrt(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The square root, elementwise; nan below 0.

    The derivative is infinite at 0 and nan below it, yet the gradient is 0 there if the incoming
    gradient is.
    """

@overload
def sqrt(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The square root, elementwise; nan below 0.

    The derivative is infinite at 0 and nan below it, yet the gradient is 0 there if the incoming
    gradient is.
    """

@overload
def square(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The product of x with itself, elementwise."""

@overload
def square(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The product of x with itself, elementwise."""

@overload
def squared_difference(x: RaggedTensor | Sequence[RaggedTensor], y: TensorLike, name: str | None = None) -> AnyTensor:
    r"""The square of x - y, elementwise; for complex numbers |x - y| squared."""

@overload
def squared_difference(x: TensorLike, y: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The square of x - y, elementwise; for complex numbers |x - y| squared."""

@overload
def squared_difference(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    r"""The square of x - y, elementwise; for complex numbers |x - y| squared."""

@overload
def squeeze(input: RaggedTensor | Sequence[RaggedTensor], axis: Axis = None, name: str | None = None) -> AnyTensor:
    r"""The tensor without axes of size 1: all of them, or those that `axis` names.

    Raises:
        InvalidArgumentError: if a named axis is longer than 1 or does not exist.
        ValueError: if `input` is ragged and `axis` is not given.

    Example:
        >>> import minitape as tf
        >>> tf.squeeze(tf.ones([1, 3, 1])).shape, tf.squeeze(tf.ones([1, 3, 1]), axis=[0]).shape
        (TensorShape([3]), TensorShape([3, 1]))
    """

@overload
def squeeze(input: TensorLike, axis: Axis = None, name: str | None = None) -> Tensor:
    r"""The tensor without axes of size 1: all of them, or those that `axis` names.

    Raises:
        InvalidArgumentError: if a named axis is longer than 1 or does not exist.
        ValueError: if `input` is ragged and `axis` is not given.

    Example:
        >>> import minitape as tf
        >>> tf.squeeze(tf.ones([1, 3, 1])).shape, tf.squeeze(tf.ones([1, 3, 1]), axis=[0]).shape
        (TensorShape([3]), TensorShape([3, 1]))
    """

@overload
def stack_values(values: RaggedTensor | Sequence[RaggedTensor], axis: Axis = 0, name: str | None = None) -> AnyTensor:
    r"""The tensors side by side along a new axis.

    Args:
        values: a list of tensors of one shape and dtype; plain numbers may be mixed.
        axis: where the new axis stands in the result.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if shapes differ, or there is no such axis.

    Example:
        >>> import minitape as tf
        >>> tf.stack([[1, 2], [3, 4]], axis=1).numpy().tolist()
        [[1, 3], [2, 4]]
    """

@overload
def stack_values(values: TensorLike, axis: Axis = 0, name: str | None = None) -> Tensor:
    r"""The tensors side by side along a new axis.

    Args:
        values: a list of tensors of one shape and dtype; plain numbers may be mixed.
        axis: where the new axis stands in the result.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if shapes differ, or there is no such axis.

    Example:
        >>> import minitape as tf
        >>> tf.stack([[1, 2], [3, 4]], axis=1).numpy().tolist()
        [[1, 3], [2, 4]]
    """

@overload
def stop_gradient(input: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The same values as a new tensor, through which no gradient passes."""

@overload
def stop_gradient(input: TensorLike, name: str | None = None) -> Tensor:
    r"""The same values as a new tensor, through which no gradient passes."""

@overload
def subtract(x: RaggedTensor | Sequence[RaggedTensor], y: TensorLike, name: str | None = None) -> AnyTensor:
    r"""The difference x - y, elementwise."""

@overload
def subtract(x: TensorLike, y: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The difference x - y, elementwise."""

@overload
def subtract(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    r"""The difference x - y, elementwise."""

@overload
def tan(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The tangent of x in radians, elementwise."""

@overload
def tan(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The tangent of x in radians, elementwise."""

@overload
def tanh(x: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The hyperbolic tangent, elementwise."""

@overload
def tanh(x: TensorLike, name: str | None = None) -> Tensor:
    r"""The hyperbolic tangent, elementwise."""

@overload
def truncatediv(x: RaggedTensor | Sequence[RaggedTensor], y: TensorLike, name: str | None = None) -> AnyTensor:
    r"""The quotient x / y rounded towards zero, elementwise, in the dtype of x."""

@overload
def truncatediv(x: TensorLike, y: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The quotient x / y rounded towards zero, elementwise, in the dtype of x."""

@overload
def truncatediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    r"""The quotient x / y rounded towards zero, elementwise, in the dtype of x."""

@overload
def truncatemod(x: RaggedTensor | Sequence[RaggedTensor], y: TensorLike, name: str | None = None) -> AnyTensor:
    r"""The remainder of x / y with the sign of x, elementwise."""

@overload
def truncatemod(x: TensorLike, y: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The remainder of x / y with the sign of x, elementwise."""

@overload
def truncatemod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    r"""The remainder of x / y with the sign of x, elementwise."""

def unsorted_segment_max(data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None) -> Tensor:
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

def unsorted_segment_mean(data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None) -> Tensor:
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

def unsorted_segment_min(data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None) -> Tensor:
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

def unsorted_segment_prod(data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None) -> Tensor:
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

def unsorted_segment_sqrt_n(data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None) -> Tensor:
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

def unsorted_segment_sum(data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None) -> Tensor:
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

@overload
def where(condition: RaggedTensor | Sequence[RaggedTensor], x: Any = None, y: Any = None, name: str | None = None) -> AnyTensor:
    r"""Chooses elements of `x` or `y`, or finds where `condition` holds.

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

@overload
def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    r"""Chooses elements of `x` or `y`, or finds where `condition` holds.

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

@overload
def xdivy(x: RaggedTensor | Sequence[RaggedTensor], y: TensorLike, name: str | None = None) -> AnyTensor:
    r"""The quotient x / y, elementwise, but 0 where x is 0, and so are the derivatives."""

@overload
def xdivy(x: TensorLike, y: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The quotient x / y, elementwise, but 0 where x is 0, and so are the derivatives."""

@overload
def xdivy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    r"""The quotient x / y, elementwise, but 0 where x is 0, and so are the derivatives."""

@overload
def xlog1py(x: RaggedTensor | Sequence[RaggedTensor], y: TensorLike, name: str | None = None) -> AnyTensor:
    r"""The product x log(1 + y), elementwise, but 0 where x is 0, and so are the derivatives."""

@overload
def xlog1py(x: TensorLike, y: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The product x log(1 + y), elementwise, but 0 where x is 0, and so are the derivatives."""

@overload
def xlog1py(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    r"""The product x log(1 + y), elementwise, but 0 where x is 0, and so are the derivatives."""

@overload
def xlogy(x: RaggedTensor | Sequence[RaggedTensor], y: TensorLike, name: str | None = None) -> AnyTensor:
    r"""The product x log(y), elementwise, but 0 where x is 0, and so are the derivatives."""

@overload
def xlogy(x: TensorLike, y: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The product x log(y), elementwise, but 0 where x is 0, and so are the derivatives."""

@overload
def xlogy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    r"""The product x log(y), elementwise, but 0 where x is 0, and so are the derivatives."""

@overload
def zeros_like(input: RaggedTensor | Sequence[RaggedTensor], dtype: DTypeLike = None, name: str | None = None) -> AnyTensor:
    r"""Zeros in the shape and dtype (or `dtype`) of `input`; no gradient flows through it."""

@overload
def zeros_like(input: TensorLike, dtype: DTypeLike = None, name: str | None = None) -> Tensor:
    r"""Zeros in the shape and dtype (or `dtype`) of `input`; no gradient flows through it."""

@overload
def zeta(x: RaggedTensor | Sequence[RaggedTensor], q: TensorLike, name: str | None = None) -> AnyTensor:
    r"""The Hurwitz zeta function, the sum of (q + k)^-x over k = 0, 1, ..., elementwise.

    Not differentiable by x. Infinite for x = 1 and at q = 0, -1, ...; nan for x < 1, and for q < 0
    if x is not whole.
    """

@overload
def zeta(x: TensorLike, q: RaggedTensor | Sequence[RaggedTensor], name: str | None = None) -> AnyTensor:
    r"""The Hurwitz zeta function, the sum of (q + k)^-x over k = 0, 1, ..., elementwise.

    Not differentiable by x. Infinite for x = 1 and at q = 0, -1, ...; nan for x < 1, and for q < 0
    if x is not whole.
    """

@overload
def zeta(x: TensorLike, q: TensorLike, name: str | None = None) -> Tensor:
    r"""The Hurwitz zeta function, the sum of (q + k)^-x over k = 0, 1, ..., elementwise.

    Not differentiable by x. Infinite for x = 1 and at q = 0, -1, ...; nan for x < 1, and for q < 0
    if x is not whole.
    """
