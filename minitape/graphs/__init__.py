"""Graphs: programs that are written down first and run later, in three rooms.

This folder is the graph. Read `nodes` (the data), `symbolic` (the tensors), `graph` (the
interpreter that writes ops down) and `results` (what an op will give: shapes and dtypes by
`inference`, open sizes in `sizes`); then how it computes: `running` on arrays, `replaying` on
tensors, with `effects` for what must happen once. `static_gradients` is `tf.gradients`, whose order
is in `schedule`. The old style is in `sessions`, `compat_scopes` and `registration`. `tensor_spec`
describes a tensor that does not exist yet, `abstract` what a function would give for one.

`functions` is `tf.function`: how Python becomes a graph, and which gradients are 0 and not None.
`compiled` is everything that only saves time. It may be left out, as `compiling` does, the one
module that knows it.
"""
