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

# %% [markdown] slide="Two questions to one throw:\n\n- How does the *whole path* change with the two speeds?\n- How does the *place across at the end* change with the gust at each of 100 moments?\n\n**Which way round for each?**"
# # 7. Forward and reverse
#
# Two questions to the throw of lesson 1. How does the *whole path* change with the two speeds? And how does the
# *place across at the end* change with the gust at each of 100 moments? It is the same simulation, and one way of differentiating
# answers the first with 2 passes and the second with 100; the other way takes 200 and 1. **Which way round for
# each?**
#
# A tape differentiates backward. One can also differentiate forward, while the program runs. Both give
# the same numbers, but one may cost a thousand times as much as the other. In this lesson you see both
# at work, count what they do, and learn which one to take. You need lesson 1, and the Jacobian from
# lesson 2. The lesson takes 50 minutes; the exercises are homework, for about 40 more, and the
# sections named *Further* are for those who want more. If you type along: a cell that begins with *Given* is only run.
#
# Afterwards you can
#
# - say what a JVP and a VJP are, and compute them,
# - build a Jacobian by columns and by rows, and choose the cheaper way,
# - multiply a vector with a Hessian that is never written down.

# %% tags=["setup"]
import tracemalloc

import matplotlib.pyplot as plt
import numpy as np

import minitape as tf
from minitape import viz

viz.figures()

# %% [markdown] slide="## One chain, two directions\n\n$J = J_3\\, J_2\\, J_1$\n\nThe result does not depend on the order in which we multiply. The work does."
# ## One chain, two directions
#
# Let a program be three steps, one after the other: $y = f_3(f_2(f_1(x)))$. The derivative of a step
# with several inputs and outputs is a matrix, its **Jacobian**: row $i$, column $j$ says how output $i$
# changes with input $j$. The chain rule multiplies the three matrices:
#
# $$J = J_3 \, J_2 \, J_1$$
#
# In which order should we multiply? The result is the same: $(J_3 J_2) J_1 = J_3 (J_2 J_1)$. The work
# is not. Here each step has 100 inputs and 100 outputs, but the last one has a single output, a loss:

# %% tags=["given"]
# Given.
rng = np.random.default_rng(0)
J1, J2, J3 = (rng.normal(size=size) for size in [(100, 100), (100, 100), (1, 100)])


def product(a, b):
    """The product of two matrices, and how many multiplications of numbers it takes."""
    return a @ b, a.shape[0] * a.shape[1] * b.shape[1]


# %%
with viz.predict(
    "From which side is it less work, from the input's, J3 (J2 J1), or from the output's, (J3 J2) J1? How many times less?",
    "From the output's side, about 50 times less: there is only ever one row to carry along.",
):
    first, work1 = product(J2, J1)
    forward, work2 = product(J3, first)
    print(f"from the input's side:  {work1 + work2:9,} multiplications")
    first, work1 = product(J3, J2)
    backward, work2 = product(first, J1)
    print(f"from the output's side: {work1 + work2:9,} multiplications")
    print("the same result:", np.allclose(forward, backward))

# %% [markdown]
# In a picture: each rectangle is a matrix, and on the right stands what is carried along.

# %% tags=["picture", "given"] slide="What is carried along" alt="Two rows of rectangles. Above, from the input's side: J2 times J1, two large squares, gives a large square, 1,000,000 multiplications; then J3, a thin row, times that square gives a thin row, 10,000. Below, from the output's side: J3, a thin row, times J2, a square, gives a thin row, 10,000; that row times J1, a square, gives a thin row, 10,000. On each square stands 100 x 100, at each row 1 x 100."
# Given: this only draws.
figure, panel = plt.subplots(figsize=(8, 3.8))
panel.set(xlim=(-0.2, 15), ylim=(-4.3, 2.7), aspect="equal")
panel.axis("off")
row, square = 0.18, 1.6
whole, thin = "\n100 x 100", "1 x 100"
first = [(0, square, "$J_2$" + whole), (2.2, square, "$J_1$" + whole), (5, square, whole[1:])]
second = [(8.2, row, "$J_3$: " + thin), (10.4, square, whole[1:]), (13.2, row, "$J$: " + thin)]
from_outputs = [(0, row, "$J_3$: " + thin), (2.2, square, "$J_2$" + whole), (5, row, thin)]
then = [(8.2, row, thin), (10.4, square, "$J_1$" + whole), (13.2, row, "$J$: " + thin)]
for level, name, steps, counts in [
    (1, "from the input's side", (first, second), ("1,000,000", "10,000")),
    (-2.6, "from the output's side", (from_outputs, then), ("10,000", "10,000")),
]:
    panel.text(0, level + 1.3, name, va="center", fontsize=11)
    for parts, count in zip(steps, counts, strict=True):
        for at, height, words in parts:
            panel.add_patch(
                plt.Rectangle((at, level - height / 2), square, height, color="#9cc4e4")
            )
            panel.text(
                at + 0.8,
                level + (0.45 if height < 1 else 0.0),
                words,
                ha="center",
                va="center",
                fontsize=9,
            )
        for at, sign in [(1.9, "·"), (4.4, "=")]:
            panel.text(parts[0][0] + at, level, sign, ha="center", va="center", fontsize=14)
        panel.text(parts[1][0] + 0.2, level - 1.25, count, ha="center", va="center", fontsize=11)
