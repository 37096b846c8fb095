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

# %% [markdown] slide="Two networks of twelve layers: the same digits, the same rate, the same 100 steps. One reads most of them, the other guesses.\n\nThey differ in how large their random weights were at the start. **How can that be?**" notes="2 minutes. Collect guesses. Then ask how much of the gradient reaches layer 1: all, half, next to nothing? It depends on how the weights are drawn, and that is the lesson."
# # 18. Do the gradients arrive? Twelve layers, and what is left
#
# Two networks have twelve layers each. They see the same digits, with the same learning rate, for the same 100 steps. Then one reads most of the digits, and
# the other guesses. They differ only in how large their random weights were at the start. How can that be?
#
# The loss is at the end of a network, so the last layer gets its gradient directly. **What is left of it when it reaches the first layer?** If nothing is
# left, the first layer does not learn, and no error tells you.
#
# You need lesson 5: a layer, relu and tanh, and the backward pass of a dense layer. Afterwards you can
#
# - measure how much of a gradient arrives at each layer, and compute it on paper,
# - choose the size of the initial weights,
# - say what saturated units, a path that adds, and a normalisation do to a gradient,
# - use batch norm in its two modes, and name three things that it does to the gradient.

# %% tags=["setup"]
import matplotlib.pyplot as plt
import numpy as np

import minitape as tf
from minitape import viz
from minitape.viz.course.motion import arriving

viz.figures()

# %% [markdown] slide="## Measure it: one tape, twelve layers\n\nSend a gradient of length 1 into the last output. How long is it at each layer before?" notes="3 minutes. Length means the root of the sum of squares, over all 256 examples and 64 units."
# ## Measure it
#
# We need no loss for this. We send 256 random examples through twelve layers of 64 units, and a random gradient of length 1 back from the last
# output. The tape says how long it is at the output of each layer: `output_gradients` is what arrives from above.


# %% slide="The length of the gradient at every layer"
def lengths(layer, seed=0):
    """How long the gradient is at each of twelve layers, and the last output."""
    draw = np.random.default_rng(seed)
    h, g = tf.constant(draw.normal(size=(256, 64))), draw.normal(size=(256, 64))
    outputs = []
    with tf.GradientTape() as tape:
        tape.watch(h)
        for _ in range(12):
            h = layer(h, draw)
            outputs.append(h)
    back = tape.gradient(h, outputs, output_gradients=tf.constant(g / np.linalg.norm(g)))
    return [float(tf.norm(each)) for each in back], h


def drawn(draw, variance):
    return tf.constant(draw.normal(size=(64, 64)) * np.sqrt(variance))


# %% slide="Relu, and weights of variance 1/n: what arrives at layer 1? | A fiftieth" notes="2 minutes. Most say all of it, because 1/n keeps the size of a sum. Ask them what relu does to half of the units."
with viz.predict(
    "Twelve layers with relu. The weights have the variance 1/n, where n = 64 is the number of inputs. The gradient has length 1 at layer 12. "
    "How long is it at layer 1: 1, a third, or a fiftieth?",
    "A fiftieth, 0.02. Nobody has made a mistake: each layer takes its part, and there are eleven of them on the way.",
):
    found, _ = lengths(lambda h, draw: tf.nn.relu(h @ drawn(draw, 1 / 64)))
    print("layer 12:", round(found[-1], 2), " layer 1:", round(found[0], 4))

# %% [markdown] slide="## Relu halves the sum of squares\n\n$$\\sqrt{1/2}^{\\,11} = 0.022$$\n\nWith which variance of the weights does it keep its length?" notes="4 minutes. Two factors a layer: the weights, and the slopes. Let the class find the variance that repairs it before you turn the slide."
# ## Half of the units are closed
#
# One step back multiplies the gradient by two things. The first is the matrix of weights. Each new number is a sum of $n$ products, and with the
# variance $1/n$ such a sum is as large as the numbers that went in. The second is the slope of relu. It is 0 for the units that are closed, and that
# is half of them. So the sum of squares is halved, and the length is multiplied by $\sqrt{1/2} = 0.71$.
#
# Eleven such factors make $\sqrt{1/2}^{\,11} = 0.022$, and we have measured 0.02. Forward it is the same: each layer halves the mean square of its outputs. A faint signal
# arrives at the end, and a faint gradient comes back. The remedy is easy: draw the weights with the variance $2/n$, and the factor is 1.
# How weights are drawn is called their **initialisation**. This one is He's, and lesson 5 has met it. But how exact must it be? Here are four networks,
# whose weights differ by a factor of 2 in the variance.

