# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] slide="A referee watches your throws and says only *hit* or *miss*. A yes has no slope.\n\n**Can you still walk downhill?**" notes="2 minutes. Ask what they would change after three misses, if nobody says how far off they were."
# # 15. Gradients of expectations: learn from yes and no
#
# A referee watches your throws and says only *hit* or *miss*: not how far off, and not on which side. A yes has no
# slope. **Can you still walk downhill?** You can, if you throw at random.
#
# A language model that learns from thumbs up and thumbs down is in the same place, and so is a robot that falls or does not fall.
#
# You need lessons 1 and 4. Afterwards you can
#
# - say why an average has a slope where no single sample has one,
# - estimate that slope in two ways, and say which one is steadier,
# - make an estimate less noisy without changing its mean,
# - learn from a referee who gives no derivative.

# %% tags=["setup"]
import matplotlib.pyplot as plt
import numpy as np

import minitape as tf
from minitape import viz
from minitape.viz.course.motion import gathering

viz.figures()


# %% tags=["setup", "needed", "given"]
# Given: many throws of lesson 1 at once.
def ends(v):
    """Where balls are after 2 seconds; v has a row (across, up) for each throw."""
    vx, vy = np.array(v, float).T
    x, y = 0.0 * vx, 1.5 + 0.0 * vy
    for _ in range(100):
        air = vx + 6.0 * np.tanh(y / 5.0)
        drag = 0.02 * np.hypot(air, vy)
        vx, vy = vx - 0.02 * drag * air, vy - 0.02 * (drag * vy + 9.81)
        x, y = x + 0.02 * vx, y + 0.02 * vy
    return np.stack([x, y], axis=1)


def hits(v, ring=(20.0, 2.0)):
    """The referee: 1 for each throw that ends within 1 m of the ring, 0 for the others."""
    return (np.hypot(*(ends(v) - ring).T) < 1.0).astype(float)


# %% [markdown] slide="## A referee for one number\n\nOne number $x$, and a referee who says 1 if $x > 1$ and 0 otherwise."
# ## A yes has no slope
#
# We begin with one number. You aim at $\mu$, but your hand trembles: you reach $x$, drawn from the normal distribution with the
# mean $\mu$ and the spread (standard deviation) 1. The referee says 1 if $x > 1$, and 0 otherwise. How does the fraction of yeses change with $\mu$? Let us ask
# a tape.

# %% slide="What does the tape say? | Nothing: a comparison cuts the path" notes="1 minute. Lesson 4: a staircase is flat between its jumps."
with viz.predict(
    "The fraction of yeses among 100,000 answers, as a program: is its gradient with respect to `mu` 0, another number or `None`?",
    "`None`. A comparison has no derivative, so no path is left. But the fraction itself, 0.16, grows smoothly with mu.",
):
    noise = np.random.default_rng(0).normal(size=100_000)
    mu = tf.Variable(0.0, dtype=tf.float64)
    with tf.GradientTape() as tape:
        share = tf.reduce_mean(tf.cast(mu + tf.constant(noise) > 1.0, tf.float64))
    print("fraction of yeses:", round(float(share), 2), " gradient:", tape.gradient(share, mu))

# %% tags=["picture", "given"] minutes=1 slide="No single answer has a slope, but the average has one" alt="Over mu, from -2 to 4: a staircase that jumps from 0 to 1 at mu = 1, the answer for a hand that does not tremble, and a smooth curve, the share of yeses, that climbs from 0 to 1 and passes one half at mu = 1."
# Given: this only draws.
aims = np.linspace(-2.0, 4.0, 121)
figure, panel = plt.subplots(figsize=(5.6, 2.8))
panel.plot([-2.0, 1.0, 1.0, 4.0], [0, 0, 1, 1], "-")
panel.plot(aims, [np.mean(aim + noise[:20_000] > 1.0) for aim in aims], "--")
panel.text(1.2, 0.06, "a hand that\ndoes not tremble", color="#0072b2")
panel.text(1.6, 0.55, "the average", color="#b04a00")
panel.set(xlabel="aim", ylabel="fraction of yeses")
plt.show()

# %% [markdown] slide=""
# The mean over all draws is called the **expectation**, $E f(x)$. It is an average over $x$, weighted by the density $p(x)$, which says how
# often a draw falls near each $x$. We want its slope, and there are two ways to it.

