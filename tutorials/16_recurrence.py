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

# %% [markdown] slide="A network hears 24 signs, one after the other: plus or minus. Then we ask one question.\n\n**Which sign came first?**" notes="2 minutes. Read out a few signs and let the class try it: everybody can keep one bit in mind. Can a network?"
# # 16. Recurrence: one weight, used at every step
#
# A network hears 24 signs, one after the other: plus or minus. Then we ask it one question. **Which sign came first?** You would
# remember one word, *plus*, and ignore the rest. Can a network learn that?
#
# Speech, weather and stock prices come like this, number by number. What mattered long ago must not be lost.
#
# You need lesson 5: a dense layer, and the gradient of a weight. Afterwards you can
#
# - write a recurrent network as a loop, and unroll it,
# - add up what a weight gets from each of its uses,
# - say when a gradient fades or grows along the way, and build a memory through which it does neither,
# - cut a gradient on purpose, and clip it, and say what each of the two changes.

# %% tags=["setup"]
import matplotlib.pyplot as plt
import numpy as np

import minitape as tf
from minitape import viz
from minitape.viz.course.motion import unrolled

viz.figures()

# %% [markdown] slide="## A state is carried from step to step\n\n$$h_t = \\tanh(x_t\\,W_{in} + h_{t-1}\\,W_{rec} + b)$$\n\nThe same three arrays at every step." notes="3 minutes. Point at the two h: what comes out of one step goes into the next one."
# ## A network with a memory
#
# A dense layer takes all its inputs at once. Here they come one at a time, and you do not know how many there will be. So the network keeps a
# few numbers in mind, its **state** $h$. At each step it makes a new state from the old one and the next sign:
#
# $$h_t = \tanh(x_t\, W_{in} + h_{t-1}\, W_{rec} + b)$$
#
# A network that feeds its state back to itself is a **recurrent network**, or RNN. Its weights are the same at every step. You know
# one without weights: the thrown ball. Its position and velocity are the state, and each time step makes the next state from them.


# %% tags=["picture", "given"] minutes=1 slide="The same step, again and again" alt="Five equal boxes in a row, the step. Into each one comes a sign from below: plus, minus, minus, plus, minus. From each box an arrow leads to the next one, the state. After the last box stands a question: which sign came first?" notes="1 minute. The answer has to travel through every arrow. Whatever one of them loses is lost."
# Given: this only draws.
_, panel = plt.subplots(figsize=(7.6, 2.0))
panel.set(xlim=(-1.0, 13.2), ylim=(-1.7, 0.8))
panel.axis("off")
box = {"boxstyle": "round,pad=0.5", "facecolor": "white", "edgecolor": "0.4"}
for n, sign in enumerate("+−−+−"):
    panel.annotate("", (2 * n, -0.4), (2 * n, -1.2), arrowprops={"arrowstyle": "->"})
    panel.text(2 * n, -1.5, sign, ha="center", va="center", fontsize=14)
    to = {"arrowstyle": "->", "color": "#0072b2", "lw": 2}
    panel.annotate("", (2 * n + 1.5, 0), (2 * n + 0.5, 0), arrowprops=to)
    panel.text(2 * n, 0, "step", ha="center", va="center", bbox=box, fontsize=11)
panel.text(1.0, 0.55, "state", ha="center", color="#0072b2")
panel.text(9.7, 0, "which sign\ncame first?", va="center")
plt.show()


# %% slide="A recurrent network is a loop"
def usual(w, x, h):
    return tf.tanh(x @ w["in"] + h @ w["rec"] + w["bias"])


def heard(cell, w, signs):
    """Listens to all signs, and says how sure it is that the first one was a plus."""
    h = tf.zeros([len(signs), 16])
    for t in range(signs.shape[1]):
        h = cell(w, signs[:, t : t + 1], h)
    return (h @ w["out"])[:, 0]


# %% tags=["setup", "given"]
# Given: weights, sequences, training, and a count of right answers.
names = ["in", "rec", "bias", "out"]


def started(names, seed):
    """Random weights of variance 1/n for n inputs (lesson 5), and biases of 0."""
    draw, w = np.random.default_rng(seed), {}
    for name in names:
        shape = {"in": (1, 16), "out": (16, 1)}.get(name.split()[-1], (16, 16))
        random = draw.normal(size=shape) / np.sqrt(shape[0])
        w[name] = tf.Variable(np.float32(np.zeros(16) if "bias" in name else random))
    return w


def sequences(draw, many, length):
    """Rows of signs, 1 or -1, each as likely as the other."""
    return draw.choice([-1.0, 1.0], (many, length)).astype(np.float32)


