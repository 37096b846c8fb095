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

# %% [markdown] slide="A tennis ball starts 1.5 m above the ground. After 2 seconds it should fly through a ring, 20 m away and 2 m high. Gravity, drag and a head wind work against it.\n\n**How must it be thrown?**" notes="3 minutes. Draw ball, ring and wind on the board. Everybody writes down two numbers before any code runs: how fast across, how fast up."
# # 1. The first gradient
#
# A tennis ball starts 1.5 m above the ground. After 2 seconds it should fly through a ring, 20 m away and 2 m high. Gravity
# pulls it down, the air slows it, and a head wind blows harder the higher it flies. **How must it be thrown?** Two
# numbers answer that: how fast across, and how fast up.
#
# No formula gives these two numbers. By the end of this lesson you will hit the ring anyway. You need derivatives from school
# and a few lines of Python.
#
# Afterwards you can
#
# - say what a gradient is, and what it tells you,
# - use the chain rule forward and backward,
# - record a computation on a tape, and ask the tape for the gradient,
# - walk downhill to the solution of a problem that has no formula.

# %% tags=["setup"]
import numpy as np

import minitape as tf
from minitape import viz
from minitape.viz.course.motion import INKS, circling, flying, there_and_back

# %% [markdown] slide=""
# The names after `tf.` are TensorFlow's. `viz` is the part of minitape that shows what happened.

# %% [markdown] slide="## A throw is a hundred small steps\n\nA hundred times, every 0.02 s:\n\n1. forces, per kilogram: gravity and the air\n2. velocity ← velocity + 0.02 · forces\n3. position ← position + 0.02 · velocity"
# ## A throw
#
# We cut the two seconds into 100 steps. In each step the forces change the velocity a little, and the velocity changes the
# position a little. There is no ground in the program, so a ball may fall below 0.


# %% tags=["needed", "given"] slide=""
# Given.
def fly(v, seconds=2.0):
    """All positions of a ball that is thrown with the velocity v = (across, up)."""
    dt = seconds / 100
    vx, vy = v[0], v[1]
    x, y = 0.0 * vx, 1.5 + 0.0 * vy  # 0 and 1.5, of the same type as v
    places = [(x, y)]
    for _ in range(100):
        wind = -6.0 * tf.tanh(y / 5.0)  # against us, and stronger higher up
        air = vx - wind  # the velocity against the air
        drag = 0.02 * tf.sqrt(air**2 + vy**2)
        vx = vx - dt * drag * air
        vy = vy - dt * (drag * vy + 9.81)
        x, y = x + dt * vx, y + dt * vy
        places.append((x, y))
    return places


# %% tags=["needed", "given"] slide="The miss is a squared distance"
# Given.
def miss(v, ring=(20.0, 2.0), seconds=2.0):
    """The squared distance between the ball and the ring at the end."""
    x, y = fly(v, seconds)[-1]
    return (x - ring[0]) ** 2 + (y - ring[1]) ** 2


# %% [markdown] slide=""
# `miss` returns the *square* of the distance, which is smooth at the ring. What we print is the distance itself, in metres.
# Here are the guesses of three other people. (`tf.constant` makes an array of numbers that never changes.)


# %% tags=["setup", "given"]
# Given: this only draws.
def in_the_wind(throws, names, alt):
    """The balls as they fly, with the wind at each height, and what is missing at the end."""
    ring, ends = (484, 204), [places[-1] for places in throws]
    high = [float(y) > 4.0 for _, y in ends]  # named beside the ball, the others below it
    below = ["" if above else name for name, above in zip(names, high, strict=True)]
    picture = flying(throws, below, (20.0, 2.0), alt)
    for height in range(1, 10, 2):
        y, long = 250 - 23 * height, 5 * 6.0 * np.tanh(height / 5.0)
        picture.add(
            f'<path d="M634,{y} h{-long:.0f} m7,-4 l-7,4 l7,4" fill="none" stroke="#999" '
            'stroke-width="2"/>'
        )
    picture.add('<text x="634" y="22" text-anchor="end">wind</text>')
    picture.add('<text x="10" y="234">1.5 m</text>')
    for (x, y), name, above in zip(ends, names, high, strict=True):
        x, y = 24 + 23 * float(x), 250 - 23 * float(y)
        picture.add(
            f'<path d="M{x:.1f},{y:.1f} L{ring[0]},{ring[1]}" fill="none" stroke-width="2" '
            f'stroke="{INKS["gradient"]}" stroke-dasharray="2 4"/>'
        )
        if above:
            picture.add(f'<text x="{x + 9:.1f}" y="{y - 2:.1f}">{name}</text>')
    if not any(abs(float(x) - 20.0) + abs(float(y) - 2.0) < 1.0 for x, y in ends):
        picture.add(f'<text x="{ring[0] + 17}" y="{ring[1] + 5}">ring</text>')
    return picture


