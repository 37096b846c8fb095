"""`RegisterGradient`, `no_gradient`, `gradient_override_map`: derivatives given by name.

Ops are known by their type names, as in TensorFlow ("AdjustContrastv2"), and a registered function
is asked in TensorFlow's convention: it gets the op and one gradient per output, and gives one
gradient or None per input.
"""

from __future__ import annotations

import copy
from contextlib import contextmanager
from reprlib import repr as short  # an error must be able to show a nest that is very deep
from typing import TYPE_CHECKING, Any

from minitape.errors import teach
from minitape.op import Rule, export, registry
from minitape.ops.passing import conj
from minitape.tensor import EagerTensor, Operators, Tensor
from minitape.tensors.composite import as_tensors, dense
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from minitape.op import Op

# Gradient functions of names that are no op's type: what `gradient_override_map` chooses from.
_named: dict[str, Callable[..., Any]] = {}


class Operation:
    """What a registered gradient function sees of one call of an op.

    Attributes:
        type: the op's type name.
        inputs: its input tensors.
        outputs: what it gave.
    """

    def __init__(self, op: Op, inputs: tuple[Any, ...], outputs: Any, attributes: Any) -> None:
        self.type = op.type_name
        self.name = op.name
        self.inputs = list(inputs)
        self.outputs = list(outputs) if op.several else [outputs]
        self._attributes = dict(zip(op.attributes, attributes, strict=True))

    def get_attr(self, name: str) -> Any:
        """The value of an attribute, such as an axis.

        Raises:
            ValueError: if the op has no such attribute.
        """
        if name not in self._attributes:
            raise ValueError(
                f"Operation {self.name!r} has no attr named {name!r}; it has "
                f"{list(self._attributes)}."
            )
        return self._attributes[name]


