"""One equation of a jaxpr: its derivative, how it was called, its line; arrays for NumPy."""

from __future__ import annotations

import enum
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core

from ..record.lines import is_ours, line_of
from ..trace.attributes import attributes_of
from ..trace.pictured import Pictures
from ..trace.trace import Attribute, Line

FOLDER = os.path.dirname(jax.__file__) + os.sep


def differentiated(
    run: Callable[..., Any], arrays: Sequence[Any], followed: Sequence[int]
) -> tuple[Any, Callable[[Any], Any]]:
    """An op's results, and its way back: a share for each of `followed`, else None."""

    def of_followed(*chosen: Any) -> Any:
        return run(
            *(dict(zip(followed, chosen, strict=True)).get(i, x) for i, x in enumerate(arrays))
        )

    if not followed:
        return run(*arrays), lambda came: [None] * len(arrays)
    try:
        out, pull = jax.vjp(of_followed, *(arrays[i] for i in followed))
    except ValueError as refused:  # `while` has no way back; it need not, where none is taken
        return run(*arrays), partial(_refuse, refused)
    return out, lambda came: _spread(followed, pull(came), len(arrays))


def _spread(places: Sequence[int], shares: Sequence[Any], count: int) -> list[Any]:
    known = dict(zip(places, shares, strict=True))
    return [known.get(i) for i in range(count)]


def _refuse(refused: ValueError, came: Any) -> Any:
    raise refused


def settings(equation: Any) -> tuple[Attribute, ...]:
    """The parameters of an equation that JSON can say, and the layout of what has channels."""
    params = equation.params
    told = {n: v.name if isinstance(v, enum.Enum) else v for n, v in params.items()}
    told = {n: str(v) if isinstance(v, np.dtype) else v for n, v in told.items()}
    numbers = params.get("dimension_numbers")
    first = getattr(numbers, "lhs_spec", (0, 3, 1, 2))
    layout = {"layout": "NCHW"} if tuple(first) == (0, 1, 2, 3) else {}
    windows = params.get("window_dimensions", ())
    layout |= {"layout": "NCHW"} if len(windows) == 4 and windows[1] == 1 != windows[3] else {}
    return attributes_of((told | layout | _windows(params)).items())


def _windows(params: Mapping[str, Any]) -> dict[str, Any]:
    """How a convolution's window moves: for each axis stride, padding before it, both dilations."""
    numbers = params.get("dimension_numbers")
    if not isinstance(numbers, jax.lax.ConvDimensionNumbers) or params["batch_group_count"] > 1:
        return {}
    rank = len(numbers.lhs_spec)
    middle = tuple(range(1, rank - 1))
    last = (0, rank - 1, *middle), (rank - 1, rank - 2, *range(rank - 2)), (0, rank - 1, *middle)
    if tuple(map(tuple, numbers)) not in ((tuple(range(rank)),) * 3, last):
        return {}
    before = [low for low, _ in params["padding"]]
    spread = params["rhs_dilation"], params["lhs_dilation"]  # of the kernel, of the image
    axes = zip(params["window_strides"], before, *spread, strict=True)
    return {"roles": ["image", "kernel", "map"], "windows": list(axes)}


def pictures_of(jaxpr: Any) -> Pictures:
    """Which arrays are images and kernels, from the equations that have channels last."""
    found, waiting = Pictures(), [jaxpr]
    while waiting:
        for equation in waiting.pop().eqns:
            if not any(each.name == "layout" for each in settings(equation)):
                shapes = [tuple(getattr(x.aval, "shape", ())) for x in equation.invars]
                found.learn(equation.primitive.name, shapes)
            waiting += core.jaxprs_in_params(equation.params)
    return found


def is_floating(array: Any) -> bool:
    """Whether an array can have a gradient."""
    return bool(jnp.issubdtype(dtype_of(array), jnp.inexact))


def dtype_of(array: Any) -> Any:
    """The dtype in JAX: a key of random numbers has one of its own."""
    return array.dtype if isinstance(array, jax.Array) else jnp.asarray(array).dtype


def array_of(array: Any) -> Any:
    """An array in NumPy: bfloat16 as float32, a key of random numbers as its integers."""
    if jnp.issubdtype(dtype_of(array), jax.dtypes.prng_key):
        return np.asarray(jax.random.key_data(array))
    array = jnp.asarray(array)
    return np.asarray(array.astype(jnp.float32) if array.dtype == jnp.bfloat16 else array)


def line_of_equation(equation: Any) -> Line | None:
    """The learner's line of an equation, where JAX has kept its traceback."""
    traceback = getattr(equation.source_info, "traceback", None)
    for frame in getattr(traceback, "frames", ()):
        if not (frame.file_name.startswith(FOLDER) or is_ours(frame.file_name)):
            return line_of(frame.file_name, frame.line_num)
    return None


def names_of(function: Callable[..., Any], arguments: Sequence[Any]) -> list[str]:
    """What the function calls its arguments; of pytrees with the path."""
    try:
        given = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        given = []
    found = []
    for number, each in enumerate(arguments):
        name = given[number] if number < len(given) else f"argument {number}"
        paths = jax.tree_util.tree_flatten_with_path(each)[0]
        found += [name + jax.tree_util.keystr(path) for path, _ in paths]
    return found


def op_name(equation: Any) -> str:
    """What an op is called: of a function with rules of its own, the function's name."""
    name, params = equation.primitive.name, equation.params
    inside = params.get("call_jaxpr") or params.get("fun_jaxpr")
    if not name.startswith("custom_"):
        return str(name)
    info = getattr(getattr(inside, "jaxpr", inside), "debug_info", None)
    return str(params.get("name") or getattr(info, "func_name", None) or name)
