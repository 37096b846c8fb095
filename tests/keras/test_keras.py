"""The Keras subset: layers, initializers, optimizers, losses and metrics against their formulas."""

import numpy as np
import pytest

import minitape as tf

layers = tf.keras.layers


# Layers


def test_dense_builds_on_its_first_call_and_names_its_variables():
    layer = layers.Dense(2, activation="relu")
    assert layer.trainable_variables == []
    layer(tf.ones([1, 3]))
    described = [f"{v.name}, shape: {v.shape}" for v in layer.trainable_variables]
    assert described == ["kernel, shape: (3, 2)", "bias, shape: (2,)"]


def test_dense_computes_its_formula():
    layer = layers.Dense(2, activation=tf.nn.relu)
    layer.build((None, 3))
    layer.set_weights([np.array([[1.0, -1], [0, 2], [3, 0]]), np.array([0.5, -9.0])])
    assert layer([[1.0, 2.0, 3.0]]).numpy().tolist() == [[10.5, 0.0]]


def test_layers_take_lists_and_arrays_as_float32():
    layer = layers.Dense(1)
    for x in ([[1.0, 2.0]], [[1, 2]], np.ones((1, 2)), tf.ones([1, 2], tf.float64)):
        assert layer(x).dtype == tf.float32


def test_a_layer_of_another_dtype_casts_its_inputs_to_it():
    assert layers.Dense(1, dtype="float64")(tf.ones([1, 2])).dtype == tf.float64


def test_layers_with_kernels_take_whole_numbers_as_their_dtype():
    pixels = np.array([[0, 3], [255, 1]], np.uint8)
    dense = layers.Dense(1, kernel_initializer="ones")
    assert dense(pixels).numpy().ravel().tolist() == [3.0, 256.0]
    for layer in (layers.BatchNormalization(), layers.LayerNormalization()):
        assert layer(tf.constant(pixels)).dtype == tf.float32
    for layer in (layers.SimpleRNN(2), layers.LSTM(2), layers.GRU(2)):
        assert layer(pixels[np.newaxis]).dtype == tf.float32
    images = pixels[np.newaxis, :, :, np.newaxis]
    assert layers.GlobalAveragePooling2D()(images).numpy().tolist() == [[64.75]]
    assert layers.MaxPooling2D()(images).dtype == tf.uint8


def test_merging_whole_and_floating_numbers_gives_floating_ones():
    whole, floating = tf.constant([[1, 2]]), tf.constant([[0.5, 0.5]])
    assert layers.Add()([whole, floating]).numpy().tolist() == [[1.5, 2.5]]
    assert layers.Concatenate()([whole, floating]).numpy().tolist() == [[1.0, 2.0, 0.5, 0.5]]
    assert layers.Add()([whole, whole]).dtype == tf.int32


def test_a_function_as_a_loss_of_a_layer_raises_and_says_what_to_write():
    class Penalised(layers.Layer):
        def call(self, x):
            self.add_loss(lambda: tf.reduce_sum(x))
            return x

    with pytest.raises(ValueError, match=r"takes tensors; .* Write `self.add_loss\(f"):
        Penalised()(tf.ones([1, 2]))


def test_an_input_of_another_width_raises_with_both_widths():
    layer = layers.Dense(2)
    layer(tf.ones([1, 3]))
    with pytest.raises(ValueError, match=r"axis -1 .* value 3, but received .*\(1, 4\)"):
        layer(tf.ones([1, 4]))
    with pytest.raises(ValueError, match="expected min_ndim=2"):
        layers.Dense(2)(tf.ones([3]))


def test_wrong_arguments_of_layers_raise():
    with pytest.raises(ValueError, match="positive integer"):
        layers.Dense(0)
    with pytest.raises(ValueError, match="Could not interpret activation"):
        layers.Dense(1, activation="rleu")
    with pytest.raises(ValueError, match="Could not interpret initializer"):
        layers.Dense(1, kernel_initializer="xavier")
    with pytest.raises(TypeError, match="unrecognised keyword arguments"):
        layers.Dense(1, wdith=3)


