"""Softmax and the cross entropies: each one op, shifted so that no exponential overflows.

The gradient of a cross entropy with respect to its logits is the difference of two distributions,
which is computed from the logits again; nothing but the inputs is kept. Few classes are worked on
as columns, since NumPy takes its time per row.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.op import primitive
from minitape.ops.broadcasting import broadcast_to, reduce_sum, reshape
from minitape.ops.elementwise.powers import exp
from minitape.ops.elementwise.sigmoids import sigmoid
from minitape.ops.families import MANY, batched_along_axis, bounded, canonical_axis, extreme, total

if TYPE_CHECKING:
    from minitape.tensor import Array, Indices, Tensor


_FEW = 32  # classes


def _shifted(x: Any, axis: int) -> tuple[Any, int]:
    """`x` less its maximum along `axis`, and that axis: the exponentials of that are at most 1.

    It is a new array. Few classes on the last axis become its first, [classes, examples], so that
    the axis is another one than that of `x`; see `_back`.
    """
    if x.ndim > 1 and axis in (-1, x.ndim - 1) and 0 < x.shape[-1] <= _FEW:
        z = (x if x.ndim == 2 else x.reshape(-1, x.shape[-1])).T.copy()
        z -= np.maximum.reduce(z, 0)
        return z, 0
    return x - extreme(np.maximum, x, axis, True) if x.size else x.copy(), axis


def _back(z: Any, moved: bool, shape: Any) -> Any:
    """What was made of shifted logits, in the `shape` of the logits again."""
    if not moved:
        return z
    return z.T.copy() if len(shape) == 2 else z.T.reshape(shape)


def _axis(logits: Any, axis: int) -> tuple[int]:
    return (canonical_axis(axis, len(logits.shape), "softmax"),)


@primitive(latex=r"\mathrm{{softmax}}\left({logits}\right)")
def softmax(logits: Array, axis: int) -> Array:
    """exp(x) / sum(exp(x)) along `axis`, of x less its maximum."""
    p, along = _normalised(logits, axis)
    return _back(p, along != axis, logits.shape)


softmax.says(
    activation=True,
    fault="saturated",
    flat="it is saturated: one entry has all the weight",
    shares=True,
    keeps_axes=True,
    logarithm="nn.log_softmax",
)


def _normalised(logits: Any, axis: int) -> tuple[Any, int]:
    """The softmax along `axis`, laid out as `_shifted` says, and its axis there."""
    z, along = _shifted(logits, axis)
    np.exp(z, z)
    z /= total(z, along, True)
    return z, along


@softmax.vjp("logits")
def _(g: Tensor, out: Tensor, axis: int) -> Tensor:
    return _pulled_through(g, out, axis)


def _pulled_through(g: Tensor, p: Tensor, axis: int) -> Tensor:
    """The cotangent `g` of softmax probabilities `p` as one of their logits."""
    weighted = g * p
    return weighted - p * reduce_sum(weighted, (axis,), True)


softmax.prepare(_axis)
softmax.batch(batched_along_axis(softmax))


@primitive(latex=r"\log \mathrm{{softmax}}\left({logits}\right)")
def log_softmax(logits: Array, axis: int) -> Array:
    """log(softmax(x)) along `axis`, as x - max - log(sum(exp(x - max)))."""
    z, along = _shifted(logits, axis)
    z -= np.log(total(np.exp(z), along, True))
    return _back(z, along != axis, logits.shape)


log_softmax.says(activation=True, shares=True, keeps_axes=True, undefined="log")


@log_softmax.vjp("logits")
def _(g: Tensor, out: Tensor, axis: int) -> Tensor:
    return g - exp(out) * reduce_sum(g, (axis,), True)


log_softmax.prepare(_axis)
log_softmax.batch(batched_along_axis(log_softmax))


def _with_class_axis(g: Any) -> Any:
    """`g` with an axis of size 1 behind, where the classes were."""
    return reshape(g, (*g.shape, 1))


def _batched_rows(call: Any) -> Any:
    """The batching rule of ops along the last axis whose inputs share all the others."""

    def rule(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
        pairs = zip(values, stacked, strict=True)
        return call(
            *(v if own else broadcast_to(v, (size, *tuple(v.shape))) for v, own in pairs),
            *attributes,
        )

    return rule


@primitive(
    type_name="SoftmaxCrossEntropyWithLogits",
    latex=r"H\left({labels}, {logits}\right)",
    refuses="c",
)
def softmax_cross_entropy(labels: Array, logits: Array) -> Array:
    """-sum(labels * log_softmax(logits)) along the last axis; a label of 0 contributes 0.

    As in TensorFlow the gradient for the logits, softmax(logits) - labels, supposes that the labels
    sum to 1.
    """
    z, along = _shifted(logits, -1)
    sums = total(np.exp(z), along, True)
    return _expected(labels, _back(np.log(sums) - z, along != -1, logits.shape))


softmax_cross_entropy.says(
    axes=(("example", "class"), ("example", "class"), ("example",)), applies="softmax"
)


def _expected(labels: Any, surprise: Any) -> Any:
    """The sum of labels * surprise along the last axis; where a label is 0, nothing is added."""
    flat = surprise.reshape(-1)
    if flat.dot(flat) < np.inf:  # so that 0 by it is 0
        return np.vecdot(labels, surprise)
    lost = np.multiply(labels, surprise, out=np.zeros_like(surprise), where=labels != 0)
    return total(lost, -1, False)


@softmax_cross_entropy.joint(softmax)
def _(labels: Array, logits: Array, axis: int) -> tuple[Array, Array]:
    if axis != logits.ndim - 1:
        return softmax_cross_entropy(labels, logits), softmax(logits, axis)
    z, along = _shifted(logits, -1)
    p = np.exp(z)
    sums = total(p, along, True)
    surprise = _back(np.log(sums) - z, along != -1, logits.shape)
    p /= sums
    return _expected(labels, surprise), _back(p, along != -1, logits.shape)


@softmax_cross_entropy.vjp("labels")
def _(g: Tensor, logits: Tensor) -> Tensor:
    return -(_with_class_axis(g) * log_softmax(logits, -1))


@softmax_cross_entropy.vjp("logits")
def _(g: Tensor, labels: Tensor, logits: Tensor) -> Tensor:
    return _with_class_axis(g) * (softmax(logits, -1) - labels)


softmax_cross_entropy.batch(_batched_rows(softmax_cross_entropy))


@primitive(
    type_name="SparseSoftmaxCrossEntropyWithLogits", latex=r"H\left({labels}, {logits}\right)"
)
def sparse_softmax_cross_entropy(labels: Indices, logits: Array) -> Array:
    """-log_softmax(logits)[label], as log(sum(exp(z))) - z[label] with z = logits - max."""
    z, along = _shifted(logits, -1)
    picked = z.take(_places(labels, logits.shape[-1], along))
    return _surprise(total(np.exp(z, z), along, False), picked, labels.shape)


sparse_softmax_cross_entropy.says(
    axes=(("example",), ("example", "class"), ("example",)), applies="softmax"
)


def _surprise(sums: Any, picked: Any, shape: Any) -> Any:
    """log(sums) - picked, for one example after the other, in the `shape` of their labels."""
    if len(shape) == 1 and sums.ndim == 1:
        return np.log(sums) - picked
    return (np.log(sums.reshape(-1)) - picked).reshape(shape)[()]


_numbers = lru_cache(16)(np.arange)  # of the examples in a batch, which comes again


def _places(labels: Any, classes: int, along: int) -> Any:
    """Where the entries of labels stand in flattened logits, laid out as `_shifted` says.

    Raises:
        InvalidArgumentError: if one of the labels is no class.
    """
    if labels.ndim != 1:
        labels = labels.reshape(-1)
    count = labels.size
    numbers = _numbers(count) if count <= MANY else np.arange(count)
    index, shape = (labels, numbers), (classes, count)
    try:
        if along == 0:
            return np.ravel_multi_index(index, shape)
        return np.ravel_multi_index(index[::-1], shape[::-1])
    except ValueError:
        wrong = labels[(labels < 0) | (labels >= classes)][0]
        raise InvalidArgumentError(
            teach(
                f"Received a label value of {wrong} which is outside the valid range of [0, "
                f"{classes}).",
                f"There are {classes} logits for each example, and classes are numbered from 0.",
                "Count the labels from 0, or give the logits one entry per class.",
            )
        ) from None


@sparse_softmax_cross_entropy.vjp("logits")
def _(g: Tensor, labels: Tensor, logits: Tensor) -> Tensor:
    return _with_class_axis(g) * softmax_less_one_hot(labels, logits)


sparse_softmax_cross_entropy.batch(_batched_rows(sparse_softmax_cross_entropy))


@primitive(latex=r"\left(\mathrm{{softmax}}\left({logits}\right) - e_{{{labels}}}\right)")
def softmax_less_one_hot(labels: Indices, logits: Array) -> Array:
    """The gradient of the cross entropy: softmax(logits), less 1 at the label."""
    p, along = _normalised(logits, -1)
    return _less_one_hot(p, _places(labels, logits.shape[-1], along), along, logits.shape)


softmax_less_one_hot.says(called="softmax less truth")


def _less_one_hot(p: Any, places: Any, along: int, shape: Any) -> Any:
    """Probabilities less 1 at the labels' places, in the `shape` of the logits; `p` is changed."""
    p.put(places, p.take(places) - 1)
    return _back(p, along != -1, shape)


