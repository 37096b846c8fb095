"""`compile`, `fit`, functional models and `summary`: what they do, print and refuse."""

import sys

import numpy as np
import pytest

import minitape as tf

layers = tf.keras.layers
X = np.linspace(-1, 1, 40, dtype=np.float32)[:, None]


def line():
    """A model of a straight line, compiled."""
    model = tf.keras.Sequential([tf.keras.Input([1]), layers.Dense(1)])
    model.compile(tf.keras.optimizers.SGD(0.5), "mse")
    return model


def test_fit_finds_a_line():
    model = line()
    history = model.fit(X, 3 * X + 1, epochs=60, verbose=0)
    assert model.get_weights()[0][0, 0] == pytest.approx(3.0, abs=1e-2)
    assert len(history.history["loss"]) == len(history.epoch) == 60


def test_training_goes_through_datasets_and_generators():
    data = tf.data.Dataset.from_tensor_slices((X, X)).batch(10)
    assert line().fit(data, epochs=2, verbose=0).params["steps"] == 4
    endless = line().fit(data.repeat(), steps_per_epoch=3, epochs=2, verbose=0)
    assert len(endless.history["loss"]) == 2
    pairs = iter([(X[:5], X[:5])] * 4)
    assert line().fit(pairs, steps_per_epoch=2, epochs=2, verbose=0).epoch == [0, 1]


def test_a_train_step_of_ones_own_is_used():
    class Halving(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.w = self.add_weight(shape=(), initializer="ones")

        def call(self, x):
            return x * self.w

        def train_step(self, data):
            self.w.assign(self.w / 2)
            return {"w": self.w}

    model = Halving()
    model.compile()
    assert model.fit(X, X, batch_size=20, epochs=2, verbose=0).history["w"] == [0.25, 0.0625]


def test_callbacks_are_called_in_order():
    seen = []
    watch = tf.keras.callbacks.LambdaCallback(
        on_train_begin=lambda logs: seen.append("begin"),
        on_epoch_end=lambda epoch, logs: seen.append((epoch, sorted(logs))),
        on_train_end=lambda logs: seen.append("end"),
    )
    line().fit(X, X, epochs=2, verbose=0, validation_data=(X, X), callbacks=[watch])
    logs = ["loss", "val_loss"]
    assert seen == ["begin", (0, logs), (1, logs), "end"]


def test_the_progress_line_is_that_of_keras(capsys):
    line().fit(X, X, epochs=2, verbose=2)
    text = capsys.readouterr().out
    assert text.startswith("Epoch 1/2\n2/2 - 0s - ")
    assert "\nEpoch 2/2\n" in text
    assert " - loss: " in text
    line().fit(X, X, epochs=1, verbose=1)
    assert "\33[1m2/2\33[0m \33[32m" + "━" * 20 in capsys.readouterr().out


def test_nothing_is_printed_where_nobody_can_watch(capsys, monkeypatch):
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)  # another test may have loaded it
    line().fit(X, X)
    assert capsys.readouterr().out == ""


SUMMARY = """\
Model: "net"
┏━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━┓
┃ Layer (type)                    ┃ Output Shape           ┃       Param # ┃
┡━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━┩
│ c (Conv2D)                      │ (None, 14, 14, 8)      │            80 │
├─────────────────────────────────┼────────────────────────┼───────────────┤
│ t (Conv2DTranspose)             │ (None, 28, 28, 4)      │           292 │
├─────────────────────────────────┼────────────────────────┼───────────────┤
│ n (BatchNormalization)          │ (None, 28, 28, 4)      │            16 │
└─────────────────────────────────┴────────────────────────┴───────────────┘
 Total params: 388 (1.52 KB)
 Trainable params: 380 (1.48 KB)
 Non-trainable params: 8 (32.00 B)
"""


