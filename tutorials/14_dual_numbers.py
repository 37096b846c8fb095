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

# %% [markdown] slide="You throw the ball 1 m/s faster across. Where would it be, at *every* moment of its flight?\n\nA tape looks back from *one* number. **A dozen lines of Python answer while the ball flies.**" notes="2 minutes. Ask how a tape would do it. A backward pass begins at one number, and a path has many. Do not count them yet: that is a question later on."
# # 14. Dual numbers: slopes that travel forward
#
# You throw the ball of lesson 1, but 1 m/s faster across. **Where would it be, at every moment of its flight?** A tape begins at
# one number and walks back from it. But this question is about a whole path.
#
# The chain rule lets you multiply from the front too. Then each slope travels *forward*, together with the number it belongs to.
# **A dozen lines of Python do it**, without a tape, and they agree with a tape to 14 digits.
#
# Many programs are asked this way round. A wing has a few angles, and air flows past it at a million places. A dose of a drug is one number, and
# the patient answers every minute. A few numbers go in, and many come out.
#
# You need lesson 1. Afterwards you can
#
# - build forward mode yourself, and say what a tangent is,
# - say what one forward pass costs, and what it answers,
# - choose between forward and reverse for a given program,
# - multiply a Hessian by a vector without ever writing the Hessian down.

# %% tags=["setup"]
import math

import matplotlib.pyplot as plt
import numpy as np

import minitape as tf
from minitape import viz
from minitape.viz.course.motion import drifting, travelling

viz.figures()

# %% [markdown] slide="## A number travels with its slope\n\n| rule | value | slope |\n|:--|:--|:--|\n| $u + w$ | $u + w$ | $u' + w'$ |\n| $u \\cdot w$ | $u \\cdot w$ | $u' w + u\\, w'$ |\n\nThe pair is a **dual number**, and its slope is the **tangent**."
# ## A number and its slope
#
# Let each number $u$ carry a second one, $u'$: how fast it changes when the input moves. The pair is a **dual number**, and $u'$ is
# called the **tangent** of $u$. From school you know what happens to the pair in a sum and in a product:
#
# | rule | value | slope |
# |:--|:--|:--|
# | $u + w$ | $u + w$ | $u' + w'$ |
# | $u \cdot w$ | $u \cdot w$ | $u' w + u\, w'$ |
#
# You need not even know the product rule. Write the pair as $u + u' \varepsilon$, with a tiny $\varepsilon$ whose square counts as 0:
#
# $$(u + u' \varepsilon)(w + w' \varepsilon) = u w + (u' w + u\, w')\, \varepsilon$$
#
# So we need a class with two numbers and two operations.


# %% tags=["needed"] slide="Forward mode in a dozen lines"
class Dual:
    def __init__(self, value, slope=0.0):
        self.value, self.slope = value, slope

    def __add__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        return Dual(self.value + other.value, self.slope + other.slope)

    def __mul__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        slope = self.slope * other.value + self.value * other.slope
        return Dual(self.value * other.value, slope)

    __radd__, __rmul__ = __add__, __mul__


# %% [markdown] slide=""
# A constant does not move, so its slope is 0. The input gets the slope 1: it moves exactly as fast as itself. Here $x$ moves, and $y$ does not.
# Every product and every sum makes the next pair from two earlier ones. As soon as nothing uses a pair any longer, it can be forgotten: no list is kept.

# %% slide="Two paths, forward | 6, and no path was ever stored"
x, y = Dual(2.0, 1.0), Dual(5.0)
p = x * y
z = p + x
print(z.value, z.slope)

