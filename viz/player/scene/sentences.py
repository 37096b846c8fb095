"""What is said of a step, in one or two sentences.

No op is known by its name. What is said follows from what the op declares (its formula, its facts)
and from which elements met; where neither says anything, the sentence is general.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.safety.silence import Silence

from ...base.numbers import all_close, short
from ...trace.facts import declared, facts_of
from ...trace.ties import at_a_tie
from ...trace.wording import sentence as recorded_sentence
from ...trace.zeros import why_zero
from .again import values_of
from .meeting import at
from .naming import ordinal
from .parts import Run
from .rules import Rules
from .working import bounded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...trace.trace import Break, Node, Step, Trace
    from .naming import Names
    from .working import Worked, Workings

Runs = tuple[Run, ...]
FIRST = ("first", "second", "third")
NOT_RUN = "Read from the line alone; it was not run."  # of a correction
LONGEST = 60  # characters of a formula in a sentence
FLAT = 0.05  # a slope of which is said that little gets through

# By the formula that an op declares: what a program does with it.
SIGNS = {
    "{x} + {y}": "+",
    "{x} - {y:2}": "−",
    r"{x:2} \cdot {y:2}": "·",
    r"\frac{{{x}}}{{{y}}}": "/",
}
MOVES = {
    "same": "is {0} itself",
    "shape": "has the elements of {0} in another shape",
    "part": "is a part of {0}",
    "picks": "consists of elements that are picked from {0}",
    "copies": "repeats the elements of {0}",
    "joins": "joins {all}",
    "turns": "has the elements of {0} in another order",
    "pads": "has the elements of {0}, with constants around them",
}


def runs(*parts: str | Run) -> Runs:
    """A sentence of texts and expressions; `names` of a text are expressions."""
    said: list[Run] = []
    for each in parts:
        if isinstance(each, Run):
            said.append(each)
            continue
        pieces = each.split("`")
        pieces = pieces if len(pieces) % 2 else [each]  # one with an odd backtick stays as it is
        said += [Run(text, math=bool(i % 2)) for i, text in enumerate(pieces) if text]
    return tuple(said)


def ticked(said: Runs) -> str:
    """A sentence whose expressions stand in backticks, which a page sets as code."""
    return "".join(
        f"`{run.text}`" if run.math and "`" not in run.text else run.text for run in said
    )


def text_of(said: Runs) -> str:
    """A sentence on one line."""
    return "".join(each.text for each in said)


class Sentences:
    """What is said of the steps of one trace."""

    def __init__(self, trace: Trace, names: Names, workings: Workings) -> None:
        self.trace = trace
        self.names = names
        self.workings = workings
        self.rules = Rules(trace, names)
        self.arrivals: dict[int, int] = {}  # how many contributions come to a node
        for step in trace.steps:
            if step.kind in ("pull", "push"):
                node = step.to if step.kind == "pull" else step.node
                self.arrivals[node or 0] = self.arrivals.get(node or 0, 0) + 1
            elif step.kind == "seed":
                self.arrivals[step.node] = self.arrivals.get(step.node, 0) + 1

    def of(self, step: Step, worked: Worked, before: int) -> tuple[Runs, Runs]:
        """The sentence of a step and the question that it answers.

        Args:
            step: the step.
            worked: how its element is worked out.
            before: how many contributions its node had before it.
        """
        make = {
            "forward": self._forward, "seed": self._seed, "pull": self._pull,
            "accumulate": self._accumulate, "push": self._push,
            "unconnected": self._unconnected,
        }.get(step.kind)  # fmt: skip
        if make is None:
            return runs(recorded_sentence(step, self.trace.nodes, self.trace.carries)), ()
        return make(step, worked, before)

    def name(self, node: int) -> Run:
        """The name of a node, as mathematics."""
        return Run(self.names[node], math=True)

    # Forward.

    def _forward(self, step: Step, worked: Worked, _: int) -> tuple[Runs, Runs]:
        node = self.trace.nodes[step.node]
        said = self._does(node, worked)
        said += self._broken(node, worked) or self._absorbed(node)
        element = at("", worked.shape, worked.element).strip("()") if worked.shape else ""
        ask = ("What is element ", f"{element}", " of ") if element else ("What is ",)
        return said, runs(*ask, self.name(node.id), "?")

    def _does(self, node: Node, worked: Worked) -> Runs:
        op = declared(node)
        inputs = [self.name(i) for i in node.inputs]
        own = self.name(node.id)
        facts = facts_of(node)
        if op is None:
            own_gate = facts.gate if node.facts is not None else ""
            return self._general(node) + runs(self._gate(node, own_gate))
        sign = SIGNS.get(op.latex, "")
        if sign and len(inputs) == 2:
            return self._joined(sign, node)
        if op.latex == "-{x:2}" and inputs:
            return runs("The program changes the sign of ", inputs[0], ".")
        if worked.met is not None and worked.met.partner is not None:
            return self._product(node, worked)
        moves = MOVES.get(facts.moves, "")
        if moves and inputs:
            return runs(own, *_filled(f" {moves}.", inputs))
        if worked.same and inputs:
            if not self.workings.moves(node):
                element = at(self.names[node.id], worked.shape, worked.element)
                return runs(Run(element, True), " is one of the inputs' elements, as it is.")
            moved = [i for i in node.inputs if self.trace.nodes[i].dtype[:5] in ("float", "compl")]
            what = _and(list(dict.fromkeys(self.name(i) for i in moved)))
            return runs(own, " consists of elements of ", *what, ", none of them changed.")
        if (said := self._sum(node, worked)) is not None:
            return said
        gate = self._gate(node, facts.gate)
        if op.elementwise and len(inputs) == 1:
            return runs("The program applies ", called(op), " to ", inputs[0], ".", gate)
        if extreme := facts.extreme:
            if len(inputs) == 1:
                subject = ("Each element of ", own) if node.shape else (own,)
                window = "its window in " if facts.axes else "elements of "
                return runs(*subject, f" is the {extreme} of {window}", inputs[0], ".")
            each = ", element by element." if node.shape else "."
            return runs(own, f" is the {extreme} of ", *_and(inputs), each)
        if self.workings.shares(node)[0] is not None:
            return runs(
                "The loss of one example is small where the right class has a high probability."
            )
        return self._general(node)

    def _general(self, node: Node) -> Runs:
        inputs = [self.name(i) for i in node.inputs]
        op, formula = declared(node), self.names.formula(node)
        if op is not None and op.elementwise and op.latex and len(formula) < LONGEST:
            if self.names[node.id] == formula:
                return runs("The program computes ", Run(formula, True), ".")
            return runs(self.name(node.id), " is ", Run(formula, True), ".")
        if not inputs:
            return runs("The program computes ", self.name(node.id), f" with {node.op}.")
        what = _and(list(dict.fromkeys(inputs)))
        return runs(
            "The program computes ", self.name(node.id), f" with {node.op} from ", *what, "."
        )

    def _joined(self, sign: str, node: Node) -> Runs:
        """A sum, difference, product or quotient of two."""
        x, y = (self.trace.nodes[i] for i in node.inputs)
        a, b = self.name(x.id), self.name(y.id)
        if x.id == y.id:
            said = {"+": "adds {0} to itself", "·": "multiplies {0} by itself"}.get(
                sign, "subtracts {0} from itself" if sign == "−" else "divides {0} by itself"
            )
            return runs("The program ", *_filled(f"{said}.", [a]))
        said = {
            "+": "adds {1} to {0}", "−": "subtracts {1} from {0}",
            "·": "multiplies {0} by {1}", "/": "divides {0} by {1}",
        }[sign]  # fmt: skip
        stretched = ""
        small, large = (y, x) if len(y.shape) < len(x.shape) or x.shape == node.shape else (x, y)
        if small.shape != node.shape and node.shape:
            name = self.names[small.id]
            if not small.shape:
                stretched = f" {name} is one number for all elements."
            elif len(node.shape) == 2 and small.shape == node.shape[1:]:
                stretched = f" {name} is broadcast: one for all rows."
            elif len(node.shape) == 2 and small.shape == (node.shape[0], 1):
                stretched = f" {name} is broadcast: one number for each row."
            else:
                stretched = f" {name} is broadcast from shape {list(small.shape)}."
            del large
        return runs("The program ", *_filled(f"{said}.", [a, b]), stretched)

    def _product(self, node: Node, worked: Worked) -> Runs:
        """A product of matrices, of an image and a kernel: which lines meet."""
        met = worked.met
        assert met is not None and met.partner is not None
        others = [i for i in range(len(node.inputs)) if i != met.partner]
        left, right = node.inputs[others[0]], node.inputs[met.partner]
        element = at(self.names[node.id], worked.shape, worked.element)
        op = declared(node)
        is_product = op is not None and op.product is not None
        if is_product and met.left.startswith("row ") and met.right.startswith("column "):
            return runs(
                "Each element of ", self.name(node.id), " is a row of ", self.name(left),
                " times a column of ", self.name(right), ".",
            )  # fmt: skip
        if met.left and met.right and len(met.products) > 1:
            return runs(
                "In ", Run(element, True), ", ", Run(met.left, True), " meets ",
                Run(met.right, True), ".",
            )  # fmt: skip
        count = len(met.products)
        products = "one product" if count == 1 else f"{count} products"
        return runs(
            Run(element, True), f" adds up {products} of elements of ", self.name(left), " and ",
            self.name(right), ".",
        )  # fmt: skip

    def _sum(self, node: Node, worked: Worked) -> Runs | None:
        """A sum or a mean, whatever op it is."""
        met = worked.met
        if met is None or len(met.products) < 2 or not met.shared:
            return None
        slopes = {1 if each.slope is None else each.slope.value for each in met.products}
        if len(slopes) != 1 or isinstance(slope := slopes.pop(), complex):
            return None
        count = len(met.products)
        inputs = list(dict.fromkeys(self.name(i) for i in node.inputs))
        own: list[str | Run] = [self.name(node.id)]
        if node.shape and node.shape != (1,):
            alike = self.workings.is_uniform(node, met)
            element = at(self.names[node.id], worked.shape, worked.element)
            own = ["Each element of ", *own] if alike else [Run(element, True)]
        all_of = met.left == self.names[node.inputs[0]]
        if abs(slope - 1) < 1e-6:
            which = _all(count) if all_of else f"{count} elements"
            return runs(*own, f" adds up {which} of ", *_and(inputs[:3]), ".")
        if abs(slope * count - 1) < 1e-5:
            which = _all(count) if all_of else f"{count} elements"
            return runs(*own, f" is the mean of {which} of ", *_and(inputs[:3]), ".")
        return None

    def _gate(self, node: Node, word: str) -> str:
        """How many elements a gate lets nothing of through."""
        if not word:
            return ""
        for step in self.workings.pulls.get(node.id, ()):
            if (step.position or 0) == 0:
                local = values_of(step.local)
                if local is None or local.dtype.kind == "c":
                    return ""
                shut = int(np.sum(local == 0))
                if not local.shape:
                    return f" It is {word}." if shut else ""
                return f" {shut} of {local.size} elements are {word}." if shut else ""
        return ""

    def _absorbed(self, node: Node) -> Runs:
        """A sum in which one of two numbers is too small to count."""
        op = declared(node)
        if op is None or SIGNS.get(op.latex, "") not in ("+", "−") or node.shape:
            return ()
        out = values_of(node.value)
        x, y = (values_of(self.trace.nodes[i].value) for i in node.inputs)
        if out is None or x is None or y is None or out.dtype.kind != "f" or not np.isfinite(out):
            return ()
        small = self.name(node.inputs[1]) if y and out == x else None
        if small is None and x and abs(out) == abs(y):
            small = self.name(node.inputs[0])
        if small is None or not (x and y):
            return ()
        return runs(" ", small, f" is too small to change the result in {node.dtype}.")

    def _broken(self, node: Node, worked: Worked) -> Runs:
        """The first number that is not finite is worth a sentence."""
        values = values_of(node.value)
        if values is None or values.dtype.kind not in "fc" or np.all(np.isfinite(values)):
            return ()
        given = [values_of(self.trace.nodes[i].value) for i in node.inputs]
        were = any(
            x is not None and x.dtype.kind in "fc" and not np.all(np.isfinite(x)) for x in given
        )
        count = int(np.sum(~np.isfinite(values)))
        what = "NaN" if np.any(np.isnan(values)) else "infinite"
        some = f"{count} of {values.size} elements {_are(count)} not finite"
        some = some if values.shape else f"It is {what}"
        if were:
            return runs(f" {some}; so was an input.")
        return runs(f" {some}, though all inputs are finite: here that begins.")

    # Backward.

    def _seed(self, step: Step, worked: Worked, _: int) -> tuple[Runs, Runs]:
        node = self.trace.nodes[step.node]
        own = self.name(node.id)
        ask = runs("Where does the backward pass start?")
        if self.trace.carries == "tangents":
            shown = bounded(step.cotangent)
            return runs(
                "The forward pass of tangents starts at ", own, f": {shown}." if shown else "."
            ), ()
        if step.cotangent is None:
            return runs(
                "The backward pass cannot start: ", own, f" has dtype {node.dtype}, and only "
                "floating-point and complex tensors have derivatives.",
            ), ask  # fmt: skip
        values = values_of(step.cotangent)
        ones = values is not None and bool(np.all(values == 1))
        if ones and not node.shape:
            return runs("Now back. ", own, " changes exactly as fast as itself: 1.0."), ask
        if ones:
            return runs(
                "Now back. Each element of ", own, " has the seed 1.0: what is differentiated is "
                "their sum.",
            ), ask  # fmt: skip
        shown = bounded(step.cotangent)
        seed = f" with the seed {shown}." if shown else " with the seed that was given."
        return runs("The backward pass starts at ", own, seed), ask

    def _pull(self, step: Step, worked: Worked, _: int) -> tuple[Runs, Runs]:
        node, to = self.trace.nodes[step.node], self.trace.nodes[step.to or 0]
        ask = runs("What arrives at ", self.name(to.id), "?")
        said = self._sends(step, node, to, worked)
        return said + self._why(step, node, to, worked), ask

    def _sends(self, step: Step, node: Node, to: Node, worked: Worked) -> Runs:
        own, goal = self.name(node.id), self.name(to.id)
        op = declared(node)
        again = self.workings._again.get(node.id)
        position = step.position or 0
        places = [p for p, i in enumerate(node.inputs) if i == to.id]
        if len(places) > 1 and op is not None and op.elementwise:
            nth, what = places.index(position), "operand"
            if SIGNS.get(op.latex) == "·":
                what = "factor"
            which = FIRST[nth] if nth < len(FIRST) else ordinal(nth + 1)
            times = _times(len(places))
            return runs(
                own, " uses ", goal, f" {times}, so it sends {times}: now for its {which} {what}.",
            )  # fmt: skip
        met = worked.met
        if met is not None and met.partner is not None and len(met.products) > 1:
            return self._meets(step, node, to, worked)
        slopes = [] if met is None else [p.slope for p in met.products]
        plain = bool(slopes) and all(s is None or s.value == 1 for s in slopes)
        if plain and len(slopes) == 1:
            if op is not None and op.elementwise:
                return self._unchanged(step, own, goal)
            return self._handed_on(step, worked, own, goal)
        if plain and op is not None and op.elementwise and self._stretched(node, to):
            copies = f" was broadcast: what arrives from its {len(slopes)} copies is added."
            return runs(goal, copies)
        if plain and len(slopes) > 1:
            return runs(
                f"{len(slopes)} elements of the gradient of ", own, " count for one element of ",
                goal, ", and are added.",
            )  # fmt: skip
        if op is not None and SIGNS.get(op.latex) == "·" and len(node.inputs) == 2:
            other = self.name(node.inputs[1 - position])
            return runs(
                "The slope of a product in one factor is the other factor: ", other, ".",
            )  # fmt: skip
        p, truth = self.workings.shares(node) if step.equation else (None, None)
        if p is not None and truth is not None and worked.claim is not None:
            return runs("Softmax minus truth: what was predicted, less what is right.")
        if (formula := self._slope(step, node, to, again)) and op is not None:
            return runs("The slope of ", own, " in ", goal, " is ", Run(formula, True), ".")
        if met is not None and met.shared and len(slopes) == 1 and slopes[0] is not None:
            whole = _whole(slopes[0].value)
            if whole > 1:
                return self._part(step, worked, goal, whole)
        if len(slopes) > 1:
            return runs(
                f"{len(slopes)} elements of the gradient of ", own,
                " count for one element of ", goal, ", each times its slope.",
            )  # fmt: skip
        return runs(own, " passes its gradient back to ", goal, ".")

    def _part(self, step: Step, worked: Worked, goal: Run, whole: int) -> Runs:
        """An element of a mean: all alike where one number came in."""
        values, g = values_of(step.contribution), values_of(step.cotangent)
        if values is not None and g is not None and g.size == 1:
            with Silence():
                if all_close(values, g.ravel()[0] / whole, 1e-5, 0):
                    each = "Each element of " if values.size > 1 else ""
                    return runs(each, goal, f" counts for one part in {whole}.")
        element = at(self.names[step.to or 0], worked.shape, worked.element)
        return runs(Run(element, True), f" counts for one part in {whole}.")

    def _handed_on(self, step: Step, worked: Worked, own: Run, goal: Run) -> Runs:
        """One element of g comes as it was: to all alike, from its place, or just here."""
        values, g = values_of(step.contribution), values_of(step.cotangent)
        if values is not None and g is not None and values.dtype.kind in "fc":
            if g.size == 1 and bool(np.all(values == g.ravel()[0])):
                what = "" if values.size == 1 else "Each element of "
                return runs(what, goal, " receives the gradient of ", own, " as it is.")
            if g.size == values.size and np.array_equal(
                np.sort(g.ravel()), np.sort(values.ravel())
            ):
                return runs(
                    "Each element of the gradient of ",
                    own,
                    " goes back to its place in ",
                    goal,
                    ".",
                )
        element = at(self.names[step.to or 0], worked.shape, worked.element)
        return runs(
            Run(element, True), " receives one element of the gradient of ", own, ", as it is."
        )

    def _unchanged(self, step: Step, own: Run, goal: Run) -> Runs:
        """One element comes as it was: so do all, or those where a gate is open."""
        slopes = values_of(step.local)
        g, values = values_of(step.cotangent), values_of(step.contribution)
        same = g is not None and values is not None and np.array_equal(g, values, equal_nan=True)
        if same or (slopes is not None and bool(np.all(slopes == 1))):
            return runs(own, " passes its gradient to ", goal, " unchanged.")
        if slopes is None:
            return runs(own, " passes its gradient back to ", goal, ".")
        if bool(np.all((slopes == 1) | (slopes == 0))):
            return runs(
                own,
                " passes its gradient to ",
                goal,
                " where its slope is 1, and nothing elsewhere.",
            )
        return runs(own, " passes its gradient back to ", goal, ", times its slope.")

    def _stretched(self, node: Node, to: Node) -> bool:
        return to.shape != node.shape

    def _meets(self, step: Step, node: Node, to: Node, worked: Worked) -> Runs:
        met = worked.met
        assert met is not None and met.partner is not None
        goal = at(self.names[to.id], worked.shape, worked.element)
        if met.left and met.right:
            return runs(
                "For ", Run(goal, True), ", ", Run(met.left, True), " meets ",
                Run(met.right, True), ".",
            )  # fmt: skip
        return runs(
            "For ", Run(goal, True), f", {len(met.products)} products of the gradient of ",
            self.name(node.id), " and ", self.name(node.inputs[met.partner]), " are added.",
        )  # fmt: skip

    def _slope(self, step: Step, node: Node, to: Node, again: Any) -> str:
        """The slope in symbols, as the op's own rule writes it."""
        op = declared(node)
        if op is None or not op.elementwise or op.variadic or op.several:
            return ""
        return self.rules.slope(node, step.position or 0)

    def _why(self, step: Step, node: Node, to: Node, worked: Worked) -> Runs:
        """Zeros, ties, and slopes that let little through."""
        found = step.contribution
        tie = at_a_tie(step, node, self.trace.nodes) or self._at_a_kink(step, node)
        values = values_of(found)
        if found is not None and found.size > 1 and found.is_zero:
            return runs(" Every element is 0.0, so no gradient gets through here.", tie)
        if values is not None and values.dtype.kind in "fc" and not np.all(np.isfinite(values)):
            return self._not_finite(step, values)
        if zero := why_zero(step, node, self.trace.nodes):
            return runs(f" {zero[0].upper()}{zero[1:]}.", tie)
        local = values_of(step.local)
        if (
            local is not None and not local.shape and local.dtype.kind == "f"
            and 0 < abs(float(local)) < FLAT and len(node.inputs) == 1
        ):  # fmt: skip
            return runs(" It is almost flat here, so little gets through.", tie)
        if local is not None and not local.shape and not tie and float(np.abs(local)) == 0:
            return runs(" It is flat here: nothing gets through.")
        return runs(tie)

    def _at_a_kink(self, step: Step, node: Node) -> str:
        """Inputs at which the slope jumps, so that it is a choice: which one the rule makes."""
        facts, slopes = facts_of(node), values_of(step.local)
        if slopes is None or len(node.inputs) != 1:
            return ""
        x = values_of(self.trace.nodes[node.inputs[0]].value)
        for kink in facts.kinks:
            if x is None or x.shape != slopes.shape or not np.any(x == kink):
                continue
            chosen = set(np.atleast_1d(slopes)[np.atleast_1d(x == kink)].tolist())
            if len(chosen) == 1:
                count = int(np.sum(x == kink))
                where = "It is" if not x.shape else f"{count} of {x.size} elements {_are(count)}"
                slope = short(chosen.pop())
                at_it = f"{where} at {short(kink)}, where the slope jumps"
                return f" {at_it}: by convention it is {slope}."
        return ""

    def _not_finite(self, step: Step, values: Any) -> Runs:
        came = [values_of(each) for each in (step.cotangents or (step.cotangent,))]
        were = any(x is not None and not np.all(np.isfinite(x)) for x in came)
        count = int(np.sum(~np.isfinite(values)))
        some = f" {count} of {values.size} elements {_are(count)}"
        some = some if values.shape else " What arrives is"
        if were:
            return runs(f"{some} not finite, and so is what came in.")
        return runs(f"{some} not finite, though what came in is: the slope is infinite or NaN.")

    def _accumulate(self, step: Step, worked: Worked, before: int) -> tuple[Runs, Runs]:
        own = self.name(step.node)
        count, so_far = self.arrivals.get(step.node, 0), before
        what = "tangent" if self.trace.carries == "tangents" else "gradient"
        ask = runs("What is the sum?")
        if so_far >= count:
            return runs(
                f"The last of {count} contributions has arrived at ", own,
                f": its {what} is complete.",
            ), ask  # fmt: skip
        return runs(
            "Contributions that arrive at ", own, f" are added: {so_far} of {count} so far.",
        ), ask  # fmt: skip

    def _push(self, step: Step, worked: Worked, _: int) -> tuple[Runs, Runs]:
        node, to = self.name(step.node), self.name(step.to or 0)
        return (
            runs("The tangent of ", to, " moves ", node, ": tangent times slope."),
            runs("How fast does ", node, " change?"),
        )

    def _unconnected(self, step: Step, worked: Worked, _: int) -> tuple[Runs, Runs]:
        own = self.name(step.node)
        said = step.sentence
        if self.trace.carries == "tangents":
            return runs("No recorded path leads to ", own, ": no tangent arrives."), ()
        if "LookupError" in said or (said and "None" not in said):
            return runs(said), ()
        ends = "."
        if found := breaks_of(self.trace, step):
            if found[0].line and found[0].node != step.node:  # else no path begins there
                ends = f", because the path ends at line {found[0].line.number} ({found[0].note})."
        else:
            ends += said.partition("None.")[2]
        return runs(
            "No recorded path connects ", own, f" to the target, so its gradient is None{ends}"
        ), runs("What arrives at ", own, "?")