def test_a_frozen_layer_has_no_trainable_variables_and_no_gradients():
    layer = layers.Dense(2)
    layer.trainable = False
    x = tf.ones([1, 2])
    layer(x)
    assert layer.trainable_variables == []
    with tf.GradientTape() as tape:
        y = layer(x)
    assert tape.gradient(y, layer.kernel) is None
    layer.trainable = True
    assert len(layer.trainable_variables) == 2


class Block(layers.Layer):
    """A weight of its own, and a layer inside."""

    def __init__(self, **options):
        super().__init__(**options)
        self.inner, self.own = layers.Dense(2), self.add_weight(shape=(1,))

    def call(self, x):
        return self.inner(x) + self.own


MADE_FROZEN = {
    "a layer with a layer inside": (lambda: Block(trainable=False), [1, 3]),
    "a Sequential": (lambda: tf.keras.Sequential([layers.Dense(1)], trainable=False), [1, 3]),
    "a recurrent layer": (lambda: layers.LSTM(2, trainable=False), [1, 3, 2]),
    "two of them": (lambda: layers.Bidirectional(layers.GRU(2), trainable=False), [1, 3, 2]),
}


@pytest.mark.parametrize("what", MADE_FROZEN)
def test_what_is_made_frozen_learns_nothing(what):
    make, shape = MADE_FROZEN[what]
    layer = make()
    layer(tf.ones(shape))
    assert layer.trainable_variables == []
    assert len(layer.non_trainable_variables) == len(layer.variables) > 0


def test_layers_inside_of_what_was_made_frozen_count_for_themselves_as_in_keras():
    block = Block(trainable=False)
    block(tf.ones([1, 3]))
    assert len(block.inner.trainable_variables) == 2
    model = tf.keras.Sequential([block])
    assert len(model.trainable_variables) == 2


def test_a_frozen_recurrent_layer_stays_as_it_is_in_a_model_that_learns():
    model = tf.keras.Sequential([layers.LSTM(2, trainable=False), layers.Dense(1)])
    model.compile("sgd", "mse")
    x, y = np.ones([2, 3, 2], np.float32), np.full([2, 1], 9.0, np.float32)
    model.train_on_batch(x, y)
    before = model.get_weights()
    model.train_on_batch(x, y)
    moved = [bool(np.any(a != b)) for a, b in zip(before, model.get_weights(), strict=True)]
    assert moved == [False, False, False, True, True]


def test_freezing_a_model_freezes_its_layers_but_thaws_only_what_is_learnt():
    model = tf.keras.Sequential([layers.Dense(2), layers.BatchNormalization()])
    model(tf.ones([2, 3]))
    model.trainable = False
    assert model.trainable_variables == []
    model.trainable = True
    assert [v.name for v in model.trainable_variables] == ["kernel", "bias", "gamma", "beta"]
    assert len(model.non_trainable_variables) == 2


def test_batch_normalization_uses_the_batch_while_training_and_averages_otherwise():
    layer, x = layers.BatchNormalization(momentum=0.9), tf.constant([[1.0], [3.0]])
    layer(x, training=True)
    assert float(layer.moving_mean[0]) == pytest.approx(0.1 * 2)
    assert float(layer.moving_variance[0]) == pytest.approx(0.9 + 0.1 * 1)
    expected = (np.array([[1.0], [3.0]]) - 0.2) / np.sqrt(1.0 + 1e-3)
    np.testing.assert_allclose(layer(x).numpy(), expected, rtol=1e-5)


def test_batch_normalization_of_images_has_one_moment_per_channel():
    x = np.random.default_rng(0).normal(size=(4, 3, 3, 2)).astype(np.float32)
    y = layers.BatchNormalization(epsilon=0.0)(x, training=True).numpy()
    np.testing.assert_allclose(y.mean((0, 1, 2)), 0, atol=1e-6)
    np.testing.assert_allclose(y.std((0, 1, 2)), 1, rtol=1e-5)


