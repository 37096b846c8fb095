"""Symbolic tensors: what stands for a value while a graph is built, and why it has none yet.

A symbolic tensor is a slot of its graph, with a shape and a dtype. Python that asks for its value
gets a message with the user's line, except where the value follows from constants, or where
`function` can run the Python instead (`NeedsValue`).
"""

from __future__ import annotations

import sys
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from minitape.errors import teach
from minitape.graphs.sizes.shapes import visible
from minitape.names.places import calling_place
from minitape.tensor import EagerTensor, Spec
from minitape.tensors.boxed import Boxed
from minitape.values.shapes import TensorShape

if TYPE_CHECKING:
    from minitape.interpreter import Interpreter


# The function that runs its Python at every call, and why; for the words of errors.
running_python: ContextVar[str] = ContextVar("minitape_running_python", default="")


class OperatorNotAllowedInGraphError(TypeError):
    """Python asked for the value of a symbolic tensor (TensorFlow's class of this name)."""


class NoNumpyError(AttributeError, TypeError):
    """`.numpy()` was called on a tensor that has no value yet."""


class InaccessibleTensorError(ValueError, TypeError):
    """A tensor of one graph was used in another (TensorFlow's class of this name)."""


class NeedsValue(BaseException):
    """Tracing met Python that depends on a tensor's value; `function` then runs the Python itself.

    Not an `Exception`, so that an `except Exception` in the traced code cannot swallow it.
    """

    def __init__(self, root: Interpreter, what: str, line: str) -> None:
        super().__init__(what, line)
        self.root, self.what, self.line = root, what, line


class AssignsVariable(BaseException):
    """A branch or loop body assigns a variable: its reads have to happen when it runs."""


class Operation(NamedTuple):
    """What `tensor.op` shows of a node."""

    name: str
    type: str


def user_line() -> str:
    """File and line of the program that called minitape."""
    return "{}:{}".format(*calling_place())


def at_user_line(error: Exception) -> Exception:
    """`error` with the user's line as a note."""
    error.add_note(f"minitape: at {user_line()}")
    return error


def _asked_by_minitape() -> bool:
    """Whether an op, and not the user, wants a value that is no data, such as a size."""
    name: str = sys._getframe(2).f_globals.get("__name__", "")  # none in what `exec` runs
    return name.startswith("minitape.")


class Symbolic(Boxed):
    """A tensor of a graph: shape and dtype, and a value only when the graph runs."""

    __slots__ = ()

    @property
    def spec(self) -> Spec:
        """Shape and NumPy dtype."""
        shape, dtype, _ = self.interpreter.specs[self.value]
        return Spec(shape, dtype, self.id)

    @property
    def shape(self) -> TensorShape:
        """The shape; None for a size that is known only when the graph runs."""
        dims = self.spec.shape
        if self.interpreter.has_sizes and not _asked_by_minitape():
            return TensorShape(visible(dims))
        return TensorShape.known(dims)

    def __hash__(self) -> int:  # no value to compare by: it is its own key
        return id(self)

    @property
    def graph(self) -> Interpreter:
        """The graph that it belongs to."""
        return self.interpreter  # type: ignore[no-any-return]

    @property
    def op(self) -> Operation:
        """Name and type of the op that gives it."""
        return self.interpreter.operation(self.value)  # type: ignore[no-any-return]

    @property
    def name(self) -> str:
        """The op's name and which of its outputs this is."""
        return self.interpreter.tensor_name(self.value)  # type: ignore[no-any-return]

    @property
    def is_length(self) -> bool:
        """Whether it consists of sizes that are not known before the graph runs."""
        return self.value in self.interpreter.lengths

    def static(self, what: str) -> Any:
        """The value if it follows from constants.

        Raises:
            OperatorNotAllowedInGraphError: if it does not (inside a traced function: `NeedsValue`).
        """
        graph = self.interpreter
        if self.value in graph.known:
            return graph.known[self.value]
        if self.value in graph.lengths:
            return graph.lengths[self.value]
        if isinstance(graph.captured.get(self.value), EagerTensor):
            return graph.captured[self.value].value
        raise graph.refusal(what, self)

    def initial_value(self) -> Any:
        """The value for a new variable, of which the graph takes note."""
        self.interpreter.root.makes_variables = True
        return self.static("a new variable")

    def numpy(self) -> Any:
        """Raises: the value exists only when the graph runs."""
        if _asked_by_minitape():
            return self.static("what is computed here")
        raise NoNumpyError(
            teach(
                f"{user_line()}: .numpy() was called on {self!r}, which has no value while a graph "
                "is built.",
                "A graph only writes ops down; NumPy would compute now, and would not be part of "
                "it.",
                "Use tf ops, return the tensor and call .numpy() outside, or use tf.py_function.",
            )
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if _asked_by_minitape() and self.interpreter.root.traces_python:
            return np.asarray(self.static("what is computed here"), dtype)
        raise NotImplementedError(
            teach(
                f"{user_line()}: Cannot convert a symbolic tf.Tensor ({self.name}) to a numpy "
                "array.",
                "NumPy functions compute at once, and a graph's tensor has no value yet.",
                "Use the tf function of that name.",
            )
        )

    def _item(self, what: str) -> Any:
        graph = self.interpreter
        if graph.root.traces_python and self.value in graph.known:
            return graph.known[self.value].item()
        raise graph.refusal(what, self)

    def __bool__(self) -> bool:
        return bool(self._item("bool(), as in a Python `if`, `while`, `and`, `not`,"))

    def __float__(self) -> float:
        return float(self._item("float()"))

    def __int__(self) -> int:
        return int(self._item("int()"))

    def __complex__(self) -> complex:
        return complex(self._item("complex()"))

    def __index__(self) -> int:
        return int(self._item("a Python index"))

    def __repr__(self) -> str:
        shape, dtype, _ = self.spec
        return f"<tf.Tensor '{self.name}' shape={visible(shape)} dtype={self.dtype.name}>"

    def __str__(self) -> str:
        shape, dtype = visible(self.spec.shape), self.dtype.name
        return f'Tensor("{self.name}", shape={shape}, dtype={dtype})'

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


def needs_value(root: Interpreter, what: str, tensor: Any) -> BaseException:
    """Python asked for the value of `tensor`, which has none before its graph runs.

    Where `function` may run the Python at every call instead, it is what makes it do so.
    """
    line = user_line()
    if root.traces_python:  # type: ignore[attr-defined]  # a graph
        return NeedsValue(root, what, line)
    return OperatorNotAllowedInGraphError(
        teach(
            f"{line}: {what} needs the value of {tensor!r}: Using a symbolic `tf.Tensor` as a "
            "Python value is not allowed.",
            "A graph is built before it runs, so this Python cannot depend on what a tensor "
            "will hold.",
            "Use tf.cond or tf.case for `if`, tf.while_loop for `while` and `for`, tf.where "
            "for an elementwise choice.",
        )
    )


def out_of_scope(x: Symbolic) -> Exception:
    """A tensor was used in a graph that is not inside of its own."""
    made = x.interpreter.producers.get(x.value)
    return InaccessibleTensorError(
        teach(
            f"{user_line()}: {x!r}{f', made at {made.line},' if made else ''} is out of scope "
            "and cannot be used here: it must be from the same graph as the other tensors.",
            "A symbolic tensor has a value only while its own graph runs.",
            "Return it from its function and use the result, or build both in one graph.",
        )
    )
