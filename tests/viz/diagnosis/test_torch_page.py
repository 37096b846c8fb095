"""docs/GRADIENTS_PYTORCH.md is what `minitape explain` says of its examples now."""

import re

import pytest

pytest.importorskip("torch")

from tests.viz.diagnosis.page import PAGES, page

NUMBERS = re.compile(r"-?\d+\.?\d*(e[-+]?\d+)?")


def test_the_page_says_what_is_found_in_its_examples_now():
    now, written = page(), PAGES["pytorch"].read_text(encoding="utf-8")
    assert NUMBERS.sub("0", now) == NUMBERS.sub("0", written)  # digits differ between versions
