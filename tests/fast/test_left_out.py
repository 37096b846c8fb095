"""The fast layer can be left out: by the environment, or by deleting its folder."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import minitape as tf

PACKAGE = Path(tf.__file__).parent
PROGRAM = """
import sys
import minitape as tf
x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
with tf.GradientTape(persistent=True) as tape:
    y = tf.reduce_sum(tf.nn.softmax(x @ x + 1.0) * tf.exp(x))
print(tape.gradient(y, x).numpy().tolist())
print(tape.jacobian(x * x, x) is None, tf.function(lambda a: a * a)(x).shape)
print(sorted(name for name in sys.modules if name.startswith("minitape.fast")))
"""


def output(folder, plain="0"):
    """What the program prints with the package in a folder."""
    environment = os.environ | {"PYTHONPATH": str(folder), "MINITAPE_PLAIN": plain}
    options = {"env": environment, "cwd": folder, "capture_output": True, "text": True}
    return subprocess.run([sys.executable, "-c", PROGRAM], check=True, **options).stdout


@pytest.fixture(scope="module")
def without_the_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("without")
    ignored = shutil.ignore_patterns("fast", "__pycache__", "tutorials")
    shutil.copytree(PACKAGE, folder / "minitape", ignore=ignored)
    return folder


def test_nothing_of_it_is_loaded_where_the_environment_says_so():
    assert output(PACKAGE.parent, plain="1").splitlines()[-1] == "[]"


def test_without_the_folder_everything_runs(without_the_folder):
    assert output(without_the_folder).splitlines()[-1] == "[]"


@pytest.mark.fast_layer
def test_with_it_and_without_it_the_numbers_are_the_same(without_the_folder):
    with_it = output(PACKAGE.parent).splitlines()
    assert output(without_the_folder).splitlines()[:-1] == with_it[:-1]
    assert "minitape.fast.calls" in with_it[-1]


def test_only_the_switch_names_it():
    others = [p for p in PACKAGE.rglob("*.py") if "fast" not in p.parts]
    naming = {p.name for p in others if "minitape.fast" in p.read_text(encoding="utf8")}
    assert len(others) > 100
    assert naming == {"hooks.py", "loading.py"}  # which leaves it to the switch
