"""docs/API.md says what the package has."""

from types import ModuleType

import api_page


def test_the_page_of_the_api_is_up_to_date():
    written = api_page.PAGE.read_text(encoding="utf-8")
    assert written == api_page.page(), "run `python tests/api_page.py`"


def test_what_is_said_to_be_missing_is_missing_or_a_part_with_other_names():
    there = {name: api_page.found(name) for name in api_page.ABSENT}
    assert all(value is None or isinstance(value, ModuleType) for value in there.values())
