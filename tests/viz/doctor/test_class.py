"""A class is graded to its end, whatever single engines do, and its results reach graders."""

from __future__ import annotations

import base64
import csv
import json
import os
import sys
import time
from pathlib import Path

import pytest
from engines_of_learners import RIGHT

from minitape.__main__ import main
from minitape.viz.doctor.asking import ask

HOSTILE = {
    "endless": "while True:\n    pass\n",
    "exits": "import os\nos._exit(0)\n",
    "leaves": "import sys\nsys.exit(0)\n",
    "hungry": "import numpy as np\nkept = [np.ones(2**24) for _ in range(200)]\n",
    "talks": "import os\nfor _ in range(3000):\n    print('x' * 100_000)\n"
    "    os.write(1, b'y' * 9_999)\n    os.write(2, b'z' * 99_999)\n",
    "starts": "import subprocess, sys\nwaits = 'import time; time.sleep(600)'\n"
    "subprocess.Popen([sys.executable, '-c', waits, 'left-by-a-learner'])\n",
}  # fmt: skip


def left_behind() -> list[str]:
    found = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += [str(each)] if b"left-by-a-learner" in each.read_bytes() else []
        except OSError:
            continue
    return found


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded on Linux alone")
def test_a_class_with_hostile_engines_is_graded_to_its_end(tmp_path, capsys):
    group, rows = tmp_path / "class", tmp_path / "rows.csv"
    group.mkdir()
    right = RIGHT["closures"]
    for number in range(3):
        (group / f"ada{number}.py").write_text(right)
    (group / "bob.py").write_text(right.replace("(1 - t**2)", "(1 - t)"))
    for name, source in HOSTILE.items():
        (group / f"{name}.py").write_text(source + right)
    words = ["doctor", "--class", str(group), "--csv", str(rows), "--limit", "20"]
    assert main([*words, "--memory", "1024"]) == 0
    table = {row["learner"]: row for row in csv.DictReader(rows.read_text().splitlines())}
    assert [table[f"ada{number}"]["points"] for number in range(3)] == ["10", "10", "10"]
    assert table["bob"]["kind"] == "wrong slope"
    said = {name: table[name]["first mistake"] for name in HOSTILE}
    assert "was given up after 20 seconds" in said["endless"]
    assert "ended the examination: exit code 0" in said["exits"]
    assert "ended the examination" in said["leaves"]
    assert "it wanted more than the 1024 MB that an engine may take" in said["hungry"]
    assert (table["starts"]["points"], left_behind()) == ("10", [])
    assert "Each was allowed 20 seconds and 1024 MB." in capsys.readouterr().out


def test_an_engine_that_prints_without_end_is_examined_and_heard_nowhere(tmp_path, capfd):
    place = tmp_path / "engine.py"
    place.write_text(HOSTILE["talks"].replace("3000", "100") + RIGHT["closures"])
    assert ask(place).data["mistakes"] == []
    assert capfd.readouterr() == ("", "")


def test_threads_of_an_engine_do_not_hold_its_answer_back(tmp_path):
    place = tmp_path / "engine.py"
    thread = "import threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()\n"
    place.write_text(thread + RIGHT["closures"])
    begin = time.monotonic()
    assert ask(place, limit=300.0).data["mistakes"] == []
    assert time.monotonic() - begin < 200.0


def github(place: Path, words: list[str], monkeypatch) -> dict:
    """What the step's output says, decoded as the reporter of GitHub Classroom does."""
    output = place.parent / "output.txt"
    output.write_text("other=1\n")
    monkeypatch.setenv("GITHUB_OUTPUT", str(output))
    assert main(["doctor", str(place), "--github", *words]) == 0
    first, line = output.read_text().splitlines()
    name, _, value = line.partition("=")
    assert (first, name) == ("other=1", "result")
    return json.loads(base64.b64decode(value, validate=True).decode("utf-8"))


