"""The scenes of a trace, made when they are asked for.

A scene's number is the one that a player shows, from 1; the release of a record is part of the step
before it, and the first page is 0.

A page has the sentence of each scene below its picture, and its equation: names stand in backticks,
which it sets as code. Of a long tape only the steps without a gradient are worked out when its page
is written, and a producer's own sentences are kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from ...trace.wording import generated
from .naming import Names
from .parts import Scene
from .pictures import Pictures
from .sentences import Sentences, runs, ticked
from .working import Workings, bounded

if TYPE_CHECKING:
    from ...trace.trace import Step, Trace
    from .working import Worked

MOST_STEPS = 1000
SAID = ("forward", "seed", "pull", "accumulate", "push")


class Scenes:
    """The scenes of one trace.

    Args:
        trace: what was recorded.

    Example:
        >>> import minitape as tf
        >>> from minitape import viz
        >>> a = tf.Variable(1.5)
        >>> with viz.recording(), tf.GradientTape() as tape:
        ...     out = tf.tanh(a * 2.0)
        >>> scenes = Scenes(viz.step(tape, out, a).trace)
        >>> len(scenes), scenes[1].claim.text()
        (6, '1.5·2.0 = 3.0')
    """

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.names = Names(trace)
        self.workings = Workings(trace, self.names)
        self.sentences = Sentences(trace, self.names, self.workings)
        self.pictures = Pictures(trace, self.names, self.workings)
        self.steps = [step for step in trace.steps if step.kind != "release"]
        self._arrived = self._counted()

    def __len__(self) -> int:
        return len(self.steps) + 1

    def __iter__(self) -> Iterator[Scene]:
        return (self[number] for number in range(len(self)))

    def __getitem__(self, number: int) -> Scene:
        return self.scene(number)

    def scene(self, number: int, element: int | None = None, pictured: bool = True) -> Scene:
        """One scene.

        Args:
            number: of the step, from 1; 0 is the first page.
            element: which element is worked out (counted row by row); by default the one that
                says most.
            pictured: whether it has pictures.

        Raises:
            IndexError: there is no such step.
        """
        if not 0 <= number < len(self):
            raise IndexError(f"there are {len(self) - 1} steps; 0 is the first page, got {number}")
        if number == 0:
            return self.first()
        return self.made(number, self.workings.of(self.steps[number - 1], element), pictured)

    def made(self, number: int, worked: Worked, pictured: bool = True) -> Scene:
        """The scene of a step that has been worked out."""
        step = self.steps[number - 1]
        sentence, ask = self.sentences.of(step, worked, self._arrived[number - 1])
        spot = self._element(worked.shape, worked.element) if worked.claim is not None else ""
        pictures = self.pictures.of(step, worked, number - 1, self.steps) if pictured else {}
        return Scene(
            number, step.kind, sentence, ask, worked.claim, spot,  # type: ignore[arg-type]
            _line(step), worked.meet, **pictures,
        )  # fmt: skip

    def first(self) -> Scene:
        """The first page: what is asked."""
        trace, name = self.trace, self.sentences.name
        if not trace.targets:
            return Scene(0, "first", runs("What does the program compute?"))
        target = name(trace.targets[0])
        if trace.carries == "tangents":
            return Scene(0, "first", runs("How fast does ", target, " change along the tangents?"))
        if len(trace.sources) == 1:
            source = name(trace.sources[0])
            return Scene(0, "first", runs("How fast does ", target, " change with ", source, "?"))
        value = bounded(trace.nodes[trace.targets[0]].value)
        tail = f" (It is {value}.)" if value else ""
        return Scene(0, "first", runs("Which input moves ", target, ", and how fast?", tail))

    def _element(self, shape: tuple[int, ...], flat: int) -> str:
        from .meeting import place

        return str(list(place(shape, flat))) if shape else ""

    def _counted(self) -> list[int]:
        """For each step, how many contributions its node has received, with this one."""
        have: dict[int, int] = {}
        found = []
        for step in self.steps:
            if step.kind in ("pull", "push"):
                node = (step.to if step.kind == "pull" else step.node) or 0
                have[node] = have.get(node, 0) + 1
            elif step.kind == "seed":
                have[step.node] = have.get(step.node, 0) + 1
            found.append(have.get(step.node, 0))
        return found


def _line(step: Step) -> str:
    """The line of the program."""
    line = step.line
    if line is None:
        return ""
    where = f"cell {line.cell}, line" if line.cell is not None else "line"
    return f"{where} {line.number}: {line.text.strip()}" if line.text else f"{where} {line.number}"


class PageStep(NamedTuple):
    """A step as a page says it: its scene, and what was worked out for it."""

    scene: Scene
    worked: Worked


def page_scenes(trace: Trace) -> tuple[Scenes, dict[int, PageStep]] | None:
    """The scenes of a trace's steps without pictures, by their place among `trace.steps`.

    Steps that are not here are said as the trace says them.
    """
    if trace.kind == "graph":
        return None
    scenes = Scenes(trace)
    said = SAID if len(trace.steps) <= MOST_STEPS else ()
    found, number = {}, 0
    for place, step in enumerate(trace.steps):
        if step.kind == "release":
            continue
        number += 1
        # The scene of a gradient that is None keeps what a producer wrote.
        if step.kind == "unconnected" or (step.kind in said and not _has_its_own(step, trace)):
            worked = scenes.workings.of(step)
            found[place] = PageStep(scenes.made(number, worked, pictured=False), worked)
    return scenes, found


def page_text(scene: Scene) -> str:
    """A scene on one line."""
    said = ticked(scene.sentence)
    if scene.claim is None:
        return said
    where = f"{scene.element}: " if scene.element else ""
    return f"{said} {where}{scene.claim.text()}"


def _has_its_own(step: Step, trace: Trace) -> bool:
    return bool(step.sentence) and step.sentence != generated(step, trace.nodes, trace.carries)
