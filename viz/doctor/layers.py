"""NumPy layers: a forward and a backward pass, as methods of a class or as two functions.

What a layer takes is not written anywhere, so it is tried: arrays of the usual shapes for what its
arguments are called. A layer that none of them fits is left out, and that is said.
"""

from __future__ import annotations

import contextlib
import copy
import inspect
import itertools
import linecache
import re
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from .examination import Examined, Mistake
from .lines import Line, line_of, ran_in
from .mistakes import Answer, named
from .numbers import INSIDE, MIXED, Numbers, same, sample, slopes, weights
from .values import quiet

Shape = tuple[int, ...]
Asked = tuple[Numbers, list[Any]]

BATCH, WIDTH, OUT = 4, 3, 5
STEP, TOLERANCE = 1e-4, 1e-4

# What arguments of a layer's constructor are given, by words in their names.
SIZES: tuple[tuple[str, Any], ...] = (
    ("kernel", 2), ("filter_size", 2), ("size_k", 2), ("stride", 1), ("pad", 0),
    ("channels_in", 2), ("in_channel", 2), ("out_channel", 3), ("n_filter", 3), ("num_filter", 3),
    ("pool", 2), ("out", OUT), ("n_unit", OUT), ("units", OUT), ("neurons", OUT), ("hidden", OUT),
)  # fmt: skip
INPUTS: tuple[Shape, ...] = (
    (BATCH, WIDTH),
    (WIDTH,),
    (WIDTH, BATCH),
    (2, 2, 4, 4),
    (2, 4, 4, 2),
    (2, 4, WIDTH),
)
# Arrays that functions take, by their names; the first letter of a shape is the batch.
ARRAYS: dict[str, tuple[Shape, ...]] = {
    "x": ((BATCH, WIDTH), (BATCH, 2, 4, 4), (BATCH, 2, WIDTH)),
    "w": ((WIDTH, OUT), (3, 2, 3, 3)), "b": ((OUT,), (3,)),
    "gamma": ((WIDTH,), (2,), (1, 2, 1, 1)), "beta": ((WIDTH,), (2,), (1, 2, 1, 1)),
    "prev_h": ((BATCH, OUT),), "h0": ((BATCH, OUT),), "prev_c": ((BATCH, OUT),),
    "wx": ((WIDTH, OUT), (WIDTH, 4 * OUT)), "wh": ((OUT, OUT), (OUT, 4 * OUT)),
}  # fmt: skip
LEARNT = {name: ARRAYS[name] for name in ("w", "b", "gamma", "beta")}
LEARNT |= {"weight": LEARNT["w"], "weights": LEARNT["w"], "bias": LEARNT["b"]}
SETTINGS: dict[str, Any] = {
    "conv_param": {"stride": 1, "pad": 1}, "bn_param": {"mode": "train"}, "ln_param": {},
    "gn_param": {"eps": 1e-5}, "pool_param": {"pool_height": 2, "pool_width": 2, "stride": 2},
    "dropout_param": {"mode": "train", "p": 0.6, "seed": 3}, "G": 2, "stride": 1, "pad": 0,
    "padding": 0, "training": True, "train": True,
}  # fmt: skip
PARAMETERS = (
    "w", "b", "weight", "weights", "bias", "biases", "gamma", "beta", "kernel", "kernels",
    "filters",
)  # fmt: skip
SAME_SHAPE = ("z", "input", "inputs", "a", "h", "data", "input_data", "X", "logits", "scores")
LOSS_TARGETS = ("y", "target", "targets", "labels", "label", "y_true", "t", "actual")


@dataclass(frozen=True)
class Question:
    """A layer as it is asked.

    Attributes:
        name: what a sentence calls it.
        names: of its arrays, inputs first, then parameters.
        arrays: what they are.
        forward: from arrays to a result.
        backward: from arrays and a weight to what the layer says of each array; None for an array
            of which it says nothing.
        again: the same of a layer that has had a pass before.
        code: the backward pass.
    """

    name: str
    names: tuple[str, ...]
    arrays: tuple[Numbers, ...]
    forward: Callable[[Sequence[Numbers]], Numbers]
    backward: Callable[[Sequence[Numbers], Any], list[Any]]
    again: Callable[[Sequence[Numbers], Any], list[Any]]
    code: Any


