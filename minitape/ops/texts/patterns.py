"""Parts of texts: by place, and by regular expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.op import export
from minitape.ops.statics import as_tensor
from minitape.ops.texts import texts

if TYPE_CHECKING:
    from minitape.tensor import Tensor
    from minitape.values.public_types import TensorLike
from minitape.ops.texts.text_functions import as_bytes, counts_characters, texts_in


@export("strings.substr")
def substr(
    input: TensorLike,  # noqa: A002  # TensorFlow's name
    pos: Any,
    len: Any,  # noqa: A002  # TensorFlow's name
    unit: str = "BYTE",
    name: str | None = None,
) -> Tensor:
    """A part of each string.

    Args:
        input: a tensor of strings.
        pos: where the part begins, an integer tensor that broadcasts; negative: from the end.
        len: how long it is at most, an integer tensor that broadcasts.
        unit: whether both count "BYTE"s or "UTF8_CHAR"s.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if a position lies outside its string.

    Example:
        >>> import minitape as tf
        >>> tf.strings.substr(["Hello", "World"], 1, 3).numpy().tolist()
        [b'ell', b'orl']
    """
    counts = counts_characters(unit, "substr")
    return texts.part_of_text(texts_in(input, "substr"), as_tensor(pos), as_tensor(len), counts)


@export("strings.regex_replace")
def regex_replace(
    input: TensorLike,  # noqa: A002  # TensorFlow's name
    pattern: str,
    rewrite: str,
    replace_global: bool = True,
    name: str | None = None,
) -> Tensor:
    r"""Strings with what matches a regular expression replaced.

    Args:
        input: a tensor of strings.
        pattern: the regular expression.
        rewrite: what to put in its place; \0 is the match, \1 to \9 its groups.
        replace_global: whether to replace all matches, or the first one.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if `pattern` is no regular expression.

    Example:
        >>> import minitape as tf
        >>> tf.strings.regex_replace("a1 b22", r"(\d+)", r"<\1>").numpy()
        b'a<1> b<22>'
    """
    x = texts_in(input, "regex_replace")
    return texts.replace_pattern(x, as_bytes(pattern), as_bytes(rewrite), bool(replace_global))


@export("strings.regex_full_match")
def regex_full_match(input: TensorLike, pattern: str, name: str | None = None) -> Tensor:  # noqa: A002
    r"""Whether strings match a regular expression from beginning to end.

    Raises:
        InvalidArgumentError: if `pattern` is no regular expression.

    Example:
        >>> import minitape as tf
        >>> tf.strings.regex_full_match(["a1", "a1b"], r"[a-z]\d").numpy().tolist()
        [True, False]
    """
    return texts.matches_pattern(texts_in(input, "regex_full_match"), as_bytes(pattern))
