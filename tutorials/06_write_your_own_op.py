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

# %% [markdown] slide="A ball with drag is thrown straight up. **How fast, to land after exactly 2.5 s?**\n\nA search finds when it lands, to 15 digits. A gradient could then correct the velocity. But who differentiates a search?" notes="2 minutes. Ask who would put the search on a tape, and what they expect."
# # 6. Write your own op
#
# A ball with drag is thrown straight up. **How fast must it be thrown, to land after exactly 2.5 s?** No elementary formula says when it lands, but a search finds the moment to 15 digits.
# A gradient could then correct the velocity, as in lesson 1. The tape sees every line of the search. **What slope will it return?**
#
# There are three reasons to write a derivative yourself, and this lesson has an example of each:
#
# 1. The slope that you want is not in the operations that ran. One division cures it, for the moment of a bounce (lesson 9), the position of a planet, or the price at which a market clears.
# 2. There is a path, and its numbers overflow: the gradient is `nan`.
# 3. You want something other than the derivative.
#
# If you write derivatives yourself, you will write wrong ones, and most of those raise no error. So you also learn how to check a rule, and how to fool a check.
#
# You need lessons 2 and 4. The lesson takes 50 minutes; the exercises are homework, for about 40 more. If you
# type along: a cell that begins with *Given* is only run.
#
# Afterwards you can
#
# - differentiate the result of a search, without its history,
# - give a function a gradient of its own, with `tf.custom_gradient`,
# - check a rule with `tf.check_gradients`, and say which checks are blind,
# - declare an op whose rule does not overflow.

# %% tags=["setup"]
import matplotlib.pyplot as plt
import numpy as np

import minitape as tf
from minitape import viz
from minitape.op import primitive
from minitape.ops.elementwise.sigmoids import sigmoid
from minitape.ops.elementwise.trigonometry import tanh
from minitape.tensor import Array, Tensor
from minitape.viz.course.motion import following

viz.figures()

# %% [markdown] slide="## A search for the moment of landing\n\nOne moment before, one after. Halve the bracket, sixty times.\n\nEvery line is an op on the tape."
# ## A search for the moment of landing
#
# The ball is thrown up from 1.5 m, with 10 m/s. Its height at each moment is known, but no elementary formula says at which moment it is 0. So we
# search: take two moments, one before the landing and one after, and halve the bracket between them sixty times. Every line below is an op on a tape.


# %% tags=["given"] slide=""
# Given.
def height(t, up, drag):
    """Metres above the ground after t seconds, thrown up from 1.5 m."""
    return 1.5 + (up + 9.81 / drag) * (1.0 - tf.exp(-drag * t)) / drag - 9.81 * t / drag


up, drag = tf.Variable(10.0, dtype=tf.float64), tf.Variable(0.3, dtype=tf.float64)


# %% tags=["given"]
# Given.
def landing(up, drag):
    """The moment at which the height is 0, to 15 digits."""
    low, high = tf.constant(0.5, tf.float64), tf.constant(20.0, tf.float64)
    for _ in range(60):
        t = (low + high) / 2.0
        above = height(t, up, drag) > 0.0
        low, high = tf.where(above, t, low), tf.where(above, high, t)
    return t


# %% slide="15 digits are right: and the gradient? | None: only constants were halved" notes="2 minutes. The ball that is thrown faster lands later, so 0 would be wrong. Lesson 4 has the family: a comparison has no slope."
with viz.predict(
    "The ball lands after 2.034 s. Thrown faster, it lands later. What does the tape return for the gradient with respect to `up`: about 0.16, 0, or `None`?",
    "`None`. The velocity enters through a comparison only, *height > 0*, and a comparison has no slope. The result is made of the constants 0.5 and 20, which were halved.",
):
    with tf.GradientTape() as tape:
        t = landing(up, drag)
    print(f"{float(t):.10f} s, gradient {tape.gradient(t, up)}")

# %% tags=["picture", "given"] slide="A search is a staircase: no step has a slope" alt="The moment of landing over the velocity, from 8 to 12 m/s. After 6 halvings it is a staircase of three flat steps, after 9 one of ten small flat steps, and after 60 it looks like a smooth line that rises from about 1.7 to 2.4 s."
# Given: the search with few rounds and with all, and its picture.
velocities = np.linspace(8.0, 12.0, 801)
plt.figure(figsize=(6.4, 3.2), layout="constrained")
for rounds, look in [(6, "C1-"), (9, "C0-"), (60, "k:")]:
    low, high = np.full(801, 0.5), np.full(801, 20.0)
    for _ in range(rounds):
        t = (low + high) / 2.0
        above = height(t, velocities, 0.3).numpy() > 0.0
        low, high = np.where(above, t, low), np.where(above, high, t)
    plt.plot(velocities, t, look, linewidth=1.8)
    plt.text(
        12.05, t[-1] + {6: -0.02, 9: -0.02}.get(rounds, -0.14), f"{rounds} rounds", color=look[:-1]
    )
plt.xlim(8.0, 12.8)
plt.ylim(1.3, 2.75)
plt.gca().spines["bottom"].set_bounds(8.0, 12.0)
plt.xlabel("velocity up, in m/s")
plt.ylabel("it lands after, in s")
plt.show()

# %% [markdown] slide=""
# A staircase rises, and each of its steps is flat. With every round the steps become smaller, and after 60 rounds they are too small to be seen. The tape asks for the slope of one step. We want the
# slope of the stairs.
#
# Newton's method is another search: subtract the height divided by its slope, and repeat. It computes with the height instead of comparing it, so its tape does find a gradient. But is it right?

# %% slide="Newton, two rounds: t is off by 0.5 %. And its slope? | Slopes arrive later than values"
with viz.predict(
    "From 3 s, two rounds of Newton's method give the moment with an error of 0.5 %. How far off is its gradient with respect to `up`: by 0.5 % as well, by less, or by more?",
    "By 4 %: 0.154, where 0.160 is right. Slopes arrive later than values. Another round, and both are right to three digits.",
):
    for rounds in (2, 3):
        with tf.GradientTape() as tape:
            t = tf.constant(3.0, tf.float64)
            for _ in range(rounds):
                fall = (up + 9.81 / drag) * tf.exp(-drag * t) - 9.81 / drag  # the slope in t
                t = t - height(t, up, drag) / fall
        print(f"{rounds} rounds: {float(t):.4f} s, slope {float(tape.gradient(t, up)):.4f}")

# %% [markdown] slide="## The height stays 0\n\n$$f(t, p) = 0 \\;\\Rightarrow\\; f_t\\, dt + f_p\\, dp = 0$$\n\n$$\\frac{dt}{dp} = -\\frac{f_p}{f_t}$$\n\nOne division, and no history of the search."
# ## The implicit rule
#
# The way to the root does not matter. What matters is that the height $f(t, p)$ *is* 0 there, and stays 0 when $p$ changes: $t$ has to follow. If $p$ changes by $dp$ and $t$
# by $dt$, the height changes by $f_t\, dt + f_p\, dp$, to first order. Here $f_t$ is the slope of the height with respect to the time, and $f_p$ that with respect to $p$. The change is 0, so
#
# $$\frac{dt}{dp} = -\frac{f_p}{f_t}$$
#
# This is the **implicit function theorem**, used as a rule: one division, and no history of the search. In the picture $p$ is the velocity.

# %% tags=["picture", "given"] minutes=1 slide="Move the curve, and the root follows"
# Given: the height for more and more velocity, and where it is 0.
times, velocities = np.linspace(1.8, 2.4, 31), np.linspace(10.0, 11.0, 7)
following(
    {
        f"{velocity:.3g} m/s": [(t, float(height(t, velocity, 0.3))) for t in times]
        for velocity in velocities
    },
    [float(landing(velocity, 0.3)) for velocity in velocities],
    ("the ground", "the curve rises by f_p dp", "the root follows by dt"),
    "Curves of the height over the time near 2 seconds, all falling. The first, thrown up with 10 m/s, is 0 at 2.03 s. It is lifted, up to the one "
    "for 11 m/s, which is 0 at 2.19 s; its root, a dot on the ground, follows to the right. In the end an arrow goes up from the first root to the last "
    "curve: it rises by f_p dp. A second arrow goes along the ground from the first root to the last one: it follows by dt.",
)

# %% [markdown] slide=""
# The green arrow says how far the curve rises. The orange one says how far its root moves, until the curve has fallen by as much. The steeper the curve
# falls, the shorter the orange arrow: that is why $f_t$ stands below.

