"""Corrections of a gradient that is zero, and of numbers that are too small."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from minitape.facts import NOTHING, Facts

from ..finding import Finding
from ..source_text import Edit, Source, called
from ..words import known
from .blocks import keyword_edit
from .candidate import at, call_like, call_named, facts_called, wrapped
from .logarithms import of_logarithms, of_products
from .numbers import in_float64
from .pairs import of_pairs


def nonzero_gradients(source: Source, finding: Finding) -> Iterator[str]:
    """The texts to try."""
    node = at(source, finding)
    if finding.kind == "underflow":
        yield from _underflow(source, node, finding.line)
    elif finding.cause in {"dead", "tie", "constant_won", "clipped"}:
        yield from _sloped(source, node)
        yield from _random(source, source.node(finding.spans.get("made")))
    elif finding.cause == "pieces":
        yield from _smooth(source)
    elif finding.cause == "factor":
        yield from _not_zero(source, node)
    elif finding.cause == "one_entry":
        yield from _sigmoid(source, node)
    elif finding.cause == "staircase":
        step = call_like(source, node, lambda facts: facts.jumps == "steps")
        if step is not None:
            text = f"{source.tf}.grad_pass_through({source.code(step.func)})"
            yield source.edited([source.replaced(step.func, text)])
    elif finding.cause == "saturated":
        yield from _unsaturated(source, node)
    elif finding.cause == "zero_weights":
        yield from _random(source, node)
    elif finding.cause == "constant_sum":
        yield from _not_summed(source, node)


def _sloped(source: Source, node: Any) -> Iterator[str]:
    """A function with a slope on both sides."""
    tf = source.tf
    relu = call_like(source, node, lambda facts: facts.fault == "dead")
    if relu is not None and relu.args:
        x = source.code(relu.args[0])
        yield source.edited([source.replaced(relu, f"{tf}.nn.leaky_relu({x})")])
        yield source.edited([source.replaced(relu, f"{tf}.nn.softplus({x})")])
    limits = call_like(source, node, lambda facts: facts.fault in {"constant_won", "clipped"})
    if limits is not None and limits.args:
        first, *rest = limits.args
        plain = [a for a in limits.args if not isinstance(a, ast.Constant)]
        if len(plain) == 1 and any(source.code(r) in {"0", "0.0", "0."} for r in rest):
            x = source.code(plain[0])
            yield source.edited([source.replaced(limits, f"{tf}.nn.leaky_relu({x})")])
        chosen = plain[0] if plain else first
        yield source.edited([source.replaced(limits, wrapped(source, chosen))])
        if len(limits.args) == 2:
            yield source.edited(
                [
                    source.replaced(
                        limits, f"(({source.code(first)}) + ({source.code(rest[0])})) / 2"
                    )
                ]
            )
    for word in ('activation="relu"', "activation='relu'"):
        if word in source.text:
            yield source.text.replace(word, f"activation={source.tf}.nn.leaky_relu")
            yield source.text.replace(word, 'activation="elu"')


def _smooth(source: Source) -> Iterator[str]:
    """Smooth activations in place of all that are made of straight pieces."""
    for smooth in ("softplus", "tanh"):
        edits = [edit for node in ast.walk(source.tree) for edit in _smoothed(source, node, smooth)]
        if edits:
            yield source.edited(edits)


def _smoothed(source: Source, node: Any, smooth: str) -> Iterator[Edit]:
    """The edits of one activation: by its name in quotes, as a function, as `maximum(x, 0)`."""
    if isinstance(node, ast.Constant) and _activation(node).kinks:
        yield source.replaced(node, f'"{smooth}"')
    elif isinstance(node, ast.Attribute) and _activation(node).kinks:
        yield source.replaced(node, f"{source.code(node.value)}.{smooth}")
    elif isinstance(node, ast.Call) and facts_called(node).extreme == "largest":
        numbers = [getattr(each, "value", None) for each in node.args]
        if len(numbers) == 2 and 0 in numbers:
            x = source.code(node.args[1 - numbers.index(0)])
            yield source.replaced(node, f"{source.tf}.nn.{smooth}({x})")
    elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in {"ReLU", "LeakyReLU"}:
        layers = source.code(node.func).rpartition(".")[0]
        yield source.replaced(node, f'{layers}.Activation("{smooth}")')


def _activation(node: Any) -> Facts:
    """What is said of the activation that a text or a function names."""
    name = getattr(node, "value", None) if isinstance(node, ast.Constant) else called(node)
    ours = known(name) if isinstance(name, str) and name.isidentifier() else None
    return ours.facts if ours is not None and ours.facts.activation else NOTHING


def _unsaturated(source: Source, node: Any) -> Iterator[str]:
    """A loss that takes the logits, then the same numbers in a wider type."""
    tf = source.tf
    steep = call_like(source, node, lambda facts: facts.fault == "saturated")
    yield from of_pairs(source, node)
    yield from _logits(source, steep)
    if steep is not None and steep.args:
        x = source.code(steep.args[0])
        name = source.code(steep.func)
        yield source.edited([source.replaced(steep, f"{name}({tf}.cast({x}, {tf}.float64))")])
    yield in_float64(source)
    if steep is not None and steep.args:
        x = source.code(steep.args[0])
        yield source.edited([source.replaced(steep.args[0], f"0.01 * ({x})")])


def _logits(source: Source, steep: Any) -> Iterator[str]:
    """`from_logits=True` for the loss, and no sigmoid or softmax before it."""
    losses = [
        keyword_edit(source, n, "from_logits", "True")
        for n in ast.walk(source.tree)
        if isinstance(n, ast.Call)
        and re.search(r"cross_?entropy$", source.code(n.func), re.I)
        and "keras" in source.code(n.func)
        and not any(k.arg == "from_logits" for k in n.keywords)
    ]
    activations = [
        source.replaced(k.value, "None")
        for n in ast.walk(source.tree)
        if isinstance(n, ast.Call)
        for k in n.keywords
        if k.arg == "activation" and _activation(k.value).logarithm
    ]
    if losses and steep is not None and steep.args:
        x = source.replaced(steep, source.code(steep.args[0]))
        yield source.edited([*losses, x])
    elif losses and activations:
        yield source.edited([*losses, activations[-1]])


def _underflow(source: Source, node: Any, line: int) -> Iterator[str]:
    """Sums of logarithms in place of products, then a wider type."""
    yield from of_pairs(source, node)
    yield from of_products(source, node, line)
    if node is not None:
        yield from of_logarithms(source, node)
    if "float16" in source.text:
        yield re.sub(r"\b(b?)float16\b", "float32", source.text)
    if "float32" in source.text:
        wide = source.text.replace("float32", "float64")
        yield wide
        yield in_float64(Source(wide))
    yield in_float64(source)
    log = call_like(source, node, lambda facts: facts.undefined == "log" and facts.steep)
    if log is not None and isinstance(log.args[0], ast.Call) and log.args[0].args:
        yield source.edited([source.replaced(log, source.code(log.args[0].args[0]))])


def _not_zero(source: Source, node: Any) -> Iterator[str]:
    """A factor that is not 0, where it is written or where its name gets its value."""
    names = [n.id for n in ast.walk(node) if isinstance(n, ast.Name)] if node is not None else []
    numbers = [n for n in ast.walk(node) if _is_nought(n)] if node is not None else []
    for each in ast.walk(source.tree):
        if isinstance(each, ast.Assign) and getattr(each.targets[0], "id", "") in names:
            numbers += [n for n in ast.walk(each.value) if _is_nought(n)]
    for number in numbers:
        yield source.edited([source.replaced(number, "1.0")])


def _is_nought(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in {int, float} and not node.value


def _sigmoid(source: Source, node: Any) -> Iterator[str]:
    """A sigmoid for one unit, in a call or as a layer's activation."""
    softmax = call_like(source, node, lambda facts: facts.shares)
    if softmax is not None and softmax.args:
        text = f"{source.tf}.sigmoid({source.code(softmax.args[0])})"
        yield source.edited([source.replaced(softmax, text)])
    for layer in ast.walk(source.tree):
        if isinstance(layer, ast.Call):
            quoted = [k.value for k in layer.keywords if _activation(k.value).shares]
            yield from (source.edited([source.replaced(k, '"sigmoid"')]) for k in quoted)


