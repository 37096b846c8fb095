"""A loss is given what it does not expect: probabilities for logits, or ids for probabilities."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import numpy as np

from minitape.ops.casting import cast
from minitape.ops.elementwise.arithmetic import multiply
from minitape.ops.neural.softmax import log_softmax

from ...corrections.blocks import without_keyword
from ...corrections.candidate import at
from ...diagnosis import Kind, register
from ...finding import Finding, passed_over, written
from ...source_text import Source, called
from ...sources.case import Case
from ...sources.dataflow import Act


def find(case: Case, states: list[str]) -> Iterator[Finding]:
    """The first loss on the way to the targets that a softmax or whole numbers come to."""
    wanted = frozenset().union(*(case.flow.ancestors(each.id) for each in case.request.targets))
    for act in case.flow.acts:
        first = act.op.facts.applies
        if wanted.isdisjoint(act.outputs):
            continue
        if act.op is multiply.op and _weighs_by_ids(case, act):
            said = (
                f"Line {case.line_of(act)} multiplies the logarithms of probabilities by ids of "
                "classes: each class gets the id as its weight. Take `tf.one_hot` of the ids."
            )
            yield _finding(case, act, "ids", said)
        if not first:
            continue
        said = f"`{case.called(act)}` at line {case.line_of(act)} expects"
        labels, logits = act.inputs[:2]
        made, spread = _made(case, logits), case.flow.maker.get(labels)
        if made is not None and made.op.name == first:
            said += (
                f" logits and applies {first} itself, but line {case.line_of(made)} has already "
                "applied it. Of numbers between 0 and 1 it makes nearly equal ones."
            )
            yield _finding(case, made, "twice", said, first)
        is_spread = spread is not None and spread.op.facts.moves == "copies"
        if is_spread and first == "softmax" and _are_ids(case.flow.value(labels)):
            said += " probabilities of classes, and its labels look like ids: see its sparse form."
            yield _finding(case, act, "ids", said)


def _made(case: Case, key: int) -> Act | None:
    """What made a tensor, before it was only moved."""
    act = case.flow.maker.get(key)
    moved = act is not None and bool(act.op.facts.moves or act.op is cast.op)
    return _made(case, act.inputs[0]) if act is not None and moved else act


def _weighs_by_ids(case: Case, act: Act) -> bool:
    """Whether one factor is a column of ids, and the other the logarithm of a softmax."""
    for labels, logs in (act.inputs, act.inputs[::-1]):
        made, ids, values = _made(case, logs), case.flow.value(labels), case.flow.value(logs)
        if made is not None and made.op is log_softmax.op and ids is not None and ids.ndim:
            return ids.shape[-1] == 1 and _are_ids(ids, values.shape[-1])
    return False


def _are_ids(value: Any, classes: int = 0) -> bool:
    if value is None or not value.size or np.mod(value, 1).any():
        return False
    return bool(value.min() >= 0 and 1 < value.max() < (classes or value.shape[-1]))


def _finding(case: Case, act: Act, cause: str, sentence: str, first: str = "") -> Finding:
    span = case.span(case.stack_of(act))
    return Finding(
        "wrong", cause, sentence, case.line_of(act), span=span, facts={"first": first},
        node=act.outputs[0],
    )  # fmt: skip


def correct(source: Source, finding: Finding) -> Iterator[str]:
    """Without the first softmax, or the sparse form of the loss."""
    first, node = finding.facts["first"], at(source, finding)
    for call in (each for each in ast.walk(source.tree) if isinstance(each, ast.Call)):
        name = called(call.func)
        if not first and name == "softmax_cross_entropy_with_logits":
            edits = [source.replaced(call.func, f"{source.tf}.nn.sparse_{name}")]
            for each in (k.value for k in call.keywords if k.arg == "labels"):
                ids = f"{source.tf}.cast({source.code(each)}, {source.tf}.int32)"
                edits.append(source.replaced(each, ids))
            yield source.edited(edits)
        elif call is node and name == first and call.args:
            yield source.edited([source.replaced(call, source.code(call.args[0]))])
        elif first and any(source.code(k.value).strip("\"'") == first for k in call.keywords):
            yield without_keyword(source, call, "activation") or ""


KIND = register(
    Kind(
        "loss_inputs",
        509,
        "wrong",
        find,
        written,
        meant=passed_over,
        correct=correct,
        dialects=("minitape",),
        example="""\
import minitape as tf

w = tf.Variable([[0.1, 0.4]])
with tf.GradientTape() as tape:
    p = tf.nn.softmax(2.0 * w)  # <- here
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1], logits=p)
g = tape.gradient(loss, w)
""",
        healthy="""\
import minitape as tf

w = tf.Variable([[0.1, 0.4]])
with tf.GradientTape() as tape:
    p = tf.nn.softmax(2.0 * w)
    loss = tf.nn.softmax_cross_entropy_with_logits(labels=tf.stop_gradient(p), logits=w)
g = tape.gradient(loss, w)
""",
    )
)
