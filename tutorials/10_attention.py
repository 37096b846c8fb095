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

# %% [markdown] slide="24 old throws: the angle of each, and how far the ball flew. Now you want a new distance.\n\n**Which old angle do you use?**" notes="2 minutes. Let two students say how they would use the list. One takes the nearest throw, another takes a mean of several. Ask both what goes wrong with the other way."
# # 10. Attention: a soft look-up
#
# A notebook lists 24 old throws: the angle of each, and how far the ball flew. Now you want a new distance, one that is not on the list. **Which old angle do you
# use?** The answer fits into three lines of code. It is called attention, and language models are built from it.
#
# You need lesson 5, and the Jacobian of lesson 2. The lesson takes 50 minutes; the exercises are homework. If you type along: a cell that begins with *Given* is only run.
#
# Afterwards you can
#
# - say what query, key and value are,
# - differentiate softmax and attention with a pencil,
# - hide from a position what it must not see, and test that it is hidden,
# - say why the scores are divided by a root.

# %% tags=["setup"]
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import minitape as tf
from minitape import viz
from minitape.viz.course.motion import sharpening

viz.figures()

# %% [markdown] slide=""
# ## Look it up softly
#
# The ball is that of lesson 1, thrown at 20 m/s against drag and wind. Here are the 24 old throws.


# %% tags=["setup", "given"]
# Given: the throw of lesson 1, for many angles at once.
def lands(angles):
    """Where throws of 20 m/s land, in metres. Steps of 1/40 s make ours 0.3 to 0.4 m short."""
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


# %% tags=["picture", "given"] slide="No old throw came down at 16.5 m" notes="1 minute. Ask for an angle, before anybody speaks of a method. They will say something near 0.2." alt="Twenty-four dots: the angle of an old throw over the distance at which it came down, from 11.5 m to 21.6 m, rising from the lower left to the upper right with gaps. A dashed upright line at 16.5 m stands in one of the gaps, with a question mark."
# Given: the old throws, and their picture.
angles = np.random.default_rng(0).uniform(0.05, 0.5, 24)
distances = lands(angles)
plt.figure(figsize=(6, 2.8))
plt.plot(distances, angles, "o", color="#c75a0a", markersize=5)
plt.axvline(16.5, linestyle="--", color="gray")
plt.text(16.65, 0.4, "?", fontsize=22)
plt.xlabel("distance [m]")
plt.ylabel("angle [rad]")
plt.show()

# %% [markdown] slide="## Take a mean of all angles, and let near throws count more\n\nscore $= -$ sharpness $\\cdot$ (distance wanted $-$ old distance)$^2$\n\nSoftmax turns the scores into weights.\n\nThe answer: the weighted mean of the angles." notes="2 minutes. Softmax is that of lesson 5: positive weights whose sum is 1."
# No old throw came down at 16.5 m, so we take a weighted mean of *all* old angles, and near throws get more weight. Each throw gets a score: the squared distance
# between where it landed and where we want to land, times minus a number that we choose, the *sharpness*. The softmax of lesson 5 turns the scores into weights.


# %% tags=["given"] slide="The look-up is two lines"
# Given.
wanted = np.linspace(11.0, 20.0, 40)  # new distances


def looked_up(sharpness, wanted=wanted):
    """An angle for each wanted distance: a weighted mean of the old angles."""
    scores = -sharpness * (wanted[:, None] - distances) ** 2
    return tf.nn.softmax(scores) @ angles[:, None]


def miss(sharpness):
    """How far from the wanted distance such throws land, on average."""
    return np.abs(lands(looked_up(sharpness).numpy()[:, 0]) - wanted).mean()


# %% tags=["picture"] slide="All throws alike, something between, or the nearest alone? | Between: a soft mean of the near ones | Too soft misses, and so does too sharp" notes="3 minutes. Count hands for each of the three before you open the fold."
with viz.predict(
    "We try 40 new distances. The larger the sharpness, the more the nearest old throw counts. Which is best: all throws alike, something between, "
    "or the nearest throw alone?",
    "Something between. The nearest alone misses by 0.28 m on average, and a soft mean of the near ones "
    "by 0.22 m.",
    alt="The mean miss over the sharpness, both on logarithmic axes: a valley. It falls from 2.6 m at the left "
    "to 0.2 m at a sharpness of about 3, and rises again to 0.3 m at the right.",
):
    sharp = np.logspace(-2, 3, 21)
    misses = [miss(each) for each in sharp]
    plt.figure(figsize=(6, 2.8))
    plt.loglog(sharp, misses, "o-")
    plt.gca().set(xlabel="sharpness", ylabel="mean miss [m]")
    plt.yticks([0.2, 0.3, 0.5, 1.0, 2.0], ["0.2", "0.3", "0.5", "1", "2"])
    plt.minorticks_off()
    plt.show()
    for each in (0.0, 0.1, 0.5, 3.0, 1000.0):
        print(f"sharpness {each:g}: {miss(each):.2f} m")

# %% [markdown] slide=""
# The picture says why. We turn the sharpness up: at first every distance gets the mean of all angles, and in the end the curve is a staircase, with a level
# step at each old throw. The green curve is the angle that hits. It changes gradually from throw to throw, and so does a soft mean.
#
# (A straight line between the two neighbours misses by only 0.03 m. But it needs entries that can be put in order. A soft look-up needs only a score, so it also works for
# words, and all of it can be learnt.)

# %% tags=["picture"] minutes=1 slide="From one mean for all to a staircase" notes="2 minutes. Stop it where the curve follows the dots best. Then ask: what would be the right sharpness in the wide gap at 16.5 m?"
fine = np.linspace(11.0, 20.0, 151)
tried = np.linspace(0.04, 0.5, 200)
hits = np.interp(fine, lands(tried), tried)  # the angle that hits, found by many throws
sharpness = [0.001, 0.03, 0.1, 0.3, 1.0, 3.0, 1000.0]
sharpening(
    [place for place in zip(distances, angles, strict=True) if place[0] < 20.0],
    {
        f"sharpness {s:g}": list(zip(fine, looked_up(s, fine).numpy()[:, 0], strict=True))
        for s in sharpness
    },
    ["sharpness 0.001", "sharpness 3", "sharpness 1000"],
    ("distance [m]", "angle [rad]"),
    "The angle over the distance, 11 m to 20 m: the old throws as dots on a green curve, the angle that hits, which rises from the lower left to the upper right, and the curve of what is looked up. "
    "With a sharpness of 0.001 it is nearly level. As the sharpness grows, it turns until it follows the dots, closest at 3. At 1000 it is a staircase with a level step at each dot, "
    "now above the green curve and now below it.",
    truth=("the angle that hits", list(zip(fine, hits, strict=True))),
    ticks=(range(12, 21, 2), (0.1, 0.2, 0.3)),
)

# %% slide="For 16.5 m, in the wide gap" notes="1 minute. Here 0.5 is best, and elsewhere 3. One sharpness does not fit all gaps."
for each in (1000.0, 3.0, 0.5):
    answer = looked_up(each, np.array([16.5])).numpy()[:, 0]
    print(f"sharpness {each:6g}: angle {answer[0]:.3f}, lands at {lands(answer)[0]:.2f} m")

