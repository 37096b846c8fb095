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

# %% [markdown] slide="Six steps downhill hit one ring in one wind.\n\n**Can a network, once trained, hit any ring in any wind at the first throw?**"
# # 5. Backpropagation through a network, by hand and by tape
#
# In lesson 1 you walked six steps downhill for one ring in one wind. Change the wind, and you have to walk again. **Can a
# network, once trained, hit any ring in any wind at the first throw?** On the way, the same backward pass reads handwritten
# digits, where the right answers are known. *Backpropagation* is what a tape does when the program is a neural network.
#
# You need lesson 1 and the product of two matrices. The exercises are homework, for about 40 minutes. If you type along: a
# cell that begins with *Given* is only run.
#
# Afterwards you can
#
# - write down the backward pass of a dense layer, with the right transposes,
# - explain why the gradient of cross-entropy with respect to the scores is "probability minus truth",
# - train a classifier with a loop of five lines,
# - train a network through a simulation.

# %% tags=["setup"]
# Given.
import matplotlib.pyplot as plt
import numpy as np

import minitape as tf
from minitape import viz
from minitape.viz.course.motion import there_and_back, volleys

viz.figures()

# %% [markdown] slide="## A network on paper\n\n$x = (1,\\ 2)$, $t = 2$, $b_1 = (0, 0, 0)$, $b_2 = 0.5$\n\n$$W_1 = \\begin{pmatrix} 1 & -1 & 0.5 \\\\ 0.5 & 0.25 & 0.25 \\end{pmatrix}, \\quad W_2 = \\begin{pmatrix} 1 \\\\ 1 \\\\ 0.5 \\end{pmatrix}$$\n\n| step | value |\n|---|---|\n| $z = x W_1 + b_1$ | $(2,\\ -0.5,\\ 1)$ |\n| $h = \\max(z, 0)$ | $(2,\\ 0,\\ 1)$ |\n| $y = h W_2 + b_2$ | $3$ |\n| $L = (y - t)^2$ | $1$ |"
# ## A network on paper
#
# The network has two inputs, one **hidden layer** of three units, and one output:
#
# $$z = x W_1 + b_1, \qquad h = \max(z, 0),$$
#
# $$y = h W_2 + b_2, \qquad L = (y - t)^2.$$
#
# The function $\max(z, 0)$ is called **relu**. The answer that we want is $t$, and the *loss* $L$ says how far the network
# is from it. Take a pencil. With
#
# $$x = (1,\ 2), \qquad t = 2,$$
#
# $$W_1 = \begin{pmatrix} 1 & -1 & 0.5 \\ 0.5 & 0.25 & 0.25 \end{pmatrix},$$
#
# $$W_2 = \begin{pmatrix} 1 \\ 1 \\ 0.5 \end{pmatrix},$$
#
# $$b_1 = (0,\ 0,\ 0), \quad b_2 = 0.5$$
#
# the **forward pass** is
#
# | step | value |
# |---|---|
# | $z = x W_1 + b_1$ | $(1 + 1,\ -1 + 0.5,\ 0.5 + 0.5) = (2,\ -0.5,\ 1)$ |
# | $h = \max(z, 0)$ | $(2,\ 0,\ 1)$ |
# | $y = h W_2 + b_2$ | $2 + 0 + 0.5 + 0.5 = 3$ |
# | $L = (y - t)^2$ | $1$ |

# %% tags=["picture", "given"] slide="Forward: each hidden unit is a sum, and relu" alt="The network from left to right: two inputs with 1 and 2, three hidden units with 2, 0 and 1, an output where 2.5 + 0.5 = 3, and the loss 1. Above the columns stand x, z → h, y and L."
# Given: the numbers of the table, and their picture.
numbers = {
    "w1": np.array([[1.0, -1.0, 0.5], [0.5, 0.25, 0.25]]),
    "b1": np.zeros(3),
    "w2": np.array([[1.0], [1.0], [0.5]]),
    "b2": np.array([0.5]),
}
x, t = np.array([1.0, 2.0]), 2.0
z = x @ numbers["w1"] + numbers["b1"]
h = np.maximum(z, 0)
y = (h @ numbers["w2"] + numbers["b2"])[0]


def words(values):
    """Numbers as they stand in the picture."""
    return [f"{value:g}".replace("-", "\u2212") for value in np.ravel(values)]


def drawn(back, alt):
    """The network with its values and, if there are any, the gradients that arrive in its places."""
    units = [f"{a} \u2192 {b}" for a, b in zip(words(z), words(h), strict=True)]
    sum_of_two = f"{words(y - numbers['b2'])[0]}+{words(numbers['b2'])[0]}={words(y)[0]}"
    values = [words(x), units, [sum_of_two], words((y - t) ** 2)]
    layers = [list(zip(*each, strict=True)) for each in zip(values, back[0], strict=True)]
    weights = [
        [
            list(zip(words(row), arrived, strict=True))
            for row, arrived in zip(w, gradients, strict=True)
        ]
        for w, gradients in zip([numbers["w1"], numbers["w2"]], back[1], strict=True)
    ]
    return there_and_back(layers, [*weights, [[("", "")]]], alt, ["x", "z \u2192 h", "y", "L"])


drawn(
    ([[""] * 2, [""] * 3, [""], [""]], [[[""] * 3] * 2, [[""]] * 3]),
    "The network. From left to right appear two inputs with 1 and 2, three hidden units, an output, and the loss, 1. Above the columns stand x, z → h, y and L. The output shows 2.5 + 0.5 = 3, with the bias. Each hidden unit shows its z and "
    "what relu makes of it: 2 stays 2, -0.5 becomes 0, 1 stays 1. Each line has its weight.",
)

# %% slide="Which column of the gradient of W1 will be 0? | That of the closed unit" notes="2 minutes. Ask for a show of hands on the first, the second and the third column, and for a reason."
viz.predict(
    "One column of the gradient of W1 will be 0: the first, the second or the third? Why?",
    "The second. Relu turns the -0.5 of its unit into 0, and it does so with -0.51 as well. So a small change of these two "
    "weights changes nothing. Such a unit is called *closed*.",
)

# %% [markdown] slide="## The backward pass, with a pencil\n\n$x = (1, 2)$, $z = (2, -0.5, 1)$, $h = (2, 0, 1)$, $y = 3$, $t = 2$\n\n$W_1 = \\begin{pmatrix} 1 & -1 & 0.5 \\\\ 0.5 & 0.25 & 0.25 \\end{pmatrix}$, $W_2 = (1, 1, 0.5)^\\top$\n\n| first | value | then | value |\n|:--|:--|:--|:--|\n| $\\bar y = 2 (y - t)$ | $2$ | $\\bar z = \\bar h$ where $z > 0$, else $0$ | |\n| $\\bar b_2 = \\bar y$ | | $\\bar b_1 = \\bar z$ | |\n| $\\bar W_2 = h^\\top \\bar y$ | | $\\bar W_1 = x^\\top \\bar z$ | |\n| $\\bar h = \\bar y\\, W_2^\\top$ | | $\\bar x = \\bar z\\, W_1^\\top$ | |" minutes=2 notes="2 minutes with a pencil: they fill in the left half, then the right one, line by line, before they see the picture."
# ## The backward pass, with a pencil
#
# Now go back, from the loss to the inputs. Write $\bar v$ for the derivative of $L$ with respect to $v$: the *cotangent* of
# $v$. Each line but the first uses a number from a line above it. Fill in the right column.
#
# | step back | value |
# |---|---|
# | $\bar y = 2 (y - t)$ | $2$ |
# | $\bar b_2 = \bar y$ | |
# | $\bar W_2 = h^\top \bar y$ | |
# | $\bar h = \bar y\, W_2^\top$ | |
# | $\bar z = \bar h$ where $z > 0$, else $0$ | |
# | $\bar b_1 = \bar z$ | |
# | $\bar W_1 = x^\top \bar z$ | |
# | $\bar x = \bar z\, W_1^\top$ | |

