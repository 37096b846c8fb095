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

# %% [markdown] slide="The ball is in the ring. The gradient is 0.\n\nYour hand is off by a tenth of a metre per second.\n\n**How far off is the ball, and does the direction of the error matter?**" notes="2 minutes. Collect guesses: a centimetre, ten, a metre? Then ask what the gradient says about it. It is 0, so it says: nothing changes."
# # 2. Curvature
#
# In lesson 1 the ball ended in the ring, and there the gradient is 0. Now your hand is off by a tenth of a metre per second. **How far off is the ball, and
# does the direction of the error matter?** The gradient is silent: it is 0 in each direction. The answer is in how fast the *slopes* change, in second
# derivatives.
#
# You need lesson 1, and the eigenvalues of a symmetric matrix. Afterwards you can
#
# - compute second derivatives with two tapes,
# - say what a Jacobian is, and which shape it has,
# - read from a Hessian in which direction an error costs most.

# %% tags=["setup"]
import matplotlib.pyplot as plt
import numpy as np

import minitape as tf
from minitape import viz
from minitape.viz.course.motion import circling

viz.figures()

# %% [markdown] slide=""
# ## The gradient is silent
#
# Here are the throw, the ring, and the velocity that lesson 1 found.


# %% tags=["needed", "given"] slide=""
# Given.
def fly(v, drag=0.02, strength=-6.0, seconds=2.0, steps=100):
    """All places of the ball of lesson 1, as a tensor of shape (steps, 2)."""
    vx, vy, dt = v[0], v[1], seconds / steps
    x, y, places = 0.0 * vx, 1.5 + 0.0 * vy, []
    for _ in range(steps):
        air = vx - strength * tf.tanh(y / 5.0)
        slowed = drag * tf.sqrt(air**2 + vy**2)
        vx, vy = vx - dt * slowed * air, vy - dt * (slowed * vy + 9.81)
        x, y = x + dt * vx, y + dt * vy
        places.append(tf.stack([x, y]))
    return tf.stack(places)


# %% tags=["needed", "given"] slide=""
# Given.
RING = tf.constant([20.0, 2.0], tf.float64)
hit = tf.constant([15.6458, 11.7326], tf.float64)  # across and up, in m/s


def miss(v):
    """The squared distance to the ring."""
    return tf.reduce_sum((fly(v)[-1] - RING) ** 2)


# %% slide="At the hit the gradient is 0"
with tf.GradientTape() as tape:
    tape.watch(hit)
    far = miss(hit)
gradient = tape.gradient(far, hit).numpy().round(2) + 0.0  # makes 0 of -0
print(f"misses by {float(far) ** 0.5:.3f} m, gradient", gradient)

# %% slide="Off by 0.1 m/s, across or up: which ball misses by more? | The one that is too fast up" notes="3 minutes. Let them vote for across, up, or the same. Both slopes are 0, so it cannot be the slopes that tell them apart."
with viz.predict(
    "Your hand is too fast by 0.1 m/s, either across or up. Which ball misses the ring by more, or do both miss by the same?",
    "The one that is too fast up, by 14 cm. The other one misses by 11 cm. Both slopes are 0, so something else tells the two apart.",
):
    for name, error in [("across", [0.1, 0.0]), ("up", [0.0, 0.1])]:
        print(f"0.1 m/s too fast {name}: {100 * float(miss(hit + np.array(error))) ** 0.5:.0f} cm")

# %% tags=["picture", "given"] minutes=1 slide="Both are level at the hit, and one bends more" alt="The squared miss over the error of the hand, from -0.3 to 0.3 m/s. Two curves touch the level line at 0, where both are 0. The one for errors up, solid, rises on both sides to 0.18 square metres; the one for errors across, dashed, to about 0.11."
# Given: this only draws.
errors_of_hand = np.linspace(-0.3, 0.3, 41)
plt.figure(figsize=(5.6, 3.2))
for name, way, look in [("up", [0.0, 1.0], "-"), ("across", [1.0, 0.0], "--")]:
    squared = [float(miss(hit + each * np.array(way))) for each in errors_of_hand]
    (drawn,) = plt.plot(errors_of_hand, squared, look)
    plt.text(0.31, squared[-1], name, color=drawn.get_color(), va="center")
plt.axhline(0.0, color="0.7", linewidth=1)
plt.xlim(-0.32, 0.41)
plt.xlabel("error of the hand (m/s)")
plt.ylabel("squared miss (m²)")
plt.show()

# %% [markdown] slide="## Curvature: how fast a slope changes\n\nA bowl: $f(x) = \\lambda x^2 / 2$ has the slope $\\lambda x$, and the curvature $\\lambda$.\n\nAt the distance $d$ from the bottom it has grown by $\\lambda d^2 / 2$: there the ball misses by $d \\sqrt{\\lambda / 2}$." notes="3 minutes. From 14 cm at 0.1 m/s they can compute the curvature: twice the square of 1.4, about 3.9."
# Near a lowest point almost every smooth function looks like a bowl, $f(x) = \lambda x^2 / 2$. Its slope is $\lambda x$, which changes by $\lambda$ for each unit of $x$.
# How fast a slope changes is the **curvature**, the derivative of a derivative. At the distance $d$ from the bottom, $f$ has grown by $\lambda d^2 / 2$. Here $f$ is the
# squared miss, so the ball misses by
#
# $$d \, \sqrt{\lambda / 2}$$
#
# The curve for *up* bends more. From two throws we could now work out both curvatures. A tape computes them exactly, and in every direction.

# %% [markdown] slide="## The backward pass can be recorded, too\n\nA gradient is computed with ordinary operations. If a *second* tape records them, it can differentiate them."
# ## Derivatives of derivatives
#
# `tape.gradient` computes with ordinary operations. So if a *second* tape is recording while the first one computes its
# gradient, it can differentiate that computation. Two tapes, one inside the other, give the second derivative. Here is
# $x^3$ at 3. Its derivatives are $3x^2$ and $6x$, so we expect 27 and 18:

# %% slide="A tape around a tape"
x = tf.Variable(3.0)

with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = x * x * x
    slope = inner.gradient(y, x)  # inside the block of `outer`: it is recorded
curvature = outer.gradient(slope, x)

print("first: ", slope.numpy())
print("second:", curvature.numpy())

# %% [markdown]
# **Look at the outer tape.** For a square the picture is small. It shows what *you* wrote (A), and then the backward pass
# of the inner tape (B, with the seed 1), recorded like any other computation. The player opens where both are recorded; from there the outer
# tape walks back through all of it.

# %% slide="What the outer tape has recorded | Your line, and the backward pass of the inner tape"
x = tf.Variable(3.0)

with viz.recording(), tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = x * x
    slope = inner.gradient(y, x)

player = viz.step(outer, slope, x, title="The derivative of a derivative", at=4)
print("second:", outer.gradient(slope, x).numpy())
player

# %% [markdown]
# A common mistake is one level of indentation: if `inner.gradient` stands outside the outer block, no tape records it, and
# the second derivative is `None`. *Further: too late* shows it.

# %% [markdown] slide="## A Jacobian is the table of all slopes\n\nThe derivative of *each* element of the target with respect to each element of the source.\n\nIts shape: that of the **target**, followed by that of the **source**.\n\nRow $i$ is an ordinary gradient with the seed 1 at $y_i$ and 0 elsewhere."
# ## Jacobians
#
# The gradient of the throw has two numbers, and each of them has slopes of its own. `tape.gradient` cannot give them all: it
# differentiates *one* number, and of several targets their sum. The table of all slopes is the **Jacobian**, with a row for
# each output and a column for each input. Its shape is that of the target followed by that of the source. Here are three
# results that depend on three numbers, $y_i = x_i \sum_j x_j$:

# %% slide="Three results of three numbers | Jacobians are read row by row"
x = tf.constant([1.0, 2.0, 3.0])

with viz.recording(), tf.GradientTape() as tape:
    tape.watch(x)
    y = x * tf.reduce_sum(x)

view = viz.jacobian(tape, y, x)
print(tape.jacobian(y, x).numpy())
view

# %% [markdown]
# **Look at the rows.** Row $i$ is an ordinary gradient whose seed is 1 at $y_i$ and 0 at the others. Choose a row with the
# slider: the player below it steps through this backward pass. Lesson 7 explains the other button.

