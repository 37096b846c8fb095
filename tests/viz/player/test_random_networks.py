"""Random networks, that nobody drew for a test: each page opens, and each of its steps is in view.

Twenty of thirty of each kind a day, others on the next; MINITAPE_LESSONS=all tries all at once.
Those of PyTorch are tried where it is installed: `.ci/run` has an environment for it.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import browser as harness
import everyday

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(bool(harness.missing()), reason=str(harness.missing())),
]
EVERY = (0, 10, 20)  # ten networks a test: on a busy machine thirty would take too long
REST = () if everyday.ALL else everyday.of_today(EVERY)
TENS = [ten for ten in EVERY if ten not in REST]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Without the project's conftest too, as PyTorch's environment has none of its packages."""
    with harness.chromium() as opened:
        yield opened


def check(chromium: Browser, folder: Path, drawn: Callable[[int], Any], seeds: range) -> None:
    from walking import faults_of

    pages = [drawn(seed).save(folder / f"network{seed}.html") for seed in seeds]
    faults, steps = faults_of(chromium, pages)
    assert not faults, "\n".join(faults)
    assert steps > 20 * len(pages)


@pytest.mark.parametrize("ten", TENS)
def test_networks_of_nested_keras_layers_open_and_show_every_step(
    chromium: Browser, tmp_path: Path, ten: int
) -> None:
    from keras_networks import drawn

    check(chromium, tmp_path, drawn, range(1000 + ten, 1010 + ten))


@pytest.mark.parametrize("ten", TENS)
@pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="PyTorch is not installed (see .ci/run)"
)
def test_networks_of_nested_pytorch_modules_open_and_show_every_step(
    chromium: Browser, tmp_path: Path, ten: int
) -> None:
    from torch_networks import drawn

    check(chromium, tmp_path, drawn, range(2000 + ten, 2010 + ten))
