"""`model.summary()`: a table of layers, drawn as Keras draws it."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable
from itertools import zip_longest
from typing import Any

import numpy as np

import minitape as tf
from minitape.errors.of_arguments import checked_function, checked_integer


def print_summary(model: Any, line_length: int | None = None, print_fn: Any = None) -> None:
    """Prints the table, and the numbers below it."""
    network = model._network
    is_straight = network is None or _is_chain(network)
    heads = ["Layer (type)", "Output Shape", "Param #"] + ["Connected to"] * (not is_straight)
    rows = []
    for layer in model.layers if network is None else model.operations:
        kind = getattr(layer, "kind", type(layer).__name__)
        rows.append([f"{layer.name} ({kind})", _shape(layer), _parameters(layer)])
        if not is_straight:
            rows[-1].append(_connected(layer, network))
    if line_length is None:  # as wide as the terminal allows
        line_length = min(88 if is_straight else 108, shutil.get_terminal_size().columns - 4)
    checked_integer("summary", "line_length", line_length, "line_length=80")
    table = _table(heads, rows, _widths(line_length, len(heads)))
    write = print if print_fn is None else print_fn
    write = checked_function("summary", "print_fn", write, "summary(print_fn=print)")
    write("\n".join([f'Model: "{model.name}"', *table, *_totals(model)]))


def _is_chain(network: Any) -> bool:
    """Whether each layer is called once, with what the one before gave."""
    befores = [*network.input_symbols, *(node.outputs for node in network.nodes)]
    return len(network.input_symbols) == 1 and all(
        len(node.inputs) == 1 and node.inputs[0] is before
        for node, before in zip(network.nodes, befores, strict=False)
    )


def _shape(layer: Any) -> str:
    shapes = [x.shape for x in tf.nest.flatten(layer.nodes[-1].outputs)] if layer.nodes else []
    shapes = shapes or [tuple(each) for each in getattr(layer, "shapes_given", [])]
    return ", ".join(f"({', '.join(map(str, shape))})" for shape in shapes) or "?"


def _parameters(layer: Any) -> str:
    is_waiting = not layer.built and "build" in vars(type(layer)) and not layer.variables
    return "0 (unbuilt)" if is_waiting else f"{layer.count_params():,}"


def _connected(layer: Any, network: Any) -> str:
    """The layers that what goes into a layer comes from."""
    named = []
    for x in [x for node in layer.nodes if node in network.nodes for x in node.inputs]:
        before = x.node.operation
        place = tf.nest.flatten(x.node.outputs).index(x)
        named.append(f"{before.name}[{before.nodes.index(x.node)}][{place}]")
    return ", ".join(named) or "-"


def _widths(line_length: int, columns: int) -> list[int]:
    """The width of each column with its margins: its share of the line, less the rules."""
    shares = [0.45, 0.80, 1.0] if columns == 3 else [0.3, 0.56, 0.74, 1.0]
    ends = [int(line_length * share) for share in shares]
    widths = [end - start + 2 for start, end in zip([0, *ends], ends, strict=False)]
    excess = sum(widths) - (line_length - columns - 1)
    for i in range(columns):
        part = round(excess / (columns - i))
        widths[i], excess = widths[i] - part, excess - part
    return widths


def _table(heads: list[str], rows: list[list[str]], widths: list[int]) -> list[str]:
    def line(cells: Iterable[str], bar: str) -> str:
        fitted = [
            f" {cell:>{width - 2}} " if head == "Param #" else f" {cell:<{width - 2}} "
            for cell, width, head in zip(cells, widths, heads, strict=True)
        ]
        return bar + bar.join(fitted) + bar

    def rule(left: str, across: str, middle: str, end: str) -> str:
        return left + middle.join(across * width for width in widths) + end

    lines = [rule("┏", "━", "┳", "┓"), line(heads, "┃"), rule("┡", "━", "╇", "┩")]
    for number, row in enumerate(rows):
        lines += [rule("├", "─", "┼", "┤")] * (number > 0)
        wrapped = [_wrapped(cell, width - 2) for cell, width in zip(row, widths, strict=True)]
        lines += [line(cells, "│") for cells in zip_longest(*wrapped, fillvalue="")]
    return [*lines, rule("└", "─", "┴", "┘")]


def _wrapped(cell: str, width: int) -> list[str]:
    """The lines of a cell; a word that is too long is cut."""
    lines = textwrap.wrap(cell, width, break_long_words=False, break_on_hyphens=False) or [""]
    return [each if len(each) <= width else each[: width - 1] + "…" for each in lines]


def _totals(model: Any) -> list[str]:
    learnt, fixed = model.trainable_variables, model.non_trainable_variables
    optimizer = getattr(model, "optimizer", None)
    slots = [] if optimizer is None else list(optimizer.variables)
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
