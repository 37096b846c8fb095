"""Linear algebra: products, equations, decompositions.

`matrix` (products and transposes) and `einsum` come first. `solve`, `factors`, `spectral` and
`logarithm` have the ops with their rules, on what `symmetric`, `common` and `shapes` lend them;
`functions`, `least_squares`, `decompositions` and `lu` are what users call. `bands`, `diagonal`
and `tridiagonal` are about matrices of which most is zero.
"""
