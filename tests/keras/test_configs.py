"""`get_config` gives what TensorFlow recorded, and `from_config` an object that gives it again."""

import json

import keras_configs
import numpy as np
import pytest

import minitape as tf

RECORDED = json.loads(keras_configs.RECORDED.read_text("utf-8"))
# Arguments that minitape does not have, and what a layer was built with.
LEFT_OUT = {
    *("input_axes", "output_axes", "quantization_config", "top_k", "class_id", "rms_scaling"),
    *("synchronized", "renorm", "renorm_clipping", "renorm_momentum"),
    *("sparse", "ragged", "optional", "build_config", "data_format", "mask_zero"),
    *("stateful", "unroll", "zero_output_for_mask", "output_padding", "unit_forget_bias"),
    *("reset_after", "shared_axes"),
}


def kept(config):
    if isinstance(config, list):
        return [kept(each) for each in config]
    if not isinstance(config, dict):
        return config
    return {
        key: kept(value)
        for key, value in config.items()
        if key not in LEFT_OUT and (key, value) != ("activity_regularizer", None)
    }


def made(name):
    tf.keras.backend.clear_session()
    return keras_configs.MADE[name](tf.keras)


@pytest.mark.parametrize("name", keras_configs.MADE)
def test_a_config_is_that_of_keras(name):
    expected, found = kept(RECORDED[name]), keras_configs.config(made(name))
    assert found == expected


@pytest.mark.parametrize("name", keras_configs.MADE)
def test_what_a_config_makes_has_that_config(name):
    first = made(name)
    second = type(first).from_config(keras_configs.config(first))
    assert second is not first
    assert keras_configs.config(second) == keras_configs.config(first)


def test_an_initializer_of_a_config_draws_again_and_one_with_a_seed_the_same():
    seeded = tf.keras.initializers.HeNormal(seed=5)
    again = tf.keras.initializers.HeNormal.from_config(seeded.get_config())
    np.testing.assert_array_equal(seeded([3, 2]), again([3, 2]))
    free = tf.keras.initializers.HeNormal()
    other = tf.keras.initializers.HeNormal.from_config(free.get_config())
    assert isinstance(free.seed, int) and free.get_config() == {"seed": None}
    assert not np.array_equal(free([3, 2]), other([3, 2]))


def test_a_constant_of_an_array_comes_back():
    for value in (np.array([1.0, 2.0]), [1.0, 2.0]):
        first = tf.keras.initializers.Constant(value)
        again = type(first).from_config(first.get_config())
        assert again([2]).numpy().tolist() == [1.0, 2.0]


def test_a_function_of_ones_own_stays_itself_in_a_config():
    def twice(x):
        return x * 2

    layer = tf.keras.layers.Dense(1, activation=twice, kernel_initializer="ones")
    again = tf.keras.layers.Dense.from_config(layer.get_config())
    assert float(again(tf.ones([1, 3]))[0, 0]) == 6.0


def test_a_layer_of_ones_own_has_the_arguments_that_it_keeps():
    class Scale(tf.keras.layers.Layer):
        def __init__(self, factor, **options):
            super().__init__(**options)
            self.factor = factor

    config = Scale(3, name="s").get_config()
    assert (config["factor"], config["name"]) == (3, "s")
    assert Scale.from_config(config).factor == 3


def test_objects_are_made_of_a_class_name_and_a_config():
    keras = tf.keras
    assert keras.initializers.get({"class_name": "Constant", "config": {"value": 3.0}}).value == 3.0
    assert keras.regularizers.get({"class_name": "L2", "config": {"l2": 0.5}}).l2 == 0.5
    assert keras.constraints.get({"class_name": "MaxNorm", "config": {"max_value": 3}}).axis == 0
    assert type(keras.constraints.get("non_neg")) is keras.constraints.NonNeg
    assert keras.constraints.get(None) is None


@pytest.mark.parametrize(
    "made", [tf.keras.losses.Huber(), tf.keras.metrics.Mean(), tf.keras.optimizers.Adam()]
)
def test_what_has_no_config_says_what_to_keep(made):
    with pytest.raises(AttributeError, match="get_config` is not supported.*Keep the arguments"):
        made.get_config()


def test_a_constraint_may_be_named_and_is_applied():
    layer = tf.keras.layers.Dense(1, use_bias=False, kernel_constraint="non_neg")
    layer.build((None, 2))
    tf.keras.optimizers.SGD(1.0).apply_gradients([(tf.fill([2, 1], 9.0), layer.kernel)])
    assert layer.kernel.numpy().tolist() == [[0.0], [0.0]]


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda k: k.initializers.get({"class_name": "Bla"}), ValueError, "no class of that name"),
        (lambda k: k.initializers.get({"class_name": []}), ValueError, "no class of that name"),
        (lambda k: k.losses.get({"class_name": "Dense"}), ValueError, "identifier"),
        (lambda k: k.layers.Dense.from_config(3), TypeError, "dict of arguments"),
        (lambda k: k.layers.Dense.from_config({1: 2}), TypeError, "dict of arguments"),
        (lambda k: k.Sequential.from_config(None), TypeError, "dict of arguments"),
        (lambda k: k.constraints.get("bla"), ValueError, "Write 'non_neg'"),
        (lambda k: k.optimizers.SGD(bla=3.0), ValueError, "not recognized"),
        (lambda k: k.optimizers.SGD(ema_momentum=0.5), ValueError, "ema_momentum"),
    ],
)
def test_a_config_that_fits_nothing_is_refused_with_words(call, kind, words):
    with pytest.raises(kind, match=words):
        call(tf.keras)


def test_an_activation_elu_has_a_scale_and_normalised_lists_are_tensors():
    # facts of TensorFlow 2.21
    scaled = tf.keras.activations.elu(tf.constant(-1.0), alpha=2.0)
    assert float(scaled) == pytest.approx(-1.2642, abs=1e-4)
    assert tf.keras.utils.normalize([[3.0, 4.0]]).dtype is tf.float32
    assert isinstance(tf.keras.utils.normalize(np.array([[3.0, 4.0]])), np.ndarray)
    assert tf.linalg.lu([[4.0, 3.0], [6.0, 3.0]]).p.numpy().tolist() == [1, 0]
    rows = tf.ragged.constant([[1.0, 2.0], [], [3.0]]).with_values([5.0, 6.0, 7.0])
    assert rows.to_list() == [[5.0, 6.0], [], [7.0]]


def test_what_stands_for_an_activation_in_a_config_is_its_name():
    activations = tf.keras.activations
    for function in (activations.relu, tf.nn.relu, activations.get("relu")):
        assert activations.serialize(function) == "relu"
    assert activations.serialize(activations.get(None)) == "linear"
    assert activations.get(activations.serialize(tf.tanh)) is activations.tanh


def test_optimizers_losses_and_schedules_are_made_of_their_arguments():
    adam = tf.keras.optimizers.Adam.from_config({"learning_rate": 0.5, "use_ema": False})
    huber = tf.keras.losses.Huber.from_config({"delta": 2.0})
    assert (float(adam.learning_rate), adam.beta_1) == (0.5, 0.9)
    assert float(huber([[0.0]], [[3.0]])) == 2.0 * 3.0 - 2.0**2 / 2
    with pytest.raises(TypeError, match="a dict of arguments"):
        tf.keras.metrics.Mean.from_config(["name"])