# %% [markdown] slide=""
# 16.5 m lies in the widest gap, and here 0.5 is better than 3. Over all 40 distances 3 is better (0.22 m against 0.34). One sharpness does not fit every gap: that is why
# the look-up itself will be learnt.

# %% [markdown] slide="## A look-up has a query, keys and values\n\n- **Query**: what is asked for: the wanted distance.\n- **Key**: what an entry is found by: its distance.\n- **Value**: what an entry gives: its angle." notes="2 minutes. Leave the three words on the board. Later they stand above Q, K and V."
# ## Query, key, value
#
# Three words describe every look-up.
#
# - The **query** is what is asked for: here the wanted distance.
# - A **key** is what an entry is found by: here the distance of an old throw.
# - A **value** is what the entry gives: here its angle.
#
# A score says how well the query and a key fit. Softmax turns the scores into **attention weights**, and the answer is the weighted mean of the values. An ordinary
# look-up takes one entry and has no slope. This one takes a little of every entry, so it has a gradient, and what it asks for can be *learnt*.
# That takes two backward passes: that of softmax, and that of the look-up.

# %% [markdown] slide="## Softmax backward subtracts the weighted mean\n\n$$\\frac{\\partial p_i}{\\partial s_j} = p_i \\, ([i = j] - p_j)$$\n\n$$\\bar s_j = p_j \\, \\Big(g_j - \\sum_i g_i \\, p_i\\Big)$$" notes="4 minutes. Derive the first line on the board: the numerator gives the 1, the sum gives the p. Then let them add up over i."
# ## Softmax, backward
#
# Softmax computes $p_i = e^{s_i}/S$ with $S = \sum_j e^{s_j}$. How does $p_i$ change with $s_j$? The numerator changes only for $i = j$, and $S$ always changes. Write
# $[i = j]$ for the number that is 1 for $i = j$ and 0 otherwise. By the quotient rule,
#
# $$\frac{\partial p_i}{\partial s_j} = \frac{[i = j] \, e^{s_i} S - e^{s_i} e^{s_j}}{S^2}$$
#
# Each $e^s/S$ is a $p$, so
#
# $$\frac{\partial p_i}{\partial s_j} = p_i \, ([i = j] - p_j)$$
#
# Let $g$ be the cotangent of $p$. Every $p_i$ contributes to the cotangent of $s_j$, so we add up over all $i$:
#
# $$\bar s_j = \sum_i g_i \, p_i \, ([i = j] - p_j) = g_j \, p_j - p_j \sum_i g_i \, p_i$$
#
# $$\bar s_j = p_j \, \Big(g_j - \sum_i g_i \, p_i\Big)$$
#
# In words: **subtract the weighted mean, then multiply by the weight.**


# %% slide="The rule of softmax is one line"
def softmax_backward(p, g):
    """The cotangent of the scores from that of the weights."""
    return p * (g - np.sum(g * p, axis=-1, keepdims=True))


# %% tags=["given"] slide=""
# Given: a softmax made of its parts, on a tape.
s = tf.constant([[2.0, 1.0, 0.0]], tf.float64)
g = tf.constant([[1.0, 0.2, 0.5]], tf.float64)

with viz.recording(), tf.GradientTape() as tape:
    tape.watch(s)
    powers = tf.exp(s)
    total = tf.reduce_sum(powers, axis=1, keepdims=True)
    p = powers / total

# %% tags=["picture"] slide="What is the sum of the cotangent of the scores? | Zero, whatever g is | Two paths lead back to each power" notes="3 minutes. The player opens at *accumulate*: two paths lead back to the powers, one of them through the sum."
with viz.predict(
    "Three scores, and g = (1, 0.2, 0.5). The cotangent of the scores has three elements. What is their sum: 0, 1, or 1.7?",
    "0. Adding the same number to all scores changes no weight, so along that direction there is no slope.",
) as asked:
    player = viz.step(
        tape, p, s, output_gradients=g, title="Softmax, made of its parts", at="powers"
    )
    by_hand = softmax_backward(p.numpy(), g.numpy())
    print("by hand:", by_hand.round(4), "sum:", round(abs(by_hand.sum()), 12))
    print("by tape:", tape.gradient(p, s, output_gradients=g).numpy().round(4))
    asked.show(player)

# %% [markdown] slide="## Attention is a look-up in matrices\n\n$$A = \\text{softmax}(Q K^T / \\sqrt d + M)$$\n\n$$\\text{out} = A\\,V$$\n\n$Q, K, V$: a query, a key, a value in each row. $d$: the width of a query. $M$: the mask." notes="3 minutes. Write query, key and value above the three arrays. The root is a riddle for the moment."
# ## Attention
#
# Now a query is a row of numbers, and so are a key and a value. They are the rows of three matrices $Q$, $K$ and $V$, one row for each position, such as a letter of a
# text. The dot product says how well a query and a key fit: it is large where the key reaches far along the query. This is the old score in another form, for
# $-(q - k)^2 = 2 q k - q^2 - k^2$. Softmax ignores $q^2$, which is the same for all keys, and also $k^2$ if all keys have the same length. With $d$ numbers in a row,
#
# $$A = \text{softmax}(Q K^T / \sqrt d + M)$$
#
# $$\text{out} = A \, V$$
#
# With $n$ queries and $m$ keys, $A$ has a row for each query and a column for each key. The scores $Q K^T / \sqrt d$ are called **scaled dot products**, and we come back to the root. $M$ is a **mask**: 0 where a position may look, $-10^9$ where it may not. Softmax turns a score of $-10^9$ into a weight of 0. A model
# that writes must not see later letters, because those are what it has to guess. A mask that hides all later positions is a **causal mask**.


# %% tags=["needed"] slide="Attention is three lines"
def attention(q, k, v, mask):
    """Each row of q looks at the rows of k, and takes a weighted mean of the rows of v."""
    scores = q @ tf.linalg.matrix_transpose(k) / q.shape[-1] ** 0.5
    weights = tf.nn.softmax(scores + mask)
    return weights @ v, weights


def causal(length):
    """No position may look at a later one."""
    return np.triu(np.full((length, length), -1e9), 1)


# %% tags=["given"] slide=""
# Given: queries, keys and values for four positions, and a cotangent g of the output.
draw = np.random.default_rng(22)
q, k, v = (tf.constant(draw.normal(size=(4, 2)).round(1)) for _ in range(3))
g = draw.normal(size=(4, 2)).round(1)

with viz.recording(), tf.GradientTape(persistent=True) as tape:
    tape.watch([q, k, v])
    out, weights = attention(q, k, v, causal(4))

