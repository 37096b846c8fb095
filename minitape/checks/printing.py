"""`tf.print`: values at the time when they are computed, in graphs as well as eagerly.

In a graph printing is an op with an effect, so that a traced function prints at every call. Numbers
are written with as few digits as read back the same, as TensorFlow does.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.control.python_function import PythonOp
from minitape.errors import InvalidArgumentError
from minitape.errors.of_arguments import checked_text
from minitape.interpreter import symbolic_interpreter
from minitape.op import apply, export
from minitape.tensor import EagerTensor, Operators, Spec
from minitape.tensors.convert import convert_to_tensor
from minitape.values.containers import refuse_endless

if TYPE_CHECKING:
    from minitape.tensor import Array, Arrays


class _Place:
    """Where a tensor's text goes in a structure that is printed."""

    def __init__(self, number: int) -> None:
        self.number = number


def _write(
    values: Arrays, pieces: Any, stream: Any, summarize: int, sep: str, end: str
) -> tuple[Any, ...]:
    """Writes the pieces, with the texts of the values in their places."""
    texts = [array_text(np.asarray(value), summarize) for value in values]
    line = sep.join(_piece(piece, texts) for piece in pieces) + end
    if isinstance(stream, str):
        try:
            with open(stream.removeprefix("file://"), "a", encoding="utf-8") as file:
                file.write(line)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise InvalidArgumentError(
                f"tf.print: output_stream={stream!r:.80} cannot be written to: {reason}. Give the "
                "name of a file, 'file://words.txt', or sys.stdout."
            ) from error
    else:
        (sys.stderr if stream is None else stream).write(line)
    return (np.int32(0),)  # a node of a graph has a result


def _piece(piece: Any, texts: list[str], inside: bool = False) -> str:
    """The text of one argument; what stands in a container is written as Python would."""
    if isinstance(piece, _Place):
        return texts[piece.number]
    if isinstance(piece, dict):
        pairs = [f"{key!r}: {_piece(value, texts, True)}" for key, value in piece.items()]
        return "{" + ", ".join(pairs) + "}"
    if isinstance(piece, list | tuple):
        parts = [_piece(each, texts, True) for each in piece]
        comma = "," if len(parts) == 1 and isinstance(piece, tuple) else ""
        body = ", ".join(parts) + comma
        return f"[{body}]" if isinstance(piece, list) else f"({body})"
    return repr(piece) if inside else str(piece)


def array_text(array: Array, summarize: int = 3) -> str:
    r"""An array as `tf.print` writes it: `[0 1 2 ... 7 8 9]`; -1 writes all elements.

    Example:
        >>> import numpy as np
        >>> array_text(np.arange(10)), array_text(np.float32([[0.1, 2.0], [1 / 3, np.nan]]))
        ('[0 1 2 ... 7 8 9]', '[[0.1 2]\n [0.333333343 nan]]')
    """
    if not array.ndim:
        return _number(array[()])
    return _rows(array, summarize, 1)


def _rows(array: Array, summarize: int, depth: int) -> str:
    short = 0 <= summarize * 2 < len(array)
    kept = [*range(summarize), *range(len(array) - summarize, len(array))] if short else None
    rows = array if kept is None else [array[i] for i in kept]
    last = array.ndim == 1
    parts = [_number(x, True) if last else _rows(x, summarize, depth + 1) for x in rows]
    if short:
        parts.insert(summarize, "...")
    between = " " if last else "\n" * (array.ndim - 1) + " " * depth
    return f"[{between.join(parts)}]"


class _Text(str):
    """A text that stands as it is in a list, too."""

    __slots__ = ()
    __repr__ = str.__str__


