"""Corrections where a number moves in jumps: whole numbers, steps, positions, comparisons."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from minitape.ops.casting import cast
from minitape.ops.moving.gathering import gather
from minitape.ops.moving.selecting import one_hot
from minitape.ops.moving.sorting import argsort
from minitape.ops.reductions.extremes import argmin
from minitape.ops.reductions.reduction import count_nonzero

from ..finding import Finding
from ..source_text import Source, called
from .candidate import (
    at,
    call_like,
    call_named,
    call_of,
    facts_called,
    is_call_of,
    source_names,
    tape_block,
    wrapped,
)
from .positions import between
from .scores import right_answers


def dtype(source: Source, finding: Finding) -> Iterator[str]:
    """Floats in place of whole numbers, where they are made or cast; between two positions."""
    tf = source.tf
    yield from between(source, at(source, finding))
    node = at(source, finding)
    whole = call_of(source, node, cast)
    if whole is not None and len(whole.args) >= 1:
        yield source.edited([source.replaced(whole, wrapped(source, whole.args[0]))])
    for span in (finding.spans.get("made"), finding.span):
        call = source.node(span, ast.Call)
        if call is None:
            continue
        code = source.code(call)
        floats = _floats(code)
        if floats != code:
            yield source.edited([source.replaced(call, floats)])
        if getattr(call.func, "attr", "") == "Variable" and call.args:
            inner = source.code(call.args[0])
            text = f"{tf}.cast({inner}, {tf}.float32)"
            yield source.edited([source.replaced(call.args[0], text)])
        yield source.edited([source.replaced(call, f"{tf}.cast({code}, {tf}.float32)")])
    yield from _cast_before(source, finding)
    for call in [n for n in ast.walk(source.tree) if isinstance(n, ast.Call)]:
        is_cast = is_call_of(call, cast) and len(call.args) == 2
        if is_cast and re.search(r"int\d|bool", source.code(call.args[1])):
            yield source.edited([source.replaced(call.args[1], f"{tf}.float32")])


def _cast_before(source: Source, finding: Finding) -> Iterator[str]:
    """A source that comes from elsewhere, as an element of a dataset, cast before the tape."""
    block, name = tape_block(source, finding), source_names(source, finding)[0]
    if block is not None and name.isidentifier():
        line = f"{name} = {source.tf}.cast({name}, {source.tf}.float32)"
        yield source.edited([source.before(block, line)])


def _floats(code: str) -> str:
    """A call with 3.0 for 3, and a floating dtype for one of integers."""
    tree = ast.parse(code, mode="eval")
    data = code.encode()
    starts = [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    whole_numbers = [
        n for n in ast.walk(tree) if isinstance(n, ast.Constant) and type(n.value) is int
    ]
    keywords = {
        id(k.value) for k in ast.walk(tree) if isinstance(k, ast.keyword) and k.arg != "dtype"
    }
    for each in sorted(whole_numbers, key=lambda n: (n.lineno, n.col_offset), reverse=True):
        end = starts[(each.end_lineno or 1) - 1] + (each.end_col_offset or 0)
        if id(each) not in keywords:
            data = data[:end] + b".0" + data[end:]
    text = data.decode()
    text = re.sub(r"\b(tf|np)\.u?int\d+\b", r"\1.float32", text)
    return re.sub(r"(['\"])u?int\d+\1", '"float32"', text)


def not_differentiable(source: Source, finding: Finding) -> Iterator[str]:
    """A straight-through step, a smooth one, weights in place of a position."""
    tf, node = source.tf, at(source, finding)
    step = call_like(source, node, lambda facts: facts.jumps == "steps")
    if step is not None and len(step.args) == 1:
        function, rest = source.code(step.func), source.code(step.args[0])
        yield source.edited([source.replaced(step, f"{tf}.grad_pass_through({function})({rest})")])
    chooser = call_like(source, node, lambda facts: facts.jumps == "position")
    is_order = is_call_of(chooser, argsort)
    if chooser is not None and chooser.args and not is_order:
        x = source.code(chooser.args[0])
        is_softmax = _is_softmax(source, chooser.args[0])
        sign = "-" if is_call_of(chooser, argmin) else ""
        positions = f"{tf}.range({tf}.cast({tf}.shape({x})[-1], {tf}.float32))"
        soft = f"{tf}.reduce_sum({tf}.nn.softmax({sign}{x}) * {positions}, axis=-1)"
        whole = call_of(source, source.parents.get(chooser), cast)
        weights = x if is_softmax and not sign else f"{tf}.nn.softmax({sign}{x})"
        yield from right_answers(source, node, chooser, weights)
        yield source.edited([source.replaced(whole or chooser, soft)])
        yield source.edited([source.replaced(chooser, soft)])
        yield from _weighed(source, chooser, weights)
    else:
        yield from right_answers(source, node, None, "")
    if is_order:
        yield from _order(source, chooser)
    whole = call_named(source, node, "floor_div") or step
    if whole is not None and len(whole.args) == 2:
        text = " / ".join(wrapped(source, each) for each in whole.args)
        yield source.edited([source.replaced(whole, text)])
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv):
        text = f"{source.code(node.left)} / {source.code(node.right)}"
        yield source.edited([source.replaced(node, text)])
    yield from _smooth_step(source, node)
    yield from _without_text(source)
    yield from dtype(source, finding)


def _order(source: Source, sort: Any) -> Iterator[str]:
    """Smooth ranks for the order of an order, and SoftSort's weights (Prillo 2020) for an order."""
    if not sort.args or isinstance(sort.args[0], ast.Call):
        return
    tf, x = source.tf, wrapped(source, sort.args[0])
    falls = "DESCENDING" in source.code(sort)
    around: Any = next((n for n in source.above(sort) if isinstance(n, ast.Call)), None)
    if around is not None and called(around.func) == called(sort.func):
        pairs = f"{x}[..., :, None] - {x}[..., None, :]"
        higher = f"{tf}.sigmoid({f'-({pairs})' if falls else pairs})"
        ranks = f"({tf}.reduce_sum({higher}, axis=-1) - 0.5)"
        yield source.edited([source.replaced(around, ranks)])
    ordered = f'{tf}.sort({x}, direction="DESCENDING")' if falls else f"{tf}.sort({x})"
    weights = f"{tf}.nn.softmax(-{tf}.abs({ordered}[..., :, None] - {x}[..., None, :]))"
    yield from _weighed(source, sort, weights)
    positions = f"{tf}.range({tf}.cast({tf}.shape({x})[-1], {tf}.float32))"
    soft = f"{tf}.linalg.matvec({weights}, {positions})"
    yield source.edited([source.replaced(sort, soft)])


