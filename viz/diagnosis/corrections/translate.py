"""From NumPy to TensorFlow: an expression's text in which values stay tensors.

Only the pieces that leave for NumPy or Python are rewritten, from the inside out; everything
between keeps the learner's own text. A function of NumPy's is minitape's op of that name; what is
found nowhere stays, and then the correction that was tried does not work.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator
from typing import Any

import minitape

from ..source_text import Edit, Source
from ..words import METHODS, known

BOTH = (ast.List, ast.ListComp, ast.GeneratorExp, ast.Tuple)
LEAVING = {"numpy", "item", "tolist", *METHODS}
NUMBERS = {"float", "int", "complex"}
ARRAYS = {"array", "asarray", "ascontiguousarray", "float32", "float64", "asfarray", "squeeze_"}
CONSTANTS = {"constant", "convert_to_tensor"}
WRAPPERS = ("numpy_function", "py_function")  # they call a function of arrays
TEXTS = {"str", "repr"}  # and back from text, by `float` or these
READERS = {"dumps", "loads", "literal_eval"}
# Functions that take their arguments in another way than the op of that name, or have none.
OTHER = {
    "dot": "tensordot", "vdot": "tensordot", "inner": "tensordot", "outer": "tensordot",
    "diag": "linalg.diag_part", "swapaxes": "transpose", "average": "mean", "nanmean": "mean",
    "nansum": "sum", "fsum": "sum", "atleast_1d": "identity",
}  # fmt: skip


def called(name: str) -> str:
    """TensorFlow's name of a NumPy or math function, "" if there is none.

    Example:
        >>> called("mean"), called("sin"), called("clip"), called("no_such_function")
        ('reduce_mean', 'sin', 'clip_by_value', '')
    """
    name = OTHER.get(name, name)
    op = known(name)
    for word in (op.facts.also, name, op.name) if op is not None else (name,):
        for path in ("", "math.", "linalg.", "nn."):
            module = getattr(minitape, path[:-1]) if path else minitape
            if word and callable(getattr(module, word, None)):
                return f"{path}{word}"
    return ""


class Translator:
    """Rewrites the expressions of one source.

    Attributes:
        changed: whether anything was rewritten so far.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.tf = source.tf
        self.numpy = source.aliases("numpy", "math", "numpy.linalg", "cmath")
        self.names = {**source.imported_from("math"), **source.imported_from("numpy")}
        self.changed = False

    def edits(self, statement: ast.stmt) -> list[Edit]:
        """The edits of a statement's own expressions (of a block, its head alone)."""
        found = []
        for child in _own_expressions(statement):
            before, text = self.source.code(child), self.text(child)
            if text != before:
                found.append(self.source.replaced(child, text))
        return found

    def text(self, node: Any) -> str:
        """The rewritten text of an expression."""
        special = self._special(node)
        if special is not None:
            self.changed = True
            return special
        start = self.source.start(node)
        pieces, at = [], start
        for child in sorted(_children(node), key=self.source.start):
            own = self.source.start(child)
            if own < at:
                continue
            pieces += [self.source.data[at:own].decode(), self.text(child)]
            at = self.source.end(child)
        return "".join(pieces) + self.source.data[at : self.source.end(node)].decode()

    def _special(self, node: Any) -> str | None:
        written = written_as_text(node)
        if written is not None:
            return self.inner(written)
        if isinstance(node, ast.Attribute) and node.attr == "T" and self._leaves(node.value):
            return f"{self.tf}.transpose({self.text(node.value)})"
        rows = chosen_by_rows(node.slice) if isinstance(node, ast.Subscript) else None
        if rows is not None and self._leaves(node.value):
            given = f"{self.text(node.value)}, {self.text(rows)}"
            return f"{self.tf}.gather({given}, batch_dims=1)"
        if isinstance(node, ast.Subscript) and self._is_left(node.value) and _chooses(node.slice):
            return f"{self.tf}.gather({self.text(node.value)}, {self.text(node.slice)})"
        if not isinstance(node, ast.Call):
            return None
        function = node.func
        drawn = reparametrised(node, self.tf, self.text, self.source.code, self._is_tensor)
        if drawn is not None:
            return drawn
        if isinstance(function, ast.Name):
            return self._of_name(node, function.id)
        if isinstance(function, ast.Attribute) and function.attr == "choice":
            return chosen_by_chance(node, self.numpy, self.text, self.source.code)
        if isinstance(function, ast.Attribute):
            module = self.source.code(function.value)
            if module in self.numpy or _is_dotted(module) and module.split(".")[0] in self.numpy:
                return self._of_numpy(node, function.attr)
            if module == self.tf and function.attr in WRAPPERS and len(node.args) > 1:
                return self._unwrapped(node)
            if module == self.tf:
                return self._of_constant(node, function.attr)
            if function.attr in READERS and len(node.args) == 1:
                return self.inner(node.args[0])
            return self._of_method(node, function)
        return None

    def _of_name(self, node: ast.Call, name: str) -> str | None:
        """`float(x)`, and functions that were imported from math or numpy."""
        if name in NUMBERS | TEXTS and len(node.args) == 1:
            given = node.args[0]
            return None if isinstance(given, ast.Constant) else self.inner(given)
        if name == "round" and node.args and any(map(self._leaves, node.args)):
            return self.inner(node.args[0])
        if name in self.names:
            return self._of_numpy(node, self.names[name])
        return None

    def _unwrapped(self, node: ast.Call) -> str:
        """`f(x)` for `tf.numpy_function(f, [x], dtype)`; of a lambda, its body with `x` in it."""
        function, given = node.args[:2]
        parts = given.elts if isinstance(given, ast.List | ast.Tuple) else [given]
        texts = [self.text(each) for each in parts]
        if isinstance(function, ast.Lambda):
            names = [each.arg for each in function.args.args]
            return with_values(self.text(function.body), dict(zip(names, texts, strict=False)))
        return f"{self.source.code(function)}({', '.join(texts)})"

    def _of_constant(self, node: ast.Call, name: str) -> str | None:
        """`tf.constant(...)` around values that have left makes the new constant."""
        if name not in CONSTANTS or not node.args or isinstance(node.args[0], ast.Constant):
            return None
        given = node.args[0]
        if _is_plain(given):
            return None
        return self._gathered(given, node)

    def _gathered(self, given: Any, node: ast.Call) -> str:
        """One tensor of what is a list of them."""
        text = self.text(given)
        if isinstance(given, ast.GeneratorExp):
            text = f"[{text.strip('()')}]"
        dtype = next((k for k in node.keywords if k.arg == "dtype"), None)
        whole = f"{self.tf}.stack({text})" if isinstance(given, BOTH) else text
        if dtype is not None and self.tf in self.source.code(dtype.value):
            return f"{self.tf}.cast({whole}, {self.source.code(dtype.value)})"
        return whole

    def _of_method(self, node: ast.Call, function: ast.Attribute) -> str | None:
        name = function.attr
        if name == "predict" and node.args:
            return f"{self.text(function.value)}({self.text(node.args[0])})"
        if name in {"numpy", "item", "tolist"} and not node.args:
            return self.inner(function.value, operand=True)
        if name not in LEAVING or not self._leaves(function.value):
            return None
        inner = self._counted(function.value, name)
        if name in {"copy", "astype"}:
            return inner
        if name in {"flatten", "ravel"}:
            return f"{self.tf}.reshape({inner}, [-1])"
        rest = [self.text(each) for each in node.args]
        if name == "dot":
            return f"{self.tf}.tensordot({inner}, {rest[0]}, 1)"
        if name == "reshape" and len(rest) != 1:
            rest = [f"[{', '.join(rest)}]"]
        rest += [f"{k.arg}={self.text(k.value)}" for k in node.keywords]
        theirs = called(name)
        return f"{self.tf}.{theirs}({', '.join([inner, *rest])})" if theirs else None

    def _of_numpy(self, node: ast.Call, name: str) -> str | None:
        """`np.f(...)`: its namesake."""
        if name in {"convolve", "correlate"}:
            return convolved(node, self.tf, self.text, self.source.code)
        if name in ARRAYS and node.args:
            return None if _is_plain(node.args[0]) else self._gathered(node.args[0], node)
        if name in {"zeros", "empty"} and node.args:
            size = filled_later(node, self.source.code, self.source.tree)
            return f"[0.0] * {size}" if size else None
        whole = written_out(node, name, self.tf, self.text)
        if whole is not None:
            return whole
        theirs = called(name)
        if not theirs or not node.args or all(map(_is_plain, node.args)):
            return None
        given = [self._counted(each, name) for each in node.args]
        named = [
            f"{k.arg}={self.text(k.value)}" for k in node.keywords if k.arg not in {"dtype", "out"}
        ]
        if isinstance(node.args[0], ast.GeneratorExp):
            given[0] = f"[{given[0].strip('()')}]"
        given += _further(name, len(given) + len(named))
        return f"{self.tf}.{theirs}({', '.join(given + named)})"

    def _counted(self, node: Any, name: str) -> str:
        """The text of an argument; a comparison as numbers, where NumPy adds up what is true."""
        text = self.text(node)
        adds = isinstance(node, ast.Compare) and name in {"mean", "sum", "average"}
        return f"{self.tf}.cast({text}, {self.tf}.float32)" if adds else text

    def inner(self, node: Any, operand: bool = False) -> str:
        """The text of what stands inside of a call that is taken away."""
        text = self.text(node)
        simple = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant)
        return text if isinstance(node, simple) and not text.startswith("(") else f"({text})"

    def _is_left(self, node: Any) -> bool:
        """Whether an expression is `x.numpy()` or `np.f(x)`: indexed, it takes arrays."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            return False
        return node.func.attr == "numpy" or self.source.code(node.func.value) in self.numpy

    def _is_tensor(self, node: Any) -> bool:
        """Whether an expression may hold a tensor: it has a name that is no module."""
        return any(isinstance(n, ast.Name) and n.id not in self.numpy for n in ast.walk(node))

    def _leaves(self, node: Any) -> bool:
        """Whether an expression is an array, as far as its text shows, or a name at all."""
        if isinstance(node, ast.Name | ast.Subscript):
            return True
        return any(
            isinstance(n, ast.Attribute)
            and (n.attr in LEAVING or self.source.code(n.value) in self.numpy)
            for n in ast.walk(node)
        )


def _further(name: str, count: int) -> list[str]:
    """Arguments that TensorFlow wants besides."""
    if name in {"dot", "inner", "vdot"} and count == 2:
        return ["1"]
    if name == "outer" and count == 2:
        return ["0"]
    if name == "ravel":
        return ["[-1]"]
    if name == "concatenate" and count == 1:
        return ["0"]
    return []


def _is_dotted(code: str) -> bool:
    """Whether a text is names with dots between, as of a module: no call."""
    return all(part.isidentifier() for part in code.split("."))


def _is_plain(node: Any) -> bool:
    """Whether an expression is made of literals alone."""
    return all(
        isinstance(n, ast.Constant | ast.List | ast.Tuple | ast.UnaryOp | ast.Load | ast.USub)
        for n in ast.walk(node)
    )


def _chooses(index: Any) -> bool:
    """Whether an index may be an array of positions: no number, no slice."""
    plain = (ast.Slice, ast.Constant, ast.Tuple, ast.UnaryOp, ast.Compare)
    return not isinstance(index, plain)


def _children(node: Any) -> Iterator[Any]:
    """The expressions directly inside of a node, also those in comprehensions and keywords."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield child
        elif isinstance(child, ast.comprehension | ast.keyword):
            yield from _children(child)


def _own_expressions(statement: Any) -> Iterator[Any]:
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.expr):
            yield child
        elif isinstance(child, ast.withitem):
            yield child.context_expr


def is_print(statement: Any) -> bool:
    """Whether a statement only prints: what leaves for that does no harm."""
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return False
    return getattr(statement.value.func, "id", "") == "print"


def whole(source: Source, statements: list[Any]) -> list[Edit]:
    """The edits of several statements and all blocks in them."""
    translator = Translator(source)
    found: list[Edit] = []
    todo: list[Any] = list(statements)
    while todo:
        statement = todo.pop()
        if is_print(statement):
            continue
        found += translator.edits(statement)
        inside = ast.iter_child_nodes(statement)
        todo += [n for n in inside if isinstance(n, ast.stmt | ast.excepthandler)]
    return found


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