plt.show()

# %% [markdown]
# With one *input* and many outputs it would be the other way round: one column to carry, from the input's side.
#
# That is the whole secret. The rest of this lesson is how a program does it without having the
# matrices.

# %% [markdown] slide="## Forward: push a tangent\n\nA **tangent** $v$: the direction in which the input moves. $J v$ says how the output moves: a **JVP**."
# ## Forward: push a tangent
#
# Take a direction $v$ in the space of inputs, called a **tangent**. The question is: if $x$ moves along
# $v$, how does $y$ move? The answer is $J v$, a **Jacobian-vector product**, in short JVP. It is found
# in the order in which the program runs: each operation pushes the tangent of its input on to its
# output.
#
# In minitape (and TensorFlow) a `ForwardAccumulator` does that. You say at the beginning which tensor
# moves, and in which direction. Here is a function from two numbers to three:


# %%
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
# We can check that with a small step. Move $x$ a little along $v$, and see how far $y$ moves:

# %% slide=""
step = 0.001
moved = (f(x + step * v) - f(x - step * v)) / (2 * step)
print("moved by about", np.round(moved.numpy(), 2))

# %% [markdown]
# An accumulator can be asked for every result on the way, as soon as it is there. In a chain nothing has to be
# kept but the last one.

# %% tags=["given"] slide=""
# Given.
start = tf.constant(2.0)

with tf.autodiff.ForwardAccumulator(start, tf.constant(1.0)) as accumulator:
    result = start
    print(f"{'value':>8} {'tangent':>8}")
    for operation in [tf.square, tf.sin, lambda value: 3.0 * value]:
        result = operation(result)
        print(f"{result.numpy():8.3f} {accumulator.jvp(result).numpy():8.3f}")

# %% [markdown]
# Read the table as a calculation by hand. Square: $2 \cdot 2 \cdot 1 = 4$. Sine: $\cos(4) \cdot 4$. Times
# 3: the tangent is multiplied by 3, too.
#
# `viz.push` shows the same as steps. It takes what a tape has recorded and pushes a tangent through it,
# one operation after the other. Here it is $v$ from above. Go through the steps: where tangents arrive
# along two paths, they add up. At the last step $J v$ is there.

# %%
with viz.recording(), tf.GradientTape() as tape:
    tape.watch(x)
    a, b = tf.unstack(x)
    y = tf.stack([a * b, tf.sin(a), b**2])

viz.push(tape, y, x, v, title="One JVP")

# %% [markdown] slide="## Reverse: pull a cotangent\n\nA **cotangent** $u$: how much we care about each output. $u^\\top J$ says how $u^\\top y$ depends on each input: a **VJP**."
# ## Reverse: pull a cotangent
#
# Now take a direction in the space of *outputs*, a **cotangent** $u$: how much we care about each
# output. The question is: how does the weighted sum $u^\top y$ depend on each input? The answer is
# $u^\top J$, a **vector-Jacobian product**, VJP. A tape computes it. The cotangent goes in as
# `output_gradients`.

# %%
u = tf.constant([1.0, 0.0, 2.0])

with viz.recording(), tf.GradientTape() as tape:
    tape.watch(x)
    a, b = tf.unstack(x)
    y = tf.stack([a * b, tf.sin(a), b**2])

player = viz.step(tape, y, x, output_gradients=u, title="One VJP")
print("uJ =", tape.gradient(y, x, output_gradients=u).numpy())
player

# %% [markdown]
# **Look at the seed.** In lesson 1 it was 1. Here it is $u$, and the zero in it travels too: the sine
# passes 0 on. Everything that the tape needs on the way back it had to keep on the way forward. The button
# *Memory* shows how many bytes that is at each step.
#
# An ordinary gradient is the special case of one output and $u = 1$. Then $J$ has a single row, and the
# VJP is all of it.

# %% [markdown] slide="### A check for both\n\n$u^\\top (J v) = (u^\\top J)\\, v$, whatever $u$, $v$ and the function are."
# ### A check for both
#
# $u^\top (J v)$ and $(u^\top J)\, v$ are the same number, whatever $u$, $v$ and the function are. Where both modes have
# rules of their own, each can test the other. In minitape most JVPs are made of the VJP rules, so equality says that the two
# fit together. Whether a rule is *right*, a small step says, as above.

# %% tags=["given"]
# Given.
with tf.GradientTape() as tape, tf.autodiff.ForwardAccumulator(x, v) as accumulator:
    tape.watch(x)
    y = f(x)

