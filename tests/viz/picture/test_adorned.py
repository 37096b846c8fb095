"""What decorates cannot take away what it decorates: each decoration fails, and the page stands."""

from __future__ import annotations

import importlib
import re

import pytest

import minitape as tf
from minitape import viz
from minitape.viz.base.adorned import LeftOut, adorned
from minitape.viz.trace.trace import Node
from minitape.viz.views.patterns import patterns

DECORATIONS = {
    "minitape.viz.views.named": ["patterns"],
    "minitape.viz.views.of_tapes": ["groups", "strip_of"],
    "minitape.viz.player.payload": ["tiles", "axis_words", "chapters", "arrivals", "findings_data"],
    "minitape.viz.player.shown": ["opened"],
}


def loop() -> viz.Player:
    """Twelve rounds of a recurrence: groups, a strip, chapters and an op to open."""
    w, x = tf.Variable([[0.5, 0.1], [0.2, 0.4]]), tf.constant([[1.0, 2.0]])
    with viz.recording(), tf.GradientTape() as tape:
        for _ in range(12):
            x = tf.tanh(x @ w + 0.1)
        loss = tf.reduce_mean(tf.nn.softmax(x)[:, 0])
    return viz.step(tape, loss, [w])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "name"), [(module, name) for module, names in DECORATIONS.items() for name in names]
)
def test_a_page_stands_without_a_decoration_that_fails(
    monkeypatch: pytest.MonkeyPatch, module: str, name: str
) -> None:
    player = loop()
    steps = len(player.trace.steps)

    def fails(*_: object, **__: object) -> None:
        raise KeyError("on purpose")

    monkeypatch.setattr(importlib.import_module(module), name, fails)
    with pytest.warns(LeftOut, match="on purpose.*not of your program"):
        html = player._repr_mimebundle_()["text/html"]
    assert "<img src=" in html
    shown = [step for step in player.trace.steps if step.kind != "release"]
    assert f"{len(shown)} steps as a table" in html and steps >= len(shown)
    assert re.search(r"<table>.*<td>pull</td>.*</table>", html)


def test_a_decoration_that_fails_is_loud_in_the_tests_of_the_project() -> None:
    with pytest.raises(LeftOut, match="without names: ZeroDivisionError"):
        adorned("names", lambda: 1 // 0, 0)


@pytest.mark.parametrize(
    "op", ["subtract", "sub", "multiply", "divide", "exp", "log", "softmax", "matmul"]
)
@pytest.mark.parametrize("inputs", [(), (0,), (0, 0)])
def test_recognising_functions_takes_ops_of_any_number_of_inputs(
    op: str, inputs: tuple[int, ...]
) -> None:
    """Frameworks record `x - 1` as an op of one node, and what was computed outside of none."""
    nodes = [Node(0, "source", (), "float64", ())]
    for last in ("divide", "multiply", "subtract", "matmul"):
        for middle in ("reshape", "reduce_sum", "sub", "log", "exp", "softmax"):
            n = len(nodes)
            nodes += [
                Node(n, "op", inputs, "float64", (), op=op),
                Node(n + 1, "op", (n,) if len(inputs) else (), "float64", (), op=middle),
                Node(n + 2, "op", (n, n + 1), "float64", (), op=last),
            ]
    assert {name for name, _ in patterns(nodes)} <= {
        "attention",
        "softmax",
        "normalisation",
        "log-softmax",
    }
