"""The public names of `tf.math`.

Written by `python tests/stubs.py`; not to be edited.
"""

from minitape.api.operations import abs_ as _abs
abs = _abs
from minitape.api.operations import acos as acos
from minitape.api.operations import acosh as acosh
from minitape.api.operations import add as add
from minitape.api.operations import add_n_function as _add_n
add_n = _add_n
from minitape.api.operations import asin as asin
from minitape.api.operations import asinh as asinh
from minitape.api.operations import atan as atan
from minitape.api.operations import atan2 as atan2
from minitape.api.operations import atanh as atanh
from minitape.api.operations import bessel_i0 as bessel_i0
from minitape.api.operations import bessel_i0e as bessel_i0e
from minitape.api.operations import bessel_i1 as bessel_i1
from minitape.api.operations import bessel_i1e as bessel_i1e
from minitape.api.operations import betainc as betainc
from minitape.api.operations import ceil as ceil
from minitape.api.operations import conj as conj
from minitape.api.operations import cos as cos
from minitape.api.operations import cosh as cosh
from minitape.api.operations import cumprod as cumprod
from minitape.api.operations import cumsum as cumsum
from minitape.api.operations import cumulative_logsumexp as cumulative_logsumexp
from minitape.api.operations import digamma as digamma
from minitape.api.operations import divide as _truediv
truediv = _truediv
from minitape.api.operations import divide as divide
from minitape.api.operations import divide_no_nan as divide_no_nan
from minitape.api.operations import equal as equal
from minitape.api.operations import erf as erf
from minitape.api.operations import erfc as erfc
from minitape.api.operations import erfinv as erfinv
from minitape.api.operations import exp as exp
from minitape.api.operations import expm1 as expm1
from minitape.api.operations import floor as floor
from minitape.api.operations import floordiv as floordiv
from minitape.api.operations import floormod as _mod
mod = _mod
from minitape.api.operations import floormod as floormod
from minitape.api.operations import greater as greater
from minitape.api.operations import greater_equal as greater_equal
from minitape.api.operations import igamma as igamma
from minitape.api.operations import igammac as igammac
from minitape.api.operations import invert_permutation as invert_permutation
from minitape.api.operations import is_finite as is_finite
from minitape.api.operations import is_inf as is_inf
from minitape.api.operations import is_nan as is_nan
from minitape.api.operations import less as less
from minitape.api.operations import less_equal as less_equal
from minitape.api.operations import lgamma as lgamma
from minitape.api.operations import log as log
from minitape.api.operations import log1p as log1p
from minitape.api.operations import log_sigmoid as log_sigmoid
from minitape.api.operations import logical_and as logical_and
from minitape.api.operations import logical_not as logical_not
from minitape.api.operations import logical_or as logical_or
from minitape.api.operations import logical_xor as logical_xor
from minitape.api.operations import maximum as maximum
from minitape.api.operations import minimum as minimum
from minitape.api.operations import multiply as multiply
from minitape.api.operations import multiply_no_nan as multiply_no_nan
from minitape.api.operations import ndtri as ndtri
from minitape.api.operations import negative as negative
from minitape.api.operations import nextafter as nextafter
from minitape.api.operations import not_equal as not_equal
from minitape.api.operations import polygamma as polygamma
from minitape.api.operations import pow as pow
from minitape.api.operations import reciprocal as reciprocal
from minitape.api.operations import reduce_all as reduce_all
from minitape.api.operations import reduce_any as reduce_any
from minitape.api.operations import reduce_euclidean_norm as reduce_euclidean_norm
from minitape.api.operations import reduce_logsumexp as reduce_logsumexp
from minitape.api.operations import reduce_max as reduce_max
from minitape.api.operations import reduce_mean as reduce_mean
from minitape.api.operations import reduce_min as reduce_min
from minitape.api.operations import reduce_prod as reduce_prod
from minitape.api.operations import reduce_std as reduce_std
from minitape.api.operations import reduce_sum as reduce_sum
from minitape.api.operations import reduce_variance as reduce_variance
from minitape.api.operations import rint as rint
from minitape.api.operations import rsqrt as rsqrt
from minitape.api.operations import segment_max as segment_max
from minitape.api.operations import segment_mean as segment_mean
from minitape.api.operations import segment_min as segment_min
from minitape.api.operations import segment_prod as segment_prod
from minitape.api.operations import segment_sum as segment_sum
from minitape.api.operations import sigmoid as sigmoid
from minitape.api.operations import sin as sin
from minitape.api.operations import sinh as sinh
from minitape.api.operations import softplus as softplus
from minitape.api.operations import softsign as softsign
from minitape.api.operations import sqrt as sqrt
from minitape.api.operations import square as square
from minitape.api.operations import squared_difference as squared_difference
from minitape.api.operations import subtract as subtract
from minitape.api.operations import tan as tan
from minitape.api.operations import tanh as tanh
from minitape.api.operations import unsorted_segment_max as unsorted_segment_max
from minitape.api.operations import unsorted_segment_mean as unsorted_segment_mean
from minitape.api.operations import unsorted_segment_min as unsorted_segment_min
from minitape.api.operations import unsorted_segment_prod as unsorted_segment_prod
from minitape.api.operations import unsorted_segment_sqrt_n as unsorted_segment_sqrt_n
from minitape.api.operations import unsorted_segment_sum as unsorted_segment_sum
from minitape.api.operations import xdivy as xdivy
from minitape.api.operations import xlog1py as xlog1py
from minitape.api.operations import xlogy as xlogy
from minitape.api.operations import zeta as zeta
from minitape.ops.elementwise.complexes import angle_function as _angle
angle = _angle
from minitape.ops.elementwise.complexes import imag_function as _imag
imag = _imag
from minitape.ops.elementwise.complexes import real_function as _real
real = _real
from minitape.ops.elementwise.no_nan import reciprocal_no_nan as reciprocal_no_nan
from minitape.ops.elementwise.polynomial import polyval as polyval
from minitape.ops.elementwise.rounding import round_ as _round
round = _round
from minitape.ops.elementwise.signs import sign_function as _sign
sign = _sign
from minitape.ops.linalg.norms import l2_normalize as l2_normalize
from minitape.ops.moving.sorting import top_k_values as _top_k
top_k = _top_k
from minitape.ops.neural.cross_entropy import log_softmax as log_softmax
from minitape.ops.neural.cross_entropy import softmax as softmax
from minitape.ops.neural.regularisation import in_top_k as in_top_k
from minitape.ops.neural.regularisation import zero_fraction as zero_fraction
from minitape.ops.reductions.counting import bincount as bincount
from minitape.ops.reductions.counting import confusion_matrix as confusion_matrix
from minitape.ops.reductions.extremes import argmax_function as _argmax
argmax = _argmax
from minitape.ops.reductions.extremes import argmin_function as _argmin
argmin = _argmin
from minitape.ops.reductions.reduction import count_nonzero_function as _count_nonzero
count_nonzero = _count_nonzero
from minitape.ops.reductions.sums import accumulate_n as accumulate_n
from minitape.ops.reductions.sums import scalar_mul as scalar_mul
from minitape.ops.special.error_functions import erfcinv as erfcinv
from minitape.ops.special.gamma_functions import lbeta as lbeta
