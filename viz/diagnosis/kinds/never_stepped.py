"""An optimizer whose `step` is never called, although gradients are computed again and again."""

from __future__ import annotations

from collections.abc import Iterator

from ..corrections.edits import after, statement_of
from ..diagnosis import LIKELY, Correction, Diagnosis, Kind, register
from ..evidence import Ask, Evidence
from ..source_text import Source


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """At the end: three requests at one line, an optimizer, and no step of any kind."""
    if ask is not None or evidence.error:
        return
    made = [e for e in evidence.events if e.kind == "optimizer"]
    if len(made) != 1 or any(e.kind == "step" for e in evidence.events) or made[0].place is None:
        return
    places = [a.place for a in evidence.asks if a.facts.get("called") == "backward" and a.place]
    for place in dict.fromkeys(places):
        if places.count(place) >= 3:
            text = made[0].place.text
            facts = {"name": text.split("=")[0].strip() if "=" in text.split("(")[0] else ""}
            yield Diagnosis(KIND, place, facts, ask=0, also={"made": made[0].place}, level=LIKELY)
            return


def sentence(d: Diagnosis) -> str:
    """In words."""
    name = f"`{d.facts['name']}`" if d.facts["name"] else "The optimizer"
    return (
        f"Line {d.line} computes gradients again and again, and {name} (line {d.also['made'].line})"
        " never takes a step: `step()` is not called, so no parameter changes."
    )


def meant(evidence: Evidence, d: Diagnosis) -> str:
    """A script that only looks at gradients has no optimizer."""
    return ""


def correct(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """`step()` after `backward`."""
    backward = statement_of(source, d.place)
    if backward is not None and d.facts["name"]:
        yield Correction(source.edited([after(source, backward, f"{d.facts['name']}.step()")]))


KIND = register(
    Kind(
        "never_stepped",
        37,
        "update",
        find,
        sentence,
        correct=correct,
        meant=meant,
        example="""\
import torch
w = torch.tensor([1.0, -2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for step in range(4):
    optimizer.zero_grad()
    (w * w).sum().backward()  # <- here
""",
        healthy="""\
import torch
w = torch.tensor([1.0, -2.0], requires_grad=True)
for rate in (0.1, 0.2, 0.3):
    w.grad = None
    (rate * w * w).sum().backward()
    print(w.grad)
""",
    )
)
