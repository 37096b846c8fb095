"""Users' functions of elements: how they are called, and what they will give.

The one fact to know: they run eagerly, once per element, where TensorFlow runs a graph traced once;
so a debugger and `print` see values. Nothing of it is recorded on a tape, as in TensorFlow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from reprlib import repr as short  # an error must be able to show a nest that is very deep
from typing import Any

import minitape as tf
from minitape.data.structures import DatasetSpec, as_element, leaves, mapped, spec_of
from minitape.graphs.abstract import abstract_results, common_spec
from minitape.graphs.symbolic import NeedsValue
from minitape.interpreter import only


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
    arguments = element if type(element) is tuple else (element,)
    try:
        with only(()):
            return function(*arguments)
    except Exception as error:
        shown = mapped(lambda x: None if x is None else spec_of(x), element)
        error.add_note(f"tf.data: in Dataset.{method}, at element {index} of {shown}")
        raise


def inferred(function: Callable[..., Any], spec: Any) -> Any:
    """The spec of what `function` gives for elements of `spec`; None where only a run tells.

    It is run on symbolic tensors, so nothing is computed.
    """
    if any(each is None or isinstance(each, DatasetSpec) for each in leaves(spec)):
        return None

    def call(tensors: list[Any]) -> Any:
        remaining = iter(tensors)
        inputs = mapped(lambda _: next(remaining), spec)
        return _as_tensors(function(*(inputs if type(inputs) is tuple else (inputs,))))

    try:
        return mapped(common_spec, *abstract_results(call, leaves(spec)))
    except (Exception, NeedsValue):  # it needs values; elements will tell
        return None


def observed(function: Callable[..., Any], elements: Iterator[Any], spec: Any) -> Any:
    """The spec that fits what `function` gives for the first two elements.

    A size that `spec` leaves open is the second time another one than it will be: smaller by one.
    """
    first = next(elements, None)
    if first is None:
        return None
    second = mapped(_smaller, next(elements, first), spec)
    found = as_element(applied("map", function, first, 0))
    with suppress(Exception):  # it may need the sizes that there are
        found = mapped(common_spec, found, as_element(applied("map", function, second, 1)))
    return mapped(spec_of, found)


def _smaller(component: Any, spec: Any) -> Any:
    """A component without the last of the rows, columns, ... whose number `spec` leaves open."""
    if not isinstance(spec, tf.TensorSpec) or not spec.shape.rank:
        return component
    return component[tuple(slice(None if n is not None else -1) for n in spec.shape)]


def _as_tensors(result: Any) -> Any:
    return mapped(tf.convert_to_tensor, tuple(result) if isinstance(result, list) else result)