def loss_of(answers, signs):
    """The cross-entropy of answers to the question whether the first sign is a plus."""
    return tf.reduce_mean(tf.nn.softplus(-signs[:, 0] * answers))


def trained(cell, names, length, seed, steps=200):
    draw, w = np.random.default_rng(seed), started(names, seed)
    optimizer = tf.keras.optimizers.Adam(5e-3)
    for _ in range(steps):
        signs = sequences(draw, 32, length)
        with tf.GradientTape() as tape:
            loss = loss_of(heard(cell, w, signs), signs)
        gradients, _ = tf.clip_by_global_norm(tape.gradient(loss, list(w.values())), 1.0)
        optimizer.apply_gradients(zip(gradients, w.values(), strict=True))
    return w


def right(cell, w, length):
    """How many out of 100 new sequences are answered right, measured with 2000."""
    signs = sequences(np.random.default_rng(99), 2000, length)
    return 100 * np.mean((heard(cell, w, signs).numpy() > 0) == (signs[:, 0] > 0))


# %% slide="Trained on 24 signs: how often is it right? | It tosses a coin" notes="3 minutes. A coin is right 50 times out of 100. Ask what they would try first: most say more training. Five times as many steps change nothing."
lengths = (3, 12, 24)
with viz.predict(
    "Trained with 3 signs or with 12, it always names the first one. And trained with 24: is it right 100, 75 or 50 times out of 100?",
    "About 50, from all three starts: it guesses. It is the same network with the same number of weights, and five times as many training "
    "steps do not help.",
):
    for length in lengths:
        shares = [right(usual, trained(usual, names, length, seed), length) for seed in range(3)]
        print(f"{length:2} signs:", *(f"{share:.0f}" for share in shares), "right out of 100")
    longer = right(usual, trained(usual, names, 24, 0, steps=1000), 24)
    print(f"24 signs, 1000 steps: {longer:.0f} right out of 100")

# %% [markdown] slide="## Written out, a loop is a deep network\n\n**Unroll** it: one copy of the step after the other. The weight $w$ is the same in each." notes="2 minutes. Ask how many layers the network for 24 signs has: 24, with one set of weights."
# ## One weight, many uses
#
# What does the gradient of such a weight look like? Write the loop out, one step after the other: that is **unrolling**. You get a
# deep network whose layers all have the same weights. For a tape this is nothing new. It records every step, and walks back through all of
# them. The name for it is **backpropagation through time**, or BPTT.
#
# The smallest example has one number as its state, and no inputs: $h_t = w\, h_{t-1}$, from $h_0 = 1$. Take $w = 2$ and four steps.
#
# - Multiply swaps: a use of $w$ contributes the state that went into it, times the gradient that arrives there.
# - Four uses, so four contributions, and where paths meet they add up.

# %% tags=["picture"] minutes=1 slide="Every use contributes, and the contributions add up" notes="2 minutes. A large state goes into the late uses, and a large gradient reaches the early ones. Check the sum on the board: the derivative of w to the fourth."
unrolled(
    [1, 2, 4, 8, 16],
    [16, 8, 4, 2, 1],
    [8, 8, 8, 8],
    "The states 1, 2, 4, 8 and 16 appear from left to right. Then the gradients 1, 2, 4, 8 and 16 appear from right to left, and each of the "
    "four uses of w contributes 8. Together that is 32.",
)

# %% [markdown] slide=""
# On paper $h_4 = w^4$, and its slope is $4 w^3 = 32$. The four contributions say the same. Here all four are equal, because early states are
# small and late ones large. With inputs the states stay about the same size. Then only the gradient decides, and where it fades, the early
# uses lose.

# %% slide="Thirty steps with 0.9, 1 and 1.1: where do they end? | A tenth less, or a tenth more, thirty times" notes="2 minutes. It is compound interest. Let them write down three numbers."
with viz.predict(
    "Thirty steps, with the weights 0.9, 1 and 1.1. Where do the three states end: (a) 0.04, 1 and 17; (b) 0.3, 1 and 3; (c) 0.9, 1 and 1.1?",
    "(a): 0.04, 1 and 17. The gradient of each weight is a sum of thirty contributions: 1.4, 30 and 476.",
):
    w = tf.Variable([0.9, 1.0, 1.1], dtype=tf.float64)
    with tf.GradientTape() as tape:
        h = tf.ones([3], tf.float64)
        for _ in range(30):
            h = w * h
    print("states:   ", h.numpy().round(2))
    print("gradients:", tape.gradient(h, w).numpy().round(1))

