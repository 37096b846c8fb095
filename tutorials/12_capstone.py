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

# %% [markdown] slide="The tape that you wrote in lesson 3 will read handwriting.\n\n**And if one of its lines were wrong: would you notice?**" notes="1 minute. Take a vote: an error message, bad results, or nothing at all? The answer comes in *Break it*. Students who still have their own tape use it instead of the one in the notebook."
# # 12. Capstone: train it on your own tape
#
# The tape that you wrote in lesson 3 will read handwriting. In this lesson your tape learns, before your eyes. Then you break it, in two places. **If one of
# its lines were wrong, would you notice?** After that the project is yours: add operations, check them, and let your own tape read.
#
# You need lessons 3 and 5. The lesson takes half an hour. The other 20 minutes are for
# the start of the project, which takes a week. If you type along: a cell that begins with *Given* is only run.
#
# Afterwards you can
#
# - train a network on a tape that you understand to the last line,
# - add an operation and check its rules, second derivatives included,
# - write tests that fail for a broken tape,
# - say what an engine adds to your tape.

# %% tags=["setup"]
from collections.abc import Callable
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np

import minitape as tf
from minitape import viz
from minitape.viz.course.motion import bending

viz.figures()

# %% slide="How many lines from x · x + 3x to handwriting? | About 100, and NumPy" notes="2 minutes. Write the smallest and the largest guess on the board."
viz.predict(
    "How many lines of Python lie between x · x + 3x and a program that reads handwriting: 100, 1,000 or 10,000?",
    "About 100. The tape of lesson 3 has 71, without comments and docstrings. Then come three operations of a line each, a loss "
    "of 5 lines, and 23 lines for the layers, their start and the training. Under it there is only NumPy.",
)

# %% [markdown] slide=""
# This is what your tape will read in the end. Each digit was written by hand, and is stored as 8 × 8 numbers.

# %% tags=["picture"] slide="What your tape will read" alt="Twenty digits of 8 by 8 grey squares, in two rows of ten, each with the digit that it stands for above it. Some are clear, some would be hard to read for a human, too."
with np.load("data/digits.npz", allow_pickle=False) as data:
    figure, panels = plt.subplots(2, 10, figsize=(8, 2.2))
    for panel, image, label in zip(panels.flat, data["images"], data["labels"], strict=False):
        panel.imshow(image, cmap="Greys")
        panel.set_title(label, fontsize=13)
        panel.axis("off")
plt.tight_layout()
plt.show()

# %% [markdown] slide="## The tape of lesson 3, unchanged\n\n- A `Value` is an array; an `Op` has a rule for each input.\n- `apply` runs an op and reports it to the tapes, which keep a record.\n- `backward` goes through the records once, from the last to the first, and **adds** what arrives."
# ## The tape
#
# Here it is again, as it stood at the end of lesson 3. Nothing is added, and the operations of the throw are left out. If you have your own with the
# same names, and `relu` from its *Further*, use it instead.


# %% tags=["needed", "setup", "given"]
# Given: the tape of lesson 3.
class Value:
    """An array that tapes can follow."""

    __array_ufunc__ = None  # array * Value: NumPy leaves it to us

    def __init__(self, array):
        self.array = np.asarray(array, np.float64)

    def __add__(self, other):
        return apply(add, self, other)

    def __mul__(self, other):
        return apply(multiply, self, other)

    def __matmul__(self, other):
        return apply(matmul, self, other)

    __radd__, __rmul__ = __add__, __mul__  # for 3.0 * x, where the Value stands right

    @property
    def T(self):
        return apply(transpose, self)

    def __repr__(self):
        return f"Value({self.array.round(4).tolist()})"


class Op(NamedTuple):
    """An operation: a name, a function of arrays, and a rule for each input."""

    name: str
    forward: Callable
    rules: tuple


add = Op("add", np.add, (lambda g, x, y: g, lambda g, x, y: g))
multiply = Op("multiply", np.multiply, (lambda g, x, y: g * y, lambda g, x, y: g * x))
matmul = Op("matmul", np.matmul, (lambda g, x, y: g @ y.T, lambda g, x, y: x.T @ g))
transpose = Op("transpose", np.transpose, (lambda g, x: g.T,))
relu = Op("relu", lambda x: np.maximum(x, 0.0), (lambda g, x: g * Value(x.array > 0.0),))


class Record(NamedTuple):
    """One line of a tape."""

    op: Op
    inputs: tuple
    output: Value


listening = []  # the tapes that record now


def apply(op, *inputs):
    """Runs an operation and tells the tapes."""
    inputs = tuple(x if isinstance(x, Value) else Value(x) for x in inputs)
    output = Value(op.forward(*[x.array for x in inputs]))
    for tape in listening:
        tape.record(Record(op, inputs, output))
    return output


class Tape:
    """Records what happens to the values that it follows."""

    def __init__(self):
        self.records, self.followed = [], set()

    def __enter__(self):  # called where a `with` block begins
        listening.append(self)
        return self

    def __exit__(self, *error):  # called where it ends
        listening.remove(self)

    def watch(self, value):
        self.followed.add(value)

    def record(self, record):
        if self.followed.intersection(record.inputs):
            self.records.append(record)
            self.followed.add(record.output)

    def gradient(self, target, source, seed=1.0):
        cotangents = {target: Value(seed * np.ones_like(target.array))}
        backward(self.records, cotangents)
        return cotangents.get(source)


def summed_to(x, shape):
    """The sum of x over what broadcasting repeated, so that it has `shape`."""

    def forward(array):
        array = array.sum(axis=tuple(range(array.ndim - len(shape))))  # new axes in front
        stretched = tuple(i for i, size in enumerate(shape) if size == 1)
        return array.sum(axis=stretched, keepdims=True)  # axes of size 1

    ones = Value(np.ones_like(x.array))
    return apply(Op("sum", forward, (lambda g, x: g * ones,)), x)


def backward(records, cotangents):
    """The chain rule, once through the records from the last to the first."""
    for op, inputs, output in reversed(records):
        g = cotangents.get(output)
        if g is None:
            continue
        for x, rule in zip(inputs, op.rules, strict=True):
            share = rule(g, *inputs)
            if share.array.shape != x.array.shape:
                share = summed_to(share, x.array.shape)
            cotangents[x] = cotangents[x] + share if x in cotangents else share


