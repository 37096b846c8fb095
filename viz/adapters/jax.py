"""A JAX function's backward pass in the player.

    from minitape.viz.adapters import jax as jax_player
    jax_player.step(loss, w, b)

The one fact to know: the function's jaxpr is evaluated equation by equation, each with its own
`jax.vjp`, and the cotangents are passed back in the reverse order: the rules are JAX's, the order
is that of the jaxpr. `jit` is opened, so its inside is a group. `scan` and `cond` are one op each,
or with `opened=True` their rounds and the branch that was taken. `custom_jvp` and `custom_vjp` stay
one op, since only as a whole they have their own rule.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core

from ..jaxprs.equations import (
    array_of,
    differentiated,
    dtype_of,
    is_floating,
    line_of_equation,
    names_of,
    op_name,
    pictures_of,
    settings,
)
from ..player.notebook import Player
from ..trace.attributes import attributes_of
from ..trace.pictured import Pictures
from ..trace.trace import Attribute, Producer
from .formulas import OWN
from .jax_names import call_of
from .writer import Writer

PRODUCER = Producer("jax", jax.__version__)
OPENED = ("jit", "pjit", "closed_call", "remat", "remat2", "checkpoint")


class Value(NamedTuple):
    """A value of JAX's and its node."""

    array: Any
    node: int


class Ran(NamedTuple):
    """One equation as it ran: its nodes, and JAX's function for the way back."""

    equation: Any
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    pull: Callable[[Any], Any]


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


