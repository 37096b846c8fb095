"""The public names of `tf.raw_ops`.

Written by `python tests/stubs.py`; not to be edited.
"""
