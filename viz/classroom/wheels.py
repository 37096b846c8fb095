"""Wheels made of what is installed here: minitape itself, and pure Python packages beside it.

A wheel is a zip file with a list of its files, so that no build tool is needed and no network. The
same files give the same bytes. What runs nowhere in a browser is left out: the lessons (the site
has them as notebooks), stubs for type checkers, and these commands.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import minitape

from ..errors import ClassroomError
from .runtime import Entry, Wheel, normal

# What scripts are made of and with is left out, too: pages carry the bundles.
LEFT_OUT = {
    "__pycache__", "classroom", "commands", "tutorials", "py.typed", "src", "node_modules",
    "package.json",
    "package-lock.json", "tsconfig.json", "scene.schema.json", "trace.schema.json",
    "player.css", "hall.css", "touch.css", "player.html",
    "film.js", "film.css",
    "exhibit.js", "exhibit.css", "beside.js", "explore_page.js", "quiz_page.js",
    "answers.js", "sealed.js", "deck.js", "deck.css",  # no page of a lecturer is made there
    # For PyTorch, which is not there; for files of learners and folders of lecturers.
    "doctor", "teaching", "torch.py", "torch_asked.py", "torch_names.py", "torch_watch.py",
}  # fmt: skip
# What explains and shows programs of PyTorch, JAX and TensorFlow, which are not there.
OF_FRAMEWORKS = (
    "viz/adapters/jax*.py", "viz/adapters/tensorflow*.py", "viz/jaxprs/*.py",
    *(f"viz/diagnosis/{each}.py" for each in (
        "outside", "kinds/[!_]*", "sources/jax", "sources/places", "sources/pytorch",
        "corrections/identities", "corrections/jax", "corrections/modules",
        "corrections/pytorch", "trial/child", "trial/frameworks", "trial/jax_child",
    )),
)  # fmt: skip
# What makes a course's pages and slides, which commands do.
OF_PAGES = (
    *(f"viz/course/{each}" for each in (
        "deck.py", "formulas.py", "pages.py", "running.py", "shell.py", "slides.py", "course.css",
        "presenter.js",
    )),
)  # fmt: skip
BUNDLES = "viz/player/bundles/scripts.json.bz2"
BUT = {
    "viz/classroom/__init__.py", "viz/classroom/program.py",  # what live pages run
    "viz/player/bundles/ops.txt", BUNDLES,
}  # fmt: skip
# A kind's example, of which only tests and the manual's pages are made.
_EXAMPLES = re.compile(rb'"""\\\n(?:import|from) .*?"""', re.DOTALL)
_SUFFIXES = {".py", ".js", ".css", ".html", ".json"}
_BEGINNING = (1980, 1, 1, 0, 0, 0)  # of time, for zip files
_LEVEL = 9


def own_wheel(depends: list[str]) -> Wheel:
    """Minitape as it is installed here.

    Its file name carries a hash of what is in it, so that a browser never takes an older one.

    Args:
        depends: the packages of the lock file that are loaded along with it.
    """
    files = dict(_own_files())
    digest = hashlib.sha256(b"".join(name.encode() + files[name] for name in files)).hexdigest()
    version = minitape.version.MINITAPE
    content = _packed("minitape", version, files)
    file_name = f"minitape-{version}-0{digest[:10]}-py3-none-any.whl"
    return _wheel("minitape", version, file_name, content, ["minitape"], depends)


def _own_files() -> Iterator[tuple[str, bytes]]:
    engine, viewer = Path(minitape.__file__).parent, Path(__file__).parents[1]
    # The viewer by itself: whether `rglob` follows the link to it depends on Python's version.
    found = {Path("viz", path.relative_to(viewer)): path for path in viewer.rglob("*")}
    found |= {path.relative_to(engine): path for path in engine.rglob("*")}
    bundles = {}
    for inside, path in sorted(found.items()):
        if path.parent.name == "bundles" and path.suffix == ".js":
            if path.stem != "sealed":  # a lecturer's
                bundles[path.stem] = path.read_text("utf-8")
            continue
        kept = LEFT_OUT.isdisjoint(inside.parts)
        kept = kept and not any(map(inside.match, OF_FRAMEWORKS + OF_PAGES))
        wanted = path.suffix in _SUFFIXES and kept
        if wanted or inside.as_posix() in BUT:
            content = path.read_bytes()
            if inside.match("viz/diagnosis/kinds/engine/*.py"):
                content = _EXAMPLES.sub(b'""', content)
            yield f"minitape/{inside.as_posix()}", content
    if bundles:
        import bz2  # which Python may be built without

        # As `.ci/building.py` packs them, for `viz.player.program`.
        whole = json.dumps(bundles, ensure_ascii=False, separators=(",", ":"))
        yield f"minitape/{BUNDLES}", bz2.compress(whole.encode())


def repacked(name: str, depends: list[str]) -> Wheel:
    """A pure Python package that is installed here, as a wheel again.

    Raises:
        ClassroomError: it is not installed.
    """
    try:
        found = distribution(name)
    except PackageNotFoundError as error:
        raise ClassroomError(
            f"the package {name!r} is not installed for this Python, and the site takes it from "
            f"there; run `python -m pip install 'minitape[site]'`"
        ) from error
    files = dict(_installed_files(found))
    imports = sorted({path.split("/")[0].removesuffix(".py") for path in files})
    plain = name.replace("-", "_")
    content = _packed(plain, found.version, files)
    file_name = f"{plain}-{found.version}-py3-none-any.whl"
    return _wheel(name, found.version, file_name, content, imports, depends)


def _installed_files(found: Distribution) -> Iterator[tuple[str, bytes]]:
    """A distribution's own files within the packages' folder, without what is compiled."""
    for each in sorted(found.files or []):
        path = Path(str(found.locate_file(each)))
        outside = ".." in each.parts or "__pycache__" in each.parts
        of_metadata = each.parts[0].endswith((".dist-info", ".data"))
        compiled = each.suffix in {".so", ".pyd", ".pyc", ".pth", ".map"}
        if path.is_file() and not (outside or of_metadata or compiled):
            yield each.as_posix(), path.read_bytes()


def _wheel(
    name: str, version: str, file_name: str, content: bytes, imports: list[str], depends: list[str]
) -> Wheel:
    entry: Entry = {
        "name": name,
        "version": version,
        "file_name": file_name,
        "install_dir": "site",
        "sha256": hashlib.sha256(content).hexdigest(),
        "package_type": "package",
        "imports": imports,
        "depends": [normal(each) for each in depends],
        "unvendored_tests": False,
    }
    return Wheel(file_name, content, entry)


def _packed(name: str, version: str, files: Mapping[str, bytes]) -> bytes:
    """A wheel's bytes: the files, and what describes them."""
    info = f"{name}-{version}.dist-info"
    described = {
        **files,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    rows = [f"{path},sha256={_digest(data)},{len(data)}" for path, data in described.items()]
    described[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,", ""]).encode()
    return added(b"", described)


def added(archive: bytes, files: Mapping[str, bytes]) -> bytes:
    """A zip file's bytes with more files in it; of none, a new one."""
    packed = io.BytesIO(archive)
    with zipfile.ZipFile(packed, "a", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as opened:
        for path, data in files.items():
            one = zipfile.ZipInfo(path, _BEGINNING)
            one.compress_type, one.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            opened.writestr(one, data)
    return packed.getvalue()


def with_bytecode(wheel: Wheel, code: Mapping[str, bytes]) -> Wheel:
    """A wheel with the bytecode of its modules.

    Its file name carries a hash of it, so that a browser does not take the wheel as it was.

    Args:
        wheel: the wheel.
        code: bytecode by the path of its source in a wheel; that of other wheels may be there.
    """
    with zipfile.ZipFile(io.BytesIO(wheel.content)) as archive:
        own = {_cached(name): code[name] for name in archive.namelist() if name in code}
    if not own:
        return wheel
    content = added(wheel.content, own)
    digest = hashlib.sha256(content).hexdigest()
    name, version, *_, tags, abi, platform = wheel.file_name.split("-")
    file_name = f"{name}-{version}-0{digest[:10]}-{tags}-{abi}-{platform}"
    return Wheel(file_name, content, {**wheel.entry, "file_name": file_name, "sha256": digest})


def _cached(source: str) -> str:
    """Where Python 3.14 looks for a module's bytecode."""
    folder, _, file = source.rpartition("/")
    return f"{folder}/__pycache__/{file.removesuffix('.py')}.cpython-314.pyc".lstrip("/")


def _digest(data: bytes) -> str:
    return urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def described(name: str, path: Path, depends: list[str]) -> Wheel:
    """A pure Python wheel that lies here, with an entry for a lock file."""
    content = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        tops = {inside.split("/")[0] for inside in archive.namelist()}
    imports = sorted(each.removesuffix(".py") for each in tops if not each.endswith(".dist-info"))
    return _wheel(name, path.name.split("-")[1], path.name, content, imports, depends)
