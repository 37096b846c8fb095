"""Windows that slide over the spatial axes of [batch, space..., channels]: the geometry alone.

Everything is per spatial axis and for any number of them; a window at output position `o` and
offset `i` looks at input position `o * stride + i * dilation - before`.
"""

from __future__ import annotations

from reprlib import repr as short  # an error must be able to show a nest that is very deep
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.ops.broadcasting import broadcast_to, reshape
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from collections.abc import Callable

Numbers = tuple[int, ...]  # one per spatial axis
Pairs = tuple[tuple[int, int], ...]  # cells before and after, per spatial axis


def per_axis(value: Any, rank: int, op: str, argument: str) -> Numbers:
    """A number per spatial axis, from a number, one per axis, or a list with batch and channels.

    Raises:
        InvalidArgumentError: if the list has another length, or windows would move over examples.
    """
    given = np.atleast_1d(np.asarray(value)).tolist()
    if len(given) == rank + 2:
        if given[0] != 1 or given[-1] != 1:
            raise InvalidArgumentError(
                teach(
                    f"{op}: {argument}={given} has {given[0]} for the batch axis and {given[-1]} "
                    "for the channels.",
                    "Windows move over space only.",
                    f"Write 1 at both ends, or give the {rank} spatial numbers alone.",
                )
            )
        given = given[1:-1]
    given = given * rank if len(given) == 1 else given
    if len(given) != rank or any(int(n) != n or n < 1 for n in given):
        raise InvalidArgumentError(
            teach(
                f"{op}: {argument}={value!r} does not fit {rank} spatial axes.",
                f"It takes a positive integer, {rank} of them, or {rank + 2} with 1 at both ends.",
                f"Write for instance {argument}=1.",
            )
        )
    return tuple(int(n) for n in given)


def padding_pairs(
    padding: Any, sizes: Numbers, window: Numbers, strides: Numbers, dilations: Numbers, op: str
) -> Pairs:
    """How many cells are added before and after each spatial axis.

    'SAME' makes ceil(size / stride) windows; an odd cell of padding goes after, as in TensorFlow.

    Raises:
        ValueError: for another word, a list of another form, or an input smaller than the window.
    """
    if isinstance(padding, str):
        if padding.upper() not in {"SAME", "VALID"}:
            raise InvalidArgumentError(
                teach(
                    f"{op}: padding={padding!r} is unknown.",
                    "It says what happens where a window leaves the input.",
                    "Write 'VALID', 'SAME', or a list of pairs such as [[0, 0], [1, 1], [1, 1], "
                    "[0, 0]].",
                )
            )
        valid = padding.upper() == "VALID"
        pairs = tuple(
            (0, 0) if valid else _same(*numbers)
            for numbers in zip(sizes, window, strides, dilations, strict=True)
        )
    else:
        pairs = _explicit(padding, len(sizes), op)
    for n, (before, after), k, d in zip(sizes, pairs, window, dilations, strict=True):
        if n + before + after < (k - 1) * d:
            raise InvalidArgumentError(
                teach(
                    f"{op}: Computed output size would be negative: a window of {(k - 1) * d + 1} "
                    f"cells on an axis of {n + before + after}.",
                    "No window fits inside the padded input.",
                    "Use a smaller window or dilation, or padding='SAME'.",
                )
            )
    return pairs


