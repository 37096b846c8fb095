"""`tf.nn.softmax_cross_entropy_with_logits` and its family: TensorFlow's arguments, checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.op import export, operands
from minitape.ops.broadcasting import broadcast_to
from minitape.ops.casting import cast
from minitape.ops.elementwise.sigmoids import softplus
from minitape.ops.families import canonical_axis
from minitape.ops.neural import softmax as ops
from minitape.ops.shapes.shaping import transpose
from minitape.tensor import EagerTensor
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from minitape.tensor import Tensor
    from minitape.values.public_types import TensorLike


@export("nn.softmax", "math.softmax")
def softmax(logits: TensorLike, axis: int | None = None, name: str | None = None) -> Tensor:
    """The distribution exp(x) / sum(exp(x)) along `axis`, computed so that nothing overflows.

    Args:
        logits: Tensor of rank at least 1, floating.
        axis: the axis of the classes; by default the last.
        name: accepted and not used.

    Returns:
        Tensor like `logits`, whose entries along `axis` sum to 1.

    Raises:
        InvalidArgumentError: if `logits` is a scalar or not floating, or there is no such axis.

    Example:
        >>> import minitape as tf
        >>> print(tf.nn.softmax([0.0, 0.0]))
        tf.Tensor([0.5 0.5], shape=(2,), dtype=float32)
    """
    return ops.softmax(_checked(logits, "softmax"), -1 if axis is None else axis)


@export("nn.log_softmax", "math.log_softmax")
def log_softmax(logits: TensorLike, axis: int | None = None, name: str | None = None) -> Tensor:
    """The logarithm of `softmax`, x - log(sum(exp(x))), exact where softmax would round to 0.

    The arguments are those of `tf.nn.softmax`.

    Example:
        >>> import minitape as tf
        >>> print(tf.nn.log_softmax([1000.0, 0.0]))
        tf.Tensor([    0. -1000.], shape=(2,), dtype=float32)
    """
    return ops.log_softmax(_checked(logits, "log_softmax"), -1 if axis is None else axis)


def _checked(logits: Any, op: str) -> Any:
    """The logits as a tensor of which a softmax can be taken."""
    x = operand(logits, None)
    if x.spec.dtype.kind != "f":
        raise InvalidArgumentError(
            f"{op}: the logits have dtype {x.dtype.name}, and only floating ones can be "
            "normalised. "
            "Write `tf.cast(logits, tf.float32)`."
        )
    if not len(x.shape):
        raise InvalidArgumentError(
            f"{op}: the logits are a scalar, without an axis of classes. "
            "Give a vector, for instance `tf.reshape(x, [1])`."
        )
    return x


@export("nn.softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, axis: int = -1, name: str | None = None
) -> Tensor:
    """The cross entropy of distributions `labels` and softmax(`logits`), one number per example.

    Args:
        labels: Tensor of shape [..., classes], floating; each example's entries sum to 1.
        logits: Tensor of that shape and dtype.
        axis: the axis of the classes.
        name: accepted and not used.

    Returns:
        Tensor of the shape without `axis`.

    Raises:
        InvalidArgumentError: if the shapes do not broadcast.

    Example:
        >>> import minitape as tf
        >>> print(tf.nn.softmax_cross_entropy_with_logits([[0.0, 1.0]], [[0.0, 0.0]]))
        tf.Tensor([0.6931472], shape=(1,), dtype=float32)
    """
    logits, labels = operand(logits, None), operand(labels, None)
    if labels.spec.dtype != logits.spec.dtype:
        labels = cast(labels, logits.spec.dtype)  # as in TensorFlow, from float32 too
    shapes = tuple(labels.shape), tuple(logits.shape)
    try:
        shape = np.broadcast_shapes(*shapes)
    except ValueError:
        raise InvalidArgumentError(
            teach(
                f"logits and labels must be broadcastable: logits_size={list(shapes[1])} "
                f"labels_size={list(shapes[0])}.",
                "Every example has one probability per class.",
                "For class numbers instead of distributions use "
                "tf.nn.sparse_softmax_cross_entropy_with_logits.",
            )
        ) from None
    labels, logits = (
        x if tuple(x.shape) == shape else broadcast_to(x, shape) for x in (labels, logits)
    )
    axis = canonical_axis(axis, len(shape), "softmax_cross_entropy_with_logits")
    if axis != len(shape) - 1:
        order = (*(i for i in range(len(shape)) if i != axis), axis)
        labels, logits = (transpose(x, order) for x in (labels, logits))
    return ops.softmax_cross_entropy(labels, logits)


@export("nn.sparse_softmax_cross_entropy_with_logits")
def sparse_softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, name: str | None = None
) -> Tensor:
    """The cross entropy of class numbers `labels` and softmax(`logits`), one number per example.

    Args:
        labels: Tensor of shape [...], integer, in [0, classes).
        logits: Tensor of shape [..., classes], floating.
        name: accepted and not used.

    Returns:
        Tensor of the shape of `labels`.

    Raises:
        ValueError: if the shapes do not fit each other.
        InvalidArgumentError: if a label is no class.

    Example:
        >>> import minitape as tf
        >>> print(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1], logits=[[0.0, 0.0]]))
        tf.Tensor([0.6931472], shape=(1,), dtype=float32)
    """
    if type(labels) is not EagerTensor:
        labels = operand(labels, None)
    if type(logits) is not EagerTensor:
        logits = operand(logits, None)
    of_labels = labels.value if type(labels) is EagerTensor else labels.spec
    of_logits = logits.value if type(logits) is EagerTensor else logits.spec
    if of_labels.dtype.kind not in "iu" or of_logits.dtype.kind != "f":
        raise InvalidArgumentError(
            teach(
                f"sparse_softmax_cross_entropy_with_logits: labels have dtype "
                f"{labels.dtype.name}, logits {logits.dtype.name}.",
                "Labels are class numbers (integers), logits are floating.",
                "For distributions over classes use tf.nn.softmax_cross_entropy_with_logits.",
            )
        )
    rows, shape = of_labels.shape, of_logits.shape
    if not shape or rows != shape[:-1]:
        raise InvalidArgumentError(
            teach(
                f"`labels.shape` must equal `logits.shape` except for the last dimension. "
                f"Received: labels.shape={rows} "
                f"and logits.shape={shape}.",
                "Every example has one class number.",
                "For distributions over classes use tf.nn.softmax_cross_entropy_with_logits.",
            )
        )
    return ops.sparse_softmax_cross_entropy(labels, logits)


@export("nn.sigmoid_cross_entropy_with_logits")
def sigmoid_cross_entropy_with_logits(
    labels: TensorLike | None = None, logits: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """The cross entropy of independent probabilities `labels` and sigmoid(`logits`), elementwise.

    Args:
        labels: Tensor of any shape, floating, between 0 and 1.
        logits: Tensor of that shape and dtype.
        name: accepted and not used.

    Returns:
        Tensor of that shape.

    Raises:
        ValueError: if the shapes differ.

    Example:
        >>> import minitape as tf
        >>> print(tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.0], logits=[0.0]))
        tf.Tensor([0.6931472], shape=(1,), dtype=float32)
    """
    labels, logits = _alike(labels, logits)
    return ops.sigmoid_cross_entropy(labels, logits)


@export("nn.weighted_cross_entropy_with_logits")
def weighted_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, pos_weight: Any = None, name: str | None = None
) -> Tensor:
    """`sigmoid_cross_entropy_with_logits` with the positive part weighted, elementwise.

    It is (1 - z) x + (1 + (w - 1) z) softplus(-x) for labels z, logits x and weight w.

    Args:
        labels: Tensor of any shape, floating, between 0 and 1.
        logits: Tensor of that shape and dtype.
        pos_weight: a number or tensor that multiplies the loss of positive labels.
        name: accepted and not used.

    Returns:
        Tensor of that shape.

    Raises:
        ValueError: if the shapes differ.

    Example:
        >>> import minitape as tf
        >>> print(tf.nn.weighted_cross_entropy_with_logits([1.0], [0.0], 2.0))
        tf.Tensor([1.3862944], shape=(1,), dtype=float32)
    """
    labels, logits = _alike(labels, logits)
    weight = 1 + (operand(pos_weight, logits.spec.dtype) - 1) * labels
    return (1 - labels) * logits + weight * softplus(-logits)


def _alike(labels: Any, logits: Any) -> Any:
    """Labels and logits as tensors of one dtype and shape.

    Raises:
        ValueError: if the shapes differ.
    """
    logits, labels = operands(ops.sigmoid_cross_entropy.op, (logits, labels))
    if tuple(labels.shape) != tuple(logits.shape):
        raise InvalidArgumentError(
            teach(
                f"`logits` and `labels` must have the same shape, received ({tuple(logits.shape)} "
                f"vs {tuple(labels.shape)}).",
                "Every logit has one label.",
                "Reshape one of them, for instance with `tf.reshape(labels, logits.shape)`.",
            )
        )
    return labels, logits
