"""Records an unchanged JAX script: each call of what `grad` gives becomes a trace.

The one fact to know: JAX answers the script first; the trace is made of the function and the same
arguments afterwards, by `step`. Inside of `jit` a call has no numbers, so a script that asks only
there runs a second time with `jit` switched off.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import jax

from ..record.lines import calling_frame
from ..script import MAX_PER_LINE, MAX_TRACES
from .jax import step
from .jax_ops import FOLDER
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
        if any(isinstance(x, jax.core.Tracer) for x in jax.tree.leaves((args, options))):
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
        chosen = [args[i % len(args)] for i in ask.places]
        name = getattr(ask.function, "__name__", "a function").replace("<lambda>", "the lambda")
        title = f"gradient of {name}{said(place, self.calls[place])}"
        try:
            if len(jax.make_jaxpr(target)(*chosen).jaxpr.eqns) > MAX_EQUATIONS:
                self.left_out += 1
            else:
                self.traces.append(step(target, *chosen, title=title).trace)
        except Exception:  # what cannot be shown must not stop the script
            self.left_out += 1


class Asked:
    """What was made of a function by `grad` or `value_and_grad`."""

    def __init__(
        self, function: Callable[..., Any], derived: Any, argnums: Any, has_aux: bool
    ) -> None:
        self.function, self.derived, self.has_aux = function, derived, has_aux
        self.places = tuple(argnums) if isinstance(argnums, tuple | list) else (argnums,)

    def of_chosen(self, args: Any, options: Any) -> Callable[..., Any]:
        """The function of what is differentiated, with the script's names for it."""

        def target(*chosen: Any) -> Any:
            whole = list(args)
            for i, each in zip(self.places, chosen, strict=True):
                whole[i] = each
            out = self.function(*whole, **options)
            return out[0] if self.has_aux else out

        with suppress(TypeError, ValueError):
            names = list(inspect.signature(self.function).parameters)
            kind = inspect.Parameter.POSITIONAL_ONLY
            own = [inspect.Parameter(names[i], kind) for i in self.places]
            target.__signature__ = inspect.Signature(own)  # type: ignore[attr-defined]
        return target


@contextmanager
def _listening(recorder: JaxRecorder) -> Iterator[None]:
    """Hears each call while the block runs; afterwards JAX is as it was."""
    own = {"grad": jax.grad, "value_and_grad": jax.value_and_grad}
    for name, function in own.items():
        setattr(jax, name, _wrapped(recorder, function))
    try:
        yield
    finally:
        for name, function in own.items():
            setattr(jax, name, function)


def _wrapped(recorder: JaxRecorder, own: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(own)
    def differentiates(
        fun: Any = None, argnums: Any = 0, has_aux: bool = False, **options: Any
    ) -> Any:
        if fun is None:  # a decorator with options
            return lambda f: differentiates(f, argnums, has_aux, **options)
        derived = own(fun, argnums, has_aux, **options)
        ask = Asked(fun, derived, argnums, has_aux)

        @functools.wraps(derived)
        def asked(*args: Any, **keywords: Any) -> Any:
            return recorder.asked(ask, args, keywords)

        return asked

    return differentiates


def record_jax_script(path: str | os.PathLike[str], arguments: Sequence[str] = ()) -> JaxRecorder:
    """Runs a JAX script as `python` would, and records what it asks gradients of.

    Args:
        path: the script.
        arguments: what it finds in `sys.argv[1:]`.

    Raises:
        ScriptError: if the script cannot be read, or asks for no gradient before it ends or fails.
    """
    recorder = JaxRecorder()
    with _listening(recorder):
        recorder.run(Path(path), arguments)
        if not recorder.traces and recorder.traced and not recorder.stopped:
            with jax.disable_jit():
                recorder.run(Path(path), arguments)
    recorder.end("asked JAX for no gradient that could be shown: call what `jax.grad` gives")
    return recorder