@sparse_softmax_cross_entropy.joint(softmax_less_one_hot)
def _(labels: Indices, logits: Array) -> tuple[Array, Array]:
    z, along = _shifted(logits, -1)
    places = _places(labels, logits.shape[-1], along)
    picked = z.take(places)
    sums = total(np.exp(z, z), along, True)
    z /= sums
    slope = _less_one_hot(z, places, along, logits.shape)
    return _surprise(sums, picked, labels.shape), slope


@softmax_less_one_hot.vjp("logits")
def _(g: Tensor, logits: Tensor) -> Tensor:
    return _pulled_through(g, softmax(logits, -1), len(logits.shape) - 1)


softmax_less_one_hot.batch(_batched_rows(softmax_less_one_hot))


@primitive(
    elementwise=True, latex=r"H\left({labels}, \sigma\left({logits}\right)\right)", refuses="c"
)
def sigmoid_cross_entropy(labels: Array, logits: Array) -> Array:
    """-z log(sigmoid(x)) - (1 - z) log(1 - sigmoid(x)), elementwise, for labels z and logits x.

    Computed as max(x, 0) - x z + log1p(exp(-|x|)), which neither overflows nor cancels.
    """
    return bounded(np.maximum, logits, 0) - logits * labels + np.log1p(np.exp(-abs(logits)))


sigmoid_cross_entropy.says(applies="sigmoid")


@sigmoid_cross_entropy.vjp("labels")
def _(g: Tensor, logits: Tensor) -> Tensor:
    return -(g * logits)


@sigmoid_cross_entropy.vjp("logits")
def _(g: Tensor, labels: Tensor, logits: Tensor) -> Tensor:
    return g * (sigmoid(logits) - labels)
