"""Where the time of one op goes, in nanoseconds: `python tests/benchmarks/anatomy.py`.

Measures W1's ops (y x, y + x, sin y on scalars) in stages, each with what it adds to the one
before: NumPy alone, the call on tensors nobody follows, the record on a tape, the way back. Below
it the parts that the stages are made of, by themselves. docs/PERFORMANCE.md explains the table.
"""

from __future__ import annotations

import operator
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent.parent)]

import by_hand
import numpy as np

import minitape as tf
from minitape.interpreter import active, fresh_ids
from minitape.tensor import EagerTensor, eager

OPS = 999
X = np.float32(0.7)


def best(f: Callable[[], Any], times: int = 20, rounds: int = 9) -> float:
    """The least CPU seconds of one call."""
    found = []
    for _ in range(rounds):
        start = time.process_time()
        for _ in range(times):
            f()
        found.append((time.process_time() - start) / times)
    return min(found)


def chain(y: Any, x: Any, sin: Callable[[Any], Any]) -> Any:
    for _ in range(OPS // 3):
        y = y * x
        y = y + x
        y = sin(y)
    return y


def stages() -> list[tuple[str, float]]:
    """Nanoseconds an op, of each stage with all before it."""
    x = tf.constant(X)

    def recorded() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = chain(x, x, tf.sin)
        return tape, y

    def there_and_back() -> Any:
        tape, y = recorded()
        return tape.gradient(y, x)

    hand = best(lambda: by_hand.scalar_chain({"x": X, "n": OPS}))
    rows = [
        ("NumPy, forward", best(lambda: chain(X, X, np.sin))),
        ("NumPy, forward and backward by hand", hand),
        ("tensors that nobody follows, forward", best(lambda: chain(x, x, tf.sin))),
        ("forward, recorded on a tape", best(recorded)),
        ("forward, recorded, and backward", best(there_and_back)),
    ]
    return [(name, seconds / OPS * 1e9) for name, seconds in rows]


def parts() -> list[tuple[str, float]]:
    """Nanoseconds of single steps, less those of an empty loop."""
    x, log = eager(X), []

    def python_call(a: Any, b: Any) -> Any:
        return a

    def made() -> Any:
        t = EagerTensor()
        t.value = X
        t.mark = None
        return t

    steps: list[tuple[str, Callable[[], Any]]] = [
        ("a product of two NumPy scalars", lambda: X * X),
        ("the same through operator.mul", lambda: operator.mul(X, X)),
        ("np.sin of a scalar", lambda: np.sin(X)),
        ("a call of a Python function", lambda: python_call(X, X)),
        ("a tensor: eager(value)", lambda: eager(X)),
        ("the same written out (and one call)", made),
        ("a fresh id", lambda: next(fresh_ids)),
        ("a look at the stack of interpreters", lambda: active()),  # a call, like the others
        ("a record: a tuple of four, appended", lambda: log.append((x, 1, x, 1))),
        ("y * x on tensors that nobody follows", lambda: x * x),
    ]
    empty = best(lambda: None, 20_000, 5)
    found = []
    for name, step in steps:
        found.append((name, (best(step, 20_000, 5) - empty) * 1e9))
        log.clear()
    return found


def main() -> None:
    """Prints both tables."""
    before = 0.0
    for name, nanoseconds in stages():
        added = (
            f"{nanoseconds - before:+8.0f}" if name.startswith(("tensors", "forward")) else " " * 8
        )
        print(f"{nanoseconds:8.0f} ns {added}  {name}")
        before = nanoseconds if not name.startswith("NumPy") else before
    print()
    for name, nanoseconds in parts():
        print(f"{nanoseconds:8.0f} ns  {name}")


if __name__ == "__main__":
    main()
