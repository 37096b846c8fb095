"""A large trace with its groups closed: a smaller trace that every picture can be made of.

A view holds an ordinary `Trace`, in which a closed group is one op. Nothing that draws, lays out or
exports needs to know of groups.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..trace.changed import changed
from ..trace.trace import Array, Node, NodeKind, Step, Trace
from .groups import Group, groups


@dataclass(frozen=True, slots=True)
class View:
    """What is drawn of a trace while some of its groups are open.

    Attributes:
        trace: The smaller trace.
        place: For each node of the whole trace that is in the view its node here.
        members: For each node here the nodes of the whole trace that it stands for.
        group: For each node here the group that it stands for, None for a node that is itself.
        steps: For each step here its number in the whole trace.
    """

    trace: Trace
    place: dict[int, int]
    members: tuple[tuple[int, ...], ...]
    group: tuple[int | None, ...]
    steps: tuple[int, ...]


def collapsed_view(
    trace: Trace, expanded: Collection[int] = (), grouping: Sequence[Group] | None = None
) -> View:
    """Show a trace with all groups closed but the `expanded` ones.

    Args:
        trace: The whole trace.
        expanded: Ids of open groups; one inside a closed group counts only once that is open.
        grouping: The groups; `groups(trace)` when not given.

    Returns:
        The view.

    Raises:
        ValueError: There is no such group.

    Example:
        >>> nodes = [Node(0, "source", (), "float64", ())]
        >>> nodes += [Node(i, "op", (i - 1,), "float64", (), op="sin") for i in range(1, 1000)]
        >>> [node.name for node in collapsed_view(Trace(tuple(nodes))).trace.nodes][:2]
        ['sin 1–40', 'sin 41–80']
    """
    grouping = groups(trace) if grouping is None else grouping
    _check_ids(expanded, grouping)
    return view_of(trace, trace.nodes, _owners(set(expanded), grouping), grouping)


def inside(trace: Trace, group: int, grouping: Sequence[Group] | None = None) -> View:
    """Show what is in one group, groups inside it closed, with the nodes that feed it as leaves.

    Raises:
        ValueError: There is no such group.
    """
    grouping = groups(trace) if grouping is None else grouping
    _check_ids([group], grouping)
    opened, around = {group}, grouping[group].parent
    while around is not None:
        opened.add(around)
        around = grouping[around].parent
    within = set(grouping[group].nodes)
    feeding = {p for n in within for p in trace.nodes[n].inputs if p not in within}
    owners = {n: owner for n, owner in _owners(opened, grouping).items() if n not in feeding}
    chosen = [trace.nodes[n] for n in sorted(within | feeding)]
    shown = [as_leaf(node, op=None) if node.id in feeding else node for node in chosen]
    return view_of(trace, shown, owners, grouping)


def as_leaf(node: Node, **changes: Any) -> Node:
    """A node that feeds what is shown, and is not taken apart there."""
    kind: NodeKind = "source" if node.kind == "op" else node.kind
    return changed(node, kind=kind, inputs=(), **changes)


def _check_ids(ids: Collection[int], grouping: Sequence[Group]) -> None:
    for number in ids:
        if not 0 <= number < len(grouping):
            message = f"there is no group {number}; this trace has {len(grouping)} groups"
            raise ValueError(f"{message}; see viz.groups.groups(trace)")


def _owners(opened: set[int], grouping: Sequence[Group]) -> dict[int, int]:
    """Find for each node in a closed group the outermost one around it."""
    owners: dict[int, int] = {}
    visible: set[int | None] = {None}
    for group in grouping:  # Outer groups come first.
        if group.parent not in visible:
            continue
        if group.id in opened:
            visible.add(group.id)
        else:
            owners.update(dict.fromkeys(group.nodes, group.id))
    return owners


def view_of(
    trace: Trace, shown: Iterable[Node], owners: Mapping[int, int], grouping: Sequence[Group]
) -> View:
    """Show some nodes of a trace; those with an owner, the place of a closed group, as one box."""
    items: dict[tuple[str, int], list[Node]] = {}
    for node in shown:
        owner = owners.get(node.id)
        key = ("node", node.id) if owner is None else ("group", owner)
        items.setdefault(key, []).append(node)
    # Leaves first: one that is recorded in the midst of a group's ops may be that group's input.
    ordered = sorted(items.items(), key=lambda item: _order(item[1]))
    place = {node.id: box for box, (_, members) in enumerate(ordered) for node in members}
    nodes = [
        _node(box, key, members, place, grouping) for box, (key, members) in enumerate(ordered)
    ]
    speakers = {members[-1].id for _, members in ordered}
    steps = _steps(trace, nodes, place, speakers)
    return View(
        _small_trace(trace, nodes, [step for _, step in steps], place, speakers),
        place,
        tuple(tuple(node.id for node in members) for _, members in ordered),
        tuple(key[1] if key[0] == "group" else None for key, _ in ordered),
        tuple(number for number, _ in steps),
    )


def _order(members: list[Node]) -> tuple[bool, int]:
    ops = [node.id for node in members if node.kind == "op"]
    return (True, ops[0]) if ops else (False, members[0].id)


def _node(
    position: int,
    key: tuple[str, int],
    members: list[Node],
    place: Mapping[int, int],
    grouping: Sequence[Group],
) -> Node:
    """Make the node that stands for its members: itself, or an op with the group's outer inputs."""
    known = [place[parent] for node in members for parent in node.inputs if parent in place]
    last = members[-1]
    if key[0] == "node":
        return changed(last, id=position, inputs=tuple(known))
    outer = tuple(dict.fromkeys(parent for parent in known if parent != position))
    count = sum(node.kind == "op" for node in members)
    says = f"{count} ops" if count else f"{len(members)} nodes"
    return changed(
        last, id=position, kind="op", op=says, name=grouping[key[1]].label, inputs=outer,
        formula=None, numbers="", record=None, watched=any(node.watched for node in members),
        kept=sum(node.kept for node in members), keeps="",
    )  # fmt: skip


