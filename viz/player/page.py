"""The player in HTML: a fragment for a notebook's output, and a page that stands alone.

Both hold a picture and a table of the steps first, and the script turns them into a player where it
may run. An untrusted notebook strips scripts, styles and drawings; picture (an `<img>`) and table
stay. Nothing is ever fetched, and the same trace gives the same bytes.
"""

from __future__ import annotations

import base64
import html
from collections.abc import Sequence
from itertools import accumulate

from ..base.collecting import uncollected
from ..base.spoken import spoken
from ..picture.counts import in_words
from ..trace.trace import Step, Trace
from ..trace.wording import sentence
from .findings import findings_list
from .offline import document
from .packing import data_script
from .payload import Plain
from .program import script
from .shown import picture_and_data
from .touch import can_touch, touch_data

MAX_ROWS = 200
# Whoever sees it for longer than a start takes has no player: scripts are off, stripped, cut off,
# too new for the browser, or stopped by an error. Where styles are stripped, it shows at once.
NOTE = (
    "<style>@keyframes minitape-waits{from{visibility:hidden}}</style>"
    '<p class="still" style="animation:minitape-waits 3s step-end">The step player could not run'
    " here: this is its still picture, and its steps are in the table below.</p>"
)
# For browsers that leave `<template shadowrootmode>` as it is: so old that the words are, too.
OLD_BROWSERS = """<script>
(function () {
  var waiting = document.querySelectorAll(".minitape-player > template");
  for (var i = 0; i < waiting.length; i++)
    waiting[i].parentNode.replaceChild(waiting[i].content, waiting[i]);
})();
</script>"""


@uncollected
def fragment(trace: Trace, drawing: str | None = None, at: int | None = None) -> str:
    """Give the HTML of one player for a notebook's output.

    Args:
        trace: What was recorded.
        drawing: Its picture as SVG; drawn from the trace when not given.
        at: The number of the step that it opens at, from 1; None for its first page.

    Returns:
        HTML without ids, that several outputs of one notebook may hold side by side.

    Example:
        >>> from minitape.viz.trace.trace import Array, Node
        >>> x = Node(0, "source", (), "float64", (), name="x", value=Array.of(3.0))
        >>> text = fragment(Trace((x,)))
        >>> text.startswith('<div class="minitape-player"'), " id=" in text
        (True, False)
    """
    shown, data = picture_and_data(trace, drawing)
    data |= _opens(at)
    still = f"{NOTE}{findings_list(trace)}{_img(shown, trace)}{steps_table(trace, said_in(data))}"
    return host(still, data) + script("player", "page")  # no evaluator: each output has a copy


def _script(given: Sequence[Plain]) -> str:
    """Give the script of players with these data; the evaluator only where one can use it."""
    return script("player", "touch" if any(map(can_touch, given)) else "untouched", "page")


def image(trace: Trace) -> str:
    """Give a still picture as one HTML element that even an untrusted notebook shows.

    Example:
        >>> from minitape.viz.trace.trace import Array, Node
        >>> x = Node(0, "source", (), "float64", (), name="x", value=Array.of(3.0))
        >>> image(Trace((x,)))[:31]
        '<img src="data:image/svg+xml;ba'
    """
    return _img(picture_and_data(trace, None)[0], trace)


def _img(drawing: str, trace: Trace) -> str:
    return embedded(drawing, _summary(trace))


def embedded(drawing: str, alternative: str) -> str:
    """Give an SVG as an image with everything in it, and a text for those who do not see it."""
    encoded = base64.b64encode(drawing.encode()).decode()
    return (
        f'<img src="data:image/svg+xml;base64,{encoded}" alt="{_attribute(alternative)}"'
        ' style="max-width:100%;height:auto">'
    )


@uncollected
def page(
    traces: Trace | Sequence[Trace],
    title: str = "",
    drawings: Sequence[str] | None = None,
    texts: Sequence[str] | None = None,
    opening: str = "",
    at: int | None = None,
) -> str:
    """Give one HTML file that works offline, with a player for each trace.

    Args:
        traces: One or several traces; with several, the page opens with a list of links.
        title: The page's title; the first trace's when empty.
        drawings: Their pictures as SVG, drawn from the traces when not given.
        texts: What to say above each player, one plain paragraph; none when empty.
        opening: HTML of this package below the heading, such as a film.
        at: The number of the step that the players open at, from 1; None for their first page.

    Returns:
        The whole document. Players start when they come near the window, so forty open at once.

    Example:
        >>> from minitape.viz.trace.trace import Array, Node
        >>> x = Node(0, "source", (), "float64", (), name="x", value=Array.of(3.0))
        >>> text = page(Trace((x,)), "One number")
        >>> "<title>One number</title>" in text, "http-equiv" in text
        (True, True)
    """
    several = [traces] if isinstance(traces, Trace) else list(traces)
    drawn = [None] * len(several) if drawings is None else drawings
    said = [""] * len(several) if texts is None else texts
    name = title or (several[0].title if several else "") or "minitape"
    alone = len(several) == 1 and not opening  # it has the whole window
    shown = [picture_and_data(*each) for each in zip(several, drawn, strict=True)]
    for trace, (_, data) in zip(several, shown, strict=True):
        data |= touch_data(trace) | _opens(at)
    sections = [
        _section(number, *each, alone=alone)
        for number, each in enumerate(zip(several, shown, said, strict=True), 1)
    ]
    # The player of one tape has a heading of its own: the page's is for screen readers then.
    hidden = ' class="alone"' if alone and (several[0].title or not title) else ""
    heading = f"<h1{hidden}>{html.escape(name)}</h1>"
    body = [
        heading,
        opening,
        _contents(several),
        *sections,
        OLD_BROWSERS,
        _script([data for _, data in shown]),
    ]
    return document(name, "\n".join(part for part in body if part))


