"""Functions of many ops that learners write by hand: normalisations, softmax, attention.

They are recognised by their ops and edges, never by names; what computes the same in another way
stays what it is, single ops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from minitape.ops.broadcasting import broadcast_to, reduce_sum, reshape
from minitape.ops.casting import cast
from minitape.ops.elementwise.arithmetic import add, multiply, subtract
from minitape.ops.elementwise.comparison import select
from minitape.ops.elementwise.division import divide
from minitape.ops.elementwise.powers import exp, log, pow_, rsqrt, sqrt
from minitape.ops.linalg.einsum import einsum
from minitape.ops.linalg.matrix import matmul, matrix_transpose
from minitape.ops.neural.softmax import softmax
from minitape.ops.passing import identity, stop_gradient
from minitape.ops.reductions.extremes import reduce_max
from minitape.ops.shapes.shaping import transpose

from ..trace.facts import facts_of, is_one_of
from ..trace.trace import Node

MAX_CONE = 24  # ops between an input and a normalised result
MOST_BETWEEN = 3  # ops that stand between those of a pattern, and feed it alone

FORMS = (reshape, broadcast_to, identity, stop_gradient, cast)  # changes of form
TURNS = (transpose, matrix_transpose)
ROOTS = (sqrt, rsqrt, pow_)
MASKS = (multiply, divide, add, subtract, select, *FORMS)

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
    while is_one_of(nodes[node], *FORMS) and nodes[node].inputs:
        node = nodes[node].inputs[0]
    return node


def _normalisation(end: Node, nodes: Sequence[Node]) -> Members:
    """`(x - mean) / sqrt(variance + e)`, with the scale and the shift behind it."""
    if not is_one_of(end, multiply, divide) or len(end.inputs) != 2:
        return set()
    for centred, scale in (end.inputs, end.inputs[::-1]):
        node = nodes[centred]
        mean = nodes[_plain(node.inputs[1], nodes)] if _is_difference(node) else None
        if mean is None or not _is_mean(mean):
            continue
        x = node.inputs[0]
        cone = _cone(scale, x, nodes) if mean.inputs[:1] == (x,) else set()
        if any(_is_root(nodes[i]) for i in cone) and any(_is_mean(nodes[i]) for i in cone):
            return cone | _cone(centred, x, nodes) | {end.id} | _scaled(end.id, nodes)
    return set()


def _is_difference(node: Node) -> bool:
    """Whether it takes one node from another: of `x - 1` a framework may record `x` alone."""
    return is_one_of(node, subtract) and len(node.inputs) == 2


def _is_mean(node: Node) -> bool:
    return facts_of(node).reduces in {"mean", "variance"}


def _is_root(node: Node) -> bool:
    return is_one_of(node, *ROOTS) or facts_of(node).reduces == "deviation"


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
    for ops in ((multiply,), (add, subtract)):
        follow = next((n for n in nodes[end + 1 : end + 4] if n.kind == "op"), None)
        if follow is None or not is_one_of(follow, *ops) or end not in follow.inputs:
            continue
        if all(nodes[i].kind != "op" for i in follow.inputs if i != end):
            members.add(follow.id)
            end = follow.id
    return members


def _softmax(end: Node, nodes: Sequence[Node]) -> Members:
    """`exp(x) / sum(exp(x))`, with or without the largest taken off first."""
    if not is_one_of(end, divide) or len(end.inputs) != 2:
        return set()
    raised, total = nodes[end.inputs[0]], nodes[_plain(end.inputs[1], nodes)]
    if not is_one_of(raised, exp) or not raised.inputs:
        return set()
    if not is_one_of(total, reduce_sum) or raised.id not in total.inputs:
        return set()
    return {end.id, raised.id, total.id} | _shifted(raised.inputs[0], nodes)


def _shifted(node: int, nodes: Sequence[Node]) -> Members:
    shift = nodes[node]
    if not _is_difference(shift):
        return set()
    least = _plain(shift.inputs[1], nodes)
    is_largest = is_one_of(nodes[least], reduce_max)
    return {node, least} if is_largest and nodes[least].inputs[:1] == shift.inputs[:1] else set()


def _log_softmax(end: Node, nodes: Sequence[Node]) -> Members:
    """`x - log(sum(exp(x)))`."""
    if not _is_difference(end):
        return set()
    x, logged = end.inputs[0], nodes[_plain(end.inputs[1], nodes)]
    if not is_one_of(logged, log) or not logged.inputs:
        return set()
    total = nodes[_plain(logged.inputs[0], nodes)]
    if not is_one_of(total, reduce_sum) or not total.inputs:
        return set()
    raised = nodes[total.inputs[0]]
    if not is_one_of(raised, exp):
        return set()
    is_whole = raised.inputs == (x,)
    return {end.id, logged.id, total.id, raised.id} | _shifted(x, nodes) if is_whole else set()


def _attention(end: Node, nodes: Sequence[Node]) -> Members:
    """`softmax(q k / scale + mask) v`."""
    if not is_one_of(end, matmul, einsum) or len(end.inputs) != 2:
        return set()
    for place in end.inputs:
        weights = nodes[place]
        inner = {weights.id} if is_one_of(weights, softmax) else _softmax(weights, nodes)
        if not inner:
            continue
        members, node = inner | {end.id}, min(inner)
        if not nodes[node].inputs:
            continue
        node = nodes[node].inputs[0]
        while is_one_of(nodes[node], *MASKS) and nodes[node].inputs:
            members.add(node)
            node = nodes[node].inputs[0]
        if is_one_of(nodes[node], matmul, einsum):
            turned = [i for i in nodes[node].inputs if is_one_of(nodes[i], *TURNS)]
            return members | {node, *turned}
    return set()


RECOGNISED: dict[str, Callable[[Node, Sequence[Node]], Members]] = {
    "attention": _attention,
    "normalisation": _normalisation,
    "softmax": _softmax,
    "log-softmax": _log_softmax,
}
