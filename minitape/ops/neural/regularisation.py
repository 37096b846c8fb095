"""What surrounds the layers of a network: biases, dropout, a penalty on weights, shares of hits.

Dropout draws through a random op, which graphs record and run again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.errors.of_arguments import checked_integer, checked_items, not_fitting
from minitape.op import export, operands, primitive
from minitape.ops.broadcasting import reduce_sum, reshape
from minitape.ops.casting import cast
from minitape.ops.elementwise.arithmetic import add
from minitape.ops.elementwise.comparison import equal, gate
from minitape.ops.random.randomness import random_uniform
from minitape.ops.reductions.reduction import reduce_mean
from minitape.ops.statics import static_value
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from minitape.tensor import Array, Indices, Tensor
    from minitape.values.public_types import TensorLike
    from minitape.values.results import SameKind


@primitive("nn.l2_loss", type_name="L2Loss", latex=r"\frac{{1}}{{2}} \sum {t:4}^{{2}}", refuses="c")
def l2_loss(t: Array) -> Array:
    """Half the sum of squares, sum(t**2) / 2."""
    return np.add.reduce(t * t, None) / 2


@l2_loss.vjp("t")
def _(g: Tensor, t: Tensor) -> Tensor:
    return g * t


@l2_loss.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    (t,) = values
    return reduce_sum(t * t, tuple(range(1, len(t.shape)))) * 0.5


@export("nn.bias_add")
def bias_add(
    value: Any, bias: Any, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """Adds a vector to the last axis (the channels).

    Args:
        value: Tensor of shape [..., channels].
        bias: Tensor of shape [channels], of the same dtype.
        data_format: 'N...C' for channels last, 'NC...' for channels as the second axis.
        name: accepted and not used.

    Returns:
        Tensor like `value`.

    Raises:
        ValueError: if `bias` is no vector of that length, or `data_format` is unknown.

    Example:
        >>> import minitape as tf
        >>> tf.nn.bias_add([[1.0, 2.0]], [10.0, 20.0]).numpy().tolist()
        [[11.0, 22.0]]
    """
    value, bias = operands(add.op, (value, bias))
    if data_format is not None and not str(data_format).startswith("N"):
        raise ValueError(f"bias_add: data_format must be 'N...C' or 'NC...'; got {data_format!r}.")
    first = data_format is not None and str(data_format).startswith("NC")
    shape = tuple(value.shape)
    channels = shape[1 if first else -1] if len(shape) > 1 else None
    if tuple(bias.shape) != (channels,):
        raise InvalidArgumentError(
            teach(
                f"bias_add: value has shape {shape} and bias {tuple(bias.shape)}.",
                "A bias is a vector with one entry per channel, and value has at least two axes.",
                f"Give a bias of shape ({channels},), or add with `value + bias`, which "
                "broadcasts.",
            )
        )
    return value + (reshape(bias, (channels, *(1,) * (len(shape) - 2))) if first else bias)


@export("nn.dropout")
def dropout(
    x: Any, rate: Any, noise_shape: Any = None, seed: Any = None, name: str | None = None
) -> SameKind:
    """Sets elements to 0 with probability `rate` and multiplies the others by 1 / (1 - rate).

    Args:
        x: Tensor, floating.
        rate: the probability, in [0, 1).
        noise_shape: the shape of the choice, which is broadcast to `x`; by default that of `x`.
        seed: a number that makes the choice repeatable.
        name: accepted and not used.

    Returns:
        Tensor like `x`; `x` itself for rate 0.

    Raises:
        ValueError: if `rate` is outside of [0, 1), or `x` is not floating.

    Example:
        >>> import minitape as tf
        >>> x = tf.ones([1000])
        >>> sorted(set(tf.nn.dropout(x, 0.5).numpy().tolist()))
        [0.0, 2.0]
    """
    x = operand(x, None)
    if x.spec.dtype.kind != "f":
        raise ValueError(
            f"`x.dtype` must be a floating point tensor as `x` will be scaled. Received: "
            f"x.dtype={x.dtype.name}. "
            "Write `tf.cast(x, tf.float32)`."
        )
    if isinstance(rate, int | float | np.number):
        if not 0 <= rate < 1:
            raise ValueError(
                f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: "
                f"rate={rate}. "
                "It is the share of elements to drop, so 0.2 keeps 80 %."
            )
        if rate == 0:
            return x
    dtype = x.spec.dtype
    rate = operand(rate, dtype)
    shape = tuple(x.shape) if noise_shape is None else _noise_shape(noise_shape, tuple(x.shape))
    noise = random_uniform.public(shape, dtype, seed)
    return gate(x / (1 - rate), noise >= rate)


def _noise_shape(noise_shape: Any, shape: Any) -> tuple[int, ...]:
    """`noise_shape` with None filled in from the shape of the input."""
    example = "noise_shape=[None, 1]"
    sizes = checked_items("dropout", "noise_shape", noise_shape, example)
    if len(sizes) != len(shape):
        raise not_fitting("dropout", "noise_shape", sizes, f"{len(shape)} sizes", example)
    return tuple(
        shape[i] if n is None else checked_integer("dropout", "noise_shape", n, example)
        for i, n in enumerate(sizes)
    )


@export("nn.compute_average_loss")
def compute_average_loss(
    per_example_loss: TensorLike,
    sample_weight: TensorLike | None = None,
    global_batch_size: int | None = None,
) -> Tensor:
    """The sum of the losses of examples, over the number of examples of all devices.

    Args:
        per_example_loss: Tensor of shape [batch, ...].
        sample_weight: what each loss is multiplied with.
        global_batch_size: that number; by default the batch of this one device.

    Raises:
        ValueError: if the loss is a scalar already.

    Example:
        >>> import minitape as tf
        >>> float(tf.nn.compute_average_loss([1.0, 2.0, 3.0], global_batch_size=6))
        1.0
    """
    losses = operand(per_example_loss, None)
    if not losses.spec.shape:
        raise ValueError(
            "Invalid value passed for `per_example_loss`. Expected a tensor with at least rank 1; "
            "got a scalar. Keep the losses of the examples apart: "
            "`tf.keras.losses.MeanSquaredError(reduction='none')`."
        )
    total = reduce_sum(losses if sample_weight is None else losses * sample_weight)
    return total / (global_batch_size or losses.spec.shape[0])


@export("nn.zero_fraction", "math.zero_fraction")
def zero_fraction(value: TensorLike, name: str | None = None) -> Tensor:
    """The share of elements that are 0, as a float32 scalar.

    Example:
        >>> import minitape as tf
        >>> float(tf.nn.zero_fraction([0.0, 1.0, 0.0, 2.0]))
        0.5
    """
    x = operand(value, None)
    is_zero = equal.public(x, x.spec.dtype.type(0) if x.spec.dtype != object else b"")
    return reduce_mean(cast.public(is_zero, np.dtype(np.float32)))


@primitive(
    differentiable=False, latex=r"\mathrm{{in\,top}}_{{{k}}}\left({targets}, {predictions}\right)"
)
def in_top_k_rows(targets: Indices, predictions: Array, k: int) -> Array:
    """Whether fewer than k entries of a row are larger than the target's, and all are finite."""
    is_class = (targets >= 0) & (targets < predictions.shape[1])
    classes = np.append(predictions, np.full((len(targets), 1), np.nan, predictions.dtype), 1)
    chosen = classes[np.arange(len(targets)), np.where(is_class, targets, -1)]
    larger = np.add.reduce(predictions > chosen[:, None], 1)
    return (larger < k) & np.logical_and.reduce(np.isfinite(predictions), 1) & is_class


@export("nn.in_top_k", "math.in_top_k")
def in_top_k(
    targets: TensorLike, predictions: TensorLike, k: int, name: str | None = None
) -> Tensor:
    """Whether each target class is among the `k` largest predictions; ties count as in.

    Args:
        targets: Tensor of shape [batch], integer.
        predictions: Tensor of shape [batch, classes], float32.
        k: how many to look at.
        name: accepted and not used.

    Returns:
        bool Tensor of shape [batch].

    Example:
        >>> import minitape as tf
        >>> tf.nn.in_top_k([1, 0], [[0.1, 0.9], [0.2, 0.8]], k=1).numpy().tolist()
        [True, False]
    """
    size = checked_integer("in_top_k", "k", static_value(k, "in_top_k", "k"), "k=1")
    return in_top_k_rows.public(operand(targets, None), operand(predictions, None), size)
