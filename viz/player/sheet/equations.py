"""Equations: each number with what it is below it, and the products behind a sum as a table."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ...export.items import Look, Path, Rect, Run, Text
from ..scene.parts import Claim, Meet, Role, Term
from .blocks import BREAKS, GREY, LINE, SMALLEST, Block, expression, paragraph, text, width

HUES: dict[Role, str] = {
    "sign": "ink", "value": "blue", "slope": "ink", "gradient": "orange", "sum": "green",
}  # fmt: skip
LETTERS_BELOW = 11.0  # how wide what stands below a number may be before it is wrapped, in sizes


def equation(
    claim: Claim, element: str, room: float, size: float, known: Collection[str] = ()
) -> Block:
    """A claim on as many lines as it needs.

    Args:
        claim: the equation.
        element: which element it is about; "" for a number.
        room: how wide it may be.
        size: of its letters.
        known: what need not be written below a number, because it stands nearby.
    """
    terms = [Term(f"{element}: ", "sign")] if element else []
    result = Term(claim.right.text, claim.right.role, claim.right.under)
    terms += [*claim.left, Term(f" {claim.sign} ", "sign"), result]
    chips = [_chip(term, size, room, known, term is result) for term in terms]
    chips += [_note(word, size) for word in f" ({claim.note})".split(" ")[1:] if claim.note]
    lines: list[list[Block]] = [[]]
    used = 0.0
    for unit in _units(chips, terms, room):
        own = sum(chip.width for chip in unit)
        if used + own > room and lines[-1]:
            lines.append([])
            used = 0.0
        lines[-1] += unit
        used += own
    items, top, wide = [], 0.0, 0.0
    for line in lines:
        left = 0.0
        for chip in line:
            items.append(chip.at(left, top))
            left += chip.width
        wide = max(wide, left)
        top += max(chip.height for chip in line) + size * 0.25
    return Block("equation", wide, top - size * 0.25, tuple(items))


def _chip(term: Term, size: float, room: float, known: Collection[str], result: bool) -> Block:
    """A number and what it is, or a sign; a blank at the start of a line takes its room there."""
    face = Run(term.text, bold=result, colour=HUES[term.role], math=True)
    number = paragraph("number", [face], size, room) if width(face, size) > room else None
    own = number.width if number else width(face, size)
    high = number.height if number else LINE * size
    if not term.under or term.under in known:
        line = number.items if number else (text(0.0, 0.0, face, size),)
        return Block("term", own, high, line)
    small = max(SMALLEST, 0.76 * size)
    longest = max(width(Run(word), small) for word in BREAKS.split(term.under))
    limit = min(max(own, longest, LETTERS_BELOW * small), room - 8)
    below = paragraph("below", [Run(term.under, colour=GREY)], small, limit, "middle")
    wide = max(own, below.width) + 8
    above = [number.at((wide - own) / 2, 0.0)] if number else [
        text(wide / 2, 0.0, face, size, "middle")
    ]  # fmt: skip
    items = (*above, below.at((wide - below.width) / 2, high))
    return Block("term", wide, high + below.height, items)


def _note(word: str, size: float) -> Block:
    run = Run(f" {word}", colour=GREY)
    return Block("note", width(run, size), LINE * size, (text(0.0, 0.0, run, size),))


def _units(chips: Sequence[Block], terms: Sequence[Term], room: float) -> list[list[Block]]:
    """Chips that stay together: a sign with the numbers behind it, up to the next such sign."""
    units: list[list[Block]] = []
    for i, chip in enumerate(chips):
        begins = i >= len(terms) or terms[i].text.startswith(" ")
        if begins or not units:
            units.append([])
        units[-1].append(chip)
    found: list[list[Block]] = []
    for unit in units:
        fits = sum(chip.width for chip in unit) <= room
        found += [unit] if fits else [[chip] for chip in unit]
    return found


def products(meet: Meet, room: float, size: float, high: float = 1e9) -> Block:
    """The products of a sum, one below the other, each with a bar from where the one before ends.

    Args:
        meet: the products.
        room: how wide the table may be.
        size: of its letters.
        high: how high; without enough room it is made without its bars.
    """
    gap, row = size * 0.7, size * 1.55
    shown = [column.claim for column in meet.columns]
    labels = [Run(column.label, colour=GREY) for column in meet.columns]
    lefts = [[Run(t.text, colour=HUES[t.role], math=True) for t in claim.left] for claim in shown]
    rights = [Run(f"{claim.sign} {claim.right.text}", bold=True, math=True) for claim in shown]
    most_label = max(width(label, size) for label in labels)
    most_left = max(width(left, size) for left in lefts)
    most_right = max(width(right, size) for right in rights)
    beside = most_label + most_left + most_right + 2 * gap <= room
    if not beside:
        return _one_below_the_other(meet, room, size)
    items: list[Text | Rect | Path] = []
    heads = [(most_label + gap, meet.left, meet.right)]
    top = 0.0
    for x, left, right in heads:
        said = f"{left} · {right}" if left and right else ""
        line = expression(Run(said, colour=GREY))
        if said and x + width(line, size) <= room:
            items.append(text(0.0, 0.0, line, size))
            top = row
    end = most_label + gap + most_left
    bars = _bars(meet, end + gap + most_right + 1.5 * gap, room)
    for i, (label, factors, result) in enumerate(zip(labels, lefts, rights, strict=True)):
        y = top + i * row
        items.append(text(most_label, y, label, size, "end"))
        items.append(text(end, y, factors, size, "end"))
        items.append(text(end + gap, y, result, size))
        if bars:
            x0, x1 = bars[i]
            hue = HUES[shown[i].right.role]
            thick = size * 0.5
            fill = Look(hue) if x1 >= x0 else Look("", hue, 1.25)
            items.append(Rect(min(x0, x1), y + size * 0.3, max(abs(x1 - x0), 1.0), thick, fill))
            if i:  # where the one before has ended
                look = Look("", GREY, 0.75, (1.5, 2.5))
                items.append(Path(((x0, y - row + size * 0.8), (x0, y + size * 0.3)), look))
    wide = room if bars else end + gap + most_right
    return Block("products", wide, top + row * len(shown), tuple(items))


def _one_below_the_other(meet: Meet, room: float, size: float) -> Block:
    """Each product as a line of its own, where the table would be too wide."""
    top, items, wide = 0.0, [], 0.0
    for column in meet.columns:
        run = [Run(f"{column.label}  ", colour=GREY)] if column.label else []
        run += [Run(t.text, colour=HUES[t.role], math=True) for t in column.claim.left]
        result = f"{column.claim.sign}\u00a0{column.claim.right.text}"
        run += [Run(" "), Run(result, bold=True, math=True)]
        line = paragraph("product", run, size, room)
        items.append(line.at(0.0, top))
        top += line.height
        wide = max(wide, line.width)
    return Block("products", wide, top, tuple(items))


def _bars(meet: Meet, left: float, room: float) -> list[tuple[float, float]]:
    """From where to where each product goes, head to tail; none where there is no room for them."""
    from ...base.numbers import value_of

    try:
        values = [value_of(column.claim.right.text.strip("()")) for column in meet.columns]
    except ValueError:  # a complex number has no bar
        return []
    sums = [0.0]
    for value in values:
        sums.append(sums[-1] + value)
    low, top = min(sums), max(sums)
    if room - left < 90 or not 0 < top - low < float("inf"):
        return []
    scale = (min(room - left, 420.0) - 4) / (top - low)
    ends = [left + 2 + (each - low) * scale for each in sums]
    return list(zip(ends, ends[1:], strict=False))
