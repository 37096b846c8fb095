"""Unchanged scripts of JAX: what they ask gradients of is recorded."""

import numpy as np
import pytest

pytest.importorskip("jax", reason="JAX is not installed (see .ci/run)")

from minitape.viz.adapters.jax_script import record_jax_script
from minitape.viz.script import ScriptError

START = (
    "import jax\nimport jax.numpy as jnp\n\ndef loss(w, x):\n    return jnp.sum((w * x) ** 2)\n\n"
)


def recorded(folder, text):
    file = folder / "train.py"
    file.write_text(START + text)
    return record_jax_script(file)


def test_each_call_of_a_gradient_is_a_trace_with_the_names_of_the_function(tmp_path):
    text = "g = jax.grad(loss)\nfor i in (1.0, 2.0):\n    print(g(i, 3.0))\n"
    found = recorded(tmp_path, text)
    assert [each.title for each in found.traces] == [
        "gradient of loss (train.py, line 9)",
        "gradient of loss (train.py, line 9, call 2)",
    ]
    assert [node.name for node in found.traces[0].nodes if node.kind == "source"] == ["w"]


def test_what_is_asked_inside_of_jit_is_recorded_in_a_second_run_and_jax_is_as_it_was(tmp_path):
    import jax

    before = jax.grad, jax.value_and_grad
    text = "step = jax.jit(lambda w: w - 0.1 * jax.grad(loss)(w, 2.0))\nprint(step(1.5))\n"
    found = recorded(tmp_path, text)
    assert len(found.traces) == 1
    assert (jax.grad, jax.value_and_grad) == before
    (read,) = [node for node in found.traces[0].nodes if node.kind == "source"]
    np.testing.assert_allclose(np.asarray(read.value.data), [1.5])


def test_a_script_that_stops_keeps_what_it_asked_before(tmp_path):
    found = recorded(tmp_path, "jax.grad(loss)(1.0, 2.0)\nraise RuntimeError('enough')\n")
    assert len(found.traces) == 1
    assert "enough" in found.stopped
    assert "Here the script stopped" in found.traces[0].notes[-1]


def test_a_script_that_asks_for_nothing_is_told_what_to_call(tmp_path):
    with pytest.raises(
        ScriptError, match=r"train.py asked JAX for no gradient .* `jax.grad` gives"
    ):
        recorded(tmp_path, "print(loss(1.0, 2.0))\n")


def test_calls_inside_of_jit_beside_calls_with_numbers_are_counted_as_left_out(tmp_path):
    text = "print(jax.grad(loss)(1.0, 2.0), jax.jit(jax.grad(loss))(1.0, 2.0))\n"
    found = recorded(tmp_path, text)
    assert (len(found.traces), found.left_out) == (1, 1)
