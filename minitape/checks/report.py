"""`check_gradients`: are the derivatives of a function right, and if not, whose rule is wrong?

Reverse mode, forward mode and finite differences must agree, for the function and for its gradient.
Where they do not, every op that ran is checked by itself in the same way, so that the report names
the op and the line of its rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from minitape.checks import compare as checking
from minitape.checks.rule_check import Suspect, suspects, weights
from minitape.errors.of_arguments import checked_function, checked_integer, checked_number
from minitape.op import export
from minitape.tape import GradientTape
from minitape.tensor import eager
from minitape.tensors.composite import dense
from minitape.tensors.convert import convert_to_tensor
from minitape.values import nest

if TYPE_CHECKING:
    from collections.abc import Callable


class Row(NamedTuple):
    """The worst element of one derivative.

    Attributes:
        order: 1 for the function, 2 for its gradient.
        output: which result, in words.
        input: the number of the argument.
        at: the index of the result's element, and that of the argument's.
        values: the derivative there by reverse mode, forward mode and differences.
        error: the largest difference of the three, relative to 1 or to the derivative's size.
        right: whether the error is within the tolerance.
    """

    order: int
    output: str
    input: int
    at: tuple[Any, Any]
    values: tuple[float, float, float]
    error: float
    right: bool


@dataclass(frozen=True, repr=False)
class Report:
    """What `check_gradients` found; prints as a table, and is true if all is right."""

    rows: list[Row]
    suspects: list[Suspect]

    def __bool__(self) -> bool:
        return all(row.right for row in self.rows)

    def __str__(self) -> str:
        head = ("", "order", "of", "by input", "at", "reverse", "forward", "numeric", "error")
        lines = [head, *map(_cells, self.rows)]
        widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
        table = [
            "  ".join(c.ljust(w) for c, w in zip(x, widths, strict=True)).rstrip() for x in lines
        ]
        if not self:
            table.append("The derivatives marked WRONG disagree.")
            table += [f"Look at {s.rule} ({s.where}){_off(s.error)}." for s in self.suspects]
            if not self.suspects:
                table.append(_INNOCENT)
        return "\n".join(table)

    def __repr__(self) -> str:
        return str(self)


_INNOCENT = (
    "Each op's own rules are right. Does one of them use numbers that left the tape (NumPy, "
    "stop_gradient), or is the function random or not smooth?"
)


def _off(error: float) -> str:
    return f": off by {error:.2g}" if error < np.inf else ""


def _cells(row: Row) -> tuple[str, ...]:
    at = f"{_index(row.at[0])} / {_index(row.at[1])}"
    numbers = [f"{value:.8g}" for value in row.values]
    mark = "ok" if row.right else "WRONG"
    return mark, str(row.order), row.output, str(row.input), at, *numbers, f"{row.error:.1e}"


def _index(at: Any) -> str:
    return f"[{', '.join(map(str, at))}]"


@export("check_gradients")
def check_gradients(
    f: Callable[..., Any], args: Any, order: int = 2, delta: float = 1e-6, tolerance: float = 1e-5
) -> Report:
    """Compares the derivatives of `f` by reverse mode, forward mode and finite differences.

    Everything is computed in float64 (complex128), for differences say little in lower precision.

    Args:
        f: a function of tensors that gives a tensor or a nest of them, and is smooth near `args`.
        args: a list of its arguments; only floating and complex ones are differentiated.
        order: 1 for the function alone, 2 for its gradient as well.
        delta: the step of the differences.
        tolerance: how far the three may be apart, relative to the derivative where that is above 1.

    Returns:
        A report that prints as a table: for each result and argument the worst element, the three
        derivatives there, and, if they disagree, in which op's rule to look. It is true if all are
        near.

    Example:
        >>> import minitape as tf
        >>> report = tf.check_gradients(lambda x: tf.sin(x) * x, [0.5])
        >>> bool(report), len(report.rows)
        (True, 2)
    """
    checked_function("check_gradients", "f", f, "tf.check_gradients(tf.sin, [0.5])")
    checked_number("check_gradients", "delta", delta, "delta=1e-3")
    checked_number("check_gradients", "tolerance", tolerance, "tolerance=1e-3")
    xs = [_precise(each) for each in (args if isinstance(args, list | tuple) else [args])]
    places = [i for i, x in enumerate(xs) if x.dtype.is_differentiable]

    def results(*values: Any) -> list[Any]:
        flat = [convert_to_tensor(y) for y in nest.flatten(f(*values))]
        return [y for y in flat if y.dtype.is_differentiable]

    def gradients(*values: Any) -> list[Any]:
        sources = [values[i] for i in places]
        with GradientTape() as tape:
            tape.watch(sources)
            targets = results(*values)
            upstream = [weights(y) for y in targets]
        found = tape.gradient(targets, sources, upstream, "zero")
        return [dense(g) for g in found]

    checked_integer("check_gradients", "order", order, "check_gradients(f, x, order=2)")
    rows = _rows(1, "result", results, xs, places, delta, tolerance)
    if order > 1:
        rows += _rows(2, "gradient by input", gradients, xs, places, delta, tolerance)
    wrong = [row for row in rows if not row.right]
    run = gradients if order > 1 else results
    return Report(rows, suspects(run, xs, delta, tolerance) if wrong else [])


def _precise(x: Any) -> Any:
    tensor = convert_to_tensor(x)
    kind = tensor.value.dtype.kind
    wide = {"f": np.float64, "c": np.complex128}.get(kind)
    return eager(tensor.value.astype(wide)) if wide else tensor


def _rows(
    order: int, kind: str, f: Any, xs: Any, places: list[int], delta: float, tolerance: float
) -> list[Row]:
    rows = []
    for k, y in enumerate(f(*xs)):
        one = lambda *values, k=k: f(*values)[k]  # noqa: E731
        for i in places:
            matrices = (
                checking.reverse_matrix(one, xs, i),
                checking.forward_matrix(one, xs, i),
                checking.numeric_matrix(one, xs, i, delta),
            )
            rows.append(_row(order, f"{kind} {k}", i, matrices, (y, xs[i]), tolerance))
    return rows


def _row(
    order: int, output: str, i: int, matrices: tuple[Any, ...], ends: Any, tolerance: float
) -> Row:
    if not matrices[0].size:
        return Row(order, output, i, ((), ()), (0.0, 0.0, 0.0), 0.0, True)
    stack = np.stack(matrices)
    scale = np.maximum(1.0, np.abs(matrices[2]))
    error = (stack.max(0) - stack.min(0)) / scale
    error = np.where(np.isnan(error), np.inf, error)
    worst = np.unravel_index(int(error.argmax()), error.shape)
    at = tuple(_place(each, int(n)) for each, n in zip(ends, worst, strict=True))
    values = tuple(float(m[worst]) for m in matrices)
    return Row(order, output, i, at, values, float(error[worst]), bool(error[worst] <= tolerance))  # type: ignore[arg-type]


def _place(x: Any, number: int) -> tuple[Any, ...]:
    """The index of a real number in a tensor; "re" or "im" behind it where there are two."""
    if x.spec.dtype.kind != "c":
        return tuple(int(n) for n in np.unravel_index(number, x.spec.shape))
    return (
        *(int(n) for n in np.unravel_index(number // 2, x.spec.shape)),
        ("re", "im")[number % 2],
    )
