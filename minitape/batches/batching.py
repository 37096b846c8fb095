"""Batching: one op on a stack of examples instead of one op per example.

A `Batched` tensor shows the shape of one example and carries the stack at axis 0. An op on it runs
its batching rule on the stacks; an op without a rule runs example by example, which is always
right. Elementwise ops need no rule: it follows from their broadcasting. The seeds of a jacobian
stay in short as long as they can; see `diagonal`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.batches.diagonal import Diagonal, in_short
from minitape.call import check_dtypes, check_promotion
from minitape.errors import raise_instead
from minitape.errors.of_ops import forward_failed
from minitape.interpreter import Interpreter, active, push, remove
from minitape.op import apply
from minitape.ops.broadcasting import broadcast_to, reshape
from minitape.ops.moving.joining import stack as stack_op
from minitape.ops.moving.padding import pad
from minitape.ops.moving.slicing import take
from minitape.safety.exits import left_when_dropped
from minitape.safety.silence import quietly
from minitape.tensor import Spec, Tensor, eager
from minitape.tensors.boxed import Boxed
from minitape.tensors.composite import Composite
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from types import TracebackType

    from minitape.op import Op


class Batched(Boxed):
    """One example's view of a stack of them."""

    __slots__ = ()
    advice = (
        "Inside `tf.vectorized_map` all examples are computed at once: use `tf.where`, or "
        "`tf.map_fn`."
    )

    @property
    def spec(self) -> Spec:
        """Shape and dtype of one example."""
        shape, dtype, _ = (
            Spec(self.value.shape, self.value.dtype) if self.interpreter.raw else self.value.spec
        )
        return Spec(shape[1:], dtype, getattr(self, "id", 0))

    def __repr__(self) -> str:
        shape, dtype = self.spec.shape, self.dtype.name
        return f"<tf.Tensor in a batch of {self.interpreter.size}: shape={shape}, dtype={dtype}>"


