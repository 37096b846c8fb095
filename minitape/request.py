"""One call of `gradient` or `jacobian`: checked ends, seeds, and results in the right structure.

The one fact to know: everything that can be wrong with a call is found here, before a tape is left
or a record consumed, so that a malformed call changes no state.
May import: composite, variable, convert, ops, modes, tensor, nest.
"""

from __future__ import annotations

from itertools import repeat
from operator import is_
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape import nest
from minitape.composite import as_tensors, dense, parts, rebuild
from minitape.convert import convert_to_tensor
from minitape.errors import InvalidArgumentError, teach
from minitape.interpreter import identity as identity  # noqa: PLC0414  # for importers of this module
from minitape.modes import UnconnectedGradients
from minitape.primitive import registry
from minitape.tensor import EagerTensor, Tensor
from minitape.variable import ResourceVariable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


_PLAIN = {EagerTensor, ResourceVariable}
_ARRAYS = (np.ndarray, np.generic)


class Request:
    """What is to be differentiated with respect to what.

    Args:
        target: nested tensors, variables and composites.
        sources: nested tensors, variables and composites.
        output_gradients: weights of the targets, or None.
        unconnected: 'none' or 'zero'.

    Raises:
        TypeError: if a target or source is None or not a tensor.
        ValueError: if the mode is unknown, or weights do not fit the targets.
    """

    def __init__(
        self, target: Any, sources: Any, output_gradients: Any = None, unconnected: Any = "none"
    ) -> None:
        if target is None:
            raise TypeError(
                teach(
                    "Argument `target` should be a list or nested structure of Tensors, Variables "
                    "or "
                    "CompositeTensors to be differentiated, but received None.",
                    "None has no derivative.",
                    "Did the function that computes the target forget its `return`?",
                )
            )
        self.mode = UnconnectedGradients.check(unconnected)
        self.targets = _parts(_flat(target), "target")
        self.structure = sources
        self.flat_sources = _flat(sources)
        self.sources = _parts(self.flat_sources, "source")
        self.weights = None if output_gradients is None else self._checked_weights(output_gradients)
        self.source_ids = list(map(identity, self.sources))
        self._wanted = set(self.source_ids)

    def _checked_weights(self, output_gradients: Any) -> list[Any]:
        """A tensor like the target per target, or None for ones."""
        flat = [part for each in nest.flatten(output_gradients) for part in parts(dense(each))]
        if len(flat) != len(self.targets):
            raise ValueError(
                f"output_gradients holds {len(flat)} weights for {len(self.targets)} targets. "
                "Give one per target, None for ones."
            )
        return [
            None if w is None else _fitting(w, target)
            for w, target in zip(flat, self.targets, strict=True)
        ]

    def seeds(self, raw: bool) -> dict[int, Any]:
        """The cotangents that a sweep starts from: the targets' weights, conjugated."""
        found: dict[int, Any] = {}
        weights = self.weights or repeat(None, len(self.targets))
        for target, weight in zip(self.targets, weights, strict=True):
            value = target.value if type(target) is EagerTensor else target.spec
            shape, dtype = value.shape, value.dtype
            if dtype.kind not in "fc":
                continue  # integers have no derivative; TensorFlow gives None here too
            if weight is None:
                seed = np.ones(shape, dtype) if shape else dtype.type(1)
                seed = seed if raw else EagerTensor(seed)
            else:
                seed = registry["conj"](weight) if dtype.kind == "c" else weight
                seed = seed.value if raw else seed
            key = identity(target)
            found[key] = found[key] + seed if key in found else seed
        return found

    @property
    def plain(self) -> bool:
        """Whether all targets and weights are plain tensors, so that a sweep may run on arrays."""
        return _PLAIN.issuperset(map(type, self.targets)) and (
            self.weights is None or all(w is None or type(w) in _PLAIN for w in self.weights)
        )

    def wanted(self, leaves: set[int]) -> set[int]:
        """The sources that are results of recorded ops: their cotangents must survive."""
        return self._wanted - leaves

    def records(self, log: Iterable[Any], snapshot: list[Any], leaves: set[int]) -> Iterable[Any]:
        """The records of `log` on a path from a source; all, where that is plain to see."""
        return log if self._wanted == leaves else _connected(log, snapshot, set(self._wanted))

    def results(self, cotangents: dict[int, Any]) -> Any:
        """The gradients in the structure of the sources."""
        return self.packed(
            list(map(self.result, self.sources, map(cotangents.get, self.source_ids)))
        )

    def packed(self, flat: list[Any]) -> Any:
        """One result per source part, in the structure of the sources."""
        if self.sources is not self.flat_sources:  # there are composites among them
            todo = iter(flat)
            flat = [rebuild(each, [next(todo) for _ in parts(each)]) for each in self.flat_sources]
        plain = type(self.structure) is list and len(self.structure) == len(flat)
        if plain and all(map(is_, self.structure, self.flat_sources)):
            return flat  # the commonest case
        return nest.pack_sequence_as(self.structure, flat)

    def result(self, source: Any, g: Any) -> Any:
        """The gradient of one source part, from its cotangent."""
        if isinstance(g, _ARRAYS):
            g = EagerTensor(g)
        elif g is None:
            return self.unconnected(source)
        else:
            g = as_tensors(g)
        if type(g) is EagerTensor and g.value.dtype.kind != "c":
            return g
        return registry["conj"](dense(g)) if g.dtype.is_complex else g

    def unconnected(self, source: Any) -> Any:
        """What to return for a source that no target depends on."""
        if self.mode is UnconnectedGradients.NONE:
            return None
        shape, dtype, _ = source.spec
        return EagerTensor(np.zeros(shape, dtype)[()])


