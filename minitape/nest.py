"""Nested structures: `tf.nest`, the lists, tuples and dicts in which tensors are handed around.

The one fact to know: what a type is (a leaf, or a container with a way to open and close it) is
looked up once per type in a table; `_walk` is the only traversal of nests, everything but the flat
case goes through it, and it keeps its own stack because the depth of a nest is the user's data.

Containers are sequences (lists, tuples, namedtuples, ranges), mappings (in sorted order of their
keys), views of mappings, and classes that define `__tf_flatten__(self) -> (metadata, components)` and
`__tf_unflatten__(cls, metadata, components)`. All else is a leaf: None, strings, arrays, tensors, sets.
With `expand_composites` classes that define `__composite_flatten__` and `__composite_unflatten__`
alike (tensors made of several tensors) are containers too.

May import: the standard library.
"""

from __future__ import annotations

import reprlib
from collections import defaultdict
from collections.abc import Mapping, MappingView, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeAlias

    # How a container gives its children, and how it is made again around others.
    Kind: TypeAlias = tuple[Callable[[Any], list[Any]], Callable[[Any, list[Any]], Any]]
    Path: TypeAlias = tuple["Path", object] | None


def _open_mapping(mapping: Mapping[Any, Any]) -> list[Any]:
    return [mapping[key] for key in _sorted_keys(mapping)]


def _sorted_keys(mapping: Mapping[Any, Any]) -> list[Any]:
    try:
        return sorted(mapping)
    except TypeError as error:
        raise TypeError(
            f"nest only supports dicts with sortable keys, because it visits them in sorted order: {error}"
            f" in keys {reprlib.repr(list(mapping))}. Use keys of one type, for example strings."
        ) from None


def _close_mapping(mapping: Any, children: list[Any]) -> Any:
    by_key = dict(zip(_sorted_keys(mapping), children, strict=True))
    in_own_order = {key: by_key[key] for key in mapping}
    if isinstance(mapping, defaultdict):
        return type(mapping)(mapping.default_factory, in_own_order)
    return type(mapping)(in_own_order)


def _close_sequence(sequence: Any, children: list[Any]) -> Any:
    return type(sequence)(children)


def _close_namedtuple(namedtuple: Any, children: list[Any]) -> Any:
    return namedtuple._make(children)


def _close_as_list(container: object, children: list[Any]) -> list[Any]:
    return children


def _custom_kind(prefix: str) -> Kind:
    """Make the kind of classes that define `__{prefix}_flatten__` and `__{prefix}_unflatten__`."""
    flatten_name, unflatten_name = f"__{prefix}_flatten__", f"__{prefix}_unflatten__"

    def open_custom(container: Any) -> list[Any]:
        return list(getattr(container, flatten_name)()[1])

    def close_custom(container: Any, children: list[Any]) -> Any:
        metadata = getattr(container, flatten_name)()[0]
        return getattr(type(container), unflatten_name)(metadata, tuple(children))

    return open_custom, close_custom


_MAPPING: Kind = (_open_mapping, _close_mapping)
_SEQUENCE: Kind = (list, _close_sequence)
_NAMEDTUPLE: Kind = (list, _close_namedtuple)
_AS_LIST: Kind = (list, _close_as_list)
_LEAF_SEQUENCES = (str, bytes, bytearray, memoryview)


class _Kinds(dict[type, "Kind | None"]):
    """The table from a type to its kind, None for leaves; a type is judged when it is first met."""

    def __init__(self, *prefixes: str) -> None:
        super().__init__()
        self._custom = [(f"__{prefix}_flatten__", _custom_kind(prefix)) for prefix in prefixes]

    def __missing__(self, cls: type) -> Kind | None:
        if len(self) >= 1000:  # types made on the fly must not stay alive for ever
            self.clear()
        kind = self[cls] = self._judge(cls)
        return kind

    def _judge(self, cls: type) -> Kind | None:
        for method, kind in self._custom:
            if hasattr(cls, method):
                return kind
        if issubclass(cls, tuple) and hasattr(cls, "_make"):
            return _NAMEDTUPLE
        if issubclass(cls, Mapping):
            return _MAPPING
        if issubclass(cls, (range, MappingView)):
            return _AS_LIST
        is_leaf = issubclass(cls, _LEAF_SEQUENCES) or cls.__module__ == "array"
        return _SEQUENCE if issubclass(cls, Sequence) and not is_leaf else None


_KINDS = _Kinds("tf")
_KINDS_AND_COMPOSITES = _Kinds("tf", "composite")

_LEAF, _ENTER, _LEAVE = 0, 1, 2


