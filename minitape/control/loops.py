"""`tf.while_loop`: TensorFlow's arguments, and the checks of what a loop body gives.

The loop itself is `branching.repeat`, on a flat list of tensors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.control.branch_results import StructureError
from minitape.control.branching import repeat
from minitape.control.conditions import truth
from minitape.control.programs import traced, traced_together
from minitape.control.tensor_array import TensorArray
from minitape.errors import InvalidArgumentError, teach
from minitape.errors.of_arguments import checked_integer
from minitape.graphs.functions.closures import observes
from minitape.graphs.symbolic import running_python, user_line
from minitape.interpreter import active, symbolic_interpreter
from minitape.op import export
from minitape.ops.elementwise.arithmetic import add
from minitape.ops.elementwise.comparison import less
from minitape.ops.elementwise.logic import logical_and
from minitape.ops.passing import stop_gradient
from minitape.tensor import EagerTensor, Operators, eager
from minitape.tensors.convert import convert_to_tensor, operand
from minitape.values import nest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from minitape.values.public_types import FunctionOfLeaves
    from minitape.values.results import Result


@export("while_loop")
def while_loop(
    cond: FunctionOfLeaves,
    body: FunctionOfLeaves,
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Result:
    """Repeats `loop_vars = body(*loop_vars)` while `cond(*loop_vars)` is true.

    Args:
        cond: takes the loop variables, gives a scalar bool.
        body: takes the loop variables, gives new ones in the same structure, and in a graph of the
            same dtypes and shapes.
        loop_vars: a list or tuple of tensors and `TensorArray`s, or of nests of them. Python
            numbers become tensors in a graph at once, and eagerly when the loop has ended.
        shape_invariants: given, it says that shapes may change, which a `tf.function` then allows
            (it runs its Python at every call); a `tf.Graph` has static shapes in any case.
        parallel_iterations: accepted and not used, like swap_memory and name.
        back_prop: False cuts the gradient.
        swap_memory: accepted and not used.
        maximum_iterations: a number of iterations after which the loop ends anyway.
        name: accepted and not used.

    Returns:
        The loop variables after the last iteration.

    Raises:
        TypeError: if `cond` or `body` is not callable, `parallel_iterations` is no positive
            integer, or a dtype changes in a graph.
        ValueError: if there are no loop variables, or structure or (in a graph) shape changes.

    Example:
        >>> import minitape as tf
        >>> i, x = tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2.0), [0, 1.0])
        >>> print(x)
        tf.Tensor(8.0, shape=(), dtype=float32)
    """
    _check_call(cond, body, loop_vars, parallel_iterations)
    loop = _Loop(cond, body, loop_vars, back_prop, shape_invariants is not None)
    start = loop.start()
    if maximum_iterations is None:
        flat = repeat(loop.condition, loop.body, start)
    else:
        limit = operand(maximum_iterations, None)
        zero = eager(limit.spec.dtype.type(0))
        one = eager(limit.spec.dtype.type(1))
        _, *flat = repeat(
            lambda v: logical_and(less(v[0], limit), loop.condition(v[1:])),
            lambda v: [add(v[0], one), *loop.body(v[1:])],
            [zero, *start],
        )
    flat = [_as_tensor(x) for x in flat]
    if not back_prop:
        flat = [stop_gradient(x) for x in flat]
    return loop.packed(flat)


def _check_call(cond: Any, body: Any, loop_vars: Any, parallel_iterations: int) -> None:
    if not callable(cond):
        raise TypeError(
            "'cond' must be callable. Write a function of the loop variables that gives a bool."
        )
    if not callable(body):
        raise TypeError(
            "'body' must be callable. Write a function from loop variables to loop variables."
        )
    if not isinstance(loop_vars, list | tuple) or not loop_vars:
        raise ValueError(
            "'loop_vars' must be a non-empty list or tuple of loop variables: 'No loop variables "
            "provided'."
        )
    example = "tf.while_loop(cond, body, [i], parallel_iterations=10)"
    checked_integer("while_loop", "parallel_iterations", parallel_iterations, example)
    if parallel_iterations < 1:
        raise TypeError("'parallel_iterations' must be a positive integer.")


class _Whole:
    """A `TensorArray` that goes round a loop as it is, and not as the tensor of its elements."""

    __slots__ = ("array",)

    def __init__(self, array: TensorArray) -> None:
        self.array = array

    @property
    def spec(self) -> Any:
        """Raises: what is chosen by example must be a tensor."""
        raise InvalidArgumentError(
            f"{user_line()}: in tf.vectorized_map every example may leave the loop in another "
            "round, and takes its own elements of a TensorArray then. Give it element_shape, so "
            "that they can be one tensor."
        )


_ROWS = (tuple, list)

# What goes round an eager loop as it is: tensors of it are made when the loop has ended.
_STAYS = (EagerTensor, _Whole, int, float, complex, str, bytes, np.ndarray, np.generic)


def _as_tensor(leaf: Any) -> Any:
    return leaf if type(leaf) in (EagerTensor, _Whole) else convert_to_tensor(leaf)


def _closed(structure: Any) -> Any:
    """A nest with its `TensorArray`s as leaves."""
    return nest.map_structure(
        lambda leaf: _Whole(leaf) if isinstance(leaf, TensorArray) else leaf, structure
    )


def _opened(structure: Any) -> Any:
    return nest.map_structure(
        lambda leaf: leaf.array if isinstance(leaf, _Whole) else leaf, structure
    )


class _Loop:
    """A loop's functions on flat lists of tensors, and the checks of what they give."""

    def __init__(
        self, condition: Any, body: Any, structure: Any, back_prop: bool, varies: bool
    ) -> None:
        self._condition, self._body, self._structure = condition, body, structure
        self._varies = varies
        self._result = structure
        # The usual, and quick: tensors and nothing else, whose types these are.
        types = [*map(type, structure)]
        self._is_flat = {EagerTensor}.issuperset(types)
        self._plain = types if self._is_flat else None
        arrays = () if self._is_flat else _arrays_of(structure)
        if arrays and symbolic_interpreter() is not None:
            self._settle_shapes(arrays)
        self._whole = bool(arrays) and back_prop and _may_stay(arrays)
        if self._whole:
            self._structure = _closed(structure)

    def _settle_shapes(self, arrays: Sequence[TensorArray]) -> None:
        """Traces the body once just to see what is written into arrays of unknown shapes."""
        if all(array.element_shape.is_fully_defined() for array in arrays):
            return
        graph, leaves = symbolic_interpreter(), nest.flatten(self._structure)
        others = [leaf for leaf in leaves if not isinstance(leaf, TensorArray)]
        flat = [convert_to_tensor(leaf) for leaf in nest.flatten(others, expand_composites=True)]

        def once(*values: Any) -> list[Any]:
            todo = iter(nest.pack_sequence_as(others, values, expand_composites=True))
            items = [leaf if isinstance(leaf, TensorArray) else next(todo) for leaf in leaves]
            self._body(*nest.pack_sequence_as(self._structure, items))
            return []

        specs = [x.spec for x in flat]
        traced_together(graph, lambda stateful: traced(once, specs, graph, stateful))

    def start(self) -> list[Any]:
        """What the loop starts from; a Python number stays one eagerly: it may change its type."""
        leaves = nest.flatten(self._structure, expand_composites=True)
        converts = object if symbolic_interpreter() is not None else Operators
        return [operand(x, None) if isinstance(x, converts) else x for x in leaves]

    def condition(self, flat: Sequence[Any]) -> Any:
        """Whether the loop goes on, as a scalar bool tensor."""
        found = self._condition(*(flat if self._is_flat else self._packed(flat)))
        if type(found) is EagerTensor and type(found.value) is np.bool_:
            return found  # as nearly always
        return truth(found, "while_loop", "the result of cond")

    def body(self, flat: Sequence[Any]) -> list[Any]:
        """The new loop variables."""
        found = self._body(*(flat if self._is_flat else self._packed(flat)))
        if type(found) in _ROWS and [*map(type, found)] == self._plain:
            self._result = found
            return found  # type: ignore[no-any-return]  # a list or tuple, as nearly always
        if len(self._structure) == 1 and not isinstance(found, list | tuple):
            found = (found,) if type(self._structure) is tuple else [found]
        self._result = found
        if self._whole:
            self._result = found = _closed(found)
        try:
            nest.assert_same_structure(list(self._structure), list(found), expand_composites=True)
        except (TypeError, ValueError) as error:
            raise StructureError(
                f"{user_line()}: the loop body returned {found!r:.100}, the loop variables are "
                f"{self._structure!r:.100}: The two "
                "structures don't have the same nested structure. Every iteration starts from "
                "what the last one gave. "
                "Return the loop variables in their structure."
            ) from error
        new = nest.flatten(found, expand_composites=True)
        if symbolic_interpreter() is None:
            return [leaf if isinstance(leaf, _STAYS) else convert_to_tensor(leaf) for leaf in new]
        new = [convert_to_tensor(leaf) for leaf in new]
        for i, (old, x) in enumerate(zip(flat, new, strict=True)):
            _check_kept(i, old, x, self._varies)
        return new

    def _packed(self, flat: Sequence[Any]) -> Any:
        if self._is_flat:
            return flat
        items = nest.pack_sequence_as(self._structure, list(flat), expand_composites=True)
        return _opened(items) if self._whole else items

    def packed(self, flat: list[Any]) -> Any:
        """The results in the form of the loop variables, or eagerly of the body's results."""
        in_function = symbolic_interpreter() is not None or running_python.get()
        structure = self._structure if in_function else self._result
        if not self._whole:
            return nest.pack_sequence_as(structure, flat, expand_composites=True)
        return _opened(nest.pack_sequence_as(_closed(structure), flat, expand_composites=True))


