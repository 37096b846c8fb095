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

# %% [markdown] slide="The wind of lesson 1 was measured: six stations, read with `np.interp`. The gradient is a number, not `None`.\n\n**Is it right?**" notes="2 minutes. A show of hands: right, wrong, cannot know. Nobody gets the answer yet."
# # 4. Why is my gradient None, and why is it wrong?
#
# The ball of lesson 1 flies again, and this time the wind was *measured*, at six heights. The program reads it from a table
# with `np.interp`, and asks for the gradient. It gets two numbers. **Are they right?** No warning is printed.
#
# And why is a gradient `None`? The causes form five families. You meet a common one of each: a small program with the
# mistake, how to find it, and how to fix it. At the end you find one bad line among a hundred.
#
# You need lesson 1. The exercises are homework, for about 40 minutes. The sections named *Further* have more causes, to be
# looked up. If you type along: a cell that begins with *Given* is only run.
#
# Afterwards you can
#
# - find the line where the path from the target to the source broke,
# - sort a mistake into one of five families, and fix it,
# - tell `None` from zero, and a half-cut path from a whole one,
# - halve a long program to find the line that gives a wrong number,
# - break a path on purpose.

# %% tags=["setup"]
# Given.
import matplotlib.pyplot as plt
import numpy as np

import minitape as tf
from minitape import viz
from minitape.viz.course.motion import INKS, Motion, meeting

viz.figures()

# %% [markdown] slide=""
# ## The wind, measured
#
# Here is the throw, with a table instead of a formula for the wind.

# %% tags=["given"] slide="A throw whose wind is read from a table"
# Given.
HEIGHTS = [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]  # metres
table = tf.Variable([-0.5, -2.4, -3.9, -5.1, -5.6, -5.8], dtype=tf.float64)  # metres a second


def miss(v, steps=100):
    """The squared distance to the ring, in a wind that is read from the table."""
    vx, vy, dt = v[0], v[1], 2.0 / steps
    x, y = 0.0 * vx, 1.5 + 0.0 * vy
    for _ in range(steps):
        air = vx - np.interp(float(y), HEIGHTS, table.numpy())
        drag = 0.02 * tf.sqrt(air**2 + vy**2)
        vx, vy = vx - dt * drag * air, vy - dt * (drag * vy + 9.81)
        x, y = x + dt * vx, y + dt * vy
    return (x - 20.0) ** 2 + (y - 2.0) ** 2


# %% slide="The throw on a tape"
v = tf.Variable([10.0, 10.0], dtype=tf.float64)

with tf.GradientTape(persistent=True) as tape:
    far = miss(v)
print("by the tape:", tape.gradient(far, v).numpy().round(2))

# %% slide="Is the gradient right? | One of the two numbers is off by far" notes="With the formula of lesson 1 it was (-15.8, -2.4)."
with viz.predict(
    "Is this gradient, (-15.68, -5.24), right: both numbers, one of them, or neither?",
    "Neither. The second number is -5.24, and two throws say -2.01; the first is off by one part in a "
    "hundred. How high the ball is changes the wind, and that path is cut. The others are not, so a "
    "number comes back.",
):
    h = np.array([[1e-5, 0.0], [0.0, 1e-5]])
    by_throws = [float(miss(v + each) - miss(v - each)) / 2e-5 for each in h]
    print("by two throws:", np.round(by_throws, 2))

# %% tags=["picture", "given"] minutes=1 slide="A half-cut path gives a number" notes="2 minutes. Ask what the tape could print that would warn them. Nothing: it has never heard of the cut path."
# Given: this only draws.
right, got = by_throws[1], float(tape.gradient(far, v)[1])
position, wind = "position, by itself", "height → np.interp → wind"
boxes = {"velocity up": (210, 30), position: (100, 180), "table": (450, 60)}
boxes |= {wind: (320, 180), "miss": (205, 320)}
back = [f"{got:.2f}".replace("-", "−"), f"{right - got:.2f}", f"{right:.2f}".replace("-", "−")]
turns = [
    [("miss", position, back[0], 0), ("miss", wind, back[1], 0)],
    [(position, "velocity up", back[0], 0), (wind, "velocity up", "", 0), (wind, "table", "", 0)],
    [],
    [],
]
lines = [[], [(back[0], False)], [(back[0], False), ("+", False), (back[1], True)]]
lines.append([(f"right: {back[2]}", False)])
meeting(
    boxes,
    turns,
    ("what the velocity gets", lines),
    f"A graph: the velocity is at the top, the miss at the bottom. Orange numbers walk back. One, {back[0]}, goes from the miss to the position by itself and on to the velocity. The other one, "
    f"{back[1]}, goes to a box in which np.interp makes the wind of the height, and there both paths on are cut by a cross: the one to the velocity and the one to the table. On the right stands what the velocity gets, "
    f"{back[0]}, what is lost, {back[1]}, and what is right, {back[2]}.",
)

# %% [markdown] slide=""
# The numbers say what each path brings to the velocity.
#
# **A half-cut path gives a number.** What arrives along the recorded path is -5.24. What the other one would bring, 3.23, stops
# where `np.interp` has left the tape. Remember
# this program when a gradient looks fine. Away from corners and jumps, two runs and a division are the judge, as in
# lesson 1. This is a **gradient check** by **finite differences**; lesson 6 has a function for it. The tape alone cannot
# tell: it does not know what it has not recorded.
#
# How do you find such a line in a long program? That comes last. We begin with the kinder case, which you see. To the
# *table* every path is cut:

# %% slide=""
print("for the table:", tape.gradient(far, table))

# %% [markdown] slide="## What None means\n\n`None`: *no path was recorded, or a rule on it returned nothing.* It does not mean zero."
# ## What None means
#
# A tape records operations. For a gradient it walks backward through its records, from the target to the source. `None`
# means: **no path between them was recorded, or a rule on it returned nothing.** It does not mean zero. So look for the
# place where the path ends. There are five families of places. Black arrows are recorded, dotted ones are not; the cross marks the place.

# %% tags=["picture", "given"] slide="Where a path breaks: five families" minutes=1 alt="Five rows, each with a source x on the left, an operation in the middle and a target y on the right. 1, not followed: x is a dashed circle, and a red cross stands on its arrow to the operation. 2, the path leaves: from the operation a red dashed arrow goes down to a box np., off the tape, and a dotted one from there to y. 3, not listening: a shaded area, the block of the tape, ends between the operation and y, and there stands the cross; a faint one stands where it begins. Above the two crosses stand the words before and after, and or between them. 4, no derivative: the operation is round, and the cross stands between x and it. 5, no path: a cross, and no arrow, stands beside x; y comes from z. At the right stands what may be in such a place: a constant or an input; an array or a variable's state; lines outside of the block; a staircase or a stop; another variable or a copy."
# Given: this only draws.
rows = [
    "1  not followed",
    "2  the path leaves",
    "3  not listening",
    "4  no derivative",
    "5  no path",
]
heights = [0.0, -1.0, -2.4, -3.4, -4.4]
examples = ["a constant, an input", "an array, a variable's state", "lines outside of the block"]
examples += ["a staircase, a stop", "another variable, a copy"]
on_tape, off_tape, broken = ("0.2", "-"), ("0.5", ":"), ("#c75a0a", "--")


