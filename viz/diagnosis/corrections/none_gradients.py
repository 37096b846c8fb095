"""Corrections of a gradient that is None, by its cause; the likeliest first."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from ..finding import Finding
from ..source_text import Source
from . import blocks, jumps as of_jumps, names as of_names, state as of_state
from .candidate import asking, at, call_named, source_names, tape_block, wrapped
from .positions import between
from .translate import WRAPPERS, is_print, whole


def none_gradients(source: Source, finding: Finding) -> Iterator[str]:
    """The texts to try."""
    maker = MAKERS.get(finding.cause)
    if maker is not None:
        yield from maker(source, finding)


def alone(finding: Finding) -> Finding:
    """A finding whose correction is to change its own statement and no other."""
    return replace(finding, facts={**finding.facts, "lines": (), "is_alone": True})


def numpy(source: Source, finding: Finding) -> Iterator[str]:
    """The statement, then the block around it, then the function, with tensors all the way."""
    node = at(source, finding)
    statement = source.statement(node) if node is not None else source.statement(finding.line)
    if statement is None:
        return
    statements = [source.statement(line) for line in finding.facts.get("lines", ())]
    left = [s for s in [statement, *statements] if s is not None and not is_print(s)]
    yield from between(source, node)
    simple = [s for s in left if not hasattr(s, "body")]
    groups: list[list[Any]] = [list(dict.fromkeys(simple)), [statement]]
    block = source.block(statement)
    groups.append(block[block.index(statement) :] if statement in block else block)
    scope: Any = source.scope(statement)
    groups.append(list(scope.body) if isinstance(scope.body, list) else [])
    tape = tape_block(source, finding)
    if tape is not None:
        groups.append(tape.body)
        groups.append([*scope.body, *tape.body] if scope is not source.tree else tape.body)
    functions = [n for n in source.tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    groups.append([*functions, *(tape.body if tape is not None else [])])
    for group in groups[:1] if finding.facts.get("is_alone") else groups:
        edits = {edit for edit in whole(source, group)}
        yield source.edited(edits)
        yield _lists_stacked(source.edited(edits), source.tf)


def _lists_stacked(text: str, tf: str) -> str:
    """A list of tensors that was an array: stacked where a function takes it."""
    lists = re.findall(r"^\s*(\w+) = \[0\.0\] \* ", text, re.M)
    for name in lists:
        text = re.sub(rf"\(({name})\)", rf"({tf}.stack({name}))", text)
        text = re.sub(rf"\breturn {name}$", f"return {tf}.stack({name})", text, flags=re.M)
        text = re.sub(rf"\b{tf}\.stack\({tf}\.stack\((\w+)\)\)", rf"{tf}.stack(\1)", text)
    return text


def not_differentiable(source: Source, finding: Finding) -> Iterator[str]:
    """A function of tensors in place of one of arrays; else what is smooth for what jumps."""
    if call_named(source, at(source, finding), *WRAPPERS) is not None:
        yield from numpy(source, finding)
    yield from of_jumps.not_differentiable(source, finding)


def not_watched(source: Source, finding: Finding) -> Iterator[str]:
    """A watch at the start of the block; a variable in place of a constant."""
    block = tape_block(source, finding)
    names = source_names(source, finding)
    if block is not None:
        for name in names:
            yield from blocks.watching(source, block, name)
    made = source.node(finding.spans.get("made"))
    if isinstance(made, ast.Call) and getattr(made.func, "attr", "") == "constant":
        yield source.edited([source.replaced(made.func, f"{source.tf}.Variable")])


def variables_not_watched(source: Source, finding: Finding) -> Iterator[str]:
    """A watch; else the keyword is taken out."""
    yield from not_watched(source, finding)
    block = tape_block(source, finding)
    for item in block.items if block is not None else ():
        call = blocks.tape_call(item)
        text = call and blocks.without_keyword(source, call, "watch_accessed_variables")
        if text:
            yield text


def not_trainable(source: Source, finding: Finding) -> Iterator[str]:
    """The variable without `trainable=False`, or a watch."""
    freezes = source.statement(finding.line)
    if isinstance(freezes, ast.Assign) and source.code(freezes).endswith("trainable = False"):
        yield source.edited([source.without(freezes)])
    for span in (finding.span, finding.spans.get("made")):
        call = source.node(span, ast.Call)
        text = call and blocks.without_keyword(source, call, "trainable")
        if text:
            yield text
    yield from not_watched(source, finding)


def outside(source: Source, finding: Finding) -> Iterator[str]:
    """The statement moved into the tape's block."""
    node = at(source, finding)
    statement = source.statement(node if node is not None else finding.line)
    block = tape_block(source, finding)
    if statement is None or block is None:
        return
    yield from of_names.computed_at_each_use(source, statement)
    siblings = source.block(block)
    for each in [statement, *source.above(statement)]:  # up to where the block stands
        if isinstance(each, ast.stmt) and (each in siblings or each is statement):
            yield from blocks.moved_inside(source, each, block)


