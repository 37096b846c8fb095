"""The public names of `tf.signal`.

Written by `python tests/stubs.py`; not to be edited.
"""