# %% tags=["picture", "given"] minutes=1 slide="Each pair is made from the two before it" notes="2 minutes. Compare with lesson 1: there the 6 came from two paths, walked backward. Here both arrive at the plus in the same moment."
# Given: this only draws.
pairs = [(name, (u.value, u.slope)) for name, u in [("x", x), ("y", y), ("x · y", p), ("z", z)]]
places = [(0, 0), (0, 1), (1, 1), (2, 0)]
travelling(
    [(name, place, pair) for (name, pair), place in zip(pairs, places, strict=True)],
    [(0, 2, "times 5"), (1, 2, "times 2"), (0, 3, "times 1"), (2, 3, "times 1")],
    "Pairs appear from left to right: x with value 2 and slope 1, y with 5 and 0, then x times y with 10 and 5, then z with 12 and 6. On each arrow stands "
    "what the slope is multiplied by: 5 from x to the product, 2 from y, and 1 on both arrows into the sum.",
)

# %% slide="What does x · x · x say? | The product rule, twice" notes="1 minute. 12 is 3 x squared. 8 is the value, and 6 is 3 x."
with viz.predict(
    "With `x = Dual(2, 1)`: what is the slope of `x * x * x`: 6, 8 or 12?",
    "12. x · x is the pair (4, 4). Times x it is (8, 4 · 2 + 4 · 1). Nobody wrote down the formula 3x².",
):
    print((x * x * x).slope)

# %% [markdown] slide="## An operation on one number scales\n\n$f(u)$ carries $f'(u) \\cdot u'$: along a path, slopes multiply."
# ## It throws the ball
#
# The throw of lesson 1 needs a root and a tanh. An operation on one number *scales* the slope by its own: $f(u)$ carries
# $f'(u) \cdot u'$. This is the chain rule again, multiplied from the front.


# %% tags=["needed"] slide="A root and a tanh"
def sqrt(u):
    return Dual(math.sqrt(u.value), u.slope / (2 * math.sqrt(u.value)))


def tanh(u):
    return Dual(math.tanh(u.value), (1 - math.tanh(u.value) ** 2) * u.slope)


# %% tags=["needed", "given"] slide="The throw of lesson 1"
# Given: the throw. A Dual knows + and ·, so it adds what is negative.
def thrown(vx, vy, steps=100):
    """All positions of the ball, as pairs of dual numbers."""
    dt, x, y, path = 2 / steps, Dual(0.0), Dual(1.5), []
    for _ in range(steps):
        air = vx + 6.0 * tanh(y * 0.2)
        drag = 0.02 * sqrt(air * air + vy * vy)
        vx, vy = vx + -dt * (drag * air), vy + -dt * (drag * vy + 9.81)
        x, y = x + dt * vx, y + dt * vy
        path.append((x, y))
    return path


def miss(vx, vy):
    """The squared distance to the ring at (20, 2)."""
    x, y = thrown(vx, vy)[-1]
    return (x + -20.0) * (x + -20.0) + (y + -2.0) * (y + -2.0)


# %% slide="Two passes, two slopes | 14 digits of the tape's gradient"
print("across:", miss(Dual(10.0, 1.0), Dual(10.0)).slope)
print("up:    ", miss(Dual(10.0), Dual(10.0, 1.0)).slope)


# %% tags=["given"] slide=""
# Given: the same throw for a tape, in float64.
def squared_miss(v):
    vx, vy, x, y = v[0], v[1], 0.0 * v[0], 1.5 + 0.0 * v[1]
    for _ in range(100):
        air = vx + 6.0 * tf.tanh(y / 5.0)
        drag = 0.02 * tf.sqrt(air**2 + vy**2)
        vx, vy = vx - 0.02 * drag * air, vy - 0.02 * (drag * vy + 9.81)
        x, y = x + 0.02 * vx, y + 0.02 * vy
    return (x - 20.0) ** 2 + (y - 2.0) ** 2


aim = tf.Variable(np.array([10.0, 10.0]))
with tf.GradientTape() as tape:
    far = squared_miss(aim)
print("by a tape:", *map(float, tape.gradient(far, aim)))

# %% [markdown] slide=""
# The tape found both slopes with one backward pass, and 14 digits agree. Here each slope takes a pass of its own. But a pass may also
# move both velocities at once:

