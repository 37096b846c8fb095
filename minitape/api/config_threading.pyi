"""The public names of `tf.config.threading`.

Written by `python tests/stubs.py`; not to be edited.
"""

from minitape.checks.configuration import get_parallelism_threads as _get_inter_op_parallelism_threads
get_inter_op_parallelism_threads = _get_inter_op_parallelism_threads
from minitape.checks.configuration import get_parallelism_threads as _get_intra_op_parallelism_threads
get_intra_op_parallelism_threads = _get_intra_op_parallelism_threads
from minitape.checks.configuration import set_parallelism_threads as _set_inter_op_parallelism_threads
set_inter_op_parallelism_threads = _set_inter_op_parallelism_threads
from minitape.checks.configuration import set_parallelism_threads as _set_intra_op_parallelism_threads
set_intra_op_parallelism_threads = _set_intra_op_parallelism_threads
