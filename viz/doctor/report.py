"""What was found, for a learner and for graders."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .examination import Examined, Mistake


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
    lines += [f"Not asked: {why}." for why in left]
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


def as_json(data: dict[str, Any]) -> str:
    """The data as text, the same each time."""
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"
