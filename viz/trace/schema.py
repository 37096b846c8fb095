"""The JSON Schema of a trace, made of the types that read it; so neither can fall behind.

A schema says what types say. That ids are positions, that inputs come first and that steps fit
their nodes is what `viz.trace.checks` adds; `minitape show` asks both.

`python -m minitape.viz.trace.schema` prints it; `trace.schema.json` here is what it printed.
"""

from __future__ import annotations

import json
import types
import typing
from pathlib import Path
from typing import Any

from .array_json import MAX_KEPT, MAX_RANK, NOT_FINITE
from .arrays import Array
from .plain import field_names, is_record, is_required
from .thumbs import MOST_TILES, SIDE
from .trace import FORMAT, READ, Trace

FILE = Path(__file__).with_name("trace.schema.json")
DIALECT = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, Any]

SCALARS: dict[Any, Schema] = {
    int: {"type": "integer"},
    str: {"type": "string"},
    bool: {"type": "boolean"},
    float: {"$ref": "#/$defs/number"},
}
NUMBER: Schema = {"anyOf": [{"type": "number"}, {"enum": list(NOT_FINITE)}]}
PAIR: Schema = {"type": "array", "items": SCALARS[float], "minItems": 2, "maxItems": 2}
BLOCKS: Schema = {"type": "integer", "minimum": 1, "maximum": SIDE}
TILES: Schema = {
    "type": "array",
    "items": {"type": "integer", "minimum": 1, "maximum": MOST_TILES},
    "minItems": 2,
    "maxItems": 2,
}


def schema() -> Schema:
    """The JSON Schema (draft 2020-12) of a trace's text.

    Example:
        >>> schema()["properties"]["version"]
        {'enum': [1, 2]}
    """
    definitions: Schema = {"number": NUMBER, "array": _array()}
    body = record(Trace, definitions)
    head = {"format": {"const": FORMAT}, "version": {"enum": list(READ)}}
    return {
        "$schema": DIALECT,
        "title": "A recorded program and one pass through it",
        **body,
        "properties": head | body["properties"],
        "required": ["format", "version", *body["required"]],
        "$defs": dict(sorted(definitions.items())),
    }


def _of(annotation: Any, definitions: Schema) -> Schema:
    """The schema of what one annotation reads; records are written to `definitions`."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is types.UnionType:
        return {"anyOf": [_of(arguments[0], definitions), {"type": "null"}]}
    if origin is tuple:
        return {"type": "array", "items": _of(arguments[0], definitions)}
    if origin is dict:
        values = {"^[0-9]{1,9}$": _of(arguments[1], definitions)}
        return {"type": "object", "patternProperties": values, "additionalProperties": False}
    if origin is typing.Literal:
        return {"enum": list(arguments)}
    if annotation is Array:
        return {"$ref": "#/$defs/array"}
    if not is_record(annotation):
        return SCALARS[annotation]
    name = annotation.__name__.lower()
    if name not in definitions:
        definitions[name] = record(annotation, definitions)
    return {"$ref": f"#/$defs/{name}"}


def record(cls: Any, definitions: Schema) -> Schema:
    """The schema of a dataclass; those that it holds are written to `definitions`."""
    hints = typing.get_type_hints(cls)
    names = field_names(cls)
    return {
        "type": "object",
        "properties": {name: _of(hints[name], definitions) for name in names},
        "required": [name for name in names if is_required(cls, name)],
        "additionalProperties": False,
    }


def _array() -> Schema:
    """An array; its JSON form is its own, see `array_json`."""
    statistic = {"anyOf": [SCALARS[float], {"type": "null"}]}
    element = {"anyOf": [{"type": ["number", "string", "boolean"]}, PAIR]}
    length = {"type": "integer", "minimum": 0}
    thumb = {
        "type": "array",
        "prefixItems": [BLOCKS, BLOCKS, {"type": "array", "items": SCALARS[float]}, TILES],
    }
    return {
        "type": "object",
        "properties": {
            "dtype": {"type": "string"},
            "shape": {"type": "array", "items": length, "maxItems": MAX_RANK},
            "data": {"type": "array", "items": element, "maxItems": MAX_KEPT},
            "min": statistic,
            "max": statistic,
            "mean": statistic,
            "finite": {"type": "boolean"},
            "thumb": {"anyOf": [thumb | {"minItems": 3, "maxItems": 4}, {"type": "null"}]},
            "sampled": {"type": "boolean"},
        },
        "required": ["dtype", "shape", "data", "finite"],
        "additionalProperties": False,
    }


def text() -> str:
    """The schema as it stands in `trace.schema.json`."""
    return json.dumps(schema(), indent=1) + "\n"


if __name__ == "__main__":
    print(text(), end="")
