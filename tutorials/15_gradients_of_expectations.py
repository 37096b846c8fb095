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
# A referee watches your throws and says only *hit* or *miss*. He does not say how far, and he does not say where. A yes has no
# slope. **Can you still walk downhill?** You can, if you throw at random.
#
# You need lessons 1 and 4. Afterwards you can
#
# - say why an average has a slope where no single sample has one,
# - estimate that slope in two ways, and say which one is steadier,
# - calm an estimate without moving its mean,
# - learn from a referee who gives no derivative.

# %% tags=["setup"]
import matplotlib.pyplot as plt
import numpy as np

import minitape as tf
from minitape import viz

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


# %% [markdown] slide="## A staircase has no slope\n\nOne number $x$, and a referee who says 1 if $x > 1$ and 0 otherwise."
# ## A yes has no slope
#
# We begin with one number. A player aims at $\mu$, but his hand trembles: he reaches $x$, drawn from the normal distribution with the
# mean $\mu$ and the spread 1. The referee says 1 if $x > 1$, and 0 otherwise. How does the share of yeses change with $\mu$? Let us ask
# a tape.

# %% slide="What does the tape say? | Nothing: a comparison cuts the path" notes="1 minute. Lesson 4: a staircase is flat between its jumps."
with viz.predict(
    "The share of 100,000 yeses as a program: what is its gradient with respect to `mu`: a number, 0 or `None`?",
    "`None`. A comparison has no derivative, so no path is left. But the share itself, 0.16, grows smoothly with mu.",
):
    noise = np.random.default_rng(0).normal(size=100_000)
    mu = tf.Variable(0.0, dtype=tf.float64)
    with tf.GradientTape() as tape:
        share = tf.reduce_mean(tf.cast(mu + tf.constant(noise) > 1.0, tf.float64))
    print("share of yeses:", round(float(share), 2), " gradient:", tape.gradient(share, mu))

# %% tags=["picture", "given"] minutes=1 slide="No single answer has a slope, but the average has one" alt="Over mu, from -2 to 4: a staircase that jumps from 0 to 1 at mu = 1, the answer for a hand that does not tremble, and a smooth curve, the share of yeses, that climbs from 0 to 1 and passes one half at mu = 1."
# Given: this only draws.
aims = np.linspace(-2.0, 4.0, 121)
figure, panel = plt.subplots(figsize=(5.6, 2.8))
panel.plot(aims, aims > 1.0, "-", drawstyle="steps-mid")
panel.plot(aims, [np.mean(aim + noise[:20_000] > 1.0) for aim in aims], "--")
panel.text(1.2, 0.06, "one hand that\ndoes not tremble", color="#0072b2")
panel.text(1.6, 0.55, "the average", color="#b04a00")
panel.set(xlabel="aim", ylabel="yes")
plt.show()

# %% [markdown] slide=""
# The mean over all draws is called the **expectation**, $E f(x)$. It is an average over $x$, weighted by the density $p(x)$. Move $\mu$, and
# the weights change smoothly, even where $f$ jumps. That is why an expectation has a slope where $f$ has none.

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

# %% [markdown] slide="## Second way: move the weights, not the sample\n\n$$\\frac{d}{d\\mu} E f = E\\left[ f(x) \\cdot \\frac{d \\log p(x)}{d\\mu} \\right]$$\n\nNo slope of $f$ is needed." notes="5 minutes. Write the three lines on the board: the average as a sum of f times p; only p depends on mu; dp = p d log p."
# ## Second way: move the weights
#
# The expectation is a sum of $f(x)$ times $p(x)$ over all $x$. Only $p$ depends on $\mu$:
#
# $$\frac{d}{d\mu} \int f(x)\, p(x)\, dx = \int f(x)\, \frac{dp(x)}{d\mu}\, dx$$
#
# We want an average again, and for that a factor $p(x)$. The chain rule for the logarithm has it: $dp = p \cdot d \log p$. So
#
# $$\frac{d}{d\mu} E f = E\left[ f(x) \cdot \frac{d \log p(x)}{d\mu} \right]$$
#
# In words: multiply each result by the slope of $\log p$, and average. This slope is the **score function**. For our normal distribution
# it is $x - \mu$. The estimate is also called REINFORCE.