# %% [markdown] slide="## The Hessian: the Jacobian of the gradient\n\nTwo unknowns, so 2 by 2 second derivatives. The curvatures across and up are on the diagonal.\n\nIn the direction of an **eigenvector** the ground is a bowl again. Its curvature is the **eigenvalue**." notes="3 minutes. H v = λ v says it: a small error v changes the gradient by λ v, along v itself, as in a bowl with one unknown."
# ## How the throw bends
#
# The gradient of the throw has two numbers, and each of them changes with both unknowns. The Jacobian of the gradient is the **Hessian**, $H$. The curvatures across
# and up are on its diagonal. The other two numbers are equal: they say how the slope across changes when the hand errs up, and the other way round.

# %% slide="The Hessian at the hit, by two tapes"
with tf.GradientTape() as outer:
    outer.watch(hit)
    with tf.GradientTape() as inner:
        inner.watch(hit)
        far = miss(hit)
    gradient = inner.gradient(far, hit)
bend = outer.jacobian(gradient, hit)
print("Hessian", bend.numpy().round(2).tolist())

# %% [markdown] slide=""
# Read it: an error of 0.1 across changes the slope across by 0.25 and the slope up by -0.09.
#
# The hand may err in any direction. An error $v$ changes the gradient by $H v$, and costs nearly $v^\top H v / 2$, the bowl's $\lambda d^2 / 2$ for many unknowns. For 0.1 m/s up,
# $v = (0, 0.1)$: then $v^\top H v / 2 = 3.95 \cdot 0.1^2 / 2 \approx 0.02$ m², and the root of it is 14 cm, as thrown.
#
# If $v$ is an **eigenvector**, a direction that $H$ does not turn, then $H v = \lambda v$: along $v$ the ground is a bowl with one unknown. Its curvature is the **eigenvalue** $\lambda$, and an error of
# the length $d$ along it misses by $d \sqrt{\lambda / 2}$, as above.

# %% slide="Which error of 0.1 m/s costs most? | Up and back, and its eigenvector even more" notes="3 minutes. What does the sign of -0.87 do to v H v when both numbers of v have the same sign, and when they differ?"
with viz.predict(
    "Which error of 0.1 m/s costs most: straight up, up and as much forward, or up and as much back? (H has 2.51 and 3.95 on its diagonal, and twice -0.87 next to it. Look at that sign.)",
    "Up and back: 14.3 cm, after 14.0 straight up and 10.9 up and forward. Up and half as much back, the eigenvector of the largest eigenvalue, costs 15 cm. That eigenvalue is 4.35, more than any number on the diagonal. The cheapest direction, "
    "at a right angle to it, costs 10 cm.",
):
    for name, way in [("up", [0, 1]), ("up and forward", [1, 1]), ("up and back", [-1, 1])]:
        error = 0.1 * np.array(way) / np.linalg.norm(way)
        print(f"{name}: {100 * float(miss(hit + error)) ** 0.5:.1f} cm")
    curvatures, ways = np.linalg.eigh(bend)
    ways *= np.sign(ways[1])  # an eigenvector is a column: take the end that points up
    for each, way in zip(curvatures, ways.T, strict=True):
        paper, thrown = 10 * (each / 2) ** 0.5, 100 * float(miss(hit + 0.1 * way)) ** 0.5
        print(f"curvature {each:.2f} along {way.round(2)}:", end=" ")
        print(f"on paper {paper:.1f} cm, thrown {thrown:.1f} cm")

# %% tags=["picture", "given"] minutes=2 slide="Walk round the circle: where does an error cost most?" notes="2 minutes. All errors on the circle are of the same size. Let it run once. Then ask: where is the dot when the curve is highest, and what is special about these places?"
# Given: this only draws.
turn = np.linspace(0.0, 2.0 * np.pi, 97)
circle = 0.1 * np.stack([np.cos(turn), np.sin(turn)], 1)
thrown = [100 * float(miss(hit + each)) ** 0.5 for each in circle]
rings = []
for cost in (5, 10, 15):  # of an error, in centimetres
    lengths = cost / 100 / np.sqrt(curvatures / 2)  # along the two eigenvectors
    rings.append((f"{cost} cm", (ways @ (lengths[:, None] * [np.cos(turn), np.sin(turn)])).T[::2]))
angles = [np.arctan2(*way[::-1]) for way in ways.T]
marked = {
    round(angle * 96 / (2 * np.pi)): f"{name}: {thrown[round(angle * 96 / (2 * np.pi))]:.0f} cm"
    for name, angle in [("across", 0.0), ("up", np.pi / 2)]
}
marked |= {
    round(angle * 96 / (2 * np.pi)): f"{thrown[round(angle * 96 / (2 * np.pi))]:.0f} cm"
    for angle in angles
}
picture = circling(
    rings,
    circle,
    thrown,
    marked,
    "On the left a circle of all errors of 0.1 m/s, over three ellipses of equal miss, of 5, 10 and 15 cm. A dot goes once round it. On the right is the miss at each place: "
    "from 11 cm across it falls to 10 cm, rises past 14 cm at straight up to 15 cm a little farther, and does the same once more. It is lowest along the long axis of the ellipses, and "
    "highest along the short one, up and half as much back.",
)
picture.add(
    '<text x="0" y="18">blue: errors of 0.1 m/s, grey: equal miss</text>'
    '<text x="140" y="285" text-anchor="middle">faster across &#8594;</text>'
    '<text x="14" y="150" text-anchor="middle" transform="rotate(-90 14 150)">faster up &#8594;</text>'
    '<text x="507" y="18" text-anchor="middle">miss</text>'
)
picture

# %% [markdown] slide=""
# So the first question has an answer: 0.1 m/s costs between 10 and 15 cm, and an error up and half as much back costs most. The two eigenvectors are where the dot is when the curve is at its lowest and
# at its highest. The largest eigenvalue also limits how far a step downhill may
# go, see *Further: the border of the rates*, and lesson 17.

# %% [markdown] slide="## The same elsewhere\n\n| here | PyTorch | JAX |\n|:--|:--|:--|\n| `tape.jacobian(y, x)` | `torch.func.jacrev(f)(x)` | `jax.jacrev(f)(x)` |\n| `outer.jacobian(gradient, x)` | `torch.func.hessian(f)(x)` | `jax.hessian(f)(x)` |\n| `batch_jacobian` | `vmap(jacrev(f))(x)` | `jax.vmap(jax.jacrev(f))(x)` |" notes="1 minute. All three order the axes alike: target first."
# ## The same elsewhere
#
# | here, and in TensorFlow | PyTorch | JAX |
# |:--|:--|:--|
# | a tape around a tape | `torch.autograd.grad(y, x, create_graph=True)`, then once more | `jax.grad(jax.grad(f))` |
# | `tape.jacobian(y, x)`: target first | `torch.func.jacrev(f)(x)`: target first | `jax.jacrev(f)(x)`: target first |
# | `outer.jacobian(gradient, x)` | `torch.func.hessian(f)(x)` | `jax.hessian(f)(x)` |
# | `tape.batch_jacobian(y, x)` | `torch.func.vmap(torch.func.jacrev(f))(x)` | `jax.vmap(jax.jacrev(f))(x)` |
# | `np.linalg.eigvalsh(H)`: ascending | `torch.linalg.eigvalsh(H)`: ascending | `jnp.linalg.eigvalsh(H)`: ascending |

# %% [markdown] slide="## Exercises\n\n1. The curvature along a line\n2. The worst error\n3. A Jacobian puzzle\n4. Shapes"
# ## Exercises
#
# Replace each `...` with your code, run the cell, and run the check below it. A check says "Right:" and why, or what is
# probably wrong.

# %% [markdown] slide="## Exercise 1: the curvature along a line\n\nFrom `x` we walk in the direction of `way`. Write `curvature(f, x, way)`, the second derivative of the height at $t = 0$:\n\n$$t \\mapsto f(x + t \\cdot way / |way|)$$\n\nTwo tapes, no Hessian."
# **Exercise 1.** How strongly does the ground bend along a line? From `x` we walk in the direction of `way`, two or more numbers. After the distance $t$ we are at `x + t * way / |way|`,
# and the height of the ground there is a function of the one number $t$. Write `curvature(f, x, way)`: its second derivative at $t = 0$. Two tapes are enough, without a
# Hessian. Mind the length of `way`: the hand may point to a place 1 m away or 10 m away, and it is the same line.