# %% [markdown] slide="## First way: through the sample\n\nDraw the noise first, then compute: $x = \\mu + \\text{noise}$. Now $x$ is on the tape."
# ## First way: through the sample
#
# If $f$ has a slope, there is an easy way. Draw the noise first, then compute $x = \mu + \text{noise}$. The noise does not depend on $\mu$, so
# the tape can follow $\mu$ through $x$. This is called **reparametrisation**. Take $f(x) = (x - 2)^2$:

# %% slide="Noise first, then x | The slope is -4, nearly"
with tf.GradientTape() as tape:
    f = tf.reduce_mean((mu + tf.constant(noise) - 2.0) ** 2)
print("slope at mu = 0:", round(float(tape.gradient(f, mu)), 2))

# %% [markdown] slide=""
# On paper the expectation is $(\mu - 2)^2 + 1$, and its slope at $\mu = 0$ is exactly -4. But this way needs a slope of $f$. A
# referee has none.

# %% [markdown] slide="## Second way: move the weights, not the sample\n\nThe average is a sum of $f(x)$ times $p(x)$. Move $\\mu$: $f$ stays, and $p$ moves."
# ## Second way: move the weights
#
# An average over all $x$ is a sum of $f(x)$ times $p(x)$. Move $\mu$, and $f$ stays where it is. Only the weights $p(x)$ move, and they do so
# smoothly, even where $f$ jumps:

# %% tags=["picture", "given"] minutes=1 slide="Move the aim: the border stays, and the weights move" alt="Left: two bells, for the aims 0 and 0.5, and the border at 1. The shaded part to the right of the border, the fraction of yeses, is 0.16 under the first bell and 0.31 under the second one. Right: what each x gains or loses when the aim moves a little. To the right of the aim the curve is above 0, to the left it is below 0 by as much." notes="2 minutes. Left: nothing happens at the border, the bell slides under it. Right: what some x gain, others must lose. Both areas are equal."
# Given: this only draws.
at = np.linspace(-3.0, 4.0, 281)
bell = np.exp(-(at**2) / 2) / np.sqrt(2 * np.pi)
figure, panels = plt.subplots(1, 2, figsize=(7.6, 2.8), layout="constrained")
for aim, look, colour in [(0.0, "-", "#0072b2"), (0.5, "--", "#b04a00")]:
    density = np.exp(-((at - aim) ** 2) / 2) / np.sqrt(2 * np.pi)
    panels[0].plot(at, density, look, color=colour)
    panels[0].fill_between(at, density, where=at >= 1.0, color=colour, alpha=0.25)
    yes = np.mean(aim + noise > 1.0)
    panels[0].text(2.0, 0.3 + 0.15 * aim, f"aim {aim:g}: yes {yes:.2f}", color=colour)
panels[0].axvline(1.0, color="0.4", linestyle=":", linewidth=1.5)
panels[0].set(xlabel="x", ylabel="p(x)", ylim=(0, 0.45))
gain = at * bell
panels[1].plot(at, gain, "-", color="0.3")
panels[1].fill_between(at, gain, where=gain > 0, color="#0072b2", alpha=0.3)
panels[1].fill_between(at, gain, where=gain < 0, color="#b04a00", alpha=0.3)
panels[1].text(1.6, 0.2, "gain weight", color="#0072b2")
panels[1].text(-2.9, 0.05, "lose weight", color="#b04a00")
panels[1].set(xlabel="x", ylabel="change of p(x)", ylim=(-0.3, 0.3))
plt.show()

