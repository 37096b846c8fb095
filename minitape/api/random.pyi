"""The public names of `tf.random`.

Written by `python tests/stubs.py`; not to be edited.
"""

from minitape.ops.random.choices import categorical as categorical
from minitape.ops.random.choices import shuffle as shuffle
from minitape.ops.random.random_functions import Generator as Generator
from minitape.ops.random.random_functions import gamma as gamma
from minitape.ops.random.random_functions import normal as normal
from minitape.ops.random.random_functions import poisson as poisson
from minitape.ops.random.random_functions import stateless_normal as stateless_normal
from minitape.ops.random.random_functions import stateless_truncated_normal as stateless_truncated_normal
from minitape.ops.random.random_functions import stateless_uniform as stateless_uniform
from minitape.ops.random.random_functions import truncated_normal as truncated_normal
from minitape.ops.random.random_functions import uniform as uniform
from minitape.ops.random.randomness import set_seed as set_seed
