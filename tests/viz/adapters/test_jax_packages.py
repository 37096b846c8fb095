"""Packages that build on JAX: gradients beside `jax.grad`'s own, a page, random state alone."""

from __future__ import annotations

import random

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="JAX is not installed (see .ci/run)")

from jax_packages import PROGRAMS, is_here  # noqa: E402

import minitape.viz.adapters.jax as adapter  # noqa: E402
from minitape.viz.player.page import page  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_a_program(name):
    if not is_here(name):
        pytest.skip(f"{PROGRAMS[name].package} is not installed (see .ci/run)")
    loss, arguments = PROGRAMS[name].make()
    own = jax.tree.leaves(jax.grad(loss, argnums=tuple(range(len(arguments))))(*arguments))
    states = np.random.get_state()[1].tolist(), random.getstate()  # noqa: NPY002 # the global one
    player = adapter.step(loss, *arguments)
    assert states == (np.random.get_state()[1].tolist(), random.getstate())  # noqa: NPY002
    for (leaf, found), expected in zip(player.gradients.items(), own, strict=True):
        found = np.zeros(expected.shape) if found is None else np.asarray(found)
        bound = 1e-6 * max(np.abs(expected).max(), 1e-30)
        np.testing.assert_allclose(found, expected, rtol=0, atol=bound, err_msg=leaf)
    assert "<script" in page(player.trace)
