"""`tf.random`: TensorFlow's arguments for the drawing ops, stateful, stateless, `Generator`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError
from minitape.errors.of_arguments import checked_integer
from minitape.op import export
from minitape.ops.random import randomness
from minitape.ops.statics import static_dims, static_ints
from minitape.safety.locks import object_lock
from minitape.tensors.convert import operand
from minitape.values import dtypes

if TYPE_CHECKING:
    from minitape.tensor import Tensor
    from minitape.values.public_types import DTypeLike, ShapeLike, TensorLike


@export("random.normal")
def normal(
    shape: ShapeLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = "float32",
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Draws numbers of the normal distribution.

    Args:
        shape: of the result.
        mean: a number or tensor that broadcasts to `shape`; gradients flow to it.
        stddev: the standard deviation, likewise.
        dtype: a floating dtype.
        seed: a number that makes the draw repeatable.
        name: accepted and not used.

    Returns:
        Tensor of that shape and dtype.

    Raises:
        ValueError: if `dtype` is not floating.

    Example:
        >>> import minitape as tf
        >>> tf.random.normal([2, 3]).shape
        TensorShape([2, 3])
    """
    return randomness.draw_normal(shape, mean, stddev, dtype, seed)


@export("random.truncated_normal")
def truncated_normal(
    shape: ShapeLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = "float32",
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Draws normal numbers; those beyond two standard deviations from the mean are drawn again.

    The arguments are those of `tf.random.normal`.

    Example:
        >>> import minitape as tf
        >>> bool(tf.reduce_all(abs(tf.random.truncated_normal([100])) <= 2.0))
        True
    """
    return randomness.draw_truncated(shape, mean, stddev, dtype, seed)


@export("random.uniform")
def uniform(
    shape: ShapeLike,
    minval: TensorLike = 0,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = "float32",
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Draws numbers that are equally likely in [minval, maxval).

    Args:
        shape: of the result.
        minval: the lower end, included.
        maxval: the upper end, excluded; by default 1 for floating dtypes.
        dtype: a floating or integer dtype.
        seed: a number that makes the draw repeatable.
        name: accepted and not used.

    Returns:
        Tensor of that shape and dtype.

    Raises:
        ValueError: if `dtype` is an integer one and `maxval` is missing.

    Example:
        >>> import minitape as tf
        >>> x = tf.random.uniform([50], 2, 4, dtype=tf.int32)
        >>> sorted(set(x.numpy().tolist()))
        [2, 3]
    """
    return randomness.draw_uniform(shape, minval, maxval, dtype, seed)


@export("random.gamma")
def gamma(
    shape: ShapeLike,
    alpha: TensorLike,
    beta: TensorLike | None = None,
    dtype: DTypeLike = "float32",
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Draws numbers of the gamma distribution: `shape` of them for each pair of `alpha` and `beta`.

    Args:
        shape: of the draws for one alpha.
        alpha: the shape parameter, a number or tensor.
        beta: the inverse scale; 1 by default. Gradients flow to it and to `alpha`.
        dtype: a floating dtype, where `alpha` is no tensor.
        seed: a number that makes the draw repeatable.
        name: accepted and not used.

    Returns:
        Tensor of shape `shape` + that of `alpha` and `beta` broadcast.

    Example:
        >>> import minitape as tf
        >>> tf.random.gamma([5], alpha=[0.5, 1.5]).shape
        TensorShape([5, 2])
    """
    wanted = dtypes.as_dtype(dtype).np
    a = operand(alpha, wanted)
    b = operand(1.0 if beta is None else beta, wanted)
    a = a + b * 0 if tuple(b.shape) else a
    return randomness.random_gamma.public(a, static_dims(shape, "random.gamma"), seed) / b


@export("random.poisson")
def poisson(
    shape: ShapeLike,
    lam: TensorLike,
    dtype: DTypeLike = "float32",
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Draws counts of the Poisson distribution: `shape` of them for each rate in `lam`.

    Example:
        >>> import minitape as tf
        >>> tf.random.poisson([4], [0.5, 2.0]).shape
        TensorShape([4, 2])
    """
    wanted = dtypes.as_dtype(dtype).np
    rate = operand(lam, np.dtype(np.float32))
    return randomness.random_poisson.public(
        rate, static_dims(shape, "random.poisson"), wanted, seed
    )


def _key(seed: Any) -> tuple[int, ...]:
    """The pair of integers that decides a stateless draw.

    Raises:
        InvalidArgumentError: if it is none.
    """
    pair = static_ints(seed, "random.stateless", "seed")
    if len(pair) != 2:
        raise InvalidArgumentError(
            f"seed must have shape [2]; got {list(pair)}. Write for instance seed=[1, 2]."
        )
    return pair


@export("random.stateless_normal")
def stateless_normal(
    shape: ShapeLike,
    seed: Any,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = "float32",
    name: str | None = None,
    alg: str = "auto_select",
) -> Tensor:
    """Normal numbers that depend on `seed`, a pair of integers, alone.

    Example:
        >>> import minitape as tf
        >>> a, b = (tf.random.stateless_normal([2], seed=[1, 2]) for _ in range(2))
        >>> bool(tf.reduce_all(a == b))
        True
    """
    return randomness.draw_normal(shape, mean, stddev, dtype, _key(seed))


@export("random.stateless_uniform")
def stateless_uniform(
    shape: ShapeLike,
    seed: Any,
    minval: TensorLike = 0,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = "float32",
    name: str | None = None,
    alg: str = "auto_select",
) -> Tensor:
    """Uniform numbers that depend on `seed`, a pair of integers, alone; see `tf.random.uniform`."""
    return randomness.draw_uniform(shape, minval, maxval, dtype, _key(seed))


@export("random.stateless_truncated_normal")
def stateless_truncated_normal(
    shape: ShapeLike,
    seed: Any,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = "float32",
    name: str | None = None,
    alg: str = "auto_select",
) -> Tensor:
    """Truncated normal numbers that depend on `seed` alone; see `tf.random.truncated_normal`."""
    return randomness.draw_truncated(shape, mean, stddev, dtype, _key(seed))


@export("random.Generator")
class Generator:
    """A source of random numbers with a sequence of its own.

    Made by `Generator.from_seed(seed)` or `Generator.from_non_deterministic_state()`.

    Example:
        >>> import minitape as tf
        >>> g = tf.random.Generator.from_seed(1)
        >>> g.normal([2]).shape
        TensorShape([2])
    """

    def __init__(self, seed: Any = None) -> None:
        if seed is not None:
            seed = abs(checked_integer("Generator", "seed", seed, "Generator.from_seed(1)"))
        self._next = np.random.SeedSequence(seed)
        self._lock = object_lock()

    def __getstate__(self) -> Any:
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: Any) -> None:
        vars(self).update(state, _lock=object_lock())

    @classmethod
    def from_seed(cls, seed: int, alg: Any = None) -> Generator:
        """A generator whose sequence `seed` decides."""
        return cls(int(seed) % 2**64)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """A generator whose sequence nobody can foresee."""
        return cls()

    def _key(self) -> tuple[int, ...]:
        """The seed of the next draw."""
        with self._lock:  # to spawn is to read a count, and to write it
            (child,) = self._next.spawn(1)
        return tuple(int(n) for n in child.generate_state(2, np.uint64))

    def normal(
        self,
        shape: Any,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: Any = "float32",
        name: str | None = None,
    ) -> Tensor:
        """Normal numbers; see `tf.random.normal`."""
        return randomness.draw_normal(shape, mean, stddev, dtype, self._key())

    def uniform(
        self,
        shape: Any,
        minval: Any = 0,
        maxval: Any = None,
        dtype: Any = "float32",
        name: str | None = None,
    ) -> Tensor:
        """Uniform numbers; see `tf.random.uniform`."""
        return randomness.draw_uniform(shape, minval, maxval, dtype, self._key())

    def truncated_normal(
        self,
        shape: Any,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: Any = "float32",
        name: str | None = None,
    ) -> Tensor:
        """Truncated normal numbers; see `tf.random.truncated_normal`."""
        return randomness.draw_truncated(shape, mean, stddev, dtype, self._key())
