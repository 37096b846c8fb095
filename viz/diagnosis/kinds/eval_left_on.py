"""A model is evaluated between two rounds of its training, and not set to train again."""

from __future__ import annotations

from collections.abc import Iterator

from ..corrections.edits import after, loops_around, statement_of
from ..diagnosis import LIKELY, Correction, Diagnosis, Kind, register
from ..evidence import Ask, Evidence
from ..source_text import Source


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """The same lines train it before its evaluation and after, and nothing else was set."""
    modes = [e for e in evidence.events if e.kind == "mode"] if ask is None else []
    for event in modes:
        if event.facts["to"] or not event.facts["evaluated"] or event.place is None:
            continue
        own = set(map(evidence.first, event.keys))
        back = [e for e in modes if e.facts["to"] and e.asks >= event.asks]
        places = [a.place for a in evidence.asks]
        again = set(places[: event.asks]) & set(places[event.asks :]) - {None}
        steps = [
            {*map(evidence.first, e.keys)} for e in evidence.events
            if e.kind == "step" and e.asks > event.asks
        ]  # fmt: skip
        steps = [keys for keys in steps if keys & own]
        if again and not back and len(steps) > 1 and all(keys <= own for keys in steps):
            asked = next(place for place in places if place in again)
            also = {"asked": asked} if asked is not None else {}
            facts = {"layers": event.facts["layers"]}
            yield Diagnosis(KIND, event.place, facts, ask=0, also=also, level=LIKELY)
            return


def sentence(d: Diagnosis) -> str:
    """In words."""
    return (
        f"`{d.place.code or d.place.text}` at line {d.line} is never undone: from the second round"
        f" on, layers such as {d.facts['layers']} work as in an evaluation while line"
        f" {d.also['asked'].line} trains. Call `train()` before each round of training."
    )


def meant(evidence: Evidence, d: Diagnosis) -> str:
    """Nobody evaluates a model in order to train it so: layers are frozen one by one."""
    return ""


def correct(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """Back to training at the end of the block, or at the beginning of a round."""
    statement, asked = statement_of(source, d.place), statement_of(source, d.also["asked"])
    call = d.place.code.replace(".eval()", ".train()")
    if statement is not None and call.endswith(".train()"):
        yield Correction(source.edited([after(source, source.block(statement)[-1], call)]))
        for loop in loops_around(source, asked)[-1:]:
            yield Correction(source.edited([source.before(loop.body[0], call)]))


KIND = register(
    Kind(
        "eval_left_on",
        38,
        "update",
        find,
        sentence,
        correct=correct,
        meant=meant,
        example="""\
import torch
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Dropout(0.5), torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(8, 2), torch.randn(8, 1)
for epoch in range(4):
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(x), y).backward()
    optimizer.step()
    model.eval()  # <- here
    with torch.no_grad():
        print(torch.nn.functional.mse_loss(model(x), y).item())
""",
        healthy="""\
import torch
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Dropout(0.5), torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(8, 2), torch.randn(8, 1)
for epoch in range(4):
    model.train()
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(x), y).backward()
    optimizer.step()
    model.eval()
    with torch.no_grad():
        print(torch.nn.functional.mse_loss(model(x), y).item())
""",
    )
)
