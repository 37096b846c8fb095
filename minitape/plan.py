"""What a tape keeps of an op, and which rules it will run: decided once per combination of inputs.

The one fact to know: a rule's signature is its memory plan. An input annotated `Tensor` is kept
with its value, `Spec` keeps shape and dtype, `Shape` the shape, and what no rule names is not kept.
Which rules count depends on which inputs are followed and which were stretched by broadcasting, so
plans are cached per bits.
May import: annotations, records, tensor.
"""

from __future__ import annotations

from _thread import RLock
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from minitape.annotations import words
from minitape.records import NOTHING, PLANS, PULLS, SHAPE, SPEC, TENSOR, VALUE, arguments
from minitape.tensor import EagerTensor

if TYPE_CHECKING:
    from minitape.interpreter import Mark
    from minitape.primitive import Op

KEEPS = {"Tensor": VALUE, "Tensors": VALUE, "Spec": SPEC, "Specs": SPEC, "Shape": SHAPE}
_KINDS = {NOTHING: "spec", SHAPE: "shape", SPEC: "spec", VALUE: "value"}
_numbering = RLock()


class Rule:
    """A derivative rule and what its signature says it needs: pairs of name and annotation."""

    __slots__ = ("function", "needs")

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        names = function.__code__.co_varnames[1 : function.__code__.co_argcount]
        notes = words(function)
        self.needs = [(name, notes.get(name)) for name in names]


# How the sweep calls a rule: with g and one kept value, or tensor; by a function of g and the
# record; and the same, then a sum to the shape that the input had before it was broadcast. A rule
# that only multiplies g by one kept value, or passes it on, is None there and not called at all; if
# it is the last one of a record that multiplies, nobody needs g any more.
TAKES_VALUE = None  # the commonest is the quickest to ask for
TAKES_TENSOR, TAKES_MORE, STRETCHED, LAST = range(4)
_SAME, _TIMES = (lambda g: g).__code__.co_code, (lambda g, x: g * x).__code__.co_code


class Pull:
    """One followed input's share of a plan: the rule, and where in a record its arguments stand.

    Attributes:
        position: which input.
        rule: the VJP rule.
        stretched: whether the input was broadcast, so that its contribution has to be summed.
        finds: a kind and a place for each argument: "value", "spec" and "shape" (of what is kept),
            "values" and "specs" (of all inputs of a variadic op, or all results), "given" (what
            stands there, for instance an attribute), "index" (the place is the number itself).
    """

    __slots__ = ("finds", "position", "rule", "stretched")

    def __init__(
        self, position: int, rule: Callable[..., Any], stretched: bool, finds: list[Any]
    ) -> None:
        self.position = position
        self.rule = rule
        self.stretched = stretched
        self.finds = finds

    def unpacked(self, plan: Plan) -> tuple[Any, ...]:
        """What the sweep needs: the id's place, what to call, how, and the place of what it takes.

        For a stretched input this place tells the shape to sum to, and 0 is none.
        """
        kinds = [kind for kind, _ in self.finds]
        slot, count = 2 + self.position, len(plan.keep)
        if self.stretched:
            return slot, _call(self.rule, self.finds), STRETCHED, slot + count
        if kinds == ["value"]:
            place = self.finds[0][1]
            keep = (*plan.keep, plan.keep_out)[place - 2 - count]
            if keep == TENSOR:
                return slot, self.rule, TAKES_TENSOR, place
            if self.rule.__code__.co_code != _TIMES:
                return slot, self.rule, TAKES_VALUE, place
            return slot, None, LAST if self is plan.pulls[-1] else TAKES_VALUE, place
        if self.rule.__code__.co_code == _SAME:
            return slot, None, TAKES_VALUE, 0
        return slot, _call(self.rule, self.finds), TAKES_MORE, 0


def _call(rule: Callable[..., Any], finds: list[Any]) -> Callable[..., Any]:
    """A function of g, a record, whether to open tensors, and a mark, that calls a rule.

    The commonest are written out: a call with a `*` takes 0.15 us more.
    """
    kinds = [kind for kind, _ in finds]
    places = [place for _, place in finds]
    if rule.__code__.co_code == _SAME:
        return lambda g, record, raw, mark: g
    if not finds:
        return lambda g, record, raw, mark: rule(g)
    if len(finds) == 2 and {"value", "spec", "given"}.issuperset(kinds):
        i, j = places

        def call(g: Any, record: Any, raw: bool, mark: Mark) -> Any:
            a, b = record[i], record[j]
            if raw:
                a = a.value if type(a) is EagerTensor else a
                return rule(g, a, b.value if type(b) is EagerTensor else b)
            return rule(g, *arguments(finds, record, raw, mark))

        return call
    if kinds == ["given"]:
        (i,) = places
        return lambda g, record, raw, mark: rule(g, record[i])
    if kinds == ["given"] * 3:
        i, j, k = places
        return lambda g, record, raw, mark: rule(g, record[i], record[j], record[k])
    return lambda g, record, raw, mark: rule(g, *arguments(finds, record, raw, mark))


