r"""From the small LaTeX in which ops declare their formulas to plain text and MathML.

The input is the toolkit's own (op declarations, numbers, names that went through `name`), a subset
of LaTeX: `\frac{}{}`, `\sqrt{}`, `\overline{}`, `\mathrm{}`, `\left( \right)`, `^`, `_`, Greek
letters, named functions and operators. What is not known is shown as text. Imports nothing of viz.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

_TOKEN = re.compile(
    r"\\[a-zA-Z]+|\\[,;:! {}|_]|[{}^_]|\d+(?:\.\d+)?(?:·10[⁻⁰¹²³⁴-⁹]+|e[+\-−]?\d+)?"
    r"|[^\W\d_]+|\s+|.",
    re.S,
)
_NAMES = "sin cos tan sinh cosh tanh arcsin arccos arctan exp log ln max min det lim"
TEX_FUNCTIONS = frozenset(_NAMES.split())  # of which each is a command of TeX
_FUNCTIONS = TEX_FUNCTIONS | {"tr", "sign", "erf"}
_TABLE = """
    cdot=· odot=⊙ times=× sum=∑ prod=∏ le=≤ ge=≥ neq=≠ ne=≠ pm=± infty=∞ partial=∂ alpha=α
    beta=β gamma=γ delta=δ epsilon=ε lambda=λ mu=μ pi=π sigma=σ phi=φ psi=ψ omega=ω Gamma=Γ
    Delta=Δ Sigma=Σ Phi=Φ to=→ leftarrow=← addto=+= top=⊤ ast=∗ circ=∘ wedge=∧ vee=∨ land=∧
    lor=∨ neg=¬ lnot=¬ oplus=⊕ lfloor=⌊ rfloor=⌋ lceil=⌈ rceil=⌉ mid=| vert=| Vert=‖ ldots=…
    dots=… langle=⟨ rangle=⟩ div=÷ equiv=≡ approx=≈ in=∈ forall=∀ prime=′ |=‖ bmod=mod
"""
_SYMBOLS = dict(pair.split("=", 1) for pair in _TABLE.split())
_SPACES = {"\\,": " ", "\\;": " ", "\\:": " ", "\\!": "", "\\ ": " ", "\\quad": "  "}
_GROUPS = {"mathrm", "text", "operatorname", "mathbf", "mathit", "textrm"}
# Commands that take what follows.
_COMMANDS = {rf"\{each}" for each in ("left", "right", "frac", "sqrt", "overline", "bar", *_GROUPS)}
_OPERATORS = set("+-−=<>()[]|,·⊙×≤≥≠±∧∨¬⊕→←!/:;⌊⌋⌈⌉‖⟨⟩")


class Piece(NamedTuple):
    """One piece of a formula in both notations."""

    text: str
    mathml: str


def to_text(latex: str) -> str:
    r"""The formula as one line of Unicode text.

    Example:
        >>> to_text(r"\frac{x + 1}{y} \cdot \sin x")
        '(x + 1)/y · sin x'
    """
    return _read(latex).text


def to_mathml(latex: str) -> str:
    """The formula as a fragment of presentation MathML.

    Example:
        >>> to_mathml("x^2")
        '<mrow><msup><mi>x</mi><mn>2</mn></msup></mrow>'
    """
    return f"<mrow>{_read(latex).mathml}</mrow>"


@lru_cache(4096)
def _read(latex: str) -> Piece:
    text, mathml = _Reader(latex).row()
    return Piece(re.sub(r"\s+", " ", text).strip(), mathml)


def name(text: str) -> str:
    """A learner's name as an atom: shown as it is, never read as LaTeX."""
    shown = text if len(text) <= 24 else text[:23] + "…"
    return r"\text{" + re.sub(r"([\\{}])", " ", shown) + "}"