# %% slide="Along (3, 4) | One pass answers: what if I go this way?" notes="2 minutes. The sum of both products is what a change of the velocity along (3, 4) brings."
with viz.predict(
    "We start with the slopes 3 and 4 instead of 1 and 0. What does one pass say: both slopes, their sum, or 3 times the first plus 4 times the second?",
    "3 · (-15.849) + 4 · (-2.408) = -57.178. A forward pass answers *one* question: how does everything change when the input moves "
    "in this direction?",
):
    print(miss(Dual(10.0, 3.0), Dual(10.0, 4.0)).slope)

# %% [markdown] slide="## Forward gives a column (JVP), backward a row (VJP)\n\nThe **Jacobian** is the table of all slopes: columns are inputs, rows are outputs. **Take the fewer.**"
# ## Columns and rows
#
# Write all slopes of a program into a table: a row for each output, a column for each input. This table is the **Jacobian**.

# %% tags=["picture", "given"] minutes=1 slide="Forward fills a column, backward fills a row" alt="A table of five rows, the outputs, and four columns, the inputs. The second column is blue: a forward pass, one input moves. The fourth row is orange: a backward pass, from one output."
# Given: this only draws.
_, panel = plt.subplots(figsize=(5.6, 3))
panel.set(xlim=(-2.6, 9), ylim=(5.1, -0.9))
panel.axis("off")
panel.fill([1, 2, 2, 1], [0, 0, 5, 5], color="#0072b2", alpha=0.35)
panel.fill([0, 4, 4, 0], [3, 3, 4, 4], color="#b04a00", alpha=0.35)
for n in range(6):
    panel.plot([0, 4], [n, n], "-", color="0.6", linewidth=1)
for n in range(5):
    panel.plot([n, n], [0, 5], "-", color="0.6", linewidth=1)
panel.text(2, -0.3, "inputs", ha="center")
panel.text(-0.2, 2.5, "outputs", ha="right", va="center")
panel.text(4.3, 1.2, "a forward pass:\none input moves", color="#0072b2", va="center")
panel.text(4.3, 3.5, "a backward pass:\nfrom one output", color="#b04a00", va="center")
plt.show()

# %% [markdown] slide=""
# - A forward pass gives a **JVP** (Jacobian-vector product), the Jacobian times a tangent: one column, or a combination of columns.
# - A backward pass gives a **VJP** (vector-Jacobian product), a cotangent times the Jacobian: one row, or a combination of rows.
#
# So count columns and rows, and take the fewer. Your `Dual` does about three times the work of the throw alone. In lesson 7, a pass
# of minitape costs 2.4 throws, forward or backward. But a tape keeps the whole throw, and a forward pass keeps nothing.

# %% slide="How does the whole path change? | Two inputs: two forward passes"
with viz.predict(
    "How does the *whole path*, 100 positions, change with the two velocities? How many passes does it take forward, and how many in reverse: "
    "2 and 200, 200 and 2, or 2 and 100?",
    "2 and 200. Forward takes one for each velocity. Reverse takes one for each output, and a position is two numbers.",
):
    across = [(x.slope, y.slope) for x, y in thrown(Dual(10.0, 1.0), Dual(10.0))]
    up = [(x.slope, y.slope) for x, y in thrown(Dual(10.0), Dual(10.0, 1.0))]
    print(np.shape(across), np.shape(up))
    print("at the end:", np.round(across[-1], 3), np.round(up[-1], 3))

