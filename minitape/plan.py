"""Plans: what a record keeps of an op's inputs and result, and the rules that its sweep runs.

A rule's signature is its memory plan. An input annotated `Tensor` is kept with its value, `Spec`
keeps shape and dtype, `Shape` the shape, and what no rule names is not kept. Which rules count
depends on which inputs are followed, and which of them the op broadcast; so a `Plan` is made once
for each such combination. What the rules of the other inputs need is kept as well, where a tape may
be told to watch them afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from minitape.errors.of_ops import no_gradient
from minitape.safety.locks import module_lock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from minitape.op import Op, Rule

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
