"""Fused ops written out: for each one a program of elementary ops that computes the same.

A program takes what the op takes, inputs and then attributes, and is written with public names, as
on a blackboard. Where an exponential would overflow it shifts first, as the op itself always does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import minitape as tf
from minitape.ops.elementwise import powers, sigmoids
from minitape.ops.linalg import norms
from minitape.ops.neural import softmax as softmaxes
from minitape.ops.reductions import statistics

if TYPE_CHECKING:
    from collections.abc import Callable

    from minitape.op import Op, Primitive

    Program = Callable[..., Any]

PROGRAMS: dict[Op, Program] = {}
LARGE = 30.0  # exponentials of more are shifted: their sums would lose what they add


def computes(*ops: Primitive) -> Callable[[Program], Program]:
    """Declares a program of elementary ops that computes what fused ones do."""

    def declare(program: Program) -> Program:
        PROGRAMS.update(dict.fromkeys([each.op for each in ops], program))
        return program

    return declare


def _safe(x: Any, axis: Any) -> Any:
    """`x`, less its maximum where its exponentials would be too large or too small."""
    if np.size(x.numpy()) and np.max(np.abs(x.numpy())) <= LARGE:
        return x
    return x - tf.stop_gradient(tf.reduce_max(x, axis, keepdims=True))


@computes(softmaxes.softmax)
def softmax(logits: Any, axis: int) -> Any:
    """Powers, divided by their sum."""
    powers = tf.exp(_safe(logits, axis))
    return powers / tf.reduce_sum(powers, axis, keepdims=True)


@computes(softmaxes.log_softmax)
def log_softmax(logits: Any, axis: int) -> Any:
    """The logits, less the logarithm of the sum of their powers."""
    logits = _safe(logits, axis)
    return logits - tf.math.log(tf.reduce_sum(tf.exp(logits), axis, keepdims=True))


@computes(softmaxes.softmax_cross_entropy)
def softmax_cross_entropy(labels: Any, logits: Any) -> Any:
    """The truth times what was surprising: minus the log of each probability."""
    return tf.reduce_sum(labels * -log_softmax(logits, -1), -1)


@computes(softmaxes.sparse_softmax_cross_entropy)
def sparse_softmax_cross_entropy(labels: Any, logits: Any) -> Any:
    """The logarithm of the sum of powers, less the logit of the truth."""
    logits = _safe(logits, -1)
    all_classes = tf.math.log(tf.reduce_sum(tf.exp(logits), -1))
    return all_classes - tf.gather(logits, labels, batch_dims=len(labels.shape))


@computes(softmaxes.sigmoid_cross_entropy)
def sigmoid_cross_entropy(labels: Any, logits: Any) -> Any:
    """log(1 + exp(logits)), less the logits where the labels are 1."""
    return softplus(logits) - labels * logits


@computes(sigmoids.softplus)
def softplus(features: Any) -> Any:
    """log(1 + exp(features)); where that would overflow, features + log(1 + exp(-features))."""
    if np.max(features.numpy(), initial=0) <= LARGE:
        return tf.math.log(1.0 + tf.exp(features))
    return features + tf.math.log(1.0 + tf.exp(-features))


@computes(sigmoids.log_sigmoid)
def log_sigmoid(x: Any) -> Any:
    """The logarithm of the sigmoid."""
    return -softplus(-x)


@computes(sigmoids.sigmoid)
def sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x))."""
    return 1.0 / (1.0 + tf.exp(-x))


@computes(statistics.reduce_logsumexp)
def reduce_logsumexp(x: Any, axis: Any, keepdims: bool) -> Any:
    """The logarithm of the sum of powers."""
    if np.size(x.numpy()) and np.max(np.abs(x.numpy())) <= LARGE:
        return tf.math.log(tf.reduce_sum(tf.exp(x), axis, keepdims))
    top = tf.stop_gradient(tf.reduce_max(x, axis, keepdims=True))
    sums = tf.math.log(tf.reduce_sum(tf.exp(x - top), axis, keepdims))
    return sums + tf.reshape(top, sums.shape)


@computes(norms.inverse_length)
def inverse_length(x: Any, axis: Any, epsilon: float) -> Any:
    """One divided by the root of the sum of squares, which is epsilon at least."""
    squares = tf.reduce_sum(tf.square(x), axis, keepdims=True)
    return tf.math.rsqrt(tf.maximum(squares, epsilon))


@computes(statistics.reduce_euclidean_norm, statistics.length)
def reduce_euclidean_norm(x: Any, axis: Any, keepdims: bool) -> Any:
    """The root of the sum of squares."""
    return tf.sqrt(tf.reduce_sum(tf.square(x), axis, keepdims))


@computes(statistics.reduce_variance)
def reduce_variance(x: Any, axis: Any, keepdims: bool) -> Any:
    """The mean of the squared distances from the mean."""
    centred = x - tf.reduce_mean(x, axis, keepdims=True)
    return tf.reduce_mean(tf.square(centred), axis, keepdims)


@computes(statistics.reduce_std)
def reduce_std(x: Any, axis: Any, keepdims: bool) -> Any:
    """The root of the variance."""
    return tf.sqrt(reduce_variance(x, axis, keepdims))


@computes(powers.squared_difference)
def squared_difference(x: Any, y: Any) -> Any:
    """The square of the difference."""
    return tf.square(x - y)