# %% nbgrader={"grade": false, "grade_id": "along-a-line", "locked": false, "schema_version": 3, "solution": true, "task": false}
def curvature(f, x, way):
    """The second derivative of f along the line from x in the direction of way."""
    ### BEGIN SOLUTION
    t = tf.Variable(0.0, dtype=tf.float64)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = f(x + t * way / tf.norm(way))
        slope = inner.gradient(y, t)
    return outer.gradient(slope, t)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "along-a-line-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
with viz.Score(3) as score:
    draw = np.random.default_rng()
    a, b, c = draw.uniform(1.0, 2.0, 3)
    GROUNDS = [  # a name, the ground, whether the direction has the length 1
        ("a bowl", lambda x: a * x[0] ** 2 + x[0] * x[1] + b * x[1] ** 2, True),
        ("a wave", lambda x: a * tf.sin(b * x[0]) * x[1] + c * x[1] ** 3, True),
        (
            "a longer direction",
            lambda x: a * x[0] ** 3 + b * x[0] * x[1] * x[2] + c * x[2] ** 2,
            False,
        ),
    ]
    for name, f, unit in GROUNDS:
        size = 2 if unit else 3
        at, way = draw.uniform(0.5, 1.0, size), draw.uniform(0.5, 1.5, size) * [1, -1, 1][:size]
        length = 1.0 if unit else draw.uniform(2.0, 3.0)
        way = length * way / np.linalg.norm(way)
        try:
            found = curvature(f, tf.constant(at), tf.constant(way))
        except (TypeError, ValueError, AttributeError, RuntimeError) as error:
            said = "x and way have 64 bits. Has t, too? A variable takes a dtype=."
            if "None" in str(error):
                said = "Is the slope None? The inner tape has to hear f, and to watch what you ask about."
            raise AssertionError(f"{str(error).split('. ')[0]}. {said}") from None
        assert found is not None, (
            "The curvature is None. Ask the inner tape inside the outer one's block: else nothing records its backward pass. And return it."
        )
        assert np.ndim(found) == 0, (
            f"One number: how the slope along the line changes, and not an array of shape {np.shape(found)}."
        )

        def height(t, f=f, at=at, way=way / length):
            """The ground after the distance t, by NumPy's numbers."""
            return float(f(at + t * way))

        h = 1e-3
        slope = (height(h) - height(-h)) / (2 * h)
        true = (height(h) - 2 * height(0.0) + height(-h)) / h**2

        def is_near(value, found=float(found), true=true):
            return abs(found - value) < 1e-3 * (1 + abs(true))

        said = f"For {name} it is not the second derivative along the line: is f taken at x + t * way / |way|, and are both derivatives with respect to t?"
        if is_near(slope):
            said = "That is the slope along the line. How fast does it change?"
        elif not unit and is_near(true * length**2):
            said = "For a longer direction it is too large: with t you walk |way| times as far. Divide way by its length."
        elif not unit and is_near(true * length):
            said = "For a longer direction one of the two derivatives is still too large: divide way by its length before you walk."
        elif is_near(true / 2):
            said = "That is half of it. The bowl has a half in front of its curvature, the second derivative has not."
        score.part(1, is_near(true), said)
    score.total(
        "along a line there is one unknown, and a tape around a tape gives its second derivative."
    )
score.earned

# %% [markdown] slide="## Exercise 2: the worst error\n\nThree dimensions, an error `v` of a given `length`. The squared miss is nearly $v^\\top H v / 2$. Write `worst_error(H, length)`: which `v` costs most, and by how much does it miss?"
# **Exercise 2.** Throw in three dimensions: across, up and sideways. The hand may err by `length`, in any direction. At the target the gradient is 0, the Hessian is
# `H`, and the squared miss is nearly $v^\top H v / 2$. Write `worst_error(H, length)`: the error `v` of that length that costs most, and the miss that it causes.
# `np.linalg.eigh(H)` gives the eigenvalues, and a matrix whose *columns* are their eigenvectors, each of length 1.


# %% nbgrader={"grade": false, "grade_id": "worst-error", "locked": false, "schema_version": 3, "solution": true, "task": false}
def worst_error(H, length):
    """The error of this length that costs most, of shape (3,), and the miss that it causes."""
    ### BEGIN SOLUTION
    curvatures, ways = np.linalg.eigh(H)
    return length * ways[:, -1], length * (curvatures[-1] / 2) ** 0.5
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "worst-error-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
with viz.Score(3) as score:
    draw = np.random.default_rng()
    mixed = draw.normal(size=(3, 3))
    H, length = mixed @ mixed.T + 0.5 * np.eye(3), draw.uniform(0.2, 0.5)
    try:
        found, cost = worst_error(H, length)
        found, cost = np.array(found, float), float(cost)
    except (TypeError, ValueError) as error:
        raise AssertionError(
            f"It stops with {error}. Return two things: the error, three numbers, and the miss, one number."
        ) from error
    assert found.shape == (3,), (
        f"The error is a vector of three numbers, and not of shape {found.shape}."
    )

    def settled(matrix):
        """The direction to which multiplying again and again turns a vector."""
        way = np.ones(3)
        for _ in range(20_000):
            way = matrix @ way
            way = way / np.linalg.norm(way)
        return way

    best, least = settled(H), settled(np.trace(H) * np.eye(3) - H)
    size = np.linalg.norm(found)
    along = found / size if size else found

    def is_along(way):
        return abs(along @ way) > 0.99999

    said = "Not the direction that costs most. Among all v of one length, where is v H v largest?"
    if is_along(least):
        said = "That direction costs least: eigh sorts the eigenvalues in ascending order."
    elif is_along(np.eye(3)[np.argmax(np.diag(H))]):
        said = "The largest curvature on the diagonal is not the largest of all directions."
    elif is_along(np.linalg.eigh(H).eigenvectors[-1]):
        said = "Is that a row? The eigenvectors are the columns of the matrix."
    score.part(1, is_along(best), said)
    said = f"The error should have the length {length:.3f}, and has {size:.3f}: an eigenvector has the length 1."
    score.part(1, np.isclose(size, length), said)
    own = np.sqrt(found @ H @ found / 2)
    said = "The miss is another number: put your error into v H v / 2. What is that the square of?"
    if np.isclose(cost, own**2):
        said = "That is the squared miss."
    elif np.isclose(cost, own * np.sqrt(2)):
        said = "The half is missing: the squared miss is v H v / 2."
    worst = length * np.sqrt(best @ H @ best / 2)
    score.part(1, (np.isclose(cost, own) and own > 0) or np.isclose(cost, worst), said)
    score.total("along the eigenvector of the largest eigenvalue, where the ground bends most.")
score.earned

# %% [markdown]
# **Exercise 3.** A *Jacobian puzzle*. Write `puzzle(x)`, three results of three numbers, whose Jacobian at (2, 3, 5) is the wanted one below. Each row takes one line: replace
# the three. The check looks at (1, 4, 2) as well, where the wanted rows are (4, 1, 0), (0, 1, 1) and (0, 2, 4). Wrong entries are crossed out in the picture.

# %% tags=["needed"]
WANTED = {
    (2.0, 3.0, 5.0): [[3.0, 2.0, 0.0], [0.0, 1.0, 1.0], [0.0, 5.0, 3.0]],
    (1.0, 4.0, 2.0): [[4.0, 1.0, 0.0], [0.0, 1.0, 1.0], [0.0, 2.0, 4.0]],
}


# %% nbgrader={"grade": false, "grade_id": "by-hand-puzzle", "locked": false, "schema_version": 3, "solution": true, "task": false}
def puzzle(x):
    """Three results of x[0], x[1] and x[2]."""
    first = x[0]
    second = x[0]
    third = x[0]
    ### BEGIN SOLUTION
    first = x[0] * x[1]
    second = x[1] + x[2]
    third = x[1] * x[2]
    ### END SOLUTION
    return tf.stack([first, second, third])


