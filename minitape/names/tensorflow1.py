"""Names of TensorFlow 1, which TensorFlow 2 has not got either, and what it writes instead.

A name has a line of code that runs, and a second one for a program that keeps its `tf.Graph`. A
test runs them all.
"""

from __future__ import annotations

from typing import NamedTuple


class OldName(NamedTuple):
    """Why there is no such name any more, what to write, and what in a `tf.Graph`."""

    why: str
    code: str
    in_graph: str = ""


# Where names are now that stood in `tf` itself.
MOVED = {
    "math": "accumulate_n angle betainc bincount ceil confusion_matrix conj count_nonzero cumprod "
    "digamma erf erfc expm1 igamma igammac imag invert_permutation is_finite is_inf is_nan lbeta "
    "lgamma log log1p log_sigmoid logical_xor polygamma real reciprocal rint rsqrt segment_max "
    "segment_mean segment_min segment_prod segment_sum squared_difference unsorted_segment_max "
    "unsorted_segment_mean unsorted_segment_min unsorted_segment_prod unsorted_segment_sum zeta",
    "linalg": "cholesky cholesky_solve cross diag diag_part global_norm matrix_transpose qr svd "
    "trace",
    "debugging": "assert_integer assert_near assert_negative assert_non_negative "
    "assert_positive assert_scalar check_numerics",
    "nn": "depth_to_space space_to_depth",
    "random": "truncated_normal",
    "image": "random_crop",
    "strings": "reduce_join regex_replace substr",
}

_RENAMED = {
    "div": "tf.divide(x, y)",
    "div_no_nan": "tf.math.divide_no_nan(x, y)",
    "floor_div": "tf.math.floordiv(x, y)",
    "mul": "tf.multiply(x, y)",
    "sub": "tf.subtract(x, y)",
    "neg": "tf.negative(x)",
    "batch_matmul": "tf.matmul(x, y)",
    "matrix_inverse": "tf.linalg.inv(x)",
    "matrix_determinant": "tf.linalg.det(x)",
    "matrix_solve": "tf.linalg.solve(x, y)",
    "matrix_solve_ls": "tf.linalg.lstsq(x, y)",
    "matrix_triangular_solve": "tf.linalg.triangular_solve(x, y)",
    "matrix_diag": "tf.linalg.diag(x)",
    "matrix_diag_part": "tf.linalg.diag_part(x)",
    "matrix_set_diag": "tf.linalg.set_diag(x, x[0])",
    "matrix_band_part": "tf.linalg.band_part(x, -1, 0)",
    "self_adjoint_eig": "tf.linalg.eigh(x)",
    "self_adjoint_eigvals": "tf.linalg.eigvalsh(x)",
    "select": "tf.where(x > 0.0, x, y)",
    "where_v2": "tf.where(x > 0.0, x, y)",
    "pack": "tf.stack([x, y])",
    "unpack": "tf.unstack(x)",
    "arg_max": "tf.argmax(x, axis=0)",
    "arg_min": "tf.argmin(x, axis=0)",
    "batch_gather": "tf.gather(x, [[0], [1]], batch_dims=1)",
    "tensor_scatter_update": "tf.tensor_scatter_nd_update(x[0], [[1]], [3.0])",
    "random_normal": "tf.random.normal([2, 3])",
    "random_uniform": "tf.random.uniform([2, 3])",
    "random_shuffle": "tf.random.shuffle(x)",
    "random_gamma": "tf.random.gamma([2, 3], 1.5)",
    "random_poisson": "tf.random.poisson([2, 3], 1.5)",
    "multinomial": "tf.random.categorical(x, 5)",
    "set_random_seed": "tf.random.set_seed(1)",
    "to_float": "tf.cast(x, tf.float32)",
    "to_double": "tf.cast(x, tf.float64)",
    "to_int32": "tf.cast(x, tf.int32)",
    "to_int64": "tf.cast(x, tf.int64)",
    "to_complex64": "tf.cast(x, tf.complex64)",
    "to_complex128": "tf.cast(x, tf.complex128)",
    "Print": "tf.print('x is', x)",
    "py_func": "tf.numpy_function(np.sin, [x], tf.float32)",
    "string_join": "tf.strings.join(['a', 'b'])",
    "string_split": "tf.strings.split('a b')",
    "string_strip": "tf.strings.strip(' a ')",
    "string_to_number": "tf.strings.to_number('1.5')",
    "verify_tensor_all_finite": "tf.debugging.assert_all_finite(x, 'x')",
    "truncated_normal_initializer": "tf.keras.initializers.TruncatedNormal()",
    "glorot_uniform_initializer": "tf.keras.initializers.GlorotUniform()",
    "glorot_normal_initializer": "tf.keras.initializers.GlorotNormal()",
    "orthogonal_initializer": "tf.keras.initializers.Orthogonal()",
    "variance_scaling_initializer": "tf.keras.initializers.VarianceScaling()",
    "image.resize_images": "tf.image.resize(picture, [4, 4])",
    "nn.softmax_cross_entropy_with_logits_v2": (
        "tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=x)"
    ),
    "nn.xw_plus_b": "tf.matmul(x, y) + 1.0",
    "keras.layers.CuDNNLSTM": "tf.keras.layers.LSTM(4)",
    "keras.layers.CuDNNGRU": "tf.keras.layers.GRU(4)",
    "logging": "tf.get_logger().setLevel('ERROR')",
    "contrib": "tf.keras.layers.Dense(4, activation='relu')(x)",
}

