"""Makes and reads records, what a tape keeps of an op, and the plans that say what that is.

A rule's signature is its memory plan. An input annotated `Tensor` is kept with its value, `Spec`
keeps shape and dtype, `Shape` the shape, and what no rule names is not kept. Which rules count
depends on which inputs are followed, and which of them the op broadcast; so a `Plan` is made once
for each such combination. What the rules of the other inputs need is kept as well, where a tape may
be told to watch them afterwards.

A record is a plain tuple of ids and of what rules need:

    number of its plan, id of the result, id of each input, kept of each input, kept of the result,
    *attributes

This module alone knows what stands where. Several results have specs, with their ids, in place of
an id. An input that no tape will be told to watch may have None for its id: no pull is for it. A
record without attributes may leave out a result of which nothing is kept, and end after the ids
where nothing is kept at all: the fast layer's do.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from minitape.errors.of_ops import no_gradient
from minitape.interpreter import active, identity, is_watchable
from minitape.safety.locks import module_lock
from minitape.tensor import EagerTensor, Spec, Tensor, eager

if TYPE_CHECKING:
    from collections.abc import Sequence

    from minitape.interpreter import Mark
    from minitape.op import Op, Rule
    from minitape.tensor import Array, Shape

# A plain tuple of ids and arrays, and a number in place of the plan: Python's garbage collector
# stops visiting such tuples, so that a long tape does not make it slow. A slotted object would also
# take twice as long to make.
Record = tuple[Any, ...]

# What a record keeps of a tensor: shape, spec, array, itself, or nothing; a tuple for several.
Kept: TypeAlias = "Shape | Spec | Array | Tensor | tuple[Any, ...] | None"

# Where a record has the number of its plan, the id of its result, and that of its first input.
PLAN, RESULT, INPUTS = range(3)

# What a record keeps of an input or result, from little to much. VALUE is the array, TENSOR the
# tensor itself: that, where other interpreters follow it too, or this tape does not.
NOTHING, SHAPE, SPEC, VALUE, TENSOR = range(5)

# What is kept for an argument of a rule, by its annotation.
KEEPS = {"Tensor": VALUE, "Tensors": VALUE, "Spec": SPEC, "Specs": SPEC, "Shape": SHAPE}

PLANS: list[Plan] = []  # by number

# By number, too: what sweeps over arrays, and over tensors, run for a plan. `backward` fills in
# where the id of an input stands in a record, and the function that gives the contribution to it.
# (Lists, as a dict that makes what is missing would take twice the time in the sweep.)
ON_ARRAYS: list[list[tuple[int, Callable[..., Any] | None]]] = []
ON_TENSORS: list[list[tuple[int, Callable[..., Any] | None]]] = []

_numbering = module_lock()  # reentrant: a signal's handler may call an op while it is held


# Making one.


def make_record(
    op: Op,
    followed: tuple[bool, ...],
    inputs: Sequence[Tensor],
    out: Any,
    attributes: tuple[Any, ...],
    mark: Mark | None = None,
) -> Record:
    """What a tape keeps of an op.

    Args:
        op: the op.
        followed: for each input whether the tape follows it.
        inputs: the tensors that the op took.
        out: what it gave, a tuple for an op with several results.
        attributes: its static values.
        mark: of the tape; None is for a record that no tape has, and keeps tensors in place of
            arrays.
    """
    stretched = (False,) * len(inputs)
    if op.broadcasts:
        shape = out.spec.shape
        stretched = tuple(x.spec.shape != shape for x in inputs)
    alone = mark is not None and all(_is_alone(x, mark) for x in inputs)
    open_to = tuple(mark is not None and is_watchable(x) for x in inputs)
    plan = plan_for(op, followed, stretched, alone, open_to)
    result = tuple(kept(y, SPEC) for y in out) if op.several else out.id
    known = map(any, zip(followed, open_to, strict=True))
    ids = [identity(x) if each else None for x, each in zip(inputs, known, strict=True)]
    of_inputs = map(kept, inputs, plan.keep)
    of_result = (
        tuple(kept(y, plan.keep_out) for y in out) if op.several else kept(out, plan.keep_out)
    )
    return (plan.number, result, *ids, *of_inputs, of_result, *attributes)


def plan_for(op: Op, *details: Any) -> Plan:
    """The plan of an op for inputs with such `details`, made when it is first asked for."""
    plan: Plan | None = op.plans.get(details)
    if plan is None:
        plan = op.plans[details] = Plan(op, *details)
    return plan


def _is_alone(x: Tensor, mark: Mark) -> bool:
    """Whether no interpreter but the tape with `mark` follows a tensor."""
    return type(x) is EagerTensor and (x.mark is mark or x.mark is None)


def kept(x: Tensor, keep: int) -> Any:
    """What a record keeps of a tensor: its value, itself, its spec, its shape, or nothing."""
    if keep == VALUE:
        return x.value
    if SHAPE <= keep <= SPEC:
        value = x.value if type(x) is EagerTensor else x.spec
        shape = tuple(value.shape)
        return shape if keep == SHAPE else Spec(shape, value.dtype, getattr(x, "id", 0))
    return x if keep else None


# The plan.


class Need(NamedTuple):
    """One argument of a rule beyond the cotangent.

    Attributes:
        what: "value", "spec" or "shape" of it; "" for an attribute or a position, as it is.
        source: "input", "inputs" (all of them), "result", "attribute", or "position".
        place: which input or attribute; for "position" the input that the contribution is for.
    """

    what: str
    source: str
    place: int = 0


class Pull:
    """One input's share of a plan: its rule, and what the rule takes.

    Attributes:
        position: which input.
        rule: the VJP rule.
        stretched: whether the input was broadcast, so that its contribution has to be summed.
        needs: the arguments of the rule beyond the cotangent.
    """

    __slots__ = ("needs", "position", "rule", "stretched")

    def __init__(
        self, position: int, rule: Callable[..., Any], stretched: bool, needs: list[Need]
    ) -> None:
        self.position = position
        self.rule = rule
        self.stretched = stretched
        self.needs = needs


class Plan:
    """What to keep of each input and of the result, and the pulls for the followed inputs.

    Records have its `number`: a program makes a few hundred plans, and none is ever forgotten.

    `possible` has the pulls of the inputs that the tape may be told to watch later, too.

    Args:
        op: the op.
        followed: for each input whether the tape follows it.
        stretched: for each input whether the op broadcast it.
        alone: whether no other interpreter follows an input. Then arrays are kept in place of
            tensors: no tape will ask who else follows them.
        open_to: for each input whether the tape may be told to watch it later.
    """

    __slots__ = ("keep", "keep_out", "number", "op", "possible", "pulls")

    def __init__(
        self,
        op: Op,
        followed: Sequence[bool],
        stretched: Sequence[bool],
        alone: bool,
        open_to: Sequence[bool] = (),
    ) -> None:
        self.op = op
        self.keep = [NOTHING] * len(followed)
        self.keep_out = NOTHING
        rules = [(i, op.rules.get(op.input_name(i))) for i in _positions(op, followed, open_to)]
        for i, rule in rules:
            self.keep[i] = max(self.keep[i], SHAPE if stretched[i] else NOTHING)
            for name, note in rule.needs if rule else ():
                self._keep_named(name, KEEPS.get(note or "", NOTHING))
        for i, keep in enumerate(self.keep):
            if keep == VALUE and not (alone and followed[i]):
                self.keep[i] = TENSOR
        if self.keep_out == VALUE and not alone:
            self.keep_out = TENSOR
        self.possible = [self._pull(i, rule, stretched[i]) for i, rule in rules]
        self.pulls = [pull for pull in self.possible if followed[pull.position]]
        self.number = numbered(self)

    def _keep_named(self, name: str, keep: int) -> None:
        op = self.op
        if name == "out":
            self.keep_out = max(self.keep_out, keep)
        elif op.variadic and name == op.inputs[0]:
            self.keep = [max(each, keep) for each in self.keep]
        elif name in op.inputs:
            i = op.inputs.index(name)
            self.keep[i] = max(self.keep[i], keep)

    def _pull(self, position: int, rule: Rule | None, stretched: bool) -> Pull:
        if rule is None:
            return Pull(position, _no_gradient(self.op), False, [])
        needs = [_need(self.op, name, note, position) for name, note in rule.needs]
        return Pull(position, rule.function, stretched, needs)


def numbered(plan: Plan) -> int:
    """The number by which records have a new plan."""
    with _numbering:
        for table in (ON_ARRAYS, ON_TENSORS):
            table.append([])
        PLANS.append(plan)
        return len(PLANS) - 1


def _positions(op: Op, followed: Sequence[bool], open_to: Sequence[bool]) -> list[int]:
    """Which inputs get a share of the gradient, or would if they were watched later."""
    pulled = op.pulled(followed)
    possible = op.pulled([any(both) for both in zip_longest(followed, open_to)])
    # Not where another input would take the place of those: a function with its own gradient.
    return possible if set(pulled) <= set(possible) else pulled


def _need(op: Op, name: str, note: str | None, position: int) -> Need:
    """What an argument of a rule stands for, from its name and annotation."""
    what = {SHAPE: "shape", VALUE: "value"}.get(KEEPS.get(note or "", SPEC), "spec")
    if name == "out":
        return Need(what, "result")
    if op.variadic and name == op.inputs[0]:
        return Need(what, "inputs")
    if name in op.inputs:
        return Need(what, "input", op.inputs.index(name))
    if name in op.attributes:
        return Need("", "attribute", op.attributes.index(name))
    if name == "index":
        return Need("", "position", position)
    raise TypeError(
        f"a rule of {op.name} asks for '{name}', which is none of "
        f"{op.inputs + op.attributes}, out, index"
    )


def _no_gradient(op: Op) -> Callable[..., Any]:
    """The rule of an input that has none: it raises, when a gradient is asked for."""

    def raise_lookup_error(g: Any) -> Any:
        raise no_gradient(op)  # a local name for it would be a cycle through this frame

    return raise_lookup_error


# What a rule takes from a record.


def plan_of(record: Record) -> Plan:
    """What the record of an op keeps, and the rules to run."""
    return PLANS[record[PLAN]]


def output_ids(record: Record) -> tuple[int, ...]:
    """The ids of a record's results."""
    out = record[RESULT]
    return (out,) if type(out) is int else tuple(spec.id for spec in out)


