"""The weights of targets: where the way back starts, given by the user or 1.

The one fact to know: every element of a target has a weight, `output_gradients`; the gradient is
that of the weighted sum of all of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.interpreter import symbolic_interpreter
from minitape.ops.broadcasting import broadcast_to
from minitape.tensor import Tensor, eager
from minitape.tensors.composite import dense, parts
from minitape.tensors.convert import convert_to_tensor
from minitape.values import nest
from minitape.values.public_types import Structure


def checked_weights(output_gradients: Structure, targets: list[Any]) -> list[Any]:
    """A tensor like the target per target, or None for ones."""
    # Another tape's gradient may be a weight, and be sparse.
    flat = [part for each in nest.flatten(output_gradients) for part in parts(dense(each))]
    if len(flat) != len(targets):
        raise ValueError(
            f"output_gradients holds {len(flat)} weights for {len(targets)} targets. "
            "Give one per target, None for ones."
        )
    return [
        None if w is None else _fitting(w, target) for w, target in zip(flat, targets, strict=True)
    ]


def _fitting(weight: Any, target: Any) -> Tensor:
    weight = dense(weight)
    dtype = target.spec.dtype
    tensor = (
        weight
        if isinstance(weight, Tensor)
        # A plain number takes the target's dtype; a variable has its own, which must agree.
        else convert_to_tensor(weight, dtype=None if hasattr(weight, "spec") else dtype)
    )
    if tensor.dtype == target.dtype:
        if tensor.shape == target.shape:
            return tensor
        if _stretches(tuple(tensor.spec.shape), tuple(target.spec.shape)):
            return broadcast_to(tensor, tuple(target.spec.shape))  # type: ignore[no-any-return]
    raise InvalidArgumentError(
        teach(
            f"output_gradients: the weight has shape {tensor.shape} and dtype "
            f"{tensor.dtype.name}, its target has shape "
            f"{target.shape} and dtype {target.dtype.name}.",
            "Every element of a target has one weight, or shares it by broadcasting.",
            "Give a tensor like the target, or None for ones.",
        )
    )


def _stretches(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    """Whether an array of `shape` broadcasts to the shape `to`."""
    pairs = zip(reversed(shape), reversed(to), strict=False)
    return len(shape) <= len(to) and all(n in (1, m) for n, m in pairs)


def ones(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """The weight of a target that has none; a graph with unknown sizes has to write it down."""
    # Sizes that only a run tells are tensors of the graph, and no NumPy shape.
    graph = symbolic_interpreter()
    if graph is None or not graph.has_sizes:
        return eager(np.ones(shape, dtype) if shape else dtype.type(1))
    one = graph.constant(eager(dtype.type(1)))
    return broadcast_to(one, shape) if shape else one
