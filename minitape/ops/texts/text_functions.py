"""`tf.strings`: the functions that users call on texts.

They check types and formats, and leave the work to the ops in `texts`. Regular expressions are
Python's: for what RE2 knows they agree but in rare cases.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.errors import InvalidArgumentError
from minitape.errors.of_arguments import checked_integer, checked_items, checked_text
from minitape.op import export
from minitape.ops.broadcasting import reshape
from minitape.ops.families import canonical_axis
from minitape.ops.statics import as_rows, as_tensor, static_ints
from minitape.ops.texts import texts
from minitape.values import dtypes

if TYPE_CHECKING:
    from minitape.tensor import Tensor
    from minitape.values.public_types import Axis, TensorLike


def texts_in(value: Any, op: str) -> Any:
    """A tensor of strings, or a ragged one.

    Raises:
        TypeError: if it holds something else.
    """
    x = as_rows(value)
    if x.dtype != dtypes.string:
        raise TypeError(
            f"strings.{op} takes strings, got {x.dtype.name}. Numbers become strings with "
            "tf.strings.as_string(x)."
        )
    return x


def as_bytes(text: Any) -> bytes:
    """A text as the bytes that a tensor keeps."""
    return text.encode() if isinstance(text, str) else bytes(text)


def counts_characters(unit: str, op: str) -> bool:
    """Whether lengths are in characters and not in bytes."""
    if unit not in ("BYTE", "UTF8_CHAR"):
        raise ValueError(f"strings.{op}: unit={unit!r}. It must be 'BYTE' or 'UTF8_CHAR'.")
    return unit == "UTF8_CHAR"


def _knows_unicode(encoding: str, op: str) -> bool:
    if encoding not in ("", "utf-8"):
        raise ValueError(f"strings.{op}: encoding={encoding!r}. It must be '' (ASCII) or 'utf-8'.")
    return encoding == "utf-8"


@export("strings.as_string", "as_string")
def as_string(
    input: TensorLike,  # noqa: A002  # TensorFlow's name
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
    name: str | None = None,
) -> Tensor:
    """Numbers as strings, elementwise.

    Args:
        input: a tensor of numbers, bools or strings.
        precision: how many digits behind the point (with `shortest`: how many in all), 6 where it
            is negative. Only for floating and complex numbers, like the next two.
        scientific: whether to write "1.5e+00".
        shortest: whether to write what is shorter, that or "1.5".
        width: the least number of characters.
        fill: what to fill up to it: "" or " " (spaces), "0", or "-" (spaces behind the number); "+"
            writes the sign of positive numbers.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if the format does not fit the dtype, or contradicts itself.

    Example:
        >>> import minitape as tf
        >>> tf.strings.as_string([3.1415926, 2.71828], precision=2).numpy().tolist()
        [b'3.14', b'2.72']
    """
    x = as_tensor(input)
    kind = x.spec.dtype.kind
    if kind not in "fc" and (scientific or shortest or precision >= 0):
        raise InvalidArgumentError(
            f"as_string: scientific, shortest and precision not supported for datatype "
            f"{x.dtype.name}. They say how a fraction is written; leave them out."
        )
    if scientific and shortest:
        raise InvalidArgumentError(
            "as_string: Cannot select both scientific and shortest notation. Choose one."
        )
    checked_text("as_string", "fill", fill, "tf.as_string(x, width=5, fill='0')")
    if len(fill) > 1 or fill not in " +-0#":
        raise InvalidArgumentError(
            f"as_string: Fill argument not supported: {fill!r}. It is one of '', ' ', '0', '+' and "
            "'-'."
        )
    if kind == "O":
        return x
    for argument, value in (("width", width), ("precision", precision)):
        checked_integer("as_string", argument, value, f"tf.as_string(x, {argument}=3)")
    letter = "e" if scientific else "g" if shortest else "f"
    form = (
        "%" + (f"{fill}{width}" if width > -1 else "") + (f".{precision}" if precision > -1 else "")
    )
    return texts.number_to_string(x, form + (letter if kind in "fc" else "d"))


@export("strings.join")
def join(inputs: Any, separator: str = "", name: str | None = None) -> Tensor:
    """The strings of several tensors one behind the other, elementwise.

    Args:
        inputs: a list of string tensors of one shape; scalars stand at every place.
        separator: what stands between two.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if the shapes differ.

    Example:
        >>> import minitape as tf
        >>> tf.strings.join([["a", "b"], "x", ["c", "d"]], separator="-").numpy().tolist()
        [b'a-x-c', b'b-x-d']
    """
    items = checked_items("strings.join", "inputs", inputs, "tf.strings.join(['a', 'b'])")
    xs = [texts_in(each, "join") for each in items]
    if not xs:
        raise ValueError(
            "strings.join: inputs is an empty list; it takes at least one tensor. Write "
            "`tf.strings.join([x, y])`."
        )
    shapes = {tuple(x.spec.shape) for x in xs if len(x.spec.shape)}
    if len(shapes) > 1:
        raise InvalidArgumentError(
            f"strings.join: Input shapes do not match: {sorted(shapes)}. Give tensors of one "
            "shape, and scalars."
        )
    return texts.join_texts(xs, as_bytes(separator))


@export("strings.reduce_join")
def reduce_join(
    inputs: Any,
    axis: Axis = None,
    keepdims: bool = False,
    separator: str = "",
    name: str | None = None,
) -> Tensor:
    """The strings along axes one behind the other.

    Args:
        inputs: a tensor of strings.
        axis: an axis, or several: joined along the first one first. By default along all, the last
            first, which keeps the order of reading.
        keepdims: whether to keep joined axes with size 1.
        separator: what stands between two.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if there is no such axis.

    Example:
        >>> import minitape as tf
        >>> a = [["a", "b"], ["c", "d"]]
        >>> tf.strings.reduce_join(a).numpy(), tf.strings.reduce_join(a, 0).numpy().tolist()
        (b'abcd', [b'ac', b'bd'])
    """
    x = texts_in(inputs, "reduce_join")
    rank = len(x.spec.shape)
    wanted = range(rank)[::-1] if axis is None else static_ints(axis, "reduce_join", "axis")
    axes = [canonical_axis(each, rank, "reduce_join") for each in wanted]
    for each in axes:
        x = texts.join_along(x, each, as_bytes(separator), True)
    kept = [n for i, n in enumerate(x.spec.shape) if keepdims or i not in axes]
    return reshape(x, tuple(kept))


@export("strings.length")
def length(input: TensorLike, unit: str = "BYTE", name: str | None = None) -> Tensor:  # noqa: A002
    """How many bytes each string has; with `unit="UTF8_CHAR"` how many characters.

    Example:
        >>> import minitape as tf
        >>> tf.strings.length(["ab", "ä"]).numpy().tolist()
        [2, 2]
        >>> tf.strings.length(["ab", "ä"], unit="UTF8_CHAR").numpy().tolist()
        [2, 1]
    """
    return texts.text_length(texts_in(input, "length"), counts_characters(unit, "length"))


@export("strings.lower")
def lower(input: TensorLike, encoding: str = "", name: str | None = None) -> Tensor:  # noqa: A002
    """Lower case; of other letters than those of ASCII only with `encoding="utf-8"`.

    Example:
        >>> import minitape as tf
        >>> tf.strings.lower("CamelCase").numpy()
        b'camelcase'
    """
    return texts.lower_text(texts_in(input, "lower"), _knows_unicode(encoding, "lower"))


@export("strings.upper")
def upper(input: TensorLike, encoding: str = "", name: str | None = None) -> Tensor:  # noqa: A002
    """Upper case; of other letters than those of ASCII only with `encoding="utf-8"`.

    Example:
        >>> import minitape as tf
        >>> tf.strings.upper("CamelCase").numpy()
        b'CAMELCASE'
    """
    return texts.upper_text(texts_in(input, "upper"), _knows_unicode(encoding, "upper"))


@export("strings.strip")
def strip(input: TensorLike, name: str | None = None) -> Tensor:  # noqa: A002  # TensorFlow's name
    r"""Strings without white space at both ends.

    Example:
        >>> import minitape as tf
        >>> tf.strings.strip([" a b\n", "c"]).numpy().tolist()
        [b'a b', b'c']
    """
    return texts.strip_text(texts_in(input, "strip"))
