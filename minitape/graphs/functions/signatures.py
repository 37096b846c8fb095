"""The signature of a call of a traced function: what decides which trace answers it.

Tensors count by shape and dtype, variables by identity, everything else by type and value. Two
calls with one key run one trace; a new key is a new trace, and the difference between two keys is
the reason that the warning gives.
"""

from __future__ import annotations

import inspect
from itertools import islice
from typing import TYPE_CHECKING, Any

from minitape.errors import teach
from minitape.errors.of_arguments import not_fitting
from minitape.graphs.tensor_spec import TensorSpec
from minitape.tensor import Operators, Tensor
from minitape.tensors.convert import convert_to_tensor
from minitape.values import nest
from minitape.values.arrays import as_numpy
from minitape.variable import ResourceVariable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class SignatureError(TypeError, ValueError):
    """The arguments of a call do not fit the function's `input_signature`."""


class Arguments:
    """The arguments of one call taken apart: their structure, their leaves, the key of both."""

    __slots__ = ("key", "leaves", "names", "structure", "wanted")

    def __init__(
        self, structure: Any, names: list[str], leaves: list[Any], wanted: Sequence[Any] = ()
    ) -> None:
        self.structure = structure
        self.names = names
        self.leaves = leaves
        self.wanted = list(wanted) or leaves  # a spec in place of a tensor where sizes are open
        shapes = tuple((name, _shown_structure(value)) for name, value in structure.items())
        self.key = (shapes, *map(_leaf_key, self.wanted))

    @property
    def open_sizes(self) -> int:
        """How many sizes are left open, so that one trace may serve them all."""
        specs = [each for each in self.wanted if isinstance(each, TensorSpec)]
        return sum(list(spec.shape).count(None) for spec in specs)

    @property
    def exact(self) -> Arguments:
        """The same call, with the shapes that its tensors have."""
        return Arguments(self.structure, self.names, self.leaves)

    def relaxed(self, earlier: Sequence[Any]) -> Arguments:
        """The same call, with the sizes open in which it differs from an `earlier` one."""
        wanted = list(map(_relaxed, self.wanted, earlier))
        return Arguments(self.structure, self.names, self.leaves, wanted)

    @property
    def kinds(self) -> Any:
        """The key without sizes: structure, ranks, dtypes, and all that is no tensor."""
        return self.key[0], *(
            (each[0], len(each[1]), each[2]) if each[0] == "tensor" else each
            for each in self.key[1:]
        )

    @property
    def tensors(self) -> list[Any]:
        """The leaves that are tensors, in order: what a trace is called with."""
        return [leaf for leaf in self.leaves if isinstance(leaf, Tensor)]

    def with_tensors(self, tensors: list[Any]) -> Any:
        """The arguments with other tensors in place: what the traced Python sees."""
        todo = iter(tensors)
        leaves = [
            next(todo) if isinstance(leaf, Tensor | TensorSpec) else leaf for leaf in self.leaves
        ]
        values = nest.pack_sequence_as(
            list(self.structure.values()), leaves, expand_composites=True
        )
        return dict(zip(self.structure, values, strict=True))  # a nest would sort the names


def _specs(input_signature: Any) -> list[Any]:
    """The specs of the arguments, one for each."""
    if not isinstance(input_signature, list | tuple):
        example = "tf.function(f, input_signature=[tf.TensorSpec([2])])"
        kind = "a list or tuple with a spec for each argument"
        raise not_fitting("tf.function", "input_signature", input_signature, kind, example)
    return list(input_signature)


class Binder:
    """Brings the arguments of calls of one function into the canonical form of `Arguments`."""

    def __init__(self, function: Callable[..., Any], input_signature: Any) -> None:
        self.signature = _signature(function)
        self.specs = None if input_signature is None else _specs(input_signature)

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        """The arguments of one call, by the names of the parameters."""
        structure = self._bound(args, kwargs)
        names: list[str] = []
        leaves: list[Any] = []
        wanted: list[Any] = []
        specs = self._specs_of(structure)
        for name, value in structure.items():
            flat = nest.flatten(value, expand_composites=True)
            names += [name] if len(flat) == 1 else [f"{name} (part {i})" for i in range(len(flat))]
            own = [_leaf(each) for each in flat]
            leaves += own
            wanted += map(_wanted, own, nest.flatten(specs.get(name, [None] * len(own))))
        return Arguments(structure, names, leaves, wanted)

    def labels(self, arguments: Arguments) -> list[str]:
        """The name of each leaf in a graph, as in TensorFlow: `x`, for `*args` `args_0`."""
        found = []
        for name, value in arguments.structure.items():
            pieces = {name.replace("argument ", "argument_"): value}
            kind = self.signature.parameters[name].kind if self.signature else None
            if self._takes_many(name):
                pieces = {f"{name}_{i}": each for i, each in enumerate(value)}
            elif kind is inspect.Parameter.VAR_KEYWORD:
                pieces = {key: value[key] for key in sorted(value)}
            for label, piece in pieces.items():
                found += [label] * len(nest.flatten(piece, expand_composites=True))
        named = zip(found, arguments.leaves, strict=True)
        return [(isinstance(x, TensorSpec) and x.name) or label for label, x in named]

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        if self.signature is None:
            return {f"argument {i}": value for i, value in enumerate(args)} | kwargs
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(
                f"{error}. The function takes {self.signature}, and is traced with the arguments "
                "of its call. Give those that have no default, and no others."
            ) from error
        bound.apply_defaults()
        found = dict(bound.arguments)
        for name, spec in self._specs_of(found).items():
            found[name] = _fitted(name, found[name], spec)
        return found

    def _specs_of(self, structure: dict[str, Any]) -> dict[str, Any]:
        """The specs of the input signature by argument; `*args` have one for each value."""
        if self.specs is None:
            return {}
        todo = iter(self.specs)
        found = {}
        for name, value in structure.items():
            if self._takes_many(name):
                found[name] = tuple(islice(todo, len(value)))
            elif (spec := next(todo, None)) is not None:
                found[name] = spec
        return found

    def _takes_many(self, name: str) -> bool:
        """Whether an argument stands for all further ones, `*args`."""
        return (
            self.signature is not None
            and self.signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
        )

    def call(self, function: Callable[..., Any], arguments: Any) -> Any:
        """Calls `function` with bound arguments."""
        if self.signature is None:
            args = [value for name, value in arguments.items() if name.startswith("argument ")]
            return function(
                *args, **{n: v for n, v in arguments.items() if not n.startswith("argument ")}
            )
        bound = inspect.BoundArguments(self.signature, arguments)
        return function(*bound.args, **bound.kwargs)


