"""Corrections of numbers: stable forms of what is not finite or loses digits, then safe inputs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from minitape.ops.elementwise.powers import exp, pow_ as power, sqrt

from ..finding import Finding
from ..source_text import Source, called
from ..words import known
from .blocks import keyword_edit
from .candidate import at, call_like, call_named, facts_called, is_call_of, wrapped
from .edits import negated
from .logarithms import of_logarithms
from .pairs import Pairs, of_pairs, of_tensorflow
from .steps import broken_data, diverges

SMALL = "1e-7"
SPECIAL = {"diverges": diverges, "broken_data": broken_data, "endless": negated}
MAX_FACTORS = 6  # of a power that is written as a product
MAKERS = {"constant", "Variable", "ones", "zeros", "eye", "normal", "uniform", "range"}


def finite_numbers(source: Source, finding: Finding) -> Iterator[str]:
    """The texts to try."""
    special = SPECIAL.get(finding.cause)
    if special is not None:
        yield from special(source, finding)
        return
    node = at(source, finding)
    if node is None:
        return
    if finding.cause == "empty":
        yield from _average_of_nothing(source, node)
        return
    if finding.cause == "whole_power":
        yield from _product(source, node)
        return
    if finding.cause == "unchosen":
        yield from _safe_branch(source, finding, node)
    yield from of_pairs(source, node)
    yield from _shifted(source, node)
    op = known(finding.facts.get("op", ""))
    if op is not None and op.facts.matrix:
        yield from _jittered(source, node)
    elif finding.cause != "overflow" or _is_inverse(node):  # no input is safe from a large result
        yield from _safe_inputs(source, node)
    yield from of_logarithms(source, node)
    yield from _wider(source, finding)


def _product(source: Source, node: Any) -> Iterator[str]:
    """`tf.square(x)` for `x ** 2`, a product for a larger whole exponent."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        base, exponent = node.left, node.right
    elif is_call_of(node, power) and len(node.args) == 2:
        base, exponent = node.args
    else:
        return
    number = getattr(exponent, "value", None)
    if not isinstance(number, int | float) or number not in range(2, MAX_FACTORS + 1):
        return
    x = wrapped(source, base)
    if number == 2:
        yield source.edited([source.replaced(node, f"{source.tf}.square({source.code(base)})")])
    elif isinstance(base, ast.Name | ast.Attribute):
        yield source.edited([source.replaced(node, f"({' * '.join([x] * int(number))})")])


def _jittered(source: Source, node: Any) -> Iterator[str]:
    """A small multiple of the identity added to a matrix."""
    matrix = node.args[0] if isinstance(node, ast.Call) and node.args else None
    if matrix is not None:
        x, tf = wrapped(source, matrix), source.tf
        for small in ("1e-6", "1e-4"):
            text = f"{x} + {small} * {tf}.eye({x}.shape[-1], dtype={x}.dtype)"
            yield source.edited([source.replaced(matrix, text)])


def _safe_branch(source: Source, finding: Finding, node: Any) -> Iterator[str]:
    """A harmless number where the branch is not chosen, inside of the `where`."""
    chooser = call_named(source, source.node(finding.spans.get("where")), "where")
    if chooser is None or len(chooser.args) != 3:
        return
    condition, tf = source.code(chooser.args[0]), source.tf
    if node in ast.walk(chooser.args[2]):
        condition = f"{tf}.logical_not({condition})"
    risky = _risky(node)
    if risky is None:
        return
    for safe in ("1.0", "0.0", "0.5"):
        text = source.code(risky)
        guarded = f"{tf}.where({condition}, {text}, {safe})"
        yield source.edited([source.replaced(risky, guarded)])
        ones = f"{tf}.where({condition}, {text}, {safe} * {tf}.ones_like({text}))"
        yield source.edited([source.replaced(risky, ones)])


def _average_of_nothing(source: Source, node: Any) -> Iterator[str]:
    """A sum divided by its number of elements, which is 0 where there are none."""
    tf, mean = source.tf, call_like(source, node, lambda facts: facts.reduces == "mean")
    if mean is not None and len(mean.args) == 1 and not mean.keywords:
        x = source.code(mean.args[0])
        number = f"{tf}.cast({tf}.size({x}), {x}.dtype)"
        text = f"{tf}.math.divide_no_nan({tf}.reduce_sum({x}), {number})"
        yield source.edited([source.replaced(mean, text)])


def _risky(node: Any) -> Any:
    """The argument that must be in the op's domain."""
    if isinstance(node, ast.Call) and node.args:
        return node.args[1] if "div" in called(node.func) and len(node.args) > 1 else node.args[0]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return node.right
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return node.left
    return None


def _is_inverse(node: Any) -> bool:
    """Whether an expression is a negative power: its large results come from small inputs."""
    is_power = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)
    return is_power and isinstance(node.right, ast.UnaryOp)


