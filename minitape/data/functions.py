"""Users' functions of elements: how they are called, and what they will give.

They run eagerly, once per element, where TensorFlow runs a graph traced once; so a debugger and
`print` see values. Nothing of it is recorded on a tape, as in TensorFlow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from reprlib import repr as short  # an error must be able to show a nest that is very deep
from typing import Any

import minitape as tf
from minitape.data.structures import as_element, leaves, mapped, spec_of
from minitape.graphs.abstract import abstract_results, common_spec
from minitape.graphs.symbolic import NeedsValue
from minitape.leaving import only


def checked(method: str, function: Any) -> Callable[..., Any]:
    """The function itself.

    Raises:
        ValueError: if it is none.
    """
    if callable(function):
        return function  # type: ignore[no-any-return]
    raise ValueError(
        f"Argument `func` must be a callable. Received func={short(function)} (of type "
        f"{type(function)}) in Dataset.{method}(). It is called with each element: write "
        f"`dataset.{method}(lambda x: ...)`."
    )


def applied(method: str, function: Callable[..., Any], element: Any, index: int) -> Any:
    """What `function` returns for an element; an exception gets a note that names the element."""
    try:
        with only(()):
            return _called(function, element)
    except Exception as error:
        shown = mapped(lambda x: None if x is None else spec_of(x), element)
        error.add_note(f"tf.data: in Dataset.{method}, at element {index} of {shown}")
        raise


def _called(function: Callable[..., Any], element: Any) -> Any:
    """A function of an element gets the components of a tuple as its arguments."""
    return function(*element) if type(element) is tuple else function(element)


def spec_of_results(function: Callable[..., Any], spec: Any, elements: Iterator[Any]) -> Any:
    """The spec of what `function` gives for elements of `spec`.

    It is run on symbolic tensors, so nothing is computed. A function that needs values gets the
    first element, and each size may be another one the next time.
    """

    def call(tensors: list[Any]) -> Any:
        remaining = iter(tensors)
        result = _called(function, mapped(lambda _: next(remaining), spec))
        return mapped(tf.convert_to_tensor, tuple(result) if isinstance(result, list) else result)

    try:
        return mapped(common_spec, *abstract_results(call, leaves(spec)))
    except (Exception, NeedsValue):
        for element in elements:
            return mapped(_opened, as_element(applied("map", function, element, 0)))
    return None


def _opened(component: Any) -> Any:
    spec = spec_of(component)
    if not isinstance(spec, tf.TensorSpec):
        return spec
    return tf.TensorSpec([None for _ in spec.shape], spec.dtype)
