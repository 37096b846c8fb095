"""Programs that the viewer is tested on, small and of every shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import minitape as tf

A = np.array([[0.5, -1.0], [2.0, 0.25]])
B = np.array([[1.0, 2.0, -0.5], [0.3, -0.7, 1.1]])


class Program(NamedTuple):
    """A function whose results, summed, are differentiated with respect to all its inputs."""

    name: str
    function: Callable[..., Any]
    inputs: list[Any]


def twice(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The derivative of an elementwise f by an inner tape, to be differentiated again."""

    def derivative(x: Any) -> Any:
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        return inner.gradient(y, x)

    return derivative


def horner(x: Any) -> Any:
    y = x
    for c in (1.0, -2.0, 0.5):
        y = y * x + c
    return y


PROGRAMS = [
    Program("square", lambda x: x * x, [3.0]),
    Program("cube", lambda x: x * x * x, [-1.5]),
    Program("diamond", lambda x: (x * 2.0) * (x + 1.0), [0.7]),
    Program("used three times", lambda x: tf.sin(x) + x * x + x, [0.4]),
    Program("sine of a product", lambda x, y: tf.sin(x * y), [1.2, -0.3]),
    Program("broadcast product", lambda a, b: a * b, [A, B[0, :2]]),
    Program("broadcast both sides", lambda a, b: a + b * a, [A[:, :1], B[:1]]),
    Program("dense layer", lambda x, w, b: tf.tanh(x @ w + b), [A, B, B[0]]),
    Program("mean of squares", lambda x, w: tf.reduce_mean((x @ w) ** 2), [A, B]),
    Program("sum over an axis", lambda x: tf.reduce_sum(x, axis=0) ** 2, [B]),
    Program("two targets", lambda x, y: (x * y, tf.exp(x)), [0.5, 2.0]),
    Program("a target upstream of another", lambda x: (x * x, tf.sin(x * x)), [0.9]),
    Program("polynomial by Horner's rule", horner, [1.3]),
    Program("quotient", lambda x, y: x / y, [1.0, 4.0]),
    Program("power", lambda x, y: x**y, [2.0, 3.0]),
    Program("second derivative", twice(lambda x: x**4), [1.1]),
    Program("second derivative of a sine", twice(lambda x: tf.sin(x) * x), [0.8]),
    Program("third derivative", twice(twice(lambda x: tf.exp(x) * x)), [0.2]),
    Program("slices", lambda x: x[0] * x[1:], [B[0]]),
    Program("joined", lambda a, b: tf.concat([a, b * b], 0) * 2.0, [A, A]),
    Program("vector scaled by its sum", lambda x: x * tf.reduce_sum(x), [B[1]]),
    Program("transposed product", lambda x: tf.transpose(x) @ x, [A]),
    Program("maximum", lambda x, y: tf.maximum(x, y * 2.0), [A, A.T]),
]


def recorded(program: Program, dtype: str = "float64") -> tuple[Any, Any, list[Any]]:
    """The program's tape, targets and sources."""
    sources = [tf.constant(np.asarray(x, dtype)) for x in program.inputs]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(sources)
        targets = program.function(*sources)
    return tape, targets, sources