_AT_ONCE = "Ops run at once, and a tensor has its value."
_OWN_VALUE = "A variable has its value as soon as it is made."
_OWNERS = "Variables belong to Python objects, which find them, and not to names."
_OBJECTS = "Layers are objects that keep their variables."
_PYTHON = "Python does it without TensorFlow."

_INITIALIZED = OldName(
    _OWN_VALUE, "v = tf.Variable(1.0)", "tf.compat.v1.global_variables_initializer()"
)
_SESSION = OldName(_AT_ONCE, "(x * y).numpy()", "tf.compat.v1.Session()")
_GRAPHS = OldName(
    "A graph is made where one is asked for.",
    "with tf.Graph().as_default(): x = tf.constant(1.0)",
)
_EAGER = OldName("Ops run at once from the start; leave it out.", "tf.executing_eagerly()")
_SCOPE = OldName(_OWNERS, "with tf.name_scope('layer'): v = tf.Variable(1.0, name='w')")
_FOUND = OldName(_OWNERS, "tf.keras.layers.Dense(4).trainable_variables")
_LAYERS = OldName(_OBJECTS, "tf.keras.layers.Dense(4, activation='relu')(x)")
_CELLS = OldName(_OBJECTS, "tf.keras.layers.RNN(tf.keras.layers.LSTMCell(4))(tf.ones([2, 5, 3]))")

OLD_NAMES: dict[str, OldName] = {
    **{
        name: OldName("It has moved.", f"tf.{place}.{name}")
        for place, names in MOVED.items()
        for name in names.split()
    },
    **{name: OldName("It has another name now.", code) for name, code in _RENAMED.items()},
    "Session": _SESSION,
    "InteractiveSession": _SESSION,
    "get_default_session": _SESSION,
    "ConfigProto": _SESSION,
    "placeholder": OldName(
        "What changes is an argument of a function.",
        "f = tf.function(lambda x: x * x)",
        "tf.compat.v1.placeholder(tf.float32, [2])",
    ),
    "placeholder_with_default": OldName(
        "What changes is an argument of a function.", "f = tf.function(lambda x=1.0: x * x)"
    ),
    "get_default_graph": OldName(_AT_ONCE, "tf.Graph()", "tf.compat.v1.get_default_graph()"),
    "reset_default_graph": _GRAPHS,
    "disable_v2_behavior": _GRAPHS,
    "disable_eager_execution": _GRAPHS,
    "enable_eager_execution": _EAGER,
    "enable_v2_behavior": _EAGER,
    "global_variables_initializer": _INITIALIZED,
    "local_variables_initializer": _INITIALIZED,
    "initialize_all_variables": _INITIALIZED,
    "variables_initializer": _INITIALIZED,
    "assign": OldName("It is a method.", "v.assign(2.0)", "tf.compat.v1.assign(v, 2.0)"),
    "assign_add": OldName("It is a method.", "v.assign_add(2.0)"),
    "assign_sub": OldName("It is a method.", "v.assign_sub(2.0)"),
    "scatter_update": OldName("It is a method.", "rows.scatter_nd_update([[0]], [3.0])"),
    "scatter_nd_update": OldName("It is a method.", "rows.scatter_nd_update([[0]], [3.0])"),
    "scatter_add": OldName("It is a method.", "rows.scatter_nd_add([[0]], [3.0])"),
    "get_variable": OldName(_OWNERS, "v = tf.Variable(tf.random.normal([2, 3]), name='w')"),
    "variable_scope": _SCOPE,
    "variable_op_scope": _SCOPE,
    "op_scope": _SCOPE,
    "get_variable_scope": _SCOPE,
    "VariableScope": _SCOPE,
    "AUTO_REUSE": _SCOPE,
    "make_template": _LAYERS,
    "trainable_variables": _FOUND,
    "global_variables": _FOUND,
    "all_variables": _FOUND,
    "get_collection": _FOUND,
    "add_to_collection": _FOUND,
    "GraphKeys": _FOUND,
    "layers": _LAYERS,
    "nn.rnn_cell": _CELLS,
    "nn.dynamic_rnn": _CELLS,
    "nn.static_rnn": _CELLS,
    "app": OldName(_PYTHON, "if __name__ == '__main__': main()"),
    "flags": OldName(_PYTHON, "argparse.ArgumentParser().add_argument('--rate', type=float)"),
    "gfile": OldName(_PYTHON, "open(path).read()"),
}


def old_words(wanted: str) -> str:
    """What to write for a name that was TensorFlow 1's; "" for any other."""
    name = wanted.removeprefix("compat.v1.")
    old = OLD_NAMES.get(name)
    if old is None:
        return ""
    what = "is a name of TensorFlow 1, and TensorFlow 2 has not got it either"
    if name != wanted:
        what = "is not supported in minitape, and TensorFlow keeps it only for old programs"
    in_graph = f", or in a `tf.Graph` `{old.in_graph}`" if old.in_graph else ""
    return f"`tf.{wanted}` {what}. {old.why} Write `{old.code}`{in_graph}."
