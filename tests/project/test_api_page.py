"""docs/API.md says what the package has."""

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import api_page


def test_the_page_of_the_api_is_up_to_date():
    # In a process of its own: other tests declare ops, which have public names.
    code = "import sys, api_page; sys.stdout.buffer.write(api_page.page().encode('utf-8'))"
    tests = Path(api_page.__file__).parent
    path = os.pathsep.join([str(tests.parent), str(tests)])
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": path}, capture_output=True, check=True
    )
    written = api_page.PAGE.read_text(encoding="utf-8")
    assert written == done.stdout.decode("utf-8"), "run `python tests/api_page.py`"


def test_what_is_said_to_be_missing_is_missing_or_a_part_with_other_names():
    there = {name: api_page.found(name) for name in api_page.ABSENT}
    assert all(value is None or isinstance(value, ModuleType) for value in there.values())
