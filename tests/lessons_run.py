"""Lessons that are run for their pages are run once for all tests, until a source changes.

What they give is kept in the user's cache, below a name that is made of all sources of the package,
whose players are in it, and one of the lesson. What no test has used for a day is
thrown away.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import runpy
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import minitape
from minitape.viz.course import running

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

OLD = 86_400  # seconds
SOURCES = {".py", ".js", ".css", ".html", ".npz"}


@functools.cache
def place_of_runs() -> Path:
    """Where the runs of this state of the sources are kept."""
    cache = (
        Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "minitape" / "lessons"
    )
    try:
        cache.mkdir(parents=True, exist_ok=True)
    except OSError:
        return Path(tempfile.mkdtemp())
    package = Path(minitape.__file__).parent
    found = hashlib.sha256()
    for root in (package, package / "viz", package.parent / "tutorials" / "data"):
        for folder, inside, names in os.walk(root):
            inside[:] = sorted(set(inside) - {"node_modules", "__pycache__"})
            for name in sorted(names):
                if Path(name).suffix in SOURCES:
                    found.update(Path(folder, name).read_bytes())
    place = cache / found.hexdigest()[:16]
    place.mkdir(exist_ok=True)
    os.utime(place)
    for each in cache.iterdir():
        with contextlib.suppress(FileNotFoundError):  # another process was faster
            if time.time() - each.stat().st_mtime > OLD:
                shutil.rmtree(each, ignore_errors=True)
    return place


def keep() -> None:
    """From now on this process takes the runs that are kept, and keeps its own."""
    running._run = kept(running._run)


def kept(run: Callable[[str, Path], str]) -> Callable[[str, Path], str]:
    def taken(text: str, notebook: Path) -> str:
        if notebook.parent != Path(minitape.__file__).parent.parent / "tutorials":
            return run(text, notebook)
        place = place_of_runs() / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.ipynb"
        with alone(place.with_suffix(".lock")):
            if not place.exists():
                whole = place.with_suffix(".new")
                whole.write_text(run(text, notebook), "utf-8")
                whole.replace(place)
        return place.read_text("utf-8")

    return taken


@contextlib.contextmanager
def alone(lock: Path) -> Iterator[None]:
    """Makes other processes wait here, which then find what this one has made."""
    with lock.open("w") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":  # python tests/lessons_run.py SCRIPT ARGUMENT ...
    keep()
    del sys.argv[0]
    sys.path[0] = str(Path(sys.argv[0]).parent)
    runpy.run_path(sys.argv[0], run_name="__main__")
