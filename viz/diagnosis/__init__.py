"""Diagnoses: what is wrong with a gradient, why, and what to write instead.

Read `evidence` (what ran, in words that no framework owns), `diagnosis` (the record, the registry)
and one module of `kinds/` (a kind of mistake: how it is recognised, its sentence, when it is meant,
its correction, its example). `sources/` fill the evidence, one module a framework; `corrections/`
change texts; `trial/` runs them; `views/` shows what came of it.
"""
