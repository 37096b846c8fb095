"""The questions put to an engine of values, in order: single ops first, then what joins them.

A rule is judged where ones come in, and then where other numbers do. Only ops that stood that are
used to ask about sums of shares, order, broadcasting and second sweeps, so that no mistake is
reported twice.
"""

from __future__ import annotations

import linecache
import operator
import re
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from minitape.safety.silence import Silence

from ..base.numbers import short
from .cases import PRODUCT, SQUARE, Case, cases, repeated
from .lines import Line, Ran, line_of, ran_in
from .mistakes import Answer, named
from .numbers import MIXED, Numbers, same, sample, slopes, weights
from .values import NotCallableError, Values, quiet

# A line that sets a gradient, and one that gives it its first value.
SETS = re.compile(r"\bgrads?\w*(\[.*?\]+)?(\.\w+)? *=[^=]")
STARTS = re.compile(r"= *(1|0|None|\{|\[\]|np\.(ones|zeros)|\w+\.\w*requires_grad|\w+\.get)")
BASIC = ("x + y", "x * y")
TURNS = 6  # so many numbers are tried where a value holds one
NAMES = ("x", "y", "its third input")


EARLY = (
    "the walk comes to an op before what comes in is there. Walk from the result to the inputs, "
    "each value behind all that use it (topological order)."
)


ONCE = (
    "and each rule alone is right. Walk the values backward, each one behind all that use it "
    "(topological order), and each once."
)


@dataclass(frozen=True)
class Mistake:
    """One thing that is wrong.

    Attributes:
        kind: in a few words, such as "sign".
        op: of which rule, as it was called; "" for what is no rule's.
        sentence: what is wrong, with the numbers.
        line: where, as far as it is known.
    """

    kind: str
    op: str
    sentence: str
    line: Line | None = None


@dataclass
class Examined:
    """What an examination found.

    Attributes:
        engine: the name of the class, layer or function.
        right: what was asked and is right.
        mistakes: what is wrong, the first first.
        left_out: what could not be asked, and why.
    """

    engine: str
    right: list[str] = field(default_factory=list)
    mistakes: list[Mistake] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def examine_values(engine: Values, modules: Sequence[ModuleType], folder: str) -> Examined:
    """Puts all questions to an engine of values.

    Sums and products first, then what joins rules. Where that is wrong, an op that is made of
    others may be wrong by it alone, and is not judged.
    """
    found = Examined(engine.kind.__name__)
    asked = cases(engine, modules)
    start = seed(engine) or _sum(engine, asked, folder)
    if start is not None:  # every gradient is wrong by it, and no rule can be judged
        found.mistakes.append(start)
        return found
    basic = [each for each in asked if each.op in BASIC]
    sound = _judged_in_turn(engine, basic, found, folder, [], None)
    joining = _joining(engine, sound, folder)
    if joining is not None:
        found.mistakes.append(joining)
    rest = [each for each in asked if each.op not in BASIC]
    # Operators and methods in their order, then functions, first those that others are made of.
    rest.sort(key=lambda each: 0 if each.sure else len(_ran_ahead(engine, each, folder)))
    sound = _judged_in_turn(engine, rest, found, folder, sound, joining)
    if joining is None:
        later = _repeated(engine, [each for each in sound if each.op not in BASIC], folder)
        found.mistakes += [] if later is None else [later]
    return found


def _judged_in_turn(
    engine: Values, asked: Sequence[Case], found: Examined, folder: str, sound: Sequence[Case],
    joining: Mistake | None,
) -> list[Case]:  # fmt: skip
    """Judges ops, and notes what was found; all that are right so far."""
    sound = list(sound)
    for case in asked:
        mistake = judged(engine, case, folder, sound)
        if mistake is None:
            sound.append(case)
            found.right.append(case.op)
        elif isinstance(mistake, str):
            found.left_out.append(mistake)
        elif joining is not None and _is_made_of(engine, case, sound, folder):
            found.left_out.append(f"`{case.op}`: it is made of other ops, see the mistake above")
        else:
            found.mistakes.append(mistake)
    return sound


