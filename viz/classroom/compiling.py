"""Runs in Pyodide: compiles every module that a lesson's start imports, for `bytecode`.

Writes two archives, one of the standard library and one of all packages, each file under the path
of its source. The bytecode says that it need not be compared with its source (PEP 552), since
unpacking a wheel gives a source a new date.
"""

import marshal
import sys
import zipfile
from importlib import import_module
from importlib.util import MAGIC_NUMBER, source_hash
from pathlib import Path

LIBRARY, PACKAGES = "/lib/python314.zip", "/lib/python3.14/site-packages"  # in Pyodide
UNCHECKED = (1).to_bytes(4, "little")
START = (
    "piplite.piplite", "pyodide_kernel", "matplotlib.pyplot", "matplotlib_inline.backend_inline",
    "ipywidgets", "anywidget", "minitape", "minitape.viz",
)  # fmt: skip


def loaded() -> list[str]:
    """The source files of all modules that are imported now, and all of minitape's."""
    for name in START:
        import_module(name)
    files = {getattr(module, "__file__", None) or "" for module in list(sys.modules.values())}
    files.update(str(path) for path in Path(PACKAGES, "minitape").rglob("*.py"))
    return sorted(name for name in files if name.endswith(".py"))


def bytecode(path: str, source: bytes) -> bytes:
    """A module's bytecode, marked as good without a look at its source."""
    code = compile(source, path, "exec", dont_inherit=True)
    return MAGIC_NUMBER + UNCHECKED + source_hash(source) + marshal.dumps(code)


def main() -> None:
    """Writes the archives."""
    library = zipfile.ZipFile(LIBRARY)
    with (
        zipfile.ZipFile("/made/library.zip", "w") as of_library,
        zipfile.ZipFile("/made/packages.zip", "w") as of_packages,
    ):
        for path in loaded():
            if path.startswith(f"{LIBRARY}/"):
                inside = path.removeprefix(f"{LIBRARY}/")
                of_library.writestr(inside, bytecode(path, library.read(inside)))
            elif path.startswith(f"{PACKAGES}/"):
                inside = path.removeprefix(f"{PACKAGES}/")
                of_packages.writestr(inside, bytecode(path, Path(path).read_bytes()))


if __name__ == "__main__":
    main()
