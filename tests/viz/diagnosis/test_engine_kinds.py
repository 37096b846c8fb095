"""Each kind of the engine's own: its example is found and corrected, its twin is silent."""

import pytest

from minitape.viz.diagnosis.diagnosis import KINDS
from minitape.viz.diagnosis.finding import Finding
from minitape.viz.diagnosis.kinds.engine.examine import ENGINE, kind_of
from minitape.viz.diagnosis.trial.report import report


def looked_at(folder, text):
    file = folder / "script.py"
    file.write_text(text)
    return report(file)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ENGINE, ids=[each.name for each in ENGINE])
def test_an_example_is_found_at_its_line_and_corrected_and_then_silent(kind, tmp_path):
    rows = kind.example.splitlines()
    line = next(n for n, row in enumerate(rows, 1) if row.endswith("# <- here"))
    first = looked_at(tmp_path, kind.example)
    one = first.diagnoses[0]
    assert (one.finding.line, one.finding.found_by) == (line, kind.name)
    assert str(line) in one.finding.sentence or kind.name == "custom_gradient"
    assert one.is_tried
    assert looked_at(tmp_path, first.fixed).diagnoses == []


@pytest.mark.parametrize("kind", ENGINE, ids=[each.name for each in ENGINE])
def test_a_healthy_twin_is_not_accused(kind, tmp_path):
    assert looked_at(tmp_path, kind.healthy).diagnoses == []


def test_kinds_of_the_engine_are_those_of_the_registry_that_look_at_its_scripts():
    own = [kind for kind in KINDS.values() if "minitape" in kind.dialects]
    assert sorted(own, key=lambda kind: kind.rank) == ENGINE


def test_a_finding_that_crosses_between_processes_keeps_the_kind_that_corrects_it():
    found = Finding("nan", "log", "a sentence", 3, found_by="bad_number")
    assert kind_of(Finding.of(found.as_dict())) is KINDS["bad_number"]
