"""Methods that are a `tf.function`: each instance has traces of its own.

The one fact to know: a function refers to its instance weakly, so that an instance dies with its
last user; what `instance.method` gives keeps both.
"""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable


class Traced(Protocol):
    """What a method needs of the `tf.function` that it is."""

    name: str

    @property
    def python_function(self) -> Callable[..., Any]:
        """The Python that is traced."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the function."""


def method_of(function: Traced, instance: Any) -> Callable[..., Any]:
    """The Python function of a method; it does not keep the instance alive."""
    python = function.python_function

    @functools.wraps(python)
    def method(*args: Any, **kwargs: Any) -> Any:
        return python(instance(), *args, **kwargs)

    method.__signature__ = inspect.signature(python.__get__(instance()))  # type: ignore[attr-defined]
    method.__self__ = instance  # type: ignore[attr-defined]
    return method


class Bound:
    """A method's function and the instance that it belongs to, which lives as long as this."""

    __slots__ = ("__self__", "__wrapped__")

    def __init__(self, function: Traced, instance: Any) -> None:
        self.__wrapped__ = function
        self.__self__ = instance

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function for the instance."""
        return self.__wrapped__(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__wrapped__, name)

    def __reduce__(self) -> Any:
        return getattr, (self.__self__, self.__wrapped__.name)
