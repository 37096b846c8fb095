"""Indexing for users: `x[...]`, `v[...].assign`, `tf.slice`, `tf.strided_slice`.

An index whose value is not known yet (of a batch, of a graph's loop) becomes a gather, since a
gather takes indices as data, and so does a slice between such bounds, whose indices are counted
when the graph runs; everything else is the one slicing primitive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minitape.errors import InvalidArgumentError, teach
from minitape.interpreter import symbolic_interpreter
from minitape.op import attach, export, primitive
from minitape.ops.elementwise.arithmetic import add, subtract
from minitape.ops.moving.gathering import gather
from minitape.ops.moving.slicing import ALL, Key, canonical_key, getitem, take
from minitape.ops.moving.unknown_indices import indices_of, is_open, is_unknown
from minitape.ops.statics import as_tensor, static_ints
from minitape.tensor import Tensor
from minitape.tensors.boxed import Boxed
from minitape.tensors.convert import operand
from minitape.variable import ResourceVariable

if TYPE_CHECKING:
    from minitape.tensor import Array, Spec


def subscript(x: Any, key: Any) -> Tensor:
    """`x[key]`, for tensors and variables."""
    if isinstance(x, ResourceVariable):
        out = _subscript(x.as_operand(), key)
        out.part_of = (x, key)  # for `x[key].assign`
        return out
    return _subscript(as_tensor(x), key)


def _subscript(x: Tensor, key: Any) -> Tensor:
    shape = tuple(x.spec.shape)
    if type(key) is int and shape and -shape[0] <= key < shape[0]:
        return take(x, key % shape[0])
    if _is_mask(key):
        from minitape.ops.moving.selecting import boolean_mask  # only programs with masks load it

        return boolean_mask(x, key)
    entries = list(key) if isinstance(key, tuple) else [key]
    unknown = [i for i, each in enumerate(entries) if is_unknown(each) or is_open(each)]
    if unknown:
        return _gathered(x, entries, unknown)
    return getitem(x, canonical_key(key, shape))


attach("getitem", subscript, reflected=False)


def _is_mask(key: Any) -> bool:
    dtype = getattr(key, "dtype", None)
    return dtype is not None and (dtype == np.dtype(bool) or dtype == "bool")


def _gathered(x: Tensor, entries: list[Any], unknown: list[int]) -> Tensor:
    """`x[entries]`, where the entries at `unknown` have no value yet: cut first, then gathered."""
    cut = [ALL if i in unknown else each for i, each in enumerate(entries)]
    out = getitem(x, canonical_key(tuple(cut), tuple(x.spec.shape)))
    hidden = len(x.spec.shape) - sum(each is not None and each is not Ellipsis for each in entries)
    for i in reversed(unknown):
        before = cut[:i]
        axis = sum(each is None or isinstance(each, slice) for each in before)
        if any(each is Ellipsis for each in before):
            axis += hidden
        if isinstance(entries[i], slice):
            shape = tuple(out.spec.shape)
            indices = indices_of(entries[i], shape[axis])
            out = gather(out, indices, axis - len(shape), 0, from_end=True)  # its gradient is dense
        else:
            out = gather(out, entries[i], axis, 0, from_end=True)
    return out


@primitive(
    type_name="TensorStridedSliceUpdate",
    latex=r"\left({x}\ \mathrm{{with}}\ \left[{key}\right] \leftarrow {y}\right)",
)
def put(x: Array, y: Array, key: Key) -> Array:
    """`x` with the part that `key` names replaced by `y`, which broadcasts to it."""
    out = np.array(x)
    out[key] = y
    return out[()]


@put.vjp("x")
def _(g: Tensor, y: Spec, key: Key) -> Tensor:
    return put(g, np.zeros(y.shape, y.dtype)[()], key)


@put.vjp("y")
def _(g: Tensor, key: Key) -> Tensor:
    return getitem(g, key)


def _assigning(how: str, combine: Any) -> property:
    """The method `how` of a tensor that was cut out of a variable; others have none."""

    def look_up(part: Tensor) -> Any:
        found = getattr(part, "part_of", None)
        if found is None:
            raise AttributeError(
                f"'{type(part).__name__}' object has no attribute '{how}': tensors are immutable. "
                f"Write `v = tf.Variable(x)`, then `v.{how}(...)` or `v[i].{how}(...)`."
            )
        variable, key = found
        return lambda value, use_locking=False, name=None, read_value=True: _assign_part(
            variable, key, value, how, combine
        )

    return property(look_up)


def _assign_part(
    variable: ResourceVariable, key: Any, value: Any, how: str, combine: Any
) -> ResourceVariable:
    """Changes the part of `variable` that `key` names; no gradient flows through."""
    new = operand(value, variable.spec.dtype)
    place = canonical_key(key, tuple(variable.spec.shape))
    present = variable.as_operand() if symbolic_interpreter() else variable._plain
    wanted = tuple(getitem(present, place).spec.shape)
    if new.spec.dtype != variable.spec.dtype or tuple(new.spec.shape) not in (wanted, ()):
        raise InvalidArgumentError(
            teach(
                f"Variable[{place}].{how}: the part has shape {wanted} and dtype "
                f"{variable.dtype.name}, "
                f"the value has shape {tuple(new.spec.shape)} and dtype {new.dtype.name}.",
                "The part keeps its shape and dtype.",
                "Reshape or cast the value.",
            )
        )

    def changed(old: Tensor) -> Tensor:
        part = new if combine is None else combine(getitem(old, place), new)
        return put(old, part, place)

    return variable.change(changed)


for _how, _combine in (("assign", None), ("assign_add", add), ("assign_sub", subtract)):
    setattr(Tensor, _how, _assigning(_how, _combine))


def _loaded_late(name: str) -> Any:
    """A method of variables whose module only programs that use it should pay for."""

    def method(variable: ResourceVariable, *args: Any, **kwargs: Any) -> Any:
        from minitape.ops.moving.variable_scatter import METHODS

        return METHODS[name](variable, *args, **kwargs)

    return method


for _name in (
    *("scatter_" + kind for kind in ("update", "add", "sub", "max", "min", "mul", "div")),
    *("scatter_nd_" + kind for kind in ("update", "add", "sub", "max", "min")),
    *("sparse_read", "gather_nd"),
):
    setattr(ResourceVariable, _name, _loaded_late(_name))


@export("slice")
def slice_function(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    """The box of a tensor that starts at `begin` and has `size`.

    Args:
        input_: a tensor of rank r.
        begin: r integers: the first index along each axis.
        size: r integers: how many; -1 for all that follow.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if the box does not lie inside the tensor.

    Example:
        >>> import minitape as tf
        >>> tf.slice([[1, 2, 3], [4, 5, 6]], [0, 1], [2, -1]).numpy().tolist()
        [[2, 3], [5, 6]]
    """
    x = as_tensor(input_)
    shape, sizes = tuple(x.shape), static_ints(size, "slice", "size")
    starts = _starts(begin, len(shape))
    moving = [i for i, start in enumerate(starts) if is_unknown(start)]
    firsts = static_ints([0 if is_unknown(s) else s for s in starts], "slice", "begin")
    if len(firsts) != len(shape) or len(sizes) != len(shape):
        raise InvalidArgumentError(
            f"slice: begin={list(firsts)} and size={list(sizes)} need one number for each of the "
            f"{len(shape)} axes of a tensor of shape {shape}."
        )
    counts = tuple(n - a if s == -1 else s for n, a, s in zip(shape, firsts, sizes, strict=True))
    for axis, (n, a, s) in enumerate(zip(shape, firsts, counts, strict=True)):
        if not 0 <= a <= a + s <= n:
            raise InvalidArgumentError(
                f"slice: Expected begin[{axis}] in [0, {n}] and size[{axis}] in [0, {n - a}], "
                "but got "
                f"begin {a} and size {s}: the tensor has shape {shape}."
            )
    ends = (
        (0, n) if i in moving else (firsts[i], firsts[i] + counts[i]) for i, n in enumerate(shape)
    )
    out = getitem(x, Key(slice(a, b, 1) for a, b in ends))
    for axis in moving:
        out = gather(out, starts[axis] + np.arange(counts[axis]), axis)
    return out


def _starts(begin: Any, rank: int) -> list[Any]:
    """One start for each axis; those of a graph's or a batch's tensor are tensors."""
    if isinstance(begin, Boxed) and begin.spec.shape == (rank,):
        return [begin[i] for i in range(rank)]
    return (
        list(begin)
        if isinstance(begin, list | tuple)
        else list(static_ints(begin, "slice", "begin"))
    )


@export("strided_slice")
def strided_slice(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Tensor:
    """The part `input_[begin:end:strides]`, axis by axis; what Python's brackets stand for.

    Args:
        input_: a tensor.
        begin: the first index along each axis.
        end: the index behind the last one.
        strides: the steps, by default 1.
        begin_mask: bit i set: `begin[i]` is ignored, the slice starts at the border.
        end_mask: bit i set: `end[i]` is ignored, the slice goes to the border.
        ellipsis_mask: bit i set: position i is `...`.
        new_axis_mask: bit i set: position i is `tf.newaxis`.
        shrink_axis_mask: bit i set: position i is the integer `begin[i]`.
        var: the variable that `input_` is the value of, for `assign`.
        name: accepted and not used.

    Raises:
        InvalidArgumentError: if an integer index is out of range, or there are too many axes.

    Example:
        >>> import minitape as tf
        >>> tf.strided_slice([1, 2, 3, 4], [0], [4], [2]).numpy().tolist()
        [1, 3]
    """
    starts, stops = (
        static_ints(each, "strided_slice", what) for each, what in ((begin, "begin"), (end, "end"))
    )
    steps = (
        (1,) * len(starts) if strides is None else static_ints(strides, "strided_slice", "strides")
    )
    key: list[Any] = []
    for i, (start, stop, step) in enumerate(zip(starts, stops, steps, strict=True)):
        bit = 1 << i
        if ellipsis_mask & bit:
            key.append(Ellipsis)
        elif new_axis_mask & bit:
            key.append(None)
        elif shrink_axis_mask & bit:
            key.append(start)
        else:
            key.append(
                slice(None if begin_mask & bit else start, None if end_mask & bit else stop, step)
            )
    return subscript(input_ if var is None else var, tuple(key))