# %% tags=["picture", "given"] minutes=1 slide="The tangents show where each ball would have gone" notes="2 minutes. Ask before the arrows come: does a ball that is thrown faster up also come farther across? Stop it in the middle of the flight and look at the orange arrow."
# Given: this only draws.
path, faster = (
    [(x.value, y.value) for x, y in thrown(Dual(speed), Dual(10.0))] for speed in (10.0, 11.0)
)
drifting(
    path,
    [("faster across", across), ("faster up", up)],
    faster,
    (20.0, 2.0),
    "The ball flies towards the ring, and at every tenth position two arrows appear: where 1 m/s more across would have brought it, to the right and a little down, "
    "and where 1 m/s more up would have brought it, up and, late in the flight, a little to the left. Both grow along the flight. At the end a "
    "dashed path appears, a real throw that is 1 m/s faster across. It passes through the tips of the arrows to the right.",
)

# %% [markdown] slide=""
# The dashed path is a real throw, 1 m/s faster across. The blue arrows reach it to within 2 cm, and no second throw was needed.

# %% [markdown] slide="## A hundred gusts, one question\n\nHow does the *end* change with each of 100 gusts? Now there are 100 columns and one row."
# ## A hundred gusts
#
# Now ask the other way round. The wind is not steady: in each of the 100 steps there may be a gust. Which gust moves the end of the
# flight most? There are 100 inputs and one output, so one *backward* pass gives all slopes.


# %% tags=["given"] slide=""
# Given.
def end_with(gusts):
    """How far the ball comes, with a gust in each step, subtracted from the head wind's 6 m/s."""
    still = 0.0 * gusts[0]  # a number of the gusts' dtype
    vx, vy, x, y = still + 10.0, still + 10.0, still, still + 1.5
    for n in range(100):
        air = vx + (6.0 - gusts[n]) * tf.tanh(y / 5.0)
        drag = 0.02 * tf.sqrt(air**2 + vy**2)
        vx, vy = vx - 0.02 * drag * air, vy - 0.02 * (drag * vy + 9.81)
        x, y = x + 0.02 * vx, y + 0.02 * vy
    return x


# %% slide="Which gust counts most? | The gust of step 25, and one pass found it" notes="2 minutes. The first gust has the longest time to act, but near the ground there is hardly any wind to change."
with viz.predict(
    "Which gust moves the end most: the first, the one of step 25, or the one of step 50?",
    "The one of step 25. It moves the end by 8.3 mm for each m/s, the first by 3.4 mm and the last by 0. An early gust has more time to act, but the "
    "ball is still low, where there is little wind.",
):
    gusts = tf.Variable(np.zeros(100))
    with tf.GradientTape() as tape:
        end = end_with(tf.unstack(gusts))
    slopes = 1000 * tape.gradient(end, gusts).numpy()
    print("most in step", slopes.argmax(), "by", slopes.max().round(1), "mm")
    print("first", slopes[0].round(1), "and last", slopes[-1].round(1), "mm")

# %% tags=["picture", "given"] minutes=1 slide="One backward pass filled the whole row" alt="The slopes of the hundred gusts over the step in which each one blows. They rise from 3.4 mm to 8.3 mm at step 25, and fall to 0 at the end." notes="1 minute. Why is it low on the left? Little wind near the ground. And on the right? No time left."
# Given: this only draws.
_, panel = plt.subplots(figsize=(5.6, 2.4))
panel.bar(range(100), slopes, width=1.0, color="#0072b2")
panel.set(xlabel="step of the gust", ylabel="moves the end, mm per m/s")
plt.show()

# %% [markdown] slide="## Forward over reverse: $H v$ in one pass\n\nThe **Hessian** $H$ is the table of the slopes of the gradient. A tangent through the computation of a gradient says how it changes."
# ## A tangent along a gradient
#
# The slopes of the gradient themselves form a table. It is called the **Hessian**, $H$. Often we only need its product with one vector
# $v$: how does the gradient change when we move along $v$? Let a tangent travel forward through a program that computes a
# gradient. `tf.autodiff.ForwardAccumulator` is forward mode for tensors:

# %%
v = tf.constant(np.array([1.0, 0.0]))
with tf.autodiff.ForwardAccumulator(aim, v) as pushed:
    with tf.GradientTape() as tape:
        far = squared_miss(aim)
    slope = tape.gradient(far, aim)

