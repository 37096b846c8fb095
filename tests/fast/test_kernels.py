"""Sums of the fast layer are NumPy's, whatever the axis, the dtype and the sizes."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

pytestmark = pytest.mark.fast_layer
SHAPES = [(4, 3, 2), (2, 3, 4, 5), (3, 50, 200), (1, 1, 1), (2, 0, 3), (0, 3, 2), (2, 3, 0), (5, 4)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.int32])
@pytest.mark.parametrize("shape", SHAPES)
def test_sums_along_one_axis_are_numpys(shape, dtype):
    total = importlib.import_module("minitape.fast.kernels").total
    x = np.random.default_rng(0).normal(scale=9.0, size=shape).astype(dtype)
    for axis in range(len(shape)):
        for given in (axis, (axis,)):
            for keepdims in (False, True):
                expected = np.sum(x, axis, dtype, keepdims=keepdims)
                found = total(x, given, keepdims)
                assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
                np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-4)


def test_a_view_is_summed_along_its_own_axis():
    total = importlib.import_module("minitape.fast.kernels").total
    x = np.arange(24.0).reshape(2, 3, 4).transpose(2, 0, 1)[::-1]
    np.testing.assert_allclose(total(x, (1,), False), x[:, 0] + x[:, 1])


def test_what_is_not_finite_goes_into_its_own_sums_alone():
    total = importlib.import_module("minitape.fast.kernels").total
    x = np.ones((2, 3, 2), np.float32)
    x[0, 1, 1], x[1, 0, 0] = np.inf, np.nan
    assert total(x, (1,), False).tolist()[0] == [3.0, np.inf]
    assert np.isnan(total(x, 1, False)).tolist() == [[False, False], [True, False]]