# %% nbgrader={"grade": true, "grade_id": "by-hand-puzzle-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
with viz.Score(3) as score:
    from IPython.display import display

    pictures = []
    for at, wanted in WANTED.items():
        x = tf.constant(at)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = puzzle(x)
        assert isinstance(y, tf.Tensor) and y.shape == (3,), (
            "puzzle should return one tensor of three results: tf.stack([first, second, third])."
        )
        found = tape.jacobian(y, x)
        assert found is not None, "No path leads from the results to x: use x[0], x[1] and x[2]."
        pictures.append(viz.Puzzle(found, wanted))
    first, second = pictures
    assert not np.allclose(first.found, [1.0, 0.0, 0.0]), (
        "Replace the three lines: each is x[0] so far."
    )
    for row in range(3):
        said = f"Row {row} has a wrong entry: which inputs may stand in this line, and how often?"
        if not first.wrong[row].any() and second.wrong[row].any():
            said = f"Row {row} is right at one place only. Slopes that change come from a product."
        if np.allclose(first.found[row], np.array(WANTED[2.0, 3.0, 5.0])[:, row]):
            said = f"Row {row} is a column of the wanted matrix: a row belongs to one result."
        elif not np.any(first.found[row]):
            said = f"No path leads from row {row} to x: np. and float(...) leave the tape."
        score.part(1, not first.wrong[row].any() and not second.wrong[row].any(), said)
    display(first)
    score.total("x0 x1, x1 + x2 and x1 x2: multiply swaps, add copies.")
score.earned

# %% [markdown]
# **Exercise 4.** Shapes, without running anything. A layer computes `y = x @ w` with `x` of shape
# (4, 2) and `w` of shape (2, 3). Which shapes do these have? Fill in tuples. Each row of `y` depends on the same row of `x` only,
# so most of `tape.jacobian(y, x)` is zero. `tape.batch_jacobian(y, x)` gives one small Jacobian for each example: the batch, then the
# target's other axes, then the source's other axes.

# %% nbgrader={"grade": false, "grade_id": "by-hand-shapes", "locked": false, "schema_version": 3, "solution": true, "task": false}
shapes = {
    "tape.gradient(y, w)": None,
    "tape.jacobian(y, w)": None,
    "tape.jacobian(y, x)": None,
    "tape.batch_jacobian(y, x)": None,
}
### BEGIN SOLUTION
shapes = {
    "tape.gradient(y, w)": (2, 3),
    "tape.jacobian(y, w)": (4, 3, 2, 3),
    "tape.jacobian(y, x)": (4, 3, 4, 2),
    "tape.batch_jacobian(y, x)": (4, 3, 2),
}
### END SOLUTION

# %% nbgrader={"grade": true, "grade_id": "by-hand-shapes-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    x, w = tf.Variable(tf.ones([4, 2])), tf.Variable(tf.ones([2, 3]))
    with tf.GradientTape(persistent=True) as tape:
        y = x @ w
    rules = {
        "tape.gradient(y, w)": "A gradient has the shape of its source.",
        "tape.jacobian(y, w)": "A Jacobian has the shape of its target, then that of its source.",
        "tape.jacobian(y, x)": "A Jacobian has the shape of its target, then that of its source.",
        "tape.batch_jacobian(y, x)": "One Jacobian per example: the batch is there once, and in front.",
    }
    assert any(each is not None for each in shapes.values()), "Fill in four tuples."
    for call, rule in rules.items():
        answer = shapes.get(call)
        right = isinstance(answer, list | tuple | tf.TensorShape | np.ndarray) and tuple(
            answer
        ) == tuple(eval(call).shape)
        said = f"{call} has another shape. {rule}"
        if isinstance(answer, str):
            said = f"{call}: write a tuple without quotes, such as (2, 3)."
        score.part(1, right, said)
    score.total("target first, source second, and a batch only once where examples are apart.")
score.earned

# %% [markdown]
# **To think about.** A model has a million parameters, and you may ask for five products $H v$ (lesson 7 computes them
# without $H$). Which five $v$ would you take to find a direction in which an error costs much?
#
# <details><summary>An answer</summary>
# Begin with any $v$. Each next one is the last product, divided by its length: multiplying again and again turns a vector to
# the eigenvector of the largest eigenvalue in size.
# </details>

# %% [markdown]
# ## What to remember
#
# - At a lowest point the gradient is 0. The curvature, how fast the slopes change, says what an error costs there.
# - Call `inner.gradient` inside the outer tape's block, and you can differentiate its result.
# - A Jacobian is the table of all slopes. Its shape is that of the target followed by that of the source. The Hessian is the Jacobian of the gradient.
# - Its eigenvectors are the directions in which the ground is a bowl, and its eigenvalues are their curvatures. An error $d$ in a
#   direction of curvature $\lambda$ misses by $d \sqrt{\lambda / 2}$, so the largest one says what costs most.
#
# **Read on.** Nocedal, Wright, *Numerical Optimization* (second edition, 2006), chapter 10. Drucker, LeCun, *Improving
# Generalization Performance Using Double Backpropagation* (1992). TensorFlow's guide *Advanced automatic
# differentiation*.

# %% [markdown]
# ## Further: too late
#
# Here `inner.gradient` is called outside the outer tape's block, so no tape records it. `viz.explain` says so; lesson 4 has
# more of its kind.

# %%
x = tf.Variable(3.0)

with viz.recording():
    with tf.GradientTape() as outer, tf.GradientTape() as inner:
        y = x * x
    slope = inner.gradient(y, x)  # too late for `outer`

why = viz.explain(outer, slope, x)
print(outer.gradient(slope, x))
why

# %% [markdown]
# ## Further: the border of the rates
#
# In lesson 1 the rate 0.3 hit the ring in six steps, and the rate 0.5 never did. Where is the border? In the bowl $f(x) = \frac{\lambda}{2} x^2$ one step of gradient
# descent gives
#
# $$x - \text{rate} \cdot \lambda x = (1 - \text{rate} \cdot \lambda)\, x.$$
#
# So each step multiplies the distance to the bottom by the same number. The distance shrinks if that number lies between $-1$ and 1: **the rate must be below $2 /
# \lambda$.**

# %%
with viz.predict(
    "A bowl with the curvature 4, from x = 1. What do the rates 0.25, 0.45 and 0.55 do?",
    "0.25 is there in one step, since 1 - 0.25 * 4 = 0. 0.45 is below 2 / 4 and jumps from side to side, "
    "nearer each time. 0.55 jumps farther each time.",
):
    for rate in [0.25, 0.45, 0.55]:
        x, places = tf.Variable(1.0), []
        for _ in range(5):
            with tf.GradientTape() as tape:
                y = 2.0 * x**2
            x.assign_sub(rate * tape.gradient(y, x))
            places.append(f"{float(x):+.2f}")
        print(f"rate {rate}:", *places)

# %% tags=["picture", "given"] alt="Two bowls with a path that jumps from side to side. At the rate 0.45 each jump lands lower, at 0.55 higher."
# Given.
figure, sides = plt.subplots(1, 2, figsize=(5.2, 2.8), layout="constrained")
for side, rate in zip(sides, [0.45, 0.55], strict=True):
    path = (1 - 4 * rate) ** np.arange(6)
    line = np.linspace(-1.05, 1.05, 99) * abs(path).max()
    side.plot(line, 2 * line**2, color="0.6")
    side.plot(path, 2 * path**2, "o-")
    side.annotate("start", (1.0, 2.0), (7, -8), textcoords="offset points")
    side.margins(x=0.5)
    side.set_title(f"rate {rate}", fontsize=11)
    side.set_xlabel("x")
sides[0].set_ylabel("f(x)")
plt.show()

# %% [markdown]
# Near the hit the ground has two such bowls, along its two eigenvectors, and the largest eigenvalue decides. Here is the border at the start of lesson 1, and at the hit:

# %%
for v in [tf.constant([10.0, 10.0], tf.float64), hit]:
    with tf.GradientTape() as outer:
        outer.watch(v)
        with tf.GradientTape() as inner:
            inner.watch(v)
            far = miss(v)
        gradient = inner.gradient(far, v)
    print("border", round(2 / np.linalg.eigvalsh(outer.jacobian(gradient, v))[-1], 2))