# %% slide="How many numbers of H does one pass give? | Two: a column of H, and no H"
with viz.predict(
    "H has four numbers here. How many of them does one pass with (1, 0) give: one, two or four?",
    "Two, a column: both slopes change when the first velocity moves.",
):
    print(pushed.jvp(slope).numpy())

# %% tags=["given"] slide="The same from two gradients"
# Given: the same from two gradients, without a tangent.
beside = [tf.Variable(np.array([across, 10.0])) for across in (10.001, 9.999)]
with tf.GradientTape() as tape:
    both = [squared_miss(each) for each in beside]
more, less = tape.gradient(both, beside)
print((more.numpy() - less.numpy()) / 0.002)

# %% [markdown] slide=""
# Go 1 m/s faster across, and the first slope of the miss grows by about 3.7, while the second falls by about 0.8. That is the first column of $H$. With a
# million weights, $H$ would have a million times a million numbers. The product with one vector costs a few runs.

# %% [markdown] slide="## The same elsewhere\n\n| here | PyTorch | JAX |\n|:--|:--|:--|\n| `ForwardAccumulator` | `torch.func.jvp(f, (x,), (v,))` | `jax.jvp` |\n| `output_gradients=u` | `torch.func.vjp`, `y.backward(u)` | `jax.vjp` |\n| `tape.jacobian` | `jacrev`, `jacfwd`, `hessian` | the same names |"
# ## The same elsewhere
#
# | here, and in TensorFlow | PyTorch, in `torch.func` | JAX |
# |:--|:--|:--|
# | `tf.autodiff.ForwardAccumulator(x, v)` | `jvp(f, (x,), (v,))` | `jax.jvp(f, (x,), (v,))` |
# | `tape.gradient(y, x, output_gradients=u)` | `vjp(f, x)`; `y.backward(u)`; u may be left out if y is a single number | `jax.vjp(f, x)` |
# | `tape.jacobian(y, x)` | `jacrev(f)(x)`, `jacfwd(f)(x)`, `hessian(f)(x)` | the same names |
# | an accumulator around a tape | `jvp(grad(f), (x,), (v,))` | the same names |

# %% [markdown] slide="## Exercises\n\nDivide two dual numbers; a second derivative from Duals of Duals; many slopes in two passes; a Hessian times a vector, and the direction that bends most."
# ## Exercises
#
# Replace each `...` with your answer, run the cell, and run the check below it.
#
# **Exercise 1.** Write `divide(u, w)`: the quotient of two dual numbers, as a `Dual`.


# %% nbgrader={"grade": false, "grade_id": "divide", "locked": false, "schema_version": 3, "solution": true, "task": false}
def divide(u, w):
    """u / w with its slope."""
    ### BEGIN SOLUTION
    value = u.value / w.value
    return Dual(value, (u.slope - value * w.slope) / w.value)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "divide-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
with viz.Score(3) as score:
    a, b, da, db = np.random.default_rng().uniform(1.0, 3.0, 4)  # other numbers each time
    found = divide(Dual(a, da), Dual(b, db))
    assert found is not None, "Nothing is returned yet: a Dual with a value and a slope."
    assert isinstance(found, Dual), f"Return a Dual, not a {type(found).__name__}."
    h = 1e-5
    right = ((a + h * da) / (b + h * db) - (a - h * da) / (b - h * db)) / (2 * h)
    upper = ((a + h * da) - (a - h * da)) / (2 * h) / b
    near = [abs(float(found.slope) - each) < 1e-6 for each in (right, 2 * upper - right, upper)]
    score.part(1, abs(found.value - a / b) < 1e-9, "The value is not u / w.")
    hint = "The slope is not right yet. When only w grows, does the quotient grow or fall?"
    if near[1]:
        hint = "A sign: when w grows, the quotient falls."
    elif near[2]:
        hint = "w moves, too: its slope is missing."
    elif min(abs(found.slope - each) for each in (b * right, upper + (right - upper) * b)) < 1e-6:
        hint = "Look at the denominator: is w squared there?"
    score.part(2, near[0], hint)
    score.total(
        "the slope of the denominator counts with a minus, divided by the denominator squared."
    )
