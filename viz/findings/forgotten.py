"""A variable that was forgotten: where the others of its number are used, it should be too.

The one fact to know: names are all there is to go by. Of `w1, b1, w2, b2` the forgotten `b2`
belongs to the one line that reads `w2`; where there is no such line, nothing is said.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..why.cause import Question
from .beside import parsed
from .case import Case
from .finding import Finding

NUMBERED = re.compile(r"([A-Za-z]+)_?(\d+)$")


class Read(NamedTuple):
    """A numbered name that an expression reads: `self.w2` is the stem w and the number 2."""

    stem: str
    number: str
    node: Any


def placed(case: Case, q: Question, finding: Finding) -> None:
    """Puts a finding about an unused variable at the line in which it is missing."""
    own = NUMBERED.search(q.x)
    tree = parsed(case)
    if own is None or tree is None:
        return
    reads = list(numbered(tree))
    if any((each.stem, each.number) == own.groups() for each in reads):
        return
    beside = [each.node for each in reads if each.number == own[2]]
    if len({node.lineno for node in beside}) != 1:
        return
    finding.line, name = beside[0].lineno, ast.unparse(beside[0])
    finding.span = None
    finding.facts |= {"stem": own[1], "number": own[2]}
    finding.sentence += f" Line {finding.line} reads `{name}` without it."


def numbered(tree: ast.AST) -> Iterator[Read]:
    """The numbered names that are computed with: those of a list of variables do not count."""
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        name = getattr(node, "attr", getattr(node, "id", ""))
        found = NUMBERED.match(name) if isinstance(name, str) else None
        is_read = isinstance(getattr(node, "ctx", None), ast.Load)
        if found is not None and is_read:
            yield Read(found[1], found[2], node)
        elif not isinstance(node, ast.List | ast.Tuple | ast.Dict):
            todo += ast.iter_child_nodes(node)
