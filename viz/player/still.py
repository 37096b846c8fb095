"""A still picture in a notebook, and in files of every format."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ..picture import export
from ..picture.svg import svg
from ..trace.trace import Trace
from .page import image


class Picture:
    """A still picture of a trace: shows itself in notebooks, saves itself as SVG, PNG, PDF, ...

    Attributes:
        trace: what is drawn.
    """

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    @property
    def svg(self) -> str:
        """The picture as SVG text."""
        return svg(self.trace)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the picture in the format of the path's ending; see `viz.picture.export.save`."""
        return export.save(self.trace, path)

    def __repr__(self) -> str:
        return f"<Picture: {len(self.trace.nodes)} nodes>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": image(self.trace)}