def _is_made_of(engine: Values, case: Case, sound: Sequence[Case], folder: str) -> bool:
    """Whether an op runs other ops, by what runs in sums and not in products, or the reverse."""
    plus, times = (
        set(_ran_ahead(engine, each, folder)) if each else set()
        for each in (next((c for c in sound if c.op == op), None) for op in BASIC)
    )
    ran = set(_ran_ahead(engine, case, folder))
    if not plus or not times:  # gradients are the only pass of the learner's code
        return not case.sure
    return bool(ran & (plus ^ times))


def _joining(engine: Values, sound: Sequence[Case], folder: str) -> Mistake | None:
    """What is wrong where rules are joined: the first, for what follows tells it again."""
    for question in (used_twice, in_order, asked_again):
        said = _answered(question, engine, [case.op for case in sound], folder)
        if said is not None:
            return said
    return _repeated(engine, sound, folder)


def _repeated(engine: Values, sound: Sequence[Case], folder: str) -> Mistake | None:
    """What is wrong where one input is repeated: one rule for all ops, nearly always."""
    for case in repeated(engine, sound):
        mistake = judged(engine, case, folder, sound)
        if isinstance(mistake, Mistake):
            return mistake
    return None


def _sum(engine: Values, asked: Sequence[Case], folder: str) -> Mistake | None:
    """What is wrong with a sum, where each backward pass begins with one."""
    case = next((each for each in asked if each.op == "x.sum()"), None)
    if case is None or not engine.through_sum:
        return None
    found = judged(engine, case, folder, [])
    return found if isinstance(found, Mistake) else None


def _answered(question: Any, engine: Values, sound: Sequence[str], folder: str) -> Mistake | None:
    try:
        said: Mistake | None = question(engine, sound, folder)
    except Exception as error:
        asks = question.__doc__.split(":")[0]
        said = Mistake("order", "", f"{asks}: the backward pass ends in {_error(error)}, {ONCE}")
    return said


def judged(engine: Values, case: Case, folder: str, sound: Sequence[Case]) -> Mistake | str | None:
    """What is wrong with one op; None where it is right, a text where it cannot be asked."""
    turns = [0] if engine.arrays else range(TURNS)
    gathered: list[tuple[list[Numbers], Numbers, list[Any], list[Numbers]]] = []
    for turn in turns:
        inputs = case.inputs(turn)
        right = slopes(lambda xs: engine.forward(case.call, xs), inputs, 1.0, engine.step)
        if right is None:
            continue
        out = engine.forward(case.call, inputs)
        if touched := _touched(engine, case, inputs):
            return Mistake("in place", case.op, touched)
        if case.known is not None and (said := _wrong_value(engine, case, inputs, out)):
            return Mistake("value", case.op, said, None)
        try:
            found = engine.gradients(case.call, inputs)
        except Exception as error:
            if isinstance(error, NotCallableError):
                return f"`{case.op}`: it cannot be called so: {' '.join(str(error).split())[:200]}"
            if _has_no_rule(engine, case, error, folder, sound):
                return f"`{case.op}`: it has no rule, and its backward pass ends in {_error(error)}"
            if case.shapes == PRODUCT:
                square = judged(engine, replace(case, shapes=SQUARE), folder, sound)
                if isinstance(square, Mistake):
                    return square
            if not case.sure or not any(np.any(np.abs(each) > 1e-6) for each in right):
                return f"`{case.op}`: its backward pass ends in {_error(error)}"
            text = f"The backward pass of `{case.op}` ends in {_error(error)}."
            return Mistake("error", case.op, text, _line_of_error(error, folder))
        gathered.append((inputs, out, found, right))
    if not gathered:
        return f"`{case.op}`: its differences do not settle around the numbers that were tried"
    answers = _answers(engine, gathered)
    if case.is_product:
        (x, y), ones = gathered[0][0], np.ones(gathered[0][1].shape)
        pairs = zip(answers, (y, x), strict=True)
        answers = [replace(each, matrices=(ones, other)) for each, other in pairs]
    if not any(_arrived(each.found) for each in answers) and _is_untracked(engine, case):
        return f"`{case.op}`: its result says itself that it has no gradient (`requires_grad`)"
    wrong = [i for i, each in enumerate(answers) if not each.is_(each.right) and _counts(each)]
    if not case.sure and any(_arrived(each.found) for each in answers):
        wrong = [i for i in wrong if _arrived(answers[i].found)]  # the others are constants
    if not wrong:
        return _weighted(engine, case, folder, sound)
    at = wrong[0]
    if not case.sure and not _arrived(answers[at].found):
        return f"`{case.op}`: it gives no gradient for {NAMES[min(at, 2)]}"
    kind, said = named(answers[at])
    mistake = f"The rule of `{case.op}` for {NAMES[min(at, 2)]} {said}"
    return Mistake(kind, case.op, mistake, _line(engine, case, folder, sound, at))


