"""What each step is in one plain sentence, made of the trace's data alone.

A number is said where it fits into a sentence, and a matrix is not: what is said of it then is the
formula, since its numbers stand beside it. A producer that writes sentences of its own is left with
them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..base import quoting
from ..base.numbers import DIGITS, size_in_bytes
from .arrays import Array
from .facts import facts_of
from .parts import Carried, Node, Step
from .ties import at_a_tie
from .zeros import why_zero

FEW = 4  # elements that are said one by one
SHORT = 10  # characters of a formula that is no row of arrays
MAX_SCOPE = 60  # characters of scopes


def sentence(step: Step, nodes: Sequence[Node], carries: Carried = "cotangents") -> str:
    """The step's own sentence, or the one made of its data.

    Example:
        >>> x = Node(0, "source", (), "float32", (), name="x")
        >>> y = Node(1, "op", (0,), "float32", (), op="square", name="y")
        >>> g, passed = Array.of(1.0), Array.of(6.0)
        >>> sentence(Step("pull", 1, 0, 0, g, passed, passed, numbers="1 · 3 · 2 = 6"), [x, y])
        'The cotangent of `y` is 1.0; `square` passes 1 · 3 · 2 = 6 to `x`.'
    """
    return step.sentence or generated(step, nodes, carries)


def generated(step: Step, nodes: Sequence[Node], carries: Carried = "cotangents") -> str:
    """The sentence made of a step's data, whatever its producer wrote."""
    make = _MADE.get(step.kind)
    return "" if make is None else make(step, nodes, carries)


def called(node: Node) -> str:
    """What a sentence calls a node."""
    if node.name:
        return f"`{node.name}`"
    if node.kind == "op":
        return f"the result of `{node.op}`"
    shown = f"the constant {node.value.text()}" if node.value is not None else f"the {node.kind}"
    return f"{shown} ({node.numbers})" if node.numbers else shown


def together(nodes: Sequence[Node]) -> str:
    """`x` and `y`; `x` and itself; the results of `pow` (100.0 and 138.0)."""
    alike: dict[str, dict[int, Node]] = {}
    for node in nodes:
        alike.setdefault(called(node), {})[node.id] = node
    if len(nodes) == 2 and nodes[0].id == nodes[1].id:
        return f"{called(nodes[0])} and itself"
    return " and ".join(
        _several(name, list(found.values())) if len(found) > 1 else name
        for name, found in alike.items()
    )


def _several(name: str, nodes: list[Node]) -> str:
    """Nodes that are called the same, told apart by their numbers where these are few."""
    values = [few(node.value) for node in nodes]
    shown = f" ({' and '.join(values)})" if len(nodes) == 2 and all(values) else ""
    if nodes[0].op and not nodes[0].name:
        return f"{'the' if shown else len(nodes)} results of `{nodes[0].op}`{shown}"
    return f"{len(nodes)} values called {name}{shown}" if nodes[0].name else f"{name} and another"


def few(array: Array | None) -> str:
    """The elements of an array that is small enough to be said, else nothing."""
    return array.text() if array is not None and array.size <= FEW and array.is_whole else ""


def _forward(step: Step, nodes: Sequence[Node], carries: Carried) -> str:
    node = nodes[step.node]
    value = few(node.value)
    result = f" = {value}" if value else f" of shape {list(node.shape)}" if node.shape else ""
    kept = node.keeps and _spoken(node.keeps, {nodes[i].name for i in node.inputs} | {node.name})
    keeps = f" The tape keeps {kept} for the way back." if kept else ""
    label = f"`{node.name}`" if node.name else "a result"
    inputs = together([nodes[i] for i in node.inputs])
    of = f" of {inputs}" if inputs else ""
    return f"{_where(node.scope)}`{node.op}`{of} gives {label}{result}.{keeps}"


def _where(scope: tuple[str, ...]) -> str:
    """The groups of an op as the start of a sentence: those of tapes in words, names as code."""
    tapes = [each for each in scope if each.startswith(("forward of ", "backward of "))]
    named = "/".join(each for each in scope if each not in tapes).replace("`", "'")
    where = "".join(f"{each[:1].upper()}{each[1:]}: " for each in tapes)
    return where + (f"In `{named[-MAX_SCOPE:]}`, " if named else "")


def _spoken(keeps: str, names: set[str]) -> str:
    """What is kept, with the learner's names set as code."""
    parts = [f"`{part}`" if part in names else part for part in keeps.split(" and ")]
    return " and ".join(parts)


