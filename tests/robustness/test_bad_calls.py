"""Malformed calls over the whole public surface: class, useful part of the message, nothing changed.

A row is a call, the class that it raises (TensorFlow's), and a part of its message. The names in the
calls are those of `space` below.
"""

# ruff: noqa: E501  # a row is one line

from __future__ import annotations

import numpy as np
import pytest

import minitape as tf
from minitape import viz
from minitape.__main__ import main
from minitape.errors import InvalidArgumentError
from minitape.interpreter import active
from minitape.viz.errors import TraceError
from rows import failing

ODD_KINDS = [
    ("tf.unravel_index(5, [2, 2])", InvalidArgumentError, "index is out of bound as with dims [2, 2]"),
    ("tf.unravel_index([-1], [2, 2])", InvalidArgumentError, "Indices go from 0 to 3"),
    ("tf.random.normal([2], seed=tf.float32)", InvalidArgumentError, "random: seed must be an integer"),
    ("tf.random.shuffle(x, seed=NotImplemented)", InvalidArgumentError, "random: seed must be an integer"),
    ("tf.linalg.eigh_tridiagonal(1.0, 2.0)", InvalidArgumentError, "alpha has shape (), and is the vector"),
    ("tf.keras.backend.set_value(-7, 1.0)", TypeError, "set_value: x must be a variable; got -7"),
    ("tf.keras.backend.int_shape(x for x in [])", ValueError, "unsupported type"),
    ("tf.Module(name=tf.TensorArray(tf.float32, 1))", ValueError, "is not a valid module name"),
    ("tf.NoGradient(deep)", TypeError, "op_type must be a string"),
    ("tf.custom_gradient(deep)", TypeError, "is not a callable object"),
    ("tf.keras.datasets.mnist.load_data(path=1.5)", TypeError, "path must be a path; got 1.5"),
    ("tf.keras.datasets.digits.load_data(tf.float32)", TypeError, "test_split must be a number"),
    ("tf.keras.callbacks.EarlyStopping(min_delta=slice(1))", TypeError, "min_delta must be a number"),
    ("tf.keras.utils.normalize('abc')", TypeError, "normalize: x must be numbers; got 'abc'"),
    ("tf.keras.utils.normalize(tf.TensorSpec([2]))", TypeError, "normalize: x must be numbers"),
    ("tf.keras.KerasTensor(float('nan'), 'float32')", TypeError, "KerasTensor: shape must be a list"),
    ("tf.keras.models.clone_model('a')", TypeError, "clone_model: model must be a model; got 'a'"),
    ("tf.data.Dataset.range('a')", TypeError, "Dataset.range: args must be an integer; got 'a'"),
    ("tf.data.Dataset.range(1, 2, 0)", TypeError, "no step of 0"),
    ("tf.data.Dataset.range()", TypeError, "one to three"),
    ("tf.keras.layers.Dense(2, foo=1)", ValueError, "unrecognised keyword arguments ['foo']"),
    ("tf.keras.layers.Dense.from_config(deep)", TypeError, "config must be a dict of arguments"),
    ("tf.keras.layers.Conv2D(4, 2, groups=-1)", ValueError, "`groups`, expected a positive integer"),
    ("tf.image.ssim(x, x, 1.0)", InvalidArgumentError, "An image has at least the axes"),
    ("tf.image.ssim(tf.ones([12, 12, 1]), tf.ones([12, 12, 1]), 'a')", TypeError, "max_val must be a number"),
    ("tf.image.crop_and_resize(x, x, x, 2)", ValueError, "crop_and_resize"),
    ("tf.keras.layers.RNN(3)", ValueError, "should have a `call` method"),
    ("model().fit(float)", ValueError, "the class itself"),
    ("v.scatter_add([1.0])", TypeError, "sparse_delta must be an IndexedSlices; got [1.0]"),
    ("v.scatter_nd_add([[0]])", TypeError, "Variable.scatter_nd_add() missing 1 required positional argument: 'updates'"),
    ("tf.image.random_crop(tf.zeros([4]), 'a')", TypeError, "random_crop: size must be integers"),
    ("tf.math.unsorted_segment_sum([1.0], [0], [1, 2])", TypeError, "num_segments must be one integer"),
    ("tf.tensordot(x, x, float)", TypeError, "tensordot: axes must be an integer; got <class 'float'>"),
    ("tf.eye([])", TypeError, "eye: num_rows must be one integer; got []"),
    ("tf.eye([2, 3])", TypeError, "eye: num_rows must be one integer; got [2, 3]"),
    ("tf.TensorArray(tf.float32, 2).read(b'abc')", TypeError, "TensorArray: index must be one integer"),
    ("tf.TensorArray(tf.float32, 2).scatter([0, 'a'], [1.0, 2.0])", TypeError, "indices must be integers"),
    ("tf.ragged.constant([[1]]).row_lengths(axis=float)", TypeError, "row_lengths: axis must be an integer"),
    ("tf.ragged.constant([[1]]).to_tensor(shape=[1, 2, 3])", ValueError, "must have rank 2"),
    ("tf.RaggedTensor.from_uniform_row_length([1, 2], 'a')", TypeError, "uniform_row_length must be integers"),
    ("tf.RaggedTensor.from_nested_row_splits([1], 5)", TypeError, "must be a list; got 5"),
    ("tf.data.Dataset.range(2).concatenate([1])", TypeError, "dataset must be a Dataset; got [1]"),
    ("tf.keras.layers.Permute(2.5)", TypeError, "Permute: dims must be a list; got 2.5"),
    ("tf.keras.layers.ZeroPadding2D((None, 1))", TypeError, "padding must be a pair; got None"),
    ("tf.keras.metrics.Mean().update_state()", TypeError, "got no value to count in"),
    ("tf.keras.metrics.Accuracy().update_state([1])", TypeError, "takes y_true and y_pred, and got 1 values"),
    ("model().fit([[1.0]], [[1.0]], batch_size=2.5)", TypeError, "batch_size must be an integer; got 2.5"),
    ("model().fit([[1.0]], [[1.0]], batch_size=-1)", TypeError, "batch_size must be at least 1; got -1"),
    ("model().fit([[1.0]], [[1.0]], epochs='a')", TypeError, "epochs must be an integer; got 'a'"),
    ("model().fit([[1.0]], [[1.0]], callbacks=[1])", TypeError, "callbacks must be a Callback or a list of them; got 1"),
    ("model().fit([[1.0]], [[1.0]], validation_split='a')", TypeError, "validation_split must be a number; got 'a'"),
    ("model().fit(None, [[1.0]])", TypeError, "x must be arrays or a dataset; got None"),
    ("model().fit([[1.0]], 1.0)", ValueError, "Unrecognized data type: y=1.0 (of type <class 'float'>)"),
    ("model().predict([[1.0]], verbose='loud')", TypeError, "verbose must be an integer; got 'loud'"),
    ("model().set_weights(5)", TypeError, "weights must be a list; got 5"),
    ("tf.reduce_sum(x, axis=deep)", TypeError, "reduce_sum: axis must be"),
    ("tf.zeros([2], dtype=deep)", TypeError, "stands for no type of elements"),
    ("tf.TensorShape(deep)", TypeError, "it counts elements: give an integer"),
    ("tf.debugging.assert_rank(x, deep)", TypeError, "A rank must be an integer"),
    ("tf.keras.layers.Activation(deep)", ValueError, "Could not interpret activation function"),
    ("tf.dynamic_stitch([[0]], [[1.0], [2.0]])", InvalidArgumentError, "1 tensors of indices and 2 of data"),
    ("tf.data.Dataset.range(2).map(deep)", ValueError, "`func` must be a callable"),
    ("tf.data.Dataset.range(2).reduce(0, 3)", ValueError, "`func` must be a callable"),
    ("tf.space_to_batch(m, [3], [[0, 0], [0, 0]])", InvalidArgumentError, "block_shape has 1 sizes, and paddings the shape (2, 2)"),
    ("tf.batch_to_space(m, [], [[0, 0]])", InvalidArgumentError, "block_shape has 0 sizes, and crops the shape (1, 2)"),
    ("tf.sequence_mask(['a'])", TypeError, "lengths must be integers; they have dtype string"),
    ("tf.debugging.assert_non_negative(r)", TypeError, "got a tf.RaggedTensor"),
    ("r.merge_dims('a', 1)", TypeError, "outer_axis must be an integer; got 'a'"),
    ("tf.data.Dataset.range(2).apply(3)", TypeError, "transformation_func must be a function; got 3"),
    ("model().summary(print_fn=3)", TypeError, "print_fn must be a function; got 3"),
    ("model().train_on_batch([[1.0]])", ValueError, "got 0 targets beside None"),
    ("tf.keras.utils.pad_sequences([1, 2])", TypeError, "a sequence must be a list; got 1"),
    ("tf.nn.conv2d(tf.ones([1, 2, 2, 1]), tf.ones([1, 1, 1, 1]), 1, 'SAME', deep)", InvalidArgumentError, "is not supported"),
    ("tf.keras.losses.MeanSquaredError(reduction=deep)", ValueError, "Invalid value for argument `reduction`"),
    ("viz.step(deep, x, x)", TypeError, "expected a tf.GradientTape"),
    ("tf.batch_to_space(1.0, [2], [[0, 0]])", InvalidArgumentError, "needs a batch and 1 axes for the blocks"),
    ("tf.keras.utils.set_random_seed(np.datetime64('2020-01-01'))", TypeError, "set_random_seed: seed must be an integer"),
    ("tf.keras.utils.normalize([1.0], 3)", TypeError, "normalize: axis must be an axis of 1"),
    ("tf.keras.utils.normalize([1.0], order=[1, 2])", TypeError, "normalize: order must be a number"),
    ("tf.keras.layers.GlobalMaxPooling2D(data_format=np.ones(2))", ValueError, "data_format=array([1., 1.]) is not supported"),
    ("tf.keras.losses.sparse_categorical_crossentropy(1, 1.0)", InvalidArgumentError, "needs the classes along the last axis of y_pred"),
    ("tf.sequence_mask([1], r)", TypeError, "sequence_mask: maxlen must be integers"),
    ("tf.print(x, output_stream='')", InvalidArgumentError, "output_stream='' cannot be written to: No such file"),
    ("tf.keras.ops.eye(np)", TypeError, "eye: num_rows must be "),
    ("tf.keras.ops.eye(2**80)", InvalidArgumentError, "eye"),
    ("tf.keras.ops.eye(-2)", InvalidArgumentError, "eye"),
    ("tf.keras.ops.split(1.0, [0])", InvalidArgumentError, "split: axis=0 is out of range for a tensor of rank 0"),
    ("tf.keras.ops.split(x, 0.5)", TypeError, "split: indices_or_sections must be a list"),
    ("tf.keras.ops.norm(x, 3)", ValueError, "norm: ord=3 is that of vectors along an axis"),
    ("tf.keras.random.randint([2], 0, 3)", AttributeError, "Use the function of that name in `tf.random`"),
    ("viz.Player(x)", TypeError, "a Player shows a viz.Trace; got <tf.Tensor"),
    ("viz.Picture(None)", TypeError, "a Picture shows a viz.Trace; got None"),
    ("tf.Graph().as_graph_def()", AttributeError, "a tf.Graph has no 'as_graph_def' here"),
    ("tf.zeros(1, 1)", TypeError, "Cannot convert 1 to a DType"),
    ("tf.keras.layers.Conv2D(2, 3, padding=[[0, 0], [1, 1], [1, 1], [0, 0]])", TypeError, "Conv2D: padding must be a string"),
    ("tf.keras.layers.Conv2D(2, 3, padding='full')", ValueError, "must be one of 'valid', 'same'. Received: 'full'"),
    ("tf.keras.layers.Conv2D(2, 3, padding='causal')", ValueError, "must be one of 'valid', 'same'. Received: 'causal'"),
    ("tf.sparse.segment_sum(x, [-1, 0], [0, 1])", InvalidArgumentError, "indices hold -1, which is out of range [0, "),
    ("tf.image.sobel_edges(tf.zeros([1, 3, 3, 1], tf.uint8))", InvalidArgumentError, "in which a slope would overflow"),
    ("tf.nn.lrn(tf.zeros([1, 1, 1, 1], tf.complex64))", TypeError, "must be a floating tensor of rank 4"),
    *((f"tf.{op}({z})", InvalidArgumentError, f"[Op:{name}]: `") for z in ["tf.constant([1 + 1j, 2])"] for op, name in {
        "math.softplus": "Softplus", "math.log_sigmoid": "LogSigmoid", "nn.elu": "Elu", "nn.selu": "Selu",
        "math.softsign": "Softsign", "nn.l2_loss": "L2Loss", "argmax": "ArgMax", "argmin": "ArgMin",
    }.items()),
    *((f"tf.{op}({z}, {z})", InvalidArgumentError, f"[Op:{name}]: `") for z in ["tf.constant([1 + 1j, 2])"] for op, name in {
        "searchsorted": "Searchsorted", "math.floormod": "FloorMod", "math.atan2": "Atan2", "truncatemod": "TruncateMod",
        "math.floordiv": "FloorDiv", "truncatediv": "TruncateDiv", "math.nextafter": "NextAfter",
        "nn.softmax_cross_entropy_with_logits": "SoftmaxCrossEntropyWithLogits",
    }.items()),
    *((f"tf.{op}(['a', 'b'], ['b', 'a'])", InvalidArgumentError, "Strings have no order here") for op in (
        "less", "less_equal", "greater", "greater_equal", "maximum", "minimum", "searchsorted",
    )),
    ("tf.argmax(['a', 'b'])", InvalidArgumentError, "Strings have no order here"),
    ("tf.math.segment_max(tf.constant([1j, 2]), [0, 0])", InvalidArgumentError, "Complex numbers have no order"),
    ("tf.tensor_scatter_nd_min(tf.constant([1j, 2]), [[0]], tf.constant([2j]))", InvalidArgumentError, "Complex numbers have no order"),
    ("tf.nn.max_pool1d(tf.zeros([1, 3, 1], tf.complex64), 2, 1, 'VALID')", InvalidArgumentError, "Complex numbers have no order"),
    ("-tf.constant([1], tf.uint8)", InvalidArgumentError, "Unsigned integers wrap around below 0"),
    ("tf.math.invert_permutation([True, False])", InvalidArgumentError, "[Op:InvertPermutation]"),
]  # fmt: skip

