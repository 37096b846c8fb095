"""`tf.debugging`: assertions about values, shapes and dtypes, and `check_numerics`.

What can be known without values (rank, shape, dtype) is checked at once; checks of values run at
once on eager tensors, when the graph runs inside one, and per example in a batch.
"""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.control.python_function import PythonOp
from minitape.errors import InvalidArgumentError
from minitape.errors.of_arguments import checked_items, checked_number, not_fitting
from minitape.interpreter import symbolic_interpreter
from minitape.op import apply, export, primitive
from minitape.safety.silence import Silence
from minitape.tensor import EagerTensor, Spec
from minitape.tensors.boxed import Boxed
from minitape.tensors.convert import convert_to_tensor, operand
from minitape.values import dtypes

if TYPE_CHECKING:
    from collections.abc import Callable

    from minitape.tensor import Array, Arrays, Tensor
    from minitape.values.public_types import DTypeLike, TensorLike


def _holds(values: Arrays, check: Any) -> tuple[Any, ...]:
    """True, if `check` finds nothing to raise about."""
    check(*values)
    return (np.True_,)


_ASSERT = PythonOp(_holds, type_name="Assert", differentiable=False)
_ASSERT.infer = lambda specs, check: (Spec((), np.dtype(np.bool_)),)


def _assure(check: Callable[..., None], *tensors: Any) -> None:
    """Runs a check of arrays on tensors, or writes it down in the graph."""
    if symbolic_interpreter() is None and not any(isinstance(x, Boxed) for x in tensors):
        plain = [x if isinstance(x, EagerTensor) else convert_to_tensor(x) for x in tensors]
        check(*[x.value for x in plain])
    else:
        apply(_ASSERT, tensors, (check,))


def _pair(x: Any, y: Any) -> tuple[Any, Any]:
    """Two values as tensors of one dtype: a plain value takes that of the tensor beside it."""
    if hasattr(y, "spec"):
        y = operand(y, None)
        return operand(x, y.spec.dtype), y
    x = operand(x, None)
    return x, operand(y, x.spec.dtype)


def _refuse(message: Any, what: str, failed: Any, values: dict[str, Any]) -> None:
    """Raises with the first elements for which a condition failed."""
    failed = np.asarray(failed)
    where = [tuple(int(i) for i in index) for index in np.argwhere(failed)[:3]]
    shown = []
    for name, value in values.items():
        wide = np.broadcast_to(value, failed.shape)
        at = ", ".join(f"{name}[{', '.join(map(str, i))}] = {wide[i]}" for i in where)
        shown.append(f"{name} (shape={value.shape} dtype={value.dtype.name}): {at}")
    raise InvalidArgumentError(
        f"{message or ''} Condition {what} did not hold element-wise: it fails for "
        f"{int(failed.sum())} of {failed.size} elements. {'; '.join(shown)}".strip()
    )


def _comparison(name: str, sign: str, compare: Any, *exported: str) -> Any:
    def check(message: Any, x: Any, y: Any) -> None:
        try:
            holds = np.asarray(compare(x, y))
        except ValueError as error:
            raise InvalidArgumentError(
                f"{message or ''} {name}: x of shape {x.shape} and y of shape {y.shape} cannot be "
                "compared: they do not broadcast."
            ) from error
        except TypeError as error:
            texts = x if x.dtype.kind == "O" else y
            example = f"tf.debugging.{name}([1.0], [2.0])"
            raise not_fitting(name, "x and y", texts.tolist(), "numbers", example) from error
        if not holds.all():
            _refuse(message, f"x {sign} y", ~holds, {"x": x, "y": y})

    def assertion(
        x: Any, y: Any, message: str | None = None, summarize: Any = None, name: Any = None
    ) -> None:
        _assure(functools.partial(check, message), *_pair(x, y))

    assertion.__name__ = name
    assertion.__doc__ = f"""Checks that x {sign} y for all elements; the shapes broadcast.

    Args:
        x: a numeric tensor.
        y: a tensor of the same dtype.
        message: what to put in front of the error's text.
        summarize: accepted and not used.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if the condition fails for an element.
    """
    return export(f"debugging.{name}", *exported)(assertion)


assert_equal = _comparison("assert_equal", "==", np.equal, "assert_equal")
assert_none_equal = _comparison("assert_none_equal", "!=", np.not_equal)
assert_less = _comparison("assert_less", "<", operator.lt, "assert_less")
assert_less_equal = _comparison("assert_less_equal", "<=", operator.le)
assert_greater = _comparison("assert_greater", ">", operator.gt, "assert_greater")
assert_greater_equal = _comparison("assert_greater_equal", ">=", operator.ge)


def _sign(name: str, condition: str, compare: Any) -> Any:
    def check(message: Any, x: Any) -> None:
        if x.dtype.kind == "O":
            raise not_fitting(name, "x", x.tolist(), "numbers", f"tf.debugging.{name}([1.0])")
        holds = np.asarray(compare(x, x.dtype.type(0)))
        if not holds.all():
            _refuse(message, condition, ~holds, {"x": x})

    def assertion(
        x: Any, message: str | None = None, summarize: Any = None, name: Any = None
    ) -> None:
        _assure(functools.partial(check, message), operand(x, None))

    assertion.__name__ = name
    assertion.__doc__ = f"""Checks that {condition} for all elements.

    Args:
        x: a numeric tensor.
        message: what to put in front of the error's text.
        summarize: accepted and not used.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if the condition fails for an element.
    """
    return export(f"debugging.{name}")(assertion)


