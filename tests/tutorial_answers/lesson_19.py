"""A transformer that writes."""

from __future__ import annotations

from tutorial_answers import Right, Wrong

CHANCES = (
    "def chances(logits, temperature):\n    s = {}\n    s = s - s.max(axis=-1, keepdims=True)\n"
    "    e = np.exp(s)\n    return {}"
)
ROWS = "e / e.sum(axis=-1, keepdims=True)"
WITHOUT = (
    "def without(w, block, head):\n    kernel = w[f'{}'].numpy().copy()\n    kernel{} = 0.0\n"
    "    return {{**w, f'{}': tf.constant(kernel)}}"
)
JOIN, VALUE, QUERY = "join{block}", "value{block}", "query{block}"
ITS = "14 * head - 14 : 14 * head"
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
    "columns of join": Wrong(
        "without", WITHOUT.format(JOIN, f"[:, {ITS}]", JOIN), "columns of join"
    ),
    "rows of value": Wrong("without", WITHOUT.format(VALUE, f"[{ITS}]", VALUE), "rows of value"),
    "heads from 0": Wrong(
        "without",
        WITHOUT.format(JOIN, "[14 * head : 14 * head + 14]", JOIN),
        "as before|other head",
    ),
    "all of join": Wrong("without", WITHOUT.format(JOIN, "[:]", JOIN), "both heads are gone"),
    "every other row": Wrong(
        "without", WITHOUT.format(JOIN, "[head - 1 :: 2]", JOIN), "not the right"
    ),
    "the other block": Wrong(
        "without", WITHOUT.format("join{3 - block}", f"[{ITS}]", "join{3 - block}"), "has to change"
    ),
    "the scores": Wrong("without", WITHOUT.format(QUERY, f"[:, {ITS}]", QUERY), "all alike"),
    "the MLP": Wrong(
        "without", WITHOUT.format("down{block}", f"[{ITS}]", "down{block}"), "not a part of a head"
    ),
    "in place": Wrong(
        "without",
        "def without(w, block, head):\n    kernel = w[f'join{block}'].numpy().copy()\n"
        f"    kernel[{ITS}] = 0.0\n    w[f'join{{block}}'] = tf.constant(kernel)\n    return w",
        "itself has changed",
    ),
    "one array": Wrong(
        "without",
        "def without(w, block, head):\n    return {f'join{block}': 0.0 * w[f'join{block}']}",
        "all weights of w",
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
    "every row with every letter": Wrong(
        "perplexity",
        PERPLEXITY.format("chosen = p[:-1][:, ids[1:]]", "np.exp(-np.log(chosen).mean())"),
        "with all the letters",
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
    "a head without values": Right("without", WITHOUT.format(VALUE, f"[:, {ITS}]", VALUE)),
    "a product of chances": Right(
        "perplexity",
        PERPLEXITY.format(SHIFTED, "np.prod(chosen) ** (-1 / len(chosen))"),
    ),
}