# %% slide="The same slope, from numbers alone"
x = 0.0 + noise
print("of (x - 2)^2:   ", round(np.mean((x - 2.0) ** 2 * (x - 0.0)), 2))
print("of the referee: ", round(np.mean((x > 1.0) * (x - 0.0)), 3))
print("on paper:       ", round(np.exp(-0.5) / np.sqrt(2 * np.pi), 3))

# %% [markdown] slide=""
# For the first function both ways agree, up to noise. For the referee the result is the density at 1, as it must be: only the answers of those
# who stand at the border change.

# %% slide="Which way is steadier? | The score is nearly five times as noisy" notes="2 minutes. The score multiplies the whole value of f, which may be large for no good reason."
with viz.predict(
    "Both ways are right on average. How much does *one* sample scatter around -4: both the same, the sample's slope more, or the score more?",
    "The score: its spread is 9.4, against 2.0. For the same precision it needs about 22 times as many samples.",
):
    through, score_ways = 2 * (x - 2.0), (x - 2.0) ** 2 * x
    print("spread of one sample:", round(through.std(), 1), "and", round(score_ways.std(), 1))
    print("squared ratio:", round((score_ways.std() / through.std()) ** 2))

# %% [markdown] slide="## A baseline calms, and moves nothing\n\nThe score is 0 on average. So take any constant from $f$: the mean stays."
# ## A baseline
#
# The score itself is 0 on average: a density always adds up to 1. So we may take any constant $b$ from $f$, and the mean
# stays where it is. Such a constant is called a **baseline**. A good choice is the mean of $f$: then a result counts by how much it
# is better than usual.

# %% slide="With the mean as a baseline | Calmer, and the same mean"
calmer = ((x - 2.0) ** 2 - 5.0) * x
print("mean:", round(calmer.mean(), 1), " spread:", round(calmer.std(), 1), "in place of 9.4")

# %% [markdown] slide="## The referee\n\nThrow 50 balls around $v$. Hits pull $v$ towards them, misses push it away:\n\n$$v \\leftarrow v + \\text{rate} \\cdot \\text{mean of } (r - b)\\, (\\text{throw} - v)$$"
# ## The referee
#
# Back to the ball. Throw 50 balls around $v$, with a spread of 1.5 m/s. The referee says 1 or 0 to each. The score of a throw points from $v$ to
# the throw. So a hit pulls $v$ towards it, and a miss pushes $v$ away. A method that learns like this which actions to choose is called a
# **policy gradient**.


# %% slide="Sixty rounds of fifty throws"
def learned(seed, rounds=60, spread=1.5):
    draw, v, shares = np.random.default_rng(seed), np.array([14.0, 13.0]), []
    for _ in range(rounds):
        throws = v + spread * draw.normal(size=(50, 2))
        r = hits(throws)
        shares.append(r.mean())
        v = v + np.mean((r - r.mean())[:, None] * (throws - v), axis=0) / spread
    return v, shares, throws


# %% slide="Where does the middle of the throws end? | Yes and no were enough" notes="2 minutes. At the start 5 to 9 of 100 throws hit."
with viz.predict(
    "The first middle misses by 2.9 m. After 60 rounds, and never a word about where: does the middle miss by about 3 m, 1 m or 10 cm?",
    "About 10 cm, from all five starts, near the (15.6, 11.7) of lesson 1. The single throws still tremble, so only 11 to 15 of 100 hit.",
):
    print(f"before: {np.hypot(*(ends([[14.0, 13.0]])[0] - (20.0, 2.0))):.1f} m")
    for seed in range(5):
        v, shares, throws = learned(seed)
        off = np.hypot(*(ends([v])[0] - (20.0, 2.0)))
        first, last = 100 * np.mean(shares[:5]), 100 * np.mean(shares[-10:])
        print(
            f"{first:.0f} of 100 hit at first, {last:.0f} at last; v = {v.round(1)}, off by {off:.2f} m"
        )

