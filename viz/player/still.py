"""A still picture in a notebook, and in files of every format."""

from __future__ import annotations

import os
from pathlib import Path
from reprlib import repr as shown  # an error must be able to show a nest that is very deep
from typing import TYPE_CHECKING, Any

from ..picture.dot_object import digraph
from ..picture.svg import svg
from ..trace.trace import Trace
from .drawing import save
from .page import image

if TYPE_CHECKING:
    import graphviz


class Picture:
    """A still picture of a trace: shows itself in notebooks, saves itself as SVG, PNG, PDF, ...

    Attributes:
        trace: what is drawn.
    """

    def __init__(self, trace: Trace) -> None:
        if not isinstance(trace, Trace):
            raise TypeError(
                f"a Picture shows a viz.Trace; got {shown(trace)}. Write viz.draw(tape), which "
                "makes the trace."
            )
        self.trace = trace

    @property
    def svg(self) -> str:
        """The picture as SVG text."""
        return svg(self.trace)

    def save(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """Writes the picture in the format of the path's ending.

        Args:
            path: ends in .svg, .png, .pdf, .tex or .pptx; in .gif or .mp4 for all steps; in .html
                for a page; in .dot, .mmd (Mermaid) or .json for the graph. Its folder must exist.
            **options: `width` ("120mm"), `theme` ("light", "dark" or "grey"), `dpi`, `fonts` and
                `seconds`, as for `viz.step(...).save`.

        Raises:
            ValueError: The ending, or an option, is one that no picture has.
            FileNotFoundError: The folder does not exist; nothing is written.
            MissingExtraError: The format needs a package; the message says how to install it.
        """
        return save(self.trace, path, **options)

    def to_graphviz(self) -> graphviz.Digraph:
        """The tape as an object of the package `graphviz`; node `n3` is node 3 of the trace.

        Raises:
            MissingExtraError: The package is not installed.
        """
        return digraph(self.trace)

    def __repr__(self) -> str:
        return f"<Picture: {len(self.trace.nodes)} nodes>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": image(self.trace)}
