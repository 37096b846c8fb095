"""The command `minitape quiz`: a quiz as a page to be given away, and the codes that come back."""

from __future__ import annotations

import argparse
import csv
import io
import json
from pathlib import Path

from ..base.files import check_place, write_whole
from ..base.terminal import say
from ..errors import CommandError
from .output import Commands

MOST = 1_000


def add_quiz(commands: Commands) -> None:
    """The commands that make a quiz and check its codes."""
    quiz = commands.add_parser(
        "quiz",
        help="write a quiz about a program as an offline page, and check handed-in codes",
        epilog="The page contains only hashes of the answers. The key contains the answers, so "
        "keep it to yourself. Exit codes: 0 success, 1 a code is not valid, 2 failure.",
    )
    parts = quiz.add_subparsers(title="commands", required=True, metavar="COMMAND")
    make = parts.add_parser("make", help="write the page and its key")
    make.add_argument("file", type=Path, metavar="FILE", help="a script or notebook")
    make.add_argument(
        "out",
        type=Path,
        metavar="QUIZ.html",
        help="the page to write; the key is written next to it",
    )
    make.add_argument(
        "--variants", type=int, default=30, metavar="N", help="number of variants (30)"
    )
    make.add_argument("--seed", type=int, default=0, metavar="S", help="random seed (0)")
    make.add_argument("--title", default="", help="the page's heading (the file's name)")
    make.set_defaults(run=_make)
    check = parts.add_parser("check", help="compute the points for codes")
    check.add_argument("key", type=Path, metavar="QUIZ.key.json", help="the key that `make` wrote")
    check.add_argument("codes", nargs="*", metavar="CODE", help="a code that a learner handed in")
    check.add_argument(
        "--csv",
        type=Path,
        metavar="IN.csv",
        help="a table with a column `code`, and optionally `name`",
    )
    check.add_argument(
        "--out", type=Path, metavar="OUT.csv", help="write one row per code to this file"
    )
    check.set_defaults(run=_check)


def _make(options: argparse.Namespace) -> int:
    from ..script import ScriptError
    from ..teaching.sealed import SealedError, sealed

    if not 1 <= options.variants <= MOST:
        raise CommandError(f"--variants {options.variants}: write a number from 1 to {MOST}")
    if options.out.suffix.lower() not in (".html", ".htm"):
        raise CommandError(f"{str(options.out)!r} is no name of a page; write {options.out}.html")
    key = options.out.with_suffix(".key.json")
    try:
        for place in (options.out, key):
            check_place(place, (options.file,))
        title = options.title or f"Quiz: {options.file.stem.replace('_', ' ')}"
        made = sealed(options.file, title, options.variants, options.seed)
        write_whole(key, json.dumps(made.key, indent=1) + "\n")
        write_whole(options.out, made.page)
    except (SealedError, ScriptError, OSError, ValueError) as error:
        raise CommandError(str(error)) from error
    say(f"{options.out}: {made.count} questions, {made.variants} different variants.")
    if made.variants < options.variants:
        say(
            "Some are alike. Let the program draw its numbers, for instance with "
            "`random.uniform(1, 3)`."
        )
    say(f"{key}: the answers; keep it to yourself. Check codes: minitape quiz check {key} CODE")
    return 0


def _check(options: argparse.Namespace) -> int:
    from ..teaching.sealed import SealedError, check_code, read_key

    if not options.codes and options.csv is None:
        raise CommandError("there is no code: write it behind the key, or name a table, --csv")
    try:
        key = read_key(options.key)
        rows = [("", code) for code in options.codes]
        rows += [] if options.csv is None else _rows(options.csv)
        if options.out is not None:
            check_place(options.out, tuple(filter(None, (options.csv, options.key))))
    except (SealedError, OSError, ValueError) as error:
        raise CommandError(str(error)) from error
    table = [("name", "points", "of", "valid", "note")]
    seen: set[str] = set()
    for listed, code in rows:
        row = _row(check_code(key, code), listed, seen)
        table.append(row)
        note = f" {row[4]}" if row[4] else ""
        say(f"{row[0]}: {row[1]} of {row[2]} points.{note}")
    if options.out is not None:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(
            [[_cell(each) for each in row] for row in table]
        )
        try:
            write_whole(options.out, text.getvalue())
        except (OSError, ValueError) as error:
            raise CommandError(str(error)) from error
    return 1 if any(row[3] == "no" for row in table[1:]) else 0


def _rows(place: Path) -> list[tuple[str, str]]:
    """Names and codes of a table; with commas or semicolons, as spreadsheets write it."""
    text = place.read_text("utf-8-sig")
    first = text.partition("\n")[0]
    found = list(csv.DictReader(io.StringIO(text), delimiter=";" if ";" in first else ","))
    columns = {str(name).strip().lower(): name for name in (found[0] if found else {})}
    if "code" not in columns:
        raise ValueError(
            f"{place} has no column `code`; its first line must name its columns, for instance "
            "`name,code`"
        )
    name = columns.get("name")
    return [(row.get(name) or "", row[columns["code"]] or "") for row in found]


def _row(checked: object, listed: str, seen: set[str]) -> tuple[str, str, str, str, str]:
    from ..teaching.sealed import Checked, plain_name

    assert isinstance(checked, Checked)
    name, why = listed.strip() or checked.name, checked.why
    if not why and listed and plain_name(listed) != plain_name(checked.name):
        why = f"the code is that of {checked.name}"
    points = 0.0 if why else checked.points
    note = why
    if not why and plain_name(name) in seen:
        note = "a second code of this name"
    if not why:
        seen.add(plain_name(name))
    return name, f"{points:g}", str(checked.of), "no" if why else "yes", note


def _cell(text: str) -> str:
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text  # for a spreadsheet no formula
