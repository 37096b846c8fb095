"""`tf.keras.initializers`: what a layer's variables start from.

An initializer is called with a shape and gives a tensor, the same one at every call; the scaled
ones choose the variance so that neither signals nor gradients grow from layer to layer.
"""

from __future__ import annotations

from math import prod, sqrt
from reprlib import repr as short
from typing import TYPE_CHECKING, Any

import minitape as tf
from minitape.errors.of_arguments import checked_integer, checked_items, checked_number
from minitape.keras import configs
from minitape.keras.configs import Configured
from minitape.leaving import only
from minitape.names.absent import closed

if TYPE_CHECKING:
    from minitape.tensor import Tensor

__all__ = [
    "Constant", "GlorotNormal", "GlorotUniform", "HeNormal", "HeUniform", "Initializer",
    "LecunNormal", "LecunUniform", "Ones", "Orthogonal", "RandomNormal", "RandomUniform",
    "TruncatedNormal", "VarianceScaling", "Zeros", "constant", "get", "glorot_normal",
    "glorot_uniform", "he_normal", "he_uniform", "lecun_normal", "lecun_uniform", "ones",
    "orthogonal", "random_normal", "random_uniform", "truncated_normal", "zeros",
]  # fmt: skip

_SEEDS = 2**31 - 1  # how many to choose from


def _sizes(name: str, shape: Any) -> tuple[int, ...]:
    """A shape as a tuple of integers."""
    example = f"{name}()((3, 2))"
    sizes = shape.as_list() if isinstance(shape, tf.TensorShape) else shape
    return tuple(
        checked_integer(name, "shape", size, example)
        for size in checked_items(name, "shape", sizes, example)
    )


class Initializer(Configured):
    """Base of the initializers: a callable `(shape, dtype=None) -> tensor`."""

    def __call__(self, shape: Any, dtype: Any = None) -> Tensor:
        """The first value of a variable of that shape."""
        raise NotImplementedError


class Seeded(Initializer):
    """Base of those that draw: as in Keras, an initializer draws the same numbers at every call."""

    def __init__(self, seed: Any = None) -> None:
        self._given = seed
        if seed is None:
            with only(()):  # a number now, also where a graph is being built
                seed = tf.random.uniform((), maxval=_SEEDS, dtype="int32").numpy()
        self.seed = checked_integer("initializer", "seed", seed, "HeNormal(seed=1)")
        self.key = self.seed, 0

    def _argument(self, name: str) -> Any:
        return self._given if name == "seed" else super()._argument(name)


class Zeros(Initializer):
    """All 0."""

    def __call__(self, shape: Any, dtype: Any = None) -> Tensor:
        return tf.zeros(shape, dtype or "float32")


class Ones(Initializer):
    """All 1."""

    def __call__(self, shape: Any, dtype: Any = None) -> Tensor:
        return tf.ones(shape, dtype or "float32")


class Constant(Initializer):
    """All the same value."""

    def __init__(self, value: Any = 0.0) -> None:
        self.value = value["config"]["value"] if configs.is_config(value) else value

    def __call__(self, shape: Any, dtype: Any = None) -> Tensor:
        return tf.broadcast_to(tf.constant(self.value, dtype=dtype or "float32"), shape)


class RandomNormal(Seeded):
    """Normal numbers."""

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: Any = None) -> None:
        super().__init__(seed)
        self.mean, self.stddev = mean, stddev

    def __call__(self, shape: Any, dtype: Any = None) -> Tensor:
        return tf.random.stateless_normal(
            shape, self.key, self.mean, self.stddev, dtype or "float32"
        )


class RandomUniform(Seeded):
    """Uniform numbers."""

    def __init__(self, minval: float = -0.05, maxval: float = 0.05, seed: Any = None) -> None:
        super().__init__(seed)
        self.minval, self.maxval = minval, maxval

    def __call__(self, shape: Any, dtype: Any = None) -> Tensor:
        return tf.random.stateless_uniform(
            shape, self.key, self.minval, self.maxval, dtype or "float32"
        )


class TruncatedNormal(RandomNormal):
    """Normal numbers, none beyond two standard deviations."""

    def __call__(self, shape: Any, dtype: Any = None) -> Tensor:
        return tf.random.stateless_truncated_normal(
            shape, self.key, self.mean, self.stddev, dtype or "float32"
        )


