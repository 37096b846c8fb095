"""`get_config` of layers: the arguments of `Layer`, then those of its class and its variables."""

from __future__ import annotations

import inspect
from typing import Any, Self

from minitape.keras.configs import Configured, arguments_in, layer_of, plain


class ConfiguredLayer(Configured):
    """What a layer says of the arguments that it was made with."""

    inner_layers: tuple[str, ...] = ()  # the arguments that are layers
    weight_starts: dict[str, str]
    not_in_config: tuple[str, ...] = ()  # the arguments that Keras does not print
    name: str
    trainable: bool
    dtype: str
    activity_regularizer: Any

    def get_config(self) -> dict[str, Any]:
        """The arguments that make another layer like it, by their names.

        Example:
            >>> import minitape as tf
            >>> config = tf.keras.layers.Dense(3, activation="relu").get_config()
            >>> config["units"], config["activation"], config["bias_initializer"]["class_name"]
            (3, 'relu', 'Zeros')
        """
        policy = {"module": "keras", "class_name": "DTypePolicy", "registered_name": None}
        config: dict[str, Any] = {
            "name": self.name,
            "trainable": self.trainable,
            "dtype": policy | {"config": {"name": self.dtype}},
        }
        if self.activity_regularizer is not None:
            config["activity_regularizer"] = plain(self.activity_regularizer)
        names = self.config_names or self.own_names()
        return config | {name: plain(self._argument(name)) for name in names}

    def own_names(self) -> list[str]:
        """The arguments of the class and of its variables that are attributes."""
        # Of all classes but `Layer`, whose arguments are there, and this one. (A class may have the
        # initialiser of `Layer` once more, under its own name.)
        *kinds, layer, _ = (k for k in type(self).__mro__ if issubclass(k, ConfiguredLayer))
        own = [vars(kind)["__init__"] for kind in kinds if "__init__" in vars(kind)]
        of_layer = vars(layer)["__init__"].__code__
        made = [each for each in own if getattr(each, "__code__", None) is not of_layer]
        taken = [name for each in made for name in inspect.signature(each).parameters]
        rules = ("initializer", "regularizer", "constraint")
        taken += [f"{weight}_{rule}" for weight in self.weight_starts for rule in rules]
        is_there = vars(self).keys() - {*self.not_in_config}
        return [name for name in taken if name in is_there]

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """A layer like that which gave `config`, with variables of its own.

        Example:
            >>> import minitape as tf
            >>> layer = tf.keras.layers.Dense(3, name="top")
            >>> other = tf.keras.layers.Dense.from_config(layer.get_config())
            >>> other.name, other.units, other is layer
            ('top', 3, False)
        """
        given = dict(arguments_in(cls.__name__, config))
        for name in cls.inner_layers:
            given[name] = layer_of(given.get(name))
        return cls(**given)
