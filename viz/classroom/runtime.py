"""A folder with Pyodide: which files it must have, and what its lock file says of each package.

The lock file names every wheel with its hash, and a wheel that is missing or differs keeps Python
from starting in the browser, without a word. So all that is needed is checked here, where a message
can be given.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import ClassroomError

VERSION = "314.0.6"
RELEASE = (
    f"https://github.com/pyodide/pyodide/releases/download/{VERSION}/pyodide-{VERSION}.tar.bz2"
)
LOCK, LIBRARY = "pyodide-lock.json", "python_stdlib.zip"
FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", LIBRARY, LOCK)
HOW_TO_GET_IT = f"download {RELEASE}, unpack it and name the folder with --pyodide"

Entry = dict[str, Any]


class Wheel(NamedTuple):
    """A package as one file: the file's name, its content, and its entry in the lock file."""

    file_name: str
    content: bytes
    entry: Entry


class Runtime(NamedTuple):
    """A folder with Pyodide, the packages of its lock file, and its standard library's archive.

    Packages go by their normal names.
    """

    folder: Path
    lock: dict[str, Any]
    packages: dict[str, Entry]
    library: bytes

    def closure(self, names: Iterable[str]) -> list[str]:
        """The packages named and all they need, as normal names in the order of the alphabet.

        Raises:
            ClassroomError: the distribution has no such package.
        """
        todo, found = [normal(name) for name in names], set()
        while todo:
            name = todo.pop()
            if name not in self.packages:
                raise ClassroomError(f"the Pyodide in {str(self.folder)!r} has no package {name!r}")
            if name not in found:
                found.add(name)
                todo += [normal(each) for each in self.packages[name]["depends"]]
        return sorted(found)

    def wheel(self, name: str) -> Wheel:
        """A package's wheel.

        Raises:
            ClassroomError: it is not in the folder, or is not the one that the lock file describes.
        """
        entry = self.packages[name]
        file_name = Path(entry["file_name"]).name
        content = _content(self.folder, file_name, f"the package {name}")
        if hashlib.sha256(content).hexdigest() != entry["sha256"]:
            raise ClassroomError(
                f"{str(self.folder / file_name)!r} is damaged: it is not the file that {LOCK} "
                f"describes; {HOW_TO_GET_IT}"
            )
        return Wheel(file_name, content, entry)


def opened(folder: Path) -> Runtime:
    """Reads a folder with Pyodide.

    Raises:
        ClassroomError: it is none, a file of the runtime is missing, or its version is another.
    """
    if not folder.is_dir():
        raise ClassroomError(f"there is no folder {str(folder)!r}; {HOW_TO_GET_IT}")
    for name in FILES:
        _content(folder, name, "the runtime")
    try:
        lock = json.loads((folder / LOCK).read_text("utf-8"))
        python, packages = str(lock["info"]["python"]), dict(lock["packages"])
        by_name = {normal(name): _entry(each) for name, each in packages.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ClassroomError(
            f"{str(folder / LOCK)!r} is no lock file of Pyodide; {HOW_TO_GET_IT}"
        ) from error
    if not python.startswith("3.14."):
        raise ClassroomError(
            f"the Pyodide in {str(folder)!r} has Python {python}, and the pages here are made for "
            f"Pyodide {VERSION} with Python 3.14; {HOW_TO_GET_IT}"
        )
    return Runtime(folder, lock, by_name, (folder / LIBRARY).read_bytes())


def _entry(given: Mapping[str, Any]) -> Entry:
    """An entry that has what is read of it."""
    file_name, digest, depends = given["file_name"], given["sha256"], given["depends"]
    if not (isinstance(file_name, str) and isinstance(digest, str) and isinstance(depends, list)):
        raise TypeError(f"an entry of {LOCK} is not as expected: {given!r:.80}")
    return dict(given)


def _content(folder: Path, name: str, what: str) -> bytes:
    try:
        return (folder / name).read_bytes()
    except OSError as error:
        raise ClassroomError(
            f"{what} needs the file {name!r}, and it is not in {str(folder)!r} (the npm package "
            f"of Pyodide has no wheels); {HOW_TO_GET_IT}"
        ) from error


def lay_out(place: Path, runtime: Runtime, wheels: list[Wheel]) -> None:
    """Makes a folder from which Python starts with these packages, and no others."""
    lay_out_wheels(place, wheels)
    for name in set(FILES) - {LIBRARY, LOCK}:
        shutil.copyfile(runtime.folder / name, place / name)
    (place / LIBRARY).write_bytes(runtime.library)
    (place / LOCK).write_text(json.dumps(locked(runtime, wheels)), "utf-8")


def lay_out_wheels(place: Path, wheels: list[Wheel]) -> None:
    """Writes the packages into a folder, which is made."""
    place.mkdir(parents=True, exist_ok=True)
    for wheel in wheels:
        (place / wheel.file_name).write_bytes(wheel.content)


def locked(runtime: Runtime, wheels: list[Wheel]) -> dict[str, Any]:
    """A lock file: the packages that are there, and no others."""
    packages = {normal(wheel.entry["name"]): wheel.entry for wheel in wheels}
    return {**runtime.lock, "packages": packages}


def normal(name: str) -> str:
    """A package's name as lock files compare it.

    Example:
        >>> normal("Prompt_Toolkit")
        'prompt-toolkit'
    """
    return re.sub(r"[-_.]+", "-", name).lower()
