"""Tests of `minitape.nest`: flattening, packing and mapping of nested structures."""

import array
import collections
import dataclasses
import types

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from minitape.values import containers, nest
from minitape.values.shapes import TensorShape

Pair = collections.namedtuple("Pair", ["p", "q"])
ARRAY = np.arange(3)


class Point:
    """A container of its own kind: its label is metadata, its coordinates are its children."""

    def __init__(self, label, coordinates):
        self.label, self.coordinates = label, coordinates

    def __tf_flatten__(self):
        return self.label, tuple(self.coordinates)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        return cls(metadata, list(components))


class Composite:
    """A tensor made of several tensors: whole, unless composites are expanded."""

    __init__ = Point.__init__
    __composite_flatten__ = Point.__tf_flatten__

    @classmethod
    def __composite_unflatten__(cls, metadata, components):
        return cls(metadata, list(components))


def deep(depth, leaf=1):
    structure = leaf
    for _ in range(depth):
        structure = [structure]
    return structure


@dataclasses.dataclass
class Settings:
    rate: float


@pytest.mark.parametrize(
    "leaf",
    [
        *(None, 3, 2.5, "text", b"bytes", bytearray(b"b"), ARRAY, np.float32(1), {1, 2}),
        *(
            frozenset([1]),
            Settings(0.1),
            TensorShape([2]),
            array.array("d", [1.0]),
            memoryview(b"b"),
        ),
    ],
    ids=lambda leaf: type(leaf).__name__,
)
def test_everything_but_containers_is_a_leaf(leaf):
    assert not nest.is_nested(leaf)
    assert nest.flatten(leaf) == [leaf] or nest.flatten(leaf)[0] is leaf
    assert nest.pack_sequence_as(leaf, ["new"]) == "new"


@pytest.mark.parametrize("empty", [[], (), {}, collections.OrderedDict(), [[], {}], range(0)])
def test_empty_containers_have_no_leaves(empty):
    assert nest.is_nested(empty)
    assert nest.flatten(empty) == []


def test_leaves_come_in_order():
    assert nest.flatten([1, (2, [3, None]), "four", Pair(5, 6)]) == [1, 2, 3, None, "four", 5, 6]


def test_mappings_are_visited_in_sorted_order_of_their_keys():
    assert nest.flatten({"b": 1, "a": [2, (3,)]}) == [2, 3, 1]
    assert nest.flatten(collections.OrderedDict([("z", 1), ("y", 2)])) == [2, 1]
    assert nest.flatten([{3: "c", 1: "a"}]) == ["a", "c"]


def test_keys_that_cannot_be_sorted_raise():
    with pytest.raises(TypeError, match="nest only supports dicts with sortable keys"):
        nest.flatten({"a": 1, 2: 3})


def test_flatten_gives_a_new_list():
    leaves = [1, 2]
    nest.flatten(leaves).append(3)
    assert leaves == [1, 2]


def test_a_container_that_stands_in_two_places_is_visited_twice():
    shared = [1, 2]
    assert nest.flatten([shared, shared, {"k": shared}]) == [1, 2, 1, 2, 1, 2]


def test_packing_keeps_the_mappings_own_order_of_keys():
    packed = nest.pack_sequence_as({"b": 0, "a": 0}, [1, 2])
    assert packed == {"b": 2, "a": 1}
    assert list(packed) == ["b", "a"]


def test_packing_keeps_the_types_of_containers():
    structure = [
        (0,),
        Pair(0, [0]),
        collections.OrderedDict(b=0, a=0),
        types.MappingProxyType({"k": 0}),
    ]
    packed = nest.pack_sequence_as(structure, [1, 2, 3, 4, 5, 6])
    assert packed == [(1,), Pair(2, [3]), collections.OrderedDict(b=5, a=4), {"k": 6}]
    assert [type(x) for x in packed] == [type(x) for x in structure]


def test_packing_keeps_the_factory_of_a_defaultdict():
    packed = nest.pack_sequence_as(collections.defaultdict(list, k=0), [1])
    assert packed == {"k": 1}
    assert packed["new"] == []


def test_views_and_ranges_come_back_as_lists():
    assert nest.map_structure(str, {"b": 1, "a": 2}.values()) == ["1", "2"]
    assert nest.map_structure(str, range(2)) == ["0", "1"]


@pytest.mark.parametrize("items", [[1], [1, 2, 3], []])
def test_packing_the_wrong_number_of_items_raises(items):
    words = f"Structure had 2 atoms, but flat_sequence had {len(items)} items"
    with pytest.raises(ValueError, match=words):
        nest.pack_sequence_as([0, (0,)], items)


def test_packing_something_that_is_no_sequence_raises():
    with pytest.raises(TypeError, match="Attempted to pack value 5 into a structure"):
        nest.pack_sequence_as([0], 5)


LEAVES = st.integers() | st.none() | st.text(max_size=2)
NESTS = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.sampled_from("abc"), inner)
        | st.builds(Pair, inner, inner)
    ),
    max_leaves=12,
)


