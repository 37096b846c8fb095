"""A folder for a web server: JupyterLite with the course, ready to run in the browser.

Python, NumPy and minitape are packages of one lock file in the site, so that `import minitape`
loads them and nothing is asked of another machine. With "cdn" only minitape comes from the site,
and Pyodide from its official place when a page is opened. The site is made beside its place and
then moved there: a failure leaves what was there before.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, NamedTuple

from ..base.files import make_folder
from ..course.course import Lesson, lessons
from ..course.shell import OURS
from ..errors import ClassroomError
from . import notebooks, start
from .bytecode import compiled
from .runtime import FILES, VERSION, Runtime, Wheel, lay_out, lay_out_wheels, opened
from .wheels import described, own_wheel, repacked

CDN = "cdn"
APPS = ("lab", "notebooks", "tree", "edit")
NEEDED = {"jupyterlite-core": "0.8.6", "jupyterlite-pyodide-kernel": "0.8.6"}
EXTENSIONS = ("jupyterlite-pyodide-kernel", "jupyterlab-widgets", "anywidget")
# What the kernel starts with; all else is loaded by the first cell that imports it.
KERNEL = ("micropip", "piplite", "ipykernel", "comm", "pyodide-kernel", "jedi", "ipython")
LESSONS = ("matplotlib", "anywidget")  # what a lesson loads besides
FROM_HERE = {
    "comm": [],
    "graphviz": [],
    "psygnal": [],
    "ipywidgets": ["comm", "ipython", "traitlets"],
    "anywidget": ["ipywidgets", "psygnal", "typing-extensions"],
}
FROM_KERNEL = {
    "piplite": ["micropip"],
    "pyodide-kernel": ["comm", "ipython"],
    "ipykernel": [],
}
FROM_FOLDER = ("micropip", "ipython", "jedi", "numpy", "matplotlib", "typing-extensions")
OWN = ["numpy", "anywidget"]
RUNTIME, WHEELS = "static/pyodide", "static/wheels"
CDN_FOLDER = f"https://cdn.jsdelivr.net/pyodide/v{VERSION}/full/"
PLUGIN = "@jupyterlite/pyodide-kernel-extension:kernel"


class Site(NamedTuple):
    """What was made: where, its size in bytes, how many files and lessons; why it starts slowly."""

    place: Path
    size: int
    files: int
    lessons: int
    slow: str


def write_site(
    out: Path,
    pyodide: str,
    course: Sequence[Lesson] | None = None,
    files: Path | None = None,
    title: str = OURS.title,
) -> Site:
    """Makes the site.

    Args:
        out: the folder; what is there must be a site of this command, or empty.
        pyodide: a folder with Pyodide, or "cdn".
        course: the lessons; by default all of ours.
        files: a folder whose files lie beside the lessons in the site.
        title: of the course.

    Raises:
        ClassroomError: a package is missing, the folder with Pyodide is not whole, or `out` holds
            something else.
        OSError: `out` cannot be written.
    """
    check_packages()
    runtime = None if pyodide == CDN else opened(Path(pyodide))
    wheels = wheels_of(runtime)
    chosen = lessons() if course is None else list(course)
    check_out(out, Path(pyodide))
    make_folder(out.absolute().parent)
    slow = ""
    if runtime:
        runtime, wheels, slow = compiled(runtime, wheels, [*KERNEL, "minitape", *LESSONS])
    with tempfile.TemporaryDirectory(dir=out.absolute().parent, prefix=".minitape-site-") as name:
        work = Path(name)
        prepare(work / "lite", chosen, runtime, wheels)
        if files is not None:
            shutil.copytree(files, work / "contents", dirs_exist_ok=True)
        build(work / "lite", work / "site")
        if runtime is None:  # JupyterLite copies a runtime, and no other folder of this kind
            lay_out_wheels(work / "site" / WHEELS, wheels)
        address = f"../{RUNTIME}/pyodide.mjs" if runtime else f"{CDN_FOLDER}pyodide.mjs"
        needed = needed_files(runtime, wheels)
        start.write_start(
            work / "site", chosen, needed, address, packages_of(runtime, wheels, "../"), title
        )
        replace(out, work / "site", work / "old")
    found = [path for path in out.rglob("*") if path.is_file()]
    return Site(out, sum(path.stat().st_size for path in found), len(found), len(chosen), slow)


def check_packages() -> None:
    """Raises unless the pinned packages are installed."""
    for name, version in NEEDED.items():
        try:
            found = distribution(name).version
        except PackageNotFoundError:
            found = "none"
        if found != version:
            raise ClassroomError(
                f"a site is made with {name} {version}, and here is {found}; run "
                "`python -m pip install 'minitape[site]'`"
            )


def check_out(out: Path, pyodide: Path) -> None:
    """Raises unless the folder may be replaced."""
    if out.exists() and not out.is_dir():
        raise ClassroomError(f"cannot make the folder {str(out)!r}: a file is in its place")
    if pyodide.is_dir() and out.resolve() in (pyodide.resolve(), *pyodide.resolve().parents):
        raise ClassroomError(f"{str(out)!r} holds the Pyodide that the site is made of; "
                             "choose another folder")  # fmt: skip
    if out.is_dir() and any(out.iterdir()) and not (out / start.FILES).exists():
        raise ClassroomError(
            f"{str(out)!r} is not empty, and no site of `minitape site`; choose another folder"
        )


def wheels_of(runtime: Runtime | None) -> list[Wheel]:
    """The wheels of the site; without a runtime those that its official place has not got."""
    kernel = [from_kernel(name, depends) for name, depends in FROM_KERNEL.items()]
    here = [repacked(name, depends) for name, depends in FROM_HERE.items()]
    ours = [own_wheel(OWN), *here, *kernel]
    if runtime is None:
        return ours
    return [*ours, *(runtime.wheel(name) for name in runtime.closure(FROM_FOLDER))]


def from_kernel(name: str, depends: list[str]) -> Wheel:
    """A wheel that the kernel's extension for JupyterLite brings along."""
    extension = extension_folder("jupyterlite-pyodide-kernel")
    (path,) = (extension / "static/pypi").glob(f"{name.replace('-', '_')}-*.whl")
    return described(name, path, depends)


