"""What is suspicious about a gradient, found while a program runs.

`examiner` looks at every call of a tape; `case` is one such call, `examine` asks each kind:
`missing` (None) with `paths_lost`, `beside`, `copies` and `meant` (Nones that a program means),
`partly` (a part that is lost),
`births` (NaN, infinities) with `broken_data` and `diverging`, `vanishing` (zero) with `flat`,
`cancelled` and `underflow`, `meetings` (shapes), `customs` (wrong gradients). `places` knows where
in the file an op ran, `finding` is the result as plain data, and `check` lists it in notebooks.
`child` is the process in which a script is looked at, under a `guard`; `errors` are scripts that
raise.
"""
