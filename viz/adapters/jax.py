"""A JAX function's backward pass in the player.

    from minitape.viz.adapters import jax as jax_player
    jax_player.step(loss, w, b)

The function's jaxpr is evaluated equation by equation, each with its own `jax.vjp`, and the
cotangents are passed back in the reverse order: the rules are JAX's, the order is that of the
jaxpr. `jit` is opened, so its inside is a group. `scan` and `cond` are one op each, or with
`opened=True` their rounds and the branch that was taken. `custom_jvp` and `custom_vjp` stay one op,
since only as a whole they have their own rule.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

import minitape as tf

from ..jaxprs.equations import (
    array_of,
    dtype_of,
    is_floating,
    line_of_equation,
    names_of,
    op_name,
    pictures_of,
    settings,
)
from ..jaxprs.walk import Ran, Walk, whole
from ..player.notebook import Player
from ..trace.attributes import attributes_of
from ..trace.facts import primitive_called
from ..trace.pictured import Pictures
from ..trace.trace import Producer
from .formulas import OWN
from .namesakes import Call, elementwise_op
from .writer import Writer

PRODUCER = Producer("jax", jax.__version__)


class Value(NamedTuple):
    """A value of JAX's and its node."""

    array: Any
    node: int


def step(
    function: Callable[..., Any], *arguments: Any, cotangent: Any = None, opened: bool = False,
    title: str = "",
) -> Player:  # fmt: skip
    """The step player of a function of JAX and its gradient for all its arguments.

    Args:
        function: what `jax.grad` takes; it may give several results (a pytree of arrays).
        arguments: its arguments, arrays or pytrees of them.
        cotangent: that of the results, in their structure; by default ones. A row of `jacrev` is
            the gradient for a cotangent with one 1.
        opened: whether `scan` and `cond` are opened into what they ran.
        title: a heading for the page.

    Returns:
        A player. JAX gives zeros where no path leads to an argument; the trace says None.

    Raises:
        TypeError: of JAX, if an argument is no array; or the function needs an argument's numbers.

    Example:
        >>> player = step(lambda x: x * x, 3.0)
        >>> player.gradients["x"].data
        (6.0,)
    """
    closed = _traced(function, arguments)
    run = _Run(opened, pictures_of(closed.jaxpr))
    flat = [jnp.asarray(each) for each in jax.tree.leaves(arguments)]
    sources = [
        Value(x, run.leaf(x, name))
        for x, name in zip(flat, names_of(function, arguments), strict=True)
    ]
    out = run.jaxpr(closed.jaxpr, [run.constant(c) for c in closed.consts], sources, ())
    seeds = jax.tree.leaves(cotangent)
    targets = run.seed(out, seeds)
    run.back()
    places = [each.node for each in sources]
    trace = run.writer.trace(targets, places, PRODUCER, title=title, convention="derivative")
    return Player(trace)


