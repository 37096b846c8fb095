"""Name scopes: what programs call the parts of a computation.

A scope is a path such as `net/dense/`, kept per thread or task. Variables take it into their names,
and a viewer's recording notes it with each op.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from contextvars import ContextVar

from minitape.safety.exits import left_when_dropped

# Each entrance is an object of its own, so that a scope is left whatever else was entered since.
_scopes: ContextVar[tuple[tuple[object, str], ...]] = ContextVar("minitape_name_scopes", default=())


def current_scope() -> str:
    """The path that names get in front of them here."""
    scopes = _scopes.get()
    return scopes[-1][1] if scopes else ""


class NameScope(AbstractContextManager[str]):
    """A context for naming things: variables made inside get the name with a slash before theirs.

    Viewers show the ops inside as one group where a tape is large.

    Args:
        name: the scope's name, inside the present scope; with a slash at its end a whole path. An
            empty name is the outermost scope.

    Raises:
        ValueError: if `name` is not a string.

    Example:
        >>> import minitape as tf
        >>> with tf.name_scope("net"), tf.name_scope("layer") as scope:
        ...     print(scope, tf.Variable(1.0, name="w").name)
        net/layer/ net/layer/w:0
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError(
                f"name for name_scope must be a string; got {name!r} of type "
                f"{type(name).__name__}. Write `tf.name_scope('layer')`."
            )
        self.name = name
        self._entries: list[tuple[object, str]] = []

    def __enter__(self) -> str:
        name = self.name
        inside = name if not name or name.endswith("/") else f"{current_scope()}{name}/"
        entry = (object(), inside)
        self._entries.append(entry)
        _scopes.set((*_scopes.get(), entry))
        return inside

    @property
    def entered(self) -> bool:
        """Whether the scope is the present one, or around it."""
        return bool(self._entries)

    @left_when_dropped
    def __exit__(self, *details: object) -> None:
        entry, scopes = self._entries[-1], _scopes.get()
        if entry in scopes:
            _scopes.set(scopes[: scopes.index(entry)])
        self._entries.pop()  # at last: until then it counts as entered
