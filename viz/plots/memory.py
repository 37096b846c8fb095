"""What a tape holds in memory, by op: which values, for which rule, and until when.

A rule's signature is its memory plan, so the records say exactly what is kept and why. An array
that several records keep is counted once, for the first of them; it is free when the last of them
is released.
"""

from __future__ import annotations

import html
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from reprlib import repr as short
from typing import Any

from minitape.record import plan_of
from minitape.request import Request

from ..base.collecting import uncollected
from ..record.formulas import Formulas
from ..record.holders import held_elsewhere
from ..record.journal import journal_in_use
from ..record.kept import Holdings, arrays_of, kept_values, short_name
from ..record.lines import calling_frame
from ..record.names import tensors_in
from ..record.ops import op_name
from ..record.recorded import Graph, graph_of, tensors_of
from ..record.tapes import recording_of
from ..trace.trace import Node
from .memory_picture import Bar, picture

MANY = 3  # names or rules in a row of the table before the rest is counted
CAPTION = "An array that several ops keep is counted once."


@dataclass(frozen=True, slots=True)
class Row:
    """What the tape keeps for one kind of op.

    Attributes:
        op: the op's name.
        count: how many records of it there are.
        bytes: what these keep, arrays counted before not counted again.
        keeps: the values, in the learner's names.
        because: for each input whose rule needs a value, the rule.
    """

    op: str
    count: int
    bytes: int
    keeps: tuple[str, ...]
    because: tuple[str, ...]


