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

# %% [markdown] slide="A ball is dropped from 2.1 m and bounces once. Let it go a little higher: is it higher or lower after one second?\n\n**Three programs put it within a millimetre of the truth. Their gradients disagree.**" notes="2 minutes. Let everybody write higher, lower or the same before anything else. The answer comes after half of the lesson."
# # 9. Differentiate a simulation
#
# A ball is dropped from 2.1 m, bounces once, and keeps 0.8 of its speed. If we let it go a little higher, is it higher or
# lower one second later? We will ask three programs. **With fine enough time steps, each puts the ball within a millimetre of the truth.
# Their gradients disagree.** And no tape has made a mistake. In this lesson you learn when the gradient of a simulation is
# cheap, when it is exact, and when it lies.
#
# You need lessons 1 and 7. The lesson takes 50 minutes; the exercises are homework, for about 45 more. If you type along: a
# cell that begins with *Given* is only run.
#
# Afterwards you can
#
# - say what a gradient through many time steps costs in memory, and pay less,
# - see why a bounce makes the gradient lie, and fix it,
# - say which simulations you can differentiate, and how.

# %% tags=["setup"]
import tracemalloc

import matplotlib.pyplot as plt
import numpy as np

import minitape as tf
from minitape import viz
from minitape.viz.course.motion import strolling

viz.figures()

# %% [markdown]
# Before you go on, write your guess on paper: higher, lower or the same? By how much, for one centimetre?
# The answer comes in the middle of the lesson. Before a gradient can lie, it has to arrive. So first we look at what goes
# through many steps, and at what it costs.

# %% [markdown] slide="## A throw is a deep network\n\nOne time step is a layer. The **state** goes from layer to layer, and the physics are the weights." notes="5 minutes. Ask: what would make the gradient of 100 steps explode?"
# ## A throw is a deep network
#
# First the ball that we know: thrown from (0, 1.5) m, it should be in a ring at (20, 2) m after two seconds. The wind
# and the air slow it down. In one time step the force changes the velocity, and then the velocity changes the
# position:

# %% tags=["given"] slide="One time step"
# Given.
ALONG, GRAVITY = tf.constant([[1.0, 0.0], [0.0, 9.81]], tf.float64)


def one_step(place, speed, dt):
    """The ball a moment later."""
    wind = -6.0 * tf.tanh(place[..., 1:] / 5.0) * ALONG
    air = speed - wind  # the speed against the air
    force = -0.02 * tf.norm(air, axis=-1, keepdims=True) * air - GRAVITY
    speed = speed + dt * force
    return place + dt * speed, speed


# %% tags=["given"] slide="A throw is a hundred of these steps"
# Given.
RING = tf.constant([20.0, 2.0], tf.float64)


def miss(v, steps=100):
    """The squared distance to the ring after two seconds; v of shape (2,) or (n, 2)."""
    place, speed = tf.constant([0.0, 1.5], tf.float64) + 0.0 * v, v
    for _ in range(steps):
        place, speed = one_step(place, speed, 2.0 / steps)
    return tf.reduce_sum((place - RING) ** 2)


# %% [markdown]
# Here is the first step alone, with its backward pass, and a name for each result. A cotangent arrives at `faster`, the
# velocity after the step. From there it goes to `v` directly, and through `force` and `air`, which stands twice in the
# drag. So there are three paths: direct, through `air` in `size`, and through `air` as a factor of the drag. The player below
# opens where two contributions meet at `air`. Their sum goes on to `v`, where it meets the direct one in the last step.

# %% tags=["given"] slide="Two paths meet at air, and a third leads straight to v"
# Given.
v, place = tf.constant([10.0, 10.0], tf.float64), tf.constant([0.0, 1.5], tf.float64)
wind = -6.0 * tf.tanh(place[1:] / 5.0) * ALONG

with viz.recording(), tf.GradientTape() as tape:
    tape.watch(v)
    air = v - wind
    size = tf.norm(air)
    drag = -0.02 * size * air
    force = drag - GRAVITY
    faster = v + 0.02 * force
    landed = place + 0.02 * faster
    loss = tf.reduce_sum((landed - RING) ** 2)


# %% tags=["picture"] slide=""
viz.step(tape, loss, v, title="One step", at="air")

# %% [markdown] notes="The curve is the gradient with respect to the velocity at each step. Why does it fall? Because less time is left."
# Now a hundred of these, 0.02 s each. That is a network with 100 equal layers. What goes from layer to layer is the
# **state**, here position and velocity, and the physics are the weights. Lesson 16 has networks of this kind, in which the
# weights are learnt. If the steps become ever finer, the layers become a differential equation, and the backward pass
# through it is called the **adjoint method**.
#
# In a deep network a gradient can shrink or grow from layer to layer. Does it arrive here? We compute the gradient with
# respect to the velocity at *every* step.

# %% tags=["given"] slide=""
# Given.
with tf.GradientTape() as tape:
    tape.watch(v)
    place, speeds = tf.constant([0.0, 1.5], tf.float64), [v]
    for _ in range(100):
        place, speed = one_step(place, speeds[-1], 0.02)
        speeds.append(speed)
    loss = tf.reduce_sum((place - RING) ** 2)

lengths = [float(tf.norm(g)) for g in tape.gradient(loss, speeds[1:])]
print(f"with respect to the velocity after the first step: {lengths[0]:.2f}")
print(f"after one second: {lengths[49]:.2f}")

# %% tags=["picture", "given"] slide="It falls with the time that is left" alt="The length of the gradient with respect to the velocity, over the time at which the velocity is changed: from about 16 at the start it falls to near 0 at the end, a little faster towards the end."
# Given: this only draws.
plt.figure(figsize=(6, 2.8))
plt.plot(0.02 * np.arange(1, 101), lengths, "o-", markevery=10)
plt.xlabel("the velocity is changed after ... seconds")
plt.ylabel("length of the gradient")
plt.show()

# %% [markdown]
# It arrives, at the first step too. A change of the velocity counts for as long as the ball still flies, so the curve
# falls with the time that is left. Nothing explodes: a step hands a change of the velocity on, and drag makes it smaller.

# %% [markdown] slide="## What the tape holds\n\nFor the backward pass it saves what each rule needs.\n\nTo see bytes, we throw 5000 balls at once." notes="4 minutes. A hundred steps of a million balls would need 4.8 GB."
# ## What the tape holds
#
# To see bytes, we throw 5000 balls at once. `viz.memory` says what a tape holds, here for four steps:

# %% slide="Four steps of 5000 balls | Which op keeps what, and why"
many = tf.constant(np.tile([[10.0, 10.0]], (5000, 1)))


def recorded(steps):
    """A tape that has recorded 5000 throws of so many steps."""
    with viz.recording(), tf.GradientTape() as tape:
        tape.watch(many)
        miss(many, steps)
    return tape


viz.memory(recorded(4))

# %% tags=["given"] slide="Twice as many steps, twice as many bytes"
# Given.
for steps in (25, 50, 100, 200, 400):
    print(f"{steps:3} steps: {viz.memory(recorded(steps)).total / 1e6:5.1f} MB")

# %% [markdown]
# The tape keeps the same few values for each step, so twice as many steps need twice as many bytes. Reverse mode keeps the whole film, because it is played backward: a hundred steps of a *million* balls would need 4.8 GB.

# %% [markdown] slide="## Keep few states, and compute the others again\n\n- Cut the throw into segments.\n- Keep what *enters* each, and forget its inside.\n- In the backward pass compute the inside again.\n\n`state = tf.recompute_grad(segment)(*state)`" notes="5 minutes. A list of positions for a plot costs 8 MB either way: the commonest mistake when students repeat this."
# ## Checkpoints
#
# If memory is short, forget some states. Cut the throw into segments, keep only what *enters* each of them, and compute the
# inside again when the backward pass arrives there. This is called **checkpointing**.