def _walk(structure: object, kinds: _Kinds) -> Iterator[tuple[int, Any]]:
    """Go through a nest depth first: each leaf, and each container when entered and when left."""
    inside: set[int] = set()
    outer: list[tuple[Any, Iterator[Any]]] = []
    container: Any = None
    children: Iterator[Any] = iter((structure,))
    while True:
        for child in children:
            kind = kinds[type(child)]
            if kind is None:
                yield _LEAF, child
                continue
            if id(child) in inside:
                raise ValueError(_SELF_CONTAINED.format(type(child).__name__, reprlib.repr(child)))
            yield _ENTER, child
            inside.add(id(child))
            outer.append((container, children))
            container, children = child, iter(kind[0](child))
            break
        else:
            if not outer:
                return
            yield _LEAVE, container
            inside.discard(id(container))
            container, children = outer.pop()


_SELF_CONTAINED = (
    "A {} contains itself, so the nest has no end and cannot be flattened: {}."
    " Put a copy of it, or only its leaves, in its place."
)


def is_nested(structure: object) -> bool:
    """Tell whether an object is a container of `tf.nest`, and not a leaf.

    Example:
        >>> is_nested([1]), is_nested({}), is_nested("text"), is_nested(None), is_nested({1, 2})
        (True, True, False, False, False)
    """
    return _KINDS[type(structure)] is not None


def flatten(structure: object, expand_composites: bool = False) -> list[Any]:
    """Give the leaves of a nest in order; mappings are visited in sorted order of their keys.

    Args:
        structure: a nest of any depth, or one leaf.
        expand_composites: also open composite tensors into the tensors they are made of.

    Returns:
        A new list of the leaves.

    Raises:
        TypeError: a mapping has keys that cannot be sorted.
        ValueError: a container contains itself.

    Example:
        >>> flatten({"b": 1, "a": [2, (3,)]}), flatten(None), flatten([])
        ([2, 3, 1], [None], [])
    """
    kinds = _KINDS_AND_COMPOSITES if expand_composites else _KINDS
    kind = kinds[type(structure)]
    if kind is None:
        return [structure]
    children = kind[0](structure)
    for child in children:
        if kinds[type(child)] is not None:
            return [item for event, item in _walk(structure, kinds) if event == _LEAF]
    return children


def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: bool = False) -> Any:
    """Put a flat sequence of leaves into the form of a nest: the inverse of `flatten`.

    Args:
        structure: the nest (or leaf) that gives the form.
        flat_sequence: as many items as `structure` has leaves, in the order of `flatten(structure)`.
        expand_composites: also count and rebuild the tensors that composite tensors are made of.

    Returns:
        A new nest of the same form and types; mappings keep the order of their keys.

    Raises:
        TypeError: `flat_sequence` is no sequence.
        ValueError: the numbers of leaves and items differ.

    Example:
        >>> pack_sequence_as({"b": 0, "a": [0, (0,)]}, [1, 2, 3])
        {'b': 3, 'a': [1, (2,)]}
    """
    if not is_nested(flat_sequence):
        raise TypeError(
            f"Attempted to pack value {reprlib.repr(flat_sequence)} into a structure, but found incompatible type"
            f" {type(flat_sequence).__name__} instead of a sequence. Write [value] to pack one value."
        )
    kinds = _KINDS_AND_COMPOSITES if expand_composites else _KINDS
    items = kinds[type(flat_sequence)][0](flat_sequence)  # type: ignore[index]  # it is nested
    atoms = len(flatten(structure, expand_composites))
    if atoms != len(items):
        raise ValueError(
            f"Could not pack sequence. Structure had {atoms} atoms, but flat_sequence had {len(items)} items."
            f" Structure: {reprlib.repr(structure)}, flat_sequence: {reprlib.repr(items)}."
            " Give one item for each leaf that flatten(structure) lists."
        )
    return _pack(structure, items, kinds)


def _pack(structure: Any, items: list[Any], kinds: _Kinds) -> Any:
    """Rebuild a nest around as many items as it has leaves."""
    leaves = iter(items)
    outer: list[list[Any]] = []
    built: list[Any] = []
    for event, item in _walk(structure, kinds):
        if event == _LEAF:
            built.append(next(leaves))
        elif event == _ENTER:
            outer.append(built)
            built = []
        else:
            children, built = built, outer.pop()
            built.append(_close(item, children, kinds))
    return built[0]


def _close(container: Any, children: list[Any], kinds: _Kinds) -> Any:
    cls = type(container)
    try:
        return kinds[cls][1](container, children)  # type: ignore[index]  # it was entered, so it has a kind
    except TypeError as error:
        raise TypeError(
            f"Could not make another {cls.__name__} around {len(children)} new values: {error}. A container's class"
            " must accept what the built-in one accepts; use a plain list, tuple or dict, or define"
            f" __tf_flatten__ and __tf_unflatten__ in {cls.__name__}."
        ) from error