# %% [markdown] slide="## Two moons\n\nPoints of two kinds, each on a half circle.\n\n**How many of 100 can a straight line get right?**"
# ## Two moons
#
# We begin with two numbers for each example, not with 64 pixels, because a plane can be drawn. The points are of two kinds, on two half circles, the moons. **How many of 100 can a straight line get right?**


# %% tags=["setup", "given"]
# Given: the points, where the weights begin, and a drawing.
def moons(count, seed, noise=0.15):
    """Points on two half circles, and their kinds, +1 and -1."""
    draw = np.random.default_rng(seed)
    turn, upper = draw.uniform(0, np.pi, count), draw.integers(0, 2, count)
    arc = np.stack([np.cos(turn), np.sin(turn)], 1)
    points = np.where(upper[:, None], arc, [1.0, 0.5] - arc)
    return points + noise * draw.normal(size=(count, 2)), 2.0 * upper[:, None] - 1.0


def started(sizes, seed=0):
    """Kernels and biases for layers of these sizes."""
    draw = np.random.default_rng(seed)
    return [
        (Value(draw.normal(size=(a, b)) * (2 / a) ** 0.5), Value(np.zeros(b)))
        for a, b in zip(sizes, sizes[1:], strict=False)
    ]


points, kinds = moons(400, seed=1)
new_points, new_kinds = moons(200, seed=2)
ACROSS, UP = np.meshgrid(np.linspace(-1.7, 2.7, 120), np.linspace(-1.2, 1.7, 80))
PLANE = np.stack([ACROSS.ravel(), UP.ravel()], 1)


def drawn(panel, scores, title):
    """Points of the training, and the line where the score is 0."""
    scores = scores.reshape(ACROSS.shape)
    panel.contourf(ACROSS, UP, scores, [-1e9, 0, 1e9], colors=["#dbe9f6", "#fde6d2"])
    for kind, look, ink in [(1, "o", "#c75a0a"), (-1, "+", "#0a7cc0")]:
        here = points[kinds[:, 0] == kind][:80]
        panel.plot(*here.T, look, markersize=3 if look == "o" else 6, color=ink)
    panel.contour(ACROSS, UP, scores, [0], colors="black", linewidths=2, zorder=3)
    panel.set_title(title, fontsize=13)
    panel.set_xticks([])
    panel.set_yticks([])


# %% tags=["picture", "given"] minutes=1 slide="A straight line gets 87 of 100" alt="Dots on a half circle above, and crosses on one below, which reach into each other. A straight line leaves the end of each moon on the wrong side."
# Given: the least-squares line.
flat, *_ = np.linalg.lstsq(np.c_[points, np.ones(400)], kinds, rcond=None)
sides = (new_points @ flat[:2] + flat[2] > 0) == (new_kinds > 0)
plt.figure(figsize=(4.4, 2.9))
drawn(plt.gca(), PLANE @ flat[:2] + flat[2], f"a straight line: {100 * np.mean(sides):.0f} % right")
plt.show()

# %% [markdown] slide="## The hinge loss\n\nTargets $t = \\pm 1$, and the loss\n\n$$\\text{relu}(1 - t \\cdot \\text{score})$$\n\nis zero if the score is on the right side by at least 1."
# The pictures show 80 points of each kind that we *learn* from; percentages count 200 *new* ones. A network can bend the line. Ours has 2 inputs, two layers of 16 relu units, and one
# score: positive for one moon, negative for the other. Network and loss come from the demo of Karpathy's *micrograd*. With targets $t = \pm 1$ the loss of a score is
#
# $$\text{relu}(1 - t \cdot \text{score})$$
#
# It is zero if the score is on the right side by at least 1. This *hinge loss* needs only operations that the tape already has.
# A `Value` has no minus and no division, so we write `1.0 + -1.0 * a` for $1 - a$.


# %% slide="The network and its loss: nine lines | One step of training"
def network(parts, x):
    """Layers with relu between them."""
    for w, b in parts[:-1]:
        x = apply(relu, x @ w + b)
    w, b = parts[-1]
    return x @ w + b


def hinge(scores, t):
    """The mean of relu(1 - t score)."""
    return (1 / len(t)) * summed_to(apply(relu, 1.0 + -1.0 * scores * Value(t)), ())


def step(parts, x, t, rate=0.3, walk=backward):
    """One step downhill; returns the tape, for us to look at."""
    values = [value for pair in parts for value in pair]
    with Tape() as tape:
        for value in values:
            tape.watch(value)
        loss = hinge(network(parts, Value(x)), t)
    cotangents = {loss: Value(1.0)}
    walk(tape.records, cotangents)
    for value in values:
        value.array = value.array - rate * cotangents[value].array
    return tape


# %% [markdown] slide="## The same Value, a new array\n\n`value.array = ...` puts a new array into the *same* `Value`.\n\nA new `Value` there would change nothing: `parts` still holds the old ones."
# Note what `step` does at the end: it puts a new array into the *same* `Value`. If you create new `Value`s there, the network never
# learns: `parts` still holds the old ones, and each step begins at the start again. For the same reason, do not ask
# a tape for a gradient after its step: its rules would compute with the new numbers.


# %% slide="Train it, and count the points on the right side"
def right(parts):
    """The fraction of new points that are on the right side."""
    return np.mean((network(parts, Value(new_points)).array > 0) == (new_kinds > 0))


def learnt(steps, walk=backward, parts=None, draw=None):
    """A network after so many steps of 64 points each."""
    parts = started((2, 16, 16, 1)) if parts is None else parts
    draw = np.random.default_rng(3) if draw is None else draw
    for _ in range(steps):
        chosen = draw.integers(0, 400, 64)
        tape = step(parts, points[chosen], kinds[chosen], walk=walk)
    return parts, tape


# %% [markdown] slide=""
# What does the tape hold after one step? A star marks an input that was broadcast, so its gradient has to be summed in
# the backward pass.

# %% tags=["given"] slide=""
# Given.
parts, tape = learnt(1)
for op, inputs, output in tape.records:
    shapes = [x.array.shape for x in inputs]
    spread = op in (add, multiply) and any(shape != output.array.shape for shape in shapes)
    print(f"{op.name:9}", *shapes, "->", output.array.shape, "*" * spread)
print(len(tape.records), "records")

# %% [markdown] slide=""
# Now the training.