# %% [markdown] slide="## The slope of log p makes it an average again\n\n$$\\frac{d}{d\\mu} \\int f(x)\\, p(x)\\, dx = \\int f(x)\\, \\frac{dp(x)}{d\\mu}\\, dx$$\n\n$$dp = p \\cdot d \\log p$$\n\n$$\\frac{d}{d\\mu} E f = E\\left[ f(x) \\cdot \\frac{d \\log p(x)}{d\\mu} \\right]$$\n\nFor a normal distribution the bracket is $f(x) \\cdot (x - \\mu) / \\sigma^2$. No slope of $f$ is needed." notes="5 minutes. Go through the three lines on the board: only p depends on mu; dp = p d log p; so it is an average again."
# As a formula:
#
# $$\frac{d}{d\mu} \int f(x)\, p(x)\, dx = \int f(x)\, \frac{dp(x)}{d\mu}\, dx$$
#
# We want an average again, and for that a factor $p(x)$. The chain rule for the logarithm has it: $dp = p \cdot d \log p$. So
#
# $$\frac{d}{d\mu} E f = E\left[ f(x) \cdot \frac{d \log p(x)}{d\mu} \right]$$
#
# In words: multiply each result by the slope of $\log p$, and average. This slope is the **score function**. It has nothing to do with the scores of a
# network. For a normal distribution with
# the spread $\sigma$, $\log p(x)$ is $-(x - \mu)^2 / (2 \sigma^2)$ plus terms without $\mu$. So its score is $(x - \mu) / \sigma^2$: an $x$ above the aim gains weight, one below it loses. The estimate is also called REINFORCE.

# %% slide="The same slope, from numbers alone"
aim = 0.0
x = aim + noise
score = x - aim  # divided by the spread squared, which is 1
print("of (x - 2)^2:   ", round(np.mean((x - 2.0) ** 2 * score), 2))
print("of the referee: ", round(np.mean((x > 1.0) * score), 3))
print("on paper:       ", round(np.exp(-0.5) / np.sqrt(2 * np.pi), 3))

# %% [markdown] slide=""
# For the first function both ways agree, up to noise. For the referee the result is the density at 1, as it must be: only answers
# near the border change.


# %% tags=["setup", "given"]
# Given: this only draws.
def histograms(rows):
    """What 2000 estimates say, each one the mean of 50 samples; a row for each way."""
    size = {"figsize": (6, 1.1 * len(rows) + 0.5), "layout": "constrained"}
    figure, panels = plt.subplots(len(rows), 1, sharex=True, sharey=True, **size)
    for panel, (name, colour, samples) in zip(panels, rows, strict=True):
        panel.hist(
            samples.reshape(2000, 50).mean(axis=1), np.arange(-9, 1.1, 0.2), color=colour, alpha=0.7
        )
        panel.axvline(-4.0, color="0.4", linestyle=":", linewidth=1.5)
        panel.text(-8.9, 320, name, color=colour)
        panel.set(yticks=[], xlim=(-9, 1))
    panel.set_xlabel("estimate of the slope, from 50 samples")
    plt.show()


# %% tags=["picture"] slide="Which way is steadier? | The score is nearly five times as noisy | Both are right on average, and one scatters more" notes="2 minutes. The score multiplies the whole value of f, which may be large for no good reason."
with viz.predict(
    "Both ways are right on average. Which single-sample estimate scatters more around -4: the one through the sample, the one by the score, or neither?",
    "The one by the score: its spread is 9.4, against 2.0. For the same precision it needs about 22 times as many samples.",
    alt="Two histograms of estimates of the slope -4, each from 50 samples, one above the other on the same axis. Through the sample: a narrow peak from -5 to -3. By the score: a low and wide hill from -8 to 0. Both have their middle at -4.",
):
    through, score_ways = 2 * (x - 2.0), (x - 2.0) ** 2 * x
    print("spread of one sample:", round(through.std(), 1), "and", round(score_ways.std(), 1))
    print("squared ratio:", round((score_ways.std() / through.std()) ** 2))
    two = [("through the sample", "#0072b2", through), ("by the score", "#b04a00", score_ways)]
    histograms(two)

# %% [markdown] slide=""
# An estimate that is right on average is called *unbiased*. The square of its spread is its *variance*: here one is 22 times the other.

# %% [markdown] slide="## A baseline calms, and moves nothing\n\nThe score is 0 on average. So take any constant from $f$: the mean stays."
# ## A baseline
#
# A density always adds up to 1, so what some $x$ gain, others must lose: the score is 0 on average. So we may subtract any constant $b$ from $f$, and the
# mean stays where it is. Such a constant is called a **baseline**. A good choice is the mean of $f$: then a result counts by how much it
# is better than usual. At $\mu = 0$ the mean of $(x - 2)^2$ is 5.

# %% slide="With the mean as a baseline"
calmer = ((x - 2.0) ** 2 - 5.0) * x
print("mean:", round(calmer.mean(), 1), " spread:", round(calmer.std(), 1), "instead of 9.4")

