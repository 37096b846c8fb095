"""Checks the formula that an op declares: what it names in braces is what the forward takes.

As in `str.format`, `{{y}}` is LaTeX's y in braces, and `{{{y}}}` the input y in them.
"""

from __future__ import annotations

import re

from minitape.errors import teach

# A name in braces, with what of LaTeX may have them: a command, a text of its own, `^` or `_`.
_IN_BRACES = re.compile(
    r"(?P<text>\\(?:math|text|operatorname)[a-z]*)?(?P<command>\\[A-Za-z]+(?:\{[^{}]*\})*|[_^])?"
    r"(?P<open>\{+)(?P<name>[^\W\d]\w*)(?::\d)?(?P<close>\}+)"
)


def check_formula(
    op: str, latex: str, inputs: tuple[str, ...], attributes: tuple[str, ...]
) -> None:
    """Refuses a formula with an unknown name in braces, or with inputs that have none.

    Raises:
        TypeError: with the corrected formula.
    """
    known = (*inputs, *attributes)
    named = [
        each
        for each in _IN_BRACES.finditer(latex)
        if len(each["open"]) % 2 or len(each["close"]) == 1
    ]
    found = {each["name"] for each in named if each["name"] in known}
    for each in named:
        is_latex = len(each["open"]) == 1 and (each["text"] or (found and each["command"]))
        if each["name"] not in known and not is_latex:
            raise TypeError(_unknown_name(op, latex, each["name"], known, found))
    bare = re.compile(rf"(?<![\\A-Za-z])({'|'.join(inputs)})(?![A-Za-z])")
    if inputs and not found and bare.search(latex):
        right = bare.sub(lambda input_: f"{{{input_[0]}}}", latex)
        raise TypeError(
            teach(
                f"The formula of {op}, {latex}, has no name in braces.",
                "An input without braces is a letter, in whose place no value is put.",
                f'Write `latex=r"{right}"`.',
            )
        )


def _unknown_name(op: str, latex: str, name: str, known: tuple[str, ...], found: set[str]) -> str:
    meant = next((each for each in known if each not in found), known[0] if known else name)
    right = re.sub(rf"\{{{name}(?=[:}}])", f"{{{meant}", latex)
    return teach(
        f"The formula of {op} has {{{name}}}, but its forward takes "
        f"{', '.join(known) or 'nothing'}.",
        "A name in braces stands for an input or an attribute of the forward.",
        f'Write `latex=r"{right}"`, or `{{{{{name}}}}}` for braces of LaTeX.',
    )
