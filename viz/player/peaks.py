"""The peaks of a thumbnail as a short text, one character for each; `marks.js` reads it.

The one fact to know: a mark's side, and not its area, is rounded to 1/45 of a full one, which is at
most 25 pixels wide; so nothing that is seen is lost, and a page is a third smaller.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

LEVELS = 45
ZERO = 80  # the character of an exact zero; 45 on either side are printable
NOTHING = "~"  # a block without a finite number


def peaks_text(peaks: Sequence[float]) -> tuple[float, str]:
    """Write peaks: the largest size, and for each a character that says sign and share of it.

    Example:
        >>> peaks_text([0.0, 2.0, -2.0, 0.08])
        (2.0, 'P}#Y')
    """
    finite = [abs(peak) for peak in peaks if math.isfinite(peak)]
    largest = max(finite, default=0.0)
    return largest, "".join(_character(peak, largest) for peak in peaks)


def _character(peak: float, largest: float) -> str:
    if not math.isfinite(peak):
        return NOTHING
    # What is not zero never becomes zero: a dot is drawn for that alone.
    level = 0 if peak == 0 else max(1, round(LEVELS * math.sqrt(abs(peak) / largest)))
    return chr(ZERO + int(math.copysign(level, peak)))
