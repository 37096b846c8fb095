"""Curvature."""

from __future__ import annotations

from tutorial_answers import Right, Wrong

RATE = "def largest_rate(H):\n    return "
PUZZLE = "def puzzle(x):\n    return tf.stack([{}])"
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

FIT = """
def fit(e, p):
    with tf.GradientTape() as tape:
        tape.watch(p)
        errors = e(p)
    J, off = tape.jacobian(errors, p), errors[:, tf.newaxis]
    squares = tf.transpose(J) @ J
    return """

WORST = """
def worst_error(H, length):
    curvatures, ways = np.linalg.eigh(H)
    error = length * {0}
    return error, (error @ H @ error / 2) ** 0.5
"""

WRONG = {
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
    "the determinant": Wrong("rate-border", RATE + "2 / np.linalg.det(H)", "product of the curv"),
    "one over the curvature": Wrong(
        "rate-border", RATE + "1 / np.linalg.eigvalsh(H)[-1]", "safe, and the quickest"
    ),
    "the flattest direction": Wrong(
        "rate-border", RATE + "2 / np.linalg.eigvalsh(H)[0]", "the flattest direction"
    ),
    "the diagonal alone": Wrong(
        "rate-border", RATE + "2 / np.trace(H)", r"The trace is that sum.*\) Take eigenvalues"
    ),
    "the quickest rate": Wrong(
        "rate-border",
        RATE + "2 / sum(np.linalg.eigvalsh(H))",
        "the quickest fixed rate in the long run, not the border",
    ),
    "one entry of the diagonal": Wrong("rate-border", RATE + "2 / H[0, 0]", "diagonal alone"),
    "a fixed rate": Wrong("rate-border", RATE + "0.5", "in which direction does it bend"),
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
    "a step on a saddle": Wrong(
        "newton",
        NEWTON + "x - tf.linalg.solve(hessian, gradient[:, tf.newaxis])[:, 0]",
        "On a saddle, .* it should return None",
    ),
    "the determinant asked": Wrong(
        "newton",
        NEWTON.replace(
            "    return ", "    if np.linalg.det(hessian) <= 0:\n        return None\n    return "
        )
        + "x - tf.linalg.solve(hessian, gradient[:, tf.newaxis])[:, 0]",
        "On a hill it should return None",
    ),
    "one entry of the diagonal asked": Wrong(
        "newton",
        NEWTON.replace(
            "    return ", "    if hessian[1, 1] <= 0:\n        return None\n    return "
        )
        + "x - tf.linalg.solve(hessian, gradient[:, tf.newaxis])[:, 0]",
        "a saddle that bends up along both axes",
    ),
    "a wide margin": Wrong(
        "newton",
        NEWTON.replace(
            "    return ",
            "    if np.linalg.eigvalsh(hessian)[0] <= -1.9:\n        return None\n    return ",
        )
        + "x - tf.linalg.solve(hessian, gradient[:, tf.newaxis])[:, 0]",
        "a flat saddle",
    ),
    "a step on level ground": Wrong(
        "newton",
        NEWTON.replace(
            "    return ",
            "    if np.linalg.eigvalsh(hessian)[0] < 0:\n        return None\n    return ",
        )
        + "x - tf.linalg.solve(hessian, gradient[:, tf.newaxis])[:, 0]",
        "a valley with a level floor",
    ),
    "a fixed point": Wrong(
        "newton",
        "def newton(f, x):\n    return tf.constant([1.0, -2.0])",
        "leads to its lowest point",
    ),
    "the rows added up": Wrong(
        "newton",
        NEWTON.replace("outer.jacobian", "outer.gradient")
        + "x if np.linalg.eigvalsh(hessian)[0] > 0 else None",
        "outer.gradient adds its rows up",
    ),
    "the rows added up, to solve with": Wrong(
        "newton",
        NEWTON.replace("outer.jacobian", "outer.gradient")
        + "x - tf.linalg.solve(hessian, gradient[:, tf.newaxis])[:, 0]",
        r"Is the Hessian a vector\? outer\.gradient adds its rows up",
    ),
    "the inverse times a vector": Wrong(
        "newton",
        NEWTON + "x - np.linalg.inv(hessian) @ gradient",
        r"Make a column of the gradient.*take \[:, 0\] of the step",
    ),
    "the first eigenvalue": Wrong(
        "rate-border", RATE + "2 / min(np.linalg.eig(H)[0])", "the flattest direction"
    ),
    "the largest row": Wrong("rate-border", RATE + "2 / H.sum(axis=0).max()", "in which direction"),
    "the largest of the pair": Wrong(
        "rate-border",
        RATE + "2 / max(np.linalg.eig(H))",
        r"stops with .*np\.linalg\.eig gives a pair",
    ),
    "the largest number in the pair": Wrong(
        "rate-border", RATE + "2 / np.max(np.linalg.eig(H))", r"stops with .*eig gives a pair"
    ),
    "the eigenvectors": Wrong(
        "rate-border", RATE + "2 / np.linalg.eig(H)[-1]", "a pair, eigenvalues and eigenvectors"
    ),
    "a rate for each direction": Wrong(
        "rate-border", RATE + "2 / np.linalg.eigvalsh(H)", "One number"
    ),
    "a number for a shape": Wrong(
        "by-hand-shapes",
        'shapes = {"tape.gradient(y, w)": 6}',
        "A gradient has the shape of its source",
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
    "the curvature for the rate": Wrong(
        "rate-border", RATE + "np.linalg.eigvalsh(H)[-1]", "That is the largest curvature"
    ),
    "the fraction upside down": Wrong(
        "rate-border", RATE + "np.linalg.eigvalsh(H)[-1] / 2", "Turn the fraction round"
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
    "a vector given to solve": Wrong(
        "newton",
        NEWTON + "x - tf.linalg.solve(hessian, gradient)",
        r"rank 2 or more.*the column second",
    ),
    "a vector minus a column": Wrong(
        "newton",
        NEWTON + "x - tf.linalg.inv(hessian) @ gradient[:, tf.newaxis]",
        r"minus a column is a matrix",
    ),
    "a jacobian that is no square": Wrong(
        "fit", FIT + "p - tf.linalg.solve(J, off)[:, 0]", "J is no square"
    ),
    "NumPy's way to transpose": Wrong(
        "fit",
        FIT.replace("tf.transpose(J)", "J.T") + "p - tf.linalg.solve(squares, J.T @ off)[:, 0]",
        r"write tf\.transpose\(J\)",
    ),
    "a vector of errors to solve with": Wrong(
        "fit",
        FIT.replace(", errors[:, tf.newaxis]", ", errors")
        + "p - tf.linalg.solve(squares, tf.transpose(J) @ off)",
        r"Make a column of it",
    ),
    "a vector by another product": Wrong(
        "fit",
        FIT + "p - tf.linalg.solve(squares, tf.linalg.matvec(tf.transpose(J), errors))",
        r"Make a column of it",
    ),
    "the puzzle as it was given": Wrong(
        "by-hand-puzzle", PUZZLE.format("x[0], x[0], x[0]"), "Replace the three lines"
    ),
    "the step added": Wrong(
        "fit",
        FIT + "p + tf.linalg.solve(squares, tf.transpose(J) @ off)[:, 0]",
        "For a line: Subtract the step",
    ),
    "a fit along the gradient": Wrong(
        "fit", FIT + "p - (tf.transpose(J) @ off)[:, 0]", "a step along the gradient"
    ),
    "a fit without watch": Wrong(
        "fit",
        FIT.replace("tape.watch(p)", "pass")
        + "p - tf.linalg.solve(squares, tf.transpose(J) @ off)[:, 0]",
        "the tape has to watch it",
    ),
    "two on one side": Wrong(
        "fit",
        FIT + "p - tf.linalg.solve(2.0 * squares, tf.transpose(J) @ off)[:, 0]",
        "A factor of 2 is on one side",
    ),
    "a fit that is a matrix": Wrong(
        "fit", FIT + "p - tf.linalg.solve(squares, tf.transpose(J) @ off)", r"take \[:, 0\] of it"
    ),
    "the step in place of the parameters": Wrong(
        "fit",
        FIT + "tf.linalg.solve(squares, tf.transpose(J) @ off)[:, 0]",
        "That is the step alone",
    ),
    "the gradient of the errors": Wrong(
        "fit",
        "def fit(e, p):\n    with tf.GradientTape() as tape:\n        tape.watch(p)\n"
        "        off = e(p)\n    return p - tape.gradient(off, p)",
        "adds the errors up: take tape.jacobian",
    ),
    "the step in place of the point": Wrong(
        "newton",
        NEWTON + "tf.linalg.solve(hessian, gradient[:, tf.newaxis])[:, 0]",
        "That is the step alone",
    ),
}

IN_ANOTHER_STYLE = {
    "multiplied again and again": Right(
        "worst-error",
        "def worst_error(H, length):\n    v = np.array([1.0, 0.7, 0.4])\n"
        "    for _ in range(20_000):\n        v = H @ v / np.linalg.norm(H @ v)\n"
        "    return -length * v, length * (v @ H @ v / 2) ** 0.5",
    ),
    "the largest singular value": Right("rate-border", RATE + "2 / np.linalg.norm(H, 2)"),
    "eigenvalues of any matrix": Right("rate-border", RATE + "2 / np.linalg.eig(H)[0].max()"),
    "by the power method": Right(
        "rate-border",
        "def largest_rate(H):\n    v = np.array([1.0, 0.5])\n    for _ in range(200):\n"
        "        v = H @ v\n        v = v / np.linalg.norm(v)\n    return 2 / (v @ H @ v)",
    ),
    "products and sums of slices": Right(
        "by-hand-puzzle",
        "def puzzle(x):\n    return tf.stack(\n"
        "        [tf.reduce_prod(x[:2]), tf.reduce_sum(x[1:]), tf.reduce_prod(x[1:])]\n    )",
    ),
    "least squares of NumPy": Right(
        "fit", FIT + "p - np.linalg.lstsq(J.numpy(), errors.numpy(), rcond=None)[0]"
    ),
    "the pseudoinverse": Right("fit", FIT + "p - (tf.linalg.pinv(J) @ off)[:, 0]"),
    "Cholesky's word on bowls": Right(
        "newton",
        NEWTON.replace("    return ", "    try:\n        np.linalg.cholesky(hessian.numpy())\n")
        + "    except np.linalg.LinAlgError:\n        return None\n"
        "    return x - np.linalg.solve(hessian.numpy(), gradient.numpy())",
    ),
}
