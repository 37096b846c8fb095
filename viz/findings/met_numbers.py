"""Says of which numbers something came that is not finite, so that what is said is true.

The one fact to know: a number has as many digits as tell it from its neighbours. An op of single
elements shows its element, any other all that it was given; and that a derivative is infinite is
said where the op's own rule gives infinity for a cotangent of 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitape.call import call
from minitape.leaving import only
from minitape.record import opened
from minitape.silence import Silence
from minitape.tape import GradientTape
from minitape.tensor import eager
from minitape.tensors.composite import dense

from ..why.dataflow import Act
from .case import Case

FACTORS = {"cholesky"}  # of positive definite matrices
MAX_QUOTED = 6  # elements of an array that is quoted


def forward(name: str, act: Act, given: list[Any], out: Any) -> str:
    """The equation of the first element that is not finite.

    Args:
        name: what the learner calls the op.
        act: the op.
        given: its arguments.
        out: its result.
    """
    index = first_of(out)
    place = f" (element {list(index)})" if index else ""
    if act.op.name in FACTORS:
        return _indefinite(given[0], index)
    shown = [value for value in given if value is not None]
    if act.op.elementwise:
        met = ", ".join(_at(value, index, out.shape) for value in shown)
        return f"{name}({met}) = {number(out[index])}{place}"
    whole = " and ".join(map(array, shown))
    return f"{name} of {whole} is {number(out[index])}{place}"


def backward(case: Case, act: Act, position: int, given: Any) -> str:
    """Why a rule gave an input something that is not finite."""
    value = case.flow.value(act.inputs[position]) if position < len(act.inputs) else None
    of_one = slope(case, act, position)
    if value is None or not value.size or np.shape(given) != value.shape:
        return "its rule gives what is not finite there"
    index = first_of(given)
    place = f" (element {list(index)})" if index else ""
    at = number(value[index])
    if not act.op.elementwise:
        return f"its rule gives {_word(given[index])} for {array(value)}{place}"
    if act.op.facts.pole and abs(value[index]) == 1:
        return (
            f"its derivative {act.op.facts.pole} has a pole at {at}, and near it any correction "
            "gives large slopes"
        )
    found = None if of_one is None or of_one.shape != value.shape else of_one[index]
    if found is None or np.isnan(found):
        return f"its rule gives {_word(given[index])} at {at}{place}"
    if np.isinf(found):
        return f"its derivative is infinite at {at}{place}"
    return (
        f"its derivative at {at} is {number(found)}, and times the cotangent that is "
        f"too large for {value.dtype}{place}"
    )


def first_of(values: Any) -> tuple[int, ...]:
    """Where the first number is that is not finite."""
    return tuple(int(each[0]) for each in np.nonzero(~np.isfinite(values))) if values.shape else ()


def number(value: Any) -> str:
    """A number with six digits where these are all, else with as many as tell it apart."""
    if np.iscomplexobj(value):
        return str(value)
    short = f"{float(value):.6g}"
    exact = np.asarray(value)
    if exact.dtype.kind != "f" or not np.isfinite(exact) or exact.dtype.type(short) == exact:
        return short if exact.dtype.kind == "f" else str(value)
    text = str(value)
    return text.removesuffix(".0")


def array(value: Any) -> str:
    """A small array as it is written, a large one by its shape."""
    if not value.size or value.size > MAX_QUOTED:
        return f"an array of shape {list(value.shape)}"
    return _nested(value)


def _word(value: Any) -> str:
    return "NaN" if np.isnan(value) else "infinity"


def _nested(value: Any) -> str:
    return f"[{', '.join(map(_nested, value))}]" if value.ndim else number(value[()])


def _at(value: Any, index: tuple[int, ...], shape: tuple[int, ...]) -> str:
    try:
        return number(np.broadcast_to(value, shape)[index])
    except ValueError:
        return array(value)


def _indefinite(value: Any, index: tuple[int, ...]) -> str:
    """Why a matrix has no factor of Cholesky."""
    matrix = value[index[:-2]]
    place = f" {list(index[:-2])}" if index[:-2] else ""
    lower = np.tril(matrix)
    below = np.tril(matrix, -1)
    sizes = np.linalg.eigvalsh(np.asarray(lower + below.conj().swapaxes(-1, -2), np.complex128))
    shown = f"the matrix{place}" + (f" {array(matrix)}" if matrix.size <= MAX_QUOTED else "")
    if sizes[0] > 0:
        return (
            f"{shown} is not positive definite within the digits of {value.dtype}: its "
            f"eigenvalues lie between {sizes[0]:.2g} and {sizes[-1]:.2g}"
        )
    return f"{shown} is not positive definite, its smallest eigenvalue is about {sizes[0]:.3g}"


def slope(case: Case, act: Act, position: int) -> Any:
    """What an op's rule gives to an argument for a cotangent of 1; None where that is not known."""
    entry = case.journal.by_output.get(act.outputs[0]) if case.journal is not None else None
    if entry is None or entry.op.several or position >= len(entry.inputs):
        return None
    try:
        with Silence(), only(()), GradientTape() as tape:
            inputs = [eager(np.array(x.value)) for x in entry.inputs]
            tape.watch(inputs[position])
            out = call(entry.op, tuple(inputs), entry.attributes)
            found = tape.gradient(out, inputs[position])
    except Exception:  # an op that cannot be called again tells nothing
        return None
    return None if found is None else np.asarray(opened(dense(found)))
