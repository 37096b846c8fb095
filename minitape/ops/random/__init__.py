"""Random tensors.

`randomness` has the drawing ops over NumPy's generators, `random_functions` and `choices`
what users call.
"""
