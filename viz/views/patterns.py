"""Functions of many ops that learners write by hand: normalisations, softmax, attention.

The one fact to know: they are recognised by their ops and edges, never by names; what computes the
same in another way stays what it is, single ops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ..trace.trace import Node

MAX_CONE = 24  # ops between an input and a normalised result
MOST_BETWEEN = 3  # ops that stand between those of a pattern, and feed it alone

PRODUCTS = ("matmul", "einsum", "batch_matmul", "tensordot", "bmm", "dot_general")
ROOTS = ("sqrt", "rsqrt", "pow", "power", "reduce_std", "std")
MEANS = ("reduce_mean", "mean", "reduce_variance", "var", "variance")
QUOTIENTS = ("divide", "div", "truediv", "real_divide")
PLAIN = ("reshape", "identity", "stop_gradient", "cast", "squeeze", "expand_dims", "broadcast_to")
MASKS = ("multiply", "mul", "add", "where", "subtract", *QUOTIENTS, *PLAIN)

Members = set[int]


def patterns(nodes: Sequence[Node]) -> Iterator[tuple[str, range]]:
    """Find the runs of ops that are one function: its name, and the numbers from first to last.

    Runs do not overlap: the largest of several is taken.
    """
    users: list[list[int]] = [[] for _ in nodes]
    for node in nodes:
        for each in node.inputs:
            users[each].append(node.id)
    found = []
    for node in nodes:
        for name, recognise in RECOGNISED.items():
            members = recognise(node, nodes)
            run = members and _run(members, nodes, users)
            if run:
                found.append((name, run))
    taken: set[int] = set()
    for name, run in sorted(found, key=lambda each: -len(each[1])):
        if taken.isdisjoint(run):
            taken.update(run)
            yield name, run


def _run(members: Members, nodes: Sequence[Node], users: Sequence[Sequence[int]]) -> range | None:
    """From the first to the last of them, if what else stands there feeds them alone."""
    run = range(min(members), max(members) + 1)
    between = [i for i in run if i not in members and nodes[i].kind == "op"]
    feeds = all(all(user in run for user in users[i]) for i in between)
    return run if feeds and len(between) <= MOST_BETWEEN else None


def _plain(node: int, nodes: Sequence[Node]) -> int:
    """What a node is, without changes of form."""
    while nodes[node].op in PLAIN and nodes[node].inputs:
        node = nodes[node].inputs[0]
    return node


def _normalisation(end: Node, nodes: Sequence[Node]) -> Members:
    """`(x - mean) / sqrt(variance + e)`, with the scale and the shift behind it."""
    if end.op not in ("multiply", "mul", *QUOTIENTS) or len(end.inputs) != 2:
        return set()
    for centred, scale in (end.inputs, end.inputs[::-1]):
        node = nodes[centred]
        if not _is_difference(node) or nodes[_plain(node.inputs[1], nodes)].op not in MEANS:
            continue
        mean = nodes[_plain(node.inputs[1], nodes)]
        x = node.inputs[0]
        cone = _cone(scale, x, nodes) if mean.inputs[:1] == (x,) else set()
        ops = {nodes[i].op for i in cone}
        if ops.intersection(ROOTS) and ops.intersection(MEANS):
            return cone | _cone(centred, x, nodes) | {end.id} | _scaled(end.id, nodes)
    return set()


def _is_difference(node: Node) -> bool:
    """Whether it takes one node from another: of `x - 1` a framework may record `x` alone."""
    return node.op in ("subtract", "sub") and len(node.inputs) == 2


def _cone(end: int, start: int, nodes: Sequence[Node]) -> Members:
    """The ops between two nodes; none where another computed value comes in."""
    members: Members = set()
    waiting = [end]
    while waiting:
        node = waiting.pop()
        if node == start or node in members or nodes[node].kind != "op":
            continue
        if node < start or len(members) > MAX_CONE:
            return set()
        members.add(node)
        waiting += nodes[node].inputs
    return members


def _scaled(end: int, nodes: Sequence[Node]) -> Members:
    """The scale and the shift of leaves that follow at once."""
    members: Members = set()
    for ops in (("multiply", "mul"), ("add", "subtract")):
        follow = next((n for n in nodes[end + 1 : end + 4] if n.kind == "op"), None)
        if follow is None or follow.op not in ops or end not in follow.inputs:
            continue
        if all(nodes[i].kind != "op" for i in follow.inputs if i != end):
            members.add(follow.id)
            end = follow.id
    return members


def _softmax(end: Node, nodes: Sequence[Node]) -> Members:
    """`exp(x) / sum(exp(x))`, with or without the largest taken off first."""
    if end.op not in QUOTIENTS or len(end.inputs) != 2:
        return set()
    raised, total = nodes[end.inputs[0]], nodes[_plain(end.inputs[1], nodes)]
    if raised.op != "exp" or not raised.inputs:
        return set()
    if total.op not in ("reduce_sum", "sum") or raised.id not in total.inputs:
        return set()
    return {end.id, raised.id, total.id} | _shifted(raised.inputs[0], nodes)


def _shifted(node: int, nodes: Sequence[Node]) -> Members:
    shift = nodes[node]
    if not _is_difference(shift):
        return set()
    least = _plain(shift.inputs[1], nodes)
    is_largest = nodes[least].op in ("reduce_max", "amax", "max")
    return {node, least} if is_largest and nodes[least].inputs[:1] == shift.inputs[:1] else set()


def _log_softmax(end: Node, nodes: Sequence[Node]) -> Members:
    """`x - log(sum(exp(x)))`."""
    if not _is_difference(end):
        return set()
    x, log = end.inputs[0], nodes[_plain(end.inputs[1], nodes)]
    if log.op != "log" or not log.inputs:
        return set()
    total = nodes[_plain(log.inputs[0], nodes)]
    if total.op not in ("reduce_sum", "sum") or not total.inputs:
        return set()
    if nodes[total.inputs[0]].op != "exp":
        return set()
    raised = nodes[total.inputs[0]]
    is_whole = raised.inputs == (x,)
    return {end.id, log.id, total.id, raised.id} | _shifted(x, nodes) if is_whole else set()


def _attention(end: Node, nodes: Sequence[Node]) -> Members:
    """`softmax(q k / scale + mask) v`."""
    if end.op not in PRODUCTS or len(end.inputs) != 2:
        return set()
    for place in end.inputs:
        weights = nodes[place]
        inner = {weights.id} if weights.op == "softmax" else _softmax(weights, nodes)
        if not inner:
            continue
        members, node = inner | {end.id}, min(inner)
        if not nodes[node].inputs:
            continue
        node = nodes[node].inputs[0]
        while nodes[node].op in MASKS and nodes[node].inputs:
            members.add(node)
            node = nodes[node].inputs[0]
        if nodes[node].op in PRODUCTS:
            turned = [i for i in nodes[node].inputs if "transpose" in (nodes[i].op or "")]
            return members | {node, *turned}
    return set()


RECOGNISED: dict[str, Callable[[Node, Sequence[Node]], Members]] = {
    "attention": _attention,
    "normalisation": _normalisation,
    "softmax": _softmax,
    "log-softmax": _log_softmax,
}
