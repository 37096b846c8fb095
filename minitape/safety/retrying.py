"""Runs the forward of an op once more, in silence, if it failed; or says what its error means.

The user may have asked NumPy, or the filters of warnings, for an error where a result is infinite
or NaN. An op gives such results, whatever was asked for; asking before each op would take a
twentieth of its time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minitape.errors import of_ops as refusals, raise_instead
from minitape.safety.silence import Silence


def retried(op: Any, inputs: Any, attributes: tuple[Any, ...], error: Exception) -> Any:
    """What a forward that failed gives in silence; raises what `error` means if that fails too."""
    if not op.effect and _is_complaint(error):
        try:
            with Silence():
                return op.applied(op.forward, [x.value for x in inputs], attributes)
        except Exception as other:
            error = other
    try:
        raise_instead(refusals.forward_failed(op, inputs, attributes, error), error)
    finally:
        del error  # this frame is in its traceback, and would keep all that is in there


def _is_complaint(error: BaseException) -> bool:
    """Whether an error may be what the user wants instead of an infinite result or NaN."""
    if isinstance(error, FloatingPointError | RuntimeWarning):
        return True
    return "call" in np.geterr().values()  # a function of the user, which may raise anything
