"""Element types: `float32` and its fifteen siblings, with TensorFlow's names and predicates.

A `DType` is a singleton, so `a is b` decides whether two are the same; `==` exists for comparisons
with NumPy types and strings. Everything the engine asks of a type while it records (is it floating?
can a gradient flow through it?) is a plain attribute, computed once.
"""

from __future__ import annotations

import builtins
from reprlib import repr as short  # an error must be able to show a nest that is very deep
from typing import TYPE_CHECKING

import numpy as np

from minitape.names.registry import exports

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    # `DType` has an attribute called `np`, which would hide the module in its annotations.
    NumpyDType: TypeAlias = np.dtype[Any]
    NumpyType: TypeAlias = type[np.generic]


class DType:
    """The type of a tensor's elements.

    Args:
        name: TensorFlow's name of the type.
        numpy_type: the NumPy scalar type that holds the values.

    Attributes:
        name: TensorFlow's name, for example `"float32"`.
        np: the `numpy.dtype` of arrays that hold such elements.
        as_numpy_dtype: the NumPy scalar type, for example `numpy.float32`.
        is_floating: True for float16, float32 and float64.
        is_integer: True for signed and unsigned integers (not for bool).
        is_unsigned: True for unsigned integers.
        is_bool: True for bool.
        is_complex: True for complex64 and complex128.
        is_differentiable: True where a gradient can flow: floating or complex.
        size: bytes per element.

    Example:
        >>> float32 == np.float32, float32 == "float64", int32.is_differentiable
        (True, False, False)
        >>> float32, str(float32)
        (tf.float32, "<dtype: 'float32'>")
    """

    __slots__ = (
        "as_numpy_dtype",
        "is_bool",
        "is_complex",
        "is_differentiable",
        "is_floating",
        "is_integer",
        "is_unsigned",
        "name",
        "np",
        "size",
    )

    def __init__(self, name: str, numpy_type: NumpyType) -> None:
        self.name = name
        self.np: NumpyDType = np.dtype(numpy_type)
        self.as_numpy_dtype: NumpyType = numpy_type
        kind = self.np.kind
        self.is_floating = kind == "f"
        self.is_integer = kind in "iu"
        self.is_unsigned = kind == "u"
        self.is_bool = kind == "b"
        self.is_complex = kind == "c"
        self.is_differentiable = kind in "fc"
        self.size: int = 0 if kind == "O" else self.np.itemsize  # texts have any length

    @property
    def base_dtype(self) -> DType:
        """The type itself (TensorFlow's reference types do not exist here)."""
        return self

    @property
    def real_dtype(self) -> DType:
        """The type of the real part: `float64` for `complex128`; a real type gives itself."""
        return of(self.np.type(0).real.dtype) if self.is_complex else self

    @property
    def min(self) -> Any:
        """The smallest (most negative) finite value, as a NumPy scalar or Python int.

        Raises:
            TypeError: bool, complex and string types have no smallest value.
        """
        return self._range().min

    @property
    def max(self) -> Any:
        """The largest finite value, as a NumPy scalar or Python int.

        Raises:
            TypeError: bool, complex and string types have no largest value.
        """
        return self._range().max

    def _range(self) -> Any:
        if self.is_floating:
            return np.finfo(self.np)
        if self.is_integer:
            return np.iinfo(self.np)
        raise TypeError(
            f"{self!r} has no smallest and largest value: only integer and floating types do."
            " Ask one of those, for example tf.float32.max."
        )

    @property
    def limits(self) -> tuple[int, Any]:
        """The range of image intensities: `(0, max)` for integers, else `(0, 1)`.

        Raises:
            KeyError: complex and string types have no intensities.
        """
        if self.is_integer:
            return 0, self.max
        if self.is_floating or self.is_bool:
            return 0, 1
        raise KeyError(f"{self!r} has no intensity limits: only real numeric types hold images.")

    def is_compatible_with(self, other: object) -> builtins.bool:
        """Tell whether `other` is this type, so that its values may stand in for this one's.

        Args:
            other: anything `as_dtype` takes.

        Returns:
            True when both are the same type.

        Raises:
            TypeError: `other` names no type.

        Example:
            >>> float32.is_compatible_with("float32"), float32.is_compatible_with(np.float64)
            (True, False)
        """
        return as_dtype(other) is self

    def __eq__(self, other: object) -> builtins.bool:
        if type(other) is DType:
            return self is other
        return _find(other) is self

    # By identity and so at C speed. No hash could agree with all that `==` accepts: "float32",
    # np.float32 and np.dtype("float32") hash differently among themselves (TensorFlow: the same).
    __hash__ = object.__hash__

    def __reduce__(self) -> tuple[Callable[[object], DType], tuple[str]]:
        return as_dtype, (self.name,)

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __str__(self) -> str:
        return f"<dtype: {self.name!r}>"