def test_github_classroom_s_reporter_reads_points_statuses_and_lines(tmp_path, monkeypatch):
    place = tmp_path / "engine.py"
    wrong = RIGHT["layers"].replace("return dout * self.mask", "return dout")
    place.write_text(wrong)
    result = github(place, ["--points", "8"], monkeypatch)
    assert (result["version"], result["status"], result["max_score"]) == (1, "fail", 8.0)
    assert {test["name"]: (test["status"], test["score"]) for test in result["tests"]} == {
        "Linear: Linear": ("pass", 2.0), "Tanh: Tanh": ("pass", 2.0),
        "MeanSquaredError: MeanSquaredError": ("pass", 2.0), "ReLU: ReLU": ("fail", 0.0),
    }  # fmt: skip
    failed = next(test for test in result["tests"] if test["status"] == "fail")
    assert set(failed) == {"name", "status", "score", "message", "test_code", "filename", "line_no",
                           "duration"}  # fmt: skip
    assert wrong.splitlines()[failed["line_no"] - 1].strip() == failed["test_code"] == "return dout"
    # The reporter adds up scores for the points, and counts passed tests for its table.
    passed = sum(test["status"] == "pass" for test in result["tests"]) / len(result["tests"])
    assert sum(test["score"] for test in result["tests"]) == passed * result["max_score"] == 6.0


def test_github_classroom_is_given_pass_and_error_too(tmp_path, monkeypatch):
    place = tmp_path / "engine.py"
    place.write_text(RIGHT["layers"])
    result = github(place, [], monkeypatch)
    assert (result["status"], sum(test["score"] for test in result["tests"])) == ("pass", 10.0)
    place.write_text("x = 1\n")
    result = github(place, [], monkeypatch)
    assert (result["status"], result["tests"][0]["status"]) == ("error", "error")
    assert "has no engine that can be examined" in result["tests"][0]["message"]


def test_the_workflow_in_the_docs_gives_the_reporter_what_it_reads(tmp_path, monkeypatch):
    """The reporter takes from `ID_RESULTS`, in capitals, what the step `id` set as `result`."""
    yaml = pytest.importorskip("yaml")
    page = (Path(__file__).parents[3] / "docs" / "DOCTOR.md").read_text("utf-8")
    (job,) = yaml.safe_load(page.split("```yaml\n")[1].split("```")[0])["jobs"].values()
    engine, points = job["steps"][-2:]
    name = points["with"]["runners"]
    assert points["env"] == {
        f"{name.upper()}_RESULTS": "${{ steps." + engine["id"] + ".outputs.result }}"
    }
    program, command, file, *words = engine["run"].split()
    assert (program, command, file) == ("minitape", "doctor", "engine.py")
    (tmp_path / file).write_text(RIGHT["layers"])
    words.remove("--github")
    result = github(tmp_path / file, words, monkeypatch)
    assert (result["status"], result["max_score"]) == ("pass", 10.0)


def test_outside_a_workflow_github_s_output_is_refused(tmp_path, monkeypatch, capsys):
    place = tmp_path / "engine.py"
    place.write_text(RIGHT["layers"])
    monkeypatch.delenv("GITHUB_OUTPUT", raising=False)
    assert main(["doctor", str(place), "--github"]) == 2
    assert "use it in a step of a workflow, and --json elsewhere" in capsys.readouterr().err


def test_an_engine_does_not_learn_where_its_points_are_written(tmp_path, monkeypatch):
    place, seen = tmp_path / "engine.py", tmp_path / "seen.json"
    spy = f"import json, os\njson.dump(sorted(os.environ), open({str(seen)!r}, 'w'))\n"
    place.write_text(spy + RIGHT["layers"])
    monkeypatch.setenv("GITHUB_ENV", str(tmp_path / "env"))
    github(place, [], monkeypatch)
    names = json.loads(seen.read_text())
    assert "PATH" in names
    assert not [name for name in names if name.startswith(("GITHUB_", "ACTIONS_", "RUNNER_"))]
    assert "GITHUB_OUTPUT" in os.environ
