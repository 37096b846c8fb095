"""`tf.test.TestCase`: what its assertions accept and refuse, eagerly and in graphs."""

from __future__ import annotations

import subprocess
import sys
import unittest
from pathlib import Path

import numpy as np
import pytest

import minitape as tf

NAN = float("nan")


@pytest.fixture
def case():
    return tf.test.TestCase()


def test_it_is_a_unittest_case_that_runs_with_subtests():
    class Tests(tf.test.TestCase):
        def test_passes(self):
            for x in (1.0, 2.0):
                with self.subTest(x=x):
                    self.assertAllEqual(tf.constant(x) * 2.0, 2 * x)

        def test_fails(self):
            self.assertAllEqual(tf.constant([1.0]), [2.0])

    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Tests).run(result)
    assert result.testsRun == 2
    ((failed, text),) = result.failures
    assert failed.id().endswith("test_fails")
    assert "at (0,): got np.float32(1.0), expected np.float64(2.0)" in text
    assert not result.errors and not result.skipped


def test_importing_and_loading_everything_leaves_unittest_alone():
    code = (
        "import sys, minitape as tf; tf.math.digamma; assert 'unittest' not in sys.modules; "
        "tf.test.TestCase; assert 'unittest' in sys.modules"
    )
    subprocess.check_call([sys.executable, "-c", code], cwd=Path(__file__).parents[2])


def test_main_runs_the_tests_of_the_script(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import minitape as tf\n"
        "class T(tf.test.TestCase):\n"
        "    def testSum(self):\n"
        "        self.assertAllClose(tf.constant(0.1) + 0.2, 0.3)\n"
        "tf.test.main()\n"
    )
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, str(script)], env={"PYTHONPATH": root}, capture_output=True, text=True
    )
    assert done.returncode == 0 and "Ran 1 test" in done.stderr


def test_the_random_numbers_of_every_test_start_alike(case):
    case.setUp()
    first = np.random.rand(), tf.random.uniform([2]).numpy().tolist()
    case.setUp()
    assert first == (np.random.rand(), tf.random.uniform([2]).numpy().tolist())


def test_evaluate_gives_numpy_values_in_the_structure_of_tensors(case):
    found = case.evaluate({"a": tf.constant([1, 2]), "b": (tf.Variable(3.0), None)})
    assert found["a"].tolist() == [1, 2] and found["b"] == (3.0, None)
    assert case.evaluate(lambda: tf.constant(4.0)) == 4.0


def test_evaluate_refuses_what_is_no_tensor(case):
    with pytest.raises(ValueError, match="Unsupported type <class 'float'>"):
        case.evaluate(1.0)


def test_evaluate_gives_the_parts_of_sparse_slices(case):
    slices = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([2]), tf.constant([3, 1]))
    found = case.evaluate(slices)
    assert found.values.tolist() == [[1.0]]
    assert found.indices.tolist() == [2] and found.dense_shape.tolist() == [3, 1]


def test_evaluate_runs_the_graph_of_a_symbolic_tensor(case):
    with tf.Graph().as_default(), case.cached_session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [])
        y = tf.constant(3.0) * 2.0
        case.assertAllEqual(y, 6.0)
        assert session.run(x * y, {x: 2.0}) == 12.0
    assert case.evaluate([y]) == [6.0]


def test_initializing_variables_is_nothing_to_evaluate(case):
    assert case.evaluate(tf.compat.v1.global_variables_initializer()) is None
    with tf.Graph().as_default(), case.session():
        v = tf.Variable(2.0)
        case.evaluate(tf.compat.v1.global_variables_initializer())
        assert case.evaluate(v * 3.0) == 6.0


def test_an_eager_session_evaluates_and_takes_no_feeds(case):
    for session in (case.session, case.cached_session, case.test_session):
        with session() as s:
            assert s.run([tf.constant(1.0)]) == [1.0]
            with pytest.raises(RuntimeError, match="nothing can be fed"):
                s.run([], feed_dict={"x": 1})


EQUAL = [
    (tf.constant([1, 2]), np.array([1, 2])),
    (tf.Variable(1.5), 1.5),
    ([tf.constant(1.0), tf.constant(2.0)], [1.0, 2.0]),
    ([NAN], tf.constant([NAN])),
    (tf.constant(["a", "b"]), [b"a", b"b"]),
    (tf.constant("a"), "a"),
    ([], tf.zeros([0])),
    (tf.ragged.constant([[1], [2, 3]]), [[1], [2, 3]]),
    (tf.constant([True]), [True]),
]