# %% slide="Your last line: what is the gradient of x? | (2.5, 1.25), in three steps back | Back: each weight gets its input times what arrives"
with viz.predict(
    "What does your last line say: what is the gradient of x?",
    "(2.5, 1.25). From the right: the loss passes 2 to y. The weights between get 4, 0, 2, and the units 2, 2, 1. Relu lets 2, 0, 1 through. "
    "The 2 at y and the 2, 0, 1 that relu lets through are the gradients of the biases, too. The weights on the left get (2, 0, 1) and (4, 0, 2).",
) as asked:
    y_bar = 2 * (y - t)
    h_bar = y_bar * numbers["w2"][:, 0]
    z_bar = h_bar * (z > 0)
    x_bar = numbers["w1"] @ z_bar
    back = [f"{b} \u2190 {a}" for a, b in zip(words(h_bar), words(z_bar), strict=True)]
    arrives = [words(x_bar), back, words(y_bar), ["1"]]
    gradients = [[words(row) for row in np.outer(x, z_bar)], [words(each) for each in y_bar * h]]
    asked.show(
        drawn(
            (arrives, gradients),
            "The same network. After the values come the gradients, in orange, from right to left: 1 at the loss, 2 at the output, then 4, 0 and 2 at the weights of "
            "the output. Each hidden unit shows what arrives at its h and what relu passes on to its z: of 2 all 2, of 2 nothing, of 1 all 1. The weights of the "
            "first input get 2, 0 and 1, those of the second 4, 0 and 2. At the inputs 2.5 and 1.25 arrive.",
        )
    )

# %% [markdown] slide="## A dense layer needs only three formulas\n\nFor $\\text{out} = x W + b$, with the cotangent $g$ of $\\text{out}$:\n\n$$\\bar W = x^\\top g, \\qquad \\bar x = g\\, W^\\top, \\qquad \\bar b = \\text{the sum of the rows of } g$$\n\n**The shapes tell you the transposes.**"
# Here is the whole table. Compare line by line: a mistake in one of them is carried into those below.
#
# | step back | value |
# |---|---|
# | $\bar y$, $\bar b_2$ | $2$, $2$ |
# | $\bar W_2$ | $(4,\ 0,\ 2)^\top$ |
# | $\bar h$ | $(2,\ 2,\ 1)$ |
# | $\bar z$, $\bar b_1$ | $(2,\ 0,\ 1)$, $(2,\ 0,\ 1)$ |
# | $\bar W_1$ | $\begin{pmatrix} 2 & 0 & 1 \\ 4 & 0 & 2 \end{pmatrix}$ |
# | $\bar x$ | $(2.5,\ 1.25)$ |
#
# A layer $\text{out} = x W + b$ is a **dense layer**; a function after it, such as relu, is its **activation**. With the
# cotangent $g$ of $\text{out}$, a dense layer needs only **three formulas**:
#
# $$\bar W = x^\top g, \qquad \bar x = g\, W^\top,$$
#
# $$\bar b = \text{the sum of the rows of } g.$$
#
# In words: a weight gets its input times what arrives at its output, and an input gets what arrives at all its outputs,
# each times its weight. **The shapes tell you the transposes.** A gradient has the shape of its source. If all sizes
# differ, the factors fit together in one order only.
#
# **Where the closed unit went.** Its column in $\bar W_1$ and its entry in $\bar W_2$ are 0. Nothing is
# learnt through a closed unit, at least not from this example.

# %% [markdown]
# ## The same on a tape
#
# Now we write down the forward pass only. The tape does the backward pass. A row of `x` is one example.

# %% slide="Only the forward pass is written down"
w1, b1, w2, b2 = (tf.Variable(value, name=name) for name, value in numbers.items())
x, t = tf.constant([[1.0, 2.0]], tf.float64), tf.constant([[2.0]], tf.float64)

with viz.recording(), tf.GradientTape() as tape:
    tape.watch(x)
    z = x @ w1 + b1
    h = tf.nn.relu(z)
    y = h @ w2 + b2
    loss = tf.reduce_sum((y - t) ** 2)

# %% tags=["given"] slide="All five gradients of the table, from one call | Step through it: which step is which line?"
# Given.
sources = {"w1": w1, "b1": b1, "w2": w2, "b2": b2, "x": x}
player = viz.step(tape, loss, sources, title="Three hidden units", at="h")
for name, gradient in tape.gradient(loss, sources).items():
    print(name, gradient.numpy().tolist())
player

# %% [markdown]
# Tick them off on your table: all five gradients are there.
#
# **Look into the player.** It opens where $\bar h$ has arrived. Go on slowly, and compare with the table. Which step is the line
# $\bar z = \ldots$? Look at the formula of `relu`: the brackets $[h > 0]$ are 1 where this is true and 0 elsewhere. The
# table has $z > 0$, which is the same, because $h$ is above 0 exactly where $z$ is. And each `matmul` is pulled twice, once for
# each factor: the gradient of a factor needs the *other* one. Multiply swaps.
#
# **Many examples at once** are a **batch**: a matrix with one example in each row. The three formulas stay as they are, and for
# the weights and biases the gradient of the summed loss is the **sum of the gradients of the rows**.

# %% [markdown] slide="## Real data: handwritten digits\n\n1797 images of 8 × 8 pixels, written by 13 people. 1297 to learn, 500 to test."
# ## Real data: handwritten digits
#
# There is no simple formula for "this is a 7". But you can collect examples and measure how wrong a network is on them. The
# same backward pass does the rest. The file `data/digits.npz` holds 1797 images of 8 × 8 pixels, written by 13 people: the
# test set of *Optical Recognition of Handwritten Digits* by E. Alpaydin and C. Kaynak (UCI Machine Learning Repository,
# <https://doi.org/10.24432/C50P49>), licensed under [CC BY 4.0](https://creativecommons.org/licenses/by/4.0/).
# `data/README.md` says more.

# %% tags=["given"] slide=""
# Given.
with np.load("data/digits.npz", allow_pickle=False) as data:
    images, labels = data["images"], data["labels"]
print(images.shape, "pixels from", images.min(), "to", images.max())

# %% tags=["picture", "given"] slide="Twenty of the 1797 digits" alt="Four rows of five handwritten digits, in 8 by 8 grey pixels, each with its label from 0 to 9 above it."
# Given: this only draws.
fig, axes = plt.subplots(4, 5, figsize=(4.4, 4.4))
for axis, image, label in zip(axes.flat, images, labels, strict=False):
    axis.imshow(image, cmap="gray_r")
    axis.set_title(label, fontsize=11)
    axis.axis("off")
plt.show()

# %% [markdown]
# We train on 1297 of them and keep 500 for the test: images that the network never sees while it learns. The same 13 people
# wrote both parts, so for other writers the network is probably a little worse than our test says. Pixels are scaled to
# numbers from 0 to 1, in `float64`, so that you get the numbers of this page on nearly every machine.

# %% tags=["given"] slide=""
# Given.
order = np.random.default_rng(1).permutation(len(images))
pixels = tf.constant(images[order].reshape(-1, 64) / 16.0)
digits = tf.constant(labels[order].astype(np.int64))
train_x, test_x = pixels[:1297], pixels[1297:]
train_y, test_y = digits[:1297], digits[1297:]
print(train_x.shape, train_x.dtype, test_x.shape)

# %% [markdown] slide="## From scores to a loss\n\n**Softmax**: $p_i = e^{s_i} / S$, where $S = \\sum_j e^{s_j}$\n\n**Cross-entropy**: $L = -\\log p_k$, where $k$ is the right class"
# ## From scores to a loss
#
# We want to say "this is a 7, and I am fairly sure". So the network ends in ten numbers, one *score* for each digit. Such a
# score is also called a **logit**. **Softmax** turns scores into probabilities: positive numbers that add up to 1.
#
# $$p_i = e^{s_i} / \sum_j e^{s_j}$$
#
# The loss is the **cross-entropy**: minus the logarithm of the probability that the right digit got. A network that gives
# it 0.99 pays 0.01, and one that gives it 0.01 pays 4.6. Being sure and wrong is expensive.
#
# Try it with three classes, of which the first is right.

# %% slide="Three scores, and the first class is right"
scores = tf.Variable([[2.0, 1.0, 0.0]])

with tf.GradientTape() as tape:
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0], logits=scores)

# %% slide="What is the sum of the three elements of the gradient? | Zero, for both parts add up to 1"
with viz.predict(
    "The three probabilities are 0.67, 0.24 and 0.09. If all three scores grow by 1, does any probability change? So what is "
    "the sum of the three elements of the gradient: 1, 0, or something else?",
    "0. Each power of e grows by the same factor, so no probability changes, nor does the loss. The "
    "gradient is probability minus truth, and both of these add up to 1.",
):
    print("probabilities:", tf.nn.softmax(scores).numpy())
    print("gradient:     ", tape.gradient(loss, scores).numpy())

