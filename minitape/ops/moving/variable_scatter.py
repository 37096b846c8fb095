"""Changing some rows of a variable: `v.scatter_add(slices)`, `v.scatter_nd_update(...)`, ...

Like every assignment these are no part of a gradient. They compute the new value from the old one
by the scattering ops and assign it, so a graph writes them down as such. The variable's methods
load this module when they are first called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors.of_arguments import not_fitting
from minitape.op import primitive
from minitape.ops.broadcasting import reshape
from minitape.ops.moving import scattering, scattering_functions
from minitape.ops.moving.gathering import IndexedSlices, check_indices, gather_slices
from minitape.tensors.convert import operand
from minitape.variable import ResourceVariable

if TYPE_CHECKING:
    from minitape.tensor import Array, Indices, Tensor


@primitive(
    differentiable=False,
    latex=r"{x} \odot \mathrm{{ones}}\left(\left[{indices}\right] \leftarrow {y}\right)",
)
def scatter_mul(x: Array, y: Array, indices: Indices) -> Array:
    """`x` with the slices at `indices` multiplied by those of `y`; equal indices all count."""
    out = x.copy()
    np.multiply.at(out, scattering.places(indices, 0), y)
    return out


@primitive(
    differentiable=False,
    latex=r"{x} / \mathrm{{ones}}\left(\left[{indices}\right] \leftarrow {y}\right)",
)
def scatter_div(x: Array, y: Array, indices: Indices) -> Array:
    """`x` with the slices at `indices` divided by those of `y`; equal indices all count."""
    out = x.copy()
    np.divide.at(out, scattering.places(indices, 0), y)
    return out


_OPS = {
    "update": scattering.scatter_update,
    "add": scattering.scatter_add,
    "sub": scattering.scatter_sub,
    "max": scattering.scatter_max,
    "min": scattering.scatter_min,
    "mul": scatter_mul,
    "div": scatter_div,
}


def _by_rows(kind: str) -> Any:
    def scatter(
        variable: ResourceVariable,
        sparse_delta: IndexedSlices,
        use_locking: bool = False,
        name: str | None = None,
    ) -> ResourceVariable:
        if not isinstance(sparse_delta, IndexedSlices):
            example = f"v.scatter_{kind}(tf.IndexedSlices(values, indices))"
            what = "an IndexedSlices"
            raise not_fitting(f"scatter_{kind}", "sparse_delta", sparse_delta, what, example)
        indices = operand(sparse_delta.indices, None)
        values = operand(sparse_delta.values, variable.spec.dtype)
        rows = variable.spec.shape[0]
        check_indices(indices, rows, f"Variable.scatter_{kind}")
        tuples = reshape(indices, (*tuple(indices.shape), 1))
        return variable.change(lambda old: _OPS[kind](old, values, tuples))

    scatter.__name__ = scatter.__qualname__ = f"Variable.scatter_{kind}"
    scatter.__doc__ = (
        f"The rows `sparse_delta.indices` changed by its values ({kind}); gives the variable."
    )
    return scatter


def _by_tuples(kind: str) -> Any:
    def scatter(
        variable: ResourceVariable, indices: Any, updates: Any, name: str | None = None
    ) -> ResourceVariable:
        name_of_it = f"Variable.scatter_nd_{kind}"

        def changed(old: Tensor) -> Any:
            return scattering_functions.scattered(_OPS[kind], name_of_it, old, indices, updates)

        return variable.change(changed)

    scatter.__name__ = scatter.__qualname__ = f"Variable.scatter_nd_{kind}"
    scatter.__doc__ = (
        f"The slices at index tuples changed by `updates` ({kind}); gives the variable."
    )
    return scatter


def _sparse_read(variable: ResourceVariable, indices: Any, name: str | None = None) -> Tensor:
    """The rows at `indices`; the gradient is an `IndexedSlices`."""
    return gather_slices(variable, indices)


def _gather_nd(variable: ResourceVariable, indices: Any, name: str | None = None) -> Tensor:
    """The slices at index tuples; see `tf.gather_nd`."""
    return scattering_functions.gather_nd(variable, indices)


METHODS: dict[str, Any] = {f"scatter_{kind}": _by_rows(kind) for kind in _OPS}
METHODS |= {
    f"scatter_nd_{kind}": _by_tuples(kind) for kind in ("update", "add", "sub", "max", "min")
}
METHODS |= {"sparse_read": _sparse_read, "gather_nd": _gather_nd}
for _name, _method in METHODS.items():  # what Python calls them in its messages
    _method.__name__, _method.__qualname__ = _name, f"Variable.{_name}"
