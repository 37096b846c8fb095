"""Random tensors over NumPy's generators.

Drawing is an effect. The drawing ops are primitives that a graph records and runs again at each
call; means and scales are ordinary ops on what they draw, so gradients flow to them. The numbers
are NumPy's, not TensorFlow's; only what `set_seed` promises is the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import DtypeError, InvalidArgumentError, teach
from minitape.errors.of_arguments import checked_integer
from minitape.op import export, primitive
from minitape.ops.broadcasting import reduce_sum
from minitape.ops.special.incomplete_gamma import gamma_sample_slope
from minitape.ops.statics import static_dims
from minitape.safety.locks import module_lock
from minitape.tensor import Spec
from minitape.tensors.convert import operand
from minitape.values import dtypes

if TYPE_CHECKING:
    from collections.abc import Callable

    from minitape.op import Primitive
    from minitape.tensor import Array, Shape, Tensor

# The seed of `set_seed`, and the generators since: one for ops without a seed, one per op seed.
_state: dict[str, Any] = {"seed": None, "generators": {}}
_one_at_a_time = module_lock()
_UNSEEDED = 87654321  # stands for the global seed where only an op has one, as in TensorFlow


@export("random.set_seed")
def set_seed(seed: int | None) -> None:
    """Starts the global random sequence again, so that a program draws the same numbers each time.

    Args:
        seed: any integer; None for numbers that nothing repeats, as before the first call.

    Example:
        >>> import minitape as tf
        >>> tf.random.set_seed(1)
        >>> a = tf.random.normal([2])
        >>> tf.random.set_seed(1)
        >>> bool(tf.reduce_all(a == tf.random.normal([2])))
        True
    """
    if seed is not None and (not hasattr(seed, "__int__") or not np.isfinite(seed)):
        raise TypeError(f"set_seed: seed must be an integer; got {seed!r:.60}. Write set_seed(1).")
    with _one_at_a_time:
        _state["seed"] = None if seed is None else int(seed)
        _state["generators"] = {}


def generator(seed: Any = None) -> np.random.Generator:
    """The NumPy generator that the next draw comes from.

    A pair as `seed` stands for a stateless draw: the same numbers every time.
    """
    if isinstance(seed, tuple):
        return np.random.Generator(
            np.random.Philox(np.random.SeedSequence([n % 2**64 for n in seed]))
        )
    if seed is not None:
        seed = checked_integer("random", "seed", seed, "seed=1")
    with _one_at_a_time:  # else two threads could make two that draw the same numbers
        found = _state["generators"].get(seed)
        if found is None:
            numbers = [n % 2**64 for n in (_state["seed"], seed) if n is not None]
            if numbers and _state["seed"] is None:
                numbers.insert(0, _UNSEEDED)
            found = np.random.default_rng(numbers or None)
            _state["generators"][seed] = found
    return found


def drawn(seed: Any, method: str, *args: Any, **kwargs: Any) -> Any:
    """What a method of the generator draws.

    NumPy's generators have locks of their own, which a child process would find held for ever if it
    was forked while another thread draws; so a process forks only while none does.
    """
    with _one_at_a_time:
        return getattr(generator(seed), method)(*args, **kwargs)


def _draw(
    type_name: str, latex: str, infer: Any, **options: Any
) -> Callable[[Callable[..., Any]], Primitive]:
    """Declares a drawing op and its result's spec, for which a graph must not draw."""
    return primitive(
        effect=True,
        draws=True,
        differentiable=False,
        type_name=type_name,
        latex=latex,
        infer=infer,
        **options,
    )


@_draw(
    "RandomStandardNormal",
    r"\mathcal{{N}}(0, 1)",
    lambda specs, shape, dtype, seed: Spec(shape, dtype),
)
def random_normal(shape: Shape, dtype: Any, seed: Any = None) -> Array:
    """Independent numbers of the standard normal distribution."""
    wide = np.float64 if dtype == np.float64 else np.float32
    return np.asarray(drawn(seed, "standard_normal", shape, wide)).astype(dtype)[()]


@_draw(
    "RandomUniform",
    r"\mathcal{{U}}(0, 1)",
    lambda specs, shape, dtype, seed: Spec(shape, dtype),
)
def random_uniform(shape: Shape, dtype: Any, seed: Any = None) -> Array:
    """Independent numbers of the uniform distribution on [0, 1)."""
    draw = drawn(seed, "random", shape, np.float64 if dtype == np.float64 else np.float32)
    if dtype == np.float16:  # rounding must not reach 1
        draw = np.minimum(draw, np.float32(1 - 2**-11))
    return np.asarray(draw).astype(dtype)[()]


@_draw(
    "RandomUniformInt",
    r"\mathcal{{U}}({low}, {high})",
    lambda specs, shape, low, high, dtype, seed: Spec(shape, dtype),
)
def random_integers(shape: Shape, low: int, high: int, dtype: Any, seed: Any = None) -> Array:
    """Independent integers of [low, high), all equally likely."""
    return np.asarray(drawn(seed, "integers", low, high, shape, dtype))[()]


@_draw(
    "TruncatedNormal",
    r"\mathcal{{N}}_{{[-2, 2]}}(0, 1)",
    lambda specs, shape, dtype, seed: Spec(shape, dtype),
)
def random_truncated_normal(shape: Shape, dtype: Any, seed: Any = None) -> Array:
    """Standard normal numbers; those beyond 2 in size are drawn again."""
    with _one_at_a_time:
        rng = generator(seed)
        out = np.asarray(rng.standard_normal(shape))
        wrong = abs(out) > 2
        while wrong.any():
            out[wrong] = rng.standard_normal(int(wrong.sum()))
            wrong = abs(out) > 2
    return out.astype(dtype)[()]


