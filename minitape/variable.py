"""Variables: handles with one id whose value can be assigned.

What a variable gives an op is a tensor that carries the variable's own id, so the contributions of
all its reads add up under that id and tapes need no special case for variables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minitape.errors import teach
from minitape.errors.of_flags import checked_flag
from minitape.interpreter import active, fresh_ids, report_departure, symbolic_interpreter
from minitape.names.loading import load_rest
from minitape.names.registry import exports, registry
from minitape.names.scopes import current_scope
from minitape.names.signatures import own_initialiser
from minitape.tensor import EagerTensor, Spec, Tensor, eager
from minitape.tensors.assigning import Assignable
from minitape.tensors.boxed import Boxed
from minitape.tensors.convert import convert_to_tensor
from minitape.values import dtypes
from minitape.values.printing import numpy_repr
from minitape.values.shapes import TensorShape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from minitape.interpreter import Mark
    from minitape.values.public_types import DTypeLike, NumpyValue, ShapeLike, TensorLike


class ResourceVariable(Assignable):
    """A value that can be changed in place; `tf.Variable` makes one.

    Takes part in expressions like a tensor. Tapes watch it by themselves when it is read, if it is
    trainable. `assign` changes the value; no gradient flows through an assignment.

    Args:
        initial_value: a number, list, array or tensor, or a function without arguments that gives
            one.
        trainable: whether tapes watch it by themselves.
        name: a name for people; `v.name` is it with `:0` behind, as in TensorFlow.
        dtype: the element type; by default that of the initial value.
        shape: the shape that assigned values must have; by default that of the initial value. With
            None in it, values may differ in that axis; a `tf.function` that reads such a variable
            runs its Python at every call.
        constraint: a function of the value that optimizers apply after each step.

    Raises:
        ValueError: if there is no initial value.
        TypeError: if the initial value does not fit `dtype`.

    Example:
        >>> import minitape as tf
        >>> v = tf.Variable(3.0)
        >>> with tf.GradientTape() as tape:
        ...     y = v * v
        >>> print(tape.gradient(y, v))
        tf.Tensor(6.0, shape=(), dtype=float32)
    """

    __slots__ = (
        "__weakref__",
        "_name",
        "constraint",
        "id",
        "is_differentiable",
        "open_shape",
        "trainable",
    )
    open_shape: TensorShape | None

    def __init__(
        self,
        initial_value: TensorLike | Callable[[], TensorLike] | None = None,
        trainable: bool | None = True,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: DTypeLike = None,
        import_scope: Any = None,
        constraint: Callable[[Tensor], Tensor] | None = None,
        synchronization: Any = None,
        aggregation: Any = None,
        shape: ShapeLike = None,
    ) -> None:
        if initial_value is None:
            raise ValueError(
                teach(
                    "Unable to create a variable: no initial_value.",
                    "A variable always has a value.",
                    "Write `tf.Variable(0.0)`.",
                )
            )
        value = convert_to_tensor(
            initial_value() if callable(initial_value) else initial_value, dtype
        )
        self.open_shape = _open_shape(shape, value)
        # A box has no value: it computes the one to start with, or says why it cannot.
        held = value.initial_value() if isinstance(value, Boxed) else value.value
        # One tensor for all reads that no tape follows.
        self._plain = eager(held)
        self.assigned = (0, 0)
        self.id = next(fresh_ids)
        self.trainable = trainable is None or checked_flag("Variable", "trainable", trainable)
        self.constraint = constraint
        self.is_differentiable = self._plain.dtype.is_differentiable
        # TensorFlow's name is that of an op's first output: hence the `:0`.
        self._name = f"{current_scope()}{'Variable' if name is None else name}:0"
        if value.mark is not None:
            # The value goes on, the gradient does not: that explains a None later.
            report_departure("new variable", value, self)

    @property
    def name(self) -> str:
        """The name, `Variable:0` if none was given."""
        return self._name

    @property
    def spec(self) -> Spec:
        """Shape and NumPy dtype, without the values."""
        return self._plain.spec

    @property
    def shape(self) -> TensorShape:
        """The shape, which assignments keep."""
        return self._plain.shape if self.open_shape is None else self.open_shape

    @property
    def dtype(self) -> dtypes.DType:
        """The element type, which assignments keep."""
        return self._plain.dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self._plain.ndim

    def is_initialized(self, name: str | None = None) -> Tensor:
        """A true tensor: a variable has a value from the start."""
        return convert_to_tensor(True)

    def get_shape(self) -> TensorShape:
        """The same as `shape`."""
        return self.shape

    @property
    def device(self) -> str:
        """Where the value lives: always the CPU."""
        return self._plain.device

    @property
    def handle(self) -> ResourceVariable:
        """What tapes know the variable by: itself."""
        return self

    @property
    def initializer(self) -> Any:
        """What a session may run before the variable is used; eagerly None, as in TensorFlow."""
        load_rest()
        return exports["compat.v1.global_variables_initializer"]()

    if not TYPE_CHECKING:  # which would take every name for known

        def __getattr__(self, name: str) -> Any:
            """A method whose module is not loaded yet, such as `scatter_add`."""
            if name.startswith(("scatter_", "sparse_", "gather_")):
                load_rest()
                found = getattr(type(self), name, None)
                if found is not None:
                    return found.__get__(self)
            said = f"{type(self).__name__!r} object has no attribute {name!r}"
            raise AttributeError(said, name=name, obj=self)

    def as_operand(self) -> Tensor:
        """The value for an op: a tensor with the variable's id, followed by tapes that watch it."""
        mark: Mark | None = None
        graph = None
        for interpreter in active():
            if interpreter.append is None and interpreter.symbolic:
                graph = interpreter
            elif interpreter.follows_variable(self):
                mark = interpreter.mark if mark is None else mark + interpreter.mark
        if graph is not None:
            return graph.read(self)  # type: ignore[no-any-return]
        if mark is None:
            return self._plain
        # A tensor of its own for each read, as the value may be assigned in between. They all have
        # the variable's id, under which their contributions add up.
        tensor = EagerTensor()
        tensor.value = self._plain.value
        tensor.mark = mark
        tensor.id = self.id
        return tensor

    # The three look-ups by name in this class stay: `import minitape` brings variables, and no op
    # before one is used.

    def value(self) -> Tensor:
        """What the variable holds now, as a tensor that later assignments do not change."""
        return registry["identity"](self.as_operand())  # type: ignore[no-any-return]

    read_value = value

    def __tf_tensor__(self, dtype: DTypeLike = None, name: str | None = None) -> Tensor:
        return registry["identity"](self.as_operand())  # type: ignore[no-any-return]

    def numpy(self) -> NumpyValue:
        """The value as a NumPy array that is yours to change; rank 0 gives a NumPy scalar."""
        return self._left("numpy").numpy()

    def __array__(self, dtype: DTypeLike = None, copy: bool | None = None) -> Any:
        return self._left("numpy").__array__(dtype, copy)

    def _left(self, kind: str) -> EagerTensor:
        """The plain value, after a report to the tapes that follow the variable."""
        tensor = self.as_operand()
        if tensor.mark is not None:
            report_departure(kind, tensor)
        return self._plain

    def __float__(self) -> float:
        return float(self._left("float"))

    def __int__(self) -> int:
        return int(self._left("int"))

    def __complex__(self) -> complex:
        return complex(self._left("complex"))

    def __bool__(self) -> bool:
        return bool(self._plain)

    def __index__(self) -> int:
        return self._plain.__index__()

    def __len__(self) -> int:
        return len(self._plain)

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self.as_operand())

    def __repr__(self) -> str:
        what = f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}"
        if symbolic_interpreter() is not None:  # what it will hold when the graph runs is not known
            return f"{what}>"
        return f"{what}, numpy={numpy_repr(self._plain.value)}>"

    def __format__(self, spec: str) -> str:
        if spec:
            raise TypeError(
                teach(
                    f"unsupported format string {spec!r} passed to {type(self).__name__}"
                    ".__format__.",
                    "A variable is a place that holds a value, and only the value is a number.",
                    f"Write `{{v.numpy():{spec}}}`.",
                )
            )
        return repr(self)

    # A copy is another variable: tapes tell variables apart by their ids, in each process its own.

    def __getstate__(self) -> tuple[Any, dict[str, Any]]:
        state: Any = object.__getstate__(self)
        rest, slots = state
        own = {"id", "assigned"}
        return rest, {name: value for name, value in slots.items() if name not in own}

    def __setstate__(self, state: tuple[Any, dict[str, Any]]) -> None:
        rest, slots = state
        for name, value in {**(rest or {}), **slots}.items():
            setattr(self, name, value)
        self.id = next(fresh_ids)
        self.assigned = (0, 0)


def _open_shape(shape: Any, value: Tensor) -> TensorShape | None:
    """The shape that was asked for, if it leaves something open; raises where it does not fit."""
    if shape is None:
        return None
    stated = TensorShape(shape)
    if not stated.is_compatible_with(value.shape):
        raise ValueError(
            teach(
                f"The initial value's shape ({tuple(value.shape)}) is not compatible with the "
                f"explicitly supplied `shape` argument ({TensorShape(shape)}).",
                "A variable keeps the shape that it starts with.",
                "Give an initial value of that shape, or leave `shape` out.",
            )
        )
    return None if stated.is_fully_defined() else stated


# TensorFlow's public name; the class prints as in TensorFlow's guides.
Variable = ResourceVariable
own_initialiser(Variable, "Variable")
