"""The counts of docs/ROBUSTNESS.md: `python tests/robustness_counts.py` prints them anew."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
sys.path[:0] = [str(ROOT), str(TESTS), str(TESTS / "robustness"), str(TESTS / "viz" / "record")]

PAGE = ROOT / "docs" / "ROBUSTNESS.md"


def counts() -> dict[str, int]:
    """What the tests try, counted on the tests themselves."""
    import test_bad_calls
    import test_faults
    import test_interrupts
    import test_leaks
    import test_threads
    import test_trace_fuzz
    import test_values
    import test_viewer_robustness

    daily = test_trace_fuzz.bounded.max_examples
    return {
        "threads at once": test_threads.THREADS,
        "tapes in them": test_threads.THREADS * test_threads.TAPES,
        "faults survived in ops and rules": faults(test_faults),
        "kinds of programs in which they are raised": len(test_faults.PROGRAMS),
        "interrupts by a timer": test_interrupts.ROUNDS * len(test_interrupts.PROGRAMS),
        "training steps at constant memory": test_leaks.STEPS,
        "kinds of programs without a reference cycle or growth": len(test_leaks.KINDS),
        "special values with their slopes": len(test_values.SPECIALS),
        "ways to change an array later": len(test_values.WAYS),
        "malformed calls": len(test_bad_calls.TABLE),
        "broken trace files": len(test_viewer_robustness.BROKEN),
        "traces fuzzed in a normal run": 4 * daily + 60,
    }


def faults(module: object) -> int:
    """How many errors `test_faults` raises: at every op for an interrupt, at some for others."""
    found = 0
    known = dict(module.registry)
    module.registry.update(module.OURS)
    try:
        for work, _ in module.PROGRAMS.values():
            burns = module.burns(work)
            found += burns + 2 * len(range(0, burns, 11))
    finally:
        module.registry.clear()
        module.registry.update(known)
    return found


def table() -> str:
    """The counts as the page's table."""
    rows = [f"| {what} | {number:,} |" for what, number in counts().items()]
    return "\n".join(["| | |", "|---|---:|", *rows])


if __name__ == "__main__":
    print(table())