def test_the_summary_cuts_a_word_that_is_longer_than_its_column(capsys):
    x = tf.keras.Input([3], name="in")
    hidden = layers.Dense(2, name="a-very-long-name-for-a-layer")(x)
    model = tf.keras.Model(x, layers.Add()([hidden, layers.Dense(2, name="b")(x)]))
    model.summary(line_length=80)
    lines = capsys.readouterr().out.splitlines()
    assert (
        "│ a-very-long-name-for… │ (None, 2)         │           8 │ in[0][0]           │" in lines
    )
    assert any(line.endswith("│ a-very-long-name-… │") for line in lines)


def test_the_summary_is_that_of_keras(capsys):
    model = tf.keras.Sequential(
        [
            tf.keras.Input([28, 28, 1]),
            layers.Conv2D(8, 3, strides=2, padding="same", name="c"),
            layers.Conv2DTranspose(4, 3, strides=2, padding="same", name="t"),
            layers.BatchNormalization(name="n"),
        ],
        name="net",
    )
    model.summary(line_length=76)
    assert capsys.readouterr().out == SUMMARY


def test_a_shared_layer_of_a_functional_model_has_one_set_of_variables():
    a, b = tf.keras.Input([2]), tf.keras.Input([2])
    shared = layers.Dense(1, use_bias=False)
    model = tf.keras.Model([a, b], shared(a) - 2.0 * shared(b))
    shared.set_weights([np.array([[1.0], [10.0]])])
    assert len(model.trainable_variables) == 1
    assert model([np.array([[1.0, 1.0]]), np.array([[0.0, 1.0]])]).numpy().tolist() == [[-9.0]]


def test_layers_inside_of_a_model_give_their_symbols():
    model = tf.keras.Sequential([tf.keras.Input([3]), layers.Dense(4, name="h"), layers.Dense(1)])
    features = tf.keras.Model(model.inputs, model.get_layer("h").output)
    assert features(np.ones((2, 3))).shape == (2, 4)
    assert features.layers[-1] is model.layers[0]


def test_a_clone_starts_anew_with_variables_of_its_own():
    model = line()
    clone = tf.keras.models.clone_model(model)
    clone.layers[0].kernel.assign([[7.0]])
    assert model.get_weights()[0][0, 0] != 7.0


def test_a_clone_of_a_network_has_its_shape_and_takes_its_weights():
    a, b = tf.keras.Input((2,), name="a"), tf.keras.Input((2,), name="b")
    shared = layers.Dense(2, name="shared")
    model = tf.keras.Model([a, b], layers.Add(name="sum")([shared(a) * 2.0, shared(b)]))
    clone = tf.keras.models.clone_model(model)
    assert [x.name for x in clone.layers] == [x.name for x in model.layers]
    assert not {id(v) for v in clone.variables} & {id(v) for v in model.variables}
    clone.set_weights(model.get_weights())
    given = [np.ones((1, 2), np.float32), np.full((1, 2), 3.0, np.float32)]
    np.testing.assert_allclose(clone(given), model(given))
    assert len(shared.nodes) == 2


def test_a_network_of_many_layers_is_cloned():
    x = first = tf.keras.Input((1,))
    for _ in range(200):
        x = layers.ReLU()(x)
    clone = tf.keras.models.clone_model(tf.keras.Model(first, x))
    assert len(clone.layers) == 201


def test_regularizers_give_losses_of_each_call():
    layer = layers.Dense(1, kernel_regularizer=tf.keras.regularizers.L2(0.5), use_bias=False)
    for _ in range(2):
        layer(np.ones((1, 2)))
        layer.set_weights([np.array([[1.0], [2.0]])])
        assert [float(loss) for loss in layer.losses] == [2.5]


def test_the_shipped_digits_are_numbers_up_to_16_with_a_label_each():
    (x, y), (x_test, y_test) = tf.keras.datasets.digits.load_data()
    assert (x.shape, x_test.shape, int(x.max())) == ((1437, 8, 8), (360, 8, 8), 16)
    assert sorted(set(y.tolist())) == list(range(10))


