"""`pad_sequences`: lists of numbers, cut and filled up to one length."""

from __future__ import annotations

from typing import Any

import numpy as np

from minitape.errors.of_arguments import checked_integer, checked_items, checked_number
from minitape.names.absent import closed
from minitape.values.dtypes import as_dtype

__all__ = ["pad_sequences"]


def pad_sequences(
    sequences: Any,
    maxlen: int | None = None,
    dtype: str = "int32",
    padding: str = "pre",
    truncating: str = "pre",
    value: Any = 0.0,
) -> Any:
    """Rows of different lengths as one array.

    Args:
        sequences: a list of lists.
        maxlen: the length; by default that of the longest.
        dtype: of the result.
        padding: 'pre' fills up before a row, 'post' behind it.
        truncating: 'pre' cuts the beginning of a longer row, 'post' its end.
        value: what to fill with.

    Raises:
        ValueError: for another `padding` or `truncating`.

    Example:
        >>> import minitape as tf
        >>> tf.keras.utils.pad_sequences([[1], [2, 3]]).tolist()
        [[0, 1], [2, 3]]
    """
    if maxlen is not None:
        checked_integer("pad_sequences", "maxlen", maxlen, "pad_sequences(rows, maxlen=5)")
    for name, given in (("Padding", padding), ("Truncating", truncating)):
        if not isinstance(given, str) or given not in {"pre", "post"}:
            raise ValueError(f'{name} type "{given}" not understood; write "pre" or "post".')
    example = "pad_sequences([[1], [2, 3]], value=0)"
    sequences = checked_items("pad_sequences", "sequences", sequences, example)
    if as_dtype(dtype).np.kind in "iufc":
        checked_number("pad_sequences", "value", value, example)
    rows = [
        np.asarray(checked_items("pad_sequences", "a sequence", row, example)) for row in sequences
    ]
    length = max((len(row) for row in rows), default=0) if maxlen is None else maxlen
    inner = next((row.shape[1:] for row in rows if len(row)), ())
    out = np.full((len(rows), length, *inner), value, dtype)
    for i, row in enumerate(rows):
        row = row[-length:] if truncating == "pre" else row[:length]
        if len(row) and length:
            out[i, slice(-len(row), None) if padding == "pre" else slice(0, len(row))] = row
    return out


closed("minitape.keras.preprocessing.sequence")
