"""The page of `minitape explain`: each finding with its picture and lines, before and after.

It is plain HTML with pictures in it; no script, and nothing is fetched.
"""

from __future__ import annotations

import difflib
import html
from collections.abc import Iterator
from typing import Any

from ...base.spoken import spoken
from ...player.offline import PAGE_STYLE
from ...player.page import image
from ...trace.trace import Trace
from ..trial.report import Remedy, Report
from ..trial.sound import SOUND

AROUND = 2  # lines of context around a change
# All in one class: in a notebook the headings around a finding stay as they are.
STYLE = """
.finding {
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 12px; margin: 10px 0 44px;
  --bad: light-dark(#a03c78, #e58cc0); --good: light-dark(#007a5a, #4fc9a4);
  --out: light-dark(#fbe7f2, #4a2338); --in: light-dark(#d8f2e7, #123d30); }
@media (max-width: 800px) { .pair { grid-template-columns: 1fr; } }
.pair > div { border: 1px solid light-dark(#c9ced6, #464d57); border-radius: 8px; min-width: 0;
  padding: 10px 16px; overflow-x: auto; }
.pair img { display: block; margin: 0 auto; }
.pair h3 { font-size: 1em; margin: 0 0 8px; }
.before h3 { color: var(--bad); }
.after h3 { color: var(--good); }
.kind { border: 2px dashed; border-radius: 1em; padding: 1px 12px; font-size: .75em;
  font-weight: 700; color: light-dark(#a03c78, #e58cc0); margin-right: 10px; }
.pair > .lines { padding: 8px 0; background: light-dark(#f3f4f6, #21262d); }
table.code { border-collapse: collapse; font: 14px/1.55 ui-monospace, monospace; min-width: 100%; }
table.code td { white-space: pre; padding: 0 8px; text-align: left; vertical-align: top; }
table.code td:last-child { width: 100%; padding-right: 16px; white-space: pre-wrap; }
table.code td.number { color: light-dark(#606973, #9aa3ad); text-align: right; }
tr.out { background: var(--out); box-shadow: inset 4px 0 var(--bad); }
tr.in { background: var(--in); box-shadow: inset 4px 0 var(--good); font-weight: 650; }
.pair > .cause { border: 3px dashed var(--bad); background: var(--out); }
.pair > .tried { border: 4px double var(--good); background: var(--in); }
.pair > .untried { border: 1px dashed; }
.pair p { margin: 0; } .pair pre { white-space: pre-wrap; }
.pair small { display: block; margin-top: 4px; color: light-dark(#4d5560, #aab2bd); }
h2 { font-size: 1.3em; font-weight: 500; margin: 28px 0 8px; border: 0; }
}
"""
TITLES = {
    "none": "The gradient{of} is None",
    "part": "A part of the gradient{of} is missing",
    "twice": "Probabilities where logits are expected",
    "ids": "Ids of classes where probabilities are expected",
    "nan": "The gradient{of} is not a number",
    "inf": "The gradient{of} is infinite",
    "overflow": "A number is too large for its dtype",
    "underflow": "A number is too small for its dtype",
    "zero": "The gradient{of} is zero",
    "broadcast": "Unintended broadcasting",
    "ascent": "The loss grows from step to step",
    "order": "A variable gets the gradient of another one",
    "unmoved": "The variables never change",
    "other_loss": "Variables are moved by another loss than theirs",
    "diverges": "The steps are too large",
    "endless": "The loss has no minimum",
    "update": "An update is wrong",
    "depth": "The gradient vanishes along the depth",
    "wrong": "A custom gradient disagrees with its forward function",
}
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


def page(report: Report) -> str:
    """The whole document.

    Args:
        report: what was found; with nothing in it the page says that all is well.
    """
    title = html.escape(f"What is suspicious about {report.name}")
    body = (
        "".join(map(_section, report.diagnoses))
        or "<p>Nothing is suspicious: all gradients are there.</p>"
    )
    notes = [html.escape(report.note)] * bool(report.note) + [spoken(cut) for cut in report.cuts]
    note = "".join(f"<p>{each}</p>" for each in notes)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{PAGE_STYLE}{STYLE}</style>\n</head>\n"
        f"<body>\n<h1>{title}</h1>\n{note}{body}\n</body>\n</html>\n"
    )


