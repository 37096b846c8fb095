"""Computes jacobians: the one backward sweep over a stack of seeds.

Row i of a jacobian is the gradient whose seed is row i of the identity, so
all rows are one sweep whose seed is the whole identity, boxed in a `Batch`. Nothing here knows a
rule.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.backward import backward, exhaust
from minitape.batches.batching import Batch, unbox, whole
from minitape.batches.diagonal import identity_seeds, whole_seeds
from minitape.errors import of_tapes as refusals, teach
from minitape.errors.of_arguments import checked_integer
from minitape.errors.of_flags import checked_flag
from minitape.interpreter import identity
from minitape.ops.broadcasting import reshape
from minitape.ops.moving.joining import concat
from minitape.ops.passing import conj
from minitape.ops.shapes.shaping import transpose
from minitape.tensor import eager
from minitape.tensors.composite import dense
from minitape.variable import ResourceVariable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from minitape.batches.diagonal import Diagonal
    from minitape.interpreter import Mark
    from minitape.request import Request
    from minitape.tensor import Array, Tensor


def jacobian(
    request: Request, records: Iterable[Any], wanted: set[int] | None, rows: int | None, mark: Mark
) -> Any:
    """The jacobian that `request` asks for; `rows` seeds to a sweep, or all."""
    (target,) = request.targets
    shape = tuple(target.spec.shape)
    stacks = _swept(request, records, wanted, len(shape), rows, mark)
    flat = []
    for source, stack in zip(request.sources, stacks, strict=True):
        all_axes = shape + tuple(source.spec.shape)
        flat.append(
            _unconnected(request, all_axes, source) if stack is None else reshape(stack, all_axes)
        )
    return request.packed(flat)


def batch_jacobian(
    request: Request, records: Iterable[Any], wanted: set[int] | None, rows: int | None, mark: Mark
) -> Tensor:
    """The jacobians of the examples: every seed is one element of all targets at once."""
    (target,), (source,) = request.targets, request.sources
    batch, *one = target.spec.shape
    all_axes = (batch, *one, *source.spec.shape[1:])
    (stack,) = _swept(request, records, wanted, len(one), rows, mark)
    if stack is None:
        return eager(np.zeros(all_axes, source.spec.dtype))
    rank = len(stack.spec.shape)
    examples = transpose(stack, (1, 0, *range(2, rank)))
    jacobians: Tensor = reshape(examples, all_axes)
    return jacobians


def check_single(name: str, role: str, ends: list[Any]) -> None:
    """Raises TypeError unless there is one target, or source, that is one tensor."""
    if len(ends) != 1:
        raise TypeError(
            teach(
                f"{name}: the {role} must be a single tensor; got {len(ends)} of them, of shapes "
                f"{[tuple(end.spec.shape) for end in ends]}.",
                "A jacobian has the axes of one target, then those of a source.",
                f"Ask for one {role} at a time, of a persistent tape, or put them into one tensor "
                "with `tf.stack` or `tf.concat` while it records.",
            )
        )


def check_batches(request: Request) -> None:
    """Raises unless both ends are one tensor, of as many examples, and have an axis more.

    Raises:
        TypeError: if there is more than one target or source.
        ValueError: if the first dimensions differ, or a rank is below 2.
    """
    check_single("batch_jacobian", "target", request.targets)
    check_single("batch_jacobian", "source", request.sources)
    a, b = (tuple(end.spec.shape) for end in (*request.targets, *request.sources))
    for shape in (a, b):
        if len(shape) < 2:
            raise ValueError(
                teach(
                    f"Shape {shape} must have rank at least 2, in batch_jacobian of {a} by {b}.",
                    "The first axis counts the examples; each example needs an axis of its own.",
                    "Use `tape.jacobian` for values without a batch axis.",
                )
            )
    if a[0] != b[0]:
        raise ValueError(
            teach(
                f"Need first dimension of target shape ({a}) and source shape ({b}) to match.",
                "batch_jacobian differentiates example i of the target by example i of the source.",
                "Use `tape.jacobian` for values without a common batch axis.",
            )
        )


def rows_at_once(
    name: str, parallel_iterations: int | None, vectorised: bool, persistent: bool
) -> int | None:
    """How many rows of a jacobian one sweep computes; None for all of them."""
    checked_flag(name, "experimental_use_pfor", vectorised)
    if not vectorised and not persistent:
        raise refusals.rows_need_persistence(name)
    if parallel_iterations is not None:
        example = f"tape.{name}(y, x, parallel_iterations=10)"
        checked_integer(name, "parallel_iterations", parallel_iterations, example)
    if parallel_iterations is not None and parallel_iterations < 1:
        raise ValueError(
            f"{name}: parallel_iterations must be at least 1; got {parallel_iterations}."
        )
    return parallel_iterations if vectorised else 1


def _swept(
    request: Request,
    records: Iterable[Any],
    wanted: set[int] | None,
    rank: int,
    rows: int | None,
    mark: Mark,
) -> list[Any]:
    """For each source, the stacked gradients for all seeds; None where unconnected.

    A seed has 1 at one place of the target's last `rank` axes, for all that is before these.
    """
    (target,) = request.targets
    shape, dtype, _ = target.spec
    if dtype.kind not in "fc" or not _recorded(target, mark):
        return [None] * len(request.sources)
    count = prod(shape[len(shape) - rank :])
    if rows is None or rows >= count:
        seeds = identity_seeds(shape, rank, dtype)
        return _sweep(request, records, wanted, seeds, mark)
    chosen = list(records)
    chunks = []
    for start in range(0, count, rows):
        part = slice(start, min(start + rows, count))
        seeds = whole_seeds(shape, rank, dtype, part)
        chunks.append(_sweep(request, chosen, wanted, seeds, mark))
    return [_joined(parts) for parts in zip(*chunks, strict=True)]


def _recorded(target: Any, mark: Mark) -> bool:
    """Whether the tape followed the target; a variable is read for a jacobian."""
    if isinstance(target, ResourceVariable):
        tape = mark[0]()
        return tape is not None and bool(tape.follows_variable(target))
    return mark[0] in (target.mark or ())


def _sweep(
    request: Request,
    records: Iterable[Any],
    wanted: set[int] | None,
    seeds: Diagonal | Array,
    mark: Mark,
) -> list[Any]:
    """The stacked gradients of one sweep, a tensor or None per source."""
    (target,) = request.targets
    with Batch(seeds.shape[0], in_sweep=True) as batch:
        raw = batch.raw and request.plain
        boxed = batch.box(seeds if batch.raw else eager(whole(seeds)))
        cotangents = {identity(target): boxed}
        exhaust(backward(records, cotangents, wanted, raw, False, mark))
        found = list(map(dense, map(cotangents.get, request.source_ids)))
    for i, g in enumerate(found):
        if g is not None:
            stack = unbox(g, batch)
            complex_ = request.sources[i].spec.dtype.kind == "c"
            found[i] = conj(stack) if complex_ else stack
    return found


def _joined(parts: tuple[Any, ...]) -> Any:
    if parts[0] is None or len(parts) == 1:
        return parts[0]
    return concat(list(parts), 0)


def _unconnected(request: Request, shape: Any, source: Any) -> Any:
    if request.unconnected(source) is None:
        return None
    return eager(np.zeros(shape, source.spec.dtype)[()])
