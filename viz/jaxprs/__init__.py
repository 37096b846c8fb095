"""What JAX is asked for, and its equations, read in one place: to be played, or to be looked at.

`asked` hears `grad` and its relatives, `equations` reads an equation of a jaxpr.
"""