score.earned

# %% [markdown]
# **Exercise 2.** How fast does a slope change? That is the second derivative. You need no new class: the two numbers in a `Dual` may be
# Duals themselves. Write `bend(f, x)`: the second derivative of `f` at the number `x`, for an `f` of sums and products, with one call of `f`.
# Begin with a pencil: which four numbers go in for $x$, and which of the four that come out is the answer?


# %% nbgrader={"grade": false, "grade_id": "bend", "locked": false, "schema_version": 3, "solution": true, "task": false}
def bend(f, x):
    """The second derivative of f at x."""
    ### BEGIN SOLUTION
    moving = Dual(Dual(x, 1.0), Dual(1.0, 0.0))
    return f(moving).slope.slope
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "bend-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    a, b, c, at = map(
        float, np.random.default_rng().uniform(0.5, 2.0, 4)
    )  # other numbers each time
    curves = [
        (lambda u: a * u * u * u + b * u * u + c * u + 1.0, [1.0, c, b, a]),
        (lambda u: (u * u + a) * (u + b) * u, [0.0, a * b, a, b, 1.0]),
    ]
    for curve, numbers in curves:
        calls = []
        found = bend(lambda u, curve=curve, calls=calls: calls.append(u) or curve(u), at)
        assert found is not None, "Nothing is returned yet: one number."
        assert not isinstance(found, Dual), (
            "That is still a pair. Which of its numbers is the slope of the slope?"
        )
        polynomial = np.polynomial.Polynomial(numbers)
        first, second = polynomial.deriv(1)(at), polynomial.deriv(2)(at)
        found = float(found)
        hint = "That is not the second derivative. Put in x, its slope, and how fast each of the two moves: four numbers."
        if np.isclose(found, second, rtol=1e-9) and len(calls) != 1:
            hint = "The number is right, but not from one call of `f`."
        elif np.isclose(found, first):
            hint = "That is the slope. How fast does the slope change?"
        elif found == 0.0:
            hint = "0: one of the two tangents stands still. Look at your four numbers: which slopes does x have?"
        elif np.isclose(found, first + second):
            hint = "The slope of x is 1 and stays 1: how fast does that 1 change?"
        elif np.isclose(found, polynomial(at)):
            hint = "That is the value of `f`."
        elif np.isclose(found, second, rtol=1e-3):
            hint = "Nearly: a difference of two slopes rounds. Let a second tangent travel along."
        score.part(2, np.isclose(found, second, rtol=1e-9) and len(calls) == 1, hint)
    score.total(
        "a Dual of Duals carries a slope and the slope of that slope, by the same two rules."
    )
score.earned

# %% [markdown]
# **Exercise 3.** `f` takes a list of $n$ dual numbers and returns as many. Output $i$ depends on inputs $i$ and $i + 1$ alone, and the last
# output on the last input alone. So nearly the whole Jacobian is 0, and a pass for each column is a waste. Write `in_two_passes(f, x)` with only
# *two* calls of `f`, however many numbers the list `x` has. It returns a list with a pair for each output: its slope with respect to input
# $i$, and with respect to input $i + 1$, which is 0 for the last one. Draw the table for $n = 4$ first: which inputs may move in the same pass?


