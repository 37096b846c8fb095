"""`film`: records some steps of a training loop, and shows them on one page.

A step is noted before its `tape.gradient`, so a kept step keeps its whole tape; of the others only
the loss is kept.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import minitape as tf
from minitape.values import nest
from minitape.variable import ResourceVariable

from ..export.drawn import Drawn, drawing, save_drawn
from ..export.items import Sheet
from ..export.reading import sheet_of
from ..picture.canvas import Canvas
from ..plots.exhibit import Exhibit, Table, page
from ..record.lines import calling_frame
from ..record.names import tensors_in
from ..show import step as player_of
from ..trace.trace import Trace
from .boundary import Plane, plane_of
from .page import film_html
from .run import Run
from .shots import Choice, Glance, Shot, glance
from .stage import steps_of, still
from .words import film_words, numbers_table

SECONDS = 0.8  # how long a GIF shows a kept step
MAX_NODES = 4_000  # in all tapes of a film; what comes after has no tape


class Film(Run, Exhibit):
    """Some steps of a training loop; `note` each step, then show or `save` the film.

    Attributes:
        names: of the variables.
        losses: of all steps that were noted.
        shots: the steps that were kept.
        title: what the run is called.
        others: runs that are shown beside this one.
    """

    called = "a film"

    def __init__(
        self,
        names: Sequence[str],
        variables: Sequence[Any] = (),
        choice: Choice | None = None,
        predict: Callable[[Any], Any] | None = None,
        plane: Plane | None = None,
        title: str = "",
    ) -> None:
        super().__init__(names, title, plane)
        self.others: tuple[Film, ...] = ()
        self._variables = list(variables)
        self._choice = choice or Choice()
        self._predict = predict
        self._nodes = 0

    def note(self, tape: Any, loss: Any) -> None:
        """Notes one step of the loop, before its `tape.gradient`.

        Args:
            tape: the GradientTape that recorded the step, not yet used up.
            loss: what is minimised: Tensor of shape [], floating.

        Raises:
            TypeError: if `tape` is no GradientTape, or `loss` is not one number.
            RuntimeError: if the tape has released what it recorded.

        Example:
            >>> w = tf.Variable(4.0)
            >>> film = Film(["w"], [w])
            >>> with tf.GradientTape() as tape:
            ...     loss = w * w
            >>> film.note(tape, loss)
            >>> film.shots[0].gradients[0].text
            '8.0'
        """
        value = loss_of(loss)
        if self.wants():
            player = player_of(tape, loss, self._variables, title=self._heading())
            values = [each.numpy() for each in self._variables]
            self.keep(value, values, player.gradients, player.trace)
        self.losses.append(value)

    def wants(self) -> bool:
        """Whether the step that comes now is one of those to keep."""
        return self._choice.wants(len(self.losses))

    def keep(self, loss: float, values: Any, gradients: Any, trace: Trace | None) -> None:
        """Keeps the step that comes now, and drops those that are no longer wanted."""
        self.shots = [shot for shot in self.shots if self._choice.keeps(shot.step)]
        self._nodes = sum(len(shot.trace.nodes) for shot in self.shots if shot.trace)
        if trace is not None and self._nodes + len(trace.nodes) > MAX_NODES:
            trace = None
        seen = tuple(Glance.of(each) for each in values)
        slopes = tuple(glance(each) for each in gradients)
        self.shots.append(Shot(len(self.losses), loss, seen, slopes, trace, self._says()))

    def _says(self) -> Any:
        if self._predict is None or self.plane is None:
            return None
        points = self.plane.asked()
        return self.plane.checked(self._predict(tf.constant(points)), len(points))

    def _heading(self) -> str:
        run = f"{self.title}: " if self.title else ""
        return f"{run}step {len(self.losses)}"

    def beside(self, *others: Film) -> Film:
        """This run and others on one page: the same axis, the same scales, one cursor.

        Args:
            others: films of other runs.

        Raises:
            TypeError: if something else than a film is given.
        """
        for other in others:
            if not isinstance(other, Film):
                raise TypeError(f"beside needs films, got {other!r:.60}; make each with viz.film")
        both = Film(self.names, title=self.title, plane=self.plane)
        both.losses, both.shots = self.losses, self.shots
        both.others = (*self.others, *others)
        return both

    @property
    def runs(self) -> tuple[Film, ...]:
        """This run and those beside it."""
        return (self, *self.others)

    @property
    def words(self) -> str:
        """From which loss to which the runs went, and what their gradients do."""
        return film_words(self.runs)

    def canvas(self) -> Canvas:
        """The last kept step as a picture: all runs, and the curve of the loss."""
        return still(self.runs)

    def save(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """Writes the film in the format of the path's ending.

        Args:
            path: ends in .html for the page; in .svg, .png, .pdf, .tex or .pptx for the last kept
                step; in .gif or .mp4 for all kept steps. Its folder must exist.
            **options: `width` ("120mm"), `theme` ("light", "dark" or "grey"), `dpi`, `fonts` and
                `seconds`, as for `viz.step(...).save`.

        Raises:
            ValueError: The ending, or an option, is one that no film has.
            FileNotFoundError: The folder does not exist; nothing is written.
            MissingExtraError: The format needs a package; the message says how to install it.
        """
        own: dict[str, Any] = {".html": lambda: page(self), ".svg": lambda: self.svg}
        steps = steps_of(self.runs)

        def draw(step: int) -> Sheet:
            seconds = SECONDS * (3 if step == steps[-1] else 1)
            return sheet_of(still(self.runs, step).svg(), notes=self.words, seconds=seconds)

        moving = (lambda: drawing(steps, draw)) if steps else None

        def slide() -> Sheet:
            return sheet_of(still(self.runs, is_wide=True).svg(), notes=self.words)

        drawn = Drawn(self.called, self._sheet, moving, own, slide)
        return save_drawn(drawn, path, **options)

    def table(self) -> Table:
        """Loss and sizes of the gradients at the kept steps."""
        return numbers_table(self.runs)

    @property
    def html(self) -> str:
        """The film for a notebook's output or a page."""
        return film_html(self.runs, self.canvas(), self.words, self.table())