def _traced(function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """The function's jaxpr; what does not depend on the arguments is computed where that helps."""
    try:
        return jax.make_jaxpr(function)(*arguments)
    except jax.errors.ConcretizationTypeError:
        pass
    try:
        with jax.ensure_compile_time_eval():
            return jax.make_jaxpr(function)(*arguments)
    except jax.errors.ConcretizationTypeError as refused:
        raise TypeError(
            "the player traces the function as jax.jit does, and the function asks a traced array "
            "for its numbers (an `if` or a loop over it, float(), .item(), NumPy). Write "
            "jnp.where(x > 0, a, b) or jax.lax.cond, or give what decides as a number: "
            "step(lambda x: loss(x, 3), x)."
        ) from refused


class _Run(Walk):
    """Evaluates a jaxpr equation by equation into a trace; a scope is the names of groups."""

    def __init__(self, opened: bool, pictures: Pictures) -> None:
        super().__init__()
        self.opened, self.writer = opened, Writer(pictures)

    def leaf(self, array: Any, name: str) -> int:
        """A source."""
        return self.writer.leaf(
            array_of(array), "source", name=name, watched=is_floating(array), dtype=str(array.dtype)
        )

    def constant(self, array: Any) -> Value:
        """A constant of the program."""
        return Value(
            array, self.writer.leaf(array_of(array), "constant", dtype=str(dtype_of(array)))
        )

    def follows(self, value: Value) -> bool:
        """Whether a gradient reaches its node."""
        return self.writer.nodes[value.node].watched

    def opens(self, equation: Any) -> bool:
        """All loops and branches, or none."""
        return self.opened

    def entered(self, scope: tuple[str, ...], equation: Any, name: str) -> tuple[str, ...]:
        """A group in a group."""
        return (*scope, name)

    def noted(
        self, equation: Any, inputs: list[Value], out: Any, pull: Any, scope: Any, name: str = "",
        index: int = -1,
    ) -> list[Value]:  # fmt: skip
        """The nodes of an op's results."""
        nodes = tuple(each.node for each in inputs)
        equation = None if name else equation
        call = call_of(equation) if equation is not None and len(out) == 1 else None
        name = name or op_name(equation)
        said = self.writer.formula(name, call, nodes, out[0]) | {"scope": scope}
        if equation is not None:
            said |= {"record": len(self.ran), "line": line_of_equation(equation)}
            said["attributes"] = settings(equation)
        elif index >= 0:
            said["attributes"] = attributes_of([("index", index)])
        watched = any(map(self.follows, inputs)) and name != "stop_gradient"
        made = [
            self.writer.op(
                name, nodes, array_of(each), output=i, dtype=str(each.dtype),
                watched=watched and is_floating(each), **said,
            )
            for i, each in enumerate(out)
        ]  # fmt: skip
        outputs = [Value(array, node) for array, node in zip(out, made, strict=True)]
        self.ran.append(Ran(equation, inputs, outputs, pull))
        return outputs

    def seed(self, out: Sequence[Value], cotangents: Sequence[Any]) -> list[int]:
        """Seeds at the results; what is not floating has no derivative."""
        targets = [each for each in out if is_floating(each.array)]
        given = cotangents or [jnp.ones_like(each.array) for each in targets]
        for each, g in zip(targets, given, strict=True):
            self.writer.seed(each.node, np.asarray(g))
        return [each.node for each in targets]

    def back(self) -> None:
        """Pass the cotangents back through all equations, the last one first."""
        for ran in reversed(self.ran):
            arrived = [self.writer.cotangents.get(each.node) for each in ran.outputs]
            if any(map(self.follows, ran.outputs)) and any(g is not None for g in arrived):
                self._pulled(ran, arrived)

    def _pulled(self, ran: Ran, arrived: list[Any]) -> None:
        writer, node = self.writer, ran.outputs[0].node
        shares = ran.pull([whole(x.array, g) for x, g in zip(ran.outputs, arrived, strict=True)])
        wanted = {
            position: array_of(share)
            for position, (x, share) in enumerate(zip(ran.inputs, shares, strict=True))
            if share is not None and self.follows(x)
        }
        call = None if ran.made is None else call_of(ran.made)
        op = writer.nodes[node].op or ""
        if ran.made is not None and ran.made.primitive.name.startswith("custom_"):
            op = OWN + op
        outputs = tuple(each.node for each in ran.outputs)
        writer.pulls(outputs, arrived, wanted, call, lambda: writer.read_inputs(node), op)


def call_of(equation: Any) -> Call | None:
    """Minitape's op of the same meaning, with the equation's parameters."""
    name, params = equation.primitive.name, equation.params
    if name == "dot_general":
        return _product(params["dimension_numbers"], equation.invars)
    if name.startswith("custom_"):
        return elementwise_op(op_name(equation), len(equation.invars))
    moved = _moved(name, params, equation)
    if moved is not None:
        return moved
    found = primitive_called(name, len(equation.invars))
    if found is not None and found.op.facts.reduces and "axes" in params:
        axes = list(params["axes"])
        return lambda x: found.public(x, axis=axes)
    return elementwise_op(name, len(equation.invars))


def _product(numbers: Any, operands: Any) -> Call | None:
    """A product of matrices, or any other sum over axes that meet."""
    if numbers == (((1,), (0,)), ((), ())) and [len(v.aval.shape) for v in operands] == [2, 2]:
        return tf.matmul
    ((left, right), (batch_left, batch_right)) = numbers
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    first = [next(letters) for _ in operands[0].aval.shape]
    second = [next(letters) for _ in operands[1].aval.shape]
    for i, j in zip([*left, *batch_left], [*right, *batch_right], strict=True):
        second[j] = first[i]
    batch = [first[i] for i in batch_left]
    rest = [c for i, c in enumerate(first) if i not in (*left, *batch_left)]
    rest += [c for j, c in enumerate(second) if j not in (*right, *batch_right)]
    equation = f"{''.join(first)},{''.join(second)}->{''.join(batch + rest)}"
    return lambda x, y: tf.einsum(equation, x, y)


def _moved(name: str, params: Any, equation: Any) -> Call | None:
    """Ops that put numbers to other places, and those with a setting."""
    shape = list(equation.outvars[0].aval.shape)
    calls: dict[str, Call] = {
        "integer_pow": lambda x: tf.pow(x, float(params["y"])),
        "transpose": lambda x: tf.transpose(x, list(params["permutation"])),
        "reshape": lambda x: tf.reshape(x, shape),
        "squeeze": lambda x: tf.reshape(x, shape),
        "expand_dims": lambda x: tf.reshape(x, shape),
        "broadcast_in_dim": lambda x: _broadcast(x, shape, params["broadcast_dimensions"]),
        "concatenate": lambda *xs: tf.concat(xs, params["dimension"]),
        "select_n": lambda which, no, yes: tf.where(which, yes, no),
        "cumsum": lambda x: tf.cumsum(x, axis=params["axis"], reverse=params["reverse"]),
        "convert_element_type": lambda x: tf.cast(x, str(params["new_dtype"])),
    }
    return calls.get(name)


def _broadcast(x: Any, shape: list[int], places: Any) -> Any:
    """One op where axes are only added, or only stretched."""
    if math.prod(shape) == math.prod(x.shape):
        return tf.reshape(x, shape)
    if list(places) != list(range(len(shape)))[len(shape) - len(x.shape) :]:
        raise ValueError("axes are added in the middle and stretched: two ops in minitape")
    return tf.broadcast_to(x, shape)
