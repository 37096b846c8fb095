"""What the systematic checks are made of: inputs, numeric derivatives, one-by-one batches."""

from __future__ import annotations

from typing import Any

import numpy as np

import minitape as tf
from minitape.batches.batching import Batch, one_by_one, unbox
from minitape.op import registry
from minitape.tensors.composite import dense
from op_samples import Sample

STEP = 1e-6
REFUSING = {"least_squares"}  # ops whose rules raise, as those of TensorFlow do


def arrays(sample: Sample, dtype: str) -> list[np.ndarray]:
    """The sample's inputs; floating ones in `dtype`, complex ones turned off the real axis."""
    op = registry[sample.name].op
    found = []
    for i, value in enumerate(sample.inputs):
        array = np.asarray(value)
        if (
            array.dtype.kind in "fc"
            and sample.dtypes != "fixed"
            and op.input_name(i) not in op.cuts
        ):
            turned = dtype.startswith("complex") and array.dtype.kind == "f"
            array = np.asarray(array * (1 + 0.3j) if turned else array).astype(dtype)
        found.append(array)
    return found


def differentiable(sample: Sample, inputs: list[np.ndarray]) -> list[int]:
    """The positions of the inputs that have a rule and a dtype with a derivative."""
    op = registry[sample.name].op
    return [
        i for i, x in enumerate(inputs) if x.dtype.kind in "fc" and op.input_name(i) in op.rules
    ]


def call(sample: Sample, inputs: list[Any]) -> list[Any]:
    """The primitive on tensors; always a list of outputs."""
    primitive = registry[sample.name]
    tensors = [x if isinstance(x, tf.Tensor) else tf.constant(x) for x in inputs]
    if not tensors and not primitive.op.inputs:
        out = primitive.public(
            **sample.attributes
        )  # a draw: without tensors a rule would get arrays
    elif primitive.op.variadic:
        out = primitive(tensors, **sample.attributes)
    else:
        out = primitive(*tensors, **sample.attributes)
    return list(out) if primitive.op.several else [out]


def weights(outputs: list[Any], seed: int) -> list[np.ndarray | None]:
    """A fixed random array like each differentiable output; None for the others."""
    rng = np.random.default_rng(seed)
    found: list[np.ndarray | None] = []
    for y in outputs:
        y = y.numpy() if hasattr(y, "numpy") else np.asarray(y)
        w = rng.uniform(0.5, 1.5, np.shape(y))
        if y.dtype.kind == "c":
            w = w + 1j * rng.uniform(-1, 1, np.shape(y))
        found.append(np.asarray(w, y.dtype) if y.dtype.kind in "fc" else None)
    return found


def loss(outputs: list[Any], ws: list[np.ndarray | None]) -> float:
    """The real number Re sum(conj(w) y): what the gradients below are the derivatives of."""
    terms = [
        np.sum(np.conj(w) * y.numpy()).real
        for y, w in zip(outputs, ws, strict=True)
        if w is not None
    ]
    return float(sum(terms))


def gradients(sample: Sample, inputs: list[Any], ws: list[Any], places: list[int]) -> list[Any]:
    """Reverse-mode gradients of `loss` with respect to the inputs at `places`, or None."""
    tensors = [x if isinstance(x, tf.Tensor) else tf.constant(x) for x in inputs]
    with tf.GradientTape() as tape:
        tape.watch([tensors[i] for i in places])
        outputs = call(sample, tensors)
    used = [(y, tf.constant(w)) for y, w in zip(outputs, ws, strict=True) if w is not None]
    grads = tape.gradient(
        [y for y, _ in used], [tensors[i] for i in places], output_gradients=[w for _, w in used]
    )
    return [None if g is None else dense(g) for g in grads]


def numeric(function: Any, x: np.ndarray) -> np.ndarray:
    """Central differences of a real function of one array, in TensorFlow's complex convention."""
    out = np.zeros(x.shape, x.dtype)
    directions = [(1.0, 1.0)] if x.dtype.kind == "f" else [(1.0, 1.0), (1j, 1j)]
    for index in np.ndindex(*x.shape):
        for direction, unit in directions:
            moved = []
            for sign in (1, -1):
                shifted = x.copy()
                shifted[index] += sign * STEP * direction
                moved.append(function(shifted))
            out[index] += unit * (moved[0] - moved[1]) / (2 * STEP)
    return out


def batched(
    sample: Sample, inputs: list[np.ndarray], stacked: list[bool], rule: bool, size: int = 3
) -> list[np.ndarray]:
    """The op on stacks of `size` examples, by its batching rule or example by example."""
    primitive = registry[sample.name]
    op = primitive.op
    with Batch(size) as batch:
        values = [
            batch.box(x) if own else tf.constant(x) for x, own in zip(inputs, stacked, strict=True)
        ]
        if rule:
            out = (
                primitive(values, **sample.attributes)
                if op.variadic
                else primitive(*values, **sample.attributes)
            )
            outs = out if op.several else (out,)
            return [unbox(y, batch).numpy() for y in outs]
    raw = [registry["identity"](x) for x in inputs]
    named = dict(op.defaults) | sample.attributes
    attributes = tuple(named[name] for name in op.attributes)
    first = [x[0] if own else x for x, own in zip(raw, stacked, strict=True)]
    if op.prepare is not None:
        attributes = (
            op.prepare(first, *attributes) if op.variadic else op.prepare(*first, *attributes)
        )
    out = one_by_one(op, raw, stacked, attributes, size)
    return [np.asarray(y) for y in (out if op.several else (out,))]


def stacks(sample: Sample, inputs: list[np.ndarray], stacked: list[bool]) -> list[np.ndarray]:
    """Three examples of each stacked input: itself, and two neighbours of it."""
    found = []
    for x, own in zip(inputs, stacked, strict=True):
        scales = (1.0, 0.9, 1.1) if x.dtype.kind in "fc" else (1, 1, 1)
        found.append(np.stack([(x * s).astype(x.dtype) for s in scales]) if own else x)
    return found