# %%
with viz.predict(
    "The border is 0.46 at the hit. From a throw that misses by 6 cm, where do 100 steps at 0.45 and at 0.47 lead?",
    "At 0.45 to within a millimetre, at 0.47 two and a half metres away, and the miss is still growing.",
):
    for rate in [0.45, 0.47]:
        v = tf.Variable(hit + 0.04)
        for _ in range(100):
            with tf.GradientTape() as tape:
                far = miss(v)
            v.assign_sub(rate * tape.gradient(far, v))
        print(f"rate {rate}: misses by {float(miss(v)) ** 0.5:.4f} m")

# %% [markdown]
# Above the border the walk does not settle at the hit. Elsewhere the border is only a warning: at (10, 10), where the walk of lesson
# 1 begins, it is 0.41, and yet 0.45 arrives from there. Before you have a hit you do not know its border, so try small
# rates first.

# %% [markdown]
# ## Further: why a third?

# %%
with viz.predict(
    "At the rate 0.3 each throw of lesson 1 missed by about a third of the one before: 1.51, 0.52, 0.18, "
    "0.06 m. Which numbers tell you so in advance?",
    "The two curvatures. A step multiplies the distance along the one direction by 0.37 and along the other by "
    "-0.31: a third, twice. Near 0.31 the two are equally small, and no other fixed rate is quicker in the long run.",
):
    for rate in [0.3, 2.0 / sum(curvatures), 0.45]:
        print(f"rate {rate:.2f}: times", (1.0 - rate * curvatures).round(2))

# %% [markdown]
# ## Further: solve it, don't grope
#
# Gradient descent knows *one* number, the squared miss, and its slopes. The tape knows more: where the ball is after 2
# seconds, two numbers, and how each of them changes with the velocity. Let $J$ be the Jacobian of the position with respect
# to the velocity. If the velocity changes by a small $s$, the position changes by $J s$, *to first order*. We know how far
# it is off, $e$. So we *solve* $J s = e$, subtract this $s$ from the velocity, look again, and go on. This is Newton's
# method for equations.

# %%
with viz.predict(
    "Gradient descent took six steps to 1 cm, each with one gradient. This method takes two gradients a step, the rows "
    "of J. How far off is it after three?",
    "Less than a thousandth of a millimetre. Near the end each step about doubles the number of right digits.",
):
    v = tf.Variable([10.0, 10.0], dtype=tf.float64)
    for step in range(5):
        with tf.GradientTape() as tape:
            place = fly(v)[-1]
        off = place - RING
        print(f"step {step}: misses by {float(tf.norm(off)):.1e} m")
        v.assign_sub(tf.linalg.solve(tape.jacobian(place, v), off[:, tf.newaxis])[:, 0])

# %% [markdown]
# ## Further: what was the wind?
#
# The same method answers another question. Somebody filmed a throw whose velocity is known: twenty positions, each off by
# about 5 cm across and 5 cm up. How strong were drag and wind? There are 40 errors and two unknowns, so the errors will not
# all be 0. The sum of their squares is smallest, to first order, where the gradient of $|e - J s|^2$ is 0: $J^\top J\, s =
# J^\top e$. Subtract this $s$ from the unknowns, and go on: this is **Gauss-Newton**. (*Further: how
# sure is the fit?* says how far off the result may be.)

# %%
seen = fly(hit)[4::5] + 0.05 * np.random.default_rng(0).normal(size=(20, 2))
unknown = tf.Variable([0.01, 0.0], dtype=tf.float64)  # a first guess: little drag, no wind

for step in range(4):
    with tf.GradientTape() as tape:
        e = tf.reshape(fly(hit, unknown[0], unknown[1])[4::5] - seen, [40])
    J = tape.jacobian(e, unknown)
    print(f"step {step}: drag {float(unknown[0]):.4f}, wind {float(unknown[1]):.2f}")
    squares = tf.transpose(J) @ J
    update = tf.linalg.solve(squares, tf.transpose(J) @ e[:, tf.newaxis])
    unknown.assign_sub(update[:, 0])

print("true:   drag 0.0200, wind -6.00")

# %% tags=["picture", "given"] alt="Twenty measured places of a ball, as dots. The path of the first guess, dashed, flies far above and past them; the path of the fit goes through the dots."
# Given.
plt.figure(figsize=(5.2, 3.2))
plt.plot(*seen.numpy().T, "k.", label="seen in the film")
plt.plot(*fly(hit, 0.01, 0.0).numpy().T, "--", label="the first guess")
plt.plot(*fly(hit, *unknown.numpy()).numpy().T, label="the fit")
plt.xlabel("metres across")
plt.ylabel("metres up")
plt.legend(fontsize=10, loc="lower center", bbox_to_anchor=(0.42, 0.0))
plt.show()

# %% [markdown]
# ## Further: how sure is the fit?
#
# (Here you need to know what a variance and a standard deviation are.) Somebody else's film of the same throw would have
# other errors, and give another drag and another wind. If the 40 errors are independent of each other and each has the
# standard deviation 0.05, the variances of the two results stand on the diagonal of $0.05^2 (J^\top J)^{-1}$, to first order.
# Their roots are the standard deviations. And if the errors are bell-shaped, each result *by itself* is off by no more than
# its standard deviation in about two films of three. (Drag and wind are not independent of each other: with more drag and less
# wind against us the ball flies nearly the same way.)

# %%
covariance = 0.05**2 * np.linalg.inv(squares)
sure = np.sqrt(np.diag(covariance))
print(f"standard deviations: drag {sure[0]:.4f}, wind {sure[1]:.2f}")
print(f"their correlation:   {covariance[0, 1] / (sure[0] * sure[1]):.2f}")

# %% [markdown]
# ## Further: the calm throw
#
# Back to the ball. If the time is free, many throws hit the ring. Which would you take, and can a gradient tell? One
# answer: the one that the wind disturbs least. How much the wind disturbs a throw is a derivative, that of the position
# with respect to the strength of the wind. The inner tape computes it. To make it small, the outer tape differentiates it
# once more, with respect to the throw. So there are four errors, two of the position and two of that derivative, and three
# unknowns: the two parts of the velocity, and a time. The step of Gauss-Newton handles them all. A little damping keeps it
# from going too far.


# %% tags=["given"]
# Given.
def four_errors(p, aim):
    """How far off the position is, times `aim`, and its slopes with respect to the wind; p = (across, up, time)."""
    wind = tf.constant(-6.0, tf.float64)
    with tf.GradientTape() as inner:
        inner.watch(wind)
        place = fly(p[:2], strength=wind, seconds=p[2])[-1]
    return tf.concat([aim * (place - RING), inner.jacobian(place, wind)], axis=0)


def calmed(aim):
    """The throw after seven steps of Gauss-Newton, from the hit of lesson 1."""
    p = tf.Variable([15.6458, 11.7326, 2.0], dtype=tf.float64)  # the hit, after 2 seconds
    for _ in range(7):
        with tf.GradientTape() as outer:
            e = four_errors(p, aim)
        J = outer.jacobian(e, p)
        squares = tf.transpose(J) @ J + 0.001 * tf.eye(3, dtype=tf.float64)
        p.assign_sub(tf.linalg.solve(squares, tf.transpose(J) @ e[:, tf.newaxis])[:, 0])
    return p


# %%
with viz.predict(
    "Is the calm throw higher or flatter than the hit of lesson 1, slower or faster? And what comes out if only the "
    "derivatives with respect to the wind are to be small?",
    "Flatter and faster: it is there before the wind has done much. In a wind that is a third stronger it is off by 0.27 m, "
    "instead of 1.34 m. Without the miss, the best way not to be disturbed is hardly to fly: 0.07 s, and 19 m off.",
):
    first = tf.constant([15.6458, 11.7326, 2.0], tf.float64)
    throws = {"the hit": first, "calm": calmed(1.0), "calm, no aim": calmed(0.0)}
    for name, p in throws.items():
        still, windy = (fly(p[:2], strength=s, seconds=p[2])[-1] for s in (-6.0, -8.0))
        off = [float(tf.norm(place - RING)) for place in (still, windy)]
        print(f"{name:13} ({p[0]:.1f}, {p[1]:.1f}) m/s, {p[2]:.2f} s:", end=" ")
        print(f"off by {off[0]:.2f} m, in more wind {off[1]:.2f} m")

