"""The corrected line for each mistake, made from the learner's own line where that can be read.

A line is parsed, never run, and only the piece that is wrong is replaced. Where a line cannot be
read, the advice is a line with the learner's names in it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from ...trace.trace import Line
from ..source_text import Source, called
from .translate import is_print, whole

BLOCK = "with tf.GradientTape() as {tape}:"
MODULES = {"np": "numpy", "numpy": "numpy", "math": "math", "tf": "minitape"}  # as all call them


def watched(tape: str, name: str) -> str:
    """The block with a `watch`."""
    return f"{BLOCK.format(tape=tape)}\n    {tape}.watch({name})"


def moved_inside(tape: str, line: Line | None, name: str) -> str:
    """The block with the line that was outside of it."""
    code = bare(line) or f"{name} = ..."
    return f"{BLOCK.format(tape=tape)}\n    {code}  # inside the block"


def assigned(line: Line | None, name: str) -> str:
    """`x.assign_add(e)` for `x = x + e`, else `x.assign(...)`."""
    code, tree = _parsed(line)
    methods = {ast.Add: "assign_add", ast.Sub: "assign_sub"}
    if isinstance(tree, ast.AugAssign) and type(tree.op) in methods:
        return f"{name}.{methods[type(tree.op)]}({_source(code, tree.value)})"
    if not isinstance(tree, ast.Assign):
        return f"{name}.assign(...)  # instead of {name} = ..."
    value = tree.value
    in_place = isinstance(value, ast.BinOp) and _source(code, value.left) == name
    if isinstance(value, ast.BinOp) and in_place and type(value.op) in methods:
        return f"{name}.{methods[type(value.op)]}({_source(code, value.right)})"
    return f"{name}.assign({_source(code, value)})"


def rebinds(line: Line | None, name: str) -> bool:
    """Whether a line is `x = ...` or `x -= ...`."""
    tree = _parsed(line)[1]
    targets = tree.targets if isinstance(tree, ast.Assign) else [getattr(tree, "target", None)]
    return any(isinstance(each, ast.Name) and each.id == name for each in targets)


def in_tensorflow(line: Line | None, name: str) -> str:
    """The line with TensorFlow's functions in place of NumPy's."""
    if line is None:
        return f"y = tf.square({name})  # tf functions only, no .numpy() and no np functions"
    code, tree = _parsed(line)
    if tree is None or is_print(tree):
        return f"# {code}: with tf functions instead"
    text = code if ast.unparse(tree) != "pass" and not code.endswith(":") else f"{code} pass"
    source = Source(text, MODULES)
    given = source.edited(whole(source, list(source.tree.body))).removesuffix(" pass")
    return given if given != code else f"{code}  # with tf functions instead"


def floating(line: Line | None, name: str) -> str:
    """A constant or variable of floats for one of integers."""
    code, tree = _parsed(line)
    if not isinstance(tree, ast.Assign) or not isinstance(tree.value, ast.Call):
        return f"{name} = tf.cast({name}, tf.float32)  # before the tape"
    numbers = [n for n in ast.walk(tree.value) if isinstance(n, ast.Constant)]
    for each in sorted(numbers, key=lambda n: n.col_offset, reverse=True):
        if type(each.value) is int:
            code = code[: each.col_offset] + f"{each.value}.0" + code[each.end_col_offset :]
    return re.sub(r"\btf\.u?int\d+\b", "tf.float32", code)


def not_cast(line: Line | None, name: str) -> str:
    """The line with a floating type in its cast."""
    code = line.text.strip() if line else ""
    fixed = re.sub(r"\btf\.(?:u?int\d+|bool)\b|(['\"])(?:u?int\d+|bool)\1", "tf.float32", code)
    return fixed if fixed != code else f"{name} = tf.cast({name}, tf.float32)"


def not_stopped(line: Line | None, name: str) -> str:
    """The line without `stop_gradient`."""
    unwrapped = _replaced(line, "stop_gradient", lambda call, code: _source(code, call.args[0]))
    return unwrapped or f"# use {name} itself instead of tf.stop_gradient({name})"


def passed_through(line: Line | None, op: str) -> str:
    """The line with a straight-through gradient for a step function."""

    def through(call: ast.Call, code: str) -> str:
        arguments = code[_end(call.func) : call.end_col_offset]
        return f"tf.grad_pass_through({_source(code, call.func)}){arguments}"

    wrapped = _replaced(line, op, through)
    return wrapped or f"y = tf.grad_pass_through(tf.{op})(x)"


def as_value(line: Line | None, name: str, how: str) -> str:
    """A tensor with a new name in place of an assignment."""
    code, tree = _parsed(line)
    call = tree.value if isinstance(tree, ast.Expr | ast.Assign) else None
    given = _source(code, call.args[0]) if isinstance(call, ast.Call) and call.args else "..."
    sign = {"assign_add": f"{name} + ", "assign_sub": f"{name} - "}
    for method, start in sign.items():
        if f".{method}(" in code:
            given = start + given
    new = re.sub(r"\W+", "_", name).strip("_") + "_new"
    return f"{new} = {given}  # then use {new}: a tensor keeps its history"


@lru_cache(maxsize=4096)
def literals(line: Line | None) -> set[Any]:
    """The numbers that stand in a line, and their negatives."""
    tree = _parsed(line)[1]
    numbers = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)] if tree else []
    plain = {n for n in numbers if isinstance(n, int | float | complex)}
    return plain | {-n for n in plain}


def names_made(line: Line | None) -> set[str]:
    """The names that a line gives a value to."""
    tree = _parsed(line)[1]
    if tree is None:
        return set()
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and type(n.ctx) is ast.Store}


def names_used(line: Line | None) -> set[str]:
    """The names that a line reads."""
    tree = _parsed(line)[1]
    if tree is None:
        return set()
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and type(n.ctx) is ast.Load}


def _parsed(line: Line | None) -> tuple[str, ast.stmt | None]:
    """The code of a line without indentation, and its statement; None where it is no whole one."""
    code = line.text.strip() if line else ""
    for attempt in (code, f"{code} pass"):
        try:
            body = ast.parse(attempt).body
        except (SyntaxError, ValueError):
            continue
        if body and attempt == code:  # without a comment behind it
            code = code.encode()[: body[-1].end_col_offset].decode()
        return code, body[0] if body else None
    return code, None


def bare(line: Line | None) -> str:
    """The code of a line, without indentation and comment."""
    return _parsed(line)[0]


def _source(code: str, node: ast.AST) -> str:
    return ast.get_source_segment(code, node) or "..."


def _end(node: ast.expr) -> int:
    return node.end_col_offset or 0


def _replaced(line: Line | None, function: str, by: Callable[[ast.Call, str], str]) -> str | None:
    """The line with the first call of a function replaced, None where there is none."""
    code, tree = _parsed(line)
    for node in ast.walk(tree) if tree and code.isascii() else ():
        if not isinstance(node, ast.Call):
            continue
        name = called(node.func)
        if name == function:
            return code[: node.col_offset] + by(node, code) + code[_end(node) :]
    return None


def verb(line: Line | None) -> str:
    """How a line puts a value into a variable: assign, assign_add, tf.Variable, ..."""
    found = re.search(r"\b(assign\w*|Variable)\(", line.text if line else "")
    return found[1] if found else "assign"
