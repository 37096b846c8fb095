"""What a build makes: stubs, and for a wheel its texts compressed; hatchling calls it.

It needs Python and NumPy alone. An editable install (of a clone, on a machine without Node) calls
it too; the scripts of pages need Node, so their bundles are in the repository.
"""

from __future__ import annotations

import bz2
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).parents[1]
# Each is unpacked by the module that reads it: `viz/course/course.py`, `viz/classroom/live.py`,
# `viz/player/program.py`.
TEXTS = "minitape/tutorials/texts.json.bz2"
BESIDE = {"frameworks", "traces"}  # a notebook that is no lesson
EDITOR = "viz/classroom/editor/codemirror.js"
BUNDLES = "viz/player/bundles"
KINDS = "viz/diagnosis/kinds"
# Programs of which only tests and pages are made; `viz/classroom/wheels.py` leaves them out, too.
EXAMPLES = re.compile(r'f?"""\\\n(?:import|from|\{START\}).*?"""', re.DOTALL)


class Building(BuildHookInterface):  # type: ignore[type-arg]
    """The hook."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Before a build: stubs beside the package; for a wheel, what its tutorials are."""
        command = [sys.executable, "-X", "utf8", str(ROOT / "tests" / "stubs.py")]
        subprocess.run(command, check=True, cwd=ROOT)
        if self.target_name == "wheel" and version == "standard":
            self.folder = tempfile.TemporaryDirectory()
            editor = bz2.compress((ROOT / EDITOR).read_bytes())
            packed = {
                TEXTS: texts(ROOT / "tutorials"),
                f"minitape/{EDITOR}.bz2": editor,
                f"minitape/{BUNDLES}/scripts.json.bz2": scripts(ROOT / BUNDLES),
            }
            for path in (ROOT / KINDS).rglob("*.py"):
                text = EXAMPLES.sub('""', path.read_text("utf-8"))
                packed[f"minitape/{path.relative_to(ROOT).as_posix()}"] = text.encode()
            for name, content in packed.items():
                place = Path(self.folder.name, name.replace("/", "."))
                place.write_bytes(content)
                build_data["force_include"][str(place)] = name

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """After a build."""
        if self.target_name == "wheel" and version == "standard":
            self.folder.cleanup()


def texts(tutorials: Path) -> bytes:
    """The texts of the tutorials as students get them: notebooks without outputs, and no scripts.

    Together they take two thirds of what they take one by one: lessons share their words. Code
    comes first, in a stream of its own, for it is not like prose.
    """
    found = {
        path.relative_to(tutorials).as_posix(): path.read_text("utf-8")
        for path in sorted(tutorials.rglob("*"))
        if path.suffix in {".ipynb", ".json", ".md", ".txt"}
        and "/." not in path.as_posix()
        and path.parent.name not in BESIDE
    }
    code: list[str] = []
    files = {
        name: without_outputs(text, code) if name.endswith(".ipynb") else text
        for name, text in found.items()
    }
    parts = (f'{{"code":{_json(code)},', f'"files":{_json(files)}}}')
    return b"".join(bz2.compress(part.encode()) for part in parts)


def scripts(bundles: Path) -> bytes:
    """The bundles by name, which share much: one by one, deflated, they take a quarter more."""
    found = {each.stem: each.read_text("utf-8") for each in sorted(bundles.glob("*.js"))}
    return bz2.compress(_json(found).encode())


def _json(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def without_outputs(notebook: str, code: list[str]) -> dict[str, Any]:
    """A notebook without what its cells gave, and with its code moved to the end of `code`.

    `viz.course.course.unpacked` puts back what is left out here.
    """
    book: dict[str, Any] = json.loads(notebook)
    for number, cell in enumerate(book["cells"], 1):
        if cell.pop("id") != f"cell-{number:02}":
            raise ValueError(f"cell {number} has another id than its number")
        cell["source"] = "".join(cell["source"])
        if cell["cell_type"] == "code":
            code.append(cell.pop("source"))
            del cell["outputs"], cell["execution_count"]
    # `viz.course.running` runs it where they are needed
    book["metadata"]["run_for_pages"] = True
    return book
