"""The player in HTML: a fragment for a notebook's output, and a page that stands alone.

The one fact to know: both hold a picture and a table of the steps first, and the script turns them
into a player where it may run. An untrusted notebook strips scripts, styles and drawings; picture
(an `<img>`) and table stay. Nothing is ever fetched, and the same trace gives the same bytes.
"""

from __future__ import annotations

import base64
import functools
import html
import json
import re
from collections.abc import Sequence

from ..picture.counts import in_words
from ..picture.miniatures import without_miniatures
from ..picture.theme import with_palette
from ..trace.trace import Step, Trace
from ..trace.wording import sentence
from ..views.of_tapes import Picture, pictures
from .payload import Plain, data_script, packed, payload

MAX_ROWS = 200
SKETCH_ABOVE = 100_000
SCRIPTS = [
    "player.js",
    "player_time.js",
    "player_graph.js",
    "player_marks.js",
    "player_matrix.js",
    "player_proof.js",
    "player_lens.js",
    "player_microscope.js",
    "player_summary.js",
    "player_panes.js",
    "player_queue.js",
    "player_start.js",
]
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
PAGE_STYLE = with_palette("""
:root { color-scheme: light dark; font: 17px/1.5 system-ui, sans-serif; }
:root { --palette: here; color: var(--ink); background: var(--paper); }
body { max-width: 1680px; margin: 0 auto; padding: 16px 20px 48px; }
body:has([data-alone]) { padding: 6px; }
h1 { font-size: 1.5em; margin: .2em 0 .6em; overflow-wrap: anywhere; }
section { margin: 28px 0; scroll-margin-top: 12px; }
section[data-alone] { margin: 0; }
section > p { margin: 0 0 8px; max-width: 60em; }
nav ol { columns: 20em; column-gap: 3em; padding: 0; list-style: none; }
nav li { break-inside: avoid; overflow-wrap: anywhere; }
.alone { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
""")


def fragment(trace: Trace, drawing: str | None = None) -> str:
    """Give the HTML of one player for a notebook's output.

    Args:
        trace: What was recorded.
        drawing: Its picture as SVG; drawn from the trace when not given.

    Returns:
        HTML without ids, that several outputs of one notebook may hold side by side.

    Example:
        >>> from viz.trace.trace import Array, Node
        >>> x = Node(0, "source", (), "float64", (), name="x", value=Array.of(3.0))
        >>> text = fragment(Trace((x,)))
        >>> text.startswith('<div class="minitape-player"'), " id=" in text
        (True, False)
    """
    shown, data = _picture_and_data(trace, drawing)
    return _host(f"{_img(shown, trace)}{steps_table(trace)}", data) + start_script()


def image(trace: Trace) -> str:
    """Give a still picture as one HTML element that even an untrusted notebook shows.

    Example:
        >>> from viz.trace.trace import Array, Node
        >>> x = Node(0, "source", (), "float64", (), name="x", value=Array.of(3.0))
        >>> image(Trace((x,)))[:31]
        '<img src="data:image/svg+xml;ba'
    """
    return _img(_picture_and_data(trace, None)[0], trace)


def _img(drawing: str, trace: Trace) -> str:
    return embedded(drawing, _summary(trace))


def embedded(drawing: str, alternative: str) -> str:
    """Give an SVG as an image with everything in it, and a text for those who do not see it."""
    encoded = base64.b64encode(drawing.encode()).decode()
    return (
        f'<img src="data:image/svg+xml;base64,{encoded}" alt="{_attribute(alternative)}"'
        ' style="max-width:100%;height:auto">'
    )


