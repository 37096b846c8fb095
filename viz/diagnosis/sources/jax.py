"""Looks at a JAX script while it runs: the evidence of each `grad` that gets numbers.

A gradient that is asked for is computed by JAX as always; then its function's jaxpr is evaluated
equation by equation, forward and back, as the player does. Inside `jit` there are tracers in place
of numbers: they are counted, and a second run under `jax.disable_jit` has numbers there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core

from ...jaxprs.asked import Asked, is_traced
from ...jaxprs.equations import array_of, is_floating, names_of, op_name
from ...jaxprs.walk import Ran, Walk, whole
from ..evidence import Ask, Evidence, Factor, Place, Value
from ..words import known, neutral
from .places import Places

FIRST = 6  # requests that are looked at in full; then the 8th, 16th, 32nd, ...
MAX_OPS = 20_000  # of one request: a longer one is left alone
MAX_UNROLLED = 2_000  # of one `scan`: a longer one stays a single op


class Known(NamedTuple):
    """A value of JAX's, its key, and whether a gradient reaches it."""

    array: Any
    key: int
    followed: bool


class Collector:
    """What is known of a run.

    Args:
        places: those of the script.
        look: hears of each request that was looked at.
        wanted: numbers of requests that are looked at besides.
    """

    def __init__(
        self, places: Places, look: Callable[[Ask], None], wanted: Sequence[int] = ()
    ) -> None:
        self.places, self.look, self.wanted = places, look, set(wanted)
        self.evidence = Evidence()
        self.asked = 0
        self.traced = 0  # requests that were made inside of a trace
        self.missed: list[int] = []
        self.losses: dict[Place | None, list[float]] = {}
        self.optimizers: list[Any] = []
        self.depth = 0
        self.keys = 0

    def name(self, name: str, x: Any) -> None:
        """Names are those of arguments here: arrays of JAX have no identity that lasts."""

    def ask(self, call: Asked, args: Any, options: Any) -> Any:
        """One call of what `grad` or `value_and_grad` gave."""
        if self.depth:
            return call.derived(*args, **options)
        if is_traced(args, options):
            self.traced += 1
            return call.derived(*args, **options)
        number, place = self.asked, self.places.here()
        self.asked += 1
        ask = Ask(number, place, (), looked=False)
        ask.facts["called"] = call.called
        code = getattr(call.function, "__code__", None)
        if code is not None and code.co_filename == self.places.file:
            ask.facts["function"] = [code.co_name, code.co_firstlineno]
            ask.facts["argnums"] = call.places(args)
        self.depth += 1
        try:
            result = call.derived(*args, **options)
        except Exception as error:
            ask.error = str(error)
            self.evidence.asks.append(ask)
            raise
        finally:
            self.depth -= 1
        gradients = call.gradients(result)
        if self._is_looked_at(number, gradients):
            self.depth += 1
            try:
                with suppress(Exception):
                    self._seen(ask, call, args, options, gradients)
            finally:
                self.depth -= 1
            self.evidence.asks.append(ask)
            self.look(ask)
        return result

    def _is_looked_at(self, number: int, gradients: Any) -> bool:
        if number < FIRST or not number & (number - 1) or number in self.wanted:
            return True
        return not self.evidence.facts.get("not finite") and not all(
            np.isfinite(array_of(g)).all() for g in jax.tree.leaves(gradients) if is_floating(g)
        )

    def _seen(self, ask: Ask, call: Asked, args: Any, options: Any, gradients: Any) -> None:
        """Fills in what a request computed."""
        chosen = [args[i] for i in call.places(args)]
        target = call.of_chosen(args, options)
        closed = jax.make_jaxpr(target)(*chosen)
        if _length(closed.jaxpr) > MAX_OPS:
            return
        walk = _Walk(self, ask)
        names = names_of(target, chosen)
        leaves = [jnp.asarray(x) for x in jax.tree.leaves(tuple(chosen))]
        sources = [walk.source(x, n) for x, n in zip(leaves, names, strict=True)]
        constants = [walk.constant(c) for c in closed.consts]
        ask.began = len(self.evidence.ops)
        (out,) = walk.jaxpr(closed.jaxpr, constants, sources, None)
        ask.ended = len(self.evidence.ops)
        ask.targets = (out.key,)
        ask.sources = tuple(each.key for each in sources if each.followed)
        found = jax.tree.leaves(gradients)
        values = ask.facts["values"] = {}
        for number, (each, g) in enumerate(zip(sources, found, strict=True), 1):
            if each.followed:
                ask.gradients[each.key] = array_of(g)
                self.evidence.root[each.key] = -number  # the same one in the next request
                values[-number] = array_of(each.array)
        ask.looked = True
        loss = float(out.array)
        ask.facts["loss"] = loss
        self.losses.setdefault(ask.place, []).append(loss)
        walk.back(out)

    def value(self, role: str, array: Any, place: Place | None, name: str = "") -> int:
        """The key of one more value."""
        self.keys += 1
        numbers = array_of(array)
        self.evidence.values[self.keys] = Value(
            self.keys, role, numbers.shape, str(numbers.dtype), name, lambda: numbers, place
        )
        return self.keys


