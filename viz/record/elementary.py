"""Fused ops written out: for each one a program of elementary ops that computes the same.

The one fact to know: a program takes what the op takes, inputs and then attributes, and is written
with public names, as on a blackboard. Where an exponential would overflow it shifts first, as the
op itself always does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import minitape as tf

if TYPE_CHECKING:
    from collections.abc import Callable

    Program = Callable[..., Any]

LARGE = 30.0  # exponentials of more are shifted: their sums would lose what they add


def _safe(x: Any, axis: Any) -> Any:
    """`x`, less its maximum where its exponentials would be too large or too small."""
    if np.size(x.numpy()) and np.max(np.abs(x.numpy())) <= LARGE:
        return x
    return x - tf.stop_gradient(tf.reduce_max(x, axis, keepdims=True))


def softmax(logits: Any, axis: int) -> Any:
    """Powers, divided by their sum."""
    powers = tf.exp(_safe(logits, axis))
    return powers / tf.reduce_sum(powers, axis, keepdims=True)


def log_softmax(logits: Any, axis: int) -> Any:
    """The logits, less the logarithm of the sum of their powers."""
    logits = _safe(logits, axis)
    return logits - tf.math.log(tf.reduce_sum(tf.exp(logits), axis, keepdims=True))


def softmax_cross_entropy(labels: Any, logits: Any) -> Any:
    """The truth times what was surprising: minus the log of each probability."""
    return tf.reduce_sum(labels * -log_softmax(logits, -1), -1)


def sparse_softmax_cross_entropy(labels: Any, logits: Any) -> Any:
    """The logarithm of the sum of powers, less the logit of the truth."""
    logits = _safe(logits, -1)
    all_classes = tf.math.log(tf.reduce_sum(tf.exp(logits), -1))
    return all_classes - tf.gather(logits, labels, batch_dims=len(labels.shape))


def sigmoid_cross_entropy(labels: Any, logits: Any) -> Any:
    """log(1 + exp(logits)), less the logits where the labels are 1."""
    return softplus(logits) - labels * logits


def softplus(features: Any) -> Any:
    """log(1 + exp(features)); where that would overflow, features + log(1 + exp(-features))."""
    if np.max(features.numpy(), initial=0) <= LARGE:
        return tf.math.log(1.0 + tf.exp(features))
    return features + tf.math.log(1.0 + tf.exp(-features))


def log_sigmoid(x: Any) -> Any:
    """The logarithm of the sigmoid."""
    return -softplus(-x)


def sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x))."""
    return 1.0 / (1.0 + tf.exp(-x))


def reduce_logsumexp(x: Any, axis: Any, keepdims: bool) -> Any:
    """The logarithm of the sum of powers."""
    if np.size(x.numpy()) and np.max(np.abs(x.numpy())) <= LARGE:
        return tf.math.log(tf.reduce_sum(tf.exp(x), axis, keepdims))
    top = tf.stop_gradient(tf.reduce_max(x, axis, keepdims=True))
    sums = tf.math.log(tf.reduce_sum(tf.exp(x - top), axis, keepdims))
    return sums + tf.reshape(top, sums.shape)


def inverse_length(x: Any, axis: Any, epsilon: float) -> Any:
    """One divided by the root of the sum of squares, which is epsilon at least."""
    squares = tf.reduce_sum(tf.square(x), axis, keepdims=True)
    return tf.math.rsqrt(tf.maximum(squares, epsilon))


def reduce_euclidean_norm(x: Any, axis: Any, keepdims: bool) -> Any:
    """The root of the sum of squares."""
    return tf.sqrt(tf.reduce_sum(tf.square(x), axis, keepdims))


def reduce_variance(x: Any, axis: Any, keepdims: bool) -> Any:
    """The mean of the squared distances from the mean."""
    centred = x - tf.reduce_mean(x, axis, keepdims=True)
    return tf.reduce_mean(tf.square(centred), axis, keepdims)


def reduce_std(x: Any, axis: Any, keepdims: bool) -> Any:
    """The root of the variance."""
    return tf.sqrt(reduce_variance(x, axis, keepdims))


def squared_difference(x: Any, y: Any) -> Any:
    """The square of the difference."""
    return tf.square(x - y)


PROGRAMS: dict[str, Program] = {
    program.__name__: program
    for program in (
        softmax, log_softmax, softmax_cross_entropy, sparse_softmax_cross_entropy,
        sigmoid_cross_entropy, softplus, log_sigmoid, sigmoid, reduce_logsumexp, inverse_length,
        reduce_euclidean_norm, reduce_variance, reduce_std, squared_difference,
    )
} | {"length": reduce_euclidean_norm}  # fmt: skip