# %% tags=["picture"] minutes=1 slide="A factor of 2 in the variance, eleven layers later" notes="2 minutes. Each line on the picture is a power of ten. Let them read the ends of the four lines."
variances = {"4/n": 4 / 64, "2/n": 2 / 64, "1/n": 1 / 64, "0.5/n": 0.5 / 64}
arriving(
    {
        name: lengths(lambda h, draw, v=v: tf.nn.relu(h @ drawn(draw, v)))[0]
        for name, v in variances.items()
    },
    "The length of a gradient at the layers 12 to 1, on a scale whose lines are powers of ten. It comes from the right, for four networks at once. "
    "With the variance 2/n it stays near 1. With 4/n it climbs in a straight line to 40, with 1/n it falls to 0.02, and with 0.5/n to 0.0004.",
)

# %% [markdown] slide="## It vanishes, or it explodes\n\nThe same factor at each layer makes a straight line on this scale.\n\n**Vanishing gradient**: it shrinks with each layer. **Exploding gradient**: it grows."
# Each layer multiplies by the same factor, so the lines are straight. If the gradient shrinks with each layer, we speak of a **vanishing gradient**, and of
# an **exploding gradient** if it grows. What decides is a product: the size of the weights, times the slopes.

# %% [markdown] slide="## A saturated unit has almost no slope\n\n$h = \\tanh(z)$ has the slope $1 - h^2$.\n\n**Saturation**: $z$ is so far out that the slope is nearly 0."
# ## Saturated
#
# Tanh never closes, but far out it is flat: where $h$ is the output, its slope is $1 - h^2$. If a unit is so far out that its slope is nearly 0, this is called
# **saturation**. Let us force it: we take weights ten times as large as those of variance $1/n$.

# %% slide="Ten times larger weights, and tanh: what arrives? | It explodes" notes="3 minutes. Everybody says that it vanishes. Ask them afterwards for the other factor of the product."
with viz.predict(
    "Tanh, and weights ten times too large. In the last layer, 85 out of 100 units have a slope below 0.1. What does the gradient do on its way to layer 1: "
    "does it vanish, stay, or explode?",
    "It explodes, to thousands of times its length. The few units that are not saturated have a slope of 0.5 on average, and the weights are ten times as large. "
    "What counts is the product. (With 1/n a third arrives: the slopes of tanh are below 1.)",
):
    for name, variance in [("1/n", 1 / 64), ("ten times larger", 100 / 64)]:
        found, last = lengths(lambda h, draw, v=variance: tf.tanh(h @ drawn(draw, v)))
        flat = np.mean(1 - last.numpy() ** 2 < 0.1)
        print(
            f"weights {name}: layer 1: {found[0]:.2f}, saturated units: {100 * flat:.0f} out of 100"
        )

# %% [markdown] slide="## All on one side: then it vanishes\n\nAdd a bias of 3 to every unit, and no unit is left in the middle."
# So saturated units are not enough to stop a gradient, as long as some units stay in the middle. A bias of 3 at each unit pushes all of them to the same side,
# and then nothing arrives. Look at where the outputs are:

# %% tags=["picture", "given"] minutes=1 slide="Where the units are decides what arrives" alt="Three histograms of the outputs of the last layer, which lie between -1 and 1. With weights of variance 1/n they are a hill in the middle. With weights ten times larger most stand at -1 and at 1, and a few between. With a bias of 3 all stand at 1."
# Given: this only draws.
_, panels = plt.subplots(1, 3, figsize=(7.6, 2.4), sharey=True, layout="constrained")
kinds = [
    ("variance 1/n", 1 / 64, 0.0),
    ("ten times larger", 100 / 64, 0.0),
    ("bias 3", 1 / 64, 3.0),
]
for panel, (name, variance, bias) in zip(panels, kinds, strict=True):
    found, last = lengths(lambda h, draw, v=variance, b=bias: tf.tanh(h @ drawn(draw, v) + b))
    panel.hist(np.ravel(last), bins=np.linspace(-1, 1, 41), density=True, color="#0072b2")
    panel.set_title(f"{name}\narrives: {float(f'{found[0]:.1g}'):g}", fontsize=12)
    panel.set(xlabel="output", yticks=[], ylim=(0, 10))
plt.show()

# %% [markdown] slide="## A path that adds\n\n$$h \\leftarrow h + \\text{relu}(h\\,W)$$\n\n**Add copies**: all of $g$ goes back along the straight path, whatever $W$ is." notes="4 minutes. Draw two layers on the board and count the paths: four. Then ask for eleven."
# ## A path that adds
#
# The product of many factors is the disease. Lesson 1 has a cure: *add copies*. Let each layer add to its input instead of replacing it:
#
# $$h \leftarrow h + \text{relu}(h\, W)$$
#
# The addition hands the whole gradient to the old $h$, whatever the weights are. This straight path past a layer is a **residual connection**.
# Eleven layers with two ways each have 2048 paths, and one of them meets no weight at all.

