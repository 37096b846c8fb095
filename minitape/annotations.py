"""The annotations of a declaration as words: `Tensor`, `Spec`, `Array`, ...

The one fact to know: they decide what an op's inputs are and what its rules keep, so they must be
found however a module is written: with `from __future__ import annotations` Python keeps words,
without it the objects that the words stand for, as in most notebooks.
May import: tensor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitape.tensor import Array, Arrays, Indices, Shape, Spec, Specs, Tensor, Tensors

_WORDS = {
    Array: "Array",
    Indices: "Indices",
    Arrays: "Arrays",
    Tensor: "Tensor",
    Tensors: "Tensors",
    Shape: "Shape",
    Spec: "Spec",
    Specs: "Specs",
}


def words(function: Callable[..., Any]) -> dict[str, str]:
    """The annotations of a function by the names of its arguments (and `return`).

    Example:
        >>> from minitape.tensor import Array
        >>> def forward(x: Array, axis: int) -> Array: ...
        >>> words(forward)["x"]
        'Array'
    """
    notes = function.__annotations__
    return {
        name: note.strip("'\"") if isinstance(note, str) else _word(note)
        for name, note in notes.items()
    }


def _word(note: Any) -> str:
    for known, word in _WORDS.items():
        if note == known:
            return word
    return str(note)
