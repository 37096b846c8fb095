"""The advanced guide."""

from __future__ import annotations

from tutorial_answers import Wrong

REVERSED = "@tf.custom_gradient\ndef reversed_gradient(value):\n    "
NEWTON = """
def newton(f, x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        gradient = inner.gradient(y, x)
    hessian = outer.jacobian(gradient, x)
    return """

WRONG = {
    "the value reversed as well": Wrong(
        "reversed-gradient",
        REVERSED + "return -value, lambda upstream: -upstream",
        "Forward nothing should change",
    ),
    "no inner function": Wrong("reversed-gradient", REVERSED + "return -value", "two things"),
    "the sign forgotten": Wrong(
        "reversed-gradient",
        REVERSED + "return value, lambda upstream: upstream",
        "still has its old sign",
    ),
    "doubled": Wrong(
        "reversed-gradient",
        REVERSED + "return value, lambda upstream: -2.0 * upstream",
        "upstream times -1",
    ),
    "upstream ignored, a constant of the right size": Wrong(
        "reversed-gradient",
        REVERSED + "return value, lambda upstream: -tf.ones_like(value)",
        "do not return a fixed number",
    ),
    "asked outside of the outer tapes": Wrong(
        "third-derivative",
        "x = tf.Variable(2.0)\nwith tf.GradientTape() as outer, tf.GradientTape() as inner:\n"
        "    y = x**4\nthird = outer.gradient(inner.gradient(y, x), x)",
        "inside the next tape's block",
    ),
    "one derivative only": Wrong(
        "third-derivative",
        "x = tf.Variable(2.0)\nwith tf.GradientTape() as tape:\n    y = x**4\n"
        "third = tape.gradient(y, x)",
        "32 is the first derivative",
    ),
    "source before target": Wrong(
        "shapes",
        'shapes = {"tape.gradient(y, w)": (2, 3), "tape.jacobian(y, w)": (2, 3, 4, 3),'
        '"tape.jacobian(y, x)": (4, 3, 4, 2), "tape.batch_jacobian(y, x)": (4, 3, 2)}',
        r"jacobian\(y, w\) has another shape. A jacobian has the shape of its target, then",
    ),
    "the batch twice": Wrong(
        "shapes",
        'shapes = {"tape.gradient(y, w)": (2, 3), "tape.jacobian(y, w)": (4, 3, 2, 3),'
        '"tape.jacobian(y, x)": (4, 3, 4, 2), "tape.batch_jacobian(y, x)": (4, 3, 4, 2)}',
        "the batch is there once",
    ),
    "uphill": Wrong(
        "newton",
        NEWTON + "x + tf.linalg.solve(hessian, gradient[:, tf.newaxis])[:, 0]",
        "Subtract the step",
    ),
    "watch forgotten": Wrong(
        "newton",
        NEWTON.replace("inner.watch(x)", "pass") + "x - tf.linalg.solve(hessian, gradient)",
        "each tape has to watch it",
    ),
    "gradient descent": Wrong("newton", NEWTON + "x - 0.1 * gradient", "one Newton step leads"),
    "a column": Wrong(
        "newton",
        NEWTON + "x[:, tf.newaxis] - tf.linalg.solve(hessian, gradient[:, tf.newaxis])",
        r"should have shape \(2,\)",
    ),
}
