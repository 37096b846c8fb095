"""Example traces made by hand: a table of NumPy rules, a recorder of steps, small programs.

Nothing here uses the engine: values come from NumPy, derivative rules from a calculus book, and the
order of steps from the description of the format.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from minitape.viz.trace.trace import Array, Formula, Line, Node, Source, Step, Trace

Value = Any
HOSTILE = "</script><img src=x onerror=alert(1)>"


def fit(g: Value, shape: tuple[int, ...]) -> Value:
    """Sum a cotangent over the axes that broadcasting stretched."""
    g = np.asarray(g)
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    stretched = tuple(i for i, n in enumerate(shape) if n == 1 and g.shape[i] != 1)
    return g.sum(axis=stretched, keepdims=True) if stretched else g


@dataclass(frozen=True)
class Rule:
    """Forward function and formula, and per argument a rule (g, *inputs, out) with its formula."""

    forward: Callable[..., Value]
    text: str
    pulls: tuple[tuple[str, Callable[..., Value]], ...]
    elementwise: bool = True


def _mean(g: Value, x: Value, out: Value) -> Value:
    return np.broadcast_to(g / max(np.size(x), 1), np.shape(x))


RULES = {
    "multiply": Rule(
        lambda x, y: x * y,
        "x · y",
        (
            ("g · y", lambda g, x, y, out: g * np.conj(y)),
            ("g · x", lambda g, x, y, out: g * np.conj(x)),
        ),
    ),
    "add": Rule(
        lambda x, y: x + y, "x + y", (("g", lambda g, x, y, out: g), ("g", lambda g, x, y, out: g))
    ),
    "subtract": Rule(
        lambda x, y: x - y,
        "x - y",
        (("g", lambda g, x, y, out: g), ("-g", lambda g, x, y, out: -g)),
    ),
    "square": Rule(np.square, "x²", (("g · 2 · x", lambda g, x, out: g * 2 * np.conj(x)),)),
    "sin": Rule(np.sin, "sin(x)", (("g · cos(x)", lambda g, x, out: g * np.cos(x)),)),
    "exp": Rule(np.exp, "exp(x)", (("g · out", lambda g, x, out: g * np.conj(out)),)),
    "log": Rule(np.log, "log(x)", (("g / x", lambda g, x, out: g / x),)),
    "tanh": Rule(np.tanh, "tanh(x)", (("g · (1 - out²)", lambda g, x, out: g * (1 - out**2)),)),
    "matmul": Rule(
        lambda x, y: x @ y,
        "x @ y",
        (("g @ yᵀ", lambda g, x, y, out: g @ y.T), ("xᵀ @ g", lambda g, x, y, out: x.T @ g)),
        elementwise=False,
    ),
    "reduce_mean": Rule(np.mean, "mean(x)", (("g / n", _mean),), elementwise=False),
    "reduce_sum": Rule(
        np.sum, "sum(x)", (("g", lambda g, x, out: np.broadcast_to(g, np.shape(x))),), False
    ),
    "real": Rule(np.real, "Re(x)", (("g", lambda g, x, out: g + 0j),), False),
}


def formula(text: str) -> Formula:
    """Mark a formula up: letters as identifiers, digits as numbers, the rest as operators."""
    parts = []
    for word, number, other in re.findall(r"([^\W\d_]+)|(\d+)|(\S)", text):
        tag = "mi" if word else "mn" if number else "mo"
        parts.append(f"<{tag}>{html.escape(word or number or other)}</{tag}>")
    return Formula(text, text.replace("·", r"\cdot"), f"<mrow>{''.join(parts)}</mrow>")


def put_in(text: str, names: dict[str, Value]) -> str:
    """Put small values into a formula: "x · y" with x=2.0, y=3.0 gives "2.0 · 3.0"."""
    texts = {name: Array.of(value).text(14) for name, value in names.items()}
    return re.sub(r"[a-z]+", lambda m: texts.get(m.group(), m.group()), text)


@dataclass
class Recorder:
    """Collects nodes, then the steps of one backward pass in the documented order."""

    title: str
    program: str = ""
    persistent: bool = False
    nodes: list[Node] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    cotangents: dict[int, Value] = field(default_factory=dict)
    held: int = 0

    def line(self, number: int | None) -> Line | None:
        if number is None:
            return None
        return Line("lesson.py", number, self.program.splitlines()[number - 1])

    def _append(self, kind: Any, value: Value, inputs: Sequence[int], **fields: Any) -> int:
        array = np.asarray(value)
        number = fields.pop("line", None)
        node = Node(
            len(self.nodes), kind, tuple(inputs), array.dtype.name, array.shape,
            value=Array.of(array), line=self.line(number), **fields,
        )  # fmt: skip
        self.nodes.append(node)
        self.values.append(value)
        self.held += node.kept
        self.steps.append(
            Step(
                "forward",
                node.id,
                sentence=self._forward_sentence(node),
                held=self.held,
                line=node.line,
            )
        )
        return node.id

    def _forward_sentence(self, node: Node) -> str:
        name = node.name or f"node {node.id}"
        assert node.value is not None
        made = f"{node.op} computes" if node.op else f"{node.kind}"
        return f"{made} {name} = {node.value.text()}."

    def source(self, name: str, value: Value, kind: str = "source", **fields: Any) -> int:
        fields.setdefault("watched", kind != "constant")
        return self._append(kind, value, (), name=name, **fields)

    def op(self, op: str, *inputs: int, name: str = "", **fields: Any) -> int:
        rule = RULES[op]
        out = rule.forward(*(self.values[i] for i in inputs))
        watched = any(self.nodes[i].watched for i in inputs)
        shown = {key: self.values[i] for key, i in zip("xy", inputs, strict=False)}
        kept = sum(np.asarray(self.values[i]).nbytes for i in set(inputs)) if watched else 0
        return self._append(
            "op", out, inputs, op=op, name=name, watched=watched, formula=formula(rule.text),
            numbers=put_in(rule.text, shown), record=len(self.nodes), kept=kept,
            keeps=", ".join(list("xy")[: len(inputs)]) if watched else "", **fields,
        )  # fmt: skip

    def backward(self, targets: Sequence[int], sources: Sequence[int]) -> Trace:
        for target in targets:
            seed = np.ones_like(self.values[target])
            self.cotangents[target] = self.cotangents.get(target, 0) + seed
            name = self.nodes[target].name or f"node {target}"
            self.steps.append(
                Step("seed", target, cotangent=Array.of(seed), held=self.held,
                     sentence=f"The cotangent of the target {name} starts at 1.")
            )  # fmt: skip
        for node in reversed(self.nodes):
            if node.id in self.cotangents and node.kind == "op" and node.watched:
                self._visit(node)
        return self._finish(targets, sources)

    def _visit(self, node: Node) -> None:
        g = self.cotangents[node.id]
        for position, to in enumerate(node.inputs):
            if self.nodes[to].watched:
                self._pull(node, position, to, g)
        if not self.persistent:
            self.held -= node.kept
            self.steps.append(
                Step("release", node.id, held=self.held, sentence=f"The tape lets {node.op} go.")
            )

    def _pull(self, node: Node, position: int, to: int, g: Value) -> None:
        text, rule = RULES[node.op or ""].pulls[position]
        inputs = [self.values[i] for i in node.inputs]
        new = fit(rule(g, *inputs, self.values[node.id]), np.shape(self.values[to]))
        names = {"g": g, "out": self.values[node.id], **dict(zip("xy", inputs, strict=False))}
        local = None
        if RULES[node.op or ""].elementwise:
            local = Array.of(rule(np.ones_like(g), *inputs, self.values[node.id]))
        old = self.cotangents.get(to)
        total = new if old is None else old + new
        self.cotangents[to] = total
        name = self.nodes[to].name or f"node {to}"
        term, whole = Array.of(new), Array.of(total)
        self.steps.append(
            Step(
                "pull", node.id, to, position, Array.of(g), term, whole, formula=formula(text),
                numbers=f"{text} = {put_in(text, names)} = {term.text(14)}", local=local,
                sentence=f"{node.op} passes {term.text()} to {name}.",
                held=self.held, line=node.line,
            )
        )  # fmt: skip
        if old is not None:
            before = Array.of(old)
            said = f"Paths meet at {name}: {before.text()} + {term.text()} = {whole.text()}."
            self.steps.append(
                Step(
                    "accumulate", to, contribution=term, old=before, total=whole, sentence=said,
                    held=self.held,
                )
            )  # fmt: skip

    def _finish(self, targets: Sequence[int], sources: Sequence[int]) -> Trace:
        gradients: dict[int, Array | None] = {}
        for source in sources:
            g = self.cotangents.get(source)
            gradients[source] = None if g is None else Array.of(g)
            if g is None:
                name = self.nodes[source].name
                self.steps.append(
                    Step(
                        "unconnected", source, held=self.held, sentence=f"No path leads to {name}."
                    )
                )
        lines = tuple(self.program.splitlines())
        return Trace(
            tuple(self.nodes), tuple(self.steps), tuple(targets), tuple(sources), gradients,
            self.title, self.persistent, (Source("lesson.py", 1, lines),) if lines else (),
        )  # fmt: skip


def squared() -> Trace:
    r = Recorder("x squared", "x = tf.Variable(3.0)\ny = x * x")
    x = r.source("x", np.float32(3), kind="variable", line=1)
    y = r.op("multiply", x, x, name="y", line=2)
    return r.backward([y], [x])


def diamond() -> Trace:
    r = Recorder("A diamond", "x = tf.constant(2.0)\na = x * x\nb = sin(x)\ny = a + b")
    x = r.source("x", np.float64(2), line=1)
    a = r.op("square", x, name="a", line=2)
    b = r.op("sin", x, name="b", line=3)
    y = r.op("add", a, b, name="y", line=4)
    return r.backward([y], [x])


def broadcasting() -> Trace:
    r = Recorder("mean((x @ w + b)²)", "x, w, b = ...\nloss = mean((x @ w + b) ** 2)")
    x = r.source("x", np.array([[1.0, 2.0, 3.0]]), kind="constant", line=1)
    w = r.source("w", np.array([[0.5, -1.0], [1.5, 0.25], [-0.5, 2.0]]), kind="variable", line=1)
    b = r.source("b", np.array([0.0, 0.0]), kind="variable", line=1)
    y = r.op("add", r.op("matmul", x, w, line=2), b, name="y", line=2)
    loss = r.op("reduce_mean", r.op("square", y, line=2), name="loss", line=2)
    return r.backward([loss], [w, b])


def thrice() -> Trace:
    r = Recorder("A node used three times")
    x = r.source("x", np.float64(2))
    cube = r.op("multiply", r.op("multiply", x, x), x, name="y")
    return r.backward([cube], [x])


def two_targets() -> Trace:
    r = Recorder("Two targets, one upstream of the other", persistent=True)
    x = r.source("x", np.float64(3))
    y = r.op("square", x, name="y")
    z = r.op("square", y, name="z")
    return r.backward([y, z], [x])


def unconnected() -> Trace:
    r = Recorder("A source that nothing uses")
    x = r.source("x", np.float64(3))
    lost = r.source("lost", np.array([1.0, 2.0]), kind="variable")
    y = r.op("exp", x, name="y")
    return r.backward([y], [x, lost])


def complex_numbers() -> Trace:
    r = Recorder("Complex numbers")
    z = r.source("z", np.array([1 + 2j, 3 - 1j], np.complex64))
    w = r.source("w", np.complex64(0.5j), kind="constant")
    y = r.op("reduce_sum", r.op("real", r.op("multiply", z, w)), name="y")
    return r.backward([y], [z])


def empty_arrays() -> Trace:
    r = Recorder("Arrays without elements")
    x = r.source("x", np.zeros((0, 3)))
    y = r.op("reduce_sum", r.op("square", x), name="y")
    return r.backward([y], [x])


def not_finite() -> Trace:
    r = Recorder("log(0)")
    x = r.source("x", np.array([0.0, 1.0, np.inf, np.nan]))
    with np.errstate(all="ignore"):
        y = r.op("reduce_sum", r.op("log", x, name="logs"), name="y")
        return r.backward([y], [x])


def hostile_names() -> Trace:
    r = Recorder(HOSTILE, "x = 1  # </script>\ny = '<b>&amp;'")
    names = [
        HOSTILE,
        "\u202eevil\u202c שלום עולם",
        "n" * 10_000,
        "two\nlines\ttab\x00nul",
        "\"&'<>]]>",
    ]
    ids = [r.source(name, np.float64(i + 1), line=1) for i, name in enumerate(names)]
    total = ids[0]
    for i in ids[1:]:
        total = r.op("multiply", total, i, name=f"<b>{i}</b>", line=2, scope=(HOSTILE,))
    return r.backward([total], ids)


def chain(length: int) -> Trace:
    """A loop of `length` ops: the learner's x goes through sin again and again."""
    r = Recorder(
        f"A chain of {length} ops", "x = tf.Variable(1.0)\nfor _ in range(n):\n    x = sin(x)"
    )
    first = x = r.source("x", np.float64(1), line=1)
    for _ in range(length):
        x = r.op("sin", x, line=3)
    return r.backward([x], [first])


