"""Corrections of names: one name for two tensors, a gradient function that is not needed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..finding import Finding
from ..source_text import Edit, Source
from ..sources.written import tapes_not_called
from .candidate import asking, at, source_names
from .translate import is_print


def shadowed(source: Source, finding: Finding) -> Iterator[str]:
    """The second tensor gets a name of its own, or is not made at all."""
    name = source_names(source, finding)[0]
    node = at(source, finding)
    statement: Any = source.statement(node if node is not None else finding.line)
    if statement is None or not name.isidentifier():
        return
    other = f"{name}_new"
    loop = isinstance(statement, ast.For) and name in _stored(statement.target)
    if loop:
        yield _renamed(source, [statement], name, other)
    block = source.block(statement)
    if statement in block and name in _stored(statement):
        call = asking(source, finding)
        following = block[block.index(statement) :]
        if call is not None:
            following = [s for s in following if call not in ast.walk(s)]
        yield _renamed(source, following, name, other, keep_reads_in=statement)
        yield source.edited([source.without(statement)])
        value = getattr(statement, "value", None)
        if isinstance(value, ast.Call):
            yield from _assigned(source, statement, name, value)


def _assigned(source: Source, statement: Any, name: str, value: ast.Call) -> Iterator[str]:
    given = value.args[0] if value.args and getattr(value.func, "attr", "") == "Variable" else value
    yield source.edited([source.replaced(statement, f"{name}.assign({source.code(given)})")])


def _stored(node: ast.AST) -> set[str]:
    return {
        n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }


def _renamed(
    source: Source, statements: list[Any], name: str, other: str, keep_reads_in: Any = None
) -> str:
    """The text with another name in some statements."""
    edits = []
    for statement in statements:
        for node in ast.walk(statement):
            if not isinstance(node, ast.Name) or node.id != name:
                continue
            if statement is keep_reads_in and isinstance(node.ctx, ast.Load):
                continue
            edits.append(source.replaced(node, other))
    return source.edited(edits)


def copied(source: Source, finding: Finding) -> Iterator[str]:
    """The original in place of its copy, where it was used and then everywhere below."""
    copy, original = finding.facts["copy"], finding.facts["original"]
    statement = source.statement(finding.line)
    if statement is not None:
        yield _renamed(source, [statement], copy, original)
        block = source.block(statement)
        if statement in block:
            yield _renamed(source, block[block.index(statement) :], copy, original)


def own_gradient_dropped(source: Source, finding: Finding) -> Iterator[str]:
    """The function without a gradient of its own: the tape differentiates its forward."""
    yield from returned_gradient(source, finding)
    name = finding.facts.get("function") or _called(source, finding)
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            decorator = [d for d in node.decorator_list if "custom_gradient" in source.code(d)]
            returns: list[Any] = [
                n for n in ast.walk(node)
                if isinstance(n, ast.Return) and isinstance(n.value, ast.Tuple)
                and source.scope(n) is node
            ]  # fmt: skip
            inner = [n for n in node.body if isinstance(n, ast.FunctionDef)]
            if not decorator or not returns:
                continue
            edits = [source.replaced(r.value, source.code(r.value.elts[0])) for r in returns]
            edits += [source.without(each) for each in inner]
            start = source.starts[decorator[0].lineno - 1]
            end = source.starts[decorator[0].end_lineno or 1]
            edits.append(Edit(start, end, ""))
            yield source.edited(edits)


def _called(source: Source, finding: Finding) -> str:
    node = at(source, finding)
    code = source.code(node) if node is not None else ""
    found = re.match(r"\w+", code)
    return found[0] if found else ""


def argument(source: Source, finding: Finding) -> Iterator[str]:
    """The variable itself for the parameter that has its name."""
    facts = finding.facts
    call = source.node(finding.span, ast.Call)
    if call is None:
        return
    given = [k.value for k in call.keywords if k.arg == facts["name"]]
    place = facts["parameters"].index(facts["name"]) if not given else 0
    if isinstance(call.func, ast.Attribute) and facts["parameters"][0] in {"self", "cls"}:
        place -= 1
    if not given and place < len(call.args):
        given = [call.args[place]]
    yield from (source.edited([source.replaced(each, facts["name"])]) for each in given)


def parentheses(source: Source, finding: Finding) -> Iterator[str]:
    """The class of a tape, called."""
    written = tapes_not_called(source.tree, finding.line)
    if written:
        yield source.edited([source.replaced(e, f"{source.code(e)}()") for e in written])


def by_position(source: Source, finding: Finding) -> Iterator[str]:
    """The keyword arguments of a call in the order of the function's parameters, without names."""
    call = source.node(finding.span, ast.Call)
    if call is None or any(isinstance(each, ast.Starred) for each in call.args):
        return
    name = source.code(call.func).split(".")[-1]
    functions = [n for n in ast.walk(source.tree) if isinstance(n, ast.FunctionDef)]
    names = [[a.arg for a in n.args.args] for n in functions if n.name == name]
    parameters = [each for each in (names[0] if names else []) if each not in {"self", "cls"}]
    given = {k.arg: source.code(k.value) for k in call.keywords}
    moved = parameters[len(call.args) : len(call.args) + len(given)]
    if set(moved) == set(given):
        values = [*map(source.code, call.args), *(given[each] for each in moved)]
        yield source.edited(
            [source.replaced(call, f"{source.code(call.func)}({', '.join(values)})")]
        )


