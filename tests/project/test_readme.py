"""The README: its code runs, prints what it says, and what it claims is so."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import minitape as tf
from minitape import viz
from minitape.__main__ import main

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
PAGES = [
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "docs/developers/index.md",
    "docs/howto/index.md",
    "docs/ARCHITECTURE.md",
    "tutorials/README.md",
]
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
MARK = "-- next block --"


def test_the_code_prints_what_the_page_says(tmp_path):
    """All blocks one after the other, in a process of their own: one of them declares an op."""
    blocks = [text for language, text in BLOCKS if language == "python"]
    outputs = [text for language, text in BLOCKS if language == "text"]
    program = (
        "names = {}\n"
        f"for block in {blocks!r}:\n"
        f"    exec(compile(block, 'README.md', 'exec', dont_inherit=True), names)\n"
        f"    print({MARK!r})\n"
    )
    command = [
        sys.executable,
        "-X",
        "utf8",
        "-c",
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{program}",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8")
    assert done.stderr == ""
    assert done.stdout.split(f"{MARK}\n")[:-1] == outputs


def test_every_python_block_is_followed_by_what_it_prints():
    languages = [language for language, _ in BLOCKS if language != "sh"]
    assert languages == ["python", "text"] * (len(languages) // 2)


def test_the_picture_is_the_one_that_the_first_block_draws(capsys):
    drawn = runpy.run_path(str(ROOT / "docs" / "picture.py"))["picture"]()
    kept = (ROOT / "docs" / "tape.svg").read_text("utf-8")
    again = "draw it anew with `python docs/picture.py`, and look at it"
    assert re.findall(r">([^<>]+)</text", kept) == re.findall(r">([^<>]+)</text", drawn), again
    assert kept.count("<path") == drawn.count("<path"), again


def test_the_picture_of_a_step_is_what_the_line_beside_it_saves(tmp_path):
    drawn = runpy.run_path(str(ROOT / "docs" / "picture.py"))["step"](tmp_path / "step.svg")
    kept = (ROOT / "docs" / "step.svg").read_text("utf-8")
    assert kept == drawn, "draw it anew with `python docs/picture.py`, and look at it"
    assert '`player.save("step.svg", step=12)`' in README


def test_the_picture_and_both_commands_are_on_the_first_screen():
    head = README.splitlines()[:32]
    assert any("docs/tape.svg" in line for line in head)
    commands = [line for line in head if line.startswith("python3 -m venv ")]
    assert len(commands) == 2
    assert "demo" in commands[0]
    assert "pytest" in commands[1]


def test_the_two_commands_install_what_the_project_has():
    extras = set(re.findall(r"'\.\[(\w+)\]'", README))
    assert extras <= PROJECT["optional-dependencies"].keys()
    assert {"test", "viz", "notebook", "dev", "docs"} <= extras
    assert "minitape" in PROJECT["scripts"]


def test_the_page_is_one_screen():
    assert len(README.splitlines()) < 80


def test_the_line_that_saves_a_player_is_right(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(next(text for language, text in BLOCKS if language == "python"), names)
    line = re.search(r"`(player\.save\([^`]*)`", README)[1]
    eval(line, names)
    assert (tmp_path / "lesson.html").exists()


def test_the_number_of_examples_is_that_of_the_demo():
    from minitape.viz.course.guide import EXAMPLES

    assert f"opens {len(EXAMPLES)} small examples" in README


def test_the_script_commands_of_the_page_run(tmp_path, monkeypatch):
    step, explain = next(
        text for language, text in BLOCKS if text.startswith("minitape step")
    ).splitlines()
    monkeypatch.chdir(tmp_path)
    Path("lesson.py").write_text(
        "import minitape as tf\nx = tf.Variable(3.0)\n"
        "with tf.GradientTape() as tape:\n    y = x**2\n"
    )
    assert main(step.split()[1:]) == 0
    assert Path("lesson.html").exists()
    assert main(explain.split()[1:]) == 0


def test_the_pythons_named_are_those_of_the_project():
    named = re.findall(r"3\.\d+", README.split("You need Python ")[1].splitlines()[0])
    kind = "Programming Language :: Python :: "
    assert named == [
        c.removeprefix(kind) for c in PROJECT["classifiers"] if c.startswith(f"{kind}3.")
    ]
    assert PROJECT["requires-python"] == f">={named[0]}"


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_to_a_file(page):
    text, folder = (ROOT / page).read_text("utf-8"), (ROOT / page).parent
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", text)
    assert links
    assert [link for link in links if not (folder / link).exists()] == []


@pytest.mark.parametrize("name", ["GradientTape", "Variable", "custom_gradient"])
def test_what_is_said_to_be_like_tensorflow_is_there(name):
    assert hasattr(tf, name)


@pytest.mark.parametrize("name", ["saved_model", "distribute"])
def test_what_is_said_to_be_missing_is_missing(name):
    assert not hasattr(tf, name)


def test_dtypes_are_not_converted_behind_one_s_back():
    with pytest.raises((TypeError, ValueError)):
        tf.constant(1.0) + tf.constant(1)


def test_tensorflow_is_never_imported():
    code = "import sys, minitape, minitape.viz; dir(minitape); print('tensorflow' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True) == "False\n"


def test_asking_for_the_player_too_late_says_to_ask_before():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    with pytest.raises(RuntimeError, match=r"before tape\.gradient"):
        viz.step(tape, y, x)


def test_the_licence_is_the_one_named():
    assert PROJECT["license"] == "Apache-2.0"
    assert "Apache License" in (ROOT / "LICENSE").read_text()
