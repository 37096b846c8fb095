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

# %% [markdown] slide="A tennis ball starts 1.5 m above the ground. After 2 seconds it should fly through a ring, 20 m away and 2 m high. Gravity, drag, and a head wind that grows with the height.\n\n**How must it be thrown?**" notes="6 minutes for this and the three guesses. Draw ball, ring and wind on the board; let everybody write down two speeds before any code is run."
# # 1. The first gradient
#
# A tennis ball starts 1.5 m above the ground. After 2 seconds it should fly through a ring that hangs
# 20 m away and 2 m high. Gravity pulls it down, the air slows it, and there is a head wind that grows
# with the height. **How must it be thrown?** Two numbers are wanted: how fast across, and how fast up.
#
# There is no formula for them. The drag contains a square root, the wind depends on the height, and
# the height depends on everything before. At the end of this lesson you hit the ring, with the help of
# two derivatives that nobody worked out by hand. You need to know what a derivative is and how to read a
# few lines of Python. The lesson takes 50 minutes; then come the exercises. If you type along: a cell that begins with *Given*
# is only run.
#
# Afterwards you can
#
# - estimate a derivative from two runs, and say why the estimate is hardly ever exact,
# - record a computation and ask for its gradient,
# - say what an addition, a multiplication and a maximum do with what comes back,
# - walk downhill to the solution of a problem without a formula.

# %% tags=["setup"]
import matplotlib.pyplot as plt
import numpy as np

import minitape as tf
from minitape import viz

viz.figures()

# %% [markdown] slide=""
# The names after `tf.` are TensorFlow's: with `import tensorflow as tf` those lines run, too. `viz` is the part of
# minitape that shows what happened; it cannot look into TensorFlow's tapes.

# %% tags=["picture", "given"] minutes=1 slide="How must it be thrown?" alt="The problem, drawn. At the left the ball, 1.5 m above the ground, with an arrow up to the right and a question mark. At the right, 20 m away and 2 m high, the ring. In between arrows to the left, longer with the height: the head wind, 0 m a second at the ground and 5.8 at a height of 10 m."
# Given: this only draws. A cell that draws need not be read.
plt.figure(figsize=(5.2, 3))
for height in [1.0, 4.0, 7.0, 10.0]:
    wind = 6.0 * np.tanh(height / 5.0)
    line = {"arrowstyle": "->", "color": "tab:blue", "linewidth": 2}
    plt.annotate("", (13.0 - wind / 2, height), (13.0 + wind / 2, height), arrowprops=line)
plt.text(13.0, 11.0, "the wind", color="tab:blue", ha="center")
plt.annotate("", (4.5, 6.0), (0.3, 1.8), arrowprops={"arrowstyle": "->", "linewidth": 2})
plt.text(4.7, 6.0, "?", fontsize=18)
plt.plot(0.0, 1.5, "o", color="tab:olive", markersize=12, markeredgecolor="black")
plt.text(0.9, 0.9, "the ball")
plt.plot(20.0, 2.0, "ko", markersize=16, fillstyle="none")
plt.text(19.0, 3.2, "the ring", ha="center")
plt.axhline(0.0, color="0.6")
plt.xlim(-1.0, 22.0)
plt.ylim(-0.5, 12.2)
plt.xlabel("metres across")
plt.ylabel("metres up")
plt.show()

# %% [markdown] slide="## A throw\n\n100 steps of 0.02 s. In each step the forces change the speed, and the speed changes the place."
# ## A throw
#
# The two seconds are cut into 100 steps. In each step the forces change the speed a little, and the speed
# changes the place a little. Metres and seconds everywhere; 9.81 is gravity, and 0.02 is what a tennis
# ball feels of the air. There is no ground in this program: a ball may fall below 0 m.


# %% tags=["needed", "given"] slide="One step, a hundred times"
# Given.
def fly(v, steps=100):
    """All places of a ball in 2 seconds, thrown with the speeds v = (across, up)."""
    dt = 2.0 / steps
    vx, vy = v[0], v[1]
    x, y = 0.0 * vx, 1.5 + 0.0 * vy
    places = [(x, y)]
    for _ in range(steps):
        wind = -6.0 * tf.tanh(y / 5.0)  # against us, and stronger higher up
        air = vx - wind  # the speed against the air
        drag = 0.02 * tf.sqrt(air**2 + vy**2)
        vx = vx - dt * drag * air
        vy = vy - dt * (drag * vy + 9.81)
        x, y = x + dt * vx, y + dt * vy
        places.append((x, y))
    return places


# %% tags=["needed", "given"] slide="How far it misses, squared"
# Given.
def miss(v, ring=(20.0, 2.0)):
    """The squared distance between the ball and the ring after 2 seconds."""
    x, y = fly(v)[-1]
    return (x - ring[0]) ** 2 + (y - ring[1]) ** 2


# %% [markdown]
# `miss` is the *square* of the distance, in square metres. It has no corner at the ring: its slope goes to 0
# there, so steps along it become shorter by themselves. What we print is the distance, its root.
#
# Write down two speeds before you run the next cell. Here are three guesses of other people. (`tf.constant` makes an
# array that a tape can follow later.)

# %% tags=["picture", "given"] minutes=2 slide="Three guesses" alt="Three paths of a ball from the left at a height of 1.5 m. After 2 seconds the first is 6 m before the ring, the second 4.5 m above it, the third 5 m behind it and 2.7 m lower. None is in the ring: they miss by 6.59, 4.72 and 5.88 m."
# Given.
guesses = {"10, 10": "-", "15, 15": "--", "20, 10": ":"}

