"""docs/GRADIENTS.md is what `minitape explain` says of its examples now, and has every kind."""

import kinds_page
import pytest

from minitape.viz.diagnosis.finding import KINDS


@pytest.mark.slow
def test_the_page_of_kinds_is_up_to_date():
    written = kinds_page.PAGE.read_text(encoding="utf-8")
    assert written == kinds_page.page(), "run `python tests/viz/findings/kinds_page.py`"


def test_every_kind_has_an_example():
    titles = [*kinds_page.EXAMPLES, *kinds_page.UPDATES]
    assert {title.split(":")[0] for title in titles} == set(KINDS)
