"""Tests of `minitape.dtypes`: names, predicates, equality and conversion of element types."""

import copy
import importlib
import pickle
import subprocess
import sys

import numpy as np
import pytest

import minitape as tf
from minitape.values import dtypes

NAMES = [
    *("float16", "float32", "float64", "complex64", "complex128", "bool"),
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
]


@pytest.mark.parametrize("name", NAMES)
def test_name_numpy_type_and_numpy_dtype_all_give_the_same_singleton(name):
    found = dtypes.as_dtype(name)
    assert found.name == name
    assert dtypes.as_dtype(np.dtype(name)) is found
    assert dtypes.as_dtype(np.dtype(name).type) is found
    assert dtypes.of(np.zeros(1, name).dtype) is found


@pytest.mark.parametrize("name", NAMES)
def test_predicates_agree_with_numpys_type_hierarchy(name):
    dtype, scalar = dtypes.as_dtype(name), np.dtype(name).type
    assert dtype.is_floating == issubclass(scalar, np.floating)
    assert dtype.is_integer == issubclass(scalar, np.integer)
    assert dtype.is_unsigned == issubclass(scalar, np.unsignedinteger)
    assert dtype.is_complex == issubclass(scalar, np.complexfloating)
    assert dtype.is_bool == (scalar is np.bool_)
    assert dtype.is_differentiable == issubclass(scalar, np.inexact)


@pytest.mark.parametrize("name", NAMES)
def test_a_dtype_equals_its_name_its_numpy_type_and_its_numpy_dtype_from_either_side(name):
    dtype, scalar = dtypes.as_dtype(name), np.dtype(name).type
    assert dtype == name and name == dtype
    assert dtype == scalar and scalar == dtype
    assert dtype == np.dtype(name) and np.dtype(name) == dtype


def test_as_numpy_dtype_is_the_scalar_type_itself():
    assert dtypes.float64.as_numpy_dtype is np.float64
    assert dtypes.bool_.as_numpy_dtype is np.bool_
    assert dtypes.string.as_numpy_dtype is np.object_


def test_different_types_are_unequal():
    assert dtypes.float32 != dtypes.float64
    assert dtypes.float32 != np.float64
    assert dtypes.float32 != "float64"


@pytest.mark.parametrize("other", [None, "no such type", 3, [], {}, object()])
def test_comparison_with_something_that_is_no_type_is_false(other):
    assert (dtypes.float32 == other) is False


def test_repr_and_str_are_tensorflows():
    assert repr(dtypes.float32) == "tf.float32"
    assert str(dtypes.float32) == "<dtype: 'float32'>"
    assert repr(dtypes.bool_) == "tf.bool"


@pytest.mark.parametrize(
    ("python_type", "name"),
    [(float, "float32"), (int, "int32"), (bool, "bool"), (complex, "complex128"), (str, "string")],
)
def test_python_types_and_their_names_give_tensorflows_defaults(python_type, name):
    assert dtypes.as_dtype(python_type).name == name
    assert dtypes.as_dtype(python_type.__name__).name == name


@pytest.mark.parametrize("code", ["<f4", ">f4", "=f4", "f4"])
def test_every_byte_order_gives_the_native_type(code):
    assert dtypes.as_dtype(code) is dtypes.float32
    assert dtypes.as_dtype(np.dtype(code)) is dtypes.float32
    assert dtypes.of(np.zeros(1, code).dtype) is dtypes.float32


def test_numpys_other_names_of_an_integer_type_give_the_type_of_the_same_size():
    assert dtypes.of(np.dtype(np.longlong)) is dtypes.int64
    assert dtypes.as_dtype(np.longlong).size == 8
    assert dtypes.as_dtype(np.intc) is dtypes.int32


@pytest.mark.parametrize("values", [["a", "long text"], [b"bytes"], [object()]])
def test_arrays_of_text_bytes_and_objects_are_string(values):
    assert dtypes.of(np.array(values).dtype) is dtypes.string


def test_an_array_stands_for_its_own_type():
    assert dtypes.as_dtype(np.zeros(2, np.int16)) is dtypes.int16
    assert dtypes.as_dtype(np.uint8(1)) is dtypes.uint8


