"""Lines and the style sheet of the still picture; its colours are those of `theme`.

No meaning hangs on colour alone: kinds differ by the box's form and line, states by line width and
dashes. Each declaration stands twice, plain and with a custom property: programs that do not know
`var()` (Inkscape, PowerPoint) use the plain one, a page may set the properties, dark mode does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .theme import DARK, FONT, LIGHT

# selector -> declarations, where $name stands for a colour.
RULES = (
    (".frame,.tab rect", "fill:$paper;stroke:$rule;stroke-width:1.25"),
    (".program.frame,.program.tab rect", "fill:$soft;stroke:$line;stroke-width:1.75"),
    (".round", "fill:none;stroke:$blue;stroke-width:2;stroke-dasharray:7 4"),
    ("text", f"font:12px {FONT};fill:$quiet;unicode-bidi:isolate"),
    (".t", "font-size:13px;font-weight:700;fill:$ink"),
    (".v", "fill:$ink"),
    (".c", "fill:$orange;font-weight:600"),
    (".b", "fill:$paper;stroke:$line;stroke-width:1.25"),
    (".i", "fill:none;stroke:$variable-line;stroke-width:1"),
    (".source .b", "fill:$source;stroke:$source-line;stroke-width:1.75"),
    (".variable .b", "fill:$variable;stroke:$variable-line;stroke-width:1.75"),
    (".constant .b", "fill:$constant;stroke:$constant-line;stroke-dasharray:4 3"),
    (".beside .b", "stroke-dasharray:5 4"),
    (".target .b", "fill:$target;stroke:$target-line;stroke-width:3"),
    (".group .s", "fill:$paper;stroke:$line;stroke-width:1.25"),
    (".p circle", "fill:$paper;stroke:$ink;stroke-width:1.5"),
    (".p text", "font-weight:700;fill:$ink"),
    (".queued .p circle", "fill:$now;stroke:$orange;stroke-width:3"),
    (".e", "fill:none;stroke:$line;stroke-width:1.5"),
    (".e.unwatched", "stroke-dasharray:2 4"),
    (".head", "fill:$line"),
    (".back", "fill:$orange"),
    (".waiting,.e.waiting", "opacity:.35"),
    (".done .b", "stroke-width:2.5"),
    (".released .b", "stroke-dasharray:1 3"),
    (".released", "opacity:.55"),
    (".e.done", "stroke:$orange;stroke-width:2.25"),
    (".e.done,.e.now", "marker-start:url(#PREFIX-back);marker-end:none"),
    (".e.onward", "marker-start:none;marker-end:url(#PREFIX-back)"),
    (".now .b", "fill:$now;stroke:$orange;stroke-width:4"),
    (".badge", "display:none"),
    (".accumulated .badge", "display:inline"),
    (".badge circle", "fill:$green;stroke:$paper;stroke-width:1.5"),
    (".badge text", "fill:$paper;font-weight:700"),
    (".e.now", "stroke:$orange;stroke-width:4"),
    (".band path", "fill:none;stroke-linecap:round"),
    (".rim path", "stroke-width:27"),
    (".inside path", "stroke-width:24"),
    (".rim rect", "stroke-width:3"),
    (".band text", "fill:$ink;font-weight:700"),
    (".tint-0 .rim", "fill:$band-0-line;stroke:$band-0-line"),
    (".tint-1 .rim", "fill:$band-1-line;stroke:$band-1-line"),
    (".tint-2 .rim", "fill:$band-2-line;stroke:$band-2-line"),
    (".tint-0 .inside", "fill:$band-0;stroke:$band-0"),
    (".tint-1 .inside", "fill:$band-1;stroke:$band-1"),
    (".tint-2 .inside", "fill:$band-2;stroke:$band-2"),
    (".inside rect", "stroke:none"),
    (".e.broken", "stroke:$purple;stroke-width:3;stroke-dasharray:3 6"),
    (".broken .b,.unconnected .b", "stroke:$purple;stroke-width:4;stroke-dasharray:9 5"),
    (".unconnected .c", "fill:$purple"),
    (".break circle", "fill:$paper;stroke:$purple;stroke-width:2"),
    (".break path", "fill:none;stroke:$purple;stroke-width:3;stroke-linecap:round"),
    (".break rect", "fill:$purple-soft;stroke:$purple;stroke-width:1.5"),
    (".break text", "fill:$purple;font-weight:700"),
    (".sheet", "fill:$paper;stroke:$rule;stroke-width:1"),
    (".k", "fill:$blue;stroke:none"),
    (".k.cotangent", "fill:$orange"),
    (".k.sum", "fill:$green"),
    (".k.hollow", "fill:none;stroke:$blue;stroke-width:1.3"),
    (".k.cotangent.hollow", "stroke:$orange"),
    (".k.sum.hollow", "stroke:$green"),
    (".k.zero", "fill:$quiet"),
    (".legend text,.heading", "font-size:12px"),
)


def style_sheet(prefix: str, drawing: str | None = None) -> str:
    """Write the style sheet of one picture; every selector is bound to its id.

    With the `drawing` it is for, only the rules for classes that are in it: a notebook keeps the
    sheet of each of its pictures.

    Example:
        >>> "#p .v{fill:#16191d;fill:var(--mt-ink,#16191d)}" in style_sheet("p")
        True
    """
    chosen = RULES if drawing is None else tuple(_needed(drawing))
    rules = [
        f"{_bound(prefix, selector)}{{{_twice(body)}}}".replace("PREFIX", prefix)
        for selector, body in chosen
    ]
    named = set(re.findall(r"\$([\w-]+)", " ".join(body for _, body in chosen)))
    dark = ";".join(f"--mt-{name}:{value}" for name, value in DARK.items() if name in named)
    return "".join(rules) + f"@media(prefers-color-scheme:dark){{#{prefix}{{{dark}}}}}"


def _needed(drawing: str) -> Iterator[tuple[str, str]]:
    """The rules, each with those of its selectors that something in a drawing can match."""
    used = set(" ".join(re.findall(r'class="([^"]*)"', drawing)).split())
    for selector, body in RULES:
        parts = selector.split(",")
        kept = [part for part in parts if used.issuperset(re.findall(r"\.([\w-]+)", part))]
        if kept:
            yield ",".join(kept), body


def _bound(prefix: str, selector: str) -> str:
    return ",".join(f"#{prefix} {part}" for part in selector.split(","))


def _twice(body: str) -> str:
    """Write each declaration that names a colour plainly, then with its custom property."""
    written = []
    for declaration in body.split(";"):
        name, mark, colour = declaration.partition("$")
        if mark:
            written += [name + LIGHT[colour], f"{name}var(--mt-{colour},{LIGHT[colour]})"]
        else:
            written.append(declaration)
    return ";".join(written)
