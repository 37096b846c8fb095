"""`tf.data`: elements, batches, order and errors, against recorded facts of TensorFlow."""

import numpy as np
import pytest

import minitape as tf

Dataset = tf.data.Dataset


def values(dataset):
    return [tf.nest.map_structure(lambda x: x.tolist(), e) for e in dataset.as_numpy_iterator()]


def test_slices_of_nested_arrays_come_row_by_row():
    data = Dataset.from_tensor_slices((np.arange(4).reshape(2, 2), {"a": [1.5, 2.5]}))
    assert values(data) == [([0, 1], {"a": 1.5}), ([2, 3], {"a": 2.5})]
    assert len(data) == 2


def test_a_list_is_one_tensor_and_no_container():
    assert values(Dataset.from_tensor_slices([[1, 2], [3, 4]])) == [[1, 2], [3, 4]]
    assert values(Dataset.range(2).map(lambda x: [x, x + 1])) == [(0, 1), (1, 2)]


def test_texts_are_elements():
    data = Dataset.from_tensor_slices(["a", "bc"])
    assert list(data.as_numpy_iterator()) == [b"a", b"bc"]
    assert next(iter(data.batch(2))).numpy().tolist() == [b"a", b"bc"]


def test_batch_keeps_or_drops_the_remainder_and_says_so_in_its_spec():
    data = Dataset.range(5)
    assert values(data.batch(2)) == [[0, 1], [2, 3], [4]]
    assert values(data.batch(2, drop_remainder=True)) == [[0, 1], [2, 3]]
    assert data.batch(2).element_spec.shape.as_list() == [None]
    assert data.batch(2, drop_remainder=True).element_spec.shape.as_list() == [2]
    assert (len(data.batch(2)), len(data.batch(2, True))) == (3, 2)


def test_padded_batch_fills_up_to_the_largest_of_the_group():
    rows = Dataset.from_generator(lambda: iter([[1], [1, 2], [3, 4, 5]]), tf.int32, [None])
    assert values(rows.padded_batch(2)) == [[[1, 0], [1, 2]], [[3, 4, 5]]]
    padded = rows.padded_batch(2, padded_shapes=[4], padding_values=-1)
    assert values(padded) == [[[1, -1, -1, -1], [1, 2, -1, -1]], [[3, 4, 5, -1]]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="smaller size than the input element"):
        values(rows.padded_batch(3, padded_shapes=[2]))


def test_unbatch_is_the_inverse_of_batch():
    data = Dataset.from_tensor_slices((np.arange(5), np.eye(5)))
    assert values(data.batch(2).unbatch()) == values(data)


def test_shuffle_gives_every_element_once_and_another_order_each_time():
    data = Dataset.range(100).shuffle(100, seed=1)
    one, two = values(data), values(data)
    assert sorted(one) == sorted(two) == list(range(100))
    assert one != two != list(range(100))


def test_shuffle_with_a_seed_repeats_in_a_new_dataset():
    one, two = (values(Dataset.range(50).shuffle(50, seed=7)) for _ in range(2))
    assert one == two
    fixed = Dataset.range(50).shuffle(50, reshuffle_each_iteration=False)
    assert values(fixed) == values(fixed)


def test_set_seed_makes_the_order_of_shuffle_repeatable():
    orders = []
    for _ in range(2):
        tf.random.set_seed(3)
        orders.append(values(Dataset.range(50).shuffle(50)))
    assert orders[0] == orders[1]


def test_a_small_buffer_moves_no_element_forward_further_than_its_size():
    order = values(Dataset.range(100).shuffle(5, seed=2))
    assert all(element < place + 5 for place, element in enumerate(order))


def test_repeat_take_and_skip_count():
    data = Dataset.range(3)
    assert values(data.repeat(2)) == [0, 1, 2, 0, 1, 2]
    assert values(data.repeat().take(7)) == [0, 1, 2, 0, 1, 2, 0]
    assert values(data.skip(1)) == [1, 2]
    sizes = [data.repeat(2), data.take(-1), data.skip(-1), data.repeat(), data.filter(bool)]
    assert [int(each.cardinality()) for each in sizes] == [6, 3, 0, -1, -2]