# %% [markdown] slide="## One step back is one multiplication\n\nThirty steps back are thirty of them, with the **same** matrix. What it shrinks is gone, and what it stretches blows up.\n\n**Eigenvalue**: its factor for a direction that it does not turn."
# ## It fades, or it grows
#
# A state of 16 numbers has a matrix instead of $w$. One step back multiplies the gradient by this matrix, and by the slope of tanh, which is at
# most 1. Is a matrix more like 0.9 or more like 1.1? Look at the directions that it does not turn. The factor by which it stretches such a
# direction is an **eigenvalue**. It may be complex: then a plane is stretched and turned. After many steps the largest absolute value decides.

# %% tags=["picture", "given"] minutes=1 slide="A gradient of length 1, thirty steps back | Below 1 it fades, above 1 it can grow" alt="The length of a gradient over the number of steps back, from 0 to 30, on a logarithmic scale, for five matrices. All curves begin at 1. Those of the largest eigenvalues 0.5, 0.9 and 1 fall, the smaller the faster: to 2e-11, 0.0009 and 0.02. That of 1.2 stays near 1. That of 3 climbs to 43,000." notes="2 minutes. Cover the right half and let the class continue the curves. A straight line on this paper is a fixed factor for each step."
# Given: this computes and draws.
panel = plt.subplots(figsize=(6.2, 3.4))[1]
for largest, look in [(0.5, "-"), (0.9, "--"), (1.0, "-."), (1.2, ":"), (3.0, "-")]:
    draw = np.random.default_rng(0)
    w = draw.normal(size=(16, 16))
    w = tf.constant(w * largest / np.abs(np.linalg.eigvals(w)).max())
    start, g = tf.constant(0.1 * draw.normal(size=(1, 16))), draw.normal(size=(1, 16))
    with tf.GradientTape() as tape:
        tape.watch(start)
        states = [start]
        for _ in range(30):
            states.append(tf.tanh(states[-1] @ w))
    g = tf.constant(g / np.linalg.norm(g))
    back = tape.gradient(states[-1], states, output_gradients=g)
    lengths = [np.linalg.norm(each) for each in back[::-1]]
    panel.semilogy(lengths, look, color="#b04a00" if largest > 1 else "#0072b2")
    panel.text(30.5, lengths[-1], f"{largest:g}", va="center")
panel.minorticks_off()
panel.set(xlabel="steps back", ylabel="length of the gradient", xlim=(0, 33), ylim=(1e-12, 1e8))
panel.text(32.5, 3e6, "largest eigenvalue", ha="right")
plt.show()

# %% [markdown] slide=""
# Below 1 it fades: a **vanishing gradient**. Above 1 it can grow: an **exploding gradient**, 43,000 times as long for the eigenvalue 3. For 1.2 tanh
# holds it back. At 1 only 0.02 is left here, because all other directions shrink. The matrix of our network has 1.01 before
# any training, and at every step tanh takes its part, too. This network has heard 24 signs and was asked for the first one.
# The second use of its matrix is the first that has to keep this sign. What does it contribute?


# %% tags=["given"] slide=""
# Given: what each use of the recurrent matrix contributes to its gradient, before any training.
def contributions(cell, names):
    """One length for each step: its contribution to the gradient of w["rec"]."""
    w, signs = started(names, 0), sequences(np.random.default_rng(1), 32, 24)
    with tf.GradientTape() as tape:
        uses = [tf.identity(w["rec"]) for _ in range(24)]  # the same numbers, a copy for each step
        h = tf.zeros([32, 16])
        for t, use in enumerate(uses):
            h = cell({**w, "rec": use}, signs[:, t : t + 1], h)
        loss = loss_of((h @ w["out"])[:, 0], signs)
    return [float(np.linalg.norm(each)) for each in tape.gradient(loss, uses)]


faded = contributions(usual, names)
print(f"last use {faded[-1]:.2f}, second use {faded[1]:.6f}")

# %% tags=["picture", "given"] minutes=1 slide="The second use gets next to nothing" alt="A bar for each of the 24 steps: the length of its contribution to the gradient of the recurrent matrix. The bars fall from the last step backward, each a little shorter than the one after it. Before step 14 none can be seen."
# Given: this only draws.
figure, panel = plt.subplots(figsize=(5.6, 2.6))
panel.bar(range(1, 25), faded, color="#b04a00")
panel.annotate(
    "from here on the first\nsign has to be kept",
    (2, 0.002),
    (1, 0.05),
    arrowprops={"arrowstyle": "->"},
)
panel.set(xlabel="step", ylabel="contribution", xticks=[1, 8, 16, 24])
plt.show()

