"""Shapes that met silently: (N, 1) against (N,), a bias along the batch, a mean without its axis.

Broadcasting is only suspicious where both sides stand for the same examples, and nothing in the
program (`[:, None]`, `expand_dims`) says that a table was meant.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from minitape.ops.elementwise.arithmetic import add, multiply, subtract
from minitape.ops.elementwise.powers import squared_difference
from minitape.ops.linalg.matrix import matmul
from minitape.variable import ResourceVariable

from ...corrections.blocks import keyword_edit
from ...corrections.candidate import at, call_named
from ...diagnosis import Kind, register
from ...finding import Finding, passed_over, written
from ...source_text import Edit, Source
from ...sources.case import Case
from ...sources.dataflow import Act, public_name
from ...sources.written import operands

if TYPE_CHECKING:
    from minitape.op import Op

SHAPED = {"shape", "part", "copies"}  # of what moves elements: a shape that was asked for
COMPARED = {each.op for each in (subtract, squared_difference)}
AVERAGES = {"mean", "sum", "largest", "smallest"}
REDUCES = AVERAGES | {"variance", "deviation"}
MAX_OPERAND = 30  # characters of an operand that is quoted


def findings(case: Case) -> list[Finding]:
    """The first meeting of shapes on the way to the targets that is no intention."""
    for target in case.request.targets:
        wanted = case.flow.ancestors(target.id)
        for act in case.flow.acts:
            if not wanted.isdisjoint(act.outputs) and _compares(act.op):
                found = _losses(case, act) or _without_axis(case, act) or _bias(case, act)
                if found is not None:
                    return [found]
    return []


def _compares(op: Op) -> bool:
    """Whether an op takes two tables element by element, and repeats one to fit the other."""
    return op.broadcasts and op.differentiable and len(op.inputs) == 2


def _shapes(case: Case, act: Act) -> list[tuple[int, ...]]:
    specs = [case.flow.spec(key) for key in act.inputs]
    return [tuple(spec.shape) if spec is not None else () for spec in specs]


def _losses(case: Case, act: Act) -> Finding | None:
    """Predictions of shape (N, 1) against labels of shape (N,), then a mean over (N, N)."""
    shapes = _shapes(case, act)
    if len(shapes) != 2:
        return None
    column = next((i for i, s in enumerate(shapes) if len(s) == 2 and s[1] == 1 and s[0] > 1), None)
    if column is None:
        return None
    is_row = shapes[1 - column] == (1, shapes[column][0]) and _is_predicted(case, act, column)
    if not is_row and shapes[1 - column] != shapes[column][:1]:
        return None
    makers = [case.flow.maker.get(key) for key in act.inputs]
    column_maker = makers[column]
    if column_maker is not None and column_maker.op.facts.moves in SHAPED:
        return None
    if not _ends_in_average(case, act):
        return None
    n = shapes[column][0]
    named = _named(case, act)
    sentence = (
        f"Unintended broadcasting at line {{line}}: {named[0]} is {_text(shapes[0])} and "
        f"{named[1]} is {_text(shapes[1])}, so the result is ({n}, {n}): every example is "
        "compared with every other one. Give both the same shape."
    )
    return _finding(case, act, "losses", sentence, column=column)


def _is_predicted(case: Case, act: Act, column: int) -> bool:
    """Whether a column is a model's output, and what it meets is data as it came in."""
    if act.inputs[1 - column] in case.flow.maker or act.op is multiply.op:
        return False
    maker = case.flow.maker.get(act.inputs[column])
    if maker is not None and maker.op is add.op:
        maker = case.flow.maker.get(maker.inputs[0])
    return maker is not None and maker.op is matmul.op and _is_variable(case, maker.inputs[1])


def _named(case: Case, act: Act) -> list[str]:
    """Both sides as the learner wrote them, else by their names."""
    own = case.in_file(case.stack_of(act))
    written = operands(own[0]) if own else []
    if len(written) == 2 and all(len(each) <= MAX_OPERAND for each in written):
        return [f"`{each}`" for each in written]
    return [case.flow.name(key) for key in act.inputs]


def _ends_in_average(case: Case, act: Act) -> bool:
    """Whether all elements of the table are averaged, directly or after an elementwise op."""
    todo = list(act.outputs)
    for _ in range(6):
        edges = [edge for key in todo for edge in case.flow.users.get(key, ())]
        if any(edge.act.op.facts.reduces in AVERAGES for edge in edges):
            return True
        passed = [e.act for e in edges if _keeps(case, e.act) or _is_compared(case, e.act)]
        todo = [key for each in passed for key in each.outputs]
    return False


def _keeps(case: Case, act: Act) -> bool:
    """Whether an op leaves a table a table."""
    if act.op.facts.sign in {"−", "/"} and len(act.inputs) == 2:
        return () in _shapes(case, act)
    return _is_elementwise(act.op)