class Plan:
    """What to keep of each input and output, and the pulls to run for the followed inputs.

    Records have its `number`: a program makes a few hundred plans, and none is ever forgotten.
    """

    __slots__ = ("_alone", "keep", "keep_out", "number", "op", "pulls")

    def __init__(self, op: Op, count: int, bits: int) -> None:
        self.op = op
        self.keep = [NOTHING] * count
        self.keep_out = NOTHING
        followed = [i for i in range(count) if bits >> i & 1 and op.input_name(i) not in op.cuts]
        stretched = [bool(bits >> (count + i) & 1) for i in range(count)]
        rules = [(i, op.rules.get(op.input_name(i))) for i in followed]
        for i, rule in rules:
            self.keep[i] = max(self.keep[i], SHAPE if stretched[i] else NOTHING)
            for name, kind in rule.needs if rule else ():
                self._keep_named(name, KEEPS.get(kind or "", NOTHING))
        shared = bool(bits >> 2 * count & 1)
        for i, keep in enumerate(self.keep):
            if keep == VALUE and (shared or not bits >> i & 1):
                self.keep[i] = TENSOR
        if self.keep_out == VALUE and shared:
            self.keep_out = TENSOR
        self.pulls = [self._pull(i, rule, stretched[i]) for i, rule in rules]
        self._number()

    def _number(self) -> None:
        self._alone: dict[int, Plan] = {}
        pulls = [pull.unpacked(self) for pull in self.pulls]
        with _numbering:
            self.number = len(PLANS)
            PLANS.append(self)
            PULLS.append(pulls)

    def only(self, pull: Pull) -> Plan:
        """The same plan with a single pull: a sweep along one path, for explanations."""
        plan = self._alone.get(pull.position)
        if plan is None:
            plan = self._alone[pull.position] = object.__new__(Plan)
            plan.op, plan.keep, plan.keep_out = self.op, self.keep, self.keep_out
            plan.pulls = [pull]
            plan._number()
        return plan

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
        finds = [self._find(name, note, position) for name, note in rule.needs]
        return Pull(position, rule.function, stretched, finds)

    def _find(self, name: str, note: str | None, position: int) -> tuple[str, Any]:
        """How to find one argument of a rule in a record: a kind and a place."""
        op, count = self.op, len(self.keep)
        keep = KEEPS.get(note or "", NOTHING)
        kind = _KINDS[keep]
        if name == "out":
            return f"{kind}s" if op.several else kind, 2 + 2 * count
        if op.variadic and name == op.inputs[0]:
            return f"{kind}s", slice(2 + count, 2 + 2 * count)
        if name in op.inputs:
            i = op.inputs.index(name)
            return "given" if keep == self.keep[i] < VALUE else kind, 2 + count + i
        if name in op.attributes:
            return "given", 3 + 2 * count + op.attributes.index(name)
        if name == "index":
            return "index", position
        raise TypeError(
            f"a rule of {op.name} asks for '{name}', which is none of "
            f"{op.inputs + op.attributes}, out, index"
        )


class Plans(dict[Any, Plan]):
    """The plans of one op, made when first asked for.

    The keys are bits: for each input whether it is followed, for each whether it was stretched, and
    whether others follow an input too. For a variadic op the number of inputs goes before them.
    """

    __slots__ = ("layouts", "op")

    def __init__(self, op: Op) -> None:
        self.op = op
        self.layouts: dict[int, tuple[Any, ...]] = {}

    def forget(self) -> None:
        """Drops all plans, after the op got a rule."""
        self.clear()
        self.layouts.clear()

    def layout(self, bits: int) -> tuple[Any, ...]:
        """What the quick calls need of a plan: its number, whether it keeps anything, what of what.

        None stands for an input's value, and for the values of all inputs and no more: these are
        the commonest, and None is the quickest to ask for. It is found in `layouts` from then on.
        """
        plan = self[bits]
        keep = [None if each == VALUE else each for each in plan.keep]
        keeps: bool | None = any(plan.keep) or bool(plan.keep_out)
        if set(plan.keep) == {VALUE} and not plan.keep_out:
            keeps = None
        layout = self.layouts[bits] = (plan.number, keeps, (*keep, plan.keep_out))
        return layout

    def __missing__(self, key: Any) -> Plan:
        count, bits = key if isinstance(key, tuple) else (len(self.op.inputs), key)
        plan = self[key] = Plan(self.op, count, bits)
        return plan


def _no_gradient(op: Op) -> Callable[..., Any]:
    def explained() -> LookupError:
        error = LookupError(f"gradient registry has no entry for: {op.type_name}")
        error.add_note(
            f"minitape: the op `{op.name}` lies on the path from the target to a source, and "
            "nobody registered its gradient. "
            f'Register one with `@tf.RegisterGradient("{op.type_name}")`, wrap the call in '
            "`tf.custom_gradient`, or cut the "
            "path with `tf.stop_gradient`."
        )
        return error

    def raise_lookup_error(g: Any) -> Any:
        raise explained()  # a local name for it would be a cycle through this frame

    return raise_lookup_error
