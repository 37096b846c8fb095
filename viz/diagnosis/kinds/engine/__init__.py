"""The kinds of mistakes in scripts of the engine's own, found in what a tape and a journal know.

`examine` asks them in their order. `no_gradient` says why one is None: `answer` chooses among the
causes (`causes`, `departures`, `keywords`, `beside`). `bad_number` says where a NaN
came from, `zero_gradient` where a zero.
"""
