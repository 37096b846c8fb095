"""Copies: every way to copy a variable, or what holds one, gives a variable of its own."""

import copy
import multiprocessing
import pickle

import numpy as np
import pytest

import minitape as tf

WAYS = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    **{
        f"pickle {n}": lambda x, n=n: pickle.loads(pickle.dumps(x, n))
        for n in (2, pickle.HIGHEST_PROTOCOL)
    },
}
DEEP = {name: way for name, way in WAYS.items() if name != "copy"}
every_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
every_deep_way = pytest.mark.parametrize("way", DEEP.values(), ids=DEEP)


class Line(tf.Module):
    """A module with a variable under two names, and traced functions."""

    def __init__(self):
        super().__init__()
        self.w = tf.Variable(3.0, name="w")
        self.again = [self.w]
        self.traced = tf.function(self.double)

    def double(self, x):
        return 2.0 * self.w * x

    @tf.function
    def __call__(self, x):
        return self.w * x


class Named(tf.Variable):
    """A variable with an attribute of its own."""


@tf.function
def squared(x):
    return x * x


@tf.custom_gradient
def tenfold(x):
    return x, lambda g: 10.0 * g


def two_gradients(v, c):
    with tf.GradientTape() as tape:
        y = 3.0 * v + 5.0 * c
    return [None if g is None else float(g) for g in tape.gradient(y, [v, c])]


def built(layer):
    layer(tf.ones((1, 3)))
    return layer


@every_way
def test_a_copied_variable_has_gradients_of_its_own(way):
    v = tf.Variable(2.0, name="speed", trainable=True)
    c = way(v)
    assert two_gradients(v, c) == [3.0, 5.0]
    assert (c.name, c.trainable, float(c), c.dtype) == ("speed:0", True, 2.0, tf.float32)


@pytest.mark.parametrize("protocol", [0, 1])
def test_the_oldest_pickles_give_a_variable_of_its_own_too(protocol):
    v = tf.Variable(2.0)
    assert two_gradients(v, pickle.loads(pickle.dumps(v, protocol))) == [3.0, 5.0]


@every_way
def test_a_copied_variable_is_assigned_by_itself(way):
    v = tf.Variable([1.0, 2.0], trainable=False)
    c = way(v)
    c.assign_add([1.0, 1.0])
    assert v.numpy().tolist() == [1.0, 2.0]
    assert not c.trainable


@every_way
def test_copies_of_a_copy_are_all_different(way):
    v = tf.Variable(2.0)
    first = way(v)
    second, third = way(v), way(first)
    assert len({each.id for each in (v, first, second, third)}) == 4
    assert all(tf.Variable(0.0).id > each.id for each in (first, second, third))


@every_way
def test_a_copy_keeps_the_attributes_of_a_subclass(way):
    v = Named(1.0)
    v.unit = "m/s"
    c = way(v)
    assert (type(c), c.unit) == (Named, "m/s")
    assert two_gradients(v, c) == [3.0, 5.0]


@every_way
def test_forward_mode_tells_a_variable_from_its_copy(way):
    v = tf.Variable(2.0)
    c = way(v)
    with tf.autodiff.ForwardAccumulator(c, tf.constant(1.0)) as accumulator:
        y = 3.0 * v + 5.0 * c
    assert float(accumulator.jvp(y)) == 5.0


@every_way
def test_functions_and_graphs_tell_a_variable_from_its_copy(way):
    v = tf.Variable(2.0)
    c = way(v)
    total = tf.function(lambda: 3.0 * v + 5.0 * c)
    with tf.GradientTape() as tape:
        y = total()
    assert [float(g) for g in tape.gradient(y, [v, c])] == [3.0, 5.0]
    v.assign(0.0)
    assert float(total()) == 10.0


@every_deep_way
def test_a_module_keeps_its_sharing_inside_the_copy(way):
    line = Line()
    line(tf.constant(1.0)), line.traced(tf.constant(1.0))
    other = way(line)
    assert other.w is other.again[0] is not line.w
    assert len(other.variables) == 1
    other.w.assign(5.0)
    x = tf.constant(1.0)
    assert [float(f(x)) for f in (line, other, line.traced, other.traced)] == [3, 5, 6, 10]
    assert two_gradients(line.w, other.w) == [3.0, 5.0]


def test_a_shallow_copy_of_a_module_shares_the_variables_themselves():
    line = Line()
    other = copy.copy(line)
    assert other.w is line.w
    line.w.assign(4.0)
    assert float(other(tf.constant(1.0))) == 4.0


