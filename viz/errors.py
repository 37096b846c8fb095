"""The errors of the viewer that are not Python's own."""

from __future__ import annotations


class TraceError(ValueError):
    """A trace (or its JSON) breaks the format; the message says where, why and what to write."""


class MissingExtraError(ImportError):
    """An output needs an optional package; the message says which one and how to install it."""


class CommandError(Exception):
    """What was asked on the command line cannot be done; the message is one line."""


class ClassroomError(CommandError):
    """A site or a live page cannot be made; the message is one line."""