def test_layer_normalization_normalises_each_example():
    x = np.random.default_rng(0).normal(size=(4, 6)).astype(np.float32)
    y = layers.LayerNormalization(epsilon=1e-6)(x).numpy()
    np.testing.assert_allclose(
        y, (x - x.mean(1, keepdims=True)) / x.std(1, keepdims=True), atol=1e-4
    )


def test_training_reaches_the_layers_inside_of_a_model():
    model = tf.keras.Sequential([layers.Dropout(0.5)])
    x = tf.ones([1, 1000])
    assert model(x).numpy().min() == 1.0
    assert model(x, training=True).numpy().min() == 0.0


def test_an_embedding_has_a_sparse_gradient():
    layer = layers.Embedding(5, 2)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(layer(tf.constant([1, 1, 3])))
    g = tape.gradient(y, layer.embeddings)
    assert isinstance(g, tf.IndexedSlices)
    assert tf.convert_to_tensor(g).numpy()[:, 0].tolist() == [0.0, 2.0, 0.0, 1.0, 0.0]


def test_a_sequential_with_an_input_is_built_at_once():
    model = tf.keras.Sequential(
        [
            tf.keras.Input([8, 8, 1]),
            layers.Conv2D(4, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(10),
        ]
    )
    assert [tuple(v.shape) for v in model.variables] == [(3, 3, 1, 4), (4,), (64, 10), (10,)]
    assert model.count_params() == 36 + 4 + 640 + 10
    assert len(model.layers) == 4


def test_layers_inside_of_a_module_are_found():
    class Net(tf.Module):
        def __init__(self):
            super().__init__()
            self.layer = layers.Dense(2)

    net = Net()
    net.layer(tf.ones([1, 3]))
    assert len(net.trainable_variables) == 2


def test_a_functional_model_is_made_of_symbols_alone():
    with pytest.raises(ValueError, match=r"x = tf.keras.Input\(shape\)"):
        tf.keras.Model(inputs=1, outputs=2)


# Initializers


@pytest.mark.parametrize(
    ("name", "variance"),
    [("glorot_uniform", 2 / 700), ("he_normal", 2 / 200), ("lecun_uniform", 1 / 200)],
)
def test_scaled_initializers_have_the_variance_of_their_paper(name, variance):
    tf.random.set_seed(0)
    x = tf.keras.initializers.get(name)([200, 500]).numpy()
    assert x.var() == pytest.approx(variance, rel=0.03)
    assert abs(x.mean()) < 0.01


def test_an_orthogonal_matrix_has_orthogonal_rows():
    q = tf.keras.initializers.Orthogonal()([3, 5]).numpy()
    np.testing.assert_allclose(q @ q.T, np.eye(3), atol=1e-5)


# Optimizers, against the formulas of their papers


def steps(optimizer, gradients, start=1.0):
    v = tf.Variable(start, dtype=tf.float64)
    for g in gradients:
        optimizer.apply_gradients([(tf.constant(g, tf.float64), v)])
    return float(v)


GRADIENTS = [1.0, -0.5, 2.0]


def test_sgd_with_momentum_and_nesterov():
    for nesterov in (False, True):
        w, velocity = 1.0, 0.0
        for g in GRADIENTS:
            velocity = 0.9 * velocity - 0.1 * g
            w += 0.9 * velocity - 0.1 * g if nesterov else velocity
        got = steps(tf.keras.optimizers.SGD(0.1, momentum=0.9, nesterov=nesterov), GRADIENTS)
        assert got == pytest.approx(w, rel=1e-6)


def test_adam():
    w, m, v = 1.0, 0.0, 0.0
    for t, g in enumerate(GRADIENTS, 1):
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        w -= 0.1 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t) * m / (np.sqrt(v) + 1e-7)
    assert steps(tf.keras.optimizers.Adam(0.1), GRADIENTS) == pytest.approx(w, rel=1e-5)


