"""Training loops in one traced function: `python tests/benchmarks/loops.py [PYTHON]`.

Prints CPU time per step, the least of several runs. With the Python of an environment that has
TensorFlow it runs the same programs there, in turns with minitape and on one thread each. Then a
simulation of 100 steps with its gradient: as a `tf.while_loop`, beside a loop on a tape.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

os.environ.update({"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"})
HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent)]

from loop_programs import PROGRAMS, simulations

STEPS, ROUNDS = 1000, 9


def spend(f: Callable[[], Any]) -> float:
    start = time.process_time()
    f()
    return time.process_time() - start


def serve(module: str) -> None:
    """Runs the program that each line of the input names, and prints the seconds of a step."""
    tf: Any = import_module(module)
    if module == "tensorflow":
        tf.config.threading.set_intra_op_parallelism_threads(1)
        tf.config.threading.set_inter_op_parallelism_threads(1)
    programs: dict[str, Callable[[int], float]] = {}
    for line in sys.stdin:
        name = line.strip()
        if name not in programs:
            programs[name] = PROGRAMS[name](tf)
            programs[name](STEPS)
        print(spend(lambda run=programs[name]: run(STEPS)) / STEPS, flush=True)


class Server:
    """A process that measures programs with one library."""

    def __init__(self, python: str, module: str) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        command = [python, __file__, "--serve", module]
        self.process: Any = subprocess.Popen(command, text=True, **pipes)

    def measure(self, name: str) -> float:
        self.process.stdin.write(f"{name}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def main(pythons: list[str]) -> None:
    """Prints both tables."""
    servers = [Server(sys.executable, "minitape"), *(Server(p, "tensorflow") for p in pythons[:1])]
    print(f"µs a step of {STEPS}: minitape{', TensorFlow, ratio' if pythons else ''}")
    for name in PROGRAMS:
        rounds = [[server.measure(name) for server in servers] for _ in range(ROUNDS)]
        best = [1e6 * min(times) for times in zip(*rounds, strict=True)]
        ratio = f"{best[0] / best[-1]:8.2f}" if pythons else ""
        print(f"{name:20}", *(f"{each:8.1f}" for each in best), ratio, flush=True)
    for server in servers:
        server.close()
    ways = simulations(import_module("minitape"))
    rounds = [[spend(run) for run in ways.values()] for _ in range(20 * ROUNDS)]
    best = [1e3 * min(times) for times in zip(*rounds, strict=True)]
    print("ms for a simulation of 100 steps with its gradient, and beside the loop on a tape")
    for name, taken in zip(ways, best, strict=True):
        print(f"{name:20} {taken:8.2f} {taken / best[0]:8.2f}")


if __name__ == "__main__":
    if "--serve" in sys.argv:
        serve(sys.argv[-1])
    else:
        main(sys.argv[1:])
