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
