"""Nested structures: `tf.nest`, the lists, tuples and dicts in which tensors are handed around.

Whether a type is a leaf or a container, and how such a container is opened and closed, is looked up
in a table of types; `_walk` is the only traversal. It keeps its own stack, because the depth of a
nest is the user's data and Python's recursion limit is not.

Containers are sequences (lists, tuples, namedtuples, ranges), mappings (visited in sorted order of
their keys), views of mappings, and objects that define `__tf_flatten__(self) -> (metadata, parts)`
and `__tf_unflatten__(cls, metadata, parts)`; with `expand_composites` also tensors made of several,
whose class has such a pair named `__composite_flatten__`, `__composite_unflatten__`. All else is a
leaf: None, text, arrays, tensors, sets.
"""

from __future__ import annotations

from collections.abc import Mapping
from reprlib import repr as short  # an error must be able to show a nest that is very deep
from typing import TYPE_CHECKING

from minitape.values.containers import KINDS, KINDS_EXPANDED, MAPPING, Kinds, sorted_keys

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeAlias

    from minitape.values.public_types import FunctionOfLeaves

    Difference: TypeAlias = tuple[type[Exception], str]

__all__ = ["assert_same_structure", "flatten", "is_nested", "map_structure", "pack_sequence_as"]


_LEAF, _ENTER, _LEAVE = 0, 1, 2


def _walk(structure: object, kinds: Kinds) -> Iterator[tuple[int, Any]]:
    """Go through a nest depth first: each leaf, and each container when entered and when left."""
    stack: list[tuple[Any, Iterator[Any]]] = [(None, iter((structure,)))]
    inside: set[int] = set()
    while stack:
        container, children = stack[-1]
        for child in children:
            kind = kinds[type(child)]
            if kind is None:
                yield _LEAF, child
                continue
            if id(child) in inside:
                raise ValueError(
                    f"A {type(child).__name__} contains itself, so this nest has no end:"
                    f" {short(child)}. Put a copy of it, or only its leaves, in its place."
                )
            yield _ENTER, child
            inside.add(id(child))
            stack.append((child, iter(kind[0](child))))
            break
        else:
            stack.pop()
            if stack:
                yield _LEAVE, container
                inside.discard(id(container))


def is_nested(structure: object) -> bool:
    """Tell whether an object is a container of `tf.nest`, and not a leaf.

    Example:
        >>> is_nested([1]), is_nested({}), is_nested("text"), is_nested(None), is_nested({1, 2})
        (True, True, False, False, False)
    """
    return KINDS[type(structure)] is not None


def flatten(structure: object, expand_composites: bool = False) -> list[Any]:
    """Give the leaves of a nest in order; mappings are visited in sorted order of their keys.

    Args:
        structure: a nest of any depth, or one leaf.
        expand_composites: also open composite tensors into the tensors they are made of.

    Raises:
        TypeError: a mapping has keys that cannot be sorted.
        ValueError: a container contains itself.

    Example:
        >>> flatten({"b": 1, "a": [2, (3,)]}), flatten(None), flatten([])
        ([2, 3, 1], [None], [])
    """
    kinds = KINDS_EXPANDED if expand_composites else KINDS
    kind = kinds[type(structure)]
    if kind is None:
        return [structure]
    children = kind[0](structure)
    if any(map(kinds.__getitem__, map(type, children))):  # a loop that stays in C
        return [item for event, item in _walk(structure, kinds) if event == _LEAF]
    return children


def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: bool = False) -> Any:
    """Put a flat sequence of leaves into the form of a nest: the inverse of `flatten`.

    Containers keep their types and mappings the order of their keys.

    Args:
        structure: the nest (or leaf) that gives the form.
        flat_sequence: one item for each leaf in `flatten(structure)`.
        expand_composites: also rebuild composite tensors from the tensors they are made of.

    Raises:
        TypeError: `flat_sequence` is no sequence.
        ValueError: the numbers of leaves and items differ.

    Example:
        >>> pack_sequence_as({"b": 0, "a": [0, (0,)]}, [1, 2, 3])
        {'b': 3, 'a': [1, (2,)]}
    """
    kind = KINDS[type(flat_sequence)]
    if kind is None:
        raise TypeError(
            f"Attempted to pack value {short(flat_sequence)} into a structure, but found"
            f" incompatible type {type(flat_sequence).__name__}. Write [value] to pack one value."
        )
    items = kind[0](flat_sequence)
    atoms = len(flatten(structure, expand_composites))
    if atoms != len(items):
        raise ValueError(
            f"Could not pack sequence. Structure had {atoms} atoms, but flat_sequence had"
            f" {len(items)} items. Structure: {short(structure)}, flat_sequence: {short(items)}."
            " Give one item for each leaf."
        )
    return _pack(structure, items, KINDS_EXPANDED if expand_composites else KINDS)


