"""Samples of activations, softmax, cross entropies and random draws."""

import numpy as np

from op_samples import Sample

X = np.array([[-1.5, -0.3, 0.4], [0.2, 1.0, 2.5]])
WIDE = np.array([[-7.0, -0.5, 0.5], [3.0, 5.9, 7.5]])
KINKS = np.array([-1.0, 0.0, 1.0, 6.0])
EMPTY = np.zeros((0, 3))
LOGITS = np.array([[1.0, 2.0, -1.0], [0.5, 0.1, 3.0]])
CUBE = np.sin(np.arange(24.0)).reshape(2, 3, 4)
P = np.array([[0.2, 0.5, 0.3], [0.7, 0.3, 0.0]])
HUGE = np.array([[1000.0, 1001.0, 998.0], [-1000.0, 0.0, 3.0]])
F32, I64 = np.dtype(np.float32), np.dtype(np.int64)


def relu(x):
    return np.where(x > 0, x, 0)


def leaky(features, alpha=0.2):
    return np.where(features > 0, features, np.float32(alpha) * features)


def elu(x):
    return np.where(x > 0, x, np.exp(np.minimum(x, 0)) - 1)


def selu(x):
    s, a = 1.0507009873554804934193349852946, 1.6732632423543772848170429916717
    return np.where(x > 0, s * x, s * a * (np.exp(np.minimum(x, 0)) - 1))


def silu(x):
    return x / (1 + np.exp(-x))


def softmax(logits, axis=-1):
    e = np.exp(logits - logits.max(axis, keepdims=True)) if logits.size else logits
    return e / e.sum(axis, keepdims=True)


def log_softmax(logits, axis=-1):
    z = logits - logits.max(axis, keepdims=True)
    return z - np.log(np.exp(z).sum(axis, keepdims=True))


def cross_entropy(labels, logits):
    return -(labels * log_softmax(logits)).sum(-1)


def one_hot(labels, logits):
    return np.eye(logits.shape[-1])[labels]


def sparse_cross_entropy(labels, logits):
    return cross_entropy(one_hot(labels, logits), logits)


def softmax_less_one_hot(labels, logits):
    return softmax(logits) - one_hot(labels, logits)


def sigmoid_cross_entropy(labels, logits):
    return labels * np.log1p(np.exp(-logits)) + (1 - labels) * np.log1p(np.exp(logits))


def top(targets, predictions, k):
    rank = (predictions > predictions[np.arange(len(targets)), targets][:, None]).sum(1)
    return rank < k


def elementwise(name, reference, kinks=False):
    return [
        Sample(name, [X], numpy=reference),
        Sample(name, [WIDE], numpy=reference, note="wide"),
        Sample(name, [1.25], numpy=reference, note="scalar"),
        Sample(name, [np.float64(-0.75)], numpy=reference, note="negative scalar"),
        Sample(name, [EMPTY], numpy=reference, note="empty"),
        Sample(name, [KINKS], numpy=reference, order=0 if kinks else 2, note="kinks"),
    ]


def random(name, inputs=(), **attributes):
    return Sample(name, list(inputs), attributes, dtypes="fixed", order=0)


