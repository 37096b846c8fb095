"""A learner's own engine in the player, compared with minitape step by step.

    from minitape.viz.adapters import own
    own.step(loss, [w, b])              # values with data, grad, _prev and _backward
    own.step_tape(tape, loss, [w, b])   # a tape with records (op, inputs, output), as in lesson 3

The learner's code runs as it is. Its `_backward` functions (or rules) are listened to while it
does, so order, shares and sums are its own; the first step at which they differ from minitape's is
marked and says what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from minitape.safety.silence import Silence

from ..player.notebook import Player
from ..record.lines import calling_frame
from ..trace.parts import NodeKind
from ..trace.pictured import Pictures
from ..trace.trace import Break, Producer
from . import own_classes
from .engine import Made
from .sweep import Sweep
from .writer import Writer

PRODUCER = Producer("own engine")


class Fields(NamedTuple):
    """What the attributes of a learner's class are called."""

    data: str = "data"
    grad: str = "grad"
    inputs: str = "_prev"
    backward: str = "_backward"
    op: str = "_op"


USUAL = Fields()


def step(
    target: Any, sources: Any, backward: Callable[[], Any] | None = None, *,
    fields: Fields = USUAL, title: str = "",
) -> Player:  # fmt: skip
    """The step player of a learner's engine whose values remember how they were made.

    Args:
        target: the value to differentiate. Its class has a number or array in `data`, the gradient
            in `grad`, its inputs in `_prev` (a tuple or set), a function `_backward` that adds to
            the inputs' `grad`, and the op's name or sign in `_op`. Or it holds what made it, a
            class or object with a method `backward`, `gradient` or `apply`, and its inputs, in
            whatever attributes.
        sources: a value or a list of them.
        backward: runs the sweep; by default `target.backward`.
        fields: other names of these attributes.
        title: a heading for the page.

    Returns:
        A player; `player.trace.notes` says how the comparison with minitape ended.

    Raises:
        TypeError: if the target lacks one of the attributes.

    Example:
        >>> class Value:
        ...     def __init__(self, data, _prev=(), _op=""):
        ...         self.data, self.grad, self._prev, self._op = data, 0.0, _prev, _op
        ...         self._backward = lambda: None
        ...     def __mul__(self, other):
        ...         out = Value(self.data * other.data, (self, other), "*")
        ...         def _backward():
        ...             self.grad += out.grad  # times other.data
        ...             other.grad += out.grad * self.data
        ...         out._backward = _backward
        ...         return out
        ...     def backward(self):
        ...         self.grad = 1.0
        ...         self._backward()
        >>> x, w = Value(3.0), Value(2.0)
        >>> y = x * w
        >>> print(step(y, [x, w]).trace.notes[0])  # doctest: +ELLIPSIS
        First difference, at step 3: The rule of `*` for `x` passes g on as it came: ...
    """
    chosen = list(sources) if isinstance(sources, (list, tuple)) else [sources]
    if not hasattr(target, fields.inputs) and own_classes.maker_of(target) is not None:
        return _step_of_classes(target, chosen, backward or target.backward, fields, title)
    _check(target, fields)
    objects = own_classes.inputs_first(target, lambda x: list(getattr(x, fields.inputs) or ()))
    objects += [each for each in chosen if not any(each is known for known in objects)]
    names = _names(objects)
    place = {id(each): number for number, each in enumerate(objects)}
    program = [_made(each, place, fields, names) for each in objects]
    sweep = Sweep(program, place[id(target)])
    _listen(objects, place, fields, sweep, backward or target.backward)
    gradients = {place[id(each)]: getattr(each, fields.grad) for each in chosen}
    return _player(sweep, gradients, title)


def _step_of_classes(
    target: Any, chosen: list[Any], run: Callable[[], Any], fields: Fields, title: str
) -> Player:
    """The step player of an engine whose rules are methods of classes."""
    makers = own_classes.Makers()
    objects = own_classes.inputs_first(target, makers.inputs_of)
    objects += [each for each in chosen if not any(each is known for known in objects)]
    program = own_classes.program_of(objects, makers, _names(objects), fields.data)
    place = {id(each): number for number, each in enumerate(objects)}
    sweep = Sweep(program, place[id(target)])
    with sweep.guarded(), own_classes.listening(objects, makers, fields.data) as heard:
        try:
            run()
        finally:
            by_paths = own_classes.tell(sweep, heard)
    if not sweep.visited and not sweep.error:
        raise TypeError(
            f"no rule of `{program[sweep.target].op}` was heard while {type(target).__name__}."
            "backward ran: what is called there does not say which value it is for. "
            "`minitape doctor engine.py` examines such an engine from outside"
        )
    gradients = {
        place[id(each)]: own_classes.gradient_of(each, fields.grad, fields.data) for each in chosen
    }
    return _player(sweep, gradients, title, (own_classes.BY_PATHS,) if by_paths else ())


