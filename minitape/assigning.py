"""`Assignable`: how the value of a variable is changed.

The one fact to know: an assignment puts a new array in place of the old one, so tensors that were
read before keep theirs. Tapes record none; a graph writes it down as an effect.
May import: convert, boxed, interpreter, tensor, refusals.
"""

from __future__ import annotations

from _thread import RLock
from typing import Any

import numpy as np

from minitape import refusals
from minitape.boxed import Boxed
from minitape.convert import convert_to_tensor, operand
from minitape.interpreter import active, report_departure, symbolic_interpreter, tell_journals
from minitape.tensor import EagerTensor, Operators, Tensor

# Between reading the old value and storing the sum another thread's addition would be lost.
# Reentrant: a signal's handler may assign while its thread is in here.
_assigning = RLock()


class Assignable(Operators):
    """The assignments of a variable, whose value is `_plain`, a tensor that nobody follows."""

    __slots__ = ("_plain",)

    _plain: EagerTensor

    def assign(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Sets the value. Tensors read before keep the old one; no gradient flows through.

        Args:
            value: of the variable's shape; plain values are converted to its dtype.
            use_locking: accepted and not used.
            name: accepted and not used.
            read_value: False gives None back instead of the variable.

        Raises:
            ValueError: if the shape or a tensor's dtype differs. The variable keeps its value then.
        """
        return self._set(value, "assign", lambda old, new: new, read_value)

    def assign_add(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Adds `delta`, of the variable's shape, to the value; see `assign`."""
        return self._set(delta, "assign_add", np.add, read_value)

    def assign_sub(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Subtracts `delta`, of the variable's shape, from the value; see `assign`."""
        return self._set(delta, "assign_sub", np.subtract, read_value)

    def _set(self, value: Any, how: str, combine: Any, read_value: bool = True) -> Any:
        old = self._plain.value
        new = value if type(value) is EagerTensor else operand(value, old.dtype)
        if not isinstance(new, Tensor):
            new = convert_to_tensor(new)
        if (
            type(new) is not EagerTensor
            or new.value.shape != old.shape
            or new.value.dtype != old.dtype
        ):
            self._check(new, how)
        graph = symbolic_interpreter() if active() else None
        if graph is not None:
            made = graph.assign(self, new, combine)
            if graph.runs_on_demand:
                return made  # for a session to fetch, as in TensorFlow
        elif isinstance(new, Boxed):
            raise new._refuse(f"Variable.{how}()")
        else:
            if new.mark is not None:
                report_departure(how, new, self)
            elif how == "assign" and active():
                tell_journals("overwritten", self)
            self.update(combine, new.value)
        return self if read_value or graph is not None else None

    def _check(self, new: Tensor, how: str) -> None:
        if new.dtype != self.dtype:
            raise refusals.other_dtype(self, new, how)
        if not self.shape.is_compatible_with(new.shape):
            raise refusals.other_shape(self, new, how)

    def update(self, combine: Any, value: Any) -> Any:
        """Stores what `combine` makes of the old array and `value`; threads wait for each other."""
        with _assigning:
            new = combine(self._plain.value, value)
            self.store(new)
        return new

    def __setitem__(self, key: Any, value: Any) -> None:
        raise TypeError(
            f"'{type(self).__name__}' object does not support item assignment. A variable is "
            "changed by methods, which tapes know of. Write `v[i].assign(value)`."
        )

    def store(self, value: Any) -> None:
        """Puts an array of the right shape and dtype in place; earlier reads keep theirs."""
        self._plain = EagerTensor(value)
