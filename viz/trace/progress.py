"""What is known after the first k steps of a trace."""

from __future__ import annotations

from dataclasses import dataclass, field

from .trace import Array, Step, Trace


@dataclass(slots=True)
class Progress:
    """The state of a trace after some of its steps.

    Attributes:
        cotangents: What is known of each node's cotangent (or tangent, where the trace has these).
        current: The step that was done last, None before the first.
        computed: Nodes whose forward step was done.
        visited: Ops whose rules ran, and targets that were seeded.
        used: Edges (from, to, position) along which a contribution went, back or forward.
        released: Nodes whose record the tape dropped.
        unconnected: Nodes where the way back ended: sources without a gradient, ops without a rule.
        pending: The pending count of each op, where ops go by these.
        queue: The ops that are ready, the next one first.
        met: Nodes at which paths met, so that contributions were added.
    """

    cotangents: dict[int, Array] = field(default_factory=dict)
    current: Step | None = None
    computed: set[int] = field(default_factory=set)
    visited: set[int] = field(default_factory=set)
    used: set[tuple[int, int, int]] = field(default_factory=set)
    released: set[int] = field(default_factory=set)
    unconnected: set[int] = field(default_factory=set)
    pending: dict[int, int] = field(default_factory=dict)
    queue: tuple[int, ...] = ()
    met: set[int] = field(default_factory=set)


def progress(trace: Trace, step: int | None = None) -> Progress:
    """Replay the steps 0 ... `step` (all of them for None, none for -1).

    Raises:
        IndexError: The trace has no such step.
    """
    last = len(trace.steps) - 1 if step is None else step
    if not -1 <= last < len(trace.steps):
        message = f"there is no step {last}: this trace has steps 0 to {len(trace.steps) - 1}"
        raise IndexError(f"{message}; -1 is the picture before the first")
    # What no step records, such as a variable that was there before, is there from the beginning.
    recorded = {each.node for each in trace.steps if each.kind == "forward"}
    state = Progress(computed={node.id for node in trace.nodes} - recorded if recorded else set())
    for done in trace.steps[: last + 1]:
        _replay(done, state)
    return state


def _replay(step: Step, state: Progress) -> None:
    state.current = step
    state.pending.update(step.pending or {})
    state.queue = state.queue if step.queue is None else step.queue
    if step.kind == "forward":
        state.computed.add(step.node)
    elif step.kind in ("ready", "count"):
        state.visited.add(step.node)
    elif step.kind == "release":
        state.released.add(step.node)
    elif step.kind == "unconnected":
        state.unconnected.add(step.node)
    elif step.kind == "seed":
        state.visited.add(step.node)
        _set(state, step.node, step.total or step.cotangent)
    elif step.kind == "accumulate":
        if step.old is not None:
            state.met.add(step.node)
        _set(state, step.node, step.total)
    elif step.to is not None and step.position is not None:
        state.visited.add(step.node)
        state.used.add((step.to, step.node, step.position))
        receiver = step.node if step.kind == "push" else step.to
        _set(state, receiver, step.total or step.contribution)


def _set(state: Progress, node: int, cotangent: Array | None) -> None:
    if cotangent is not None:
        state.cotangents[node] = cotangent
