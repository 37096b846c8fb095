"""What a page or a slide cuts off, measured in a browser: at 1280 x 720, and on a telephone.

The browser is any Chromium, Chrome or Edge of this machine, asked once for each lesson: a page with
frames of both sizes, in which each frame measures itself. Nothing is fetched.
"""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

from ..base.terminal import say
from ..course.course import CourseError
from ..course.deck import deck
from ..course.pages import check_packages, lesson_page
from .folder import OwnCourse, OwnLesson
from .pages import as_file, look_of, with_pictures

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome", "microsoft-edge", "msedge")
SIZES = ((1280, 720), (390, 844))
TELEPHONE = 390
LETTERS = 44  # of a word that no telephone's line holds
TIME = 120  # seconds for a lesson

COLLECT = """<!doctype html><meta charset="utf-8"><title>frames</title><body><script>
"use strict";
const found = {};
addEventListener("message", ({ data }) => {
  const [name, over] = JSON.parse(data);
  found[name] = over;
  if (Object.keys(found).length === COUNT) {
    const pre = document.createElement("pre");
    pre.textContent = JSON.stringify(found);
    document.body.replaceChildren(pre);
  }
});
</script>
"""


def browser() -> str | None:
    """The program of a browser, None where there is none."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


def measured(
    browser: str, course: OwnCourse, lesson: OwnLesson, shown: Any
) -> Iterator[tuple[int, str]]:
    """Opens a lesson's page and slides: for what is over the edge its cell and a sentence.

    Args:
        browser: the program.
        course: of which it is a lesson.
        lesson: the notebook as it is in the folder.
        shown: the notebook that was run.
    """
    try:
        check_packages()
    except CourseError as error:
        say(f"   no page was opened: {error}")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = as_file(lesson, shown, folder, course)
        pages = {"page": lesson_page(file, [file], None, look_of(course))}
        if not lesson.is_homework:
            pages["slides"] = deck(file, look_of(course))
        pages = {kind: with_pictures(text, course.folder) for kind, text in pages.items()}
        found = _asked(browser, pages, folder) or _asked(browser, pages, folder)
    if found is None:
        say(f"   its page could not be measured: {Path(browser).name} gave no answer")
        return
    asked = [(kind, wide) for kind in pages for wide, _ in SIZES]  # frames answer in any order
    for kind, size in asked:
        for number, words, at in found.get(f"{kind} {size}", ()):
            if kind == "page":
                where = f"on a page {size} wide it ends at {at}: `{words}`"
            else:
                where = f"the slide `{words}` holds more than 1280 x 720: {at} pixels are cut off"
            yield number, f"{where}; make it smaller, or two of it"


def _asked(browser: str, pages: dict[str, str], folder: Path) -> dict[str, Any] | None:
    """What the frames have measured."""
    frames = []
    script = (resources.files(__package__) / "edges.js").read_text("utf-8")
    for kind, text in pages.items():
        for wide, high in SIZES if kind == "page" else SIZES[:1]:
            key = f"{kind} {wide}"
            measure = f"<script>{script.replace('NAME', json.dumps(key))}</script>"
            place = folder / f"{kind}-{wide}.html"
            place.write_text(text.replace("</body>", f"{measure}</body>"), "utf-8")
            # All in sight: a browser lets a frame outside of the window sleep.
            looks = f"position: fixed; inset: 0; border: 0; width: {wide}px; height: {high}px"
            frames.append(f'<iframe style="{looks}" src="{place.name}"></iframe>')
    collect = COLLECT.replace("COUNT", str(len(frames)))
    start = folder / "frames.html"
    start.write_text(collect + "".join(frames), "utf-8")
    command = [
        browser, "--headless", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
        "--disable-background-networking", f"--user-data-dir={folder / 'profile'}",
        "--virtual-time-budget=60000", "--window-size=1300,900", "--dump-dom", start.as_uri(),
    ]  # fmt: skip
    if getattr(os, "geteuid", lambda: 1)() == 0:
        command.insert(1, "--no-sandbox")  # a browser refuses to start for root in a sandbox
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, encoding="utf-8", timeout=TIME, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (subprocess.TimeoutExpired, OSError):
        return None
    match = re.search(r"<pre>(.*?)</pre>", done.stdout, re.DOTALL)
    found: dict[str, Any] | None = json.loads(html.unescape(match[1])) if match else None
    return found


def guessed(lesson: OwnLesson) -> Iterator[tuple[int, str]]:
    """What is too wide for a telephone for certain: a width that is written down, a long word."""
    for number, cell in enumerate(lesson.book.cells, 1):
        if cell.cell_type != "markdown":
            continue
        widths = re.findall(r"\b(?:min-)?width: *(\d+)px|<table[^>]* width=\"(\d+)\"", cell.source)
        over = [int(one or other) for one, other in widths if int(one or other) > TELEPHONE]
        plain = re.sub(r"`[^`]*`|\$[^$]*\$|\]\([^)]*\)|<[^>]*>|^```.*?^```", " ", cell.source,
                       flags=re.DOTALL | re.MULTILINE)  # fmt: skip
        over += [len(word) for word in re.findall(r"[^\s-]+", plain) if len(word) > LETTERS]
        if over:
            yield number, f"something in it is wider than a page of {TELEPHONE} pixels"
