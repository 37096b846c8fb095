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

# %% [markdown] slide="With the learning rate 0.3 the ball was in the ring after six steps. With 0.5 it never came.\n\n**Where is the border, and who could have known?**" notes="2 minutes. Let them guess a border between 0.3 and 0.5, and write it down. It is computed in ten minutes."
# # 17. From gradient to step: rates, momentum, Adam
#
# In lesson 1 the learning rate 0.3 hit the ring in six steps, and with 0.5 the ball never came. **Where is the border, and who could have
# known?** A gradient says which way is downhill. It does not say how far to go. Everybody who trains a network tries rates by hand, and today you
# compute one.
#
# You need lesson 1: a tape, a gradient, and steps against it. Afterwards you can
#
# - compute the learning rate above which gradient descent diverges,
# - say why a long valley is slow, and what momentum and Adam do about it,
# - say what Adam divides by, and when that does not help.

# %% tags=["setup"]
import matplotlib.pyplot as plt
import numpy as np

import minitape as tf
from minitape import viz
from minitape.viz.course.motion import descending, stepping

viz.figures()


# %% tags=["setup", "given"]
# Given: the throw of lesson 1.
def miss(v):
    """The squared distance to the ring after 2 seconds, when thrown with v = (across, up)."""
    vx, vy = v[0], v[1]
    x, y = 0.0 * vx, 1.5 + 0.0 * vy
    for _ in range(100):
        air = vx + 6.0 * tf.tanh(y / 5.0)
        drag = 0.02 * tf.sqrt(air**2 + vy**2)
        vx, vy = vx - 0.02 * drag * air, vy - 0.02 * (drag * vy + 9.81)
        x, y = x + 0.02 * vx, y + 0.02 * vy
    return (x - 20.0) ** 2 + (y - 2.0) ** 2


# %% [markdown] slide="## Near the bottom almost everything is a bowl\n\n$$f(x) = \\lambda x^2 / 2$$\n\nIts slope is $\\lambda x$. The **curvature** $\\lambda$ says how fast the slope changes."
# ## A bowl
#
# Near its lowest point almost every smooth function looks like a bowl, $f(x) = \lambda x^2 / 2$. Its slope is $\lambda x$. The number $\lambda$ says how
# fast the slope changes. It is the **curvature**. A step with the learning rate $r$ goes from $x$ to $x - r \lambda x$. Where the bowl bends
# more, the slope is steeper, and the same rate makes a longer step.

# %% slide="Which learning rate is fast, and which one fails? | One step, a slow walk, a zigzag, and a flight" notes="3 minutes. Let them do one step of each by hand: the slope at 1 is 4."
with viz.predict(
    "The curvature is 4, and we start at 1. Of the rates 0.1, 0.25, 0.45 and 0.55: which one arrives first, and which one never?",
    "0.25 arrives with its first step. 0.45 jumps from side to side and still arrives. 0.55 jumps farther each time, and never does.",
):
    walks = []
    for rate in (0.1, 0.25, 0.45, 0.55):
        x, places = 1.0, []
        for _ in range(6):
            places.append(round(x, 2))
            x = x - rate * 4.0 * x
        print(f"rate {rate}:", places)
        walks.append((f"rate {rate}", places))

# %% tags=["picture", "given"] minutes=1 slide="Too slow, at once, from side to side, and out of the bowl" notes="2 minutes. Let it run once in silence. Then ask what sits between the second and the third bowl, and what between the third and the fourth."
# Given: this only draws.
stepping(
    walks,
    "Four balls in the same bowl, all starting at 1. With the rate 0.1 the ball comes down one wall in small steps. With 0.25 it is at the bottom after one step. "
    "With 0.45 it jumps from wall to wall, each time a little lower. With 0.55 it jumps from wall to wall, each time higher.",
)

# %% [markdown] slide="## Every step multiplies by the same number\n\n$$x - r \\lambda x = (1 - r \\lambda)\\, x$$\n\nIt shrinks as long as $r < 2 / \\lambda$." notes="3 minutes. Ask for the factor of each rate on the slide before."
# Each step multiplies $x$ by the same factor, $1 - r \lambda$. The walk arrives as long as this factor lies between -1 and 1, that is, as long
# as
#
# $$r < \frac{2}{\lambda}$$
#
# At $1 / \lambda$ the factor is 0, and one step is enough. At twice that rate the walk jumps from side to side forever. Beyond it, $x$ grows with every step.

