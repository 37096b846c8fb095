"""Reductions: sums, means, extremes, norms, over axes, segments or bins.

`reduction` first, for `reduce_sum` and its rule; then `extremes` for ties, `statistics` and
`norms` for what is composed, `segment` with its `segment_functions` for rows in groups,
`cumulative`, `counting` and `sums`.
"""
