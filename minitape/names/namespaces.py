"""`tf.math`, `tf.nn`, ...: namespaces filled by the declarations of the ops themselves.

An op names its public places where it is declared, and nobody keeps a second list. A name that is
not there yet loads them all, once. That keeps `import minitape` about as quick as NumPy's own.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

from minitape.names.absent import missing
from minitape.names.loading import Late, is_module, load_rest
from minitape.names.registry import exports

PACKAGES = {"data", "keras"}  # public names that are packages, loaded when they are first used
__all__ = ["Namespace", "exports", "load_rest", "make_namespaces", "public"]


class Namespace(ModuleType):
    """A module of public names, for instance `minitape.math`."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # Python asking, as doctest does; nothing is loaded for that
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        load_rest()
        found = exports.get(f"{self.__name__.removeprefix('minitape.')}.{name}")
        if found is None:
            raise missing(self.__name__, name)
        if isinstance(found, Late):
            found = found.load()
        setattr(self, name, found)
        return found

    def __dir__(self) -> list[str]:
        load_rest()
        start = self.__name__.removeprefix("minitape.") + "."
        names = (name.removeprefix(start) for name in exports if name.startswith(start))
        return sorted({name.partition(".")[0] for name in names})


def make_namespaces(names: str) -> dict[str, Namespace]:
    """Makes the namespaces, importable as modules."""
    made = {
        name: Namespace(f"minitape.{name}", f"Ops under `tf.{name}`.") for name in names.split()
    }
    for module in made.values():
        sys.modules[module.__name__] = module
        parent, _, child = module.__name__.rpartition(".")
        if parent != "minitape":
            setattr(sys.modules[parent], child, module)
    return made


def public(name: str) -> Any:
    """What users call by the top-level `name`.

    Raises:
        AttributeError: if there is none.
    """
    if name in PACKAGES:
        return importlib.import_module(f"minitape.{name}")
    if name not in exports:
        if is_module(name):  # Python asks before it imports one, `from minitape import plan`
            raise AttributeError(
                f"module 'minitape' has no public name '{name}'. It is a module of the engine: "
                f"write `import minitape.{name}` first."
            )
        load_rest()
    if name not in exports:
        raise missing("minitape", name)
    found = exports[name]
    return found.load() if isinstance(found, Late) else found
