"""Graphs: programs that are written down first and run later.

`symbolic` and `nodes` are what a graph is made of, `graph` the interpreter that writes ops down,
`results` what they will give (shapes and dtypes by `inference`, open sizes in `sizes`), `running`
how it computes on arrays (what it need not do is in `simplifying`, what it does in one step in
`joining`, loops are in `rounds`, sizes that come often in `exact`), `replaying` on tensors. On that
stand `function` and `decorator` (`tf.function`, with `methods`, `signatures`, `traces`, `closures`,
`effects`, and `boundary` and `ties` for what its gradients depend on), `static_gradients`
(`tf.gradients`, whose order is in `schedule`), and the old style: `sessions`, `compat_scopes`,
`registration`. `tensor_spec` describes a tensor that does not exist yet, `abstract` what a function
would give for one.
"""
