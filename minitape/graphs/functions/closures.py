"""What traced Python uses without taking it as an argument: eager tensors that it closes over.

An op on eager tensors alone computes at once, also while tracing, and only a follower hears of it.
So the graph follows the tensors that the function names, and stands in for those that follow one
outside (`Witness`): a tape around a call finds them in the graph.
"""

from __future__ import annotations

import types
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from minitape.interpreter import Interpreter, follow, unfollow
from minitape.tensor import EagerTensor
from minitape.values import nest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from minitape.graphs.graph import Graph


class Witness(Interpreter):
    """Stands for a tape outside while tracing: what it follows, the graph writes down."""

    __slots__ = ("graph",)

    def __init__(self, outside: Interpreter, graph: Graph) -> None:
        super().__init__()
        self.mark = outside.mark
        self.graph = graph

    def observe(
        self, op: Any, inputs: tuple[Any, ...], outputs: Any, attributes: tuple[Any, ...]
    ) -> None:
        """Writes the op down, unless the graph follows an input and does so itself."""
        ref = self.graph.mark[0]
        if not any(x.mark is not None and ref in x.mark for x in inputs):
            self.graph.observe(op, inputs, outputs, attributes)
            for tensor in outputs if op.several else (outputs,):
                follow(tensor, self.graph)


@contextmanager
def followed(tensors: Iterable[EagerTensor], graph: Graph) -> Iterator[None]:
    """Lets `graph` follow `tensors` in its block, and no longer: a mark costs every later op."""
    marked = list(tensors)
    for tensor in marked:
        follow(tensor, graph)
    try:
        yield
    finally:
        for tensor in marked:
            unfollow(tensor, graph)


def observes(interpreter: Interpreter) -> bool:
    """Whether it is told of ops (a tape, an accumulator), as opposed to working on boxes."""
    return type(interpreter).interpret is Interpreter.interpret


def is_constant(x: Any) -> bool:
    """Whether a captured value is a number or array that no interpreter follows."""
    return type(x) is EagerTensor and x.mark is None


def closed_over(function: Any, depth: int = 2) -> Iterator[EagerTensor]:
    """The eager tensors that a function names: in its closure, its globals, and nests of them."""
    code = getattr(function, "__code__", None)
    if isinstance(function, types.MethodType) or code is None:
        function = getattr(function, "__func__", getattr(function, "__wrapped__", None))
        code = getattr(function, "__code__", None)
    if code is None:
        return
    values = [cell.cell_contents for cell in function.__closure__ or () if _is_filled(cell)]
    outside = function.__globals__
    values += [outside[name] for name in _names(code) if name in outside]
    for value in values:
        if isinstance(value, list | tuple | dict):
            yield from (leaf for leaf in nest.flatten(value) if type(leaf) is EagerTensor)
        elif type(value) is EagerTensor:
            yield value
        elif (
            depth
            and isinstance(value, types.FunctionType)
            and not (value.__module__ or "").startswith("minitape")
        ):
            yield from closed_over(value, depth - 1)


def _names(code: types.CodeType) -> Iterator[str]:
    """The global names that code uses, and the functions that it makes."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def _is_filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True
