"""Writes the stubs of minitape's public names, by which editors and type checkers know them.

Public names are found at run time, in namespaces that declarations fill, where no checker can see
them. Run this after a public name came, went or changed its arguments: `python tests/stubs.py`. A
test compares the stubs with the package.

What stands in a module under a name of its own is imported from there, so that an editor leads to
its source. An op, whose forward takes arrays, and what a module makes at run time are written out.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import textwrap
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

sys.path[:0] = [str(Path(__file__).parent.parent)]

import minitape
from minitape.names.namespaces import Namespace

PACKAGE = Path(minitape.__file__).parent
HEAD = '"""{}\n\nWritten by `python tests/stubs.py`; not to be edited.\n"""\n\n'
OPERATIONS = """from collections.abc import Callable, Sequence
from typing import Any, overload

from minitape.ragged_tensors.tensor import RaggedTensor
from minitape.values.public_types import Axis, DTypeLike, ShapeLike, TensorLike
from minitape.values.results import AnyTensor
from minitape.tensor import Tensor

"""
# What users give where the forward of an op takes arrays, and get where it returns them.
ACCEPTED = {"Array": "TensorLike", "Indices": "TensorLike", "Arrays": "Sequence[TensorLike]"}
RAGGED = "RaggedTensor | Sequence[RaggedTensor]"
RETURNED = {"Array": "Tensor", "Arrays": "list[Tensor]", "Self | Any": "Any"}


def stubs() -> dict[Path, str]:
    """The text of every stub."""
    written: dict[str, str] = {}
    texts = {}
    for space, module in namespaces(minitape):
        names = dir(module)
        lines = sorted(line(space, name, getattr(module, name), written) for name in names)
        title = f"The public names of `{'.'.join(('tf', *space))}`."
        if not space:
            lines.append("__version__: str")
        texts[stub(space)] = HEAD.format(title) + "\n".join(lines)
    ops = minitape.keras.ops
    names = [name for name in dir(ops) if name not in ops.OWN]
    taken = {name: getattr(ops, name) for name in names}
    inside = {name: vars(op).get("__wrapped__", op) for name, op in taken.items()}  # for tensors
    lines = [line(("keras", "ops"), name, op, written) for name, op in inside.items()]
    title = "The names of `tf.keras.ops` that stand for ops of `tf`."
    texts[stub(("keras", "ops"))] = HEAD.format(title) + "\n".join(lines)
    operations = HEAD.format("Ops, and functions that are made at run time.") + OPERATIONS
    texts[stub(("operations",))] = operations + "".join(written[name] for name in sorted(written))
    texts[PACKAGE / "api" / "__init__.pyi"] = HEAD.format("The namespaces: `tf.math`, `tf.nn`, ...")
    return {path: text.rstrip() + "\n" for path, text in texts.items()}


def namespaces(module: ModuleType, path: tuple[str, ...] = ()) -> list[tuple[Any, ModuleType]]:
    """The package and its namespaces, at any depth, each with its path below `tf`."""
    found = [(path, module)]
    for name in dir(module):
        inner = getattr(module, name)
        if isinstance(inner, Namespace):
            found += namespaces(inner, (*path, name))
    return found


def stub(space: tuple[str, ...]) -> Path:
    """The file for a namespace."""
    return PACKAGE / "api" / f"{'_'.join(space)}.pyi" if space else PACKAGE / "__init__.pyi"


def line(space: tuple[str, ...], name: str, value: Any, written: dict[str, str]) -> str:
    """The line by which a stub has a public name; what stands nowhere yet goes to `written`."""
    if isinstance(value, Namespace):
        return imported("minitape.api", "_".join((*space, name)), name)
    if isinstance(value, ModuleType):
        package, _, module = value.__name__.rpartition(".")
        return f"from {package} import {module} as {name}"
    if isinstance(value, type) or (isinstance(value, FunctionType) and not is_written_out(value)):
        home = defined_name(value)
        if home:
            return imported(module_of(value), home, name)
    if isinstance(value, FunctionType):
        text = definition(value)
        if written.setdefault(own_name(value), text) != text:
            raise ValueError(f"two functions are called {own_name(value)}: rename one of them")
        return imported("minitape.api.operations", own_name(value), name)
    return f"{name}: {type(value).__name__}".replace("NoneType", "None")


def imported(module: str, name: str, public: str) -> str:
    """The import of a name; a stub offers on what keeps its name, or is assigned to another."""
    if name == public:
        return f"from {module} import {name} as {name}"
    return f"from {module} import {name} as _{public}\n{public} = _{public}"


def defined_name(value: Any) -> str:
    """The name by which a function or class is defined in its module; "" if it is made there."""
    module = sys.modules[module_of(value)]
    name = own_name(value)
    return name if name in definitions(module) and getattr(module, name) is value else ""


def module_of(value: Any) -> str:
    """Where a class or function stands; its `__module__` is the one that users import it from."""
    return (
        value.__module__
        if isinstance(value, type)
        else inspect.unwrap(value).__globals__["__name__"]
    )


def own_name(value: Any) -> str:
    """What it is called there, or the name of its op."""
    if isinstance(value, type):
        return value.__qualname__
    if hasattr(value, "op"):
        return str(value.op.name)
    code = inspect.unwrap(value).__code__
    if code.co_name == code.co_qualname:
        return str(code.co_name)
    # A function that another one has made; `tf.sparse` has the names of `tf.math` once more.
    return f"{'sparse_' * value.__module__.endswith('.sparse')}{value.__name__}"


@cache
def definitions(module: ModuleType) -> set[str]:
    """The functions and classes that a module's source defines."""
    body = ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8")).body
    return {node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)}


