"""The variables of layers and optimisers, named as in Keras 3: `kernel`, path `dense/kernel`."""

from __future__ import annotations

from collections import Counter
from reprlib import repr as short  # of what may be very large
from typing import Any

from minitape.keras import initializers
from minitape.keras.config import floatx
from minitape.keras.module import snake_case
from minitape.leaving import only
from minitape.tensor import Operators, eager
from minitape.tensors.convert import convert_to_tensor
from minitape.values.dtypes import as_dtype
from minitape.variable import ResourceVariable

_names: Counter[str] = Counter()


def unique_name(kind: str) -> str:
    """A name for an object of the class `kind`, as Keras gives it: `dense`, then `dense_1`."""
    name = snake_case(kind)
    count = _names[name]
    _names[name] += 1
    return f"{name}_{count}" if count else name


def name_of(kind: str, name: Any) -> str:
    """The name that an object of the class `kind` is given, or else a new one.

    Raises:
        ValueError: if it is no text, or has a slash in it.
    """
    if name is not None and (not isinstance(name, str) or "/" in name):
        raise ValueError(
            f"{kind}: Argument `name` must be a string and cannot contain character `/`. "
            f"Received: name={short(name)}. A path puts the names of the layers around it, and a "
            "slash after each, before it. Write for instance `name='hidden'`."
        )
    return name or unique_name(kind)


def clear_names() -> None:
    """Starts to count anew."""
    _names.clear()


class Variable(ResourceVariable):
    """A `tf.Variable` that knows whose it is.

    Args:
        initializer: a tensor or array, or what makes one of `shape`: a name, an initializer.
        trainable: whether it is learnt; freezing its layer switches `trainable` off and on again.
        name: its own name, for instance "kernel".
        dtype: the element type; by default that of the initial value.
        owner: the name of the layer or optimiser.
        shape: what an initializer is called with.

    Example:
        >>> import minitape as tf
        >>> layer = tf.keras.layers.Dense(2, name="first")
        >>> layer.build((None, 3))
        >>> layer.kernel.name, layer.kernel.path
        ('kernel', 'first/kernel')
    """

    __slots__ = ("is_learnt", "owner", "regularizer")

    def __init__(
        self,
        initializer: Any,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
        owner: str = "",
        shape: Any = None,
    ) -> None:
        if isinstance(initializer, str) or callable(initializer):
            make, kind = initializers.get(initializer), as_dtype(dtype or floatx())
            with only(()):  # a first value belongs to no tape and no graph
                made = convert_to_tensor(make(tuple(shape or ()), dtype=kind))
            if tuple(made.spec.shape) != tuple(shape or ()):
                raise ValueError(
                    f"The initializer of {name or 'a variable'} gave a value of shape "
                    f"{made.shape}; the variable has shape {tuple(shape or ())}. An initializer is "
                    "called with the shape and the dtype of what it makes. Use its argument "
                    "`shape`: `lambda shape, dtype: tf.ones(shape, dtype)`."
                )
            initializer = eager(made.value)
        name = name_of("Variable", name)
        super().__init__(initializer, trainable=trainable, name=name, dtype=dtype)
        self.is_learnt = bool(trainable)
        self.owner = owner
        self.constraint: Any = None
        self.regularizer: Any = None

    @property
    def name(self) -> str:
        """The name alone."""
        return self._name.removesuffix(":0")

    @property
    def path(self) -> str:
        """The name behind that of its owner."""
        return f"{self.owner}/{self.name}" if self.owner else self.name

    @property
    def dtype(self) -> Any:
        """The element type as a string, as in Keras."""
        return self._plain.dtype.name

    @property
    def value(self) -> Any:
        """The variable itself, which is a `tf.Variable` here."""
        return self

    # As in Keras, and unlike tf.Variable: `w += 1.0` calls a new tensor w.
    __iadd__ = Operators.__add__
    __isub__ = Operators.__sub__
    __imul__ = Operators.__mul__
    __itruediv__ = Operators.__truediv__
    __ipow__ = Operators.__pow__

    def __repr__(self) -> str:
        return (
            f"<Variable path={self.path}, shape={tuple(self.shape)}, dtype={self.dtype}, "
            f"value={self._plain.value}>"
        )
