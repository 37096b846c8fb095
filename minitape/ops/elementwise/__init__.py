"""Ops on each element by itself: the operators, powers, exponentials, activations.

`arithmetic` is the place to see how an op is declared; the others are the same with other
formulas.
"""
