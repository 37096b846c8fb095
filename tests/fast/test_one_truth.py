"""One truth: with the fast layer and without it, eagerly, in functions, in graphs and in batches.

Every registered op is called on its samples, and on dtypes and shapes that it may refuse. Values
and dtypes are the same everywhere, and so are the classes and messages of errors.
"""

import functools
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import outcomes

HERE = Path(outcomes.__file__)

# Where the places differ, and why.
OF_VALUES = "its shape depends on values, which a graph does not have"
OF_STACKS = "the message names the shapes of the stacks, or a place in them"
IN_PARTS = "in a batch it is made of other ops, which say the same of themselves"
DIFFERENT = {
    ("in a graph", "unique"): OF_VALUES,
    ("in a graph", "nonzero_indices"): OF_VALUES,
    ("in a graph", "span"): OF_VALUES,
    ("in a batch", "stack"): OF_STACKS,
    ("in a batch", "concat"): OF_STACKS,
    ("in a batch", "matmul"): OF_STACKS,
    ("in a batch", "gather"): OF_STACKS,
    ("in a batch", "l2_loss"): IN_PARTS,
}


@functools.cache
def here():
    return outcomes.outcomes()


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    """The outcomes of a process in the other mode."""
    plain = os.environ.get("MINITAPE_PLAIN", "0") in ("", "0")
    file = tmp_path_factory.mktemp("outcomes") / "other"
    path = os.pathsep.join([str(HERE.parent.parent), str(HERE.parent)])
    environment = os.environ | {"MINITAPE_PLAIN": "1" if plain else "0", "PYTHONPATH": path}
    subprocess.run([sys.executable, HERE, file], env=environment, check=True, capture_output=True)
    return pickle.loads(file.read_bytes())


def differences(a, b):
    """What two outcomes differ in, "" if in nothing."""
    if a[0] != b[0]:
        return f"{shown(a)} and {shown(b)}"
    if a[0] == "error":
        same = a[1] == b[1] and without_reason(a[2]) == without_reason(b[2])
        return "" if same else f"{shown(a)} and {shown(b)}"
    pairs = list(zip(a[1], b[1], strict=True))
    return "" if all(same_array(x, y) for x, y in pairs) else f"{shown(a)} and {shown(b)}"


def without_reason(message):
    """The op and its inputs; NumPy's reason may name the values that a graph infers with."""
    return re.sub(r"(\[Op:\w+\]): (?!`).*", r"\1", message, flags=re.DOTALL)


def same_array(x, y):
    if x is None or y is None:
        return x is y
    if (x.dtype, x.shape) != (y.dtype, y.shape):
        return False
    if x.dtype == object:
        return np.array_equal(x, y)
    return np.allclose(x, y, rtol=1e-4, atol=1e-4, equal_nan=True)


def shown(outcome):
    if outcome[0] == "error":
        return f"{outcome[1]}: {outcome[2]}"
    return str([x if x is None else (x.dtype.name, x.shape, x.ravel()[:4]) for x in outcome[1]])


# Each place takes some seconds: the quick tests look at the first two.
PLACES = [*outcomes.PLACES, "a gradient"]
FEW = [pytest.param(p, marks=pytest.mark.slow if i > 1 else ()) for i, p in enumerate(PLACES)]


@pytest.mark.slow
@pytest.mark.parametrize("place", FEW, ids=PLACES)
def test_every_op_does_the_same_with_the_fast_layer_and_without_it(place, other):
    found = {
        name: difference
        for (where, name), outcome in here().items()
        if where == place and (difference := differences(outcome, other[where, name]))
    }
    assert not found
    assert here().keys() == other.keys()


@pytest.mark.slow
@pytest.mark.parametrize("place", [place for place in outcomes.PLACES if place != "eagerly"])
def test_every_op_does_the_same_eagerly_and_elsewhere(place):
    found = {
        name: difference
        for (where, name), outcome in here().items()
        if where == place and (difference := differences(here()["eagerly", name], outcome))
    }
    unknown = {k: v for k, v in found.items() if (place, op_of(k)) not in DIFFERENT}
    assert not unknown
    assert {op for where, op in DIFFERENT if where == place} <= {op_of(name) for name in found}


def op_of(name):
    """The op of a case such as `12-concat-plain` or `12-concat of mixed int32`."""
    return re.split(r"[-\s]", name.partition("-")[2])[0]


def test_refused_inputs_are_among_the_cases():
    refused = {name for (place, name), outcome in here().items() if outcome[0] == "error"}
    assert len(refused) > 500
