"""Makes what decorates a picture so that it cannot take away what it decorates.

A fault in a decoration is a warning, and the picture stands without it. The tests of the project
make that warning an error.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeVar, cast

from .messages import message_of

Made = TypeVar("Made")


class LeftOut(UserWarning):
    """A decoration could not be made, and the picture is shown without it."""


def adorned(what: str, make: Callable[[], Made], without: Any) -> Made:
    """Make a decoration; where that fails, give what stands in its place.

    Args:
        what: What is left out then, for the warning.
        make: Makes it.
        without: What stands in its place.

    Example:
        >>> adorned("names", lambda: ["a", "b"], [])
        ['a', 'b']
    """
    try:
        return make()
    except Exception as error:
        warnings.warn(
            f"A picture is shown without {what}: {type(error).__name__}: {message_of(error)}. "
            "The rest of it is whole. This is a fault of the viewer, not of your program; please "
            "report it.",
            LeftOut,
            stacklevel=2,
        )
        return cast(Made, without)
