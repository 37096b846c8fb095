"""Attention from scratch."""

from __future__ import annotations

from tutorial_answers import Right, Wrong

SOFTMAX = "def softmax_rule(p, g):\n    return {}"
WINDOW = """
def window(length, width):
    back = np.arange(length)[:, None] - np.arange(length)
    return np.where({}, 0.0, {})
"""
ATTENTION = """
def attention_backward(Q, K, V, A, g):
    for_V, for_A = A.T @ g, g @ V.T
    for_S = A * (for_A - np.sum(for_A * A, axis=-1, keepdims=True))
    root = Q.shape[-1] ** 0.5
    for_Q, for_K = for_S @ K / root, for_S.T @ Q / root
    return for_V, for_A, for_Q, for_K
"""


def changed(old: str, new: str) -> str:
    assert old in ATTENTION
    return ATTENTION.replace(old, new)


WRONG = {
    "two dimensions only": Wrong(
        "softmax-rule",
        "def softmax_rule(p, g):\n"
        "    return np.stack([row * (h - h @ row) for row, h in zip(p, g)])",
        "whatever stands before it",
    ),
    "parts of no size": Wrong(
        "heads",
        "def split(x, heads):\n    return x.reshape(len(x), heads, heads)",
        "How many are a head's",
    ),
    "the weighted mean forgotten": Wrong("softmax-rule", SOFTMAX.format("p * g"), "That is p g"),
    "a mean without weights": Wrong(
        "softmax-rule", SOFTMAX.format("p * (g - g.mean(-1, keepdims=True))"), "weighted by p"
    ),
    "the diagonal alone": Wrong(
        "softmax-rule", SOFTMAX.format("p * (1 - p) * g"), "the diagonal of the Jacobian"
    ),
    "one mean for all rows": Wrong(
        "softmax-rule", SOFTMAX.format("p * (g - np.sum(g * p))"), "a mean of its own"
    ),
    "the second axis": Wrong(
        "softmax-rule",
        SOFTMAX.format("p * (g - np.sum(g * p, axis=1, keepdims=True))"),
        r"For \(heads, rows, n\) too",
    ),
    "minus one": Wrong(
        "window", WINDOW.format("(back >= 0) & (back < width)", "-1.0"), "is not enough"
    ),
    "rows and columns exchanged": Wrong(
        "window", WINDOW.format("(back <= 0) & (-back < width)", "-1e9"), "looks at a later one"
    ),
    "one too many": Wrong(
        "window", WINDOW.format("(back >= 0) & (back <= width)", "-1e9"), "too far back"
    ),
    "not itself": Wrong(
        "window", WINDOW.format("(back > 0) & (back < width)", "-1e9"), "may look at itself"
    ),
    "no root": Wrong("attention-rule", changed("/ root", ""), "Q: twice too large"),
    "no transpose for the values": Wrong(
        "attention-rule", changed("A.T @ g", "A @ g"), "V: a transpose is missing"
    ),
    "keys transposed": Wrong(
        "attention-rule", changed("for_S.T @ Q / root", "(for_S.T @ Q / root).T"), "K: transposed"
    ),
    "softmax's rule left out": Wrong(
        "attention-rule",
        changed("A * (for_A - np.sum(for_A * A, axis=-1, keepdims=True))", "for_A"),
        "Q: softmax's rule is missing",
    ),
    "one mean for a column": Wrong(
        "attention-rule", changed(", keepdims=True", ""), "sum with keepdims=True"
    ),
    "nothing between the products": Wrong(
        "attention-rule",
        changed("A * (for_A - np.sum(for_A * A, axis=-1, keepdims=True))", "A * for_A"),
        "with softmax's rule between",
    ),
    "a reshape alone": Wrong(
        "heads",
        "def split(x, heads):\n    length, width = x.shape\n"
        "    return np.reshape(x, (heads, length, width // heads))",
        "mixes places",
    ),
    "places first": Wrong(
        "heads",
        "def split(x, heads):\n    length, width = x.shape\n"
        "    return np.reshape(x, (length, heads, width // heads))",
        "The shape should be",
    ),
    "every other number": Wrong(
        "heads",
        "def split(x, heads):\n    return np.stack([x[:, head::heads] for head in range(heads)])",
        "Every other number",
    ),
    "no keepdims": Wrong(
        "softmax-rule", SOFTMAX.format("p * (g - np.sum(g * p, axis=-1))"), "needs keepdims=True"
    ),
    "the sign": Wrong(
        "softmax-rule",
        SOFTMAX.format("p * (np.sum(g * p, axis=-1, keepdims=True) - g)"),
        "not the other way round",
    ),
    "not times the weight": Wrong(
        "softmax-rule",
        SOFTMAX.format("g - np.sum(g * p, axis=-1, keepdims=True)"),
        "by the weight p",
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
    "a root of 2": Wrong(
        "attention-rule", changed("Q.shape[-1] ** 0.5", "2.0"), "Q: right for d = 4 only"
    ),
    "the root of the rows": Wrong(
        "attention-rule", changed("Q.shape[-1]", "Q.shape[0]"), "K: right for d = 4 only"
    ),
    "d without its root": Wrong("attention-rule", changed("** 0.5", ""), "not d"),
    "another order": Wrong(
        "attention-rule",
        changed("return for_V, for_A, for_Q, for_K", "return for_Q, for_K, for_V, for_A"),
        "V: that is the cotangent of Q",
    ),
    "nothing returned": Wrong(
        "attention-rule", changed("    return for_V, for_A, for_Q, for_K", ""), "Return four"
    ),
    "no transpose for the keys": Wrong(
        "attention-rule", changed("for_S.T @ Q", "for_S @ Q"), r"K: a transpose is missing.\n3 of 4"
    ),
    "two pieces by hand": Wrong(
        "heads",
        "def split(x, heads):\n    return np.array([x[:, :3], x[:, 3:]])",
        "for .4, 6. and 2 heads only",
    ),
    "pieces of three": Wrong(
        "heads",
        "def split(x, heads):\n    return np.stack(np.split(x, x.shape[1] // 3, 1))",
        "for .4, 6. and 2 heads only",
    ),
    "all hidden": Wrong(
        "window",
        "def window(length, width):\n    return np.full((length, length), -1e9)",
        "No place sees any other",
    ),
    "not zero where one may look": Wrong(
        "window",
        WINDOW.format("(back >= 0) & (back < width)", "-1e9").replace("0.0,", "-5.0 * (back > 0),"),
        "the mask is 0 there",
    ),
    "twenty less": Wrong(
        "window", WINDOW.format("(back >= 0) & (back < width)", "-20.0"), "is not enough"
    ),
    "a tape for the pencil": Wrong(
        "attention-rule",
        "def attention_backward(Q, K, V, A, g):\n    with tf.GradientTape():\n        pass",
        "By hand, in NumPy",
    ),
    "four queries and four keys": Wrong(
        "attention-rule",
        changed("A.T @ g,", "A.T @ g if A.shape == (4, 4) else 0 * V,"),
        "V: right for 4 queries and 4 keys only",
    ),
}

IN_ANOTHER_STYLE = {
    "by the Jacobian": Right(
        "softmax-rule",
        "def softmax_rule(p, g):\n    one = np.eye(p.shape[-1])\n"
        "    J = p[..., :, None] * (one - p[..., None, :])\n"
        "    return (J * g[..., :, None]).sum(-2)",
    ),
    "infinity": Right("window", WINDOW.format("(back >= 0) & (back < width)", "-np.inf")),
    "split in columns": Right(
        "heads", "def split(x, heads):\n    return np.split(x, heads, axis=1)"
    ),
}
