"""Writes sheets as a film: a GIF by Pillow, an MP4 by ffmpeg; frames are PNG pictures of sheets."""

from __future__ import annotations

import io
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import MissingExtraError
from . import png
from .items import Sheet
from .needed import needed
from .theme import colours, rgb
from .waiting import counted

__all__ = ["gif", "mp4", "ready", "write"]

Frame = Callable[[Sheet], bytes]

_COLOURS = 256  # of a GIF
_RATE = 5  # frames a second; a still picture of any length takes hardly more room than one


def ready(ending: str) -> None:
    """Raise if what writes a film is not here; before the work of drawing its frames.

    Args:
        ending: ".gif" or ".mp4".

    Raises:
        MissingExtraError: A package or the program ffmpeg is missing.
    """
    if ending == ".gif":
        needed("PIL.Image", ".gif", "Pillow")
    else:
        _ffmpeg()


def write(
    sheets: Sequence[Sheet],
    theme: str = "light",
    *,
    ending: str = ".gif",
    seconds: float | None = None,
    dpi: float | None = None,
    frame: Frame | None = None,
) -> bytes:
    """A film in the format of an ending.

    Args:
        sheets: a frame each.
        theme: "light", "dark" or "grey".
        ending: ".gif" or ".mp4".
        seconds: how long each frame stays; as long as one reads its sheet where it is None.
        dpi: pixels to an inch of a sheet; by default a slide is 960 pixels wide in a GIF, which
            takes room, and 1280 in an MP4.
        frame: draws a sheet as PNG; our own way where it is None.

    Raises:
        MissingExtraError: A package or the program ffmpeg is missing.
    """
    ready(ending)
    pixels = dpi or (72 if ending == ".gif" else 96)

    def drawn(sheet: Sheet) -> bytes:
        return png.write([sheet], theme, dpi=pixels)

    if frame is None:
        png.check()
    made = gif if ending == ".gif" else mp4
    return made(sheets, theme, frame=frame or drawn, seconds=seconds)


def gif(
    sheets: Sequence[Sheet],
    theme: str = "light",
    *,
    frame: Frame,
    seconds: float | None = None,
) -> bytes:
    """An animated GIF that begins again at its end.

    All frames have one palette and no dithering: with a palette each, or with dots, what does not
    change would flicker.

    Args:
        sheets: a frame each.
        theme: of the frames; its colours have a place in the palette.
        frame: draws a sheet as PNG.
        seconds: how long each frame stays; the sheet's own time where it is None.

    Raises:
        MissingExtraError: Pillow is not installed.
    """
    image = needed("PIL.Image", ".gif", "Pillow")
    paper = rgb(colours(theme)["paper"])
    drawn = [
        np.asarray(image.open(io.BytesIO(frame(sheet))).convert("RGB"))
        for sheet in counted(sheets, len(sheets), "frame")
    ]
    height, width = (max(each.shape[axis] for each in drawn) for axis in (0, 1))
    packed = [_packed(_on_paper(each, height, width, paper)) for each in drawn]
    palette = _palette(packed, theme)
    colour_table = palette.astype(np.uint8).tobytes()
    frames = []
    for each in packed:
        made = image.fromarray(_nearest(each, palette))
        made.putpalette(colour_table)
        frames.append(made)
    held = io.BytesIO()
    frames[0].save(
        held,
        format="GIF",
        save_all=True,
        append_images=frames[1:],
        duration=[round(100 * (seconds or sheet.seconds)) * 10 for sheet in sheets],
        loop=0,
        palette=colour_table,  # once, at the head of the file
        optimize=False,
        disposal=1,
    )
    return held.getvalue()