class _Reader:
    """Reads tokens from left to right; groups nest as deep as the braces do."""

    def __init__(self, latex: str) -> None:
        self.tokens: Iterator[str] = iter(_TOKEN.findall(latex))

    def row(self, end: str = "") -> Piece:
        pieces: list[Piece] = []
        for token in self.tokens:
            if token == end:
                break
            if token in "^_" and token:
                base = pieces.pop() if pieces else Piece("", "<mrow></mrow>")
                pieces.append(self._script(base, token))
            elif not token.isspace() or (pieces and end != "text"):
                pieces.append(self._piece(token))
        return Piece("".join(p.text for p in pieces), "".join(p.mathml for p in pieces))

    def _argument(self) -> Piece:
        token = next((each for each in self.tokens if not each.isspace()), None)
        if token is None:
            return Piece("", "<mrow></mrow>")
        if token != "{":
            return self._piece(token)
        inner = self.row("}")
        return Piece(inner.text, f"<mrow>{inner.mathml}</mrow>")

    def _script(self, base: Piece, mark: str) -> Piece:
        script = self._argument()
        atom = len(script.text) <= 1 or script.text.isalnum()
        if mark == "^":
            shown = f"^{script.text}" if atom else f"^({script.text})"
            return Piece(
                base.text.rstrip() + shown, f"<msup>{_one(base.mathml)}{_one(script.mathml)}</msup>"
            )
        shown = f"_{script.text}" if atom else f"_({script.text})"
        return Piece(
            base.text.rstrip() + shown, f"<msub>{_one(base.mathml)}{_one(script.mathml)}</msub>"
        )

    def _piece(self, token: str) -> Piece:
        if token == "{":
            inner = self.row("}")
            return Piece(inner.text, f"<mrow>{inner.mathml}</mrow>")
        if token in _COMMANDS:
            return self._command(token[1:])
        return _alone(token)

    def _command(self, command: str) -> Piece:
        if command in {"left", "right"}:
            return self._argument()
        if command == "frac":
            top, below = self._argument(), self._argument()
            return Piece(
                f"{_grouped(top.text)}/{_grouped(below.text)}",
                f"<mfrac>{top.mathml}{below.mathml}</mfrac>",
            )
        if command == "sqrt":
            inner = self._argument()
            return Piece(f"√{_grouped(inner.text)}", f"<msqrt>{inner.mathml}</msqrt>")
        if command in {"overline", "bar"}:
            inner = self._argument()
            return Piece(
                f"conj({inner.text})",
                f'<mover accent="true">{inner.mathml}<mo stretchy="true">¯</mo></mover>',
            )
        return self._words(command)

    def _words(self, command: str) -> Piece:
        r"""The words of `\mathrm{...}`: taken as they are."""
        words: list[str] = []
        depth = 0
        for token in self.tokens:
            if token.isspace() and not depth:
                continue
            depth += (token == "{") - (token == "}")
            if token not in "{}":
                words.append(token.removeprefix("\\"))
            if depth <= 0:
                break
        text = "".join(words)
        tag = "mtext" if command == "mathrm" else "mi"
        return Piece(text, f"<{tag}>{html.escape(text)}</{tag}>")


@lru_cache(4096)
def _alone(token: str) -> Piece:
    """A token that takes no others with it: a space, a number, a sign, a name."""
    if token.isspace():
        return Piece(" ", "")
    if token in _SPACES:
        return Piece(_SPACES[token], '<mspace width="0.2em"/>')
    if token.startswith("\\") and len(token) > 1:
        return _symbol(token[1:])
    if token[0].isdigit():
        return Piece(token, f"<mn>{token}</mn>")
    shown = "−" if token == "-" else token
    tag = "mo" if shown in _OPERATORS else "mi"
    return Piece(shown, f"<{tag}>{html.escape(shown)}</{tag}>")


def _symbol(command: str) -> Piece:
    """A function's name, or a sign that has one."""
    if command in _FUNCTIONS:
        return Piece(command, f"<mi>{command}</mi>" + '<mspace width="0.17em"/>')
    symbol = _SYMBOLS.get(command, command)
    big = ' largeop="true"' if symbol in "∑∏" else ""
    tag = "mi" if symbol.isalpha() and symbol != "mod" else "mo"
    return Piece(symbol, f"<{tag}{big}>{html.escape(symbol)}</{tag}>")


def _one(mathml: str) -> str:
    """Exactly one element, as scripts need."""
    return mathml if re.fullmatch(r"<(m[ino])>[^<]*</\1>", mathml) else f"<mrow>{mathml}</mrow>"


def _grouped(text: str) -> str:
    text = text.strip()
    return text if re.fullmatch(r"[\w.]+", text) else f"({text})"
