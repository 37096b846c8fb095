"""Random networks, and the programs of the lessons, saved in every ending there is."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import io
import json
from typing import Any

import keras_networks
import pytest
from equations import claims, is_true
from geometry import beyond_their_boxes, faults

from everyday import of_today
from minitape.viz import Player
from minitape.viz.player.scene.steps import Scenes
from minitape.viz.player.sheet.sheets import Sheets, Size

STARTS = {
    ".html": b"<!doctype html>", ".svg": b"<svg ", ".png": b"\x89PNG", ".pdf": b"%PDF-",
    ".tex": b"% In the preamble", ".pptx": b"PK", ".gif": b"GIF89a", ".mp4": b"\0\0\0",
    ".json": b"{",
}  # fmt: skip
SINGLE = (".svg", ".png", ".tex")
NEEDS = ("fpdf", "resvg_py", "pptx", "PIL", "imageio_ffmpeg")
FEW, MANY = range(31_500, 31_502), range(31_510, 31_530)
LESSONS = ("01", "03", "04", "05", "06", "10")  # those that take a few seconds
SIZES = (Size(1280, 720), Size(582, None), Size(321, None))


@functools.cache
def networks(seeds: range) -> dict[str, Any]:
    return {f"network {seed}": keras_networks.drawn(seed).trace for seed in seeds}


@functools.cache
def lessons() -> dict[str, Any]:
    """The traces of all players that the lessons make."""
    lesson_cells = pytest.importorskip("lesson_cells")
    found: dict[str, Any] = {}
    whole = Player.__init__
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(lesson_cells.FOLDER)
        for lesson in LESSONS:

            def kept(self: Any, *args: Any, lesson: str = lesson, **options: Any) -> None:
                whole(self, *args, **options)
                found[f"lesson {lesson}, player {len(found)}"] = self.trace

            patch.setattr(Player, "__init__", kept)
            scope: dict[str, Any] = {"__name__": "__main__"}
            for cell in lesson_cells.cells(lesson):
                if cell.kind == "code" and not cell.is_exercise:
                    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Exception):
                        exec(compile(cell.text, "<lesson>", "exec"), scope)
    return found


PROGRAMS = [
    pytest.param(lambda: networks(FEW), id="few networks"),
    pytest.param(
        lambda: networks(of_today(MANY)), id="a third of 20 networks", marks=pytest.mark.slow
    ),
    pytest.param(lessons, id="lessons", marks=pytest.mark.slow),
]


def some(count: int, most: int) -> list[int]:
    """Steps to look at, the first and the last among them."""
    return sorted({1 + round((count - 1) * i / (most - 1)) for i in range(most)})


@pytest.mark.usefixtures("as_declared")  # a lesson registers a gradient
@pytest.mark.parametrize("programs", PROGRAMS)
@pytest.mark.takes_turns
def test_no_text_of_a_network_meets_another_is_cut_or_too_small_and_no_equation_is_false(programs):
    wrong = []
    for name, trace in programs().items():
        scenes = Scenes(trace)
        player = Player(trace)
        for number in some(len(scenes) - 1, 6) if len(scenes) > 1 else []:
            said = [each for each in claims(player.text(number)) if is_true(each) is False]
            wrong += [(name, number, str(each)) for each in said]
            for size in SIZES:
                (sheet,) = Sheets(scenes, size).of([number])
                found = [*faults(sheet), *beyond_their_boxes(sheet.items)]
                wrong += [(name, number, size.width, each) for each in found[:1]]
    assert wrong == []


@pytest.mark.slow
@pytest.mark.usefixtures("as_declared")  # a lesson registers a gradient
@pytest.mark.parametrize("programs", PROGRAMS)
@pytest.mark.takes_turns
def test_a_network_is_saved_in_each_of_the_nine_endings(tmp_path, programs):
    for package in NEEDS:
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not here")
    for name, trace in programs().items():
        player, last = Player(trace), len(Scenes(trace)) - 1
        if last < 1:
            continue
        steps = some(last, 3)
        for ending, start in STARTS.items():
            asked: dict[str, Any] = {"step": steps[-1]} if ending in SINGLE else {"steps": steps}
            asked |= {"dpi": 36} if ending in (".gif", ".mp4", ".png") else {}
            path = tmp_path / f"a{ending}"
            player.save(path, **({} if ending in (".html", ".json") else asked))
            assert path.read_bytes()[:20].lower().startswith(start.lower()), (name, ending)
        assert json.loads((tmp_path / "a.json").read_text())["format"] == "minitape-trace"