# %% [markdown] slide="## Probability minus truth\n\n$$L = -\\log \\frac{e^{s_k}}{S} = \\log S - s_k$$\n\n$$\\frac{\\partial \\log S}{\\partial s_i} = \\frac{1}{S} \\cdot e^{s_i} = p_i$$\n\n$$\\frac{\\partial L}{\\partial s_i} = p_i - (1 \\text{ if } i = k, \\text{ else } 0)$$"
# Compare the two lines: the gradient is **probability minus truth**, $p - (1, 0, 0)$. Why? Let $S = \sum_j e^{s_j}$, and
# let $k$ be the right class. The slope of $L$ when $s_i$ alone moves is $\partial L / \partial s_i$, the $i$-th element of
# the gradient. Then
#
# $$L = -\log \frac{e^{s_k}}{S} = \log S - s_k,$$
#
# $$\frac{\partial \log S}{\partial s_i} = \frac{1}{S} \cdot e^{s_i} = p_i,$$
#
# $$\frac{\partial s_k}{\partial s_i} = 1 \text{ if } i = k, \text{ else } 0,$$
#
# $$\frac{\partial L}{\partial s_i} = p_i - (1 \text{ if } i = k, \text{ else } 0).$$
#
# So no element of the gradient is larger than 1 in size, and all would be 0 only if all the probability were where it
# belongs. *Further: cross-entropy, made of its parts* shows these lines on a tape, and why the op subtracts the largest
# score first.

# %% [markdown] slide=""
# ## Training it
#
# Two hidden layers, and a loop of five lines. The new names:
#
# - `Dense` is a layer $x W + b$. Its weights begin at random, with the variance $2/n$ for $n$ inputs (He's rule, lesson 18).
# - `Sequential` puts layers in a row.
# - `SGD` moves every variable a small step against its gradient; its `momentum` adds most of the last step again (lesson 17).
# - Once through all training images is an **epoch**.


# %% tags=["given"] slide=""
# Given.
def dense(units, activation=None, initializer="he_normal"):
    """A dense layer in float64."""
    return tf.keras.layers.Dense(
        units, activation=activation, kernel_initializer=initializer, dtype="float64"
    )


# %% tags=["given"] slide=""
# Given.
def mean_loss(model, x, y):
    """The mean cross-entropy of a model's scores."""
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=model(x))
    return tf.reduce_mean(losses)


def accuracy(model, x, y):
    """The fraction of the images that a model reads correctly."""
    return float(np.mean(np.argmax(model(x).numpy(), axis=1) == y.numpy()))


# %% slide="Training it: gradients, and a small step against them"
def train(model, rate, epochs):
    """Walks downhill, a batch at a time, and returns the loss of each."""
    optimizer = tf.keras.optimizers.SGD(learning_rate=rate, momentum=0.9)
    rng, losses = np.random.default_rng(1), []
    for _ in range(epochs):
        for batch in np.array_split(rng.permutation(len(train_x)), 40):
            with tf.GradientTape() as tape:  # tf.gather picks the rows of the batch
                loss = mean_loss(model, tf.gather(train_x, batch), tf.gather(train_y, batch))
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            losses.append(float(loss))
    return losses


# %% slide="It reads all it has seen, and misreads one in fifty of the others"
tf.random.set_seed(1)
model = tf.keras.Sequential([dense(64, "relu"), dense(32, "relu"), dense(10)])
losses = train(model, 0.05, epochs=20)
guesses = np.argmax(model(test_x).numpy(), axis=1)
wrong = np.flatnonzero(guesses != test_y.numpy())
print(f"read of the training images: {accuracy(model, train_x, train_y):.1%}")
print(f"read of images it never saw: {accuracy(model, test_x, test_y):.1%}, wrong: {len(wrong)}")

# %% tags=["picture", "given"] minutes=1 slide="The loss falls, and these it still misreads" notes="2 minutes. Ask what the loss is before the first step: log 10, that of a guess. Would they have read the eight?" alt="On the left the loss of each batch on a logarithmic scale, over 800 steps. It begins near 2.3, the loss of a guess, falls to about 0.1 within 200 steps and to about 0.001 at the end. On the right eight digits of 8 by 8 grey pixels that the network misreads, each with what it says and what it is."
# Given: this only draws.
fig = plt.figure(figsize=(8, 3), layout="constrained")
left, right = fig.subfigures(1, 2, width_ratios=(1.2, 1))
panel = left.subplots()
panel.semilogy(losses, linewidth=1)
panel.axhline(np.log(10), color="0.5", linewidth=1, linestyle=":")
panel.text(800, 2.6, "a guess: log 10", ha="right", va="bottom", fontsize=11)
panel.set(xlabel="step", ylabel="loss of the batch", ylim=(3e-4, 9))
for axis, i in zip(right.subplots(2, 4).flat, wrong, strict=False):
    axis.imshow(test_x.numpy()[i].reshape(8, 8), cmap="gray_r")
    axis.set_title(f"{guesses[i]}, is {test_y.numpy()[i]}", fontsize=11)
    axis.axis("off")
plt.show()

# %% [markdown] slide="## Is the backward pass right?\n\nThe loss fell, and new digits are read. **Does that prove that every gradient was right?**\n\nThree slips: relu passes all, relu passes nothing, the sum instead of the mean." notes="1 minute. The three slips are the ones that people make. A vote: which of them will be seen in the curve?"
# **Is the backward pass right?** The loss fell, and new digits are read. Does that prove that every gradient was right? We train the same network again, with a slip in its backward pass. The
# forward pass stays as it was: `stop(a)` has the value of `a`, and passes nothing back.

# %% tags=["given"] slide="Three slips, and the forward pass stays right"
# Given.
relu, stop = tf.nn.relu, tf.stop_gradient
SLIPS = {
    "relu passes all": (lambda z: z + stop(relu(z) - z), 0.05),
    "relu passes nothing": (lambda z: 0.0 * z + stop(relu(z)), 0.05),
    "the sum, not the mean": (relu, 32 * 0.05),  # a batch has 32 or 33 images
}

# %% slide="Relu passes all: how many digits are misread? | 27: it learns all the same"
with viz.predict(
    "Relu now passes all that arrives, through closed units too. So the gradients of the first two layers are wrong in every step. The right backward "
    "pass misreads 11 of 500 digits. How many are misread now: about 30, about 200, or 450, as by guessing?",
    "27. Hardly anybody would notice. Even if relu passes nothing, so that the last layer learns alone, five of six are read. Only the sum is seen at once: its steps are 32 times too "
    "long. A loss that falls proves nothing; only a comparison of gradients does, as in lesson 6.",
):
    curves, misread = {"no slip": losses}, {"no slip": len(wrong)}
    for name, (activation, rate) in SLIPS.items():
        tf.random.set_seed(1)
        other = tf.keras.Sequential([dense(64, activation), dense(32, activation), dense(10)])
        curves[name] = train(other, rate, epochs=20)
        misread[name] = round(500 * (1 - accuracy(other, test_x, test_y)))
        print(f"{name}: {misread[name]} of 500 misread")

# %% tags=["picture", "given"] slide="A wrong backward pass can learn" alt="The loss over 20 epochs on a logarithmic scale, four curves. No slip: it falls to about 0.002, 11 misread. Relu passes all: it falls to about 0.1, 27 misread. Relu passes nothing: it falls slowly to about 0.5, 83 misread. The sum, not the mean: it stays at about 2.4, 454 misread."
# Given: this only draws.
plt.figure(figsize=(8, 3.2), layout="constrained")
for (name, curve), look in zip(curves.items(), ["o-", "s--", "^:", "d-."], strict=True):
    means = np.reshape(curve, (20, 40)).mean(axis=1)  # of each epoch
    line = plt.semilogy(range(1, 21), means, look, markersize=4)[0]
    label = f"{name}: {misread[name]} misread"
    plt.text(20.5, means[-1], label, va="center", color=line.get_color(), fontsize=11)
plt.xlim(0.5, 30)
plt.gca().spines["bottom"].set_bounds(0.5, 20)
plt.xticks([1, 5, 10, 15, 20])
plt.xlabel("epoch")
plt.ylabel("mean loss")
plt.show()

