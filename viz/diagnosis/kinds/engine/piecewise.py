"""A derivative of a derivative that is zero because the function is made of straight pieces.

An op is straight in an argument whose rule keeps neither that argument nor the result (a product by
weights, a sum, a shape). Where all ops from a source to what was differentiated are straight or
have kinks (relu), the first derivative is constant on each piece.
"""

from __future__ import annotations

from typing import NamedTuple

from minitape.custom.op import Operation
from minitape.ops.elementwise.comparison import maximum

from ...finding import Finding
from ...sources.case import Case
from ...sources.dataflow import Act
from .beside import layer_line

VALUES = {"Tensor", "Tensors", "Array", "Arrays"}  # what a rule keeps of an argument


class Pieces(NamedTuple):
    """What was differentiated, and the first op that bends it."""

    target: int
    act: Act


def pieces(case: Case, key: int) -> Pieces | None:
    """Whether the targets are derivatives, by a source, of a function of straight pieces."""
    journal = case.journal
    if journal is None:
        return None
    roots = set().union(*(case.flow.ancestors(t.id) for t in case.request.targets))
    made = {journal.by_output[k].sweep for k in roots if k in journal.by_output} - {0}
    for number in sorted(made):
        sweep = journal.sweeps[number - 1] if number <= len(journal.sweeps) else None
        if sweep is None or key not in sweep.sources:
            continue
        for target in sweep.targets:
            bend = _first_bend(case, key, target)
            if bend is not None:
                return Pieces(target, bend)
    return None


def finding(case: Case, key: int) -> Finding | None:
    """That a second derivative is zero because of straight pieces."""
    found = pieces(case, key)
    if found is None:
        return None
    name = case.called(found.act)
    line = case.line_of(found.act)
    line = layer_line(case, line, name.split(".")[-1], units=None) or line
    source = case.flow.name(key)
    facts = found.act.op.facts
    is_activation = facts.activation or found.act.op is maximum.op
    instead = ", such as softplus, tanh or swish" if is_activation else ""
    sentence = (
        f"The gradient is zero because {case.flow.name(found.target)} is made of straight pieces "
        f"in {source} (`{name}` at line {line}): its derivative does not change along a piece, so "
        "the next derivative is 0. Use a smooth function there"
        f"{instead}."
    )
    result = Finding("zero", "pieces", sentence, line, span=case.span(case.stack_of(found.act)))
    result.node, result.facts = found.act.outputs[0], {"op": found.act.op.name}
    return result


def _first_bend(case: Case, key: int, target: int) -> Act | None:
    """The first op with a kink between two tensors, None where a curved one is among them."""
    between = case.flow.descendants(key)
    wanted = case.flow.ancestors(target)
    bend = None
    for act in case.flow.acts:
        if wanted.isdisjoint(act.outputs) or between.isdisjoint(act.inputs):
            continue
        facts = act.op.facts
        if facts.kinks or facts.extreme or (facts.gate and not facts.sign):
            bend = bend or act
        elif not _is_straight(act, between):
            return None
    return bend


def _is_straight(act: Act, between: frozenset[int]) -> bool:
    """Whether an op is linear in all of its arguments that depend on a source, taken together."""
    op = act.op
    if isinstance(op, Operation):
        return False
    depends = {op.input_name(i) for i, k in enumerate(act.inputs) if k in between}
    for name in depends:
        rule = op.rules.get(name)
        kept = [n for n, note in rule.needs if note in VALUES] if rule is not None else []
        if any(each == "out" or each in depends for each in kept):
            return False
    return True
