"""Ops that move elements and compute nothing: indexing, gathering, joining, padding, sorting.

`slicing` is the primitive behind `x[...]`, `indexing` what users write, `unknown_indices` what is
between bounds that only a run of a graph knows. `gathering` and `scattering` are
each other's transposes, and `IndexedSlices` is the sparse gradient of a gather.
`joining` and `copying`, `padding` and `blocks`, `sorting` and `searching` follow the names of the
functions that users call.
"""
