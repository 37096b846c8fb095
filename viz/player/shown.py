"""What a player shows: its data with the pictures of its groups, and of its fused ops opened.

The first picture is on the page already, the others travel with the data.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

from ..base.adorned import adorned
from ..picture.miniatures import without_miniatures
from ..trace.trace import Inside, Trace
from ..views.of_tapes import opened_picture, pictures
from ..views.opened import Opened, opened
from ..views.pictured import Picture
from .payload import Plain, payload

SKETCH_ABOVE = 100_000


def picture_and_data(trace: Trace, drawing: str | None) -> tuple[str, Plain]:
    """Give what is shown at first and the player's data; a large drawing travels with the data."""
    drawn = pictures(trace) if drawing is None else [Picture("", drawing)]
    whole = without_tooltips(drawn[0].drawing)
    whole = whole[whole.index("<svg") :]
    data = shown_data(trace, drawn)
    if len(whole) < SKETCH_ABOVE:
        return whole, data
    whole = without_miniatures(whole)
    return sketch(whole), data | {"svg": whole}


def shown_data(trace: Trace, drawn: Sequence[Picture]) -> Plain:
    """Give the data of a player with the pictures of its groups, and of its fused ops opened."""
    tried = [
        adorned("an opened op", functools.partial(_opening, trace, inside, drawn), None)
        for inside in trace.insides
    ]
    openings = [each for each in tried if each is not None]
    data = payload(trace, [within for within, _ in openings]) | views_data(drawn)
    for plain, (_, picture) in zip(data.get("insides", ()), openings, strict=True):
        svg = without_miniatures(without_tooltips(picture.drawing))
        plain.update(svg=svg, members=picture.members)
    return data


def _opening(trace: Trace, inside: Inside, drawn: Sequence[Picture]) -> tuple[Opened, Picture]:
    within = opened(trace, inside)
    return within, opened_picture(trace, within, drawn)


def views_data(drawn: Sequence[Picture]) -> Plain:
    """Give what the player needs to show groups; the first drawing is on the page already."""
    if len(drawn) < 2:
        return {}
    views: list[Plain] = [
        {"name": view.name, "members": view.members, "opens": view.opens} for view in drawn
    ]
    for view, plain in zip(drawn, views, strict=True):
        plain.update({"depth": view.depth, "deeper": view.deeper} if view.depth is not None else {})
        plain.update(_strip(view))
    first: dict[str, int] = {}
    for place, (view, plain) in enumerate(zip(drawn, views, strict=True)):
        plain.update({"titles": view.titles} if view.titles else {})
        like = first.setdefault(view.drawing, place)
        if like != place:
            plain["like"] = like
        elif place:
            plain["svg"] = without_miniatures(without_tooltips(view.drawing))
    return {"views": views} | ({"folds": drawn[0].folds} if drawn[0].folds else {})


def _strip(view: Picture) -> Plain:
    """What a player needs to know of a strip."""
    fields: Plain = {"slots": view.slots or None, "slot": view.slot, "start": view.start}
    fields["weights"] = view.weights or None
    return {name: value for name, value in fields.items() if value is not None}


def sketch(drawing: str) -> str:
    """Leave out the texts of a drawing: so large, it is shown too small to read them."""
    return re.sub(r"<text.*?</text>", "", drawing)


def without_tooltips(drawing: str) -> str:
    """Drop the nodes' tooltips: an image cannot show them, the player makes them when wanted."""
    return re.sub(r"(<g [^>]*>)<title>[^<]*</title>", r"\1", drawing)
