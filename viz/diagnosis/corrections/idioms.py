"""NumPy idioms that have no namesake: rows chosen one by one, random numbers, convolutions.

A random number with tensors for its mean and width is drawn as a standard one, then shifted and
scaled by tensors (reparametrised), so that both get a gradient.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection
from typing import Any

from ..source_text import Source

Text = Callable[[Any], str]
STANDARD = {"normal": ("loc", "scale"), "uniform": ("low", "high")}
SHIFTED = {"normal": "{0} + {1} * {2}", "uniform": "{0} + ({1} - ({0})) * {2}"}

WRITTEN_OUT = {  # what has no namesake, of operands in brackets
    "hypot": "({tf}.sqrt({0} ** 2 + {1} ** 2))",
    "exp2": "(2.0 ** {0})",
    "log2": "({tf}.math.log({0}) / 0.6931471805599453)",
    "log10": "({tf}.math.log({0}) / 2.302585092994046)",
    "cbrt": "({tf}.sign({0}) * {tf}.abs({0}) ** (1 / 3))",
    "deg2rad": "({0} * 0.017453292519943295)",
    "radians": "({0} * 0.017453292519943295)",
    "rad2deg": "({0} * 57.29577951308232)",
    "degrees": "({0} * 57.29577951308232)",
    "logaddexp": "({tf}.nn.softplus({0} - {1}) + {1})",
    "ptp": "({tf}.reduce_max({0}) - {tf}.reduce_min({0}))",
    "diff": "({0}[1:] - {0}[:-1])",
    "fmax": "{tf}.maximum({0}, {1})",
    "fmin": "{tf}.minimum({0}, {1})",
}


def chosen_by_rows(index: Any) -> Any:
    """The positions in `x[np.arange(n), positions]`, None for another index."""
    if not isinstance(index, ast.Tuple) or len(index.elts) != 2:
        return None
    first, second = index.elts
    name = getattr(first, "func", None)
    is_range = getattr(name, "attr", getattr(name, "id", "")) in {"arange", "range"}
    return second if is_range and not isinstance(second, ast.Slice | ast.Constant) else None


def written_as_text(node: Any) -> Any:
    """The one value in `f"{x:.4f}"`, `"{}".format(x)` and `"%f" % x`, None for other text."""
    if isinstance(node, ast.JoinedStr) and len(node.values) == 1:
        part = node.values[0]
        return part.value if isinstance(part, ast.FormattedValue) else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and _is_text(node.left):
        given = node.right
        parts = given.elts if isinstance(given, ast.Tuple) else [given]
        return parts[0] if len(parts) == 1 else None
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "format":
        is_text = isinstance(node.func, ast.Attribute) and _is_text(node.func.value)
        return node.args[0] if is_text and len(node.args) == 1 and not node.keywords else None
    return None


def _is_text(node: Any) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def reparametrised(
    node: ast.Call, tf: str, text: Text, code: Text, is_tensor: Callable[[Any], bool]
) -> str | None:
    """`rng.normal(mean, width, size)` as `mean + width * rng.normal(size=size)`."""
    name = getattr(node.func, "attr", "")
    if name not in STANDARD or code(node.func).startswith(f"{tf}."):
        return None
    given: dict[str | None, Any] = dict(zip([*STANDARD[name], "size"], node.args, strict=False))
    given |= {k.arg: k.value for k in node.keywords}
    ends = [given.get(each) for each in STANDARD[name]]
    if None in ends or not any(is_tensor(each) for each in ends):
        return None
    low, high = (_operand(each, text(each)) for each in ends)
    size = code(given["size"]) if "size" in given else f"{tf}.shape({low}).numpy()"
    drawn = f"{code(node.func)}(size={size})"
    return f"({SHIFTED[name].format(low, high, drawn)})"


def chosen_by_chance(node: ast.Call, numpy: Collection[str], text: Text, code: Text) -> str:
    """`rng.choice(n, p=p)`: a choice has no derivative, and its probabilities stay an array."""
    array = next((each for each in numpy if each in {"np", "numpy"}), "")
    given = next((k.value for k in node.keywords if k.arg == "p"), None)
    if given is None or ".numpy()" in code(given) or not array:
        return code(node)
    rest = [code(each) for each in [*node.args, *(k for k in node.keywords if k.arg != "p")]]
    return f"{code(node.func)}({', '.join([*rest, f'p={array}.asarray({text(given)})'])})"


def written_out(node: ast.Call, name: str, tf: str, text: Text) -> str | None:
    """A function by others, such as `np.hypot(a, b)` by `tf.sqrt(a ** 2 + b ** 2)`."""
    form = WRITTEN_OUT.get(name)
    if form is None or node.keywords or len(node.args) != 1 + ("{1}" in form):
        return None
    return form.format(*(_operand(each, text(each)) for each in node.args), tf=tf)


def filled_later(node: ast.Call, code: Text, tree: ast.AST) -> str | None:
    """The number of rows of `xs = np.zeros((n, k))` whose rows are set one by one, else None."""
    names = {
        code(n.targets[0]) for n in ast.walk(tree) if isinstance(n, ast.Assign) and n.value is node
    }
    sets = [
        n.targets[0].value
        for n in ast.walk(tree)
        if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Subscript)
    ]
    if not names & {code(each) for each in sets}:
        return None
    shape = node.args[0]
    rows = shape.elts[0] if isinstance(shape, ast.Tuple | ast.List) and shape.elts else shape
    return _operand(rows, code(rows)) if isinstance(rows, ast.expr) else None


def convolved(node: ast.Call, tf: str, text: Text, code: Text) -> str | None:
    """`np.convolve` or `np.correlate` of two vectors by `conv1d`, which turns no kernel."""
    modes = [code(k.value) for k in node.keywords if k.arg == "mode"]
    modes += [code(each) for each in node.args[2:3]]
    mode = modes[0].strip("'\"") if modes else "full" if _turns(node) else "valid"
    if len(node.args) < 2 or mode not in {"valid", "same", "full"}:
        return None
    signal, kernel = text(node.args[0]), text(node.args[1])
    if mode == "full":
        width = f"{tf}.size({kernel}) - 1"
        signal = f"{tf}.pad({signal}, [[{width}, {width}]])"
    if _turns(node):
        kernel = f"{tf}.reverse({kernel}, [0])"
    columns = f"{tf}.reshape({signal}, [1, -1, 1]), {tf}.reshape({kernel}, [-1, 1, 1])"
    padding = "SAME" if mode == "same" else "VALID"
    return f'{tf}.reshape({tf}.nn.conv1d({columns}, 1, "{padding}"), [-1])'


def _turns(node: ast.Call) -> bool:
    return getattr(node.func, "attr", "") == "convolve"


def _operand(node: Any, text: str) -> str:
    simple = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant)
    return text if isinstance(node, simple) else f"({text})"


def with_values(body: str, values: dict[str, str]) -> str:
    """An expression's text with other text for some names."""
    inner = Source(f"({body})")
    found = [n for n in ast.walk(inner.tree) if isinstance(n, ast.Name) and n.id in values]
    edits = [
        inner.replaced(n, values[n.id] if values[n.id].isidentifier() else f"({values[n.id]})")
        for n in found
    ]
    return inner.edited(edits)[1:-1]
