"""Is an op's own rule right? Its VJP and JVP beside differences of its forward.

One directional derivative is enough. For weights g and a tangent t that differ from element to
element, <g, JVP t>, <VJP g, t> and the difference quotient of <g, f> must be equal.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from minitape.backward import backward, exhaust
from minitape.custom.op import Operation
from minitape.forward_mode.transposition import push_forward
from minitape.interpreter import Interpreter, follow
from minitape.leaving import only, pushed
from minitape.record import make_record
from minitape.tensor import Tensor, eager
from minitape.tensors.composite import dense

if TYPE_CHECKING:
    from minitape.op import Op


_CELL = re.compile(r"ipykernel_\d+|<ipython-input-")


class Suspect(NamedTuple):
    """An op whose rule disagrees with differences of its own forward."""

    op: str
    rule: str
    where: str
    error: float


def weights(y: Any) -> Tensor:
    """Weights that differ from element to element, so that no error cancels."""
    shape, dtype, _ = y.spec
    size = int(np.prod(shape))
    return eager(np.cos(np.arange(size, dtype=np.float64)).reshape(shape).astype(dtype)[()])


class _Journal(Interpreter):
    """Notes every op on what depends on the followed tensors."""

    __slots__ = ("calls",)

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[Op, Any, Any, Any]] = []

    def observe(self, op: Op, inputs: tuple[Any, ...], outputs: Any, attributes: Any) -> None:
        """Notes an op."""
        self.calls.append((op, inputs, outputs, attributes))

    def follows_variable(self, variable: Any) -> bool:
        """Every variable is followed."""
        return True


def suspects(run: Any, xs: Any, delta: float, tolerance: float) -> list[Suspect]:
    """The ops of a run whose own rules disagree with differences, worst first."""
    journal = _Journal()
    for x in xs:
        follow(x, journal)
    with pushed(journal):
        run(*xs)
    found: dict[str, Suspect] = {}
    for call in journal.calls:
        with only(()):
            for suspect in _suspicions(*call, delta):
                worse = found.get(suspect.rule)
                if suspect.error > tolerance and (worse is None or worse.error < suspect.error):
                    found[suspect.rule] = suspect
    sure = [s for s in found.values() if s.error < np.inf]
    return sorted(sure, key=lambda s: -s.error) or list(found.values())


def _suspicions(op: Op, inputs: Any, out: Any, attributes: Any, delta: float) -> list[Suspect]:
    """For each input of one call, how far its rules are from differences of the forward."""
    if isinstance(op, Operation):  # its forward says nothing: what it gives on was computed before
        where = "a custom gradient; no operation's own rule disagrees"
        return [Suspect(op.name, f"the gradient function of {attributes[0]!r}", where, np.inf)]
    found = []
    for i, x in enumerate(inputs):
        if not op.differentiable or op.input_name(i) in op.cuts or x.spec.dtype.kind not in "fc":
            continue
        try:
            reverse, forward, numeric = _three_ways(op, i, inputs, out, attributes, delta)
        except (ArithmeticError, LookupError, TypeError, ValueError):
            continue  # differences step out of the op's domain
        scale = max(1.0, abs(numeric))
        if op.jvp is not None:
            error = abs(forward - numeric) / scale
            found.append(Suspect(op.name, f"{op.name}.jvp", _line(op.jvp), error))
        name = op.input_name(i)
        rule = op.rules.get(name)
        where = _line(rule.function) if rule else "it has none"
        error = abs(reverse - numeric) / scale
        found.append(Suspect(op.name, f"the rule {op.name}.vjp({name!r})", where, error))
    return found


def _three_ways(
    op: Op, i: int, inputs: Any, out: Any, attributes: Any, delta: float
) -> tuple[float, float, float]:
    """One directional derivative of an op by its VJP rule, its JVP, and differences."""
    holder = _Journal()  # rules know tensors by the ids that followed ones have
    own = tuple(eager(x.value) for x in inputs)
    outputs = tuple(eager(y.value) for y in (out if op.several else (out,)))
    for each in (*own, *outputs):
        follow(each, holder)
    result = outputs if op.several else outputs[0]
    t = weights(own[i])
    above, below = (_moved(op, own, i, t.value * step, attributes) for step in (delta, -delta))
    tangents = tuple(t if k == i else None for k in range(len(own)))
    pushed = push_forward(op, tangents, own, result, attributes)
    forward = numeric = 0.0
    seeds = {}
    for y, p, up, down in zip(
        outputs, map(dense, pushed if op.several else (pushed,)), above, below, strict=True
    ):
        if y.spec.dtype.kind in "fc":
            g = weights(y).value
            seeds[y.id] = eager(np.conj(g))
            numeric += _product(g, (up - down) / (2 * delta))
            forward += 0.0 if p is None else _product(g, dense(p).value)
    followed = tuple(k == i for k in range(len(own)))
    exhaust(backward([make_record(op, followed, own, result, attributes)], seeds))
    pulled = seeds.get(own[i].id)
    reverse = 0.0 if pulled is None else _product(np.conj(dense(pulled).value), t.value)
    return reverse, forward, numeric


def _moved(op: Op, inputs: Any, i: int, step: Any, attributes: Any) -> tuple[Any, ...]:
    values = [x.value + step if k == i else x.value for k, x in enumerate(inputs)]
    out = op.applied(op.forward, values, attributes)
    return out if op.several else (out,)


def _product(a: Any, b: Any) -> float:
    """The real inner product of two arrays."""
    return float(np.sum(np.conj(a) * b).real)


def _line(function: Any) -> str:
    """Where a function stands; a notebook's cell is a file whose name says nothing."""
    code = getattr(function, "__code__", None)
    if code is None:
        return repr(function)
    if _CELL.search(code.co_filename):
        return f"line {code.co_firstlineno} of its cell"
    return f"{code.co_filename}:{code.co_firstlineno}"
