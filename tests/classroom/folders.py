"""Small folders that look like Pyodide, for tests of what needs no runtime."""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path
from typing import Any

RUNTIME = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
DEPENDS = {
    "micropip": [],
    "numpy": [],
    "traitlets": [],
    "ipython": ["traitlets", "Prompt_Toolkit"],
    "prompt-toolkit": [],
    "jedi": [],
    "matplotlib": ["numpy"],
    "typing-extensions": [],
}


def pyodide_like(folder: Path, python: str = "3.14.2") -> Path:
    """A folder with a lock file, a wheel for each of its packages, and files for the runtime."""
    folder.mkdir(parents=True)
    for name in RUNTIME:
        (folder / name).write_bytes(name.encode() * 10)
    packages = {name: package(folder, name, depends) for name, depends in DEPENDS.items()}
    lock = {"info": {"python": python, "abi_version": "2026_0"}, "packages": packages}
    (folder / "pyodide-lock.json").write_text(json.dumps(lock))
    return folder


def package(folder: Path, name: str, depends: list[str]) -> dict[str, Any]:
    wheel = folder / f"{name.replace('-', '_')}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(f"{name.replace('-', '_')}/__init__.py", f"name = {name!r}\n")
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    return {
        "name": name, "version": "1.0", "file_name": wheel.name, "sha256": digest,
        "depends": depends, "imports": [name], "install_dir": "site", "package_type": "package",
        "unvendored_tests": False,
    }  # fmt: skip
