"""What the learner calls the tensors: the names in the frame that asked for the picture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.interpreter import identity
from minitape.tensor import Tensor
from minitape.variable import ResourceVariable

if TYPE_CHECKING:
    from types import FrameType

IN_TRAINING = ("x", "y", "weights", "y_pred", "loss")  # what Keras' `train_step` names
MAX_MEMBERS = 50  # of a list, dict or object that the learner keeps tensors in
MAX_DEEPER = 2_000  # of members of members
MAX_COMPARED = 1_000_000  # elements


def tensors_in(frame: FrameType | None, ends: Iterable[Any] = ()) -> dict[int, tuple[str, Any]]:
    """Name and tensor by id: names in the frame, then members: `w[0]`, `layer.w`, `layers[3][0]`.

    `ends` are tensors that get an id if nobody followed them so far, so that their names are found.
    """
    for end in ends:
        identity(end)
    return tensors_in_namespace(*([] if frame is None else [frame.f_locals, frame.f_globals]))


def tensors_in_training(frame: FrameType | None) -> dict[int, tuple[str, Any]]:
    """The same for the batch and the loss in Keras' own `train_step`."""
    scope = {} if frame is None else frame.f_locals
    return tensors_in_namespace({name: scope[name] for name in IN_TRAINING if name in scope})


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
    members = [
        (name + path, each)
        for name, value in named
        for path, each in _members(value)
        if path[0] == "." or not _is_of_layer(each)  # of a layer's the name says more than a place
    ]
    deeper = islice(_within(members), MAX_DEEPER)  # `layers[3][0]`, `blocks[1].w`
    for name, value in chain(named, members, deeper):
        if isinstance(value, Tensor | ResourceVariable):
            yield name, value


def arrays_in(frame: FrameType | None) -> list[dict[str, Any]]:
    """NumPy arrays by name, those of a frame's own first: layers make constants of them."""
    scopes = () if frame is None else (frame.f_locals, frame.f_globals)
    named = [[item for item in list(scope.items()) if item[0][0] != "_"] for scope in scopes]
    return [{name: x for name, x in items if isinstance(x, np.ndarray)} for items in named]


def name_of_array(value: Any, scopes: Iterable[Mapping[str, Any]]) -> str:
    """The name of the array that a constant was made of, in the first scope that has one.

    "" where there is none, or several have its elements: two names of one array are no doubt.
    """
    if value is None or not 1 < value.size <= MAX_COMPARED or value.dtype == object:
        return ""
    for scope in scopes:
        same: dict[int, str] = {}
        for name, array in scope.items():
            if _is_same(array, value):
                same.setdefault(id(array), name)
        if same:
            return "" if len(same) > 1 else next(iter(same.values()))
    return ""


def _is_same(array: Any, value: Any) -> bool:
    if array.shape != value.shape or array.dtype.kind != value.dtype.kind:
        return False
    return bool(np.array_equal(array.astype(value.dtype, copy=False), value))


def _within(members: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """What is inside the members of lists and dicts; a variable with a name of its own keeps it."""
    for name, value in members:
        if name[-1] == "]" and not isinstance(value, Tensor | ResourceVariable):
            for path, each in _members(value):
                if not (isinstance(each, ResourceVariable) and is_named(each)):
                    yield name + path, each


def _is_of_layer(value: Any) -> bool:
    return isinstance(value, ResourceVariable) and "/" in getattr(value, "path", "")


def is_named(variable: ResourceVariable) -> bool:
    """Whether a variable was given a name."""
    return variable.name.rpartition("/")[2] != "Variable:0"


def own_name(variable: Any) -> str:
    """The name that a variable was given; that of a layer behind the layer's: `hidden.kernel`."""
    path = getattr(variable, "path", "").split("/")
    return ".".join(path[-2:]) or str(variable.name).removesuffix(":0")


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
