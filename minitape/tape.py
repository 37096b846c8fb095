"""`GradientTape`: records what happens to watched tensors, and differentiates it.

A tape has one `Recording`, the interpreter that notes ops while the `with`
block runs. A question is checked first, as a `Request`; then the recording's records go through the
one backward sweep, and the results into the sources' structure. A tape that is not persistent gives
its records away with the first question.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, ContextDecorator
from typing import TYPE_CHECKING, Any, Self

from minitape.backward import backward, exhaust
from minitape.batches.jacobian import (
    batch_jacobian,
    check_batches,
    check_single,
    jacobian,
    rows_at_once,
)
from minitape.errors import of_tapes as refusals
from minitape.errors.notices import mention, warn
from minitape.interpreter import active, push, remove, tell_journals
from minitape.op import export
from minitape.recording import Recording
from minitape.request import Request, leaves_and_tensors
from minitape.safety.exits import left_when_dropped
from minitape.values.modes import UnconnectedGradients
from minitape.values.results import like_sources
from minitape.variable import ResourceVariable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import TracebackType

    from minitape.interpreter import Interpreter
    from minitape.record import Record
    from minitape.tensor import Operators, Tensor
    from minitape.values.public_types import Structure


@export("GradientTape")
class GradientTape:
    """Records operations for automatic differentiation.

    Operations are recorded if they run inside this context and one of their inputs is watched.
    Trainable variables are watched by themselves when they are read; tensors by `watch`.

    Args:
        persistent: whether `gradient` may be called more than once. The tape then keeps what it
            recorded until it is dropped.
        watch_accessed_variables: whether trainable variables are watched by themselves.

    Attributes:
        persistent: whether `gradient` may be called more than once.
        watches_variables: whether trainable variables are watched by themselves.
        entered: whether it is recording.
        past: the recording that was used up or reset last: enough to say why a gradient is None.

    Example:
        >>> import minitape as tf
        >>> x = tf.constant(3.0)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> print(tape.gradient(y, x))
        tf.Tensor(6.0, shape=(), dtype=float32)
    """

    __slots__ = (
        "__weakref__",
        "_recording",
        "_warned",
        "entered",
        "past",
        "persistent",
        "watches_variables",
    )

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._recording: Recording | None = None
        self.persistent = persistent
        self.watches_variables = watch_accessed_variables
        self.past: Recording | None = None
        self.entered = False
        self._warned = False

    def __enter__(self) -> Self:
        if self.entered:
            raise refusals.still_recording()
        if self._recording is None:
            self._recording = Recording(self.watches_variables)
        try:
            # Inside the `try`: an interrupt right behind it must not leave the tape on the stack.
            others = push(self._recording)
            self.entered = True
            if others:
                tell_journals("start", self._recording)
            return self
        except BaseException:  # an interrupt: the `with` statement will not come to leave it
            remove(self._recording)
            self.entered = False
            raise

    @left_when_dropped
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.entered:
            self._stop()

    def _stop(self) -> None:
        if not self.entered:
            raise refusals.not_recording()
        others = remove(self._recording)  # type: ignore[arg-type]
        self.entered = False
        # Journals are interpreters: where no other is active there is none.
        if others:
            tell_journals("stop", self._recording)

    def watch(self, tensor: Any) -> None:
        """Makes this tape follow `tensor`, so that you can compute gradients with respect to it.

        Watch before the first use: of what was computed from it before, only ops that were recorded
        for another of their inputs count.

        Args:
            tensor: a tensor, variable or ragged tensor, or a nested structure of them. A dtype that
                is not floating or complex gives a warning, and its gradient will be None.

        Raises:
            ValueError: if something is not a tensor, or the tape was never entered. Nothing is
                watched then.
        """
        # All are checked before the first is watched: a malformed call changes no state.
        _, tensors = leaves_and_tensors(tensor, refusals.not_a_tensor)
        if self._recording is None:
            raise refusals.watch_without_recording()
        for each in tensors:
            # TensorFlow, too, warns and goes on; the gradient will be None.
            if each.spec.dtype.kind in "fc":
                self._recording.watch(each)
            else:
                warn(refusals.WATCHED_DISCRETE, each.dtype)
                self._recording.evidence("watched_discrete", each)

    @like_sources
    def gradient(
        self,
        target: Structure,
        sources: Structure,
        output_gradients: Structure = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
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
        recording = self._recording or self._usable()
        request = Request(target, sources, output_gradients, unconnected_gradients)
        around = active()
        # Inside its own context a tape stops first: it would record its own sweep.
        if self.entered or around:
            around = self._begin("gradient", request)
        # All that can be wrong with a call has been found by now, and no record is taken yet.
        is_seen = around and any(each.sees_sweeps for each in around)
        cotangents = request.seeds(raw := request.plain and not is_seen)
        records, wanted = self._taken(recording, request)
        result = None
        try:
            exhaust(backward(records, cotangents, wanted, raw, False, recording.mark))
            result = request.results(cotangents)
            return result
        finally:
            # After an error in a rule, too: viewers wait for the end.
            if around:
                self._end(result)

    def _begin(self, kind: str, request: Request) -> tuple[Interpreter, ...]:
        """Informs viewers; a call inside the tape's context ends or joins the recording.

        Returns the interpreters that see what happens in the sweep.
        """
        for interpreter in active():
            interpreter.asked(kind, self, request)
        if self.entered and not self.persistent:
            self._stop()
        elif self.entered and not self._warned:
            # Once for each tape: it is slow, not wrong.
            self._warned = True
            mention(refusals.INSIDE_ITS_CONTEXT)
        return active()

    def _end(self, result: Any = None) -> None:
        """Informs viewers that the sweep is over, and what it gave; None after an error."""
        for interpreter in active():
            interpreter.answered(self, result)

    def _taken(
        self, recording: Recording, request: Request
    ) -> tuple[Iterable[Record], set[int] | None]:
        """The records for a request, latest first; a non-persistent tape gives its own away.

        Popping a record off the log frees what it held once the sweep is past it; whatever a sweep
        that failed leaves goes with the tape, which is not held any more.
        """
        if self.persistent:
            # A copy: the sweep of a tape inside its own context appends to the log.
            snapshot = recording.records
            return request.path(reversed(snapshot), snapshot, recording.watched)
        try:
            recording.unasked.pop()
        except IndexError:  # another thread has asked meanwhile
            raise refusals.used_up() from None
        # What explains a None stays. Nothing is appended any more: the tape was left before.
        self.past, self._recording = recording, None
        if recording.late:
            recording.complete(recording.late)
        log, recording.log, recording.append = recording.log, [()], None
        return request.path(iter(log.pop, ()), log, recording.watched)

    @like_sources
    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The Jacobian of `target` with respect to `sources`: one gradient per element of `target`.

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
        self._usable()
        request = Request(target, sources, None, unconnected_gradients)
        check_single("jacobian", "target", request.targets)
        return self._rows(jacobian, request, parallel_iterations, experimental_use_pfor)

    def batch_jacobian(
        self,
        target: Tensor,
        source: Operators[Any],
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Tensor:
        """The Jacobian of each example separately, where `target[i]` depends on `source[i]` only.

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
        self._usable()
        request = Request(target, source, None, unconnected_gradients)
        check_batches(request)
        made: Tensor = self._rows(
            batch_jacobian, request, parallel_iterations, experimental_use_pfor
        )
        return made

    def _rows(
        self, compute: Callable[..., Any], request: Request, at_once: int | None, vectorised: bool
    ) -> Any:
        """What `compute` makes of as many sweeps as it takes for the rows of a jacobian."""
        name = compute.__name__
        rows = rows_at_once(name, at_once, vectorised, self.persistent)
        recording = self._usable()
        self._begin(name, request)
        try:
            return compute(request, *self._taken(recording, request), rows, recording.mark)
        finally:
            if active():
                self._end()

    def stop_recording(self) -> Pause:
        """Runs its block without recording on this tape; other tapes continue.

        Raises:
            RuntimeError: if the tape was never entered, or is used up.
            ValueError: if the tape was already left.

        Example:
            >>> import minitape as tf
            >>> x = tf.constant(4.0)
            >>> with tf.GradientTape() as tape:
            ...     tape.watch(x)
            ...     with tape.stop_recording():
            ...         y = x**2
            >>> print(tape.gradient(y, x))
            None
        """
        return Pause(self)

    def _pause(self) -> None:
        """Stops recording for a `Pause`."""
        if self._recording is None:
            raise refusals.nothing_to_stop()
        self._recording.evidence("stop_recording")
        self._stop()
        tell_journals("stop_recording", self._recording)

    def reset(self) -> None:
        """Forgets everything recorded and watched so far, and continues recording.

        Raises:
            ValueError: if the tape is not recording.
        """
        self._stop()
        # A new recording with a mark of its own, which no tensor of the old one carries.
        self.past, self._recording = self._usable(), None
        self.past.log = [()]
        self.__enter__()
        recording = self._usable()
        recording.evidence("reset")
        tell_journals("reset", recording)

    def watched_variables(self) -> tuple[ResourceVariable, ...]:
        """The variables that this tape watches, in order of their construction."""
        recording = self._recording or self.past
        found = recording.variables if recording else {}
        # Ids increase, so that this is the order of construction, as in TensorFlow.
        return tuple(variable.handle for _, variable in sorted(found.items()))

    @property
    def recording(self) -> Recording:
        """What was recorded, for viewers.

        Raises:
            RuntimeError: if the tape is used up, or has not recorded anything yet.
        """
        return self._usable()

    @property
    def usable(self) -> bool:
        """Whether there is a recording: the tape was entered, and is not used up."""
        return self._recording is not None

    def __getstate__(self) -> tuple[Any, dict[str, Any]]:
        """The settings: a tape without a recording may be copied, one that has records may not.

        Raises:
            TypeError: if there is a recording.
        """
        if self._recording is not None:
            raise refusals.not_copied(type(self).__name__)
        state: Any = object.__getstate__(self)
        rest, slots = state
        return rest, slots | {"past": None}

    def _usable(self) -> Recording:
        recording = self._recording  # once: another thread may take it between two looks
        if recording is None:
            raise refusals.used_up()
        return recording


class Pause(ContextDecorator, AbstractContextManager[None]):
    """The context of `stop_recording`.

    Only leaving it starts the tape again. Dropped with the exception of an interrupt it does not:
    the tape's own block has been left by then.
    """

    def __init__(self, tape: GradientTape) -> None:
        self._tape = tape

    def __enter__(self) -> None:
        self._tape._pause()

    def __exit__(self, *details: object) -> None:
        self._tape.__enter__()