# %% [markdown] slide="## The throw has two curvatures\n\nThe **Hessian** is the table of the slopes of the gradient: a tape around a tape. Its **eigenvalues** are the curvatures." notes="3 minutes. The eigenvectors are the directions along which the throw behaves like a bowl of one unknown."
# ## The throw has two
#
# The throw has two unknowns, so its gradient has two numbers, and each of them changes with each unknown. The table of these four slopes is the
# **Hessian**. Multiply it by a small step, and you get how the gradient changes along this step. For most steps, the change points in another direction
# than the step. Along two lines, at right angles to each other, it does not. Their directions are called **eigenvectors**. On each of them the throw behaves like a bowl with one unknown. Its
# curvature is called an **eigenvalue** of the table. The largest one sets the border.

# %% slide="A tape around a tape computes the Hessian | The border lies between 0.3 and 0.5"
v = tf.Variable([15.645858, 11.732599], dtype=tf.float64)  # lesson 1: it hits
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        far = miss(v)
    gradient = inner.gradient(far, v)
hessian = outer.jacobian(gradient, v).numpy()
curvatures = np.linalg.eigvalsh(hessian)
print("curvatures:", curvatures.round(3), " border:", round(2 / curvatures.max(), 3))

# %% tags=["picture", "given"] minutes=1 slide="Two directions, two curvatures" alt="Lines of equal miss around the velocity that hits: ellipses, a little longer than wide, and turned. Two arrows at right angles: along the long axis, where the curvature is 2.1, and along the short one, where it is 4.4." notes="1 minute. Along each arrow the throw is a bowl of one unknown. The lines stand closer where it bends more."
# Given: this only draws.
bends, directions = np.linalg.eigh(hessian)
across, up = np.meshgrid(np.linspace(-1.6, 1.6, 81), np.linspace(-1.2, 1.2, 61))
height = (hessian[0, 0] * across**2 + 2 * hessian[0, 1] * across * up + hessian[1, 1] * up**2) / 2
_, panel = plt.subplots(figsize=(5.4, 3.6))
panel.contour(
    v.numpy()[0] + across, v.numpy()[1] + up, height, levels=[0.25, 1, 2.25], colors="0.6"
)
for bend, way, colour in zip(bends, directions.T, ["#0072b2", "#b04a00"], strict=True):
    way = way * np.sign(way[1])
    panel.annotate(
        "", v.numpy() + way, v.numpy(), arrowprops={"arrowstyle": "->", "color": colour, "lw": 2}
    )
    panel.text(*(v.numpy() + 1.15 * way), f"{bend:.1f}", color=colour, ha="center", va="center")
panel.set(xlabel="across, m/s", ylabel="up, m/s")
panel.set_aspect("equal")
plt.show()

# %% slide="A little below the border, and a little above | Four tenths of a millimetre, and nearly three metres" notes="2 minutes. So somebody could have known: two tapes, and one division."
with viz.predict(
    "We start 6.5 cm off the ring and take 100 steps, with the rate 0.45 and with 0.47. Who arrives: both, one of them, or neither?",
    "0.45 ends 0.4 mm from the ring, and 0.47 ends 2.7 m away from it. A difference of four percent decides.",
):
    for rate in (0.45, 0.47):
        w = tf.Variable(v + 0.06 / 2**0.5)
        for _ in range(100):
            with tf.GradientTape() as tape:
                far = miss(w)
            w.assign_sub(rate * tape.gradient(far, w))
        print(f"rate {rate}: {float(miss(w)) ** 0.5:.4f} m")

# %% [markdown] slide="## A long valley is slow\n\nSteep across: that sets the border. Flat along: that is the way to go.\n\nThe **condition number** is the largest curvature over the smallest."
# ## A long valley
#
# The curvatures of the throw are 2.1 and 4.4, so its bowl is nearly round. The largest curvature over the smallest is called the **condition number**,
# here 2.1. For a network it may be thousands. Then the bowl is a long valley. The steep walls set the border of the rate, and with that rate the way
# along the flat floor takes ages.

# %% [markdown] slide="## Momentum: a heavy ball\n\n$$m \\leftarrow \\beta m + g, \\quad x \\leftarrow x - r\\, m$$\n\nAcross, the gradients cancel. Along, they add up: with $\\beta = 0.9$ to ten times one." notes="3 minutes. Sum 1 + 0.9 + 0.81 + ... on the board."
# **Momentum** helps. The walk gets a velocity, as a heavy ball has one:
#
# $$m \leftarrow \beta m + g, \quad x \leftarrow x - r\, m$$
#
# Across the valley the gradients alternate, and cancel in $m$. Along the floor they all have the same sign, and add up: with $\beta = 0.9$, to ten times
# a single one. Take a valley whose curvatures are 1 and 100, and count the steps from (1, 1) until 0.001 is left.


