"""Folds over the first axis: `foldl`, `foldr`, and `scan`, which keeps every step.

The function is called once per slice, on recorded ops, so that tapes and accumulators see through
the fold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.batches.mapping import check_callable, dtype_of, fitted, rows, stacked
from minitape.errors import InvalidArgumentError
from minitape.op import export
from minitape.tensor import eager
from minitape.tensors.convert import convert_to_tensor
from minitape.values import nest

if TYPE_CHECKING:
    from collections.abc import Callable

    from minitape.values.results import Result


@export("foldl")
def foldl(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Result:
    """Folds `elems` from the first slice to the last: `fn(fn(fn(init, e0), e1), e2)`.

    Args:
        fn: takes what was computed so far and one slice, and returns the next.
        elems: a tensor of shape [n, ...] or a nest of them.
        initializer: what to start from; by default the first slice.
        parallel_iterations: accepted and not used, as are the following.
        back_prop: see above.
        swap_memory: see above.
        name: see above.

    Raises:
        TypeError: if `fn` is not callable.
        ValueError: if `elems` is empty and there is no initializer.

    Example:
        >>> import minitape as tf
        >>> print(tf.foldl(lambda a, x: 10 * a + x, tf.constant([1, 2, 3])))
        tf.Tensor(123, shape=(), dtype=int32)
    """
    return _folded("foldl", fn, elems, initializer, backwards=False)[-1]


@export("foldr")
def foldr(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Result:
    """Folds `elems` from the last slice to the first; see `foldl`.

    Example:
        >>> import minitape as tf
        >>> print(tf.foldr(lambda a, x: 10 * a + x, tf.constant([1, 2, 3])))
        tf.Tensor(321, shape=(), dtype=int32)
    """
    return _folded("foldr", fn, elems, initializer, backwards=True)[-1]


@export("scan")
def scan(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Result:
    """A fold that keeps all that was computed on the way, stacked along the first axis.

    Args:
        fn: takes what was computed so far and one slice, and returns the next, of the same
            structure, shapes and dtypes.
        elems: a tensor of shape [n, ...] or a nest of them.
        initializer: what to start from; by default the first slice, which then is the first result.
        parallel_iterations: accepted and not used, as are the next three and `name`.
        back_prop: see above.
        swap_memory: see above.
        infer_shape: see above.
        reverse: whether to go from the last slice to the first; results stay in their places.
        name: see above.

    Raises:
        TypeError: if `fn` is not callable.
        ValueError: if `elems` is empty and there is no initializer, or results differ in shape.

    Example:
        >>> import minitape as tf
        >>> tf.scan(lambda a, x: a + x, tf.constant([1, 2, 3])).numpy().tolist()
        [1, 3, 6]
        >>> tf.scan(lambda a, x: a + x, tf.constant([1, 2, 3]), reverse=True).numpy().tolist()
        [6, 5, 3]
    """
    results = _folded("scan", fn, elems, initializer, reverse)
    first, results = results[0], results[0 if initializer is None else 1 :]
    if not results:
        empty = lambda x: eager(np.zeros((0, *x.spec.shape), x.spec.dtype))  # noqa: E731
        return nest.map_structure(empty, first)
    return stacked(first, results[::-1] if reverse else results)


def _folded(op: str, fn: Any, elems: Any, initializer: Any, backwards: bool) -> list[Any]:
    """The start of a fold and all that follows from it."""
    check_callable(op, fn)
    slices, _, size = rows(op, elems)
    todo = slices[::-1] if backwards else slices
    if initializer is not None:
        start = nest.map_structure(convert_to_tensor, initializer)
    elif size:
        start, todo = todo[0], todo[1:]
    else:
        raise InvalidArgumentError(
            f"{op}: elems has no slices, and there is no initializer to start from. Give one."
        )
    signature = nest.map_structure(dtype_of, start)
    results = [start]
    for row in todo:
        results.append(fitted(op, fn(results[-1], row), signature))
    return results
