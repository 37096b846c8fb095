"""The public names of `tf.test`.

Written by `python tests/stubs.py`; not to be edited.
"""

from minitape.checks.compare import _no as _is_built_with_cuda
is_built_with_cuda = _is_built_with_cuda
from minitape.checks.compare import _no as _is_built_with_gpu_support
is_built_with_gpu_support = _is_built_with_gpu_support
from minitape.checks.compare import _no as _is_built_with_rocm
is_built_with_rocm = _is_built_with_rocm
from minitape.checks.compare import _no as _is_built_with_xla
is_built_with_xla = _is_built_with_xla
from minitape.checks.compare import compute_gradient as compute_gradient
from minitape.checks.compare import gpu_device_name as gpu_device_name
from minitape.checks.compare import is_gpu_available as is_gpu_available
from minitape.testing.cases import TestCase as TestCase
from minitape.testing.cases import main as main