# %% [markdown] slide="## A gradient of your own\n\n`tf.custom_gradient`: a function returns its result, **and a rule**.\n\nThe rule gets what arrives at the result, $g$, and returns what goes on to each input." notes="3 minutes. Write the signature on the board: result, rule. The rule is a function from g to one number for each input."
# ## A gradient of your own
#
# How do we tell the tape? `tf.custom_gradient` decorates a function that returns two things: its result, and a rule. The rule gets $g$, what arrives at
# the result, and returns what goes on to each input: $g$ times the derivative. This is a **custom gradient**.


# %% slide="The implicit rule as a custom gradient | Two runs agree, to second order too"
@tf.custom_gradient
def flight(up, drag):
    """The moment of landing, with the rule of a root."""

    def rule(g):
        t = flight(up, drag)  # again with its rule, so that a second derivative finds its path
        with tf.GradientTape() as tape:
            tape.watch([t, up, drag])
            f = height(t, up, drag)
        by_t, by_up, by_drag = tape.gradient(f, [t, up, drag])
        return -g * by_up / by_t, -g * by_drag / by_t

    return landing(up, drag), rule


with tf.GradientTape() as tape:
    t = flight(up, drag)
print([round(float(slope), 6) for slope in tape.gradient(t, [up, drag])])
print(bool(tf.check_gradients(flight, [up, drag])))

# %% [markdown] slide=""
# Both slopes of the height come from a tape *at the root*, and the sixty rounds are forgotten. The rule calls `flight` again. That is no
# endless loop: a rule runs only when a tape asks for it. It needs `flight`, not `landing`, so that a second tape finds a path through $t$. It costs a second search; a rule that needs no second derivative could keep $t$ instead. What a rule keeps from the forward pass, here `up` and `drag`, is called a
# *residual*. The last line says that two runs agree with the rule; we come to this check in a moment.
#
# Now the first question has an answer. At 10 m/s the ball lands too early. The gradient says by how much to correct the velocity, again and again:

# %% slide="Two corrections, and it lands after 2.5 s"
speed = tf.Variable(10.0, dtype=tf.float64)
for _ in range(3):
    with tf.GradientTape() as tape:
        t = flight(speed, drag)
    print(f"thrown up with {float(speed):.4f} m/s it lands after {float(t):.6f} s")
    speed.assign_add((2.5 - t) / tape.gradient(t, speed))

# %% [markdown] slide=""
# A pencil could have found this velocity: the height is linear in it. It cannot find the drag that belongs to a landing time. The same lines can.
#
# The third reason needs no more than that: a rule may also return something other than the derivative, on purpose. This one changes nothing forward, and backward it limits what passes:


# %% tags=["given"] slide="A rule that is not the derivative: it limits"
# Given.
@tf.custom_gradient
def limited(x):
    """x itself; its gradient is cut off at -1 and 1."""
    return tf.identity(x), lambda g: tf.clip_by_value(g, -1.0, 1.0)


x = tf.Variable([0.1, 10.0])

with tf.GradientTape() as tape:
    y = limited(x) ** 2
print(tape.gradient(y, x).numpy())  # without the limit 0.2 and 20

# %% [markdown] slide=""
# So no step of gradient descent is ever larger than the rate. In exercise 1 you turn a gradient around.

# %% [markdown] slide="## Is the rule right?\n\nA judge that knows nothing about rules, the **central difference**:\n\n$$f'(x) \\approx \\frac{f(x + \\delta) - f(x - \\delta)}{2 \\delta}$$\n\n`tf.check_gradients` asks it, for every element, for the function and for its gradient."
# ## Is the rule right?
#
# Never trust a rule because its numbers look plausible. There is a judge that knows nothing about rules, the *central difference*: move an
# input by a tiny $\delta$ up and down, and see how the output moves,
#
# $$f'(x) \approx \frac{f(x + \delta) - f(x - \delta)}{2 \delta}.$$
#
# `tf.check_gradients` does it for every element, for the function (*order* 1) and for its gradient (*order* 2), in
# `float64`, and compares with what the rules return. Here is a rule with the wrong sign.


# %% slide="A rule with the wrong sign | What the check reports"
@tf.custom_gradient
def wrong_sign(x):
    """x squared."""
    return x * x, lambda g: -2.0 * g * x


print(tf.check_gradients(wrong_sign, [3.0], order=1))

# %% [markdown] slide=""
# Read the line like this. It is about the derivative of *result 0* with respect to *input 0*. The two columns *reverse* and *forward* run your rule; *numeric*, the
# judge, does not. The rule says −6, and the judge +6; *error* is their distance, divided by 6. *at* says which elements these are: `[]` is a number by itself. The last line names the guilty rule.

# %% tags=["picture", "given"] slide="What the check compares" alt="The curve of x squared near x = 3. A dotted line through two points of the curve, left and right of 3, rises as the curve does: two runs. A dashed orange line through the point at 3 falls: the rule with the wrong sign."
# Given: this only draws.
line, place, step = np.linspace(1.0, 5.0, 81), 3.0, 1.0  # so large a step for the picture alone
ends = np.array([place - step, place + step])
plt.figure(figsize=(5.2, 2.8))
plt.plot(line, line**2, "-", color="0.5")
plt.plot(ends, ends**2, "ko:")
plt.plot(line, place**2 - 6.0 * (line - place), "C1--")
for at, words, look in [
    ((4.5, 22.5), "$x^2$", "0.4"),
    ((4.1, 15.0), "two runs", "k"),
    ((1.3, 20.5), "what the rule says", "C1"),
]:
    plt.text(*at, words, color=look, ha="right" if words == "$x^2$" else "left")
plt.xlabel("x")
plt.ylim(-4, 26)
plt.show()

# %% [markdown] slide="## An op whose numbers are dangerous\n\n**How likely is a text, if A or B wrote it?** The two probabilities are added. After 2000 letters both are 0, so we keep logarithms:\n\n$$\\log(e^x + e^y)$$"
# ## An op that must be careful
#
# The second reason: there is a path, and the gradient is `nan`. How likely is a text, if A or B wrote it? The two probabilities are added. Each letter multiplies a probability; after 2000 letters both are 0, too small for a computer. So we
# keep their logarithms $x$ and $y$, and $\log(e^x + e^y)$ adds the two. **For which $x$ and $y$ does the usual formula fail, and
# what does its gradient say there?**


# %% tags=["given"] slide="Where does the usual formula fail?"
# Given.
def naive(x, y):
    """log(exp(x) + exp(y)), by the usual formula."""
    return tf.math.log(tf.exp(x) + tf.exp(y))


for value in [0.0, 50.0, 100.0, -200.0]:
    x = tf.Variable(value)
    with tf.GradientTape() as tape:
        out = naive(x, x)
    print(f"x = y = {value}: {out.numpy():.3f}, slope {tape.gradient(out, x).numpy():.3f}")

# %% [markdown] slide=""
# The right answers are $x + \log 2$ and 1, for every $x$. But `float32` ends at about $3 \cdot 10^{38}$: $e^{100}$ is above
# that and becomes infinite, and $e^{-200}$ becomes 0. Infinity times 0 is `nan`, *not a number*. One such number can
# ruin a whole network.
#
# NumPy has a careful function for it, `np.logaddexp`, and a tape does not see it (lesson 4). A custom gradient changes a few lines
# of code; a new *operation* is declared: a forward function on NumPy arrays, and a rule for each input. minitape has more than
# 250 of them, and `tf.reduce_logsumexp` is one: it would do. We declare a relative of it, to see how an op is made:


# %% slide="Forward: NumPy's careful function"
@primitive("log_add_exp", broadcasts=True, latex=r"\log\left(e^{{{x}}} + e^{{{y}}}\right)")
def log_add_exp(x: Array, y: Array) -> Array:
    """The logarithm of exp(x) + exp(y), elementwise, without overflow. Smooth everywhere."""
    return np.logaddexp(x, y)


print(tf.log_add_exp(100.0, [100.0, 0.0]))

# %% [markdown] slide="## A careful forward pass needs a careful rule\n\n$$\\frac{\\partial\\, \\text{out}}{\\partial x} = \\frac{e^x}{e^x + e^y} = \\frac{1}{1 + e^{-(x - y)}} = \\sigma(x - y)$$"
# `"log_add_exp"` is the public name: from now on there is `tf.log_add_exp`. `x: Array` is an input. `broadcasts=True` says that the inputs may have different shapes, as for `+`. `latex` is the
# formula for the pictures: `{x}` stands for an input, and other braces are doubled.
#
# With $\text{out} = \log(e^x + e^y)$ the chain rule gives
#
# $$\frac{\partial\, \text{out}}{\partial x} = \frac{e^x}{e^x + e^y} = \frac{1}{1 + e^{-(x - y)}} = \sigma(x - y).$$
#
# The first form overflows where the usual formula does. The last one is the one to write. *Sigmoid*, $\sigma$, gives numbers from 0 to 1, and is itself computed so that nothing overflows.
# **A careful forward pass needs a careful rule.** The decorator is called `vjp`: the name of what a rule computes, a
# *vector-Jacobian product* (lesson 7).