@pytest.mark.parametrize(("a", "b"), EQUAL)
def test_values_with_the_same_elements_are_all_equal(case, a, b):
    case.assertAllEqual(a, b)


@pytest.mark.parametrize(("a", "b"), EQUAL[:-2])
def test_not_all_equal_refuses_values_with_the_same_elements(case, a, b):
    with pytest.raises(AssertionError, match="equal at all elements"):
        case.assertNotAllEqual(a, b)


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ([1.0, 2.0], [1.0, 3.0], r"1 of 2 elements are not equal:\n  at \(1,\)"),
        ([1.0, 1.0], 1.0, r"Shape mismatch: expected \(\), got \(2,\)"),
        (tf.constant("a"), "b", "not equal"),
        (np.zeros(20), np.ones(20), "and 10 more"),
    ],
)
def test_what_differs_is_said_with_its_place(case, a, b, said):
    case.assertNotAllEqual(a, b)
    with pytest.raises(AssertionError, match=said):
        case.assertAllEqual(a, b)


def test_a_message_of_the_test_is_added_to_the_complaint(case):
    with pytest.raises(AssertionError, match="not equal(.|\n)*in my test"):
        case.assertAllEqual([1.0], [2.0], msg="in my test")


CLOSE = [
    (tf.constant(0.1), 0.1),
    ({"a": [tf.constant(1.0), 2.0]}, {"a": [1.0, np.float64(2.0)]}),
    ([tf.constant([1.0]), tf.constant([1.0, 2.0])], [[1.0], [1.0, 2.0]]),
    ([NAN, float("inf")], [NAN, float("inf")]),
    (1j, 1j + 1e-9),
    (tf.IndexedSlices(tf.constant([1.0]), tf.constant([1]), tf.constant([2])), [0.0, 1.0]),
    (tf.ragged.constant([[1.0], [2.0, 3.0]]), [[1.0], [2.0, 3.0]]),
]


@pytest.mark.parametrize(("a", "b"), CLOSE)
def test_values_within_the_tolerances_are_close(case, a, b):
    case.assertAllClose(a, b)
    with pytest.raises(AssertionError, match="are close at all"):
        case.assertNotAllClose(a, b)


@pytest.mark.parametrize(
    ("a", "b", "error", "said"),
    [
        ([1.0, 2.0], [1.0, 2.1], AssertionError, r"not close \(rtol = 1e-06, atol = 1e-06\)"),
        ({"x": [[1.0], [1.0, 2.0]]}, {"x": [[1.0], [1.0, 3.0]]}, AssertionError, r"\['x'\]\[1\]"),
        (None, 0.0, AssertionError, "nothing connects target and source"),
        ({"a": 1.0}, {"b": 1.0}, AssertionError, "The keys differ"),
        ({"a": 1.0}, [1.0], ValueError, "Can't compare dict to non-dict"),
        ([[1.0], [1.0, 2.0]], [[1.0]], ValueError, "Mismatched length: a has 2 items"),
        (np.ones([2, 1]), np.ones([1, 2]), AssertionError, "Shape mismatch"),
    ],
)
def test_what_is_not_close_is_said_with_its_place(case, a, b, error, said):
    with pytest.raises(error, match=said):
        case.assertAllClose(a, b)


def test_tolerances_follow_the_coarser_dtype(case):
    half, single = tf.constant(1.0, tf.float16), tf.constant(1.0005)
    case.assertAllCloseAccordingToType(half, single)
    case.assertNotAllClose(half, single)
    with pytest.raises(AssertionError, match="rtol = 1e-06"):
        case.assertAllCloseAccordingToType(1.0, single)


def test_near_takes_the_largest_difference_allowed(case):
    case.assertNear(1.0, 1.5, 0.5)
    case.assertArrayNear([1.0, 2.0], tf.constant([1.1, 2.1]), 0.2)
    case.assertNDArrayNear(np.array([3.0, 4.0]), np.zeros(2), 5.1)
    with pytest.raises(AssertionError, match=r"1\.0 != 2\.0 \+/- 0\.5"):
        case.assertNear(1.0, 2.0, 0.5)
    with pytest.raises(AssertionError, match="2 != 1"):
        case.assertArrayNear([1.0, 2.0], [1.0], 0.5)
    with pytest.raises(AssertionError, match=r"5\.0, not below 5\.0"):
        case.assertNDArrayNear(np.array([3.0, 4.0]), np.zeros(2), 5.0)