# %% tags=["picture", "given"] minutes=1 slide="The cloud has walked into the ring" alt="Two clouds of 400 places where balls end, around the ring. Before, the cloud lies above and before the ring, and few places are dark: the hits. After, the ring is in the middle of the cloud, with the dark places around it."
# Given: this only draws.
figure, panels = plt.subplots(1, 2, figsize=(7, 3.2), sharex=True, sharey=True)
for panel, middle, title in [
    (panels[0], [14.0, 13.0], "before"),
    (panels[1], v, "after 60 rounds"),
]:
    cloud = middle + 1.5 * np.random.default_rng(1).normal(size=(400, 2))
    where, yes = ends(cloud), hits(cloud) > 0
    panel.plot(*where[~yes].T, ".", color="0.75", markersize=4)
    panel.plot(*where[yes].T, "o", color="#0072b2", markersize=4)
    panel.plot(20.0, 2.0, "o", color="#b04a00", markersize=26, fillstyle="none", markeredgewidth=2)
    panel.set(title=title, xlabel="metres across")
panels[0].set_ylabel("metres up")
plt.tight_layout()
plt.show()

# %% [markdown] slide="## The same elsewhere\n\n| here | PyTorch | JAX |\n|:--|:--|:--|\n| `mu + sigma * noise` | `Normal(mu, 1).rsample()` | `mu + jax.random.normal(key)` |\n| no path through a draw | `.sample()` has none | the key holds no `mu` |\n| the slope of log p | `.log_prob(x)` | write it |"
# ## The same elsewhere
#
# | here, and in TensorFlow | PyTorch | JAX |
# |:--|:--|:--|
# | `mu + sigma * noise` | `Normal(mu, sigma).rsample()` | `mu + sigma * jax.random.normal(key)` |
# | noise drawn by NumPy: no path | `.sample()` has no gradient | a draw depends on its key alone |
# | the slope of log p, by hand | `Normal(mu, sigma).log_prob(x)` | `jax.scipy.stats.norm.logpdf` |

# %% [markdown] slide="## Exercises\n\nThe score of a wide distribution; a baseline without the sample itself; your own referee."
# ## Exercises
#
# Replace each `...` with your answer, run the cell, and run the check below it.
#
# **Exercise 1.** With a pencil: the normal distribution with the mean $\mu$ and the spread $\sigma$ has
# $\log p(x) = -\frac{(x - \mu)^2}{2 \sigma^2}$ plus something without $\mu$. Write `score_of(x, mu, sigma)`, its slope with respect to $\mu$.


# %% nbgrader={"grade": false, "grade_id": "score-of", "locked": false, "schema_version": 3, "solution": true, "task": false}
def score_of(x, mu, sigma):
    """The slope of log p(x) with respect to mu."""
    ### BEGIN SOLUTION
    return (x - mu) / sigma**2
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "score-of-check", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
with viz.Score(2) as score:
    at, mean, wide = np.random.default_rng().uniform(1.5, 4.0, 3)  # other numbers each time
    found = score_of(at, mean, wide)
    assert found is not None, "Nothing is returned yet."

    def log_p(m):
        return -0.5 * ((at - m) / wide) ** 2

    h = 1e-5
    right = (log_p(mean + h) - log_p(mean - h)) / (2 * h)
    density = np.exp(log_p(mean)) / (wide * np.sqrt(2 * np.pi))
    hint = "That is not the slope of log p. Take the square apart with the chain rule: which sign has its inner slope?"
    if np.isclose(found, -right):
        hint = "The sign: when mu comes closer to x, p(x) grows."
    elif np.isclose(found, right * density):
        hint = "That is the slope of p itself. The logarithm divides by p."
    elif np.isclose(found, right * wide) or np.isclose(found, right * wide**2):
        hint = "A wide distribution changes less. Is the spread squared, and does it divide?"
    score.part(2, np.isclose(found, right), hint)
    score.total("it points from the mean to the sample, and a wide distribution has a small one.")
score.earned

# %% [markdown]
# **Exercise 2.** The mean of all results as a baseline has a flaw: each sample is part of its own baseline. Write `steady(r, s)` for results
# `r` and scores `s`, two arrays of $n$ numbers: the mean of $(r_i - b_i)\, s_i$, in which $b_i$ is the mean of all results *except* $r_i$.


# %% nbgrader={"grade": false, "grade_id": "steady", "locked": false, "schema_version": 3, "solution": true, "task": false}
def steady(r, s):
    """The estimate of the slope, each sample with a baseline made of the others."""
    ### BEGIN SOLUTION
    others = (np.sum(r) - r) / (len(r) - 1)
    return np.mean((r - others) * s)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "steady-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
