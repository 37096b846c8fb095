"""Sheets by chance, with awkward letters: what the tests of all writers draw.

Each text stands in a row of its own, so that a reader of a file can say which line is which.
"""

from __future__ import annotations

import random

from minitape.viz.export.faces import natural_width
from minitape.viz.export.items import Group, Item, Look, Path, Rect, Run, Sheet, Text, flat

COLOURS = ("ink", "quiet", "blue", "orange", "green", "purple")
FILLS = ("soft", "blue-soft", "orange-soft", "now", "op", "")
# Names that Python, TensorFlow or a user's data can have, and what a player writes itself.
WORDS = (
    r"a_b", "x^2", "#1", "50%", "p & q", "~", "{set}", r"C:\new", "$5", "<lambda>", "a|b", "--x",
    "''", '"q"', "`t`", "?`", "λ", "∂loss", "hiddenᵀ", "→", "Σ", "x₁", "10⁻⁷", "−0.5", "≈", "…",
    "é", "Łódź", "naïve", "x̂", "½", "α·β", "[8, 5]", "µ", "✓", "∞", "Straße", "ﬁ", "ℓ²",
)  # fmt: skip


def text(rng: random.Random, x: float, y: float, anchor: str = "start") -> Text:
    """A line of one to three runs at a place."""
    runs = tuple(
        Run(
            " ".join(rng.choices(WORDS, k=rng.randint(1, 3))) + (" " if i % 2 == 0 else ""),
            face=rng.choice(("sans", "mono", "serif")),
            bold=rng.random() < 0.2,
            italic=rng.random() < 0.2,
            colour=rng.choice(COLOURS),
            scale=0.7 if (raised := rng.random() < 0.15) else 1.0,
            rise=0.35 if raised else 0.0,
        )
        for i in range(rng.randint(1, 3))
    )
    made = Text(x, y, runs, rng.choice((9.0, 12.0, 16.0)), anchor)
    return Text(x, y, runs, made.size, anchor, width=natural_width(made))


def sheet(seed: int, rows: int = 14, boxes: int = 20) -> Sheet:
    """A sheet with texts in rows on the left, boxes and lines of all kinds on the right."""
    rng = random.Random(seed)
    items: list[Item] = []
    for row in range(rows):
        y = 40.0 + 36.0 * row
        anchor = rng.choice(("start", "middle", "end"))
        x = {"start": 20.0, "middle": 330.0, "end": 640.0}[anchor]
        if row % 3 == 0:
            items.append(Group(rng.choice(WORDS), (text(rng, x - 7.0, 5.0, anchor),), 7.0, y - 5.0))
        else:
            items.append(text(rng, x, y, anchor))
    for i in range(boxes):
        x, y = 700.0 + 45.0 * (i % 10), 40.0 + 50.0 * (i // 10)
        look = Look(rng.choice(FILLS), rng.choice(("line", "blue")), rng.choice((1.0, 2.0)))
        items.append(Rect(x, y, 36.0, 24.0, look, rng.choice((0.0, 3.0, 12.0))))
    for i in range(8):
        x, y = 700.0 + 60.0 * i, 300.0
        dash = rng.choice(((), (4.0, 3.0), (1.0, 2.0)))
        look = Look("", rng.choice(("line", "orange")), 1.5, dash)
        curve = ((x, y), (x, y + 30.0, x + 40.0, y + 30.0, x + 40.0, y + 60.0))
        items.append(Path(curve, look, head=i % 2 == 0, tail=i % 3 == 0))
    items.append(
        Path(((700.0, 400.0), (760.0, 400.0), (730.0, 450.0)), Look("green", opacity=0.4), True)
    )
    title = f"Step {seed}: matmul passes hiddenᵀ · g to {rng.choice(WORDS)}."
    return Sheet(1280.0, 720.0, tuple(items), title, "0.3 times 0.2 is 0.06.\nThat is all.", 1.5)


def texts(one: Sheet) -> list[Text]:
    """All texts of a sheet, those in groups too."""
    return [item for item in flat(one.items) if isinstance(item, Text)]