plt.figure(figsize=(5.2, 3.6))
for guess, dashes in guesses.items():
    v = tf.constant([float(part) for part in guess.split(",")])
    off = f"({guess}): {float(miss(v)) ** 0.5:.2f} m off"
    plt.plot(*zip(*fly(v), strict=True), dashes, label=off)
plt.plot(20.0, 2.0, "ko", markersize=12, fillstyle="none", label="the ring")
plt.xlabel("metres across")
plt.ylabel("metres up")
plt.legend(fontsize=10, ncols=2, loc="upper center", bbox_to_anchor=(0.5, -0.2))
plt.show()

# %% [markdown] slide="## A little more\n\nThrow with $v_x + h$, throw with $v_x - h$, divide the difference by $2h$.\n\nTwo throws for *one* number. A network may have a million of them: one or two million runs."
# ## A little more
#
# Nobody hits. To do better, we have to know what *a little more* does: throw with $v_x + h$, throw with
# $v_x - h$, and divide what changes by $2h$. That is a derivative, nearly:
#
# $$\frac{\text{miss}(v_x + h) - \text{miss}(v_x - h)}{2h}$$


# %% tags=["picture", "given"] minutes=1 slide="Two throws, and the line through them" alt="The squared miss over the speed across, a valley with its bottom near 15. Two points on its left wall, at 6 and 14, are joined by a straight line, 'two throws'. It is nearly parallel to the dotted line that touches the curve at 10, 'the slope at 10'."
# Given.
def by_across(vx):
    """The squared miss of a throw with the speeds (vx, 10)."""
    return float(miss(tf.constant([float(vx), 10.0])))


across = np.linspace(4.0, 24.0, 41)
plt.figure(figsize=(5.2, 3.2))
plt.plot(across, [by_across(vx) for vx in across], color="0.3")
slope = (by_across(14.0) - by_across(6.0)) / 8.0  # h = 4
plt.plot([6.0, 14.0], [by_across(6.0), by_across(14.0)], "o-", label=f"two throws: {slope:.2f}")
touch = by_across(10.0) - 15.85 * (np.array([5.5, 14.5]) - 10.0)
plt.plot([5.5, 14.5], touch, ":", color="tab:red", linewidth=2.5, label="the slope at 10: -15.85")
plt.plot(10.0, by_across(10.0), "o", color="tab:red")
plt.xlabel("speed across (m/s)")
plt.ylabel("squared miss (m²)")
plt.legend(fontsize=10)
plt.show()

# %% [markdown] slide=""
# It costs two throws for each unknown. (With $f(x + h) - f(x)$ it is one for each, and one more for all.) We have
# two unknowns; a network may have a million, and would need one or two million runs for one look around. And how small
# should $h$ be?

# %% slide="Which h is best?" notes="2 minutes. Collect the guesses by show of hands: most take the smallest."
with viz.predict(
    "Which `h` gives the best slope: 0.1, 0.001, 0.00001 or 0.0000001? (The numbers have 7 digits.)",
    "0.1, the largest of them! With 0.00001 a fifth of the slope is wrong, and with 0.0000001 it is "
    "0: 10 + h and 10 - h are the same number.",
):
    for h in [0.1, 0.001, 0.00001, 0.0000001]:
        more, less = tf.constant([10.0 + h, 10.0]), tf.constant([10.0 - h, 10.0])
        slope = (float(miss(more)) - float(miss(less))) / (2 * h)
        print(f"h = {h:<8g} slope {slope:.5f}")

# %% [markdown] slide="## No h is good\n\n| | error |\n|:--|:--|\n| the bend is not the same on both sides | grows like $h^2$ |\n| digits are lost in the difference | grows like $1 / h$ |\n\nAt the best $h$ about a third of the digits is lost."
# The true slope is $-15.84925$ (we find it below). Two errors work against each other. A parabola would
# come out right with any $h$, but for rounding, since it bends to the left as to the right. Our curve bends more on one side than
# on the other, and this error grows like $h^2$. And the two misses are nearly equal: their difference keeps few
# correct digits, and it is divided by $2h$, so this error grows like $1/h$. Here are both, in 7 digits and in 16
# (`tf.float64`):

# %% tags=["picture", "given"] minutes=1.5 slide="No h is good" notes="2 minutes for this picture. On both axes a step to the right is a factor: 10 times h, 100 times the error." alt="The error of the slope over h, both axes in powers of ten. Two curves like a V: from the right they fall together, a hundredth of the error for a tenth of h; then each rises in jumps. With 7 digits the lowest place is near h = 0.05, and at the left end the curve is level: there the slope is 0, and the error is all of it. With 16 digits the lowest place is near 0.0001."
# Given.
steps = np.logspace(0, -9, 28)
plt.figure(figsize=(5.2, 3.2))
for dtype, dashes, digits in [(tf.float32, "o--", 7), (tf.float64, "s-", 16)]:
    slopes_by_h = []
    for h in steps:
        more, less = (tf.constant([10.0 + each, 10.0], dtype) for each in (h, -h))
        slopes_by_h.append((float(miss(more)) - float(miss(less))) / (2 * h))
    off = np.abs(np.array(slopes_by_h) + 15.849245310894)
    plt.loglog(steps, off, dashes, markersize=4, label=f"{digits} digits")
plt.xlabel("h")
plt.ylabel("error of the slope")
plt.legend(fontsize=10)
plt.show()

# %% [markdown] slide=""
# With 16 digits the best $h$ is near 0.0001 (a single point as low farther left is luck: there the
# rounding errors happened to cancel), and no $h$ here gives all digits. We want something else: a derivative without
# any $h$, exact but for rounding, at the price of a few throws, however many unknowns there are.

