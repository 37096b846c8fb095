"""The documentation: each example of its pages runs, and each link of the site leads somewhere."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import blocks  # noqa: E402, a script of that folder

DOCS = ROOT / "docs"
# Pages whose examples other tests run: excerpts of the source, generated pages, other frameworks.
ELSEWHERE = {
    "ADAPTERS.md": "viz/adapters/test_adapters_page.py",
    "DIFFERENCES.md": "project/test_differences.py",
    "GRADIENTS.md": "viz/findings/test_kinds_page.py",
    "GRADIENTS_PYTORCH.md": "viz/diagnosis/test_torch_page.py",
    "GRADIENTS_JAX.md": "viz/diagnosis/test_jax_page.py",
    "WALK.md": "project/test_walk.py",
}
PAGES = {
    page.relative_to(DOCS).as_posix(): page.read_text("utf-8")
    for page in sorted(DOCS.rglob("*.md"))
    if page.name not in ELSEWHERE
}
WITH_CODE = [name for name, text in PAGES.items() if blocks.blocks(text)]
# What a shell line may begin with that is not run here: it installs, opens or serves something.
NOT_RUN = {
    *(".venv/bin/python", "cd", "cp", "git", "jupyter", "jupyter-book", "marimo", "mkdir"),
    *("mkdocs", "myst", "nbgrader", "pip", "pipx", "python3", "quarto", "sphinx-build", "uvx"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_CODE)
def test_every_example_of_a_page_runs_and_prints_what_it_says(name, tmp_path):
    if "ipython" in {block.kind for block in blocks.blocks(PAGES[name])}:
        pytest.importorskip("IPython")
    if "explore(" in PAGES[name]:
        pytest.importorskip("anywidget")
    blocks.run(PAGES[name], tmp_path / "players")


def test_the_pages_that_are_tested_elsewhere_are():
    for page, test in ELSEWHERE.items():
        assert page in (ROOT / "tests" / test).read_text("utf-8"), page


def test_a_command_that_is_not_run_is_one_that_cannot_be():
    lines = [
        line.split()[0]
        for name in WITH_CODE
        for block in blocks.blocks(PAGES[name])
        if block.kind == "sh"
        for line in block.code.splitlines()
        if line.strip() and not line.startswith(("#", "minitape ", "python ", " "))
    ]
    assert set(lines) <= NOT_RUN


def test_what_is_not_run_says_why():
    reasons = re.findall(r"<!-- not run: (.*?) -->", "\n".join(PAGES.values()))
    assert all(len(reason) > 10 for reason in reasons)
    assert len(reasons) <= 20


def test_an_example_inside_of_another_block_does_not_run():
    inner = "```python\n1 / 0\n```\n\n<!-- player: x -->\n"
    assert blocks.blocks(f"````markdown\n{inner}````\n") == []
    assert [each.kind for each in blocks.blocks(inner)] == ["python", "player"]


def test_an_example_that_fails_is_found(tmp_path):
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        blocks.run("```python\n1 / 0\n```\n", tmp_path)


def test_an_example_that_prints_something_else_is_found(tmp_path):
    with pytest.raises(AssertionError, match="the page says"):
        blocks.run("```python\nprint(1)\n```\n\n```text\n2\n```\n", tmp_path)


def test_a_command_that_fails_is_found(tmp_path):
    with pytest.raises(AssertionError, match="no file"):
        blocks.run("```sh\nminitape step nothing.py\n```\n", tmp_path)


def test_every_public_name_of_the_viewer_has_an_example():
    from minitape import viz

    named = re.findall(r"^## `(\w+)`", PAGES["reference/viz_examples.md"], re.MULTILINE)
    assert sorted(named) == sorted(viz.__all__)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The whole site, built strictly."""
    for module in ("material", "nbconvert", "latex2mathml", "IPython"):
        pytest.importorskip(module, reason=f"needs {module} (extras docs and notebook)")
    import subprocess

    place = tmp_path_factory.mktemp("site") / "site"
    scripts = [str(ROOT / "tests" / "lessons_run.py"), str(ROOT / "tools" / "website.py")]
    command = [sys.executable, *scripts, "--to", str(place)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WARNING" not in done.stderr
    return place


@pytest.mark.slow
@pytest.mark.takes_turns
def test_every_link_picture_and_frame_of_the_site_is_there_and_none_is_fetched(site):
    wrong, fetched = [], []
    for page in site.rglob("*.html"):
        inside = page.relative_to(site).parts[0]
        if inside in {
            "course",
            "players",
            "404.html",
        }:  # pages of their own, with tests of their own
            continue
        text = re.sub(r"<code.*?</code>", "", page.read_text("utf-8"), flags=re.DOTALL)
        for kind, to in re.findall(r'\s(href|src)="([^"]*)"', text):
            if re.match(r"https?:", to):
                fetched += (
                    [to] if kind == "src" or "stylesheet" in text[: text.find(to)][-60:] else []
                )
                continue
            path = to.partition("#")[0].partition("?")[0]
            if path and not re.match(r"[a-z]+:", to) and not (page.parent / path).exists():
                wrong.append(f"{page.relative_to(site)}: {to}")
    assert wrong == []
    assert fetched == []


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.takes_turns
def test_the_site_is_searched_and_its_players_step_from_a_disk(site, visit):
    page = visit.page
    page.goto((site / "index.html").as_uri())
    player = page.frame_locator("iframe.player").locator(".minitape-player")
    player.wait_for()
    before = player.locator("input").first.input_value()
    player.locator(".player").first.press("ArrowRight")
    page.wait_for_timeout(300)
    assert player.locator("input").first.input_value() != before
    page.locator(".md-search__input").click()
    page.keyboard.type("jacobian")
    page.locator(".md-search-result__link").first.wait_for()
    assert "jacobian" in page.locator(".md-search-result").inner_text().lower()
    assert visit.outside == []
    assert visit.errors == []
