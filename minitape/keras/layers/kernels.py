"""What layers share that compute activation(f(x, kernel) + bias), and the arguments of windows."""

from __future__ import annotations

from reprlib import repr as short  # an error must be able to show a nest that is very deep
from typing import Any

from minitape.errors.of_arguments import checked_integer, checked_text
from minitape.errors.of_flags import checked_flag
from minitape.keras import activations, initializers
from minitape.keras.layers.base import Layer


class WithKernel(Layer):
    """A layer with a kernel, a bias and an activation.

    Args:
        activation: a name, a function or None.
        use_bias: whether there is a bias.
        kernel_initializer: what the kernel starts from.
        bias_initializer: what the bias starts from.
        **options: `kernel_regularizer`, `kernel_constraint`, and these for the bias.
    """

    weight_names: tuple[str, ...] = ("kernel", "bias")

    def __init__(
        self,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.activation = activations.get(activation)
        self.use_bias = checked_flag(type(self).__name__, "use_bias", use_bias)
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel: Any = None
        self.bias: Any = None

    def make_weights(self, shape: tuple[int, ...], outputs: int) -> None:
        """Makes a kernel of `shape`, and a bias for the outputs."""
        self.kernel = self.add_weight(shape, self.kernel_initializer, name="kernel")
        self.make_bias(outputs)

    def make_bias(self, outputs: int) -> None:
        """Makes the bias, and ends the building."""
        if self.use_bias:
            self.bias = self.add_weight((outputs,), self.bias_initializer, name="bias")
        self.built = True

    def finished(self, y: Any) -> Any:
        """The output, from the kernel's part of it."""
        return self.activation(y if self.bias is None else y + self.bias)


def checked_padding(layer: Layer, padding: Any, further: tuple[str, ...] = ()) -> str:
    """The name of a padding: 'valid', 'same', or one of the `further` ones.

    Raises:
        ValueError: if it is another text.
    """
    kind, known = type(layer).__name__, ("valid", "same", *further)
    name = checked_text(kind, "padding", padding, f"{kind}(..., padding='same')").lower()
    if name not in known:
        raise ValueError(
            f"{kind}: The `padding` argument must be one of {', '.join(map(repr, known))}. "
            f"Received: {short(padding)}. Pad by other numbers with `tf.pad` before the layer."
        )
    return name


def checked_groups(layer: Layer, groups: Any, filters: Any) -> int:
    """The number of groups of channels.

    Raises:
        ValueError: if it is not positive, or the filters cannot be dealt out to them.
    """
    kind = type(layer).__name__
    found = checked_integer(kind, "groups", groups, f"{kind}(8, 3, groups=2)")
    if found < 1 or (isinstance(filters, int) and filters % found):
        raise ValueError(
            "The number of filters must be evenly divisible by the number of groups, which is at "
            f"least 1. Received: groups={groups}, filters={filters}. Each group gives its share "
            "of the filters. Write groups=1 for one group."
        )
    return found


def checked_layout(layer: Layer, data_format: str | None) -> str:
    """The name of the layout, 'channels_last'.

    Raises:
        ValueError: for another one.
    """
    if data_format is not None and (
        not isinstance(data_format, str) or data_format != "channels_last"
    ):
        raise ValueError(
            f"{type(layer).__name__}: data_format={short(data_format)} is not supported on the "
            "CPU. Put the channels last, `tf.transpose(x, [0, 2, 3, 1])`, and leave data_format "
            "out."
        )
    return "channels_last"
