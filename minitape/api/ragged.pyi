"""The public names of `tf.ragged`.

Written by `python tests/stubs.py`; not to be edited.
"""

from minitape.ragged_tensors.functions import map_flat_values as map_flat_values
from minitape.ragged_tensors.functions import ragged_boolean_mask as _boolean_mask
boolean_mask = _boolean_mask
from minitape.ragged_tensors.functions import ragged_constant as _constant
constant = _constant
from minitape.ragged_tensors.functions import ragged_range as _range
range = _range
from minitape.ragged_tensors.functions import ragged_stack as _stack
stack = _stack
from minitape.ragged_tensors.functions import row_splits_to_segment_ids as row_splits_to_segment_ids
from minitape.ragged_tensors.functions import segment_ids_to_row_splits as segment_ids_to_row_splits
