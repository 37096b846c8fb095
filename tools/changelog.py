"""Turns the files of `changes/` into a section of the changelog; `changes/README.md` has the rules.

python tools/changelog.py     # checks the files, and shows the section
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
KINDS = ("added", "changed", "deprecated", "removed", "fixed")
MOST = 400  # characters: the changelog is read by users, a page at a time
HEADING = "## [Unreleased]\n"
_NAME = re.compile(rf"[a-z0-9][a-z0-9-]*\.({'|'.join(KINDS)})\.md")


def fragments(folder: Path) -> list[Path]:
    """The files that describe a change, in the order of their names."""
    return sorted(file for file in folder.iterdir() if file.name not in {"README.md", ".gitkeep"})


def faults(file: Path) -> list[str]:
    """What is wrong with one of these files, and how to put it right."""
    if not _NAME.fullmatch(file.name):
        return [f"{file.name}: call it NAME.KIND.md, the kind one of {', '.join(KINDS)}"]
    text = file.read_text("utf-8").strip()
    found = []
    if not text or "\n\n" in text or text.startswith(("-", "*", "#")):
        found.append(f"{file.name}: write one paragraph, without a heading or a list")
    if len(text) > MOST:
        found.append(f"{file.name}: {len(text)} characters; {MOST} are the limit")
    if text and not re.match(r"[A-Z`]", text):
        found.append(f"{file.name}: begin with a capital letter, or with code")
    if not text.endswith("."):
        found.append(f"{file.name}: end with a full stop")
    return found


def section(files: list[Path]) -> str:
    """The entries under the headings of their kinds."""
    parts = []
    for kind in KINDS:
        of_kind = [file for file in files if file.name.endswith(f".{kind}.md")]
        entries = [" ".join(file.read_text("utf-8").split()) for file in of_kind]
        if entries:
            parts.append(
                f"### {kind.capitalize()}\n\n" + "".join(f"- {each}\n" for each in entries)
            )
    return "\n".join(parts)


def released(text: str, version: str, date: str, entries: str) -> str:
    """The changelog with a section for a release, below the heading of what is unreleased.

    A section that stands there already, such as `## 0.2.0 (not released)`, gets the date instead.
    """
    written = f"## {version} (not released)\n"
    if written in text:
        if entries:
            raise ValueError(f"the section of {version} is written: move changes/ into it by hand")
        return text.replace(written, f"## {version} ({date})\n")
    if not entries:
        raise ValueError("nothing has changed: changes/ is empty")
    before, heading, after = text.partition(HEADING)
    if not heading:
        raise ValueError(f"CHANGELOG.md has no line {HEADING.strip()!r}")
    kept, _, older = after.partition("\n## ")
    return f"{before}{heading}{kept}\n## {version} ({date})\n\n{entries}" + (
        f"\n## {older}" if older else ""
    )


def main() -> int:
    """Checks every file; prints what is wrong, or the section."""
    files = fragments(ROOT / "changes")
    wrong = [fault for file in files for fault in faults(file)]
    print("\n".join(wrong) if wrong else section(files) or "changes/ holds no change yet.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
