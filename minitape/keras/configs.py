"""`get_config` and `from_config`: the arguments of an object as plain data, and an object of them.

A config is made of the attributes that bear the names of arguments. A class lists those in
`config_names` where Keras prints others. An object inside is the dict of its class's name and its
config.
"""

from __future__ import annotations

import inspect
from reprlib import repr as short  # an error must be able to show a nest that is very deep
from typing import TYPE_CHECKING, Any, Self

import numpy as np

import minitape as tf
from minitape.errors.of_arguments import not_fitting
from minitape.keras import activations

if TYPE_CHECKING:
    from collections.abc import Mapping


class MadeOfConfig:
    """What can be made of its arguments as plain data."""

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """One with the arguments in `config`.

        Raises:
            TypeError: if `config` is no dict of the arguments.
        """
        return cls(**arguments_in(cls.__name__, config))


class Configured(MadeOfConfig):
    """What has the arguments that it was made with as attributes."""

    config_names: tuple[str, ...] = ()

    def get_config(self) -> dict[str, Any]:
        """The arguments that make another one like it, by their names.

        Example:
            >>> import minitape as tf
            >>> tf.keras.initializers.RandomNormal(stddev=0.1, seed=3).get_config()
            {'mean': 0.0, 'stddev': 0.1, 'seed': 3}
        """
        names = self.config_names or self.own_names()
        return {name: plain(self._argument(name)) for name in names}

    def own_names(self) -> list[str]:
        """The arguments that are attributes."""
        taken = inspect.signature(type(self).__init__).parameters
        return [name for name in taken if name in vars(self)]

    def _argument(self, name: str) -> Any:
        return getattr(self, name)


class WithoutConfig(MadeOfConfig):
    """What no course writes down as plain data: losses, metrics, optimizers and schedules."""

    if not TYPE_CHECKING:  # a checker finds the names that there are, and no others

        @property
        def get_config(self) -> Any:
            """Says what to do instead."""
            raise AttributeError(
                f"`{type(self).__name__}.get_config` is not supported in minitape: configs are "
                "those of layers and models. Keep the arguments in a dict, and call the class "
                "with them."
            )


def arguments_in(kind: str, config: Any) -> dict[str, Any]:
    """The arguments in a config, if it is a dict with names."""
    if not isinstance(config, dict) or not all(isinstance(key, str) for key in config):
        example = f"{kind}.from_config(x.get_config())"
        raise not_fitting(f"{kind}.from_config", "config", config, "a dict of arguments", example)
    return config


def plain(value: Any) -> Any:
    """An argument as plain data. A function that has no config stays what it is."""
    if isinstance(value, list | tuple):
        return type(value)(map(plain, value))
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, np.generic):
        return value.item()
    if hasattr(value, "get_config") and not isinstance(value, type):
        return serialized(value)
    return activations.name_of(value) or value if callable(value) else value


def serialized(value: Any) -> dict[str, Any]:
    """An object as its class's name and its config."""
    kind = type(value)
    package, *inside = kind.__module__.split(".")[:3]  # `minitape`, `keras` and `layers`
    own = package == "minitape"
    public = "keras" if inside[-1:] == ["models"] else ".".join(inside)
    return {
        "module": public if own else kind.__module__,
        "class_name": kind.__name__,
        "config": value.get_config(),
        "registered_name": None if own else kind.__name__,
    }


def is_config(value: Any) -> bool:
    """Whether `value` stands for an object, as its class's name and its config."""
    return isinstance(value, dict) and "class_name" in value


def made_of(value: Mapping[str, Any], base: Any, known: Any) -> Any:
    """The object that a class's name and a config stand for.

    Args:
        value: the two, in a dict.
        base: the class that it is derived from.
        known: names and the classes that they stand for.

    Raises:
        ValueError: if there is no class of that name.
    """
    name = value["class_name"]
    kind = known.get(name) if isinstance(name, str) else None
    if not (isinstance(kind, type) and issubclass(kind, base)):
        what = base.__name__.lower()
        raise ValueError(
            f"Could not interpret {what} identifier: {short(value)}. minitape has no class of "
            "that name. Of a class of your own, give the object itself."
        )
    return kind.from_config(value.get("config") or {})  # type: ignore[attr-defined]  # all have it


def classes(known: Mapping[str, Any], base: type) -> dict[str, type]:
    """The classes among names that are derived from `base`."""
    return {
        name: value
        for name, value in known.items()
        if isinstance(value, type) and issubclass(value, base) and value is not base
    }


def found(identifier: Any, base: Any, known: Mapping[str, Any], example: str) -> Any:
    """What a name, a class, a config, an object or a function stands for; a class is called.

    Raises:
        ValueError: if it stands for nothing; `example` says what to write.
    """
    if is_config(identifier) and issubclass(base, Configured):
        return made_of(identifier, base, known)
    value = known.get(identifier) if isinstance(identifier, str) else identifier
    value = value() if isinstance(value, type) else value
    if not (isinstance(value, base) or callable(value)):
        raise ValueError(
            f"Could not interpret {base.__name__.lower()} identifier: {short(identifier)}. "
            f"{example}"
        )
    return value


def layer_of(value: Any) -> Any:
    """A layer of its config; layers and functions as they are."""
    if isinstance(value, list | tuple):
        return [layer_of(each) for each in value]
    if not is_config(value):
        return value
    layers = tf.keras.layers
    return made_of(value, layers.Layer, {**vars(layers), "Sequential": tf.keras.Sequential})