def loss_of(loss: Any) -> float:
    """The number that is minimised."""
    values = np.asarray(loss.numpy() if hasattr(loss, "numpy") else loss)
    if values.size != 1 or values.dtype.kind not in "fiu":
        raise TypeError(
            f"the loss of a step is one number, got shape {values.shape} and dtype "
            f"{values.dtype}; write for instance film.note(tape, tf.reduce_mean(loss))"
        )
    return float(values.item())


def film(
    variables: Any,
    predict: Callable[[Any], Any] | None = None,
    x: Any = None,
    y: Any = None,
    steps: Iterable[int] | None = None,
    title: str = "",
) -> Film:
    """A recorder of a training loop; `note` each step, then show it or `save` it as a page.

    Args:
        variables: the variables in the order of the layers.
        predict: the model, for a picture of what it says: takes a Tensor of the dtype of `x` and
            shape [n, 1] or [n, 2], gives n numbers; with two inputs each is the probability of
            class 1.
        x: the inputs of the examples: shape [n], [n, 1] or [n, 2].
        y: their outputs: n numbers; with two inputs 0 or 1.
        steps: which steps to keep with their tapes; by default powers of two and eight others.
        title: what the run is called.

    Raises:
        TypeError: if there is something else than variables among them.
        ValueError: if `predict` comes without `x` and `y`, or their shapes do not fit.

    Example:
        >>> import minitape as tf
        >>> from minitape import viz
        >>> w = tf.Variable(4.0)
        >>> film = viz.film([w])
        >>> for _ in range(5):
        ...     with tf.GradientTape() as tape:
        ...         loss = w * w
        ...     film.note(tape, loss)
        ...     _ = w.assign_sub(0.25 * tape.gradient(loss, w))
        >>> film.losses
        [16.0, 4.0, 1.0, 0.25, 0.0625]
        >>> print(film.shots[2].trace.title)
        step 2
    """
    flat = nest.flatten(variables)
    wrong = [each for each in flat if not isinstance(each, ResourceVariable)]
    if wrong or not flat:
        got = repr(wrong[0])[:60] if wrong else "nothing"
        raise TypeError(
            f"viz.film needs variables, got {got}. Write "
            "film = viz.film(model.trainable_variables) before the loop."
        )
    called = called_in(calling_frame(), flat)
    return Film(called, flat, Choice(steps), predict, plane_of(predict, x, y), title)


def called_in(frame: FrameType | None, variables: Sequence[Any]) -> list[str]:
    """What variables are called: `w`, else the names they were given if all differ, else `w[0]`.

    Where several layers have a `kernel`, each is called with its layer: `hidden.kernel`.
    """
    found = tensors_in(frame, variables)
    names = [found[each.id][0] if each.id in found else "" for each in variables]
    own = _without_common_scope([_given(each) for each in variables])
    if _all_differ(own) and "Variable" not in own:
        names = [name if name.isidentifier() else "" for name in names]
        names = names if _all_differ([name for name in names if name]) else [""] * len(names)
    return [name or mine for name, mine in zip(names, own, strict=True)]


def _given(variable: Any) -> str:
    """The name that a variable was given; of a layer's variable with the layers around it."""
    path = getattr(variable, "path", None)
    return str(variable.name).removesuffix(":0") if path is None else path.replace("/", ".")


def _without_common_scope(names: list[str]) -> list[str]:
    """`model.hidden.kernel`, `model.out.kernel` -> `hidden.kernel`, `out.kernel`."""
    while len(names) > 1:
        scopes = [re.split("[./]", name, maxsplit=1) for name in names]
        if any(len(each) == 1 for each in scopes) or len({each[0] for each in scopes}) > 1:
            break
        names = [rest for _, rest in scopes]
    return names


def _all_differ(names: list[str]) -> bool:
    return len({*names}) == len(names)
