"""The repository as a whole: its versions, its files, what it ships and what its examples say."""

from __future__ import annotations

import ast
import bz2
import doctest
import importlib
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

from minitape.viz.course.course import unpacked
from minitape.viz.player.program import program
from rows import failing

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
TOP_LEVEL = {
    ".pre-commit-config.yaml",
    ".ci",
    ".gitignore",
    "CHANGELOG.md",
    "CITATION.cff",
    "CODE_OF_CONDUCT.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "README.md",
    "changes",
    "docs",
    "mkdocs.yml",
    "minitape",
    "pyproject.toml",
    "tests",
    "tools",
    "tutorials",
    "viz",
}
# Folders of one machine, and the hosts that packages come from.
PRIVATE = re.compile(r"(?<!\w)/(work|tmp|root|home)/|pypi\.org|pythonhosted\.org|npmjs\.(org|com)")


def tracked() -> list[str]:
    """The files that the repository holds."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    if not shutil.which("git"):
        pytest.skip("needs git")
    git = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if git.returncode:  # as in a checkout of another user
        pytest.skip(git.stderr)
    return [name for name in git.stdout.split("\0") if (ROOT / name).is_file()]


def modules(package: str) -> list[str]:
    """The importable names of a package's files; a `__main__` is run, not imported."""
    found = (ROOT / package).rglob("*.py")
    files = (f.relative_to(ROOT).with_suffix("") for f in found if "node_modules" not in f.parts)
    names = (".".join(file.parts).removesuffix(".__init__") for file in files)
    above = "minitape." if package == "viz" else ""
    return sorted(above + name for name in names if not name.endswith("__main__"))


def test_the_package_and_the_citation_have_the_version_of_the_project():
    import minitape

    citation = (ROOT / "CITATION.cff").read_text()
    assert minitape.__version__ == f"2.21.0+minitape.{PROJECT['version']}"
    assert f"\nversion: {PROJECT['version']}\n" in citation


def test_the_top_level_holds_nothing_unexpected():
    top = {name.split("/")[0] for name in tracked()}
    assert top <= TOP_LEVEL | {name for name in top if name.startswith(".git")}


def test_no_file_names_a_machine_s_folder_or_a_package_host():
    found = [
        f"{name}: {match[0]}"
        for name in tracked()
        for match in PRIVATE.finditer((ROOT / name).read_text(errors="ignore"))
    ]
    assert not found


def test_importing_the_engine_imports_nothing_of_the_viewer():
    code = "import sys, minitape; print(*sys.modules)"
    loaded = set(subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True).split())
    assert not loaded & {
        "minitape.viz",
        "matplotlib",
        "graphviz",
        "ipywidgets",
        "anywidget",
        "IPython",
    }


@pytest.mark.parametrize(
    "call", ["scatter_add(tf.IndexedSlices([1.0], [0]))", "scatter_nd_update([[0]], [2.0])"]
)
def test_the_first_thing_that_a_program_does_may_be_a_method_of_a_variable(call):
    code = f"import minitape as tf; v = tf.Variable([1.0]); v.{call}; print(v.numpy())"
    made = subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True)
    assert made.strip() == "[2.]"