def test_a_missing_data_set_says_where_its_file_belongs(tmp_path, monkeypatch):
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="Nothing is downloaded here") as caught:
        tf.keras.datasets.mnist.load_data()
    assert str(tmp_path / "datasets" / "mnist.npz") in str(caught.value)


def test_a_data_set_is_read_from_the_folder_of_keras(tmp_path, monkeypatch):
    (tmp_path / "datasets").mkdir()
    parts = {"x_train": X, "y_train": X[:, 0], "x_test": X[:3], "y_test": X[:3, 0]}
    np.savez(tmp_path / "datasets" / "mnist.npz", **parts)
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    (x, _), (_, y_test) = tf.keras.datasets.mnist.load_data()
    assert x.tolist() == X.tolist()
    assert y_test.tolist() == X[:3, 0].tolist()


def test_wrong_calls_say_what_to_write():
    for call, match in [
        (lambda: tf.keras.Sequential([layers.Dense(1)]).fit(X, X), r"compile\('adam', 'mse'\)"),
        (lambda: line().fit(X, X[:5], verbose=0), "same number of samples: they have .40, 5."),
        (lambda: line().compile("adamm"), "Could not interpret optimizer identifier"),
        (lambda: line().get_layer("x"), "No such layer: x. Existing layers are"),
        (lambda: tf.keras.optimizers.SGD(lr=0.1), "The learning rate is `learning_rate`"),
        (lambda: tf.keras.optimizers.SGD(clipnorm=1.0, clipvalue=1.0), "Only one of `clipnorm`"),
    ]:
        with pytest.raises(ValueError, match=match):
            call()
    with pytest.raises(AttributeError, match="numpy.savez"):
        line().save("model.keras")


def test_a_train_step_gets_inputs_alone_as_they_are_and_pairs_as_tuples():
    kinds = []

    class Watching(tf.keras.Model):
        def call(self, x):
            return x

        def train_step(self, data):
            kinds.append(type(data).__name__)
            return {"loss": 0.0}

    x = np.ones((2, 3), np.float32)
    model = Watching()
    model.compile("sgd")
    slices = tf.data.Dataset.from_tensor_slices
    for given in (x, {"a": x}, [x, x], slices(x).batch(2), slices((x,)).batch(2)):
        model.fit(given, verbose=0)
    model.fit(x, x, verbose=0)
    assert kinds == ["EagerTensor", "dict", "tuple", "EagerTensor", "tuple", "tuple"]


def test_a_model_whose_build_makes_layers_and_calls_that_of_its_base_is_built_once():
    class Net(tf.keras.Model):
        def build(self, input_shape):
            self.top = tf.keras.layers.Dense(3)
            super().build(input_shape)

        def call(self, x):
            return self.top(x)

    built, called = Net(), Net()
    built.build((None, 2))
    called(tf.ones([1, 2]))
    for net in (built, called):
        assert [tuple(v.shape) for v in net.trainable_variables] == [(2, 3), (3,)]


