"""A loss is given what it does not expect: probabilities for logits, or ids for probabilities."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import numpy as np

from minitape.ops.casting import cast

from ...corrections.blocks import without_keyword
from ...corrections.candidate import at
from ...diagnosis import Kind, register
from ...finding import Finding, passed_over, written
from ...source_text import Source, called
from ...sources.case import Case
from ...sources.dataflow import Act

LOGITS = {"softmax_cross_entropy": "softmax", "sparse_softmax_cross_entropy": "softmax"}
LOGITS["sigmoid_cross_entropy"] = "sigmoid"
SPARSE = {
    "softmax_cross_entropy_with_logits": "sparse_softmax_cross_entropy_with_logits",
    "categorical_crossentropy": "sparse_categorical_crossentropy",
    "CategoricalCrossentropy": "SparseCategoricalCrossentropy",
}


def find(case: Case, states: list[str]) -> Iterator[Finding]:
    """The first loss on the way to the targets that a softmax or whole numbers come to."""
    wanted = frozenset().union(*(case.flow.ancestors(each.id) for each in case.request.targets))
    for act in case.flow.acts:
        first = LOGITS.get(act.op.name)
        if first is None or wanted.isdisjoint(act.outputs):
            continue
        labels, logits = act.inputs[:2]
        made = _made(case, logits)
        if made is not None and made.op.name == first:
            sentence = (
                f"`{case.called(act)}` at line {case.line_of(act)} expects logits and applies "
                f"{first} itself, but line {case.line_of(made)} has already applied it. Of "
                "numbers between 0 and 1 it makes nearly equal ones, so the model is never certain."
            )
            yield _finding(case, made, "twice", sentence, {"first": first})
            return
        value = case.flow.value(labels)
        spread = case.flow.maker.get(labels)  # one number of each example, for all of its classes
        is_spread = spread is not None and spread.op.facts.moves == "copies"
        if act.op.name == "softmax_cross_entropy" and is_spread and _are_ids(value):
            sentence = (
                f"`{case.called(act)}` at line {case.line_of(act)} expects a probability for each "
                f"class, and its labels are whole numbers up to {value.max():g}: ids of classes "
                "belong into its sparse form, or into `tf.one_hot`."
            )
            yield _finding(case, act, "ids", sentence, {})
            return


def _made(case: Case, key: int) -> Act | None:
    """What made a tensor, before it was only moved."""
    act = case.flow.maker.get(key)
    while act is not None and (act.op.facts.moves or act.op is cast.op):
        act = case.flow.maker.get(act.inputs[0])
    return act


def _are_ids(value: Any) -> bool:
    return value is not None and value.size > 0 and value.max() > 1 and not np.mod(value, 1).any()


def _finding(case: Case, act: Act, cause: str, sentence: str, facts: dict[str, Any]) -> Finding:
    stack = case.stack_of(act)
    found = Finding("wrong", cause, sentence, case.line_of(act), span=case.span(stack))
    found.facts, found.node = facts, act.outputs[0]
    return found


def correct(source: Source, finding: Finding) -> Iterator[str]:
    """Without the first softmax, or the sparse form of the loss."""
    first = finding.facts.get("first")
    if first is None:
        yield from _sparse(source)
        return
    node = at(source, finding)
    for call in ast.walk(source.tree):
        if not isinstance(call, ast.Call):
            continue
        if call is node and called(call.func) == first and call.args:
            yield source.edited([source.replaced(call, source.code(call.args[0]))])
        elif any(source.code(k.value).strip("\"'") == first for k in call.keywords):
            yield without_keyword(source, call, "activation") or ""


def _sparse(source: Source) -> Iterator[str]:
    for call in ast.walk(source.tree):
        name = SPARSE.get(called(call.func)) if isinstance(call, ast.Call) else None
        if not isinstance(call, ast.Call) or name is None:
            continue
        edits = [
            source.replaced(call.func, source.code(call.func)[: -len(called(call.func))] + name)
        ]
        for keyword in call.keywords:
            if keyword.arg == "labels":
                labels = source.code(keyword.value)
                edits.append(
                    source.replaced(keyword.value, f"{source.tf}.cast({labels}, {source.tf}.int32)")
                )
        yield source.edited(edits)


KIND = register(
    Kind(
        "loss_inputs",
        508,
        "wrong",
        find,
        written,
        meant=passed_over,
        correct=correct,
        dialects=("minitape",),
        example="""\
import minitape as tf

x = tf.constant([[1.0, 2.0], [0.5, -1.0]])
w = tf.Variable([[0.1, 0.4], [0.2, -0.3]])
with tf.GradientTape() as tape:
    p = tf.nn.softmax(x @ w)  # <- here
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 1], logits=p)
g = tape.gradient(loss, w)
""",
        healthy="""\
import minitape as tf

x = tf.constant([[1.0, 2.0], [0.5, -1.0]])
w = tf.Variable([[0.1, 0.4], [0.2, -0.3]])
with tf.GradientTape() as tape:
    z = x @ w
    p = tf.nn.softmax(z)
    loss = tf.nn.softmax_cross_entropy_with_logits(labels=[[1.0, 0.0], [0.0, 1.0]], logits=z)
g = tape.gradient(loss, w)
print(p.numpy())
""",
    )
)
