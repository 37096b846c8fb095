"""Users' functions of elements: how they are called, and what they will give.

The one fact to know: they run eagerly, once per element, where TensorFlow runs a graph traced once;
so a debugger and `print` see values. Nothing of it is recorded on a tape, as in TensorFlow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minitape as tf
from minitape.data.structures import (
    DatasetSpec,
    as_element,
    common_spec,
    is_container,
    leaves,
    mapped,
    spec_of,
)
from minitape.graphs.graph import Graph
from minitape.graphs.symbolic import NeedsValue
from minitape.interpreter import only
from minitape.tensor import Spec

_SIZES = (7, 11)  # stand for an unknown size; what changes with them is unknown as well


def checked(method: str, function: Any) -> Callable[..., Any]:
    """The function itself.

    Raises:
        ValueError: if it is none.
    """
    if callable(function):
        return function  # type: ignore[no-any-return]
    raise ValueError(
        f"Argument `func` must be a callable. Received func={function!r} (of type "
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
    if any(_is_unknown(each) for each in leaves(spec)):
        return None
    try:
        one, two = (_traced(function, spec, size) for size in _SIZES)
        return mapped(common_spec, one, two)
    except (Exception, NeedsValue):  # it needs values; the first element will tell
        return None


def _is_unknown(spec: Any) -> bool:
    return spec is None or isinstance(spec, DatasetSpec) or spec.shape.rank is None


def _traced(function: Callable[..., Any], spec: Any, size: int) -> Any:
    graph = Graph()

    def symbol(each: Any) -> Any:
        shape = tuple(size if n is None else n for n in each.shape.as_list())
        return graph.input(Spec(shape, each.dtype.np), "element")

    inputs = mapped(symbol, spec)
    with only((graph,)):
        result = function(*(inputs if type(inputs) is tuple else (inputs,)))
        return mapped(spec_of, _as_tensors(result))


def _as_tensors(result: Any) -> Any:
    if isinstance(result, list):
        result = tuple(result)
    if not is_container(result):
        return as_element(tf.convert_to_tensor(result))
    return mapped(tf.convert_to_tensor, result)
