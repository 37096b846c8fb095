"""`minitape explain`: exit codes, files, and scripts that must not do what they want to."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from minitape.__main__ import main

HEAD = "import numpy as np\nimport minitape as tf\nx = tf.Variable([1.0, -2.0, 3.0])\n"
MISTAKE = HEAD + (
    "with tf.GradientTape() as tape:\n"
    "    y = tf.reduce_sum(tf.constant(np.square(x.numpy())))\n"
    "g = tape.gradient(y, x)\n"
)
HEALTHY = MISTAKE.replace("tf.constant(np.square(x.numpy()))", "tf.square(x)")


def explained(tmp_path, text, *options):
    """The exit code for a script."""
    file = tmp_path / "script.py"
    file.write_text(text)
    code = main(["explain", str(file), *options])
    assert file.read_text() == text
    return code


def test_a_mistake_gives_exit_code_1_json_a_corrected_script_and_a_page(tmp_path, capsys):
    out, fixed, page = tmp_path / "out.json", tmp_path / "fixed.py", tmp_path / "page.html"
    options = ["--json", str(out), "--fix", str(fixed), "--out", str(page)]
    assert explained(tmp_path, MISTAKE, *options) == 1
    (entry,) = json.loads(out.read_text())
    assert set(entry) == {"cause", "line", "kind", "sentence", "mend"}
    assert (entry["line"], entry["kind"], entry["cause"]) == (5, "none", "numpy")
    assert fixed.read_text() == HEALTHY
    assert "[2, -4, 6]" in capsys.readouterr().out  # 2 x, from a calculus book
    assert "<script" not in page.read_text()
    assert page.read_text().count("<img") == 2


def test_a_tape_without_parentheses_is_told_how_it_is_made(tmp_path, capsys):
    fixed = tmp_path / "fixed.py"
    text = HEALTHY.replace("tf.GradientTape() as", "tf.GradientTape as")
    assert explained(tmp_path, text, "--fix", str(fixed)) == 1
    assert fixed.read_text() == HEALTHY
    said = capsys.readouterr().out
    assert "`tf.GradientTape` is the class" in said
    assert "[2, -4, 6]" in said  # 2 x


def test_a_healthy_script_gives_exit_code_0_and_an_empty_list(tmp_path):
    out = tmp_path / "out.json"
    assert explained(tmp_path, HEALTHY, "--json", str(out)) == 0
    assert json.loads(out.read_text()) == []


def test_the_corrected_script_is_never_written_over_the_input(tmp_path, capsys):
    assert explained(tmp_path, MISTAKE, "--fix", str(tmp_path / "script.py")) == 2
    assert "choose another name" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(
    "line, said",
    [
        ("while True: pass", "loop for ever"),
        ("answer = input('?')", "asks for input"),
        ("import os; os.fork()", "starts or ends other processes"),
        ("import subprocess; subprocess.run(['true'])", "starts or ends other processes"),
        ("import os; os.system('true')", "starts or ends other processes"),
        ("open('new.txt', 'w').write('x')", "writes the file 'new.txt'"),
        ("np.save('new.npy', np.ones(2))", "writes the file"),
        ("import os; os.remove(__file__)", "changes files"),
        ("import os; os.mkfifo('new')", "changes files (os.mkfifo)"),
        (
            "import multiprocessing as m; m.set_start_method('spawn'); m.Process().start()",
            "starts or ends other processes",
        ),
        (
            "from multiprocessing import shared_memory as s; s.SharedMemory(create=True, size=9)",
            "makes shared memory",
        ),
        ("import ctypes; ctypes.CDLL(None).system(b'touch new.txt')", "calls a C library"),
        ("import socket\nsocket.gethostbyname('localhost')", "uses the network"),
        ("import socket\nsocket.getnameinfo(('127.0.0.1', 80), 0)", "uses the network"),
        ("import socket\nsocket.socket().listen()", "uses the network"),
        (
            "import socket\nsocket.socket(type=2).sendmsg([b'a'], [], 0, ('127.0.0.1', 9))",
            "network",
        ),
        ("import os, signal\nsignal.pidfd_send_signal(os.pidfd_open(1), 0)", "other processes"),
        (
            "import os, tempfile\nhere = os.open('.', 0)\nos.chdir(tempfile.mkdtemp())\n"
            "os.close(os.open('new.txt', os.O_CREAT | os.O_WRONLY, dir_fd=here))",
            "writes the file 'new.txt'",
        ),
        (
            "import os, tempfile\nhere = os.open('.', 0)\nos.chdir(tempfile.mkdtemp())\n"
            "os.remove('script.py', dir_fd=here)",
            "changes files (os.remove)",
        ),
        ("import sqlite3\nsqlite3.connect('new.db')", "changes files (sqlite3.connect)"),
        ("import sys; sys.exit(3)", "it ends with exit code 3"),
        ("import os; os._exit(0)", "its process ended at once"),
        ("x = bytearray(10**12)", "MemoryError"),
        ("def f(): return f()\nf()", "RecursionError"),
        ("import shutil; shutil.rmtree('.')", "changes files"),
        ("def f(:", "no Python"),
        ("raise ValueError('no')", "line 4: ValueError: no"),
        ("import tensorflow", "write `import minitape as tf`"),
    ],
)
def test_what_cannot_be_run_is_one_line_and_changes_nothing(
    tmp_path, capsys, monkeypatch, line, said
):
    monkeypatch.chdir(tmp_path)
    assert explained(tmp_path, f"{HEAD}{line}\n", "--limit", "4") == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert [each.name for each in tmp_path.iterdir()] == ["script.py"]


def test_a_database_in_memory_and_temporary_folders_are_no_harm(tmp_path, capsys):
    lines = (
        "import os, sqlite3, tempfile\n"
        "for name in ':memory:', b':memory:', '', 'file::memory:', 'file:a?mode=memory&x=1':\n"
        "    database = sqlite3.connect(name, uri=True)\n"
        "    database.execute('create table t(a)')\n"
        "with tempfile.TemporaryDirectory() as folder:\n"
        "    os.makedirs(folder + '/a/b')\n    open(folder + '/a/b/c.txt', 'w').close()\n"
        "assert not os.path.exists(folder)\n"
    )
    assert explained(tmp_path, f"{HEAD}{lines}") == 0
    assert "changes files" not in capsys.readouterr().out


def test_what_a_library_does_when_it_is_imported_is_not_laid_to_the_script(tmp_path, capsys):
    (tmp_path / "fonts.py").write_text(
        "import subprocess\ntry:\n    subprocess.run(['fc-list'])\nexcept OSError:\n    pass\n"
    )
    assert explained(tmp_path, f"{HEAD}import fonts\nimport that_is_missing\n") == 2
    error = capsys.readouterr().err
    assert "ModuleNotFoundError: No module named 'that_is_missing'" in error
    assert "processes" not in error


def test_the_scripts_own_error_is_reported_although_something_was_refused_before(tmp_path, capsys):
    lines = "try:\n    open('w.txt', 'w')\nexcept OSError:\n    pass\ntf.reshape([1.0], [2])\n"
    assert explained(tmp_path, f"{HEAD}{lines}") == 2
    assert "InvalidArgumentError" in capsys.readouterr().err


def test_one_thread_writes_the_answer_and_the_others_are_heard(tmp_path):
    heard = subprocess.run([sys.executable, "-c", THREADS, str(tmp_path)], capture_output=True)
    assert heard.stdout.split() == [b"mine", b"refused"], heard.stderr


THREADS = """
import sys, threading
from pathlib import Path
from minitape.viz.diagnosis.trial.guard import Guard
place = Path(sys.argv[1])
(place / "scratch").mkdir()
guard = Guard("script.py", place / "scratch")
guard.start()
def other():
    try:
        open(place / "other.txt", "w")
        print("written")
    except PermissionError:
        print("refused")