# %% tags=["setup", "given"]
# Given: a valley, and walks down to its bottom.
def valley(turned=0.0):
    """The matrix of a bowl that bends by 1 along and by 100 across, turned by an angle in degrees."""
    c, s = np.cos(np.radians(turned)), np.sin(np.radians(turned))
    turn = np.array([[c, -s], [s, c]])
    return turn @ np.diag([1.0, 100.0]) @ turn.T, turn


def walk(optimizer, turned=0.0):
    """The places of a walk from (1, 1), seen along the valley, until it is 1/1000 from the bottom."""
    matrix, turn = valley(turned)
    bends, x, places = tf.constant(matrix), tf.Variable(turn @ [1.0, 1.0]), []
    while np.linalg.norm(x.numpy()) > 1e-3:
        places.append(turn.T @ x.numpy())
        with tf.GradientTape() as tape:
            height = tf.reduce_sum(x * tf.linalg.matvec(bends, x)) / 2
        optimizer.apply_gradients([(tape.gradient(height, x), x)])
    return places


# %% slide="Plain descent needs 363 steps: and momentum? | Less than a third of the steps" notes="2 minutes. The rate of the plain walk is the best one in theory: both directions shrink alike."
optimizers = tf.keras.optimizers
with viz.predict(
    "Plain descent needs 363 steps, with the best rate in theory: both directions shrink alike. How many does momentum need, with about the same rate: about 350, 100, or 10?",
    "105, less than a third. The rate is about the same. Along the floor the gradients have added up.",
):
    plain = walk(optimizers.SGD(2 / 101))  # the best rate in theory: both directions shrink alike
    heavy = walk(optimizers.SGD(0.02, momentum=0.9))
    tuned = walk(optimizers.SGD(0.03, momentum=0.7))
    print("plain:", len(plain), "steps, with momentum:", len(heavy), " tuned:", len(tuned))

# %% tags=["picture"] minutes=1 slide="One jumps from wall to wall, one rolls" notes="1 minute. After 100 steps the plain one still jumps, and the heavy one is nearly there."
descending(
    [("plain: 100 of its steps", plain[:100]), ("momentum: 100 of its steps", heavy[:100])],
    (1.0, 100.0),
    "Two walks down one long valley, one below the other, 100 steps each. The plain one jumps from wall to wall and has done less than nine tenths of the way. "
    "The one with momentum swings a few times and rolls to the bottom.",
)

# %% [markdown] slide=""
# Tuned for this valley, with the rate 0.03 and $\beta = 0.7$, momentum takes 41 steps. In theory, plain descent needs steps in proportion to the condition
# number, and momentum in proportion to its root.

# %% [markdown] slide="## Adam divides by the size of the gradient\n\n$$m \\leftarrow 0.9\\,m + 0.1\\,g, \\quad v \\leftarrow 0.999\\,v + 0.001\\,g^2$$\n\n$$x \\leftarrow x - r\\, \\frac{m}{\\sqrt{v}}$$\n\n$m$: the mean of the last gradients. $v$: the mean of their squares." notes="4 minutes. What happens to m and the root of v when all gradients are ten times larger? The step stays."
# ## Adam
#
# In a network the gradients of two layers may differ by a factor of a thousand. Which rate fits both? **Adam** gives each weight its own. It keeps two
# running means for each weight, of the gradient and of its square, and divides the first by the root of the second:
#
# $$m \leftarrow \beta_1 m + (1 - \beta_1)\, g$$
#
# $$v \leftarrow \beta_2 v + (1 - \beta_2)\, g^2$$
#
# $$x \leftarrow x - r\, \frac{\hat m}{\sqrt{\hat v} + \epsilon}$$
#
# The usual choice is 0.9 and 0.999, and a tiny $\epsilon$ against 0 / 0. Here $m$ is a mean, not a sum as in momentum, and $v$ is not a velocity: the names are those of the paper.

# %% [markdown] slide="## Both means start at 0\n\nStep 1, $g = 5$: $m = 0.5$ and $v = 0.025$. Both are too small.\n\n**Bias correction**: $\\hat m = m / (1 - 0.9) = 5$, $\\;\\hat v = v / (1 - 0.999) = 25$."
# Both means start at 0, so they are too small at first. Let the first gradient be 5: then $m = 0.5$ and $v = 0.025$. The hats repair that: after $t$ steps
# $\hat m = m / (1 - \beta_1^t)$ and $\hat v = v / (1 - \beta_2^t)$. After the first step these are 5 and 25. This is the **bias correction**.

