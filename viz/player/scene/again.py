"""One op of a trace, computed again: which elements meet in an element, and how much each counts.

Nothing here knows an op. A row of an op's derivative is one pull of it, a column is one push; where
the op computed something else than the trace has, nothing is given.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

import minitape as tf
from minitape.leaving import only
from minitape.op import apply
from minitape.safety.silence import Silence

from ...base.numbers import all_close
from ...trace.facts import declared
from .naming import attributes_of

if TYPE_CHECKING:
    from ...trace.arrays import Array
    from ...trace.trace import Node, Trace

LARGEST = 1 << 18  # elements of an array that is looked at
FIRST = 12345.25  # the place of a first element: no slope of a formula is by chance such a number


def values_of(array: Array | None) -> Any:
    """The values of a record, None where it has only a part of them or no numbers."""
    if array is None or array.dtype in ("string", "bfloat16") or array.size > LARGEST:
        return None
    try:
        return array.numpy()
    except (ValueError, TypeError):
        return None


class Again:
    """An op of a trace at its recorded inputs.

    Attributes:
        op: its declaration.
        inputs: its inputs' values.
        attributes: what it was called with besides.
        outputs: its nodes, one for each output.

    Raises:
        LookupError: it cannot be computed again.
    """

    def __init__(self, trace: Trace, node: Node) -> None:
        op = declared(node)
        if op is None or op.effect or op.draws:
            raise LookupError(node.op)
        self.op = op
        self.attributes = attributes_of(node, op)
        self.inputs = [values_of(trace.nodes[i].value) for i in node.inputs]
        if any(each is None for each in self.inputs):
            raise LookupError(node.op)
        self.outputs = [node]
        if op.several:
            start = node.id - node.output
            self.outputs = [n for n in trace.nodes[start : start + 64] if n.record == node.record]
        self._check()

    def _check(self) -> None:
        """Whether the op gives what the trace has: a graph's constant may have been changed."""
        for mine, node in zip(self.forward(self.inputs), self.outputs, strict=False):
            theirs = values_of(node.value)
            if theirs is None or np.shape(mine) != theirs.shape:
                raise LookupError(node.op)
            if np.array_equal(mine, theirs):
                continue
            near = 1e-2 if theirs.dtype == np.float16 else 1e-4
            kind = theirs.dtype.kind
            size = np.max(np.abs(theirs), initial=0) if kind in "fc" else 0
            finite = float(size) if math.isfinite(size) else 0.0
            if not all_close(mine, theirs, near, near * finite * 1e-2):
                raise LookupError(node.op)

    def forward(self, inputs: list[Any]) -> list[Any]:
        """What the op makes of other inputs, one array for each output."""
        with Silence():
            out = self.op.applied(self.op.forward, inputs, self.attributes)
        return list(out) if self.op.several else [out]

    def row(self, output: int, element: int, inputs: list[Any] | None = None) -> list[Any]:
        """The slopes of one element of the result in each element of each input; None for none."""
        with only(()), Silence():
            given = [tf.constant(each) for each in (inputs or self.inputs)]
            with tf.GradientTape(watch_accessed_variables=False) as tape:
                tape.watch([x for x in given if x.dtype.is_floating or x.dtype.is_complex])
                out = apply(self.op, tuple(given), self.attributes)
                out = out[output] if self.op.several else out
            unit = np.zeros_like(out.numpy())
            unit.flat[element] = 1
            # A tape conjugates what it gives; the slope itself is its conjugate.
            found = tape.gradient(out, given, output_gradients=tf.constant(unit))
            return [None if each is None else np.conj(_plain(each)) for each in found]

    def column(self, position: int, element: int, inputs: list[Any] | None = None) -> list[Any]:
        """The slopes of each output in one element of one input."""
        with only(()), Silence():
            given = [tf.constant(each) for each in (inputs or self.inputs)]
            unit = np.zeros_like(given[position].numpy())
            unit.flat[element] = 1
            with tf.autodiff.ForwardAccumulator(given[position], tf.constant(unit)) as pushed:
                out = apply(self.op, tuple(given), self.attributes)
                outs = list(out) if self.op.several else [out]
            found = [pushed.jvp(each) for each in outs]
            return [None if each is None else _plain(each) for each in found]

    def places(self, position: int) -> dict[int, list[Any]]:
        """Inputs with places instead of values in one other operand each, to find which meet."""
        found = {}
        for other, values in enumerate(self.inputs):
            if other != position and values.dtype.kind in "fc" and values.size < 1 << 20:
                places = (np.arange(values.size) + FIRST).reshape(values.shape)
                found[other] = [
                    places if i == other else each.astype("float64") if each.dtype.kind == "f"
                    else each
                    for i, each in enumerate(self.inputs)
                ]  # fmt: skip
        return found


def _plain(x: Any) -> Any:
    return tf.convert_to_tensor(x).numpy()
