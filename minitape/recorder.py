"""`Recorder`: when a tape records, and what it watches.

The one fact to know: it has one recording (see `recording`), starts and stops it, and drops it when
it is used up or reset. What is asked of a recording is in `tape`.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, ContextDecorator
from typing import TYPE_CHECKING, Any, Self

from minitape.errors import of_tapes as refusals
from minitape.errors.notices import warn
from minitape.interpreter import not_copied, push, remove, tell_journals
from minitape.leaving import left_when_dropped
from minitape.recording import Recording
from minitape.tensor import Tensor
from minitape.tensors.composite import parts
from minitape.values import nest
from minitape.variable import ResourceVariable

if TYPE_CHECKING:
    from types import TracebackType


class Recorder:
    """The recording half of a `GradientTape`: a context in which operations are recorded."""

    __slots__ = (
        "__weakref__",
        "past",
        "_persistent",
        "_recording",
        "_warned",
        "_watch_accessed_variables",
        "entered",
    )

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._recording: Recording | None = None
        self._persistent = persistent
        self._watch_accessed_variables = watch_accessed_variables
        # Of the recording that was used up or reset last: enough to say why a gradient is None.
        self.past: Recording | None = None
        self.entered = False
        self._warned = False

    def __getstate__(self) -> tuple[Any, dict[str, Any]]:
        """The settings: a tape without a recording may be copied, one that has records may not.

        Raises:
            TypeError: if there is a recording.
        """
        if self._recording is not None:
            raise not_copied(type(self).__name__)
        state: Any = object.__getstate__(self)
        rest, slots = state
        return rest, slots | {"past": None}

    def __enter__(self) -> Self:
        if self.entered:
            raise refusals.still_recording()
        if self._recording is None:
            self._recording = Recording(self._watch_accessed_variables)
        try:
            # Inside the `try`: an interrupt right behind it must not leave the tape on the stack.
            others = push(self._recording)
            self.entered = True
            if others:
                tell_journals("start", self._recording)
            return self
        except BaseException:
            self._leave()  # an interrupt: the `with` statement will not come to leave it
            raise

    @left_when_dropped
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if self.entered:
                self._stop()
        except BaseException:
            self._leave()
            raise

    def _leave(self) -> None:
        """Takes the tape off the stack, whatever was interrupted before."""
        if self._recording is not None:
            remove(self._recording)
        self.entered = False

    def _stop(self) -> None:
        if not self.entered:
            raise ValueError("Tape is not recording. Enter it first: `with tape:`.")
        others = remove(self._recording)  # type: ignore[arg-type]
        self.entered = False
        # Journals are interpreters: where no other is active there is none.
        if others:
            tell_journals("stop", self._recording)

    def watch(self, tensor: Any) -> None:
        """Makes this tape follow `tensor`, so that one can ask for gradients by it.

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
        tensors = _tensors_of(tensor)
        if self._recording is None:
            raise refusals.watch_without_recording()
        for each in tensors:
            # TensorFlow, too, warns and goes on; the gradient will be None.
            if each.spec.dtype.kind in "fc":
                self._recording.watch(each)
            else:
                warn(
                    "The dtype of the watched tensor must be floating (e.g. tf.float32), got %r",
                    each.dtype,
                )
                self._recording.evidence("watched_discrete", each)

    def stop_recording(self) -> Pause:
        """Runs its block without recording on this tape; other tapes go on.

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
        """Forgets everything recorded and watched so far, and goes on recording.

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
    def persistent(self) -> bool:
        """Whether `gradient` may be called more than once."""
        return self._persistent

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

    @property
    def watches_variables(self) -> bool:
        """Whether trainable variables are watched by themselves when they are read."""
        return self._watch_accessed_variables

    def _usable(self) -> Recording:
        if self._recording is None:
            raise refusals.used_up()
        return self._recording


class Pause(ContextDecorator, AbstractContextManager[None]):
    """The context of `stop_recording`.

    Only leaving it starts the tape again. Dropped with the exception of an interrupt it does not:
    the tape's own block has been left by then.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def __enter__(self) -> None:
        self._recorder._pause()

    def __exit__(self, *details: object) -> None:
        self._recorder.__enter__()


def _tensors_of(structure: Any) -> list[Any]:
    """The tensors and variables in what is to be watched, composites taken apart."""
    # The usual case, which is no structure.
    if isinstance(structure, Tensor | ResourceVariable):
        return [structure]
    found = []
    for leaf in nest.flatten(structure):
        for part in parts(leaf):
            if not isinstance(part, Tensor | ResourceVariable):
                raise refusals.not_a_tensor(leaf)
            found.append(part)
    return found