# %% tags=["picture", "given"] minutes=1 slide="How far three guesses miss | Three guesses, and nobody hits"
# Given: this only draws.
guesses = [(10.0, 10.0), (15.0, 15.0), (20.0, 10.0)]
off = [float(miss(tf.constant(v))) ** 0.5 for v in guesses]
for v, each in zip(guesses, off, strict=True):
    print(f"({v[0]:g}, {v[1]:g}) misses by {each:.2f} m")
in_the_wind(
    [fly(tf.constant(v)) for v in guesses],
    [f"({v[0]:g}, {v[1]:g}): {each:.2f} m off" for v, each in zip(guesses, off, strict=True)],
    "Three balls fly from the left, one after the other, against a wind whose arrows are longer higher up. A dotted line leads from where each one ends to the ring. "
    "The first ends 6.6 m short of the ring, the second 4.7 m above it, the third 5.9 m beyond it.",
)

# %% [markdown] slide="## Try a little more, and a little less\n\nThrow with $v_x + h$ and with $v_x - h$. How much does the miss change, per unit of velocity?\n\n$$\\frac{\\text{miss}(v_x + h) - \\text{miss}(v_x - h)}{2h}$$"
# ## A little more
#
# Should we throw faster across, or slower? Try both: one throw with $v_x + h$, one with $v_x - h$. Divide the change of the miss
# by the change of the velocity, $2h$:
#
# $$\frac{\text{miss}(v_x + h) - \text{miss}(v_x - h)}{2h}$$
#
# This is a **central difference**; the method is called **finite differences**. For a small $h$ it is nearly a **derivative**,
# also called a **slope**: how much the miss changes, per unit of velocity, when the velocity changes a little. How small should
# $h$ be?

# %% slide="Which h gives the best slope? | The smallest h gives a slope of 0" notes="2 minutes. A show of hands. Most people choose the smallest."
with viz.predict(
    "Which `h` gives the best slope: 0.1, 0.001 or 0.0000001? (Our numbers have 7 digits.)",
    "0.1, the largest. With 0.0000001 the slope is 0: in 7 digits 10 + h and 10 - h are the same number. The exact slope is "
    "-15.84925, and no `h` gives all of its digits. Each slope also costs two throws.",
):
    for h in [0.1, 0.001, 0.0000001]:
        more, less = tf.constant([10.0 + h, 10.0]), tf.constant([10.0 - h, 10.0])
        print(f"h = {h:<6g} slope {(float(miss(more)) - float(miss(less))) / (2 * h):.5f}")

# %% [markdown] slide="## The gradient is the list of all slopes\n\nOne for each unknown: two here, perhaps a billion in a network.\n\n$$\\text{change of the miss} \\approx g_x d_x + g_y d_y = |g|\\,|d| \\cos\\varphi$$\n\nIt is largest when $d$ points along $g$: then the angle $\\varphi$ is 0." notes="4 minutes, the only derivation of the lesson: do not hurry. Write g . d on the board, and ask for the d of length 1 that makes it largest."
# ## The gradient
#
# There are two unknowns, so there are two slopes. The list of all slopes, one for each unknown, is the **gradient** $g$: two numbers
# here, perhaps a billion in a network.
#
# What does it tell us? Change both velocities a little, by $d = (d_x, d_y)$. Each change counts with its own slope:
#
# $$\text{change of the miss} \approx g_x d_x + g_y d_y$$
#
# This sum is $|g|\,|d| \cos\varphi$, where $\varphi$ is the angle between $g$ and $d$. So among all $d$ of one length it is largest
# when $d$ points along $g$ and smallest when it points against $g$. **The gradient points uphill, in the direction in which the
# miss grows fastest. The way down is against it.**

