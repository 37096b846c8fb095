"""Elements: tensors in tuples and dicts, and what `tf.data` makes of Python values.

In `tf.data` only tuples and dicts are containers. A list is a tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import minitape as tf
from minitape.tensor import EagerTensor, Operators, eager
from minitape.values.containers import refuse_endless
from minitape.values.shapes import TensorShape


class DatasetSpec(NamedTuple):
    """The spec of an element that is a dataset itself, as `window` makes them."""

    element_spec: Any
    dataset_shape: Any = TensorShape([])

    def __repr__(self) -> str:
        return f"DatasetSpec({self.element_spec!r}, {self.dataset_shape!r})"


def _is_container(x: Any) -> bool:
    return isinstance(x, tuple | Mapping) and not isinstance(x, DatasetSpec)


def leaves(element: Any) -> Iterator[Any]:
    """The components in order; those of a dict in the order of their keys."""
    if not _is_container(element):
        yield element
    elif isinstance(element, Mapping):
        for key in sorted(element):
            yield from leaves(element[key])
    else:
        for each in element:
            yield from leaves(each)


def mapped(function: Callable[..., Any], element: Any, *others: Any) -> Any:
    """`function` of the components, each with what stands at its place in `others`."""
    if not _is_container(element):
        return function(element, *others)
    try:
        if isinstance(element, Mapping):
            return {k: mapped(function, v, *(o[k] for o in others)) for k, v in element.items()}
        parts = [mapped(function, *each) for each in zip(element, *others, strict=True)]
        return type(element)(*parts) if hasattr(element, "_fields") else tuple(parts)
    except RecursionError:
        refuse_endless(element)
        raise


def as_component(value: Any) -> Any:
    """A Python value as a component: a tensor, or a dataset as it is."""
    if value is None or isinstance(value, EagerTensor) or hasattr(value, "element_spec"):
        return value
    if hasattr(value, "to_tensor"):
        raise NotImplementedError(
            f"tf.data got a {type(value).__name__}; its components are dense tensors. Rows of "
            "different lengths come from a generator: Dataset.from_generator(rows, "
            "output_signature=tf.TensorSpec([None])), then padded_batch."
        )
    return tf.convert_to_tensor(value)


def as_element(value: Any) -> Any:
    """What a user's function returned, as an element: a list is a tuple of components there."""
    return mapped(as_component, tuple(value) if isinstance(value, list) else value)


def row(tensor: Any, i: int) -> Any:
    """Component i along the first axis."""
    value = tensor.value
    if value.dtype == object:  # a text of its own is no array yet
        return eager(value[i : i + 1].reshape(value.shape[1:]))
    return eager(value[i])


def as_numpy(component: Any) -> Any:
    """A component as NumPy sees it; a dataset inside as it is."""
    return component.numpy() if isinstance(component, Operators) else component  # type: ignore[attr-defined]


def spec_of(component: Any) -> Any:
    """What is known of a component before it is there."""
    if component is None:
        return None
    if hasattr(component, "element_spec"):
        return DatasetSpec(component.element_spec)
    return tf.TensorSpec(component.shape, component.dtype)