def test_rmsprop():
    w, v = 1.0, 0.0
    for g in GRADIENTS:
        v = 0.9 * v + 0.1 * g * g
        w -= 0.1 * g / np.sqrt(v + 1e-7)
    assert steps(tf.keras.optimizers.RMSprop(0.1), GRADIENTS) == pytest.approx(w, rel=1e-5)


def test_an_optimizer_takes_sparse_gradients_and_skips_missing_ones():
    table, other = tf.Variable([[1.0], [1.0]]), tf.Variable(5.0)
    sparse = tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([1, 1]), tf.constant([2, 1]))
    optimizer = tf.keras.optimizers.SGD(0.5)
    with pytest.warns(UserWarning, match=r"Gradients do not exist for variables \['Variable:0'\]"):
        optimizer.apply_gradients([(sparse, table), (None, other)])
    assert table.numpy().ravel().tolist() == [1.0, -0.5]
    assert float(other) == 5.0
    assert int(optimizer.iterations) == 1


@pytest.mark.parametrize(
    ("optimizer", "recorded"),  # from TensorFlow 2.21
    [
        (
            tf.keras.optimizers.Adadelta(0.5, epsilon=0.01),
            [[0.43963, -2.43915], [3.33484, 0.08939]],
        ),
        (tf.keras.optimizers.Nadam(0.1), [[0.75362, -2.18364], [3.18364, 0.31636]]),
    ],
    ids=lambda x: type(x).__name__,
)
def test_rows_of_a_sparse_gradient_are_squared_before_they_add_up(optimizer, recorded):
    v = tf.Variable([[1.0, -2.0], [3.0, 0.5]])
    rows = tf.constant([[1.0, 2.0], [-0.5, 1.0], [0.5, 0.0]])
    gradient = tf.IndexedSlices(rows, tf.constant([0, 1, 0]), tf.constant([2, 2]))
    for _ in range(2):
        optimizer.apply_gradients([(gradient, v)])
    assert np.allclose(v, recorded, atol=1e-4)


def test_the_weights_of_a_sum_are_those_of_examples():
    total = tf.keras.metrics.Sum()
    total.update_state([[1.0, 2.0], [3.0, 4.0]], sample_weight=[1.0, 0.5])
    assert float(total.result()) == (1.0 + 2.0) + 0.5 * (3.0 + 4.0)


def test_variables_without_a_gradient_are_named_with_their_layers():
    class Beside(tf.keras.Model):
        def __init__(self):
            super().__init__(name="beside")
            self.used, self.unused = layers.Dense(1), layers.Dense(1, name="unused")

        def call(self, x):
            self.unused(x)
            return self.used(x)

    model = Beside()
    model.compile("sgd", "mse")
    with pytest.warns(UserWarning, match=r"\['beside/unused/kernel', 'beside/unused/bias'\]"):
        model.fit(np.ones([2, 3]), np.ones([2, 1]), verbose=0)


def test_gradients_that_are_all_none_raise():
    with pytest.raises(ValueError, match="No gradients provided for any variable"):
        tf.keras.optimizers.SGD().apply_gradients([(None, tf.Variable(1.0))])


def test_the_learning_rate_can_be_changed_and_scheduled():
    optimizer = tf.keras.optimizers.SGD(0.5)
    optimizer.learning_rate = 0.25
    assert steps(optimizer, [1.0]) == 0.75
    decaying = tf.keras.optimizers.SGD(lambda step: 1.0 / (tf.cast(step, tf.float32) + 1.0))
    assert steps(decaying, [1.0, 1.0]) == pytest.approx(1 - 1 - 0.5)


def test_a_training_loop_learns_a_line():
    tf.random.set_seed(0)
    x = np.linspace(-1, 1, 32, dtype=np.float32)[:, None]
    model, loss = tf.keras.Sequential([layers.Dense(1)]), tf.keras.losses.MeanSquaredError()
    optimizer = tf.keras.optimizers.Adam(0.1)
    for _ in range(200):
        with tf.GradientTape() as tape:
            value = loss(3 * x - 1, model(x))
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(value, variables), variables, strict=True))
    np.testing.assert_allclose(
        [float(np.ravel(w)[0]) for w in model.get_weights()], [3.0, -1.0], atol=0.05
    )


