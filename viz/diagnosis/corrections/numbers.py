"""Corrections of NaN, infinities and overflow: stable forms, then safe inputs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from ..finding import Finding
from ..source_text import Source
from .blocks import keyword_edit
from .candidate import at, call_named, facts_called, wrapped
from .logarithms import of_logarithms
from .pairs import of_pairs
from .steps import broken_data, diverges

SMALL = "1e-7"
MATRICES = {"cholesky", "inverse", "solve", "matrix_exponential", "slogdet"}  # a matrix is given
MAX_FACTORS = 6  # of a power that is written as a product
MAKERS = {"constant", "Variable", "ones", "zeros", "eye", "normal", "uniform", "range"}


def finite_numbers(source: Source, finding: Finding) -> Iterator[str]:
    """The texts to try."""
    special = {"diverges": diverges, "broken_data": broken_data}.get(finding.cause)
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
    yield from _stable_forms(source, node)
    if finding.facts.get("op") in MATRICES:
        yield from _jittered(source, node)
    elif finding.cause != "overflow" or _is_inverse(node):  # no input is safe from a large result
        yield from _safe_inputs(source, node)
    yield from of_logarithms(source, node)
    yield from _wider(source, finding)


def _product(source: Source, node: Any) -> Iterator[str]:
    """`tf.square(x)` for `x ** 2`, a product for a larger whole exponent."""
    power = node
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        base, exponent = node.left, node.right
    elif isinstance(node, ast.Call) and _name(node) == "pow" and len(node.args) == 2:
        base, exponent = node.args
    else:
        return
    number = getattr(exponent, "value", None)
    if not isinstance(number, int | float) or number not in range(2, MAX_FACTORS + 1):
        return
    x = wrapped(source, base)
    if number == 2:
        yield source.edited([source.replaced(power, f"{source.tf}.square({source.code(base)})")])
    elif isinstance(base, ast.Name | ast.Attribute):
        yield source.edited([source.replaced(power, f"({' * '.join([x] * int(number))})")])


def _jittered(source: Source, node: Any) -> Iterator[str]:
    """A small multiple of the identity added to a matrix."""
    matrix = node.args[0] if isinstance(node, ast.Call) and node.args else None
    if matrix is not None:
        x, tf = wrapped(source, matrix), source.tf
        for small in ("1e-6", "1e-4"):
            text = f"{x} + {small} * {tf}.eye({x}.shape[-1], dtype={x}.dtype)"
            yield source.edited([source.replaced(matrix, text)])


def _name(call: Any) -> str:
    return str(getattr(call.func, "attr", getattr(call.func, "id", "")))


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
    tf, mean = source.tf, call_named(source, node, "reduce_mean")
    if mean is not None and len(mean.args) == 1 and not mean.keywords:
        x = source.code(mean.args[0])
        number = f"{tf}.cast({tf}.size({x}), {x}.dtype)"
        text = f"{tf}.math.divide_no_nan({tf}.reduce_sum({x}), {number})"
        yield source.edited([source.replaced(mean, text)])


def _risky(node: Any) -> Any:
    """The argument that must be in the op's domain."""
    if isinstance(node, ast.Call) and node.args:
        return node.args[1] if "div" in _name(node) and len(node.args) > 1 else node.args[0]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return node.right
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return node.left
    return None


def _is_inverse(node: Any) -> bool:
    """Whether an expression is a negative power: its large results come from small inputs."""
    is_power = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)
    return is_power and isinstance(node.right, ast.UnaryOp)


def _stable_forms(source: Source, node: Any) -> Iterator[str]:
    """What is written by hand and exists as a stable function."""
    tf = source.tf
    for each in [node, *source.above(node)]:
        if isinstance(each, ast.Call):
            yield from _stable_call(source, each)
        if isinstance(each, ast.BinOp) and isinstance(each.op, ast.Div):
            yield from _softmax(source, each)
        if isinstance(each, ast.stmt):
            break
    yield from _named_softmax(source, node)
    if isinstance(node, ast.Call) and _name(node) == "exp" and node.args:
        x = source.code(node.args[0])
        for axis in ("axis=-1, keepdims=True", ""):
            rest = f"{tf}.reduce_max({x}{', ' * bool(axis)}{axis})"
            inner = x if isinstance(node.args[0], ast.Name | ast.Call) else f"({x})"
            yield source.edited([source.replaced(node.args[0], f"{inner} - {rest}")])


def _stable_call(source: Source, call: ast.Call) -> Iterator[str]:
    tf, name = source.tf, _name(call)
    inner = source.code(call.args[0]) if call.args else ""
    if name == "log1p":
        found = re.fullmatch(rf"{tf}\.exp\((.*)\)", inner, re.S)
        if found:
            yield source.edited([source.replaced(call, f"{tf}.nn.softplus({found[1]})")])
    if name != "log":
        return
    table = [
        (rf"1(?:\.0?)? \+ {tf}\.exp\((.*)\)", r"{tf}.nn.softplus({x})"),
        (rf"{tf}\.exp\((.*)\) \+ 1(?:\.0?)?", r"{tf}.nn.softplus({x})"),
        (rf"{tf}\.reduce_sum\({tf}\.exp\((.*?)\)(, .*)?\)", r"{tf}.reduce_logsumexp({x}{rest})"),
        (rf"{tf}\.nn\.softmax\((.*)\)", r"{tf}.nn.log_softmax({x})"),
        (rf"{tf}\.(?:nn\.|math\.)?sigmoid\((.*)\)", r"{tf}.math.log_sigmoid({x})"),
        (rf"1(?:\.0?)? - {tf}\.(?:nn\.|math\.)?sigmoid\((.*)\)", r"{tf}.math.log_sigmoid(-({x}))"),
        (rf"1(?:\.0?)? / \(1(?:\.0?)? \+ {tf}\.exp\(-(.*)\)\)", r"{tf}.math.log_sigmoid({x})"),
    ]
    for pattern, form in table:
        found = re.fullmatch(pattern, inner, re.S)
        if found:
            rest = found[2] if found.lastindex and found.lastindex > 1 and found[2] else ""
            text = form.format(tf=tf, x=found[1], rest=rest)
            yield source.edited([source.replaced(call, text)])
    if call.args and isinstance(call.args[0], ast.Name):
        yield from _through_name(source, call, call.args[0].id)


