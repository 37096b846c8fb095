"""What is published: metadata, the long description, wheel, sdist and the conda recipe."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

pytest.importorskip("hatchling", reason="the metadata are made while building (extra test)")

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
README = (ROOT / "README.md").read_text("utf-8")
NOWHERE = {"source": "", "docs": "", "live": ""}
FORGE = "https://forge.example/them/minitape"

_spec = importlib.util.spec_from_file_location("metadata_hook", ROOT / "tools" / "metadata.py")
hook = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(hook)


def links(text: str) -> list[str]:
    """Where the links and pictures of a page lead, those in code left out."""
    return re.findall(r"\]\(([^)\s]+)\)", re.sub(r"(?ms)^```.*?^```$", "", text))


def test_an_address_that_is_not_known_is_printed_nowhere():
    assert hook.urls(NOWHERE) == {}
    assert hook.urls({**NOWHERE, "docs": "https://d.example"}) == {
        "Documentation": "https://d.example"
    }


def test_a_known_repository_brings_issues_and_changelog_along():
    assert hook.urls({**NOWHERE, "source": FORGE}) == {
        "Source": FORGE,
        "Issues": f"{FORGE}/issues",
        "Changelog": f"{FORGE}/blob/main/CHANGELOG.md",
    }


def test_links_of_the_description_lead_to_the_files_of_the_release():
    text = (
        "![a tape](docs/tape.svg)\nSee [the `walk`](docs/WALK.md#values), [x](https://x.example)."
    )
    assert hook.description(text, FORGE, "1.2.3") == (
        f"![a tape]({FORGE}/raw/v1.2.3/docs/tape.svg)\n"
        f"See [the `walk`]({FORGE}/blob/v1.2.3/docs/WALK.md#values), [x](https://x.example).\n"
    )


def test_without_a_repository_links_are_their_text_and_pictures_are_left_out():
    text = (
        "# T\n\n![a tape](docs/tape.svg)\n\nSee [the walk](docs/WALK.md), [x](https://x.example)."
    )
    assert hook.description(text, "", "1.2.3") == ("# T\n\nSee the walk, [x](https://x.example).\n")


def test_a_picture_that_is_a_link_is_made_absolute_inside_and_outside():
    text = "[![a tape](docs/tape.svg)](docs/WALK.md)"
    assert hook.description(text, "", "1") == "\n"
    inner = f"![a tape]({FORGE}/raw/v1/docs/tape.svg)"
    assert hook.description(text, FORGE, "1") == f"[{inner}]({FORGE}/blob/v1/docs/WALK.md)\n"


def test_code_in_the_description_stays_as_it_is():
    text = "```python\na[0](b)\n```\n"
    assert hook.description(text, "", "1") == text


@pytest.mark.parametrize("source", ["", FORGE])
def test_no_link_of_the_readme_is_dead_on_an_index(source):
    assert links(README)
    there = links(hook.description(README, source, PROJECT["version"]))
    assert [link for link in there if not re.match("https?://|#", link)] == []
    assert bool(there) >= bool(source)


def test_the_readme_stays_readable_without_its_links():
    text = hook.description(README, "", PROJECT["version"])
    assert "![" not in text
    assert "](" not in re.sub(r"\]\(https?://", "", re.sub(r"(?ms)^```.*?^```$", "", text))


def test_every_classifier_is_one_that_indexes_know():
    known = pytest.importorskip("trove_classifiers").classifiers
    assert [name for name in PROJECT["classifiers"] if name not in known] == []
    assert PROJECT["classifiers"] == sorted(PROJECT["classifiers"])


@pytest.mark.slow
def test_wheel_and_sdist_pass_the_strict_check_of_twine(tmp_path):
    pytest.importorskip("twine", reason="needs twine (extra docs)")
    subprocess.check_call(
        [sys.executable, "-m", "hatchling", "build", "-d", str(tmp_path)], cwd=ROOT
    )
    files = [str(file) for file in tmp_path.iterdir()]
    assert len(files) == 2
    done = subprocess.run(
        [sys.executable, "-m", "twine", "check", "--strict", *files], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


def test_the_conda_recipe_needs_what_the_package_needs():
    recipe = (ROOT / "tools" / "conda" / "recipe.yaml").read_text("utf-8")
    run = re.search(r"  run:\n((?:    - .*\n)+)", recipe)[1]
    needed = [re.sub(r"[ -]|\n", "", line) for line in run.splitlines()]
    assert needed == [f"python{PROJECT['requires-python']}", *PROJECT["dependencies"]]
    assert f'version: "{PROJECT["version"]}"' in recipe
    script = PROJECT["scripts"]["minitape"]
    assert f"- minitape = {script}\n" in recipe