# %% [markdown] slide="## A network that aims\n\nRing and wind in, a velocity out. The loss is the miss, *through the physics*: the tape goes through 50 steps of flight and then through the network."
# ## A network that aims
#
# Back to the ball. The network gets the position of the ring and the wind, which is positive for a tail wind. It returns a
# velocity. For the digits, people had written down the right answers. Here nobody knows them. **What takes their place? The
# miss.** The loss is its square, and the tape goes back through 50 steps of flight and then through the layers. It learns
# from 64 rings and winds at a time: rings, velocities and positions are arrays of shape (64, 2). There is no ground in the
# program, so a ball may fall below the height 0.


# %% tags=["given"] slide="The throw, for many balls at once"
# Given.
def flights(v, wind, steps=50):
    """The positions of balls during 2 seconds: v has shape (n, 2), the wind of each shape (n,)."""
    vx, vy, dt = v[:, 0], v[:, 1], 2.0 / steps
    x, y = 0.0 * vx, 1.5 + 0.0 * vy
    positions = [tf.stack([x, y], axis=1)]
    for _ in range(steps):
        air = vx - wind * tf.tanh(y / 5.0)
        drag = 0.02 * tf.sqrt(air**2 + vy**2)
        vx, vy = vx - dt * drag * air, vy - dt * (drag * vy + 9.81)
        x, y = x + dt * vx, y + dt * vy
        positions.append(tf.stack([x, y], axis=1))
    return positions


# %% tags=["given"] slide=""
# Given.
def throws(v, wind, steps=50):
    """Where they are in the end."""
    return flights(v, wind, steps)[-1]


# %% tags=["given"] slide=""
# Given.
def tasks(count, low=-8.0, high=8.0):
    """Rings from 12 to 24 m away and 1 to 5 m high, and winds."""
    rings = np.stack([rng.uniform(12, 24, count), rng.uniform(1, 5, count)], axis=1)
    return tf.constant(rings), tf.constant(rng.uniform(low, high, count))


def aim(net, rings, winds):
    """The velocities that a network chooses: it sees numbers around 0, and its own are added to 10 m/s."""
    seen = tf.concat([(rings - [18.0, 3.0]) / [4.0, 1.2], winds[:, tf.newaxis] / 5.0], axis=1)
    return 10.0 + 3.0 * net(seen)


def misses(net, rings, winds):
    return tf.norm(throws(aim(net, rings, winds), winds) - rings, axis=1).numpy()


def mean_miss(net, rings, winds):
    return float(np.mean(misses(net, rings, winds)))


# %% tags=["given"] slide="Trained through the physics"
# Given. Adam is an optimizer that gives each weight a step size of its own.
tf.random.set_seed(1)
rng = np.random.default_rng(0)
net = tf.keras.Sequential(
    [dense(32, "tanh", "glorot_uniform"), dense(32, "tanh", "glorot_uniform"), dense(2)]
)
optimizer, test = tf.keras.optimizers.Adam(0.01), tasks(500)
shown, rounds = [each[:8] for each in test], []  # for a picture


def volley():
    """The flights of eight balls, each at a ring and in a wind that the network never saw."""
    positions = np.array([each.numpy() for each in flights(aim(net, *shown), shown[1])])
    return positions[::2].swapaxes(0, 1)


# %% slide="How far off is it after 300 steps? | Less than 20 cm, at the first throw"
with viz.predict(
    "At first it misses 500 rings that it does not train on by 6.9 m on average. By how much after "
    "300 steps: 2 m, half a metre or 20 cm?",
    "By less than 20 cm on average, at the first throw, for rings and winds that it never saw. Nine of ten balls "
    "come within 30 cm, and a few are off by more than a metre.",
):
    for step in range(301):
        if step in (0, 10, 100, 300):
            print(f"step {step:3}: mean miss {mean_miss(net, *test):.1f} m")
            name = f"after {step} steps" if step else "before training"
            rounds.append((name, volley()))
        rings, winds = tasks(64)
        with tf.GradientTape() as tape:
            off = throws(aim(net, rings, winds), winds) - rings
            loss = tf.reduce_mean(tf.reduce_sum(off**2, axis=1))
        gradients = tape.gradient(loss, net.trainable_variables)
        optimizer.apply_gradients(zip(gradients, net.trainable_variables, strict=True))
    off = misses(net, *test)
    print(f"{np.mean(off < 0.3):.0%} within 30 cm, {np.sum(off > 1.0)} of 500 off by more than 1 m")

# %% tags=["picture", "given"] minutes=1 slide="Eight rings, eight winds, one throw each" notes="2 minutes. The crosses are where the first eight balls ended. Ask who has told the network how to throw."
# Given: this only draws.
volleys(
    rounds,
    shown[0].numpy(),
    "Eight balls fly at the same time, each at a ring of its own, 12 to 24 m away, and each in a wind of its own: before the training, after 10, 100 and 300 steps. Before it they end far "
    "from their rings, many below the ground; a cross marks each place, and a dotted line leads to its ring. After 10 steps they come nearer. After 300 steps each one ends in or at its ring, "
    "a circle of 30 cm.",
)

# %% [markdown] slide=""
# So the answer to the first question is yes, nearly: on average it comes within 20 cm of the ring, in winds *like those of
# its training*. Beyond its examples nothing is sure, as *Further: any wind?* shows.
#
# Both networks had two hidden layers, and both learnt. With twelve, a gradient may vanish or explode on its way back to the
# first one: lesson 18 measures what arrives.

# %% [markdown] slide="## The same elsewhere\n\n| here | PyTorch | JAX |\n|:--|:--|:--|\n| kernel: (in, out) | `nn.Linear(64, 32).weight`: (out, in) | yours |\n| one loss for each row | `F.cross_entropy(s, y)`: the mean | `-log_softmax(s)[y]` |\n| the tape keeps nothing | `zero_grad()` before each step | a function keeps nothing |" notes="1 minute. Changing from one to the other costs an hour: the transposed kernel, and the mean."
# ## The same elsewhere
#
# | here, and in TensorFlow | PyTorch | JAX |
# |:--|:--|:--|
# | `Dense(32)`: $x W + b$, the kernel is (in, out) | `nn.Linear(64, 32)`: $x W^\top + b$, the weight is (out, in) | `x @ w + b`: you write it |
# | `sparse_softmax_cross_entropy_with_logits(labels, s)`: one loss for each row | `F.cross_entropy(s, labels)`: their mean | `-jax.nn.log_softmax(s)[rows, labels]` |
# | `tf.nn.relu`: slope 0 at 0 | `F.relu`: slope 0 at 0 | `jax.nn.relu`: slope 0 at 0 |
# | a gradient is new each time | `optimizer.zero_grad()`, or gradients add up | a gradient is new each time |
# | `optimizer.apply_gradients(pairs)` | `optimizer.step()`, after `loss.backward()` | `w = jax.tree.map(lambda w, g: w - r * g, w, gs)` |
#
# All three take scores, not probabilities. Softmax before the loss of PyTorch or of this lesson is a common mistake: the
# network still learns, slowly, and no error tells you.

# %% [markdown] slide="## Exercises\n\n1. With a pencil\n2. A dense layer\n3. Scores\n4. What does a slip spoil?"
# ## Exercises
#
# Replace each `...` with your code, run the cell, and run the check below it. A check says "Right:" and why, or what is
# probably wrong.

# %% [markdown]
# **Exercise 1.** With a pencil: $z = x w$, $h = \max(z, 0)$, $y = h_1 + 3 h_2$, $L = y^2$ with $x = 2$ and $w = (1, -1)$.
# There is one input and there are two hidden units. Fill in the cotangents of `y`, `h`, `z` and `w`.

# %% nbgrader={"grade": false, "grade_id": "by-hand", "locked": false, "schema_version": 3, "solution": true, "task": false}
cotangents = {"y": None, "h": [None, None], "z": [None, None], "w": [None, None]}
### BEGIN SOLUTION
cotangents = {"y": 4.0, "h": [4.0, 12.0], "z": [4.0, 0.0], "w": [8.0, 0.0]}
### END SOLUTION

