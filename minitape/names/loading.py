"""Loading what a program did not ask for yet: once, when a name is not known.

`import minitape` brings tensors and variables; all other modules of the package are loaded
together, the first time an operator, a public name or an op is missing. So an import costs little
more than NumPy's, and nobody keeps a list of what is where.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from typing import Any

from minitape.safety.locks import module_lock

_FOLDER = os.path.dirname(os.path.dirname(__file__))
# Packages that import what they need themselves, and the layers that may be left out.
_APART = {
    "minitape.data",
    "minitape.fast",
    "minitape.graphs.compiled",
    "minitape.keras",
    "minitape.testing",
    "minitape.viz",
}
_lock = module_lock()
_state = ["waiting"]  # then "loading", then "done"


def load_rest() -> None:
    """Loads every module of the package; a module that asks for this while it is loaded goes on."""
    if _state[0] == "done":
        return
    with _lock:
        if _state[0] != "waiting":
            return
        _state[0] = "loading"
        try:
            for name in _modules():
                importlib.import_module(name)
        except BaseException:
            _state[0] = "waiting"
            raise
        _state[0] = "done"


def is_module(name: str) -> bool:
    """Whether the package has a module of that name; a public name is never one."""
    place = os.path.join(_FOLDER, name)
    return os.path.exists(place + ".py") or os.path.exists(os.path.join(place, "__init__.py"))


class Late:
    """A public name whose module is loaded when the name is used, and no sooner.

    For what needs a part of the standard library that programs do not.
    """

    __slots__ = ("module", "name")

    def __init__(self, module: str, name: str) -> None:
        self.module = module
        self.name = name

    def load(self) -> Any:
        """What the name stands for."""
        return getattr(importlib.import_module(self.module), self.name)


def _modules() -> Iterator[str]:
    """The names of the package's modules, those of ops first; the command line is none of them."""
    yield from _modules_below(os.path.join(_FOLDER, "ops"), "minitape.ops")
    yield from _modules_below(_FOLDER, "minitape")
    yield "minitape.keras"


def _modules_below(folder: str, package: str) -> Iterator[str]:
    """The modules of a folder, then those of the folders in it; Keras and tests bring their own."""
    inner = []
    for entry in sorted(os.listdir(folder)):
        name, ending = os.path.splitext(entry)
        if name.startswith("__"):
            continue
        if ending == ".py":
            yield f"{package}.{name}"
        elif os.path.exists(os.path.join(folder, entry, "__init__.py")):
            inner.append(entry)
    for name in inner:
        if f"{package}.{name}" not in _APART:
            yield from _modules_below(os.path.join(folder, name), f"{package}.{name}")