def extension_folder(package: str) -> Path:
    """Where an installed package keeps its extension for JupyterLab."""
    for each in distribution(package).files or []:
        if each.parts[-1] == "package.json" and "labextensions" in each.parts:
            return Path(str(distribution(package).locate_file(each))).resolve().parent
    raise ClassroomError(f"the package {package!r} has no extension for JupyterLab")


def prepare(
    lite: Path, course: Sequence[Lesson], runtime: Runtime | None, wheels: list[Wheel]
) -> None:
    """Writes what JupyterLite builds the site from."""
    (lite.parent / "contents").mkdir(parents=True)
    notebooks.written(course, lite.parent / "contents")
    lite.mkdir()
    if runtime:
        lay_out(lite / RUNTIME, runtime, wheels)
    settings = {"jupyter-lite-schema-version": 0, "jupyter-config-data": config(runtime, wheels)}
    (lite / "jupyter-lite.json").write_text(json.dumps(settings), "utf-8")
    (lite / "overrides.json").write_text(json.dumps(OVERRIDES), "utf-8")


OVERRIDES = {
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "defer"},
}


def config(runtime: Runtime | None, wheels: list[Wheel]) -> dict[str, Any]:
    """What JupyterLite reads when a page of it is opened."""
    # Addresses are relative to the kernel's worker, so that the site works below any path.
    packages = packages_of(runtime, wheels, "../../../../")
    kernel = {"disablePyPIFallback": True, "loadPyodideOptions": {"packages": packages}}
    return {
        "appName": "minitape",
        "litePluginSettings": {PLUGIN: kernel},
        "disabledExtensions": ["@jupyterlab/extensionmanager-extension"],
    }


def packages_of(runtime: Runtime | None, wheels: list[Wheel], above: str) -> list[str]:
    """What the kernel starts with: names in the lock file, or addresses of own wheels."""
    if runtime:
        return [*KERNEL, "minitape"]
    ours = [f"{above}{WHEELS}/{wheel.file_name}" for wheel in wheels]
    return ["micropip", "ipython", "jedi", "numpy", "typing-extensions", *ours]


def needed_files(runtime: Runtime | None, wheels: list[Wheel]) -> list[tuple[str, str]]:
    """Each file that Python needs, from the site's folder, with what it is."""
    place = RUNTIME if runtime else WHEELS
    packed = [(f"{place}/{each.file_name}", f"package {each.entry['name']}") for each in wheels]
    return [*((f"{place}/{name}", "Python itself") for name in FILES if runtime), *packed]


def build(lite: Path, out: Path) -> None:
    """Has JupyterLite build the site, of its own parts and the extensions named here alone."""
    command = [
        sys.executable, "-m", "jupyterlite_core", "build", "--lite-dir", str(lite),
        "--output-dir", str(out), "--contents", str(lite.parent / "contents"), "--no-sourcemaps",
        "--no-unused-shared-packages", "--ignore-sys-prefix", "--no-libarchive",
    ]  # fmt: skip
    command += [word for app in APPS for word in ("--apps", app)]
    for package in EXTENSIONS:
        command.append(f"--LiteBuildConfig.federated_extensions={extension_folder(package)}")
    settings = {name: value for name, value in os.environ.items() if "JUPYTER" not in name}
    done = subprocess.run(
        command, cwd=lite, env=settings, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, errors="replace",
    )  # fmt: skip
    if done.returncode or not (out / "jupyter-lite.json").exists():
        last = " / ".join(done.stderr.strip().splitlines()[-3:])
        raise ClassroomError(f"JupyterLite could not build the site: {last}")


def replace(out: Path, made: Path, old: Path) -> None:
    """Puts what was made in the place of what is there."""
    if out.exists():
        out.rename(old)
    try:
        made.rename(out)
    except OSError:
        if old.exists():
            old.rename(out)
        raise
