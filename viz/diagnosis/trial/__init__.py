"""Runs scripts and candidates, and judges what comes out.

`child` is the process that runs a script and looks at it, under the guard of `examining`; `trial`
compares the run of a candidate with the first run, and says which corrections hold.
"""
