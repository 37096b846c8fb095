"""A sentence as HTML, or as a tree: text, with the names that stand in backticks as code.

Everything is escaped first, so no text can bring markup of its own.
"""

from __future__ import annotations

import html
import re
from typing import Any

# An element as a page is given it: a text, or a list of name and class, attributes or none, trees.
# `built` in `src/panes.js` makes elements of them, so nothing in a tree is markup.
Tree = Any
# Stars that open and close a word or some, as in Markdown.
EMPHASIS = re.compile(r"(?<![\w*)\]])\*(?=[^\s*])([^*\n]*[^\s*])\*(?![\w*(])")


def spoken(sentence: str) -> str:
    """Set the `names` in a sentence as code; one with an odd backtick stays as it is.

    Example:
        >>> spoken("`x` < 1")
        '<code>x</code> &lt; 1'
    """
    escaped = html.escape(sentence)
    return escaped if escaped.count("`") % 2 else re.sub("`([^`]*)`", r"<code>\1</code>", escaped)


def written(sentence: str) -> str:
    """Set an author's sentence: `names` as code, and *words* between stars with emphasis.

    A star inside of a word, beside a space or in code is a product or a power and stays a star.

    Example:
        >>> written("*why* is x*y*z no `a *b* c`")
        '<em>why</em> is x*y*z no <code>a *b* c</code>'
    """
    parts = re.split("(<code>.*?</code>)", spoken(sentence), flags=re.DOTALL)
    parts[::2] = [EMPHASIS.sub(r"<em>\1</em>", part) for part in parts[::2]]
    return "".join(parts)


def spoken_tree(sentence: str) -> list[Tree]:
    """A sentence with its `names` as code; one with an odd backtick stays as it is.

    Example:
        >>> spoken_tree("`x` is 1")
        [['code', 'x'], ' is 1']
    """
    parts = sentence.split("`")
    if len(parts) % 2 == 0:
        return [sentence]
    return [["code", text] if i % 2 else text for i, text in enumerate(parts) if text]
