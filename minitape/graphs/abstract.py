"""What a function gives, without computing it: it is run on symbolic tensors.

Shapes in graphs are static, so an unknown size is tried with two numbers, and an unknown number of
axes with 1 and 2; what changes with them is unknown in the result as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from minitape.graphs.graph import Graph
from minitape.graphs.tensor_spec import TensorSpec
from minitape.leaving import only
from minitape.tensor import Spec

_SIZES = (96, 128)  # divisible often, so that windows and strides find what they need


def abstract_results(function: Callable[[list[Any]], Any], specs: Iterable[Any]) -> list[Any]:
    """What `function` gives for symbolic tensors of `specs`, once for each of two sizes."""
    specs = list(specs)
    return [_traced(function, specs, size, rank) for rank, size in enumerate(_SIZES, 1)]


def _traced(function: Callable[[list[Any]], Any], specs: list[Any], size: int, rank: int) -> Any:
    graph = Graph()
    graph.traces_python = True  # what needs values says so by an exception

    def sizes(shape: Any) -> tuple[int, ...]:
        known = [None] * rank if shape.rank is None else shape
        return tuple(size if n is None else n for n in known)

    inputs = [graph.input(Spec(sizes(s.shape), s.dtype.np), "input") for s in specs]
    with only((graph,)):
        return function(inputs)


def common_spec(one: Any, two: Any) -> Any:
    """What two tensors or specs of the same place have in common, as a `TensorSpec`."""
    if one.shape.rank is None or one.shape.rank != two.shape.rank:
        return TensorSpec(None, one.dtype)
    sizes = [a if a == b else None for a, b in zip(one.shape, two.shape, strict=True)]
    return TensorSpec(sizes, one.dtype)
