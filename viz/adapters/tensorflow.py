"""A TensorFlow function's backward pass in the player, op by op in TensorFlow itself.

    from minitape.viz.adapters import tensorflow as tensorflow_player
    tensorflow_player.step(loss, w, b)

A `tf.GradientTape` of TensorFlow has no public way to ask what it recorded. So the function is
traced (`tf.function`), and each op of its graph runs eagerly (`tf.raw_ops`) under a tape of its
own, which is then asked for that op's rule alone. Control flow stays inside of TensorFlow's own ops
and is refused with words.

Of a convolution TensorFlow says SAME or VALID; how many zeros stand before an image follows from
the shapes.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import ops as tf_ops

from ..player.notebook import Player
from ..record.lines import is_ours, line_of
from ..trace.attributes import attributes_of
from ..trace.pictured import Pictures
from ..trace.trace import Line, Producer
from .formulas import OWN
from .tensorflow_names import PASSED_ON, call_of, short_name
from .writer import Writer

ROLES = {
    "Conv2D": ("image", "kernel", "map"),
    "Conv3D": ("image", "kernel", "map"),
    "DepthwiseConv2dNative": ("image", "kernel", "map"),
    "Conv2DBackpropInput": ("", "kernel", "map", "image"),  # the first input is a size
    "Conv3DBackpropInputV2": ("", "kernel", "map", "image"),
    "DepthwiseConv2dNativeBackpropInput": ("", "kernel", "map", "image"),
}


def windows(op: Any, tensors: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """The roles, and for each axis stride, zeros before and dilation; nothing of other ops.

    Args:
        op: the op of a graph.
        tensors: its inputs and its result.
    """
    roles = ROLES.get(op.type)
    if roles is None or not op.get_attr("data_format").endswith(b"C"):
        return
    shapes = {role: tuple(x.shape) for role, x in zip(roles, tensors, strict=True)}
    strides, dilations = op.get_attr("strides")[1:-1], op.get_attr("dilations")[1:-1]
    axes = list(zip(strides, _before(op, shapes, strides, dilations), dilations, strict=True))
    yield "roles", roles
    yield "windows", axes


def _before(
    op: Any, shapes: dict[str, Any], strides: Sequence[int], dilations: Sequence[int]
) -> list[int]:
    """The zeros before the image, for each axis."""
    padding = op.get_attr("padding")
    if padding == b"EXPLICIT":
        return list(op.get_attr("explicit_paddings")[2:-2:2])
    if padding == b"VALID":
        return [0] * len(strides)
    image, kernel, maps = shapes["image"][1:-1], shapes["kernel"][:-2], shapes["map"][1:-1]
    sizes = zip(image, kernel, maps, strides, dilations, strict=True)
    return [max((o - 1) * s + (k - 1) * d + 1 - n, 0) // 2 for n, k, o, s, d in sizes]


PRODUCER = Producer("tensorflow", tf.__version__)
PACKAGES = os.path.dirname(os.path.dirname(tf.__file__))
# How Python calls it, where a tensor has no number.
NUMBERS = ("__float__", "__int__", "__complex__", "float()", "int()", "complex()")
ASKED = (
    " The function takes numbers out of tensors, by float(), int() or a Python `if`: they are "
    "constants for the tape, which no gradient passes. Here they are traced, as casts, and one "
    "passes. Leave float() out, or write tf.stop_gradient(x) where none is wanted."
)
FOLDERS = tuple(os.path.join(PACKAGES, name) + os.sep for name in ("tensorflow", "keras"))


class Ran(NamedTuple):
    """One op as it ran: its nodes, and TensorFlow's function for the way back."""

    op: Any
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    pull: Callable[[list[Any]], list[Any]]