float16 = DType("float16", np.float16)
float32 = DType("float32", np.float32)
float64 = DType("float64", np.float64)
int8 = DType("int8", np.int8)
int16 = DType("int16", np.int16)
int32 = DType("int32", np.int32)
int64 = DType("int64", np.int64)
uint8 = DType("uint8", np.uint8)
uint16 = DType("uint16", np.uint16)
uint32 = DType("uint32", np.uint32)
uint64 = DType("uint64", np.uint64)
bool_ = DType("bool", np.bool_)
complex64 = DType("complex64", np.complex64)
complex128 = DType("complex128", np.complex128)
string = DType("string", np.object_)
half = float16
double = float64
bool = bool_  # noqa: A001  # TensorFlow's name

_ALL = (
    *(float16, float32, float64, complex64, complex128, bool_, string),
    *(int8, int16, int32, int64, uint8, uint16, uint32, uint64),
)


_NAMES = ", ".join(dtype.name for dtype in _ALL)


class _ByNumpyDType(dict["NumpyDType", DType]):
    """NumPy dtype to DType; text of any length and foreign byte orders are found on a miss."""

    def __missing__(self, dtype: NumpyDType) -> DType:
        found = _find(dtype)
        if found is None:
            raise TypeError(
                f"An array of NumPy type {dtype} cannot become a tensor: minitape computes with"
                f" {_NAMES} only. Convert it first, for example array.astype('float32')."
            )
        return found


_BY_NUMPY = _ByNumpyDType((dtype.np, dtype) for dtype in _ALL)

# `of(array.dtype)` is the DType of an array. It is the table's own lookup without a function around
# it, because every `tensor.dtype` goes through here.
of: Callable[[NumpyDType], DType] = _BY_NUMPY.__getitem__

_BY_NAME: dict[object, DType] = {
    **{dtype.name: dtype for dtype in _ALL},
    **{dtype.as_numpy_dtype: dtype for dtype in _ALL},
    # C's integer types: on every platform two of them have one size, and as_numpy_dtype is one.
    **{np.dtype(code).type: of(np.dtype(code)) for code in "bhilqBHILQ"},
    **{float: float32, int: int32, builtins.bool: bool_, complex: complex128, str: string},
    **{bytes: string, object: string, np.str_: string, np.bytes_: string},
    **{"float": float32, "int": int32, "complex": complex128, "str": string},
    **{"half": float16, "double": float64},
}


def as_dtype(type_value: object) -> DType:
    """Give the `DType` that a name, a NumPy type, a Python type or a typed value stands for.

    Args:
        type_value: a DType; a name (`"float32"`, or NumPy's `"<f4"`); a NumPy scalar type, or dtype
            of any byte order; Python's float (float32), int (int32), bool, complex (complex128)
            and str (string); or anything with a `dtype`, such as an array or a tensor.

    Returns:
        The DType.

    Raises:
        TypeError: `type_value` stands for no known type.

    Example:
        >>> as_dtype("float64"), as_dtype(int), as_dtype(np.dtype(">f4")), as_dtype(np.zeros(2))
        (tf.float64, tf.int32, tf.float32, tf.float64)
    """
    found = _find(type_value)
    if found is None:
        raise TypeError(
            f"Cannot convert {short(type_value)} to a DType: {_hint(type_value)}. Give a DType such"
            f" as tf.float32, a NumPy or Python type, or one of these names: {_NAMES}."
        )
    return found


def _find(value: object) -> DType | None:
    """Give the DType that `value` stands for, or None."""
    if type(value) is DType:
        return value
    try:
        return _BY_NAME[value]
    except (KeyError, TypeError):  # TypeError: not hashable, for example an array
        pass
    if isinstance(value, np.dtype):
        native = value.newbyteorder("=")
        return string if value.kind in "OSUT" else _BY_NUMPY.get(native)
    if isinstance(value, str):
        return _find_numpy_name(value)
    dtype = getattr(value, "dtype", None)
    return _find(dtype) if isinstance(dtype, (DType, np.dtype)) else None


def _find_numpy_name(name: str) -> DType | None:
    try:
        return _find(np.dtype(name))
    except (TypeError, ValueError):
        return None


def _hint(value: object) -> str:
    from difflib import get_close_matches  # only for a message: the import would cost milliseconds

    near = get_close_matches(short(value).strip("'"), [dtype.name for dtype in _ALL], n=1)
    return f"did you mean {near[0]!r}?" if near else "it stands for no type of elements"


# The public names of `tf.dtypes`; ops add theirs to them.
exports.update({f"dtypes.{dtype.name}": dtype for dtype in _ALL})
exports.update({"dtypes.half": half, "dtypes.double": double})
exports.update({"dtypes.DType": DType, "dtypes.as_dtype": as_dtype})
