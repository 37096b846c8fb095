"""The autodiff guide."""

from __future__ import annotations

from tutorial_answers import Wrong

WRONG = {
    "the square forgotten": Wrong(
        "two-variables",
        "a, b = tf.Variable(2.0), tf.Variable(3.0)\nwith tf.GradientTape() as tape:\n"
        "    f = a * b + tf.sin(b)\nfor_a, for_b = tape.gradient(f, [a, b])",
        "is the square on a",
    ),
    "NumPy's sine": Wrong(
        "two-variables",
        "a, b = tf.Variable(2.0), tf.Variable(3.0)\nwith tf.GradientTape() as tape:\n"
        "    f = a**2 * b + np.sin(b)\nfor_a, for_b = tape.gradient(f, [a, b])",
        "np.sin is NumPy's",
    ),
    "one path forgotten": Wrong(
        "by-hand", "cotangents = {'p': 1.0, 'y': 2.0, 'x': 5.0}", "Two paths"
    ),
    "values instead of cotangents": Wrong(
        "by-hand",
        "cotangents = {'p': 10.0, 'y': 5.0, 'x': 2.0}",
        "The cotangent of p is another number",
    ),
    "not watched": Wrong(
        "two-mistakes",
        "def slope_of_cube(value):\n    x = tf.constant(float(value))\n"
        "    with tf.GradientTape() as tape:\n        y = x**3\n    return tape.gradient(y, x)",
        "does the tape watch it",
    ),
    "variable replaced": Wrong(
        "descent",
        "x = tf.Variable(10.0)\nfor _ in range(2):\n    x = x - 0.1",
        r"use x.assign_sub",
    ),
    "wrong direction": Wrong(
        "descent",
        "x = tf.Variable(10.0)\nfor _ in range(50):\n    with tf.GradientTape() as tape:\n"
        "        loss = (x - 3.0) ** 2\n    x.assign_add(0.1 * tape.gradient(loss, x))",
        "did not arrive",
    ),
}
