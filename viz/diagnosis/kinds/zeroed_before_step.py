"""The gradients are set to zero between `backward` and `step`, so no step moves anything."""

from __future__ import annotations

from collections.abc import Iterator

from ..corrections.edits import after, moved_before, statement_of
from ..diagnosis import Correction, Diagnosis, Kind, register
from ..evidence import Ask, Evidence
from ..source_text import Source


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """Two steps had no gradient at all, and `zero_grad` stands between the request and the step."""
    if ask is not None:
        return
    rounds = 0
    events = evidence.events
    for number, step in enumerate(events):
        if (
            step.kind != "step"
            or step.facts.get("by") != "optimizer"
            or not step.facts.get("zeros")
            or not step.asks
        ):
            continue
        keys = set(step.keys)
        zero = next(
            (
                e
                for e in reversed(events[:number])
                if e.kind == "zero_grad" and keys & set(e.keys or keys)
            ),
            None,
        )
        if zero is None or zero.asks != step.asks or zero.place is None or step.place is None:
            continue
        rounds += 1
        if rounds == 2:
            backward = next((a.place for a in evidence.asks if a.number == step.asks - 1), None)
            also = {"step": step.place} | ({"backward": backward} if backward else {})
            yield Diagnosis(KIND, zero.place, {}, ask=0, also=also)
            return


def sentence(d: Diagnosis) -> str:
    """In words."""
    backward = f" of line {d.also['backward'].line}" if "backward" in d.also else ""
    return (
        f"Line {d.line} sets the gradients{backward} to zero before line {d.also['step'].line}"
        " steps, so no step has a gradient to follow, and nothing is learnt. Set them to zero"
        " before `backward`, or after `step`."
    )


def meant(evidence: Evidence, d: Diagnosis) -> str:
    """Never: a step without any gradient does nothing."""
    return ""


def correct(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """It moves before `backward`."""
    zero, backward = statement_of(source, d.place), statement_of(source, d.also.get("backward"))
    step = statement_of(source, d.also["step"])
    if zero is None or step is None:
        return
    if backward is not None and zero.lineno > backward.lineno:
        yield Correction(source.edited(moved_before(source, zero, backward)))
    if backward is not None and backward.lineno > step.lineno:  # zero, step, backward
        yield Correction(
            source.edited([source.without(step), after(source, backward, source.code(step))])
        )


KIND = register(
    Kind(
        "zeroed_before_step",
        34,
        "update",
        find,
        sentence,
        correct=correct,
        meant=meant,
        hides=("vanishing", "never_stepped"),
        example="""\
import torch
w = torch.tensor([1.0, -2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for step in range(4):
    (w * w).sum().backward()
    optimizer.zero_grad()  # <- here
    optimizer.step()
""",
        healthy="""\
import torch
w = torch.tensor([1.0, -2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for step in range(4):
    (w * w).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
""",
    )
)
