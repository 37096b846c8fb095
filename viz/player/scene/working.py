"""How one element of a step is worked out: its equation, and the products behind it.

The element is the first one that is not finite, else the largest in size. A step of a program that
cannot be computed again here has what its trace says of slopes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.safety.silence import Silence

from ...base.numbers import all_close
from ...base.quoting import readings
from ...record.formula import as_written, level_of
from .again import FIRST, Again, values_of
from .claims import Number, Product, equal, exact, of_formula, total, written
from .meeting import Met, at, met, place
from .naming import _words, template_of

if TYPE_CHECKING:
    from ...trace.arrays import Array
    from ...trace.trace import Node, Step, Trace
    from .naming import Names
    from .parts import Claim, Meet, Role, Term

MOST_LOOKED_AT = 64  # elements of a result of which all are looked at
CLASSES = 6  # logits up to which a probability is written out


@dataclass(slots=True)
class Worked:
    """An element and what it is made of; `same` is whether it is one of the inputs', as it is."""

    claim: Claim | None = None
    meet: Meet | None = None
    met: Met | None = None
    element: int = 0
    shape: tuple[int, ...] = ()
    same: bool = False


class Workings:
    """Works out the steps of one trace."""

    def __init__(self, trace: Trace, names: Names) -> None:
        self.trace = trace
        self.names = names
        self._again: dict[int, Again | None] = {}
        self.pulls: dict[int, list[Step]] = {}  # by the op's node
        for step in trace.steps:
            if step.kind == "pull":
                self.pulls.setdefault(step.node, []).append(step)

    def again(self, node: Node) -> Again | None:
        """The op of a node, computed again; None where that is not possible."""
        if node.id not in self._again:
            try:
                self._again[node.id] = Again(self.trace, node)
            except Exception:  # what cannot be computed again is not claimed
                self._again[node.id] = None
        return self._again[node.id]

    def of(self, step: Step, place: int | None = None) -> Worked:
        """What an element of a step is made of.

        Args:
            step: the step.
            place: which element; by default the one that says most.
        """
        try:
            return self.worked(step, place)
        except Exception:  # an equation that cannot be made is left out, and the sentence stays
            return Worked()

    def worked(self, step: Step, place: int | None = None) -> Worked:
        """The same; what goes wrong is raised."""
        make = {
            "forward": self._forward, "pull": self._pull, "push": self._push,
            "accumulate": self._accumulate, "seed": self._seed,
        }.get(step.kind)  # fmt: skip
        if make is None:
            return Worked()
        with Silence():
            return make(step, place)

    # Forward.

    def _forward(self, step: Step, chosen: int | None) -> Worked:
        node = self.trace.nodes[step.node]
        values = values_of(node.value)
        if values is None or not values.size:
            return Worked()
        element = most_telling(values) if chosen is None else chosen
        worked = Worked(element=element, shape=values.shape)
        again = self.again(node)
        if again is None:
            return worked
        spot = place(values.shape, element)
        own = at(self.names[node.id], values.shape, element)
        result = Number(exact(values, spot), "value", own)
        if again.op.elementwise and not again.op.variadic and not again.op.several:
            worked.claim = self._elementwise(node, again, values, spot, result)
            return worked
        worked.claim = self._probability(again, values, spot, result)
        if worked.claim is None and values.dtype.kind in "fc":
            self._linear(node, again, worked, result)
        if worked.claim is None:
            worked.claim = self._surprise(node, values, element, result)
        return worked

    def _elementwise(
        self, node: Node, again: Again, values: Any, spot: tuple[int, ...], result: Number
    ) -> Claim | None:
        op = again.op
        if not op.latex:
            return None
        names: dict[str, Number | str] = {}
        given = []
        for symbol, own, i in zip(op.inputs, again.inputs, node.inputs, strict=True):
            wide = np.broadcast_to(own, values.shape)
            where = self._under(i, own, spot, values.shape)
            names[symbol] = Number(exact(wide, spot), "value", where)
            given.append(np.asarray(wide[spot]))
        # Two equal numbers are two numbers: each has its own letter.
        for n, symbol in enumerate(op.inputs):
            number = names[symbol]
            assert isinstance(number, Number)
            names[symbol] = number._replace(under=f"{number.under}\0{n}")
        for symbol, value in zip(op.attributes, again.attributes, strict=True):
            names[symbol] = _words(value)
        kinds = [each.dtype for each in given]

        def work(*numbers: Any) -> Any:
            wide = [_wide(x, kind) for x, kind in zip(numbers, kinds, strict=True)]
            out = op.applied(as_written(op).forward, wide, again.attributes)
            return np.asarray(out).item()

        template = template_of(op)
        claim = of_formula(template, names, level_of(template), result, node.dtype, work)
        return None if claim is None else _without_marks(claim)

    def _under(self, node: int, own: Any, spot: tuple[int, ...], shape: tuple[int, ...]) -> str:
        if not own.shape:
            return self.names[node]
        flats = np.broadcast_to(np.arange(own.size).reshape(own.shape), shape)
        return at(self.names[node], own.shape, int(flats[spot]))

    def _linear(self, node: Node, again: Again, worked: Worked, result: Number) -> None:
        """A result that is a sum of its inputs' elements, each times a number."""
        slopes = again.row(node.output, worked.element)
        value = result.value
        positions = [i for i, each in enumerate(slopes) if each is not None]
        for chosen in [positions, *([[i] for i in positions] if len(positions) > 1 else [])]:
            numbers = [(self.names[node.inputs[i]], again.inputs[i], slopes[i]) for i in chosen]
            if not _gives(numbers, value, node.dtype):
                continue
            partner = {}
            if len(chosen) == 1:
                for other, places in again.places(chosen[0]).items():
                    found = _quietly(
                        lambda places=places: again.row(node.output, worked.element, places)
                    )
                    if found is not None:
                        partner[other] = [found[chosen[0]]]
            made = met(again, self.names, node.inputs, numbers, "value", partner)
            if made.partner is None and not self.is_linear(node, again, chosen, worked.element):
                continue
            made.shared = made.partner is None
            worked.met = made
            alone = len(made.products) == 1 and made.partner is None
            if alone and _slope(made.products[0]) == 1:
                worked.same = True
                return
            worked.claim, worked.meet = self._total(made, result, node.dtype)
            return

    def is_uniform(self, node: Node, met: Met) -> bool:
        """Whether each element of a sum or a mean has as many terms as one of them has."""
        again = self.again(node)
        count = int(np.prod(node.shape))
        if again is None or count > MOST_LOOKED_AT:
            return False
        slope = _slope(met.products[0])
        for element in range(count):
            rows = [each for each in again.row(node.output, element) if each is not None]
            used = np.concatenate([row.ravel()[np.flatnonzero(row)] for row in rows])
            if len(used) != len(met.products) or not all_close(used, slope):
                return False
        return True

    def moves(self, node: Node) -> bool:
        """Whether each element of a result is an element of an input, whatever these are."""
        again = self.again(node)
        if again is None:
            return False
        random = np.random.default_rng(1)
        others = [
            random.uniform(1, 2, each.shape) if each.dtype.kind == "f" else each
            for each in again.inputs
        ]
        found = _quietly(lambda: again.forward(others))
        if found is None:
            return False
        known = np.concatenate([x.ravel() for x in others if x.dtype.kind == "f"] or [np.zeros(0)])
        return all(bool(np.isin(out, known).all()) for out in found)

    def is_linear(self, node: Node, again: Again, positions: list[int], element: int) -> bool:
        """Whether the slopes of an element stay when inputs change: a sum does, a largest not."""
        others = list(again.inputs)
        for position in positions:
            others[position] = _moved(again.inputs[position])
        here = again.row(node.output, element)
        there = _quietly(lambda: again.row(node.output, element, others))
        return there is not None and all(
            np.array_equal(here[p], there[p]) for p in positions if here[p] is not None
        )

    def _probability(
        self, again: Again, values: Any, spot: tuple[int, ...], result: Number
    ) -> Claim | None:
        """A probability: a power, divided by the sum of the powers of its row."""
        if len(again.inputs) != 1 or again.inputs[0].shape != values.shape or not values.shape:
            return None
        row = again.inputs[0][spot[:-1]]
        if not 1 < len(row) <= CLASSES or values.dtype.kind != "f":
            return None
        powers = np.exp(row.astype("float64") - np.max(row))
        shares = powers / np.sum(powers)
        if not all_close(shares, values[spot[:-1]], 1e-3, 1e-6):
            return None
        own = spot[-1]
        numbers = [Number(exact(row, (i,)), "value", f"class {i}") for i in range(len(row))]
        pieces: list[str | Number] = ["e^", numbers[own], "/("]
        for i, each in enumerate(numbers):
            pieces += [" + e^" if i else "e^", each]
        pieces.append(")")

        def work(*logits: float) -> float:
            return math.exp(logits[0]) / sum(map(math.exp, logits[1:]))

        return equal(pieces, result, values.dtype.name, work)

    def _surprise(self, node: Node, values: Any, element: int, result: Number) -> Claim | None:
        """A cross entropy: minus the logarithm of the probability of the truth."""
        p, truth = self.shares(node)
        if p is None or truth is None:
            return None
        row, wanted = (each.reshape(-1, each.shape[-1])[element] for each in (p, truth))
        if sorted(set(wanted.tolist())) != [0, 1] or np.sum(wanted) != 1:
            return None
        own = int(np.argmax(wanted))
        number = Number(exact(row, (own,)), "value", f"probability of class {own}, the truth")
        return equal(["−log(", number, ")"], result, values.dtype.name, _surprising)

    def shares(self, node: Node) -> tuple[Any, Any]:
        """Probabilities and the truth beside them, as the equation of a cross entropy has them."""
        for step in self.pulls.get(node.id, ()):
            for term, _, after in zip(
                step.equation, step.equation[1:], step.equation[2:], strict=False
            ):
                if term.text.startswith("softmax(") and after.text == "truth":
                    p, truth = values_of(term.value), values_of(after.value)
                    if p is not None and truth is not None and p.shape == truth.shape:
                        return p, truth
        return None, None

    # Backward.

    def _pull(self, step: Step, chosen: int | None) -> Worked:
        nodes = self.trace.nodes
        node, to = nodes[step.node], nodes[step.to or 0]
        values = values_of(step.contribution)
        if values is None or not values.size:
            return Worked()
        element = most_telling(values) if chosen is None else chosen
        worked = Worked(element=element, shape=values.shape)
        spot = place(values.shape, element)
        under = f"arrives at {at(self.names[to.id], values.shape, element)}"
        result = Number(exact(values, spot), "gradient", under)
        came = [values_of(each) for each in (step.cotangents or (step.cotangent,))]
        sizes = values.dtype.name
        worked.claim = self._laid_out(step, values, spot, result)
        scalar = came[0] is not None and not came[0].shape and not values.shape
        local = values_of(step.local)
        if scalar and len(came) == 1 and local is not None and not local.shape:
            g = Number(exact(came[0]), "gradient", f"gradient so far of {self.names[node.id]}")
            s = Number(exact(local), "slope", self._slope_of(node, to))
            worked.met = Met([Product(g, s)])
            worked.claim, _ = total(worked.met.products, result, sizes)
            return worked
        found = self._own(step, node, to, came, spot, result.value)
        if found is None:
            found = self._columns(step, node, came, element, result.value, sizes)
        if found is not None:
            worked.met = found
            if worked.claim is None:
                worked.claim, worked.meet = self._total(found, result, sizes)
        return worked

    def _own(
        self, step: Step, node: Node, to: Node, came: list[Any], spot: tuple[int, ...], value: Any
    ) -> Met | None:
        """Of an op that is computed element by element, g times the slope of the same element."""
        slopes, again = values_of(step.local), self.again(node)
        g = came[0]
        if again is None or not again.op.elementwise or len(came) > 1:
            return None
        if g is None or slopes is None or g.shape != slopes.shape or g.shape != to.shape:
            return None
        name = f"gradient of {self.names[node.id]}"
        slope = exact(slopes, spot)
        under, role = self._slope_of(node, to), "slope"
        position, element = step.position or 0, int(np.ravel_multi_index(spot, g.shape))
        if slope and math.isfinite(slope):
            for other, places in again.places(position).items():
                found = _quietly(lambda places=places: again.column(position, element, places))
                index = -1.0 if not found else float(found[0][spot]) - FIRST
                is_place = 0 <= index < places[other].size and index == int(index)
                if is_place and again.inputs[other].flat[int(index)] == slopes[spot]:
                    under = at(self.names[node.inputs[other]], places[other].shape, int(index))
                    role = "value"
        made = Met([])
        number = Number(exact(g, spot), "gradient", at(name, g.shape, element))
        made.products.append(Product(number, Number(slope, role, under)))  # type: ignore[arg-type]
        return made

    def _slope_of(self, node: Node, to: Node) -> str:
        return f"slope of {self.names[node.id]} in {self.names[to.id]}"

    def _columns(
        self, step: Step, node: Node, came: list[Any], element: int, value: Any, dtype: str
    ) -> Met | None:
        """What meets in one element of a contribution."""
        again = self.again(node)
        position = step.position or 0
        outputs = again.outputs if again is not None else []
        if again is None or len(came) not in (1, len(outputs)):
            return self._by_slopes(step, node, came, element, value, dtype)
        columns = again.column(position, element)
        if len(came) < len(columns):
            columns = columns[node.output : node.output + 1]
        numbers = [
            (f"gradient of {self.names[out.id]}", g, slope)
            for out, g, slope in zip(outputs, came, columns, strict=False)
            if g is not None
        ]
        if not _gives(numbers, value, dtype, conjugated=True):
            return self._by_slopes(step, node, came, element, value, dtype)
        partner = {}
        for other, places in again.places(position).items():
            found = _quietly(lambda places=places: again.column(position, element, places))
            if found is not None and len(found) == len(columns):
                partner[other] = found
        made = met(again, self.names, node.inputs, numbers, "gradient", partner)
        if made.partner is None:
            others = list(again.inputs)
            others[position] = _moved(again.inputs[position])
            here, there = columns, _quietly(lambda: again.column(position, element, others))
            if there is not None and len(there) > len(here):
                there = there[node.output : node.output + 1]
            made.shared = there is not None and all(map(np.array_equal, here, there))
        return made

    def _by_slopes(
        self, step: Step, node: Node, came: list[Any], element: int, value: Any, dtype: str
    ) -> Met | None:
        """The same from the step's own slopes."""
        g = came[0]
        if g is None or len(came) > 1:
            return None
        name = f"gradient of {self.names[node.id]}"
        slopes = np.zeros(g.shape)
        local = values_of(step.local)
        if local is not None and local.shape == g.shape and local.size > element:
            slopes.flat[element] = local.flat[element]
        elif step.slopes is not None and step.slopes.values:
            for row, column, slope in zip(
                step.slopes.rows, step.slopes.columns, step.slopes.values, strict=True
            ):
                if row == element:
                    slopes.flat[column] = slope
        else:
            return None
        if not _gives([(name, g, slopes)], value, dtype):
            return None
        made = Met([])
        for flat in np.flatnonzero(slopes).tolist():
            spot = place(g.shape, flat)
            label = at(name, g.shape, flat)
            number = Number(exact(g, spot), "gradient", label)
            made.products.append(Product(number, Number(exact(slopes, spot), "slope"), label))
        return made

    def _laid_out(
        self, step: Step, values: Any, spot: tuple[int, ...], result: Number
    ) -> Claim | None:
        """The rule as it is laid out, at one element: g · (p − truth)."""
        if len(step.equation) < 5 or step.equation[0].text == "∑":
            return None
        pieces: list[str | Number] = []
        for term in step.equation:
            array = term.value
            if array is None and term.operand is not None:
                array = step.operands[term.operand].value
            if array is None:
                between = bool(pieces) and term.text in "+−"
                pieces.append(f" {term.text} " if between else term.text)
                continue
            if term.transposed:
                return None
            wide = _aligned(values_of(array), values.shape)
            if wide is None:
                return None
            number = exact(wide, spot)
            role: Role = "gradient" if term.operand == 0 else "value"
            pieces.append(Number(number, role, _spoken(term.text)))
        if not all(isinstance(p, Number) or p.strip() in ("+", "−", "·", "(", ")") for p in pieces):
            return None
        text = "".join(
            f"given[{sum(isinstance(q, Number) for q in pieces[:i])}]" if isinstance(p, Number)
            else p.replace("·", "*").replace("−", "-").strip()
            for i, p in enumerate(pieces)
        )  # fmt: skip
        code = compile(text, "<equation>", "eval")
        return equal(pieces, result, values.dtype.name, lambda *given: eval(code, {"given": given}))

    def _push(self, step: Step, chosen: int | None) -> Worked:
        nodes = self.trace.nodes
        node, to = nodes[step.node], nodes[step.to or 0]
        values, t = values_of(step.contribution), values_of(step.cotangent)
        if values is None or t is None or not values.size:
            return Worked()
        element = most_telling(values) if chosen is None else chosen
        worked = Worked(element=element, shape=values.shape)
        under = f"moves {at(self.names[node.id], values.shape, element)}"
        result = Number(exact(values, place(values.shape, element)), "gradient", under)
        again = self.again(node)
        if again is None or values.dtype.kind == "c":
            return worked
        first = again.outputs[0]
        slopes = again.row(node.id - first.id, element)
        numbers = [(f"tangent of {self.names[to.id]}", t, slopes[step.position or 0])]
        if not _gives(numbers, result.value, values.dtype.name):
            return worked
        worked.met = met(again, self.names, node.inputs, numbers, "gradient", {})
        worked.claim, worked.meet = self._total(worked.met, result, values.dtype.name)
        return worked

    def _total(self, made: Met, result: Number, dtype: str) -> tuple[Claim | None, Meet | None]:
        return total(made.products, result, dtype, (made.left, made.right), made.shared)

    def _accumulate(self, step: Step, chosen: int | None) -> Worked:
        old, new, both = map(values_of, (step.old, step.contribution, step.total))
        if old is None or new is None or both is None or not both.size:
            return Worked()
        element = most_telling(both) if chosen is None else chosen
        spot = place(both.shape, element)
        name = at(self.names[step.node], both.shape, element)
        terms = [
            Product(Number(exact(old, spot), "gradient", "so far"), None, "so far"),
            Product(Number(exact(new, spot), "gradient", "what arrives"), None, "what arrives"),
        ]
        result = Number(exact(both, spot), "sum", f"gradient so far of {name}")
        claim, _ = total(terms, result, both.dtype.name)
        return Worked(claim, None, None, element, both.shape)

    def _seed(self, step: Step, chosen: int | None) -> Worked:
        values = values_of(step.cotangent)
        if values is None or not values.size:
            return Worked()
        return Worked(element=most_telling(values), shape=values.shape)


