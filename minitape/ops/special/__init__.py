"""Special functions: gamma, error and Bessel functions.

`approximation` has what they share; each other module is one family, with the sources of its
formulas.
"""
