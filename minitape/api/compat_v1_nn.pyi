"""The public names of `tf.compat.v1.nn`.

Written by `python tests/stubs.py`; not to be edited.
"""

from minitape.ops.neural.normalisation import fused_batch_norm as fused_batch_norm
