"""The exception classes, and the builder of messages that teach.

The one fact to know: every message for a user has three parts, what happened (with the real names,
shapes and dtypes), why it is a problem, and what to write instead.
May import: nothing of minitape.
"""

from __future__ import annotations


class InvalidArgumentError(ValueError):
    """A value or shape that an op cannot work with (TensorFlow's class of this name)."""


class FailedPreconditionError(RuntimeError):
    """Something was used before it was ready, for instance a graph value outside its session."""


def teach(what: str, why: str, instead: str) -> str:
    """Joins the three parts of a message: what happened, why it is a problem, what to write."""
    return f"{what} {why} {instead}"


class DtypeError(InvalidArgumentError, TypeError):
    """Tensors of different dtypes meet in one op."""
