"""What is suspicious about a gradient, found in one call of a tape.

`case` is the call, with `places` where in the file an op ran; `examine` asks each kind:
`missing` (None) with `paths_lost`, `beside`, `copies`, `forgotten` (variables that are not used)
and `meant` (Nones that a program means), `partly` (a part that is lost),
`births` (NaN, infinities) with `broken_data` and `diverging`, `vanishing` (zero) with `flat`,
`cancelled` and `underflow`, `meetings` (shapes), `customs` and `digits` (wrong gradients).
`finding` is the result as plain data. Who looks at a program while it runs is in `viz.examining`.
"""
