"""The public names of `tf.strings`.

Written by `python tests/stubs.py`; not to be edited.
"""

from minitape.checks.formatting import format_ as _format
format = _format
from minitape.ops.texts.patterns import regex_full_match as regex_full_match
from minitape.ops.texts.patterns import regex_replace as regex_replace
from minitape.ops.texts.patterns import substr as substr
from minitape.ops.texts.strings import to_number as to_number
from minitape.ops.texts.text_functions import as_string as as_string
from minitape.ops.texts.text_functions import join as join
from minitape.ops.texts.text_functions import length as length
from minitape.ops.texts.text_functions import lower as lower
from minitape.ops.texts.text_functions import reduce_join as reduce_join
from minitape.ops.texts.text_functions import strip as strip
from minitape.ops.texts.text_functions import upper as upper
from minitape.ragged_tensors.texts import bytes_split as bytes_split
from minitape.ragged_tensors.texts import split as split
