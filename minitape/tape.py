"""`GradientTape`: records what happens to watched tensors, and differentiates it.

The one fact to know: a question is checked first, as a `Request`; then the tape's records go
through the one backward sweep, and the results into the sources' structure. Recording is
`recorder`'s part, jacobians are in `batches/jacobians.py`, and `asking` has what a tape does around
every sweep.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, overload

from minitape.backward import backward
from minitape.batches.jacobians import Jacobians
from minitape.interpreter import active
from minitape.primitive import export
from minitape.request import Request
from minitape.values.modes import UnconnectedGradients

if TYPE_CHECKING:
    from minitape.tensor import Operators
    from minitape.values.public_types import Structure
    from minitape.values.results import Result

    Leaf = TypeVar("Leaf", bound=Operators[Any])


@export("GradientTape")
class GradientTape(Jacobians):
    """Records operations for automatic differentiation.

    Operations are recorded if they run inside this context and one of their inputs is watched.
    Trainable variables are watched by themselves when they are read; tensors by `watch`.

    Args:
        persistent: whether `gradient` may be called more than once. The tape then keeps what it
            recorded until it is dropped.
        watch_accessed_variables: whether trainable variables are watched by themselves.

    Example:
        >>> import minitape as tf
        >>> x = tf.constant(3.0)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> print(tape.gradient(y, x))
        tf.Tensor(6.0, shape=(), dtype=float32)
    """

    __slots__ = ()

    # One source gives one result, a list a list; for other structures the type says nothing.
    @overload
    def gradient(
        self,
        target: Structure,
        sources: Operators[Any],
        output_gradients: Structure = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> Result: ...
    @overload
    def gradient(
        self,
        target: Structure,
        sources: list[Leaf],
        output_gradients: Structure = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> list[Any]: ...
    @overload
    def gradient(
        self,
        target: Structure,
        sources: Structure,
        output_gradients: Structure = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> Any: ...
    def gradient(
        self,
        target: Structure,
        sources: Structure,
        output_gradients: Structure = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> Any:
        """The gradient of `target` with respect to `sources`, from what this tape recorded.

        Args:
            target: a tensor, variable or ragged tensor, or a nested structure of them; several
                targets, and the elements of one, are summed.
            sources: a tensor or variable, or a nested structure of them.
            output_gradients: weights for the targets' elements: a tensor of its shape per target,
                None for ones.
            unconnected_gradients: what to return for a source that no target depends on.

        Returns:
            The structure of `sources`, with a tensor (or `IndexedSlices`, or a ragged tensor) of
            the source's shape and dtype in place of each source, or None where it is not connected.

        Raises:
            RuntimeError: if a non-persistent tape is used a second time.
            TypeError: if the target is None, or a target or source is not a tensor.
            ValueError: if `unconnected_gradients` is unknown.
            LookupError: if an op on the way has no gradient registered.

        Example:
            >>> import minitape as tf
            >>> w, b = tf.Variable(2.0), tf.Variable(1.0)
            >>> with tf.GradientTape() as tape:
            ...     loss = (3.0 * w + b) ** 2
            >>> [float(g) for g in tape.gradient(loss, [w, b])]
            [42.0, 14.0]
        """
        recording = self._usable()
        request = Request(target, sources, output_gradients, unconnected_gradients)
        around = active()
        # Inside its own context a tape stops first: it would record its own sweep.
        if self.entered or around:
            around = self._begin("gradient", request)
        # All that can be wrong with a call has been found by now, and no record is taken yet.
        is_seen = around and any(each.sees_sweeps for each in around)
        cotangents = request.seeds(raw := request.plain and not is_seen)
        records, wanted = self._taken(recording, request)
        result = None
        try:
            for _ in backward(records, cotangents, wanted, raw, False, recording.mark):
                pass
            result = request.results(cotangents)
            return result
        finally:
            # After an error in a rule, too: viewers wait for the end.
            if around:
                self._end(result)
