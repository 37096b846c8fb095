"""`tf.keras.layers`."""

from minitape.keras.layers.base import Layer
from minitape.keras.layers.containers import Input, InputLayer, Model, Sequential
from minitape.keras.layers.core import Activation, Dense, Dropout, Embedding, Flatten, ReLU, Reshape
from minitape.keras.layers.images import (
    AveragePooling2D,
    Conv1D,
    Conv2D,
    GlobalAveragePooling2D,
    GlobalMaxPooling2D,
    MaxPooling2D,
)
from minitape.keras.layers.normalisation import BatchNormalization, LayerNormalization
from minitape.keras.layers.small import Add, Concatenate, LeakyReLU, Softmax

AvgPool2D = AveragePooling2D
MaxPool2D = MaxPooling2D
Convolution2D = Conv2D

__all__ = [
    "Activation",
    "Add",
    "AveragePooling2D",
    "AvgPool2D",
    "BatchNormalization",
    "Concatenate",
    "Conv1D",
    "Conv2D",
    "Convolution2D",
    "Dense",
    "Dropout",
    "Embedding",
    "Flatten",
    "GlobalAveragePooling2D",
    "GlobalMaxPooling2D",
    "Input",
    "InputLayer",
    "Layer",
    "LayerNormalization",
    "LeakyReLU",
    "MaxPool2D",
    "MaxPooling2D",
    "Model",
    "ReLU",
    "Reshape",
    "Sequential",
    "Softmax",
]
