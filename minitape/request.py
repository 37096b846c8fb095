"""Checks a call of `gradient` or `jacobian`, seeds it, and packs its results like the sources.

Everything that can be wrong with a call is found here, before a tape is left
or a record consumed, so that a malformed call changes no state.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape import hooks
from minitape.errors import of_tapes as refusals
from minitape.interpreter import identity, symbolic_interpreter
from minitape.ops.broadcasting import broadcast_to
from minitape.ops.passing import conj
from minitape.record import input_id, output_ids, plan_of
from minitape.tensor import EagerTensor, Tensor, eager
from minitape.tensors.composite import Composite, dense, parts, rebuild
from minitape.tensors.convert import convert_to_tensor
from minitape.values import nest
from minitape.values.broadcasting import broadcast_shapes
from minitape.values.modes import UnconnectedGradients
from minitape.variable import ResourceVariable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from minitape.tensor import Spec
    from minitape.values.public_types import Structure


_PLAIN = frozenset({EagerTensor, ResourceVariable})


@hooks.request
class Request:
    """What is to be differentiated with respect to what.

    Args:
        target: nested tensors, variables and composites.
        sources: nested tensors, variables and composites.
        output_gradients: weights of the targets, or None.
        unconnected: 'none' or 'zero'.

    Attributes:
        targets: the tensors and variables that are differentiated.
        sources: those with respect to which.
        source_ids: their ids.
        plain: whether all targets and weights are plain, so that a sweep may run on arrays.

    Raises:
        TypeError: if a target or source is None or not a tensor.
        ValueError: if the mode is unknown, or weights do not fit the targets.
    """

    __slots__ = (
        "_leaves",
        "mode",
        "plain",
        "source_ids",
        "sources",
        "structure",
        "targets",
        "weights",
    )

    def __init__(
        self,
        target: Structure,
        sources: Structure,
        output_gradients: Structure = None,
        unconnected: UnconnectedGradients | str = "none",
    ) -> None:
        if target is None:
            raise refusals.no_target()
        self.mode = unconnected
        if type(unconnected) is not UnconnectedGradients:
            self.mode = UnconnectedGradients.check(unconnected)
        leaves, self.targets = leaves_and_tensors(target, refusals.not_a_target)
        self.plain = leaves is None or leaves is self.targets or _all_plain(self.targets)
        self.structure = sources
        self._leaves, self.sources = leaves_and_tensors(sources, refusals.not_a_source)
        self.weights: list[Any] | None = None
        if output_gradients is not None:
            self.weights = _checked_weights(output_gradients, self.targets)
            self.plain = self.plain and _all_plain([w for w in self.weights if w is not None])
        self.source_ids = list(map(identity, self.sources))

    def seeds(self, raw: bool) -> dict[int, Any]:
        """The cotangents that a sweep starts from: the targets' weights, conjugated."""
        found: dict[int, Any] = {}
        for i, target in enumerate(self.targets):
            weight = self._weight(i, target.spec)
            if weight is not None:
                seed, key = weight.value if raw else weight, identity(target)
                # A target that is given twice counts twice.
                found[key] = found[key] + seed if key in found else seed
        return found

    def _weight(self, i: int, spec: Spec) -> Any:
        """What a target is weighted with, ones by default; None of an integer, as in TensorFlow."""
        if spec.dtype.kind not in "fc":
            return None
        weight = None if self.weights is None else self.weights[i]
        if weight is None:
            return _ones(spec.shape, spec.dtype)
        # Rules are plain derivatives; TensorFlow's gradient is the conjugate, at both ends.
        return conj(weight) if spec.dtype.kind == "c" else weight

    def path(
        self, log: Iterable[Any], snapshot: list[Any], watched: Mapping[int, Any]
    ) -> tuple[Iterable[Any], set[int] | None]:
        """The records of `log` on a path from a source, and sources whose cotangents must survive.

        These are the sources that are results of recorded ops; None stands for none of them.
        """
        if [*watched] == self.source_ids:  # all that was watched, in the usual order: a quick look
            return log, None
        wanted = set(self.source_ids)
        if wanted == watched.keys():
            return log, None
        return _connected(log, snapshot, set(wanted)), wanted - watched.keys()

    def results(self, cotangents: dict[int, Any]) -> Any:
        """The gradients in the structure of the sources."""
        pairs = zip(self.sources, self.source_ids, strict=True)
        found = [self.result(source, cotangents.get(key)) for source, key in pairs]
        return found if self._leaves is None else self.packed(found)

    def packed(self, flat: list[Any]) -> Any:
        """One result per source part, in the structure of the sources."""
        if self._leaves is None:
            return flat  # the sources were such a list
        if self.sources is not self._leaves:  # there are composites among them
            todo = iter(flat)
            flat = [rebuild(each, [next(todo) for _ in parts(each)]) for each in self._leaves]
        if self._leaves and self._leaves[0] is self.structure:  # one source, in no structure
            return flat[0]
        return nest.pack_sequence_as(self.structure, flat)

    def result(self, source: Tensor | ResourceVariable, g: Any) -> Any:
        """The gradient of one source part, from its cotangent."""
        if g is None:
            return self.unconnected(source)
        if isinstance(g, Composite):
            g = g.as_tensors()
        elif not isinstance(g, Tensor):
            g = eager(g)
        # The other end: see `_weight`.
        if not g.dtype.is_complex:
            return g
        return rebuild(g, [conj(part) for part in parts(g)])

    def unconnected(self, source: Tensor | ResourceVariable) -> Any:
        """What to return for a source that no target depends on."""
        if self.mode is UnconnectedGradients.NONE:
            return None
        shape, dtype, _ = source.spec
        return eager(np.zeros(shape, dtype)[()])


