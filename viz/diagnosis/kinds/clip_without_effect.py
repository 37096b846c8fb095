"""Gradients are clipped where no step uses them: after the step, or before they are computed."""

from __future__ import annotations

from collections.abc import Iterator

from ..corrections.edits import moved_before, optimizers, statement_of
from ..diagnosis import Correction, Diagnosis, Kind, register
from ..evidence import Ask, Evidence
from ..source_text import Source


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """In two rounds no step lies between the clipping and the next request."""
    if ask is not None:
        return
    rounds: dict[int, int] = {}
    events = evidence.events
    for number, event in enumerate(events):
        if event.kind != "clip" or event.place is None:
            continue
        later = [e for e in events[number + 1 : number + 400] if e.asks == event.asks]
        earlier = [e for e in events[max(0, number - 400) : number] if e.asks == event.asks]
        stepped = any(e.kind == "step" for e in later)
        before = any(e.kind == "step" for e in earlier)
        last = event.asks >= evidence.facts.get("asked", 1 << 60)
        if (
            stepped
            or not before
            or last
            and rounds.get(event.place.line, 0) == 0
            and event.asks > 1
        ):
            continue
        rounds[event.place.line] = rounds.get(event.place.line, 0) + 1
        if rounds[event.place.line] == 2:
            step = next(e.place for e in reversed(earlier) if e.kind == "step")
            facts = {"called": event.facts["called"]}
            yield Diagnosis(KIND, event.place, facts, ask=0, also={"step": step} if step else {})


def sentence(d: Diagnosis) -> str:
    """In words."""
    step = f" at line {d.also['step'].line}" if "step" in d.also else ""
    return (
        f"`{d.facts['called']}` at line {d.line} runs after the step{step}, which has used the"
        " gradients as they were: the clipping has no effect. It belongs between `backward` and"
        " `step`."
    )


def meant(evidence: Evidence, d: Diagnosis) -> str:
    """Its result may be wanted as a norm to look at."""
    return "the norm is kept" if d.place.text.split("(")[0].count("=") else ""


def correct(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """It moves before the step."""
    clip, step = statement_of(source, d.place), statement_of(source, d.also.get("step"))
    if clip is not None and step is not None and optimizers(source):
        yield Correction(source.edited(moved_before(source, clip, step)))


KIND = register(
    Kind(
        "clip_without_effect",
        36,
        "update",
        find,
        sentence,
        correct=correct,
        meant=meant,
        example="""\
import torch
w = torch.tensor([30.0, -20.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for step in range(4):
    optimizer.zero_grad()
    (w * w).sum().backward()
    optimizer.step()
    torch.nn.utils.clip_grad_norm_([w], 1.0)  # <- here
""",
        healthy="""\
import torch
w = torch.tensor([30.0, -20.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for step in range(4):
    optimizer.zero_grad()
    (w * w).sum().backward()
    torch.nn.utils.clip_grad_norm_([w], 1.0)
    optimizer.step()
""",
    )
)
