"""From a program to a trace: what ran, where, with which values, and what the sweep did.

`journal` is open while a program runs and notes what no tape keeps. `build` makes the trace:
`recorded` gives its nodes, `steps` its steps, `formulas` (with `formula` and `notation`) what
stands on them, `nesting` which ops belong together, `reasons` why a source has no gradient.
`lines` and `names` say which line ran and what the learner calls things; `script` records a whole
program; `holdings` counts bytes.
"""