def test_elements_are_made_only_when_they_are_asked_for():
    made = []
    data = Dataset.range(1000).map(lambda x: made.append(int(x)) or x)
    assert values(data.take(2)) == [0, 1]
    assert made == [0, 1]


def test_cache_runs_what_is_before_it_once():
    made = []
    data = Dataset.range(3).map(lambda x: made.append(1) or x).cache()
    assert values(data) == values(data) == [0, 1, 2]
    assert len(made) == 3


def test_zip_concatenate_and_enumerate_join():
    data = Dataset.range(3)
    assert values(Dataset.zip((data, data.skip(1)))) == [(0, 1), (1, 2)]
    assert values(data.concatenate(Dataset.range(1))) == [0, 1, 2, 0]
    assert values(data.enumerate(start=5)) == [(5, 0), (6, 1), (7, 2)]


def test_windows_are_datasets_of_neighbours():
    windows = Dataset.range(7).window(3, shift=2, drop_remainder=True)
    assert [values(w) for w in windows] == [[0, 1, 2], [2, 3, 4], [4, 5, 6]]
    strided = Dataset.range(5).window(3, shift=1, stride=2)
    assert [values(w) for w in strided] == [[0, 2, 4], [1, 3], [2, 4], [3], [4]]
    assert [len(w) for w in Dataset.range(5).window(2, shift=3)] == [2, 2]


def test_interleave_takes_turns():
    data = Dataset.range(4).interleave(lambda x: Dataset.from_tensors(x).repeat(2), cycle_length=2)
    assert values(data) == [0, 1, 0, 1, 2, 3, 2, 3]


def test_reduce_carries_a_state():
    assert int(Dataset.range(7).reduce(np.int64(0), lambda a, b: a + b)) == 21


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("rebatch", r"`dataset.unbatch\(\).batch\(n\)`"),
        ("shard", "from_generator"),
        ("take_while", "from_generator"),
    ],
)
def test_methods_that_courses_do_not_use_say_what_to_write(name, instead):
    with pytest.raises(
        AttributeError, match=f"Dataset.{name}` is not supported in minitape.*{instead}"
    ):
        getattr(Dataset.range(3), name)
    assert not hasattr(Dataset.range(3), "bacth")


def test_a_spec_behind_map_needs_no_element():
    def refuse():
        raise AssertionError("the generator was started")
        yield

    data = Dataset.from_generator(refuse, output_signature=tf.TensorSpec([None, 3]))
    spec = data.map(lambda x: (x, tf.reduce_sum(x, axis=1))).element_spec
    assert [each.shape.as_list() for each in spec] == [[None, 3], [None]]


@pytest.mark.parametrize("second", [{"output_types": tf.int32}, {"output_shapes": []}])
def test_a_generator_has_one_signature(second):
    with pytest.raises(
        TypeError, match=f"`{next(iter(second))}` argument can not be used together"
    ):
        Dataset.from_generator(list, output_signature=tf.TensorSpec([], tf.int32), **second)


def test_a_spec_behind_map_leaves_open_what_depends_on_values():
    def sizes(data, function):
        return data.map(function).element_spec.shape.as_list()

    groups = Dataset.range(12).batch(4)
    assert sizes(Dataset.range(3), lambda n: tf.range(n)) == [None]
    assert sizes(groups, lambda x: tf.boolean_mask(x, x % 4 > 1)) == [None]
    assert sizes(groups, lambda x: tf.unique(x)[0]) == [None]
    assert sizes(groups, lambda x: x if int(x[0]) > 3 else -x) == [None]


def test_a_spec_behind_map_knows_no_axes_where_the_generator_says_none():
    rows = Dataset.from_generator(lambda: iter([[1.0], [2.0, 3.0]]), tf.float32)
    assert rows.map(lambda x: x * 2.0).element_spec.shape.rank is None
    assert rows.map(lambda x: tf.reshape(x, [-1])).element_spec.shape.as_list() == [None]


