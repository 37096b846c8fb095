"""Forward and reverse."""

from __future__ import annotations

from tutorial_answers import Wrong

WAYS = """
def cheaper(n_in, n_out):
    return {}


def passes(n_in, n_out):
    return {}
"""
PRODUCT = """
def hessian_product(f, x, v):
    {}
"""
GUST = """
def last_gust(vx, vy, y):
    air = vx + 6.0 * np.tanh(y / 5.0)
    size = np.hypot(air, vy)
    return {} * 0.02 * {}np.tanh(y / 5.0) * ({})
"""
BOTH = "size + air**2 / size"

WRONG = {
    "a slope for each input": Wrong(
        "slope-along",
        "def slope_along(f, x, v):\n    with tf.autodiff.ForwardAccumulator(x, v) as acc:\n"
        "        y = f(x)\n    return acc.jvp(y) * tf.ones(2)",
        "One number is asked for",
    ),
    "a tape": Wrong(
        "slope-along",
        "def slope_along(f, x, v):\n    with tf.GradientTape() as tape:\n        tape.watch(x)\n"
        "        y = f(x)\n    return tf.reduce_sum(tape.gradient(y, x) * v)",
        "but no tape here",
    ),
    "differences": Wrong(
        "slope-along",
        "def slope_along(f, x, v):\n    return (f(x + 0.01 * v) - f(x - 0.01 * v)) / 0.02",
        "f ran 2 times",
    ),
    "the direction forgotten": Wrong(
        "slope-along",
        "def slope_along(f, x, v):\n"
        "    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as acc:\n        y = f(x)\n"
        "    return acc.jvp(y)",
        "is v the tangent of x",
    ),
    "the function outside of the block": Wrong(
        "slope-along",
        "def slope_along(f, x, v):\n    y = f(x)\n"
        "    with tf.autodiff.ForwardAccumulator(x, v) as acc:\n        pass\n"
        "    return acc.jvp(y)",
        "The slope is None",
    ),
    "the wrong way round": Wrong(
        "which-way",
        WAYS.format("'forward' if n_in > n_out else 'reverse'", "min(n_in, n_out)"),
        "a VJP gives the whole row",
    ),
    "inputs and outputs multiplied": Wrong(
        "which-way",
        WAYS.format("'forward' if n_in <= n_out else 'reverse'", "n_in * n_out"),
        "How many rows does J have",
    ),
    "always reverse": Wrong("which-way", WAYS.format("'reverse'", "n_out"), "A curve in space"),
    "the gradient times v": Wrong(
        "hessian-product",
        PRODUCT.format(
            "with tf.GradientTape() as tape:\n        y = f()\n    return tape.gradient(y, x) * v"
        ),
        "Differentiate once more",
    ),
    "the gradient asked for outside": Wrong(
        "hessian-product",
        PRODUCT.format(
            "with tf.autodiff.ForwardAccumulator(x, v) as acc, tf.GradientTape() as tape:\n"
            "        y = f()\n    return acc.jvp(tape.gradient(y, x))"
        ),
        "inside the accumulator's block",
    ),
    "a number": Wrong(
        "hessian-product",
        PRODUCT.format(
            "with tf.autodiff.ForwardAccumulator(x, v) as acc:\n        y = f()\n"
            "    return acc.jvp(y)"
        ),
        "H v has the shape of x",
    ),
    "the number of the hint": Wrong(
        "slope-along",
        "def slope_along(f, x, v):\n    f(x)\n    return tf.constant(11.0)",
        "is v the tangent of x",
    ),
    "a tape where none is asked for": Wrong(
        "last-gust",
        "def last_gust(vx, vy, y):\n    gust = tf.Variable(0.0, dtype=tf.float64)\n"
        "    with tf.GradientTape() as tape:\n        air = vx - (gust - 6.0) * np.tanh(y / 5.0)\n"
        "        end = -0.02 * 0.02 * 0.02 * tf.sqrt(air**2 + vy**2) * air\n"
        "    return tape.gradient(end, gust)",
        "without a tape",
    ),
    "one step of time forgotten": Wrong(
        "last-gust", GUST.format("0.02", "", BOTH), "One dt is missing"
    ),
    "the drag held fast": Wrong(
        "last-gust", GUST.format("0.02**2", "", "size"), "Air stands twice"
    ),
    "the sign of the wind": Wrong("last-gust", GUST.format("0.02**2", "-", BOTH), "The sign"),
    "the wind forgotten": Wrong(
        "last-gust", "def last_gust(vx, vy, y):\n    return 0.02**2", "It depends on vx, vy and y"
    ),
    "one row or two columns": Wrong(
        "which-way",
        WAYS.format("'forward' if n_in <= n_out else 'reverse'", "1 if n_out == 1 else 2"),
        "40 VJPs",
    ),
    "reverse for a single number only": Wrong(
        "which-way",
        WAYS.format("'reverse' if n_out == 1 else 'forward'", "min(n_in, n_out)"),
        "A loss of many parameters",
    ),
    "the whole matrix": Wrong(
        "hessian-product",
        PRODUCT.format(
            "with tf.GradientTape() as outer:\n        with tf.GradientTape() as tape:\n"
            "            y = f()\n        gradient = tape.gradient(y, x)\n"
            "    return tf.tensordot(outer.jacobian(gradient, x), v, 2)"
        ),
        "the whole Hessian",
    ),
}
