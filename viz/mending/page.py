"""The page of `minitape explain`: each finding with its picture and lines, before and after.

The one fact to know: it is plain HTML with pictures in it; no script, and nothing is fetched.
"""

from __future__ import annotations

import difflib
import html
from collections.abc import Iterator

from ..player.page import PAGE_STYLE, image, spoken
from ..trace.trace import Trace
from .report import Report, Told

AROUND = 2  # lines of context around a change
STYLE = """
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 12px; margin: 10px 0; }
@media (max-width: 800px) { .pair { grid-template-columns: 1fr; } }
.pair > div { border: 1px solid light-dark(#c9ced6, #464d57); border-radius: 8px; min-width: 0;
  padding: 10px 14px; overflow-x: auto; }
.pair h3 { font-size: 1em; margin: 0 0 8px; }
.before h3 { color: light-dark(#a03c78, #e58cc0); }
.after h3 { color: light-dark(#007a5a, #4fc9a4); }
.kind { border: 2px dashed; border-radius: 1em; padding: 1px 10px; font-size: .8em;
  color: light-dark(#a03c78, #e58cc0); margin-right: 8px; }
table.code { border-collapse: collapse; font: 14px/1.5 ui-monospace, monospace; }
table.code td { white-space: pre; }
table.code td { padding: 0 8px; } td.number { color: light-dark(#606973, #9aa3ad); }
tr.out { background: light-dark(#fbe7f2, #4a2338); }
tr.in { background: light-dark(#d8f2e7, #123d30); }
.cause { border: 2px dashed light-dark(#a03c78, #e58cc0); }
.tried { border: 3px double light-dark(#007a5a, #4fc9a4); }
.pair .cause, .pair .tried { padding: 8px 14px; }
h2 { font-size: 1.15em; font-weight: 500; }
"""
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


def page(report: Report) -> str:
    """The whole document.

    Args:
        report: what was found; with nothing in it the page says that all is well.
    """
    title = html.escape(f"What is suspicious about {report.name}")
    body = (
        "".join(map(_section, report.told))
        or "<p>Nothing is suspicious: all gradients are there.</p>"
    )
    note = f"<p>{html.escape(report.note)}</p>" if report.note else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{PAGE_STYLE}{STYLE}</style>\n</head>\n"
        f"<body>\n<h1>{title}</h1>\n{note}{body}\n</body>\n</html>\n"
    )


def section(told: Told) -> str:
    """One finding as HTML, for a notebook."""
    return f"<style>{STYLE}</style>{_section(told)}"


def _section(told: Told) -> str:
    finding = told.finding
    place = f"line {finding.line}: " if finding.line else ""
    head = f'<h2><span class="kind">{finding.kind}</span>{place}{spoken(finding.sentence)}</h2>'
    before = _picture(finding.trace) + _table(told, "- ")
    if not told.is_tried:
        advice = f"<pre><code>{html.escape(told.mend)}</code></pre>" if told.mend else ""
        return (
            f'<section>{head}<div class="pair"><div class="before"><h3>✕ What was recorded</h3>'
            f"{before}</div><div><h3>What to write instead</h3>{advice}"
            f"<p>{html.escape(told.tried)}</p></div></div></section>"
        )
    after = _picture(told.picture) + _table(told, "+ ")
    return (
        f'<section>{head}<div class="pair"><div class="before"><h3>✕ What was recorded</h3>{before}'
        f'</div><div class="after"><h3>✓ The same, corrected</h3>{after}</div></div>'
        f'<div class="pair"><div class="cause"><b>Cause.</b> {spoken(finding.sentence)}</div>'
        f'<div class="tried"><b>Tried.</b> {html.escape(told.tried.removeprefix("Tried: "))}</div>'
        "</div></section>"
    )


def _picture(trace: str) -> str:
    return image(Trace.from_json(trace)) if trace else ""


def _table(told: Told, sign: str) -> str:
    """The lines of one side around what changes, those with the sign marked."""
    kind = {"- ": "out", "+ ": "in"}[sign]
    rows = [
        f'<tr class="{kind if marked else ""}"><td class="number">{number}</td>'
        f"<td>{sign[0] if marked else ''}</td><td>{html.escape(text)}</td></tr>"
        for number, text, marked in _rows(told, sign)
    ]
    return f'<table class="code">{"".join(rows)}</table>'


def _rows(told: Told, sign: str) -> Iterator[tuple[int, str, bool]]:
    """Number, text, and whether the line is one that changes."""
    whole = told.before or told.text
    side: list[tuple[str, bool]] = [
        (row[2:], row[:2] == sign)
        for row in difflib.ndiff(whole.splitlines(), (told.after or whole).splitlines())
        if row[:2] in ("  ", sign)
    ]
    changed = [number for number, (_, marked) in enumerate(side) if marked]
    near = changed or [told.finding.line - 1]
    for number, (text, marked) in enumerate(side):
        if any(abs(number - each) <= AROUND for each in near):
            yield number + 1, text, marked or (not told.after and number == told.finding.line - 1)
