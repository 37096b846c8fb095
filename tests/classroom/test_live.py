"""`minitape live`: how a page is put together, and what is refused. No runtime is needed."""

from __future__ import annotations

import base64
import gzip
import html
import io
import json
import re
import zipfile

import pytest
from folders import pyodide_like

from minitape.__main__ import main
from minitape.viz.classroom.live import (
    Program,
    guide,
    imported,
    lean_archive,
    live_page,
    programs_of,
)
from minitape.viz.classroom.runtime import opened
from minitape.viz.errors import ClassroomError

EVIL = "print('</script><script>alert(1)</script> <!-- ü')\n"


@pytest.fixture
def pyodide(tmp_path):
    folder = pyodide_like(tmp_path / "Pyodide (neu)")
    with zipfile.ZipFile(folder / "python_stdlib.zip", "w") as library:
        library.writestr("json/__init__.py", "")
        library.writestr("idlelib/editor.py", "")
    return folder


def files_in(page: str) -> dict[str, bytes]:
    found = re.findall(r'data-file="([^"]+)">([^<]*)</script>', page)
    return {name: gzip.decompress(base64.b64decode(text)) for name, text in found}


def test_a_page_holds_the_runtime_the_wheels_and_a_lock_file_for_them(pyodide):
    files = files_in(live_page([Program("a.py", "1")], opened(pyodide)))
    lock = json.loads(files["pyodide-lock.json"])["packages"]
    assert sorted(lock) == ["minitape", "numpy"]
    assert {each["file_name"] for each in lock.values()} < set(files)
    assert files["pyodide.asm.wasm"] == (pyodide / "pyodide.asm.wasm").read_bytes()


def test_minitape_in_a_page_can_run_programs(pyodide):
    files = files_in(live_page([Program("a.py", "1")], opened(pyodide)))
    (wheel,) = [name for name in files if name.startswith("minitape-")]
    names = zipfile.ZipFile(io.BytesIO(files[wheel])).namelist()
    assert "minitape/viz/classroom/program.py" in names
    assert "minitape/viz/classroom/site.py" not in names


def test_what_a_program_imports_comes_along(pyodide):
    runtime = opened(pyodide)
    programs = [Program("a", "import matplotlib.pyplot as plt"), Program("b", "x = ="),
                Program("c", "from jedi.api import x\nimport os, torch")]  # fmt: skip
    assert imported(programs, runtime) == ["jedi", "matplotlib"]
    assert 'minitape", "jedi", "matplotlib", "numpy"]' in html.unescape(
        live_page(programs, runtime)
    )


def test_a_program_is_text_whatever_stands_in_it(pyodide):
    page = live_page([Program("<b>evil</b>.py", EVIL)], opened(pyodide), title="[[WORKER]] & <i>")
    (programs,) = re.findall(r'id="programs">([^<]*)</script>', page)
    assert json.loads(programs)[0]["text"] == EVIL
    assert "<b>evil" not in page and "alert(1)</script>" not in page
    assert "<h1>[[WORKER]] &amp; &lt;i&gt;</h1>" in page


def test_a_page_forbids_the_network_to_itself(pyodide):
    page = live_page([Program("a.py", "1")], opened(pyodide))
    policy, inner = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    assert inner == "frame-src 'none'"  # what a program shows may open no frame of its own
    assert policy.startswith("default-src 'none';") and "http" not in policy and "*" not in policy
    assert not re.findall(r'(?:src|href)="http', page)


def test_the_same_program_gives_the_same_bytes(pyodide):
    programs = [Program("a.py", "1")]
    assert live_page(programs, opened(pyodide)) == live_page(programs, opened(pyodide))


def test_what_is_never_used_is_left_out_of_the_library(pyodide):
    lean = lean_archive((pyodide / "python_stdlib.zip").read_bytes())
    assert zipfile.ZipFile(io.BytesIO(lean)).namelist() == ["json/__init__.py"]


def test_the_guides_examples_are_whole_programs():
    programs = guide()
    assert len(programs) > 20
    for each in programs:
        compile(each.text, each.name, "exec")
        assert each.text.startswith("import minitape as tf\n")


def test_a_program_keeps_its_umlauts_whatever_its_encoding(tmp_path):
    file = tmp_path / "größe.py"
    file.write_bytes("# coding: latin-1\nprint('größe')\n".encode("latin-1"))
    assert programs_of([file]) == [Program("größe.py", "# coding: latin-1\nprint('größe')\n")]


def test_the_command_without_pyodide_says_how_to_get_it(tmp_path, capsys):
    file = tmp_path / "a.py"
    file.write_text("1")
    assert main(["live", str(file)]) == 2
    assert re.search(r"holds Python itself: download https://.*--pyodide", capsys.readouterr().err)


@pytest.mark.parametrize(
    ("name", "said"),
    [("none.py", "there is no file"), ("a.ipynb", "is a notebook"), ("bytes.py", "cannot be read"),
     (None, "--guide")],
)  # fmt: skip
def test_what_is_no_program_is_refused(tmp_path, pyodide, capsys, name, said):
    (tmp_path / "a.ipynb").write_text("{}")
    (tmp_path / "bytes.py").write_bytes(b"\xff\xfe\x00")
    files = [str(tmp_path / name)] if name else []
    out = tmp_path / "page.html"
    assert main(["live", *files, "-o", str(out), "--pyodide", str(pyodide)]) == 2
    assert said in capsys.readouterr().err and not out.exists()


def test_the_program_itself_is_never_written_over(tmp_path, pyodide, capsys):
    file = tmp_path / "my program.py"
    file.write_text("1")
    assert main(["live", str(file), "-o", str(file), "--pyodide", str(pyodide)]) == 2
    assert "choose another name" in capsys.readouterr().err and file.read_text() == "1"


def test_the_page_is_named_after_the_first_program(tmp_path, pyodide, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "übung 1.py").write_text("x = 1")
    assert main(["live", "übung 1.py", "--pyodide", str(pyodide)]) == 0
    assert "<h1>übung 1</h1>" in (tmp_path / "übung 1-live.html").read_text("utf-8")


def test_a_missing_wheel_stops_the_page_before_it_is_written(tmp_path, pyodide):
    (pyodide / "numpy-1.0-py3-none-any.whl").unlink()
    with pytest.raises(ClassroomError, match="numpy"):
        live_page([Program("a.py", "1")], opened(pyodide))
