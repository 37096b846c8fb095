r"""Writes an expression of a step as TeX sets mathematics: `hiddenᵀ · g` with a raised T and a dot.

No letter is added and none is lost. What is no expression (a name with letters that TeX's
mathematics lacks, a power without its exponent) is left to be set as text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from ..record.notation import TEX_FUNCTIONS

__all__ = ["mathematics", "parted"]

_ORDINAL = r"\d+(?:st|nd|rd|th)\b"
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ᵀ"
_TOKEN = re.compile(
    rf"(?P<ordinal>{_ORDINAL})"
    rf"|(?P<number>\d+(?:\.\d+)?(?:·10[{_RAISED}]+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*(?:[./:][A-Za-z0-9_]+)*)"
    rf"|(?P<raised>[{_RAISED}]+)|(?P<lowered>[₀-₉]+)"
    rf"|\^(?P<power>\w+(?:\.\d+)?|\((?!.*\()[^()]*\))"
    r"|(?P<blank> +)|(?P<sign>.)",
    re.S,
)  # fmt: skip
# Words before a name or a number: "the gradient of x", "row 0 of W".
_WORDS = re.compile(
    rf"(?<!\w)[A-Za-z]+ (?!\({_ORDINAL})(?=[\w…(\[])(?:\w+ (?!\({_ORDINAL})(?=[\w…(\[]))*"
)
_PLAIN = frozenset("()[]|+=/.!")
_SIGNS = {":": "{:}", ",": ",", "<": "<", ">": ">", "-": "-", "·": r"\cdot", "…": r"\ldots"}
_SPACED = frozenset("+-−·=≈<>×⊙,→≤≥≠")  # TeX leaves room around these by itself


def mathematics(text: str, signs: Mapping[str, str]) -> str:
    r"""An expression without its dollars; "" for what has to be set as text.

    Args:
        text: the expression; blanks at its ends are left out.
        signs: what a sign is called in TeX.

    Example:
        >>> mathematics("hiddenᵀ · g", {"·": r"\cdot"})
        '\\mathit{hidden}^{\\mathsf{T}}\\cdot g'
        >>> mathematics("W2 (1st)", {}), mathematics("e^", {}), mathematics("two words", {})
        ('W_{2}\\ (\\mathrm{1st})', '', '')
    """
    said, made, before = text.strip(" "), "", ""
    for match in _TOKEN.finditer(said):
        kind, token = match.lastgroup, match[match.lastgroup or 0]
        if kind == "blank":
            near = {said[match.start() - 1], said[match.end()]}
            if not near & _SPACED and said[match.end()] != "(":
                return ""  # words
            made += "" if near & _SPACED else r"\ "
            continue
        piece = _piece(kind or "", token, signs)
        if not piece:
            return ""
        if re.search(r"\\[a-zA-Z]+$", made) and piece[0].isalpha():
            made += " "
        taken = ("lowered", "counted") if piece[0] == "_" else ("lowered",)
        if piece[0] in "_^" and before in ("raised", "power", *taken):
            made += "{}"  # TeX takes one exponent and one index
        made += piece
        before = "counted" if kind == "name" and "_{" in piece else kind or ""
    return made


def parted(text: str) -> list[tuple[str, bool]]:
    """A text in pieces, each with whether it is an expression; the others are words.

    Example:
        >>> parted("row 0 of W2 · x")
        [('row 0 of ', False), ('W2 · x', True)]
    """
    pieces, end = [], 0
    for match in _WORDS.finditer(text):
        pieces += [(text[end : match.start()], True), (match[0], False)]
        end = match.end()
    return [each for each in (*pieces, (text[end:], True)) if each[0]]


def _piece(kind: str, token: str, signs: Mapping[str, str]) -> str:
    if kind == "ordinal":
        return rf"\mathrm{{{token}}}"
    if kind == "number":
        mantissa, _, power = token.partition("·10")
        return mantissa + (rf"{{\cdot}}10^{{{_level(power)}}}" if power else "")
    if kind == "raised":
        return rf"^{{{_level(token)}}}"
    if kind == "lowered":
        return rf"_{{{_level(token)}}}"
    if kind == "power":
        inside = mathematics(token, signs)
        return rf"^{{{inside}}}" if inside else ""
    if kind == "name":
        return _name(token)
    return token if token in _PLAIN else _SIGNS.get(token) or signs.get(token, "")


def _level(letters: str) -> str:
    plain = unicodedata.normalize("NFKC", letters).replace("\u2212", "-")
    return plain.replace("T", r"\mathsf{T}")


def _name(name: str) -> str:
    if not name.isascii():
        return ""
    if name in TEX_FUNCTIONS:
        return rf"\{name}"
    counted = re.fullmatch(r"([A-Za-z])(\d+)", name)
    if counted:
        return rf"{counted[1]}_{{{counted[2]}}}"
    return name if len(name) == 1 else rf"\mathit{{{name.replace('_', chr(92) + '_')}}}"
