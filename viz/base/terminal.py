"""Lines for a person at a terminal: any text can be shown, and whoever reads them may leave early.

A pipe that is closed at its other end (`minitape demo | head -1`) is no failure: what follows is
dropped. Anything else that keeps a line from being printed is a `TerminalError`.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO


class TerminalError(Exception):
    """What was to be printed cannot be; the message is one line."""


def say(text: str) -> None:
    """Print lines on the standard output; what it cannot show is escaped."""
    with _leaving(sys.stdout) as stream:
        stream.write(showable(text, stream) + "\n")
        stream.flush()


def complain(text: str) -> None:
    """Print a line on the standard error, or nothing where there is none."""
    with contextlib.suppress(TerminalError), _leaving(sys.stderr) as stream:
        stream.write(showable(text, stream) + "\n")
        stream.flush()


@contextmanager
def flushed() -> Iterator[None]:
    """Runs its block, and sees to it that everything that was printed in it has arrived.

    Raises:
        TerminalError: if it has not, for another reason than a reader who left.
    """
    try:
        yield
    finally:
        with _leaving(sys.stdout) as stream:
            stream.flush()


def showable(text: str, stream: TextIO) -> str:
    r"""The text with what a stream cannot show as escapes, such as \u4e2d.

    Example:
        >>> import io
        >>> showable("caf\u00e9", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
        'caf\\xe9'
    """
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        text.encode(encoding, getattr(stream, "errors", None) or "strict")
    except UnicodeEncodeError:
        return text.encode(encoding, "backslashreplace").decode(encoding)
    return text


@contextmanager
def _leaving(stream: TextIO | None) -> Iterator[TextIO]:
    """Gives a stream to write to; one that fails is given up, so that the exit is quiet too."""
    with open(os.devnull, "w", encoding="utf-8") as nothing:
        try:
            yield nothing if _is_closed(stream) else stream  # type: ignore[misc]
        except BrokenPipeError:
            _give_up(stream)
        except OSError as error:
            _give_up(stream)
            reason = error.strerror or error
            raise TerminalError(f"cannot print to the standard output: {reason}") from error


def _is_closed(stream: TextIO | None) -> bool:
    """Whether nobody listens: Python has None where the file is closed from the start."""
    return stream is None or bool(getattr(stream, "closed", False))


def _give_up(stream: TextIO | None) -> None:
    """Sends what a stream still holds to nowhere: Python would try it again when it ends."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())  # type: ignore[union-attr]  # None has no `fileno`
        os.close(nowhere)
