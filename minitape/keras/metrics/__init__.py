"""`tf.keras.metrics`: what `compile` measures beside the loss, as functions and as classes.

`metric` gathers numbers over batches; read it first. `functions` say of each example whether it is
right, `means` makes metrics of them, and `positives` counts what a threshold divides.
"""

from __future__ import annotations

from typing import Any

from minitape.keras import loss_functions, losses
from minitape.keras.loss_functions import *  # noqa: F403  # its __all__
from minitape.keras.metrics import functions, means
from minitape.keras.metrics.functions import *  # noqa: F403
from minitape.keras.metrics.means import *  # noqa: F403
from minitape.keras.metrics.metric import Metric
from minitape.keras.metrics.positives import AUC, Precision, Recall
from minitape.keras.module import snake_case
from minitape.names.absent import closed

MSE = mse = loss_functions.mean_squared_error
MAE = mae = loss_functions.mean_absolute_error

__all__ = ["AUC", "MAE", "MSE", "Metric", "Precision", "Recall", "get", "mae", "mse"]
__all__ += means.__all__
__all__ += functions.__all__
__all__ += loss_functions.__all__
_CLASSES = {"AUC", "Precision", "Recall", *means.__all__} - {"MeanMetricWrapper"}
_KNOWN = {name: globals()[name] for name in _CLASSES}
_KNOWN |= {snake_case(name): kind for name, kind in _KNOWN.items()}


def get(identifier: Any) -> Any:
    """The metric that a name stands for; None and anything callable come back themselves.

    Raises:
        ValueError: if there is none of that name.

    Example:
        >>> import minitape as tf
        >>> tf.keras.metrics.get("mse")
        <MeanSquaredError name=mean_squared_error>
    """
    found = _named(identifier) if isinstance(identifier, str) else identifier
    if isinstance(found, type) and issubclass(found, Metric):
        return found()
    if identifier is None or callable(found):
        return found
    raise ValueError(
        f"Could not interpret metric identifier: {identifier!r}. Write for instance 'accuracy', "
        "'mae', `tf.keras.metrics.Precision()`, or give a function of targets and predictions."
    )


def _named(name: str) -> Any:
    """The class of a name in either spelling, or a metric made of the loss function of that name.

    None if there is neither.
    """
    name = "binary_crossentropy" if name in {"bce", "BCE"} else name
    function = losses.KNOWN.get(name)
    if name in _KNOWN or function is None or isinstance(function, type):
        return _KNOWN.get(name)
    return _KNOWN.get(function.__name__) or means.MeanMetricWrapper(function)


closed("minitape.keras.metrics")
