"""MathML fragments: escaping, and the check that lets a page insert one from a file.

A trace may come from somebody else, and its formulas are put into a page as markup: so only the
elements of presentation MathML, without attributes that could load or run anything, get through.
"""

from __future__ import annotations

import functools
import re

from ..errors import TraceError

ELEMENTS = frozenset(
    re.findall(
        r"\w+",
        "math mrow mi mn mo ms mtext mspace mfrac msqrt mroot msub msup msubsup munder mover"
        " munderover mtable mtr mtd mpadded mphantom mstyle mfenced merror menclose",
    )
)
ATTRIBUTES = frozenset(
    re.findall(
        r"\w+",
        "mathvariant stretchy fence separator form accent accentunder displaystyle scriptlevel"
        " linethickness lspace rspace width height depth columnalign rowspacing columnspacing"
        " largeop movablelimits symmetric minsize maxsize display",
    )
)
MAX_DEPTH = 200

_TEXT = r"(?:[^<>&]|&(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});)+"
# The first form is a name, a number or a sign as a whole: nine of ten elements, in one match.
_TOKEN = re.compile(
    rf"(?P<text><(?P<leaf>m[ino])>{_TEXT}</(?P=leaf)>|{_TEXT})"
    r"|<(?P<close>/?)(?P<name>[a-z]+)(?P<attributes>(?:\s+[a-z]+=\"[\w .%+-]*\")*)\s*(?P<empty>/?)>"
)

_WORDS = re.compile(r"(?<=>)[^<>&]+(?=<)")


def check_fragment(fragment: str, where: str = "mathml") -> None:
    """Check that a text is a balanced fragment of plain presentation MathML.

    Raises:
        TraceError: It holds another element or attribute, or is not balanced.

    Example:
        >>> check_fragment("<mrow><mi>x</mi><mo>+</mo><mn>1</mn></mrow>")
        >>> check_fragment("<img src=x>")
        Traceback (most recent call last):
        ...
        minitape.viz.errors.TraceError: mathml: not plain MathML at character 0: '<img src=x>'; ...
    """
    try:
        _check(_WORDS.sub("1", fragment), where)  # a long tape's differ in names and numbers alone
    except TraceError:
        _check(fragment, where)  # says where


@functools.lru_cache(maxsize=4096)
def _check(fragment: str, where: str) -> None:
    open_names: list[str] = []
    position = 0
    while position < len(fragment):
        token = _TOKEN.match(fragment, position)
        if token is None or not _is_allowed(token, open_names):
            shown = fragment[position : position + 40]
            message = f"{where}: not plain MathML at character {position}: {shown!r}"
            raise TraceError(f"{message}; leave 'mathml' empty and give 'text' instead")
        position = token.end()
    if open_names:
        raise TraceError(f"{where}: <{open_names[-1]}> is never closed")


def _is_allowed(token: re.Match[str], open_names: list[str]) -> bool:
    """Check one token and keep the stack of open elements."""
    if token["text"] is not None:
        return True
    name = token["name"]
    if name not in ELEMENTS:
        return False
    if token["close"]:
        return not token["attributes"] and bool(open_names) and open_names.pop() == name
    given = token["attributes"]
    if given and not ATTRIBUTES.issuperset(re.findall(r"([a-z]+)=", given)):
        return False
    if not token["empty"]:
        open_names.append(name)
    return len(open_names) <= MAX_DEPTH
