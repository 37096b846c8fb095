"""Arguments that Keras has and minitape has not: why, and what a lesson can write instead.

The values that change nothing are accepted, so that a program which writes Keras' defaults out
runs; any other value is refused with these words.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from minitape.errors import UnknownArgumentError, teach


class AbsentArgument(NamedTuple):
    """The values of an argument that change nothing; why there are no others, and what to write."""

    harmless: tuple[Any, ...]
    why: str
    instead: str


_AVERAGE = (
    "An average of the variables over the steps is kept beside them, and is theirs in the end.",
    "Write it after each step: `average.assign(0.99 * average + 0.01 * variable)`.",
)
_INPUT = "A symbol stands for dense tensors of one shape, which are given at every call."
_ONE_COLUMN = (
    "All predictions are counted together.",
    "Choose first: `metric.update_state(y_true[:, 0], y_pred[:, 0])`.",
)
_ONE_PLACE = ("Everything runs in one process, on values of one dtype.", "Leave it out.")

ABSENT_ARGUMENTS: dict[str, AbsentArgument] = {
    "use_ema": AbsentArgument((False,), *_AVERAGE),
    "ema_momentum": AbsentArgument((0.99,), *_AVERAGE),
    "ema_overwrite_frequency": AbsentArgument((None,), *_AVERAGE),
    "loss_scale_factor": AbsentArgument(
        (None,),
        "It keeps gradients in float16 from becoming 0.",
        "In float32 leave it out; else differentiate `loss * 1024.0`, and divide the gradients.",
    ),
    "gradient_accumulation_steps": AbsentArgument(
        (None,),
        "Gradients are then added up over several batches before they are applied.",
        "Write that loop: `total = [t + g for t, g in zip(total, gradients)]`, and after n batches "
        "`optimizer.apply_gradients([(t / n, v) for t, v in zip(total, variables)])`.",
    ),
    "weights": AbsentArgument(
        (None,),
        "Variables are made when the layer first sees an input.",
        "Call the layer or `layer.build(shape)`, then `layer.set_weights(arrays)`.",
    ),
    "sparse": AbsentArgument((None, False), _INPUT, "Leave it out, and give dense tensors."),
    "ragged": AbsentArgument((None, False), _INPUT, "Give `x.to_tensor()`, rows of one length."),
    "tensor": AbsentArgument((None,), _INPUT, "Leave it out, and call the model with the tensor."),
    "top_k": AbsentArgument((None,), *_ONE_COLUMN),
    "class_id": AbsentArgument((None,), *_ONE_COLUMN),
    "multi_label": AbsentArgument((False,), *_ONE_COLUMN),
    "num_labels": AbsentArgument((None,), *_ONE_COLUMN),
    "data_format": AbsentArgument(
        (None, "channels_last"),
        "NumPy finds the channels of a place side by side.",
        "Put the channels last, `tf.transpose(x, [0, 2, 3, 1])`, and leave data_format out.",
    ),
    "mask_zero": AbsentArgument(
        (False,),
        "Masks do not travel from layer to layer.",
        "Give recurrent layers `mask=tf.not_equal(numbers, 0)`, in a functional model; leave what "
        "is masked out of a mean by `tf.reduce_sum(x * m, 1) / tf.reduce_sum(m, 1)`.",
    ),
    "stateful": AbsentArgument(
        (False,),
        "A layer forgets its state after each call.",
        "Carry it yourself: return_state=True gives it, and `initial_state=` takes it.",
    ),
    "unit_forget_bias": AbsentArgument(
        (True,), "The gate that forgets starts from 1.", "Set it: `cell.bias.assign(values)`."
    ),
    "reset_after": AbsentArgument(
        (True,), "The reset gate acts behind the product, as on GPUs.", "Write a cell for `RNN`."
    ),
    "invert": AbsentArgument(
        (False,),
        "The layer brings data to mean 0, and not back.",
        "Write `layer.mean + y * layer.variance**0.5`.",
    ),
    "unroll": AbsentArgument((False, True), *_ONE_PLACE),
    "use_cudnn": AbsentArgument(("auto", True, False), *_ONE_PLACE),
    "centered": AbsentArgument(
        (False,),
        "The divisor is the root of the mean square, and no mean gradient is taken off it.",
        "Leave it out, or derive a class from `tf.keras.optimizers.Optimizer` with `update`.",
    ),
    "ignore_class": AbsentArgument(
        (None,),
        "Every example counts.",
        "Leave examples out before: `keep = y_true != 0`, and `loss(y_true[keep], y_pred[keep])`.",
    ),
    "autocast": AbsentArgument((True, False), *_ONE_PLACE),
    "aggregation": AbsentArgument((None, "none", "mean", "sum"), *_ONE_PLACE),
}


def without_absent(kind: str, options: dict[str, Any]) -> dict[str, Any]:
    """The `options` of a `kind` of object that no table of absent arguments has.

    Raises:
        UnknownArgumentError: (a TypeError and a ValueError) for an absent one that is used.
    """
    for name, value in options.items():
        absent = ABSENT_ARGUMENTS.get(name)
        if absent is not None and not _is_among(value, absent.harmless):
            raise UnknownArgumentError(
                teach(
                    f"{kind}: {name}={value!r:.80} is not supported in minitape.",
                    absent.why,
                    absent.instead,
                )
            )
    return {name: value for name, value in options.items() if name not in ABSENT_ARGUMENTS}


def _is_among(value: Any, values: tuple[Any, ...]) -> bool:
    """Whether a value is one of some; not by `in`, which asks arrays for one truth value."""
    return any(type(value) is type(each) and value == each for each in values)


def refuse_unknown(kind: str, options: dict[str, Any], known: str) -> None:
    """Refuses what is left of `options`; `known` says which arguments there are.

    Raises:
        UnknownArgumentError: for an absent argument that is used, or one that Keras has not either.
    """
    unknown = without_absent(kind, options)
    if unknown:
        raise UnknownArgumentError(
            f"{kind}: unrecognised keyword arguments {sorted(unknown)}. {known}"
        )
