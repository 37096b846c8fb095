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

# %% [markdown] slide="24 old throws: at which angle, and how far. A new distance is asked for.\n\n**Which old angle do you use?**" notes="2 minutes. Let two students say how they would use the notebook: one takes the nearest, one takes a mean. Both are right, and the sharpness says how much."
# # 10. Attention from scratch
#
# In a notebook stand 24 old throws: at which angle the ball was thrown, and how far it came. Now a new
# distance is asked for, which is not in the notebook. Which old angle do you use? From the answer to this
# question one can build the machine that writes texts. In this lesson you write attention in ten lines, take
# it backward by hand, and watch it learn. You need lesson 5. The lesson takes 50 minutes.
#
# Afterwards you can
#
# - say what query, key and value are, and why the scores are divided by a root,
# - differentiate softmax, attention and layer normalisation with a pencil,
# - say what a mask is for, and see in a Jacobian whether it works,
# - train a small model that writes.

# %% tags=["setup"]
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import minitape as tf
import viz

# %% [markdown] slide="## Look it up softly\n\nA mean of *all* old angles, each with a weight: the nearer its distance, the larger."
# ## Look it up softly
#
# The ball of lesson 1, thrown with 20 m/s against drag and wind. Here are the 24 old throws; `lands` says where a
# ball with a given angle comes down. (Its steps are coarse. But it made the old throws and judges the new ones, so
# a miss is not blurred by that.)


# %% tags=["setup"]
def lands(angles):
    """Where throws of 20 m/s come down, in metres. Steps of 1/40 s make all of them 0.3 to 0.5 m short."""
    angles = np.asarray(angles)
    place = np.stack([0.0 * angles, 1.5 + 0.0 * angles], 1)
    speed = 20.0 * np.stack([np.cos(angles), np.sin(angles)], 1)
    found = np.full(len(angles), np.nan)
    for _ in range(160):
        wind = np.stack([-6.0 * np.tanh(place[:, 1] / 5.0), 0.0 * angles], 1)
        air = speed - wind
        speed = speed + 0.025 * (
            -0.02 * np.linalg.norm(air, axis=1, keepdims=True) * air - [0.0, 9.81]
        )
        new = place + 0.025 * speed
        part = place[:, 1] / (place[:, 1] - new[:, 1])
        touches = np.isnan(found) & (new[:, 1] < 0)
        found[touches] = (place + part[:, None] * (new - place))[touches, 0]
        place = new
    return found


# %%
angles = np.random.default_rng(0).uniform(0.05, 0.5, 24)
distances = lands(angles)
wanted = np.linspace(11.0, 20.0, 40)


def looked_up(sharpness):
    """An angle for each wanted distance: a mean of all old angles, the nearest count most."""
    scores = -sharpness * (wanted[:, None] - distances) ** 2
    return tf.nn.softmax(scores) @ angles[:, None]


def miss(sharpness):
    """How far such throws come down from where they should, on average."""
    return np.abs(lands(looked_up(sharpness).numpy()[:, 0]) - wanted).mean()


print(f"all old throws alike: {miss(0.0):.2f} m")

# %%
with viz.predict(
    "The sharper, the more the nearest old throw counts. Is it best to take the nearest one alone?",
    "No. The nearest alone misses by 0.28 m; a soft mean of the near ones lies between them, "
    "where the wanted throw lies too.",
    alt="The mean miss over the sharpness, both on logarithmic axes: a valley. It falls from 2.6 m at the left "
    "to 0.2 m at a sharpness of about 3, and rises again to 0.3 m at the right.",
):
    sharp = np.logspace(-2, 3, 21)
    misses = [miss(each) for each in sharp]
    plt.figure(figsize=(6, 2.8))
    plt.loglog(sharp, misses, "o-")
    plt.xlabel("sharpness")
    plt.ylabel("mean miss [m]")
    plt.show()
    print(f"0.1: {miss(0.1):.2f} m, 3: {miss(3.0):.2f} m, the nearest alone: {miss(1000.0):.2f} m")

