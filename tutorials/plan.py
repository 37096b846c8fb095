"""How long the sections of the lessons take: `python tutorials/plan.py [--typing 200] [NAME ...]`.

`--order "core of 8"` prints the lessons of an order: a course takes one of `ORDERS`, in which each
lesson stands after those that it needs.

A run is counted, not timed: the text is spoken, 130 words a minute; the code is shown, or typed at so
many characters a minute; a prediction takes a minute and a half (think, show of hands, look), a player one
minute. A cell may ask for more, such as `minutes=1` for a picture that has to be read. Never typed: what a notebook folds because it holds the answer of a prediction, and cells with the
tag `setup`, `picture` (it only draws) or `given` (a helper, shown and explained, typed by nobody).
Exercises and sections named "Homework" are done at home, and those named "Further" are for those who want more: all
three count nothing.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import NamedTuple

from build import cells, sources

WORDS = 130  # a minute, spoken
SHOWN = 40  # lines of code a minute, when they are shown and explained
PREDICTION, PLAYER = 1.5, 1.0


# What each lesson needs; the orders in which a course can take them.
NEEDS: dict[str, tuple[str, ...]] = {
    "01_first_gradient": (),
    "02_curvature": ("01_first_gradient",),
    "03_how_a_tape_works": ("01_first_gradient",),
    "04_why_is_my_gradient_none": ("01_first_gradient",),
    "05_backpropagation": ("01_first_gradient",),
    "06_write_your_own_op": ("02_curvature", "04_why_is_my_gradient_none"),
    "07_forward_and_reverse": ("02_curvature", "14_dual_numbers"),
    "08_static_graphs": ("01_first_gradient",),
    "09_differentiate_a_simulation": ("01_first_gradient", "07_forward_and_reverse"),
    "10_attention": ("02_curvature", "05_backpropagation"),
    "11_a_clinic": ("04_why_is_my_gradient_none", "18_do_the_gradients_arrive"),
    "12_capstone": ("03_how_a_tape_works", "05_backpropagation"),
    "13_convolution": ("05_backpropagation",),
    "14_dual_numbers": ("01_first_gradient",),
    "15_gradients_of_expectations": ("01_first_gradient", "04_why_is_my_gradient_none"),
    "16_recurrence": ("05_backpropagation",),
    "17_from_gradient_to_step": ("01_first_gradient",),
    "18_do_the_gradients_arrive": ("05_backpropagation",),
    "19_a_transformer_that_writes": ("10_attention", "18_do_the_gradients_arrive"),
}
ORDERS: dict[str, tuple[int, ...]] = {
    "term": (1, 3, 4, 2, 5, 18, 17, 11, 13, 16, 10, 19, 14, 7, 6, 9, 8, 15, 12),
    "core of 8": (1, 3, 4, 2, 5, 18, 11, 10),
    "deep learning": (1, 3, 4, 2, 5, 18, 17, 11, 13, 16, 10, 19, 15, 12),
    "methods": (1, 3, 14, 2, 4, 7, 6, 9, 15, 8),
    "afternoon": (1, 5, 4),
}


def order(name: str) -> list[str]:
    """The lessons of an order, by the names of their files.

    Example:
        >>> order("afternoon")
        ['01_first_gradient', '05_backpropagation', '04_why_is_my_gradient_none']
    """
    by_number = {int(lesson[:2]): lesson for lesson in NEEDS}
    return [by_number[number] for number in ORDERS[name]]


class Section(NamedTuple):
    """A section of a lesson, and its minutes when code is shown and when it is typed."""

    name: str
    shown: float
    typed: float


def sections(source: Path, typing: float = 200.0) -> list[Section]:
    """The sections of a lesson, without its exercises and its summary."""
    found = [Section("Opening", 0.0, 0.0)]
    for cell in cells(source.read_text("utf-8")):
        if cell.kind == "markdown":
            for part in re.split(r"^(?=## )", cell.text, flags=re.MULTILINE):
                if heading := re.match(r"## (.*)", part):
                    found.append(Section(plain(heading[1]), 0.0, 0.0))
                minutes = len(re.findall(r"\w+", part)) / WORDS
                found[-1] = later(found[-1], minutes, minutes)
        elif not cell.is_exercise:
            tags = cell.metadata.get("tags", [])
            shown, typed = minutes_of_code(cell.text, tags, typing)
            more = cell.metadata.get("minutes", 0.0)
            found[-1] = later(found[-1], shown + more, typed + more)
    left_out = ("Homework", "Exercises", "What to remember", "To think about", "Further")
    return [each for each in found if not each.name.startswith(left_out)]


def later(section: Section, shown: float, typed: float) -> Section:
    """The section with more minutes."""
    return Section(section.name, section.shown + shown, section.typed + typed)


def minutes_of_code(text: str, tags: list[str], typing: float) -> tuple[float, float]:
    """The minutes of a cell of code, shown and typed, with its predictions and players."""
    looks = PREDICTION * text.count("viz.predict(") + PLAYER * len(
        re.findall(
            r"(?:viz|own)\.(?:step|step_tape|surface|jacobian|explain|pending|flow|memory)\(", text
        )
    )
    if "setup" in tags or "picture" in tags:
        return looks, looks
    shown = looks + text.count("\n") / SHOWN
    if "given" in tags or "viz.predict(" in text:
        return shown, shown
    return shown, looks + len(re.sub(r"\s+", " ", text)) / typing


def plain(heading: str) -> str:
    """A heading without marks."""
    return re.sub(r"[`*$]", "", heading)


def main(arguments: list[str] | None = None) -> int:
    """Prints the plan of the named lessons, or of all."""
    parser = argparse.ArgumentParser(description="How long the sections of the lessons take.")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--typing", type=float, default=200.0, help="characters a minute (200)")
    parser.add_argument("--order", choices=list(ORDERS), help="the lessons of an order, in turn")
    options = parser.parse_args(arguments)
    if options.order:
        print(*order(options.order), sep="\n")
        return 0
    for source in sources():
        if not options.names or source.stem in options.names:
            plan = sections(source, options.typing)
            shown, typed = sum(each.shown for each in plan), sum(each.typed for each in plan)
            print(f"{source.stem}: shown {shown:.0f}, typed {typed:.0f} minutes")
            for each in plan:
                print(f"    {each.name:50} {each.shown:3.0f} {each.typed:3.0f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
