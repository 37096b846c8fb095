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

# %% [markdown] slide="A network has a billion weights. One gradient of its loss takes a second, one way.\n\n**How long does the same gradient take the other way: a minute, a day, or decades?**" notes="2 minutes. Collect guesses, and write them on the board; the answer comes with the first pictures of costs. Then ask: when is it the other way round?"
# # 7. Forward and reverse
#
# A network has a billion weights. The gradient of its loss takes one second, one way. The other way gives the same numbers. **How long
# does it take: a minute, a day, or decades?**
#
# Both ways are right, and you know both: in lesson 14 slopes travelled forward through the throw, in lesson 1 they came back. In this lesson
# you run both on tensors, count what each computes and what each has to remember, and learn which one to take. Neither is always the faster one.
#
# You need lessons 2 and 14; of lesson 14 no more than what a tangent is, and *Forward* repeats that. The lesson takes 50 minutes; the
# exercises are homework, for about 40 more. If you type along: a cell that begins with *Given* is only run.
#
# Afterwards you can
#
# - compute JVPs and VJPs of tensors,
# - build a Jacobian by columns and by rows, and choose the cheaper way,
# - say what each way has to remember,
# - multiply a vector by a Hessian that is never written down.

# %% tags=["setup"]
import tracemalloc

import matplotlib.pyplot as plt
import numpy as np

import minitape as tf
from minitape import viz
from minitape.viz.course.motion import carrying

viz.figures()

# %% [markdown] slide="## One product, two orders\n\n$J = J_3\\, J_2\\, J_1$\n\nThe result does not depend on the order in which we multiply. The work does."
# ## One chain, two directions
#
# Let a program be three steps, one after the other: $y = f_3(f_2(f_1(x)))$. The derivative of each step
# is its Jacobian: row $i$, column $j$ says how output $i$
# changes with input $j$. The chain rule multiplies the three matrices:
#
# $$J = J_3 \, J_2 \, J_1$$
#
# In which order should we multiply? The result is the same: $(J_3 J_2) J_1 = J_3 (J_2 J_1)$. The work
# is not. If we begin with $J_1$, we go *forward*, as the program runs. If we begin with $J_3$, we go in *reverse*. Here each step has 100 inputs and 100 outputs, but the last one has a
# single output, a loss:

# %% tags=["given"] slide="Count the multiplications of a product"
# Given.
rng = np.random.default_rng(0)
J1, J2, J3 = (rng.normal(size=size) for size in [(100, 100), (100, 100), (1, 100)])


def product(a, b):
    """The product of two matrices, and how many multiplications of numbers it takes."""
    return a @ b, a.shape[0] * a.shape[1] * b.shape[1]


# %% slide="From which side is it less work? | From the output: a single row is carried along"
with viz.predict(
    "From which side is it less work, from the input's, J3 (J2 J1), or from the output's, (J3 J2) J1? And how many times less: 2, 10 or 50 times?",
    "From the output's side, about 50 times less: there is only ever one row to carry along.",
):
    first, work1 = product(J2, J1)
    forward, work2 = product(J3, first)
    print(f"from the input's side:  {work1 + work2:9,} multiplications")
    first, work1 = product(J3, J2)
    backward, work2 = product(first, J1)
    print(f"from the output's side: {work1 + work2:9,} multiplications")
    print("the same result:", np.allclose(forward, backward))

# %% [markdown] slide=""
# The picture draws what is carried along, to scale. From the inputs it is a square of 10,000 numbers, until the last step. From the output
# it is a row of 100 all the way.

# %% tags=["picture"] minutes=1 slide="A square is carried along, or a row"
carrying(
    [100, 100, 100, 1],
    ["x", "h", "k", "loss"],
    "A program of three steps, from x with 100 numbers through h and k, 100 each, to one loss. From the inputs, appearing from left to right: "
    "a square of 100 x 100 at h, given; a square of 100 x 100 at k for 1,000,000 multiplications; a thin row of 1 x 100 at the loss for 10,000. Together "
    "1,010,000. From the outputs, appearing from right to left: a thin row of 1 x 100 at k, given; the same at h and at x for 10,000 each. Together 20,000.",
)

# %% [markdown]
# Reverse the shape of the program: one input, a hundred outputs. Now a column is thin, and there are a hundred rows.

# %% tags=["picture"] slide="One input, a hundred outputs: the other way round"
carrying(
    [1, 100, 100, 100],
    ["t", "h", "k", "y"],
    "The shape of the program reversed: from one number t through h and k to y, 100 each. From the inputs a thin column of 100 x 1 is carried along, together 20,000 "
    "multiplications. From the outputs a square of 100 x 100 until the last step, together 1,010,000.",
)

# %% [markdown]
# Here the matrices were written down. A program never does that: it has no $J_1$, only operations with rules. The next two sections show how it computes the same products without the matrices.

# %% [markdown] slide="## Forward: push a tangent\n\nThe tangent $v$ is the direction in which the input moves. The JVP $J v$ says how the output moves."
# ## Forward: push a tangent
#
# If the input $x$ moves along a tangent $v$, how does the output $y$ move? The answer is the **JVP**, the *Jacobian-vector product*
# $J v$. It is computed in the order in which the program runs: each operation pushes the tangents of its inputs on to its
# output, as a dual number does. As in lesson 14, a *tangent* says how fast a value changes when the input moves
# along a given direction. If $a$ and $b$ have the tangents $a'$ and $b'$, then $a b$ has $a' b + a\, b'$, and $\sin a$ has $\cos a \cdot a'$.
#
# In minitape and TensorFlow, a `ForwardAccumulator` does that for tensors. You say at the beginning which tensor
# moves, and in which direction. Here is a function from two numbers to three:


# %% tags=["needed"] slide="A JVP of tensors: one accumulator"
def f(x):
    """From two numbers to three."""
    a, b = tf.unstack(x)
    return tf.stack([a * b, tf.sin(a), b**2])


x = tf.constant([1.0, 2.0])
v = tf.constant([1.0, 0.5])

with tf.autodiff.ForwardAccumulator(x, v) as accumulator:
    y = f(x)

print("y  =", y.numpy())
print("Jv =", accumulator.jvp(y).numpy())

# %% [markdown]
# We check it with a small step. Move $x$ a little along $v$, and see how far $y$ moves:

# %% slide=""
step = 0.001
moved = (f(x + step * v) - f(x - step * v)) / (2 * step)
print("moved by about", np.round(moved.numpy(), 2))

# %% [markdown] slide=""
# `viz.push` shows the same as steps. It takes what a tape has recorded and pushes a tangent through it,
# one operation after the other. Here it is $v$ from above. Go through the steps: where tangents arrive
# along two paths, they add up. At the last step $J v$ is there.

# %% tags=["given"] slide="The same as a program | Step through one JVP"
# Given.
with viz.recording(), tf.GradientTape() as tape:
    tape.watch(x)
    a, b = tf.unstack(x)
    y = tf.stack([a * b, tf.sin(a), b**2])

viz.push(tape, y, x, v, title="One JVP")