# %% [markdown] slide="## A memory that adds\n\n$$c_t = c_{t-1} + \\text{gate} \\cdot \\text{new}$$\n\n**Add copies**: along the memory, all of $g$ goes back." notes="4 minutes. Ask for the derivative of the new memory with respect to the old one, along the plus: it is 1, whatever the gate says."
# ## A memory that adds
#
# The second use gets less than a fifty-thousandth of what the last one gets. Repeated multiplication is the disease. The cure is in lesson 1: *add copies*. Let the state be a memory $c$ to which each step
# adds something, computed from the sign and from $h = \tanh c$, which stays between -1 and 1:
#
# $$c_t = c_{t-1} + s_t \cdot \tanh(\ldots)$$
#
# Backward, the addition hands all of $g$ to the old memory. Along this path the slope is 1 at every step, and thirty factors of 1 are 1. The
# **gate** $s_t$ is a number between 0 and 1, made by a sigmoid. It decides how much of the new value is let in. Whether the network needs that, we shall test.

# %% tags=["picture", "given"] minutes=1 slide="Above, every step multiplies; below, it adds" alt="Two rows of four steps. Above, the usual cell: the state goes through a box with W and tanh at every step. Below, the memory: a straight line with a plus at every step, where gate times new comes in from below. Under each row arrows lead back, from right to left. Above they become thinner at every box. Below, they are as thick at the first step as at the last one." notes="2 minutes. Walk back with a finger along the arrows below each row, first above, then below. How many boxes do you meet?"
# Given: this only draws.
_, panel = plt.subplots(figsize=(7.6, 3.4))
panel.set(xlim=(-2.4, 8.6), ylim=(-3.2, 2.0))
panel.axis("off")
for y, colour, name in [(1.2, "#b04a00", "usual cell"), (-1.2, "#0072b2", "a memory\nthat adds")]:
    panel.annotate(
        "", (8.4, y), (-0.3, y), arrowprops={"arrowstyle": "->", "color": colour, "lw": 2}
    )
    panel.text(-2.3, y + 0.25, name, va="center", color=colour)
for n in range(5):  # the gradient, from the last step to the first
    for y, thick in [(0.45, 5 * 0.55 ** (4 - n)), (-1.95, 5)]:
        lead = {"arrowstyle": "-|>", "lw": thick, "color": "#b04a00", "shrinkA": 0}
        panel.annotate("", (2 * n - 0.5, y), (2 * n + 0.3, y), arrowprops=lead)
panel.text(-0.8, 0.45, "gradient", va="center", ha="right", color="#b04a00")
panel.text(-0.8, -1.95, "gradient", va="center", ha="right", color="#b04a00")
for x in (0.6, 2.6, 4.6, 6.6):
    box = {"boxstyle": "round", "facecolor": "white", "edgecolor": "#b04a00"}
    panel.text(x, 1.2, "· W, tanh", ha="center", va="center", bbox=box, fontsize=11)
    panel.annotate("", (x + 0.6, -1.55), (x + 0.6, -2.4), arrowprops={"arrowstyle": "->"})
    panel.text(x + 0.6, -2.8, "gate · new", ha="center", va="center", fontsize=11)
    panel.plot(x + 0.6, -1.2, "o", color="white", markersize=18, markeredgecolor="0.3", zorder=3)
    panel.text(x + 0.6, -1.2, "+", ha="center", va="center", zorder=4)
plt.show()


# %% slide="Plus instead of times, and a gate"
def adding(w, x, c):
    h = tf.tanh(c)
    gate = tf.sigmoid(x @ w["gate in"] + h @ w["gate rec"] + w["gate bias"])
    return c + gate * tf.tanh(x @ w["in"] + h @ w["rec"] + w["bias"])


# %% slide="And now, with 24 signs? | It remembers" notes="2 minutes. The same training, the same 200 steps."
more = [*names, "gate in", "gate rec", "gate bias"]
with viz.predict(
    "The same training with the memory that adds: how often is it right with 24 signs, 50, 75 or 100 times out of 100?",
    "100 times, from all three starts. Nothing about the task has changed. A path was missing, and now it is there.",
):
    shares = [right(adding, trained(adding, more, 24, seed), 24) for seed in range(3)]
    print("24 signs:", *(f"{share:.0f}" for share in shares), "right out of 100")

# %% tags=["picture", "given"] minutes=1 slide="Through the memory, every step is reached" alt="Over the 24 steps, on a logarithmic scale, the contributions of two networks. Those of the usual cell climb from a few millionths at the second step to a tenth at the last one. Those of the cell that adds lie between 0.1 and 1 at all steps."
# Given: this only draws.
kept = contributions(adding, more)
figure, panel = plt.subplots(figsize=(5.6, 2.8))
panel.semilogy(range(2, 25), kept[1:], "o-", markersize=4)
panel.semilogy(range(2, 25), faded[1:], "s--", markersize=4)
panel.text(9, 0.08, "a memory that adds", color="#0072b2")
panel.text(11, 3e-5, "the usual cell", color="#b04a00")
panel.minorticks_off()
panel.set(xlabel="step", ylabel="contribution", xticks=[2, 8, 16, 24])
plt.show()