def examine_layers(module: ModuleType, folder: str, ops: Set[type] = frozenset()) -> list[Examined]:
    """Puts questions to each layer and each pair of functions of a file, but not to ops."""
    return [
        *(_examined(name, asked, folder) for name, asked in _classes(module, ops)),
        *(_examined(name, asked, folder) for name, asked in _pairs(module)),
    ]


def _examined(name: str, tried: Iterator[Question | str], folder: str) -> Examined:
    found = Examined(name)
    fitting, why = [], "none of the arrays that were tried fits it"
    for each in tried:
        if isinstance(each, str):
            why = each
        else:
            fitting.append(each)
            if _keeps_shapes(each):
                break
    if not fitting:
        found.left_out.append(f"`{name}`: {why}")
        return found
    asked = next(filter(_keeps_shapes, reversed(fitting)), fitting[0])
    try:
        said = judged(asked, folder)
    except Exception as error:
        said = Mistake("error", name, f"The backward pass of `{name}` ends in {_error(error)}.")
    if isinstance(said, str):
        found.left_out.append(said)
    elif said is not None:
        found.mistakes.append(said)
    else:
        found.right.append(name)
    return found


def _keeps_shapes(asked: Question) -> bool:
    """Whether all gradients have the shapes of what they belong to: those arrays are meant."""
    try:
        with quiet():
            given = [each.copy() for each in asked.arrays]
            out = asked.forward(given)
            found = asked.backward(given, weights(np.shape(out)) if np.size(out) > 1 else None)
    except Exception:
        return False
    pairs = zip(found, asked.arrays, strict=True)
    return all(one is not None and np.shape(one) == array.shape for one, array in pairs)


def judged(asked: Question, folder: str) -> Mistake | str | None:
    """What is wrong with a layer; None where it is right."""
    with quiet():
        given = [each.copy() for each in asked.arrays]
        out = asked.forward(given)
        if touched := _touched(asked, given):
            return touched
        weight = weights(np.shape(out)) if np.size(out) > 1 else None
        ones = np.ones(np.shape(out)) if weight is not None else None
        plain = slopes(asked.forward, asked.arrays, 1.0 if ones is None else ones, STEP)
        right = plain if weight is None else slopes(asked.forward, asked.arrays, weight, STEP)
        if right is None or plain is None:
            return (
                f"`{asked.name}`: its differences do not settle around the numbers that were tried"
            )
        first = asked.backward(asked.arrays, ones)
        found = first if weight is None else asked.backward(asked.arrays, weight)
    mistake = _wrong(asked, first, plain, plain, out, folder) or _wrong(
        asked, found, right, plain, out, folder
    )
    return mistake or _twice(asked, found, weight)


def _wrong(
    asked: Question, found: list[Any], right: list[Numbers], plain: list[Numbers], out: Any,
    folder: str,
) -> Mistake | None:  # fmt: skip
    for at, (one, other) in enumerate(zip(found, right, strict=True)):
        if one is None or same(one, other, TOLERANCE):
            continue
        name = asked.names[at]
        if right is not plain and same(one, plain[at], TOLERANCE):
            kind, said = (
                "forgotten cotangent",
                ("does not depend on what comes in (`dout`): the chain rule multiplies with it."),
            )
        else:
            others = tuple(o for i, o in enumerate(right) if i != at and o.shape == other.shape)
            given = tuple(
                f for i, f in enumerate(found) if i != at and right[i].shape == other.shape
            )
            answer = Answer(one, other, others, given, asked.arrays[at], np.asarray(out), TOLERANCE)
            kind, said = named(answer)
        line = _line(asked, folder, at)
        return Mistake(kind, asked.name, f"The gradient of `{asked.name}` for {name} {said}", line)
    return None


def _touched(asked: Question, given: list[Numbers]) -> Mistake | None:
    for name, array, had in zip(asked.names, given, asked.arrays, strict=True):
        if not np.array_equal(array, had):
            return Mistake(
                "in place", asked.name, f"`{asked.name}` changes {name}, an array that it is "
                "given: others still need its numbers. Work on a copy.",
            )  # fmt: skip
    return None


def _twice(asked: Question, found: list[Any], weight: Any) -> Mistake | None:
    """Whether a second pass of the same layer gives what the first did."""
    with quiet():
        again = asked.again(asked.arrays, weight)
    for name, one, other in zip(asked.names, found, again, strict=True):
        if one is None or other is None or same(other, one, TOLERANCE):
            continue
        said = "gives another gradient for {} when it is asked a second time with the same numbers."
        if same(other, 2 * np.asarray(one), TOLERANCE):
            said = (
                "adds the gradient for {} to what the pass before left there. Set it anew in each "
                "pass, or give the layer a method `zero_grad`."
            )
        return Mistake("second call", asked.name, f"`{asked.name}` {said.format(name)}")
    return None


