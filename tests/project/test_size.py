"""A reader takes a module in one sitting, and a function at one glance."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted(file for package in ("minitape", "viz") for file in (ROOT / package).rglob("*.py"))


@pytest.mark.parametrize("package", ["minitape", "viz"])
def test_no_module_is_longer_than_300_lines(package):
    inside = [file for file in MODULES if file.is_relative_to(ROOT / package)]
    lengths = {str(file): len(file.read_text("utf-8").splitlines()) for file in inside}
    assert len(lengths) > 100
    assert {name: length for name, length in lengths.items() if length > 300} == {}


def test_no_function_of_the_plain_code_is_longer_than_40_lines_without_its_docstring():
    long = [
        f"{file}:{function.lineno} {function.name} has {length(function)} lines"
        for file in MODULES
        if "fast" not in file.parts
        for function in functions(ast.parse(file.read_text("utf-8")))
        if length(function) > 40
    ]
    assert long == []


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    return (each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef))


def length(function: ast.FunctionDef) -> int:
    whole = function.end_lineno - function.lineno + 1
    first = function.body[0]
    has_docstring = ast.get_docstring(function, clean=False) is not None
    return whole - (first.end_lineno - first.lineno + 1 if has_docstring else 0)


def test_the_measure_of_a_function_leaves_out_its_docstring_alone():
    tree = ast.parse('def f(x):\n    """One.\n\n    Two.\n    """\n    return x\n')
    assert [length(each) for each in functions(tree)] == [2]