def test_a_metric_that_the_first_batch_makes_is_measured_from_then_on():
    class Counting(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.top, self.rows = tf.keras.layers.Dense(1), None

        def call(self, x):
            self.rows = self.rows or tf.keras.metrics.Sum("rows")
            self.rows.update_state(float(x.shape[0]))
            return self.top(x)

    model = Counting()
    model.compile("sgd", "mse")
    history = model.fit(np.ones((5, 2)), np.ones((5, 1)), batch_size=2, epochs=2, verbose=0)
    assert history.history["rows"] == [5.0, 5.0]


COUNTED = np.arange(8, dtype="float32").reshape(8, 1)  # and targets twice as large


def fitted(data, **options):
    """What is measured while a line is fitted, from a kernel of 0; the numbers below are Keras'."""
    dense = tf.keras.layers.Dense(1, kernel_initializer="zeros")
    model = tf.keras.Sequential([dense])
    model.compile(tf.keras.optimizers.SGD(0.01), "mse")
    return model.fit(data, verbose=0, **options).history


def test_an_epoch_ends_where_the_data_end_and_the_next_begins_anew():
    data = tf.data.Dataset.from_tensor_slices((COUNTED, 2 * COUNTED)).batch(4)
    whole = pytest.approx([60.8767, 6.378202])
    assert fitted(data, epochs=2, steps_per_epoch=2)["loss"] == whole
    assert fitted(data, epochs=2, steps_per_epoch=3)["loss"] == whole
    one_by_one = fitted(data, epochs=3, steps_per_epoch=1)["loss"]
    assert one_by_one == pytest.approx([14.0, 107.753403, 1.209963])
    endless = fitted(data.repeat(), epochs=2, steps_per_epoch=3)["loss"]
    assert endless == pytest.approx([40.987789, 4.317325])


def test_validation_of_more_steps_than_there_are_takes_each_batch_once():
    data = tf.data.Dataset.from_tensor_slices((COUNTED, 2 * COUNTED)).batch(4)
    found = fitted(data, epochs=2, validation_data=data, validation_steps=3)
    assert found["val_loss"] == pytest.approx([7.236381, 0.76137])


def test_validation_begins_with_the_first_batch_after_each_epoch():
    """Recorded of Keras, for data that end and for data that do not."""
    data = tf.data.Dataset.from_tensor_slices((COUNTED, 2 * COUNTED)).batch(4)
    for validated in (data, data.repeat()):
        found = fitted(data, epochs=2, validation_data=validated, validation_steps=1)
        assert found["val_loss"] == pytest.approx([1.209963, 0.097008], rel=1e-4)


def test_callbacks_speak_before_the_line_of_an_epoch_and_see_validation(capsys):
    class Spoken(tf.keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            print("end", epoch)

        def on_test_begin(self, logs=None):
            print("test")

    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    data = (COUNTED, 2 * COUNTED)
    model.fit(*data, verbose=2, epochs=2, callbacks=[Spoken()], validation_data=data)
    lines = [line.split(" - ")[0] for line in capsys.readouterr().out.splitlines()]
    assert lines == ["Epoch 1/2", "test", "end 0", "1/1", "Epoch 2/2", "test", "end 1", "1/1"]
    model.fit(*data, verbose=2)
    assert "Epoch" not in capsys.readouterr().out


class Followed(tf.keras.Model):
    """Updates all metrics itself, as Keras' guide does."""

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self.compiled_loss(y, y_pred)
        gradients = tape.gradient(loss, self.trainable_weights)
        self.optimizer.apply(gradients, self.trainable_weights)
        for metric in self.metrics:
            if metric.name == "loss":
                metric.update_state(loss)
            else:
                metric.update_state(y, y_pred)
        return {m.name: m.result() for m in self.metrics}


def test_a_train_step_of_ones_own_finds_the_metrics_of_compile_before_the_first_batch():
    x = tf.keras.Input([1])
    model = Followed(x, tf.keras.layers.Dense(1, kernel_initializer="zeros")(x))
    model.compile("sgd", "mse", metrics=["mae", tf.keras.metrics.RootMeanSquaredError()])
    assert model.metrics_names == ["loss", "compile_metrics"]
    data = (COUNTED, 2 * COUNTED)
    found = model.fit(*data, verbose=0, batch_size=4, epochs=2, shuffle=False).history
    assert found["loss"] == pytest.approx([60.8767, 6.378202])
    assert found["mae"] == pytest.approx([6.585, 2.114443])
    assert found["root_mean_squared_error"] == pytest.approx([7.802352, 2.52551])


def test_metrics_take_their_arguments_by_name_and_whole_numbers():
    accuracy = tf.keras.metrics.SparseCategoricalAccuracy()
    accuracy.update_state(y_true=[0, 1], y_pred=[[0.1, 0.9], [0.2, 0.8]])
    assert float(accuracy.result()) == 0.5
    binary = tf.keras.metrics.BinaryAccuracy()
    binary.update_state([1, 0], [0.9, 0.8], [1.0, 3.0])
    assert float(binary.result()) == 0.25
    precision = tf.keras.metrics.Precision()
    precision.update_state([0, 1, 1, 1, 0, 1, 0, 1], [1, 1, 0, 1, 0, 1, 0, 1])
    assert float(precision.result()) == pytest.approx(0.8)


def test_a_variable_is_made_by_an_initializer_of_a_shape():
    assert tf.keras.Variable(initializer="ones", shape=(2,)).numpy().tolist() == [1.0, 1.0]
    zeros = tf.keras.Variable(tf.keras.initializers.Zeros(), shape=(1,), name="w")
    assert (zeros.name, zeros.numpy().tolist()) == ("w", [0.0])


def test_call_itself_takes_training_as_documents_write_it():
    x = tf.keras.Input([4])
    stack = tf.keras.Sequential([layers.Dropout(0.5)])
    for model in (stack, tf.keras.Model(x, layers.Dropout(0.5)(x))):
        assert model.call(tf.ones([1, 4]), training=False).numpy().tolist() == [[1.0] * 4]
        found = model.call(tf.ones([25, 4]), training=True).numpy()
        assert set(found.ravel().tolist()) == {0.0, 2.0}


@pytest.mark.parametrize(
    ("options", "first", "twice"),
    [
        ({"clipnorm": 0.5}, 0.97958758, 0.95917517),
        ({"clipvalue": 0.5}, 0.95, 0.9),
        ({"global_clipnorm": 0.5}, 0.97958758, 0.95917517),
    ],
)
def test_the_rows_of_a_sparse_gradient_are_clipped_as_they_are_as_in_tensorflow(
    options, first, twice
):
    v = tf.Variable(tf.ones([4, 2]))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.gather(v, [0, 2, 2]) ** 2)
    optimizer = tf.keras.optimizers.SGD(0.1, **options)
    optimizer.apply_gradients([(tape.gradient(loss, v), v)])
    np.testing.assert_allclose(v[:, 0], [first, 1.0, twice, 1.0], rtol=1e-6)


class Numbered(tf.keras.utils.PyDataset):
    """Two batches of three rows, and a list of what was asked for."""

    def __init__(self):
        super().__init__(workers=1)
        self.asked = []

    def __len__(self):
        return 2

    def __getitem__(self, index):
        self.asked.append(index)
        return np.full((3, 2), index, np.float32), np.ones((3, 1), np.float32)

    def on_epoch_end(self):
        self.asked.append("end")


def test_numbered_batches_are_asked_for_in_order_and_told_of_the_end_of_an_epoch():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="zeros")])
    model.compile("sgd", "mse")
    batches = Numbered()
    history = model.fit(batches, epochs=2, shuffle=False, verbose=0).history
    assert batches.asked == [0, 1, "end", 0, 1, "end"]
    np.testing.assert_allclose(history["loss"], [0.9802, 0.8679789], rtol=1e-5)  # Keras 3.15
    assert model.predict(batches, verbose=0).shape == (6, 1)
    assert len(list(batches)) == 2


