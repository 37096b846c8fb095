"""`step` and `draw`: from a tape to the player, and to a still picture.

Imports `build`, `journal`, `lines`, `names`, `notebook`, `svg`, `export`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from minitape.request import Request
from minitape.tape import GradientTape

from .picture import export
from .picture.svg import svg
from .player.notebook import Player
from .record.build import build
from .record.journal import journal_in_use
from .record.lines import calling_frame
from .record.names import tensors_in
from .record.reasons import with_reasons
from .record.recorded import tensors_of
from .trace.trace import Trace


class Picture:
    """A still picture of a trace: shows itself in notebooks, saves itself as SVG, PNG, PDF, ...

    Attributes:
        trace: what is drawn.
    """

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    @property
    def svg(self) -> str:
        """The picture as SVG text."""
        return svg(self.trace)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the picture in the format of the path's ending; see `viz.export.save`."""
        return export.save(self.trace, path)

    def __repr__(self) -> str:
        return f"<Picture: {len(self.trace.nodes)} nodes>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        from .player.page import image

        return {"text/plain": repr(self), "text/html": image(self.trace)}


def step(
    tape: Any, target: Any, sources: Any, output_gradients: Any = None, title: str = ""
) -> Player:
    """The step player of a tape: its recorded forward pass and the backward pass to `sources`.

    The tape is not used up: its `gradient` can be asked afterwards as before.

    Args:
        tape: a GradientTape that has recorded, not yet used up.
        target: what to differentiate, as for `tape.gradient`.
        sources: with respect to what, as for `tape.gradient`.
        output_gradients: weights of the targets, as for `tape.gradient`.
        title: a heading for the page.

    Returns:
        A player: it shows itself in Jupyter, `.save("x.html")` writes one offline page, and
        `.gradients` holds the gradients in the structure of `sources`.

        Where an op on the way has no gradient registered, the steps end there and say so, and
        asking for `.gradients` raises the LookupError of `tape.gradient`.

    Raises:
        TypeError: if `tape` is not a GradientTape, or target or sources are not tensors.
        RuntimeError: if the tape has released what it recorded.

    Example:
        >>> import minitape as tf, viz
        >>> x = tf.Variable(3.0)
        >>> with tf.GradientTape() as tape:
        ...     y = x * x
        >>> print(viz.step(tape, y, x).gradients)
        tf.Tensor(6.0, shape=(), dtype=float32)
    """
    recording = recording_of(tape)
    request = Request(target, sources, output_gradients)
    records = recording.records
    failed: list[LookupError] = []
    options = {"journal": journal_in_use(), "persistent": tape.persistent, "title": title}
    names = tensors_in(calling_frame(), [*request.targets, *tensors_of(records)])
    trace, cotangents = build(request, records, recording, names, failed=failed, **options)
    if failed:
        return Player(trace, error=failed[0])
    return Player(with_reasons(trace, tape, request), request.results(cotangents))


def draw(tape: Any, target: Any = None, sources: Any = None) -> Picture:
    """The still picture of a tape, with the gradients where `target` and `sources` are given.

    Args:
        tape: a GradientTape that has recorded.
        target: what to differentiate; by default nothing.
        sources: with respect to what.

    Raises:
        TypeError: if `tape` is not a GradientTape.
        RuntimeError: if the tape has released what it recorded.
    """
    recording = recording_of(tape)
    request = Request([] if target is None else target, [] if sources is None else sources)
    records = recording.records
    options = {"journal": journal_in_use(), "persistent": tape.persistent, "title": ""}
    names = tensors_in(calling_frame(), [*request.targets, *tensors_of(records)])
    return Picture(build(request, records, recording, names, failed=[], **options)[0])


def recording_of(tape: Any) -> Any:
    """The engine's recording of a tape.

    Raises:
        TypeError: if it is not a GradientTape.
        RuntimeError: if it has released what it recorded.
    """
    if not isinstance(tape, GradientTape):
        raise TypeError(
            f"expected a tf.GradientTape, got {tape!r}. The recording is what is shown: "
            "write `with tf.GradientTape() as tape: ...` and pass that `tape`."
        )
    try:
        return tape.recording
    except RuntimeError as error:
        raise RuntimeError(
            "The tape has nothing to show: it was not entered yet, or it has given a gradient and "
            "released what it recorded. Call viz.step or viz.draw before tape.gradient, or write "
            "`with tf.GradientTape(persistent=True) as tape:` to do both in any order."
        ) from error
