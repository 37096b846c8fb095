"""What only saves the time of graphs can be left out: by the environment, or by deleting it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import minitape as tf

PACKAGE = Path(tf.__file__).parent
CORE = [
    "test_control_flow.py", "test_flat_gradients.py", "test_function.py", "test_graph.py",
    "test_zeros_or_none.py",
]  # fmt: skip
PROGRAM = """
import sys
import numpy as np
import minitape as tf

x, w = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.Variable([[0.5, -0.5], [0.25, 1.0]])


@tf.function
def step(n):
    def body(i, h):
        return i + 1, tf.cond(tf.reduce_sum(h) > 0.0, lambda: tf.tanh(h @ w), lambda: h * w)

    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.while_loop(lambda i, h: i < n, body, [tf.constant(0), x])[1])
    g = tape.gradient(y, w)
    w.assign_sub(0.1 * g)
    return y, g


@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
def rows(v):
    return tf.reduce_mean(v[1:] * v[1:])


for n in (0, 1, 4):
    print([each.numpy().tolist() for each in step(tf.constant(n))], w.numpy().tolist())
print([float(rows(np.arange(size, dtype="f"))) for size in (3, 5) * 10])
print(sorted(name for name in sys.modules if name.startswith("minitape.graphs.compiled")))
"""


def run(folder, *command, plain="0"):
    """What a command prints with the package in a folder."""
    environment = os.environ | {"PYTHONPATH": str(folder), "MINITAPE_PLAIN": plain}
    options = {"env": environment, "cwd": folder, "capture_output": True, "text": True}
    done = subprocess.run([sys.executable, *command], check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def without_the_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("without")
    ignored = shutil.ignore_patterns("compiled", "__pycache__", "tutorials")
    shutil.copytree(PACKAGE, folder / "minitape", ignore=ignored)
    assert not (folder / "minitape" / "graphs" / "compiled").exists()
    return folder


def test_nothing_of_it_is_loaded_where_the_environment_says_so():
    assert run(PACKAGE.parent, "-c", PROGRAM, plain="1").splitlines()[-1] == "[]"


@pytest.mark.fast_layer
def test_with_it_and_without_it_the_numbers_are_the_same(without_the_folder):
    with_it = run(PACKAGE.parent, "-c", PROGRAM).splitlines()
    without = run(without_the_folder, "-c", PROGRAM).splitlines()
    assert without[:-1] == with_it[:-1]
    assert without[-1] == "[]"
    assert "minitape.graphs.compiled.running" in with_it[-1]


@pytest.mark.slow
def test_without_the_folder_the_core_of_these_tests_passes(without_the_folder):
    tests = Path(__file__).parents[1]
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--rootdir", str(tests.parent)]
    options += ["-o", f"pythonpath={without_the_folder} {tests}", "-m", "not slow"]
    chosen = [str(Path(__file__).parent / name) for name in CORE]
    said = run(without_the_folder, "-m", "pytest", *options, *chosen)
    assert " passed" in said
    assert " skipped" in said  # what the folder alone promises


def test_only_the_hook_names_it():
    graphs = PACKAGE / "graphs"
    others = [p for p in PACKAGE.rglob("*.py") if not p.is_relative_to(graphs / "compiled")]
    naming = {p.name for p in others if "graphs.compiled" in p.read_text(encoding="utf8")}
    assert len(others) > 100
    assert naming == {"compiling.py", "loading.py"}  # which leaves it to the hook
