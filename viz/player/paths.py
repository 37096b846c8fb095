"""The paths from each source to the target as a page lists them: factors, their product, their sum.

Along a path slopes multiply, and where paths meet they add up. Both are written where every
gradient on the way is one number, with as many digits as make them true.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from minitape.safety.silence import Silence

from ..base.numbers import short
from ..base.spoken import Tree
from .scene.again import values_of
from .scene.claims import Number, Product, equal, exact, total
from .scene.summary import MOST_PATHS

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..trace.trace import Array, Node, Step, Trace
    from .scene.parts import Claim
    from .scene.summary import Summaries

MOST_SOURCES = 200
AT_ENDS = 6  # factors of a path: of more than twice as many those in the middle are left out
LONGEST = 400  # steps of a path
LEAST_SHARE = 0.09  # of a bar, to have its number on it


def paths(summaries: Summaries, called: Callable[[Node], str]) -> dict[str, Tree]:
    """The paths of each source that has some to show; other pictures have those of many.

    Args:
        summaries: Makes the last page; it knows the paths.
        called: Says what a node is called.
    """
    trace = summaries.trace
    if trace.carries == "tangents":
        return {}
    pictured = {each.source for each in trace.paths if len(each.ways) > 1}
    writer = _Writer(trace, called)
    found: dict[str, Tree] = {}
    for source in trace.sources[:MOST_SOURCES]:
        gradient, count = trace.gradients.get(source), summaries.counts().get(source, 0)
        if gradient is None or not count or (gradient.shape and count == 1):
            continue
        if source in pictured and (gradient.shape or count > MOST_PATHS):
            continue
        if count > MOST_PATHS:
            words = f"more than {MOST_PATHS} paths to {called(trace.nodes[trace.targets[0]])}"
            found[str(source)] = ["div.paths", ["p.zero", words]]
            continue
        walked = [path for path in summaries.walked(source) if 1 < len(path) <= LONGEST]
        if walked:
            found[str(source)] = writer.listed(walked, gradient)
    return found


class _Writer:
    """Writes the paths of one trace."""

    def __init__(self, trace: Trace, called: Callable[[Node], str]) -> None:
        self.nodes = trace.nodes
        self.called = called
        self.places = {id(step): at for at, step in enumerate(trace.steps)}

    def listed(self, walked: list[list[Step]], gradient: Array) -> Tree:
        """All paths of a source; each is its steps from the source back, with the seed."""
        target = self.called(self.nodes[walked[0][-1].node])
        count = f"{len(walked)} path{'s'[: len(walked) != 1]} to {target}"
        products = [_product(path) for path in walked]
        rows = [self.row(*each) for each in zip(walked, products, strict=True)]
        return ["div.paths", ["p.zero", count], *rows, *self.added(walked, products, gradient)]

    def row(self, path: list[Step], product: Claim | None) -> Tree:
        """A path from the target to the source: names, and between them buttons with factors."""
        texts = [term.text for term in product.left if term.role != "sign"] if product else []
        seed, *factors = texts or [_factor(step) for step in reversed(path)]
        pulls = path[-2::-1]
        row: list[Tree] = ["p.path"] if seed in ("1.0", "") else ["p.path", f"seed {seed} · "]
        for at, (step, factor) in enumerate(zip(pulls, factors, strict=True)):
            if AT_ENDS <= at < len(pulls) - AT_ENDS:
                row += ["… "] * (at == AT_ENDS)
                continue
            go = {"data-do": "go", "data-at": self.places[id(step)], "title": "go to this step"}
            look = "button.factor quiet" if factor == "1.0" else "button.factor"
            name = ["code", self.called(self.nodes[step.node])]
            row += [name, [look, go, f"× {factor}" if factor else "→"]]
        row.append(["code", self.called(self.nodes[path[0].to or 0])])
        return [*row, ["b", f" {product.sign} {product.right.text}"]] if product else row

    def added(
        self, walked: list[list[Step]], products: list[Claim | None], gradient: Array
    ) -> list[Tree]:
        """What the paths bring as the parts of one bar, and their sum."""
        values = [math.prod(_values(path)) for path in walked if _product(path)]
        whole = sum(map(abs, values))
        if len(values) < max(len(walked), 2) or gradient.shape:
            return []
        parts = [Product(Number(value, "gradient"), None) for value in values]
        result = exact(values_of(gradient))
        claim, _ = total(parts, Number(result, "sum"), gradient.dtype)
        sums: list[Tree] = [["p.sumline", claim.text()]] if claim else []
        if not 0 < whole < math.inf:
            return sums
        bar: list[Tree] = ["div.shares"]
        for path, value in zip(walked, values, strict=True):
            title = f"by {self.called(self.nodes[path[0].node])}"
            given = {"title": title, "style": f"flex:{abs(value) / whole:.4g} 1 0"}
            text = short(value) if abs(value) >= LEAST_SHARE * whole else ""
            bar.append(["span.share negative" if value < 0 else "span.share", given, text])
        return [bar, *sums]


def _factor(step: Step) -> str:
    """The factor of a pull between two numbers, or a seed; "" where it is none."""
    value = _value(step)
    return "" if value is None else short(value)


def _value(step: Step) -> float | None:
    came = _number(step.cotangent)
    if step.kind == "seed" or came is None:
        return came
    passed, local = _number(step.contribution), _number(step.local)
    if passed is None:
        return None
    if local is not None:
        return local
    with Silence():
        ratio = float(np.float64(passed) / np.float64(came))
    return ratio if math.isfinite(ratio) else None


def _number(array: Array | None) -> float | None:
    """The one number of an array; None where it is not one real number."""
    values = values_of(array)
    if values is None or values.size != 1 or values.dtype.kind != "f":
        return None
    return float(exact(values.reshape(())))


def _values(path: list[Step]) -> list[float]:
    """The seed and the factors of a path, from the target on."""
    return [value for step in reversed(path) if (value := _value(step)) is not None]


def _product(path: list[Step]) -> Claim | None:
    """The equation of a path; None where a factor is not one number."""
    values = _values(path)
    if len(values) < len(path):
        return None
    pieces: list[str | Number] = [Number(values[0], "slope")]
    for value in values[1:]:
        pieces += ["·", Number(value, "slope")]
    result = Number(math.prod(values), "gradient")
    dtype = path[0].contribution.dtype if path[0].contribution else "float64"
    return equal(pieces, result, dtype, lambda *given: math.prod(given))
