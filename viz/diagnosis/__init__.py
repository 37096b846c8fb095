"""Diagnoses: what is wrong with a gradient, why, and what to write instead.

Read `evidence` (what ran, in words that no framework owns), `diagnosis` (the record, the registry)
and one module of `kinds/` (a kind of mistake: how it is recognised, its sentence, when it is meant,
its correction, its example). `sources/` say what ran, each in its framework; `kinds/engine/` look
at scripts of the engine's own, whose record is a `finding`. `corrections/` change texts (a
`source_text`); `examiner` is open while a script or a cell runs; `trial/` runs what was changed;
`views/` shows what came of it, and `pictures` draws it.
"""