# %% tags=["picture", "given"] slide="Forget, and compute again" alt="Three rows of twenty states. In the first, a tape, all twenty are full dots. In the second, four segments after the forward pass, only the first state of each segment is a full dot, the others are small rings. In the third, during the backward pass, the last segment is crossed out, the third one has full dots again, and of the first two only the first states are full."
# Given: this only draws.
rows = ["a tape", "4 segments, forward", "backward, in the third"]
kept = [range(20), range(0, 20, 5), [0, 5, *range(10, 15)]]
plt.figure(figsize=(8, 1.9))
for height, (row, full) in enumerate(zip(rows, kept, strict=True)):
    done = range(15, 20) if height == 2 else []
    empty = [at for at in range(20) if at not in full and at not in done]
    for places, look in [(full, "ko"), (done, "kx")]:
        plt.plot(places, [-height] * len(places), look, markersize=8)
    plt.plot(empty, [-height] * len(empty), "ko", markersize=5, fillstyle="none")
    plt.text(-1, -height, row, ha="right", va="center", fontsize=12)
for border in (4.5, 9.5, 14.5):
    plt.plot([border, border], [-0.6, -2.4], "k:", linewidth=1)
plt.xlim(-9.5, 20)
plt.axis("off")
plt.show()


# %% tags=["setup", "given", "varies"]
# Given: the most memory that a run holds at once.
def peak(run):
    """The most megabytes that are held while `run` runs."""
    run()  # once before we measure: caches are filled
    tracemalloc.start()
    run()
    most = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return most


def reverse(f=miss):
    with tf.GradientTape() as tape:
        tape.watch(many)
        loss = f(many)
    return tape.gradient(loss, many)


one_reverse = peak(reverse)

# %% [markdown] slide=""
# A full dot is kept, a ring is forgotten, a cross is finished. `tf.recompute_grad` turns a function into such a segment. Here
# two arrays enter, the position and the velocity:


