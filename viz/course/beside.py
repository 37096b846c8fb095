"""What stands beside a page that is written: a site or a live page, where its code can be edited.

It is looked for when the page is written, since pages ask for nothing when they are read.
"""

from __future__ import annotations

import html
from pathlib import Path
from urllib.parse import quote

SITE = "classroom/files.json"  # what every site of `minitape site` has
LIVE, LIVE_MARK = "live.html", 'content="minitape live"'
_HEAD = 4000  # characters of a page in which it says what made it


def site_from(folder: Path) -> str | None:
    """The way from a folder to the site that it lies in, at most two folders up; None without one.

    Example:
        >>> import tempfile
        >>> site_from(Path(tempfile.mkdtemp())) is None
        True
    """
    ways = ("", "../", "../../")
    return next((way for way in ways if (folder / way / SITE).is_file()), None)


def has_live_page(folder: Path) -> bool:
    """Whether a folder has a live page under its usual name, `live.html`."""
    try:
        with (folder / LIVE).open(encoding="utf-8", errors="replace") as opened:
            return LIVE_MARK in opened.read(_HEAD)
    except OSError:
        return False


def button(address: str, words: str) -> str:
    """A link that looks like a button."""
    looks = "display:inline-block;padding:6px 14px;border:1px solid;border-radius:8px"
    return f'<a class="edit" style="{looks}" href="{html.escape(address)}">{html.escape(words)}</a>'


def lesson_button(site: str | None, notebook: str) -> str:
    """The button of a lesson's page, "" where no site is beside it.

    Example:
        >>> "../notebooks/index.html?path=01%20a.ipynb" in lesson_button("../", "01 a.ipynb")
        True
    """
    if site is None:
        return ""
    return button(f"{site}notebooks/index.html?path={quote(notebook)}", "Edit and run this lesson")


def live_button(folder: Path) -> str:
    """The button of a page of the guide's examples, "" where no live page is beside it."""
    if not has_live_page(folder):
        return ""
    return f"<p>{button(LIVE, 'Edit and run these examples')}</p>"
