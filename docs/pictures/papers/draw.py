"""Draws the pictures of docs/howto/papers.md with its own recipes.

`python docs/pictures/papers/draw.py` runs the page's examples in a temporary folder, sets its
papers with pdfLaTeX, and keeps what they look like. Needs the extra `export`, pdfLaTeX, pdftoppm
and LibreOffice.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image, ImageChops

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

import blocks

from minitape.viz.export import png

PAGE = ROOT / "docs" / "howto" / "papers.md"
PAPERS = re.compile(
    r'^```latex title="(?P<name>.*?)\.tex"\n(?P<text>.*?)^```$', re.DOTALL | re.MULTILINE
)
WIDTH = 1200  # of a picture on the page, at most
LATER = {"talk": 2, "slides": 5}  # the page that is shown, where it is not the first


def main() -> None:
    """Draw all of them."""
    page = PAGE.read_text("utf-8")
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        names: dict[str, object] = {}
        for block in blocks.blocks(page):
            if block.kind == "python":
                exec(block.code, names)
        keep("step", Image.open("step.png"))
        element = names["player"].picture(step=10, at=(1, 1), shows="proof").sheet
        keep("element", Image.open(io.BytesIO(png.write([element], dpi=96))))
        shutil.copy("steps.gif", FOLDER)
        for match in PAPERS.finditer(page):
            name = match["name"]
            Path(f"{name}.tex").write_text(match["text"], "utf-8")
            for _ in range(2):
                run("pdflatex", "-interaction=nonstopmode", "-halt-on-error", name)
            shown = photographed(f"{name}.pdf", LATER.get(name, 1))
            keep(name, shown, cut="beamer" not in match["text"])
        run("soffice", "--headless", "--convert-to", "pdf", "--outdir", "deck", "steps.pptx")
        keep("deck", photographed("deck/steps.pdf", 5))


def run(*command: str) -> None:
    """Run a program that has to succeed."""
    subprocess.run(command, check=True, capture_output=True, stdin=subprocess.DEVNULL)


def photographed(file: str, page: int) -> Image.Image:
    """A page of a PDF."""
    run(
        "pdftoppm",
        "-r",
        "150",
        "-f",
        str(page),
        "-l",
        str(page),
        "-singlefile",
        "-png",
        file,
        "page",
    )
    return Image.open("page.png").convert("RGB")


def keep(name: str, picture: Image.Image, cut: bool = False) -> None:
    """Save a picture small, without the white around it where that says nothing."""
    picture = picture.convert("RGB")
    if cut:
        height = round(picture.height * 0.85)  # without the number of the page
        inside = picture.crop((0, 0, picture.width, height))
        left, top, right, bottom = ImageChops.difference(
            inside, Image.new("RGB", inside.size, "white")
        ).getbbox()
        picture = picture.crop((left - 20, top - 20, right + 20, bottom + 20))
    picture.thumbnail((WIDTH, WIDTH), Image.Resampling.LANCZOS)
    small = picture.quantize(128, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    small.save(FOLDER / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