# Losses and metrics


P = np.array([[0.2, 0.7, 0.1], [0.5, 0.25, 0.25]])


def test_cross_entropies_of_probabilities_and_of_logits_agree():
    labels, logits = [1, 2], np.log(P)
    expected = -np.log([0.7, 0.25])
    for from_logits, values in ((False, P), (True, logits)):
        got = tf.keras.losses.sparse_categorical_crossentropy(labels, values, from_logits)
        np.testing.assert_allclose(got.numpy(), expected, rtol=1e-5)
        hot = tf.keras.utils.to_categorical(labels, 3)
        got = tf.keras.losses.categorical_crossentropy(hot, values, from_logits)
        np.testing.assert_allclose(got.numpy(), expected, rtol=1e-5)


def test_binary_cross_entropy_averages_over_the_last_axis():
    got = tf.keras.losses.BinaryCrossentropy()([[1.0, 0.0]], [[0.5, 0.75]])
    assert float(got) == pytest.approx((np.log(2) + np.log(4)) / 2)
    smooth = tf.keras.losses.BinaryCrossentropy(from_logits=True, label_smoothing=0.2)
    assert float(smooth([[1.0]], [[2.0]])) == pytest.approx(0.1 * 2 + np.log1p(np.exp(-2)))


def test_a_certain_and_wrong_probability_costs_a_finite_amount():
    got = tf.keras.losses.binary_crossentropy([[1.0]], [[0.0]])
    assert float(got[0]) == pytest.approx(-np.log(1e-7), rel=1e-4)


def test_reductions_and_weights_of_losses():
    true, predicted = [[0.0], [0.0]], [[1.0], [3.0]]
    for reduction, expected in (("sum_over_batch_size", 5.0), ("sum", 10.0), ("none", [1.0, 9.0])):
        got = tf.keras.losses.MeanSquaredError(reduction=reduction)(true, predicted)
        assert got.numpy().tolist() == expected
    got = tf.keras.losses.MeanSquaredError()(true, predicted, sample_weight=[1.0, 0.0])
    assert float(got) == 0.5
    with pytest.raises(ValueError, match="Invalid value for argument `reduction`"):
        tf.keras.losses.MeanSquaredError(reduction="average")


def test_other_losses_equal_their_formulas():
    true, predicted = np.array([[0.0, 1.0]]), np.array([[0.5, 4.0]])
    losses = tf.keras.losses
    assert float(losses.MeanAbsoluteError()(true, predicted)) == pytest.approx((0.5 + 3) / 2)
    assert float(losses.Huber()(true, predicted)) == pytest.approx((0.125 + 2.5) / 2)
    assert float(losses.Hinge()(true, predicted)) == pytest.approx((1 + 0.5) / 2)
    kl = losses.KLDivergence()([[0.25, 0.75]], [[0.5, 0.5]])
    assert float(kl) == pytest.approx(0.25 * np.log(0.5) + 0.75 * np.log(1.5))


def test_metrics_gather_over_batches_until_they_are_reset():
    mean = tf.keras.metrics.Mean()
    mean.update_state([1.0, 2.0])
    mean.update_state(6.0)
    assert float(mean.result()) == 3.0
    mean.reset_state()
    assert float(mean.result()) == 0.0
    mean.update_state([1.0, 3.0], sample_weight=[3.0, 1.0])
    assert float(mean.result()) == 1.5


def test_the_old_name_of_a_reset_is_answered_with_the_new_one():
    with pytest.raises(AttributeError, match="Keras 3 calls it `reset_state`"):
        tf.keras.metrics.Mean().reset_states()