# %% tags=["given"] slide=""
# Given: each part without the other.
def plus_alone(w, x, c):
    return c + tf.tanh(x @ w["in"] + tf.tanh(c) @ w["rec"] + w["bias"])


def gate_alone(w, x, h):
    gate = tf.sigmoid(x @ w["gate in"] + h @ w["gate rec"] + w["gate bias"])
    return gate * tf.tanh(x @ w["in"] + h @ w["rec"] + w["bias"])


# %% slide="Only the plus, or only the gate: which one remembers? | The plus alone is enough" notes="2 minutes. Which of the two lets the gradient through untouched?"
with viz.predict(
    "We build two more cells: one has only the plus, the other only the gate. Which one remembers the first of 24 signs: the plus, the gate, both, or neither?",
    "The plus. With the gate alone each step still multiplies, and the network guesses.",
):
    for name, cell, arrays in [("plus", plus_alone, names), ("gate", gate_alone, more)]:
        shares = [right(cell, trained(cell, arrays, 24, seed), 24) for seed in range(3)]
        print(f"{name} alone:", *(f"{share:.0f}" for share in shares), "right out of 100")

# %% [markdown] slide="## The LSTM adds two gates\n\nOne forgets: $c_t = f_t\\,c_{t-1} + s_t \\cdot \\text{new}$. One chooses what is shown."
# The gate alone does not help, and the plus alone is enough, although it must ignore all signs but one. But a plus cannot
# erase what it has added. That takes one more gate.
#
# The **LSTM**, long short-term memory, adds two gates to this one. One chooses what is shown of the memory. The other
# can forget: in $c_t = f_t\, c_{t-1} + s_t \cdot \tanh(\ldots)$ the number $f_t$ between 0 and 1 says how much of the old memory stays. What that does to the
# gradient is exercise 3. The
# **GRU** is a smaller cousin, in which one gate mixes old and new. Deep networks have such paths from layer to layer: lesson 18.

# %% [markdown] slide="## Cut: the values stay, the gradient does not\n\n`h = tf.stop_gradient(h)` before every tenth step, and a new tape. It keeps ten steps, not a million." notes="3 minutes. Why at all? A text of a million letters does not fit on a tape."
# ## Cut and clip
#
# The tape keeps every step, and a text may have a million of them. **Truncated BPTT** cuts the state every $k$ steps with
# `tf.stop_gradient`, and begins a new tape there. All values stay the same, and the backward pass ends at the last cut. We leave all
# steps on one tape, to see what is missing.

# %% slide="We cut every 10 steps. What is left of the gradient 30? | A number, and it is wrong" notes="2 minutes. Lesson 4: a half-cut path gives a number. If you check only for None, you miss it."
with viz.predict(
    "With w = 1 the gradient was 30 after thirty steps. We cut the state before every tenth step: what does the tape say now, 30, 10 or `None`?",
    "10. The last ten uses of w still have a path, so the answer is a number, and no error tells you that two thirds are missing.",
):
    w = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        h = tf.constant(1.0)
        for t in range(30):
            if t % 10 == 0:
                h = tf.stop_gradient(h)
            h = w * h
    print("state:", float(h), " gradient:", float(tape.gradient(h, w)))

# %% [markdown] slide="## Clip: a shorter step, in the same direction\n\nA gradient of 476 throws the weights far away. **Clipping by norm** shortens the *whole* gradient." notes="2 minutes. All arrays together are one arrow. Clipping each element separately would turn it."
# The remedy for a gradient that explodes is **clipping by norm**. It takes the length of the whole gradient, all
# arrays together. If it is above a limit, all of it is scaled down to that limit. The direction stays. We did so in every training above.

# %% slide="The direction stays, the length is 1"
gradients = [tf.constant([30.0, 0.0]), tf.constant([40.0])]
clipped, length = tf.clip_by_global_norm(gradients, 1.0)
print("length", float(length), "becomes", [round(float(g), 1) for each in clipped for g in each])

