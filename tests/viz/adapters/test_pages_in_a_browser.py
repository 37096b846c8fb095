"""The pages of layers, ops, functions and packages of the tables, opened and walked through.

The packages each day; of the tables a third, so that three days open all.
Where PyTorch or JAX is not installed its part is skipped: `.ci/run` has an environment for each.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import browser as harness
from everyday import of_today

sys.path.insert(0, str(Path(__file__).parents[1] / "player"))

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif(bool(harness.missing()), reason=str(harness.missing())),
]
PARTS = {"torch": 8, "jax": 3}  # a test each: on a busy machine more pages would take too long


def needs(package: str) -> Any:
    found = importlib.util.find_spec(package)
    return pytest.mark.skipif(found is None, reason=f"{package} is not installed (see .ci/run)")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with harness.chromium() as opened:
        yield opened


def check(chromium: Browser, folder: Path, players: list[tuple[str, Any]]) -> None:
    from walking import faults_of

    pages = [player.save(folder / f"{name.replace('/', ' ')}.html") for name, player in players]
    faults, steps = faults_of(chromium, pages)
    assert not faults, f"{len(faults)} faults of {len(pages)} pages:\n" + "\n".join(faults)
    assert steps > 3 * len(pages)


@needs("torch")
@pytest.mark.parametrize("part", range(PARTS["torch"]))
def test_pages_of_pytorch(chromium: Browser, tmp_path: Path, part: int) -> None:
    import test_torch_tables
    from torch_packages import PROGRAMS, is_here

    import minitape.viz.adapters.torch as adapter

    programs = [*of_today(list(test_torch_tables.programs()))]
    programs += [(name, *PROGRAMS[name].make()) for name in PROGRAMS if is_here(name)]
    players = []
    for name, program, sources in programs[part :: PARTS["torch"]]:
        with adapter.recording():
            target = program()
        players.append((name, adapter.step(target, sources)))
    check(chromium, tmp_path, players)


@needs("jax")
@pytest.mark.parametrize("part", range(PARTS["jax"]))
def test_pages_of_jax(chromium: Browser, tmp_path: Path, part: int) -> None:
    import test_jax_tables
    from jax_packages import PROGRAMS, is_here

    import minitape.viz.adapters.jax as adapter

    programs = [*of_today(list(test_jax_tables.programs()))]
    programs += [(name, *PROGRAMS[name].make()) for name in PROGRAMS if is_here(name)]
    players = [
        (name, adapter.step(loss, *given)) for name, loss, given in programs[part :: PARTS["jax"]]
    ]
    check(chromium, tmp_path, players)
