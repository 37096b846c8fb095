"""Programs of users pass strict type checkers, which find names that there are not."""

from __future__ import annotations

import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import minitape as tf
import stubs
from minitape import viz
from minitape.keras.configs import WithoutConfig

ROOT = Path(tf.__file__).parent.parent
PROGRAMS = sorted((ROOT / "tests" / "typed").glob("*.py"))
# The packages themselves are checked elsewhere, by rules of their own.
OURS = "[mypy-minitape.*,viz.*]\nignore_errors = true\n"
# Every tensor has these at run time, in order to say that only a variable's part can be assigned.
ONLY_OF_PARTS = {"assign", "assign_add", "assign_sub"}
# And these say that there is no such thing, or what it is called.
ONLY_WORDS = [vars(WithoutConfig)["get_config"], vars(tf.keras.metrics.Metric)["reset_states"]]


def mypy(folder: Path) -> str:
    if not find_spec("mypy"):
        pytest.skip("needs mypy")
    (folder / "mypy.ini").write_text(
        f"[mypy]\nstrict = true\nmypy_path = {ROOT}\n{OURS}", encoding="utf-8"
    )
    cache = f"--cache-dir={folder / 'cache'}"
    command = [sys.executable, "-m", "mypy", cache, "--no-color-output", "."]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout


def pyright(folder: Path) -> str:
    if not shutil.which("pyright"):
        pytest.skip("needs pyright")
    (folder / "pyrightconfig.json").write_text(
        '{"typeCheckingMode": "strict", "reportUnusedExpression": false}'
    )
    command = ["pyright", "--pythonpath", sys.executable]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout


both = pytest.mark.parametrize("checker", [mypy, pyright])


def complaints(checker: Any, folder: Path) -> dict[str, list[str]]:
    """What a checker says of the programs of a folder, by their lines."""
    said: dict[str, list[str]] = {}
    text = checker(folder)
    for where, line, what in re.findall(r"^ *(\S+\.py):(\d+).*?error: (.*)$", text, re.MULTILINE):
        code = Path(folder, where).read_text(encoding="utf-8").splitlines()[int(line) - 1]
        said.setdefault(code.strip(), []).append(what)
    assert said or "Success" in text or "0 errors" in text, text
    return said


def fresh(code):
    """What code prints in a process of its own: other tests declare ops with public names."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")])}
    command = [sys.executable, "-X", "utf8", "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, check=True)
    return done.stdout.decode("utf-8")


def test_the_stubs_are_up_to_date():
    code = "import json, stubs; print(json.dumps({str(p): t for p, t in stubs.stubs().items()}))"
    places = {stubs.PACKAGE / "__init__.pyi", *(stubs.PACKAGE / "api").glob("*.pyi")}
    written = {str(place): place.read_text(encoding="utf-8") for place in places}
    assert written == json.loads(fresh(code)), "run `python tests/stubs.py`, look at what changed"


@both
@pytest.mark.slow
@pytest.mark.takes_turns
def test_programs_pass_strictly(checker, tmp_path):
    for program in PROGRAMS:
        shutil.copy(program, tmp_path)
    assert complaints(checker, tmp_path) == {}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_these_programs_run(program, tmp_path):
    run = subprocess.run(
        [sys.executable, program],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr


@both
@pytest.mark.slow
@pytest.mark.takes_turns
def test_every_public_name_and_attribute_is_known(checker, tmp_path):
    # A process of its own: other tests declare ops, whose public names are in `tf` from then on.
    found = {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"}
    run = subprocess.run([sys.executable, __file__], env=found, capture_output=True, text=True)
    lines = run.stdout.splitlines()
    (tmp_path / "names.py").write_text(run.stdout, encoding="utf-8")
    assert len(lines) > 1500
    assert complaints(checker, tmp_path) == {}


@both
@pytest.mark.slow
@pytest.mark.takes_turns
def test_names_that_there_are_not_are_found(checker, tmp_path):
    wrong = [
        "tf.Variabel(1.0)",
        "tf.math.sinn(1.0)",
        "tf.nn.rellu(1.0)",
        "tf.linalg.dett([[1.0]])",
        "tf.keras.layers.Dens(1)",
        "tf.keras.optimizers.Adm()",
        "tf.compat.v1.Sesion()",
        "tf.constant(1.0).nunpy()",
        "tf.Variable(1.0).asign(2.0)",
        "(tf.constant(1.0) * 2.0).shappe",
        "tf.reduce_sum([1.0], axsi=0)",
        "tf.GradientTape(persistant=True)",
        "tf.sin(object())",
        "viz.stepp",
    ]
    program = "\n".join(["import minitape as tf", "from minitape import viz", *wrong])
    (tmp_path / "wrong.py").write_text(program, encoding="utf-8")
    assert list(complaints(checker, tmp_path)) == wrong


def uses(module: ModuleType, path: str, seen: set[int]) -> list[str]:
    """A line of Python for each public name of a module, and for each attribute of a class."""
    lines = []
    for name in public_names(module):
        value = getattr(module, name)
        lines.append(f"{path}.{name}")
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, ModuleType):
            lines += uses(value, lines[-1], seen)
        elif inspect.isclass(value):
            attributes = [name for name in dir(value) if name[0] != "_"]
            known = [f"    x.{each}" for each in attributes if is_for_users(value, each)]
            lines += [
                f"def use_{len(seen)}_{name}(x: {path}.{name}) -> None:",
                *known,
                "    print(x)",
            ]
    return lines


def public_names(module: ModuleType) -> list[str]:
    return [name for name in dir(module) if name[0] != "_"]


def is_for_users(kind: type, attribute: str) -> bool:
    if inspect.getattr_static(kind, attribute) in ONLY_WORDS:
        return False
    return kind is not tf.Tensor or attribute not in ONLY_OF_PARTS


if __name__ == "__main__":
    print("import minitape as tf", "from minitape import viz", sep="\n")
    print(*uses(tf, "tf", set()), *uses(viz, "viz", set()), sep="\n")
