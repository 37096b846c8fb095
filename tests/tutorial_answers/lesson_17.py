"""From gradient to step."""

from __future__ import annotations

from tutorial_answers import Right, Wrong

BORDER = "def border(hessian):\n    return {}"
ADAM = (
    "def adam(gradients, rate):\n    x = m = v = 0.0\n    for t, g in enumerate(gradients, {}):\n"
    "        m = 0.9 * m + 0.1 * g\n        v = 0.999 * v + 0.001 * g**2\n"
    "        x = x {} rate * {}\n    return x"
)
MEANS = "(m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)"
STEP = (
    "def short_step(w, loss_of, rate, scale):\n    half = tf.cast(w, tf.float16)\n"
    "    with tf.GradientTape() as tape:\n        tape.watch(half)\n        loss = {}\n"
    "    g = tape.gradient(loss, half)\n    return {}"
)
NEWTON = (
    "def newton(f, x):\n    with tf.GradientTape() as outer:\n        outer.watch(x)\n"
    "        with tf.GradientTape() as inner:\n            inner.watch(x)\n            y = f(x)\n"
    "        g = inner.gradient(y, x)\n    H = outer.jacobian(g, x)\n    return {}"
)
SOLVED = "tf.linalg.solve(H, g[:, tf.newaxis])"
LONG = "w - rate * tf.cast(g, tf.float32) / scale"

WRONG = {
    "one over the curvature": Wrong(
        "border", BORDER.format("1 / np.linalg.eigvalsh(hessian)[-1]"), "not yet the border"
    ),
    "the flattest direction": Wrong(
        "border", BORDER.format("2 / np.linalg.eigvalsh(hessian)[0]"), "flattest"
    ),
    "the trace": Wrong("border", BORDER.format("2 / np.trace(hessian)"), "mixed"),
    "the determinant": Wrong("border", BORDER.format("2 / np.linalg.det(hessian)"), "mixed"),
    "the diagonal": Wrong("border", BORDER.format("2 / np.diag(hessian).max()"), "diagonal"),
    "the norm": Wrong("border", BORDER.format("2 / np.linalg.norm(hessian)"), "still arrives"),
    "all of them": Wrong(
        "border", BORDER.format("2 / np.linalg.eigvalsh(hessian)"), "One rate is asked for"
    ),
    "no bias correction": Wrong(
        "adam", ADAM.format(1, "-", "m / (np.sqrt(v) + 1e-8)"), "3.2 times"
    ),
    "only one is corrected": Wrong(
        "adam", ADAM.format(1, "-", "m / (1 - 0.9**t) / (np.sqrt(v) + 1e-8)"), "other one not"
    ),
    "no root": Wrong(
        "adam", ADAM.format(1, "-", "(m / (1 - 0.9**t)) / (v / (1 - 0.999**t) + 1e-8)"), "the root"
    ),
    "uphill": Wrong("adam", ADAM.format(1, "+", MEANS), "uphill"),
    "t stays 1": Wrong("adam", ADAM.format(1, "-", MEANS.replace("**t", "**1")), "later one"),
    "means that forget": Wrong(
        "adam",
        "def adam(gradients, rate):\n    return -rate * np.sum(np.sign(gradients))",
        "later one",
    ),
    "the step alone": Wrong("newton-step", NEWTON.format(f"{SOLVED}[:, 0]"), "step alone"),
    "a step up": Wrong("newton-step", NEWTON.format(f"x + {SOLVED}[:, 0]"), "away from"),
    "a column from a row": Wrong("newton-step", NEWTON.format(f"x - {SOLVED}"), "a table"),
    "along the axes": Wrong(
        "newton-step", NEWTON.format("x - g / tf.linalg.diag_part(H)"), "as Adam would"
    ),
    "multiplied": Wrong("newton-step", NEWTON.format("x - tf.linalg.matvec(H, g)"), "You multiply"),
    "one rate": Wrong(
        "newton-step", NEWTON.format("x - g / np.linalg.eigvalsh(H)[-1]"), "one rate for all"
    ),
    "a gradient of a gradient": Wrong(
        "newton-step",
        NEWTON.replace("outer.jacobian", "outer.gradient").format("x - g / H"),
        "adds its rows",
    ),
    "not watched": Wrong(
        "newton-step",
        NEWTON.replace("            inner.watch(x)\n", "").format(f"x - {SOLVED}[:, 0]"),
        "has to watch",
    ),
    "at the bottom of a bowl": Wrong(
        "newton-step",
        NEWTON.replace(
            "    H = ",
            "    with tf.GradientTape() as outer:\n        outer.watch(x)\n"
            "        with tf.GradientTape() as inner:\n"
            "            z = 0.5 * x\n            inner.watch(z)\n"
            "            y = f(z)\n        k = inner.gradient(y, z)\n    H = 2.0 * ",
        )
        .replace("jacobian(g", "jacobian(k")
        .format(f"x - {SOLVED}[:, 0]"),
        "compute it at x",
    ),
    "not divided again": Wrong(
        "short-step",
        STEP.format("loss_of(half) * scale", "w - rate * tf.cast(g, tf.float32)"),
        "too long by the factor",
    ),
    "not scaled": Wrong(
        "short-step",
        STEP.format("loss_of(half)", "w - rate * tf.cast(g, tf.float32)"),
        "underflow",
    ),
    "divided in short numbers": Wrong(
        "short-step",
        STEP.format("loss_of(half) * scale", "w - rate * tf.cast(g / scale, tf.float32)"),
        "underflow",
    ),
    "the step in short numbers": Wrong(
        "short-step",
        STEP.format("loss_of(half) * scale", "tf.cast(half - g / scale * rate, tf.float32)"),
        "rounded away|underflow|lost its digits",
    ),
    "everything in long numbers": Wrong(
        "short-step",
        STEP.replace("tf.float16", "tf.float32").format("loss_of(half) * scale", LONG),
        "short numbers",
    ),
    "a short weight comes back": Wrong(
        "short-step",
        STEP.format("loss_of(half) * scale", "tf.cast(" + LONG + ", tf.float16)"),
        "a tensor in float32",
    ),
}

IN_ANOTHER_STYLE = {
    "the norm of the matrix": Right("border", BORDER.format("2 / np.linalg.norm(hessian, 2)")),
    "an inverse": Right("newton-step", NEWTON.format("x - tf.linalg.matvec(tf.linalg.inv(H), g)")),
    "by NumPy": Right(
        "newton-step", NEWTON.format("x.numpy() - np.linalg.solve(H.numpy(), g.numpy())")
    ),
    "with the optimizer": Right(
        "adam",
        "def adam(gradients, rate):\n    x = tf.Variable(0.0, dtype=tf.float64)\n"
        "    steps = tf.keras.optimizers.Adam(rate, epsilon=1e-8)\n    for g in gradients:\n"
        "        steps.apply_gradients([(tf.constant(g), x)])\n    return float(x)",
    ),
}