# %% [markdown]
# Three words, and you know attention:
#
# - the **query** is what we ask for (the wanted distance),
# - a **key** is what each old entry is found by (its distance),
# - a **value** is what it gives (its angle).
#
# A score says how well query and key fit. Softmax makes weights of the scores. The answer is the weighted mean of the
# values. Each step has a gradient, so the sharpness can be *learnt*, and so can everything else.

# %% [markdown] notes="7 minutes with the section before. Write the three words above the three arrays on the board."
# ## Softmax, backward
#
# Softmax makes $p_i = e^{s_i}/S$ with $S = \sum_j e^{s_j}$. How does $p_i$ change with $s_j$? In the numerator
# only for $i = j$, in $S$ always:
#
# $$\frac{\partial p_i}{\partial s_j} = p_i \, ([i = j] - p_j)$$
#
# With the cotangent $g$ of $p$, the share of $s_j$ is the sum over all $i$:
#
# $$\bar s_j = p_j \, \Big(g_j - \sum_i g_i \, p_i\Big)$$
#
# In words: **take the weighted mean away, then multiply by the weight.** What all cotangents have in common cannot
# matter, since the weights always add up to one.

# %%
s = tf.constant([[2.0, 1.0, 0.0]], tf.float64)
g = tf.constant([[1.0, 0.0, 0.5]], tf.float64)

with viz.recording(), tf.GradientTape() as tape:
    tape.watch(s)
    powers = tf.exp(s)
    total = tf.reduce_sum(powers, axis=1, keepdims=True)
    p = powers / total

viz.step(tape, p, s, output_gradients=g, title="Softmax, made of its parts")


# %%
def softmax_backward(p, g):
    """The cotangent of the scores from that of the weights."""
    return p * (g - np.sum(g * p, axis=-1, keepdims=True))


with viz.predict(
    "What is the sum of the three shares?",
    "0: a number that is added to all scores changes no weight.",
):
    by_hand = softmax_backward(p.numpy(), g.numpy())
    print("by hand:", by_hand.round(4), "sum:", round(abs(by_hand.sum()), 12))
    print("by tape:", tape.gradient(p, s, output_gradients=g).numpy().round(4))

# %% [markdown] slide="## Attention\n\n$A = \\text{softmax}(QK^T/\\sqrt d + \\text{mask})$\n\n$\\text{out} = A\\,V$"
# ## Attention
#
# Now queries, keys and values are rows of matrices, and a score is a product of a query and a key. With $d$ numbers
# in a row:
#
# $$A = \text{softmax}(Q K^T / \sqrt d + M)$$
#
# $$\text{out} = A \, V$$
#
# $M$ is a mask: 0 where one may look, $-10^9$ where one may not. (After softmax that is a weight of 0.) A model of
# texts must not look at letters that come later, since those are what it shall guess.


# %% slide="Ten lines"
def attention(q, k, v, mask):
    """Each row of q looks at the rows of k, and takes a mean of the rows of v."""
    scores = q @ tf.linalg.matrix_transpose(k) / q.shape[-1] ** 0.5
    weights = tf.nn.softmax(scores + mask)
    return weights @ v, weights


def causal(length):
    """No place may look at a later one."""
    return np.triu(np.full((length, length), -1e9), 1)


draw = np.random.default_rng(0)
q, k, v = (tf.constant(draw.normal(size=(4, 2)).round(1)) for _ in range(3))

with viz.recording(), tf.GradientTape(persistent=True) as tape:
    tape.watch([q, k, v])
    out, weights = attention(q, k, v, causal(4))

viz.step(tape, out, [q, k, v], title="Four places, two numbers each")