def arrow(start, end, look, room=16):
    """An arrow between two places of the picture, with some room at both ends."""
    line = {"arrowstyle": "-|>", "color": look[0], "linestyle": look[1], "linewidth": 1.6}
    plt.annotate("", end, start, arrowprops=line | {"shrinkA": room, "shrinkB": room})


def box(x, y, text, shape="round", **looks):
    around = {"boxstyle": f"{shape},pad=0.35", "facecolor": "white"} | looks
    plt.text(x, y, text, ha="center", va="center", bbox=around)


plt.figure(figsize=(8.4, 4.9))
plt.fill_between([-0.38, 2.1], -2.75, -2.05, color="0.92")
plt.text(
    0.9,
    -2.82,
    "the block of the tape",
    ha="center",
    va="top",
    color="0.4",
    fontsize=10,
)
for row, (name, y) in enumerate(zip(rows, heights, strict=True)):
    plt.text(-0.62, y, name, ha="right", va="center")
    plt.text(3.3, y, examples[row], va="center", color="0.35")
    box(0.0, y, "x", "circle", linestyle="--" if row == 0 else "-")
    box(1.4, y, {3: "round", 4: "z"}.get(row, "op"), "circle" if row == 4 else "round")
    box(2.8, y, "y")
arrow((0.0, 0.0), (1.4, 0.0), broken)
arrow((1.4, 0.0), (2.8, 0.0), off_tape)
arrow((0.0, -1.0), (1.4, -1.0), on_tape)
arrow((1.4, -1.0), (2.1, -1.6), broken, room=13)
box(2.1, -1.6, "np.", edgecolor="#c75a0a", linestyle="--")
arrow((2.1, -1.6), (2.8, -1.0), off_tape, room=13)
arrow((0.0, -2.4), (1.4, -2.4), on_tape)
arrow((1.4, -2.4), (2.8, -2.4), broken)
arrow((0.0, -3.4), (1.3, -3.4), broken, room=20)
arrow((1.5, -3.4), (2.8, -3.4), off_tape, room=20)
arrow((1.4, -4.4), (2.8, -4.4), on_tape)
for place in [(0.65, 0.0), (1.73, -1.28), (2.1, -2.4), (0.6, -3.4), (0.7, -4.4)]:
    plt.plot(*place, "x", color="#c75a0a", markersize=11, markeredgewidth=2.5)
plt.plot(-0.38, -2.4, "x", color="#c75a0a", markersize=9, markeredgewidth=2, alpha=0.4)
for place, side in [(-0.38, "before"), (0.86, "or"), (2.1, "after")]:
    plt.text(place, -2.02, side, ha="center", va="bottom", color="0.4", fontsize=10)
plt.xlim(-2.4, 6.3)
plt.ylim(-4.8, 0.4)
plt.axis("off")
plt.show()

# %% [markdown]
# `viz.explain(tape, target, source)` finds the place. It looks at what the tape recorded, and at what `viz.recording()` saw
# in addition.

# %% [markdown] slide="## Family 1: the tape does not follow the source\n\nA tape watches trainable variables automatically. It does not watch a constant or an input."
# ## Family 1: the tape does not follow the source
#
# ### Not watched
#
# A tape watches trainable variables automatically. It does not watch a constant or an input.

# %% slide="A constant is not watched | The cross marks the place"
x = tf.constant(3.0)

with viz.recording(), tf.GradientTape() as tape:
    y = x * x

print(tape.gradient(y, x))
viz.explain(tape, y, x)

# %% [markdown]
# **Look at the picture**: again a cross marks the place, with a few words next to it. Solid arrows are
# recorded. Under "What to write instead" is the missing line. Fixed:

# %% tags=["given"] slide=""
# Given.
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x

print(tape.gradient(y, x).numpy())

# %% [markdown] slide=""
# From here on it is your turn: find the line, or the number, before you open the explanation. Where a fixed program is
# given, read it, and look for the line that has changed.

# %% [markdown] slide=""
# ### Two rounds of training
#
# The classic in training loops.


# %% tags=["given"] slide="Two rounds of training"
# Given.
def rounds(w):
    """Two steps downhill."""
    for step in range(2):
        with tf.GradientTape() as tape:
            loss = (w - 5.0) ** 2
        gradient = tape.gradient(loss, w)
        print(f"step {step}: {type(w).__name__}, gradient {gradient}")
        if gradient is not None:
            w = w - 0.1 * gradient


# %% slide="Two rounds of training | Right, then None"
with viz.predict(
    "What are the gradients of the two rounds: right and right, right and wrong, or right and None?",
    "Right, then `None`: after the first round `w` is a tensor.",
):
    rounds(tf.Variable(2.0))

# %% [markdown]
# `w = w - ...` computes a *new tensor* and gives it the name of the variable. The next tape does not follow a tensor.
# `assign_sub` changes the variable itself:

# %% tags=["given"] slide=""
# Given.
w = tf.Variable(2.0)

for step in range(2):
    with tf.GradientTape() as tape:
        loss = (w - 5.0) ** 2
    gradient = tape.gradient(loss, w)
    print(f"step {step}: {type(w).__name__}, gradient {gradient.numpy():.1f}")
    w.assign_sub(0.1 * gradient)

# %% [markdown] slide=""
# ## Family 2: a mean
#
# The mean of each column: three lines that look harmless.

# %% slide="Family 2: which of the three lines breaks the path?"
x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

with viz.recording(), tf.GradientTape() as tape:
    squares = x**2
    means = np.mean(squares, axis=0)
    y = tf.reduce_mean(means)

# %% slide="Family 2: which of the three lines breaks the path? | The mean of NumPy | The value takes a path past the tape"
with viz.predict(
    "Which of the three lines of the block breaks the path from `x` to `y`?",
    "The second: np.mean gives an array, and what is computed from an array is new to the tape.",
) as asked:
    print(tape.gradient(y, x))
    asked.show(viz.explain(tape, y, x))

# %% [markdown] slide=""
# **The path leaves the tensors.** A NumPy function gives an array, nearly always. An array has no history: when it enters the computation again, it is a
# constant. In the picture the value takes a path past the tape. So does a value that is assigned to a *variable*: a
# variable keeps a number, not its history. *Further: more ways off the tape* has such a running sum. The fix is easy here,
# as the function has nearly the same name in TensorFlow:

# %% tags=["given"] slide="The fix: a mean that the tape sees"
# Given.
with tf.GradientTape() as tape:
    squares = x**2
    means = tf.reduce_mean(squares, axis=0)  # new
    y = tf.reduce_mean(means)

print(tape.gradient(y, x).numpy())

# %% [markdown] slide=""
# ## Family 3: two lines and a None
#
# A prediction, and its loss.

# %% slide="Family 3: which line breaks the path?"
w = tf.Variable(2.0)

with viz.recording():
    with tf.GradientTape() as tape:
        prediction = 10.0 * w
    loss = (prediction - 1.0) ** 2

# %% slide="Family 3: which line breaks the path? | One level of indentation is missing | Computed after the block"
with viz.predict(
    "Which line breaks the path from `w` to the loss?",
    "The last one: one level of indentation is missing, so the tape does not hear it.",
) as asked:
    print(tape.gradient(loss, w))
    asked.show(viz.explain(tape, loss, w))

