"""Dataclasses to plain JSON values and back, strictly, driven by the type annotations alone.

The annotation of a field is its whole specification: `int`, `float`, `str`, `bool`, `Literal`,
another dataclass, `X | None`, `tuple[X, ...]` or `dict[int, X]`. A class that needs its own JSON
form has `to_plain` and `from_plain`. A field at its default is left out when writing and filled in
when reading. Nothing is ever executed or looked up by name.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import operator
import types
import typing
from collections.abc import Callable
from typing import Any

from ..base.files import encodable
from ..errors import TraceError

NOT_FINITE = ("nan", "inf", "-inf")
MISSING = dataclasses.MISSING

Reader = Callable[[object, str], Any]


def to_plain(value: object) -> object:
    """Turn dataclasses, tuples and dicts into JSON values, leaving out fields at their default."""
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
        return [to_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): to_plain(item) for key, item in value.items()}
    if hasattr(value, "to_plain"):
        return value.to_plain()
    plain = {}
    cls: Any = type(value)
    for name, default in _written_fields(cls):
        item = getattr(value, name)
        if default is MISSING or item != default:
            plain[name] = to_plain(item)
    return plain


def encodable_texts(value: Any) -> Any:
    """The same value where every text can be written to a file, else a copy in which it can."""
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, tuple):
        if value and isinstance(value[0], (int, float)):  # an array's numbers
            return value
        items = tuple(map(encodable_texts, value))
        if all(map(operator.is_, items, value)):
            return value
        made: Any = getattr(type(value), "_make", tuple)  # a named tuple stays one
        return made(items)
    if isinstance(value, dict):
        found = {key: encodable_texts(item) for key, item in value.items()}
        return value if all(map(operator.is_, found.values(), value.values())) else found
    cls: Any = type(value)
    names = _fields_with_text(cls)
    if not names or _is_numeric(value):
        return value
    changed = {}
    for name in names:
        item = getattr(value, name)
        if not item or (isinstance(item, str) and item.isascii()):
            continue
        if (whole := encodable_texts(item)) is not item:
            changed[name] = whole
    return dataclasses.replace(value, **changed) if changed else value


def _is_numeric(value: Any) -> bool:
    """Whether a class with its own JSON form holds numbers: then its texts are the toolkit's."""
    return hasattr(value, "to_plain") and value.dtype.isascii() and value.dtype != "string"


@functools.cache
def _written_fields(cls: Any) -> tuple[tuple[str, object], ...]:
    if hasattr(cls, "_field_defaults"):
        return tuple((name, cls._field_defaults.get(name, MISSING)) for name in cls._fields)
    fields = dataclasses.fields(cls)
    return tuple((field.name, field.default) for field in fields if field.init)


@functools.cache
def _fields_with_text(cls: Any) -> tuple[str, ...]:
    """The fields of a dataclass that may hold a text; none where it is no dataclass."""
    if not hasattr(cls, "__dataclass_fields__"):
        return ()
    hints = typing.get_type_hints(cls)
    return tuple(name for name, _ in _written_fields(cls) if _has_text(hints[name]))


def _has_text(annotation: Any) -> bool:
    """Whether what a field holds may be a text of the program's, or have one in it."""
    if annotation in (int, float, bool, type(None), Ellipsis):
        return False
    if typing.get_origin(annotation) is typing.Literal:
        return False
    within = typing.get_args(annotation)
    return any(map(_has_text, within)) if within else True


def reader(annotation: Any) -> Reader:
    """Build the function (value, where) -> object that reads one annotation.

    Example:
        >>> reader(tuple[int, ...])([1, 2], "inputs")
        (1, 2)
        >>> reader(int)("3", "nodes[0].id")
        Traceback (most recent call last):
        ...
        minitape.viz.errors.TraceError: nodes[0].id: expected an integer, got '3' (str)
    """
    return _cached_reader(annotation)


@functools.cache
def _cached_reader(annotation: Any) -> Reader:
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is types.UnionType:
        return _optional(arguments[0])
    if origin is tuple:
        return _sequence(arguments[0])
    if origin is dict:
        return _by_id(arguments[1])
    if origin is typing.Literal:
        return _choice(arguments)
    if hasattr(annotation, "from_plain"):
        return typing.cast(Reader, annotation.from_plain)
    if is_record(annotation):
        return _record(typing.cast(type, annotation))
    return _scalar(annotation)


