"""Words and steps of the pending-count algorithm: which op is ready and why, whose counts fall.

Everything here is read off the engine's `Moment`s, one per op that the schedule gave out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..trace.trace import Node, Step, Trace
from ..trace.wording import called, together

if TYPE_CHECKING:
    from minitape.graphs.schedule import Moment

Places = dict[str, list[int]]  # the nodes of each op, by the engine's name for it
MAX_LISTED = 4
SAME_SUMS = "Every order that respects the counts adds the same sums."


def counted_steps(
    nodes: Sequence[Node],
    places: Places,
    events: list[tuple[Moment, list[Step]]],
    runs: bool = True,
) -> list[Step]:
    """For each op: that it is ready and why, what it passes on, and whose counts fall then.

    Without values nothing `runs`: there are counts and a queue, and no pulls.
    """
    uses = dict(events[0][0].counts) if events else {}
    said = {name: _called([nodes[n] for n in own]) for name, own in places.items()}
    steps: list[Step] = []
    for i, (moment, pulls) in enumerate(events):
        following = events[i + 1][0] if i + 1 < len(events) else None
        own = nodes[places[moment.node.name][0]]
        ready = tuple(places[node.name][0] for node in moment.queue)
        sentence = _ready(said[moment.node.name], uses[moment.node.name], [nodes[n] for n in ready])
        g = pulls[0].cotangent if pulls else None
        steps.append(
            Step("ready", own.id, cotangent=g, sentence=sentence, line=own.line, queue=ready)
        )
        steps += pulls
        steps.append(_done(own, moment, following, said, places, bool(pulls) or not runs))
    return steps


def _called(results: list[Node]) -> str:
    """What a sentence calls an op: its result, or op and results where there are several."""
    if len(results) == 1:
        return called(results[0])
    return f"`{results[0].op}` ({together(results[:MAX_LISTED])})"


def _ready(name: str, uses: int, others: list[Node]) -> str:
    why = "no other op on the way back uses its result"
    if uses == 1:
        why = "the one use of its result is done, so its cotangent is complete"
    elif uses > 1:
        both = "both" if uses == 2 else f"all {uses}"
        why = f"{both} uses of its result are done, so its cotangent is complete"
    return _capital(f"{name} is ready: {why}. {_choice(others)}")


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _choice(others: list[Node]) -> str:
    if not others:
        return "Nothing else is ready, so every order takes it now."
    names = [called(node) for node in others[:MAX_LISTED]]
    names += [f"{len(others) - MAX_LISTED} more"] * (len(others) > MAX_LISTED)
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    verb = "is" if len(others) == 1 else "are"
    one = "it" if len(others) == 1 else "any of them"
    return _capital(f"{listed} {verb} ready too; to take {one} first would be just as right.")


def _done(
    own: Node, moment: Moment, following: Moment | None, said: dict[str, str], places: Places,
    passed: bool,
) -> Step:  # fmt: skip
    """The counts that fall when an op is done, and the ops that get ready by that."""
    later = following.counts if following else {name: 0 for name in moment.counts}
    fell = {name: later[name] for name, count in moment.counts.items() if later[name] != count}
    changed = {n: count for name, count in fell.items() for n in places[name]}
    queue = [following.node, *following.queue] if following else []
    falls = [f"{said[name]} ({moment.counts[name]} → {count})" for name, count in fell.items()]
    ready = [said[name] for name, count in fell.items() if not count]
    skipped = "" if passed else " It got no cotangent and passed nothing on."
    sentence = _capital(f"{said[moment.node.name]} is done.{skipped} {_fall(falls, ready)}")
    return Step(
        "count", own.id, sentence=sentence, line=own.line, pending=changed,
        queue=tuple(places[node.name][0] for node in queue),
    )  # fmt: skip


def _fall(said: list[str], ready: list[str]) -> str:
    if not said:
        return "No op in between made its inputs, so no count falls."
    joined = " and ".join(said)
    joins = "joins" if len(ready) == 1 else "join"
    end = f": {' and '.join(ready)} {joins} the queue" if ready else "; nothing gets ready by that"
    return f"One use less for {joined}{end}."


def order_notes(trace: Trace, difference: float | None) -> list[str]:
    """Where the two orders differ, and that it makes no difference: a note for each sentence."""
    own, tape = (order.nodes for order in trace.orders)
    place = next((i for i, (a, b) in enumerate(zip(own, tape, strict=False)) if a != b), None)
    start = "A tape, going back record by record, takes the ops in the same order."
    if place is not None:
        one, two = called(trace.nodes[own[place]]), called(trace.nodes[tape[place]])
        start = (
            f"A tape goes back record by record: as op number {place + 1} it takes {two}, where "
            f"the queue gives {one}."
        )
    return [start, *_proved(difference)]


def _proved(difference: float | None) -> list[str]:
    """That the order makes no difference, and how that was checked."""
    if difference is None:
        return [SAME_SUMS]
    same = "the same gradients" if not difference else "the same gradients up to rounding"
    if difference > 1e-4:
        return [f"The orders gave gradients that differ by {difference:.1e}: rounding matters."]
    checked = "Checked here: these counts, the latest ready op first, and a tape's order gave"
    return [SAME_SUMS, f"{checked} {same}."]
