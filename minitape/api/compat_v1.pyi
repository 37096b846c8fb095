"""The public names of `tf.compat.v1`.

Written by `python tests/stubs.py`; not to be edited.
"""

from minitape.api import compat_v1_logging as _logging
logging = _logging
from minitape.api import compat_v1_nn as _nn
nn = _nn
from minitape.api.operations import assign as assign
from minitape.api.operations import assign_add as assign_add
from minitape.api.operations import assign_sub as assign_sub
from minitape.checks.configuration import enable_eager_execution as _enable_v2_behavior
enable_v2_behavior = _enable_v2_behavior
from minitape.checks.configuration import enable_eager_execution as enable_eager_execution
from minitape.graphs.compat_scopes import get_default_graph as get_default_graph
from minitape.graphs.compat_scopes import global_variables_initializer as global_variables_initializer
from minitape.graphs.compat_scopes import name_scope as name_scope
from minitape.graphs.graph import Graph as Graph
from minitape.graphs.sessions import Session as Session
from minitape.graphs.sessions import placeholder as placeholder
from minitape.graphs.static_gradients import gradients as gradients
from minitape.graphs.static_gradients import hessians as hessians
from minitape.ops.neural.clipping import clip_by_average_norm as clip_by_average_norm
from minitape.variable import ResourceVariable as _Variable
Variable = _Variable
