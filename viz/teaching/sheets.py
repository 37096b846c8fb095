"""What is made of an exam's questions: sheets for learners, a key, and a script that marks.

A sheet has the questions alone; the answers are in the key, in another folder.
"""

from __future__ import annotations

import csv
import html
import io
from pathlib import Path
from typing import Any

import numpy as np

from ..base.files import write_whole
from ..base.spoken import written
from ..course.shell import Look, shell

LINE = 30 * "_"


def sheet(look: Look, variant: str, questions: list[dict[str, Any]]) -> str:
    """What a learner gets: questions and fields, and nothing of the answers."""
    rows = "".join(
        f"<li><p>{written(each['text'])} <em>({each['points']:g} points)</em></p>"
        f"<p>{_field(each['shape'])}</p></li>"
        for each in questions
    )
    total = sum(each["points"] for each in questions)
    body = (
        f"<main><h1>{html.escape(look.title)}</h1>"
        f"<p>Variant <strong>{html.escape(variant)}</strong>, {total:g} points. "
        f"Name: {LINE}</p><ol>{rows}</ol></main>"
    )
    return shell(f"{look.title}: {variant}", "course.css", body, look)


def _field(shape: list[int]) -> str:
    count = int(np.prod(shape))
    said = "" if count == 1 else f" ({count} numbers, row by row)"
    return f"Answer{said}: {LINE}"


def key(variants: dict[str, list[dict[str, Any]]]) -> str:
    """The key as a table: variant, question, points, tolerance, answer."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["variant", "question", "points", "tolerance", "answer"])
    for variant, questions in variants.items():
        for number, each in enumerate(questions, 1):
            answer = " ".join(repr(float(x)) for x in each["answer"])
            rows.writerow([variant, number, f"{each['points']:g}", each["tolerance"], answer])
    return text.getvalue()


MARKING = '''"""Marks an exam: python mark.py answers.csv > points.csv

answers.csv has the columns student, variant, question, answer; the numbers of an array are
separated by spaces, row by row. key.csv lies beside this script.
"""

import csv
import sys
from pathlib import Path


def right(found, wanted, tolerance):
    try:
        parts = found.replace("[", " ").replace("]", " ").split()
        numbers = [float(each.replace(",", ".")) for each in parts]
    except ValueError:
        return False
    if len(numbers) != len(wanted):
        return False
    size = max(abs(each) for each in wanted) or 1.0
    return all(abs(a - b) <= tolerance * size for a, b in zip(numbers, wanted))


def main(answers):
    with open(Path(__file__).with_name("key.csv"), newline="", encoding="utf-8") as file:
        key = {(row["variant"], row["question"]): row for row in csv.DictReader(file)}
    points, unknown = {}, []
    with open(answers, newline="", encoding="utf-8-sig") as file:
        for row in csv.DictReader(file):
            student = row["student"]
            points.setdefault(student, 0.0)
            question = key.get((row["variant"].strip(), row["question"].strip()))
            if question is None:
                unknown.append(f"{student}: variant {row['variant']}, question {row['question']}")
                continue
            wanted = [float(each) for each in question["answer"].split()]
            if right(row["answer"], wanted, float(question["tolerance"])):
                points[student] += float(question["points"])
    out = csv.writer(sys.stdout)
    out.writerow(["student", "points"])
    out.writerows([student, f"{sum_:g}"] for student, sum_ in points.items())
    for each in unknown:
        print(f"not in the key: {each}", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1])
'''


def write_exam(look: Look, variants: dict[str, list[dict[str, Any]]], place: Path) -> None:
    """Writes the sheets of the learners, and beside them the key and the marking script."""
    for folder in (place / "students", place / "lecturer"):
        folder.mkdir()
    for variant, questions in variants.items():
        write_whole(place / "students" / f"{variant}.html", sheet(look, variant, questions))
    write_whole(place / "lecturer" / "key.csv", key(variants))
    write_whole(place / "lecturer" / "mark.py", MARKING)