# %% [markdown] slide="## The first tape\n\nThe area of a square with side 3 is 9. How fast does it grow with the side?"
# ## The first tape
#
# Leave the ball for a moment. The area of a square with side 3 is 9. How fast does the area grow when the
# side grows? A **tape** finds out without a formula: it writes down which operations ran (*forward*), and
# then walks back through its list (*backward*).
#
# Two words before it: a **tensor** is an array of numbers that never changes; `tf.constant` makes one, and
# operations make new ones. A **variable** is a box whose tensor can be replaced: what is learned has to change.
# (`viz.recording()` only keeps a journal for the player. The gradient does not need it.)

# %% slide="The slope of a square"
side = tf.Variable(3.0)

with viz.recording(), tf.GradientTape() as tape:
    area = side * side

player = viz.step(tape, area, side, title="The slope of a square")
print(tape.gradient(area, side).numpy())
player

# %% [markdown]
# **Look into the tape.** Click the player and press the right arrow key. (If you only see a still
# picture, run the cell, or choose *Trust Notebook*; the steps are also in the table under it.)
#
# 1. **forward**: one operation is recorded. The tape keeps what it needs for the way back: the side.
# 2. **seed**: the walk back (a *sweep*) starts at the target with the number 1, its seed, since the target changes by 1
#    when the target changes by 1. Such a number that travels backward is called a *cotangent*. It says how much the
#    target changes when this value does, per unit of a small change.
# 3. **pull**, twice: an operation takes the cotangent of its result and hands each input its part. Here the
#    multiplication gives 3 to its left input and 3 to its right one.
# 4. **accumulate**: both are `side`, and what arrives is added up: 6.
# 5. **release**: the record is no longer needed, so the tape forgets it. (It is a step of its own when the
#    player's switch *Memory* is on.)
#
# Note what did not happen: no formula $2s$ anywhere. The tape has a *number* and multiplies it.

# %% [markdown] slide="## Three names for good\n\n| operation | what it does with the $g$ that comes back |\n|:--|:--|\n| add | **shares**: each input gets $g$ |\n| multiply | **swaps**: each input gets $g$ times the *other* |\n| max | **routes**: the larger input gets all of $g$ |\n\nWhere paths meet, shares add up."
# ## Three names for good
#
# Let $g$ be the cotangent that comes back to an operation. Most of what you will see is one of these:
#
# | operation | what it does with $g$ | why |
# |:--|:--|:--|
# | $x + y$ | **add shares**: each input gets $g$ | a bit more of $x$ is a bit more of the sum |
# | $x \cdot y$ | **multiply swaps**: each input gets $g$ times the *other* | a bit more of $x$ counts $y$ times |
# | $\max(x, y)$ | **max routes**: the larger input gets all of $g$ | the smaller one did not matter |
#
# And where two paths meet at a value, what they bring is **added up**. A subtraction shares, too, with a minus for what is
# taken away. An operation on one number, such as a square, a root or a tanh, *scales*: its input gets $g$ times the
# slope there. (At a tie a maximum has a corner and no slope, and each library makes a rule: `tf.maximum` gives all of
# $g$ to the first input, others a half to each. Relu, the maximum of $x$ and 0 that you meet in lesson 5, lets
# nothing through at 0.)

# %% tags=["picture", "given"] minutes=0.5 slide="Three names for good" alt="Three small graphs, each with an operation below its two inputs, 2 and 5. Thin arrows lead down to the value, thick dashed ones bring g back. At the addition both inputs get g. At the multiplication 2 gets 5 g and 5 gets 2 g: swapped. At the maximum 5 gets g; the arrow to 2 is thin and grey, and brings 0."
# Given.
_, panels = plt.subplots(1, 3, figsize=(6.4, 2.8))
names = [("add shares", "+", "g", "g"), ("multiply swaps", "·", "5 g", "2 g")]
names.append(("max routes", "max", "0", "g"))
for panel, (name, sign, left, right) in zip(panels, names, strict=True):
    panel.set_title(name, fontsize=12, fontweight="bold")
    for side, value, share in [(-1.0, "2", left), (1.0, "5", right)]:
        forward = {"arrowstyle": "->", "shrinkA": 13, "shrinkB": 15, "color": "0.5"}
        back = {"arrowstyle": "->", "shrinkA": 15, "shrinkB": 13, "color": "tab:red"}
        back |= {"linestyle": "--", "linewidth": 2, "connectionstyle": f"arc3,rad={0.35 * side}"}
        if share == "0":  # nothing comes back this way
            back |= {"color": "0.4", "linewidth": 0.8}
        panel.annotate("", (0.0, 0.0), (side, 2.0), arrowprops=forward)
        panel.annotate("", (side, 2.0), (0.0, 0.0), arrowprops=back)
        circle = {"boxstyle": "circle,pad=0.3", "facecolor": "white"}
        panel.text(side, 2.0, value, ha="center", va="center", bbox=circle)
        panel.text(1.7 * side, 0.9, share, color=back["color"], ha="center", fontsize=12)
    panel.text(0.0, 0.0, sign, ha="center", va="center", bbox=circle)
    panel.annotate("", (0.0, -0.2), (0.0, -1.4), arrowprops=back | {"connectionstyle": "arc3"})
    panel.text(0.25, -1.2, "g", color="tab:red", fontsize=12)
    panel.set(xlim=(-2.1, 2.1), ylim=(-1.5, 2.6))
    panel.axis("off")
plt.show()

