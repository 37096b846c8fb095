r"""Writes a sheet as TikZ: a picture to `\input`, with the letters of the paper, colours by name.

A sheet is laid out at the width that it has in the paper, so nothing is scaled; a line that is
wider in the paper's letters than it was measured is squeezed to its place. Needs nothing installed.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from ..layout.labels import printable
from ..picture.png import pixels_of
from .expressions import mathematics
from .items import Group, Image, Item, Look, Path, Rect, Run, Sheet, Text
from .lines import ends
from .theme import colours

__all__ = ["escaped", "write"]

_PREAMBLE = r"""% In the preamble: \usepackage{amsmath,amssymb,tikz,lmodern}, and for pdfLaTeX
% \usepackage[T1]{fontenc} before it. A colour that the paper defines, such as mt-blue, is taken."""

# What this file needs besides TikZ: a line no wider than it was measured; a letter that pdfTeX has
# no way to write, which a paper with a font for it can define as #1; and a straight quote.
_MACROS = r"""\providecommand\mtfit[2]{\sbox0{#2}%
  \ifdim\wd0>#1\pgfmathsetmacro\mtby{#1/\wd0}\scalebox{\mtby}[1]{\usebox0}\else\usebox0\fi}%
\providecommand\mtletter[2]{[#2]}%
\providecommand\mtquote{\ifdefined\Umathchar\textquotedbl\else{\char34}\fi}%"""

_BEGIN = (
    r"\begin{tikzpicture}[x=0.75bp, y=-0.75bp, line join=round, line cap=butt,"
    "\n  every node/.style={inner sep=0pt, outer sep=0pt}]"
)

_FACES = {"sans": r"\sffamily", "mono": r"\ttfamily", "serif": r"\rmfamily"}
_ANCHORS = {"start": "base west", "middle": "base", "end": "base east"}

# Quotes by name, for babel gives some of them a meaning of their own.
_SIGNS = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\mtquote{}",
    "'": r"\textquotesingle{}", "`": r"\textasciigrave{}", "–": r"\textendash{}",
    "—": r"\textemdash{}", "‘": r"\textquoteleft{}", "’": r"\textquoteright{}",
    "“": r"\textquotedblleft{}", "”": r"\textquotedblright{}", "…": r"\dots{}",
    "·": r"\textperiodcentered{}", "•": r"\textbullet{}", "°": r"\textdegree{}",
    "§": r"\S{}", "¶": r"\P{}", "©": r"\textcopyright{}", "€": r"\texteuro{}",
    "ß": r"\ss{}", "æ": r"\ae{}", "Æ": r"\AE{}", "œ": r"\oe{}", "Œ": r"\OE{}", "ø": r"\o{}",
    "Ø": r"\O{}", "ł": r"\l{}", "Ł": r"\L{}", "ı": r"\i{}", "µ": r"$\mu$", "\u00a0": "~",
    "\u2009": r"\,", "\u202f": r"\,", "\u2011": r"\mbox{-}", "\u2044": "/",
    "\u200b": "", "\u2060": "",
}  # fmt: skip

_MATHS = {
    "−": "-", "±": r"\pm", "×": r"\times", "÷": r"\div", "¬": r"\neg", "∂": r"\partial",
    "∇": r"\nabla", "∑": r"\sum", "∏": r"\prod", "∫": r"\int", "√": r"\surd", "∞": r"\infty",
    "≈": r"\approx", "≠": r"\neq", "≡": r"\equiv", "≤": r"\leq", "≥": r"\geq", "≪": r"\ll",
    "≫": r"\gg", "∝": r"\propto", "∼": r"\sim", "∗": "*", "∘": r"\circ", "∙": r"\bullet",
    "⋅": r"\cdot", "⋯": r"\cdots", "⋮": r"\vdots", "⋱": r"\ddots", "⊤": r"\top", "⊥": r"\bot",
    "⊕": r"\oplus", "⊖": r"\ominus", "⊗": r"\otimes", "⊙": r"\odot",
    "⊞": r"\boxplus", "⊟": r"\boxminus",
    "∈": r"\in", "∉": r"\notin", "∋": r"\ni", "∅": r"\emptyset", "∧": r"\wedge", "∨": r"\vee",
    "∀": r"\forall", "∃": r"\exists", "∩": r"\cap", "∪": r"\cup", "⊂": r"\subset",
    "⊃": r"\supset", "⊆": r"\subseteq", "⊇": r"\supseteq", "∖": r"\setminus", "∥": r"\parallel",
    "‖": r"\|", "†": r"\dagger", "‡": r"\ddagger", "′": r"{}^{\prime}",
    "←": r"\leftarrow", "→": r"\rightarrow", "↑": r"\uparrow", "↓": r"\downarrow",
    "↔": r"\leftrightarrow", "↕": r"\updownarrow", "↖": r"\nwarrow", "↗": r"\nearrow",
    "↘": r"\searrow", "↙": r"\swarrow", "⇐": r"\Leftarrow", "⇒": r"\Rightarrow",
    "⇔": r"\Leftrightarrow", "↦": r"\mapsto", "⟨": r"\langle", "⟩": r"\rangle",
    "⌈": r"\lceil", "⌉": r"\rceil", "⌊": r"\lfloor", "⌋": r"\rfloor", "ℓ": r"\ell",
    "ℝ": r"\mathrm{R}", "ℂ": r"\mathrm{C}", "ℜ": r"\Re", "ℑ": r"\Im", "ℏ": r"\hbar",
    "■": r"\blacksquare", "□": r"\square", "▪": r"\rule[.2em]{.3em}{.3em}", "▶": r"\triangleright",
    "▷": r"\triangleright", "◀": r"\triangleleft", "◁": r"\triangleleft", "△": r"\triangle",
    "○": r"\bigcirc", "●": r"\bullet", "◦": r"\circ", "★": r"\bigstar", "☆": r"\star",
    "✕": r"\times", "✗": r"\times", "✓": r"\checkmark", "✔": r"\checkmark",
    "↩": r"\hookleftarrow", "↪": r"\hookrightarrow",
    "⏎": r"\hookleftarrow", "│": r"|", "─": r"-", "␣": r"\_",
    "Γ": r"\Gamma", "Δ": r"\Delta", "Θ": r"\Theta", "Λ": r"\Lambda", "Ξ": r"\Xi", "Π": r"\Pi",
    "Σ": r"\Sigma", "Υ": r"\Upsilon", "Φ": r"\Phi", "Ψ": r"\Psi", "Ω": r"\Omega",
    "α": r"\alpha", "β": r"\beta", "γ": r"\gamma", "δ": r"\delta", "ε": r"\varepsilon",
    "ζ": r"\zeta", "η": r"\eta", "θ": r"\theta", "ι": r"\iota", "κ": r"\kappa",
    "λ": r"\lambda", "μ": r"\mu", "ν": r"\nu", "ξ": r"\xi", "π": r"\pi", "ρ": r"\rho",
    "ς": r"\varsigma", "σ": r"\sigma", "τ": r"\tau", "υ": r"\upsilon", "φ": r"\varphi",
    "χ": r"\chi", "ψ": r"\psi", "ω": r"\omega", "ϕ": r"\phi", "ϑ": r"\vartheta",
    "ϵ": r"\epsilon", "ϱ": r"\varrho", "ϖ": r"\varpi",
    # Greek capitals that TeX has no names for, for they look like Latin ones
    **{greek: rf"\mathrm{{{latin}}}" for greek, latin in zip(
        "ΑΒΕΖΗΙΚΜΝΟΡΤΧο", "ABEZHIKMNOPTXo", strict=True)},
}  # fmt: skip

_ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u",
    "\u0307": ".", "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0323": "d",
    "\u0327": "c", "\u0328": "k", "\u0331": "b",
}  # fmt: skip
_LIGATURES = frozenset("-,'`!?<>")  # two of these in a row, or one after the other, may become one


def write(sheets: Sequence[Sheet], theme: str = "light") -> str:
    r"""One sheet as a `tikzpicture`, several below each other with `\par` between them.

    Args:
        sheets: what is drawn.
        theme: "light", "dark" or "grey".

    Returns:
        What a paper takes with `\input`.

    Example:
        >>> one = Sheet(20.0, 10.0, (Rect(0.0, 0.0, 8.0, 4.0, Look("blue")),), "A value.")
        >>> print("\n".join(write([one]).splitlines()[-4:]))
          \path[use as bounding box] (0,0) rectangle (20,10);
          \path[fill=mt-blue] (0,0) rectangle (8,4);
        \end{tikzpicture}%
        \endgroup%
    """
    paint = colours(theme)
    return _PREAMBLE + "\n" + "\n\\par\n".join(_picture(sheet, paint) for sheet in sheets) + "\n"


def escaped(text: str) -> str:
    r"""Letters as LaTeX sets them outside of formulas, whatever they are.

    Example:
        >>> escaped("a_b ≈ 50%"), escaped("hiddenᵀ"), escaped("é")
        ('a\\_b $\\approx$ 50\\%', 'hidden\\textsuperscript{T}', "\\'{e}")
    """
    made: list[str] = []
    letters = unicodedata.normalize("NFC", printable(text))
    for i, letter in enumerate(letters):
        before = letters[i - 1 : i]
        if letter in _ACCENTS:  # one that no single letter has
            made.append(_accented(made.pop() if made else "{}", letter))
        elif letter == " " and (before in ("", " ") or i + 1 == len(letters)):
            made.append("~")  # a blank that TeX would take away
        else:
            apart = (
                r"{\kern0pt}" if letter in _LIGATURES and before in _LIGATURES and before else ""
            )
            made.append(apart + _letter(letter))
    return "".join(made)


def _letter(letter: str) -> str:
    if letter in _SIGNS:
        return _SIGNS[letter]
    if letter in _MATHS:
        return f"${_MATHS[letter]}$"
    if letter.isascii():
        return letter
    kind, *parts = unicodedata.decomposition(letter).split() or [""]
    if kind in ("<super>", "<sub>"):
        inside = escaped("".join(chr(int(part, 16)) for part in parts))
        return rf"\text{'super' if kind == '<super>' else 'sub'}script{{{inside}}}"
    if kind in ("<compat>", "<font>", "<fraction>", "<noBreak>"):
        return escaped("".join(chr(int(part, 16)) for part in parts))
    if kind and parts and chr(int(parts[0], 16)) in _ACCENTS:
        return _accented(_letter(chr(int(kind, 16))), chr(int(parts[0], 16)))
    return rf"\mtletter{{{letter}}}{{U+{ord(letter):04X}}}"


def _accented(letter: str, accent: str) -> str:
    return rf"\{_ACCENTS[accent]}{{{letter}}}"


def _picture(sheet: Sheet, paint: dict[str, str]) -> str:
    used: set[str] = set()
    lines = list(_items(sheet.items, used, "  "))
    said = "\n".join(
        f"% {line}" for line in (sheet.title + "\n" + sheet.notes).splitlines() if line
    )
    named = [
        rf"\providecolor{{{_name(name, used)}}}{{HTML}}{{{paint[name][1:].upper()}}}%"
        for name in sorted(used)
    ]
    size = rf"  \path[use as bounding box] (0,0) rectangle ({_n(sheet.width)},{_n(sheet.height)});"
    head = [said] if said else []
    inside = [_MACROS, *named, _BEGIN, size, *lines, r"\end{tikzpicture}%"]
    return "\n".join([*head, r"\begingroup%", *inside, r"\endgroup%"])


def _items(items: Iterable[Item], used: set[str], indent: str) -> Iterator[str]:
    for item in items:
        match item:
            case Group(name, inner, x, y):
                yield f"{indent}% {printable(name)}"
                yield rf"{indent}\begin{{scope}}[shift={{({_n(x)},{_n(y)})}}]"
                yield from _items(inner, used, indent + "  ")
                yield rf"{indent}\end{{scope}}"
            case Rect(x, y, width, height, look, radius):
                round_by = min(radius, width / 2, height / 2)
                corners = [f"rounded corners={_n(0.75 * round_by)}bp"] if round_by else []
                place = f"({_n(x)},{_n(y)}) rectangle ({_n(x + width)},{_n(y + height)})"
                yield f"{indent}{_drawn(look, used, corners)} {place};"
            case Path():
                yield from (f"{indent}{line}" for line in _path(item, used))
            case Image():
                yield from (f"{indent}{line}" for line in _cells(item, used))
            case Text():
                yield f"{indent}{_text(item, used)}"


def _cells(image: Image, used: set[str]) -> Iterator[str]:
    """An image as rectangles, one for cells of one colour that stand side by side."""
    pixels = pixels_of(image.png)
    across, down = image.width / pixels.shape[1], image.height / pixels.shape[0]
    for i, row in enumerate(pixels):
        colours = ["#" + bytes(cell).hex() for cell in row]
        x = 0
        for colour, cells in groupby(colours):
            count = len(list(cells))
            left, top = image.x + x * across, image.y + i * down
            end = f"({_n(left + count * across)},{_n(top + down)})"
            yield f"{_drawn(Look(colour), used)} ({_n(left)},{_n(top)}) rectangle {end};"
            x += count


def _path(path: Path, used: set[str]) -> Iterator[str]:
    joined = " -- cycle" if path.closed else ""
    yield f"{_drawn(path.look, used)} {''.join(_way(path.points))}{joined};"
    for corners in ends(path):
        triangle = Look(fill=path.look.stroke, opacity=path.look.opacity)
        yield f"{_drawn(triangle, used)} {' -- '.join(map(_at, corners))} -- cycle;"


def _way(points: Iterable[tuple[float, ...]]) -> Iterator[str]:
    for i, point in enumerate(points):
        if len(point) == 6:
            yield f" .. controls {_at(point[:2])} and {_at(point[2:4])} .. {_at(point[4:])}"
        else:
            yield (" -- " if i else "") + _at(point)


def _text(text: Text, used: set[str]) -> str:
    letters = "".join(_run(run, text.size, used) for run in text.runs)
    if text.width:
        letters = rf"\mtfit{{{_n(0.75 * text.width)}bp}}{{{letters}}}"
    size, skip = _n(0.75 * text.size), _n(0.9 * text.size)
    font = rf"font=\fontsize{{{size}}}{{{skip}}}\selectfont"
    turned = f", rotate={_n(text.turned)}" if text.turned else ""
    look = f"anchor={_ANCHORS[text.anchor]}{turned}, {font}"
    return rf"\node[{look}] at {_at((text.x, text.y))} {{{letters}}};"


def _run(run: Run, size: float, used: set[str]) -> str:
    colour = _name(run.colour, used)
    bold = run.bold and not (run.math and run.face == "mono")  # italics tell a name from words
    style = r"\bfseries\boldmath" if bold else r"\itshape" if run.italic else ""
    face = _FACES[run.face] + style
    if run.scale != 1.0:
        face += rf"\fontsize{{{_n(0.75 * size * run.scale)}}}{{{_n(0.9 * size)}}}\selectfont"
    made = rf"{{{face}\color{{{colour}}}{_letters(run)}}}"
    return rf"\raisebox{{{_n(0.75 * size * run.rise)}bp}}{{{made}}}" if run.rise else made


def _letters(run: Run) -> str:
    """What a run says, an expression as mathematics."""
    made = mathematics(printable(run.text), _MATHS) if run.math else ""
    if not made:
        return escaped(run.text)
    cut = run.text.lstrip(" "), run.text.rstrip(" ")
    before, after = (len(run.text) - len(each) for each in cut)
    return f"{'~' * before}${made}${'~' * after}"


def _name(colour: str, used: set[str]) -> str:
    """What the paper calls a colour that is used now."""
    used.add(colour)
    return "mt-" + colour.lstrip("#")


def _drawn(look: Look, used: set[str], options: Sequence[str] = ()) -> str:
    options = list(options)
    if look.fill:
        options.append(f"fill={_name(look.fill, used)}")
    if look.stroke:
        options += [f"draw={_name(look.stroke, used)}", f"line width={_n(0.75 * look.line)}bp"]
    if look.dash:
        parts = look.dash if len(look.dash) % 2 == 0 else look.dash * 2
        pattern = " ".join(
            f"{'off' if i % 2 else 'on'} {_n(0.75 * part)}bp" for i, part in enumerate(parts)
        )
        options.append(f"dash pattern={pattern}")
    if look.opacity != 1.0:
        options.append(f"opacity={_n(look.opacity)}")
    return rf"\path[{', '.join(options)}]"


def _at(point: Sequence[float]) -> str:
    return f"({_n(point[0])},{_n(point[1])})"


def _n(value: float) -> str:
    """A number with two digits after the point at most, and no minus before zero."""
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")