def step_tape(
    tape: Any, target: Any, sources: Any, *, data: str = "array", title: str = ""
) -> Player:
    """The step player of a learner's tape: a list of records, as lesson 3 builds it.

    Args:
        tape: has `records`, tuples (op, inputs, output) whose op is a named tuple with `name` and
            `rules`, one function (g, *inputs) for each input; and `gradient(target, source)`.
        target: the value to differentiate.
        sources: a value or a list of them.
        data: the attribute of a value that holds its array.
        title: a heading for the page.

    Raises:
        TypeError: if the tape has no records.
    """
    if not getattr(tape, "records", None):
        raise TypeError(f"expected a tape with records, got {type(tape).__name__} without any")
    chosen = list(sources) if isinstance(sources, (list, tuple)) else [sources]
    objects: dict[int, Any] = {}
    for _, inputs, output in tape.records:
        objects |= {id(each): each for each in inputs if id(each) not in objects}
        objects[id(output)] = output
    objects |= {id(each): each for each in [target, *chosen] if id(each) not in objects}
    place = {key: number for number, key in enumerate(objects)}
    made = {id(output): (op.name, inputs) for op, inputs, output in tape.records}
    names = _names(list(objects.values()))
    program = []
    for key, each in objects.items():
        op, inputs = made.get(key, ("", ()))
        places = tuple(place[id(x)] for x in inputs)
        program.append(Made(op, places, np.asarray(getattr(each, data)), names.get(key, "")))
    sweep = Sweep(program, place[id(target)])
    gradients = {place[id(each)]: None for each in chosen}
    for number, source in enumerate(chosen):
        found = _swept(tape, target, source, place, data, sweep if number == 0 else None)
        gradients[place[id(source)]] = found
    return _player(sweep, gradients, title)


def _swept(
    tape: Any, target: Any, source: Any, place: dict[int, int], data: str, sweep: Sweep | None
) -> Any:
    """One gradient of the learner's tape; its rules are listened to for the sweep."""
    if sweep is None:
        found = tape.gradient(target, source)
        return None if found is None else np.asarray(getattr(found, data, found))
    kept = tape.records
    try:
        tape.records = [_heard(record, place, data, sweep) for record in kept]
        with sweep.guarded():
            found = tape.gradient(target, source)
            return None if found is None else np.asarray(getattr(found, data, found))
    finally:
        tape.records = kept
    return None


def _heard(record: Any, place: dict[int, int], data: str, sweep: Sweep) -> Any:
    op, inputs, output = record

    def listening(position: int, rule: Callable[..., Any]) -> Callable[..., Any]:
        def run(g: Any, *values: Any) -> Any:
            came = np.asarray(getattr(g, data, g))
            sweep.visit(place[id(output)], came, again=position == 0)
            share = rule(g, *values)
            sweep.share(place[id(output)], position, np.asarray(getattr(share, data, share)))
            return share

        return run

    rules = tuple(listening(position, rule) for position, rule in enumerate(op.rules))
    return record._replace(op=op._replace(rules=rules))


def _numbers(value: Any, fields: Fields) -> Any:
    """The gradient that a value has so far; one that is None has got nothing yet."""
    grad = getattr(value, fields.grad)
    if grad is None:
        return np.zeros(np.shape(getattr(value, fields.data)))
    return np.array(grad, np.float64)


