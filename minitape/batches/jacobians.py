"""`tape.jacobian` and `tape.batch_jacobian`: what a tape is asked for, checked and swept.

The one fact to know: a jacobian is a gradient for each element of the target; `jacobian.py`
computes them all in one sweep.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, overload

from minitape.asking import Asking
from minitape.batches.jacobian import batch_jacobian, check_batches, check_single, jacobian
from minitape.errors import of_tapes as refusals
from minitape.errors.of_arguments import checked_integer
from minitape.errors.of_flags import checked_flag
from minitape.interpreter import active
from minitape.request import Request
from minitape.values.modes import UnconnectedGradients

if TYPE_CHECKING:
    from minitape.tensor import Operators, Tensor
    from minitape.values.results import Result

    Leaf = TypeVar("Leaf", bound=Operators[Any])


class Jacobians(Asking):
    """The methods of a `GradientTape` that give jacobians."""

    __slots__ = ()

    @overload
    def jacobian(
        self,
        target: Any,
        sources: Operators[Any],
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Result: ...
    @overload
    def jacobian(
        self,
        target: Any,
        sources: list[Leaf],
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> list[Any]: ...
    @overload
    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any: ...
    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The jacobian of `target` with respect to `sources`: a gradient per element of it.

        Args:
            target: a tensor of any shape.
            sources: a tensor or variable, or a nested structure of them.
            unconnected_gradients: what to return for a source that the target does not depend on.
            parallel_iterations: how many rows are computed at once; by default all.
            experimental_use_pfor: False computes the rows one by one, which needs a persistent
                tape.

        Returns:
            The structure of `sources`, with a tensor of shape `target.shape + source.shape` in
            place of each source. Sparse gradients are made dense.

        Raises:
            RuntimeError: if a non-persistent tape is used a second time, or one by one.
            TypeError: if the target or a source is not a tensor.

        Example:
            >>> import minitape as tf
            >>> x = tf.constant([1.0, 2.0])
            >>> with tf.GradientTape() as tape:
            ...     tape.watch(x)
            ...     y = x * x
            >>> print(tape.jacobian(y, x))
            tf.Tensor(
            [[2. 0.]
             [0. 4.]], shape=(2, 2), dtype=float32)
        """
        recording = self._usable()
        request = Request(target, sources, None, unconnected_gradients)
        check_single("jacobian", "target", request.targets)
        rows = self._rows_at_once(parallel_iterations, experimental_use_pfor, "jacobian")
        self._begin("jacobian", request)
        try:
            return jacobian(request, *self._taken(recording, request), rows, recording.mark)
        finally:
            if active():
                self._end()

    def batch_jacobian(
        self,
        target: Tensor,
        source: Operators[Any],
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Tensor:
        """The jacobian of each example by itself, where `target[i]` depends on `source[i]` only.

        Args:
            target: a tensor of shape [b, y1, ..., yn].
            source: a tensor or variable of shape [b, x1, ..., xm].
            unconnected_gradients: accepted; an unconnected pair gives zeros in every mode, as in
                TensorFlow.
            parallel_iterations: how many rows are computed at once; by default all.
            experimental_use_pfor: False computes the rows one by one, which needs a persistent
                tape.

        Returns:
            A tensor of shape [b, y1, ..., yn, x1, ..., xm].

        Raises:
            RuntimeError: if a non-persistent tape is used a second time, or one by one.
            ValueError: if the first dimensions differ, or a rank is below 2.

        Example:
            >>> import minitape as tf
            >>> x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
            >>> with tf.GradientTape() as tape:
            ...     tape.watch(x)
            ...     y = x * x
            >>> tape.batch_jacobian(y, x).numpy().tolist()
            [[[2.0, 0.0], [0.0, 4.0]], [[6.0, 0.0], [0.0, 8.0]]]
        """
        recording = self._usable()
        request = Request(target, source, None, unconnected_gradients)
        check_single("batch_jacobian", "target", request.targets)
        check_single("batch_jacobian", "source", request.sources)
        rows = self._rows_at_once(parallel_iterations, experimental_use_pfor, "batch_jacobian")
        check_batches(target, source)
        self._begin("batch_jacobian", request)
        try:
            return batch_jacobian(request, *self._taken(recording, request), rows, recording.mark)
        finally:
            if active():
                self._end()

    def _rows_at_once(
        self, parallel_iterations: int | None, vectorised: bool, name: str
    ) -> int | None:
        """How many rows of a jacobian one sweep computes; None for all of them."""
        checked_flag(name, "experimental_use_pfor", vectorised)
        if not vectorised and not self._persistent:
            raise refusals.rows_need_persistence(name)
        if parallel_iterations is not None:
            example = f"tape.{name}(y, x, parallel_iterations=10)"
            checked_integer(name, "parallel_iterations", parallel_iterations, example)
        if parallel_iterations is not None and parallel_iterations < 1:
            raise ValueError(
                f"{name}: parallel_iterations must be at least 1; got {parallel_iterations}."
            )
        return parallel_iterations if vectorised else 1
