"""What the op of a node is like: the facts that stand beside its declaration.

An op of another program is taken for the op of minitape that computes the same; of one that has
none, nothing is said. An op of your own brings its facts along in the node, so that a saved trace
has them where nobody has declared the op.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from minitape.facts import NOTHING, Facts
from minitape.names.namespaces import load_rest
from minitape.names.registry import registry

from .parts import Node

if TYPE_CHECKING:
    from minitape.op import Op, Primitive

# Names in PyTorch, JAX and NumPy; those of TensorFlow's graphs stand with the ops themselves.
FOREIGN = {
    "add_any": "add", "mul": "multiply", "sub": "subtract", "div": "divide", "truediv": "divide",
    "rdiv": "divide", "true_divide": "divide", "real_divide": "divide", "floor_divide": "floordiv",
    "neg": "negative", "power": "pow", "integer_pow": "pow", "float_power": "pow",
    "abs": "absolute", "fabs": "absolute", "sgn": "sign", "round": "rint",
    "gt": "greater", "lt": "less", "ge": "greater_equal", "le": "less_equal", "eq": "equal",
    "ne": "not_equal", "arctan": "atan", "arcsin": "asin", "arccos": "acos", "arctan2": "atan2",
    "arctanh": "atanh", "arcsinh": "asinh", "arccosh": "acosh", "sum": "reduce_sum",
    "mean": "reduce_mean", "amax": "reduce_max", "amin": "reduce_min", "prod": "reduce_prod",
    "var": "reduce_variance", "variance": "reduce_variance", "std": "reduce_std",
    "any": "reduce_any", "all": "reduce_all", "logsumexp": "reduce_logsumexp",
    "logistic": "sigmoid", "expit": "sigmoid", "special_expit": "sigmoid",
    "clamp": "clip_by_value", "clip": "clip_by_value", "hardtanh": "clip_by_value",
    "clamp_min": "maximum", "clamp_max": "minimum", "where": "select", "select_n": "select",
    "mm": "matmul", "bmm": "matmul", "batch_matmul": "matmul", "dot": "matmul", "mv": "matvec",
    "dot_general": "einsum", "tensordot": "einsum", "conv_general_dilated": "convolution",
    "max_pool2d_with_indices": "max_pool", "reduce_window_max": "max_pool",
    "avg_pool2d": "avg_pool", "squeeze": "reshape", "unsqueeze": "reshape",
    "expand_dims": "reshape", "view": "reshape", "view_as": "reshape", "reshape_as": "reshape",
    "flatten": "reshape", "unflatten": "reshape", "ravel": "reshape", "permute": "transpose",
    "t": "transpose", "T": "transpose", "mT": "transpose", "expand": "broadcast_to",
    "broadcast_in_dim": "broadcast_to", "slice": "getitem", "strided_slice": "getitem",
    "cat": "concat", "concatenate": "concat", "convert_element_type": "cast", "to": "cast",
    "type": "cast", "float": "cast", "double": "cast", "half": "cast", "bfloat16": "cast",
    "long": "cast", "int": "cast", "short": "cast", "byte": "cast", "char": "cast", "bool": "cast",
    "flip": "reverse", "bias_add": "add", "logsoftmax": "log_softmax",
    "detach": "stop_gradient", "lax_stop_gradient": "stop_gradient",
}  # fmt: skip
# One name for two ops, which differ by the number of their inputs.
BY_NUMBER = {
    ("max", 1): "reduce_max", ("min", 1): "reduce_min", ("max", 2): "maximum",
    ("min", 2): "minimum", ("select", 1): "getitem",
}  # fmt: skip
SATURATED = "it is saturated, so far from 0 that the curve is flat for these numbers"


def op_of(node: Node) -> Op | None:
    """The op of minitape that made a node, or computes the same; None where there is none.

    Example:
        >>> x, y = (Node(i, "source", (), "float32", (2,)) for i in (0, 1))
        >>> [op_of(Node(2, "op", (0, 1), "float32", (2,), op=op)).name for op in ("sub", "max")]
        ['subtract', 'maximum']
    """
    if node.facts is not None:
        return declared(node)
    found = primitive_called(node.op or "", len(node.inputs))
    return found.op if found is not None else None


def declared(node: Node) -> Op | None:
    """The op that is declared under the very name that the op of a node has."""
    load_rest()
    found: Primitive | None = registry.get(node.op or "")
    # Of an op of your own, one of minitape's that happens to have its name says nothing.
    if found is None or (node.facts is not None and found.op.ours):
        return None
    return found.op


def primitive_called(name: str, inputs: int) -> Primitive | None:
    """The op that any of the frameworks calls so, with this number of inputs.

    Example:
        >>> primitive_called("ReLU".lower(), 1).op.name, primitive_called("amax", 1).op.name
        ('relu', 'reduce_max')
    """
    load_rest()
    name = BY_NUMBER.get((name, inputs), name)
    return registry.get(name) or registry.get(FOREIGN.get(name) or _by_type().get(name, ""))


def facts_of(node: Node) -> Facts:
    """What is said of the op of a node.

    Example:
        >>> facts_of(Node(1, "op", (0,), "float32", (2,), op="relu")).gate
        'off'
    """
    if node.facts is not None:
        return node.facts
    op = op_of(node)
    return NOTHING if op is None else op.facts


def is_one_of(node: Node, *ops: Primitive) -> bool:
    """Whether the op of a node is one of these, under whatever name.

    Example:
        >>> from minitape.ops.elementwise.arithmetic import multiply
        >>> is_one_of(Node(2, "op", (0, 1), "float32", (), op="mul"), multiply)
        True
    """
    made_by = op_of(node)
    return any(made_by is each.op for each in ops)


def why_zero_at(facts: Facts) -> str:
    """Why an op passes nothing on at elements where its slope is 0, "" where nothing is said.

    Example:
        >>> why_zero_at(Facts(unpicked="never picked"))
        'these elements were never picked'
    """
    if facts.flat or not facts.unpicked:
        return facts.flat or (SATURATED if facts.fault == "saturated" else "")
    return f"these elements were {facts.unpicked}"


@cache
def _by_type() -> Mapping[str, str]:
    """The ops by what TensorFlow calls them in graphs: public ones before those of rules."""
    ops = sorted((each.op for each in registry.values()), key=lambda op: bool(op.exported))
    return {op.type_name: op.name for op in ops}