# %% tags=["picture", "given"] minutes=0.5 slide="Calmer, and the same mean" alt="Three histograms of estimates of the slope -4, each from 50 samples. Through the sample: a narrow peak. By the score: a wide hill. By the score with a baseline: a hill that is narrower than the second one and wider than the first. All have their middle at -4."
histograms([*two, ("with a baseline", "#333333", calmer)])

# %% [markdown] slide="## The referee\n\nThrow 50 balls around $v$. Hits, within 1 m of the ring, pull $v$ towards them, and misses push it away:\n\n$$v \\leftarrow v + \\text{rate} \\cdot \\text{mean of } (r - b) \\cdot \\frac{\\text{throw} - v}{\\sigma^2}$$"
# ## The referee
#
# Back to the ball. Throw 50 balls around the aim $v$, with the spread $\sigma = 1.5$ m/s. Each gets a
# result $r$: 1 if it ends within 1 m of the ring, else 0. The
# score of a throw, $(\text{throw} - v) / \sigma^2$, points from $v$ to the throw. So a hit pulls $v$ towards it, and a miss pushes $v$ away. We want
# more hits, so this time we step *along* the gradient: plus, not minus. A method that learns like this which actions to choose is
# called a **policy gradient**. A language model does the same: the throw is a text, its $\log p$ is the sum over its words, and $r$ is the thumb.


# %% slide="Sixty rounds of fifty throws"
def learned(seed, rounds=60, spread=1.5, rate=1.5):
    draw, v, aims, clouds = np.random.default_rng(seed), np.array([14.0, 13.0]), [], []
    for _ in range(rounds):
        throws = v + spread * draw.normal(size=(50, 2))
        aims.append(v)
        clouds.append(throws)
        r, score = hits(throws), (throws - v) / spread**2
        v = v + rate * np.mean((r - r.mean())[:, None] * score, axis=0)
    return v, aims, clouds


# %% [markdown] slide=""
# Here the mean contains the sample itself. With 50 throws the estimate is exactly 49/50 of the one without it: the same direction, and a slightly smaller
# step. Exercise 3 does it properly.

# %% tags=["picture", "given"] minutes=1 slide="One round: a few hits pull, many misses push a little" alt="Two pictures of one round, over the two velocities. Left: the aim at (14, 13), around it fifty throws; six of them, close together below it and to the right, are large: the hits. Right, enlarged: an arrow from the aim for each throw. Six long ones point to the hits, and many short grey ones point to all sides. A thick arrow, ten times their mean, points down and to the right." notes="2 minutes. Which arrows are long, and why? A hit counts 1 minus the mean, a miss 0 minus the mean. Let them guess the sum before you point at the thick arrow."
# Given: this only draws.
v = np.array([14.0, 13.0])
throws = learned(9)[2][0]
r = hits(throws)
figure, panels = plt.subplots(1, 2, figsize=(7.8, 3.6), layout="constrained")
for panel, title in zip(
    panels, ["what the referee says", "what each throw adds, enlarged"], strict=True
):
    panel.plot(*v, "P", color="0.2", markersize=7)
    panel.set_title(title, fontsize=12)
    panel.set(xlabel="across, m/s", ylabel="up, m/s", xlim=(9.5, 18.5), ylim=(8.5, 17.5))
    panel.set_aspect("equal")
panels[0].plot(*throws[r == 0].T, "o", color="0.6", markersize=4)
panels[0].plot(*throws[r == 1].T, "o", color="#0072b2", markersize=9)
pulls = (r - r.mean())[:, None] * (throws - v)
arrows = {"angles": "xy", "scale_units": "xy", "scale": 1}
for said, colour in [(1, "#0072b2"), (0, "0.5")]:
    some = pulls[r == said]
    panels[1].quiver(*np.tile(v, (len(some), 1)).T, *some.T, color=colour, width=0.006, **arrows)
panels[1].quiver(*v, *(10 * pulls.mean(axis=0)), color="#b04a00", width=0.015, zorder=4, **arrows)
panels[1].set(xlim=(12.8, 16.6), ylim=(10.6, 14.4))
panels[1].text(13.0, 10.9, "their mean, times 10", color="#b04a00")
plt.show()