def _same(n: int, k: int, stride: int, dilation: int) -> tuple[int, int]:
    total = max((-(-n // stride) - 1) * stride + (k - 1) * dilation + 1 - n, 0)
    return total // 2, total - total // 2


def _explicit(padding: Any, rank: int, op: str) -> Pairs:
    pairs = np.asarray(padding)
    if pairs.shape == (rank + 2, 2) and not pairs[0].any() and not pairs[-1].any():
        pairs = pairs[1:-1]
    if pairs.shape != (rank, 2) or pairs.dtype.kind not in "iu" or pairs.min() < 0:
        raise ValueError(
            f"{op}: padding={padding!r} must be 'VALID', 'SAME', or one pair [before, after] of "
            f"non-negative integers for each of the {rank + 2} axes, [0, 0] for batch and channels."
        )
    return tuple((int(before), int(after)) for before, after in pairs)


def counts(
    sizes: Numbers, window: Numbers, strides: Numbers, padding: Pairs, dilations: Numbers
) -> Numbers:
    """How many windows there are along each spatial axis."""
    return tuple(
        (n + before + after - (k - 1) * d - 1) // s + 1
        for n, k, s, (before, after), d in zip(
            sizes, window, strides, padding, dilations, strict=True
        )
    )


def cells(
    offset: Numbers, number: Numbers, strides: Numbers, dilations: Numbers
) -> tuple[slice, ...]:
    """Where the cells at `offset` of all windows stand in the padded input: slices, batch first."""
    return (
        slice(None),
        *(
            slice(i * d, i * d + (n - 1) * s + 1 if n else i * d, s)
            for i, n, s, d in zip(offset, number, strides, dilations, strict=True)
        ),
    )


def placed(x: Any, sizes: Numbers, starts: Numbers, steps: Numbers, fill: Any = 0) -> Any:
    """`x` spread into an array of `sizes`, cell `i` at `start + i * step` if that is inside."""
    shape = (x.shape[0], *sizes, x.shape[-1])
    if x.shape == shape and not any(starts):
        return x
    out = np.zeros(shape, x.dtype) if fill == 0 else np.full(shape, fill, x.dtype)
    source, target = [slice(None)], [slice(None)]
    for n, size, start, step in zip(x.shape[1:-1], sizes, starts, steps, strict=True):
        first = max(0, -(start // step))
        last = min(n, (size - 1 - start) // step + 1)
        source.append(slice(first, max(first, last)))
        begin = start + first * step
        target.append(slice(begin, begin + (last - first) * step if last > first else begin, step))
    out[tuple(target)] = x[tuple(source)]
    return out


def padded(x: Any, padding: Pairs, fill: Any = 0) -> Any:
    """`x` with `padding` cells of `fill` around its spatial axes; itself where there are none."""
    if not any(map(any, padding)):
        return x
    sizes = tuple(n + sum(pair) for n, pair in zip(x.shape[1:-1], padding, strict=True))
    return placed(x, sizes, tuple(pair[0] for pair in padding), (1,) * len(padding), fill)


def as_images(x: Any, rank: int, op: str) -> tuple[Any, Numbers]:
    """A tensor [batch, space..., channels] of `x`, and the leading axes that its batch stands for.

    Raises:
        InvalidArgumentError: if there are too few axes.
    """
    x = operand(x, None)
    shape = tuple(x.shape)
    if len(shape) < rank + 2:
        raise InvalidArgumentError(
            teach(
                f"{op}: the input has shape {shape}.",
                f"It takes [batch, {rank} spatial axes, channels].",
                "Add the missing axes: `x[tf.newaxis, ..., tf.newaxis]` makes a batch of one "
                "image with one channel.",
            )
        )
    lead = shape[: -rank - 1]
    return (x if len(lead) == 1 else reshape(x, (int(np.prod(lead)), *shape[-rank - 1 :]))), lead


def with_lead(out: Any, lead: Numbers) -> Any:
    """Undoes `as_images` on a result."""
    return out if len(lead) == 1 else reshape(out, (*lead, *tuple(out.shape)[1:]))


def channels_last(data_format: str | None, op: str) -> None:
    """Checks the layout.

    Raises:
        InvalidArgumentError: for channels before space, which TensorFlow refuses on the CPU too.
    """
    if data_format is not None and not short(data_format).strip("'").endswith("C"):
        raise InvalidArgumentError(
            teach(
                f"{op}: data_format={short(data_format)} is not supported.",
                "On the CPU the channels are the last axis.",
                "Write `tf.transpose(x, [0, 2, 3, 1])` before, and leave data_format out.",
            )
        )


def batched_as_examples(call: Callable[..., Any]) -> Any:
    """The batching rule of ops whose inputs all begin with the axis of examples: stacks join it."""

    def rule(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
        merged = []
        for x, own in zip(values, stacked, strict=True):
            shape = tuple(x.shape)
            stack = x if own else broadcast_to(x, (size, *shape))
            examples, *rest = tuple(stack.shape)[1:]
            merged.append(reshape(stack, (size * examples, *rest)))
        out = call(*merged, *attributes)
        return reshape(out, (size, examples, *tuple(out.shape)[1:]))

    return rule
