"""The page on robustness tells what the tests do."""

from __future__ import annotations

import re

from robustness_counts import PAGE, table


def test_the_counts_on_the_page_are_those_of_the_tests():
    assert table() in PAGE.read_text()


def test_the_programs_on_the_page_run():
    for program in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL):
        exec(program, {})