# %% slide="How long is Adam's first step? | As long as the learning rate" notes="2 minutes. After one step the corrected m is g, and the corrected v is its square. The rest is epsilon."
with viz.predict(
    "One weight gets the gradient 0.0001, another one 10,000. Adam's rate is 0.01. How do their first steps compare: 1 to 100 million, 1 to 10,000, or about equal?",
    "About equal, 0.0097 and 0.0100. Adam keeps the sign and forgets the size. What is missing in the first one is epsilon: Keras adds it before the bias correction, to a smaller root.",
):
    for size in (1e-4, 1e4):
        w = tf.Variable(0.0, dtype=tf.float64)
        optimizers.Adam(0.01).apply_gradients([(tf.constant(size, tf.float64), w)])
        print(f"gradient {size:g}: the step is {float(w):.4f}")

# %% tags=["picture"] minutes=1 slide="One jumps, one rolls, one goes straight"
adam = walk(optimizers.Adam(0.1))
descending(
    [
        (f"plain: {len(plain)} steps to the bottom", plain[:100]),
        (f"momentum: {len(heavy)}", heavy[:100]),
        (f"Adam: {len(adam)}", adam[:100]),
    ],
    (1.0, 100.0),
    "Three walks down one long valley, one below the other, 100 steps at most. The plain one jumps from wall to wall and has done less than nine tenths of "
    "the way. The one with momentum swings a few times and rolls to the bottom. Adam goes straight for it, past it, and back.",
)

# %% slide="The valley is turned: who needs more steps? | Adam looks along the axes, and nowhere else" notes="3 minutes. A gradient turns along with the valley. Adam's division does not: it has one number for each axis."
with viz.predict(
    "The same valley, turned by 45 degrees, from the same place in it. Who needs more steps now: plain, momentum, Adam, or all three?",
    "Adam alone. At this rate, 516 instead of 82, and at 0.5 it is 113 instead of 40. It has a rate for each axis, and now the valley runs between them. "
    "Turning costs the other two nothing: they do not know where the axes are.",
):
    for name, make in [
        ("plain", lambda: optimizers.SGD(2 / 101)),
        ("momentum", lambda: optimizers.SGD(0.02, momentum=0.9)),
        ("Adam", lambda: optimizers.Adam(0.1)),
        ("Adam, rate 0.5", lambda: optimizers.Adam(0.5)),
    ]:
        print(f"{name}: {len(walk(make()))} steps, turned: {len(walk(make(), turned=45))}")

# %% tags=["picture", "given"] minutes=1 slide="Between the axes, Adam creeps" alt="Adam's walk in the valley, twice, inside the lines of equal height, which are long ellipses. On the left the valley lies along an axis. The walk goes straight from the corner to the bottom, past it, and back. On the right the valley runs from the lower left to the upper right. The walk starts high on one wall, goes straight down, through the floor and up the other wall. It comes back, and then creeps along the floor in a dense row of small steps." notes="2 minutes. On the right both gradients have almost the same size everywhere, so both rates are the same: Adam is plain descent there."
# Given: this only draws.
_, panels = plt.subplots(1, 2, figsize=(8, 3.9))
for panel, turned in zip(panels, (0, 45), strict=True):
    places, (matrix, turn) = walk(optimizers.Adam(0.1), turned), valley(turned)
    side = np.linspace(-1.6, 1.6, 401)
    grid = np.stack(np.meshgrid(side, side))
    height = np.einsum("iab,ij,jab->ab", grid, matrix, grid) / 2
    panel.contour(side, side, height, levels=[0.1, 0.5, 2, 8, 32], colors="0.75", linewidths=1)
    line = turn @ np.array(places).T
    panel.plot(*line, "-o", color="#0072b2", markersize=2.5, linewidth=1)
    panel.plot(*line[:, 0], "o", color="#b04a00", markersize=6)
    panel.plot(0, 0, "o", markersize=11, markerfacecolor="none", markeredgecolor="black")
    panel.set_title(f"{'along an axis' if not turned else 'turned'}: {len(places)} steps")
    panel.set(xlim=(-1.6, 1.6), ylim=(-1.6, 1.6), xticks=[], yticks=[], aspect="equal")
plt.show()

# %% [markdown] slide="## The Hessian knows, and is too large\n\nA million weights: a million million numbers."
# Who could know how the valley lies? The Hessian. But the table of a network with a million weights has a million million numbers. So networks are trained with
# momentum or with Adam. Exercise 3 uses the Hessian, where it is small.

