"""Random PyTorch training scripts with one break at a known line, and healthy twins.

    python -m tests.viz.diagnosis.random_scripts FOLDER [FIRST LAST]    # NNNN.py; NNNNh.py

A network (two to four layers in one of three styles, one to twelve steps, by an optimizer or by
hand) gets one break: a line that cuts the path or a part of it, makes it zero or not finite, or an
order of calls that spoils the steps. The healthy twin has the same line where it is meant: it only
looks, or its gradient is not wanted.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import NamedTuple


class Break(NamedTuple):
    """Lines that are put behind a layer, `{h}` its result; and a twin in which they are meant."""

    cause: str
    kinds: tuple[str, ...]
    lines: tuple[str, ...]
    twin: tuple[str, ...] = ()


NONE = ("none", "error", "update")
CUTS = [
    Break("detach", NONE, ("{h} = {h}.detach()",), ("seen = {h}.detach()",)),
    Break("data", NONE, ("{h} = {h}.data * 1.0",), ("size = {h}.data.abs().max()",)),
    Break(
        "NumPy",
        NONE,
        ("{h} = torch.from_numpy(np.tanh({h}.detach().numpy()))",),
        ("probe = np.tanh({h}.detach().numpy()).mean()",),
    ),
    Break(
        "NumPy in steps",
        NONE,
        ("array = {h}.detach().numpy() * 0.5", "{h} = torch.as_tensor(array + 0.1)"),
        ("array = {h}.detach().numpy()", "print(array.mean())"),
    ),
    Break(
        "Python numbers", NONE, ("{h} = torch.tensor({h}.tolist())",), ("print(float({h}.mean()))",)
    ),
    Break("a copy", NONE, ("{h} = torch.tensor({h})",), ("{h} = {h}.clone()",)),
    Break(
        "no_grad",
        NONE,
        ("with torch.no_grad():", "    {h} = torch.tanh({h})"),
        ("with torch.no_grad():", "    norm = {h}.norm()"),
    ),
    Break(
        "comparison",
        (*NONE, "zero"),
        ("{h} = ({h} > 0).float()",),
        ("share = ({h} > 0).float().mean().item()",),
    ),
    Break(
        "integers",
        NONE,
        ("{h} = ({h} * 8).long().float() / 8",),
        ("bins = ({h} * 8).long().unique()",),
    ),
    Break(
        "choice",
        NONE,
        ("{h} = torch.nn.functional.one_hot({h}.argmax(dim=1), {h}.shape[1]).float()",),
        ("best = {h}.argmax(dim=1)",),
    ),
    Break("new parameter", NONE, ("{h} = nn.Parameter({h})",), ("{h} = {h} + 0.0",)),
]
PARTS = [
    Break(
        "penalty as a number",
        ("none", "wrong"),
        ("extra = extra + {h}.pow(2).mean().item()",),
        ("extra = extra + {h}.pow(2).mean()", "print({h}.pow(2).mean().item())"),
    ),
    Break(
        "penalty through NumPy",
        ("none", "wrong"),
        ("extra = extra + float(np.abs({h}.detach().numpy()).mean())",),
        ("extra = extra + {h}.abs().mean()", "print(np.abs({h}.detach().numpy()).mean())"),
    ),
    Break(
        "penalty through math",
        ("none", "wrong"),
        ("extra = extra + math.log(1.0 + {h}.pow(2).sum().item())",),
        ("extra = extra + torch.log(1.0 + {h}.pow(2).sum())",),
    ),
]
ZEROS = [
    Break(
        "dead relu",
        ("zero",),
        ("{h} = torch.relu({h} - 100.0)",),
        ("{h} = torch.relu({h} + 100.0)",),
    ),
    Break(
        "saturated",
        ("zero",),
        ("{h} = torch.sigmoid({h} + 150.0)",),
        ("{h} = torch.sigmoid({h} + 1.0)",),
    ),
    Break(
        "clipped away",
        ("zero",),
        ("{h} = {h}.clamp(50.0, 60.0)",),
        ("{h} = {h}.clamp(-50.0, 60.0)",),
    ),
    Break(
        "rounded",
        ("zero", "none"),
        ("{h} = torch.round({h} * 4) / 4",),
        ("{h} = {h} + (torch.round({h} * 4) / 4 - {h}).detach()",),
    ),
    Break(
        "softmax of one",
        ("zero",),
        ("{h} = torch.softmax({h}[:, :1], dim=1) * torch.ones_like({h})",),
        ("{h} = torch.softmax({h}, dim=1)",),
    ),
]
NANS = [
    Break(
        "root of zero",
        ("nan", "overflow"),
        ("{h} = torch.sqrt({h} - {h})",),
        ("{h} = torch.sqrt({h} ** 2 + 1.0)",),
    ),
    Break(
        "logarithm of zero",
        ("nan", "overflow"),
        ("{h} = torch.log(torch.relu({h} - 50.0))",),
        ("{h} = torch.log(torch.relu({h}) + 1.0)",),
    ),
    Break(
        "zero by zero",
        ("nan", "overflow"),
        ("{h} = {h} / ({h} * 0.0).norm()",),
        ("{h} = {h} / ({h}.norm() + 1.0)",),
    ),
    Break(
        "overflow",
        ("nan", "overflow"),
        ("{h} = torch.exp({h} * 100.0 + 300.0)",),
        ("{h} = torch.exp({h} * 0.1)",),
    ),
    Break(
        "branch not taken",
        ("nan", "overflow"),
        ("{h} = torch.where({h} > 1e9, torch.log({h} - {h}), {h})",),
        ("{h} = torch.where({h} > 0, torch.log1p(torch.relu({h})), {h})",),
    ),
]
ERRORS = [
    Break(
        "in place",
        ("error",),
        ("{h} = torch.exp({h} * 0.1)", "{h} += 1.0"),
        ("{h} = {h} * 0.1", "{h} += 1.0"),
    ),
    Break(
        "part in place",
        ("error",),
        ("{h} = torch.sigmoid({h})", "{h}[0] = 0.0"),
        ("{h} = torch.sigmoid({h}).clone()", "{h}[0] = 0.0"),
    ),
    Break(
        "NumPy of what is tracked",
        ("error",),
        ("{h} = {h} * torch.from_numpy(np.cos({h}.numpy()))",),
        ("{h} = {h} * torch.cos({h})",),
    ),
]
ORDERS = ["no zero_grad", "zero_grad too late", "uphill", "none of the first layer"]
ACTS = ["torch.tanh", "torch.sigmoid", "nn.functional.softplus", "torch.sin", "nn.functional.elu"]


class Script(NamedTuple):
    """A script, its lines that may be named, the kinds, and the cause."""

    text: str
    lines: list[int]
    kinds: tuple[str, ...]
    cause: str


def script(seed: int, healthy: bool = False) -> Script:
    """The script of a seed, or its healthy twin."""
    r = random.Random(seed)
    family = r.choices([CUTS, PARTS, ZEROS, NANS, ERRORS, ORDERS], [6, 2, 2, 2, 2, 3])[0]
    chosen = r.choice(family)  # type: ignore[var-annotated]
    inner = chosen if isinstance(chosen, Break) else None
    order = "" if inner is not None or healthy else chosen
    widths = [r.randint(2, 5) for _ in range(r.randint(2, 4))] + [1]
    at = r.randrange(len(widths) - 1)
    style, h = (
        r.choice(["inline", "function", "module"]),
        r.choice(["h", "hidden", "z", "features"]),
    )
    steps, rows, rate = r.choice([3, 6, 12]), r.randint(6, 9), 0.01
    acts = [r.choice(ACTS) for _ in widths]
    by_hand = order in {"no zero_grad", "uphill"} and r.random() < 0.5
    lines = () if inner is None else inner.twin if healthy else inner.lines
    out, accepted = (
        [
            "import math",
            "",
            "import numpy as np",
            "import torch",
            "from torch import nn",
            "",
            f"torch.manual_seed({seed})",
            f"x = torch.randn({rows}, 3)",
            "y = x.sum(dim=1, keepdim=True)",
        ],
        [],
    )
    layer = "self.layers" if style == "module" else "layers"
    body = ["extra = 0.0"]
    for i, act in enumerate(acts):
        given = "x" if i == 0 else h
        body.append(
            f"{h} = {act}({layer}[{i}]({given}))"
            if i < len(widths) - 1
            else f"{h} = {layer}[{i}]({given})"
        )
        if i == at:
            body += ["@" + line.format(h=h) for line in lines]
    made = ", ".join(f"nn.Linear({a}, {b})" for a, b in zip([3, *widths[:-1]], widths, strict=True))
    kind = "nn.ModuleList" if style == "module" or not by_hand else ""

    def put(text: str, indent: int) -> None:
        if text.startswith("@"):
            text = text[1:]
            if not healthy:
                accepted.append(len(out) + 1)
        out.append("    " * indent + text)

    if style == "module":
        out += [
            "",
            "",
            "class Net(nn.Module):",
            "    def __init__(self):",
            "        super().__init__()",
            f"        self.layers = {kind}([{made}])",
            "",
            "    def forward(self, x):",
        ]
        for row in body:
            put(row, 2)
        out += [
            f"        return {h}, extra",
            "",
            "",
            "net = Net()",
            "parameters = list(net.parameters())",
        ]
        call = "net(x)"
    else:
        out += [
            f"layers = [{made}]",
            "parameters = [p for layer in layers for p in layer.parameters()]",
        ]
        if style == "function":
            out += ["", "", "def forward(x):"]
            for row in body:
                put(row, 1)
            out += [f"    return {h}, extra", "", ""]
        call = "forward(x)"
    if not by_hand:
        if order == "none of the first layer":
            accepted.append(len(out) + 1)
            out.append(f"optimizer = torch.optim.SGD(parameters[2:], lr={rate})")
        else:
            out.append(
                f"optimizer = torch.optim.{r.choice(['SGD', 'Adam'])}(parameters, lr={rate})"
            )
    out.append(f"for step in range({steps}):")
    if style == "inline":
        for row in body:
            put(row, 1)
        out.append(f"    output = {h}")
    else:
        out.append(f"    output, extra = {call}")
    out.append("    loss = (output - y).pow(2).mean() + 0.1 * extra")
    _steps(out, accepted, order, by_hand, rate)
    out.append("print(loss.item())")
    kinds = () if healthy else inner.kinds if inner is not None else ("update", "overflow")
    cause = inner.cause if inner is not None else chosen
    return Script("\n".join(out) + "\n", accepted, kinds, cause)


def _steps(out: list[str], accepted: list[int], order: str, by_hand: bool, rate: float) -> None:
    """The backward pass and the step, in the right order or in a wrong one."""
    here = len(out) + 1
    if by_hand:
        sign = "+" if order == "uphill" else "-"
        out += [
            "    loss.backward()",
            "    with torch.no_grad():",
            "        for p in parameters:",
            f"            p {sign}= {rate} * p.grad",
        ]
        out += [] if order == "no zero_grad" else ["            p.grad = None"]
        accepted += range(here, here + 4) if order else []
    elif order == "no zero_grad":
        out += ["    loss.backward()", "    optimizer.step()"]
        accepted += [here, here + 1]
    elif order == "zero_grad too late":
        out += ["    loss.backward()", "    optimizer.zero_grad()", "    optimizer.step()"]
        accepted += [here + 1, here + 2]
    elif order == "uphill":
        out += ["    optimizer.zero_grad()", "    (-loss).backward()", "    optimizer.step()"]
        accepted += [here + 1, here + 2]
    else:
        out += ["    optimizer.zero_grad()", "    loss.backward()", "    optimizer.step()"]


def main(folder: str, first: int = 0, last: int = 40) -> None:
    """Writes scripts and twins."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    for seed in range(first, last):
        one, twin = script(seed), script(seed, healthy=True)
        (place / f"{seed:04}.py").write_text(one.text)
        data = {
            "lines": one.lines,
            "kinds": one.kinds,
            "cause": one.cause,
            "check": "import math\nassert math.isfinite(loss.item())",
        }
        (place / f"{seed:04}.json").write_text(json.dumps(data))
        (place / f"{seed:04}h.py").write_text(twin.text)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:4]))