# %% [markdown] slide=""
# **The tape is not listening.** What is computed before the block, or after it, is not recorded. It is often a normalisation
# at the beginning, or the loss at the end. Indent the last line once more: then it is inside the block, and the gradient is
# there.

# %% [markdown] slide=""
# ## Family 4: round, then square
#
# What does rounding do to a slope?

# %% slide="Family 4: round, then square: 6, 0 or None?"
x = tf.Variable(2.6)

with viz.recording(), tf.GradientTape() as tape:
    level = tf.round(x)
    y = level**2

# %% slide="Family 4: round, then square: 6, 0 or None? | None: the path ends at a staircase | A staircase has no useful slope"
with viz.predict(
    "`y` is 9. What is its gradient with respect to `x`: 6, 0 or None?",
    "`None`: rounding is a staircase, flat and then a jump. It has no derivative that is of use, so the path "
    "ends there. The square has a rule; the rounding has none.",
) as asked:
    print(tape.gradient(y, x))
    asked.show(viz.explain(tape, y, x))

# %% [markdown]
# `round`, `floor` and `ceil` are staircases: flat, then a jump. So are a comparison and `argmax`. Between the jumps
# the derivative *is* 0, but it prefers no direction. TensorFlow returns `None`. That is a convention: for `round`, PyTorch and
# JAX return 0.
#
# `tf.stop_gradient` ends a path *on purpose*: it passes the number on, and blocks the gradient. The result is **detached**. In
# `a * tf.stop_gradient(b)` the second factor counts as a constant.
#
# Here no line was forgotten, so decide what you mean. `tf.grad_pass_through` treats the staircase as a ramp: forward it rounds,
# backward it acts as if nothing had happened. This is called a **straight-through estimator**.

# %% tags=["given"] slide=""
# Given.
with tf.GradientTape() as tape:
    level = tf.grad_pass_through(tf.round)(x)
    y = level**2

print(y.numpy(), tape.gradient(y, x).numpy())

# %% [markdown] slide="## Family 5: there is no path\n\nThe tape is right, and the program does not do what you think.\n\n- `weight` and `weights`: two names, one letter apart\n- `tf.Variable(x)`: a *copy*, which has only the number of `x`\n- a model that was built again: other variables"
# ## Family 5: there is no path
#
# Sometimes the tape is right, and the program does not do what you think. `weight` and `weights` are two variables, one letter
# apart. In a long program the cause is usually a *copy*: you ask for the gradient with respect to `tf.Variable(x)`, which has
# only the number of `x`, or to the variables of a model that was built again. *Further: two names* shows one.

# %% [markdown] slide=""
# ## A negative number through relu
#
# The function **relu**, max(x, 0), gives 0 for a negative number.

# %% slide="Relu of a negative number: 4, 0 or None?"
x, w = tf.Variable(-1.0), tf.Variable(4.0)

with tf.GradientTape() as tape:
    hidden = tf.nn.relu(x)
    y = w * hidden

# %% slide="Relu of a negative number: 4, 0 or None? | Zero, for the path is there"
with viz.predict(
    "What is the gradient of `y` with respect to `x`: 4, 0 or None?",
    "0, and not `None`: the path is there, and relu is flat for negative numbers.",
):
    print(tape.gradient(y, x).numpy())

# %% [markdown] slide=""
# Zero is an answer: there *is* a path on the tape, and what came back along it is 0. Typical reasons are a relu whose input
# is not positive, a function so far out that it is flat, and a factor that is zero. `viz.explain` says
# where. But if another path is cut, a zero can be wrong, too: of `tf.nn.relu(x) + 3.0 * float(x)` at $x = -1$ a tape says 0, and
# two runs say 3.

# %% [markdown] slide="## A number is wrong: halve the program\n\nCompare the tape and two runs for **every** value that goes on from the middle.\n\n- One disagrees: a cause lies before the middle.\n- All agree: it lies after it." notes="2 minutes. Do it on the board first, with eight lines and one np. in the sixth: three comparisons. Ask why every value counts: a line may spoil a value that the one you look at has not used yet."
# ## A number is wrong: halve the program
#
# Now back to the wrong number. Two runs disagree with the tape, in a program of a hundred lines. Usually a path is cut: look
# for `np.`, `.numpy()`, `float(`, `stop_gradient`, `assign`, copies, and lines outside of the block. If you see none, halve
# the program. Compare the tape and two runs for **every** value that goes on from the middle. In our throw these are `vx`,
# `vy`, `x` and `y` after 50 of the 100 steps; every step has a cut, so you find the first that matters. If one disagrees, a cause lies before the middle, otherwise after it. Halve again.
# This is **bisection**, as in `git bisect`.


# %% tags=["setup", "given"]
# Given: this only draws.
def halved(lines, bad):
    """The lines that may be bad, before each comparison and after the last one."""
    made, suspects, row = Motion(640, 330, HALVED), (0, lines), 0

    def strip(first, end, row, ink):
        x, wide = 10 + 3.7 * first, max(3.7 * (end - first), 3)
        made.add(
            f'<rect class="comes" x="{x:.1f}" y="{14 + 38 * row}" width="{wide:.1f}" height="20" '
            f'fill="{ink}">{made.appearing(row, 10, 1.2)}</rect>'
        )

    while True:
        strip(0, lines, row, "#d5d5d5")
        strip(*suspects, row, INKS["gradient"])
        first, end = suspects
        middle, left = (first + end) // 2, end - first
        words = f"{left} lines" if left > 1 else f"line {end}"
        if left > 1:
            strip(middle, middle, row, "currentColor")  # where the program is stopped
            words += f": after {middle} " + ("one disagrees" if middle >= bad else "all agree")
        made.add(
            f'<text class="comes" x="394" y="{29 + 38 * row}" style="font-size:13px">{words}'
            f"{made.appearing(row, 10, 1.2)}</text>"
        )
        if left == 1:
            return made
        suspects, row = ((first, middle) if middle >= bad else (middle, end)), row + 1


HALVED = (
    "Eight strips below each other, each of a hundred lines. Orange are the lines that may be bad: all hundred, then 50, 25, 13, 7, "
    "4, 2, and at last line 47 alone. A mark shows where the program was stopped, and words say whether all values agreed there."
)

# %% slide="One bad line of a hundred: how many comparisons? | Seven: each halves what is left | Seven halvings, and one line is left"
with viz.predict(
    "One of a hundred lines is bad. How many comparisons find it: 7, 10 or 50?",
    "7: each one halves what is left, 100, 50, 25, 13, 7, 4, 2, 1. A thousand lines would take 10.",
) as asked:
    asked.show(halved(lines=100, bad=47))

# %% [markdown] slide=""
# Where you cut a path on purpose, the two disagree, as they should. And fix *every* path that is cut. With two cuts, fixing one
# turns a `None` into a number that is wrong, which is worse: see *Further: when there are two mistakes*.

