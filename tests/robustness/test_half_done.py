"""A call that is refused, or fails, has changed nothing: it checks everything, then stores."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import minitape as tf

OPTIMIZERS = {
    name: kind
    for name, kind in vars(tf.keras.optimizers).items()
    if isinstance(kind, type)
    and issubclass(kind, tf.keras.optimizers.Optimizer)
    and kind is not tf.keras.optimizers.Optimizer
}
# How an optimizer may be made, and gradients that are none of a variable of shape [2].
OPTIONS = (
    {},
    {"weight_decay": 0.1},
    {"clipnorm": 1.0},
    {"clipvalue": 1.0},
    {"global_clipnorm": 1.0},
)
WRONG = {
    "one element more": lambda: tf.ones([3]),
    "one element less": lambda: tf.ones([1]),
    "one axis more": lambda: tf.ones([1, 2]),
    "one axis less": lambda: tf.constant(1.0),
    "empty": lambda: tf.ones([0]),
    "text": lambda: tf.constant(["a", "b"]),
    "an object": object,
    "a name": lambda: "gradient",
    "rows of a longer variable": lambda: tf.IndexedSlices(tf.ones([1]), [0], [3]),
    "ragged": lambda: [[1.0], [1.0, 2.0]],
}


def values(variables):
    return [variable.numpy().tolist() for variable in variables]


def trained(kind, **options):
    """An optimizer after one step of two variables, and these."""
    pair = [tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])]
    optimizer = kind(**options)
    optimizer.apply_gradients([(tf.ones([2]), v) for v in pair])
    return optimizer, pair


def test_all_eight_optimizers_are_tried():
    assert len(OPTIMIZERS) == 8


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_gradient_that_does_not_fit_its_variable_changes_none(name):
    wrong = []
    for options, (what, make), place in itertools.product(OPTIONS, WRONG.items(), (0, 1)):
        optimizer, pair = trained(OPTIMIZERS[name], **options)
        before = values([*pair, *optimizer.variables])
        given = [(tf.ones([2]), v) for v in pair]
        given[place] = (make(), pair[place])
        try:
            optimizer.apply_gradients(given)
            wrong.append((options, what, place, "accepted"))
        except (TypeError, ValueError, tf.errors.InvalidArgumentError):
            pass
        if values([*pair, *optimizer.variables]) != before:
            wrong.append((options, what, place, "changed"))
    assert wrong == []


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_constraint_that_fails_changes_no_variable(name):
    optimizer, (a, b) = trained(OPTIMIZERS[name])
    before = values([a, b, *optimizer.variables])
    for broken in (lambda w: tf.ones([5]), lambda w: 1 / 0):
        b.constraint = broken
        with pytest.raises((ValueError, ZeroDivisionError)):
            optimizer.apply_gradients([(tf.ones([2]), a), (tf.ones([2]), b)])
        assert values([a, b, *optimizer.variables]) == before


def test_what_is_no_variable_is_refused_before_anything_is_made():
    optimizer, v = tf.keras.optimizers.Adam(), tf.Variable([1.0, 2.0])
    for other in (tf.ones([2]), 5, "v", None, np.ones(2)):
        # Of a tensor Keras says that it has no attribute `path`.
        expected = AttributeError if isinstance(other, tf.Tensor) else TypeError
        with pytest.raises(expected, match="apply_gradients"):
            optimizer.apply_gradients([(tf.ones([2]), v), (tf.ones([2]), other)])
        with pytest.raises(expected, match="apply_gradients"):
            optimizer.apply([tf.ones([2]), tf.ones([2])], [v, other])
        assert v.numpy().tolist() == [1.0, 2.0]
        assert len(optimizer.variables) == 2  # step number and rate: no slots were made


def test_a_step_after_a_refused_one_is_as_if_that_had_never_been():
    (one, pair), (other, same) = (trained(tf.keras.optimizers.Adam) for _ in range(2))
    with pytest.raises(ValueError, match="with shape"):
        one.apply_gradients([(tf.ones([2]), pair[0]), (tf.ones([3]), pair[1])])
    for optimizer, variables in ((one, pair), (other, same)):
        optimizer.apply_gradients([(tf.ones([2]), v) for v in variables])
    assert values([*pair, *one.variables]) == values([*same, *other.variables])


def models():
    dense = tf.keras.Sequential([tf.keras.layers.Dense(3), tf.keras.layers.Dense(1)])
    dense.build((None, 2))
    normal = tf.keras.layers.BatchNormalization()
    normal.build((None, 4))
    recurrent = tf.keras.layers.GRU(2)
    recurrent.build((None, 3, 2))
    return [dense, normal, recurrent]


def test_set_weights_with_one_array_that_does_not_fit_changes_no_variable():
    for model in models():
        before = values(model.variables)
        for place, variable in enumerate(model.variables):
            for other in (np.ones((*variable.shape, 2)), np.ones(99), "a", object(), None):
                given = [each + 1 for each in model.get_weights()]
                given[place] = other
                with pytest.raises((TypeError, ValueError, tf.errors.InvalidArgumentError)):
                    model.set_weights(given)
                assert values(model.variables) == before


def test_adapt_on_data_that_do_not_fit_keeps_the_moments():
    layer = tf.keras.layers.Normalization()
    layer.adapt([[1.0, 2.0], [3.0, 6.0]])
    before = values(layer.variables)
    for data in (np.ones((3, 5)), [["a", "b"]], 5.0, np.ones((0, 2)), [[1.0], [1.0, 2.0]]):
        with pytest.raises((TypeError, ValueError, tf.errors.InvalidArgumentError)):
            layer.adapt(data)
        assert values(layer.variables) == before


def test_compile_with_one_argument_that_does_not_fit_keeps_the_compiled_model():
    model = models()[0]
    model.compile("adam", "mse")
    optimizer, loss = model.optimizer, model.loss
    for options in ({"metrics": 5}, {"loss": "no such loss"}, {"loss": 5}, {"metrics": ["no"]}):
        with pytest.raises((TypeError, ValueError)):
            model.compile(**{"optimizer": "sgd", "loss": "mae", **options})
        assert model.optimizer is optimizer and model.loss is loss


def test_add_of_a_layer_that_does_not_fit_keeps_the_model():
    model = tf.keras.Sequential([tf.keras.layers.Input((3,)), tf.keras.layers.Dense(2)])
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        model.add(tf.keras.layers.Reshape((5,)))
    assert len(model.layers) == 1
    assert model(np.ones((1, 3), np.float32)).shape == (1, 2)


def test_an_initializer_that_gives_another_shape_is_refused_and_the_layer_can_be_built_again():
    layer = tf.keras.layers.Dense(2, bias_initializer=lambda shape, dtype: tf.ones([7], dtype))
    for _ in range(2):
        with pytest.raises(ValueError, match="shape"):
            layer(np.ones((1, 3), np.float32))
        assert layer.variables == [] and not layer.built
    layer.bias_initializer = tf.keras.initializers.get("ones")
    assert layer(np.ones((1, 3), np.float32)).shape == (1, 2)
    assert [tuple(v.shape) for v in layer.variables] == [(3, 2), (2,)]
