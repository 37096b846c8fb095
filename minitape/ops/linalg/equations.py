"""Equations of einsum and axes of tensordot, checked and brought into one plain form.

After this every axis has one letter, the result is explicit, and every letter has one size; axes of
size 1 that broadcast against larger ones are named, to be dropped.
"""

from __future__ import annotations

from functools import lru_cache
from string import ascii_letters
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.errors.of_arguments import checked_integer
from minitape.ops.statics import static_ints, static_value

if TYPE_CHECKING:
    from minitape.tensor import Shape


@lru_cache(maxsize=256)
def spelled_out(equation: str, shapes: tuple[Shape, ...]) -> tuple[str, list[list[int]]]:
    """The equation with a letter for every axis, and for each operand the axes to drop.

    Raises:
        ValueError: if the equation is not one, or does not fit the shapes.
    """
    text = equation.replace(" ", "")
    left, arrow, result = text.partition("->")
    terms = left.split(",")
    _check_text(equation, [*terms, result], len(shapes))
    extra = [_extra_axes(equation, term, shape) for term, shape in zip(terms, shapes, strict=True)]
    unused = [c for c in ascii_letters if c not in text]
    most = "".join(unused[: max(extra)])
    if not arrow:
        once = sorted(c for c in set(left) - set(",.") if left.count(c) == 1)
        result = ("..." if "..." in left else "") + "".join(once)
    elif most and "..." not in result:
        raise _bad(
            equation, f"the ellipsis stands for {len(most)} axes, and the result has no `...`"
        )
    terms = [t.replace("...", most[len(most) - n :]) for t, n in zip(terms, extra, strict=True)]
    result = result.replace("...", most)
    unknown = sorted(set(result) - set("".join(terms)))
    if unknown or len(set(result)) < len(result):
        raise _bad(
            equation,
            "each letter of the result has to appear in an operand, and only once in the result",
        )
    drops = _broadcast_axes(equation, terms, shapes, set(most))
    terms = [
        "".join(c for k, c in enumerate(t) if k not in drop)
        for t, drop in zip(terms, drops, strict=True)
    ]
    return f"{','.join(terms)}->{result}", drops


def _check_text(equation: str, terms: list[str], count: int) -> None:
    if len(terms) - 1 != count:
        raise _bad(equation, f"it names {len(terms) - 1} operands, and {count} were given")
    for term in terms:
        letters = term.replace("...", "", 1)
        if letters and not all(c in ascii_letters for c in letters):
            raise _bad(equation, f"'{term}' is not made of letters and at most one `...`")


def _extra_axes(equation: str, term: str, shape: Shape) -> int:
    """How many axes the ellipsis of `term` stands for."""
    letters = len(term.replace("...", ""))
    if letters > len(shape) or ("..." not in term and letters < len(shape)):
        raise _bad(
            equation, f"'{term}' names {letters} axes, and its operand has shape {list(shape)}"
        )
    return len(shape) - letters


def _broadcast_axes(
    equation: str, terms: list[str], shapes: tuple[Shape, ...], free: set[str]
) -> list[list[int]]:
    """For each operand, its axes of size 1 under an ellipsis letter that is larger elsewhere."""
    sizes: dict[str, int] = {}
    for term, shape in zip(terms, shapes, strict=True):
        for c, n in zip(term, shape, strict=True):
            if sizes.setdefault(c, n) != n:
                if c not in free or 1 not in (n, sizes[c]):
                    raise _bad(equation, f"axis '{c}' has the sizes {sizes[c]} and {n}")
                sizes[c] = n if sizes[c] == 1 else sizes[c]
    return [
        [k for k, (c, n) in enumerate(zip(t, s, strict=True)) if n != sizes[c]]
        for t, s in zip(terms, shapes, strict=True)
    ]


def _bad(equation: str, problem: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        teach(
            f'einsum got the equation "{equation}": {problem}.',
            "Every axis of every operand needs a letter (or an ellipsis), and a letter has "
            "one size.",
            'Write for instance `tf.einsum("bij,bjk->bik", a, b)`.',
        )
    )


def tensordot_equation(a: Shape, b: Shape, axes: Any) -> str:
    """The equation of a tensordot.

    Raises:
        ValueError: if axes do not exist, or there is not the same number on both sides.
        InvalidArgumentError: if paired axes differ in size.
    """
    left, right = _paired(a, b, static_value(axes, "tensordot", "axes"))
    if any(a[i] != b[j] for i, j in zip(left, right, strict=True)):
        raise InvalidArgumentError(
            teach(
                f"tensordot pairs axes {left} of shape {list(a)} with axes {right} of shape "
                f"{list(b)}.",
                "Paired axes are summed over together, so they need the same size.",
                "Check `axes`: two lists of axes in the same order, or how many last and "
                "first ones.",
            )
        )
    first = list(ascii_letters[: len(a)])
    second = list(ascii_letters[len(a) : len(a) + len(b)])
    for i, j in zip(left, right, strict=True):
        second[j] = first[i]
    kept = [c for i, c in enumerate(first) if i not in left]
    kept += [c for j, c in enumerate(second) if j not in right]
    return f"{''.join(first)},{''.join(second)}->{''.join(kept)}"


def _paired(a: Shape, b: Shape, axes: Any) -> tuple[list[int], list[int]]:
    """The axes of `a` and of `b` to sum over, counted from the left."""
    if not isinstance(axes, list | tuple) and np.ndim(axes) == 0:
        count = checked_integer(
            "tensordot", "axes", static_value(axes, "tensordot", "axes"), "axes=1"
        )
        if not 0 <= count <= min(len(a), len(b)):
            raise ValueError(
                f"tensordot: `axes` must be from 0 to {min(len(a), len(b))} for shapes "
                f"{list(a)} and {list(b)}; got {count}."
            )
        return list(range(len(a) - count, len(a))), list(range(count))
    if not hasattr(axes, "__len__") or isinstance(axes, type) or len(axes) != 2:
        raise ValueError(f"tensordot: `axes` must be an integer or have length 2; got {axes!r}.")
    sides = [list(static_ints(side, "tensordot", "axes")) for side in axes]
    if len(sides[0]) != len(sides[1]):
        raise ValueError(
            f"tensordot: different number of contraction axes {sides[0]} and {sides[1]}, "
            f"{len(sides[0])} != {len(sides[1])}. Each axis of `a` needs its partner in `b`."
        )
    for side, shape in zip(sides, (a, b), strict=True):
        if any(not -len(shape) <= axis < len(shape) for axis in side):
            raise ValueError(
                f"tensordot: axes {side} are not all axes of a tensor of shape {list(shape)}."
            )
    return [i % len(a) for i in sides[0]], [j % len(b) for j in sides[1]]
