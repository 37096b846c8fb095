"""Recurrent cells: one step of a recurrent layer."""

from __future__ import annotations

from typing import Any

import minitape as tf
from minitape.errors import InvalidArgumentError
from minitape.keras import activations
from minitape.keras.layers.arguments import positive
from minitape.keras.layers.base import Layer

__all__ = ["GRUCell", "LSTMCell", "SimpleRNNCell"]


def listed(value: Any) -> list[Any]:
    """A list of several, or of the only one."""
    return list(value) if isinstance(value, list | tuple) else [value]


class Cell(Layer):
    """Base of the cells: h' is made of x W + b and h U.

    Args:
        units: how many outputs.
        activation: of the output.
        use_bias: whether there is a bias.
        dropout: the share of the inputs that is dropped while training.
        recurrent_dropout: the share of the state that is dropped while training.
        seed: makes that repeatable.
        **options: `kernel_initializer` and the like for W, `recurrent_initializer` for U and
            `bias_initializer` for b; what every layer takes.

    Raises:
        ValueError: if `units` is not positive.
    """

    gates = 1
    states = 1
    bias_initializer: Any
    weight_starts = {"kernel": "glorot_uniform", "recurrent": "orthogonal", "bias": "zeros"}
    casts_integers = True

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        use_bias: bool = True,
        *,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.units, self.use_bias = positive(self, "units", units), use_bias
        self.activation = activations.get(activation)
        self.dropout, self.recurrent_dropout, self.seed = dropout, recurrent_dropout, seed
        self.state_size: Any = units if self.states == 1 else [units] * self.states
        self.output_size = units
        self.kernel: Any = None
        self.recurrent_kernel: Any = None
        self.bias: Any = None

    def build(self, input_shape: Any) -> None:
        width = self.gates * self.units
        self.kernel = self.make_weight("kernel", (tuple(input_shape)[-1], width))
        self.recurrent_kernel = self.make_weight("recurrent_kernel", (self.units, width))
        if self.use_bias:
            self.bias = self.make_bias(width)

    def make_bias(self, width: int) -> Any:
        """The variable b."""
        return self.make_weight("bias", (width,))

    def get_initial_state(self, batch_size: Any) -> list[Any]:
        """States of zeros."""
        return [tf.zeros([batch_size, n], self.dtype) for n in listed(self.state_size)]

    def fitted(self, states: Any, batch_size: Any) -> list[Any]:
        """The states that were given, in the dtype of the cell.

        Raises:
            InvalidArgumentError: (a ValueError) if there are too few, or one has another shape.
        """
        found = [tf.cast(tf.convert_to_tensor(each), self.dtype) for each in listed(states)]
        shapes, wanted = [tuple(each.shape) for each in found], (batch_size, self.units)
        if len(found) < self.states or not all(self._fits(s, batch_size) for s in shapes):
            raise InvalidArgumentError(
                f"{type(self).__name__}: the initial states have shapes {shapes}, and it has "
                f"{self.states}, of shape {wanted} each: a row for each example, a number for each "
                f"unit. Write `initial_state={'[h, c]' if self.states == 2 else 'h'}`, with for "
                f"instance `h = tf.zeros([{batch_size}, {self.units}])`."
            )
        return found

    def _fits(self, shape: tuple[Any, ...], batch_size: Any) -> bool:
        """Whether a state has one row, or one for each example, where both are known."""
        *rows, units = shape or (None,)
        known = all(isinstance(n, int) for n in (*rows, batch_size))
        return units == self.units and len(rows) < 2 and (not known or {*rows} <= {1, batch_size})

    def dropped(self, x: Any, training: bool) -> Any:
        """Inputs with the dropout of training: of all times the same features."""
        if not training or not self.dropout:
            return x
        shape = [x.shape[0], *([1] * (len(x.shape) - 2)), x.shape[-1]]
        return tf.nn.dropout(x, self.dropout, shape, self.seed)

    def state_mask(self, batch_size: Any, training: bool) -> Any:
        """What the state is multiplied with while training; None for nothing."""
        if not training or not self.recurrent_dropout:
            return None
        ones = tf.ones([batch_size, self.units], self.dtype)
        return tf.nn.dropout(ones, self.recurrent_dropout, seed=self.seed)

    def projected(self, x: Any) -> Any:
        """The inputs' part, x W + b."""
        y = x @ self.kernel
        return y if self.bias is None else y + self.bias

    def step(self, projected: Any, states: Any, keep: Any = None) -> Any:
        """Output and next states, from `projected` inputs and the states before."""
        raise NotImplementedError

    def call(self, inputs: Any, states: Any, training: bool = False) -> Any:
        """One step: the output, and the list of the next states."""
        states = self.fitted(states, inputs.shape[0])
        projected = self.projected(self.dropped(inputs, training))
        return self.step(projected, states, self.state_mask(inputs.shape[0], training))


