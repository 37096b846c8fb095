"""The public names of `tf.config`.

Written by `python tests/stubs.py`; not to be edited.
"""

from minitape.api import config_experimental as _experimental
experimental = _experimental
from minitape.api import config_threading as _threading
threading = _threading
from minitape.checks.configuration import LogicalDeviceConfiguration as LogicalDeviceConfiguration
from minitape.checks.configuration import functions_run_eagerly as functions_run_eagerly
from minitape.checks.configuration import get_visible_devices as get_visible_devices
from minitape.checks.configuration import list_logical_devices as list_logical_devices
from minitape.checks.configuration import list_physical_devices as list_physical_devices
from minitape.checks.configuration import run_functions_eagerly as _experimental_run_functions_eagerly
experimental_run_functions_eagerly = _experimental_run_functions_eagerly
from minitape.checks.configuration import run_functions_eagerly as run_functions_eagerly
from minitape.checks.configuration import set_device_placement as _set_soft_device_placement
set_soft_device_placement = _set_soft_device_placement
from minitape.checks.configuration import set_logical_device_configuration as set_logical_device_configuration
from minitape.checks.configuration import set_visible_devices as set_visible_devices
