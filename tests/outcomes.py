"""What every op gives or refuses, eagerly, in a function, in a graph and in a batch.

`python tests/outcomes.py FILE` writes down the outcomes of this process, so that those of a process
without the fast layer (MINITAPE_PLAIN=1) can be laid beside them.
"""

from __future__ import annotations

import pickle
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import minitape as tf
from minitape.names import namespaces
from minitape.op import registry
from minitape.tensors.composite import dense
from op_samples import Sample, all_samples

SIZE = 2  # of the batches

# What a call came to: ("value", arrays) or ("error", class, message).
Outcome = tuple[Any, ...]


def cases() -> Iterator[tuple[str, Sample, list[np.ndarray]]]:
    """The samples as they are, and one of each op with inputs that it may refuse."""
    seen = set()
    for number, sample in enumerate(all_samples()):
        op = registry[sample.name].op
        if op.draws or op.effect or not sample.inputs:
            continue
        inputs = [as_array(x) for x in sample.inputs]
        yield f"{number}-{sample}", sample, inputs
        if sample.name not in seen:
            seen.add(sample.name)
            for what, changed in wrong(inputs):
                yield f"{number}-{sample.name} of {what}", sample, changed


def as_array(value: Any) -> np.ndarray:
    array = np.asarray(value)
    if array.dtype.kind in "US":
        return array.astype("S").astype(object)
    return array.astype(np.float32) if array.dtype == np.float64 else array


def wrong(inputs: list[np.ndarray]) -> Iterator[tuple[str, list[np.ndarray]]]:
    """Inputs of dtypes and shapes that many ops have no meaning for."""
    numbers = [x for x in inputs if x.dtype.kind in "fc"]
    if not numbers:
        return
    for dtype in (np.int32, np.bool_, np.complex64, object):
        yield f"dtype {np.dtype(dtype)}", [in_dtype(x, dtype) for x in inputs]
    if len(numbers) > 1:
        for dtype in (np.float64, np.int32):
            yield f"mixed {np.dtype(dtype)}", [*inputs[:-1], inputs[-1].astype(dtype)]
        yield "shapes that do not fit", [*inputs[:-1], np.ones((3, 7, 5), inputs[-1].dtype)]
    yield "another rank", [np.ones((2, *inputs[0].shape), inputs[0].dtype), *inputs[1:]]


def in_dtype(x: np.ndarray, dtype: Any) -> np.ndarray:
    """The numbers of an input in a dtype, or texts in their place; indices stay."""
    if x.dtype.kind not in "fc":
        return x
    return np.full(x.shape, b"a", object) if dtype is object else x.astype(dtype)


def in_a_function(call: Any, tensors: list[Any]) -> Any:
    return tf.function(lambda *given: call(*given))(*tensors)


def in_a_graph(call: Any, tensors: list[Any]) -> Any:
    graph = tf.Graph()
    with graph.as_default():
        given = [tf.compat.v1.placeholder(x.dtype, x.shape) for x in tensors]
        out = call(*given)
    with tf.compat.v1.Session(graph=graph) as session:
        return session.run(out, dict(zip(given, [x.numpy() for x in tensors], strict=True)))


def in_a_batch(call: Any, tensors: list[Any]) -> Any:
    stacks = [tf.stack([x] * SIZE) for x in tensors]
    out = tf.vectorized_map(lambda given: call(*given), tuple(stacks))
    return tuple(y[0] for y in out) if isinstance(out, tuple | list) else out[0]


PLACES = {
    "eagerly": lambda call, tensors: call(*tensors),
    "in a function": in_a_function,
    "in a graph": in_a_graph,
    "in a batch": in_a_batch,
}


def outcome(place: str, sample: Sample, inputs: list[np.ndarray]) -> Outcome:
    """What an op comes to in one place."""
    primitive = registry[sample.name]

    def call(*tensors: Any) -> Any:
        given = (list(tensors),) if primitive.op.variadic else tensors
        return primitive.public(*given, **sample.attributes)

    try:
        found = PLACES[place](call, [tf.constant(x) for x in inputs])
    except Exception as error:
        return "error", type(error).__name__, str(error)
    return "value", [array_of(y) for y in (found if isinstance(found, tuple | list) else [found])]


def gradient(sample: Sample, inputs: list[np.ndarray]) -> Outcome:
    """The gradients of the sum of what an op gives, and those of their sum."""
    primitive = registry[sample.name]
    tensors = [tf.constant(x) for x in inputs]
    chosen = [x for x in tensors if x.dtype.is_differentiable]
    given = (tensors,) if primitive.op.variadic else tensors
    try:
        with tf.GradientTape() as outer:
            outer.watch(chosen)
            with tf.GradientTape() as inner:
                inner.watch(chosen)
                out = primitive.public(*given, **sample.attributes)
            first = inner.gradient(out, chosen)
            known = [dense(g) for g in first if g is not None]
        second = outer.gradient(known, chosen) if known else []
    except Exception as error:
        return "error", type(error).__name__, str(error)
    return "value", [None if g is None else array_of(dense(g)) for g in (*first, *second)]


def array_of(y: Any) -> np.ndarray:
    value = y.numpy() if hasattr(y, "numpy") else y
    return np.array(value, object) if isinstance(value, bytes) else np.asarray(value)


def outcomes() -> dict[tuple[str, str], Outcome]:
    """Everything, by the place and the case."""
    namespaces.load_rest()
    found: dict[tuple[str, str], Outcome] = {}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for name, sample, inputs in cases():
            for place in PLACES:
                found[place, name] = outcome(place, sample, inputs)
            found["a gradient", name] = gradient(sample, inputs)
    return found


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(pickle.dumps(outcomes()))
