"""docs/GRADIENTS_JAX.md is what `minitape explain` says of its examples now."""

import re

import pytest
from warm import warmed

pytest.importorskip("jax", reason="JAX is not installed (see .ci/run)")

from tests.viz.diagnosis.page import PAGES, page

NUMBERS = re.compile(r"-?\d+\.?\d*(e[-+]?\d+)?")


def test_the_page_says_what_is_found_in_its_examples_now():
    with warmed("minitape.viz.diagnosis.trial.jax_child"):
        now = page("jax")
    written = PAGES["jax"].read_text(encoding="utf-8")
    assert NUMBERS.sub("0", now) == NUMBERS.sub("0", written)  # digits differ between versions