def _arrived(found: Any) -> bool:
    return found is not None and bool(np.any(np.asarray(found)))


def _is_untracked(engine: Values, case: Case) -> bool:
    """Whether an engine says of a result that it needs no gradient, and of its inputs that they do.

    So are ops left that a course makes differentiable later, or never.
    """

    def needs(value: Any) -> Any:
        said = getattr(value, "requires_grad", None)
        return said() if callable(said) else said

    with quiet():
        values = [engine.make(each) for each in case.inputs()]
        out = case.call(*values)
    return needs(out) is False and all(needs(each) is True for each in values)


def _touched(engine: Values, case: Case, inputs: Sequence[Numbers]) -> str:
    """What is to be said of an op that changes the numbers of its inputs."""
    with quiet():
        values = [engine.make(each.copy()) for each in inputs]
        case.call(*values)
    for name, value, had in zip(NAMES, values, inputs, strict=False):
        if not same(engine.read(value), had, 1e-6):
            return (
                f"`{case.op}` changes {name}: it was {_few(had)} and is "
                f"{_few(engine.read(value))}. Other rules still need those numbers."
            )
    return ""


def _wrong_value(engine: Values, case: Case, inputs: Sequence[Numbers], out: Numbers) -> str:
    """What is to be said of a value that is not that of the op."""
    with Silence():
        value = case.known(*inputs) if case.known is not None else out
    if not np.isfinite(value).all() or same(out, value, max(1e-5, engine.tolerance)):
        return ""
    given = " and ".join(_few(each) for each in inputs)
    return (
        f"The value of `{case.op}` is wrong: for {given} it is {_few(out)}, and {_few(value)} is "
        "right."
    )


def _line_of_error(error: BaseException, folder: str) -> Line | None:
    """The innermost line of the learner's in an error's traceback."""
    found = None
    trace = error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file.startswith(folder):
            number = trace.tb_lineno
            found = Line(file, number, linecache.getline(file, number).strip())
        trace = trace.tb_next
    return found


def _counts(answer: Answer) -> bool:
    """Whether something is expected: nothing for what has no slope anywhere."""
    if answer.found is None:
        return bool(np.any(np.abs(answer.right) > 1e-6))
    return True


def _answers(engine: Values, gathered: Any) -> list[Answer]:
    """For each input what was found beside what is right; single numbers become rows."""
    count = len(gathered[0][0])

    def rows(pick: Callable[[Any, int], Any]) -> list[Any]:
        return [_row([pick(one, i) for one in gathered]) for i in range(count)]

    right, found = rows(lambda one, i: one[3][i]), rows(lambda one, i: one[2][i])
    values, outs = rows(lambda one, i: one[0][i]), rows(lambda one, _: one[1])

    def others(i: int, each: list[Any]) -> tuple[Any, ...]:
        return tuple(each[:i] + each[i + 1 :])

    return [
        Answer(
            found[i], right[i], others(i, right), others(i, found), values[i], outs[i],
            engine.tolerance,
        )
        for i in range(count)
    ]  # fmt: skip


