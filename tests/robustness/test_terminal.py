"""The command line on terminals and pipes of every kind, and scripts that move about."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from embedded import embedded

pytestmark = pytest.mark.slow  # each starts processes
SCRIPT = (
    "import minitape as tf\nx = tf.Variable(3.0)\n"
    "with tf.GradientTape() as tape:\n    y = x * x\ntape.gradient(y, x)\n"
)
COMMAND = [sys.executable, "-m", "minitape"]
ASCII = {"PYTHONIOENCODING": "ascii"}
C = {"LC_ALL": "C"}
OLD_C = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}


def run(*words, here, **options):
    """A finished command: its exit code, and what it wrote."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    options["env"] = os.environ | options.pop("env", {})
    return subprocess.run([*COMMAND, *words], cwd=here, **options)


def through_shell(line, here):
    """A line for the shell, in which $MINITAPE is the command."""
    env = os.environ | {"MINITAPE": " ".join(COMMAND)}
    return subprocess.run(["bash", "-c", line], cwd=here, env=env, capture_output=True)


@pytest.mark.parametrize("env", [{}, ASCII, C, OLD_C], ids=["", "ascii", "C", "C, not coerced"])
@pytest.mark.parametrize("name", ["lektion_zähl.py", "教程.py", "a\u202eb.py", "𝔵 y.py"])
def test_a_script_s_name_may_be_one_that_the_terminal_cannot_show(name, env, tmp_path):
    (tmp_path / name).write_text(SCRIPT, "utf-8")
    done = run("step", os.fsencode(name), here=tmp_path, env=env)
    assert (done.returncode, done.stderr) == (0, b"")
    page = tmp_path / name.replace(".py", "-steps.html")
    assert page.stat().st_size > 1000
    assert b"open it in any browser" in done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="file names are UTF-8 there")
@pytest.mark.parametrize("env", [{}, ASCII, C])
def test_a_script_s_name_may_be_no_text_at_all(env, tmp_path):
    Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), b"bad\xff.py"))).write_text(SCRIPT)
    done = run("step", b"bad\xff.py", here=tmp_path, env=env)
    assert (done.returncode, done.stderr) == (0, b"")
    assert any(name.startswith(b"bad\xff-steps") for name in os.listdir(os.fsencode(tmp_path)))


@pytest.mark.parametrize("env", [{}, ASCII, C, OLD_C])
@pytest.mark.parametrize("words", [["step", "中.py"], ["tutorials", "中"]])
def test_a_complaint_may_name_what_the_terminal_cannot_show(words, env, tmp_path):
    done = run(*map(os.fsencode, words), here=tmp_path, env=env)
    assert done.returncode == 2
    assert done.stderr.startswith(b"minitape: ")
    assert done.stderr.count(b"\n") == 1


# Pipes that close early, disks that are full, no standard output at all.