def most_telling(values: Any) -> int:
    """The first element that is not finite, else the one that is largest in size."""
    if values.dtype.kind not in "fciub":
        return 0
    if values.dtype.kind in "fc":
        broken = np.flatnonzero(~np.isfinite(values))
        if len(broken):
            return int(broken[0])
    wide = values.astype("float64") if values.dtype.kind in "iub" else values
    return int(np.argmax(np.abs(wide)))


def bounded(array: Array | None, limit: int = 40) -> str:
    """An array in a sentence: whole if it is short, else nothing."""
    if array is None or not array.size or not array.is_whole or array.size > 6:
        return ""
    text = array.text(limit)
    if "…" in text:
        return ""
    return f"({text})" if array.dtype.startswith("complex") and not array.shape else text


def _gives(
    numbers: list[tuple[str, Any, Any]], value: Any, dtype: str, conjugated: bool = False
) -> bool:
    """Whether numbers times slopes add up to what was recorded, within rounding."""
    total_, size, count = 0.0 + 0j, 0.0, 0
    for _, values, slopes in numbers:
        if slopes is None or np.shape(slopes) != np.shape(values):
            if slopes is not None:
                return False
            continue
        used = np.asarray(slopes) != 0
        wide = np.asarray(slopes)[used].astype("complex128")
        wide = wide.conj() if conjugated else wide
        terms = np.asarray(values)[used].astype("complex128") * wide
        total_ += np.sum(terms)
        size += float(np.sum(np.abs(terms)))
        count += len(terms)
    if not math.isfinite(size) or not math.isfinite(abs(value)):
        return bool(size != size) == bool(value != value) or not math.isfinite(size)
    near = {"float16": 2e-3, "float64": 1e-12, "complex128": 1e-12}.get(dtype, 2e-6)
    return bool(abs(total_ - value) <= near * max(count, 1) ** 0.5 * 4 * size + 1e-300)


