"""The notebook of four frameworks: without the other three it reads what they wrote."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest

from minitape.viz.trace.trace import Trace

FOLDER = Path(__file__).parents[2] / "tutorials" / "frameworks"
FRAMEWORKS = ["torch", "jax", "tensorflow"]


def test_each_framework_s_trace_is_found_equal_to_minitape_s(monkeypatch, capsys):
    monkeypatch.chdir(FOLDER)
    for name in FRAMEWORKS:
        monkeypatch.setitem(sys.modules, name, None)  # as if it were not installed
    source = (FOLDER / "the_same_backward_pass.py").read_text("utf-8")
    exec(compile(source, "the_same_backward_pass.py", "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == FRAMEWORKS
    for line in lines:
        assert re.search(r"All 1[5-9] values and cotangents that both have are equal", line)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_gradients_in_a_framework_s_trace_are_those_of_the_formula(framework):
    trace = Trace.load(FOLDER / "traces" / f"{framework}.json")
    x = np.array([[0.5, -1.0, 2.0], [1.5, 0.0, -0.5], [-1.0, 1.0, 0.25], [2.0, -0.5, 1.0]])
    w = np.array([[0.1, -0.4, 0.7, 0.2], [0.3, 0.5, -0.6, -0.1], [-0.2, 0.8, 0.4, 0.6]])
    v = np.array([[0.9], [-0.3], [0.5], [-0.8]])
    h = np.tanh(x @ w)
    to_y = 2.0 * (h @ v) / 4.0
    expected = {"w": x.T @ (to_y @ v.T * (1.0 - h**2)), "v": h.T @ to_y}
    for node in trace.sources:
        found = trace.gradients[node]
        shape = expected[trace.nodes[node].name].shape
        got = np.reshape(found.data, shape)
        np.testing.assert_allclose(got, expected[trace.nodes[node].name], rtol=2e-5, atol=1e-6)
