"""Differentiate a simulation."""

from __future__ import annotations

from tutorial_answers import Right, Wrong

SEGMENTS = """
def gradient_in_segments(step, x, count):
    def segment(state):
        for _ in range(400 // count):
            state = step(state)
        return state

    with tf.GradientTape({}) as tape:
        tape.watch(x)
        state = x
        for number in range(count):
            {}
        total = tf.reduce_sum(state)
    return tape.gradient(total, x)
"""
CONTACT = """
def contact(y, v, c):
    {}
    return s, after
"""
REST = """
def rest_gradient(W, p, u, g):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([u, p])
        f = tf.tanh(tf.linalg.matvec(W, u) + p) - u
    {}
"""
LIES = """
def lies(f, h):
    x = tf.constant(np.linspace(h - 0.1, h + 0.1, 401))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    slopes = tape.gradient(y, x).numpy()
    return abs({} - float(y[-1] - y[0])) > 0.01
"""
AT_ONE = """
def lies(f, h):
    x = tf.constant([h], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    ahead, behind = f(x + {size}), f(x - {size})
    return abs({size} * 2 * float(tape.gradient(y, x)[0]) - float(ahead[0] - behind[0])) > {much}
"""
FALL = "fall = v - c; s = (fall + tf.sqrt(fall**2 + 2 * 9.81 * y)) / 9.81; "

