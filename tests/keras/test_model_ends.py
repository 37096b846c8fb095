"""What a model knows of its inputs, and that a functional one has no config."""

import numpy as np
import pytest

import minitape as tf

K = tf.keras.layers


def of_dicts():
    a, b = tf.keras.Input((3,), name="a"), tf.keras.Input((3,), name="b")
    both = K.Concatenate(name="both")([a, b])
    return tf.keras.Model({"a": a, "b": b}, {"sum": K.Add()([a, b]), "top": K.Dense(1)(both)})


def test_the_config_of_a_functional_model_is_refused_with_words():
    x = tf.keras.Input((3,))
    with pytest.raises(NotImplementedError, match="functional model 'm'.*clone_model"):
        tf.keras.Model(x, K.Dense(2)(x), name="m").get_config()


def test_shapes_and_symbols_of_a_model_are_there_once_it_knows_its_input():
    model = tf.keras.Sequential([K.Dense(2)], name="s")
    for name in ("input_shape", "output_shape", "inputs", "outputs", "input"):
        words = f"'s' has no defined {name.replace('_', ' ')} yet.*model.build"
        with pytest.raises(AttributeError, match=words):
            getattr(model, name)
    with pytest.raises(ValueError, match="layer 's', but the layer isn't built"):
        model.count_params()
    model.build((None, 3))
    assert model.input_shape == (None, 3) and model.output_shape == (None, 2)
    assert len(model.inputs) == len(model.outputs) == 1 and model.count_params() == 8
    assert of_dicts().input_shape == [(None, 3), (None, 3)]


def test_a_layer_alone_has_no_shape_of_its_input():
    assert not hasattr(K.Dense(2, input_shape=[3]), "input_shape")
    assert tf.keras.Sequential([K.Dense(2, input_shape=[3])]).input_shape == (None, 3)


@pytest.mark.parametrize("kind", ["Input", "build", "first call"])
def test_a_sequential_model_takes_a_last_axis_of_size_one_too_many_and_a_list_of_one_batch(kind):
    dense = K.Dense(2, kernel_initializer="ones", bias_initializer="ones")
    model = tf.keras.Sequential([tf.keras.Input((3,)), dense] if kind == "Input" else [dense])
    if kind != "Input":
        model.build((None, 3)) if kind == "build" else model(np.zeros([4, 3], np.float32))
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    expected = np.repeat(x.sum(1, keepdims=True) + 1, 2, axis=1)  # in Keras too
    for given in (x, x[..., None], [x], [tf.constant(x)], (x[..., None],)):
        assert np.array_equal(model(given), expected)
        assert np.array_equal(model.predict(given, verbose=0), expected)


def test_a_list_of_one_number_per_example_is_a_batch_for_a_model_of_one_number():
    model = tf.keras.Sequential([tf.keras.Input((1,)), K.Dense(1, kernel_initializer="ones")])
    x = np.float32([1, 2, 3])
    for given in (x, [x], [x[:, None]], x[:, None, None]):
        assert np.array_equal(model(given), x[:, None])


@pytest.mark.parametrize("base", [K.Layer, tf.keras.Model])
@pytest.mark.parametrize("extra", [3, "a", None, object(), {"steps": 2}, [1, None], ...])
def test_a_layer_called_with_tensors_gives_whatever_its_call_returns(base, extra):
    class Net(base):
        def call(self, x):
            return 2 * x, extra

    net = Net()
    for _ in range(2):
        doubled, given = net(tf.ones([2, 3]))
        assert given == extra and np.array_equal(doubled, np.full([2, 3], 2.0))


def test_the_penalty_on_what_a_layer_gives_is_one_on_its_tensors():
    class Counting(K.Layer):
        def call(self, x):
            return x, 3

    layer = Counting(activity_regularizer=tf.reduce_sum)
    layer(tf.ones([2, 3]))
    assert [float(each) for each in layer.losses] == [3.0]  # the sum over the batch's size


@pytest.mark.parametrize("extra", [3, "a", np.ones(3), None, ...])
def test_in_a_functional_model_layers_give_tensors_alone(extra):
    class Net(K.Layer):
        def call(self, x):
            return x, extra

    with pytest.raises(ValueError, match=r"<Net name=.*a non-tensor.*Return tensors alone"):
        Net()(tf.keras.Input((3,)))
