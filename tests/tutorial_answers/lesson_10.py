"""Attention: a soft look-up."""

from __future__ import annotations

from tutorial_answers import Right, Wrong

SOFTMAX = "def log_softmax_rule(p, g):\n    return {}"
WINDOW = """
def window(length, width):
    back = np.arange(length)[:, None] - np.arange(length)
    return np.where({}, 0.0, {})
"""
LAYER = """
def layer_backward(X, Wq, Wk, Wv, A, g):
    Q, K, V = X @ Wq, X @ Wk, X @ Wv
    for_V, for_A = A.T @ g, g @ V.T
    for_S = A * (for_A - np.sum(for_A * A, axis=-1, keepdims=True))
    root = Q.shape[-1] ** 0.5
    for_Q, for_K = for_S @ K / root, for_S.T @ Q / root
    for_X = for_Q @ Wq.T + for_K @ Wk.T + for_V @ Wv.T
    return X.T @ for_V, X.T @ for_Q, X.T @ for_K, for_X
"""
LEAKS = """
def leaks(f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        out = f(x)
    J = tape.jacobian(out, x).numpy()
    return {}
"""


def changed(old: str, new: str) -> str:
    assert old in LAYER
    return LAYER.replace(old, new)


WRONG = {
    "two dimensions only": Wrong(
        "log-softmax-rule",
        "def log_softmax_rule(p, g):\n"
        "    return np.stack([h - row * h.sum() for row, h in zip(p, g)])",
        "whatever axes come before it",
    ),
    "the rule of softmax": Wrong(
        "log-softmax-rule",
        SOFTMAX.format("p * (g - np.sum(g * p, axis=-1, keepdims=True))"),
        "divide g by p",
    ),
    "the logarithm's own slope alone": Wrong(
        "log-softmax-rule", SOFTMAX.format("g / p"), "the step from l to p"
    ),
    "the direct way alone": Wrong(
        "log-softmax-rule", SOFTMAX.format("1.0 * g"), "direct path alone"
    ),
    "the diagonal alone": Wrong(
        "log-softmax-rule", SOFTMAX.format("g * (1 - p)"), "the diagonal of the Jacobian"
    ),
    "a sum without weights": Wrong(
        "log-softmax-rule",
        SOFTMAX.format("g - np.sum(g, axis=-1, keepdims=True)"),
        "its own part of the sum",
    ),
    "the weights in the sum": Wrong(
        "log-softmax-rule",
        SOFTMAX.format("g - np.sum(g * p, axis=-1, keepdims=True)"),
        "The p stands before the sum",
    ),
    "one sum for all rows": Wrong(
        "log-softmax-rule", SOFTMAX.format("g - p * np.sum(g)"), "its own sum"
    ),
    "a sum over the rows": Wrong(
        "log-softmax-rule", SOFTMAX.format("g - p * np.sum(g, axis=0)"), "the sum within a row"
    ),
    "the second axis": Wrong(
        "log-softmax-rule",
        SOFTMAX.format("g - p * np.sum(g, axis=1, keepdims=True)"),
        r"for \(batch, rows, n\) too",
    ),
    "no keepdims": Wrong(
        "log-softmax-rule", SOFTMAX.format("g - p * np.sum(g, axis=-1)"), "needs keepdims=True"
    ),
    "the sign": Wrong(
        "log-softmax-rule",
        SOFTMAX.format("p * np.sum(g, axis=-1, keepdims=True) - g"),
        "is subtracted from g",
    ),
    "the probability minus the truth": Wrong(
        "log-softmax-rule", SOFTMAX.format("p - g"), "for one label"
    ),
    "the truth minus the probability": Wrong(
        "log-softmax-rule", SOFTMAX.format("g - p"), "for one label"
    ),
    "minus one": Wrong(
        "window", WINDOW.format("(back >= 0) & (back < width)", "-1.0"), "is not enough"
    ),
    "rows and columns exchanged": Wrong(
        "window",
        WINDOW.format("(back <= 0) & (-back < width)", "-1e9"),
        "looks at a later one: rows ask",
    ),
    "one too many": Wrong(
        "window", WINDOW.format("(back >= 0) & (back <= width)", "-1e9"), "too far back"
    ),
    "not itself": Wrong(
        "window", WINDOW.format("(back > 0) & (back < width)", "-1e9"), "may look at itself"
    ),
    "the width of the example": Wrong(
        "window", WINDOW.format("(back >= 0) & (back < 3)", "-1e9"), "for width 3, then for 1"
    ),
    "ones where one may look": Wrong(
        "window", WINDOW.format("(back < 0) | (back >= width)", "1.0"), r"\*added\* to the scores"
    ),
    "zero times infinity": Wrong(
        "window",
        "def window(length, width):\n    return np.triu(np.ones((length, length)), 1) * -np.inf",
        "nan: 0 times infinity",
    ),
    "all hidden": Wrong(
        "window",
        "def window(length, width):\n    return np.full((length, length), -1e9)",
        "No position sees any other",
    ),
    "not zero where one may look": Wrong(
        "window",
        WINDOW.format("(back >= 0) & (back < width)", "-1e9").replace("0.0,", "-5.0 * (back > 0),"),
        "the mask is 0 there",
    ),
    "twenty less": Wrong(
        "window", WINDOW.format("(back >= 0) & (back < width)", "-20.0"), "is not enough"
    ),
    "a slice that begins below 0": Wrong(
        "window",
        "def window(length, width):\n    mask = np.full((length, length), -1e9)\n"
        "    for i in range(length):\n        mask[i, i - width + 1:i + 1] = 0\n    return mask",
        "does one begin below 0",
    ),
    "X not yet": Wrong(
        "layer-rule",
        changed("for_Q, X.T @ for_K, for_X", "for_Q, X.T @ for_K, None"),
        "X is still None",
    ),
    "no root": Wrong("layer-rule", changed("/ root", ""), "Wq: twice too large"),
    "no transpose for the rows": Wrong(
        "layer-rule",
        changed("return X.T @ for_V", "return X @ for_V"),
        "Wv: a transpose is missing",
    ),
    "softmax's rule left out": Wrong(
        "layer-rule",
        changed("A * (for_A - np.sum(for_A * A, axis=-1, keepdims=True))", "for_A"),
        "Wq: softmax's rule is missing",
    ),
    "X after softmax's rule is left out": Wrong(
        "layer-rule",
        changed("A * (for_A - np.sum(for_A * A, axis=-1, keepdims=True))", "for_A"),
        "X: it follows from the others",
    ),
    "X after the root is forgotten": Wrong(
        "layer-rule", changed("/ root", ""), "X: it follows from the others"
    ),
    "the weights not transposed": Wrong(
        "layer-rule", changed("A.T @ g", "A @ g"), "Wv: a transpose is missing at A"
    ),
    "one way of three": Wrong(
        "layer-rule",
        changed("for_X = for_Q @ Wq.T + for_K @ Wk.T + for_V @ Wv.T", "for_X = for_V @ Wv.T"),
        "X: that is one path of three",
    ),
    "two ways of three": Wrong(
        "layer-rule", changed(" + for_V @ Wv.T", ""), "X: that is two paths of three"
    ),
    "matrices not transposed": Wrong(
        "layer-rule",
        changed(
            "for_Q @ Wq.T + for_K @ Wk.T + for_V @ Wv.T", "for_Q @ Wq + for_K @ Wk + for_V @ Wv"
        ),
        "X: the transposes of the matrices",
    ),
    "one product too few": Wrong(
        "layer-rule",
        changed("X.T @ for_Q, X.T @ for_K", "for_Q, for_K"),
        "Wq: that is the cotangent of Q",
    ),
    "nothing between the products": Wrong(
        "layer-rule",
        changed("A * (for_A - np.sum(for_A * A, axis=-1, keepdims=True))", "A * for_A"),
        "Wq: look at the mean in softmax's rule",
    ),
    "a mean along the columns": Wrong(
        "layer-rule", changed("axis=-1, keepdims=True", "axis=0"), "Wk: look at the mean"
    ),
    "a mean without its weights": Wrong(
        "layer-rule",
        changed("np.sum(for_A * A, axis=-1", "np.mean(for_A, axis=-1"),
        "Wq: look at the mean",
    ),
    "a root of 2": Wrong(
        "layer-rule", changed("Q.shape[-1] ** 0.5", "2.0"), "Wq: right for d = 4 only"
    ),
    "the root of the rows": Wrong(
        "layer-rule", changed("Q.shape[-1]", "Q.shape[0]"), "Wk: right for d = 4 only"
    ),
    "d without its root": Wrong("layer-rule", changed("** 0.5", ""), "not d"),
    "another order": Wrong(
        "layer-rule",
        changed(
            "return X.T @ for_V, X.T @ for_Q, X.T @ for_K, for_X",
            "return for_X, X.T @ for_Q, X.T @ for_K, X.T @ for_V",
        ),
        "Wv: that is the cotangent of X",
    ),
    "nothing returned": Wrong(
        "layer-rule",
        changed("    return X.T @ for_V, X.T @ for_Q, X.T @ for_K, for_X", ""),
        "Return four",
    ),
    "no transpose for the keys": Wrong(
        "layer-rule", changed("for_S.T @ Q", "for_S @ Q"), "Wk: a transpose is missing at the"
    ),
    "a tape for the pencil": Wrong(
        "layer-rule",
        "def layer_backward(X, Wq, Wk, Wv, A, g):\n    with tf.GradientTape():\n        pass",
        "By hand, in NumPy",
    ),
    "below the diagonal": Wrong(
        "leaks",
        LEAKS.format("bool(np.tril(np.abs(J).sum((1, 3)), -1).any())"),
        r"\*above\* the diagonal",
    ),
    "with the diagonal": Wrong(
        "leaks",
        LEAKS.format("bool(np.triu(np.abs(J).sum((1, 3))).any())"),
        "You accuse an honest one",
    ),
    "the first row alone": Wrong(
        "leaks", LEAKS.format("bool(np.any(J[0, :, 1:] != 0))"), "at every number of it"
    ),
    "the first number alone": Wrong(
        "leaks",
        LEAKS.format("bool(np.any(np.triu(np.abs(J)[:, 0, :, 0], 1)))"),
        "at every number of it",
    ),
    "a threshold": Wrong(
        "leaks",
        LEAKS.format("bool((np.triu(np.abs(J).sum((1, 3)), 1) > 0.1).any())"),
        "Not found: a millionth",
    ),
    "everybody": Wrong("leaks", "def leaks(f, x):\n    return True", "you accuse everybody"),
    "nobody": Wrong("leaks", "def leaks(f, x):\n    return False", "You found no cheat"),
    "opposite signs": Wrong(
        "leaks",
        LEAKS.format("bool(np.triu(J.sum((1, 3)).round(9), 1).any())"),
        "take their absolute values",
    ),
    "the next row alone": Wrong(
        "leaks",
        LEAKS.format("bool(np.diagonal(np.abs(J).sum((1, 3)), 1).any())"),
        "a look at the last row",
    ),
    "x is changed and the outputs compared": Wrong(
        "leaks",
        """
def leaks(f, x):
    before = f(x).numpy()
    for j in range(len(x)):
        other = x.numpy()
        other[j] += 1.0
        if np.any(f(tf.constant(other)).numpy()[:j] != before[:j]):
            return True
    return False
""",
        "rounding loses it",
    ),
    "a threshold beside the largest entry": Wrong(
        "leaks",
        LEAKS.format("bool((np.triu(np.abs(J).sum((1, 3)), 1) > 1e-9 * np.abs(J).max()).any())"),
        "Do not compare it with the largest entry",
    ),
    "four axes at once": Wrong(
        "leaks", LEAKS.format("bool(np.triu(J, 1) @ np.ones(9))"), "has the shape .n, w, n, d."
    ),
}

