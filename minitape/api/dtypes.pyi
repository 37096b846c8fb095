"""The public names of `tf.dtypes`.

Written by `python tests/stubs.py`; not to be edited.
"""

bool: DType
complex128: DType
complex64: DType
double: DType
float16: DType
float32: DType
float64: DType
from minitape.api.operations import cast_function as _cast
cast = _cast
from minitape.api.operations import saturate_cast as saturate_cast
from minitape.ops.elementwise.complexes import complex_function as _complex
complex = _complex
from minitape.values.dtypes import DType as DType
from minitape.values.dtypes import as_dtype as as_dtype
half: DType
int16: DType
int32: DType
int64: DType
int8: DType
string: DType
uint16: DType
uint32: DType
uint64: DType
uint8: DType