# %% [markdown] slide=""
# Now two operations. (`persistent=True` lets us ask this tape several times. Without it a tape answers once, and lets
# go of what it kept.)

# %% slide="Two paths" notes="Ask who would say 5. The path through the addition is easily forgotten."
x, y = tf.Variable(2.0), tf.Variable(5.0)

with viz.recording(), tf.GradientTape(persistent=True) as tape:
    p = x * y
    z = p + x

# %% slide="Two paths"
with viz.predict(
    "What arrives at `x`? And what at `y`?",
    "At x 6 = 5 + 1. The addition shares: 1 goes to p and 1 to x. The multiplication swaps: 5 goes "
    "to x and 2 to y. Two paths meet at x.",
) as asked:
    print("at x:", tape.gradient(z, x).numpy(), " at y:", tape.gradient(z, y).numpy())
    asked.show(viz.step(tape, z, [x, y], title="Add shares, multiply swaps"))

# %% [markdown] slide="## The ball again: one step\n\nThe same operations, a few more of them."
# ## The ball again
#
# A throw is made of such operations: sums and products, and squares, roots and a tanh, which scale. Here is a throw of
# *one* step of 0.02 s, and what comes back from the place `x` to the two speeds.

# %% tags=["given"] slide="One step of the throw"
# Given.
v = tf.Variable([10.0, 10.0], name="v")

with viz.recording(), tf.GradientTape() as tape:
    vx, vy = v[0], v[1]
    air = vx + 6.0 * tf.tanh(1.5 / 5.0)
    drag = 0.02 * tf.sqrt(air**2 + vy**2)
    x = 0.02 * (vx - 0.02 * drag * air)

viz.step(tape, x, v, title="One step of the throw")

# %% [markdown]
# (The two boxes named `take` at the top are `v[0]` and `v[1]`.) Find `vx` in it, and go with the slider to the step
# *accumulate* at `vx`, where two paths meet: 0.02 + (-0.000195), about 0.0198. Along one path 0.02 comes straight from the
# place; along the other, through `air`, a little is taken away, for a faster ball is slowed more.
#
# Now a hundred of these. You would not want to see that picture, and the tape does not mind:

# %% slide="The gradient of a hundred steps"
v = tf.Variable([10.0, 10.0])

with tf.GradientTape() as tape:
    far = miss(v)

gradient = tape.gradient(far, v)
print(f"miss {float(far):.2f}, a distance of {float(far) ** 0.5:.2f} m")
print("gradient:", gradient.numpy())

# %% [markdown]
# The first number is what the two throws were trying to find, and there is no $h$ to choose. Its
# first six digits are right (with 16 digits the tape gives $-15.8492453$): a hundred steps in 7 digits each lose
# a little. Both are negative: throw faster, across and up, and across matters more.


# %% tags=["given"] slide=""
# Given.
def computed(journal):
    """How many numbers were computed while this journal was kept."""
    return sum(y.shape.num_elements() for entry in journal.entries for y in entry.outputs)


# %% slide="What does it cost?"
with viz.predict(
    "A throw computes 2010 numbers. How many are computed for a throw and its gradient?",
    "4922, that is 2.4 times as many, for both slopes at once. The walk back visits each operation at "
    "most once, so the factor stays small with a million unknowns, too. (These are numbers, and no seconds.)",
):
    with viz.recording() as one, tf.GradientTape() as tape:
        far = miss(v)
    with viz.recording() as both, tf.GradientTape() as tape:
        tape.gradient(miss(v), v)
    print("a throw computes", computed(one))
    print("a throw and its gradient compute", computed(both))

# %% [markdown] slide="## Downhill\n\nThe gradient points to where the miss *grows*. So take a step against it:\n\n$$v \\leftarrow v - 0.3 \\cdot g$$"
# ## Downhill
#
# The gradient points to where the miss *grows* fastest. So take a small step against it, look again, and
# go on. How much of the gradient to take is called the *rate*. `v.assign_sub` changes the variable itself.

# %% slide="Six lines"
v, throws = tf.Variable([10.0, 10.0]), []

for step in range(8):
    with tf.GradientTape() as tape:
        far = miss(v)
    print(f"throw {step}: v = ({v[0]:.3f}, {v[1]:.3f}) misses by {float(far) ** 0.5:.3f} m")
    throws.append(fly(v.numpy()))
    v.assign_sub(0.3 * tape.gradient(far, v))

# %% [markdown]
# **Hit!** After six steps the ball is within 1 cm of the ring. Nobody solved an equation. That is the answer to the
# question of the beginning: it must be thrown with about (15.65, 11.73). (A few more steps give 15.646 and 11.733.)

# %% tags=["picture", "given"] minutes=0.5 slide="Eight throws" alt="Eight paths of a ball from the left, which close in on the ring 20 m away. The first, pale, is marked throw 0 and ends 6 m before it; throw 1 ends 1.5 m from it; the last, black, goes through it. At the right the middle of the ring, enlarged, marked by a cross: throw 2 ends half a metre from it, throw 3 ends 18 cm from it, throw 4 ends 6 cm from it, and the others, marked 5-7, end still nearer, almost on each other."
# Given.
_, (whole, near) = plt.subplots(1, 2, figsize=(6.4, 3), width_ratios=[2, 1.2], layout="constrained")
for number, places in enumerate(throws):
    shade = str(0.75 * (1 - number / 7))
    for panel in (whole, near):
        panel.plot(*zip(*places, strict=True), color=shade)
    x, y = (float(each) for each in places[-1])
    near.plot(x, y, "o", color=shade, markersize=4)
    if number < 2:
        whole.annotate(f"throw {number}", (x, y), (x - 4.6, y - 0.1 - 0.4 * (number == 1)))
    elif number < 5:
        near.annotate(f"{number}", (x, y), (-11, -9), textcoords="offset points")
