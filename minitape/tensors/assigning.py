"""`Assignable`: how the value of a variable is changed.

An assignment puts a new array in place of the old one, so tensors that were read before keep
theirs. Tapes record none; a graph writes it down as an effect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from minitape.errors import of_tapes as refusals
from minitape.errors.of_flags import checked_flag
from minitape.interpreter import (
    active,
    fresh_ids,
    report_departure,
    symbolic_interpreter,
    tell_journals,
)
from minitape.safety.locks import module_lock
from minitape.safety.silence import quietly
from minitape.tensor import EagerTensor, Operators, Tensor, eager
from minitape.tensors.boxed import Boxed
from minitape.tensors.convert import convert_to_tensor, operand

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from minitape.values.public_types import SlicesLike, TensorLike

    class Part(Tensor):
        """A part of a variable, `v[i]`, which can be assigned; `ops/indexing` has the methods."""

        def assign(
            self,
            value: Any,
            use_locking: bool = False,
            name: str | None = None,
            read_value: bool = True,
        ) -> Any:
            """Sets this part of the variable, which keeps the rest."""

        assign_add = assign_sub = assign


# Between reading the old value and storing the sum another thread's addition would be lost.
# Reentrant: a signal's handler may assign while its thread is in here.
_assigning = module_lock()


class Assignable(Operators[Tensor]):
    """The assignments of a variable, whose value is `_plain`, a tensor that nobody follows."""

    __slots__ = ("_plain", "assigned")

    _plain: EagerTensor
    id: int
    # The last two times at which it was assigned, on the clock of the tensors' ids: what was read
    # after the last has the value of now, and what was read between them has one value, too.
    assigned: tuple[int, int]

    # What makes the new array, from a function of two and a delta; `hooks` may put its own here.
    _combination: ClassVar[Callable[[Any, Tensor], Any]] = staticmethod(lambda combine, _: combine)

    if TYPE_CHECKING:  # `ops/variable_scatter` has these methods, `ops/indexing` attaches them

        def __getitem__(self, key: Any) -> Part: ...

        def sparse_read(self, indices: TensorLike, name: str | None = None) -> Tensor:
            """The rows at `indices`."""

        def gather_nd(self, indices: TensorLike, name: str | None = None) -> Tensor:
            """The slices at index tuples."""

        def scatter_add(
            self, sparse_delta: SlicesLike, use_locking: bool = False, name: str | None = None
        ) -> Self:
            """Changes the rows `sparse_delta.indices` by its values."""

        def scatter_nd_add(
            self, indices: TensorLike, updates: TensorLike, name: str | None = None
        ) -> Self:
            """Changes the slices at index tuples by `updates`."""

        scatter_sub = scatter_mul = scatter_div = scatter_update = scatter_add
        scatter_min = scatter_max = scatter_add
        scatter_nd_sub = scatter_nd_update = scatter_nd_min = scatter_nd_max = scatter_nd_add

    def assign(
        self,
        value: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Self | Any:
        """Sets the value. Tensors read before keep the old one; no gradient flows through.

        Args:
            value: of the variable's shape; plain values are converted to its dtype.
            use_locking: accepted and not used.
            name: accepted and not used.
            read_value: False gives None back instead of the variable.

        Raises:
            ValueError: if the shape or a tensor's dtype differs. The variable keeps its value then.
        """
        return self._set(value, "assign", _replaced, read_value)

    def assign_add(
        self,
        delta: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Self | Any:
        """Adds `delta`, of the variable's shape, to the value; see `assign`."""
        return self._set(delta, "assign_add", np.add, read_value)

    def assign_sub(
        self,
        delta: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Self | Any:
        """Subtracts `delta`, of the variable's shape, from the value; see `assign`."""
        return self._set(delta, "assign_sub", np.subtract, read_value)

    def _set(self, value: Any, how: str, combine: Any, read_value: bool = True) -> Any:
        if read_value is not True:
            checked_flag(how, "read_value", read_value)
        new = value
        if type(new) is not EagerTensor:
            new = self.fitting(value, how)
            if isinstance(new, Boxed):
                return self._write_down(new, how, combine)
        array, old = new.value, self._plain.value
        if array.shape != old.shape or array.dtype != old.dtype:
            self._check(new, how)
        if active():
            if symbolic_interpreter() is not None:
                return self._write_down(new, how, combine)
            if new.mark is not None:
                report_departure(how, new, self)
            elif how == "assign":
                tell_journals("overwritten", self)
        self.update(Assignable._combination(combine, new), array)
        return self if read_value else None

    def fitting(self, value: Any, how: str = "assign") -> Tensor:
        """The tensor of `value` that an assignment takes; it changes nothing yet.

        Raises:
            ValueError: if the shape or a tensor's dtype differs.
        """
        new = operand(value, self._plain.value.dtype)
        if not isinstance(new, Tensor):
            new = convert_to_tensor(new)
        self._check(new, how)
        return new

    def change(self, what: Callable[[Tensor], Any]) -> Any:
        """Assigns what `what` makes of the present value; no other assignment comes between.

        Every change of a part goes this way: to read, compute and `assign` would lose what another
        thread assigns meanwhile.
        """
        if symbolic_interpreter() is not None:
            return self.assign(what(self.as_operand()))
        with _assigning:
            return self.assign(what(self._plain))

    def _write_down(self, value: Any, how: str, combine: Any) -> Any:
        """Leaves the assignment to the active graph, as an effect."""
        graph = symbolic_interpreter()
        if graph is None:
            raise value._refuse(f"Variable.{how}()")
        made = graph.assign(self, value, combine)
        return made if graph.runs_on_demand else self  # for a session to fetch

    def _check(self, new: Tensor, how: str) -> None:
        if new.dtype != self._plain.dtype:
            raise refusals.other_dtype(self, new, how)
        fits = self.shape if how == "assign" else self._plain.shape
        if not fits.is_compatible_with(new.shape):
            raise refusals.other_shape(self, new, how)

    def update(self, combine: Any, value: Any) -> Any:
        """Stores what `combine` makes of the old array and `value`; threads wait for each other."""
        with _assigning:
            new = quietly(combine, self._plain.value, value)
            self.put_back(eager(new))
        return new

    def put_back(self, tensor: EagerTensor) -> None:
        """Stores a tensor that nobody follows, such as one that the variable had before."""
        self._plain = tensor
        self.assigned = (self.assigned[1], next(fresh_ids))

    def __iadd__(self, value: Any) -> Any:
        raise refusals.changed_by_operator(self, "+", "assign_add(value)")

    def __isub__(self, value: Any) -> Any:
        raise refusals.changed_by_operator(self, "-", "assign_sub(value)")

    def __imul__(self, value: Any) -> Any:
        raise refusals.changed_by_operator(self, "*", "assign(v * value)")

    def __itruediv__(self, value: Any) -> Any:
        raise refusals.changed_by_operator(self, "/", "assign(v / value)")

    def __ipow__(self, value: Any) -> Any:
        raise refusals.changed_by_operator(self, "**", "assign(v ** value)")

    def __setitem__(self, key: Any, value: Any) -> None:
        raise TypeError(
            f"'{type(self).__name__}' object does not support item assignment. A variable is "
            "changed by methods, which tapes know of. Write `v[i].assign(value)`."
        )


def _replaced(old: Any, new: Any) -> Any:
    return new


def assign_all(variables: Iterable[Assignable], values: Iterable[Any]) -> None:
    """Assigns to several variables at once: every value is checked before the first is stored."""
    pairs = [(each, each.fitting(value)) for each, value in zip(variables, values, strict=True)]
    for variable, value in pairs:
        variable.assign(value)


class Restored:
    """A block that gives variables back the values they had, if it is left by an error.

    What can be checked is checked before anything is stored; this is for what cannot be: a
    constraint or a formula of the user that fails, an interrupt. What other threads assigned to
    these variables meanwhile goes, too.
    """

    __slots__ = ("_before",)

    def __init__(self, variables: Iterable[Assignable]) -> None:
        self._before = [(each, each._plain) for each in variables]

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, *details: Any) -> None:
        if kind is not None:
            for variable, value in self._before:
                variable._plain = value
