"""From a program to a trace: what ran, where, with which values, and what the sweep did.

`journal` is open while a program runs and notes what no tape keeps. `build` makes the trace of one
backward pass: `recorded` gives its nodes, `steps` its steps, `formulas` (with `formula` and
`notation`) what stands on them; `tangents` does the same for a pass of forward mode.
`lines` and `names` say which line ran and what the learner calls things;
`ops` and `tapes` read single records and tapes; `kept` counts bytes.
"""
