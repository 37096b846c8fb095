"""What the makers of corrections share: the call that was asked, and the names in it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeGuard

from minitape.facts import NOTHING, Facts
from minitape.names.loading import load_rest
from minitape.names.registry import exports, registry

from ..finding import Finding
from ..source_text import Source, called
from .blocks import block_at, tape_blocks

if TYPE_CHECKING:
    from minitape.op import Op, Primitive


def asking(source: Source, finding: Finding) -> Any:
    """The call of `gradient`, `jacobian` or `batch_jacobian` that a finding is about."""
    return asking_at(source, finding.spans.get("call") or finding.span)


def asking_at(source: Source, span: Any) -> Any:
    """The call of `gradient`, `jacobian` or `batch_jacobian` at a place."""
    node = source.node(span)
    calls = [node, *ast.walk(node)] if node is not None else []
    names = {"gradient", "jacobian", "batch_jacobian"}
    for each in calls:
        if isinstance(each, ast.Call) and getattr(each.func, "attr", "") in names:
            return each
    return None


def source_names(source: Source, finding: Finding) -> list[str]:
    """What the source is called in the program: in the call, and as it was found."""
    call = asking(source, finding)
    given = _argument(call, 1, "sources", "source") if call is not None else None
    names = []
    if given is not None:
        parts = given.elts if isinstance(given, ast.List | ast.Tuple) else [given]
        index = finding.facts.get("index", 0)
        if isinstance(given, ast.List | ast.Tuple) and index < len(parts):
            names.append(source.code(parts[index]))
        elif isinstance(given, ast.Dict) and index < len(given.values):
            names.append(source.code(given.values[index]))
        names.append(source.code(given))
        names += _walked(source, given)
    return list(dict.fromkeys([*names, finding.source or "x"]))


def _walked(source: Source, name: Any) -> list[str]:
    """What a loop or comprehension goes through, where a name is its own: `list(d.values())`."""
    above = list(source.above(name))
    loops = [node for node in above if isinstance(node, ast.For)]
    for node in above:
        loops += getattr(node, "generators", [])
    for loop in loops:
        parts = loop.target.elts if isinstance(loop.target, ast.Tuple) else [loop.target]
        places = [i for i, part in enumerate(parts) if source.code(part) == source.code(name)]
        if places:
            return [f"list({_column(source, loop.iter, places[0])})"]
    return []


def _column(source: Source, iterated: Any, place: int) -> str:
    """What one name of a loop's target goes through: `d.values()` of `for k, v in d.items()`."""
    called = iterated.func if isinstance(iterated, ast.Call) else None
    if isinstance(called, ast.Attribute) and called.attr == "items" and place == 1:
        return f"{source.code(called.value)}.values()"
    if isinstance(called, ast.Name) and called.id == "zip" and place < len(iterated.args):
        return source.code(iterated.args[place])
    if isinstance(called, ast.Name) and called.id == "enumerate" and place == 1:
        return source.code(iterated.args[0])
    return source.code(iterated)


def _argument(call: Any, place: int, *names: str) -> Any:
    if len(call.args) > place:
        return call.args[place]
    return next((k.value for k in call.keywords if k.arg in names), None)


def tape_block(source: Source, finding: Finding) -> Any:
    """The `with` of the tape that was asked."""
    found = block_at(source, finding.spans.get("tape"))
    if found is not None:
        return found
    blocks = tape_blocks(source)
    return blocks[-1] if blocks else None


def at(source: Source, finding: Finding, kinds: Any = ast.expr) -> Any:
    """The expression that a finding is about."""
    return source.node(finding.span, kinds)


def call_named(source: Source, node: Any, *names: str) -> Any:
    """The call of one of some functions at a node: itself, inside of it, or around it."""
    return _call(source, node, lambda call: called(call.func) in names)


def call_of(source: Source, node: Any, *ops: Primitive) -> Any:
    """The call of one of some ops at a node: itself, inside of it, or around it."""
    return _call(source, node, lambda call: is_call_of(call, *ops))


def call_like(source: Source, node: Any, is_like: Callable[[Facts], bool]) -> Any:
    """The call of an op of which something is said, at a node: itself, inside of it, around it."""
    return _call(source, node, lambda call: is_like(facts_called(call)))


def _call(source: Source, node: Any, is_it: Callable[[ast.Call], bool]) -> Any:
    if node is None:
        return None
    for each in [*ast.walk(node), *source.above(node)]:
        if isinstance(each, ast.Call) and is_it(each):
            return each
        if isinstance(each, ast.stmt) and each is not node:
            return None
    return None


def facts_called(node: Any) -> Facts:
    """What is said of the op that a call names, in whatever module that is.

    Example:
        >>> facts_called(ast.parse("tf.nn.relu(x)", mode="eval").body).fault
        'dead'
        >>> facts_called(ast.parse("tf.nn.softmax(x)", mode="eval").body).logarithm
        'nn.log_softmax'
    """
    op = _op_called(node)
    return NOTHING if op is None else op.facts


def is_call_of(node: Any, *ops: Primitive) -> TypeGuard[ast.Call]:
    """Whether a node is the call of one of some ops, in whatever module that is.

    Example:
        >>> from minitape.ops.casting import cast
        >>> is_call_of(ast.parse("tf.cast(x, tf.float32)", mode="eval").body, cast)
        True
    """
    op = _op_called(node)
    return any(op is each.op for each in ops)


def _op_called(node: Any) -> Op | None:
    if not isinstance(node, ast.Call):
        return None
    load_rest()
    name = called(node.func)
    for public in (name, f"math.{name}", f"nn.{name}", f"linalg.{name}"):
        op: Op | None = getattr(exports.get(public), "op", None)
        if op is not None:
            return op
    if name in registry:  # a public function of several lines around the op of its name
        own: Op = registry[name].op
        return own
    also: list[Op] = [each.op for each in registry.values() if each.op.facts.also == name]
    return also[0] if name and also else None


def wrapped(source: Source, node: Any) -> str:
    """The text of an expression, in brackets where it needs them as an operand."""
    text = source.code(node)
    simple = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant)
    return text if isinstance(node, simple) else f"({text})"