def _all_plain(values: list[Any]) -> bool:
    return _PLAIN.issuperset(map(type, values))


def leaves_and_tensors(
    structure: Structure, refusal: Callable[[Any], Exception]
) -> tuple[list[Any] | None, list[Any]]:
    """The leaves of a structure, None for a list of plain ones; and the leaves' tensors.

    Raises:
        Exception: the `refusal` of a leaf that is no tensor.
    """
    if type(structure) is list and _all_plain(structure):
        return None, [*structure]
    if type(structure) is EagerTensor or type(structure) is ResourceVariable:
        return (one := [structure]), one
    leaves = nest.flatten(structure)
    if _all_plain(leaves):
        return leaves, leaves
    found = [part for leaf in leaves for part in parts(leaf)]
    for part in found:
        if not isinstance(part, Tensor | ResourceVariable):
            raise refusal(part)
    return leaves, found


def _connected(log: Iterable[Any], snapshot: list[Any], ids: set[int]) -> Iterator[Any]:
    """The records of `log` that depend on the tensors `ids`."""
    # Oldest first, and through a copy: `log` goes from the end, and may give a record only once.
    for record in snapshot:
        if not record:  # the first
            continue
        keys = [input_id(record, pull) for pull in plan_of(record).pulls]
        if not ids.isdisjoint(keys):
            ids.update(output_ids(record))
    return (record for record in log if output_ids(record)[0] in ids)


def _checked_weights(output_gradients: Structure, targets: list[Any]) -> list[Any]:
    """A tensor like the target per target, or None for ones."""
    # Another tape's gradient may be a weight, and be sparse.
    flat = [part for each in nest.flatten(output_gradients) for part in parts(dense(each))]
    if len(flat) != len(targets):
        raise refusals.weights_missing(len(flat), len(targets))
    return [
        None if w is None else _fitting(w, target) for w, target in zip(flat, targets, strict=True)
    ]


def _fitting(weight: Any, target: Any) -> Tensor:
    if not isinstance(weight, Tensor):
        # A plain number takes the target's dtype; a variable has its own, which must agree.
        dtype = None if hasattr(weight, "spec") else target.spec.dtype
        weight = convert_to_tensor(weight, dtype=dtype)
    if weight.dtype == target.dtype:
        if weight.shape == target.shape:
            return weight  # type: ignore[no-any-return]
        with suppress(ValueError):  # they do not broadcast
            shape = tuple(target.spec.shape)
            if broadcast_shapes(tuple(weight.spec.shape), shape) == shape:
                return broadcast_to(weight, shape)  # type: ignore[no-any-return]
    raise refusals.weight_not_fitting(weight, target)


def _ones(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """The weight of a target that has none; a graph with unknown sizes has to write it down."""
    # Sizes that only a run tells are tensors of the graph, and no NumPy shape.
    graph = symbolic_interpreter()
    if graph is None or not graph.has_sizes:
        return eager(np.ones(shape, dtype) if shape else dtype.type(1))
    one = graph.constant(eager(dtype.type(1)))
    return broadcast_to(one, shape) if shape else one
