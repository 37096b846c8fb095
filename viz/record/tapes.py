"""The engine's recording of a learner's tape, or words on why there is none.

A tape that is used up has none. Its records are made again from what a journal has kept: tensors
still carry the mark of the tape that followed them, so that which ops it recorded, and of which
inputs, is read off them.
"""

from __future__ import annotations

from reprlib import repr as short  # an error must be able to show a nest that is very deep
from typing import TYPE_CHECKING, Any

from minitape.record import make_record
from minitape.recording import Recording
from minitape.tape import GradientTape

if TYPE_CHECKING:
    from .journal import Entry, Journal


def recording_of(tape: Any) -> Any:
    """The engine's recording of a tape.

    Raises:
        TypeError: if it is not a GradientTape.
        RuntimeError: if it has released what it recorded.
    """
    if not isinstance(tape, GradientTape):
        raise TypeError(
            f"expected a tf.GradientTape, got {short(tape)}. The recording is what is shown: "
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


def refilled(tape: GradientTape, journal: Journal | None) -> GradientTape | None:
    """A persistent tape with the records that a used one had; None where none of them is known.

    Args:
        tape: one that gave its record away.
        journal: that was open while it recorded.
    """
    past = tape.past
    if past is None or journal is None:
        return None
    own = past.mark[0]
    recording = Recording(past.watches_variables)
    recording.mark, recording.watched, recording.events = past.mark, past.watched, past.events
    recording.log += [
        _record(entry, past.mark)
        for entry in journal.entries
        if entry.op.differentiable and any(own in (y.mark or ()) for y in entry.outputs)
    ]
    if not recording.records:
        return None
    full = GradientTape(persistent=True)
    full._recording = recording
    return full


def _record(entry: Entry, mark: Any) -> Any:
    """What the tape kept of an op."""
    made = {y.id for y in entry.outputs}  # a custom gradient takes its results as well
    followed = tuple(mark[0] in (x.mark or ()) and x.id not in made for x in entry.inputs)
    out = entry.outputs if entry.op.several else entry.outputs[0]
    return make_record(entry.op, followed, entry.inputs, out, entry.attributes, mark)
