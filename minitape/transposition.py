"""The JVP of an op, found from its VJP rules.

The one fact to know: forward mode needs no rules of its own. A VJP is linear in its cotangent, so
its transpose is the JVP: the rules are run on any cotangent under a private tape, and what they did
is differentiated with respect to that cotangent. Where an op is elementwise and real, its
derivative is diagonal and therefore its own transpose: there the rules are applied to the tangents
directly. An op may declare a rule `jvp(tangents, inputs, out, attributes)` where both are slow.
May import: recording, backward, composite, general, request, plan, primitive, interpreter, tensor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.backward import backward
from minitape.composite import as_tensors, dense
from minitape.general import record
from minitape.interpreter import active, only
from minitape.plan import arguments
from minitape.primitive import registry
from minitape.recording import Tape
from minitape.request import identity
from minitape.tensor import EagerTensor

if TYPE_CHECKING:
    from minitape.primitive import Op


def push_forward(
    op: Op,
    tangents: tuple[Any, ...],
    inputs: tuple[Any, ...],
    out: Any,
    attributes: tuple[Any, ...],
) -> Any:
    """The tangent of what `op` gave (several outputs: a tuple), None where it is constant.

    Args:
        op: the op.
        tangents: one per input, of its shape and dtype; None for inputs that are constant.
        inputs: the tensors that the op took.
        out: what it gave.
        attributes: its static values.
    """
    if op.jvp is not None:
        return op.jvp(tangents, inputs, out, attributes)
    if op.elementwise and not op.several and not op.variadic and _is_real(op, inputs, out):
        return diagonal(op, tangents, inputs, out, attributes)
    return transposed(op, tangents, inputs, out, attributes)


def _is_real(op: Op, inputs: tuple[Any, ...], out: Any) -> bool:
    """Whether everything that is differentiated has one real dtype.

    For complex dtypes abs, real, conj and others are not holomorphic, and a cast changes the dtype.
    """
    dtypes = {inputs[i].spec.dtype for i in op.matching(len(inputs))} | {out.spec.dtype}
    return len(dtypes) == 1 and dtypes.pop().kind == "f"


def diagonal(
    op: Op,
    tangents: tuple[Any, ...],
    inputs: tuple[Any, ...],
    out: Any,
    attributes: tuple[Any, ...],
) -> Any:
    """The JVP of an elementwise op: the sum of its VJP rules applied to the tangents."""
    followed = sum(1 << i for i, t in enumerate(tangents) if t is not None)
    kept = record(op, followed, inputs, out, attributes)
    total = None
    for pull in kept[0].pulls:
        t = _widened(tangents[pull.slot - 2], out.spec.shape)
        value = pull.rule(t, *arguments(pull, kept, False))
        if value is not None:
            total = value if total is None else total + value
    return total


def _widened(tangent: Any, shape: Any) -> Any:
    same = tuple(tangent.spec.shape) == tuple(shape)
    return tangent if same else registry["broadcast_to"](tangent, tuple(shape))


def transposed(
    op: Op,
    tangents: tuple[Any, ...],
    inputs: tuple[Any, ...],
    out: Any,
    attributes: tuple[Any, ...],
) -> Any:
    """The JVP of any op: the transpose of its VJP, which is linear in the cotangent.

    With complex dtypes, too: rules are plain derivatives, and the transpose of the plain VJP is the
    JVP also where an op is not holomorphic.
    """
    outputs = out if op.several else (out,)
    followed = sum(1 << i for i, t in enumerate(tangents) if t is not None)
    tape = Tape(watches_variables=False)
    with only((*active(), tape)):
        g = [EagerTensor(np.ones(y.spec.shape, y.spec.dtype)[()]) for y in outputs]
        for each in g:
            tape.watch(each)
        pulled = {identity(y): each for y, each in zip(outputs, g, strict=True)}
        for _ in backward([record(op, followed, inputs, out, attributes)], pulled):
            pass
        seeds = _seeds(pulled, inputs, tangents)
    wanted = {each.id for each in g}
    for _ in backward(iter(tape.log.pop, None), seeds, wanted):
        pass
    found = [seeds.get(each.id) for each in g]
    found = [None if t is None else as_tensors(dense(t)) for t in found]
    return tuple(found) if op.several else found[0]


def _seeds(pulled: dict[int, Any], inputs: tuple[Any, ...], tangents: tuple[Any, ...]) -> Any:
    """The tangents as cotangents of the contributions that the rules gave to the inputs."""
    seeds: dict[int, Any] = {}
    for key, tangent in {
        x.id: t for x, t in zip(inputs, tangents, strict=True) if t is not None
    }.items():
        contribution = pulled.get(key)
        if contribution is not None:
            own = identity(dense(contribution))
            seeds[own] = seeds[own] + tangent if own in seeds else tangent
    return seeds