class _Walk(Walk):
    """Evaluates a jaxpr into the evidence; a scope is the call that runs what stands in it."""

    def __init__(self, collector: Collector, ask: Ask) -> None:
        super().__init__()
        self.collector, self.ask = collector, ask

    def source(self, array: Any, name: str) -> Known:
        """An argument."""
        followed = is_floating(array)
        role = "variable" if followed else "constant"
        return Known(array, self.collector.value(role, array, None, name), followed)

    def constant(self, array: Any) -> Known:
        """A constant of the program."""
        return Known(array, self.collector.value("constant", array, None), False)

    def follows(self, value: Known) -> bool:
        """Whether a gradient reaches it."""
        return value.followed

    def opens(self, equation: Any) -> bool:
        """A `scan` that is not too long, so that what happens in it has a line."""
        is_scan = equation.primitive.name == "scan"
        return is_scan and _unrolled(equation.params) <= MAX_UNROLLED

    def entered(self, scope: Place | None, equation: Any, name: str) -> Place | None:
        """The call of a jitted function, or the loop, that is being run."""
        return self._place(equation) or scope

    def noted(
        self, equation: Any, inputs: list[Known], out: Any, pull: Any, scope: Any, name: str = "",
        index: int = -1,
    ) -> list[Known]:  # fmt: skip
        """The values of an op's results; the op itself is added to the evidence."""
        collector = self.collector
        place = self._place(equation) or scope
        name = name or neutral(op_name(equation), len(inputs))
        passes = name != "stop_gradient" and any(x.followed for x in inputs)
        said = collector.places.name_at(place)
        outputs = [
            Known(x, collector.value("result", x, place, said), passes and is_floating(x))
            for x in out
        ]
        is_cut = any(x.followed for x in inputs) and not any(x.followed for x in outputs)
        op = collector.evidence.add(
            name,
            _called(name, place),
            [x.key for x in inputs],
            [x.key for x in outputs],
            place,
            "detach" if is_cut else "",
            self._rule(equation),
        )
        if any(x.followed for x in outputs):
            self.ran.append(Ran(op, inputs, outputs, pull))
        return outputs

    def _place(self, equation: Any) -> Place | None:
        """The learner's expression, innermost, in the script itself."""
        traceback = getattr(equation.source_info, "traceback", None)
        if traceback is None:
            return None
        codes, offsets = traceback.raw_frames()
        for code, offset in zip(codes, offsets, strict=True):
            if code.co_filename == self.collector.places.file:
                position = list(code.co_positions())[offset // 2][0]
                return self.collector.places.at(code, offset, position or code.co_firstlineno)
        return None

    def _rule(self, equation: Any) -> dict[str, Any]:
        """Of a function with a backward rule of its own: the rule's place; `code` is its `g`."""
        rule = getattr(equation.params.get("bwd"), "f", None)
        code, places = getattr(rule, "__code__", None), self.collector.places
        if code is None or code.co_filename != places.file or not code.co_argcount:
            return {}
        g = code.co_varnames[code.co_argcount - 1]
        text = places.lines[code.co_firstlineno - 1].strip()
        return {"rule": Place(places.file, code.co_firstlineno, text, (), g)}

    def back(self, target: Known) -> None:
        """Passes a one back from the target; each op's cotangents are a factor of the evidence."""
        arrived: dict[int, Any] = {target.key: jnp.ones_like(target.array)}
        for ran in reversed(self.ran):
            came = [arrived.get(x.key) for x in ran.outputs]
            if all(g is None for g in came):
                continue
            whole_g = [whole(x.array, g) for x, g in zip(ran.outputs, came, strict=True)]
            shares = ran.pull(whole_g)
            if ran.made.attributes:
                ran.made.attributes["constant"] = _is_constant(ran.pull, whole_g, shares)
            passed = []
            for x, share in zip(ran.inputs, shares, strict=True):
                if share is None or not x.followed:
                    continue
                passed.append(array_of(share))
                held = arrived.get(x.key)
                arrived[x.key] = share if held is None else held + share
            incoming = [array_of(g) for g in came if g is not None]
            self.ask.sweep.append(Factor(ran.made, incoming, passed))


def _is_constant(pull: Callable[[Any], Any], given: list[Any], shares: Any) -> bool:
    """Whether a rule gives what it gave, and not nothing, for other cotangents as well."""
    floats = [g.dtype != jax.dtypes.float0 for g in given]
    others = [
        pull([factor * g if is_float else g for g, is_float in zip(given, floats, strict=True)])
        for factor in (-1.0, 2.0)
    ]
    pairs = [(a, b) for each in others for a, b in zip(shares, each, strict=True) if a is not None]
    moves = any(np.any(array_of(a)) for a, _ in pairs)
    return moves and all(np.array_equal(array_of(a), array_of(b)) for a, b in pairs)


def _called(name: str, place: Place | None) -> str:
    """The learner's own word for an op, where one expression is that op and no more."""
    code = place.code.partition("(")[0] if place is not None else ""
    if code and neutral(code) == name:
        return code
    ours = known(name)
    if ours is None:
        return name
    return "matmul" if ours.facts.product else ours.facts.also or name.removeprefix("reduce_")


def _unrolled(params: Any) -> int:
    """How many equations the steps of a `scan` are; none of a loop without steps is unrolled."""
    steps = int(params["length"])
    return steps * _length(params["jaxpr"].jaxpr) if steps else MAX_UNROLLED + 1


def _length(jaxpr: Any) -> int:
    return len(jaxpr.eqns) + sum(
        _length(each) for equation in jaxpr.eqns for each in core.jaxprs_in_params(equation.params)
    )