CONSTANTS = [
    ("tf.constant([[1.0], [2.0, 3.0]])", ValueError, "non-rectangular Python sequence to Tensor: [[1.0], [2.0, 3.0]]"),
    ("tf.constant(None)", ValueError, "function without a `return`"),
    ("tf.constant([1.0, None])", ValueError, "[1.0, None]"),
    ("tf.constant(object())", ValueError, "unsupported type (<class 'object'>)"),
    ("tf.constant({'a': 1.0})", ValueError, "({'a': 1.0}) with an unsupported type"),
    ("tf.constant(lambda: 1.0)", ValueError, "unsupported type (<class 'function'>)"),
    ("tf.constant(1.5, dtype=tf.int32)", TypeError, "Cannot convert 1.5 to EagerTensor of dtype int32"),
    ("tf.constant('text', dtype=tf.float32)", TypeError, "Cannot convert 'text' to EagerTensor of dtype float32"),
    ("tf.constant([1, 'a'])", ValueError, "1 stands among strings"),
    ("tf.constant(3 + 4j, dtype=tf.float32)", TypeError, "Cannot convert (3+4j) to EagerTensor of dtype float32"),
    ("tf.constant([True, 1])", ValueError, "with mixed types to Tensor: [True, 1]"),
    ("tf.constant([1.0, 2j])", ValueError, "with mixed types to Tensor: [1.0, 2j]"),
    ("tf.constant(1e40)", ValueError, "a number beyond 3.4e38"),
    ("tf.constant(2**63, dtype=tf.int64)", ValueError, "out-of-range integer"),
    ("tf.constant(x, dtype=tf.float64)", TypeError, "dtype float64, but got dtype float32"),
    ("tf.constant([1.0, v[0]])", ValueError, "Write `tf.stack(...)`"),
    ("tf.constant([1.0, 2.0, 3.0], shape=[2, 2])", TypeError, "3 values do not fill shape (2, 2)"),
    ("tf.constant(1.0, shape=[-1])", ValueError, "Dimension -1 of a shape must be >= 0"),
    ("tf.constant(1.0, shape='ab')", TypeError, "it counts elements: give an integer"),
    ("tf.constant(1.0, dtype='float33')", TypeError, "did you mean 'float32'"),
    ("tf.constant(np.array(['2020-01-01'], 'datetime64[D]'))", TypeError, "stands for no type of elements"),
    ("tf.convert_to_tensor(x, dtype=tf.float64)", ValueError, "Write `tf.cast(x, tf.float64)`"),
    ("tf.convert_to_tensor([x, d])", ValueError, "was expected to be a float32 tensor but is a float64 tensor"),
    ("tf.cast(x, 'nothing')", TypeError, "Cannot convert 'nothing' to a DType"),
    ("tf.cast('a', tf.float32)", InvalidArgumentError, "Cast string to float32 is not supported"),
    ("tf.TensorShape([-5])", ValueError, "Dimension -5 of a shape must be >= 0"),
    ("tf.zeros([-1])", InvalidArgumentError, "Dimension in shape=[-1] must be >= 0"),
    ("tf.zeros([2.5])", TypeError, "shape must be integers; got [2.5]"),
    ("tf.ones([2, None])", ValueError, "shape=[2, None] leaves a size open (None)"),
    ("tf.fill([2], [1.0, 2.0])", InvalidArgumentError, "value must be a scalar; got shape (2,)"),
    ("tf.range(0.0, 10.0, 0.0)", InvalidArgumentError, "got start=0.0, limit=10.0, delta=0.0"),
    ("tf.range(0, 10, 'a')", TypeError, "must be numbers; got 0, 10, 'a'"),
    ("tf.linspace(0.0, 1.0, -1)", InvalidArgumentError, "Requires num >= 0: -1"),
    ("tf.range([1, 2])", InvalidArgumentError, "must be scalars; got shape (2,)"),
    ("tf.range(3.0, dtype=tf.int32)", TypeError, "Cannot convert 3.0 to EagerTensor of dtype int32"),
    ("tf.one_hot([1], -1)", InvalidArgumentError, "depth must be non-negative, got: -1"),
    ("tf.one_hot([0.5], 3)", TypeError, "Write `tf.cast(indices, tf.int32)`"),
    ("tf.gather_nd(x, [[0]], batch_dims=[])", TypeError, "gather_nd: batch_dims must be one integer; got []"),
    ("tf.math.top_k(x, [])", TypeError, "top_k: k must be one integer; got []"),
    ("tf.linalg.band_part([[1.0]], 'a', 0)", TypeError, "band_part: num_lower must be integers; got 'a'"),
    ("tf.linalg.diag_part([[1.0]], k=())", TypeError, "Write for instance `k=(-1, 1)`"),
    ("tf.math.confusion_matrix([0], [0], num_classes='a')", TypeError, "confusion_matrix: num_classes must be integers"),
    ("tf.math.confusion_matrix([0], ['a'])", TypeError, "confusion_matrix: predictions must be numbers"),
    ("tf.debugging.assert_greater(tf.constant('a'), tf.constant(1.0))", TypeError, "Write for instance"),
    ("tf.keras.Input(batch_shape=5)", TypeError, "Input: batch_shape must be a list; got 5"),
    ("tf.keras.layers.dot((), 1)", TypeError, "Dot: inputs must be a pair"),
    ("tf.keras.losses.huber([1.0], [2.0], delta=[1])", TypeError, "huber: delta must be a number; got [1]"),
    ("tf.keras.utils.pad_sequences(5)", TypeError, "pad_sequences: sequences must be a list; got 5"),
    ("tf.keras.utils.pad_sequences([[1]], value='a')", TypeError, "pad_sequences: value must be a number; got 'a'"),
    ("tf.keras.utils.pad_sequences([[1]], padding={})", ValueError, 'write "pre" or "post"'),
    ("tf.keras.utils.get_file(origin=[1])", TypeError, "get_file: origin must be a string; got [1]"),
    ("tf.dynamic_partition([1.0], [0], 10**9)", tf.errors.ResourceExhaustedError, "At most 1,000,000 are made at once"),
    ("tf.eye(10**9)", tf.errors.ResourceExhaustedError, "OOM when allocating tensor"),
    ("tf.zeros([10**10, 10**10])", InvalidArgumentError, "would have more than 2**63 - 1 elements"),
    ("tf.sort(['b', 'a'])", InvalidArgumentError, "Strings have no order here"),
    ("tf.case(deep)", TypeError, "case: "),
    ("tf.keras.layers.Dense(1, activity_regularizer=deep)", ValueError, "Could not interpret regularizer"),
    ("tf.function(len)()", TypeError, "missing a required argument: 'obj'. The function takes (obj, /)"),
    ("viz.Puzzle([[1.0]], [[1.0]], tolerance=())", TypeError, "Puzzle: tolerance must be a number; got ()"),
    ("viz.Puzzle('a', [[1.0]])", TypeError, "Puzzle: found must be a matrix of numbers; got 'a'"),
]  # fmt: skip