# %% [markdown] notes="5 minutes. Shapes on the board: (n, n) for A, (n, d) for the others. There is one way to multiply that fits."
# Backward it is "multiply swaps", four times, with the rule of softmax between them. Let $g$ be the cotangent of the
# output:
#
# - $\bar V = A^T g$, and $\bar A = g \, V^T$,
# - $\bar S$ is softmax's rule on $\bar A$,
# - $\bar Q = \bar S K / \sqrt d$, and $\bar K = \bar S^T Q / \sqrt d$.

# %%
g = draw.normal(size=(4, 2))
A, Q, K, V = (each.numpy() for each in (weights, q, k, v))
for_v, for_weights = A.T @ g, g @ V.T
for_scores = softmax_backward(A, for_weights)
by_hand = [for_scores @ K / 2**0.5, for_scores.T @ Q / 2**0.5, for_v]
by_tape = tape.gradient(out, [q, k, v], output_gradients=tf.constant(g))
for name, mine, theirs in zip("QKV", by_hand, by_tape, strict=True):
    print(name, "agrees to 12 digits:", np.allclose(mine, theirs, rtol=1e-12, atol=1e-14))

# %% [markdown]
# Does the mask work? The Jacobian of the outputs by the values says who looks at whom. Above the diagonal
# blocks all must be zero:

# %%
viz.jacobian(tape, out, v)

# %% [markdown] notes="5 minutes. The good question: in which of the four backward formulas does the sharp softmax hurt?"
# ### Why the root?
#
# A score is a sum of $d$ products. If each has size about 1, the sum has a spread of about $\sqrt d$. Large scores
# make softmax sharp, and a sharp softmax is flat: its slope is $p(1 - p)$.

# %%
for width in (4, 64, 1024):
    queries, keys = draw.normal(size=(200, width)), draw.normal(size=(16, width))
    for name, scale in [("undivided", 1.0), ("divided", width**-0.5)]:
        scores = queries @ keys.T * scale
        largest = tf.nn.softmax(scores).numpy().max(1)
        slope = np.mean(largest * (1 - largest))
        print(
            f"width {width:4} {name:9}: spread {scores.std():5.2f}, largest weight {largest.mean():.2f}, slope {slope:.2f}"
        )

# %% [markdown] slide="## Layer normalisation\n\n$\\bar x = (g - \\text{mean}(g) - h\\,\\text{mean}(g h))/\\sigma$"
# ## Layer normalisation, backward
#
# One more part. So that no layer makes numbers grow without end, each row is brought to mean 0 and size 1:
# $h = (x - \mu)/\sigma$. Mean and size depend on every $x$, so there are three paths back, and they sum to
#
# $$\bar x = \frac{g - \text{mean}(g) - h \, \text{mean}(g \, h)}{\sigma}$$
#
# Read it: $g$ loses its part along $(1, \ldots, 1)$ and its part along $h$. Those are the two directions that the layer
# forgets: to add a number to all $x$, or to stretch them, changes nothing in $h$.


# %%
def normalised(x):
    """Mean 0 and size 1 in each row."""
    centred = x - tf.reduce_mean(x, axis=-1, keepdims=True)
    size = tf.sqrt(tf.reduce_mean(centred * centred, axis=-1, keepdims=True) + 1e-5)
    return centred / size


x = tf.constant([[1.0, 2.0, 6.0]], tf.float64)
g = tf.constant([[1.0, 0.0, -1.0]], tf.float64)
with viz.recording(), tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    h = normalised(x)

H, G = h.numpy(), g.numpy()
sigma = np.sqrt(x.numpy().var() + 1e-5)
print("by hand:", ((G - G.mean() - H * (G * H).mean()) / sigma).round(4))
print("by tape:", tape.gradient(h, x, output_gradients=g).numpy().round(4))
viz.step(tape, h, x, output_gradients=g, title="Layer normalisation")

# %% [markdown] slide="## The model\n\nLetters become rows of numbers, plus a row for each place. In each block rows look at each other, then a small network works on each row alone. Both *add*."
# ## The model
#
# Letters become rows of numbers, and each place has a row of its own, which is added: attention alone does not know
# what is first and what is last. Then blocks. In each, the rows look at each other (with several **heads**, which look
# independently), and a small network works on each row alone. Both *add* to what is there, so a gradient always
# has a way past them.


