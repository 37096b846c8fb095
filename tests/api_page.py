"""Writes docs/API.md: the supported names of TensorFlow, and what to write instead of the others.

Run it after adding or removing a public name: `python tests/api_page.py`. A test compares the page.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

sys.path[:0] = [str(Path(__file__).parent.parent)]

import minitape as tf
from minitape.names.absent import ABSENT
from minitape.names.namespaces import Namespace

PAGE = Path(__file__).parent.parent / "docs" / "API.md"
HEAD = """# Supported TensorFlow names

Look up whether a program will run: the names of TensorFlow 2.21 and Keras 3 that minitape has, with
TensorFlow's arguments and semantics, and what to write instead of the others. The script
`python tests/api_page.py` generates this page from the package; a test compares the two. The ops
and their formulas are in [ops.md](ops.md).

A missing name raises an `AttributeError`, with the advice of the second table if there is any.
`tf.__version__` is "{version}": first the TensorFlow version whose semantics these
are, then minitape's.

## Supported names

| part | names |
|---|---|
"""
KERAS = (
    "keras keras.activations keras.backend keras.callbacks keras.config keras.constraints "
    "keras.datasets keras.initializers keras.layers keras.losses keras.metrics keras.models "
    "keras.optimizers keras.optimizers.schedules keras.preprocessing.sequence keras.random "
    "keras.regularizers keras.saving keras.utils"
)


def page() -> str:
    """The page's text."""
    rows = [f"| `{name}` | {', '.join(f'`{n}`' for n in names)} |" for name, names in parts()]
    gone = [f"| {label(name)} | {each.why} | {each.instead} |" for name, each in ABSENT.items()]
    return "\n".join(
        [
            HEAD.format(version=tf.__version__) + "\n".join(rows),
            "\n## Not supported, and what to write instead\n",
            "| part | why not | what to write |",
            "|---|---|---|",
            *gone,
            "",
        ]
    )


def found(name: str) -> Any:
    """What `tf.<name>` is; None where it is missing."""
    value: Any = tf
    for part in name.split("."):
        value = getattr(value, part, None)
    return value


def label(name: str) -> str:
    """A part that is missing, or the rest of one that is there."""
    return f"`tf.{name}`" if found(name) is None else f"other names of `tf.{name}`"


def parts() -> Iterator[tuple[str, list[str]]]:
    """Every namespace with the public names in it."""
    yield "tf", [n for n in dir(tf) if not isinstance(getattr(tf, n), ModuleType)]
    yield from namespaces(tf, "tf")
    yield "tf.data", [n for n in dir(tf.data) if n in tf.data.__all__]
    yield "tf.data.Dataset", [n for n in dir(tf.data.Dataset) if not n.startswith("_")]
    for name in KERAS.split():
        yield f"tf.{name}", own_names(importlib.import_module(f"minitape.{name}"))


def namespaces(module: Any, path: str) -> Iterator[tuple[str, list[str]]]:
    """The namespaces in a module, at any depth."""
    for name in dir(module):
        inner = getattr(module, name)
        if isinstance(inner, Namespace):
            names = [n for n in dir(inner) if not isinstance(getattr(inner, n), ModuleType)]
            if names:
                yield f"{path}.{name}", names
            yield from namespaces(inner, f"{path}.{name}")


def own_names(module: Any) -> list[str]:
    """The names that a module of Keras offers: what it lists, or what is defined in the package."""
    if hasattr(module, "__all__"):
        return sorted(module.__all__)
    return sorted(
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and (inspect.isclass(value) or inspect.isfunction(value))
        and str(value.__module__).startswith("minitape")
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