IN_ANOTHER_STYLE = {
    "by the Jacobian": Right(
        "log-softmax-rule",
        "def log_softmax_rule(p, g):\n    J = np.eye(p.shape[-1]) - p[..., None, :]\n"
        "    return (J * g[..., :, None]).sum(-2)",
    ),
    "through softmax": Right(
        "log-softmax-rule",
        "def log_softmax_rule(p, g):\n    g = g / p\n"
        "    return p * (g - np.sum(g * p, axis=-1, keepdims=True))",
    ),
    "infinity": Right("window", WINDOW.format("(back >= 0) & (back < width)", "-np.inf")),
    "small numbers taken for nothing": Right(
        "leaks",
        "def leaks(f, x):\n    with tf.GradientTape() as tape:\n        tape.watch(x)\n"
        "        out = f(x)\n    J = tape.jacobian(out, x).numpy()\n"
        "    return not all(np.allclose(J[i, :, i + 1:], 0) for i in range(len(J)))",
    ),
    "a truth value of the tape's library": Right(
        "leaks", LEAKS.format("tf.reduce_any(tf.constant(np.triu(np.abs(J).sum((1, 3)), 1)) > 0)")
    ),
    "the largest of all, compared": Right(
        "leaks",
        "def leaks(f, x):\n    with tf.GradientTape() as tape:\n        tape.watch(x)\n"
        "        out = f(x)\n    sizes = tf.reduce_sum(tf.abs(tape.jacobian(out, x)), [1, 3])\n"
        "    return tf.reduce_max(sizes * np.triu(np.ones((len(x), len(x))), 1)) > 0",
    ),
    "one gradient for each row": Right(
        "leaks",
        "def leaks(f, x):\n    for i in range(len(x)):\n        with tf.GradientTape() as tape:\n"
        "            tape.watch(x)\n            out = f(x)[i]\n"
        "        J = tape.jacobian(out, x)\n"
        "        if np.any(J.numpy()[:, i + 1:]):\n            return True\n    return False",
    ),
}
