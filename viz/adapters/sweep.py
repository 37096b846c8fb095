"""A learner's backward pass as it went, and the first place where it parts from minitape's.

Up to the first difference everything that came in was right, so what is wrong there is wrong by
itself. After it nothing is judged any more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ..trace.arrays import Array
from .diagnosis import Share, diagnosis, same
from .engine import Made, Right
from .namesakes import Namesake
from .writer import Writer, operands_of

# Of a share that is wrong minitape's numbers are not shown.
WRONG: dict[str, Any] = {"numbers": "", "local": None, "equation": (), "slopes": None}


class Mark(NamedTuple):
    """The first difference: where, and what is wrong, in a sentence."""

    node: int
    position: int | None
    sentence: str


class Happened(NamedTuple):
    """One thing that the learner's sweep did: a seed, or a share that went to an input."""

    node: int
    position: int | None
    g: Any
    share: Any
    mark: Mark | None


class Sweep:
    """Listens to a learner's backward pass.

    Attributes:
        program: the values, inputs first.
        target: the number of the one that is differentiated.
        right: what minitape says of the same program.
    """

    def __init__(self, program: Sequence[Made], target: int) -> None:
        self.program, self.target = program, target
        self.right = Right(program, target)
        self.happened: list[Happened] = []
        self.mark: Mark | None = None
        self.visited: list[int] = []
        self.arrived: dict[int, Any] = {}
        self.came: dict[int, Any] = {}
        self.rules: Namesake | None = None
        self.error = ""
        for number in self.right.wrong_values[:1]:
            made = program[number]
            self._note(
                number, None, f"The value of {self.called(number)} is not that of `{made.op}`."
            )

    def called(self, number: int) -> str:
        """What a sentence calls a value."""
        made = self.program[number]
        if made.name:
            return f"`{made.name}`"
        return f"the result of `{made.op}`" if made.op else f"the value {_few(made.value)}"

    def begin(self, grads: Sequence[Any]) -> None:
        """What stands in the gradients before the sweep."""
        for number, grad in enumerate(grads):
            if number != self.target and np.any(grad != 0):
                self._note(
                    number, None,
                    f"The gradient of {self.called(number)} is {_few(grad)} before the sweep: "
                    "it was not reset to zero, so this sweep adds to the last one.",
                )  # fmt: skip

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """An error in the learner's code ends the sweep and is said."""
        try:
            yield
        except Exception as error:  # the learner's own code: anything can come
            self.error = f"{type(error).__name__}: {error}"
            last = self.visited[-1] if self.visited else self.target
            said = f"Your backward of `{self.program[last].op}` ends in {self.error}."
            if self.program[last].op in ("@", "matmul"):
                said += (
                    " The shapes do not fit: is a transpose missing, or are the factors swapped?"
                )
            self._note(last, None, said)

    def visit(self, node: int, g: Any, again: bool = True) -> None:
        """The rules of an op begin to run, with `g` coming in."""
        g = np.array(g, np.float64)
        self.came[node] = g
        if node == self.target and not self.happened:
            self.happened.append(Happened(node, None, g, g, None))
            self.arrived[node] = g
        if again:
            self._judge_visit(node, g)
            self.visited.append(node)
        self.rules = (
            self.right.at(node, g) if g.shape == np.shape(self.program[node].value) else None
        )

    def _judge_visit(self, node: int, g: Any) -> None:
        right = self.right.cotangents[node]
        name = self.called(node)
        if node in self.visited:
            self._note(
                node, None,
                f"The backward of {name} runs a second time, so its contributions count twice.",
            )  # fmt: skip
        if self.mark is not None or right is None or same(g, right):
            return
        users = [i for i, made in enumerate(self.program) if node in made.inputs]
        late = [i for i in users if i not in self.visited and self.right.cotangents[i] is not None]
        if late and node != self.target:
            return self._note(
                node, None,
                f"The backward of {name} runs before that of {self.called(late[0])}, which uses "
                "it: a contribution is still to come. The order is not topological.",
            )  # fmt: skip
        if node == self.target:
            return self._note(
                node, None, f"The sweep has to start with 1 at {name}, not {_few(g)}."
            )
        self._note(node, None, self._wrong_sum(node, g))

    def _wrong_sum(self, node: int, g: Any) -> str:
        """What arrived at a value is not the sum of its shares, which were all right."""
        right: Any
        right, name = self.right.cotangents[node], self.called(node)
        last = next((h.share for h in reversed(self.happened) if self._to(h) == node), None)
        if np.shape(g) != np.shape(right):
            return (
                f"The gradient of {name} has shape {list(np.shape(g))}, the value has "
                f"{list(np.shape(right))}: it was repeated (broadcast), so the sum over the "
                "repeated axes is forgotten."
            )
        if last is not None and same(g, last):
            return (
                f"The gradient of {name} is only its last contribution, {_few(g)}. Those of "
                f"all paths add up to {_few(right)}: add to what is there."
            )
        return (
            f"The gradient of {name} is {_few(g)}, but its contributions add up to {_few(right)}."
        )

    def _to(self, happened: Happened) -> int | None:
        if happened.position is None:
            return None
        return self.program[happened.node].inputs[happened.position]

    def share(self, node: int, position: int, share: Any) -> None:
        """A rule passed a share to an input."""
        self._judge_share(node, position, share)
        self._append(node, position, share)

    def changed(self, node: int, before: Mapping[int, Any], after: Mapping[int, Any]) -> None:
        """A `_backward` ran and left the gradients of its inputs changed."""
        made = self.program[node]
        for number in before:
            positions = [i for i, each in enumerate(made.inputs) if each == number]
            self._one(node, positions, before[number], after[number])

    def _one(self, node: int, positions: list[int], before: Any, after: Any) -> None:
        """What went to one input, which may stand at several positions."""
        rules = self.rules.rules if self.rules is not None else {}
        shares = [rules[i].share for i in positions if i in rules]
        added = after - before if after.shape == before.shape else after
        number = self.program[node].inputs[positions[0]]
        if shares and same(added, sum(shares)):
            for position, share in zip(positions, shares, strict=True):
                self._append(node, position, share)
            return
        if shares and same(after, shares[-1]) and (before.any() or len(shares) > 1):
            self._note(
                node, positions[-1],
                f"The contribution of `{self.program[node].op}` replaces the {_few(before)} that "
                f"{self.called(number)} had, but several paths add up. Write += and not =.",
            )  # fmt: skip
        elif shares:
            right = sum(shares) if len(shares) > 1 else shares[0]
            self._judge_share(node, positions[0], added, right)
        self._append(node, positions[0], added)

    def _judge_share(self, node: int, position: int, found: Any, right: Any = None) -> None:
        """Compare a share; without `right` a sum over broadcast axes may come later."""
        rule = self.rules.rules.get(position) if self.rules is not None else None
        if self.mark is not None or rule is None or self.rules is None:
            return
        later, right = right is None, rule.share if right is None else right
        made = self.program[node]
        values = [self.right.values[i] for i in made.inputs]
        if same(found, right):
            return
        to = made.inputs[position]
        if later:
            found = self._summed(found, right)  # the loop may do so after the rule
            if same(found, right):
                return
        op = "matmul" if made.op == "@" else made.op
        plain = self.right.at(node, None)
        share = Share(
            op, self.called(to), values, position, self.came[node], found, right, self.rules, plain
        )
        said = diagnosis(share)
        if made.op == "@":
            said = said.replace("The rule of `matmul`", "The rule of `@`", 1)
        self._note(node, position, said)

    @staticmethod
    def _summed(found: Any, right: Any) -> Any:
        """A share summed over the axes that it has more than the input, where it has."""
        found, lost = np.asarray(found), np.ndim(found) - np.ndim(right)
        if lost < 0:
            return found
        summed = found.sum(axis=tuple(range(lost)))
        ones = tuple(i for i, n in enumerate(np.shape(right)) if n == 1)
        return summed.sum(axis=ones, keepdims=True) if ones else summed

    def _note(self, node: int, position: int | None, sentence: str) -> None:
        if self.mark is None:
            self.mark = Mark(node, position, sentence)
            self.happened.append(Happened(node, position, None, None, self.mark))

    def _append(self, node: int, position: int, share: Any) -> None:
        self.happened.append(Happened(node, position, self.came[node], np.asarray(share), None))

    def end(self, grads: Sequence[Any]) -> None:
        """What stands in the gradients after the sweep."""
        missed = [
            i for i, made in enumerate(self.program)
            if made.op and i not in self.visited and self.right.cotangents[i] is not None
        ]  # fmt: skip
        if missed and not self.error:
            self._note(missed[0], None, f"The backward of {self.called(missed[0])} never ran.")

    def finish(self, gradients: Mapping[int, Any]) -> None:
        """The gradients that the learner's engine gives at the end."""
        for number, found in gradients.items():
            right = self.right.cotangents[number]
            if found is not None and right is not None and not same(found, right):
                self._note(number, None, self._wrong_sum(number, np.asarray(found)))

    def write(self, writer: Writer) -> Mark | None:
        """Write the steps; the one that is marked says what is wrong."""
        marked: Mark | None = None
        for each in self.happened:
            if each.mark is not None:
                marked = each.mark
                self.at = len(writer.steps)
                continue
            sentence = (
                marked.sentence if marked is not None and self.at == len(writer.steps) else ""
            )
            if each.position is None:
                writer.seed(each.node, each.share)
            else:
                self._write_pull(writer, each, sentence)
        return marked

    def _write_pull(self, writer: Writer, each: Happened, sentence: str) -> None:
        node, position = each.node, each.position or 0
        found = self.right.at(node, each.g)
        rule = None if found is None else found.rules.get(position)
        inputs = self.program[node].inputs
        places = [] if rule is None else rule.places(node, inputs)
        values = [(symbol, place, self.right.values[place]) for symbol, place in places]
        operands = operands_of([each.g], [node], values)
        right = rule is not None and same(each.share, rule.share)
        said = {} if rule is None else dict(rule.said) | ({} if right else WRONG)
        if sentence:
            said["sentence"] = f"First difference: {sentence}"
        writer.pull(node, position, [each.g], each.share, operands, **said)

    def notes(self, mark: Mark | None, steps: int) -> tuple[str, ...]:
        """How the comparison ended."""
        ops = ", ".join(dict.fromkeys(f"`{op}`" for op in self.right.unknown))
        left = f"Not compared: minitape has no op of the name {ops}." if ops else ""
        if mark is not None:
            said = f"First difference, at step {min(self.at + 1, steps)}: {mark.sentence}"
        elif ops:
            said = "Every contribution of the other ops is minitape's."
        else:
            said = "Every contribution and every gradient is minitape's."
        return tuple(filter(None, (said, left)))


def _few(array: Any) -> str:
    return Array.of(np.asarray(array)).text()
