"""The exception classes, and the builder of messages in three parts.

Every message for a user has three parts, what happened (with the real names, shapes and dtypes),
why it is a problem, and what to write instead. `of_arguments` checks what functions are given,
`of_ops` and `of_tapes` have what ops and tapes say, `notices` what is said without raising.
"""

from __future__ import annotations

from typing import NoReturn

__all__ = [
    "AssertFailedError", "DtypeError", "FailedPreconditionError", "InvalidArgumentError",
    "OpError", "OutOfRangeError", "ResourceExhaustedError", "UnknownArgumentError",
]  # fmt: skip


class OpError(Exception):
    """The base of the errors that ops raise (TensorFlow's class of this name)."""

    @property
    def message(self) -> str:
        """The text of the error."""
        return str(self)


class InvalidArgumentError(OpError, ValueError):
    """A value or shape that an op cannot work with (TensorFlow's class of this name)."""


class AssertFailedError(InvalidArgumentError, AssertionError):
    """An `assert` failed in a `tf.function`, where TensorFlow makes it a tf.Assert."""


class OutOfRangeError(OpError, IndexError):
    """An index is beyond the end of what it counts (TensorFlow's class of this name)."""


class FailedPreconditionError(OpError, RuntimeError):
    """Something was used before it was ready, for instance a graph value outside its session."""


class ResourceExhaustedError(OpError, MemoryError):
    """What was asked for does not fit into memory (TensorFlow's class of this name)."""


class UnknownArgumentError(TypeError, ValueError):
    """An argument that there is not; Keras says so by a ValueError."""


def teach(what: str, why: str, instead: str) -> str:
    """Joins the three parts of a message: what happened, why it is a problem, what to write."""
    return f"{what} {why} {instead}"


class DtypeError(InvalidArgumentError, TypeError):
    """Tensors of different dtypes meet in one op, or one meets an op that is not for it."""


def raise_instead(better: Exception, error: Exception) -> NoReturn:
    """Raises `better` because of `error`; `error` again where that is the same.

    `raise error from error` would make it its own cause: a reference cycle, which keeps the frames
    and all tensors in them. So would a frame of the traceback that has a name for the error.
    """
    try:
        if better is error:
            raise error
        raise better from error
    finally:
        del better, error


def __dir__() -> list[str]:
    return sorted(__all__)
