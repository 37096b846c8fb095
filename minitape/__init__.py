"""minitape: automatic differentiation over NumPy, with the names and semantics of TensorFlow.

Code written for `import tensorflow as tf` runs with `import minitape as tf`. The modules
directly in this folder are the engine. Read them in this order: `tensor`, `interpreter`, `op`,
`call`, `plan`, `record`, `recording`, `tape`, `request`, `backward`. (You may skip `fast`, which
does the same, only faster, and `safety`; docs/WALK.md goes through all of it with one example.)

Example:
    >>> import minitape as tf
    >>> x = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = x**2
    >>> float(tape.gradient(y, x))
    6.0
"""

import os as _os
import sys as _sys
from types import ModuleType as _ModuleType

from minitape import errors
from minitape.names import absent as _absent, namespaces as _namespaces
from minitape.tensor import Tensor
from minitape.tensors.constants import constant
from minitape.tensors.convert import convert_to_tensor
from minitape.values import nest
from minitape.values.broadcasting import broadcast_static_shape
from minitape.values.dtypes import (
    DType,
    as_dtype,
    bool_ as bool,
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
from minitape.values.modes import UnconnectedGradients
from minitape.values.shapes import TensorShape
from minitape.variable import Variable

# Documents ask whether this is TensorFlow 2: the version whose semantics these are, and whose they
# are not. `version.MINITAPE` is the version of the package alone.
__version__ = "2.21.0+minitape.0.2.0"

if not _os.path.isdir(__path__[0]):  # its modules are found by looking into folders
    raise ImportError(f"minitape cannot run from {__path__[0]}: unpack the zip file into a folder")

# In a checkout the viewer is the folder beside this one, and `viz` in here a symbolic link to it.
# Where no links are kept (git on Windows, an unpacked zip or sdist), it is looked for beside.
if not _os.path.isdir(_os.path.join(__path__[0], "viz")):
    __path__.append(_os.path.dirname(__path__[0]))

newaxis = None
_spaces = _namespaces.make_namespaces(
    "dtypes math nn linalg random image debugging autodiff ragged compat compat.v1 compat.v1.nn "
    "compat.v1.logging raw_ops test strings sets signal types bitwise sparse config "
    "config.experimental config.threading version"
)
_namespaces.exports["version.VERSION"] = __version__
_namespaces.exports["version.MINITAPE"] = __version__.rpartition("minitape.")[2]
globals().update({name: space for name, space in _spaces.items() if "." not in name})
vars(_spaces["compat"])["v2"] = _sys.modules["minitape.compat.v2"] = _sys.modules[__name__]

_absent.install()
_modules = (errors, nest, *_spaces.values())  # the public ones, among all of the package


def __getattr__(name: str) -> object:
    found = globals()[name] = _namespaces.public(name)
    return found


def __dir__() -> list[str]:
    _namespaces.load_rest()
    bound = {
        name
        for name, value in globals().items()
        if not name.startswith("_") and (not isinstance(value, _ModuleType) or value in _modules)
    }
    return sorted(
        {*bound, *_namespaces.PACKAGES, *(name for name in _namespaces.exports if "." not in name)}
    )
