"""Engines whose rules are methods: a value holds the class or object that made it, and its inputs.

Nothing but the rule's method is known by its name. What made a value is found by looking at what
the value holds (`history`, `creator`, `_grad_fn`, or `op` and `inputs` of its own); whose rule runs
is seen by what it is called with, such as the context of the call.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ..base.engines import GRADIENTS, NUMBERS
from .diagnosis import same
from .engine import Made
from .sweep import Sweep

RULES = ("backward", "_backward", "gradient", "apply")
BY_PATHS = (
    "Your engine goes along each path by itself: what it calls for one value is added up here."
)
AFFIX = re.compile(r"^EWise|(Backward\d*|Function|Fn|Op)$")


class Plain:
    """A number among the inputs of an op, which is no value of the engine."""

    def __init__(self, data: Any) -> None:
        self.data = data


class Maker(NamedTuple):
    """What made a value: who has the rule, the inputs, and what tells whose call one is."""

    rule: Any
    method: str
    inputs: tuple[Any, ...]
    keys: tuple[Any, ...]

    @property
    def owner(self) -> type:
        """The class that has the rule."""
        return self.rule if isinstance(self.rule, type) else type(self.rule)

    @property
    def op(self) -> str:
        """What the op is called: `MulBackward` and `EWiseMul` are `Mul`."""
        return AFFIX.sub("", self.owner.__name__) or self.owner.__name__


def maker_of(value: Any) -> Maker | None:
    """What made a value, None of one that nothing made, or whose engine is of another style.

    Example:
        >>> class Double:
        ...     def backward(self, g):
        ...         return 2 * g
        >>> class Value:
        ...     creator = None
        >>> x, y = Value(), Value()
        >>> y.creator = Double()
        >>> y.creator.inputs = [x]
        >>> maker_of(y).op, maker_of(y).inputs == (x,), maker_of(x)
        ('Double', True, None)
    """
    for held in (value, *_held(value)):
        parts = _held(held)
        inputs = next((each for each in parts if _are_inputs(each, type(value))), None)
        if inputs is None:
            continue
        owners = [] if held is value else [held]
        owners += [each for each in parts if not isinstance(each, type(value))]
        for rule in owners:
            method = next((each for each in RULES if _has_rule(rule, each)), None)
            if method is not None:
                given = tuple(x if isinstance(x, type(value)) else Plain(x) for x in inputs)
                keys = [value, held, *parts] if isinstance(rule, type) else [value, held, rule]
                return Maker(rule, method, given, tuple(filter(_tells, keys)))
    return None


def _held(thing: Any) -> list[Any]:
    """What an object holds: its attributes, or the items of a tuple."""
    if isinstance(thing, tuple | list):
        return list(thing)
    slots = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
    own = getattr(thing, "__dict__", {})
    return [*own.values(), *(getattr(thing, each, None) for each in slots if each != "__dict__")]


def _are_inputs(thing: Any, kind: type) -> bool:
    return isinstance(thing, tuple | list) and any(isinstance(each, kind) for each in thing)


def _has_rule(thing: Any, method: str) -> bool:
    owner = thing if isinstance(thing, type) else type(thing)
    return owner.__module__ not in ("builtins", "numpy") and callable(getattr(owner, method, None))


def _tells(key: Any) -> bool:
    """Whether an object stands for one call: no class, and nothing that several may share."""
    return not isinstance(key, type) and type(key).__module__ != "builtins"


def numbers(thing: Any, data: str) -> Any:
    """The numbers of a value, or of what a rule is given and gives.

    Raises:
        TypeError: there are none.
    """
    for _ in range(4):
        if isinstance(thing, int | float | np.ndarray | np.number):
            return np.array(thing, np.float64)
        name = next((each for each in (data, *NUMBERS) if hasattr(thing, each)), None)
        if name is None:
            break
        thing = getattr(thing, name)
        thing = thing() if callable(thing) else thing
    raise TypeError(f"a {type(thing).__name__} holds no numbers; say where: own.Fields(data=...)")


def inputs_first(target: Any, inputs_of: Callable[[Any], Sequence[Any]]) -> list[Any]:
    """All values that the target is made of, each behind its inputs; no recursion."""
    found: dict[int, Any] = {}
    waiting = [(target, False)]
    while waiting:
        each, done = waiting.pop()
        if id(each) in found:
            continue
        if done:
            found[id(each)] = each
            continue
        waiting.append((each, True))
        waiting += [(x, False) for x in reversed(inputs_of(each)) if id(x) not in found]
    return list(found.values())


class Makers(dict[int, Maker | None]):
    """The makers of values, by their ids; each is looked for once."""

    def inputs_of(self, value: Any) -> tuple[Any, ...]:
        """The inputs of what made a value."""
        if id(value) not in self:
            self[id(value)] = None if isinstance(value, Plain) else maker_of(value)
        maker = self[id(value)]
        return maker.inputs if maker else ()


def program_of(
    objects: Sequence[Any], makers: Makers, names: dict[int, str], data: str
) -> list[Made]:
    """The learner's program: what made each value from which others."""
    place = {id(each): number for number, each in enumerate(objects)}
    program = []
    for each in objects:
        maker = makers.get(id(each))
        places = tuple(place[id(x)] for x in maker.inputs) if maker else ()
        program.append(
            Made(maker.op if maker else "", places, numbers(each, data), names.get(id(each), ""))
        )
    return program


