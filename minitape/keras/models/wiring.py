"""The config of a functional model: its layers, and what each of their calls was given.

The one fact to know: a symbol stands in a config as its `keras_history`: the name of the layer that
gives it, which call of the layer that is, and the place among the results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import minitape as tf
from minitape.keras.configs import is_config, layer_of, plain
from minitape.keras.layers.inputs import InputLayer
from minitape.keras.symbols import KerasTensor, Node, OpCall, with_values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from minitape.keras.models.network import Network

Places = dict[int, list[Any]]  # the history of each symbol, by its `id`
Results = dict[tuple[str, int], list[Any]]  # what each call of each layer gave


# Writing it.


def network_config(network: Network) -> dict[str, Any]:
    """What a network is made of, as plain data."""
    places: Places = {id(x): [x.name, 0, 0] for x in network.input_symbols}
    calls: dict[str, list[Node]] = {}
    for node in network.nodes:
        name = node.operation.name
        of_this = calls.setdefault(name, [])
        for i, symbol in enumerate(tf.nest.flatten(node.outputs)):
            places[id(symbol)] = [name, len(of_this), i]
        of_this.append(node)
    begins = {x.name: _entry(_input_layer(x), []) for x in network.input_symbols}
    entries = [
        begins.pop(each.name)
        if each.name in begins
        else _entry(each, [_call(node, places) for node in calls[each.name]])
        for each in network.operations
    ]
    return {
        "layers": [*begins.values(), *entries],
        "input_layers": with_values(network.inputs, lambda x: places[id(x)]),
        "output_layers": with_values(network.outputs, lambda x: places[id(x)]),
    }


def _input_layer(symbol: KerasTensor) -> InputLayer:
    """The layer of an input, made anew: a model may begin with what any layer gave."""
    return InputLayer(batch_shape=symbol.shape, dtype=symbol.dtype, name=symbol.name)


def _entry(operation: Any, inbound: list[dict[str, Any]]) -> dict[str, Any]:
    own: dict[str, Any] = plain(operation)
    return own | {"name": operation.name, "inbound_nodes": inbound}


def _call(node: Node, places: Places) -> dict[str, Any]:
    def told(x: KerasTensor) -> dict[str, Any]:
        about = {"shape": x.shape, "dtype": x.dtype.name, "keras_history": places[id(x)]}
        return {"class_name": "__keras_tensor__", "config": about}

    args, kwargs = with_values([node.args, node.kwargs], told)
    return {"args": plain(args), "kwargs": plain(kwargs)}


# Reading it.


def network_of(config: dict[str, Any]) -> tuple[Any, Any]:
    """The symbols that a network of this config begins and ends with.

    Raises:
        ValueError: if a call needs what no layer gives.
    """
    layers = {entry["name"]: _operation(entry) for entry in config["layers"]}
    results: Results = {
        (name, 0): [layer.output] for name, layer in layers.items() if type(layer) is InputLayer
    }
    todo = [
        (entry["name"], i, call)
        for entry in config["layers"]
        for i, call in enumerate(entry["inbound_nodes"])
    ]
    while todo:
        # A layer that stands first may have been called again with what a later one gave.
        ready = [each for each in todo if set(_needed(each[2])) <= results.keys()]
        if not ready:
            raise ValueError(
                f"Model.from_config: no layer gives what {todo[0][0]!r} is called with. Each "
                "`keras_history` names a layer of the config. Give what `get_config` gave."
            )
        for name, i, call in ready:
            results[name, i] = tf.nest.flatten(_called(layers[name], call, results))
        todo = [each for each in todo if each not in ready]
    return _ends(config["input_layers"], results), _ends(config["output_layers"], results)


def _operation(entry: dict[str, Any]) -> Any:
    if entry["class_name"] != OpCall.__name__:
        return layer_of(entry)
    return OpCall(entry["config"]["function"], entry["config"]["name"])


def _called(operation: Any, call: dict[str, Any], results: Results) -> Any:
    args, kwargs = _filled(call["args"], results), _filled(call["kwargs"], results)
    if isinstance(operation, OpCall):
        return Node(operation, tuple(args), kwargs).outputs
    return operation(*args, **kwargs)


def _needed(value: Any) -> Iterator[tuple[str, int]]:
    """The calls whose results stand in the arguments of another."""
    if is_config(value) and value["class_name"] == "__keras_tensor__":
        yield tuple(value["config"]["keras_history"][:2])
    elif isinstance(value, dict | list | tuple):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _needed(each)


def _filled(value: Any, results: Results) -> Any:
    """Arguments with symbols and tensors in place of what stands for them."""
    if is_config(value):
        about = value["config"]
        if value["class_name"] == "__keras_tensor__":
            return _symbol(about["keras_history"], results)
        return tf.constant(about["value"], about["dtype"])
    if isinstance(value, dict):
        return {key: _filled(each, results) for key, each in value.items()}
    return [_filled(x, results) for x in value] if isinstance(value, list | tuple) else value


def _symbol(place: list[Any], results: Results) -> Any:
    name, call, i = place
    return results[name, call][i]


def _ends(structure: Any, results: Results) -> Any:
    """The symbols of inputs or outputs, in their structure."""
    if isinstance(structure, dict):
        return {key: _ends(each, results) for key, each in structure.items()}
    if isinstance(structure[0], str):
        return _symbol(structure, results)
    return [_ends(each, results) for each in structure]
