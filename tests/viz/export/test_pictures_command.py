"""`minitape step FILE --out steps.pdf` saves pictures of a script's steps."""

from __future__ import annotations

from pathlib import Path

import pytest

from minitape.__main__ import main

SCRIPT = """
import minitape as tf
x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(x * x)
tape.gradient(loss, x)
"""


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    (tmp_path / "lesson.py").write_text(SCRIPT)
    monkeypatch.chdir(tmp_path)

    def ran(*arguments: str) -> tuple[int, str]:
        try:
            code = main(["step", "lesson.py", *arguments])
        except SystemExit as end:
            code = int(end.code or 0)
        caught = capsys.readouterr()
        return code, caught.out + caught.err

    return ran


def test_the_ending_of_the_file_says_what_is_saved(run):
    code, said = run("--out", "a.svg", "--step", "1", "--at", "1,0", "--show", "sentence,proof")
    assert code == 0
    assert said.startswith("a.svg: gradient of loss with respect to x")
    drawn = Path("a.svg").read_text("utf-8")
    assert "[1, 0]: " in drawn
    assert 'aria-label="graph"' not in drawn
    assert run("--out", "a.tex", "--step", "2", "--width", "90mm", "--theme", "grey")[0] == 0
    assert "tikzpicture" in Path("a.tex").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--out", "a.jpeg"), "which no export writes; end in .html"),
        (("--step", "1"), "--step is for pictures of steps"),
        (("--out", "a.svg"), "a .svg shows one step and none was named"),
        (("--out", "a.svg", "--step", "40"), "there is no step 40"),
        (("--out", "a.svg", "--step", "1", "--at", "5,5"), "there is no element (5, 5)"),
        (("--out", "a.svg", "--step", "1", "--tape", "3"), "there is no tape 3"),
        (("--out", "a.svg", "--steps", "three"), "write 8:14"),
        (("--out", "a.svg", "--at", "x"), "write 3,0"),
    ],
)
def test_what_cannot_be_saved_is_said_in_a_line_and_leaves_no_file(run, arguments, message):
    code, said = run(*arguments)
    assert code != 0
    assert message in said
    assert "Traceback" not in said
    assert [path.name for path in Path.cwd().iterdir()] == ["lesson.py"]