def _opens(at: int | None) -> Plain:
    """Give what the data say of the step to open at; nothing for the first page."""
    return {} if at is None else {"at": at}


def _section(number: int, trace: Trace, picture: tuple[str, Plain], text: str, alone: bool) -> str:
    shown, data = picture
    # A declarative shadow root keeps the styles of many pictures apart before any script runs.
    still = f"{NOTE}{findings_list(trace)}{shown}{steps_table(trace, said_in(data))}"
    waiting = f'<template shadowrootmode="open">{still}</template>'
    above = f"<p>{html.escape(text)}</p>" if text else ""
    opening = f'<section id="player-{number}"{" data-alone" * alone}>'
    return f"{opening}{above}{host(waiting, data)}</section>"


def _contents(traces: Sequence[Trace]) -> str:
    if len(traces) < 2:
        return ""
    links = "".join(
        f'<li><a href="#player-{number}">{html.escape(trace.title or f"Player {number}")}</a></li>'
        for number, trace in enumerate(traces, 1)
    )
    return f'<nav aria-label="Players"><ol>{links}</ol></nav>'


def host(shown: str, data: Plain) -> str:
    """Wrap what is shown without scripts, and the data, into the element that a script upgrades."""
    # The attribute asks JupyterLab to leave keys alone; the player does not rely on it.
    opening = '<div class="minitape-player" data-lm-suppress-shortcuts="true">'
    return f"{opening}{shown}{data_script(data)}</div>"


def said_in(data: Plain) -> list[str]:
    """Give the sentences of a player's data, one for each step."""
    return [step.get("sentence", "") for step in data["steps"]]


def steps_table(trace: Trace, said: Sequence[str] = ()) -> str:
    """Give the steps as a table that needs no script; a long one keeps its beginning and end.

    They are counted as the player's slider counts them: what only drops a record has no number.

    Args:
        trace: What was recorded.
        said: A sentence for each step; by default those of the trace.
    """
    said = said or [sentence(step, trace.nodes, trace.carries) for step in trace.steps]
    counted = list(accumulate(int(step.kind != "release") for step in trace.steps))
    numbered = list(zip(counted, trace.steps, said, strict=True))
    left_out = len(numbered) - MAX_ROWS
    begin, end = numbered[: MAX_ROWS // 2], numbered[MAX_ROWS // 2 :]
    if left_out > 0:
        end = numbered[-MAX_ROWS // 2 :]
    rows = [_row(*each, trace) for each in begin]
    if left_out > 0:
        note = f"… {left_out:,} steps are left out here; the player has them all …"
        rows.append(f'<tr><td colspan="3">{note}</td></tr>')
    rows += [_row(*each, trace) for each in end]
    counts = "<th>queue and counts</th>" if trace.orders else ""
    head = f"<thead><tr><th>step</th><th>what</th><th>what happens</th>{counts}</tr></thead>"
    return (
        f"<details><summary>{max(counted, default=0):,} steps as a table</summary>"
        f"<table>{head}<tbody>{''.join(rows)}</tbody></table></details>"
    )


def _row(number: int, step: Step, text: str, trace: Trace) -> str:
    # JupyterLab puts all cells to the right.
    said = f'<td style="text-align:left">{spoken(text)}</td>'
    counts = f"<td>{html.escape(in_words(trace, step))}</td>" if trace.orders else ""
    place = "" if step.kind == "release" else number
    return f"<tr><td>{place}</td><td>{step.kind}</td>{said}{counts}</tr>"


def _summary(trace: Trace) -> str:
    name = trace.title or "the recorded tape"
    table = " The steps are in the table below." if trace.steps else ""
    return f"Graph of {name}: {len(trace.nodes)} nodes.{table}"


def _attribute(text: str) -> str:
    return html.escape(text, quote=True).replace("\n", " ")
