"""How much memory a step needs at its peak: `python tests/benchmarks/memory.py [W3 W4 ...]`.

Each figure is the growth of a fresh process from before a step to the highest point inside of it:
by hand, by tape and, where they are installed, on PyTorch and autograd. Linux only: the kernel
keeps the highest point, and sets it back when asked.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

# What is freed goes back to the kernel at once, so that a warm-up leaves nothing behind.
FIXED = {"MALLOC_MMAP_THRESHOLD_": "16384", "MALLOC_TRIM_THRESHOLD_": "0"}
CONTENDERS = ("by hand", "by tape", "torch", "autograd")
KEYS = ("W3", "W4", "W8", "W10")
sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent.parent)]


def kilobytes(field: str) -> int:
    """A field of what the kernel says of this process, for instance VmRSS."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1])
    raise KeyError(field)


def step(key: str, contender: str) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """The step, and a smaller one that warms up what is loaded at first use."""
    import numpy as np
    import peers
    from workloads import WORKLOADS

    workload = WORKLOADS[key]
    d = workload.data(np.random.default_rng(0))
    if contender == "by hand":
        made = lambda data: lambda: workload.hand(data)  # noqa: E731
    elif contender == "by tape":
        made = workload.tape
    else:
        made = peers.STEPS[contender][key]
    return made(d), made(d | {"n": 99} if "n" in d else d)


def grown(key: str, contender: str) -> int:
    """Kilobytes of one step of this process."""
    run, small = step(key, contender)
    small()
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")  # sets the highest point back
    before = kilobytes("VmRSS")
    run()
    return kilobytes("VmHWM") - before


def main(wanted: list[str]) -> None:
    """Prints the table, a process for each figure."""
    print(f"{'MB':4}" + "".join(f"{name:>10}" for name in CONTENDERS))
    for key in wanted or KEYS:
        shown = []
        for contender in CONTENDERS:
            command = [sys.executable, __file__, "--one", key, contender]
            done = subprocess.run(command, capture_output=True, text=True, env=os.environ | FIXED)
            shown.append(f"{int(done.stdout) / 1024:.1f}" if done.returncode == 0 else "-")
        print(f"{key:4}" + "".join(f"{text:>10}" for text in shown), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(grown(*sys.argv[2:]))
    else:
        main(sys.argv[1:])