VARIABLES = [
    ("tf.Variable()", ValueError, "Write `tf.Variable(0.0)`"),
    ("tf.Variable(1.5, dtype=tf.int32)", TypeError, "Cannot convert 1.5 to EagerTensor of dtype int32"),
    ("tf.Variable(x, dtype=tf.float64)", ValueError, "requested dtype float64 for Tensor with dtype float32"),
    ("tf.Variable([1.0], shape=[2])", ValueError, "initial value's shape ((1,)) is not compatible"),
    ("v.assign([1.0])", ValueError, "Shape mismatch. 'Variable:0' has shape (3,), the value has shape (1,)"),
    ("v.assign(d)", ValueError, "Write `v.assign(tf.cast(value, tf.float32))`"),
    ("v.assign('text')", TypeError, "Cannot convert 'text'"),
    ("v.assign(None)", ValueError, "function without a `return`"),
    ("v.assign_add([[1.0, 2.0, 3.0]])", ValueError, "the value has shape (1, 3)"),
    ("v.assign_sub(n)", ValueError, "the value has dtype int32"),
    ("v[0].assign([1.0, 2.0])", InvalidArgumentError, "the value has shape (2,) and dtype float32"),
    ("v[7].assign(1.0)", IndexError, "slice index 7 of dimension 0 out of bounds"),
    ("operator.setitem(v, 0, 1.0)", TypeError, "Write `v[i].assign(value)`"),
    ("operator.setitem(x, 0, 1.0)", TypeError, "tf.tensor_scatter_nd_update"),
    ("{x: 1.0}", TypeError, "Instead, use tensor.ref() as the key"),
    ("{v}", TypeError, "Instead, use tensor.ref() as the key"),
    ("float(x)", TypeError, "this one has shape (3,)"),
    ("int(v)", TypeError, "only a tensor with one element can be converted by int()"),
    ("bool(x)", ValueError, "truth value of a tensor with shape (3,) is ambiguous"),
    ("1 if x == x else 0", ValueError, "Write `tf.reduce_all(x)` or `tf.reduce_any(x)`"),
    ("[10, 20][s]", TypeError, "shape () and dtype float32. Write `tf.cast(x, tf.int32)`"),
    ("len(s)", TypeError, "Scalar tensor has no `len()`"),
    ("list(s)", TypeError, "Cannot iterate over a scalar tensor"),
    ("x.name", AttributeError, "undefined when eager execution is enabled"),
    ("x.set_shape([4])", ValueError, "Shapes (3,) and (4,) are incompatible"),
]  # fmt: skip

