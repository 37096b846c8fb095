"""`tf.keras.ops`: names of Keras 3 for ops that `tf` has already.

The one fact to know: what NumPy calls `sum` is `tf.reduce_sum`; the table says which is which.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import minitape as tf
from minitape.names.absent import missing

OTHER_NAMES = {
    "all": "reduce_all",
    "any": "reduce_any",
    "arange": "range",
    "arctan": "atan",
    "average": "reduce_mean",
    "clip": "clip_by_value",
    "concatenate": "concat",
    "cross": "linalg.cross",
    "diag": "linalg.diag",
    "erf": "math.erf",
    "full": "fill",
    "isfinite": "math.is_finite",
    "isnan": "math.is_nan",
    "log": "math.log",
    "log10": "math.log10",
    "log1p": "math.log1p",
    "logsumexp": "reduce_logsumexp",
    "max": "reduce_max",
    "mean": "reduce_mean",
    "min": "reduce_min",
    "mod": "math.floormod",
    "norm": "norm",
    "power": "pow",
    "prod": "reduce_prod",
    "std": "math.reduce_std",
    "sum": "reduce_sum",
    "take": "gather",
    "top_k": "math.top_k",
    "var": "math.reduce_variance",
}
_PLACES = ("", "math.", "nn.", "linalg.")


if not TYPE_CHECKING:  # a checker finds the names that there are, and no others

    def __getattr__(name: str) -> Any:
        if not name.startswith("_"):
            for place in (
                [OTHER_NAMES[name]] if name in OTHER_NAMES else [p + name for p in _PLACES]
            ):
                found: Any = tf
                for part in place.split("."):
                    found = getattr(found, part, None)
                if callable(found):
                    return globals().setdefault(name, found)
        raise missing("minitape.keras.ops", name)


def shape(x: Any) -> tuple[int, ...]:
    """The shape as a tuple."""
    return tuple(tf.convert_to_tensor(x).shape)


def convert_to_numpy(x: Any) -> Any:
    """The values as a NumPy array."""
    return tf.convert_to_tensor(x).numpy()
