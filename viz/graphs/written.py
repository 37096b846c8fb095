"""A function as a graph: traced once more for the picture, with the learner's own names.

Names are read where they are, in the frames of the learner's functions when these return while
being traced. A `tf.function` is traced anew, so its own traces and their count stay what they were.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import teach
from minitape.graphs.functions.function import Function
from minitape.graphs.functions.traces import Trace
from minitape.graphs.graph import Graph
from minitape.leaving import only
from minitape.tensor import Tensor
from minitape.tensors.convert import convert_to_tensor
from minitape.values import nest

from ..record.lines import calling_frame, is_ours
from ..record.names import tensors_in, tensors_in_namespace

if TYPE_CHECKING:
    from types import FrameType

_LIBRARY = (os.path.dirname(os.__file__) + os.sep, "<frozen", "<string>")  # and named tuples


@dataclass
class Written:
    """A graph and what is known about it.

    Attributes:
        graph: the engine's graph.
        inputs: the slots that a call gives values to.
        outputs: the slots of the results; empty for a graph without a function.
        names: the learner's names by slot, or by the id of a tensor or variable outside.
        tensors: the values for `inputs`, if they are known.
        title: what it is called.
    """

    graph: Graph
    inputs: list[int] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)
    tensors: list[Any] = field(default_factory=list)
    title: str = ""


def written(program: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Written:
    """What is written down of a function with these arguments, or of a graph.

    Raises:
        TypeError: if `program` is neither a function nor a graph, or a graph comes with arguments.
        ValueError: if the function cannot be traced, because its Python needs a value.
    """
    around = {key: name for key, (name, _) in tensors_in(calling_frame()).items()}
    if isinstance(program, Graph):
        return Written(program, names=around, title="graph")
    if isinstance(program, Trace):
        return Written(
            program.graph, program.input_slots, program.output_slots, around, title=program.name
        )
    if not callable(program):
        raise TypeError(
            f"expected a function of tensors, a tf.function or a tf.Graph, got {program!r:.80}. "
            "Pass the function itself and its arguments: viz.graph(f, x)."
        )
    return _traced(program, args, kwargs, around)


def _traced(
    program: Any, args: tuple[Any, ...], kwargs: dict[str, Any], around: dict[int, str]
) -> Written:
    python, signature = program, None
    if isinstance(program, Function):
        python, signature = program.python_function, program.input_signature
    function = Function(python, signature)
    args, kwargs = nest.map_structure(_as_tensor, (args, kwargs))
    tensors = [x for x in nest.flatten((args, kwargs)) if isinstance(x, Tensor)]
    names: dict[int, str] = {}
    with only(()), _noting(names):
        concrete = function.get_concrete_function(*args, **kwargs)
    if not isinstance(concrete, Trace):
        raise ValueError(
            teach(
                f"`{function.name}` cannot be drawn as a graph: "
                f"{function.runs_python or 'its input_signature leaves a size open'}.",
                "A graph is written down before it runs, and has no values to decide by.",
                "Use tf.cond or tf.while_loop there, or draw a tape of it with viz.draw.",
            )
        )
    space = getattr(getattr(python, "__func__", python), "__globals__", {})
    outside = {key: name for key, (name, _) in tensors_in_namespace(space).items()}
    known = outside | around | _arguments(python, args, kwargs, concrete.input_slots) | names
    return Written(
        concrete.graph, concrete.input_slots, concrete.output_slots, known, tensors, function.name
    )


def _arguments(python: Any, args: Any, kwargs: Any, slots: list[int]) -> dict[int, str]:
    """What the function calls its arguments, for names that it gives to something else later."""
    try:
        given = inspect.signature(python).bind(*args, **kwargs).arguments
    except (TypeError, ValueError):
        return {}
    found: list[str] = []
    for name, value in given.items():
        count = sum(isinstance(x, Tensor) for x in nest.flatten(value))
        found += [name] if isinstance(value, Tensor) else [f"{name}[{i}]" for i in range(count)]
    return dict(zip(slots, found, strict=False))


def _as_tensor(value: Any) -> Any:
    """Floating numbers and arrays as tensors: they are what one differentiates by."""
    if isinstance(value, float | complex | np.ndarray | np.generic) and not isinstance(value, str):
        return convert_to_tensor(value)
    return value


@contextmanager
def _noting(names: dict[int, str]) -> Iterator[None]:
    """Collects what the learner's functions call their tensors, as each of them returns."""
    before = sys.getprofile()

    def look(frame: FrameType, event: str, _: Any) -> None:
        file = frame.f_code.co_filename
        if event == "return" and not (is_ours(file) or file.startswith(_LIBRARY)):
            for key, (name, _) in tensors_in_namespace(dict(frame.f_locals)).items():
                names.setdefault(key, name)

    sys.setprofile(look)
    try:
        yield
    finally:
        sys.setprofile(before)