# %% [markdown] slide="## Reverse: pull a cotangent\n\nThe cotangent $u$ says how much we care about each output. The VJP $u^\\top J$ says how $u^\\top y$ depends on each input."
# ## Reverse: pull a cotangent
#
# Now give each *output* a weight: how much do we care about it? These weights are a cotangent $u$. How does the weighted sum $u^\top y$
# depend on each input? The answer is the **VJP**, the *vector-Jacobian product* $u^\top J$. A tape computes it. The cotangent goes in as
# `output_gradients`.

# %% slide="A VJP: a cotangent for the outputs | Step through one VJP"
u = tf.constant([1.0, 0.0, 2.0])

with viz.recording(), tf.GradientTape() as tape:
    tape.watch(x)
    a, b = tf.unstack(x)
    y = tf.stack([a * b, tf.sin(a), b**2])

player = viz.step(tape, y, x, output_gradients=u, title="One VJP", at=7)
print("uJ =", tape.gradient(y, x, output_gradients=u).numpy())
player

# %% [markdown]
# **Look at the seed**, where the player opens. In lesson 1 it was 1. Here it is $u$, and the zero in it travels too: the sine
# passes 0 on. An ordinary gradient is the special case of one output and $u = 1$. Then $J$ has a single row, and the
# VJP is all of it.
#
# The two belong together: $u^\top (J v)$ and $(u^\top J)\, v$ are the same number, whatever $u$, $v$ and the function are.
# Here both are 6.5: $u^\top (Jv) = 2.5 + 2 \cdot 2$ and $(u^\top J) v = 2 + 9 \cdot 0.5$.

# %% [markdown] slide="## A whole Jacobian, both ways\n\n- by JVPs: a pass for each *input* gives a column\n- by VJPs: a pass for each *output* gives a row"
# ## A Jacobian, both ways
#
# To see all of $J$, ask with unit vectors. $J$ times the unit vector $e_j$ is **column** $j$; the unit
# vector $e_i$ times $J$ is **row** $i$. So:
#
# - by JVPs: one pass for each *input*, and each gives a column,
# - by VJPs: one pass for each *output*, and each gives a row.


# %% tags=["needed"] slide="One loop for columns, one for rows"
def by_columns(f, x):
    columns = []
    for tangent in tf.eye(x.shape[0], dtype=x.dtype):
        with tf.autodiff.ForwardAccumulator(x, tangent) as accumulator:
            y = f(x)
        columns.append(accumulator.jvp(y))
    return tf.stack(columns, axis=1)


def by_rows(f, x):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x)
    seeds = tf.eye(y.shape[0], dtype=y.dtype)
    rows = [tape.gradient(y, x, output_gradients=seed) for seed in seeds]
    return tf.stack(rows, axis=0)


# %% slide="The same table"
print(by_columns(f, x).numpy())
print("by rows the same:", np.allclose(by_rows(f, x), by_columns(f, x)))

# %% [markdown]
# `tape.jacobian` works by rows, too. It sends all the unit vectors through in one backward pass, as a stack.
# That is faster in Python, and takes no more arithmetic. In the picture, move the slider: each row
# has its own backward pass below. Then choose *Columns*: each has its own forward pass.

# %% tags=["picture"] slide="A row takes a backward pass, a column a forward one"
with viz.recording(), tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    a, b = tf.unstack(x)
    y = tf.stack([a * b, tf.sin(a), b**2])

viz.jacobian(tape, y, x)

# %% [markdown] slide="## Do not time it: count\n\nA clock gives a different answer on every run. We count the numbers that are computed."
# ## Counting the work
#
# Which way is cheaper? We do not want to guess, and a clock gives a different answer on every run. So we
# count. A recording sees every operation, those of the forward pass and those of the derivatives. For each we add up how
# many numbers it had to compute, or multiply in a product with a matrix. An operation that only moves numbers, such as a transpose or an
# index, costs nothing. The next cell is the machine that counts, and you need not read it: `work(run, x)` says how many numbers `run(x)` computes.

# %% tags=["setup", "given", "folded"]
# Given: the machine that counts.
from minitape.viz.record.journal import Journal

FREE = {"matrix_transpose", "reshape", "identity", "unstack", "stack", "zeros_like"}
FREE |= {"take", "getitem", "unslice", "broadcast_to"}  # numbers that are picked or put somewhere


class Tally(Journal):
    """A recording that adds up the work of all operations, however many, and keeps none of them."""

    total = 0

    def observe(self, *operation):
        super().observe(*operation)
        self.total += work_of(self.entries.pop())
        self.by_output.clear()


def work(run, *inputs):
    """How many numbers are computed or multiplied while `run` runs on its inputs."""
    with Tally() as tally:
        run(*inputs)
    return tally.total


def work_of(entry):
    """The numbers that one operation computes; for products the multiplications."""
    count = sum(int(np.prod(y.shape)) for y in entry.outputs)
    if entry.op.name in {"matvec", "matmul"}:
        return count * int(entry.inputs[0].shape[-1])
    return 0 if entry.op.name in FREE else count


def network(n_in, n_out, width=32, depth=4):
    """A function from n_in to n_out numbers with `depth` layers; made by a seed."""
    sizes = [n_in] + [width] * (depth - 1) + [n_out]
    rng = np.random.default_rng(1)
    weights = [
        tf.constant(rng.normal(size=(b, a)) / np.sqrt(a))
        for a, b in zip(sizes, sizes[1:], strict=False)
    ]

    def run(x):
        for matrix in weights:
            x = tf.tanh(tf.linalg.matvec(matrix, x))
        return x

    return run, tf.constant(rng.normal(size=n_in))


net, z = network(32, 32)


def one_jvp(net, z):
    with tf.autodiff.ForwardAccumulator(z, z) as accumulator:
        y = net(z)
    return accumulator.jvp(y)


def one_vjp(net, z):
    with tf.GradientTape() as tape:
        tape.watch(z)
        y = net(z)
    return tape.gradient(y, z)


# %% slide="What does one pass cost? | A small multiple, either way"
with viz.predict(
    "The function is a network with 32 inputs and 32 outputs. What does one JVP cost, or one VJP, the function itself included: about as much as the function, 2 to 3 "
    "times as much, or 32 times as much?",
    "2 to 3 times as much, forward or backward. It stays at that for more inputs and outputs.",
):
    once = work(net, z)
    print(f"the function itself: {once:,} numbers")
    print(f"with one JVP: {work(one_jvp, net, z) / once:.1f} times that")
    print(f"with one VJP: {work(one_vjp, net, z) / once:.1f} times that")

# %% [markdown]
# So **one** derivative in **one** direction costs 2 to 3 times the function, forward or backward, no matter how many inputs and outputs there are. On
# paper a JVP takes at most 2.5 times the function; ours took 3, because minitape makes it from two VJPs (*Further*). A VJP takes at most 4; here it took
# 2, because the weights are constants. With gradients for the weights too, the backward pass costs about 2, and everything about 3.
#
# The difference comes when we want all of $J$. We count for a loss (one output) and for a curve (one
# input):

