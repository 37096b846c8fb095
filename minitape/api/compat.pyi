"""The public names of `tf.compat`.

Written by `python tests/stubs.py`; not to be edited.
"""

from minitape.api import compat_v1 as _v1
v1 = _v1
