"""How the sweep calls a rule: one closure per pull, for the commonest things that rules take.

Each gives what the plain pull in `backward` gives, and has what that one looks up for each record
(places, kinds, whether to open tensors) as constants. A call with a `*` takes 0.15 us more than one
that is written out.
"""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.fast.in_place import last_product
from minitape.names.registry import registry
from minitape.plan import SHAPE, SPEC, TENSOR, VALUE
from minitape.record import place_of, revived, shape_of, slot_of
from minitape.tensor import EagerTensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from minitape.plan import Need, Plan, Pull

    Rule = Callable[..., Any]

_ndarray = np.ndarray
_ARRAYS = frozenset({np.ndarray, np.float32, np.float64})  # the commonest

# Rules that are not called at all, because they only pass g on, or multiply it by a kept value, or
# by what an op makes of it.
_SAME, _TIMES = (lambda g: g).__code__.co_code, (lambda g, x: g * x).__code__.co_code
_TIMES_OF = (lambda g, x: g * place_of(x)).__code__.co_code  # type: ignore[call-arg]  # any name


def pull(plan: Plan, one: Pull, plain: Callable[..., Any], raw: bool, sum_to: Any) -> Any:
    """A function of a cotangent, a record and a mark; `plain` where none is written out.

    None is for a rule that only passes the cotangent on: a call of nothing takes 25 ns. The op
    `sum_to`, which undoes a broadcast, is handed in: ops are declared after this layer is loaded.
    """
    place = slot_of(one) + len(plan.keep)
    if not one.needs and one.rule.__code__.co_code == _SAME:
        return _g_summed(place, sum_to) if one.stretched else None
    call = _call(plan, one, raw)
    if call is None or not one.stretched:
        return call or plain
    return _summed(call, place, sum_to)


def _g_summed(place: int, sum_to: Any) -> Callable[..., Any]:
    """The sum of the cotangent itself to the shape that the input had before it was broadcast."""
    of_array = sum_to.op.forward

    def run(g: Any, record: Any, mark: Any) -> Any:
        held = record[place]
        shape = held if type(held) is tuple else shape_of(held)
        return of_array(g, shape) if type(g) is _ndarray else sum_to(g, shape)

    return run


def _summed(call: Callable[..., Any], place: int, sum_to: Any) -> Callable[..., Any]:
    """The call, then a sum to the shape that the input had before it was broadcast."""
    of_array = sum_to.op.forward

    def run(g: Any, record: Any, mark: Any) -> Any:
        value = call(g, record, mark)
        if type(value) is _ndarray:
            return of_array(value, shape_of(record[place]))
        return None if value is None else sum_to(value, shape_of(record[place]))

    return run


def _call(plan: Plan, one: Pull, raw: bool) -> Callable[..., Any] | None:
    rule, needs = one.rule, one.needs
    code = rule.__code__.co_code
    quick = on_arrays(rule) if raw else rule
    if not needs:
        return lambda g, record, mark: (quick if type(g) in _ARRAYS else rule)(g)
    places = [place_of(plan, need) for need in needs]
    if all(_stands_there(plan, need, raw) for need in needs):
        if len(places) == 1 and needs[0].what == "value" and code == _TIMES:
            if raw and one is plan.pulls[-1] and not one.stretched:
                return last_product(places[0])
            (place,) = places
            return lambda g, record, mark: g * record[place]
        if quick is not rule and code == _TIMES_OF:
            return _times_of(quick, places[0])
        return _with_places(rule, quick, places)
    if len(needs) == 1 and needs[0].what == "value":
        return _with_tensor(plan, one, quick, places[0], raw)
    if raw and all(_is_or_opens(plan, need) for need in needs):
        return _with_opened(rule, quick, places)
    return None


def _stands_there(plan: Plan, need: Need, raw: bool) -> bool:
    """Whether the record has exactly what the rule takes."""
    if need.source == "attribute":
        return True
    keep = _kept(plan, need)
    if need.what == "value":
        return keep == (VALUE if raw else TENSOR)
    return keep == (SHAPE if need.what == "shape" else SPEC) or (
        need.what == "spec" and keep == VALUE
    )


