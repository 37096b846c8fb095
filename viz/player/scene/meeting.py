"""Which elements meet in an element of a step, and what they are called: row 0 of x, column 2 of W.

What the slopes are is found by computing the op with places in an operand's stead: of a product,
the slope in one factor is then the place in the other one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .again import FIRST
from .claims import Number, Product, exact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .again import Again
    from .naming import Names
    from .parts import Role

MOST_TERMS = 20_000


def place(shape: tuple[int, ...], flat: int) -> tuple[int, ...]:
    """The indices of an element."""
    return tuple(int(i) for i in np.unravel_index(flat, shape)) if shape else ()


def at(name: str, shape: tuple[int, ...], flat: int) -> str:
    """`x[0, 2]`, or `x` for a number.

    Example:
        >>> at("x", (2, 3), 5), at("a + b", (4,), 1), at("x", (), 0)
        ('x[1, 2]', '(a + b)[1]', 'x')
    """
    if not shape:
        return name
    spot = ", ".join(map(str, place(shape, flat)))
    simple = name.replace("_", "").replace(".", "").isalnum() or name.endswith(")")
    return f"{name}[{spot}]" if simple else f"({name})[{spot}]"


def line_of(name: str, shape: tuple[int, ...], flats: Sequence[int]) -> str:
    """What elements are together: row 0 of x, a column, a window, all of it; "" for none of those.

    Example:
        >>> line_of("x", (2, 3), [3, 4, 5]), line_of("x", (2, 3), [1, 4])
        ('row 1 of x', 'column 1 of x')
        >>> line_of("x", (2, 3), [0, 1, 2, 3, 4, 5])
        'x'
    """
    count = int(np.prod(shape, dtype=int))
    found = sorted(set(flats))
    if len(found) == count:
        return name
    places = [place(shape, flat) for flat in found]
    moving = [axis for axis in range(len(shape)) if len({each[axis] for each in places}) > 1]
    if len(moving) == 1 and len(found) == shape[moving[0]] and len(shape) > 1:
        (axis,) = moving
        rest = places[0]
        if len(shape) == 2:
            return f"{'column' if axis == 0 else 'row'} {rest[1 - axis]} of {name}"
        spot = ", ".join(":" if i == axis else str(rest[i]) for i in range(len(shape)))
        return f"{name}[{spot}]"
    spans = [sorted({each[axis] for each in places}) for axis in range(len(shape))]
    boxed = int(np.prod([len(span) for span in spans])) == len(found)
    if boxed and all(span[-1] - span[0] + 1 == len(span) for span in spans):
        spot = ", ".join(
            ":" if len(span) == shape[axis]
            else str(span[0]) if len(span) == 1 else f"{span[0]}:{span[-1] + 1}"
            for axis, span in enumerate(spans)
        )  # fmt: skip
        return f"{name}[{spot}]"
    return ""


class Met:
    """What meets in one element: products, and what both factors are called."""

    __slots__ = ("left", "partner", "products", "right", "shared")

    def __init__(self, products: list[Product], left: str = "", right: str = "") -> None:
        self.products = products
        self.left = left
        self.right = right
        self.shared = False  # whether the slopes do not depend on values, as of a sum or a mean
        self.partner: int | None = None  # of a product, the operand that the slopes stand in


def met(
    again: Again,
    names: Names,
    nodes: Sequence[int],
    numbers: Sequence[tuple[str, Any, Any]],
    role: Role,
    partner: dict[int, list[Any]],
) -> Met:
    """Numbers times slopes, with what both are called.

    Args:
        again: the op.
        names: of the trace.
        nodes: the op's inputs.
        numbers: what meets: the name of an array, its values, and the slope of each element.
        role: of these numbers.
        partner: by operand the slopes when places stand in it.
    """
    products: list[Product] = []
    flats: list[tuple[str, tuple[int, ...], int]] = []
    other = _partner(again, numbers, partner)
    far: list[int] = []
    for which, (name, values, slopes) in enumerate(numbers):
        if slopes is None:
            continue
        # Of a product also what meets a zero.
        found = np.flatnonzero(slopes if other is None else partner[other][which])
        if len(products) + len(found) > MOST_TERMS:
            return Met([])
        for flat in found.tolist():
            spot = place(np.shape(values), flat)
            slope = exact(slopes, spot)
            under = ""
            if other is not None:
                index = int(partner[other][which].flat[flat] - FIRST)
                far.append(index)
                under = at(names[nodes[other]], again.inputs[other].shape, index)
            flats.append((name, np.shape(values), flat))
            label = at(name, np.shape(values), flat)
            number = Number(exact(values, spot), role, label)
            product = Product(number, Number(slope, "value" if under else "slope", under), label)
            products.append(product)
    made = Met(products)
    if products and len({each[0] for each in flats}) == 1:
        name, shape, _ = flats[0]
        whose = f"the {name}" if name.startswith(("gradient of ", "tangent of ")) else name
        made.left = line_of(whose, shape, [each[2] for each in flats])
    if other is not None:
        made.partner = other
        made.right = line_of(names[nodes[other]], again.inputs[other].shape, far)
    return made


def _partner(
    again: Again, numbers: Sequence[tuple[str, Any, Any]], partner: dict[int, list[Any]]
) -> int | None:
    """The operand whose elements the slopes are, as in a product; None if they are made."""
    for other, places in partner.items():
        if all(
            slopes is None or _stands_in(slopes, found, again.inputs[other])
            for (_, _, slopes), found in zip(numbers, places, strict=True)
        ):
            return other
    return None


def _stands_in(slopes: Any, places: Any, values: Any) -> bool:
    if places is None or np.shape(places) != np.shape(slopes):
        return False
    if np.any((np.asarray(places) == 0) & (np.asarray(slopes) != 0)):
        return False
    used = np.flatnonzero(places)
    found = np.asarray(places).ravel()[used]
    if not np.all(np.isfinite(found)) or np.iscomplexobj(found) or not len(used):
        return False
    index = np.rint(found - FIRST).astype(int)
    if np.any(np.abs(found - FIRST - index) > 1e-6):
        return False
    if np.any((index < 0) | (index >= values.size)):
        return False
    return bool(np.all(values.ravel()[index] == np.asarray(slopes).ravel()[used]))
