"""Samples of the ops on strings."""

from __future__ import annotations

import numpy as np

from op_samples import Sample


def numbers(x, dtype):
    return np.asarray(x, object).astype(float).astype(dtype)


TEXTS = np.array([[b"1.5", b"-2"], [b"3e2", b"0"]], object)

SAMPLES = [
    Sample("string_to_number", [TEXTS], {"dtype": np.dtype("f4")}, numbers, "fixed", order=0),
    Sample(
        "string_to_number",
        [np.array([b"7", b"-8"], object)],
        {"dtype": np.dtype("i8")},
        numbers,
        "fixed",
        order=0,
        note="whole",
    ),
]
