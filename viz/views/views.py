"""A large trace with its groups closed: a smaller trace that every picture can be made of.

The one fact to know: a view holds an ordinary `Trace`, in which a closed group is one op. Nothing
that draws, lays out or exports needs to know of groups.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from ..trace.changed import changed
from ..trace.trace import Array, Node, NodeKind, Step, Trace
from .groups import Group, groups


@dataclass(frozen=True, slots=True)
class View:
    """What is drawn of a trace while some of its groups are open.

    Attributes:
        trace: The smaller trace.
        place: For each node of the whole trace its node here, None if it is not in the view.
        members: For each node here the nodes of the whole trace that it stands for.
        group: For each node here the group that it stands for, None for a node that is itself.
        steps: For each step here its number in the whole trace.
    """

    trace: Trace
    place: tuple[int | None, ...]
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
    return _view(trace, _owners(trace, set(expanded), grouping), grouping)


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
    owners = _owners(trace, opened, grouping)
    within = set(grouping[group].nodes)
    feeding = {p for n in within for p in trace.nodes[n].inputs if p not in within}
    cut = [
        node if node.id in within else replace(node, kind=_leaf_kind(node), inputs=(), op=None)
        for node in trace.nodes
    ]
    shown = within | feeding
    closed: list[int | None] = [
        None if node in feeding else owner for node, owner in enumerate(owners)
    ]
    return _view(trace.part(nodes=tuple(cut)), closed, grouping, shown)


def _leaf_kind(node: Node) -> NodeKind:
    return "source" if node.kind == "op" else node.kind


def _check_ids(ids: Collection[int], grouping: Sequence[Group]) -> None:
    for number in ids:
        if not 0 <= number < len(grouping):
            message = f"there is no group {number}; this trace has {len(grouping)} groups"
            raise ValueError(f"{message}; see viz.groups.groups(trace)")


def _owners(trace: Trace, opened: set[int], grouping: Sequence[Group]) -> list[int | None]:
    """Find for each node the outermost closed group around it."""
    owners: list[int | None] = [None] * len(trace.nodes)
    visible: set[int | None] = {None}
    for group in grouping:  # Outer groups come first.
        if group.parent not in visible:
            continue
        if group.id in opened:
            visible.add(group.id)
        else:
            for node in group.nodes:
                owners[node] = group.id
    return owners


def _view(
    trace: Trace,
    owners: Sequence[int | None],
    grouping: Sequence[Group],
    shown: Collection[int] | None = None,
) -> View:
    items: dict[tuple[str, int], list[int]] = {}
    for node in trace.nodes:
        if shown is None or node.id in shown:
            owner = owners[node.id]
            key = ("node", node.id) if owner is None else ("group", owner)
            items.setdefault(key, []).append(node.id)
    # Leaves first: one that is recorded in the midst of a group's ops may be that group's input.
    ordered = sorted(items.items(), key=lambda item: _order(trace, item[1]))
    place: list[int | None] = [None] * len(trace.nodes)
    for position, (_, members) in enumerate(ordered):
        for member in members:
            place[member] = position
    nodes = [
        _node(trace, i, key, members, place, grouping) for i, (key, members) in enumerate(ordered)
    ]
    speakers = {members[-1] for _, members in ordered}
    steps = _steps(trace, nodes, place, speakers)
    return View(
        _small_trace(trace, nodes, [step for _, step in steps], place, speakers),
        tuple(place),
        tuple(tuple(members) for _, members in ordered),
        tuple(key[1] if key[0] == "group" else None for key, _ in ordered),
        tuple(number for number, _ in steps),
    )


def _order(trace: Trace, members: list[int]) -> tuple[bool, int]:
    ops = [node for node in members if trace.nodes[node].kind == "op"]
    return (True, ops[0]) if ops else (False, members[0])


def _node(
    trace: Trace,
    position: int,
    key: tuple[str, int],
    members: list[int],
    place: Sequence[int | None],
    grouping: Sequence[Group],
) -> Node:
    """Make the node that stands for its members: itself, or an op with the group's outer inputs."""
    inputs = [place[parent] for node in members for parent in trace.nodes[node].inputs]
    known = [parent for parent in inputs if parent is not None]
    last = trace.nodes[members[-1]]
    if key[0] == "node":
        return changed(last, id=position, inputs=tuple(known))
    outer = tuple(dict.fromkeys(parent for parent in known if parent != position))
    count = sum(trace.nodes[node].kind == "op" for node in members)
    says = f"{count} ops" if count else f"{len(members)} nodes"
    return changed(
        last, id=position, kind="op", op=says, name=grouping[key[1]].label, inputs=outer,
        formula=None, numbers="", record=None, watched=any(trace.nodes[n].watched for n in members),
        kept=sum(trace.nodes[n].kept for n in members), keeps="",
    )  # fmt: skip


def _steps(
    trace: Trace, nodes: Sequence[Node], place: Sequence[int | None], speakers: set[int]
) -> list[tuple[int, Step]]:
    """Keep the steps that show in the view: those of single nodes and of a group's last one."""
    kept = []
    for number, step in enumerate(trace.steps):
        node, to = place[step.node], place[step.to] if step.to is not None else None
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
    place: Sequence[int | None],
    speakers: set[int],
) -> Trace:
    targets = dict.fromkeys(place[node] for node in trace.targets)
    sources = [place[node] for node in trace.sources if node in speakers]
    gradients: dict[int, Array | None] = {}
    for node, gradient in trace.gradients.items():
        position = place[node]
        if position is not None and node in speakers:
            gradients[position] = gradient
    return trace.part(
        nodes=tuple(nodes), steps=tuple(steps), gradients=gradients,
        targets=tuple(node for node in targets if node is not None), rounds=(), orders=(),
        insides=(),
        paths=(),
        sources=tuple(node for node in sources if node is not None),
    )  # fmt: skip
