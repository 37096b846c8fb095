"""How rules call ops: arrays give arrays, at once, so that a rule runs on either.

The one fact to know: a rule is written with ops, and a sweep that no interpreter follows runs it on
plain arrays; all that an op does then is its forward.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.fast.arguments import plain_defaults
from minitape.tensor import EagerTensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from minitape.op import Op

_ABSENT = object()  # an argument that was not given by position
_ndarray, _float32, _float64 = np.ndarray, np.float32, np.float64
_ARRAYS = (np.ndarray, np.generic, int, float, complex)
_COMMON = frozenset({np.ndarray, np.float32, np.float64})  # a set is quicker than `isinstance`


def arrays_first(op: Op, call: Callable[..., Any], plain: Callable[..., Any]) -> Callable[..., Any]:
    """What rules call: tensors are for the closure `call`, the rest for the `plain` function."""
    forward, count, defaults = op.forward, len(op.attributes), plain_defaults(op)

    def one(x: Any) -> Any:
        kind = type(x)
        if kind is _ndarray or kind is _float32 or kind is _float64:  # 15 ns less than the set
            return forward(x)
        if kind is not EagerTensor and isinstance(x, _ARRAYS):
            return forward(x)
        return call(x)

    def two(x: Any, y: Any) -> Any:
        if type(x) is _ndarray and type(y) is _ndarray:
            return forward(x, y)
        if type(x) in _COMMON and type(y) in _COMMON:
            return forward(x, y)
        if type(x) is not EagerTensor and isinstance(x, _ARRAYS) and isinstance(y, _ARRAYS):
            return forward(x, y)
        return call(x, y)

    def with_attributes(x: Any, *attributes: Any, **named: Any) -> Any:
        given = len(attributes)
        if type(x) not in _COMMON or named or (given != count and (given or defaults is None)):
            return call(x, *attributes, **named)
        if given and op.prepare is not None:
            attributes = op.prepare(x, *attributes)
        return forward(x, *attributes)

    def with_one(x: Any, attribute: Any = _ABSENT, **named: Any) -> Any:
        if type(x) in _COMMON and attribute is not _ABSENT and op.prepare is None and not named:
            return forward(x, attribute)
        return with_attributes(x, *(() if attribute is _ABSENT else (attribute,)), **named)

    if count:
        return with_one if count == 1 else with_attributes
    return one if len(op.inputs) == 1 else two