# %% tags=["picture", "given"] minutes=1 slide="Three layers, eight paths, and one of them is straight" alt="A thick straight line from left to right with three plus signs on it. Before each plus a branch leaves the line, goes through a box with W and relu, and comes back at the plus. A gradient that comes from the right has two ways at each plus: through the box, or straight on." notes="2 minutes. Walk from the right to the left with a finger: two ways at each plus. Which path meets no weight?"
# Given: this only draws.
_, panel = plt.subplots(figsize=(7.6, 2.0))
panel.set(xlim=(-0.4, 10.4), ylim=(-0.7, 1.8))
panel.axis("off")
box = {"boxstyle": "round", "facecolor": "white", "edgecolor": "#b04a00"}
panel.annotate(
    "", (10.2, 0), (-0.2, 0), arrowprops={"arrowstyle": "->", "lw": 3, "color": "#0072b2"}
)
for x in (0.5, 3.8, 7.1):
    panel.plot([x, x, x + 2.2, x + 2.2], [0, 1.2, 1.2, 0.25], "-", color="#b04a00", linewidth=1.5)
    panel.text(x + 1.1, 1.2, "· W, relu", ha="center", va="center", bbox=box)
    panel.plot(x + 2.2, 0, "o", color="white", markersize=18, markeredgecolor="0.3", zorder=3)
    panel.text(x + 2.2, 0, "+", ha="center", va="center", zorder=4)
panel.text(4.9, -0.55, "the straight path: no weight, no slope", ha="center", color="#0072b2")
plt.show()

# %% slide="With a residual connection: what arrives now? | All of it, and more" notes="2 minutes. Without the connection it was 0.0004. Why more than 1? The paths through the layers add to the straight one."
with viz.predict(
    "The variance 0.5/n, which left 0.0004 of the gradient. Each layer gets a residual connection. How long is the gradient at layer 1 now: "
    "0.0004, about 1, or about 5?",
    "About 5. The straight path delivers all of it, and what the other paths deliver comes on top.",
):
    for name in ("0.5/n", "2/n", "0.1/n"):
        variance = float(name[:-2]) / 64
        found, _ = lengths(lambda h, draw, v=variance: h + tf.nn.relu(h @ drawn(draw, v)))
        print(f"variance {name}, with a residual connection: layer 1: {found[0]:.3g}")

# %% [markdown] slide="## A good start for a branch is small\n\nWhat the branches deliver is *added*: with 2/n the length is 85, with 0.1/n it is 1.4."
# With random branches it no longer vanishes. It can still explode: with $2/n$, right for a layer without the straight path, it becomes 85. So the branch should start small.
# Some start the last weights of each branch at 0, and then the length is exactly 1.

# %% [markdown] slide="## Normalise: mean 0, spread 1\n\n$$h = \\frac{x - \\text{mean}}{\\sqrt{\\text{variance}}}$$\n\n**Batch norm**: each column, over the batch. **Layer norm**: each row, over its units." notes="4 minutes. Draw a table of 256 rows and 64 columns, one arrow down and one across."
# ## Normalise
#
# There is another way. Why hope that the numbers keep their size, when you can make sure of it? Subtract the mean, and divide by the **standard deviation**:
#
# $$h = \frac{x - \text{mean}}{\sqrt{\text{variance}}}$$
#
# **Batch norm** does so for each unit, over all examples of the batch: over a column. **Layer norm** does so for each example, over all its units: over a
# row. Both usually multiply by a weight afterwards and add a bias, which we leave out. The code adds a tiny number to the variance, called *epsilon*, so that
# nothing is divided by 0.

# %% tags=["picture", "given"] minutes=1 slide="Batch norm goes down a column, layer norm along a row" alt="A table with a row for each example and a column for each unit. One column is orange: batch norm takes the mean over all examples of one unit. One row is blue: layer norm takes the mean over all units of one example."
# Given: this only draws.
_, panel = plt.subplots(figsize=(6.4, 2.8))
panel.set(xlim=(-3.2, 11.5), ylim=(5.1, -0.9))
panel.axis("off")
panel.fill([1, 2, 2, 1], [0, 0, 5, 5], color="#b04a00", alpha=0.35)
panel.fill([0, 6, 6, 0], [3, 3, 4, 4], color="#0072b2", alpha=0.35)
for n in range(6):
    panel.plot([0, 6], [n, n], "-", color="0.6", linewidth=1)
for n in range(7):
    panel.plot([n, n], [0, 5], "-", color="0.6", linewidth=1)
panel.text(3, -0.3, "units", ha="center")
panel.text(-0.2, 2.5, "examples", ha="right", va="center")
panel.text(6.3, 1.2, "batch norm: one unit,\nall examples", color="#b04a00", va="center")
panel.text(6.3, 3.5, "layer norm: one example,\nall units", color="#0072b2", va="center")
plt.show()


# %% slide="A normalisation is two lines"
def normalised(x, axis):
    """Mean 0 and spread 1 along an axis: 0 for batch norm, 1 for layer norm."""
    x = x - tf.reduce_mean(x, axis=axis, keepdims=True)
    return x / tf.sqrt(tf.reduce_mean(x * x, axis=axis, keepdims=True) + 1e-5)