def _row(each: list[Any]) -> Any:
    """Single numbers as a row; an array stays what it is."""
    if len(each) == 1 or any(x is None for x in each):
        return each[0] if len(each) == 1 else None
    return np.stack(each) if len({np.shape(x) for x in each}) == 1 else each[0]


def _weighted(engine: Values, case: Case, folder: str, sound: Sequence[Case]) -> Mistake | None:
    """Whether a rule that is right for ones multiplies with what comes in."""
    if not any(each.op == "x * y" for each in [*sound, case]):
        return None
    for turn in [0] if engine.arrays else range(TURNS):
        said = _weighted_at(engine, case, turn)
        if said is not None:
            at, kind, text = said
            line = _line(engine, case, folder, sound, at) if at >= 0 else None
            return Mistake(kind, case.op, text, line)
    return None


def _weighted_at(engine: Values, case: Case, turn: int) -> tuple[int, str, str] | None:
    """Which input, the kind and the sentence, for one choice of numbers."""
    inputs = case.inputs(turn)
    try:
        out = engine.forward(case.call, inputs)
        weight = weights(out.shape)
        right = slopes(lambda xs: engine.forward(case.call, xs), inputs, weight, engine.step)
        found = engine.gradients(case.call, inputs, weight)
    except Exception as error:
        if case.op not in BASIC:
            return -1, "error", f"`({case.op}) * w` ends in {_error(error)}."
        said = f"`{case.op}` is right alone, and `({case.op}) * w` ends in {_error(error)}: {EARLY}"
        return -1, "order", said
    if right is None:
        return None
    plain = slopes(lambda xs: engine.forward(case.call, xs), inputs, 1.0, engine.step) or right
    for at, (one, other) in enumerate(zip(found, right, strict=True)):
        if one is None and not np.any(np.abs(other) > 1e-6):
            continue
        if not case.sure and not _arrived(one):
            continue
        if one is not None and same(one, other, engine.tolerance):
            continue
        kind, said = _of_weights(one, other, plain[at], engine.tolerance)
        return at, kind, f"The rule of `{case.op}` for {NAMES[min(at, 2)]} {said}"
    return None


def _of_weights(found: Any, right: Numbers, plain: Numbers, tolerance: float) -> tuple[str, str]:
    """The kind of a mistake that ones do not show, and the rest of a sentence about it."""
    if found is not None and same(found, plain, tolerance):
        return "forgotten cotangent", (
            "passes on only the slope of the op, whatever gradient comes in: the chain rule "
            "multiplies it by the gradient of the result."
        )
    if found is None or not np.any(found):
        return "order", (
            "is right alone, and nothing arrives when another op comes after it: the walk visits "
            "it before what comes in is there. Walk from the result to the inputs."
        )
    return "wrong with a gradient", (
        f"is right where ones come in, and wrong where other numbers do: {_first(found, right)}."
    )


def _first(found: Any, right: Numbers) -> str:
    if found is None or np.shape(found) != right.shape:
        return f"it gives {'nothing' if found is None else f'the shape {list(np.shape(found))}'}"
    at = np.unravel_index(np.abs(np.asarray(found) - right).argmax(), right.shape)
    return f"{short(float(found[at]))} where {short(float(right[at]))} is right"


def _line(
    engine: Values, case: Case, folder: str, sound: Sequence[Case], position: int
) -> Line | None:
    """The line of the learner's that gives a share."""
    others = _ran_by(engine, folder, [each for each in sound if each.op != case.op][:3])
    for other in sound:  # rules may be written with ops: what those run is no line of this rule
        others |= _ran_ahead(engine, other, folder)
    return line_of(_ran_by(engine, folder, [case]), others, position, len(case.shapes))


def _ran_ahead(engine: Values, case: Case, folder: str) -> Ran:
    """What runs in the forward pass of an op."""
    return ran_in(folder, partial(engine.forward, case.call, case.inputs()))


