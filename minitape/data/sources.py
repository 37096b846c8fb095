"""Where elements come from: arrays, ranges and generators."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import minitape as tf
from minitape.data.structures import leaves, mapped, row
from minitape.errors import InvalidArgumentError, teach
from minitape.tensor import eager
from minitape.values.shapes import TensorShape


def slices(tensors: Any) -> Iterator[Any]:
    """Element i is made of row i of every component."""
    for i in range(common_length(tensors)):
        yield mapped(lambda x: row(x, i), tensors)  # noqa: B023  # called at once


def common_length(tensors: Any) -> int:
    """The length of the first axis of all components.

    Raises:
        ValueError: if they differ, or a component has no axis.
    """
    sizes = []
    for each in leaves(tensors):
        if not each.shape.rank:
            raise ValueError(
                "Unbatching a tensor is only supported for rank >= 1: from_tensor_slices takes "
                f"rows, and {each!r:.80} has none. Write `Dataset.from_tensors(x)` for one element."
            )
        sizes.append(each.shape[0])
    if not sizes:
        raise ValueError("from_tensor_slices: there is no component. Give arrays with equal rows.")
    for size in sizes:
        if size != sizes[0]:
            raise ValueError(
                f"Dimensions {sizes[0]} and {size} are not compatible: element i is made of row i "
                f"of every component, and they have {sizes} rows. Give arrays of one length."
            )
    return int(sizes[0])


def counted(start: int, stop: int, step: int, dtype: Any) -> Iterator[Any]:
    """The numbers of a range."""
    kind = tf.as_dtype(dtype).as_numpy_dtype
    for n in range(start, stop, step):
        yield eager(kind(n))


def signature(output_signature: Any, output_types: Any, output_shapes: Any) -> Any:
    """The spec that a generator's elements have to fit."""
    if output_signature is not None:
        if output_types is not None or output_shapes is not None:
            raise TypeError(
                "from_generator: `output_types` and `output_shapes` say the same as "
                "`output_signature`. Give the signature alone."
            )
        return output_signature
    if output_types is None:
        raise TypeError(
            "from_generator: `output_signature` is missing; a generator does not say what it "
            "yields. Write `output_signature=tf.TensorSpec([], tf.float32)`."
        )
    output_types = tuple(output_types) if isinstance(output_types, list) else output_types
    if output_shapes is None:
        return mapped(lambda dtype: tf.TensorSpec(None, dtype), output_types)
    return _typed(output_types, output_shapes)


def _typed(types: Any, shapes: Any) -> Any:
    if isinstance(types, dict):
        return {k: _typed(types[k], shapes[k]) for k in types}
    if isinstance(types, tuple):
        return tuple(_typed(t, s) for t, s in zip(types, shapes, strict=True))
    return tf.TensorSpec(TensorShape(shapes), types)


def generated(generator: Callable[..., Any], spec: Any, args: Any) -> Iterator[Any]:
    """What a generator yields, each element checked against `spec`."""
    arguments = [tf.convert_to_tensor(each).numpy() for each in args or ()]
    for index, value in enumerate(generator(*arguments)):
        value = tuple(value) if isinstance(value, list) and isinstance(spec, tuple) else value
        try:
            element = mapped(_component, spec, value)
        except (TypeError, ValueError, KeyError, IndexError) as error:
            raise InvalidArgumentError(
                f"TypeError: `generator` yielded an element that did not match the expected "
                f"structure. The expected structure was {spec!r}, but element {index} was "
                f"{value!r:.200}. {error}"
            ) from error
        mapped(lambda s, x: _check(s, x, index), spec, element)  # noqa: B023  # called at once
        yield element


def _component(spec: Any, value: Any) -> Any:
    if isinstance(value, dict):
        raise TypeError("A dict stands where one tensor was expected.")
    if isinstance(value, np.ndarray | np.generic):
        value = np.asarray(value).astype(spec.dtype.np) if spec.dtype != tf.string else value
    elif not hasattr(value, "dtype"):
        return tf.constant(value, spec.dtype)
    return tf.cast(tf.convert_to_tensor(value), spec.dtype)


def _check(spec: Any, x: Any, index: int) -> None:
    if not spec.shape.is_compatible_with(x.shape):
        raise InvalidArgumentError(
            teach(
                f"TypeError: `generator` yielded an element of shape {tuple(x.shape)} where an "
                f"element of shape {spec.shape} was expected (element {index}).",
                "Every element has to fit the signature.",
                "Write None in `output_signature` for axes that differ.",
            )
        )
