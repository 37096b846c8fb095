"""Functions over the first axis: `vectorized_map` at once, `map_fn` in turn.

`vectorized_map` calls the function a single time, on `Batched` tensors that show one example and
carry all of them; `map_fn` calls it once per example. All are made of recorded ops, so that tapes
and accumulators see through them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.batches.batching import Batch, unbox
from minitape.errors import InvalidArgumentError, teach
from minitape.op import export
from minitape.ops.moving.joining import stack_values, unstack
from minitape.tensor import eager
from minitape.tensors.composite import Composite, dense
from minitape.tensors.convert import convert_to_tensor, operand
from minitape.values import nest
from minitape.values.dtypes import as_dtype

if TYPE_CHECKING:
    from collections.abc import Callable

    from minitape.values.results import Result


@export("vectorized_map")
def vectorized_map(
    fn: Callable[[Any], Any], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True
) -> Result:
    """Computes `fn` for all slices of `elems` along the first axis at once.

    Args:
        fn: takes one slice (the structure of `elems`) and returns a tensor or a nest of tensors. It
            is called once, on tensors that show the shape of one slice and have no single value:
            Python conditions on them are an error.
        elems: a tensor of shape [n, ...] or a nest of them; a first axis of size 1 is shared.
        fallback_to_while_loop: accepted: an op without a batching rule always runs slice by slice.
        warn: accepted and not used.

    Returns:
        The structure that `fn` returns, with tensors of shape [n, ...].

    Raises:
        ValueError: if `elems` holds no tensor, a scalar, or first axes of different sizes.

    Example:
        >>> import minitape as tf
        >>> x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        >>> tf.vectorized_map(lambda row: tf.reduce_sum(row * row), x).numpy().tolist()
        [5.0, 25.0]
    """
    check_callable("vectorized_map", fn)
    tensors = nest.map_structure(convert_to_tensor, elems)
    size = _common_size("vectorized_map", nest.flatten(tensors), shared=True)
    with Batch(size) as batch:

        def one(x: Any) -> Any:
            if size != 1 and x.spec.shape[0] == 1:
                return x[0]
            return batch.box(x.value if batch.raw else x)

        found = fn(nest.map_structure(one, tensors))
        found = nest.map_structure(lambda y: dense(operand(y, None)), found)
    return nest.map_structure(lambda y: unbox(y, batch), found)


@export("map_fn")
def map_fn(
    fn: Callable[[Any], Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Result:
    """Calls `fn` on each slice of `elems` along the first axis, and stacks what it returns.

    Args:
        fn: takes one slice (the structure of `elems`) and returns a tensor or a nest of tensors.
        elems: a tensor of shape [n, ...] or a nest of them.
        dtype: the older name of `fn_output_signature`.
        parallel_iterations: accepted and not used, as are `back_prop`, `swap_memory`, `infer_shape`
            and `name`.
        back_prop: see above.
        swap_memory: see above.
        infer_shape: see above.
        name: see above.
        fn_output_signature: a dtype, or a nest of them, of what `fn` returns, where that differs
            from the structure and dtypes of `elems`.

    Raises:
        TypeError: if `fn` is not callable.
        ValueError: if `elems` holds no tensor, a scalar, or first axes of different sizes, or what
            `fn` returns does not fit the signature.

    Example:
        >>> import minitape as tf
        >>> tf.map_fn(lambda x: x * x, tf.constant([1.0, 2.0, 3.0])).numpy().tolist()
        [1.0, 4.0, 9.0]
        >>> x = tf.constant([1, 2])
        >>> tf.map_fn(lambda x: x > 1, x, fn_output_signature=tf.bool).numpy().tolist()
        [False, True]
    """
    check_callable("map_fn", fn)
    if dtype is not None and fn_output_signature is not None:
        raise ValueError(
            "Cannot specify both 'dtype' and 'fn_output_signature': they are two names of one "
            "argument. Write fn_output_signature."
        )
    slices, structure, size = rows("map_fn", elems)
    wanted = dtype if fn_output_signature is None else fn_output_signature
    signature = nest.map_structure(dtype_of, structure if wanted is None else wanted)
    results = [fitted("map_fn", fn(row), signature) for row in slices]
    if not size:
        empty = lambda d: eager(np.zeros((0,), d.np))  # noqa: E731
        return nest.map_structure(empty, signature)
    return stacked(signature, results)


def rows(op: str, elems: Any) -> tuple[list[Any], Any, int]:
    """The slices of `elems`, each in its structure; the tensors; and how many slices there are."""
    tensors = nest.map_structure(
        lambda x: x if isinstance(x, Composite) else convert_to_tensor(x), elems
    )
    flat = nest.flatten(tensors)
    size = _common_size(op, flat, shared=False)
    columns = [_slices(x, size) for x in flat]
    return (
        [nest.pack_sequence_as(tensors, row) for row in zip(*columns, strict=True)],
        tensors,
        size,
    )


def _slices(x: Any, size: int) -> list[Any]:
    if isinstance(x, Composite):
        return [x[i] for i in range(size)]
    return list(unstack(x, 0)) if size else []


def _common_size(op: str, flat: list[Any], shared: bool) -> int:
    """The size of the first axes; with `shared`, axes of size 1 go with any other."""
    if not flat:
        raise ValueError(
            f"{op}: elems must be a Tensor or (possibly nested) sequence of Tensors; got none."
        )
    shapes = [tuple(x.shape) for x in flat]
    if any(not shape for shape in shapes):
        raise ValueError(
            teach(
                f"{op}: elements in elems must be 1+ dimensional Tensors, not scalars; got "
                f"shapes {shapes}.",
                "The function is called on slices along the first axis.",
                "Put the values into one tensor, `tf.stack([...])`.",
            )
        )
    sizes = {shape[0] for shape in shapes}
    if shared and len(sizes) == 2:
        sizes.discard(1)
    if len(sizes) > 1:
        raise InvalidArgumentError(
            teach(
                f"{op}: the tensors in elems have {sorted(sizes)} slices (shapes {shapes}).",
                "Slice i of each goes to call i of the function.",
                "Give tensors whose first axes have the same size.",
            )
        )
    return int(sizes.pop())


def dtype_of(x: Any) -> Any:
    """The dtype of a tensor, or what a dtype or spec names."""
    return as_dtype(getattr(x, "dtype", x))


def fitted(op: str, result: Any, signature: Any) -> Any:
    """What a call returned as tensors of the signature's structure and dtypes."""
    nest.assert_same_structure(signature, result)

    def checked(x: Any, dtype: Any) -> Any:
        tensor = x if isinstance(x, Composite) else operand(x, dtype.np)
        if tensor.dtype != dtype:
            raise InvalidArgumentError(
                teach(
                    f"{op}: the function returned a tensor of dtype {tensor.dtype.name}, expected "
                    f"{dtype.name}.",
                    "Results are stacked, and have the dtype of elems or of the start by default.",
                    "For map_fn, write `fn_output_signature=tf.DTYPE`; otherwise cast the result.",
                )
            )
        return tensor

    flat = map(checked, nest.flatten(result), nest.flatten(signature))
    return nest.pack_sequence_as(signature, list(flat))


def stacked(structure: Any, results: list[Any]) -> Any:
    """The results of all calls, in `structure`, with a new first axis."""
    columns = zip(*map(nest.flatten, results), strict=True)
    return nest.pack_sequence_as(structure, [stack_values(list(each)) for each in columns])


def check_callable(op: str, fn: Any) -> None:
    """Raises TypeError unless `fn` can be called."""
    if not callable(fn):
        raise TypeError(
            f"{op}: fn must be callable; got {fn!r}. The function is the first argument."
        )
