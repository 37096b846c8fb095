"""A learner's source as text that is edited by positions: all of the rest stays as it is.

`ast` counts columns in bytes of UTF-8, so the text is held as bytes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

Span = Sequence[int]  # line, end line, column, end column


class Edit(NamedTuple):
    """Bytes from `start` to `end` are replaced."""

    start: int
    end: int
    text: str


class Source:
    """A text, its tree, and where each line begins.

    Args:
        text: of a script or a cell.
        modules: the modules that a cell finds imported, by the names it has for them.

    Raises:
        SyntaxError: if the text is no Python.
    """

    def __init__(self, text: str, modules: Mapping[str, str] | None = None) -> None:
        self.modules = dict(modules or {})
        self.text = text
        self.data = text.encode()
        self.tree = ast.parse(text)
        self.starts = [0]
        for line in self.data.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.parents: dict[ast.AST, ast.AST] = {
            child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)
        }

    @property
    def lines(self) -> list[str]:
        """The lines without their ends."""
        return self.text.splitlines()

    def start(self, node: Any) -> int:
        """Where a node begins, in bytes."""
        return int(self.starts[node.lineno - 1] + node.col_offset)

    def end(self, node: Any) -> int:
        """Where a node ends, in bytes."""
        return int(self.starts[node.end_lineno - 1] + node.end_col_offset)

    def code(self, node: Any) -> str:
        """The text of a node."""
        return self.data[self.start(node) : self.end(node)].decode()

    def node(self, span: Span | None, kinds: Any = ast.expr) -> Any:
        """The node at exactly a span, else the smallest one around it; None if there is none."""
        if not span:
            return None
        line, end_line, column, end_column = span
        wanted = (self.starts[line - 1] + column, self.starts[end_line - 1] + end_column)
        around = [
            (self.end(n) - self.start(n), number, n)
            for number, n in enumerate(ast.walk(self.tree))
            if isinstance(n, kinds) and self.start(n) <= wanted[0] and wanted[1] <= self.end(n)
        ]
        return min(around)[2] if around else None

    def statement(self, where: Any) -> Any:
        """The innermost statement at a node or a line."""
        if isinstance(where, int):
            around = [
                n for n in ast.walk(self.tree)
                if isinstance(n, ast.stmt) and n.lineno <= where <= (n.end_lineno or 0)
            ]  # fmt: skip
            return max(around, key=lambda n: (n.lineno, n.col_offset), default=None)
        while where is not None and not isinstance(where, ast.stmt):
            where = self.parents.get(where)
        return where

    def above(self, node: Any) -> Iterator[ast.AST]:
        """The nodes around a node, innermost first."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def scope(self, node: Any) -> ast.AST:
        """The function or module that a node is in."""
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
        return next((n for n in self.above(node) if isinstance(n, kinds)), self.tree)

    def block(self, statement: Any) -> list[Any]:
        """The list of statements that a statement stands in."""
        parent: Any = self.parents.get(statement)
        for name in ("body", "orelse", "finalbody", "handlers"):
            found = getattr(parent, name, None)
            if isinstance(found, list) and statement in found:
                return found
        return [statement]

    def indent(self, statement: Any) -> str:
        """What stands before a statement on its line, as blanks."""
        return " " * int(statement.col_offset)

    def replaced(self, node: Any, text: str) -> Edit:
        """The edit that puts a text in place of a node."""
        return Edit(self.start(node), self.end(node), text)

    def before(self, statement: Any, code: str) -> Edit:
        """The edit that puts lines before a statement, indented as it is."""
        place = self.starts[_first_line(statement) - 1]
        pad = self.indent(statement)
        lines = "".join(f"{pad}{line}\n" for line in code.split("\n"))
        return Edit(place, place, lines)

    def without(self, statement: Any) -> Edit:
        """The edit that takes a whole statement out, or leaves `pass` where it stood alone."""
        if len(self.block(statement)) == 1:
            return self.replaced(statement, "pass")
        first, last = self.rows(statement)
        return Edit(self.starts[first - 1], self.starts[last], "")

    def rows(self, statement: Any) -> tuple[int, int]:
        """The first and last line of a statement, decorators included."""
        return _first_line(statement), int(statement.end_lineno)

    def text_of_rows(self, first: int, last: int) -> str:
        """Whole lines."""
        return self.data[self.starts[first - 1] : self.starts[last]].decode()

    def edited(self, edits: Iterable[Edit]) -> str:
        """The text after edits, which must not overlap."""
        data = self.data
        for edit in sorted(edits, key=lambda e: (e.start, e.end), reverse=True):
            data = data[: edit.start] + edit.text.encode() + data[edit.end :]
        return data.decode()

    def aliases(self, *modules: str) -> set[str]:
        """The names by which the program calls some modules."""
        found = {name for name, module in self.modules.items() if module in modules}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                found |= {a.asname or a.name for a in node.names if a.name in modules}
        return found

    def imported_from(self, module: str) -> dict[str, str]:
        """Names that were imported from a module, and what they are called there."""
        found: dict[str, str] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ImportFrom) and node.module == module:
                found |= {a.asname or a.name: a.name for a in node.names}
        return found

    @property
    def tf(self) -> str:
        """The name of the engine in the program."""
        return next(iter(sorted(self.aliases("minitape", "tensorflow"))), "tf")


def _first_line(statement: Any) -> int:
    decorators: list[Any] = getattr(statement, "decorator_list", [])
    return min(int(each.lineno) for each in [statement, *decorators])


def called(function: Any) -> str:
    """The last word of what is called: "exp" of `tf.exp`, "" of what has no name.

    Example:
        >>> called(ast.parse("tf.exp(x)", mode="eval").body.func)
        'exp'
    """
    return str(getattr(function, "attr", getattr(function, "id", "")))