# %% tags=["given"] slide=""
# Given.
def miss_in_segments(v, count):
    """As `miss`, in `count` segments whose insides are computed twice."""

    def segment(place, speed):
        for _ in range(100 // count):
            place, speed = one_step(place, speed, 0.02)
        return place, speed

    state = tf.constant([0.0, 1.5], tf.float64) + 0.0 * v, v
    for _ in range(count):
        state = tf.recompute_grad(segment)(*state)
    return tf.reduce_sum((state[0] - RING) ** 2)


same = np.array_equal(reverse(), reverse(lambda v: miss_in_segments(v, 10)))
print("equal to the last bit:", same)

# %% tags=["picture"] slide="How many segments hold the least? | Ten, for a hundred steps | A valley between two ends"
choices = [1, 2, 5, 10, 20, 50, 100]
with viz.predict(
    "We can have 1, 2, 5, 10, 20, 50 or 100 segments. With which number is the least memory held? "
    "Think of the two ends first.",
    "10. One segment is the whole throw; with 100 each has a single step inside, and what enters them is "
    "the whole throw.",
    alt="Megabytes held at most, over the number of segments: a valley that is lowest at 10 segments "
    "with about 5 MB. With one segment it is as high as the dashed line of 25 MB where everything is "
    "kept, with 100 it is at two thirds of that.",
):
    held = [peak(lambda k=k: reverse(lambda v: miss_in_segments(v, k))) for k in choices]
    plt.figure(figsize=(6, 3))
    plt.semilogx(choices, held, "o-", label="insides computed twice")
    plt.axhline(one_reverse, color="black", linestyle="--", label="everything kept")
    plt.xticks(choices, choices)
    plt.ylim(bottom=0)
    plt.xlabel("segments")
    plt.ylabel("megabytes held at most")
    plt.legend(loc="center")
    plt.show()
    print("least memory with", choices[int(np.argmin(held))], "segments")

# %% [markdown] slide="## A root of n in place of n\n\n$k$ segments hold $k + 100/k$ states: least at $k = 10$. For $n$ steps $2\\sqrt n$, for one more forward pass."
# With $k$ segments we hold $k$ states that enter, and while we are in one, its $100/k$ steps. The sum $k + 100/k$ is least
# at $k = \sqrt{100} = 10$, if what enters a segment and what a tape saves of a step are about equally large. For $n$ steps
# that is about $2\sqrt n$ instead of $n$, and the price is one more forward pass. Here is a trap: if you also keep a list of all
# positions, for a plot, it holds 8 MB for them alone, with segments or without.

# %% [markdown] slide="## The bounce on paper\n\nIt falls for $\\tau = \\sqrt{2h/G}$, keeps 0.8 of its speed $G\\tau$, and rises for what is left of one second:\n\n$$y = 0.8\\,G\\tau(1-\\tau) - \\tfrac12 G(1-\\tau)^2$$\n\n$$dy/dh = 0.8\\,(1 - 2\\tau)/\\tau + (1 - \\tau)/\\tau$$" notes="12 minutes. Stay on paper until everybody has seen that 0.15 is small and positive."
# ## The bounce
#
# Now the ball of the first page. On paper: it falls for $\tau = \sqrt{2h/G}$ and arrives with speed
# $G\tau$. It leaves with $0.8 \, G\tau$, and rises for what is left of the second:
#
# $$y = 0.8 \, G \tau (1 - \tau) - \tfrac12 G (1 - \tau)^2$$
#
# With $d\tau/dh = 1/(G\tau)$ the slope is $dy/dh = 0.8 \, (1 - 2\tau)/\tau + (1 - \tau)/\tau$.

# %% tags=["given"] slide="Height 1.1890 m, slope 0.1509"
# Given: the formula as a function.
G, KEEP = 9.81, 0.8


def truth(h):
    """Height after one second, and its slope, on paper."""
    tau = np.sqrt(2 * h / G)
    height = KEEP * G * tau * (1 - tau) - G * (1 - tau) ** 2 / 2
    return height, KEEP * (1 - 2 * tau) / tau + (1 - tau) / tau


print("height {:.4f} m, slope {:.4f}".format(*truth(2.1)))

# %% [markdown] slide="## Three programs notice the bounce too late\n\nAfter a step the ball is under the floor. Then\n\n- *turn*: the velocity is reversed,\n- *floor*: the same, and the ball is put on the floor,\n- *mirror*: the same, and the position is mirrored."
# So dropped from a centimetre higher, it ends 1.5 millimetres higher: up, but only a little. Now three simulations. Each makes time steps, and each
# notices the bounce in the same way: after a step, the ball is under the floor. Then
#
# - *turn* reverses the velocity,
# - *floor* reverses the velocity and puts the ball on the floor,
# - *mirror* reverses the velocity and mirrors the position: what was under the floor is now above it.
#
# In a program, none of the three looks wrong. With steps of a tenth of a second you see what they do:

# %% tags=["picture", "given"] slide="Under the floor: three ways to go on" alt="Height over time, with a dot for each tenth of a second. All balls fall along one curve from 2.1 m. After 0.7 s each program would be under the floor: turn goes on from there and stays lowest, floor from height 0, mirror from above the floor and comes highest. The line on paper bounces between two dots, after 0.65 s, and ends a little lower than floor."
# Given: this only draws.
times, tau = np.arange(11) / 10, np.sqrt(2 * 2.1 / G)
plt.figure(figsize=(7, 3.2))
for way, look in [("turn", "s:"), ("floor", "o-."), ("mirror", "^--")]:
    y, speed, seen = 2.1, 0.0, [2.1]
    for _ in times[1:]:
        y, speed = y + 0.1 * speed - G * 0.1**2 / 2, speed - 0.1 * G
        if y < 0:
            y, speed = {"turn": y, "floor": 0.0, "mirror": -y}[way], -KEEP * speed
        seen.append(y)
    plt.plot(times, seen, look, label=way)
fine = np.linspace(0, 1, 400)
up = fine - tau
paper = np.where(up < 0, 2.1 - G * fine**2 / 2, KEEP * G * tau * up - G * up**2 / 2)
plt.plot(fine, paper, "k-", linewidth=1, label="on paper")
plt.axhline(0.0, color="gray", linewidth=1)
plt.xlabel("seconds")
plt.ylabel("height [m]")
plt.legend(loc="lower left")
plt.show()

# %% [markdown] slide=""
# One program has all three:


# %% slide="One program has all three"
def bounce(y, way, steps=50):
    """The height after one second of a ball that is dropped from height y."""
    dt, v = 1.0 / steps, 0.0 * y
    for _ in range(steps):
        y, v = y + v * dt - G * dt**2 / 2, v - G * dt
        under = y < 0.0
        v = tf.where(under, -KEEP * v, v)
        if way != "turn":
            y = tf.where(under, 0.0 * y if way == "floor" else -y, y)
    return y


# %% tags=["given"] slide=""
# Given.
def by_tape(f, h):
    """The value of f at h, and its slope by a tape."""
    h = tf.constant([h], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(h)
        y = f(h)
    return float(y[0]), float(tape.gradient(y, h)[0])


# %% tags=["given"] slide="The heights come near"
# Given.
ways = ["turn", "floor", "mirror"]
found = {
    (way, steps): by_tape(lambda h, way=way, steps=steps: bounce(h, way, steps), 2.1)
    for way in ways
    for steps in (60, 600, 6000)
}
print("height with  60 steps     600    6000")
for way in ways:
    print(f"{way:12}", *(f"{found[way, steps][0]:8.4f}" for steps in (60, 600, 6000)))

# %% [markdown]
# The heights come near to the true 1.1890 as the steps get finer.

# %% slide="And the error of the slope? | It does not shrink at all" notes="3 minutes. A show of hands for each of the three. The heights on the slide before got at least ten times better."
with viz.predict(
    "With steps ten times finer, the error of the height is at least ten times smaller here. And the error of the "
    "slope, which should be 0.1509: is it ten times smaller, three times smaller, or not smaller at all?",
    "Not smaller at all: the slopes are +1, 0 and -1, however fine the steps are.",
):
    print("slope with   60 steps     600    6000")
    for way in ways:
        print(f"{way:12}", *(f"{found[way, steps][1]:+8.4f}" for steps in (60, 600, 6000)))

# %% [markdown] slide="## The gradient does not get better when the simulation does\n\nWhy? The tape has made no mistake." notes="Let them argue before the picture. Nobody made a mistake: the tape differentiates what ran."
# The gradient does not get better when the simulation does. How can that be?
#
# The tape has made no mistake. Look at the simulated height over a large range of $h$, and over a small
# one:


# %% tags=["picture", "given"] minutes=1 slide="A sawtooth lies along the curve" alt="Two panels of the simulated height over the starting height. Left, from 1.3 to 3 m: the simulation by turn is a sawtooth under the curve of the formula; each tooth rises steeply, touches the curve, and jumps down. Right, from 1.9 to 2.2 m, the teeth of three programs along the gently rising dashed line: turn rises with slope 1 below it, floor is flat, mirror falls with slope -1 above it. An arrow points to a gap between two teeth of turn: here the ball sticks at the floor."
# Given: this only draws.
def draw(panel, ways, low, high):
    """The simulated heights of some ways, without balls that stick, and the formula."""
    h = np.linspace(low, high, 2000)
    for way, look in zip(ways, ["-", ":", "-."], strict=False):
        y = bounce(tf.constant(h), way).numpy()
        y[(y < truth(h)[0] - 0.3) | (np.abs(np.diff(y, prepend=y[0])) > 0.02)] = np.nan
        panel.plot(h, y, look, label=way)
    panel.plot(h, truth(h)[0], "k--", linewidth=1, label="on paper")
    panel.set_xlabel("dropped from h [m]")
    panel.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)


figure, panels = plt.subplots(1, 2, figsize=(8, 3.5))
draw(panels[0], ["turn"], 1.3, 3.0)
draw(panels[1], ways, 1.9, 2.2)
panels[1].annotate(
    "a gap: the ball sticks",
    (2.022, 1.1),
    (2.022, 1.05),
    ha="center",
    arrowprops={"arrowstyle": "->"},
)
panels[1].set_ylim(bottom=1.04)
panels[0].set_ylabel("height after one second [m]")
plt.tight_layout()
plt.show()

# %% [markdown]
# The simulation of *turn* is a **sawtooth** below a smooth curve (where the curve is less steep than 1, as here), that of
# *mirror* one above it. *Floor* is a staircase, above the curve where it rises. In the gaps the ball sticks at the floor, and
# is left out of the picture; *Further* says why.
#
# On one tooth the ball bounces in a step with a fixed number. Until then it falls for the same time, whatever $h$ is, so its
# speed at the bounce is the same, too. Only its position there changes, by one centimetre for each centimetre of $h$. *Turn*
# keeps that position: slope 1. *Floor* writes 0 over it: slope 0. *Mirror* changes its sign: slope −1.

# %% [markdown]
# From tooth to tooth the *number of the step that bounces* jumps. A tape sees the operations that ran, with the choices that
# were made: one tooth. The jumps, which bring the curve back, are not in its list. Finer steps make the teeth smaller, not
# flatter.

# %% [markdown] slide="## The cure: find the moment of contact\n\n$s = (v + \\sqrt{v^2 + 2Gy})/G$ is part of the program, and depends on $h$." notes="5 minutes. First the formula, then the four walks. Ask which walk is content with a wrong answer."
# ## Find the moment of contact
#
# In the step in which the ball would go under the floor, compute *when* it touches: the $s$ with
# $y + v s - G s^2/2 = 0$, that is $s = (v + \sqrt{v^2 + 2 G y})/G$. Go on from there with the speed at that
# moment. Now $s$ is part of the recorded program, and it depends on $h$.


# %% slide="Height and slope are right, with 50 steps already"
def bounce_at_contact(y, steps=50):
    """The same with the moment of contact inside the step."""
    dt, v = 1.0 / steps, 0.0 * y
    for _ in range(steps):
        later_y, later_v = y + v * dt - G * dt**2 / 2, v - G * dt
        s = (v + tf.sqrt(v**2 + 2 * G * y)) / G
        up, rest = -KEEP * (v - G * s), dt - s
        under = later_y < 0.0
        y = tf.where(under, up * rest - G * rest**2 / 2, later_y)
        v = tf.where(under, up - G * rest, later_v)
    return y


for steps in (50, 500):
    height, slope = by_tape(lambda h, steps=steps: bounce_at_contact(h, steps), 2.1)
    print(f"{steps:4} steps: height {height:.4f}, slope {slope:+.4f}")

# %% [markdown]
# Height and slope are those on paper, even with 50 steps: the moment is exact, and so are the steps of a free fall. *Further* says
# what this program cannot do.
#
# Does a wrong slope matter? We use it to aim. From which height must the ball be dropped so that it is at 1.1 m after one
# second? On paper the answer is 1.769 m, or 3.015 m on the other side of the top.

# %% slide="Four programs aim at 1.1 m: who is right in truth? | Contact alone" notes="2 minutes. All start at 2 m. Let them say for each program which way it goes."
methods = {way: lambda h, way=way: bounce(h, way) for way in ways}
methods["contact"] = bounce_at_contact
with viz.predict(
    "Each program takes forty steps downhill from h = 2, along its own gradient. Which of the four ends at a height from "
    "which the ball is *in truth* within a centimetre of 1.1 m: all, contact alone, or none?",
    "Contact alone. Two of the others believe that they have arrived, and the third never moves.",
):
    walks = {name: [] for name in methods}
    for name, f in methods.items():
        h = tf.Variable([2.0], dtype=tf.float64)
        for _ in range(40):
            with tf.GradientTape() as tape:
                y = f(h)
                loss = tf.reduce_sum((y - 1.1) ** 2)
            walks[name].append((float(h[0]), float(y[0])))
            h.assign_sub(0.5 * tape.gradient(loss, h))
        end, believed = float(h[0]), float(f(h)[0])
        walks[name].append((end, believed))
        real = truth(end)[0]
        print(f"{name:8} goes to h = {end:.3f}, believes {believed:.3f}, in truth {real:.3f}")

# %% tags=["picture", "given"] minutes=2 slide="Four walks to 1.1 m: three end on a lie" notes="2 minutes. Let it run once without a word. Then ask: who has arrived, and who only believes so?"
# Given: this only draws.
h = np.linspace(1.65, 3.2, 6201)


def teeth(f):
    """The pieces of a simulated curve, without balls that stick."""
    y = f(tf.constant(h)).numpy()
    rises = np.diff(y)
    jumps = np.flatnonzero(np.abs(rises - np.median(rises)) > 0.0003) + 1
    pieces = [p for p in np.split(np.stack([h, y], 1), jumps) if p[0, 1] > truth(p[0, 0])[0] - 0.3]
    return [[*piece[:-1:200], piece[-1]] for piece in pieces]


titles = {
    name: f"{name}: believes {walk[-1][1]:.3f}, in truth {truth(walk[-1][0])[0]:.3f}"
    for name, walk in walks.items()
}
strolling(
    [(titles[name], teeth(f), walks[name]) for name, f in methods.items()],
    np.stack([h, truth(h)[0]], 1)[::200],
    1.1,
    "Four panels with the height after one second over the height of the drop, a dashed curve that is the same in each: it rises to a flat top and falls. A dotted line marks "
    "the aim, 1.1 m. In each panel a dot takes forty steps from h = 2 on the curve of its program. Turn has rising teeth below the dashed curve; its dot stops on a tooth, "
    "where the tooth crosses the dotted line. Floor has a staircase, and its dot never moves. Mirror has falling teeth above the curve; its dot goes the wrong way, over "
    "the top, to a tooth on the far side. The curve of contact is the dashed one, and its dot goes down it to the dotted line.",
    ("aim: 1.1 m", "dropped from h", "height after 1 s"),
)

# %% [markdown]
# The open ring is the start. *Turn* found a place on a tooth that has 1.100 on it, and is content. *Floor* gets the gradient 0 and stays. *Mirror* walks
# the wrong way, over the top, until another tooth gives it what it wants. Only *contact* goes to one of the two heights, and
# it is still on its way in the last digit.
#
# A moment that depends on the state, such as a contact, is called an **event**.
#
# **Rule.** Where a program chooses *when* something happens by counting steps, the derivative of the "when" is lost. Find the
# moment, or do not trust the gradient.
#
# Simulators of robots have thousands of contacts, and know two more cures. A floor that is a spring has a slope
# everywhere, but a stiff one needs short time steps. And the *mean height* over many random drops is a smooth function, whose gradient lesson 15 finds without any
# slope of a single drop.

# %% [markdown] notes="2 minutes. Ask for an example of each line from their own field."
# ## A table to keep
#
# | the simulation | take |
# |:--|:--|
# | smooth and short | a tape |
# | smooth and long | a tape with checkpoints, $2\sqrt n$ states |
# | comes to rest | the implicit rule: one linear system, no history. See *Further* |
# | has contacts, switches, counted events | find the moment; else do not trust the gradient |
# | chaotic, see *Further* | shorten it: a long gradient says nothing about a change that you can make |

# %% [markdown] slide="## The same elsewhere\n\n| here | PyTorch | JAX |\n|:--|:--|:--|\n| `tf.recompute_grad(f)` | `checkpoint(f, x, use_reentrant=False)` | `jax.checkpoint(f)` |\n| *turn*, *floor*, *mirror* | +1, 0, -1 | +1, 0, -1 |\n| 100 steps in Python | the same | `lax.scan`, one line of the trace |" notes="1 minute. The lie is nobody's bug: three frameworks tell it."
# ## The same elsewhere
#
# | here, and in TensorFlow | PyTorch | JAX |
# |:--|:--|:--|
# | `tf.recompute_grad(f)(x)` | `torch.utils.checkpoint.checkpoint(f, x, use_reentrant=False)` | `jax.checkpoint(f)(x)` |
# | *turn*, *floor*, *mirror* with `tf.where`: +1, 0, -1 | with `torch.where`: +1, 0, -1 | with `jnp.where`: +1, 0, -1 |
# | the moment of contact: 0.1509 | 0.1509 | 0.1509 |
# | a loop of 100 steps: 100 times the records | the same | the same, or `lax.scan`: one line of the trace |

# %% [markdown] slide="## Exercises\n\nSegments; a racket; a test for lies; a rest" notes="For homework, 45 minutes. The test for lies is the one that teaches most."
# ## Exercises
#
# Replace each `...` with your code, run the cell, and run the check below it. It says *Right* and why, or what is probably
# wrong and how many points there are so far.

# %% [markdown]
# **Exercise 1.** A chain of 400 equal steps, and memory for few states. Write
# `gradient_in_segments(step, x, count)`: the gradient of the *sum* of the last state with respect to `x`, where the last
# state is `step` applied 400 times. Cut the chain into `count` equal segments with `tf.recompute_grad`.


# %% nbgrader={"grade": false, "grade_id": "checkpoints", "locked": false, "schema_version": 3, "solution": true, "task": false}
def gradient_in_segments(step, x, count):
    """The gradient of sum(step(step(... x))) after 400 steps."""
    ### BEGIN SOLUTION

    def segment(state):
        for _ in range(400 // count):
            state = step(state)
        return state

    with tf.GradientTape() as tape:
        tape.watch(x)
        state = x
        for _ in range(count):
            state = tf.recompute_grad(segment)(state)
        total = tf.reduce_sum(state)
    return tape.gradient(total, x)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "checkpoints-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
with viz.Score(3) as score:
    small = tf.constant(np.random.default_rng().uniform(0.5, 2.0, 3))
    try:
        found = gradient_in_segments(
            lambda state: 0.999 * state * (1.001 - 0.001 * state), small, 20
        )
    except TypeError as error:
        raise AssertionError(
            f"It stops with {error}. The function is wrapped, and then called: tf.recompute_grad(segment)(state). "
            "And a number of steps is whole: 400 // count."
        ) from error
    state, slope = small.numpy(), 1.0
    for _ in range(400):
        slope = slope * 0.999 * (1.001 - 0.002 * state)
        state = 0.999 * state * (1.001 - 0.001 * state)
    assert found is not None, (
        "Nothing is returned yet, or None came back: is x watched, and the sum computed inside the block?"
    )
    said = (
        "Not the gradient of the sum after 400 steps: count the steps. Does each segment begin where the one "
        "before it ended?"
    )
    if np.shape(found) == (3,) and np.allclose(found, 1.0):
        said = "That is the gradient with respect to the last state: keep the first x under a name of its own."
    if np.shape(found) == (3,) and np.allclose(3.0 * np.asarray(found), slope):
        said = "That is the gradient of the mean: the sum of the last state is asked for."
    score.part(1, np.shape(found) == (3,) and np.allclose(found, slope), said)
    steps_run = []

    def counted(state):
        steps_run.append(1)
        return tf.sin(state)

    long = tf.constant(np.full(20_000, 0.5))
    gradient_in_segments(counted, long, 20)
    run = len(steps_run)

    def held(count, step=tf.sin):
        """The most vectors that are in memory at once."""
        tracemalloc.start()
        gradient_in_segments(step, long, count)
        most = tracemalloc.get_traced_memory()[1] / long.numpy().nbytes
        tracemalloc.stop()
        return most

    states, few = held(20), held(4, lambda state: tf.sin(tf.sin(tf.sin(state))))
    if score.earned:
        hint = (
            f"With 4 segments of three sines a step {few:.0f} vectors are held, where about 300 are expected: "
            "`count` is the number of segments, not of steps in one."
        )
        if states >= 60:
            hint = (
                f"{states:.0f} states are held at a time, and about 45 are enough: wrap each segment of 20 "
                "steps in tf.recompute_grad, and let the tape not be persistent."
            )
        score.part(1, states < 60 and few > 250, hint)
        score.part(
            1,
            400 < run <= 800,
            f"The step ran {run} times. Computed twice it would be at most 800, and computed once 400: "
            "does each segment begin where the one before it ended, and is it computed again?",
        )
    score.total("20 states that enter, 20 inside of one segment, and no step more than twice.")
score.earned

# %% [markdown]
# **Exercise 2.** The floor is now a racket that moves *up* with speed `c`. The ball is at height `y` above
# it and has the speed `v` (up is positive). Write `contact(y, v, c)`, which gives `s` and `after`: in how
# many seconds the ball meets the racket, and the speed of the ball just after. Against the racket it keeps
# 0.8 of its speed. (Hint: seen from the racket the ball has the speed $v - c$.)


# %% nbgrader={"grade": false, "grade_id": "contact", "locked": false, "schema_version": 3, "solution": true, "task": false}
def contact(y, v, c):
    """The seconds until the ball meets the racket, and its speed just after."""
    s = after = None
    ### BEGIN SOLUTION
    fall = v - c
    s = (fall + tf.sqrt(fall**2 + 2 * 9.81 * y)) / 9.81
    after = c - 0.8 * (fall - 9.81 * s)
    ### END SOLUTION
    return s, after


# %% nbgrader={"grade": true, "grade_id": "contact-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    draw = np.random.default_rng()
    cases = draw.uniform([0.3, -2.0, 0.2], [2.0, 3.0, 2.0], (5, 3))
    answers = [contact(*(tf.constant(number, tf.float64) for number in case)) for case in cases]
    assert all(isinstance(each, tuple | list) and len(each) == 2 for each in answers), (
        "Return two numbers: `return s, after`."
    )
    y, v, c = np.transpose(cases)
    moment = (v - c + np.sqrt((v - c) ** 2 + 2 * 9.81 * y)) / 9.81
    meeting = v - 9.81 * moment
    assert all(s is not None for s, _ in answers), (
        "The time is None yet: after s the ball is where the racket is then."
    )
    numbers = [[np.nan if each is None else float(each) for each in answer] for answer in answers]
    s, after = np.transpose(numbers)
    assert not (np.allclose(after, moment) and np.allclose(s, c - 0.8 * (meeting - c))), (
        "The other order: first s, then after."
    )
    where = "After s the ball should be where the racket is then: it has moved up by c * s."
    past = "That is a meeting in the past: take the other root."
    follows = np.allclose(after, c - 0.8 * (v - 9.81 * s - c)) and (s > 0).all()
    if follows:  # a slip in s costs its own point alone
        where = f"{where} The speed follows from your s as it should."
    score.part(1, np.allclose(s, moment), past if (s < 0).any() else where)
    if np.allclose(after, -0.8 * meeting):
        hint = "The racket hits the ball: its own speed counts before and after the contact."
    elif np.allclose(after, -0.8 * (meeting - c)):
        hint = "That is its speed seen from the racket, which moves: add c."
    elif np.allclose(after, c - 0.8 * meeting):
        hint = "Half of it: add c afterwards, and take it away before: seen from the racket the ball has v - G s - c."
    elif np.allclose(after, c - 0.8 * (v - c)):
        hint = "That turns the speed of now: gravity goes on until the contact."
    else:
        hint = (
            "The speed after: seen from the racket, turn it, times 0.8; then from the ground again."
        )
    if any(each is None for _, each in answers):
        hint = "after is None yet: take the speed at the contact, seen from the racket, and turn it, times 0.8."
    score.part(1, follows or np.allclose(after, c - 0.8 * (meeting - c)), hint)

    def end_and_slope(y, c):
        """One second after the ball was dropped from y above the racket: the slope of its height."""
        y, c = tf.constant(y, tf.float64), tf.constant(c, tf.float64)
        with tf.GradientTape() as tape:
            tape.watch(y)
            s, after = contact(y, tf.constant(0.0, tf.float64), c)
            end = c * s + after * (1.0 - s) - 9.81 * (1.0 - s) ** 2 / 2
        return tape.gradient(end, y)

    if score.earned == 2:
        heights, up = draw.uniform([[1.0], [0.2]], [[2.1], [1.5]], (2, 5))
        slopes = [end_and_slope(*case) for case in zip(heights, up, strict=True)]
        root = np.sqrt(
            up**2 + 2 * 9.81 * heights
        )  # with s = (root - c) / G and after = c + 0.8 root
        rest = 1.0 - (root - up) / 9.81
        right = up / root + 0.8 * 9.81 / root * rest - (up + 0.8 * root) / root + 9.81 * rest / root
        if any(slope is None for slope in slopes):
            score.part(
                2,
                False,
                "The numbers are right, but the tape saw no path: use tf.sqrt, and neither float() nor tf.stop_gradient.",
            )
        else:
            score.part(
                2,
                np.allclose([float(slope) for slope in slopes], right),
                "The numbers are right, but the slope lies: s or the speed is a plain number somewhere, or inside "
                "tf.stop_gradient, so the tape does not see that it depends on y.",
            )
    score.total("moment, speed and slope agree with the formula.")
score.earned

# %% [markdown]
# **Exercise 3.** The test that this lesson needs. A gradient makes a promise: walk from one height to the next, always by the
# gradient where you are, and it says how much higher the ball ends. Write `lies(f, h)`: `True` if what the gradients of `f`
# promise on the way from $h - 0.1$ to $h + 0.1$ is not what `f` does, and `False` if it is. A centimetre more or less is no lie.
#
# `f` is a simulation such as `bounce`: it takes heights of shape (n,) and `float64`, and returns a height for each. On paper
# first: of how many heights do you need the value, and of how many the gradient?


# %% nbgrader={"grade": false, "grade_id": "lies", "locked": false, "schema_version": 3, "solution": true, "task": false}
def lies(f, h):
    """Whether the gradients of f say something else than f does, from h - 0.1 to h + 0.1."""
    ### BEGIN SOLUTION
    heights = tf.constant(np.linspace(h - 0.1, h + 0.1, 1001))
    with tf.GradientTape() as tape:
        tape.watch(heights)
        ends = f(heights)
    promised = 0.2 * float(tf.reduce_mean(tape.gradient(ends, heights)))
    return abs(promised - float(ends[-1] - ends[0])) > 0.01
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "lies-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    draw = np.random.default_rng()  # other programs each time
    h, steps, turned = draw.uniform(1.55, 1.65), draw.integers(90, 130), draw.choice([-1.0, 1.0])

    def stepped(way):
        def f(y):
            dt, v = 1.0 / steps, 0.0 * y
            for _ in range(steps):
                y, v = y + v * dt - 9.81 * dt**2 / 2, v - 9.81 * dt
                under = y < 0.0
                v = tf.where(under, -0.8 * v, v)
                if way != "turn":
                    y = tf.where(under, 0.0 * y if way == "floor" else -y, y)
            return y

        return f

    def on_paper(y):
        fall = tf.sqrt(2.0 * y / 9.81)
        return 0.8 * 9.81 * fall * (1.0 - fall) - 9.81 * (1.0 - fall) ** 2 / 2

    @tf.custom_gradient
    def doubled(y):
        return 3.0 * y, lambda g: 6.0 * g

    def jumps(y):
        return tf.where(y > h + turned * 0.07, y + 0.5, y)

    honest = {
        "a straight line": lambda y: 1.5 * y,
        "the bounce on paper": on_paper,
        "one that never changes": lambda y: 0.0 * y + 1.0,
    }
    bent = {
        "a wave that bends": lambda y: 0.1 * turned * tf.sin(20.0 * (y - h)),
        "one with a corner": lambda y: 0.5 * tf.abs(y - h - 0.03 * turned),
    }
    plain = {
        "a wrong rule, twice too large": doubled,
        "a path that is half cut": lambda y: 2.0 * y + tf.stop_gradient(y),
    }
    toothed = {way: stepped(way) for way in ("turn", "floor", "mirror")}
    try:
        said = {n: lies(f, h) for n, f in (honest | bent | plain | toothed | {"": jumps}).items()}
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        raise AssertionError(
            f"It stops with {error}. Does f get a tensor of heights, of shape (n,), and is that tensor watched?"
        ) from error
    assert not any(each is None for each in said.values()), (
        "Nothing is returned yet: True or False."
    )
    assert not any(np.ndim(each) for each in said.values()), (
        "Return one truth value for the whole way, not one for each height."
    )
    accused = [name for name in honest if said[name]]
    missed = [name for name in plain if not said[name]]
    if not any(said.values()):
        hint = (
            "You found no liar, not even one with a wrong rule, whose gradient is twice too large."
        )
    elif accused:
        hint = f"You accuse an honest program: {accused[0]}. A promise is a rise in metres: a slope, times the length of the way."
    else:
        hint = f"Not found: {missed[0] if missed else ''}. Its gradient is off everywhere, by a factor. What is promised for the whole way?"
    score.part(1, not accused and not missed, hint)
    if any(said.values()) and not accused:
        missed = [f"*{name}*" for name in toothed if not said[name]]
        hint = f"Not found: {', '.join(missed)}. A tooth is about 5 cm wide. If your two heights lie on the same tooth, tape and difference agree, and both lie."
        score.part(1, not missed, hint)
        score.part(1, said[""], "One jump, 7 cm from h, was not found: how long is the way?")
        accused = [name for name in bent if said[name]]
        hint = f"You accuse an honest program: {', '.join(accused)}. Its gradient changes on the way: at how many heights do you ask for it?"
        if missed:
            hint = "Whether it accuses a curve that bends shows only when it finds the teeth."
        score.part(1, not accused and not missed, hint)
    score.total("where the promise is not kept, something jumped that no tape has seen.")
score.earned

# %% [markdown]
# **Exercise 4.** A small network feeds its output back until it rests: $u = \tanh(W u + p)$. Somebody has found the resting state `u`.
# Write `rest_gradient(W, p, u, g)`: the gradient of $g^\top u$ with respect to $p$, from that state alone, with one linear
# system and no rounds. At rest $F = \tanh(W u + p) - u$ is 0. If $p$ changes, $u$ moves so that $F$ stays 0:
#
# $$F_u \, u_p + F_p = 0$$
#
# where $F_u$ and $F_p$ are Jacobians. You need $g^\top u_p$. `tape.jacobian`, `tf.linalg.solve` and one VJP are enough.


# %% nbgrader={"grade": false, "grade_id": "implicit", "locked": false, "schema_version": 3, "solution": true, "task": false}
def rest_gradient(W, p, u, g):
    """The gradient of sum(g * u) with respect to p, where u is at rest; W of shape (n, n), the others (n,)."""
    ### BEGIN SOLUTION
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([u, p])
        f = tf.tanh(tf.linalg.matvec(W, u) + p) - u
    adjoint = tf.linalg.solve(tf.transpose(tape.jacobian(f, u)), g[:, None])[:, 0]
    return -tape.gradient(f, p, output_gradients=adjoint)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "implicit-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    import sys

    called = set()

    def note(frame, event, _):
        """Notes which functions of linear algebra are called, NumPy's and minitape's."""
        if event == "call" and "linalg" in frame.f_code.co_filename:
            called.add(frame.f_code.co_name)

    draw = np.random.default_rng()
    matrix, shift, weight = 0.3 * draw.normal(size=(4, 4)), draw.normal(size=4), draw.normal(size=4)
    rest = np.zeros(4)
    for _ in range(500):
        rest = np.tanh(matrix @ rest + shift)
    profile = sys.getprofile()
    try:
        with viz.recording() as journal:
            sys.setprofile(note)
            found = rest_gradient(*map(tf.constant, (matrix, shift, rest, weight)))
    except (RuntimeError, TypeError, ValueError) as error:
        asked = "" if "None" not in str(error) else " (Are u and p watched?)"
        if isinstance(error, RuntimeError):
            asked = " (Is the tape persistent?)"
        if "output_gradients" in str(error):
            asked = " (The solution is a column: make it a vector of shape (4,).)"
        raise AssertionError(f"It stops with {type(error).__name__}: {error}{asked}") from error
    finally:
        sys.setprofile(profile)
    solvers = {
        "solve",
        "inv",
        "pinv",
        "lstsq",
        "det",
        "qr",
        "svd",
        "eig",
        "cholesky",
        "lu",
        "lu_factor",
    }
    rounds = sum(entry.op.name == "tanh" for entry in journal.entries)
    D, one = np.diag(1 - rest**2), np.eye(4)
    right = D @ np.linalg.solve((one - D @ matrix).T, weight)
    assert np.shape(found) == (4,), (
        "A gradient of shape (4,) is wanted: watch u and p, and compute F in the block."
    )
    if np.allclose(found, -right):
        score.part(2, True, "")
        score.part(1, False, "The sign: F_u u_p = -F_p.")
    elif np.allclose(found, -D @ np.linalg.solve(one - D @ matrix, weight)):
        score.part(1, True, "")
        said = "Two slips: the sign (F_u u_p = -F_p), and the transpose of F_u (W is not symmetric here)."
        score.part(2, False, said)
    elif np.allclose(found, -np.diag(D)):
        score.part(
            3, False, "That does not depend on g: it comes in as the right side of the system."
        )
    elif np.allclose(found, -D @ np.linalg.solve((D @ matrix).T, weight)):
        score.part(
            3, False, "F is what is zero at rest: tanh(W u + p) - u, not tanh(W u + p) alone."
        )
    elif np.allclose(np.abs(found), np.abs(np.linalg.solve((one - D @ matrix).T, weight))):
        score.part(
            3, False, "That is the solution of the system: the last step, with F_p, is missing."
        )
    elif np.allclose(found, D @ weight):
        score.part(3, False, "That is one round only: u itself changes too, and feeds back.")
    elif np.allclose(found, D @ np.linalg.solve(one - D @ matrix, weight)):
        score.part(2, True, "")
        score.part(1, False, "Solve with the transpose of F_u: W is not symmetric here.")
    elif score.part(
        3,
        np.allclose(found, right),
        "On paper: solve for u_p and put g^T before it. Which part of the product does one linear system find?",
    ):
        said = f"The gradient is right, but tanh ran {rounds} times. u rests already: one solve does it."
        if rounds <= 4:
            said = "The gradient is right, but by rounds: no linear system was solved, and one solve does it."
        score.part(1, rounds <= 4 and called & solvers, said)
    score.total("one solve with the transpose, one VJP, no history.")
score.earned

# %% [markdown] slide="**To think about.** With finer steps the sawtooth of *mirror* comes as near to the smooth curve as one likes. Does the mean of the lying *slopes* over many random heights come right? Where did the jumps go?"
# **To think about.** With finer steps the sawtooth of *mirror* comes as near to the smooth curve as one likes. Somebody proposes
# to take the mean of the lying slopes over many random heights. Does the mean of the *slopes* come right? Where did
# the jumps go?
#
# <details><summary>An answer</summary>
# No. Each tooth of *mirror* has the slope −1, and so has their mean. What brings the curve back are the jumps, and
# they happen at single heights, which a random height never meets: no mean of slopes counts them.
# </details>

# %% [markdown] notes="The mean of the slopes of mirror is −1: each tooth has it. The jumps are a measure of their own."
# ## What to remember
#
# - A simulation is a deep network with the physics as weights. Reverse mode holds every step; segments that
#   are computed twice bring $n$ down to $2\sqrt n$.
# - A tape differentiates the operations that ran, with the choices that were made: if a choice (an `if`, or the condition of a
#   `tf.where`) depends on the input, the gradient can be wrong for every step size, and nothing warns.
# - Find the moment of a contact, and the gradient is right, as long as the order of contacts stays the same. Dropped from a
#   centimetre higher, the ball of the beginning is 1.5 millimetres higher after one second. The +1, 0 and −1 were slopes of
#   single teeth.
# - In chaos the gradient grows exponentially; it is right, and useless. What rests needs no history. *Further* has both.
#
# **Read on.** Griewank, Walther, *Algorithm 799: Revolve*, 2000; Chen, Xu, Zhang, Guestrin,
# *Training Deep Nets with Sublinear Memory Cost*, 2016; Hu and others, *DiffTaichi: Differentiable
# Programming for Physical Simulation*, 2020; Metz, Freeman, Schoenholz, Kachman, *Gradients Are Not All You
# Need*, 2021; Bai, Kolter, Koltun, *Deep Equilibrium Models*, 2019; Lorenz, *Deterministic Nonperiodic
# Flow*, 1963.

# %% [markdown]
# ## Further: what forward mode holds
#
# The forward mode of lesson 7 keeps one frame of the film at a time, and gives one direction for each run. `tracemalloc` measures
# what Python really holds:


# %% tags=["given", "varies"]
# Given.
def forward():
    with tf.autodiff.ForwardAccumulator(many, tf.ones_like(many)) as accumulator:
        loss = miss(many)
    return accumulator.jvp(loss)


throw_alone, one_forward = peak(lambda: miss(many)), peak(forward)
print(f"the throw alone: {throw_alone:.1f} MB")
print(f"forward mode:    {one_forward:.1f} MB, reverse mode: {one_reverse:.0f} MB")

# %% [markdown]
# ## Further: a tangent on the teeth
#
# Move the tangent along the teeth of *mirror*. Its slope is −1 on each of them, and the curve rises all the same, by
# the jumps. The vertical lines are jumps; there is no slope there.

# %%
viz.curve(lambda h: bounce(h, "mirror"), (1.4, 2.2), at=1.5, title="Mirror: teeth that fall")

# %% [markdown]
# ## Further: a ball that sticks
#
# At some heights *turn* leaves the ball under the floor even one step after the turn. It is turned again, and again, and
# sticks just under the floor. That happens to about one height in five between 1.3 and 3 m, however fine the steps are.

# %% [markdown]
# ## Further: what the moment of contact cannot do
#
# With drag, height and slope would be only as accurate as the time steps allow. And the program sees one bounce in a step: a ball that
# bounces twice within one step falls through the floor, without a warning. If one lies on the floor, the program takes the root of 0,
# where the slope is infinite.

# %% [markdown]
# ## Further: chaos
#
# In 1963 Edward Lorenz published three equations for air that rolls over a warm ground, so simple that a student can type
# them, and found that a tiny change at the start becomes a large one. We differentiate twenty seconds of them (4000 steps;
# their unit of time, which has no name, we call a second), from 64 starts at once, and compute the gradient with respect to
# *every* state:


# %%
def weather(p, dt=0.005):
    """One step of Lorenz's equations; p of shape (..., 3)."""
    x, y, z = tf.unstack(p, axis=-1)
    return p + dt * tf.stack([10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z], -1)


states = [tf.constant(np.random.default_rng(0).normal(size=(64, 3)) + [1.0, 1.0, 25.0])]
for _ in range(2000):
    states = [weather(states[0])]  # until the starts have forgotten where they came from

with tf.GradientTape() as tape:
    tape.watch(states)
    for _ in range(4000):
        states.append(weather(states[-1]))
    end = tf.reduce_sum(states[-1][:, 0])
gradients = tape.gradient(end, states)

# %%
with viz.predict(
    "How long is the gradient of the weather after 20 seconds with respect to the weather at the start: about 1, "
    "about 100, or more?",
    "About 80 million. Its logarithm grows along a line.",
    alt="The mean logarithm of the gradient's length over the seconds before the end: nearly a "
    "straight line from 0 to about 18, close to a dashed line of slope 0.906.",
):
    growth = [np.log(np.linalg.norm(g.numpy(), axis=1)).mean() for g in reversed(gradients)]
    before = 0.005 * np.arange(4001)
    plt.figure(figsize=(6, 3))
    plt.plot(before, growth, "-", label="log of the gradient's length, mean of 64")
    plt.plot(before, 0.906 * before, "k--", label="0.906 for each second")
    plt.xlabel("seconds before the end")
    plt.ylabel("logarithm")
    plt.legend()
    plt.show()
    per_second = (growth[4000] - growth[1000]) / 15
    print(f"after 20 s: exp({growth[4000]:.1f}); it grows by {per_second:.2f} for each second")

# %% [markdown]
# The slope of that line is what mathematicians call the **largest Lyapunov exponent** of the system. The published
# value is 0.906. (We are a little above it, because Euler's steps are coarse: with steps of 0.001 one
# measures about 0.92.) So a tape measures chaos, with one backward pass.
#
# The gradient is *right*, and useless: it says what a change of $10^{-9}$ would do. For a change of a thousandth it says
# nothing, since the curve bends long before. Nothing in this course helps here but to shorten the time. A mean over time
# does not help: its gradient is a mean of such gradients, and grows as they do, although the mean itself changes gently.
#
# Not every long simulation is chaotic. The gradient of our throw stayed small for 100 steps.
#
# **Try it.** The map $x \to 4x(1 - x)$ is chaotic, too, and its exponent for each round is known on paper: $\log 2$. Let a tape measure it, in
# `float64`: the mean, over a few starts between 0 and 1, of the logarithm of the gradient's size after many rounds, divided by the rounds.

# %% [markdown]
# ## Further: equilibrium
#
# A washing line of 12 masses hangs between two posts. Its springs have a stiffness, the washing a weight, and a wind blows.
# It moves until it rests. How does the sag depend on these three numbers?

# %% tags=["given"]
# Given.
N = 12


def forces(u, p):
    """The force on each mass; u of shape (N, 2), p = (stiffness, weight, wind)."""
    stiffness, weight, wind = tf.unstack(p)
    ends = tf.concat([tf.zeros([1, 2], u.dtype), u, tf.constant([[1.0, 0.0]], u.dtype)], 0)
    gaps = ends[1:] - ends[:-1]
    stretch = 1.0 - (1.2 / (N + 1)) / tf.norm(gaps, axis=1, keepdims=True)
    pull = stiffness * stretch * gaps
    return pull[1:] - pull[:-1] + tf.stack([wind, -weight]) / N


# %% tags=["given"]
# Given.
def settled(p, rounds):
    """The masses after so many small steps along the forces."""
    across = np.linspace(0, 1, N + 2)[1:-1]
    u = tf.constant(np.stack([across, -0.3 * np.sin(np.pi * across)], 1))
    for _ in range(rounds):
        u = u + 0.02 * forces(u, p)
    return u


def sag(u):
    """The mean height of the masses: negative, for they hang below the posts."""
    return tf.reduce_mean(u[:, 1])


# %% tags=["picture", "given"] alt="Three lines of twelve masses between two posts at the same height. The first hangs in the middle. The one with twice the weight hangs lower. The one with five times the wind hangs less low and is blown to the right, beyond the right post."
# Given: this only draws.
plt.figure(figsize=(7, 2.8))
for name, numbers, look in [
    ("weight 1, wind 0.3", [20.0, 1.0, 0.3], "o-"),
    ("twice the weight", [20.0, 2.0, 0.3], "s--"),
    ("five times the wind", [20.0, 1.0, 1.5], "^:"),
]:
    u = settled(tf.constant(numbers, tf.float64), 4000).numpy()
    masses = np.concatenate([[[0.0, 0.0]], u, [[1.0, 0.0]]])
    plt.plot(*masses.T, look, markersize=5, label=name)
plt.xlabel("across")
plt.ylabel("height")
plt.ylim(top=0.3)
plt.legend(loc="upper center")
plt.show()


# %% tags=["given"]
# Given.
p = tf.constant([20.0, 1.0, 0.3], tf.float64)
with viz.recording(), tf.GradientTape() as tape:
    tape.watch(p)
    deep = sag(settled(p, 4000))
print(len(tape.recording.records), "records")
through_all = tape.gradient(deep, p).numpy()
print("through all rounds:", through_all.round(6))

# %% [markdown]
# It works, with a tape of more than seventy thousand records. Stiffer springs lift the masses, more washing lowers them, and
# more wind lifts them. So you can weigh one against another: washing that is a tenth heavier needs springs that are stiffer
# by about 2.1, to hang as high on average. But at rest, does it matter how the line got there? At rest the forces are zero,
# $F(u, p) = 0$. If $p$ changes a little, the line rests elsewhere, and there the forces are zero again. So along the rest
#
# $$F_u \, u_p + F_p = 0$$
#
# $$u_p = -F_u^{-1} F_p$$
#
# where $F_u$ and $F_p$ are the Jacobians of the forces *at the rest*, and $F_u$ has an inverse: however the
# masses move, a force pulls them back. We do not need $u_p$ itself but its VJP with the cotangent $g$ of $u$:
#
# $$g^\top u_p = -(F_u^{-\top} g)^\top F_p$$
#
# **One Jacobian of the forces, one linear system and one VJP, and no history at all.** This is the implicit function theorem of lesson 6, for many
# unknowns. `tf.custom_gradient` puts it into the rule: the function below it gives its result, and a rule for the
# backward pass. The forward pass gets $p$ through `stop_gradient`, so the tape does not record the rounds.


# %%
@tf.custom_gradient
def resting(p):
    """Where the line rests; its derivative is that of the rest, not of the rounds."""
    u = settled(tf.stop_gradient(p), 4000)

    def rule(g):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([u, p])
            f = forces(u, p)
        matrix = tf.reshape(tape.jacobian(f, u), [2 * N, 2 * N])
        adjoint = tf.linalg.solve(tf.transpose(matrix), tf.reshape(g, [2 * N, 1]))
        return -tape.gradient(f, p, output_gradients=tf.reshape(adjoint, [N, 2]))

    return u, rule


# %%
with viz.predict(
    "How many records does the tape hold now, and how many digits of the gradient agree?",
    "Three: our rule, and the mean of one column. Ten digits agree.",
):
    with viz.recording(), tf.GradientTape() as tape:
        tape.watch(p)
        deep = sag(resting(p))
    print(len(tape.recording.records), "records")
    by_rule = tape.gradient(deep, p).numpy()
    print("by the rule:       ", by_rule.round(6))
    print("ten digits agree:", np.allclose(by_rule, through_all, rtol=1e-10, atol=1e-12))

# %% [markdown]
# The theorem in a picture, for the weight alone. On the black curve the forces are zero. All rounds happen at *one* weight: they
# lead onto the curve. The derivative is the slope of the curve, and that is known at the point where the line rests.

# %% tags=["picture", "given"] alt="The mean height of the masses over the weight. A black curve of places at rest, through nine small squares, falls from the left to the right. Dots come down straight from above onto it at the weight 1, ever closer together: the line after more and more rounds. A dashed line touches the curve there."
# Given: this only draws.
weights = np.linspace(0.5, 1.5, 9)
at_rest = [
    float(sag(settled(tf.constant([20.0, each, 0.3], tf.float64), 4000))) for each in weights
]
on_the_way = [float(sag(settled(p, rounds))) for rounds in (40, 60, 80, 120, 160, 240, 320, 4000)]
plt.figure(figsize=(6, 3))
plt.plot(weights, at_rest, "ks-", markersize=4, label="at rest: forces zero")
plt.plot(weights, float(deep) + by_rule[1] * (weights - 1.0), "--", label="slope by the rule")
plt.plot(np.ones(len(on_the_way)), on_the_way, "o", markersize=5, label="on the way")
plt.xlabel("weight")
plt.ylabel("mean height of the masses")
plt.legend()
plt.show()

# %% [markdown]
# Check a rule that you have written: `tf.check_gradients` settles the line again for each changed number, and compares the
# rule with the differences. Lesson 6 says more.

# %%
report = tf.check_gradients(lambda p: sag(resting(p)), [p], order=1)
print("the rule agrees with differences:", bool(report))

# %% [markdown]
# The theorem needs $F = 0$, and an $F_u$ with an inverse: check both before you use it. The next section stops too early, to see
# what happens.

# %% [markdown]
# ## Further: stopped too early
#
# And if we stop before the line rests? After 300 rounds a force of about 0.003 is left (a mass weighs 0.083). Both gradients are off:

# %%
u = settled(p, 300)
with tf.GradientTape() as tape:
    tape.watch(p)
    deep = sag(settled(p, 300))
early = tape.gradient(deep, p).numpy()
with tf.GradientTape(persistent=True) as tape:
    tape.watch([u, p])
    f, deep = forces(u, p), sag(u)
matrix = tf.reshape(tape.jacobian(f, u), [2 * N, 2 * N])
seed = tf.reshape(tape.gradient(deep, u), [2 * N, 1])
adjoint = tf.reshape(tf.linalg.solve(tf.transpose(matrix), seed), [N, 2])
implicit = -tape.gradient(f, p, output_gradients=adjoint).numpy()
print(f"largest force left: {np.abs(f.numpy()).max():.4f}")
for name, slopes in [("through the rounds", early), ("implicit", implicit)]:
    print(f"{name:18} is off by {np.round(100 * np.abs(slopes / by_rule - 1), 1)} percent")

# %% [markdown]
# Both are off, and the implicit rule is about four to nine times nearer, although the line does not rest yet. Its only
# error is that the line is not quite at rest. The tape of the rounds misses more: what the rounds that were not run would
# have added to the slope.

# %% [markdown]
# ## Further: from the history
#
# The trade of time for memory is old: in 1992 Andreas Griewank described how, with checkpoints within
# checkpoints, the memory, and how many times each step is run, need to grow only as the logarithm of the number of steps.
# With Andrea Walther he published a program for it in 2000, *Algorithm 799: Revolve*. Deep learning met the same idea again
# in 2016 (Chen and others). Edward Lorenz met chaos in a larger model of the weather, when he started a computation again
# from a printed number with three digits instead of six. Then he looked for simpler equations that do the same.
