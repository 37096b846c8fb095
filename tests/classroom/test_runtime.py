"""A folder with Pyodide is read and checked where a message can be given."""

from __future__ import annotations

import json

import pytest
from folders import RUNTIME, pyodide_like

from minitape.viz.classroom.runtime import normal, opened
from minitape.viz.errors import ClassroomError


def test_a_package_comes_with_all_that_it_needs_whatever_the_spelling(tmp_path):
    runtime = opened(pyodide_like(tmp_path / "Pyodide für alle"))
    assert runtime.closure(["IPython"]) == ["ipython", "prompt-toolkit", "traitlets"]
    assert runtime.wheel("prompt-toolkit").file_name == "prompt_toolkit-1.0-py3-none-any.whl"


def test_a_missing_folder_says_where_pyodide_is_had(tmp_path):
    with pytest.raises(ClassroomError, match=r"no folder .*download https://.*tar\.bz2.*--pyodide"):
        opened(tmp_path / "none")


@pytest.mark.parametrize("name", [*RUNTIME, "pyodide-lock.json"])
def test_a_missing_file_of_the_runtime_is_named(tmp_path, name):
    folder = pyodide_like(tmp_path / "pyodide")
    (folder / name).unlink()
    with pytest.raises(ClassroomError, match=f"needs the file '{name}'"):
        opened(folder)


def test_a_missing_wheel_is_named_with_its_package(tmp_path):
    runtime = opened(pyodide_like(tmp_path / "pyodide"))
    (runtime.folder / "numpy-1.0-py3-none-any.whl").unlink()
    with pytest.raises(ClassroomError, match=r"numpy needs the file 'numpy-1\.0.*no wheels"):
        runtime.wheel("numpy")


def test_a_wheel_of_which_one_bit_differs_is_damaged(tmp_path):
    runtime = opened(pyodide_like(tmp_path / "pyodide"))
    wheel = runtime.folder / "jedi-1.0-py3-none-any.whl"
    content = bytearray(wheel.read_bytes())
    content[10] ^= 1
    wheel.write_bytes(content)
    with pytest.raises(ClassroomError, match=r"jedi-1\.0-py3-none-any\.whl' is damaged"):
        runtime.wheel("jedi")


INFO = '"info": {"python": "3.14.2"}'
NO_LOCK = ["", "{", "[]", '{"info": {}}', '{"info": 3, "packages": []}']
NO_LOCK += [f'{{{INFO}, "packages": {{"a": {each}}}}}' for each in ("{}", "3")]


@pytest.mark.parametrize("text", NO_LOCK)
def test_a_lock_file_that_is_none_is_named(tmp_path, text):
    folder = pyodide_like(tmp_path / "pyodide")
    (folder / "pyodide-lock.json").write_text(text)
    with pytest.raises(ClassroomError, match=r"pyodide-lock\.json' is no lock file"):
        opened(folder)


def test_another_version_of_python_is_refused(tmp_path):
    with pytest.raises(ClassroomError, match=r"has Python 3\.13\.2"):
        opened(pyodide_like(tmp_path / "pyodide", python="3.13.2"))


def test_a_package_that_the_distribution_has_not_got_is_named(tmp_path):
    with pytest.raises(ClassroomError, match="has no package 'torch'"):
        opened(pyodide_like(tmp_path / "pyodide")).closure(["torch"])


def test_a_file_name_in_the_lock_file_never_leads_out_of_the_folder(tmp_path):
    folder = pyodide_like(tmp_path / "pyodide")
    (tmp_path / "secret.whl").write_text("secret")
    lock = json.loads((folder / "pyodide-lock.json").read_text())
    lock["packages"]["numpy"]["file_name"] = "../secret.whl"
    (folder / "pyodide-lock.json").write_text(json.dumps(lock))
    with pytest.raises(ClassroomError, match=r"needs the file 'secret\.whl'"):
        opened(folder).wheel("numpy")


def test_names_are_compared_as_installers_do():
    assert normal("Foo__Bar.-baz") == "foo-bar-baz"
