"""A script without the spaces and line ends that only readers need.

The one fact to know: what stands in quotes, templates and regular expressions stays as it is.
So does a line that no sign ends, and the space between two signs that were another one (`a - -b`).
"""

from __future__ import annotations

import re

_PIECES = re.compile(
    r"""
    (?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |(?P<pattern>(?:(?<=[(,=:!&|?>;{\[])|(?<=[(,=:!&|?>;{\[]\ )|(?<=return\ ))
        /(?![/*\ ])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*)
    |(?P<tick>`)
    |(?P<close>;?[ \n]*\})
    |(?P<after>(?<=\})[ \n]+)
    |(?P<sign>\ *(?:[=<>!*%&|?:\)\]]|[;,({\[]\n?)\ *|\ [+\-/]\ (?![+\-/]))
    """,
    re.VERBOSE,
)
_IN_TEMPLATE = re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))*(\$\{|`)", re.DOTALL)


def without_spaces(script: str) -> str:
    """Drop spaces around signs in the code, and line ends behind them.

    Example:
        >>> without_spaces('const a = (b, c) => `${b + 1} = ${c ? "x = y" : 2}`;')
        'const a=(b,c)=>`${b+1} = ${c?"x = y":2}`;'
        >>> without_spaces("const spaced = (row) => /^. ( *)/.exec(row);")
        'const spaced=(row)=>/^. ( *)/.exec(row);'
    """
    found: list[str] = []
    depths: list[int] = []  # of braces, within each template that is open
    at = 0
    while piece := _PIECES.search(script, at):
        found.append(script[at : piece.start()])
        at = piece.end()
        kind, text = piece.lastgroup, piece[0]
        ends_template = kind == "close" and bool(depths) and depths[-1] == 0
        if kind in ("sign", "close", "after"):
            text = text.strip(" \n;") or text.strip()  # no statement ends twice
        if kind == "tick" or ends_template:
            if ends_template:
                depths.pop()
            rest = _IN_TEMPLATE.match(script, at)
            inside = rest[0] if rest else script[at:]
            at += len(inside)
            text += inside
            depths += [0] if inside.endswith("${") else []
        if depths and not ends_template and text in ("{", "}"):
            depths[-1] += 1 if text == "{" else -1
        found.append(text)
    return "".join(found) + script[at:]
