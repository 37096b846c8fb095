"""`tf.debugging`: assertions about ranks and shapes.

Shapes are known without values, so all of these are checked at once, in graphs and batches too.
"""

from __future__ import annotations

from reprlib import repr as short  # an error must be able to show a nest that is very deep
from typing import TYPE_CHECKING, Any

from minitape.errors import InvalidArgumentError
from minitape.errors.of_arguments import checked_items, not_fitting
from minitape.op import export
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from minitape.values.public_types import TensorLike


def _shape(x: Any) -> tuple[Any, ...]:
    return tuple(operand(x, None).spec.shape)


def _said(message: Any, text: str) -> str:
    return f"{message or ''} {text}".strip()


def _number(rank: Any) -> int:
    """A rank given as a number or a scalar integer tensor."""
    try:
        return int(rank.__index__())
    except (AttributeError, TypeError):
        raise TypeError(
            f"A rank must be an integer; got {short(rank)}. Write for instance 2."
        ) from None


@export("debugging.assert_rank", "assert_rank")
def assert_rank(
    x: TensorLike, rank: Any, message: str | None = None, name: str | None = None
) -> None:
    """Checks that `x` has a rank.

    Raises:
        ValueError: if it has another one.

    Example:
        >>> import minitape as tf
        >>> tf.debugging.assert_rank(tf.zeros([2, 3]), 2)
    """
    shape = _shape(x)
    if len(shape) != _number(rank):
        text = f"Tensor must have rank {_number(rank)}. Received rank {len(shape)}, shape {shape}"
        raise InvalidArgumentError(_said(message, text))


@export("debugging.assert_rank_at_least")
def assert_rank_at_least(
    x: TensorLike, rank: Any, message: str | None = None, name: str | None = None
) -> None:
    """Checks that `x` has at least a rank.

    Raises:
        ValueError: if it has a lower one.
    """
    shape = _shape(x)
    if len(shape) < _number(rank):
        text = f"Tensor must have rank at least {_number(rank)}. Received rank {len(shape)}, "
        raise InvalidArgumentError(_said(message, f"{text}shape {shape}"))


@export("debugging.assert_rank_in")
def assert_rank_in(
    x: TensorLike, ranks: Any, message: str | None = None, name: str | None = None
) -> None:
    """Checks that the rank of `x` is one of `ranks`.

    Raises:
        ValueError: if it is not.
    """
    shape, allowed = (
        _shape(x),
        [
            _number(rank)
            for rank in checked_items("assert_rank_in", "ranks", ranks, "assert_rank_in(x, (1, 2))")
        ],
    )
    if len(shape) not in allowed:
        text = f"Tensor must have a rank in {allowed}. Received rank {len(shape)}, shape {shape}"
        raise InvalidArgumentError(_said(message, text))


@export("debugging.assert_scalar")
def assert_scalar(tensor: Any, message: str | None = None, name: Any = None) -> Any:
    """Checks that `tensor` has rank 0, and returns it.

    Raises:
        ValueError: if it has axes.
    """
    tensor = operand(tensor, None)
    shape = tuple(tensor.spec.shape)
    if shape:
        raise InvalidArgumentError(_said(message, f"Expected scalar shape, saw shape: {shape}."))
    return tensor


@export("debugging.assert_shapes")
def assert_shapes(
    shapes: Any,
    data: TensorLike | None = None,
    summarize: Any = None,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """Checks the shapes of tensors, and that sizes of the same name agree.

    Args:
        shapes: a list of pairs (tensor, shape), where a shape has for each axis a size, a name (a
            string: the same size wherever it stands), or None or "." for any size. "..." or "*" at
            one end stands for any number of axes.
        data: accepted and not used.
        summarize: accepted and not used.
        message: what to put in front of the error's text.
        name: accepted and not used.

    Raises:
        ValueError: if a tensor does not fit.

    Example:
        >>> import minitape as tf
        >>> x, w = tf.zeros([5, 2]), tf.zeros([2, 7])
        >>> tf.debugging.assert_shapes([(x, ("N", "D")), (w, ("D", 7))])
    """
    example = "tf.debugging.assert_shapes([(x, ('N', 2))])"
    given = shapes.items() if isinstance(shapes, dict) else shapes
    pairs = checked_items("assert_shapes", "shapes", given, example)
    sizes: dict[str, tuple[int, Any]] = {}
    for pair in pairs:
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise not_fitting("assert_shapes", "shapes", pair, "pairs", example)
        tensor, wanted = pair
        tensor = tensor.deref() if hasattr(tensor, "deref") else tensor
        found = _shape(tensor)
        for size, want in _aligned(found, _axes(wanted), message):
            if want is None or want == ".":
                continue
            if isinstance(want, str) and not want.isdigit():
                known, where = sizes.setdefault(want, (size, found))
                if known != size:
                    text = f"the size {want} is {known} in shape {where} but {size} in {found}."
                    raise InvalidArgumentError(_said(message, f"assert_shapes: {text}"))
            elif int(want) != size:
                text = f"shape {found} does not fit {tuple(wanted)}: {size} is not {want}."
                raise InvalidArgumentError(_said(message, f"assert_shapes: {text}"))


def _axes(wanted: Any) -> list[Any]:
    """The entries of a wanted shape; in text every character is one, and three dots are one."""
    if isinstance(wanted, str):
        return list(wanted.replace("...", "*"))
    wanted = checked_items("assert_shapes", "a shape", wanted, "assert_shapes([(x, ['n', 3])])")
    return ["*" if each in ("...", "*", ...) else each for each in wanted]


def _aligned(found: Any, wanted: list[Any], message: Any) -> list[tuple[int, Any]]:
    """Pairs of a size and what is wanted of it."""
    rest = [each for each in wanted if each != "*"]
    open_end = "*" in wanted
    if len(found) < len(rest) or (len(found) > len(rest) and not open_end):
        text = f"assert_shapes: a tensor of shape {found} has rank {len(found)}, but the "
        raise InvalidArgumentError(_said(message, f"{text}shape {wanted} was asked for."))
    if open_end and wanted[0] == "*":
        found = found[len(found) - len(rest) :]
    return list(zip(found[: len(rest)], rest, strict=True))
