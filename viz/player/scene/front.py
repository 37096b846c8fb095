"""The first page of a tape: what is asked, nudges that were run, and the words for what they show.

A nudge is a run. The ops from the moved input to the target are computed again, in float64, at both
places; where one cannot be, or the run does not move as the gradient says (a kink, a step too far),
the recorded gradient stands there, and the page says that it does.
"""

from __future__ import annotations

import math
import textwrap
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...base.numbers import MINUS, short
from ...record.notation import to_text
from .again import Again, values_of
from .meeting import at, place
from .naming import CUT
from .parts import Marked
from .sentences import runs

if TYPE_CHECKING:
    from ...trace.trace import Node, Trace
    from .parts import Role, Run
    from .sentences import Runs
    from .steps import Scenes

MOST_NUDGES, MOST_TRIED = 2, 4  # inputs
MOST_OPS = 2000  # between an input and the target
MOST_ELEMENTS = 1 << 16  # of a value on the way
DIGITS = 3  # of what a nudge changes, as many as are written
LONGEST = 9  # digits of the target
NEAR = 0.02  # of the gradient: how far from it the factor of a nudge may be
MOST_FORMULAS, WIDEST = 6, 36  # lines of a program as mathematics, and characters of one;
BESIDE = 46  # those of a line of the program that has room beside them
MOST_LINES = 14  # of a program
HEADS = ("for ", "while ", "if ", "def ")  # of a line that says what becomes of those below it

# What a page says where one of its dotted words is pressed.
WORDS = {
    "tape": "The list of the operations that ran, with what each one needs to go back.",
    "forward": "From the inputs to the result, as the program ran.",
    "backward": "From the result to the inputs: each operation passes on what arrived.",
    "gradient": "How many times as much the result changes as an input, for a small change.",
    "cotangent": "The gradient so far; it is complete once every use has sent its part.",
    "slope": "How fast the result of one operation changes with one of its inputs.",
    "pull": "One step back: what arrived at an operation, times its slope.",
    "seed": "The 1 that the backward pass starts with: the result changes as fast as itself.",
    "sum": "A value used more than once gets a contribution from each use; they add up.",
}
STEPS = {"accumulate": "sum", "push": "tangent"}  # what kinds of steps are about
TANGENT_WORDS = {
    "tape": WORDS["tape"],
    "forward": WORDS["forward"],
    "tangent": "How fast a value changes while the inputs move in one direction.",
    "slope": WORDS["slope"],
}


TAPE = Marked("tape", word="tape")
GRADIENT = Marked("gradient", word="gradient")


class Colour(NamedTuple):
    """A colour of the page: what it stands for, and which steps are about it."""

    role: Role
    colour: str
    name: str
    says: Runs


class Front(NamedTuple):
    """The first page.

    Attributes:
        ask: Its question.
        formulas: The program as mathematics, in LaTeX, where that is short.
        lines: The program as it was written; only the lines that ran, where that is short.
        nudges: Nudges that were run.
        says: The word for what they show; without nudges, what was recorded.
        colours: What the colours stand for.
        words: What the words of the page mean.
    """

    ask: Runs
    formulas: tuple[str, ...]
    lines: tuple[str, ...]
    nudges: tuple[Runs, ...]
    says: Runs
    colours: tuple[Colour, ...]
    words: dict[str, str]


def front(scenes: Scenes) -> Front:
    """The first page of a trace.

    Example:
        >>> import minitape as tf
        >>> from minitape import viz
        >>> a = tf.Variable(1.5)
        >>> with viz.recording(), tf.GradientTape() as tape:
        ...     out = a * a
        >>> from minitape.viz.player.scene.sentences import text_of
        >>> from minitape.viz.player.scene.steps import Scenes
        >>> made = front(Scenes(viz.step(tape, out, a).trace))
        >>> text_of(made.nudges[0])
        'Nudge a (1.5) by 0.001: out goes from 2.25000 to 2.25300, 3.00 times the nudge.'
    """
    trace = scenes.trace
    nudges = tuple(_nudges(scenes))
    says = _named(len(nudges), len(trace.sources)) if nudges else _recorded(scenes)
    words = dict(TANGENT_WORDS if trace.carries == "tangents" else WORDS)
    words |= {kind: words[word] for kind, word in STEPS.items() if word in words}
    lines = program(trace)
    formulas = _formulas(scenes) if all(len(line) <= BESIDE for line in lines) else ()
    ask = scenes.first().sentence
    return Front(ask, formulas, lines, nudges, says, _colours(trace), words)


