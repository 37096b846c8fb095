"""What holds for every test, and fixtures for those that look at a page: `page`, `jupyter`."""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import random
import signal
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import browser as harness
import everyday
import lessons_run
from left_entered import leave_all_but
from minitape.interpreter import active
from minitape.names.namespaces import load_rest
from minitape.op import registry
from minitape.plain import PLAIN
from rows import Failures

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

LEVEL = logging.getLogger("minitape").level
HERE = Path(__file__).parent
# What takes minutes in all: `.ci/run` runs it, and CONTRIBUTING.md says when to run it yourself.
TIERS = {
    "course": ("course", "teaching", "classroom"),
    "slow": (
        *("viz/films", "viz/doctor", "viz/findings", "viz/mending", "viz/export"),
        *("viz/adapters/test_own*", "viz/picture/test_memory_plot*", "viz/picture/test_jacobian*"),
        *("viz/player/test_quiz*", "viz/player/test_strips*", "viz/player/test_evaluator*"),
        *("viz/record/test_notebooks*", "viz/test_guesses*", "robustness/test_files*"),
    ),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    words = "run the tests in an order drawn with SEED, file by file"
    parser.addoption("--shuffle", type=int, metavar="SEED", help=words)
    words = "of a test with many parameters run a third, another one each day"
    parser.addoption("--of-today", action="store_true", help=words)


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    """Names the rows of a table that fail, where they are compared with {}."""
    return left.lines() if isinstance(left, Failures) and right == {} else None


def pytest_configure() -> None:
    """Lets programs that tests start be interrupted: in the background a shell ignores Ctrl-C."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if find_spec("hypothesis"):
        never_timed()
    lessons_run.keep()


def never_timed() -> None:
    """Lets random tests take their time: a busy machine is no failure."""
    from hypothesis import HealthCheck, settings

    patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile("patient", patient)
    settings.load_profile("patient")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks tests by what they use and where they are; first, as `-m browser` reads it."""
    marked = {
        mark: {path for name in names for path in HERE.glob(name)} for mark, names in TIERS.items()
    }
    for item in items:
        for mark, places in marked.items():
            if not places.isdisjoint((item.path, *item.path.parents)):
                item.add_marker(mark)
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")
    if config.getoption("of_today"):
        items[:], left = everyday.split(items, turns)
        config.hook.pytest_deselected(items=left)
    if (seed := config.getoption("shuffle")) is not None:
        order = random.Random(seed)
        places = {path: order.random() for path in dict.fromkeys(item.path for item in items)}
        order.shuffle(items)
        items.sort(key=lambda item: places[item.path])  # a file's fixtures are made once


def turns(item: pytest.Item) -> str:
    """The name under which a test takes its turn: its own, or one for all of a minute's length."""
    return "long" if item.get_closest_marker("takes_turns") else item.nodeid.partition("[")[0]


def pytest_collection_finish() -> None:
    """Spares the garbage collector what lasts until the end: the tests and all modules."""
    gc.collect()
    gc.freeze()


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("fast_layer") and not fast_layer():
        pytest.skip("without the folders that save time nothing is promised here")
    if item.get_closest_marker("browser"):
        skip_unless_possible(harness.missing())


def fast_layer() -> bool:
    """Whether what only saves time is there and switched on."""
    return not PLAIN and all(map(find_spec, ("minitape.fast", "minitape.graphs.compiled")))


def skip_unless_possible(obstacle: str | None) -> None:
    """Skips the test because of an obstacle; MINITAPE_BROWSER=required makes that a failure."""
    if obstacle and os.environ.get("MINITAPE_BROWSER") == "required":
        pytest.fail(obstacle, pytrace=False)
    if obstacle:
        pytest.skip(obstacle)


@pytest.fixture(autouse=True)
def left_as_found() -> Iterator[None]:
    """Fails the test that leaves an interpreter entered, and leaves it for the tests after it.

    A lesson that silences warnings does so for its own process alone.
    """
    logging.getLogger("minitape").setLevel(LEVEL)
    before = active()
    yield
    if entered := leave_all_but(before):
        names = ", ".join(type(each).__name__ for each in entered)
        pytest.fail(f"the test left what it entered on the stack: {names}", pytrace=False)


@pytest.fixture
def as_declared() -> Iterator[None]:
    """Takes back a gradient that a lesson registers for an op that has none."""
    load_rest()
    bare = [each.op for each in registry.values() if not each.op.rules]
    yield
    for op in bare:
        if op.rules:
            op.rules.clear()
            op.forget()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for one module's tests.

    Not for the session: while playwright is open its event loop counts as running in this thread,
    and an `asyncio.run` in a later module would be refused.
    """
    with harness.chromium() as opened:
        yield opened


@pytest.fixture
def visit(browser: Browser) -> Iterator[harness.Visit]:
    """A new page with the record of its console errors and of its requests to other machines.

    Both have to be empty at the end, so that no test can forget to look. A test that expects some
    asserts them and then clears the list.
    """
    with harness.visit(browser) as seen:
        yield seen
    assert not seen.errors, f"the page's console has errors: {seen.errors}"
    assert not seen.outside, f"the page asked other machines: {seen.outside}"


@pytest.fixture
def page(visit: harness.Visit) -> Page:
    """The page of `visit`, for tests that need nothing else."""
    return visit.page


@pytest.fixture
def jupyter(browser: Browser) -> Iterator[Callable[..., harness.Jupyter]]:
    """Starts a server: `jupyter(folder, app="lab", kernels=True)`, stopped after the test."""
    skip_unless_possible(harness.missing_jupyter())
    with contextlib.ExitStack() as stack:
        yield lambda *args, **kwargs: stack.enter_context(harness.jupyter(*args, **kwargs))
