"""Forward and reverse."""

from __future__ import annotations

from tutorial_answers import Right, Wrong

WAYS = """
def fewer_passes(n_in, n_out):
    return {}


def less_work(n_in, n_out, jvp, vjp):
    return "forward" if jvp * n_in < 1 + vjp * n_out else "reverse"
"""
WORK = """
def fewer_passes(n_in, n_out):
    return "forward" if n_in <= n_out else "reverse"


def less_work(n_in, n_out, jvp, vjp):
    {}
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
WAIST = """
def through_the_waist(first, second, x):
    {}
"""

WRONG = {
    "the whole program by rows": Wrong(
        "waist",
        WAIST.format("return by_rows(lambda x: second(first(x)), x)"),
        "with 200 passes(.|\n)*1 of 2 points",
    ),
    "both halves by columns": Wrong(
        "waist",
        WAIST.format("return by_columns(second, first(x)) @ by_columns(first, x)"),
        "with 302 passes",
    ),
    "both halves by a tape's jacobian": Wrong(
        "waist",
        WAIST.format(
            "with tf.GradientTape(persistent=True) as tape:\n        tape.watch(x)\n"
            "        h = first(x)\n        y = second(h)\n"
            "    return tape.jacobian(y, h) @ tape.jacobian(h, x)"
        ),
        "with 202 passes",
    ),
    "the second half at 0": Wrong(
        "waist",
        WAIST.format("return by_columns(second, 0.0 * first(x)) @ by_rows(first, x)"),
        "Jacobian at 0",
    ),
    "the product turned round": Wrong(
        "waist",
        WAIST.format(
            "return tf.transpose(by_rows(first, x)) @ tf.transpose(by_columns(second, first(x)))"
        ),
        "Transposed",
    ),
    "the factors exchanged": Wrong(
        "waist",
        WAIST.format("return by_rows(first, x) @ by_columns(second, first(x))"),
        "stands on the left",
    ),
    "the second half at x": Wrong(
        "waist",
        WAIST.format("return by_columns(second, x) @ by_rows(first, x)"),
        "what goes into second",
    ),
    "the second half alone": Wrong(
        "waist", WAIST.format("return by_columns(second, first(x))"), "yours has the shape"
    ),
    "a slope for each input": Wrong(
        "slope-along",
        "def slope_along(f, x, v):\n    with tf.autodiff.ForwardAccumulator(x, v) as acc:\n"
        "        y = f(x)\n    return acc.jvp(y) * tf.ones(2)",
        "Return one number",
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
        WAYS.format("'forward' if n_in > n_out else 'reverse'"),
        "a VJP gives the whole row",
    ),
    "always reverse": Wrong("which-way", WAYS.format("'reverse'"), "A curve in space"),
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
    "a formula for one function and one v": Wrong(
        "hessian-product",
        PRODUCT.format("return 6.0 * x * v + np.array([[2.0, 0.0], [0.0, 1.0]]) + 0.0 * f()"),
        "which may be any function",
    ),
    "the sign, and a step of time forgotten": Wrong(
        "last-gust",
        GUST.format("0.02", "-", BOTH),
        "A factor of 0.02 is missing(.|\n)*And the sign: air falls",
    ),
    "the sign, and the drag held fixed": Wrong(
        "last-gust", GUST.format("0.02**2", "-", "size"), "Air is used twice(.|\n)*And the sign"
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
    "tangents where a pencil is asked for": Wrong(
        "last-gust",
        "def last_gust(vx, vy, y):\n    gust = tf.constant(0.0, tf.float64)\n"
        "    one = tf.constant(1.0, tf.float64)\n"
        "    with tf.autodiff.ForwardAccumulator(gust, one) as acc:\n"
        "        air = vx - (gust - 6.0) * np.tanh(y / 5.0)\n"
        "        end = -0.02 * 0.02 * 0.02 * tf.sqrt(air**2 + vy**2) * air\n"
        "    return acc.jvp(end)",
        "without a tape or tangents",
    ),
    "the other word": Wrong(
        "which-way",
        WAYS.format("'forward' if n_in <= n_out else 'backward'"),
        "not 'backward'",
    ),
    "an argument for the loss": Wrong(
        "hessian-product",
        PRODUCT.format(
            "with tf.GradientTape() as tape:\n        y = f(x)\n    return tape.gradient(y, x)"
        ),
        "f takes no arguments here",
    ),
    "no wind in the air": Wrong(
        "last-gust",
        "def last_gust(vx, vy, y):\n    size = np.hypot(vx, vy)\n"
        "    return 0.02**3 * np.tanh(y / 5.0) * (size + vx**2 / size)",
        "The wind is missing",
    ),
    "the height forgotten": Wrong(
        "last-gust",
        "def last_gust(vx, vy, y):\n    air = vx + 6.0 * np.tanh(y / 5.0)\n"
        "    size = np.hypot(air, vy)\n    return 0.02**3 * (size + air**2 / size)",
        "A gust is weaker near the ground",
    ),
    "two numbers": Wrong(
        "last-gust", "def last_gust(vx, vy, y):\n    return vx, vy", "Return one number"
    ),
    "a word in capitals": Wrong(
        "which-way",
        WAYS.format("'Forward' if n_in <= n_out else 'Reverse'"),
        "in small letters",
    ),
    "a word of the work in capitals": Wrong(
        "which-way",
        WORK.format("return 'Forward' if jvp * n_in < 1 + vjp * n_out else 'Reverse'"),
        "less_work: .* in small letters; not '(Reverse|Forward)'(.|\n)*1 of 2 points",
    ),
    "differences of two gradients": Wrong(
        "hessian-product",
        PRODUCT.format(
            "found = []\n    old = x.numpy().copy()\n    for h in (0.01, -0.01):\n"
            "        x.assign(old + h * v)\n        with tf.GradientTape() as tape:\n"
            "            y = f()\n        found.append(tape.gradient(y, x))\n    x.assign(old)\n"
            "    return (found[0] - found[1]) / 0.02"
        ),
        "f ran 2 times",
    ),
    "a vector of ones for v": Wrong(
        "hessian-product",
        PRODUCT.format(
            "with tf.GradientTape() as outer:\n        with tf.GradientTape() as tape:\n"
            "            y = f()\n        gradient = tape.gradient(y, x)\n"
            "    return outer.gradient(gradient, x)"
        ),
        "where does v come in",
    ),
    "a difference of two runs": Wrong(
        "last-gust",
        "def last_gust(vx, vy, y, h=1e-3):\n    def end(gust):\n"
        "        air = vx - (gust - 6.0) * np.tanh(y / 5.0)\n"
        "        return 0.02 * (vx - 0.02**2 * np.hypot(air, vy) * air)\n"
        "    return (end(h) - end(-h)) / (2 * h)",
        "as a difference of two runs is",
    ),
    "one step of time forgotten": Wrong(
        "last-gust", GUST.format("0.02", "", BOTH), "A factor of 0.02 is missing"
    ),
    "the drag held fixed": Wrong(
        "last-gust", GUST.format("0.02**2", "", "size"), "Air is used twice"
    ),
    "the sign of the whole": Wrong("last-gust", GUST.format("0.02**2", "-", BOTH), "The sign:"),
    "the drag alone": Wrong(
        "last-gust", GUST.format("0.02**2", "", "air**2 / size"), "Air is used twice"
    ),
    "both steps of time forgotten": Wrong(
        "last-gust", GUST.format("1.0", "", BOTH), "Two factors of 0.02"
    ),
    "the sign of the wind": Wrong(
        "last-gust",
        GUST.replace("vx + 6.0", "vx - 6.0").format("0.02**2", "", BOTH),
        "the wind in air",
    ),
    "the border of the work": Wrong(
        "which-way",
        WAYS.format("'forward' if 3 * n_in <= n_out + 1 else 'reverse'"),
        "Count passes here, not work",
    ),
    "the plain gradient": Wrong(
        "hessian-product",
        PRODUCT.format(
            "with tf.GradientTape() as tape:\n        y = f()\n    return tape.gradient(y, x)"
        ),
        "the gradient itself",
    ),
    "rows added up, then times v": Wrong(
        "hessian-product",
        PRODUCT.format(
            "with tf.GradientTape() as outer:\n        with tf.GradientTape() as tape:\n"
            "            y = f()\n        gradient = tape.gradient(y, x)\n"
            "    return outer.gradient(gradient, x) * v"
        ),
        "v belongs inside",
    ),
    "a row for each pass": Wrong(
        "hessian-product",
        PRODUCT.format(
            "with tf.GradientTape(persistent=True) as outer:\n"
            "        with tf.GradientTape() as tape:\n            y = f()\n"
            "        gradient = tape.gradient(y, x)\n"
            "    rows = [outer.gradient(gradient, x, output_gradients=tf.reshape(e, x.shape))"
            " for e in tf.eye(4)]\n"
            "    return tf.reshape([tf.reduce_sum(row * v) for row in rows], x.shape)"
        ),
        "one row for each backward pass",
    ),
    "a column for each run": Wrong(
        "hessian-product",
        PRODUCT.format(
            "columns = []\n    for e in tf.eye(4):\n"
            "        with tf.autodiff.ForwardAccumulator(x, tf.reshape(e, x.shape)) as acc:\n"
            "            with tf.GradientTape() as tape:\n                y = f()\n"
            "            gradient = tape.gradient(y, x)\n"
            "        columns.append(tf.reshape(acc.jvp(gradient), [4]))\n"
            "    whole = tf.stack(columns, 1)\n"
            "    return tf.reshape(tf.linalg.matvec(whole, tf.reshape(v, [4])), x.shape)"
        ),
        "one row for each backward pass|a run for",
    ),
    "the wind forgotten": Wrong(
        "last-gust", "def last_gust(vx, vy, y):\n    return 0.02**2", "It depends on vx, vy and y"
    ),
    "reverse for a single number only": Wrong(
        "which-way",
        WAYS.format("'reverse' if n_out == 1 else 'forward'"),
        "A loss of many parameters",
    ),
    "passes counted for work": Wrong(
        "which-way",
        WORK.format("return 'forward' if n_in <= n_out else 'reverse'"),
        "less_work counts passes(.|\n)*1 of 2 points",
    ),
    "the costs exchanged": Wrong(
        "which-way",
        WORK.format("return 'forward' if jvp * n_out < 1 + vjp * n_in else 'reverse'"),
        "there is a JVP for each input",
    ),
    "always less work in reverse": Wrong(
        "which-way", WORK.format("return 'reverse'"), "add up what all JVPs cost"
    ),
    "no answer about the work": Wrong(
        "which-way", WORK.format("pass"), "less_work returns nothing yet"
    ),
    "the function under the tape forgotten": Wrong(
        "which-way",
        WORK.format("return 'forward' if jvp * n_in < vjp * n_out else 'reverse'"),
        "the function under the tape has to run once, too",
    ),
    "the function run for each VJP": Wrong(
        "which-way",
        WORK.format("return 'forward' if jvp * n_in < (1 + vjp) * n_out else 'reverse'"),
        "not once for each VJP",
    ),
    "a unit vector for v": Wrong(
        "slope-along",
        "def slope_along(f, x, v):\n    with tf.autodiff.ForwardAccumulator(x, v) as acc:\n"
        "        y = f(x)\n    return acc.jvp(y) / tf.norm(v)",
        "Take v as it is",
    ),
    "half of the root's slope": Wrong(
        "last-gust", GUST.format("0.02**2", "", "size + 0.5 * air**2 / size"), "its 1/2"
    ),
    "the 2 of the square left over": Wrong(
        "last-gust", GUST.format("0.02**2", "", "size + 2.0 * air**2 / size"), "the 2 of the square"
    ),
    "the function counted twice": Wrong(
        "which-way",
        WORK.format("return 'forward' if (1 + jvp) * n_in < 1 + vjp * n_out else 'reverse'"),
        "the cost of a JVP includes the function already",
    ),
    "an air forgotten in the slope of the root": Wrong(
        "last-gust", GUST.format("0.02**2", "", "size + air / size"), "multiplied by air"
    ),
    "the height after the step": Wrong(
        "last-gust",
        "def last_gust(vx, vy, y):\n    air = vx + 6.0 * np.tanh(y / 5.0)\n"
        "    drag = 0.02 * np.hypot(air, vy)\n    y += 0.02 * (vy - 0.02 * (drag * vy + 9.81))\n"
        "    air = vx + 6.0 * np.tanh(y / 5.0)\n    size = np.hypot(air, vy)\n"
        "    return 0.02**3 * np.tanh(y / 5.0) * (size + air**2 / size)",
        "the one before the last step",
    ),
    "minitape's tanh of a number": Wrong(
        "last-gust",
        "def last_gust(vx, vy, y):\n    t = float(tf.tanh(y / 5.0))\n    air = vx + 6.0 * t\n"
        "    size = np.hypot(air, vy)\n    return 8e-6 * t * (size + air**2 / size)",
        "or float32",
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

IN_ANOTHER_STYLE = {
    "a tape's jacobian for the first half": Right(
        "waist",
        WAIST.format(
            "with tf.GradientTape() as tape:\n        tape.watch(x)\n        h = first(x)\n"
            "    return by_columns(second, h) @ tape.jacobian(h, x)"
        ),
    ),
    "the gradient of g v": Right(
        "hessian-product",
        PRODUCT.format(
            "with tf.GradientTape() as outer:\n        with tf.GradientTape() as tape:\n"
            "            y = f()\n        along = tf.reduce_sum(tape.gradient(y, x) * v)\n"
            "    return outer.gradient(along, x)"
        ),
    ),
    "the gradient of the slope": Right(
        "hessian-product",
        PRODUCT.format(
            "with tf.GradientTape() as tape:\n"
            "        with tf.autodiff.ForwardAccumulator(x, v) as acc:\n            y = f()\n"
            "        slope = acc.jvp(y)\n    return tape.gradient(slope, x)"
        ),
    ),
    "the gradient with v as its cotangent": Right(
        "hessian-product",
        PRODUCT.format(
            "with tf.GradientTape() as outer:\n        with tf.GradientTape() as tape:\n"
            "            y = f()\n        gradient = tape.gradient(y, x)\n"
            "    return outer.gradient(gradient, x, output_gradients=v)"
        ),
    ),
    "the costs compared": Right(
        "which-way",
        WORK.format(
            "costs = {'forward': jvp * n_in, 'reverse': 1 + vjp * n_out}\n"
            "    return min(costs, key=costs.get)"
        ),
    ),
    "the two paths one by one": Right(
        "last-gust",
        "import math\ndef last_gust(vx, vy, y):\n    t = math.tanh(y / 5)\n    air = vx + 6 * t\n"
        "    u = (air**2 + vy**2) ** 0.5\n    d_air, d_u = -t, -t * air / u\n"
        "    return -0.02 * 0.02 * 0.02 * (d_u * air + u * d_air)",
    ),
    "the two paths multiplied out": Right(
        "last-gust",
        "def last_gust(vx, vy, y):\n    t = np.tanh(y / 5)\n    air = vx + 6 * t\n"
        "    return 8e-6 * t * (2 * air**2 + vy**2) / np.sqrt(air**2 + vy**2)",
    ),
    "the jvp asked for inside": Right(
        "slope-along",
        "def slope_along(f, x, v):\n    with tf.autodiff.ForwardAccumulator(x, v) as acc:\n"
        "        return acc.jvp(f(x))",
    ),
}