def _scalar(cls: type) -> Reader:
    names = {int: "an integer", str: "a text", bool: "true or false", float: "a number"}

    def read(value: object, where: str) -> object:
        if cls is float and (type(value) is int or value in NOT_FINITE):
            return _as_float(value, where)
        # type() and not isinstance: True is an int for Python, but not in this format.
        if type(value) is not cls:
            raise TraceError(f"{where}: expected {names[cls]}, got {describe(value)}")
        if cls is str and not typing.cast(str, value).isprintable():
            _refuse_surrogates(typing.cast(str, value), where)
        return value

    return read


def _as_float(value: Any, where: str) -> float:
    try:
        return float(value)
    except OverflowError:
        raise TraceError(f"{where}: {describe(value)} is too large for a float") from None


def _refuse_surrogates(text: str, where: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        message = f"{where}: the text has half a surrogate pair at position {error.start}"
        raise TraceError(f"{message}, which no file can hold; write the whole character") from None


def _optional(inner: Any) -> Reader:
    read = reader(inner)
    return lambda value, where: None if value is None else read(value, where)


def _sequence(inner: Any) -> Reader:
    read = reader(inner)

    def read_all(value: object, where: str) -> object:
        if not isinstance(value, list):
            raise TraceError(f"{where}: expected a list, got {describe(value)}")
        return tuple(read(item, f"{where}[{i}]") for i, item in enumerate(value))

    return read_all


def _by_id(inner: Any) -> Reader:
    read = reader(inner)

    def read_all(value: object, where: str) -> object:
        table = {}
        for key, item in as_object(value, where).items():
            if not (key.isascii() and key.isdigit() and len(key) < 10):
                raise TraceError(f'{where}: keys are node ids such as "3", got {key!r:.40}')
            table[int(key)] = read(item, f"{where}[{key}]")
        return table

    return read_all


def _choice(allowed: tuple[object, ...]) -> Reader:
    def read(value: object, where: str) -> object:
        if not isinstance(value, str) or value not in allowed:
            choices = ", ".join(repr(choice) for choice in allowed)
            raise TraceError(f"{where}: expected one of {choices}, got {describe(value)}")
        return value

    return read


def _record(cls: type) -> Reader:
    hints = typing.get_type_hints(cls)
    readers = {name: reader(hints[name]) for name in field_names(cls)}
    required = {name for name in readers if is_required(cls, name)}

    def read(value: object, where: str) -> object:
        given = as_object(value, where)
        if unknown := given.keys() - readers.keys():
            message = f"{where}: unknown field {sorted(unknown)[0]!r:.60}"
            raise TraceError(f"{message}; the fields are {', '.join(readers)}")
        if missing := required - given.keys():
            raise TraceError(f"{where}: the field {sorted(missing)[0]!r} is missing")
        return cls(**{name: readers[name](item, f"{where}.{name}") for name, item in given.items()})

    return read


def is_record(cls: Any) -> bool:
    """Whether a class has fields with names: a dataclass, or a named tuple."""
    return dataclasses.is_dataclass(cls) or hasattr(cls, "_field_defaults")


def field_names(cls: Any) -> tuple[str, ...]:
    """The names of the fields that JSON may have."""
    return getattr(cls, "_fields", None) or tuple(each.name for each in dataclasses.fields(cls))


def is_required(cls: Any, name: str) -> bool:
    """Whether a field has no default, so that JSON must have it."""
    if hasattr(cls, "_field_defaults"):
        return name not in cls._field_defaults
    field = cls.__dataclass_fields__[name]
    return field.default is MISSING and field.default_factory is MISSING


def as_object(value: object, where: str) -> dict[str, object]:
    """Return the value if it is a JSON object, else raise."""
    if not isinstance(value, dict):
        raise TraceError(f"{where}: expected an object {{...}}, got {describe(value)}")
    return value


def describe(value: object) -> str:
    """Show a wrong value shortly, with its type."""
    if value is None:
        return "null"
    text = repr(value)
    return f"{text if len(text) <= 60 else text[:59] + '…'} ({type(value).__name__})"