@pytest.mark.parametrize(
    "wrong",
    [None, "flot32", 3.5, [], np.floating, np.longdouble, np.dtype("M8[s]"), np.dtype("f4,i4")],
)
def test_as_dtype_of_something_that_is_no_type_raises(wrong):
    with pytest.raises(TypeError, match="Cannot convert .* to a DType"):
        dtypes.as_dtype(wrong)


def test_a_misspelt_name_is_answered_with_the_nearest_one():
    with pytest.raises(TypeError, match="did you mean 'float32'"):
        dtypes.as_dtype("flaot32")


def test_an_array_of_a_type_without_a_counterpart_is_named_in_the_error():
    with pytest.raises(TypeError, match=r"datetime64\[D\].*cannot become a tensor"):
        dtypes.of(np.dtype("datetime64[D]"))


def test_aliases_are_the_same_object():
    assert dtypes.half is dtypes.float16
    assert dtypes.double is dtypes.float64
    assert dtypes.as_dtype("double") is dtypes.float64
    assert dtypes.as_dtype("half") is dtypes.float16


def test_real_dtype_is_that_of_the_real_part():
    assert dtypes.complex64.real_dtype is dtypes.float32
    assert dtypes.complex128.real_dtype is dtypes.float64
    assert dtypes.int8.real_dtype is dtypes.int8


def test_base_dtype_is_the_type_itself():
    assert dtypes.float16.base_dtype is dtypes.float16


def test_min_and_max_are_the_extreme_finite_values():
    assert (dtypes.int8.min, dtypes.int8.max) == (-(2**7), 2**7 - 1)
    assert (dtypes.uint64.min, dtypes.uint64.max) == (0, 2**64 - 1)
    assert dtypes.float16.max == 65504.0
    assert dtypes.float64.min == -(2 - 2.0**-52) * 2.0**1023


@pytest.mark.parametrize("dtype", [dtypes.bool_, dtypes.complex64, dtypes.string])
def test_min_and_max_of_a_type_without_order_raise(dtype):
    with pytest.raises(TypeError, match="has no smallest and largest value"):
        _ = dtype.min
    with pytest.raises(TypeError, match="has no smallest and largest value"):
        _ = dtype.max


def test_limits_are_those_of_image_intensities():
    assert dtypes.uint8.limits == (0, 255)
    assert dtypes.int8.limits == (0, 127)
    assert dtypes.float32.limits == (0, 1)


def test_limits_of_a_type_without_intensities_raise():
    with pytest.raises(KeyError, match="no intensity limits"):
        _ = dtypes.complex64.limits


def test_size_is_in_bytes():
    sizes = [d.size for d in (dtypes.bool_, dtypes.float16, dtypes.int32, dtypes.complex128)]
    assert sizes == [1, 2, 4, 16]


def test_is_compatible_with_takes_what_as_dtype_takes():
    assert dtypes.float32.is_compatible_with("float32")
    assert not dtypes.float32.is_compatible_with(np.float64)
    with pytest.raises(TypeError, match="Cannot convert"):
        dtypes.float32.is_compatible_with("no such type")


def test_copies_and_pickles_are_the_same_singleton():
    assert copy.copy(dtypes.float32) is dtypes.float32
    assert copy.deepcopy([dtypes.bool_])[0] is dtypes.bool_
    assert pickle.loads(pickle.dumps(dtypes.string)) is dtypes.string


def test_dtypes_serve_as_dictionary_keys():
    counts = {dtypes.float32: 1, dtypes.float64: 2}
    assert counts[dtypes.as_dtype("float64")] == 2


def test_bool_has_its_name_in_the_namespace_of_dtypes():
    assert tf.dtypes.bool is tf.bool is tf.constant(True).dtype


def test_a_function_of_tf_dtypes_can_be_the_first_that_a_program_uses():
    code = "import minitape as tf; print(tf.dtypes.cast(1.6, 'int32').numpy(), tf.dtypes.float64)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.split("\n")[0] == "1 <dtype: 'float64'>", done.stderr


def test_tf_dtypes_is_a_namespace_that_can_be_imported():
    module = importlib.import_module("minitape.dtypes")
    assert module is tf.dtypes
    assert {"DType", "as_dtype", "cast", "complex", "float32", "half"} <= set(dir(module))
    assert not {"np", "of", "builtins"} & set(dir(module))
