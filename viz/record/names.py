"""What the learner calls the tensors: the names in the frame that asked for the picture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from minitape.request import identity
from minitape.tensor import Tensor
from minitape.variable import ResourceVariable

if TYPE_CHECKING:
    from types import FrameType

MAX_MEMBERS = 50  # of a list, dict or object that the learner keeps tensors in


def tensors_in(frame: FrameType | None, ends: Iterable[Any] = ()) -> dict[int, tuple[str, Any]]:
    """Name and tensor by id: names in the frame, then members such as `w[0]` or `layer.kernel`.

    `ends` are tensors that get an id if nobody followed them so far, so that their names are found.
    """
    for end in ends:
        identity(end)
    return tensors_in_namespace(*([] if frame is None else [frame.f_locals, frame.f_globals]))


def tensors_in_namespace(*scopes: Mapping[str, Any]) -> dict[int, tuple[str, Any]]:
    """The same for namespaces; the names in an earlier one count first."""
    found: dict[int, tuple[str, Any]] = {}
    for name, value in every_tensor_in(*scopes):
        if getattr(value, "id", None):
            found.setdefault(value.id, (name, value))
    return found


def every_tensor_in(*scopes: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """All tensors in namespaces with their names, also those that nobody followed so far."""
    named = [(n, v) for scope in scopes for n, v in list(scope.items()) if not n.startswith("_")]
    members = ((name + path, each) for name, value in named for path, each in _members(value))
    for name, value in (*named, *members):
        if isinstance(value, Tensor | ResourceVariable):
            yield name, value


def _members(value: Any) -> Iterator[tuple[str, Any]]:
    """What is directly inside a list, dict or object, with how Python reaches it."""
    if isinstance(value, dict):
        yield from ((f"[{key!r}]", each) for key, each in list(value.items())[:MAX_MEMBERS])
    elif isinstance(value, list | tuple):
        yield from ((f"[{i}]", each) for i, each in enumerate(value[:MAX_MEMBERS]))
    elif type(value).__module__ not in {"builtins", "numpy"}:
        attributes = getattr(value, "__dict__", None)
        if isinstance(attributes, dict) and not isinstance(value, type):
            yield from ((f".{key}", each) for key, each in list(attributes.items())[:MAX_MEMBERS])