# %% [markdown] slide="## The same elsewhere\n\n| here | PyTorch | JAX |\n|:--|:--|:--|\n| `SGD(r, momentum=m)` | `optim.SGD(w, lr=r, momentum=m)` | `optimizers.momentum(r, m)` |\n| `Adam(r)` | `optim.Adam(w, lr=r)` | `optimizers.adam(r)` |\n| `outer.jacobian(gradient, w)` | `torch.func.hessian(f)(w)` | `jax.hessian(f)(w)` |"
# ## The same elsewhere
#
# JAX has its optimizers in `jax.example_libraries.optimizers`; most people use Optax.
#
# | here, and in TensorFlow | PyTorch | JAX |
# |:--|:--|:--|
# | `keras.optimizers.SGD(r, momentum=m)` | `optim.SGD(w, lr=r, momentum=m)` | `optimizers.momentum(r, m)` |
# | `keras.optimizers.Adam(r)`, epsilon 1e-7 | `optim.Adam(w, lr=r)`, eps 1e-8 | `optimizers.adam(r)`, eps 1e-8 |
# | `outer.jacobian(gradient, w)` | `torch.func.hessian(f)(w)` | `jax.hessian(f)(w)` |

# %% [markdown] slide="## Exercises\n\nThe border; Adam in NumPy; a step that no turning slows down; one step with 16 bits (optional). Without exercise 4 there are 11 points."
# ## Exercises
#
# Replace each `...` with your answer, run the cell, and run the check below it.
#
# **Exercise 1.** Write `border(hessian)`: the learning rate above which gradient descent in this bowl diverges. The matrix is symmetric, of any size, and all its
# curvatures are positive.


# %% nbgrader={"grade": false, "grade_id": "border", "locked": false, "schema_version": 3, "solution": true, "task": false}
def border(hessian):
    """The largest learning rate with which the walk does not grow."""
    ### BEGIN SOLUTION
    return 2 / np.max(np.linalg.eigvalsh(hessian))
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "border-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
with viz.Score(3) as score:
    draw = np.random.default_rng()  # other numbers each time
    for size, part in [(2, 1), (4, 2)]:
        bends = draw.uniform(1.0, 4.0, size) * 2.0 ** np.arange(size)
        turn = np.linalg.qr(draw.normal(size=(size, size)))[0]
        matrix = turn @ np.diag(bends) @ turn.T
        found = border(matrix.copy())
        assert found is not None, "Nothing is returned yet: a learning rate."
        assert np.size(found) == 1, f"One rate is asked for, not {np.size(found)}."
        found = float(np.real(found))

        def left(rate, bends=bends):
            """How much of the way is left after 2000 steps, in the worst direction."""
            with np.errstate(over="ignore"):
                return np.max(np.abs(1 - rate * bends)) ** 2000

        hint = "That is not the border. Which direction fails first, and which curvature has it?"
        if np.isclose(found * bends.max(), 1):
            hint = "With this rate the steepest direction needs one step. It is safe, but it is not yet the border."
        elif np.isclose(found * bends.min(), 2):
            hint = (
                "That is the border of the flattest direction. The steepest one fails long before."
            )
        elif np.isclose(found * np.trace(matrix), 2) or np.isclose(found * bends.prod(), 2):
            hint = (
                "All curvatures are mixed into one number. Each direction has a border of its own."
            )
        elif np.isclose(found * np.diag(matrix).max(), 2):
            hint = "The diagonal has the curvatures along the axes. The steepest direction may lie between them."
        elif found > 0 and left(found) < 1:
            hint = "With this rate the walk still arrives. The border is higher."
        elif found > 0:
            hint = "With this rate the walk has failed already. The border is lower."
        score.part(part, found > 0 and left(0.999 * found) < 1 < left(1.001 * found), hint)
    score.total("the steepest direction fails first, and its curvature sets the border.")
score.earned

# %% [markdown]
# **Exercise 2.** Write `adam(gradients, rate)` in NumPy: it starts at $x = 0$, takes one step of Adam for each of the gradients, and returns the last $x$. Take
# 0.9 and 0.999, and 1e-8 for $\epsilon$, as in the formula above. (Keras adds it earlier. With gradients as large as those of the check that changes next to nothing.)


