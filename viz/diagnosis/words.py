"""Gives ops one name for all frameworks: kinds know these words alone.

A name that is not in the table is taken as it is, without a framework's decorations (`__add__`,
`math.add`, `add_`).
"""

from __future__ import annotations

_SAME = {
    "add": "radd iadd add_n",
    "subtract": "sub rsub isub",
    "multiply": "mul rmul imul",
    "divide": "div truediv rtruediv itruediv rdiv true_divide real_divide",
    "negative": "neg",
    "pow": "rpow power float_power integer_pow",
    "matmul": "mm bmm mv rmatmul dot dot_general",
    "linear": "addmm baddbmm",
    "sum": "reduce_sum nansum",
    "mean": "reduce_mean nanmean average",
    "max": "reduce_max amax",
    "min": "reduce_min amin",
    "prod": "reduce_prod",
    "logsumexp": "reduce_logsumexp",
    "norm": "euclidean_norm vector_norm linalg_vector_norm linalg_norm",
    "greater": "gt",
    "less": "lt",
    "greater_equal": "ge",
    "less_equal": "le",
    "equal": "eq",
    "not_equal": "ne",
    "clamp": "clip clip_by_value hardtanh clamp_min clamp_max",
    "abs": "absolute fabs",
    "sigmoid": "expit special_expit logistic",
    "detach": "stop_gradient lax_stop_gradient",
    "round": "rint",
    "where": "select select_n",
    "reshape": "view view_as reshape_as",
    "expand_dims": "unsqueeze",
    "transpose": "permute t T mT",
    "cat": "concat concatenate",
}
SAME = {other: word for word, others in _SAME.items() for other in others.split()}

JUMPS = frozenset(
    [
        "round",
        "floor",
        "ceil",
        "sign",
        "trunc",
        "sgn",
        "floor_divide",
        "floordiv",
        "heaviside",
        "fix",
    ]
)
CHOOSES = frozenset(
    [
        "argmax",
        "argmin",
        "argsort",
        "searchsorted",
        "bucketize",
        "multinomial",
        "bernoulli",
        "nonzero",
        "argwhere",
        "unique",
        "histc",
        "bincount",
        "one_hot",
        "randint",
        "digitize",
        "choice",
    ]
)
COMPARES = frozenset(
    [
        "greater",
        "less",
        "greater_equal",
        "less_equal",
        "equal",
        "not_equal",
        "isnan",
        "isfinite",
        "isinf",
        "logical_and",
        "logical_or",
        "logical_not",
        "and",
        "or",
        "invert",
        "bitwise_not",
        "any",
        "all",
        "isclose",
    ]
)
RESHAPES = frozenset(
    ["reshape", "expand_dims", "squeeze", "transpose", "flatten", "ravel", "unflatten"]
)
MEETS = frozenset(
    [
        "add",
        "subtract",
        "multiply",
        "divide",
        "squared_difference",
        "pow",
        "where",
        "maximum",
        "minimum",
        "mse_loss",
        "l1_loss",
        "smooth_l1_loss",
        "huber_loss",
    ]
)
REDUCES = frozenset(
    ["sum", "mean", "max", "min", "prod", "std", "var", "norm", "logsumexp", "median"]
)
ELEMENTWISE = frozenset(
    [
        "abs",
        "square",
        "sqrt",
        "pow",
        "log",
        "exp",
        "negative",
        "multiply",
        "add",
        "divide",
        "subtract",
        "tanh",
        "sigmoid",
        "relu",
        "clamp",
        "softplus",
        "maximum",
        "minimum",
        "log1p",
        "where",
        "squared_difference",
        "cast",
        "to",
        "float",
        "double",
        "identity",
    ]
)


def neutral(name: str) -> str:
    """The word for an op, whatever a framework calls it.

    Example:
        >>> neutral("__rtruediv__"), neutral("relu_"), neutral("math.log")
        ('divide', 'relu', 'log')
    """
    short = name.rsplit(".", 1)[-1].strip("_")
    return SAME.get(short, short)
