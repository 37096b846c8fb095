"""Requests: the commonest, a tensor by a list of variables, without a call for each of them.

A small model's gradient takes as long before and after the sweep as in it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitape.interpreter import identity
from minitape.tensor import EagerTensor
from minitape.values.modes import UnconnectedGradients as _Modes
from minitape.values.spec import FLOAT32, FLOAT64
from minitape.variable import ResourceVariable

_ARRAYS = frozenset({np.ndarray, np.float32, np.float64})
# The seed of a scalar, the commonest target.
_ONE: dict[type, Any] = {kind: kind(1) for kind in (np.float32, np.float64)}


def request(plain: Any) -> Any:
    """The class `plain` of requests, with a quicker way in and out of a sweep over arrays."""

    class Request(plain):  # type: ignore[misc]  # made where the fast layer is switched on
        __slots__ = ()

        def __init__(
            self: Any,  # its slots are the plain class's
            target: Any,
            sources: Any,
            output_gradients: Any = None,
            unconnected: Any = "none",
        ) -> None:
            plain_ends = type(target) is EagerTensor and type(sources) is list
            if plain_ends and output_gradients is None and type(unconnected) is _Modes:
                ids = []
                for source in sources:
                    if type(source) is not ResourceVariable:
                        break
                    ids.append(source.id)
                else:
                    self.targets = [target]
                    self.sources = [*sources]
                    self.source_ids = ids
                    self.structure = sources
                    self.mode = unconnected
                    self.plain = True
                    self.weights = self._leaves = None
                    return
            plain.__init__(self, target, sources, output_gradients, unconnected)

        def seeds(self, raw: bool) -> dict[int, Any]:
            targets = self.targets
            if raw and len(targets) == 1 and self.weights is None:
                target = targets[0]
                one = _ONE.get(type(target.value)) if type(target) is EagerTensor else None
                if one is not None:
                    return {identity(target): one}
            return plain.seeds(self, raw)  # type: ignore[no-any-return]

        def results(self, cotangents: dict[int, Any]) -> Any:
            found: list[Any] = []
            for key in self.source_ids:
                g: Any = cotangents.get(key)
                if type(g) in _ARRAYS and ((dtype := g.dtype) is FLOAT32 or dtype is FLOAT64):
                    tensor = EagerTensor()  # eager(g), without its frame
                    tensor.value = g
                    tensor.mark = None
                    found.append(tensor)
                else:
                    found.append(self.result(self.sources[len(found)], g))
            return found if self._leaves is None else self.packed(found)

    Request.__qualname__ = plain.__qualname__
    Request.__module__, Request.__doc__ = plain.__module__, plain.__doc__
    return Request
