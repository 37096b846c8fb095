"""Arguments that Keras has and minitape has not: why, and what a lesson can write instead.

The one fact to know: the values that change nothing are accepted, so that a program which writes
Keras' defaults out runs; any other value is refused with these words.
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
_LOW_RANK = AbsentArgument(
    (None,),
    "A large model is tuned by two thin matrices beside each kernel that stays as it is.",
    "Set `layer.trainable = False`, and add `Dense(units)(Dense(2, use_bias=False)(x))` to it.",
)
_RENORMALISED = (
    "While training, batches are then normalised by corrected averages.",
    "Leave it out: the moments are those of the batch.",
)
_INPUT = "A symbol stands for dense tensors of one shape, which are given at every call."
_ONE_COLUMN = AbsentArgument(
    (None,),
    "All predictions are counted together.",
    "Choose first: `metric.update_state(y_true[:, 0], y_pred[:, 0])`.",
)
_LABELS = (
    "There is one curve, of all predictions together.",
    "Make a metric for each label, and call `metric.update_state(y_true[:, 0], y_pred[:, 0])`.",
)

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
    "lora_rank": _LOW_RANK,
    "lora_alpha": _LOW_RANK,
    "quantization_config": AbsentArgument(
        (None,), "It makes trained kernels whole numbers.", "Leave it out."
    ),
    "synchronized": AbsentArgument(
        (False, True), "Everything runs in one process.", "Leave it out."
    ),
    "renorm": AbsentArgument((False,), *_RENORMALISED),
    "renorm_clipping": AbsentArgument((None,), *_RENORMALISED),
    "renorm_momentum": AbsentArgument((0.99,), *_RENORMALISED),
    "weights": AbsentArgument(
        (None,),
        "Variables are made when the layer first sees an input.",
        "Call the layer or `layer.build(shape)`, then `layer.set_weights(arrays)`.",
    ),
    "sparse": AbsentArgument((None, False), _INPUT, "Leave it out, and give dense tensors."),
    "ragged": AbsentArgument((None, False), _INPUT, "Give `x.to_tensor()`, rows of one length."),
    "optional": AbsentArgument((False,), _INPUT, "Give zeros where there is nothing."),
    "tensor": AbsentArgument((None,), _INPUT, "Leave it out, and call the model with the tensor."),
    "input_tensor": AbsentArgument(
        (None,), _INPUT, "Leave it out, and call the model with the tensor."
    ),
    "top_k": _ONE_COLUMN,
    "class_id": _ONE_COLUMN,
    "summation_method": AbsentArgument(
        ("interpolation",),
        "The curve goes straight from one threshold to the next.",
        "Leave it out.",
    ),
    "thresholds": AbsentArgument(
        (None,), "The thresholds lie evenly between 0 and 1.", "Give `num_thresholds=1000`."
    ),
    "multi_label": AbsentArgument((False,), *_LABELS),
    "num_labels": AbsentArgument((None,), *_LABELS),
    "label_weights": AbsentArgument((None,), *_LABELS),
    "autocast": AbsentArgument((True, False), "A variable has one dtype.", "Give `dtype`."),
    "aggregation": AbsentArgument(
        (None, "none", "mean", "sum", "only_first_replica"),
        "Everything runs in one process.",
        "Leave it out.",
    ),
    "overwrite_with_gradient": AbsentArgument(
        (False,), "An optimizer moves every variable by its gradient.", "Call `variable.assign(g)`."
    ),
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
                    f"{kind}: {name}={value!r:.80} is no part of minitape.",
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
