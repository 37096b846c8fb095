"""How fast a tape is beside NumPy by hand: `python tests/benchmarks/bench.py [W1 W3 ...]`.

Prints, per workload, the CPU time by hand and by tape and their ratio: the median of rounds in
which both run in turn, so that a busy machine slows both alike. W9 is the import beside NumPy's.
Where they are installed, autograd and PyTorch run some of them as yardsticks (see `peers`).
"""

from __future__ import annotations

import os
import sys

# One thread, and an allocator that keeps freed memory: without the second, arrays of 100 kB and
# more cost what the kernel takes to give them again, by hand and by tape.
FIXED = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(1 << 30),
}
if __name__ == "__main__" and any(os.environ.get(k) != v for k, v in FIXED.items()):
    os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | FIXED)

import importlib.util
import resource
import statistics
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent.parent)]

import numpy as np
from peers import STEPS
from workloads import WORKLOADS

ROUNDS = 7
SLOT = 0.1  # seconds for each of the two in a round


def pair(key: str) -> tuple[Callable[[], list[Any]], Callable[[], list[Any]]]:
    """The workload by hand and by tape, each on its own copy of the same data."""
    workload = WORKLOADS[key]
    ours = workload.data(np.random.default_rng(0))
    theirs = workload.data(np.random.default_rng(0))
    return lambda: workload.hand(theirs), workload.tape(ours)


def spend(f: Callable[[], Any], times: int) -> float:
    start = time.process_time()
    for _ in range(times):
        f()
    return (time.process_time() - start) / times


def measure(key: str, rounds: int = ROUNDS) -> tuple[float, float, float]:
    """Seconds by hand, seconds by tape, and the median of the rounds' ratios."""
    both = pair(key)
    for f in both:
        f()  # what is loaded at first use is not the workload's
    counts = [max(1, int(SLOT / max(spend(f, 1), 1e-7))) for f in both]
    found = [[spend(f, n) for f, n in zip(both, counts, strict=True)] for _ in range(rounds)]
    by_hand, by_tape = (statistics.median(times) for times in zip(*found, strict=True))
    return by_hand, by_tape, statistics.median(tape / hand for hand, tape in found)


def import_time(module: str) -> float:
    """CPU seconds of an import in a fresh process, above bare Python."""

    def child(code: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    child(f"import {module}")
    return statistics.median(child(f"import {module}") - child("pass") for _ in range(ROUNDS))


def yardsticks(key: str, data: Any) -> dict[str, Callable[[], Any]]:
    """The workload on the peers that are installed."""
    return {
        name: steps[key](data)
        for name, steps in STEPS.items()
        if key in steps and importlib.util.find_spec(name)
    }


def main(wanted: list[str]) -> None:
    """Prints the table."""
    print(f"{'':4} {'by hand':>11} {'by tape':>11} {'ratio':>7}  workload")
    for key, workload in WORKLOADS.items():
        if wanted and key not in wanted:
            continue
        by_hand, by_tape, ratio = measure(key, 3 if key == "W8" else ROUNDS)
        times = f"{by_hand * 1e6:8.1f} µs {by_tape * 1e6:8.1f} µs"
        print(f"{key:4} {times} {ratio:7.2f}  {workload.name}", flush=True)
        for name, run in yardsticks(key, workload.data(np.random.default_rng(0))).items():
            taken = statistics.median(spend(run, 1) for _ in range(ROUNDS + 1))
            print(f"{'':4} {'':11} {taken * 1e6:8.1f} µs {taken / by_hand:7.2f}    on {name}")
    if not wanted or "W9" in wanted:
        ours, theirs = import_time("minitape"), import_time("numpy")
        times = f"{theirs * 1e6:8.0f} µs {ours * 1e6:8.0f} µs"
        print(f"W9   {times} {ours / theirs:7.2f}  import, beside NumPy's")


if __name__ == "__main__":
    main(sys.argv[1:])
