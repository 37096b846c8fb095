"""The public names of `tf`.

Written by `python tests/stubs.py`; not to be edited.
"""

bool: DType
complex128: DType
complex64: DType
double: DType
float16: DType
float32: DType
float64: DType
from minitape import data as data
from minitape import errors as errors
from minitape import keras as keras
from minitape.api import autodiff as autodiff
from minitape.api import bitwise as bitwise
from minitape.api import compat as compat
from minitape.api import config as config
from minitape.api import debugging as debugging
from minitape.api import dtypes as dtypes
from minitape.api import image as image
from minitape.api import linalg as linalg
from minitape.api import math as math
from minitape.api import nn as nn
from minitape.api import ragged as ragged
from minitape.api import random as random
from minitape.api import raw_ops as raw_ops
from minitape.api import sets as sets
from minitape.api import signal as signal
from minitape.api import sparse as sparse
from minitape.api import strings as strings
from minitape.api import test as test
from minitape.api import types as types
from minitape.api import version as version
from minitape.api.operations import abs_ as _abs
abs = _abs
from minitape.api.operations import acos as acos
from minitape.api.operations import acosh as acosh
from minitape.api.operations import add as add
from minitape.api.operations import add_n_function as _add_n
add_n = _add_n
from minitape.api.operations import asin as asin
from minitape.api.operations import asinh as asinh
from minitape.api.operations import assert_equal as assert_equal
from minitape.api.operations import assert_greater as assert_greater
from minitape.api.operations import assert_less as assert_less
from minitape.api.operations import atan as atan
from minitape.api.operations import atan2 as atan2
from minitape.api.operations import atanh as atanh
from minitape.api.operations import boolean_mask as boolean_mask
from minitape.api.operations import cast_function as _cast
cast = _cast
from minitape.api.operations import clip_by_norm as clip_by_norm
from minitape.api.operations import clip_by_value_function as _clip_by_value
clip_by_value = _clip_by_value
from minitape.api.operations import concat_values as _concat
concat = _concat
from minitape.api.operations import cos as cos
from minitape.api.operations import cosh as cosh
from minitape.api.operations import cumsum as cumsum
from minitape.api.operations import divide as _realdiv
realdiv = _realdiv
from minitape.api.operations import divide as _truediv
truediv = _truediv
from minitape.api.operations import divide as divide
from minitape.api.operations import equal as equal
from minitape.api.operations import exp as exp
from minitape.api.operations import expand_dims as expand_dims
from minitape.api.operations import floor as floor
from minitape.api.operations import floordiv as floordiv
from minitape.api.operations import floormod as _mod
mod = _mod
from minitape.api.operations import floormod as floormod
from minitape.api.operations import gather_slices as _gather
gather = _gather
from minitape.api.operations import greater as greater
from minitape.api.operations import greater_equal as greater_equal
from minitape.api.operations import identity as identity
from minitape.api.operations import less as less
from minitape.api.operations import less_equal as less_equal
from minitape.api.operations import logical_and as logical_and
from minitape.api.operations import logical_not as logical_not
from minitape.api.operations import logical_or as logical_or
from minitape.api.operations import maximum as maximum
from minitape.api.operations import minimum as minimum
from minitape.api.operations import multiply as multiply
from minitape.api.operations import negative as negative
from minitape.api.operations import not_equal as not_equal
from minitape.api.operations import ones_like as ones_like
from minitape.api.operations import pow as pow
from minitape.api.operations import reduce_all as reduce_all
from minitape.api.operations import reduce_any as reduce_any
from minitape.api.operations import reduce_logsumexp as reduce_logsumexp
from minitape.api.operations import reduce_max as reduce_max
from minitape.api.operations import reduce_mean as reduce_mean
from minitape.api.operations import reduce_min as reduce_min
from minitape.api.operations import reduce_prod as reduce_prod
from minitape.api.operations import reduce_sum as reduce_sum
from minitape.api.operations import reverse_value as _reverse
reverse = _reverse
from minitape.api.operations import saturate_cast as saturate_cast
from minitape.api.operations import sigmoid as sigmoid
from minitape.api.operations import sin as sin
from minitape.api.operations import sinh as sinh
from minitape.api.operations import sqrt as sqrt
from minitape.api.operations import square as square
from minitape.api.operations import squeeze as squeeze
from minitape.api.operations import stack_values as _stack
stack = _stack
from minitape.api.operations import stop_gradient as stop_gradient
from minitape.api.operations import subtract as subtract
from minitape.api.operations import tan as tan
from minitape.api.operations import tanh as tanh
from minitape.api.operations import truncatediv as truncatediv
from minitape.api.operations import truncatemod as truncatemod
from minitape.api.operations import where as where
from minitape.api.operations import zeros_like as zeros_like
from minitape.batches.mapping import map_fn as map_fn
from minitape.batches.mapping import vectorized_map as vectorized_map
from minitape.checks.assertions import assert_condition as _Assert
Assert = _Assert
from minitape.checks.configuration import executing_eagerly as executing_eagerly
from minitape.checks.configuration import get_logger as get_logger
from minitape.checks.formatting import timestamp as timestamp
from minitape.checks.printing import print_ as _print
print = _print
from minitape.checks.report import check_gradients as check_gradients
from minitape.checks.shape_assertions import assert_rank as assert_rank
from minitape.control.conditions import case as case
from minitape.control.conditions import cond as cond
from minitape.control.conditions import switch_case as switch_case
from minitape.control.folding import foldl as foldl
from minitape.control.folding import foldr as foldr
from minitape.control.folding import scan as scan
from minitape.control.loops import while_loop as while_loop
from minitape.control.python_function import numpy_function as numpy_function
from minitape.control.python_function import py_function as py_function
from minitape.control.tensor_array import TensorArray as TensorArray
from minitape.custom.gradient import custom_gradient as custom_gradient
from minitape.custom.recompute import grad_pass_through as grad_pass_through
from minitape.custom.recompute import recompute_grad as recompute_grad
from minitape.graphs.compat_scopes import control_dependencies as control_dependencies
from minitape.graphs.compat_scopes import device as device
from minitape.graphs.compat_scopes import group as group
from minitape.graphs.compat_scopes import init_scope as init_scope
from minitape.graphs.compat_scopes import is_symbolic_tensor as is_symbolic_tensor
from minitape.graphs.compat_scopes import no_op as no_op
from minitape.graphs.functions.function import function as function
from minitape.graphs.graph import Graph as Graph
from minitape.graphs.registration import RegisterGradient as RegisterGradient
from minitape.graphs.registration import no_gradient as _NoGradient
NoGradient = _NoGradient
from minitape.graphs.registration import no_gradient as _NotDifferentiable
NotDifferentiable = _NotDifferentiable
from minitape.graphs.registration import no_gradient as no_gradient
from minitape.graphs.static_gradients import AggregationMethod as AggregationMethod
from minitape.graphs.static_gradients import gradients as gradients
from minitape.graphs.static_gradients import hessians as hessians
from minitape.graphs.tensor_spec import TensorSpec as TensorSpec
from minitape.keras import initializers as initializers
from minitape.keras import losses as losses
from minitape.keras import metrics as metrics
from minitape.keras import optimizers as optimizers
from minitape.keras.initializers import Constant as _constant_initializer
constant_initializer = _constant_initializer
from minitape.keras.initializers import Ones as _ones_initializer
ones_initializer = _ones_initializer
from minitape.keras.initializers import RandomNormal as _random_normal_initializer
random_normal_initializer = _random_normal_initializer
from minitape.keras.initializers import RandomUniform as _random_uniform_initializer
random_uniform_initializer = _random_uniform_initializer
from minitape.keras.initializers import Zeros as _zeros_initializer
zeros_initializer = _zeros_initializer
from minitape.keras.module import Module as Module
from minitape.names.scopes import NameScope as _name_scope
name_scope = _name_scope
from minitape.ops.elementwise.complexes import complex_function as _complex
complex = _complex
from minitape.ops.elementwise.rounding import round_ as _round
round = _round
from minitape.ops.elementwise.signs import sign_function as _sign
sign = _sign
from minitape.ops.linalg.decompositions import eig as eig
from minitape.ops.linalg.decompositions import eigvals as eigvals
from minitape.ops.linalg.diagonal_functions import eye as eye
from minitape.ops.linalg.einsum import einsum_function as _einsum
einsum = _einsum
from minitape.ops.linalg.einsum import tensordot as tensordot
from minitape.ops.linalg.matrix import matmul_function as _matmul
matmul = _matmul
from minitape.ops.linalg.norms import norm as norm
from minitape.ops.moving.blocks import batch_to_space as _batch_to_space_nd
batch_to_space_nd = _batch_to_space_nd
from minitape.ops.moving.blocks import batch_to_space as batch_to_space
from minitape.ops.moving.blocks import space_to_batch as _space_to_batch_nd
space_to_batch_nd = _space_to_batch_nd
from minitape.ops.moving.blocks import space_to_batch as space_to_batch
from minitape.ops.moving.copying import meshgrid as meshgrid
from minitape.ops.moving.copying import repeat_value as _repeat
repeat = _repeat
from minitape.ops.moving.copying import roll_value as _roll
roll = _roll
from minitape.ops.moving.copying import tile_value as _tile
tile = _tile
from minitape.ops.moving.gathering import IndexedSlices as IndexedSlices
from minitape.ops.moving.indexing import slice_function as _slice
slice = _slice
from minitape.ops.moving.indexing import strided_slice as strided_slice
from minitape.ops.moving.joining import split_value as _split
split = _split
from minitape.ops.moving.joining import unstack_values as _unstack
unstack = _unstack
from minitape.ops.moving.padding import pad_value as _pad
pad = _pad
from minitape.ops.moving.partition import dynamic_partition as dynamic_partition
from minitape.ops.moving.partition import dynamic_stitch as dynamic_stitch
from minitape.ops.moving.partition import unravel_index as unravel_index
from minitape.ops.moving.reversing import reverse_sequence as reverse_sequence
from minitape.ops.moving.scattering_functions import gather_nd as gather_nd
from minitape.ops.moving.scattering_functions import scatter_nd as scatter_nd
from minitape.ops.moving.scattering_functions import tensor_scatter_nd_add as tensor_scatter_nd_add
from minitape.ops.moving.scattering_functions import tensor_scatter_nd_max as tensor_scatter_nd_max
from minitape.ops.moving.scattering_functions import tensor_scatter_nd_min as tensor_scatter_nd_min
from minitape.ops.moving.scattering_functions import tensor_scatter_nd_sub as tensor_scatter_nd_sub
from minitape.ops.moving.scattering_functions import tensor_scatter_nd_update as tensor_scatter_nd_update
from minitape.ops.moving.searching import searchsorted_values as _searchsorted
searchsorted = _searchsorted
from minitape.ops.moving.searching import unique_values as _unique
unique = _unique
from minitape.ops.moving.searching import unique_with_counts as unique_with_counts
from minitape.ops.moving.selecting import one_hot_vectors as _one_hot
one_hot = _one_hot
from minitape.ops.moving.selecting import sequence_masks as _sequence_mask
sequence_mask = _sequence_mask
from minitape.ops.moving.sorting import argsort_values as _argsort
argsort = _argsort
from minitape.ops.moving.sorting import sort_values as _sort
sort = _sort
from minitape.ops.neural.clipping import clip_by_global_norm as clip_by_global_norm
from minitape.ops.reductions.counting import histogram_fixed_width as histogram_fixed_width
from minitape.ops.reductions.counting import histogram_fixed_width_bins as histogram_fixed_width_bins
from minitape.ops.reductions.counting import range_ as _range
range = _range
from minitape.ops.reductions.counting import size as size
from minitape.ops.reductions.extremes import argmax_function as _argmax
argmax = _argmax
from minitape.ops.reductions.extremes import argmin_function as _argmin
argmin = _argmin
from minitape.ops.reductions.sums import scalar_mul as scalar_mul
from minitape.ops.shapes.creation import fill as fill
from minitape.ops.shapes.creation import linspace_values as _lin_space
lin_space = _lin_space
from minitape.ops.shapes.creation import linspace_values as _linspace
linspace = _linspace
from minitape.ops.shapes.creation import ones as ones
from minitape.ops.shapes.creation import zeros as zeros
from minitape.ops.shapes.shaping import broadcast_to as broadcast_to
from minitape.ops.shapes.shaping import ensure_shape as ensure_shape
from minitape.ops.shapes.shaping import identity_n as identity_n
from minitape.ops.shapes.shaping import is_tensor as is_tensor
from minitape.ops.shapes.shaping import reshape_to as _reshape
reshape = _reshape
from minitape.ops.shapes.shaping import transpose_axes as _transpose
transpose = _transpose
from minitape.ops.shapes.sizes import broadcast_dynamic_shape as broadcast_dynamic_shape
from minitape.ops.shapes.sizes import rank as rank
from minitape.ops.shapes.sizes import shape_n as shape_n
from minitape.ops.shapes.sizes import shape_of as _shape
shape = _shape
from minitape.ops.texts.text_functions import as_string as as_string
from minitape.ragged_tensors.tensor import RaggedTensor as RaggedTensor
from minitape.tape import GradientTape as GradientTape
from minitape.tensors.constants import constant as constant
from minitape.tensors.convert import convert_to_tensor as convert_to_tensor
from minitape.values import nest as nest
from minitape.values.abstract import Tensor as Tensor
from minitape.values.broadcasting import broadcast_static_shape as broadcast_static_shape
from minitape.values.dtypes import DType as DType
from minitape.values.dtypes import as_dtype as as_dtype
from minitape.values.modes import UnconnectedGradients as UnconnectedGradients
from minitape.values.shapes import TensorShape as TensorShape
from minitape.variable import ResourceVariable as _Variable
Variable = _Variable
half: DType
int16: DType
int32: DType
int64: DType
int8: DType
newaxis: None
string: DType
uint16: DType
uint32: DType
uint64: DType
uint8: DType
__version__: str