def step(
    function: Callable[..., Any], *arguments: Any, variables: Sequence[Any] = (), title: str = ""
) -> Player:
    """The step player of a function of TensorFlow and its gradient for arguments and variables.

    Args:
        function: takes tensors and gives a tensor, or a structure of them, which are added up.
        arguments: tensors, variables or arrays.
        variables: those that the function uses by itself and that are to be differentiated, such as
            `model.trainable_variables`; others are constants.
        title: a heading for the page.

    Returns:
        A player, whose gradients are compared with those of one `tf.GradientTape` around the whole
        function; a note says whether they agree.

    Raises:
        NotImplementedError: the function has control flow of TensorFlow's (`tf.cond`,
            `tf.while_loop`, a loop over a tensor), or an op without a raw form.
    """
    tensors = [tf.convert_to_tensor(each) for each in arguments]
    concrete, asked = _traced(function, tensors)
    run = _Run(_pictures(concrete.graph))
    names = list(inspect.signature(function).parameters)
    names += [f"argument {i}" for i in range(len(names), len(tensors))]
    sources = [run.leaf(x, name) for x, name in zip(tensors, names, strict=False)]
    for place, x, node in zip(concrete.inputs, tensors, sources, strict=False):
        run.known[place.name] = (x, node)
    called = [getattr(each, "path", each.name.split(":")[0]) for each in variables]
    variables = [_unwrapped(each) for each in variables]
    sources += run.captured(concrete, len(tensors), variables, called)
    for op in concrete.graph.get_operations():
        run.op(op)
    targets = [run.known[each.name] for each in concrete.outputs]
    run.back(targets)
    with tf.GradientTape() as tape:
        tape.watch([*tensors, *variables])
        whole = function(*tensors)
    own = tape.gradient(whole, [*tensors, *variables])
    found = [run.writer.cotangents.get(each) for each in sources]
    notes = (run.drawn or _comparison(found, own, asked),)
    nodes = [node for _, node in targets]
    return Player(run.writer.trace(nodes, sources, PRODUCER, title=title, notes=notes))


def _traced(function: Callable[..., Any], tensors: Sequence[Any]) -> Any:
    """The function's graph, with the functions that it calls (`tf.function`) inside of it.

    And whether the function asks a tensor for its numbers, which AutoGraph makes ops of.
    """
    before = tf.config.functions_run_eagerly()
    tf.config.run_functions_eagerly(True)
    try:
        try:
            plain = tf.function(function, autograph=False)
            return plain.get_concrete_function(*tensors), False
        except (TypeError, AttributeError, NotImplementedError) as refused:
            is_number = isinstance(refused, tf.errors.OperatorNotAllowedInGraphError)
            asked = is_number or any(name in str(refused) for name in NUMBERS)
            return tf.function(function).get_concrete_function(*tensors), asked
    finally:
        tf.config.run_functions_eagerly(before)


def _pictures(graph: Any) -> Pictures:
    """Which arrays are images and kernels, from the ops of a graph that have channels last."""
    found = Pictures()
    for op in graph.get_operations():
        layout = op.node_def.attr["data_format"].s if "data_format" in op.node_def.attr else b""
        if not layout.startswith(b"NC"):
            found.learn(op.type, [tuple(x.shape) for x in op.inputs if x.shape.rank is not None])
    return found


def _comparison(found: Sequence[Any], own: Sequence[Any], asked: bool) -> str:
    for mine, theirs in zip(found, own, strict=True):
        if theirs is None and mine is None:
            continue
        dense = np.zeros(()) if theirs is None else tf.convert_to_tensor(theirs).numpy()
        if not np.allclose(0.0 if mine is None else mine, dense, rtol=1e-4, atol=1e-6):
            return "Differs from the gradient of one tf.GradientTape around the whole function." + (
                ASKED if asked else ""
            )
    return "The gradients are those of one tf.GradientTape around the whole function."