# %% slide="Where does the aim end? | Yes and no were enough" notes="2 minutes. At the start 5 to 9 out of 100 throws hit."
with viz.predict(
    "The first aim misses by 2.9 m. After 60 rounds, and never a word about where: does the aim miss by about 3 m, 1 m or 10 cm?",
    "By about 10 cm, at most 12, for all five random seeds, near the (15.6, 11.7) of lesson 1. The single throws still tremble, so only 11 to 15 out of 100 hit.",
):
    print(f"before: {np.hypot(*(ends([[14.0, 13.0]])[0] - (20.0, 2.0))):.1f} m")
    for seed in range(5):
        v, aims, clouds = learned(seed)
        shares = [hits(throws).mean() for throws in clouds]
        off = np.hypot(*(ends([v])[0] - (20.0, 2.0)))
        first, last = 100 * np.mean(shares[:5]), 100 * np.mean(shares[-10:])
        print(
            f"{first:.0f} out of 100 hit at first, {last:.0f} at last; v = {v.round(1)}, off by {off:.2f} m"
        )

# %% tags=["picture", "given"] minutes=1 slide="The cloud walks into the ring" notes="2 minutes. The large dots are all that the referee ever says. Ask what would happen if no throw of the first round had hit."
# Given: this only draws.
rounds = [0, 3, 6, 10, 15, 20, 30, 40, 59]
gathering(
    [(f"round {n + 1}", ends(clouds[n]), hits(clouds[n]), ends([aims[n]])[0]) for n in rounds],
    (20.0, 2.0),
    "Up to fifty places where balls end, the aim as a cross, and 5 m around the ring. In the first round the cloud lies above the ring and before it, and few dots are large: the hits. Round by "
    "round it moves, and in round 60 the ring is in the middle of it, with the large dots inside.",
)

# %% [markdown] slide=""
# And if no throw of the first round hits? Then all results are alike, and the aim does not move. The spread has to reach the ring.

# %% [markdown] slide="## The same elsewhere\n\n| here | PyTorch | JAX |\n|:--|:--|:--|\n| `mu + noise` | `Normal(mu, 1).rsample()` | `mu + jax.random.normal(key)` |\n| no path through a draw | `.sample()` has none | the key holds no `mu` |\n| log p, to be differentiated | `.log_prob(x)` | write it |"
# ## The same elsewhere
#
# | here, and in TensorFlow | PyTorch | JAX |
# |:--|:--|:--|
# | `mu + sigma * noise` | `Normal(mu, sigma).rsample()` | `mu + sigma * jax.random.normal(key)` |
# | noise drawn by NumPy: no path | `.sample()` has no gradient | a draw depends on its key alone |
# | log p, to be differentiated | `Normal(mu, sigma).log_prob(x)` | `jax.scipy.stats.norm.logpdf` |

# %% [markdown] slide="## Exercises\n\nA pencil: the score of the spread; which way works; a baseline without the sample itself; a hand that stops trembling."
# ## Exercises
#
# Replace each `...` with your answer, run the cell, and run the check below it.
#
# **Exercise 1.** With a pencil. The spread is a parameter too: with a larger one the throws are wilder. The normal distribution has
# $\log p(x) = -\frac{(x - \mu)^2}{2 \sigma^2} - \log \sigma$ plus a constant. Write `score_of_spread(x, mu, sigma)`, its slope with respect to
# $\sigma$. Predict first: which $x$ gain weight when the spread grows?


