"""What ran, as each framework tells it, and where.

`pytorch` and `jax` listen while a script runs and fill an `Evidence`; `places` finds the learner's
expression that is running. Of the engine a tape and a journal are known: `dataflow` has how values
came about, `question` what is asked of one gradient and the sweep that answers it, `case` all that
is around a call, `written` what stands at a place.
"""
