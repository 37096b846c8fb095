"""Elements as a page is given them: a text, or a list of name and class, attributes or none, trees.

`built` in `src/panes.js` makes elements of them, so nothing in a tree is markup, and a page needs
no script for what is written here.
"""

from __future__ import annotations

from typing import Any

Tree = Any


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