# %% tags=["picture", "given"] minutes=1 slide="One output: rows. One input: columns" alt="Two panels, the work of a whole Jacobian. Left, with one output: by columns it rises in proportion to the inputs, by rows it stays low. Right, with one input: by rows it rises with the outputs, by columns it stays low."
# Given: it counts, and draws.
sizes = [1, 2, 4, 8, 16, 32]
figure, panels = plt.subplots(1, 2, figsize=(8, 3.4), sharey=True)
for panel, shapes, label in [
    (panels[0], [(n, 1) for n in sizes], "inputs, with 1 output"),
    (panels[1], [(1, n) for n in sizes], "outputs, with 1 input"),
]:
    for name, marker, way in [
        ("forward, by columns", "o-", by_columns),
        ("reverse, by rows", "s--", by_rows),
    ]:
        ratios = []
        for shape in shapes:
            net, z = network(*shape)
            ratios.append(work(way, net, z) / work(net, z))
        line = panel.plot(sizes, ratios, marker)[0]
        at = -10 if ratios[-1] < 10 else min(ratios[-1] + 4, 93)
        panel.text(30, at, name, color=line.get_color(), ha="right")
    panel.set(xlabel=label, ylabel="times the function's work", ylim=(-14, 100))
    panel.tick_params(labelleft=True)
plt.tight_layout()
plt.show()

# %% [markdown]
# On the left, with one output, a single backward pass does it, for one input or for a million. That is
# why training uses reverse mode. On the right it is the other way round.
#
# Now the question of the beginning has an answer. One JVP costs about 3 times the network. So does its whole gradient, in reverse, weights included. If that
# takes one second, forward mode takes one second *for each weight*:

# %% slide="A second for each weight: decades"
weights, year = 1_000_000_000, 365 * 24 * 3600
print(f"in reverse: 1 second; forward: {weights / year:.0f} years")

# %% [markdown]
# So the whole choice fits into a table. **Take the fewer passes.**
#
# | | one pass | it costs | all of $J$ takes |
# |---|---|---|---|
# | forward | a JVP, a column | up to 3 functions here, on paper 2.5 at most | a pass for each input |
# | reverse | a VJP, a row | 2 to 3 functions here, 4 at most | a pass for each output |

# %% [markdown]
# ## The throw, counted
#
# Here is the throw of lesson 14 again, with a gust at each step, and the velocity that hits the ring. A gust of 1 m/s reduces the wind against the ball from 6 to 5 m/s. Near the ground both are weaker:
# they are multiplied by $\tanh(y/5)$. The path has two inputs and 200 outputs, and the last $x$ has 100 inputs, one for each gust.


# %% tags=["given"] slide="The throw with gusts"
# Given.
def fly(speeds, gusts):
    """The 100 positions of the ball; each moment has a gust."""
    vx, vy, dt = speeds[0], speeds[1], 0.02
    x, y, places = 0.0 * vx, 1.5 + 0.0 * vy, []
    for gust in tf.unstack(gusts):
        air = vx - (gust - 6.0) * tf.tanh(y / 5.0)
        drag = 0.02 * tf.sqrt(air**2 + vy**2)
        vx, vy = vx - dt * drag * air, vy - dt * (drag * vy + 9.81)
        x, y = x + dt * vx, y + dt * vy
        places.append(tf.stack([x, y]))
    return tf.stack(places)


speeds, calm = tf.constant([15.6458, 11.7326], tf.float64), tf.constant(np.zeros(100))

# %% slide="The gusts by forward passes: how many throws? | 250, where one backward pass costs 2.4"
of_path, of_end = lambda v: fly(v, calm), lambda gusts: fly(speeds, gusts)[-1, 0]
with viz.predict(
    "One backward pass gives the slopes of all 100 gusts, for the work of 2.4 throws. What would forward passes cost: about 5 throws, 25 or 250?",
    "About 250: a hundred passes of nearly 2.5 throws each. And for the path it is the other way round: two forward passes cost about 5 throws, and 200 rows about 260.",
):

    def rows_of_path(v):
        with tf.GradientTape() as tape:
            tape.watch(v)
            places = of_path(v)
        return tape.jacobian(places, v)

    once = work(fly, speeds, calm)
    print(f"the throw itself: {once:,} numbers")
    print(f"with one JVP of the path: {work(one_jvp, of_path, speeds) / once:.1f} times that")
    print(f"with one JVP of the last x: {work(one_jvp, of_end, calm) / once:.2f} times that")
    print(f"with one VJP of the last x: {work(one_vjp, of_end, calm) / once:.1f} times that")
    print(f"with the 200 rows of the path: {work(rows_of_path, speeds) / once:.0f} times that")

# %% [markdown] slide="## The other half of the price: memory\n\nA tape saves values for the backward pass. An accumulator forgets at once."
# ## What each has to remember
#
# Work is only half of the price. A tape has to save values for the backward pass, and an accumulator forgets
# at once. `tracemalloc` measures the memory that Python really holds. The program is a chain: the sine of the sine of the sine of a long
# vector. We count how many vectors of this length are in memory at the same time, without the input.

# %% tags=["given"] slide=""
# Given.
long = tf.zeros(50_000) + 0.5


def peak(run, *inputs):
    """The most memory that `run` holds at a time, in vectors of the length of `long`."""
    tracemalloc.start()
    run(*inputs)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return round(most / long.numpy().nbytes)


# %% [markdown] slide=""
# Here are the two modes, on a chain of a given length:


# %% tags=["given"] slide="A chain of sines, in both modes"
# Given.
def chain(x, count):
    """The sine of the sine of ..."""
    for _ in range(count):
        x = tf.sin(x)
    return x


def chain_alone(count):
    return chain(long, count)


def forward_mode(count):
    with tf.autodiff.ForwardAccumulator(long, long) as accumulator:
        y = chain(long, count)
    return accumulator.jvp(y)


def reverse_mode(count):
    with tf.GradientTape() as tape:
        tape.watch(long)
        y = chain(long, count)
    return tape.gradient(y, long)


# %% tags=["picture", "given"] slide="Forward holds five vectors, reverse one for each operation" alt="Vectors held at most, over the length of the chain. The chain alone is a flat line at 2, forward mode a flat line at 5; reverse mode rises by one for each operation."
# Given: it measures, and draws.
modes = [chain_alone, forward_mode, reverse_mode]
for mode in modes:
    mode(2)  # once before we measure: caches are filled
depths = [8, 16, 32, 64]
kept = {mode: [peak(mode, depth) for depth in depths] for mode in modes}
plt.figure(figsize=(6, 3))
for mode, look in zip(modes, ["k^:", "o-", "s--"], strict=True):
    line = plt.plot(depths, kept[mode], look)[0]
    name, above = mode.__name__.replace("_", " "), 7 if mode is forward_mode else -12
    shift = (-8, 2) if mode is reverse_mode else (-8, above)
    plt.annotate(
        name,
        (48, np.interp(48, depths, kept[mode])),
        shift,
        textcoords="offset points",
        color=line.get_color(),
        ha="right" if mode is reverse_mode else "center",
    )
