"""Each kind on JAX: its example is found, its twin is silent, its correction is right."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from warm import warmed

pytest.importorskip("jax", reason="JAX is not installed (see .ci/run)")

from minitape.viz.diagnosis.diagnosis import KINDS
from minitape.viz.diagnosis.trial.frameworks import report

OWN = {name: kind for name, kind in KINDS.items() if kind.dialects[0] == "jax"}
# Programs, the line and the kind of what is wrong, and the gradient of the right program.
PROGRAMS = {
    "a logarithm that is not chosen": (
        """\
import jax
import jax.numpy as jnp

def loss(x):
    y = jnp.where(x > 0, jnp.log(x), 0.0)
    return jnp.sum(y)

print(jax.grad(loss)(jnp.array([0.0, 1.0, 2.0])))
""",
        ("not_finite", 5),
        [0.0, 1.0, 0.5],
    ),
    "a norm at zero, under jit": (
        """\
import jax
import jax.numpy as jnp

@jax.jit
def update(w, x):
    g = jax.grad(lambda w: jnp.sum(jnp.sqrt(jnp.sum((x - w) ** 2, axis=1))))(w)
    return w - 0.1 * g

w = jnp.zeros(2)
print(update(w, jnp.zeros((1, 2))))
""",
        ("not_finite", 6),
        None,
    ),
    "a sigmoid before a logarithm": (
        """\
import jax
import jax.numpy as jnp

def loss(z):
    p = jax.nn.sigmoid(z)
    return -jnp.mean(jnp.log(p))

print(jax.value_and_grad(loss)(jnp.array([-200.0, 3.0])))
""",
        ("not_finite", 6),
        [-0.5, -0.5 * 0.047426],
    ),
    "rounded before the loss": (
        """\
import jax
import jax.numpy as jnp

def loss(w):
    h = jnp.round(3.0 * w)
    return jnp.sum(h * h)

print(jax.grad(loss)(jnp.array([0.7, -1.2])))
""",
        ("vanishing", 5),
        None,
    ),
}


@pytest.fixture(scope="module", autouse=True)
def quickly() -> Iterator[None]:
    """A third of the time; nothing else is different."""
    with warmed("minitape.viz.diagnosis.trial.jax_child"):
        yield


def looked(folder: Path, text: str):
    file = folder / "script.py"
    file.write_text(text)
    return report(file, (), 120.0, "jax")


@pytest.mark.parametrize("name", OWN)
def test_the_example_of_a_kind_is_found_at_its_line_and_its_twin_is_silent(name, tmp_path):
    kind = OWN[name]
    line = next(n for n, row in enumerate(kind.example.splitlines(), 1) if "# <- here" in row)
    found = looked(tmp_path, kind.example).diagnoses
    assert [(d.finding.cause, d.finding.line) for d in found] == [(name, line)]
    assert not looked(tmp_path, kind.healthy).diagnoses


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_mistake_is_found_at_its_line_and_what_is_tried_gives_the_right_gradient(name, tmp_path):
    text, (cause, line), gradient = PROGRAMS[name]
    found = looked(tmp_path, text)
    assert [(d.finding.cause, d.finding.line) for d in found.diagnoses[:1]] == [(cause, line)]
    if gradient is None:
        return
    assert found.diagnoses[0].verdict == "sound", found.diagnoses[0]
    check = f"{found.fixed}\nimport numpy\n" + (
        "numpy.testing.assert_allclose("
        f"jax.grad(loss)(jnp.array({text.rpartition('jnp.array(')[2].partition(')')[0]})), "
        f"{gradient}, rtol=1e-3, atol=1e-6)\n"
    )
    file = tmp_path / "check.py"
    file.write_text(check)
    done = subprocess.run([sys.executable, file], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


HEALTHY = """\
import jax
import jax.numpy as jnp

key = jax.random.PRNGKey(0)
w = {"w": jax.random.normal(key, (3, 1)), "b": jnp.zeros(1)}
x = jax.random.normal(key, (8, 3))
y = jnp.sum(x, axis=1, keepdims=True)

@jax.jit
def step(w):
    def loss(w):
        return jnp.mean((jax.nn.relu(x @ w["w"]) + w["b"] - y) ** 2)
    value, g = jax.value_and_grad(loss)(w)
    return value, jax.tree.map(lambda a, b: a - 0.1 * b, w, g)

for _ in range(20):
    value, w = step(w)
print(value)
"""


def test_a_healthy_training_under_jit_is_silent(tmp_path):
    found = looked(tmp_path, HEALTHY)
    assert not found.diagnoses and found.calls >= 20


def test_the_command_explains_a_script_of_jax(tmp_path):
    file = tmp_path / "train.py"
    file.write_text(OWN["tracer_leaves"].example)
    words = [sys.executable, "-m", "minitape", "explain", "train.py", "--json", "found.json"]
    root = str(Path(__file__).parents[3])
    run = subprocess.run(
        words, cwd=tmp_path, env={"PYTHONPATH": root, "PATH": ""}, capture_output=True, text=True
    )
    assert run.returncode == 1, run.stderr
    (found,) = json.loads((tmp_path / "found.json").read_text())
    assert (found["cause"], found["line"]) == ("tracer_leaves", 6)
    assert "jnp.tanh(w) ** 2" in run.stdout
