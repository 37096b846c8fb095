"""Wheels are made of what is installed, without a build tool."""

from __future__ import annotations

import base64
import hashlib
import io
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import minitape
from minitape import viz
from minitape.viz.classroom.wheels import own_wheel, repacked
from minitape.viz.errors import ClassroomError

PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
import minitape as tf
from minitape import viz
assert sys.argv[1] in tf.__file__ and sys.argv[1] in viz.__file__
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x * x
player = viz.step(tape, y, x)
page = player._repr_mimebundle_()["text/html"]
player.save("page.html")
print(float(tape.gradient(y, x)), len(page) > 1000)
"""


EXPLAINED = """
import sys
sys.path.insert(0, sys.argv[1])
import minitape as tf
from minitape import viz
x = tf.Variable(3.0)
with viz.recording(), tf.GradientTape() as tape:
    y = tf.constant(x.numpy()) * 2.0
assert tape.gradient(y, x) is None
print(viz.explain(tape, y, x))
w = tf.Variable([0.0, 1.0])
with viz.recording(), tf.GradientTape() as tape:
    loss = tf.reduce_sum(tf.sqrt(w))
print(viz.check(tape, loss, w))
import minitape.viz.diagnosis.kinds.engine
"""


PAGES = (
    "deck",
    "formulas",
    "pages",
    "running",
    "shell",
    "slides",
)  # of a course, which commands make


def names_in(content: bytes) -> list[str]:
    return zipfile.ZipFile(io.BytesIO(content)).namelist()


@pytest.mark.slow
def test_a_program_runs_from_the_wheel_alone(tmp_path):
    wheel = own_wheel(["numpy"])
    place = tmp_path / "unpacked"
    zipfile.ZipFile(io.BytesIO(wheel.content)).extractall(place)
    command = [sys.executable, "-c", PROGRAM, str(place)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout == "6.0 True\n", done.stderr
    assert "<!doctype html>" in (tmp_path / "page.html").read_text("utf-8")


@pytest.mark.slow
def test_a_gradient_is_explained_from_the_wheel_alone(tmp_path):
    place = tmp_path / "unpacked"
    zipfile.ZipFile(io.BytesIO(own_wheel(["numpy"]).content)).extractall(place)
    (tmp_path / "explained.py").write_text(EXPLAINED)
    command = [sys.executable, "explained.py", str(place)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.stderr == ""
    assert "numpy" in done.stdout
    assert "infinite" in done.stdout or "∞" in done.stdout


def test_every_module_is_there_but_the_frameworks_and_the_commands_that_make_pages():
    engine, viewer = Path(minitape.__file__).parent, Path(viz.__file__).resolve().parent
    found = {Path("viz", path.relative_to(viewer)) for path in viewer.rglob("*.py")}
    found |= {path.relative_to(engine) for path in engine.rglob("*.py")}
    left_out = {
        "classroom",
        "commands",
        "tutorials",
        "node_modules",
        "doctor",
        "teaching",
        "jaxprs",
    }
    frameworks = ("torch", "jax", "tensorflow.", "tensorflow_")  # none of them is in a browser
    left_out |= {each.name for each in found if each.name.startswith(frameworks)}
    pages = {Path("viz/course", f"{name}.py") for name in PAGES}
    wanted = {
        f"minitape/{each.as_posix()}" for each in found - pages if left_out.isdisjoint(each.parts)
    }
    missing = wanted - set(names_in(own_wheel([]).content))
    assert {name for name in missing if not name.startswith("minitape/viz/diagnosis/")} == set()


def test_the_wheel_is_slim_and_the_same_each_time():
    wheel = own_wheel(["numpy"])
    assert wheel == own_wheel(["numpy"])
    assert len(wheel.content) < 1_620_000
    assert not [
        name for name in names_in(wheel.content) if name.endswith((".ipynb", ".pyi", ".pyc"))
    ]


def test_the_lock_files_entry_fits_the_wheel():
    wheel = own_wheel(["NumPy"])
    entry = wheel.entry
    assert entry["sha256"] == hashlib.sha256(wheel.content).hexdigest()
    assert (entry["imports"], entry["depends"]) == (["minitape"], ["numpy"])
    assert entry["file_name"] == wheel.file_name and wheel.file_name.endswith("-py3-none-any.whl")


def test_the_list_of_files_in_the_wheel_has_each_ones_hash():
    archive = zipfile.ZipFile(io.BytesIO(own_wheel([]).content))
    (record,) = [name for name in archive.namelist() if name.endswith("/RECORD")]
    rows = dict(line.split(",", 1) for line in archive.read(record).decode().splitlines())
    assert list(rows) == archive.namelist()
    digest = hashlib.sha256(archive.read("minitape/tape.py")).digest()
    assert rows["minitape/tape.py"].split(",")[0] == "sha256=" + base64.urlsafe_b64encode(
        digest
    ).decode().rstrip("=")


def test_an_installed_package_is_packed_again_without_what_is_compiled():
    wheel = repacked("psygnal", [])
    names = names_in(wheel.content)
    assert "psygnal/__init__.py" in names and wheel.entry["imports"] == ["psygnal"]
    assert not [name for name in names if name.endswith((".so", ".pyd", ".pyc"))]


def test_a_package_that_is_not_installed_is_named_with_the_extra():
    with pytest.raises(ClassroomError, match=r"'no-such-thing' is not installed.*minitape\[site\]"):
        repacked("no-such-thing", [])
