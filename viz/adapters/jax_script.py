"""Records an unchanged JAX script: each call of what `grad` gives becomes a trace.

JAX answers the script first; the trace is made of the function and the same arguments afterwards,
by `step`. Inside of `jit` a call has no numbers, so a script that asks only there runs a second
time with `jit` switched off.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jax

from ..jaxprs.asked import Asked, is_traced, listening
from ..jaxprs.equations import FOLDER
from ..record.lines import calling_frame
from ..script import MAX_PER_LINE, MAX_TRACES
from .jax import step
from .recorder import Recorder, said

MAX_EQUATIONS = 600  # of a function that is drawn


class JaxRecorder(Recorder):
    """What a script asked JAX for."""

    def __init__(self) -> None:
        super().__init__()
        self.traced = 0  # calls without numbers

    def asked(self, ask: Asked, args: Any, options: Any) -> Any:
        """One call: JAX's own answer, then its trace."""
        if self.inside:
            return ask.derived(*args, **options)
        if is_traced(args, options):
            self.traced += 1
            return ask.derived(*args, **options)
        self.inside = True
        try:
            result = ask.derived(*args, **options)
            self._keep(ask, args, options)
            return result
        finally:
            self.inside = False

    def _keep(self, ask: Asked, args: Any, options: Any) -> None:
        frame = calling_frame()
        while frame is not None and frame.f_code.co_filename.startswith(FOLDER):
            frame = frame.f_back
        place = (frame.f_code.co_filename, frame.f_lineno) if frame is not None else ("", 0)
        self.calls[place] += 1
        if self.calls[place] > MAX_PER_LINE or len(self.traces) >= MAX_TRACES:
            self.left_out += 1
            return
        target = ask.of_chosen(args, options)
        chosen = [args[i] for i in ask.places(args)]
        name = getattr(ask.function, "__name__", "a function").replace("<lambda>", "the lambda")
        title = f"gradient of {name}{said(place, self.calls[place])}"
        try:
            if len(jax.make_jaxpr(target)(*chosen).jaxpr.eqns) > MAX_EQUATIONS:
                self.left_out += 1
            else:
                self.traces.append(step(target, *chosen, title=title).trace)
        except Exception:  # what cannot be shown must not stop the script
            self.left_out += 1


def record_jax_script(path: str | os.PathLike[str], arguments: Sequence[str] = ()) -> JaxRecorder:
    """Runs a JAX script as `python` would, and records what it asks gradients of.

    Args:
        path: the script.
        arguments: what it finds in `sys.argv[1:]`.

    Raises:
        ScriptError: if the script cannot be read, or asks for no gradient before it ends or fails.
    """
    recorder = JaxRecorder()
    with listening(recorder.asked):
        recorder.run(Path(path), arguments)
        if not recorder.traces and recorder.traced and not recorder.stopped:
            recorder.traced = 0
            with jax.disable_jit():
                recorder.run(Path(path), arguments)
    recorder.left_out += recorder.traced
    recorder.end("asked JAX for no gradient that could be shown: call what `jax.grad` gives")
    return recorder
