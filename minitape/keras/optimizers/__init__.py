"""`tf.keras.optimizers`: what to do with gradients, by the formulas of the papers.

`optimizer` has what all of them share; read it first, then `descent` and `adam`, where each class
is one formula; all take the arguments of `Optimizer` besides their own. `schedules` are learning
rates that depend on the step.
"""

from __future__ import annotations

from typing import Any

from minitape.keras import configs
from minitape.keras.optimizers import schedules
from minitape.keras.optimizers.adam import Adam, Adamax, AdamW, Nadam
from minitape.keras.optimizers.descent import SGD, Adadelta, Adagrad, RMSprop
from minitape.keras.optimizers.optimizer import Optimizer
from minitape.names.absent import closed

__all__ = [
    "SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "Nadam", "Optimizer", "RMSprop", "get",
    "schedules",
]  # fmt: skip
_KNOWN = {
    kind.__name__.lower(): kind
    for kind in (SGD, Adam, AdamW, RMSprop, Adagrad, Adadelta, Adamax, Nadam)
}


def get(identifier: Any) -> Optimizer:
    """The optimizer that a name stands for; an optimizer comes back itself, a class is called.

    Raises:
        ValueError: if there is none of that name.
    """
    wanted = identifier.lower() if isinstance(identifier, str) else identifier
    example = f"Write {', '.join(map(repr, _KNOWN))}."
    return configs.found(wanted, Optimizer, _KNOWN, example)  # type: ignore[no-any-return]


closed("minitape.keras.optimizers")