assert_positive = _sign("assert_positive", "x > 0", operator.gt)
assert_negative = _sign("assert_negative", "x < 0", operator.lt)
assert_non_negative = _sign("assert_non_negative", "x >= 0", operator.ge)
assert_non_positive = _sign("assert_non_positive", "x <= 0", operator.le)


@export("debugging.assert_near")
def assert_near(
    x: TensorLike,
    y: TensorLike,
    rtol: Any = None,
    atol: Any = None,
    message: str | None = None,
    summarize: Any = None,
    name: str | None = None,
) -> None:
    """Checks that |x - y| <= atol + rtol * |y| for all elements.

    Args:
        x: a floating or complex tensor.
        y: a tensor of the same dtype; the shapes broadcast.
        rtol: relative tolerance; by default 10 times the dtype's machine epsilon.
        atol: absolute tolerance, with the same default.
        message: what to put in front of the error's text.
        summarize: accepted and not used.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if elements are further apart, or not a number.

    Example:
        >>> import minitape as tf
        >>> tf.debugging.assert_near(tf.constant(1.0), tf.constant(1.0000001))
    """

    def check(x: Any, y: Any) -> None:
        epsilon = 10 * np.finfo(x.dtype).eps if x.dtype.kind in "fc" else 0
        relative, absolute = (
            epsilon if t is None else checked_number("assert_near", name, t, f"{name}=1e-6")
            for name, t in (("rtol", rtol), ("atol", atol))
        )
        with Silence():
            holds = np.asarray(np.abs(x - y) <= absolute + relative * np.abs(y))
        if not holds.all():
            what = f"|x - y| <= {absolute} + {relative} * |y|"
            _refuse(message, what, ~holds, {"x": x, "y": y})

    _assure(check, *_pair(x, y))


@export("debugging.Assert", "Assert")
def assert_condition(condition: Any, data: Any, summarize: Any = None, name: Any = None) -> None:
    """Checks that a condition is true, and shows `data` if it is not.

    Raises:
        InvalidArgumentError: if an element of `condition` is false.
    """
    shown = checked_items("Assert", "data", data, "tf.Assert(x > 0, [x])")

    def check(holds: Any, *values: Any) -> None:
        if not np.all(holds):
            raise InvalidArgumentError(
                f"Expected '{name or 'condition'}' to be true. Summarized data: {list(values)}"
            )

    _assure(check, operand(condition, None), *[operand(each, None) for each in shown])


@primitive(
    "debugging.check_numerics", elementwise=True, type_name="CheckNumerics", latex=r"{tensor}"
)
def check_numerics(tensor: Array, message: str) -> Array:
    """The tensor, if all its elements are finite; the cotangent is checked as well.

    Args:
        tensor: a floating tensor.
        message: what to put in front of the error's text.

    Raises:
        InvalidArgumentError: if it, or in a sweep the cotangent, has an infinite element or a NaN.
    """
    problems = [text for text, test in (("Inf", np.isinf), ("NaN", np.isnan)) if test(tensor).any()]
    if problems:
        raise InvalidArgumentError(f"{message} : Tensor had {' and '.join(problems)} values")
    return tensor


@check_numerics.vjp("tensor")
def _(g: Tensor, message: str) -> Tensor:
    text = "Not a number (NaN) or infinity (Inf) values detected in gradient. "
    return check_numerics(g, text + message)  # type: ignore[no-any-return]


@export("debugging.assert_all_finite")
def assert_all_finite(x: TensorLike, message: str, name: str | None = None) -> Any:
    """Checks that all elements are finite.

    Args:
        x: a floating tensor.
        message: what to put in front of the error's text.
        name: accepted and not used.

    Returns:
        `x`, through which gradients pass.

    Raises:
        InvalidArgumentError: if an element is infinite or not a number.
    """
    return check_numerics.public(x, message)


@export("debugging.is_numeric_tensor")
def is_numeric_tensor(tensor: TensorLike) -> bool:
    """Whether `tensor` is a tensor of numbers."""
    return hasattr(tensor, "spec") and tensor.spec.dtype.kind in "fciu"


@export("debugging.assert_type")
def assert_type(
    tensor: TensorLike, tf_type: DTypeLike, message: str | None = None, name: str | None = None
) -> None:
    """Checks the dtype of a tensor.

    Raises:
        TypeError: if the dtype is not `tf_type`.
    """
    found, wanted = operand(tensor, None).dtype, dtypes.as_dtype(tf_type)
    if found != wanted:
        raise TypeError(f"{message or ''} tensor must be of type {wanted!r}; got {found!r}".strip())


@export("debugging.assert_integer")
def assert_integer(x: TensorLike, message: str | None = None, name: str | None = None) -> None:
    """Checks that a tensor holds integers.

    Raises:
        TypeError: if its dtype is not an integer one.
    """
    found = operand(x, None).dtype
    if not found.is_integer:
        raise TypeError(
            f'{message or ""} Expected "x" to be integer type. Found: {found!r}'.strip()
        )
