"""Sheets as films, read back with Pillow and ffmpeg."""

from __future__ import annotations

import io
import shutil
import struct
import subprocess
import sys
from dataclasses import replace

import pytest

from minitape.viz.errors import MissingExtraError
from minitape.viz.export import film, waiting
from minitape.viz.export.items import Sheet
from minitape.viz.export.theme import colours, rgb

Image = pytest.importorskip("PIL.Image")
NOISE = 200  # colours that only letters' edges have


def sheet(number, seconds=1.0, width=60.0, height=40.0):
    return Sheet(width, height, (), str(number), seconds=seconds)


def frame(one):
    """A picture of a sheet with a patch that no other has, on a ground with many greys."""
    number = int(one.title)
    picture = Image.new("RGB", (int(one.width), int(one.height)), rgb(colours("light")["paper"]))
    for i in range(NOISE):
        picture.putpixel((i % 50, 20 + i // 50), (i, i, 255 - i))
    picture.paste(rgb(colours("light")["blue"]), (0, 0, 10, 10))
    picture.paste((250 - 40 * number, 40 * number, 7), (20, 0, 30, 10))
    held = io.BytesIO()
    picture.save(held, "PNG")
    return held.getvalue()


def frames(data):
    picture = Image.open(io.BytesIO(data))
    for i in range(picture.n_frames):
        picture.seek(i)
        yield picture.info["duration"], picture.convert("RGB")


def needs_ffmpeg():
    if shutil.which("ffmpeg") is None:
        pytest.importorskip("imageio_ffmpeg")


def test_a_gif_has_a_frame_for_each_sheet_and_stays_as_long_as_one_reads():
    made = film.write([sheet(0, 1.0), sheet(1, 2.504), sheet(2, 0.5)], frame=frame)
    assert [stays for stays, _ in frames(made)] == [1000, 2500, 500]
    fixed = film.write([sheet(0), sheet(1)], frame=frame, seconds=0.25)
    assert [stays for stays, _ in frames(fixed)] == [250, 250]


def test_a_gif_goes_round_for_ever_with_one_palette():
    made = film.gif([sheet(i) for i in range(5)], frame=frame)
    picture = Image.open(io.BytesIO(made))
    assert picture.info["loop"] == 0
    assert made[10] & 0x80 and local_palettes(made) == 0


def local_palettes(data):
    """How many frames of a GIF bring a palette of their own, by the blocks of the format."""
    at, found = 13 + 3 * 2 ** ((data[10] & 7) + 1), 0
    while data[at] != 0x3B:
        if data[at] == 0x21:
            at += 2
        else:
            flags = data[at + 9]
            found += flags >> 7
            at += 11 + (3 * 2 ** ((flags & 7) + 1) if flags >> 7 else 0)
        while data[at]:
            at += 1 + data[at]
        at += 1
    return found


def test_colours_of_the_theme_and_of_large_areas_are_exact_in_every_frame():
    made = film.gif([sheet(i) for i in range(5)], frame=frame)
    for i, (_, picture) in enumerate(frames(made)):
        assert picture.getpixel((5, 5)) == rgb(colours("light")["blue"])
        assert picture.getpixel((25, 5)) == (250 - 40 * i, 40 * i, 7)
        assert picture.getpixel((59, 39)) == (255, 255, 255)


def test_a_smaller_sheet_stands_on_the_paper_of_the_theme():
    made = film.gif([sheet(0), sheet(1, width=51.0, height=31.0)], "dark", frame=frame)
    assert [picture.getpixel((55, 35)) for _, picture in frames(made)] == [
        (255, 255, 255), rgb(colours("dark")["paper"])]  # fmt: skip


def boxes(data):
    """The names of the outer parts of an MP4, in their order."""
    at, found = 0, []
    while at < len(data):
        size, name = struct.unpack_from(">I4s", data, at)
        found.append(name.decode())
        at += size
    return found


def test_an_mp4_plays_everywhere_and_lasts_as_long_as_its_sheets(tmp_path):
    needs_ffmpeg()
    odd = [sheet(i, seconds, 61.0, 41.0) for i, seconds in enumerate((1.0, 2.0, 0.6))]
    made = film.write(odd, frame=frame, ending=".mp4")
    assert boxes(made).index("moov") < boxes(made).index("mdat")  # it begins before all has come
    (tmp_path / "a.mp4").write_bytes(made)
    said = subprocess.run([film._ffmpeg(), "-i", "a.mp4", "-f", "null", "-"], cwd=tmp_path,
                          capture_output=True, text=True, check=True).stderr  # fmt: skip
    assert "yuv420p" in said and "62x42" in said and "Duration: 00:00:03.60" in said


def test_an_mp4_shows_each_sheet_in_its_time(tmp_path):
    needs_ffmpeg()
    big = [sheet(i, seconds, 160.0, 120.0) for i, seconds in enumerate((1.0, 2.0, 1.0))]
    (tmp_path / "a.mp4").write_bytes(film.mp4(big, frame=frame))
    subprocess.run([film._ffmpeg(), "-i", "a.mp4", "-vf", "fps=2", "%d.png"], cwd=tmp_path,
                   capture_output=True, check=True)  # fmt: skip
    drawn = [Image.open(tmp_path / f"{i}.png").convert("RGB") for i in range(1, 9)]
    greens = [round(picture.getpixel((25, 5))[1] / 40) for picture in drawn]
    assert greens == [0, 0, 1, 1, 1, 1, 2, 2]


def test_the_same_sheets_are_the_same_bytes():
    needs_ffmpeg()
    sheets = [sheet(i) for i in range(3)]
    for write in (film.gif, film.mp4):
        assert write(sheets, frame=frame) == write(sheets, frame=frame)


def refuse(_):
    raise AssertionError("a frame was drawn")


def test_without_pillow_a_gif_says_how_to_get_it_before_any_work(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    wanted = r"\.gif needs the package Pillow.*pip install 'minitape\[export\]'"
    for work in (lambda: film.ready(".gif"), lambda: film.gif([sheet(0)], frame=refuse)):
        with pytest.raises(MissingExtraError, match=wanted):
            work()


def test_without_ffmpeg_an_mp4_says_how_to_get_it_before_any_work(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    wanted = r"the program ffmpeg, .* or the package imageio-ffmpeg.*'minitape\[film\]'; or .*\.gif"
    for work in (lambda: film.ready(".mp4"), lambda: film.mp4([sheet(0)], frame=refuse)):
        with pytest.raises(MissingExtraError, match=wanted):
            work()


def test_what_ffmpeg_says_is_in_the_error():
    needs_ffmpeg()
    with pytest.raises(OSError, match="ffmpeg could not make the film: Cannot determine format"):
        film.mp4([sheet(0)], frame=lambda _: b"no picture")


def test_a_film_that_takes_long_counts_its_frames_where_somebody_looks(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(waiting, "SECONDS", -1.0)
    monkeypatch.setattr(sys, "stderr", Terminal())
    film.gif([replace(sheet(i)) for i in range(3)], frame=frame)
    assert sys.stderr.getvalue().split("\r\x1b[K")[2:] == ["frame 2 of 3", "frame 3 of 3", ""]
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    film.gif([sheet(0)], frame=frame)
    assert sys.stderr.getvalue() == ""
