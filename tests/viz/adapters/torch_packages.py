"""Programs of packages that build on PyTorch: what each gives, and what it is differentiated by.

A program is a function of nothing that makes its losses anew from the same sources; a package that
is missing takes its own programs with it.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import nn


class Program(NamedTuple):
    """A loss, and the tensors by which it is differentiated."""

    package: str
    make: Callable[[], tuple[Callable[[], Any], dict[str, Any]]]


EDGES = torch.tensor([[0, 1, 1, 2, 3, 4, 4, 0], [1, 0, 2, 1, 4, 3, 0, 4]])
NODES = torch.linspace(-1.0, 1.0, 15).reshape(5, 3)


def convolution(name: str, *arguments: Any, **options: Any) -> Program:
    """Two graph convolutions with an activation between, and a loss over the nodes."""

    def make() -> tuple[Callable[[], Any], dict[str, Any]]:
        from torch_geometric import nn as graphs

        kind = getattr(graphs, name)
        first, second = (kind(a, b, *arguments, **options) for a, b in ((3, 4), (4, 2)))
        x = NODES.clone().requires_grad_()

        def loss() -> Any:
            return second(first(x, EDGES).tanh(), EDGES).square().mean()

        names = [("first", first), ("second", second)]
        return loss, {"x": x} | {f"{n}.{k}": p for n, m in names for k, p in m.named_parameters()}

    return Program("torch_geometric", make)


def isomorphism() -> tuple[Callable[[], Any], dict[str, Any]]:
    from torch_geometric.nn import GINConv, global_mean_pool

    layer = GINConv(nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)), train_eps=True)
    x, batch = NODES.clone().requires_grad_(), torch.tensor([0, 0, 0, 1, 1])

    def loss() -> Any:
        return global_mean_pool(layer(x, EDGES), batch).square().sum()

    return loss, {"x": x, **dict(layer.named_parameters())}


class Field(nn.Module):
    """The right side of an ordinary differential equation."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 2))

    def forward(self, t: Any, y: Any) -> Any:
        return self.net(y) - t * y


def equation(method: str, adjoint: bool = False, **options: Any) -> Program:
    """A state that an ordinary differential equation moves from 0 to 1."""

    def make() -> tuple[Callable[[], Any], dict[str, Any]]:
        import torchdiffeq

        solve = torchdiffeq.odeint_adjoint if adjoint else torchdiffeq.odeint
        field, y = Field(), torch.tensor([[1.0, 0.5]], requires_grad=True)
        times = torch.linspace(0.0, 1.0, 4)

        def loss() -> Any:
            return solve(field, y, times, method=method, **options)[-1].square().sum()

        return loss, {"y": y, **dict(field.named_parameters())}

    return Program("torchdiffeq", make)


PROGRAMS = {
    "GCNConv": convolution("GCNConv"),
    "GATConv": convolution("GATConv"),
    "GATv2Conv": convolution("GATv2Conv"),
    "SAGEConv": convolution("SAGEConv"),
    "SAGEConv of maxima": convolution("SAGEConv", aggr="max"),
    "GraphConv": convolution("GraphConv"),
    "ChebConv": convolution("ChebConv", 2),
    "TransformerConv": convolution("TransformerConv"),
    "TAGConv": convolution("TAGConv"),
    "GINConv": Program("torch_geometric", isomorphism),
    "Euler": equation("euler"),
    "Runge-Kutta": equation("rk4"),
    "Dormand-Prince": equation("dopri5", rtol=1e-3, atol=1e-3),
    "implicit Adams": equation("implicit_adams"),
    "Runge-Kutta by its adjoint": equation("rk4", adjoint=True),
}


def is_here(name: str) -> bool:
    """Whether the package of a program is installed."""
    return importlib.util.find_spec(PROGRAMS[name].package) is not None