# %% tags=["picture", "given"] alt="Two throws to the ring, each in the usual wind, solid, and in a wind a third stronger, dashed. The hit of lesson 1 flies high, the calm throw is flat, and its two paths can hardly be told apart. At the right their ends near the ring, enlarged: in the stronger wind the hit ends 1.3 m before the ring, the calm throw 0.3 m before it."
# Given.
figure, (whole, near) = plt.subplots(
    1, 2, figsize=(6.4, 3.8), width_ratios=[1.6, 1], layout="constrained"
)
for name, color, mark in [("the hit", "tab:blue", "o"), ("calm", "tab:green", "s")]:
    p = throws[name]
    for strength, dashes in [(-6.0, "-"), (-8.0, "--")]:
        places = fly(p[:2], strength=strength, seconds=p[2]).numpy()
        label = f"{name}, {'more wind' if dashes == '--' else 'usual wind'}"
        for panel in (whole, near):
            panel.plot(*places.T, dashes, color=color, label=label)
        near.plot(*places[-1], mark, color=color)
whole.plot(*RING.numpy(), "ko", markersize=12, fillstyle="none")
near.plot(*RING.numpy(), "k+", markersize=14)
whole.set(xlabel="metres across", ylabel="metres up", ylim=(0.0, 9.0))
near.set(xlim=(18.3, 20.3), ylim=(1.2, 3.2), xlabel="metres across")
near.set_title("at the ring", fontsize=11)
figure.legend(*whole.get_legend_handles_labels(), ncols=2, loc="outside lower center")
plt.show()

# %% [markdown]
# With more steps it goes on like this: harder and flatter is calmer still. You get what the loss asks for. So a real
# thrower sets a limit, too; and *Further: calm models* does the same with a network.

# %% [markdown]
# ## Further: Newton's step for a minimum
#
# So far we have solved equations, with first derivatives only. The Hessian
# knows how the ground bends: can it do better? Near the place where we are, the squared miss looks like a surface with the
# slope $g$ and the curvature $H$. If all eigenvalues of $H$ are positive, $H$ is called **positive definite**, and that
# surface is a bowl. If we subtract $s$, its slope becomes $g - H s$. That is 0 where $H s = g$: there the bowl has its
# lowest point, and Newton's step goes to it.
#
# And if an eigenvalue of $H$ is negative (and none is 0)? Then the surface is a saddle or a hill, and Newton's step goes to
# the middle of the saddle, which may be higher or lower, or to the top of the hill, which is always higher.

# %% tags=["picture", "given"] alt="Lines of equal height of a saddle, which bends up along x and down along y. From the point (0.5, 1.0) an arrow marked Newton goes straight to the middle, which is higher; a dashed arrow marked downhill, across the lines, goes up and to the left, away from the saddle along y."
# Given.
grid = np.linspace(-2.0, 2.0, 81)
height = grid[None, :] ** 2 - 0.5 * grid[:, None] ** 2
plt.figure(figsize=(5.2, 4.4))
plt.clabel(plt.contour(grid, grid, height, levels=np.arange(-2.0, 4.0, 0.5), colors="0.6"))
for name, end, style in [("Newton", (0.0, 0.0), "solid"), ("downhill", (0.1, 1.4), "dashed")]:
    arrow = {"arrowstyle": "->", "linestyle": style, "linewidth": 1.8}
    plt.annotate("", end, (0.5, 1.0), arrowprops=arrow)
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
    plt.annotate(name, np.mean([end, (0.5, 1.0)], axis=0) + [0.15, 0.0], bbox=box)
plt.xlabel("x")
plt.ylabel("y")
plt.axis("scaled")
plt.title(f"Newton's step: from {0.5**2 - 0.5 * 1.0**2:.2f} up to 0", fontsize=11)
plt.show()

# %% [markdown]
# So there are three methods with nearly the same name. In each the solution $s$ is subtracted from the unknowns:
#
# | method | what should be 0 after the step, to first order | the system |
# |:--|:--|:--|
# | Newton, for equations | the errors $e$ | $J s = e$ |
# | Gauss-Newton, for least squares | $J^\top e$, with the same $J$ | $J^\top J\, s = J^\top e$ |
# | Newton, for a minimum | the gradient $g$ | $H s = g$ |
#
# Here are the first and the last as programs. Each returns the matrix and the right-hand side:


# %% tags=["given"]
# Given.
def equations(v):
    """J and e: the place should be the ring."""
    with tf.GradientTape() as tape:
        e = fly(v)[-1] - RING
    return tape.jacobian(e, v), e


def minimum(v):
    """H and g: the squared miss should be lowest."""
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            far = miss(v)
        gradient = inner.gradient(far, v)
    return outer.jacobian(gradient, v), gradient


# %%
with viz.predict(
    "From (20, 20) both methods hit. And from (30, 30)? The curvatures there are 0.58 and 2.34.",
    "The first hits again. The second runs away, although it begins in a bowl: 22 m, 39 m, 93 m, and there one "
    "curvature is negative.",
):
    for begin in [20.0, 30.0]:
        for system in [equations, minimum]:
            v, misses = tf.Variable([begin, begin], dtype=tf.float64), []
            for _ in range(5):
                misses.append(f"{float(miss(v)) ** 0.5:.2f}")
                matrix, right = system(v)
                v.assign_sub(tf.linalg.solve(matrix, right[:, tf.newaxis])[:, 0])
            print(f"from ({begin:.0f}, {begin:.0f}), {system.__name__:10}", *misses, "m")

# %% tags=["picture", "given"] alt="The squared miss along Newton's step from (30, 30), over the part of the step that is taken. The real ground, solid, falls from 469 to nearly 0 a little before half of the step, and then rises to 1513 where the step ends. The bowl that Newton sees at the start, dashed, has the same slope and curvature there, and goes on down to its lowest point at the whole step, at -377. A dotted line joins that point with the real one far above it."
# Given.
v = tf.Variable([30.0, 30.0], dtype=tf.float64)
matrix, right = minimum(v)
step = -np.linalg.solve(matrix, right)
start, slope, bends_by = float(miss(v)), right.numpy() @ step, step @ matrix.numpy() @ step
parts = np.linspace(0.0, 1.15, 47)
ground = [float(miss(tf.constant(v.numpy() + part * step))) for part in parts]
bowl = [start + part * slope + part**2 / 2 * bends_by for part in [*parts, 1.0]]

plt.figure(figsize=(5.2, 3.6))
plt.plot(parts, ground, "k", label="the real ground")
plt.plot(parts, bowl[:-1], "--", color="tab:red", label="the bowl that Newton sees")
landed = float(miss(tf.constant(v.numpy() + step)))
plt.plot([1.0, 1.0], [bowl[-1], landed], ":", color="0.5")
named = [("start", 0.0, start, (8, 6)), ("aim", 1.0, bowl[-1], (-62, -16))]
for words, place, height, beside in [*named, ("there", 1.0, landed, (-76, -14))]:
    plt.plot(place, height, "ko", markersize=6)
    plt.annotate(f"{words}: {height:.0f}", (place, height), beside, textcoords="offset points")
plt.xlim(-0.05, 1.2)
plt.ylim(-800.0, 2100.0)
plt.xlabel("part of Newton's step")
plt.ylabel("squared miss (m²)")
plt.legend(fontsize=10, loc="upper left")
plt.show()

# %%
for speeds in [(30.0, 30.0), hit, (45.0, 0.0)]:
    matrix, _ = minimum(tf.Variable(speeds, dtype=tf.float64))
    print("curvatures", np.linalg.eigvalsh(matrix).round(2))

# %% [markdown]
# At (30, 30) one curvature is 0.58; at the hit none is below 2.1. So Newton's step assumes that the ground ahead is flatter
# than it is, and goes too far. (It even hopes for a squared miss below 0.) At (45, 0) one curvature is negative, and there is no
# bowl at all: then Newton's step may go up or down. *Further: a matrix that never bends down* says why Gauss-Newton does
# not have this trouble. *Further: a network of 40 unknowns* compares the methods.