def test_a_loop_over_a_dataset_in_a_traced_function_sees_each_pass_anew():
    data = Dataset.range(6).shuffle(6, seed=1)

    @tf.function
    def order():
        return [int(x) for x in data]

    one, two = order(), order()
    assert sorted(map(int, one)) == list(range(6))
    assert list(map(int, one)) != list(map(int, two))


def test_what_a_pipeline_computes_is_on_no_tape():
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = next(iter(Dataset.from_tensors(3.0).map(lambda x: v * x))) * 1.0
    assert tape.gradient(y, v) is None


def test_different_shapes_cannot_be_batched_and_the_element_is_named():
    rows = Dataset.from_generator(lambda: iter([[1], [1, 2]]), tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"First element had shape \[1\] and"):
        values(rows.batch(2))


def test_an_error_in_a_users_function_names_the_element():
    def fail(x):
        if x == 2:
            raise RuntimeError("no")
        return x

    with pytest.raises(RuntimeError) as caught:
        values(Dataset.range(4).map(fail))
    assert "Dataset.map, at element 2" in caught.value.__notes__[0]


def test_an_attribute_error_in_a_users_function_is_that_of_the_spec():
    with pytest.raises(AttributeError, match="'nothing_like_it'"):
        print(Dataset.range(2).map(lambda x: x.nothing_like_it))


def test_elements_of_different_shapes_are_named_with_their_component():
    def elements():
        yield 1.0, [1, 2]
        yield 2.0, [1]

    data = Dataset.from_generator(elements, (tf.float32, tf.int32)).batch(2)
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        values(data)
    said = "in component 1. First element had shape [2] and element 1 had shape [1]."
    assert said in str(caught.value)  # TensorFlow's words


def test_a_constructor_that_is_not_there_has_words():
    with pytest.raises(AttributeError, match="'list_files'. .* is not supported in minitape"):
        Dataset.list_files("*.png")


def test_wrong_calls_say_what_to_write():
    for call, match in [
        (lambda: Dataset.from_tensor_slices(3), "only supported for rank >= 1"),
        (lambda: Dataset.from_tensor_slices((np.zeros(3), np.zeros(4))), "3 and 4 are not compat"),
        (lambda: Dataset.range(3).batch(0), "must be greater than zero"),
        (lambda: values(Dataset.range(3).filter(lambda x: x)), "must return a `tf.bool` scalar"),
        (lambda: Dataset.from_tensors(1).unbatch(), "scalar components"),
        (lambda: Dataset.range(3).map(3), "must be a callable"),
    ]:
        with pytest.raises(ValueError, match=match):
            call()
    with pytest.raises(TypeError, match="length is unknown"):
        len(Dataset.range(3).filter(lambda x: x > 1))
    with pytest.raises(tf.errors.OutOfRangeError):
        iter(Dataset.range(0)).get_next()


@pytest.mark.parametrize("start", [iter, Dataset.as_numpy_iterator])
def test_iterators_have_next_as_a_method_too(start):
    elements = start(Dataset.range(3))
    assert [int(elements.next()), int(next(elements)), int(elements.next())] == [0, 1, 2]
    with pytest.raises(StopIteration):
        elements.next()


def test_a_generator_has_to_fit_its_signature():
    signature = tf.TensorSpec([3], tf.int32)
    data = Dataset.from_generator(lambda: iter([[1, 2]]), output_signature=signature)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"shape \(2,\) where .* \(3,\)"):
        values(data)
    with pytest.raises(TypeError, match="`output_signature` is missing"):
        Dataset.from_generator(lambda: iter([1]))


def test_padded_batch_fills_up_to_the_largest_of_what_a_function_made():
    data = tf.data.Dataset.range(3).map(lambda n: tf.range(n)).padded_batch(3)
    assert [x.numpy().tolist() for x in data] == [[[0, 0], [0, 0], [0, 1]]]


def test_rows_of_elements_of_a_known_length_are_counted():
    assert int(tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]]).unbatch().cardinality()) == 4


def test_windows_are_batched_inside():
    windows = tf.data.Dataset.range(4).window(2).batch(2)
    for call in (lambda: next(iter(windows)), lambda: windows.element_spec):
        with pytest.raises(TypeError, match=r"Batch inside: `dataset\.window\(n\)\.flat_map"):
            call()
