"""Assertions that two values, tensors or not, are equal or close.

Every assertion first makes NumPy arrays of what it is given, through `evaluate`, which runs a
session where a value belongs to a graph. So one test serves both.
"""

from __future__ import annotations

import unittest
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from minitape.graphs.sessions import Session
from minitape.graphs.symbolic import Symbolic
from minitape.interpreter import symbolic_interpreter
from minitape.ops.moving.gathering import IndexedSlices
from minitape.tensor import Operators
from minitape.tensors.composite import Composite, dense
from minitape.testing import comparisons
from minitape.values import nest


class IndexedSlicesValue(NamedTuple):
    """What sparse slices evaluate to."""

    values: Any
    indices: Any
    dense_shape: Any


class Closeness(unittest.TestCase):
    """What `TestCase` says about values that are equal, or nearly."""

    def evaluate(self, tensors: Any) -> Any:
        """The NumPy values of a nest of tensors; of a function without arguments, of its result.

        Raises:
            ValueError: if something else is in the nest.
        """
        if callable(tensors):
            return self.evaluate(tensors())
        leaves = nest.flatten(tensors)
        graphs = [leaf.graph for leaf in leaves if isinstance(leaf, Symbolic)]
        graph: Any = graphs[0] if graphs else symbolic_interpreter()
        if graph is not None and not any(isinstance(leaf, Composite) for leaf in leaves):
            return Session(graph=graph).run(tensors)
        return nest.pack_sequence_as(tensors, [self._value(leaf, graph) for leaf in leaves])

    def _value(self, leaf: Any, graph: Any) -> Any:
        if leaf is None:
            return None
        if isinstance(leaf, IndexedSlices):
            shape = leaf.dense_shape if isinstance(leaf.dense_shape, Operators) else None
            return IndexedSlicesValue(*map(self.evaluate, (leaf.values, leaf.indices, shape)))
        if not hasattr(leaf, "numpy"):
            raise ValueError(
                f"Unsupported type {type(leaf)}: evaluate takes tensors and variables. A value of "
                "Python or NumPy needs no evaluation."
            )
        return leaf.numpy() if graph is None else Session(graph=graph).run(leaf)

    def _array(self, value: Any) -> np.ndarray[Any, Any]:
        value = dense(value)
        if isinstance(value, Operators) and not isinstance(value, Composite):
            value = self.evaluate(value)
        if isinstance(value, list | tuple):
            leaves = [self._array(x) if isinstance(x, Operators) else x for x in value]
            value = leaves if value else np.zeros(0)
        return np.asarray(value)

    def _arrays(self, a: Any, b: Any) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        return self._array(a), self._array(b)

    def _check(self, complaint: str | None, msg: Any) -> None:
        if complaint is not None:
            self.fail(f"{complaint}\n{msg}" if msg else complaint)

    def assertAllEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        """Fails unless shapes and all elements are equal; NaN is equal to NaN."""
        if _is_ragged(a) or _is_ragged(b):
            self.assertEqual(_lists(a), _lists(b), msg)
            return
        self._check(comparisons.unequal(*self._arrays(a, b)), msg)

    def assertNotAllEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        """Fails if shapes and all elements are equal."""
        if comparisons.unequal(*self._arrays(a, b)) is None:
            self._check("The two values are equal at all elements.", msg)

    def assertAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: Any = None
    ) -> None:
        """Fails unless `|a - b| <= atol + rtol * |b|` everywhere, in equal shapes.

        Args:
            a: a tensor, or a nest of tensors (dicts are compared by their keys).
            b: what is expected, in the same structure.
            rtol: the relative tolerance.
            atol: the absolute tolerance.
            msg: what to say when it fails.

        Raises:
            ValueError: if a dict is compared with something else, or two sequences that are no
                arrays have different lengths.
        """
        if _is_ragged(a) or _is_ragged(b):
            a, b = _lists(a), _lists(b)
        for place, x, y in self._pairs(a, b, ""):
            complaint = comparisons.not_close(x, y, rtol, atol)
            self._check(f"{place}: {complaint}" if complaint and place else complaint, msg)

    def _pairs(self, a: Any, b: Any, place: str) -> Iterator[tuple[str, Any, Any]]:
        """The pairs of arrays to compare, and where in the structures they stand."""
        a, b = (x._asdict() if hasattr(x, "_asdict") else x for x in (a, b))
        if isinstance(a, Mapping) != isinstance(b, Mapping):
            raise ValueError(
                f"Can't compare dict to non-dict, a{place} vs b{place}: {a!r:.80}, {b!r:.80}."
            )
        if isinstance(a, Mapping):
            self.assertEqual(sorted(map(str, a)), sorted(map(str, b)), "The keys differ.")
            children: Any = [(key, a[key], b[key]) for key in a]
        elif isinstance(a, list | tuple) and not self._is_array(a, b):
            if len(a) != len(b):
                raise ValueError(
                    f"Mismatched length: a{place} has {len(a)} items, but b{place} has {len(b)}."
                )
            children = [(i, *pair) for i, pair in enumerate(zip(a, b, strict=True))]
        else:
            yield place, *self._arrays(a, b)
            return
        for key, x, y in children:
            yield from self._pairs(x, y, f"{place}[{key!r}]")

    def _is_array(self, *values: Any) -> bool:
        """Whether lists hold the same number of arrays of one shape, of numbers."""
        try:
            return all(self._array(value).dtype.kind != "O" for value in values)
        except (ValueError, TypeError):
            return False

    def assertAllCloseAccordingToType(
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: Any = None,
    ) -> None:
        """As `assertAllClose`, with the tolerances of the coarser dtype of the two."""
        x, y = self._arrays(a, b)
        for names, least, lowest in (
            (("float32", "complex64"), float_rtol, float_atol),
            (("float16",), half_rtol, half_atol),
        ):
            if x.dtype.name in names or y.dtype.name in names:
                rtol, atol = max(rtol, least), max(atol, lowest)
        self._check(comparisons.not_close(x, y, rtol, atol), msg)

    def assertNotAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: Any = None
    ) -> None:
        """Fails if `assertAllClose` would not."""
        try:
            self.assertAllClose(a, b, rtol, atol)
        except AssertionError:
            return
        self._check("The two values are close at all elements.", msg)

    def assertNear(self, f1: Any, f2: Any, err: float, msg: Any = None) -> None:
        """Fails unless two numbers differ by `err` at most."""
        if not (f1 == f2 or abs(f1 - f2) <= err):
            self._check(f"{f1} != {f2} +/- {err}: they differ by {abs(f1 - f2)}.", msg)

    def assertArrayNear(self, farray1: Any, farray2: Any, err: float, msg: Any = None) -> None:
        """Fails unless two sequences have equal lengths and differ by `err` at most anywhere."""
        self.assertEqual(len(farray1), len(farray2), msg)
        for f1, f2 in zip(farray1, farray2, strict=True):
            self.assertNear(float(f1), float(f2), err, msg)

    def assertNDArrayNear(self, ndarray1: Any, ndarray2: Any, err: float, msg: Any = None) -> None:
        """Fails unless the norm of the difference of two arrays of one shape is below `err`."""
        a, b = self._arrays(ndarray1, ndarray2)
        self._check(comparisons.shapes_differ(a, b), msg)
        distance = np.linalg.norm((a - b).reshape(-1))
        if not distance < err:
            self._check(f"The norm of the difference is {distance}, not below {err}.", msg)


def _is_ragged(value: Any) -> bool:
    return isinstance(value, Composite) and hasattr(value, "to_list")


def _lists(value: Any) -> Any:
    """Nested lists of Python values."""
    to_list = getattr(value, "to_list", None) or getattr(value, "tolist", None)
    return to_list() if to_list else value
