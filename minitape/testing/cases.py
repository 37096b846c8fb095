"""`TestCase`: `unittest`'s, with assertions about tensors.

An assertion about all elements is one about a NumPy array of them; the complaint names the first
elements that it does not hold for, with their indices.
"""

from __future__ import annotations

import contextlib
import random
import re
import tempfile
import threading
import unittest
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

import numpy as np

from minitape.errors import OpError
from minitape.graphs.sessions import Session
from minitape.interpreter import symbolic_interpreter
from minitape.ops.random.randomness import set_seed
from minitape.tensor import Tensor
from minitape.testing import comparisons
from minitape.testing.closeness import Closeness
from minitape.values import dtypes

_SEED = 87654321  # TensorFlow's seed of every test


class EagerSession:
    """What `session` gives where ops run at once: it has nothing to run."""

    def __init__(self, case: TestCase) -> None:
        self._case = case

    def run(self, fetches: Any, feed_dict: Any = None) -> Any:
        """The values of `fetches`.

        Raises:
            RuntimeError: if something is fed, for which there is no placeholder.
        """
        if feed_dict:
            raise RuntimeError(
                "Ops run at once here, so nothing can be fed to them. Call a function with other "
                "values, or build a graph: `with tf.Graph().as_default(), self.session():`."
            )
        return self._case.evaluate(fetches)