# %% tags=["picture", "given"] minutes=1 slide="The farther a key reaches along the query, the more it counts" alt="Arrows from one point. The query of position 3, dashed, points up and to the right. Dotted lines lead from the tips of key 1 and key 2 straight down onto it, and a dot marks the foot of each. Key 2 reaches farthest along it and has the weight 0.60. Key 1 is nearly parallel to it but shorter, and has 0.27. Key 3 points to the right and a little down, with 0.11. Key 0 points the other way, with 0.03."
# Given: this only draws.
_, panel = plt.subplots(figsize=(6, 4.2))
line = {"length_includes_head": True, "head_width": 0.07}
panel.arrow(0, 0, *q.numpy()[3], color="#c75a0a", linestyle="--", **line)
panel.text(*(0.76 * q.numpy()[3] + [0.12, 0.0]), "query 3", color="#c75a0a", va="center")
for n, key in enumerate(k.numpy()):
    share = weights.numpy()[3, n]
    panel.arrow(0, 0, *key, color="#0a7cc0", width=0.08 * share, **line)
    x, y = q.numpy()[3]
    side = "left" if x * key[1] < y * key[0] else "right"  # of the query
    at = key * (1 + 0.2 / np.linalg.norm(key))
    panel.text(*at, f"key {n}: {share:.2f}", color="#0a7cc0", ha=side, va="center")
unit = q.numpy()[3] / np.linalg.norm(q.numpy()[3])
for key in k.numpy()[1:3]:  # how far they reach along the query
    foot = (key @ unit) * unit
    panel.plot(*np.stack([key, foot]).T, ":", color="0.4", linewidth=1.3)
    panel.plot(*foot, "o", color="0.2", markersize=5)
panel.plot(*np.stack([q.numpy()[3], foot]).T, ":", color="#c75a0a", linewidth=1.3)
panel.set_aspect("equal")
panel.margins(0.2)
panel.axis("off")
plt.show()

# %% [markdown]
# Key 1 points more nearly in the direction of the query. But key 2 is longer and reaches farther along it, so it gets 0.60, and key 1 gets 0.27: the dots mark how far.
#
# Here the three matrices are drawn at random. The player opens at the backward pass of softmax. Its result is 0 in the upper right: no gradient reaches the scores that the mask hides.

# %% tags=["picture"] slide="Four positions: the mask lets no gradient through"
viz.step(tape, out, [q, k, v], output_gradients=tf.constant(g), title="Four positions", at=10)

# %% [markdown] slide="## Attention backward: multiply swaps, four times\n\n- $\\bar V = A^T g$, and $\\bar A = g \\, V^T$\n- $\\bar S$ is softmax's rule on $\\bar A$\n- $\\bar Q = \\bar S K / \\sqrt d$, and $\\bar K = \\bar S^T Q / \\sqrt d$" notes="4 minutes. Shapes on the board for n queries and m keys: (n, m) for A, (n, d) for Q, (m, d) for K, (m, w) for V. Then only one way to multiply fits."
# The backward pass is "multiply swaps", four times, with softmax's rule in between. Let $g$ be the cotangent of the output:
#
# - $\bar V = A^T g$, and $\bar A = g \, V^T$,
# - $\bar S$ is softmax's rule on $\bar A$,
# - $\bar Q = \bar S K / \sqrt d$, and $\bar K = \bar S^T Q / \sqrt d$.

# %% slide="By hand and by tape: the same"
A, Q, K, V = (each.numpy() for each in (weights, q, k, v))
for_v, for_weights = A.T @ g, g @ V.T
for_scores = softmax_backward(A, for_weights)
by_hand = [for_scores @ K / 2**0.5, for_scores.T @ Q / 2**0.5, for_v]
by_tape = tape.gradient(out, [q, k, v], output_gradients=tf.constant(g))
for name, mine, theirs in zip("QKV", by_hand, by_tape, strict=True):
    print(name, "agrees to 12 digits:", np.allclose(mine, theirs, rtol=1e-12, atol=1e-14))

# %% [markdown] slide="## Is it hidden? Ask the Jacobian\n\nThe slopes of all outputs with respect to all values are the attention weights: who looks at whom.\n\nAbove the diagonal all must be 0."
# ## Is it hidden?
#
# A mask is easy to get wrong: off by one, or transposed, or in the wrong place. Training then looks even better, because the network sees what it should guess. How do you test it? With the
# Jacobian of the outputs with respect to the values. It shows who looks at whom, and above the diagonal all must be zero. Here we take only the first number at each
# position: four outputs, four values.

# %% tags=["picture"] slide="Nothing above the diagonal: nobody looks ahead" notes="2 minutes. The picture marks each 0: a path exists there, and the slope is 0 at this point."
with viz.recording(), tf.GradientTape(persistent=True) as looking:
    value = tf.constant(V[:, :1])
    looking.watch(value)
    output, _ = attention(q, k, value, causal(4))

viz.jacobian(looking, output, value)

# %% slide="A mask that is put on after softmax: does it hide the later keys? | It does not: the sum has seen them" notes="3 minutes. Many say that a weight of 0 is a weight of 0. Ask them what the other weights were divided by."
with viz.predict(
    "Somebody forgets the mask, and multiplies the later weights by 0 *after* softmax. Position 3 comes after position 2. Does the output at position 2 still depend on value 3, "
    "on key 3, on both, or on neither?",
    "On key 3 alone. Not on value 3, so above the diagonal the picture would be just as white. But softmax has divided by a sum over all keys, and this sum is in each of the weights "
    "that are left.",
):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([k, v])
        late = tf.nn.softmax(q @ tf.transpose(k) / 2**0.5) * (causal(4) == 0)
        third = (late @ v)[2]
    for name, source in [("value", v), ("key", k)]:
        slopes = tape.jacobian(third, source).numpy()[:, 3]
        print(f"largest slope with respect to {name} 3: {abs(slopes).max():.2f}")

# %% [markdown] slide=""
# So test with respect to the rows from which queries, keys and values are all made. That is exercise 4.

# %% [markdown] slide="## Can it learn whom to ask?\n\nThe answer to `tape|` is `epat`, with eight letters in place of four.\n\nA model with one attention reads from left to right, and guesses the next letter." notes="1 minute. Nobody tells it where to look. It gets words, and the answers."
# ## A word backward
#
# Can it learn whom to ask? Here is the smallest model with attention. Each letter has a row of numbers, and each position has one, because attention ignores the order of
# its rows. The two are added. Three matrices turn these rows into queries, keys and values: this is **self-attention**. (In **cross-attention** the
# queries come from other rows: a translator reads one text while it writes another.) What a position finds goes through a fourth matrix and is added to its row, and the
# last matrix turns the row into a score for each letter that could come next. Lesson 19 makes a model from this that writes sentences.


# %% tags=["given"] slide="The model is six lines"
# Given.
def model(w, ids, mask=True):
    """Scores of the next letter at each position, and the attention weights."""
    length = ids.shape[1]
    x = tf.gather(w["letters"], ids) + w["places"][:length]  # a row for each letter
    q, k, v = (x @ w[name] for name in ("query", "key", "value"))  # three matrices
    found, weights = attention(q, k, v, mask * causal(length).astype(np.float32))
    x = x + found @ w["join"]  # what was found is added
    return x @ w["out"], weights  # a score for each letter


