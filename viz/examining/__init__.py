"""How a program is looked at while it runs, in a notebook or in a process of its own.

`examiner` looks at every call of a tape and asks `viz.findings` about it; `pictures` draws it.
`process` runs a script, or a changed text of it; `child` is that process, under a `guard`; `errors`
are scripts that raise. `glance` is what a later call of a known place gets.
"""
