"""One table of samples per module of ops; it drives every systematic check in `test_every_op`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Sample:
    """One call of a primitive.

    Attributes:
        name: the primitive's name in the registry.
        inputs: arrays or lists; floats become the dtype under test, integers and bools stay.
            For ops with any number of inputs, one entry per input.
        attributes: keyword attributes of the call.
        numpy: the reference forward on arrays, `(*inputs, **attributes)`; None where a closed form
            is checked in a test of its own.
        dtypes: "real" (float16/32/64), "complex" (those and complex64/128), "float" (float32/64
            only), or "fixed" (inputs as given, not differentiated).
        order: how many times it is differentiated (0: forward only).
        tolerance: of the derivative checks, relative, in float64.
        note: what the sample is there for: "ties", "empty", "both broadcast", ...
    """

    name: str
    inputs: list[Any]
    attributes: dict[str, Any] = field(default_factory=dict)
    numpy: Callable[..., Any] | None = None
    dtypes: str = "real"
    order: int = 2
    tolerance: float = 1e-5
    note: str = ""

    def __str__(self) -> str:
        return f"{self.name}-{self.note or 'x'.join(map(str, self.attributes.values())) or 'plain'}"


def all_samples() -> list[Sample]:
    """The samples of every module in this folder."""
    found: list[Sample] = []
    for module in pkgutil.iter_modules(__path__):
        found += importlib.import_module(f"{__name__}.{module.name}").SAMPLES
    return found


def by_op(samples: Iterable[Sample]) -> dict[str, dict[str, tuple[Sample]]]:
    """The samples as rows of one table per op: {op: {name of the row: (sample,)}}."""
    tables: dict[str, dict[str, tuple[Sample]]] = {}
    for sample in samples:
        table = tables.setdefault(sample.name, {})
        table[f"{len(table)}: {sample}"] = (sample,)
    return tables
