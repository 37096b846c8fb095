"""Names: where public names, modules and name scopes are found.

`registry` holds the tables that declarations fill, `namespaces` makes `tf.math` and its like of
them, `loading` brings the modules when a name is first missing. `scopes` is what programs call
the parts of a computation.
"""
