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


# %% [markdown] slide="## A staircase has no slope\n\nOne number $x$, and a referee who says 1 if $x > 1$ and 0 otherwise."
# ## A yes has no slope
#
# We begin with one number. You aim at $\mu$, but your hand trembles: you reach $x$, drawn from the normal distribution with the
# mean $\mu$ and the spread 1. The referee says 1 if $x > 1$, and 0 otherwise. How does the fraction of yeses change with $\mu$? Let us ask
# a tape.

# %% slide="What does the tape say? | Nothing: a comparison cuts the path" notes="1 minute. Lesson 4: a staircase is flat between its jumps."
with viz.predict(
    "The fraction of yeses among 100,000 answers, as a program: is its gradient with respect to `mu` a number, 0 or `None`?",
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
panel.plot(aims, aims > 1.0, "-", drawstyle="steps-mid")
panel.plot(aims, [np.mean(aim + noise[:20_000] > 1.0) for aim in aims], "--")
panel.text(1.2, 0.06, "a hand that\ndoes not tremble", color="#0072b2")
panel.text(1.6, 0.55, "the average", color="#b04a00")
panel.set(xlabel="aim", ylabel="yes")
plt.show()

# %% [markdown] slide=""
# The mean over all draws is called the **expectation**, $E f(x)$. It is an average over $x$, weighted by the density $p(x)$. Move $\mu$, and
# the weights change smoothly, even where $f$ jumps. That is why an expectation has a slope where $f$ has none.

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
panels[1].text(0.4, -0.2, "lose weight", color="#b04a00")
panels[1].set(xlabel="x", ylabel="change of p(x)", ylim=(-0.3, 0.3))
plt.show()

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
# it is $x - \mu$: an $x$ above the aim gains weight, one below it loses. The estimate is also called REINFORCE.

# %% slide="The same slope, from numbers alone"
x = 0.0 + noise
print("of (x - 2)^2:   ", round(np.mean((x - 2.0) ** 2 * (x - 0.0)), 2))
print("of the referee: ", round(np.mean((x > 1.0) * (x - 0.0)), 3))
print("on paper:       ", round(np.exp(-0.5) / np.sqrt(2 * np.pi), 3))

# %% [markdown] slide=""
# For the first function both ways agree, up to noise. For the referee the result is the density at 1, as it must be: only answers
# near the border change.
#
# A tape can do this too. Give it the average of $f$ times $\log p$, with $f$ as plain numbers. Its gradient is the estimate. This is how it
# is written in PyTorch and JAX, and it is called a *surrogate loss*.

# %% slide="The score, by a tape | The gradient is the estimate"
answers = (x > 1.0).astype(float)
with tf.GradientTape() as tape:
    log_p = -((mu - x) ** 2) / 2
    surrogate = tf.reduce_mean(answers * log_p)
print("of the referee, by a tape:", round(float(tape.gradient(surrogate, mu)), 3))

# %% slide="Which way is steadier? | The score is nearly five times as noisy" notes="2 minutes. The score multiplies the whole value of f, which may be large for no good reason."
with viz.predict(
    "Both ways are right on average. Which single-sample estimate scatters more around -4: the one through the sample, the one by the score, or neither?",
    "The one by the score: its spread is 9.4, against 2.0. For the same precision it needs about 22 times as many samples.",
):
    through, score_ways = 2 * (x - 2.0), (x - 2.0) ** 2 * x
    print("spread of one sample:", round(through.std(), 1), "and", round(score_ways.std(), 1))
    print("squared ratio:", round((score_ways.std() / through.std()) ** 2))

# %% [markdown] slide=""
# An estimate that is right on average is called *unbiased*. The square of its spread is its *variance*: here one is 22 times the other.

# %% [markdown] slide="## A baseline calms, and moves nothing\n\nThe score is 0 on average. So take any constant from $f$: the mean stays."
# ## A baseline
#
# A density always adds up to 1, so what some $x$ gain, others must lose: the score is 0 on average. So we may subtract any constant $b$ from $f$, and the
# mean stays where it is. Such a constant is called a **baseline**. A good choice is the mean of $f$: then a result counts by how much it
# is better than usual. At $\mu = 0$ the mean of $(x - 2)^2$ is 5.

# %% slide="With the mean as a baseline | Calmer, and the same mean"
calmer = ((x - 2.0) ** 2 - 5.0) * x
print("mean:", round(calmer.mean(), 1), " spread:", round(calmer.std(), 1), "instead of 9.4")

# %% [markdown] slide="## The referee\n\nThrow 50 balls around $v$. Hits pull $v$ towards them, misses push it away:\n\n$$v \\leftarrow v + \\text{rate} \\cdot \\text{mean of } (r - b)\\, (\\text{throw} - v)$$"
# ## The referee
#
# Back to the ball. Throw 50 balls around the aim $v$, with a spread of 1.5 m/s. The referee says 1 or 0 to each. The score of a throw points from $v$ to
# the throw. So a hit pulls $v$ towards it, and a miss pushes $v$ away. We want more hits, so this time we step *along* the gradient: plus,
# not minus. The score is $(\text{throw} - v) / 1.5^2$, as exercise 1 shows. The code divides by 1.5 only, so its learning rate is 1.5. A
# method that learns like this which actions to choose is called a **policy gradient**.


# %% slide="Sixty rounds of fifty throws"
def learned(seed, rounds=60, spread=1.5):
    draw, v, clouds = np.random.default_rng(seed), np.array([14.0, 13.0]), []
    for _ in range(rounds):
        throws = v + spread * draw.normal(size=(50, 2))
        clouds.append(throws)
        r = hits(throws)
        v = v + np.mean((r - r.mean())[:, None] * (throws - v), axis=0) / spread
    return v, clouds


# %% slide="Where does the aim end? | Yes and no were enough" notes="2 minutes. At the start 5 to 9 out of 100 throws hit."
with viz.predict(
    "The first aim misses by 2.9 m. After 60 rounds, and never a word about where: does the aim miss by about 3 m, 1 m or 10 cm?",
    "About 10 cm, for all five random seeds, near the (15.6, 11.7) of lesson 1. The single throws still tremble, so only 11 to 15 out of 100 hit.",
):
    print(f"before: {np.hypot(*(ends([[14.0, 13.0]])[0] - (20.0, 2.0))):.1f} m")
    for seed in range(5):
        v, clouds = learned(seed)
        shares = [hits(throws).mean() for throws in clouds]
        off = np.hypot(*(ends([v])[0] - (20.0, 2.0)))
        first, last = 100 * np.mean(shares[:5]), 100 * np.mean(shares[-10:])
        print(
            f"{first:.0f} out of 100 hit at first, {last:.0f} at last; v = {v.round(1)}, off by {off:.2f} m"
        )

# %% tags=["picture", "given"] minutes=1 slide="The cloud walks into the ring" notes="2 minutes. The large dots are all that the referee ever says. Ask what would happen if no throw of the first round had hit: nothing, for then all results are alike."
# Given: this only draws.
rounds = [0, 3, 6, 10, 15, 20, 30, 40, 59]
gathering(
    [(f"round {n + 1}", ends(clouds[n]), hits(clouds[n])) for n in rounds],
    (20.0, 2.0),
    "Fifty places where balls end, and the ring. In the first round the cloud lies above the ring and before it, and few dots are large: the hits. Round by "
    "round it moves, and in round 60 the ring is in the middle of it, with the large dots inside.",
)

# %% [markdown] slide="## The same elsewhere\n\n| here | PyTorch | JAX |\n|:--|:--|:--|\n| `mu + sigma * noise` | `Normal(mu, 1).rsample()` | `mu + jax.random.normal(key)` |\n| no path through a draw | `.sample()` has none | the key holds no `mu` |\n| log p, to be differentiated | `.log_prob(x)` | write it |"
# ## The same elsewhere
#
# | here, and in TensorFlow | PyTorch | JAX |
# |:--|:--|:--|
# | `mu + sigma * noise` | `Normal(mu, sigma).rsample()` | `mu + sigma * jax.random.normal(key)` |
# | noise drawn by NumPy: no path | `.sample()` has no gradient | a draw depends on its key alone |
# | log p, to be differentiated | `Normal(mu, sigma).log_prob(x)` | `jax.scipy.stats.norm.logpdf` |

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
# `r` and scores `s`, two arrays of $n$ numbers: the mean of $(r_i - b_i)\, s_i$, in which $b_i$ is the mean of all results *except* $r_i$. This
# is the *leave-one-out baseline*.


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
        score.part(1.5, np.isclose(found, right), hint)
    score.total("a baseline made of the others does not depend on the sample, so the mean stays.")
score.earned

# %% [markdown]
# **Exercise 3.** Another referee, in two functions. First write `step(v, throws, r, spread, rate)`: the aim after one round, in which `r` says 1
# or 0 for each row of `throws`. It takes a step of `rate` along the estimate of the gradient, the mean of $(r - b)$ times the score, with
# the mean of `r` as the baseline.
#
# Then write `walk(referee, v, draw)`: start at `v`, throw around it with `draw.normal`, ask `referee(throws)`, which says 1 or 0 to each row,
# and call `step`, round after round. Return the last aim. You choose spread, rate, rounds and throws per round. The check wants the
# aim within 70 cm of the ring. An average over the last rounds is steadier than the last one.


# %% nbgrader={"grade": false, "grade_id": "walk", "locked": false, "schema_version": 3, "solution": true, "task": false}
def step(v, throws, r, spread, rate):
    """The aim after one round."""
    ### BEGIN SOLUTION
    scores = (throws - v) / spread**2
    return v + rate * np.mean((r - r.mean())[:, None] * scores, axis=0)
    ### END SOLUTION


def walk(referee, v, draw):
    """The aim, when the referee has been asked often enough."""
    ### BEGIN SOLUTION
    aims = []
    for _ in range(100):
        throws = v + 1.5 * draw.normal(size=(100, 2))
        v = step(v, throws, referee(throws), 1.5, 1.5)
        aims.append(v)
    return np.mean(aims[-30:], axis=0)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "walk-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    from unittest import mock

    draw, begin = np.random.default_rng(), np.array([14.0, 13.0])
    cloud, wide = begin + 2.0 * draw.normal(size=(6, 2)), draw.uniform(1.2, 1.8)
    said = np.array([1.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    moved = step(begin.copy(), cloud.copy(), said.copy(), wide, 0.5)
    assert moved is not None, "`step` returns nothing yet: the new aim, two numbers."
    assert np.shape(moved) == (2,), f"`step`: the aim is two numbers, not {np.shape(moved)}."
    # What the two hits pull more than the average throw: a covariance, divided by the variance.
    pull = [np.cov(said, side, bias=True)[0, 1] / wide**2 for side in cloud.T]
    gone = (np.asarray(moved) - begin) / 0.5
    hint = (
        "`step` is not along the estimate. Which score does a throw have, and what is the baseline?"
    )
    if np.allclose(gone, np.negative(pull)):
        hint = "`step` goes against the gradient. We want more hits: plus, not minus."
    elif np.allclose(gone, (said[:, None] * (cloud - begin)).mean(0) / wide**2):
        hint = "`step` has no baseline yet."
    elif gone @ pull > 0 and np.isclose(gone[0] * pull[1], gone[1] * pull[0]):
        hint = "`step` has the right direction and another length. Is it a mean, with the score of this spread and with the rate?"
    score.part(2, np.allclose(gone, pull), hint)

    ring = draw.uniform([19.7, 2.0], [20.2, 3.0])  # another ring each time, over 2 m away
    asked, answers, steps = [], [], mock.Mock(side_effect=step)

    def referee(throws):
        asked.append(len(throws))
        return hits(throws, ring)

    with mock.patch.dict(walk.__globals__, {"step": steps}):
        answers.append(walk(referee, begin.copy(), draw))
    (end,) = answers
    assert end is not None, "`walk` returns nothing yet: the last aim, two numbers."
    assert np.shape(end) == (2,), f"Two numbers are asked for, not the shape {np.shape(end)}."
    assert asked, "You never asked the referee, who says which throws hit."
    before, after = (np.hypot(*(ends([each])[0] - ring)) for each in (begin, end))
    hint = f"From {before:.1f} m to {after:.1f} m. More rounds, more throws per round, or another rate?"
    if np.allclose(end, begin):
        hint = "The aim has not moved. Add what the hits pull, in every round."
    elif not steps.call_count:
        hint = (
            "A walk takes many steps. Call `step` in every round, with the answers of the referee."
        )
    elif not after < before:
        hint = f"You walked away, from {before:.1f} m to {after:.1f} m. A hit pulls the aim towards it: plus, not minus."
    score.part(1, steps.call_count > 1 and after < min(1.5, before), hint)
    score.part(1, steps.call_count > 1 and after < 0.7, hint)
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
# - A baseline calms it and leaves the mean where it is, as long as it does not depend on the sample.
#
# **Read on.** Williams, *Simple Statistical Gradient-Following Algorithms for Connectionist Reinforcement Learning* (1992). Mohamed, Rosca,
# Figurnov, Mnih, *Monte Carlo Gradient Estimation in Machine Learning* (2020).
