"""The scripts of pages, as `build.mjs` made them of the modules in `src` and of other rooms.

The bundles are kept in the repository, so that nobody who uses minitape needs Node, not even for an
editable install; a test makes them again and compares. The palette is filled in here, for it is
Python's.
"""

from __future__ import annotations

import functools
import json
import re
from typing import Any

from ..picture.theme import css_properties, picture_properties
from .packing import packed


@functools.cache
def program(*names: str) -> str:
    """Give one or several bundles as one script; the player, where it is one, comes first.

    Example:
        >>> program("player").startswith("var minitape=")
        True
    """
    text = "\n".join(map(_bundle, names))
    # Only the colours that the looks take, for each notebook output keeps a copy.
    colours = _used(css_properties(), text)
    text = re.sub("--palette: ?here", colours, text)
    return re.sub("--picture-palette: ?here", picture_properties(), text)


def _bundle(name: str) -> str:
    """Give one bundle; an installed package carries all of them compressed."""
    plain = _folder() / f"{name}.js"
    return plain.read_text("utf-8") if plain.is_file() else _packed()[name]


def _folder() -> Any:
    from importlib import resources  # loads much that importing viz need not

    return resources.files(__package__) / "bundles"


@functools.cache
def _packed() -> dict[str, str]:
    """Give the bundles of an installed package, by name."""
    try:
        import bz2
    except ImportError:
        raise ImportError(
            "the scripts of players cannot be unpacked: this Python was built without bz2. Install "
            "the package libbz2-dev (or bzip2-devel) and build Python again, or use another Python"
        ) from None
    whole = (_folder() / "scripts.json.bz2").read_bytes()
    found: dict[str, str] = json.loads(bz2.decompress(whole))
    return found


def _used(properties: str, text: str) -> str:
    """Keep the properties that looks need, and those that these need."""
    kept = properties.split(";")
    while True:
        whole = ";".join(kept)
        needed = [each for each in kept if f"var({each.split(':')[0]})" in text + whole]
        if needed == kept:
            return whole
        kept = needed


@functools.cache
def script(*names: str) -> str:
    """Give the script element that runs bundles; see `inflating`."""
    return inflating(program(*names))


# What waits in HTML for its script: the class of its element, and the bundle.
WAITING = {"minitape-player": "page", "minitape-exhibit": "exhibit", "minitape-film": "film"}


def awaited(text: str) -> str:
    """Give the script element for what waits in HTML that was kept without programs; empty if none.

    Example:
        >>> awaited("<p>one</p>")
        ''
    """
    names = [bundle for name, bundle in WAITING.items() if f'<div class="{name}"' in text]
    return script("player", *names) if names else ""


def inflating(text: str) -> str:
    """Give a script element that holds a program deflated: each notebook output keeps a copy.

    The browser inflates it itself and runs it as one more script of the page, whose own policy
    refuses what makes programs of text (`eval`). A checksum finds every damaged byte.
    """
    return f"<script>{_START.replace('PACKED', packed(f'(()=>{{{text}}})();', 9))}</script>"


_START = (
    "(async()=>{"
    'let bytes=Uint8Array.from(atob("PACKED"),each=>each.charCodeAt());'
    'let stream=new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));'
    'let script=document.createElement("script");'
    "script.textContent=await new Response(stream).text();"
    "document.head.appendChild(script).remove()})();"
)