@settings(deadline=None)
@given(NESTS)
def test_packing_what_was_flattened_gives_the_nest_back(structure):
    assert nest.pack_sequence_as(structure, nest.flatten(structure)) == structure


def test_map_structure_applies_the_function_to_every_leaf():
    mapped = nest.map_structure(lambda x: x + 1, {"a": 1, "b": [2, (3,)]})
    assert mapped == {"a": 2, "b": [3, (4,)]}
    assert nest.map_structure(lambda x: x + 1, 1) == 2


def test_map_structure_pairs_the_leaves_of_several_nests():
    assert nest.map_structure(lambda x, y: x - y, {"a": 5, "b": [7]}, {"b": [3], "a": 1}) == {
        "a": 4,
        "b": [4],
    }
    assert nest.map_structure(lambda x, y, z: x + y + z, (1, [2]), (10, [20]), (100, [200])) == (
        111,
        [222],
    )


def test_map_structure_gives_the_form_of_the_first_nest():
    assert nest.map_structure(max, (1, 5), [2, 3], check_types=False) == (2, 5)


def test_map_structure_of_different_structures_raises():
    with pytest.raises(ValueError, match="don't have the same nested structure"):
        nest.map_structure(max, [1, 2], [1, [2]])


def test_map_structure_without_a_function_or_a_structure_raises():
    with pytest.raises(TypeError, match="func must be callable, got: 3"):
        nest.map_structure(3, [1])
    with pytest.raises(ValueError, match="at least one structure"):
        nest.map_structure(max)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (1, "leaf"),
        ([1, (2,)], ["x", (None,)]),
        ({"a": 1, "b": 2}, {"b": 3, "a": 4}),
        ({"a": 1}, collections.OrderedDict(a=2)),
        (Pair(1, 2), collections.namedtuple("Pair", ["p", "q"])(3, 4)),
    ],
)
def test_same_structures_are_accepted(one, two):
    assert nest.assert_same_structure(one, two) is None


@pytest.mark.parametrize(
    ("one", "two", "words"),
    [
        (1, [1], "At nest the first has type int, the second type list, and one of them is a leaf"),
        ([1, 2], [1], "the first has 2 elements, the second 1"),
        ({"a": 1}, {"b": 1}, r"the first has keys \['a'\], the second \['b'\]"),
        ([{"k": (1, 2)}], [{"k": (1, [2])}], r"At nest\[0\]\['k'\]\[1\] the first has type int"),
    ],
)
def test_a_structural_difference_is_described_with_its_place(one, two, words):
    with pytest.raises(ValueError, match=words) as caught:
        nest.assert_same_structure(one, two)
    assert "The two structures don't have the same nested structure" in str(caught.value)


@pytest.mark.parametrize(("one", "two"), [([1], (1,)), (Pair(1, 2), (1, 2)), ({"a": 1}, [1])])
def test_containers_of_different_types_raise_unless_types_are_not_checked(one, two):
    with pytest.raises(TypeError, match="don't have the same nested structure"):
        nest.assert_same_structure(one, two)
    nest.assert_same_structure(one, two, check_types=False)


def test_a_class_with_tf_flatten_is_a_container():
    mapped = nest.map_structure(lambda x: -x, [Point("here", [1, 2])])
    assert (mapped[0].label, mapped[0].coordinates) == ("here", [-1, -2])


def test_composites_are_leaves_unless_they_are_expanded():
    structure = [Composite("c", [1, 2]), 3]
    assert nest.flatten(structure) == structure
    assert nest.flatten(structure, expand_composites=True) == [1, 2, 3]
    packed = nest.pack_sequence_as(structure, [4, 5, 6], expand_composites=True)
    assert (packed[0].label, packed[0].coordinates, packed[1]) == ("c", [4, 5], 6)


@pytest.mark.slow
def test_a_nest_deeper_than_the_recursion_limit_works():
    structure = deep(100_000)
    assert nest.flatten(structure) == [1]
    mapped = nest.map_structure(lambda x, y: x + y, structure, structure)
    depth = 0
    while isinstance(mapped, list):
        (mapped,) = mapped
        depth += 1
    assert (mapped, depth) == (2, 100_000)


def test_errors_about_a_very_deep_nest_stay_readable():
    with pytest.raises(ValueError, match="atoms") as packing:
        nest.pack_sequence_as(deep(10_000), [1, 2])
    with pytest.raises(ValueError, match="one of them is a leaf") as comparing:
        nest.assert_same_structure(deep(10_000), deep(10_000, leaf=[1]))
    assert len(str(packing.value)) < 1000 and len(str(comparing.value)) < 1000


def test_a_structure_that_contains_itself_raises():
    endless = [1]
    endless.append({"k": (endless,)})
    for use in (nest.flatten, lambda s: nest.map_structure(max, s, s)):
        with pytest.raises(ValueError, match="A list contains itself"):
            use(endless)


@pytest.mark.slow
def test_types_made_on_the_fly_do_not_fill_the_table():
    for number in range(3000):
        assert nest.flatten(type(f"Leaf{number}", (), {})()) != []
    assert len(containers.KINDS) <= 1000
    assert nest.flatten([1, [2]]) == [1, 2]
