"""Has Python's messages about arguments tell the names that users write.

Python names a function in them by its `__qualname__`: a helper's, `concat_values() missing ...`, or
that of the class from which `__init__` is inherited, `Layer.__init__() takes 1 ...` of a Flatten.
"""

from __future__ import annotations

import sys
from types import FunctionType
from typing import Any

_OURS = __name__.partition(".")[0] + "."


def public(function: Any, name: str) -> None:
    """Makes `name`, such as "nn.relu", the one that a function of ours has.

    It is where pickles and copies find the function, too. Of a class it names the initialiser.
    """
    space, _, last = name.rpartition(".")
    if isinstance(function, type):
        own_initialiser(function, last)
    elif getattr(function, "__globals__", {}).get("__name__", "").startswith(_OURS):
        function.__name__ = function.__qualname__ = last
        function.__module__ = f"{_OURS}{space}".rstrip(".")


def own_initialisers(module: str) -> None:
    """Gives the public classes of a module initialisers of their own names."""
    for name, value in vars(sys.modules[module]).items():
        if isinstance(value, type) and not name.startswith("_"):
            own_initialiser(value, value.__name__)


def own_initialiser(kind: type, name: str) -> None:
    """Gives a class of ours an `__init__` that is called `name`."""
    own: Any = vars(kind).get("__init__")
    inherited: Any = kind.__init__  # type: ignore[misc]  # it is looked at, not called
    if not kind.__module__.startswith(_OURS) or not isinstance(inherited, FunctionType):
        return
    if own is None:
        own = FunctionType(
            inherited.__code__, inherited.__globals__, "__init__", None, inherited.__closure__
        )
        own.__defaults__, own.__kwdefaults__ = inherited.__defaults__, inherited.__kwdefaults__
        own.__annotations__, own.__doc__ = inherited.__annotations__, inherited.__doc__
        kind.__init__ = own  # type: ignore[misc]
    own.__qualname__ = f"{name}.__init__"