def _ragged_text(rows: Any, summarize: int) -> str:
    """Ragged rows as `tf.print` writes them: lists of what `tf.strings.as_string` gives."""
    if not isinstance(rows, list):
        if isinstance(rows, bytes):
            return f"'{rows.decode('utf-8', 'replace')}'"
        if isinstance(rows, bool):
            return str(rows).lower()
        return f"{rows:f}" if isinstance(rows, float) else str(rows)
    short = 0 <= summarize * 2 < len(rows)
    kept = rows[:summarize] + rows[len(rows) - summarize :] if short else rows
    parts = [_ragged_text(each, summarize) for each in kept]
    if short:
        parts.insert(summarize, "...")
    return f"[{', '.join(parts)}]"


def _number(value: Any, quoted: bool = False) -> str:
    if isinstance(value, bytes):
        text = value.decode("utf-8", "replace")
        return f'"{text}"' if quoted else text
    if isinstance(value, np.bool_):
        return str(int(value))
    if isinstance(value, np.complexfloating):
        return f"({_number(value.real)},{_number(value.imag)})"
    if not isinstance(value, np.floating):
        return str(value)
    digits = (15, 17) if value.dtype.itemsize == 8 else (6, 9)
    text = f"{float(value):.{digits[0]}g}"
    return text if type(value)(text) == value or value != value else f"{float(value):.{digits[1]}g}"


_PRINT = PythonOp(_write, type_name="PrintV2", differentiable=False)
_PRINT.infer = lambda specs, *attributes: (Spec((), np.dtype(np.int32)),)


@export("print")
def print_(
    *inputs: Any,
    output_stream: Any = None,
    summarize: int = 3,
    sep: str = " ",
    end: str = "\n",
    name: str | None = None,
) -> None:
    """Prints values, in a `tf.function` at every call.

    Args:
        inputs: tensors, variables, Python values, or nested lists, tuples and dicts of them.
        output_stream: something with `write`, by default `sys.stderr`; or "file://" and a path.
        summarize: how many elements of each end of an axis to show; -1 for all.
        sep: what to write between the inputs.
        end: what to write after them.
        name: accepted and not used.

    Raises:
        TypeError: if the stream has no `write`.
        ValueError: if a list or dict contains itself.

    Example:
        >>> import sys, minitape as tf
        >>> @tf.function
        ... def f(x):
        ...     tf.print("x is", x, output_stream=sys.stdout)
        ...     return x * x
        >>> y = f(tf.constant(3.0))
        x is 3
    """
    if not (output_stream is None or isinstance(output_stream, str)) and not hasattr(
        output_stream, "write"
    ):
        raise TypeError(
            f"tf.print: output_stream must be a stream such as sys.stdout, or a string that begins "
            f"with 'file://'; got {output_stream!r}. Write `output_stream=sys.stdout`."
        )
    if isinstance(output_stream, str):
        where = f"tf.print: output_stream={output_stream!r:.80}"
        if not output_stream.isprintable():
            raise ValueError(f"{where} is not a file name. Write `output_stream='file:///a.txt'`.")
    for argument, text in (("sep", sep), ("end", end)):
        checked_text("tf.print", argument, text, f"tf.print(x, {argument}=' ')")
    tensors: list[Any] = []
    try:
        pieces = [_pieces(each, tensors, summarize) for each in inputs]
    except RecursionError:
        refuse_endless(inputs)
        raise
    attributes = (pieces, output_stream, summarize, sep, end)
    if symbolic_interpreter() is None and all(type(x) is EagerTensor for x in tensors):
        _write([x.value for x in tensors], *attributes)
    else:
        apply(_PRINT, tuple(tensors), attributes)


def _pieces(value: Any, tensors: list[Any], summarize: int) -> Any:
    """`value` with places for the tensors in it, which are put on the list."""
    if isinstance(value, dict):
        return {key: _pieces(each, tensors, summarize) for key, each in value.items()}
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return type(value)(_pieces(each, tensors, summarize) for each in value)
    if hasattr(value, "to_list"):  # a ragged tensor: rows of different length
        return _Text(_ragged_text(value.to_list(), summarize))
    if isinstance(value, Operators | np.ndarray | np.generic):
        tensors.append(convert_to_tensor(value))
        return _Place(len(tensors) - 1)
    return value