near.annotate("5-7", (20.0, 2.0), (2, -15), textcoords="offset points")
whole.plot(20.0, 2.0, "ko", markersize=12, fillstyle="none")
near.plot(20.0, 2.0, "k+", markersize=14)
whole.set(xlabel="metres across", ylabel="metres up")
near.set(xlim=(19.4, 20.1), ylim=(1.7, 2.4), xticks=[19.5, 20.0], xlabel="metres across")
near.set_title("at the ring", fontsize=11)
plt.show()

# %% [markdown] slide=""
# And the same walk from above: each point of this picture is a throw, and the lines join throws that miss
# equally. The arrows are gradients, which point uphill, and the walk goes against them, to the cross.


# %% tags=["picture"] slide="The walk, seen from above"
def squared_miss(across, up):
    return miss([across, up])


viz.surface(
    squared_miss,
    (8.0, 22.0),
    (6.0, 18.0),
    start=(10.0, 10.0),
    learning_rate=0.3,
    steps=8,
)

# %% slide="A larger rate" notes="Do not explain it today; it opens lesson 2. The border is 0.46."
with viz.predict(
    "And with the rate 0.5 in place of 0.3: faster, slower, or never?",
    "Never: it comes to 2.4 m, and then goes away, to jump between 16 and 19 m for ever. Why 0.3 "
    "and not 0.5? That is lesson 2.",
):
    v, misses = tf.Variable([10.0, 10.0]), []
    for _ in range(40):
        with tf.GradientTape() as tape:
            far = miss(v)
        misses.append(float(far) ** 0.5)
        v.assign_sub(0.5 * tape.gradient(far, v))
    print("  ".join(f"{each:.1f}" for each in [*misses[:8], misses[-1]]), "m")

# %% [markdown] slide="## What does a tape watch?\n\nTrainable **variables**, by themselves. All else by `tape.watch(x)`."
# ## What does a tape watch?
#
# A tape records an operation only when one of its inputs is *watched*, or was computed from something watched. By
# itself it watches **trainable variables** and nothing else (`trainable=False` takes a variable out). You decide with
# `watch`.

# %% tags=["given"] slide="Which of these have a gradient?"
# Given.
trained = tf.Variable(3.0, name="trained")
frozen = tf.Variable(3.0, name="frozen", trainable=False)
shifted = tf.Variable(2.0, name="shifted") + 1.0
fixed = tf.constant(3.0)
watched = tf.constant(3.0)

with viz.recording(), tf.GradientTape(persistent=True) as tape:
    tape.watch(watched)
    total = tf.add_n([trained**2, frozen**2, shifted**2, fixed**2, watched**2])

sources = {"trained": trained, "frozen": frozen, "shifted": shifted, "fixed": fixed}
sources["watched"] = watched

# %% slide="Which of these have a gradient?"
with viz.predict(
    "Five squares are added up. Which of the five have a gradient?",
    "Two: the trained variable, and what is watched. `shifted` is a variable plus a number, which is "
    "a tensor. `None` means: the tape has written down no path from the target to this source.",
) as asked:
    for name, gradient in tape.gradient(total, sources).items():
        print(f"{name:8}", gradient if gradient is None else gradient.numpy())
    asked.show(viz.step(tape, total, sources, title="Five sources"))

# %% [markdown]
# A frequent `None` is one wrong line in a loop like ours: `v = v - ...` makes a *new tensor* and gives it the old name, and
# in the second round there is no variable any more. (*Further* shows it; lesson 4 has more ways to lose a path.)

# %% [markdown] slide="## Homework: any shape\n\nEach gradient has the shape of its source. A target with several elements counts as their **sum**."
# ## Homework: any shape
#
# (Read and run this at home; the exercises do not need it, later lessons do.) Values may be vectors and matrices. Here is a *layer* (a product with a matrix of weights, and a bias that is added)
# with three inputs and two outputs. A list of sources gives a list of gradients, a dictionary a dictionary, and
# **each gradient has the shape of its source**.

# %% tags=["given"] slide="A linear layer"
# Given.
weights = tf.Variable([[0.5, -1.0], [0.25, 0.0], [-0.5, 2.0]], name="weights")
bias = tf.Variable(tf.zeros(2), name="bias")
features = [[1.0, 2.0, 3.0]]

with tf.GradientTape() as tape:
    outputs = features @ weights + bias
    loss = tf.reduce_mean(outputs**2)

for_weights, for_bias = tape.gradient(loss, [weights, bias])
print(weights.shape, for_weights.shape, bias.shape, for_bias.shape)

# %% [markdown]
# A gradient belongs to *one* number. If the target has several elements, you get the gradient of their
# **sum**. Where each element of the target depends on its own element of the source only, that is
# welcome: one call gives the whole curve of a slope.

# %% slide=""
x = tf.Variable(2.0)
with tf.GradientTape() as tape:
    multiples = x * [3.0, 4.0]
print("3 + 4 =", tape.gradient(multiples, x).numpy())

# %% tags=["picture", "given"] slide="A curve and its slope" alt="Two curves. The sigmoid rises from 0 to 1 in the shape of an S. Its slope, dashed, is a bell with the height 0.25 at x = 0."
# Given.
x = tf.linspace(-10.0, 10.0, 201)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.nn.sigmoid(x)

