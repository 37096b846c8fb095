"""Runs a PyTorch script in a process of its own, and looks at it; FILE.json is the request.

The request names the script, its text where a correction is tried, and where the answer goes. What
the script saves with `torch.save` goes to a scratch folder, and loaders work without processes of
their own, so that most scripts run to their end under the guard.
"""

from __future__ import annotations

import ast
import linecache
import os
import random
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import torch

from minitape.viz.diagnosis import kinds as kinds, outside
from minitape.viz.diagnosis.sources.places import Places
from minitape.viz.diagnosis.sources.pytorch import Collector, _Named, following
from minitape.viz.diagnosis.trial.running import ScriptRun, answer, end_with_parent

MADE = {"Tensor", "FloatTensor", "DoubleTensor", "LongTensor", "IntTensor", "Parameter", "Variable"}


def main(place: str) -> None:
    """Runs the script of a request, and writes the answer."""
    answer(place, Run)


class Run(ScriptRun):
    """One run of a PyTorch script."""

    def __init__(self, file: str, source: str, asked: dict[str, Any]) -> None:
        super().__init__(file, source, asked)
        self.collector = Collector(Places(file, source), self.look, asked.get("wanted", ()))
        self.collector.evidence.facts["source"] = source

    def prepare(self, scratch: Path) -> None:
        """Seeds, and a folder for what is saved."""
        _stay_inside(scratch)
        random.seed(0)
        np.random.seed(0)
        torch.manual_seed(0)

    def whole(self) -> None:
        """Runs the script as the main module."""
        collector, evidence = self.collector, self.collector.evidence
        tree = ast.fix_missing_locations(
            _Made().visit(outside.Numbers().visit(ast.parse(self.source)))
        )
        code = compile(tree, self.file, "exec", dont_inherit=True)
        module = types.ModuleType("__main__")
        module.__file__ = self.file
        module.__dict__.update(
            __builtins__=__builtins__,
            __float_of__=outside.number_of(float, collector.leaves),
            __int_of__=outside.number_of(int, collector.leaves),
            __made__=self._made,
        )
        sys.modules["__main__"] = module
        sys.argv = [self.file, *self.asked["arguments"]]
        sys.path[0] = str(Path(self.file).parent)
        with following(collector):
            self.ran(code, module.__dict__)
            collector.depth += 1
            for name, x in list(module.__dict__.items()):
                if not name.startswith("_"):
                    collector.name(name, x)
            evidence.facts["optimizers"] = [place for _, place in collector.optimizers]
            evidence.facts |= {"losses": collector.losses, "asked": collector.asked}
            self.last_look()

    def _made(self, made: Any, *args: Any, **options: Any) -> Any:
        """`torch.FloatTensor(x)`, `nn.Parameter(x)`, which no mode of PyTorch's sees."""
        collector = self.collector
        if (
            not collector.on
            or collector.depth
            or not isinstance(made, type | type(torch.FloatTensor))
        ):
            return made(*outside.untraced(args), **outside.untraced(options))
        return collector.made(_Named(made.__name__), made, args, options)


class _Made(ast.NodeTransformer):
    """Puts a call that is seen in place of the constructors that no mode sees."""

    def visit_Call(self, node: ast.Call) -> Any:
        """One call."""
        self.generic_visit(node)
        name = (
            node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        )
        if name not in MADE:
            return node
        made = ast.Name("__made__", ast.Load())
        return ast.copy_location(
            ast.Call(ast.copy_location(made, node.func), [node.func, *node.args], node.keywords),
            node,
        )


def _stay_inside(scratch: Path) -> None:
    """What `torch.save` writes goes to the scratch folder; loaders start no processes."""
    save, load = torch.save, torch.load
    written: set[str] = set()

    def inside(file: Any) -> Any:
        return scratch / ("saved-" + Path(os.fsdecode(file)).name)

    def saves(x: Any, f: Any, *args: Any, **options: Any) -> Any:
        if isinstance(f, str | os.PathLike):
            written.add(os.path.abspath(f))
            f = inside(f)
        return save(x, f, *args, **options)

    def loads(f: Any, *args: Any, **options: Any) -> Any:
        if isinstance(f, str | os.PathLike) and os.path.abspath(f) in written:
            f = inside(f)
        return load(f, *args, **options)

    torch.save, torch.load = saves, loads
    own = torch.utils.data.DataLoader.__init__

    def loader(self: Any, *args: Any, **options: Any) -> None:
        if options.get("num_workers"):
            options = {
                **options,
                "num_workers": 0,
                "persistent_workers": False,
                "prefetch_factor": None,
                "timeout": 0,
                "multiprocessing_context": None,
            }
        own(self, *args, **options)

    torch.utils.data.DataLoader.__init__ = loader


if __name__ == "__main__":
    linecache.clearcache()
    end_with_parent()
    main(sys.argv[1])
