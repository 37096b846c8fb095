"""One page with an editor, Python and a stage for what a program shows; it opens by double click.

Everything is in the file. Pyodide, NumPy and minitape travel as compressed text; archives are
packed anew without compression first, since many small files compress better as one. The page
forbids the network to itself.
"""

from __future__ import annotations

import ast
import base64
import gzip
import html
import io
import json
import re
import tokenize
import zipfile
from collections.abc import Iterable, Sequence
from importlib import resources
from pathlib import Path, PurePath
from typing import NamedTuple

from ..course.guide import EXAMPLES
from ..errors import ClassroomError
from ..picture.theme import with_palette
from ..player.program import program as bundled
from .runtime import LOCK, Runtime, Wheel
from .wheels import own_wheel

LONG = 30  # seconds that a run has when it was asked for; live.js knows the same
POLICY = (
    "default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob:; connect-src blob: data:"
)
# Of the standard library and NumPy, what no program in a page can use.
_NEVER_USED = re.compile(
    r"(^|/)(tests?|idlelib|tkinter|turtledemo|ensurepip|pydoc_data|include|f2py|_pyrepl|venv)/"
    r"|\.pyi$|\.a$|\.pxd$"
)


class Program(NamedTuple):
    """A program of a page: its name and its text."""

    name: str
    text: str


def programs_of(files: Sequence[Path]) -> list[Program]:
    """Reads programs.

    Raises:
        ClassroomError: a file cannot be read as Python source; a mistake in it is no obstacle.
    """
    return [_read(file) for file in files]


def _read(file: Path) -> Program:
    if file.suffix == ".ipynb":
        raise ClassroomError(f"{str(file)!r} is a notebook; a live page is made of .py files")
    try:
        with tokenize.open(file) as opened:
            return Program(file.name, opened.read())
    except FileNotFoundError as error:
        raise ClassroomError(f"there is no file {str(file)!r}") from error
    except (OSError, SyntaxError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ClassroomError(f"{str(file)!r} cannot be read as Python: {reason}") from error


def guide() -> list[Program]:
    """The examples of the autodiff guide, each a whole program."""
    return [
        Program(f"{number}. {each.title}", f"import minitape as tf\n\n{each.code}")
        for number, each in enumerate(EXAMPLES, 1)
    ]


def live_page(programs: Sequence[Program], runtime: Runtime, title: str = "") -> str:
    """The page.

    Args:
        programs: at least one; the first is open.
        runtime: the Pyodide that the page holds.
        title: the page's heading; by default the first program's name.

    Raises:
        ClassroomError: a wheel that a program needs is missing or damaged.
    """
    packages = runtime.closure(["numpy", *imported(programs, runtime)])
    wheels = [own_wheel(["numpy"]), *(runtime.wheel(name) for name in packages)]
    options = "".join(
        f'<option value="{place}">{html.escape(each.name)}</option>'
        for place, each in enumerate(programs)
    )
    named = json.dumps(["minitape", *packages])
    values = {
        "POLICY": POLICY,
        "TITLE": html.escape(title or PurePath(programs[0].name).stem),
        "LOOKS": with_palette(_file("live.css")),
        "LONG": str(LONG),
        "OPTIONS": options,
        "PACKAGES": html.escape(named),
        "STAGE": _filled(
            _file("stage.html"),
            {
                "STAGE_LOOKS": with_palette(_file("stage.css")),
                "PLAYER": _script(bundled("player", "stage")),
            },
        ),
        "PROGRAMS": _data([each._asdict() for each in programs]),
        "WORKER": _script(_file("worker.js")),
        "FILES": "\n".join(_embedded(*each) for each in files_of(runtime, wheels)),
        "EDITOR": _script(_editor()),
        "SCRIPT": _script(_file("live.js")),
    }
    return _filled(_file("live.html"), values)


def imported(programs: Iterable[Program], runtime: Runtime) -> list[str]:
    """The distribution's packages that programs import; one that cannot be parsed names none."""
    provides = {
        module: name for name, entry in runtime.packages.items() for module in entry["imports"]
    }
    found: set[str] = set()
    for program in programs:
        try:
            nodes = list(ast.walk(ast.parse(program.text)))
        except (SyntaxError, ValueError):
            continue
        names = [each.name for node in nodes if isinstance(node, ast.Import) for each in node.names]
        names += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
        found |= {
            provides[top] for top in (name.split(".")[0] for name in names) if top in provides
        }
    return sorted(found)


def files_of(runtime: Runtime, wheels: Sequence[Wheel]) -> list[tuple[str, bytes]]:
    """Each file of Python that the page holds, by its name."""
    lock = {**runtime.lock, "packages": {wheel.entry["name"]: wheel.entry for wheel in wheels}}
    plain = [
        (name, (runtime.folder / name).read_bytes())
        for name in ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")
    ]
    library = lean_archive((runtime.folder / "python_stdlib.zip").read_bytes())
    packed = [(wheel.file_name, lean_archive(wheel.content)) for wheel in wheels]
    return [*plain, ("python_stdlib.zip", library), *packed, (LOCK, json.dumps(lock).encode())]


def lean_archive(content: bytes) -> bytes:
    """A zip file or wheel without what is never used, and not compressed in itself."""
    lean = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as archive, zipfile.ZipFile(lean, "w") as target:
        for each in archive.infolist():
            if not _NEVER_USED.search(each.filename):
                one = zipfile.ZipInfo(each.filename, (1980, 1, 1, 0, 0, 0))
                one.external_attr = each.external_attr
                target.writestr(one, archive.read(each))
    return lean.getvalue()


def _embedded(name: str, content: bytes) -> str:
    text = base64.b64encode(gzip.compress(content, 9, mtime=0)).decode()
    kind = 'type="application/octet-stream"'
    return f'<script {kind} data-file="{html.escape(name)}">{text}</script>'


def _data(value: object) -> str:
    """JSON for a script element: no text in it can end the element."""
    return json.dumps(value).replace("<", "\\u003c")


def _script(source: str) -> str:
    """A script's text for a script element."""
    return source.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _filled(template: str, values: dict[str, str]) -> str:
    """A template with each [[NAME]] filled in; what is filled in is not looked at again."""
    return re.sub(r"\[\[([A-Z_]+)\]\]", lambda found: values[found[1]], template)


def _file(name: str) -> str:
    return (resources.files(__package__) / "pages" / name).read_text("utf-8")


def _editor() -> str:
    """CodeMirror; an installed package carries it compressed."""
    folder = resources.files(__package__) / "editor"
    plain, packed = folder / "codemirror.js", folder / "codemirror.js.bz2"
    if plain.is_file():
        return plain.read_text("utf-8")
    try:
        import bz2
    except ImportError:
        raise ClassroomError(
            "the editor of a live page cannot be unpacked: this Python was built without bz2. "
            "Install the package libbz2-dev (or bzip2-devel) and build Python again, or use "
            "another Python"
        ) from None
    return bz2.decompress(packed.read_bytes()).decode()