# %% tags=["setup", "given"]
# Given: how the weights begin, and how they are trained.
def started(letters, length, width, seed=0):
    """All weights of a model, drawn at random."""
    draw = np.random.default_rng(seed)

    def drawn(rows, columns, spread=None):
        drawn = draw.normal(size=(rows, columns)) * (spread or rows**-0.5)
        return tf.Variable(drawn.astype(np.float32))

    w = {"letters": drawn(letters, width, 0.3), "places": drawn(length, width, 0.3)}
    w |= {name: drawn(width, width) for name in ("query", "key", "value", "join")}
    return w | {"out": drawn(width, letters)}


def trained(w, batches, steps, **how):
    """Changes the weights with Adam (lesson 17); a batch is (ids, next ids, which of them count)."""
    variables, optimizer = list(w.values()), tf.keras.optimizers.Adam()
    for step in range(steps):
        ids, following, counts = next(batches)
        optimizer.learning_rate = 3e-3 * (1 - step / steps)
        with tf.GradientTape() as tape:
            scores, _ = model(w, ids, **how)
            each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=following, logits=scores)
            loss = tf.reduce_sum(each * counts) / counts.sum()
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables, strict=True))


# %% [markdown] slide=""
# The task: the answer to `tape|` is `epat`, with eight letters in place of four. The model reads from left to right and guesses the next letter, and only the answer counts.


# %% tags=["setup", "given"]
# Given: the words, and how we look at the result.
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


def right(w):
    """The fraction of 300 new words that are answered right from first to last letter."""
    ids, following, _ = words(np.random.default_rng(99), 300)
    return np.mean((model(w, ids)[0].numpy().argmax(-1) == following)[:, 8:].all(1))


# %% tags=["picture"] slide="Eight letters, a bar, and then? Where must it look? | At 7, 6, 5 ...: a line that nobody programmed | Three hundred steps teach it whom to ask" notes="3 minutes. Let them draw the dark squares into an empty 16 by 16 table on paper, before the fold is opened."
with viz.predict(
    "Position 8 is the bar; from there on the model must answer. At which position must 8 look, and at which "
    "must 9? How will the picture of the weights look after training?",
    "8 looks at 7, 9 at 6, and so on: a line from the upper right to the lower left, which nobody "
    "programmed. Gradient descent alone found it.",
    alt="Two pictures of the attention weights, 16 rows by 16 columns, dark where a weight is near 1. At the "
    "start the weights are spread over all earlier places. After 300 steps there is a clear line in the rows 8 to 15, from column 7 down to column 0.",
):
    _, panels = plt.subplots(1, 2, figsize=(7, 3.4), layout="constrained")
    shown = "backward|drawkca"
    reverser = started(27, 16, 32)
    one_word = np.array([["|abcdefghijklmnopqrstuvwxyz".index(letter) for letter in shown]])
    for panel, steps in zip(panels, (0, 300), strict=True):
        trained(reverser, batches(0), steps)
        seen = model(reverser, one_word)[1].numpy()[0]
        panel.imshow(seen, cmap="Greys", vmin=0, vmax=1)
        panel.set_title(f"{steps} steps: {100 * right(reverser):.0f} % right", fontsize=13)
        panel.set(xlabel="looks at", xticks=range(16), yticks=range(16))
        panel.set_xticklabels(shown, fontsize=11)
        panel.set_yticklabels(shown, fontsize=11)
    panels[0].set_ylabel("position with this letter", fontsize=12)
    plt.show()
    looks = seen[8:]
    print("from the bar on, the positions look at", looks.argmax(1))

# %% tags=["given"] slide=""
# Given: a word of six letters, which is answered letter by letter.
signs = "|abcdefghijklmnopqrstuvwxyz"
so_far = [signs.index(letter) for letter in "simple|"]
for _ in range(6):
    so_far.append(int(model(reverser, np.array([so_far]))[0].numpy()[0, -1].argmax()))
print("simple backward:", "".join(signs[each] for each in so_far[7:]))

# %% [markdown] slide=""
# Ask it for `simple`, with six letters, and it answers nonsense. It has learnt positions, not the idea of backward: position 11 looks at position 4, whatever stands there.

# %% [markdown] slide="## Why the root?\n\nA score is a sum of $d$ products. The wider the rows, the larger the sum." notes="1 minute. How large is a sum of 1024 random signs? About 32: lesson 18 has this argument, too."
# ## Why the root?
#
# A score is a sum of $d$ products. If these are independent, with mean 0 and standard deviation 1, the sum has the standard deviation $\sqrt d$. What does softmax make of such
# scores?

# %% slide="Width 1024 and no root: how large is the largest of 16 weights? | Nearly all of it, and the slopes are gone" notes="3 minutes. Ask where the sharp softmax hurts on the way back, and which of Q, K and V still learns. The slopes p (1 - p) stand in softmax's rule; V does not pass it."
attended = {}
with viz.predict(
    "200 queries look at 16 keys each. All have 1024 numbers, drawn at random. Without the root, how large is the largest of the 16 weights, on average: about 0.1, about 0.5, or nearly 1?",
    "0.96. Nearly every query sees a single key, and nobody has taught it which. The slopes p (1 - p) of all 16 weights together are 0.05. With the root the largest weight "
    "is 0.25, and the slopes are 0.87.",
):
    drawn = np.random.default_rng(0)
    for width in (4, 64, 1024):
        queries, keys = drawn.normal(size=(200, 1, width)), drawn.normal(size=(200, 16, width))
        for name, scale in [("no root", 1.0), ("divided", width**-0.5)]:
            scores = np.sum(queries * keys, axis=-1) * scale
            rows = attended[name] = tf.nn.softmax(scores).numpy()
            slopes = (rows * (1 - rows)).sum(1).mean()
            print(f"width {width:4} {name}: spread {scores.std():5.2f}, ", end="")
            print(f"largest weight {rows.max(1).mean():.2f}, slopes {slopes:.2f}")

# %% [markdown] slide="## A sharp softmax is flat\n\n$$\\frac{\\partial p_i}{\\partial s_i} = p_i (1 - p_i)$$\n\nIt is nearly 0 near $p = 0$ and near $p = 1$." notes="2 minutes. Sharp is fine at the end of training, where the weights are as they should be. At the start they still have to move."
# The rule of softmax has the slope $p (1 - p)$ on its diagonal, which is nearly 0 near $p = 0$ and near $p = 1$. So a sharp softmax is flat. At the end of training that is
# fine, because then the weights are where they should be. At the start it is not, because they still have to move. Divided by $\sqrt d$, scores have the same spread
# at every width.

# %% tags=["picture", "given"] minutes=1 slide="With the root, every weight can still move" alt="Two bar charts of the weights of 16 keys, with a dot for each slope p (1 - p). Without the root one bar reaches 1, the others cannot be seen, and all dots lie at 0. Divided, all bars are low, the highest at about 0.2, and each dot lies near the top of its bar."
# Given: this only draws.
_, panels = plt.subplots(1, 2, figsize=(8, 2.6), sharey=True, layout="constrained")
for panel, (name, rows) in zip(panels, attended.items(), strict=True):
    panel.bar(range(16), rows[0], color="#9cc9e6", edgecolor="#0a7cc0", label="weight p")
    panel.plot(rows[0] * (1 - rows[0]), "o", color="#c75a0a", markersize=5, label="slope p (1 - p)")
    panel.set_title(f"width 1024, {name}", fontsize=13)
    panel.set_xlabel("key", fontsize=12)
    panel.set_xticks(range(0, 16, 5))