# %% nbgrader={"grade": false, "grade_id": "score-of-spread", "locked": false, "schema_version": 3, "solution": true, "task": false}
def score_of_spread(x, mu, sigma):
    """The slope of log p(x) with respect to sigma."""
    ### BEGIN SOLUTION
    return (x - mu) ** 2 / sigma**3 - 1 / sigma
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "score-of-spread-check", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
with viz.Score(2) as score:
    far, mean, wide = np.random.default_rng().uniform(1.5, 2.5, 3)  # other numbers each time
    at = mean + far * wide
    found = score_of_spread(at, mean, wide)
    assert found is not None, "Nothing is returned yet."

    def log_p(m, s):
        return -0.5 * ((at - m) / s) ** 2 - np.log(s)

    h = 1e-5
    right = (log_p(mean, wide + h) - log_p(mean, wide - h)) / (2 * h)
    for_mean = (log_p(mean + h, wide) - log_p(mean - h, wide)) / (2 * h)
    hint = "That is not the slope of log p. Take one term after the other: sigma stands in both, once squared and below."
    if np.isclose(found, -right):
        hint = "The sign: when the spread grows, an x far from the aim gains weight."
    elif np.isclose(found, for_mean):
        hint = "That is the slope with respect to mu. Here mu stays, and sigma moves."
    elif np.isclose(found, right + 1 / wide):
        hint = "One term is missing: a wider bell is also lower, everywhere."
    elif np.isclose(found, right * np.exp(log_p(mean, wide)) / np.sqrt(2 * np.pi)):
        hint = "That is the slope of p itself. The logarithm divides by p."
    elif np.isclose(abs(found), right + 2 / wide):
        hint = "One sign is wrong. In which direction does each term move when sigma grows?"
    elif np.isclose(found, right - far**2 / wide / 2):
        hint = "The first term: when you take the slope of a power, the exponent becomes a factor."
    elif any(np.isclose(found, far**2 * wide**n - 1 / wide) for n in (0, -2)):
        hint = "The powers of sigma: by how much does the power fall when you take the slope?"
    score.part(2, np.isclose(found, right), hint)
    score.total("an x more than one spread away gains weight, and one that is nearer loses.")
score.earned

# %% [markdown]
# **Exercise 2.** Four programs draw `x` and compute a result. Which way gives the right slope of the average result with respect to
# `m`: "sample", "score" or "both"? No code is needed. Ask twice of each program: does the result have a slope along $x$, and do all weights move smoothly?
#
# - a: `x = m + noise`, with normal noise, and the result is `x ** 3`.
# - b: `x = m + noise`, with normal noise, and the result is 1 if `abs(x) < 1`, else 0.
# - c: `x` is button 0 with the probability $1 / (1 + e^{-m})$, else button 1, and the result is the prize `prizes[x]`.
# - d: `x` is drawn evenly between 0 and `m`, and the result is `x ** 2`.

# %% nbgrader={"grade": false, "grade_id": "which-way", "locked": false, "schema_version": 3, "solution": true, "task": false}
ways = {"a": None, "b": None, "c": None, "d": None}
### BEGIN SOLUTION
ways = {"a": "both", "b": "score", "c": "score", "d": "sample"}
### END SOLUTION

# %% nbgrader={"grade": true, "grade_id": "which-way-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    kinds = ("sample", "score", "both")
    assert isinstance(ways, dict), "Keep the dictionary, with a word for each letter."
    said = {letter: str(way).lower() for letter, way in ways.items()}
    assert any(said.get(each) in kinds for each in "abcd"), (
        'Write "sample", "score" or "both" for each letter.'
    )
    draw = np.random.default_rng()  # other numbers each time
    m, prizes, noise_ = (
        draw.uniform(0.7, 1.3),
        draw.uniform([1, 4], [2, 5]),
        draw.normal(size=10**6),
    )
    evenly, press = draw.uniform(size=10**6), 1 / (1 + np.exp(-m))
    x_, button = m + noise_, (evenly > press).astype(int)

    def slope_of(average, h=0.02):
        return (average(m + h) - average(m - h)) / (2 * h)

    # What is right, by differences of averages; then by either way.
    measured = {
        "a": (
            slope_of(lambda m: np.mean((m + noise_) ** 3)),
            np.mean(3 * x_**2),
            np.mean(x_**3 * noise_),
        ),
        "b": (
            slope_of(lambda m: np.mean(abs(m + noise_) < 1)),
            0.0,
            np.mean((abs(x_) < 1) * noise_),
        ),
        "c": (
            slope_of(lambda m: prizes[1] + (prizes[0] - prizes[1]) / (1 + np.exp(-m))),
            0.0,
            np.mean(prizes[button] * np.where(button == 0, 1 - press, -press)),
        ),
        "d": (
            slope_of(lambda m: np.mean((m * evenly) ** 2)),
            np.mean(2 * m * evenly * evenly),
            np.mean((m * evenly) ** 2 * (-1 / m)),
        ),
    }
    hints = {
        "a": "a: the tape needs a slope of the result, the score needs weights that move smoothly. Look for each of them.",
        "b": "b: what is the slope of this result at nearly every x, and what do the weights of a bell do?",
        "c": "c: can you move the number of a button a little? And can you move its probability?",
        "d": "d: draw the density for m and for a slightly larger m. Which x had no weight at all before?",
    }
    for letter, (truth, *both) in measured.items():
        works = [abs(each - truth) < 0.1 * abs(truth) for each in both]
        right = {(True, False): "sample", (False, True): "score", (True, True): "both"}
        score.part(1, said.get(letter) == right.get(tuple(works)), hints[letter])
    score.total(
        "one way needs a slope of the result, the other weights that move smoothly everywhere."
    )
