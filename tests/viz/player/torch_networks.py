"""Random networks of nested PyTorch modules: the same seed gives the same network.

Every module keeps the shape [2, 4, 4] of its input, so that any module may stand in any other.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn import functional

import minitape.viz.adapters.torch as adapter

BATCH, TIME, WIDTH, WORDS = 2, 4, 4, 9
DEPTH = 2  # how deep blocks lie in blocks


class Attention(nn.Module):
    """Self-attention with one projection for all three, as a fused call or by hand."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__()
        self.fused, self.heads = rng.random() < 0.5, rng.choice([1, 2])
        self.project, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH, bias=False)

    def forward(self, x: Any) -> Any:
        size = WIDTH // self.heads
        q, k, v = (
            each.view(BATCH, TIME, self.heads, size).transpose(1, 2)
            for each in self.project(x).chunk(3, dim=-1)
        )
        if self.fused:
            mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            mixed = (q @ k.transpose(-1, -2) / size**0.5).softmax(-1) @ v
        return self.out(mixed.transpose(1, 2).reshape(BATCH, TIME, WIDTH))


class OwnAttention(nn.Module):
    """PyTorch's layer of attention."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__()
        self.layer = nn.MultiheadAttention(WIDTH, rng.choice([1, 2]), batch_first=True)
        self.weights = rng.random() < 0.5

    def forward(self, x: Any) -> Any:
        return self.layer(x, x, x, need_weights=self.weights)[0]


class Recurrent(nn.Module):
    """A cell, step by step."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__()
        self.cell = rng.choice([nn.RNNCell, nn.GRUCell, nn.LSTMCell])(WIDTH, WIDTH)
        self.start = nn.Parameter(torch.zeros(WIDTH)) if rng.random() < 0.5 else None

    def forward(self, x: Any) -> Any:
        h = torch.zeros(BATCH, WIDTH) if self.start is None else self.start.expand(BATCH, WIDTH)
        state, out = (h, h) if isinstance(self.cell, nn.LSTMCell) else h, []
        for step in range(TIME):
            state = self.cell(x[:, step], state)
            out.append(state[0] if isinstance(state, tuple) else state)
        return torch.stack(out, dim=1)


class Experts(nn.Module):
    """Modules in a dictionary that are weighed by another one."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__()
        names = rng.sample(["left", "right", "third"], 2)
        self.experts = nn.ModuleDict({name: nn.Linear(WIDTH, WIDTH) for name in names})
        self.gate = nn.Sequential(nn.Linear(WIDTH, 2), nn.Softmax(dim=-1))

    def forward(self, x: Any) -> Any:
        shares = self.gate(x)
        return sum(each(x) * shares[..., i, None] for i, each in enumerate(self.experts.values()))


class Raw(nn.Module):
    """Parameters of its own, in lists and dictionaries of parameters; some are never used."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__()
        self.scales = nn.ParameterList(nn.Parameter(torch.rand(WIDTH)) for _ in range(2))
        self.named = nn.ParameterDict({"mix": torch.rand(WIDTH, WIDTH), "spare": torch.rand(2)})
        self.register_buffer("shift", torch.rand(WIDTH))
        self.form = rng.choice(["einsum", "matmul"])

    def forward(self, x: Any) -> Any:
        x = x * self.scales[0] + self.shift
        if self.form == "einsum":
            return torch.einsum("btw,wv->btv", x, self.named["mix"]) * self.scales[1]
        return x @ self.named["mix"]


class Picture(nn.Module):
    """Convolution over the sequence as if it were an image, with a pool."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__()
        pool = rng.choice([nn.MaxPool2d(2), nn.AvgPool2d(2), nn.AdaptiveAvgPool2d(2)])
        norm = rng.choice([nn.BatchNorm2d(2), nn.GroupNorm(1, 2), nn.Identity()])
        self.down = nn.Sequential(
            nn.Conv2d(1, 2, 3, padding=1), norm, nn.ReLU(), pool, nn.Flatten()
        )
        self.back = nn.Linear(8, TIME * WIDTH)

    def forward(self, x: Any) -> Any:
        return self.back(self.down(x.unsqueeze(1))).view(BATCH, TIME, WIDTH)


class Along(nn.Module):
    """Convolution along the sequence."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__()
        self.conv = nn.Conv1d(WIDTH, WIDTH, 3, padding=1, groups=rng.choice([1, 2]))

    def forward(self, x: Any) -> Any:
        return self.conv(x.transpose(1, 2)).transpose(1, 2)