panels[1].legend(fontsize=11)
plt.show()

# %% [markdown] slide="## The same elsewhere\n\n| here | PyTorch | JAX |\n|:--|:--|:--|\n| three lines | `F.scaled_dot_product_attention` | `jax.nn.dot_product_attention` |\n| `causal(n)` | `is_causal=True` | `is_causal=True` |\n| 0 or -1e9 | `attn_mask`: True may look | `mask`: True may look |"
# ## The same elsewhere
#
# Read a boolean mask twice: in most places True means that a position may look, and in one it means that it may not.
#
# | here, and in TensorFlow | PyTorch | JAX |
# |:--|:--|:--|
# | `tf.nn.softmax(s)`: the last axis | `torch.softmax(s, dim=-1)`: the axis must be named | `jax.nn.softmax(s)`: the last axis |
# | `attention(q, k, v, mask)`, three lines | `F.scaled_dot_product_attention(q, k, v)`, (batch, heads, time, width) | `jax.nn.dot_product_attention(q, k, v)`, (batch, time, heads, width) |
# | `causal(n)` | `is_causal=True` | `is_causal=True` |
# | a mask is added: 0 or -1e9 | `attn_mask`: True = may look; numbers are added | `mask`: True = may look; a `bias` is added |
# | `keras.layers.MultiHeadAttention`, in TensorFlow alone | `nn.MultiheadAttention`: True = may *not* look | a library's |

# %% [markdown] slide="## Exercises\n\nThe logarithm of softmax; a mask; a whole layer, backward; who cheats?"
# ## Exercises
#
# Replace each `...` with your answer, run the cell, and run the check below it.
#
# **Exercise 1.** A loss needs the *logarithm* of softmax, $\ell_i = s_i - \log S$. Find its rule with a pencil. Then write `log_softmax_rule(p, g)` in NumPy. It takes
# the softmax `p` of the scores and the cotangent `g` of $\ell$, and returns the cotangent of the scores. Softmax goes along the last axis. One or more axes may come
# before it, as in the shapes (rows, n) and (batch, rows, n).


# %% nbgrader={"grade": false, "grade_id": "log-softmax-rule", "locked": false, "schema_version": 3, "solution": true, "task": false}
def log_softmax_rule(p, g):
    """The cotangent of the scores, when g is the cotangent of the logarithm of p."""
    ### BEGIN SOLUTION
    return g - p * np.sum(g, axis=-1, keepdims=True)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "log-softmax-rule-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
with viz.Score(3) as score:
    draw = np.random.default_rng()  # other numbers each time
    s, g = draw.normal(size=(3, 4)), draw.normal(size=(3, 4))
    p = np.exp(s) / np.exp(s).sum(1, keepdims=True)
    try:
        found = log_softmax_rule(p, g)
    except ValueError as error:
        said = "A sum over the last axis needs keepdims=True to broadcast against its rows, and a Jacobian belongs to a single row."
        raise AssertionError(f"It does not run ({error}). {said}") from error
    assert found is not None, "Nothing is returned yet: the cotangent of the scores."
    assert np.shape(found) == (3, 4), (
        f"The cotangent has the shape of the scores, (3, 4), not {np.shape(found)}."
    )
    jacobians = [np.eye(4) - row for row in p]  # of l_i by s_j: [i = j] - p_j
    right_rule = np.stack([each @ jacobian for jacobian, each in zip(jacobians, g, strict=True)])
    if np.allclose(found, p * (g - np.sum(g * p, axis=1, keepdims=True))):
        hint = "That is the rule of softmax itself. The backward pass goes through the logarithm first: divide g by p."
    elif np.allclose(found, g / p):
        hint = "That is the step from l to p alone. Softmax's rule comes after it."
    elif np.allclose(found, g):
        hint = "That is the direct path alone: log S depends on each score, too, with the slope p."
    elif np.allclose(found, -right_rule):
        hint = "The sign is wrong: what goes through log S is subtracted from g."
    elif np.allclose(found, g * (1 - p)):
        hint = "1 - p is the diagonal of the Jacobian only: log S is in *every* l, so all g of a row go through it."
    elif np.allclose(found, g - g.sum(1, keepdims=True)) or np.allclose(
        found, g - g.mean(1, keepdims=True)
    ):
        hint = "The slope of log S with respect to a score is its weight p: each score gets its own part of the sum."
    elif np.allclose(found, g - np.sum(g * p, axis=1, keepdims=True)):
        hint = "The p stands before the sum: the slope of log S with respect to s_j is p_j, whatever i is."
    elif np.allclose(found, p - g) or np.allclose(found, g - p):
        hint = "That is for one label (lesson 5), where the g of a row add up to -1. Here they need not."
    elif np.allclose(found, g - p * np.sum(g, axis=0)):
        hint = "Take the sum within a row, over the last axis, not over the rows."
    elif np.allclose(found, g - p * np.sum(g)):
        hint = "Each row has its own sum: sum over the last axis, with keepdims."
    else:
        hint = "Two paths lead from s_j to the loss: directly, and through log S, which is in every l of the row."
    if score.part(2, np.allclose(found, right_rule), hint):
        try:
            stacked = np.allclose(log_softmax_rule(p[None], g[None])[0], right_rule)
        except ValueError:
            stacked = False
        score.part(
            1,
            stacked,
            "It must work for (batch, rows, n) too: sum over the last axis, whatever axes come before it.",
        )
    score.total(
        "for one label g is -1 there and 0 elsewhere. That gives p minus 1 at the label, as in lesson 5."
    )
score.earned

# %% [markdown]
# **Exercise 2.** Write `window(length, width)`: a mask of shape (length, length). Each position may look at itself and at the `width - 1` positions before it, and at no
# others.


# %% nbgrader={"grade": false, "grade_id": "window", "locked": false, "schema_version": 3, "solution": true, "task": false}
def window(length, width):
    """0 where a position may look, a very negative number elsewhere."""
    ### BEGIN SOLUTION
    back = np.arange(length)[:, None] - np.arange(length)
    return np.where((back >= 0) & (back < width), 0.0, -1e9)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "window-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