SAMPLES = [
    *elementwise("relu", relu, kinks=True),
    *elementwise("relu6", lambda x: np.clip(x, 0, 6), kinks=True),
    *elementwise("leaky_relu", leaky, kinks=True),
    Sample("leaky_relu", [X], {"alpha": 0.5}, leaky, note="slope"),
    *elementwise("elu", elu, kinks=True),  # its second derivative jumps at 0
    *elementwise("selu", selu, kinks=True),
    *elementwise("softsign", lambda x: x / (1 + np.abs(x)), kinks=True),
    *elementwise("silu", silu),
    Sample("softmax", [LOGITS], {"axis": -1}, softmax),
    Sample("softmax", [LOGITS], {"axis": 0}, softmax, note="first axis"),
    Sample("softmax", [CUBE], {"axis": 1}, softmax, note="middle axis"),
    Sample("softmax", [LOGITS[:, :1]], {"axis": 1}, softmax, note="one class"),
    Sample("softmax", [HUGE], {"axis": 1}, softmax, dtypes="float", note="huge"),
    Sample("softmax", [EMPTY], {"axis": 1}, softmax, note="empty"),
    Sample("log_softmax", [LOGITS], {"axis": -1}, log_softmax),
    Sample("log_softmax", [CUBE], {"axis": -2}, log_softmax, note="middle axis"),
    Sample("log_softmax", [CUBE[0, 0]], {"axis": 0}, log_softmax, note="vector"),
    Sample("log_softmax", [HUGE], {"axis": 1}, log_softmax, dtypes="float", note="huge"),
    Sample("softmax_cross_entropy", [P, LOGITS], numpy=cross_entropy),
    Sample("softmax_cross_entropy", [P[0], LOGITS[0]], numpy=cross_entropy, note="vector"),
    Sample(
        "softmax_cross_entropy",
        [np.full((2, 3, 4), 0.25), CUBE],
        numpy=cross_entropy,
        note="three axes",
    ),
    Sample("sparse_softmax_cross_entropy", [[2, 0], LOGITS], numpy=sparse_cross_entropy),
    Sample(
        "sparse_softmax_cross_entropy",
        [np.int32(1), LOGITS[0]],
        numpy=sparse_cross_entropy,
        note="vector",
    ),
    Sample(
        "sparse_softmax_cross_entropy",
        [np.array([[0, 1, 3], [2, 2, 0]]), CUBE],
        numpy=sparse_cross_entropy,
        note="three axes",
    ),
    Sample(
        "sparse_softmax_cross_entropy",
        [np.zeros(0, np.int64), EMPTY],
        numpy=sparse_cross_entropy,
        note="empty",
    ),
    Sample("softmax_less_one_hot", [[2, 0], LOGITS], numpy=softmax_less_one_hot),
    Sample(
        "softmax_less_one_hot", [np.int32(1), LOGITS[0]], numpy=softmax_less_one_hot, note="vector"
    ),
    Sample("sigmoid_cross_entropy", [P, LOGITS], numpy=sigmoid_cross_entropy),
    Sample("sigmoid_cross_entropy", [0.3, -0.8], numpy=sigmoid_cross_entropy, note="scalar"),
    Sample("l2_loss", [X], numpy=lambda t: np.sum(t**2) / 2),
    Sample("l2_loss", [-3.0], numpy=lambda t: t**2 / 2, note="scalar"),
    Sample("l2_loss", [EMPTY], numpy=lambda t: 0.0, note="empty"),
    Sample("in_top_k_rows", [[2, 0], LOGITS], {"k": 1}, top, dtypes="fixed", order=0),
    Sample("in_top_k_rows", [[1, 1], P], {"k": 2}, top, dtypes="fixed", order=0, note="ties"),
    random("random_normal", shape=(2, 3), dtype=F32),
    random("random_normal", shape=(), dtype=F32, seed=3),
    random("random_uniform", shape=(4,), dtype=np.dtype(np.float16)),
    random("random_uniform", shape=(), dtype=np.dtype(np.float64)),
    random("random_integers", shape=(3,), low=2, high=5, dtype=I64),
    random("random_integers", shape=(), low=2, high=3, dtype=np.dtype(np.int32)),
    random("random_truncated_normal", shape=(5,), dtype=F32),
    random("random_truncated_normal", shape=(), dtype=F32),
    random("random_gamma", [np.array([0.5, 2.0])], shape=(3,)),
    random("random_poisson", [np.array([0.5, 2.0])], shape=(3,), dtype=F32),
    random("random_categorical", [LOGITS], num_samples=4, dtype=I64),
    random("random_permutation", count=4),
]
