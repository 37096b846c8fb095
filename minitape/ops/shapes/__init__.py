"""Shapes and new tensors, as users ask for them.

`creation` makes constants and sequences, `shaping` has `reshape`, `transpose` and their like (the
primitives are in `ops/broadcasting`), `sizes` tells shape, size and rank.
"""
