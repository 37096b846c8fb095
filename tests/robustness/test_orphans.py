"""Whatever ends `minitape explain` ends the process of its script too, and leaves no folder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SCRIPT = """import os, pathlib
pathlib.Path(os.environ["TMPDIR"], "pid").write_text(str(os.getpid()))
while True:
    pass
"""
HERE = str(Path(__file__).parents[2])


def until(holds, seconds):
    end = time.monotonic() + seconds
    while not (found := holds()) and time.monotonic() < end:
        time.sleep(0.02)
    return found


def is_running(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state not in "ZX"


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="asks /proc which processes run")
@pytest.mark.parametrize(
    ("name", "leaves_a_folder"), [("SIGHUP", False), ("SIGTERM", False), ("SIGKILL", True)]
)
def test_the_process_of_a_script_ends_with_its_command(tmp_path, name, leaves_a_folder):
    (tmp_path / "loop.py").write_text(SCRIPT)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    command = subprocess.Popen(
        [sys.executable, "-m", "minitape", "explain", "loop.py", "--limit", "60"],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(temporary), "PYTHONPATH": HERE},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        written = until(lambda: [each for each in temporary.rglob("pid") if each.read_text()], 60)
        assert written, "the script did not begin"
        script = int(written[0].read_text())
        assert is_running(script)
        command.send_signal(getattr(signal, name))
        code = command.wait(20)
    finally:
        command.kill()
    try:
        assert until(lambda: not is_running(script), 10), f"the script still runs after {name}"
    finally:
        if is_running(script):
            os.kill(script, signal.SIGKILL)
    number = getattr(signal, name)
    assert code == (-number if name == "SIGKILL" else 128 + number)
    assert bool(list(temporary.iterdir())) is leaves_a_folder


def test_a_script_that_is_explained_has_an_empty_input(tmp_path):
    text = "import sys\nassert sys.stdin.read() == ''\nprint('read')\nraise KeyError('the end')\n"
    (tmp_path / "reads.py").write_text(text)
    told = subprocess.run(
        [sys.executable, "-m", "minitape", "explain", "reads.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": HERE},
        input="something",
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "the end" in told.stdout + told.stderr
