"""The row of arrays of a step: a mark and digits for each element, or, where it is tight, marks.

A mark's area is an element's size as a share of the array's largest, and a hollow one is negative.
Digits that would be smaller than 7 points are left out, and the marks stay.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.safety.silence import Silence

from ...base.numbers import short, value_of
from ...base.quoting import equation
from ...export.items import Item, Look, Path, Rect, Run
from ..scene.again import values_of
from ..scene.meeting import at
from ..scene.parts import Role
from ..ways import meets, sign_of
from .blocks import GREY, LINE, SMALLEST, Block, expression, paragraph, text, width

if TYPE_CHECKING:
    from ...trace.trace import Step
    from ..scene.parts import Scene
    from ..scene.steps import Scenes

HUES: dict[Role, str] = {
    "sign": "ink", "value": "blue", "slope": "ink", "gradient": "orange", "sum": "green",
}  # fmt: skip
MOST_DIGITS = 96  # elements of an array whose digits are written
AXES = {"image": (0, 3, 1, 2), "kernel": (2, 3, 0, 1)}  # tiles are channels
MOST_CELLS = 1024  # marks; of a larger array each stands for a block and is its largest element
LARGEST_CELL, SMALLEST_CELL = 18.0, 3.0
SMALLEST_MARK = 0.16
TRUTHS = ("True", "False")
SHEET = Look("paper", "rule", 0.75)
MOST_LINES = 3  # of a row of arrays
MOST_ACROSS = 16  # tiles
TILES = 4.0  # between the tiles of an array with more than two axes


@dataclass(frozen=True, slots=True)
class Matrix:
    """An array as it is seen: as tiles of rows and columns.

    Attributes:
        caption: what it is.
        role: what its numbers are.
        shape: of the array.
        values: its elements by tile, row and column.
        flats: which elements these are, counted row by row.
        lit: elements that the equation is about.
        pick: the element that the equation gives.
        across: how many tiles belong side by side: those of one image.
        texts: its elements as they are written, of an array that has few.
        widest: how wide the widest of them is, in letters of size 1.
    """

    caption: str
    role: Role
    shape: tuple[int, ...]
    values: Any
    flats: Any
    lit: frozenset[int] = frozenset()
    pick: int | None = None
    across: int = 1
    texts: tuple[str, ...] = ()
    widest: float = 0.0

    @property
    def has_digits(self) -> bool:
        """Whether its elements can be written."""
        return self.values.size <= MOST_DIGITS and len(self.values) == 1


def matrix(
    caption: str, role: Role, array: Any, form: str = "", known: frozenset[str] = frozenset(),
    name: str = "", is_turned: bool = False,
) -> Matrix | None:  # fmt: skip
    """An array as it is seen; None for one that was not kept, or has no numbers.

    Args:
        caption: what it is.
        role: what its numbers are.
        array: the record.
        form: "image" or "kernel", where it is one of images or kernels.
        known: what elements are called that an equation is about.
        name: what the array is called there.
        is_turned: whether its rows are seen as columns.
    """
    values = values_of(array)
    if values is None or not values.size or values.dtype.kind not in "fiub":
        return None
    shape = tuple(values.shape)
    lit = [
        flat
        for flat in range(values.size if name and values.size <= MOST_CELLS else 0)
        if at(name, shape, flat) in known
    ]
    axes: tuple[int, ...] | None = AXES.get(form) if len(shape) == 4 else None
    if is_turned and len(shape) == 2:
        axes = (1, 0)
    flats = np.arange(values.size).reshape(shape)
    if axes is not None:
        values, flats = values.transpose(axes), flats.transpose(axes)
    seen = values.shape
    rows, columns = seen[-2:] if len(seen) > 1 else (1, seen[0] if seen else 1)
    tiles = (-1, rows, columns)
    shown = shape[::-1] if axes == (1, 0) else shape
    across = seen[-3] if len(seen) > 2 else 1
    tiled = values.reshape(tiles), flats.reshape(tiles)
    few = values.ravel().tolist() if values.size <= MOST_DIGITS else []
    texts = tuple(short(value) for value in few)
    widest = max((width(Run(said, bold=True), 1.0) for said in texts), default=0.0)
    places = frozenset(lit)
    return Matrix(caption, role, shown, *tiled, places, None, across, texts, widest)


Part = Matrix | str


def parts_of(scenes: Scenes, scene: Scene, forms: Mapping[int, str]) -> list[Part]:
    """The arrays of a step with the signs between them; empty where it has none to be drawn.

    Args:
        scenes: of the trace.
        scene: the step.
        forms: which nodes are images, and which kernels.
    """
    if not scene.row:
        return []
    step, known = scenes.steps[scene.number - 1], _said(scene)
    arrays = scenes.pictures.arrays(step)
    drawn = [
        matrix(each.caption, each.role, each.array, forms.get(each.node, ""), known, each.name)
        for each in arrays
    ]
    whole = [each for each in drawn if each is not None]
    if len(whole) < len(arrays):
        return []
    pick = scene.row[-1].pick
    shape = scene.row[-1].shape
    flat = int(np.ravel_multi_index(pick, shape)) if pick else None
    result = replace(whole[-1], lit=frozenset(), pick=flat)
    before = whole[:-1]
    signed = _equation(scenes, step, known, before, forms) or _op(scenes, step, before)
    if signed[-1] == "=":
        node = scenes.trace.nodes[step.node]
        is_product = step.kind != "accumulate" and meets(node)
        signed[-1] = true_sign(signed[:-1], result, is_product)
    return [*signed, result]


def true_sign(row: Sequence[Part], result: Matrix, is_product: bool = False) -> str:
    """The sign between a row and its result, as its digits are written: "=", "≈" or "→".

    Where no digits are written, or it is no row of arrays and signs, nothing is worked out.

    Args:
        row: arrays and the signs between them.
        result: what stands behind the sign.
        is_product: whether "·" joins rows with columns.
    """
    items: list[Any] = [each.strip() if isinstance(each, str) else each for each in row]
    if isinstance(items[0], str) and items[0] == "−":
        items = [-1.0, "·", *items[1:]]
    arrays, signs = items[::2], items[1::2]
    written = [each for each in (*items, result) if isinstance(each, Matrix)]
    plain = not any(isinstance(each, str) for each in arrays) and all(
        isinstance(sign, str) and sign in {"·", "⊙", "×", "/", "+", "−"} for sign in signs
    )
    if not plain or not all(each.has_digits for each in written):
        return "="
    first, *rest = [_as_written(each) if isinstance(each, Matrix) else each for each in arrays]
    terms = [first]
    with Silence():
        for sign, value in zip(signs, rest, strict=True):
            if sign in "+−":
                terms.append(value if sign == "+" else -value)
            elif sign == "/":
                terms.append(terms.pop() / value)
            else:
                terms.append(np.matmul(terms.pop(), value) if is_product else terms.pop() * value)
        mine = sum(terms[1:], terms[0])
    said = _as_written(result)
    largest = max(float(np.max(np.abs(each))) for each in map(_as_written, written))
    if np.shape(mine) != said.shape and np.size(mine) != 1:
        return "="
    found = equation(lambda _: mine, said, "float32", largest, len(written))
    return {"≠": "→"}.get(found.sign, found.sign)


def _as_written(each: Matrix) -> Any:
    numbers = [float(said == "True") if said in TRUTHS else value_of(said) for said in each.texts]
    return np.array(numbers).reshape(each.values.shape[1:])


def _said(scene: Scene) -> frozenset[str]:
    """What the numbers of the equation are called."""
    claims = [scene.claim] if scene.claim is not None else []
    claims += [column.claim for column in scene.meet.columns] if scene.meet is not None else []
    return frozenset(term.under for claim in claims for term in claim.left if term.under)


def _equation(
    scenes: Scenes, step: Step, known: frozenset[str], came: Sequence[Matrix],
    forms: Mapping[int, str],
) -> list[Part]:  # fmt: skip
    """What a pull computes, where its trace has it as arrays and signs."""
    found: list[Part] = []
    for term in step.equation if step.kind == "pull" else ():
        operand = None if term.operand is None else step.operands[term.operand]
        array = term.value if term.value is not None or operand is None else operand.value
        if operand is None and term.value is None:
            found.append(term.text)
            continue
        if operand is not None and operand.node == step.node and operand.symbol == "g" and came:
            found.append(_as_used(came[0], array))
            continue
        node = None if operand is None else operand.node
        name = "" if node is None else scenes.names[node]
        form = "" if node is None else forms.get(node, "")
        caption = _caption(name, term.transposed) or term.text
        part = matrix(caption, "value", array, form, known, name, term.transposed)
        if part is None:
            return []
        found.append(part)
    return [*found, "="] if any(isinstance(each, Matrix) for each in found) else []


def _caption(name: str, is_turned: bool) -> str:
    if not is_turned or not name:
        return name
    return f"{name}ᵀ" if name.replace("_", "").isalnum() else f"({name})ᵀ"


def _as_used(came: Matrix, array: Any) -> Matrix:
    """What has arrived in the shape in which it is used: a column, say, beside a matrix."""
    shape = came.shape if array is None else tuple(array.shape)
    if math.prod(shape) != came.values.size or len(shape) != 2:
        return came
    tiles = (1, *shape)
    values, flats = came.values.reshape(tiles), came.flats.reshape(tiles)
    return replace(came, shape=shape, values=values, flats=flats)


def _op(scenes: Scenes, step: Step, before: Sequence[Matrix]) -> list[Part]:
    """The inputs of an op, with its sign where it has one between two of them."""
    node = scenes.trace.nodes[step.node]
    sign = sign_of(node) if step.kind == "forward" and len(node.inputs) == 2 else ""
    if any(each.json == "true" for each in node.attributes):
        sign = ""  # an operand is turned within the op
    found: list[Part] = []
    for i, part in enumerate(before):
        found += [sign or ","] if i else []
        found.append(part)
    return [*found, "=" if sign and len(before) == 2 else "→"]


# Drawn: digits beside or below their marks, digits that are smaller, at last marks alone.


@dataclass(frozen=True, slots=True)
class Way:
    """How the cells of all arrays of a row are drawn; `size` 0 is without digits."""

    size: float
    beside: bool = False
    cell: float = 0.0


Drawings = dict[tuple[Way, float, float], list[Block]]


def ways(size: float, least: float) -> Iterator[Way]:
    """From what says most to what needs the least room."""
    for share in (1.0, 0.9, 0.8, 0.7):
        if size * share >= least:
            yield Way(size * share, beside=True)
            yield Way(size * share)
    if size * 0.7 < least <= size:
        yield Way(least)
    cell = round(max(LARGEST_CELL, 1.7 * size))
    while cell >= SMALLEST_CELL:
        yield Way(0.0, cell=float(cell))
        cell -= 1


def row(
    parts: Sequence[Part], room: float, size: float, high: float = math.inf,
    least: float = SMALLEST, folds: bool = False, made_before: Drawings | None = None,
) -> tuple[Block, bool]:  # fmt: skip
    """Arrays and signs on one line, or on several where even marks alone need more than one.

    Args:
        parts: the arrays and signs.
        room: how wide it may be.
        size: of the letters.
        high: how high it may be.
        least: how small digits may be.
        folds: whether a row with digits may have two lines.
        made_before: the drawings of these parts so far, for a caller that tries several heights.

    Returns:
        The row, and whether it has the digits of every array that is small enough for them.
    """
    gap, digits = _gap(size), any(isinstance(each, Matrix) and each.has_digits for each in parts)
    tried = list(ways(size, least))
    drawings: Drawings = {} if made_before is None else made_before
    for way in tried:
        most = 2 if folds and way.size else 1
        made = _fitting(parts, way, size, room, high, most, drawings)
        if made is not None:
            return made, way.size > 0 or not digits
    for way in tried:  # on a narrow sheet marks that can be seen, on several lines
        made = None if way.size else _fitting(parts, way, size, room, high, MOST_LINES, drawings)
        if made is not None:
            return made, False
    blocks = _all_drawn(parts, tried[-1], size, room, drawings)
    return _on_lines(_lines(blocks, room, gap), gap, size), False


def _fitting(
    parts: Sequence[Part], way: Way, size: float, room: float, high: float, most: int,
    drawings: Drawings,
) -> Block | None:  # fmt: skip
    """A row on at most so many lines; None where it does not fit."""
    needs = [_least(part, way) for part in parts]
    if sum(wide for wide, _ in needs) > room * most or max(tall for _, tall in needs) > high:
        return None
    lines = _lines(_all_drawn(parts, way, size, room, drawings), room, _gap(size))
    made = _on_lines(lines, _gap(size), size)
    fits = len(lines) <= most and made.width <= room and made.height <= high
    return made if fits else None


def _all_drawn(
    parts: Sequence[Part], way: Way, size: float, room: float, drawings: Drawings
) -> list[Block]:
    key = (way, size, room)
    if key not in drawings:
        drawings[key] = [_drawn(part, way, size, room) for part in parts]
    return drawings[key]


def _least(part: Part, way: Way) -> tuple[float, float]:
    """What the cells of an array need at least, without building them."""
    if isinstance(part, str):
        return 0.0, 0.0
    _, rows, columns = part.values.shape
    if way.size and part.has_digits:
        wide, high, _ = _cell_size(part, way)
        return columns * wide, rows * high
    return (columns * way.cell, rows * way.cell) if part.values.size <= MOST_CELLS else (0.0, 0.0)


def _cell_size(part: Matrix, way: Way) -> tuple[float, float, float]:
    """Width and height of a cell with digits, and how large its mark is."""
    size, is_number = way.size, not part.shape
    mark = size * (1.0 if way.beside else 0.75)
    beside = mark + 3 if way.beside and not is_number else 0.0
    high = size * (1.55 if way.beside or is_number else 2.15)
    return part.widest * size + 8 + beside, high, mark


def _gap(size: float) -> float:
    return size * 0.6


def _lines(blocks: Sequence[Block], room: float, gap: float) -> list[list[Block]]:
    lines: list[list[Block]] = [[]]
    used = 0.0
    for block in blocks:
        if used + block.width > room and lines[-1]:
            lines.append([])
            used = 0.0
        lines[-1].append(block)
        used += block.width + gap
    return _signs_first(lines)


def _signs_first(lines: list[list[Block]]) -> list[list[Block]]:
    """A sign at the end of a line begins the next one."""
    for line, following in pairwise(lines):
        while len(line) > 1 and line[-1].name == "sign":
            following.insert(0, line.pop())
    return lines


def _on_lines(lines: Sequence[Sequence[Block]], gap: float, size: float) -> Block:
    items: list[Item] = []
    top = wide = 0.0
    for line in lines:
        left, middle = 0.0, max(block.middle for block in line)
        high = middle + max(block.height - block.middle for block in line)
        for block in line:
            items.append(block.at(left, top + middle - block.middle))
            left += block.width + gap
        wide = max(wide, left - gap)
        top += high + size * 0.5
    return Block("arrays", wide, top - size * 0.5, tuple(items))


def _drawn(part: Part, way: Way, size: float, room: float) -> Block:
    if isinstance(part, str):
        run = Run(part, colour=GREY, math=True)
        high = LINE * size
        return Block("sign", width(run, size), high, (text(0.0, 0.0, run, size),), high / 2)
    digits = way.size and part.has_digits
    cells = _with_digits(part, way) if digits else _marks_alone(part, way, size, room)
    small = max(SMALLEST, 0.85 * size)
    pad = 7.0 if part.pick is not None else 2.0
    own = expression(Run(part.caption, "mono", bold=True, colour="ink"))
    shape = Run(f" {list(part.shape)}", "mono", colour=GREY, math=True) if part.shape else Run("")
    runs = [*own, shape] if part.shape else own
    longest = max(width(Run(w, "mono", True), small) for w in part.caption.split(" "))
    usual = min(9.0 * small, 0.24 * room)
    limit = min(max(cells.width, longest, usual), room - 2 * pad)
    caption = paragraph("caption", runs, small, limit)
    wide = max(cells.width, caption.width) + 2 * pad
    down = caption.height + 2 + (0.6 * pad if part.pick is not None else 0.0)
    high = down + cells.height + (0.6 * pad if part.pick is not None else 0.0)
    items: list[Item] = []
    if part.pick is not None:
        hue = HUES[part.role]
        items.append(Rect(0.0, 0.0, wide, high, Look(f"{hue}-soft", hue, 1.5), 5.0))
    items.append(caption.at(pad, down - caption.height - 2))
    items.append(cells.at(pad + (wide - 2 * pad - cells.width) / 2, down))
    return Block(part.caption, wide, high, tuple(items), down + cells.height / 2)


def _with_digits(part: Matrix, way: Way) -> Block:
    """Brackets around digits and their marks; a number has neither brackets nor a mark."""
    texts, size = part.texts, way.size
    _, rows, columns = part.values.shape
    wide, high, mark = _cell_size(part, way)
    is_number = not part.shape
    left, top = 6.0, 3.0
    largest = _largest(part.values)
    items: list[Item] = []
    elements = zip(part.values.ravel().tolist(), texts, part.flats.ravel().tolist(), strict=True)
    for i, (value, said, flat) in enumerate(elements):
        r, c = divmod(i, columns)
        x, y = left + c * wide, top + r * high
        items += _frame(part, flat, x, y, wide, high)
        bold = flat == part.pick
        run = Run(said, bold=bold, colour=GREY if value == 0 else "ink", math=True)
        if is_number:
            items.append(text(x + wide / 2, y + (high - size) / 2, run, size, "middle"))
        elif way.beside:
            items += _mark(value, largest, part.role, x + 3, y + (high - mark) / 2, mark)
            items.append(text(x + wide - 4, y + (high - size) / 2, run, size, "end"))
        else:
            items += _mark(value, largest, part.role, x + (wide - mark) / 2, y + 1.5, mark)
            items.append(text(x + wide / 2, y + high - size * 1.15, run, size, "middle"))
    right, bottom = left + columns * wide, top + rows * high
    if not is_number:
        items += _brackets(left - 2, top - 1, right + 2, bottom + 1)
    return Block("digits", right + 6, bottom + 4, tuple(items))


def _brackets(left: float, top: float, right: float, bottom: float) -> list[Item]:
    line = Look("", "ink", 1.25)
    return [
        Path(((edge + inward, top), (edge, top), (edge, bottom), (edge + inward, bottom)), line)
        for edge, inward in ((left, 4.0), (right, -4.0))
    ]


def _frame(part: Matrix, flat: int, x: float, y: float, wide: float, high: float) -> list[Item]:
    if flat == part.pick:
        return [Rect(x + 0.75, y + 0.75, wide - 1.5, high - 1.5, Look("paper", "ink", 1.5), 2.0)]
    if flat in part.lit:
        return [Rect(x + 0.5, y + 0.5, wide - 1, high - 1, Look("now", GREY, 0.75), 2.0)]
    return []


def _marks_alone(part: Matrix, way: Way, size: float, room: float) -> Block:
    cell = way.cell or max(SMALLEST_CELL, min(LARGEST_CELL, size))
    values, flats = _seen(part, MOST_CELLS)
    count, rows, columns = values.shape
    cell = max(min(cell, (room - 20) / columns), 0.5)
    across = part.across
    if across > min(MOST_ACROSS, count):
        across = max(1, min(count, round(math.sqrt(count * rows / columns)) or 1))
    while across > 1 and across * (columns * cell + TILES) > room - 20:
        across -= 1
    wide = across * (columns * cell + TILES) - TILES
    high = math.ceil(count / across) * (rows * cell + TILES) - TILES
    items = _tiles(part, values, flats, (4.0, 3.0), cell, across)
    return Block("marks", wide + 8, high + 6, tuple(items))


def _small_frame(part: Matrix, flat: int, x: float, y: float, cell: float) -> list[Item]:
    if flat == part.pick:
        return [Rect(x, y, cell, cell, Look("now", "ink", min(1.25, cell / 4)))]
    return [Rect(x, y, cell, cell, Look("now"))] if flat in part.lit else []


def _seen(part: Matrix, most: int) -> tuple[Any, Any]:
    """At most so many elements that they can be seen, and which these are.

    Of a larger array the largest in size of each block, which is none of its elements' places.
    """
    values, down, right = part.values, 1, 1
    count, rows, columns = values.shape
    if values.size <= most:
        return values, part.flats
    while count * math.ceil(rows / down) * math.ceil(columns / right) > most:
        if rows / down >= columns / right and rows > down:
            down += 1
        elif columns > right:
            right += 1
        else:
            count = max(1, most)
    if down == right == 1:
        return values[:count], part.flats[:count]
    tall, long = math.ceil(rows / down), math.ceil(columns / right)
    found = np.zeros((count, tall, long))
    for i in range(tall):
        for j in range(long):
            block = values[:count, i * down : (i + 1) * down, j * right : (j + 1) * right]
            flat = block.reshape(count, -1).astype("float64")
            sizes = np.where(np.isnan(flat), -1.0, np.abs(flat))
            found[:, i, j] = flat[np.arange(count), np.argmax(sizes, 1)]
    return found, None


def _largest(values: Any) -> float:
    wide = np.abs(values.astype("float64"))
    return float(np.max(wide[np.isfinite(wide)], initial=0.0))


def _mark(value: float, largest: float, role: Role, x: float, y: float, cell: float) -> list[Item]:
    """One square: hollow where negative, a dot for exactly zero, a cross for NaN."""
    value = float(value)
    if math.isnan(value):
        a, b = 0.2 * cell, 0.8 * cell
        cross = Look("", "purple", max(0.75, cell * 0.1))
        ends = (((x + a, y + a), (x + b, y + b)), ((x + a, y + b), (x + b, y + a)))
        return [Path(each, cross) for each in ends]
    if value == 0 or not largest:
        dot = max(0.4, cell * 0.06)
        middle = x + cell / 2 - dot, y + cell / 2 - dot
        return [Rect(*middle, 2 * dot, 2 * dot, Look(GREY))]
    share = math.sqrt(min(abs(value) / largest, 1.0))
    side = max(SMALLEST_MARK, share) * cell * 0.86
    line = min(1.6, side / 4) if value < 0 else 0.0
    inner = side - line
    look = Look("", HUES[role], line) if value < 0 else Look(HUES[role])
    corner = x + (cell - inner) / 2, y + (cell - inner) / 2
    return [Rect(*corner, inner, inner, look)]


def marks_in(part: Matrix | None, x: float, y: float, wide: float, high: float) -> list[Item]:
    """An array as marks in a rectangle, as large as they can be; nothing where none can be seen."""
    if part is None:
        return []
    most = max(1, int(wide // SMALLEST_CELL) * int(high // SMALLEST_CELL))
    values, _ = _seen(part, most)
    count, rows, columns = values.shape
    cell, across = max(
        (_cell(count, rows, columns, across, wide, high), across)
        for across in range(1, min(count, MOST_ACROSS) + 1)
    )
    if cell < 1.4:
        return []
    return _tiles(part, values, None, (x, y), cell, across)


def _cell(count: int, rows: int, columns: int, across: int, wide: float, high: float) -> float:
    down = math.ceil(count / across)
    return min(
        LARGEST_CELL * 0.6,
        (wide - TILES * (across - 1)) / (across * columns),
        (high - TILES * (down - 1)) / (down * rows),
    )


def _tiles(
    part: Matrix, values: Any, flats: Any, corner: tuple[float, float], cell: float, across: int
) -> list[Item]:
    """Tiles beside and below each other; frames where it is known which elements they show."""
    largest = _largest(values)
    _, rows, columns = values.shape
    items: list[Item] = []
    for tile, rows_of in enumerate(values.tolist()):
        x0 = corner[0] + tile % across * (columns * cell + TILES)
        y0 = corner[1] + tile // across * (rows * cell + TILES)
        items.append(Rect(x0 - 1, y0 - 1, columns * cell + 2, rows * cell + 2, SHEET, 1.5))
        for r, line in enumerate(rows_of):
            for c, value in enumerate(line):
                x, y = x0 + c * cell, y0 + r * cell
                if flats is not None:
                    items += _small_frame(part, int(flats[tile, r, c]), x, y, cell)
                items += _mark(value, largest, part.role, x, y, cell)
    return items