def test_the_name_of_numbered_batches_before_keras_3_is_there():
    assert tf.keras.utils.Sequence is tf.keras.utils.PyDataset
    with pytest.raises(NotImplementedError, match="does not define `__getitem__`"):
        tf.keras.utils.PyDataset()[0]


def test_the_mark_for_files_of_keras_leaves_a_class_as_it_is():
    from minitape.keras.saving import register_keras_serializable

    assert register_keras_serializable(package="lesson")(Numbered) is Numbered


def test_a_plot_of_a_model_says_what_shows_it_here(caplog):
    assert tf.keras.utils.plot_model(line(), "model.png", show_shapes=True) is None
    assert "`model.summary()`" in caplog.text


def two_outputs(**options):
    """The names in a history of a model of two outputs, `p` and `q`."""
    x = tf.keras.Input([3])
    ends = [tf.keras.layers.Dense(n, name=name)(x) for n, name in ((1, "p"), (2, "q"))]
    model = tf.keras.Model(x, ends)
    model.compile("sgd", **({"loss": "mse"} | options))
    targets = [np.ones([4, 1]), np.ones([4, 2])]
    return sorted(model.fit(np.ones([4, 3]), targets, verbose=0).history)


@pytest.mark.parametrize(
    ("metrics", "names"),
    [
        (["mae", "mse"], ["p_mae", "q_mse"]),
        ([["mae"], ["mse"]], ["p_mae", "q_mse"]),
        ([["mae", "mse"], []], ["p_mae", "p_mse"]),
        ([None, "mae"], ["q_mae"]),
        ({"p": "mae"}, ["p_mae"]),
    ],
)
def test_each_output_has_the_metrics_that_stand_at_its_place(metrics, names):
    assert two_outputs(metrics=metrics) == sorted(["loss", "p_loss", "q_loss", *names])


