"""The public names of `tf.compat.v1.logging`.

Written by `python tests/stubs.py`; not to be edited.
"""

DEBUG: int
ERROR: int
FATAL: int
INFO: int
WARN: int
from minitape.checks.configuration import set_verbosity as set_verbosity
