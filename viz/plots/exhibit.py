"""A plot that shows itself: picture and words everywhere, movable where a script may run.

As with the player, the light DOM holds a picture (`<img>`), words and a table, so an untrusted
notebook shows them; the script moves named shapes through `Frame`s that Python has computed.
Nothing is fetched.
"""

from __future__ import annotations

import base64
import html
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..base.files import encodable
from ..base.spoken import spoken
from ..export.drawn import Drawn, chosen, drawing, save_drawn
from ..export.items import Sheet
from ..export.reading import sheet_of
from ..layout.labels import printable
from ..picture.canvas import Canvas
from ..player.offline import document
from ..player.packing import data_script
from ..player.payload import Plain
from ..player.program import script

MAX_ROWS = 200
MOST_FRAMES = 36  # of a plot in motion
SECONDS = 0.2  # how long each of them is shown
CELL = 'style="text-align:left"'  # JupyterLab puts all cells to the right.


@dataclass(frozen=True, slots=True)
class Frame:
    """One state of a movable plot.

    Attributes:
        at: the pixel that the pointer has to be near.
        move: for each named shape the numbers of its new place (see `canvas.moved_path`).
        say: what is said about it.
    """

    at: tuple[float, float]
    move: dict[str, list[float]]
    say: str


@dataclass(frozen=True, slots=True)
class Moves:
    """The frames of a plot, which one is drawn, what the slider is called, what the pointer drags.

    Attributes:
        players: for each frame the data of a step player.
        drawing: the picture that the players share.
        name: what the switch says, where there is another way to move.
        beside: the other way; the switch goes from one to the other.
    """

    frames: Sequence[Frame] = ()
    start: int = 0
    label: str = ""
    drag: str = "x"
    players: Sequence[Plain] = ()
    drawing: str = ""
    name: str = ""
    beside: Moves | None = None

    @property
    def has_players(self) -> bool:
        """Whether a frame of either way brings a player."""
        return bool(self.players) or (self.beside is not None and self.beside.has_players)


@dataclass(frozen=True, slots=True)
class Table:
    """A table below a plot: what it is, the heads of its columns, the rows."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]] = field(default_factory=list)


class Exhibit:
    """What all plots can do; a plot gives `canvas`, `words`, and perhaps `moves` and `table`.

    Attributes:
        called: what an error calls it.
    """

    called = "a plot"

    @property
    def words(self) -> str:
        """What there is to see, in plain sentences."""
        raise NotImplementedError

    def canvas(self) -> Canvas:
        """The picture."""
        raise NotImplementedError

    def moves(self) -> Moves:
        """How the picture can be moved; not at all by default."""
        return Moves()

    def table(self) -> Table | None:
        """The numbers as a table."""
        return None

    @property
    def svg(self) -> str:
        """The picture as SVG text."""
        return self.canvas().svg()

    @property
    def html(self) -> str:
        """The plot for a notebook's output or a page: without ids and without links."""
        canvas, moves = self.canvas(), self.moves()
        said = "".join(f"<p>{spoken(part)}</p>" for part in self.words.split("\n") if part)
        shown = _image(canvas) + said + _table(self.table())
        if not moves.frames:
            return f"<div>{shown}</div>"
        data = data_script({"title": canvas.title, **_plain(moves)})
        opening = '<div class="minitape-exhibit" data-lm-suppress-shortcuts="true">'
        needed = ["player"] * moves.has_players
        return f"{opening}{shown}{data}</div>{script(*needed, 'exhibit')}"

    def save(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """Writes the plot in the format of the path's ending.

        Args:
            path: ends in .html (movable, offline), .svg, .png, .pdf, .tex or .pptx; in .gif or
                .mp4 for what can be moved, in motion. Its folder must exist.
            **options: `width` ("120mm"), `theme` ("light", "dark" or "grey"), `dpi`, `fonts` and
                `seconds`, as for `viz.step(...).save`.

        Returns:
            The path.

        Raises:
            ValueError: The ending is none of these.
            FileNotFoundError: The folder does not exist; nothing is written.
            MissingExtraError: The format needs a package; the message says how to install it.
        """
        own: dict[str, Any] = {".html": lambda: page(self), ".svg": lambda: self.svg}
        sheet, frames = self._sheet, self._frames
        moving = frames if self.moves().frames else None
        return save_drawn(Drawn(self.called, sheet, moving, own), path, **options)

    def _sheet(self) -> Sheet:
        return sheet_of(self.canvas().svg(), notes=self.words)

    def _frames(self) -> list[Sheet]:
        """The picture in motion, from its first state to its last."""
        frames = chosen(self.moves().frames, MOST_FRAMES)

        def draw(frame: Frame) -> Sheet:
            moved = self.canvas()
            moved.move(frame.move)
            return sheet_of(moved.svg(), notes=frame.say, seconds=SECONDS)

        return drawing(frames, draw)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self.html}

    def _display_(self) -> object:
        """Shows the whole plot in marimo, which runs no scripts of an output's HTML."""
        import marimo

        return marimo.iframe(page(self), height="860px")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.words.split(chr(10))[0]}>"


def _image(canvas: Canvas) -> str:
    encoded = base64.b64encode(encodable(canvas.svg()).encode()).decode()
    name = html.escape(printable(canvas.title), quote=True)
    source = f'src="data:image/svg+xml;base64,{encoded}"'
    return f'<img {source} alt="{name}" style="max-width:100%;height:auto">'


def _table(table: Table | None) -> str:
    if table is None or not table.rows:
        return ""
    rows, more = table.rows[:MAX_ROWS], len(table.rows) - MAX_ROWS
    cells = ["".join(f"<td {CELL}>{html.escape(cell)}</td>" for cell in row) for row in rows]
    if more > 0:
        cells.append(f'<td colspan="{len(table.heads)}" {CELL}>… and {more:,} more</td>')
    heads = "".join(f"<th>{html.escape(head)}</th>" for head in table.heads)
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    return (
        f"<details><summary>{html.escape(table.title)}</summary>"
        f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></details>"
    )


def _plain(moves: Moves) -> Plain:
    frames = [
        {"at": [round(v, 1) for v in f.at], "move": f.move, "say": f.say} for f in moves.frames
    ]
    plain: Plain = {"frames": frames, "start": moves.start}
    plain |= {"label": moves.label, "drag": moves.drag}
    if moves.players:
        plain |= {"drawing": moves.drawing, **_shared(moves.players)}
    if moves.beside:
        plain |= {"name": moves.name, "beside": _plain(moves.beside)}
        plain["beside"]["name"] = moves.beside.name
    return plain


def _shared(players: Sequence[Plain]) -> Plain:
    """The players' data, with what all of them have (nodes, source lines) written once."""
    first, *others = players
    alike = {key for key in first if all(p.get(key) == first[key] for p in others)}
    shared = {key: first[key] for key in first if key in alike}
    own = [{key: p[key] for key in p if key not in alike} for p in players]
    return {"shared": shared, "players": own}


def page(exhibit: Exhibit) -> str:
    """One HTML file that works offline; its picture is as large as the window shows whole."""
    canvas, style = exhibit.canvas(), ""
    if not exhibit.moves().has_players:  # which need the room below
        large = f"min(1320px, calc(76vh * {canvas.width / canvas.height:.3f}))"
        style = f":root {{ --wide: min(100%, max({canvas.width:.0f}px, {large})); }}\n"
        style += "main img { width: var(--wide); }\n"
    return document(canvas.title, exhibit.html, style)
