"""`viz.jacobian`: the matrix of all derivatives, and the passes that make it.

`view` is what users call, `structure` the numbers and which zeros are structural, `passes` a
sweep per row and a push per column, `picture` how it is drawn.
"""