# %% tags=["picture", "given"] minutes=1 slide="Along g the miss grows most, against g it falls most" notes="1 minute. All changes on the circle have the same length. Before it runs: at which two places of the circle does the miss not change at all?"
# Given: this only draws. All changes d of the length 0.1, and what the miss does for each.
start, turn, h = np.array([10.0, 10.0]), np.linspace(0.0, 2.0 * np.pi, 97), 1e-4
g = [
    float(miss(tf.constant(start + h * e)) - miss(tf.constant(start - h * e))) / (2 * h)
    for e in np.eye(2)
]
uphill = np.arctan2(g[1], g[0]) % (2.0 * np.pi)
changes = 0.1 * np.stack([np.cos(turn), np.sin(turn)], 1)
grown = [float(miss(tf.constant(start + d)) - miss(tf.constant(start))) for d in changes]
along, lines = np.array([np.cos(uphill), np.sin(uphill)]), []
for part in (-0.08, -0.04, 0.0, 0.04, 0.08):  # lines on which the miss is the same
    half = (0.125**2 - part**2) ** 0.5 * np.array([-along[1], along[0]])
    lines.append(("", [part * along - half, part * along + half]))
marked = {}
for angle, words in [
    (uphill, "along g"),
    (uphill - np.pi, "against g"),
    (uphill - np.pi / 2, "across g"),
]:
    n = round(angle * 96 / (2 * np.pi))
    marked[n] = f"{words}: {round(grown[n], 1):+.1f} m²".replace("-0.0", "0").replace("+0.0", "0")
picture = circling(
    lines,
    changes,
    grown,
    marked,
    "On the left a circle of all changes of the velocity of the length 0.1, over straight lines on which the squared miss stays the same. A dot goes once round it. On the right is how much the squared miss "
    "changes at each place: a wave, at its lowest against the gradient, 1.6 m² less, at its highest along it, 1.6 m² more, and halfway between, across the gradient, 0.",
)
scale = 118 / max(abs(place) for _, line in lines for end in line for place in end)
x, y = 140 + 0.1 * scale * along[0], 145 - 0.1 * scale * along[1]
picture.add(
    f'<path d="M140,145 L{x:.0f},{y:.0f}" stroke="{INKS["gradient"]}" stroke-width="4"/>'
    f'<circle cx="{x:.0f}" cy="{y:.0f}" r="6" fill="{INKS["gradient"]}"/>'
    f'<text x="{x - 24:.0f}" y="{y - 4:.0f}" style="font-weight:bold">g</text>'
    '<text x="140" y="285" text-anchor="middle">faster across &#8594;</text>'
    '<text x="14" y="150" text-anchor="middle" transform="rotate(-90 14 150)">faster up &#8594;</text>'
    '<text x="507" y="18" text-anchor="middle">change of the squared miss</text>'
)
picture

# %% [markdown] slide=""
# Left: all changes $d$ of the length 0.1. Along a grey line the slopes promise the same change of the miss. Right: how much the
# squared miss really changes at each place of the circle.

