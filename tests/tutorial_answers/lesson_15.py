"""Gradients of expectations."""

from __future__ import annotations

from tutorial_answers import Right, Wrong

SCORE = "def score_of_spread(x, mu, sigma):\n    return {}"
OWN = "(x - mu)**2 / sigma**3 - 1 / sigma"
STEADY = "def steady(r, s):\n    return {}"
WAYS = "ways = dict(zip('abcd', {}))"
STEP = (
    "def step(v, spread, throws, r, rate):\n    b, away = r.mean(), throws - v\n"
    "    aim = v + rate * np.mean((r - b)[:, None] * away, axis=0) / spread**2\n"
    "    of_spread = (away**2).sum(1) / spread**3 - 2 / spread\n"
    "    return aim, spread + rate * np.mean((r - b) * of_spread)"
)


def step(old: str, new: str) -> str:
    """The right step with one piece replaced."""
    assert old in STEP
    return STEP.replace(old, new)


WRONG = {
    "the sign": Wrong("score-of-spread", SCORE.format(f"-({OWN})"), "when the spread grows"),
    "p for log p": Wrong(
        "score-of-spread",
        SCORE.format(
            f"({OWN}) * np.exp(-((x - mu) ** 2) / (2 * sigma**2)) / (sigma * np.sqrt(2 * np.pi))"
        ),
        "slope of p itself",
    ),
    "the height of the bell forgotten": Wrong(
        "score-of-spread", SCORE.format("(x - mu)**2 / sigma**3"), "also lower"
    ),
    "a power too few": Wrong(
        "score-of-spread", SCORE.format("(x - mu)**2 / sigma**2 - 1 / sigma"), "powers of sigma"
    ),
    "a sign": Wrong(
        "score-of-spread", SCORE.format("(x - mu)**2 / sigma**3 + 1 / sigma"), "One sign is wrong"
    ),
    "two signs": Wrong(
        "score-of-spread",
        SCORE.format("-((x - mu)**2) / sigma**3 - 1 / sigma"),
        "One sign is wrong",
    ),
    "a factor forgotten": Wrong(
        "score-of-spread", SCORE.format("(x - mu)**2 / (2 * sigma**3) - 1 / sigma"), "exponent"
    ),
    "the slope for the mean": Wrong(
        "score-of-spread", SCORE.format("(x - mu) / sigma**2"), "with respect to mu"
    ),
    "a cube has no sample's slope": Wrong(
        "which-way", WAYS.format("['score', 'score', 'score', 'sample']"), "a: the tape"
    ),
    "a slope through a yes": Wrong(
        "which-way", WAYS.format("['both', 'both', 'score', 'sample']"), "b: what is the slope"
    ),
    "a button that moves a little": Wrong(
        "which-way", WAYS.format("['both', 'score', 'both', 'sample']"), "c: can you move"
    ),
    "a border that moves": Wrong(
        "which-way", WAYS.format("['both', 'score', 'score', 'both']"), "d: draw the density"
    ),
    "no words": Wrong("which-way", WAYS.format("[1, 2, 3, 4]"), "for each letter"),
    "a list of words": Wrong("which-way", "ways = ['both', 'score']", "Keep the dictionary"),
    "no baseline": Wrong("steady", STEADY.format("np.mean(r * s)"), "no baseline yet"),
    "itself in its baseline": Wrong(
        "steady", STEADY.format("np.mean((r - r.mean()) * s)"), "leave it out"
    ),
    "a sum": Wrong(
        "steady", STEADY.format("np.sum((r - (r.sum() - r) / (len(r) - 1)) * s)"), "That is a sum"
    ),
    "no mean at all": Wrong("steady", STEADY.format("r * s"), "Return one number"),
    "an aim against the gradient": Wrong("step", step("v + rate", "v - rate"), "The aim goes"),
    "an aim without a baseline": Wrong(
        "step", step("(r - b)[:, None]", "r[:, None]"), "aim has no baseline"
    ),
    "an aim with the spread once": Wrong("step", step("spread**2", "spread"), "another length"),
    "the aim first": Wrong(
        "step",
        "def step(v, spread, throws, r, rate):\n    b = (r - r.mean())[:, None]\n"
        "    v = v + rate * np.mean(b * (throws - v), axis=0) / spread**2\n"
        "    away = (throws - v) ** 2\n"
        "    return v, spread + rate * np.mean((b * away).sum(axis=1)) / spread**3",
        "moved the aim first",
    ),
    "the aim alone": Wrong("step", step("spread + rate", "spread + 0 * rate"), "has not moved"),
    "a spread against the gradient": Wrong(
        "step", step("spread + rate", "spread - rate"), "The spread goes against"
    ),
    "a spread without a baseline": Wrong(
        "step", step("(r - b) * of_spread", "r * of_spread"), "spread has no baseline"
    ),
    "the mean of two numbers": Wrong(
        "step",
        step("(away**2).sum(1) / spread**3 - 2", "(away**2).mean(1) / spread**3 - 1"),
        "not their mean",
    ),
    "the score of one number": Wrong(
        "step", step("(away**2).sum(1)", "away[:, 0] ** 2"), "for both"
    ),
    "one number for each throw": Wrong("step", step("return aim,", "return throws,"), "a pair"),
    "no step yet": Wrong("step", step("return aim", "aim"), "returns nothing yet"),
}

IN_ANOTHER_STYLE = {
    "words with capitals": Right("which-way", WAYS.format("['Both', 'Score', 'SCORE', 'Sample']")),
    "one by one": Right(
        "steady",
        "def steady(r, s):\n    n = len(r)\n    return sum((r[i] - np.delete(r, i).mean()) * s[i]"
        " for i in range(n)) / n",
    ),
    "over one denominator": Right(
        "score-of-spread", SCORE.format("((x - mu)**2 - sigma**2) / sigma**3")
    ),
    "without the constant, which the mean as a baseline cancels": Right(
        "step", step("- 2 / spread", "")
    ),
    "a covariance": Right(
        "step", step("np.mean((r - b) * of_spread)", "np.cov(r, of_spread, bias=True)[0, 1]")
    ),
}