def _ran_by(engine: Values, folder: str, asked: Sequence[Case]) -> Ran:
    """What ran in the backward passes of ops alone, and not ahead."""
    found: Ran = {}
    for one in asked:
        ahead = _ran_ahead(engine, one, folder)
        both = ran_in(folder, partial(engine.gradients, one.call, one.inputs()))
        found |= {code: lines for code, lines in both.items() if code not in ahead}
    return found


def _has_no_rule(
    engine: Values, case: Case, error: Exception, folder: str, sound: Sequence[Case]
) -> bool:
    """Whether a backward pass fails because it finds no rule, and not in one.

    Then nothing ran for this op alone, or a look-up failed in lines that all ops run.
    """
    if isinstance(error, NotImplementedError):
        return True
    others = _ran_by(engine, folder, sound[:3])
    if not sound or not others:
        return False
    ran = _ran_by(engine, folder, [case])
    if not any(code not in others and lines for code, lines in ran.items()):
        return True
    codes = [frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)]
    learner = [code for code in codes if code.co_filename.startswith(folder)]
    return isinstance(error, KeyError | AttributeError) and learner[-1:] != [] and (
        learner[-1] in others
    )  # fmt: skip


def _error(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:200] if text else type(error).__name__


def seed(engine: Values) -> Mistake | None:
    """The start of a sweep: the slope of a result by itself is 1."""
    if engine.arrays or not hasattr(engine, "_sweep"):
        return None
    with quiet():
        value = engine.make(sample((), MIXED))
        try:
            engine.sweep(value)
            found = engine.gradient(value)
        except Exception:
            return None
    if found is None or not np.any(found) or same(found, np.ones(()), 1e-6):
        return None
    return Mistake(
        "seed", "", f"The sweep starts with {_few(found)}: the slope of a result by itself is 1, "
        "so every gradient is that many times too large.",
    )  # fmt: skip


def _expressions(sound: Sequence[str]) -> Iterator[tuple[str, Callable[..., Any], str]]:
    """Expressions in which a value is used more than once, of ops that are right."""
    plus, times = "x + y" in sound, "x * y" in sound
    if plus:
        yield "x + x", lambda x: x + x, "x is used twice"
    if times:
        yield "x * x", lambda x: x * x, "x is used twice"
    if plus and times:
        yield "x * y + x", lambda x, y: x * y + x, "x is used twice"
        yield "(x * y) + (x + y)", lambda x, y: (x * y) + (x + y), "x and y are used twice"


def used_twice(engine: Values, sound: Sequence[str], folder: str) -> Mistake | None:
    """A value used twice: its shares add up."""
    shape = (3, 4) if engine.arrays else ()
    pair = [sample(shape, MIXED, turn) for turn in range(2)]
    for text, call, used in _expressions(sound):
        inputs = pair if "y" in text else pair[:1]
        right = _right(engine, call, inputs)
        found = engine.gradients(call, inputs)
        for name, one, other in zip("xy", found, right, strict=False):
            if _agrees(engine, one, other):
                continue
            alone = _shares(text, name, pair)
            kept = any(one is not None and same(one, each, engine.tolerance) for each in alone)
            said = (
                f"In `{text}`, {used}, and the gradient of {name} is {_few(one)} where "
                f"{_few(other)} is right: "
            )
            if kept:
                return Mistake(
                    "overwritten", "", said + "only one share is kept. Shares add up: write `+=` "
                    "where a rule writes `=`.", _assignment(engine, call, inputs, folder),
                )  # fmt: skip
            return Mistake("sum of shares", "", said + "the shares of several uses add up.")
    return None


