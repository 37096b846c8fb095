"""The palette: a colour that is changed in one place is changed in every picture."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]

# The module of the palette with variables in violet, under its own name, before any other reads it.
CHANGED = """
import sys, types
from pathlib import Path
import minitape.viz.picture
source = Path(minitape.viz.picture.__file__).with_name("theme.py").read_text("utf-8")
green = '"variable-line": "green"'
assert source.count(green) == 1
theme = sys.modules["minitape.viz.picture.theme"] = types.ModuleType("minitape.viz.picture.theme")
theme.__package__ = "minitape.viz.picture"
exec(source.replace(green, '"variable-line": "violet"'), theme.__dict__)

from minitape.viz.picture.svg import svg
from minitape.viz.picture.text_graphs import dot
from minitape.viz.player.page import page
from minitape.viz.trace.arrays import Array
from minitape.viz.trace.trace import Node, Trace

trace = Trace((Node(0, "variable", (), "float64", (), name="w", value=Array.of(3.0)),))
light = theme.PALETTE["violet"][0]
print(f"stroke:{light}" in svg(trace).replace(" ", ""))
print(f'color="{light}"' in dot(trace))
print("--variable-line:var(--violet)" in page(trace).replace(" ", ""))
"""


def test_another_colour_for_variables_is_one_word_and_reaches_every_format():
    done = subprocess.run(
        [sys.executable, "-c", CHANGED], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["True"] * 3