def _arrays_of(structure: Any) -> tuple[TensorArray, ...]:
    return tuple(leaf for leaf in nest.flatten(structure) if isinstance(leaf, TensorArray))


def _may_stay(arrays: Sequence[TensorArray]) -> bool:
    """Whether arrays need no stacking: they run eagerly, or could not be stacked in a batch."""
    if symbolic_interpreter() is not None:
        return False
    shapes_known = all(array.element_shape.is_fully_defined() for array in arrays)
    return all(map(observes, active())) or not shapes_known


def _check_kept(i: int, old: Any, new: Any, varies: bool) -> None:
    """Raises if a loop variable changes its dtype, or its shape where that may not vary."""
    if old.spec.dtype != new.spec.dtype:
        raise StructureError(
            teach(
                f"{user_line()}: loop variable {i} enters the loop with dtype {old.dtype.name}, "
                f"but has dtype {new.dtype.name} after "
                "one iteration.",
                "The next iteration takes what this one gave.",
                f"Write `tf.cast(..., tf.{old.dtype.name})` in the body, or start with dtype "
                f"{new.dtype.name}.",
            )
        )
    graph = symbolic_interpreter()
    if tuple(old.spec.shape) != tuple(new.spec.shape):
        if varies and graph.root.traces_python:
            raise graph.refusal("A loop variable whose shape changes", new)
        raise StructureError(
            teach(
                f"{user_line()}: loop variable {i} enters the loop with shape "
                f"{tuple(old.spec.shape)}, but has shape "
                f"{tuple(new.spec.shape)} after one iteration.",
                "Shapes are static in a graph.",
                "To allow the shape to vary across iterations, use the `shape_invariants` argument "
                "of tf.while_loop, in a tf.function; else keep it, with "
                "tf.tensor_scatter_nd_update.",
            )
        )
