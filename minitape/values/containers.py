"""Which types are containers of a nest, and how such a container is opened and closed.

A `Kind` is a pair of functions, one that gives a container's children and one that makes another
such container around new ones; a table remembers the kind of each type it met.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, MappingView, Sequence
from reprlib import repr as short  # an error must be able to show a nest that is very deep
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    # How a container gives its children, and how another one is made around new children.
    Kind: TypeAlias = tuple[Callable[[Any], list[Any]], Callable[[Any, list[Any]], Any]]


def sorted_keys(mapping: Mapping[Any, Any]) -> list[Any]:
    """The order in which the values of a mapping are visited."""
    try:
        return sorted(mapping)
    except TypeError as error:
        raise TypeError(
            "nest only supports dicts with sortable keys, for it visits them in sorted order:"
            f" {error} in {short(list(mapping))}. Use keys of one type, for example strings."
        ) from None


def _open_mapping(mapping: Mapping[Any, Any]) -> list[Any]:
    return [mapping[key] for key in sorted_keys(mapping)]


def _close_mapping(mapping: Any, children: list[Any]) -> Any:
    by_key = dict(zip(sorted_keys(mapping), children, strict=True))
    in_own_order = {key: by_key[key] for key in mapping}
    if isinstance(mapping, defaultdict):
        return type(mapping)(mapping.default_factory, in_own_order)
    return type(mapping)(in_own_order)


def _custom_kind(flatten_name: str, unflatten_name: str) -> Kind:
    def close_custom(container: Any, children: list[Any]) -> Any:
        metadata = getattr(container, flatten_name)()[0]
        return getattr(type(container), unflatten_name)(metadata, tuple(children))

    return lambda container: list(getattr(container, flatten_name)()[1]), close_custom


def refuse_endless(value: Any) -> None:
    """Checks nested lists, tuples and dicts, each once however often it is met.

    Raises:
        ValueError: one of them contains itself, or they are nested deeper than arrays may be.
    """
    deepest = 0
    inside: set[int] = set()  # what the present one stands in
    done: set[int] = set()
    todo = [(value, False)]
    while todo:
        each, left = todo.pop()
        own = id(each)
        if left:
            inside.discard(own)
            done.add(own)
        elif own in inside:
            raise ValueError(
                f"A {type(each).__name__} contains itself, so it has no end: {short(each)}. No "
                "tensor can be made of it. Put a copy of it, or only its numbers, in its place."
            )
        elif isinstance(each, list | tuple | Mapping) and own not in done:
            inside.add(own)
            deepest = max(deepest, len(inside))
            todo.append((each, True))
            children = each.values() if isinstance(each, Mapping) else each
            todo.extend((child, False) for child in children)
    if deepest > _MAX_RANK:
        raise ValueError(
            f"Lists are nested {deepest} deep, and a tensor has at most {_MAX_RANK} axes: "
            f"{short(value)}. Give fewer levels, for instance `[1.0, 2.0]`."
        )


_MAX_RANK = 64  # NumPy's arrays have no more axes

MAPPING: Kind = (_open_mapping, _close_mapping)
_SEQUENCE: Kind = (list, lambda container, children: type(container)(children))
_NAMEDTUPLE: Kind = (list, lambda container, children: container._make(children))
_BECOMES_LIST: Kind = (list, lambda container, children: children)
_CUSTOM = _custom_kind("__tf_flatten__", "__tf_unflatten__")
_COMPOSITE = _custom_kind("__composite_flatten__", "__composite_unflatten__")
_LEAF_SEQUENCES = (str, bytes, bytearray, memoryview)


class Kinds(dict[type, "Kind | None"]):
    """The table from a type to its kind, None for leaves; a type is judged when it is first met."""

    expand_composites = False

    def __missing__(self, cls: type) -> Kind | None:
        if len(self) >= 1000:  # types made on the fly must not stay alive for ever
            self.clear()
        kind = self[cls] = self.judge(cls)
        return kind

    def judge(self, cls: type) -> Kind | None:
        """The kind of a type, from what it is derived from and what it defines."""
        if hasattr(cls, "__tf_flatten__"):
            return _CUSTOM
        if self.expand_composites and hasattr(cls, "__composite_flatten__"):
            return _COMPOSITE
        if issubclass(cls, Mapping):
            return MAPPING
        if issubclass(cls, (range, MappingView)):
            return _BECOMES_LIST
        if issubclass(cls, tuple) and hasattr(cls, "_fields"):
            return _NAMEDTUPLE
        is_leaf = issubclass(cls, _LEAF_SEQUENCES) or cls.__module__ == "array"
        return _SEQUENCE if issubclass(cls, Sequence) and not is_leaf else None


KINDS = Kinds()
KINDS_EXPANDED = Kinds()
KINDS_EXPANDED.expand_composites = True
