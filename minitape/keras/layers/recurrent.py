"""Recurrent layers: a cell, run along the time axis of [batch, time, features].

The inputs of all times are multiplied with the kernel at once; only what depends on the state
before is computed step by step.
"""

from __future__ import annotations

from typing import Any

import minitape as tf
from minitape.keras.layers.base import Layer
from minitape.keras.layers.calling import build_inside
from minitape.keras.layers.cells import Cell, GRUCell, LSTMCell, SimpleRNNCell, listed
from minitape.keras.module import snake_case

__all__ = ["GRU", "LSTM", "RNN", "SimpleRNN"]


class RNN(Layer):
    """Runs a cell along the time axis.

    Args:
        cell: a layer with `state_size` and `call(inputs, states) -> (output, states)`.
        return_sequences: whether the outputs of all times come back, or the last one alone.
        return_state: whether the last states come back behind the output.
        go_backwards: whether time runs backwards.

    Raises:
        ValueError: if `cell` is none, or for `stateful=True`.

    Example:
        >>> import minitape as tf
        >>> rnn = tf.keras.layers.RNN(tf.keras.layers.LSTMCell(4), return_sequences=True)
        >>> rnn(tf.ones([2, 5, 3])).shape
        TensorShape([2, 5, 4])
    """

    inner_layers: tuple[str, ...] = ("cell",)

    def __init__(
        self,
        cell: Any,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        if not callable(getattr(cell, "call", None)):
            raise ValueError(
                f"Argument `cell` should have a `call` method. Received: cell={cell!r:.80}. Write "
                "for instance `tf.keras.layers.RNN(tf.keras.layers.LSTMCell(8))`; of several "
                "cells, one RNN after the other with `return_sequences=True`."
            )
        self.cell: Any = cell
        self.return_sequences, self.return_state = return_sequences, return_state
        self.go_backwards = go_backwards

    def build(self, input_shape: Any) -> None:
        """Makes the variables of the cell, for sequences of `input_shape`."""
        batch, *rest = input_shape
        if len(rest) > 1:  # else the call says what is wrong
            build_inside(self, self.cell, (batch, *rest[1:]))

    def get_initial_state(self, batch_size: Any) -> list[Any]:
        """States of zeros, for a batch of that size."""
        sizes = map(listed, listed(self.cell.state_size))
        return [tf.zeros([batch_size, *each], self.dtype) for each in sizes]

    def call(
        self,
        sequences: Any,
        initial_state: Any = None,
        mask: Any = None,
        training: bool = False,
    ) -> Any:
        """The layer's function; `mask` [batch, time] is False where the state stays as it is."""
        mask = None if mask is None else tf.cast(mask, "bool")
        self._check_sequences(sequences, mask)
        if initial_state is None:
            initial_state = self.get_initial_state(sequences.shape[0])
        states = listed(initial_state)
        if isinstance(self.cell, Cell):
            states = self.cell.fitted(states, sequences.shape[0])
        step = self._prepared(sequences, training)
        times = range(sequences.shape[1])
        outputs: list[Any] = []
        for t in reversed(times) if self.go_backwards else times:
            out, following = step(t, states)
            following = listed(following)
            if mask is not None:
                here = mask[:, t, tf.newaxis]
                out = tf.where(here, out, outputs[-1] if outputs else tf.zeros_like(out))
                following = [tf.where(here, a, b) for a, b in zip(following, states, strict=True)]
            states = following
            outputs.append(out)
        result = tf.stack(outputs, axis=1) if self.return_sequences else outputs[-1]
        return (result, *states) if self.return_state else result

    def _check_sequences(self, sequences: Any, mask: Any) -> None:
        shape = tuple(sequences.shape)
        if len(shape) < 3:
            raise ValueError(
                f"Input of layer '{self.name}' is incompatible with the layer: expected ndim=3, "
                f"found ndim={len(shape)}. Full shape received: {shape}. Its axes are [batch, "
                "time, features]. Write `x[tf.newaxis]` for one sequence, `x[..., tf.newaxis]` for "
                "sequences of numbers."
            )
        if mask is not None and tuple(mask.shape) != shape[:2]:
            raise ValueError(
                f"Layer '{self.name}': the mask has shape {tuple(mask.shape)}, and the sequences "
                f"{shape}. A mask says of each time of each sequence whether it counts. Give "
                f"one of shape {shape[:2]}."
            )

    def _prepared(self, sequences: Any, training: bool) -> Any:
        """The step at time t: with a cell of this package, the kernel's part is done by now."""
        if type(self.cell) not in {SimpleRNNCell, LSTMCell, GRUCell}:
            return lambda t, states: self.cell(sequences[:, t], states)
        self.cell._build_once(sequences[:, 0])
        masked = self.cell.dropped(sequences, training)
        projected = tf.unstack(self.cell.projected(masked), axis=1)
        keep = self.cell.state_mask(sequences.shape[0], training)
        return lambda t, states: self.cell.step(projected[t], states, keep)


# The arguments of the layer; the others are its cell's.
_OF_THE_LAYER = {
    *("name", "trainable", "dtype", "input_shape", "input_dim", "activity_regularizer"),
    *("return_sequences", "return_state", "go_backwards", "stateful", "unroll", "use_cudnn"),
}


class _OfCell(RNN):
    """A recurrent layer with a cell of its own; the cell's arguments come first."""

    cell_class: type[Cell]
    casts_integers = True
    not_in_config = ("cell",)
    inner_layers = ()

    def __init__(self, units: int, *args: Any, **options: Any) -> None:
        outer = {key: options.pop(key) for key in _OF_THE_LAYER & set(options)}
        options |= {key: outer[key] for key in ("dtype", "trainable") if key in outer}
        name = snake_case(self.cell_class.__name__)
        super().__init__(self.cell_class(units, *args, name=name, **options), **outer)
        self.units = units

    def get_config(self) -> dict[str, Any]:
        """The arguments of the layer, then those of its cell."""
        inner = self.cell.get_config()
        return super().get_config() | {key: inner[key] for key in self.cell.own_names()}


class SimpleRNN(_OfCell):
    """h' = tanh(x W + h U + b) along the time axis; see `SimpleRNNCell` and `RNN` for arguments.

    Example:
        >>> import minitape as tf
        >>> tf.keras.layers.SimpleRNN(4)(tf.ones([2, 5, 3])).shape
        TensorShape([2, 4])
    """

    cell_class = SimpleRNNCell


class LSTM(_OfCell):
    """Long short-term memory (Hochreiter and Schmidhuber 1997); see `LSTMCell` and `RNN`.

    Example:
        >>> import minitape as tf
        >>> y, h, c = tf.keras.layers.LSTM(4, return_state=True)(tf.ones([2, 5, 3]))
        >>> y.shape, c.shape
        (TensorShape([2, 4]), TensorShape([2, 4]))
    """

    cell_class = LSTMCell


class GRU(_OfCell):
    """Gated recurrent units (Cho et al. 2014); see `GRUCell` and `RNN` for arguments.

    Example:
        >>> import minitape as tf
        >>> tf.keras.layers.GRU(4, return_sequences=True)(tf.ones([2, 5, 3])).shape
        TensorShape([2, 5, 4])
    """

    cell_class = GRUCell
