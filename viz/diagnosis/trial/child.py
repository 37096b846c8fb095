"""Runs a PyTorch script in a process of its own, and looks at it; FILE.json is the request.

The request names the script, its text where a correction is tried, and where the answer goes. What
the script saves with `torch.save` goes to a scratch folder, and loaders work without processes of
their own, so that most scripts run to their end under the guard.
"""

from __future__ import annotations

import ast
import json
import linecache
import os
import random
import sys
import tokenize
import types
from pathlib import Path
from typing import Any

import numpy as np
import torch

from minitape.viz.diagnosis import kinds as kinds, outside
from minitape.viz.diagnosis.diagnosis import Diagnosis, diagnose
from minitape.viz.diagnosis.evidence import Ask
from minitape.viz.diagnosis.sources.places import Places
from minitape.viz.diagnosis.sources.pytorch import Collector, _Named, following
from minitape.viz.examining.child import end_with_parent, in_words, limit, show_lines
from minitape.viz.examining.guard import Guard

MAX_OUTCOMES = 200
MAX_NUMBERS = 24
MADE = {"Tensor", "FloatTensor", "DoubleTensor", "LongTensor", "IntTensor", "Parameter", "Variable"}


def main(place: str) -> None:
    """Runs the script of a request, and writes the answer."""
    asked = json.loads(Path(place).read_text(encoding="utf-8"))
    file, source = asked["file"], asked["source"]
    if source is None:
        with tokenize.open(file) as opened:
            source = opened.read()
    show_lines(file, source)
    run = Run(file, source, asked)
    guard = Guard(file, Path(asked["scratch"]))
    run.write(guard)
    limit(asked["processor_seconds"])
    _stay_inside(Path(asked["scratch"]))
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)
    guard.start()
    run.whole()
    run.write(guard)
    os._exit(0)


class Run:
    """One run of a script, and what is known of it."""

    def __init__(self, file: str, source: str, asked: dict[str, Any]) -> None:
        self.file, self.source, self.asked = file, source, asked
        self.collector = Collector(Places(file, source), self.look, asked.get("wanted", ()))
        self.collector.evidence.facts["source"] = source
        self.found: dict[Any, Diagnosis] = {}
        self.outcomes: list[dict[str, Any]] = []
        self.ended, self.error = "killed", ""
        self.problems: list[str] = []

    def look(self, ask: Ask) -> None:
        """Asks all kinds about one request."""
        self._diagnose(ask)
        if len(self.outcomes) < MAX_OUTCOMES:
            self.outcomes.append(self._outcome(ask))

    def _diagnose(self, ask: Ask | None) -> None:
        try:
            for each in diagnose(self.collector.evidence, ask):
                self.found.setdefault(each.key, each)
        except Exception as error:  # what goes wrong in here never reaches the script
            self.problems.append(f"{type(error).__name__}: {error}")
            if os.environ.get("MINITAPE_RAISE"):
                import traceback

                self.problems.append(traceback.format_exc())

    def _outcome(self, ask: Ask) -> dict[str, Any]:
        values = [self.collector.evidence.values[key] for key in ask.targets]
        numbers = [_few(value.numbers) for value in values]
        gradients = {}
        for key, g in list(ask.gradients.items())[:40]:
            name = self.collector.evidence.values[key].name or f"#{key}"
            gradients[name] = None if g is None else _few(g)
        return {
            "ask": ask.number,
            "line": ask.place.line if ask.place else 0,
            "error": ask.error,
            "target": [n for each in numbers for n in each][:MAX_NUMBERS],
            "gradients": gradients,
        }

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
            try:
                exec(code, module.__dict__)
                self.ended = "ok"
            except SystemExit as end:
                self.ended = "ok" if end.code in (None, 0) else "failed"
                self.error = "" if self.ended == "ok" else f"it ends with exit code {end.code!r}"
            except BaseException as error:
                self.ended = "failed"
                self.error = in_words(self.file, error)
                self._failed(error)
            collector.depth += 1
            for name, x in list(module.__dict__.items()):
                if not name.startswith("_"):
                    collector.name(name, x)
            evidence.facts["optimizers"] = [place for _, place in collector.optimizers]
            evidence.facts |= {"losses": collector.losses, "asked": collector.asked}
            before = set(self.found)
            self._diagnose(None)
            hidden = {
                name for key in set(self.found) - before for name in self.found[key].kind.hides
            }
            self.found = {
                k: d for k, d in self.found.items() if d.kind.name not in hidden or k not in before
            }

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

    def _failed(self, error: BaseException) -> None:
        evidence, places = self.collector.evidence, self.collector.places
        evidence.error = f"{type(error).__name__}: {error}"
        at = error.__traceback__
        while at is not None:
            code = at.tb_frame.f_code
            if code.co_filename == self.file:
                evidence.error_stack.insert(0, places.at(code, at.tb_lasti, at.tb_lineno))
                for name, x in list(at.tb_frame.f_locals.items()):
                    self.collector.depth += 1
                    self.collector.name(name, x)
                    self.collector.depth -= 1
            at = at.tb_next
        evidence.error_place = next(iter(evidence.error_stack), None)

    def write(self, guard: Guard) -> None:
        """Writes the answer, whole or not at all."""
        losses = {str(p.line): each[:60] for p, each in self.collector.losses.items() if p}
        data = {
            "ended": self.ended,
            "error": self.error,
            "refused": guard.refused,
            "refused_line": guard.line,
            "asked": self.collector.asked,
            "missed": self.collector.missed,
            "losses": losses,
            "problems": self.problems[:5],
            "found": [each.as_data() for each in self.found.values()],
            "outcomes": self.outcomes,
        }
        place = Path(self.asked["answer"])
        with guard.passing():
            new = place.with_suffix(".new")
            new.write_text(json.dumps(data, default=_plain), encoding="utf-8")
            new.replace(place)


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


def _few(numbers: Any) -> list[float]:
    if numbers is None or numbers.dtype.kind not in "fiub":
        return []
    return [float(n) for n in np.asarray(numbers).reshape(-1)[:MAX_NUMBERS]]


def _plain(value: Any) -> Any:
    return (
        value.item()
        if isinstance(value, np.generic)
        else value.tolist()
        if isinstance(value, np.ndarray)
        else str(value)
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