jvp = accumulator.jvp(y)
vjp = tape.gradient(y, x, output_gradients=u)
print("u (Jv) =", tf.tensordot(u, jvp, 1).numpy())
print("(uJ) v =", tf.tensordot(vjp, v, 1).numpy())

# %% [markdown]
# ## A Jacobian, both ways
#
# To see all of $J$, ask with unit vectors. $J$ times the unit vector $e_j$ is **column** $j$; the unit
# vector $e_i$ times $J$ is **row** $i$. So:
#
# - by JVPs: one pass for each *input*, and each gives a column,
# - by VJPs: one pass for each *output*, and each gives a row.


# %%
def by_columns(f, x):
    """The Jacobian of f at a vector x, one JVP for each input."""
    columns = []
    for tangent in tf.eye(x.shape[0], dtype=x.dtype):
        with tf.autodiff.ForwardAccumulator(x, tangent) as accumulator:
            y = f(x)
        columns.append(accumulator.jvp(y))
    return tf.stack(columns, axis=1)


def by_rows(f, x):
    """The Jacobian of f at a vector x, one VJP for each output."""
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x)
    rows = []
    for seed in tf.eye(y.shape[0], dtype=y.dtype):
        rows.append(tape.gradient(y, x, output_gradients=seed))
    return tf.stack(rows, axis=0)


print(by_columns(f, x).numpy())
print(by_rows(f, x).numpy())

# %% [markdown]
# `tape.jacobian` works by rows, too. It sends all the unit vectors through in one sweep, as a stack,
# which is faster in Python, and takes no more arithmetic. In the picture, move the slider: each row
# has its own backward pass below. Then choose *Columns*: each has its own forward pass.

# %% tags=["picture"]
with viz.recording(), tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    a, b = tf.unstack(x)
    y = tf.stack([a * b, tf.sin(a), b**2])

viz.jacobian(tape, y, x)

# %% [markdown] slide="## Counting the work\n\nWhich way is cheaper? Do not guess, and use no clock: count the numbers that are computed."
# ## Counting the work
#
# Which way is cheaper? We do not want to guess, and a clock tells a different time at every run. So we
# count. A recording hears every operation, those of the forward pass and those of the derivatives. For each we add up how
# many numbers it had to compute, or multiply in a product with a matrix. (What only moves numbers, such as a transpose or an
# index, counts nothing.)

# %% tags=["given"]
# Given.
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


# %%
with viz.predict(
    "The function has 32 inputs and 32 outputs. How many times the function's own work is one JVP, and "
    "how many one VJP, the function itself included?",
    "About 3 times and 2 times: a small multiple, forward or backward. It stays that for more inputs and outputs.",
):
    once = work(net, z)
    print(f"the function itself: {once:,} numbers")
    print(f"with one JVP: {work(one_jvp, net, z) / once:.1f} times that")
    print(f"with one VJP: {work(one_vjp, net, z) / once:.1f} times that")

# %% [markdown]
# So **one** derivative in **one** direction costs a small multiple of the function, forward or backward,
# no matter how many inputs and outputs there are. (Here the weights are constants. With gradients for the weights, too, the
# walk back costs about 2, and all about 3. For a JVP of a product with a *constant* matrix two products would be enough: one for
# the value, one for the tangent. minitape needs a third; *Further* says why.)
#
# The difference comes when we want all of $J$. We count for a loss (one output) and for a curve (one
# input):

# %% tags=["picture", "given"] alt="Two panels, the work of a whole Jacobian. Left, with one output: by columns it rises in proportion to the inputs, by rows it stays low. Right, with one input: by rows it rises with the outputs, by columns it stays low."
# Given: it counts, and draws.
sizes = [1, 2, 4, 8, 16, 32]
figure, panels = plt.subplots(1, 2, figsize=(8, 3.4), sharey=True)
for panel, shapes, label in [
    (panels[0], [(n, 1) for n in sizes], "inputs, with 1 output"),
    (panels[1], [(1, n) for n in sizes], "outputs, with 1 input"),
]:
    for name, marker, way in [
        ("by columns (JVPs)", "o-", by_columns),
        ("by rows (VJPs)", "s--", by_rows),
    ]:
        ratios = []
        for shape in shapes:
            net, z = network(*shape)
            ratios.append(work(way, net, z) / work(net, z))
        panel.plot(sizes, ratios, marker, label=name)
    panel.set(xlabel=label, ylabel="times the function's work")
    panel.tick_params(labelleft=True)
    panel.legend()
plt.tight_layout()
plt.show()

# %% [markdown]
# On the left, with one output, a single backward pass does it, for one input or for a million. That is
# why training uses reverse mode. On the right it is the other way round.
#
# The two rising lines are not equally steep. Each JVP runs the function again, here for 3 times its work. All VJPs walk
# back over *one* tape, for about 1 each. So in minitape the border is not at equal numbers: with 20 inputs and 30 outputs
# columns cost 59 times the function, and rows 31 times.

