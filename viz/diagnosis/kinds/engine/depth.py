"""The gradient vanishes along the depth: the first layers get a millionth of what the last get."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from minitape.record import opened, output_ids
from minitape.variable import ResourceVariable

from ....record.names import own_name
from ...diagnosis import Kind, register
from ...finding import Finding, passed_over, written
from ...source_text import Source
from ...sources.case import Case
from ...sources.dataflow import public_name
from ...sources.rounds import place_of, source_of
from ...trainings import LEAST, vanishing_ends


def find(case: Case, states: list[str]) -> Iterator[Finding]:
    """The largest entries near the target and far from it, in the order of the sweep."""
    sources = case.request.sources
    is_deep = len(sources) >= LEAST and all(isinstance(x, ResourceVariable) for x in sources)
    if not is_deep or {"none", "nan", "inf"} & {*states}:
        return
    size = {
        key: float(np.abs(g).max(initial=0.0))
        for key, g in zip(case.request.source_ids, case.cotangents, strict=True)
    }
    steps = case.swept.steps
    reached: dict[int, int] = {}
    for number, step in enumerate(steps):
        for each in step.contributions:
            reached.setdefault(each.id, number)
    order = sorted((key for key in size if key in reached), key=reached.__getitem__)
    ends = vanishing_ends(size, order)
    if ends is None:
        return
    first, last = ends
    shrinking = [act for step in steps if (act := _shrinks(case, step)) is not None]
    names = Counter(public_name(act) for act in shrinking)
    if not names:
        return
    name, times = names.most_common(1)[0]
    act = next(each for each in shrinking if public_name(each) == name)
    line = _line(case, act, name)
    called = {x.id: f"`{case.flow.names.get(x.id) or own_name(x)}`" for x in sources}
    sentence = (
        f"The gradient vanishes along the depth: it is {size[first]:.1e} at {called[first]} and"
        f" {size[last]:.1e} at {called[last]}. `{name}` (line {line}) makes it less than"
        f" half {times} times, so plain steps hardly move the first layers. Larger initial weights,"
        " an activation that does not saturate, normalization or skip connections keep it."
    )
    span = case.span(case.stack_of(act))
    yield Finding("update", "depth", sentence, line, span=span, node=act.outputs[0])


def _line(case: Case, act: Any, name: str) -> int:
    """Where an activation is written: at the op's line, else at the only place of its name."""
    line = case.line_of(act)
    source = source_of(place_of(case.stack_of(act), case.file))
    nodes: list[Any] = [] if source is None else [*ast.walk(source.tree)]
    places = {n.lineno for n in nodes if source and _is_activation(source, n, name)}
    return places.pop() if line not in places and len(places) == 1 else line


def _shrinks(case: Case, step: Any) -> Any:
    """The act whose step made the largest entry less than half, else None."""
    came, went = _most([step.cotangent]), _most([each.value for each in step.contributions])
    act = case.flow.maker.get(output_ids(step.record)[0])
    return act if came and went < 0.5 * came else None


def _most(arrays: list[Any]) -> float:
    sizes = [
        np.abs(opened(a)).max(initial=0.0) for a in arrays if isinstance(opened(a), np.ndarray)
    ]
    return float(max(sizes, default=0.0))


def correct(source: Source, finding: Finding) -> Iterator[str]:
    """An activation that does not saturate, at the line and everywhere: another function."""
    for name in ("sigmoid", "tanh", "softsign"):
        at_line = [n for n in ast.walk(source.tree) if _is_activation(source, n, name)]
        if at_line:
            yield source.edited(source.replaced(each, _relu(source, each)) for each in at_line)


def _is_activation(source: Source, node: Any, name: str) -> bool:
    is_word = isinstance(node, ast.Constant) and node.value == name
    return is_word or isinstance(node, ast.Attribute) and node.attr == name


def _relu(source: Source, node: Any) -> str:
    return f"{source.tf}.nn.relu" if isinstance(node, ast.Attribute) else '"relu"'


EXAMPLE = """\
import minitape as tf

tf.random.set_seed(0)
x = tf.random.normal([8, 6])
layers = [tf.Variable(0.5 * tf.random.normal([6, 6])) for _ in range(20)]
for step in range(3):
    with tf.GradientTape() as tape:
        h = x
        for w in layers:
            h = tf.sigmoid(h @ w)  # <- here
        loss = tf.reduce_mean(h**2)
    for w, g in zip(layers, tape.gradient(loss, layers)):
        w.assign_sub(0.1 * g)
"""
KIND = register(
    Kind(
        "depth",
        563,
        "update",
        find,
        written,
        EXAMPLE,
        EXAMPLE.replace("tf.sigmoid(h @ w)", "h + tf.tanh(h @ w)").replace("  # <- here", ""),
        passed_over,
        correct,
        dialects=("minitape",),
    )
)