# %% nbgrader={"grade": true, "grade_id": "by-hand-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    x, w, ahead = tf.constant(2.0), tf.Variable([1.0, -1.0]), tf.constant([1.0, 3.0])
    with tf.GradientTape() as tape:
        z = x * w
        h = tf.nn.relu(z)
        y = tf.reduce_sum(h * ahead)
        loss = y**2
    carried = {"h": ("y", ahead), "z": ("h", tf.cast(z > 0, tf.float32)), "w": ("z", x)}
    hints = {
        "y": "The cotangent of y is another number: the slope of y squared is 2 y.",
        "h": "The cotangent of h is another number: y counts the second unit three times.",
        "z": "z: the second unit is closed (its z is -2). What arrives at h goes on to the open one alone.",
        "w": "The cotangent of w is another number: z is x times w, and multiply swaps.",
    }
    assert isinstance(cotangents, dict), (
        "Keep the form: a dictionary with the names y, h, z and w, such as {'y': ..., 'h': [..., ...]}."
    )
    yours = {}
    for name, gradient in zip("yhzw", tape.gradient(loss, [y, h, z, w]), strict=True):
        try:
            yours[name] = np.array(cotangents.get(name), float)
        except (TypeError, ValueError):
            yours[name] = np.full(gradient.shape, np.nan)
        said, count = hints[name], gradient.shape.num_elements()
        if yours[name].size == count:
            yours[name] = yours[name].reshape(gradient.shape)  # a row or a column is as good
        else:
            said = f"The cotangent of {name} has as many numbers as {name}: {count}."
        if np.isnan(yours[name]).any():
            said = f"The cotangent of {name} is missing, or no number."
        if yours[name].shape != gradient.shape:
            yours[name] = np.full(gradient.shape, np.nan)  # nothing follows from it
        right = np.allclose(yours[name], gradient)
        if name in carried:  # a slip further up costs its own point alone
            earlier, factor = carried[name]
            right |= bool(yours["y"].all() and np.array_equal(yours[name], yours[earlier] * factor))
        score.part(1, right, said)
    score.total("twice y, times (1, 3), through the open unit only, times x.")
score.earned

# %% [markdown]
# **Exercise 2.** Write the backward pass of a dense layer in NumPy: from the input `x`, the weights `w` and the cotangent
# `g` of the output, compute the gradients of `x`, `w` and the bias. There may be many rows.


# %% nbgrader={"grade": false, "grade_id": "dense-backward", "locked": false, "schema_version": 3, "solution": true, "task": false}
def dense_backward(x, w, g):
    """The gradients of a dense layer x @ w + b for (x, w, b)."""
    ### BEGIN SOLUTION
    return g @ w.T, x.T @ g, g.sum(axis=0)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "dense-backward-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
with viz.Score(3) as score:
    rng = np.random.default_rng()
    x, w, b = rng.normal(size=(5, 3)), rng.normal(size=(3, 2)), rng.normal(size=2)
    g = rng.normal(size=(5, 2))
    sources = [tf.Variable(value) for value in (x, w, b)]
    with tf.GradientTape() as tape:
        out = sources[0] @ sources[1] + sources[2]
    right = tape.gradient(out, sources, output_gradients=tf.constant(g))
    try:
        found = dense_backward(x, w, g)
    except ValueError as error:
        raise AssertionError(
            f"{error}. x has shape (5, 3), w (3, 2), g (5, 2): which products of these have the shape of x, "
            "and of w?"
        ) from None
    assert isinstance(found, (tuple, list)) and len(found) == 3, (
        "Return the three gradients, for x, w and b, in a tuple."
    )
    assert np.shape(found[0]) != w.shape or np.shape(found[1]) != x.shape, (
        "The first two are exchanged: the gradient for x comes first."
    )
    of_b = {  # by its shape
        (
            5,
            2,
        ): "The gradient for b has the shape of b: it was added to every row, so add up the rows of g.",
        (
            1,
            2,
        ): "The numbers for b stand in a row of shape (1, 2), and b has shape (2,): leave keepdims out.",
        (): "For b that adds up everything: add up the rows only, one sum for each unit.",
        (5,): "For b that adds up the numbers within each row: axis=0 adds up the rows.",
    }
    for name, mine, theirs in zip(["x", "w", "b"], found, right, strict=True):
        said = f"The gradient for {name} has the right shape only."
        if np.shape(mine) == theirs.shape and np.allclose(mine, theirs / len(x)):
            said = "For w the rows are added up; there is no mean here."
            if name == "x":
                said = "For x every row has a gradient of its own; there is no mean here."
        if np.shape(mine) != theirs.shape:
            said = f"The gradient for {name} has the shape of {name}."
        if name == "b":
            said = of_b.get(np.shape(mine), said)
        if name == "b" and np.shape(mine) == (2,) and np.allclose(mine, g.mean(axis=0)):
            said = "For b the rows are added up; the mean would be for a mean in the loss."
        score.part(1, np.shape(mine) == theirs.shape and np.allclose(mine, theirs), said)
    score.total("multiply swaps, and the shapes say where the transposes go.")
score.earned

# %% [markdown]
# **Exercise 3.** The gradient of the *mean* cross-entropy of a batch with respect to the scores, without a
# tape: `scores` is a matrix with one example per row, `labels` an array of the right classes. (Scores may be large, such as 1000.)


# %% nbgrader={"grade": false, "grade_id": "scores-gradient", "locked": false, "schema_version": 3, "solution": true, "task": false}
def scores_gradient(scores, labels):
    """The derivative of the mean cross-entropy with respect to the scores, in NumPy."""
    ### BEGIN SOLUTION
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    p = e / e.sum(axis=1, keepdims=True)
    p[np.arange(len(labels)), labels] -= 1
    return p / len(labels)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "scores-gradient-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
with viz.Score(3) as score:
    from unittest import mock

    def softmax(scores, axis):
        """Probabilities along an axis, or of all together."""
        e = np.exp(scores - scores.max(axis=axis, keepdims=True))
        return e / e.sum(axis=axis, keepdims=True)

    def without_tape(scores, labels):
        """What scores_gradient gives; a slip in an index is said."""
        tapes = mock.Mock(wraps=tf.GradientTape)
        try:
            with mock.patch.object(tf, "GradientTape", tapes), np.errstate(all="ignore"):
                found = scores_gradient(scores.copy(), labels)
        except (IndexError, ValueError) as error:
            raise AssertionError(
                f"{error}. There are scores.shape[1] classes, here {scores.shape[1]}. The sum of a row "
                "needs keepdims=True, labels are class numbers and no rows of 0 and 1, and one element of each row is p[np.arange(len(labels)), labels]."
            ) from None
        assert tapes.call_count == 0, "No tape here: write probability minus truth in NumPy."
        assert found is not None and found is not ..., "Return a matrix of the shape of scores."
        assert np.shape(found) == scores.shape, (
            "There is one number for each score: the shape of scores."
        )
        return np.array(found)

    for rows, classes in [(1, 3), (4, 3), (7, 5)]:
        rng = np.random.default_rng()
        scores = rng.normal(size=(rows, classes))
        labels = rng.permutation(classes)[rng.integers(1, classes, rows)]  # one class is no label
        source = tf.Variable(scores)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, source))
        right = tape.gradient(loss, source).numpy()
        truth = np.eye(classes)[labels]
        found = without_tape(scores, labels)
        slips = {
            "The sign is wrong: it is probability minus truth.": -right,
            "The loss is a mean over the rows: where is the 1 / len(labels)?": rows * right,
            "Two slips: it is probability minus truth, and where is the 1 / len(labels)?": -rows
            * right,
            "The probabilities of the whole matrix add up to 1: each row needs a softmax of its own.": (
                softmax(scores, None) - truth
            ),
            "The probabilities of a column add up to 1: those of a row should, axis=1.": (
                softmax(scores, 0) - truth
            ),
        }
        p = softmax(scores, 1)
        slips |= {
            "The mean is over the rows: divide by len(labels), not by the number of classes or of all "
            "scores.": right * rows / classes,
            "These are the probabilities. Subtract 1 from the probability of the right class.": p,
            "Subtract 1 from the probability of the right class only.": p - 1,
            "p[:, labels] takes whole columns; p[np.arange(len(labels)), labels] takes one element of each "
            "row.": p - np.isin(np.arange(classes), labels),
        }
        said = "It should be probability minus truth: a softmax of each row, and 1 taken from the right class."
        for slip, wrong in slips.items():
            if np.allclose(found, wrong) or np.allclose(found, wrong / rows):
                said = slip
                break
        score.part(0.75, np.allclose(found, right), said)
    scores, labels = np.array([[1000.0, 998.0, 0.0], [1.0, 3.0, 2.0]]), np.array([1, 2])
    found = without_tape(scores, labels)
    right = (softmax(scores, 1) - np.eye(3)[labels]) / 2
    if score.earned == 2.25 or np.allclose(found[1], right[1]):
        said = "With a score of 1000 it is wrong: take the largest score of each row away first."
    score.part(0.75, np.allclose(found, right), said)
    score.total("probability minus truth, in every row, divided by the number of rows.")
