"""Why is this gradient None, or zero? `viz.explain`.

`explanation` is what users call. `dataflow` collects what is known of values, `departures` where
they left for NumPy or a variable, `paths` what contributes; `causes` names each cause, `zero`
those of a zero, `answer` chooses among them, `corrections` writes the corrected line, `broken`
draws the break. `cause` is one answer as data; `reasons` puts them into the steps of a player.
"""
