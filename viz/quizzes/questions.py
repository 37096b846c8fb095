"""The questions of a quiz: one per contribution, one per sum where paths meet, one per gradient.

Questions and answers are read off the trace, so what is right is what the engine computed, and no
rule is written a second time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..trace.arrays import Array
from ..trace.trace import Node, Step, Trace
from ..trace.wording import called
from .hints import Clues
from .numbers import Numbers

MAX_ELEMENTS = 9  # nobody types more
AVERAGES = ("reduce_mean", "mean")


@dataclass(frozen=True, slots=True)
class Question:
    """One question.

    Attributes:
        text: what is asked, with everything that is needed to answer.
        brief: the same without numbers, which are the answers to earlier questions.
        clues: the right answer, and what the hints need.
        solution: how to get there, shown at the end.
        step: how many steps of the trace may be seen while it is asked.
    """

    text: str
    brief: str
    clues: Clues
    solution: str
    step: int


def questions(trace: Trace, limit: int) -> list[Question]:
    """The questions about a trace, in the order of its steps; of many, the last `limit`.

    Contributions that arrive at large arrays are left out.
    """
    asked = [*_about_steps(trace), *_about_gradients(trace)]
    finals = [q for q in asked if q.step >= len(trace.steps)]
    steps = [q for q in asked if q.step < len(trace.steps)]
    room = max(limit - len(finals), 0)
    if len(steps) > room:
        # Evenly over the sweep: the beginning alone is its easiest part.
        chosen = np.linspace(0, len(steps) - 1, room).round().astype(int).tolist() if room else []
        steps = [steps[i] for i in dict.fromkeys(chosen)]
    return [*steps, *finals[:limit]]


def _about_steps(trace: Trace) -> Iterator[Question]:
    paths: dict[int, list[tuple[str, Numbers]]] = {}
    for number, step in enumerate(trace.steps):
        node = trace.nodes[step.node]
        if step.kind == "pull" and step.to is not None:
            given = whole(step.contribution)
            if given is not None:
                paths.setdefault(step.to, []).append((node.op or "", given))
                yield _pull(trace, number, step, given)
        elif step.kind == "seed" and whole(step.cotangent) is not None:
            seed = whole(step.cotangent)
            paths.setdefault(step.node, []).append(("the target itself", _known(seed)))
        elif step.kind == "accumulate":
            total = whole(step.total)
            if total is not None and len(paths.get(step.node, ())) > 1:
                yield _sum(node, number, step, total, list(paths[step.node]))


def _pull(trace: Trace, number: int, step: Step, given: Numbers) -> Question:
    node, to = trace.nodes[step.node], trace.nodes[step.to or 0]
    inputs = ", ".join(_with_value(trace.nodes[i]) for i in node.inputs)
    incoming = step.cotangent.text(60) if step.cotangent else "its cotangent"
    shape = f" (shape {list(to.shape)})" if to.shape else ""
    again = f" as its argument {(step.position or 0) + 1}" * (node.inputs.count(to.id) > 1)
    brief = f"What does `{node.op}` pass on to {called(to)}{again}{shape}?"
    text = (
        f"`{node.op}` computed {called(node)} from {inputs}. The cotangent {incoming} comes in "
        f"there. {brief}"
    )
    others = [
        (called(trace.nodes[s.to]), _known(whole(s.contribution)))
        for s in trace.steps
        if s.kind == "pull" and s.node == step.node and s.position != step.position
        if s.to is not None and whole(s.contribution) is not None
    ]
    clues = Clues(
        given, whole(step.cotangent), whole(step.local), whole(to.value), (), others,
        _averaged(trace, node), node.op or "", called(to),
    )  # fmt: skip
    return Question(text, brief, clues, step.sentence, number - 1)


def _sum(
    node: Node, number: int, step: Step, total: Numbers, paths: list[tuple[str, Numbers]]
) -> Question:
    old, new = _text(step.old), _text(step.contribution)
    brief = f"Paths meet at {called(node)}. What is its cotangent now?"
    text = (
        f"Paths meet at {called(node)}: its cotangent was {old}, and {new} arrives on another "
        f"path. What is the cotangent of {called(node)} now?"
    )
    clues = Clues(total, paths=paths, value=whole(node.value), to=called(node))
    return Question(text, brief, clues, step.sentence, number - 1)


def _about_gradients(trace: Trace) -> Iterator[Question]:
    """The results, for which all numbers before may be seen."""
    for source in dict.fromkeys(trace.sources):
        gradient = trace.gradients.get(source)
        right, node = whole(gradient), trace.nodes[source]
        if right is None or node.id in trace.targets:
            continue
        pulls = [s for s in trace.steps if s.kind == "pull" and s.to == source]
        known = [(trace.nodes[s.node].op or "", whole(s.contribution)) for s in pulls]
        paths = [(op, given) for op, given in known if given is not None]
        targets = " + ".join(called(trace.nodes[t]) for t in trace.targets)
        shape = f" It has shape {list(node.shape)}." if node.shape else ""
        text = f"What is the gradient of {targets} with respect to {called(node)}?{shape}"
        ops = [n for n in trace.nodes if n.op in AVERAGES]
        count = _averaged(trace, ops[0]) if ops else 0
        clues = Clues(right, paths=paths, value=whole(node.value), count=count, to=called(node))
        solution = f"The gradient with respect to {called(node)} is {_text(gradient)}."
        yield Question(text, text, clues, solution, len(trace.steps))


def whole(array: Array | None) -> Numbers | None:
    """The numbers of a small array; None of a large one, or of one that holds no numbers."""
    if array is None or not array.is_whole or not 0 < array.size <= MAX_ELEMENTS:
        return None
    if any(isinstance(v, str) for v in array.data):
        return None
    data = np.array(array.data).reshape(array.shape)
    return data if data.dtype.kind == "c" else data.astype(np.float64)


def _known(array: Numbers | None) -> Numbers:
    if array is None:
        raise AssertionError("asked for before")
    return array


def _averaged(trace: Trace, node: Node) -> int:
    """How many elements a mean averages, 0 for other ops."""
    if node.op not in AVERAGES or not node.inputs:
        return 0
    before = int(np.prod(trace.nodes[node.inputs[0]].shape))
    return before // max(int(np.prod(node.shape)), 1)


def _with_value(node: Node) -> str:
    if node.kind == "constant" and not node.name:
        return called(node)
    return f"{called(node)} = {node.value.text(60)}" if node.value is not None else called(node)


def _text(array: Array | None) -> str:
    return array.text(60) if array is not None else "unknown"
