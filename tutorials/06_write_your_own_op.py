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

# %% [markdown] slide="A table of winds made a gradient wrong (lesson 4): -5.24, where two throws say -2.01.\n\n**Can we make a table differentiable, by the height *and* by what was measured?**"
# # 6. Write your own op
#
# In lesson 4 a table of winds was read with `np.interp`, and the gradient was a number and wrong. **Can we make
# the table differentiable, by the height *and* by what was measured?** We do it with an *op* of our own: one operation that a
# tape records, as it does an addition or a matrix product. minitape has more than 250; you add
# one: a forward function and a rule, a few lines each. Then come an op whose numbers are dangerous, and wrong rules and how a
# check finds them. You need lessons 1 and 4, and what a jacobian is (lesson 2). The lesson takes
# 50 minutes; the exercises are homework, for about 40 more, and the sections named *Further* are for those who want more. If you
# type along: a cell that begins with *Given* is only run.
#
# Afterwards you can
#
# - declare an op with its derivative rules, and say what its tape keeps,
# - write a rule that neither overflows nor loses digits, and can be differentiated again,
# - check a rule with `tf.check_gradients`, and read what it reports,
# - choose between an op of your own and `tf.custom_gradient`.

# %% tags=["setup"]
# Given.
import matplotlib.pyplot as plt
import numpy as np

import minitape as tf
from minitape import viz
from minitape.op import primitive
from minitape.ops.elementwise.sigmoids import sigmoid
from minitape.ops.elementwise.trigonometry import tanh
from minitape.tensor import Array, Tensor

viz.figures()

# %% [markdown] slide="## The table of winds\n\nEach station counts fully at its own height and not at all 2 m away: a *hat*. The wind is a sum of hats, times what was measured."
# ## The table of winds
#
# The wind was measured at six stations, at heights of 0 to 10 m. Between two of them it changes evenly. Said otherwise:
# each station counts fully at its own height, not at all from 2 m away on, and falls evenly in between. That is a
# *hat*, and the wind is a sum of hats, each times what was measured. (All six winds are negative, they blow against the ball: so
# the six hats hang down. Outside of the table `np.interp` keeps the last
# value, and hats fall to 0; our program asks for the wind inside of it only.)

# %% tags=["picture", "given"] slide="One hat, and the wind that is a sum of six" alt="Two panels above a common axis of heights, 0 to 10 m. Above, one hat, that of the station at 4 m: 0 up to 2 m, an even rise to 1 at 4 m, an even fall to 0 at 6 m; a dot at 3.3 m marks 0.65, and a dotted line goes down from it. Below, six dashed hats, one for each station, as deep as the wind that was measured there, and the black line of the wind that goes from tip to tip: their sum, with a corner at each station. At 3.3 m two dots mark what the hats of 2 m and 4 m give, and a square on the line their sum."
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
# So one op is enough: the hat. (It could be written with relu and `abs`, which tapes know. We declare it, to see each part of
# an op on something simple.) A decorator makes it of a function on arrays.


# %% slide="An op of two lines"
@primitive("hat")
def hat(y: Array, height: float) -> Array:
    """How much a station at `height` counts at y: 1 there, 0 from 2 m away on."""
    return np.maximum(0.0, 1.0 - abs(y - height) / 2.0)


# %% slide="An op of two lines"
y = tf.Variable(3.3, dtype=tf.float64)

with tf.GradientTape() as tape:
    share = tf.hat(y, 4.0)

print("counts", share.numpy().round(2))
try:
    tape.gradient(share, y)
except LookupError as error:
    print(error)

# %% [markdown]
# `"hat"` is the public name: from now on there is `tf.hat`. `y: Array` is an input: the function gets a NumPy array and
# gives one. `height: float` is an *attribute*, an argument that is no tensor and has no derivative. The op has no derivative
# by `y` yet, either, and the tape says so, rather than give a wrong answer.

# %% [markdown] slide="## The derivative rule\n\nIf $g$ arrives at the result, what goes on to this input? Element by element, $g$ **times the derivative.**\n\n- left of the station: $+1/2$, right of it: $-1/2$, farther than 2 m away: 0\n- at the corners there is none: we take the one on the right"
# ## The derivative rule
#
# A rule answers one question: *if `g` arrives at the result, what goes on to this input?* For an op that works
# element by element, as a hat does, the answer is `g` times the derivative; in general an input collects `g` times the slope from all
# results that it reaches. (The decorator is called `vjp`; lesson 7 says why.) A hat rises by $1/2$ for each metre
# up to its station and falls by $1/2$ behind it. At its corners it has no slope, and we decide for the one on the right. That slope is
# an op again, so that a tape can hear the rule. It is flat between the corners, so its own rule gives 0. (Without that rule second
# derivatives would be an error.)


# %% slide="A slope, and the rules"
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


# %% tags=["picture", "given"] slide="A hat and its slope" alt="Above, the hat of the station at 4 m: 0 up to 2 m, a straight rise to 1 at 4 m, a straight fall to 0 at 6 m. Below, its slope: 0, then a half, then minus a half, then 0. At the three corners, 2, 4 and 6 m, it jumps: a full dot marks the number that the rule gives there, the slope on the right, and an open one the slope that it does not give."
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
# **The arguments of a rule are its memory plan.** The first rule names `y`, so the tape keeps the value of `y` until the
# way back. Had it named nothing but `g`, nothing would be kept.
#
# ## Is the rule right?
#
# Never trust a rule because its numbers look plausible. There is a judge who knows nothing of rules: move an
# input by a tiny $\delta$ forward and back, and see how the output moves,
#
# $$f'(x) \approx \frac{f(x + \delta) - f(x - \delta)}{2 \delta}.$$
#
# `tf.check_gradients` does it for every element, for the function and for its gradient (*order* 2), in
# `float64`, and compares with what the rules give.

