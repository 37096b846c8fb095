"""Programs of Keras whose numbers were recorded from TensorFlow 2.21 in `recorded_keras.json`.

Each takes the library, sets the weights of its model to fixed numbers, and returns arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def numbers(*shape: int) -> Any:
    """Fixed numbers between -1 and 1."""
    n = np.arange(int(np.prod(shape)), dtype=np.float32)
    return np.sin(n * 1.7 + 0.3).reshape(shape).astype(np.float32)


def fill(model: Any) -> None:
    model.set_weights([numbers(*w.shape) * 0.5 for w in model.get_weights()])


def flat(tf: Any, values: Any) -> list[list[float]]:
    arrays = [np.asarray(tf.convert_to_tensor(v)) for v in tf.nest.flatten(values)]
    return [[float(x) for x in a.astype(np.float64).ravel()] for a in arrays]


def layer(make: Any, *shapes: Any) -> Any:
    """Outputs of a layer, and the gradients of the sum of their cubes."""

    def program(tf: Any) -> Any:
        made, inputs = make(tf.keras.layers), [tf.constant(numbers(*s)) for s in shapes]
        given = inputs if len(inputs) > 1 else inputs[0]
        made(given)
        fill(made)
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            outputs = tf.nest.flatten(made(given))
            total = tf.add_n([tf.reduce_sum(y**3) for y in outputs])
        return outputs + tape.gradient(total, inputs + list(made.trainable_variables))

    return program


def steps(make: Any) -> Any:
    """Two variables after six steps of an optimizer."""

    def program(tf: Any) -> Any:
        v, w = tf.Variable([[1.0, -2.0], [0.5, 3.0]]), tf.Variable([0.3, 0.7])
        optimizer = make(tf.keras.optimizers)
        for _ in range(6):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(v**4) + tf.reduce_sum(tf.sin(w * 3.0) * v[0])
            optimizer.apply_gradients(zip(tape.gradient(loss, [v, w]), [v, w], strict=True))
        return [v, w]

    return program


X = numbers(50, 3)
Y = X.sum(1)
CLASSES = np.arange(50) % 3


def fit(make: Any, options: Any, y: Any = Y, x: Any = X, **settings: Any) -> Any:
    """History, evaluation, predictions and weights after training without shuffling."""

    def program(tf: Any) -> Any:
        model = make(tf.keras, tf.keras.layers)
        model.predict(x, verbose=0)
        fill(model)
        model.compile(**options(tf.keras))
        callbacks = settings.get("callbacks", lambda keras: [])(tf.keras)
        given = settings | {"callbacks": callbacks, "verbose": 0, "shuffle": False}
        history = model.fit(x, y, **given)
        measured = [history.history[name] for name in sorted(history.history)]
        predicted = tf.nest.flatten(model.predict(x, verbose=0))
        return [*measured, model.evaluate(x, y, verbose=0), *predicted, *model.get_weights()]

    return program


def small(outputs: int = 1, activation: Any = None) -> Any:
    return lambda keras, layers: keras.Sequential(
        [
            keras.Input((3,)),
            layers.Dense(5, activation="tanh"),
            layers.Dense(outputs, activation=activation),
        ]
    )


def two_inputs(keras: Any, layers: Any) -> Any:
    a, b = keras.Input((3,), name="a"), keras.Input((2,), name="b")
    shared = layers.Dense(4, activation="tanh")
    h, mirrored = layers.concatenate([shared(a), b]), shared(a[:, ::-1])
    one = layers.Dense(1, name="one")(h)
    return keras.Model([a, b], [one, layers.Dense(3, "softmax", name="two")(mirrored**2 + 1.0)])


def penalised(keras: Any, layers: Any) -> Any:
    return keras.Sequential(
        [
            layers.Dense(
                5, kernel_regularizer="l2", activity_regularizer=keras.regularizers.L2(0.1)
            ),
            layers.Dense(1, kernel_constraint=keras.constraints.MaxNorm(0.3)),
        ]
    )


SEQUENCE, IMAGE = (2, 5, 3), (1, 5, 4, 2)
PROGRAMS: dict[str, Any] = {
    "lstm": layer(lambda ls: ls.LSTM(4, return_sequences=True, return_state=True), SEQUENCE),
    "gru": layer(lambda ls: ls.GRU(4, return_sequences=True), SEQUENCE),
    "simple_rnn": layer(lambda ls: ls.SimpleRNN(4, go_backwards=True), SEQUENCE),
    "bidirectional": layer(lambda ls: ls.Bidirectional(ls.LSTM(3)), SEQUENCE),
    "time_distributed": layer(lambda ls: ls.TimeDistributed(ls.Dense(2)), SEQUENCE),
    "causal": layer(lambda ls: ls.Conv1D(2, 3, padding="causal", dilation_rate=2), SEQUENCE),
    "transposed": layer(lambda ls: ls.Conv2DTranspose(3, 3, 2, "same"), IMAGE),
    "transposed_valid": layer(lambda ls: ls.Conv2DTranspose(3, (2, 4), 3), IMAGE),
    "depthwise": layer(lambda ls: ls.DepthwiseConv2D(3, depth_multiplier=2), IMAGE),
    "dot": layer(lambda ls: ls.Dot((2, 2)), SEQUENCE, (2, 4, 3)),
    **{
        f"{name}{key}": steps(
            lambda opt, name=name, options=options: getattr(opt, name)(0.05, **options)
        )
        for name in ("SGD", "Adam", "AdamW", "Nadam", "Adamax", "Adadelta", "RMSprop")
        for key, options in {"": {}, "_clipped": {"clipnorm": 0.5, "weight_decay": 0.1}}.items()
    },
    "global_norm": steps(lambda opt: opt.SGD(0.05, global_clipnorm=1.0)),
    "clip_value": steps(lambda opt: opt.SGD(0.05, clipvalue=0.2)),
    "piecewise": steps(
        lambda opt: opt.SGD(opt.schedules.PiecewiseConstantDecay([2, 4], [0.1, 0.05, 0.01]))
    ),
    "cosine": steps(lambda opt: opt.SGD(opt.schedules.CosineDecay(0.1, 4, 0.1))),
    "polynomial": steps(lambda opt: opt.SGD(opt.schedules.PolynomialDecay(0.1, 4, 0.01, 2.0))),
    "callable": steps(lambda opt: opt.SGD(lambda: 0.1)),
    "regression": fit(
        small(),
        lambda k: {"optimizer": "adam", "loss": "mse", "metrics": ["mae"]},
        epochs=3,
        batch_size=16,
        validation_split=0.3,
    ),
    "classes": fit(
        small(3, "softmax"),
        lambda k: {
            "optimizer": "sgd",
            "loss": "sparse_categorical_crossentropy",
            "metrics": ["accuracy"],
        },
        CLASSES,
        epochs=2,
        class_weight={0: 1.0, 1: 2.0, 2: 0.5},
    ),
    "binary": fit(
        small(1, "sigmoid"),
        lambda k: {
            "optimizer": "rmsprop",
            "loss": "binary_crossentropy",
            "metrics": ["accuracy", k.metrics.Precision(name="p"), k.metrics.Recall(name="r")],
        },
        (Y > 0).astype("int32"),
        epochs=2,
    ),
    "weighted": fit(
        small(3),
        lambda k: {
            "optimizer": "sgd",
            "loss": k.losses.CategoricalCrossentropy(from_logits=True),
            "weighted_metrics": ["mae"],
        },
        np.eye(3, dtype="float32")[CLASSES],
        epochs=2,
        sample_weight=np.arange(50, dtype="float32") / 50,
    ),
    "penalised": fit(penalised, lambda k: {"optimizer": "sgd", "loss": "mse"}, epochs=2),
    "two": fit(
        two_inputs,
        lambda k: {
            "optimizer": "sgd",
            "loss": ["mse", "sparse_categorical_crossentropy"],
            "loss_weights": [1.0, 0.3],
            "metrics": {"two": ["accuracy"]},
        },
        [Y, CLASSES],
        [X, X[:, :2]],
        epochs=2,
    ),
    "stopped": fit(
        small(),
        lambda k: {"optimizer": k.optimizers.SGD(0.05), "loss": "mse"},
        epochs=6,
        callbacks=lambda k: [k.callbacks.EarlyStopping("loss", min_delta=0.5, patience=1)],
    ),
    "plateau": fit(
        small(),
        lambda k: {"optimizer": k.optimizers.SGD(0.05), "loss": "mse"},
        epochs=5,
        callbacks=lambda k: [k.callbacks.ReduceLROnPlateau("loss", patience=1, min_delta=0.5)],
    ),
}


def run(tf: Any, program: Any) -> list[list[float]]:
    """The numbers of a program in a library."""
    return flat(tf, program(tf))