def nested_layers() -> Trace:
    """The inner tape's backward ops are the outer tape's forward ops (layer 1)."""
    r = Recorder("Second derivative of x³ by two tapes")
    x = r.source("x", np.float64(2))
    square = r.op("multiply", x, x, layer=1, name="x²")
    r.op("multiply", square, x, layer=1, name="y")
    one = r.source("seed", np.float64(1), kind="constant", layer=0)
    g_square = r.op("multiply", one, x, layer=0)
    g_x = r.op("multiply", one, square, layer=0)
    left, right = r.op("multiply", g_square, x), r.op("multiply", g_square, x)
    total = r.op("add", r.op("add", g_x, left), right, name="dy/dx")
    return r.backward([total], [x])


def network(layers: int = 3, width: int = 8) -> Trace:
    """An MLP with name scopes and arrays that are too large to be shown whole."""
    rng = np.random.default_rng(0)
    r = Recorder(f"A network of {layers} layers")
    h = r.source("x", rng.normal(size=(16, width)), kind="constant")
    weights = []
    for i in range(layers):
        scope = (f"dense_{i}",)
        w = r.source(f"w{i}", rng.normal(size=(width, width)) / 3, kind="variable", scope=scope)
        b = r.source(f"b{i}", np.zeros(width), kind="variable", scope=scope)
        weights += [w, b]
        z = r.op("add", r.op("matmul", h, w, scope=scope), b, scope=scope)
        h = r.op("tanh", z, name=f"h{i}", scope=scope)
    loss = r.op("reduce_mean", r.op("square", h), name="loss")
    return r.backward([loss], weights)


