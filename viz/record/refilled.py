"""A used tape's records, made again from what a journal has kept, under the same ids and mark.

The one fact to know: tensors still carry the mark of the tape that followed them, so that which ops
it recorded, and of which inputs, is read off them; the used tape itself stays empty.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.record import make_record
from minitape.recording import Recording
from minitape.tape import GradientTape

if TYPE_CHECKING:
    from .journal import Entry, Journal


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
