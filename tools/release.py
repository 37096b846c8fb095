"""Makes a release: version, changelog, build, checks, commit and tag. It uploads nothing.

    python tools/release.py 0.3.0 --dry-run   # all of it, in a clone that is thrown away
    python tools/release.py 0.3.0             # then: git push --follow-tags

The pushed tag starts `.github/workflows/release.yml`, which runs the tests and publishes. Run
`.ci/run` before: the script checks what it builds, and does not repeat the tests. It needs the
extra `docs`.
"""

from __future__ import annotations

import argparse
import datetime
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import changelog
from slim import slim

ROOT = Path(__file__).parents[1]
# Each place that names the version: the text before it, and the text after it.
PLACES = {
    "pyproject.toml": ('\nversion = "', '"'),
    "minitape/__init__.py": ("+minitape.", '"'),
    "CITATION.cff": ("\nversion: ", "\n"),
    "tools/conda/recipe.yaml": ('  version: "', '"'),
    "docs/API.md": ("+minitape.", '"'),
}


class ReleaseError(Exception):
    """A release that cannot be made; the message says what to do first."""


def main() -> int:
    """Reads the command line, and makes the release or tries it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("version", help="such as 0.3.0; without it, the next minor", nargs="?")
    parser.add_argument("--dry-run", action="store_true", help="in a clone that is thrown away")
    options = parser.parse_args()
    version = options.version or suggested()
    try:
        if not options.dry_run:
            if git(ROOT, "status", "--porcelain"):
                raise ReleaseError("the checkout has changes: commit them first")
            return release(ROOT, version)
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder, "minitape")
            git(ROOT, "clone", "--quiet", "--no-tags", str(ROOT), str(copy))
            return release(copy, version)
    except (ReleaseError, ValueError, subprocess.CalledProcessError) as error:
        print(f"release {version}: {error}", file=sys.stderr)
        return 1


def release(root: Path, version: str) -> int:
    """All steps of a release, in a clean checkout."""
    before = current(root)
    if order(version) < order(before):
        raise ReleaseError(f"{before} is the version already; choose a later one")
    due = [
        name for name, each in deprecations(root).items() if order(each["until"]) <= order(version)
    ]
    if due:
        raise ReleaseError(f"remove what was to go before {version}: {', '.join(due)}")

    step("version")
    set_version(root, version)
    step("changelog")
    files = changelog.fragments(root / "changes")
    wrong = [fault for file in files for fault in changelog.faults(file)]
    if wrong:
        raise ReleaseError("\n".join(wrong))
    page = root / "CHANGELOG.md"
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    text = changelog.released(page.read_text("utf-8"), version, today, changelog.section(files))
    page.write_text(text, "utf-8")
    for file in files:
        file.unlink()
    step("build")
    with tempfile.TemporaryDirectory() as made:
        run(root, "-m", "build", "--no-isolation", "--outdir", made)
        packages = sorted(Path(made).iterdir())
        wheel = next(each for each in packages if each.suffix == ".whl")
        slim(wheel)
        step("check")
        run(root, "-m", "twine", "check", "--strict", *map(str, packages))
        for package in packages:
            print(f"{package.name}: {package.stat().st_size / 1e6:.2f} MB")
        check_installed(wheel, version)
    step("tag")
    git(root, "add", "--update")
    git(root, "commit", "--quiet", "--message", f"Release {version}")
    git(root, "tag", "--annotate", f"v{version}", "--message", f"minitape {version}")
    print(f"v{version} is tagged. To publish it: git push --follow-tags")
    return 0


def check_installed(wheel: Path, version: str) -> None:
    """Runs the installed wheel in an environment of its own, beside a user's own `viz.py`."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        venv.create(place / "env", with_pip=True)
        python = place / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
        subprocess.check_call([python, "-m", "pip", "install", "--quiet", str(wheel)])
        (place / "viz.py").write_text("raise SystemExit('this is the user\\'s own module')\n")
        command = [python, "-m", "minitape"]
        said = subprocess.check_output([*command, "--version"], cwd=place, text=True)
        if said.strip() != f"minitape {version}":
            raise ReleaseError(f"the installed command says {said!r}")
        subprocess.check_call([*command, "demo", "--out", "demo.html"], cwd=place)


def set_version(root: Path, version: str) -> None:
    """Writes the version to all places that name it."""
    before = current(root)
    for name, (head, tail) in PLACES.items():
        text = (root / name).read_text("utf-8")
        if text.count(f"{head}{before}{tail}") != 1:
            raise ReleaseError(f"{name} does not name {before} once after {head.strip()!r}")
        new = text.replace(f"{head}{before}{tail}", f"{head}{version}{tail}")
        (root / name).write_text(new, "utf-8")


def current(root: Path) -> str:
    """The version of a checkout."""
    return str(project(root)["project"]["version"])


def deprecations(root: Path) -> dict[str, dict[str, str]]:
    """What still works, since which version it need not, and until which it does."""
    table: dict[str, dict[str, str]] = project(root)["tool"]["minitape"]["deprecations"]
    return table


def project(root: Path) -> dict:
    """What pyproject.toml says."""
    return tomllib.loads((root / "pyproject.toml").read_text("utf-8"))


def order(version: str) -> tuple[int, ...]:
    """What versions are compared by."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise ReleaseError(f"{version!r} is not a version: write three numbers, such as 0.3.0")
    return tuple(map(int, version.split(".")))


def suggested() -> str:
    """This version, if its section of the changelog has no date yet; otherwise the next minor."""
    version = current(ROOT)
    if f"## {version} (not released)" in (ROOT / "CHANGELOG.md").read_text("utf-8"):
        return version
    major, minor, _ = order(version)
    return f"{major}.{minor + 1}.0"


def step(name: str) -> None:
    """Says which part begins."""
    print(f"\n##### {name}", flush=True)


def run(root: Path, *words: str) -> None:
    """Runs a module of this Python in a checkout."""
    subprocess.check_call([sys.executable, *words], cwd=root)


def git(root: Path, *words: str) -> str:
    """What a command of git prints."""
    done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ReleaseError(f"git {words[0]}: {done.stderr.strip()}")
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
