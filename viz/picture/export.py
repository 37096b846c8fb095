"""Keeping a picture by its old names: `Picture.save` and `viz.step(...).save` do it today.

These stay for one release. Everything is drawn by `viz.player.drawing`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ..trace.trace import Trace

if TYPE_CHECKING:
    from ..layout import Layout

FORMATS = (".svg", ".png", ".pdf", ".gif", ".dot", ".mmd", ".json")


def save(
    trace: Trace,
    path: str | os.PathLike[str],
    placed: Layout | None = None,
    step: int | None = None,
) -> Path:
    """Save a trace in the format of the file's ending.

    Args:
        trace: What to save.
        path: Ends in .svg, .png, .pdf, .tex, .pptx, .gif or .mp4 (all steps), .dot, .mmd
            (Mermaid), .html or .json.
        placed: The layout of the picture; computed when not given.
        step: For one picture the state after this step; None for the final numbers.

    Returns:
        The path written.

    Raises:
        ValueError: The ending is none of these.
        FileNotFoundError: The folder does not exist.
        MissingExtraError: .png, .pdf and .gif need packages of the extra export.
        IndexError: There is no such step.

    Example:
        >>> import tempfile
        >>> from minitape.viz.trace.trace import Node
        >>> folder = Path(tempfile.mkdtemp())
        >>> save(Trace((Node(0, "source", (), "float64", ()),)), folder / "tape.svg").name
        'tape.svg'
    """
    from ..export.drawn import save_drawn
    from ..player.drawing import drawn

    return save_drawn(drawn(trace, placed=placed, step=step), path)


def png(trace: Trace, placed: Layout | None = None, step: int | None = None) -> bytes:
    """Draw a PNG (two pixels a point)."""
    return _bytes(trace, ".png", placed, step)


def pdf(trace: Trace, placed: Layout | None = None, step: int | None = None) -> bytes:
    """Draw a PDF."""
    return _bytes(trace, ".pdf", placed, step)


def gif(trace: Trace, placed: Layout | None = None, seconds: float | None = None) -> bytes:
    """Draw all steps as an animated GIF."""
    return _bytes(trace, ".gif", placed, None, seconds)


def _bytes(
    trace: Trace, ending: str, placed: Layout | None, step: int | None,
    seconds: float | None = None,
) -> bytes:  # fmt: skip
    from ..export.drawn import drawn_bytes
    from ..player.drawing import drawn

    made = drawn(trace, placed=placed, step=step)
    return bytes(drawn_bytes(made, ending, seconds=seconds))
