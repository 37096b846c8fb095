"""The recipe of CONTRIBUTING.md for a cause, followed where PyTorch is installed."""

import pytest

pytest.importorskip("torch")

from tests.project.test_contributing import RECIPES, copy, follow, places, run  # noqa: F401


def test_who_follows_the_recipe_has_a_kind_that_is_found_and_a_section_of_the_page(
    copy,  # noqa: F811
    monkeypatch,
):
    # The other tests' fixtures need packages that an environment for PyTorch may lack.
    monkeypatch.setenv("PYTEST_ADDOPTS", "--noconftest")
    (step,) = places(RECIPES["Add a cause"])
    follow(copy, step)
    assert run(copy, RECIPES["Add a cause"], block=1) == ""
    page = (copy / "docs" / "GRADIENTS_PYTORCH.md").read_text("utf-8")
    assert "### stepped_twice" in page