# %% tags=["given"] slide=""
# Given: a layer of three units before a batch norm, and a loss.
draw = np.random.default_rng(2)
x, wanted = tf.constant(draw.normal(size=(8, 3))), draw.normal(size=(8, 3))
w, b = tf.Variable(draw.normal(size=(3, 3))), tf.Variable(np.ones(3))


def step():
    """The loss and its gradients with respect to weights and bias."""
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((normalised(x @ w + b, axis=0) - wanted) ** 2)
    return loss, *tape.gradient(loss, [w, b])


# %% tags=["varies"] slide="Ten times larger weights before a batch norm: and the gradient? | A tenth for the weights, and 0 for the bias" notes="3 minutes. The norm divides the factor 10 away, so the loss stays, and a step of 0.1 changes ten times less. The bias shifts a column, and the mean takes it away: PyTorch has bias=False for such layers."
with viz.predict(
    "We make all weights before a batch norm ten times larger. The gradient with respect to them: ten times larger, the same, or a tenth?",
    "A tenth: the norm divides the 10 away, so a step of 0.1 in a weight now changes ten times less. The bias gets 0, up to rounding: it shifts a whole column, and the norm "
    "takes the mean of the column away again.",
):
    for _ in range(2):
        loss, for_w, for_b = step()
        print(f"loss {float(loss):.4f}, gradient for w of length {float(tf.norm(for_w)):.4f}")
        w.assign(10.0 * w)
    print("for b:", [f"{g:.0e}" for g in for_b.numpy()])
    w.assign(w / 100.0)

# %% [markdown] slide="## The backward pass forgets two directions\n\nIn each column, the gradient sums to 0, and so does gradient times $h$.\n\nA shift and a stretch of the column change nothing."
# ## What a norm takes from the gradient
#
# Shift a column, or stretch it: the output of the norm stays the same. Where the output does not change, there is no slope. So
# the gradient that leaves a batch norm has lost two directions in every column: its numbers sum to 0, and so do its numbers times $h$.
#
# So a batch norm does three things to a gradient: it divides it by the standard deviation of the column, it makes each column sum to 0, and it makes each column
# orthogonal to its $h$.

# %% tags=["picture", "given"] minutes=1 slide="Four ways to build twelve layers from the same weights" alt="The length of the gradient at the layers 1 to 12 on a logarithmic scale, for weights of variance 0.5/n. Plain, it falls from 1 at layer 12 to 0.0004 at layer 1. With a batch norm it grows to 8. With a layer norm it stays, at 0.8. With a layer norm and a residual connection it is 2."
# Given: the same weights, of variance 0.5/n, in four networks.
ways = {
    "plain": lambda h, w: tf.nn.relu(h @ w),
    "batch norm": lambda h, w: tf.nn.relu(normalised(h @ w, axis=0)),
    "layer norm": lambda h, w: tf.nn.relu(normalised(h @ w, axis=1)),
    "layer norm, residual": lambda h, w: h + tf.nn.relu(normalised(h, axis=1) @ w),
}
_, panel = plt.subplots(figsize=(6, 3))
for (name, way), look in zip(ways.items(), ["o-", "s--", "^:", "D-."], strict=True):
    found, _ = lengths(lambda h, draw, way=way: way(h, drawn(draw, 0.5 / 64)))
    (line,) = panel.semilogy(range(1, 13), found, look, markersize=4)
    label = f"{name}: {found[0]:.1g}"
    panel.text(0.7, found[0], label, color=line.get_color(), ha="right", va="center", fontsize=10)
panel.minorticks_off()
panel.set(xlabel="layer", ylabel="length of the gradient", xticks=range(1, 13), xlim=(-6.2, 12.5))
plt.show()

# %% [markdown] slide=""
# Look at batch norm: nothing vanishes, but the gradient *grows* on its way, by the same factor at each layer. It is 8 after eleven layers, and it would be
# more than 100 million after a hundred. A batch norm in each layer is therefore no cure for depth. Put it into the branch
# of a residual connection, and the straight path passes it by.

# %% [markdown] slide="## And does it matter?\n\nDigits, twelve layers, 100 steps, the same learning rate. Three networks differ only in their start. The fourth also has another architecture."
# ## And does it matter?
#
# All this was measured before any training. Does it decide who learns? We take the digits of lesson 5 and train four networks of twelve layers, each for 100
# steps, with the same learning rate. The first has weights of variance $1/(3n)$. That is what PyTorch's `nn.Linear` draws if you say nothing.
# Three differ only in their start. The fourth also has another architecture: a layer norm, a residual connection, and a small start, $0.1/n$.


# %% tags=["setup", "given"]
# Given: digits, and a training of twelve layers.
with np.load("data/digits.npz", allow_pickle=False) as data:
    images, labels = data["images"].reshape(-1, 64) / 16.0, data["labels"].astype(int)
