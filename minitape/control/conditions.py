"""`tf.cond`, `tf.case`, `tf.switch_case`: structures, checks and TensorFlow's arguments.

Eagerly these just run Python. In a graph a branch or loop becomes one node (see `programs`), for
which results need one structure, dtype and shape, whatever is taken: that is checked here, with the
user's line. In a batch every example takes its own branch.
"""

from __future__ import annotations

from functools import partial
from reprlib import repr as short
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.control.branch_results import Results
from minitape.control.branching import choose, chosen
from minitape.errors import InvalidArgumentError
from minitape.errors.of_arguments import checked_integer, checked_items, checked_pair
from minitape.interpreter import symbolic_interpreter
from minitape.op import export
from minitape.ops.broadcasting import reshape
from minitape.ops.elementwise.comparison import not_equal
from minitape.tensor import EagerTensor, Tensor, eager
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from minitape.values.public_types import TensorLike
    from minitape.values.results import Result


@export("cond")
def cond(
    pred: TensorLike, true_fn: Any = None, false_fn: Any = None, name: str | None = None
) -> Result:
    """Returns `true_fn()` if the scalar `pred` is true, and `false_fn()` otherwise.

    In a graph both are traced, and only one of them runs; in `tf.vectorized_map` both run, and
    every example takes its own.

    Args:
        pred: a scalar bool.
        true_fn: a function without arguments.
        false_fn: one whose result has the same structure, and in a graph the same dtypes and
            shapes.
        name: accepted and not used.

    Raises:
        TypeError: if a branch is not callable, or (in a graph) they differ in structure or dtype.

    Example:
        >>> import minitape as tf
        >>> x = tf.constant(3.0)
        >>> print(tf.cond(x > 2.0, lambda: x * x, lambda: -x))
        tf.Tensor(9.0, shape=(), dtype=float32)
    """
    for argument, branch in (("true_fn", true_fn), ("false_fn", false_fn)):
        if not callable(branch):
            raise TypeError(
                f"{argument} must be callable; got {short(branch)}. "
                f"Write `lambda: {short(branch)}`."
            )
    return _chosen(truth(pred, "cond", "pred"), [true_fn, false_fn], ["true_fn", "false_fn"])


@export("switch_case")
def switch_case(
    branch_index: TensorLike, branch_fns: Any, default: Any = None, name: str = "switch_case"
) -> Result:
    """What the branch with number `branch_index` gives.

    Args:
        branch_index: a scalar integer tensor.
        branch_fns: functions without arguments: a list of them, a list of pairs (number, function),
            or a dict from numbers to functions.
        default: what a number without a branch calls; by default the last branch.
        name: accepted and not used.

    Raises:
        TypeError: if `branch_index` is no integer tensor, a branch is not callable, or (in a
            graph) branches differ in structure or dtype.
        ValueError: if there are no branches, or their numbers are not 0, 1, 2, ...

    Example:
        >>> import minitape as tf
        >>> x = tf.constant(3.0)
        >>> print(tf.switch_case(tf.constant(1), [lambda: x, lambda: x * x]))
        tf.Tensor(9.0, shape=(), dtype=float32)
    """
    branches = _numbered(branch_fns)
    branches.append(branches[-1] if default is None else default)
    for i, branch in enumerate(branches):
        if not callable(branch):
            raise TypeError(
                f"switch_case: branch {i} must be callable; got {short(branch)}. Write `lambda: "
                f"{short(branch)}`."
            )
    if not isinstance(branch_index, Tensor) or not branch_index.dtype.is_integer:
        raise TypeError(
            "switch_case: 'branch_index' must be an integer Tensor; got "
            f"{branch_index!r:.80}. Write for instance `tf.constant(1)`."
        )
    if len(branch_index.spec.shape):
        raise InvalidArgumentError(
            f"switch_case: {branch_index!r:.80} is not a scalar branch_index."
        )
    names = [*(f"branch {i}" for i in range(len(branches) - 1)), "default"]
    return _chosen(branch_index, branches, names)


def _numbered(branch_fns: Any) -> list[Any]:
    """The branches in the order of their numbers."""
    example = "tf.switch_case(i, [f, g])"
    given = branch_fns.items() if isinstance(branch_fns, dict) else branch_fns
    items = checked_items("switch_case", "branch_fns", given, example)
    if any(isinstance(each, tuple | list) for each in items):
        pairs = [checked_pair("switch_case", "branch_fns", each, example) for each in items]
        for key, _ in pairs:
            checked_integer("switch_case", "the number of a branch", key, example)
    else:
        pairs = list(enumerate(items))
    if not pairs:
        raise ValueError("switch_case: Argument `branch_fns` must not be empty.")
    pairs.sort(key=lambda pair: int(pair[0]))
    if [int(key) for key, _ in pairs] != list(range(len(pairs))):
        raise ValueError(
            "switch_case: branch numbers must form contiguous integers from 0; got "
            f"{[key for key, _ in pairs]}."
        )
    return [branch for _, branch in pairs]


