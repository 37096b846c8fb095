"""Graphs: programs that are written down first and run later.

Read first what a graph is: `nodes` (the data), `symbolic` (the tensors), `graph` (the interpreter
that writes ops down) and `results` (what an op will give: shapes and dtypes by `inference`, open
sizes in `sizes`). Then how it computes: `running` on arrays, after `simplifying` (what need not be
done) and `joining` (what is done in one step), with `rounds` for loops, `exact` for sizes that come
often and `brought` for those that results bring; `replaying` on tensors. Then `tf.function`:
`function` (when the Python is traced), `traces` (how a trace answers a call), `signatures`,
`closures`, `methods`, `decorator`, `notices`; `effects` for what must happen once, and `ties` and
`boundary` for which gradients are 0 and not None. `static_gradients` is `tf.gradients`, whose order
is in `schedule`. The old style is in `sessions`, `compat_scopes` and `registration`. `tensor_spec`
describes a tensor that does not exist yet, `abstract` what a function would give for one.
"""