def test_importing_the_package_loads_no_op_and_no_tape():
    code = "import sys, minitape; print(*sys.modules)"
    loaded = set(subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True).split())
    assert not {name for name in loaded if name.startswith("minitape.ops")}
    assert not loaded & {"minitape.tape", "minitape.op", "minitape.record"}


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="asks a process of its own for each module")
@pytest.mark.takes_turns
def test_any_module_of_the_engine_can_be_the_first_that_is_imported():
    code = f"""
import os, numpy
for name in {modules("minitape")}:
    child = os.fork()
    if not child:
        try:
            __import__(name)
        except BaseException as error:
            print(name, repr(error), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""
    assert not subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True)


FOLDERS: dict[str, list[str]] = {}
for each in modules("minitape") + modules("viz"):
    FOLDERS.setdefault(each.rpartition(".")[0] or each, []).append(each)


@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS)
def test_the_examples_in_docstrings_are_true(folder, capsys):
    def are_true(name):
        failed = examples_that_fail(name)
        assert not failed, capsys.readouterr().out

    assert failing(are_true, {name: (name,) for name in FOLDERS[folder]}) == {}


def examples_that_fail(name):
    if name.startswith("minitape.viz.adapters."):
        for framework in ("torch", "jax", "tensorflow"):
            if name.startswith(f"minitape.viz.adapters.{framework}"):
                pytest.importorskip(framework, reason=f"{framework} is not installed here")
    if name in ("minitape.viz.diagnosis.sources.pytorch", "minitape.viz.diagnosis.trial.child"):
        pytest.importorskip("torch", reason="PyTorch is not installed here")
    of_jax = ("minitape.viz.jaxprs.", "minitape.viz.diagnosis.sources.jax")
    if name.startswith(of_jax) or name == "minitape.viz.diagnosis.trial.jax_child":
        pytest.importorskip("jax", reason="JAX is not installed here")
    module = importlib.import_module(name)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for test in Finder().find(module, name):
        runner.run(test)
    return runner.failures


class Finder(doctest.DocTestFinder):
    """Finds functions where they are written: what they have as `__module__` is where users do."""

    def _from_module(self, module, object):  # noqa: A002  # its name in doctest
        if inspect.isfunction(object):
            return inspect.unwrap(object).__globals__ is vars(module)
        return super()._from_module(module, object)


# What scripts are made with, and what a checkout tests itself with, do not travel.
TOOLS = {
    f"minitape/viz/{name}"
    for name in (
        *("player/eslint.config.mjs", "player/package.json", "player/tsconfig.json"),
        *("player/bundles/made_of.txt", "player/scene/scene.schema.json"),
        *("trace/trace.schema.json", "classroom/editor/README.md"),
        "classroom/editor/entry.js",
    )
}


def made_of() -> set[str]:
    """What bundles are made of, by its path within the viewer."""
    lines = (ROOT / "viz/player/bundles/made_of.txt").read_text().splitlines()
    paths = (os.path.normpath(f"player/{line.split()[1]}") for line in lines)
    return {Path(path).as_posix() for path in paths}


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """The wheel of this checkout."""
    pytest.importorskip("hatchling", reason="building a wheel needs hatchling (extra test)")
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.check_call(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)], cwd=ROOT
    )
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def wheel(built) -> set[str]:
    """The names of the files in the wheel."""
    with zipfile.ZipFile(built) as archive:
        return set(archive.namelist())


def test_the_wheel_is_small_and_its_lessons_have_no_outputs(built):
    assert built.stat().st_size < 2_400_000
    read = [book for name, book in texts(built).items() if name.endswith(".ipynb")]
    assert len(read) >= 13
    assert all(book["metadata"]["run_for_pages"] for book in read)  # so pages run them
    cells = [cell for book in read for cell in book["cells"]]
    assert len([cell for cell in cells if cell["cell_type"] == "code"]) > 200
    assert not [cell["id"] for cell in cells if cell.get("outputs")]


@pytest.mark.slow
def test_the_wheel_that_is_published_holds_the_same_files_in_under_2_3_megabytes(built, tmp_path):
    pytest.importorskip("zopfli", reason="packing a wheel again needs zopflipy (extra docs)")
    wheel = Path(shutil.copy(built, tmp_path))
    subprocess.check_call([sys.executable, ROOT / "tools/slim.py", wheel])
    assert wheel.stat().st_size < 2_300_000
    with zipfile.ZipFile(built) as before, zipfile.ZipFile(wheel) as after:
        assert after.testzip() is None
        assert {n: before.read(n) for n in before.namelist()} == {
            n: after.read(n) for n in after.namelist()
        }


def texts(built: Path) -> dict[str, Any]:
    """The texts of the tutorials in a wheel, which carries them in one file."""
    with zipfile.ZipFile(built) as archive:
        return unpacked(bz2.decompress(archive.read("minitape/tutorials/texts.json.bz2")))


def test_what_a_wheel_carries_of_a_lesson_is_the_lesson_without_what_its_cells_gave(built):
    for name, found in texts(built).items():
        text = (ROOT / "tutorials" / name).read_text("utf-8")
        if name.endswith(".ipynb"):
            lesson = json.loads(text)
            for cell in lesson["cells"]:
                if cell["cell_type"] == "code":
                    cell["outputs"], cell["execution_count"] = [], None
            lesson["metadata"]["run_for_pages"] = True
            assert found == lesson, name
        else:
            assert found == text, name


def test_a_build_makes_the_stubs_that_the_repository_does_not_hold(wheel):
    assert not [name for name in tracked() if name.startswith("minitape/api/")]
    assert {"minitape/__init__.pyi", "minitape/api/math.pyi", "minitape/api/nn.pyi"} <= wheel


def test_the_wheel_holds_every_file_of_engine_and_viewer(wheel):
    held = {name for name in tracked() if name.startswith("minitape/")}
    held |= {f"minitape/{name}" for name in tracked() if name.startswith("viz/")}
    sources = {f"minitape/viz/{name}" for name in made_of()}
    sources |= {name for name in held if name.startswith("minitape/viz/player/src/")}
    sources |= {"minitape/viz/classroom/editor/codemirror.js"}  # it comes compressed, as bundles do
    sources |= {
        n for n in held if n.startswith("minitape/viz/player/bundles/") and n.endswith(".js")
    }
    assert held - wheel == (sources | TOOLS) & held
    assert wheel.isdisjoint(sources)


def test_the_wheel_carries_the_editor_compressed_and_unchanged(built):
    with zipfile.ZipFile(built) as archive:
        packed = archive.read("minitape/viz/classroom/editor/codemirror.js.bz2")
    ours = (ROOT / "viz/classroom/editor/codemirror.js").read_bytes()
    assert bz2.decompress(packed) == ours


def test_what_a_wheel_has_unpacked_in_place_of_bundles_is_their_programs(built, tmp_path):
    with zipfile.ZipFile(built) as archive:
        archive.extractall(tmp_path)
    asks = "from minitape.viz.player.program import program; print(repr(program('player', 'film')))"
    done = subprocess.run(
        [sys.executable, "-c", asks], cwd=tmp_path, capture_output=True, text=True, check=True,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
    )  # fmt: skip
    assert ast.literal_eval(done.stdout) == program("player", "film")


def test_a_python_without_bz2_is_told_what_to_install(monkeypatch):
    from minitape.viz.player import program as module

    module._packed.cache_clear()
    monkeypatch.setitem(sys.modules, "bz2", None)
    with pytest.raises(ImportError, match=r"built without bz2. Install the package libbz2-dev"):
        module._packed()


def test_the_sdist_holds_every_file_of_the_repository(tmp_path):
    pytest.importorskip("hatchling", reason="building an sdist needs hatchling (extra test)")
    subprocess.check_call(
        [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(tmp_path)], cwd=ROOT
    )
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    assert set(tracked()) <= held
    assert "minitape/viz" not in held  # a link: archives are unpacked where there are none


def test_a_checkout_without_links_has_the_viewer_too(tmp_path):
    for name in ("minitape", "viz"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"),
                        symlinks=True)  # fmt: skip
    (tmp_path / "minitape" / "viz").unlink()
    (tmp_path / "minitape" / "viz").write_text("../viz")  # what git leaves in the link's place
    code = (
        "import minitape as tf; from minitape import viz; v = tf.Variable(3.0)\n"
        "with viz.recording(), tf.GradientTape() as tape: y = v * v\n"
        "print(viz.__file__, float(viz.step(tape, y, v).gradients))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )  # fmt: skip
    assert done.stdout.split() == [str(tmp_path / "viz" / "__init__.py"), "6.0"], done.stderr


def test_a_program_may_have_a_viz_of_its_own(tmp_path):
    (tmp_path / "viz.py").write_text("colour = 'mine'\n")
    (tmp_path / "lesson.py").write_text(
        "import viz\nfrom minitape import viz as viewer\nprint(viz.colour, viewer.__name__)\n"
    )
    done = subprocess.run(
        [sys.executable, "lesson.py"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout == "mine minitape.viz\n", done.stderr


def test_import_viz_in_a_checkout_says_what_to_write():
    done = subprocess.run(
        [sys.executable, "-c", "import viz"], cwd=ROOT, capture_output=True, text=True
    )
    assert "write `from minitape import viz`" in done.stderr


def test_the_wheel_holds_the_tutorials_inside_the_package_but_a_notebook_that_is_no_lesson(
    built, wheel
):
    ours = {name for name in tracked() if name.startswith("tutorials/")}
    ours -= {name for name in ours if name.startswith("tutorials/frameworks/")}
    scripts = {name for name in ours if name.endswith(".py")}  # they need the lessons' sources
    held = {f"tutorials/{name}" for name in texts(built)}
    held |= {name.removeprefix("minitape/") for name in wheel if "/tutorials/data/" in name}
    assert held == ours - scripts
    assert len(scripts) >= 12


def test_the_wheel_holds_no_tests(wheel):
    assert {name.split("/")[0] for name in wheel} == {
        "minitape",
        f"minitape-{PROJECT['version']}.dist-info",
    }


def test_no_function_of_ci_has_the_name_of_a_program_that_it_looks_for():
    script = (ROOT / ".ci" / "run").read_text()
    functions = set(re.findall(r"^(\w+)\(\)", script, re.MULTILINE))
    assert {"step", "clone"} <= functions
    assert functions.isdisjoint(re.findall(r"command -v ([\w-]+)", script))


def test_the_workflow_tests_every_python_that_the_package_names():
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text("utf-8")
    matrix = re.findall(r'"(3\.\d+)"', re.search(r"python: \[(.*)\]", workflow)[1])
    kind = "Programming Language :: Python :: "
    named = [each.removeprefix(kind) for each in PROJECT["classifiers"] if kind in each]
    assert matrix == [each for each in named if each[0].isdigit() and "." in each]
    assert all(f"{system}-latest" in workflow for system in ("ubuntu", "macos", "windows"))


def test_what_workflows_run_from_the_repository_is_there():
    found = [
        name
        for file in (ROOT / ".github" / "workflows").glob("*.yml")
        for name in re.findall(r"(?:python |run: )((?:\.ci|tools)/[\w./]+)", file.read_text())
    ]
    assert len(found) >= 3
    assert [name for name in found if not (ROOT / name).is_file()] == []
