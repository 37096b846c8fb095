"""Probabilities where logits or logarithms are expected: a softmax twice, or one without log."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..corrections.edits import calls
from ..corrections.modules import layer_of
from ..diagnosis import LIKELY, Correction, Diagnosis, Kind, register
from ..evidence import Ask, Evidence, Op
from ..source_text import Edit, Source, called

LAYERS = {"softmax": "Softmax", "sigmoid": "Sigmoid"}


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """A loss that contains a softmax, whose logits were made by one."""
    if ask is None:
        return
    wanted = evidence.before(ask.targets)
    if evidence.facts.get("dialect") == "jax":
        yield from _in_small_ops(evidence, ask, wanted)
        return
    for op in evidence.between(ask.began, ask.ended):
        if not _expects_logits(op) or op.place is None or wanted.isdisjoint(op.outputs):
            continue
        made = _made(evidence, op)
        if made is None or made.place is None or not made.facts.logarithm:
            continue  # an op whose logarithm has a name gives probabilities
        if (op.facts.shares or op.name == "nll_loss") and not made.facts.shares:
            continue
        place = layer_of(evidence, made, f"{LAYERS[made.name]}(") or made.place
        facts = {"first": made.name, "op": op.called.removeprefix("torch."), "word": op.name}
        also = {"loss": op.place, "ran": made.place}
        yield Diagnosis(KIND, place, facts, ask=ask.number, also=also, level=LIKELY)
        return


def _in_small_ops(evidence: Evidence, ask: Ask, wanted: set[int]) -> Iterator[Diagnosis]:
    """JAX's softmax is exponentials divided by their sum; its logarithm has the log of the sum."""
    for op in evidence.between(ask.began, ask.ended):
        if op.name != "log" or op.place is None or wanted.isdisjoint(op.outputs):
            continue
        inner = _made(evidence, op)
        outer = inner if inner is not None and _exponentials(evidence, inner) else op
        scores = _exponentials(evidence, outer)
        shifted = _made(evidence, scores) if scores is not None else None
        if shifted is not None and shifted.facts.sign == "−" and len(shifted.inputs) == 2:
            high = evidence.maker.get(shifted.inputs[1])
            if high is not None and high.cut == "detach":  # the maximum, which is taken off
                shifted = _made(evidence, shifted)
        if shifted is None or shifted.facts.sign != "/" or not _exponentials(evidence, shifted):
            continue
        if shifted.place is not None and outer.place is not None:
            said = outer.place.code.partition("(")[0] or outer.name
            facts = {"first": "softmax", "op": said, "word": "log"}
            also = {"loss": outer.place, "ran": shifted.place}
            yield Diagnosis(KIND, shifted.place, facts, ask=ask.number, also=also, level=LIKELY)
            return


def _exponentials(evidence: Evidence, op: Op) -> Op | None:
    """The `exp` whose results a logarithm's sum or a division's divisor adds up; else None."""
    total = _made(evidence, op if op.name == "log" else op._replace(inputs=op.inputs[-1:]))
    made = _made(evidence, total) if total is not None and total.facts.reduces == "sum" else None
    is_own = op.name == "log" or made is not None and made is _made(evidence, op)
    return made if made is not None and made.name == "exp" and is_own else None


def _expects_logits(op: Op) -> bool:
    is_loss = "cross_entropy" in op.name and op.name != "binary_cross_entropy"
    is_loss = is_loss or op.name == "nll_loss"
    return bool(op.inputs) and (is_loss or op.facts.shares and op.facts.activation)


def _made(evidence: Evidence, op: Op) -> Op | None:
    made = evidence.maker.get(op.inputs[0])
    while made is not None and made.inputs and _passes(made):
        made = evidence.maker.get(made.inputs[0])
    return made


def _passes(op: Op) -> bool:
    return not op.cut and (bool(op.facts.moves) or op.name in {"cast", "dropout"})


def sentence(d: Diagnosis) -> str:
    """In words."""
    f = d.facts
    if f["word"] == "nll_loss":
        return (
            f"`{f['op']}` at line {d.also['loss'].line} expects logarithms of probabilities, but"
            f" line {d.line} has applied `softmax`: without the logarithm it is no likelihood."
        )
    return (
        f"`{f['op']}` at line {d.also['loss'].line} expects logits and applies {f['first']} itself,"
        f" but line {d.line} has already applied `{f['first']}`. Applied twice, it is almost flat,"
        " so the gradients are small and the model never becomes confident."
    )


def meant(evidence: Evidence, d: Diagnosis) -> str:
    """A softmax over softmaxes is meant in attention over attentions; a loss never means it."""
    return "no loss" if d.facts["word"] == "softmax" else ""


def correct(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """The first one goes: another function, and the one that was wanted."""
    name = d.facts["first"]
    if d.facts["word"] == "nll_loss":
        node = source.node(d.also["ran"].span)
        if isinstance(node, ast.Call) and called(node.func) == "softmax":
            text = source.code(node.func).removesuffix("softmax") + "log_softmax"
            yield Correction(source.edited([source.replaced(node.func, text)]), False)
        text = source.text.replace("nn.Softmax(", "nn.LogSoftmax(")
        yield Correction(text, False)
        return
    for place in (d.also["ran"], d.place):
        node = source.node(place.span) if place.span else None
        if isinstance(node, ast.Call) and called(node.func) in {name, "Softmax", "Sigmoid"}:
            is_method = isinstance(node.func, ast.Attribute) and not _is_module(
                source, node.func.value
            )
            inner = node.func.value if is_method else node.args[0] if node.args else None  # type: ignore[attr-defined]
            if inner is not None:
                yield Correction(source.edited([source.replaced(node, source.code(inner))]), False)
        elif (
            isinstance(node, ast.Call)
            and len(node.args) == 1
            and "oft" in called(node.func) + "igm"
        ):
            yield Correction(
                source.edited([source.replaced(node, source.code(node.args[0]))]), False
            )
    yield from _without_layer(source, LAYERS[name])


def _is_module(source: Source, node: ast.expr) -> bool:
    return source.code(node) in {
        "torch",
        "F",
        "nn",
        "nn.functional",
        "jax.nn",
        "torch.nn.functional",
        "torch.special",
    }


def _without_layer(source: Source, name: str) -> Iterator[Correction]:
    for call in calls(source, name):
        parent = source.parents.get(call)
        if isinstance(parent, ast.Call) and call in parent.args:
            place = parent.args.index(call)
            if place:
                start = source.end(parent.args[place - 1])
                yield Correction(source.edited([Edit(start, source.end(call), "")]), False)
        elif isinstance(parent, ast.Assign):
            path = source.code(call.func).rsplit(".", 1)[0]
            yield Correction(source.edited([source.replaced(call, f"{path}.Identity()")]), False)


KIND = register(
    Kind(
        "softmax_twice",
        50,
        "update",
        find,
        sentence,
        correct=correct,
        meant=meant,
        hides=("vanishing",),
        dialects=("pytorch", "jax"),
        example="""\
import torch
torch.manual_seed(0)
w = torch.randn(3, 2, requires_grad=True)
p = torch.softmax(torch.ones(4, 3) @ w, dim=1)  # <- here
loss = torch.nn.functional.cross_entropy(p, torch.tensor([0, 1, 1, 0]))
loss.backward()
""",
        healthy="""\
import torch
torch.manual_seed(0)
w = torch.randn(3, 2, requires_grad=True)
z = torch.ones(4, 3) @ w
loss = torch.nn.functional.cross_entropy(z, torch.tensor([0, 1, 1, 0]))
loss.backward()
print(torch.softmax(z, dim=1))
""",
    )
)
