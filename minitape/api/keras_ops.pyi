"""The names of `tf.keras.ops` that stand for ops of `tf`.

Written by `python tests/stubs.py`; not to be edited.
"""

from minitape.api.operations import abs_ as _abs
abs = _abs
from minitape.api.operations import abs_ as _absolute
absolute = _absolute
from minitape.api.operations import add as add
from minitape.api.operations import reduce_all as _all
all = _all
from minitape.api.operations import reduce_max as _amax
amax = _amax
from minitape.api.operations import reduce_min as _amin
amin = _amin
from minitape.ops.elementwise.complexes import angle_function as _angle
angle = _angle
from minitape.api.operations import reduce_any as _any
any = _any
from minitape.ops.reductions.counting import range_ as _arange
arange = _arange
from minitape.api.operations import acos as _arccos
arccos = _arccos
from minitape.api.operations import acosh as _arccosh
arccosh = _arccosh
from minitape.api.operations import asin as _arcsin
arcsin = _arcsin
from minitape.api.operations import asinh as _arcsinh
arcsinh = _arcsinh
from minitape.api.operations import atan as _arctan
arctan = _arctan
from minitape.api.operations import atan2 as _arctan2
arctan2 = _arctan2
from minitape.api.operations import atanh as _arctanh
arctanh = _arctanh
from minitape.ops.moving.sorting import argsort_values as _argsort
argsort = _argsort
from minitape.tensors.convert import convert_to_tensor as _array
array = _array
from minitape.ops.shapes.shaping import broadcast_to as broadcast_to
from minitape.api.operations import cast_function as _cast
cast = _cast
from minitape.api.operations import ceil as ceil
from minitape.control.conditions import cond as cond
from minitape.api.operations import conj as conj
from minitape.tensors.convert import convert_to_tensor as convert_to_tensor
from minitape.api.operations import cos as cos
from minitape.api.operations import cosh as cosh
from minitape.api.operations import divide as divide
from minitape.api.operations import divide_no_nan as divide_no_nan
from minitape.ops.linalg.einsum import einsum_function as _einsum
einsum = _einsum
from minitape.api.operations import equal as equal
from minitape.api.operations import erf as erf
from minitape.api.operations import erfc as erfc
from minitape.api.operations import erfinv as erfinv
from minitape.api.operations import exp as exp
from minitape.api.operations import expand_dims as expand_dims
from minitape.api.operations import expm1 as expm1
from minitape.api.operations import floor as floor
from minitape.api.operations import floordiv as _floor_divide
floor_divide = _floor_divide
from minitape.api.operations import greater as greater
from minitape.api.operations import greater_equal as greater_equal
from minitape.ops.elementwise.complexes import imag_function as _imag
imag = _imag
from minitape.ops.shapes.shaping import is_tensor as is_tensor
from minitape.api.operations import is_finite as _isfinite
isfinite = _isfinite
from minitape.api.operations import is_inf as _isinf
isinf = _isinf
from minitape.api.operations import is_nan as _isnan
isnan = _isnan
from minitape.api.operations import leaky_relu as leaky_relu
from minitape.api.operations import less as less
from minitape.api.operations import less_equal as less_equal
from minitape.api.operations import log as log
from minitape.api.operations import log1p as log1p
from minitape.api.operations import log_sigmoid as log_sigmoid
from minitape.ops.neural.cross_entropy import log_softmax as log_softmax
from minitape.api.operations import logical_and as logical_and
from minitape.api.operations import logical_not as logical_not
from minitape.api.operations import logical_or as logical_or
from minitape.api.operations import logical_xor as logical_xor
from minitape.api.operations import reduce_logsumexp as _logsumexp
logsumexp = _logsumexp
from minitape.api.operations import reduce_max as _max
max = _max
from minitape.api.operations import maximum as maximum
from minitape.api.operations import reduce_mean as _mean
mean = _mean
from minitape.ops.moving.copying import meshgrid as meshgrid
from minitape.api.operations import reduce_min as _min
min = _min
from minitape.api.operations import minimum as minimum
from minitape.api.operations import floormod as _mod
mod = _mod
from minitape.api.operations import multiply as multiply
from minitape.api.operations import negative as negative
from minitape.api.operations import not_equal as not_equal
from minitape.ops.shapes.creation import ones as ones
from minitape.api.operations import ones_like as ones_like
from minitape.ops.moving.padding import pad_value as _pad
pad = _pad
from minitape.api.operations import pow as _power
power = _power
from minitape.api.operations import reduce_prod as _prod
prod = _prod
from minitape.ops.elementwise.complexes import real_function as _real
real = _real
from minitape.api.operations import reciprocal as reciprocal
from minitape.api.operations import relu as relu
from minitape.api.operations import relu6 as relu6
from minitape.ops.moving.copying import repeat_value as _repeat
repeat = _repeat
from minitape.ops.shapes.shaping import reshape_to as _reshape
reshape = _reshape
from minitape.api.operations import rsqrt as rsqrt
from minitape.api.operations import selu as selu
from minitape.api.operations import sigmoid as sigmoid
from minitape.ops.elementwise.signs import sign_function as _sign
sign = _sign
from minitape.api.operations import silu_with_slope as _silu
silu = _silu
from minitape.api.operations import sin as sin
from minitape.api.operations import sinh as sinh
from minitape.ops.reductions.counting import size as size
from minitape.ops.moving.indexing import slice_function as _slice
slice = _slice
from minitape.api.operations import softmax as softmax
from minitape.api.operations import softplus as softplus
from minitape.api.operations import softsign as softsign
from minitape.ops.moving.sorting import sort_values as _sort
sort = _sort
from minitape.api.operations import sqrt as sqrt
from minitape.api.operations import square as square
from minitape.api.operations import squeeze as squeeze
from minitape.api.operations import reduce_std as _std
std = _std
from minitape.api.operations import stop_gradient as stop_gradient
from minitape.api.operations import subtract as subtract
from minitape.api.operations import reduce_sum as _sum
sum = _sum
from minitape.api.operations import silu_with_slope as _swish
swish = _swish
from minitape.api.operations import tan as tan
from minitape.api.operations import tanh as tanh
from minitape.ops.moving.copying import tile_value as _tile
tile = _tile
from minitape.ops.moving.sorting import top_k_values as _top_k
top_k = _top_k
from minitape.ops.shapes.shaping import transpose_axes as _transpose
transpose = _transpose
from minitape.api.operations import divide as _true_divide
true_divide = _true_divide
from minitape.ops.moving.joining import unstack_values as _unstack
unstack = _unstack
from minitape.api.operations import reduce_variance as _var
var = _var
from minitape.batches.mapping import vectorized_map as vectorized_map
from minitape.ops.shapes.creation import zeros as zeros
from minitape.api.operations import zeros_like as zeros_like
