"""What tapes and variables say when they are used wrongly: what happened, why, what to write."""

from __future__ import annotations

from functools import partial
from typing import Any

from minitape.errors import InvalidArgumentError, teach

WATCHED_DISCRETE = "The dtype of the watched tensor must be floating (e.g. tf.float32), got %r"
INSIDE_ITS_CONTEXT = (
    "Calling GradientTape.gradient on a persistent tape inside its context is significantly less "
    "efficient than calling it outside the context: the gradient ops are recorded too. Do it only "
    "for higher-order derivatives."
)


def still_recording() -> ValueError:
    """The tape is entered a second time."""
    return ValueError(
        teach(
            "Tape is still recording, This can happen if you try to re-enter an "
            "already-active tape.",
            "A tape records every op once.",
            "Leave its `with` block first, or use a second tf.GradientTape().",
        )
    )


def not_recording() -> ValueError:
    """The tape is stopped or reset without having been entered."""
    return ValueError("Tape is not recording. Enter it first: `with tape:`.")


def watch_without_recording() -> ValueError:
    """`watch` before the tape was entered."""
    return ValueError(
        teach(
            "GradientTape.watch was called on a tape that is not recording.",
            "Only a recording tape can watch a tensor.",
            "Call it inside the block: `with tf.GradientTape() as tape: tape.watch(x)`.",
        )
    )


def not_a_tensor(value: Any) -> ValueError:
    """Something is watched that has no identity."""
    return ValueError(
        teach(
            f"Passed in object of type {type(value)}, not tf.Tensor.",
            "Only tensors and variables have an identity that a tape can follow.",
            "Write `x = tf.constant(value)` first, and use that `x`.",
        )
    )


def no_target() -> TypeError:
    """The target of a gradient is None."""
    return TypeError(
        teach(
            "Argument `target` should be a list or nested structure of Tensors, Variables "
            "or CompositeTensors to be differentiated, but received None.",
            "None has no derivative.",
            "Did the function that computes the target forget its `return`?",
        )
    )


def no_tensor_as(role: str, value: Any) -> TypeError:
    """A target or a source, the role says which, is a plain value."""
    return TypeError(
        teach(
            f"A {role} must be a tf.Tensor or tf.Variable; got {value!r} of type "
            f"{type(value).__name__}.",
            "A tape identifies a value by its tensor, so it cannot find a plain one.",
            f"Pass the tensor itself as the {role}: `x = tf.constant(...)` once, then that `x`.",
        )
    )


not_a_target = partial(no_tensor_as, "target")
not_a_source = partial(no_tensor_as, "source")


def changed_by_operator(variable: Any, operator: str, instead: str) -> RuntimeError:
    """`v += 1.0`: the name would be bound to a tensor, and the variable would keep its value."""
    return RuntimeError(
        teach(
            f"`variable {operator}= value` with `tf.Variable`s is not supported: {variable!r}.",
            "It would give the variable's name to a new tensor, and leave the variable itself "
            "unchanged.",
            f"Use `v.{instead}` to change the variable, or `y = v {operator} value` for a tensor.",
        )
    )


def nothing_to_stop() -> RuntimeError:
    """`stop_recording` before the tape was entered."""
    return RuntimeError(
        teach(
            "Trying to stop recording a tape which is not recording.",
            "There is nothing to stop.",
            "Use `with tape.stop_recording():` inside `with tape:`.",
        )
    )


def used_up() -> RuntimeError:
    """A non-persistent tape is asked a second time."""
    return RuntimeError(
        teach(
            "A non-persistent GradientTape can only be used to compute one set of "
            "gradients (or jacobians).",
            "The tape has released what it recorded (or has not recorded anything yet).",
            "Write `with tf.GradientTape(persistent=True) as tape:` to use it more than once.",
        )
    )


def rows_need_persistence(name: str) -> RuntimeError:
    """A jacobian row by row of a tape that may be asked once."""
    return RuntimeError(
        teach(
            f"GradientTape must be created with persistent=True to compute the {name} "
            "with eager execution enabled and "
            "with experimental_use_pfor set to False.",
            "Computing row by row uses the tape once per row.",
            "Write `tf.GradientTape(persistent=True)`, or leave experimental_use_pfor=True.",
        )
    )


def other_dtype(variable: Any, value: Any, how: str) -> ValueError:
    """A tensor of another dtype is assigned."""
    dtype = getattr(variable.dtype, "name", variable.dtype)  # Keras variables have a string
    return ValueError(
        teach(
            f"Variable.{how}: '{variable.name}' has dtype {dtype}, the value has "
            f"dtype {value.dtype.name}.",
            "A variable keeps its dtype.",
            f"Write `v.{how}(tf.cast(value, tf.{dtype}))`.",
        )
    )


def other_shape(variable: Any, value: Any, how: str) -> ValueError:
    """A value of another shape is assigned; added or subtracted, TensorFlow's op refuses it."""
    kind, words = ValueError, ""
    if how != "assign":
        kind = InvalidArgumentError
        words = (
            f"Cannot update variable with shape {variable.shape.as_list()} using a Tensor with "
            f"shape {value.shape.as_list()}, shapes must be equal. "
        )
    return kind(
        teach(
            f"Variable.{how}: {words}Shape mismatch. '{variable.name}' has shape {variable.shape}, "
            f"the value has shape {value.shape}.",
            "A variable keeps its shape.",
            "Reshape the value, or make a new variable.",
        )
    )


def not_copied(what: str) -> TypeError:
    """A tape, an accumulator or a graph is copied or pickled."""
    return TypeError(
        f"A {what} cannot be copied or pickled: it knows tensors and variables by their identity, "
        "which no copy of them has. Record again with another one; a tape with persistent=True can "
        "be asked several times. Copy or pickle the values, `x.numpy()`, and the variables instead."
    )


def weights_missing(given: int, targets: int) -> ValueError:
    """There are not as many `output_gradients` as targets."""
    return ValueError(
        f"output_gradients holds {given} weights for {targets} targets. "
        "Give one per target, None for ones."
    )


def weight_not_fitting(weight: Any, target: Any) -> InvalidArgumentError:
    """A weight has another shape or dtype than its target."""
    return InvalidArgumentError(
        teach(
            f"output_gradients: the weight has shape {weight.shape} and dtype "
            f"{weight.dtype.name}, its target has shape "
            f"{target.shape} and dtype {target.dtype.name}.",
            "Every element of a target has one weight, or shares it by broadcasting.",
            "Give a tensor like the target, or None for ones.",
        )
    )
