"""Do the gradients arrive?"""

from __future__ import annotations

from tutorial_answers import Right, Wrong

SPREAD = "def spread(n, leak):\n    return {}"
BACK = (
    "def norm_backward(x, g):\n    s = x.std(axis=0)\n    h = (x - x.mean(axis=0)) / s\n"
    "    return {}"
)
MODES = (
    "def norm(x, kept, training):\n    mean, var = kept['mean'], kept['var']\n    if {}:\n"
    "        mean, var = x.mean(axis=0), x.var(axis=0)\n"
    "        kept['mean'] = {} * kept['mean'] + {} * mean\n"
    "        kept['var'] = {} * kept['var'] + {} * {}\n    return (x - mean) / {}"
)
TENTH = ("0.9", "0.1") * 2

WRONG = {
    "the variance": Wrong("spread", SPREAD.format("2 / (n * (1 + leak**2))"), "the variance"),
    "no relu": Wrong("spread", SPREAD.format("1 / np.sqrt(n)"), "without relu"),
    "a relu that closes": Wrong("spread", SPREAD.format("np.sqrt(2 / n)"), "closed below 0"),
    "the mean of the slopes": Wrong(
        "spread", SPREAD.format("np.sqrt(2 / (n * (1 + leak)))"), "Lengths are made of squares"
    ),
    "slopes are squared too late": Wrong(
        "spread", SPREAD.format("2 / (np.sqrt(n) * (1 + leak))"), "Square the slopes first"
    ),
    "squares are added": Wrong(
        "spread", SPREAD.format("1 / np.sqrt(n * (1 + leak**2))"), "averaged, not added"
    ),
    "mean and s as constants": Wrong("norm-backward", BACK.format("g / s"), "first step alone"),
    "without s": Wrong("norm-backward", BACK.format("(g - g.mean(axis=0)) / s"), "s contributes"),
    "without the mean": Wrong(
        "norm-backward", BACK.format("(g - h * (g * h).mean(axis=0)) / s"), "sum to 0"
    ),
    "no h at the end": Wrong(
        "norm-backward",
        BACK.format("(g - g.mean(axis=0) - (g * h).mean(axis=0)) / s"),
        "it goes along h",
    ),
    "sums for means": Wrong(
        "norm-backward",
        BACK.format("(g - g.sum(axis=0) - h * (g * h).sum(axis=0)) / s"),
        "sum to 0",
    ),
    "a sum for s": Wrong(
        "norm-backward",
        BACK.format("(g - g.mean(axis=0) - h * (g * h).sum(axis=0)) / s"),
        "a sum where a mean",
    ),
    "not divided": Wrong(
        "norm-backward",
        BACK.format("g - g.mean(axis=0) - h * (g * h).mean(axis=0)"),
        "the division by s",
    ),
    "along the rows": Wrong(
        "norm-backward",
        "def norm_backward(x, g):\n    s = x.std(axis=1, keepdims=True)\n"
        "    h = (x - x.mean(axis=1, keepdims=True)) / s\n"
        "    return (g - g.mean(axis=1, keepdims=True)"
        " - h * (g * h).mean(axis=1, keepdims=True)) / s",
        "The rows sum to 0",
    ),
    "the batch in use": Wrong(
        "two-modes", MODES.format("True", *TENTH, "var", "np.sqrt(var)"), "neighbours"
    ),
    "the kept ones in training": Wrong(
        "two-modes",
        "def norm(x, kept, training):\n    return (x - kept['mean']) / np.sqrt(kept['var'])",
        "mean and the variance of the batch count",
    ),
    "the weights are exchanged": Wrong(
        "two-modes",
        MODES.format("training", "0.1", "0.9", "0.1", "0.9", "var", "np.sqrt(var)"),
        "nine tenths",
    ),
    "the newest alone": Wrong(
        "two-modes",
        MODES.format("training", "0.0", "1.0", "0.0", "1.0", "var", "np.sqrt(var)"),
        "forget everything",
    ),
    "the average of the spread": Wrong(
        "two-modes",
        MODES.format("training", *TENTH, "np.sqrt(var)", "np.sqrt(var)"),
        "divide by n, and take no root",
    ),
    "divided by the variance": Wrong(
        "two-modes", MODES.format("training", *TENTH, "var", "var"), "divided by the variance"
    ),
    "nothing is stored": Wrong(
        "two-modes",
        "def norm(x, kept, training):\n    mean, var = kept['mean'], kept['var']\n"
        "    if training:\n        mean, var = x.mean(axis=0), x.var(axis=0)\n"
        "    return (x - mean) / np.sqrt(var)",
        "have not moved",
    ),
}

IN_ANOTHER_STYLE = {
    "through a gain": Right("spread", SPREAD.format("np.sqrt(2 / (1 + leak**2)) / n**0.5")),
    "one column at a time": Right(
        "norm-backward",
        "def norm_backward(x, g):\n    out = np.zeros_like(x)\n    n = len(x)\n"
        "    for j in range(x.shape[1]):\n"
        "        s = x[:, j].std()\n        h = (x[:, j] - x[:, j].mean()) / s\n"
        "        jacobian = (np.eye(n) - 1 / n - np.outer(h, h) / n) / s\n"
        "        out[:, j] = jacobian @ g[:, j]\n    return out",
    ),
    "in place": Right(
        "two-modes",
        "def norm(x, kept, training):\n    if not training:\n"
        "        return (x - kept['mean']) * kept['var'] ** -0.5\n"
        "    kept['mean'] += 0.1 * (x.mean(0) - kept['mean'])\n"
        "    kept['var'] += 0.1 * (x.var(0) - kept['var'])\n    return (x - x.mean(0)) / x.std(0)",
    ),
}
