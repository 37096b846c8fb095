"""`tf.strings.split` and `bytes_split`: texts taken apart into rows of different lengths.

How long a row gets depends on its text, so in a traced function they make it run its Python.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors.of_arguments import checked_integer, not_fitting
from minitape.op import export
from minitape.ops.statics import as_tensor, static_value
from minitape.ragged_tensors.tensor import RaggedTensor
from minitape.tensor import eager
from minitape.tensors.convert import convert_to_tensor
from minitape.values import dtypes
from minitape.values.arrays import to_array

if TYPE_CHECKING:
    from collections.abc import Callable

    from minitape.values.public_types import TensorLike
    from minitape.values.results import Result


@export("strings.split")
def split(
    input: TensorLike, sep: Any = None, maxsplit: int = -1, name: str | None = None
) -> Result:  # noqa: A002
    """The parts of each string between separators.

    Args:
        input: a tensor of strings.
        sep: the separator; by default any white space, of which none begins or ends a part.
        maxsplit: how many separators count at most; by default all.
        name: accepted and not used.

    Returns:
        A `RaggedTensor` with one axis more; of a scalar a vector.

    Raises:
        TypeError: if `input` is not made of strings.

    Example:
        >>> import minitape as tf
        >>> tf.strings.split(["hello world", "a b c"])
        <tf.RaggedTensor [[b'hello', b'world'], [b'a', b'b', b'c']]>
        >>> tf.strings.split("a,,b", sep=",").numpy().tolist()
        [b'a', b'', b'b']
    """
    if not isinstance(sep, str | bytes | None):
        raise not_fitting("strings.split", "sep", sep, "a string", "tf.strings.split(x, sep=',')")
    checked_integer("strings.split", "maxsplit", maxsplit, "maxsplit=1")
    between = to_array(sep, None).item() if isinstance(sep, str) else sep
    return _rows(input, "split", lambda text: text.split(between or None, maxsplit))


@export("strings.bytes_split")
def bytes_split(input: TensorLike, name: str | None = None) -> Result:  # noqa: A002  # TensorFlow's name
    """The bytes of each string, as strings of length 1.

    Returns:
        A `RaggedTensor` with one axis more; of a scalar a vector.

    Raises:
        TypeError: if `input` is not made of strings.

    Example:
        >>> import minitape as tf
        >>> tf.strings.bytes_split(["ab", "", "c"])
        <tf.RaggedTensor [[b'a', b'b'], [], [b'c']]>
    """
    return _rows(input, "bytes_split", lambda text: [text[i : i + 1] for i in range(len(text))])


def _rows(value: Any, op: str, parts: Callable[[bytes], list[bytes]]) -> Any:
    """A row of parts for each string."""
    x = as_tensor(value)
    if x.dtype != dtypes.string:
        raise TypeError(
            f"strings.{op} takes strings, got {x.dtype.name}. Numbers become strings with "
            "tf.strings.as_string(x)."
        )
    found = [parts(text) for text in np.asarray(static_value(x, op, "input"), object).reshape(-1)]
    values = np.empty(sum(map(len, found)), object)
    values[:] = [part for row in found for part in row]
    shape = tuple(x.spec.shape)
    if not shape:
        return convert_to_tensor(eager(values))
    result: Any = RaggedTensor.from_row_lengths(eager(values), [len(row) for row in found])
    for axis in range(len(shape) - 1, 0, -1):
        result = RaggedTensor.from_row_lengths(result, [shape[axis]] * prod(shape[:axis]))
    return result
