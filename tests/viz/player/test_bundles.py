"""The scripts of pages: what stands in the repository is what the modules give."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from minitape import viz

FOLDER = Path(viz.__file__).parent / "player"
BUNDLES = FOLDER / "bundles"
HOW = "run `npm ci && npm run build` in viz/player, and commit viz/player/bundles"


@pytest.fixture
def tools() -> Path:
    """The folder of the tools, which a developer installs; `MINITAPE_NODE=required` in CI."""
    if not (shutil.which("node") and (FOLDER / "node_modules").exists()):
        reason = "no test with Node: run `npm ci` in viz/player"
        (pytest.fail if os.environ.get("MINITAPE_NODE") == "required" else pytest.skip)(reason)
    return FOLDER


def test_every_bundle_is_made_of_the_modules_as_they_are() -> None:
    """Needs no Node: the build has written down a digest of each module."""
    changed = []
    for line in (BUNDLES / "made_of.txt").read_text("utf-8").splitlines():
        digest, name = line.split("  ")
        content = (FOLDER / name).read_bytes().replace(b"\r\n", b"\n")
        if hashlib.sha256(content).hexdigest() != digest:
            changed.append(name)
    assert not changed, HOW


def test_every_module_of_the_player_is_in_a_bundle() -> None:
    named = (BUNDLES / "made_of.txt").read_text("utf-8")
    modules = [path.name for path in (FOLDER / "src").glob("*.js")]
    assert len(modules) > 20
    assert not [name for name in modules if f"  src/{name}\n" not in named]


def test_built_again_the_bundles_are_the_same_bytes(tools: Path, tmp_path: Path) -> None:
    subprocess.run(["node", "build.mjs", str(tmp_path)], cwd=tools, check=True, timeout=120)
    kept = {path.name: path.read_text("utf-8") for path in BUNDLES.iterdir()}
    built = {path.name: path.read_text("utf-8") for path in tmp_path.iterdir()}
    assert kept.keys() == built.keys()
    assert [name for name in kept if kept[name] != built[name]] == [], HOW


@pytest.mark.slow
def test_the_scripts_pass_the_checks_of_types_and_style_and_their_own_tests(tools: Path) -> None:
    done = subprocess.run(
        ["npm", "run", "--silent", "check"], cwd=tools, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