def graph(inputs: Sequence[Sequence[int]], title: str = "graph") -> Trace:
    """A trace with forward steps only: node i has the given inputs; for tests of the layout."""
    r = Recorder(title)
    for i, parents in enumerate(inputs):
        if parents:
            r._append("op", np.float64(i), parents, op="op", watched=True)
        else:
            r._append("source", np.float64(i), (), name=f"s{i}", watched=True)
    return r.backward([], [])


def tangents() -> Trace:
    """The way forward of a tangent: z = x·w + x at x = 3, w = 2, so dz/dx = 3."""
    r = Recorder("A tangent of x", "y = x * w\nz = y + x")
    x = r.source("x", np.float64(3))
    w = r.source("w", np.float64(2), kind="variable")
    y = r.op("multiply", x, w, name="y", line=1)
    z = r.op("add", y, x, name="z", line=2)
    one, two, three = (Array.of(float(i)) for i in (1, 2, 3))
    first = {"local": two, "formula": formula("t · y"), "numbers": "t · y = 1.0 · 2.0 = 2.0"}
    r.steps += [
        Step("seed", x, cotangent=one, sentence="The tangent of x is 1.0."),
        Step("push", y, x, 0, one, two, two, sentence="multiply passes 2.0 to y.", **first),
        Step("push", z, y, 0, two, two, two, local=one, sentence="add passes 2.0 to z."),
        Step("push", z, x, 1, one, one, three, local=one, sentence="add passes 1.0 to z."),
        Step("accumulate", z, contribution=one, old=two, total=three, sentence="2 + 1 = 3."),
    ]
    source = (Source("lesson.py", 1, tuple(r.program.splitlines())),)
    return Trace(
        tuple(r.nodes), tuple(r.steps), (z,), (x,), {z: three}, r.title, source_text=source,
        carries="tangents",
    )  # fmt: skip


EXAMPLES: dict[str, Callable[[], Trace]] = {
    "squared": squared,
    "diamond": diamond,
    "broadcasting": broadcasting,
    "thrice": thrice,
    "two_targets": two_targets,
    "unconnected": unconnected,
    "complex": complex_numbers,
    "empty": empty_arrays,
    "not_finite": not_finite,
    "hostile": hostile_names,
    "nested_layers": nested_layers,
    "network": network,
    "tangents": tangents,
    "chain_40": lambda: chain(40),
    "chain_1000": lambda: chain(1_000),
    "chain_10000": lambda: chain(10_000),
}
