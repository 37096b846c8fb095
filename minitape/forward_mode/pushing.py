"""Tangents through a recording: what `backward` is for cotangents, from a source to a target.

Nothing new is differentiated. An op's tangent comes from its record by `transposition`. A record
does not say what its result is shaped like, but its cotangent does: so a sweep from the target goes
first, and what it visited is what lies on the way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from minitape.backward import backward
from minitape.forward_mode.transposition import pushed
from minitape.other_pulls import with_pull
from minitape.record import input_id, opened, output_ids, plan_of
from minitape.tensor import Spec
from minitape.tensors.composite import dense

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from minitape.plan import Pull
    from minitape.record import Record
    from minitape.steps import Step


class Share(NamedTuple):
    """What one input gave to one output.

    Attributes:
        pull: the rule of that input, whose transpose was used.
        id: the input's id.
        tangent: the input's tangent.
        output: which output of the op.
        value: what it gets.
        old: the output's tangent before it, None if this is the first.
        total: the output's tangent after it.
    """

    pull: Pull
    id: int
    tangent: Any
    output: int
    value: Any
    old: Any
    total: Any


class Push(NamedTuple):
    """One record of the pass.

    Attributes:
        record: the record.
        specs: shape and dtype of each output.
        shares: what its inputs gave to its outputs.
    """

    record: Record
    specs: tuple[Any, ...]
    shares: list[Share]


def forward(
    records: Sequence[Record], cotangents: dict[int, Any], tangents: dict[int, Any]
) -> Iterator[Push]:
    """Pushes tangents through records, producers first, and fills `tangents` in place.

    Args:
        records: what a tape recorded, earliest first.
        cotangents: by tensor id an array like the target: where the pass is to go.
        tangents: by tensor id; holds the tangents of the sources, as tensors, at the start.

    Raises:
        LookupError: if an op on the way has no gradient registered.

    Example:
        >>> import numpy as np, minitape as tf
        >>> x = tf.Variable(3.0)
        >>> with tf.GradientTape() as tape:
        ...     y = x * x
        >>> tangents = {x.id: tf.constant(1.0)}
        >>> records = [record for record in tape.recording.log if record]
        >>> steps = list(forward(records, {y.id: np.float32(1)}, tangents))
        >>> [float(share.value) for share in steps[0].shares], float(tangents[y.id])
        ([3.0, 3.0], 6.0)
    """
    on_the_way = list(backward(reversed(records), cotangents, raw=True, explain=True))
    for step in reversed(on_the_way):
        specs = _specs(step)
        shares = list(_shares(step.record, specs, tangents))
        if shares:
            yield Push(step.record, specs, shares)


def _specs(step: Step) -> tuple[Any, ...]:
    """What the outputs of a record are shaped like, from their cotangents."""
    many = step.cotangent if isinstance(step.cotangent, tuple) else (step.cotangent,)
    arrays = [opened(dense(g)) for g in many]
    return tuple(Spec(g.shape, g.dtype) for g in arrays)


def _shares(record: Record, specs: tuple[Any, ...], tangents: dict[int, Any]) -> Iterator[Share]:
    """Each input's share alone: an op's derivative is the sum of those for its inputs."""
    outputs = output_ids(record)
    for pull in plan_of(record).pulls:
        key = input_id(record, pull)
        tangent = tangents.get(key)
        if tangent is None:
            continue
        alone = with_pull(record, pull)
        for i, value in enumerate(pushed(alone, {pull.position: tangent}, specs)):
            if value is not None:
                old = tangents.get(outputs[i])
                total = tangents[outputs[i]] = value if old is None else old + value
                yield Share(pull, key, tangent, i, value, old, total)
