"""`Metric`: numbers that are gathered over many batches, in variables.

The one fact to know: `update_state` adds a batch to the variables, `result` makes the number of
them, and `reset_state` sets them back to 0.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np

import minitape as tf
from minitape.errors.of_arguments import not_fitting
from minitape.keras.config import floatx
from minitape.keras.configs import Configured
from minitape.keras.loss_functions import of_one_rank
from minitape.keras.module import snake_case
from minitape.keras.variables import Variable

if TYPE_CHECKING:
    from minitape.tensor import Tensor


class Metric(Configured):
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

    config_names: tuple[str, ...] = ("name", "dtype")

    def __init__(self, dtype: Any = None, name: str | None = None) -> None:
        if not isinstance(name, str | None):
            raise not_fitting(type(self).__name__, "name", name, "a text", "name='accuracy'")
        self.name = name or snake_case(type(self).__name__)
        kind = tf.as_dtype(dtype or floatx())
        if not kind.is_differentiable:
            raise not_fitting(type(self).__name__, "dtype", dtype, "a floating one", "'float32'")
        self.dtype = kind.name
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

    def __getattr__(self, name: str) -> Any:
        hint = " Keras 3 calls it `reset_state`." if name == "reset_states" else ""
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'.{hint}")

    def __copy__(self) -> Self:
        """A metric with variables of its own, which go on from here."""
        return copy.deepcopy(self)

    def __call__(self, *args: Any, **kwargs: Any) -> Tensor:
        """Adds a batch and gives the result so far."""
        self.update_state(*args, **kwargs)
        return tf.convert_to_tensor(self.result())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}>"


class Average(Metric):
    """A weighted mean of what `values` gives."""

    def __init__(self, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(dtype, name)
        self.total = self.add_weight(name="total")
        self.count = self.add_weight(name="count")

    def values(self, *args: Any) -> Any:
        """The numbers whose mean is the metric."""
        raise NotImplementedError

    def update_state(self, *args: Any, sample_weight: Any = None) -> None:
        """Adds a batch, each number times its weight."""
        values = tf.cast(tf.convert_to_tensor(self.values(*args)), self.dtype)
        if sample_weight is None:
            self.count.assign_add(tf.cast(tf.size(values), self.dtype))
        elif type(sample_weight) is int and values.shape.rank == 0:  # a loss, how many it is of
            self.count.assign_add(float(sample_weight))
            values = values * float(sample_weight)
        else:
            weights = tf.cast(tf.convert_to_tensor(sample_weight), self.dtype)
            weights, values = of_one_rank(weights, values)
            values = _per_sample(values, len(weights.shape))
            weights = tf.broadcast_to(weights, tf.shape(values))
            values = values * weights
            self.count.assign_add(tf.reduce_sum(weights))
        self.total.assign_add(values if values.shape.rank == 0 else tf.reduce_sum(values))

    def result(self) -> Tensor:
        """The mean of everything since the last reset; 0 of nothing."""
        found: Tensor = tf.math.divide_no_nan(self.total, self.count)
        return found


def _per_sample(values: Any, rank: int) -> Any:
    """The mean over the axes that weights of a smaller `rank` do not have."""
    extra = tuple(range(max(rank, 1), len(values.shape)))
    return tf.reduce_mean(values, axis=extra) if extra and rank else values


class MeanMetricWrapper(Average):
    """The mean of what a function of targets and predictions gives.

    Args:
        fn: the function.
        name: for people; by default that of the function.
        dtype: of the result.
        **options: keyword arguments of the function.
    """

    def __init__(self, fn: Any, name: str | None = None, dtype: Any = None, **options: Any) -> None:
        super().__init__(name or getattr(fn, "__name__", None), dtype)
        self.fn, self.options = fn, options

    def update_state(  # type: ignore[override]  # names for what any metric may be given
        self, y_true: Any = None, y_pred: Any = None, sample_weight: Any = None
    ) -> None:
        """Adds a batch, each number times its weight."""
        if y_true is None or y_pred is None:
            raise TypeError(
                f"update_state of the metric '{self.name}' takes y_true and y_pred, and got "
                f"{int(y_true is not None)} values. It compares targets with predictions. "
                "Write `metric.update_state(y_true, y_pred)`."
            )
        super().update_state(y_true, y_pred, sample_weight=sample_weight)

    def values(self, *args: Any) -> Any:
        """What the function gives."""
        return self.fn(*map(tf.convert_to_tensor, args), **self.options)