# %% tags=["picture"] slide="How many are right after 50 steps? | 92 of 100: one bend is there | The boundary bends twice"
with viz.predict(
    "At the start half of the points are on the right side. How many of 100 are after 50 steps: about 60, 87 as with a straight line, or more than 90?",
    "92. After 20 steps it is 89, hardly more than a straight line has, though one bend is there. The "
    "other takes the next 180 steps: 98 after 200. From then on it sways, mostly between 95 and 99: 200 new points are few, and noise puts some on the wrong moon.",
    alt="Six pictures of the boundary, after 0, 20, 50, 100, 200 and 1000 steps: first rays that have "
    "nothing to do with the moons, after 20 steps a line round the left end of the crosses, and from 200 steps on one that goes "
    "round the right end of the dots, too.",
):
    figure, panels = plt.subplots(2, 3, figsize=(9, 4.6))
    parts, draw, done = started((2, 16, 16, 1)), np.random.default_rng(3), 0
    for panel, steps in zip(panels.flat, (0, 20, 50, 100, 200, 1000), strict=True):
        if steps:
            learnt(steps - done, parts=parts, draw=draw)
        done = steps
        scores = network(parts, Value(PLANE)).array
        drawn(panel, scores, f"{steps} steps, {100 * right(parts):.0f} % right")
    plt.tight_layout()
    plt.show()
    print(f"after 1000 steps {100 * right(parts):.0f} % of new points are right")

# %% [markdown] slide=""
# And here is the training as a film: the line where the score is 0 is drawn again after every 20 steps.

# %% tags=["picture"] slide="It bends while it learns"
frames, (parts, draw) = [], (started((2, 16, 16, 1)), np.random.default_rng(3))
for steps in range(20, 401, 20):
    learnt(20, parts=parts, draw=draw)
    scores = network(parts, Value(PLANE)).array.reshape(ACROSS.shape)
    lines = plt.figure().gca().contour(ACROSS, UP, scores, [0]).allsegs[0]
    plt.close()
    frames.append(
        (f"{steps} steps, {100 * right(parts):.0f} % right", [line[::3] for line in lines])
    )
bending(
    frames,
    [points[kinds[:, 0] == kind][:80] for kind in (-1, 1)],
    "Crosses and dots on two half circles that reach into each other. The black line between them is nearly straight after 20 steps, "
    "with one bend round the end of the crosses. It bends round the end of the dots as well in the steps up to 200, and then hardly moves.",
)

# %% [markdown] slide="## Your tape or an engine?\n\nThe same start, the same points, the same steps: once on 70 lines, once on minitape."
# ## Your tape or an engine?
#
# We train from the same start, with the same points and the same steps, once on these 70 lines and once on minitape.

# %% tags=["given"] slide="The same training on the engine"
# Given.
variables = [tf.Variable(value.array) for pair in started((2, 16, 16, 1)) for value in pair]
draw = np.random.default_rng(3)
for _ in range(200):
    chosen = draw.integers(0, 400, 64)
    with tf.GradientTape() as tape:
        x = tf.constant(points[chosen])
        for w, b in zip(variables[0:4:2], variables[1:4:2], strict=True):
            x = tf.nn.relu(x @ w + b)
        scores = x @ variables[4] + variables[5]
        loss = tf.reduce_mean(tf.nn.relu(1.0 - kinds[chosen] * scores))
    for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
        variable.assign_sub(0.3 * gradient)

# %% slide="In how many of 16 digits do the weights agree? | In about 14"
with viz.predict(
    "After 200 steps: in how many of 16 digits do the weights of the two agree, about 3, 7 or 14?",
    "In about 14: only the last digits are rounded differently.",
):
    ours, _ = learnt(200)
    mine = [value.array for pair in ours for value in pair]
    pairs = zip(mine, variables, strict=True)
    largest = max(np.max(np.abs(a / b.numpy() - 1)) for a, b in pairs)
    print(f"the largest relative difference is {largest:.0e}")

# %% [markdown]
# And here is one step on the engine, with one point and two units. Five of its boxes are operations, so they have records, as
# yours do. The other four are its inputs. The player opens where the backward pass begins. Say before each step which rule will run.

# %% slide="One step of training, as a program | Which rule runs next?"
w = tf.Variable([[1.0, -0.5], [0.5, 1.0]], name="w")
u = tf.Variable([[1.0], [0.5]], name="u")
with viz.recording(), tf.GradientTape() as tape:
    says = tf.nn.relu(tf.constant([[1.0, 0.2]]) @ w) @ u
    loss = tf.nn.relu(1.0 + says)  # the point is of the kind -1

viz.step(tape, loss, [w, u], title="One point, two units", at="loss")

# %% [markdown] slide="## What your tape will do\n\nThe same engine, the digits, layers 64-64-32-10, 1000 steps of 32 images.\n\nYour tape will do it in the project."
# ## What it will read
#
# This is where the project leads. Here the engine reads the digits, with layers 64-64-32-10 in 1000 steps of 32
# images. The learning rate is 0.3, and 0.03 in the last 200 steps, so that the weights settle. Your tape will read
# the same digits, once it has the operations and the loss that you will write.

# %% tags=["given"] slide="A reader of digits, on the engine"
# Given.
with np.load("data/digits.npz", allow_pickle=False) as data:
    order = np.random.default_rng(1).permutation(1797)
    digits = data["images"][order].reshape(-1, 64) / 16.0
    truth = data["labels"][order].astype(int)
kernels = [tf.Variable(value.array) for pair in started((64, 64, 32, 10)) for value in pair]


def scores_of(x):
    """Ten scores for each image."""
    for w, b in zip(kernels[0:4:2], kernels[1:4:2], strict=True):
        x = tf.nn.relu(x @ w + b)
    return x @ kernels[4] + kernels[5]


draw, cross_entropies = np.random.default_rng(0), tf.nn.sparse_softmax_cross_entropy_with_logits
for number in range(1000):
    chosen = draw.integers(0, 1297, 32)
    with tf.GradientTape() as tape:
        scores = scores_of(tf.constant(digits[chosen]))
        loss = tf.reduce_mean(cross_entropies(labels=truth[chosen], logits=scores))
    for kernel, gradient in zip(kernels, tape.gradient(loss, kernels), strict=True):
        kernel.assign_sub((0.3 if number < 800 else 0.03) * gradient)

