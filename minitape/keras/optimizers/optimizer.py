"""`Optimizer`: the part that all optimizers share.

An optimizer keeps variables of its own beside each variable it updates (slots), made when it first
sees that variable. Sparse gradients are made dense first.
"""

from __future__ import annotations

import copy
import inspect
import warnings
from contextlib import suppress
from reprlib import repr as short  # an error must be able to show a nest that is very deep
from typing import TYPE_CHECKING, Any, Self

import numpy as np

import minitape as tf
from minitape.errors import teach
from minitape.errors.notices import warn
from minitape.errors.of_arguments import checked_items, checked_range, not_fitting
from minitape.keras.absent_arguments import without_absent
from minitape.keras.config import floatx
from minitape.keras.configs import WithoutConfig
from minitape.keras.variables import Variable, unique_name
from minitape.tensor import eager
from minitape.tensors.assigning import Restored
from minitape.tensors.composite import dense
from minitape.variable import ResourceVariable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from minitape.tensor import Reference


class Optimizer(WithoutConfig):
    """Base of the optimizers: subclasses define `update`.

    Args:
        learning_rate: a number, a schedule, or a function of nothing or of the step number.
        name: for people.
        weight_decay: each step also takes `learning_rate * weight_decay` times the variable off.
        clipnorm: gradients of a larger norm are scaled down to it, each by itself.
        clipvalue: gradients are cut to [-clipvalue, clipvalue].
        global_clipnorm: all gradients are scaled together, if their common norm is larger.

    Raises:
        ValueError: for arguments that no optimizer has, or more than one way to clip.
    """

    slots: tuple[str, ...] = ()  # the variables that each updated variable gets
    apart: tuple[str, ...] = ()  # those of them that are listed behind the rest, kind by kind
    start = 0.0  # what the slots begin with
    takes_squares = False  # whether `update` is given the squares of the gradient

    def __init__(
        self,
        learning_rate: Any,
        name: str | None = None,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        **unknown: Any,
    ) -> None:
        if unknown.pop("decay", None):
            warn("%s: `decay` is no longer an argument; it is ignored.", type(self).__name__)
        unknown = without_absent(type(self).__name__, unknown)
        if unknown:
            raise ValueError(
                f"Argument(s) not recognized: {unknown}. The learning rate is `learning_rate`; one "
                "that changes is a schedule, `tf.keras.optimizers.schedules.ExponentialDecay`."
            )
        if sum(each is not None for each in (clipnorm, clipvalue, global_clipnorm)) > 1:
            raise ValueError(
                "Only one of `clipnorm`, `clipvalue` and `global_clipnorm` can be set: each says "
                "how long a step may be. Leave two of them out."
            )
        numbers = {"weight_decay": weight_decay, "clipnorm": clipnorm, "clipvalue": clipvalue}
        for argument, value in (numbers | {"global_clipnorm": global_clipnorm}).items():
            if value is not None:
                checked_range(type(self).__name__, argument, value, 0.0)
        self.weight_decay, self.clipnorm = weight_decay, clipnorm
        self.clipvalue, self.global_clipnorm = clipvalue, global_clipnorm
        self.name = name or unique_name(type(self).__name__)
        self.iterations = Variable(eager(np.int64(0)), False, "iteration", owner=self.name)
        self._rate: Any = None  # a variable, or a function of the step number
        self.learning_rate = learning_rate
        self._slots: dict[Reference, list[Variable]] = {}  # by `ref()` of the updated variable

    @property
    def learning_rate(self) -> Any:
        """The learning rate, a variable; the schedule's value now where there is a schedule."""
        return self._rate(self.iterations) if callable(self._rate) else self._rate

    @learning_rate.setter
    def learning_rate(self, value: Any) -> None:
        if callable(value):
            takes_step = inspect.signature(value).parameters
            self._rate = value if takes_step else lambda _: value()
        elif isinstance(self._rate, Variable):
            self._rate.assign(value)
        else:
            self._rate = Variable(eager(_number(value)), False, "learning_rate", owner=self.name)

    def __copy__(self) -> Self:
        """An optimizer with slots of its own, for the same variables."""
        same = [key.deref() for key in self._slots]
        return copy.deepcopy(self, {id(variable): variable for variable in same})

    def build(self, variables: Iterable[Any]) -> None:
        """Makes the slots of `variables` that have none yet."""
        for variable in variables:
            if variable.ref() in self._slots:
                continue
            value = np.full(tuple(variable.shape), self.start, variable.spec.dtype)[()]
            self._slots[variable.ref()] = [
                Variable(eager(value), False, f"{_flat_name(variable)}_{slot}", owner=self.name)
                for slot in self.slots
            ]

    @property
    def variables(self) -> list[Any]:
        """The optimizer's own variables."""
        own = [self.iterations, *([self._rate] if isinstance(self._rate, Variable) else [])]
        together = [name for name in self.slots if name not in self.apart]
        rows = [dict(zip(self.slots, row, strict=True)) for row in self._slots.values()]
        kinds = [together, *([name] for name in self.apart if name in self.slots)]
        return own + [row[name] for kind in kinds for row in rows for name in kind]

    def apply_gradients(self, grads_and_vars: Any, name: str | None = None) -> Any:
        """Updates variables by their gradients.

        Args:
            grads_and_vars: pairs of a gradient (tensor, `IndexedSlices` or None) and its variable.
            name: accepted and not used.

        Returns:
            The step number, a variable.

        Raises:
            TypeError: if a gradient holds no numbers.
            ValueError: if there is no gradient at all, or the shape of one differs from its
                variable's. No variable has changed then.

        Example:
            >>> import minitape as tf
            >>> v = tf.Variable(1.0)
            >>> _ = tf.keras.optimizers.SGD(0.5).apply_gradients([(tf.constant(1.0), v)])
            >>> float(v)
            0.5
        """
        example = "apply_gradients(zip(gradients, variables))"
        given = checked_items("apply_gradients", "grads_and_vars", grads_and_vars, example)
        for pair in given:
            if not isinstance(pair, list | tuple) or len(pair) != 2:
                raise not_fitting("apply_gradients", "grads_and_vars", pair, "pairs", example)
        for _, variable in given:
            if isinstance(variable, tf.Tensor):
                raise AttributeError(
                    teach(
                        f"apply_gradients: the second of a pair is {variable!r:.60}, no variable.",
                        "A tensor keeps its numbers, so a step has nothing to change.",
                        "Write `v = tf.Variable(x)`, compute the loss from it, and pass that.",
                    )
                )
            if not isinstance(variable, ResourceVariable):
                raise not_fitting(
                    "apply_gradients",
                    "grads_and_vars",
                    variable,
                    "pairs of a gradient and a variable; its second",
                    example,
                )
        pairs = [(g, v) for g, v in given if g is not None]
        if not pairs:
            raise _no_gradients(given)
        if len(pairs) < len(given):
            names = [getattr(v, "path", v.name) for g, v in given if g is None]
            warnings.warn(
                f"Gradients do not exist for variables {names} when minimizing the loss: they stay "
                "as they are. Is the loss computed from them, inside of the tape's context?",
                stacklevel=2,
            )
        # Everything is checked and computed before the first variable changes.
        pairs = self._clipped([(_fitting(g, v), v) for g, v in pairs])
        steps = [(v, self._changes(g, v)) for g, v in pairs]
        rate = tf.convert_to_tensor(self.learning_rate)
        step = tf.cast(self.iterations + 1, "float32")
        self.build(v for _, v in given)
        with Restored([*self.variables, *(v for v, _ in steps)]):
            self.begin_step(step)
            for variable, changes in steps:
                dtype = variable.dtype
                slots = self._slots[variable.ref()]
                if self.weight_decay:
                    variable.assign_sub(variable * (tf.cast(rate, dtype) * self.weight_decay))
                self.update(variable, *changes, tf.cast(rate, dtype), tf.cast(step, dtype), *slots)
                constraint = getattr(variable, "constraint", None)
                if constraint is not None:
                    variable.assign(constraint(variable))
            self.iterations.assign_add(1)
        return self.iterations

    def _changes(self, gradient: Any, variable: Any) -> list[Any]:
        """What `update` is given of a gradient: itself, and its squares where they are needed."""
        gradients = [gradient, _squared(gradient)] if self.takes_squares else [gradient]
        return [tf.cast(tf.convert_to_tensor(dense(g)), variable.dtype) for g in gradients]

    def _clipped(self, pairs: list[Any]) -> list[Any]:
        """The gradients, none too large; of sparse ones the rows as they are, as in Keras."""
        if self.clipnorm is not None:
            return [(tf.clip_by_norm(g, self.clipnorm), v) for g, v in pairs]
        if self.clipvalue is not None:
            return [(tf.clip_by_value(g, -self.clipvalue, self.clipvalue), v) for g, v in pairs]
        if self.global_clipnorm is not None:
            found, _ = tf.clip_by_global_norm([g for g, _ in pairs], self.global_clipnorm)
            return [(g, v) for g, (_, v) in zip(found, pairs, strict=True)]
        return pairs

    def apply(self, grads: Iterable[Any], trainable_variables: Iterable[Any]) -> Any:
        """`apply_gradients` with gradients and variables in two lists."""
        grads, variables = list(grads), list(trainable_variables)
        if len(grads) != len(variables):
            raise ValueError(
                f"apply: {len(grads)} gradients for {len(variables)} variables. Gradient i moves "
                "variable i. Pass the same list of variables to `tape.gradient` and here."
            )
        return self.apply_gradients(zip(grads, variables, strict=True))

    def minimize(self, loss: Callable[[], Any], var_list: Any, tape: Any = None) -> Any:
        """One step: the gradients of `loss()`, or of a tensor recorded on `tape`, applied.

        Raises:
            ValueError: if `loss` is a tensor and there is no tape.

        Example:
            >>> import minitape as tf
            >>> v = tf.Variable(3.0)
            >>> _ = tf.keras.optimizers.SGD(0.25).minimize(lambda: v * v, [v])
            >>> float(v)
            1.5
        """
        variables = list(var_list() if callable(var_list) else var_list)
        value: Any = loss
        if not callable(loss) and not tf.is_tensor(loss):
            kind = "a function that computes the loss, or its tensor"
            raise not_fitting("minimize", "loss", loss, kind, "minimize(lambda: v * v, [v])")
        if callable(loss):
            with tf.GradientTape() as tape:
                value = loss()
        elif tape is None:
            raise ValueError(
                teach(
                    "`tape` is required when a `Tensor` loss is passed.",
                    "A tensor does not know how it was computed; the tape that recorded it does.",
                    "Write `minimize(loss, variables, tape=tape)`, or pass the function that "
                    "computes the loss: `minimize(lambda: ..., variables)`.",
                )
            )
        return self.apply_gradients(zip(tape.gradient(value, variables), variables, strict=True))

    def begin_step(self, step: Any) -> None:
        """Changes what all variables share, before they are updated."""

    def update(self, variable: Any, *args: Any) -> None:
        """Changes `variable`; the arguments are its gradient, the squares, rate, step, slots.

        The squares are there if `takes_squares` is set. The step counts from 1.
        """
        raise NotImplementedError