# %% [markdown] slide="## The checklist\n\n| family | look for | write instead |\n|:--|:--|:--|\n| not followed | a constant, `w = w - ...`, integers | `watch`, `assign_sub`, `10.0` |\n| the path leaves | `np.`, `float(...)`, `assign` | `tf.`, a new name |\n| not listening | indentation, `reset` | move the line |\n| no derivative | `stop_gradient`, `round`, `argmax` | leave it out, `grad_pass_through`, softmax |\n| no path | names that are alike | the other name |\n| *two runs disagree* | any of these; a wrong rule | fix *every* path |"
# ## The checklist
#
# | family | look for | write instead |
# |:--|:--|:--|
# | the source is not followed | a constant, an input | `tape.watch(x)`, before it is used |
# | | `w = w - ...` | `w.assign_sub(...)` |
# | | `trainable=False`, `watch_accessed_variables=False` | `tape.watch(w)` |
# | | `tf.constant(10)`, text | `tf.constant(10.0)`, `tf.strings.to_number` |
# | the path leaves | `np.`, `.numpy()`, `float(...)` | the function of `tf` |
# | | `assign` on the way | a tensor with a new name |
# | the tape does not listen | indentation, `stop_recording`, `reset` | move the line |
# | | a second call of `gradient`: an error, not `None` | `persistent=True` |
# | no derivative | `stop_gradient` | leave it out |
# | | `round`, `floor`, `ceil` | `tf.grad_pass_through` |
# | | `>`, `argmax` | `tf.sigmoid`, `tf.nn.softmax` |
# | | `tf.cast(x, tf.int32)` | no cast |
# | | a `tf.custom_gradient` that returns `None` | the derivative |
# | there is no path | similar names | the other name |
# | *a number, but two runs disagree* | any of these, on one of several paths | as above, on *every* path |
# | | a `tf.custom_gradient` with a wrong rule (lesson 6) | the derivative |
#
# With `tf.sigmoid`, `tf.nn.softmax`, or without the cast, `y` is another *number*, too. You decide what you mean.

# %% [markdown] slide="## The same elsewhere\n\n| family | PyTorch | JAX |\n|:--|:--|:--|\n| not followed | \"does not require grad\" | silently a constant |\n| the path leaves | `.numpy()` raises; `.item()` does not | `np.sin(x)` raises |\n| not listening | `torch.no_grad()` | there is no block |\n| `round` | slope 0 | slope 0 |\n| no path | raises | 0, never None |" notes="2 minutes. Ask which behaviour they would choose for round: None, or 0."
# ## The same elsewhere
#
# | here, and in TensorFlow | PyTorch | JAX |
# |:--|:--|:--|
# | not followed: `None` | `backward` raises "does not require grad" | what is not an argument of `f` is silently a constant |
# | left for NumPy: `None`, or a wrong number | `np.sin(x)` and `x.numpy()` raise; `x.item()` and `x.detach()` cut silently | `np.sin(x)` and `float(x)` raise |
# | not listening: outside of the block | under `torch.no_grad()` | there is no block |
# | `round`: `None` | 0 | 0 |
# | `>`, `argmax`: `None` | raises "does not require grad" | 0 |
# | no path: `None` | `torch.autograd.grad` raises; with `allow_unused=True` `None` | 0, never `None` |
# | `tf.stop_gradient(x)` | `x.detach()` | `jax.lax.stop_gradient(x)` |

# %% [markdown] slide="## Exercises\n\n1. Diagnosis\n2. A training with three mistakes\n3. Half frozen\n4. One bad line of a hundred"
# ## Exercises
#
# Replace each `...` with your code, run the cell, and run the check below it. A check says "Right:" and why, or what is
# probably wrong. The check of exercise 3 asks `viz.explain` for its hints.

# %% [markdown]
# **Exercise 1.** Five programs. In each of them the gradient of `y` with respect to `x` is `None`. Find
# the cause *without running them*, and fill in one of the words `"not_watched"`, `"dtype"`, `"numpy"`,
# `"state"`, `"outside"`, `"stop_gradient"`, `"not_differentiable"`, `"no_path"`. (Family 1: the first two;
# family 2: `numpy` and `state`; family 3: `outside`, that is before or after the block; family 4: the next two;
# family 5: the last.)

# %% tags=["needed"]
PROGRAMS = {
    "A": """
x = tf.Variable(2.0)
with tf.GradientTape() as tape:
    y = tf.floor(x) * 3.0
""",
    "B": """
x = tf.Variable(2.0)
z = x * 2.0
with tf.GradientTape() as tape:
    y = z * z
""",
    "C": """
x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    total = np.sum(x * x)
    y = tf.sqrt(total)
""",
    "D": """
x, best = tf.Variable(2.0), tf.Variable(0.0)
with tf.GradientTape() as tape:
    best.assign(x * x)
    y = best + 1.0
""",
    "E": """
x = tf.constant(2.0)
with tf.GradientTape() as tape:
    y = x * x
""",
}

# %% nbgrader={"grade": false, "grade_id": "by-hand-diagnosis", "locked": false, "schema_version": 3, "solution": true, "task": false}
causes = {"A": None, "B": None, "C": None, "D": None, "E": None}
### BEGIN SOLUTION
causes = {
    "A": "not_differentiable",
    "B": "outside",
    "C": "numpy",
    "D": "state",
    "E": "not_watched",
}
### END SOLUTION

# %% nbgrader={"grade": true, "grade_id": "by-hand-diagnosis-check", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false}
with viz.Score(5) as score:
    import linecache

    WORDS = {"not_watched", "dtype", "numpy", "state", "outside", "stop_gradient"}
    WORDS |= {"not_differentiable", "no_path"}

    QUESTIONS = {
        "not_differentiable": "What does its operation do between two jumps?",
        "outside": "Which lines does the tape hear?",
        "numpy": "Which value of the block is not a tensor of the tape?",
        "state": "Does a variable keep a number, or its history?",
        "not_watched": "Which sources does a tape follow on its own?",
    }

    def cause_of(name, program):
        """What viz.explain finds in a program."""
        file, names = f"program {name}", {"tf": tf, "np": np}
        linecache.cache[file] = len(program), None, program.splitlines(True), file
        with viz.recording():
            exec(compile(program, file, "exec"), names)
        return viz.explain(names["tape"], names["y"], names["x"]).cause

    assert isinstance(causes, dict) and set(causes) == set(PROGRAMS), (
        "Five causes, for the programs A, B, C, D and E: causes = {'A': ..., 'B': ...}."
    )
    assert any(causes.values()), "No program has a cause yet."
    for name, program in PROGRAMS.items():
        cause = cause_of(name, program.strip())
        said = f"Program {name} is another case. {QUESTIONS[cause]}"
        if str(causes[name]) not in {"None"} | WORDS:
            said = f"Program {name}: {causes[name]!r} is none of the eight words."
        score.part(1, causes[name] == cause, said)
    score.total("a staircase, an early line, NumPy, a variable's state, and a constant.")
score.earned

# %% [markdown]
# **Exercise 2.** This training should bring `w` to `goal`, a whole number such as 3. It has three mistakes. Write
# `trained(goal)` without them; it returns the variable, one and the same from the first step to the last.
#
# ```python
# def trained(goal):
#     w = tf.Variable(0)
#     for _ in range(50):
#         with tf.GradientTape() as tape:
#             loss = np.square(w - goal)
#         gradient = tape.gradient(loss, w)
#         w = w - 0.1 * gradient
#     return w
# ```