def _signature(function: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):  # some builtins do not tell
        return None


def _fitted(name: str, value: Any, spec: Any) -> Any:
    """`value` as the input signature wants it."""
    return (
        nest.map_structure(lambda s, v: _fitted_tensor(name, v, s), spec, value)
        if nest.is_nested(spec)
        else _fitted_tensor(name, value, spec)
    )


def _fitted_tensor(name: str, value: Any, spec: Any) -> Any:
    if not isinstance(spec, TensorSpec) or isinstance(value, TensorSpec):
        return value
    try:
        tensor = value if isinstance(value, Tensor) else convert_to_tensor(value, dtype=spec.dtype)
    except (TypeError, ValueError) as error:
        raise SignatureError(
            f"Argument `{name}` does not fit {spec} of the input_signature: {error}"
        ) from error
    if not spec.is_compatible_with(tensor):
        raise SignatureError(
            teach(
                f"Argument `{name}` has shape {tensor.shape} and dtype {tensor.dtype.name}, which "
                f"does not fit {spec}.",
                "With an input_signature, a function takes only what it was declared for.",
                "Cast or reshape the argument, or put None for axes of any length into the "
                "TensorSpec.",
            )
        )
    return tensor


def _leaf(value: Any) -> Any:
    """Arrays are data, and become tensors; the rest stays what it is."""
    if isinstance(value, Operators | TensorSpec | type):
        return value
    given = None if isinstance(value, float | complex) else as_numpy(value)
    return value if given is None else convert_to_tensor(given)


def _wanted(leaf: Any, spec: Any) -> Any:
    """What an argument is traced as: by its spec, where that leaves sizes open."""
    if not isinstance(leaf, Tensor) or not isinstance(spec, TensorSpec) or spec.shape.rank is None:
        return leaf
    return leaf if spec.shape.is_fully_defined() else spec


def _relaxed(leaf: Any, earlier: Any) -> Any:
    """The spec of both, where a tensor has other sizes than an earlier one."""
    if not isinstance(leaf, Tensor | TensorSpec):
        return leaf
    mine, its = (TensorSpec.from_tensor(each).shape.as_list() for each in (leaf, earlier))
    dims = [a if a == b else None for a, b in zip(mine, its, strict=True)]
    return leaf if None not in dims else TensorSpec(dims, leaf.dtype)


def _leaf_key(leaf: Any) -> Any:
    if isinstance(leaf, Tensor):
        shape, dtype, _ = leaf.spec
        return "tensor", tuple(shape), dtype
    if isinstance(leaf, TensorSpec):
        return "tensor", tuple(leaf.shape.as_list()), leaf.dtype.np
    if isinstance(leaf, ResourceVariable):
        return "variable", leaf.id
    try:
        hash(leaf)
    except TypeError:
        return "object", id(leaf)
    return type(leaf), leaf


def _shown_structure(value: Any) -> Any:
    """The structure of an argument without its leaves, as text; a single leaf has none."""
    if not nest.is_nested(value) and not hasattr(value, "__composite_flatten__"):
        return None
    flat = nest.flatten(value, expand_composites=True)
    return (
        repr(nest.pack_sequence_as(value, [None] * len(flat)))
        if nest.is_nested(value) and len(nest.flatten(value)) == len(flat)
        else (type(value).__name__, len(flat))
    )


def difference(names: list[str], old: Any, new: Any) -> str:
    """In words, how the key of a call differs from that of an earlier trace."""
    if old[0] != new[0] or len(old) != len(new):
        return "the structure of the arguments changed"
    changes = [
        _change(name, a, b) for name, a, b in zip(names, old[1:], new[1:], strict=True) if a != b
    ]
    return "; ".join(changes)


def _change(name: str, old: Any, new: Any) -> str:
    if old[0] == new[0] == "tensor":
        parts = [(old[1], new[1], "shape"), (old[2].name, new[2].name, "dtype")]
        return " and ".join(f"`{name}` had {what} {a}, now {b}" for a, b, what in parts if a != b)
    if old[0] == new[0] == "variable":
        return f"`{name}` is another variable"
    advice = " (a Python value is part of the signature: pass a tensor, tf.constant(value))"
    numbers = isinstance(new[0], type) and issubclass(new[0], int | float)
    return f"`{name}` was {_shown(old)}, now {_shown(new)}{advice if numbers else ''}"


def _shown(key: Any) -> str:
    if key[0] == "variable":
        return "a variable"
    return f"a tensor of shape {key[1]}" if key[0] == "tensor" else f"{key[1]!r:.60}"
