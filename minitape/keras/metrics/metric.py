"""`Metric`: numbers that are gathered over many batches, in variables.

`update_state` adds a batch to the variables, `result` makes the number of them, and `reset_state`
sets them back to 0.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np

import minitape as tf
from minitape.keras.config import floatx
from minitape.keras.configs import WithoutConfig
from minitape.keras.module import snake_case
from minitape.keras.variables import Variable

if TYPE_CHECKING:
    from minitape.tensor import Tensor


class Metric(WithoutConfig):
    """Base of the metrics: define `update_state` and `result` in a subclass.

    Args:
        dtype: of the result.
        name: for people.

    Example:
        >>> import minitape as tf
        >>> class Largest(tf.keras.metrics.Metric):
        ...     def __init__(self, name="largest"):
        ...         super().__init__(name=name)
        ...         self.value = self.add_weight(name="value", initializer="zeros")
        ...
        ...     def update_state(self, y_true, y_pred, sample_weight=None):
        ...         self.value.assign(tf.maximum(self.value, tf.reduce_max(y_pred)))
        ...
        ...     def result(self):
        ...         return self.value
        >>> float(Largest()([0.0], [3.0]))
        3.0
    """

    def __init__(self, dtype: Any = None, name: str | None = None) -> None:
        self.name = name or snake_case(type(self).__name__)
        self.dtype = tf.as_dtype(dtype or floatx()).name
        self._weights: list[Variable] = []

    def add_weight(
        self,
        shape: Any = (),
        initializer: Any = "zeros",
        dtype: Any = None,
        name: str | None = None,
    ) -> Variable:
        """Makes a variable of this metric.

        Args:
            shape: of the variable.
            initializer: what it starts from; `reset_state` sets it to 0.
            dtype: by default the metric's.
            name: its name, by default "variable" and a number.
        """
        if isinstance(shape, str):  # the name came first before Keras 3
            shape, name = (), shape
        start = "zeros" if initializer is None else initializer
        variable = Variable(start, False, name, dtype or self.dtype, self.name, shape)
        self._weights.append(variable)
        return variable

    add_variable = add_weight

    @property
    def variables(self) -> list[Any]:
        """The variables, as they were made."""
        return list(self._weights)

    weights = variables

    def update_state(self, *args: Any, **kwargs: Any) -> None:
        """Adds a batch."""
        raise NotImplementedError(f"{type(self).__name__} does not define `update_state`.")

    def result(self) -> Any:
        """The number."""
        raise NotImplementedError(f"{type(self).__name__} does not define `result`.")

    def reset_state(self) -> None:
        """Forgets everything."""
        for variable in self.variables:
            variable.assign(np.zeros(tuple(variable.shape), variable.spec.dtype)[()])

    if not TYPE_CHECKING:  # a checker finds the names that there are, and no others

        @property
        def reset_states(self) -> Any:
            """Says what it is called."""
            raise AttributeError("Keras 3 calls it `reset_state`.")

    def __copy__(self) -> Self:
        """A metric with variables of its own, which go on from here."""
        return copy.deepcopy(self)

    def __call__(self, *args: Any, **kwargs: Any) -> Tensor:
        """Adds a batch and gives the result so far."""
        self.update_state(*args, **kwargs)
        return tf.convert_to_tensor(self.result())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}>"
