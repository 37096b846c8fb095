"""A learner's source as text that is changed by positions, and what is NumPy's in TensorFlow.

`source` is the text with its tree; `translate` rewrites what leaves for NumPy or Python, with the
names of `tables`. `viz.why` advises with it, `viz.mending` tries what it gives.
"""
