"""Every public function and class: wrong calls are answered with names that users know; pickles.

The sweep calls all that a program can reach from `tf` and `viz` without arguments, with far too
many, and with a keyword that nobody knows.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import pickle
import re
import types
import warnings

import pytest

import minitape as tf
from minitape import viz
from minitape.names import namespaces

# They end the program, or switch something off for all that follows.
NOT_CALLED = {
    "tf.test.main", "tf.compat.v1.disable_eager_execution", "tf.compat.v1.disable_v2_behavior",
    "tf.compat.v1.enable_eager_execution", "tf.compat.v1.enable_v2_behavior",
    "tf.config.run_functions_eagerly", "tf.config.experimental_run_functions_eagerly",
    "tf.init_scope", "tf.keras.backend.clear_session", "tf.keras.utils.clear_session",
    "tf.compat.v1.reset_default_graph",
}  # fmt: skip
WAYS = {
    "no argument": ((), {}),
    "too many": ((1.0,) * 40, {}),
    "an unknown keyword": ((), {"nobody_knows": 1}),
}
# `name() missing 1 ...`, `Class.__init__() takes 2 ...`, as Python says it.
NAMED = re.compile(r"^(?:(\w[\w.<>]*)\.__\w+__|(\w[\w.<>]*))\(\) (?:missing|takes|got)")


def public(space, prefix, seen):
    """Path and value of all callables that can be reached."""
    for name in dir(space):
        value = None if name.startswith("_") else getattr(space, name, None)
        path = f"{prefix}.{name}"
        if isinstance(value, types.ModuleType):
            if value.__name__.startswith("minitape") and value not in seen:
                seen.append(value)
                yield from public(value, path, seen)
        elif callable(value) and not (isinstance(value, type) and issubclass(value, BaseException)):
            yield path, value


namespaces.load_rest()
PUBLIC = dict(public(tf, "tf", [tf, viz])) | dict(public(viz, "viz", [tf, viz]))
KNOWN = {path.rpartition(".")[2] for path in PUBLIC} | {"EnumType"}  # the last is Python's


def said(path, way):
    """What an error of a call says; "" for none."""
    args, options = WAYS[way]
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            PUBLIC[path](*args, **options)
        except Exception as error:
            return str(error)
    return ""


@pytest.mark.parametrize("way", WAYS)
def test_no_wrong_call_is_answered_with_a_name_that_no_user_knows(way):
    unknown = {}
    for path in sorted(PUBLIC.keys() - NOT_CALLED):
        message = said(path, way)
        found = NAMED.match(message)
        name = found and (found[1] or found[2]).rpartition(".")[2]
        if found and name not in KNOWN | {path.split(".")[-2]}:  # `mnist()` of `mnist.load_data`
            unknown[path] = message
    assert unknown == {}


def test_no_public_function_takes_a_keyword_that_nobody_knows():
    takes_all = {"tf.print"}  # an op that prints, and says so where it refuses
    taken = []
    for path in sorted(PUBLIC.keys() - NOT_CALLED - takes_all):
        with contextlib.suppress(ValueError, TypeError):
            kinds = {each.kind for each in inspect.signature(PUBLIC[path]).parameters.values()}
            if inspect.Parameter.VAR_KEYWORD in kinds and said(path, "an unknown keyword") == "":
                taken.append(path)
    assert taken == []


def test_every_public_function_is_pickled_by_a_name_under_which_it_is_found():
    lost = {}
    for path, value in PUBLIC.items():
        if isinstance(value, types.FunctionType):
            try:
                assert pickle.loads(pickle.dumps(value)) is value
            except Exception as error:
                lost[path] = str(error)
    assert lost == {}