images = (images - images.mean()) / images.std()


def trained(layer, variance, seed=0, steps=100):
    """The losses of the steps, and how many out of 100 unseen digits are read."""
    draw = np.random.default_rng(seed)
    weights = [tf.Variable(drawn(draw, variance)) for _ in range(12)]
    weights.append(tf.Variable(draw.normal(size=(64, 10)) / 8))
    optimizer, losses = tf.keras.optimizers.SGD(0.01, momentum=0.9), []

    def logits(h):
        for each in weights[:-1]:
            h = layer(h, each)
        return h @ weights[-1]

    for _ in range(steps):
        batch = draw.integers(0, 1297, 64)
        with tf.GradientTape() as tape:
            each = tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels=labels[batch], logits=logits(tf.constant(images[batch]))
            )
            loss = tf.reduce_mean(each)
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        losses.append(float(loss))
    read = logits(tf.constant(images[1297:])).numpy().argmax(axis=1)
    return losses, 100 * np.mean(read == labels[1297:])


# %% slide="Four networks, 100 steps: who reads the digits? | Those whose gradients arrive" notes="3 minutes. Same data, same rate, same number of steps. A guess would read 10 out of 100."
with viz.predict(
    "Variance 1/(3n), 1/n, 2/n, and layer norm with a residual connection. A guess reads 10 out of 100 digits. After 100 steps, how many of the four networks "
    "read more than 50: one, two, or all four?",
    "Two: the one with 2/n, and the one with norm and residual connection. The other two have hardly learnt anything, with the same steps and the same learning rate. "
    "With ten times as many steps 1/n gets there too, and reads nine digits in ten. 1/(3n) still guesses.",
):
    starts = {
        "1/(3n)": (ways["plain"], 1 / 192),
        "1/n": (ways["plain"], 1 / 64),
        "2/n": (ways["plain"], 2 / 64),
        "norm, residual": (ways["layer norm, residual"], 0.1 / 64),
    }
    runs = {name: trained(*how) for name, how in starts.items()}
    for name, (_, share) in runs.items():
        print(f"{name:15} reads {share:.0f} out of 100")

# %% tags=["picture", "given"] minutes=1 slide="The same training of four networks" alt="Four curves of the loss over 100 steps. Two stay level at 2.3, the loss of a guess: those with the variances 1/(3n) and 1/n. The one with 2/n falls below 0.5, and the one with norm and residual connection falls fastest, to nearly 0. It starts at 3.5, the worst of all."
# Given: this only draws.
_, panel = plt.subplots(figsize=(6, 2.8))
looks = [(":", 99, 2.4), ("-.", 68, 2.4), ("--", 58, 1.25), ("-", 99, -0.3)]
for (name, (losses, _)), (look, at, high) in zip(runs.items(), looks, strict=True):
    (line,) = panel.plot(losses, look)
    panel.text(at, high, name, color=line.get_color(), ha="right", fontsize=11)
panel.set(xlabel="step", ylabel="loss", ylim=(-0.5, 4.0))
plt.show()

# %% [markdown] slide="## The same elsewhere\n\n| here | PyTorch | JAX |\n|:--|:--|:--|\n| `he_normal` | `kaiming_normal_` | `he_normal()` |\n| `Dense`: Glorot | `nn.Linear`: 1/(3n) | by hand |\n| 0.99 weighs the old | 0.1 weighs the new | by hand |\n| `training=True` | `net.train()`, `net.eval()` | an argument |"
# ## The same elsewhere
#
# JAX has its initialisations in `jax.nn.initializers`. Layers come from a library such as Flax.
#
# | here, and in TensorFlow | PyTorch | JAX |
# |:--|:--|:--|
# | `initializers.HeNormal()`, variance 2/n | `nn.init.kaiming_normal_(w, nonlinearity="relu")` | `initializers.he_normal()` |
# | `layers.Dense(64)` draws by Glorot | `nn.Linear(64, 64)` draws with variance 1/(3n) | you say which |
# | `layers.BatchNormalization()`: momentum 0.99 weighs the old average | `nn.BatchNorm1d(3)`: momentum 0.1 weighs the *new* batch | by hand |
# | `layer(x, training=True)` | `net.train()`, `net.eval()` | an argument of your function |
# | `layers.LayerNormalization()`, epsilon 1e-3 | `nn.LayerNorm(3)`, eps 1e-5 | `jax.nn.standardize(x)`, epsilon 1e-5 |

# %% [markdown] slide="## At home: two modes, training and use\n\nIn training, batch norm takes the mean of the batch. In use there may be no batch." notes="4 minutes. The commonest bug with batch norm: somebody forgets to switch. Lesson 11 has the patient."
# ## Homework: one example alone
#
# A batch norm looks at the whole batch, so each output depends on all examples. That is fine in training. But in use there may be a single image.

