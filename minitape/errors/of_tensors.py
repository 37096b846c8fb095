"""What tensors say when Python asks for a number, an index or a truth value they do not have."""

from __future__ import annotations

from typing import Any


def not_one_element(kind: str, shape: Any) -> TypeError:
    """`float(x)` and its like of a tensor with another number of elements than one."""
    return TypeError(
        f"only a tensor with one element can be converted by {kind}(); this one has shape {shape}. "
        f"Choose an element, `{kind}(x[0])`, or reduce it, `tf.reduce_sum(x)`."
    )


def not_an_index(array: Any) -> TypeError:
    """A tensor that is no single integer stands where Python wants an index."""
    return TypeError(
        f"only a scalar integer tensor can be an index; this one has shape {array.shape} "
        f"and dtype {array.dtype}. Write `tf.cast(x, tf.int32)` where that is meant."
    )


def no_truth(array: Any) -> ValueError:
    """Several elements are asked whether they are true."""
    return ValueError(
        f"The truth value of a tensor with shape {array.shape} is ambiguous: it has {array.size} "
        "elements. Write `tf.reduce_all(x)` or `tf.reduce_any(x)`."
    )
