"""A step as a sheet: what its scene says, laid out at its final size.

Read in this order: `blocks` (lines of text and what stands below each other), `equations`,
`matrices` (the row of arrays), `pictures` (curves, contributions, probabilities), `graph`, and
`sheets`, which puts all of it on a page.
"""
