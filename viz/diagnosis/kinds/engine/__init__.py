"""The kinds of mistakes in scripts of the engine's own, found in what a tape and a journal know.

`examine` has their order. `answer` chooses among the causes of a None (`causes`, `departures`,
`keywords`, `beside`, `paths_lost`); `births` says where a NaN came from, `vanishing` where a zero.
"""
