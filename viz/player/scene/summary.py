"""The last page of a tape: the answer, the gradients, and what explains their sizes.

Sizes have three kinds of reasons. A number has few paths (their factors multiply), a source that
each round of a loop uses has a contribution a round, and along layers what arrives grows or
shrinks, which is to be seen on a logarithmic axis.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.numbers import short, size_in_bytes
from ...views.chapters import arrivals, chapters, largest, with_the_rest
from .again import values_of
from .claims import Number, Product, equal, exact, total
from .naming import ordinal
from .nonfinite import beginning
from .parts import Bar, Explained, Gradient, Summary
from .sentences import Runs, runs

if TYPE_CHECKING:
    from ...trace.arrays import Array
    from ...trace.trace import Step, Trace
    from .parts import Claim, Run
    from .steps import Scenes

MOST_PATHS = 8
MOST_FACTORS = 12
AT_ENDS = 4  # bars of many that stand first, and last
FEWEST_ROUNDS = 3
VANISHING = 100.0  # of one layer to another, from which on it is said
LARGE = 1e4


class Summaries:
    """Makes the summary of one trace."""

    def __init__(self, scenes: Scenes) -> None:
        self.scenes = scenes
        self.trace: Trace = scenes.trace
        self.names = scenes.names
        self._counts: dict[int, int] | None = None

    def made(self) -> Summary:
        """The summary."""
        trace = self.trace
        ends = trace.targets if trace.carries == "tangents" else trace.sources
        result = ""
        if trace.targets:
            node = trace.nodes[trace.targets[0]]
            text = node.value.text(60) if node.value is not None else "unknown"
            result = f"{self.names[node.id]} = {text}"
        explained = self._paths()
        if len(explained) < len(ends):
            explained += [*self._rounds(), *self._layers()]
        return Summary(
            self._answer(), result, tuple(map(self._gradient, ends)), tuple(explained),
            self._facts(), "tangent" if trace.carries == "tangents" else "gradient",
        )  # fmt: skip

    # The answer.

    def _answer(self) -> Runs:
        trace = self.trace
        if trace.carries == "tangents":
            return runs("The tangent has reached the target: it says how fast the target changes.")
        if not trace.targets or not trace.sources:
            return runs("Nothing was differentiated.")
        target = self._name(trace.targets[0])
        found = {i: g for i in trace.sources if (g := trace.gradients.get(i)) is not None}
        missing = [i for i in trace.sources if trace.gradients.get(i) is None]
        if missing:
            names = [each for i in missing[:4] for each in (", ", self._name(i))][1:]
            more = f" and {len(missing) - 4} more" if len(missing) > 4 else ""
            whose = "its gradient is" if len(missing) == 1 else "their gradients are"
            return runs(
                "No recorded path connects ", *names, more, " to ", target, f": {whose} None."
            )
        broken = [i for i, g in found.items() if not g.finite]
        if broken:
            first = beginning(self.scenes)
            return runs(first.said if first is not None else "Not every gradient is finite.")
        sizes = {i: largest(g) for i, g in found.items() if g.size}
        if not sizes or any(g.sampled for g in found.values()):
            return runs("One backward pass, and every gradient has arrived.")
        if all(size == 0 for size in sizes.values()):
            what = " does not change with any source."
            return runs("Every gradient is exactly 0: to first order ", target, what)
        if said := self._vanishing():
            return said
        return self._largest(sizes, target)

    def _largest(self, sizes: dict[int, float], target: Run) -> Runs:
        trace = self.trace
        order = sorted(sizes, key=lambda i: -sizes[i])
        first = order[0]
        is_number = (
            all(not trace.nodes[i].shape for i in sizes) and not trace.nodes[trace.targets[0]].shape
        )
        if not is_number:
            zeros = self._zeros(list(sizes))
            if len(sizes) == 1:
                return runs(
                    "The largest element of the gradient of ",
                    self._name(first),
                    f" is {short(sizes[first])} in size.",
                    *zeros,
                )
            return runs(
                "The largest gradient is that of ", self._name(first),
                f", {short(sizes[first])} in size; the smallest is that of ",
                self._name(order[-1]), f", {short(sizes[order[-1]])}.", *zeros,
            )  # fmt: skip
        if len(order) == 1:
            return runs(
                "When ",
                self._name(first),
                " changes a little, ",
                target,
                f" changes {self._signed(first)} times as much.",
            )
        second = sizes[order[1]]
        if not second:
            others = "the other gradient is" if len(order) == 2 else "all other gradients are"
            return runs(
                "To first order only ", self._name(first), " moves ", target, f": {others} 0."
            )
        ratio = sizes[first] / second
        if ratio < 1.005:
            return runs(
                self._name(first), " and ", self._name(order[1]), " move ", target, " equally fast."
            )
        return runs(
            self._name(first),
            " moves ",
            target,
            f" about {short(ratio, 2)} times as fast as ",
            self._name(order[1]),
            " does.",
        )

    def _signed(self, source: int) -> str:
        values = self._values(self.trace.gradients.get(source))
        return short(exact(values)) if values is not None else ""

    def _zeros(self, sources: list[int]) -> Runs:
        """How many elements receive exactly zero, of the source that has most of them."""
        counts = []
        for i in sources:
            g = self._values(self.trace.gradients.get(i))
            if g is not None and g.size > 1 and np.any(g == 0):
                counts.append((int(np.sum(g == 0)), g.size, i))
        if not counts:
            return ()
        count, size, i = max(counts)
        said = f" {count} of {size} elements of the gradient of "
        return runs(said, self._name(i), " are exactly 0.")

    def _vanishing(self) -> Runs:
        """Whether what arrives shrinks or grows along the layers."""
        found = self._arriving()
        if not found:
            return ()
        first, last = found[0], found[-1]
        if first[1] > 0 and last[1] / first[1] >= VANISHING:
            times = _many(last[1] / first[1])
            return runs(
                f"What arrives at {first[0]} is {times} times smaller than at {last[0]}: gradients "
                "vanish on the way."
            )
        if last[1] > 0 and first[1] / last[1] >= LARGE:
            times = _many(first[1] / last[1])
            return runs(
                f"What arrives at {first[0]} is {times} times larger than at {last[0]}: gradients "
                "explode on the way."
            )
        return ()

    # What explains the sizes.

    def _paths(self) -> list[Explained]:
        """Few paths to a number, with their factors."""
        found = []
        for source in self.trace.sources:
            gradient = self._values(self.trace.gradients.get(source))
            if gradient is None or gradient.shape or gradient.dtype.kind != "f":
                continue
            if not 0 < self.counts().get(source, 0) <= MOST_PATHS:
                continue
            bars = self._ways(source, gradient.dtype.name)
            if not bars:
                continue
            name, target = self.names[source], self.names[self.trace.targets[0]]
            count = len(bars)
            title = f"{count} path{'s'[: count != 1]} from {name} to {target}"
            result = Number(exact(gradient), "sum", f"gradient of {name}")
            claim = None
            if count > 1:
                parts = [Product(Number(b.value, "gradient", b.label), None, b.label) for b in bars]
                claim, _ = total(parts, result, gradient.dtype.name)
                if claim is None:
                    continue
            found.append(Explained("paths", title, tuple(bars), claim))
        return found

    def counts(self) -> dict[int, int]:
        """How many paths lead from each node to the targets, along which a gradient came."""
        if self._counts is None:
            counts: dict[int, int] = {}
            for step in self.trace.steps:
                if step.kind == "seed" and step.cotangent is not None:
                    counts[step.node] = counts.get(step.node, 0) + 1
                elif step.kind == "pull" and step.to is not None:
                    counts[step.to] = counts.get(step.to, 0) + counts.get(step.node, 0)
            self._counts = counts
        return self._counts

    def _ways(self, source: int, dtype: str) -> list[Bar]:
        """The paths from a source, the largest first; none where a factor is not one number."""
        found = self.walked(source)
        factors = [self._factors(path) for path in found]
        if not found or any(each is None for each in factors):
            return []
        nodes = [[step.node for step in path] for path in found]
        common = set(nodes[0]).intersection(*nodes) if len(nodes) > 1 else set()
        bars: list[Bar] = []
        labels: dict[str, int] = {}
        for path, numbers in zip(nodes, factors, strict=True):
            between = [self.names[i] for i in reversed(path[:-1]) if i not in common]
            through = between if len(between) < 5 else [*between[:2], "…", between[-1]]
            label = f"through {', '.join(through)}" if between else "directly"
            labels[label] = labels.get(label, 0) + 1
            label += f" ({ordinal(labels[label])})" if labels[label] > 1 else ""
            assert numbers is not None
            value = math.prod(each.value for each in numbers)
            bars.append(Bar(label, value, short(value), self._multiplied(numbers, value, dtype)))
        return sorted(bars, key=lambda bar: -abs(bar.value))

    def walked(self, source: int) -> list[list[Step]]:
        """The paths from a source back to a seed, as lists of steps."""
        into: dict[int, list[Step]] = {}
        seeds = {}
        for step in self.trace.steps:
            if step.kind == "pull" and step.to is not None:
                into.setdefault(step.to, []).append(step)
            elif step.kind == "seed":
                seeds[step.node] = step
        found: list[list[Step]] = []
        waiting: list[tuple[int, list[Step]]] = [(source, [])]
        while waiting:
            node, path = waiting.pop()
            if node in seeds:
                found.append([*path, seeds[node]])
            waiting += [(step.node, [*path, step]) for step in reversed(into.get(node, []))]
        return found

    def _factors(self, path: list[Step]) -> list[Number] | None:
        """The seed and the slopes along a path, from the target on."""
        numbers = []
        for step in reversed(path):
            array = step.cotangent if step.kind == "seed" else step.local
            value = self._values(array)
            if value is None or value.shape or value.dtype.kind != "f":
                return None
            under = "the seed"
            if step.to is not None:
                under = f"slope of {self.names[step.node]} in {self.names[step.to]}"
            numbers.append(Number(exact(value), "slope", under))
        return numbers

    def _multiplied(self, numbers: list[Number], value: float, dtype: str) -> Claim | None:
        """The factors of a path; those that are 1 are left out."""
        kept = [each for each in numbers if each.value != 1]
        if not 1 < len(kept) <= MOST_FACTORS:
            return None
        pieces: list[str | Number] = []
        for i, each in enumerate(kept):
            pieces += ["·", each] if i else [each]
        result = Number(value, "gradient")
        return equal(pieces, result, dtype, lambda *given: math.prod(given))

    def _rounds(self) -> list[Explained]:
        """A source that is used once in each of several rounds: a contribution a round."""
        found = []
        for source in self.trace.sources[:8]:
            gradient = self.trace.gradients.get(source)
            pulls = [s for s in self.trace.steps if s.kind == "pull" and s.to == source]
            if gradient is None or len(pulls) < FEWEST_ROUNDS:
                continue
            if any(p.node != source and p.contribution is None for p in pulls):
                continue
            makers = {self.trace.nodes[p.node].op for p in pulls}
            if len(makers) != 1:
                continue  # not one line in rounds
            if not gradient.shape and self.counts().get(source, 0) <= MOST_PATHS:
                continue
            found += self._each_round(source, pulls[::-1])
        return found

    def _each_round(self, source: int, pulls: list[Step]) -> list[Explained]:
        values = [self._values(p.contribution) for p in pulls]
        if any(v is None or v.dtype.kind != "f" for v in values):
            return []
        name = self.names[source]
        claim = None
        gradient = self._values(self.trace.gradients.get(source))
        sizes = [float(np.max(np.abs(v), initial=0)) for v in values]
        if gradient is not None and not gradient.shape:
            numbers = [exact(v) for v in values]
            parts = [
                Product(Number(v, "gradient", f"use {i + 1}"), None, f"use {i + 1}")
                for i, v in enumerate(numbers)
            ]
            result = Number(exact(gradient), "sum", f"gradient of {name}")
            claim, _ = total(parts, result, gradient.dtype.name)
            bars = [Bar(f"use {i + 1}", v, short(v)) for i, v in enumerate(numbers)]
            title = f"{name} is used {len(pulls)} times: what arrives from each use, added"
        else:
            bars = [Bar(f"use {i + 1}", v, short(v)) for i, v in enumerate(sizes)]
            title = f"{name} is used {len(pulls)} times: the largest element that arrives from each"
        return [Explained("rounds", title, tuple(bars), claim)]

    def _layers(self) -> list[Explained]:
        found = self._arriving()
        if not found:
            return []
        bars = tuple(Bar(label, size, short(size)) for label, size in found)
        return [
            Explained("layers", "The largest gradient that arrives at each part, in size", bars)
        ]

    def _arriving(self) -> list[tuple[str, float]]:
        nodes = self.trace.nodes
        try:
            named = with_the_rest(chapters(nodes), nodes)
            found = arrivals(self.trace, named)
        except Exception:  # parts that are not recognised are left out
            return []
        return [(each.chapter, each.size) for each in found if math.isfinite(each.size)]

    # The rest.

    def _gradient(self, source: int) -> Gradient:
        array = self.trace.gradients.get(source)
        shape = tuple(self.trace.nodes[source].shape)
        if array is None:
            return Gradient(self.names[source], shape, "None")
        values = self._values(array)
        size, zeros = "", 0
        if values is not None and values.size > 1 and values.dtype.kind in "fc":
            zeros = int(np.sum(values == 0))
        if array.size > 1 and array.finite and not array.sampled:
            size = short(largest(array))
        return Gradient(self.names[source], shape, array.text(60), size, zeros, array.size)

    def _facts(self) -> tuple[str, ...]:
        steps = self.trace.steps
        forward = sum(s.kind == "forward" for s in steps)
        back = sum(s.kind in ("pull", "push") for s in steps)
        sums = sum(s.kind == "accumulate" for s in steps)
        paths = sum(self.counts().get(i, 0) for i in self.trace.sources)
        held = max((s.held for s in steps), default=0)
        facts = [_count(forward, "operation"), f"{_count(back, 'step')} back"]
        facts += [_count(sums, "sum") + " where contributions meet"] if sums else []
        facts += [_count(paths, "path")] if paths else []
        facts += [f"at most {size_in_bytes(held)} saved for the backward pass"] if held else []
        return tuple(facts)

    def _name(self, node: int) -> Run:
        return self.scenes.sentences.name(node)

    def _values(self, array: Array | None) -> Any:
        found = values_of(array)
        return found if found is not None and found.dtype.kind in "fciu" else None


def few(bars: Sequence[Bar], most: int) -> list[int]:
    """The places of bars; of more than `most` the first, the largest and the last."""
    count = len(bars)
    if count <= most:
        return list(range(count))
    largest = max(range(count), key=lambda i: abs(bars[i].value))
    return sorted({*range(AT_ENDS), largest, *range(count - AT_ENDS, count)})


def lengths(explained: Explained) -> list[float]:
    """How long bars are, as shares: in proportion, or by orders of magnitude above the smallest."""
    sizes = [abs(b.value) if math.isfinite(b.value) else 0.0 for b in explained.bars]
    top = max(sizes, default=0.0)
    if not top:
        return [0.0] * len(sizes)
    if explained.kind != "layers":
        return [size / top for size in sizes]
    least = min(size for size in sizes if size)
    span = math.log10(top / least) + 1
    return [(math.log10(size / least) + 1) / span if size else 0.0 for size in sizes]


def _many(times: float) -> str:
    return f"{times:,.0f}" if times < 1e6 else short(times, 2)


def _count(count: int, word: str) -> str:
    return f"{count:,} {word}{'s'[: count != 1]}"
