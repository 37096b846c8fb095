"""The paragraph at the top of each folder: it is there, and what it names exists."""

from __future__ import annotations

import ast
import builtins
import functools
import re
import sys
from pathlib import Path
from typing import Any

import minitape as tf
from minitape import viz

ROOT = Path(__file__).parents[2]
FOLDERS = sorted(
    init.parent for package in ("minitape", "viz") for init in (ROOT / package).rglob("__init__.py")
)


def paragraph(folder: Path) -> str:
    return ast.get_docstring(ast.parse((folder / "__init__.py").read_text("utf-8"))) or ""


def named(text: str) -> list[str]:
    """What stands between backticks and is one word: a module, a file, a folder, a public name."""
    return re.findall(r"`([\w./]+)`", text)


@functools.cache
def words_of(folder: Path) -> frozenset[str]:
    """The words of a folder's modules, which are names that are declared, used or meant there."""
    texts = [file.read_text("utf-8") for file in folder.rglob("*.py") if file.name != "__init__.py"]
    return frozenset(re.findall(r"\w+", " ".join(texts)))


def is_there(folder: Path, name: str) -> bool:
    if (folder / name).exists() or (folder / f"{name}.py").exists():
        return True
    package = ROOT / folder.relative_to(ROOT).parts[0]
    if list(package.rglob(f"{name}.py")) or (package / f"{name}.py").exists():
        return True
    parts = ROOT.joinpath(*name.split("."))
    if parts.is_dir() or parts.with_suffix(".py").is_file():
        return True
    first, *rest = name.split(".")
    found: Any = {"tf": tf, "viz": viz, "minitape": tf}.get(first)
    if found is not None:
        return all((found := getattr(found, part, None)) is not None for part in rest)
    known = hasattr(builtins, name) or name in sys.stdlib_module_names
    return known or name in words_of(folder)


def test_each_folder_says_what_is_in_it():
    silent = [str(each) for each in FOLDERS if len(paragraph(each).split()) < 12]
    assert silent == []


def test_what_a_folders_paragraph_names_exists():
    missing = {
        str(each): [name for name in named(paragraph(each)) if not is_there(each, name)]
        for each in FOLDERS
    }
    assert {folder: names for folder, names in missing.items() if names} == {}


def test_a_module_that_was_renamed_is_noticed():
    assert is_there(ROOT / "minitape", "records")
    assert is_there(ROOT / "viz", "viz.explain")
    assert not is_there(ROOT / "minitape", "recordings_of_old")
    assert not is_there(ROOT / "viz", "viz.explained_before")