plt.xlabel("operations in the chain")
plt.ylabel("vectors held at most")
plt.ylim(bottom=-6)
plt.show()

# %% tags=["given"] slide=""
# Given.
for mode in kept:
    more = (kept[mode][-1] - kept[mode][0]) / (depths[-1] - depths[0])
    print(
        f"{mode.__name__:12} {kept[mode][0]:3} vectors, {more:.1f} more for each further operation"
    )

# %% [markdown]
# Forward mode needs the same few vectors however long the chain is: a tangent next to each value, and the working space of one
# operation, here the cosine. Reverse mode needs one more for each sine, because the rule of the sine needs its input. So if memory is short, forward may pay even with a few more inputs than
# outputs. Lesson 9 shows how to save fewer.

# %% [markdown] slide="## H v without H\n\nA million parameters: $H$ has $10^{12}$ numbers. $H v$ has a million.\n\nIt is a JVP of the gradient: **forward over reverse**."
# ## Hessians without the matrix
#
# The Hessian $H$ of a function with $n$ inputs has $n^2$ entries: all second derivatives. For a million
# parameters those are $10^{12}$ numbers, 4000 GB in float32. But often you need only $H v$, for some vector $v$: how
# the *gradient* changes when $x$ moves along $v$. That is one number per parameter.
#
# The gradient is itself a function, from $n$ to $n$ numbers, and $H$ is its Jacobian. So $H v$ is a JVP of the
# gradient, and one forward pass gives it: push $v$ through the computation of the gradient. This is called **forward over reverse**. *Further* has two other ways.


# %% slide="Forward over reverse in six lines"
def forward_over_reverse(f, x, v):
    with tf.autodiff.ForwardAccumulator(x, v) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        gradient = tape.gradient(y, x)
    return accumulator.jvp(gradient)


# %% [markdown]
# We compare it with the whole matrix, which is built as in lesson 2. The function is a curved valley that
# is well known for being hard to walk down.


# %% tags=["given"] slide=""
# Given.
def valley(x):
    """Rosenbrock's function; its lowest point, 0, is at (1, ..., 1)."""
    here, there = x[:-1], x[1:]
    return tf.reduce_sum(100.0 * (there - here**2) ** 2 + (1.0 - here) ** 2)