def _named(nudges: int, sources: int) -> Runs:
    """What the factors of nudges are called."""
    found: list[str | Run] = ["That factor is the ", GRADIENT]
    if nudges > 1:
        found = ["Those factors are ", Marked("gradients", word="gradient")]
    whole = "all of them" if sources > 1 else "it"
    return runs(*found, ". One walk back over the ", TAPE, f" gives {whole}.")


def _recorded(scenes: Scenes) -> Runs:
    """Where no nudge could be run: the largest gradient that was recorded, and that it was."""
    trace = scenes.trace
    arrived = {i: values_of(trace.gradients.get(i)) for i in trace.sources}
    found = {
        i: g for i, g in arrived.items()
        if g is not None and g.size and g.dtype.kind == "f" and np.isfinite(g).all()
    }  # fmt: skip
    if trace.carries == "tangents" or not trace.sources:
        return ()
    if not found:
        none = all(each is None for each in arrived.values())
        return runs("No ", GRADIENT, " arrived at any input.") if none else ()
    source = max(found, key=lambda i: float(np.max(np.abs(found[i]))))
    values = found[source]
    element = int(np.argmax(np.abs(values)))
    name = at(scenes.names[source], values.shape, element)
    return runs(
        "The recorded ", GRADIENT, f" of `{name}` is ",
        Marked(short(values.flat[element]), role="gradient"),
        ". It is as the ", TAPE, " gave it: no nudge that shows it in a few digits could be run.",
    )  # fmt: skip


def _formulas(scenes: Scenes) -> tuple[str, ...]:
    """What each name of the program is; () where that is long."""
    names = scenes.names
    ops = {node.id: node for node in scenes.trace.nodes if node.op and node.id in names.given}
    if len(ops) > MOST_FORMULAS:
        return ()
    found = [f"{names.expression(i).latex} = {names.computed(ops[i]).latex}" for i in ops]
    is_long = any(len(to_text(each)) > WIDEST or CUT.latex in each for each in found)
    return () if is_long else tuple(found)


def program(trace: Trace) -> tuple[str, ...]:
    """The lines of the program from the first to the last that ran an op; () where they are many.

    Without lines of ops it is all that is known of the source.
    """
    ran = {(node.line.file, node.line.number) for node in trace.nodes if node.op and node.line}
    lines: list[str] = []
    for block in trace.source_text:
        numbers = [number - block.first for file, number in ran if file == block.file]
        inside = [at for at in numbers if 0 <= at < len(block.lines)]
        first, last = (min(inside), max(inside)) if inside else (0, -1 if ran else len(block.lines))
        while first > 0 and block.lines[first - 1].strip().startswith(HEADS):
            first -= 1
        lines += textwrap.dedent("\n".join(block.lines[first : last + 1])).splitlines()
    return tuple(lines) if len(lines) <= MOST_LINES else ()


def _colours(trace: Trace) -> tuple[Colour, ...]:
    """What the colours of a page stand for, with how many steps are about each."""
    kinds = [step.kind for step in trace.steps]
    slope, forward = Marked("slope", word="slope"), Marked("forward", word="forward")
    values = Colour(
        "value", "blue", "a value",
        runs(_steps(kinds.count("forward")), forward, ": each computes one"),
    )  # fmt: skip
    if not {"pull", "push"}.intersection(kinds):
        return (values,)
    if trace.carries == "tangents":
        tangent = runs(_steps(kinds.count("push")), ": each multiplies by a ", slope)
        return values, Colour("gradient", "orange", "a tangent", tangent)
    back = runs(
        _steps(kinds.count("pull")), Marked("back", word="backward"),
        ": each multiplies by a ", slope,
    )  # fmt: skip
    times = kinds.count("accumulate")
    added = Marked("added" if times else "add", word="sum")
    met: list[str | Run] = (
        [added, f" {_times(times)}, where paths meet"] if times else ["no paths meet to ", added]
    )
    return (
        values,
        Colour("gradient", "orange", "a gradient", back),
        Colour("sum", "green", "a sum", runs(*met)),
    )


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count:,} times")


def _steps(count: int) -> str:
    return f"{count:,} step{'s'[: count != 1]} "


def _nudges(scenes: Scenes) -> list[Runs]:
    trace = scenes.trace
    if trace.kind == "graph" or trace.carries == "tangents" or len(trace.targets) != 1:
        return []
    target = trace.nodes[trace.targets[0]]
    found: list[Runs] = []
    for source in trace.sources[:MOST_TRIED]:
        if len(found) < MOST_NUDGES:
            said = _nudge(scenes, trace.nodes[source], target)
            found += [said] if said else []
    return found


