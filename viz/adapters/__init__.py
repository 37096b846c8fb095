"""Other programs' tapes in the player: a learner's engine, PyTorch, JAX, TensorFlow.

Each adapter is one module, `own`, `torch`, `jax` or `tensorflow`, and is loaded only when it is
imported, with the framework that it is for. `writer` puts nodes and steps in the documented order,
`namesakes` gives an op the formula of minitape's op of the same meaning.
"""
