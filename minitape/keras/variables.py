"""The variables of layers and optimisers, named as in Keras 3: `kernel`, path `dense/kernel`.

May import: variable, convert, tensor.
"""

from __future__ import annotations

from typing import Any

from minitape.tensor import Operators, numpy_repr
from minitape.variable import ResourceVariable


class Variable(ResourceVariable):
    """A `tf.Variable` that knows whose it is.

    Args:
        initial_value: a tensor or array.
        trainable: whether it is learnt; freezing its layer switches `trainable` off and on again.
        name: its own name, for instance "kernel".
        dtype: the element type; by default that of the initial value.
        owner: the name of the layer or optimiser.

    Example:
        >>> import minitape as tf
        >>> layer = tf.keras.layers.Dense(2, name="first")
        >>> layer.build((None, 3))
        >>> layer.kernel.name, layer.kernel.path
        ('kernel', 'first/kernel')
    """

    __slots__ = ("is_learnt", "owner")

    def __init__(
        self,
        initial_value: Any,
        trainable: bool = True,
        name: str = "variable",
        dtype: Any = None,
        owner: str = "",
    ) -> None:
        super().__init__(initial_value, trainable=trainable, name=name, dtype=dtype)
        self.is_learnt = bool(trainable)
        self.owner = owner

    @property
    def name(self) -> str:
        """The name alone."""
        return self._name.removesuffix(":0")

    @property
    def path(self) -> str:
        """The name behind that of its owner."""
        return f"{self.owner}/{self.name}" if self.owner else self.name

    # As in Keras, and unlike tf.Variable: `w += 1.0` calls a new tensor w.
    __iadd__ = Operators.__add__
    __isub__ = Operators.__sub__
    __imul__ = Operators.__mul__
    __itruediv__ = Operators.__truediv__
    __ipow__ = Operators.__pow__

    def __repr__(self) -> str:
        return (
            f"<Variable path={self.path}, shape={tuple(self.shape)}, dtype={self.dtype.name}, "
            f"value={numpy_repr(self._plain.value)}>"
        )