# %% slide="One example alone, in training mode: what comes out? | Zeros, whatever the example" notes="2 minutes. The example is its own mean."
with viz.predict(
    "We give the layer with its batch norm one example alone. What are the three outputs: the same as before, random numbers, or 0, 0, 0?",
    "0, 0, 0, for every example. It is its own mean, and nothing is left of it.",
):
    for example in range(2):
        print(normalised(x[example : example + 1] @ w + b, axis=0).numpy())

# %% [markdown] slide="## The remedy: keep a mean for later\n\n**Running average**: after each batch it moves a little toward the batch's mean.\n\nAt inference, the norm uses the stored numbers." notes="2 minutes. Here momentum 0.99 weighs the old value, in PyTorch 0.1 weighs the new one. This has cost people days."
# The remedy: keep a mean and a variance for later. After each batch they move a little, say by a hundredth of the way, toward those of the batch. Such a
# number is a **running average**. At inference, the norm uses the stored numbers, and an example no longer depends on its neighbours. This is
# called **inference mode**. You have to say which mode you want: `layer(x, training=True)` here, `net.train()` and `net.eval()` in PyTorch. A layer norm has no modes, for it looks at one
# example.

# %% [markdown] slide="## Exercises\n\nA relu that leaks; batch norm backward; two modes."
# ## Exercises
#
# Replace each `...` with your answer, run the cell, and run the check below it.
#
# **Exercise 1.** A relu that leaks, a **leaky ReLU**, has the slope 1 above 0, and below 0 it has the slope `leak`, a small number such as 0.2. Half of the units are below 0. Write
# `spread(n, leak)`: the *standard deviation* of the weights, for `n` inputs, with which the gradient keeps its length.


# %% nbgrader={"grade": false, "grade_id": "spread", "locked": false, "schema_version": 3, "solution": true, "task": false}
def spread(n, leak):
    """The standard deviation of the weights of a layer with a relu that leaks."""
    ### BEGIN SOLUTION
    mean_square = (1 + leak**2) / 2
    return 1 / np.sqrt(n * mean_square)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "spread-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
with viz.Score(3) as score:
    draw = np.random.default_rng()  # other numbers each time
    for part, leak in [(1, 0.0), (2, draw.uniform(0.3, 0.7))]:
        n = int(draw.integers(20, 200))
        found = spread(n, leak)
        assert found is not None, "Nothing is returned yet: a standard deviation."
        assert np.size(found) == 1, f"One number is asked for, not {np.size(found)}."
        found = float(np.real(found))
        z = tf.Variable(np.array([-1.0, 1.0]))
        with tf.GradientTape() as tape:
            out = tf.where(z > 0, z, leak * z)
        slopes = tape.gradient(out, z).numpy()

        def factor(s, n=n, slopes=slopes):
            """By how much one layer back multiplies the sum of squares."""
            return n * s**2 * float(np.square(slopes).mean())

        hint = f"With this spread a layer multiplies the length by {factor(found) ** 0.5:.3g}, and it should be 1."
        if found < 0:
            hint = "A standard deviation is not negative."
        elif np.isclose(factor(found**0.5), 1):
            hint = "That is the variance. The standard deviation is its root."
        elif np.isclose(n * found**2, 1):
            hint = "That is right for a layer without relu, where all slopes are 1. What is the mean of the squares of the slopes here?"
        elif leak and np.isclose(n * found**2, 2):
            hint = "That is right for a relu that is closed below 0. Here those units let a part of the gradient through."
        elif np.isclose(n * found**2 * slopes.mean(), 1):
            hint = "You have taken the mean of the slopes. Lengths are made of squares: square the slopes first."
        elif np.isclose(n * found**2 * slopes.mean() ** 2, 1):
            hint = "Square the slopes first, and take the mean then."
        elif np.isclose(factor(found) * 4, 1) or np.isclose(factor(found) * 2, 1):
            hint = "Each slope holds for half of the units: their squares are averaged, not added."
        score.part(part, found > 0 and np.isclose(factor(found), 1, rtol=1e-4), hint)
    score.total("n times the variance, times the mean of the squared slopes, is 1.")
score.earned

# %% [markdown]
# **Exercise 2.** Write the backward pass of batch norm in NumPy: `norm_backward(x, g)` takes the input `x` of shape (batch, units) and the gradient `g` of
# the output $h = (x - \text{mean}) / s$, where $s$ is the standard deviation of each column. It returns the gradient of `x`. There is no epsilon. Begin with $g / s$.
# Then take away what the mean and $s$ contribute: the two forgotten directions.