@every_way
def test_a_layer_is_copied_with_variables_of_its_own(way):
    layer = built(tf.keras.layers.Dense(2, name="first"))
    layer.trainable = False
    other = way(layer)
    layer.trainable = other.trainable = True
    assert other.kernel.path == "first/kernel"
    assert len(other.trainable_variables) == 2  # they are learnt again once the layer is
    assert np.array_equal(other.kernel, layer.kernel)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(3.0 * layer.bias + 5.0 * other.bias)
    of_layer, of_other = tape.gradient(y, [layer.bias, other.bias])
    assert of_layer.numpy().tolist() == [3.0, 3.0]
    assert of_other.numpy().tolist() == [5.0, 5.0]


@every_way
def test_a_model_is_copied_with_variables_of_its_own(way):
    model = built(tf.keras.Sequential([tf.keras.layers.Dense(2), tf.keras.layers.Dense(1)]))
    other = way(model)
    other.layers[0].kernel.assign(tf.zeros((3, 2)))
    assert not {v.id for v in model.variables} & {v.id for v in other.variables}
    assert model.layers[0].kernel.numpy().any()


@every_way
def test_a_metric_is_copied_with_a_total_of_its_own(way):
    mean = tf.keras.metrics.Mean()
    mean.update_state([1.0, 3.0])
    other = way(mean)
    other.update_state([8.0])
    assert (float(mean.result()), float(other.result())) == (2.0, 4.0)


@every_deep_way
def test_an_optimizer_copied_with_its_variable_goes_on_with_that_copy(way):
    v, optimizer = tf.Variable(1.0), tf.keras.optimizers.SGD(0.5, momentum=0.5)
    optimizer.apply_gradients([(tf.constant(1.0), v)])  # v = 0.5, momentum = -0.5
    other_v, other = way((v, optimizer))
    other.apply_gradients([(tf.constant(1.0), other_v)])
    assert (float(v), float(other_v)) == (0.5, -0.25)
    assert (int(optimizer.iterations), int(other.iterations)) == (1, 2)
    optimizer.apply_gradients([(tf.constant(1.0), v)])
    assert float(v) == -0.25  # its momentum was not moved by the copy


def test_a_copied_optimizer_goes_on_for_the_same_variables_with_slots_of_its_own():
    v, optimizer = tf.Variable(1.0), tf.keras.optimizers.SGD(0.5, momentum=0.5)
    optimizer.apply_gradients([(tf.constant(1.0), v)])  # v = 0.5, momentum = -0.5
    other = copy.copy(optimizer)
    other.apply_gradients([(tf.constant(1.0), v)])  # v = -0.25, its momentum = -0.75
    optimizer.apply_gradients([(tf.constant(1.0), v)])
    assert float(v) == -1.0


def test_an_optimizer_does_not_take_an_unpickled_variable_for_another():
    v, w = tf.Variable(1.0), tf.Variable(1.0)
    optimizer = tf.keras.optimizers.SGD(1.0, momentum=1.0)
    optimizer.apply_gradients([(tf.constant(2.0), v)])
    c = pickle.loads(pickle.dumps(v))
    optimizer.apply_gradients([(tf.constant(0.0), each) for each in (w, c)])
    assert (float(w), float(c)) == (1.0, -1.0)  # no momentum of v in them


@every_way
def test_references_to_copies_are_keys_of_their_own(way):
    v = tf.Variable(1.0)
    names = {v.ref(): "v"}
    assert v.ref() in copy.copy(names)
    c, other = way((v, names)) if way is not copy.copy else (copy.copy(v), {})
    assert c.ref() not in names
    assert way is copy.copy or other[c.ref()] == "v"


def test_a_tensor_is_its_own_copy_and_its_pickle_another_tensor():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        assert copy.copy(x) is x is copy.deepcopy(x)
        other = pickle.loads(pickle.dumps(x))
        y = tf.reduce_sum(3.0 * x + 5.0 * other)
    assert other.numpy().tolist() == [1.0, 2.0]
    of_x, of_other = tape.gradient(y, [x, other])
    assert of_x.numpy().tolist() == [3.0, 3.0]
    assert of_other is None


