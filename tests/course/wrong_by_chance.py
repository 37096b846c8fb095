"""Wrong answers by the hundred: an exercise's answer with one or two of its pieces changed by lot.

A piece is an operator, a number, a name, an argument, a statement; and there are answers that are
none: nothing, a word, an error, a list of the wrong length.
"""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Iterator

SWAPS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.MatMult: ast.Mult, ast.Pow: ast.Mult, ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE,
    ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.FloorDiv: ast.Div,
}  # fmt: skip
NO_ANSWERS = ["None", "'seven'", "[]", "(1.0, 2.0, 3.0)", "{}", "float('nan')", "1 / 0", "object()"]


def wrong(answer: str, many: int, seed: int) -> Iterator[str]:
    """Up to `many` different answers, none of them the one that is given."""
    draw, seen = random.Random(seed), {ast.unparse(ast.parse(answer))}
    for text in no_answers(answer):
        if text not in seen and len(seen) <= many:
            seen.add(text)
            yield text
    for _ in range(20 * many):
        if len(seen) > many:
            return
        tree = ast.parse(answer)
        for _ in range(draw.choice([1, 1, 1, 2])):
            tree = changed(tree, draw)
        try:
            text = ast.unparse(ast.fix_missing_locations(tree))
            compile(text, "<wrong>", "exec")
        except (SyntaxError, ValueError):
            continue
        if text not in seen:
            seen.add(text)
            yield text


def no_answers(answer: str) -> Iterator[str]:
    """Each function returns something else, each name holds something else."""
    for what in NO_ANSWERS:
        tree = ast.parse(answer)
        for part in tree.body:
            if isinstance(part, ast.FunctionDef):
                part.body = (
                    ast.parse(f"return {what}").body
                    if "/" not in what
                    else [ast.parse(what).body[0]]
                )
            elif isinstance(part, ast.Assign) and "/" not in what:
                part.value = ast.parse(what).body[0].value
        yield ast.unparse(ast.fix_missing_locations(tree))


def changed(tree: ast.Module, draw: random.Random) -> ast.Module:
    """The program with one of its pieces changed."""
    tree = copy.deepcopy(tree)
    nodes = [each for each in ast.walk(tree) if changes(each)]
    names = sorted({n.id for n in ast.walk(tree) if isinstance(n, ast.Name)})
    if nodes:
        change(draw.choice(nodes), draw, names)
    return tree


def changes(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp):
        return type(node.op) in SWAPS
    if isinstance(node, ast.Compare):
        return type(node.ops[0]) in SWAPS
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int | float | str) and not isinstance(node.value, bool)
    if isinstance(node, ast.Call):
        return len(node.args) > 0
    if isinstance(node, ast.Name):
        return isinstance(node.ctx, ast.Load)
    body = getattr(node, "body", None)
    return isinstance(body, list) and len(body) > 1 or isinstance(node, ast.UnaryOp | ast.Return)


def change(node: ast.AST, draw: random.Random, names: list[str]) -> None:
    """Changes a piece in its place."""
    if isinstance(node, ast.BinOp):
        if draw.random() < 0.5:
            node.op = SWAPS[type(node.op)]()
        else:
            node.left, node.right = node.right, node.left
    elif isinstance(node, ast.Compare):
        node.ops[0] = SWAPS[type(node.ops[0])]()
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        node.value = draw.choice(["", "no", "A", "none", node.value[::-1]])
    elif isinstance(node, ast.Constant):
        node.value = draw.choice([0, 1, -node.value, 2 * node.value, node.value + 1, 0.5])
    elif isinstance(node, ast.Call):
        at = draw.randrange(len(node.args))
        if len(node.args) > 1 and draw.random() < 0.5:
            node.args[at], node.args[at - 1] = node.args[at - 1], node.args[at]
        elif draw.random() < 0.5:
            node.args[at] = ast.Constant(None)
        else:
            del node.args[at]
    elif isinstance(node, ast.Name):
        node.id = draw.choice(names)
    elif isinstance(node, ast.UnaryOp):
        node.operand, node.op = ast.UnaryOp(node.op, node.operand), ast.USub()
    elif isinstance(node, ast.Return):
        node.value = ast.Constant(draw.choice([None, 0.0, 1]))
    else:
        del node.body[draw.randrange(len(node.body))]