# %% slide="A rule for each input | The check agrees"
@log_add_exp.vjp("x")
def _(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return g * sigmoid(x - y)


@log_add_exp.vjp("y")
def _(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return g * sigmoid(y - x)


print("right:", bool(tf.check_gradients(tf.log_add_exp, [[1.0, 2.0], 0.5])))

# %% tags=["picture", "given"] slide="The usual formula ends, the op goes on" alt="Two panels, for x = y from -150 to 150. Above, the values: the line of the usual formula lies under that of the op, and ends at about -104 and 89. Below, the slopes: both are 1; that of the usual formula ends at about -89 and 89, and falls to 0 just before its right end. Words say what the formula gives further out: for the value minus infinity and infinity, for the slope from left to right nan, infinity, 0 and nan."
# Given: this only draws.
both = tf.Variable(tf.linspace(-150.0, 150.0, 601))

_, panels = plt.subplots(2, 1, figsize=(6.4, 4.6), sharex=True, layout="constrained")
for function, look in [(tf.log_add_exp, "k:"), (naive, "C0-")]:
    with np.errstate(all="ignore"), tf.GradientTape() as tape:
        out = function(both, both)
    slopes = tape.gradient(out, both)
    for panel, line in zip(panels, [out, slopes], strict=True):
        shown = np.where(np.isfinite(line), line, np.nan)  # an infinite value is no point
        panel.plot(both, shown, look, linewidth=3)
for panel, x, y, words, ink in [
    (panels[0], 8, -40, "the usual formula", "C0"),
    (panels[0], 112, 75, "the op", "k"),
    (panels[0], 90, 30, "inf from 88 on", "C0"),
    (panels[0], -148, -40, "−inf below −104", "C0"),
    (panels[1], -40, 1.2, "the usual formula", "C0"),
    (panels[1], 112, 1.2, "the op", "k"),
    (panels[1], 92, 0.4, "0, then nan", "C0"),
    (panels[1], -148, 0.4, "nan, then inf", "C0"),
]:
    panel.text(x, y, words, color=ink, fontsize=11)
panels[0].set_ylabel("value")
panels[1].set_ylabel("slope")
panels[1].set_xlabel("x = y")
panels[1].set_ylim(-0.1, 2.0)
plt.show()

# %% [markdown] slide=""
# The formula breaks off on both sides, on the left its slope sooner than its value: the factor $1/(e^x + e^y)$ overflows before the sum becomes 0. Just before its right end the usual slope is 0, a number and wrong: $e^x$ still fits into `float32`, and
# the sum does not.
#
# **The arguments of a rule are its memory plan.** These rules name `x` and `y`, so the tape saves their values for
# the backward pass. If they named only `g`, nothing would be saved.

# %% tags=["given"] slide="The op, one step of a program | The player prints your own rule"
# Given.
x, y = tf.Variable(1.0), tf.Variable(0.0)

with viz.recording(), tf.GradientTape() as tape:
    out = tf.log_add_exp(x, y)

player = viz.step(tape, out, [x, y], title="An op of our own", at="x")
for_x, for_y = tape.gradient(out, [x, y])
print(for_x.numpy().round(4), for_y.numpy().round(4))
player

# %% [markdown]
# **Look into the player.** It opens where your rule for `x` runs. The formula of the forward step is the one that you declared. The formula of each
# *pull* was not typed by anyone: the player runs your rule on symbols and prints the result. So if a rule
# is wrong, the picture shows the wrong rule.
#
# **Use operators and other ops in a rule**, never NumPy's functions and never an `if` on values. Then one
# rule works for everything: for arrays, for a second tape around the first, for Jacobians, for the
# picture. With `np.exp` in a rule the numbers are right, and second derivatives are wrong: see *Further: right, but not
# twice*.
#
# | you want | take |
# |---|---|
# | another gradient for a few lines of code (in TensorFlow too) | `tf.custom_gradient` |
# | a new operation, with a formula for the pictures and a rule for each input | `@primitive` |

# %% [markdown] slide="## A rule that forgets g\n\nThe square, with the rule `return 2.0 * x`.\n\nNo error. Which check finds it?" notes="3 minutes. Let them write down four times yes or no before the fold is opened."
# ## Which checks are blind
#
# Here is an op whose rule forgets to multiply by `g`. It raises no error.


# %% slide="The square whose rule forgets g"
@primitive(elementwise=True)
def forgetful(x: Array) -> Array:
    return x * x


@forgetful.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    return 2.0 * x


# %% slide="Which of the four checks find it? | Only a g that is not 1 does"
with viz.predict(
    "Which of four checks find the forgotten `g`: one number, two numbers, something after the op, "
    "second order?",
    "The second and the third. With one number `g` is 1, so forgetting it changes nothing, not even at second order. With two numbers "
    "the check takes one result at a time: 1 arrives at one of them and 0 at the other, and a forgotten 0 is seen. In the "
    "third, the square is multiplied by 5.",
):
    print("one number: ", bool(tf.check_gradients(forgetful, [3.0], order=1)))
    print("two numbers:", bool(tf.check_gradients(forgetful, [[3.0, 2.0]], order=1)))
    print("used later: ", bool(tf.check_gradients(lambda x: 5.0 * forgetful(x), [3.0], order=1)))
    print("order 2:    ", bool(tf.check_gradients(forgetful, [3.0])))

# %% tags=["picture", "given"] minutes=1 slide="Three checks, and the g that arrives in each" alt="Three small graphs, each with arrows that come back in orange from right to left. One number: g = 1 arrives at the square, the rule says 6, and 6 is right. Two numbers: 1 arrives at the first and 0 at the second, the rule says 6 and 4, and 6 and 0 are right. Times 5: g = 5 arrives, the rule says 6, and 30 is right."
# Given: this only draws.
_, panels = plt.subplots(3, 1, figsize=(6.2, 4.4))
cases = [
    ("one number", [("3", "1", "6", "6")]),
    ("two numbers", [("3", "1", "6", "6"), ("2", "0", "4", "0")]),
    ("times 5", [("3", "5", "6", "30")]),
]
box = {"boxstyle": "round,pad=0.4", "facecolor": "white"}
for panel, (name, rows) in zip(panels, cases, strict=True):
    panel.set(xlim=(-0.4, 6.4), ylim=(-0.6, 0.6))
    panel.axis("off")
    panel.text(-0.4, 0.0, name, va="center", fontsize=11)
    for n, (x, g, said, right) in enumerate(rows):
        y = (0.3 - 0.6 * n) * (len(rows) - 1)
        panel.text(1.6, y, f"x = {x}", ha="center", va="center", bbox=box)
        panel.text(4.6, y, "square", ha="center", va="center", bbox=box)
        arrow = {"arrowstyle": "->", "color": "C1", "shrinkA": 0, "shrinkB": 0}
        panel.annotate("", (5.1, y), (5.7, y), arrowprops=arrow)
        panel.annotate("", (2.05, y), (4.1, y), arrowprops=arrow)
        panel.text(5.8, y, f"g = {g}", va="center", color="C1")
        verdict = "right" if said == right else f"should be {right}"
        panel.text(3.08, y + 0.12, f"{said}, {verdict}", ha="center", color="C1")
plt.show()

# %% [markdown]
# **Check with several elements, and inside a larger function.** Then `g` is not just 1. **Most wrong rules give no error message**: a training run with a forgotten
# factor often works, only slower or worse. That is why we check.

# %% [markdown] slide="## The same elsewhere\n\n| here | PyTorch | JAX |\n|:--|:--|:--|\n| `tf.custom_gradient` | `autograd.Function` | `jax.custom_vjp` |\n| what a rule keeps | `ctx.save_for_backward(x)` | residuals |\n| a rule for each input | `backward(ctx, g)` | `f.defvjp(fwd, bwd)` |\n| `tf.check_gradients` | `autograd.gradcheck` | `check_grads` |"
# ## The same elsewhere
#
# | here, and in TensorFlow | PyTorch | JAX |
# |:--|:--|:--|
# | `@tf.custom_gradient`, returns result and rule | a `torch.autograd.Function`, with `forward(ctx, x)` and `backward(ctx, g)` | `@jax.custom_vjp`, then `f.defvjp(forward, backward)` |
# | a rule keeps the values that it names | `ctx.save_for_backward(x)`, then `ctx.saved_tensors` | `forward` returns result and residuals |
# | `tf.check_gradients(f, [x])`, here alone | `torch.autograd.gradcheck(f, (x,))` | `jax.test_util.check_grads(f, (x,), order=2, modes=["rev"])` |
# | `tf.grad_pass_through(tf.round)` | `x + (x.round() - x).detach()` | `x + lax.stop_gradient(jnp.round(x) - x)` |

# %% [markdown] slide="## Exercises\n\n1. Gradient reversal\n2. log cosh\n3. Fool the check\n4. A root of your own"
# ## Exercises
#
# Replace each `...` with your code, run the cell, and run the check below it. A check says
# "Right:" and why, or what is probably wrong.

# %% [markdown]
# **Exercise 1.** *Gradient reversal*: a function that returns its argument unchanged, but turns the gradient
# around and multiplies it by `strength`. In a network, it makes the layers before it *unlearn* what
# the layers after it want to know. `reversing(strength)` returns such a function.


# %% nbgrader={"grade": false, "grade_id": "reversal", "locked": false, "schema_version": 3, "solution": true, "task": false}
def reversing(strength):
    """A function that is the identity forward and -strength backward."""
    ### BEGIN SOLUTION

    @tf.custom_gradient
    def reverse(x):
        return tf.identity(x), lambda g: -strength * g

    return reverse
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "reversal-check", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
with viz.Score(2) as score:
    drawn = float(np.random.default_rng().uniform(1.5, 3.0))  # another strength each time
    function = reversing(0.5)
    assert callable(function), (
        "reversing should return a function: define it inside, and return it."
    )
    x = tf.Variable([1.0, -3.0])
    try:
        passed = function(tf.constant(1.0))
        assert not isinstance(passed, tuple), (
            "It returns a pair: is @tf.custom_gradient above the function inside?"
        )
        with tf.GradientTape() as tape:
            passed = function(x)
            loss = tf.reduce_sum((passed - 5.0) ** 2)
        slope = tape.gradient(loss, x)
    except TypeError as error:
        raise AssertionError(
            f"{error} The function inside takes x alone, and returns a pair: x, and a function of what "
            "arrives, lambda g: ..."
        ) from None
    assert np.allclose(passed, [1.0, -3.0]), (
        "Forward, nothing should change: return x, or tf.identity(x)."
    )
    assert slope is not None, (
        "No gradient comes back: does the gradient's function return something? Did x leave the tape?"
    )
    assert not np.allclose(slope, [-8.0, -16.0]), (
        "The gradient is unchanged: is there a custom_gradient?"
    )
    with tf.GradientTape() as outer:
        with tf.GradientTape() as tape:
            twice = reversing(drawn)(x) ** 2
        other = tape.gradient(twice, x)
    second = outer.gradient(other, x)
    said = "The gradient is not what arrives, turned around and scaled."
    scaled = np.allclose(slope, [-4.0, -8.0])
    if scaled:
        said = "The gradient is scaled, but not turned around."
    elif np.allclose(slope, [8.0, 16.0]):
        said = "It is turned around: is the strength used?"
    elif np.allclose(slope, -0.5) or np.allclose(slope, -0.5 * x):
        said = "Multiply by the gradient that arrives."
    turned = np.all(np.sign(slope) == [1.0, 1.0])
    score.part(0.5, turned or scaled, said)
    score.part(0.5, turned, said)
    if np.allclose(slope, [4.0, 8.0]):
        said = "With another strength it is wrong: is it used?"
        if np.allclose(other, [-2.0 * drawn, 6.0 * drawn]):
            said = "A tape outside records nothing of it: compute with g itself, not with NumPy's array of it."
    right = np.allclose(slope, [4.0, 8.0]) and np.allclose(other, [-2.0 * drawn, 6.0 * drawn])
    score.part(1, right and second is not None, said)
    score.total("the value passes, and the gradient comes back turned around.")
score.earned

# %% [markdown]
# **Exercise 2.** Complete the op $\log \cosh x$, a smooth relative of $|x|$. Forward, use
#
# $$\log\cosh x = |x| + \log(1 + e^{-2|x|}) - \log 2,$$
#
# which does not overflow. `abs`, `np.exp` and `np.log1p` work on arrays. For $\log 2$ write `LOG_2`:
# a plain Python number leaves the dtype as it is. `elementwise=True` says that each element
# of the result depends on one element of `x`. The derivative is $\tanh x$, and the op
# `tanh` was imported at the top. The `:3` in the formula puts brackets around an `x` that is a sum or a product.


# %% tags=["needed"]
LOG_2 = 0.6931471805599453


# %% nbgrader={"grade": false, "grade_id": "log-cosh", "locked": false, "schema_version": 3, "solution": true, "task": false}
@primitive("log_cosh", elementwise=True, latex=r"\log \cosh {x:3}")
def log_cosh(x: Array) -> Array:
    """The logarithm of cosh(x), elementwise, without overflow."""
    ### BEGIN SOLUTION
    return abs(x) + np.log1p(np.exp(-2.0 * abs(x))) - LOG_2
    ### END SOLUTION


@log_cosh.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    ### BEGIN SOLUTION
    return g * tanh(x)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "log-cosh-check", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
with viz.Score(2) as score:
    at = np.random.default_rng().uniform([0.0, 0.5, -3.0], [0.1, 1.5, -1.0]).astype(np.float32)
    forward = log_cosh.op.forward(at)
    assert forward is not None, "The forward function returns nothing yet."
    assert not isinstance(forward, tf.Tensor), (
        "Forward, compute with NumPy: abs, np.exp and np.log1p. Ops of tf would be recorded again."
    )
    wanted = np.log(np.cosh(at))
    assert np.allclose(forward, wanted, atol=1e-6), (
        f"Forward: at {at.round(3)} it returns {forward.round(4)}, not {wanted.round(4)}. Are all three terms there?"
    )
    with np.errstate(all="ignore"):
        far = log_cosh.op.forward(np.array([1000.0, -1000.0]))
    assert np.all(np.isfinite(far)), (
        "Forward: it overflows at x = 1000 or -1000; use the formula of the text, with abs(x)."
    )
    assert np.allclose(far, 1000.0 - np.log(2.0)), (
        f"Forward: at 1000 and -1000 it should be 1000 - log 2, not {far}. Nothing may be cut off."
    )
    said = "Forward: float32 goes in, and another dtype comes out. A plain Python number leaves it as it is: LOG_2, and not np.log(2)."
    score.part(0.5, forward.dtype == np.float32, said)
    x = tf.Variable([0.5, -1.0], dtype=tf.float64)
    try:
        with tf.GradientTape() as tape:
            y = 3.0 * log_cosh(x)
        slope = tape.gradient(y, x)
    except AttributeError as error:
        raise AssertionError(
            f"A rule gets arrays, too: no .numpy() in it, use the op tanh. ({error})"
        ) from None
    assert slope is not None, "The rule returns nothing yet."
    report = tf.check_gradients(lambda x: 3.0 * log_cosh(x), [[0.5, -1.0]])
    said = f"The rule is not the derivative.\n{report}"
    if np.allclose(slope, np.tanh(3 * x.numpy())):
        said = "g is inside tanh: the rule multiplies it with the derivative."
    elif np.allclose(slope, np.tanh(x)):
        said = "The rule forgets what arrives: multiply by g."
    elif np.allclose(slope, -3 * np.tanh(x)):
        said = "The rule has the wrong sign."
    score.part(1, np.allclose(slope, 3 * np.tanh(x)), said)
    with np.errstate(all="ignore"), tf.GradientTape() as tape:
        y = log_cosh(far_away := tf.Variable([1000.0, -1000.0], dtype=tf.float64))
        careful = np.allclose(tape.gradient(y, far_away), [1.0, -1.0])
    if bool(report) and not careful:
        said = "At x = 1000 the slope should be 1: a careful forward pass needs a careful rule. Is there an op that never overflows?"
    elif np.allclose(slope, 3 * np.tanh(x)) and not report:
        said = f"The first derivative is right, the second is not: is the rule made of ops, and not of NumPy's functions?\n{report}"
    score.part(0.5, bool(report) and careful, said)
    score.total(
        "a rule that is never above 1, and a forward pass that never meets a large exponent."
    )
score.earned

# %% [markdown]
# **Exercise 3.** Fool the check. A colleague has learned her lesson. She tests the rule of each new op with two numbers, `tf.check_gradients(op, [[3.0, 2.0]])`, and inside a larger
# function, to second order. Write a rule `liar(g, x)` for the square that passes both tests **and is wrong** for some numbers. Use operators and ops of `tf`. The numbers are `float64`:
# in a `tf.where` write `0.5 * x`, not `0.5`. Then help her:
# put a few numbers into the list `unmasking` with which the check finds it.


# %% nbgrader={"grade": false, "grade_id": "liar", "locked": false, "schema_version": 3, "solution": true, "task": false}
def liar(g, x):
    """A rule for the square: right at 3 and 2, and not everywhere."""
    ### BEGIN SOLUTION
    return 2.0 * g * tf.abs(x)
    ### END SOLUTION


unmasking = []
### BEGIN SOLUTION
unmasking = [-1.0, 0.5]
### END SOLUTION

# %% nbgrader={"grade": true, "grade_id": "liar-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
with viz.Score(3) as score:

    @primitive(elementwise=True)
    def square(x: Array) -> Array:
        return x * x

    @square.vjp("x")
    def _(g: Tensor, x: Tensor) -> Tensor:
        return liar(g, x)

    x = tf.constant(np.random.default_rng().uniform(-5.0, 5.0, 100))
    said = None
    try:
        found = [liar(tf.constant(g, tf.float64), x) for g in (1.0, 1000.0)]
    except (ValueError, TypeError) as error:
        said = str(error)
    assert said is None or "truth value" not in said, (
        "Several numbers come at once, so an if cannot look at them: is there an op that treats some numbers differently?"
    )
    assert said is None or "float32" not in said, (
        "The numbers are float64, and a plain number by itself is not: in a tf.where write 0.5 * x, not 0.5."
    )
    assert said is None, f"The rule stops with {said}"
    assert found[0] is not None, "liar returns nothing yet."
    hers = bool(tf.check_gradients(square, [[3.0, 2.0]]))
    later = bool(tf.check_gradients(lambda x: 5.0 * square(x), [[3.0, 2.0]]))
    said = "She finds it with two numbers: at 3 and at 2 the rule has to be right."
    if hers:
        said = "She finds it inside a larger function: is g a factor?"
    fooled = hers and later
    score.part(1, fooled, said)
    wrong = any(
        not np.allclose(each, 2.0 * g * x, rtol=1e-2)
        for each, g in zip(found, (1.0, 1000.0), strict=True)
    )
    said = "She is content, and she is right: at a hundred numbers from -5 to 5 this is the derivative. Which numbers has nobody tried?"
    score.part(1, fooled and wrong, said if fooled else "")
    numbers = [float(each) for each in unmasking]
    blind = not numbers or bool(tf.check_gradients(lambda x: 1000.0 * square(x), [numbers]))
    said = "At the numbers of unmasking the rule is right: where is it wrong?"
    said = said if numbers else "Now the cure: which numbers belong in unmasking?"
    score.part(1, fooled and wrong and not blind, said if fooled and wrong else "")
    score.total("a check says something about the numbers that it was given, and about no others.")
score.earned

# %% [markdown]
# **Exercise 4.** A root of your own. Where is a planet on its ellipse? Kepler's equation says $E - e \sin E = M$: $M$ is the time, $e$ says how long
# the ellipse is, and $E$ is the angle that we look for. `angle(M, e)` finds it by a search. Write `kepler(M, e)`: the same angle, with a rule for both inputs. Let a second derivative
# find its path, too.


# %% tags=["needed"]
def angle(M, e):
    """The E with E - e sin(E) = M, by halving a bracket."""
    low, high = M - 1.0, M + 1.0
    for _ in range(60):
        E = (low + high) / 2.0
        early = E - e * tf.sin(E) < M
        low, high = tf.where(early, E, low), tf.where(early, high, E)
    return tf.stop_gradient(E)


# %% nbgrader={"grade": false, "grade_id": "root", "locked": false, "schema_version": 3, "solution": true, "task": false}
@tf.custom_gradient
def kepler(M, e):
    """The angle, with its slopes with respect to M and e."""
    ### BEGIN SOLUTION

    def rule(g):
        E = kepler(M, e)
        steep = 1.0 - e * tf.cos(E)
        return g / steep, g * tf.sin(E) / steep

    return angle(M, e), rule
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "root-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    M, e = map(float, np.random.default_rng().uniform([1.6, 0.2], [2.5, 0.8]))  # others each time
    time, long = tf.Variable(M, dtype=tf.float64), tf.Variable(e, dtype=tf.float64)
    try:
        with tf.GradientTape(persistent=True) as outer:
            with tf.GradientTape() as tape:
                found = kepler(time, long)
                after = 3.0 * found
            slopes = tape.gradient(after, [time, long])
    except TypeError as error:
        raise AssertionError(
            f"It stops with {str(error).rstrip('.')}. kepler returns a pair: the angle, and a rule from g to two gradients."
        ) from None
    assert found is not None, "kepler returns nothing yet."
    E, h = float(found), 1e-5
    assert abs(E - e * np.sin(E) - M) < 1e-9, (
        "That is not the angle: return angle(M, e), and a rule."
    )
    assert slopes[0] is not None and slopes[1] is not None, (
        "A gradient is None: does the rule return one number for each input?"
    )

    def runs(k):
        """The slope of the angle with respect to one input, by two runs."""
        ends = [
            angle(*(tf.constant(v + s * h * (n == k), tf.float64) for n, v in enumerate((M, e))))
            for s in (1, -1)
        ]
        return float(ends[0] - ends[1]) / (2 * h)

    right = 3.0 * np.array([runs(0), runs(1)])
    mine = np.array([float(each) for each in slopes])
    steep = 1.0 / runs(0)
    of_M, of_e = np.isclose(mine, right, rtol=1e-4)
    said = "Two runs give other slopes. Which function stays 0 here, and what are its slopes with respect to E, M and e?"
    if np.allclose(mine, right / 3.0, rtol=1e-4):
        said = "The rule forgets what arrives: multiply by g."
    elif np.allclose(mine, right[::-1], rtol=1e-4):
        said = "The two gradients are exchanged: first that of M, then that of e."
    elif np.allclose(np.abs(mine), np.abs(right), rtol=1e-4):
        said = "A sign: f stays 0, so there is a minus in the rule. And M itself counts with a minus in f."
    elif np.allclose(mine, right * steep, rtol=1e-4):
        said = "The denominator is missing: the slope of f with respect to E."
    elif any(np.allclose(mine, each, rtol=1e-4) for each in (right * steep**2, 9.0 / right)):
        said = "Upside down: divide by the slope of f with respect to E."
    elif of_M:
        said = "Its slope with respect to e: f_e = -sin E, and the rule has another minus."
    elif of_e:
        said = "Its slope with respect to M: f_M = -1, and the rule has another minus."
    score.part(1.5, of_M, said)
    score.part(1.5, of_e, said)
    second = outer.gradient(slopes[0], time)
    bend = (
        3.0
        * (
            float(angle(tf.constant(M + 1e-3, tf.float64), long))
            - 2.0 * E
            + float(angle(tf.constant(M - 1e-3, tf.float64), long))
        )
        / 1e-6
    )
    twice = of_M and second is not None and np.isclose(float(second), bend, rtol=1e-2)
    said = "The first derivative is right, the second is not: does the rule take its angle from a function that has a rule?"
    score.part(1, twice, said if of_M and of_e else "")
    score.total("the search is forgotten, and one division is left.")
score.earned

# %% [markdown] slide="**To think about.** In words: a sort has a gradient. What is it, and where is there none?"
# **To think about.** In words, for 2 points, graded by hand: a sort has a gradient. What is it, and where is there none? And can the straight-through estimator of lesson 4, which rounds
# forward and passes everything backward, ever be worse than no gradient? Build a case.

# %% [markdown]
# ## What to remember
#
# - A root needs no history: its slope is $-f_p / f_t$.
# - `tf.custom_gradient` gives a function its own rule. Element by element, a rule multiplies what arrives by the derivative.
# - Check every rule: with several elements, different shapes, inside a larger function, and to second order.
# - An op is a forward function on arrays, and a rule for each input. The tape saves the values that a rule names.
# - Write rules with ops, and in a form that does not overflow.
#
# **Read on.** Goldberg, *What Every Computer Scientist Should Know About Floating-Point Arithmetic* (1991). Bengio,
# Léonard, Courville, *Estimating or Propagating Gradients Through Stochastic Neurons for Conditional Computation* (2013). Ganin, Lempitsky,
# *Unsupervised Domain Adaptation by Backpropagation* (2015). Blondel and others, *Efficient and Modular Implicit Differentiation* (2022).

# %% [markdown]
# ## Further: a table of winds as an op
#
# In lesson 4 a table of winds was read with `np.interp`, and the gradient was a number and wrong. We make the table differentiable, with respect to
# the height *and* to what was measured. The wind was measured at six stations, at heights of 0 to 10 m. Between two of them it changes linearly. In other words,
# each station counts fully at its own height, and its weight falls linearly to zero 2 m away. That is a
# *hat*, and the wind is a sum of hats, each times what was measured. All six winds are negative, because they blow against the ball, so
# the six hats hang down. Outside the table `np.interp` keeps the last
# value and hats fall to 0, but our program needs the wind inside the table only.

# %% tags=["picture", "given"] alt="Two panels above a common axis of heights, 0 to 10 m. Above, one hat, that of the station at 4 m: 0 up to 2 m, an even rise to 1 at 4 m, an even fall to 0 at 6 m; a dot at 3.3 m marks 0.65, and a dotted line goes down from it. Below, six dashed hats, one for each station, as deep as the wind that was measured there, and the black line of the wind that goes from tip to tip: their sum, with a corner at each station. At 3.3 m two dots mark what the hats of 2 m and 4 m give, and a square on the line their sum."
# Given: this only draws.
heights, measured = np.linspace(0.0, 10.0, 201), [-0.5, -2.4, -3.9, -5.1, -5.6, -5.8]
hats = [np.maximum(0.0, 1.0 - abs(heights - 2.0 * i) / 2.0) for i in range(6)]

_, (one, six) = plt.subplots(2, 1, figsize=(5.2, 4.6), sharex=True, layout="constrained")
one.plot(heights, hats[2], "k")
one.plot(3.3, 0.65, "o", color="0.3")
one.text(3.1, 0.68, "0.65", ha="right", fontsize=10)
one.set_ylabel("counts")
one.set_title("one hat: the station at 4 m", fontsize=11)
for i, wind in enumerate(measured):
    own = abs(heights - 2.0 * i) <= 2.0
    six.plot(heights[own], wind * hats[i][own], "--", linewidth=1.5)
shares = [0.35 * measured[1], 0.65 * measured[2]]
six.plot([3.3, 3.3], shares, "o", color="0.3", label="parts of two hats")
six.plot(3.3, sum(shares), "ks")
six.plot(heights, np.transpose(hats) @ measured, "k", label="the wind, their sum")
for panel in (one, six):
    panel.axvline(3.3, color="0.7", linestyle=":", linewidth=1)
six.set_xlabel("height in metres")
six.set_ylabel("metres a second")
six.legend(fontsize=10)
plt.show()

# %% [markdown]
# So one op is enough: the hat. You could also write it with relu and `abs`, which tapes know: `tf.nn.relu(1.0 - abs(y - height) / 2.0)`. We declare it to see an
# *attribute*, an argument that is not a tensor and has no derivative, and a rule at a corner.


# %%
@primitive("hat")
def hat(y: Array, height: float) -> Array:
    """How much a station at `height` counts at y: 1 there, 0 from 2 m away on."""
    return np.maximum(0.0, 1.0 - abs(y - height) / 2.0)


# %%
y = tf.Variable(3.3, dtype=tf.float64)

with tf.GradientTape() as tape:
    share = tf.hat(y, 4.0)

print("counts", share.numpy().round(2))
try:
    tape.gradient(share, y)
except LookupError as error:
    print(error)

# %% [markdown]
# `height: float` is the attribute. The op has no derivative
# with respect to `y` yet, and the tape says so instead of returning a wrong answer.

# %% [markdown]
# A hat rises by $1/2$ for each metre
# up to its station and falls by $1/2$ after it. At its corners it has no slope, and we choose the one on the right. That slope is
# an op again, so that a tape can record the rule. It is flat between the corners, so its own rule returns 0. Without that rule second
# derivatives would be an error.


# %%
@primitive("hat_slope")
def hat_slope(y: Array, height: float) -> Array:
    """The slope of `hat`; at its corners, where it has none, the slope on the right."""
    rises, falls = (height - 2.0 <= y) & (y < height), (height <= y) & (y < height + 2.0)
    return (0.5 * rises - 0.5 * falls).astype(y.dtype)


@hat.vjp("y")
def _(g: Tensor, y: Tensor, height: float) -> Tensor:
    return g * hat_slope(y, height)


@hat_slope.vjp("y")
def _(g: Tensor) -> Tensor:
    return 0.0 * g


# %% tags=["picture", "given"] alt="Above, the hat of the station at 4 m: 0 up to 2 m, a straight rise to 1 at 4 m, a straight fall to 0 at 6 m. Below, its slope: 0, then a half, then minus a half, then 0. At the three corners, 2, 4 and 6 m, it jumps: a full dot marks the number that the rule gives there, the slope on the right, and an open one the slope that it does not give."
# Given: this only draws.
line, corners = np.linspace(0.5, 7.5, 141), [2.0, 4.0, 6.0]
_, panels = plt.subplots(2, 1, figsize=(5.2, 4.2), sharex=True, layout="constrained")
panels[0].plot(line, np.maximum(0.0, 1.0 - abs(line - 4.0) / 2.0), "k")
panels[0].set_ylabel("counts")
for start, end, slope in [(0.5, 2.0, 0.0), (2.0, 4.0, 0.5), (4.0, 6.0, -0.5), (6.0, 7.5, 0.0)]:
    panels[1].plot([start, end], [slope, slope], "k")
left, right = [0.0, 0.5, -0.5], [0.5, -0.5, 0.0]
panels[1].plot(corners, right, "ko", label="at a corner: decided")
panels[1].plot(corners, left, "ko", markerfacecolor="white")
panels[1].set_ylabel("slope")
panels[1].set_xlabel("height in metres")
panels[1].legend(fontsize=10)
plt.show()

# %% [markdown]
# Is the rule right?

# %%
print("between corners:", bool(tf.check_gradients(lambda y: tf.hat(y, 4.0), [[3.3, 4.9, 7.0]])))
print("at a corner:  ", bool(tf.check_gradients(lambda y: tf.hat(y, 4.0), [[2.0]], order=1)))

# %% [markdown]
# At the corner at 2 m the check complains, and rightly: there is no derivative. Two runs give the mean of the slopes on both sides,
# $1/4$, and the rule says $1/2$. So decide which number a rule returns there, and write it down, as the docstring does.
# Why not 0? For one hat it would do. But exactly at a station the nearest hats have a corner, and the others are flat: the
# wind would seem not to change with height there. With the slopes on the right their sum is the wind's own slope on the right.
#
# An op can also say what it is like, and explanations use its words. `minitape.facts.Facts` lists all that it can say. Why is the slope 0 far from the station?

# %% tags=["given"]
# Given.
hat.says(flat="the station is 2 m away or more, so it does not count")

y = tf.Variable(7.0, dtype=tf.float64)
with tf.GradientTape() as tape:
    share = tf.hat(y, 4.0)
print(viz.explain(tape, share, y))

# %% [markdown]
# Now the throw, with nothing changed but the wind:

# %% tags=["given"]
# Given.
table = tf.Variable([-0.5, -2.4, -3.9, -5.1, -5.6, -5.8], dtype=tf.float64)


def miss(v, steps=100):
    """The squared distance to the ring, in the wind of the table."""
    vx, vy, dt = v[0], v[1], 2.0 / steps
    x, y = 0.0 * vx, 1.5 + 0.0 * vy
    for _ in range(steps):
        wind = tf.add_n([table[i] * tf.hat(y, 2.0 * i) for i in range(6)])
        air = vx - wind
        drag = 0.02 * tf.sqrt(air**2 + vy**2)
        vx, vy = vx - dt * drag * air, vy - dt * (drag * vy + 9.81)
        x, y = x + dt * vx, y + dt * vy
    return (x - 20.0) ** 2 + (y - 2.0) ** 2


v = tf.Variable([10.0, 10.0], dtype=tf.float64)

with tf.GradientTape() as tape:
    far = miss(v)
by_v, by_table = tape.gradient(far, [v, table])

# %%
with viz.predict(
    "With respect to the velocity the gradient is now what two throws say: (-15.83, -2.01). With respect to the table it has six numbers. "
    "Which of them are 0?",
    "The last two. This ball never rises above 6 m, and the stations at 8 and 10 m count only from 6 and "
    "8 m on. What was measured there does not matter to it.",
):
    print("by the speeds:", by_v.numpy().round(2))
    print("by the table: ", by_table.numpy().round(2))

# %% [markdown]
# The gradient with respect to the velocity is right. The one with respect to the table
# says how much each *measurement* matters: an error of 0.1 m/s at 4 m changes the squared miss by about 0.4.

# %% [markdown]
# ## Further: which of two dice?
#
# What is the op for? Somebody rolls one of two dice with four faces 2000 times, A or B, both as likely. Let $a$ and
# $b$ be the logarithms of the probabilities of what was rolled. Then $\log(e^a + e^b)$ is the logarithm of their sum, and its derivative with respect to $a$,
# $e^a / (e^a + e^b)$, is the fraction that A contributes: **the probability that it was A.**

# %% tags=["given"]
# Given.
text = np.random.default_rng(1).choice(4, size=2000, p=[0.4, 0.3, 0.2, 0.1])
a = tf.Variable(np.sum(np.log([0.4, 0.3, 0.2, 0.1])[text]))
b = tf.Variable(np.sum(np.log([0.39, 0.3, 0.2, 0.11])[text]))
print(f"logarithms: {a.numpy():.2f} and {b.numpy():.2f}")

for name, add in [("usual formula", naive), ("our op", tf.log_add_exp)]:
    with np.errstate(all="ignore"), tf.GradientTape() as tape:
        out = add(a, b)
    share_a, share_b = tape.gradient(out, [a, b])
    print(
        f"{name:14} {out.numpy():.2f}, A with {share_a.numpy():.2f}, B with {share_b.numpy():.2f}"
    )

# %% [markdown]
# ## Further: an op on a whole axis, attributes and batching
#
# `log_add_exp` works element by element. The next op does not: the differences of neighbours,
# $\text{out}_i = x_{i+1} - x_i$, along an axis. The axis is an *attribute*, an argument that is not a tensor and has no derivative, and it may be counted
# from either end: `prepare` turns −1 into the number of the last axis. It returns all attributes as a
# tuple; with one, a comma makes it.
#
# The rule: `x[i]` is used twice, with a plus in `out[i - 1]` and a minus in `out[i]`. So its gradient is
# $g_{i-1} - g_i$, where `g` counts as 0 beyond its ends. That is *the op itself* on a `g` with a 0 before
# and after it, with a minus.

# %% tags=["picture", "given"] alt="Four boxes x0 to x3 in a row, three boxes out0 to out2 below, each between two of the upper ones. A dashed arrow marked minus leads from the left one to each, a solid arrow marked plus from the right one. Above the boxes, in red, what comes back to each x: minus g0, g0 minus g1, g1 minus g2, g2."
# Given: this only draws.
box = {"boxstyle": "round,pad=0.4", "facecolor": "white"}
back = ["$-g_0$", "$g_0 - g_1$", "$g_1 - g_2$", "$g_2$"]
plt.figure(figsize=(5.2, 3))
for i in range(3):
    for side, sign, dashes in [(0, "−", "--"), (1, "+", "-")]:
        line = {"arrowstyle": "->", "linestyle": dashes, "shrinkA": 16, "shrinkB": 16}
        plt.annotate("", (i + 0.5, 0.0), (i + side, 1.0), arrowprops=line)
        plt.text(i + 0.12 + 0.76 * side, 0.45, sign, ha="center", fontsize=13)
    plt.text(i + 0.5, 0.0, f"$out_{i}$", ha="center", va="center", bbox=box)
for i in range(4):
    plt.text(i, 1.0, f"$x_{i}$", ha="center", va="center", bbox=box)
    plt.text(i, 1.45, back[i], ha="center", color="tab:red")
plt.xlim(-0.5, 3.5)
plt.ylim(-0.35, 1.75)
plt.axis("off")
plt.show()

# %% tags=["given"]
# Given.
forward_runs = []


@primitive("differences", latex=r"\mathrm{{diff}}\left({x}\right)")
def differences(x: Array, axis: int = -1) -> Array:
    """The differences of neighbours along an axis, which gets shorter by one. Linear."""
    forward_runs.append(x.shape)
    return np.diff(x, axis=axis)


# %% tags=["given"]
# Given.
from minitape.ops.moving.padding import pad


@differences.prepare
def _(x, axis):
    return (axis % len(x.shape),)


@differences.vjp("x")
def _(g: Tensor, axis: int) -> Tensor:
    borders = tuple((int(i == axis), int(i == axis)) for i in range(len(g.shape)))
    return -differences(pad(g, borders), axis)


# %% [markdown]
# A Jacobian goes back with a whole stack of `g`, one for each element of the target (lesson 7). What does our
# op do with a stack? It has no rule for that, so it runs **one by one**:

# %% tags=["given"]
# Given.
x = tf.Variable(tf.linspace(0.0, 1.0, 6))


def count_runs():
    """How often, and on which shapes, the forward function runs for one Jacobian."""
    with tf.GradientTape() as tape:
        steps = tf.differences(x) ** 2
    forward_runs.clear()
    jacobian = tape.jacobian(steps, x)
    print("forward runs:", len(forward_runs), "of shape", *sorted(set(forward_runs)))
    return jacobian


# %%
with viz.predict(
    "The target has five elements. How often does the forward function of the op run for its Jacobian: once, five times, or 30 times?",
    "Five times, once for each row (and on 7 numbers: five arrive, with a 0 before and after them).",
):
    slow = count_runs()

# %% [markdown]
# A *batching rule* says how to do all of them at once. It gets `values`, in which the stacked ones have one
# more axis, in front; `stacked`, which says which ones; the attributes, as a tuple; and `size`, how many are stacked.
# For us it is simple: in a stack, the axis is the next one. `prepare` has made it positive.


# %%
@differences.batch
def _(values, stacked, attributes, size):
    return differences(values[0], attributes[0] + 1)


fast = count_runs()
print("the same Jacobian:", bool(tf.reduce_all(slow == fast)))

# %% [markdown]
# One run on a stack instead of five. An op that is *declared* to work element by element, by `broadcasts=True` as
# `log_add_exp` or by `elementwise=True` as in exercise 2, needs no such rule.

# %% [markdown]
# ## Further: the forgotten sum
#
# The declaration of `log_add_exp` says `broadcasts=True`, and its rules say nothing of shapes. If `y` is one number that met
# three numbers, its gradient is the *sum* of three contributions, and the engine adds them up:

# %% tags=["given"]
# Given.
x, y = tf.Variable([1.0, 2.0, 3.0]), tf.Variable(0.0)

with tf.GradientTape() as tape:
    out = tf.log_add_exp(x, y)
for_x, for_y = tape.gradient(out, [x, y])
print("for x:", for_x.numpy())
print("for y:", for_y.numpy())

# %% [markdown]
# Without `broadcasts=True`, the rule itself has to add up what broadcasting repeated.


# %% tags=["given"]
# Given.
@primitive()
def lazy_product(x: Array, y: Array) -> Array:
    return x * y


@lazy_product.vjp("x")
def _(g: Tensor, y: Tensor) -> Tensor:
    return g * y


@lazy_product.vjp("y")
def _(g: Tensor, x: Tensor) -> Tensor:
    return g * x


# %%
with viz.predict(
    "Two vectors, then a vector and a number: what does the check say of each?",
    "Two vectors: all right. A number: the rule returns two numbers for one, and that is an error.",
):
    print("same shapes:", bool(tf.check_gradients(lazy_product, [[1.0, 2.0], [3.0, 4.0]])))
    try:
        tf.check_gradients(lazy_product, [[1.0, 2.0], 3.0])
    except ValueError as error:
        print(*str(error).split(". "), sep=".\n")

# %% [markdown]
# **Check with different shapes too**: a number and a vector, a column and a row, an axis of size 1.

# %% [markdown]
# ## Further: no overflow is not enough
#
# Another form of the slope needs no sigmoid:

# %%
with viz.predict(
    "e^(x - out) is the same slope, and its exponent is never above 0, so it cannot overflow either. For x = y the right slope is 0.5. Does it say 0.5 in float32 "
    "for x = y = 10000 and for 100 million: in both, in neither, or in the first only?",
    "In neither: 0.4999 in place of 0.5, and then 1. The result is rounded when "
    "log 2 is added to 10000, and log 2 is lost in 100 million: taking x away again shows it. No overflow is not enough.",
):
    for value in [1e4, 1e8]:
        x = tf.Variable(value)
        out = tf.log_add_exp(x, x)
        print(f"e^(x - out) {tf.exp(x - out).numpy():.4f}, sigmoid {sigmoid(x - x).numpy():.4f}")

# %% [markdown]
# ## Further: right, but not twice
#
# This gradient is right. But it computes with NumPy along the way, so a tape cannot record it, and the second derivative
# is lost.


# %%
@tf.custom_gradient
def stiff_square(x):
    """x squared, with a gradient that left the tape."""
    slope = 2.0 * x.numpy()
    return x * x, lambda g: g * slope


print(tf.check_gradients(stiff_square, [3.0]))

# %% [markdown]
# *Order 1* is right. In *order 2* the derivative of the gradient should be 2, and it is 0. With
# `slope = 2.0 * x` all would be right. The rule of $\log(e^x + e^0)$ is made of ops. So its second derivative is
# $\sigma(x) (1 - \sigma(x))$, a quarter at 0:

# %%
x = tf.Variable(0.0)

with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        out = tf.log_add_exp(x, 0.0)
    slope = inner.gradient(out, x)
print(slope.numpy(), outer.gradient(slope, x).numpy())

# %% [markdown]
# ## Further: samples
#
# An op is not finished until you can trust it. In minitape's own tests every op has a list of *samples*,
# inputs that are likely to break something, and one set of checks runs on all of them. For `log_add_exp` and `differences` the
# lists could read:

# %%
row, column = np.array([2.0, -1.2, 0.5]), np.array([[0.7], [-1.6]])
samples = {
    "log_add_exp": [
        ("equal shapes", [row, row[::-1]], {}),
        ("both broadcast", [row, column], {}),
        ("a number", [np.float64(1.5), row], {}),
        ("ties", [row, row], {}),
        ("large", [row + 600.0, row - 600.0], {}),
        ("empty", [np.zeros((0, 3)), row], {}),
    ],
    "differences": [
        ("a vector", [row], {}),
        ("the first axis", [row * column], {"axis": 0}),
        ("a negative axis", [row * column], {"axis": -2}),
        ("one element", [row[:1]], {}),
    ],
}
references = {"log_add_exp": np.logaddexp, "differences": np.diff}


def check_op(name):
    """Forward against NumPy, derivatives to second order, a stack against one by one."""
    print(f"{name:20} forward  slopes  stack")
    op = getattr(tf, name)
    for note, inputs, attributes in samples[name]:
        tensors = [tf.constant(x) for x in inputs]
        forward = np.allclose(op(*tensors, **attributes), references[name](*inputs, **attributes))
        slopes = tf.check_gradients(lambda *xs, a=attributes: op(*xs, **a), tensors)

        def one(x, tensors=tensors, attributes=attributes):
            return op(x, *tensors[1:], **attributes)

        stack = tf.stack([tensors[0], 2.0 * tensors[0]])
        together = tf.vectorized_map(one, stack)
        stacks = np.allclose(together, tf.stack([one(stack[0]), one(stack[1])]))
        print(f"  {note:18} {forward!s:8} {bool(slopes)!s:7} {stacks}")


for name in samples:
    check_op(name)

# %% [markdown]
# **Minus infinity** belongs on the list, too: it is the logarithm of the probability 0. Differences cannot
# judge there, since nothing can be moved by a tiny $\delta$. But we know what is right. If one of the two is
# $-\infty$, the result is the other one, and the slopes are 0 and 1. If both are, there
# is no slope, and 0 is the useful answer.

# %%
nothing, one = -np.inf, 0.0
both = [tf.Variable([nothing, nothing, one]), tf.Variable([nothing, one, nothing])]

with np.errstate(invalid="ignore"), tf.GradientTape() as tape:
    out = tf.log_add_exp(*both)
    for_x, for_y = tape.gradient(out, both)

# %%
with viz.predict(
    "What does our rule, `g * sigmoid(x - y)`, return if both are minus infinity: 0, 0.5 or `nan`?",
    "`nan`: minus infinity less minus infinity has no answer.",
):
    print("result:", out.numpy(), " slopes by x:", for_x.numpy(), " by y:", for_y.numpy())


# %% tags=["given"]
# Given.
def careless(for_x, for_y):
    """`log_add_exp` with other rules."""

    @primitive(broadcasts=True, latex=r"\log\left(e^{{{x}}} + e^{{{y}}}\right)")
    def careless_op(x: Array, y: Array) -> Array:
        return np.logaddexp(x, y)

    careless_op.vjp("x")(for_x)
    careless_op.vjp("y")(for_y)
    return careless_op


# %% [markdown]
# So we add: an input of minus infinity contributes nothing, whatever the other one is, and
# $\sigma(-\infty) = 0$. If both are *plus* infinity the rule still returns `nan`, but no probability has that logarithm.


# %%
from minitape.ops.elementwise.comparison import select


def to_infinity_x(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return g * sigmoid(select(x > -np.inf, x - y, -np.inf))


def to_infinity_y(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return g * sigmoid(select(y > -np.inf, y - x, -np.inf))


careful = careless(to_infinity_x, to_infinity_y)

with np.errstate(invalid="ignore"), tf.GradientTape() as tape:
    out = careful(*both)
    for_x, for_y = tape.gradient(out, both)
print("slopes by x:", for_x.numpy(), " by y:", for_y.numpy())
print("elsewhere as before:", bool(tf.check_gradients(careful, [row, column])))

# %% [markdown]
# To add an op to minitape for good, put its code into a module of `minitape/ops`, and its samples into
# `tests/op_samples`. The docstring at the top of `minitape/ops/__init__.py` is the reference for all that a
# declaration can say. A plain number in an op goes after the array, `tf.maximum(a, 0.0)`; in front it makes `float32` of an array.

# %% [markdown]
# ## Further: a gradient for an op that has none, `tf.RegisterGradient`
#
# Some operations are differentiable, but no gradient is registered for them. For `tf.image.adjust_contrast` the tape
# raises a `LookupError`: "gradient registry has no entry for: AdjustContrastv2". A silent `None` would be a
# trap. You can register one: the op computes $(x - m) f + m$ with the mean $m$ over all pixels of
# a channel. A pixel acts directly, with the factor $f$, and through the mean, with $1 - f$:
#
# $$\bar x = f g + (1 - f)\, \text{mean}(g), \qquad \bar f = \textstyle\sum g\, (x - m).$$
#
# A registered function gets the call (`op.inputs`, `op.outputs`) and the gradient of its result. It returns
# one gradient for each input.


# %%
@tf.RegisterGradient("AdjustContrastv2")
def contrast_gradient(op, g):
    """Gradients for the images and for the factor."""
    images, factor = op.inputs
    pixels = [-3, -2]  # the axes of height and width
    mean_g = tf.reduce_mean(g, axis=pixels, keepdims=True)
    mean_x = tf.reduce_mean(images, axis=pixels, keepdims=True)
    return factor * g + (1 - factor) * mean_g, tf.reduce_sum(g * (images - mean_x))


image, factor = tf.Variable([[[0.5, 0.0, 0.0], [0.1, 0.4, 1.0]]]), tf.Variable(0.1)

with tf.GradientTape() as tape:
    loss = tf.reduce_sum(tf.image.adjust_contrast(image, factor) ** 2)
for_image, for_factor = tape.gradient(loss, [image, factor])
print(for_image.numpy().round(3))
print(for_factor.numpy().round(3))

# %% [markdown]
# Is it right? The check computes in `float64`, and this op in `float32`. So we cast, and give the check a
# larger step and more tolerance.


# %%
def contrast(image, factor):
    """`adjust_contrast` for numbers of any precision."""
    return tf.image.adjust_contrast(tf.cast(image, tf.float32), tf.cast(factor, tf.float32))


report = tf.check_gradients(contrast, [image.numpy(), 0.1], order=1, delta=1e-2, tolerance=1e-2)
print("all right:", bool(report))

# %% [markdown]
# So the table of the lesson has a third row: a gradient for an op that exists and has none, `tf.RegisterGradient`.

# %% [markdown]
# ## Further: straight through
#
# Rounding has the slope 0 almost everywhere. A weight that is rounded cannot be trained, because nothing arrives. The
# *straight-through estimator* is a bold lie that works: forward, round; backward, pretend that nothing happened.


# %%
def train(rounding):
    """Looks for the whole number whose square is nearest to 16, from 1.2 on."""
    weight, path = tf.Variable(1.2), []
    for _ in range(40):
        with tf.GradientTape() as tape:
            loss = (rounding(weight) ** 2 - 16.0) ** 2
        slope = tape.gradient(loss, weight, unconnected_gradients="zero")
        weight.assign_sub(0.002 * slope)
        path.append(float(weight))
    return path


honest, bold = train(tf.round), train(tf.grad_pass_through(tf.round))
print("honest:", round(honest[-1]), " straight through:", round(bold[-1]))

# %% alt="The weight over 40 steps. With tf.round it stays at 1.2. Straight through, dashed, it rises to 3.5 and stays there."
plt.figure(figsize=(6, 2.5))
plt.plot(honest, label="tf.round")
plt.plot(bold, "--", label="straight through")
plt.xlabel("step")
plt.ylabel("weight before rounding")
plt.legend()
plt.show()

# %% [markdown]
# What does the check say of a lie?

# %%
print(tf.check_gradients(tf.grad_pass_through(tf.round), [1.2], order=1))

# %% [markdown]
# It calls the lie a lie, and it is right. `check_gradients` asks "is this the derivative?" Whether something
# else is more *useful* is for you to judge. `limited` from the lesson passes the check alone, because a `g` of 1 is not cut off. With a
# square after it, the check complains.