plt.figure(figsize=(5.2, 2.8))
plt.plot(x, y, label="sigmoid")
plt.plot(x, tape.gradient(y, x), "--", label="its slope")
plt.xlabel("x")
plt.legend()
plt.show()

# %% [markdown] slide="## Exercises\n\n1. By hand\n2. Two variables\n3. Hit a ring\n4. Which h is best?"
# ## Exercises
#
# Replace each `...` by your code, run the cell, and run the check under it. A check says "Right:" and why,
# or what is probably wrong.

# %% [markdown]
# **Exercise 1.** By hand: $p = xy$, $m = \max(p, w)$ and $z = m + x$ at $x = 3$, $y = 7$, $w = 10$. Which cotangents do `p`,
# `w`, `y` and `x` have at the end? Fill in four numbers.

# %% nbgrader={"grade": false, "grade_id": "by-hand", "locked": false, "schema_version": 3, "solution": true, "task": false}
cotangents = {"p": None, "w": None, "y": None, "x": None}
### BEGIN SOLUTION
cotangents = {"p": 1.0, "w": 0.0, "y": 3.0, "x": 8.0}
### END SOLUTION

# %% nbgrader={"grade": true, "grade_id": "by-hand-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
with viz.Score(3) as score:
    assert isinstance(cotangents, dict) and set(cotangents) == {"p", "w", "y", "x"}, (
        "Keep the four names p, w, y and x, and fill in numbers."
    )
    assert any(each is not None for each in cotangents.values()), (
        "Fill in four numbers, one for each name."
    )
    rules = {
        "p": "The addition shares with m, and max routes all of what m gets to p, the larger one.",
        "w": "w goes into a maximum, and is the smaller one: max routes all of g to the other.",
        "y": "y goes into a multiplication: multiply swaps, so y gets g times the other factor.",
        "x": "Two paths lead to x, one through p and one past it: add up what they bring.",
    }
    halved = "Max does not share: the larger input gets all of g. (A tie would be another matter.)"
    slips = {
        ("p", 21): "21 is the value of p. A cotangent says how much z changes when p does.",
        ("p", 0): "p is 21 and w is 10: the larger one, p, gets all of g.",
        ("p", 0.5): halved,
        ("w", 0.5): halved,
        ("w", 1): "Max does not share, as an addition does: the larger input, p, gets all of g.",
        ("w", 10): "10 is the value of w. A bit more of w changes nothing: p is larger.",
        ("y", 7): "Multiply swaps: y gets g times the other factor.",
        ("x", 7): "Two paths lead to x: add up what they bring. One is missing, the one past p.",
        ("x", 1): "Two paths lead to x: add up what they bring. One is missing, the one through p.",
        ("x", 4): "3 is x itself. Multiply swaps: 7 comes to x through p, and 1 past it.",
        ("x", 3): "3 is x itself. Multiply swaps: 7 comes to x through p, and 1 past it.",
        ("x", 10): "7 comes to x through p, and 1 past it. The 3 is what y gets.",
        ("p", 24): "24 is the value of z. A cotangent says how much z changes when p does.",
        ("y", 21): "21 is the product. Multiply swaps: y gets g times the other factor.",
        (
            "x",
            21,
        ): "21 is the product. Multiply swaps: x gets g times the other factor, and 1 past p.",
    }
    for name, right in [("p", 1), ("w", 0), ("y", 3), ("x", 8)]:
        try:
            answer = float(cotangents[name])
        except (TypeError, ValueError):
            answer = None
        slip = slips.get((name, answer), rules[name])
        if answer is None:
            slip = f"{cotangents[name]!r} is no number: write the result for {name}, such as 2.0."
        score.part(0.75, answer == right, slip)
    score.total(
        "add shares 1 and 1, max routes 1 to p, multiply swaps 7 and 3, and at x the paths meet: 7 + 1."
    )
score.earned

# %% [markdown]
# **Exercise 2.** Write `slopes(a, b)`: the derivatives of $f(a, b) = a^2 b + \sin b$ with respect to $a$ and to $b$ (in
# short: by $a$ and by $b$), as a pair. `a` and `b` are variables. Ask a tape, return what it says, and use no formula of a
# derivative.


