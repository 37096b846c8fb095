"""Computes infinity, NaN and 0 in silence, whatever NumPy and the warning filters are set to.

Both settings belong to the user, for the user's own arrays: `np.seterr(all="raise")`, warnings as
errors. TensorFlow's ops notice neither. In the usual state NumPy warns, and a filter (set when the
package is imported) drops what it says of our modules; so one look is all that an op pays. In any
other state what we compute runs under a `Silence`, and what users wrote, in there, under `Aloud`.

No function of Python is called where the state changes, and a `with` statement that is interrupted
leaves its block all the same (see `exits`): NumPy is never left silent.
"""

from __future__ import annotations

import warnings
from contextvars import Context, ContextVar
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from minitape.plain import PLAIN
from minitape.safety.exits import left_when_dropped

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

_PACKAGE = __name__.partition(".")[0] + r"\."
warnings.filterwarnings("ignore", category=RuntimeWarning, module=_PACKAGE)

# What `np.errstate` sets. It is a class of Python, in which an interrupt can lose the way back.
_of_numpy: ContextVar[Any] = import_module("numpy._core.umath")._extobj_contextvar
state = _of_numpy.get
with np.errstate(all="ignore"):
    _SILENT = state()
USUAL = Context().run(state)
_around: ContextVar[Any] = ContextVar("minitape_silence", default=None)  # the last `Silence`

OURS = warnings.filters[0]


def is_usual() -> bool:
    """Whether NumPy says nothing about what happens in our modules."""
    filters = warnings.filters
    return state() is USUAL and bool(filters) and (filters[0] is OURS or _is_dropped())


def _is_dropped() -> bool:
    """Whether the filters drop what NumPy says of our modules, though ours is not the first."""
    for each in warnings.filters:
        if each is OURS:
            return True
        action, message, category, module, line = each
        is_other = module is not None and (isinstance(module, str) or not module.match("minitape."))
        if issubclass(RuntimeWarning, category) and not is_other:
            return action == "ignore" and message is None and not line
    return False


class Silence:
    """A block in which NumPy says nothing; afterwards its state is the one before.

    Example:
        >>> import numpy as np
        >>> with np.errstate(all="raise"), Silence():
        ...     print(np.log(np.zeros(1)))
        [-inf]
    """

    __slots__ = ("before", "entered")

    def __init__(self) -> None:
        self.entered = False

    def __enter__(self) -> None:
        self.before = state()
        # Within another one there is nothing to do, and nothing that could be given back too late:
        # an interrupted block may be left only after those around it.
        if self.before is not _SILENT:
            self.entered = True
            _around.set(self)
            _of_numpy.set(_SILENT)

    @left_when_dropped
    def __exit__(self, *details: object) -> None:
        if self.entered:
            _of_numpy.set(self.before)
            self.entered = False


class Aloud:
    """A block, such as the call of a user's function, in which NumPy's state is the user's."""

    __slots__ = ("around", "entered")

    def __init__(self) -> None:
        self.entered = False

    def __enter__(self) -> None:
        self.around = _around.get()
        if self.around is not None and state() is _SILENT:
            self.entered = True
            _of_numpy.set(self.around.before)

    @left_when_dropped
    def __exit__(self, *details: object) -> None:
        if self.entered and self.around.entered:
            self.around.before = state()  # the user may have set another one
            _of_numpy.set(_SILENT)
        self.entered = False


def quietly(function: Callable[..., T], *args: Any) -> T:
    """The result of a function that NumPy must not comment on."""
    if is_usual():
        return function(*args)
    with Silence():
        return function(*args)


def silent(function: Callable[..., T]) -> Callable[..., T]:
    """The function, run `quietly`; the plain engine has NumPy's own decorator for it."""
    return np.errstate(all="ignore")(function) if PLAIN else partial(quietly, function)
