"""`viz.jacobian`: the matrix of all derivatives as a heat map, its rows and columns as passes.

Row i is the gradient whose seed is 1 at element i of the target and 0 elsewhere, column j is what
arrives at the target from a tangent that is 1 at element j of the source; `row(i)` and `column(j)`
are the step players of exactly these passes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from minitape.batches.jacobian import check_batches
from minitape.request import Request

from ..base.numbers import short
from ..picture.canvas import Canvas
from ..picture.svg import svg
from ..player.notebook import Player
from ..player.payload import Plain, payload
from ..player.shown import without_tooltips
from ..plots.exhibit import Exhibit, Moves, Table
from ..record.build import build
from ..record.journal import journal_in_use
from ..record.lines import calling_frame
from ..record.names import tensors_in
from ..record.tangents import build_tangents
from ..record.tapes import recording_of
from . import picture as picture
from .structure import MAX_ENTRIES, Numbers, Structure, structure


class JacobianView(Exhibit):
    """A jacobian that shows itself.

    Attributes:
        matrix: the numbers, a row per element of the target, a column per element of the source.
        structure: which entries no path leads to.
        rows, columns: the names of the elements, such as `y[0]` and `x[1,2]`.
        blocks: with `batch_jacobian=True` the diagonal blocks, [examples, outputs, inputs].
        independent: whether the entries off the diagonal blocks have no path (None without blocks).
    """

    called = "a jacobian"

    def __init__(
        self, found: Structure, ends: tuple[Any, Any], passes: Passes, batches: int
    ) -> None:
        (self._target, target_shape), (self._source, source_shape) = ends
        self.structure = found
        self.matrix = found.matrix
        self.rows = element_names(self._target, target_shape)
        self.columns = element_names(self._source, source_shape)
        self._target_shape, self._source_shape = target_shape, source_shape
        self._passes = passes
        self.batches = batches
        self.blocks = _blocks(found.matrix, batches) if batches else None
        self.independent = bool(_inside(found, batches)) if batches else None

    @property
    def title(self) -> str:
        """What it is the jacobian of."""
        return f"Jacobian of {self._target} with respect to {self._source}"

    @property
    def words(self) -> str:
        """Counts of the zeros, and with blocks whether the examples are independent."""
        said = self.structure.words()
        if self.independent is None:
            return said
        if self.independent:
            pattern = self.structure.pattern
            plain = pattern in ("diagonal", "zero", "empty")
            return self.structure.words(pattern if plain else "block diagonal") + (
                "\nNo path leads from one example to another: the examples are independent, and "
                "the diagonal blocks are all there is (tape.batch_jacobian gives them)."
            )
        outside = np.abs(_outside(self.matrix, self.batches))
        largest = short(float(np.nanmax(outside))) if np.isfinite(outside).any() else "nan"
        return said + (
            "\nThe examples are NOT independent: paths lead from one example to another (the "
            f"largest entry off the diagonal blocks is {largest} in size). tape.batch_jacobian "
            "adds these entries to the blocks, which is not what it is meant for; use "
            "tape.jacobian, or remove what mixes the examples (a mean over the batch, for "
            "instance)."
        )

    def row(self, index: int | tuple[int, ...]) -> Player:
        """The step player of the sweep that computes one row.

        Args:
            index: the row's number, or the element's index in the target.

        Raises:
            IndexError: if there is no such element.
        """
        return self._passes.row(_flat(index, self._target_shape, self._target, len(self.rows)))

    def column(self, index: int | tuple[int, ...]) -> Player:
        """The step player of the pass that computes one column: tangents from the source forward.

        `.tangents` is the column, in the target's shape (None where no path leads there at all).

        Args:
            index: the column's number, or the element's index in the source.

        Raises:
            IndexError: if there is no such element.
            ValueError: if target or source is complex.
        """
        return self._passes.column(self._column(index))

    def reaches(self, index: int | tuple[int, ...]) -> str:
        """One sentence about a column: which elements of the target it reaches, and how strongly.

        Raises:
            IndexError: if there is no such element.
        """
        j = self._column(index)
        reached = np.flatnonzero(self.structure.reached[:, j]).tolist()
        parts = [f"{self.rows[i]} ({short(self.matrix[i, j])})" for i in reached[:12]]
        more = f" and {len(reached) - 12} more" if len(reached) > 12 else ""
        return f"{self.columns[j]} reaches {', '.join(parts) or 'nothing'}{more}."

    def _column(self, index: int | tuple[int, ...]) -> int:
        return _flat(index, self._source_shape, self._source, len(self.columns))

    def canvas(self) -> Canvas:
        """The heat map."""
        return picture.draw(self.title, self.structure, self.rows, self.columns, self.batches)

    def moves(self) -> Moves:
        """A frame per row and per column, with its player where the jacobian is small enough."""
        if not 0 < self.matrix.size <= picture.MAX_CELLS:
            return Moves()
        row_frames = picture.frames(self.structure, self.rows, self.columns)
        said = [self.reaches(j) for j in range(len(self.columns))]
        column_frames = picture.column_frames(self.structure, self.rows, self.columns, said)
        is_real = not np.iscomplexobj(self.matrix)
        columns = self._passes.linked(len(said), self.column) if is_real else ([], "")
        beside = Moves(column_frames, 0, "Column", "x", *columns, name="Columns: tangents forward")
        rows = self._passes.linked(len(self.rows), self.row)
        return Moves(row_frames, 0, "Row", "y", *rows, "Rows: gradients backward", beside)

    def table(self) -> Table | None:
        """The entries that are not zero."""
        filled = np.argwhere(self.matrix != 0)
        cells = [(self.rows[i], self.columns[j], short(self.matrix[i, j])) for i, j in filled[:300]]
        heads = ("row", "column", "derivative")
        return Table(f"{len(filled):,} entries that are not zero", heads, cells)


def jacobian(tape: Any, target: Any, source: Any, batch_jacobian: bool = False) -> JacobianView:
    """The Jacobian as a heat map, with its structure, and a step player for each row and column.

    The tape is not used up.

    Args:
        tape: a GradientTape that has recorded, not yet used up.
        target: a tensor.
        source: a tensor or variable.
        batch_jacobian: whether the first axis of both counts examples: then the diagonal blocks
            are marked, and it is checked that nothing leads from one example to another.

    Raises:
        TypeError: if `tape` is not a GradientTape, or target or source is not one tensor.
        RuntimeError: if the tape has released what it recorded.
        ValueError: if the jacobian would be too large, or there are no examples to pair.

    Example:
        >>> import minitape as tf
        >>> from minitape import viz
        >>> x = tf.Variable([1.0, 2.0, 3.0])
        >>> with tf.GradientTape() as tape:
        ...     y = x * x
        >>> view = viz.jacobian(tape, y, x)
        >>> print(view.words)
        3 × 3, diagonal: 6 of 9 (66.67 %) structural zeros (no path leads there).
        >>> view.row(1).gradients.numpy().tolist()
        [0.0, 4.0, 0.0]
        >>> view.column(2).tangents.numpy().tolist()
        [0.0, 0.0, 6.0]
    """
    recording = recording_of(tape)
    request = Request(target, source)
    _check_ends(request)
    (target,), (source,) = request.targets, request.sources
    if batch_jacobian:
        check_batches(request)
    names = tensors_in(calling_frame(), [target, source])
    records = recording.records
    ends = (_end(target, names, "y"), _end(source, names, "x"))
    options = {"journal": journal_in_use(), "persistent": tape.persistent}
    called = (element_names(*ends[0]), element_names(*ends[1]))
    passes = Passes((target, source), called, (records, recording), names, options)
    batches = int(target.spec.shape[0]) if batch_jacobian else 0
    return JacobianView(structure(request, records, recording.watched), ends, passes, batches)


def _check_ends(request: Request) -> None:
    if len(request.targets) != 1 or len(request.sources) != 1:
        raise TypeError(
            f"viz.jacobian shows one target and one source, got {len(request.targets)} and "
            f"{len(request.sources)}. A picture has one matrix: call it once for each pair."
        )
    height, width = (prod(end.spec.shape) for end in (*request.targets, *request.sources))
    if height * width > MAX_ENTRIES:
        raise ValueError(
            f"the jacobian would have {height:,} × {width:,} entries, more than the "
            f"{MAX_ENTRIES:,} that can be shown. Take a slice of the target inside the tape "
            "(`part = y[:10]`), or a smaller example."
        )


def _end(end: Any, names: dict[int, tuple[str, Any]], otherwise: str) -> tuple[str, Any]:
    """The name and the shape of a target or source."""
    name = names[end.id][0] if end.id in names else otherwise
    return name, tuple(int(n) for n in end.spec.shape)


def element_names(name: str, shape: Sequence[int]) -> list[str]:
    """The names of an array's elements, in row-major order.

    Example:
        >>> element_names("x", (1, 2)), element_names("y", ())
        (['x[0,0]', 'x[0,1]'], ['y'])
    """
    if not shape:
        return [name]
    return [f"{name}[{','.join(map(str, index))}]" for index in np.ndindex(*shape)]


def _flat(index: int | tuple[int, ...], shape: Sequence[int], name: str, count: int) -> int:
    try:
        if isinstance(index, tuple):
            return int(np.arange(count).reshape(shape)[index])
        return range(count)[index]
    except (IndexError, TypeError) as error:
        raise IndexError(
            f"there is no element {index!r}: {name} has shape {tuple(shape)}, and its elements are "
            f"numbered 0 to {count - 1}; or take an index such as {(0,) * len(shape)}"
        ) from error


def _blocks(matrix: Numbers, batches: int) -> Numbers:
    height, width = matrix.shape[0] // batches, matrix.shape[1] // batches
    cut = matrix.reshape(batches, height, batches, width)
    return np.stack([cut[i, :, i] for i in range(batches)])


def _outside(matrix: Numbers, batches: int) -> Numbers:
    """The entries off the diagonal blocks."""
    height, width = matrix.shape[0] // batches, matrix.shape[1] // batches
    inside = np.kron(np.eye(batches), np.ones((height, width))).astype(bool)
    off: Numbers = matrix[~inside]
    return off


def _inside(found: Structure, batches: int) -> bool:
    return not _outside(found.reached, batches).any()


# The passes behind a jacobian: a backward sweep for each row, a pass of tangents for each column.


MAX_LINKED = 16
MAX_LINKED_NODES = 60


class Passes:
    """What is needed to run them again: a snapshot of the tape, and the names.

    Args:
        ends: target and source.
        called: the names of their elements.
        recorded: the records and the engine's recording.
        names: name and tensor by id.
        options: of `build`.
    """

    def __init__(
        self,
        ends: tuple[Any, Any],
        called: tuple[list[str], list[str]],
        recorded: tuple[list[Any], Any],
        names: dict[int, tuple[str, Any]],
        options: dict[str, Any],
    ) -> None:
        self.target, self.source = ends
        self.called = called
        self.recorded = recorded
        self.names, self.options = names, options

    def row(self, i: int) -> Player:
        """The player of the sweep that computes one row."""
        weight = _unit(self.target, i)
        request = Request(self.target, self.source, weight)
        title = f"Row {self.called[0][i]}: the seed is 1 there and 0 elsewhere"
        built = build(request, *self.recorded, self.names, **self.options, title=title)
        return Player(built.trace, request.results(built.cotangents))

    def column(self, j: int) -> Player:
        """The player of the pass of tangents that computes one column."""
        request = Request(self.target, self.source)
        name = self.called[1][j]
        title = f"Column {name}: the tangent is 1 there and 0 elsewhere"
        options = {**self.options, "title": title, "ending": f" This is the column of `{name}`."}
        unit = _unit(self.source, j)
        trace, found = build_tangents(request, unit, *self.recorded, self.names, **options)
        return Player(trace, found)

    def linked(self, count: int, player: Callable[[int], Player]) -> tuple[list[Plain], str]:
        """The data of a page's players and the picture that they share; none where that is much.

        Its boxes have room for the texts of all passes, so nothing moves from one to the next.
        """
        if count > MAX_LINKED or len(self.recorded[0]) > MAX_LINKED_NODES:
            return [], ""
        traces = [player(i).trace for i in range(count)]
        every = tuple(step for trace in traces for step in trace.steps)
        drawing = without_tooltips(svg(replace(traces[0], steps=every)))
        return [payload(trace) for trace in traces], drawing


def _unit(end: Any, element: int) -> Any:
    """1 at one element of an array like an end, 0 elsewhere."""
    array = np.zeros(tuple(end.spec.shape), end.spec.dtype)
    array.reshape(-1)[element : element + 1] = 1
    return array
