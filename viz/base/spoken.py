"""A sentence of this package as HTML: text, with the names that stand in backticks as code."""

from __future__ import annotations

import html
import re


def spoken(sentence: str) -> str:
    """Set the `names` in a sentence as code; one with an odd backtick stays as it is.

    Example:
        >>> spoken("`x` < 1")
        '<code>x</code> &lt; 1'
    """
    escaped = html.escape(sentence)
    return escaped if escaped.count("`") % 2 else re.sub("`([^`]*)`", r"<code>\1</code>", escaped)