class Shown(Remedy):
    """A finding that shows itself in notebooks, before and after side by side."""

    __slots__ = ()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        text = f"<style>{STYLE}</style>{_section(self)}"
        return {"text/plain": repr(self), "text/html": text}


def _section(one: Remedy) -> str:
    cells = [_recorded(one), _corrected(one), _lines(one, "- "), _lines(one, "+ ")]
    words = [f'<div class="cause"><p><b>Cause.</b> {spoken(one.finding.sentence)}</p></div>']
    if not one.is_tried:
        cells = [_recorded(one), _advice(one), _lines(one, "- ")]
    else:
        words.append(_tried(one))
    pair = f'<div class="pair">{"".join([*cells, *words])}</div>'
    return f'<section class="finding">{_head(one)}{pair}</section>'


def _head(one: Remedy) -> str:
    finding = one.finding
    of = f" of `{finding.source}`" if finding.source else ""
    place = f": line {finding.line}" if finding.line else ""
    title = spoken(TITLES.get(finding.cause, TITLES[finding.kind]).format(of=of) + place)
    return f'<h2><span class="kind">{finding.kind}</span>{title}</h2>'


def _recorded(one: Remedy) -> str:
    picture = _picture(one.finding.trace) or "<p>The tape has no record to be drawn.</p>"
    return f'<div class="before"><h3>✕ What was recorded</h3>{picture}</div>'


def _corrected(one: Remedy) -> str:
    picture = _picture(one.picture) or "<p>The tape has no record to be drawn.</p>"
    return f'<div class="after"><h3>✓ The same, corrected</h3>{picture}</div>'


def _advice(one: Remedy) -> str:
    advice = f"<pre><code>{html.escape(one.fix)}</code></pre>" if one.fix else ""
    heading = "<h3>What to write instead</h3>" if advice else ""
    return f'<div class="untried">{heading}{advice}<p>{html.escape(one.tried)}</p></div>'


def _tried(one: Remedy) -> str:
    if one.verdict != SOUND:
        return f'<div class="untried"><p>{html.escape(one.tried)}</p></div>'
    said = html.escape(one.tried.removeprefix("Tried: "))
    small = "<small>A correction is shown as tried only after it was run and worked.</small>"
    words = f"<p><b>Tried.</b> Run with the changed lines: {said}</p>{small}"
    return f'<div class="tried">{words}</div>'


def _lines(one: Remedy, sign: str) -> str:
    return f'<div class="lines">{_table(one, sign)}</div>'


def _picture(trace: str) -> str:
    return image(Trace.from_json(trace)) if trace else ""


def _table(one: Remedy, sign: str) -> str:
    """The lines of one side around what changes, those with the sign marked."""
    kind = {"- ": "out", "+ ": "in"}[sign]
    rows = [
        f'<tr class="{kind if marked else ""}"><td class="number">{number}</td>'
        f"<td>{sign[0].replace('-', '−') if marked else ''}</td><td>{html.escape(text)}</td></tr>"
        for number, text, marked in _rows(one, sign)
    ]
    return f'<table class="code">{"".join(rows)}</table>'


def _rows(one: Remedy, sign: str) -> Iterator[tuple[int, str, bool]]:
    """Number, text, and whether the line is one that changes."""
    whole = one.before or one.text
    side: list[tuple[str, bool]] = [
        (row[2:], row[:2] == sign)
        for row in difflib.ndiff(whole.splitlines(), (one.after or whole).splitlines())
        if row[:2] in ("  ", sign)
    ]
    changed = [number for number, (_, marked) in enumerate(side) if marked]
    near = changed or [one.finding.line - 1]
    while side and not side[-1][0].strip():
        side.pop()
    for number, (text, marked) in enumerate(side):
        if any(abs(number - each) <= AROUND for each in near):
            yield number + 1, text, marked or (not one.after and number == one.finding.line - 1)
