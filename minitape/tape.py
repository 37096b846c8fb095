"""`GradientTape`: records what happens to watched tensors, and differentiates it.

The one fact to know: recording is `Recorder`'s part; each method here checks a request, takes the
records, runs the one backward sweep over them, and puts the results in the sources' structure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, overload

from minitape.backward import backward
from minitape.batches.jacobian import batch_jacobian, check_batches, check_single, jacobian
from minitape.errors import of_tapes as refusals
from minitape.errors.notices import mention
from minitape.errors.of_arguments import checked_integer
from minitape.interpreter import active
from minitape.primitive import export
from minitape.recorder import Recorder
from minitape.request import Request
from minitape.values.modes import UnconnectedGradients

if TYPE_CHECKING:
    from minitape.recording import Tape
    from minitape.tensor import Operators, Tensor
    from minitape.values.public_types import Result

    Leaf = TypeVar("Leaf", bound=Operators)


@export("GradientTape")
class GradientTape(Recorder):
    """Records operations for automatic differentiation.

    Operations are recorded if they run inside this context and one of their inputs is watched.
    Trainable variables are watched by themselves when they are read; tensors by `watch`.

    Args:
        persistent: whether `gradient` may be called more than once. The tape then keeps what it
            recorded until it is dropped.
        watch_accessed_variables: whether trainable variables are watched by themselves.

    Example:
        >>> import minitape as tf
        >>> x = tf.constant(3.0)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> print(tape.gradient(y, x))
        tf.Tensor(6.0, shape=(), dtype=float32)
    """

    __slots__ = ()

    @overload
    def gradient(
        self,
        target: Any,
        sources: Operators,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Result: ...
    @overload
    def gradient(
        self,
        target: Any,
        sources: list[Leaf],
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> list[Any]: ...
    @overload
    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any: ...
    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:
        """The gradient of `target` with respect to `sources`, from what this tape recorded.

        Args:
            target: a tensor, variable or ragged tensor, or a nested structure of them; several
                targets, and the elements of one, are summed.
            sources: a tensor or variable, or a nested structure of them.
            output_gradients: weights for the targets' elements: a tensor of its shape per target,
                None for ones.
            unconnected_gradients: what to return for a source that no target depends on.

        Returns:
            The structure of `sources`, with a tensor (or `IndexedSlices`, or a ragged tensor) of
            the source's shape and dtype in place of each source, or None where it is not connected.

        Raises:
            RuntimeError: if a non-persistent tape is used a second time.
            TypeError: if the target is None, or a target or source is not a tensor.
            ValueError: if `unconnected_gradients` is unknown.
            LookupError: if an op on the way has no gradient registered.

        Example:
            >>> import minitape as tf
            >>> w, b = tf.Variable(2.0), tf.Variable(1.0)
            >>> with tf.GradientTape() as tape:
            ...     loss = (3.0 * w + b) ** 2
            >>> [float(g) for g in tape.gradient(loss, [w, b])]
            [42.0, 14.0]
        """
        tape = self._usable()
        request = Request(target, sources, output_gradients, unconnected_gradients)
        around = active()
        if self.entered or around:
            around = self._begin("gradient", request)
        cotangents = request.seeds(raw := request.plain and not around)
        records, wanted = self._taken(tape, request)
        try:
            for _ in backward(records, cotangents, wanted, raw, False, tape.mark):
                pass
            return request.results(cotangents)
        finally:
            if around:
                self._end()

    @overload
    def jacobian(
        self,
        target: Any,
        sources: Operators,
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
        tape = self._usable()
        request = Request(target, sources, None, unconnected_gradients)
        check_single("jacobian", "target", request.targets)
        rows = self._rows_at_once(parallel_iterations, experimental_use_pfor, "jacobian")
        self._begin("jacobian", request)
        try:
            return jacobian(request, *self._taken(tape, request), rows, tape.mark)
        finally:
            if active():
                self._end()

    def batch_jacobian(
        self,
        target: Tensor,
        source: Operators,
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
        tape = self._usable()
        request = Request(target, source, None, unconnected_gradients)
        check_single("batch_jacobian", "target", request.targets)
        check_single("batch_jacobian", "source", request.sources)
        rows = self._rows_at_once(parallel_iterations, experimental_use_pfor, "batch_jacobian")
        check_batches(target, source)
        self._begin("batch_jacobian", request)
        try:
            return batch_jacobian(request, *self._taken(tape, request), rows, tape.mark)
        finally:
            if active():
                self._end()

    def _rows_at_once(
        self, parallel_iterations: int | None, vectorised: bool, name: str
    ) -> int | None:
        """How many rows of a jacobian one sweep computes; None for all of them."""
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

    def _begin(self, kind: str, request: Request) -> tuple[Any, ...]:
        """Tells who shows tapes; a call inside the tape's context ends or joins the recording.

        Returns the interpreters that see what happens in the sweep.
        """
        for interpreter in active():
            interpreter.asked(kind, self, request)
        if self.entered and not self._persistent:
            self._stop()
        elif self.entered and not self._warned:
            self._warned = True
            mention(
                "Calling GradientTape.gradient on a persistent tape inside its context is "
                "significantly less efficient than "
                "calling it outside the context: the gradient ops are recorded too. Do it only "
                "for higher-order derivatives."
            )
        return active()

    def _end(self) -> None:
        """Tells who shows tapes that the sweep is over."""
        for interpreter in active():
            interpreter.answered(self)

    def _taken(self, tape: Tape, request: Request) -> tuple[Any, set[int] | None]:
        """The records for a request, latest first; a non-persistent tape gives its own away.

        Popping a record off the log frees what it held once the sweep is past it; whatever a sweep
        that failed leaves goes with the tape, which is not held any more.
        """
        if self._persistent:
            snapshot = tape.records  # the sweep of a tape inside its own context appends to the log
            return request.path(reversed(snapshot), snapshot, tape.leaves)
        self._past, self._tape = (tape.mark, tape.leaves, tape.events), None
        return request.path(iter(tape.log.pop, ()), tape.log, tape.leaves)
