"""Writes the types of a player's data for its scripts: `python tests/player_types.py`.

With `--check` it says whether the file is as it should be.
"""

from __future__ import annotations

import inspect
import sys
import types
from pathlib import Path
from typing import Any, Literal, Required, Union, get_args, get_origin, get_type_hints, is_typeddict

sys.path.insert(0, str(Path(__file__).parents[1]))

from minitape.viz.player import data

FILE = Path(__file__).parents[1] / "viz" / "player" / "src" / "data.d.ts"
PLAIN = {int: "number", float: "number", str: "string", bool: "boolean", object: "any",
         types.NoneType: "null"}  # fmt: skip
HEAD = "// Made of viz/player/data.py by tests/player_types.py: write there.\n"


def declared() -> list[Any]:
    """The types of the data, in their order."""
    return [each for each in vars(data).values() if is_typeddict(each)]


def written() -> str:
    """The whole file."""
    return HEAD + "".join(f"\n{_interface(each)}" for each in declared())


def _interface(declaration: Any) -> str:
    head = f"/** {inspect.getdoc(declaration)} */\nexport interface {declaration.__name__} {{\n"
    lines = [
        f"  {name}{'' if name in declaration.__required_keys__ else '?'}: {_type(hint)};\n"
        for name, hint in get_type_hints(declaration).items()
    ]
    return head + "".join(lines) + "}\n"


def _type(hint: Any) -> str:
    if hint in PLAIN:
        return PLAIN[hint]
    if is_typeddict(hint):
        return str(hint.__name__)
    origin, inside = get_origin(hint), get_args(hint)
    if origin is Required:
        return _type(inside[0])
    if origin is Literal:
        return " | ".join(f'"{each}"' for each in inside)
    parts = [_type(each) for each in inside]
    if origin in (Union, types.UnionType):
        return " | ".join(dict.fromkeys(parts))
    if origin is tuple:
        return f"[{', '.join(parts)}]"
    if origin is dict:
        return f"Record<{', '.join(parts)}>"
    assert origin is list, hint
    return f"({parts[0]})[]" if "|" in parts[0] else f"{parts[0]}[]"


def fits(value: Any, hint: Any, place: str = "data") -> list[str]:
    """Where a value is not of a type; nothing when it is."""
    if is_typeddict(hint):
        if not isinstance(value, dict):
            return [place]
        hints = get_type_hints(hint)
        wrong = [f"{place}.{name}" for name in hint.__required_keys__ - value.keys()]
        wrong += [f"{place}.{name} is unknown" for name in value.keys() - hints.keys()]
        known = [(name, each) for name, each in value.items() if name in hints]
        return wrong + [
            at for name, each in known for at in fits(each, hints[name], f"{place}.{name}")
        ]
    origin, inside = get_origin(hint), get_args(hint)
    if origin is Required:
        return fits(value, inside[0], place)
    if origin is Literal:
        return [] if value in inside else [place]
    if origin in (Union, types.UnionType):
        return [] if any(not fits(value, each) for each in inside) else [place]
    if origin is tuple:
        if not isinstance(value, list | tuple) or len(value) != len(inside):
            return [place]
        return [at for i, each in enumerate(inside) for at in fits(value[i], each, f"{place}[{i}]")]
    if origin is dict:
        if not isinstance(value, dict):
            return [place]
        return [
            at for name, each in value.items() for at in fits(each, inside[1], f"{place}.{name}")
        ]
    if origin is list:
        if not isinstance(value, list | tuple):
            return [place]
        return [at for i, each in enumerate(value) for at in fits(each, inside[0], f"{place}[{i}]")]
    if hint is object:
        return []
    wanted = (int, float) if hint is float else hint
    return (
        [] if isinstance(value, wanted) and (hint is bool) >= isinstance(value, bool) else [place]
    )


if __name__ == "__main__":
    if "--check" not in sys.argv:
        FILE.write_text(written(), "utf-8")
    elif FILE.read_text("utf-8") != written():
        sys.exit(
            f"{FILE.name} is not what viz/player/data.py says: run python tests/player_types.py"
        )
