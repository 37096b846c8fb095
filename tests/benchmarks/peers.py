"""Some of the workloads on peers, which need not be installed: yardsticks for time and memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import by_hand

Step = Callable[[], Any]


def torch_chain(d: dict[str, Any]) -> Step:
    import torch

    def run() -> Any:
        x = torch.tensor(d["x"], requires_grad=True)
        y = x
        for _ in range(d["n"] // 3):
            y = torch.sin(y * x + x)
        return torch.autograd.grad(y, x)

    return run


def torch_elementwise(d: dict[str, Any]) -> Step:
    import torch

    x = torch.tensor(d["x"], requires_grad=True)

    def run() -> Any:
        y = (torch.sin(x) * torch.exp(-x * x) + torch.tanh(x)).sum()
        return torch.autograd.grad(y, x)

    return run


def torch_trained(d: dict[str, Any], model: Callable[[Any, list[Any]], Any], x: Any) -> Step:
    import torch

    labels = torch.tensor(d["labels"])
    params = [
        torch.tensor(p.transpose(3, 2, 0, 1).copy() if p.ndim == 4 else p, requires_grad=True)
        for p in d["params"]
    ]

    def run() -> Any:
        loss = torch.nn.functional.cross_entropy(model(x, params), labels)
        grads = torch.autograd.grad(loss, params)
        with torch.no_grad():
            for p, g in zip(params, grads, strict=True):
                p.sub_(g, alpha=by_hand.RATE)
        return [loss, *grads]

    return run


def torch_mlp(d: dict[str, Any]) -> Step:
    import torch

    def model(x: Any, params: list[Any]) -> Any:
        w1, b1, w2, b2, w3, b3 = params
        return torch.relu(torch.relu(x @ w1 + b1) @ w2 + b2) @ w3 + b3

    return torch_trained(d, model, torch.tensor(d["x"]))


def torch_conv_net(d: dict[str, Any]) -> Step:
    import torch

    nn = torch.nn.functional

    def model(x: Any, params: list[Any]) -> Any:
        k1, c1, k2, c2, w, b = params
        h = torch.relu(nn.conv2d(x, k1, c1, padding=1))
        h = torch.relu(nn.conv2d(h, k2, c2, padding=1))
        return nn.max_pool2d(h, 2).permute(0, 2, 3, 1).reshape(len(x), -1) @ w + b

    return torch_trained(d, model, torch.tensor(d["x"].transpose(0, 3, 1, 2).copy()))


def autograd_chain(d: dict[str, Any]) -> Step:
    import autograd
    import autograd.numpy as anp

    def chain(x: Any) -> Any:
        y = x
        for _ in range(d["n"] // 3):
            y = anp.sin(y * x + x)
        return y

    return lambda: autograd.grad(chain)(float(d["x"]))


def autograd_elementwise(d: dict[str, Any]) -> Step:
    import autograd
    import autograd.numpy as anp

    gradient = autograd.grad(lambda x: anp.sum(anp.sin(x) * anp.exp(-x * x) + anp.tanh(x)))
    return lambda: gradient(d["x"])


def autograd_mlp(d: dict[str, Any]) -> Step:
    import autograd
    import autograd.numpy as anp

    x, labels, params = d["x"], d["labels"], list(d["params"])

    def loss(params: list[Any]) -> Any:
        w1, b1, w2, b2, w3, b3 = params
        h = anp.maximum(anp.dot(anp.maximum(anp.dot(x, w1) + b1, 0), w2) + b2, 0)
        z = anp.dot(h, w3) + b3
        z = z - anp.max(z, axis=1, keepdims=True)
        picked = z[anp.arange(len(labels)), labels]
        return anp.mean(anp.log(anp.sum(anp.exp(z), axis=1)) - picked)

    gradient = autograd.grad(loss)

    def run() -> Any:
        grads = gradient(params)
        params[:] = [p - by_hand.RATE * g for p, g in zip(params, grads, strict=True)]
        return grads

    return run


STEPS: dict[str, dict[str, Callable[[dict[str, Any]], Step]]] = {
    "torch": {
        "W1": torch_chain,
        "W3": torch_mlp,
        "W4": torch_elementwise,
        "W8": torch_chain,
        "W10": torch_conv_net,
    },
    "autograd": {
        "W1": autograd_chain,
        "W3": autograd_mlp,
        "W4": autograd_elementwise,
        "W8": autograd_chain,
    },
}
