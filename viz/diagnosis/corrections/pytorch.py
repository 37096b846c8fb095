"""Rewrites a PyTorch script so that a value stays in tensors: NumPy to torch, without `detach`.

A candidate is the statement at the cut, then also that where the value comes back, then all
statements between them, then the whole function: the smallest change is tried first.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable, Iterator
from typing import Any

from ..diagnosis import Correction, Diagnosis
from ..source_text import Edit, Source
from .edits import calls, with_keyword

LEAVING = {"detach", "numpy", "item", "tolist"}
INTEGERS = {"long", "int", "short", "byte", "round", "floor", "ceil", "trunc", "bool"}
COPYING = {"from_numpy", "tensor", "as_tensor", "asarray", "FloatTensor", "DoubleTensor", "Tensor"}
# Functions of NumPy that PyTorch calls otherwise; the others have their own names there, or none.
OTHER = {"concatenate": "cat", "power": "pow", "fabs": "abs", "expand_dims": "unsqueeze"}


class InTensors(ast.NodeTransformer):
    """Rewrites an expression so that it stays in tensors.

    Args:
        numpy: the names of NumPy and `math` in the program.
        torch: the name of PyTorch.
        integers: whether conversions to whole numbers are left out too.
        lists: the names of lists in the program.
        draws: the names of arrays that a generator of NumPy's has drawn.
    """

    def __init__(
        self,
        numpy: set[str],
        torch: str,
        integers: bool = False,
        lists: frozenset[str] = frozenset(),
        draws: frozenset[str] = frozenset(),
    ) -> None:
        self.numpy, self.torch, self.integers, self.lists = numpy, torch, integers, lists
        self.draws = draws

    def visit_Name(self, node: ast.Name) -> Any:
        """A drawn array."""
        return _name(f"{self.torch}.as_tensor({node.id})") if node.id in self.draws else node

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        """`x.data`."""
        self.generic_visit(node)
        return node.value if node.attr == "data" and isinstance(node.ctx, ast.Load) else node

    def visit_Call(self, node: ast.Call) -> Any:
        """One call."""
        self.generic_visit(node)
        function = node.func
        if isinstance(function, ast.Name):
            is_number = function.id in {"float", "int"} and len(node.args) == 1
            return node.args[0] if is_number else node
        if not isinstance(function, ast.Attribute):
            return node
        path = _path(function)
        if path and path[0] in self.numpy:
            return self._numpy(node, ".".join(path[1:]))
        if function.attr == "Parameter" and node.args:
            return node.args[0]
        if path == [self.torch, function.attr] and function.attr in COPYING and node.args:
            kinds = [k.value for k in node.keywords if k.arg == "dtype"]
            copied = self._copied(node.args[0])
            return ast.Call(ast.Attribute(copied, "to", ast.Load()), kinds, []) if kinds else copied
        if function.attr in LEAVING and not node.args:
            return function.value
        if function.attr == "cpu" and not node.args:
            return node
        if function.attr == "astype":
            return function.value
        if function.attr in INTEGERS and self.integers and not node.args:
            return function.value
        if path == [self.torch, function.attr] and function.attr in INTEGERS and self.integers:
            return node.args[0]
        for keyword in node.keywords:
            keyword.arg = {"axis": "dim", "keepdims": "keepdim"}.get(keyword.arg or "", keyword.arg)
        return node

    def _numpy(self, node: ast.Call, name: str) -> Any:
        if name in {"array", "asarray", "float32", "float64", "atleast_1d"} and node.args:
            return self._copied(node.args[0])
        if name.startswith("random."):
            return self._drawn(node, name)
        for keyword in node.keywords:
            keyword.arg = {"axis": "dim", "keepdims": "keepdim"}.get(keyword.arg or "", keyword.arg)
        node.func = _name(f"{self.torch}.{OTHER.get(name, name)}")
        return node

    def _copied(self, inner: Any) -> Any:
        is_list = isinstance(inner, ast.Name | ast.Attribute) and ast.unparse(inner) in self.lists
        if is_list or isinstance(inner, ast.List | ast.Tuple | ast.ListComp | ast.GeneratorExp):
            return ast.Call(_name(f"{self.torch}.stack"), [_listed(inner)], [])
        return inner

    def _drawn(self, node: ast.Call, name: str) -> Any:
        """`np.random.normal(mu, std)`: noise that depends on nothing, scaled."""
        named = {k.arg: k.value for k in node.keywords}
        mean = node.args[0] if node.args else named.get("loc")
        width = node.args[1] if len(node.args) > 1 else named.get("scale")
        if name == "random.normal" and mean is not None and width is not None:
            noise = ast.Call(_name(f"{self.torch}.randn_like"), [copy.deepcopy(width)], [])
            if isinstance(width, ast.Constant):
                noise.args = [copy.deepcopy(mean)]
            return ast.BinOp(mean, ast.Add(), ast.BinOp(width, ast.Mult(), noise))
        return node


def _listed(inner: Any) -> Any:
    if isinstance(inner, ast.GeneratorExp):
        return ast.ListComp(inner.elt, inner.generators)
    return inner


def _path(node: Any) -> list[str]:
    found: list[str] = []
    while isinstance(node, ast.Attribute):
        found.insert(0, node.attr)
        node = node.value
    return [node.id, *found] if isinstance(node, ast.Name) else []


def _name(path: str) -> Any:
    return ast.parse(path, mode="eval").body


def torch_name(source: Source) -> str:
    """What the script calls PyTorch."""
    return next(iter(sorted(source.aliases("torch"))), "torch")


def in_tensors(source: Source, statements: list[Any], integers: bool = False) -> list[Edit]:
    """The edits that make statements stay in tensors; what changes nothing is left out."""
    numpy = source.aliases("numpy", "math")
    lists = frozenset(
        source.code(n.targets[0])
        for n in ast.walk(source.tree)
        if isinstance(n, ast.Assign) and isinstance(n.value, ast.List | ast.ListComp)
    )
    draws = frozenset(
        n.targets[0].id
        for n in ast.walk(source.tree)
        if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)
        and re.match(r"(np\.random|rng|gen\w*)\.\w+\(", source.code(n.value))
    )  # fmt: skip
    edits = []
    for statement in statements:
        for expression in _expressions(statement):
            rewriter = InTensors(numpy, torch_name(source), integers, lists, draws)
            new = rewriter.visit(copy.deepcopy(expression))
            ast.fix_missing_locations(new)
            if ast.dump(new) != ast.dump(expression):
                edits.append(source.replaced(expression, ast.unparse(new)))
    return edits


def _expressions(statement: Any) -> list[Any]:
    """The expressions of a statement that compute a value."""
    if isinstance(statement, ast.Assign | ast.AugAssign | ast.Return | ast.Expr | ast.AnnAssign):
        return [statement.value] if statement.value is not None else []
    return []


def without_leaf(source: Source, diagnosis: Diagnosis) -> list[Edit]:
    """The edit that takes out `loss.requires_grad = True`, if there is one."""
    place = diagnosis.also.get("made a leaf")
    statement = source.statement(place.line) if place is not None else None
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Attribute):
        return [source.without(statement)]
    if isinstance(statement, ast.Expr) and "requires_grad_" in source.code(statement):
        return [source.without(statement)]
    return []


def paths(source: Source, diagnosis: Diagnosis) -> Iterator[Correction]:
    """The value stays in tensors."""
    cut = diagnosis.facts["cut"]
    statement = source.statement(diagnosis.line)
    if statement is None:
        return
    rest = without_leaf(source, diagnosis)
    if cut == "gradient":
        for call in calls(source, "grad"):
            if statement.lineno <= call.lineno <= (statement.end_lineno or 0):
                yield Correction(source.edited([with_keyword(source, call, "create_graph=True")]))
        return
    if cut == "no_grad":
        yield from _with_gradients(source, statement, rest)
    if cut in {"choice", "comparison", "integer"}:
        yield from _smooth(source, diagnosis, statement, rest)
    keeps = cut not in {"choice", "comparison", "integer", "int"} and "random" not in d_code(
        diagnosis
    )
    for statements in _groups(source, diagnosis, statement):
        edits = in_tensors(source, statements)
        if edits:
            yield Correction(source.edited([*edits, *rest]), keeps)
    for statements in _groups(source, diagnosis, statement):
        edits = in_tensors(source, statements, integers=True)
        if edits and not keeps:
            yield Correction(source.edited([*edits, *rest]), False)
    if rest:
        yield Correction(source.edited(rest), True)


def d_code(diagnosis: Diagnosis) -> str:
    """The text of the line at the cut: what is drawn anew cannot be compared."""
    return diagnosis.place.text


def _groups(source: Source, diagnosis: Diagnosis, statement: Any) -> Iterator[list[Any]]:
    yield [statement]
    back = diagnosis.also.get("came back")
    other = source.statement(back.line) if back is not None else None
    if other is not None and other is not statement:
        yield [statement, other]
        scopes = {source.scope(statement), source.scope(other)}
        first, last = sorted((statement.lineno, other.lineno))
        if len(scopes) == 1:
            yield [s for s in _simple(scopes.pop()) if first <= s.lineno <= last]
    yield _simple(source.scope(statement))
    if other is not None and source.scope(other) is not source.scope(statement):
        yield [*_simple(source.scope(statement)), *_simple(source.scope(other))]


def _simple(scope: Any) -> list[Any]:
    """The simple statements of a function, not those of functions in it."""
    found: list[Any] = []
    todo: list[Any] = list(getattr(scope, "body", []) if not isinstance(scope, ast.Lambda) else [])
    while todo:
        each = todo.pop(0)
        if isinstance(each, ast.FunctionDef | ast.ClassDef):
            continue
        nested = [s for name in ("body", "orelse", "finalbody") for s in getattr(each, name, [])]
        todo = [*nested, *todo]
        if not nested and not _is_report(each):
            found.append(each)
    return found


def _is_report(statement: Any) -> bool:
    """Whether a statement only prints, or collects numbers to look at."""
    if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)):
        return False
    called = statement.value.func
    return getattr(called, "id", "") == "print" or getattr(called, "attr", "") in {
        "append",
        "write",
    }


def _with_gradients(source: Source, statement: Any, rest: list[Edit]) -> Iterator[Correction]:
    """The block of `no_grad` around a statement is opened; a decorator goes."""
    for around in source.above(statement):
        if isinstance(around, ast.With) and _switches_off(source, around.items[0]):
            yield Correction(source.edited([_unwrapped(source, around), *rest]))
            return
        if isinstance(around, ast.FunctionDef):
            for decorator in around.decorator_list:
                if "no_grad" in source.code(decorator) or "inference_mode" in source.code(
                    decorator
                ):
                    line = decorator.lineno
                    edit = Edit(source.starts[line - 1], source.starts[line], "")
                    yield Correction(source.edited([edit, *rest]))
                    return
    for each in ast.walk(source.tree):
        if isinstance(each, ast.Expr) and "set_grad_enabled(False)" in source.code(each):
            yield Correction(source.edited([source.without(each), *rest]))
    for each in ast.walk(source.tree):
        if isinstance(each, ast.With) and _switches_off(source, each.items[0]):
            yield Correction(source.edited([_unwrapped(source, each), *rest]))


def _switches_off(source: Source, item: Any) -> bool:
    code = source.code(item.context_expr)
    return any(word in code for word in ("no_grad", "inference_mode", "set_grad_enabled(False)"))


def _unwrapped(source: Source, block: Any) -> Edit:
    """The statements of a block without the block."""
    first, last = source.rows(block)
    body = source.text_of_rows(block.body[0].lineno, last).splitlines(keepends=True)
    inner, outer = len(source.indent(block.body[0])), len(source.indent(block))
    rows = [row[inner - outer :] if row.strip() else row for row in body]
    return Edit(source.starts[first - 1], source.starts[last], "".join(rows))


def _smooth(
    source: Source, diagnosis: Diagnosis, statement: Any, rest: list[Edit]
) -> Iterator[Correction]:
    """For a choice or a comparison in a loss: the smooth loss, which is another function."""
    torch = torch_name(source)
    node = source.node(diagnosis.place.span)
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "argmax"
    ):
        path = _path(node.func)
        logits = source.code(node.args[0] if path[:1] == [torch] else node.func.value)
        name = (
            statement.targets[0].id
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)
            else ""
        )
        for loss, target in _losses(source, node, name):
            text = f"{torch}.nn.functional.cross_entropy({logits}, {target})"
            yield Correction(source.edited([source.replaced(loss, text), *rest]), False)
    if isinstance(node, ast.Compare):
        left = source.code(node.left)
        for edit in _cast_around(source, node, left):
            yield Correction(source.edited([edit, *rest]), False)
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in {"float", "long", "int"}
    ):
        inner = node.func.value
        if isinstance(inner, ast.Compare):
            edit = source.replaced(node, source.code(inner.left))
            yield Correction(source.edited([edit, *rest]), False)


def _losses(source: Source, node: Any, name: str) -> Iterator[tuple[Any, str]]:
    """The expressions that compare a choice with labels, and the labels."""
    for each in ast.walk(source.tree):
        if not isinstance(each, ast.Assign):
            continue
        for inner in ast.walk(each.value):
            sides: list[Any] = []
            if isinstance(inner, ast.Compare) and len(inner.comparators) == 1:
                sides = [inner.left, inner.comparators[0]]
            elif isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Sub):
                sides = [inner.left, inner.right]
            elif isinstance(inner, ast.Call) and len(inner.args) == 2:
                sides = list(inner.args)
            for one, other in (sides, sides[::-1]) if len(sides) == 2 else ():
                names = {n.id for n in ast.walk(one) if isinstance(n, ast.Name)}
                is_choice = (name and name in names) or any(n is node for n in ast.walk(one))
                if is_choice:
                    label = (
                        other.func.value
                        if isinstance(other, ast.Call)
                        and isinstance(other.func, ast.Attribute)
                        and other.func.attr == "float"
                        else other
                    )
                    yield each.value, source.code(label)


def _cast_around(source: Source, node: Any, left: str) -> Iterator[Edit]:
    for around in source.above(node):
        is_cast = isinstance(around, ast.Attribute) and around.attr in {"float", "double", "long"}
        if is_cast:
            call = source.parents[around]
            yield source.replaced(call, f"({left})" if " " in left else left)
            return
        if isinstance(around, ast.stmt):
            return


Edits = Callable[[Source, Any], list[Edit]]
