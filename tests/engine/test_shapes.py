"""Tests of `minitape.shapes`: static shapes and broadcasting."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st

from minitape.values.broadcasting import broadcast_shapes, broadcast_static_shape
from minitape.values.shapes import TensorShape

UNKNOWN = TensorShape(None)


@pytest.mark.parametrize(
    "dims", [[2, 3], (2, 3), TensorShape([2, 3]), np.array([2, 3]), range(2, 4)]
)
def test_a_shape_is_made_of_anything_that_lists_dimensions(dims):
    assert TensorShape(dims).as_list() == [2, 3]


def test_an_integer_makes_a_vector_shape():
    assert TensorShape(5).as_list() == [5]
    assert TensorShape(np.int64(5)).as_list() == [5]


def test_numpy_integers_become_python_integers():
    assert all(type(d) is int for d in TensorShape(np.array([2, 3])))


@pytest.mark.parametrize("wrong", [[2.0], ["2"], "23", 2.5, [[2]]])
def test_a_dimension_that_is_no_integer_raises(wrong):
    with pytest.raises(TypeError, match="integer, or None when it is unknown"):
        TensorShape(wrong)


def test_a_negative_dimension_raises():
    with pytest.raises(ValueError, match="Dimension -1 of a shape must be >= 0"):
        TensorShape([-1, 2])


def test_known_wraps_a_tuple_without_looking_at_it():
    assert TensorShape.known((2, 3)) == TensorShape([2, 3])


def test_a_shape_equals_lists_tuples_and_shapes_of_the_same_dimensions():
    shape = TensorShape([2, None])
    assert shape == [2, None] and shape == [2, None]
    assert shape == (2, None) and shape == (2, None)
    assert shape == TensorShape((2, None))


@pytest.mark.parametrize("other", [[2], (2, 3, 4), TensorShape(None), None, 2, "(2, 3)"])
def test_a_shape_differs_from_everything_else(other):
    assert TensorShape([2, 3]) != other


def test_unknown_rank_equals_unknown_rank_and_none():
    assert TensorShape(None) == TensorShape(None)
    assert UNKNOWN == None  # noqa: E711  # the comparison is what is tested
    assert UNKNOWN != ()


def test_equal_shapes_and_tuples_have_equal_hashes():
    assert hash(TensorShape([2, 3])) == hash((2, 3))
    assert {TensorShape([2, 3]): "found"}[(2, 3)] == "found"


def test_rank_and_its_other_names():
    assert [TensorShape([2, None]).rank, TensorShape([2, None]).ndims] == [2, 2]
    assert TensorShape([]).rank == 0
    assert UNKNOWN.rank is None and UNKNOWN.ndims is None


def test_dims_is_a_list_or_none():
    assert TensorShape((2, None)).dims == [2, None]
    assert UNKNOWN.dims is None


def test_number_of_elements_is_the_product_of_the_dimensions():
    assert TensorShape([2, 3, 4]).num_elements() == 24
    assert TensorShape([]).num_elements() == 1
    assert TensorShape([2, 0]).num_elements() == 0


@pytest.mark.parametrize("shape", [UNKNOWN, TensorShape([None]), TensorShape([2, None])])
def test_a_shape_with_something_unknown_is_not_fully_defined(shape):
    assert not shape.is_fully_defined()
    assert shape.num_elements() is None


def test_a_shape_without_unknowns_is_fully_defined():
    assert TensorShape([]).is_fully_defined()
    assert TensorShape([0, 1]).is_fully_defined()


def test_repr_and_str_are_tensorflows():
    assert repr(TensorShape([2, None])) == "TensorShape([2, None])"
    assert repr(UNKNOWN) == "TensorShape(None)"
    shown = [str(TensorShape(dims)) for dims in ([2, None], [2], [], None)]
    assert shown == ["(2, None)", "(2,)", "()", "<unknown>"]


def test_an_index_gives_a_dimension_and_a_slice_a_shape():
    shape = TensorShape([2, 3, 4])
    assert [shape[0], shape[-1]] == [2, 4]
    assert shape[1:] == (3, 4) and isinstance(shape[1:], TensorShape)
    assert shape[::-1] == (4, 3, 2)


def test_an_index_out_of_range_raises():
    with pytest.raises(IndexError):
        TensorShape([2])[1]


def test_everything_in_an_unknown_rank_is_unknown():
    assert UNKNOWN[0] is None
    assert UNKNOWN[1:].rank is None


def test_iteration_and_len():
    assert list(TensorShape([2, None])) == [2, None]
    assert len(TensorShape([2, None])) == 2


@pytest.mark.parametrize("use", [len, list, TensorShape.as_list])
def test_listing_the_dimensions_of_an_unknown_rank_raises(use):
    with pytest.raises(ValueError, match="unknown rank"):
        use(UNKNOWN)


def test_every_shape_of_known_rank_is_true():
    assert bool(TensorShape([])) and bool(TensorShape([0]))
    assert not UNKNOWN


def test_concatenation_appends_dimensions():
    assert TensorShape([2]).concatenate([3, None]) == [2, 3, None]
    assert TensorShape([2]).concatenate(None).rank is None
    assert UNKNOWN.concatenate([2]).rank is None


@pytest.mark.parametrize("other", [(4, 5), [4, 5], TensorShape([4, 5])])
def test_plus_concatenates_on_either_side_and_gives_a_shape(other):
    left, right = TensorShape([2]) + other, other + TensorShape([2])
    assert left == (2, 4, 5) and isinstance(left, TensorShape)
    assert right == (4, 5, 2) and isinstance(right, TensorShape)


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    [
        ([2, 3], [2, 3], True),
        ([2, 3], [2, 4], False),
        ([2, 3], [2], False),
        ([2, None], [2, 7], True),
        ([2, None], [3, None], False),
        (None, [1, 2], True),
        ([], [1], False),
    ],
)
def test_compatible_shapes_have_one_rank_and_equal_known_dimensions(one, two, expected):
    assert TensorShape(one).is_compatible_with(two) is expected
    assert TensorShape(two).is_compatible_with(one) is expected


def test_assert_is_compatible_with_shows_both_shapes():
    TensorShape([2, None]).assert_is_compatible_with([2, 3])
    with pytest.raises(ValueError, match=r"Shapes \(2,\) and \(3,\) are incompatible"):
        TensorShape([2]).assert_is_compatible_with([3])


def test_merging_keeps_every_dimension_that_one_side_knows():
    assert TensorShape([2, None, None]).merge_with([None, 3, None]) == [2, 3, None]
    assert UNKNOWN.merge_with([2]) == [2]
    assert TensorShape([]).merge_with(None) == []


def test_merging_incompatible_shapes_raises():
    with pytest.raises(ValueError, match="incompatible"):
        TensorShape([2]).merge_with([3])


def test_with_rank_gives_an_unknown_shape_its_rank():
    assert UNKNOWN.with_rank(2) == [None, None]
    assert TensorShape([4, None]).with_rank(2) == [4, None]
    with pytest.raises(ValueError, match=r"Shape \(4,\) must have rank 2"):
        TensorShape([4]).with_rank(2)


def test_with_rank_at_least_rejects_a_smaller_rank():
    assert TensorShape([4, 5]).with_rank_at_least(1) == [4, 5]
    assert UNKNOWN.with_rank_at_least(3).rank is None
    with pytest.raises(ValueError, match="must have rank at least 2"):
        TensorShape([4]).with_rank_at_least(2)


def test_numpy_takes_a_shape_for_a_tuple():
    shape = TensorShape([2, 3])
    assert np.zeros(shape).shape == (2, 3)
    assert np.arange(6).reshape(shape).shape == (2, 3)
    assert np.broadcast_to(1.0, shape).shape == (2, 3)
    assert np.random.default_rng(0).normal(size=shape).shape == (2, 3)
    assert np.asarray(shape).tolist() == [2, 3]


@pytest.mark.parametrize("dims", [[2, None], [], None])
def test_copies_and_pickles_are_equal(dims):
    shape = TensorShape(dims)
    assert copy.deepcopy(shape) == copy.copy(shape) == shape
    assert pickle.loads(pickle.dumps(shape)) == shape


DIMS = st.lists(st.sampled_from([0, 1, 2, 3]), max_size=4).map(tuple)


@given(DIMS, DIMS)
def test_broadcasting_agrees_with_numpy(a, b):
    try:
        expected = np.broadcast_shapes(a, b)
    except ValueError:
        with pytest.raises(ValueError, match="Incompatible shapes for broadcasting"):
            broadcast_shapes(a, b)
    else:
        assert broadcast_shapes(a, b) == expected
        assert broadcast_static_shape(TensorShape(a), TensorShape(b)) == expected


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([None, 3], [2, 1], [2, 3]),
        ([None], [1], [None]),
        ([None], [None], [None]),
        ([4, None], [5], [4, 5]),
        ([None], [4, 1], [4, None]),
    ],
)
def test_an_unknown_dimension_is_taken_to_fit(a, b, expected):
    assert broadcast_static_shape(a, b).as_list() == expected
    assert broadcast_static_shape(b, a).as_list() == expected


def test_broadcasting_with_an_unknown_rank_gives_an_unknown_rank():
    assert broadcast_static_shape([2], None).rank is None


def test_a_broadcasting_error_shows_the_shapes_and_the_dimensions_that_clash():
    with pytest.raises(ValueError, match=r"\(2, 3\) and \(2,\).*3 meets 2 and neither is 1"):
        broadcast_shapes((2, 3), (2,))
