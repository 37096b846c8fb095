"""`ForwardAccumulator`: pushes tangents through a program while it runs (forward mode).

An op's tangents are computed (see `transposition`) with only the interpreters outside this one
active, which is all that nesting takes: accumulators in accumulators, in tapes and around tapes
follow.
"""

from __future__ import annotations

import functools
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.batches.batching import Batch, unbox
from minitape.errors import InvalidArgumentError, teach
from minitape.errors.notices import warn
from minitape.errors.of_tapes import not_copied
from minitape.forward_mode.transposition import push_forward
from minitape.graphs.symbolic import running_python
from minitape.interpreter import Interpreter, active, follow, identity, push, remove
from minitape.leaving import only
from minitape.op import export
from minitape.safety.exits import left_when_dropped
from minitape.tensor import EagerTensor, Tensor, eager
from minitape.tensors.composite import dense, parts, rebuild
from minitape.tensors.convert import convert_to_tensor
from minitape.values import nest
from minitape.values.dtypes import as_dtype
from minitape.values.modes import UnconnectedGradients
from minitape.variable import ResourceVariable

if TYPE_CHECKING:
    from types import TracebackType

    from minitape.op import Op
    from minitape.values.results import Result


_SPARE = 64  # dead references; they are dropped by the many


class Tangents(Interpreter):
    """The interpreter behind `ForwardAccumulator`: the tangents by tensor id.

    A tangent lives as long as its tensor: a weak reference to the tensor drops it. Only primals
    that a tape follows are kept alive: it may have kept the value of one and make its tensor again.
    """

    once = True
    __slots__ = ("_by_id", "_primals", "_references", "batch")

    def __init__(self) -> None:
        super().__init__()
        self.batch: Batch | None = None  # where every primal moves along several tangents at once
        self._by_id: dict[int, Any] = {}
        self._references: dict[int, Any] = {}  # to what has tangents, and to some that died
        self._primals: list[Any] = []

    def watch(self, primal: Any, tangent: Tensor) -> None:
        """Gives a tensor or variable a tangent, which adds to the one that it has."""
        identity(primal)
        if not isinstance(primal, EagerTensor) or primal.mark is not None:
            self._primals.append(primal)  # `layer.kernel.value` is held by nothing else
        if isinstance(primal, Tensor) and primal.dtype.is_differentiable:
            follow(primal, self)
        before = self.tangent(primal)
        self._keep(primal, tangent if before is None else before + tangent)

    def _keep(self, primal: Any, tangent: Tensor) -> None:
        # The callback is no Python code, in which Python would swallow an interrupt: the dead
        # reference becomes the default of `pop`. It leads to tangents alone, so nothing is a cycle.
        forget = functools.partial(self._by_id.pop, primal.id)
        self._references[primal.id] = weakref.ref(primal, forget)
        self._by_id[primal.id] = tangent
        if len(self._references) > 2 * len(self._by_id) + _SPARE:
            self._references = {
                key: each for key, each in self._references.items() if key in self._by_id
            }

    def tangent(self, tensor: Any) -> Any:
        """The tangent of a tensor or variable, None if it depends on no primal."""
        return self._by_id.get(getattr(tensor, "id", 0))

    def follows_variable(self, variable: ResourceVariable) -> bool:
        """Whether `variable` is a primal."""
        return variable.id in self._by_id and variable.is_differentiable

    def observe(
        self, op: Op, inputs: tuple[Any, ...], outputs: Any, attributes: tuple[Any, ...]
    ) -> None:
        """Computes the tangents of an op's outputs from those of its inputs."""
        stack = active()
        outer = stack[: next(i for i, each in enumerate(stack) if each is self)]
        if self.batch is not None:
            outer = (*outer, self.batch)
        tangents = tuple(self.tangent(x) for x in inputs)
        if not op.differentiable or all(t is None for t in tangents):
            return
        with only(outer):
            if op.name != "identity":  # through which slices stay slices, as in TensorFlow
                tangents = tuple(map(dense, tangents))
            found = push_forward(op, tangents, inputs, outputs, attributes)
        for y, tangent in zip(outputs, found, strict=True) if op.several else ((outputs, found),):
            if tangent is not None:
                self._keep(y, tangent)