@export("RegisterGradient")
class RegisterGradient:
    """Decorates the gradient function of an op that has none.

    Args:
        op_type: the op's type name, for instance the one in "gradient registry has no entry for";
            or a new name, for `tf.Graph.gradient_override_map`.

    Raises:
        TypeError: if `op_type` is no string.
        KeyError: when decorating, if the op or the name has a gradient already.

    Example:
        >>> import minitape as tf
        >>> from minitape.op import primitive
        >>> @primitive(type_name="MyCube")
        ... def my_cube(x: "Array") -> "Array":
        ...     return x**3
        >>> @tf.RegisterGradient("MyCube")
        ... def _my_cube_gradient(op, grad):
        ...     return grad * 3.0 * op.inputs[0] ** 2
        >>> x = tf.Variable(2.0)
        >>> with tf.GradientTape() as tape:
        ...     y = my_cube(x)
        >>> print(tape.gradient(y, x))
        tf.Tensor(12.0, shape=(), dtype=float32)
    """

    def __init__(self, op_type: str) -> None:
        self._type = _checked_type(op_type)

    def __call__(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """Registers `f` and returns it."""
        if not _ops_of(self._type):
            if self._type in _named:
                raise _registered_twice(self._type, _named[self._type].__module__)
            _named[self._type] = f
            return f
        for op in _without_gradient(self._type):
            for name in op.inputs:
                op.rules[name] = _rule(op, f)
            op.forget()  # they were made when the op had no rule
        return f


@export("no_gradient", "NoGradient", "NotDifferentiable")
def no_gradient(op_type: str) -> None:
    """Declares that an op has no derivative, so that gradients through it are None.

    Args:
        op_type: the op's type name.

    Raises:
        TypeError: if `op_type` is no string.
        KeyError: if the op has a gradient, or there is no such op.
    """
    for op in _without_gradient(_checked_type(op_type)):
        op.rules.update(dict.fromkeys(op.inputs, Rule(lambda g: None)))
        op.forget()


def _checked_type(op_type: Any) -> str:
    if not isinstance(op_type, str):
        raise TypeError(f"op_type must be a string, the op's type name; got {short(op_type)}.")
    return op_type


def _without_gradient(op_type: str) -> list[Op]:
    """The ops of a type, which must have no rule yet."""
    found = _ops_of(op_type)
    if not found:
        raise KeyError(
            teach(
                f"There is no op of type {op_type!r}.",
                "A gradient belongs to an op that exists.",
                "Declare the op with `@primitive(type_name=...)` first, or use tf.custom_gradient.",
            )
        )
    if any(op.rules or not op.differentiable for op in found):
        raise _registered_twice(op_type, registry[found[0].name].__module__)
    return found


def _ops_of(op_type: str) -> list[Op]:
    return [call.op for call in registry.values() if call.op.type_name == op_type]


def _registered_twice(op_type: str, where: str) -> KeyError:
    return KeyError(
        f"Registering two gradients with name '{op_type}'! (Previous registration was in "
        f"{where}.) Wrap the call in tf.custom_gradient to replace it."
    )


@contextmanager
def overriding(graph: Any, op_type_map: Mapping[str, str]) -> Iterator[None]:
    """Gives the ops of a graph that are made in its block other gradients.

    Args:
        graph: the graph, of which this is the method `gradient_override_map`.
        op_type_map: from types of ops to names of `RegisterGradient`.

    Raises:
        LookupError: when such an op is made, if nothing is registered under the name.

    Example:
        >>> import minitape as tf
        >>> @tf.RegisterGradient("TenTimes")
        ... def _ten_times(op, grad):
        ...     return grad * 10.0
        >>> with tf.Graph().as_default() as graph:
        ...     x = tf.constant(3.0)
        ...     with graph.gradient_override_map({"Square": "TenTimes"}):
        ...         y = tf.square(x)
        ...     dx = tf.gradients(y, x)[0]
        >>> float(tf.compat.v1.Session(graph=graph).run(dx))
        10.0
    """
    before = graph.overrides
    graph.overrides = {**before, **op_type_map}
    try:
        yield
    finally:
        graph.overrides = before


def overridden(op: Op, overrides: Mapping[str, str]) -> Op:
    """`op` with the gradient that `overrides` names for its type."""
    name = overrides.get(op.type_name)
    if name is None:
        return op
    if name not in _named:
        raise LookupError(f"gradient registry has no entry for: {name}")
    other = copy.copy(op)
    other.differentiable, other.jvp = True, None
    other.plans, other.layouts = {}, {}
    other.rules = {each: _rule(other, _named[name]) for each in op.inputs}
    return other


def _rule(op: Op, f: Callable[..., Any]) -> Rule:
    """A rule that takes all there is and asks `f`."""
    count = len(op.inputs)

    def ask(g: Any, *found: Any) -> Any:
        *inputs, out, attributes, index = (
            *found[:count],
            found[count],
            found[count + 1 : -1],
            found[-1],
        )
        raw = not isinstance(g[0] if op.several else g, Operators)
        inputs = inputs[0] if op.variadic else inputs
        outputs = tuple(map(_tensor, out)) if op.several else _tensor(out)
        call = Operation(op, tuple(map(_tensor, inputs)), outputs, attributes)
        given = f(call, *[_conjugated(_tensor(each)) for each in (g if op.several else (g,))])
        given = list(given) if isinstance(given, list | tuple) else [given]
        if len(given) != len(inputs):
            raise ValueError(
                f"Num gradients {len(given)} generated for op {op.type_name} do not match num "
                f"inputs {len(inputs)}. Return one gradient, or None, per input."
            )
        if given[index] is None:
            return None
        x = _conjugated(dense(operand(given[index], call.inputs[index].spec.dtype)))
        return x.value if raw and type(x) is EagerTensor else x

    rule = Rule(ask)
    kind = "Tensors" if op.variadic else "Tensor"
    needs: list[tuple[str, Any]] = [(name, kind) for name in op.inputs] + [("out", "Tensor")]
    rule.needs = needs + [(name, None) for name in op.attributes] + [("index", None)]
    return rule


def _tensor(x: Any) -> Any:
    return x if isinstance(x, Tensor) else as_tensors(dense(x))


def _conjugated(x: Any) -> Any:
    return conj(x) if x.spec.dtype.kind == "c" else x