@pytest.mark.parametrize(
    "value",
    [
        tf.ragged.constant([[1.0], [2.0, 3.0]]),
        tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]), tf.constant([3])),
        tf.TensorArray(tf.float32, 1).write(0, 4.0),
        tf.TensorSpec([2, None], tf.float64, "x"),
        tf.TensorShape([None, 2]),
        tf.constant(["text"]),
        tf.random.Generator.from_seed(3),
    ],
    ids=lambda value: type(value).__name__,
)
@every_way
def test_other_values_come_out_of_a_copy_as_they_went_in(way, value):
    other = way(value)
    assert type(other) is type(value)
    if not isinstance(value, tf.random.Generator):
        assert repr(other) == repr(value)


@every_deep_way
def test_writing_to_a_copied_tensor_array_leaves_the_original(way):
    array = tf.TensorArray(tf.float32, 2, clear_after_read=False).write(0, 1.0).write(1, 2.0)
    other = way(array).write(0, 7.0)
    assert array.stack().numpy().tolist() == [1.0, 2.0]
    assert other.stack().numpy().tolist() == [7.0, 2.0]


@every_way
@pytest.mark.parametrize("persistent", [False, True])
def test_a_tape_with_a_recording_refuses_to_be_copied(way, persistent):
    v = tf.Variable(3.0)
    with tf.GradientTape(persistent) as tape:
        y = v * v
    with pytest.raises(TypeError, match="GradientTape cannot be copied or pickled.*Record again"):
        way(tape)
    assert float(tape.gradient(y, v)) == 6.0


@every_way
def test_a_tape_without_a_recording_is_copied_with_its_settings(way):
    v = tf.Variable(3.0)
    used = tf.GradientTape(watch_accessed_variables=False)
    with used:
        used.watch(v)
        y = v * v
    used.gradient(y, v)
    other = way(used)
    with other:
        y = v * v
    assert other.gradient(y, v) is None
    assert way(tf.GradientTape(True)).persistent


@every_way
def test_accumulators_and_graphs_refuse_to_be_copied(way):
    v = tf.Variable(3.0)
    with pytest.raises(TypeError, match="ForwardAccumulator cannot be copied or pickled"):
        way(tf.autodiff.ForwardAccumulator(v, tf.constant(1.0)))
    with pytest.raises(TypeError, match="Graph cannot be copied or pickled"):
        way(tf.Graph())


@pytest.mark.parametrize("transform", [tf.function, lambda f: f], ids=["function", "vectorized"])
def test_a_tensor_without_a_value_is_its_own_copy_and_has_no_pickle(transform):
    def body(x):
        assert copy.copy(x) is x is copy.deepcopy(x)
        with pytest.raises(TypeError, match="pickle needs a value"):
            pickle.dumps(x)
        return x

    if transform is tf.function:
        tf.function(body)(tf.constant(1.0))
    else:
        tf.vectorized_map(body, tf.constant([1.0, 2.0]))


@every_way
def test_decorated_functions_are_copied_like_functions(way):
    x = tf.constant(3.0)
    assert way(squared) is squared
    assert way(tenfold) is tenfold
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = way(tenfold)(way(squared)(x))
    assert float(tape.gradient(y, x)) == 60.0


def test_a_copied_inner_function_reads_the_same_variable():
    v = tf.Variable(2.0)
    scaled = tf.function(lambda x: v * x)
    assert float(copy.deepcopy(scaled)(tf.constant(3.0))) == 6.0


@every_deep_way
def test_a_traced_method_is_copied_with_its_instance(way):
    line = Line()
    method = way(line.__call__ if way is copy.deepcopy else line).__call__
    line.w.assign(9.0)
    assert float(method(tf.constant(1.0))) == 3.0


def _in_another_process(v, line, channel):
    own = [tf.Variable(float(i)) for i in range(300)]  # whatever id v had, one of them has it too
    unlike = [w for w in own if two_gradients(w, v) != [3.0, 5.0]]
    back = [two_gradients(line.w, v), len(unlike), float(line(tf.constant(2.0)))]
    channel.send((back, v))


@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")  # by a runner with threads
@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_variables_keep_apart_in_and_after_another_process(method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip("this system cannot start processes like that")
    context = multiprocessing.get_context(method)
    here, there = context.Pipe()
    v, line = tf.Variable(2.0), Line()
    process = context.Process(target=_in_another_process, args=(v, line, there))
    process.start()
    assert here.poll(60)
    back, returned = here.recv()
    process.join()
    here.close(), there.close()
    assert back == [[3.0, 5.0], 0, 6.0]
    assert two_gradients(v, returned) == [3.0, 5.0]