score.earned

# %% [markdown]
# **Exercise 4.** What does a slip spoil? Five people wrote the backward pass of the network on the first page by hand, for a batch of several rows: $\bar y = 2(y - t)$, then $\bar b_2$ and $\bar W_2$, then
# $\bar h$, $\bar z$, and last $\bar b_1$ and $\bar W_1$. Each made one slip:
#
# - A: relu passes all, $\bar z = \bar h$.
# - B: $\bar W_2$ is computed from $z$, where $h$ belongs.
# - C: the 2 is forgotten, $\bar y = y - t$.
# - D: $\bar b_1$ is the mean of the rows of $\bar z$, not their sum.
# - E: $W_2$ takes its step too early. The new $W_2$ is used for $\bar h$.
#
# Which of the four gradients `w1`, `b1`, `w2`, `b2` come out wrong for each? Write their names, such as `"w1 b1"`.

# %% nbgrader={"grade": false, "grade_id": "slips", "locked": false, "schema_version": 3, "solution": true, "task": false}
spoilt = {"A": "", "B": "", "C": "", "D": "", "E": ""}
### BEGIN SOLUTION
spoilt = {"A": "w1 b1", "B": "w2", "C": "w1 b1 w2 b2", "D": "b1", "E": "w1 b1"}
### END SOLUTION

# %% nbgrader={"grade": true, "grade_id": "slips-check", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false}
with viz.Score(5) as score:
    draw = np.random.default_rng()  # another network each time

    def backward(slip):
        """The four gradients of a network with this slip, or with none."""
        x, t, w1, b1, w2, b2 = drawn
        before = x @ w1 + b1
        after = np.maximum(before, 0)
        y_back = (1 if slip == "C" else 2) * (after @ w2 + b2 - t)
        of_w2 = np.einsum("ni,nj->ij", before if slip == "B" else after, y_back)
        later = w2 - 0.1 * of_w2 if slip == "E" else w2
        h_back = np.einsum("nj,ij->ni", y_back, later)
        z_back = h_back if slip == "A" else np.where(before > 0, h_back, 0)
        of_b1 = z_back.mean(0) if slip == "D" else z_back.sum(0)
        of_w1 = np.einsum("ni,nj->ij", x, z_back)
        return {"w1": of_w1, "b1": of_b1, "w2": of_w2, "b2": y_back.sum(0)}

    sizes = [(6, 3), (6, 2), (3, 4), (4,), (4, 2), (2,)]
    drawn = [draw.normal(size=size) for size in sizes]
    right, names = backward(None), {"w1", "b1", "w2", "b2"}
    assert isinstance(spoilt, dict) and set(spoilt) == set("ABCDE"), "Keep the names A to E."
    hints = {
        ("A", "w1"): "A: b1 is computed from the same wrong numbers as w1.",
        ("A", "w1 b1 w2 b2"): "A: the backward pass has w2 and b2 before it comes to relu.",
        ("A", "w1 b1 w2"): "A: the backward pass has w2 before it comes to relu.",
        (
            "B",
            "w1 b1 w2",
        ): "B: which later line uses the *gradient* of w2? What goes back uses w2 itself.",
        (
            "B",
            "w1 b1 w2 b2",
        ): "B: which later line uses the *gradient* of w2? What goes back uses w2 itself.",
        ("C", "w2 b2"): "C: what comes from y goes on to the first layer, too.",
        ("D", "w1 b1"): "D: which line uses the gradient of b1?",
        ("E", "w2"): "E: the step of w2 came after its gradient. What is computed with the new w2?",
        (
            "E",
            "w1 b1 w2",
        ): "E: the gradient of w2 was computed before the step, from right numbers.",
        (
            "E",
            "w1 b1 w2 b2",
        ): "E: the gradients of w2 and b2 were computed before the step, from right numbers.",
    }
    hints = {(slip, frozenset(said.split())): hint for (slip, said), hint in hints.items()}
    for slip, given in spoilt.items():
        given = given.replace(",", " ").split() if isinstance(given, str) else given
        given = (
            frozenset(map(str, given)) if isinstance(given, list | tuple | set) else frozenset("?")
        )
        found = backward(slip)
        wrong_ones = {name for name in names if not np.allclose(found[name], right[name])}
        hint = f"{slip}: a slip spoils its own line, and each line that uses its result. Follow it."
        if not given:
            hint = f"{slip}: nothing is written yet."
        elif given - names:
            hint = f"{slip}: write names out of w1, b1, w2 and b2, with spaces between them."
        hint = hints.get((slip, given), hint)
        score.part(1, given == wrong_ones, hint)
    score.total(
        "a slip spoils all that uses its result. Look first at the wrong gradient nearest to the loss."
    )
score.earned

# %% [markdown]
# **To think about.** If the time is free, a flat and a steep throw of the same speed can hit the same ring. A network that
# learns from *examples* of both with squared errors returns their mean, and misses. One that learns through the physics
# picks one. What decides which?
#
# <details><summary>An answer</summary>
# Where the network begins: the gradient goes downhill from there, to one of the two. Two networks with other first
# weights may choose differently. Try two seeds.
# </details>

# %% [markdown] slide="## What to remember\n\n- $\\bar W = x^\\top g$, $\\bar x = g\\, W^\\top$, $\\bar b$: the sum of the rows of $g$.\n- Cross-entropy: **probability minus truth**.\n- A loss that falls proves nothing.\n- A network can learn through a simulation."
# ## What to remember
#
# - The backward pass of a dense layer: $\bar W = x^\top g$, $\bar x = g W^\top$, $\bar b$ the sum of the rows of $g$. The
#   shapes tell you where the transposes go.
# - The gradient of cross-entropy with respect to the scores is probability minus truth.
# - A network may learn with a wrong backward pass. A loss that falls proves nothing.
# - A loss may be the result of a simulation: the tape goes through the physics into the network. The network then comes
#   within 20 cm of a ring on average, at the first throw, in winds like those of its training.
#
# **Read on.** Rumelhart, Hinton, Williams, *Learning Representations by Back-propagating Errors* (1986). Jordan, Rumelhart,
# *Forward Models: Supervised Learning with a Distal Teacher* (1992).

# %% [markdown]
# ## Further: cross-entropy, made of its parts
#
# Here is the derivation on a tape: the same loss, made of its parts.

# %%
scores = tf.Variable([[2.0, 1.0, 0.0]], name="scores")

with viz.recording(), tf.GradientTape() as tape:
    exponentials = tf.exp(scores)
    S = tf.reduce_sum(exponentials)
    loss = tf.math.log(S) - scores[0, 0]

player = viz.step(tape, loss, scores, title="Cross-entropy, made of its parts")
print("gradient:", tape.gradient(loss, scores).numpy())
player

# %% [markdown]
# Step through the backward pass. `log` passes on $1/S$, `exp` turns it into $e^{s_i}/S = p_i$, and the other path subtracts
# 1 from the first. Why then is there an op for it? Write 100 instead of the 2.0: $e^{100}$ is infinite in `float32`, and
# the first element of the gradient is `nan`. The op computes with $s_i$ minus the largest score.

# %% [markdown]
# ## Further: the border of the rates
#
# Where does the learning rate 0.05 come from? From trying rates in factors of two or three, and comparing the
# loss on the *training* images. (To choose by the test images would be to train on them.) Here are three epochs at 17 rates, from three starts.

# %% tags=["picture", "given"] alt="The loss on the training images after three epochs, over the learning rate from 0.001 to 10, both scales logarithmic, for three starts with different marks. From the left all three curves fall to a valley between 0.02 and 0.1, at a loss of 0.1 to 0.3. Right of it they rise, to 0.4 at 0.18 and then steeply to the loss of guessing, 2.3, a line of dashes and dots, and above it."
# Given: 51 short trainings, and their picture. This takes about 20 s: run it, and read on.
rates, starts = np.geomspace(0.001, 10, 17), [1, 2, 3]