# %% tags=["picture", "varies"] slide="How many of 500 does it misread? | 11 of 500 | Could you read them?" notes="The number depends on the start. With a rate of 0.3 to the end it is 20 for this start, and more than half of those are read as a 9. For five others (start and draws with the seeds 1 to 5) it is 11 to 14, against 10 to 14 with the smaller rate at the end: the gain at this start was mostly luck."
with viz.predict(
    "It gets 500 digits that it never saw. How many of them does it misread: about 10, 50 or 100?",
    "11, so 98 of 100 are right. Some are hard for you, too: 8 × 8 pixels are not many. Another start gives 10 to 14. The same 13 people wrote the digits of the "
    "training, so those of a stranger could be harder.",
    alt="The first ten digits that were misread, as grey squares, each with its true digit and what was read above it, "
    "such as 4 as 9. Several are crooked, thick or unfinished.",
):
    guesses = scores_of(tf.constant(digits[1297:])).numpy().argmax(1)
    wrong = np.flatnonzero(guesses != truth[1297:])
    share = np.mean(guesses == truth[1297:])
    print(f"{len(wrong)} of 500 are read wrongly, {share:.0%} are right")
    figure, panels = plt.subplots(2, 5, figsize=(8, 3.6))
    for panel in panels.flat:
        panel.axis("off")
    for panel, at in zip(panels.flat, wrong, strict=False):
        panel.imshow(digits[1297 + at].reshape(8, 8), cmap="Greys")
        panel.set_title(f"{truth[1297 + at]} as {guesses[at]}", fontsize=13)
    plt.tight_layout()
    plt.show()

# %% [markdown] slide="## Break it\n\nTwo backward passes with one mistake each: one *replaces* what has arrived, one takes a *mean* where a broadcast is undone by a sum." notes="6 minutes: the two are shown, and nobody types them. The good moment of the lesson: the broken tape learns."
# ## Break it
#
# Here are two backward passes with one mistake each. The first *replaces* what has arrived instead of adding to it. The second takes the mean
# where a broadcast is undone by a sum.


# %% tags=["given"] slide="Mistake 1: what arrives replaces what is there"
# Given.
def replacing(records, cotangents):
    """The backward pass of the first attempt: contributions are replaced."""
    for op, inputs, output in reversed(records):
        if output in cotangents:
            for x, rule in zip(inputs, op.rules, strict=True):
                share = rule(cotangents[output], *inputs)
                if share.array.shape != x.array.shape:
                    share = summed_to(share, x.array.shape)
                cotangents[x] = share  # the mistake


# %% tags=["given"] slide="Mistake 2: a mean for a sum"
# Given.
def averaging(records, cotangents):
    """A broadcast is undone by a mean."""
    for op, inputs, output in reversed(records):
        if output in cotangents:
            for x, rule in zip(inputs, op.rules, strict=True):
                share = rule(cotangents[output], *inputs)
                if share.array.shape != x.array.shape:
                    part = x.array.size / share.array.size  # the mistake
                    share = summed_to(part * share, x.array.shape)
                cotangents[x] = cotangents[x] + share if x in cotangents else share


# %% tags=["picture"] slide="Which of the two learns the moons? | One exactly as before, one later | Three boundaries: whose tape is broken?"
with viz.predict(
    "Which of the two still learns the moons in 200 steps: the first, the second, both or neither? And in 2000?",
    "The first learns exactly as the right one does: in this network no Value is used twice, so replacing loses "
    "nothing. A residual connection (lesson 18) would have found it in one step. The second, after 200 steps, is no better than a straight line: the gradients of its biases are 64 times too "
    "small, and so far it has learnt as if it had no biases. After 2000 steps the accuracy shows no difference! Good results "
    "prove little: test the tape.",
    alt="Three pictures of the boundary. Where contributions are replaced the line goes round both moons after 200 steps; where a "
    "mean is taken it is blunter and leaves out the ends of the moons, and after 2000 steps it goes round both, too.",
):
    figure, panels = plt.subplots(1, 3, figsize=(10, 2.6))
    runs = [(replacing, 200), (averaging, 200), (averaging, 2000)]
    for panel, (walk, steps) in zip(panels, runs, strict=True):
        broken, _ = learnt(steps, walk=walk)
        said = f"{walk.__name__}, {steps} steps: {100 * right(broken):.0f} % right"
        drawn(panel, network(broken, Value(PLANE)).array, said)
        print(said)
    plt.tight_layout()
    plt.show()

# %% [markdown]
# And the curves? The loss on all 400 points, every 50 steps:

# %% tags=["picture"] minutes=1 slide="The losses after 200 and 2000 steps | Three losses that fall: two of the tapes are broken" alt="The loss on a logarithmic axis over 2000 steps for three backward passes. That of the right one, thick and pale, and that of the replacing one, thin and dashed upon it, are the same and fall fast. That of the averaging one stays between 0.2 and 0.3 for the first 600 steps, then falls as well, swaying, and ends near the others."
plt.figure(figsize=(7, 3))
for walk, look, width, ink in [
    (backward, "-", 6, "#b9d3e6"),
    (replacing, "--", 1.5, "black"),
    (averaging, "-", 2, "#c75a0a"),
]:
    parts, draw, falls = started((2, 16, 16, 1)), np.random.default_rng(3), []
    for _ in range(40):
        learnt(50, walk=walk, parts=parts, draw=draw)
        falls.append(float(hinge(network(parts, Value(points)), kinds).array))
    name = "right" if walk is backward else walk.__name__
    plt.semilogy(50 * np.arange(1, 41), falls, look, linewidth=width, color=ink)
    print(f"{name:9} after 200 steps {falls[3]:.3f}, after 2000 steps {falls[-1]:.3f}")
plt.text(260, 0.062, "right, and replacing:\nthe same curve")
plt.text(800, 0.22, "averaging", color="#c75a0a")
plt.xlabel("steps")
plt.ylabel("loss")
plt.ylim(0.008, 1.0)
plt.show()

# %% [markdown]
# Without the right curve beside it, the third one looks like a slow learner. The peaks come from long steps.