class Memory:
    """What a tape holds: a table by op, and bars over the steps. Shows itself in notebooks.

    Attributes:
        rows: a row for each op, the largest first.
        total: bytes that the tape holds after the forward pass.
        only_tape: how many of them nothing but the tape keeps alive: no name of the program leads
            to these values, no object's attribute and no list.
        bars: what the tape holds after each step, dropped as it goes and persistent.
        persistent: whether this tape is persistent.
    """

    def __init__(
        self, rows: tuple[Row, ...], bars: tuple[Bar, ...], only_tape: int, persistent: bool
    ) -> None:
        for row in rows if isinstance(rows, tuple) else [rows]:
            if not isinstance(row, Row):
                raise TypeError(
                    f"Memory: rows must be a tuple of Row objects; got {short(row)} of type "
                    f"{type(row).__name__}. Write viz.memory(tape), which makes them."
                )
        self.rows = rows
        self.bars = bars
        self.total = sum(row.bytes for row in rows)
        self.only_tape = only_tape
        self.persistent = persistent

    @property
    def svg(self) -> str:
        """The bars as SVG text."""
        return picture(self.bars, self.persistent)

    @property
    def text(self) -> str:
        """The sums in sentences."""
        ops = sum(row.count for row in self.rows)
        kind = "persistent tape" if self.persistent else "tape"
        first = f"The {kind} holds {size(self.total)} for {ops} op{'s'[: ops != 1]}."
        held = f" Of these, {size(self.only_tape)} are kept alive by the tape alone."
        last = (
            " It keeps all of it until it is dropped: `del tape`."
            if self.persistent
            else " Each record is dropped as soon as `gradient` has used it."
        )
        return first + (held if self.total else "") + (last if self.rows else "")

    def save(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """Writes the picture, or words, table and picture as one offline page, .html.

        Args:
            path: ends in .svg, .png, .pdf, .tex, .pptx or .html; its folder must exist.
            **options: `width`, `theme`, `dpi` and `fonts`, as for `viz.step(...).save`.

        Raises:
            ValueError: The ending is another one.
            MissingExtraError: The format needs a package; the message says how to install it.
        """
        from ..export.drawn import Drawn, save_drawn
        from ..export.reading import sheet_of
        from ..player.offline import article

        own = {
            ".svg": lambda: self.svg,
            ".html": lambda: article("What the tape holds", self._html()),
        }
        drawn = Drawn("a table of memory", lambda: sheet_of(self.svg, notes=self.text), own=own)
        return save_drawn(drawn, path, **options)

    def __repr__(self) -> str:
        return f"<Memory: {self.text}>"

    def __str__(self) -> str:
        heads = ("op", "times", "bytes", "keeps", "because")
        lines = [heads, *(_cells(row) for row in self.rows)]
        widths = [max(len(line[i]) for line in lines) for i in range(5)]
        rows = ["  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)) for line in lines]
        return "\n".join([self.text, "", *(row.rstrip() for row in rows)])

    def _html(self) -> str:
        """Words, table and picture as plain HTML."""
        from ..base.spoken import spoken
        from ..player.page import embedded

        heads = "".join(f"<th>{name}</th>" for name in ("op", "times", "bytes", "keeps", "because"))
        body = "".join(f"<tr>{_html_cells(row)}</tr>" for row in self.rows)
        table = f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"
        said = f"<p>{spoken(self.text)}</p>"
        shown = embedded(self.svg, f"Memory that the tape holds over {len(self.bars)} steps.")
        return f"{said}{table}<p><small>{CAPTION}</small></p>{shown}"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """Table and picture as plain HTML: an untrusted notebook shows all of it."""
        return {"text/plain": str(self), "text/html": self._html()}


@uncollected
def memory(tape: Any) -> Memory:
    """Shows which arrays a tape holds in memory, and which op and rule need each.

    Args:
        tape: a GradientTape that has recorded, not yet used up.

    Returns:
        An object that shows itself: a table by op and bars over the steps, for a tape that drops
        its records as it goes and for a persistent one.

    Raises:
        TypeError: if `tape` is not a GradientTape.
        RuntimeError: if the tape has released what it recorded.

    Example:
        >>> import minitape as tf
        >>> from minitape import viz
        >>> x = tf.Variable([1.0, 2.0])
        >>> with tf.GradientTape() as tape:
        ...     y = tf.exp(x) * 3.0 + 1.0
        >>> print(viz.memory(tape))
        The tape holds 12 B for 3 ops. Of these, 12 B are kept alive by the tape alone. ...
    """
    recording = recording_of(tape)
    records = recording.records
    arrays = [array for record in records for array in arrays_of(record)]
    once = {id(array): int(array.nbytes) for array in arrays}
    roots = [tape, recording, records, journal_in_use()]
    shared = held_elsewhere(arrays, roots, calling_frame())  # before more refers to them
    names = tensors_in(calling_frame(), tensors_of(records))
    graph = graph_of(Request([], []), records, recording, names, journal_in_use())
    rows = _rows(graph, records, list(_kept(graph, records)))
    alone = sum(size for key, size in once.items() if key not in shared)
    return Memory(rows, _bars(records), alone, tape.persistent)


@dataclass(frozen=True, slots=True)
class _Kept:
    """What one record keeps."""

    op: str
    arrays: tuple[Any, ...]
    names: tuple[str, ...]


def _kept(graph: Graph, records: list[Any]) -> Iterator[_Kept]:
    for number, record in enumerate(records):
        node = graph.nodes[graph.op_nodes[number][0]]
        inputs = [short_name(graph.nodes[i]) for i in node.inputs]
        found = kept_values(record, inputs, node.name or f"the result of {op_name(record)}")
        yield _Kept(op_name(record), tuple(a for _, a in found), tuple(name for name, _ in found))


def _rows(graph: Graph, records: list[Any], kept: list[_Kept]) -> tuple[Row, ...]:
    """A row for each op, the largest first."""
    formulas = Formulas(graph, records)
    seen: set[int] = set()
    found: dict[str, list[tuple[int, tuple[str, ...], list[str]]]] = {}
    for number, each in enumerate(kept):
        new = {id(array): int(array.nbytes) for array in each.arrays if id(array) not in seen}
        seen.update(new)
        node = graph.nodes[graph.op_nodes[number][0]]
        why = list(_because(graph, formulas, records[number], node))
        found.setdefault(each.op, []).append((sum(new.values()), each.names, why))
    rows = [
        Row(
            op,
            len(parts),
            sum(count for count, _, _ in parts),
            tuple(dict.fromkeys(name for _, names, _ in parts for name in names)),
            tuple(dict.fromkeys(line for _, _, why in parts for line in why)),
        )
        for op, parts in found.items()
    ]
    return tuple(sorted(rows, key=lambda row: -row.bytes))


def _because(graph: Graph, formulas: Formulas, record: Any, node: Node) -> Iterator[str]:
    """`to x: g · y` for each input whose rule needs a value; others may be watched later."""
    plan = plan_of(record)
    for pull in sorted(plan.possible, key=lambda pull: pull not in plan.pulls):
        rule = plan.op.rules.get(plan.op.input_name(pull.position))
        if rule is None or not any(kind in {"Tensor", "Tensors"} for _, kind in rule.needs):
            continue
        formula = formulas.rule_in_symbols(node, pull)
        to = short_name(graph.nodes[node.inputs[pull.position]])
        to += "" if pull in plan.pulls else ", if watched later"
        yield f"to {to}: {formula}" if formula else f"to {to}: its rule"


def _bars(records: list[Any]) -> tuple[Bar, ...]:
    """What is held after each step: records come, then go in the opposite order."""
    holdings, bars = Holdings(), []
    for record in records:
        holdings.add(record)
        bars.append(Bar(op_name(record), True, holdings.held, holdings.held))
    everything = holdings.held
    for record in reversed(records):
        holdings.release(record)
        bars.append(Bar(op_name(record), False, holdings.held, everything))
    return tuple(bars)


def size(count: int) -> str:
    """A number of bytes as people write it.

    Example:
        >>> size(12), size(4_000), size(2_500_000)
        ('12 B', '4.0 kB', '2.5 MB')
    """
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= factor:
            return f"{count / factor:.1f} {unit}"
    return f"{count} B"


def _cells(row: Row) -> tuple[str, str, str, str, str]:
    return row.op, str(row.count), size(row.bytes), _listed(row.keeps), _listed(row.because)


def _html_cells(row: Row) -> str:
    cells = [html.escape(cell) for cell in _cells(row)]
    # JupyterLab puts all cells to the right.
    return "".join(f'<td style="text-align:left">{cell}</td>' for cell in cells)


def _listed(items: tuple[str, ...]) -> str:
    if not items:
        return "nothing"
    rest = f" and {len(items) - MANY} more" if len(items) > MANY else ""
    return "; ".join(items[:MANY]) + rest
