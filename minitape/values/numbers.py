"""Python numbers as TensorFlow has them: 32 bits where no dtype is given.

A number that does not fit is none here, so that `arrays` can say why.
"""

from __future__ import annotations

import numpy as np

LARGEST = float(np.finfo(np.float32).max)


def plain_number(value: object) -> np.float32 | np.int32 | None:
    """The NumPy scalar of a Python float or int that fits 32 bits; None for anything else.

    Example:
        >>> plain_number(1.5), plain_number(2**31), plain_number(True)
        (np.float32(1.5), None, None)
    """
    # By `type`, not `isinstance`: a bool is an int to Python, and a bool to TensorFlow.
    if type(value) is float and -LARGEST <= value <= LARGEST:
        return np.float32(value)
    if type(value) is int and -(2**31) <= value < 2**31:
        return np.int32(value)
    return None