def _random(source: Source, node: Any) -> Iterator[str]:
    """Weights that start as small random numbers."""
    tf = source.tf
    zeros = call_named(source, node, "zeros")
    if zeros is not None and zeros.args:
        shape = source.code(zeros.args[0])
        text = f"{tf}.random.normal({shape}, stddev=0.1, seed=1)"
        yield source.edited([source.replaced(zeros, text)])
    if isinstance(node, ast.Call) and node.args:
        given = source.code(node.args[0])
        text = f"{tf}.random.normal({tf}.shape({given}), stddev=0.1, seed=1)"
        yield source.edited([source.replaced(node.args[0], text)])
    edits = [
        source.replaced(n, f"{tf}.random.normal({source.code(n.args[0])}, stddev=0.1, seed=1)")
        for n in ast.walk(source.tree)
        if isinstance(n, ast.Call) and source.code(n.func) == f"{tf}.zeros" and n.args
    ]
    if edits:
        yield source.edited(edits)
    yield re.sub(
        r"kernel_initializer=(['\"])zeros\1", r"kernel_initializer=\1glorot_uniform\1", source.text
    )


def _not_summed(source: Source, node: Any) -> Iterator[str]:
    """One entry of a softmax, or the logarithms."""
    softmax = call_like(source, node, lambda facts: bool(facts.logarithm))
    if softmax is not None:
        name = f"{source.tf}.{facts_called(softmax).logarithm}"
        yield source.edited([source.replaced(softmax.func, name)])
