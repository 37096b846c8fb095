"""The public names of `tf.version`.

Written by `python tests/stubs.py`; not to be edited.
"""

MINITAPE: str
VERSION: str