# %%
print("between corners:", bool(tf.check_gradients(lambda y: tf.hat(y, 4.0), [[3.3, 4.9, 7.0]])))
print("at a corner:  ", bool(tf.check_gradients(lambda y: tf.hat(y, 4.0), [[2.0]], order=1)))

# %% [markdown]
# At the corner at 2 m the check complains, and rightly: there is no derivative. Two runs give the mean of the slopes on both sides,
# $1/4$, and the rule says $1/2$. So decide which number a rule gives there, and write it down (the docstring does).
# Why not 0? For one hat it would do. But exactly at a station the nearest hats have a corner, and the others are flat: the
# wind would seem not to change with height there. With the slopes on the right their sum is the wind's own slope on the right.
#
# An op can also say what it is like, and explanations use its words. Why is the slope 0 far from the station?

# %% tags=["given"]
# Given.
hat.says(flat="the station is 2 m away or more, so it does not count")

y = tf.Variable(7.0, dtype=tf.float64)
with tf.GradientTape() as tape:
    share = tf.hat(y, 4.0)
print(viz.explain(tape, share, y))

# %% [markdown] slide="## The throw, mended\n\nOne line is new, and nothing else changes:\n\n`wind = tf.add_n([table[i] * tf.hat(y, 2.0 * i) for i in range(6)])`"
# (`minitape.facts.Facts` lists all that an op can say.)
#
# ## The throw, mended
#
# Now the throw, with nothing changed but the wind:

# %% tags=["given"] slide="The throw, mended"
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

# %% slide="The throw, mended"
with viz.predict(
    "By the speeds it is now what two throws say: (-15.83, -2.01). By the table there are six numbers. "
    "Which of them are 0?",
    "The last two. This ball never rises above 6 m, and the stations at 8 and 10 m count only from 6 and "
    "8 m on. What was measured there does not matter to it.",
):
    print("by the speeds:", by_v.numpy().round(2))
    print("by the table: ", by_table.numpy().round(2))

# %% [markdown] slide=""
# **That is the answer to the question of the beginning.** The gradient by the speeds is right, and the one by the table
# says how much each *measurement* counts: an error of 0.1 m/s at 4 m changes the squared miss by about 0.4.

# %% [markdown] slide="## An op that must be careful\n\nThe logarithm of a sum of exponentials:\n\n$$\\log(e^x + e^y)$$\n\nTo *add* two probabilities that are kept as logarithms."
# ## An op that must be careful
#
# A hat has small numbers. Here is an op whose numbers are dangerous: $\log(e^x + e^y)$. Probabilities of long texts are
# products of thousands of numbers, too small for a computer; so one keeps their logarithms. To *add* two such
# probabilities is this op. Written with the ops that exist, it has a weakness:


# %% tags=["given"]
# Given.
def naive(x, y):
    """log(exp(x) + exp(y)), by the usual formula."""
    return tf.math.log(tf.exp(x) + tf.exp(y))


for value in [0.0, 50.0, 100.0, -200.0]:
    x = tf.Variable(value)
    with tf.GradientTape() as tape:
        out = naive(x, x)
    print(f"x = y = {value}: {out.numpy():.3f}, slope {tape.gradient(out, x).numpy():.3f}")

# %% [markdown]
# The right answers are $x + \log 2$ and 1, for every $x$. But `float32` ends at about $3 \cdot 10^{38}$: $e^{100}$ is above
# that and becomes infinite, and $e^{-200}$ becomes 0. Infinity times 0 is `nan`, *not a number*. One such number can
# ruin a whole network.
#
# NumPy has a careful function for it, `np.logaddexp`. It is no op, and a tape does not see it (lesson 4). Two things are
# new when we declare it: `broadcasts=True` says that its inputs may have different shapes, as for `+` (a hat has one input), and `latex` is its
# formula, for the pictures (`{x}` stands for an input; other braces are doubled).


# %%
@primitive("log_add_exp", broadcasts=True, latex=r"\log\left(e^{{{x}}} + e^{{{y}}}\right)")
def log_add_exp(x: Array, y: Array) -> Array:
    """The logarithm of exp(x) + exp(y), elementwise, without overflow. Smooth everywhere."""
    return np.logaddexp(x, y)


print(tf.log_add_exp(100.0, [100.0, 0.0]))

# %% [markdown] slide="## Its rule\n\n$$\\frac{\\partial\\, \\text{out}}{\\partial x} = \\frac{e^x}{e^x + e^y} = \\frac{1}{1 + e^{-(x - y)}} = \\sigma(x - y)$$\n\n**A careful forward pass needs a careful rule.**"
# With $\text{out} = \log(e^x + e^y)$ the chain rule gives
#
# $$\frac{\partial\, \text{out}}{\partial x} = \frac{e^x}{e^x + e^y} = \frac{1}{1 + e^{-(x - y)}} = \sigma(x - y).$$
#
# The first form overflows where the usual formula does. The last one is the one to write. *Sigmoid*, $\sigma$, gives numbers from 0 to 1, and is itself computed so that nothing overflows.
# **A careful forward pass needs a careful rule.** (Only where both are infinite, with the same sign, does it need a
# word more: see *Further: samples*.)