def _is_elementwise(op: Op) -> bool:
    return (op.elementwise and op.differentiable) or op.facts.moves == "same"


def _is_compared(case: Case, act: Act) -> bool:
    """Whether a table is compared with one number per example: a target that became a table."""
    shapes = _shapes(case, act)
    if act.op not in COMPARED or len(shapes) != 2:
        return False
    pairs = (shapes, shapes[::-1])
    return any(len(one) == 2 and two in {one[:1], (one[0], 1)} for one, two in pairs)


def _without_axis(case: Case, act: Act) -> Finding | None:
    """A row statistic without keepdims, which broadcasts along the columns of a square table."""
    shapes = _shapes(case, act)
    if len(shapes) != 2:
        return None
    for table in (0, 1):
        whole, row = shapes[table], shapes[1 - table]
        if len(whole) != 2 or whole[0] != whole[1] or whole[0] < 2 or row != whole[:1]:
            continue
        maker = _statistic(case, act.inputs[1 - table])
        if maker is None or not _same_origin(case, maker, act.inputs[table]):
            continue
        axes = _axes(case, maker)
        if axes != {1}:
            continue
        made = case.line_of(maker)
        sentence = (
            f"Unintended broadcasting at line {{line}}: the statistic of each row (line {made}) "
            f"has shape {_text(row)} and is lined up with the columns of {_text(whole)}. Keep "
            "the axis: `keepdims=True`."
        )
        found = _finding(case, act, "keepdims", sentence)
        span = case.span(case.stack_of(maker))
        if span:
            found.spans["statistic"] = span
            found.line = made
        return found
    return None


def _statistic(case: Case, key: int) -> Act | None:
    """The reduction behind a value, through elementwise ops."""
    for _ in range(4):
        maker = case.flow.maker.get(key)
        if maker is None or not maker.inputs:
            return None
        if maker.op.facts.reduces in REDUCES:
            return maker
        if not _is_elementwise(maker.op):
            return None
        key = maker.inputs[0]
    return None


def _same_origin(case: Case, maker: Act, key: int) -> bool:
    """Whether the statistic is of the table that it meets."""
    ancestors = case.flow.ancestors(key)
    return bool(set(maker.inputs) & ancestors) or bool(
        (case.flow.ancestors(maker.inputs[0]) & ancestors) - {0}
    )


def _axes(case: Case, maker: Act) -> set[int]:
    entry = case.journal.by_output.get(maker.outputs[0]) if case.journal is not None else None
    axes = entry.attributes[0] if entry is not None and entry.attributes else None
    return set(axes) if isinstance(axes, tuple) else {axes} if isinstance(axes, int) else set()


def _bias(case: Case, act: Act) -> Finding | None:
    """A bias with an element per example in place of one per unit."""
    shapes = _shapes(case, act)
    if act.op is not add.op or len(shapes) != 2:
        return None
    for own in (0, 1):
        variable = case.flow.tensors.get(act.inputs[own])
        product = case.flow.maker.get(act.inputs[1 - own])
        if not isinstance(variable, ResourceVariable) or product is None:
            continue
        if product.op is not matmul.op or len(shapes[1 - own]) != 2:
            continue
        right_is_weight = _is_variable(case, product.inputs[1])
        left_is_weight = _is_variable(case, product.inputs[0])
        rows, columns = shapes[1 - own]
        wrong = (right_is_weight and shapes[own] == (rows, 1) and rows > 1 and columns > 1) or (
            left_is_weight
            and not right_is_weight
            and rows == columns
            and rows > 1
            and shapes[own] == (rows,)
        )
        if wrong:
            sentence = (
                f"Unintended broadcasting at line {{line}}: {case.flow.name(act.inputs[own])} is "
                f"{_text(shapes[own])} beside {_text(shapes[1 - own])}, so each example has a bias "
                "of its own, and the units share it. A bias has one element per unit."
            )
            found = _finding(case, act, "bias", sentence, columns=columns, rows=rows)
            span = case.span(case.made_at(act.inputs[own]))
            if span:
                found.spans["made"] = span
            found.facts["by_row"] = right_is_weight
            return found
    return None


def _is_variable(case: Case, key: int) -> bool:
    return isinstance(case.flow.tensors.get(key), ResourceVariable)


def _finding(case: Case, act: Act, cause: str, sentence: str, **facts: Any) -> Finding:
    stack = case.stack_of(act)
    line = case.line_of(act)
    found = Finding(
        "broadcast", cause, sentence.format(line=line), line, span=case.span(stack),
        facts={"op": public_name(act), **facts}, node=act.outputs[0],
    )  # fmt: skip
    return found


def _text(shape: tuple[int, ...]) -> str:
    return f"({shape[0]},)" if len(shape) == 1 else f"({', '.join(map(str, shape))})"


