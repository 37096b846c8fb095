"""The picture of a call: its trace, with a mark where a finding stands."""

from __future__ import annotations

from dataclasses import replace

from minitape.record import Record, output_ids

from ..findings.case import Case
from ..findings.finding import Finding
from ..record.build import build
from ..trace.trace import Break, Trace

MAX_RECORDS = 250  # of a tape that is drawn


def picture(case: Case, finding: Finding | None = None) -> str:
    """The trace as JSON, "" where it is too large to be read or cannot be built."""
    recording = case.flow.recording
    records = getattr(recording, "records", [])
    if not records or len(records) > MAX_RECORDS:
        return ""
    try:
        trace = build(case.request, records, recording, case.names, journal=case.journal).trace
    except (LookupError, TypeError, ValueError):
        return ""
    if finding is not None:
        trace = marked(trace, records, finding)
    return trace.to_json()


def marked(trace: Trace, records: list[Record], finding: Finding) -> Trace:
    """The trace with a break at the tensor that a finding is about."""
    for number, record in enumerate(records):
        if finding.node in output_ids(record):
            nodes = [node.id for node in trace.nodes if node.record == number]
            place = nodes[output_ids(record).index(finding.node)]
            return replace(trace, breaks=(Break(place, None, finding.kind),))
    return trace