ELEMENTWISE = [
    ("x + d", InvalidArgumentError, "Write `tf.cast(y, tf.float32)`"),
    ("x * n", TypeError, "`x` of dtype float32 and `y` of dtype int32"),
    ("x + z", InvalidArgumentError, "is a complex64 tensor [Op:AddV2]"),
    ("x - text", InvalidArgumentError, "is a string tensor [Op:Sub]"),
    ("x + [1.0, 2.0]", InvalidArgumentError, "add(x: float32(3,), y: float32(2,))"),
    ("m * tf.ones([2])", InvalidArgumentError, "compared from the right"),
    ("x + None", ValueError, "function without a `return`"),
    ("x + 'a'", TypeError, "Cannot convert 'a' to EagerTensor of dtype float32"),
    ("x ** '2'", TypeError, "Cannot convert '2'"),
    ("x / c", InvalidArgumentError, "is a bool tensor [Op:RealDiv]"),
    ("x @ x", InvalidArgumentError, "shapes [3] and [3] [Op:MatMul]"),
    ("m @ m", InvalidArgumentError, "Matrix size-incompatible: In[0]: [2, 3], In[1]: [2, 3]"),
    ("s @ m", InvalidArgumentError, "shapes [] and [2, 3]"),
    ("-c", InvalidArgumentError, "[Op:Neg]: `negative` got a tensor of dtype bool"),
    ("~x", InvalidArgumentError, "invert(x: float32(3,))"),
    ("x & c", InvalidArgumentError, "is a bool tensor [Op:BitwiseAnd]"),
    ("x < z", InvalidArgumentError, "is a complex64 tensor [Op:Less]"),
    ("tf.add(x)", TypeError, "'y'"),
    ("tf.add(x, x, x, x, x)", TypeError, "5 were given"),
    ("tf.add(x, y=x, z=x)", TypeError, "unexpected keyword argument 'z'"),
    ("tf.add(x, x=x)", TypeError, "multiple values for argument 'x'"),
    ("tf.sin()", TypeError, "'x'"),
    ("tf.sin(n)", InvalidArgumentError, "`sin` got a tensor of dtype int32"),
    ("tf.sin(c)", InvalidArgumentError, "`sin` got a tensor of dtype bool"),
    ("tf.sin('a')", InvalidArgumentError, "`sin` got (x: string()). It computes with numbers"),
    ("tf.sin(None)", ValueError, "function without a `return`"),
    ("tf.sqrt(n)", InvalidArgumentError, "Write `tf.cast(x, tf.float32)`"),
    ("tf.math.log(text)", InvalidArgumentError, "`log` got (x: string())"),
    ("tf.nn.relu(text)", InvalidArgumentError, "`relu` got (features: string())"),
    ("tf.atan2(x, tf.ones([2]))", InvalidArgumentError, "atan2(y: float32(3,), x: float32(2,))"),
    ("tf.maximum(x, d)", InvalidArgumentError, "is a float64 tensor [Op:Maximum]"),
    ("tf.pow(x, d)", InvalidArgumentError, "is a float64 tensor [Op:Pow]"),
    ("tf.math.floordiv(x, n)", InvalidArgumentError, "is a int32 tensor [Op:FloorDiv]"),
    ("tf.complex(x, d)", TypeError, "real and imag have incorrect types: float32 float64"),
    ("tf.add_n([])", ValueError, "Write `tf.add_n([x, y])`"),
    ("tf.add_n([x, m])", InvalidArgumentError, "input 0 has shape (3,), input 1 has shape (2, 3)"),
    ("tf.clip_by_value(x, 0.0, 'a')", TypeError, "Cannot convert 'a'"),
    ("tf.clip_by_value(x, tf.zeros([2]), 1.0)", InvalidArgumentError, "low: float32(2,)"),
    ("tf.where([True, False], x, x)", InvalidArgumentError, "condition: bool(2,), x: float32(3,)"),
    ("tf.where(x, x, x)", InvalidArgumentError, "got a condition of dtype float32"),
    ("tf.where(c, x)", ValueError, "both be non-None or both be None"),
]  # fmt: skip

SHAPES = [
    ("x[3]", IndexError, "Use an index from -3 to 2"),
    ("x[0, 0]", IndexError, "2 indices for a tensor of shape (3,)"),
    ("x['a']", TypeError, "valid indices, got 'a'"),
    ("x[1.0]", TypeError, "valid indices, got 1.0"),
    ("x[::0]", ValueError, "slice step cannot be zero"),
    ("x[..., ...]", ValueError, "Multiple ellipses"),
    ("tf.reshape(x, [2, 2])", InvalidArgumentError, "3 values, but the requested shape [2, 2] has 4"),
    ("tf.reshape(x, [-1, -1])", InvalidArgumentError, "Only one input size may be -1"),
    ("tf.reshape(x, [-1, 2])", InvalidArgumentError, "requires a multiple of 2"),
    ("tf.reshape(x, 'a')", TypeError, "shape must be integers; got 'a'"),
    ("tf.transpose(m, [0, 0])", InvalidArgumentError, "perm=[0, 0] is not a permutation of the 2 axes"),
    ("tf.transpose(m, [0, 2])", InvalidArgumentError, "perm=2 is out of range"),
    ("tf.concat([x, m], 0)", InvalidArgumentError, "shapes[0] = (3,) vs. shapes[1] = (2, 3)"),
    ("tf.concat([x, d], 0)", InvalidArgumentError, "is a float64 tensor [Op:ConcatV2]"),
    ("tf.concat([], 0)", ValueError, "the list of tensors is empty"),
    ("tf.concat([x, x], 1)", InvalidArgumentError, "Use axis from -1 to 0"),
    ("tf.stack([x, tf.ones([2])])", InvalidArgumentError, "values[0].shape = (3,) != values[1].shape = (2,)"),
    ("tf.stack([], axis=1)", ValueError, "the list of tensors is empty"),
    ("tf.unstack(s)", InvalidArgumentError, "A scalar has no axes"),
    ("tf.unstack(x, num=2)", InvalidArgumentError, "has 3 slices"),
    ("tf.split(x, 2)", InvalidArgumentError, "has 3 elements, which is not evenly divisible by 2"),
    ("tf.split(x, [1, 1])", InvalidArgumentError, "the sizes [1, 1] do not add up to the 3 elements"),
    ("tf.squeeze(m, axis=0)", InvalidArgumentError, "expected a dimension of 1, got 2"),
    ("tf.expand_dims(x, 3)", InvalidArgumentError, "axis=3 is out of range"),
    ("tf.broadcast_to(x, [2])", InvalidArgumentError, "a tensor of shape (3,) cannot become [2]"),
    ("tf.tile(x, [2, 2])", InvalidArgumentError, "vector of length 1 but got length 2"),
    ("tf.pad(x, [[1, 1]], mode='CIRCLE')", ValueError, "Unknown padding mode: CIRCLE"),
    ("tf.pad(x, [[-1, 0]])", InvalidArgumentError, "[[-1, 0]] for a tensor of shape (3,)"),
    ("tf.gather(x, [3])", InvalidArgumentError, "indices[0] = 3 is not in [0, 3)"),
    ("tf.gather(x, [0.5])", TypeError, "indices must be integers"),
    ("tf.gather_nd(x, [[9]])", InvalidArgumentError, "indices[0] = [9] does not index into param shape [3]"),
    ("tf.scatter_nd([[5]], [1.0], [3])", InvalidArgumentError, "indices[0] = [5] does not index"),
    ("tf.tensor_scatter_nd_add(x, [[0]], [1.0, 2.0])", InvalidArgumentError, "updates have shape (2,)"),
    ("tf.boolean_mask(x, [True, False])", ValueError, "Shapes (3,) and (2,) are incompatible"),
    ("tf.slice(x, [0], [7])", InvalidArgumentError, "got begin 0 and size 7"),
    ("tf.roll(x, 1, axis=4)", InvalidArgumentError, "axis=4 is out of range"),
    ("tf.reverse(x, [3])", InvalidArgumentError, "axis=3 is out of range"),
    ("tf.repeat(x, [1, 2])", InvalidArgumentError, "repeats has 2 numbers, but axis 0"),
    ("tf.sort(x, direction='UP')", ValueError, "'ASCENDING' or 'DESCENDING'. Received: 'UP'"),
    ("tf.meshgrid(x, x, indexing='ji')", ValueError, "must be 'xy' or 'ij', but got 'ji'"),
]  # fmt: skip