def _steps(
    trace: Trace, nodes: Sequence[Node], place: Mapping[int, int], speakers: set[int]
) -> list[tuple[int, Step]]:
    """Keep the steps that show in the view: those of single nodes and of a group's last one."""
    kept = []
    for number, step in enumerate(trace.steps):
        node, to = place.get(step.node), place.get(step.to) if step.to is not None else None
        receiver = step.to if step.kind == "pull" else step.node
        if node is None:
            continue
        if step.kind not in ("pull", "push"):
            if step.node in speakers:
                kept.append((number, changed(step, node=node, pending=None, queue=None)))
        elif to is not None and to in nodes[node].inputs and receiver in speakers:
            # Between nodes that are themselves the argument's position stays what it was.
            alone = step.position is not None and step.position < len(nodes[node].inputs)
            same = alone and nodes[node].inputs[step.position or 0] == to
            position = step.position if same else nodes[node].inputs.index(to)
            shown = changed(
                step, node=node, to=to, position=position, operands=(), equation=(), slopes=None
            )
            kept.append((number, shown))
    return kept


def _small_trace(
    trace: Trace,
    nodes: Sequence[Node],
    steps: Sequence[Step],
    place: Mapping[int, int],
    speakers: set[int],
) -> Trace:
    gradients: dict[int, Array | None] = {
        place[node]: gradient for node, gradient in trace.gradients.items() if node in speakers
    }
    return trace.part(
        nodes=tuple(nodes), steps=tuple(steps), gradients=gradients,
        targets=tuple(dict.fromkeys(place[node] for node in trace.targets if node in place)),
        sources=tuple(place[node] for node in trace.sources if node in speakers),
        rounds=(), orders=(), insides=(), paths=(),
    )  # fmt: skip