# %% tags=["picture"] slide="Which test would have found the two? | A value used twice; a broadcast | Each mistake shows in one program, and in the other it hides"
with viz.predict(
    "Which test would have found the two? Think of a program for each, as small as possible.",
    "For the first, a value that is used twice, such as x in x · x + 3x at 2. For the second, a broadcast, such as a bias that is added to four rows. Each program finds "
    "one mistake and lets the other pass. And in both the right number, 7 or 4, comes from your pencil, not from the tape. That is the third milestone.",
    alt="Two bar charts of a gradient by three backward passes. Left, x in x · x + 3x at 2: right 7, replacing 2, averaging 7. Right, a bias that is added to four rows: right 4, "
    "replacing 4, averaging 1. The bars that are wrong are orange.",
):

    def gradient_by(walk, program, start):
        """The gradient of the sum of a small program, by one of the backward passes."""
        with Tape() as tape:
            tape.watch(start)
            total = summed_to(program(start), ())
        cotangents = {total: Value(1.0)}
        walk(tape.records, cotangents)
        return float(cotangents[start].array)

    programs = {
        "x in x · x + 3x, at 2": (lambda x: x * x + 3.0 * x, 2.0),
        "a bias, added to four rows": (lambda b: Value(np.ones((4, 1))) + b, 0.0),
    }
    walks = [backward, replacing, averaging]
    _, panels = plt.subplots(1, 2, figsize=(8, 2.4))
    for panel, (title, (program, at)) in zip(panels, programs.items(), strict=True):
        slopes = [gradient_by(walk, program, Value(at)) for walk in walks]
        colors = ["#9cc9e6" if each == slopes[0] else "#c75a0a" for each in slopes]
        bars = panel.barh(["right", "replacing", "averaging"], slopes, color=colors)
        panel.bar_label(bars, fmt="%g", padding=4)
        panel.invert_yaxis()
        panel.set(title=title, xticks=[])
        panel.spines["bottom"].set_visible(False)
    plt.tight_layout()
    plt.show()

# %% [markdown] slide="## What an engine adds\n\nMemory plans, data types and errors, many operations, forward mode, graphs. **None of it changes the loop.**"
# ## What an engine adds
#
# Your tape is complete: any program of its operations on matrices has its gradient, and the gradient's gradient. A
# single point is a matrix with one row, of shape (1, 2). A vector of shape (2,) does not work in a matrix product. minitape adds
#
# - **speed**: it runs no rule for a constant, and a rule may use the result of the forward pass,
# - **memory**: a rule says which values it needs, and the rest is freed (the question at the end of lesson 3),
# - **data types and shapes**: numbers of 32 bits, and errors that say what to change,
# - **many operations**, each with rules that are checked as you check yours now,
# - **forward mode and traced graphs** (lessons 7 and 8).
#
# None of it changes the loop.
#
# *From the history.* In 1964 Robert Wengert took a program apart into small steps with a rule for each, in a paper of two pages,
# *A Simple Automatic Derivative Evaluation Program*. It went forward. Seppo Linnainmaa went backward in 1970. Andrej
# Karpathy's *micrograd* of 2020, from which many have learnt, does it for single numbers: it keeps no list, but sorts the graph
# before each backward pass. Yours works on arrays, and its gradients have gradients.

# %% [markdown] slide="## The same elsewhere\n\n| here | PyTorch | JAX |\n|:--|:--|:--|\n| `backward(records, ...)` | `loss.backward()` | `jax.grad(loss)` |\n| `value.array = ...` | `with torch.no_grad():` | new arrays |\n| an `Op` with its rules | `autograd.Function` | `custom_vjp` |\n| your tests | `gradcheck` | `check_grads` |"
# ## The same elsewhere
#
# Your training loop in other frameworks has as many lines, with other words. The notebook *The same backward pass in four
# frameworks* (`frameworks/the_same_backward_pass.ipynb` beside the lessons) compares the numbers.
#
# | your tape | PyTorch | JAX |
# |:--|:--|:--|
# | `with Tape() as tape:`, `watch` | a tensor with `requires_grad=True` | an argument of the function |
# | `backward(tape.records, cotangents)` | `loss.backward()`, then `p.grad`; clear it with `zero_grad()` | `jax.grad(loss)(parts)` |
# | `value.array = value.array - rate * g` | `with torch.no_grad(): p -= rate * p.grad` | `jax.tree.map(lambda p, g: p - rate * g, parts, grads)` |
# | an `Op` with its rules | `torch.autograd.Function` | `jax.custom_vjp` |

# %% [markdown] slide="## The project: your tape reads digits\n\n| what counts | points |\n|:--|--:|\n| 1. Three operations, checked | 4 |\n| 2. Cross-entropy on them | 4 |\n| 3. Tests that fail for a broken tape | 4 |\n| 4. The digits: 95 of 100 right | 4 |\n| A page on one surprise; beauty | 2 + 2 |" notes="In the 20 minutes of the lesson: milestone 1, perhaps 2. The others are for the week."
# ## The project
#
# Your tape will read digits. There are four milestones, each with a check that counts points. A person grades the page and the beauty.
#
# | what counts | points |
# |:--|--:|
# | 1. Three operations, checked: one point each, one for second derivatives | 4 |
# | 2. Cross-entropy on them: its value, its gradient (two), large scores | 4 |
# | 3. Tests that fail for a broken tape: replaced contributions, a mean, the wrong order (two) | 4 |
# | 4. The digits: one point for 80 of 100, another for 90, two more for 95 | 4 |
# | A page that explains one surprise to somebody who was not there | 2 |
# | Beauty: the boundary, the digits, or a table that you want to keep | 2 |
#
# If you want more: the optimizers of lesson 17; `tanh` and the ball of lesson 1; a network that aims. Replace each `...` with your code.

# %% [markdown]
# **Milestone 1.** Write three operations: `exp`, `log` and `reciprocal`. An `Op` has a name, a function of arrays, and one rule for
# each input. The rules compute with `Value`s and `apply`, so that an outer tape can record them.

# %% nbgrader={"grade": false, "grade_id": "operations", "locked": false, "schema_version": 3, "solution": true, "task": false}
exp = log = reciprocal = None
### BEGIN SOLUTION
exp = Op("exp", np.exp, (lambda g, x: g * apply(exp, x),))
log = Op("log", np.log, (lambda g, x: g * apply(reciprocal, x),))
reciprocal = Op("reciprocal", np.reciprocal, (lambda g, x: -1.0 * g * apply(reciprocal, x * x),))
### END SOLUTION

