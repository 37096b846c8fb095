"""What was found, for a learner and for graders."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .examination import Examined, Mistake

LISTED = 12  # so many of those that were not asked are named


def as_text(found: Sequence[Examined]) -> str:
    """The report that a learner reads: the first mistake first, with its line."""
    mistakes = [(each.engine, mistake) for each in found for mistake in each.mistakes]
    right = sum(len(each.right) for each in found)
    left = [why for each in found for why in each.left_out]
    lines = []
    for number, (engine, mistake) in enumerate(mistakes):
        head = f"{engine}: first mistake" if number == 0 else f"{engine}: also"
        lines += [f"{head} ({mistake.kind})", f"  {mistake.sentence}"]
        if mistake.line is not None:
            place = f"{Path(mistake.line.file).name}, line {mistake.line.number}"
            lines.append(f"  {place}: {mistake.line.text}")
        lines.append("")
    names = ", ".join(dict.fromkeys(each.engine for each in found if each.right or each.mistakes))
    lines.append(
        f"{names}: {right} of {right + len(mistakes)} questions answered right, compared with "
        "differences of the forward pass."
    )
    lines += [f"Not asked: {why}." for why in left[:LISTED]]
    if len(left) > LISTED:
        lines.append(f"Not asked: {len(left) - LISTED} more; `--json` has them all.")
    return "\n".join(lines)


def as_data(found: Sequence[Examined], file: str) -> dict[str, Any]:
    """The same as plain data."""
    right = sum(len(each.right) for each in found)
    mistakes = [_plain(each.engine, mistake) for each in found for mistake in each.mistakes]
    return {
        "file": file,
        "right": right,
        "asked": right + len(mistakes),
        "mistakes": mistakes,
        "engines": [
            {"name": each.engine, "right": each.right, "not_asked": each.left_out} for each in found
        ],
    }


def _plain(engine: str, mistake: Mistake) -> dict[str, Any]:
    line = mistake.line
    return {
        "engine": engine,
        "kind": mistake.kind,
        "op": mistake.op,
        "sentence": mistake.sentence,
        "line": None if line is None else line.number,
        "text": "" if line is None else line.text,
    }


def as_tests(data: dict[str, Any], points: float) -> dict[str, Any]:
    """The points as the tests of an autograder, in Gradescope's fields.

    Example:
        >>> data = {"file": "e.py", "right": 3, "asked": 4, "mistakes": [], "engines": []}
        >>> as_tests(data, 10.0)["score"]
        7.5
    """
    worth = points / data["asked"] if data["asked"] else 0.0
    right = [(each["name"], op) for each in data["engines"] for op in each["right"]]
    tests = [_test(f"{engine}: {op}", worth) for engine, op in right]
    tests += [
        _test(f"{each['engine']}: {each['op'] or each['kind']}", worth, _with_line(each))
        for each in data["mistakes"]
    ]
    return {
        "score": round(worth * data["right"], 6),
        "max_score": points,
        "status": "passed" if not data["mistakes"] else "failed",
        "tests": tests,
    }


def _test(name: str, worth: float, wrong: str = "") -> dict[str, Any]:
    return {
        "name": name,
        "status": "failed" if wrong else "passed",
        "score": 0.0 if wrong else worth,
        "max_score": worth,
        "output": wrong,
    }


def _with_line(mistake: dict[str, Any]) -> str:
    if mistake["line"] is None:
        return str(mistake["sentence"])
    return f"{mistake['sentence']} (line {mistake['line']}: {mistake['text']})"


def as_classroom(data: dict[str, Any] | None, text: str, points: float) -> dict[str, Any]:
    """The points in the form of GitHub Classroom's graders, as its reporter reads it.

    Args:
        data: the report; None where there is none.
        text: why there is none.
        points: if all is right.

    Example:
        >>> as_classroom(None, "there is no engine", 10.0)["status"]
        'error'
    """
    if data is None:
        failed = {"name": "engine", "status": "error", "score": 0.0, "message": text,
                  "test_code": "", "filename": "", "line_no": 0, "duration": 0.0}  # fmt: skip
        return {"version": 1, "status": "error", "max_score": points, "tests": [failed]}
    told = as_tests(data, points)["tests"]
    places = [*[None] * (len(told) - len(data["mistakes"])), *data["mistakes"]]
    tests = [
        {
            "name": test["name"],
            "status": "fail" if mistake else "pass",
            "score": test["score"],
            "message": mistake["sentence"] if mistake else "",
            "test_code": mistake["text"] if mistake else "",
            "filename": data["file"],
            "line_no": (mistake["line"] or 0) if mistake else 0,
            "duration": 0.0,
        }
        for test, mistake in zip(told, places, strict=True)
    ]
    status = "fail" if data["mistakes"] else "pass"
    return {"version": 1, "status": status, "max_score": points, "tests": tests}


def in_base64(results: dict[str, Any]) -> str:
    """Results as one line for the output of a step."""
    return base64.b64encode(json.dumps(results).encode()).decode("ascii")


def as_json(data: dict[str, Any]) -> str:
    """The data as text, the same each time."""
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"
