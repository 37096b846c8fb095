"""Values before they are tensors: dtypes, shapes, arrays and nested structures.

`dtypes` and `shapes` are TensorFlow's vocabulary, `spec` shape and dtype together; `arrays` makes
NumPy arrays of what users give. `nest` walks through structures, `containers` says what counts as
one. `operators` is the common ground of all that can stand in an expression; `modes` are the
answers where nothing is connected. `public_types` and `results` are annotations of what functions
take and give.
"""