def _nudge(scenes: Scenes, source: Node, target: Node) -> Runs:
    """What a small change of the element with the largest gradient does; () where that is unknown.

    The target's elements are added up, as the tape adds what comes from them.
    """
    trace = scenes.trace
    values, gradients = values_of(source.value), values_of(trace.gradients.get(source.id))
    if values is None or gradients is None or not _are_real(values, gradients):
        return ()
    if not gradients.size or not np.isfinite(gradients).all() or target.value is None:
        return ()
    element = int(np.argmax(np.abs(gradients)))
    number = short(values[place(values.shape, element)])
    name = at(scenes.names[source.id], values.shape, element)
    result = f"{'the sum of ' * (target.value.size > 1)}`{scenes.names[target.id]}`"
    try:
        run = _Run(trace, source, target)
        before = run.at(values, element, 0.0)
        for size in _sizes(float(values.flat[element])):
            after = run.at(values, element, float(size))
            change = _change(before, after, size, float(gradients.flat[element]))
            if change:
                old, new, factor = map(_plain, change)
                return runs(
                    f"Nudge `{name}` ({number}) by {_plain(size)}: {result} goes from ",
                    Marked(old, role="value"), " to ", Marked(new, role="value"), ", ",
                    Marked(factor, role="gradient"), " times the nudge.",
                )  # fmt: skip
    except (LookupError, ValueError, TypeError, ArithmeticError):
        pass  # an op that cannot be computed again
    return ()


def _sizes(number: float) -> list[Decimal]:
    """How much a number is moved: a thousandth of it or of 1, and less where that is too far."""
    order = math.floor(math.log10(abs(number))) if number else 0
    return [Decimal(10) ** (max(order, 0) - 3), Decimal(10) ** (min(order, -1) - 3)]


def _change(
    before: float, after: float, size: Decimal, gradient: float
) -> tuple[Decimal, Decimal, Decimal] | None:
    """Both results as they are written, and how many times the nudge lies between them.

    None where that is not the gradient, or takes more digits than one reads.
    """
    if not (math.isfinite(before) and math.isfinite(after)) or before == after:
        return None
    places = DIGITS - 1 - Decimal(abs(after - before)).adjusted()
    old, new = (round(Decimal(each), places) for each in (before, after))
    longest = max(len(each.as_tuple().digits) for each in (old, new))
    if not 0 <= places < LONGEST or longest > LONGEST:
        return None
    factor = (new - old) / size
    return (old, new, factor) if abs(float(factor) - gradient) <= NEAR * abs(gradient) else None


class _Run:
    """The ops from a source to the target, computed again."""

    def __init__(self, trace: Trace, source: Node, target: Node) -> None:
        self.trace, self.source, self.target = trace, source, target
        reached = {source.id}
        self.steps: list[Node] = []
        records = set()
        for node in trace.nodes:
            if reached.isdisjoint(node.inputs):
                continue
            reached.add(node.id)
            if node.record not in records or node.record is None:
                records.add(node.record)
                self.steps.append(node)
            if node.id == target.id:
                break
        if target.id not in reached or len(self.steps) > MOST_OPS:
            raise LookupError(target.id)
        self.again = [_again(trace, node) for node in self.steps]

    def at(self, values: Any, element: int, more: float) -> float:
        """The sum of the target's elements, where one element of the source is `more`."""
        moved = np.array(values, np.float64)
        moved.flat[element] += more
        found = {self.source.id: moved if moved.shape else moved[()]}
        for op in self.again:
            inputs = [
                found.get(i, _wide(each))
                for i, each in zip(op.outputs[0].inputs, op.inputs, strict=True)
            ]
            for node, value in zip(op.outputs, op.forward(inputs), strict=False):
                found[node.id] = value
        return float(np.sum(np.asarray(found[self.target.id], np.float64)))


def _again(trace: Trace, node: Node) -> Again:
    found = Again(trace, node)
    if any(np.size(each) > MOST_ELEMENTS for each in found.inputs):
        raise LookupError(node.op)
    return found


def _wide(values: Any) -> Any:
    kind = np.asarray(values).dtype
    return values.astype(np.float64) if kind.kind == "f" and kind != np.float64 else values


def _are_real(*arrays: Any) -> bool:
    return all(each.dtype.kind == "f" for each in arrays)


def _plain(number: Decimal) -> str:
    return f"{number:f}".replace("-", MINUS)
