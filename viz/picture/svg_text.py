"""How texts, numbers and curves are written in SVG."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..layout import Edge

NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def path_data(edge: Edge) -> str:
    """Write an edge's curve as the `d` of an SVG path."""
    (x, y), *rest = edge.points
    numbers = " ".join(f"{number(px)} {number(py)}" for px, py in rest)
    return f"M{number(x)} {number(y)}C{numbers}"


def escape(text: str) -> str:
    """Escape a text for XML; characters that XML cannot hold become a visible sign.

    Example:
        >>> escape('a < "b" & c')
        'a &lt; &quot;b&quot; &amp; c'
    """
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return NOT_XML.sub("\ufffd", text.replace('"', "&quot;"))


def number(value: float) -> str:
    """Write a coordinate with at most one decimal and nothing superfluous."""
    return f"{value:.1f}".removesuffix(".0")
