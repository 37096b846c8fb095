"""Random choices: the order of rows, and class numbers by their logits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.errors import InvalidArgumentError
from minitape.errors.of_arguments import checked_integer
from minitape.op import export
from minitape.ops.moving.gathering import gather
from minitape.ops.passing import stop_gradient
from minitape.ops.statics import static_value
from minitape.tensors.convert import operand
from minitape.values import dtypes

if TYPE_CHECKING:
    from minitape.tensor import Tensor
    from minitape.values.public_types import DTypeLike, TensorLike
from minitape.ops.random.randomness import random_categorical, random_permutation


@export("random.shuffle")
def shuffle(value: TensorLike, seed: Any = None, name: str | None = None) -> Tensor:
    """The slices of the first axis in random order.

    Args:
        value: Tensor of rank at least 1.
        seed: a number that makes the order repeatable.
        name: accepted and not used.

    Returns:
        Tensor like `value`. No gradient flows through it, as in TensorFlow: shuffle indices, and
        gather, where one is wanted.

    Example:
        >>> import minitape as tf
        >>> sorted(tf.random.shuffle([3, 1, 2]).numpy().tolist())
        [1, 2, 3]
    """
    x = operand(value, None)
    if not x.spec.shape:
        return x  # one value has one order
    order = random_permutation.public(int(tuple(x.shape)[0]), seed)
    return gather.public(stop_gradient.public(x), order, 0)


@export("random.categorical")
def categorical(
    logits: TensorLike,
    num_samples: Any,
    dtype: DTypeLike = None,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Draws class numbers with the probabilities softmax(`logits`).

    Args:
        logits: Tensor of shape [batch, classes], floating.
        num_samples: how many to draw for each row.
        dtype: of the result; int64 by default.
        seed: a number that makes the draw repeatable.
        name: accepted and not used.

    Returns:
        Tensor of shape [batch, num_samples].

    Raises:
        InvalidArgumentError: if `logits` is no matrix.

    Example:
        >>> import minitape as tf
        >>> tf.random.categorical([[0.0, 100.0]], 3).numpy().tolist()
        [[1, 1, 1]]
    """
    x = operand(logits, None)
    if len(x.shape) != 2:
        raise InvalidArgumentError(
            f"logits should be a matrix, got shape {tuple(x.shape)}. For one distribution write "
            "`logits[tf.newaxis]`."
        )
    wanted = dtypes.as_dtype("int64" if dtype is None else dtype).np
    count = static_value(num_samples, "categorical", "num_samples")
    checked_integer("categorical", "num_samples", count, "tf.random.categorical(logits, 5)")
    return random_categorical.public(x, int(count), wanted, seed)
