"""Static graphs in the old style: `tf.Graph`, `tf.compat.v1.placeholder` and `Session.run`.

A session runs only the nodes that the fetches depend on, with the fed tensors' own nodes left out;
what is compiled for one choice of fetches and feeds is kept for the next run.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from minitape.errors import InvalidArgumentError, teach
from minitape.graphs import compiling
from minitape.graphs.compat_scopes import Nothing
from minitape.graphs.graph import Graph
from minitape.graphs.sizes.shapes import fits, visible
from minitape.graphs.symbolic import Symbolic
from minitape.interpreter import symbolic_interpreter
from minitape.leaving import only
from minitape.op import export, exports
from minitape.safety.exits import left_when_dropped
from minitape.safety.silence import quietly
from minitape.tensor import EagerTensor, Spec
from minitape.values import dtypes, nest
from minitape.values.arrays import as_numpy, to_array
from minitape.values.shapes import TensorShape
from minitape.variable import ResourceVariable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from minitape.graphs.running import Runner

exports["Graph"] = exports["compat.v1.Graph"] = Graph


@export("compat.v1.placeholder")
def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Symbolic:
    """A tensor of the default graph whose value is fed to `Session.run`.

    Args:
        dtype: the element type.
        shape: the shape, with None for each size that is not known yet.
        name: a name for people.

    Raises:
        RuntimeError: when executing eagerly.
        ValueError: if the number of axes is not known.

    Example:
        >>> import minitape as tf
        >>> with tf.Graph().as_default():
        ...     x = tf.compat.v1.placeholder(tf.float32, shape=[2])
        ...     y = tf.reduce_sum(x * x)
        ...     with tf.compat.v1.Session() as session:
        ...         value = session.run(y, feed_dict={x: [1.0, 3.0]})
        >>> float(value)
        10.0
    """
    graph = symbolic_interpreter()
    if graph is None:
        raise RuntimeError(
            teach(
                "tf.placeholder() is not compatible with eager execution.",
                "A placeholder belongs to a graph, and there is none.",
                "Write it inside `with tf.Graph().as_default():`, or use the argument of a "
                "tf.function.",
            )
        )
    dims = TensorShape(shape)
    if dims.rank is None:
        raise ValueError(
            teach(
                "placeholder: shape=None leaves the number of axes open.",
                "minitape's graphs know how many axes a tensor has; their sizes may be unknown.",
                "Write None for each axis of unknown size, such as shape=[None, 3].",
            )
        )
    spec = Spec(tuple(dims.as_list()), dtypes.as_dtype(dtype).np)
    return graph.input(spec, name)  # type: ignore[no-any-return]


class Session:
    """Runs parts of a graph.

    Args:
        target: accepted and not used.
        graph: the graph; by default the one that is being built.
        config: accepted and not used.

    Example:
        >>> import minitape as tf
        >>> with tf.Graph().as_default() as graph:
        ...     y = tf.constant(2.0) * 3.0
        >>> with tf.compat.v1.Session(graph=graph) as session:
        ...     float(session.run(y))
        6.0
    """

    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        self._graph = graph if graph is not None else symbolic_interpreter()
        self._runners: dict[Any, Runner] = {}
        self._closed = False

    @property
    def graph(self) -> Graph:
        """The graph that it runs."""
        return self._graph

    def __enter__(self) -> Session:
        _entered.set((*_entered.get(), self))
        return self

    @property
    def entered(self) -> bool:
        """Whether this thread or task is in its block."""
        return any(each is self for each in _entered.get())

    @left_when_dropped
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _entered.set(tuple(each for each in _entered.get() if each is not self))
        self.close()

    @contextmanager
    def as_default(self) -> Iterator[Session]:
        """Inside of the block `x.eval()` asks this session; it stays open afterwards."""
        before = _entered.get()
        _entered.set((*before, self))
        try:
            yield self
        finally:
            _entered.set(before)

    def close(self) -> None:
        """Ends the session; it cannot run any more."""
        self._closed = True
        self._runners.clear()

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """The values of `fetches`.

        Args:
            fetches: tensors and variables, or a nest of them.
            feed_dict: from tensors (placeholders, or any other) to values.
            options: accepted and not used.
            run_metadata: accepted and not used.

        Returns:
            NumPy values in the structure of `fetches`.

        Raises:
            RuntimeError: if the session is closed, or has no graph.
            TypeError: if a fetch or a key of `feed_dict` is not a tensor of a graph.
            ValueError: if a value does not fit the tensor it is fed to, or a tensor is of another
                graph.
            InvalidArgumentError: if a placeholder that is needed was not fed.
        """
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session. Run inside its `with` block.")
        if self._graph is None:
            raise RuntimeError(
                "The Session graph is empty. Add operations to the graph before calling run(): "
                "make the session inside `with graph.as_default():`, or write Session(graph=graph)."
            )
        feeds = [(self._element(key), value) for key, value in _items(feed_dict)]
        leaves = nest.flatten(fetches)
        slots = [self._slot(leaf) for leaf in leaves]
        inputs = tuple(x.value for x, _ in feeds)
        asked = (tuple(s for s in slots if s is not None), inputs)
        runner = self._runners.get(asked)
        if runner is None or len(self.graph.nodes) != runner.size:
            runner = compiling.runner(self.graph, inputs, asked[0], effects=False)
            self._runners[asked] = runner
        if runner.missing:
            raise self._unfed(runner.missing[0])
        with only(()):
            values = iter(quietly(runner, [_fed(x, value) for x, value in feeds]))
        found = [None if slot is None else next(values) for slot in slots]
        return nest.pack_sequence_as(fetches, found)

    def _element(self, x: Any) -> Symbolic:
        """A tensor of this session's graph."""
        if not isinstance(x, Symbolic):
            raise TypeError(
                f"Fetch argument {x!r} has invalid type {type(x).__name__}, must be a tensor of "
                "the graph. (Can not convert a "
                f"{type(x).__name__} into a Tensor or Operation.)"
            )
        if x.interpreter is not self._graph:
            raise ValueError(
                f"Tensor {x!r} is not an element of this graph. Use a session of its own graph."
            )
        return x

    def _slot(self, leaf: Any) -> int | None:
        if leaf is None or isinstance(leaf, Nothing):
            return None
        if isinstance(leaf, ResourceVariable | EagerTensor):
            return self.graph.slot(leaf)
        return self._element(leaf).value  # type: ignore[no-any-return]

    def _unfed(self, slot: int) -> Exception:
        tensor = self.graph.tensor(slot)
        return InvalidArgumentError(
            teach(
                f"You must feed a value for placeholder tensor '{tensor.op.name}' with dtype "
                f"{tensor.dtype.name} and shape "
                f"{visible(tensor.spec.shape)}.",
                "What was asked for depends on it.",
                "Write `session.run(..., feed_dict={x: value})`.",
            )
        )


