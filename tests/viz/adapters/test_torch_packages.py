"""Packages that build on PyTorch: gradients beside its own, a page, its random state alone."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed (see .ci/run)")

from test_torch_tables import check  # noqa: E402
from torch_packages import PROGRAMS, is_here  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_a_program(name):
    if not is_here(name):
        pytest.skip(f"{PROGRAMS[name].package} is not installed (see .ci/run)")
    torch.manual_seed(0)
    check(*PROGRAMS[name].make())
