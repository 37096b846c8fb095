"""Where numbers stop being finite: followed back from a gradient that is infinite or NaN.

Infinite numbers that do no harm, such as those of a mask, are not looked for. The way leads from
the gradient against its contributions to the first that was made of finite numbers, and from a
value that was not finite on to the op that made it of finite ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ...trace.arrays import Array
    from ...trace.trace import Line, Step, Trace
    from .steps import Scenes


class Beginning(NamedTuple):
    """Where numbers stop being finite.

    Attributes:
        node: whose value or gradient is the first that is not finite.
        said: that, and the equation that gave the number; names stand in backticks.
        line: of the program, where it is known.
    """

    node: int
    said: str
    line: Line | None = None


class Birth(NamedTuple):
    """The same as a node and the number of a step; None where the program began with it."""

    node: int
    number: int | None


def beginning(scenes: Scenes) -> Beginning | None:
    """What is not finite, and where that begins; None where all that was asked for is finite."""
    trace = scenes.trace
    broken = [i for i in trace.sources if _is_broken(trace.gradients.get(i))]
    ends = [i for i in trace.targets if _is_broken(trace.nodes[i].value)]
    found = _against_the_gradient(scenes, broken[0]) if broken else None
    found = found or (_against_the_program(scenes, ends[0]) if ends else None)
    if found is None:
        return None
    names = ", ".join(f"`{scenes.names[i]}`" for i in (broken or ends)[:4])
    what = f"The gradient of {names} is not finite." if broken else f"{names} is not finite."
    name = scenes.names[found.node]
    if found.number is None:
        return Beginning(found.node, f"{what} The program began with such a number: `{name}`.")
    scene = scenes.scene(found.number, pictured=False)
    line = scenes.steps[found.number - 1].line
    said = f"{what} That begins in step {found.number}, at `{name}{scene.element}`"
    said += f" ({scene.line.partition(':')[0]})" if line is not None else ""
    equation = f": {scene.claim.text()}" if scene.claim is not None else "."
    return Beginning(found.node, said + equation, line)


def is_suspicious(trace: Trace) -> bool:
    """Whether a gradient or a target is not finite."""
    values = [trace.nodes[i].value for i in trace.targets]
    return any(map(_is_broken, [*values, *trace.gradients.values()]))


def _against_the_gradient(scenes: Scenes, source: int) -> Birth | None:
    """From a gradient that is not finite against what it was made of."""
    first: dict[int | None, tuple[int, Step]] = {}  # by node, what came there and was not finite
    for number, step in enumerate(scenes.steps, 1):
        if step.kind == "pull" and _is_broken(step.contribution):
            first.setdefault(step.to, (number, step))
    nodes, node = scenes.trace.nodes, source
    while node in first:
        number, step = first.pop(node)
        if _is_broken(step.cotangent):
            node = step.node
        elif any(_is_broken(nodes[i].value) for i in (step.node, *nodes[step.node].inputs)):
            return _against_the_program(scenes, step.node)
        else:
            return Birth(node, number)
    return None


def _against_the_program(scenes: Scenes, node: int) -> Birth | None:
    """From a value that is not finite to the op that made such a number of finite ones."""
    nodes = scenes.trace.nodes
    made = {step.node: at for at, step in enumerate(scenes.steps, 1) if step.kind == "forward"}
    while True:
        broken = [i for i in nodes[node].inputs if _is_broken(nodes[i].value)]
        if not broken:
            return Birth(node, made.get(node))
        node = broken[0]


def _is_broken(array: Array | None) -> bool:
    return array is not None and not array.finite
