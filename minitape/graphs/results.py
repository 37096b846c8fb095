"""What an op in a graph will give: shapes and dtypes, and values that follow from constants.

There are three ways. Results of small constants are computed at once; where a size is not known,
two samples tell what depends on it; all else `inference` finds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.call import check_promotion
from minitape.errors import raise_instead
from minitape.errors.of_ops import forward_failed
from minitape.graphs.inference import computed, settled
from minitape.graphs.nodes import has_effect
from minitape.graphs.sizes.lengths import specs_by_samples
from minitape.graphs.sizes.shapes import has_size
from minitape.graphs.symbolic import at_user_line
from minitape.tensor import Spec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from minitape.op import Op

SMALL = 4096  # elements; up to here the results of constants are computed while tracing


def results(
    op: Op,
    inputs: Sequence[Any],
    attributes: tuple[Any, ...],
    specs: list[Spec],
    values: list[Any],
) -> tuple[Any, Sequence[Any]]:
    """The specs of an op's results, and their values where these follow from small constants.

    Args:
        op: the op.
        inputs: its inputs, for the words of an error.
        attributes: its attributes.
        specs: shape and dtype of each input.
        values: the value of each input, or None where it is not known.

    Returns:
        A list of specs, or None where shapes depend on values; and the values, or nothing.

    Raises:
        Exception: of the op, with the user's line, if the inputs do not fit it.
    """
    try:
        if _follows_from(values, op, attributes):
            return _computed(op, inputs, values, attributes)
        found = _found(op, specs, attributes)
        _check(op, inputs, found, attributes)
    except Exception as error:
        raise_instead(at_user_line(forward_failed(op, inputs, attributes, error)), error)
    return found if op.several or found is None else (found,), ()


def _follows_from(values: list[Any], op: Op, attributes: tuple[Any, ...]) -> bool:
    """Whether the results are known once the inputs are: no effect, no size that is open."""
    if not values or any(value is None for value in values):
        return False
    return not has_effect(op, attributes) and not has_size(attributes)


def _computed(
    op: Op, inputs: Sequence[Any], values: list[Any], attributes: tuple[Any, ...]
) -> tuple[Sequence[Spec], Sequence[Any]]:
    """Specs and values; no values where they would be large."""
    out = op.applied(op.forward, values, attributes)
    check_promotion(op, inputs, out)
    found = out if op.several else (out,)
    small = all(value.size <= SMALL for value in found)
    return [Spec(value.shape, value.dtype) for value in found], found if small else ()


def _found(op: Op, specs: list[Spec], attributes: tuple[Any, ...]) -> Any:
    """The specs of the results; None where they depend on values."""
    if has_size(([s.shape for s in specs], attributes)):
        return specs_by_samples(op, specs, attributes)
    return settled(op, specs, attributes)


def _check(op: Op, inputs: Sequence[Any], specs: Any, attributes: tuple[Any, ...]) -> None:
    """Raises if NumPy would make floats of integers where TensorFlow's op takes none."""
    if op.infer is None:
        if specs is not None:
            check_promotion(op, inputs, specs)
    elif op.refuses_promotion and any(x.spec.dtype.kind in "iub" for x in inputs):
        # `infer` says what becomes of floats; the forward shows what becomes of integers.
        check_promotion(op, inputs, computed(op, [x.spec for x in inputs], attributes))