def slot_of(pull: Pull) -> int:
    """Where records have the id of the input that a pull is for."""
    return INPUTS + pull.position


def position_of(slot: int) -> int:
    """Which input has its id there."""
    return slot - INPUTS


def input_id(record: Record, pull: Pull) -> int:
    """The id of the input that a pull of a record is for."""
    return int(record[slot_of(pull)])


def arguments(pull: Pull, record: Record, raw: bool, mark: Mark = ()) -> list[Any]:
    """The arguments of a pull's rule beyond the cotangent; `raw` gives arrays for tensors."""
    plan = plan_of(record)
    return [argument(record, need, place_of(plan, need), raw, mark) for need in pull.needs]


def place_of(plan: Plan, need: Need) -> Any:
    """Where records of a plan have what a rule needs; a slice for all inputs."""
    count = len(plan.keep)
    if need.source == "input":
        return INPUTS + count + need.place
    if need.source == "inputs":
        return slice(INPUTS + count, _after_inputs(plan))
    if need.source == "result":
        return _after_inputs(plan)
    return _after_inputs(plan) + 1 + need.place


def _after_inputs(plan: Plan) -> int:
    """Where records of a plan have what is kept of the result; the attributes follow."""
    return INPUTS + 2 * len(plan.keep)


def argument(record: Record, need: Need, place: Any, raw: bool, mark: Mark) -> Any:
    """One argument of a rule, from a place of a record."""
    if need.source == "position":
        return need.place
    held = record[place]
    if need.source == "attribute":
        return held
    if need.source == "inputs" or type(record[RESULT]) is tuple and need.source == "result":
        keys = (
            record[INPUTS : INPUTS + len(held)] if need.source == "inputs" else output_ids(record)
        )
        each = [_read(x, need.what, raw, key, mark) for key, x in zip(keys, held, strict=True)]
        return each if need.source == "inputs" else tuple(each)
    key = record[RESULT] if need.source == "result" else record[INPUTS + need.place]
    return _read(held, need.what, raw, key, mark)