# %% [markdown] slide="## The same elsewhere\n\n| here | PyTorch | JAX |\n|:--|:--|:--|\n| a loop, or `layers.LSTM(16)` | `nn.LSTM(1, 16)` | `lax.scan(cell, h, xs)` |\n| (batch, time, features) | (time, batch, features) | time first |\n| `tf.stop_gradient(h)` | `h.detach()` | `lax.stop_gradient(h)` |\n| `tf.clip_by_global_norm` | `clip_grad_norm_` | by hand |"
# ## The same elsewhere
#
# | here, and in TensorFlow | PyTorch | JAX |
# |:--|:--|:--|
# | a Python loop, or `keras.layers.LSTM(16)` | `nn.RNN(1, 16)`, `nn.LSTM(1, 16)` | `lax.scan(cell, h, xs)` |
# | layers take (batch, time, features) | (time, batch, features), unless `batch_first=True` | `scan` takes time first |
# | `tf.stop_gradient(h)` | `h.detach()` | `lax.stop_gradient(h)` |
# | `tf.clip_by_global_norm(gradients, 1.0)` | `nn.utils.clip_grad_norm_(w, 1.0)`, changes `w.grad` | by hand |

# %% [markdown] slide="## Exercises\n\nThrough time, with a pencil; cut in the right place; a gate that forgets; clip by norm."
# ## Exercises
#
# Replace each `...` with your answer, run the cell, and run the check below it.
#
# **Exercise 1.** With a pencil. Now there are inputs: $h_t = w\, h_{t-1} + x_t$, from $h_0 = 0$. Take $w = 2$ and the inputs 1, 3 and 2. What
# is the gradient of $h_3$ with respect to $w$, and what are those with respect to the three inputs?

# %% nbgrader={"grade": false, "grade_id": "by-hand", "locked": false, "schema_version": 3, "solution": true, "task": false}
for_w, for_inputs = None, None
### BEGIN SOLUTION
for_w = 1 * 5 + 2 * 1 + 4 * 0
for_inputs = [2 * 2, 2, 1]
### END SOLUTION

# %% nbgrader={"grade": true, "grade_id": "by-hand-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    assert for_w is not None or for_inputs is not None, "Write a number and a list of three."
    weight, three = tf.Variable(2.0), [tf.constant(each) for each in (1.0, 3.0, 2.0)]
    with tf.GradientTape() as tape:
        tape.watch(three)
        states = [tf.constant(0.0)]
        for each in three:
            states.append(weight * states[-1] + each)
    right_w, right_x = tape.gradient(states[-1], [weight, three])
    met = [float(each) for each in states[:3]]

    def close(answer, wanted):
        same = answer is not None and np.shape(answer) == np.shape(wanted)
        return same and np.allclose(answer, wanted)

    hint = "For w: write down which state went into each of the three uses, and what arrives there. Multiply, then add up."
    if close(for_w, met[-1]):
        hint = "For w: that is the last use alone. The weight was used three times."
    elif close(for_w, sum(met)):
        hint = "For w: you have added the states that went into it. What an early use gives still has to pass the later steps."
    elif close(for_w, float(states[-1])):
        hint = "For w: that is the value of the last state. How much does it change when w does?"
    score.part(2, close(for_w, float(right_w)), hint)
    hint = "Inputs: three numbers. Each input enters by an addition, and then the state passes the later steps."
    wanted = [float(each) for each in right_x]
    if close(for_inputs, wanted[::-1]):
        hint = "Inputs: the right numbers in the wrong order. Which input has the longest way to the end?"
    elif close(for_inputs, [1, 1, 1]):
        hint = "Inputs: an addition copies, that is right. But two of them have to pass a multiplication afterwards."
    elif close(for_inputs, [1, 3, 2]):
        hint = "Inputs: those are the inputs themselves."
    score.part(2, close(for_inputs, wanted), hint)
    score.total("each use contributes the state that went into it, times what arrives there.")
score.earned

# %% [markdown]
# **Exercise 2.** Write `cut_every(k, w, xs)` with tensors. It computes $h \leftarrow w\, h + x$ for all `x` in `xs`, from $h = 0$, and returns the last state.
# Before the steps 0, k, 2k, ... the gradient is cut, so that the backward pass never crosses these places. The value stays as it is.