# %% nbgrader={"grade": false, "grade_id": "norm-backward", "locked": false, "schema_version": 3, "solution": true, "task": false}
def norm_backward(x, g):
    """The gradient of x, when g is that of x normalised over the batch."""
    ### BEGIN SOLUTION
    s = x.std(axis=0)
    h = (x - x.mean(axis=0)) / s
    return (g - g.mean(axis=0) - h * (g * h).mean(axis=0)) / s
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "norm-backward-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    draw = np.random.default_rng()  # other numbers each time
    given = 2.0 + draw.normal(size=(6, 4)) * draw.uniform(0.4, 3.0, 4)
    upstream = draw.normal(size=(6, 4)) + draw.uniform(0.5, 1.5, 4)
    source = tf.constant(given)
    with tf.GradientTape() as tape:
        tape.watch(source)
        centred = source - tf.reduce_mean(source, axis=0)
        by_tape = centred / tf.math.reduce_std(source, axis=0)
    right = tape.gradient(by_tape, source, output_gradients=tf.constant(upstream)).numpy()
    out, size = by_tape.numpy(), given.std(axis=0)
    found = norm_backward(given.copy(), upstream.copy())
    assert found is not None, "Nothing is returned yet: the gradient of x."
    assert np.shape(found) == (6, 4), (
        f"The gradient has the shape of x, here (6, 4), not {np.shape(found)}."
    )
    found = np.asarray(found, float)
    sums = np.allclose(found.sum(axis=0), 0, atol=1e-9) and np.abs(found).max() > 1e-9
    along = np.allclose((found * out).sum(axis=0), 0, atol=1e-9) and np.abs(found).max() > 1e-9
    part = np.allclose(found, upstream / size)
    hint = "In each column the numbers have to sum to 0. What does the mean contribute?"
    if part:
        hint = "That is the first step alone, as if mean and s were constants."
    elif np.allclose(found, 0, atol=1e-9):
        hint = "Everything is 0. Only two directions of each column are lost."
    elif np.allclose(found, (upstream - upstream.mean(0) - (upstream * out).mean(0)) / size):
        hint = "The mean is done. What s contributes is different for each number of a column: it goes along h."
    elif np.allclose(found.sum(axis=1), 0, atol=1e-9):
        hint = "The rows sum to 0. Batch norm goes over the batch, so the columns have to."
    score.part(1, sums, hint)
    good = sums and along
    hint = "In each column, gradient times h has to sum to 0. What does s contribute?"
    summed = (upstream - upstream.mean(axis=0) - out * (upstream * out).sum(axis=0)) / size
    if not sums:
        hint = None  # one hint at a time
    elif np.allclose(found, summed):
        hint = "You have taken a sum where a mean belongs."
    elif np.allclose((found * out).sum(axis=0), (upstream * out).sum(axis=0) / size):
        hint = "The mean is done. What s contributes is still missing."
    score.part(1, along, hint)
    hint = "Compare one column with a tape: the direction may be right and the size not."
    if not good:
        hint = None
    elif np.allclose(found, right * size):
        hint = "Only the division by s is missing."
    elif np.allclose(found * size, right):
        hint = "It is divided by s twice."
    elif np.allclose(found, -right):
        hint = "The sign is turned."
    score.part(2, np.allclose(found, right), hint)
    score.total("two directions are taken out of g, and the rest is divided by s.")
score.earned

# %% [markdown]
# **Exercise 3.** Write `norm(x, kept, training)` in NumPy. `kept` is a dictionary with the running averages `kept["mean"]` and `kept["var"]`, arrays with one number
# for each column. In training, normalise with the mean and the variance of the batch, and move both running averages by a tenth of the way toward those of the
# batch. In use, normalise with the running averages, and leave them as they are. Return the normalised `x`. There is no epsilon.


