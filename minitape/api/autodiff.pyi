"""The public names of `tf.autodiff`.

Written by `python tests/stubs.py`; not to be edited.
"""

from minitape.forward_mode.accumulator import ForwardAccumulator as ForwardAccumulator
from minitape.functional import gradients_function as gradients_function
from minitape.functional import implicit_grad as implicit_grad
from minitape.functional import implicit_val_and_grad as implicit_val_and_grad
from minitape.functional import make_vjp as make_vjp
from minitape.functional import val_and_grad_function as val_and_grad_function
