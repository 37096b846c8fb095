"""A parameter is in the optimizer, but no loss depends on it."""

from __future__ import annotations

from collections.abc import Iterator

from ..diagnosis import LIKELY, Diagnosis, Kind, register
from ..evidence import Ask, Evidence


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """At the end: without a gradient in each step that was looked at, and used nowhere."""
    if ask is not None or evidence.facts.get("unseen"):
        return
    steps = [e for e in evidence.events if e.kind == "step" and "without" in e.facts and e.asks]
    asks = [a for a in evidence.asks if a.looked and not a.error]
    if len(steps) < 2 or not asks:
        return
    left: set[int] = set()
    for optimizer in {e.facts["optimizer"] for e in steps}:
        own = [
            {evidence.first(k) for k in e.facts["without"]}
            for e in steps
            if e.facts["optimizer"] == optimizer
        ]
        left |= set.intersection(*own) if len(own) > 1 else set()
    used: set[int] = set()
    for each in asks:
        wanted = evidence.before(each.targets)
        if any(evidence.values[k].role == "unknown" for k in wanted):
            return
        used |= {evidence.first(k) for k in wanted}
    got = {evidence.first(k) for a in asks for k, g in a.gradients.items() if g is not None}
    missing = sorted(left - used - got)
    value = next(
        (evidence.values[k] for k in missing if evidence.values[k].place is not None), None
    )
    if value is None or value.place is None:
        return
    names = [evidence.values[k].name for k in missing if evidence.values[k].name]
    yield Diagnosis(
        KIND, value.place, {"names": names[:4], "count": len(missing)}, ask=0, level=LIKELY
    )


def sentence(d: Diagnosis) -> str:
    """In words."""
    f = d.facts
    names = " and ".join(f"`{n}`" for n in f["names"]) or "a parameter"
    many = f["count"] > 1
    return (
        f"{names} (made at line {d.line}) {'are' if many else 'is'} in the optimizer, but no loss"
        f" is computed from {'them' if many else 'it'}: the gradient is None in every step."
    )


def meant(evidence: Evidence, d: Diagnosis) -> str:
    """A module that is switched off on purpose is frozen, and then it has no gradient to miss."""
    off = any(e.kind == "requires_grad" and not e.facts["to"] for e in evidence.events)
    return "something is frozen" if off else ""


KIND = register(
    Kind(
        "unused",
        70,
        "none",
        find,
        sentence,
        meant=meant,
        example="""\
import torch
w = torch.tensor([1.0, -2.0], requires_grad=True)
b = torch.tensor([0.5], requires_grad=True)  # <- here
optimizer = torch.optim.SGD([w, b], lr=0.1)
for step in range(4):
    optimizer.zero_grad()
    (w * w).sum().backward()
    optimizer.step()
""",
        healthy="""\
import torch
w = torch.tensor([1.0, -2.0], requires_grad=True)
b = torch.tensor([0.5], requires_grad=True)
optimizer = torch.optim.SGD([w, b], lr=0.1)
for step in range(4):
    optimizer.zero_grad()
    (w * w).sum().backward() if step % 2 else (b * b).sum().backward()
    optimizer.step()
""",
    )
)
