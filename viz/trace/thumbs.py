"""Thumbnails: of an array that is too large to be kept, peaks of blocks, tile by tile.

Blocks are taken within a picture alone. Of many pictures (images, channels) the first are kept,
since the largest element of two images is no image.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

SIDE = 24  # blocks a side of a matrix that stands alone
TILE_SIDE = 14  # of one tile among others
MOST_TILES = 64
MOST_PEAKS = 2304  # of all tiles together

Numbers = np.ndarray[Any, np.dtype[Any]]
Axes = tuple[int, int]
LAST_AXES = (-2, -1)


class Thumb(NamedTuple):
    """Peaks of blocks.

    Attributes:
        rows: blocks from top to bottom of each tile.
        columns: blocks from left to right.
        peaks: of each block the element that is largest in size, with its sign, tile by tile.
        tiles: how many tiles along the other axes: images and channels, say.
    """

    rows: int
    columns: int
    peaks: tuple[float, ...]
    tiles: tuple[int, int] = (1, 1)


def thumbnail(array: Numbers, picture: Axes = LAST_AXES) -> Thumb:
    """Make a thumbnail of an array of two to four axes, of which two are a picture's.

    Example:
        >>> thumbnail(np.ones((8, 10, 10, 3)), (1, 2)).tiles
        (7, 3)
    """
    if array.ndim == 2:
        return Thumb(*_peaks(array[None], *(min(SIDE, length) for length in array.shape)))
    pictured = [axis % array.ndim for axis in picture]
    others = [axis for axis in range(array.ndim) if axis not in pictured]
    turned = array.transpose(*others, *pictured)
    tiles = _first_tiles(turned if array.ndim == 4 else turned[None])
    height, width = tiles.shape[2:]
    rows, columns, peaks = _peaks(tiles.reshape(-1, height, width), _cut(height), _cut(width))
    return Thumb(rows, columns, peaks, (tiles.shape[0], tiles.shape[1]))


def _first_tiles(array: Numbers) -> Numbers:
    """The first tiles along two axes, as many as can be seen, with room for both axes."""
    down, across, height, width = array.shape
    most = max(4, min(MOST_TILES, MOST_PEAKS // (_cut(height) * _cut(width))))
    beside = min(across, max(math.isqrt(most), most // down))
    return array[: most // beside, :beside]


def _cut(length: int) -> int:
    """Into how many blocks of one size the side of a tile is cut."""
    return math.ceil(length / math.ceil(length / TILE_SIDE))


def _peaks(tiles: Numbers, rows: int, columns: int) -> tuple[int, int, tuple[float, ...]]:
    """Of rows x columns blocks of (nearly) equal size the finite element largest in size."""
    row_starts = np.arange(rows) * tiles.shape[1] // rows
    column_starts = np.arange(columns) * tiles.shape[2] // columns
    tiles = np.abs(tiles) if tiles.dtype.kind == "c" else tiles
    good = np.isfinite(tiles)
    filled = np.where(good, tiles, 0).astype(np.float64, copy=False)

    def blocks(choose: np.ufunc, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        partial = choose.reduceat(values, row_starts, axis=1)
        found: npt.NDArray[Any] = choose.reduceat(partial, column_starts, axis=2)
        return found

    high, low = blocks(np.maximum, filled), blocks(np.minimum, filled)
    peaks = np.where(high >= -low, high, low)
    peaks[~blocks(np.logical_or, good)] = np.nan
    # Three digits are more than a mark can show, and keep the file small.
    return rows, columns, tuple(float(f"{v:.3g}") for v in peaks.ravel())
