"""Evaluates a jaxpr equation by equation, each with JAX's own way back.

`jit` is always opened, since its inside is the learner's; `scan` and `cond` only where the walk
wants it. What comes of an op (a node of a picture, an op of the evidence) is for the two that walk
to say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core

from .equations import differentiated, is_floating

OPENED = ("jit", "pjit", "closed_call", "remat", "remat2", "checkpoint")


class Ran(NamedTuple):
    """An op as it ran: what came of it, its values, and JAX's function for the way back."""

    made: Any
    inputs: list[Any]
    outputs: list[Any]
    pull: Callable[[Any], Any]


class Walk:
    """Evaluates a jaxpr; a value is anything with an `array`.

    Attributes:
        ran: the ops that a cotangent may go back through, in order.
    """

    def __init__(self) -> None:
        self.ran: list[Ran] = []

    def constant(self, array: Any) -> Any:
        """The value of a constant."""
        raise NotImplementedError

    def follows(self, value: Any) -> bool:
        """Whether a gradient reaches a value."""
        raise NotImplementedError

    def opens(self, equation: Any) -> bool:
        """Whether what a `scan` or `cond` runs is walked through as well."""
        raise NotImplementedError

    def entered(self, scope: Any, equation: Any, name: str) -> Any:
        """Where what an equation runs stands, as a scope."""
        raise NotImplementedError

    def noted(
        self, equation: Any, inputs: list[Any], out: Any, pull: Any, scope: Any, name: str = "",
        index: int = -1,
    ) -> list[Any]:  # fmt: skip
        """The values of an op's results; one with a `name` belongs to the loop `equation`."""
        raise NotImplementedError

    def jaxpr(
        self, jaxpr: Any, constants: Sequence[Any], inputs: Sequence[Any], scope: Any
    ) -> list[Any]:
        """Runs all equations of a jaxpr; the values of its results."""
        known = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*constants, *inputs), strict=True))

        def read(each: Any) -> Any:
            return self.constant(each.val) if isinstance(each, core.Literal) else known[each]

        for equation in jaxpr.eqns:
            outputs = self._equation(equation, [read(v) for v in equation.invars], scope)
            known |= zip(equation.outvars, outputs, strict=True)
        return [read(v) for v in jaxpr.outvars]

    def _equation(self, equation: Any, inputs: list[Any], scope: Any) -> list[Any]:
        name, params = equation.primitive.name, equation.params
        inside = params.get("jaxpr") or params.get("call_jaxpr")
        if name in OPENED and inside is not None:
            within = self.entered(scope, equation, str(params.get("name", name)))
            return self._inside(inside, inputs, within)
        if name == "cond" and self.opens(equation):
            number = int(inputs[0].array)
            within = self.entered(scope, equation, f"branch {number}")
            return self._inside(params["branches"][number], inputs[1:], within)
        if name == "scan" and self.opens(equation):
            return self._scan(equation, inputs, scope)
        return self._one(equation, inputs, scope)

    def _inside(self, inside: Any, inputs: Sequence[Any], scope: Any) -> list[Any]:
        if not isinstance(inside, core.ClosedJaxpr):
            return self.jaxpr(inside, [], inputs, scope)
        constants = [self.constant(each) for each in inside.consts]
        return self.jaxpr(inside.jaxpr, constants, inputs, scope)

    def _scan(self, equation: Any, inputs: list[Any], scope: Any) -> list[Any]:
        """A scan round by round; what its rounds take and give is sliced and stacked by ops."""
        params = equation.params
        fixed, carried = params["num_consts"], params["num_carry"]
        constants, carry = inputs[:fixed], inputs[fixed : fixed + carried]
        rows = inputs[fixed + carried :]
        order = range(params["length"])
        stacked: dict[int, list[Any]] = {}
        for i in reversed(order) if params["reverse"] else order:
            within = self.entered(scope, equation, f"round {i}")
            taken = [
                self._plain(equation, "getitem", lambda x, i=i: x[i], [row], within, i)
                for row in rows
            ]
            out = self._inside(params["jaxpr"], [*constants, *carry, *taken], within)
            carry, stacked[i] = out[:carried], out[carried:]
        columns = zip(*(stacked[i] for i in order), strict=True)
        return [
            *carry,
            *(
                self._plain(equation, "stack", lambda *xs: jnp.stack(xs), list(each), scope)
                for each in columns
            ),
        ]

    def _plain(
        self, equation: Any, name: str, function: Callable[..., Any], inputs: list[Any], scope: Any,
        index: int = -1,
    ) -> Any:  # fmt: skip
        """One op that is no equation of its own."""
        out, pull = self._differentiated(lambda *arrays: [function(*arrays)], inputs)
        return self.noted(equation, inputs, out, pull, scope, name, index)[0]

    def _one(self, equation: Any, inputs: list[Any], scope: Any) -> list[Any]:
        bound = equation.primitive.get_bind_params(equation.params)
        # Before JAX 0.9 functions came apart from the parameters.
        functions, params = bound if isinstance(bound, tuple) else ((), bound)

        def run(*arrays: Any) -> list[Any]:
            out = equation.primitive.bind(*functions, *arrays, **params)
            return list(out) if equation.primitive.multiple_results else [out]

        if not equation.outvars:  # such as `jax.debug.print`: it runs, and makes nothing to show
            run(*(each.array for each in inputs))
            return []
        return self.noted(equation, inputs, *self._differentiated(run, inputs), scope)

    def _differentiated(self, run: Callable[..., Any], inputs: list[Any]) -> tuple[Any, Any]:
        followed = [i for i, each in enumerate(inputs) if self.follows(each)]
        return differentiated(run, [each.array for each in inputs], followed)


def whole(array: Any, g: Any) -> Any:
    """The cotangent of a result as JAX wants it: zeros where none came."""
    if not is_floating(array):
        return np.zeros(np.shape(array), jax.dtypes.float0)
    return jnp.zeros_like(array) if g is None else jnp.asarray(g, array.dtype)
