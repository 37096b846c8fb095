"""Training as a film: some steps of a loop, each with its tape, under one curve of the loss.

Read `shots` (what is kept of a step, and which steps are), `run` (what is kept of a loop), `film`
(recording one), `stage` and `boundary` (the pictures), `page` (both as HTML, with `film.js`).
A script's loops become films where scripts are recorded.
"""
