"""Draws docs/PICTURES.md and its pictures: `python docs/pictures/draw.py`.

With names, as in `draw.py matmul film`, only those pictures. Screens of the player are photographed
in a headless Chromium, so playwright and that browser have to be there; nothing is fetched.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent.parent
sys.path[:0] = [str(ROOT), str(FOLDER), str(ROOT / "tests")]

from shown import PICTURES, Shown

PAGE = FOLDER.parent / "PICTURES.md"
OPENING = """# Pictures: what the player shows

One picture each for a matrix product, a convolution, attention, a training run and more. Every
picture shows a program that ran: the programs are in
[`docs/pictures/pictured.py`](pictures/pictured.py), and `python docs/pictures/draw.py` draws the
pictures again. A blue mark is a value, an orange mark is a gradient in the backward pass (a
cotangent), and a green mark is a sum. A filled mark is positive, a hollow one is negative, and a
dot is exactly zero. The area of a mark shows the size of the number.
"""


def page() -> str:
    """The text of docs/PICTURES.md."""
    sections = [f"## {p.heading}\n\n{p.sees}\n\n![{p.alt}](pictures/{p.file})\n" for p in PICTURES]
    return "\n".join([OPENING, *sections])


def draw(names: list[str]) -> None:
    """Draw the pictures with these names, or all of them, and the page."""
    chosen = [each for each in PICTURES if not names or each.name in names]
    with contextlib.ExitStack() as opened:
        visit = None
        for each in chosen:
            target = FOLDER / each.file
            if each.size is None:
                target.write_text(each.program().svg, "utf-8")
                continue
            visit = visit or opened.enter_context(_windows())
            target.write_bytes(visit(each))
            print(f"{each.file}: {target.stat().st_size / 1e3:.0f} kB")
    PAGE.write_text(page(), "utf-8")


@contextlib.contextmanager
def _windows() -> Iterator[Callable[[Shown], bytes]]:
    """A browser that photographs pages."""
    from browser import chromium

    with chromium() as browser, tempfile.TemporaryDirectory() as folder:

        def photograph(shown: Shown) -> bytes:
            window = browser.new_page(viewport=shown.size)
            made = shown.program()
            file = made.save(Path(folder) / "page.html")
            window.goto(f"{file.as_uri()}{_address(shown, made)}")
            window.wait_for_timeout(2000)
            for key in shown.keys:
                window.locator(".player, .film [role=slider]").first.focus()
                window.keyboard.press(key)
                window.wait_for_timeout(300)
            window.evaluate("document.activeElement.blur()")  # no frame of the keyboard's focus
            picture = window.screenshot()
            window.close()
            return few_colours(picture)

        yield photograph


def few_colours(picture: bytes) -> bytes:
    """The same PNG with a palette: a third of the bytes, and nothing that one sees."""
    from PIL import Image

    out = io.BytesIO()
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    image.quantize(128, Image.Quantize.MEDIANCUT).save(out, "PNG", optimize=True)
    return out.getvalue()


def _address(shown: Shown, made: Any) -> str:
    """The part of the address that names step and element."""
    if not shown.step:
        return ""
    trace = made.trace
    walked = [step for step in trace.steps if step.kind != "release"]
    kind, *names = shown.step
    if kind == "summary":
        return f"#step={len(walked) + 1}"
    fitting = [at for at, step in enumerate(walked, 1) if _fits(trace, step, kind, names)]
    number = fitting[-1 if kind.startswith("last ") else 0]
    return f"#step={number}" + (f"&at={shown.at}" if shown.at else "")


def _fits(trace: Any, step: Any, kind: str, names: list[str]) -> bool:
    node = trace.nodes[step.node]
    found = [node.op or node.name]
    if step.kind == "accumulate":
        found = [node.name]
    elif step.to is not None:
        found.append(trace.nodes[step.to].name)
    return step.kind == kind.removeprefix("last ") and found[: len(names)] == names


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="which pictures; all when none is named")
    draw(parser.parse_args().names)