@primitive(
    effect=True,
    draws=True,
    type_name="RandomGammaV2",
    latex=r"\Gamma\left({alpha}\right)",
    infer=lambda specs, shape, seed: Spec((*shape, *specs[0].shape), specs[0].dtype),
)
def random_gamma(alpha: Array, shape: Shape, seed: Any = None) -> Array:
    """`shape` numbers of the gamma distribution with scale 1 for each shape parameter alpha."""
    draw = drawn(seed, "standard_gamma", alpha, (*shape, *alpha.shape))
    return np.asarray(draw).astype(alpha.dtype)[()]


@random_gamma.vjp("alpha")
def _(g: Tensor, alpha: Tensor, out: Tensor, shape: Any, seed: Any) -> Tensor:
    moved = g * gamma_sample_slope(alpha, out)
    return reduce_sum(moved, tuple(range(len(shape))), False) if shape else moved


@_draw(
    "RandomPoissonV2",
    r"\mathrm{{Poisson}}\left({rate}\right)",
    lambda specs, shape, dtype, seed: Spec((*shape, *specs[0].shape), dtype),
)
def random_poisson(rate: Array, shape: Shape, dtype: Any, seed: Any = None) -> Array:
    """Counts of the Poisson distribution: `shape` of them for each rate."""
    return np.asarray(drawn(seed, "poisson", rate, (*shape, *rate.shape))).astype(dtype)[()]


@_draw(
    "Multinomial",
    r"\mathrm{{categorical}}\left({logits}\right)",
    lambda specs, num_samples, dtype, seed: Spec((specs[0].shape[0], num_samples), dtype),
)
def random_categorical(logits: Array, num_samples: int, dtype: Any, seed: Any = None) -> Array:
    """Classes with the probabilities softmax(logits): the largest of logits plus Gumbel noise."""
    noise = drawn(seed, "gumbel", size=(logits.shape[0], num_samples, logits.shape[1]))
    return np.argmax(logits[:, np.newaxis, :] + noise, axis=-1).astype(dtype)


@_draw("RandomPermutation", r"\pi", lambda specs, count, seed: Spec((count,), np.dtype(np.int64)))
def random_permutation(count: int, seed: Any = None) -> Array:
    """The numbers from 0 to count - 1 in random order."""
    return drawn(seed, "permutation", count)


def draw_normal(shape: Any, mean: Any, stddev: Any, dtype: Any, seed: Any) -> Any:
    """Gives mean + stddev * normal numbers."""
    return _scaled(random_normal, "random.normal", shape, mean, stddev, dtype, seed)


def draw_truncated(shape: Any, mean: Any, stddev: Any, dtype: Any, seed: Any) -> Any:
    """Gives mean + stddev * truncated normal numbers."""
    return _scaled(
        random_truncated_normal, "random.truncated_normal", shape, mean, stddev, dtype, seed
    )


def _scaled(op: Any, name: str, shape: Any, mean: Any, stddev: Any, dtype: Any, seed: Any) -> Any:
    wanted = floating(dtype, name)
    out = op.public(static_dims(shape, name), wanted, seed)
    if not (isinstance(stddev, int | float) and stddev == 1):
        out = out * operand(stddev, wanted)
    return out if isinstance(mean, int | float) and mean == 0 else out + operand(mean, wanted)


def draw_uniform(shape: Any, minval: Any, maxval: Any, dtype: Any, seed: Any) -> Any:
    """Uniform numbers of [minval, maxval), floating or integer."""
    wanted = dtypes.as_dtype(dtype).np
    dims = static_dims(shape, "random.uniform")
    if wanted.kind in "iu":
        if maxval is None:
            raise ValueError(
                f"Must specify maxval for integer dtype {wanted.name}: there is no natural upper "
                "end. "
                "Write `tf.random.uniform(shape, maxval=10, dtype=tf.int32)`."
            )
        low, high = _whole(minval, "minval", wanted), _whole(maxval, "maxval", wanted)
        if low >= high:
            raise InvalidArgumentError(
                f"Need minval < maxval, got {low} >= {high}: [{low}, {high}) holds no integer."
            )
        return random_integers.public(dims, low, high, wanted, seed)
    wanted = floating(dtype, "random.uniform")
    out = random_uniform.public(dims, wanted, seed)
    top = 1 if maxval is None else maxval
    if all(isinstance(each, int | float) for each in (minval, top)):
        if (minval, top) == (0, 1):
            return out
        out = out * (top - minval) + minval if minval else out * top
        return out
    low, high = operand(minval, wanted), operand(top, wanted)
    return out * (high - low) + low


def _whole(bound: Any, name: str, dtype: Any) -> int:
    """A bound of integers, one for all of them."""
    found = operand(bound, dtype)
    if tuple(found.shape):
        raise InvalidArgumentError(
            f"random.uniform: {name} must be 0-D, got shape {list(found.shape)}. Integers are "
            "drawn between two numbers. Draw a tensor for each pair of them, and `tf.stack` these."
        )
    return int(found)


def floating(dtype: Any, op: str) -> np.dtype[Any]:
    """The NumPy dtype of `dtype`.

    Raises:
        DtypeError: if it is not floating.
    """
    found = dtypes.as_dtype(dtype)
    if not found.is_floating:
        raise DtypeError(
            teach(
                f"{op}: dtype must be a floating one, got {found.name}.",
                "The distribution is continuous.",
                "Use tf.float32, or tf.random.uniform for integers.",
            )
        )
    return found.np
