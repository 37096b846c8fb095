"""`push`: the step player of a tangent's way through a tape."""

from __future__ import annotations

from typing import Any

import numpy as np

from minitape.request import Request
from minitape.tensors.convert import convert_to_tensor

from .player.notebook import Player
from .record.journal import journal_in_use
from .record.lines import calling_frame
from .record.names import tensors_in
from .record.recorded import tensors_of
from .record.tangents import build_tangents
from .record.tapes import recording_of


def push(tape: Any, target: Any, source: Any, tangent: Any = None, title: str = "") -> Player:
    """The step player of a tangent pushed through a tape: forward mode on a recording.

    The tape is not used up.

    Args:
        tape: a GradientTape that has recorded, not yet used up.
        target: a tensor, where the tangent is to arrive.
        source: a tensor or variable, where it starts.
        tangent: the direction in which the source moves, of its shape; ones by default.
        title: a heading for the page.

    Returns:
        A player: it shows itself in Jupyter, `.save("x.html")` writes one offline page, and
        `.tangents` is what arrives: the jacobian times the tangent, None if no path leads there.

    Raises:
        TypeError: if `tape` is not a GradientTape, or target or source is not one tensor.
        RuntimeError: if the tape has released what it recorded.
        ValueError: if the tangent has not the source's shape, or an end is complex.
        LookupError: if an op on the way has no gradient registered.

    Example:
        >>> import minitape as tf
        >>> from minitape import viz
        >>> x = tf.Variable([1.0, 2.0])
        >>> with tf.GradientTape() as tape:
        ...     y = x * x
        >>> viz.push(tape, y, x, [0.0, 1.0]).tangents.numpy().tolist()
        [0.0, 4.0]
    """
    recording = recording_of(tape)
    request = Request(target, source)
    if (len(request.targets), len(request.sources)) != (1, 1):
        raise TypeError(
            f"viz.push goes from one source to one target, got {len(request.sources)} and "
            f"{len(request.targets)}. Call it once for each pair."
        )
    records = recording.records
    names = tensors_in(calling_frame(), [*request.targets, *tensors_of(records)])
    options = {"journal": journal_in_use(), "persistent": tape.persistent, "title": title}
    given = _fitting(tangent, request.sources[0])
    trace, arrived = build_tangents(request, given, records, recording, names, **options)
    return Player(trace, arrived)


def _fitting(tangent: Any, source: Any) -> Any:
    """The tangent as an array like the source."""
    shape, dtype, _ = source.spec
    if tangent is None:
        return np.ones(tuple(shape), dtype)
    array = np.asarray(convert_to_tensor(tangent, dtype=source.dtype).value)
    if array.shape != tuple(shape):
        raise ValueError(
            f"the tangent has shape {array.shape} and its source has shape {tuple(shape)}. A "
            "tangent says how fast each element of its source moves: give one number for each."
        )
    return array