class Heard(NamedTuple):
    """One call of a rule: for which value, what came to it, and what it gave to its inputs."""

    node: int
    came: Any
    shares: list[Any]


@contextmanager
def listening(objects: Sequence[Any], makers: Makers, data: str) -> Iterator[list[Heard]]:
    """Gives the calls of the engine's rules, in their order, as long as the block runs."""
    heard: list[Heard] = []
    node_of: dict[int, int] = {}
    methods: dict[tuple[type, str], Any] = {}
    for number, each in enumerate(objects):
        maker = makers.get(id(each))
        if maker is not None:
            node_of |= {id(key): number for key in maker.keys}
            methods[maker.owner, maker.method] = maker.owner.__dict__.get(maker.method)
    try:
        for owner, method in methods:
            setattr(owner, method, _telling(owner, method, node_of, data, heard))
        yield heard
    finally:
        for (owner, method), own in methods.items():
            if own is None:  # it was inherited
                delattr(owner, method)
            else:
                setattr(owner, method, own)


def _telling(
    owner: type, method: str, node_of: dict[int, int], data: str, heard: list[Heard]
) -> Any:
    """The method of a class, which notes its calls."""
    kept = inspect.getattr_static(owner, method)
    plain: Callable[..., Any] = getattr(kept, "__func__", kept)

    def run(*given: Any, **named: Any) -> Any:
        node = next((node_of[id(each)] for each in given if id(each) in node_of), None)
        came = _came(given, node_of, data)
        if node is None or came is None:
            return plain(*given, **named)
        call = Heard(node, came, [])
        heard.append(call)  # before it runs: it may end in an error
        out = plain(*given, **named)
        shares = out if isinstance(out, tuple | list) else [out]
        call.shares.extend(None if each is None else numbers(each, data) for each in shares)
        return out

    return type(kept)(run) if isinstance(kept, staticmethod | classmethod) else run


def tell(sweep: Sweep, heard: Sequence[Heard]) -> bool:
    """Tells a sweep what was heard; whether calls for one value were added up for that.

    An engine may go along each path by itself, and call a rule once for each of them. That is
    right where what came to a value in all calls adds up to what has to come.
    """
    calls: dict[int, list[Heard]] = {}
    for each in heard:
        calls.setdefault(each.node, []).append(each)
    whole = {node: _sum(own) for node, own in calls.items() if len(own) > 1}
    # The first of them to be reached: what came to it is judged before any rule of theirs.
    by_paths = any(_fits(each, sweep) for _, each in _users_first(whole)[:1])
    if by_paths:
        calls |= {node: [each] for node, each in whole.items()}
        heard = [call for _, own in _users_first(calls) for call in own]
    for node, came, shares in heard:
        sweep.visit(node, came)
        for position, share in enumerate(shares[: len(sweep.program[node].inputs)]):
            if share is not None:
                sweep.share(node, position, share)
    return by_paths


def _users_first(calls: dict[int, Any]) -> list[tuple[int, Any]]:
    """By value; values have the numbers of their making."""
    return sorted(calls.items(), reverse=True)


def _sum(calls: Sequence[Heard]) -> Heard:
    count = min(len(each.shares) for each in calls)
    shares = [[each.shares[i] for each in calls] for i in range(count)]
    added = [None if any(x is None for x in each) else sum(each) for each in shares]
    return Heard(calls[0].node, sum(each.came for each in calls), added)


def _fits(call: Heard, sweep: Sweep) -> bool:
    """Whether what came to a value is all that has to come, and no more."""
    right = sweep.right.cotangents[call.node]
    return right is None or (np.shape(call.came) == np.shape(right) and same(call.came, right))


def _came(given: Sequence[Any], node_of: dict[int, int], data: str) -> Any:
    """The gradient that a rule is called with: the first numbers among its arguments."""
    for each in given:
        if id(each) in node_of or isinstance(each, type):
            continue
        try:
            return numbers(each, data)
        except (TypeError, ValueError):
            continue
    return None


def gradient_of(value: Any, grad: str, data: str) -> Any:
    """The gradient that a value has after the sweep; None where it has none."""
    found = (getattr(value, each, None) for each in (grad, *GRADIENTS))
    kept = next((each for each in found if each is not None and not callable(each)), None)
    return None if kept is None else numbers(kept, data)