def _moved(values: Any) -> Any:
    """Other values of the same kind, in another order of size."""
    if values.dtype.kind not in "fc" or not values.size:
        return values
    spread = np.linspace(1.37, 0.61, values.size).reshape(values.shape)
    return (np.flip(values) * spread + spread).astype(values.dtype)


def _slope(product: Product) -> Any:
    return 1 if product.slope is None else product.slope.value


def _wide(x: Any, kind: Any) -> Any:
    """A number as an op takes it: floats and complex numbers wide, integers without bounds."""
    if kind.kind in "iu":
        return np.asarray(x, object)[()]
    if kind.kind == "b":
        return np.bool_(x)
    return readings(np.asarray(x, "complex128" if kind.kind == "c" else "float64"), 17)


def _without_marks(claim: Claim) -> Claim:
    from dataclasses import replace

    def clean(term: Term) -> Term:
        return replace(term, under=term.under.partition("\0")[0])

    return replace(claim, left=tuple(map(clean, claim.left)))


def _surprising(p: float) -> float:
    return -math.log(p) if p > 0 else math.inf


def _aligned(values: Any, shape: tuple[int, ...]) -> Any:
    """An array at each element of a shape: broadcast, or by its leading axes."""
    if values is None:
        return None
    if values.shape != shape and values.shape == shape[: values.ndim]:
        values = values.reshape(values.shape + (1,) * (len(shape) - values.ndim))
    try:
        return np.broadcast_to(values, shape)
    except ValueError:
        return None


def _spoken(text: str) -> str:
    return "gradient so far" if text == "g" else text


def _quietly(make: Any) -> Any:
    try:
        return make()
    except Exception:  # places are no numbers that every op takes
        return None


__all__ = ["Worked", "Workings", "bounded", "most_telling", "written"]