with viz.Score(3) as score:
    later, weak, far, missing, seen = False, False, False, False, False
    draw = np.random.default_rng()  # other lengths each time
    for length, width in ((draw.integers(5, 9), 3), (draw.integers(3, 7), 1), (4, 4)):
        with np.errstate(all="ignore"):
            mask = window(length, width)
        assert mask is not None, "Nothing is returned yet: a matrix of shape (length, length)."
        assert np.shape(mask) == (length, length), (
            f"A mask for {length} positions has the shape ({length}, {length}), not {np.shape(mask)}."
        )
        assert not np.isnan(mask).any(), "nan: 0 times infinity is not a number. Use -1e9."
        assert np.asarray(mask).dtype != bool and np.max(mask) <= 0, (
            "The mask is *added* to the scores: 0 where a position may look, and -1e9, not 0 or False, where it may not."
        )
        mask = np.asarray(mask, float)
        strong = np.where(mask < 0, 40.0, 0.0)  # scores that want to see what is hidden
        powers = np.exp(strong + mask)
        weights = powers / (powers.sum(1, keepdims=True) + 1e-300)
        row, column = np.indices((length, length))
        ahead, allowed = column > row, (column <= row) & (column > row - width)
        weak |= bool(np.any((mask < 0) & (mask > -50)))
        later |= bool((np.where(ahead, weights, 0) > 1e-6).any())
        far |= bool((np.where(ahead | allowed, 0, weights) > 1e-6).any())
        missing |= bool(np.any(mask[allowed] != 0))
        seen |= bool(np.any(mask == 0))
    assert seen, "No position sees any other: the mask is 0 where a position may look."
    if later:
        hint = (
            "rows ask, columns answer. In row i the later positions are to the right of column i."
        )
        if weak:
            hint = "a small negative number is not enough, because a large score outweighs it. Use -1e9."
        score.part(1, False, f"A position looks at a later one: {hint}")
    else:
        score.part(1, True, "")
        hint = "A position too far back is seen, if not for width 3, then for 1: `width - 1` positions are allowed."
        score.part(1, not far, hint)
        hint = "A position may look at itself, and at all `width - 1` positions before it: the mask is 0 there, for width 4, too. If you set slices to 0: does one begin below 0?"
        score.part(1, not missing, hint)
    score.total("after softmax, what is hidden has weight 0.")
score.earned

# %% [markdown]
# **Exercise 3.** One layer of self-attention, all the way back. Queries, keys and values are made from the same rows: $Q = X W_q$, $K = X W_k$, $V = X W_v$. Write
# `layer_backward(X, Wq, Wk, Wv, A, g)` in NumPy. `X` has the shape (n, c), and the three matrices have the shape (c, d). `A` holds the attention weights, and `g` is the
# cotangent of the output $A V$. There is no mask. Return the cotangents of $W_v$, $W_q$, $W_k$ and $X$, in this order. Each is worth a point.


# %% nbgrader={"grade": false, "grade_id": "layer-rule", "locked": false, "schema_version": 3, "solution": true, "task": false}
def layer_backward(X, Wq, Wk, Wv, A, g):
    """The cotangents of Wv, Wq, Wk and X."""
    for_Wv = for_Wq = for_Wk = for_X = None
    ### BEGIN SOLUTION
    Q, K, V = X @ Wq, X @ Wk, X @ Wv
    for_V, for_A = A.T @ g, g @ V.T
    for_S = A * (for_A - np.sum(for_A * A, axis=-1, keepdims=True))
    root = Q.shape[-1] ** 0.5
    for_Q, for_K = for_S @ K / root, for_S.T @ Q / root
    for_Wv, for_Wq, for_Wk = X.T @ for_V, X.T @ for_Q, X.T @ for_K
    for_X = for_Q @ Wq.T + for_K @ Wk.T + for_V @ Wv.T
    ### END SOLUTION
    return for_Wv, for_Wq, for_Wk, for_X


# %% nbgrader={"grade": true, "grade_id": "layer-rule-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    from unittest import mock

    within = {}  # what arrives at Q, K, V and A

    def asked_of(n, c, d):
        """Arguments of the function for n rows of c numbers, and what it should return."""
        draw = np.random.default_rng()  # other numbers each time
        X, Wq, Wk, Wv, g = (draw.normal(size=size) for size in [(n, c), *[(c, d)] * 3, (n, d)])
        tensors = [tf.constant(each) for each in (X, Wq, Wk, Wv)]
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            q, k, v = (tensors[0] @ each for each in tensors[1:])
            A = tf.nn.softmax(q @ tf.transpose(k) / d**0.5)
            out = A @ v
        asked = [*tensors, q, k, v, A]
        found = [s.numpy() for s in tape.gradient(out, asked, output_gradients=tf.constant(g))]
        within.update(zip(["Q", "K", "V", "A"], found[4:], strict=True))
        return (X, Wq, Wk, Wv, A.numpy(), g), [found[3], found[1], found[2], found[0]]

    def answered(arguments):
        """What the function returns, without the help of a tape."""
        taped = AssertionError(
            "By hand, in NumPy: here a tape computes what you should write yourself."
        )
        with mock.patch.object(tf, "GradientTape", side_effect=taped):
            return layer_backward(*arguments)

    (X, Wq, Wk, Wv, A, g), expected = asked_of(4, 4, 4)
    middle = dict(within)
    answer = answered((X, Wq, Wk, Wv, A, g))
    assert isinstance(answer, tuple | list) and len(answer) == 4, (
        "Return four cotangents, of Wv, Wq, Wk and X."
    )
    assert any(each is not None for each in answer), (
        'All four are still None: begin with V, by "multiply swaps", then Wv.'
    )

    def same(answer, expected):
        """Which of the four are right."""
        pairs = zip(answer, expected, strict=True)
        return [np.shape(a) == b.shape and a is not None and np.allclose(a, b) for a, b in pairs]

    here = same(answer, expected)
    others, elsewhere = asked_of(5, 3, 9)
    try:
        there = same(answered(others), elsewhere)
    except (TypeError, ValueError):  # of one that is wrong here, too?
        there = [True, True, True, True] if not all(here) else [False] * 4
    Q, K = X @ Wq, X @ Wk
    for_Q, for_K, for_V, for_A = middle["Q"], middle["K"], middle["V"], middle["A"]
    for_S = 2 * for_Q @ np.linalg.inv(K)  # the scores'
    shares = [for_Q @ Wq.T, for_K @ Wk.T, for_V @ Wv.T]
    no_rule = "softmax's rule is missing between A and the scores."
    no_mean = "look at the mean in softmax's rule. Is it there, weighted, and taken along each row?"
    means = 0.0, for_A.mean(1, keepdims=True), (for_A * A).sum(0), (for_A * A).sum(1)
    unlike = [A * (for_A - each) for each in means]
    swapped = "a transpose is missing: for Q = X W it is X.T @ for_Q."
    slips = {
        "Wv": [
            (X @ for_V, swapped),
            (for_V, "that is the cotangent of V, one product further on."),
            (
                X.T @ A @ g,
                "a transpose is missing at A: row j of V is used by all rows that look at it.",
            ),
        ],
        "Wq": [
            (X @ for_Q, swapped),
            (X.T @ (for_A @ K / 2), no_rule),
            *((X.T @ (each @ K / 2), no_mean) for each in unlike),
            (for_Q, "that is the cotangent of Q, one product further on."),
            (X.T @ (for_S.T @ K / 2), "there is one transpose too many."),
        ],
        "Wk": [
            (X @ for_K, swapped),
            (X.T @ (for_A.T @ Q / 2), no_rule),
            *((X.T @ (each.T @ Q / 2), no_mean) for each in unlike),
            (for_K, "that is the cotangent of K, one product further on."),
            (X.T @ (for_S @ Q / 2), "a transpose is missing at the scores."),
        ],
        "X": [
            *((each, "that is one path of three: contributions add up.") for each in shares),
            *(
                (sum(shares) - each, "that is two paths of three: Q, K and V are made of X.")
                for each in shares
            ),
            (for_Q @ Wq + for_K @ Wk + for_V @ Wv, "the transposes of the matrices are missing."),
        ],
    }
    names = ("Wv", "Wq", "Wk", "X")
    for name, mine, theirs, first, second in zip(names, answer, expected, here, there, strict=True):
        if mine is None:
            score.part(1, False, f"{name} is still None. Go back one product at a time.")
            continue
        mine = np.asarray(mine)
        known = slips[name] + [
            (2 * theirs, "twice too large. The scores were divided by the root of d."),
            (4 * theirs, "four times too large: the root divides in the backward pass, too."),
            (theirs / 2, "half of it: the root of d divides, not d."),
            *(
                (each, f"that is the cotangent of {a}: the order is Wv, Wq, Wk, X.")
                for a, each in zip(names, expected, strict=True)
            ),
        ]
        hints = [
            hint for slip, hint in known if mine.shape == slip.shape and np.allclose(mine, slip)
        ]
        if first:
            hints = ["right for d = 4 only. d is the width of Q; there may be 5 rows of 3 numbers."]
        if name == "X" and not all(here[:3]):
            hints.append("it follows from the others. Fix them first, then look here again.")
        hints.append(
            "not yet. Go back one product at a time, with softmax's rule between A and the scores."
        )
        score.part(1, first and second, f"{name}: {hints[0]}")
    score.total(
        "the tape of lesson 3 does this, product by product: multiply swaps, and contributions add up."
    )
