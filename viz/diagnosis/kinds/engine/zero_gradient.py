"""A gradient that is zero everywhere: what made it so, or nothing where that is as it should be.

Only a zero that an op makes of something is suspicious. Where the cotangent is zero already (an
optimum), a mask is zero, or a square stands at its minimum, nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from minitape.ops.elementwise.arithmetic import multiply
from minitape.record import opened, output_ids
from minitape.tensors.composite import dense
from minitape.variable import ResourceVariable

from ...corrections.zeros import nonzero_gradients
from ...diagnosis import Kind, register
from ...finding import Finding, passed_over, written
from ...sources.case import Case
from ...sources.dataflow import Act, public_name
from . import cancelled, flat, piecewise, underflow

MAX_SOURCES = 24  # of one call that are explained one by one


def findings(case: Case, index: int) -> list[Finding]:
    """Why the gradient of one source is zero; nothing where that is as it should be."""
    value = case.cotangents[index]
    if not value.size:
        return []
    key = case.request.source_ids[index]
    found = piecewise.finding(case, key) if is_zero(value) else None
    if found is None and case.kind != "gradient":
        return []
    found = found or cancelled.constant_sum(case, key, value)
    if found is None and is_zero(value):
        found = cancelled.one_entry(case, key) or _lost(case, key) or _found(case, key)
        found = found or _lost(case, key, partly=True) or cancelled.both_dead(case, key)
    if found is None:
        return []
    q = case.question(index)
    found.source = q.x
    made = case.span(case.made_at(key))
    found.spans |= {"made": made} if made else {}
    found.facts |= {"index": index, "target": q.y, "tape": q.tape_name}
    return [found]


def _found(case: Case, key: int) -> Finding | None:
    related = case.flow.descendants(key)
    for step in case.swept.steps:
        act = case.flow.maker.get(output_ids(step.record)[0])
        for each in step.contributions:
            if act is None or each.id not in related or is_zero(step.cotangent):
                continue
            found = is_zero(each.value) and _of_edge(case, act, each.position, step.cotangent)
            if found:  # else it is meant, as labels that are 0; another branch may tell more
                return found
    return cancelled.tie(case, key)


def _of_edge(case: Case, act: Act, position: int, g: Any) -> Finding | None:
    """Why an op gives zero of something."""
    act = flat.saturated_before(case, act) or act
    why = flat.why_flat(case, act, g)
    if why is not None:
        return flat.finding(case, act, *why)
    if flat.known(act.op) is not None:
        return None
    values = [case.flow.value(key) for key in act.inputs]
    others = [value for i, value in enumerate(values) if i != position]
    lost = underflow.too_small(case, act) or underflow.too_small_backward(case, act, g, others)
    if lost is None and (act.op.facts.product or act.op is multiply.op):
        return _zero_factor(case, act, position)
    return lost


def _lost(case: Case, key: int, partly: bool = False) -> Finding | None:
    """A number that became too small on the way from the source to the target."""
    related = case.flow.descendants(key)
    for target in case.request.targets:
        act = case.flow.maker.get(target.id)
        lost = underflow.too_small(case, act, partly) if act is not None else None
        if lost is not None and lost.node in related:
            return lost
    return None


def _zero_factor(case: Case, act: Act, position: int) -> Finding | None:
    """A product with zeros: weights that all start as 0, a factor 0, or units that are all dead."""
    for key in [key for i, key in enumerate(act.inputs) if i != position]:
        value, maker = case.flow.value(key), case.flow.maker.get(key)
        if value is None or np.any(value):
            continue
        tensor = case.flow.tensors.get(key)
        if isinstance(tensor, ResourceVariable) and tensor.trainable and value.ndim > 0:
            return _zero_weights(case, act, key)
        own = None if maker is None else flat.known(maker.op)
        if maker is not None and own is not None:
            return flat.finding(case, maker, *own)
        if maker is not None:
            return underflow.too_small(case, maker)
        if value.ndim == 0 and case.file:
            why = "it multiplies by 0, and so everything before it in the backward pass is 0"
            return flat.finding(case, act, "factor", why)
    return None


def _zero_weights(case: Case, act: Act, key: int) -> Finding:
    stack = case.made_at(key)
    line = case.line(stack) or case.line_of(act)
    sentence = (
        f"The gradient is zero because {case.flow.name(key)}, by which it is multiplied at "
        f"line {case.line_of(act)} (`{public_name(act)}`), is 0 in all elements: weights that "
        "start as zeros pass nothing on. Start with small random numbers."
    )
    return Finding("zero", "zero_weights", sentence, line, span=case.span(stack), node=key)


def is_zero(value: Any) -> bool:
    """Whether a cotangent is zero, as far as its dtype can tell."""
    if value is None:
        return True
    if isinstance(value, tuple):
        return all(is_zero(each) for each in value)
    array = np.asarray(opened(dense(value)))
    if array.dtype.kind != "f":
        return not np.any(array)
    return bool(np.all(np.abs(array) < np.finfo(array.dtype).smallest_normal))


def find(case: Case, states: list[str]) -> Iterator[Finding]:
    """Why gradients are zero, of each source by itself."""
    there = [i for i, state in enumerate(states) if state in {"zero", "ok"}]
    for index in there[:MAX_SOURCES]:
        yield from findings(case, index)


KIND = register(
    Kind(
        "zero_gradient",
        507,
        "zero",
        find,
        written,
        meant=passed_over,
        correct=nonzero_gradients,
        dialects=("minitape",),
        example="""\
import numpy as np
import minitape as tf

w = tf.Variable([-1.0, -2.0])
with tf.GradientTape() as tape:
    h = tf.nn.relu(w * 3.0)  # <- here
    loss = tf.reduce_sum(h)
g = tape.gradient(loss, w)
""",
        healthy="""\
import numpy as np
import minitape as tf

w = tf.Variable([1.0, 2.0, 3.0])
mask = tf.constant([1.0, 0.0, 1.0])
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(mask * w ** 2)
g = tape.gradient(loss, w)
""",
    )
)