# %% tags=["given"] slide=""
# Given.
net, z = network(20, 30)
for way in (by_columns, by_rows):
    print(f"20 inputs, 30 outputs, {way.__name__}: {work(way, net, z) / work(net, z):.0f} times")

# %% [markdown]
# **Rule of thumb.** For such a network forward is less work in minitape below about a third as many inputs as outputs, and
# reverse above that. (With a JVP of two products the border would be at a half. With all tangents pushed in one sweep, as
# `jacobian` does with rows, the function would run once.) If memory is short, forward may pay even beyond the border: the
# section after the next one says why.

# %% [markdown] slide="## Two questions to one throw\n\nThe path: 2 numbers in, 200 out. The gusts: 100 numbers in, 1 out."
# ## Two questions to one throw
#
# Now the throw, with the speeds that hit the ring in lesson 1. Its speeds are two numbers, its path has 100 places of two
# numbers each, and each moment has a gust of its own, from behind: a gust of 1 leaves 5 of the head wind's 6. (Near the ground both are weaker, as the
# wind always was: they are multiplied by $\tanh(y/5)$.)


# %% tags=["given"] slide="The throw with gusts"
# Given.
def fly(speeds, gusts):
    """The 100 places of the ball; each moment has a gust."""
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

# %% slide="The whole path, by forward passes"
with viz.predict(
    "1 m/s more speed across: by how many metres does the place across change after 1 step, 50 and 100, as the slope says it?",
    "By 0.02, 0.72 and 1.12 m. Without air it would be 0.02, 1 and 2 m, but more speed is more drag. One forward "
    "pass gave this column, 200 numbers; a second one gives the other. Backward it would take 200 passes.",
):
    more_across = tf.constant([1.0, 0.0], tf.float64)
    with tf.autodiff.ForwardAccumulator(speeds, more_across) as accumulator:
        path = fly(speeds, calm)
    print(accumulator.jvp(path)[:, 0].numpy()[[0, 49, 99]].round(2))

# %% [markdown]
# That column and the other one can be drawn. At each tenth place from the twentieth on (earlier arrows would be short), one
# arrow says where the slope takes the place with 1 m/s more across, and one with 1 m/s more up.

# %% tags=["picture", "given"] slide="Two columns, as arrows along the path" notes="Why is the ball that is thrown faster up less far after 2 seconds?" alt="The path of the ball, an arch from (0, 1.5) over a height of nearly 7 m to (20, 2). At each tenth step from the twentieth on two arrows begin: a solid one for more speed across, which points to the right, and a dashed one for more speed up, which points up. Both grow with the time, and the second leans to the left towards the end."
# Given: the two columns, drawn.
columns = []
for tangent in np.eye(2):
    with tf.autodiff.ForwardAccumulator(speeds, tf.constant(tangent)) as accumulator:
        path = fly(speeds, calm)
    columns.append(accumulator.jvp(path).numpy())
plt.figure(figsize=(7, 3.6))
plt.plot(*path.numpy().T, "-", color="gray", linewidth=1)
for column, name, color, style in zip(
    columns, ["1 m/s more across", "1 m/s more up"], ["C0", "C1"], ["-", "--"], strict=True
):
    for at in range(19, 100, 10):
        begin, end = path.numpy()[at], path.numpy()[at] + column[at]
        look = {"arrowstyle": "->", "color": color, "linestyle": style, "shrinkA": 0, "shrinkB": 0}
        plt.annotate("", end, begin, arrowprops=look)
    plt.plot([], [], style, color=color, label=name)
plt.xlabel("across [m]")
plt.ylabel("height [m]")
plt.axis("square")
plt.xlim(0, 23)
plt.ylim(0, 10)
plt.legend(loc="upper left")
plt.show()

# %% [markdown]
# Towards the end the dashed arrows lean to the left: after 2 seconds the ball that is thrown faster *up* is less far (and
# higher: it will land farther). Why? (Two reasons: more speed is more drag, and higher up there is more head wind. Here the
# second one does more.)

