"""Changed texts: functions from a source and a diagnosis to candidates, which `trial` runs.

`edits` are small edits that several kinds need, `pytorch` keeps a value in tensors, `identities`
are pairs of equal functions, and `modules` lets modules and optimizers know all parameters. Of
scripts of the engine's own: `none_gradients`, `numbers`, `zeros`, `shapes` and `rules` have the
candidates of one symptom each, from the parts beside them; `candidate` finds the call and its
names, `translate` writes NumPy with tensors, `lines` corrects a line that is only quoted.
"""