def _smooth_step(source: Source, node: Any) -> Iterator[str]:
    """A sigmoid in place of a comparison, also of one that is cast or counted."""
    tf = source.tf
    if isinstance(node, ast.Compare) and len(node.comparators) == 1:
        left, right = node.left, node.comparators[0]
        if isinstance(node.ops[0], ast.Lt | ast.LtE):
            left, right = right, left
        soft = f"{tf}.sigmoid({source.code(left)} - {wrapped(source, right)})"
        counted = call_of(source, source.parents.get(node), count_nonzero)
        if counted is not None:
            rest = "".join(f", {source.code(each)}" for each in counted.keywords)
            number = f"{tf}.reduce_sum({soft}{rest})"
            yield source.edited([source.replaced(counted, number)])
        whole = call_of(source, source.parents.get(node), cast)
        if whole is not None:
            yield source.edited([source.replaced(whole, soft)])
        chosen = call_named(source, source.parents.get(node), "where")
        if chosen is not None and len(chosen.args) == 3 and chosen.args[0] is node:
            one, other = (wrapped(source, each) for each in chosen.args[1:])
            text = f"({other} + ({one} - {other}) * {soft})"
            yield source.edited([source.replaced(chosen, text)])
        yield source.edited([source.replaced(node, soft)])


def _without_text(source: Source) -> Iterator[str]:
    """Numbers that stay numbers, in place of a way through text."""
    calls = [n for n in ast.walk(source.tree) if isinstance(n, ast.Call) and n.args]
    edits = [
        source.replaced(call, source.code(call.args[0]))
        for call in calls
        if getattr(call.func, "attr", "") in {"as_string", "to_number"}
    ]
    if edits:
        yield source.edited(edits)


def _weighed(source: Source, chooser: Any, weights: str) -> Iterator[str]:
    """What a position chooses, as a sum of all with weights; weights for a one-hot vector."""
    tf = source.tf
    vector = call_of(source, source.parents.get(chooser), one_hot)
    if vector is not None:
        yield source.edited([source.replaced(vector, weights)])
    made = source.statement(chooser)
    name = source.code(made.targets[0]) if isinstance(made, ast.Assign) else source.code(chooser)
    for node in ast.walk(source.tree):
        table, index = None, None
        given = node.args if isinstance(node, ast.Call) else []
        if is_call_of(node, one_hot) and given and source.code(given[0]) == name:
            yield source.edited([source.replaced(node, weights)])
        if is_call_of(node, gather):
            table, index = (*given, None, None)[:2]
        elif isinstance(node, ast.Subscript):
            table, index = node.value, node.slice
        if table is not None and index is not None and source.code(index) == name:
            text = f"{tf}.reduce_sum({weights} * {source.code(table)}, axis=-1)"
            yield source.edited([source.replaced(node, text)])


def _is_softmax(source: Source, node: Any) -> bool:
    """Whether a value is a softmax already, as it is written or under its name."""
    given = [node]
    if isinstance(node, ast.Name):
        made = [n for n in ast.walk(source.tree) if isinstance(n, ast.Assign)]
        given += [n.value for n in made if source.code(n.targets[0]) == node.id]
    return any(facts_called(each).shares for each in given)