def _pack(structure: Any, items: list[Any], kinds: Kinds) -> Any:
    """Rebuild a nest around items that are as many as its leaves."""
    if kinds[type(structure)] is None:  # the usual case is not worth a traversal
        return items[0]
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
            _, close = kinds[type(item)]  # type: ignore[misc]  # what is left is a container
            outer[-1].append(close(item, built))
            built = outer.pop()
    return built[0]


def map_structure(
    func: FunctionOfLeaves,
    *structures: Any,
    check_types: bool = True,
    expand_composites: bool = False,
) -> Any:
    """Apply a function to the leaves of a nest, or to the corresponding leaves of several nests.

    Args:
        func: takes as many leaves as there are structures.
        *structures: one or more nests of the same structure; the results take the first's form.
        check_types: containers must agree in type too (see `assert_same_structure`).
        expand_composites: also open composite tensors.

    Raises:
        TypeError: `func` is not callable, or containers differ in type.
        ValueError: no structure was given, or the structures differ.

    Example:
        >>> map_structure(max, {"a": 1, "b": [2]}, {"a": 0, "b": [5]})
        {'a': 1, 'b': [5]}
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got: {short(func)}. It is the first argument.")
    if not structures:
        raise ValueError("Must provide at least one structure: map_structure(func, nest).")
    for other in structures[1:]:
        assert_same_structure(structures[0], other, check_types, expand_composites)
    leaves = [flatten(structure, expand_composites) for structure in structures]
    results = list(map(func, *leaves))
    return _pack(structures[0], results, KINDS_EXPANDED if expand_composites else KINDS)


def assert_same_structure(
    nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Raise an error unless two nests have the same structure; leaves are not compared.

    Args:
        nest1: a nest or leaf.
        nest2: another.
        check_types: containers must also agree in type, and mappings in their keys. Two lists, two
            mappings, or two namedtuples of the same name and fields count as the same type.
        expand_composites: also open composite tensors.

    Raises:
        ValueError: a leaf faces a container, or lengths or keys differ.
        TypeError: the types of two containers differ.

    Example:
        >>> assert_same_structure([1, (2,)], ["x", ("y",)])
    """
    kinds = KINDS_EXPANDED if expand_composites else KINDS
    places: list[list[Any]] = []  # each container that was entered, and the child it is at
    for (event, one), (_, two) in zip(_walk(nest1, kinds), _walk(nest2, kinds), strict=False):
        if event == _LEAVE:
            places.pop()
            continue
        if places:
            places[-1][1] += 1
        difference = _difference(one, two, kinds, check_types)
        if difference is not None:
            error, words = difference
            raise error(
                "The two structures don't have the same nested structure."
                f" At nest{_place(places)} the first has {words}.\n"
                f"First structure: {short(nest1)}\nSecond structure: {short(nest2)}\n"
                "Give both the same containers, with the same lengths and keys."
            )
        if event == _ENTER:
            places.append([one, -1])


def _difference(one: Any, two: Any, kinds: Kinds, check_types: bool) -> Difference | None:
    """Say how two nests differ at their top, and with which exception to complain."""
    kind1, kind2 = kinds[type(one)], kinds[type(two)]
    if kind1 is None and kind2 is None:
        return None
    type1, type2 = type(one).__name__, type(two).__name__
    if kind1 is None or kind2 is None:
        return ValueError, f"type {type1}, the second type {type2}, and one of them is a leaf"
    if check_types and not _same_type(one, two):
        return TypeError, f"type {type1}, the second type {type2} (check_types=False allows that)"
    if check_types and kind1 is MAPPING and set(one) != set(two):
        return ValueError, f"keys {short(list(one))}, the second {short(list(two))}"
    length1, length2 = len(kind1[0](one)), len(kind2[0](two))
    if length1 != length2:
        return ValueError, f"{length1} elements, the second {length2}"
    return None


def _same_type(one: Any, two: Any) -> bool:
    if type(one) is type(two):
        return True
    if hasattr(one, "_fields") and hasattr(two, "_fields"):
        return type(one).__name__ == type(two).__name__ and bool(one._fields == two._fields)
    return any(isinstance(one, base) and isinstance(two, base) for base in (list, Mapping))


def _place(places: list[list[Any]]) -> str:
    """Write where in a nest one is, as Python would index it."""
    place = ""
    for container, child in places:
        label = sorted_keys(container)[child] if isinstance(container, Mapping) else child
        place += f"[{label!r}]"
    return place if len(place) <= 200 else f"{place[:100]}...{place[-100:]}"


def __dir__() -> list[str]:
    return sorted(__all__)