# %% nbgrader={"grade": false, "grade_id": "in-two-passes", "locked": false, "schema_version": 3, "solution": true, "task": false}
def in_two_passes(f, x):
    """For each output its slopes with respect to its own input and to the next one."""
    ### BEGIN SOLUTION
    passes = []
    for turn in (0, 1):
        moving = [Dual(u, 1.0 if n % 2 == turn else 0.0) for n, u in enumerate(x)]
        passes.append([out.slope for out in f(moving)])
    return [(passes[n % 2][n], passes[(n + 1) % 2][n]) for n in range(len(x))]
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "in-two-passes-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    draw = np.random.default_rng()  # other numbers each time
    for size in (4, 7):
        a, b, at = draw.uniform(1.0, 2.0, (3, size))
        calls = []

        def chained(u, a=a, b=b, calls=calls):
            """Each output from its input and the next one."""
            calls.append(len(u))
            pairs = zip(a, b, u, [*u[1:], Dual(0.0)], strict=True)
            return [float(p) * v * v + float(q) * v * w for p, q, v, w in pairs]

        found = in_two_passes(chained, [float(each) for each in at])
        assert found is not None, "Nothing is returned yet: a list of pairs."
        assert np.shape(found) == (size, 2), (
            f"For {size} numbers return {size} pairs of numbers, not the shape {np.shape(found)}."
        )
        found, after = np.array(found, float), np.append(at[1:], 0.0)
        right = np.stack([2 * a * at + b * after, b * at * (after > 0)], axis=1)
        together = right.sum(axis=1)
        hint = "These are not the slopes. Which input moved in which pass, and which outputs did it reach?"
        close = np.allclose(found, right, atol=1e-6)
        if close and len(calls) > 2:
            hint = f"All slopes are right, but in {len(calls)} passes. Inputs that never meet in one output may move together."
        elif np.allclose(found[:, 0], together, atol=1e-6):
            hint = (
                "The two slopes of an output are added here: its two inputs moved in the same pass."
            )
        elif np.allclose(found, right[:, ::-1], atol=1e-6):
            hint = "The two slopes of each pair are exchanged: its own input first."
        elif np.allclose(found[::2], right[::2], atol=1e-6):
            hint = (
                "Every other output is right. In which pass did the own input of the others move?"
            )
        score.part(1, close, hint)
        score.part(1, close and len(calls) <= 2, hint)
    score.total("inputs that never meet in one output share a pass, so two passes fill n columns.")
score.earned

# %% [markdown]
# **Exercise 4.** Write `product(f, x, v)`: the Hessian of `f` at `x`, times `v`, for a function `f` of a vector, without computing the Hessian. `x` and
# `v` are constants of `float64`. A constant has to be watched by the tape.


# %% nbgrader={"grade": false, "grade_id": "product", "locked": false, "schema_version": 3, "solution": true, "task": false}
def product(f, x, v):
    """H v."""
    ### BEGIN SOLUTION
    with tf.autodiff.ForwardAccumulator(x, v) as moved:
        with tf.GradientTape() as inner:
            inner.watch(x)
            value = f(x)
        gradient = inner.gradient(value, x)
    return moved.jvp(gradient)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "product-check", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
with viz.Score(1) as score:
    from unittest import mock

    draw = np.random.default_rng()  # another function each time
    whole = AssertionError("That computes all of H. Let v travel through the gradient instead.")
    for size in (2, 3):
        A, at, d = draw.normal(size=(size, size)), draw.normal(size=size), draw.normal(size=size)

        def bowl(z, A=A):
            return tf.reduce_sum(tf.tanh(tf.linalg.matvec(tf.constant(A), z)) ** 2)

        def gradient(z, A=A):
            return A.T @ (2 * np.tanh(A @ z) / np.cosh(A @ z) ** 2)

        right = (gradient(at + 1e-5 * d) - gradient(at - 1e-5 * d)) / 2e-5
        with mock.patch.object(tf.GradientTape, "jacobian", side_effect=whole):
            found = product(bowl, tf.constant(at), tf.constant(d))
        assert found is not None, (
            "None: is the gradient computed inside the accumulator's block, and x watched?"
        )
        found = np.asarray(found)
        hint = "It is not H v. A tangent has to travel through the gradient, not through f alone."
        if found.shape == () and np.isclose(found, gradient(at) @ d):
            hint = "That is g · v, the tangent of f. Push v through the gradient of f."
        elif found.shape == () and np.isclose(found, d @ right, rtol=1e-4):
            hint = "That is v · H v, one number. H v is a vector."
        elif found.shape == right.shape and np.allclose(found, gradient(at)):
            hint = "That is the gradient. How does it change along v?"
        score.part(0.5, found.shape == right.shape and np.allclose(found, right, atol=1e-5), hint)
    score.total("a tangent through a gradient costs a few runs, whatever the size of H.")
