"""A parameter gets a gradient in every step, but no optimizer has it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..corrections.modules import optimizer_later, registered, with_parameters
from ..diagnosis import LIKELY, Correction, Diagnosis, Kind, register
from ..evidence import Ask, Evidence
from ..source_text import Source


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """At the end: what got gradients that are not zero, and what any step has moved."""
    if ask is not None:
        return
    made = [e for e in evidence.events if e.kind == "optimizer" and e.place is not None]
    steps = [e for e in evidence.events if e.kind == "step"]
    asks = [
        a
        for a in evidence.asks
        if a.facts.get("called") == "backward" and a.gradients and not a.error
    ]
    if len(steps) < 2 or not made or len(asks) < 2:
        return
    kinds = {"step", "optimizer", "reads grad"}
    known = {evidence.first(k) for e in evidence.events if e.kind in kinds for k in e.keys}
    grads = [a for a in evidence.asks if a.facts.get("called") == "grad"]
    inputs = {evidence.first(k) for a in grads for k in a.sources}
    got = [
        {evidence.first(k) for k, g in a.gradients.items() if g is not None and g.any()}
        for a in asks
    ]
    created = {evidence.first(e) for e in _made_in_loop(evidence)}
    left = sorted(set.intersection(*got) - known - inputs - created)
    left = [k for k in left if evidence.values[k].role == "variable"]
    if not left:
        return
    names = [evidence.values[k].name for k in left]
    places = [evidence.values[k].place for k in left]
    place = made[0].place
    assert place is not None
    later = next((p for p in places if p is not None and p.line > place.line), None)
    hidden = not all(names)
    facts = {"names": [n for n in names if n], "hidden": hidden, "count": len(left)}
    first = later or next((p for p in places if p is not None), None)
    also = {"made": first} if first is not None else {}
    yield Diagnosis(KIND, place, facts, ask=0, also=also, level=LIKELY)


def _made_in_loop(evidence: Evidence) -> set[int]:
    """Variables that are made anew between requests: inputs of which one wants a slope."""
    first = evidence.asks[0].ended if evidence.asks else 0
    return {
        k
        for k, v in evidence.values.items()
        if v.role == "variable" and (op := evidence.maker.get(k)) is not None and op.number >= first
    }


def sentence(d: Diagnosis) -> str:
    """In words."""
    f = d.facts
    names = ", ".join(f"`{n}`" for n in f["names"][:3]) or f"{f['count']} parameters"
    made = f" (made at line {d.also['made'].line})" if "made" in d.also else ""
    verb = "get gradients" if f["count"] > 1 else "gets gradients"
    return (
        f"The optimizer of line {d.line} does not have {names}{made}:"
        f" {'they' if f['count'] > 1 else 'it'} {verb}, and no step ever changes"
        f" {'them' if f['count'] > 1 else 'it'}."
    )


def meant(evidence: Evidence, d: Diagnosis) -> str:
    """Weights that were loaded are often left as they are."""
    text = str(evidence.facts.get("source", ""))
    loaded = re.search(r"load_state_dict|pretrained|weights\s*=|from_pretrained|deepcopy", text)
    return "the weights were loaded" if loaded else ""


def correct(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """What is hidden is registered; the optimizer is made later, or gets more."""
    edits = registered(source)
    if edits:
        yield Correction(source.edited(edits))
    for text in optimizer_later(source, d.place, d.also.get("made")):
        yield Correction(text)
    for text in with_parameters(source, d.place, d.facts["names"]):
        yield Correction(text)


KIND = register(
    Kind(
        "not_in_optimizer",
        25,
        "update",
        find,
        sentence,
        correct=correct,
        meant=meant,
        example="""\
import torch
from torch import nn
torch.manual_seed(0)
body, head = nn.Linear(3, 4), nn.Linear(4, 1)
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)  # <- here
for step in range(4):
    optimizer.zero_grad()
    head(torch.tanh(body(torch.ones(2, 3)))).pow(2).mean().backward()
    optimizer.step()
""",
        healthy="""\
import torch
from torch import nn
torch.manual_seed(0)
body, head = nn.Linear(3, 4), nn.Linear(4, 1)
body.requires_grad_(False)
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
for step in range(4):
    optimizer.zero_grad()
    head(torch.tanh(body(torch.ones(2, 3)))).pow(2).mean().backward()
    optimizer.step()
""",
    )
)
