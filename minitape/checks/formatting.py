"""`tf.strings.format` and `tf.timestamp`: texts of values, and the time, when a function runs."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.checks.printing import array_text
from minitape.control.python_function import PythonOp
from minitape.op import apply, export
from minitape.tensor import Spec
from minitape.tensors.convert import convert_to_tensor

if TYPE_CHECKING:
    from minitape.tensor import Array, Arrays, Tensor


@export("strings.format")
def format_(
    template: str, inputs: Any, placeholder: str = "{}", summarize: int = 3, name: str | None = None
) -> Tensor:
    """A text with values in the places of `{}`, as `tf.print` writes them.

    Args:
        template: the text.
        inputs: a tensor, or a list of them, one for each place.
        placeholder: what marks a place.
        summarize: how many elements of each end of an axis to show; -1 for all.
        name: accepted and not used.

    Returns:
        A scalar tensor of strings.

    Raises:
        ValueError: if there are more or fewer places than values.

    Example:
        >>> import minitape as tf
        >>> print(tf.strings.format("x is {}", tf.constant([1.0, 2.5])))
        tf.Tensor(b'x is [1 2.5]', shape=(), dtype=string)
    """
    values = [
        convert_to_tensor(x) for x in (inputs if isinstance(inputs, list | tuple) else [inputs])
    ]
    parts = str(template).split(placeholder)
    if len(parts) != len(values) + 1:
        raise ValueError(
            f"{len(parts) - 1} placeholder(s) in template does not match {len(values)} tensor(s) "
            f"provided as input: {template!r}. Write {placeholder} once for each value."
        )

    return apply(_FORMAT, tuple(values), (tuple(parts), summarize))[0]  # type: ignore[no-any-return]


def _format(values: Arrays, parts: tuple[str, ...], summarize: int) -> tuple[Array, ...]:
    shown = [_text(np.asarray(each), summarize) for each in values]
    pairs = zip(parts, [*shown, ""], strict=True)
    return (np.array("".join(a + b for a, b in pairs).encode(), object),)


def _text(array: Array, summarize: int) -> str:
    text = array_text(array, summarize)
    return f'"{text}"' if array.dtype == object and not array.ndim else text


@export("timestamp")
def timestamp(name: str | None = None) -> Tensor:
    """The seconds since 1970, as float64; in a `tf.function` those of each call.

    Example:
        >>> import minitape as tf
        >>> tf.timestamp().dtype
        tf.float64
    """
    return apply(_TIME, (), ())[0]  # type: ignore[no-any-return]


def _now(values: Arrays) -> tuple[Array, ...]:
    return (np.float64(time.time()),)  # type: ignore[return-value]  # a scalar of NumPy


_FORMAT = PythonOp(_format, type_name="StringFormat", differentiable=False)
_FORMAT.infer = lambda specs, *attributes: (Spec((), np.dtype(object)),)
_TIME = PythonOp(_now, type_name="Timestamp", differentiable=False)
_TIME.infer = lambda specs, *attributes: (Spec((), np.dtype(np.float64)),)
