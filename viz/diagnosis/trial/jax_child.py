"""Runs a JAX script in a process of its own, and looks at it; FILE.json is the request.

A script whose gradients are asked for inside of `jit` runs a second time with `jit` switched off,
where they have numbers. What fails, fails in the first run, as it does without a look.
"""

from __future__ import annotations

import linecache
import random
import sys
import types
from pathlib import Path
from typing import Any

import jax
import numpy as np

from minitape.viz.diagnosis import kinds as kinds
from minitape.viz.diagnosis.sources.jax import Collector
from minitape.viz.diagnosis.sources.places import Places
from minitape.viz.diagnosis.trial.running import ScriptRun, answer, end_with_parent
from minitape.viz.jaxprs.asked import listening


def main(place: str) -> None:
    """Runs the script of a request, and writes the answer."""
    answer(place, Run)


class Run(ScriptRun):
    """One run of a JAX script."""

    def __init__(self, file: str, source: str, asked: dict[str, Any]) -> None:
        super().__init__(file, source, asked)
        self.collector = Collector(Places(file, source), self.look, asked.get("wanted", ()))
        self.collector.evidence.facts |= {"source": source, "dialect": "jax"}

    def prepare(self, scratch: Path) -> None:
        """Seeds: JAX's own are in the script."""
        random.seed(0)
        np.random.seed(0)
        jax.numpy.zeros(1).block_until_ready()  # the backend starts before the guard does

    def whole(self) -> None:
        """Runs the script as the main module, once or twice."""
        code = compile(self.source, self.file, "exec", dont_inherit=True)
        sys.argv = [self.file, *self.asked["arguments"]]
        sys.path[0] = str(Path(self.file).parent)
        with listening(self.collector.ask):
            self.once(code)
            if self.ended == "ok" and self.collector.traced:
                self.collector.traced = 0
                with jax.disable_jit():
                    self.once(code)
        self.last_look()

    def once(self, code: Any) -> None:
        """One run from the first line on."""
        module = types.ModuleType("__main__")
        module.__file__ = self.file
        module.__dict__["__builtins__"] = __builtins__
        sys.modules["__main__"] = module
        self.ran(code, module.__dict__)


if __name__ == "__main__":
    linecache.clearcache()
    end_with_parent()
    main(sys.argv[1])
