"""The public names of `tf.debugging`.

Written by `python tests/stubs.py`; not to be edited.
"""

from minitape.api.operations import assert_equal as assert_equal
from minitape.api.operations import assert_greater as assert_greater
from minitape.api.operations import assert_greater_equal as assert_greater_equal
from minitape.api.operations import assert_less as assert_less
from minitape.api.operations import assert_less_equal as assert_less_equal
from minitape.api.operations import assert_negative as assert_negative
from minitape.api.operations import assert_non_negative as assert_non_negative
from minitape.api.operations import assert_non_positive as assert_non_positive
from minitape.api.operations import assert_none_equal as assert_none_equal
from minitape.api.operations import assert_positive as assert_positive
from minitape.api.operations import check_numerics as check_numerics
from minitape.api.operations import is_finite as is_finite
from minitape.api.operations import is_inf as is_inf
from minitape.api.operations import is_nan as is_nan
from minitape.checks.assertions import assert_all_finite as assert_all_finite
from minitape.checks.assertions import assert_condition as _Assert
Assert = _Assert
from minitape.checks.assertions import assert_integer as assert_integer
from minitape.checks.assertions import assert_near as assert_near
from minitape.checks.assertions import assert_type as assert_type
from minitape.checks.assertions import is_numeric_tensor as is_numeric_tensor
from minitape.checks.configuration import filter_tracebacks as _disable_traceback_filtering
disable_traceback_filtering = _disable_traceback_filtering
from minitape.checks.configuration import filter_tracebacks as _enable_traceback_filtering
enable_traceback_filtering = _enable_traceback_filtering
from minitape.checks.configuration import set_device_placement as _set_log_device_placement
set_log_device_placement = _set_log_device_placement
from minitape.checks.shape_assertions import assert_rank as assert_rank
from minitape.checks.shape_assertions import assert_rank_at_least as assert_rank_at_least
from minitape.checks.shape_assertions import assert_rank_in as assert_rank_in
from minitape.checks.shape_assertions import assert_scalar as assert_scalar
from minitape.checks.shape_assertions import assert_shapes as assert_shapes
