"""Dual numbers."""

from __future__ import annotations

from tutorial_answers import Right, Wrong

DIVIDE = "def divide(u, w):\n    value = u.value / w.value\n    return Dual(value, {})"
BEND = "def bend(f, x):\n    return {}"
PASSES = (
    "def in_two_passes(f, x):\n    n = len(x)\n    passes = [\n"
    "        [o.slope for o in f([Dual(u, {}) for i, u in enumerate(x)])] for k in range({})\n"
    "    ]\n    return [{} for i in range(n)]"
)
TURN = "float(i % 2 == k)"
PRODUCT = (
    "def product(f, x, v):\n    with tf.autodiff.ForwardAccumulator(x, v) as moved:\n"
    "        with tf.GradientTape() as tape:\n            tape.watch(x)\n"
    "            value = f(x)\n        g = tape.gradient(value, x)\n    return {}"
)
STEEPEST = (
    "def steepest(f, x):\n    def H(v):\n        return product(f, x, v)\n"
    "    v = tf.constant(np.ones(len(x)) + 0.1 * np.arange(len(x)))\n"
    "    for _ in range({}):\n        w = H(v)\n        v = {}\n    return {}"
)
UNIT = "w / tf.norm(w)"

WRONG = {
    "the sign": Wrong(
        "divide", DIVIDE.format("(u.slope + value * w.slope) / w.value"), "the quotient falls"
    ),
    "the square forgotten": Wrong(
        "divide", DIVIDE.format("u.slope / w.value - u.value * w.slope / w.value"), "w squared"
    ),
    "as if w stood still": Wrong("divide", DIVIDE.format("u.slope / w.value"), "w moves, too"),
    "a number": Wrong("divide", "def divide(u, w):\n    return u.value / w.value", "Return a Dual"),
    "the slope": Wrong("bend", BEND.format("f(Dual(x, 1.0)).slope"), "That is the slope"),
    "an inner number that stands still": Wrong(
        "bend", BEND.format("f(Dual(Dual(x), Dual(1.0))).slope.slope"), "stands still"
    ),
    "a speed that changes": Wrong(
        "bend", BEND.format("f(Dual(Dual(x, 1.0), Dual(1.0, 1.0))).slope.slope"), "stays 1"
    ),
    "a pair": Wrong("bend", BEND.format("f(Dual(Dual(x, 1.0), 1.0)).slope"), "still a pair"),
    "a difference": Wrong(
        "bend",
        BEND.format("(f(Dual(x + 1e-5, 1.0)).slope - f(Dual(x - 1e-5, 1.0)).slope) / 2e-5"),
        "Nearly|from one call",
    ),
    "twice the same": Wrong(
        "bend",
        BEND.format("[f(Dual(Dual(x, 1.0), 1.0)) for _ in range(2)][1].slope.slope"),
        "from one call",
    ),
    "all in one pass": Wrong(
        "in-two-passes",
        PASSES.format("1.0", 1, "(passes[0][i], 0.0)"),
        "are added here",
    ),
    "a pass for each column": Wrong(
        "in-two-passes",
        PASSES.format(
            "float(i == k)", "n", "(passes[i][i], passes[i + 1][i] if i + 1 < n else 0.0)"
        ),
        "never meet",
    ),
    "exchanged": Wrong(
        "in-two-passes",
        PASSES.format(TURN, 2, "(passes[(i + 1) % 2][i], passes[i % 2][i])"),
        "are exchanged",
    ),
    "the same pass for all outputs": Wrong(
        "in-two-passes", PASSES.format(TURN, 2, "(passes[0][i], passes[1][i])"), "Every other"
    ),
    "numbers without their neighbours": Wrong(
        "in-two-passes", PASSES.format(TURN, 2, "passes[i % 2][i]"), "pairs of numbers"
    ),
    "the whole Hessian": Wrong(
        "product",
        "def product(f, x, v):\n    with tf.GradientTape() as outer:\n        outer.watch(x)\n"
        "        with tf.GradientTape() as inner:\n            inner.watch(x)\n"
        "            value = f(x)\n        g = inner.gradient(value, x)\n"
        "    return tf.linalg.matvec(outer.jacobian(g, x), v)",
        "computes all of H",
    ),
    "g times v": Wrong("product", PRODUCT.format("moved.jvp(value)"), "the tangent of f"),
    "v H v": Wrong("product", PRODUCT.format("tf.reduce_sum(v * moved.jvp(g))"), "H v is a vector"),
    "the gradient": Wrong("product", PRODUCT.format("g"), "How does it change along v"),
    "a length that is forgotten": Wrong(
        "steepest", STEEPEST.format(200, "w", "tf.reduce_sum(v * H(v))"), "grows without end"
    ),
    "two rounds": Wrong(
        "steepest", STEEPEST.format(1, UNIT, "tf.reduce_sum(v * H(v))"), "two hundred rounds"
    ),
    "v times v": Wrong(
        "steepest", STEEPEST.format(200, UNIT, "tf.reduce_sum(v * v)"), "How much of Hv"
    ),
    "H v for its length": Wrong(
        "steepest", STEEPEST.format(200, UNIT, "H(v)"), "Return one number"
    ),
    "H twice": Wrong(
        "steepest", STEEPEST.format(200, UNIT, "tf.reduce_sum(H(v) * H(v))"), "the square"
    ),
    "not watched": Wrong(
        "product", PRODUCT.format("moved.jvp(g)").replace("tape.watch(x)", "pass"), "None"
    ),
}

IN_ANOTHER_STYLE = {
    "the school's formula": Right(
        "divide",
        DIVIDE.format("(u.slope * w.value - u.value * w.slope) / w.value**2"),
    ),
    "one inner Dual and a plain slope": Right(
        "bend", BEND.format("f(Dual(Dual(x, 1.0), 1.0)).slope.slope")
    ),
    "even and odd": Right(
        "in-two-passes",
        "def in_two_passes(f, x):\n    first = [Dual(u, float(i % 2)) for i, u in enumerate(x)]\n"
        "    second = [Dual(u, 1.0 - i % 2) for i, u in enumerate(x)]\n"
        "    odd, even = ([each.slope for each in f(moved)] for moved in (first, second))\n"
        "    return [(q, p) if i % 2 == 0 else (p, q) for i, (p, q) in enumerate(zip(odd, even))]",
    ),
    "the length of H v": Right("steepest", STEEPEST.format(200, UNIT, "float(tf.norm(H(v)))")),
    "two tapes": Right(
        "product",
        "def product(f, x, v):\n    with tf.GradientTape() as outer:\n        outer.watch(x)\n"
        "        with tf.GradientTape() as inner:\n            inner.watch(x)\n"
        "            value = f(x)\n        g = inner.gradient(value, x)\n"
        "    return outer.gradient(g, x, output_gradients=v)",
    ),
}