def _fitting(gradient: Any, variable: Any) -> Any:
    """A gradient as tensors, after a check that it is one of `variable`.

    Raises:
        TypeError: if it holds no numbers.
        InvalidArgumentError: if its shape differs.
    """
    if not isinstance(gradient, tf.IndexedSlices):
        gradient = tf.convert_to_tensor(gradient)
    values = gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient
    name = _flat_name(variable)
    if values.dtype == "string":
        raise TypeError(
            f"apply_gradients: the gradient for the variable {name!r} has dtype string. A step is "
            "computed from numbers. Give what `tape.gradient(loss, variables)` returned."
        )
    wanted, shape = variable.shape, gradient.shape
    if not wanted.is_compatible_with(shape):
        raise tf.errors.InvalidArgumentError(
            f"Cannot update variable with shape {[*wanted]} using a Tensor with shape {[*shape]}: "
            f"the gradient for {name!r} is of another one. A gradient has one number for each of "
            "the variable's, and nothing was updated. Pass the gradients and the variables in the "
            "same order: `apply_gradients(zip(gradients, variables))`."
        )
    return gradient


def _no_gradients(given: list[Any]) -> ValueError:
    why = (
        "every one of them is None. Is the loss computed from the variables, inside of the tape's "
        "context, by ops of this package?"
    )
    if not given:
        why = (
            "there are no variables. A layer makes its own at its first call, and a frozen one has "
            "none in `trainable_variables`. Call the model once, or write `layer.trainable = True`."
        )
    return ValueError(f"No gradients provided for any variable: {why}")


def _squared(gradient: Any) -> Any:
    """The squares of a gradient; rows of slices are squared before they add up, as in Keras."""
    if isinstance(gradient, tf.IndexedSlices):
        return gradient.with_parts([tf.square(gradient.values)])
    return tf.square(tf.convert_to_tensor(gradient))


def _flat_name(variable: Any) -> str:
    """The path of a variable as one word: `dense_kernel`, of a tf.Variable `Variable_0`."""
    return str(getattr(variable, "path", variable.name)).replace("/", "_").replace(":", "_")


def _number(value: Any) -> Any:
    if not isinstance(value, str):
        with suppress(TypeError, ValueError):
            return np.dtype(floatx()).type(float(value))
    raise ValueError(
        f"Argument `learning_rate` should be float, or a function of the step number. "
        f"Received instead: learning_rate={short(value)}. Write for instance 0.01."
    )