with viz.Score(3) as score:
    draw = np.random.default_rng()  # other numbers each time
    for n in (3, 8):
        results, scores = draw.normal(size=(2, n)) + 2.0
        found = steady(results.copy(), scores.copy())
        assert found is not None, "Nothing is returned yet: one number, the mean."
        assert np.size(found) == 1, f"One number is asked for, not {np.size(found)}."
        plain, central = np.mean(results * scores), np.cov(results, scores, bias=True)[0, 1]
        right = np.cov(results, scores)[0, 1]  # which divides by n - 1, as leaving one out does
        hint = "Each sample has a baseline of its own. Write them down for three results."
        if np.isclose(found, plain):
            hint = "There is no baseline yet."
        elif np.isclose(found, central):
            hint = "Each result is part of its own baseline here, and the mean of the estimate has moved: leave it out."
        elif np.isclose(found, right * n):
            hint = "That is a sum. The mean is asked for."
        score.part(1.5, np.isclose(found, right), hint)
    score.total("a baseline made of the others knows nothing of the sample, so the mean stays.")
score.earned

# %% [markdown]
# **Exercise 3.** Another referee. Write `walk(referee, v, draw)`: start at `v`, throw around it with `draw.normal`, ask
# `referee(throws)`, which says 1 or 0 to each row, and walk. Return the last middle. You choose spread, rate, rounds and throws a round.
# (The check wants the middle within 70 cm of the ring. An average over the last rounds is steadier than the last one.)


# %% nbgrader={"grade": false, "grade_id": "walk", "locked": false, "schema_version": 3, "solution": true, "task": false}
def walk(referee, v, draw):
    """The middle of the throws, when the referee has been asked often enough."""
    ### BEGIN SOLUTION
    v, middles = np.array(v, float), []
    for _ in range(100):
        throws = v + 1.5 * draw.normal(size=(100, 2))
        r = referee(throws)
        v = v + np.mean((r - r.mean())[:, None] * (throws - v), axis=0) / 1.5
        middles.append(v)
    return np.mean(middles[-30:], axis=0)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "walk-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    draw, begin = np.random.default_rng(), np.array([14.0, 13.0])
    ring = draw.uniform([18.5, 2.5], [20.0, 4.0])  # another ring each time
    asked = []

    def referee(throws):
        asked.append(len(throws))
        return hits(throws, ring)

    end = walk(referee, begin.copy(), draw)
    assert end is not None, "Nothing is returned yet: the middle, two numbers."
    assert np.shape(end) == (2,), f"Two numbers are asked for, not the shape {np.shape(end)}."
    assert asked, "The referee was never asked: he says which throws hit."
    before, after = (np.hypot(*(ends([each])[0] - ring)) for each in (begin, end))
    hint = (
        f"From {before:.1f} m to {after:.1f} m. More rounds, more throws a round, or another rate?"
    )
    if np.allclose(end, begin):
        hint = "The middle has not moved. Add what the hits pull, in every round."
    elif not after < before:
        hint = f"You walked away, from {before:.1f} m to {after:.1f} m. A hit pulls the middle towards it: plus, not minus."
    score.part(2, after < min(1.5, before), hint)
    score.part(2, after < 0.7, hint)
    score.total(
        "multiply each answer by the score, average, and step: no slope of the referee was needed."
    )
score.earned

# %% [markdown]
# **To think about.** In words, for 2 points that are given by hand: three correct programs for a bouncing ball say +1, 0 and -1 for one slope
# (lesson 9). What would you get if you let the height tremble, and why?

# %% [markdown]
# ## What to remember
#
# - An expectation has a slope where no sample has one: the weights change smoothly.
# - Reparametrisation: draw the noise first, then compute. It is steady, and needs a slope of $f$.
# - The score function needs no slope of $f$. Multiply results by the slope of $\log p$. It is noisy.
# - A baseline calms it and leaves the mean where it is, as long as it knows nothing of the sample.
#
# **Read on.** Williams, *Simple Statistical Gradient-Following Algorithms for Connectionist Reinforcement Learning* (1992). Mohamed, Rosca,
# Figurnov, Mnih, *Monte Carlo Gradient Estimation in Machine Learning* (2020).