# %% nbgrader={"grade": false, "grade_id": "training", "locked": false, "schema_version": 3, "solution": true, "task": false}
def trained(goal):
    """A variable that gradient descent brought to the goal."""
    ### BEGIN SOLUTION
    w = tf.Variable(0.0)
    for _ in range(50):
        with tf.GradientTape() as tape:
            loss = tf.square(w - goal)
        gradient = tape.gradient(loss, w)
        w.assign_sub(0.1 * gradient)
    return w
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "training-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
with viz.Score(3) as score:
    goal = int(np.random.default_rng().integers(2, 10))
    REASONS = {
        "np.": "the loss is a number of NumPy, which no tape knows.",
        "int32": "w holds whole numbers: is there one a little above 0?",
        "NoneType": "the gradient is None in the first step. Is w a float? Is the loss computed from w itself, in the block?",
    }
    LATER = "the gradient was there at first, and then it is None: w = w - ... makes a tensor of the variable."
    try:
        with viz.recording() as journal:
            w = trained(goal)
    except (TypeError, ValueError) as error:
        problem = str(error).split(". ")[0]
        reason = next((said for part, said in REASONS.items() if part in problem), problem)
        if "NoneType" in problem and len(journal.sweeps) > 1:
            reason = LATER
        raise AssertionError(f"It stops with an error: {reason}") from None
    except RuntimeError as error:
        raise AssertionError(f"It stops with an error: {error}") from None
    assert w is not None, "trained should return the variable."
    assert isinstance(w, tf.Variable), (
        "trained should return the variable itself: is w still one after the first step?"
    )
    assert w.dtype.is_floating, "w holds whole numbers: is there one a little above 0?"
    asked = len(journal.sweeps)
    assert asked > 0, "No tape was used: let gradient descent find the goal."
    assert asked >= 10, (
        f"A tape was asked for a gradient {asked} time(s) only: ask in each of 50 steps."
    )

    def loss_at(step):
        """The loss that the tape of a step was asked about."""
        made = journal.by_output.get(journal.sweeps[step].targets[0])
        return float(tf.reduce_sum(made.outputs[0])) if made else 0.0

    said = f"w is {float(w):.3f}, and the goal is {goal}: are there 50 steps of 0.1, against the gradient?"
    if len({sweep.targets for sweep in journal.sweeps}) == 1:
        said = "Every step asks for the same loss, that of the first w: a new tape, and the loss again, in every step."
    score.part(
        1, abs(float(w)) > 0.0, "w is where it began: is there a step of 0.1 times the gradient?"
    )
    score.part(1, abs(float(w) - goal) < 0.7 * goal, said)
    arrived = abs(float(w) - goal) < 0.01 * goal
    if arrived:
        said = "Each step makes a new variable, and an optimizer would lose the old one."
    one = len({sweep.sources for sweep in journal.sweeps}) == 1  # the same variable in every step
    stepped = (
        abs(loss_at(1) - 0.64 * loss_at(0)) < 1e-3 * goal**2
    )  # 0.8 of the way is left, squared
    if arrived and one:
        said = "The first step should go a fifth of the way from 0 to the goal, by 0.1 times the gradient. Is w set to the goal?"
    score.part(1, arrived and one and stepped, said)
    score.total("a float, no NumPy on the path, and a variable that stays one.")
score.earned

# %% [markdown]
# **Exercise 3.** The other way round. Two weights, one prediction: `y = decoder * encoder * 3.0`. Write `half_frozen` so
# that the number stays the same and only `decoder` gets a gradient. Nothing else may change: both are trainable variables,
# and the tape is somebody else's.


# %% nbgrader={"grade": false, "grade_id": "half-frozen", "locked": false, "schema_version": 3, "solution": true, "task": false}
def half_frozen(decoder, encoder):
    """decoder * encoder * 3, as a constant of the encoder."""
    ### BEGIN SOLUTION
    return decoder * tf.stop_gradient(encoder * 3.0)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "half-frozen-check", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
with viz.Score(2) as score:
    two, five = (float(each) for each in np.random.default_rng().integers([2, 5], [5, 9]))
    decoder, encoder = tf.Variable(two), tf.Variable(five)
    with viz.recording(), tf.GradientTape() as tape:
        y = half_frozen(decoder, encoder)
    assert y is not None and float(y) == two * five * 3, (
        "The number should stay decoder * encoder * 3."
    )
    assert isinstance(y, tf.Tensor), (
        "A plain number has no gradient at all: compute with the decoder."
    )
    for_encoder, for_decoder = viz.explain(tape, y, encoder), viz.explain(tape, y, decoder)
    assert for_encoder.gradient is None, f"The encoder is not frozen. {for_encoder.text}"
    assert for_decoder.gradient is not None, f"The decoder is frozen too. {for_decoder.text}"
    score.part(
        1, float(for_decoder.gradient) == five * 3, "The decoder's gradient should be encoder * 3."
    )
    said = (
        f"It is frozen, but by an accident: {for_encoder.cause}. There is a function that says so."
    )
    if for_encoder.cause in ("numpy", "no_path"):
        said = "It is frozen, but by a copy of its number. There is a function that says so."
    right = "stop_gradient passes the number on and lets nothing come back."
    if for_encoder.cause == "custom_gradient_none":
        right = (
            "That works, too; one function, tf.stop_gradient, does it without a rule of your own."
        )
    score.part(1, for_encoder.cause in ("stop_gradient", "custom_gradient_none"), said)
    score.total(right)
score.earned

# %% [markdown]
# **Exercise 4.** One bad line of a hundred. Lines 1 to 100 of a program compute two numbers, `a` and `b`, from `x`. One of the lines cuts
# a path, and every gradient is still a number. You cannot see the lines, but you can run them: `run(x, n)` runs the first `n` and returns `[a, b]`, two
# tensors. `x` is a tensor of 64 bits.
#
# Write two functions. `agree(f, x)` says whether the tape and two runs agree on the slope of `f` at `x`; `f` returns one number.
# And `bad_line(run, lines, x)` returns the number of the line that cuts the path. It may stop the program at seven places.
# `lambda x: run(x, n)[0]` is the first value, as a function of `x`. Try both on the program below, whose bad line you can see.


# %% tags=["needed"]
def run_example(x, n):
    """The first n lines of a program of eight lines, the sixth of which is bad."""
    a, b = x, x * x
    for line in range(1, n + 1):
        if line == 6:
            b = b + 0.3 * np.sin(a)
        elif line % 2:
            a = a + 0.1 * tf.sin(b)
        else:
            b = b + 0.1 * tf.sin(a)
    return [a, b]


# %% nbgrader={"grade": false, "grade_id": "bad-line", "locked": false, "schema_version": 3, "solution": true, "task": false}
def agree(f, x):
    """Whether the tape and two runs agree on the slope of f at x."""
    ### BEGIN SOLUTION
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    by_runs = (f(x + 1e-5) - f(x - 1e-5)) / 2e-5
    return abs(float(tape.gradient(y, x)) - float(by_runs)) < 1e-4
    ### END SOLUTION