def loss_after(rate, start):
    """The loss on all training images after three epochs."""
    tf.random.set_seed(start)
    model = tf.keras.Sequential([dense(64, "relu"), dense(32, "relu"), dense(10)])
    train(model, rate, epochs=3)
    return float(mean_loss(model, train_x, train_y))


losses = {start: [loss_after(rate, start) for rate in rates] for start in starts}

plt.figure(figsize=(5.2, 3))
for start, look in zip(starts, ["o-", "s--", "^:"], strict=True):
    plt.loglog(rates, losses[start], look, markersize=4, label=f"start {start}")
plt.axhline(np.log(10), color="0.4", linewidth=1, linestyle="-.")
plt.axvline(0.05, color="0.8", linewidth=1)
plt.text(0.001, 2.6, "guessing: log 10", va="bottom", fontsize=10)
plt.text(0.056, 5.0, "0.05", va="bottom", fontsize=10)
plt.xlabel("learning rate")
plt.ylabel("loss after three epochs")
plt.legend(fontsize=10)
plt.show()

# %% [markdown]
# Too small a rate is merely slow: up to about 0.05 a larger one is better. Then it gets worse, slowly at first; between 0.2
# and 0.5 comes a steep **border**. At ten times our rate the first steps still go down. Then some are too long, and units
# end up closed for *every* image, at last all 32 of the second layer, from each start. No gradient passes through them, and
# what is left can only guess. So try rates in factors of two or three, and stay to the left of the border.

# %% [markdown]
# ## Further: a quiz about a tape
#
# One dense unit with relu, two examples, and the mean of the results. The quiz asks for each step of the backward pass. Write `quiz` into a cell of your own to play it.

# %%
examples, kernel = tf.constant([[1.0, 2.0], [3.0, 0.0]]), tf.Variable([[1.0], [-1.0]])

with viz.recording(), tf.GradientTape(persistent=True) as tape:
    tape.watch(examples)
    results = tf.nn.relu(examples @ kernel)
    loss = tf.reduce_mean(results)

quiz = viz.quiz(tape, loss, [examples, kernel])
print(quiz.questions[0].text)

# %% [markdown]
# ## Further: any wind?

# %%
with viz.predict(
    "It was trained with winds from -8, a head wind, to 8 m/s, a tail wind. How far off is it a little outside, at 8 to "
    "12 m/s with a tail wind and with a head wind? And far outside, at 16 to 20?",
    "With a little more tail wind it is nearly as good, 0.2 m, and with a little more head wind off by 1.0 m. Far outside it "
    "is off by 1.1 m with the tail wind and by 5.9 m with the head wind. It has seen none of these. One reason why head winds "
    "are worse: drag grows with the square of the speed against the air, and a head wind makes that speed large.",
):
    rng = np.random.default_rng(1)
    for low, high in [(-8, 8), (8, 12), (-12, -8), (16, 20), (-20, -16)]:
        off = misses(net, *tasks(500, low, high))
        print(f"winds from {low:3} to {high:3} m/s: off by {off.mean():.1f} m,", end=" ")
        print(f"{np.mean(off < 0.3):.0%} within 30 cm")

# %% [markdown]
# ## Further: one step of the training
#
# One step of the training in the player, with four images. Each operation is a box. Step to the end and
# click the first `kernel`: its gradient is a picture of 64 × 64 numbers. Pixels at the left and the right rim of the
# image are 0 in all four examples. What does that mean for the gradient? (Whole rows of it are 0.)

# %%
few_images, few_digits = train_x[:4], train_y[:4]

with viz.recording(), tf.GradientTape() as tape:
    loss = mean_loss(model, few_images, few_digits)

viz.step(tape, loss, model.trainable_variables, title="One step of training")

# %% [markdown]
# ## Further: the same in NumPy, and a batch
#
# The pencil's lines in code. A row of $x$ is one example, so the same lines work for many.


# %%
def by_hand(x, t, w1, b1, w2, b2):
    """The loss and its gradients, line by line as on paper."""
    z = x @ w1 + b1
    h = np.maximum(z, 0)
    y = h @ w2 + b2
    loss = np.sum((y - t) ** 2)

    y_bar = 2 * (y - t)
    h_bar = y_bar @ w2.T
    z_bar = h_bar * (z > 0)
    gradients = {"w1": x.T @ z_bar, "b1": z_bar.sum(axis=0)}
    gradients |= {"w2": h.T @ y_bar, "b2": y_bar.sum(axis=0)}
    return loss, gradients


# %% [markdown]
# Here with three examples, on the tape as a whole and row by row:

# %%
x = tf.constant([[1.0, 2.0], [0.0, -4.0], [2.0, 2.0]], tf.float64)
t = tf.constant([[2.0], [1.0], [0.0]], tf.float64)
variables = [w1, b1, w2, b2]


def network_loss(x, t, w1, b1, w2, b2):
    """The summed loss of the network on a batch."""
    h = tf.nn.relu(x @ w1 + b1)
    return tf.reduce_sum((h @ w2 + b2 - t) ** 2)


with viz.recording(), tf.GradientTape() as tape:
    loss = network_loss(x, t, *variables)

player = viz.step(tape, loss, variables, title="A batch of three")
whole = tape.gradient(loss, b1)
print("whole batch:", whole.numpy())

for row in range(3):
    with tf.GradientTape() as tape:
        loss = network_loss(x[row : row + 1], t[row : row + 1], *variables)
    print(f"row {row}:      ", tape.gradient(loss, b1).numpy() + 0.0)  # makes 0 of -0
print("in NumPy:   ", by_hand(x.numpy(), t.numpy(), **numbers)[1]["b1"])
player

# %% [markdown]
# In the second row all three units are closed: $z = (-2, -1, -1)$. It contributes nothing to the gradient of $b_1$.
#
# Are the rules right, and did we read them correctly? Finite differences need no rules: change each number a little, and
# see how the loss changes. `tf.check_gradients` does that and compares.

# %%
report = tf.check_gradients(network_loss, [x, t, *(v.numpy() for v in variables)], order=1)
for name, row in zip(["x", "t", "w1", "b1", "w2", "b2"], report.rows, strict=True):
    print(f"{name:2} right: {row.right}, off by less than 1e-6: {row.error < 1e-6}")

# %% [markdown]
# `report` has a line for every argument, and prints as a table. In lesson 6 you see what it says when a
# rule is wrong.

# %% [markdown]
# ## Further: what a gradient promises
#
# If all numbers of the network move by $-\eta\, \bar v$, with a small *learning rate* $\eta$, then the loss falls by about
# $\eta$ times the sum of the squares of all gradients. A derivative promises no more than that: a small step.

# %%
x, t = tf.constant([[1.0, 2.0]], tf.float64), tf.constant([[2.0]], tf.float64)

# %%
with viz.predict(
    "The loss is 1. Does it fall more at the rate 0.1 than at 0.01?",
    "At 0.1 it rises: a negative fall. At 0.001 the promise is kept, at 0.01 roughly; at 0.1 the step "
    "is far too long. When a training run goes wild, this is the first thing to suspect.",
):
    for rate in [0.001, 0.01, 0.1]:
        for variable, value in zip(variables, numbers.values(), strict=True):
            variable.assign(value)  # start again
        with tf.GradientTape() as tape:
            before = network_loss(x, t, *variables)
        found = tape.gradient(before, variables)
        slope = sum(float(tf.reduce_sum(gradient**2)) for gradient in found)
        for variable, gradient in zip(variables, found, strict=True):
            variable.assign_sub(rate * gradient)
        after = network_loss(x, t, *variables)
        print(f"rate {rate}: promised {rate * slope:.3f}, real fall {float(before - after):.3f}")

# %% [markdown]
# ## Further: twelve layers, and three activations
#
# Lesson 18 asks what arrives at the first of twelve layers with relu and with tanh. Here is a third activation, the *sigmoid*,
# $\sigma(z) = 1 / (1 + e^{-z})$. We take twelve layers of 64 units, before any training, and ask the tape for the gradient
# with respect to the output of every layer.


