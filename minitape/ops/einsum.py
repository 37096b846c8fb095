"""einsum and tensordot: sums of products over named axes.

The one fact to know: the public function spells every equation out (one letter per axis, ellipses
replaced, an explicit result), so the op sees plain letters only. Two operands at a time become one
stacked matrix product, and the derivative of an einsum is again an einsum.
May import: ops/broadcasting, ops/matrix, ops/statics, convert, errors, primitive, tensor.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from string import ascii_letters
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.ops.broadcasting import broadcast_to, reshape
from minitape.ops.equations import spelled_out, tensordot_equation
from minitape.primitive import export, operands, primitive

if TYPE_CHECKING:
    from minitape.tensor import Array, Arrays, Shape, Tensor, Tensors


@primitive(latex=r"\mathrm{{einsum}}\left({x}\right)")
def einsum(x: Arrays, equation: str) -> Array:
    """The sum of products that `equation` names; see `tf.einsum`."""
    left, result = equation.split("->")
    terms = left.split(",")
    values = [_simple(v, term) for v, term in zip(x, terms, strict=True)]
    terms = ["".join(dict.fromkeys(term)) for term in terms]
    for i, j in _order(equation, tuple(v.shape for v in values)):
        b, second = values.pop(j), terms.pop(j)
        a, first = values.pop(i), terms.pop(i)
        needed = set(result).union(*terms)
        terms.append("".join(c for c in dict.fromkeys(first + second) if c in needed))
        values.append(_contracted(a, first, b, second, terms[-1]))
    return np.einsum(f"{terms[0]}->{result}", values[0])[()]


def _simple(value: Array, term: str) -> Array:
    """`value` with every repeated letter replaced by its diagonal."""
    return (
        value
        if len(set(term)) == len(term)
        else np.einsum(f"{term}->{''.join(dict.fromkeys(term))}", value)
    )


@lru_cache(maxsize=256)
def _order(equation: str, shapes: tuple[Shape, ...]) -> tuple[tuple[int, int], ...]:
    """Which two operands to multiply next, cheapest first for three or more."""
    if len(shapes) < 3:
        return ((0, 1),) if len(shapes) == 2 else ()
    left, result = equation.split("->")
    terms = ["".join(dict.fromkeys(term)) for term in left.split(",")]
    plain = f"{','.join(terms)}->{result}"
    path = np.einsum_path(
        plain, *(np.empty(shape, np.bool_) for shape in shapes), optimize="greedy"
    )[0]
    pairs: list[tuple[int, int]] = []
    for step in path[1:]:
        first, *others = sorted(step)
        count = len(shapes) - len(pairs)
        for k, other in enumerate(
            others
        ):  # a step of three or more: the last product joins the rest
            pairs.append((first, other) if not k else (other - k - 1, count - k - 1))
    return tuple(pairs)


def _contracted(a: Array, first: str, b: Array, second: str, result: str) -> Array:
    """The sum of products of two arrays, by one stacked matrix product."""
    sums_a = [c for c in first if c not in second and c not in result]
    sums_b = [c for c in second if c not in first and c not in result]
    a, first = _summed(a, first, sums_a), "".join(c for c in first if c not in sums_a)
    b, second = _summed(b, second, sums_b), "".join(c for c in second if c not in sums_b)
    stack = [c for c in first if c in second and c in result]
    inner = [c for c in first if c in second and c not in result]
    rows = [c for c in first if c not in second]
    columns = [c for c in second if c not in first]
    size = {**dict(zip(first, a.shape, strict=True)), **dict(zip(second, b.shape, strict=True))}
    groups = [[size[c] for c in letters] for letters in (stack, rows, inner, columns)]
    lead, n, k, m = groups[0], *map(prod, groups[1:])
    left = a.transpose([first.index(c) for c in stack + rows + inner]).reshape(*lead, n, k)
    right = b.transpose([second.index(c) for c in stack + inner + columns]).reshape(*lead, k, m)
    out = (left @ right).reshape([size[c] for c in stack + rows + columns])
    order = stack + rows + columns
    return out.transpose([order.index(c) for c in result])


def _summed(value: Array, term: str, letters: list[str]) -> Array:
    if not letters:
        return value
    return np.add.reduce(value, tuple(term.index(c) for c in letters), value.dtype)


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
def _(values: Any, stacked: Any, attributes: Any, size: int) -> Any:
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
def _(values: Any, stacked: Any, attributes: Any, size: int) -> Any:
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
            f"einsum: the equation must be a text; got {equation!r:.80}. It comes first and names "
            "the axes. Write for instance `tf.einsum('ij,jk->ik', a, b)`."
        )
    values = list(operands(einsum.op, inputs))
    plain, drops = spelled_out(equation, [tuple(v.spec.shape) for v in values])
    for i, axes in enumerate(drops):  # size-1 axes that broadcast are simply not there
        if axes:
            shape = values[i].spec.shape
            values[i] = reshape(values[i], tuple(n for k, n in enumerate(shape) if k not in axes))
    return einsum(values, plain)


@export("tensordot", "linalg.tensordot")
def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Tensor:
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