REDUCTIONS_AND_MATRICES = [
    ("tf.reduce_sum(x, axis=1)", InvalidArgumentError, "axis=1 is out of range for a tensor of rank 1"),
    ("tf.reduce_sum(m, axis=[0, 0])", InvalidArgumentError, "names an axis twice"),
    ("tf.reduce_sum(x, axis='rows')", TypeError, "axis must be an integer; got 'rows'"),
    ("tf.reduce_sum(s, axis=0)", InvalidArgumentError, "A scalar has no axes"),
    ("tf.reduce_sum(c)", InvalidArgumentError, "Write `tf.math.count_nonzero(x)`"),
    ("tf.reduce_sum(text)", InvalidArgumentError, "Strings are not numbers"),
    ("tf.reduce_all(x)", InvalidArgumentError, "Compare first"),
    ("tf.argmax(x, axis=1)", InvalidArgumentError, "axis=1 is out of range"),
    ("tf.cumsum(x, axis=1)", InvalidArgumentError, "axis=1 is out of range"),
    ("tf.norm(x, ord='nuclear')", ValueError, "supported vector norm, got 'nuclear'"),
    ("tf.math.top_k(x, k=5)", InvalidArgumentError, "Had 3, needed 5"),
    ("tf.matmul(x, m)", InvalidArgumentError, "shapes [3] and [2, 3]"),
    ("tf.linalg.inv(m)", InvalidArgumentError, "square matrices, not of shape [2, 3]"),
    ("tf.linalg.inv(tf.zeros([2, 2]))", InvalidArgumentError, "Input matrix is not invertible"),
    ("tf.linalg.det(x)", InvalidArgumentError, "input must have rank 2 or more, not shape [3]"),
    ("tf.linalg.solve(tf.eye(2), tf.ones([3, 1]))", InvalidArgumentError, "right-hand side [3, 1]"),
    ("tf.linalg.diag(s)", InvalidArgumentError, "diagonal must be at least 1-dim"),
    ("tf.linalg.trace(x)", InvalidArgumentError, "trace got a tensor of shape [3]"),
    ("tf.linalg.svd(x)", InvalidArgumentError, "rank 2 or more, not shape [3]"),
    ("tf.linalg.matvec(m, tf.ones([2]))", InvalidArgumentError, "got a: [2, 3] and b: [2]"),
    ("tf.einsum('ij,jk->ik', m)", ValueError, "it names 2 operands, and 1 were given"),
    ("tf.einsum('ij,jk->ik', m, m)", ValueError, "axis 'j' has the sizes 3 and 2"),
    ("tf.einsum('ij->ijk', m)", ValueError, "each letter of the result has to appear in an operand"),
    ("tf.einsum(m, 'ij')", TypeError, "the equation must be a string"),
    ("tf.tensordot(m, m, 1)", InvalidArgumentError, "pairs axes [1] of shape [2, 3] with axes [0]"),
    ("tf.tensordot(m, x, axes=5)", ValueError, "from 0 to 1 for shapes [2, 3] and [3]; got 5"),
]  # fmt: skip

NETWORKS = [
    ("tf.nn.softmax(s)", InvalidArgumentError, "the logits are a scalar"),
    ("tf.nn.softmax(n)", InvalidArgumentError, "Write `tf.cast(logits, tf.float32)`"),
    ("tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[7], logits=[[1.0, 2.0]])", InvalidArgumentError, "label value of 7"),
    ("tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=m)", ValueError, "received ((2, 3) vs (3,))"),
    ("tf.nn.conv2d(x, m, 1, 'SAME')", InvalidArgumentError, "the input has shape (3,)"),
    ("tf.nn.conv2d(tf.ones([1, 4, 4, 2]), tf.ones([3, 3, 1, 1]), 1, 'SAME')", InvalidArgumentError, "so 2 channels, and the filters have shape (3, 3, 1, 1): output depth must be evenly divisible"),
    ("tf.nn.conv2d(tf.ones([1, 4, 4, 1]), tf.ones([3, 3, 1, 1]), 1, 'NONE')", ValueError, "padding='NONE' is unknown"),
    ("tf.nn.conv2d(tf.ones([1, 4, 4, 1]), tf.ones([3, 3, 1, 1]), 0, 'SAME')", InvalidArgumentError, "strides=0"),
    ("tf.nn.max_pool2d(x, 2, 2, 'SAME')", InvalidArgumentError, "the input has shape (3,)"),
    ("tf.nn.dropout(x, 1.5)", ValueError, "Received: rate=1.5"),
    ("tf.nn.dropout(n, 0.5)", ValueError, "Received: x.dtype=int32"),
    ("tf.nn.embedding_lookup(m, [5])", InvalidArgumentError, "indices[0] = 5 is not in [0, 2)"),
    ("tf.nn.moments(x, axes=[2])", InvalidArgumentError, "axis=2 is out of range"),
    ("tf.nn.l2_loss(n)", InvalidArgumentError, "dtype int32"),
]  # fmt: skip

