"""The formula of another program's op: that of minitape's op of the same meaning.

The op is run on the same numbers under a tape, whose recording says formula, numbers, operands and
what the rule passes on. Others have short formulas (`viz.adapters.formulas`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

import minitape as tf
from minitape.interpreter import identity
from minitape.record import opened
from minitape.request import Request
from minitape.tensors.composite import dense

from ..record.build import build
from ..record.journal import Journal, journal_in_use, remembered
from ..record.tapes import recording_of
from ..trace.facts import primitive_called
from ..trace.trace import Formula, Node, Step, Trace

Call = Callable[..., Any]
SAID = ("formula", "numbers", "local", "equation", "slopes")


class Rule(NamedTuple):
    """What minitape says of one rule at the same numbers.

    Attributes:
        said: the fields of a step that are named in `SAID`.
        symbols: for each value of the formula its symbol and which input it is, -1 for the result.
        share: what the rule passes on.
    """

    said: dict[str, Any]
    symbols: tuple[tuple[str, int], ...]
    share: Any

    def places(self, result: int, inputs: Sequence[int]) -> list[tuple[str, int]]:
        """Each symbol with its node, where those of the result and the inputs are given."""
        known = [(s, i) for s, i in self.symbols if i < len(inputs)]
        return [(s, result if i < 0 else inputs[i]) for s, i in known]


class Namesake(NamedTuple):
    """What minitape says of an op at the same numbers.

    Attributes:
        value: its result.
        formula: its formula.
        numbers: the formula with numbers.
        rules: by position of the input, the rules of those that are floating.
    """

    value: Any
    formula: Formula | None
    numbers: str
    rules: dict[int, Rule]


class _Unnamed(Journal):
    """Looks for no names."""

    def learn_names(self) -> None:
        pass


def elementwise_op(name: str, inputs: int) -> Call | None:
    """Minitape's op of the same meaning, where a call has nothing to set: `tanh`, `mul`.

    Example:
        >>> elementwise_op("mul", 2) is tf.multiply, elementwise_op("leaky_relu", 1)
        (True, None)
    """
    found = primitive_called(name, inputs)
    if found is None or not found.op.elementwise or found.op.attributes:
        return None
    return found.public if len(found.op.inputs) == inputs else None


def namesake(
    call: Call | None, inputs: Sequence[Any], names: Sequence[str], result: str, g: Any = None
) -> Namesake | None:
    """Run minitape's op on the same numbers; None where it has none, or it is several ops.

    Args:
        call: the op.
        inputs: their values.
        names: what the program calls them, "" for no name.
        result: what it calls the result.
        g: the cotangent of the result, by default ones.

    Example:
        >>> found = namesake(tf.multiply, [2.0, 3.0], ["a", "b"], "y")
        >>> found.numbers, found.rules[0].said["formula"].text
        ('2.0 · 3.0 = 6.0', 'g · b')
    """
    if call is None:
        return None
    tensors = [tf.constant(each) for each in inputs]
    floating = [i for i, each in enumerate(tensors) if each.dtype.is_floating]
    if not floating:
        return None
    try:
        with remembered(_Unnamed()), tf.GradientTape() as tape:
            tape.watch([tensors[i] for i in floating])
            out = call(*tensors)
            recorded = _recorded(tape, out, tensors, floating, [*names, result], g)
    except (TypeError, ValueError, ArithmeticError, tf.errors.OpError):
        return None  # same name, other meaning
    trace, shares, arguments = recorded
    ops = [node for node in trace.nodes if node.kind == "op"]
    if len(ops) != 1:
        return None
    rules = _rules(trace, ops[0], shares, arguments)
    return Namesake(out.numpy(), ops[0].formula, ops[0].numbers, rules)


def _recorded(
    tape: Any, out: Any, tensors: list[Any], floating: list[int], names: list[str], g: Any
) -> tuple[Trace, list[Any], dict[int, int]]:
    """The trace, what arrives at each tensor, and which node is which of them."""
    seed = None if g is None else tf.constant(np.asarray(g, out.numpy().dtype))
    request = Request(out, [tensors[i] for i in floating], seed)
    recorded = recording_of(tape)
    called = {identity(t): (n, t) for n, t in zip(names, [*tensors, out], strict=True) if n}
    built = build(
        request, recorded.records, recorded, called, journal=journal_in_use(), shows_error=True
    )
    shares = [built.cotangents.get(identity(tensor)) for tensor in tensors]
    arrived = [None if share is None else opened(dense(share)) for share in shares]
    known = [built.graph.place.get(identity(tensor)) for tensor in tensors]
    return built.trace, arrived, {node: i for i, node in enumerate(known) if node is not None}


def _rules(trace: Trace, op: Node, shares: list[Any], arguments: dict[int, int]) -> dict[int, Rule]:
    """The rules by argument: an op may take its inputs in another order than the call."""
    return {
        arguments[step.to]: _rule(step, op, shares[arguments[step.to]], arguments)
        for step in trace.steps
        if step.kind == "pull" and step.to in arguments
    }


def _rule(step: Step, op: Node, share: Any, arguments: dict[int, int]) -> Rule:
    said: dict[str, Any] = {name: getattr(step, name) for name in SAID}
    taken = [o for o in step.operands if o.kind == "value"]
    places = [(o.symbol, -1 if o.node == op.id else arguments.get(o.node)) for o in taken]
    return Rule(said, tuple((s, i) for s, i in places if i is not None), np.asarray(share))