def page(
    traces: Trace | Sequence[Trace],
    title: str = "",
    drawings: Sequence[str] | None = None,
    texts: Sequence[str] | None = None,
    opening: str = "",
) -> str:
    """Give one HTML file that works offline, with a player for each trace.

    Args:
        traces: One or several traces; with several, the page opens with a list of links.
        title: The page's title; the first trace's when empty.
        drawings: Their pictures as SVG, drawn from the traces when not given.
        texts: What to say above each player, one plain paragraph; none when empty.
        opening: HTML of this package below the heading, such as a film.

    Returns:
        The whole document. Players start when they come near the window, so forty open at once.

    Example:
        >>> from viz.trace.trace import Array, Node
        >>> x = Node(0, "source", (), "float64", (), name="x", value=Array.of(3.0))
        >>> text = page(Trace((x,)), "One number")
        >>> "<title>One number</title>" in text, "http-equiv" in text
        (True, True)
    """
    several = [traces] if isinstance(traces, Trace) else list(traces)
    drawn = [None] * len(several) if drawings is None else drawings
    said = [""] * len(several) if texts is None else texts
    name = title or (several[0].title if several else "") or "minitape"
    sections = [
        _section(number, *each, alone=len(several) == 1 and not title)
        for number, each in enumerate(zip(several, drawn, said, strict=True), 1)
    ]
    shown = "" if title or len(several) > 1 else ' class="alone"'  # the player says it, too
    heading = f"<h1{shown}>{html.escape(name)}</h1>"
    body = [heading, opening, _contents(several), *sections, start_script()]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(name)}</title>\n<style>{PAGE_STYLE}</style>\n</head>\n<body>\n"
        "<main>\n" + "\n".join(part for part in body if part) + "\n</main>\n</body>\n</html>\n"
    )


def _section(number: int, trace: Trace, drawing: str | None, text: str, alone: bool) -> str:
    shown, data = _picture_and_data(trace, drawing)
    # A declarative shadow root keeps the styles of many pictures apart before any script runs.
    waiting = f'<template shadowrootmode="open">{shown}{steps_table(trace)}</template>'
    above = f"<p>{html.escape(text)}</p>" if text else ""
    opening = f'<section id="player-{number}"{" data-alone" * alone}>'
    return f"{opening}{above}{_host(waiting, data)}</section>"


def _picture_and_data(trace: Trace, drawing: str | None) -> tuple[str, Plain]:
    """Give what is shown at first and the player's data; a large drawing travels with the data."""
    drawn = pictures(trace) if drawing is None else [Picture("", drawing)]
    whole = without_tooltips(drawn[0].drawing)
    whole = whole[whole.index("<svg") :]
    data = payload(trace) | views_data(drawn)
    if len(whole) < SKETCH_ABOVE:
        return whole, data
    whole = without_miniatures(whole)
    return sketch(whole), data | {"svg": whole}


def views_data(drawn: Sequence[Picture]) -> Plain:
    """Give what the player needs to show groups; the first drawing is on the page already."""
    if len(drawn) < 2:
        return {}
    views: list[Plain] = [
        {"name": view.name, "members": view.members, "opens": view.opens} for view in drawn
    ]
    for view, plain in zip(drawn, views, strict=True):
        plain.update({"depth": view.depth, "deeper": view.deeper} if view.depth is not None else {})
    for view, plain in zip(drawn[1:], views[1:], strict=True):
        plain["svg"] = without_miniatures(without_tooltips(view.drawing))
    return {"views": views}


def _contents(traces: Sequence[Trace]) -> str:
    if len(traces) < 2:
        return ""
    links = "".join(
        f'<li><a href="#player-{number}">{html.escape(trace.title or f"Player {number}")}</a></li>'
        for number, trace in enumerate(traces, 1)
    )
    return f'<nav aria-label="Players"><ol>{links}</ol></nav>'


def _host(shown: str, data: Plain) -> str:
    """Wrap what is shown without scripts, and the data, into the element that a script upgrades."""
    # The attribute asks JupyterLab to leave keys alone; the player does not rely on it.
    opening = '<div class="minitape-player" data-lm-suppress-shortcuts="true">'
    return f"{opening}{shown}{data_script(data)}</div>"


