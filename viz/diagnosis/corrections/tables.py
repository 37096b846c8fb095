"""NumPy's and math's functions, and what they are called in TensorFlow.

The one fact to know: a name that is not here is looked up in `tf`, `tf.math` and `tf.linalg` as it
is; what is found nowhere stays, and then the correction that was tried does not work.
"""

from __future__ import annotations

import minitape

FUNCTIONS = {
    "sum": "reduce_sum", "mean": "reduce_mean", "average": "reduce_mean", "max": "reduce_max",
    "amax": "reduce_max", "min": "reduce_min", "amin": "reduce_min", "prod": "reduce_prod",
    "std": "math.reduce_std", "var": "math.reduce_variance", "any": "reduce_any",
    "all": "reduce_all", "nansum": "reduce_sum", "nanmean": "reduce_mean", "fsum": "reduce_sum",
    "clip": "clip_by_value", "power": "pow", "absolute": "abs", "fabs": "abs", "dot": "tensordot",
    "arctan": "atan", "arcsin": "asin", "arccos": "acos", "arctan2": "atan2", "arcsinh": "asinh",
    "arccosh": "acosh", "arctanh": "atanh", "concatenate": "concat", "log": "math.log",
    "log1p": "math.log1p", "expm1": "math.expm1", "true_divide": "divide", "negative": "negative",
    "ravel": "reshape", "outer": "tensordot", "reciprocal": "math.reciprocal", "inner": "tensordot",
    "trace": "linalg.trace", "diag": "linalg.diag_part", "swapaxes": "transpose", "flip": "reverse",
    "matmul": "matmul", "vdot": "tensordot", "cumsum": "cumsum", "cumprod": "math.cumprod",
    "lgamma": "math.lgamma", "erf": "math.erf", "float_power": "pow",
    "norm": "norm", "rint": "round", "atleast_1d": "identity",
}  # fmt: skip
METHODS = {
    "sum": "reduce_sum", "mean": "reduce_mean", "max": "reduce_max", "min": "reduce_min",
    "prod": "reduce_prod", "std": "math.reduce_std", "var": "math.reduce_variance",
    "reshape": "reshape", "transpose": "transpose", "squeeze": "squeeze", "cumsum": "cumsum",
    "clip": "clip_by_value", "round": "round",
}  # fmt: skip
LEAVING = {"numpy", "item", "tolist", "copy", "astype", "flatten", "ravel", "dot", *METHODS}
NUMBERS = {"float", "int", "complex"}
ARRAYS = {"array", "asarray", "ascontiguousarray", "float32", "float64", "asfarray", "squeeze_"}
CONSTANTS = {"constant", "convert_to_tensor"}
WRAPPERS = ("numpy_function", "py_function")  # they call a function of arrays
TEXTS = {"str", "repr"}  # and back from text, by `float` or these
READERS = {"dumps", "loads", "literal_eval"}


def called(name: str) -> str:
    """TensorFlow's name of a NumPy or math function, "" if there is none.

    Example:
        >>> called("mean"), called("sin"), called("no_such_function")
        ('reduce_mean', 'sin', '')
    """
    known = FUNCTIONS.get(name)
    if known is not None:
        return known
    for path in ("", "math.", "linalg.", "nn."):
        module = getattr(minitape, path[:-1]) if path else minitape
        if callable(getattr(module, name, None)):
            return f"{path}{name}"
    return ""