# %% nbgrader={"grade": false, "grade_id": "two-variables", "locked": false, "schema_version": 3, "solution": true, "task": false}
def slopes(a, b):
    """The derivatives by a and by b."""
    ### BEGIN SOLUTION
    with tf.GradientTape() as tape:
        f = a**2 * b + tf.sin(b)
    return tape.gradient(f, [a, b])
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "two-variables-check", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
with viz.Score(2) as score:
    from contextlib import contextmanager

    @contextmanager
    def tapes_that_say_1000_more():
        """Who returns a tape's answer returns this 1000, too; who returns a formula does not."""
        real = {name: getattr(tf.GradientTape, name) for name in ("gradient", "jacobian")}

        def more(answer):
            return lambda *a, **named: tf.nest.map_structure(
                lambda g: g + 1000.0, answer(*a, **named)
            )

        for name, answer in real.items():
            setattr(tf.GradientTape, name, more(answer))
        try:
            yield
        finally:
            for name, answer in real.items():
                setattr(tf.GradientTape, name, answer)

    seen, sweeps = [], 0
    for a, b in [(2.0, 3.0), (-1.5, 0.5), (0.3, 4.0)]:
        try:
            with viz.recording() as journal:
                found = slopes(tf.Variable(a), tf.Variable(b))
        except RuntimeError as error:
            raise AssertionError(
                f"{error} Or ask once for both: tape.gradient(f, [a, b])."
            ) from None
        except (TypeError, tf.errors.InvalidArgumentError) as error:
            raise AssertionError(
                f"{error} (In Python the square of a is a**2, and not a^2.)"
            ) from None
        assert found is not None, "slopes should return two gradients: tape.gradient(f, [a, b])."
        pair = isinstance(found, list | tuple) and len(found) == 2
        assert pair, "Return a pair: tape.gradient(f, [a, b])."
        assert found[0] is not None, (
            "No path leads to a: is a**2 * b computed inside the tape's block, and from a itself?"
        )
        assert found[1] is not None, "No path leads to b: is it used inside the tape's block?"
        sweeps += len(journal.sweeps)
        seen.append((float(found[0]), float(found[1]), a, b))
    assert sweeps > 0, "The numbers may be right, but no tape was asked: leave the formula to it."
    with tapes_that_say_1000_more():
        other = slopes(tf.Variable(0.3), tf.Variable(4.0))
    for name, seen_before, now in zip("ab", seen[-1], other, strict=False):
        assert float(now) - seen_before > 500.0, (
            f"A tape was asked, but the derivative by {name} does not come from it: return what tape.gradient gives."
        )
    by_a = all(abs(slope - 2 * a * b) < 1e-4 for slope, _, a, b in seen)
    swapped = all(abs(slope - 2 * a * b) < 1e-4 for _, slope, a, b in seen)
    exchanged = "The two are exchanged: the derivative by a comes first."
    score.part(
        1,
        by_a,
        exchanged
        if swapped
        else "Not 2ab at every point: is the square on a, and is the sine that of b?",
    )
    alone = by_a and all(abs(slope - a**2) < 1e-4 for _, slope, a, b in seen)
    score.part(
        1,
        all(abs(slope - a**2 - np.cos(b)) < 1e-4 for _, slope, a, b in seen),
        "The derivative by b is a**2 alone: np.sin is NumPy's and leaves the tape, and a tf.sin outside of the "
        "tape's block is not recorded."
        if alone
        else exchanged
        if swapped
        else "The derivative by b is not a**2 + cos(b): is the sine of b added, and not multiplied?",
    )
    score.total("2ab and a**2 + cos(b), and the tape needed neither formula.")
score.earned

# %% [markdown]
# **Exercise 3.** Write `hit(ring)`: it returns the two speeds, as a variable, with which the ball flies
# through a ring at the place `ring`, within 1 cm. Begin with (10, 10). Use `miss(v, ring)` from above. The rate and the
# number of steps are your choice.


# %% nbgrader={"grade": false, "grade_id": "hit", "locked": false, "schema_version": 3, "solution": true, "task": false}
def hit(ring):
    """The speeds (across, up) with which the ball is at `ring` after 2 seconds."""
    v = tf.Variable([10.0, 10.0])
    ### BEGIN SOLUTION
    for _ in range(40):
        with tf.GradientTape() as tape:
            far = miss(v, ring)
        v.assign_sub(0.2 * tape.gradient(far, v))
    ### END SOLUTION
    return v


# %% nbgrader={"grade": true, "grade_id": "hit-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    for ring, too_large in [((17.0, 3.0), 0.45), ((12.0, 1.0), 0.39)]:
        try:
            v = hit(ring)
        except (TypeError, ValueError) as error:
            raise AssertionError(
                f"{error} A gradient of None? Either miss(v, ring) is not computed inside the tape's "
                "block from v itself (no .numpy()); or v = v - ... made a tensor, and no variable is "
                "left after the first step: use v.assign_sub(...)."
            ) from None
        except RuntimeError as error:
            raise AssertionError(
                f"{error} Each step has a tape of its own, inside the loop."
            ) from None
        assert v is not None, "hit returns nothing: end it with return v, behind the loop."
        assert not isinstance(v, np.ndarray | list | tuple), (
            "hit should return the variable itself, and not its numbers: return v."
        )
        assert isinstance(v, tf.Variable), "v is no variable any more: use v.assign_sub(...)."
        begun, left = float(miss([10.0, 10.0], ring)) ** 0.5, float(miss(v, ring)) ** 0.5
        assert not np.allclose(v, [15.646, 11.733], atol=0.1), (
            "v hits the ring of the lesson, not this one: pass it on, miss(v, ring)."
        )
        assert np.isfinite(left) and left <= begun * 1.01, (
            f"You ran away: the miss grew from {begun:.1f} m to {left:.1f} m. Is there a minus before the "
            "gradient? Is it taken anew in every step, inside the loop? And a rate of 0.2 to 0.3 is safe: "
            "stay below 0.44 at the ring (17, 3), and below 0.38 at (12, 1)."
        )
        moved = left < 0.99 * begun
        said = f"At the ring {ring} it still misses by {left:.3f} m: "
        still = said + "v hardly moved. Change it in every step, at a rate of 0.2 to 0.3."
        slow = said + (
            "take more steps, at a rate of 0.2 to 0.3. (At this ring a rate from about "
            f"{too_large} on does not arrive.)"
        )
        beginning = tf.Variable([10.0, 10.0])
        with tf.GradientTape() as tape:
            far = miss(beginning, ring)
        (gx, gy), (dx, dy) = tape.gradient(far, beginning).numpy(), v.numpy() - 10.0
        straight = abs(gx * dy - gy * dx) < 1e-3 * np.hypot(gx, gy) * np.hypot(dx, dy)
        one_way = said + (
            "v went along one straight line, that of the first gradient. Take more steps (return stands "
            "after the loop), each with a gradient of its own."
        )
        near = said + "take more steps, at a rate of 0.2 to 0.3. "
        if left <= 0.1:
            near += "Do you stop at a miss of 0.01? That is in square metres: 1 cm is 0.0001. "
        near += "If that does not help: go down miss itself, for its root has a corner."
        score.part(0.5, moved, still)
        hint = still if not moved else one_way if straight else slow if left >= 1.0 else near
        score.part(0.5, left < 1.0, hint)
        score.part(1, left < 0.01, hint)
    score.total("look, step against the gradient, and look again: the same lines for every ring.")
