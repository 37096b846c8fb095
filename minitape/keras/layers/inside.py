"""Building a layer that another one holds."""

from __future__ import annotations

from typing import Any

from minitape.keras.layers.base import Layer, running


def build_inside(outer: Layer, layer: Any, input_shape: Any) -> None:
    """Makes the variables of a layer in `outer`, whose name their paths begin with."""
    if not isinstance(layer, Layer) or layer.built:
        return
    around = running.get()
    within = running.set(around if around[-1:] == (outer,) else (*around, outer))
    try:
        layer.build(input_shape)
        layer.built = True
    finally:
        running.reset(within)