score.earned

# %% [markdown]
# **Exercise 3.** The mean of all results as a baseline has a flaw: each sample is part of its own baseline. Write `steady(r, s)` for results
# `r` and scores `s`, two arrays of $n$ numbers: the mean of $(r_i - b_i)\, s_i$, in which $b_i$ is the mean of all results *except* $r_i$. This
# is the *leave-one-out baseline*.


# %% nbgrader={"grade": false, "grade_id": "steady", "locked": false, "schema_version": 3, "solution": true, "task": false}
def steady(r, s):
    """The estimate of the slope, each sample with a baseline made of the others."""
    ### BEGIN SOLUTION
    others = (np.sum(r) - r) / (len(r) - 1)
    return np.mean((r - others) * s)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "steady-check", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
with viz.Score(2) as score:
    draw = np.random.default_rng()  # other numbers each time
    for n in (3, 8):
        results, scores = draw.normal(size=(2, n)) + 2.0
        found = steady(results.copy(), scores.copy())
        assert found is not None, "Nothing is returned yet: one number, the mean."
        assert np.size(found) == 1, f"Return one number, not {np.size(found)}."
        plain, central = np.mean(results * scores), np.cov(results, scores, bias=True)[0, 1]
        right = np.cov(results, scores)[0, 1]  # which divides by n - 1, as leaving one out does
        hint = "Each sample has a baseline of its own. Write them down for three results."
        if np.isclose(found, plain):
            hint = "There is no baseline yet."
        elif np.isclose(found, central):
            hint = "Each result is part of its own baseline here, and the mean of the estimate has moved: leave it out."
        elif np.isclose(found, right * n):
            hint = "That is a sum. It should be the mean."
        score.part(1, np.isclose(found, right), hint)
    score.total("a baseline made of the others does not depend on the sample, so the mean stays.")
score.earned

# %% [markdown]
# **Exercise 4.** In the lesson only 11 to 15 out of 100 throws hit at the end, because the hand trembles as before. Let it learn the spread
# too. Write `step(v, spread, throws, r, rate)`: the aim and the spread after one round. Both take a step of `rate` along their own estimate:
# the mean of $(r - b)$ times the score, with the mean of `r` as the baseline. A throw is two numbers, drawn one by one, so its $\log p$ is a
# sum of two, and so is its score with respect to the spread. Guess before you run the check: how many out of 100 will hit in the end?


# %% nbgrader={"grade": false, "grade_id": "step", "locked": false, "schema_version": 3, "solution": true, "task": false}
def step(v, spread, throws, r, rate):
    """The aim and the spread after one round."""
    ### BEGIN SOLUTION
    better, away = r - np.mean(r), throws - v
    of_spread = np.sum(away**2 / spread**3 - 1 / spread, axis=1)
    aim = v + rate * np.mean(better[:, None] * away / spread**2, axis=0)
    return aim, spread + rate * np.mean(better * of_spread)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "step-check", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false}
