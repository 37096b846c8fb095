"""The public names of `tf.sets`.

Written by `python tests/stubs.py`; not to be edited.
"""