# %% [markdown]
# ## Further: a matrix that never bends down
#
# The squared miss is a sum of squares, $e_1^2 + e_2^2$. So $g = 2 J^\top e$, and $H$ is $2 J^\top J$ plus a part with the
# second derivatives of the place, which is small where the errors $e$ are small. *Gauss-Newton* leaves this part out.
# Its matrix needs no second derivatives, and it has no negative eigenvalue, since $u^\top J^\top J u = |J u|^2$. If none
# is 0 either, the step $s$ has $g^\top s = 2 |J s|^2$, so $-s$ points downhill wherever $g$ is not 0. (If one is 0, $J^\top
# J$ cannot be inverted, and some damping helps: see below.) For two equations and two unknowns $J$ is square, and if it can
# be inverted $J^\top J\, s = J^\top e$ says the same as $J s = e$: what solved the equations above already *was* this
# method.

# %% [markdown]
# ## Further: a network of 40 unknowns
#
# Three methods side by side, for a network with a hidden layer of eight units. We want the first kernel, of shape
# (5, 8). The second one is given, and so are the outputs for 30 inputs: a *teacher*, a network of the same form, has
# made them, with errors of about 0.05. We begin not far from the teacher's kernel.

# %% tags=["given"]
# Given.
rng = np.random.default_rng(1)
x = tf.constant(rng.normal(size=(30, 5)))
teacher = 0.5 * rng.normal(size=(5, 8))
second = tf.constant(0.5 * rng.normal(size=(8, 6)))
wanted = tf.tanh(x @ teacher) @ second + 0.05 * rng.normal(size=(30, 6))
start = teacher + 0.3 * rng.normal(size=(5, 8))
kernel = tf.Variable(start)


def errors():
    """How far each of the 180 outputs is off, divided by the root of 180.

    So the sum of their squares is the mean of the squares of what is off.
    """
    off = tf.tanh(x @ kernel) @ second - wanted
    return tf.reshape(off, [180]) / np.sqrt(180)


def loss_of_network():
    return tf.reduce_sum(errors() ** 2)


# %% [markdown]
# The Hessian has a second derivative for every pair of parameters: its shape is (5, 8, 5, 8). To calculate with it, make a
# matrix of it, with one row and one column for each of the 40 parameters. The order of two derivatives does not
# matter, so it is symmetric. That is a good check.


# %%
def newton_system():
    """The loss, and the matrix and the right side that Newton's method solves with."""
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            loss = loss_of_network()
        gradient = inner.gradient(loss, kernel)
    hessian = outer.jacobian(gradient, kernel)
    return loss, tf.reshape(hessian, [40, 40]), tf.reshape(gradient, [40, 1])


# %%
loss, hessian_matrix, gradient = newton_system()
print("symmetric:", np.allclose(hessian_matrix, tf.transpose(hessian_matrix)))

eigenvalues = np.linalg.eigvalsh(hessian_matrix)
print("the smallest and largest eigenvalue:", eigenvalues[[0, -1]].round(3))
print("how many are negative:", int(np.sum(eigenvalues < 0)))

# %% [markdown]
# **Damping.** Newton's step may go uphill where an eigenvalue is negative. A remedy that is often tried is *damping*: a
# little of the unit matrix, $\varepsilon I$, is added to $H$. It lifts every eigenvalue by $\varepsilon$.


# %% tags=["given"]
# Given.
def walk(system, damping=0.0, steps=5):
    """The losses; `damping` adds a little of the unit matrix."""
    kernel.assign(start)
    losses = []
    for _ in range(steps):
        loss, matrix, right = system()
        update = tf.linalg.solve(matrix + damping * tf.eye(40, dtype=tf.float64), right)
        kernel.assign_sub(tf.reshape(update, [5, 8]))
        losses.append(float(loss))
    return losses


def shown(losses):
    return "  ".join(f"{loss:.4f}" for loss in losses)


# %%
with viz.predict(
    "Seven of 40 eigenvalues are negative. Newton's method takes four steps from 0.1584. Does the loss fall?",
    "No: after four steps it is 14 times as large, and with damping 0.1 nearly 5 times.",
):
    print("Newton:                  ", shown(walk(newton_system)))
    print("Newton with damping 0.1: ", shown(walk(newton_system, damping=0.1)))

# %% [markdown]
# Seven directions bend down. Here Newton's first step still points downhill, and is far too long: 10.9, where the teacher's
# kernel is 1.6 away. The second step points uphill. A damping of 0.1 makes the first matrix positive definite and shortens the
# first step to 2.7. That is still too long, and the loss rises all the same. (Many programs choose the damping, or the length
# of the step, afresh in each step.)
#
# **Gauss-Newton.** Our loss is a sum of squares, $L = e_1^2 + \dots + e_{180}^2$. So we may leave a part of $H$ out, as
# above, and solve with $2 J^\top J$, where $J$ is the Jacobian of the errors:


# %%
def gauss_newton_system():
    """The same as `newton_system`, with 2 J^T J in place of the Hessian."""
    with tf.GradientTape() as tape:
        e = errors()
    jacobian = tf.reshape(tape.jacobian(e, kernel), [180, 40])
    transposed = tf.transpose(jacobian)
    return tf.reduce_sum(e**2), 2.0 * transposed @ jacobian, 2.0 * transposed @ e[:, tf.newaxis]


print("Gauss-Newton:", shown(walk(gauss_newton_system)))

# %% [markdown]
# After four steps it stays there. What is left are the errors in the 180 outputs, as far as they cannot be fitted. With the
# teacher's own kernel the loss is 0.0022, a little more, for a part of the errors is fitted too. How far does gradient
# descent get? That depends on its rate, so not any rate will do. At the lowest point that Gauss-Newton finds, the
# largest eigenvalue of the Hessian says which rates are stable: those below 2 divided by it, as in the bowl at the
# beginning.

# %% tags=["given"]
# Given.
walk(gauss_newton_system, steps=20)
lowest, matrix, _ = newton_system()
border = 2.0 / np.linalg.eigvalsh(matrix)[-1]
print(f"lowest loss {float(lowest):.6f}, rates below {border:.2f} are stable")

print("above the lowest loss after  10       100      1000 steps")
for rate in [0.3, 1.0, 1.6, 2.0]:
    kernel.assign(start)
    above = {}
    for step in range(1001):
        with tf.GradientTape() as tape:
            loss = loss_of_network()
        above[step] = float(loss - lowest)
        kernel.assign_sub(rate * tape.gradient(loss, kernel))
    print(f"rate {rate}:".ljust(26), *(f"{above[step]:.1e} " for step in [10, 100, 1000]))

# %% [markdown]
# After four steps Gauss-Newton is $1.3 \cdot 10^{-7}$ above the lowest loss. Gradient descent needs about 600
# steps for it at the rate 1.6, near its border. Newton's method made the loss larger here.
#
# Why is that not the usual way for large networks? Look at the price of one step. Gradient descent takes one
# gradient. Gauss-Newton takes a Jacobian of 180 rows and solves with a matrix of $40^2 = 1600$ entries. A
# layer with a million parameters would have one with a million millions. Lesson 7 shows how to use a
# Hessian without ever writing it down.

# %% [markdown]
# ## Further: calm models
#
# How much would the output change if somebody changed the *input* a little? The gradient with respect to the input tells
# you. A model in which that gradient is large can be fooled by a tiny change of a picture. So people add its length, or the
# square of it, to the loss. Then training has to keep both small, the errors and the slopes. This is called *input gradient
# regularisation*.
#
# It needs two tapes. The inner one differentiates with respect to the input, the outer one with respect to the weights. The
# inner tape leaves the weights alone; to watch them would not be wrong, only a waste.

# %%
tf.random.set_seed(7)
x = tf.random.normal([7, 5])  # seven examples with five features
layer = tf.keras.layers.Dense(10, activation=tf.nn.relu)
layer.build([None, 5])


def steepness():
    """The length of the gradient with respect to the input."""
    with tf.GradientTape(watch_accessed_variables=False) as inner:
        inner.watch(x)
        outputs = layer(x)
        total = tf.reduce_sum(outputs**2)
    return tf.norm(inner.gradient(total, x))


with viz.recording(), tf.GradientTape() as outer:
    length = steepness()

player = viz.step(outer, length, layer.trainable_variables, title="The slope of a slope")
for gradient in outer.gradient(length, layer.trainable_variables):
    print(gradient.shape)
player

