"""`viz.explain`: why is this gradient None, or zero? The answer in sentences, with its picture.

`explanation` is what users call, `explained` what they get, `connected` a gradient that is there
(`again`, where its tape is used up). `reasons` puts answers into the steps of a player, `joined`
into its graph. `check` lists all that is suspicious on a tape, and `mends` tries corrections of it.
What is found out, and how, stands in `viz.why`; what is tried, in `viz.mending`.
"""
