"""Steps go uphill: what `ascent` finds in any framework, in the rounds of a training."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minitape.ops.elementwise.arithmetic import multiply
from minitape.ops.elementwise.powers import square, squared_difference
from minitape.ops.elementwise.signs import absolute

from ...corrections.candidate import asking_at
from ...corrections.steps import uphill
from ...diagnosis import Kind, register
from ...finding import Finding, passed_over, written
from ...source_text import Source, called
from ...sources.case import Case
from ...sources.rounds import evidence_of, place_of, source_of
from ...trainings import LOSS, climb

SQUARES = {square.op, squared_difference.op, absolute.op}
ROUNDS = 2  # an optimizer's first steps go downhill, whatever the batch


def find(case: Case, states: list[str]) -> Iterator[Finding]:
    """The loss grew in the first rounds of a training, along its gradient."""
    if not case.rounds or not case.rounds[0].moves or not _is_loss(case):
        return
    evidence = evidence_of(case.journal, case.rounds, case.file)
    found = climb(evidence, ROUNDS)
    if found is not None and not found.is_meant(str(evidence.facts.get("source", ""))):
        yield Finding("update", "ascent", found.sentence, found.update.line, span=found.update.span)


def _is_loss(case: Case) -> bool:
    """Whether the target is called a loss, or is one: squares, distances, what takes logits."""
    asked = place_of(case.rounds[0].stack, case.file)
    source = source_of(asked)
    call = asking_at(source, asked.span) if source is not None and asked is not None else None
    target = source.code(call.args[0]) if source and call is not None and call.args else ""
    if LOSS.search(target):
        return True
    act = case.flow.maker.get(case.request.targets[0].id)
    while act is not None and (act.op.facts.reduces or act.op.facts.moves):
        act = case.flow.maker.get(act.inputs[0])
    is_square = act is not None and (
        act.op in SQUARES or act.op is multiply.op and len({*act.inputs}) == 1
    )
    return is_square or act is not None and bool(act.op.facts.applies)


def correct(source: Source, finding: Finding) -> Iterator[str]:
    """The other sign of the update, else of the loss."""
    statement = source.statement(finding.line)
    beside = source.block(statement) if statement is not None else []
    added = [call for each in beside if (call := uphill(source.tree, each.lineno)) is not None]
    if added:
        yield source.edited(
            source.replaced(call.func, source.code(call.func).replace("_add", "_sub"))
            for call in added
        )
    for each in ast.walk(statement) if statement is not None else ():
        if isinstance(each, ast.BinOp) and isinstance(each.op, ast.Add):
            less = f"{source.code(each.left)} - {source.code(each.right)}"
            yield source.edited([source.replaced(each, less)])
    for each in ast.walk(source.tree):
        if isinstance(each, ast.UnaryOp) and isinstance(each.op, ast.USub):
            yield source.edited([source.replaced(each, source.code(each.operand))])
        elif isinstance(each, ast.Call) and called(each.func) == "negative" and each.args:
            yield source.edited([source.replaced(each, source.code(each.args[0]))])


EXAMPLE = """\
import minitape as tf

w = tf.Variable([1.0, -2.0])
for step in range(5):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(w * w)
    w.assign_add(0.1 * tape.gradient(loss, w))  # <- here
"""
KIND = register(
    Kind(
        "uphill",
        561,
        "update",
        find,
        written,
        EXAMPLE,
        EXAMPLE.replace("loss", "reward")
        .replace("tf.reduce_sum(w * w)", "-tf.reduce_sum(w * w)")
        .replace("  # <- here", ""),
        passed_over,
        correct,
        dialects=("minitape",),
    )
)
