"""What an op says when it is called wrongly: op, argument, values, and what to write."""

from __future__ import annotations

from reprlib import repr as short  # an error must be able to show a nest that is very deep
from typing import TYPE_CHECKING, Any

from minitape.errors import DtypeError, InvalidArgumentError
from minitape.errors.of_arguments import out_of_memory
from minitape.errors.of_flags import FlagError, flag_refused

if TYPE_CHECKING:
    from typing import Protocol

    class Op(Protocol):
        """What of an op a message names; see `minitape.op`."""

        name: str
        type_name: str
        inputs: tuple[str, ...]
        attributes: tuple[str, ...]
        defaults: dict[str, Any]
        alike: tuple[int, ...] | None
        refuses: str
        broadcasts: bool

        def input_name(self, position: int) -> str:
            """The name of the input at `position`."""


_REASONS = (ValueError, TypeError, IndexError, ArithmeticError)  # LinAlgError is a ValueError
_TRUTHS = (
    "Bools are not numbers: write `tf.cast(x, tf.float32)`, or use `tf.logical_and`, "
    "`tf.logical_or`."
)
_REFUSED = {  # what to write instead, by the kind of dtype
    "c": "Complex numbers have no order: take `tf.math.real(x)`, or compare `tf.abs(x)`.",
    "O": "Strings have no order here: sort them in Python, or write `tf.strings.to_number(x)`.",
    "b": _TRUTHS,
    "i": "It is not meant for integers: write `tf.cast(x, tf.float32)`.",
    "u": "Unsigned integers wrap around below 0: write `tf.cast(x, tf.int32)`, or float32.",
}
_INTEGERS = "It is for integers, and some are for truth values: write `tf.cast(x, tf.int32)`."
_OF_TEXTS = (TypeError, AttributeError)  # what NumPy says of bytes objects


def dtypes_differ(op: Op, inputs: Any) -> Exception:
    """Two inputs that must agree have different dtypes."""
    positions = range(len(inputs)) if op.alike is None else op.alike
    matching = [(op.input_name(i), inputs[i]) for i in positions]
    first, x = matching[0]
    place, (other, y) = next(
        (i, pair) for i, pair in enumerate(matching) if pair[1].dtype != x.dtype
    )
    return DtypeError(
        f"cannot compute {op.type_name} as input #{place}(zero-based) was expected to be a "
        f"{x.dtype.name} tensor but is a "
        f"{y.dtype.name} tensor [Op:{op.type_name}]: `{op.name}` got `{first}` of dtype "
        f"{x.dtype.name} and `{other}` of dtype "
        f"{y.dtype.name}. Nothing is promoted between tensors, because a silent cast hides "
        f"mistakes. Write `tf.cast({other}, tf.{x.dtype.name})`."
    )


def forward_failed(op: Op, inputs: Any, attributes: tuple[Any, ...], error: Exception) -> Exception:
    """The forward raised: the op with its inputs, and NumPy's reason."""
    if isinstance(error, MemoryError):
        return out_of_memory(op.name, error)
    if "truth value" in str(error):
        error = attributes_refused(op, attributes, error)
    if any(x.spec.dtype.kind == "O" for x in inputs) and isinstance(error, _OF_TEXTS):
        return _text_refused(op, inputs)
    if op.refuses and inputs[0].spec.dtype.kind in op.refuses:
        return dtype_refused(op, inputs[0].spec.dtype)  # NumPy said so too, in other words
    if isinstance(error, InvalidArgumentError | FlagError) or not isinstance(error, _REASONS):
        return error  # it says enough, or it is a mistake in the op, which must not be dressed up
    shown = [
        f"{op.input_name(i)}: {x.dtype.name}{tuple(x.spec.shape)}" for i, x in enumerate(inputs)
    ]
    shown += [
        f"{name}={short(value)}" for name, value in zip(op.attributes, attributes, strict=True)
    ]
    reason = str(error).rstrip(". ")
    text = f"{op.name}({', '.join(shown)}) [Op:{op.type_name}]: {reason}."
    if op.broadcasts and "broadcast" in str(error):
        text += (
            " Incompatible shapes: compared from the right, two axes must be equal or one of them "
            "1. Use `tf.expand_dims` or `tf.reshape` to line the axes up."
        )
    if isinstance(error, TypeError) and "not supported for the input types" in reason:
        text += f" {_INTEGERS}"
    return InvalidArgumentError(text)


def attributes_refused(op: Op, attributes: tuple[Any, ...], error: Exception) -> Exception:
    """What was wrong with a flag among an op's attributes; `error` itself if that was not it."""
    given = zip(op.attributes, attributes, strict=True)
    flags = {name: value for name, value in given if isinstance(op.defaults.get(name), bool)}
    return flag_refused(op.name, flags, error)


def _text_refused(op: Op, inputs: Any) -> Exception:
    shown = ", ".join(
        f"{op.input_name(i)}: {x.dtype.name}{tuple(x.spec.shape)}" for i, x in enumerate(inputs)
    )
    return InvalidArgumentError(
        f"Value for attr 'T' of string is not in the list of allowed values: half, float, double, "
        f"... [Op:{op.type_name}]: `{op.name}` got ({shown}). It computes with numbers, not "
        "with strings. Make a tensor of the numbers themselves, `tf.constant([1.0, 2.0])`."
    )


def promotion_refused(op: Op, x: Any) -> Exception:
    """NumPy made floats of integers or bools, which TensorFlow would not take."""
    return DtypeError(
        f"Value for attr 'T' of {x.dtype.name} is not in the list of allowed values: half, float, "
        f"double, ... [Op:{op.type_name}]: `{op.name}` got a tensor of dtype {x.dtype.name}. It is "
        "defined for floating dtypes, and nothing is promoted automatically. Write "
        "`tf.cast(x, tf.float32)`, or 2.0 instead of 2."
    )


def dtype_refused(op: Op, dtype: Any) -> Exception:
    """An op has no meaning for a dtype: an order of complex numbers, a sum of truth values."""
    name = "string" if dtype.kind == "O" else dtype.name
    return DtypeError(
        f"Value for attr 'T' of {name} is not in the list of allowed values "
        f"[Op:{op.type_name}]: `{op.name}` got a tensor of dtype {name}, for which it has no "
        f"meaning. {_REFUSED[dtype.kind]}"
    )


def box_escaped(op: Op, inputs: Any) -> Exception:
    """A boxed tensor is used where its interpreter is no longer active."""
    box = next(x for x in inputs if hasattr(x, "interpreter"))
    if box.interpreter.symbolic:
        return box.interpreter.foreign(box)  # type: ignore[no-any-return]
    return RuntimeError(
        f"`{op.name}` was called with {box!r} outside of what made it ({box.interpreter}). "
        f"{box.advice}"
    )


def unexpected_argument(op: Op, problem: str) -> TypeError:
    """A call does not fit the op's signature."""
    return TypeError(
        f"{op.name}() {problem}; its arguments are ({', '.join(op.inputs + op.attributes)})."
    )


def no_gradient(op: Op) -> LookupError:
    """An op on the way from a target to a source has no rule."""
    error = LookupError(f"gradient registry has no entry for: {op.type_name}")
    error.add_note(
        f"minitape: the op `{op.name}` lies on the path from the target to a source, and no "
        "gradient is registered for it. Register one with "
        f'`@tf.RegisterGradient("{op.type_name}")`, wrap the call in `tf.custom_gradient`, or '
        "cut the path with `tf.stop_gradient`."
    )
    return error
