"""Keeping a picture: the file's ending chooses the format; every format shows the same layout.

Files are written whole or not at all.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from ..base.files import check_ending, check_place, write_whole
from ..layout import Layout, layout
from ..trace.trace import Trace
from .svg import svg
from .text_graphs import dot, mermaid

Draw = Callable[[Trace, Layout | None, int | None], str | bytes]


def save(
    trace: Trace,
    path: str | os.PathLike[str],
    placed: Layout | None = None,
    step: int | None = None,
) -> Path:
    """Save a trace in the format of the file's ending.

    Args:
        trace: What to save.
        path: Ends in .svg, .png, .pdf, .gif (all steps), .dot, .mmd (Mermaid) or .json.
        placed: The layout of the picture; computed when not given.
        step: For .svg, .png and .pdf the state after this step; None for the final numbers.

    Returns:
        The path written.

    Raises:
        ValueError: The ending is none of these.
        FileNotFoundError: The folder does not exist.
        MissingExtraError: .png, .pdf and .gif need matplotlib.
        IndexError: There is no such step.

    Example:
        >>> import tempfile
        >>> from minitape.viz.trace.trace import Node
        >>> folder = Path(tempfile.mkdtemp())
        >>> save(Trace((Node(0, "source", (), "float64", ()),)), folder / "tape.svg").name
        'tape.svg'
    """
    ending = check_ending(path, FORMATS)
    check_place(path)  # Before the work of drawing, not after it.
    return write_whole(path, FORMATS[ending](trace, placed, step))


def png(trace: Trace, placed: Layout | None = None, step: int | None = None) -> bytes:
    """Draw a PNG (two pixels a point); needs matplotlib."""
    from .figure import bitmap, figure

    return bitmap(figure(trace, placed, step))


def pdf(trace: Trace, placed: Layout | None = None, step: int | None = None) -> bytes:
    """Draw a PDF; needs matplotlib."""
    from .figure import figure, portable_document

    return portable_document(figure(trace, placed, step))


def gif(trace: Trace, placed: Layout | None = None, seconds: float = 0.8) -> bytes:
    """Draw all steps as an animated GIF; needs matplotlib."""
    from .figure import animation

    return animation(trace, placed, seconds=seconds)


FORMATS: dict[str, Draw] = {
    ".svg": lambda trace, placed, step: svg(trace, placed or layout(trace), step),
    ".png": png,
    ".pdf": pdf,
    ".gif": lambda trace, placed, step: gif(trace, placed),
    ".dot": lambda trace, placed, step: dot(trace),
    ".mmd": lambda trace, placed, step: mermaid(trace),
    ".json": lambda trace, placed, step: trace.to_json(),
}