def _is_or_opens(plan: Plan, need: Need) -> bool:
    """The same, or a tensor whose array the rule takes."""
    opens = need.what != "shape" and _kept(plan, need) == TENSOR
    return opens or _stands_there(plan, need, raw=True)


def _kept(plan: Plan, need: Need) -> int | None:
    """What a record keeps of one input or the only result; None for anything else."""
    if need.source == "input":
        return plan.keep[need.place]
    return plan.keep_out if need.source == "result" and not plan.op.several else None


def _times_of(quick: Rule, place: int) -> Callable[..., Any]:
    """`g` times what the op that a rule names makes of a kept value."""
    forward = quick.__globals__[quick.__code__.co_names[0]]
    return lambda g, record, mark: g * forward(record[place])


def _with_places(rule: Rule, quick: Rule, places: list[int]) -> Callable[..., Any] | None:
    """The call of a rule, or of the `quick` one for arrays, on what stands in a record."""
    if len(places) == 1:
        (i,) = places
        return lambda g, record, mark: (quick if type(g) in _ARRAYS else rule)(g, record[i])
    if len(places) == 2:
        i, j = places
        return lambda g, record, mark: (quick if type(g) in _ARRAYS else rule)(
            g, record[i], record[j]
        )
    if len(places) == 3:
        i, j, k = places
        return lambda g, record, mark: (quick if type(g) in _ARRAYS else rule)(
            g, record[i], record[j], record[k]
        )
    return None


def _with_opened(rule: Rule, quick: Rule, places: list[int]) -> Callable[..., Any] | None:
    """The call of a rule on arrays, some of which the record has as tensors."""
    if len(places) == 2:
        i, j = places

        def run(g: Any, record: Any, mark: Any) -> Any:
            a, b = record[i], record[j]
            if type(a) is EagerTensor:
                a = a.value
            if type(b) is EagerTensor:
                b = b.value
            return (quick if type(g) in _ARRAYS else rule)(g, a, b)

        return run
    if len(places) == 3:
        i, j, k = places

        def run_three(g: Any, record: Any, mark: Any) -> Any:
            a, b, c = record[i], record[j], record[k]
            if type(a) is EagerTensor:
                a = a.value
            if type(b) is EagerTensor:
                b = b.value
            if type(c) is EagerTensor:
                c = c.value
            return (quick if type(g) in _ARRAYS else rule)(g, a, b, c)

        return run_three
    return None


def _with_tensor(
    plan: Plan, one: Pull, quick: Rule, place: int, raw: bool
) -> Callable[..., Any] | None:
    """The call of a rule that takes one value, which the record has as tensor, or has to be one."""
    rule, keep = one.rule, _kept(plan, one.needs[0])
    if raw and keep == TENSOR:
        return lambda g, record, mark: (quick if type(g) in _ARRAYS else rule)(
            g, record[place].value
        )
    if not raw and keep == VALUE:
        key = place - len(plan.keep) if one.needs[0].source == "input" else 1
        return lambda g, record, mark: rule(g, revived(record[key], record[place], mark))
    return None


# Rules for arrays alone: the same code, in which the names of ops stand for their forwards.


_OURS = __name__.partition(".")[0] + "."


def on_arrays(rule: Callable[..., Any]) -> Callable[..., Any]:
    """The rule for a cotangent that is an array; the rule itself if it calls no ops."""
    names: dict[str, Any] = getattr(rule, "__globals__", {})
    # A user's module may still change what its names stand for.
    if not isinstance(rule, FunctionType) or not names.get("__name__", "").startswith(_OURS):
        return rule
    forwards = {
        name: names[name].op.forward for name in rule.__code__.co_names if _is_plain(names, name)
    }
    if not forwards:
        return rule
    return FunctionType(
        rule.__code__, names | forwards, rule.__name__, rule.__defaults__, rule.__closure__
    )


def _is_plain(names: dict[str, Any], name: str) -> bool:
    """Whether a name stands for an op that does nothing with arrays but call its forward."""
    function = names.get(name)
    op = getattr(function, "op", None)
    if op is None or registry.get(op.name) is not function:
        return False
    return not (op.variadic or op.several or op.effect or op.prepare)