# %% nbgrader={"grade": true, "grade_id": "operations-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    assert any(isinstance(op, Op) for op in (exp, log, reciprocal)), (
        "Three of type Op are needed: Op(name, forward, rules)."
    )
    for op in (exp, log, reciprocal):
        assert not (isinstance(op, Op) and callable(op.rules)), (
            f"{op.name}: the rules are a tuple. Is the comma after the rule missing?"
        )

    def slopes(op, at):
        """First and second derivative of 5 op(x), with an outer tape."""
        x = Value(at)
        with Tape() as outer:
            outer.watch(x)
            with Tape() as inner:
                inner.watch(x)
                y = 5.0 * apply(op, x)
            first = inner.gradient(y, x)
        second = outer.gradient(first, x)
        return first, second

    known = {
        "exp": (exp, np.exp, np.exp, np.exp),
        "reciprocal": (reciprocal, lambda x: 1 / x, lambda x: -1 / x**2, lambda x: 2 / x**3),
        "log": (log, np.log, lambda x: 1 / x, lambda x: -1 / x**2),
    }
    at = np.random.default_rng().uniform(0.5, 2.0, 3)  # other numbers each time
    seconds_right = True
    for name, (op, function, slope, bend) in known.items():
        if not isinstance(op, Op):
            score.part(1, False, f"{name} is not there yet: Op(name, forward, rules).")
            continue
        try:
            first, second = slopes(op, at)
            value, alone = op.forward(at), first.array
        except (AttributeError, TypeError, ValueError) as error:
            hint = (
                f"{name}: its rule does not run ({error}). A rule gets g and x, two Values, and has +, *, @ and apply "
                "with an Op. There is no minus and no division."
            )
            score.part(1, False, hint)
            continue
        if not np.allclose(value, function(at)):
            hint = f"{name}: its function returns {np.round(value, 3)} at {at.round(3)}. That is another function."
        elif np.allclose(alone, slope(at)):
            hint = f"{name}: the rule forgets g. The target here is 5 times the operation."
        elif np.allclose(alone, -5 * slope(at)):
            hint = f"{name}: the sign of the rule."
        else:
            hint = f"{name}: two runs give another slope than your rule at {at.round(3)}. Is it the derivative of {name}, at x?"
        score.part(1, np.allclose(value, function(at)) and np.allclose(alone, 5 * slope(at)), hint)
        seconds_right &= second is not None and np.allclose(second.array, 5 * bend(at))
    if score.earned == 3:
        deaf = "Second derivatives: a rule computes with arrays somewhere, and an outer tape records nothing of it."
        score.part(1, seconds_right, deaf)
    score.total("first and second derivatives, with g, at three points.")
score.earned

# %% [markdown]
# **Milestone 2.** Write `cross_entropy(scores, hot)`. The `Value` `scores` has the shape (n, classes), and the array `hot` has a 1 for the true
# class. The loss is the mean of $\log \sum_j e^{s_j} - s_c$. First subtract the largest score of each row, as a constant (a new
# `Value`), or `exp` overflows. Build the loss from your operations and `summed_to`: the shape `(n, 1)` sums each row, `()` everything.


# %% nbgrader={"grade": false, "grade_id": "loss", "locked": false, "schema_version": 3, "solution": true, "task": false} uses=["operations"]
def cross_entropy(scores, hot):
    """The mean cross-entropy, a Value of shape ()."""
    ### BEGIN SOLUTION
    s = scores + Value(-scores.array.max(axis=1, keepdims=True))
    total = summed_to(apply(exp, s), (len(hot), 1))
    true = summed_to(s * Value(hot), (len(hot), 1))
    return (1 / len(hot)) * summed_to(apply(log, total) + -1.0 * true, ())
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "loss-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:

    def entropy_and_gradient(s, hot):
        scores = Value(s)
        with np.errstate(all="ignore"), Tape() as tape:
            tape.watch(scores)
            try:
                loss = cross_entropy(scores, hot)
            except (AttributeError, TypeError, ValueError) as error:
                raise AssertionError(
                    f"It does not run ({error}). A Value knows +, *, @ and apply, and there is no minus: a + -1.0 * b. Left of @ goes a Value: "
                    "Value(array) @ ... "
                    "And the largest score of each row needs keepdims=True."
                ) from error
            assert loss is not None, (
                "cross_entropy returns nothing yet: return a Value of shape ()."
            )
            assert isinstance(loss, Value), (
                "Return a Value, made by your operations: no tape records arrays."
            )
            assert loss.array.shape == (), (
                f"Return one number, a Value of shape (), not {loss.array.shape}."
            )
            forth = list(tape.records)  # before the backward pass adds its own
            found = tape.gradient(loss, scores)
        sums = [
            (r.inputs[0].array.shape, r.output.array.shape) for r in forth if r.op.name == "sum"
        ]
        if len(s) > 1 and (s.shape, s.shape[1:]) in sums:
            columns.append(
                "summed_to(..., (n,)) sums the columns here, silently: ask for (n, 1) to sum each row."
            )
        ops = [record.op for record in forth]  # no set: rules may be a list
        if exp not in ops or log not in ops:
            formula.append("The tape has no exp or no log of yours: build the loss from them.")
        return float(loss.array), None if found is None else found.array

    formula = []  # what says that the gradient is a formula, and not the tape's
    columns = []  # what says that columns were added, where rows are meant
    draw = np.random.default_rng()  # other scores each time
    worst = []
    for rows in (1, 4, 7):
        s, hot = draw.normal(size=(rows, 3)), np.eye(3)[draw.integers(0, 3, rows)]
        p = np.exp(s) / np.exp(s).sum(1, keepdims=True)
        loss, gradient = entropy_and_gradient(s, hot)
        true_loss, true_gradient = -np.log((p * hot).sum(1)).mean(), (p - hot) / rows
        less = s - s.max(axis=0)  # the largest of each column, where that of each row is meant
        wrong_axis = (np.log(np.exp(less).sum(1)) - (less * hot).sum(1)).mean()
        worst.append(
            (
                np.isclose(loss, true_loss),
                gradient is not None and np.allclose(gradient, true_gradient),
            )
        )
        if rows > 1 and np.isclose(loss, true_loss * rows):
            hint = "It should be the mean over the rows, not the sum."
        elif rows > 1 and np.isclose(loss, true_loss / 3):
            hint = "The mean over the rows, not over rows and classes."
        elif columns:
            hint = columns[0]
        elif rows > 1 and np.isclose(loss, wrong_axis):
            hint = "The largest of each *row* is subtracted. Over which axis is that?"
        else:
            hint = "The loss of a row is log(sum of e**s) - s of the true class, with the largest score subtracted from both."
    if score.part(1, all(value for value, _ in worst), hint):
        lost = "The gradient is p - hot, by the number of rows: is all of it recorded?"
    else:
        lost = "Its gradient follows the loss, and is fixed with it."
    slopes_right = all(slope for _, slope in worst)
    score.part(2, slopes_right and not formula, formula[0] if slopes_right and formula else lost)
    large, hot = np.array([[1000.0, 0.0, 0.0], [0.0, 0.0, 0.0]]), np.eye(3)[[1, 0]]
    loss, gradient = entropy_and_gradient(large, hot)
    true_gradient = (np.array([[1.0, 0.0, 0.0], [1 / 3, 1 / 3, 1 / 3]]) - hot) / 2
    asked = (1000 + np.log(3)) / 2
    times = 2 if np.isclose(loss, 2 * asked) else 1  # a missing mean was reported above
    safe = gradient is not None and np.allclose(gradient, times * true_gradient)
    taken = np.isfinite(entropy_and_gradient(np.full((1, 3), -1000.0), hot[:1])[0])
    if columns and not worst[1][0]:
        hint = "The large scores wait for the sums of rows."
    elif np.isfinite(entropy_and_gradient(large[:1], hot[:1])[0]) and not np.isfinite(loss):
        hint = "The largest of *each row*: next to a score of 1000 the other rows become log(0)."
    elif not np.isfinite(loss) and taken:
        hint = (
            "exp returned 0, and log(0) is infinite: take the log of the sum, not of a probability."
        )
    elif not np.isfinite(loss):
        hint = "A score of 1000 overflows: subtract the largest of each row first, as a constant."
    else:
        hint = "With a score of 1000 something is lost: is the same subtracted on both sides, and from each row?"
    score.part(1, safe and np.isclose(loss, times * asked), hint)
    score.total("probability minus truth, for any score.")
