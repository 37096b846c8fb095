"""The public names of `tf.config`.

Written by `python tests/stubs.py`; not to be edited.
"""

from minitape.checks.configuration import functions_run_eagerly as functions_run_eagerly
from minitape.checks.configuration import list_physical_devices as list_physical_devices
from minitape.checks.configuration import run_functions_eagerly as run_functions_eagerly