WRONG = {
    "a slip in the moment, and a speed that follows from it": Wrong(
        "contact",
        "def contact(y, v, c):\n    s = ((v - c) + tf.sqrt((v - c) ** 2 + 9.81 * y)) / 9.81\n"
        "    return s, c - 0.8 * (v - 9.81 * s - c)",
        "The speed follows from your s as it should[^1]*1 of 4 points",
    ),
    "no segments": Wrong(
        "checkpoints", SEGMENTS.format("", "state = segment(state)"), "states are held at a time"
    ),
    "from the start each time": Wrong(
        "checkpoints",
        SEGMENTS.format(
            "",
            "state = tf.recompute_grad(lambda z: [z := segment(z) for _ in range(count)][-1])(x)",
        ),
        "does each segment begin where the one before it ended",
    ),
    "count steps in a segment": Wrong(
        "checkpoints",
        SEGMENTS.format("", "state = tf.recompute_grad(step)(state)"),
        "count the steps",
    ),
    "a mean": Wrong(
        "checkpoints",
        SEGMENTS.format("", "state = tf.recompute_grad(segment)(state)").replace(
            "reduce_sum", "reduce_mean"
        ),
        "the gradient of the mean",
    ),
    "nothing": Wrong(
        "checkpoints", "def gradient_in_segments(step, x, count):\n    pass", "Nothing is returned"
    ),
    "not watched": Wrong(
        "checkpoints",
        SEGMENTS.format("", "state = segment(state)").replace("tape.watch(x)", "pass"),
        "is x watched",
    ),
    "the floor in place of the racket": Wrong(
        "contact",
        CONTACT.format(
            "s = (v + tf.sqrt(v**2 + 2 * 9.81 * y)) / 9.81; after = -0.8 * (v - 9.81 * s)"
        ),
        "it has moved up by",
    ),
    "the racket's speed forgotten": Wrong(
        "contact", CONTACT.format(FALL + "after = -0.8 * (v - 9.81 * s)"), "its own speed counts"
    ),
    "the speed of now": Wrong(
        "contact", CONTACT.format(FALL + "after = c - 0.8 * fall"), "gravity goes on"
    ),
    "one number": Wrong(
        "contact",
        "def contact(y, v, c):\n    return (v - c + tf.sqrt((v - c)**2 + 2 * 9.81 * y)) / 9.81",
        "return s, after",
    ),
    "no speed": Wrong("contact", CONTACT.format(FALL + "after = None"), "after is None yet"),
    "the speed seen from the racket": Wrong(
        "contact", CONTACT.format(FALL + "after = -0.8 * (fall - 9.81 * s)"), "add c"
    ),
    "the other root": Wrong(
        "contact",
        CONTACT.format(
            "fall = v - c; s = (fall - tf.sqrt(fall**2 + 2 * 9.81 * y)) / 9.81; "
            "after = c - 0.8 * (fall - 9.81 * s)"
        ),
        "in the past",
    ),
    "the moment by NumPy": Wrong(
        "contact",
        CONTACT.format(
            "fall = v - c; s = (fall + np.sqrt(float(fall**2 + 2 * 9.81 * y))) / 9.81; "
            "after = c - 0.8 * (fall - 9.81 * s)"
        ),
        "saw no path",
    ),
    "the moment as a constant": Wrong(
        "contact",
        CONTACT.format(FALL + "after = c - 0.8 * (fall - 9.81 * s); s = tf.stop_gradient(s)"),
        "the slope lies",
    ),
    "the sign": Wrong(
        "implicit",
        REST.format(
            "a = tf.linalg.solve(tf.transpose(tape.jacobian(f, u)), g[:, None])[:, 0]\n"
            "    return tape.gradient(f, p, output_gradients=a)"
        ),
        "The sign",
    ),
    "no transpose": Wrong(
        "implicit",
        REST.format(
            "a = tf.linalg.solve(tape.jacobian(f, u), g[:, None])[:, 0]\n"
            "    return -tape.gradient(f, p, output_gradients=a)"
        ),
        "W is not symmetric",
    ),
    "g nowhere": Wrong(
        "implicit", REST.format("return -tape.gradient(f, p)"), "does not depend on g"
    ),
    "what is not zero at rest": Wrong(
        "implicit",
        REST.replace("+ p) - u", "+ p)").format(
            "a = tf.linalg.solve(tf.transpose(tape.jacobian(f, u)), g[:, None])[:, 0]\n"
            "    return -tape.gradient(f, p, output_gradients=a)"
        ),
        "what is zero at rest",
    ),
    "a tape that is used up": Wrong(
        "implicit",
        REST.replace("persistent=True", "").format(
            "a = tf.linalg.solve(tf.transpose(tape.jacobian(f, u)), g[:, None])[:, 0]\n"
            "    return -tape.gradient(f, p, output_gradients=a)"
        ),
        "the tape persistent",
    ),
    "the solution of the system alone": Wrong(
        "implicit",
        REST.format("return tf.linalg.solve(tf.transpose(tape.jacobian(f, u)), g[:, None])[:, 0]"),
        "the last step",
    ),
    "its solution with a minus": Wrong(
        "implicit",
        REST.format("return -tf.linalg.solve(tf.transpose(tape.jacobian(f, u)), g[:, None])[:, 0]"),
        "the last step",
    ),
    "a vector for the system": Wrong(
        "implicit",
        REST.format("return tf.linalg.solve(tf.transpose(tape.jacobian(f, u)), g)"),
        r"(?s)It stops with ((?!watched).)*$",
    ),
    "a column as the cotangent": Wrong(
        "implicit",
        REST.format(
            "a = tf.linalg.solve(tf.transpose(tape.jacobian(f, u)), g[:, None])\n"
            "    return -tape.gradient(f, p, output_gradients=a)"
        ),
        r"make it a vector of shape \(4,\)",
    ),
    "nothing watched": Wrong(
        "implicit",
        REST.replace("tape.watch([u, p])", "pass").format(
            "a = tf.linalg.solve(tf.transpose(tape.jacobian(f, u)), g[:, None])[:, 0]\n"
            "    return -tape.gradient(f, p, output_gradients=a)"
        ),
        "Are u and p watched",
    ),
    "one round": Wrong(
        "implicit", REST.format("return tape.gradient(f, p, output_gradients=g)"), "one round only"
    ),
    "the whole history": Wrong(
        "implicit",
        "def rest_gradient(W, p, u, g):\n    with tf.GradientTape() as tape:\n"
        "        tape.watch(p)\n        z = 0.0 * p\n        for _ in range(200):\n"
        "            z = tf.tanh(tf.linalg.matvec(W, z) + p)\n"
        "        total = tf.reduce_sum(g * z)\n    return tape.gradient(total, p)",
        "tanh ran 200 times",
    ),
    "the adjoint in rounds": Wrong(
        "implicit",
        "def rest_gradient(W, p, u, g):\n    a = g\n    for _ in range(200):\n"
        "        with tf.GradientTape(persistent=True) as tape:\n            tape.watch([u, p])\n"
        "            z = tf.tanh(tf.linalg.matvec(W, u) + p)\n"
        "        a = g + tape.gradient(z, u, output_gradients=a)\n"
        "    return tape.gradient(z, p, output_gradients=a)",
        "one solve does it",
    ),
    "the adjoint in rounds of products": Wrong(
        "implicit",
        "def rest_gradient(W, p, u, g):\n    D, a = 1.0 - u**2, g\n    for _ in range(500):\n"
        "        a = g + tf.linalg.matvec(W, D * a, transpose_a=True)\n    return D * a",
        "no linear system was solved(.|\n)*3 of 4",
    ),
    "the adjoint in rounds of NumPy": Wrong(
        "implicit",
        "def rest_gradient(W, p, u, g):\n    D, a = 1.0 - u.numpy() ** 2, g.numpy()\n"
        "    for _ in range(500):\n        a = g.numpy() + W.numpy().T @ (D * a)\n    return D * a",
        "no linear system was solved",
    ),
    "the sign, and no transpose": Wrong(
        "implicit",
        REST.format(
            "a = tf.linalg.solve(tape.jacobian(f, u), g[:, None])[:, 0]\n"
            "    return tape.gradient(f, p, output_gradients=a)"
        ),
        "Two slips: the sign(.|\n)*1 of 4",
    ),
    "speed and moment exchanged": Wrong(
        "contact",
        CONTACT.format(FALL + "after = c - 0.8 * (fall - 9.81 * s); s, after = after, s"),
        "The other order",
    ),
    "both stopped": Wrong(
        "contact",
        CONTACT.format("y = tf.stop_gradient(y); " + FALL + "after = c - 0.8 * (fall - 9.81 * s)"),
        r"neither float\(\) nor tf\.stop_gradient",
    ),
    "always twenty segments": Wrong(
        "checkpoints",
        SEGMENTS.format("", "state = tf.recompute_grad(segment)(state)").replace(
            "    def segment", "    count = 20\n\n    def segment"
        ),
        "With 4 segments",
    ),
    "differences that stay on one tooth": Wrong(
        "lies",
        AT_ONE.format(size="1e-6", much="1e-7"),
        r"lie on the same tooth(.|\n)*only when it finds the teeth(.|\n)*1 of 4 points",
    ),
    "one gradient for the whole way": Wrong(
        "lies",
        AT_ONE.format(size="0.1", much="0.01"),
        r"a wave that bends(.|\n)*at how many heights(.|\n)*3 of 4 points",
    ),
    "a way that is too short": Wrong(
        "lies",
        LIES.replace("0.1", "0.05").format("0.1 * slopes.mean()"),
        "how long is the way",
    ),
    "the slope in place of the rise": Wrong(
        "lies", LIES.format("slopes.mean()"), "times the length of the way"
    ),
    "the sum of the slopes": Wrong(
        "lies", LIES.format("slopes.sum()"), "times the length of the way"
    ),
    "an answer for each height": Wrong(
        "lies",
        LIES.replace("float(y[-1] - y[0])", "(y[-1] - y[0]).numpy()").format("0.2 * slopes"),
        "one truth value",
    ),
    "heights that no tape watches": Wrong(
        "lies",
        LIES.replace("tape.watch(x)", "pass").format("0.2 * slopes.mean()"),
        "is that tensor watched",
    ),
    "all accused": Wrong(
        "lies", "def lies(f, h):\n    return True", "You accuse an honest program"
    ),
    "nobody accused": Wrong("lies", "def lies(f, h):\n    return False", "You found no liar"),
    "nothing said": Wrong("lies", "def lies(f, h):\n    pass", "Nothing is returned yet"),
}