score.earned

# %% [markdown]
# **Milestone 3.** Tests that can fail. Write `passes(walk)`: it runs a backward pass, `walk(records, cotangents)`, on small programs whose
# gradients you know, and returns `True` if all are right. As in `step`, for a `z` of shape (): `cotangents = {z: Value(1.0)}`,
# `walk(tape.records, cotangents)`, and `cotangents[x]` is the answer. The check gives it the right one and three broken ones. A test that
# stops with an error has failed, as in any suite.


# %% nbgrader={"grade": false, "grade_id": "tests", "locked": false, "schema_version": 3, "solution": true, "task": false}
def passes(walk):
    """Whether a backward pass gives the gradients that are known by hand."""
    ### BEGIN SOLUTION
    x, b = Value([1.0, 2.0]), Value(3.0)
    with Tape() as tape:
        tape.watch(x)
        tape.watch(b)
        y = summed_to(x * x * x + x * b, ())
    cotangents = {y: Value(1.0)}
    walk(tape.records, cotangents)
    try:
        return bool(
            np.allclose(cotangents[x].array, [6.0, 15.0]) and np.allclose(cotangents[b].array, 3.0)
        )
    except (KeyError, ValueError):
        return False
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "tests-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    from unittest import mock

    def broken(replace=False, mean=False, forward=False):
        """A backward pass with one mistake."""

        def walk(records, cotangents):
            for op, inputs, output in records if forward else reversed(records):
                if output not in cotangents:
                    continue
                for x, rule in zip(inputs, op.rules, strict=True):
                    share = rule(cotangents[output], *inputs)
                    if share.array.shape != x.array.shape:
                        part = x.array.size / share.array.size if mean else 1.0
                        share = summed_to(part * share, x.array.shape)
                    cotangents[x] = (
                        share if replace or x not in cotangents else cotangents[x] + share
                    )

        return walk

    asked = []  # calls of the backward pass of the lesson, if the tests take from it what is right
    right_walk = backward

    def asking(records, cotangents):
        asked.append(records)
        right_walk(records, cotangents)

    def accepted(walk):
        """What the tests say; one that stops with an error has failed, as in any suite."""
        with mock.patch.dict(globals(), backward=asking):
            try:
                return passes(walk)
            except Exception:
                return False

    def accepted_if_right():
        """What the tests say of a backward pass that is right; an error in the tests themselves is reported."""
        with mock.patch.dict(globals(), backward=asking):
            try:
                return passes(broken())
            except AssertionError:
                return False
            except Exception as error:
                kind = type(error).__name__
                fills = " (A walk returns nothing: it fills `cotangents`.)" * ("None" in str(error))
                shape = (
                    " (Has the first cotangent the shape of its target? `Value(np.ones_like(z.array))`, or end with "
                    "`summed_to(..., ())`.)"
                ) * (kind == "AxisError" or "matmul" in str(error))
                raise AssertionError(
                    f"With the right backward pass your tests stop with {kind}: {error}.{fills}{shape}"
                ) from error

    wrongly = "Your tests refuse a backward pass that is right: is an expected number wrong?"
    good = accepted_if_right()
    assert not asked, (
        "What is right comes from your pencil, not from `backward`: a test knows its numbers. `tape.gradient` calls `backward`, "
        "too: use the `walk` that is given, or put it in the place of `backward` for a moment."
    )
    assert good is not None, (
        "passes returns nothing yet: True or False. Tests that `assert` end with `return True`."
    )
    assert good, wrongly
    score.part(
        1,
        not accepted(broken(replace=True)),
        "A walk that replaces contributions passes: use a value twice.",
    )
    score.part(
        1,
        not accepted(broken(mean=True)),
        "A walk that undoes broadcasts by a mean passes: broadcast something.",
    )
    score.part(
        2,
        not accepted(broken(forward=True)),
        "A walk from the first record to the last passes: chain two operations.",
    )
    assert accepted(backward), wrongly
    score.total("your tests fail where they should, and pass where they may.")
score.earned

# %% [markdown]
# **Milestone 4.** The digits. Write `reader(images, labels)`: it trains two layers or more on your tape, each with a matrix of
# weights that the tape watches, on images of shape (n, 64) with numbers from 0 to 1. It returns a function from images to
# digits. With the engine's layers, 1000 steps of 32 images at its rates take a few seconds, and from the same start and the same
# draws your tape misreads the same 11. Take your operations and your loss from above; `np.eye(10)[labels]` has a 1 for each
# true class. Then draw the digits that it misreads, as above, and ask a friend to read them. That is a good page.


