"""`tf.test.TestCase` and `tf.test.main`: tests of programs with tensors, by Python's `unittest`.

This package is loaded when one of its names is first used, because a program that tests nothing
needs no `unittest`. `checks/compare` names it.
"""

from minitape.testing.cases import TestCase, main

__all__ = ["TestCase", "main"]