# %% [markdown] slide="## Along a path, slopes multiply\n\nside → area → price: 3 → 9 → 18\n\n- a little more side: 6 times as much more area\n- a little more area: 2 times as much more price\n- a little more side: 6 · 2 = 12 times as much more price" notes="3 minutes. Both ways of multiplying give the same number. Which would they take with a thousand inputs and one output?"
# ## The chain rule
#
# How can we find slopes without any $h$? With a rule from school. A square has a side of 3, so its area is 9. A unit of area costs
# 2, so the price is 18:
#
# side → area → price
#
# - Change the side a little, and the area changes 6 times as much. (The derivative of $s^2$ is $2s$.)
# - Change the area a little, and the price changes 2 times as much.
# - So change the side a little, and the price changes $6 \cdot 2 = 12$ times as much.
#
# This is the **chain rule**: along a path, slopes multiply. In school you wrote it as $f(g(x))' = f'(g(x)) \cdot g'(x)$.
#
# You may multiply from either end. From the front: 6 at the area, then 6 · 2 at the price. From the back: 1 at the price, 2 at the
# area, 2 · 6 at the side. This course is about the second way. It is called **reverse mode**, or backpropagation.

# %% tags=["picture"] minutes=1 slide="Values go right, slopes come back left" notes="1 minute. Before the orange numbers come: what will stand under the side? With a thousand inputs and one output, which way is cheaper?"
there_and_back(
    [[("side = 3", "12")], [("area = 9", "2")], [("price = 18", "1")]],
    [[[("× 6", "")]], [[("× 2", "")]]],
    "Three boxes in a row: side, area and price. Blue numbers appear from left to right, 3, 9 and 18, and between them the slopes, times 6 and times 2. "
    "Then orange numbers come back from right to left: 1 at the price, 2 at the area, 12 at the side.",
)

# %% [markdown] slide=""
# The blue numbers are values. An orange one says how much the price changes, per unit of the value above it. To go one arrow
# back, multiply by the slope on it.

# %% [markdown] slide="## A tape records forward and multiplies backward\n\n**Forward** it writes down which operations ran. **Backward** it walks through its list and multiplies slopes." notes="Let them step through the player themselves: 2 minutes."
# ## The first tape
#
# A **tape** writes down which operations ran, *forward*. Then it walks through its list *backward* and multiplies slopes. A
# `tf.Variable` holds a value that may change. (`viz.recording()` only keeps a recording for the player.)

# %% slide="A tape for a price | Two slopes of 6 meet at the side"
side = tf.Variable(3.0)

with viz.recording(), tf.GradientTape() as tape:
    area = side * side
    price = 2.0 * area

player = viz.step(tape, price, side, title="Side, area, price", at="side")
print(tape.gradient(price, side).numpy())
player

# %% [markdown] slide=""
# **Step through it.** It opens where two slopes meet. Click *first step*, then press the right arrow key.
#
# - *Forward*: both products are recorded, with their numbers.
# - *Seed*: the backward pass starts at the price with 1, the slope of the price with respect to itself.
# - *Pull*: an operation takes the slope of its result and passes one on to each of its inputs.
# - *Accumulate*: the side was used twice, so two slopes arrive, 6 and 6. They are added up.
#
# A number on its way backward is called a **cotangent** (or adjoint). It says how much the *target*,
# here the price, changes when this value does. Once it is complete, it is the gradient with respect to that value. Note what did not happen:
# nobody wrote down the formula $4s$. The tape has numbers, and multiplies them.

# %% [markdown] slide="## Add copies, multiply swaps, max routes\n\n| operation | what it does with the incoming $g$ |\n|:--|:--|\n| add | **copies**: each input gets $g$ |\n| multiply | **swaps**: each input gets $g$ times the *other* |\n| max | **routes**: the larger input gets all of $g$ |\n\nWhere paths meet, **add up**."
# ## Three rules to remember
#
# Let $g$ be the orange number at the result of an operation. What does each of its inputs get?
#
# | operation | what it does with $g$ | why |
# |:--|:--|:--|
# | $x + y$ | **add copies**: each input gets $g$ | a bit more of $x$ is a bit more of the sum |
# | $x \cdot y$ | **multiply swaps**: each input gets $g$ times the *other* | each extra bit of $x$ counts $y$ times |
# | $\max(x, y)$ | **max routes**: the larger input gets all of $g$ | the smaller one did not matter |
#
# Where two paths meet at a value, their contributions are **added up**. An operation on one number, such as a square, *scales*: its input
# gets $g$ times the slope there. A tape answers once; with `persistent=True` it answers again.

