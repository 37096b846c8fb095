"""What a page needs to compute a tape again for other numbers, or why it cannot.

The page proves itself first. So it is given every number that was recorded, in full precision, and
only where all ops are known to its evaluator (`src/evaluate.js`). What is certain beforehand to
fail is said here, and such a page carries no evaluator.
"""

from __future__ import annotations

import base64
import functools
from typing import Any

import numpy as np

from ..trace.arrays import Array
from ..trace.trace import Node, Trace
from .payload import Plain, called

MOST_NUMBERS = 8192  # of a tape, with its gradients: 32 kB in float32
FLOATS = {"float16": "<f4", "float32": "<f4", "float64": "<f8"}
WIDE = {"bool": "u1"}  # every other dtype is an integer, of 32 bits


class CannotTouchError(Exception):
    """Why no number of a tape can be touched; a sentence without its full stop."""


@functools.cache
def known_ops() -> frozenset[str]:
    """The names of the ops that the evaluator knows; its table is read when scripts are built.

    Example:
        >>> "add" in known_ops(), "svd" in known_ops()
        (True, False)
    """
    from importlib import resources  # loads much that importing viz need not

    found = resources.files(__package__) / "bundles" / "ops.txt"
    return frozenset(found.read_text("utf-8").splitlines())


def touch_data(trace: Trace) -> Plain:
    """Give what the player's data holds besides: `touch`, with the numbers or with `off`, why not.

    Example:
        >>> from minitape.viz.trace.trace import Node, Trace
        >>> touch_data(Trace((Node(0, "source", (), "float64", ()),)))["touch"]["off"]
        'the tape was not asked for a gradient'
    """
    try:
        return {"touch": _recorded(trace)}
    except CannotTouchError as reason:
        return {"touch": {"off": str(reason)}}


def can_touch(data: Plain) -> bool:
    """Whether a page with this data needs the evaluator."""
    return "numbers" in data.get("touch", {})


def _recorded(trace: Trace) -> Plain:
    _check(trace)
    arrived = _gradients(trace)
    seeds = {step.node: step.cotangent for step in trace.steps if step.kind == "seed"}
    missing = [node.id for node in trace.nodes if node.value is None]
    size = sum(node.value.size for node in trace.nodes if node.value is not None)
    size += sum(each.size for each in arrived.values() if each is not None)
    if size > MOST_NUMBERS:
        raise CannotTouchError(
            f"its numbers were cut: it has {size:,}, and a page keeps up to {MOST_NUMBERS:,} whole"
        )
    nodes = trace.nodes
    blob = b"".join(
        [_bytes(node.value, node) for node in nodes if node.value is not None]
        + [_bytes(each, nodes[number]) for number, each in arrived.items() if each is not None]
        + [_bytes(each, nodes[number]) for number, each in seeds.items()]
    )
    outputs = {str(node.id): node.output for node in nodes if node.output}
    fields: Plain = {
        "numbers": base64.b64encode(blob).decode(),
        "gradients": [number for number, each in arrived.items() if each is not None],
        "none": [number for number, each in arrived.items() if each is None],
        "seeds": list(seeds),
        "missing": missing,
        "outputs": outputs,
        "held": _held(nodes),
        "assigned": {str(n.id): n.alias_of for n in nodes if n.alias_of is not None},
    }
    return {name: value for name, value in fields.items() if value}


def _check(trace: Trace) -> None:
    """Raises where it is certain that the tape cannot be computed again.

    Raises:
        CannotTouchError: it cannot.
    """
    if trace.kind != "tape":
        raise CannotTouchError("a graph has no numbers until it is called")
    if trace.carries != "cotangents":
        raise CannotTouchError("its steps carry tangents, and it has no gradient to compare with")
    if not any(step.kind == "seed" for step in trace.steps):
        raise CannotTouchError("the tape was not asked for a gradient")
    if trace.producer is None or trace.producer.name != "minitape":
        maker = trace.producer.name if trace.producer else "another program"
        raise CannotTouchError(f"it was recorded by {maker}, and only ops of minitape are known")
    for node in trace.nodes:
        _check_node(node)
    if not any(node.op is None and node.dtype in FLOATS for node in trace.nodes):
        raise CannotTouchError("it starts from no floating-point number")


def _check_node(node: Node) -> None:
    name = f"`{called(node)}`"
    if node.facts is not None:
        raise CannotTouchError(f"the gradient of `{node.op}` is a Python function of your own")
    if node.op is not None and node.op not in known_ops():
        what = "draws random numbers" if node.op.startswith("random") else "is not known here"
        raise CannotTouchError(f"the op `{node.op}` {what}")
    kind = np.dtype(node.dtype).kind if node.dtype in np.sctypeDict else ""
    if kind not in ("b", "i", "u") and node.dtype not in FLOATS:
        raise CannotTouchError(
            f"{name} is {node.dtype or 'unknown'}, and only float16, float32 and float64 can be "
            "computed here"
        )
    if node.value is None and node.op is None:
        raise CannotTouchError(
            f"the tape did not keep the numbers of {name}: record inside `with viz.recording():`"
        )


def _gradients(trace: Trace) -> dict[int, Array | None]:
    """What arrived at each node in the end; None where that is no gradient."""
    found: dict[int, Array | None] = {}
    several = {node.record for node in trace.nodes if node.output}
    for step in trace.steps:
        if (
            step.kind == "pull"
            and step.to is not None
            and trace.nodes[step.to].record not in several
        ):
            found[step.to] = step.total or step.contribution
        if step.kind == "accumulate":
            found[step.node] = step.total
    seeded = [step.node for step in trace.steps if step.kind == "seed"]
    for node in seeded:
        found.pop(node, None)  # what arrives there is added to the seed
    found.update({node: each for node, each in trace.gradients.items() if node not in seeded})
    return {n: each for n, each in found.items() if trace.nodes[n].dtype in FLOATS}


def _held(nodes: tuple[Node, ...]) -> list[list[Any]]:
    """Constants that an op made of something no tape followed: [node, the op]."""
    start = "made by "
    return [
        [node.id, node.numbers.removeprefix(start).split(" in ")[0]]
        for node in nodes
        if node.op is None and node.numbers.startswith(start)
    ]


def _bytes(array: Array | None, node: Node) -> bytes:
    if array is None:
        raise CannotTouchError(f"the numbers of `{called(node)}` were not kept")
    try:
        values = array.numpy()
    except ValueError:
        shape = " × ".join(map(str, array.shape))
        raise CannotTouchError(
            f"the numbers of `{called(node)}` were cut: of {shape} only {len(array.data)} were kept"
        ) from None
    kind = FLOATS.get(node.dtype) or WIDE.get(node.dtype, "<i4")
    if values.dtype.kind in "iu" and np.any(values != values.astype("<i4")):
        raise CannotTouchError(f"the integers of `{called(node)}` are too large")
    return np.ascontiguousarray(values, kind).tobytes()