def bad_line(run, lines, x):
    """The number of the line that cuts a path; the first line is number 1."""
    ### BEGIN SOLUTION
    good, bad = 0, lines  # after `good` lines all is well, after `bad` lines it is not
    while bad - good > 1:
        middle = (good + bad) // 2
        values = [lambda x, part=part, n=middle: run(x, n)[part] for part in (0, 1)]
        if all(agree(value, x) for value in values):
            good = middle
        else:
            bad = middle
    return bad
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "bad-line-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    draw = np.random.default_rng()

    def said_of(f, at):
        """What `agree` says of f at a number; a sentence for what it cannot say."""
        try:
            found = agree(f, tf.constant(at, tf.float64))
        except tf.errors.InvalidArgumentError as error:
            raise AssertionError(f"{error} A plain number, 1e-5, goes with every x.") from None
        except (TypeError, ValueError, AttributeError) as error:
            said = "Is the tape's slope None? x is a plain tensor: the tape has to watch it, before f(x) is computed."
            raise AssertionError(said if "None" in str(error) else f"{error}.") from None
        assert found is not None, "agree should return True or False."
        assert np.ndim(found) == 0 and bool(found) == found, (
            "agree should return True or False: compare the two slopes with a tolerance."
        )
        return bool(found)

    places = draw.uniform(0.6, 1.4, 4)
    whole = [said_of(lambda x: 3.0 * x * tf.sin(x), at) for at in places]
    cut = [said_of(lambda x: 3.0 * x * np.sin(x), at) for at in places]
    slight = [said_of(lambda x: 3.0 * x + 0.01 * np.sin(x), at) for at in places]
    knows = all(whole) and not any(cut + slight)
    said = "agree says True although np.sin cuts a path: compare the tape's slope with that of two runs of f."
    if not any(whole + cut):
        said = "agree says False even where no path is cut. Two runs are never exact: is there a tolerance, such as 1e-4? And what is the difference divided by: the distance of the two points, in brackets?"
    elif all(cut) and not any(whole):
        said = "agree says the opposite: True where the two are nearly the same."
    elif not all(whole):
        said = "agree says False in places where no path is cut. With 64 bits h = 1e-5 is good, with points on both sides."
    elif not any(cut):
        said = (
            "A slope that is off by 0.01 is wrong, too: make the tolerance smaller, such as 1e-4."
        )
    score.part(1, knows, said)

    def program(bad, kind, asked):
        """A program whose line `bad` cuts a path; notes in `asked` after which lines it stopped."""
        cuts = [np.sin, lambda x: tf.sin(tf.stop_gradient(x)), lambda x: tf.sin(x.numpy())]
        sizes = np.random.default_rng(bad).uniform(0.01, 0.02, 101)

        def run(x, n):
            assert np.ndim(n) == 0 and 0 <= n <= 100 and n == int(n), (
                f"run(x, n) wants a whole number of lines, from 0 to 100, and not {n}."
            )
            asked.append(int(n))
            assert len(asked) < 4000, (
                "bad_line does not end: what is left has to shrink in every round."
            )
            a, b = x, 0.5 * x
            for line in range(1, int(n) + 1):
                wave = cuts[kind] if line == bad else tf.sin
                if line % 2:
                    a = a + sizes[line] * wave(b)
                else:
                    b = b + sizes[line] * wave(a)
            return [a, b]

        return run

    odd, even = 2 * draw.integers(5, 45, 2) + [1, 0]
    most = 0
    for bad in (int(odd), int(even)):
        asked, at = [], tf.constant(draw.uniform(0.4, 0.8), tf.float64)
        found = bad_line(program(bad, int(draw.integers(3)), asked), 100, at)
        assert found is not None, "bad_line should return the number of a line."
        places, off = len(set(asked) - {0, 100}), found - bad
        said = f"The bad line was {bad}, and bad_line says {found}. After which line does a value disagree for the first time?"
        if not asked:
            said = "bad_line has not run the program: stop it after some lines, and ask agree about each value there."
        elif off == -1:
            said = f"One too early: after line {found} all is well. Which of your two bounds do you return?"
        elif 1 <= off <= 4:
            said = "Too late. Do you compare both values, a and b? A bad line spoils one of them first. And which of your two bounds do you return?"
        if not knows:
            said = ""
        score.part(1, found == bad, said)
        most = max(most, places) if found == bad else 100
    said = f"The program was stopped at {most} places, where 7 are enough: each comparison should halve the lines that are left."
    score.part(1, most <= 7, said if most < 100 and knows or most > 100 else "")
    score.total(
        "after the bad line a value disagrees, before it none does, and seven halvings of a hundred leave one line."
    )
score.earned

# %% [markdown]
# **To think about.** Could a tape *warn* of a half-cut path? What would it have to watch besides tensors?
#
# <details><summary>An answer</summary>
# It would have to watch every conversion to NumPy or Python, and every array that comes back. That is what `viz.recording()`
# does. It cannot know whether that matters.
# </details>

# %% [markdown]
# ## What to remember
#
# - `None` is not zero. It says that no path was recorded, or that a rule on it returned nothing.
# - A number is no proof, and 0 is none either: a half-cut path gives one. Two runs and a division are the judge.
# - Ask where the path broke: at the source, into NumPy or a variable, while the tape was not recording, at an operation
#   without a derivative, or nowhere, as there is none.
# - In a long program, halve: a hundred lines take seven comparisons, if you compare every value that goes on.
# - Where it is `None`, put `viz.recording()` around the program, and `viz.explain(tape, y, x)` gives you the line. It
#   may not find a half-cut path: two runs show that there is one.
#
# **Read on.** TensorFlow's guides *Introduction to gradients and automatic differentiation* (its section "Cases where
# gradient returns None") and *Advanced automatic differentiation*.

# %% [markdown]
# ## Further: when there are two mistakes
#
# Here are two paths from `x` to `y`, each cut once. `viz.explain` names both cuts:

# %%
x = tf.Variable(4.0)

with viz.recording(), tf.GradientTape() as tape:
    left = tf.stop_gradient(x) * 2.0
    right = tf.square(tf.stop_gradient(x)) * 3.0
    y = left + right

print(tape.gradient(y, x))
viz.explain(tape, y, x)

# %%
with viz.predict(
    "Somebody fixes only the first line, and writes x * 2.0. Is the gradient None, 2 or 26?",
    "2, a number, and it is wrong: the other path is still cut, and two runs say 26. A None has become "
    "a half-cut path, which is worse. So fix all that are named: then it is 26. And check that two runs agree.",
):
    for cut in (tf.stop_gradient, tf.identity):
        with tf.GradientTape() as tape:
            y = x * 2.0 + tf.square(cut(x)) * 3.0
        print("by the tape:", tape.gradient(y, x).numpy())
    more, less = (2.0 * at + 3.0 * at**2 for at in (4.01, 3.99))
    print(f"by two runs: {(more - less) / 0.02:.1f}")

# %% [markdown]
# ## Further: two names
#
# Read closely.

# %% tags=["given"]
# Given.
weight, weights = tf.Variable(2.0), tf.Variable(3.0)

with viz.recording(), tf.GradientTape() as tape:
    y = weights * weights

# %%
with viz.predict(
    "The gradient of `y` with respect to `weight` is None. Why?",
    "`y` is the square of `weights`, with an s. No path leads to the other variable.",
) as asked:
    print(tape.gradient(y, weight))
    asked.show(viz.explain(tape, y, weight))

