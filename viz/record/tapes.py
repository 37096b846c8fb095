"""The engine's recording of a learner's tape, or words on why there is none."""

from __future__ import annotations

from reprlib import repr as short  # an error must be able to show a nest that is very deep
from typing import Any

from minitape.tape import GradientTape


def recording_of(tape: Any) -> Any:
    """The engine's recording of a tape.

    Raises:
        TypeError: if it is not a GradientTape.
        RuntimeError: if it has released what it recorded.
    """
    if not isinstance(tape, GradientTape):
        raise TypeError(
            f"expected a tf.GradientTape, got {short(tape)}. The recording is what is shown: "
            "write `with tf.GradientTape() as tape: ...` and pass that `tape`."
        )
    try:
        return tape.recording
    except RuntimeError as error:
        raise RuntimeError(
            "The tape has nothing to show: it was not entered yet, or it has given a gradient and "
            "released what it recorded. Call viz.step or viz.draw before tape.gradient, or write "
            "`with tf.GradientTape(persistent=True) as tape:` to do both in any order."
        ) from error