TAPES = [
    ("T.gradient(None, x)", TypeError, "forget its `return`"),
    ("T.gradient(y, None)", TypeError, "A source must be a tf.Tensor or tf.Variable; got None"),
    ("T.gradient(y, 2.0)", TypeError, "got 2.0 of type float"),
    ("T.gradient(y, np.ones(3))", TypeError, "of type ndarray"),
    ("T.gradient(2.0, x)", TypeError, "A target must be a tf.Tensor or tf.Variable; got 2.0"),
    ("T.gradient(y)", TypeError, "'sources'"),
    ("T.gradient(y, x, unconnected_gradients='ones')", ValueError, "Write 'none' or 'zero'"),
    ("T.gradient(y, x, output_gradients=tf.ones([1, 3]))", ValueError, "the weight has shape (1, 3)"),
    ("T.gradient(y, x, output_gradients=tf.ones([2]))", ValueError, "the weight has shape (2,)"),
    ("T.gradient(y, x, output_gradients=d)", ValueError, "dtype float64, its target has shape (3,)"),
    ("T.gradient([y, y], x, output_gradients=[x])", ValueError, "holds 1 weights for 2 targets"),
    ("T.gradient(y, [x, [None]])", TypeError, "got None of type NoneType"),
    ("T.jacobian(None, x)", TypeError, "forget its `return`"),
    ("T.jacobian([y, y], x)", TypeError, "got 2 of them, of shapes [(3,), (3,)]"),
    ("T.jacobian(y, 3.0)", TypeError, "got 3.0 of type float"),
    ("T.jacobian(y, x, parallel_iterations=0)", ValueError, "must be at least 1; got 0"),
    ("T.jacobian(y, x, unconnected_gradients='all')", ValueError, "'all'"),
    ("T.batch_jacobian(y, x)", ValueError, "rank"),
    ("T.batch_jacobian(y, [x, x])", TypeError, "the source must be a single tensor; got 2"),
    ("T.watch(2.0)", ValueError, "Passed in object of type <class 'float'>"),
    ("T.watch([x, 'a'])", ValueError, "Passed in object of type <class 'str'>"),
    ("T.watch(None)", ValueError, "Passed in object of type <class 'NoneType'>"),
    ("T.reset()", ValueError, "Enter it first: `with tape:`"),
    ("T.stop_recording().__enter__()", ValueError, "Tape is not recording"),
    ("used.gradient(y, x)", RuntimeError, "tf.GradientTape(persistent=True)"),
    ("used.jacobian(y, x)", RuntimeError, "tf.GradientTape(persistent=True)"),
    ("used.watch(x)", ValueError, "not recording"),
    ("used.recording", RuntimeError, "can only be used to compute one set"),
    ("fresh.gradient(y, x)", RuntimeError, "has not recorded anything yet"),
    ("fresh.watch(x)", ValueError, "Call it inside the block"),
    ("fresh.reset()", ValueError, "Tape is not recording"),
    ("fresh.stop_recording().__enter__()", RuntimeError, "Use `with tape.stop_recording():` inside"),
    ("single.jacobian(y1, x, experimental_use_pfor=False)", RuntimeError, "Write `tf.GradientTape(persistent=True)`"),
    ("tf.GradientTape(1, 2, 3)", TypeError, "4 were given"),
    ("tf.gradients(y, x)", RuntimeError, "Use tf.GradientTape"),
    ("tf.RegisterGradient(3)", TypeError, "must be a string"),
    ("tf.RegisterGradient('Mul')(lambda op, g: g)", KeyError, "Registering two gradients with name 'Mul'"),
    ("tf.autodiff.ForwardAccumulator(x, tf.ones([2]))", ValueError, "A tangent of shape (2,)"),
    ("tf.autodiff.ForwardAccumulator([x, x], [x, x])", ValueError, "specified as a primal multiple times"),
    ("tf.autodiff.ForwardAccumulator([x, s], [x])", ValueError, "the first has 2 elements, the second 1"),
    ("tf.autodiff.ForwardAccumulator(2.0, 1.0)", TypeError, "A primal must be a tf.Tensor"),
    ("tf.autodiff.ForwardAccumulator(x, d)", ValueError, "requested dtype float32 for Tensor with dtype float64"),
    ("tf.autodiff.ForwardAccumulator(x, None)", ValueError, "function without a `return`"),
    ("A.jvp(y, unconnected_gradients='ones')", ValueError, "'ones'"),
    ("twice(A)", ValueError, "Leave its `with` block first"),
    ("twice(fresh)", ValueError, "Tape is still recording"),
]  # fmt: skip

FUNCTIONS = [
    ("tf.custom_gradient(float)", TypeError, "is not a callable object"),
    ("T.jacobian(y, x, parallel_iterations='a')", TypeError, "jacobian: parallel_iterations must be an integer; got 'a'"),
    ("T.batch_jacobian(m, m, parallel_iterations=2.5)", TypeError, "batch_jacobian: parallel_iterations must be an integer"),
    ("tf.constant('\\ud800')", ValueError, "half a surrogate pair"),
    ("tf.gather(x, ['\\ud800'])", ValueError, "half a surrogate pair"),
    ("tf.Assert(False, 2.5)", TypeError, "Assert: data must be a list; got 2.5"),
    ("tf.print(x, sep=3)", TypeError, "tf.print: sep must be a string; got 3"),
    ("tf.dynamic_partition(x, [0, 0, 0], 'a')", TypeError, "num_partitions must be an integer"),
    ("tf.strings.join(3)", TypeError, "strings.join: inputs must be a list; got 3"),
    ("tf.ragged.map_flat_values([], r)", TypeError, "op must be a function"),
    ("tf.custom_gradient(3)", TypeError, "3 is not a callable object"),
    ("tf.custom_gradient(lambda x: x)(x)", TypeError, "Write `return y, grad`"),
    ("tf.custom_gradient(lambda x: (x, 3.0))(x)", TypeError, "It must return a pair"),
    ("tf.custom_gradient(lambda x: (x * v, lambda g: g))(x)", TypeError, "must accept keyword argument 'variables'"),
    ("ask(tf.custom_gradient(lambda x: (x, lambda g: (g, g))))", ValueError, "expected to return 1 gradients, but returned 2"),
    ("ask(tf.custom_gradient(lambda x: (x, lambda g: [])))", ValueError, "but returned 0"),
    ("ask(tf.custom_gradient(lambda x: (x, lambda: None)))", TypeError, "takes 0 positional arguments but 1 was given"),
    ("ask(tf.custom_gradient(lambda x: (x, lambda g: 'text')))", TypeError, "Cannot convert 'text'"),
    ("ask(lambda x: tf.image.adjust_contrast(tf.reshape(x, [1, 1, 3]), 0.5))", LookupError, "no entry for: AdjustContrastv2"),
    ("tf.autodiff.gradients_function(lambda x: None)(x)", ValueError, "did you forget to return a value"),
    ("tf.autodiff.val_and_grad_function(lambda x: x, params=[4])(x)", ValueError, "made with 1 arguments"),
    ("tf.autodiff.val_and_grad_function(lambda x: x, params=['q'])(x)", ValueError, "q"),
    ("tf.autodiff.implicit_grad(lambda: x)()", ValueError, "No trainable variables were accessed"),
    ("tf.vectorized_map(3, x)", TypeError, "fn must be callable; got 3"),
    ("tf.vectorized_map(lambda x: x, s)", ValueError, "got shapes [()]"),
    ("tf.vectorized_map(lambda x: x, [])", ValueError, "got none"),
    ("tf.vectorized_map(lambda x: x, (x, tf.ones([2])))", ValueError, "have [2, 3] slices"),
    ("tf.vectorized_map(lambda x: x.numpy(), x)", TypeError, "numpy() needs a value"),
    ("tf.vectorized_map(lambda x: x if x > 0 else -x, x)", TypeError, "use `tf.where`"),
    ("tf.vectorized_map(lambda x: None, x)", ValueError, "function without a `return`"),
    ("tf.map_fn(3, x)", TypeError, "fn must be callable; got 3"),
    ("tf.map_fn(lambda x: x, s)", ValueError, "Tensors, not scalars"),
    ("tf.map_fn(lambda x: (x, x), x)", ValueError, "same nested structure"),
    ("tf.map_fn(lambda x: tf.cast(x, tf.int32), x)", ValueError, "fn_output_signature"),
    ("tf.scan(lambda a, x: 'a', x)", TypeError, "Cannot convert 'a'"),
    ("tf.function(3)", TypeError, "3 is not a callable object"),
    ("tf.function(lambda x: x, input_signature=[tf.TensorSpec([2])])(x)", TypeError, "does not fit TensorSpec(shape=(2,)"),
    ("tf.function(lambda x: x)(x, x)", TypeError, "too many positional arguments"),
    ("tf.function(lambda x: x if x > 0 else -x, autograph=False)(s)", TypeError, "Python `if`"),
    ("tf.function(lambda x: x + d)(x)", InvalidArgumentError, "is a float64 tensor [Op:AddV2]"),
    ("tf.function(lambda x: tf.reshape(x, [7]))(x)", InvalidArgumentError, "requested shape [7] has 7"),
    ("tf.cond(c, lambda: x, lambda: x)", InvalidArgumentError, "pred must be a scalar; got shape (3,)"),
    ("tf.cond(True, lambda: x)", TypeError, "false_fn must be callable"),
    ("tf.cond(True, x, x)", TypeError, "true_fn must be callable"),
    ("tf.cond('a', lambda: x, lambda: x)", TypeError, "must be a bool or a number; got 'a'"),
    ("tf.case([])", InvalidArgumentError, "there is no default"),
    ("tf.switch_case(7.5, [lambda: x])", TypeError, "must be an integer Tensor"),
    ("tf.switch_case(tf.constant([0]), [lambda: x])", InvalidArgumentError, "is not a scalar branch_index"),
    ("tf.while_loop(lambda i: i, lambda i: i, [x])", InvalidArgumentError, "must be a scalar; got shape (3,)"),
    ("tf.while_loop(lambda i: i < 3, lambda i: (i, i), [s])", ValueError, "the loop variables are"),
    ("tf.while_loop(lambda i: i < 3, lambda i: i, [s], parallel_iterations='a')", TypeError, "parallel_iterations must be an integer; got 'a'"),
    ("tf.while_loop(lambda i: i < 3, lambda i: i, [s], parallel_iterations=None)", TypeError, "parallel_iterations must be an integer; got None"),
    ("tf.while_loop(3, lambda i: i, [s])", TypeError, "'cond' must be callable"),
    ("tf.while_loop(lambda i: i < 3, lambda i: None, [s])", ValueError, "function without a `return`"),
    ("tf.py_function(3, [x], tf.float32)", ValueError, "func must be callable; got 3"),
    ("tf.py_function(lambda x: x, [x], tf.int32)", InvalidArgumentError, "but Tout says int32"),
    ("tf.numpy_function(lambda x: x, [x], None)", TypeError, "Tout is missing"),
]  # fmt: skip

