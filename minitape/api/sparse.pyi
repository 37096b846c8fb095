"""The public names of `tf.sparse`.

Written by `python tests/stubs.py`; not to be edited.
"""

from minitape.api.operations import sparse_segment_mean as _segment_mean
segment_mean = _segment_mean
from minitape.api.operations import sparse_segment_sqrt_n as _segment_sqrt_n
segment_sqrt_n = _segment_sqrt_n
from minitape.api.operations import sparse_segment_sum as _segment_sum
segment_sum = _segment_sum
