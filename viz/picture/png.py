"""Pixels as a PNG, without a package for pictures: a header, compressed rows, an end."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import numpy.typing as npt

Pixels = npt.NDArray[np.uint8]


def png_bytes(pixels: Pixels) -> bytes:
    r"""Writes pixels of shape [rows, columns, 3] as a PNG.

    Example:
        >>> png_bytes(np.zeros((1, 1, 3), np.uint8))[:4]
        b'\x89PNG'
    """
    rows, columns, _ = pixels.shape

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + check

    header = struct.pack(">IIBBBBB", columns, rows, 8, 2, 0, 0, 0)
    lines = b"".join(b"\0" + row.tobytes() for row in np.ascontiguousarray(pixels))
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def pixels_of(png: bytes) -> Pixels:
    """The pixels of what `png_bytes` wrote.

    Example:
        >>> pixels_of(png_bytes(np.full((1, 2, 3), 7, np.uint8))).tolist()
        [[[7, 7, 7], [7, 7, 7]]]
    """
    columns, rows = struct.unpack(">II", png[16:24])
    data = zlib.decompress(png[png.index(b"IDAT") + 4 :])
    lines = np.frombuffer(data, np.uint8).reshape(rows, 1 + 3 * columns)
    return lines[:, 1:].reshape(rows, columns, 3).copy()


def enlarged(png: bytes, least: int = 800) -> bytes:
    """The same cells of so many dots that no reader's smoothing is seen.

    Example:
        >>> pixels_of(enlarged(png_bytes(np.zeros((1, 2, 3), np.uint8)), 10)).shape
        (5, 10, 3)
    """
    pixels = pixels_of(png)
    by = -(-least // max(pixels.shape[0], pixels.shape[1]))
    return png_bytes(pixels.repeat(by, axis=0).repeat(by, axis=1)) if by > 1 else png
