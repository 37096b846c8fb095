"""What `add_weight` is asked for: arguments by position or by name, and a shape that is known."""

from __future__ import annotations

import operator
from reprlib import repr as short  # an error must be able to show a nest that is very deep
from typing import Any

from minitape.errors import teach
from minitape.keras import initializers

_BY_POSITION = ("shape", "initializer", "dtype")


def asked(
    args: tuple[Any, ...], shape: Any, initializer: Any, dtype: Any
) -> tuple[tuple[int, ...], Any, Any]:
    """Shape, initializer and dtype, each by position or else by name.

    Raises:
        ValueError: if the name comes first, as before Keras 3, one of them is given twice, or the
            shape is none.
        TypeError: if there are more by position.
    """
    if args and isinstance(args[0], str):
        raise _name_first(args, shape)
    if len(args) > len(_BY_POSITION):
        raise TypeError(
            f"add_weight() takes at most 3 positional arguments but {len(args)} were given. They "
            "are shape, initializer and dtype. Give the others by name, such as `trainable=False`."
        )
    given = dict(zip(_BY_POSITION, (shape, initializer, dtype), strict=True))
    for name, value in zip(_BY_POSITION, args, strict=False):
        if given[name] is not None:
            raise ValueError(
                f"add_weight: `{name}` was passed both positionally and as a keyword argument "
                f"({name}={short(given[name])}). Only one of them can count. Leave one out."
            )
        given[name] = value
    start = "glorot_uniform" if given["initializer"] is None else given["initializer"]
    return _checked_shape(given["shape"]), initializers.get(start), given["dtype"]


def _name_first(args: tuple[Any, ...], shape: Any) -> ValueError:
    name, *rest = args
    shape = shape if shape is not None else rest[0] if rest else (3,)
    return ValueError(
        teach(
            "`name` must be passed as a keyword argument. Received: "
            f"add_weight({short(name)}, ...).",
            "The first argument by position is the shape; before Keras 3 it was the name.",
            f"Write `add_weight(shape={short(shape)}, name={short(name)})`.",
        )
    )


def _checked_shape(shape: Any) -> tuple[int, ...]:
    """A weight's shape as a tuple; None is that of a single number, and an integer one axis.

    Raises:
        ValueError: if it is no shape, or leaves a size open.
    """
    if shape is None:
        return ()
    try:
        sizes = tuple([shape] if isinstance(shape, int) else shape)
        if None in sizes:
            raise _open_size(sizes)
        found = tuple(map(operator.index, sizes))
    except TypeError:
        found = (-1,)
    if min(found, default=0) < 0:
        raise ValueError(
            f"Cannot convert {short(shape)} to a shape: add_weight needs a tuple of sizes, which "
            "are integers from 0 on. Write for instance `add_weight(shape=(3, 2))`."
        )
    return found


def _open_size(shape: tuple[Any, ...]) -> ValueError:
    return ValueError(
        teach(
            "Shapes used to initialize variables must be fully-defined (no `None` dimensions). "
            f"Received: shape={shape}.",
            "A variable holds its numbers from the start; None stands for the batch, which no "
            "weight depends on.",
            "Take the sizes of features, such as `add_weight(shape=(input_shape[-1], 2))`.",
        )
    )