def _read(held: Kept, what: str, raw: bool, key: int, mark: Mark) -> Any:
    if what == "shape":
        return shape_of(held)
    if what == "spec":
        return spec_of(held)
    return opened(held) if raw else revived(key, held, mark)


def broadcast_from(record: Record, pull: Pull) -> tuple[int, ...]:
    """The shape that the input of a pull had before the op broadcast it."""
    return shape_of(record[slot_of(pull) + len(plan_of(record).keep)])


def revived(key: int, held: Kept, mark: Mark) -> Tensor:
    """The tensor of a kept value, as the interpreters that follow it see it.

    Args:
        key: its id.
        held: the tensor, or its array: then only the tape with `mark` followed it at the time.
        mark: of that tape.
    """
    if isinstance(held, Tensor):
        return held
    tensor = eager(held)
    tensor.id = key
    # Interpreters that began to watch it after the record was made follow it, too.
    since = tuple(i.mark[0] for i in active() if i.watched.get(key, i) is None)
    tensor.mark = tuple(ref for ref in mark if ref not in since) + since or None
    return tensor


def opened(held: Kept) -> Any:
    """The array of a kept tensor, or those of several; arrays and specs stay what they are."""
    if isinstance(held, Tensor):
        return held.value
    return tuple(map(opened, held)) if type(held) is tuple else held


def spec_of(held: Kept) -> Any:
    """What is known of a kept tensor without its values; of an array that is itself."""
    return held.spec if isinstance(held, Tensor) else held


def shape_of(held: Kept) -> tuple[int, ...]:
    """The shape of what is kept of a tensor."""
    return held if type(held) is tuple else tuple(spec_of(held).shape)
