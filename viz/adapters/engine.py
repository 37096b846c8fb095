"""A learner's program as minitape sees it: the same ops on the same numbers, and what is right.

The right cotangents are minitape's, of the whole program on one tape; an op that minitape does not
know ends the comparison where it stands, in words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

import minitape as tf
from minitape.leaving import only
from minitape.op import Op
from minitape.ops.broadcasting import reduce_sum
from minitape.ops.linalg.matrix import matmul
from minitape.ops.neural.softmax import log_softmax, softmax
from minitape.ops.reductions.extremes import reduce_max, reduce_min
from minitape.ops.reductions.reduction import reduce_mean
from minitape.ops.shapes.shaping import transpose

from ..trace.facts import primitive_called
from .namesakes import Call, Namesake, elementwise_op, namesake

SIGNS: dict[str, Call] = {
    "+": tf.add, "-": tf.subtract, "*": tf.multiply, "/": tf.divide, "@": tf.matmul, "**": tf.pow,
    "gelu": tf.nn.gelu,  # several ops of minitape's
}  # fmt: skip
# What engines call with values alone, and minitape's op with an axis or the order of axes.
OF_ARRAYS: dict[Op, Call] = {
    matmul.op: tf.matmul, transpose.op: tf.transpose, softmax.op: tf.nn.softmax,
    log_softmax.op: tf.nn.log_softmax,
}  # fmt: skip
REDUCTIONS: dict[Op, Call] = {
    each.op: each.public for each in (reduce_sum, reduce_mean, reduce_max, reduce_min)
}
RESHAPING = ("reshape", "view", "flatten")
WORDS = {"+": "sum", "-": "difference", "*": "product", "/": "quotient", "@": "product"}
POWER = re.compile(r"\*\*\s*(-?\d+(?:\.\d+)?)")


class Made(NamedTuple):
    """A value of the learner's: what made it from which others, by number, inputs first."""

    op: str
    inputs: tuple[int, ...]
    value: Any
    name: str


def call_of(made: Made, values: Sequence[Any]) -> Call | None:
    """Minitape's op of the same meaning; a sum has the shape that the learner's result has.

    Example:
        >>> call_of(Made("**3", (0,), 8.0, ""), [2.0])(tf.constant(2.0)).numpy().item()
        8.0
    """
    power = POWER.fullmatch(made.op)
    if power is not None:
        exponent = float(power[1])
        return lambda x: tf.pow(x, exponent)
    shape = np.shape(made.value)
    if made.op in SIGNS:
        return SIGNS[made.op]
    name = made.op.lower().strip("_")  # classes of ops are called `MatMul` or `Tanh`
    if name in RESHAPING:
        return lambda x: tf.reshape(x, shape)
    found = primitive_called(name, len(values))
    if found is not None and found.op in REDUCTIONS:
        return _reducing(REDUCTIONS[found.op], np.shape(values[0]), shape)
    if found is not None and found.op in OF_ARRAYS:
        return OF_ARRAYS[found.op]
    return elementwise_op(name, len(values))


def _reducing(call: Call, before: tuple[int, ...], after: tuple[int, ...]) -> Call:
    """A sum or mean over the axes that the learner's result has lost, or has with length 1."""
    if len(before) == len(after):
        axes = [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
        return lambda x: call(x, axis=axes, keepdims=True)
    kept = [axis for axis in range(len(before)) if before[:axis] + before[axis + 1 :] == after]
    return lambda x: call(x, axis=kept[0] if kept and after else None)


def _takes(call: Call, values: Sequence[Any]) -> bool:
    """Whether an op can be called with these inputs: a `pow` may keep its exponent to itself."""
    try:
        call(*map(tf.constant, values))
    except (TypeError, ValueError):
        return False
    return True


class Right:
    """What minitape says of a learner's program.

    Attributes:
        cotangents: by number of the value, minitape's cotangents; None for no path, and where the
            share of an unknown op is part of them.
        unknown: the ops that minitape has no namesake for.
    """

    def __init__(self, program: Sequence[Made], target: int) -> None:
        self.program = program
        self.values = [np.asarray(each.value, np.float64) for each in program]
        self.calls = [self._call(made) for made in program]
        ops = zip(program, self.calls, strict=True)
        self.unknown = [made.op for made, call in ops if made.op and call is None]
        self.wrong_values: list[int] = []
        self.cotangents = self._swept(target)

    def _call(self, made: Made) -> Call | None:
        values = [self.values[i] for i in made.inputs]
        call = call_of(made, values) if made.op else None
        return call if call is not None and _takes(call, values) else None

    def _swept(self, target: int) -> list[Any]:
        with only(()):  # no tape and no journal of the learner's sees it
            with tf.GradientTape() as tape:
                tensors: list[Any] = []
                for number, (made, call) in enumerate(zip(self.program, self.calls, strict=True)):
                    out = self._made(tensors, number, made, call)
                    if call is None:
                        tape.watch(out)
                    tensors.append(out)
            found = tape.gradient(tensors[target], tensors)
        unsure = self._before_unknown()
        return [None if g is None or i in unsure else g.numpy() for i, g in enumerate(found)]

    def _before_unknown(self) -> set[int]:
        """The values that an op without a namesake was computed from: their sums are not known."""
        found: set[int] = set()
        for number in reversed(range(len(self.program))):
            made = self.program[number]
            if number in found or (made.op and self.calls[number] is None):
                found.update(made.inputs)
        return found

    def _made(self, tensors: list[Any], number: int, made: Made, call: Call | None) -> Any:
        if call is None:
            return tf.constant(self.values[number])
        out = call(*[tensors[i] for i in made.inputs])
        if not np.allclose(out.numpy(), self.values[number], rtol=1e-5, equal_nan=True):
            self.wrong_values.append(number)
        return out

    def at(self, number: int, g: Any) -> Namesake | None:
        """Minitape's op and rules at a value of the learner's, with `g` coming in."""
        made = self.program[number]
        inputs, names = [self.values[i] for i in made.inputs], self.names(made)
        fits = g is None or np.shape(g) == np.shape(self.values[number])
        return namesake(self.calls[number], inputs, names, self._label(number), g) if fits else None

    def names(self, made: Made) -> list[str]:
        """What a formula calls the inputs of an op."""
        return [self._label(i) for i in made.inputs]

    def _label(self, number: int) -> str:
        """The learner's name, else a word for the op, with a number where that is not enough."""
        made = self.program[number]
        if made.name or not made.op:
            return made.name
        word = WORDS.get(made.op, "power" if made.op.startswith("**") else made.op)
        alike = [each for each in self.program if each.op == made.op and not each.name]
        return word if len(alike) == 1 else f"{word}_{number}"
