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
from ..quizzes.pictures import picture_html

LINE = 30 * "_"


def sheet(look: Look, variant: str, questions: list[dict[str, Any]]) -> str:
    """What a learner gets: questions and fields, and nothing of the answers."""
    rows, shown = "", ""
    for each in questions:
        picture = each.get("picture", "")
        rows += f"<li>{picture_html(picture) if picture and picture != shown else ''}"
        rows += f"<p>{written(each['text'])} <em>({_points(each['points'])})</em></p>"
        rows += f"<p>{_field(each['shape'])}</p></li>"
        shown = picture
    total = sum(each["points"] for each in questions)
    body = (
        f"<main><h1>{html.escape(look.title)}</h1>"
        f"<p>Variant <strong>{html.escape(variant)}</strong>, {_points(total)}. "
        f"Name: {LINE}</p><ol>{rows}</ol></main>"
    )
    return shell(f"{look.title}: {variant}", "course.css", body, look)


def _points(count: float) -> str:
    return f"{count:g} point{'s'[: count != 1]}"


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
separated by spaces, commas or semicolons, row by row. key.csv lies beside this script.
"""

import csv
import sys
from pathlib import Path

COLUMNS = ("student", "variant", "question", "answer")


def readings(text):
    """The numbers of an answer: a comma is a decimal point, or else it separates."""
    plain = text.replace("\\u2212", "-")
    for mark in "[]();":
        plain = plain.replace(mark, " ")
    for comma in (".", " "):
        try:
            yield [float(each) for each in plain.replace(",", comma).split()]
        except ValueError:
            pass


def right(found, wanted, tolerance):
    size = max(abs(each) for each in wanted) or 1.0
    return any(
        len(numbers) == len(wanted)
        and all(abs(a - b) <= tolerance * size for a, b in zip(numbers, wanted))
        for numbers in readings(found)
    )


def name(text):
    """A variant or question as it was meant: a spreadsheet writes 01 as 1."""
    return text.strip().lstrip("0")


def table(place):
    with open(place, newline="", encoding="utf-8-sig") as file:
        text = file.read()
    first = text.partition("\\n")[0]
    rows = list(csv.DictReader(text.splitlines(), delimiter=";" if ";" in first else ","))
    for column in COLUMNS:
        if rows and column not in rows[0]:
            sys.exit(f"{place} has no column {column!r}: begin it with {','.join(COLUMNS)}")
    return rows


def main(answers):
    with open(Path(__file__).with_name("key.csv"), newline="", encoding="utf-8") as file:
        key = {(name(row["variant"]), name(row["question"])): row for row in csv.DictReader(file)}
    points, unknown = {}, []
    for row in table(answers):
        student = row["student"]
        points.setdefault(student, {})
        place = (name(row["variant"]), name(row["question"]))
        question = key.get(place)
        if question is None:
            unknown.append(f"{student}: variant {row['variant']}, question {row['question']}")
            continue
        wanted = [float(each) for each in question["answer"].split()]
        is_right = right(row["answer"] or "", wanted, float(question["tolerance"]))
        points[student][place] = float(question["points"]) if is_right else 0.0
    out = csv.writer(sys.stdout)
    out.writerow(["student", "points"])
    out.writerows([student, f"{sum(each.values()):g}"] for student, each in points.items())
    for each in unknown:
        print(f"not in the key: {each}", file=sys.stderr)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("which answers? write: python mark.py answers.csv > points.csv")
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
