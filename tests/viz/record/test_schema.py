"""The JSON Schema of a trace: up to date, and true of every trace that the suite has."""

from __future__ import annotations

import json

import pytest
from networks import NETWORKS

from minitape.__main__ import main
from minitape.viz.trace.schema import FILE, text
from minitape.viz.trace.trace import Trace
from viz_traces import EXAMPLES, squared

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is missing (extra test)")


@pytest.fixture(scope="module")
def validator():
    return jsonschema.Draft202012Validator(json.loads(FILE.read_text()))


def refusal(document):
    """What the reader says of a document."""
    with pytest.raises(ValueError) as caught:
        Trace.from_json(json.dumps(document))
    return str(caught.value)


def test_the_file_is_what_the_types_say():
    assert FILE.read_text() == text(), (
        "run: python -m minitape.viz.trace.schema > viz/trace/trace.schema.json"
    )


def test_the_schema_is_one(validator):
    validator.check_schema(validator.schema)


@pytest.mark.parametrize("name", [each for each in EXAMPLES if each != "chain_10000"])  # as 1000
def test_every_example_passes(name, validator):
    validator.validate(json.loads(EXAMPLES[name]().to_json()))


@pytest.mark.parametrize("name", list(NETWORKS))
def test_every_recorded_network_passes(name, validator):
    validator.validate(json.loads(NETWORKS[name]().trace.to_json()))


CHANGES = {
    "an unknown field": lambda d: d["nodes"][0].update(colour="red"),
    "a missing field": lambda d: d["nodes"][0].pop("dtype"),
    "a text for a number": lambda d: d["nodes"][0].update(id="0"),
    "a kind that there is not": lambda d: d["steps"][0].update(kind="backward"),
    "another format": lambda d: d.update(format="trace"),
    "a version to come": lambda d: d.update(version=9),
    "a list for an object": lambda d: d.update(gradients=[]),
    "a key that is no id": lambda d: d.update(gradients={"x": None}),
    "an array without a shape": lambda d: d["nodes"][0]["value"].pop("shape"),
    "a float for an integer": lambda d: d["targets"].append(0.5),
}


@pytest.mark.parametrize("change", list(CHANGES))
def test_reader_and_schema_refuse_the_same(change, validator):
    document = json.loads(squared().to_json())
    CHANGES[change](document)
    assert refusal(document)
    assert not validator.is_valid(document)


def test_the_command_makes_a_page_of_a_trace(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    squared().save("squared.json")
    assert main(["show", "squared.json"]) == 0
    assert "squared.html: 1 step player" in capsys.readouterr().out
    page = (tmp_path / "squared.html").read_text()
    assert "<title>x squared</title>" in page and "minitape-player" in page


def test_the_command_refuses_a_broken_trace_with_place_and_reason(tmp_path, capsys):
    document = json.loads(squared().to_json())
    document["nodes"][1]["inputs"] = [0, 7]
    broken = tmp_path / "broken.json"
    broken.write_text(json.dumps(document))
    assert main(["show", str(broken), "--out", str(tmp_path / "page.html")]) == 2
    said = capsys.readouterr().err
    assert "nodes[1]: input 7 is not an earlier node" in said
    assert not (tmp_path / "page.html").exists()


def test_the_command_says_that_there_is_no_such_file(tmp_path, capsys):
    assert main(["show", str(tmp_path / "none.json")]) == 2
    assert "No such file" in capsys.readouterr().err


def test_the_command_never_writes_over_the_trace(tmp_path, capsys):
    place = squared().save(tmp_path / "squared.json")
    before = place.read_bytes()
    assert main(["show", str(place), "--out", str(place)]) == 2
    assert place.read_bytes() == before
