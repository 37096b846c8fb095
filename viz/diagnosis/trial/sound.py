"""When a correction may be called tried: it computes the function that was written, with its slope.

Three verdicts. SOUND keeps every value that there was and its gradient agrees with the slope. OTHER
is another function, which a pole or a wanted change needs: a possibility. What changes a value or
hides a slope is refused, with the reason.
"""

from __future__ import annotations

import math
from typing import Any

from ..finding import NUMERIC, Finding
from .truth import Slope, Truth

SOUND, OTHER, UNKNOWN = "sound", "other", "unknown"
SAYS = {
    SOUND: "Tried: ",
    OTHER: "A possibility, not checked against the original, because it is another function: "
    "with it, ",
    UNKNOWN: "A possibility: it runs, but whether it is the same function could not be compared; ",
}
CLOSE = 2e-3
FAR = 100.0  # times the largest slope
NOTHING = 1e-20  # a gradient below it moves nothing, in no dtype of a training
OTHERS = {"diverges", "endless", "broken_data", "empty", "twice", "ids", "depth"}  # other functions


def known(before: dict[str, Any]) -> Truth | None:
    """What the function is at a call, as far as it could be computed."""
    data = before.get("truth")
    if data is None:
        return None
    values, slopes = data
    return Truth(list(values), [Slope(*each) for each in slopes])


def refusal(before: Any, after: Any, finding: Finding) -> str:
    """What is wrong with a correction that runs, "" if nothing is.

    Args:
        before: the run of the text as it was.
        after: that of the corrected one.
        finding: what was to be fixed.
    """
    if finding.kind not in NUMERIC or finding.cause in OTHERS:
        return ""
    now = after.outcomes[finding.call]
    found = known(before.outcomes[finding.call])
    if found is not None and finding.kind == "zero" and _is_flat(found, finding):
        return _hides(now, finding)  # there is no slope: what has one is another function
    if found is None or found.is_whole:
        said = _moved(before, after, finding)
        if said:
            return said
    if found is None:
        return _hides(now, finding)
    return _other_value(found, now["target"]) or _other_slope(found, now, finding)


def hides(before: Any, after: Any, finding: Finding) -> bool:
    """Whether a gradient is zero or huge where what is written has a slope: that is never shown."""
    if finding.kind not in NUMERIC or finding.cause in OTHERS:
        return False
    now, found = after.outcomes[finding.call], known(before.outcomes[finding.call])
    if _hides(now, finding):
        return True
    if found is not None and finding.kind == "zero" and _is_flat(found, finding):
        return False
    slopes = [s for s in found.slopes if s.word == "smooth"] if found is not None else []
    size = max((abs(s.right or 0.0) for s in slopes), default=0.0)
    for each in slopes:
        numbers = now["numbers"][each.source] if each.source < len(now["numbers"]) else []
        is_flat = each.element < len(numbers) and abs(numbers[each.element]) < NOTHING
        if is_flat and abs(each.right or 0.0) > max(CLOSE * size, NOTHING):
            return True
        is_huge = each.element < len(numbers) and abs(numbers[each.element]) > FAR * size
        if is_huge and found is not None and found.is_whole and size > NOTHING:
            return True
    return False


def verdict(before: Any, after: Any, finding: Finding) -> str:
    """What a correction that is not refused is."""
    if finding.cause in OTHERS:
        return OTHER
    if finding.kind not in NUMERIC:
        return SOUND
    found = known(before.outcomes[finding.call])
    if found is None:
        return OTHER if finding.kind == "zero" else UNKNOWN
    if not found.is_whole or finding.kind == "zero" and _is_flat(found, finding):
        return OTHER
    return SOUND


def _moved(before: Any, after: Any, finding: Finding) -> str:
    """Whether a value is another one, which was finite before, in any call of that line."""
    line = before.outcomes[finding.call]["line"]
    last = len(before.outcomes) if finding.kind in {"nan", "inf"} else finding.call + 1
    pairs = zip(before.outcomes[:last], after.outcomes, strict=False)
    for old, new in pairs:
        if old["line"] != line or len(old["target"]) != len(new["target"]):
            continue
        if finding.kind not in {"nan", "inf"} and old is before.outcomes[finding.call]:
            continue  # it is what is wrong, or what saturates
        for was, now in zip(old["target"], new["target"], strict=True):
            if math.isfinite(was) and not _is_close(now, was):
                return f"the target is {now:.6g} then, and was {was:.6g}"
    return ""


def _other_value(found: Truth, target: list[float]) -> str:
    if len(target) != len(found.values):
        return "the target has another shape then" if found.is_whole else ""
    for now, right in zip(target, found.values, strict=True):
        if right is not None and math.isfinite(right) and not _is_close(now, right):
            return f"the target is {now:.6g} then, and what is written has the value {right:.6g}"
    return ""


def _other_slope(found: Truth, now: dict[str, Any], finding: Finding) -> str:
    """The first slope that a gradient does not have."""
    size = max((abs(s.right or 0.0) for s in found.slopes if s.word == "smooth"), default=0.0)
    for each in found.slopes:
        numbers = now["numbers"][each.source] if each.source < len(now["numbers"]) else []
        if each.element >= len(numbers):
            continue
        said = _differs(each, numbers[each.element], size)
        if said:
            return said
    return _hides(now, finding)


def _differs(slope: Slope, gradient: float, size: float) -> str:
    sides = [each for each in (slope.left, slope.right) if each is not None]
    if slope.word in {"pole", "undefined"} or not all(map(math.isfinite, sides)):
        return ""
    low, high = min(sides), max(sides)
    room = CLOSE * max(abs(low), abs(high)) + 1e-5 * size
    if low - room <= gradient <= high + room:
        return ""
    return f"the gradient is {gradient:.6g} then, and the slope is {_shown(low, high)}"


def _shown(low: float, high: float) -> str:
    return f"{low:.6g}" if _is_close(low, high) else f"between {low:.6g} and {high:.6g}"


def _hides(now: dict[str, Any], finding: Finding) -> str:
    """Whether a gradient that was zero is as good as zero still."""
    index = finding.facts.get("index", 0)
    if finding.kind != "zero" or index >= len(now["numbers"]):
        return ""
    largest = max(map(abs, now["numbers"][index]), default=1.0)
    return f"the gradient is {largest:.1e} then, as good as zero" if largest < NOTHING else ""


def _is_flat(found: Truth, finding: Finding) -> bool:
    """Whether there is no slope that would move the source that a finding is about."""
    own = [s for s in found.slopes if s.source == finding.facts.get("index", s.source)]
    sizes = [abs(side) for s in own for side in (s.left, s.right) if side is not None]
    return bool(own) and max(sizes, default=1.0) < NOTHING


def _is_close(one: float, other: float) -> bool:
    return abs(one - other) <= CLOSE * abs(other) + 1e-5