# %% slide="Two paths lead from x to z"
x, y = tf.Variable(2.0), tf.Variable(5.0)

with viz.recording(), tf.GradientTape(persistent=True) as tape:
    p = x * y
    z = p + x

# %% slide="What arrives at x? | 5 along one path, 1 along the other | Add copies, multiply swaps" notes="2 minutes. If you said 5, you forgot the path through the addition. A tape is used up by its first question; persistent=True lets us ask it twice."
with viz.predict(
    "What arrives at `x`: 2, 5 or 6?",
    "6. The addition copies: 1 goes to p and 1 to x. The multiplication swaps: 5 goes to x. Two paths meet at x, and 5 + 1 is 6.",
) as asked:
    print("at x:", tape.gradient(z, x).numpy(), " at y:", tape.gradient(z, y).numpy())
    asked.show(viz.step(tape, z, [x, y], title="Add copies, multiply swaps", at="x"))

# %% [markdown] slide="## A hundred steps are no harder than two\n\nA throw is two thousand sums, products and roots. The tape does not mind."
# ## The ball again
#
# A throw consists of such operations, two thousand of them. You would not want to see that picture. The tape does not mind:

# %% slide="Both slopes, and no h to choose"
v = tf.Variable([10.0, 10.0])

with tf.GradientTape() as tape:
    far = miss(v)

print("gradient:", tape.gradient(far, v).numpy())

# %% [markdown] slide=""
# Both slopes are negative, so the miss falls when we throw faster, across or up. Across counts more.


# %% tags=["setup", "given"]
# Given.
def computed(recorded):
    """How many numbers were computed during a recording."""
    return sum(y.shape.num_elements() for entry in recorded.entries for y in entry.outputs)


# %% slide="What does the gradient cost? | All slopes together cost 2.4 throws" notes="2 minutes. Then: with a million unknowns, two throws each would be two million throws. The tape still needs about as many as here."
with viz.predict(
    "A throw computes 2010 numbers. How many does a throw together with its gradient compute: about 5000, 8000 or 200,000?",
    "4922, or 2.4 times as many, for all slopes at once. With a million unknowns it would be about the same, because the backward "
    "pass visits each operation at most once.",
):
    with viz.recording() as alone:
        miss(v)
    with viz.recording() as recorded, tf.GradientTape() as tape:
        tape.gradient(miss(v), v)
    print(computed(alone), "and", computed(recorded))
    print(f"{computed(recorded) / computed(alone):.1f} times as many")

# %% [markdown] slide="## Step against the gradient, look again\n\n$$v \\leftarrow v - 0.3 \\cdot g$$\n\n0.3 is the **learning rate**."
# ## Downhill
#
# The gradient points uphill, so take a small step against it. Then look again, and take the next step. This is
# **gradient descent**. The **learning rate** says how much of the gradient to take.

# %% slide="The loop of all deep learning | After six steps the ball is within 1 cm"
v, throws = tf.Variable([10.0, 10.0]), []

for step in range(8):
    with tf.GradientTape() as tape:
        far = miss(v)
    print(f"throw {step}: v = ({v[0]:.3f}, {v[1]:.3f}) misses by {float(far) ** 0.5:.3f} m")
    throws.append(fly(v.numpy()))
    v.assign_sub(0.3 * tape.gradient(far, v))

# %% [markdown] slide=""
# **Hit!** After six steps the ball is within 1 cm of the ring, with (15.64, 11.73). Nobody has solved an equation.

# %% tags=["picture", "given"] minutes=1 slide="Watch it learn"
# Given: this only draws.
shown = [0, 1, 2, 6]
in_the_wind(
    [throws[n] for n in shown],
    [f"throw {n}" for n in shown],
    "Four balls fly from the left, one after the other. Throw 0 ends 6.6 m short of the ring, throw 1 within 1.5 m of it, throw 2 within half a metre, and throw 6 flies through it.",
)


# %% tags=["picture"] slide="Seen from above, the walk goes against the arrows"
def squared_miss(across, up):
    return miss([across, up])


viz.surface(squared_miss, (8.0, 22.0), (6.0, 18.0), start=(10.0, 10.0), learning_rate=0.3, steps=8)