@pytest.mark.parametrize("wrong", [{"metrics": ["mae"]}, {"loss": ["mse"]}])
def test_a_list_that_is_shorter_than_the_outputs_is_refused_as_in_keras(wrong):
    with pytest.raises(ValueError, match=r"1 entries for 2 outputs.*a dict whose keys are \['p'"):
        two_outputs(**wrong)


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64", "bool", "float64"])
def test_a_loss_of_ones_own_gets_targets_in_its_dtype(dtype):
    """Recorded: Keras converts both to the loss's dtype; metrics get the targets as they are."""
    seen = []

    def squares(y_true, y_pred):
        seen.append((y_true.dtype.name, y_pred.dtype.name))
        return tf.reduce_mean(tf.square(y_true - y_pred))

    class Squares(tf.keras.losses.Loss):
        def call(self, y_true, y_pred):
            return squares(y_true, y_pred)

    targets = np.array([1, 0], dtype)
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile("sgd", squares)
    found = model.evaluate(np.ones([2, 2], "float32"), targets, verbose=0)
    assert found == pytest.approx(2.5)  # of the predictions 2 and 2
    assert Squares()(targets, tf.ones([2], tf.float64)).numpy() == pytest.approx(0.5)
    assert set(seen) == {("float32", "float32")}


def test_losses_and_metrics_are_float64_where_layers_are():
    """Recorded of TensorFlow under `set_floatx("float64")`."""
    y, p = np.array([0.1, 0.7]), np.array([0.15, 0.45])
    tf.keras.backend.set_floatx("float64")
    try:
        loss = tf.keras.losses.BinaryCrossentropy()(y, p)
        mean = tf.keras.metrics.Mean()(y)
        single = tf.keras.losses.MeanSquaredError(dtype="float32")(y, y / 2)
    finally:
        tf.keras.backend.set_floatx("float32")
    assert (loss.dtype, mean.dtype, single.dtype) == (tf.float64, tf.float64, tf.float32)
    np.testing.assert_allclose(loss, 0.5371427613078559, rtol=1e-14)
    np.testing.assert_allclose(mean, 0.4, rtol=1e-15)


ROWS, ROWS_SUM = np.float32([[1, 2], [3, 4]]), np.float32([[1], [2]])


def ones(units, **options):
    return tf.keras.layers.Dense(units, kernel_initializer="ones", **options)


def test_a_batch_is_measured_by_itself():
    """Recorded: Keras starts the metrics anew with every call, and keeps no mean of calls."""
    model = tf.keras.Sequential([ones(1)])
    model.compile(tf.keras.optimizers.SGD(0.1), "mse", metrics=["mae"])
    assert model.train_on_batch(ROWS, ROWS_SUM) == pytest.approx([14.5, 3.5])
    assert model.train_on_batch(ROWS, ROWS_SUM) == pytest.approx([67.6, 7.8], rel=1e-5)
    assert model.test_on_batch(ROWS, ROWS_SUM) == pytest.approx([315.82724, 16.64], rel=1e-5)
    assert model.test_on_batch(ROWS, 2 * ROWS_SUM) == pytest.approx([262.16724, 15.14], rel=1e-5)


