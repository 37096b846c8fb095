"""A film in HTML: pictures of all kept steps, which `film.js` turns like pages.

Nothing is computed in the page. Without scripts its last step stays as a picture, with words and a
table; a kept step's tape opens as the step player.
"""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Sequence

from ..base.files import encodable
from ..base.spoken import spoken
from ..layout.labels import printable
from ..picture.canvas import Canvas
from ..player.packing import data_script
from ..player.payload import Plain
from ..player.program import script
from ..player.shown import picture_and_data
from ..plots.exhibit import Table, _table
from .run import Run
from .shots import Shot
from .sizes import sizes
from .stage import called, draw_loss, panel, powers, shot_at, steps_of
from .words import head, shot_words

WIDE, NARROW = (1340.0, 210.0), (360.0, 210.0)
# The height of the sizes of gradients, below the loss: a wide one is above the fold of a tablet.
SIZES = {WIDE[0]: 120.0, NARROW[0]: 170.0}


def film_html(runs: Sequence[Run], canvas: Canvas, words: str, table: Table) -> str:
    """The film as one element, without ids and without links; what it says without its script."""
    encoded = base64.b64encode(encodable(canvas.svg()).encode()).decode()
    name = html.escape(printable(canvas.title), quote=True)
    source = f'src="data:image/svg+xml;base64,{encoded}"'
    picture = f'<img {source} alt="{name}" style="max-width:100%;height:auto">'
    said = "".join(f"<p>{spoken(part)}</p>" for part in words.split("\n"))
    shown = picture + said + _table(table)
    if not any(run.shots for run in runs):
        return f"<div>{shown}</div>"
    opening = '<div class="minitape-film" data-lm-suppress-shortcuts="true">'
    return f"{opening}{shown}{data_script(film_data(runs))}</div>{script('player', 'film')}"


def film_data(beside: Sequence[Run]) -> Plain:
    """What the page's script needs: frames, pictures, tapes, and the curve of the loss."""
    runs = [run for run in beside if run.shots]
    scale = powers(runs)
    width = 262.0 if len(runs) > 1 else 470.0
    places = {id(shot): i for i, shot in enumerate(shot for run in runs for shot in run.shots)}
    shots = [
        _shot(run, shot, called(run, number) if len(runs) > 1 else run.title, scale, width)
        for number, run in enumerate(runs)
        for shot in run.shots
    ]
    charts = [_chart(runs, width, height) for width, height in (WIDE, NARROW)]
    frames = [
        {
            "step": step,
            "say": shot_words(runs, step),
            "shots": [places[id(shot_at(run, step))] for run in runs],
            "cursor": [places_of[step] for _, places_of in charts],
        }
        for step in steps_of(runs)
    ]
    titles = dict.fromkeys(run.title for run in runs)
    return {
        "title": " and ".join(filter(None, titles)) or "Training as a film",
        "last": max(len(run.losses) for run in runs) - 1,
        "frames": frames,
        "shots": shots,
        "charts": [_inner(canvas) for canvas, _ in charts],
    }


def _shot(run: Run, shot: Shot, name: str, scale: tuple[int, int], width: float) -> Plain:
    plane, variables = panel(run, shot, scale, width)
    plain: Plain = {"name": name, "head": head(run, shot), "variables": _inner(variables)}
    if plane is not None:
        plain["plane"] = _inner(plane)
    if shot.trace is not None:
        drawing, data = picture_and_data(shot.trace, None)
        plain["tape"] = {"data": data, "svg": data.get("svg") or drawing}
    return plain


def _chart(runs: Sequence[Run], width: float, height: float) -> tuple[Canvas, dict[int, float]]:
    """The curve of the loss in a size, and where its cursor stands at each kept step."""
    lines = sizes(runs[0]) if len(runs) == 1 else {}
    more = SIZES[width] if lines else 0.0
    canvas = Canvas(width, height + more, "Loss over the steps of training")
    axes = draw_loss(canvas, runs, 0, height, lines, more)
    return canvas, {step: round(axes.place(step, 0)[0], 1) for step in steps_of(runs)}


def _inner(canvas: Canvas) -> str:
    """A picture for the page, whose theme decides about dark, not the system's alone."""
    return re.sub(r"<style>.*?</style>", "", canvas.svg(), count=1)
