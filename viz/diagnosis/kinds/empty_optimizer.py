"""An optimizer that gets no parameters, because the module does not know its own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..corrections.modules import registered
from ..diagnosis import Correction, Diagnosis, Kind, refused, register
from ..evidence import Ask, Evidence, Place
from ..source_text import Source


def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
    """PyTorch refuses; the mistake is where plain tensors or lists hold the parameters."""
    if (
        ask is not None
        or "empty parameter list" not in evidence.error
        or evidence.error_place is None
    ):
        return
    made = [
        v
        for v in evidence.values.values()
        if v.role == "variable" and v.place and v.name.startswith("self.")
    ]
    also = {"optimizer": evidence.error_place}
    if made and made[0].place is not None:
        facts = {"names": list(dict.fromkeys(v.name for v in made))[:4], "how": "tensor"}
        yield Diagnosis(KIND, made[0].place, facts, ask=0, also=also)
        return
    place = _list(evidence) or evidence.error_place
    how = "list" if place is not evidence.error_place else ""
    yield Diagnosis(KIND, place, {"names": [], "how": how}, "error", ask=0, also=also)


def _list(evidence: Evidence) -> Place | None:
    """Where a list or dict of modules is kept in `__init__`: the layers were made there."""
    for value in evidence.values.values():
        place = value.place
        if place is not None and re.match(r"self\.\w+\s*=\s*[\[{(]", place.text):
            return place
    return None


def sentence(d: Diagnosis) -> str:
    """In words."""
    f, line = d.facts, d.also["optimizer"].line
    if f["how"] == "tensor":
        names = " and ".join(f"`{n}`" for n in f["names"])
        return (
            f"{names} (line {d.line})"
            f" {'are plain tensors' if len(f['names']) > 1 else 'is a plain tensor'}, but a"
            " module counts only `nn.Parameter`s as parameters. So `parameters()` is empty,"
            f" and the optimizer at line {line} refuses it."
        )
    if f["how"] == "list":
        return (
            f"Line {d.line} keeps layers in a plain list or dict, where a module does not look"
            f" for parameters. So `parameters()` is empty, and the optimizer at line {line} refuses"
            " it. `nn.ModuleList` is seen."
        )
    return (
        f"The optimizer at line {line} gets no parameters: its argument is empty, or is an"
        " iterator that was already used up."
    )


def correct(source: Source, d: Diagnosis) -> Iterator[Correction]:
    """What is hidden is registered; an iterator becomes a list."""
    edits = registered(source)
    if edits:
        yield Correction(source.edited(edits))
    text = re.sub(
        r"^(\s*\w+\s*=\s*)(\w+\.parameters\(\))\s*$", r"\1list(\2)", source.text, flags=re.M
    )
    yield Correction(text)


KIND = register(
    Kind(
        "empty_optimizer",
        3,
        "update",
        find,
        sentence,
        correct=correct,
        meant=refused,
        example="""\
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.ones(3, requires_grad=True)  # <- here
optimizer = torch.optim.SGD(Net().parameters(), lr=0.1)
""",
        healthy="""\
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(3))
optimizer = torch.optim.SGD(Net().parameters(), lr=0.1)
""",
    )
)
