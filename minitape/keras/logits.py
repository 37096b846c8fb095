"""The logits behind probabilities: what the activations `softmax` and `sigmoid` were called with.

As in Keras, a cross entropy of what these gave starts from the logits, so that no probability is
clipped and no gradient lost; the path over the probabilities is not used.
"""

from __future__ import annotations

import weakref
from typing import Any

from minitape.errors.notices import warn
from minitape.errors.of_flags import checked_flag
from minitape.tensor import Tensor

_behind: dict[int, tuple[weakref.ref[Tensor], Any]] = {}  # by the `id` of the probabilities


def remembered(probabilities: Any, logits: Any) -> Any:
    """The probabilities; as long as there are any, it is known of which logits they were made."""
    if isinstance(probabilities, Tensor):
        key = id(probabilities)
        _behind[key] = weakref.ref(probabilities, lambda _: _behind.pop(key, None)), logits
    return probabilities


def logits_of(output: Any, from_logits: bool, function: str) -> tuple[Any, bool]:
    """What a cross entropy starts from, and whether these are logits."""
    from_logits = checked_flag(function, "from_logits", from_logits)
    reference, logits = _behind.get(id(output), (None, None))
    if reference is None or reference() is not output:  # an `id` may be another's by now
        return output, from_logits
    if from_logits:
        warn(
            "`%s` received `from_logits=True`, but the `output` argument was produced by a "
            "softmax or sigmoid activation and thus does not represent logits. Was this intended? "
            "The loss is made of the logits. Leave the activation of the last layer out.",
            function,
        )
    return logits, True