class TestCase(Closeness):
    """A `unittest.TestCase` whose assertions take tensors, variables, arrays and numbers.

    Each test starts with the same seed of all random numbers (`random`, NumPy's, minitape's).

    Example:
        >>> import minitape as tf
        >>> class SquareTest(tf.test.TestCase):
        ...     def test_gradient(self):
        ...         x = tf.constant([1.0, 2.0])
        ...         with tf.GradientTape() as tape:
        ...             tape.watch(x)
        ...             y = x * x
        ...         self.assertAllClose(tape.gradient(y, x), [2.0, 4.0])
        >>> SquareTest("test_gradient").run().wasSuccessful()
        True
    """

    def setUp(self) -> None:
        """Seeds all random numbers; call it first where a test has a `setUp` of its own."""
        super().setUp()
        random.seed(_SEED)
        np.random.seed(_SEED)
        set_seed(_SEED)

    @contextlib.contextmanager
    def session(
        self,
        graph: Any = None,
        config: Any = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Iterator[Any]:
        """A session of the graph that is being built; without one, something to `run` tensors."""
        if graph is None and symbolic_interpreter() is None:
            yield EagerSession(self)
        else:
            with Session(graph=graph) as session:
                yield session

    cached_session = session

    def __getattr__(self, name: str) -> Any:
        if name == "test_session":  # no method, because loaders take those for tests
            return self.session
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def get_temp_dir(self) -> str:
        """A folder for this test, which is removed after it."""
        if not hasattr(self, "_folder"):
            self._folder = tempfile.TemporaryDirectory()
            self.addCleanup(self._folder.cleanup)
        return self._folder.name

    def checkedThread(
        self, target: Callable[..., Any], args: Any = None, kwargs: Any = None
    ) -> CheckedThread:
        """A thread whose exceptions fail this test when it is joined."""
        return CheckedThread(target, args or (), kwargs or {})

    # All elements.

    def _all(self, a: Any, holds: Callable[[Any], Any], what: str) -> None:
        array = self._array(a)
        self._check(comparisons.outside(array, np.asarray(holds(array)), what), None)

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        """Fails unless all elements are above `comparison_target`."""
        self._all(a, lambda x: x > comparison_target, f"> {comparison_target}")

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        """Fails unless all elements are below `comparison_target`."""
        self._all(a, lambda x: x < comparison_target, f"< {comparison_target}")

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        """Fails unless all elements are `comparison_target` or more."""
        self._all(a, lambda x: x >= comparison_target, f">= {comparison_target}")

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        """Fails unless all elements are `comparison_target` or less."""
        self._all(a, lambda x: x <= comparison_target, f"<= {comparison_target}")

    def assertAllInRange(
        self,
        target: Any,
        lower_bound: Any,
        upper_bound: Any,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """Fails unless all elements lie between two bounds, which belong to the range if closed."""

        def holds(x: Any) -> Any:
            above = x > lower_bound if open_lower_bound else x >= lower_bound
            return above & (x < upper_bound if open_upper_bound else x <= upper_bound)

        left, right = "(" if open_lower_bound else "[", ")" if open_upper_bound else "]"
        self._all(target, holds, f"in {left}{lower_bound}, {upper_bound}{right}")

    def assertAllInSet(self, target: Any, expected_set: Iterable[Any]) -> None:
        """Fails unless all elements are members of `expected_set`."""
        members = list(expected_set)
        self._all(target, lambda x: np.isin(x, members), f"one of {members}")

    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: Any = None) -> None:
        """Fails unless two arrays or tensors have the same shape.

        Raises:
            TypeError: if one is neither.
        """
        for argument, value in (("input_a", input_a), ("input_b", input_b)):
            if not isinstance(value, np.ndarray | np.generic | Tensor):
                raise TypeError(
                    f"{argument} must be a NumPy ndarray or a Tensor; got {type(value)}. Compare "
                    "shapes themselves by assertEqual."
                )
        self.assertTupleEqual(tuple(input_a.shape), tuple(input_b.shape), msg)

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        """Fails unless an array or tensor has the dtype `expected_dtype`."""
        self.assertEqual(
            dtypes.as_dtype(self._array(target).dtype), dtypes.as_dtype(expected_dtype)
        )

    # Errors.

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(
        self, exception_type: Any, expected_err_re_or_predicate: Any
    ) -> Iterator[None]:
        """Fails unless its block raises `exception_type`, with a message that fits.

        Args:
            exception_type: a class, or a tuple of them.
            expected_err_re_or_predicate: a regular expression to find in the message, or a function
                that takes the exception and says whether it is the right one.
        """
        try:
            yield
        except exception_type as error:
            wanted = expected_err_re_or_predicate
            fits = wanted(error) if callable(wanted) else re.search(wanted, str(error))
            if not fits:
                raise AssertionError(
                    f"Exception of type {type(error).__name__}, but not as expected: {error}"
                ) from error
        else:
            self.fail(f"{exception_type} not raised")

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> Any:
        """Fails unless its block raises an error of an op, with a message that fits."""
        return self.assertRaisesWithPredicateMatch(OpError, expected_err_re_or_predicate)

    # Containers, as in absl's TestCase.

    def assertLen(self, container: Collection[Any], expected_len: int, msg: Any = None) -> None:
        """Fails unless `container` has `expected_len` items."""
        if len(container) != expected_len:
            self._check(f"{container!r:.200} has {len(container)} items, not {expected_len}.", msg)

    def assertEmpty(self, container: Collection[Any], msg: Any = None) -> None:
        """Fails if `container` has items."""
        self.assertLen(container, 0, msg)

    def assertNotEmpty(self, container: Collection[Any], msg: Any = None) -> None:
        """Fails if `container` has no items."""
        if not len(container):
            self._check(f"{container!r} has no items.", msg)

    def assertBetween(self, value: Any, minv: Any, maxv: Any, msg: Any = None) -> None:
        """Fails unless `minv <= value <= maxv`."""
        if not minv <= value <= maxv:
            self._check(f"{value!r} is not between {minv!r} and {maxv!r}.", msg)

    def assertStartsWith(self, actual: Any, expected_start: Any, msg: Any = None) -> None:
        """Fails unless the text `actual` begins with `expected_start`."""
        if not actual.startswith(expected_start):
            self._check(f"{actual!r} does not start with {expected_start!r}.", msg)

    def assertSameElements(
        self, expected_seq: Iterable[Any], actual_seq: Iterable[Any], msg: Any = None
    ) -> None:
        """Fails unless two iterables have the same set of items, in any order and number."""
        self.assertSetEqual(set(expected_seq), set(actual_seq), msg)


class CheckedThread:
    """A thread whose exception is raised where it is joined."""

    def __init__(self, target: Callable[..., Any], args: Any, kwargs: Any) -> None:
        self._error: BaseException | None = None

        def run() -> None:
            try:
                target(*args, **kwargs)
            except BaseException as error:
                self._error = error

        self._thread = threading.Thread(target=run)

    def start(self) -> None:
        """Starts it."""
        self._thread.start()

    def join(self) -> None:
        """Waits for its end.

        Raises:
            AssertionError: if it ended by an exception.
        """
        self._thread.join()
        error, self._error = self._error, None
        if error is not None:
            raise AssertionError(f"Error in CheckedThread: {error}") from error

    def is_alive(self) -> bool:
        """Whether it still runs."""
        return self._thread.is_alive()


def main(argv: Any = None) -> None:
    """Runs the tests of the script that calls it, as `unittest.main` does.

    Args:
        argv: the command line, by default that of the process.

    Example:
        A script of tests ends with

            if __name__ == "__main__":
                tf.test.main()
    """
    unittest.main(module="__main__", argv=argv)