def _line(asked: Question, folder: str, position: int) -> Line | None:
    def run() -> None:
        with quiet():
            asked.backward(asked.arrays, weights(np.shape(asked.forward(asked.arrays))))

    ran = {code: lines for code, lines in ran_in(folder, run).items() if code is asked.code}
    word = re.escape(asked.names[position].strip("`"))
    sets = re.compile(rf"(d|d_|grad_){word}\w* *=|grads\w*\[.{word}.\] *[+]?=", re.IGNORECASE)
    for code, lines in ran.items():
        for number in sorted(lines, reverse=True):
            text = linecache.getline(code.co_filename, number).strip()
            if sets.match(text.removeprefix("self.")):
                return Line(code.co_filename, number, text)
    return line_of(ran, {}, position, len(asked.names))


def _error(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:200]


# Classes with the methods `forward` and `backward`.


def _classes(module: ModuleType, ops: Set[type]) -> Iterator[tuple[str, Iterator[Question | str]]]:
    for name, kind in list(vars(module).items()):
        if not inspect.isclass(kind) or name.startswith("_") or inspect.isabstract(kind):
            continue
        if not _is_of(kind, module) or not ops.isdisjoint(kind.__mro__):
            continue
        forward, backward = getattr(kind, "forward", None), getattr(kind, "backward", None)
        if not (inspect.isfunction(forward) and inspect.isfunction(backward)):
            continue
        if _has_static(kind) or not _is_written(kind):
            continue
        yield name, _of_class(name, kind)


def _is_of(kind: type, module: ModuleType) -> bool:
    return kind.__module__.split(".")[0] == module.__name__.split(".")[0]


def _has_static(kind: type) -> bool:
    return any(
        isinstance(inspect.getattr_static(kind, name), staticmethod | classmethod)
        for name in ("forward", "backward")
    )


def _is_written(kind: type) -> bool:
    """Whether there is more than the base class that asks for both methods."""
    return all(
        "NotImplementedError" not in _source(getattr(kind, n)) for n in ("forward", "backward")
    )


def _source(function: Any) -> str:
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        return ""


def _of_class(name: str, kind: type) -> Iterator[Question | str]:
    layers = _built(kind)
    if not layers:
        yield "it is not known what its constructor needs"
    for layer in layers:
        yield from _of_layer(name, kind, layer)


def _of_layer(name: str, kind: type, layer: Any) -> Iterator[Question | str]:
    backward = kind.backward  # type: ignore[attr-defined]
    needs = [
        p for p in list(inspect.signature(backward).parameters.values())[1:]
        if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]  # fmt: skip
    for arrays, rest in _tried_inputs(kind.forward):  # type: ignore[attr-defined]
        made = copy.deepcopy(layer)
        try:
            with quiet():
                _seeded(partial(made.forward, *(each.copy() for each in arrays), *rest))
        except Exception as error:
            yield f"its forward pass ends in {_error(error)}"
            continue
        parameters = _parameters(made)
        question = _question(name, made, arrays, rest, parameters, bool(needs))
        try:
            with quiet():
                given = [each.copy() for each in question.arrays]
                out = question.forward(given)
                if not np.isfinite(out).all() or (not needs and np.size(out) > 1):
                    continue
                question.backward(given, weights(np.shape(out)) if needs else None)
        except (AttributeError, NotImplementedError):
            continue
        except Exception:
            pass  # its own backward pass fails, which is said
        yield question


def _built(kind: type) -> list[Any]:
    """Layers, their constructors given numbers or arrays by the names of what they need."""
    try:
        parameters = list(inspect.signature(kind).parameters.values())
    except (TypeError, ValueError):
        return []
    needed = [p for p in parameters if p.default is p.empty and p.kind in (0, 1, 3)]
    given = {p.name: _size(p.name) for p in needed}
    if len(needed) == 2 and len(set(given.values())) == 1 and WIDTH in given.values():
        given[needed[1].name] = OUT
    named = [n for n in given if n.lower() in LEARNT]
    found = []
    for shapes in itertools.product(*(LEARNT[n.lower()] for n in named)):
        arrays = {n: sample(shape, MIXED) for n, shape in zip(named, shapes, strict=True)}
        with contextlib.suppress(Exception), quiet():
            found.append(_seeded(partial(kind, **given | arrays)))
    if named and not found:
        with contextlib.suppress(Exception), quiet():
            found.append(_seeded(partial(kind, **given)))
    return found