# %%
@log_add_exp.vjp("x")
def _(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return g * sigmoid(x - y)


@log_add_exp.vjp("y")
def _(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return g * sigmoid(y - x)


print("right:", bool(tf.check_gradients(tf.log_add_exp, [[1.0, 2.0], 0.5])))

# %%
with viz.predict(
    "e^(x - out) is the same slope, and its exponent is never above 0, so it cannot overflow either. What does it say for "
    "x = y = 10000, and for 100 million, in float32?",
    "0.4999 in place of 0.5, and then 1, for x and for y alike, so 2 together. The sum is rounded when "
    "log 2 is added to 10000, and log 2 is lost in 100 million: taking x away again shows it. No overflow is not enough.",
):
    for value in [1e4, 1e8]:
        x = tf.Variable(value)
        out = tf.log_add_exp(x, x)
        print(f"e^(x - out) {tf.exp(x - out).numpy():.4f}, sigmoid {sigmoid(x - x).numpy():.4f}")

# %% [markdown] slide="## Which language is it?\n\nA text of 2000 letters, two languages with nearly the same letters.\n\nThe slope $\\sigma(a - b)$ is the share of A in the sum: the probability that the text is of A."
# **What it is for.** A text of 2000 letters, of an alphabet of four, is of language A or of B, both as likely. Let $a$ and
# $b$ be the logarithms of its probabilities there. Then $\log(e^a + e^b)$ is the logarithm of their sum, and the slope by $a$,
# $e^a / (e^a + e^b)$, is the share of A in it: **the probability that the text is of A.**

# %% tags=["given"] slide="Which language is it?"
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

# %% tags=["given"]
# Given.
x, y = tf.Variable(1.0), tf.Variable(0.0)

with viz.recording(), tf.GradientTape() as tape:
    out = tf.log_add_exp(x, y)

player = viz.step(tape, out, [x, y], title="An op of our own")
for_x, for_y = tape.gradient(out, [x, y])
print(for_x.numpy().round(4), for_y.numpy().round(4))
player

# %% [markdown]
# **Look into the player.** The formula of the forward step is the one that you declared. The formula of each
# *pull* was typed by nobody: the player runs your rule on symbols and prints what comes out. So if a rule
# is wrong, the picture shows the wrong rule.
#
# **Use operators and other ops in a rule**, never NumPy's functions and never an `if` on values. Then one
# rule does for everything: for arrays, for a second tape that watches the first, for jacobians, for the
# picture. (In an op a plain number stands behind the array, `tf.maximum(a, 0.0)`; in front it makes `float32` of an array.)
# With `np.exp` in a rule the numbers are right, and second derivatives are wrong: see *Further: right, but not
# twice*.

# %% [markdown] slide=""
# ## What you get for nothing
#
# The declaration says `broadcasts=True`, and the rules say nothing of shapes. If `y` is one number that met
# three numbers, then its gradient is the *sum* of three contributions. The engine adds them up. (And the check above has
# differentiated our rules again: that is its *order* 2.)

# %% tags=["given"]
# Given.
x, y = tf.Variable([1.0, 2.0, 3.0]), tf.Variable(0.0)

with tf.GradientTape() as tape:
    out = tf.log_add_exp(x, y)
for_x, for_y = tape.gradient(out, [x, y])
print("for x:", for_x.numpy())
print("for y:", for_y.numpy())

# %% [markdown]
# In the picture the red numbers come back, against the arrows.

# %% tags=["picture", "given"] slide="One number for three: a broadcast and its way back" alt="Three boxes in the upper row, x = 1, 2 and 3; three boxes out in the middle row, each below its x; one box y = 0 below them all. An arrow leads from each x down to its out, and three dashed arrows from the one y up to the three outs. In red, what comes back along each arrow: 0.73, 0.88 and 0.95 to the x, and 0.27, 0.12 and 0.05 to y. Below y stands their sum, 0.44."
# Given: this only draws.
box = {"boxstyle": "round,pad=0.4", "facecolor": "white"}
plt.figure(figsize=(5.2, 3.6))
for i in range(3):
    back = 1.0 / (1.0 + np.exp(-(i + 1.0)))  # the slope by x, and 1 - back is that by y
    for start, number, dashes in [((i, 2.0), back, "-"), ((1, 0.0), 1.0 - back, "--")]:
        line = {"arrowstyle": "->", "linestyle": dashes, "shrinkA": 16, "shrinkB": 16}
        plt.annotate("", (i, 1.0), start, arrowprops=line)
        place = 0.5 * np.array(start) + [0.5 * i, 0.5]
        white = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
        plt.text(*place, f"{number:.2f}", ha="center", va="center", color="tab:red", bbox=white)
    plt.text(i, 2.0, f"$x_{i}$ = {i + 1}", ha="center", va="center", bbox=box)
    plt.text(i, 1.0, f"$out_{i}$", ha="center", va="center", bbox=box)
plt.text(1, 0.0, "$y$ = 0", ha="center", va="center", bbox=box)
plt.text(1, -0.55, f"{for_y.numpy():.2f}, their sum", ha="center", color="tab:red")
plt.xlim(-0.5, 2.5)
plt.ylim(-0.65, 2.3)
plt.axis("off")
plt.show()

# %% [markdown] slide=""
# ## Wrong rules
#
# Both ops were right at the first attempt. That is rare. Here are two mistakes that people make. (Two more are in *Further*:
# the forgotten sum, and a rule that is right, but not twice.)


# %% tags=["given"] slide="Wrong rules"
# Given.
def careless(for_x, for_y):
    """`log_add_exp` with other rules."""

    @primitive(broadcasts=True, latex=r"\log\left(e^{{{x}}} + e^{{{y}}}\right)")
    def careless_op(x: Array, y: Array) -> Array:
        return np.logaddexp(x, y)

    careless_op.vjp("x")(for_x)
    careless_op.vjp("y")(for_y)
    return careless_op


# %% tags=["given"] slide=""
# Given.
def right_x(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return g * sigmoid(x - y)


def right_y(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return g * sigmoid(y - x)


# %% [markdown]
# ### 1. The sign


# %%
def wrong_sign(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return -g * sigmoid(y - x)


print(tf.check_gradients(careless(right_x, wrong_sign), [1.0, 0.5], order=1))

# %% [markdown]
# Read a line like this: the derivative of *result 0* by *input 1* is −0.38 backward (*reverse*) and also
# *forward*, for forward mode is made from the same rule. But *numeric* says +0.38. (*at* says which element of result
# and input: `[]` is a number itself. *error* is the largest difference of the three, divided by the derivative where
# that is above 1.) The last line names the guilty rule and its line: the check has tried every op that ran by itself, with
# weights of its own on the results, so its "off by" may be another number than the error in the table.

# %% tags=["picture", "given"] slide="What the check compares" alt="The curve of log(e + e^y) near y = 0.5. A dotted line through two points of the curve, left and right of 0.5, rises as the curve does: two runs. A dashed red line through the point at 0.5 falls: the rule with the wrong sign."
# Given: this only draws.
line, place, step = np.linspace(-1.5, 2.5, 81), 0.5, 1.0  # so large a step for the picture alone
ends = np.array([place - step, place + step])
slope = np.exp(place - np.logaddexp(1.0, place))

plt.figure(figsize=(5.2, 3))
plt.plot(line, np.logaddexp(1.0, line), "-", color="0.5", label="$\\log(e^1 + e^y)$")
plt.plot(ends, np.logaddexp(1.0, ends), "ko:", label="two runs")
wrong = np.logaddexp(1.0, place) - slope * (line - place)
plt.plot(line, wrong, "r--", label="what the rule says")
plt.xlabel("y")
plt.ylabel("out")
plt.legend(fontsize=10)
plt.show()

# %% [markdown]
# ### 2. The forgotten factor
#
# A rule that forgets to multiply with `g`:


# %%
def without_g(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return sigmoid(x - y)


forgetful = careless(without_g, right_y)

# %%
with viz.predict(
    "Which of four checks find the forgotten factor: one number, two numbers, something behind the op, "
    "second order?",
    "The second and the third. With one number `g` is 1, and a forgotten 1 does no harm, to second order neither. With two numbers "
    "the check asks for one result at a time: 1 arrives at one of them and 0 at the other, and a forgotten 0 is seen. Behind the "
    "third stands a 3.",
):
    print("one number: ", bool(tf.check_gradients(forgetful, [1.0, 0.5], order=1)))
    print("two numbers:", bool(tf.check_gradients(forgetful, [[1.0, 2.0], 0.5], order=1)))
    print(
        "used later: ", bool(tf.check_gradients(lambda x: 3.0 * forgetful(x, 0.5), [1.0], order=1))
    )
    print("order 2:    ", bool(tf.check_gradients(forgetful, [1.0, 0.5])))

# %% [markdown]
# **Check with several elements and with something behind the op**: then other numbers than 1 arrive. (The second order, which the
# check does by default, is for rules that are right, but not twice.) **Most wrong rules give no error message**: a training run with a factor forgotten
# somewhere often works, only slower or worse. That is why one checks.

# %% [markdown]
# ## A gradient for one function: `tf.custom_gradient`
#
# Often you need no op, only another gradient for a few lines that you have. Then decorate a function that
# returns two things: its result, and a function from the incoming gradient to the outgoing one. This one changes nothing
# forward, and backward it limits what passes: a gradient that is *not* the derivative, because one wants it so.


# %%
@tf.custom_gradient
def limited(x):
    """x itself; its gradient is cut off at -1 and 1."""
    return tf.identity(x), lambda g: tf.clip_by_value(g, -1.0, 1.0)


x = tf.Variable([0.1, 10.0])

with tf.GradientTape() as tape:
    y = limited(x) ** 2
print(tape.gradient(y, x).numpy())  # without the limit 0.2 and 20

# %% [markdown]
# | you want | take |
# |---|---|
# | a new operation, with a formula for the pictures and a rule for each input | `@primitive` |
# | another gradient for a few lines of TensorFlow code (runs in TensorFlow too) | `tf.custom_gradient` |

# %% [markdown] slide="## Exercises\n\n1. log cosh\n2. The culprit\n3. A hat without corners\n4. Gradient reversal"
# ## Exercises
#
# Replace each `...` by your code, run the cell, and run the check under it. A check says
# "Right:" and why, or what is probably wrong.

# %% [markdown]
# **Exercise 1.** Complete the op $\log \cosh x$, a smooth relative of $|x|$. Forward, use
#
# $$\log\cosh x = |x| + \log(1 + e^{-2|x|}) - \log 2,$$
#
# which does not overflow (`abs`, `np.exp` and `np.log1p` are for arrays; write 0.6931471805599453 for
# $\log 2$, since a plain Python number leaves the dtype as it is). `elementwise=True` says that each element
# of the result depends on one element of `x`. The derivative is $\tanh x$, and the op
# `tanh` was imported at the top. (`:3` in the formula puts brackets around an `x` that is a sum or a product.)


# %% nbgrader={"grade": false, "grade_id": "log-cosh", "locked": false, "schema_version": 3, "solution": true, "task": false}
@primitive("log_cosh", elementwise=True, latex=r"\log \cosh {x:3}")
def log_cosh(x: Array) -> Array:
    """The logarithm of cosh(x), elementwise, without overflow."""
    ### BEGIN SOLUTION
    return abs(x) + np.log1p(np.exp(-2.0 * abs(x))) - 0.6931471805599453
    ### END SOLUTION


@log_cosh.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    ### BEGIN SOLUTION
    return g * tanh(x)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "log-cosh-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    forward = log_cosh.op.forward(np.array([0.0, 1.0, -2.0], np.float32))
    assert forward is not None, "The forward function returns nothing yet."
    assert not isinstance(forward, tf.Tensor), (
        "Forward, compute with NumPy: abs, np.exp and np.log1p. Ops of tf would be recorded once more."
    )
    wanted = np.log(np.cosh([0.0, 1.0, -2.0]))
    assert np.allclose(forward, wanted, atol=1e-6), (
        f"Forward: at 0, 1 and -2 it gives {forward}, not {wanted.round(4)}. Are all three terms there?"
    )
    with np.errstate(all="ignore"):
        far = log_cosh.op.forward(np.array([1000.0, -1000.0]))
    assert np.all(np.isfinite(far)), (
        "Forward: it overflows at x = 1000 or -1000; use the formula of the text, with abs(x)."
    )
    assert np.allclose(far, 1000.0 - np.log(2.0)), (
        f"Forward: at 1000 and -1000 it should be 1000 - log 2, not {far}. Nothing may be cut off."
    )
    said = "Forward, of float32 comes another dtype. A plain Python number leaves it as it is: 0.693... for log 2."
    score.part(1, forward.dtype == np.float32, said)
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
        said = "g stands inside of tanh: the rule multiplies g with tanh(x)."
    elif np.allclose(slope, np.tanh(x)):
        said = "The rule forgets what arrives: multiply with g."
    elif np.allclose(slope, -3 * np.tanh(x)):
        said = "The rule has the wrong sign."
    score.part(2, np.allclose(slope, 3 * np.tanh(x)), said)
    with np.errstate(all="ignore"), tf.GradientTape() as tape:
        y = log_cosh(far_away := tf.Variable([1000.0, -1000.0], dtype=tf.float64))
        careful = np.allclose(tape.gradient(y, far_away), [1.0, -1.0])
    if bool(report) and not careful:
        said = "At x = 1000 the slope should be 1: a careful forward pass needs a careful rule, tanh(x)."
    elif np.allclose(slope, 3 * np.tanh(x)) and not report:
        said = (
            f"Right once, not twice: is the rule made of ops, tanh(x) and not np.tanh(x)?\n{report}"
        )
    score.part(1, bool(report) and careful, said)
    score.total("g * tanh(x), and a forward pass that never meets a large exponent.")
score.earned

# %% [markdown]
# **Exercise 2.** Three ops, and one of them has a wrong rule. Find it with `tf.check_gradients`, put its name
# into `culprit`, and write its rule as it should be, as a function of `g` and `x`. Leave the three ops as they are.


# %% tags=["needed"]
@primitive(elementwise=True)
def bell(x: Array) -> Array:
    return np.exp(-x * x)


@bell.vjp("x")
def _(g: Tensor, x: Tensor, out: Tensor) -> Tensor:
    return -2.0 * g * x * out


@primitive(elementwise=True)
def squash(x: Array) -> Array:
    return x / (1.0 + x * x)


@squash.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    return g / (1.0 + x * x) ** 2


@primitive(elementwise=True)
def bend(x: Array) -> Array:
    return x * x * x / (1.0 + x * x)


@bend.vjp("x")
def _(g: Tensor, x: Tensor) -> Tensor:
    return g * x * x * (3.0 + x * x) / (1.0 + x * x) ** 2


# %% nbgrader={"grade": false, "grade_id": "culprit", "locked": false, "schema_version": 3, "solution": true, "task": false}
culprit = None  # "bell", "squash" or "bend"


def mended_rule(g, x):
    """The rule of the culprit as it should be."""
    ### BEGIN SOLUTION
    return g * (1.0 - x * x) / (1.0 + x * x) ** 2


culprit = "squash"
### END SOLUTION

# %% nbgrader={"grade": true, "grade_id": "culprit-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
with viz.Score(3) as score:
    assert culprit is not None, (
        "Name the op: print(tf.check_gradients(bell, [[0.5, -1.0]])), and so on."
    )
    assert culprit in ("bell", "squash", "bend"), (
        "culprit is one of three names, in quotes: bell, squash or bend."
    )
    report = tf.check_gradients(globals()[culprit], [[0.5, -1.0]], order=1)
    assert culprit == "squash" or not report, f"The rule of {culprit} is right: check the others."
    x = np.array([0.5, -1.0, 2.0])
    try:
        found = mended_rule(1.0, x)
    except TypeError as error:
        raise AssertionError(f"{error}. mended_rule is a function of g and x alone.") from None
    assert found is not None and found is not ..., "mended_rule returns nothing yet."
    below = 1 + x**2
    right = (1 - x**2) / below**2
    said = "This is not the derivative of x / (1 + x**2). Quotient rule: (u' v - u v') / v**2."
    if np.allclose(found, 1 / below**2):
        said = "That is the rule as it was: of u' v - u v' it has only a part. Here u' = 1 and v' = 2 x."
    elif np.allclose(found, -right):
        said = "The two products are exchanged: u' v comes first, and u v' is taken away from it."
    elif np.allclose(found, (1 + 3 * x**2) / below**2):
        said = "The two products are added: u v' is taken away."
    elif np.allclose(found, (1 - x**2) / below):
        said = "The denominator of the quotient rule is squared."
    score.part(1, True, "")
    score.part(1, np.allclose(found, right), said)
    score.part(1, np.allclose(mended_rule(2.0, x), 2 * mended_rule(1.0, x)), "Multiply with g.")
    score.total("(1 - x**2) / (1 + x**2)**2, times what arrives.")
score.earned

# %% [markdown]
# **Exercise 3.** A hat without corners. With $u = (y - \text{height}) / 2$ it is $(1 - u^2)^2$ where $|u| < 1$, and 0 farther away.
# Complete the op and its rule. The check asks for second derivatives, too, so write the rule with ops: `tf.nn.relu` is one.


# %% nbgrader={"grade": false, "grade_id": "smooth-hat", "locked": false, "schema_version": 3, "solution": true, "task": false}
@primitive("smooth_hat")
def smooth_hat(y: Array, height: float) -> Array:
    """A hat without corners: 1 at `height`, 0 from 2 m away on."""
    ### BEGIN SOLUTION
    u = (y - height) / 2.0
    return np.maximum(0.0, 1.0 - u * u) ** 2
    ### END SOLUTION


@smooth_hat.vjp("y")
def _(g: Tensor, y: Tensor, height: float) -> Tensor:
    ### BEGIN SOLUTION
    u = (y - height) / 2.0
    return -2.0 * g * u * tf.nn.relu(1.0 - u * u)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "smooth-hat-check", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
with viz.Score(2) as score:
    at = np.array([3.3, 4.0, 5.0, 6.5, 1.0])  # around a station at 4 m
    u = (at - 4.0) / 2.0
    inside = np.maximum(0.0, 1.0 - u**2)
    try:
        forward = smooth_hat.op.forward(at, 4.0)
    except ValueError as error:
        raise AssertionError(
            f"Forward: {error} No `if` on values: np.maximum, or np.where."
        ) from None
    assert forward is not None and forward is not ..., "The forward function returns nothing yet."
    assert not isinstance(forward, tf.Tensor), (
        "Forward, compute with NumPy: np.maximum or np.where."
    )
    said = f"Forward: for a station at 4 m, at {at} it should be {(inside**2).round(3)}, not {forward}."
    if np.allclose(forward, (1.0 - u**2) ** 2):
        said = "Forward: from 2 m away on it should be 0, and (1 - u**2)**2 rises again there."
    elif np.allclose(forward, inside):
        said = "Forward: the square around the bracket is missing."
    shaped = score.part(0.5, np.allclose(forward, inside**2), said)
    x = tf.Variable(at)
    try:
        with tf.GradientTape() as tape:
            y = 3.0 * smooth_hat(x, 4.0)
        slope = tape.gradient(y, x)
        report = tf.check_gradients(  # coarse, so that a rule may lose digits to float32
            lambda y: smooth_hat(y, 4.0), [[3.3, 4.0, 5.0, 6.5]], delta=1e-3, tolerance=1e-3
        )
    except AttributeError as error:
        raise AssertionError(f"A rule gets arrays, too: no .numpy() in it. ({error})") from None
    except ValueError as error:
        raise AssertionError(
            f"{error} In a rule, no `if` on values, and no mask as it is: tf.cast(mask, y.dtype), or tf.nn.relu."
        ) from None
    assert slope is not None, "The rule returns nothing yet."
    right = 3.0 * -2.0 * u * inside
    slips = {
        "The rule forgets what arrives: multiply with g.": right / 3.0,
        "The rule has the wrong sign.": -right,
        "u has a slope by y, too: 1/2.": 2.0 * right,
        "1 - u**2 has a slope, too: by u it is -2 u.": 3.0 * 2.0 * inside,
        "1 - u**2 has a slope, too: by y it is -u.": 3.0 * inside,
        "From 2 m away on the slope is 0: tf.nn.relu(1 - u * u).": 3.0 * -2.0 * u * (1.0 - u**2),
    }
    said = next((hint for hint, slip in slips.items() if np.allclose(slope, slip)), None)
    score.part(1, np.allclose(slope, right), said or f"The rule is not the derivative.\n{report}")
    if np.allclose(slope, right) and shaped:
        said = (
            "Right once, not twice: is the rule made of ops, or does it divide by 0 somewhere (a root at 0)?"
            f"\n{report}"
        )
    score.part(0.5, np.allclose(slope, right) and bool(report), said or "")
    score.total("the slope is -2 u (1 - u**2) within 2 m, times what arrives, and 0 farther away.")
score.earned

# %% [markdown]
# **Exercise 4.** *Gradient reversal*: a function that gives its argument on unchanged, but turns the gradient
# around and multiplies it with `strength`. (Put into a network, it makes the layers before it *unlearn* what
# the layers behind it want to know.) `reversing(strength)` returns such a function.


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
            f"{error} The function inside takes x alone, and gives a pair: x, and a function of what "
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
            twice = reversing(2.0)(x) ** 2
        other = tape.gradient(twice, x)
    second = outer.gradient(other, x)
    said = "The gradient should be -strength times what arrives."
    scaled = np.allclose(slope, [-4.0, -8.0])
    if scaled:
        said = "The gradient is scaled, but not turned around."
    elif np.allclose(slope, [8.0, 16.0]):
        said = "It is turned around: is the strength used?"
    elif np.allclose(slope, -0.5) or np.allclose(slope, -0.5 * x):
        said = "Multiply with the gradient that arrives."
    turned = np.all(np.sign(slope) == [1.0, 1.0])
    score.part(0.5, turned or scaled, said)
    score.part(0.5, turned, said)
    if np.allclose(slope, [4.0, 8.0]):
        said = "With another strength it is wrong: is it used?"
        if np.allclose(other, [-4.0, 12.0]):
            said = "A tape outside hears nothing of it: compute with g itself, not with NumPy's array of it."
    right = np.allclose(slope, [4.0, 8.0]) and np.allclose(other, [-4.0, 12.0])
    score.part(1, right and second is not None, said)
    score.total("the value passes, and what arrives goes on times -strength.")
score.earned

# %% [markdown]
# **To think about.** Is the straight-through estimator (lesson 4: round forward, and backward as if nothing had happened) ever worse than none? Build a
# case.

# %% [markdown]
# ## What to remember
#
# - An op is one block: a forward function on arrays, and a rule per input.
# - Element by element, a rule multiplies what arrives with the derivative. The values that it names, the tape keeps.
# - Write rules with ops, and in a form that neither overflows nor loses digits.
# - Check every rule: with several elements, different shapes, something behind it, and to second order.
# - `tf.custom_gradient` gives a function its own gradient.
#
# **Read on.** Goldberg, *What Every Computer Scientist Should Know About Floating-Point Arithmetic* (1991). Bengio,
# Léonard, Courville, *Estimating or Propagating Gradients Through Stochastic Neurons for Conditional Computation* (2013). Ganin, Lempitsky,
# *Unsupervised Domain Adaptation by Backpropagation* (2015).
#
# Next: forward mode, and when it beats the way back.

# %% [markdown]
# ## Further: an op on a whole axis, attributes and batching
#
# `log_add_exp` works element by element. The next op does not: the differences of neighbours,
# $\text{out}_i = x_{i+1} - x_i$, along an axis. The axis is an attribute, as the height of a hat was, but it may be counted
# from either end: `prepare` makes the number of the last axis of −1, before anybody sees it. (It returns all attributes as a
# tuple; with one, a comma makes it.)
#
# The rule: `x[i]` is used twice, with a plus in `out[i - 1]` and a minus in `out[i]`. So its gradient is
# $g_{i-1} - g_i$, where `g` counts as 0 beyond its ends. That is *the op itself* on a `g` with a 0 before
# and behind it, with a minus.

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
# A jacobian walks back with a whole stack of `g`, one for each element of the target (lesson 7). What does our
# op do with a stack? Nobody said, so it runs **one by one**:

# %% tags=["given"]
# Given.
x = tf.Variable(tf.linspace(0.0, 1.0, 6))


def count_runs():
    """How often, and on which shapes, the forward function runs for one jacobian."""
    with tf.GradientTape() as tape:
        steps = tf.differences(x) ** 2
    forward_runs.clear()
    jacobian = tape.jacobian(steps, x)
    print("forward runs:", len(forward_runs), "of shape", *sorted(set(forward_runs)))
    return jacobian


# %%
with viz.predict(
    "The target has five elements. How often does the forward function of the op run for its jacobian?",
    "Five times, once for each row (and on 7 numbers: five arrive, with a 0 before and behind them).",
):
    slow = count_runs()

# %% [markdown]
# A *batching rule* says how to do all of them at once. It gets `values`, in which the stacked ones have one
# axis more, in front; `stacked`, which says which ones; the attributes, as a tuple; and `size`, how many are stacked.
# For us it is simple: in a stack, the axis is the next one. (`prepare` has made it positive.)


# %%
@differences.batch
def _(values, stacked, attributes, size):
    return differences(values[0], attributes[0] + 1)


fast = count_runs()
print("the same jacobian:", bool(tf.reduce_all(slow == fast)))

# %% [markdown]
# One run on a stack instead of five. (An op that is *declared* to work element by element, by `broadcasts=True` as
# `log_add_exp` or by `elementwise=True` as in exercise 1, needs no such rule. `hat` says neither, so it runs one by one.)

# %% [markdown]
# ## Further: the forgotten sum
#
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
    "Two vectors, then a vector and a number: what does the check say to each?",
    "Two vectors: all right. A number: the rule gives two numbers for one, and that is an error.",
):
    print("same shapes:", bool(tf.check_gradients(lazy_product, [[1.0, 2.0], [3.0, 4.0]])))
    try:
        tf.check_gradients(lazy_product, [[1.0, 2.0], 3.0])
    except ValueError as error:
        print(*str(error).split(". "), sep=".\n")

# %% [markdown]
# **Check with different shapes too**: a number and a vector, a column and a row, an axis of size 1.

# %% [markdown]
# ## Further: where the usual formula ends
#
# The usual formula of `log_add_exp` and the op, for $x = y$ from $-150$ to 150. The formula breaks off on both sides, on the
# left its slope sooner than its value; the op goes on. (Just before its right end the usual slope is 0, a number and wrong:
# $e^x$ still fits, and the sum does not.)

# %% tags=["picture", "given"] alt="Two panels, for x = y from -150 to 150. Above, the values: the line of the usual formula lies under that of the op, and ends at about -104 and 89. Below, the slopes: both are 1; that of the usual formula ends at about -89 and 89, and falls to 0 just before its right end."
# Given: this only draws.
both = tf.Variable(tf.linspace(-150.0, 150.0, 601))

_, panels = plt.subplots(2, 1, figsize=(5.2, 4.4), sharex=True, layout="constrained")
for name, function, look in [("the op", tf.log_add_exp, "k:"), ("the usual formula", naive, "-")]:
    with np.errstate(all="ignore"), tf.GradientTape() as tape:
        out = function(both, both)
    slopes = tape.gradient(out, both)
    for panel, line in zip(panels, [out, slopes], strict=True):
        shown = np.where(np.isfinite(line), line, np.nan)  # an infinite value is no point
        panel.plot(both, shown, look, linewidth=3, label=name)
panels[0].set_ylabel("value")
panels[1].set_ylabel("slope")
panels[1].set_xlabel("x = y")
panels[1].set_ylim(0.0, 2.0)
panels[0].legend(fontsize=10)
plt.show()

# %% [markdown]
# ## Further: right, but not twice
#
# This gradient is right. But it computes with NumPy on the way, so nothing can be recorded of it, and the second derivative
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
# `slope = 2.0 * x` all would be right. (So the second derivative of $\log(e^x + e^0)$, whose rule is made of ops, is
# $\sigma(x) (1 - \sigma(x))$, at 0 a quarter:)

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
# An op is not done before somebody can trust it. In minitape's own tests every op has a list of *samples*,
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
# is no slope to be found, and 0, no share, is the useful answer.

# %%
nothing, one = -np.inf, 0.0
both = [tf.Variable([nothing, nothing, one]), tf.Variable([nothing, one, nothing])]

with np.errstate(invalid="ignore"), tf.GradientTape() as tape:
    out = tf.log_add_exp(*both)
    for_x, for_y = tape.gradient(out, both)

# %%
with viz.predict(
    "What does our rule, `g * sigmoid(x - y)`, say where both are minus infinity?",
    "`nan`: minus infinity less minus infinity has no answer.",
):
    print("result:", out.numpy(), " slopes by x:", for_x.numpy(), " by y:", for_y.numpy())

# %% [markdown]
# The word that was missing: where an input is minus infinity, it has no share, whatever the other one is; and
# $\sigma(-\infty) = 0$. (Where both are *plus* infinity the rule still says `nan`; no probability has that logarithm.)


# %%
from minitape.ops.elementwise.comparison import select


def to_infinity_x(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return g * sigmoid(select(x > -np.inf, x - y, -np.inf))


def to_infinity_y(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return g * sigmoid(select(y > -np.inf, y - x, -np.inf))


mended = careless(to_infinity_x, to_infinity_y)

with np.errstate(invalid="ignore"), tf.GradientTape() as tape:
    out = mended(*both)
    for_x, for_y = tape.gradient(out, both)
print("slopes by x:", for_x.numpy(), " by y:", for_y.numpy())
print("elsewhere as before:", bool(tf.check_gradients(mended, [row, column])))

# %% [markdown]
# To add an op to minitape for good, put its block into a module of `minitape/ops`, and its samples into
# `tests/op_samples`. The docstring at the top of `minitape/ops/__init__.py` is the reference for all that a
# declaration can say.

# %% [markdown]
# ## Further: a gradient for an op that has none, `tf.RegisterGradient`
#
# Some operations could be differentiated, but nobody has written down how. For `tf.image.adjust_contrast` the tape
# raises a `LookupError`: "gradient registry has no entry for: AdjustContrastv2". A silent `None` would be a
# trap. You can help: the op computes $(x - m) f + m$ with the mean $m$ over all pixels of
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
# Rounding has the slope 0 almost everywhere. A weight that is rounded cannot be trained: nothing comes back. The
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
# What does the check say to a lie?

# %%
print(tf.check_gradients(tf.grad_pass_through(tf.round), [1.2], order=1))

# %% [markdown]
# It calls the lie a lie, and it is right. `check_gradients` asks "is this the derivative?" Whether something
# else is more *useful* is for you to judge. (`limited` above passes the check alone, for a `g` of 1 is not cut off; with a
# square behind it, the check complains.)