class _Run:
    """Runs the ops of a graph one by one into a trace."""

    def __init__(self, pictures: Pictures) -> None:
        self.writer, self.ran = Writer(pictures), list[Ran]()
        self.known: dict[str, tuple[Any, int]] = {}
        self.drawn = ""

    def captured(
        self, concrete: Any, first: int, variables: Sequence[Any], called: Sequence[str]
    ) -> list[int]:
        """What the function uses by itself; the nodes of `variables`."""
        places: dict[int, int] = {}
        for place, taken in zip(concrete.inputs[first:], concrete.captured_inputs, strict=True):
            of = next((v for v in concrete.variables if v.handle is taken), None)
            x = tf.convert_to_tensor(taken if of is None else of.read_value())
            which = [i for i, each in enumerate(variables) if each.handle is taken]
            node = self.leaf(x, called[which[0]]) if which else self.constant(x)
            places |= dict.fromkeys(which, node)
            self.known[place.name] = (x, node)
        unused = [i for i in range(len(variables)) if i not in places]
        places |= {i: self.leaf(variables[i].read_value(), called[i]) for i in unused}
        return [places[i] for i in range(len(variables))]

    def leaf(self, x: Any, name: str) -> int:
        """An argument."""
        kind = x.dtype.is_floating or x.dtype.is_complex
        return self.writer.leaf(_numpy(x), name=name, watched=kind, dtype=x.dtype.name)

    def constant(self, x: Any) -> int:
        """A constant of the program."""
        return self.writer.leaf(_numpy(x), "constant", dtype=x.dtype.name)

    def op(self, op: Any) -> None:
        """Run one op of the graph."""
        if op.type == "Placeholder" or not op.outputs:
            return  # without a result: a write into a variable, a print
        if op.type.startswith(("Random", "StatelessRandom", "TruncatedNormal")):
            self.drawn = "Not compared: the function draws random numbers, others in each run."
        if op.type == "Const":
            value = tf.constant(tf.make_ndarray(op.get_attr("value")))
            self.known[op.outputs[0].name] = (value, self.constant(value))
            return
        given = [self.known[x.name] for x in op.inputs]
        if op.type in PASSED_ON and not _has_own_rule(op):
            self.known[op.outputs[0].name] = given[0]
            return
        self._run(op, [x for x, _ in given], tuple(node for _, node in given))

    def _run(self, op: Any, inputs: list[Any], nodes: tuple[int, ...]) -> None:
        inputs = [tf.identity(x) for x in inputs]  # x * x: each position has a share of its own
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x for x in inputs if x.dtype.is_floating or x.dtype.is_complex])
            outputs = _again(op, inputs)

        def own(came: list[Any]) -> list[Any]:
            return self._own_rule(op, outputs, came)

        def pull(came: list[Any]) -> list[Any]:
            pairs = [(y, g) for y, g in zip(outputs, came, strict=True) if g is not None]
            seeds = [tf.constant(g, y.dtype) for y, g in pairs]
            shares = tape.gradient([y for y, _ in pairs], inputs, seeds)
            return [None if s is None else tf.convert_to_tensor(s).numpy() for s in shares]

        watched = any(self.writer.nodes[n].watched for n in nodes)
        call = call_of(op) if len(outputs) == 1 else None
        said = self.writer.formula(short_name(op), call, nodes, _numpy(outputs[0]))
        settings = [*_settings(op, inputs), *windows(op, [*inputs, outputs[0]])]
        said |= {"attributes": attributes_of(settings), "line": _line(op)}
        places = [
            self.writer.op(
                op.type, nodes, _numpy(y), output=i, record=len(self.ran), dtype=y.dtype.name,
                watched=watched and (y.dtype.is_floating or y.dtype.is_complex),
                scope=tuple(op.name.split("/")[:-1]), **said,
            )
            for i, y in enumerate(outputs)
        ]  # fmt: skip
        for place, y, node in zip(op.outputs, outputs, places, strict=True):
            self.known[place.name] = (y, node)
        self.ran.append(Ran(op, nodes, tuple(places), own if _has_own_rule(op) else pull))

    def _own_rule(self, op: Any, outputs: list[Any], came: list[Any]) -> list[Any]:
        """What the rule of a `tf.custom_gradient` gives: its ops join the graph, and are run."""
        before = len(op.graph.get_operations())
        pairs = list(zip(outputs, came, strict=True))
        given = [tf.zeros_like(y) if g is None else tf.constant(g, y.dtype) for y, g in pairs]
        with op.graph.as_default():
            arrive = [tf.raw_ops.Placeholder(dtype=y.dtype, shape=y.shape) for y in outputs]
            shares = tf_ops.get_gradient_function(op)(op, *arrive)
        known = {name: x for name, (x, _) in self.known.items()}
        known |= {place.name: g for place, g in zip(arrive, given, strict=True)}
        for each in op.graph.get_operations()[before:]:
            if each.type == "Const":
                known[each.outputs[0].name] = tf.constant(tf.make_ndarray(each.get_attr("value")))
            elif each.outputs and each.type != "Placeholder":
                results = _again(each, [known[x.name] for x in each.inputs])
                known |= {y.name: x for y, x in zip(each.outputs, results, strict=True)}
        return [None if s is None else _numpy(tf.convert_to_tensor(known[s.name])) for s in shares]

    def back(self, targets: Sequence[tuple[Any, int]]) -> None:
        """Pass the cotangents back through all ops, the last one first."""
        for target, node in targets:
            self.writer.seed(node, np.ones(target.shape, target.dtype.as_numpy_dtype))
        for ran in reversed(self.ran):
            came = [self.writer.cotangents.get(each) for each in ran.outputs]
            if any(g is not None for g in came):
                self._pulled(ran, came)

    def _pulled(self, ran: Ran, came: list[Any]) -> None:
        writer, node = self.writer, ran.outputs[0]
        shares = {
            position: share
            for position, (n, share) in enumerate(zip(ran.inputs, ran.pull(came), strict=True))
            if share is not None and writer.nodes[n].watched
        }
        call, name = call_of(ran.op), short_name(ran.op)
        name = OWN + name if _has_own_rule(ran.op) else name
        writer.pulls(ran.outputs, came, shares, call, lambda: writer.read_inputs(node), name)


