"""The public names of `tf.bitwise`.

Written by `python tests/stubs.py`; not to be edited.
"""

from minitape.api.operations import bitwise_and as bitwise_and
from minitape.api.operations import bitwise_or as bitwise_or
from minitape.api.operations import bitwise_xor as bitwise_xor
from minitape.api.operations import invert as invert
from minitape.api.operations import left_shift as left_shift
from minitape.api.operations import right_shift as right_shift