def steps_table(trace: Trace) -> str:
    """Give the steps as a table that needs no script; a long one keeps its beginning and end."""
    rows = [_row(number, step, trace) for number, step in enumerate(trace.steps, 1)]
    if len(rows) > MAX_ROWS:
        half = MAX_ROWS // 2
        left_out = f"… {len(rows) - MAX_ROWS:,} steps are left out here; the player has them all …"
        rows = [*rows[:half], f'<tr><td colspan="3">{left_out}</td></tr>', *rows[-half:]]
    counts = "<th>queue and counts</th>" if trace.orders else ""
    head = f"<thead><tr><th>step</th><th>what</th><th>what happens</th>{counts}</tr></thead>"
    return (
        f"<details><summary>{len(trace.steps):,} steps as a table</summary>"
        f"<table>{head}<tbody>{''.join(rows)}</tbody></table></details>"
    )


def _row(number: int, step: Step, trace: Trace) -> str:
    # JupyterLab puts all cells to the right.
    text = sentence(step, trace.nodes, trace.carries)
    said = f'<td style="text-align:left">{spoken(text)}</td>'
    counts = f"<td>{html.escape(in_words(trace, step))}</td>" if trace.orders else ""
    return f"<tr><td>{number}</td><td>{step.kind}</td>{said}{counts}</tr>"


def spoken(sentence: str) -> str:
    """Set the `names` in a sentence as code; one with an odd backtick stays as it is."""
    escaped = html.escape(sentence)
    return escaped if escaped.count("`") % 2 else re.sub("`([^`]*)`", r"<code>\1</code>", escaped)


def without_tooltips(drawing: str) -> str:
    """Drop the nodes' tooltips: an image cannot show them, the player makes them when wanted."""
    return re.sub(r"(<g [^>]*>)<title>[^<]*</title>", r"\1", drawing)


def _summary(trace: Trace) -> str:
    name = trace.title or "the recorded tape"
    table = " The steps are in the table below." if trace.steps else ""
    return f"Graph of {name}: {len(trace.nodes)} nodes.{table}"


def _attribute(text: str) -> str:
    return html.escape(text, quote=True).replace("\n", " ")


def sketch(drawing: str) -> str:
    """Leave out the texts of a drawing: so large, it is shown too small to read them."""
    return re.sub(r"<text.*?</text>", "", drawing)


@functools.cache
def player_source() -> tuple[str, str]:
    """Give the player's script, and its looks and structure as a JavaScript object."""
    from importlib import resources  # loads much that importing viz need not

    folder = resources.files(__package__)
    script, css, structure = (
        "\n".join(_lean((folder / name).read_text("utf-8")) for name in names)
        for names in (SCRIPTS, ["player.css"], ["player.html"])
    )
    # A space before ":" would mean something, so only those after a sign go.
    css = with_palette(css)
    css = re.sub(r"(?<=[{;:,]) | (?=[{}])|\n", "", css).replace(";}", "}")
    assets = json.dumps({"css": css, "html": structure.replace("\n", "")}, ensure_ascii=False)
    return script, assets.replace("</", "<\\/")


def _lean(source: str) -> str:
    """Drop comments and indentation: the files are written for readers.

    A comment after code goes only if no quote follows its `//`: it might be within a text.
    """
    without = re.sub(r"^\s*(/\*.*?\*/|//[^\n]*)\s*?\n", "", source, flags=re.DOTALL | re.MULTILINE)
    without = re.sub(r" // [^\n\"'`]*$", "", without, flags=re.MULTILINE)
    return "\n".join(line.strip() for line in without.splitlines() if line.strip())


@functools.cache
def start_script() -> str:
    """Give the script element that upgrades every host on the page which still waits."""
    script, assets = player_source()
    return inflating(f"(() => {{\n{script}\nupgrade(Promise.resolve({assets}));\n}})();")


# The browser inflates the program itself and runs it as one more script of the page: what makes
# programs of text (`eval`) is refused by the page's own policy, and is not needed.
_INFLATE = """
const bytes = Uint8Array.from(atob("PACKED"), (character) => character.charCodeAt(0));
const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
const script = document.createElement("script");
script.textContent = await new Response(stream).text();
document.head.append(script);
script.remove();
"""


def inflating(program: str) -> str:
    """Give a script element that holds a program deflated: each notebook output keeps a copy."""
    return f"<script>(async () => {{{_INFLATE.replace('PACKED', packed(program))}}})();</script>"