def _seeded(run: Callable[[], Any]) -> Any:
    state = np.random.get_state()
    np.random.seed(0)
    try:
        return run()
    finally:
        np.random.set_state(state)


def _size(name: str) -> Any:
    name = name.lower()
    return next((size for word, size in SIZES if word in name), WIDTH)


def _tried_inputs(forward: Any) -> Iterator[tuple[list[Numbers], list[Any]]]:
    """Arrays for what a layer's forward pass needs: one, two alike, or predictions and targets."""
    needs = [
        p.name for p in list(inspect.signature(forward).parameters.values())[1:]
        if p.default is p.empty and p.kind in (0, 1)
    ]  # fmt: skip
    for shape in INPUTS:
        first = sample(shape, MIXED)
        if len(needs) == 1:
            yield [first], []
        elif len(needs) == 2 and needs[1].lower() in LOSS_TARGETS:
            rows = np.eye(shape[-1])[np.arange(shape[0]) % shape[-1]] if len(shape) == 2 else None
            for start in (first, sample(shape, INSIDE)):
                if rows is not None:
                    yield [start], [rows]
                    yield [start], [np.arange(shape[0]) % shape[-1]]
                yield [start], [sample(shape, INSIDE, 1)]
        elif len(needs) == 2:
            yield [first, sample(shape, MIXED, 1)], []


def _parameters(layer: Any) -> dict[str, str]:
    """The arrays of floats that a layer learns: each name with the dict it is in, "" for none."""
    kept = vars(layer)
    for holder in ("params", "parameters", "_params"):
        held = kept.get(holder)
        if isinstance(held, dict) and held:
            return {name: holder for name, array in held.items() if _is_floats(array)}
    return {name: "" for name, array in kept.items() if _is_floats(array) and _is_parameter(name)}


def _kept(layer: Any, holder: str) -> dict[str, Any]:
    held: dict[str, Any] = getattr(layer, holder) if holder else vars(layer)
    return held


def _is_floats(array: Any) -> bool:
    return isinstance(array, np.ndarray) and array.dtype.kind == "f" and array.size > 0


def _is_parameter(name: str) -> bool:
    return name.lower().strip("_") in PARAMETERS


def _question(
    name: str, layer: Any, arrays: list[Numbers], rest: list[Any], parameters: dict[str, str],
    weighted: bool,
) -> Question:  # fmt: skip
    alone = len(arrays) == 1
    inputs = ["its input" if alone else f"its input {i + 1}" for i in range(len(arrays))]
    starts = [np.array(_kept(layer, holder)[key], np.float64) for key, holder in parameters.items()]

    def run(made: Any, given: Sequence[Numbers]) -> Numbers:
        for (key, holder), value in zip(parameters.items(), given[len(arrays) :], strict=True):
            _kept(made, holder)[key] = value
        out = _seeded(partial(made.forward, *given[: len(arrays)], *rest))
        return np.asarray(out[0] if isinstance(out, tuple) else out, np.float64)

    def passed(made: Any, given: Sequence[Numbers], weight: Any) -> list[Any]:
        _zeroed(made)
        run(made, given)
        out = made.backward(weight) if weighted else made.backward()
        shares = [s if _is_floats(s) else None for s in (out if isinstance(out, tuple) else [out])]
        held = [_gradient_of(made, key, _kept(made, at)[key]) for key, at in parameters.items()]
        return [*[*shares, *[None] * len(arrays)][: len(arrays)], *held]

    def again(given: Sequence[Numbers], weight: Any) -> list[Any]:
        made = copy.deepcopy(layer)
        passed(made, given, weight)
        return passed(made, given, weight)

    return Question(
        name,
        (*inputs, *(f"`{each}`" for each in parameters)),
        (*arrays, *starts),
        lambda given: run(copy.deepcopy(layer), given),
        lambda given, weight: passed(copy.deepcopy(layer), given, weight),
        again,
        type(layer).backward.__code__,
    )


def _zeroed(layer: Any) -> None:
    for name in ("zero_grad", "zero_grads", "reset_grads", "flush_gradients"):
        if callable(getattr(layer, name, None)):
            getattr(layer, name)()
            return


