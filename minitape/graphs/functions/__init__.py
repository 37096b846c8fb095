"""`tf.function`: how Python becomes a graph, and how a call runs it.

Start with `function`: when the Python is traced, and what is done where it cannot be. `signatures`
has what decides which trace answers a call, `traces` how a trace does that, and `closures` what
traced Python uses without taking it as an argument. `zeros` says which gradients are 0 and not
None, behind a call, a branch or a loop.
"""
