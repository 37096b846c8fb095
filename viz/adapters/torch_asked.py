"""What `step` is asked for: a target and sources in the forms that PyTorch's users have them in.

Nothing is differentiated here; what PyTorch would refuse is refused with what to write, before or
after it has looked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import torch

from ..record.lines import calling_frame

FORMS = (
    "Sources are a tensor, several (a list, model.parameters()), names and tensors (a dict, "
    "model.named_parameters()), or a module."
)


def named_sources(sources: Any) -> dict[str, Any]:
    """The sources by their names: given ones, else what the program calls them."""
    if isinstance(sources, torch.nn.Module):
        return dict(sources.named_parameters())
    if isinstance(sources, Mapping):
        return {str(name): _tensor(each) for name, each in sources.items()}
    if isinstance(sources, torch.Tensor):
        several = [sources]
    elif isinstance(sources, Iterable) and not isinstance(sources, (str, bytes)):
        several = list(sources)
    else:
        several = [_tensor(sources)]
    if several and all(_is_pair(each) for each in several):
        return dict(several)
    known = {id(t): name for name, t in _called()}
    return {known.get(id(_tensor(t)), f"source {i}"): t for i, t in enumerate(several)}


def _is_pair(each: Any) -> bool:
    if not isinstance(each, tuple) or len(each) != 2:
        return False
    return isinstance(each[0], str) and isinstance(each[1], torch.Tensor)


def _tensor(each: Any) -> Any:
    if isinstance(each, torch.Tensor):
        return each
    raise TypeError(
        f"expected a torch.Tensor, got {type(each).__name__} among the sources. {FORMS}"
    )


def _called() -> Iterator[tuple[str, Any]]:
    """Names and tensors of the program, those of its modules first: a variable's own name wins."""
    frame = calling_frame()
    scope = {} if frame is None else {**frame.f_globals, **frame.f_locals}
    scope = {name: each for name, each in scope.items() if name[0] != "_"}
    for name, each in scope.items():
        if isinstance(each, torch.nn.Module):
            yield from each.named_parameters(prefix=name)
    yield from ((n, t) for n, t in scope.items() if isinstance(t, torch.Tensor))


def checked(target: Any, grad_outputs: Any) -> None:
    """Refuse what has no gradient to start with.

    Raises:
        TypeError: the target or its cotangent is no tensor.
        RuntimeError: the target is no real scalar, and has no cotangent, or one of another shape.
    """
    if not isinstance(target, torch.Tensor):
        number = isinstance(target, (int, float, complex))
        raise TypeError(
            f"expected a torch.Tensor, got {type(target).__name__} as the target. "
            + ("A number has no graph: give the loss itself, not loss.item()." if number else "")
        )
    shape = list(target.shape)
    if grad_outputs is None:
        if target.requires_grad and (target.numel() != 1 or target.is_complex()):
            what = "complex" if target.is_complex() else f"no scalar, but of shape {shape}"
            raise RuntimeError(
                f"the target is {what}: a gradient says how *one* real number changes. Write "
                "step(y.sum(), w), or y.mean(), or y[0]; or give a weight for each element, "
                "step(y, w, grad_outputs=torch.ones_like(y))."
            )
        return
    if not isinstance(grad_outputs, torch.Tensor):
        raise TypeError(
            "grad_outputs is a tensor like the target, with a weight for each of its elements; "
            f"got {type(grad_outputs).__name__}. Write grad_outputs=torch.ones_like(y)."
        )
    if grad_outputs.shape != target.shape:
        raise RuntimeError(
            f"grad_outputs has shape {list(grad_outputs.shape)}, but the target has {shape}: it is "
            "a weight for each element of the target. Write grad_outputs=torch.ones_like(y)."
        )


def explained(refused: RuntimeError) -> RuntimeError:
    """What PyTorch's engine refuses, with what to write; other errors as they are."""
    said = str(refused)
    if "backward through the graph a second time" in said:
        return RuntimeError(
            "PyTorch has released the graph of the target, or a part of it: after one backward "
            "pass, what its rules read is thrown away. Play it before: step(loss, w), then "
            "loss.backward(). Or keep it: loss.backward(retain_graph=True)."
        )
    if "modified by an inplace operation" in said:
        shape = re.search(r"Tensor (\[[\d, ]*\])", said)
        what = f"A tensor of shape {shape[1]}" if shape else "A tensor"
        return RuntimeError(
            f"{what} was written to in place (as by y.mul_(2), y += 1 or y[0] = 0) after an op had "
            "used it, and the way back reads what it was before. Write y = y * 2, which makes a "
            "new tensor; or write into a copy, y = y.clone(). An optimizer's step comes after "
            "backward."
        )
    if "use_reentrant" in said:
        return RuntimeError(
            "a reentrant checkpoint is on the way from the target to a source: PyTorch lets only "
            "`backward()` through it. Write checkpoint(..., use_reentrant=False), and the player "
            "shows its inside."
        )
    return refused
