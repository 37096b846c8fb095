"""The public names of `tf.nn`.

Written by `python tests/stubs.py`; not to be edited.
"""

from minitape.api.operations import dropout as dropout
from minitape.api.operations import elu as elu
from minitape.api.operations import gelu as gelu
from minitape.api.operations import l2_loss as l2_loss
from minitape.api.operations import leaky_relu as leaky_relu
from minitape.api.operations import log_sigmoid as log_sigmoid
from minitape.api.operations import relu as relu
from minitape.api.operations import relu6 as relu6
from minitape.api.operations import selu as selu
from minitape.api.operations import sigmoid as sigmoid
from minitape.api.operations import silu_with_slope as _silu
silu = _silu
from minitape.api.operations import silu_with_slope as _swish
swish = _swish
from minitape.api.operations import softplus as softplus
from minitape.api.operations import softsign as softsign
from minitape.api.operations import tanh as tanh
from minitape.ops.linalg.norms import l2_normalize as l2_normalize
from minitape.ops.moving.blocks import depth_to_space as depth_to_space
from minitape.ops.moving.blocks import space_to_batch as space_to_batch
from minitape.ops.moving.blocks import space_to_depth as space_to_depth
from minitape.ops.moving.selecting import embedding_lookup as embedding_lookup
from minitape.ops.moving.sorting import top_k_values as _top_k
top_k = _top_k
from minitape.ops.neural.activation_functions import crelu as crelu
from minitape.ops.neural.convolution_functions import conv1d as conv1d
from minitape.ops.neural.convolution_functions import conv2d as conv2d
from minitape.ops.neural.convolution_functions import conv2d_transpose as conv2d_transpose
from minitape.ops.neural.convolution_functions import conv3d as conv3d
from minitape.ops.neural.convolution_functions import convolution_of_any_rank as _convolution
convolution = _convolution
from minitape.ops.neural.cross_entropy import log_softmax as log_softmax
from minitape.ops.neural.cross_entropy import sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits
from minitape.ops.neural.cross_entropy import softmax as softmax
from minitape.ops.neural.cross_entropy import softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits
from minitape.ops.neural.cross_entropy import sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits
from minitape.ops.neural.cross_entropy import weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits
from minitape.ops.neural.normalisation import batch_normalization as batch_normalization
from minitape.ops.neural.normalisation import local_response_normalization as _lrn
lrn = _lrn
from minitape.ops.neural.normalisation import local_response_normalization as local_response_normalization
from minitape.ops.neural.normalisation import moments as moments
from minitape.ops.neural.normalisation import weighted_moments as weighted_moments
from minitape.ops.neural.pooling_functions import avg_pool as avg_pool
from minitape.ops.neural.pooling_functions import avg_pool1d as avg_pool1d
from minitape.ops.neural.pooling_functions import avg_pool2d as avg_pool2d
from minitape.ops.neural.pooling_functions import avg_pool3d as avg_pool3d
from minitape.ops.neural.pooling_functions import max_pool as max_pool
from minitape.ops.neural.pooling_functions import max_pool1d as max_pool1d
from minitape.ops.neural.pooling_functions import max_pool2d as max_pool2d
from minitape.ops.neural.pooling_functions import max_pool3d as max_pool3d
from minitape.ops.neural.pooling_functions import pool as pool
from minitape.ops.neural.regularisation import bias_add as bias_add
from minitape.ops.neural.regularisation import compute_average_loss as compute_average_loss
from minitape.ops.neural.regularisation import in_top_k as in_top_k
from minitape.ops.neural.regularisation import zero_fraction as zero_fraction
from minitape.ops.neural.separable_convolution import depthwise_conv2d as depthwise_conv2d
from minitape.ops.neural.separable_convolution import separable_conv2d as separable_conv2d
from minitape.ops.neural.statistics import normalize_moments as normalize_moments
from minitape.ops.neural.statistics import sufficient_statistics as sufficient_statistics
