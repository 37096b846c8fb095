"""`step` and `draw`: from a tape to the player, and to a still picture."""

from __future__ import annotations

from typing import Any

from minitape.request import Request

from .diagnosis.views.paths import with_paths
from .diagnosis.views.reasons import with_reasons
from .guesses import explain_calls
from .player.notebook import Player
from .player.still import Picture
from .record.build import build
from .record.journal import journal_in_use
from .record.lines import calling_frame
from .record.names import tensors_in
from .record.opening import build_opened
from .record.recorded import tensors_of
from .record.tapes import recording_of

explain_calls(__name__)  # `viz.show(...)` is a guess for `viz.step(...)`


def step(
    tape: Any,
    target: Any,
    sources: Any,
    output_gradients: Any = None,
    title: str = "",
    *,
    at: int | str | None = None,
) -> Player:
    """The step player of a tape: its recorded forward pass and the backward pass to `sources`.

    The tape is not used up: its `gradient` can be asked afterwards as before.

    Args:
        tape: a GradientTape that has recorded, not yet used up.
        target: what to differentiate, as for `tape.gradient`.
        sources: with respect to what, as for `tape.gradient`.
        output_gradients: weights of the targets, as for `tape.gradient`.
        title: a heading for the page.
        at: the step that the player opens at: its number, as the player counts from 1, or the name
            of a value, such as "x", for the step in which the last contribution to it arrives.
            Without it the player opens on its first page.

    Returns:
        A player: it shows itself in Jupyter, `.save("x.html")` writes one offline page, and
        `.gradients` holds the gradients in the structure of `sources`.

        Where an op on the way has no gradient registered, the steps end there and say so, and
        asking for `.gradients` raises the LookupError of `tape.gradient`.

    Raises:
        TypeError: if `tape` is not a GradientTape, or target or sources are not tensors; if `at` is
            neither a number nor a name.
        IndexError: if there is no step `at`.
        ValueError: if no value is called `at`.
        RuntimeError: if the tape has released what it recorded.

    Example:
        >>> import minitape as tf
        >>> from minitape import viz
        >>> x = tf.Variable(3.0)
        >>> with tf.GradientTape() as tape:
        ...     y = x * x
        >>> print(viz.step(tape, y, x).gradients)
        tf.Tensor(6.0, shape=(), dtype=float32)
    """
    recording = recording_of(tape)
    request = Request(target, sources, output_gradients)
    records = recording.records
    names = tensors_in(calling_frame(), [*request.targets, *tensors_of(records)])
    built = build_opened(
        request, records, recording, names, journal=journal_in_use(), title=title,
        persistent=tape.persistent,
    )  # fmt: skip
    if built.error is not None:
        return Player(built.trace, error=built.error, at=at)
    places = built.graph.place
    trace = with_reasons(with_paths(built.trace, request, records, places), tape, request, places)
    return Player(trace, request.results(built.cotangents), at=at)


def draw(tape: Any, target: Any = None, sources: Any = None) -> Picture:
    """The still picture of a tape, with the gradients if `target` and `sources` are given.

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
    names = tensors_in(calling_frame(), [*request.targets, *tensors_of(records)])
    built = build(
        request, records, recording, names, journal=journal_in_use(), shows_error=True,
        persistent=tape.persistent,
    )  # fmt: skip
    return Picture(built.trace)