class SimpleRNNCell(Cell):
    """h' = tanh(x W + h U + b).

    Example:
        >>> import minitape as tf
        >>> y, (h,) = tf.keras.layers.SimpleRNNCell(4)(tf.ones([2, 3]), [tf.zeros([2, 4])])
        >>> y.shape
        TensorShape([2, 4])
    """

    def step(self, projected: Any, states: Any, keep: Any = None) -> Any:
        """Output and next states."""
        h = states[0] if keep is None else states[0] * keep
        h = self.activation(projected + h @ self.recurrent_kernel)
        return h, [h]


class GatedCell(Cell):
    """A cell with gates; `recurrent_activation` is theirs."""

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
        use_bias: bool = True,
        **options: Any,
    ) -> None:
        super().__init__(units, activation, use_bias, **options)
        self.recurrent_activation = activations.get(recurrent_activation)


class LSTMCell(GatedCell):
    """c' = f c + i tanh(z), h' = o tanh(c') with gates i, f, o and z from x W + h U + b.

    The bias of the gate f starts from 1 (Jozefowicz et al. 2015). Arguments: those of `Cell`, and
    `recurrent_activation` for the gates.
    """

    gates = 4
    states = 2

    def make_bias(self, width: int) -> Any:
        """The variable b."""

        def start(shape: Any, dtype: Any = None) -> Any:
            n = self.units
            first, rest = self.bias_initializer([n], dtype), self.bias_initializer([2 * n], dtype)
            return tf.concat([first, tf.ones([n], dtype), rest], 0)

        return self.make_weight("bias", (width,), initializer=start)

    def step(self, projected: Any, states: Any, keep: Any = None) -> Any:
        """Output and next states."""
        h, c = states
        h = h if keep is None else h * keep
        i, f, z, o = tf.split(projected + h @ self.recurrent_kernel, 4, axis=-1)
        gate = self.recurrent_activation
        c = gate(f) * c + gate(i) * self.activation(z)
        h = gate(o) * self.activation(c)
        return h, [h, c]


class GRUCell(GatedCell):
    """h' = u h + (1 - u) tanh(z) with gates u, r and z from x W + b and h U + d.

    The gate r acts on h U + d, as on GPUs; in Cho et al. (2014) it acts on h. Arguments: those of
    `Cell`, and `recurrent_activation` for the gates.
    """

    gates = 3

    def make_bias(self, width: int) -> Any:
        """The variables b and d, a row each."""
        return self.make_weight("bias", (2, width))

    def projected(self, x: Any) -> Any:
        """The inputs' part."""
        y = x @ self.kernel
        return y if self.bias is None else y + self.bias[0]

    def step(self, projected: Any, states: Any, keep: Any = None) -> Any:
        """Output and next states."""
        h = states[0]
        inner = (h if keep is None else h * keep) @ self.recurrent_kernel
        inner = inner if self.bias is None else inner + self.bias[1]
        xu, xr, xz = tf.split(projected, 3, axis=-1)
        hu, hr, hz = tf.split(inner, 3, axis=-1)
        u, r = self.recurrent_activation(xu + hu), self.recurrent_activation(xr + hr)
        h = u * h + (1.0 - u) * self.activation(xz + r * hz)
        return h, [h]
