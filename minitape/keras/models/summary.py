"""`model.summary()`: a table of layers, drawn as Keras draws it."""

from __future__ import annotations

import shutil
import textwrap
from typing import Any

import numpy as np

import minitape as tf
from minitape.errors.of_arguments import checked_function, checked_integer


def print_summary(model: Any, line_length: int | None = None, print_fn: Any = None) -> None:
    """Prints the table, and the numbers below it."""
    is_straight = not getattr(model, "_network", None) or _is_chain(model._network)
    heads = ["Layer (type)", "Output Shape", "Param #"] + ["Connected to"] * (not is_straight)
    widths = _widths(line_length or _line_length(len(heads)), len(heads))
    rows = [_row(layer, None if is_straight else model) for layer in _steps(model)]
    text = "\n".join([f'Model: "{model.name}"', *_table(heads, rows, widths), *_totals(model)])
    write = print if print_fn is None else print_fn
    checked_function("summary", "print_fn", write, "summary(print_fn=print)")(text)


def _steps(model: Any) -> list[Any]:
    return list(model.layers if model._network is None else model.operations)


def _line_length(columns: int) -> int:
    """As wide as the terminal allows."""
    return min(88 if columns == 3 else 108, shutil.get_terminal_size().columns - 4)


def _widths(line_length: int, columns: int) -> list[int]:
    """The width of each column with its margins: its share of the line, less the rules."""
    checked_integer("summary", "line_length", line_length, "line_length=80")
    shares = [0.45, 0.80, 1.0] if columns == 3 else [0.3, 0.56, 0.74, 1.0]
    ends = [int(line_length * share) for share in shares]
    widths = [end - start + 2 for start, end in zip([0, *ends], ends, strict=False)]
    excess = sum(widths) - (line_length - columns - 1)
    for i in range(columns):
        part = round(excess / (columns - i))
        widths[i], excess = widths[i] - part, excess - part
    return widths


def _is_chain(network: Any) -> bool:
    """Whether each layer is called once, with what the one before gave."""
    return len(network.input_symbols) == 1 and all(
        len(node.inputs) == 1 and node.inputs[0] is before
        for node, before in zip(
            network.nodes,
            [*network.input_symbols, *(n.outputs for n in network.nodes)],
            strict=False,
        )
    )


def _row(layer: Any, model: Any) -> list[str]:
    kind = getattr(layer, "kind", type(layer).__name__)
    row = [f"{layer.name} ({kind})", _shape(layer), _parameters(layer)]
    return row if model is None else [*row, _connected(layer, model._network)]


def _parameters(layer: Any) -> str:
    is_waiting = not layer.built and "build" in vars(type(layer)) and not layer.variables
    return "0 (unbuilt)" if is_waiting else f"{layer.count_params():,}"


def _shape(layer: Any) -> str:
    shapes = [x.shape for x in tf.nest.flatten(layer.nodes[-1].outputs)] if layer.nodes else []
    shapes = shapes or [tuple(each) for each in getattr(layer, "shapes_given", [])]
    return ", ".join(f"({', '.join(map(str, shape))})" for shape in shapes) or "?"


def _connected(layer: Any, network: Any) -> str:
    """The layers that what goes into a layer comes from."""
    named = []
    for node in layer.nodes:
        if node in network.nodes:
            for x in node.inputs:
                before = x.node.operation
                place = tf.nest.flatten(x.node.outputs).index(x)
                named.append(f"{before.name}[{before.nodes.index(x.node)}][{place}]")
    return ", ".join(named) or "-"


def _table(heads: list[str], rows: list[list[str]], widths: list[int]) -> list[str]:
    right = [head == "Param #" for head in heads]

    def line(cells: list[str], bar: str) -> str:
        fitted = [
            f" {cell:>{width - 2}} " if is_right else f" {cell:<{width - 2}} "
            for cell, width, is_right in zip(cells, widths, right, strict=True)
        ]
        return bar + bar.join(fitted) + bar

    def rule(left: str, across: str, middle: str, end: str) -> str:
        return left + middle.join(across * width for width in widths) + end

    lines = [rule("┏", "━", "┳", "┓"), line(heads, "┃"), rule("┡", "━", "╇", "┩")]
    for number, row in enumerate(rows):
        if number:
            lines.append(rule("├", "─", "┼", "┤"))
        wrapped = [_wrapped(cell, width - 2) for cell, width in zip(row, widths, strict=True)]
        for i in range(max(map(len, wrapped))):
            lines.append(line([part[i] if i < len(part) else "" for part in wrapped], "│"))
    return [*lines, rule("└", "─", "┴", "┘")]


def _wrapped(cell: str, width: int) -> list[str]:
    """The lines of a cell; a word that is too long is cut."""
    lines = textwrap.wrap(cell, width, break_long_words=False, break_on_hyphens=False) or [""]
    return [each if len(each) <= width else each[: width - 1] + "…" for each in lines]


def _totals(model: Any) -> list[str]:
    learnt, fixed = model.trainable_variables, model.non_trainable_variables
    optimizer = getattr(model, "optimizer", None)
    slots = list(optimizer.variables) if optimizer is not None else []
    lines = [
        f" Total params: {_count([*learnt, *fixed, *slots])}",
        f" Trainable params: {_count(learnt)}",
        f" Non-trainable params: {_count(fixed)}",
    ]
    return lines + ([f" Optimizer params: {_count(slots)}"] if slots else [])


def _count(variables: list[Any]) -> str:
    """How many numbers variables hold, and how much memory they take."""
    sizes = [int(np.prod(tuple(v.shape))) for v in variables]
    memory = float(sum(n * v.spec.dtype.itemsize for n, v in zip(sizes, variables, strict=True)))
    for unit in ("B", "KB", "MB", "GB"):
        if memory < 1024 or unit == "GB":
            break
        memory /= 1024
    return f"{sum(sizes):,} ({memory:.2f} {unit})"
