"""What is known of a gradient that is None or zero: the evidence, and the causes it speaks for.

`dataflow` collects what is known of values, `departures` where they left for NumPy or a variable,
`paths` what contributes (`summed`, for a player); `causes` names each cause (`swapped` one of
them), `zero` those of a zero, `ties` what is shared, `answer` chooses among them, `corrections`
writes the corrected line, `suggested` changed rows, `broken` draws the break. `cause` is one answer
as data.
"""