# %% nbgrader={"grade": false, "grade_id": "cut-every", "locked": false, "schema_version": 3, "solution": true, "task": false}
def cut_every(k, w, xs):
    """The last state, with a gradient that is cut every k steps."""
    ### BEGIN SOLUTION
    h = tf.zeros_like(w)
    for t, x in enumerate(xs):
        before = tf.stop_gradient(h) if t % k == 0 else h
        h = w * before + x
    return h
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "cut-every-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    draw = np.random.default_rng()  # other numbers each time
    for k, many in [(3, 9), (4, 8)]:
        weight, numbers = tf.Variable(draw.uniform(0.6, 0.9)), draw.uniform(1.0, 2.0, many)
        values = [0.0]
        for each in numbers:
            values.append(float(weight) * values[-1] + each)

        def by_differences(begin, w=float(weight), values=values, numbers=numbers, d=1e-4):
            """The slope of the last value if all values up to `begin` stay as they are."""
            ends = []
            for moved in (w - d, w + d):
                end = values[begin]
                for each in numbers[begin:]:
                    end = moved * end + each
                ends.append(end)
            return (ends[1] - ends[0]) / (2 * d)

        last = (many - 1) // k * k  # the last place of a cut
        inputs = [tf.constant(np.float32(each)) for each in numbers]
        with tf.GradientTape() as tape:
            end = cut_every(k, weight, inputs)
        assert end is not None, "Nothing is returned yet: the last state."
        assert tf.is_tensor(end) and np.size(end) == 1, (
            "Return the last state, a tensor with one number."
        )
        score.part(
            1,
            np.isclose(float(end), values[-1], rtol=1e-4),
            "The value of the last state has changed. A cut touches the gradient alone.",
        )
        found = tape.gradient(end, weight)
        hint = "Which uses of w lie after the last cut? Those, and no others, contribute."
        if found is None:
            hint = "The gradient is `None`: there is no path to w at all. Cut the state, not the weight, and not the result. Cut before a step, not after it."
        elif np.isclose(float(found), by_differences(0), rtol=1e-2):
            hint = "Nothing was cut: the gradient still reaches the first step."
        elif np.isclose(float(found), by_differences(many - 1), rtol=1e-2):
            hint = "Only the last use contributes: the state is cut at every step."
        elif any(np.isclose(float(found), by_differences(each), rtol=1e-2) for each in range(many)):
            hint = "There is a cut, in another place. Is it before steps 0, k, 2k, counted from 0?"
        score.part(
            1, found is not None and np.isclose(float(found), by_differences(last), rtol=1e-2), hint
        )
    score.total("all values stay, and only the uses after the last cut contribute.")
score.earned

# %% [markdown]
# **Exercise 3.** A gate that forgets: $c_t = f_t\, c_{t-1} + \text{new}_t$. Predict first: with $f = 0.9$ at all 24 steps, does about 90, 30 or 8 % of
# the gradient reach the first memory? Then write two functions; `let_through([0.9] * 24)` will tell.
#
# - `let_through(gates)` takes the numbers $f_1, \ldots, f_n$ and returns $n$ numbers: the gradient of the last memory $c_n$ with respect to
#   each of $c_0, \ldots, c_{n-1}$.
# - `bias_for(steps, share)`: before training, each gate is a sigmoid of its bias, $f = 1 / (1 + e^{-b})$. For which $b$ does this share of
#   the gradient arrive so many steps back?


# %% nbgrader={"grade": false, "grade_id": "forget", "locked": false, "schema_version": 3, "solution": true, "task": false}
def let_through(gates):
    """How much of the gradient of the last memory arrives at each memory before it."""
    ### BEGIN SOLUTION
    return [float(np.prod(gates[n:])) for n in range(len(gates))]
    ### END SOLUTION


def bias_for(steps, share):
    """The bias of a forget gate that lets this share through, so many steps back."""
    ### BEGIN SOLUTION
    f = share ** (1 / steps)
    return np.log(f / (1 - f))
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "forget-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    draw = np.random.default_rng()  # other numbers each time
    gates = draw.uniform(0.5, 0.95, 5)
    found = let_through(gates.copy())
    assert found is not None, "`let_through` returns nothing yet: a list of numbers."
    memories = [tf.constant(np.float64(1.0))]
    with tf.GradientTape() as tape:
        tape.watch(memories[0])
        for gate in gates:
            memories.append(gate * memories[-1] + 0.5)
    wanted = np.array([float(each) for each in tape.gradient(memories[-1], memories[:-1])])
    assert np.shape(found) == (5,), (
        f"`let_through`: five gates went in, so return five numbers, not the shape {np.shape(found)}."
    )
    found = np.array(found, float)
    hint = "`let_through`: walk back from the last memory. Which gates lie between it and the memory before step n?"
    if np.allclose(found, np.cumprod(gates)):
        hint = "`let_through`: these products begin at the first gate. The gradient begins at the last one."
    elif np.allclose(found, wanted[::-1]):
        hint = "`let_through`: the right numbers in the wrong order. Which memory has the longest way to the end?"
    elif np.allclose(found, gates):
        hint = "`let_through`: that is one step for each. An early memory has to pass all the gates after it."
    elif np.allclose(found[:-1], wanted[1:]):
        hint = "`let_through`: one gate is missing. The step that reads a memory has a gate too."
    score.part(2, np.allclose(found, wanted), hint)

    steps, share = int(draw.integers(10, 40)), draw.uniform(0.2, 0.8)
    bias = bias_for(steps, share)
    assert bias is not None, "`bias_for` returns nothing yet: one number."
    bias = float(bias)
    gate = 1 / (1 + np.exp(-bias))
    arrived = gate**steps
    hint = f"`bias_for`: with your bias {arrived:.2g} of the gradient is left after {steps} steps, and {share:.2g} was wanted."
    if np.isclose(gate, share):
        hint = "`bias_for`: that share is left after one step. How much must each of the steps let through?"
    elif np.isclose(bias, share ** (1 / steps)):
        hint = "`bias_for`: that is the gate. Which bias makes the sigmoid this large?"
    elif np.isclose(1 - gate, share ** (1 / steps)):
        hint = "`bias_for`: the sign. A gate that is nearly open has a positive bias."
    score.part(2, np.isclose(arrived, share, rtol=1e-6), hint)
    score.total(
        "gates multiply along the way back, so a memory begins with its forget gates nearly open."
    )
