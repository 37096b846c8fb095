"""Scenes as JSON, and the schema of that, made of the types themselves.

Fields at their default are left out, so that an absent field is an empty one.

`python -m minitape.viz.player.scene.schema` prints the schema; `scene.schema.json` here is what it
printed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ...trace.plain import reader, to_plain
from ...trace.schema import DIALECT, NUMBER, record
from .parts import Scene, Summary

FILE = Path(__file__).with_name("scene.schema.json")


def as_json(said: Scene | Summary) -> str:
    """A scene or a summary as one line of JSON.

    Example:
        >>> from minitape.viz.player.scene.parts import Run
        >>> as_json(Scene(3, "pull", (Run("h", math=True), Run(" passes it on."))))
        '{"number":3,"kind":"pull","sentence":[{"text":"h","math":true},{"text":" passes it on."}]}'
    """
    return json.dumps(to_plain(said), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def from_json(text: str) -> Scene:
    """The scene that `as_json` wrote.

    Raises:
        TraceError: the text is not a scene.
    """
    found: Scene = reader(Scene)(json.loads(text), "scene")
    return found


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a scene; that of a summary is among its definitions."""
    definitions: dict[str, Any] = {"number": NUMBER}
    body = record(Scene, definitions)
    definitions["summary"] = record(Summary, definitions)
    return {
        "$schema": DIALECT,
        "title": "One step of a recorded program, with every text written",
        **body,
        "$defs": dict(sorted(definitions.items())),
    }


def text() -> str:
    """The schema as it stands in `scene.schema.json`."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    print(text(), end="")
