"""Samples of `minitape.assertions`."""

from __future__ import annotations

from . import Sample

_MESSAGE = {"message": "checked"}

SAMPLES = [
    Sample("check_numerics", [[0.5, -2.0]], _MESSAGE, lambda x, message: x, dtypes="float"),
    Sample("check_numerics", [3.0], _MESSAGE, lambda x, message: x, dtypes="float", note="scalar"),
    Sample("check_numerics", [[]], _MESSAGE, lambda x, message: x, dtypes="float", note="empty"),
]
