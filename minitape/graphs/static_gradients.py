"""`tf.gradients`: the gradient of a graph, as more nodes of that graph.

This is a schedule, not an engine. Which ops lie between xs and ys is found first; then an op is
ready when the ops that use its results are done (its pending count is 0), and the ready ones are
fed to `backward.backward`, the loop that tapes use too. Its rules run on symbolic tensors, so that
what they do is written down, and can be differentiated again.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

from minitape.backward import backward
from minitape.batches.batching import Batch, unbox
from minitape.batches.diagonal import whole_seeds
from minitape.errors import teach
from minitape.graphs.schedule import Schedule
from minitape.graphs.symbolic import Symbolic, running_python
from minitape.interpreter import symbolic_interpreter
from minitape.op import export, exports
from minitape.ops.broadcasting import reshape
from minitape.request import Request
from minitape.tensor import EagerTensor, Tensor, eager
from minitape.tensors.composite import dense
from minitape.tensors.convert import convert_to_tensor
from minitape.values import nest
from minitape.variable import ResourceVariable

if TYPE_CHECKING:
    from minitape.graphs.graph import Graph


class AggregationMethod(enum.IntEnum):
    """How contributions are added; accepted, and always a plain sum."""

    ADD_N = 0
    DEFAULT = 0
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


exports["AggregationMethod"] = AggregationMethod


@export("gradients", "compat.v1.gradients")
def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = "none",
) -> list[Any]:
    """The derivatives of the sum of `ys` with respect to each of `xs`, in a graph.

    With `xs` that depend on each other the derivatives are total; name the same tensors in
    `stop_gradients` for partial ones.

    Args:
        ys: a tensor or a list of tensors of the graph that is being built.
        xs: a tensor or variable, or a list of them.
        grad_ys: weights, a tensor like each of `ys`, or None for ones.
        name: accepted and not used.
        gate_gradients: accepted and not used.
        aggregation_method: a member of `tf.AggregationMethod`; all mean a plain sum.
        stop_gradients: tensors that count as constants.
        unconnected_gradients: what to return for an x that no y depends on.

    Returns:
        A list with one tensor (or `IndexedSlices`) for each of `xs`, None where unconnected.

    Raises:
        RuntimeError: when executing eagerly.
        LookupError: if an op on the way has no gradient registered.
        ValueError: if `grad_ys` does not fit `ys`, or a mode is unknown.
        TypeError: if something in `ys` or `xs` is not a tensor, or a complex y has no weight.

    Example:
        >>> import minitape as tf
        >>> @tf.function
        ... def slope(x):
        ...     return tf.gradients(x**3, x)
        >>> print(slope(tf.constant(2.0))[0])
        tf.Tensor(12.0, shape=(), dtype=float32)
    """
    _check_method(aggregation_method)
    request, graph, stops = _asked(
        "tf.gradients", ys, xs, grad_ys, unconnected_gradients, stop_gradients
    )
    cotangents = request.seeds(raw=False)
    _sweep(graph, request, cotangents, stops)
    return [
        request.result(x, cotangents.get(key))
        for x, key in zip(request.sources, request.source_ids, strict=True)
    ]


@export("hessians", "compat.v1.hessians")
def hessians(
    ys: Any,
    xs: Any,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    name: str = "hessians",
) -> list[Any]:
    """The second derivatives of the sum of `ys` with respect to each of `xs`, in a graph.

    Args:
        ys: a tensor or a list of tensors of the graph that is being built.
        xs: a tensor or variable, or a list of them.
        gate_gradients: accepted and not used.
        aggregation_method: a member of `tf.AggregationMethod`; all mean a plain sum.
        name: accepted and not used.

    Returns:
        A list with a tensor of shape `x.shape + x.shape` for each of `xs`.

    Raises:
        RuntimeError: when executing eagerly.
        ValueError: if the ys do not depend on an x.

    Example:
        >>> import minitape as tf
        >>> @tf.function
        ... def curvature(x):
        ...     return tf.hessians(x[0] * x[1], x)
        >>> curvature(tf.constant([1.0, 2.0]))[0].numpy().tolist()
        [[0.0, 1.0], [1.0, 0.0]]
    """
    _check_method(aggregation_method)
    slopes = gradients(ys, xs)
    return [_rows(dense(slope), x) for slope, x in zip(slopes, _as_list(xs), strict=True)]


def _rows(slope: Any, x: Any) -> Any:
    """The derivative of each element of `slope` by `x`, by one sweep over all seeds."""
    if slope is None:
        raise ValueError(
            f"tf.hessians: the ys do not depend on {x!r}. Ask for an x that they are computed from."
        )
    request, graph, stops = _asked("tf.hessians", slope, x, None, "zero", None)
    shape, dtype, _ = slope.spec
    shape = tuple(shape)
    (key,) = request.source_ids
    seeds = whole_seeds(shape, len(shape), dtype)
    with Batch(len(seeds), in_sweep=True) as batch:
        cotangents = {request.targets[0].id: batch.box(eager(seeds))}
        _sweep(graph, request, cotangents, stops)
        found = cotangents.get(key)
        found = None if found is None else dense(found)
    stack = convert_to_tensor(seeds * 0) if found is None else unbox(found, batch)
    return reshape(stack, (*shape, *shape))


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _check_method(method: Any) -> None:
    if method is not None and method not in list(AggregationMethod):
        raise ValueError(
            f"Invalid `aggregation_method` specified: {method!r}. Use a member of "
            "tf.AggregationMethod."
        )


def _asked(
    what: str, ys: Any, xs: Any, grad_ys: Any, mode: Any, stop: Any
) -> tuple[Request, Graph, set[int]]:
    """The checked request, the graph that it is about, and the slots that count as constants."""
    graph = symbolic_interpreter()
    if graph is None:
        raise _eager(what)
    targets = [_in_graph(y, graph, "y") for y in nest.flatten(ys)]
    sources = [
        x if isinstance(x, ResourceVariable) else _in_graph(x, graph, "x") for x in nest.flatten(xs)
    ]
    weights = None if grad_ys is None else _as_list(grad_ys)
    _check_weights(targets, weights)
    request = Request(targets, sources, weights, mode)
    stops = {
        _in_graph(each, graph, "stop_gradients").value
        for each in nest.flatten(stop)
        if each is not None
    }
    found = [t.interpreter for t in targets if isinstance(t, Symbolic)]
    return request, found[0] if found else graph, stops


def _in_graph(value: Any, graph: Graph, role: str) -> Any:
    """The symbolic tensor of a value; an eager tensor that the graph uses has one too."""
    if isinstance(value, ResourceVariable):
        return graph.read(value)
    if not isinstance(value, Tensor):
        if value is None or isinstance(value, str):
            raise TypeError(
                f"tf.gradients: each {role} must be a tensor of the graph; got {value!r}."
            )
        value = convert_to_tensor(value)
    return graph.tensor(graph.slot(value)) if type(value) is EagerTensor else value


def _check_weights(targets: list[Any], weights: list[Any] | None) -> None:
    if weights is not None and len(weights) != len(targets):
        raise ValueError(
            f"Passed {len(weights)} grad_ys for {len(targets)} ys. Give one for each, None for "
            "ones."
        )
    for target, weight in zip(targets, weights or [None] * len(targets), strict=True):
        if weight is None and target.dtype.is_complex:
            raise TypeError(
                f"Gradients of complex tensors must set grad_ys (y.dtype = {target.dtype!r})."
            )


def _eager(what: str) -> RuntimeError:
    reason = running_python.get()
    return RuntimeError(
        teach(
            f"{what} is not supported when eager execution is enabled."
            + (
                f" The tf.function {reason}; so it is not traced, and there is no graph."
                if reason
                else ""
            ),
            "It differentiates a graph that was written down, and eager ops leave none behind.",
            "Use tf.GradientTape instead, or call it inside a tf.function"
            + (
                " whose branches and loops are tf.cond and tf.while_loop."
                if reason
                else " or a tf.Graph."
            ),
        )
    )


def _sweep(graph: Graph, request: Request, cotangents: dict[int, Any], stops: set[int]) -> None:
    """Runs the chain rule over the ops between xs and ys; the results are in `cotangents`."""
    schedule = Schedule(graph, [t.value for t in request.targets], set(request.source_ids), stops)
    try:
        for _ in backward(iter(schedule), cotangents, set(request.source_ids), raw=False):
            pass
    except LookupError as error:
        node = schedule.current
        if node is None or "gradient registry has no entry" not in str(error):
            raise
        raise LookupError(
            teach(
                f"No gradient defined for operation '{node.name}' (op type: {node.op.type_name}), "
                f"made at {node.line}; {error}.",
                "It lies between the ys and the xs.",
                "Register one with tf.RegisterGradient, or cut the path with tf.stop_gradient.",
            )
        ) from error
