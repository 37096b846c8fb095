"""What a model knows of its inputs, and that a functional one has no config."""

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