def test_accuracies_count_what_is_right():
    metrics = tf.keras.metrics
    assert float(metrics.SparseCategoricalAccuracy()([1, 2], P)) == 0.5
    assert float(metrics.CategoricalAccuracy()([[0, 1, 0], [1, 0, 0]], P)) == 1.0
    assert float(metrics.BinaryAccuracy()([1.0, 0.0], [0.9, 0.8])) == 0.5
    assert float(metrics.Accuracy()([1, 2], [1, 3])) == 0.5


# Inside a graph


def test_a_training_step_in_a_graph_equals_the_same_steps_outside():
    x = np.random.default_rng(0).normal(size=(8, 3)).astype(np.float32)
    labels = np.arange(8) % 2
    losses = []
    for wrap in (tf.function, lambda f: f):
        tf.random.set_seed(1)
        model = tf.keras.Sequential([layers.Dense(4, activation="tanh"), layers.Dense(2)])
        optimizer = tf.keras.optimizers.SGD(0.1, momentum=0.9)

        @wrap
        def step(x, y, model=model, optimizer=optimizer):
            with tf.GradientTape() as tape:
                loss = tf.keras.losses.SparseCategoricalCrossentropy(True)(y, model(x))
            g = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(g, model.trainable_variables, strict=True))
            return loss

        losses.append([float(step(tf.constant(x), tf.constant(labels))) for _ in range(4)])
    np.testing.assert_allclose(losses[0], losses[1], rtol=1e-5)


def test_small_layers_are_their_functions():
    x = tf.constant([[-1.0, 1.0]])
    assert layers.LeakyReLU(0.5)(x).numpy().tolist() == [[-0.5, 1.0]]
    np.testing.assert_allclose(layers.Softmax()(x).numpy().sum(), 1.0, rtol=1e-6)
    assert layers.Add()([x, x, x]).numpy().tolist() == [[-3.0, 3.0]]
    assert layers.Concatenate()([x, x]).shape == [1, 4]


def test_a_staircase_schedule_keeps_the_rate_between_its_steps():
    rate = tf.keras.optimizers.schedules.ExponentialDecay(1.0, 10, 0.5, staircase=True)
    assert [float(rate(step)) for step in (0, 9, 10, 25)] == [1.0, 1.0, 0.5, 0.25]
    optimizer = tf.keras.optimizers.SGD(rate)
    assert float(optimizer.learning_rate) == 1.0


def test_a_dense_layer_is_built_for_the_last_size_of_any_shape():
    layer = tf.keras.layers.Dense(3)
    layer.build([2])
    assert layer.kernel.shape == (2, 3)
    assert layer(tf.ones([1, 2])).shape == (1, 3)
    with pytest.raises(ValueError, match="expected min_ndim=2"):
        layer(tf.ones([2]))


def test_a_separable_convolution_is_one_of_each_channel_and_one_of_all_channels():
    layer = layers.SeparableConv2D(3, 2, strides=2, padding="same")
    x = np.arange(64.0, dtype=np.float32).reshape(2, 4, 4, 2)
    layer.build(x.shape)
    depthwise, pointwise = np.arange(8.0).reshape(2, 2, 2, 1) / 10, np.arange(6.0) / 10
    layer.set_weights([depthwise, pointwise.reshape(1, 1, 2, 3), np.ones(3)])
    blocks = x.reshape(2, 2, 2, 2, 2, 2).transpose(0, 1, 3, 2, 4, 5)  # of two by two, without gaps
    channels = np.einsum("nijabc,abc->nijc", blocks, depthwise[..., 0])
    expected = channels @ pointwise.reshape(2, 3) + 1
    np.testing.assert_allclose(layer(x).numpy(), expected, rtol=1e-5)
    assert [v.name for v in layer.variables] == ["depthwise_kernel", "pointwise_kernel", "bias"]


