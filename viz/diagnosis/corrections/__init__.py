"""Changed texts: functions from a source and a diagnosis to candidates, which are tried.

`engine_trial` and `frameworks` run them. `pairs` are equal functions, in the names of any
framework. Of PyTorch and JAX: `edits` are small edits that several kinds need, `pytorch` keeps a
value in tensors, `identities` makes what is not finite finite, and `modules` lets modules and
optimizers know all parameters. Of scripts of the engine's own: `none_gradients`, `numbers`, `zeros`
and `rules` have the candidates of one symptom each, from the parts beside them; `candidate` finds
the call and its names, `translate` writes NumPy with tensors, `lines` corrects a line that is only
quoted.
"""