KERAS = [
    *(
        (f"sgd.apply_gradients({each})", TypeError, "Write for instance `apply_gradients(zip(")
        for each in ("None", "-1", "2.5", "float('nan')", "object()", "list", "'a'", "[3]", "[(x,)]")
    ),
    ("tf.keras.layers.Reshape(None)", TypeError, "Reshape: target_shape must be a list; got None"),
    ("tf.keras.layers.Input(shape=3)", TypeError, "input_shape must be a list; got 3"),
    ("tf.keras.layers.Conv2D(1, 3, padding=[])", TypeError, "Conv2D: padding must be a string; got []"),
    ("tf.keras.layers.Dropout('a')", TypeError, "Dropout: rate must be a number; got 'a'"),
    ("tf.keras.initializers.HeNormal(seed='a')((2,))", TypeError, "seed must be an integer; got 'a'"),
    ("tf.keras.layers.Dense(-1)", ValueError, "Received: units=-1"),
    ("tf.keras.layers.Dense(2.5)", ValueError, "Received: units=2.5"),
    ("tf.keras.layers.Dense(2, activation='relux')", ValueError, "identifier: 'relux'"),
    ("tf.keras.layers.Dense(2, kernel_initializer='nothing')", ValueError, "identifier: 'nothing'"),
    ("tf.keras.layers.Dense(2)(s)", ValueError, "has shape (); expected min_ndim=2"),
    ("built(x)", ValueError, "has shape (3,); expected min_ndim=2"),
    ("built(m)", ValueError, "incompatible with the layer"),
    ("tf.keras.layers.Conv2D(1, 3)(x)", ValueError, "the input has shape (3,)"),
    ("tf.keras.layers.Dropout(2.0)", ValueError, "Received: rate=2.0"),
    ("tf.keras.layers.Embedding(3, 2)([7])", InvalidArgumentError, "indices[0] = 7 is not in [0, 3)"),
    ("tf.keras.layers.Reshape([2])(x)", ValueError, "the requested shape [3, 2] has 6"),
    ("tf.keras.layers.Activation('nope')", ValueError, "identifier: 'nope'"),
    ("tf.keras.Sequential([3])", ValueError, "can be added to a Sequential model. Received: 3"),
    ("tf.keras.Sequential([tf.keras.layers.Flatten])", ValueError, "the class; a call makes a layer of it. Write `Flatten(...)`"),
    ("tf.keras.Sequential([tf.nn.relu])", ValueError, "Write `tf.keras.layers.Lambda(function)`"),
    ("tf.keras.layers.Dense(2, name='a/b')", ValueError, "Dense: Argument `name` must be a string and cannot contain"),
    ("tf.keras.Sequential([tf.keras.Input([3])]).build((None, 4))", ValueError, "already been configured to use input shape (None, 3)"),
    ("tf.keras.Sequential(name=3)", ValueError, "Sequential: Argument `name` must be a string"),
    ("tf.keras.Sequential().compile('sgd', 'mse', metrics='mae')", ValueError, "Write `compile(..., metrics=['mae'])`"),
    ("tf.keras.Sequential(3)", TypeError, "Sequential takes a list of layers; got 3"),
    ("tf.keras.optimizers.SGD('fast')", ValueError, "learning_rate='fast'"),
    ("sgd.apply_gradients([])", ValueError, "No gradients provided for any variable"),
    ("sgd.apply_gradients([(None, v)])", ValueError, "No gradients provided for any variable"),
    ("sgd.apply_gradients([(tf.ones([2]), v)])", ValueError, "a Tensor with shape [2]"),
    ("sgd.apply_gradients([(tf.ones([3]), x)])", AttributeError, "Write `v = tf.Variable(x)`"),
    ("sgd.minimize(lambda: x, [v])", ValueError, "No gradients provided for any variable"),
    ("sgd.apply([tf.ones([3])], [])", ValueError, "1 gradients for 0 variables"),
    ("tf.keras.Input(batch_shape=[])", TypeError, "Input: batch_shape must be not empty"),
    ("tf.keras.layers.Embedding(2, 2, weights=3)", TypeError, "Embedding: weights must be a list; got 3"),
    ("tf.keras.layers.BatchNormalization(axis=5)(m)", ValueError, "axis=5 is out of range for an input of shape (2, 3)"),
    ("tf.keras.layers.TimeDistributed([])", TypeError, "TimeDistributed: layer must be a layer"),
    ("tf.keras.optimizers.get('nothing')", ValueError, "identifier: 'nothing'"),
    ("tf.keras.losses.SparseCategoricalCrossentropy()([5], [[0.5, 0.5]])", InvalidArgumentError, "label value of 5"),
]  # fmt: skip

SPARSE_RAGGED_RANDOM = [
    ("tf.IndexedSlices(x)", TypeError, "'indices'"),
    ("tf.convert_to_tensor(tf.IndexedSlices(x, tf.constant([0, 1, 2])))", ValueError, "without dense_shape"),
    ("tf.convert_to_tensor(tf.IndexedSlices(x, tf.constant([0, 1, 9]), [3]))", ValueError, "9"),
    ("tf.ragged.constant([1.0, [2.0]])", ValueError, "same nesting depth"),
    ("tf.ragged.constant([[1.0], ['a']])", ValueError, "1.0 stands among strings"),
    ("tf.RaggedTensor.from_row_lengths(x, [1, 1])", ValueError, "the rows hold 2 items, but there are 3 values"),
    ("tf.RaggedTensor.from_row_lengths(x, [-1, 4])", ValueError, "must be at least 0"),
    ("tf.RaggedTensor.from_row_splits(x, [1, 3])", ValueError, "must start with 0 and not decrease"),
    ("tf.RaggedTensor.from_row_splits(x, [0.0, 3.0])", ValueError, "a vector of integers"),
    ("r[5]", IndexError, "the ragged tensor has 2 rows"),
    ("tf.ragged.stack([])", ValueError, "the list of tensors is empty"),
    ("tf.random.normal([-1])", InvalidArgumentError, "Dimension in shape=[-1] must be >= 0"),
    ("tf.random.normal('a')", TypeError, "shape must be integers; got 'a'"),
    ("tf.random.normal([2], dtype=tf.int32)", TypeError, "must be a floating one, got int32"),
    ("tf.random.uniform([2], dtype=tf.int32)", ValueError, "Must specify maxval for integer dtype"),
    ("tf.random.uniform([2], [0, 0], [1, 2], dtype=tf.int32)", InvalidArgumentError, "minval must be 0-D, got shape [2]"),
    ("tf.random.uniform([2], 0.5, 4, dtype=tf.int32)", TypeError, "Cannot convert 0.5"),
    ("tf.random.uniform([2], 5, 1, dtype=tf.int32)", InvalidArgumentError, "Need minval < maxval, got 5 >= 1"),
    ("tf.random.stateless_normal([2], seed=1)", InvalidArgumentError, "seed must have shape [2]"),
    ("tf.random.categorical(x, 1)", InvalidArgumentError, "logits should be a matrix, got shape (3,)"),
    ("tf.random.set_seed('a')", TypeError, "seed must be an integer; got 'a'"),
    ("tf.reduce_summ", AttributeError, "Did you mean `tf.reduce_sum`?"),
    ("tf.math.relu", AttributeError, "Did you mean `tf.nn.relu`?"),
    ("tf.nn.sofmax", AttributeError, "Did you mean `tf.nn.softmax`?"),
    ("tf.nothing_like_it", AttributeError, "module 'minitape' has no attribute 'nothing_like_it'"),
]  # fmt: skip

