"""What a player says of each step, as plain data with every text written.

Read in this order: `parts` is what a scene consists of, `naming` what nodes are called, `again`
computes one op anew, `meeting` says which elements meet in an element, `claims` are the equations,
`working` finds that of a step, `rules` has slopes in symbols, `sentences` the words, `pictures`
what is drawn beside them, `steps` makes scenes of a trace. `summary` is the last page, `text`
writes all of it for a terminal, `schema` is the form as JSON.
"""