with guard.passing():
    open(place / "mine.txt", "w").close()
    print("mine")
    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
"""


def test_arguments_and_files_beside_the_script_are_there(tmp_path):
    (tmp_path / "data.txt").write_text("2.0")
    text = HEAD + (
        "import sys, pathlib\n"
        "scale = float((pathlib.Path(__file__).parent / 'data.txt').read_text())\n"
        "assert sys.argv[1:] == ['a', '--b']\n"
        "with tf.GradientTape() as tape:\n    y = scale * x\ng = tape.gradient(y, x)\n"
    )
    assert explained(tmp_path, text, "--", "a", "--b") == 0


def test_findings_before_a_script_is_stopped_are_told(tmp_path, capsys):
    assert explained(tmp_path, MISTAKE + "open('w.txt', 'w')\n") == 1
    said = capsys.readouterr().out
    assert "leaves for NumPy" in said
    assert "writes the file 'w.txt'" in said


def test_an_unused_variable_among_several_sources_is_told_unless_the_script_expects_none(
    tmp_path, capsys
):
    unused = HEAD + (
        "b = tf.Variable(0.5)\n"
        "with tf.GradientTape() as tape:\n    y = tf.reduce_sum(x * x)\n"
        "g = tape.gradient(y, [x, b])\n"
    )
    assert explained(tmp_path, unused) == 1
    assert "`b` is not used" in capsys.readouterr().out
    assert explained(tmp_path, unused + "g = [each for each in g if each is not None]\n") == 0


def test_a_variable_of_another_loss_of_a_persistent_tape_is_no_finding(tmp_path):
    two_losses = HEAD + (
        "b = tf.Variable(0.5)\n"
        "with tf.GradientTape(persistent=True) as tape:\n"
        "    y = tf.reduce_sum(x * x)\n    z = b * b\n"
        "g = tape.gradient(y, [x, b])\n"
    )
    assert explained(tmp_path, two_losses) == 0
    assert explained(tmp_path, two_losses + "b.assign_sub(0.1 * g[1])\n") == 1


@pytest.mark.parametrize(
    "content, said",
    [
        (b'x = "\xff\xfe"\n', "is no Python"),
        (b"\x00\x01", "is no Python"),
        (b"x = = 1\n", "line 1"),
    ],
)
def test_bytes_that_are_no_python_are_one_line(tmp_path, capsys, content, said):
    file = tmp_path / "script.py"
    file.write_bytes(content)
    assert main(["explain", str(file)]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert file.read_bytes() == content


@pytest.mark.parametrize("text", ["", "print('y' * 2_000_000)\n", "import sys; sys.exit()\n"])
def test_a_script_that_asks_for_no_gradient_is_told_so(tmp_path, capsys, text):
    file = tmp_path / "script.py"
    file.write_text(text)
    assert main(["explain", str(file)]) == 0
    assert capsys.readouterr().out == (
        "script.py: it asks for no gradient, so there is nothing to look at.\n"
    )


def test_a_refusal_that_a_script_lives_with_is_no_error(tmp_path, capsys):
    lives = HEAD + "try:\n    open('new.txt', 'w')\nexcept OSError:\n    pass\n"
    assert explained(tmp_path, lives) == 0
    assert not (tmp_path / "new.txt").exists()
    assert "writes the file 'new.txt'" in capsys.readouterr().out  # it is said all the same


def test_a_variable_of_a_branch_that_was_not_taken_is_no_finding(tmp_path):
    branches = HEAD + (
        "b = tf.Variable(0.5)\n"
        "with tf.GradientTape() as tape:\n"
        "    y = tf.reduce_sum(x * x) if x[0] > 0.0 else b * b\n"
        "g = tape.gradient(y, [x, b])\n"
    )
    assert explained(tmp_path, branches) == 0


def test_a_missing_rule_is_told_where_the_script_fails_because_of_it(tmp_path):
    out = tmp_path / "out.json"
    text = HEAD + (
        "image = tf.Variable([[[0.2, 0.4, 0.6]]])\n"
        "with tf.GradientTape() as tape:\n"
        "    bright = tf.image.adjust_contrast(image, 1.5)\n"
        "g = tape.gradient(bright, image)\n"
    )
    assert explained(tmp_path, text, "--json", str(out)) == 1
    (entry,) = json.loads(out.read_text())
    assert (entry["line"], entry["cause"]) == (6, "no_rule")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["curve.png", "curve.svg", "curve.pdf"])
def test_a_picture_that_the_script_saves_stops_nothing_and_is_not_written(
    tmp_path, monkeypatch, name
):
    monkeypatch.chdir(tmp_path)
    text = MISTAKE.split("with")[0] + (
        "import matplotlib.pyplot as plt\n"
        f"plt.plot(x.numpy())\nplt.savefig({name!r})\nplt.savefig('also_' + {name!r})\n"
        "with tf.GradientTape() as tape:\n    y = tf.constant(np.sum(x.numpy()))\n"
        "g = tape.gradient(y, x)\n"
    )
    out = tmp_path / "out.json"
    assert explained(tmp_path, text, "--json", str(out)) == 1
    assert [entry["line"] for entry in json.loads(out.read_text())] == [9]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["out.json", "script.py"]


@pytest.mark.slow
def test_a_function_of_the_scripts_own_called_savefig_may_not_write(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = HEAD + "def savefig(name):\n    open(name, 'w').write('x')\nsavefig('new.png')\n"
    assert explained(tmp_path, text) == 2
    assert "writes the file 'new.png'" in capsys.readouterr().err
    assert [each.name for each in tmp_path.iterdir()] == ["script.py"]
