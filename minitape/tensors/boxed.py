"""Tensors without a value of their own: what batches and graphs compute with.

What needs a value (NumPy, `if`, `float`) is refused with the advice that the interpreter's kind of
box gives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.tensor import Tensor

if TYPE_CHECKING:
    from minitape.values.public_types import NumpyValue


class Boxed(Tensor):
    """A tensor without a value of its own yet: the interpreter that made it computes ops on it.

    `value` is what the interpreter puts in the box (a stack of examples, a node of a graph).
    """

    __slots__ = ("interpreter",)
    advice = ""  # what to write instead, in the messages below

    def __init__(self, value: Any, interpreter: Any) -> None:
        self.value = value
        self.mark = None
        self.interpreter = interpreter

    def _refuse(self, what: str) -> Exception:
        return TypeError(f"{what} needs a value, and {self!r} has none yet. {self.advice}")

    def static(self, what: str) -> Any:
        """The value where it is known already; raises: it is not."""
        raise self._refuse(what)

    def initial_value(self) -> Any:
        """The value for a new variable."""
        return self.static("a new variable")

    def __reduce__(self) -> Any:
        raise self._refuse("pickle")

    def numpy(self) -> NumpyValue:
        """Raises: there is no single value."""
        raise self._refuse("numpy()")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise self._refuse("NumPy")

    def __bool__(self) -> bool:
        raise self._refuse("bool(), as in a Python `if` or `while`,")

    def __float__(self) -> float:
        raise self._refuse("float()")

    def __int__(self) -> int:
        raise self._refuse("int()")

    def __complex__(self) -> complex:
        raise self._refuse("complex()")

    def __index__(self) -> int:
        raise self._refuse("a Python index")
