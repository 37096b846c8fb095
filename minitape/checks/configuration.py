"""`tf.config`: the few switches that mean something where everything runs on the CPU.

`run_functions_eagerly` makes every `tf.function` the plain Python function that it was made of, so
that `print` and a debugger see values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from minitape.graphs.functions.function import eager_functions
from minitape.interpreter import symbolic_interpreter
from minitape.names.registry import exports
from minitape.op import export

if TYPE_CHECKING:
    import logging


class PhysicalDevice(NamedTuple):
    """A device of this machine."""

    name: str
    device_type: str


_CPU = PhysicalDevice("/physical_device:CPU:0", "CPU")


@export("config.run_functions_eagerly", "config.experimental_run_functions_eagerly")
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


@export("config.list_physical_devices", "config.experimental.list_physical_devices")
def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices of this machine that are used: its CPU.

    Example:
        >>> import minitape as tf
        >>> tf.config.list_physical_devices("GPU")
        []
    """
    return [_CPU] if device_type in (None, "CPU") else []


class LogicalDevice(NamedTuple):
    """A device as programs see it."""

    name: str
    device_type: str


@export("config.list_logical_devices", "config.experimental.list_logical_devices")
def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices that programs see: the CPU.

    Example:
        >>> import minitape as tf
        >>> [device.name for device in tf.config.list_logical_devices()]
        ['/device:CPU:0']
    """
    return [LogicalDevice("/device:CPU:0", "CPU")] if device_type in (None, "CPU") else []


@export("config.get_visible_devices", "config.experimental.get_visible_devices")
def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices that are used: the CPU."""
    return list_physical_devices(device_type)


@export("config.set_visible_devices", "config.experimental.set_visible_devices")
def set_visible_devices(devices: object, device_type: str | None = None) -> None:
    """Chooses nothing: there is the CPU alone."""


@export(
    "config.LogicalDeviceConfiguration",
    "config.experimental.VirtualDeviceConfiguration",
)
class LogicalDeviceConfiguration(NamedTuple):
    """How a device is to be divided, as programs say it.

    Example:
        >>> import minitape as tf
        >>> for gpu in tf.config.list_physical_devices("GPU"):  # there is none: nothing is divided
        ...     part = tf.config.LogicalDeviceConfiguration(memory_limit=1024)
        ...     tf.config.set_logical_device_configuration(gpu, [part])
    """

    memory_limit: int | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


@export(
    "config.set_logical_device_configuration",
    "config.experimental.set_virtual_device_configuration",
)
def set_logical_device_configuration(device: object, logical_devices: object) -> None:
    """Changes nothing: the CPU is one device."""


@export("config.experimental.set_memory_growth")
def set_memory_growth(device: object, enable: bool) -> None:
    """Changes nothing: memory is NumPy's own."""


@export("config.experimental.get_memory_growth")
def get_memory_growth(device: object) -> bool:
    """True: memory is taken when it is needed."""
    return True


@export(
    "config.threading.set_inter_op_parallelism_threads",
    "config.threading.set_intra_op_parallelism_threads",
)
def set_parallelism_threads(num_threads: int) -> None:
    """Changes nothing: ops run one after the other, and NumPy chooses its threads by itself."""


@export(
    "config.threading.get_inter_op_parallelism_threads",
    "config.threading.get_intra_op_parallelism_threads",
)
def get_parallelism_threads() -> int:
    """0, as in TensorFlow for a number that the system chooses."""
    return 0


@export("config.set_soft_device_placement", "debugging.set_log_device_placement")
def set_device_placement(enabled: bool) -> None:
    """Changes nothing: every op runs on the CPU, and that needs no log."""


@export("debugging.disable_traceback_filtering", "debugging.enable_traceback_filtering")
def filter_tracebacks() -> None:
    """Changes nothing: a traceback has all of its frames."""


@export("config.experimental.enable_op_determinism")
def enable_op_determinism() -> None:
    """Changes nothing: the same program gives the same numbers anyway, once seeds are set."""


@export("get_logger")
def get_logger() -> logging.Logger:
    """The logger of what is said without being raised.

    Example:
        >>> import minitape as tf
        >>> tf.get_logger().setLevel("ERROR")
        >>> tf.get_logger().setLevel("WARNING")
    """
    import logging  # loading it costs a quarter of what minitape adds to NumPy's import

    return logging.getLogger("minitape")


@export("compat.v1.logging.set_verbosity")
def set_verbosity(v: int) -> None:
    """Says from which level on `tf.get_logger()` speaks.

    Example:
        >>> import minitape as tf
        >>> tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.ERROR)
        >>> tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.WARN)
    """
    get_logger().setLevel(v)


_LEVELS = {"DEBUG": 10, "INFO": 20, "WARN": 30, "ERROR": 40, "FATAL": 50}
exports.update({f"compat.v1.logging.{name}": level for name, level in _LEVELS.items()})


@export("compat.v1.enable_eager_execution", "compat.v1.enable_v2_behavior")
def enable_eager_execution() -> None:
    """Changes nothing: ops run at once from the start, as in TensorFlow 2.

    Example:
        >>> import minitape as tf
        >>> tf.compat.v1.enable_eager_execution()
        >>> tf.executing_eagerly()
        True
    """


@export("executing_eagerly")
def executing_eagerly() -> bool:
    """Whether ops compute at once: True everywhere but inside graphs."""
    return symbolic_interpreter() is None
