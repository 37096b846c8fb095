"""Curvature."""

from __future__ import annotations

from tutorial_answers import Right, Wrong

PUZZLE = "def puzzle(x):\n    return tf.stack([{}])"


CURVED = """
def curvature(f, x, way):
    t = tf.Variable(0.0, dtype=tf.float64)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = f(x + t * way / tf.norm(way))
        slope = inner.gradient(y, t)
    return outer.gradient(slope, t)
"""

BY_HESSIAN = """
def curvature(f, x, way):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        slope = inner.gradient(y, x)
    return """
TWICE_ALONG = """
def curvature(f, x, way):
    way = way / tf.norm(way)
    def along(f):
        def slope(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = f(x)
            return tf.reduce_sum(tape.gradient(y, x) * way)
        return slope
    return along(along(f))(x)
"""

WORST = """
def worst_error(H, length):
    curvatures, ways = np.linalg.eigh(H)
    error = length * {0}
    return error, (error @ H @ error / 2) ** 0.5
"""

WRONG = {
    "the length of the direction forgotten": Wrong(
        "along-a-line", CURVED.replace(" / tf.norm(way)", ""), "Divide way by its length"
    ),
    "the slope along the line": Wrong(
        "along-a-line",
        CURVED.replace("return outer.gradient(slope, t)", "return slope"),
        "That is the slope along the line",
    ),
    "the inner tape asked too late": Wrong(
        "along-a-line",
        CURVED.replace("        slope =", "    slope ="),
        "inside the outer one's block",
    ),
    "a distance of 32 bits": Wrong(
        "along-a-line", CURVED.replace(", dtype=tf.float64", ""), "64 bits. Has t, too"
    ),
    "a plain number walked": Wrong(
        "along-a-line",
        CURVED.replace("tf.Variable(0.0, dtype=tf.float64)", "tf.constant(0.0, tf.float64)"),
        "to watch what you ask about",
    ),
    "half of the bowl": Wrong(
        "along-a-line", CURVED.replace("(slope, t)", "(slope, t) / 2.0"), "That is half of it"
    ),
    "one derivative for a line too long": Wrong(
        "along-a-line",
        CURVED.replace(" / tf.norm(way)", "").replace("(slope, t)", "(slope, t) / tf.norm(way)"),
        "before you walk",
    ),
    "with respect to x": Wrong(
        "along-a-line",
        BY_HESSIAN + "outer.gradient(slope, x)",
        "One number",
    ),
    "nothing returned": Wrong(
        "along-a-line", CURVED.replace("    return outer", "    outer"), "And return it"
    ),
    "the cheapest error": Wrong("worst-error", WORST.format("ways[:, 0]"), "costs least"),
    "a row of the eigenvectors": Wrong("worst-error", WORST.format("ways[-1]"), "Is that a row"),
    "the worst error of length 1": Wrong(
        "worst-error",
        WORST.replace("length * {0}", "{0}").format("ways[:, -1]"),
        "an eigenvector has the length 1",
    ),
    "the squared miss": Wrong(
        "worst-error", WORST.replace(") ** 0.5", ")").format("ways[:, -1]"), "the squared miss"
    ),
    "the half of the bowl forgotten": Wrong(
        "worst-error", WORST.replace(" / 2", "").format("ways[:, -1]"), "The half is missing"
    ),
    "straight up": Wrong(
        "worst-error",
        WORST.format("np.eye(3)[np.argmax(np.diag(H))]"),
        "not the largest of all directions",
    ),
    "the worst error alone": Wrong(
        "worst-error", "def worst_error(H, length):\n    return 0.1", "Return two things"
    ),
    "a linear function": Wrong(
        "by-hand-puzzle",
        PUZZLE.format("3 * x[0] + 2 * x[1], x[1] + x[2], 5 * x[1] + 3 * x[2]"),
        "Row 0 is right at one place only",
    ),
    "columns for rows": Wrong(
        "by-hand-puzzle",
        PUZZLE.format("3 * x[0], 2 * x[0] + x[1] + 5 * x[2], x[1] + 3 * x[2]"),
        "is a column of the wanted matrix",
    ),
    "another pair": Wrong(
        "by-hand-puzzle",
        PUZZLE.format("x[0] * x[1], x[1] + x[2], x[0] * x[2]"),
        "Row 2 has a wrong entry",
    ),
    "source before target": Wrong(
        "by-hand-shapes",
        'shapes = {"tape.gradient(y, w)": (2, 3), "tape.jacobian(y, w)": (2, 3, 4, 3),'
        '"tape.jacobian(y, x)": (4, 3, 4, 2), "tape.batch_jacobian(y, x)": (4, 3, 2)}',
        r"jacobian\(y, w\) has another shape. A Jacobian has the shape of its target, then",
    ),
    "the batch twice": Wrong(
        "by-hand-shapes",
        'shapes = {"tape.gradient(y, w)": (2, 3), "tape.jacobian(y, w)": (4, 3, 2, 3),'
        '"tape.jacobian(y, x)": (4, 3, 4, 2), "tape.batch_jacobian(y, x)": (4, 3, 4, 2)}',
        "the batch is there once",
    ),
    "one example's shape for all": Wrong(
        "by-hand-shapes",
        'shapes = {"tape.gradient(y, w)": (4, 3, 2, 3), "tape.jacobian(y, w)": (4, 3, 2, 3),'
        '"tape.jacobian(y, x)": (4, 3, 4, 2), "tape.batch_jacobian(y, x)": (4, 3, 2)}',
        "A gradient has the shape of its source",
    ),
    "a number for a shape": Wrong(
        "by-hand-shapes",
        'shapes = {"tape.gradient(y, w)": 6}',
        "A gradient has the shape of its source",
    ),
    "a list of results": Wrong(
        "by-hand-puzzle",
        "def puzzle(x):\n    return [x[0] * x[1], x[1] + x[2], x[1] * x[2]]",
        "return one tensor of three results",
    ),
    "two results of three": Wrong(
        "by-hand-puzzle",
        PUZZLE.format("x[0] * x[1], x[1] + x[2]"),
        "return one tensor of three results",
    ),
    "NumPy in a row": Wrong(
        "by-hand-puzzle",
        PUZZLE.format("tf.constant(x[0].numpy() * x[1].numpy()), x[1] + x[2], x[1] * x[2]"),
        "No path leads from row 0 to x",
    ),
    "shapes in quotes": Wrong(
        "by-hand-shapes", "shapes = {'tape.gradient(y, w)': '(2, 3)'}", "a tuple without quotes"
    ),
    "the puzzle as it was given": Wrong(
        "by-hand-puzzle", PUZZLE.format("x[0], x[0], x[0]"), "Replace the three lines"
    ),
}

IN_ANOTHER_STYLE = {
    "by the whole Hessian": Right(
        "along-a-line",
        BY_HESSIAN + "np.dot(way, np.dot(outer.jacobian(slope, x), way)) / tf.norm(way) ** 2",
    ),
    "a slope along the direction, twice": Right(
        "along-a-line",
        TWICE_ALONG,
    ),
    "multiplied again and again": Right(
        "worst-error",
        "def worst_error(H, length):\n    v = np.array([1.0, 0.7, 0.4])\n"
        "    for _ in range(20_000):\n        v = H @ v / np.linalg.norm(H @ v)\n"
        "    return -length * v, length * (v @ H @ v / 2) ** 0.5",
    ),
    "products and sums of slices": Right(
        "by-hand-puzzle",
        "def puzzle(x):\n    return tf.stack(\n"
        "        [tf.reduce_prod(x[:2]), tf.reduce_sum(x[1:]), tf.reduce_prod(x[1:])]\n    )",
    ),
}