def derivative_outside(source: Source, finding: Finding) -> Iterator[str]:
    """The inner gradient inside of the outer tape's block, or the tapes' names exchanged."""
    yield from outside(source, finding)
    call = asking(source, finding)
    inner = source.node(finding.span, ast.Call)
    if call is None or inner is None:
        return
    ours, theirs = (getattr(each.func, "value", None) for each in (call, inner))
    if ours is not None and theirs is not None:
        edits = [
            source.replaced(ours, source.code(theirs)),
            source.replaced(theirs, source.code(ours)),
        ]
        yield source.edited(edits)


def released(source: Source, finding: Finding) -> Iterator[str]:
    """The tape kept: `persistent=True`."""
    found = [tape_block(source, finding)]
    for block in [*found, *blocks.tape_blocks(source)]:
        for item in block.items if block is not None else ():
            call = blocks.tape_call(item)
            if call is not None:
                yield blocks.with_keyword(source, call, "persistent", "True")
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "GradientTape":
            yield blocks.with_keyword(source, node, "persistent", "True")


def stop_gradient(source: Source, finding: Finding) -> Iterator[str]:
    """The value itself."""
    call = call_named(source, at(source, finding), "stop_gradient")
    if call is not None and call.args:
        yield source.edited([source.replaced(call, wrapped(source, call.args[0]))])


def recording_stopped(source: Source, finding: Finding) -> Iterator[str]:
    """The block of `stop_recording` undone."""
    statement = source.statement(finding.line)
    for node in [statement, *source.above(statement)] if statement is not None else ():
        if isinstance(node, ast.With) and "stop_recording" in source.code(
            node.items[0].context_expr
        ):
            yield blocks.unwrapped(source, node)


def reset(source: Source, finding: Finding) -> Iterator[str]:
    """Without the reset."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Expr) and source.code(node).endswith(".reset()"):
            yield source.edited([source.without(node)])


def swapped(source: Source, finding: Finding) -> Iterator[str]:
    """Target and source exchanged."""
    call = asking(source, finding)
    if call is not None and len(call.args) >= 2:
        first, second = call.args[:2]
        edits = [
            source.replaced(first, source.code(second)),
            source.replaced(second, source.code(first)),
        ]
        yield source.edited(edits)
    elif call is not None:
        names = {k.arg: k.value for k in call.keywords}
        if {"target", "sources"} <= names.keys():
            one, other = names["target"], names["sources"]
            edits = [
                source.replaced(one, source.code(other)),
                source.replaced(other, source.code(one)),
            ]
            yield source.edited(edits)


Maker = Callable[[Source, Finding], Iterator[str]]
MAKERS: dict[str, Maker] = {
    "numpy": numpy,
    "part": numpy,
    "not_watched": not_watched,
    "watched_too_late": not_watched,
    "variables_not_watched": variables_not_watched,
    "not_trainable": not_trainable,
    "outside": outside,
    "derivative_outside": derivative_outside,
    "released": released,
    "stop_gradient": stop_gradient,
    "recording_stopped": recording_stopped,
    "reset": reset,
    "dtype": of_jumps.dtype,
    "not_differentiable": not_differentiable,
    "swapped": swapped,
    "variable_replaced": of_state.variable_replaced,
    "state": of_state.state,
    "copied": of_names.copied,
    "shadowed": of_names.shadowed,
    "custom_gradient_none": of_names.own_gradient_dropped,
    "no_target": of_names.returned,
    "no_sources": of_names.variables_later,
    "argument": of_names.argument,
    "not_called": of_names.parentheses,
    "keywords": of_names.by_position,
    "no_path": of_names.forgotten,
    "dataset": of_state.in_the_loop,
}
