"""What a recorded tape is in a notebook: an object that shows itself as the step player.

Its HTML carries a picture and a table of the steps, so an untrusted notebook, an export or a kernel
that is gone still shows them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from reprlib import repr as shown  # an error must be able to show a nest that is very deep
from typing import TYPE_CHECKING, Any, NoReturn

from ..base.files import check_place, write_whole
from ..export.saving import ending_of
from ..guesses import missing_of_player
from ..picture.dot_object import digraph
from ..trace.arrays import Array
from ..trace.trace import Step, Trace
from .page import fragment, page
from .sheet.saving import BY_ENDING, StepPicture, Steps, checked, save
from .sheet.sheets import SHOWS

if TYPE_CHECKING:
    import graphviz

    from .widget import StepWidget


MARIMO_HEIGHT = "860px"  # the player, with nothing of it below the fold
_BY_NAME: Any = object()  # None is a result, too: no path leads there


class Player:
    """The step player of one trace.

    Args:
        trace: What was recorded.
        gradients: The numbers for Python; by default those of the trace, by the sources' names. For
            a trace that carries tangents, those of the targets.
        error: What ended the sweep, if something did: raised when the gradients are asked for.
        at: The step that it opens at: its number, as the page counts them from 1, or the name of a
            value for the step in which the last contribution to it arrives.

    Attributes:
        trace: The same trace; every picture is a function of it.

    Example:
        >>> from minitape.viz.trace.trace import Node
        >>> x = Node(0, "source", (), "float64", (), name="x", value=Array.of(3.0))
        >>> player = Player(Trace((x,), sources=(0,), gradients={0: Array.of(6.0)}))
        >>> player
        <Player: 1 node, 0 steps; gradient for x: 6.0>
        >>> player.gradients["x"].data
        (6.0,)
    """

    def __init__(
        self,
        trace: Trace,
        gradients: Any = _BY_NAME,
        error: LookupError | None = None,
        at: int | str | None = None,
    ) -> None:
        if not isinstance(trace, Trace):
            raise TypeError(
                f"a Player shows a viz.Trace; got {shown(trace)}. Write viz.step(tape, y, x), "
                "which makes the trace, or viz.Trace.load('trace.json')."
            )
        self.trace = trace
        self._gradients = self._by_name() if gradients is _BY_NAME else gradients
        self._error = None if error is None else error.with_traceback(None)
        self._at = None if at is None else opening_step(trace, at)

    if not TYPE_CHECKING:  # which would take every name for known

        def __getattr__(self, name: str) -> NoReturn:
            if hasattr(type(self), name):  # a property has refused, with words of its own
                object.__getattribute__(self, name)
            raise missing_of_player(name)

    @property
    def gradients(self) -> Any:
        """The gradients, in the structure of the sources that were asked for.

        Raises:
            LookupError: An op on the way has no gradient registered.
            AttributeError: The steps push tangents forward; see `tangents`.
        """
        if self.trace.carries == "tangents":
            raise AttributeError(
                "this player pushes tangents forward, which gives no gradients; player.tangents "
                "is what arrives at the target"
            )
        if self._error is not None:
            raise self._error.with_traceback(None)
        return self._gradients

    @property
    def tangents(self) -> Any:
        """What arrives at the target, where the steps push tangents; None if no path leads there.

        Raises:
            AttributeError: The steps pull cotangents back; see `gradients`.
        """
        if self.trace.carries == "cotangents":
            raise AttributeError(
                "this player pulls cotangents back, which gives no tangents; player.gradients is "
                "what arrives at the sources"
            )
        return self._gradients

    def _by_name(self) -> dict[str, Array | None]:
        """What arrives at each end by its name, None if unconnected.

        An end without a name is "node 3", and the second one of a name is "kernel (node 3)".
        """
        trace = self.trace
        found: dict[str, Array | None] = {}
        for node in trace.targets if trace.carries == "tangents" else trace.sources:
            name = trace.nodes[node].name or f"node {node}"
            found[f"{name} (node {node})" if name in found else name] = trace.gradients.get(node)
        return found

    def text(self, step: int | None = None) -> str:
        """What the player says of its steps as plain text: sentences, equations, sums.

        Args:
            step: The number of one step, as the page counts them from 1; by default all of them.

        Returns:
            The text. Each equation in it is true for the digits that stand there; where four
            digits would not do, it has more.

        Raises:
            IndexError: There is no such step.

        Example:
            >>> import minitape as tf
            >>> from minitape import viz
            >>> a = tf.Variable(1.5)
            >>> with viz.recording(), tf.GradientTape() as tape:
            ...     out = tf.tanh(a * 2.0)
            >>> print(viz.step(tape, out, a).text(step=2))
            2. The program applies tanh to a·2.
               tanh(3.0) = 0.9951
        """
        from .scene.text import text

        return text(self.trace, step)

    def summary(self) -> str:
        """What the gradients are, and what explains their sizes, as plain text."""
        from .scene.text import summary_text

        return summary_text(self.trace)

    def save(
        self,
        path: str | os.PathLike[str],
        step: int | None = None,
        at: int | Sequence[int] | None = None,
        *,
        steps: Steps | None = None,
        shows: str | Sequence[str] = SHOWS,
        width: str | float | None = None,
        aspect: str | float | None = BY_ENDING,
        theme: str = "light",
        dpi: float | None = None,
        fonts: str | None = None,
        seconds: float | None = None,
    ) -> Path:
        """Write what the player shows: the page, or steps of it as pictures, by the file's ending.

        Args:
            path: The file to write: "lesson.html" for a page that plays the steps offline,
                "lesson.json" for the trace; for steps as pictures .svg, .png and .tex (TikZ, for
                a paper), which show one, and .pdf, .pptx, .gif and .mp4, which show all where
                none is named. Its folder must exist. The file appears whole or not at all.
            step: The number of the step, as the page counts them from 1.
            at: The element of its result that is worked out, such as (3, 0).
            steps: The first step and the last, such as (8, 14), or the numbers of some.
            shows: "sentence", "graph", "proof", or several of them.
            width: The width that it will have, such as "154mm" for a column of text. Letters are
                made for that width: nothing should be scaled afterwards.
            aspect: Width to height, such as "16:9"; None for a height that follows from what is
                shown, as it does for .tex and where there is no graph.
            theme: "light", "dark" or "grey".
            dpi: Pixels to an inch, where the picture has pixels.
            fonts: For .svg: "names" for the reader's own fonts, "embed" to bring the letters along.
                For .svg and .pdf: "paths" for outlines of letters, which need no font.
            seconds: How long a film shows each step; by default as long as one reads it.

        Returns:
            The path.

        Raises:
            ValueError: The ending, or another argument, is one that no export has.
            IndexError: There is no such step, or no such element.
            MissingExtraError: The format needs a package; the message says how to install it.
            FileNotFoundError: The folder does not exist; nothing is written.

        Example:
            >>> import tempfile
            >>> import minitape as tf
            >>> from minitape import viz
            >>> a = tf.Variable(1.5)
            >>> with viz.recording(), tf.GradientTape() as tape:
            ...     out = tf.tanh(a * 2.0)
            >>> folder = Path(tempfile.mkdtemp())
            >>> viz.step(tape, out, a).save(folder / "step.svg", step=2).name
            'step.svg'
        """
        ending = ending_of(path)
        if ending in (".html", ".htm", ".json"):
            check_place(path)  # Before the work of drawing, not after it.
            whole = self.trace.to_json() if ending == ".json" else page(self.trace, at=self._at)
            return write_whole(path, whole)
        return save(
            self.trace, path, step, at, steps=steps, shows=shows, width=width, aspect=aspect,
            theme=theme, dpi=dpi, fonts=fonts, seconds=seconds,
        )  # fmt: skip

    def picture(
        self,
        step: int,
        at: int | Sequence[int] | None = None,
        *,
        shows: str | Sequence[str] = SHOWS,
        width: str | float | None = None,
        aspect: str | float | None = BY_ENDING,
        theme: str = "light",
    ) -> StepPicture:
        """One step as a still picture, which shows itself in a notebook and has `.save`.

        Args:
            step: The number of the step, as the page counts them from 1.
            at: The element of its result that is worked out, such as (3, 0).
            shows: "sentence", "graph", "proof", or several of them.
            width: The width that it will have, such as "154mm".
            aspect: Width to height; None for a height that follows.
            theme: "light", "dark" or "grey".

        Raises:
            IndexError: There is no such step, or no such element.
            ValueError: Another argument is one that no picture has.
        """
        return StepPicture(
            self.trace, step, at, shows=shows, width=width, aspect=aspect, theme=theme
        )

    def widget(self) -> StepWidget:
        """Give a live player whose `step` Python can read and set.

        Raises:
            MissingExtraError: anywidget is not installed; the message says how to install it.
        """
        from .widget import StepWidget

        return StepWidget(self.trace, self._at)

    def to_graphviz(self) -> graphviz.Digraph:
        """Give the tape as an object of the package `graphviz`; node `n3` is node 3 of the trace.

        Raises:
            MissingExtraError: The package is not installed.
        """
        return digraph(self.trace)

    def _display_(self) -> object:
        """Show the whole player in marimo, which runs no scripts of an output's HTML."""
        import marimo

        return marimo.iframe(page(self.trace, at=self._at), height=MARIMO_HEIGHT)

    def __repr__(self) -> str:
        nodes = len(self.trace.nodes)
        steps = sum(step.kind != "release" for step in self.trace.steps)  # as the page counts them
        what = "tangent of" if self.trace.carries == "tangents" else "gradient for"
        ends = list(self._by_name().items())
        shown = [
            f"{what} {name[:40]}: {'None' if array is None else array.text()}"
            for name, array in ends[:4]
        ]
        shown += [f"and {len(ends) - 4} more"] if len(ends) > 4 else []
        counts = f"{nodes} node{'s'[: nodes != 1]}, {steps} step{'s'[: steps != 1]}"
        return f"<Player: {'; '.join([counts, *shown])}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """Show as HTML where there is a page, as a line of text elsewhere."""
        return {"text/plain": repr(self), "text/html": fragment(self.trace, at=self._at)}


def opening_step(trace: Trace, at: int | str) -> int:
    """Give the number of the step that a player opens at, as the page counts them from 1.

    Args:
        trace: What was recorded.
        at: That number, or the name of a value for the step in which the last contribution to it
            arrives (the step that computes it, where none does).

    Raises:
        IndexError: There is no such step.
        ValueError: No value of the trace has that name.
        TypeError: It is neither a number nor a name.
    """
    steps = [step for step in trace.steps if step.kind != "release"]
    if not isinstance(at, str):
        return checked(at, len(steps), "at")
    called = [node.id for node in trace.nodes if node.name == at]
    computed = [n for n, step in enumerate(steps, 1) if step.node in called]
    arrived = [n for n, step in enumerate(steps, 1) if _receiver(step) in called]
    if not computed and not arrived:
        names = [node.name for node in trace.nodes if node.name][:8]
        known = f" ({', '.join(names)})" if names else ""
        raise ValueError(
            f"at={at!r:.40} names no value that a step is about: write the name of one{known}, or "
            f"the number of a step, from 1 to {len(steps)}"
        )
    return (arrived or computed)[-1]


def _receiver(step: Step) -> int | None:
    """The node to which a step brings a gradient or a tangent, if it brings one."""
    if step.kind == "pull":
        return step.to
    brings = ("seed", "accumulate", "push", "unconnected")
    return step.node if step.kind in brings else None