def _shifted(source: Source, node: Any) -> Iterator[str]:
    """An exponential of what is at most 0."""
    if is_call_of(node, exp) and node.args:
        x = source.code(node.args[0])
        for axis in ("axis=-1, keepdims=True", ""):
            rest = f"{source.tf}.reduce_max({x}{', ' * bool(axis)}{axis})"
            inner = x if isinstance(node.args[0], ast.Name | ast.Call) else f"({x})"
            yield source.edited([source.replaced(node.args[0], f"{inner} - {rest}")])


def _safe_inputs(source: Source, node: Any) -> Iterator[str]:
    """An input that keeps its distance from the place where the derivative is infinite."""
    tf = source.tf
    risky = _risky(node)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        left, right = source.code(node.left), source.code(node.right)
        if is_call_of(node.right, sqrt) and node.right.args:
            under = node.right.args[0]
            yield source.edited([source.replaced(under, f"{source.code(under)} + 1e-8")])
        yield source.edited([source.replaced(node, f"{tf}.math.divide_no_nan({left}, {right})")])
    if isinstance(node, ast.BinOp | ast.Call) and risky is not None:
        text = source.code(risky)
        if facts_called(node).pole:
            nearer = f"(1.0 - 1e-6) * {wrapped(source, risky)}"  # a clip would give the gradient 0
            yield source.edited([source.replaced(risky, nearer)])
            limited = f"{tf}.clip_by_value({text}, -1.0 + 1e-6, 1.0 - 1e-6)"
            yield source.edited([source.replaced(risky, limited)])
        if isinstance(node, ast.Call) and called(node.func) == "norm":
            rest = ", ".join(source.code(k) for k in [*node.args[1:], *node.keywords])
            square = f"{tf}.reduce_sum({tf}.square({text}){', ' * bool(rest)}{rest})"
            root = f"{tf}.sqrt({tf}.maximum({square}, 1e-12))"
            yield source.edited([source.replaced(node, root)])
        small = "1e-12" if is_call_of(node, sqrt) else SMALL
        inner = wrapped(source, risky)
        around = "({})" if isinstance(node, ast.BinOp) else "{}"  # `x ** 2`: (x + small) ** 2
        yield source.edited([source.replaced(risky, f"{tf}.maximum({text}, {small})")])
        for safer in (f"{inner} + {small}", f"{inner} * (1.0 - 1e-6)"):
            yield source.edited([source.replaced(risky, around.format(safer))])


def _wider(source: Source, finding: Finding) -> Iterator[str]:
    """A wider floating type."""
    text = source.text
    for narrow, wide in (("float16", "float32"), ("bfloat16", "float32"), ("float32", "float64")):
        if re.search(rf"\b{narrow}\b", text):
            yield re.sub(rf"\b{narrow}\b", wide, text)
    yield in_float64(source)


def in_float64(source: Source) -> str:
    """All constants and variables of the program in float64."""
    edits = [
        keyword_edit(source, node, "dtype", f"{source.tf}.float64")
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call)
        and called(node.func) in MAKERS
        and source.code(node.func).startswith(source.tf)
        and not re.search(r"\bdtype\b|float\d", source.code(node))
        and (called(node.func) != "range" or re.search(r"\d\.", source.code(node)))
    ]
    edits += [
        source.replaced(node, f"{source.tf}.cast({source.code(node)}, {source.tf}.float64)")
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call) and source.code(node.func) == f"{source.tf}.linspace"
    ]
    return source.edited(edits)


def kept_digits(source: Source, node: Any) -> Iterator[str]:
    """The texts to try for a difference at a node."""
    for form in _forms(source, node) if isinstance(node, ast.BinOp) else ():
        text = source.edited([source.replaced(node, form)])
        yield text
        yield widened(text)
    if re.search(r"\bfloat16\b", source.text):
        yield re.sub(r"\bfloat16\b", "float32", source.text)
    yield source.text.replace("float32", "float64")
    yield widened(source.text)


def widened(text: str) -> str:
    """The text with all its numbers in float64."""
    return in_float64(Source(re.sub(r"\bfloat(16|32)\b", "float64", text)))


def _forms(source: Source, node: ast.BinOp) -> Iterator[str]:
    """What a difference is in another form."""
    pair = Pairs(source, source.scope(node), of_tensorflow(source)).of_difference(node)
    if pair:
        yield pair
    tf = source.tf
    name = rf"{tf}\.(?:math\.)?"
    mean, square, power = rf"{name}reduce_mean", rf"{name}square", r" \*\* 2(?:\.0)?"
    for pattern in (
        rf"{mean}\((.+?){power}(, .*)?\) - {mean}\(\1(?:, .*)?\){power}",
        rf"{mean}\({square}\((.+?)\)(, .*)?\) - {square}\({mean}\(\1(?:, .*)?\)\)",
    ):
        found = re.fullmatch(pattern, source.code(node), re.S)
        if found:
            yield f"{tf}.math.reduce_variance({found[1]}{found[2] or ''})"
