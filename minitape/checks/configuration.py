"""`tf.config`: the few switches that mean something where everything runs on the CPU.

The one fact to know: `run_functions_eagerly` makes every `tf.function` the plain Python function
that it was made of, so that `print` and a debugger see values.
"""

from __future__ import annotations

from typing import NamedTuple

from minitape.graphs.function import eager_functions
from minitape.primitive import export


class PhysicalDevice(NamedTuple):
    """A device of this machine."""

    name: str
    device_type: str


_CPU = PhysicalDevice("/physical_device:CPU:0", "CPU")


@export("config.run_functions_eagerly")
def run_functions_eagerly(run_eagerly: bool) -> None:
    """Whether every `tf.function` runs its Python directly, at each call.

    Example:
        >>> import minitape as tf
        >>> f = tf.function(lambda x: print(x) or x * x)
        >>> tf.config.run_functions_eagerly(True)
        >>> y = f(tf.constant(3.0))
        tf.Tensor(3.0, shape=(), dtype=float32)
        >>> tf.config.run_functions_eagerly(False)
    """
    eager_functions[0] = bool(run_eagerly)


@export("config.functions_run_eagerly")
def functions_run_eagerly() -> bool:
    """Whether every `tf.function` runs its Python directly.

    Example:
        >>> import minitape as tf
        >>> tf.config.functions_run_eagerly()
        False
    """
    return eager_functions[0]


@export("config.list_physical_devices")
def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices of this machine that are used: its CPU.

    Example:
        >>> import minitape as tf
        >>> tf.config.list_physical_devices("GPU")
        []
    """
    return [_CPU] if device_type in (None, "CPU") else []