# %% [markdown] slide=""
# Each point of this picture is a throw. The lines join throws that miss equally. The arrows are gradients: they are
# perpendicular to the lines, and point uphill. The walk goes against them.

# %% slide="And with a rate of 0.5? | With 0.5 it never arrives" notes="2 minutes. Do not explain it today."
with viz.predict(
    "And with a rate of 0.5 instead of 0.3: faster, slower, or never?",
    "Never. It comes within 2.4 m, and then moves away. What makes 0.3 work and 0.5 fail? A second derivative knows.",
):
    v, misses = tf.Variable([10.0, 10.0]), []
    for _ in range(40):
        with tf.GradientTape() as tape:
            far = miss(v)
        misses.append(float(far) ** 0.5)
        v.assign_sub(0.5 * tape.gradient(far, v))
    print("  ".join(f"{each:.1f}" for each in misses[:8]), " ... ", f"{misses[-1]:.1f} m")

# %% [markdown] slide="## The same elsewhere\n\n| here | PyTorch | JAX |\n|:--|:--|:--|\n| `tf.Variable(3.0)` | `torch.tensor(3.0, requires_grad=True)` | an argument of `f` |\n| `tape.gradient(z, x)` | `z.backward(); x.grad` | `jax.grad(f)(x)` |\n| each gradient is new | a second `backward` **adds** to `x.grad` | nothing is kept |\n| max at a tie: all to the first | half to each | half to each |"
# ## The same elsewhere
#
# | here, and in TensorFlow | PyTorch | JAX |
# |:--|:--|:--|
# | `tf.Variable(3.0)` | `torch.tensor(3.0, requires_grad=True)` | an argument of `f` |
# | `tape.gradient(z, x)` | `z.backward()`, then `x.grad` | `jax.grad(f)(x)` |
# | each gradient is a new number | a second `backward` **adds** to `x.grad`: call `zero_grad` | nothing is kept |
# | `maximum` at a tie: all to the first | half to each | half to each |
#
# Each line of this table is an assertion that runs against both libraries.

# %% [markdown] slide="## Exercises\n\nFour numbers by hand; the best step; another ring, at another time."
# ## Exercises
#
# Replace each `...` with your answer, run the cell, and run the check below it.
#
# **Exercise 1.** With a pencil: $p = x y$, $m = \max(p, w)$, $z = m + x$, at $x = 3$, $y = 6$, $w = 10$. Which numbers arrive at p,
# w, y and x when the backward pass starts with 1 at z?

# %% nbgrader={"grade": false, "grade_id": "by-hand", "locked": false, "schema_version": 3, "solution": true, "task": false}
cotangents = {"p": None, "w": None, "y": None, "x": None}
### BEGIN SOLUTION
cotangents = {"p": 1.0, "w": 0.0, "y": 3.0, "x": 7.0}
### END SOLUTION

# %% nbgrader={"grade": true, "grade_id": "by-hand-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    value = {name: tf.Variable(start) for name, start in [("x", 3.0), ("y", 6.0), ("w", 10.0)]}
    with tf.GradientTape() as tape:
        value["p"] = value["x"] * value["y"]
        end = tf.maximum(value["p"], value["w"]) + value["x"]
    true = {name: float(slope) for name, slope in tape.gradient(end, value).items()}
    rules = {
        "p": "p: the addition copies its g to m, and max routes all of it to the larger input.",
        "w": "w: max routes everything to the larger input. Which one is larger?",
        "y": "y: multiply swaps. It gets g times the other factor.",
        "x": "x: two paths lead to it, one through p and one past it. Add up what they bring.",
    }
    assert isinstance(cotangents, dict), "Keep the four names, and write a number for each."
    for name in ("p", "w", "y", "x"):
        try:
            answer, hint = float(cotangents[name]), rules[name]
        except (TypeError, ValueError, KeyError):
            answer, hint = None, f"{name}: write a number, such as 2.0."
        if answer is not None and true[name] and answer == true[name] / 2:
            hint = f"{name}: that is half of it. Add copies, and max routes: nothing is halved."
        elif answer == float(value[name]) != true[name]:
            hint = f"{name}: that is its value. How much does z change when {name} does?"
        score.part(1, answer == true[name], hint)
    score.total("copies 1 and 1, routes 1 to p, swaps 6 and 3; at x the paths meet, and add up.")