@pytest.mark.parametrize("words", [
    "step lesson.py", "tutorials --list", "demo", "--help", "--version", "step --help",
])  # fmt: skip
@pytest.mark.parametrize("reader", ["head -n 1", "head -c 0", "true"])
def test_a_reader_who_leaves_early_is_no_failure(words, reader, tmp_path):
    (tmp_path / "lesson.py").write_text(SCRIPT)
    done = through_shell(f"$MINITAPE {words} | {reader}; exit ${{PIPESTATUS[0]}}", tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    page = {"step lesson.py": "lesson-steps.html", "demo": "minitape-demo.html"}.get(words)
    assert page is None or (tmp_path / page).stat().st_size > 1000


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize("words", ["step lesson.py", "tutorials --list", "demo"])
def test_a_full_disk_behind_the_output_is_one_line_and_costs_no_page(words, tmp_path):
    (tmp_path / "lesson.py").write_text(SCRIPT)
    done = through_shell(f"$MINITAPE {words} > /dev/full", tmp_path)
    said = b"minitape: cannot print to the standard output: No space left on device\n"
    assert (done.returncode, done.stderr) == (2, said)
    page = {"step lesson.py": "lesson-steps.html", "demo": "minitape-demo.html"}.get(words)
    assert page is None or (tmp_path / page).stat().st_size > 1000


@pytest.mark.parametrize("words", ["step lesson.py", "tutorials --list", "--help"])
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_outputs_are_no_failure(words, closed, tmp_path):
    (tmp_path / "lesson.py").write_text(SCRIPT)
    done = through_shell(f"$MINITAPE {words} {closed}", tmp_path)
    assert done.returncode == 0
    assert done.stderr == b"" or words == "--help"  # where there is no output, help goes there
    assert words != "step lesson.py" or (tmp_path / "lesson-steps.html").stat().st_size > 1000


def test_with_all_outputs_closed_what_cannot_be_done_has_code_2(tmp_path):
    assert through_shell("$MINITAPE step nothing.py >&- 2>&-", tmp_path).returncode == 2


def test_a_script_may_close_its_output(tmp_path):
    (tmp_path / "lesson.py").write_text("import sys\nsys.stdout.close()\n" + SCRIPT)
    done = run("step", "lesson.py", here=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (tmp_path / "lesson-steps.html").exists()


@pytest.mark.parametrize("rest", ["| true", "> /dev/full"])
def test_a_script_that_cannot_print_is_one_line_in_words(rest, tmp_path):
    (tmp_path / "lesson.py").write_text("for i in range(100_000):\n    print(i)\n")
    done = through_shell(f"$MINITAPE step lesson.py {rest}; exit ${{PIPESTATUS[0]}}", tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(b"minitape: lesson.py, line 2: ")
    assert done.stderr.count(b"\n") == 1
    assert b"[Errno" not in done.stderr


def test_an_interrupted_command_is_one_line_and_writes_nothing(tmp_path):
    (tmp_path / "lesson.py").write_text("print('ready', flush=True)\nwhile True:\n    pass\n")
    command = [*COMMAND, "step", "lesson.py"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=tmp_path, **pipes) as running:
        assert running.stdout.readline() == b"ready\n"
        time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        said = running.stderr.read()
    assert (running.returncode, said) == (130, b"minitape: interrupted; no page was written\n")
    assert [each.name for each in tmp_path.iterdir()] == ["lesson.py"]


# Scripts that go to another folder.


@pytest.mark.parametrize("out", [[], ["--out", "page.html"], ["--out", "pages/page.html"]])
def test_a_script_that_goes_elsewhere_does_not_take_its_page_along(out, tmp_path):
    (tmp_path / "pages").mkdir()
    moving = "import os\nos.makedirs('away/pages')\nos.chdir('away')\n"
    (tmp_path / "lesson.py").write_text(moving + SCRIPT)
    done = run("step", "lesson.py", *out, here=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    page = tmp_path / (out[1] if out else "lesson-steps.html")
    # The lines of the script were found.
    assert "y = x * x" in json.dumps(embedded(page.read_text("utf-8")))
    assert not any(path.is_file() for path in (tmp_path / "away").rglob("*"))


def test_a_script_that_removes_the_folder_it_came_from_is_told_of(tmp_path):
    place = tmp_path / "place"
    place.mkdir()
    removing = "import os, shutil\nhere = os.getcwd()\nos.chdir('/')\nshutil.rmtree(here)\n"
    (place / "lesson.py").write_text(removing + SCRIPT)
    done = run("step", "lesson.py", here=place)
    assert done.returncode == 2
    assert done.stderr.startswith(b"minitape: cannot write ")
    assert b"does not exist; create it first" in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_a_script_finds_its_own_name_as_it_was_given(tmp_path):
    (tmp_path / "lesson.py").write_text(
        "import os, sys\nprint(sys.argv[0], os.path.isabs(__file__))\n" + SCRIPT
    )
    assert run("step", "lesson.py", here=tmp_path).stdout.startswith(b"lesson.py True\n")
