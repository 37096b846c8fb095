"""Graphs: programs that are written down first and run later.

`symbolic` and `nodes` are what a graph is made of, `graph` the interpreter that writes ops down,
`inference` how it knows shapes and dtypes, `running` how it computes. On that stand `function`
(`tf.function`, with `signatures`, `traces`, `closures`, `effects` and `ties`), `static_gradients`
(`tf.gradients`, whose order is in `schedule`), and the old style: `sessions`, `compat_scopes`,
`registration`. `tensor_spec` describes a tensor that does not exist yet.
"""