score.earned

# %% [markdown]
# **Exercise 2.** You may take one step of a given length, in any direction. Write `best_step(f, v, length)`. It returns two things: the step `d` of this
# length for which the slopes promise the smallest `f`, and the change of `f` that they promise for it. `v` is a variable of two numbers, and `f(v)` is one
# number. A tape finds the slopes; `tf.norm(d)` is the length of `d`.


# %% nbgrader={"grade": false, "grade_id": "best-step", "locked": false, "schema_version": 3, "solution": true, "task": false}
def best_step(f, v, length):
    """The step of this length that the slopes recommend, and the change of f that they promise."""
    ### BEGIN SOLUTION
    with tf.GradientTape() as tape:
        y = f(v)
    g = tape.gradient(y, v)
    d = -length * g / tf.norm(g)
    return d, tf.reduce_sum(g * d)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "best-step-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
with viz.Score(3) as score:
    draw = np.random.default_rng()  # another ground and another place each time
    p, q, r = draw.uniform(1.0, 2.0, 3)
    at, length = draw.uniform(0.5, 1.0, 2), float(draw.uniform(0.2, 0.4))

    def ground(v):
        return p * v[0] ** 2 * v[1] + q * v[1] ** 2 + tf.sin(r * v[0])

    def height(v):
        return float(ground(np.array(v)))

    h = 1e-5
    true = np.array([(height(at + h * e) - height(at - h * e)) / (2 * h) for e in np.eye(2)])
    steepness = np.linalg.norm(true)
    try:
        found = best_step(ground, tf.Variable(at), length)
        assert found is not None and len(found) == 2, (
            "Return two things, d and the change: return d, change."
        )
        d, change = np.array(found[0], float), float(found[1])
    except (TypeError, ValueError) as error:
        said = "Return two things: d, which is two numbers, and the change, one number."
        if "None" in str(error):
            said = "Is the gradient None? f(v) is computed inside the tape's block, and asked for with respect to v."
        raise AssertionError(f"{str(error).split('. ')[0]}. {said}") from None
    assert d.shape == (2,), (
        f"Return two things, d and the change: d has two numbers, and not the shape {d.shape}."
    )
    size = np.linalg.norm(d)
    way = d / size if size else d

    def near(x, y):
        return abs(x - y) < 1e-4 * (1 + abs(y))

    downhill = -true / steepness
    said = "f falls in this direction, but not fastest: where does the gradient point?"
    if np.allclose(way, -downhill, atol=1e-4):
        said = "That way f grows fastest. The gradient points uphill."
    elif np.allclose(d, at + length * downhill, atol=1e-4):
        said = "That is where you arrive. Return the step alone, d."
    elif np.count_nonzero(np.abs(d) > 1e-9) == 1:
        said = "Both numbers may change: among all d of this length, one along an axis is hardly ever the best."
    elif np.allclose(np.abs(way), np.abs(downhill), atol=1e-4):
        said = "One sign is wrong: both numbers go against their slope."
    elif way @ downhill < 0:
        said = "In this direction f grows: where does the gradient point?"
    score.part(1, np.allclose(way, downhill, atol=1e-4), said)
    said = f"The step should have the length {length:.3f}, and has {size:.3f}. How long is the gradient itself?"
    score.part(1, near(size, length), said)
    promised = float(true @ d)
    said = "The change is another number: each change counts with its own slope, and both are added up."
    if near(change, height(at + d) - height(at)):
        said = "That is what f really does. What do the slopes promise, before you look?"
    elif near(change, -promised) and promised:
        said = "The change has the wrong sign: f should fall."
    elif near(change, -length * steepness):
        said = f"That is the change for a step of the length {length:.3f}, and your d has another length."
    elif near(change, -steepness):
        said = "That is the change for a step of the length 1."
    elif near(change, height(at + d)):
        said = "That is f after the step. How much has it changed?"
    score.part(1, near(change, promised) and size > 0, said)
    score.total(
        "against the gradient, of the given length: the slopes promise minus |g| times the length."
    )