def _line(op: Any) -> Line | None:
    """The learner's line that made an op: the innermost one outside of TensorFlow."""
    for filename, number, *_ in reversed(list(op.traceback)):
        if not (filename.startswith(FOLDERS) or is_ours(filename)):
            return line_of(filename, number)
    return None


def _settings(op: Any, inputs: list[Any]) -> Iterator[tuple[str, Any]]:
    """How an op was called: its attributes but for dtypes, and its inputs of integers (axes)."""
    for each in op.op_def.attr:
        if each.type not in ("type", "func", "list(type)"):
            yield each.name, op.get_attr(each.name)
            if each.name == "data_format" and op.get_attr("data_format") == b"NCHW":
                yield "layout", "NCHW"
    for name, taken in _arguments(op, inputs):
        if not isinstance(taken, list) and taken.dtype.is_integer:
            yield name, taken.numpy().tolist()


def _arguments(op: Any, inputs: list[Any]) -> Iterator[tuple[str, Any]]:
    """The inputs by the names that the op has for them; several of one name as a list."""
    waiting = list(inputs)
    for argument in op.op_def.input_arg:
        several = argument.number_attr or argument.type_list_attr
        count = len(waiting) if several and argument.type_list_attr else 1
        count = op.get_attr(argument.number_attr) if argument.number_attr else count
        taken = [waiting.pop(0) for _ in range(count)]
        yield argument.name, taken if several else taken[0]


def _has_own_rule(op: Any) -> bool:
    return "_gradient_op_type" in op.node_def.attr


def _again(op: Any, inputs: list[Any]) -> list[Any]:
    """Run an op of a graph eagerly, each input as a tensor of its own."""
    if op.type == "ResourceGather":  # rows of a variable, whose value is known here
        return [tf.gather(*inputs, batch_dims=op.get_attr("batch_dims"))]
    if op.type == "ResourceGatherNd":
        return [tf.gather_nd(*inputs)]
    raw = getattr(tf.raw_ops, op.type, None)
    listed = any(each.dtype == tf.variant for each in op.outputs)
    if raw is None or listed or any(attr.type == "func" for attr in op.op_def.attr):
        raise NotImplementedError(
            f"{op.type} ({op.name}) cannot be run op by op: TensorFlow has no public way into it. "
            "Write the loop or branch in Python, such as `for _ in range(3):` (a recurrent layer "
            "of Keras with unroll=True), then its ops are in the graph."
        )
    given = dict(_arguments(op, inputs))
    known = list(inspect.signature(raw).parameters)
    # A raw op calls some inputs otherwise than the graph does: `axis` for `reduction_indices`.
    declared = {*given, *(attr.name for attr in op.op_def.attr), "name"}
    others = iter(name for name in known if name not in declared)
    given = {name if name in known else next(others): x for name, x in given.items()}
    attributes = {a.name: op.get_attr(a.name) for a in op.op_def.attr if a.name in known}
    out = raw(**given, **attributes)
    return list(out) if isinstance(out, (list, tuple)) else [out]


def _unwrapped(variable: Any) -> Any:
    """TensorFlow's variable, which one of Keras holds."""
    return variable if isinstance(variable, tf.Variable) else variable.value


def _numpy(x: Any) -> Any:
    return (tf.cast(x, tf.float32) if x.dtype == tf.bfloat16 else x).numpy()