# %% nbgrader={"grade": false, "grade_id": "two-modes", "locked": false, "schema_version": 3, "solution": true, "task": false}
def norm(x, kept, training):
    """Batch norm in its two modes."""
    ### BEGIN SOLUTION
    mean, var = kept["mean"], kept["var"]
    if training:
        mean, var = x.mean(axis=0), x.var(axis=0)
        kept["mean"] = 0.9 * kept["mean"] + 0.1 * mean
        kept["var"] = 0.9 * kept["var"] + 0.1 * var
    return (x - mean) / np.sqrt(var)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "two-modes-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    draw = np.random.default_rng()  # other numbers each time
    given = draw.uniform(1.0, 3.0, 3) + draw.normal(size=(7, 3)) * draw.uniform(1.5, 3.0, 3)
    old_mean, old_var = draw.uniform(-3.0, -1.0, 3), draw.uniform(20.0, 40.0, 3)
    batch_mean, batch_var = np.average(given, axis=0), np.average(given**2, axis=0)
    batch_var = batch_var - batch_mean**2
    of_batch = (given - batch_mean) / batch_var**0.5
    of_kept = (given - old_mean) / old_var**0.5
    results, after = [], []
    for training in (True, False):
        there = {"mean": old_mean.copy(), "var": old_var.copy()}
        found = norm(given.copy(), there, training)
        assert found is not None, "Nothing is returned yet: the normalised x."
        assert np.shape(found) == (7, 3), (
            f"The result has the shape of x, here (7, 3), not {np.shape(found)}."
        )
        assert {"mean", "var"} <= set(there), "`kept` has lost one of its two names."
        results.append(np.asarray(found, float))
        after.append(
            np.array([np.broadcast_to(there["mean"], 3), np.broadcast_to(there["var"], 3)])
        )
    hint = "In training, each column of the result has mean 0 and spread 1."
    if np.allclose(results[0], of_kept):
        hint = "In training, the mean and the variance of the batch count, not the kept ones."
    elif np.allclose(results[0], (given - batch_mean) / batch_var):
        hint = "It is divided by the variance. The spread is its root."
    elif np.allclose(results[0].mean(axis=1), 0, atol=1e-9):
        hint = "Each row has mean 0, and each column should: the batch runs down."
    score.part(1, np.allclose(results[0], of_batch), hint)
    hint = "In use, normalise with the two running averages."
    if np.allclose(results[1], of_batch):
        hint = "In use, the batch still counts: an example must not depend on its neighbours."
    elif np.allclose(results[1], (given - old_mean) / old_var):
        hint = "In use it is divided by the variance. The spread is its root."
    score.part(1, np.allclose(results[1], of_kept), hint)
    old, new = np.array([old_mean, old_var]), np.array([batch_mean, batch_var])
    moved = (after[0] - old) / (new - old)  # which part of the way
    hint = "In training both running averages move by a tenth of the way from the old value to that of the batch."
    if np.allclose(after[0], old):
        hint = "The running averages have not moved in training. Are the new ones stored in `kept`?"
    elif np.allclose(moved, 0.9):
        hint = "They move by nine tenths of the way. A batch should count little."
    elif np.allclose(moved, 1.0):
        hint = "They forget everything before this batch. Move by a tenth of the way."
    elif np.allclose(moved[0], 0.1):
        hint = "The mean is right. For the variance, divide by n, and take no root."
    elif np.allclose(moved[1], 0.1):
        hint = "The variance is right, and the mean is not."
    score.part(1, np.allclose(moved, 0.1), hint)
    hint = "In use the running averages stay as they are: looking must not change them."
    score.part(1, np.allclose(after[1], old), hint)
    score.total("the batch decides in training, the running averages in use.")
score.earned

# %% [markdown]
# **To think about.** In words, for 2 points that are given by hand: a batch norm in training mode lets an example see its neighbours. Two images of the same
# person are in each batch, and the network is asked who it is. How could it cheat, and how would you notice?

# %% [markdown]
# ## What to remember
#
# - Each layer multiplies the gradient by its weights and its slopes. Twelve layers make a power of that factor.
# - Relu halves the sum of squares, so the weights start with the variance $2/n$.
# - Saturated units do not stop a gradient if the weights are large. If all units are on one side, nothing arrives.
# - A residual connection delivers the whole gradient past a layer. What the layer adds should start small.
# - A norm takes away shift and stretch of what comes in, and of the gradient that goes back. Batch norm has two modes.
#
# **Read on.** Glorot, Bengio, *Understanding the Difficulty of Training Deep Feedforward Neural Networks* (2010). He and others, *Delving Deep into
# Rectifiers* (2015), and *Deep Residual Learning for Image Recognition* (2016). Ioffe, Szegedy, *Batch Normalization* (2015). Yang and others, *A Mean Field
# Theory of Batch Normalization* (2019).

# %% [markdown]
# ## Further: how far it explodes, and a bias
#
# Why thousands? The mean of all squared slopes is only 0.055, but the weights multiply squares by 100. So each layer multiplies the length by about
# $\sqrt{5.5} = 2.35$, and eleven of them by about 12,000. We measured 9,291. With the usual weights and a bias at each unit the gradient vanishes instead:

# %%
for bias in (0.0, 1.0, 2.0, 3.0):
    found, _ = lengths(lambda h, draw, b=bias: tf.tanh(h @ drawn(draw, 1 / 64) + b))
    print(f"bias {bias:g}: layer 1: {found[0]:.1g}")

# %% [markdown]
# ## Further: the two sums, measured
#
# A batch norm takes two directions from each column of the gradient. Send one through it, and add up what leaves:

# %%
draw = np.random.default_rng(2)
x, above = tf.constant(draw.normal(size=(8, 3))), draw.normal(size=(8, 3))
with tf.GradientTape() as tape:
    tape.watch(x)
    h = normalised(x, axis=0)
g = tape.gradient(h, x, output_gradients=tf.constant(above)).numpy()
print("what arrives, summed:", above.sum(axis=0).round(2))
print("what leaves, summed: ", abs(g.sum(axis=0)).round(3))
print("what leaves, times h:", abs((g * h.numpy()).sum(axis=0)).round(3))
