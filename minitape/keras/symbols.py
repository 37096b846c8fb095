"""Symbols: what `Input` gives, and what layers and ops make of it.

A `KerasTensor` has a shape and a dtype, and remembers the node that makes it. A functional model is
the nodes between its inputs and its outputs, run again on tensors.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NoReturn

import minitape as tf
from minitape.errors.of_arguments import checked_items
from minitape.graphs.abstract import abstract_results, common_spec
from minitape.graphs.symbolic import NeedsValue
from minitape.keras.variables import unique_name
from minitape.leaving import only
from minitape.names import signatures
from minitape.op import apply
from minitape.tensor import Operators, Spec
from minitape.tensors.composite import Composite


class KerasTensor(Composite):
    """A tensor of a functional model that has no value yet; layers and ops can be called with it.

    Example:
        >>> import minitape as tf
        >>> x = tf.keras.Input([3])
        >>> tf.keras.layers.Dense(2)(x).shape, (x * 2.0).shape
        ((None, 2), (None, 3))
    """

    __slots__ = ("dtype", "name", "node", "shape")

    def __init__(self, shape: Any, dtype: Any, name: str | None = None, node: Any = None) -> None:
        example = "KerasTensor((None, 3), 'float32')"
        self.shape = tuple(checked_items("KerasTensor", "shape", shape, example))
        self.dtype = tf.as_dtype(dtype)
        self.name = name or unique_name("keras_tensor")
        self.node: Node | None = node

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def spec(self) -> Spec:
        """Shape and NumPy dtype, with None for unknown sizes."""
        return Spec(self.shape, self.dtype.np)

    def interpret(self, op: Any, inputs: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
        """An op becomes a node as well."""

        def function(*given: Any) -> Any:
            return apply(op, tuple(tf.convert_to_tensor(x) for x in given), attributes)

        return Node(OpCall(function, op.name), tuple(inputs), {}).outputs

    def __tf_tensor__(self, dtype: Any = None, name: Any = None) -> NoReturn:
        """Raises: this function of `tf` needs more than shape and dtype of its argument."""
        raise ValueError(
            "A KerasTensor cannot be used as input to a TensorFlow function that needs a value: it "
            "is a symbolic placeholder for a shape and dtype. Take the function of `tf.keras.ops`, "
            "or wrap it in a layer: `tf.keras.layers.Lambda(lambda x: ...)(tensor)`."
        )

    def parts(self) -> NoReturn:
        """Raises: there is no tensor in a symbol."""
        self.__tf_tensor__()

    def with_parts(self, parts: list[Any]) -> NoReturn:
        """Raises: there is no tensor in a symbol."""
        self.__tf_tensor__()

    def expand_dims(self, axis: int) -> Any:
        """The symbol with one axis more."""
        return tf.keras.ops.expand_dims(self, axis)

    def squeeze(self, axis: Any = None) -> Any:
        """The symbol without axes of size 1."""
        return tf.keras.ops.squeeze(self, axis)

    def __getitem__(self, key: Any) -> Any:
        return Node(OpCall(lambda x: x[key], "get_item"), (self,), {}).outputs

    def __bool__(self) -> bool:
        raise TypeError(
            "A symbolic KerasTensor cannot be used as a boolean: it has no value before the model "
            "is called. Choose element by element with `tf.keras.ops.where(condition, a, b)`, or "
            "write the `if` in `call` of a layer."
        )

    def __iter__(self) -> NoReturn:
        raise NotImplementedError(
            "Iterating over a symbolic KerasTensor is not supported: it has no rows before the "
            "model is called. Take what you need by its place, `x[:, 0]`, or write the loop in "
            "`call` of a layer."
        )

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        raise ValueError(
            "A KerasTensor is symbolic: it has a shape and a dtype and no values, and NumPy cannot "
            "compute with it. Take the function of `tf.keras.ops`."
        )

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return f"<KerasTensor shape={self.shape}, dtype={self.dtype.name}, name={self.name}>"


class OpCall:
    """An op in a functional model, as if it were a layer without variables."""

    variables: tuple[Any, ...] = ()
    built = True

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        self.function = function
        self.name = unique_name(name)
        self.kind = name.title().replace("_", "")
        self.nodes: list[Node] = []

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        """Runs the op."""
        return self.function(*inputs, **options)

    def count_params(self) -> int:
        """An op has no variables."""
        return 0


class Node:
    """One call of a layer or op with symbols among its arguments."""

    def __init__(self, operation: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.operation, self.args, self.kwargs = operation, args, kwargs
        self.inputs = symbols_in([args, kwargs])
        self.outputs = tf.nest.map_structure(self._symbol, *self._two_runs())
        operation.nodes.append(self)

    def _symbol(self, one: Any, two: Any) -> Any:
        """The symbol of a result, from what two runs gave in its place."""
        if not isinstance(one, Operators):
            raise ValueError(
                f"All operation outputs must be tensors. Operation {self.operation} returned a "
                f"non-tensor. Non-tensor received: {one!r:.80}. In a functional model, layers give "
                "each other tensors. Return tensors alone, or call the layer with tensors."
            )
        spec = common_spec(one, two)
        return KerasTensor(spec.shape, spec.dtype, node=self)

    def run(self, values: dict[int, Any]) -> Any:
        """The call with tensors in place of the symbols, by their `id`."""
        args, kwargs = with_values([self.args, self.kwargs], lambda x: values[id(x)])
        return self.operation(*args, **kwargs)

    def _two_runs(self) -> list[Any]:
        def call(tensors: list[Any]) -> Any:
            return self.run(dict(zip(map(id, self.inputs), tensors, strict=True)))

        specs = [tf.TensorSpec(x.shape, x.dtype) for x in self.inputs]
        try:
            return abstract_results(call, specs)
        except NeedsValue:  # Python in the layer asks for values: two batches of ones
            with only(()):
                return [call([_ones(s, size) for s in specs]) for size in (2, 3)]


def _ones(spec: Any, size: int) -> Any:
    return tf.ones([size if n is None else n for n in spec.shape], spec.dtype)


def symbols_in(structure: Any) -> list[KerasTensor]:
    """The symbols of a nest, each once, in order."""
    found = [x for x in tf.nest.flatten(structure) if isinstance(x, KerasTensor)]
    return list({id(x): x for x in found}.values())


def with_values(structure: Any, value: Callable[[KerasTensor], Any]) -> Any:
    """A nest with values in place of its symbols."""
    return tf.nest.map_structure(lambda x: value(x) if isinstance(x, KerasTensor) else x, structure)


def of_symbols(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, which becomes a node of that name when symbols are among its arguments."""

    @wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        if _has_symbol(args) or _has_symbol(options.values()):
            return Node(OpCall(function, name), args, options).outputs
        return function(*args, **options)

    signatures.public(call, f"keras.ops.{name}")
    return call


def _has_symbol(values: Any) -> bool:
    return any(
        isinstance(x, KerasTensor) or (isinstance(x, list | tuple) and _has_symbol(x))
        for x in values
    )