def returned_gradient(source: Source, finding: Finding) -> Iterator[str]:
    """What a gradient function computes last, returned."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef) and node.name == finding.facts.get("function"):
            for inner in ast.walk(node):
                if isinstance(inner, ast.FunctionDef) and inner is not node:
                    yield from _with_return(source, inner)


def without_return(source: Source, finding: Finding) -> Any:
    """The function that the target came from and that has no `return`; None if there is none."""
    call = asking(source, finding)
    name = source.code(call.args[0]) if call is not None and call.args else ""
    functions = {n.name: n for n in ast.walk(source.tree) if isinstance(n, ast.FunctionDef)}
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Assign) and name in _stored(node):
            value = node.value
            called = source.code(value.func).split(".")[-1] if isinstance(value, ast.Call) else ""
            function = functions.get(called)
            if function is not None and not any(
                isinstance(n, ast.Return) for n in ast.walk(function)
            ):
                return function
    return None


def returned(source: Source, finding: Finding) -> Iterator[str]:
    """The last thing that the function computes, returned."""
    function = without_return(source, finding)
    if function is not None:
        yield from _with_return(source, function)


def _with_return(source: Source, function: Any) -> Iterator[str]:
    last = function.body[-1]
    given = [each for each in function.body if isinstance(each, ast.Assign)]
    if isinstance(last, ast.Expr) and not is_print(last):
        yield source.edited([source.replaced(last, f"return {source.code(last)}")])
    if given:
        place = source.starts[source.rows(last)[1]]
        name = source.code(given[-1].targets[0])
        yield source.edited([Edit(place, place, f"{source.indent(last)}return {name}\n")])


def computed_at_each_use(source: Source, statement: Any) -> Iterator[str]:
    """`self.a`, computed in `__init__` once, as a property that is computed at each use."""
    function = source.scope(statement)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if not isinstance(function, ast.FunctionDef) or not isinstance(target, ast.Attribute):
        return
    if function.name != "__init__" or source.code(target.value) != "self":
        return
    own = {each.arg for each in ast.walk(function) if isinstance(each, ast.arg)}
    own |= {
        each.id
        for each in ast.walk(function)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    if own & {n.id for n in ast.walk(statement.value) if isinstance(n, ast.Name)} - {"self"}:
        return  # it needs what only `__init__` has
    pad, end = source.indent(function), source.starts[source.rows(function)[1]]
    rows = ["@property", f"def {target.attr}(self):", f"    return {source.code(statement.value)}"]
    text = "".join(f"{pad}{row}\n" for row in rows)
    yield source.edited([source.without(statement), Edit(end, end, f"\n{text}")])


def variables_later(source: Source, finding: Finding) -> Iterator[str]:
    """The model's variables are asked for where they are used."""
    call = asking(source, finding)
    if call is None or len(call.args) < 2 or not isinstance(call.args[1], ast.Name):
        return
    name = call.args[1].id
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Assign) and name in _stored(node):
            value = source.code(node.value)
            if "variables" in value or "weights" in value:
                reads = [
                    n for n in ast.walk(source.tree)
                    if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
                ]  # fmt: skip
                yield source.edited([source.replaced(n, value) for n in reads])


def forgotten(source: Source, finding: Finding) -> Iterator[str]:
    """A forgotten `b2` in place of a second `b1` in its line, else added to what `w2` makes."""
    stem, number = str(finding.facts.get("stem", "")), str(finding.facts.get("number", ""))
    reads = [each for each in numbered(source.tree) if stem and each.node.lineno == finding.line]
    for each in reads:
        if each.stem == stem:
            yield source.edited([source.replaced(each.node, _numbered(source, each, number))])
    for each in reads:
        product: Any = source.parents.get(each.node)
        if each.number != number or not _is_product(product):
            continue
        own = _numbered(source, each, number, stem)
        text = f"{source.code(product)} + {own}"
        is_part = isinstance(source.parents.get(product), ast.BinOp | ast.Subscript | ast.Attribute)
        yield source.edited([source.replaced(product, f"({text})" if is_part else text)])


def _is_product(node: Any) -> bool:
    called = getattr(getattr(node, "func", None), "attr", "")
    return isinstance(getattr(node, "op", None), ast.MatMult | ast.Mult) or called == "matmul"


def _numbered(source: Source, read: Read, number: str, stem: str = "") -> str:
    """The text of a name with another number or stem, as `self.b2` for `self.w2`."""
    text = source.code(read.node)
    own = re.search(rf"{read.stem}(_?){read.number}$", text)
    start = text[: own.start()] if own is not None else ""
    return f"{start}{stem or read.stem}{own[1] if own is not None else ''}{number}"


NUMBERED = re.compile(r"([A-Za-z]+)_?(\d+)$")


class Read(NamedTuple):
    """A numbered name that an expression reads: `self.w2` is the stem w and the number 2."""

    stem: str
    number: str
    node: Any


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