def _through_name(source: Source, call: ast.Call, name: str) -> Iterator[str]:
    """`p = softmax(z)` and later `log(p)`: one stable function of z."""
    tf = source.tf
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Assign) and source.code(node.targets[0]) == name:
            value = node.value
            stable = facts_called(value).logarithm
            if stable and isinstance(value, ast.Call) and value.args:
                given = ", ".join(source.code(a) for a in [*value.args, *value.keywords])
                text = f"{tf}.{stable}({given})"
                yield source.edited([source.replaced(call, text)])


def _softmax(source: Source, quotient: ast.BinOp) -> Iterator[str]:
    """`exp(z) / reduce_sum(exp(z), ...)` is `softmax(z)`; 1 / (1 + exp(-z)) is `sigmoid(z)`."""
    tf, code = source.tf, source.code(quotient)
    found = re.fullmatch(
        rf"{tf}\.exp\((.*?)\) / {tf}\.reduce_sum\({tf}\.exp\(\1\)(.*)\)", code, re.S
    )
    if found:
        axis = re.search(r"axis=(-?\d+)|^, (-?\d+)", found[2])
        rest = f", axis={axis[1] or axis[2]}" if axis else ""
        yield source.edited([source.replaced(quotient, f"{tf}.nn.softmax({found[1]}{rest})")])
    found = re.fullmatch(rf"1(?:\.0?)? / \(1(?:\.0?)? \+ {tf}\.exp\(-(.*)\)\)", code, re.S)
    if found:
        yield source.edited([source.replaced(quotient, f"{tf}.sigmoid({found[1]})")])


def _named_softmax(source: Source, node: Any) -> Iterator[str]:
    """`e = exp(z)`, then `e / reduce_sum(e, ...)`: the quotient becomes `softmax(z)`."""
    statement = source.statement(node)
    is_exp = isinstance(node, ast.Call) and _name(node) == "exp" and node.args
    if not is_exp or not isinstance(statement, ast.Assign):
        return
    name, z = source.code(statement.targets[0]), source.code(node.args[0])
    for each in ast.walk(source.tree):
        if isinstance(each, ast.BinOp) and isinstance(each.op, ast.Div):
            right = source.code(each.right)
            if source.code(each.left) == name and f"({name}" in right:
                axis = re.search(r"axis=(-?\d+)", right)
                rest = f", axis={axis[1]}" if axis else ""
                text = f"{source.tf}.nn.softmax({z}{rest})"
                yield source.edited([source.replaced(each, text)])


def _safe_inputs(source: Source, node: Any) -> Iterator[str]:
    """An input that keeps its distance from the place where the derivative is infinite."""
    tf = source.tf
    risky = _risky(node)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        left, right = source.code(node.left), source.code(node.right)
        if isinstance(node.right, ast.Call) and _name(node.right) == "sqrt" and node.right.args:
            under = node.right.args[0]
            yield source.edited([source.replaced(under, f"{source.code(under)} + 1e-8")])
        yield source.edited([source.replaced(node, f"{tf}.math.divide_no_nan({left}, {right})")])
    if isinstance(node, ast.BinOp | ast.Call) and risky is not None:
        text = source.code(risky)
        name = _name(node) if isinstance(node, ast.Call) else ""
        if facts_called(node).pole:
            nearer = f"(1.0 - 1e-6) * {wrapped(source, risky)}"  # a clip would give the gradient 0
            yield source.edited([source.replaced(risky, nearer)])
            limited = f"{tf}.clip_by_value({text}, -1.0 + 1e-6, 1.0 - 1e-6)"
            yield source.edited([source.replaced(risky, limited)])
        if isinstance(node, ast.Call) and name == "norm":
            rest = ", ".join(source.code(k) for k in [*node.args[1:], *node.keywords])
            square = f"{tf}.reduce_sum({tf}.square({text}){', ' * bool(rest)}{rest})"
            root = f"{tf}.sqrt({tf}.maximum({square}, 1e-12))"
            yield source.edited([source.replaced(node, root)])
        small = SMALL if name != "sqrt" else "1e-12"
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
        and _name(node) in MAKERS
        and source.code(node.func).startswith(source.tf)
        and not re.search(r"\bdtype\b|float\d", source.code(node))
        and (_name(node) != "range" or re.search(r"\d\.", source.code(node)))
    ]
    edits += [
        source.replaced(node, f"{source.tf}.cast({source.code(node)}, {source.tf}.float64)")
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call) and source.code(node.func) == f"{source.tf}.linspace"
    ]
    return source.edited(edits)
