"""The public names of `tf.config.experimental`.

Written by `python tests/stubs.py`; not to be edited.
"""

from minitape.checks.configuration import LogicalDeviceConfiguration as _VirtualDeviceConfiguration
VirtualDeviceConfiguration = _VirtualDeviceConfiguration
from minitape.checks.configuration import enable_op_determinism as enable_op_determinism
from minitape.checks.configuration import get_memory_growth as get_memory_growth
from minitape.checks.configuration import get_visible_devices as get_visible_devices
from minitape.checks.configuration import list_logical_devices as list_logical_devices
from minitape.checks.configuration import list_physical_devices as list_physical_devices
from minitape.checks.configuration import set_logical_device_configuration as _set_virtual_device_configuration
set_virtual_device_configuration = _set_virtual_device_configuration
from minitape.checks.configuration import set_memory_growth as set_memory_growth
from minitape.checks.configuration import set_visible_devices as set_visible_devices
