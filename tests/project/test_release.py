"""Changelog, versions and deprecations: what a release is made of, and that the script makes it."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import changelog  # noqa: E402, a script of that folder
import release  # noqa: E402

PAGE = (ROOT / "CHANGELOG.md").read_text("utf-8")
DEPRECATED = release.deprecations(ROOT)


def written(folder: Path, **texts: str) -> list[Path]:
    """Files of changes, as `kind="text"`."""
    for kind, text in texts.items():
        (folder / f"this.{kind}.md").write_text(text, "utf-8")
    return changelog.fragments(folder)


def test_every_waiting_change_is_well_formed():
    files = changelog.fragments(ROOT / "changes")
    assert [fault for file in files for fault in changelog.faults(file)] == []


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.new.md", "It works.", "call it NAME.KIND.md"),
        ("A.added.md", "It works.", "call it NAME.KIND.md"),
        ("a.added.md", "It works", "full stop"),
        ("a.added.md", "it works.", "capital letter"),
        ("a.added.md", "", "one paragraph"),
        ("a.added.md", "- It works.", "without a heading or a list"),
        ("a.added.md", "One.\n\nTwo.", "one paragraph"),
        ("a.added.md", "W" * 400 + ".", "401 characters"),
    ],
)
def test_a_malformed_change_is_named_with_what_is_wrong(tmp_path, name, text, said):
    (tmp_path / name).write_text(text)
    faults = [fault for file in changelog.fragments(tmp_path) for fault in changelog.faults(file)]
    assert any(fault.startswith(name) and said in fault for fault in faults)


def test_changes_are_listed_by_their_kinds(tmp_path):
    files = written(tmp_path, fixed="It ends.", added="`x` does\ny.")
    assert changelog.section(files) == "### Added\n\n- `x` does y.\n\n### Fixed\n\n- It ends.\n"


def test_a_release_gets_a_section_above_the_one_before_it():
    text = "# C\n\n## [Unreleased]\n\nSee changes.\n\n## 0.2.0 (2026-01-01)\n\nOld.\n"
    assert changelog.released(text, "0.3.0", "2026-02-02", "### Fixed\n\n- It ends.\n") == (
        "# C\n\n## [Unreleased]\n\nSee changes.\n\n## 0.3.0 (2026-02-02)\n\n"
        "### Fixed\n\n- It ends.\n\n## 0.2.0 (2026-01-01)\n\nOld.\n"
    )


def test_a_section_that_is_written_already_gets_its_date():
    text = "# C\n\n## [Unreleased]\n\n## 0.2.0 (not released)\n\nAll.\n"
    assert "## 0.2.0 (2026-01-01)\n\nAll." in changelog.released(text, "0.2.0", "2026-01-01", "")


def test_a_release_without_a_change_is_refused():
    with pytest.raises(ValueError, match="nothing has changed"):
        changelog.released("# C\n\n## [Unreleased]\n", "0.3.0", "2026-01-01", "")


def test_the_version_is_written_to_every_place_that_names_it(tmp_path):
    for name in release.PLACES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text((ROOT / name).read_text("utf-8"), "utf-8")
    release.set_version(tmp_path, "9.8.7")
    assert release.current(tmp_path) == "9.8.7"
    old = release.current(ROOT)
    for name in release.PLACES:
        text = (tmp_path / name).read_text("utf-8")
        assert "9.8.7" in text and old not in re.sub(r"(since|until) = .*", "", text), name


@pytest.mark.parametrize("version", ["1.2", "v1.2.3", "1.2.3rc1"])
def test_what_is_no_version_is_refused(version):
    with pytest.raises(release.ReleaseError, match="write three numbers"):
        release.order(version)


def test_versions_are_compared_as_numbers():
    assert release.order("0.10.0") > release.order("0.9.3")


@pytest.mark.parametrize("name", DEPRECATED)
def test_what_is_deprecated_works_and_warns_with_its_versions(name):
    each = DEPRECATED[name]
    assert release.order(each["since"]) <= release.order(release.current(ROOT))
    assert release.order(each["until"]) > release.order(release.current(ROOT))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        module = importlib.import_module(name)
        getattr(module, module.__all__[0])
    said = [str(one.message) for one in caught if one.category is DeprecationWarning]
    assert any(each["since"] in one and each["until"] in one for one in said)
    assert any(each["instead"] in one for one in said)


def test_a_release_stops_at_a_deprecation_that_is_due(tmp_path):
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nversion = "0.2.0"\n'
        '[tool.minitape.deprecations]\n"old.name" = { until = "0.3.0" }\n'
    )
    with pytest.raises(release.ReleaseError, match=r"remove .* before 0\.3\.0: old\.name"):
        release.release(tmp_path, "0.3.0")


def test_the_changelog_is_for_users_and_fits_on_a_page():
    assert changelog.HEADING in PAGE
    newest = PAGE.split("\n## ")[2]
    assert newest.startswith(release.current(ROOT))
    assert len(newest) < 12_000


@pytest.mark.slow
@pytest.mark.takes_turns
def test_the_dry_run_makes_a_release_and_leaves_the_checkout_alone():
    pytest.importorskip("build")
    pytest.importorskip("twine")
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    before = subprocess.check_output(["git", "status", "--porcelain"], cwd=ROOT)
    done = subprocess.run(
        [sys.executable, "tools/release.py", "--dry-run"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "is tagged" in done.stdout
    assert subprocess.check_output(["git", "status", "--porcelain"], cwd=ROOT) == before
