"""A value is used, but its gradient is blocked: `detach`, NumPy, `item`, `no_grad`, a choice.

A cut is an edge from something that the gradient could reach to something that the target was
computed from. Without any gradient the cut is the cause. Where the gradient is a number, a part of
it may be lost; that is only said where the number that comes back can have no other meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..corrections.pytorch import paths
from ..diagnosis import LIKELY, Diagnosis, Kind, register
from ..evidence import Ask, Evidence, Op

WORDS = {
    "detach": "goes through `{called}`, which blocks the gradient",
    "no_grad": "is computed while gradients are switched off (`no_grad`)",
    "to_numpy": "leaves for NumPy, which knows nothing of gradients",
    "to_python": "becomes a Python number, which knows nothing of gradients",
    "int": "becomes a whole number, which has no derivative",
    "choice": (
        "goes through `{called}`, whose result jumps from one whole number to another and has no"
        " derivative"
    ),
    "comparison": "goes through a comparison, which is true or false and has no derivative",
    "integer": "becomes an integer, which has no derivative",
    "gradient": (
        "is differentiated, and without `create_graph=True` its gradient is a constant that keeps"
        " no path to what it was computed from"
    ),
    "sample": "is used by `{called}` to draw a number, and NumPy's generator passes no gradient",
    "outside": "is computed by `{called}`, outside of PyTorch",
    "constant": (
        "is copied into a new tensor by `{called}`, which keeps its numbers but not how they were"
        " computed"
    ),
    "parameter": "becomes a new parameter, which keeps its numbers but not how they were computed",
    "not differentiable": "goes through `{called}`, which has no derivative",
}
OUTSIDE = {"to_numpy", "to_python", "int", "sample", "outside"}
USES = {"step", "zero_grad"}
ADDED = {"to_python", "to_numpy", "constant", "gradient"}
ORDER = (
    "to_numpy", "to_python", "sample", "int", "constant", "integer", "no_grad", "detach",
    "gradient", "comparison", "choice", "parameter", "not differentiable", "outside",
)  # fmt: skip


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """At the end of the run, when it is known which gradients the program uses."""
    if ask is not None:
        return
    used = _used(evidence)
    got = {
        evidence.first(key)
        for each in evidence.asks
        for key, g in each.gradients.items()
        if g is not None
    }
    looked = [each for each in evidence.asks if each.looked and each.targets]
    first: dict[int, Diagnosis] = {}
    for own in (True, False):  # of two losses, the one that a step of the variable follows
        for each in looked:
            missing = [*_missing(evidence, each, used, got, own)]
            for diagnosis in missing if own else (*missing, *_lost(evidence, each)):
                first.setdefault(diagnosis.line, diagnosis)
    yield from first.values()


def _used(evidence: Evidence) -> set[int]:
    """The variables whose gradients the program uses: it steps, or it reads them."""
    kinds = {"step", "reads grad", "optimizer"}
    return {evidence.first(key) for e in evidence.events if e.kind in kinds for key in e.keys}


def _missing(
    evidence: Evidence, ask: Ask, used: set[int], got: set[int], own: bool
) -> Iterator[Diagnosis]:
    """Why variables get no gradient; those of a diagnosis are added to the ones that got one.

    Args:
        evidence: of the run.
        ask: the request.
        used: the variables whose gradients the program uses.
        got: those that need no explanation.
        own: only for variables that the step after this request moves.
    """
    moved = {
        evidence.first(key)
        for e in evidence.events if own and e.kind == "step" and e.asks == ask.number + 1
        for key in e.keys
    }  # fmt: skip
    if own and moved <= got:
        return
    wanted = evidence.before(ask.targets)
    refused = "does not require grad" in ask.error or "not have been used" in ask.error
    if ask.error and not refused:
        return
    if evidence.error and not ask.error and "NoneType" not in evidence.error:
        return  # the program never came to what gives the others their gradients
    empty = [
        key
        for key in _states(evidence, ask)
        if key in wanted
        and evidence.first(key) not in got
        and (refused or ask.facts.get("called") == "grad" or evidence.first(key) in used)
        and (not own or evidence.first(key) in moved)
    ]
    if not empty:
        return
    cuts = [op for op in evidence.cuts(ask.targets, empty, ask.ended) if op.place]
    op = _cause(evidence, cuts)
    if op is not None:
        got.update(map(evidence.first, empty))
        yield _diagnosis(evidence, ask, op, empty, refused)


def _states(evidence: Evidence, ask: Ask) -> list[int]:
    """All states of the sources: the target may have used an earlier one."""
    roots = {evidence.first(key) for key in ask.sources if ask.gradients.get(key) is None}
    own = [
        k for k, v in evidence.values.items() if v.role == "variable" and evidence.first(k) in roots
    ]
    return [*dict.fromkeys([*own, *roots])]


def _cause(evidence: Evidence, cuts: list[Op]) -> Op | None:
    ranked = sorted(
        (_further(evidence, op) for op in cuts), key=lambda op: (ORDER.index(op.cut), op.number)
    )
    return ranked[0] if ranked else None


def _further(evidence: Evidence, op: Op) -> Op:
    """`x.detach().numpy()` leaves for NumPy: `detach` is only how one gets there."""
    if op.cut not in {"detach", "no_grad"}:
        return op
    users = [o for key in op.outputs for o in evidence.users.get(key, ())]
    away = [o for o in users if o.cut in OUTSIDE]
    if away and len(away) == len(users):
        return away[0]
    if users and all(o.name in {"cast", "cpu"} for o in users):
        last = _further(evidence, replace_cut(users[0], op.cut))
        return last if last.cut in OUTSIDE else op
    return op


def replace_cut(op: Op, cut: str) -> Op:
    """The same op as one at which the gradient is cut already."""
    return op._replace(cut=op.cut or cut)


def _diagnosis(
    evidence: Evidence, ask: Ask, op: Op, sources: list[int], refused: bool, part: str = ""
) -> Diagnosis:
    assert op.place is not None
    later = evidence.after(op.outputs, ask.ended)
    back = next(
        (
            o
            for o in evidence.between(op.number + 1, ask.ended)
            if o.cut == "constant" and not later.isdisjoint(o.inputs) and o.place
        ),
        None,
    )
    also = {}
    if back is not None and back.place is not None and back.place.line != op.place.line:
        also["came back"] = back.place
    leaf = [
        evidence.values[key].place for key in ask.targets if evidence.values[key].role == "variable"
    ]
    made = next(
        (
            e.place
            for e in evidence.events
            if e.kind == "requires_grad" and set(e.keys) & set(ask.targets) and e.place
        ),
        None,
    )
    if leaf and made is not None:
        also["made a leaf"] = made
    names = dict.fromkeys(evidence.name(key) for key in sources)
    facts = {
        "what": evidence.name(op.inputs[0]),
        "cut": op.cut,
        "called": op.called,
        "part": part,
        "sources": [n for n in names if n][:3],
        "refused": refused,
        "word": op.name,
        "name": evidence.values[op.inputs[0]].name,
    }
    shown = "error" if refused else "none"
    return Diagnosis(
        KIND, op.place, facts, shown, ask=ask.number, also=also, level=LIKELY if part else "sure"
    )


def _lost(evidence: Evidence, ask: Ask) -> Iterator[Diagnosis]:
    """A part: a value that left is added to the target, or stands beside the one it was made of."""
    if ask.error or ask.facts.get("called") == "grad":
        return
    live = [key for key in ask.sources if ask.gradients.get(key) is not None]
    if not live:
        return
    passing = evidence.before(ask.targets, passes=True)
    added = _added(evidence, ask, live)
    cuts = [op for op in evidence.cuts(ask.targets, live, ask.ended) if op.number >= ask.began]
    for op in cuts:
        op = _further(evidence, op)
        if op.place is None:
            continue
        after = evidence.after(op.outputs, ask.ended)
        key = _source_of(evidence, op)
        if not added.isdisjoint(after) and op.cut in ADDED:
            yield _diagnosis(evidence, ask, op, live, False, "added")
        elif op.cut == "detach" and _cuts_each_step(evidence, op, cuts, passing):
            yield _diagnosis(evidence, ask, op, live, False, "steps")
        elif (
            op.cut == "detach"
            and _moves_nothing(evidence, ask, after)
            or op.cut == "gradient"
            and _is_inner_step(evidence, op, passing)
            or op.cut == "comparison"
            and _is_gate(evidence, ask, op, after)
            or op.cut in OUTSIDE | {"constant"}
            and (key in passing and _is_beside(evidence, op, after) or _is_copied(evidence, op))
        ):
            yield _diagnosis(evidence, ask, op, live, False, "beside")


def _cuts_each_step(evidence: Evidence, op: Op, cuts: list[Op], passing: set[int]) -> bool:
    """Whether a line cuts a state off at each step of a sequence, so that only the last counts.

    Rounds that all read the same input may be a search for a fixed point, whose last round is
    meant to count; steps of a sequence each read a piece of their own.
    """
    later = [o for o in cuts if o.place == op.place and o.number > op.number]
    before = evidence.before(op.inputs)
    is_chain = any(op.outputs[0] in evidence.before(o.inputs) for o in later)
    if not is_chain or op.inputs[0] in passing:
        return False
    read = {_piece(evidence, key) for key in passing}
    dropped = {_piece(evidence, key) for key in before - passing} - read
    return not {whole for whole, _ in dropped if whole}.isdisjoint(whole for whole, _ in read)


def _piece(evidence: Evidence, key: int) -> tuple[int, str]:
    """What a value is a piece of, and which; zero if it is none."""
    op = evidence.maker.get(key)
    if op is None or op.cut or op.name not in {"unbind", "getitem", "select"}:
        return 0, ""
    return op.inputs[0], f"{op.attributes} {op.outputs.index(key)}"


def _is_inner_step(evidence: Evidence, op: Op, passing: set[int]) -> bool:
    """Whether what is trained takes a step along its own gradient, and the target uses the result.

    A gradient that the program detaches in words is meant to be a constant.
    """
    moved = {evidence.first(k) for e in evidence.events if e.kind == "step" for k in e.keys}
    users = [o for key in op.outputs for o in evidence.users.get(key, ())]
    own = {evidence.first(k) for k in op.attributes.get("of", ()) if k in passing}
    return not own.isdisjoint(moved) and any(not o.cut for o in users)


def _is_gate(evidence: Evidence, ask: Ask, op: Op, after: set[int]) -> bool:
    """Whether parameters alone decide it, and get a gradient only from what does not use it.

    With a straight-through gradient, or as a mask of the parameters themselves, they meet again.
    """
    roots = set()
    for key in evidence.before(op.inputs, passes=True):
        made = evidence.maker.get(key)
        if made is None or made.cut or not made.inputs:
            roots.add(key)
    is_own = all(evidence.values[key].role == "variable" for key in roots)
    if not is_own or _is_number(evidence, op.outputs[0]):
        return False
    meets = after & evidence.after(roots, ask.ended, passes=True)
    return all(_is_number(evidence, key) for key in meets)


def _moves_nothing(evidence: Evidence, ask: Ask, after: set[int]) -> bool:
    """Whether a term behind the cut gives gradients only to what is set to zero unused."""
    moved: set[int] = set()
    for event in evidence.events:
        if event.kind == "step" and event.asks == ask.number + 1:
            moved |= {evidence.first(k) for k in event.keys}
    for term in _terms(evidence, ask) & after if moved else ():
        got = {evidence.first(k) for k in evidence.before([term], passes=True)}
        got &= {evidence.first(k) for k, g in ask.gradients.items() if g is not None}
        later = [e for e in evidence.events if e.asks > ask.number and e.kind in USES]
        first = next((e.kind for e in later if not got.isdisjoint(map(evidence.first, e.keys))), "")
        if got and got.isdisjoint(moved) and first == "zero_grad":
            return True
    return False


def _terms(evidence: Evidence, ask: Ask) -> set[int]:
    """The numbers whose sum the target is, and the sums on the way."""
    found: set[int] = set()
    todo = list(ask.targets)
    while todo:
        key = todo.pop()
        found.add(key)
        op = evidence.maker.get(key)
        if op is not None and not op.cut and op.facts.sign in {"+", "−"}:
            todo += [k for k in op.inputs if _is_number(evidence, k)]
    return found


def _is_copied(evidence: Evidence, op: Op) -> bool:
    """Whether numbers become a list only to be a tensor again: that is no way to say detach."""
    made = evidence.maker.get(op.inputs[0])
    users = [o for key in op.outputs for o in evidence.users.get(key, ())]
    is_plain = made is not None and not made.cut and op.called == "tolist"
    return is_plain and all(o.cut == "constant" for o in users)


def _is_beside(evidence: Evidence, op: Op, after: set[int]) -> bool:
    """Whether what left comes back as a state or a draw, or a copy of it as more than a weight."""
    if op.cut == "to_python" and _is_implicit(evidence, op):
        return True
    if op.cut == "constant":
        return op.called.endswith("tensor") and not _scales(evidence, op)
    leaves = op.cut == "to_numpy" or op.called == "tolist"
    return leaves and _is_state(evidence, op, after)


def _is_implicit(evidence: Evidence, op: Op) -> bool:
    """Whether `math` made the number: its own function of a tensor was meant."""
    users = [o for key in op.outputs for o in evidence.users.get(key, ())]
    return any(o.called.startswith("math.") and o.place == op.place for o in users)


def _source_of(evidence: Evidence, op: Op) -> int:
    """What left, behind the `detach` that one needs for it."""
    key = op.inputs[0]
    made = evidence.maker.get(key)
    while made is not None and made.cut in {"detach", "no_grad"} and made.inputs:
        key = made.inputs[0]
        made = evidence.maker.get(key)
    return key


def _added(evidence: Evidence, ask: Ask, live: list[int]) -> set[int]:
    """The numbers that are only added to the target and that no gradient reaches."""
    found: set[int] = set()
    reached = evidence.after(live, ask.ended, passes=True)
    computed = evidence.after(live, ask.ended)
    todo = list(ask.targets)
    while todo:
        op = evidence.maker.get(todo.pop())
        if op is None or op.cut:
            continue
        given = [k for k in op.inputs if k in computed or evidence.values[k].role == "outside"]
        if _adds(op):
            found |= {k for k in given if k not in reached and _is_number(evidence, k)}
            todo += given
        elif op.facts.sign in {"·", "/"} and len(given) == 1:
            todo += [k for k in given if _is_number(evidence, k)]
    return found


def _is_number(evidence: Evidence, key: int) -> bool:
    return evidence.values[key].shape in {(), (1,)}


def _adds(op: Op) -> bool:
    facts = op.facts
    return facts.sign in {"+", "−"} or facts.reduces in {"sum", "mean"} or facts.moves == "joins"


def _is_state(evidence: Evidence, op: Op, after: set[int]) -> bool:
    """Whether the array comes back as more than one number: a state, a mean, a draw."""
    back = [o for k in after for o in evidence.users.get(k, ()) if o.cut == "constant" or not o.cut]
    return any(evidence.values[k].shape not in {(), (1,)} for o in back for k in o.outputs)


def _scales(evidence: Evidence, op: Op) -> bool:
    """Whether the copy only scales: a weight, a normaliser, a target."""
    users = [o for key in op.outputs for o in evidence.users.get(key, ())]
    return any(o.facts.sign in {"·", "/", "−"} or o.name == "mse_loss" for o in users)


def sentence(d: Diagnosis) -> str:
    """In words."""
    f = d.facts
    what = f["what"] if f["what"] and f["cut"] != "no_grad" else f"`{d.place.code}`"
    text = f"At line {d.line} {what} {WORDS[f['cut']].format(called=f['called'])}."
    if "came back" in d.also:
        text += f" It comes back as a constant at line {d.also['came back'].line}."
    names = " and ".join(f["sources"])
    if f["part"] == "steps":
        return (
            f"{text} It does so at each step of the sequence: the gradient is a number, but lacks"
            " what the steps before the last one give."
        )
    if f["part"]:
        return f"{text} The gradient is a number, but lacks this term."
    if f["refused"]:
        return (
            f"{text} So the loss depends on {names or 'nothing that requires a gradient'} by value"
            " alone, and PyTorch refuses to differentiate it."
        )
    if "made a leaf" in d.also:
        text += (
            f" Line {d.also['made a leaf'].line} only makes the loss a leaf: PyTorch no longer"
            " complains, and there is still no path."
        )
    return f"{text} So the gradient of {names or 'what comes before'} is None."


def meant(evidence: Evidence, d: Diagnosis) -> str:
    """Methods of first order leave out the second derivatives, and say so."""
    says = re.search(r"first.?order|fomaml|reptile|create_graph\s*=\s*(False|not)",
                     str(evidence.facts.get("source", "")), re.IGNORECASE)  # fmt: skip
    return "it is of first order" if d.facts["cut"] == "gradient" and says else ""


KIND = register(
    Kind(
        "broken_path",
        20,
        "none",
        find,
        sentence,
        correct=paths,
        meant=meant,
        hides=("unused",),
        example="""\
import torch
w = torch.tensor([1.0, -2.0], requires_grad=True)
h = torch.tanh(w).detach()  # <- here
loss = (h * h).sum()
loss.backward()
""",
        healthy="""\
import torch
w = torch.tensor([1.0, -2.0], requires_grad=True)
h = torch.tanh(w)
loss = (h * h).sum()
loss.backward()
print(h.detach().numpy(), loss.item())
""",
    )
)
