"""What a `tf.function` tells its user about tracing: two warnings and an error."""

from __future__ import annotations

from minitape.errors import teach
from minitape.errors.notices import warn


def traced_again(name: str, count: int, reason: str) -> None:
    """Warns that a new trace is needed, and why."""
    warn(
        "tf.function `%s` is traced again (trace %d): %s. Tracing runs the Python, which is "
        "slow. If this goes on, pass tensors "
        "instead of Python numbers, keep shapes equal, and make the tf.function once, outside "
        "of loops.",
        name,
        count,
        reason,
    )


def python_at_every_call(name: str, reason: str) -> None:
    """Warns that a function cannot be traced, and why."""
    warn(
        "tf.function `%s` runs its Python at every call, because %s. Values and gradients are "
        "right, but nothing is saved: "
        "tf.cond, tf.while_loop or tf.where in its place can be traced.",
        name,
        reason,
    )


def variables_at_every_trace(name: str) -> ValueError:
    """A function makes a variable whenever it is traced."""
    return ValueError(
        teach(
            "tf.function only supports singleton tf.Variables created on the first call: "
            f"`{name}` makes a variable whenever it is traced.",
            "A graph is run many times, and would need a new variable each time.",
            "Make them outside, or once: `if self.v is None: self.v = tf.Variable(0.0)`.",
        )
    )
