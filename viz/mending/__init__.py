"""Corrections of a learner's source, tried before they are shown.

`of_pairs` writes equal functions; `of_none` (with `of_jumps`, `of_state`, `of_names`), `of_numbers`
(with `of_data`), `of_zeros`, `of_shapes` and `of_rules` make texts to try for each kind; `blocks`
moves lines, and `viz.rewriting` edits them. `viz.examining.process` runs a text, `trial` and
`sound` judge what came of it, `report` puts it together, `command` and `page` write it; `cells` is
for notebooks. `attempts` says what was tried where nothing works, and which lines a correction
changes.
"""
