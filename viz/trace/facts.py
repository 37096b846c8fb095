"""What the op of a node is like: the facts that stand beside its declaration.

An op of another program is taken for the op of minitape that computes the same; of one that has
none, nothing is said.
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
    "mul": "multiply", "sub": "subtract", "div": "divide", "truediv": "divide",
    "true_divide": "divide", "real_divide": "divide", "neg": "negative", "power": "pow",
    "integer_pow": "pow", "abs": "absolute", "sum": "reduce_sum", "mean": "reduce_mean",
    "amax": "reduce_max", "amin": "reduce_min", "prod": "reduce_prod", "var": "reduce_variance",
    "variance": "reduce_variance", "std": "reduce_std", "logistic": "sigmoid", "round": "rint",
    "clamp": "clip_by_value", "clip": "clip_by_value", "where": "select", "select_n": "select",
    "mm": "matmul", "bmm": "matmul", "batch_matmul": "matmul", "dot": "matmul",
    "dot_general": "einsum", "tensordot": "einsum", "conv_general_dilated": "convolution",
    "max_pool2d_with_indices": "max_pool", "reduce_window_max": "max_pool",
    "avg_pool2d": "avg_pool", "squeeze": "reshape", "unsqueeze": "reshape",
    "expand_dims": "reshape", "view": "reshape", "flatten": "reshape", "permute": "transpose",
    "t": "transpose", "expand": "broadcast_to", "broadcast_in_dim": "broadcast_to",
    "slice": "getitem", "strided_slice": "getitem", "cat": "concat", "concatenate": "concat",
    "convert_element_type": "cast", "flip": "reverse", "bias_add": "add",
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
    name = node.op or ""
    load_rest()
    name = BY_NUMBER.get((name, len(node.inputs)), name)
    found = registry.get(name) or registry.get(FOREIGN.get(name) or _by_type().get(name, ""))
    return found.op if found is not None else None


def facts_of(node: Node) -> Facts:
    """What is said of the op of a node.

    Example:
        >>> facts_of(Node(1, "op", (0,), "float32", (2,), op="relu")).gate
        'off'
    """
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