class Batch(Interpreter):
    """The interpreter behind `vectorized_map` and the jacobians.

    Args:
        size: how many examples are stacked.
        in_sweep: True for a backward sweep: operands that are arrays are the tape's own, and not
            copied.
    """

    __slots__ = ("draws", "raw", "size", "in_sweep")

    def __init__(self, size: int, in_sweep: bool = False) -> None:
        super().__init__()
        self.size = size
        self.raw = not active()  # nobody outside watches: the stacks are plain arrays
        self.in_sweep = in_sweep and self.raw
        self.draws = not in_sweep

    def __enter__(self) -> Batch:
        try:
            push(self)
        except BaseException:
            remove(self)  # an interrupt: the `with` statement will not come to it
            raise
        return self

    @left_when_dropped
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        remove(self)

    def box(self, stack: Any) -> Batched:
        """The batched tensor of a stack: an array or `Diagonal` if this is raw, else a tensor."""
        return Batched(stack, self)

    def interpret(self, op: Op, inputs: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
        """Runs `op` on all examples at once by its batching rule."""
        if op.draws and not inputs:
            return self._drawn(op, attributes)
        if self.in_sweep:  # what rules do is right, or the op's own mistake
            return self._computed(op, inputs, attributes)
        check_dtypes(op, inputs)
        try:
            out = quietly(self._computed, op, inputs, attributes)
        except Exception as error:
            if op.call is None or op.call.op is not op:  # it runs a program, perhaps the user's
                raise
            raise_instead(forward_failed(op, inputs, attributes, error), error)
        if not op.several:
            check_promotion(op, inputs, out.spec)
        return out

    def _computed(self, op: Op, inputs: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
        raw, short, numbers = self.raw, False, False
        values, stacked = [], []
        for x in inputs:
            kind = type(x)
            own = kind is Batched and x.interpreter is self
            stacked.append(own)
            if own:
                x = x.value
                short = short or type(x) is Diagonal
            elif isinstance(x, Composite):  # sparse rows beside a whole cotangent
                return x.interpret(op, inputs, attributes)
            elif raw and kind is not np.ndarray and isinstance(x, Tensor):
                x = x.value
            else:
                numbers = numbers or kind is float or kind is int
            values.append(x)
        if numbers and op.product is None:  # forwards may ask an operand for its dtype
            values = _numbers_as_arrays(values)
        if short:
            out = in_short(op, values, stacked, attributes)
            if out is not None:
                return Batched(out, self)
            values = list(map(whole, values))
        if op.batch is not None:
            out = op.batch(values, stacked, attributes, self.size)
        elif op.elementwise and not op.variadic:
            out = _elementwise(op.forward if raw else op.call, values, stacked, attributes)
        else:
            out = NotImplemented
        if out is NotImplemented:  # a rule's answer to stacks that it has no way for
            out = one_by_one(op, values, stacked, attributes, self.size)
        return tuple(Batched(y, self) for y in out) if op.several else Batched(out, self)

    def _drawn(self, op: Op, attributes: tuple[Any, ...]) -> Any:
        """Random numbers for every example; a stateless seed (a pair) gives all the same."""
        shape, *rest = attributes
        if isinstance(rest[-1], tuple):
            return apply(op, (), attributes)
        drawn = apply(op, (), ((self.size, *shape), *rest))
        return Batched(drawn.value if self.raw else drawn, self)


def _numbers_as_arrays(values: list[Any]) -> list[Any]:
    """Plain numbers that a rule wrote, in the dtype of the numbers beside them (no condition's)."""
    dtypes = [x.dtype for x in values if hasattr(x, "dtype") and x.dtype != np.bool_]
    if not dtypes:
        return values
    return [operand(x, dtypes[0]).value if type(x) in {float, int} else x for x in values]


def _elementwise(call: Any, values: list[Any], stacked: list[bool], attributes: Any) -> Any:
    """The call of an op that broadcasts; that of two values is written out, as the commonest."""
    if attributes or len(values) > 2:
        align(values, stacked)
        return call(*values, *attributes)
    if len(values) == 1:
        return call(values[0])
    x, y = values
    if getattr(x, "ndim", 0) - stacked[0] != getattr(y, "ndim", 0) - stacked[1]:
        align(values, stacked)
        x, y = values
    return call(x, y)


def align(values: list[Any], stacked: list[bool]) -> None:
    """Lines up the axes of one example behind the batch axis, for all ops that broadcast."""
    # Numbers that a rule wrote have no axes, and line up with anything.
    ranks = [getattr(x, "ndim", 0) - own for x, own in zip(values, stacked, strict=True)]
    rank = max(ranks)
    for i, own in enumerate(stacked):
        if own and ranks[i] < rank:
            values[i] = pad_rank(values[i], rank + 1)


def pad_rank(stack: Any, rank: int) -> Any:
    """`stack` with axes of size 1 put behind its first axis until it has `rank` axes."""
    shape = tuple(stack.shape)
    return (
        reshape(stack, (shape[0], *(1,) * (rank - len(shape)), *shape[1:]))
        if len(shape) < rank
        else stack
    )


def one_by_one(
    op: Op, values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int
) -> Any:
    """The rule of ops that have none: every example by itself, then the results stacked."""
    if not size:
        return _of_none(op, values, stacked, attributes)
    call = op.call
    results = []
    for i in range(size):
        inputs = [take(v, i) if own else v for v, own in zip(values, stacked, strict=True)]
        results.append(call(inputs, *attributes) if op.variadic else call(*inputs, *attributes))
    if op.several:
        return tuple(stack_op(list(parts), 0) for parts in zip(*results, strict=True))
    return stack_op(results, 0)


def _of_none(op: Op, values: list[Any], stacked: list[bool], attributes: tuple[Any, ...]) -> Any:
    """The results of no example: as large as that of an example of zeros."""
    tried = [
        pad(v, ((0, 1), *[(0, 0)] * (len(v.shape) - 1)), 0) if own else v
        for v, own in zip(values, stacked, strict=True)
    ]
    try:
        found = one_by_one(op, tried, stacked, attributes, 1)
    except ValueError as error:
        raise ValueError(
            f"`{op.name}` has no batching rule, and an empty batch has no example to try it on "
            "(one of zeros is refused). Give at least one example."
        ) from error
    return tuple(each[:0] for each in found) if op.several else found[:0]


def spread(value: Any, own: bool, size: int) -> Any:
    """`value` with a batch axis: itself if it has one, else repeated."""
    return value if own else broadcast_to(value, (size, *value.shape))


def whole(stack: Any) -> Any:
    """A stack that may be in short, as an array or tensor."""
    return stack.whole() if type(stack) is Diagonal else stack


def unbox(tensor: Any, batch: Batch) -> Tensor:
    """The stack of a batched tensor; what does not depend on the example is repeated."""
    own = isinstance(tensor, Batched) and tensor.interpreter is batch
    value = spread(whole(tensor.value) if own else tensor, own, batch.size)
    return value if isinstance(value, Tensor) else eager(value)
