"""A whole offline page around the cells or slides of a lesson.

The page forbids itself the network, and each script stands once, at its end.
"""

from __future__ import annotations

import html
import re
from importlib import resources
from typing import NamedTuple

from ..picture.theme import with_palette
from ..player.offline import POLICY
from ..player.program import awaited

MADE_BY = '<meta name="generator" content="minitape tutorials">'
_CELL = re.compile(r"\b(lines? \d+(?:(?:, | and )\d+)*) of cell \d+")
SCRIPT = re.compile(r"<script(?![^>]*application/json)[^>]*>.*?</script>", re.DOTALL)


def file(name: str) -> str:
    """A file of this folder: looks or a script."""
    return (resources.files(__package__) / name).read_text("utf-8")


def without_cells(text: str) -> str:
    """Explanations without a cell's number, which only a running notebook shows.

    Example:
        >>> without_cells("is computed at line 6 of cell 14, too late")
        'is computed at line 6 of the program, too late'
    """
    return _CELL.sub(r"\1 of the program", text)


class Look(NamedTuple):
    """What all pages of a course have in common.

    Attributes:
        title: of the course.
        language: of its words, as HTML names it.
        theme: "auto" (as the reader's system has it), "light" or "dark".
        intro: what stands above the list of lessons, as HTML.
    """

    title: str
    language: str = "en"
    theme: str = "auto"
    intro: str = ""


OURS = Look(
    "Automatic differentiation, tape by tape",
    intro="<p>Lessons of 50 minutes each. Every picture is made of what an engine recorded and "
    "did, and can be stepped through with the arrow keys. These pages work without a network.</p>"
    "<p>To change the code and to do the exercises, open a lesson as a notebook: <code>minitape "
    "tutorials 1</code>.</p>",
)


def shell(title: str, looks: str, body: str, look: Look = OURS) -> str:
    """A whole page; each script stands once, at the end, where all that wait for it are.

    Args:
        title: the page's.
        looks: the file of its style.
        body: what it shows.
        look: of the course.
    """
    body = without_cells(body)
    scripts = list(dict.fromkeys(SCRIPT.findall(body)))
    if not any("DecompressionStream" in each for each in scripts):
        scripts.append(awaited(body))  # a lesson is kept without the programs of its players
    forced = "" if look.theme == "auto" else f' style="color-scheme: {look.theme}"'
    return (
        f'<!doctype html>\n<html lang="{look.language}"{forced}>\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n{MADE_BY}\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n<style>\n{with_palette(file(looks))}</style>\n"
        f"</head>\n<body>\n{SCRIPT.sub('', body)}\n" + "\n".join(scripts) + "\n</body>\n</html>\n"
    )
