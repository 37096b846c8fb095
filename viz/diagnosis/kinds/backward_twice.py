"""A graph is used a second time: by a second `backward`, or through a state that is carried on."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..corrections.edits import after as following, loops_around, statement_of, with_keyword
from ..diagnosis import Correction, Diagnosis, Kind, refused, register
from ..evidence import Ask, Evidence
from ..source_text import Source


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """The request failed, and its way back leads to what an earlier one has released."""
    if ask is None or "a second time" not in ask.error or ask.place is None:
        return
    earlier = [each for each in evidence.asks if each.number in ask.facts.get("again", ())]
    last = max(earlier, key=lambda each: each.number, default=None)
    last = last or next((e for e in reversed(evidence.asks) if e.number < ask.number), None)
    if last is None or last.place is None:
        return
    also = {"first": last.place}
    number = last.number
    if set(last.targets) & set(ask.targets):
        facts = {"how": "same", "name": evidence.values[ask.targets[0]].name}
        yield Diagnosis(KIND, ask.place, facts, "error", ask=number, also=also)
        return
    wanted = evidence.before(ask.targets, passes=True)
    for op in evidence.between(last.ended, ask.ended):
        if op.cut or op.place is None or wanted.isdisjoint(op.outputs):
            continue
        for key in op.inputs:
            made = evidence.maker.get(key)
            if made is None or made.number >= last.ended or made.cut or not _hangs(evidence, key):
                continue
            also["asked again"] = ask.place
            if made.place is not None:
                also["made"] = made.place
            facts = {"how": "carried", "name": evidence.values[key].name}
            yield Diagnosis(KIND, op.place, facts, "error", ask=number, also=also)
            return
    facts = {"how": "shared", "name": evidence.values[ask.targets[0]].name}
    yield Diagnosis(KIND, ask.place, facts, "error", ask=number, also=also)


def _hangs(evidence: Evidence, key: int) -> bool:
    """Whether a value still has a path to a variable."""
    roots = evidence.before([key], passes=True)
    return any(evidence.values[k].role in {"variable", "unknown"} for k in roots - {key})


def sentence(d: Diagnosis) -> str:
    """In words."""
    f, first = d.facts, d.also["first"].line
    name = f"`{f['name']}`" if f["name"] else "a tensor"
    if f["how"] == "carried":
        return (
            f"At line {d.line} {name} still depends on the ops of the last time, which `backward`"
            f" at line {first} has already used and released. Line {d.also['asked again'].line}"
            " would need them again."
        )
    what = f"for {name}" if f["how"] == "same" else "for what both losses share"
    return (
        f"`backward` at line {first} has released what the graph saved {what}, and line {d.line}"
        " needs it again: a graph can be used once, unless it is kept (`retain_graph=True`)."
    )


def correct(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """What is computed once moves into the loop, a state is detached, or the graph is kept."""
    if d.facts["how"] == "carried":
        yield from _carried(source, d)
    first = source.node(d.also["first"].span)
    if isinstance(first, ast.Call) and d.facts["how"] != "carried":
        yield Correction(source.edited([with_keyword(source, first, "retain_graph=True")]))


def _carried(source: Source, d: Diagnosis) -> Iterator[Correction]:
    name = d.facts["name"]
    use = statement_of(source, d.place)
    made = statement_of(source, d.also.get("made"))
    asked = statement_of(source, d.also["asked again"])
    loops = loops_around(source, asked) if asked is not None else []
    if (
        made is not None
        and loops
        and made.lineno < loops[0].lineno
        and source.scope(made) is source.scope(loops[0])
    ):
        first = loops[0].body[0]
        lines = [made]
        block = source.block(made)
        if loops[0] in block:  # what follows it may use it
            after = block[block.index(made) : block.index(loops[0])]
            lines = [s for s in after if isinstance(s, ast.Assign)]
            yield Correction(
                source.edited(
                    [
                        *(source.without(s) for s in lines),
                        *(source.before(first, source.code(s)) for s in lines[:1]),
                        *(source.before(first, source.code(s)) for s in lines[1:]),
                    ]
                )
            )
        yield Correction(
            source.edited([source.without(made), source.before(first, source.code(made))])
        )
    if use is None or not name:
        return
    if "[" in name:
        base = name.split("[")[0]
        name, text = base, f"{base} = tuple(each.detach() for each in {base})"
    else:
        text = f"{name} = {name}.detach()"
    if loops and use in ast.walk(loops[0]):
        yield Correction(source.edited([source.before(loops[0].body[0], text)]))
    if isinstance(use, ast.AugAssign) and source.code(use.target) == name:
        new = f"{name} = {name}.detach() + {source.code(use.value)}"
        yield Correction(source.edited([source.replaced(use, new)]))
    yield Correction(source.edited([source.before(use, text)]))
    if asked is not None:
        yield Correction(source.edited([following(source, asked, text)]))
    if loops:
        pair = f"{name} = tuple(each.detach() for each in {name})"
        yield Correction(source.edited([following(source, asked, pair)]))


KIND = register(
    Kind(
        "backward_twice",
        8,
        "error",
        find,
        sentence,
        correct=correct,
        meant=refused,
        example="""\
import torch
w = torch.tensor([1.0, -2.0], requires_grad=True)
loss = (w * w).sum()
loss.backward()
loss.backward()  # <- here
""",
        healthy="""\
import torch
w = torch.tensor([1.0, -2.0], requires_grad=True)
loss = (w * w).sum()
loss.backward(retain_graph=True)
loss.backward()
""",
    )
)