def _flat(structure: Any) -> list[Any]:
    return [structure] if type(structure) in _PLAIN else nest.flatten(structure)


def _parts(values: list[Any], role: str) -> list[Any]:
    """The tensors of targets or sources; the same list where there are no composites."""
    if _PLAIN.issuperset(map(type, values)):
        return values
    found = [part for value in values for part in parts(value)]
    for part in found:
        if not isinstance(part, Tensor | ResourceVariable):
            raise TypeError(
                teach(
                    f"A {role} must be a tf.Tensor or tf.Variable; got {part!r} of type "
                    f"{type(part).__name__}.",
                    "A tape knows values by the tensor that holds them, so it cannot find a plain "
                    "one.",
                    f"Pass the tensor itself as the {role}: `x = tf.constant(...)` once, then "
                    "that `x`.",
                )
            )
    return found


def _fitting(weight: Any, target: Any) -> Tensor:
    weight = dense(weight)
    dtype = target.spec.dtype
    tensor = (
        weight
        if isinstance(weight, Tensor)
        else convert_to_tensor(weight, dtype=None if hasattr(weight, "spec") else dtype)
    )
    if tensor.dtype != target.dtype or tensor.shape != target.shape:
        raise InvalidArgumentError(
            teach(
                f"output_gradients: the weight has shape {tensor.shape} and dtype "
                f"{tensor.dtype.name}, its target has shape "
                f"{target.shape} and dtype {target.dtype.name}.",
                "Every element of a target has one weight.",
                "Give a tensor like the target, or None for ones.",
            )
        )
    return tensor


def _connected(log: Iterable[Any], snapshot: list[Any], ids: set[int]) -> Iterator[Any]:
    """The records of `log` that depend on the tensors `ids`."""
    for record in snapshot:
        if record is None:
            continue
        keys = (record[p.slot] if p.by_id else record[p.slot].id for p in record[0].pulls)
        if not ids.isdisjoint(keys):
            out = record[1]
            ids.update([spec.id for spec in out] if type(out) is tuple else [out])
    return (r for r in log if (r[1] if type(r[1]) is int else r[1][0].id) in ids)