score.earned

# %% [markdown]
# **Exercise 4.** Who cheats? Write `leaks(f, x)`. The function `f` takes rows `x` of shape (n, d) and returns rows of shape (n, w). Return `True` if a row of its output
# depends on a *later* row of `x`, and `False` if none does. Use derivatives at this `x`: `tape.jacobian(out, x)` has the shape (n, w, n, d), first that of the output,
# then that of `x`.


# %% nbgrader={"grade": false, "grade_id": "leaks", "locked": false, "schema_version": 3, "solution": true, "task": false}
def leaks(f, x):
    """Whether an output of f looks at a later row of x."""
    ### BEGIN SOLUTION
    with tf.GradientTape() as tape:
        tape.watch(x)
        out = f(x)
    slopes = np.abs(tape.jacobian(out, x).numpy()).sum((1, 3))  # row i of out by row j of x
    return bool(np.triu(slopes, 1).any())
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "leaks-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
with viz.Score(3) as score:
    x = tf.constant(np.random.default_rng().normal(size=(5, 2)))  # other numbers each time
    next_rows = np.eye(5, k=1)  # times x: the row after each

    def seen_with(mask):
        return lambda rows: attention(rows, rows, rows, mask)[0]

    honest = {
        "attention with its mask": seen_with(causal(5)),
        "each row alone": lambda rows: rows * rows,
        "the row before": lambda rows: tf.constant(np.eye(5, k=-1)) @ rows + rows,
    }
    cheats = {
        "attention without a mask": seen_with(np.zeros((5, 5))),
        "a mask that shows one position too many": seen_with(np.triu(np.full((5, 5), -1e9), 2)),
        "the mean of all rows taken away": lambda rows: (
            rows - tf.reduce_mean(rows, 0, keepdims=True)
        ),
        "a look at the last row from the first alone": lambda rows: (
            rows + tf.constant(np.eye(5, k=4)) @ rows
        ),
        "the next row, once with plus and once with minus": lambda rows: (
            rows + tf.constant(next_rows) @ rows * [1.0, -1.0]
        ),
        "a whisper of the next row next to numbers like 1e20": lambda rows: (
            1e20 * rows + tf.constant(next_rows) @ rows
        ),
        "a look at the next row from the third row alone": lambda rows: (
            rows + tf.constant(np.diag([0.0, 0.0, 1.0, 0.0], 1)) @ rows
        ),
        "the next row, in the first number alone": lambda rows: (
            rows + tf.constant(next_rows) @ rows * [1.0, 0.0]
        ),
        "the next row, in the last number alone": lambda rows: (
            rows + tf.constant(next_rows) @ rows * [0.0, 1.0]
        ),
        "a millionth of the next row": lambda rows: rows + 1e-6 * (tf.constant(next_rows) @ rows),
        "a mask put on after softmax": lambda rows: (
            tf.nn.softmax(rows @ tf.transpose(rows) / 2**0.5) * (causal(5) == 0) @ rows
        ),
    }
    try:
        said = {name: leaks(f, x) for name, f in (honest | cheats).items()}
    except (ValueError, TypeError, IndexError, AttributeError) as error:
        raise AssertionError(
            f"It stops with {error}. Is x watched? tape.jacobian(out, x) has the shape (n, w, n, d): turn it into a table (n, n) of sizes."
        ) from error
    assert not any(each is None for each in said.values()), (
        "Nothing is returned yet: True or False."
    )
    assert not any(np.ndim(each) for each in said.values()), (
        "Return one truth value, not a table of them: np.any(...)."
    )
    accused = [name for name in honest if said[name]]
    missed = [name for name in cheats if not said[name]]
    if accused:
        hint = f"You accuse an honest one: {accused[0]}. Rows ask, columns answer: later is *above* the diagonal, without it."
    else:
        hint = ""
    score.part(1, not accused and len(missed) < len(cheats), hint or "You found no cheat.")
    for count in (2, 0):
        hint = (
            f"Not found: {missed[0]}."
            if missed
            else "If you accuse everybody, you have found nobody."
        )
        if missed and "plus" in missed[0]:
            hint += " Slopes of opposite signs cancel: take their absolute values before you add."
        elif missed and "alone" in missed[0]:
            hint += " Look at every row, and at every number of it."
        elif missed and "whisper" in missed[0]:
            hint += " If you change x and compare, rounding loses it. A derivative of 1 is not lost. Do not compare it with the largest entry either: 1 next to 1e20 counts."
        score.part(1, len(missed) <= count and len(accused) < 3, hint)
    score.total("this is how a mask is tested, and any other promise about who depends on whom.")
score.earned

# %% [markdown]
# **To think about.** In words, for 2 points, graded by hand: a query fits no key at all, and all its scores are very low. What are its weights, and what does it
# answer? What could you add to keys and values, so that it can answer *nothing*?

# %% [markdown]
# ## What to remember
#
# - Attention is a soft look-up: scores of a query and all keys, softmax, a weighted mean of the values.
# - Softmax backward: subtract the weighted mean, then multiply by the weight. What comes out sums to 0.
# - Attention backward: multiply swaps, four times, with softmax's rule in between.
# - A mask hides before softmax. Test it with a Jacobian, with respect to the rows from which queries, keys and values are made.
# - Divide by $\sqrt d$. Without it softmax starts sharp, and its slopes are nearly 0.
#
# **Read on.** Nadaraya, *On Estimating Regression*, 1964; Watson, *Smooth Regression Analysis*, 1964; Bahdanau, Cho, Bengio, *Neural
# Machine Translation by Jointly Learning to Align and Translate*, 2014; Vaswani and others, *Attention Is All You Need*, 2017.

