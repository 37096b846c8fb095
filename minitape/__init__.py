"""minitape: automatic differentiation over NumPy, with the names and semantics of TensorFlow.

Code written for `import tensorflow as tf` runs with `import minitape as tf`. To read the engine,
start with `interpreter`, then `primitive`, `plan`, `backward` and `tape`.

Example:
    >>> import minitape as tf
    >>> x = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = x**2
    >>> float(tape.gradient(y, x))
    6.0
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from minitape import errors
from minitape.names import namespaces
from minitape.tensor import Tensor
from minitape.tensors.convert import constant, convert_to_tensor
from minitape.values import dtypes, nest
from minitape.values.dtypes import (
    DType,
    as_dtype,
    complex64,
    complex128,
    double,
    float16,
    float32,
    float64,
    half,
    int8,
    int16,
    int32,
    int64,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
)
from minitape.values.dtypes import bool_ as bool
from minitape.values.modes import UnconnectedGradients
from minitape.values.shapes import TensorShape, broadcast_static_shape
from minitape.variable import Variable

__version__ = "0.1.0"

# Infinities and NaN follow IEEE silently, as in TensorFlow: NumPy would name lines of ops.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minitape\.")

newaxis = None
_spaces = namespaces.make_namespaces(
    "math nn linalg random image debugging autodiff ragged compat compat.v1 compat.v1.nn raw_ops "
    "test strings sets signal types bitwise sparse config"
)
globals().update({name: space for name, space in _spaces.items() if "." not in name})

if TYPE_CHECKING:
    from minitape.tape import GradientTape as GradientTape  # loaded when it is asked for

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        found = globals()[name] = namespaces.public(name)
        return found

else:

    def __getattr__(name: str) -> Any: ...


def __dir__() -> list[str]:
    namespaces.load_rest()
    return sorted({*globals(), *(name for name in namespaces.exports if "." not in name)})
