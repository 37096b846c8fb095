"""Objects of Keras whose configs were recorded from TensorFlow 2.21 in `recorded_configs.json`.

`python tests/keras/keras_configs.py tensorflow` records them anew.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).with_name("recorded_configs.json")
MADE: dict[str, Any] = {
    "zeros": lambda k: k.initializers.Zeros(),
    "constant": lambda k: k.initializers.Constant(3.0),
    "random normal": lambda k: k.initializers.RandomNormal(stddev=0.1, seed=3),
    "random uniform": lambda k: k.initializers.RandomUniform(),
    "truncated normal": lambda k: k.initializers.TruncatedNormal(mean=1.0),
    "variance": lambda k: k.initializers.VarianceScaling(2.0, "fan_out", "uniform", seed=1),
    "glorot": lambda k: k.initializers.GlorotUniform(seed=2),
    "he": lambda k: k.initializers.HeNormal(),
    "orthogonal": lambda k: k.initializers.Orthogonal(2.0),
    "l2": lambda k: k.regularizers.L2(0.2),
    "l1 and l2": lambda k: k.regularizers.L1L2(0.1, 0.2),
    "l1_l2 of nothing": lambda k: k.regularizers.l1_l2(),
    "not negative": lambda k: k.constraints.NonNeg(),
    "max norm": lambda k: k.constraints.MaxNorm(3),
    "dense": lambda k: k.layers.Dense(3, activation="relu", kernel_regularizer="l2"),
    "dense with a rule": lambda k: k.layers.Dense(3, kernel_constraint="non_neg"),
    "penalty": lambda k: k.layers.Dense(1, activity_regularizer="l2", dtype="float64"),
    "embedding": lambda k: k.layers.Embedding(3, 4),
    "activation": lambda k: k.layers.Activation("tanh"),
    "relu": lambda k: k.layers.ReLU(max_value=6.0),
    "leaky relu": lambda k: k.layers.LeakyReLU(),
    "prelu": lambda k: k.layers.PReLU(),
    "softmax": lambda k: k.layers.Softmax(),
    "flatten": lambda k: k.layers.Flatten(),
    "reshape": lambda k: k.layers.Reshape((2, 3)),
    "dropout": lambda k: k.layers.Dropout(0.3),
    "permute": lambda k: k.layers.Permute((2, 1)),
    "repeat": lambda k: k.layers.RepeatVector(3),
    "noise": lambda k: k.layers.GaussianNoise(0.1),
    "rescaling": lambda k: k.layers.Rescaling(0.5, offset=1.0),
    "identity": lambda k: k.layers.Identity(),
    "conv 1": lambda k: k.layers.Conv1D(3, 2, padding="causal"),
    "conv 2": lambda k: k.layers.Conv2D(4, 2, padding="same", groups=2, activation="relu"),
    "depthwise": lambda k: k.layers.DepthwiseConv2D(2, depthwise_regularizer="l2"),
    "separable": lambda k: k.layers.SeparableConv2D(3, 2),
    "transpose": lambda k: k.layers.Conv2DTranspose(3, 2, strides=2),
    "max pooling": lambda k: k.layers.MaxPooling2D(3, strides=1),
    "global": lambda k: k.layers.GlobalAveragePooling1D(keepdims=True),
    "upsampling": lambda k: k.layers.UpSampling2D(),
    "padding": lambda k: k.layers.ZeroPadding2D((1, 2)),
    "add": lambda k: k.layers.Add(),
    "concatenate": lambda k: k.layers.Concatenate(axis=1),
    "dot": lambda k: k.layers.Dot(1),
    "batch": lambda k: k.layers.BatchNormalization(),
    "layer": lambda k: k.layers.LayerNormalization(),
    "lstm": lambda k: k.layers.LSTM(3, return_sequences=True),
    "gru": lambda k: k.layers.GRU(3),
    "cell": lambda k: k.layers.GRUCell(3, recurrent_regularizer="l2"),
    "rnn": lambda k: k.layers.RNN(k.layers.SimpleRNNCell(3)),
    "distributed": lambda k: k.layers.TimeDistributed(k.layers.Dense(2)),
    "both ways": lambda k: k.layers.Bidirectional(k.layers.LSTM(3, name="one"), "sum"),
    "input": lambda k: k.layers.InputLayer(shape=(3,), name="x"),
    "sequential": lambda k: k.Sequential(
        [k.Input((2,), name="x"), k.layers.Dense(3, name="y"), k.layers.ReLU(name="z")], name="m"
    ),
    "unbuilt": lambda k: k.Sequential([k.layers.Dense(3, name="y")], name="m"),
}


def config(made: Any) -> Any:
    """The config as JSON has it, where a tuple is a list."""
    return json.loads(json.dumps(made.get_config()))


if __name__ == "__main__":
    keras = importlib.import_module(sys.argv[1]).keras
    found = {}
    for name, make in MADE.items():
        keras.backend.clear_session()
        found[name] = config(make(keras))
    RECORDED.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