score.earned

# %% [markdown]
# In which direction does `f` bend most, and how much? Find it without $H$. Write `steepest(f, x)`: begin with a random $v$, set
# $v \leftarrow Hv / |Hv|$ two hundred times, and return $v \cdot Hv$. (`f` is a bowl here: it bends upwards in every direction.)


# %% nbgrader={"grade": false, "grade_id": "steepest", "locked": false, "schema_version": 3, "solution": true, "task": false} uses=["product"]
def steepest(f, x):
    """The largest second slope of f at x, of all directions."""
    ### BEGIN SOLUTION
    v = tf.constant(np.random.default_rng().normal(size=len(x)))
    for _ in range(200):
        v = product(f, x, v)
        v = v / tf.norm(v)
    return tf.reduce_sum(v * product(f, x, v))
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "steepest-check", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
with viz.Score(2) as score:
    draw = np.random.default_rng()  # another bowl each time
    for size in (2, 4):
        turned, _ = np.linalg.qr(draw.normal(size=(size, size)))
        A = np.sqrt(draw.uniform(3, 6) * 0.6 ** np.arange(size))[:, None] * turned

        def valley(z, A=A):
            return 0.5 * tf.reduce_sum(tf.linalg.matvec(tf.constant(A), z) ** 2)

        bends = np.linalg.eigvalsh(A.T @ A)
        right = bends.max()
        found = steepest(valley, tf.constant(draw.normal(size=size)))
        assert found is not None, "Nothing is returned yet: one number, v · Hv."
        assert np.size(found) == 1, f"Return one number, v · Hv, not {np.size(found)}."
        found = float(np.asarray(found).item())
        hint = "That is not the largest one. Each round: multiply by H, then divide by the length."
        if not np.isfinite(found) or found > 1e6:
            hint = "v grows without end: divide it by its length in each round."
        elif np.isclose(found, 1.0):
            hint = "That is v · v, or a length that you have made 1. How much of Hv lies along v?"
        elif np.isclose(found, right**2):
            hint = "That is the square: is H there twice?"
        elif bends.min() < found < right and not np.isclose(found, right):
            hint = "v does not point where f bends most yet: two hundred rounds."
        score.part(1, np.isclose(found, right), hint)
    score.total("the part of v that grows most is all that is left, and H was never written down.")
score.earned

# %% [markdown]
# **To think about.** In words, for 2 points that are given by hand: a program turns 1000 numbers into 1000 numbers. Forward or reverse for
# its whole Jacobian? And for its product with one vector, from the left or from the right?

# %% [markdown]
# ## What to remember
#
# - A dual number is a value with its slope. Two rules and the chain rule make forward mode: a dozen lines, no tape.
# - A forward pass answers one question: how does everything change when the input moves in this direction? It gives a JVP, a column.
# - A backward pass answers another: how does one output depend on every input? It gives a VJP, a row.
# - Columns are inputs, rows are outputs: take the fewer. A loss has one row, so networks are trained in reverse.
# - A tangent through a gradient gives $H v$.
#
# **Read on.** Wengert, *A Simple Automatic Derivative Evaluation Program* (1964): two pages. Pearlmutter, *Fast Exact Multiplication by
# the Hessian* (1994).