def matching_shapes(source: Source, finding: Finding) -> Iterator[str]:
    """Corrections to try: both sides get one shape."""
    if finding.cause == "losses":
        yield from _flattened(source, finding)
    elif finding.cause == "keepdims":
        node = source.node(finding.spans.get("statistic"))
        if isinstance(node, ast.Call):
            yield source.edited([keyword_edit(source, node, "keepdims", "True")])
        at_once = source.statement(at(source, finding))
        if at_once is not None:  # several statistics in the line, or in the function
            yield _kept(source, [at_once])
            scope: Any = source.scope(at_once)
            yield _kept(source, scope.body if isinstance(scope.body, list) else [at_once])
    elif finding.cause == "bias":
        yield from _biased(source, finding)


def _kept(source: Source, statements: list[Any]) -> str:
    """All statistics along an axis in some statements, with that axis kept."""
    calls = [n for each in statements for n in ast.walk(each) if isinstance(n, ast.Call)]
    edits = [
        keyword_edit(source, n, "keepdims", "True")
        for n in calls
        if str(getattr(n.func, "attr", "")).startswith("reduce_")
        and any(k.arg == "axis" for k in n.keywords)
        and not any(k.arg == "keepdims" for k in n.keywords)
    ]
    return source.edited(edits)


def _flattened(source: Source, finding: Finding) -> Iterator[str]:
    """The column of predictions without its last axis."""
    tf, node = source.tf, at(source, finding)
    column = finding.facts.get("column", 0)
    operands: list[Any] = []
    if isinstance(node, ast.BinOp):
        operands = [node.left, node.right]
    elif isinstance(node, ast.Call) and len(node.args) >= 2:
        operands = list(node.args[:2])
    if len(operands) == 2:
        for each in (operands[column], operands[1 - column]):
            text = f"{tf}.squeeze({source.code(each)}, -1)"
            yield source.edited([source.replaced(each, text)])
        for each in (operands[1 - column], operands[column]):
            other = operands[1] if each is operands[0] else operands[0]
            text = f"{tf}.reshape({source.code(each)}, {tf}.shape({source.code(other)}))"
            yield source.edited([source.replaced(each, text)])
        yield from _where_made(source, operands[column], f"{tf}.squeeze({{}}, -1)")
        yield from _where_made(source, operands[1 - column], f"{tf}.expand_dims({{}}, -1)")


def _where_made(source: Source, side: Any, wrap: str) -> Iterator[str]:
    """The shape given where a name in one side gets its value: all that uses it has it then."""
    names = {n.id for n in ast.walk(side) if isinstance(n, ast.Name)} if side is not None else set()
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Assign) and names & {source.code(t) for t in node.targets}:
            text = wrap.format(source.code(node.value))
            yield source.edited([source.replaced(node.value, text)])


def _biased(source: Source, finding: Finding) -> Iterator[str]:
    """A bias with one element per unit, from its making on."""
    node = source.node(finding.spans.get("made"))
    facts = finding.facts
    shape = f"[{facts.get('columns')}]" if facts.get("by_row") else f"[{facts.get('rows')}, 1]"
    zeros = call_named(source, node, "zeros", "ones", "normal", "uniform")
    if zeros is not None and zeros.args:
        yield source.edited([source.replaced(zeros.args[0], shape)])
    used = at(source, finding)
    if isinstance(node, ast.Call) and node.args:
        edit: Edit = source.replaced(node.args[0], f"{source.tf}.zeros({shape})")
        yield source.edited([edit])
    if isinstance(used, ast.BinOp) and not facts.get("by_row"):
        text = f"{source.code(used.right)}[:, None]"
        yield source.edited([source.replaced(used.right, text)])


def find(case: Case, states: list[str]) -> Iterator[Finding]:
    """Shapes that met silently on the way to the targets."""
    yield from findings(case)


KIND = register(
    Kind(
        "shapes_met",
        505,
        "broadcast",
        find,
        written,
        meant=passed_over,
        correct=matching_shapes,
        dialects=("minitape",),
        example="""\
import numpy as np
import minitape as tf

x = tf.constant([[1.0], [2.0], [3.0]])
y = tf.constant([1.0, 1.0, 2.5])
w = tf.Variable([0.0])
with tf.GradientTape() as tape:
    p = x * w
    loss = tf.reduce_mean(tf.square(p - y))  # <- here
g = tape.gradient(loss, w)
""",
        healthy="""\
import numpy as np
import minitape as tf

x = tf.constant([[1.0], [2.0], [3.0]])
y = tf.constant([[1.0], [1.0], [2.5]])
w = tf.Variable([0.0])
with tf.GradientTape() as tape:
    p = x * w
    loss = tf.reduce_mean(tf.square(p - y))
g = tape.gradient(loss, w)
print((x - x[:, 0]).shape)
""",
    )
)
