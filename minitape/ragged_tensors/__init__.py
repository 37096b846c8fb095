"""Ragged tensors: rows of different lengths, one behind the other in one tensor.

`tensor` is the class and the one to read, `rows` says where its rows are; `factories` make ragged
tensors, `slicing` takes rows and parts, `ops`, `axes` and `finding` say what ops mean for them,
`functions` and `texts` are `tf.ragged` and `tf.strings.split`.
"""