class _Run:
    """Evaluates a jaxpr equation by equation into a trace."""

    def __init__(self, opened: bool, pictures: Pictures) -> None:
        self.opened, self.writer, self.ran = opened, Writer(pictures), list[Ran]()

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

    def jaxpr(
        self,
        jaxpr: Any,
        constants: Sequence[Value],
        inputs: Sequence[Value],
        scope: tuple[str, ...],
    ) -> list[Value]:
        """Run all equations of a jaxpr; the values of its results."""
        known = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*constants, *inputs), strict=True))

        def read(each: Any) -> Value:
            return self.constant(each.val) if isinstance(each, core.Literal) else known[each]

        for equation in jaxpr.eqns:
            outputs = self._equation(equation, [read(v) for v in equation.invars], scope)
            known |= zip(equation.outvars, outputs, strict=True)
        return [read(v) for v in jaxpr.outvars]

    def _equation(self, equation: Any, inputs: list[Value], scope: tuple[str, ...]) -> list[Value]:
        name, params = equation.primitive.name, equation.params
        inside = params.get("jaxpr") or params.get("call_jaxpr")
        if name in OPENED and inside is not None:
            closed = (
                inside if isinstance(inside, core.ClosedJaxpr) else core.ClosedJaxpr(inside, ())
            )
            return self._inside(closed, inputs, (*scope, str(params.get("name", name))))
        if self.opened and name == "cond":
            number = int(inputs[0].array)
            return self._inside(
                params["branches"][number], inputs[1:], (*scope, f"branch {number}")
            )
        if self.opened and name == "scan":
            return self._scan(params, inputs, scope)
        return self._one(equation, inputs, scope)

    def _inside(self, closed: Any, inputs: Sequence[Value], scope: tuple[str, ...]) -> list[Value]:
        constants = [self.constant(each) for each in closed.consts]
        return self.jaxpr(closed.jaxpr, constants, inputs, scope)

    def _scan(self, params: Any, inputs: list[Value], scope: tuple[str, ...]) -> list[Value]:
        """A scan round by round; what its rounds take and give is sliced and stacked by ops."""
        fixed, carried = params["num_consts"], params["num_carry"]
        constants, carry = inputs[:fixed], inputs[fixed : fixed + carried]
        rows = inputs[fixed + carried :]
        order = range(params["length"])
        stacked: dict[int, list[Value]] = {}
        for i in reversed(order) if params["reverse"] else order:
            inner = (*scope, f"round {i}")
            at = attributes_of([("index", i)])
            taken = [self._plain("getitem", lambda x, i=i: x[i], [row], inner, *at) for row in rows]
            out = self._inside(params["jaxpr"], [*constants, *carry, *taken], inner)
            carry = out[:carried]
            stacked[i] = out[carried:]
        columns = zip(*(stacked[i] for i in order), strict=True)
        return [
            *carry,
            *(self._plain("stack", lambda *xs: jnp.stack(xs), list(c), scope) for c in columns),
        ]

    def _plain(
        self, name: str, function: Callable[..., Any], inputs: list[Value], scope: tuple[str, ...],
        *setting: Attribute,
    ) -> Value:  # fmt: skip
        """One op that is no equation of its own."""
        out, pull = jax.vjp(function, *(each.array for each in inputs))
        nodes = tuple(each.node for each in inputs)
        said = self.writer.formula(name, None, nodes, array_of(out))
        said |= {"scope": scope, "watched": self._watched(nodes), "attributes": setting}
        node = self.writer.op(name, nodes, array_of(out), **said)
        self.ran.append(Ran(None, nodes, (node,), lambda came: pull(came[0])))
        return Value(out, node)

    def _watched(self, nodes: Sequence[int]) -> bool:
        return any(self.writer.nodes[n].watched for n in nodes)

    def _one(self, equation: Any, inputs: list[Value], scope: tuple[str, ...]) -> list[Value]:
        bound = equation.primitive.get_bind_params(equation.params)
        # Before JAX 0.9 functions came apart from the parameters.
        functions, params = bound if isinstance(bound, tuple) else ((), bound)

        def run(*arrays: Any) -> list[Any]:
            out = equation.primitive.bind(*functions, *arrays, **params)
            return list(out) if equation.primitive.multiple_results else [out]

        if not equation.outvars:  # such as `jax.debug.print`: it runs, and makes nothing to show
            run(*(each.array for each in inputs))
            return []
        followed = [i for i, each in enumerate(inputs) if self._watched([each.node])]
        out, pull = differentiated(run, [each.array for each in inputs], followed)
        nodes = tuple(each.node for each in inputs)
        alone = len(out) == 1
        call = call_of(equation) if alone else None
        said = self.writer.formula(op_name(equation), call, nodes, out[0])
        said |= {"scope": scope, "record": len(self.ran), "line": line_of_equation(equation)}
        said["attributes"] = settings(equation)
        watched = self._watched(nodes) and equation.primitive.name != "stop_gradient"
        made = [
            self.writer.op(
                op_name(equation), nodes, array_of(each), output=i, dtype=str(each.dtype),
                watched=watched and is_floating(each), **said,
            )
            for i, each in enumerate(out)
        ]  # fmt: skip
        self.ran.append(Ran(equation, nodes, tuple(made), pull))
        return [Value(array, node) for array, node in zip(out, made, strict=True)]

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
            arrived = [self.writer.cotangents.get(node) for node in ran.outputs]
            followed = any(self.writer.nodes[node].watched for node in ran.outputs)
            if followed and any(g is not None for g in arrived):
                self._pulled(ran, arrived)

    def _pulled(self, ran: Ran, arrived: list[Any]) -> None:
        writer, node = self.writer, ran.outputs[0]
        shares = ran.pull([self._full(n, g) for n, g in zip(ran.outputs, arrived, strict=True)])
        wanted = {
            position: array_of(share)
            for position, (n, share) in enumerate(zip(ran.inputs, shares, strict=True))
            if share is not None and writer.nodes[n].watched
        }
        call = None if ran.equation is None else call_of(ran.equation)
        op = writer.nodes[node].op or ""
        if ran.equation is not None and ran.equation.primitive.name.startswith("custom_"):
            op = OWN + op
        writer.pulls(ran.outputs, arrived, wanted, call, lambda: writer.read_inputs(node), op)

    def _full(self, node: int, g: Any) -> Any:
        """The cotangent of a result as JAX wants it: zeros where none came."""
        like = self.writer.nodes[node]
        if like.dtype.startswith("key") or not jnp.issubdtype(like.dtype, jnp.inexact):
            return np.zeros(like.shape, jax.dtypes.float0)
        return jnp.zeros(like.shape, like.dtype) if g is None else jnp.asarray(g, like.dtype)