# %% tags=["picture"] slide="Which gust matters most?" notes="Most say the first, as it acts longest. Some say the highest point."
with viz.predict(
    "Which of the 100 gusts changes the last place across most: the first, one between the first and the middle, one in the "
    "middle, one after it, or the last?",
    "One between the first and the middle. Early gusts act longest, but near the ground there is little wind to "
    "be gusty. One backward pass gave all 100 numbers; forward it would take 100.",
    alt="Two curves over the 100 steps. Dashed, the height of the ball: it rises from 1.5 m to nearly 7 m in the middle of the "
    "flight and falls to 2 m. Solid, what a gust at each step does to the last place across: it rises steeply from the start, is "
    "highest at step 25, and falls to nearly 0 at the end.",
):
    with tf.GradientTape() as tape:
        tape.watch(calm)
        path = fly(speeds, calm)
        last_across = path[-1, 0]
    by_gust = tape.gradient(last_across, calm).numpy()
    most = int(np.argmax(by_gust))
    print("the gust of step", most + 1, "of 100")
    print("first, most, last:", by_gust[[0, most, 99]].round(5))
    figure, panel = plt.subplots(figsize=(7, 3))
    panel.plot(1 + np.arange(100), by_gust, "-", label="metres for each m/s of the gust")
    panel.plot(most + 1, by_gust[most], "o")
    panel.set(xlabel="step of the gust", ylabel="change of x at the end", ylim=(0, 0.015))
    height = panel.twinx()
    height.plot(1 + np.arange(100), path[:, 1], "k--", linewidth=1, label="height of the ball")
    height.set(ylabel="height [m]", ylim=(0, 9))
    figure.legend(loc="upper right", bbox_to_anchor=(0.9, 0.9))
    plt.show()

# %% [markdown]
# What do both answers cost? A pass through the throw costs what a pass through the network does: a small multiple.

# %% tags=["given"] slide=""
# Given.
once = work(fly, speeds, calm)
of_path, of_end = lambda v: fly(v, calm), lambda gusts: fly(speeds, gusts)[-1, 0]
print(f"the throw itself: {once:,} numbers")
print(f"with one JVP of the path: {work(one_jvp, of_path, speeds) / once:.1f} times that")
print(f"with one JVP of the last place: {work(one_jvp, of_end, calm) / once:.2f} times that")
print(f"with one VJP of the last place: {work(one_vjp, of_end, calm) / once:.1f} times that")

# %% [markdown]
# So two JVPs give the columns of the path for about 5 throws, and one VJP gives all gusts for 2.4. By a hundred JVPs the gusts
# would cost about 250 throws.

# %% [markdown]
# ## What each has to remember
#
# Work is only half of the price. A tape has to keep values until the walk back; an accumulator forgets
# at once. `tracemalloc` measures the memory that Python really holds. We take a chain of sines of a long
# vector, and express the peak in such vectors (the input, which was there before, is not counted):

# %% tags=["given"]
# Given.
long = tf.zeros(50_000) + 0.5


def peak(run, *inputs):
    """The most memory that `run` holds at a time, in vectors of the length of `long`."""
    tracemalloc.start()
    run(*inputs)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return round(most / long.numpy().nbytes)


# %% [markdown]
# Then the two modes, on a chain of a given length:


# %% tags=["given"]
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


# %% tags=["picture", "given"] alt="Vectors held at most, over the length of the chain. The chain alone is a flat line at 2, forward mode a flat line at 5; reverse mode rises by one for each operation."
# Given: it measures, and draws.
modes = [chain_alone, forward_mode, reverse_mode]
for mode in modes:
    mode(2)  # once before we measure: caches are filled
depths = [8, 16, 32, 64]
kept = {mode: [peak(mode, depth) for depth in depths] for mode in modes}
plt.figure(figsize=(6, 3))
for mode, look in zip(modes, ["k^:", "o-", "s--"], strict=True):
    plt.plot(depths, kept[mode], look, label=mode.__name__.replace("_", " "))
plt.xlabel("operations in the chain")
plt.ylabel("vectors held at most")
plt.ylim(bottom=0)
plt.legend()
plt.show()

# %% tags=["given"] slide=""
# Given.
for mode in kept:
    more = (kept[mode][-1] - kept[mode][0]) / (depths[-1] - depths[0])
    print(
        f"{mode.__name__:12} {kept[mode][0]:3} vectors, {more:.1f} more for each further operation"
    )

# %% [markdown]
# Forward mode needs the same few vectors however long the chain is: a tangent beside each value, and the working space of one
# operation, here the cosine. Reverse mode needs one more for each sine: its rule asks for the input. (Lesson 9 shows how to
# hold fewer.)

# %% [markdown]
# ## Hessians without the matrix
#
# The Hessian $H$ of a function with $n$ inputs has $n^2$ entries: all second derivatives. For a million
# parameters those are $10^{12}$ numbers, 4000 GB in float32. But often one only needs $H v$, for some vector $v$: how
# the *gradient* $g$ changes when $x$ moves along $v$. That is one number per parameter.
#
# The gradient is a function from $n$ to $n$ numbers, and $H$ is its Jacobian. So $H v$ is a JVP of the
# gradient. Two ways to it (*Further* has a third):
#
# - **forward over reverse**: push $v$ through the computation of the gradient;
# - **reverse over reverse**: the gradient of the number $g^\top v$, with two tapes.


# %%
def forward_over_reverse(f, x, v):
    with tf.autodiff.ForwardAccumulator(x, v) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        gradient = tape.gradient(y, x)
    return accumulator.jvp(gradient)


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


# %% [markdown]
# We compare them with the whole matrix, which is built as in lesson 2. The function is a curved valley that
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