score.earned

# %% [markdown]
# **Exercise 4.** With 16 digits (`tf.float64`): which of $h = 10^{-1}, 10^{-2}, \dots, 10^{-12}$ gives the
# best slope of $\sin x$ at $x = 1$ by two runs? Try them all; the truth is $\cos 1$. Put it into `best`.

# %% nbgrader={"grade": false, "grade_id": "h-is-hard", "locked": false, "schema_version": 3, "solution": true, "task": false}
best = None
### BEGIN SOLUTION
errors = {
    h: abs((np.sin(1 + h) - np.sin(1 - h)) / (2 * h) - np.cos(1)) for h in 10.0 ** -np.arange(1, 13)
}
best = min(errors, key=errors.get)
### END SOLUTION

# %% nbgrader={"grade": true, "grade_id": "h-is-hard-check", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
with viz.Score(1) as score:
    assert best is not None, "Fill in one of the twelve steps, such as best = 1e-1."
    try:
        best = float(best)
    except (TypeError, ValueError):
        raise AssertionError(f"best should be one number, not {best!r}.") from None
    exponent = -np.log10(best) if best > 0 else 0.0
    assert abs(exponent - round(exponent)) < 0.01 and 1 <= round(exponent) <= 12, (
        f"best should be h itself, one of 0.1, 0.01, ..., 1e-12; {best} is none of them."
    )
    too_small = "Smaller is not better: below the best h digits are lost in the difference. Is your truth in 16 digits, np.cos(1.0)?"
    too_large = "The error still falls like h * h: go on with smaller steps."
    near = "Near, but the error still falls: it is about 80 times smaller at the next one."
    one_sided = "That is the best h for one run more, f(x + h) - f(x). Here are two, on both sides."
    slip = one_sided if 5e-9 < best < 5e-8 else too_small if best < 1e-6 else too_large
    nearly = "Very near, but lost digits outweigh the rest there: its error is 2.5 times that of one larger step."
    if 5e-3 < best < 2e-2:
        too_large = "0.01 is the best of the twelve with 7 digits. Did you try in 16? tf.constant(1.0, tf.float64)"
        slip = too_large
    slip = near if 2e-5 < best < 2e-4 else nearly if 0.5e-6 < best < 2e-6 else slip
    score.part(1, 2e-6 < best < 2e-5, slip)
    score.total("where the two errors are about equal, a third of the 16 digits is lost.")
score.earned

# %% [markdown]
# **To think about.** If the time were free, many throws would hit the ring. Which would you take, and can a
# gradient tell?

# %% [markdown]
# ## What to remember
#
# - A slope from two runs is hardly ever exact, and costs a run or two for each unknown.
# - A tape records operations on what it watches, and walks back once, whatever the number of unknowns.
# - **Add shares, multiply swaps, max routes**; where paths meet, cotangents add up.
# - A gradient has the shape of its source, and several targets count as their sum.
# - Look, step against the gradient, look again: so problems without a formula can be solved.
#
# **Read on.** Baydin, Pearlmutter, Radul, Siskind, *Automatic Differentiation in Machine Learning: a Survey*
# (2018). Griewank, *Who Invented the Reverse Mode of Differentiation?* (2012). Rumelhart, Hinton, Williams,
# *Learning Representations by Back-propagating Errors* (1986). The guide *Introduction to gradients and
# automatic differentiation* of TensorFlow: `minitape demo` runs all its examples, tape by tape.
#
# Next: why the rate 0.3 hits, and 0.5 never does.

# %% [markdown]
# ## Further: the line that breaks a loop
#
# Here is that frequent `None`. (The gradient of the sum of squares is $2v$; we write it out, since the tape's is `None` in
# the second round. An `EagerTensor` is a tensor.)

# %% tags=["given"]
# Given.
with viz.recording():
    v = tf.Variable([10.0, 10.0])
    for _ in range(2):
        with tf.GradientTape() as tape:
            far = tf.reduce_sum(v**2)
        why = viz.explain(tape, far, v)
        print(type(v).__name__, tape.gradient(far, v))
        v = v - 0.3 * 2.0 * v  # v.assign_sub(...) keeps the variable

why

# %% [markdown]
# ## Further: found again and again
#
# R. E. Wengert wrote down programs as lists of operations to differentiate them forward, in a paper of two
# pages (1964). Seppo Linnainmaa walked such a list backward, to see how rounding errors add up (master's
# thesis, 1970, in Finnish). Paul Werbos found it for models with many parameters (thesis, 1974), and applied
# it to networks (1982). Bert Speelpenning built a compiler that did it to whole programs (thesis, 1980).
# David Rumelhart, Geoffrey Hinton and Ronald Williams showed what networks learn with it (1986). All but the
# first had the same need: a long program, and *one* number as its output. (Griewank tells the story: see *Read on*.)
#
# They are not the only ones. In control theory Henry Kelley (1960) and Arthur Bryson (1961) had computed gradients
# backward, along a flight or through the stages of a process; in chemical engineering G. M. Ostrovskii, Yu. M. Volin
# and W. W. Borisov wrote the method down (1971).
