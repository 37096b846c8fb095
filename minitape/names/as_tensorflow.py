"""Gives minitape to programs that import `tensorflow` or `keras`, while this is asked for.

The wish is in the environment, so that the processes in which a program is tried have it too.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from types import ModuleType

WISH = "MINITAPE_AS_TENSORFLOW"
INSTEAD = {"tensorflow": "minitape", "keras": "minitape.keras"}


class Aliases:
    """The finder and loader of these modules: each is minitape's own of that name."""

    @staticmethod
    def find_spec(
        fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Finds TensorFlow, Keras and their modules."""
        return ModuleSpec(fullname, Aliases()) if _is_one(fullname) else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        """Python's own empty module, which is replaced below."""

    def exec_module(self, module: ModuleType) -> None:
        """Puts minitape's module in its place; importing takes what stands there at the end."""
        package, _, rest = module.__name__.partition(".")
        sys.modules[module.__name__] = importlib.import_module(
            f"{INSTEAD[package]}.{rest}".strip(".")
        )


def _is_one(name: str) -> bool:
    return name.partition(".")[0] in INSTEAD


def begin() -> dict[str, ModuleType]:
    """Begins; returns the modules of these names that were there, for the end."""
    before = {name: sys.modules.pop(name) for name in list(sys.modules) if _is_one(name)}
    sys.meta_path.insert(0, Aliases)
    return before


@contextmanager
def as_tensorflow(wanted: bool) -> Iterator[None]:
    """Within the block, imports of TensorFlow give minitape, if that is wanted."""
    if not wanted:
        yield
        return
    said, before = os.environ.get(WISH), begin()
    os.environ[WISH] = "1"
    try:
        yield
    finally:
        sys.meta_path.remove(Aliases)
        for name in [name for name in sys.modules if _is_one(name)]:
            del sys.modules[name]
        sys.modules.update(before)
        os.environ.pop(WISH)
        if said is not None:
            os.environ[WISH] = said