def mp4(
    sheets: Sequence[Sheet],
    theme: str = "light",
    *,
    frame: Frame,
    seconds: float | None = None,
) -> bytes:
    """A film that PowerPoint, browsers and telephones play (H.264, even sizes, yuv420p).

    Args:
        sheets: a picture each, which stands still.
        theme: of the frames; an odd size is filled up with its paper.
        frame: draws a sheet as PNG.
        seconds: how long each picture stays; the sheet's own time where it is None.

    Raises:
        MissingExtraError: Neither the program ffmpeg nor the package imageio-ffmpeg is there.
        OSError: ffmpeg failed; the message is its own.
    """
    program = _ffmpeg()
    paper = colours(theme)["paper"].replace("#", "0x")
    with tempfile.TemporaryDirectory() as folder:
        lines = ["ffconcat version 1.0"]
        for i, sheet in enumerate(counted(sheets, len(sheets), "frame")):
            Path(folder, f"{i}.png").write_bytes(frame(sheet))
            lines += [f"file {i}.png", f"duration {seconds or sheet.seconds:.3f}"]
        lines.append(f"file {len(sheets) - 1}.png")  # its duration counts only if one follows
        Path(folder, "list.txt").write_text("\n".join(lines), "utf-8")
        length = sum(seconds or sheet.seconds for sheet in sheets)
        even = f"pad=ceil(iw/2)*2:ceil(ih/2)*2:color={paper}"
        command = [program, "-y", "-loglevel", "error", "-f", "concat", "-i", "list.txt"]
        command += ["-vf", f"{even},format=yuv420p,fps={_RATE}", "-t", f"{length:.3f}"]
        command += [
            "-c:v",
            "libx264",
            "-preset",
            "veryfast",
            "-tune",
            "animation",
            "-crf",
            "20",
            "-threads",
            "1",
        ]
        command += ["-map_metadata", "-1", "-fflags", "+bitexact", "-flags:v", "+bitexact"]
        command += ["-movflags", "+faststart", "film.mp4"]
        done = subprocess.run(
            command, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, check=False
        )
        if done.returncode:
            said = "; ".join(done.stderr.decode(errors="replace").strip().splitlines()[-2:])
            raise OSError(
                f"ffmpeg could not make the film: {said}; it needs the encoder libx264, "
                "which the package imageio-ffmpeg brings; or end the name in .gif"
            )
        return Path(folder, "film.mp4").read_bytes()


def _ffmpeg() -> str:
    """The program, on the path or in a package that brings it."""
    found = shutil.which("ffmpeg")
    if found:
        return found
    try:
        program: str = needed("imageio_ffmpeg", ".mp4", "imageio-ffmpeg", "film").get_ffmpeg_exe()
    except (MissingExtraError, RuntimeError) as missing:
        raise MissingExtraError(
            ".mp4 needs the program ffmpeg, which is not on the path, or the package "
            "imageio-ffmpeg, which brings it; install it with: pip install 'minitape[film]'; "
            "or end the name in .gif"
        ) from missing
    return program


def _on_paper(picture: Any, height: int, width: int, paper: tuple[int, int, int]) -> Any:
    """A frame in the upper left corner of the size that all have."""
    if picture.shape[:2] == (height, width):
        return picture
    page = np.full((height, width, 3), paper, np.uint8)
    page[: picture.shape[0], : picture.shape[1]] = picture
    return page


def _packed(picture: Any) -> Any:
    """One number for each pixel's colour."""
    parts = picture.astype(np.int32)
    return parts[..., 0] << 16 | parts[..., 1] << 8 | parts[..., 2]


def _unpacked(numbers: Any) -> Any:
    return np.stack([numbers >> 16, numbers >> 8 & 255, numbers & 255], axis=-1)


def _palette(pictures: Sequence[Any], theme: str) -> Any:
    """The colours that most pixels have, those of the theme first."""
    counts: Counter[int] = Counter()
    for each in pictures:
        values, times = np.unique(each, return_counts=True)
        counts.update(dict(zip(values.tolist(), times.tolist(), strict=True)))
    named = [int(value[1:], 16) for value in dict.fromkeys(colours(theme).values())]
    by_use = sorted(counts, key=lambda value: (-counts[value], value))
    chosen = list(dict.fromkeys([value for value in named if value in counts] + by_use))
    return _unpacked(np.array(chosen[:_COLOURS], np.int32))


def _nearest(picture: Any, palette: Any) -> Any:
    """The place in the palette of each pixel's colour, or of the one that is nearest to it."""
    values, where = np.unique(picture, return_inverse=True)
    apart = _unpacked(values)[:, None, :] - palette[None, :, :]
    best = np.square(apart).sum(axis=-1).argmin(axis=1).astype(np.uint8)
    return best[where].reshape(picture.shape)
