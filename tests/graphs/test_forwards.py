"""Forwards prepared for the shapes and numbers of a graph's node give the op's own bits."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import minitape as tf
from minitape.op import registry
from minitape.tensor import Spec
from rows import failing

pytestmark = pytest.mark.fast_layer

# What a training step asks for; each with the op's attributes.
SHAPES = [
    *[(name, shapes, ()) for name in ("add", "subtract", "multiply", "divide", "greater", "less")
      for shapes in ([(4, 3), (4, 3)], [(4, 3), (3,)], [(4, 1), (1,)], [(1, 1), (4, 1)],
                     [(4, 3), ()], [(), (4, 3)], [(1,), (2, 1)], [(), ()], [(0, 3), (1,)])],
    *[(name, shapes, ()) for name in ("pow", "power_slope") for shapes in ([(4, 3), ()], [(), ()])],
    ("sum_to", [(64, 16)], ((16,),)), ("sum_to", [(64, 1)], ((1,),)), ("sum_to", [(1, 3)], ((3,),)),
    ("sum_to", [(64, 16)], ((64, 1),)), ("sum_to", [(3, 16, 8)], ((3, 16, 1),)),
    ("sum_to", [(64, 300)], ((64, 1),)), ("sum_to", [(64, 1)], ((64, 1),)),
    ("sum_to", [(0, 3)], ((3,),)), ("sum_to", [(2, 4, 3)], ((3,),)), ("sum_to", [(4, 3)], ((),)),
    *[(name, [shape], (axis, keep)) for name in ("reduce_sum", "reduce_mean")
      for shape in ((64, 1), (5, 7), (3,), (1,), (), (0, 2), (90, 90), (2, 3, 4), (6, 3, 5))
      for axis in (None, (0,), (len(shape) - 1,)) if axis is None or shape
      for keep in (False, True)],
    *[(name, [(n, 8, 8, c), row], ()) for name in ("add", "multiply", "greater") for n in (10, 11)
      for c in (3, 4, 16) for row in ((c,), (8, c))],
    ("split", [(6, 8)], ((2, 2, 2, 2), 1)), ("split", [(2, 3, 4)], ((2, 2), 2)),
    ("split", [(6, 8)], ((3, 5), 1)), ("split", [(8, 6)], ((4, 4), 0)),
    ("split", [(0, 8)], ((4, 4), 1)), ("concat", [(2, 3), (2, 4)], (1,)),
    ("matmul", [(5, 4), (4, 3)], ()), ("matmul", [(90, 90), (90, 2)], ()),
    ("matmul", [(91, 91), (91, 2)], ()),
    ("matmul", [(2, 5, 4), (2, 4, 3)], ()),
    *[(name, [shape, shape], ()) for name in ("tanh_gradient", "gate")
      for shape in ((5, 3), (), (1,), (90, 90), (300, 300), (0,))],
    *[(name, [shape], ()) for name in ("relu", "sigmoid")
      for shape in ((5, 3), (), (90, 90), (300, 300), (0,))],
    *[("gather", [shape, of_index], (axis, 0, from_end)) for shape in ((4, 3), (4,), (4, 2, 3))
      for of_index in ((), (2,)) for axis in range(len(shape)) for from_end in (False, True)],
]  # fmt: skip


def value(rng, shape, dtype):
    return np.asarray(rng.normal(size=shape), dtype)[()]


def inputs_of(name, shapes, dtype, exponent):
    rng = np.random.default_rng(0)
    found = [value(rng, shape, dtype) for shape in shapes]
    if name in {"pow", "power_slope"}:
        return [np.abs(found[0]), found[1].dtype.type(exponent)]
    if name == "gate":
        found[1] = found[1] > 0
    if name == "gather":
        found[1] = np.abs(found[1]).astype(np.int32)[()]
    return found


def prepared_of(op, inputs, are_known, attributes):
    prepared = importlib.import_module("minitape.graphs.compiled.forwards").prepared
    specs = [Spec(x.shape, x.dtype) for x in inputs]
    known = [x if own and not x.shape else None for x, own in zip(inputs, are_known, strict=True)]
    ready = prepared(op, specs, known, attributes)
    given = [x for x, number in zip(inputs, known, strict=True) if number is None]
    return None if ready is None else op.applied(ready, given, ())


def parts(op, out):
    """The results of an op as arrays."""
    return [np.asarray(each) for each in (out if op.several else (out,))]


@pytest.mark.parametrize("name", dict.fromkeys(name for name, _, _ in SHAPES))
def test_it_gives_what_the_forward_gives_bit_by_bit(name):
    exponents = (2.0, 3.0, 0.5) if name in {"pow", "power_slope"} else (None,)
    rows = {
        f"{shapes} {attributes} {dtype.__name__} {exponent}": (
            name, shapes, attributes, dtype, exponent
        )
        for each, shapes, attributes in SHAPES if each == name
        for dtype in (np.float32, np.float64) for exponent in exponents
    }  # fmt: skip
    assert failing(gives_what_the_forward_gives_bit_by_bit, rows) == {}


def gives_what_the_forward_gives_bit_by_bit(name, shapes, attributes, dtype, exponent):
    op = registry[name].op
    inputs = inputs_of(name, shapes, dtype, exponent)
    expected = parts(op, op.applied(op.forward, inputs, attributes))
    for are_known in ([False, False], [True, False], [False, True], [True, True]):
        found = prepared_of(op, inputs, are_known[: len(inputs)], attributes)
        for x, y in zip(expected if found is None else parts(op, found), expected, strict=True):
            assert (x.shape, x.dtype, x.tobytes()) == (y.shape, y.dtype, y.tobytes())


@pytest.mark.parametrize(("name", "shapes", "attributes"), SHAPES[:2] + SHAPES[4:5])
def test_elementwise_ops_take_numpys_function_where_nothing_has_to_be_repeated(
    name, shapes, attributes
):
    inputs = inputs_of(name, shapes, np.float32, 2.0)
    found = prepared_of(registry[name].op, inputs, [False, True], attributes)
    assert (found is None) == (shapes == [(4, 3), (3,)])


def test_an_op_of_the_user_with_a_name_of_ours_keeps_its_forward():
    prepared = importlib.import_module("minitape.graphs.compiled.forwards").prepared
    spec = Spec((5, 3), np.dtype(np.float32))

    def relu(features: tf.Tensor) -> tf.Tensor:
        return features + 1

    relu.__annotations__ = {"features": "Array", "return": "Array"}
    assert prepared(type(registry["relu"].op)(relu, ()), [spec], [None], ()) is None


def test_training_in_a_loop_of_a_graph_gives_numpys_numbers():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(20, 3)), rng.normal(size=(20, 1))
    w, b = np.zeros((3, 1)), np.zeros(1)
    ours = tf.Variable(w), tf.Variable(b)

    def body(i):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ ours[0] + ours[1] - y) ** 2)
        for v, g in zip(ours, tape.gradient(loss, ours), strict=True):
            v.assign_sub(tf.constant(0.1, tf.float64) * g)
        return i + 1

    tf.function(lambda n: tf.while_loop(lambda i: i < n, body, [0]))(tf.constant(30))
    for _ in range(30):
        error = 2 * (x @ w + b - y) / len(x)
        w, b = w - 0.1 * x.T @ error, b - 0.1 * error.sum(0)
    np.testing.assert_allclose(ours[0], w, rtol=1e-10)
    np.testing.assert_allclose(ours[1], b, rtol=1e-10)
