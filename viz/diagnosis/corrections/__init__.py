"""Changed texts: functions from a source and a diagnosis to candidates, which `trial` runs.

`edits` are small edits that several kinds need, `pytorch` keeps a value in tensors, `identities`
are pairs of equal functions, and `modules` lets modules and optimizers know all parameters.
"""