def test_assertions_about_all_elements_name_those_that_fail(case):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    case.assertAllGreater(x, 0.5), case.assertAllGreaterEqual(x, 1.0)
    case.assertAllLess(x, 4.5), case.assertAllLessEqual(x, 4.0)
    case.assertAllInRange(x, 1.0, 4.0), case.assertAllInSet(x, {1.0, 2.0, 3.0, 4.0})
    for check in (
        lambda: case.assertAllGreater(x, 1.0),
        lambda: case.assertAllGreaterEqual(x, 1.5),
        lambda: case.assertAllInRange(x, 1.0, 4.0, open_lower_bound=True),
        lambda: case.assertAllInSet(x, [2.0, 3.0, 4.0]),
    ):
        with pytest.raises(AssertionError, match=r"np\.float32\(1\.0\) at \(0, 0\)\.$"):
            check()
    for check in (
        lambda: case.assertAllLess(x, 4.0),
        lambda: case.assertAllLessEqual(x, 3.5),
        lambda: case.assertAllInRange(x, 1.0, 4.0, open_upper_bound=True),
    ):
        with pytest.raises(AssertionError, match=r"np\.float32\(4\.0\) at \(1, 1\)\.$"):
            check()


def test_shapes_and_dtypes_are_compared_alone(case):
    case.assertShapeEqual(np.ones([2, 3]), tf.zeros([2, 3]))
    case.assertDTypeEqual(tf.constant(1.0), tf.float32)
    case.assertDTypeEqual(np.float64(1.0), np.float64)
    with pytest.raises(AssertionError, match="differ"):
        case.assertShapeEqual(np.ones([2, 3]), tf.zeros([3, 2]))
    with pytest.raises(TypeError, match="input_a must be"):
        case.assertShapeEqual([1.0], tf.zeros([1]))
    with pytest.raises(AssertionError, match="float32"):
        case.assertDTypeEqual(tf.constant(1.0), tf.float64)


def test_an_op_s_error_is_known_by_its_class_and_message(case):
    def wrong():
        return tf.reshape(tf.zeros([3]), [2])

    with case.assertRaisesOpError("Input to reshape"):
        wrong()
    with case.assertRaisesWithPredicateMatch(ValueError, lambda error: "reshape" in error.message):
        wrong()
    with (
        pytest.raises(AssertionError, match="but not as expected"),
        case.assertRaisesOpError("nothing of it"),
    ):
        wrong()
    with pytest.raises(AssertionError, match="not raised"), case.assertRaisesOpError(""):
        pass


def test_containers_and_texts_are_compared_as_in_absl(case):
    case.assertLen([1, 2], 2), case.assertEmpty(()), case.assertNotEmpty("a")
    case.assertBetween(1, 0, 2), case.assertStartsWith("abc", "ab")
    case.assertSameElements([1, 2, 2], {2, 1})
    for check in (
        lambda: case.assertLen([1], 2),
        lambda: case.assertEmpty([1]),
        lambda: case.assertNotEmpty([]),
        lambda: case.assertBetween(3, 0, 2),
        lambda: case.assertStartsWith("abc", "b"),
        lambda: case.assertSameElements([1], [2]),
    ):
        with pytest.raises(AssertionError):
            check()


def test_a_checked_thread_fails_where_it_is_joined(case):
    done = []
    thread = case.checkedThread(done.append, args=[1])
    thread.start(), thread.join()
    assert done == [1] and not thread.is_alive()
    failing = case.checkedThread(lambda: 1 // 0)
    failing.start()
    with pytest.raises(AssertionError, match="Error in CheckedThread: .*by zero"):
        failing.join()


def test_the_folder_of_a_test_is_gone_afterwards():
    class Tests(tf.test.TestCase):
        def runTest(self):
            Tests.folder = Path(self.get_temp_dir())
            assert Tests.folder.is_dir() and self.get_temp_dir() == str(Tests.folder)

    assert Tests().run().wasSuccessful()
    assert not Tests.folder.exists()
