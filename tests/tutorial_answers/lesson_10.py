"""Attention from scratch."""

from __future__ import annotations

from tutorial_answers import Wrong

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
        r"For shape \(1, 3, 4\) too",
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
        "mixes places",
    ),
}