# %% tags=["given"]
# Given.
def through_layers(activation, initializer):
    """How large the signal and its gradient are at each layer of a deep network (mean of |.|)."""
    tf.random.set_seed(1)
    layers = [dense(64, activation, initializer) for _ in range(12)]
    last = dense(10)
    outputs = [train_x[:128]]
    with tf.GradientTape() as tape:
        tape.watch(outputs[0])
        for layer in layers:
            outputs.append(layer(outputs[-1]))
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(train_y[:128], last(outputs[-1]))
        loss = tf.reduce_sum(losses)
    cotangents = tape.gradient(loss, outputs[1:])
    signal = [float(tf.reduce_mean(abs(output))) for output in outputs[1:]]
    return signal, [float(tf.reduce_mean(abs(cotangent))) for cotangent in cotangents]


def draw_flow(cases):
    """One line per case: the gradients at the layers 1 to 12, on a logarithmic scale."""
    plt.figure(figsize=(5.2, 3.2))
    for (label, (_, gradients)), look in zip(cases.items(), ["o-", "s--", "^:"], strict=True):
        plt.semilogy(range(1, 13), gradients, look, label=label)
    plt.xticks(range(1, 13))
    plt.xlabel("layer")
    plt.ylabel("mean |gradient|")
    above = {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0), "columnspacing": 1.0}
    plt.legend(ncols=3, fontsize=10, **above)
    plt.show()


# %% tags=["given"]
# Given.
cases = {
    "sigmoid": through_layers("sigmoid", "glorot_uniform"),
    "tanh": through_layers("tanh", "glorot_uniform"),
    "relu": through_layers("relu", "he_normal"),
}

# %%
with viz.predict(
    "At layer 12 the three gradients are about equal. How much of it arrives at layer 1: with sigmoids, with "
    "tanh, with relu?",
    "With relu all of it (here even a little more), with tanh less than half, and with sigmoids a ten-millionth.",
):
    for label, (_, gradients) in cases.items():
        print(f"{label:8} layer 12: {gradients[-1]:.1e}   layer 1: {gradients[0]:.1e}")

# %% alt="The gradients at the layers 1 to 12 on a logarithmic scale. Tanh and relu stay near a tenth. The sigmoid's gradient falls in a straight line from the last layer to the first, where it is about a ten-millionth of that."
draw_flow(cases)

# %% [markdown]
# Read it from right to left, as the gradient goes. With sigmoids it shrinks by about the same factor at every layer, a
# straight line on this scale: **the gradient vanishes**, and with plain steps the first layers would hardly move while the
# last ones learn. The reason: the slope of the sigmoid is $\sigma (1 - \sigma)$, which is *at most* 0.25, and every layer
# multiplies by it. The factor of the weights is about 1 here, so nearly all of the 0.23 a layer is the slope. The slope of
# tanh is up to 1, and that of relu is exactly 1 where a unit is open.

# %% tags=["picture", "given"] alt="Three slopes. That of the sigmoid is a low bell of height 0.25; that of tanh, dashed, a narrower bell of height 1; that of relu, dotted, jumps from 0 to 1 at z = 0."
# Given: three slopes by a tape, and their picture.
z = tf.linspace(-6.0, 6.0, 1201)
plt.figure(figsize=(5.2, 3))
for name, dashes in [("sigmoid", "-"), ("tanh", "--"), ("relu", ":")]:
    with tf.GradientTape() as tape:
        tape.watch(z)
        y = getattr(tf.nn, name)(z)
    slope = tape.gradient(y, z).numpy()
    steepest = slope.max()
    if name == "relu":
        slope[z.numpy() == 0.0] = np.nan  # it jumps here: no line
    plt.plot(z, slope, dashes, label=f"{name}: at most {steepest:.2f}")
plt.xlabel("z")
plt.ylabel("slope")
plt.legend(fontsize=10, ncols=3, loc="lower center", bbox_to_anchor=(0.45, 1.0), columnspacing=1.0)
plt.show()

# %% [markdown]
# **How to begin.** The other factor at every layer comes from the weights. A unit adds up $n$ products of a weight and an
# input. If the weights are drawn one by one with mean 0, the *variances*, the squares of the standard deviations, add up:
# $\text{var}(z) = n \cdot \text{var}(w) \cdot \text{mean}(x^2)$. Without an activation the signal keeps its size when $n
# \cdot \text{var}(w) = 1$. Tanh would need more, for tanh shrinks the signal, the more the larger it is. Relu makes half of
# the $z$ 0, so that $\text{mean}(x^2)$ is half of $\text{var}(z)$, and $n \cdot \text{var}(w)$ must be 2:
#
# - **Glorot** (for tanh): $\text{var}(w) = 2 / (n_\text{in} + n_\text{out})$, a compromise: in the backward pass a unit has
#   $n_\text{out}$ terms.
# - **He** (for relu): $\text{var}(w) = 2 / n_\text{in}$.
#
# With sigmoids neither keeps the gradient.

# %% [markdown]
# ## Further: do they arrive later, and equal weights
#
# Does it get better while the network of sigmoids learns? `viz.flow` notes the length of each gradient in every step of a
# training run, and draws it. Here are four of the twelve layers of the sigmoid network.

# %%
tf.random.set_seed(1)
stack = [dense(64, "sigmoid", "glorot_uniform") for _ in range(12)]
deep = tf.keras.Sequential([*stack, dense(10)])
deep(train_x[:1])  # the first call makes the variables
layer_1, layer_4, layer_8, layer_12 = (stack[number - 1].kernel for number in [1, 4, 8, 12])
watched = [layer_1, layer_4, layer_8, layer_12]

recorder = viz.flow(watched)
optimizer = tf.keras.optimizers.SGD(learning_rate=0.05, momentum=0.9)
for _ in range(40):
    with tf.GradientTape() as tape:
        loss = mean_loss(deep, train_x[:128], train_y[:128])
    variables = deep.trainable_variables
    for_all, for_watched = tape.gradient(loss, [variables, watched])
    recorder.note(for_watched)
    optimizer.apply_gradients(zip(for_all, variables, strict=True))

recorder

# %% [markdown]
# It does not. After 40 steps layer 1 is still where it began, and what layer 12 learns, it learns from inputs that hardly
# change: only the last two or three layers move. The loss is near $\log 10 \approx 2.3$, which is that of guessing:

# %%
print(f"loss after 40 steps: {float(loss):.2f}")

# %% [markdown]
# **Not all equal.** What should the weights be before training? If they are all equal, all units of a hidden layer compute the same, receive the same gradient, and stay equal
# forever. A layer of 64 units is worth one.

# %%
same = tf.keras.initializers.Constant(0.01)
equal = tf.keras.Sequential([dense(64, "relu", same), dense(10, None, same)])
with tf.GradientTape() as tape:
    loss = mean_loss(equal, train_x[:128], train_y[:128])
gradient = tape.gradient(loss, equal.trainable_variables[2]).numpy()  # one row per hidden unit
print(len(gradient), "units,", len(np.unique(gradient.round(12), axis=0)), "distinct gradient")

# %% [markdown]
# ## Further: what a tape holds
#
# The backward pass needs values of the forward pass: the inputs and weights of every product, the result of every relu. So
# a tape saves them until they have been used. `viz.memory` says how much that is, and why.

# %%
with viz.recording(), tf.GradientTape() as tape:
    loss = mean_loss(model, train_x[:128], train_y[:128])

viz.memory(tape)

# %% [markdown]
# Forward, the tape fills. Backward, it releases every record as soon as it has been used, and ends with nothing. A
# persistent tape may be asked again, so it keeps everything. **Use `persistent=True` only when you ask twice.**
#
# The table says which rule needs what: the product in a layer keeps its input, because the rule for the weights
# is $x^\top g$. You know that from the first page.
#
# How does it grow with the batch?

# %%
for rows in [1, 32, 64, 128, 256]:
    with tf.GradientTape() as tape:
        loss = mean_loss(model, train_x[:rows], train_y[:rows])
    print(f"batch of {rows:3}: {viz.memory(tape).total:,} bytes")

# %% [markdown]
# In proportion to the batch, above a fixed part: the weights of all three layers. The products need them for $g W^\top$.
# The tape keeps even those of the first layer, since somebody might still watch the images. The rest is the batch itself
# and, more than that, the *activations*. With large batches the activations are most of what a tape holds.
