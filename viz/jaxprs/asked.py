"""Hears what a JAX script asks gradients of: each call of what `grad` or `value_and_grad` gives.

What a script imports from `jax` while `listening` is open is a wrapper, which hands each call to a
listener together with JAX's own function; afterwards JAX is as it was.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

import jax

Heard = Callable[["Asked", Any, Any], Any]  # what was made, arguments, keywords: the answer


class Asked(NamedTuple):
    """What was made of a function by `grad` or `value_and_grad`.

    Attributes:
        function: the script's own.
        derived: what JAX made of it.
        called: "jax.grad" or "jax.value_and_grad".
        argnums: the positions of what is differentiated.
        has_aux: whether the function returns something besides its value.
    """

    function: Callable[..., Any]
    derived: Callable[..., Any]
    called: str
    argnums: tuple[int, ...]
    has_aux: bool

    def places(self, args: Any) -> list[int]:
        """The positions of what is differentiated, counted from the first argument."""
        return [i % len(args) for i in self.argnums]

    def gradients(self, result: Any) -> Any:
        """The gradients in an answer."""
        if self.called.endswith("value_and_grad"):
            return result[1]
        return result[0] if self.has_aux else result

    def of_chosen(self, args: Any, options: Any) -> Callable[..., Any]:
        """The function of what is differentiated alone, with the script's names for it."""
        places = self.places(args)

        def target(*chosen: Any) -> Any:
            whole = list(args)
            for i, each in zip(places, chosen, strict=True):
                whole[i] = each
            out = self.function(*whole, **options)
            return out[0] if self.has_aux else out

        with suppress(TypeError, ValueError, IndexError):
            names = list(inspect.signature(self.function).parameters)
            kind = inspect.Parameter.POSITIONAL_ONLY
            own = [inspect.Parameter(names[i], kind) for i in places]
            target.__signature__ = inspect.Signature(own)  # type: ignore[attr-defined]
        return target


def is_traced(args: Any, options: Any) -> bool:
    """Whether a call is inside of a trace, where arguments have no numbers."""
    return any(isinstance(x, jax.core.Tracer) for x in jax.tree.leaves((args, options)))


@contextmanager
def listening(heard: Heard) -> Iterator[None]:
    """Hands each call to a listener while the block runs; afterwards JAX is as it was."""
    own = {"grad": jax.grad, "value_and_grad": jax.value_and_grad}
    for name, function in own.items():
        setattr(jax, name, _wrapped(heard, name, function))
    try:
        yield
    finally:
        for name, function in own.items():
            setattr(jax, name, function)


def _wrapped(heard: Heard, name: str, own: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(own)
    def differentiates(
        fun: Any = None, argnums: Any = 0, has_aux: bool = False, **options: Any
    ) -> Any:
        if fun is None:  # a decorator with options
            return lambda f: differentiates(f, argnums, has_aux, **options)
        derived = own(fun, argnums, has_aux, **options)
        places = tuple(argnums) if isinstance(argnums, tuple | list) else (argnums,)
        made = Asked(fun, derived, f"jax.{name}", places, has_aux)

        @functools.wraps(derived)
        def asked(*args: Any, **keywords: Any) -> Any:
            return heard(made, args, keywords)

        return asked

    return differentiates
