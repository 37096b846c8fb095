"""The network of a functional model: the nodes between its inputs and its outputs, in order.

Layers stand in the order of their distance from the outputs, the farthest first, as in Keras; so do
the variables of the model.
"""

from __future__ import annotations

import copy
from collections import Counter
from typing import Any

import minitape as tf
from minitape.keras.layers.base import Layer
from minitape.keras.layers.inputs import Input
from minitape.keras.symbols import KerasTensor, Node, symbols_in, with_values


class Network:
    """Runs the nodes that lead from `inputs` to `outputs`.

    Args:
        inputs: symbols, in any nest.
        outputs: symbols, in any nest.

    Raises:
        ValueError: if one of them is no symbol, or an output does not follow from the inputs.
    """

    def __init__(self, inputs: Any, outputs: Any) -> None:
        for what, structure in (("inputs", inputs), ("outputs", outputs)):
            for each in tf.nest.flatten(structure):
                if not isinstance(each, KerasTensor):
                    raise ValueError(
                        f"All `{what}` values must be KerasTensors. Received: {what}={structure} "
                        f"including invalid value {each!r:.80} of type {type(each)}. Write "
                        "`x = tf.keras.Input(shape)`, and call layers with it."
                    )
        self.inputs, self.outputs = inputs, outputs
        self.input_symbols = symbols_in(inputs)
        visited, met = self._visited(symbols_in(outputs))
        self.nodes = [node for node in visited if node.inputs]
        self.operations = self._operations(visited, met)

    def _visited(self, outputs: list[KerasTensor]) -> tuple[list[Node], dict[int, Any]]:
        """The nodes, each after those that it needs; and their operations, as they were met."""
        given = {id(x) for x in self.input_symbols}
        done: dict[int, Node] = {}
        met: dict[int, Any] = {}
        todo: list[tuple[Any, bool]] = [(x, False) for x in reversed(outputs)]
        while todo:
            x, is_ready = todo.pop()
            node = x.node
            if is_ready:
                done[id(node)] = node
                continue
            begins = node is None or not node.inputs
            if id(node) in done or (id(x) in given and not begins):
                continue
            if begins and id(x) not in given:
                raise ValueError(
                    f"The output does not follow from the inputs: {x} is needed, but is not an "
                    "input of this model. Add it to `inputs`, or take an output that depends "
                    "on them."
                )
            if node is not None:
                met.setdefault(id(node.operation), node.operation)
                todo.append((x, True))
                todo += [(each, False) for each in reversed(node.inputs)]
        return list(done.values()), met

    def _operations(self, visited: list[Node], met: dict[int, Any]) -> list[Any]:
        """The layers and ops, each once: the farthest from the outputs first, then as met."""
        depths: dict[int, int] = {}  # of nodes, by id
        levels: dict[int, int] = {}  # of their operations: that of the farthest node
        for node in reversed(visited):
            key = id(node.operation)
            levels[key] = max(depths.get(id(node), 0), levels.get(key, 0))
            for each in node.inputs:
                depths[id(each.node)] = max(depths.get(id(each.node), 0), levels[key] + 1)
        # A layer before an input that lies in the middle is no part of the model.
        first = [x.node for x in self.input_symbols if x.node is not None]
        unused = [n.operation for n in first if not n.inputs and id(n.operation) not in met]
        operations = [*unused, *met.values()]
        _check_names(operations)
        return sorted(operations, key=lambda each: -levels.get(id(each), 0))

    def run(self, inputs: Any) -> Any:
        """The outputs for tensors in place of the inputs.

        Raises:
            ValueError: if there are more or fewer than the model has.
        """
        tensors = self._matched(inputs)
        values = dict(zip(map(id, self.input_symbols), tensors, strict=True))
        for node in self.nodes:
            found = tf.nest.flatten(node.run(values))
            symbols = tf.nest.flatten(node.outputs)
            values.update(zip(map(id, symbols), found, strict=True))
        return tf.nest.map_structure(lambda x: values[id(x)], self.outputs)

    def copied(self) -> tuple[Any, Any]:
        """The ends of a network like this one, whose layers are copies.

        Without their nodes: a copy that followed those would go through all layers at once.
        """
        layers = {id(x): copy.deepcopy(x, {id(x.nodes): []}) for x in self.operations}
        symbols = {id(x): _like(x) for x in self.input_symbols}
        for node in self.nodes:
            args, kwargs = with_values([node.args, node.kwargs], lambda x: symbols[id(x)])
            made = tf.nest.flatten(Node(layers[id(node.operation)], args, kwargs).outputs)
            symbols.update(zip(map(id, tf.nest.flatten(node.outputs)), made, strict=True))
        ends = with_values([self.inputs, self.outputs], lambda x: symbols[id(x)])
        return ends[0], ends[1]

    def _matched(self, inputs: Any) -> list[Any]:
        """Tensors in the order of the input symbols; those of a dict by their names."""
        if isinstance(inputs, dict) and not isinstance(self.inputs, dict):
            names = [x.name for x in self.input_symbols]
            tensors = [inputs[name] for name in names if name in inputs]
        else:
            tensors = tf.nest.flatten(inputs)
        if len(tensors) != len(self.input_symbols):
            shapes = [x.shape for x in self.input_symbols]
            raise ValueError(
                f"The model has {len(shapes)} inputs of shapes {shapes}, and got {len(tensors)} "
                f"tensors: {inputs!r:.200}. Give a list with one tensor per input."
            )
        return [_fitted(x, s) for x, s in zip(tensors, self.input_symbols, strict=True)]


def _like(symbol: KerasTensor) -> KerasTensor:
    """An input of the shape of another one."""
    made: KerasTensor = Input(batch_shape=symbol.shape, dtype=symbol.dtype, name=symbol.name)
    return made


def _check_names(operations: list[Any]) -> None:
    """Raises if two layers have one name."""
    counts = Counter(each.name for each in operations if isinstance(each, Layer))
    name, count = counts.most_common(1)[0] if counts else ("", 0)
    if count > 1:
        raise ValueError(
            f'The name "{name}" is used {count} times in the model. All operation names should be '
            "unique: `get_layer` finds layers by it. Give each layer a `name` of its own."
        )


def of_rank(x: Any, wanted: tuple[Any, ...]) -> Any:
    """A tensor of the rank of a shape: a last axis of size 1 too few or too many is no fault."""
    if len(x.shape) == len(wanted) - 1 and wanted[-1] == 1:
        return tf.expand_dims(x, -1)
    return tf.squeeze(x, -1) if len(x.shape) == len(wanted) + 1 and x.shape[-1] == 1 else x


def _fitted(x: Any, symbol: KerasTensor) -> Any:
    """A tensor in the shape of an input."""
    x = of_rank(tf.cast(x, symbol.dtype), symbol.shape)
    if not x.shape.is_compatible_with(symbol.shape):
        raise ValueError(
            f"Input of shape {tuple(x.shape)} is incompatible with the model: expected shape "
            f"{symbol.shape}, found shape {tuple(x.shape)}. None stands for any size."
        )
    return x