def _listen(
    objects: Sequence[Any], place: dict[int, int], fields: Fields, sweep: Sweep, run: Any
) -> None:
    """Run the learner's sweep; each `_backward` says what it found and what it changed."""
    grad = fields.grad
    kept = [getattr(each, fields.backward) for each in objects]
    sweep.begin([_numbers(each, fields) for each in objects])

    def listening(node: int, own: Callable[[], Any]) -> Callable[[], Any]:
        made = sweep.program[node]

        def heard() -> Any:
            if not made.op:
                return own()
            sweep.visit(node, getattr(objects[node], grad))
            before = {i: _numbers(objects[i], fields) for i in made.inputs}
            out = own()
            after = {i: _numbers(objects[i], fields) for i in made.inputs}
            sweep.changed(node, before, after)
            return out

        return heard

    try:
        for node, each in enumerate(objects):
            setattr(each, fields.backward, listening(node, kept[node]))
        with sweep.guarded():
            run()
    finally:
        for each, own in zip(objects, kept, strict=True):
            setattr(each, fields.backward, own)
    sweep.end([np.array(getattr(each, grad), np.float64) for each in objects])


def _player(
    sweep: Sweep, gradients: dict[int, Any], title: str, besides: tuple[str, ...] = ()
) -> Player:
    pictures = Pictures()
    for made in sweep.program:
        pictures.learn(made.op, [np.shape(sweep.program[each].value) for each in made.inputs])
    writer, right = Writer(pictures), sweep.right
    for number, made in enumerate(sweep.program):
        if not made.op:
            plain = not made.name and number not in gradients  # the 3 of 3 * x, in a box of its own
            kind: NodeKind = "constant" if plain else "source"
            writer.leaf(made.value, kind, name=made.name, watched=not plain)
            continue
        found = right.at(len(writer.nodes), None)
        said = {} if found is None else {"formula": found.formula, "numbers": found.numbers}
        writer.op(made.op, made.inputs, made.value, name=made.name, watched=True, **said)
    sweep.finish(gradients)
    mark = sweep.write(writer)
    notes, breaks = (*sweep.notes(mark, len(writer.steps)), *besides), []
    if mark is not None:
        breaks.append(Break(mark.node, mark.position, "first difference", mark.sentence))
    trace = writer.trace(
        [sweep.target], gradients, PRODUCER, gradients=gradients, title=title, notes=notes,
        breaks=tuple(breaks),
    )  # fmt: skip
    return Player(trace)


def _made(each: Any, place: dict[int, int], fields: Fields, names: dict[int, str]) -> Made:
    inputs = tuple(getattr(each, fields.inputs) or ())
    op = str(getattr(each, fields.op, "") or ("op" if inputs else ""))
    value = np.asarray(getattr(each, fields.data))
    if len(inputs) == 1 and op in ("+", "*", "-", "/", "@"):
        inputs *= 2  # a set holds x * x once
    if isinstance(getattr(each, fields.inputs), (set, frozenset)):
        inputs = _in_order(inputs, op, value, fields)
    return Made(
        op if inputs else "", tuple(place[id(x)] for x in inputs), value, names.get(id(each), "")
    )


def _in_order(inputs: tuple[Any, ...], op: str, value: Any, fields: Fields) -> tuple[Any, ...]:
    """The inputs that a set has lost the order of: that in which they give the value."""
    python = {"-": np.subtract, "/": np.divide, "@": np.matmul}.get(op)
    if python is None or len(inputs) != 2:
        return inputs
    first, second = (np.asarray(getattr(each, fields.data)) for each in inputs)
    try:
        with Silence():
            fits = np.allclose(python(first, second), value)
    except ValueError:
        fits = False
    return inputs if fits else inputs[::-1]


def _check(target: Any, fields: Fields) -> None:
    for name in (fields.data, fields.grad, fields.inputs, fields.backward):
        if not hasattr(target, name):
            raise TypeError(
                f"a value of type {type(target).__name__} has no attribute {name!r}; "
                "say what yours is called: own.step(..., fields=own.Fields(data=..., grad=...)). "
                "If the rules of your engine are classes or stand in a table, `minitape doctor "
                "engine.py` examines them from outside"
            )


def _names(objects: Iterable[Any]) -> dict[int, str]:
    """What the learner's program calls the values."""
    frame = calling_frame()
    wanted = {id(each) for each in objects}
    scopes = {} if frame is None else {**frame.f_globals, **frame.f_locals}
    named = {n: v for n, v in scopes.items() if not n.startswith("_")}
    found = {id(value): name for name, value in named.items() if id(value) in wanted}
    for name, value in named.items():
        if isinstance(value, (list, tuple)):
            each_named = ((f"{name}[{i}]", each) for i, each in enumerate(value))
            found |= {id(v): n for n, v in each_named if id(v) in wanted and id(v) not in found}
    return found
