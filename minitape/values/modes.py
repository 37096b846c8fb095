"""What a gradient is where target and source are not connected."""

from __future__ import annotations

import enum
from typing import Any

from minitape.errors import teach


class UnconnectedGradients(enum.Enum):
    """What to return for a source that the target does not depend on.

    Attributes:
        NONE: None, so that a missing connection is seen.
        ZERO: zeros of the source's shape and dtype, which is what mathematics says.
    """

    NONE = "none"
    ZERO = "zero"

    @classmethod
    def check(cls, value: Any) -> UnconnectedGradients:
        """The mode that `value` (a member or its string) names.

        Raises:
            ValueError: if it names none.
        """
        if isinstance(value, cls):
            return value
        try:
            return cls(value)
        except ValueError:
            raise ValueError(
                teach(
                    f"Unknown value for unconnected_gradients: {value!r}.",
                    "It says what to return for a source that the target does not depend on.",
                    "Write 'none' or 'zero', or tf.UnconnectedGradients.NONE or .ZERO.",
                )
            ) from None