# %% [markdown]
# ## Further: the sharpness, learnt
#
# The look-up of the first page has one parameter, the sharpness. Each old throw asks the others for its own angle, and gradient descent changes the sharpness. A throw must not find itself, so
# a mask hides it.

# %% tags=["given"]
# Given.
itself = np.where(np.eye(24), -1e9, 0.0)


def asked_of_others(sharpness):
    """The loss when each old throw asks all the others for its own angle."""
    scores = -sharpness * (distances[:, None] - distances) ** 2 + itself
    guesses = (tf.nn.softmax(scores) @ angles[:, None])[:, 0]
    return tf.reduce_mean((100 * (guesses - angles)) ** 2)


def learnt_from(start):
    """The sharpness after 60 steps downhill."""
    logarithm = tf.Variable(np.log(start))  # so the sharpness stays positive
    for _ in range(60):
        with tf.GradientTape() as tape:
            loss = asked_of_others(tf.exp(logarithm))
        logarithm.assign_sub(0.3 * tape.gradient(loss, logarithm))
    return float(tf.exp(logarithm))


learnt = learnt_from(0.1)
print(f"start:  0.1, which misses by {miss(0.1):.2f} m")
print(f"learnt: {learnt:.1f}, which misses by {miss(learnt):.2f} m")

# %% [markdown]
# Gradient descent has found what we found by trying 21 values. But it was lucky with its start. From 10, gradient descent ends in another valley than from 0.1. There the loss is lower still, but the throws miss
# by more: an old throw that asks the others is not quite the question that a new distance asks.

# %% tags=["picture", "given"] alt="The loss over the sharpness, from 1 to 1000 on a logarithmic axis: a steep fall, and then two shallow valleys with a ridge between them. A dot in the left valley, at 2.4, is where the start 0.1 leads. A square in the right valley, at 56, which is lower, is where the start 10 leads. The legend says how far throws miss: 0.21 m from 0.1, 0.27 m from 10."
# Given: this only draws.
grid = np.logspace(0, 3, 200)
plt.figure(figsize=(6, 2.8))
plt.semilogx(grid, [asked_of_others(each) for each in grid])
for start, look in [(0.1, "o"), (10.0, "s")]:
    found = learnt_from(start)
    there = float(asked_of_others(found))
    said = f"from {start:g} to {found:.1f}: misses by {miss(found):.2f} m"
    plt.plot(found, there, look, color="black", label=said)
plt.gca().set(xlabel="sharpness", ylabel="loss", ylim=(1.95, 2.8))
plt.legend()
plt.show()

# %% [markdown]
# ## Further: a mask that was forgotten
#
# What happens if the mask is forgotten? The same model reads the sentences of these lessons, 32 letters at a time, and guesses the next letter at each position.
# One tenth of the text is set aside, and the model never reads it.

# %% tags=["given"]
# Given: the text, in letters that are numbers, and what a letter costs.
text = " ".join(Path("data/course.txt").read_text("utf-8").split())
alphabet = sorted(set(text))
ids = np.array([alphabet.index(letter) for letter in text])
parts = ids[: len(ids) // 500 * 500].reshape(-1, 500)
unread = parts[9::10].ravel()
read = np.delete(parts, np.s_[9::10], axis=0).ravel()
blind = np.log(len(alphabet))
print(f"{len(text)} letters of {len(alphabet)} kinds; guessing blindly costs {blind:.1f}")


def pieces(source, seed, size=16):
    """Pieces of 32 letters with the letters that follow."""
    draw = np.random.default_rng(seed)
    while True:
        begin = draw.integers(0, len(source) - 32, size)
        z = source[begin[:, None] + np.arange(33)]
        yield z[:, :-1], z[:, 1:], np.ones((size, 32), np.float32)


def cost(w, source, **how):
    """The mean cross-entropy on 20 batches of a text."""
    costs = []
    for _, (now, following, _) in zip(range(20), pieces(source, 2), strict=False):
        scores, _ = model(w, now, **how)
        each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=following, logits=scores)
        costs.append(float(tf.reduce_mean(each)))
    return np.mean(costs)


# %% tags=["varies"]
with viz.predict(
    "The model has no mask, and trains for 300 steps. What does one letter cost it in text that it never read? "
    "Guessing blindly costs 3.5. Will it be about 3, about 2, or next to nothing?",
    "Next to nothing! It looks at the next letter and copies it. Most of the cost is that of the last of the 32 "
    "places, whose next letter it cannot see. When it has to write, there is no next letter to copy. "
    "Where a loss is too good to be true, look for a leak.",
):
    cheat = started(len(alphabet), 32, 64)
    trained(cheat, pieces(read, 0), 300, mask=False)
    print(f"a letter of unread text costs {cost(cheat, unread, mask=False):.2f}")

# %% [markdown]
# The Jacobian gives it away: how much does the guess at each position depend on the row of each letter? Black is the largest slope of each line. A dark square above the
# diagonal is a look at a later letter. On the right are the same weights with the mask put on. A space is drawn as a dot.

# %% tags=["picture", "varies", "given"] alt="Two tables of 16 by 16, a letter of a sentence for each row and column. Without the mask a line of dark squares stands one place above the diagonal: each guess depends most on the next letter. With the mask put on, the same weights leave all white above the diagonal."
# Given: a Jacobian for each panel, and its picture.
sentence = "the loss by the "
ids = np.array([alphabet.index(letter) for letter in sentence])
_, panels = plt.subplots(1, 2, figsize=(7.5, 3.6), layout="constrained")
for panel, mask in zip(panels, (False, True), strict=True):
    rows = tf.gather(cheat["letters"], ids)
    with tf.GradientTape() as tape:
        tape.watch(rows)
        scores, _ = model(cheat | {"letters": rows}, np.arange(16)[None], mask=mask)
        guessed = tf.reduce_max(scores[0], axis=-1)
    sizes = tf.norm(tape.jacobian(guessed, rows), axis=-1).numpy()
    panel.imshow(sizes / sizes.max(1, keepdims=True), cmap="Greys", vmin=0, vmax=1)
    panel.set_title("with the mask" if mask else "without the mask", fontsize=13)
    panel.set_xticks(range(16), sentence.replace(" ", "·"), fontsize=11)
    panel.set_yticks(range(16), sentence.replace(" ", "·"), fontsize=11)
    panel.set_xlabel("row of this letter", fontsize=12)
panels[0].set_ylabel("guess at this letter", fontsize=12)
plt.show()

# %% [markdown]
# ## Further: from the history
#
# The soft look-up is older than the personal computer. Nadaraya and Watson proposed it in 1964, as a way to estimate a curve from points. Bahdanau, Cho and Bengio used it in
# 2014, so that a translator could look back at the sentence that it translates. In 2017 Vaswani and others showed that little else is needed: *Attention Is All You Need*.
