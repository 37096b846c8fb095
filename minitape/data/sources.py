"""Where elements come from: arrays and generators."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import minitape as tf
from minitape.data.structures import leaves, mapped, row
from minitape.errors import InvalidArgumentError
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


def signature(output_signature: Any, output_types: Any, output_shapes: Any) -> Any:
    """The spec that a generator's elements have to fit."""
    if output_signature is not None:
        return output_signature
    if output_types is None:
        raise TypeError(
            "from_generator: `output_signature` is missing; a generator does not say what it "
            "yields. Write `output_signature=tf.TensorSpec([], tf.float32)`."
        )
    types = tuple(output_types) if isinstance(output_types, list) else output_types
    if output_shapes is None:
        return mapped(lambda dtype: tf.TensorSpec(None, dtype), types)
    return mapped(
        lambda dtype, shape: tf.TensorSpec(TensorShape(shape), dtype), types, output_shapes
    )


def generated(generator: Callable[..., Any], spec: Any, args: Any) -> Iterator[Any]:
    """What a generator yields, each element checked against `spec`."""
    arguments = [tf.convert_to_tensor(each).numpy() for each in args or ()]
    for index, value in enumerate(generator(*arguments)):
        value = tuple(value) if isinstance(value, list) and isinstance(spec, tuple) else value
        try:
            element = mapped(_fitting, spec, value)
        except (TypeError, ValueError, KeyError, IndexError) as error:
            raise InvalidArgumentError(
                f"TypeError: `generator` yielded an element that did not match the expected "
                f"structure. The expected structure was {spec!r}, but element {index} was "
                f"{value!r:.200}. {error}"
            ) from error
        yield element


def _fitting(spec: Any, value: Any) -> Any:
    """A component of the dtype that `spec` says, and of a shape that it allows."""
    is_typed = hasattr(value, "dtype")
    x = tf.cast(value, spec.dtype) if is_typed else tf.constant(value, spec.dtype)
    if not spec.shape.is_compatible_with(x.shape):
        raise ValueError(
            f"It is an element of shape {tuple(x.shape)} where an element of shape {spec.shape} "
            "was expected. Write None in `output_signature` for axes that differ."
        )
    return x
