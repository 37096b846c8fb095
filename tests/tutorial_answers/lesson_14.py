"""Dual numbers."""

from __future__ import annotations

from tutorial_answers import Right, Wrong

DIVIDE = "def divide(u, w):\n    value = u.value / w.value\n    return Dual(value, {})"
ALONG = "def along(direction):\n    a, b = direction\n    return {}"
PRODUCT = (
    "def product(f, x, v):\n    with tf.autodiff.ForwardAccumulator(x, v) as moved:\n"
    "        with tf.GradientTape() as tape:\n            tape.watch(x)\n"
    "            value = f(x)\n        g = tape.gradient(value, x)\n    return {}"
)

WRONG = {
    "the sign": Wrong(
        "divide", DIVIDE.format("(u.slope + value * w.slope) / w.value"), "the quotient falls"
    ),
    "the square forgotten": Wrong(
        "divide", DIVIDE.format("u.slope / w.value - u.value * w.slope / w.value"), "w squared"
    ),
    "as if w stood still": Wrong("divide", DIVIDE.format("u.slope / w.value"), "w moves, too"),
    "a number": Wrong("divide", "def divide(u, w):\n    return u.value / w.value", "Return a Dual"),
    "a unit vector": Wrong(
        "along",
        ALONG.format(
            "miss(Dual(10.0, a / math.hypot(a, b)), Dual(10.0, b / math.hypot(a, b))).slope"
        ),
        "divided by the length",
    ),
    "two passes": Wrong(
        "along",
        ALONG.format(
            "a * miss(Dual(10.0, 1.0), Dual(10.0)).slope"
            " + b * miss(Dual(10.0), Dual(10.0, 1.0)).slope"
        ),
        "One pass is enough",
    ),
    "one velocity": Wrong(
        "along", ALONG.format("miss(Dual(10.0, a), Dual(10.0)).slope"), "along another direction"
    ),
    "g times v": Wrong("product", PRODUCT.format("moved.jvp(value)"), "the tangent of f"),
    "v H v": Wrong("product", PRODUCT.format("tf.reduce_sum(v * moved.jvp(g))"), "H v is a vector"),
    "the gradient": Wrong("product", PRODUCT.format("g"), "How does it change along v"),
    "not watched": Wrong(
        "product", PRODUCT.format("moved.jvp(g)").replace("tape.watch(x)", "pass"), "None"
    ),
}

IN_ANOTHER_STYLE = {
    "the school's formula": Right(
        "divide",
        DIVIDE.format("(u.slope * w.value - u.value * w.slope) / w.value**2"),
    ),
    "two tapes": Right(
        "product",
        "def product(f, x, v):\n    with tf.GradientTape() as outer:\n        outer.watch(x)\n"
        "        with tf.GradientTape() as inner:\n            inner.watch(x)\n"
        "            value = f(x)\n        g = inner.gradient(value, x)\n"
        "    return outer.gradient(g, x, output_gradients=v)",
    ),
}