# %% slide="Two ways, one answer"
x = tf.constant([-1.0, 1.0, 0.5, 2.0], tf.float64)
v = tf.constant([1.0, 0.0, 2.0, -1.0], tf.float64)
ways = [forward_over_reverse, reverse_over_reverse]
print("H v, with H:".ljust(22), tf.linalg.matvec(whole_hessian(valley, x), v).numpy())
for way in ways:
    print(f"{way.__name__}:".ljust(22), way(valley, x, v).numpy())

# %% [markdown]
# What do the ways cost? We count again, for more and more inputs:

# %% tags=["picture", "given"] alt="The work of the two products with a Hessian is flat, 6 to 7 times the function, two lines that nearly meet. That of the whole Hessian rises in a straight line with the number of inputs, from about 10 to over 100 times. Both scales are logarithmic."
# Given: it counts, and draws.
sizes = [4, 8, 16, 32, 64]
points = [tf.constant(np.linspace(-1.0, 1.0, n)) for n in sizes]
plt.figure(figsize=(6, 3.4))
for marker, way in zip(["o-", "s--"], ways, strict=True):
    ratios = [work(way, valley, point, point) / work(valley, point) for point in points]
    plt.loglog(sizes, ratios, marker, label=way.__name__.replace("_", " "))
    print(f"{way.__name__:20} with 64 inputs: {ratios[-1]:4.1f} times the function")
ratios = [work(whole_hessian, valley, point) / work(valley, point) for point in points]
print(f"{'the whole Hessian':20} with 64 inputs: {ratios[-1]:.0f} times the function")
plt.loglog(sizes, ratios, "k^-", label="the whole Hessian")
plt.xlabel("inputs")
plt.xticks(sizes, map(str, sizes))
plt.minorticks_off()
plt.ylabel("times the function's work")
plt.yticks([1, 10, 100], ["1", "10", "100"])
plt.ylim(1, 200)
plt.legend()
plt.show()

# %% [markdown]
# A product with the Hessian costs a fixed multiple of the function, here 6 to 7 (the two lower curves nearly meet); the matrix
# costs more with every input. *Forward over reverse* is the usual choice. The work is about the same, but its tape records the
# function alone, and the accumulator around it keeps a tangent beside each value, and the working space of one operation.
# (*Further: what the three ways hold* measures it.)
# What is $H v$ good for? To find the largest curvature, and so the border of the rates (lesson 2), or to take Newton's
# step without the matrix (see *Further*).

# %% [markdown] slide="## Exercises\n\nA slope along v; which way?; a product with a Hessian; the last gust"
# ## Exercises
#
# Replace each `...` by your code, run the cell, and run the check under it. A check says
# "Right:" and why, or what is probably wrong.

# %% [markdown]
# **Exercise 1.** How steep is a hill if one walks in one direction only? Write `slope_along(f, x, v)`: the
# derivative of a function with one output along `v`, in **one forward pass** (no tape).


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
    for at, along in [
        ((1.0, 2.0), (3.0, -1.0)),
        drawn.uniform(1.0, 2.0, size=(2, 2)).astype("float32"),
    ]:
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
        assert np.shape(found) == (), "One number is asked for: is that a gradient? Push v forward."
        expected = 2 * at[0] * at[1] * along[0] + at[0] ** 2 * along[1]
        right.append(abs(float(found) - expected) < 1e-4)
    said = "At (1, 2) along (3, -1) it is 2 x y * 3 + x**2 * (-1) = 11: is v the tangent of x?"
    if abs(float(found) - at[0] ** 2 * at[1]) < 1e-4:
        said = "That is the value of f: ask the accumulator for its jvp."
    score.part(1, all(right), said)
    said = (
        "The right number, but no tape here: a ForwardAccumulator does it while the function runs."
    )
    score.part(1, all(right) and not tapes.called, said if all(right) else score.hints[0])
    score.total("the tangent goes along while the function runs, and nothing has to be kept.")
score.earned

# %% [markdown]
# **Exercise 2.** Which way takes fewer passes? Write `fewer_passes(n_in, n_out)`, which says `"forward"` or
# `"reverse"` for a Jacobian with that many inputs and outputs (for equal numbers `"forward"`), and
# `passes(n_in, n_out)`, which says how many passes that way takes. And which way takes less *work*? Write
# `less_work(n_in, n_out)`, which says one of the two words, if each JVP costs 3 times the function, and each VJP 1 time,
# besides the 1 of the function under the tape (for equal work either word).


# %% nbgrader={"grade": false, "grade_id": "which-way", "locked": false, "schema_version": 3, "solution": true, "task": false}
def fewer_passes(n_in, n_out):
    """Says which way takes fewer passes, "forward" or "reverse"."""
    ### BEGIN SOLUTION
    return "forward" if n_in <= n_out else "reverse"
    ### END SOLUTION


