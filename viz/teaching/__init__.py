"""A lecturer's own course: one folder with notebooks becomes pages, a site, packages and exams.

`folder` reads it, `running` runs its notebooks in a copy, `making` replaces what was made before
whole or not at all; `pages`, `site` and `variants` (with `sheets`) make things of it, `checking`
finds what a class would stumble over, `new` writes a small course to begin with.
"""