def _gradient_of(layer: Any, key: str, parameter: Numbers) -> Any:
    """What a layer keeps as the gradient of one of its parameters."""
    kept = vars(layer)
    for holder in ("grads", "gradients", "_grads", "dparams"):
        held = kept.get(holder)
        if isinstance(held, dict):
            for name in (key, f"d{key}", f"d_{key}", f"grad_{key}"):
                if name in held:
                    return held[name]
        if isinstance(held, list | tuple):
            return next((g for g in held if np.shape(g) == parameter.shape), None)
    low = {n.lower().replace("_", ""): a for n, a in kept.items() if isinstance(a, np.ndarray)}
    word = key.lower().replace("_", "")
    names = (f"d{word}", f"grad{word}", f"{word}grad", f"g{word}", f"{word}gradient", f"d{word[0]}")
    return next((low[name] for name in names if name in low), None)


# Pairs of functions: `affine_forward` and `affine_backward`; and losses that give both.


def _pairs(module: ModuleType) -> Iterator[tuple[str, Iterator[Question | str]]]:
    functions = {n: f for n, f in vars(module).items() if inspect.isfunction(f)}
    functions = {n: f for n, f in functions.items() if f.__module__ == module.__name__}
    for name, forward in functions.items():
        if "forward" in name:
            for way, backward in functions.items():
                root = name.replace("forward", "backward")
                if way == root or way.startswith(f"{root}_alt"):
                    yield way, _of_pair(way, forward, backward)
        elif name.endswith("_loss"):
            yield name, _of_loss(name, forward)


def _of_pair(name: str, forward: Any, backward: Any) -> Iterator[Question | str]:
    needs = [p.name for p in inspect.signature(forward).parameters.values() if p.default is p.empty]
    floats = [each for each in needs if each not in SETTINGS]
    shapes = [
        ARRAYS.get(each.lower(), ARRAYS["x"] if i == 0 or each in SAME_SHAPE else ())
        for i, each in enumerate(floats)
    ]
    for chosen in itertools.product(*shapes):
        arrays = [sample(shape, MIXED, turn) for turn, shape in enumerate(chosen)]

        def call(given: Sequence[Numbers]) -> Any:
            values = iter(given)
            settings = copy.deepcopy(SETTINGS)
            return _seeded(
                lambda: forward(*(next(values) if n in floats else settings[n] for n in needs))
            )

        def ahead(given: Sequence[Numbers], call: Any = call) -> Numbers:
            out = call(given)
            return np.asarray(out[0] if isinstance(out, tuple) else out, np.float64)

        def back(given: Sequence[Numbers], weight: Any, call: Any = call) -> list[Any]:
            cache = call(given)[1]
            out = backward(weight, cache)
            shares = list(out) if isinstance(out, tuple) else [out]
            return [*shares, *[None] * len(floats)][: len(floats)]

        try:
            with quiet():
                out = ahead([each.copy() for each in arrays])
                if out.size < 1 or not np.isfinite(out).all():
                    continue
        except Exception as error:
            yield f"its forward pass ends in {_error(error)}"
            continue
        yield Question(
            name, tuple(f"`{n}`" for n in floats), tuple(arrays), ahead, back,
            back, backward.__code__,
        )  # fmt: skip


def _of_loss(name: str, function: Any) -> Iterator[Question | str]:
    """A loss that gives its value and the gradient of the scores: `softmax_loss(x, y)`."""
    labels = np.arange(BATCH) % WIDTH
    for y in (labels, np.eye(WIDTH)[labels]):
        scores = sample((BATCH, WIDTH), MIXED)
        try:
            with quiet():
                out = function(scores.copy(), y)
            if not (
                isinstance(out, tuple) and np.ndim(out[0]) == 0 and np.shape(out[1]) == scores.shape
            ):
                continue
        except Exception:
            continue
        yield Question(
            name, ("its scores",), (scores,), partial(_loss_value, function, y),
            partial(_loss_gradient, function, y), partial(_loss_gradient, function, y),
            function.__code__,
        )  # fmt: skip


def _loss_value(function: Any, labels: Any, given: Sequence[Numbers]) -> Numbers:
    return np.asarray(function(given[0], labels)[0], np.float64)


def _loss_gradient(function: Any, labels: Any, given: Sequence[Numbers], _: Any) -> list[Any]:
    return [function(given[0], labels)[1]]