def passes(n_in, n_out):
    """How many JVPs or VJPs that way takes."""
    ### BEGIN SOLUTION
    return min(n_in, n_out)
    ### END SOLUTION


def less_work(n_in, n_out):
    """Says which way takes less work, "forward" or "reverse"."""
    ### BEGIN SOLUTION
    return "forward" if 3 * n_in < n_out + 1 else "reverse"
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "which-way-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
with viz.Score(3) as score:
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
    rows, columns = passes(1_000_000, 1) == 1, passes(2, 7) == 2
    said = "One output: one VJP. How many rows does J have?"
    said = "passes returns nothing yet." if passes(1_000_000, 1) is None else said
    score.part(0.5, rows, said)
    said = "Two inputs: J has two columns, and each JVP gives one."
    if rows and columns:
        said = "Right for one row and for two columns only: 300 inputs and 40 outputs take 40 VJPs."
    score.part(0.5, columns and passes(300, 40) == passes(40, 300) == 40, said)
    cases = [
        (20, 30),
        (30, 20),
        (1, 5),
        (10, 40),
        (40, 10),
        (11, 30),
        (1, 1),
        (10, 30),
        (1, 3),
        (10, 35),
    ]
    work_said = [less_work(*case) for case in cases]
    less = ["forward" if 3 * n_in < n_out + 1 else "reverse" for n_in, n_out in cases]
    of_passes = ["forward" if n_in <= n_out else "reverse" for n_in, n_out in cases]
    of_the_other = ["forward" if n_in < 3 * n_out else "reverse" for n_in, n_out in cases]
    hints = [
        ([None] * len(cases), "less_work returns nothing yet."),
        (
            ["forward" if 3 * n_in < n_out else "reverse" for n_in, n_out in cases],
            "less_work: the 1 of the function under the tape belongs to the reverse side, and to it alone.",
        ),
        (
            ["forward" if 4 * n_in < n_out + 1 else "reverse" for n_in, n_out in cases],
            "less_work: the 3 of a JVP holds the function already.",
        ),
        (
            of_passes,
            "less_work counts passes: 20 JVPs cost 60 times the function, 30 VJPs and the tape 31.",
        ),
        (of_the_other, "less_work: the 3 belongs to the JVPs, one for each input."),
    ]
    said = "less_work: compare 3 for each input with 1 for each output, and 1 for the function."
    other = [word for word in work_said if word not in ("forward", "reverse")]
    if other:
        said = f"less_work: the two words are 'forward' and 'reverse', in small letters; not {other[0]!r}."
    said = next((hint for wrong, hint in hints if work_said == wrong), said)
    score.part(1, work_said == less, said)
    score.total("columns are inputs, rows are outputs; a column costs 3 here, and a row 1.")
score.earned

# %% [markdown]
# **Exercise 3.** A product with a Hessian, without the Hessian, for a model: there the parameters are
# variables of any shape, and the loss is a function without arguments that reads them. Write
# `hessian_product(f, x, v)` for such a function, a `tf.Variable` `x` and a tensor `v` of the same shape.


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
    score.part(1, True, "")
    score.part(2, np.allclose(found, right), said)
    score.total("the tangent of the gradient is H v, and the matrix was never there.")
score.earned

