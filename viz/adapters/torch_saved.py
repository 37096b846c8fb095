"""What a node of PyTorch's graph has saved for its rule: tensors, and how the op was called."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import torch

from .torch_watch import Seen


def saved_tensors(function: Any) -> dict[str, Any]:
    """What a node of PyTorch's graph saved for its rule, by its name there."""
    found = dict(_saved(function))
    # A function of the program's own keeps a plain tuple, PyTorch's `x[i, j]` one of indices.
    own = getattr(function, "saved_tensors", ())
    found |= {f"saved_{i}": each for i, each in enumerate(own)}
    several = {n: each for n, each in found.items() if isinstance(each, tuple)}
    found |= {f"{n}_{i}": t for n, each in several.items() for i, t in enumerate(each)}
    return {n: t for n, t in found.items() if isinstance(t, torch.Tensor)}


def settings(function: Any) -> Iterator[tuple[str, Any]]:
    """What an op was called with besides tensors, and the layout of what has channels."""
    saved = dict(_saved(function))
    for name, value in saved.items():
        # Sizes and strides of inputs (`self_sym_sizes`) are the nodes' own.
        if "_sym_" not in name and not isinstance(value, torch.Tensor):
            yield name, value
    if re.search("Conv|Pool|Upsample", function.name()):
        yield "layout", "NCHW"
    if "transposed" in saved:
        roles = ["image", "kernel", "map"]  # of a convolution's inputs and of its result
        yield "roles", ["map", "kernel", "image"] if saved["transposed"] else roles
        axes = zip(saved["stride"], saved["padding"], saved["dilation"], strict=True)
        yield "windows", list(axes)  # how its window moves


def _saved(function: Any) -> Iterator[tuple[str, Any]]:
    for name in dir(function):
        if name.startswith("_saved_"):
            yield name.removeprefix("_saved_"), getattr(function, name)


def constants(seen: Seen | None, edges: Sequence[Any]) -> Sequence[Any] | None:
    """The call's arguments, where just those without an edge are constants: then they belong."""
    if seen is None or len(seen.arguments) != len(edges):
        return None
    fits = all(
        (x is None) == (f is not None) for x, (f, _) in zip(seen.arguments, edges, strict=True)
    )
    return seen.arguments if fits else None