class Tied(nn.Module):
    """One module used three times, and perhaps once more under another name."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__()
        self.shared = nn.Linear(WIDTH, WIDTH)
        self.again = self.shared if rng.random() < 0.5 else nn.Linear(WIDTH, WIDTH)
        if rng.random() < 0.3:
            self.again.weight = self.shared.weight

    def forward(self, x: Any) -> Any:
        return self.again(torch.tanh(self.shared(self.shared(x)))) + self.shared(x)


SMALL: tuple[Callable[[random.Random], Any], ...] = (
    lambda rng: nn.Linear(WIDTH, WIDTH, bias=rng.random() < 0.5),
    lambda rng: nn.LayerNorm(WIDTH),
    lambda rng: nn.Sequential(nn.Linear(WIDTH, 5), nn.GELU(), nn.Linear(5, WIDTH)),
    lambda rng: rng.choice([nn.ReLU, nn.Tanh, nn.SiLU, nn.PReLU])(),
    lambda rng: nn.Dropout(0.25),
    lambda rng: nn.TransformerEncoderLayer(WIDTH, 2, 6, batch_first=True),
    Attention, OwnAttention, Recurrent, Experts, Raw, Picture, Along, Tied,
)  # fmt: skip


class Block(nn.Module):
    """Modules and blocks in an order, joined with the input in one of several ways."""

    def __init__(self, rng: random.Random, depth: int, spare: bool) -> None:
        super().__init__()
        self.join = rng.choice(["last", "residual", "gate", "twice", "concat"])
        self.parts_of = nn.ModuleList(
            Block(rng, depth - 1, spare) if depth and rng.random() < 0.4 else rng.choice(SMALL)(rng)
            for _ in range(rng.randint(1, 2))
        )
        if self.join == "concat":
            self.narrow = nn.Linear(2 * WIDTH, WIDTH)
        if spare and rng.random() < 0.7:
            self.unused = nn.ModuleDict(
                {"one": nn.Linear(3, 2), "inside": nn.ModuleList([nn.Embedding(5, 2)])}
            )
        self.loose = nn.Parameter(torch.zeros(WIDTH)) if rng.random() < 0.3 else None

    def forward(self, x: Any) -> Any:
        h = x if self.loose is None else x + self.loose
        for part in self.parts_of:
            h = part(h)
        if self.join == "residual":
            return x + h
        if self.join == "gate":
            return x * torch.sigmoid(h)
        if self.join == "twice":
            return h + self.parts_of[0](x)
        return self.narrow(torch.cat([x, h], dim=-1)) if self.join == "concat" else h


class Network(nn.Module):
    """Embeddings, blocks, and a head of one of several kinds."""

    def __init__(self, rng: random.Random, spare: bool) -> None:
        super().__init__()
        self.tables = nn.ModuleDict({"word": nn.Embedding(WORDS, WIDTH)})
        if rng.random() < 0.7:
            self.tables["place"] = nn.Embedding(TIME, WIDTH)
        self.blocks = nn.ModuleList(
            Block(rng, rng.randint(0, DEPTH), spare) for _ in range(rng.randint(1, 2))
        )
        self.head = nn.Linear(WIDTH, 3) if rng.random() < 0.7 else None
        if spare:
            self.never = nn.Embedding(WORDS, 2)

    def forward(self, words: Any) -> Any:
        x = self.tables["word"](words)
        if "place" in self.tables:
            x = x + self.tables["place"](torch.arange(TIME)[None])
        for block in self.blocks:
            x = block(x)
        if self.head is None:  # the table of the words is the head, too
            return x @ self.tables["word"].weight.T
        return self.head(x.mean(dim=1))


def drawn(seed: int) -> Any:
    """Give the player of a random network; those of odd seeds have modules that nothing uses."""
    rng = random.Random(seed)
    torch.manual_seed(seed)
    network = Network(rng, spare=seed % 2 == 1).train(rng.random() < 0.5)
    words = torch.tensor([[rng.randrange(WORDS) for _ in range(TIME)] for _ in range(BATCH)])
    with adapter.recording():
        scores = network(words)
        if scores.ndim == 3 or rng.random() < 0.5:
            loss = scores.square().mean()
        else:
            loss = functional.cross_entropy(scores, torch.tensor([0, 2]))
    return adapter.step(loss, dict(network.named_parameters()))