# %% tags=["setup"]
def started(letters, length, width, blocks=1, seed=0):
    """All weights of a model, in a dictionary."""
    draw = np.random.default_rng(seed)

    def kernel(a, b, size=None):
        return tf.Variable((draw.normal(size=(a, b)) * (size or a**-0.5)).astype(np.float32))

    w = {"letters": kernel(letters, width, 0.3), "places": kernel(length, width, 0.3)}
    for block in range(blocks):
        for name in ("query", "key", "value", "join"):
            w[f"{name} {block}"] = kernel(width, width)
        w[f"up {block}"], w[f"down {block}"] = kernel(width, 4 * width), kernel(4 * width, width)
    w["out"] = kernel(width, letters)
    return w


# %% tags=["given"] slide="The model"
def model(w, ids, heads=1, mask=True, root=True):
    """Scores of the next letter at each place, and the weights of the last attention.

    `root=False` multiplies by the root that `attention` divides by.
    """
    batch, length = ids.shape
    width, blocks = w["letters"].shape[1], sum(name.startswith("query") for name in w)
    hide = causal(length).astype(np.float32) if mask else np.zeros((length, length), np.float32)

    def split(rows):
        return tf.transpose(tf.reshape(rows, [batch, length, heads, width // heads]), [0, 2, 1, 3])

    x = tf.gather(w["letters"], ids) + w["places"][:length]
    for block in range(blocks):
        h = normalised(x)
        q, k, v = (split(h @ w[f"{name} {block}"]) for name in ("query", "key", "value"))
        q = q if root else q * (width // heads) ** 0.5
        looked, weights = attention(q, k, v, hide)
        x = (
            x
            + tf.reshape(tf.transpose(looked, [0, 2, 1, 3]), [batch, length, width])
            @ w[f"join {block}"]
        )
        x = x + tf.nn.relu(normalised(x) @ w[f"up {block}"]) @ w[f"down {block}"]
    return normalised(x) @ w["out"], weights


def trained(w, batches, steps, rate=3e-3, **how):
    """Changes the weights by Adam; a batch is (ids, next ids, which of them count)."""
    variables, optimizer = list(w.values()), tf.keras.optimizers.Adam(rate)
    for step in range(steps):
        ids, following, counts = next(batches)
        optimizer.learning_rate = rate * max(0.05, 1 - step / steps)
        with tf.GradientTape() as tape:
            scores, _ = model(w, ids, **how)
            each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=following, logits=scores)
            loss = tf.reduce_sum(each * counts) / counts.sum()
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables, strict=True))


# %% [markdown] slide="## A word backward\n\n`tape|` is to be answered by `epat`. The model reads from left to right and guesses the next letter." notes="8 minutes. The anti-diagonal is the picture of this lesson: nobody programmed it."
# ## A word backward
#
# First a task whose solution we know: `tape|` is to be answered by `epat`. Eight letters, a bar, then the same letters
# backward. The model reads from left to right and guesses the next letter; only the answer counts.


# %% tags=["given"]
def words(draw, size=32):
    """Words of 8 letters (1 to 26), the bar (0), and the words backward."""
    forth = draw.integers(1, 27, (size, 8))
    whole = np.concatenate([forth, np.zeros((size, 1), int), forth[:, ::-1]], 1)
    counts = np.zeros((size, 16), np.float32)
    counts[:, 8:] = 1
    return whole[:, :-1], whole[:, 1:], counts


def batches(seed):
    draw = np.random.default_rng(seed)
    while True:
        yield words(draw)


def right(w, **how):
    """The share of 300 new words that are answered right from first to last letter."""
    ids, following, _ = words(np.random.default_rng(99), 300)
    return np.mean((model(w, ids, **how)[0].numpy().argmax(-1) == following)[:, 8:].all(1))


def heat(panel, weights, title):
    """Who looks at whom: rows ask, columns answer."""
    panel.imshow(weights, cmap="Greys", vmin=0, vmax=1)
    panel.set_title(title, fontsize=9)
    panel.set_xlabel("looks at place")
    panel.set_xticks(range(0, 16, 4))
    panel.set_yticks(range(0, 16, 4))


# %%
with viz.predict(
    "Place 8 is the bar; from there on the model must answer. At which place must place 8 look, and at which "
    "place 9? How will the picture of the weights look after training?",
    "8 looks at 7, 9 at 6, and so on: a line from the upper right to the lower left, which nobody "
    "programmed. It was found by the gradient alone.",
    alt="Three pictures of the attention weights, 16 rows by 16 columns, dark where a weight is near 1. At the "
    "start the weights are spread over all earlier places. After 60 steps the lower half begins to gather, and "
    "after 300 steps there is a clear line in the rows 8 to 15, from column 7 down to column 0.",
):
    figure, panels = plt.subplots(1, 3, figsize=(9, 3.2))
    reverser, source, done = started(27, 16, 32), batches(0), 0
    one_word = words(np.random.default_rng(9), 1)[0]
    for panel, steps in zip(panels, (0, 60, 300), strict=True):
        trained(reverser, source, steps - done)
        done = steps
        heat(
            panel,
            model(reverser, one_word)[1].numpy()[0, 0],
            f"{steps} steps: {100 * right(reverser):.0f} % right",
        )
    panels[0].set_ylabel("place")
    plt.tight_layout()
    plt.show()
    looks = model(reverser, one_word)[1].numpy()[0, 0, 8:]
    print("from the bar on, the places look at", looks.argmax(1))

# %% [markdown]
# And without the root? The same start and the same three rounds of 100 steps for both:

# %% tags=["varies"]
scaled, unscaled = started(27, 16, 32), started(27, 16, 32)
for w, root in [(scaled, True), (unscaled, False)]:
    source = batches(0)
    for _ in range(3):
        trained(w, source, 100, root=root)
print(f"with the root:    {100 * right(scaled):3.0f} % of whole words after 300 steps")
print(f"without the root: {100 * right(unscaled, root=False):3.0f} %")
ids, following, _ = words(np.random.default_rng(99), 300)
places = (model(unscaled, ids, root=False)[0].numpy().argmax(-1) == following)[:, 8:].mean(0)
print("each place of the answer:", places.round(2))

# %% [markdown]
# Look at single places: most of them are right, and one is not. There softmax is sure of a wrong place, its slope
# $p(1-p)$ is nearly zero, and so the gradient hardly tells it. One start proves little. Of the starts with the
# seeds 0 to 7, all eight learn the task in 300 steps with the root, and about half of them do without it.

# %% [markdown] slide="## It reads this course\n\nReal text: these lessons, in small letters. 32 letters are seen, the next one is guessed." notes="10 minutes. Ask for the guess with numbers: guessing costs log 33 = 3.5."
# ## It reads this course
#
# Now for real text: the sentences of these lessons in small letters, without numbers and formulas. Two blocks, four heads, 64 numbers for each letter; the
# model sees 32 letters and guesses the next one. Of ten pieces of the text one is put aside and never read.

# %%
text = " ".join(Path("data/course.txt").read_text("utf-8").split())
alphabet = sorted(set(text))
ids = np.array([alphabet.index(letter) for letter in text])
parts = ids[: len(ids) // 500 * 500].reshape(-1, 500)
unread = parts[9::10].ravel()
read = np.delete(parts, np.s_[9::10], axis=0).ravel()
print(
    len(text),
    "letters, of",
    len(alphabet),
    "kinds; guessing blindly costs",
    round(np.log(len(alphabet)), 2),
)
print(text[2000:2100])


# %% tags=["setup"]
def pieces(source, seed, size=16):
    """Pieces of 32 letters with the letters that follow."""
    draw = np.random.default_rng(seed)
    while True:
        begin = draw.integers(0, len(source) - 32, size)
        z = source[begin[:, None] + np.arange(33)]
        yield z[:, :-1], z[:, 1:], np.ones((size, 32), np.float32)


def cost(w, source, **how):
    """The mean cross-entropy on 20 batches, in a text."""
    costs = []
    for _, (now, following, _) in zip(range(20), pieces(source, 2), strict=False):
        scores, _ = model(w, now, 4, **how)
        each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=following, logits=scores)
        costs.append(float(tf.reduce_mean(each)))
    return np.mean(costs)


def written(w, begin="the gradient ", count=140, **how):
    """What the model writes, a letter at a time."""
    draw, out = np.random.default_rng(1), [alphabet.index(letter) for letter in begin]
    for _ in range(count):
        scores = model(w, np.array([out[-32:]]), 4, **how)[0].numpy()[0, -1] / 0.7
        p = np.exp(scores - scores.max())
        out.append(draw.choice(len(alphabet), p=p / p.sum()))
    return "".join(alphabet[each] for each in out)


# %% tags=["varies"]
with viz.predict(
    "First a model without the mask, for 300 steps. What does one letter cost it in text that it never read? "
    "Guessing costs 3.5; what do you expect?",
    "Next to nothing! It looks at the next letter and copies it. And when it has to write, there is no next letter to "
    "copy. A loss that is too good to be true is a leak.",
):
    cheat = started(len(alphabet), 32, 64, blocks=2)
    trained(cheat, pieces(read, 0), 300, heads=4, mask=False)
    print(f"a letter of unread text costs {cost(cheat, unread, mask=False):.2f}")
    print(written(cheat, mask=False))

# %% [markdown]
# Now with the mask. This is the longest cell of the course: on a laptop about twenty seconds, in a browser some minutes.

# %% tags=["varies"]
writer, source = started(len(alphabet), 32, 64, blocks=2), pieces(read, 0)
print(f"   0 steps: {cost(writer, unread):.2f}")
print(written(writer)[:70])
for steps in (300, 700):
    trained(writer, source, steps, heads=4)
    print(
        f"\n{steps} steps more: {cost(writer, read):.2f} in text that it read, {cost(writer, unread):.2f} in text that it did not"
    )
    print(written(writer))

# %% [markdown]
# It spells, it knows the favourite words of this course, and it makes lines that look like sentences. It understands nothing.
# Large models are this, with more of everything: more blocks, wider rows, longer texts, and the same four
# backward formulas.
#
# *From the history.* The soft look-up is older than computers on desks: Nadaraya and Watson proposed it in 1964, as a way
# to estimate a curve from points. Bahdanau, Cho and Bengio used it in 2014 so that a translator could look back at
# the sentence. In 2017 Vaswani and others left everything else out: *Attention Is All You Need*.

# %% [markdown] slide="## Exercises\n\nSoftmax backward; a mask; attention backward; heads"
# ## Exercises
#
# Replace each `...` by your code, run the cell, and run the check under it.

# %% [markdown]
# **Exercise 1.** Without looking above: write `softmax_rule(p, g)` in NumPy: from the weights `p` of shape (rows, n) and
# their cotangent `g` the cotangent of the scores.


# %% nbgrader={"grade": false, "grade_id": "softmax-rule", "locked": false, "schema_version": 3, "solution": true, "task": false}
def softmax_rule(p, g):
    """The cotangent of the scores of softmax, row by row."""
    ### BEGIN SOLUTION
    return p * (g - np.sum(g * p, axis=-1, keepdims=True))
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "softmax-rule-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
score = viz.Score(3)
draw = np.random.default_rng(7)
s, g = draw.normal(size=(3, 4)), draw.normal(size=(3, 4))
p = np.exp(s) / np.exp(s).sum(1, keepdims=True)
found = softmax_rule(p, g)
assert found is not None, "Nothing is returned yet: take the weighted mean of g away, times p."
assert np.shape(found) == (3, 4), (
    f"The cotangent has the shape of the scores, (3, 4), not {np.shape(found)}."
)
jacobians = [np.diag(row) - np.outer(row, row) for row in p]
right_rule = np.stack([jacobian @ each for jacobian, each in zip(jacobians, g, strict=True)])
if np.allclose(found, p * g):
    hint = (
        "That is p g: through S each score changes every weight. The weighted mean of g is missing."
    )
elif np.allclose(found, p * (g - g.mean(1, keepdims=True))):
    hint = "The mean that is taken away is weighted by p."
elif np.allclose(found, p * (1 - p) * g):
    hint = "p (1 - p) is the diagonal of the Jacobian only."
elif np.allclose(found, p * (g - np.sum(g * p))):
    hint = "Each row has a mean of its own: sum over the last axis, with keepdims."
else:
    hint = "In each row: take the weighted mean of g away, then multiply by p."
if score.part(2, np.allclose(found, right_rule), hint):
    score.part(
        1, np.allclose(softmax_rule(p[None], g[None])[0], right_rule), "For shape (1, 3, 4) too."
    )
score.total("what all cotangents have in common cannot matter.")

# %% [markdown]
# **Exercise 2.** Write `window(length, width)`: a mask of shape (length, length) that lets each place look at itself and at the
# `width - 1` places before it, and at no other.


# %% nbgrader={"grade": false, "grade_id": "window", "locked": false, "schema_version": 3, "solution": true, "task": false}
def window(length, width):
    """0 where one may look, a very negative number elsewhere."""
    ### BEGIN SOLUTION
    back = np.arange(length)[:, None] - np.arange(length)
    return np.where((back >= 0) & (back < width), 0.0, -1e9)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "window-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
score = viz.Score(3)
mask = window(6, 3)
assert mask is not None, "Nothing is returned yet: a matrix of shape (length, length)."
assert np.shape(mask) == (6, 6), f"A mask for 6 places has the shape (6, 6), not {np.shape(mask)}."
powers = np.exp(np.asarray(mask, float))
weights = powers / (powers.sum(1, keepdims=True) + 1e-300)
back = np.arange(6)[:, None] - np.arange(6)
allowed = (back >= 0) & (back < 3)
if (np.where(back < 0, weights, 0) > 1e-6).any():
    later = "A place looks at a later one: a small negative number is not enough, and rows ask, columns answer."
    score.part(1, False, later)
else:
    score.part(1, True, "")
    score.part(
        1, not (np.where(back >= 3, weights, 0) > 1e-6).any(), "One place too far back is seen."
    )
    score.part(
        1,
        (weights[allowed] > 0.1).all(),
        "A place may look at itself, and at both places before it.",
    )
score.total("after softmax what is hidden has the weight 0.")

# %% [markdown]
# **Exercise 3.** Write `attention_backward(Q, K, V, A, g)` in NumPy, for matrices of $n$ rows: `A` are the weights, `g` is the cotangent
# of the output. Return the cotangents of $V$, $A$, $Q$ and $K$, in this order. (A point each.)


# %% nbgrader={"grade": false, "grade_id": "attention-rule", "locked": false, "schema_version": 3, "solution": true, "task": false}
def attention_backward(Q, K, V, A, g):
    """The cotangents of V, A, Q and K."""
    for_V = for_A = for_Q = for_K = None
    ### BEGIN SOLUTION
    for_V, for_A = A.T @ g, g @ V.T
    for_S = A * (for_A - np.sum(for_A * A, axis=-1, keepdims=True))
    root = Q.shape[-1] ** 0.5
    for_Q, for_K = for_S @ K / root, for_S.T @ Q / root
    ### END SOLUTION
    return for_V, for_A, for_Q, for_K


# %% nbgrader={"grade": true, "grade_id": "attention-rule-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
score = viz.Score(4)
draw = np.random.default_rng(3)
Q, K, V, g = (draw.normal(size=(4, 4)) for _ in range(4))
tensors = [tf.constant(each) for each in (Q, K, V)]
with tf.GradientTape(persistent=True) as tape:
    tape.watch(tensors)
    A = tf.nn.softmax(tensors[0] @ tf.transpose(tensors[1]) / 2.0)
    out = A @ tensors[2]
seed = tf.constant(g)
wanted = [
    tape.gradient(out, each, output_gradients=seed).numpy()
    for each in (tensors[2], A, *tensors[:2])
]
answer = attention_backward(Q, K, V, A.numpy(), g)
assert any(each is not None for each in answer), (
    "All four are None yet: begin with V, by multiply swaps."
)
transposed = {"V": A.numpy() @ g, "A": g @ V, "K": None, "Q": None}
for name, mine, theirs in zip("VAQK", answer, wanted, strict=True):
    mine = np.full((4, 4), np.nan) if mine is None else np.asarray(mine)
    if mine.shape == theirs.shape and np.allclose(mine, 2 * theirs):
        hint = f"{name}: twice too large. The scores were divided by the root of d."
    elif transposed[name] is not None and np.allclose(mine, transposed[name]):
        hint = f"{name}: a transpose is missing."
    elif name == "K" and answer[2] is not None and np.allclose(mine.T, theirs):
        hint = "K: transposed. The rows of K are asked by all queries: for_S.T @ Q."
    else:
        hint = f"{name}: not yet. Go back one product at a time, with softmax's rule between A and the scores."
    score.part(1, mine.shape == theirs.shape and np.allclose(mine, theirs), hint)
score.total("four products, each swapped, with the rule of softmax between.")

# %% [markdown]
# **Exercise 4.** Heads. `split(x, heads)` makes of rows `x` of shape (length, width) an array of shape (heads, length,
# width / heads): each head gets its part of *each row*. Write it with NumPy.


# %% nbgrader={"grade": false, "grade_id": "heads", "locked": false, "schema_version": 3, "solution": true, "task": false}
def split(x, heads):
    """The parts of the rows, head by head."""
    ### BEGIN SOLUTION
    length, width = x.shape
    return np.transpose(np.reshape(x, (length, heads, width // heads)), (1, 0, 2))
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "heads-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
score = viz.Score(3)
rows = np.arange(24.0).reshape(4, 6)
parts = split(rows, 2)
assert parts is not None, "Nothing is returned yet: (4, 6) with 2 heads becomes (2, 4, 3)."
score.part(
    1, np.shape(parts) == (2, 4, 3), f"The shape should be (2, 4, 3), and is {np.shape(parts)}."
)
if score.earned:
    mixed = "A reshape alone mixes places: row 0 of head 1 should be the second half of row 0."
    score.part(2, np.array_equal(parts, [rows[:, :3], rows[:, 3:]]), mixed)
score.total("each head has its part of each row.")

# %% [markdown]
# **To think about.** The reverser learnt 8 letters. Ask it for 10: it cannot. Why not? What should be learnt in place of a row for
# each place?

# %% [markdown] notes="It has learnt places, not the idea of backward: place 12 looks at place 3, and there never was a place 17."
# ## What to remember
#
# - Attention is a soft look-up: scores of queries and keys, softmax, a weighted mean of values.
# - Softmax backward: take the weighted mean away, times the weight. Layer normalisation backward: take two parts away.
# - Divide by $\sqrt d$, or softmax starts sharp and its gradient is nearly zero.
# - A mask is checked with a Jacobian, and a loss that is too good is a leak.
#
# **Read on.** Nadaraya, *On Estimating Regression*, 1964; Watson, *Smooth Regression Analysis*, 1964; Bahdanau, Cho, Bengio, *Neural
# Machine Translation by Jointly Learning to Align and Translate*, 2014; Vaswani and others, *Attention Is All You Need*,
# 2017; Ba, Kiros, Hinton, *Layer Normalization*, 2016; Karpathy, *minGPT*, 2020.
#
# Next: a clinic for networks that do not learn.