# %% nbgrader={"grade": false, "grade_id": "digits", "locked": false, "schema_version": 3, "solution": true, "task": false} uses=["operations", "loss"]
def reader(images, labels):
    """A function from images of shape (n, 64) to digits."""
    ### BEGIN SOLUTION
    start, draw = np.random.default_rng(0), np.random.default_rng(0)
    sizes = (64, 64, 32, 10)
    parts = [
        Value(each)
        for a, b in zip(sizes, sizes[1:], strict=False)
        for each in (start.normal(size=(a, b)) * (2 / a) ** 0.5, np.zeros(b))
    ]

    def scores(x):
        for k in (0, 2):
            x = apply(relu, x @ parts[k] + parts[k + 1])
        return x @ parts[4] + parts[5]

    for number in range(1000):
        chosen = draw.integers(0, len(images), 32)
        with Tape() as tape:
            for part in parts:
                tape.watch(part)
            loss = cross_entropy(scores(Value(images[chosen])), np.eye(10)[labels[chosen]])
        cotangents = {loss: Value(1.0)}
        backward(tape.records, cotangents)
        for part in parts:
            part.array = part.array - (0.3 if number < 800 else 0.03) * cotangents[part].array
    return lambda x: scores(Value(x)).array.argmax(1)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "digits-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    from pathlib import Path
    from unittest import mock

    from minitape.viz.course.course import folder

    place = Path("data")  # next to the lesson; who grades it may run it elsewhere
    with np.load(
        (place if place.is_dir() else folder() / place) / "digits.npz", allow_pickle=False
    ) as data:
        order = np.random.default_rng(1).permutation(1797)
        digits, truth = (
            data["images"][order].reshape(-1, 64) / 16.0,
            data["labels"][order].astype(int),
        )
    elsewhere = AssertionError("Train it on your own tape: tf.GradientTape is not used here.")
    end, watch, recorded, tapes = Tape.__exit__, Tape.watch, [], []
    first, last = [], []  # what the first tape and the last one followed; no more tapes are kept
    watching, matrices = (
        [],
        [],
    )  # what this tape watches, and how many matrices of it each tape used

    def ended(tape, *error):
        recorded.append(len(tape.records))
        used = {x for record in tape.records for x in record.inputs}
        kernels = {v for v in watching if v.array.ndim > 1 and min(v.array.shape) > 1}
        matrices.append(len(kernels & used))
        return end(tape, *error)

    def noted(tape, value):
        if tape not in tapes:
            tapes[:] = [tape]
            last.clear()
            watching.clear()
        watching.append(value)
        last.append(value.array.copy())
        if len(recorded) == 0:
            first.append(last[-1])
        watch(tape, value)

    counted = mock.patch.object(Tape, "__exit__", ended)
    try:
        with (
            counted,
            mock.patch.object(Tape, "watch", noted),
            mock.patch.object(tf, "GradientTape", side_effect=elsewhere),
        ):
            read = reader(digits[:1297], truth[:1297])
    except KeyError:
        assert len(recorded) < 2, (
            "In the second step a Value has no cotangent: are these new Values, while the layers still hold the old ones? Put "
            "the new array into the same Value."
        )
        raise AssertionError(
            "A Value has no cotangent: does the tape watch all of them, before the loss is computed?"
        ) from None
    except ValueError as error:
        raise AssertionError(
            f"It stops with {str(error).strip()}. cross_entropy needs a 1 for each true class, np.eye(10)[labels[chosen]]; and each layer "
            "begins as wide as the one before it ends."
        ) from error
    except TypeError as error:
        raise AssertionError(
            f"It stops with {error}. A step subtracts arrays, and a cotangent is a Value: which of its attributes is the array?"
        ) from error
    assert read is not None, (
        "reader returns nothing yet: it should return a function from images to digits."
    )
    assert sum(length > 0 for length in recorded) >= 20, (
        "Your tape recorded hardly anything: record each step of training, by `with Tape() as tape:`, and watch its weights."
    )
    pairs = zip(first, last, strict=False)
    assert not all(np.array_equal(before, after) for before, after in pairs), (
        "The last tape follows the numbers that the first one did: do the same Values change from step to step?"
    )
    assert sum(count >= 2 for count in matrices) >= 20, (
        f"In its last step your tape used {matrices[-1]} of the matrices that it watches: two layers have two of them."
    )
    try:
        guesses = np.asarray(read(digits[1297:]))
    except TypeError as error:
        raise AssertionError(
            f"The function that reads stops with {error}. It gets an array of images: Value(images)."
        ) from error
    assert guesses.shape == (500,), (
        f"Return one digit for each of 500 images, shape (500,), not {guesses.shape}."
    )
    share = float(np.mean(guesses == truth[1297:]))
    hint = f"{share:.0%} are right: do the same Values change from step to step, downhill (minus)? Is the rate too large?"
    if any(v.ndim > 1 and v.shape[1] > 1 and np.allclose(v, v[:, :1]) for v in first):
        hint = f"{share:.0%} are right. All units of a layer start with the same weights, so they stay alike: what did lesson 5 start with?"
    if score.part(1, share >= 0.80, hint):
        hint = f"{share:.0%} are right, and 95 are needed: more steps, or a wider layer?"
        score.part(1, share >= 0.90, hint)
        score.part(2, share >= 0.95, hint)
    score.total(f"{share:.0%} of digits that it never saw, on your own tape.")
score.earned

# %% [markdown] slide="**To think about.** Make your tape faster without making it longer. Where does it spend its time: in NumPy, or in Python?"
# **To think about.** In words: make your tape faster without making it longer. Where does it spend its time: in NumPy, or in Python?
#
# <details><summary>An answer</summary>
# With arrays as small as those of the moons, most of the time goes into Python. A step has 14 records, and each makes Values,
# tuples and sets, for products that NumPy computes in a moment. So do less of it: `backward` computes gradients for the images and
# for constants, although nobody asks for them, and `x @ w + b` may be one operation with three rules. With large arrays the time goes into
# NumPy, and little that you do in Python matters. Measure before you change anything: `python -m cProfile`.
# </details>

# %% [markdown]
# ## What to remember
#
# - Seventy lines, three more operations, a few layers, a loss and a training loop are enough to learn to read digits.
# - A broken tape can learn. Tests that fail for broken tapes are a reason to trust yours.
# - Rules are written in operations, so gradients have gradients.
#
# **Read on.** Karpathy, *micrograd*, 2020; LeCun, Bottou, Orr, Müller, *Efficient BackProp*, 1998; Wengert, *A Simple Automatic
# Derivative Evaluation Program*, 1964.
#
# You now know what happens between `loss` and `gradient`, to the last line. What this course did not cover is only larger: gradients spread over
# many machines, networks that make pictures, programs that choose their own steps. The loop under them is yours.
#
# In the order of a term this is the last lesson. By number, lesson 13 is next: networks for images.
