"""einsum and tensordot: sums of products over named axes.

The public function spells every equation out (one letter per axis, ellipses replaced, an explicit
result), so the op sees plain letters only. Two operands at a time become one stacked matrix
product, and the derivative of an einsum is again an einsum.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from string import ascii_letters
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.op import export, operands, primitive
from minitape.ops.broadcasting import broadcast_to, reshape
from minitape.ops.linalg.equations import spelled_out, tensordot_equation

if TYPE_CHECKING:
    from minitape.tensor import Array, Arrays, Shape, Tensor, Tensors
    from minitape.values.public_types import Axis, TensorLike


@primitive(latex=r"\mathrm{{einsum}}\left({x}\right)")
def einsum(x: Arrays, equation: str) -> Array:
    """The sum of products that `equation` names; see `tf.einsum`."""
    values = list(x)
    diagonals, products, last = _planned(equation, tuple([v.shape for v in values]))
    for i, diagonal in diagonals:
        values[i] = np.einsum(diagonal, values[i])
    for i, j, product in products:
        b, a = values.pop(j), values.pop(i)
        values.append(_multiplied(a, b, *product))
    return (np.einsum(last, values[0]) if last else values[0])[()]


einsum.says(product=True)


@lru_cache(maxsize=256)
def _planned(equation: str, shapes: tuple[Shape, ...]) -> tuple[Any, Any, str]:
    """What to do for an equation: diagonals to take, products to make, an equation of the rest."""
    left, result = equation.split("->")
    given = left.split(",")
    terms = ["".join(dict.fromkeys(term)) for term in given]
    diagonals = [
        (i, f"{one}->{two}")
        for i, (one, two) in enumerate(zip(given, terms, strict=True))
        if one != two
    ]
    size: dict[str, int] = {}
    for term, shape in zip(given, shapes, strict=True):
        size.update(zip(term, shape, strict=True))
    products = []
    for i, j in _order(terms, result, size):
        second, first = terms.pop(j), terms.pop(i)
        needed = set(result).union(*terms)
        both = [c for c in dict.fromkeys(first + second) if c in needed]
        terms.append("".join(both) if terms else result)
        products.append((i, j, _product(first, second, terms[-1], size)))
    return diagonals, products, "" if terms[0] == result else f"{terms[0]}->{result}"


def _order(terms: list[str], result: str, size: dict[str, int]) -> list[tuple[int, int]]:
    """Which two operands to multiply next, cheapest first for three or more."""
    if len(terms) < 3:
        return [(0, 1)] if len(terms) == 2 else []
    shapes = [[size[c] for c in term] for term in terms]
    path = np.einsum_path(
        f"{','.join(terms)}->{result}", *(np.empty(s, np.bool_) for s in shapes), optimize="greedy"
    )[0]
    pairs: list[tuple[int, int]] = []
    for step in path[1:]:
        first, *others = sorted(step)
        count = len(terms) - len(pairs)
        for k, other in enumerate(others):  # of three or more: the last product joins the rest
            pairs.append((first, other) if not k else (other - k - 1, count - k - 1))
    return pairs


def _product(first: str, second: str, result: str, size: dict[str, int]) -> tuple[Any, ...]:
    """How to make a sum of products of two arrays one stacked matrix product.

    For each of the two the axes to sum, the order of the rest, and the stack of matrices that it
    becomes; then the shape of the product with an axis per letter, and the order of these.
    """
    sums = [
        [c for c in one if c not in two + result] for one, two in [(first, second), (second, first)]
    ]
    letters = [
        [c for c in t if c not in gone] for t, gone in zip((first, second), sums, strict=True)
    ]
    stack = [c for c in letters[0] if c in letters[1] and c in result]
    inner = [c for c in letters[0] if c in letters[1] and c not in result]
    rows = [c for c in letters[0] if c not in letters[1]]
    columns = [c for c in letters[1] if c not in letters[0]]
    lead = [size[c] for c in stack]
    n, k, m = (prod(size[c] for c in group) for group in (rows, inner, columns))
    order = stack + rows + columns
    return (
        tuple(first.index(c) for c in sums[0]),
        [letters[0].index(c) for c in stack + rows + inner],
        (*lead, n, k),
        tuple(second.index(c) for c in sums[1]),
        [letters[1].index(c) for c in stack + inner + columns],
        (*lead, k, m),
        [size[c] for c in order],
        [order.index(c) for c in result],
    )


def _multiplied(
    a: Array, b: Array, sums_a: Any, order_a: Any, shape_a: Any, sums_b: Any, order_b: Any,
    shape_b: Any, shape: Any, order: Any,
) -> Array:  # fmt: skip
    """The product of two arrays that `_product` describes."""
    if sums_a:
        a = np.add.reduce(a, sums_a, a.dtype)
    if sums_b:
        b = np.add.reduce(b, sums_b, b.dtype)
    left, right = a.transpose(order_a).reshape(shape_a), b.transpose(order_b).reshape(shape_b)
    product = left.dot(right) if left.ndim == 2 else left @ right
    return product.reshape(shape).transpose(order)


@einsum.vjp("x")
def _(g: Tensor, x: Tensors, equation: str, index: int) -> Tensor:
    """The einsum of g and the other operands; letters of this operand alone are spread over."""
    left, result = equation.split("->")
    terms = left.split(",")
    own = "".join(dict.fromkeys(terms[index]))
    size = dict(zip(terms[index], x[index].shape, strict=True))
    others = [v for i, v in enumerate(x) if i != index]
    other_terms = [term for i, term in enumerate(terms) if i != index]
    found = "".join(c for c in own if c in set(result).union(*other_terms))
    out = einsum([g, *others], f"{','.join([result, *other_terms])}->{found}")
    if found != own:
        kept = reshape(out, tuple(size[c] if c in found else 1 for c in own))
        out = broadcast_to(kept, tuple(size[c] for c in own))
    return out if own == terms[index] else on_diagonal(out, terms[index])


@einsum.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    left, result = attributes[0].split("->")
    letter = next(c for c in ascii_letters if c not in attributes[0])
    terms = [letter * own + term for term, own in zip(left.split(","), stacked, strict=True)]
    return einsum(values, f"{','.join(terms)}->{letter}{result}")


@primitive(latex=r"\mathrm{{diag}}\left({x}\right)")
def on_diagonal(x: Array, term: str) -> Array:
    """`x`, an axis per letter of `term`, on the diagonal of an array with one per occurrence."""
    letters = "".join(dict.fromkeys(term))
    out = np.zeros([x.shape[letters.index(c)] for c in term], x.dtype)
    np.einsum(f"{term}->{letters}", out)[...] = x
    return out


@on_diagonal.vjp("x")
def _(g: Tensor, term: str) -> Tensor:
    return einsum([g], f"{term}->{''.join(dict.fromkeys(term))}")


@on_diagonal.batch
def _(values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int) -> Any:
    letter = next(c for c in ascii_letters if c not in attributes[0])
    return on_diagonal(values[0], letter + attributes[0])


@export("einsum", "linalg.einsum")
def einsum_function(equation: str, *inputs: Any, **kwargs: Any) -> Tensor:
    """The sum of products of tensors over named axes (Einstein's summation convention).

    A letter names an axis; letters that are not in the result are summed over. A letter twice in
    one operand takes the diagonal. `...` stands for any further axes, which broadcast. Without
    `->`, the result has the letters that appear once, in alphabetical order.

    Args:
        equation: for instance "ij,jk->ik", the matrix product.
        inputs: one tensor per operand of the equation, of one dtype.
        kwargs: `optimize` and `name` are accepted; the order of products is always optimised.

    Returns:
        A tensor with one axis per letter of the result.

    Raises:
        ValueError: if the equation does not fit the operands.
        TypeError: if there is an unknown keyword.

    Example:
        >>> import minitape as tf
        >>> m = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        >>> float(tf.einsum("ii->", m))
        5.0
        >>> tf.einsum("ij,j->i", m, [1.0, 10.0]).numpy().tolist()
        [21.0, 43.0]
    """
    unknown = sorted(set(kwargs) - {"name", "optimize"})
    if unknown:
        raise TypeError(
            f"einsum got unknown keyword arguments: {', '.join(unknown)}. It takes `optimize` "
            "and `name`."
        )
    if not isinstance(equation, str):
        raise TypeError(
            f"einsum: the equation must be a string; got {equation!r:.80}. It comes first and "
            "names the axes. Write for instance `tf.einsum('ij,jk->ik', a, b)`."
        )
    values = list(operands(einsum.op, inputs))
    plain, drops = spelled_out(equation, tuple([v.spec.shape for v in values]))
    for i, axes in enumerate(drops):  # size-1 axes that broadcast are simply not there
        if axes:
            shape = values[i].spec.shape
            values[i] = reshape(values[i], tuple(n for k, n in enumerate(shape) if k not in axes))
    return einsum(values, plain)


@export("tensordot", "linalg.tensordot")
def tensordot(a: TensorLike, b: TensorLike, axes: Axis, name: str | None = None) -> Tensor:
    """The product of two tensors, summed over the axes that are paired.

    Args:
        a: a tensor.
        b: a tensor of the dtype of `a`.
        axes: how many last axes of `a` to pair with the first of `b`; or two lists, the axes of `a`
            and those of `b`, in order.
        name: accepted and not used.

    Returns:
        A tensor with the axes of `a` that are left, then those of `b`.

    Raises:
        ValueError: if the lists differ in length, or name axes that do not exist.
        InvalidArgumentError: if paired axes differ in size.

    Example:
        >>> import minitape as tf
        >>> tf.tensordot([[1.0, 2.0]], [[3.0], [4.0]], axes=1).numpy().tolist()
        [[11.0]]
    """
    x, y = operands(einsum.op, (a, b))
    equation = tensordot_equation(tuple(x.spec.shape), tuple(y.spec.shape), axes)
    return einsum([x, y], equation)
