"""`tf.keras.layers`: `base` first, with `weights`, then whichever layer one looks for.

Every layer takes the arguments of `Layer` by name besides its own, and for each of its variables an
initializer, a regularizer and a constraint, such as `kernel_regularizer`. The cells of recurrent
layers stand in `cells`. Each module's `__all__` says which of its names are public.
"""

from minitape.keras.layers import (
    base,
    cells,
    core,
    images,
    inputs,
    merging,
    normalisation,
    pooling,
    recurrent,
    small,
    wrappers,
)
from minitape.keras.layers.base import *
from minitape.keras.layers.cells import *
from minitape.keras.layers.core import *
from minitape.keras.layers.images import *
from minitape.keras.layers.inputs import *
from minitape.keras.layers.merging import *
from minitape.keras.layers.normalisation import *
from minitape.keras.layers.pooling import *
from minitape.keras.layers.recurrent import *
from minitape.keras.layers.small import *
from minitape.keras.layers.wrappers import *
from minitape.names.absent import closed

_MODULES = [base, core, small, images, pooling, normalisation, merging, inputs]
_MODULES += [cells, recurrent, wrappers]
__all__ = [name for module in _MODULES for name in module.__all__]

closed("minitape.keras.layers")
