"""`tf.keras.optimizers`: what to do with gradients, by the formulas of the papers.

`optimizer` has what all of them share; read it first, then `descent` and `adam`, where each class
is one formula; all take the arguments of `Optimizer` besides their own. `schedules` are learning
rates that depend on the step.
"""

from __future__ import annotations

from typing import Any

from minitape.keras.configs import is_config
from minitape.keras.optimizers import schedules
from minitape.keras.optimizers.adam import Adam, Adamax, AdamW, Nadam
from minitape.keras.optimizers.descent import SGD, Adadelta, Adagrad, RMSprop
from minitape.keras.optimizers.optimizer import Optimizer
from minitape.names.absent import closed

__all__ = [
    "SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "Nadam", "Optimizer", "RMSprop", "get",
    "schedules",
]  # fmt: skip


def get(identifier: Any) -> Optimizer:
    """The optimizer that a name stands for; an optimizer comes back itself, a class is called.

    Raises:
        ValueError: if there is none of that name.
    """
    if isinstance(identifier, Optimizer):
        return identifier
    if isinstance(identifier, type) and issubclass(identifier, Optimizer):
        return identifier()  # type: ignore[call-arg]  # every one has a default rate
    known: list[Any] = [SGD, Adam, AdamW, RMSprop, Adagrad, Adadelta, Adamax, Nadam]
    name = identifier
    config: dict[str, Any] = {}
    if is_config(identifier):
        name, config = identifier["class_name"], identifier.get("config") or {}
    for each in known:
        if str(name).lower() == each.__name__.lower():
            return each.from_config(config)  # type: ignore[no-any-return]
    raise ValueError(
        f"Could not interpret optimizer identifier: {identifier!r}. Write "
        f"{', '.join(repr(each.__name__.lower()) for each in known)}."
    )


closed("minitape.keras.optimizers")