@export("case")
def case(
    pred_fn_pairs: Any,
    default: Any = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Result:
    """What the first pair whose predicate holds gives.

    Args:
        pred_fn_pairs: a list of pairs of a scalar bool tensor and a function without arguments.
        default: the function to call if no predicate holds.
        exclusive: whether to check that at most one predicate holds.
        strict: accepted and not used.
        name: accepted and not used.

    Raises:
        TypeError: if `pred_fn_pairs` is no list of pairs of a bool tensor and a function.
        InvalidArgumentError: if no predicate holds and there is no default, or `exclusive` and
            several do.

    Example:
        >>> import minitape as tf
        >>> x = tf.constant(2.0)
        >>> print(tf.case([(x > 3.0, lambda: x), (x > 1.0, lambda: x * 10.0)], default=lambda: -x))
        tf.Tensor(20.0, shape=(), dtype=float32)
    """
    pairs = list(pred_fn_pairs.items()) if isinstance(pred_fn_pairs, dict) else pred_fn_pairs
    if not isinstance(pairs, list | tuple) or not all(
        isinstance(p, list | tuple) and len(p) == 2 for p in pairs
    ):
        raise TypeError(
            "case: pred_fn_pairs must be a list of (predicate, function) pairs; got "
            f"{short(pred_fn_pairs)}."
        )
    for pred, branch in pairs:
        if not isinstance(pred, Tensor) or not pred.dtype.is_bool:
            raise TypeError(f"case: pred must be a bool Tensor, got: {pred!r:.80}.")
        if not callable(branch):
            raise TypeError(
                f"case: a branch must be callable; got {short(branch)}. "
                f"Write `lambda: {short(branch)}`."
            )
    predicates = [truth(p, "case", "a predicate") for p, _ in pairs]
    if (
        exclusive
        and all(isinstance(p, EagerTensor) for p in predicates)
        and sum(bool(p) for p in predicates) > 1
    ):
        raise InvalidArgumentError("case: more than one predicate holds, with exclusive=True.")
    result = default if default is not None else _none_holds(pairs)
    for predicate, (_, branch) in reversed(list(zip(predicates, pairs, strict=True))):
        result = lambda p=predicate, b=branch, otherwise=result: cond(p, b, otherwise)  # noqa: E731
    if not callable(result):
        raise TypeError(f"case: default must be callable; got {short(default)}.")
    return result()


def _none_holds(pairs: Sequence[Any]) -> Callable[[], Any]:
    """What runs when nothing holds without a default: eagerly an error, else the last branch."""
    if symbolic_interpreter() is not None:
        return pairs[-1][1]  # type: ignore[no-any-return]

    def fail() -> Any:
        raise InvalidArgumentError(
            "case: None of the conditions evaluated as True, and there is no default. Give one."
        )

    return fail


def truth(pred: Any, op: str, argument: str) -> Any:
    """A predicate as a scalar bool tensor; numbers count as in Python."""
    tensor = operand(pred, None)
    if type(tensor) is EagerTensor and type(tensor.value) is np.bool_:
        return tensor
    if tensor.spec.shape not in ((), (1,)) and tuple(tensor.spec.shape) != ():
        raise InvalidArgumentError(
            f"{op}: {argument} must be a scalar; got shape {tuple(tensor.spec.shape)}. Use "
            "tf.reduce_all, tf.reduce_any, or tf.where."
        )
    tensor = reshape(tensor, ()) if len(tensor.spec.shape) else tensor
    if tensor.spec.dtype.kind == "O":
        raise TypeError(
            f"{op}: {argument} must be a bool or a number; got {pred!r:.80}. A string has no "
            "truth value here. Write a comparison, for instance `tf.equal(text, 'yes')`."
        )
    if tensor.spec.dtype.kind != "b":
        tensor = not_equal(tensor, eager(tensor.spec.dtype.type(0)))
    return tensor


def _chosen(index: Any, branches: list[Any], names: list[str]) -> Any:
    """The result of the branch that `index` names, in its own structure."""
    if isinstance(index, EagerTensor) and symbolic_interpreter() is None:
        return branches[chosen(index.value, len(branches))]()
    found = Results(names)
    calls = [partial(found.of, i, branch) for i, branch in enumerate(branches)]
    return found.packed(choose(index, calls))