# %% [markdown]
# **Exercise 4.** A forward pass with a pencil. Before the last step of the throw the ball has the speeds `vx`, `vy` and the
# height `y`. Write `last_gust(vx, vy, y)`: the derivative of the ball's last $x$ by the gust of this last step, where
# the gust is 0. Begin with the tangent 1 of the gust, and push it through the lines of the last step: what are the tangents of
# `air`, `drag`, `vx` and `x`? (The last step makes $v_x - dt \cdot drag \cdot air$ first, and then $x + dt \cdot v_x$ of it.
# `dt` is 0.02, and the 0.02 of the drag is another number. Numbers in, a number out, without tape and accumulator. Use NumPy
# or `math`: `tf.tanh` of a Python number is `float32`, and a difference of two runs has too few digits, too.)


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

    misses, windless, against, one_path, no_height = [], [], [], [], []
    one_air, later, later_too = [], [], []
    taped = AssertionError(
        "By hand this time, without a tape or tangents: write the two paths down."
    )
    by_hand = mock.patch.object(tf, "GradientTape", side_effect=taped)
    by_pencil = mock.patch.object(tf.autodiff, "ForwardAccumulator", side_effect=taped)
    for vx, vy, y in [(10.3, -7.9, 2.1), (15.0, 3.0, 6.0), (4.0, -12.0, 1.0)]:
        with by_hand, by_pencil:
            found = last_gust(vx, vy, y)
        assert found is not None, "last_gust should return a number."
        assert np.size(found) == 1, f"One number is asked for, not {np.size(found)}."
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
        one_air.append((length + air / length) / (length + air**2 / length))
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
    said = "It depends on vx, vy and y: d air / d gust is -tanh(y / 5), and drag * air is 0.02 sqrt(air**2 + vy**2) air."
    half, other_sign = False, (misses < 0).all()
    generic, misses = said, np.abs(misses) if other_sign else misses
    if np.allclose(misses, 1 / 0.02, rtol=1e-3):
        said = (
            "A factor of 0.02 is missing. There are three: in the drag, and dt twice, for the gust changes the speed by dt, "
            "and the speed the place by dt."
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
        said, half = "The wind is missing in air: with no gust air is vx + 6 tanh(y / 5).", True
    elif np.allclose(misses, against, rtol=1e-3):
        said, half = "The sign of the wind in air: with no gust air is vx + 6 tanh(y / 5).", True
    elif np.allclose(misses, one_air, rtol=1e-3):
        said, half = (
            "The root's slope is air / root, and it stands before another air: air**2 / root.",
            True,
        )
    elif any(np.allclose(misses, ratios, rtol=1e-4) for ratios in (later, later_too)):
        said, half = "The height in tanh is the one before the last step: y as it is given.", True
    elif np.allclose(misses, no_height, rtol=1e-3):
        said = "The factor tanh(y / 5) is missing: d air / d gust is -tanh(y / 5)."
    elif any(np.allclose(misses, path, rtol=1e-3) for path in paths):
        said, half = (
            "Air stands twice in 0.02 sqrt(air**2 + vy**2) air: in the root too. Add both paths.",
            True,
        )
    if other_sign and said != generic and not said.startswith("The sign:"):
        said, half = said + " And the sign: air falls when the gust grows.", False
    exact = 1e-13  # differences of two runs reach ten digits or so
    right = np.allclose(misses, 1.0, rtol=exact, atol=0.0) and not other_sign
    score.part(1, right or half, said)
    score.part(1, right, said)
    score.total("two paths through air, and dt twice: once for the speed, once for the place.")
score.earned

# %% [markdown] slide="**To think about.** 50 inputs and 50 outputs: can one pass give *two* columns of the Jacobian? When is it so full of zeros that it can?"
# **To think about.** 50 inputs and 50 outputs: can one pass give *two* columns of the Jacobian? When is it so full
# of zeros that it can?
#
# <details><summary>An answer</summary>
# Yes, if the two columns have no row in common: push their sum forward, and each row belongs to one of them. Where only
# the diagonal and its two neighbours are not zero, three passes give all columns.
# </details>

# %% [markdown]
# ## What to remember
#
# - A JVP pushes a tangent forward: $J v$, one column for one pass. A VJP pulls a cotangent back:
#   $u^\top J$, one row for one pass.
# - Each costs a small multiple of the function. For a whole Jacobian compare columns with rows, and what
#   each of them costs.
# - Reverse mode pays in memory, which grows with the number of operations; forward mode
#   keeps a tangent beside each value that the program itself keeps, and the working space of one operation.
# - $H v$ costs like a few gradients, whatever $n$ is; $H$ takes one more backward pass for each of the $n$ inputs. Forward over reverse is the usual way.
# - The two questions of the beginning: the path by two speeds, 2 forward passes; the last place across by 100 gusts, 1 backward pass.
#
# **Read on.** Griewank, Walther, *Evaluating Derivatives* (second edition, 2008). Pearlmutter, *Fast Exact
# Multiplication by the Hessian* (1994). Shewchuk, *An Introduction to the Conjugate Gradient Method Without the
# Agonizing Pain* (1994).
#
# Next: programs that are written down before they run, and how they are differentiated.

# %% [markdown]
# ## Further: what the three ways hold
#
# The third way to $H v$ is **reverse over forward**: the gradient of the number $J v$, which is $g^\top v$, too. The three
# do about the same work, but they do not hold the same memory. We measure it on a chain of 32 sines:


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
# And all three give the same product, those of above and the third:

# %%
for way in ways:
    print(f"{way.__name__}:".ljust(22), way(valley, x, v).numpy())

# %% [markdown]
# ## Further: Newton's step without the matrix
#
# Newton's method solves $H s = g$ and goes to $x - s$. (Lesson 2 wrote the minus into $s$.) The method of **conjugate gradients**
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
# negative one. (There Newton's step happens to go down all the same. In lesson 2 it goes up.) And what
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
# ## Further: what the outer tape heard
#
# How can a tape differentiate a gradient? Look at what the outer tape recorded for
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
# minitape has few rules for JVPs: some operations that pick or join numbers have one, such as `stack`. It makes the others
# of the rules that it has. Where output $i$ depends on input $i$ alone, as with the sine, a VJP is a JVP already. For all else: a
# VJP, $u^\top J$, is linear in $u$. So the number $u^\top J v$ is, too, and its gradient with respect to $u$ is $J v$. Pull any
# $u$ back, with a tape that listens, and then pull $v$ back through what this tape has recorded:

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
# of the VJP. TensorFlow's accumulator is built in the same way, but drops the second one, which nobody uses.