def map_structure(
    func: Callable[..., Any],
    *structures: Any,
    check_types: bool = True,
    expand_composites: bool = False,
) -> Any:
    """Apply a function to the leaves of one nest, or to corresponding leaves of several.

    Args:
        func: takes as many leaves as there are structures.
        *structures: one or more nests of the same structure.
        check_types: containers must agree in type too (see `assert_same_structure`).
        expand_composites: also open composite tensors.

    Returns:
        A nest of the form of the first structure that holds the results.

    Raises:
        TypeError: `func` is not callable, or containers differ in type.
        ValueError: no structure was given, or the structures differ.

    Example:
        >>> map_structure(lambda x: x + 1, {"a": 1, "b": [2, 3]})
        {'a': 2, 'b': [3, 4]}
        >>> map_structure(max, (1, [5]), (4, [2]))
        (4, [5])
    """
    if not callable(func):
        raise TypeError(
            f"func must be callable, got: {reprlib.repr(func)}."
            " The function comes first: map_structure(func, structure)."
        )
    if not structures:
        raise ValueError("Must provide at least one structure: map_structure(func, structure).")
    first = structures[0]
    for other in structures[1:]:
        assert_same_structure(first, other, check_types, expand_composites)
    leaves = [flatten(structure, expand_composites) for structure in structures]
    results = [func(*each) for each in zip(*leaves, strict=True)]
    kinds = _KINDS_AND_COMPOSITES if expand_composites else _KINDS
    return _pack(first, results, kinds)


def assert_same_structure(
    nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Raise an error unless two nests have the same structure; leaves are not compared.

    Two lists, two mappings, or two namedtuples of the same name and fields count as the same type.

    Args:
        nest1: a nest or leaf.
        nest2: a nest or leaf.
        check_types: containers must agree in type and mappings in their keys; if False, in length only.
        expand_composites: also open composite tensors.

    Raises:
        ValueError: a leaf faces a container, or lengths or keys differ.
        TypeError: the types of two containers differ (only with `check_types`).

    Example:
        >>> assert_same_structure([1, (2,)], ["x", ("y",)])
        >>> assert_same_structure([1], (1,), check_types=False)
    """
    kinds = _KINDS_AND_COMPOSITES if expand_composites else _KINDS
    if kinds[type(nest1)] is kinds[type(nest2)] is None:
        return
    flatten(nest1, expand_composites)  # finds containers that contain themselves
    flatten(nest2, expand_composites)
    pairs: list[tuple[Any, Any, Path]] = [(nest1, nest2, None)]
    while pairs:
        one, two, path = pairs.pop()
        difference = _difference(one, two, kinds, check_types)
        if difference is not None:
            raise difference[0](_different(nest1, nest2, path, difference[1]))
        kind1, kind2 = kinds[type(one)], kinds[type(two)]
        if kind1 is not None and kind2 is not None:
            labels = _sorted_keys(one) if kind1 is _MAPPING else range(len(kind1[0](one)))
            rows = zip(kind1[0](one), kind2[0](two), labels, strict=True)
            pairs.extend(reversed([(a, b, (path, label)) for a, b, label in rows]))


def _difference(
    one: Any, two: Any, kinds: _Kinds, check_types: bool
) -> tuple[type[Exception], str] | None:
    """Say how two nests differ at their top, and with what exception to complain."""
    kind1, kind2 = kinds[type(one)], kinds[type(two)]
    if kind1 is None and kind2 is None:
        return None
    name1, name2 = type(one).__name__, type(two).__name__
    if kind1 is None or kind2 is None:
        words = ("a leaf", "a container") if kind1 is None else ("a container", "a leaf")
        return ValueError, f"the first has {words[0]} ({name1}), the second {words[1]} ({name2})"
    if check_types and not _same_type(one, two):
        return (
            TypeError,
            f"the first has type {name1}, the second type {name2} (check_types=False allows that)",
        )
    if check_types and kind1 is _MAPPING and set(one) != set(two):
        return (
            ValueError,
            f"the first has keys {reprlib.repr(list(one))}, the second {reprlib.repr(list(two))}",
        )
    length1, length2 = len(kind1[0](one)), len(kind2[0](two))
    if length1 != length2:
        return ValueError, f"the first has {length1} elements, the second {length2}"
    return None


def _same_type(one: Any, two: Any) -> bool:
    if type(one) is type(two):
        return True
    if (
        isinstance(one, tuple)
        and isinstance(two, tuple)
        and hasattr(one, "_fields")
        and hasattr(two, "_fields")
    ):
        return type(one).__name__ == type(two).__name__ and one._fields == two._fields
    return any(isinstance(one, family) and isinstance(two, family) for family in (list, Mapping))


def _different(nest1: Any, nest2: Any, path: Path, difference: str) -> str:
    labels: list[str] = []
    while path is not None:
        path, label = path
        labels.append(f"[{label!r}]")
    place = "".join(reversed(labels)) or "the top"
    if len(place) > 200:
        place = f"{place[:100]}...{place[-100:]}"
    return (
        f"The two structures don't have the same nested structure. At {place} {difference}.\n"
        f"First structure: {reprlib.repr(nest1)}\nSecond structure: {reprlib.repr(nest2)}\n"
        "Give both the same containers with the same lengths and keys."
    )