# %% nbgrader={"grade": false, "grade_id": "adam", "locked": false, "schema_version": 3, "solution": true, "task": false}
def adam(gradients, rate):
    """Where Adam is after one step for each gradient, from 0."""
    ### BEGIN SOLUTION
    x = m = v = 0.0
    for t, g in enumerate(gradients, start=1):
        m = 0.9 * m + (1 - 0.9) * g
        v = 0.999 * v + (1 - 0.999) * g**2
        x = x - rate * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
    return x
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "adam-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    draw = np.random.default_rng()  # other numbers each time
    rate = draw.uniform(0.05, 0.2)
    for many in (1, 12):
        given = draw.uniform(2.0, 5.0, many) * np.where(np.arange(many) % 4 == 3, -1.0, 1.0)
        there, optimizer = tf.Variable(0.0, dtype=tf.float64), tf.keras.optimizers.Adam(rate)
        for each in given:
            optimizer.apply_gradients([(tf.constant(each), there)])
        right = float(there)
        found = adam(given.copy(), rate)
        assert found is not None, "Nothing is returned yet: the last x."
        assert np.size(found) == 1, f"The last x is asked for, one number, not {np.size(found)}."
        found = float(np.reshape(found, ()))
        good = np.isclose(found, right, rtol=1e-4)
        hint = ""
        if many == 1 and not good:
            times = found / right
            if np.isnan(times):
                hint = "The first step is 0 / 0. What is t at the first step?"
            elif np.isclose(times, -1, rtol=1e-2):
                hint = "The first step goes uphill. Adam steps against the gradient."
            elif np.isclose(found, 0):
                hint = "x has not moved. Adam takes one step for each gradient."
            elif np.isclose(times, np.sqrt(0.1 * 0.1 / 0.001), rtol=1e-2):
                hint = "The first step is 3.2 times the rate. Both means start at 0: is the bias correction there?"
            elif np.isclose(times, 1 / np.sqrt(0.001), rtol=1e-2) or np.isclose(
                times, 0.1, rtol=1e-2
            ):
                hint = "One of the two means has its bias correction, the other one not."
            elif np.isclose(times * abs(given[0]), 1, rtol=1e-2):
                hint = "The first step is the rate over the gradient. Is the root taken of v?"
            else:
                hint = f"The first step should be as long as the rate, and it is {abs(times):.3g} times as long."
        elif many > 1 and score.earned:
            hint = "The first step is right, a later one is not. Is t the number of the step, and are m and v kept? The hats are used for the step. The next step begins with m and v without hats."
        score.part(2, good, hint)
    score.total("the first step is the rate, and later ones follow the mean over its size.")
score.earned

# %% [markdown]
# **Exercise 3.** Adam is slow where the valley is turned. The Hessian knows how it is turned. If $g$ is the gradient at $x$ and $H$ the Hessian, the gradient at $x - s$ is about $g - H s$. At the bottom it is 0. Write
# `newton(f, x)`: the place $x - s$ at which this guess of the gradient is 0. It is called *Newton's step*. `f` takes a tensor like `x`, which has the shape (n,), and
# returns one number. `tf.linalg.solve(matrix, column)` solves a system of equations, and `g[:, tf.newaxis]` makes a column.


# %% nbgrader={"grade": false, "grade_id": "newton-step", "locked": false, "schema_version": 3, "solution": true, "task": false}
def newton(f, x):
    """The place after one step of Newton's from x."""
    ### BEGIN SOLUTION
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        slopes = inner.gradient(y, x)
    table = outer.jacobian(slopes, x)
    return x - tf.linalg.solve(table, slopes[:, tf.newaxis])[:, 0]
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "newton-step-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    draw = np.random.default_rng()  # other numbers each time
    for part, size, fourth in [(2, 2, 0.0), (2, 3, 0.2)]:
        bends = draw.uniform(1.0, 3.0, size) * 5.0 ** np.arange(size)
        turn = np.linalg.qr(draw.normal(size=(size, size)))[0]
        matrix, low = turn @ np.diag(bends) @ turn.T, draw.uniform(-1.0, 1.0, size)
        start = low + draw.uniform(0.5, 1.0, size) * draw.choice([-1.0, 1.0], size)

        def f(x, matrix=matrix, low=low, fourth=fourth):
            """A bowl, turned; with `fourth` it is none far from its bottom."""
            away = x - low
            bowl = tf.reduce_sum(away * tf.linalg.matvec(tf.constant(matrix), away)) / 2
            return bowl + fourth * tf.reduce_sum(away**4)

        d = start - low
        slope, bend = matrix @ d + 4 * fourth * d**3, matrix + 12 * fourth * np.diag(d**2)
        right = np.linalg.solve(bend, slope)
        try:
            found = newton(f, tf.constant(start))
        except (TypeError, ValueError, AttributeError, np.linalg.LinAlgError) as error:
            said = "Is the first one a table of n by n, and the second one a column?"
            if "None" in str(error):
                said = "Something is None: each tape has to watch x, and the inner gradient is taken inside the outer block."
            raise AssertionError(f"{type(error).__name__}: {error} {said}") from None
        assert found is not None, "Nothing is returned yet: the new place."
        found = np.asarray(found, float)
        assert found.shape == (size,), (
            f"The new place has the shape of x, ({size},), not {found.shape}. x minus a column is a table."
        )
        step, hint = (
            start - found,
            "The gradient that is guessed there is not 0. Is the system H s = g?",
        )
        if np.allclose(step, 0):
            hint = "x has not moved."
        elif np.allclose(found, right) or np.allclose(found, -right):
            hint = "That is the step alone. Return the place."
        elif np.allclose(step, -right):
            hint = "You walk away from the bottom: subtract the step."
        elif np.allclose(step, slope / np.diag(bend)):
            hint = "You divide by the curvatures along the axes, as Adam would. Between the axes that is not enough."
        elif np.allclose(step, slope / bend.sum(axis=0)):
            hint = "You divide by a sum over the table: a gradient adds its rows up, and a Jacobian keeps them apart."
        elif np.allclose(step, bend @ slope):
            hint = "You multiply by the Hessian. Which s has H s = g?"
        elif np.allclose(step / slope, step[0] / slope[0]):
            hint = "That is a step against the gradient, with one rate for all directions."
        elif fourth and score.earned:
            hint = "In a bowl it is right. Here the table changes from place to place: compute it at x."
        score.part(part, np.allclose(found, low if not fourth else start - right), hint)
    score.total(
        "in a bowl one such step is enough, however long the valley is and however it is turned."
    )
