"""Formulas of a lesson: found in Markdown, and made into MathML, which browsers show by themselves.

They are taken out before the Markdown is read and put back afterwards, since a renderer would
change what stands in them. Needs latex2mathml (extra notebook), loaded when used.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

# Code first, so that a dollar in code is none of a formula.
_FORMULA = re.compile(
    r"(?P<ticks>`+).*?(?P=ticks)"
    r"|(?<!\\)\$\$(?P<block>.+?)\$\$"
    r"|(?<![\\\w$])\$(?!\s)(?P<inline>(?:[^$\n]|\n(?!\s*\n))+?)(?<!\s)\$(?!\d)",
    re.DOTALL,
)
_PLACE = re.compile(r"QFORMULA(\d+)Q")  # what no text says and no renderer changes
# A minus behind a bracket, a comma or an operator is a sign, with no space behind it.
_SIGN = re.compile(r"(<mo[^>]*>(?:[(\[,=]|&#x000(?:28|5B|2C|3D);)</mo>)<mo>(&#x02212;|−)</mo>")

# A function's name stands apart from a letter or number beside it, as in x sin x.
_NAME = r"<mi>(?:log|sin|cos|exp|tanh|cosh)</mi>"
_BESIDE = re.compile(rf"({_NAME})(?=<m(?:i|n|row|sup|sub|frac)>)|(</m(?:i|n|sup|sub)>)(?={_NAME})")


def without_formulas(source: str) -> tuple[str, list[str]]:
    r"""Markdown with a mark in each formula's place, and the formulas as MathML.

    Example:
        >>> without_formulas("costs `$5`")
        ('costs `$5`', [])
    """
    formulas: list[str] = []

    def kept(match: re.Match[str]) -> str:
        latex = match["block"] or match["inline"]
        if latex is None:
            return match[0]
        formulas.append(mathml(latex, block=match["block"] is not None))
        return f"QFORMULA{len(formulas) - 1}Q"

    return _FORMULA.sub(kept, source), formulas


def with_formulas(made: str, formulas: Sequence[str]) -> str:
    """HTML with the formulas back in their places; the names of headings do without."""
    made = re.sub(r'id="[^"]*"', lambda match: _PLACE.sub("", match[0]), made)
    return _PLACE.sub(lambda match: formulas[int(match[1])], made)


def mathml(latex: str, block: bool = False) -> str:
    """A formula in LaTeX as MathML, which browsers show by themselves."""
    from latex2mathml.converter import convert

    made: str = convert(latex.strip(), display="block" if block else "inline")
    made = _SIGN.sub(r'\1<mo form="prefix">\2</mo>', made)
    made = _BESIDE.sub(r'\g<0><mspace width="0.17em"/>', made)
    return f'<span class="formula" tabindex="0">{made}</span>' if block else made
