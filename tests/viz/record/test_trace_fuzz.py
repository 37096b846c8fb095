"""A fuzzer of the trace loader: whatever the bytes are, a TraceError or a trace that can be drawn.

`MINITAPE_FUZZ=20000 pytest tests/viz/record/test_trace_fuzz.py` tries more examples than the
daily ones, and
other ones each time.
"""

from __future__ import annotations

import copy
import json
import os

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from minitape.viz.picture.svg import svg
from minitape.viz.player.page import page
from minitape.viz.trace.trace import Trace, TraceError
from viz_traces import EXAMPLES

EXAMPLE_NAMES = [
    "squared",
    "diamond",
    "thrice",
    "unconnected",
    "complex",
    "empty",
    "not_finite",
    "hostile",
    "tangents",
]
VALID = [EXAMPLES[name]().to_json() for name in EXAMPLE_NAMES]
MORE = int(os.environ.get("MINITAPE_FUZZ", "0"))

bounded = settings(
    max_examples=MORE or 300,
    derandomize=not MORE,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)

DOCUMENTS = [json.loads(text) for text in VALID]
FIELDS = sorted(
    {
        "format",
        "version",
        "0",
        "1",
        "2",
        "dtype",
        "data",
        "finite",
        "thumb",
        "min",
        "text",
        "mathml",
    }
    | {name for document in DOCUMENTS for name in document}
    | {name for document in DOCUMENTS for row in document["nodes"] for name in row}
    | {name for document in DOCUMENTS for row in document["steps"] for name in row}
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-3, 70)
    | st.sampled_from([2**31, -(2**63), 10**30, 10**400])
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(
        ["nan", "-inf", "op", "pull", "push", "tangents", "float64", "complex64", "<b>", "\ud800"]
    )
)
ANY_JSON = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(FIELDS) | st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


def loads_or_refuses(text):
    """Gives the trace, or None after a TraceError with a message; anything else is a fault."""
    try:
        trace = Trace.from_json(text)
    except TraceError as error:
        assert len(str(error)) > 10
        assert len(str(error)) < 2_000  # a message is for people, however large the file
        return None
    assert Trace.from_json(trace.to_json()).to_json() == trace.to_json()
    return trace


def places(document):
    """Every (container, key) of a document, outermost first."""
    found, todo = [], [document]
    while todo:
        each = todo.pop(0)
        keys = list(each) if isinstance(each, dict) else range(len(each))
        for key in keys:
            found.append((each, key))
            if isinstance(each[key], dict | list):
                todo.append(each[key])
    return found


@pytest.mark.slow
@bounded
@given(st.sampled_from(VALID), st.data())
def test_a_valid_trace_with_changed_values_is_loaded_or_refused(text, data):
    document = json.loads(text)
    for _ in range(data.draw(st.integers(1, 3))):
        everywhere = places(document)
        container, key = data.draw(st.sampled_from(everywhere))
        match data.draw(st.sampled_from(["replace", "delete", "copy", "repeat"])):
            case "replace":
                container[key] = data.draw(ANY_JSON)
            case "delete":
                del container[key]
            case "copy":
                other, place = data.draw(st.sampled_from(everywhere))
                if isinstance(other, dict) and place not in other:
                    continue
                if isinstance(other, list) and place >= len(other):
                    continue
                container[key] = copy.deepcopy(other[place])
            case "repeat" if isinstance(container, list):
                container.append(copy.deepcopy(container[key]))
        if not places(document):
            break
    loads_or_refuses(json.dumps(document))


@bounded
@given(st.sampled_from(VALID), st.data())
def test_a_valid_trace_with_damaged_bytes_is_loaded_or_refused(text, data):
    damaged = bytearray(text.encode())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(damaged)))
        match data.draw(st.sampled_from(["cut", "flip", "insert", "remove", "double"])):
            case "cut":
                del damaged[at:]
            case "flip" if at < len(damaged):
                damaged[at] = data.draw(st.integers(0, 255))
            case "insert":
                damaged[at:at] = data.draw(st.binary(max_size=6))
            case "remove":
                del damaged[at : at + data.draw(st.integers(1, 40))]
            case "double":
                damaged[at:at] = damaged[at : at + 60]
    loads_or_refuses(bytes(damaged))


@bounded
@given(ANY_JSON, st.booleans())
def test_random_json_is_refused_or_loaded(value, dressed):
    if dressed and isinstance(value, dict):
        value = {"nodes": [], **value, "format": "minitape-trace", "version": 1}
    loads_or_refuses(json.dumps(value))


@bounded
@given(st.text() | st.binary())
def test_random_text_and_bytes_are_refused(text):
    assert loads_or_refuses(text) is None


@settings(bounded, max_examples=MORE or 60)
@given(st.sampled_from(VALID), st.data())
def test_what_is_loaded_can_be_drawn(text, data):
    document = json.loads(text)
    container, key = data.draw(st.sampled_from(places(document)))
    container[key] = data.draw(LEAVES | st.text(max_size=20))
    trace = loads_or_refuses(json.dumps(document))
    if trace is not None:
        assert svg(trace).startswith("<svg")
        assert "</html>" in page([trace])