def breaks_of(trace: Trace, step: Step) -> list[Break]:
    """The breaks that an `unconnected` step is about: those at its line, else all."""
    found = [each for each in trace.breaks if each.cause]
    number = step.line.number if step.line else None
    return [each for each in found if each.line and each.line.number == number] or found


def _and(names: Sequence[Run]) -> list[str | Run]:
    """x; x and y; x, y and z; of more the first ones and how many others."""
    names = list(names)
    if len(names) > 4:
        return [names[0], ", ", names[1], f" and {len(names) - 2} others"]
    joined: list[str | Run] = []
    for i, each in enumerate(names):
        if i:
            joined.append(" and " if i == len(names) - 1 else ", ")
        joined.append(each)
    return joined


def _filled(text: str, names: Sequence[Run]) -> list[str | Run]:
    """A text with names put in for {0}, {1} and {all}."""
    parts: list[str | Run] = []
    while "{" in text:
        before, _, rest = text.partition("{")
        key, _, text = rest.partition("}")
        parts += [before, *(_and(names) if key == "all" else [names[int(key)]])]
    return [*parts, text]


def _all(count: int) -> str:
    return "both elements" if count == 2 else f"all {count} elements"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def called(op: Any) -> str:
    """What a program calls an op."""
    return str(op.exported[0].rpartition(".")[2] if op.exported else op.name)


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _whole(slope: Any) -> int:
    if isinstance(slope, complex) or not slope or slope != slope or abs(slope) > 1:
        return 0
    whole = round(1 / slope)
    return whole if abs(whole * slope - 1) < 1e-6 else 0


__all__ = ["Sentences", "runs", "short", "text_of"]
