"""Scores that only count or only keep numbers, as losses that have a slope.

What an accuracy counts is the answers that are right, and the probability of the right answer is
the smooth form of that; a metric's mean is the loss of the same name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..source_text import Source, called
from .candidate import call_named, wrapped

LOSSES = {
    "MeanSquaredError": "mean_squared_error",
    "MeanAbsoluteError": "mean_absolute_error",
    "MeanAbsolutePercentageError": "mean_absolute_percentage_error",
    "BinaryCrossentropy": "binary_crossentropy",
    "CategoricalCrossentropy": "categorical_crossentropy",
    "SparseCategoricalCrossentropy": "sparse_categorical_crossentropy",
    "KLDivergence": "kl_divergence",
}
ACCURACIES = {
    f"{kind}_accuracy": f"{kind}_crossentropy"
    for kind in ("binary", "categorical", "sparse_categorical")
}


def right_answers(source: Source, node: Any, chooser: Any, weights: str) -> Iterator[str]:
    """The probability of the right class, where a chosen class is compared with it.

    Args:
        source: the text.
        node: what has no derivative.
        chooser: the call of `argmax`, None if it is something else.
        weights: the probabilities in place of the position of the largest.
    """
    tf = source.tf
    scored = call_named(source, node, *ACCURACIES)
    if scored is not None:
        name = called(scored.func)
        given = ", ".join(source.code(each) for each in [*scored.args, *scored.keywords])
        text = f"{tf}.exp(-{tf}.keras.losses.{ACCURACIES[name]}({given}))"
        yield source.edited([source.replaced(scored, text)])
    changes = chooser if chooser is not None else node
    made = source.statement(changes) if changes is not None else None
    name = source.code(made.targets[0]) if isinstance(made, ast.Assign) else ""
    for each in ast.walk(source.scope(node)) if node is not None else ():
        sides = _compared(each)
        for side, labels in (sides, sides[::-1]) if sides else ():
            names = {n.id for n in ast.walk(side) if isinstance(n, ast.Name)}
            if changes not in ast.walk(side) and name not in names:
                continue
            text = _nearness(source, side, labels, node)
            if chooser is not None:
                whole = f"{tf}.cast({source.code(labels)}, {tf}.int32)"
                text = f"{tf}.gather({weights}, {whole}, batch_dims=1)"
            yield source.edited([source.replaced(each, text)])


def _nearness(source: Source, side: Any, labels: Any, step: Any) -> str:
    """1 where two numbers are equal, and less the farther they are apart."""
    left = wrapped(source, side)
    if isinstance(step, ast.Call) and step is side and step.args:
        left = wrapped(source, step.args[0])
    return f"(1.0 - {source.tf}.abs({left} - {wrapped(source, labels)}))"


def _compared(node: Any) -> tuple[Any, ...]:
    """The two sides of `tf.equal(a, b)` and `a == b`, () for others."""
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "equal":
        return tuple(node.args) if len(node.args) == 2 else ()
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq):
        return (node.left, node.comparators[0]) if len(node.ops) == 1 else ()
    return ()


def metric_as_loss(source: Source, node: Any) -> Iterator[str]:
    """The loss of a metric's name in place of its result, or of its call."""
    update = call_named(source, node, "update_state")
    if update is not None:
        name = source.code(update.func.value)
        text = _loss(source, name, update)
        results = [
            source.replaced(each, text)
            for each in ast.walk(source.scope(update))
            if isinstance(each, ast.Call) and source.code(each.func) == f"{name}.result"
        ]
        if text and results:
            yield source.edited(results)
    calls = [each for each in ast.walk(node) if isinstance(each, ast.Call)] if node else []
    for call in calls:
        text = _loss(source, source.code(call.func), call)
        if text:
            yield source.edited([source.replaced(call, text)])


def _loss(source: Source, name: str, given: ast.Call) -> str:
    """The mean loss of what a metric is given, "" if it is not known for this metric."""
    tf = source.tf
    made = [
        n.value
        for n in ast.walk(source.tree)
        if isinstance(n, ast.Assign) and source.code(n.targets[0]) == name
    ]
    if len(made) != 1 or not isinstance(made[0], ast.Call):
        return ""
    kind, first = getattr(made[0].func, "attr", ""), given.args[0] if given.args else None
    if kind == "Mean" and first is not None:
        return f"{tf}.reduce_mean({source.code(first)})"
    if kind == "RootMeanSquaredError" and len(given.args) == 2:
        apart = " - ".join(wrapped(source, each) for each in given.args)
        return f"{tf}.sqrt({tf}.reduce_mean({tf}.square({apart})))"
    if kind not in LOSSES:
        return ""
    options = [source.code(k) for k in made[0].keywords if k.arg == "from_logits"]
    words = ", ".join([*(source.code(each) for each in given.args), *options])
    return f"{tf}.reduce_mean({tf}.keras.losses.{LOSSES[kind]}({words}))"
