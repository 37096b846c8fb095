"""Target and source exchanged: the source was computed from the target."""

from __future__ import annotations

from .cause import Cause, Question


def is_swapped(q: Question) -> bool:
    """Whether a recorded op made the source, and the target went into it."""
    flow = q.flow
    maker = flow.maker.get(q.s)
    if q.s == q.t or maker is None or not maker.recorded:
        return False
    if flow.names.get(q.s) == flow.names.get(q.t) or q.s in flow.ancestors(q.t):
        return False
    return q.t in flow.ancestors(q.s)


def swapped(q: Question) -> Cause | None:
    """The cause, None where target and source are in their order."""
    if not is_swapped(q):
        return None
    sentence = (
        f"Target and source are swapped: `{q.x}` was computed from `{q.y}`, so `{q.y}` does not "
        f"depend on `{q.x}`. `gradient(target, sources)` takes the result first."
    )
    mend = f"{q.tape_name}.gradient({q.x}, {q.y})"
    return Cause("swapped", sentence, None, mend, "swapped", key=q.s)
