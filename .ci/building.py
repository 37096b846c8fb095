"""What a build makes: stubs, and lessons without outputs; hatchling calls it.

The one fact to know: it needs Python and NumPy alone. An editable install (of a clone, on a machine
without Node) calls it too; the scripts of pages need Node, so their bundles are in the repository.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).parents[1]


class Building(BuildHookInterface):  # type: ignore[type-arg]
    """The hook."""

    folder: str | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Before a build: stubs beside the package; for a wheel, lessons as students get them."""
        command = [sys.executable, "-X", "utf8", str(ROOT / "tests" / "stubs.py")]
        subprocess.run(command, check=True, cwd=ROOT)
        if self.target_name == "wheel" and version == "standard":
            self.folder = tempfile.mkdtemp()
            for path in sorted((ROOT / "tutorials").rglob("*.ipynb")):
                inside = path.relative_to(ROOT)
                place = Path(self.folder, inside)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(without_outputs(path.read_text("utf-8")), "utf-8")
                build_data["force_include"][str(place)] = f"minitape/{inside.as_posix()}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """After a build."""
        if self.folder:
            shutil.rmtree(self.folder)


def without_outputs(notebook: str) -> str:
    """A notebook as JSON without what its cells gave."""
    book = json.loads(notebook)
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
    book["metadata"]["outputs_left_out"] = (
        True  # `viz.course.running` runs it where they are needed
    )
    return json.dumps(book, ensure_ascii=False, indent=1) + "\n"