# %% [markdown]
# The shapes are those of the kernel and of the bias. The picture has three areas, and its legend names them. A, *dense*, is
# what the layer computed. B, *forward of the inner tape*, is the square and the sum. C, *backward of the inner tape*, is
# the backward pass through B and A. The kernel is used in A by `matmul`, and again in C by the rule of `matmul`, which
# multiplies by the transposed kernel. The outer tape adds up what arrives along both paths.
#
# **Now train with it.** Twenty points of the curve $\sin 2x$, with errors. A network with 40 and 40 units learns them, and
# its loss has two parts: `fit` times the mean squared error, plus `calm` times the mean squared slope. The slope is
# penalised at the data, or at points that are drawn again in each step.

# %%
rng = np.random.default_rng(0)
points = tf.constant(rng.uniform(-2.0, 2.0, size=(20, 1)))
seen = tf.sin(2.0 * points) + 0.4 * rng.normal(size=(20, 1))


def slopes(network, x):
    """The derivative of the network's output, at each x."""
    with tf.GradientTape(watch_accessed_variables=False) as inner:
        inner.watch(x)
        outputs = network(x)
    return inner.gradient(outputs, x)


def error(network):
    return tf.reduce_mean((network(points) - seen) ** 2)


def trained(fit, calm, everywhere):
    """A network after 1000 steps with the loss `fit * error + calm * slopes squared`."""
    tf.random.set_seed(7)
    widths = [(40, "tanh"), (40, "tanh"), (1, None)]
    network = tf.keras.Sequential(
        [tf.keras.layers.Dense(units, shape, dtype="float64") for units, shape in widths]
    )
    optimizer, places = tf.keras.optimizers.Adam(0.01), np.random.default_rng(1)
    for _ in range(1000):
        asked = tf.constant(places.uniform(-2.0, 2.0, size=(20, 1))) if everywhere else points
        with tf.GradientTape() as outer:
            steep = tf.reduce_mean(slopes(network, asked) ** 2)
            loss = fit * error(network) + calm * steep
        weights = network.trainable_variables
        gradients = outer.gradient(loss, weights, unconnected_gradients="zero")
        optimizer.apply_gradients(zip(gradients, weights, strict=True))
    return network


cases = {
    "slopes only": trained(0.0, 1.0, everywhere=False),
    "error only": trained(1.0, 0.0, everywhere=False),
    "both, at the data": trained(1.0, 0.1, everywhere=False),
    "both, everywhere": trained(1.0, 0.01, everywhere=True),
}

# %%
line = tf.constant(np.linspace(-2.0, 2.0, 401)[:, None])

# %% tags=["varies"]
with viz.predict(
    "Which of the four has the largest slope anywhere on the line from -2 to 2?",
    "The one whose slopes were penalised at the data: it is steeper between them than without any  "
    "penalty.",
):
    print(" " * 19 + "error  slope at a point  largest slope")
    for name, network in cases.items():
        at_points = np.sqrt(np.mean(slopes(network, points).numpy() ** 2))
        largest = np.max(np.abs(slopes(network, line)))
        print(f"{name:18} {error(network).numpy():6.3f} {at_points:17.2f} {largest:14.1f}")

# %% alt="Four curves over twenty points that follow a sine, which is drawn thin and grey. Slopes only: a horizontal line. Error only: a smooth wave. Both, at the data: a staircase, flat at each point and steep between them. Both, everywhere: a wave that is a little flatter than the second."
plt.figure(figsize=(5.2, 3.6))
plt.plot(points, seen, "ko", markersize=4, label="the points")
plt.plot(line, tf.sin(2.0 * line), color="0.6", linewidth=0.8, label="sin 2x")
for (name, network), dashes in zip(cases.items(), [":", "-.", "-", "--"], strict=True):
    plt.plot(line, network(line), dashes, label=name)
plt.xlabel("x")
plt.ylabel("y")
plt.legend(fontsize=10, ncols=2, loc="upper center", bbox_to_anchor=(0.5, -0.2))
plt.show()

# %% [markdown]
# The last digits may differ on your machine: a long training does not round in the same way on every processor.
#
# Two surprises. With the **slopes only**, the network learns to say the same number everywhere: nothing
# is calmer than that, and nothing is more useless. The penalty is *added* to a loss, it does not replace
# one.
#
# With **both, at the data**, the points get what the loss asks for: the curve is almost flat there. But between them it is
# steeper than without any penalty. The network builds stairs. Only the fit whose slope is penalised **everywhere** is calm.
# It fits the points almost as well, and a tenth of the penalty is enough. With that tenth *at the data* the steepest slope
# is still 2.6. A network gives you what you ask for, at the points where you ask.

# %% [markdown]
# ## Further: Jacobians of a batch
#
# Usually each example is computed by itself: row 0 of the result depends on row 0 of the input only. Then most of the
# Jacobian is zero, and you want one small Jacobian for each example.

# %%
tf.random.set_seed(8)
x = tf.random.normal([7, 5])
layer1 = tf.keras.layers.Dense(8, activation=tf.nn.elu)
layer2 = tf.keras.layers.Dense(6, activation=tf.nn.elu)

with tf.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
    tape.watch(x)
    y = layer2(layer1(x))

full = tape.jacobian(y, x)
print(x.shape, y.shape, full.shape)

# %% [markdown]
# To see it as a flat picture, put the 7 by 7 blocks (an example of the result, an example of the
# input) side by side, with a line around each:


# %% alt="Seven by seven blocks. Only the seven blocks on the diagonal have red and blue cells; all others are white."
def show(matrix, block):
    """Draws a matrix: red above zero, blue below, white is zero, with a line around each block."""
    limit = tf.reduce_max(abs(matrix))
    plt.figure(figsize=(4.6, 4.6))
    plt.imshow(matrix, vmin=-limit, vmax=limit, cmap="seismic")
    plt.xticks([])
    plt.yticks([])
    plt.xlabel("example of the input")
    plt.ylabel("example of the result")
    for at in range(block[0] - 1, matrix.shape[0] - 1, block[0]):
        plt.axhline(at, color="0.6")
    for at in range(block[1] - 1, matrix.shape[1] - 1, block[1]):
        plt.axvline(at, color="0.6")
    plt.colorbar(shrink=0.7)
    plt.show()


def show_blocks(jacobian):
    """Draws a jacobian of shape (b, y, b, x) as blocks of shape (y, x)."""
    framed = tf.pad(jacobian, [[0, 0], [0, 1], [0, 0], [0, 1]])
    rows, columns = framed.shape[0] * framed.shape[1], framed.shape[2] * framed.shape[3]
    show(tf.reshape(framed, [rows, columns]), (framed.shape[1], framed.shape[3]))


show_blocks(full)

# %% [markdown]
# Only the blocks on the diagonal have something in them, and `tape.batch_jacobian(y, x)` computes these alone, in 6
# backward passes and not 42: a seed with a 1 for output 0 of *every* example gives the rows of all examples at once, since
# they cannot disturb one another.

# %%
direct = tape.batch_jacobian(y, x)
print(direct.shape, "the same:", np.allclose(direct, tf.einsum("bxby->bxy", full), atol=1e-3))

# %% [markdown]
# ### When examples do depend on each other
#
# That last sentence is an assumption, and `batch_jacobian` does not check it. Batch normalisation
# subtracts the mean of the whole batch and divides by its standard deviation, so every example depends on all of them:

# %% alt="Seven by seven blocks. Those on the diagonal are the strongest, and now all others have pale red and blue cells as well."
normalisation = tf.keras.layers.BatchNormalization()

with viz.recording(), tf.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
    tape.watch(x)
    y = layer2(normalisation(layer1(x), training=True))

full = tape.jacobian(y, x)
print(full.shape)
show_blocks(full)

# %% [markdown]
# Now the other blocks are filled as well. `batch_jacobian` gives an answer of the usual shape without a word of warning. It
# is the full Jacobian, summed over the examples of the result, and no longer the derivative of any single example.
# `viz.jacobian` looks at the paths and warns you:

# %%
direct = tape.batch_jacobian(y, x)
picked = tf.einsum("bxby->bxy", full)
summed = tf.transpose(tf.reduce_sum(full, axis=0), [1, 0, 2])
print(direct.shape)
print("still the diagonal blocks:", bool(tf.reduce_max(abs(direct - picked)) < 1e-3))
print("the sum over the result's examples:", bool(tf.reduce_max(abs(direct - summed)) < 1e-3))

# %%
print(viz.jacobian(tape, y, x, batch_jacobian=True).words)