def is_written_out(function: Any) -> bool:
    """Whether a stub has to say more than the source of a function does."""
    return hasattr(function, "op") or returned(function) == "SameKind"


def returned(function: Any) -> str:
    """What a function returns, as its annotation says it."""
    return str(inspect.signature(function).return_annotation)


def definition(function: Any) -> str:
    """A function written out, with its docstring."""
    parameters = list(inspect.signature(function).parameters.values())
    op = getattr(function, "op", None)
    more = ["name: str | None = None"] if op else []
    arguments = [argument(each) for each in parameters] + more
    returns, name = returned(function), own_name(function)
    if not (returns == "SameKind" or (op and op.elementwise)):
        return signature(name, arguments, RETURNED.get(returns, returns)) + docstring(function)
    text = ""
    for i in range(len(op.inputs) if op else 1):
        ragged = [
            *arguments[:i],
            re.sub(r": (TensorLike|Any)", f": {RAGGED}", arguments[i]),
            *arguments[i + 1 :],
        ]
        text += f"@overload\n{signature(name, ragged, 'AnyTensor')}{docstring(function)}"
    plain = signature(name, arguments, "Tensor") + docstring(function)
    return f"{text}@overload\n{plain}"


def docstring(function: Any) -> str:
    """The end of a definition: a docstring for its body."""
    text = inspect.getdoc(function) or ""
    end = "\n" if "\n" in text else ""
    return ":\n" + textwrap.indent(f'r"""{text}{end}"""', "    ") + "\n\n"


def signature(name: str, arguments: list[str], returns: str) -> str:
    return f"def {name}({', '.join(arguments)}) -> {returns}"


def argument(parameter: inspect.Parameter) -> str:
    """A parameter with what users may give for it."""
    note = "Any" if parameter.annotation is parameter.empty else str(parameter.annotation)
    text = f"{parameter.name}: {ACCEPTED.get(note, note)}"
    if parameter.default is not parameter.empty:
        plain = isinstance(parameter.default, int | float | str | None)
        text += f" = {parameter.default!r}" if plain else " = ..."
    return {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(
        parameter.kind, ""
    ) + text


if __name__ == "__main__":
    for path, text in stubs().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
