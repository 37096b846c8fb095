"""Why is this gradient None, or zero? `viz.explain`.

`explanation` is what users call, `explained` what they get, `connected` a gradient that is there
(`again`, where its tape is used up). `dataflow` collects what is known of values, `departures`
where they left for NumPy or a variable, `paths` what contributes; `causes` names each cause
(`swapped` one of them), `zero` those of a zero, `ties` what is shared, `answer` chooses among them,
`corrections` writes the corrected line, `broken` draws the break (`joined` puts it into a player).
`cause` is one answer as data; `reasons` puts them into the steps of a player.
"""
