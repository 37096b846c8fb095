"""`tf.keras.layers`: `base` first, with `weights`, then whichever layer one looks for.

Every layer takes the arguments of `Layer` by name besides its own, and for each of its variables a
regularizer and a constraint, such as `kernel_regularizer`. The cells of recurrent layers stand in
`cells`, what `add_weight` takes in `weight_arguments`.
"""

from minitape.keras.layers.base import Layer
from minitape.keras.layers.cells import GRUCell, LSTMCell, SimpleRNNCell
from minitape.keras.layers.core import Activation, Dense, Dropout, Embedding, Flatten, ReLU, Reshape
from minitape.keras.layers.images import (
    Conv1D,
    Conv1D as Convolution1D,
    Conv2D,
    Conv2D as Convolution2D,
    Conv2DTranspose,
    Conv2DTranspose as Convolution2DTranspose,
    DepthwiseConv2D,
    SeparableConv2D,
)
from minitape.keras.layers.inputs import Input, InputLayer
from minitape.keras.layers.merging import (
    Add,
    Average,
    Concatenate,
    Dot,
    Maximum,
    Minimum,
    Multiply,
    Subtract,
    add,
    average,
    concatenate,
    dot,
    maximum,
    minimum,
    multiply,
    subtract,
)
from minitape.keras.layers.normalisation import (
    BatchNormalization,
    LayerNormalization,
    Normalization,
)
from minitape.keras.layers.pooling import (
    AveragePooling1D,
    AveragePooling1D as AvgPool1D,
    AveragePooling2D,
    AveragePooling2D as AvgPool2D,
    Cropping2D,
    GlobalAveragePooling1D,
    GlobalAveragePooling1D as GlobalAvgPool1D,
    GlobalAveragePooling2D,
    GlobalAveragePooling2D as GlobalAvgPool2D,
    GlobalMaxPooling1D,
    GlobalMaxPooling1D as GlobalMaxPool1D,
    GlobalMaxPooling2D,
    GlobalMaxPooling2D as GlobalMaxPool2D,
    MaxPooling1D,
    MaxPooling1D as MaxPool1D,
    MaxPooling2D,
    MaxPooling2D as MaxPool2D,
    UpSampling2D,
    ZeroPadding2D,
)
from minitape.keras.layers.recurrent import GRU, LSTM, RNN, SimpleRNN, StackedRNNCells
from minitape.keras.layers.small import (
    ELU,
    GaussianNoise,
    Identity,
    Lambda,
    LeakyReLU,
    Permute,
    PReLU,
    RepeatVector,
    Rescaling,
    Softmax,
)
from minitape.keras.layers.wrappers import Bidirectional, TimeDistributed
from minitape.names.absent import closed

__all__ = [
    "Activation", "Add", "Average", "AveragePooling1D", "AveragePooling2D", "AvgPool1D",
    "AvgPool2D", "BatchNormalization", "Bidirectional", "Concatenate", "Conv1D", "Conv2D",
    "Conv2DTranspose", "Convolution1D", "Convolution2D", "Convolution2DTranspose", "Cropping2D",
    "Dense", "DepthwiseConv2D", "Dot", "Dropout", "ELU", "Embedding", "Flatten", "GRU", "GRUCell",
    "GaussianNoise", "GlobalAveragePooling1D", "GlobalAveragePooling2D", "GlobalAvgPool1D",
    "GlobalAvgPool2D", "GlobalMaxPool1D", "GlobalMaxPool2D", "GlobalMaxPooling1D",
    "GlobalMaxPooling2D", "Identity", "Input", "InputLayer", "LSTM", "LSTMCell", "Lambda", "Layer",
    "LayerNormalization", "LeakyReLU", "MaxPool1D", "MaxPool2D", "MaxPooling1D", "MaxPooling2D",
    "Maximum", "Minimum", "Multiply", "Normalization", "PReLU", "Permute", "RNN", "ReLU",
    "RepeatVector", "Rescaling", "Reshape", "SeparableConv2D", "SimpleRNN", "SimpleRNNCell",
    "Softmax", "StackedRNNCells", "Subtract", "TimeDistributed", "UpSampling2D", "ZeroPadding2D",
    "add", "average", "concatenate", "dot", "maximum", "minimum", "multiply", "subtract",
]  # fmt: skip


closed("minitape.keras.layers")