class VarianceScaling(Seeded):
    """Random numbers of variance `scale` / n, for the number n of inputs, outputs or their mean.

    Args:
        scale: see above.
        mode: 'fan_in', 'fan_out' or 'fan_avg'.
        distribution: 'truncated_normal', 'untruncated_normal' or 'uniform'.
        seed: makes the draw repeatable.

    Raises:
        ValueError: for another mode or distribution.

    Example:
        >>> import minitape as tf
        >>> x = tf.keras.initializers.VarianceScaling(distribution="uniform")([3, 2])
        >>> bool(tf.reduce_all(abs(x) <= 1.0))
        True
    """

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: Any = None,
    ) -> None:
        modes = {"fan_in", "fan_out", "fan_avg"}
        distributions = {"uniform", "truncated_normal", "untruncated_normal", "normal"}
        if mode not in [*modes] or distribution not in [*distributions]:
            raise ValueError(
                f"VarianceScaling: mode={mode!r} must be one of {sorted(modes)} and "
                f"distribution={distribution!r} one of {sorted(distributions)}."
            )
        if checked_number("VarianceScaling", "scale", scale, "scale=2.0") <= 0:
            raise ValueError(
                f"Argument `scale` must be positive float. Received: scale={scale}. Write 2.0."
            )
        super().__init__(seed)
        self.scale, self.mode, self.distribution = scale, mode, distribution

    def __call__(self, shape: Any, dtype: Any = None) -> Tensor:
        fan_in, fan_out = _fans(_sizes(type(self).__name__, shape))
        fan = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]
        deviation = sqrt(self.scale / max(1.0, fan))
        if self.distribution == "uniform":
            limit = sqrt(3.0) * deviation
            return RandomUniform(-limit, limit, self.seed)(shape, dtype)
        if self.distribution == "untruncated_normal":
            return RandomNormal(0.0, deviation, self.seed)(shape, dtype)
        # the standard deviation of a normal distribution cut at 2 is 0.8796
        return TruncatedNormal(0.0, deviation / 0.87962566103423978, self.seed)(shape, dtype)


def _fans(shape: tuple[int, ...]) -> tuple[int, int]:
    """How many inputs and outputs one unit of a kernel of `shape` has."""
    if len(shape) < 2:
        n = shape[0] if shape else 1
        return n, n
    field = prod(shape[:-2])
    return shape[-2] * field, shape[-1] * field


class _Scaled(VarianceScaling):
    """A variance scaling whose numbers are in the class."""

    config_names = ("seed",)
    rule: tuple[float, str, str]

    def __init__(self, seed: Any = None) -> None:
        super().__init__(*self.rule, seed)


class GlorotUniform(_Scaled):
    """Uniform within sqrt(6 / (inputs + outputs)) (Glorot and Bengio 2010)."""

    rule = (1.0, "fan_avg", "uniform")


class GlorotNormal(_Scaled):
    """Truncated normal of variance 2 / (inputs + outputs) (Glorot and Bengio 2010)."""

    rule = (1.0, "fan_avg", "truncated_normal")


class HeNormal(_Scaled):
    """Truncated normal of variance 2 / inputs, for relu (He et al. 2015)."""

    rule = (2.0, "fan_in", "truncated_normal")


class HeUniform(_Scaled):
    """Uniform of variance 2 / inputs, for relu (He et al. 2015)."""

    rule = (2.0, "fan_in", "uniform")


class LecunNormal(_Scaled):
    """Truncated normal of variance 1 / inputs (LeCun et al. 1998)."""

    rule = (1.0, "fan_in", "truncated_normal")


class LecunUniform(_Scaled):
    """Uniform of variance 1 / inputs (LeCun et al. 1998)."""

    rule = (1.0, "fan_in", "uniform")


class Orthogonal(Seeded):
    """A random matrix with orthogonal rows or columns times `gain` (Saxe et al. 2013)."""

    def __init__(self, gain: float = 1.0, seed: Any = None) -> None:
        super().__init__(seed)
        self.gain = gain

    def __call__(self, shape: Any, dtype: Any = None) -> Tensor:
        """That matrix; axes before the last are flattened."""
        if len(shape) < 2:
            raise ValueError(
                "The tensor to initialize must be at least two-dimensional. Received: "
                f"shape={short(shape)} of rank {len(shape)}. Use 'zeros' for a vector."
            )
        rows, columns = prod(shape[:-1]), shape[-1]
        tall = (max(rows, columns), min(rows, columns))
        q, r = tf.linalg.qr(tf.random.stateless_normal(tall, self.key, dtype=dtype or "float32"))
        q = q * tf.sign(tf.linalg.diag_part(r))
        return self.gain * tf.reshape(tf.transpose(q) if rows < columns else q, shape)


zero, one, uniform, normal = Zeros, Ones, RandomUniform, RandomNormal
zeros, ones, constant, orthogonal = Zeros, Ones, Constant, Orthogonal
random_normal, random_uniform, truncated_normal = RandomNormal, RandomUniform, TruncatedNormal
glorot_uniform, glorot_normal = GlorotUniform, GlorotNormal
he_normal, he_uniform, lecun_normal, lecun_uniform = HeNormal, HeUniform, LecunNormal, LecunUniform

_KNOWN = configs.classes(globals(), Initializer)


def get(identifier: Any) -> Any:
    """The initializer that a name, a class, a config, an initializer or a function stands for.

    Raises:
        ValueError: if it stands for none.

    Example:
        >>> import minitape as tf
        >>> tf.keras.initializers.get("ones")([2]).numpy().tolist()
        [1.0, 1.0]
    """
    example = "Write for instance 'glorot_uniform', 'zeros', or a function of a shape and a dtype."
    return configs.found(identifier, Initializer, _KNOWN, example)


closed("minitape.keras.initializers")