VIEWER = [
    ("viz.step(None, y, x)", TypeError, "write `with tf.GradientTape() as tape: ...`"),
    ("viz.step(T, None, x)", TypeError, "forget its `return`"),
    ("viz.step(T, y, 3.0)", TypeError, "got 3.0 of type float"),
    ("viz.step(T, y)", TypeError, "'sources'"),
    ("viz.step(used, y, x)", RuntimeError, "Call viz.step or viz.draw before tape.gradient"),
    ("viz.step(fresh, y, x)", RuntimeError, "it was not entered yet"),
    ("viz.step(T, y, x, output_gradients=tf.ones([2]))", ValueError, "the weight has shape (2,)"),
    ("viz.step(T, y, x).save(folder / 'gone' / 'a.html')", FileNotFoundError, "create it first"),
    ("viz.step(T, y, x).save(folder)", ValueError, "has no ending; end in .html, .svg"),
    ("viz.draw(3)", TypeError, "expected a tf.GradientTape, got 3"),
    ("viz.draw(used)", RuntimeError, "nothing to show"),
    ("viz.draw(T).save(folder / 'tape.exe')", ValueError, "choose one of .svg, .png"),
    ("viz.draw(T).save(folder / 'gone' / 'tape.svg')", FileNotFoundError, "does not exist"),
    ("viz.explain(None, y, x)", TypeError, "expected a tf.GradientTape, got None"),
    ("viz.explain(T, None, x)", TypeError, "forget its `return`"),
    ("viz.explain(T, y, 3.0)", TypeError, "got 3.0 of type float"),
    ("viz.Trace.load(folder / 'none.json')", FileNotFoundError, "none.json"),
    ("viz.Trace.from_json('{')", TraceError, "this is not JSON"),
    ("viz.Trace.from_json('')", TraceError, "this is not JSON"),
    ("viz.Trace.from_json('[]')", TraceError, "expected an object"),
    ("viz.Trace.from_json(3)", TypeError, "read a file with Trace.load(path)"),
    ("viz.recording(3)", TypeError, "takes 0 positional arguments"),
]  # fmt: skip

TABLES = {
    "constants": CONSTANTS, "variables": VARIABLES, "elementwise": ELEMENTWISE, "shapes": SHAPES,
    "reductions and matrices": REDUCTIONS_AND_MATRICES, "networks": NETWORKS, "tapes": TAPES,
    "functions": FUNCTIONS, "keras": KERAS, "sparse, ragged, random": SPARSE_RAGGED_RANDOM,
    "viewer": VIEWER, "odd kinds": ODD_KINDS,
}  # fmt: skip
TABLE = [row for table in TABLES.values() for row in table]


def twice(context):
    with context, context:
        pass


def names_of_the_calls(folder):
    """The names that the calls use."""
    x, v = tf.constant([1.0, 2.0, 3.0]), tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    with tf.GradientTape() as single:
        single.watch(x)
        y1 = x * x
    with tf.GradientTape() as used:
        used.watch(x)
        gone = x * x
    used.gradient(gone, x)
    built = tf.keras.layers.Dense(2)
    built(tf.ones([1, 5]))

    def model():
        made = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        made.compile("sgd", "mse")
        made(tf.ones([1, 1]))
        return made

    deep: list[object] = []
    for _ in range(5_000):  # deeper than Python can show
        deep = [deep]

    def ask(f):
        with tf.GradientTape() as outer:
            outer.watch(x)
            out = f(x)
        return outer.gradient(out, x)

    return {
        "model": model, "deep": deep,
        "tf": tf, "np": np, "viz": viz, "operator": __import__("operator"), "x": x, "v": v,
        "m": tf.ones([2, 3]), "n": tf.constant([1, 2, 3]), "s": tf.constant(2.0),
        "d": tf.ones([3], tf.float64), "c": tf.constant([True, False, True]),
        "text": tf.constant("text"), "z": tf.ones([3], tf.complex64),
        "r": tf.ragged.constant([[1.0], [2.0, 3.0]]), "folder": folder, "T": tape, "y": y,
        "single": single, "y1": y1, "used": used, "fresh": tf.GradientTape(), "ask": ask,
        "A": tf.autodiff.ForwardAccumulator(x, tf.ones(3)), "twice": twice, "built": built,
        "sgd": tf.keras.optimizers.SGD(0.1),
    }  # fmt: skip


@pytest.mark.parametrize("table", TABLES)
def test_a_bad_call_raises_tells_why_and_changes_nothing(tmp_path, table):
    def check(*row):
        raises_tells_why_and_changes_nothing(names_of_the_calls(tmp_path), *row)

    assert failing(check, {row[0]: row for row in TABLES[table]}) == {}


def raises_tells_why_and_changes_nothing(space, call, error, part):
    weights = [w.numpy() for w in space["built"].trainable_variables]
    with pytest.raises(error) as caught:
        eval(call, space)
    told = " ".join([str(caught.value), *getattr(caught.value, "__notes__", ())])
    assert part in told
    assert active() == ()
    assert space["v"].numpy().tolist() == [1.0, 2.0, 3.0]
    assert space["x"].numpy().tolist() == [1.0, 2.0, 3.0]
    assert all(
        map(np.array_equal, weights, [w.numpy() for w in space["built"].trainable_variables])
    )
    assert int(space["sgd"].iterations) == 0
    assert list(space["folder"].iterdir()) == []
    for tape, y in ((space["T"], "y"), (space["single"], "y1")):
        assert tape.gradient(space[y], space["x"]).numpy().tolist() == [2.0, 4.0, 6.0]


def test_the_table_has_at_least_150_rows_and_none_twice():
    calls = [row[0] for row in TABLE]
    assert len(calls) >= 150
    assert len(set(calls)) == len(calls)


@pytest.mark.parametrize(("arguments", "part"), [
    ([], "the following arguments are required: COMMAND"),
    (["fly"], "invalid choice: 'fly'"),
    (["step"], "the following arguments are required: FILE"),
    (["step", "a.py", "--out"], "expected one argument"),
    (["demo", "--loud"], "unrecognized arguments: --loud"),
])  # fmt: skip
def test_a_malformed_command_line_ends_with_usage_and_code_2(arguments, part, capsys):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert part in capsys.readouterr().err


@pytest.mark.parametrize(("program", "out", "part"), [
    (None, "a.html", "missing.py"),
    ("x = (", "a.html", "lesson.py, line 1: '(' was never closed"),
    ("1 / 0", "a.html", "ZeroDivisionError"),
    ("print(1)", "gone/a.html", "does not exist"),
    ("print(1)", ".", "it is a folder"),
])  # fmt: skip
def test_a_command_that_cannot_be_done_is_told_on_stderr_and_writes_nothing(
    program, out, part, tmp_path, capsys
):
    script = tmp_path / ("missing.py" if program is None else "lesson.py")
    if program is not None:
        script.write_text(program)
    before = sorted(tmp_path.iterdir())
    assert main(["step", str(script), "--out", str(tmp_path / out)]) == 2
    assert part in capsys.readouterr().err
    assert sorted(tmp_path.iterdir()) == before
    assert active() == ()
