"""What TensorFlow's graph programs write around their ops: scopes, and ops that only order others.

Here ops run in the order of the program, effects included, so that most of these have nothing to
do. They exist so that such programs run unchanged.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from minitape.errors.of_arguments import not_fitting
from minitape.graphs.symbolic import Symbolic
from minitape.interpreter import active, symbolic_interpreter
from minitape.leaving import only
from minitape.names.scopes import NameScope
from minitape.op import export
from minitape.values import nest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from minitape.graphs.graph import Graph
    from minitape.values.public_types import TensorLike


@export("control_dependencies")
@contextmanager
def control_dependencies(control_inputs: Any) -> Iterator[None]:
    """Says that its block runs after `control_inputs`; effects are in the program's order anyway.

    Example:
        >>> import minitape as tf
        >>> v = tf.Variable(1.0)
        >>> with tf.control_dependencies([v.assign(2.0)]):
        ...     y = v * 3.0
        >>> float(y)
        6.0
    """
    yield


@export("compat.v1.name_scope")
def name_scope(
    name: str | None, default_name: Any = None, values: TensorLike | None = None
) -> NameScope:
    """A scope for names, `default_name` where `name` is None; see `tf.name_scope`."""
    return NameScope((default_name or "") if name is None else name)


@export("device")
@contextmanager
def device(device_name: Any) -> Iterator[None]:
    """A place to compute; there is one, the CPU."""
    yield


@export("init_scope")
@contextmanager
def init_scope() -> Iterator[None]:
    """Runs its block eagerly, also while a function is traced.

    Example:
        >>> import minitape as tf
        >>> @tf.function
        ... def f(x):
        ...     with tf.init_scope():
        ...         eager = tf.executing_eagerly()
        ...     return x, tf.constant(eager)
        >>> bool(f(tf.constant(1.0))[1])
        True
    """
    with only(tuple(i for i in active() if not i.symbolic)):
        yield


@export("group")
def group(*inputs: Any, name: str | None = None) -> None:
    """Groups ops that have effects; there is nothing to wait for."""
    nest.flatten(inputs)


@export("no_op")
def no_op(name: str | None = None) -> None:
    """Does nothing."""


@export("is_symbolic_tensor")
def is_symbolic_tensor(tensor: TensorLike) -> bool:
    """Whether `tensor` stands for a value that a graph gives when it runs.

    Example:
        >>> import minitape as tf
        >>> tf.is_symbolic_tensor(tf.constant(1.0))
        False
    """
    return isinstance(tensor, Symbolic)


class Nothing:
    """An op that has nothing to do."""

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Does nothing."""


@export("compat.v1.global_variables_initializer")
def global_variables_initializer() -> Nothing | None:
    """Something to run before the variables are used; they have their initial values already.

    Returns:
        Something that a session runs; eagerly None, as in TensorFlow.
    """
    return None if symbolic_interpreter() is None else Nothing()


@export("compat.v1.get_default_graph")
def get_default_graph() -> Graph | None:
    """The graph that is being built."""
    return symbolic_interpreter()  # type: ignore[no-any-return]


def _of_variables(how: str) -> Any:
    def function(
        ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None
    ) -> Any:
        if not hasattr(ref, how):
            raise not_fitting(how, "ref", ref, "a variable", f"v = tf.Variable(1.0); v.{how}(2.0)")
        return getattr(ref, how)(value)

    function.__name__ = function.__qualname__ = how
    function.__doc__ = f"""Calls `ref.{how}(value)`.

    Example:
        >>> import minitape as tf
        >>> float(tf.compat.v1.{how}(ref=tf.Variable(1.0), value=0.0))
        {0.0 if how == "assign" else 1.0}
    """
    return export(f"compat.v1.{how}")(function)


assign, assign_add, assign_sub = map(_of_variables, ("assign", "assign_add", "assign_sub"))