# %% [markdown]
# ## Further: when all is well
#
# What `viz.explain` says of a gradient that is there: the number, and what each path from `x` to `y` brings, the chain rule
# in one sentence. Two paths go through the square, since it uses `x` twice.

# %%
x = tf.Variable(2.0)

with viz.recording(), tf.GradientTape() as tape:
    square = x * x
    y = square + 3.0 * x

viz.explain(tape, y, x)

# %% [markdown]
# ## Further: more sources that are not followed
#
# ### Watched too late
#
# A tape records nothing in hindsight. Nobody followed `x` when it was squared, so nothing was recorded: `watch` comes
# before the first use.

# %%
x = tf.constant(3.0)

with viz.recording(), tf.GradientTape() as tape:
    y = x * x
    tape.watch(x)

print(tape.gradient(y, x))
viz.explain(tape, y, x)

# %%
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x

print(tape.gradient(y, x).numpy())

# %% [markdown]
# ### A variable that is not trainable
#
# Some variables are made with `trainable=False`: counters, running means. A tape leaves them alone
# unless you watch them.

# %%
offset = tf.Variable(1.0, trainable=False)

with viz.recording(), tf.GradientTape() as tape:
    y = (offset + 2.0) ** 2

print(tape.gradient(y, offset))
viz.explain(tape, y, offset)

# %%
with tf.GradientTape() as tape:
    tape.watch(offset)
    y = (offset + 2.0) ** 2

print(tape.gradient(y, offset).numpy())

# %% [markdown]
# ### A tape that watches nothing by itself
#
# With `watch_accessed_variables=False` you choose everything yourself. Then it is easy to forget one.

# %%
w, b = tf.Variable(2.0), tf.Variable(1.0)

with viz.recording(), tf.GradientTape(watch_accessed_variables=False) as tape:
    tape.watch(w)
    y = (3.0 * w + b) ** 2

print(*tape.gradient(y, [w, b]))
viz.explain(tape, y, b)

# %%
with tf.GradientTape(watch_accessed_variables=False) as tape:
    tape.watch([w, b])
    y = (3.0 * w + b) ** 2

print(*[gradient.numpy() for gradient in tape.gradient(y, [w, b])])

# %% [markdown]
# ### Whole numbers
#
# `tf.constant(10)` is an integer. There is no integer a little above 10, so there is no derivative, whatever you watch.
# Watching it gives a warning.

# %%
count = tf.constant(10)

with viz.recording(), tf.GradientTape() as tape:
    tape.watch(count)
    y = count * count

print(tape.gradient(y, count))
viz.explain(tape, y, count)

# %%
count = tf.constant(10.0)

with tf.GradientTape() as tape:
    tape.watch(count)
    y = count * count

print(tape.gradient(y, count).numpy())

# %% [markdown]
# ### Text
#
# A string has no derivative, like a whole number.

# %%
text = tf.constant("2.5")

with viz.recording(), tf.GradientTape() as tape:
    tape.watch(text)
    y = tf.strings.to_number(text) ** 2

print(tape.gradient(y, text))
viz.explain(tape, y, text)

# %% [markdown]
# Numbers that were read from a file often come as text. Convert first, and differentiate with respect to
# the number:

# %%
number = tf.strings.to_number(text)

with tf.GradientTape() as tape:
    tape.watch(number)
    y = number**2

print(tape.gradient(y, number).numpy())

# %% [markdown]
# ## Further: more ways off the tape
#
# ### Python numbers
#
# `float(...)`, `int(...)` and `.numpy()` leave the world of tensors, too. They are fine for printing. They are not fine
# when you go on computing with the result.

# %%
scale = tf.Variable(3.0)

with viz.recording(), tf.GradientTape() as tape:
    factor = float(scale)
    y = factor * 2.0 * tf.constant(1.0)

print(tape.gradient(y, scale))
viz.explain(tape, y, scale)

# %%
with tf.GradientTape() as tape:
    y = scale * 2.0 * tf.constant(1.0)

print(tape.gradient(y, scale).numpy())

# %% [markdown]
# ### A running sum
#
# Here a variable adds up numbers.

# %%
x, memory = tf.Variable(3.0), tf.Variable(0.0)

with viz.recording(), tf.GradientTape() as tape:
    memory.assign_add(x)
    y = memory**2

# %%
with viz.predict(
    "`y` is 9, and x is 3. What is the gradient of `y` with respect to `x`: 6, 0 or None?",
    "`None`: for the tape, `y` is the square of what `memory` holds, wherever that came from.",
) as asked:
    print(tape.gradient(y, x))
    asked.show(viz.explain(tape, y, x))

# %% [markdown]
# What is assigned to a variable loses its past. Keep the sum in a
# tensor with a name of its own, and assign after the tape if you need to:

# %% tags=["given"] slide=""
# Given.
x, memory = tf.Variable(3.0), tf.Variable(0.0)

with tf.GradientTape() as tape:
    total = memory + x
    y = total**2
memory.assign(total)

print(tape.gradient(y, x).numpy())

# %% [markdown]
# ### What the tape itself has
#
# With NumPy on the way, as in the lesson, the tape has the square, and nothing that leads from there to `y`. Step
# through it: the last step says what you know already.

# %%
x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

with viz.recording(), tf.GradientTape() as tape:
    y = tf.reduce_mean(np.mean(x**2, axis=0))

viz.step(tape, y, x, title="What the tape saw")

# %% [markdown]
# ## Further: more moments at which a tape does not listen
#
# ### Before the block
#
# Here something at the beginning was left outside:

# %%
w = tf.Variable(2.0)

with viz.recording():
    scaled = 10.0 * w
    with tf.GradientTape() as tape:
        y = scaled * scaled

print(tape.gradient(y, w))
viz.explain(tape, y, w)

# %%
with tf.GradientTape() as tape:
    scaled = 10.0 * w
    y = scaled * scaled

print(tape.gradient(y, w).numpy())

# %% [markdown]
# ### Recording stopped, or reset
#
# Inside `tape.stop_recording()` a tape does not record, and `tape.reset()` throws away its records. The first is meant for
# saving memory, the second for starting again. By accident they look like this:

# %%
x = tf.Variable(4.0)

with viz.recording(), tf.GradientTape() as tape:
    with tape.stop_recording():
        root = tf.sqrt(x)  # was meant for the log only
        print("root:", root.numpy())
    y = 3.0 * root

print(tape.gradient(y, x))
viz.explain(tape, y, x)

# %%
with tf.GradientTape() as tape:
    root = tf.sqrt(x)
    with tape.stop_recording():
        print("root:", root.numpy())
    y = 3.0 * root

print(tape.gradient(y, x).numpy())

# %% [markdown]
# Print where the tape is stopped, but compute outside of it. And here is a `reset` that stands one line
# too low:

# %%
x = tf.Variable(4.0)

with viz.recording(), tf.GradientTape() as tape:
    root = tf.sqrt(x)
    tape.reset()
    y = 3.0 * root

print(tape.gradient(y, x))
viz.explain(tape, y, x)

# %%
with tf.GradientTape() as tape:
    tape.reset()
    root = tf.sqrt(x)
    y = 3.0 * root

print(tape.gradient(y, x).numpy())