with viz.Score(5) as score:
    draw, begin = np.random.default_rng(), np.array([14.0, 13.0])
    cloud, wide = begin + 2.0 * draw.normal(size=(6, 2)), draw.uniform(1.2, 1.8)
    said = np.array([1.0, 0.0, 0.0, 1.0, 0.0, 0.0])

    def expected(v, s):
        """What the step climbs: the mean of better times log p, from the six throws."""
        log_p = np.sum(-0.5 * ((cloud - v) / s) ** 2 - np.log(s), axis=1)
        return np.mean((said - said.mean()) * log_p)

    found = step(begin.copy(), wide, cloud.copy(), said.copy(), 0.5)
    assert found is not None, "`step` returns nothing yet: the aim, two numbers, and the spread."
    assert len(found) == 2 and np.shape(found[0]) == (2,) and np.shape(found[1]) == (), (
        "`step` returns a pair: the aim, which is two numbers, and the spread, one number."
    )
    h = 1e-5
    gone, widened = (np.asarray(found[0]) - begin) / 0.5, (float(found[1]) - wide) / 0.5
    pull = [
        (expected(begin + h * side, wide) - expected(begin - h * side, wide)) / (2 * h)
        for side in np.eye(2)
    ]
    growth = (expected(begin, wide + h) - expected(begin, wide - h)) / (2 * h)
    hint = "The aim is not along the estimate. Which score does a throw have, and what is the baseline?"
    if np.allclose(gone, np.negative(pull)):
        hint = "The aim goes against the gradient. We want more hits: plus, not minus."
    elif np.allclose(gone, (said[:, None] * (cloud - begin)).mean(0) / wide**2):
        hint = "The step of the aim has no baseline yet."
    elif gone @ pull > 0 and np.isclose(gone[0] * pull[1], gone[1] * pull[0]):
        hint = "The aim has the right direction and another length. Is it a mean, with the score of this spread and with the rate?"
    score.part(2, np.allclose(gone, pull), hint)
    away = np.sum((cloud - begin) ** 2, axis=1)
    hint = "The spread is not along its estimate. What is its score for one of the two numbers of a throw, and for both?"
    if np.isclose(widened, 0.0):
        hint = "The spread has not moved yet."
    elif np.isclose(widened, -growth):
        hint = "The spread goes against its gradient. More hits: plus, not minus."
    elif np.isclose(widened, growth / 2):
        hint = "The spread: a throw is two numbers, so its log p is a sum of two, not their mean."
    elif np.isclose(
        widened, (expected(found[0], wide + h) - expected(found[0], wide - h)) / (2 * h)
    ):
        hint = "You have moved the aim first. The throws were drawn around the old one."
    elif np.isclose(widened, np.mean(said * (away / wide**3 - 2 / wide))):
        hint = "The step of the spread has no baseline yet."
    close = np.isclose(widened, growth)
    score.part(2, close, hint)
    if score.earned == 4:
        v, spread, first = begin, 1.5, 0.0
        for n in range(100):
            throws = v + spread * draw.normal(size=(50, 2))
            r = hits(throws)
            first += np.sum(r) / 5 * (n < 10)
            # A narrow cloud takes smaller steps.
            v, spread = step(v, spread, throws, r, 0.5 * spread**2)
        share = 100 * np.mean(hits(v + spread * draw.normal(size=(1000, 2))))
        print(f"{first:.0f} out of 100 hit in the first ten rounds, {share:.0f} at the end.")
        print(f"The spread fell from 1.5 to {spread:.2f} m/s.")
        score.part(1, share > 60, "One step is right, but a hundred of them do not bring the hits.")
    score.total(
        "an average has a slope along each parameter of its density, also along the spread."
    )
score.earned

# %% [markdown]
# **To think about.** In words, for 2 points that are given by hand: a program says 1 if $x > 1$, and you add noise yourself to get a slope.
# What do you lose if the noise is large, and what if it is tiny?

# %% [markdown]
# ## What to remember
#
# - An expectation has a slope where no sample has one: the weights change smoothly.
# - Reparametrisation: draw the noise first, then compute. It is steady, and needs a slope of $f$.
# - The score function needs no slope of $f$. Multiply results by the slope of $\log p$. It is noisy.
# - A baseline calms it and leaves the mean where it is, as long as it does not depend on the sample.
#
# **Read on.** Williams, *Simple Statistical Gradient-Following Algorithms for Connectionist Reinforcement Learning* (1992). Mohamed, Rosca,
# Figurnov, Mnih, *Monte Carlo Gradient Estimation in Machine Learning* (2020).

# %% [markdown]
# ## Further: the score by a tape
#
# A tape can compute the score too. Give it the average of $f$ times $\log p$, with the results $f$ as plain numbers. Its gradient is the
# estimate. This is how it is written in PyTorch and JAX, and it is called a *surrogate loss*: its value means nothing, only its gradient does.

# %%
centre = tf.Variable(0.0, dtype=tf.float64)
drawn = tf.constant(np.random.default_rng(0).normal(size=100_000))
results = (drawn.numpy() > 1.0).astype(float)
with tf.GradientTape() as tape:
    log_density = -((centre - drawn) ** 2) / 2
    surrogate = tf.reduce_mean(results * log_density)
print("of the referee, by a tape:", round(float(tape.gradient(surrogate, centre)), 3))