def test_the_crossentropies_of_the_backend_take_targets_first():
    sparse = tf.keras.backend.sparse_categorical_crossentropy([0, 1], [[0.9, 0.1], [0.2, 0.8]])
    np.testing.assert_allclose(sparse.numpy(), -np.log([0.9, 0.8]), rtol=1e-6)
    dense = tf.keras.backend.categorical_crossentropy([[1.0, 0.0]], [[2.0, 0.0]], from_logits=True)
    np.testing.assert_allclose(dense.numpy(), np.log1p(np.exp(-2.0)), rtol=1e-6)


def test_a_file_is_found_in_the_folder_of_keras_and_never_downloaded(tmp_path, monkeypatch):
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    source = "https://example.org/texts/poems.txt"
    with pytest.raises(FileNotFoundError, match=r"no file .*datasets.poems.txt.* get it once from"):
        tf.keras.utils.get_file(origin=source)
    (tmp_path / "datasets" / "pairs").mkdir(parents=True)
    (tmp_path / "datasets" / "poems.txt").write_text("a rose")
    with open(tf.keras.utils.get_file("poems.txt", source)) as file:
        assert file.read() == "a rose"
    assert tf.keras.utils.get_file("pairs.tar.gz", source, untar=True).endswith("pairs")
    with pytest.raises(ValueError, match="give fname or origin"):
        tf.keras.utils.get_file()


def test_cifar100_is_read_from_rows_of_two_labels_and_three_colours(tmp_path, monkeypatch):
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"cifar-100-binary.train.bin.* get it once from"):
        tf.keras.datasets.cifar100.load_data()
    folder = tmp_path / "datasets" / "cifar-100-binary"
    folder.mkdir(parents=True)
    rows = np.random.default_rng(0).integers(0, 256, (3, 2 + 3072)).astype(np.uint8)
    rows[:2].tofile(folder / "train.bin")
    rows[2:].tofile(folder / "test.bin")
    (x, fine), (x_test, _) = tf.keras.datasets.cifar100.load_data()
    assert x.shape == (2, 32, 32, 3) and x_test.shape == (1, 32, 32, 3)
    assert x[1, 4, 5, 2] == rows[1, 2 + 2 * 1024 + 4 * 32 + 5]
    np.testing.assert_array_equal(fine, rows[:2, 1:2])
    (_, coarse), _ = tf.keras.datasets.cifar100.load_data("coarse")
    np.testing.assert_array_equal(coarse, rows[:2, :1])
    with pytest.raises(ValueError, match="must be one of 'fine', 'coarse'"):
        tf.keras.datasets.cifar100.load_data("both")


def test_a_convolution_in_groups_is_one_for_each_group_of_channels():
    layer = layers.Conv2D(4, 2, groups=2)
    layer.build((None, 3, 3, 4))
    kernel, x = np.arange(32.0).reshape(2, 2, 2, 4), np.arange(36.0).reshape(1, 3, 3, 4)
    layer.set_weights([kernel, np.zeros(4)])
    expected = np.zeros((1, 2, 2, 4))
    for i, j in np.ndindex(2, 2):
        window = x[0, i : i + 2, j : j + 2]
        for group in (slice(0, 2), slice(2, 4)):
            parts = np.einsum("abc,abco->o", window[..., group], kernel[..., group])
            expected[0, i, j, group] = parts
    np.testing.assert_allclose(layer(x).numpy(), expected)
    with pytest.raises(ValueError, match="groups=3 has to divide the 4 channels"):
        layers.Conv2D(6, 2, groups=3)(x)


class Bare(layers.Layer):
    def __init__(self):
        super().__init__()
        self.bare, self.table = tf.Variable(2.0), {"own": tf.keras.Variable(3.0)}

    def call(self, x):
        return x * self.bare


def test_a_bare_variable_is_a_weight_of_a_layer_as_before_keras_3():
    layer = Bare()
    assert sorted(v.numpy() for v in layer.trainable_variables) == [2.0, 3.0]
    with tf.GradientTape() as tape:
        y = layer(tf.constant(5.0))
    slopes = tape.gradient(y, layer.trainable_variables)
    assert [None if g is None else float(g) for g in slopes] == [5.0, None]
