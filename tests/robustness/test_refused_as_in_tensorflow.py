"""318 wrong calls that TensorFlow 2.21 and Keras 3.15 refuse, with the classes of their errors.

They are calls with an axis or element too few or too many, sizes of 0 and below, and values that
mean nothing, over linear algebra, layers, losses, metrics, schedules, optimizers, data
and random numbers. `recorded_refusals.json` has what the frameworks said to each.
"""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path

import numpy as np
import pytest

import minitape as tf
from minitape.interpreter import active

RECORDED = json.loads(Path(__file__).with_name("recorded_refusals.json").read_text("utf-8"))
SPACE = {"tf": tf, "np": np, "K": tf.keras, "L": tf.keras.layers, "o": lambda *s: tf.ones(s)}
# Python stumbles there before TensorFlow has looked at the argument.
BARE = {"AttributeError", "AxisError", "IndexError"}
# Here the kind of the argument is named where TensorFlow speaks of its value, and the other way.
OTHER_CLASS = {
    "tf.linalg.cross(o(2),o(2))", "tf.random.stateless_uniform([2],[1.,2.])",
    "tf.scan(lambda a,x:a+x,o(0))", "tf.foldl(lambda a,x:a+x,o(0))",
    "tf.strings.split(tf.constant(1))", "tf.IndexedSlices(o(2,3),[0])+0 ", "L.RepeatVector('a')",
    "L.TimeDistributed(3)", "L.Dot(axes=1)([o(2,3)])", "L.ZeroPadding2D((1,2,3))", "K.Input('a')",
    "K.regularizers.L2('a')", "K.utils.pad_sequences([1,2])", "tf.data.Dataset.range(1,5,0)",
    "tf.switch_case(5,[])", "tf.cast(['a'],tf.float32)",
}  # fmt: skip


def refused(call):
    """The error of a call, None for an answer."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            eval(call, SPACE)
    except Exception as error:
        return error
    return None


@pytest.mark.filterwarnings("ignore")
def test_what_tensorflow_refuses_is_refused_with_its_class_of_error():
    answered, others = [], {}
    for call, kind in RECORDED.items():
        error = refused(call)
        if error is None:
            answered.append(call)
        elif not {kind} & ({each.__name__ for each in type(error).__mro__} | BARE):
            others[call] = f"{kind}, here {type(error).__name__}: {error}"
        assert active() == (), call
    assert answered == []
    assert {call: said for call, said in others.items() if call not in OTHER_CLASS} == {}
    assert others.keys() >= OTHER_CLASS