score.earned

# %% [markdown]
# **Exercise 4.** Write `clip(gradients, limit)` in NumPy. It takes a list of arrays, which together are one gradient, and returns a list of
# the same shapes. The length of the whole gradient is at most `limit`, its direction is the same, and a gradient that is short
# enough is not changed.


# %% nbgrader={"grade": false, "grade_id": "clip", "locked": false, "schema_version": 3, "solution": true, "task": false}
def clip(gradients, limit):
    """The gradient, shortened to a length of at most `limit`."""
    ### BEGIN SOLUTION
    length = np.sqrt(sum(np.sum(g**2) for g in gradients))
    factor = min(1.0, limit / length)
    return [factor * g for g in gradients]
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "clip-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
with viz.Score(3) as score:
    draw = np.random.default_rng()  # other numbers each time
    arrays = [draw.normal(size=(2, 3)), draw.normal(size=4) + 1.0]
    whole = np.concatenate([each.ravel() for each in arrays])
    long = float(np.linalg.norm(whole))
    for part, limit in [(2, long / 3), (1, 2 * long)]:
        found = clip([each.copy() for each in arrays], limit)
        assert found is not None, "Nothing is returned yet: a list of arrays."
        assert len(found) == 2, "Two arrays went in, so two have to come out."
        shapes = [np.shape(each) for each in found]
        assert shapes == [(2, 3), (4,)], f"The shapes have changed: {shapes}."
        flat = np.concatenate([np.ravel(each) for each in found]).astype(float)
        size = float(np.linalg.norm(flat))
        same_way = size > 0 and np.isclose(flat @ whole, size * long)
        alone = [np.isclose(np.linalg.norm(each), limit) for each in found]
        hint = f"The limit was {limit:.2f}, the gradient {long:.2f} long, and yours is {size:.2f} long."
        if all(alone):
            hint = "Each array was shortened for itself. All arrays together are one gradient: one length, one factor."
        elif not same_way and np.abs(flat).max() <= limit + 1e-9:
            hint = "The direction has changed. Do not touch elements one by one: one factor for all of them."
        elif not same_way:
            hint = "The direction has changed. One positive factor for all elements keeps it."
        elif limit > long:
            hint = f"This gradient was short enough, {long:.2f} for a limit of {limit:.2f}, and it was changed."
        elif np.isclose(size, limit / long):
            hint = "It is shortened too much: is the length the square root of the sum of squares?"
        score.part(part, same_way and np.isclose(size, min(long, limit)), hint)
    score.total("one factor for the whole gradient changes its length and not its direction.")
score.earned

# %% [markdown]
# **To think about.** In words, for 2 points that are given by hand: the thrown ball of lesson 1 is a recurrent network without weights. What is its
# state? It flies for 100 steps. Why does its gradient neither fade nor explode, and which other simulation could worry you?

# %% [markdown]
# ## What to remember
#
# - A recurrent network carries a state from step to step. Unrolled, it is a deep network whose layers have the same weights.
# - Each use of a weight contributes the state that went into it, times what arrives there. The contributions add up.
# - Thirty multiplications by the same matrix: if its largest eigenvalue is below 1, the gradient vanishes; above 1 it may explode.
# - A memory that adds has a path with slope 1 at every step. A gate chooses what is added.
# - A cut leaves all values and takes a part of the gradient away. Clipping by norm leaves the direction.
#
# **Read on.** Hochreiter, Schmidhuber, *Long Short-Term Memory* (1997). Pascanu, Mikolov, Bengio, *On the Difficulty of Training Recurrent
# Neural Networks* (2013). Werbos, *Backpropagation Through Time: What It Does and How to Do It* (1990).