def test_a_model_logs_its_own_loss_beside_compiled_models_inside():
    """Recorded of Keras; the inner model's loss stood in the history under the same name."""
    inner = tf.keras.Sequential([tf.keras.Input((2,)), ones(2)])
    inner.compile("sgd", "mse", metrics=["mae"])
    inner.train_on_batch(ROWS, ROWS)
    outer = tf.keras.Sequential([inner, ones(1)])
    outer.compile(tf.keras.optimizers.SGD(0.001), "mse", metrics=["mae"])
    history = outer.fit(ROWS, ROWS_SUM, epochs=2, shuffle=False, verbose=0).history
    assert history["loss"] == pytest.approx([69.5941, 49.3418], rel=1e-5)
    assert history["mae"] == pytest.approx([7.7, 6.4687], rel=1e-5)


def test_the_generator_of_a_gan_is_told_its_own_loss():
    """Recorded of Keras: the discriminator is compiled, then frozen in the model around it."""
    third, fifth = (tf.keras.initializers.Constant(c) for c in (0.3, 0.2))
    generator = tf.keras.Sequential([tf.keras.Input((3,)), ones(2)])
    generator.layers[0].kernel.assign(third((3, 2)))
    discriminator = tf.keras.Sequential([tf.keras.Input((2,)), ones(1, activation="sigmoid")])
    discriminator.layers[0].kernel.assign(fifth((2, 1)))
    discriminator.compile("sgd", "binary_crossentropy")
    discriminator.trainable = False
    both = tf.keras.Sequential([generator, discriminator])
    both.compile("sgd", "binary_crossentropy")
    noise = np.float32([[1, 2, 3], [-1, 0, 2]])
    p = 1 / (1 + np.exp(-0.4 * 0.3 * noise.sum(1)))
    discriminator.test_on_batch(np.zeros([1, 2]), np.ones(1))
    assert both.train_on_batch(noise, np.ones(2)) == pytest.approx(-np.log(p).mean(), rel=1e-5)


def test_metrics_of_layers_inside_are_logged_and_those_of_models_inside_are_not():
    class Inner(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.dense, self.mean = ones(1), tf.keras.metrics.Mean(name="inner")

        def call(self, x):
            return self.dense(x)

    class Measuring(tf.keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.mean = tf.keras.metrics.Mean(name="of_layer")

        def call(self, x):
            self.mean.update_state(x)
            return x

    class Outer(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.inner, self.own = Inner(), tf.keras.metrics.Mean(name="own")
            self.measuring = tf.keras.Sequential([Measuring()])

        def call(self, x):
            return self.inner(self.measuring(x))

    model = Outer()
    model.compile("sgd", "mse")
    history = model.fit(ROWS, ROWS_SUM, verbose=0).history
    assert history == {"loss": [14.5], "own": [0.0], "of_layer": [2.5]}


def test_metrics_of_one_name_are_told_apart_in_the_history():
    """Recorded of Keras; the predictions are 1, 0 and 1, and the weights 1, 2, 3, then 5, 2, 3."""
    model = tf.keras.Sequential([tf.keras.layers.Identity()])
    twice = [tf.keras.metrics.MeanAbsoluteError(name="mae") for _ in range(2)]
    model.compile("sgd", "mse", metrics=["mae", *twice], weighted_metrics=["mae"])
    x, y, weights = np.float32([[1], [0], [1]]), np.float32([[0], [0], [0]]), np.float32([1, 2, 3])
    found = model.evaluate(x, y, sample_weight=weights, verbose=0, return_dict=True)
    each = found["mae"], found["mae_1"], found["mae_2"], found["weighted_mae"]
    assert each == pytest.approx([2 / 3, 2 / 3, 2 / 3, 4 / 6])
    weights[0] = 5.0
    found = model.evaluate(x, y, sample_weight=weights, verbose=0, return_dict=True)
    assert (found["mae"], found["weighted_mae"]) == pytest.approx((2 / 3, 8 / 10))