score.earned

# %% [markdown]
# **Exercise 3.** Write `hit(ring, seconds)`. It returns the velocity, as a variable, with which the ball is in `ring` after so many
# seconds, within 1 cm. Start at (10, 10) and use `miss(v, ring, seconds)`. You choose the rate and the number of steps. (The longer
# the flight, the more the velocity counts, and the smaller the rate must be.)


# %% nbgrader={"grade": false, "grade_id": "hit", "locked": false, "schema_version": 3, "solution": true, "task": false}
def hit(ring, seconds):
    """The velocity (across, up) with which the ball is in the ring."""
    ### BEGIN SOLUTION
    v = tf.Variable([10.0, 10.0])
    for _ in range(60):
        with tf.GradientTape() as tape:
            far = miss(v, ring, seconds)
        v.assign_sub(0.2 * tape.gradient(far, v))
    return v
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "hit-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    draw = np.random.default_rng()  # another ring each time
    for seconds in (2.5, 1.5):
        ring = (float(draw.uniform(9.0, 10.0) * seconds - 6.0), float(draw.uniform(2.0, 4.0)))
        v = hit(ring, seconds)
        assert v is not None, "hit returns nothing: end it with return v, after the loop."
        assert np.shape(v) == (2,), "Return the two numbers of v, as a variable."
        begun = float(miss([10.0, 10.0], ring, seconds)) ** 0.5
        left, early = float(miss(v, ring, seconds)) ** 0.5, float(miss(v, ring)) ** 0.5
        there = f"At the ring ({ring[0]:.1f}, {ring[1]:.1f})"
        hint = f"{there} it misses by {left:.2f} m after {seconds} s. More steps, or another rate between 0.1 and 0.3?"
        if left > 0.01 and np.allclose(v, [15.646, 11.733], atol=0.1):
            hint = "That is the throw of the lesson. This is another ring: pass it on to miss."
        elif left > 0.01 and early < 0.02:
            hint = "It hits after 2 seconds, not after the seconds that were asked for. Pass them on to miss."
        elif not left <= begun:
            hint = f"You ran away, from {begun:.1f} m to {left:.1f} m. Is there a minus before the gradient? Is the rate small enough?"
        score.part(1, left < 1.0, hint)
        score.part(1, left < 0.01, hint)
    score.total("look, step against the gradient, look again: the same lines for every ring.")
score.earned

# %% [markdown]
# **To think about.** In words, for 2 points that are given by hand: "The gradient at (10, 10) is (-15.8, -2.4), so the ball must be thrown
# backward and down." What has this student mixed up? Draw the two planes in which an arrow can lie.

# %% [markdown]
# ## What to remember
#
# - The gradient is the list of all slopes, one for each unknown. It points uphill, where the target grows fastest.
# - Along a path, slopes multiply. Where paths meet, they add up.
# - A tape records forward and walks back once, whatever the number of unknowns. Here that cost 2.4 throws.
# - **Add copies, multiply swaps, max routes.**
# - Look, step against the gradient, look again: this solves problems that have no formula.
#
# **Read on.** Baydin, Pearlmutter, Radul, Siskind, *Automatic Differentiation in Machine Learning: a Survey* (2018). Griewank, *Who
# Invented the Reverse Mode of Differentiation?* (2012). Rumelhart, Hinton, Williams, *Learning Representations by
# Back-propagating Errors* (1986).

# %% [markdown]
# ## Further: the line that breaks a loop
#
# A mistake that everybody makes once: `v = v - ...` instead of `v.assign_sub(...)`. In the second round `v` is a tensor, which
# the tape does not follow, and the gradient is `None`. (The gradient of the sum of squares is $2v$; we write it out, since
# the tape's is `None`. An `EagerTensor` is a tensor.)

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