IN_ANOTHER_STYLE = {
    "by energy": Right(
        "contact",
        CONTACT.format(
            "up = tf.sqrt((v - c)**2 + 2 * 9.81 * y); s = (v - c + up) / 9.81; after = c + 0.8 * up"
        ),
    ),
    "by an inverse that has a name of its own": Right(
        "implicit",
        "from numpy.linalg import inv\n\n\ndef rest_gradient(W, p, u, g):\n"
        "    D = np.diag(1 - np.asarray(u) ** 2)\n"
        "    return D @ inv((np.eye(4) - D @ W.numpy()).T) @ g.numpy()",
    ),
    "in NumPy": Right(
        "implicit",
        "def rest_gradient(W, p, u, g):\n    D = 1 - np.asarray(u) ** 2\n"
        "    M = np.eye(len(D)) - D[:, None] * np.asarray(W)\n"
        "    return D * np.linalg.solve(M.T, np.asarray(g))",
    ),
    "height by height, by tangents": Right(
        "lies",
        "def lies(f, h):\n    x = tf.constant(np.linspace(h - 0.1, h + 0.1, 401))\n"
        "    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as acc:\n        y = f(x)\n"
        "    slopes = acc.jvp(y).numpy()\n    steps = (slopes[1:] + slopes[:-1]) / 2 * np.diff(x)\n"
        "    return not np.isclose(steps.sum(), float(y[-1] - y[0]), atol=0.01)",
    ),
}
