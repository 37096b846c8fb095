"""Gradients of expectations."""

from __future__ import annotations

from tutorial_answers import Right, Wrong

SCORE = "def score_of(x, mu, sigma):\n    return {}"
STEADY = "def steady(r, s):\n    return {}"
STEP = (
    "def step(v, throws, r, spread, rate):\n"
    "    return v + rate * np.mean((r - r.mean())[:, None] * (throws - v), axis=0) / spread**2\n"
)
WALK = STEP + (
    "def walk(referee, v, draw):\n    middles = []\n    for _ in range({}):\n"
    "        throws = v + 1.5 * draw.normal(size=(100, 2))\n        r = referee(throws)\n"
    "        v = step(v, throws, r, 1.5, {}1.5)\n"
    "        middles.append(v)\n    return np.mean(middles[-30:], axis=0)"
)

WRONG = {
    "the sign": Wrong("score-of", SCORE.format("(mu - x) / sigma**2"), "when mu comes closer"),
    "p for log p": Wrong(
        "score-of",
        SCORE.format(
            "(x - mu) / sigma**2 * np.exp(-((x - mu) ** 2) / (2 * sigma**2))"
            " / (sigma * np.sqrt(2 * np.pi))"
        ),
        "slope of p itself",
    ),
    "the spread not squared": Wrong("score-of", SCORE.format("(x - mu) / sigma"), "spread squared"),
    "no spread": Wrong("score-of", SCORE.format("x - mu"), "spread squared"),
    "no baseline": Wrong("steady", STEADY.format("np.mean(r * s)"), "no baseline yet"),
    "itself in its baseline": Wrong(
        "steady", STEADY.format("np.mean((r - r.mean()) * s)"), "leave it out"
    ),
    "a sum": Wrong(
        "steady", STEADY.format("np.sum((r - (r.sum() - r) / (len(r) - 1)) * s)"), "That is a sum"
    ),
    "no mean at all": Wrong("steady", STEADY.format("r * s"), "Return one number"),
    "away from hits": Wrong("walk", WALK.format(100, "-"), "walked away"),
    "not moved": Wrong(
        "walk",
        STEP
        + "def walk(referee, v, draw):\n    referee(v + draw.normal(size=(5, 2)))\n    return v",
        "has not moved",
    ),
    "nobody asked": Wrong(
        "walk",
        STEP + "def walk(referee, v, draw):\n    return np.array([15.6, 11.7])",
        "never asked the referee",
    ),
    "the mean of the hits": Wrong(
        "walk",
        STEP + "def walk(referee, v, draw):\n    t = v + 3 * draw.normal(size=(3000, 2))\n"
        "    return t[referee(t) > 0].mean(0)",
        "many steps",
    ),
    "a step against the gradient": Wrong(
        "walk", WALK.format(100, "").replace("v + rate", "v - rate"), "against the gradient"
    ),
    "a step without a baseline": Wrong(
        "walk", WALK.format(100, "").replace("(r - r.mean())", "r"), "no baseline yet"
    ),
    "a step with the spread once": Wrong(
        "walk", WALK.format(100, "").replace("spread**2", "spread"), "another length"
    ),
    "no step yet": Wrong(
        "walk", WALK.format(100, "").replace("return v + rate", "v + rate"), "returns nothing yet"
    ),
    "one round": Wrong("walk", WALK.format(1, ""), "More rounds|walked away|has not moved"),
}

IN_ANOTHER_STYLE = {
    "one by one": Right(
        "steady",
        "def steady(r, s):\n    n = len(r)\n    return sum((r[i] - np.delete(r, i).mean()) * s[i]"
        " for i in range(n)) / n",
    ),
}