# %% [markdown]
# ### The tape has been used
#
# After the first gradient, a tape that is not persistent has released its records. A second call is not `None` but an
# error, which is kinder: you see it at once.

# %%
x = tf.Variable(3.0)

with viz.recording(), tf.GradientTape() as tape:
    square = x * x
    fourth = square * square

print(tape.gradient(square, x).numpy())
try:
    tape.gradient(fourth, x)
except RuntimeError as error:
    print("RuntimeError:", str(error).split(". ")[0])

viz.explain(tape, fourth, x)

# %%
with tf.GradientTape(persistent=True) as tape:
    square = x * x
    fourth = square * square

print(tape.gradient(square, x).numpy(), tape.gradient(fourth, x).numpy())

# %% [markdown]
# ## Further: more operations without a derivative
#
# ### `argmax`
#
# Replace a position by smooth weights, the softmax:

# %%
scores = tf.Variable([1.0, 3.0, 2.0])

with viz.recording(), tf.GradientTape() as tape:
    best = tf.cast(tf.argmax(scores), tf.float32)
    y = best * 10.0

print(tape.gradient(y, scores))
viz.explain(tape, y, scores)

# %%
positions = tf.range(3, dtype=tf.float32)

with tf.GradientTape() as tape:
    about = tf.reduce_sum(tf.nn.softmax(scores) * positions)
    y = about * 10.0

print(f"{y.numpy():.3f}", tape.gradient(y, scores).numpy())

# %% [markdown]
# ### A helper from a library
#
# Somebody else wrote the first function, and had a reason for it. You only call it.


# %%
def similarity(a, b):
    """A helper from a library."""
    return tf.reduce_sum(a * tf.stop_gradient(b))


a, b = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])

with viz.recording(), tf.GradientTape() as tape:
    y = similarity(a, b)

# %%
with viz.predict(
    "`y` is 1 * 3 + 2 * 4. What are the gradients with respect to `a` and `b`?",
    "For a it is b, that is (3, 4). For b it is `None`, not (1, 2): `tf.stop_gradient` passes a number on and "
    "lets nothing come back. If b should learn, too, it has to go.",
) as asked:
    print(*tape.gradient(y, [a, b]))
    asked.show(viz.explain(tape, y, b))

# %% [markdown]
# ### A cast to whole numbers on the way
#
# The source is a float and the target is a float. In between somebody made an integer of it.

# %%
price = tf.Variable(19.9)

with viz.recording(), tf.GradientTape() as tape:
    euros = tf.cast(price, tf.int32)
    tax = tf.cast(euros, tf.float32) * 0.2

print(tape.gradient(tax, price))
viz.explain(tape, tax, price)

# %%
with tf.GradientTape() as tape:
    euros = tf.cast(price, tf.float32)
    tax = euros * 0.2

print(tape.gradient(tax, price).numpy())

# %% [markdown]
# The *number* is another one now, too: 0.2 times the full price, 19.90, because nothing is cut off. If you mean whole euros, it
# is a staircase, and the fix is that for rounding: `tf.grad_pass_through(tf.floor)(price)`.

# %% [markdown]
# ### A custom gradient that gives None
#
# If you write derivatives yourself, you can also leave one out. To find that, `viz.explain` has to run the rules once
# more, so the tape must not be used up: it is persistent here.


# %%
@tf.custom_gradient
def weighted(value, weight):
    """value * weight, with a gradient for the value only."""

    def backward(upstream):
        return upstream * weight, None

    return value * weight, backward


value, weight = tf.Variable(2.0), tf.Variable(5.0)

with viz.recording(), tf.GradientTape(persistent=True) as tape:
    y = weighted(value, weight)

print(*tape.gradient(y, [value, weight]))
viz.explain(tape, y, weight)


# %%
@tf.custom_gradient
def weighted(value, weight):
    """value * weight, with both gradients."""

    def backward(upstream):
        return upstream * weight, upstream * value

    return value * weight, backward


with tf.GradientTape() as tape:
    y = weighted(value, weight)

print(*[gradient.numpy() for gradient in tape.gradient(y, [value, weight])])

# %% [markdown]
# ## Further: any suspicious gradient
#
# None is the loudest of the wrong gradients, not the worst. `viz.check(tape)` looks at a whole tape for the
# others too: NaN and infinities, zeros, numbers that do not fit their dtype, unintended broadcasting, and
# gradient functions of your own that are wrong. (Of a half-cut path it says where a value left and came back;
# whether that matters, two runs decide.)

# %%
x = tf.Variable([0.0, 2.0])

with viz.recording(), tf.GradientTape() as tape:
    y = tf.where(x > 0.0, tf.math.log(x), 0.0)

# %%
with viz.predict(
    "At `x = 0` the logarithm is not chosen. Is the gradient 0 there?",
    "It is NaN: the branch that is not chosen gets 0, and its rule multiplies by 1 / x, which is "
    "infinite there. 0 times infinity is no number.",
):
    print(tape.gradient(y, x).numpy())

# %% [markdown]
# Where was that NaN born?

# %%
with viz.recording(), tf.GradientTape() as tape:
    y = tf.where(x > 0.0, tf.math.log(x), 0.0)

print(viz.check(tape, y, x))

# %% [markdown]
# The usual cure is a safe input *inside* of the branch:

# %%
with tf.GradientTape() as tape:
    safe = tf.where(x > 0.0, x, 1.0)
    y = tf.where(x > 0.0, tf.math.log(safe), 0.0)

print(tape.gradient(y, x).numpy())

# %% [markdown]
# And a mistake that raises no error and gives no strange number: predictions of shape (3, 1) against labels
# of shape (3,).

# %%
w = tf.Variable([[0.5]])
inputs, labels = tf.constant([[1.0], [2.0], [3.0]]), tf.constant([1.0, 2.0, 3.0])

with viz.recording(), tf.GradientTape() as tape:
    loss = tf.reduce_mean((inputs @ w - labels) ** 2)

# %%
with viz.predict(
    "Which shape does the difference have?",
    "(3, 3): every prediction against every label. The loss is then a mean over nine errors, of "
    "which six belong to nothing.",
):
    print(viz.check(tape, loss, w))

# %% [markdown]
# ## Further: a correction that was tried
#
# In a notebook `why.try_fix()` looks for a correction: it changes lines of the cell, runs it on copies of
# your values, and shows the change only if the gradient is there.

# %%
x = tf.Variable([1.0, -2.0, 3.0])

with viz.recording(), tf.GradientTape() as tape:
    squares = tf.constant(np.square(x.numpy()))
    loss = tf.reduce_sum(squares)

why = viz.explain(tape, loss, x)

# %%
why.try_fix()

# %% [markdown]
# For a script there is `minitape explain FILE.py --fix CORRECTED.py --out PAGE.html`. And `%load_ext minitape.viz`
# with `%tape explain on` looks at the gradients of every cell from then on.

# %% [markdown]
# ## Further: without a recording
#
# In a long program you may not have put `viz.recording()` around it. The tape alone knows less, and the
# explanation says so instead of guessing:

# %%
x = tf.Variable(4.0)

with tf.GradientTape() as tape:
    y = tf.stop_gradient(x) * 2.0

viz.explain(tape, y, x)
