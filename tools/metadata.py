"""Adds the urls and the long description to the metadata: they depend on the addresses.

The addresses stand in one place, `[tool.minitape.addresses]` in pyproject.toml. An address that is
empty is printed nowhere: a link that would need it becomes its text, and a picture is left out.
Hatchling runs this whenever it builds the package; it needs Python's own library alone.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

ROOT = Path(__file__).parents[1]
# What an index calls each address; it shows a symbol beside names that it knows.
LABELS = {
    "source": "Source",
    "issues": "Issues",
    "docs": "Documentation",
    "live": "Try it live",
    "changelog": "Changelog",
}
_LINK = re.compile(r"(?P<picture>!?)\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<to>[^)\s]+)\)")


class CustomMetadataHook(MetadataHookInterface):
    """Fills in the two dynamic fields of `[project]`."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Sets `urls` and `readme`; hatchling calls it with the `[project]` table."""
        places = addresses()
        text = (ROOT / "README.md").read_text("utf-8")
        metadata["urls"] = urls(places)
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": description(text, places["source"], metadata["version"]),
        }


def addresses() -> dict[str, str]:
    """The addresses as the maintainer filled them in, without a slash at the end."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    filled = project["tool"]["minitape"]["addresses"]
    return {name: str(filled.get(name, "")).rstrip("/") for name in ("source", "docs", "live")}


def urls(places: dict[str, str]) -> dict[str, str]:
    """The links of the index's page; none for an address that is not known yet."""
    known = dict(places)
    if places["source"]:
        known["issues"] = f"{places['source']}/issues"
        known["changelog"] = f"{places['source']}/blob/main/CHANGELOG.md"
    return {label: known[name] for name, label in LABELS.items() if known.get(name)}


def description(text: str, source: str, version: str) -> str:
    """The README with links that work outside of the repository, or without them.

    Args:
        text: the README, whose links to files are relative.
        source: the address of the repository, or "".
        version: the release whose files the links lead to; its tag is `v` and the version.
    """

    def absolute(match: re.Match[str]) -> str:
        picture, to = match["picture"], match["to"]
        words = _LINK.sub(absolute, match["text"])  # a picture may be what one clicks
        if re.match(r"[a-z]+:|#", to):
            return match[0]
        if source:
            kind = "raw" if picture else "blob"
            return f"{picture}[{words}]({source}/{kind}/v{version}/{to})"
        return "" if picture else words

    fence = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)  # code stays as it is
    parts = [
        part if part.startswith("```") else _LINK.sub(absolute, part) for part in fence.split(text)
    ]
    return re.sub(r"\n{3,}", "\n\n", "".join(parts)).strip() + "\n"
