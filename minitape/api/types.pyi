"""The public names of `tf.types`.

Written by `python tests/stubs.py`; not to be edited.
"""
