"""What JAX is asked for, and its equations, read in one place: to be played, or to be looked at.

`asked` hears `grad` and its relatives, `walk` evaluates a jaxpr, `equations` reads one of its
equations.
"""