score.earned

# %% [markdown]
# **Exercise 4.** (Optional, with *Further: few digits*. Without it there are 11 points.) Write `short_step(w, loss_of, rate, scale)`, one step with 16 bits. `w` is a tensor in float32, the master weight. The loss and its gradient are
# computed in float16 by `loss_of(half)`, where `half` is `w` in float16. Scale the loss by `scale`. The step is taken in float32. Return the new `w`.


# %% nbgrader={"grade": false, "grade_id": "short-step", "locked": false, "schema_version": 3, "solution": true, "task": false}
def short_step(w, loss_of, rate, scale):
    """The master weight after one step, in float32."""
    ### BEGIN SOLUTION
    half = tf.cast(w, tf.float16)
    with tf.GradientTape() as tape:
        tape.watch(half)
        scaled = loss_of(half) * scale
    gradient = tf.cast(tape.gradient(scaled, half), tf.float32) / scale
    return w - rate * gradient
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "short-step-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    draw = np.random.default_rng()  # other numbers each time
    tiny, large = draw.uniform(0.9e-4, 1.1e-4), draw.uniform(1.2, 1.8)
    for start, factor, rate, scale in [(large, 0.25, 4e-4, 8.0), (tiny, 1e-4, 100.0, 1024.0)]:
        kinds = []

        def loss_of(half, factor=factor, kinds=kinds):
            kinds.append(half.dtype.name)
            return half * half * tf.cast(factor, half.dtype)

        weight = tf.constant(np.float32(start))
        found = short_step(weight, loss_of, rate, scale)
        assert found is not None, "Nothing is returned yet: the new weight."
        assert kinds, "`loss_of` was not called: it computes the loss."
        assert set(kinds) == {"float16"}, (
            f"The loss was computed in {kinds[0]}. Give it the short numbers."
        )
        assert tf.is_tensor(found) and found.dtype.name == "float32", (
            "The new weight is a tensor in float32."
        )
        moved, right = float(found) - float(weight), -rate * 2 * factor * start
        times = moved / right
        good = np.isclose(times, 1, rtol=0.02)
        hint = f"The step is {times:.3g} times as long as it should be."
        if np.isclose(times, scale, rtol=0.02):
            hint = "The step is too long by the factor of the scale. What has to be done to the gradient before the step?"
        elif np.isclose(times * scale, 1, rtol=0.02):
            hint = "The step is too short by the factor of the scale. Was the loss scaled?"
        elif np.isclose(times, -1, rtol=0.02):
            hint = "The step goes uphill."
        elif abs(times) < 0.02 and start > 1:
            hint = "The weight has hardly moved: the step was rounded away. In which numbers is it taken?"
        elif abs(times) < 0.02:
            hint = "The slope became 0: underflow. Scale the loss before the tape differentiates, and divide in float32."
        elif start > 1:
            hint = "The step has lost its digits. Are the weight, the division and the subtraction in float32?"
        score.part(2, good, hint)
    score.total(
        "short numbers for the passes, a scale against underflow, long numbers for the step."
    )
score.earned

# %% [markdown]
# **To think about.** In words, for 2 points that are given by hand: somebody measures one of the two velocities in kilometres per hour instead of metres per second. What
# happens to the curvatures and to the border? Which of plain descent, momentum, Adam and Newton's step then takes another way to the bottom, and which does not?