def _assignment(
    engine: Values, call: Callable[..., Any], inputs: Sequence[Numbers], folder: str
) -> Line | None:
    """The line that sets a gradient where it should add to it."""
    ran = ran_in(folder, lambda: engine.gradients(call, inputs))
    for code, lines in ran.items():
        for number in sorted(lines):
            text = linecache.getline(code.co_filename, number).strip()
            if re.search(r"grad\w*(?:\.\w+)? *=[^=]", text) and not re.search(
                r"= *(1|0|None)", text
            ):
                return Line(code.co_filename, number, text)
    return None


def _shares(text: str, name: str, inputs: Sequence[Numbers]) -> list[Numbers]:
    """The single shares of an input of those expressions."""
    x, y = inputs
    one = np.ones(x.shape)
    found = {"x + x": [one], "x * x": [x], "x * y + x": [one, y if name == "x" else x]}
    return found.get(text, [one, y if name == "x" else x])


def in_order(engine: Values, sound: Sequence[str], folder: str) -> Mistake | None:
    """Results used again by others: a rule runs once, when all that comes in is there."""
    if not {"x + y", "x * y"} <= set(sound):
        return None
    shape = (2, 2) if engine.arrays else ()
    inputs = [sample(shape, MIXED, turn) for turn in range(2)]
    for text, call in GRAPHS.items():
        right = _right(engine, call, inputs)
        found = engine.gradients(call, inputs)
        for name, one, other in zip("xy", found, right, strict=True):
            if not _agrees(engine, one, other):
                return Mistake(
                    "order", "",
                    f"In `{text}` the gradient of {name} is {_few(one)} where {_few(other)} is "
                    "right, and every single rule is right: a rule runs before all that comes in "
                    "has arrived, or more than once. Walk the values backward, each one behind "
                    "all that use it (topological order), and each once.",
                )  # fmt: skip
    return None


def _diamond(x: Any, y: Any) -> Any:
    a = x * y
    b = a + x
    return a * b


def _late(x: Any, y: Any) -> Any:
    a = x * x
    b = a * y
    c = b + a
    return c * a + b


def _wide(x: Any, y: Any) -> Any:
    a = x + y
    b = a * x
    c = b * b
    return (c + a) * b


GRAPHS: dict[str, Callable[..., Any]] = {
    "a = x * y; b = a + x; a * b": _diamond,
    "a = x * x; b = a * y; c = b + a; c * a + b": _late,
    "a = x + y; b = a * x; c = b * b; (c + a) * b": _wide,
}


def asked_again(engine: Values, sound: Sequence[str], folder: str) -> Mistake | None:
    """Asked a second time: new values know nothing of the last sweep."""
    text = next((each for each in ("x * y", "x + y") if each in sound), None)
    if text is None:
        return None
    call = operator.mul if text == "x * y" else operator.add
    shape = (2, 2) if engine.arrays else ()
    inputs = [sample(shape, MIXED, turn) for turn in range(2)]
    first, second = engine.gradients(call, inputs), engine.gradients(call, inputs)
    for name, one, other in zip("xy", first, second, strict=True):
        if one is not None and other is not None and not same(one, other, engine.tolerance):
            return Mistake(
                "second call", "",
                f"`{text}` of new values has the gradient {_few(one)} for {name}, and at the "
                f"second time {_few(other)}: something of the first sweep is kept (a list of the "
                "class, a tape that is not emptied).",
            )  # fmt: skip
    return None


def _right(engine: Values, call: Callable[..., Any], inputs: Sequence[Numbers]) -> list[Numbers]:
    found = slopes(lambda xs: engine.forward(call, xs), inputs, 1.0, engine.step)
    return found if found is not None else [np.zeros(each.shape) for each in inputs]


def _agrees(engine: Values, found: Any, right: Numbers) -> bool:
    if found is None:
        return not np.any(np.abs(right) > 1e-6)
    return same(found, right, engine.tolerance)


def _few(array: Any) -> str:
    """A few numbers as text."""
    if array is None:
        return "None"
    flat = np.ravel(np.asarray(array, np.float64))
    shown = ", ".join(short(float(each)) for each in flat[:3])
    return shown if flat.size == 1 else f"[{shown}{', ...' * (flat.size > 3)}]"
