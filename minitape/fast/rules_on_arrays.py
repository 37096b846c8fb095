"""Rules for arrays alone: the same code, in which the names of ops stand for their forwards.

A rule calls ops by functions that first ask what they got (`rule_calls`). In a sweep over arrays
the answer is known as soon as the cotangent is one, so that the question is asked once for a rule.
"""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, Any

from minitape.names.registry import registry

if TYPE_CHECKING:
    from collections.abc import Callable

_OURS = __name__.partition(".")[0] + "."


def on_arrays(rule: Callable[..., Any]) -> Callable[..., Any]:
    """The rule for a cotangent that is an array; the rule itself if it calls no ops."""
    names: dict[str, Any] = getattr(rule, "__globals__", {})
    # A user's module may still change what its names stand for.
    if not isinstance(rule, FunctionType) or not names.get("__name__", "").startswith(_OURS):
        return rule
    forwards = {
        name: names[name].op.forward for name in rule.__code__.co_names if _is_plain(names, name)
    }
    if not forwards:
        return rule
    return FunctionType(
        rule.__code__, names | forwards, rule.__name__, rule.__defaults__, rule.__closure__
    )


def _is_plain(names: dict[str, Any], name: str) -> bool:
    """Whether a name stands for an op that does nothing with arrays but call its forward."""
    function = names.get(name)
    op = getattr(function, "op", None)
    if op is None or registry.get(op.name) is not function:
        return False
    return not (op.variadic or op.several or op.effect or op.prepare)
