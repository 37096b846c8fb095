"""The JVP of an op, found from its VJP rules.

Forward mode needs no rules of its own. A VJP is linear in its cotangent, so its transpose is the
JVP: the rules are run on any cotangent under a private tape, and what they did is differentiated
with respect to that cotangent. Where an op is elementwise and real, its derivative is diagonal and
therefore its own transpose: there the rules are applied to the tangents directly. Both need nothing
but a record, made for the occasion while a program runs, or kept by a tape (see `pushing`). An op
may declare a rule `jvp(tangents, inputs, out, attributes)` where both are slow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.backward import backward, exhaust
from minitape.interpreter import identity
from minitape.leaving import pushed as on_the_stack
from minitape.ops.broadcasting import broadcast_to
from minitape.record import arguments, input_id, make_record, output_ids, plan_of
from minitape.recording import Recording
from minitape.tensor import eager
from minitape.tensors.composite import as_tensors, dense

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from minitape.op import Op
    from minitape.record import Record


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
    alike = inputs if op.alike is None else [inputs[i] for i in op.alike]
    dtypes = {x.spec.dtype for x in alike} | {out.spec.dtype}
    return len(dtypes) == 1 and dtypes.pop().kind == "f"


def diagonal(
    op: Op,
    tangents: tuple[Any, ...],
    inputs: tuple[Any, ...],
    out: Any,
    attributes: tuple[Any, ...],
) -> Any:
    """The JVP of an elementwise op: the sum of its VJP rules applied to the tangents."""
    given = _given(tangents)
    return _applied(
        make_record(op, _followed(given, inputs), inputs, out, attributes), given, out.spec.shape
    )


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
    given = _given(tangents)
    specs = [y.spec for y in (out if op.several else (out,))]
    found = _swept(make_record(op, _followed(given, inputs), inputs, out, attributes), given, specs)
    return found if op.several else found[0]


def pushed(kept: Record, tangents: Mapping[int, Any], specs: Sequence[Any]) -> tuple[Any, ...]:
    """The tangents of a record's outputs, from what the record keeps; None where they are constant.

    Args:
        kept: the record.
        tangents: by position of the input; those that are not there are constant.
        specs: shape and dtype of each output (a record of a single one keeps just its id).
    """
    if is_diagonal(kept, tangents, specs):
        return (_applied(kept, tangents, specs[0].shape),)
    return _swept(kept, tangents, specs)


def is_diagonal(kept: Record, tangents: Mapping[int, Any], specs: Sequence[Any]) -> bool:
    """Whether the rules of a record may be applied to tangents: elementwise, in one real dtype."""
    op = plan_of(kept).op
    dtypes = {each.spec.dtype for each in tangents.values()} | {each.dtype for each in specs}
    alike = len(dtypes) == 1 and dtypes.pop().kind == "f"
    return bool(alike and op.elementwise and not op.several and not op.variadic)


def _given(tangents: tuple[Any, ...]) -> dict[int, Any]:
    return {i: t for i, t in enumerate(tangents) if t is not None}


def _followed(given: Mapping[int, Any], inputs: Sequence[Any]) -> tuple[bool, ...]:
    return tuple(i in given for i in range(len(inputs)))


def _applied(kept: Record, tangents: Mapping[int, Any], shape: Any) -> Any:
    """The sum of the rules, each applied to its input's tangent."""
    total = None
    for pull in plan_of(kept).pulls:
        if pull.position not in tangents:
            continue
        t = _widened(tangents[pull.position], shape)
        value = pull.rule(t, *arguments(pull, kept, False))
        if value is not None:
            total = value if total is None else total + value
    return total


def _widened(tangent: Any, shape: Any) -> Any:
    same = tuple(tangent.spec.shape) == tuple(shape)
    return tangent if same else broadcast_to(tangent, tuple(shape))


def _swept(kept: Record, tangents: Mapping[int, Any], specs: Sequence[Any]) -> tuple[Any, ...]:
    """A sweep over the record, at any cotangents, and a sweep over what that one did."""
    recording = Recording(watches_variables=False)
    with on_the_stack(recording):
        g = [eager(np.ones(spec.shape, spec.dtype)[()]) for spec in specs]
        for each in g:
            recording.watch(each)
        pulled = dict(zip(output_ids(kept), g, strict=True))
        exhaust(backward([kept], pulled))
        seeds = _seeds(pulled, kept, tangents)
    wanted = {each.id for each in g}
    exhaust(backward(iter(recording.log.pop, ()), seeds, wanted, mark=recording.mark))
    found = [seeds.get(each.id) for each in g]
    return tuple(None if t is None else as_tensors(dense(t)) for t in found)


def _seeds(pulled: dict[int, Any], kept: Record, tangents: Mapping[int, Any]) -> dict[int, Any]:
    """The tangents as cotangents of the contributions that the rules gave to the inputs."""
    seeds: dict[int, Any] = {}
    pulls = [pull for pull in plan_of(kept).pulls if pull.position in tangents]
    for key, tangent in {input_id(kept, p): tangents[p.position] for p in pulls}.items():
        contribution = pulled.get(key)
        if contribution is not None:
            own = identity(dense(contribution))
            seeds[own] = seeds[own] + tangent if own in seeds else tangent
    return seeds
