"""The op that stands for a call of a function with its own gradient; see `custom`.

The op gives the results on unchanged, and takes the arguments, the variables and the results. Its
rule asks the user's gradient function in TensorFlow's convention, in which the gradients of complex
values are the conjugates of plain derivatives: the border is here. On the stacks of a batch the op
becomes one of its own, whose gradient function enters the batch again.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from minitape.batches.batching import Batch, spread, unbox
from minitape.forward_mode.transposition import transposed
from minitape.leaving import pushed
from minitape.op import Op, Rule, apply
from minitape.ops.broadcasting import reduce_sum
from minitape.ops.moving.gathering import IndexedSlices
from minitape.ops.passing import conj
from minitape.tensor import EagerTensor, Operators, Tensor
from minitape.tensors.composite import as_tensors, dense
from minitape.tensors.convert import operand

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np

    from minitape.tensor import Array, Arrays

    Tensors = list[Tensor]


class Call:
    """One call of a function with its own gradient: whom the op's rule asks.

    Args:
        name: the function's name, for people.
        gradient: `(g, inputs)` takes one gradient per result and gives one or None per input, as
            tensors; `inputs` are the arguments' and variables' values if the call is traced.
        dtypes: of the inputs (arguments and variables).
        batches: the batches that the inputs are in, outermost first.
        traced: whether a graph was being written: the call then runs again with other inputs.
        refusal: why forward mode cannot pass, or "".
    """

    __slots__ = ("_last", "batches", "dtypes", "gradient", "name", "refusal", "traced")

    def __init__(
        self,
        name: str,
        gradient: Callable[[list[Any], list[Any]], list[Any]],
        dtypes: list[np.dtype[Any]],
        batches: tuple[Batch, ...],
        traced: bool = False,
        refusal: str = "",
    ) -> None:
        self.name, self.gradient, self.dtypes = name, gradient, dtypes
        self.batches, self.traced, self.refusal = batches, traced, refusal
        self._last: tuple[Any, list[Any]] = (None, [])

    def __repr__(self) -> str:
        return self.name

    def contribution(self, g: tuple[Any, ...], inputs: list[Any], index: int) -> Any:
        """What flows back to input `index`; the gradient function is asked once per sweep."""
        last = self._last
        if last[0] is not g:
            last = self._last = (g, self._contributions(g, inputs))
        return last[1][index]

    def _contributions(self, g: tuple[Any, ...], inputs: list[Any]) -> list[Any]:
        raw = not any(isinstance(each, Operators) for each in g)
        upstream = [_conjugated(as_tensors(dense(each))) for each in g]
        found = self.gradient(upstream, [as_tensors(x) for x in inputs])
        return [_plain(x, dtype, raw) for x, dtype in zip(found, self.dtypes, strict=True)]

    def outside(self, stacked: list[bool], size: int) -> Call:
        """The call that stands for this one on the stacks of its innermost batch."""

        def gradient(g: list[Any], inputs: list[Any]) -> list[Any]:
            # What the function closed over is in the boxes of the batch in which it ran.
            batch = self.batches[-1] if self.batches else Batch(size)

            def boxed(x: Any) -> Any:
                return batch.box(x.value if batch.raw else x)

            with pushed(batch):
                ones = [boxed(x) if own else x for x, own in zip(inputs, stacked, strict=False)]
                found = self.gradient([boxed(each) for each in g], ones)
            pairs = zip(found, stacked, strict=False)
            return [None if x is None else _summed(x, own, batch) for x, own in pairs]

        outer = self.batches[:-1]
        return Call(self.name, gradient, self.dtypes, outer, self.traced, self.refusal)


def _conjugated(g: Any) -> Any:
    return conj(g) if g.spec.dtype.kind == "c" else g


def _plain(x: Any, dtype: np.dtype[Any], raw: bool) -> Any:
    """A contribution as the sweep wants it: a plain derivative, an array where the sweep is raw."""
    if x is None or dtype.kind not in "fc":
        return None
    if isinstance(x, IndexedSlices) and dtype.kind == "f":  # stays sparse
        shape = None if x.dense_shape is None else tuple(x.dense_shape.numpy().tolist())
        return IndexedSlices(_opened(x.values, raw), _opened(x.indices, raw), shape)
    return _opened(_conjugated(dense(operand(x, dtype))), raw)


def _opened(x: Any, raw: bool) -> Any:
    """The array of a tensor where the sweep is raw."""
    x = operand(x, None)
    return x.value if raw and type(x) is EagerTensor else x


def _summed(x: Any, own: bool, batch: Batch) -> Any:
    """The stack of contributions; their sum for an input that all examples share."""
    stack = unbox(operand(x, None), batch)
    return stack if own else reduce_sum(stack, (0,))


class Operation(Op):
    """The op of all calls with `count` arguments and variables, which a traced call keeps."""

    __slots__ = ("count",)

    def __init__(self, count: int, traced: bool) -> None:
        def custom_gradient(values: Arrays, call: Any) -> tuple[Array, ...]:
            """The results as they are; the gradient is the user's."""
            return tuple(values[count:])

        def rule(g: tuple[Any, ...], call: Call, index: int) -> Any:
            return call.contribution(g, [], index) if index < count else g[index - count]

        def traced_rule(g: tuple[Any, ...], values: Tensors, call: Call, index: int) -> Any:
            if index >= count:
                return g[index - count]
            return call.contribution(g, list(values[:count]), index)

        super().__init__(
            custom_gradient,
            (),
            type_name="IdentityN",
            mixed=True,
            latex=r"\mathrm{{{call}}}\left({values}\right)",
        )
        self.count = count
        self.rules["values"] = Rule(traced_rule if traced else rule)
        self.batch, self.jvp = self._on_stacks, self._forward_mode

    def pulled(self, followed: Sequence[bool]) -> list[int]:
        """The results count as inputs only where no argument and no variable is followed."""
        found = super().pulled(followed)
        return [i for i in found if i < self.count] or found

    def _on_stacks(
        self, values: list[Any], stacked: list[bool], attributes: tuple[Any, ...], size: int
    ) -> Any:
        call: Call = attributes[0]
        results = [
            spread(value, own, size)
            for value, own in zip(values[self.count :], stacked[self.count :], strict=True)
        ]
        if not any(isinstance(value, Tensor) for value in values):
            return tuple(results)  # nobody outside the batch is there to differentiate
        inputs = (*values[: self.count], *results)
        return apply(self, inputs, (call.outside(stacked, size),))

    def _forward_mode(self, tangents: Any, inputs: Any, out: Any, attributes: Any) -> Any:
        if attributes[0].refusal:
            raise NotImplementedError(attributes[0].refusal)
        return transposed(self, tangents, inputs, out, attributes)


operation = functools.cache(Operation)
