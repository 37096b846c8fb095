"""Lets modules know what they keep in lists and plain tensors, and optimizers all parameters."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..evidence import Evidence, Op, Place
from ..source_text import Edit, Source, called
from .edits import calls, statement_of
from .pytorch import torch_name

LAYERS = {
    "Linear", "Conv1d", "Conv2d", "Conv3d", "Embedding", "LayerNorm", "BatchNorm1d", "LSTM", "GRU",
    "BatchNorm2d", "RNN", "GRUCell", "LSTMCell", "RNNCell", "Sequential", "Bilinear",
    "TransformerEncoderLayer", "MultiheadAttention", "Parameter",
}  # fmt: skip


def nn(source: Source) -> str:
    """What the script calls `torch.nn`."""
    if source.imported_from("torch").get("nn") or "nn" in source.aliases("torch.nn"):
        return "nn"
    return next(iter(sorted(source.aliases("torch.nn"))), f"{torch_name(source)}.nn")


def registered(source: Source) -> list[Edit]:
    """The edits that register what `__init__` keeps in lists, dicts and plain tensors."""
    own = {n.name for n in ast.walk(source.tree) if isinstance(n, ast.ClassDef)}
    edits: list[Edit] = []
    for statement in ast.walk(source.tree):
        if not isinstance(statement, ast.Assign) or not isinstance(
            statement.targets[0], ast.Attribute
        ):
            continue
        scope = source.scope(statement)
        if getattr(scope, "name", "") != "__init__":
            continue
        value = statement.value
        elements = (
            value.elts if isinstance(value, ast.List | ast.Tuple) else [getattr(value, "elt", None)]
        )
        names = {called(e.func) for e in elements if isinstance(e, ast.Call)}
        if isinstance(value, ast.List | ast.Tuple | ast.ListComp) and names & (LAYERS | own):
            kind = "ParameterList" if names <= {"Parameter"} else "ModuleList"
            edits.append(source.replaced(value, f"{nn(source)}.{kind}({source.code(value)})"))
        elif isinstance(value, ast.Dict) and any(
            isinstance(e, ast.Call) and called(e.func) in LAYERS | own for e in value.values
        ):
            edits.append(source.replaced(value, f"{nn(source)}.ModuleDict({source.code(value)})"))
        elif isinstance(value, ast.List) and not value.elts:
            edits += _appended(source, statement, own)
        elif "requires_grad" in source.code(value):
            bare = re.sub(r",?\s*requires_grad\s*=\s*True", "", source.code(value))
            bare = re.sub(r"\.requires_grad_\((True)?\)", "", bare)
            edits.append(source.replaced(value, f"{nn(source)}.Parameter({bare})"))
    return edits


def _appended(source: Source, statement: ast.Assign, own: set[str]) -> list[Edit]:
    name = source.code(statement.targets[0])
    for call in calls(source, "append"):
        is_list = isinstance(call.func, ast.Attribute) and source.code(call.func.value) == name
        if (
            is_list
            and isinstance(call.args[0], ast.Call)
            and called(call.args[0].func) in LAYERS | own
        ):
            return [source.replaced(statement.value, f"{nn(source)}.ModuleList()")]
    return []


def optimizer_later(source: Source, optimizer: object, made: object) -> Iterator[str]:
    """The optimizer is made after what it does not have."""
    first, later = statement_of(source, optimizer), statement_of(source, made)
    if first is None or later is None or first is later:
        return
    block = source.block(first)
    if later in block and block.index(later) > block.index(first):
        text = source.code(first)
        place = source.starts[source.rows(later)[1]]
        yield source.edited(
            [source.without(first), Edit(place, place, f"{source.indent(first)}{text}\n")]
        )


def with_parameters(source: Source, optimizer: object, names: list[str]) -> Iterator[str]:
    """The optimizer gets further parameters: those of some modules, or single ones."""
    statement = statement_of(source, optimizer)
    call = (
        next((n for n in ast.walk(statement) if isinstance(n, ast.Call) and n.args), None)
        if statement
        else None
    )
    if call is None:
        return
    modules = list(
        dict.fromkeys(
            name.split(".")[0] for name in names if "." in name and not name.startswith("self.")
        )
    )
    single = [name for name in names if "." not in name]
    more = [*(f"*{name}.parameters()" for name in modules), *single]
    given = call.args[0]
    code = source.code(given)
    if isinstance(given, ast.Subscript) and isinstance(given.slice, ast.Slice):  # a piece of a list
        yield source.edited([source.replaced(given, source.code(given.value))])
    if modules and code.startswith(f"{modules[0]}.") and code.endswith(".parameters()"):
        yield source.edited([source.replaced(given, f"{modules[0]}.parameters()")])
    if not more:
        return
    old = source.code(given)[1:-1] if isinstance(given, ast.List) else f"*{code}"
    yield source.edited([source.replaced(given, f"[{old}, {', '.join(more)}]")])


def layer_of(evidence: Evidence, made: Op, layer: str) -> Place | None:
    """The line that has the layer, where a module of PyTorch's applies it."""
    text = str(evidence.facts.get("source", ""))
    if made.place is None or re.search(rf"\b{made.name}\s*\(", made.place.code or made.place.text):
        return None
    rows = [n for n, row in enumerate(text.splitlines(), 1) if layer in row]
    if len(rows) != 1:
        return None
    return Place(made.place.file, rows[0], text.splitlines()[rows[0] - 1].strip())