@export("autodiff.ForwardAccumulator")
class ForwardAccumulator:
    """Computes Jacobian-vector products while a program runs: forward-mode differentiation.

    Where a tape asks "how does this result depend on everything?", an accumulator asks "how does
    everything change when the primals move along the tangents?". It needs no memory of the program.

    Args:
        primals: a tensor or variable, or a nested structure of them.
        tangents: the same structure, with a tensor of each primal's shape and dtype.

    Raises:
        ValueError: if a primal is given twice, or the structures or shapes differ.

    Example:
        >>> import minitape as tf
        >>> x = tf.constant([2.0, 3.0])
        >>> with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as acc:
        ...     y = tf.reduce_sum(x * x)
        >>> print(acc.jvp(y))
        tf.Tensor(4.0, shape=(), dtype=float32)
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        self._tangents = Tangents()
        self.entered = False
        flat = nest.flatten(primals)
        for i, primal in enumerate(flat):
            if any(primal is other for other in flat[:i]):
                raise ValueError(
                    teach(
                        f"Tensor {primal} was specified as a primal multiple times.",
                        "A tensor moves along one tangent.",
                        "List the tensor once. To use several tangents, add them first.",
                    )
                )
        nest.map_structure(self._watch, primals, tangents)

    def _watch(self, primal: Any, tangent: Any) -> None:
        if not isinstance(primal, Tensor | ResourceVariable):
            raise TypeError(
                teach(
                    f"A primal must be a tf.Tensor or tf.Variable; got {primal!r}.",
                    "An accumulator follows a value by the tensor that holds it.",
                    "Make it once with `x = tf.constant(...)` and use that `x`.",
                )
            )
        if not as_dtype(primal.dtype).is_differentiable:
            warn(
                "The dtype of the watched primal must be floating (e.g. tf.float32), got %r",
                primal.dtype,
            )
        tangent = convert_to_tensor(tangent, dtype=primal.dtype)
        if tangent.shape != primal.shape:
            raise InvalidArgumentError(
                teach(
                    f"A tangent of shape {tangent.shape} was given for a primal of shape "
                    f"{primal.shape}.",
                    "A tangent says how fast each element of its primal moves.",
                    "Give a tangent of the primal's shape, for instance `tf.ones_like(x)`.",
                )
            )
        self._tangents.watch(primal, tangent)

    @classmethod
    def _batch_accumulator(cls, primals: Any, tangents: Any) -> ForwardAccumulator:
        """An accumulator that pushes a stack of tangents, along a new axis 0, at once.

        Raises:
            ValueError: if the stacks have different sizes, or do not fit the primals.
        """
        stacks = [convert_to_tensor(stack) for stack in nest.flatten(tangents)]
        sizes = {tuple(stack.spec.shape)[:1] for stack in stacks}
        if len(sizes) != 1 or sizes == {()}:
            raise ValueError(
                f"All tangents must have the same size of axis 0, not {sorted(sizes)}: it is the "
                "number of tangents that each primal moves along. Stack equally many for each."
            )
        own = cls.__new__(cls)
        own._tangents, own.entered = Tangents(), False
        batch = own._tangents.batch = Batch(sizes.pop()[0])
        batch.raw = False  # an outer tape may see what happens to the tangents
        boxes = [batch.box(stack) for stack in stacks]
        with only((*active(), batch)):
            nest.map_structure(own._watch, primals, nest.pack_sequence_as(tangents, boxes))
        return own

    def __getstate__(self) -> Any:
        raise not_copied(type(self).__name__)

    def __enter__(self) -> ForwardAccumulator:
        if self.entered:
            raise ValueError(
                teach(
                    "Accumulator is already recording.",
                    "It pushes each tangent through an op once.",
                    "Leave its `with` block first, or make a second accumulator.",
                )
            )
        try:
            push(self._tangents)
            self.entered = True
        except BaseException:
            remove(self._tangents)  # an interrupt: the `with` statement will not come to it
            raise
        return self

    @left_when_dropped
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        remove(self._tangents)
        self.entered = False

    def jvp(self, primals: Any, unconnected_gradients: Any = UnconnectedGradients.NONE) -> Result:
        """The Jacobian-vector product of tensors that were computed inside the context.

        Args:
            primals: a tensor or variable, or a nested structure of them.
            unconnected_gradients: what to give for a tensor that depends on no primal. (In a
                `tf.function` that runs its Python because of an `if` or `while` it is always zero.)

        Returns:
            The structure of `primals`, with a tensor of the same shape and dtype, or None, in
            place of each tensor.

        Raises:
            ValueError: if `unconnected_gradients` is unknown.
        """
        mode = UnconnectedGradients.check(unconnected_gradients)

        def fetch(tensor: Any) -> Any:
            return rebuild(tensor, [self._fetch(part, mode) for part in parts(tensor)])

        return nest.map_structure(fetch, primals)

    def _fetch(self, tensor: Any, mode: UnconnectedGradients) -> Any:
        found = self._tangents.tangent(tensor)
        if found is None and tensor is not None and running_python.get():
            tensor = convert_to_tensor(tensor)
            if tensor.dtype.is_differentiable:  # another branch of an `if` may depend on a primal
                mode = UnconnectedGradients.ZERO
        batch = self._tangents.batch
        if found is None and mode is UnconnectedGradients.ZERO:
            shape, dtype, _ = tensor.spec
            whole = tuple(shape) if batch is None else (batch.size, *shape)
            return eager(np.zeros(whole, dtype)[()])
        return found if found is None or batch is None else unbox(dense(found), batch)