# %% [markdown]
# ## What to remember
#
# - In a bowl each step multiplies by $1 - r \lambda$. Beyond the rate $2 / \lambda$ the walk fails, and the largest curvature decides.
# - A long valley is slow: the steep walls set the rate, the flat floor sets the way. Momentum adds up what agrees.
# - Adam divides by the size of the gradient, for each axis by itself. A valley between the axes is still slow.
# - The Hessian knows how a valley lies. For a network its table is too large.
#
# **Read on.** Kingma, Ba, *Adam: A Method for Stochastic Optimization* (2015). Loshchilov, Hutter, *Decoupled Weight Decay Regularization* (2019). Micikevicius
# and others, *Mixed Precision Training* (2018). Goh, *Why Momentum Really Works* (2017).

# %% [markdown]
# ## Further: weights that fade, and rates that change
#
# Three more terms appear in most training loops. **Weight decay** takes a small part of each weight away at each step, so
# weights that nobody needs fade; Adam with it is called AdamW. A **schedule** changes the learning rate during training, mostly downward. A **warm-up**
# starts it small, since the first means rest on very few gradients.
#
# Here `keras.optimizers.AdamW(r)` has the decay 0.004, and in PyTorch `optim.AdamW(w, lr=r)` has 0.01. In JAX you write it by hand. It could also be added to the
# gradient, before Adam divides. Then Adam's division would undo it for weights with large gradients, which is why AdamW takes it from the weight afterwards.

# %% [markdown]
# ## Further: few digits
#
# Networks are trained in 16 bits, to save memory and time. A number in `float16` has about three digits. That is enough for almost everything in a
# network. There are two exceptions: the step and the slope.

# %%
with viz.predict(
    "A weight of 1 in float16. A thousand times we add 0.0004. Where does it end: at 1.4, near 1.2, or at 1?",
    "At 1. The next number after 1 is 1.00098, and each single step is rounded back. The weight never moves, and no error is raised.",
):
    w = tf.Variable(np.float16(1.0))
    for _ in range(1000):
        w.assign_add(np.float16(0.0004))
    print("after a thousand steps:", float(w))
    print("the next number after 1:", float(np.nextafter(np.float16(1), np.float16(2))))

# %% tags=["picture", "given"] minutes=1 alt="A line with the numbers of float16 from 1 to 1.00195: three marks, nothing between them. An arrow of length 0.0004 begins at the mark 1 and ends between the first two marks, nearer to the first. A second arrow leads back to 1."
# Given: this only draws.
figure, panel = plt.subplots(figsize=(5.6, 1.9))
marks = 1 + np.arange(3) * 2.0**-10
panel.plot(marks, 0 * marks, "|-", markersize=20, color="0.3")
for mark in marks:
    panel.text(mark, -0.9, f"{mark:.5f}", ha="center")
arrow = {"arrowstyle": "->", "linewidth": 2}
panel.annotate("", (1.0004, 0.35), (1.0, 0.35), arrowprops=arrow | {"color": "#0072b2"})
panel.annotate("", (1.0, 0.75), (1.0004, 0.75), arrowprops=arrow | {"color": "#b04a00"})
panel.text(1.00045, 0.25, "a step of 0.0004", color="#0072b2")
panel.text(1.00045, 0.65, "is rounded back", color="#b04a00")
panel.set(ylim=(-1.1, 1.1), xlim=(0.9998, 1.0022))
panel.axis("off")
plt.show()

# %% [markdown]
# The cure is a copy of the weights in 32 bits, to which the steps are added. Its name is **master weights**. The forward pass uses the short numbers, and
# the long ones remember.
#
# The second exception is the gradient. The smallest number of float16 is 0.00000006, and anything smaller than half of that is rounded to 0: **underflow**. The
# remedy is **loss scaling**. Multiply the loss by 1024. Then all gradients are 1024 times as large, for slopes multiply along each path. Divide
# them by 1024 again in 32 bits, before the step. The largest number of float16 is 65,504, so the scale must not be too large either.

# %%
w = tf.constant(np.float16(1e-4))
for scale in (1.0, 1024.0):
    with tf.GradientTape() as tape:
        tape.watch(w)
        loss = w * w * np.float16(1e-4) * np.float16(scale)
    g = tape.gradient(loss, w)
    print(f"loss times {scale:g}: slope {float(tf.cast(g, tf.float32) / scale):.1e}")

# %% [markdown]
# Most training today uses **bfloat16**: the range of float32, but only two to three digits. It needs no loss scaling, and master weights all the more. PyTorch scales a
# loss with `torch.amp.GradScaler`; here and in JAX you do it by hand.
