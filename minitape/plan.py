"""What a tape keeps of an op, and which rules it will run: decided once per combination of inputs.

The one fact to know: a rule's signature is its memory plan. An input annotated `Tensor` is kept
with its value, `Spec` keeps shape and dtype, and what no rule names is not kept. Which rules count
depends on which inputs are followed and which were stretched by broadcasting, so plans are cached
per bits. May import: annotations, tensor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from minitape.annotations import words
from minitape.tensor import Tensor

if TYPE_CHECKING:
    from minitape.primitive import Op

# What a record keeps of an input or output.
NOTHING, ID, SPEC, VALUE = range(4)
_KEEPS = {"Tensor": VALUE, "Tensors": VALUE, "Spec": SPEC, "Specs": SPEC}


class Rule:
    """A derivative rule and what its signature says it needs: pairs of name and annotation."""

    __slots__ = ("function", "needs")

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        names = function.__code__.co_varnames[1 : function.__code__.co_argcount]
        notes = words(function)
        self.needs = [(name, notes.get(name)) for name in names]


# How the sweep calls a rule: with g alone, with g and the value of one kept tensor, or by a
# function of g and the record; and the same where the input was broadcast.
TAKES_NOTHING, TAKES_TENSOR, TAKES_MORE, STRETCHED = range(4)


class Pull:
    """One followed input's share of a plan: the rule, and where in a record its arguments stand.

    Attributes:
        slot: where the record has the input itself, or by `by_id` just its id.
        rule: the VJP rule.
        stretched: whether the input was broadcast, so that its contribution has to be summed.
        finds: a kind and a place for each argument.
    """

    __slots__ = ("by_id", "finds", "rule", "slot", "stretched")

    def __init__(
        self, slot: int, by_id: bool, rule: Callable[..., Any], stretched: bool, finds: list[Any]
    ) -> None:
        self.slot = slot
        self.by_id = by_id
        self.rule = rule
        self.stretched = stretched
        self.finds = finds

    def unpacked(self) -> tuple[Any, ...]:
        """What the sweep needs: slot, by_id, what to call, how, and where the one tensor stands."""
        kinds = [kind for kind, _ in self.finds]
        if kinds == ["tensor"] and not self.stretched:
            return self.slot, self.by_id, self.rule, TAKES_TENSOR, self.finds[0][1]
        if not kinds and not self.stretched:
            return self.slot, self.by_id, self.rule, TAKES_NOTHING, 0
        way = STRETCHED if self.stretched else TAKES_MORE
        return self.slot, self.by_id, _call(self.rule, self.finds), way, 0


def _call(rule: Callable[..., Any], finds: list[Any]) -> Callable[..., Any]:
    """A function of g, a record, and whether to open its tensors, that calls a rule.

    The commonest are written out: a call with a `*` takes 0.15 us more.
    """
    kinds = [kind for kind, _ in finds]
    places = [place for _, place in finds]
    if not finds:
        return lambda g, record, raw: rule(g)
    if kinds == ["tensor", "tensor"]:
        i, j = places

        def call(g: Any, record: Any, raw: bool) -> Any:
            a, b = record[i], record[j]
            return rule(g, a.value, b.value) if raw else rule(g, a, b)

        return call
    if kinds == ["entry"]:
        (i,) = places
        return lambda g, record, raw: rule(g, record[i])
    if kinds == ["entry"] * 3:
        i, j, k = places
        return lambda g, record, raw: rule(g, record[i], record[j], record[k])
    return lambda g, record, raw: rule(g, *arguments(finds, record, raw))


class Plan:
    """What to keep of each input and output, and the pulls to run for the followed inputs."""

    __slots__ = ("keep", "keep_out", "op", "pulls", "unpacked")

    def __init__(self, op: Op, count: int, bits: int) -> None:
        self.op = op
        self.keep = [NOTHING] * count
        self.keep_out = NOTHING
        followed = [i for i in range(count) if bits >> i & 1 and op.input_name(i) not in op.cuts]
        stretched = [bool(bits >> (count + i) & 1) for i in range(count)]
        rules = [(i, op.rules.get(op.input_name(i))) for i in followed]
        for i, rule in rules:
            self._keep(i, SPEC if stretched[i] else ID)
            for name, kind in rule.needs if rule else ():
                self._keep_named(name, _KEEPS.get(kind or "", NOTHING))
        self.pulls = [self._pull(i, rule, stretched[i]) for i, rule in rules]
        self.unpacked = [pull.unpacked() for pull in self.pulls]  # plain tuples, for the sweep

    def only(self, pull: Pull) -> Plan:
        """The same plan with a single pull: a sweep along one path, for explanations."""
        plan = object.__new__(Plan)
        plan.op, plan.keep, plan.keep_out = self.op, self.keep, self.keep_out
        plan.pulls, plan.unpacked = [pull], [pull.unpacked()]
        return plan

    def _keep(self, position: int, keep: int) -> None:
        self.keep[position] = max(self.keep[position], keep)

    def _keep_named(self, name: str, keep: int) -> None:
        op = self.op
        if name == "out":
            self.keep_out = max(self.keep_out, keep)
        elif op.variadic and name == op.inputs[0]:
            self.keep = [max(each, keep) for each in self.keep]
        elif name in op.inputs:
            self._keep(op.inputs.index(name), keep)

    def _pull(self, position: int, rule: Rule | None, stretched: bool) -> Pull:
        slot, by_id = 2 + position, self.keep[position] == ID
        if rule is None:
            return Pull(slot, by_id, _no_gradient(self.op), False, [])
        finds = [self._find(name, position) for name, _ in rule.needs]
        for i, (name, note) in enumerate(rule.needs):
            if note == "Tensor" and finds[i][0] == "entry":  # a tensor whose value is kept, or many
                several = name == "out" and self.op.several
                finds[i] = ("outputs" if several else "tensor", finds[i][1])
        return Pull(slot, by_id, rule.function, stretched, finds)

    def _find(self, name: str, position: int) -> tuple[str, Any]:
        """How to find one argument of a rule in a record: a kind and a place."""
        op, count = self.op, len(self.keep)
        if name == "out":
            return "entry", 2 + count
        if op.variadic and name == op.inputs[0]:
            return "entries", slice(2, 2 + count)
        if name in op.inputs:
            return "entry", 2 + op.inputs.index(name)
        if name in op.attributes:
            return "entry", 3 + count + op.attributes.index(name)
        if name == "index":
            return "constant", position
        raise TypeError(
            f"a rule of {op.name} asks for '{name}', which is none of "
            f"{op.inputs + op.attributes}, out, index"
        )


class Plans(dict[Any, Plan]):
    """The plans of one op by the bits 'followed' and 'stretched', made when first asked for."""

    __slots__ = ("layouts", "op")

    def __init__(self, op: Op) -> None:
        self.op = op
        self.layouts: list[Layouts] = []

    def forget(self) -> None:
        """Drops all plans, after the op got a rule."""
        self.clear()
        for each in self.layouts:
            each.clear()

    def __missing__(self, key: Any) -> Plan:
        count, bits = key if isinstance(key, tuple) else (len(self.op.inputs), key)
        plan = self[key] = Plan(self.op, count, bits)
        return plan


class Layouts(dict[int, tuple[Any, ...]]):
    """What the quick calls need of a plan: it, and what to keep of out and each input.

    None stands for an input's value, the commonest, because it is the quickest to ask for. What is
    followed has its id kept at least, or a spec.
    """

    __slots__ = ("plans",)

    def __init__(self, plans: Plans) -> None:
        self.plans = plans
        plans.layouts.append(self)

    def __missing__(self, bits: int) -> tuple[Any, ...]:
        plan = self.plans[bits]
        keep = [None if each == VALUE else each for each in plan.keep]
        layout = self[bits] = (plan, plan.keep_out, *keep)
        return layout


def arguments(finds: list[Any], record: Any, unwrap: bool) -> list[Any]:
    """The arguments of a rule beyond g, from a record; `unwrap` gives arrays for tensors."""
    found: list[Any] = []
    for kind, place in finds:
        if kind == "constant":
            found.append(place)
        elif kind == "entries":
            found.append([opened(entry) if unwrap else entry for entry in record[place]])
        else:
            found.append(opened(record[place]) if unwrap else record[place])
    return found


def attributes(record: Any) -> tuple[Any, ...]:
    """The attributes of the op of a record."""
    plan = record[0]
    return tuple(record[3 + len(plan.keep) :]) if plan.op.attributes else ()


def opened(entry: Any) -> Any:
    """The array of a kept tensor; specs stay what they are."""
    if isinstance(entry, Tensor):
        return entry.value
    # a tuple is the kept outputs of an op with several; tuples of numbers are attributes
    if type(entry) is tuple and entry and isinstance(entry[0], Tensor):
        return tuple(each.value for each in entry)
    return entry


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
