"""A transformer that writes."""

from __future__ import annotations

from tutorial_answers import Right, Wrong

CHANCES = (
    "def chances(logits, temperature):\n    s = {}\n    s = s - s.max(axis=-1, keepdims=True)\n"
    "    e = np.exp(s)\n    return {}"
)
ROWS = "e / e.sum(axis=-1, keepdims=True)"
JOINED = (
    "def joined(pieces):\n    batch, heads, length, size = pieces.shape\n"
    "    return {}.reshape(batch, length, heads * size)"
)
PERPLEXITY = (
    "def perplexity(logits, ids):\n    p = np.exp(logits)\n"
    "    p = p / p.sum(axis=1, keepdims=True)\n    {}\n    return {}"
)
SHIFTED = "chosen = p[:-1][np.arange(len(ids) - 1), ids[1:]]"

WRONG = {
    "multiplied": Wrong("chances", CHANCES.format("logits * temperature", ROWS), "more alike"),
    "not used": Wrong("chances", CHANCES.format("logits", ROWS), "changes nothing"),
    "along the columns": Wrong(
        "chances",
        "def chances(logits, temperature):\n    e = np.exp(logits / temperature)\n"
        "    return e / e.sum(axis=0)",
        "columns sum to 1",
    ),
    "all together": Wrong(
        "chances",
        CHANCES.format("logits / temperature", "e / e.sum()").replace(
            "s.max(axis=-1, keepdims=True)", "s.max()"
        ),
        "Together, all rows",
    ),
    "divided too late": Wrong(
        "chances", CHANCES.format("logits", ROWS + " / temperature"), "do not sum to 1"
    ),
    "too large for floats": Wrong(
        "chances",
        "def chances(logits, temperature):\n    e = np.exp(logits / temperature)\n"
        "    return e / e.sum(axis=-1, keepdims=True)",
        "not a number",
    ),
    "reshaped alone": Wrong("joined", JOINED.format("pieces"), "Only the shape has changed"),
    "size before heads": Wrong(
        "joined", JOINED.format("np.transpose(pieces, (0, 2, 3, 1))"), "in the wrong order"
    ),
    "heads turned around": Wrong(
        "joined",
        JOINED.format("np.transpose(pieces[:, ::-1], (0, 2, 1, 3))"),
        "in the wrong order",
    ),
    "positions turned around": Wrong(
        "joined", JOINED.format("np.transpose(pieces[:, :, ::-1], (0, 2, 1, 3))"), "other places"
    ),
    "not joined": Wrong(
        "joined", "def joined(pieces):\n    return np.transpose(pieces, (0, 2, 1, 3))", "the shape"
    ),
    "not shifted": Wrong(
        "perplexity",
        PERPLEXITY.format("chosen = p[np.arange(len(ids)), ids]", "np.exp(-np.log(chosen).mean())"),
        "just read",
    ),
    "shifted the wrong way": Wrong(
        "perplexity",
        PERPLEXITY.format(
            "chosen = p[1:][np.arange(len(ids) - 1), ids[:-1]]", "np.exp(-np.log(chosen).mean())"
        ),
        "wrong way",
    ),
    "the cost": Wrong(
        "perplexity", PERPLEXITY.format(SHIFTED, "-np.log(chosen).mean()"), "the cost of a letter"
    ),
    "a power of two": Wrong(
        "perplexity", PERPLEXITY.format(SHIFTED, "2 ** -np.log(chosen).mean()"), "not of 2"
    ),
    "the mean probability": Wrong(
        "perplexity", PERPLEXITY.format(SHIFTED, "1 / chosen.mean()"), "averaged probabilities"
    ),
    "the mean of perplexities": Wrong(
        "perplexity", PERPLEXITY.format(SHIFTED, "(1 / chosen).mean()"), "The mean comes first"
    ),
    "no sign": Wrong(
        "perplexity", PERPLEXITY.format(SHIFTED, "np.exp(np.log(chosen).mean())"), "sign is missing"
    ),
    "added up": Wrong(
        "perplexity", PERPLEXITY.format(SHIFTED, "np.exp(-np.log(chosen).sum())"), "Their mean"
    ),
}

IN_ANOTHER_STYLE = {
    "with minitape": Right(
        "chances",
        "def chances(logits, temperature):\n"
        "    return tf.nn.softmax(tf.constant(logits / temperature)).numpy()",
    ),
    "a head after the other": Right(
        "joined",
        "def joined(pieces):\n"
        "    return np.concatenate([pieces[:, n] for n in range(pieces.shape[1])], axis=-1)",
    ),
    "a product of chances": Right(
        "perplexity",
        PERPLEXITY.format(SHIFTED, "np.prod(chosen) ** (-1 / len(chosen))"),
    ),
}