def _seed(step: Step, nodes: Sequence[Node], carries: Carried) -> str:
    node, seed = nodes[step.node], step.cotangent
    what, end = ("cotangent", "target") if carries == "cotangents" else ("tangent", "source")
    if seed is None:
        return (
            f"The sweep has nowhere to start: {called(node)} is {node.dtype}, and only floating "
            "and complex numbers have derivatives."
        )
    text = few(seed) or seed.text()
    pass_ = "sweep" if carries == "cotangents" else "pass"
    return f"The {pass_} starts at the {end}: the {what} of {called(node)} is {text}."


def _pull(step: Step, nodes: Sequence[Node], carries: Carried) -> str:
    node, to = nodes[step.node], nodes[step.to or 0]
    given, passed = few(step.cotangent), few(step.contribution)
    formula = _formula(step)
    shown = step.numbers or passed
    if given and shown and "…" not in shown:
        came = f"The cotangent of {called(node)} is {given}"
        return f"{came}; `{node.op}` passes {shown} to {called(to)}.{at_a_tie(step, node, nodes)}"
    laid_out = step.equation or len(formula) < SHORT
    says = formula if formula and laid_out else passed or "its share of g"
    tie = at_a_tie(step, node, nodes)
    return f"`{node.op}` passes {says} to {called(to)}{_why(step, node, nodes)}.{tie}"


def _formula(step: Step) -> str:
    """The rule on one line: as it is laid out, where it is."""
    text = " ".join(term.text for term in step.equation)
    text = text or (step.formula.text if step.formula is not None else "")
    return text.replace("^⊤", "ᵀ").replace("( ", "(").replace(" )", ")")


def _why(step: Step, node: Node, nodes: Sequence[Node]) -> str:
    """What a learner has to see in a step: zeros first, then how the rule works."""
    array = step.contribution
    if array is not None and array.size > 1 and array.is_zero:
        return ": all of it is 0.0, so nothing is learnt here"
    if zero := why_zero(step, node, nodes):
        return f": {zero}"
    # The sum of a repetition has no index; one with an index is the rule of the op itself.
    stretched = step.formula is not None and step.formula.text.startswith("∑ ")
    if stretched:
        return ": it was repeated on the way, so its parts are added up"
    said = facts_of(node).rule
    return f": {said}" if said else ""


def _accumulate(step: Step, nodes: Sequence[Node], carries: Carried) -> str:
    old, new, total = few(step.old), few(step.contribution), few(step.total)
    said = old and new and total and step.total is not None and step.total.size
    terms = f": {_sum(step)}" if said else ""
    return f"Paths meet at {called(nodes[step.node])}, so its {carries} add up{terms}."


def _sum(step: Step) -> str:
    """What was there and what came, with the digits that make it true; or the total alone."""
    old, new, total = step.old, step.contribution, step.total
    assert old is not None and new is not None and total is not None
    given = [np.reshape(each.data, each.shape) for each in (old, new)]
    found = quoting.total(given, np.reshape(total.data, total.shape), total.dtype)
    if found.sign == "≠":
        return total.text()
    left, right = (_bracketed(each, found.digits) for each in (old, new))
    sign = "+"
    if right.startswith("−"):
        sign, right = "−", right[1:]
    return f"{left} {sign} {right} {found.sign} {total.written(DIGITS)}"


def _bracketed(array: Array, digits: int) -> str:
    text = array.written(digits)
    return f"({text})" if array.dtype.startswith("complex") and not array.shape else text


def _push(step: Step, nodes: Sequence[Node], carries: Carried) -> str:
    node, to = nodes[step.node], nodes[step.to or 0]
    given, passed = few(step.cotangent), few(step.contribution)
    formula = step.formula.text if step.formula is not None else ""
    what = step.numbers or passed or formula
    said, on = f", {given}," if given else "", f" on as {what}" if what else " on"
    name = called(node) if node.name or not node.output else f"its result {node.output}"
    return f"`{node.op}` passes the tangent of {called(to)}{said}{on} to {name}."


def _release(step: Step, nodes: Sequence[Node], carries: Carried) -> str:
    return f"`{nodes[step.node].op}` is done; the tape drops its record."


def _unconnected(step: Step, nodes: Sequence[Node], carries: Carried) -> str:
    node = called(nodes[step.node])
    if carries == "tangents":
        return f"No path leads to {node}: no tangent arrives."
    return f"No path leads from the target to {node}: its gradient is None."


_MADE: dict[str, Callable[[Step, Sequence[Node], Carried], str]] = {
    "forward": _forward,
    "seed": _seed,
    "pull": _pull,
    "accumulate": _accumulate,
    "push": _push,
    "release": _release,
    "unconnected": _unconnected,
}


def freed(count: int) -> str:
    """What dropping a record gives back.

    Example:
        >>> freed(24), freed(0)
        (' 24 B are free again.', '')
    """
    return f" {size_in_bytes(count)} are free again." if count else ""
