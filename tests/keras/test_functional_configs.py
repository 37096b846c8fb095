"""A functional model's `get_config` names its layers and calls, `from_config` wires them anew."""

import json

import numpy as np
import pytest

import minitape as tf

K = tf.keras.layers
X = np.sin(np.arange(6.0)).reshape(2, 3).astype(np.float32)


def chain():
    x = tf.keras.Input((3,), name="i")
    h = K.Dense(4, activation="relu", name="h")(x)
    return tf.keras.Model(x, K.Dense(2, name="o")(h), name="m")


def called_twice():
    x = tf.keras.Input((3,), name="i")
    shared, other = K.Dense(3, name="shared"), K.Dense(3, name="other")
    return tf.keras.Model(x, shared(other(shared(x))))


def with_ops_and_arrays():
    x = tf.keras.Input((3,), name="i")
    return tf.keras.Model(x, tf.tanh(x) * np.array([1.0, 2.0, 3.0], np.float32) + x[:, :1])


def of_dicts():
    a, b = tf.keras.Input((3,), name="a"), tf.keras.Input((3,), name="b")
    both = K.Concatenate(name="both")([a, b])
    return tf.keras.Model({"a": a, "b": b}, {"sum": K.Add()([a, b]), "top": K.Dense(1)(both)})


def with_models_inside():
    x = tf.keras.Input((3,), name="i")
    return tf.keras.Model(x, tf.keras.Sequential([K.Dense(2)])(chain()(x)))


def from_the_middle():
    x = tf.keras.Input((3,), name="i")
    h = K.Dense(3, name="h")(x)
    return tf.keras.Model(h, K.Dense(2, name="o")(h))


MODELS = [chain, called_twice, with_ops_and_arrays, of_dicts, with_models_inside, from_the_middle]


@pytest.mark.parametrize("make", MODELS, ids=lambda make: make.__name__)
def test_a_model_of_a_config_computes_the_same_with_the_same_weights(make):
    first = make()
    second = tf.keras.Model.from_config(first.get_config())
    second.set_weights(first.get_weights())
    given = {"a": X, "b": X * 2.0} if make is of_dicts else X
    expected, found = first(given), second(given)
    tf.nest.map_structure(np.testing.assert_array_equal, found, expected)
    assert second.name == first.name and second.input_shape == first.input_shape
    assert not {id(v) for v in first.variables} & {id(v) for v in second.variables}


def test_a_config_has_the_keys_and_histories_that_keras_writes():
    config = chain().get_config()
    assert sorted(config) == ["input_layers", "layers", "name", "output_layers", "trainable"]
    assert config["input_layers"] == ["i", 0, 0] and config["output_layers"] == ["o", 0, 0]
    assert [each["class_name"] for each in config["layers"]] == ["InputLayer", "Dense", "Dense"]
    (call,) = config["layers"][2]["inbound_nodes"]
    about = {"shape": (None, 4), "dtype": "float32", "keras_history": ["h", 0, 0]}
    assert call == {"args": ({"class_name": "__keras_tensor__", "config": about},), "kwargs": {}}


def test_a_config_may_go_through_json():
    config = json.loads(json.dumps(called_twice().get_config()))
    assert len(tf.keras.Model.from_config(config).weights) == 4


def test_a_config_with_a_layer_missing_is_refused_with_words():
    config = chain().get_config()
    del config["layers"][1]
    with pytest.raises(ValueError, match="no layer gives what 'o' is called with"):
        tf.keras.Model.from_config(config)


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
