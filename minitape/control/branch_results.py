"""What the branches of a condition give: one structure, one dtype and one shape for all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.errors import teach
from minitape.graphs.symbolic import user_line
from minitape.interpreter import symbolic_interpreter
from minitape.tensor import Tensor
from minitape.tensors.convert import convert_to_tensor
from minitape.values import nest

if TYPE_CHECKING:
    from collections.abc import Callable


class StructureError(TypeError, ValueError):
    """Branches, or a loop's variables, differ in structure or dtype."""


class Results:
    """What the branches gave: one structure, dtype and shape for all."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self.first: tuple[int, Any, list[Any], str] | None = None

    def of(self, i: int, branch: Callable[[], Any]) -> list[Any]:
        """The tensors of branch `i`, checked against the first one's."""
        result = _as_tensors(branch())
        flat = [leaf for leaf in nest.flatten(result, expand_composites=True) if leaf is not None]
        if self.first is None:
            self.first = (i, result, [x.spec for x in flat], user_line())
        else:
            self._check(i, result, flat)
        return flat

    def _check(self, i: int, result: Any, flat: list[Any]) -> None:
        first, structure, specs, line = self.first  # type: ignore[misc]
        names = f"{line}: {self.names[first]} and {self.names[i]}"
        try:
            nest.assert_same_structure(structure, result, expand_composites=True)
        except (TypeError, ValueError) as error:
            raise StructureError(
                f"{names} must have the same type, count and structure of results; got "
                f"{structure!r:.100} and {result!r:.100}. "
                "What is used afterwards cannot depend on the branch. Return the same structure "
                "from both."
            ) from error
        for spec, x in zip(specs, flat, strict=True):
            _check_specs(names, spec, x)

    def packed(self, flat: list[Any]) -> Any:
        """Tensors in the structure of the results."""
        structure = self.first[1]  # type: ignore[index]
        todo = iter(flat)
        leaves = [
            None if leaf is None else next(todo)
            for leaf in nest.flatten(structure, expand_composites=True)
        ]
        return nest.pack_sequence_as(structure, leaves, expand_composites=True)


def _check_specs(names: str, spec: Any, x: Any) -> None:
    if spec.dtype != x.spec.dtype:
        raise StructureError(
            teach(
                f"{names} return tensors of different dtypes: {spec.dtype.name} and "
                f"{x.spec.dtype.name}.",
                "The result has one dtype, whichever branch is taken.",
                f"Write `tf.cast(..., tf.{spec.dtype.name})` in one of them.",
            )
        )
    graph = symbolic_interpreter()
    if graph is not None and tuple(spec.shape) != tuple(x.spec.shape):
        if graph.root.traces_python:
            raise graph.refusal("A branch whose result has a shape of its own", x)
        raise StructureError(
            f"{names} return tensors of shapes {tuple(spec.shape)} and {tuple(x.spec.shape)}: "
            "shapes are static in a graph. "
            "Return one shape from both."
        )


def _as_tensors(result: Any) -> Any:
    """A branch's result with tensors in place of numbers and variables."""
    if isinstance(result, Tensor):
        return result
    return nest.map_structure(
        lambda leaf: leaf if leaf is None else convert_to_tensor(leaf),
        result,
        expand_composites=True,
    )