def whole_hessian(f, x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        gradient = inner.gradient(y, x)
    return outer.jacobian(gradient, x)


# %% tags=["given"] slide="The same numbers as with H"
# Given.
x = tf.constant([-1.0, 1.0, 0.5, 2.0], tf.float64)
v = tf.constant([1.0, 0.0, 2.0, -1.0], tf.float64)
print("H v, with H:".ljust(22), tf.linalg.matvec(whole_hessian(valley, x), v).numpy())
print("forward over reverse:".ljust(22), forward_over_reverse(valley, x, v).numpy())

# %% [markdown]
# What does each cost? We count again, for more and more inputs:

# %% tags=["picture", "given"] minutes=1 slide="H v stays flat, H does not" alt="The work of a product with a Hessian is flat, 6 to 7 times the function. That of the whole Hessian rises in a straight line with the number of inputs, from about 10 to over 100 times. Both scales are logarithmic."
# Given: it counts, and draws.
sizes = [4, 8, 16, 32, 64]
points = [tf.constant(np.linspace(-1.0, 1.0, n)) for n in sizes]
plt.figure(figsize=(6, 3.4))
products = [work(forward_over_reverse, valley, p, p) / work(valley, p) for p in points]
plt.loglog(sizes, products, "o-")
plt.text(16, products[2] * 0.6, "forward over reverse", color="C0", ha="center")
wholes = [work(whole_hessian, valley, point) / work(valley, point) for point in points]
plt.loglog(sizes, wholes, "k^-")
plt.text(14, wholes[2] * 1.2, "the whole Hessian", ha="right")
plt.xlabel("inputs")
plt.xticks(sizes, map(str, sizes))
plt.minorticks_off()
plt.ylabel("times the function's work")
plt.yticks([1, 10, 100], ["1", "10", "100"])
plt.ylim(1, 200)
plt.show()

# %% tags=["given"] slide=""
# Given.
print(f"with 64 inputs H v costs {products[-1]:.1f} times the function, H {wholes[-1]:.0f} times")

# %% [markdown]
# A product with the Hessian costs a fixed multiple of the function, here 6 to 7. The matrix
# costs more with every input.
#
# What is $H v$ good for? With it you find the largest curvature, and so the border of the learning rates (lesson 17, and *Further* of lesson 2). And you can take Newton's
# step without the matrix (see *Further*).

# %% [markdown] slide="## The same elsewhere\n\n| here | PyTorch | JAX |\n|:--|:--|:--|\n| `ForwardAccumulator` | `torch.func.jvp` | `jax.jvp` |\n| by columns, by rows | `jacfwd`, `jacrev` | the same names |\n| forward over reverse | `jvp(grad(f), ...)` | the same names |\n| `tf.vectorized_map` | `torch.func.vmap` | `jax.vmap` |"
# ## The same elsewhere
#
# | here, and in TensorFlow | PyTorch, in `torch.func` | JAX |
# |:--|:--|:--|
# | `ForwardAccumulator(x, v)` | `jvp(f, (x,), (v,))` | `jax.jvp(f, (x,), (v,))` |
# | by columns: an accumulator for each input | `jacfwd(f)(x)`, in one pass | `jax.jacfwd(f)(x)`, in one pass |
# | by rows: `tape.jacobian(y, x)` | `jacrev(f)(x)` | `jax.jacrev(f)(x)` |
# | forward over reverse | `jvp(grad(f), (x,), (v,))` | the same names |
# | `tf.vectorized_map(f, xs)`: many inputs at once | `vmap(f)(xs)` | `jax.vmap(f)(xs)` |

# %% [markdown] slide="## Exercises\n\n1. A slope along v\n2. Which way?\n3. A waist\n4. A product with a Hessian\n5. The last gust, with a pencil"
# ## Exercises
#
# Replace each `...` with your code, run the cell, and run the check below it. A check says
# "Right:" and why, or what is probably wrong.

# %% [markdown]
# **Exercise 1.** How fast does a hill rise if you walk with the velocity `v`? Write `slope_along(f, x, v)`: the
# derivative along `v` of a function with one output, in **one forward pass**, without a tape. Take `v` as it is: twice the `v` is twice the slope.


# %% nbgrader={"grade": false, "grade_id": "slope-along", "locked": false, "schema_version": 3, "solution": true, "task": false}
def slope_along(f, x, v):
    """How f(x) changes when x moves along v: one number."""
    ### BEGIN SOLUTION
    with tf.autodiff.ForwardAccumulator(x, v) as accumulator:
        y = f(x)
    return accumulator.jvp(y)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "slope-along-check", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
with viz.Score(2) as score:
    from unittest import mock

    drawn, tapes, heights = np.random.default_rng(), mock.Mock(wraps=tf.GradientTape), []

    def hill(x):
        heights.append(x[0] ** 2 * x[1])
        return heights[-1]

    right = []
    unit = []
    for at, along in drawn.uniform(1.0, 2.0, size=(2, 2, 2)).astype("float32"):  # others each time
        heights.clear()
        with mock.patch.object(tf, "GradientTape", tapes):
            found = slope_along(hill, tf.constant(at), tf.constant(along))
        assert found is None or len(heights) == 1, (
            f"One forward pass is enough, and f ran {len(heights)} times."
        )
        assert found is not None, (
            "The slope is None: does f run inside the block, is x the first argument of the accumulator and v the "
            "second, and is the jvp of the result returned?"
        )
        assert np.shape(found) == (), "Return one number: is that a gradient? Push v forward."
        expected = 2 * at[0] * at[1] * along[0] + at[0] ** 2 * along[1]
        right.append(abs(float(found) - expected) < 1e-4)
        unit.append(abs(float(found) * np.hypot(*along) - expected) < 1e-3)
    said = "That is the slope along another direction: is v the tangent of x?"
    if all(unit):
        said = "You divided by the length of v. Take v as it is."
    elif abs(float(found) - at[0] ** 2 * at[1]) < 1e-4:
        said = "That is the value of f: ask the accumulator for its jvp."
    score.part(1, all(right), said)
    said = (
        "The right number, but no tape here: a ForwardAccumulator does it while the function runs."
    )
    score.part(1, all(right) and not tapes.called, said if all(right) else score.hints[0])
    score.total("the tangent goes along while the function runs, and nothing has to be kept.")
score.earned

# %% [markdown]
# **Exercise 2.** A Jacobian has `n_in` inputs and `n_out` outputs. Write two functions:
#
# - `fewer_passes(n_in, n_out)` says which way takes fewer passes, `"forward"` or `"reverse"`; for equal numbers `"forward"`,
# - `less_work(n_in, n_out, jvp, vjp)` says which way takes less *work*. A JVP costs `jvp` times the function, the function included. For the VJPs the function runs
#   once under the tape, which costs 1, and then each VJP costs `vjp` times the function.


# %% nbgrader={"grade": false, "grade_id": "which-way", "locked": false, "schema_version": 3, "solution": true, "task": false}
def fewer_passes(n_in, n_out):
    """Says which way takes fewer passes, "forward" or "reverse"."""
    ### BEGIN SOLUTION
    return "forward" if n_in <= n_out else "reverse"
    ### END SOLUTION


def less_work(n_in, n_out, jvp, vjp):
    """Says which way takes less work, "forward" or "reverse"."""
    ### BEGIN SOLUTION
    return "forward" if jvp * n_in < 1 + vjp * n_out else "reverse"
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "which-way-check", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
with viz.Score(2) as score:
    assert fewer_passes(1_000_000, 1) is not None, (
        "fewer_passes returns nothing yet: return one of the two words."
    )
    said = [fewer_passes(1_000_000, 1), fewer_passes(1, 3)]
    other = [word for word in said if word not in ("forward", "reverse")]
    assert not other, (
        f"The two words are 'forward' and 'reverse', in small letters; not {other[0]!r}."
    )
    loss_right = fewer_passes(1_000_000, 1) == fewer_passes(300, 40) == "reverse"
    curve_right = fewer_passes(1, 3) == fewer_passes(40, 300) == "forward"
    score.part(0.25, loss_right, "A loss of many parameters: a VJP gives the whole row.")
    score.part(0.25, curve_right, "A curve in space: one JVP gives the whole column.")
    said = "Count passes here, not work: 20 columns are fewer than 30 rows."
    score.part(0.25, fewer_passes(20, 30) == "forward", said)
    score.part(
        0.25, fewer_passes(5, 5) == "forward", "For equal numbers the exercise asks for forward."
    )
    draw = np.random.default_rng()  # other costs each time, and no two wrong answers look alike
    jvp, vjp = draw.uniform(2.6, 2.8), draw.uniform(1.2, 1.25)
    sizes = [(a, b) for a in (1, 5, 10, 20, 40) for b in (1, 2, 5, 9, 10, 20, 37, 40, 75, 80)]
    # Those on a border tell a forgotten term from a right answer.
    sizes += [(a, int((jvp * a - 1) / vjp) + k) for a in range(3, 30) for k in (0, 1, 2)]
    cases = [(a, b) for a, b in sizes if b > 0]

    def words(forward):
        return ["forward" if forward(a, b) else "reverse" for a, b in cases]

    work_said = [less_work(a, b, jvp, vjp) for a, b in cases]
    less = words(lambda a, b: jvp * a < 1 + vjp * b)
    hints = [
        ([None] * len(cases), "less_work returns nothing yet."),
        (
            words(lambda a, b: jvp * a < vjp * b),
            "less_work: the function under the tape has to run once, too.",
        ),
        (
            words(lambda a, b: 1 + jvp * a < 1 + vjp * b),
            "less_work: the cost of a JVP includes the function already.",
        ),
        (
            words(lambda a, b: (1 + jvp) * a < 1 + vjp * b),
            "less_work: the cost of a JVP includes the function already.",
        ),
        (
            words(lambda a, b: jvp * a < (1 + vjp) * b),
            "less_work: the function runs once under the tape, not once for each VJP.",
        ),
        (words(lambda a, b: a <= b), "less_work counts passes. What does each of them cost?"),
        (
            words(lambda a, b: jvp * b < 1 + vjp * a),
            "less_work: there is a JVP for each input, and a VJP for each output.",
        ),
    ]
    said = "less_work: add up what all JVPs cost, and what the function and all VJPs cost. Which is less?"
    other = [word for word in work_said if word not in ("forward", "reverse")]
    if other:
        said = f"less_work: the two words are 'forward' and 'reverse', in small letters; not {other[0]!r}."
    said = next((hint for wrong, hint in hints if work_said == wrong), said)
    score.part(1, work_said == less, said)
    score.total("columns are inputs, rows are outputs; and each pass has its price.")
score.earned

# %% [markdown]
# **Exercise 3.** A waist. The program `second(first(x))` takes 300 numbers and returns 200, but between its halves there are only **two**. By columns its
# Jacobian takes 300 passes, by rows 200. Write `through_the_waist(first, second, x)`, which computes it with **four**. You may use `by_columns` and `by_rows`.


# %% nbgrader={"grade": false, "grade_id": "waist", "locked": false, "schema_version": 3, "solution": true, "task": false}
def through_the_waist(first, second, x):
    """The Jacobian of second(first(x)) with respect to x."""
    ### BEGIN SOLUTION
    return by_columns(second, first(x)) @ by_rows(first, x)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "waist-check", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
with viz.Score(2) as score:
    from unittest import mock

    draw = np.random.default_rng()  # other matrices each time
    into, out_of = draw.normal(size=(2, 300)) / 20.0, draw.normal(size=(200, 2))
    at, passed, one_pass = draw.normal(size=300), [], tf.GradientTape.gradient
    many_passes, tangents = (
        tf.GradientTape.jacobian,
        mock.Mock(wraps=tf.autodiff.ForwardAccumulator),
    )

    def pull(tape, *arguments, **named):
        passed.append(1)
        return one_pass(tape, *arguments, **named)

    def pull_all(tape, target, *arguments, **named):
        passed.append(int(np.prod(target.shape)))
        return many_passes(tape, target, *arguments, **named)

    with (
        mock.patch.object(tf.GradientTape, "gradient", pull),
        mock.patch.object(tf.GradientTape, "jacobian", pull_all),
        mock.patch.object(tf.autodiff, "ForwardAccumulator", tangents),
    ):
        try:
            found = through_the_waist(
                lambda x: tf.tanh(tf.linalg.matvec(tf.constant(into), x)),
                lambda h: tf.sin(tf.linalg.matvec(tf.constant(out_of), h)),
                tf.constant(at),
            )
        except tf.errors.InvalidArgumentError:
            raise AssertionError(
                "Shapes do not fit: which Jacobian stands on the left, and what goes into second?"
            ) from None
    assert found is not None, "through_the_waist returns nothing yet: return the matrix."
    rows, columns = 200, 300
    assert np.shape(found) != (columns, rows), (
        "Transposed: J has a row for each output of second, and a column for each input of first."
    )
    assert np.shape(found) == (rows, columns), (
        f"J has a row for each output of second, and a column for each input of first; yours has the shape {np.shape(found)}."
    )
    narrow = np.tanh(into @ at)
    halves = np.cos(out_of @ narrow)[:, None] * out_of, (1.0 - narrow**2)[:, None] * into
    right = np.allclose(found, halves[0] @ halves[1])
    said = "Not J. Is the Jacobian of second taken where its input is, at first(x)?"
    if np.allclose(found, out_of @ halves[1]) or np.allclose(found, out_of @ into):
        said = "That is second's Jacobian at 0. Take it where its input is, at first(x)."
    score.part(1, right, said)
    count = sum(passed) + tangents.call_count
    said = f"The right matrix, with {count} passes. Each half has two numbers at one of its ends: at which end of first, at which of second?"
    score.part(1, right and count <= 4, said if right else score.hints[0])
    score.total("every path goes through the waist, so two rows and two columns say it all.")
score.earned

# %% [markdown]
# **Exercise 4.** A product with a Hessian, for a model. There the parameters are
# variables of any shape, and the loss is a function without arguments that reads them. Write
# `hessian_product(f, x, v)` for such a function, a `tf.Variable` `x` and a tensor `v` of the same shape. Do not build the Hessian.


# %% nbgrader={"grade": false, "grade_id": "hessian-product", "locked": false, "schema_version": 3, "solution": true, "task": false}
def hessian_product(f, x, v):
    """H v, in the shape of x."""
    ### BEGIN SOLUTION
    with tf.autodiff.ForwardAccumulator(x, v) as accumulator:
        with tf.GradientTape() as tape:
            y = f()
        gradient = tape.gradient(y, x)
    return accumulator.jvp(gradient)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "hessian-product-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
with viz.Score(3) as score:
    from unittest import mock

    box = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    coupling, *drawn = np.random.default_rng().uniform(1.0, 2.0, size=5).astype("float32")
    push = tf.constant(np.reshape(drawn, (2, 2)))
    whole = AssertionError(
        "That makes the whole Hessian, a matrix: take the tangent of the gradient."
    )
    rows = (
        "That makes the whole Hessian, one row for each backward pass: H v takes one or two passes."
    )
    runs, passed, one_pass = [], [], tf.GradientTape.gradient

    def back(tape, *arguments, **named):
        passed.append(1)
        assert len(passed) < 3, rows
        return one_pass(tape, *arguments, **named)

    def asked_for():
        runs.append(1)
        return tf.reduce_sum(box**3) + coupling * box[0, 0] * box[1, 1]

    try:
        with (
            mock.patch.object(tf.GradientTape, "jacobian", side_effect=whole),
            mock.patch.object(tf.GradientTape, "gradient", back),
        ):
            found = hessian_product(asked_for, box, push)
    except TypeError as error:
        assert "positional argument" not in str(error), (
            "f takes no arguments here: call f(), which reads the variable x itself."
        )
        raise
    assert found is not None, (
        "None came back: is something returned, and the gradient computed inside the accumulator's block?"
    )
    assert found.shape == box.shape, "H v has the shape of x: a number would be v H v or g v."
    slope = 3.0 * np.square(box) + coupling * np.array([[4.0, 0.0], [0.0, 1.0]])
    assert not np.allclose(found, slope), (
        "That is the gradient itself. Differentiate it once more, along v."
    )
    assert not np.allclose(found, slope * push), (
        "That is the gradient times v. Differentiate once more."
    )
    assert len(runs) == 1, (
        f"f ran {len(runs)} times, and once is enough: two gradients at two points are differences, and a run for "
        "each input makes the whole Hessian."
    )
    cubes = 6.0 * np.asarray(box)
    right = cubes * push + coupling * np.diag([drawn[3], drawn[0]])
    said = (
        "Not H v: H is made of f, which may be any function, and the tangent of its variable is v."
    )
    if np.allclose(found, cubes + coupling * np.eye(2)):
        said = "That is H times a vector of ones, the sum over its rows: where does v come in?"
    elif np.allclose(found, (cubes + coupling * np.eye(2)) * push):
        said = "That is H times ones, and then times v: v belongs inside, before the second derivative."
    score.part(3, np.allclose(found, right), said)
    score.total("the tangent of the gradient is H v, and the matrix was never there.")
score.earned

# %% [markdown]
# **Exercise 5.** A forward pass with a pencil. Before the last step of the throw the ball has the velocity `vx`, `vy` and the
# height `y`. The last step makes $v_x - dt \cdot drag \cdot air$ first, and then $x + dt \cdot v_x$ from it. Write `last_gust(vx, vy, y)`: the derivative of the ball's
# last $x$ with respect to the gust of this step, where the gust is 0.
#
# Begin with the tangent 1 of the gust, and push it through the lines of the step: what are the tangents of
# `air`, `drag`, `vx` and `x`? `dt` is 0.02, and the 0.02 of the drag is another number. Numbers go in, and a number comes out, without tape and accumulator. Use NumPy
# or `math`: `tf.tanh` of a Python number is `float32`.


# %% nbgrader={"grade": false, "grade_id": "last-gust", "locked": false, "schema_version": 3, "solution": true, "task": false}
def last_gust(vx, vy, y):
    """How the last x changes with the last gust."""
    ### BEGIN SOLUTION
    dt, height = 0.02, np.tanh(y / 5.0)
    air = vx + 6.0 * height
    drag = 0.02 * np.hypot(air, vy)
    of_air = -height  # the tangents, each from those before it
    of_drag = 0.02 * air / np.hypot(air, vy) * of_air
    of_vx = -dt * (of_drag * air + drag * of_air)
    return dt * of_vx
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "last-gust-check", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
with viz.Score(2) as score:
    from unittest import mock

    def last_step(gust, vx, vy, y):
        """The last step of the throw, from x = 0."""
        air = vx - (gust - 6.0) * tf.tanh(y / 5.0)
        drag = 0.02 * tf.sqrt(air**2 + vy**2)
        return 0.02 * (vx - 0.02 * drag * air)

    drawn = np.random.default_rng().uniform([4, -12, 1], [15, 3, 6], (3, 3)).tolist()  # each time
    misses, windless, against, one_path, no_height = [], [], [], [], []
    halved, doubled, no_drag = [], [], []
    one_air, later, later_too = [], [], []
    taped = AssertionError(
        "By hand this time, without a tape or tangents: write the two paths down."
    )
    by_hand = mock.patch.object(tf, "GradientTape", side_effect=taped)
    by_pencil = mock.patch.object(tf.autodiff, "ForwardAccumulator", side_effect=taped)
    for vx, vy, y in drawn:
        with by_hand, by_pencil:
            found = last_gust(vx, vy, y)
        assert found is not None, "last_gust should return a number."
        assert np.size(found) == 1, f"Return one number, not {np.size(found)}."
        found = np.ravel(found)[0]
        gust = tf.Variable(0.0, dtype=tf.float64)
        with tf.GradientTape() as tape:
            end = last_step(gust, *(tf.constant(each, tf.float64) for each in (vx, vy, y)))
        right = float(tape.gradient(end, gust))
        misses.append(float(found) / right)
        height = np.tanh(y / 5.0)
        for ratios, wind in [(windless, 0.0), (against, -6.0), ([], 6.0)]:
            air = vx + wind * height
            length = np.hypot(air, vy)
            ratios.append(0.02**3 * height * (length + air**2 / length) / right)
        whole = length + air**2 / length
        one_air.append((length + air / length) / whole)
        halved.append((length + air**2 / length / 2) / whole)
        doubled.append((length + 2 * air**2 / length) / whole)
        no_drag.append((length + air**2 / length / 0.02) / whole)
        for ratios, up in [(later, vy - 0.02 * (0.02 * length * vy + 9.81)), (later_too, vy)]:
            above = np.tanh((y + 0.02 * up) / 5.0)
            swift = vx + 6.0 * above
            ratios.append(
                0.02**3 * above * (np.hypot(swift, vy) + swift**2 / np.hypot(swift, vy)) / right
            )
        one_path.append(
            air**2 / (2 * air**2 + vy**2)
        )  # through the drag; through air it is the rest
        no_height.append(1.0 / height)
    misses, one_path = np.array(misses), np.array(one_path)
    paths = [1.0 - one_path, one_path]
    said = "It depends on vx, vy and y. What is the tangent of air if that of the gust is 1? And air is used twice."
    half, other_sign = False, (misses < 0).all()
    generic, misses = said, np.abs(misses) if other_sign else misses
    if np.allclose(misses, 1 / 0.02, rtol=1e-3):
        said = (
            "A factor of 0.02 is missing. There are three: in the drag, and dt twice, because the gust changes the velocity by dt, "
            "and the velocity the position by dt."
        )
    elif np.allclose(misses, 1 / 0.02**2, rtol=1e-3):
        said = "Two factors of 0.02 are missing. There are three: one in the drag, and dt twice."
    elif np.allclose(misses, 1.0, rtol=1e-3) and other_sign:
        said, half = "The sign: air falls when the gust grows, and less air is less slowing.", True
    elif np.allclose(misses, 1.0, rtol=1e-3):
        said, half = (
            (
                "Right to some digits only, as a difference of two runs is, or float32. With a pencil and "
                "Python's numbers (np.tanh, np.sqrt) all digits agree."
            ),
            True,
        )
    elif np.allclose(misses, windless, rtol=1e-3):
        said, half = "The wind is missing in air: a gust of 0 leaves the head wind of 6.", True
    elif np.allclose(misses, against, rtol=1e-3):
        said, half = "The sign of the wind in air: it blows against the ball.", True
    elif np.allclose(misses, one_air, rtol=1e-3):
        said, half = "The root's slope is multiplied by air, since drag * air is a product.", True
    elif np.allclose(misses, halved, rtol=1e-3) or np.allclose(misses, doubled, rtol=1e-3):
        said, half = "Look at the slope of the root: its 1/2, and the 2 of the square.", True
    elif np.allclose(misses, no_drag, rtol=1e-3):
        said, half = "The 0.02 of the drag is missing in the tangent of the drag.", True
    elif any(np.allclose(misses, ratios, rtol=1e-4) for ratios in (later, later_too)):
        said, half = "The height in tanh is the one before the last step: y as it is given.", True
    elif np.allclose(misses, no_height, rtol=1e-3):
        said = "A gust is weaker near the ground: which factor does it have in air?"
    elif any(np.allclose(misses, path, rtol=1e-3) for path in paths):
        said, half = (
            "Air is used twice: in the product and in the root. Add both paths.",
            True,
        )
    if other_sign and said != generic and not said.startswith("The sign:"):
        said, half = said + " And the sign: air falls when the gust grows.", False
    exact = 1e-13  # differences of two runs reach ten digits or so
    right = np.allclose(misses, 1.0, rtol=exact, atol=0.0) and not other_sign
    score.part(1, right or half, said)
    score.part(1, right, said)
    score.total(
        "two paths through air, and dt twice: once for the velocity, once for the position."
    )
score.earned

# %% [markdown] slide="**To think about.** In words: 50 inputs and 50 outputs. Can one pass give *two* columns of the Jacobian? When is it so full of zeros that it can?"
# **To think about.** In words: 50 inputs and 50 outputs. Can one pass give *two* columns of the Jacobian? When is it so full
# of zeros that it can?
#
# <details><summary>An answer</summary>
# Yes, if the two columns have no row in common: push the sum of both unit vectors forward, and each row belongs to one of them. If only
# the diagonal and its two neighbours are not zero, three passes give all columns.
# </details>

# %% [markdown]
# ## What to remember
#
# - A JVP pushes a tangent forward: $J v$, one column for one pass. A VJP pulls a cotangent back:
#   $u^\top J$, one row for one pass.
# - Each pass costs a small multiple of the function, whatever the numbers of inputs and outputs. For a whole Jacobian take the fewer: columns or rows.
# - Reverse mode pays in memory, which grows with the number of operations. Forward mode
#   keeps a tangent next to each value, and the working space of one operation.
# - $H v$ costs like a few gradients, whatever $n$ is. $H$ takes one more backward pass for each of the $n$ inputs.
#
# **Read on.** Griewank, Walther, *Evaluating Derivatives* (second edition, 2008). Pearlmutter, *Fast Exact
# Multiplication by the Hessian* (1994). Shewchuk, *An Introduction to the Conjugate Gradient Method Without the
# Agonizing Pain* (1994).

# %% [markdown]
# ## Further: three ways to H v, and what they hold
#
# There are two other ways to $H v$. **Reverse over reverse** is the gradient of the number $g^\top v$, with two tapes. **Reverse over forward** is the gradient of
# the number $J v$, which is $g^\top v$, too. The three
# do about the same work, but they do not hold the same memory. We measure it on a chain of 32 sines:


# %% tags=["given"]
# Given.
def reverse_over_reverse(f, x, v):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        gradient = inner.gradient(y, x)
        along = tf.reduce_sum(gradient * v)
    return outer.gradient(along, x)


# %% tags=["given"]
# Given.
def reverse_over_forward(f, x, v):
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tf.autodiff.ForwardAccumulator(x, v) as accumulator:
            y = f(x)
        slope = accumulator.jvp(y)
    return tape.gradient(slope, x)


def sum_of_chain(x):
    return tf.reduce_sum(chain(x, 32))


# %%
ways = [forward_over_reverse, reverse_over_reverse, reverse_over_forward]
with viz.predict(
    "A gradient alone holds one vector for each sine. How many for each sine does forward over reverse hold at most, and how many "
    "do the two others?",
    "About two, and about three. The outer tape of the others records the derivatives as well as the function.",
):
    for way in ways:
        way(sum_of_chain, long, long)  # once before we measure
        held = round(peak(way, sum_of_chain, long, long) / 32)
        print(f"{way.__name__:20} holds about {held} vectors for each operation")

# %% [markdown]
# And all three give the same product:

# %%
for way in ways:
    print(f"{way.__name__}:".ljust(22), way(valley, x, v).numpy())

# %% [markdown]
# ## Further: Newton's step without the matrix
#
# Newton's method solves $H s = g$ and goes to $x - s$. The method of **conjugate gradients**
# solves such a system with nothing but products $H p$, if $H$ is **positive definite**: if the function
# bends up in every direction. Near a lowest point where it does, as in the valley, we can take Newton's step without the
# matrix:


# %%
def solve(product, right, steps):
    """Conjugate gradients: the s with product(s) = right."""
    s = tf.zeros_like(right)
    residual = direction = right
    for _ in range(steps):
        curved = product(direction)
        length = tf.reduce_sum(residual**2) / tf.reduce_sum(direction * curved)
        s = s + length * direction
        new = residual - length * curved
        direction = new + tf.reduce_sum(new**2) / tf.reduce_sum(residual**2) * direction
        residual = new
    return s


near = tf.constant([1.1, 0.9, 1.05, 0.95], tf.float64)
with tf.GradientTape() as tape:
    tape.watch(near)
    loss = valley(near)
gradient = tape.gradient(loss, near)

with_matrix = tf.linalg.solve(whole_hessian(valley, near), gradient[:, None])[:, 0]
without = solve(lambda p: forward_over_reverse(valley, near, p), gradient, steps=4)
eigenvalues = np.linalg.eigvalsh(whole_hessian(valley, near))
print("eigenvalues of H:", eigenvalues.round(1))
print("with the matrix: ", np.round(with_matrix.numpy(), 4))
print("without it:      ", np.round(without.numpy(), 4))
print(f"loss before {loss:.3f}, after {valley(near - without):.3f}")

# %% [markdown]
# All eigenvalues are positive here. That is not so everywhere: at the point `x` from above the valley has a
# negative one. There Newton's step happens to go down all the same; in lesson 2 it goes up. And what
# does the method do with a matrix that is not positive definite? `diag(1, -1)` has an inverse, so
# $H s = (1, 1)$ has the solution $(1, -1)$.

# %%
print("eigenvalues at x:", np.linalg.eigvalsh(whole_hessian(valley, x)).round(1))

right = tf.constant([1.0, 1.0], tf.float64)

# %%
with viz.predict(
    "For `diag(1, 2)` the method finds (1, 0.5). Does it find (1, -1) for `diag(1, -1)`?",
    "No: `nan`. It divides by the curvature along its first direction, which is 0.",
):
    for diagonal in [[1.0, 2.0], [1.0, -1.0]]:
        with np.errstate(divide="ignore", invalid="ignore"):
            solved = solve(lambda p, d=diagonal: p * d, right, steps=2)
        print(f"diag{tuple(diagonal)}:", solved.numpy())

# %% [markdown]
# The first direction is $p = (1, 1)$. There $p^\top H p = 1 - 1 = 0$, so the step gets the length $2/0$, and
# then everything is `nan`. Programs that use the method look at $p^\top H p$ in each step, and stop where it
# is not positive.

# %% [markdown]
# ## Further: what the outer tape records
#
# How can a tape differentiate a gradient? Look at what the outer tape has recorded for
# $y = a^2 b$, whose gradient is $(2ab, a^2)$:

# %%
point = tf.constant([3.0, 2.0])
direction = tf.constant([1.0, 0.0])

with viz.recording(), tf.GradientTape() as outer:
    outer.watch(point)
    with tf.GradientTape() as inner:
        inner.watch(point)
        a, b = tf.unstack(point)
        y = a * a * b
    gradient = inner.gradient(y, point)
    along = tf.reduce_sum(gradient * direction)

player = viz.step(outer, along, point, title="A product with a Hessian, in reverse over reverse")
print(outer.gradient(along, point).numpy())
player

# %% [markdown]
# The backward pass of the inner tape consists of operations like any others, so the outer tape has them in
# its list. That is why the list is so long.

# %% [markdown]
# ## Further: a JVP made of two VJPs
#
# minitape has few rules for JVPs: some operations that pick or join numbers have one, such as `stack`. The others are made
# from the VJP rules. If output $i$ depends on input $i$ alone, as with the sine, a VJP is a JVP already. For all others: a
# VJP, $u^\top J$, is linear in $u$. So the number $u^\top J v$ is linear in $u$, too, and its gradient with respect to $u$ is $J v$. Pull any
# $u$ back, with a tape that records it, and then pull $v$ back through what this tape has recorded:

# %%
at, along = tf.constant([1.0, 2.0]), tf.constant([1.0, 0.5])

with tf.GradientTape() as outer:
    u = tf.zeros(3)
    outer.watch(u)
    with tf.GradientTape() as inner:
        inner.watch(at)
        y = f(at)
    pulled = inner.gradient(y, at, output_gradients=u)

print("Jv =", outer.gradient(pulled, u, output_gradients=along).numpy())

# %% [markdown]
# The numbers are those of the accumulator. For a product with a constant matrix that makes three products: the value, the VJP, and the VJP
# of the VJP. So minitape's JVP took 3 times the network above, more than the 2.5 on paper. TensorFlow's accumulator is built in the same way, but drops the second one, which nobody uses.
#
# So in minitape columns cost more than rows. With 20 inputs and 30 outputs, 20 JVPs cost 59 times the network, and 30 VJPs 31 times, because they walk
# back through *one* tape. For such a network, forward is less work below about a third as many inputs as outputs.

# %% tags=["given"]
# Given.
net, z = network(20, 30)
for way in (by_columns, by_rows):
    print(f"20 inputs, 30 outputs, {way.__name__}: {work(way, net, z) / work(net, z):.0f} times")
