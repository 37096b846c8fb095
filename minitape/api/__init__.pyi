"""The namespaces: `tf.math`, `tf.nn`, ...

Written by `python tests/stubs.py`; not to be edited.
"""
