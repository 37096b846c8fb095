"""Texts: numbers as strings, and strings taken apart, joined, searched and replaced.

A string tensor holds `bytes`, and so do the ops; what counts characters instead of bytes decodes
UTF-8 first. No text has a derivative.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError
from minitape.op import primitive

if TYPE_CHECKING:
    from collections.abc import Callable

    from minitape.tensor import Array, Arrays, Indices


def _each(function: Callable[[Any], Any], x: Any, dtype: Any = object) -> Any:
    """`function` of every element."""
    values = np.asarray(x)
    out = np.empty(values.size, dtype)
    for i, value in enumerate(values.reshape(-1)):
        out[i] = function(value)
    out = out.reshape(values.shape)
    return out if dtype is object else out[()]


@primitive(differentiable=False, type_name="AsString", latex=r"\mathrm{{string}}\left({x}\right)")
def number_to_string(x: Array, form: str) -> Array:
    """Every number as C's `printf` writes it by `form`, such as "%8.2f"; bools as words."""
    kind = x.dtype.kind
    if kind == "b":
        return _each(lambda value: b"true" if value else b"false", x)
    if kind == "c":
        return _each(lambda z: f"({form % z.real},{form % z.imag})".encode(), x)
    return _each(lambda value: (form % value).encode(), x)


@primitive(
    differentiable=False, type_name="StringJoin", latex=r"\mathrm{{join}}\left({inputs}\right)"
)
def join_texts(inputs: Arrays, separator: bytes = b"") -> Array:
    """The strings at each position, joined; a scalar is repeated at every position."""
    whole = np.broadcast_arrays(*[np.asarray(x, object) for x in inputs])
    out = np.empty(whole[0].size, object)
    for i, texts in enumerate(zip(*[x.reshape(-1) for x in whole], strict=True)):
        out[i] = separator.join(texts)
    return out.reshape(whole[0].shape)


@primitive(differentiable=False, type_name="ReduceJoin", latex=r"\mathrm{{join}}\left({x}\right)")
def join_along(x: Array, axis: int, separator: bytes = b"", keepdims: bool = False) -> Array:
    """The strings along `axis`, joined."""
    rows = np.moveaxis(x, axis, -1)
    out = np.empty(rows.shape[:-1], object)
    for place in np.ndindex(*out.shape):
        out[place] = separator.join(rows[place].tolist())
    return np.expand_dims(out, axis) if keepdims else out


@primitive(differentiable=False, type_name="StringLength", latex=r"\left|{x}\right|")
def text_length(x: Array, characters: bool = False) -> Array:
    """How many bytes, or characters of UTF-8, each string has."""
    return _each(lambda text: len(_decoded(text) if characters else text), x, np.int32)


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "replace")


@primitive(differentiable=False, type_name="StringLower", latex=r"\mathrm{{lower}}\left({x}\right)")
def lower_text(x: Array, unicode: bool = False) -> Array:
    """Letters in lower case: those of ASCII, or with `unicode` all of UTF-8."""
    return _each(lambda text: _decoded(text).lower().encode() if unicode else text.lower(), x)


@primitive(differentiable=False, type_name="StringUpper", latex=r"\mathrm{{upper}}\left({x}\right)")
def upper_text(x: Array, unicode: bool = False) -> Array:
    """Letters in upper case: those of ASCII, or with `unicode` all of UTF-8."""
    return _each(lambda text: _decoded(text).upper().encode() if unicode else text.upper(), x)


@primitive(differentiable=False, type_name="StringStrip", latex=r"\mathrm{{strip}}\left({x}\right)")
def strip_text(x: Array) -> Array:
    """Without white space at both ends."""
    return _each(bytes.strip, x)


@primitive(differentiable=False, type_name="Substr", latex=r"\mathrm{{substr}}\left({x}\right)")
def part_of_text(x: Array, position: Indices, length: Indices, characters: bool = False) -> Array:
    """`length` bytes (or characters) of each string from `position` on; negative: from the end."""
    texts, starts, counts = np.broadcast_arrays(np.asarray(x, object), position, length)
    out = np.empty(texts.size, object)
    for i in range(texts.size):
        out[i] = _part(texts.flat[i], int(starts.flat[i]), int(counts.flat[i]), characters)
    return out.reshape(texts.shape)


def _part(text: bytes, start: int, count: int, characters: bool) -> bytes:
    whole = _decoded(text) if characters else text
    if not -len(whole) <= start <= len(whole):
        raise InvalidArgumentError(
            f"substr: pos {start} out of range for string {text!r}, which has length "
            f"{len(whole)}. A position lies between -length and length."
        )
    first = start + len(whole) if start < 0 else start
    part = whole[first : first + max(count, 0)]
    return part.encode() if isinstance(part, str) else part


@primitive(
    differentiable=False, type_name="RegexReplace", latex=r"\mathrm{{replace}}\left({x}\right)"
)
def replace_pattern(x: Array, pattern: bytes, rewrite: bytes, replace_global: bool = True) -> Array:
    r"""What matches `pattern` replaced by `rewrite`, where \0 is the match and \1 its group 1."""
    found = compiled(pattern)
    # Python takes \0 for a byte 0; the longer form means the match in both places.
    into = re.sub(rb"\\([0-9])", rb"\\g<\1>", rewrite)
    return _each(lambda text: found.sub(into, text, 0 if replace_global else 1), x)


@primitive(
    differentiable=False, type_name="RegexFullMatch", latex=r"\mathrm{{match}}\left({x}\right)"
)
def matches_pattern(x: Array, pattern: bytes) -> Array:
    """Whether each string matches `pattern` from beginning to end."""
    found = compiled(pattern)
    return _each(lambda text: found.fullmatch(text) is not None, x, np.bool_)


def compiled(pattern: bytes) -> re.Pattern[bytes]:
    """A regular expression.

    Raises:
        InvalidArgumentError: if it is none.
    """
    try:
        return re.compile(pattern)
    except re.error as error:
        raise InvalidArgumentError(
            f"Invalid pattern: {pattern!r}, error: {error}. Write a special character such as ( or "
            "* with a backslash before it where it means itself."
        ) from None
