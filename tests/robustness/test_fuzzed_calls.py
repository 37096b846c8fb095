"""Public functions, called with values of a wrong kind, answer in words and change nothing.

Each call gives one argument something from `WRONG`, the others something usual. Whether the
function takes or refuses it is its own business; an error that only Python's inner workings
explain (`'<' not supported`, `object is not iterable`) is none that a learner can use.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import re
import signal
import threading
import traceback
import zlib

import numpy as np
import pytest

import minitape as tf
from minitape import viz
from minitape.interpreter import active
from minitape.names.registry import exports

ONE_IN = 18  # so many of the possible calls are tried
WRONG = {
    "None": None, "a text": "a", "half a pair": "\ud800", "nan": float("nan"), "huge": 10**30,
    "negative": -1, "an empty list": [], "an object": object(), "a class": float,
    "a dict": {"a": 1}, "a fraction": 2.5, "a set": {1}, "a function": len, "texts": ["a", "b"],
    "bytes": b"\xff",
    "complex": 1j, "rows": [[1], [2, 3]], "objects": [object()], "Nones": [None], "a tuple": (),
}  # fmt: skip
CALLBACKS = {"f", "fn", "func", "body", "body_fn", "true_fn", "cond", "op", "function"}
# Python's own classes; what the toolkit alone makes, changes settings, or takes huge numbers.
NOT_CALLED = {
    "tf.AggregationMethod", "tf.VariableAggregation", "tf.VariableSynchronization", "tf.DType",
    "tf.UnconnectedGradients", "tf.nest.sorted_keys", "tf.test.TestCase", "tf.test.main",
    "tf.init_scope", "tf.NotDifferentiable", "tf.no_gradient",
    "tf.RegisterGradient", "tf.keras.metrics.of_one_rank", "viz.import_module",
    "viz.Memory",
    "viz.Player", "viz.Explanation", "viz.Quiz",
}  # fmt: skip
BARE = re.compile(
    r"not iterable|not supported between|has no attribute '\w+'$|not callable|not subscriptable"
    r"|unhashable|unsupported operand|cannot unpack|values to unpack|cannot be interpreted"
    r"|invalid literal|could not convert|surrogates not allowed|can only concatenate|recursion"
    r"|argument of type|index out of range|bad operand|has no len|must be real number|NoneType'$"
)


def public_functions():
    """Name and function of everything that a program can call."""
    found = {f"tf.{name}": value for name, value in exports.items()}
    for module, prefix in (
        (tf, "tf"), (viz, "viz"), (tf.nest, "tf.nest"), (tf.keras.losses, "tf.keras.losses"),
        (tf.keras.layers, "tf.keras.layers"), (tf.keras.optimizers, "tf.keras.optimizers"),
        (tf.keras.initializers, "tf.keras.initializers"), (tf.keras.utils, "tf.keras.utils"),
        (tf.keras.metrics, "tf.keras.metrics"), (tf.keras.activations, "tf.keras.activations"),
    ):  # fmt: skip
        for name in dir(module):
            if not name.startswith("_"):
                found.setdefault(f"{prefix}.{name}", getattr(module, name))
    for name, value in sorted(found.items()):
        error = inspect.isclass(value) and issubclass(value, BaseException)
        changes_all = name.startswith(("tf.config.", "tf.keras.backend.")) or "seed" in name
        if callable(value) and not error and not changes_all and name not in NOT_CALLED:
            with contextlib.suppress(ValueError, TypeError):
                yield name, value, inspect.signature(value).parameters.values()


def arguments(parameters, wrong, value):
    """The arguments of a call in which one is wrong."""
    usual, places, named = tf.constant([[1.0, 2.0], [3.0, 4.0]]), [], {}
    for each in parameters:
        if each.kind == each.VAR_KEYWORD or (each is not wrong and each.default is not each.empty):
            continue
        if each is not wrong and each.kind == each.VAR_POSITIONAL:
            continue
        given = value if each is wrong else (lambda *x: x[0]) if each.name in CALLBACKS else usual
        if each.kind == each.KEYWORD_ONLY or each.default is not each.empty:
            named[each.name] = given
        else:
            places.append(given)
    return places, named


def drawn():
    """The calls: the same in each run, whatever functions are added."""
    return [
        (name, function, parameters, each, kind)
        for name, function, parameters in public_functions()
        for each in parameters
        if each.kind != each.VAR_KEYWORD and each.name != "name"
        for kind in WRONG
        if zlib.crc32(f"{name} {each.name} {kind}".encode()) % ONE_IN == 0
    ]


def complaint(call):
    """What is wrong with the answer to a call; None where it is as it should be."""
    name, function, parameters, wrong, kind = call
    places, named = arguments(parameters, wrong, WRONG[kind])
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            function(*places, **named)
    except Exception as error:
        inside = len(traceback.extract_tb(error.__traceback__)) > 1
        text = str(error)
        # Messages with advice, and those of ops, may quote Python; a bare one is short.
        advice = re.search(r"[Ww]rite |\[Op:", text)
        if inside and BARE.search(text) and len(text) < 120 and not advice:
            return f"{name}({wrong.name}={kind}): {type(error).__name__}: {text}"
    if active() != ():
        return f"{name}({wrong.name}={kind}) leaves something on the stack"
    return None


@pytest.mark.filterwarnings("ignore")
def test_no_malformed_call_is_answered_by_a_bare_python_error(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    v, x = tf.Variable([1.0, 2.0]), tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        y = v * v
    with contextlib.ExitStack() as timer, np.errstate(all="ignore"):
        if threading.current_thread() is threading.main_thread() and hasattr(signal, "alarm"):
            signal.alarm(300)  # a call that hangs ends the test
            timer.callback(signal.alarm, 0)
        found = [each for each in map(complaint, drawn()) if each is not None]
    assert not found, "\n".join(found).encode("ascii", "backslashreplace").decode()
    assert v.numpy().tolist() == x.numpy().tolist() == [1.0, 2.0]
    assert tape.gradient(y, v).numpy().tolist() == [2.0, 4.0]