def _items(feed_dict: Any) -> list[tuple[Any, Any]]:
    """Pairs of tensor and value; keys are tensors themselves, or `tensor.ref()`."""
    pairs = (feed_dict or {}).items()
    return [(key.deref() if hasattr(key, "deref") else key, value) for key, value in pairs]


def _fed(x: Symbolic, value: Any) -> Any:
    """`value` as an array for the tensor `x`."""
    if isinstance(value, Symbolic):
        raise TypeError(
            "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include "
            "Python scalars, lists, NumPy arrays."
        )
    shape, dtype, _ = x.spec
    given = value.value if isinstance(value, EagerTensor) else value
    found = as_numpy(given)
    array = to_array(given, dtype) if found is None else found.astype(dtype)
    if not fits(array.shape, shape):
        raise ValueError(
            f"Cannot feed value of shape {array.shape} for Tensor {x.name}, which has shape "
            f"{visible(shape)}. Feed a value of that shape."
        )
    return array[()]


# The sessions whose blocks this thread or task is in; the last one is asked by `x.eval()`.
_entered: ContextVar[tuple[Session, ...]] = ContextVar("minitape_sessions", default=())


def evaluate(x: Symbolic, feed_dict: Any = None, session: Session | None = None) -> Any:
    """The value of a tensor in `session`, by default the one whose block this is.

    Raises:
        ValueError: if there is no session.
    """
    entered = _entered.get()
    if session is None and not entered:
        raise ValueError(
            "Cannot evaluate tensor using `eval()`: No default session is registered. Use `with "
            "sess.as_default()` or pass an explicit session to `eval(session=sess)`"
        )
    return (session or entered[-1]).run(x, feed_dict)


Symbolic.eval = evaluate  # type: ignore[attr-defined]


exports["compat.v1.Variable"] = ResourceVariable
exports["compat.v1.Session"] = Session
