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

# %% [markdown] slide="A network reads 96 of 100 handwritten digits. We move every image by one pixel.\n\n**How many does it still read?**" notes="2 minutes. Everybody writes down a number before the next slide."
# # 13. Convolution: one small window, used everywhere
#
# A network reads 96 of 100 handwritten digits. Now we move every image by one pixel. You would hardly notice.
# **How many digits does the network still read?**
#
# In this lesson you build a layer that knows what a neighbour is. It has fewer weights than a dense layer, and its backward pass is
# two pictures. You need lesson 5: a dense layer, and the gradient of a weight.
#
# Afterwards you can
#
# - compute a convolution by hand, and say what kernel, stride and padding are,
# - say why the gradient of a kernel is a sum over all positions, and compute it,
# - spread a gradient back onto the image,
# - say what a convolutional network does when its input moves, and where that ends.

# %% tags=["setup"]
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LinearSegmentedColormap

import minitape as tf
from minitape import viz
from minitape.viz.course.motion import sliding, stamping

viz.figures()

# %% [markdown] slide="## A dense network has never heard of neighbours\n\n256 pixels, 256 inputs, each with weights of its own."
# ## A dense network has no neighbours
#
# The images have 8 by 8 pixels. We put each one in the middle of 16 by 16, so that nothing is lost when it moves.


# %% tags=["setup", "given"]
# Given: the digits, a training loop, and a count of what is read.
with np.load("data/digits.npz", allow_pickle=False) as data:
    images, labels = data["images"].astype(np.float32) / 16, data["labels"].astype(int)
images = np.pad(images, ((0, 0), (4, 4), (4, 4)))[..., None]  # (n, 16, 16, 1)
order = np.random.default_rng(0).permutation(len(images))
train, test = order[:1097], order[1297:]  # the 200 in between are for choosing rates


def kernel(draw, *shape):
    """Random weights of variance 2/n for n inputs (lesson 5)."""
    size = np.sqrt(2 / np.prod(shape[:-1]))
    return tf.Variable((draw.normal(size=shape) * size).astype(np.float32))


def zeros(n):
    return tf.Variable(np.zeros(n, np.float32))


def trained(scores, w, steps):
    """Trains with Adam (lesson 17: a step size for each weight), and returns w."""
    draw, optimizer = np.random.default_rng(0), tf.keras.optimizers.Adam()
    for step in range(steps):
        optimizer.learning_rate = 3e-3 * (1 - step / steps) + 1e-5
        batch = draw.choice(train, 64)
        with tf.GradientTape() as tape:
            each = tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels=labels[batch], logits=scores(w, tf.constant(images[batch]))
            )
            loss = tf.reduce_mean(each)
        optimizer.apply_gradients(zip(tape.gradient(loss, w), w, strict=True))
    return w


def read(scores, w, pixels):
    """The fraction of test images that are read when moved by some pixels, on average over four directions."""
    shares = []
    for axis, by in [(1, pixels), (1, -pixels), (2, pixels), (2, -pixels)]:
        moved = np.roll(images[test], by, axis)
        shares.append(np.mean(scores(w, tf.constant(moved)).numpy().argmax(1) == labels[test]))
    return np.mean(shares)


# %% tags=["picture", "given"] minutes=1 slide="The same seven, moved: you hardly see a difference" alt="A handwritten 7 three times, on 16 by 16 pixels: in the middle, moved to the right by one pixel, and by two. It looks like the same picture."
# Given: this only draws.
figure, panels = plt.subplots(1, 3, figsize=(6.6, 2.5), layout="constrained")
for panel, pixels in zip(panels, (0, 1, 2), strict=True):
    panel.imshow(np.roll(images[test[1]], pixels, axis=1)[..., 0], cmap="Greys")
    panel.set_title(f"moved by {pixels}", fontsize=12)
    panel.set(xticks=[], yticks=[])
    panel.spines[:].set_visible(True)
plt.show()


# %% slide="A network of two dense layers | In the middle it reads 96 of 100"
def dense(w, x):
    h = tf.nn.relu(tf.reshape(x, [len(x), 256]) @ w[0] + w[1])
    return h @ w[2] + w[3]


draw = np.random.default_rng(0)
w = [kernel(draw, 256, 32), zeros(32), kernel(draw, 32, 10), zeros(10)]
reader = trained(dense, w, 600)
print(f"in the middle it reads {100 * read(dense, reader, 0):.0f} of 100")

# %% slide="How many does it read, one pixel aside? | One pixel costs more than half" notes="3 minutes with the discussion. A good follow-up: which images must we show it, so that it would learn this?"
with viz.predict(
    "All images move by one pixel. How many of 100 does the network read now: 95, 75 or 45?",
    "43. By two pixels it reads 11, and guessing reads 10. To a dense layer, pixel 100 and pixel 101 are two inputs with two "
    "weights. It does not know that they are neighbours.",
):
    for pixels in (1, 2):
        print(f"moved by {pixels}: {100 * read(dense, reader, pixels):.0f} of 100")

# %% [markdown] slide="## A window slides over the image\n\nA small table of weights, the **kernel**, lies on a window of the image. Multiply each weight by the pixel under it, and add up. Move on.\n\n**Stride**: how far it moves. **Padding**: zeros around the image."
# ## A window slides
#
# Take a small table of weights. Lay it on a corner of the image. Multiply each weight by the pixel under it, and add up the
# products: that is one output. Move the table by one pixel, and do it again. This is a **convolution**.
#
# - The table is the **kernel**, or filter. Ours has 3 by 3 weights.
# - The outputs form a **feature map**. An image of 5 by 5 has 3 by 3 windows, so its map has 3 by 3 numbers.
# - The **stride** is how far the window moves. Here it is 1.
# - **Padding** adds zeros around the image, so that the window can reach over the edge. Here there is none, which is called
#   *valid*.
#
# With $n$ pixels in a row, a kernel of $k$, padding $p$ on either side and stride $s$, a row of the map has $\lfloor (n + 2p - k)/s \rfloor + 1$ numbers.
#
# In mathematics the kernel is turned around first, and our operation is a **cross-correlation**. Deep learning does not distinguish
# the two.


# %% tags=["needed"] slide="Two loops and a sum | Nine windows give nine numbers"
def convolve(image, kernel):
    size = kernel.shape[0]
    rows, columns = image.shape[0] - size + 1, image.shape[1] - size + 1
    out = np.zeros((rows, columns))
    for i in range(rows):
        for j in range(columns):
            out[i, j] = np.sum(image[i : i + size, j : j + size] * kernel)
    return out


image = np.array([[0, 0, 1, 0, 0]] * 3 + [[0, 0, 1, 1, 1], [0, 0, 0, 0, 0]], float)
edge = np.array([[1, 0, -1]] * 3, float)  # left minus right
print(convolve(image, edge))

# %% tags=["picture", "given"] minutes=1 slide="The window moves, a number appears"
# Given: this only draws.
sliding(
    image,
    edge,
    convolve(image, edge),
    "A frame of 3 by 3 moves over an image of 5 by 5 pixels. At each position one number of the feature map appears.",
)

# %% slide="How many numbers has a row of the map? | The last pixel is left over"
with viz.predict(
    "A row of 16 pixels, a kernel of 3, a stride of 2, no padding. How many numbers has a row of the map: 7, 8 or 14?",
    "7. The window begins at pixel 0, 2, 4, ... and 12. At 14 it would reach over the edge, so the last pixel is never seen.",
):
    wide = tf.nn.conv2d(tf.ones([1, 16, 16, 1]), tf.ones([3, 3, 1, 1]), 2, "VALID")
    print("the map has the shape", wide.shape[1:3])

# %% [markdown] slide=""
# The kernel says *left minus right*. So the map is positive where a stroke lies in the left column of the window, and negative where it
# lies in the right one. Where the image is uniform, it is 0. One kernel finds one kind of thing, wherever it is.

# %% [markdown] slide="## Nine paths meet at one weight\n\nOne weight was used in nine windows, so **add up**:\n\n$$\\bar k_{ab} = \\sum_{ij} g_{ij} \\; x_{i+a,\\,j+b}$$"
# ## Backward: the kernel
#
# Now a gradient $g$ arrives at the feature map, one number for each output. What is the gradient of the kernel?
#
# Look at one weight, $k_{00}$ in the upper left corner. It was used nine times, once in each window, and each time it met another
# pixel. So nine paths meet at it, and lesson 1 has the rules:
#
# - *multiply swaps*: each use brings $g_{ij}$ times the pixel that the weight met there,
# - where paths meet, *add up*.
#
# We write $\bar k$ for the gradient that arrives at $k$. The weight in row $a$ and column $b$ met pixel $(i + a, j + b)$ in window $(i, j)$:
#
# $$\bar k_{ab} = \sum_{ij} g_{ij} \; x_{i+a,\,j+b}$$
#
# Read the formula again. It lays $g$ on the image, multiplies, adds up, and moves on. **The gradient of the kernel is a convolution of the
# image with $g$.**
#
# Does the tape agree? `tf.nn.conv2d` wants four axes: images (n, height, width, channels) and kernels (height, width, in, out). A *channel* is one
# number for each pixel, such as its grey. We have one image with one channel, and `None` adds an axis of size 1.

# %% slide="By hand and by tape | Both say the same"
x, k = tf.constant(image[None, :, :, None]), tf.Variable(edge[:, :, None, None])
g = np.array([[1, 0, 0], [0, 0, 0], [0, 0, 2]], float)

with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    out = tf.nn.conv2d(x, k, 1, "VALID")

by_tape = tape.gradient(out, k, output_gradients=tf.constant(g[None, :, :, None]))
print("by hand:", convolve(image, g).tolist())
print("by tape:", by_tape.numpy()[:, :, 0, 0].tolist())

# %% tags=["picture", "given"] minutes=1 slide="g slides over the image" notes="2 minutes. Stop it once: which weight is this number for, and which two pixels has that weight met? Seven of the nine g are 0."
# Given: this only draws.
sliding(
    image,
    g,
    convolve(image, g),
    "A frame of 3 by 3 moves over the same image. In place of the kernel it holds g: 1 in its upper left corner and 2 in its lower right one. "
    "At each position one number of the kernel's gradient appears.",
    ("image", "g", "gradient of the kernel"),
)

# %% slide="All g are 1. What arrives at the upper left weight? | It met nine pixels, and three of them are 1" notes="2 minutes. If you say 9, you have counted windows."
with viz.predict(
    "Let all nine g be 1. What arrives at the weight in the upper left corner: 9, 3 or 1?",
    "3. It met the nine pixels of the upper left 3 by 3 part of the image, and three of those are 1.",
):
    ones = tf.constant(np.ones((1, 3, 3, 1)))
    print(tape.gradient(out, k, output_gradients=ones).numpy()[:, :, 0, 0])

# %% [markdown] slide="## Each g stamps the kernel onto its window\n\nThe kernel is the picture on the stamp, $g_{ij}$ is how much ink it has. Where stamps overlap, add up."
# ## Backward: the image
#
# What arrives at the pixels? One output has seen nine pixels, each through one weight. So it hands back $g_{ij}$ times the
# kernel, onto the window that it has seen. Think of a **stamp**: the kernel is the picture on it, and $g_{ij}$ is how much ink it
# has. Each output stamps once. Where stamps overlap, add up.


# %% tags=["needed"] slide="Stamp, move on, stamp"
def stamped(g, kernel):
    size = kernel.shape[0]
    spread = np.zeros((g.shape[0] + size - 1, g.shape[1] + size - 1))
    for i in range(g.shape[0]):
        for j in range(g.shape[1]):
            spread[i : i + size, j : j + size] += g[i, j] * kernel
    return spread


# %% tags=["picture", "given"] minutes=1 slide="Two stamps, one with twice the ink" notes="2 minutes. Ask before the second stamp: which number will stand in the middle? There -1 and 2 overlap."
# Given: this only draws.
stamping(
    g,
    edge,
    "Two numbers of g are not 0. The first one, 1, stamps the kernel onto the upper left 3 by 3 pixels. The second one, 2, stamps twice the kernel "
    "onto the lower right ones. In the middle pixel both overlap, and -1 + 2 = 1.",
)

# %% slide="The tape stamps the same picture"
by_tape = tape.gradient(out, x, output_gradients=tf.constant(g[None, :, :, None]))
print(stamped(g, edge))
print("by tape the same:", np.array_equal(stamped(g, edge), by_tape.numpy()[0, :, :, 0]))

# %% [markdown] slide=""
# Frameworks call this operation a **transposed convolution**. It is the backward pass of a convolution. It is also used
# forward, to turn small images into large ones.

# %% tags=["picture"] slide="Which pixel counts most? | Nine windows see the middle, one sees a corner | How often each pixel is seen" notes="2 minutes. A good question afterwards: what does padding change? With one ring of zeros, a corner counts 4 times and an inner pixel 9 times."
with viz.predict(
    "All weights are 1 and all nine g are 1. Which number arrives at the pixel in the middle, and which in a corner: 9 and 9, 9 and 1, or 1 and 1?",
    "9 and 1. The middle pixel lies in all nine windows, the corner in one. Without padding, a network hardly looks at the "
    "edge of an image, although no line of code says so.",
    alt="A table of 5 by 5. The numbers grow from 1 in the corners to 9 in the middle: 1 2 3 2 1 in the first row, 3 6 9 6 3 in the third.",
):
    counts = stamped(np.ones((3, 3)), np.ones((3, 3)))
    figure, panel = plt.subplots(figsize=(3, 3))
    panel.imshow(counts, cmap="Blues", vmax=14)
    for (i, j), count in np.ndenumerate(counts):
        panel.text(j, i, f"{count:g}", ha="center", va="center")
    panel.axis("off")
    plt.show()

# %% [markdown] slide="## Nine weights, each used nine times\n\nAs a matrix, the layer has 9 outputs by 25 pixels: 225 places. 81 of them hold one of **9** weights, the others hold 0."
# ## The same as a matrix
#
# A convolution is linear in the image, so it is a matrix of 9 outputs by 25 pixels. Each row is the kernel at another place of the image; elsewhere
# there is no path at all. A dense layer would have 225 weights there. The convolution has 9, and uses each of them nine times.
# That is called **weight sharing**.
#
# Forward multiplies the image by this matrix, so backward multiplies $g$ by its **transpose**. Each column of the transpose is one
# stamp, and this is where the name *transposed convolution* comes from.
#
# In the table below a dot is a place without a path. Follow one row: the kernel's three rows stand five pixels apart, one row of the image.

# %% tags=["picture"] slide="Each row is the kernel, at another place"
with viz.recording(), tf.GradientTape() as looking:
    flat = tf.constant(image.ravel())
    looking.watch(flat)
    row = tf.reshape(tf.nn.conv2d(tf.reshape(flat, [1, 5, 5, 1]), k, 1, "VALID"), [9])

viz.jacobian(looking, row, flat)

# %% [markdown] slide="## Is it there, anywhere?\n\nTwo layers of 16 kernels, then the **largest** number of each map."
# ## Does it read?
#
# We stack two layers with 16 kernels each. A kernel of the second layer sees all 16 maps of the first, so it has 3 by 3 by 16 weights.
# Then we take the largest number of each map: *is it there, anywhere?* This is **max pooling** over the whole image. Backward it
# *routes*: all of $g$ goes to the place that won. A map that 16 kernels have read gets a stamp from each of them, and the 16 are added up.
# Most networks pool over windows of 2 by 2 instead, which halves the map, and do so several times.


# %% slide="Two convolutions, and the largest of each map | Less than a third of the weights"
def maps(w, x):
    h = tf.nn.relu(tf.nn.conv2d(x, w[0], 1, "VALID") + w[1])  # (n, 14, 14, 16)
    return tf.nn.relu(tf.nn.conv2d(h, w[2], 1, "VALID") + w[3])  # (n, 12, 12, 16)


def windows(w, x):
    return tf.reduce_max(maps(w, x), axis=[1, 2]) @ w[4] + w[5]  # (n, 10)


draw = np.random.default_rng(0)
w = [kernel(draw, 3, 3, 1, 16), zeros(16), kernel(draw, 3, 3, 16, 16), zeros(16)]
seer = trained(windows, [*w, kernel(draw, 16, 10), zeros(10)], 1000)
sizes = [sum(v.numpy().size for v in weights) for weights in (seer, reader)]
print("weights:", sizes[0], "and of the dense network:", sizes[1])
print(f"in the middle it reads {100 * read(windows, seer, 0):.1f} of 100")

# %% tags=["picture", "given"] minutes=1 slide="Sixteen kernels: which ones look for an edge?" alt="The sixteen kernels of layer 1 in two rows of eight, each 3 by 3 squares, orange for positive weights and blue for negative ones. In many of them orange lies on one side and blue on the other." notes="1 minute. Ask who drew these edges. Often chance: training has changed the kernels little."
# Given: this only draws.
figure, panels = plt.subplots(2, 8, figsize=(7.4, 2.1), layout="constrained")
most = np.abs(seer[0].numpy()).max()
inks = LinearSegmentedColormap.from_list("", ["#0072b2", "white", "#b04a00"])
for n, panel in enumerate(panels.flat):
    panel.imshow(seer[0].numpy()[:, :, 0, n], cmap=inks, vmin=-most, vmax=most)
    panel.set(xticks=[], yticks=[])
    panel.spines[:].set_visible(True)
plt.show()

# %% [markdown] slide=""
# These are the kernels of the first layer, orange above 0 and blue below. Where orange lies beside blue, a kernel looks for an edge.
# Many edges were there by chance before the training, which has changed the kernels little.

# %% slide="And one pixel aside, or two? | By one pixel, it reads exactly as many"
with viz.predict(
    "The dense network fell from 96 to 43, and to 11. How many does this one read, moved by one pixel and by two: 97 and 97, 97 and 91, or 85 and 60?",
    "97 and 91. By one pixel it reads exactly as many as in the middle, 96.6. By two it loses some: only two blank pixels are left beside the digit, and a number of the "
    "second map sees 5 by 5 pixels. A window that touched only two rows or columns of the digit would now stick out of the image. There is no such window.",
):
    for pixels in (0, 1, 2):
        print(f"moved by {pixels}: {100 * read(windows, seer, pixels):.1f} of 100")

# %% [markdown] slide=""
# Why? Move the image, and each map moves along with it: a layer that does so is **equivariant**. The largest number of a map does not say
# where it stands, so it stays: it is **invariant**. Look at one of the 16 maps. The frame is the window of 5 by 5 pixels that its largest number sees.

# %% tags=["picture", "given"] minutes=1 slide="The map moves along, and its largest number stays" alt="Above, the 7 in the middle and the 7 moved to the right by two pixels. Below each one the same feature map: its darkest spot lies at the bar across the 7, and has moved by two pixels, too. A ring marks the largest number, and it is the same in both maps. A frame of 5 by 5 pixels on each image marks the window that it has seen." notes="2 minutes. Put a finger on the ring of the first map, and ask where it will be in the second one."
# Given: this only draws.
figure, panels = plt.subplots(2, 2, figsize=(5.2, 5), layout="constrained")
for (above, below), pixels in zip(panels.T, (0, 2), strict=True):
    moved = np.roll(images[test[1:2]], pixels, axis=2)
    seen_by_one = maps(seer, tf.constant(moved)).numpy()[0, :, :, 12]
    above.imshow(moved[0, :, :, 0], cmap="Greys")
    above.set_title(f"moved by {pixels}", fontsize=12)
    below.imshow(seen_by_one, cmap="Blues")
    i, j = np.unravel_index(seen_by_one.argmax(), seen_by_one.shape)
    above.add_patch(
        plt.Rectangle((j - 0.5, i - 0.5), 5, 5, fill=False, color="#b04a00", linewidth=2)
    )
    below.plot(j, i, "o", color="#b04a00", markersize=18, fillstyle="none", markeredgewidth=2)
    below.set_title(f"largest: {seen_by_one.max():.1f}", fontsize=12)
for panel in panels.ravel():
    panel.set(xticks=[], yticks=[])
    panel.spines[:].set_visible(True)
plt.show()

# %% slide="As long as all windows are there"
before = maps(seer, tf.constant(images[test])).numpy().max((1, 2))
for pixels in (1, 2):
    stay = []
    for axis, by in [(1, pixels), (1, -pixels), (2, pixels), (2, -pixels)]:
        moved = tf.constant(np.roll(images[test], by, axis))
        after = maps(seer, moved).numpy().max((1, 2))
        stay.append(np.isclose(after, before, atol=1e-4).all(axis=1))
    print(f"moved by {pixels}: all 16 stay in {100 * np.mean(stay):.0f} of 100 images")

# %% [markdown] slide=""
# By one pixel nearly every image keeps all of its 16 numbers. By two pixels half of them lose a window that had won, and its number with it.
# Few of these digits are misread because of it.

# %% tags=["picture", "given"] minutes=1 slide="For one pixel, the dense network loses 53 points" alt="The fraction of digits that are read, over the pixels by which they are moved. The dense network falls from 96 to 43 and to 11 of 100, nearly to guessing. The convolutional one stays at 97, then reads 91."
# Given: this only draws.
figure, panel = plt.subplots(figsize=(5.6, 3))
curves = [(windows, seer, "convolution", "o-"), (dense, reader, "dense", "s--")]
for scores, weights, name, look in curves:
    shares = [100 * read(scores, weights, pixels) for pixels in (0, 1, 2)]
    panel.plot((0, 1, 2), shares, look)
    panel.annotate(name, (1, shares[1]), (8, 4), textcoords="offset points")
panel.axhline(10, color="0.7", linewidth=1, linestyle="-")
panel.text(0, 12, "guessing", color="0.4", fontsize=11)
panel.set(xticks=(0, 1, 2), ylim=(0, 112), xlabel="moved by so many pixels", ylabel="read, of 100")
plt.show()

# %% [markdown] slide="## The same elsewhere\n\n| here | PyTorch | JAX |\n|:--|:--|:--|\n| `tf.nn.conv2d` | `F.conv2d` | `lax.conv_general_dilated` |\n| (n, height, width, channels) | (n, channels, height, width) | you say which |\n| kernel (3, 3, in, out) | (out, in, 3, 3) | you say which |\n| gradient of the image | `F.conv_transpose2d` | `jax.vjp` |"
# ## The same elsewhere
#
# | here, and in TensorFlow | PyTorch | JAX |
# |:--|:--|:--|
# | `tf.nn.conv2d` | `F.conv2d`, `nn.Conv2d` | `lax.conv_general_dilated` |
# | images (n, height, width, channels) | (n, channels, height, width) | you say which |
# | kernel (3, 3, in, out) | (out, in, 3, 3) | you say which |
# | the gradient of the image | `F.conv_transpose2d` | `jax.vjp`, or `lax.conv_transpose` with `transpose_kernel=True` |
# | largest of each map | `torch.amax(h, (2, 3))` | `h.max((1, 2))` |

# %% [markdown] slide="## Exercises\n\nBy hand, on a line; the kernel's gradient with a stride; who sees which pixel; what moves along with the image."
# ## Exercises
#
# Replace each `...` with your answer, run the cell, and run the check below it.
#
# **Exercise 1.** With a pencil. On a line the image is x = (1, 2, 0, 3) and the kernel is k = (2, -1). The window moves by 1, so there
# are three outputs. The gradient g = (1, 3, 2) arrives at them. What is the gradient of the kernel, and what is that of the image?

# %% nbgrader={"grade": false, "grade_id": "by-hand", "locked": false, "schema_version": 3, "solution": true, "task": false}
for_kernel, for_image = None, None
### BEGIN SOLUTION
for_kernel = [1 * 1 + 3 * 2 + 2 * 0, 1 * 2 + 3 * 0 + 2 * 3]
for_image = [2, -1 + 6, -3 + 4, -2]
### END SOLUTION

# %% nbgrader={"grade": true, "grade_id": "by-hand-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    line, two = np.array([1.0, 2.0, 0.0, 3.0]), np.array([2.0, -1.0])
    sources = [tf.constant(two[:, None, None]), tf.constant(line[None, :, None])]
    with tf.GradientTape() as tape:
        tape.watch(sources)
        out = tf.nn.conv1d(sources[1], sources[0], 1, "VALID")
    arriving = tf.constant([[[1.0], [3.0], [2.0]]], tf.float64)
    slopes = tape.gradient(out, sources, output_gradients=arriving)
    right_kernel, right_image = (slope.numpy().ravel() for slope in slopes)

    def same(answer, right):
        return np.shape(answer) == np.shape(right) and np.allclose(np.array(answer, float), right)

    assert for_kernel is not None or for_image is not None, "Write two lists of numbers."
    hint = "Kernel: from each output a weight gets g times the pixel that it met there. Write the three products down."
    if same(for_kernel, right_kernel[::-1]):
        hint = "Kernel: the right numbers in the wrong order. Nothing is turned around: the first weight met pixels 1, 2 and 3."
    elif same(for_kernel, [line[:3].sum(), line[1:].sum()]):
        hint = "Kernel: you have added the pixels. Each counts g times: multiply before you add."
    elif same(for_kernel, out.numpy().ravel()):
        hint = "Kernel: those are the outputs. Its gradient has as many numbers as it has weights."
    score.part(2, same(for_kernel, right_kernel), hint)
    hint = "Image: each output stamps g times the kernel onto the two pixels that it saw. Then add what overlaps."
    if same(for_image, np.convolve([1.0, 3.0, 2.0], two[::-1])):
        hint = "Image: the kernel is turned around here. The first weight lies on the first pixel of the window."
    elif np.shape(for_image) == (3,):
        hint = "Image: its gradient has as many numbers as it has pixels."
    score.part(2, same(for_image, right_image), hint)
    score.total(
        "the kernel's gradient lays g on the image, the image's gradient stamps the kernel."
    )
score.earned

# %% [markdown]
# **Exercise 2.** Now with a **stride**: the window moves by `stride` pixels. Write `kernel_gradient(image, g, size, stride)` in NumPy.
# The kernel has `size` by `size` weights. Let i and j run over g, and ask which part of the image each g has seen.


# %% nbgrader={"grade": false, "grade_id": "kernel-gradient", "locked": false, "schema_version": 3, "solution": true, "task": false}
def kernel_gradient(image, g, size, stride):
    """The gradient of the kernel, an array of size by size."""
    ### BEGIN SOLUTION
    total = np.zeros((size, size))
    for i in range(g.shape[0]):
        for j in range(g.shape[1]):
            top, left = i * stride, j * stride
            total += g[i, j] * image[top : top + size, left : left + size]
    return total
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "kernel-gradient-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
with viz.Score(3) as score:
    draw = np.random.default_rng()  # other numbers each time
    for size, stride in [(3, 1), (2, 2), (3, 2)]:
        weights = tf.Variable(draw.normal(size=(size, size, 1, 1)))
        picture = draw.normal(size=(7, 7))
        with tf.GradientTape() as tape:
            out = tf.nn.conv2d(tf.constant(picture[None, :, :, None]), weights, stride, "VALID")
        back = draw.normal(size=out.shape[1:3])
        right = tape.gradient(out, weights, output_gradients=tf.constant(back[None, :, :, None]))
        right = right.numpy()[:, :, 0, 0]
        found = kernel_gradient(picture, back, size, stride)
        assert found is not None, "Nothing is returned yet."
        assert np.shape(found) == (size, size), (
            f"The gradient of the kernel has the shape of the kernel, {(size, size)}, not {np.shape(found)}."
        )
        found = np.asarray(found, float)
        hint = "Each g[i, j] has seen one window of the image. Where does that window begin, how far does it reach, and what becomes of all that the windows bring?"
        if np.allclose(found, right.T):
            hint = "Rows and columns are exchanged."
        elif np.allclose(found, right[::-1, ::-1]):
            hint = (
                "The kernel is turned around: the first weight met the first pixel of each window."
            )
        elif np.allclose(found * back.size, right):
            hint = "That is the mean over all windows. Where paths meet, they are added up."
        elif stride > 1 and score.earned:
            hint = (
                "With stride 1 it is right. With stride 2 the second window begins two pixels on."
            )
        score.part(1, np.allclose(found, right), hint)
    score.total("every use of a weight brings g times the pixel that it met, and all uses add up.")
score.earned

# %% [markdown]
# **Exercise 3.** Several convolutions with kernels of 3 by 3 and stride 1 follow one another. How many pixels of the image can change
# one number of the last map? Guess first, then let a tape count: write `seen(layers)`, which returns the number of pixels
# that get a gradient. Use kernels of ones. That part of the image is called the **receptive field**.


# %% nbgrader={"grade": false, "grade_id": "seen", "locked": false, "schema_version": 3, "solution": true, "task": false}
def seen(layers):
    """How many pixels one number of the last map depends on."""
    ### BEGIN SOLUTION
    x = tf.ones([1, 4 * layers + 1, 4 * layers + 1, 1])
    with tf.GradientTape() as tape:
        tape.watch(x)
        h = x
        for _ in range(layers):
            h = tf.nn.conv2d(h, tf.ones([3, 3, 1, 1]), 1, "VALID")
        one = h[0, layers, layers, 0]
    return int(np.sum(tape.gradient(one, x).numpy() != 0))
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "seen-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
with viz.Score(3) as score:
    for depth in (1, 2, 4):
        moved = np.ones((1, 1))
        for _layer in range(depth):
            moved = stamped(moved, np.ones((3, 3)))
        with viz.recording() as journal:
            found = seen(depth)
        assert found is not None, "Nothing is returned yet: a number of pixels."
        right = int(np.count_nonzero(moved))
        hint = "Ask for the gradient of one number of the last map, and count what is not 0."
        if found == right and not journal.sweeps:
            hint, found = "The number is right. Now let a tape count it.", None
        elif found == 9**depth:
            hint = (
                "The windows of neighbours overlap: a pixel that is seen twice is still one pixel."
            )
        elif found == 9 * depth:
            hint = "The windows do not stand side by side. Each layer adds one pixel at every side of the window."
        elif found != right and not journal.sweeps:
            hint = "No tape has counted here, and this is not the number. Build the layers, and count the pixels that get a gradient."
        elif np.size(found) == 1 and found > right:
            hint = "So many pixels get a gradient from the whole map. Ask for one number of it."
        score.part(1, np.size(found) == 1 and found == right, hint)
    score.total("each layer of 3 by 3 widens the field by one pixel on every side.")
score.earned

# %% [markdown]
# **Exercise 4.** An image has a wide blank border and is moved to the right by *one* pixel. For each layer: does its output move along by one
# place ("moves along"), is it the same as before ("stays"), or is it "neither"? Decide first, then let the check measure it.
#
# - a: a convolution with stride 1, then a bias, the same for the whole map, then relu
# - b: the sum of all pixels
# - c: a convolution with stride 2
# - d: each pixel times a weight of its own place
# - e: a convolution with stride 1, then the largest number of the map

# %% nbgrader={"grade": false, "grade_id": "moves-along", "locked": false, "schema_version": 3, "solution": true, "task": false}
layers = {"a": None, "b": None, "c": None, "d": None, "e": None}
### BEGIN SOLUTION
layers = {"a": "moves along", "b": "stays", "c": "neither", "d": "neither", "e": "stays"}
### END SOLUTION

# %% nbgrader={"grade": true, "grade_id": "moves-along-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
with viz.Score(3) as score:
    kinds = ("moves along", "stays", "neither")
    assert isinstance(layers, dict), "Keep the dictionary, with a word for each letter."
    assert any(layers.get(each) in kinds for each in "abcde"), (
        'Write "moves along", "stays" or "neither" for each letter.'
    )
    draw = np.random.default_rng()  # other numbers each time
    inside = np.pad(draw.uniform(1.0, 2.0, (5, 5)), 5)
    window, places = draw.normal(size=(3, 3)), draw.normal(size=inside.shape)
    outputs = {
        "a": lambda x: np.maximum(convolve(x, window) + 0.3, 0.0),
        "b": lambda x: np.sum(x, keepdims=True),
        "c": lambda x: convolve(x, window)[::2, ::2],
        "d": lambda x: x * places,
        "e": lambda x: np.max(convolve(x, window), keepdims=True),
    }
    hints = {
        "a": "a: the map is made by one window, used everywhere. What does it find one pixel further on, and does the bias care?",
        "b": "b: a sum is one number. Does it know where the pixels are?",
        "c": "c: with a stride of 2 the window begins at every other pixel. Which pixels does it begin at in the moved image?",
        "d": "d: which number is each pixel multiplied by, before and after it has moved?",
        "e": "e: the map moves. Does its largest number say where it stands?",
    }
    for letter, layer in outputs.items():
        before, after = layer(inside), layer(np.roll(inside, 1, axis=1))
        right = "neither"
        if np.allclose(after, before):
            right = "stays"
        elif np.allclose(after, np.roll(before, 1, axis=1)):
            right = "moves along"
        score.part(0.6, layers.get(letter) == right, hints[letter])
    score.total(
        "sharing weights over all places moves along, adding up or taking the largest stays."
    )
score.earned

# %% [markdown]
# **Exercise 5.** (Optional.) The other gradient, with stride and padding: write `image_gradient(g, kernel, stride, padding)` in NumPy. The image had a border of
# `padding` zeros on each side, and the windows reached exactly to its edge. Stamp with the stride, then cut the padding off.


# %% nbgrader={"grade": false, "grade_id": "image-gradient", "locked": false, "schema_version": 3, "solution": true, "task": false}
def image_gradient(g, kernel, stride, padding):
    """The gradient of the image, without its padding."""
    ### BEGIN SOLUTION
    size = kernel.shape[0]
    rows, columns = ((n - 1) * stride + size for n in g.shape)
    spread = np.zeros((rows, columns))
    for i in range(g.shape[0]):
        for j in range(g.shape[1]):
            top, left = i * stride, j * stride
            spread[top : top + size, left : left + size] += g[i, j] * kernel
    return spread[padding : rows - padding, padding : columns - padding]
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "image-gradient-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
with viz.Score(3) as score:
    draw = np.random.default_rng()  # other numbers each time

    def gradient_by_tape(g, kernel, stride, padding):
        shape = [1, *((n - 1) * stride + len(kernel) - 2 * padding for n in g.shape), 1]
        picture, sides = tf.constant(np.zeros(shape)), [padding, padding]
        with tf.GradientTape() as tape:
            tape.watch(picture)
            wide = tf.pad(picture, [[0, 0], sides, sides, [0, 0]])
            out = tf.nn.conv2d(wide, tf.constant(kernel[:, :, None, None]), stride, "VALID")
        arriving = tf.constant(g[None, :, :, None])
        return tape.gradient(out, picture, output_gradients=arriving).numpy()[0, :, :, 0]

    for size, stride, padding in [(3, 1, 0), (2, 2, 0), (3, 2, 1)]:
        weights, back = draw.normal(size=(size, size)), draw.normal(size=(3, 4))
        right, turned, exchanged = (
            gradient_by_tape(back, each, stride, padding)
            for each in (weights, weights[::-1, ::-1], weights.T)
        )
        found = image_gradient(back, weights, stride, padding)
        assert found is not None, "Nothing is returned yet."
        shape = np.shape(found)
        if padding == 0 and shape != right.shape and np.size(found) == 0:
            hint = "With a padding of 0 nothing is left: [0:-0] is empty. Where does the cut end, counted from the front?"
        elif padding and shape == tuple(n + 2 * padding for n in right.shape):
            hint = "The zeros of the padding are still there: cut them off at each side."
        elif stride > 1 and shape in [
            tuple(n + size - 1 - less for n in back.shape) for less in (0, 2 * padding)
        ]:
            hint = "With stride 2 the second stamp begins two pixels on, and the image is larger."
        elif shape != right.shape:
            hint = (
                f"The gradient of the image has the shape of the image, {right.shape}, not {shape}."
            )
        elif np.allclose(found, turned):
            hint = "The stamp is turned around: the first weight lies on the first pixel of the window."
        elif np.allclose(found, exchanged):
            hint = "Rows and columns of the kernel are exchanged."
        elif padding == 0 and np.allclose([found[0][0], found[-1][-1]], right[[0, -1], [0, -1]]):
            hint = "The corners are right, and only one window has seen those. Where stamps overlap, add up."
        else:
            hint = "Each g[i, j] stamps g[i, j] times the kernel onto the window that it has seen. Where does that window begin?"
        score.part(1, shape == right.shape and np.allclose(found, right), hint)
    score.total(
        "each g stamps the kernel onto its window, and the padding is no part of the image."
    )
score.earned

# %% [markdown]
# **To think about.** In words, for 2 points that are given by hand: a friend trains the dense network with moved images, too, to make it as
# good. What will it need more of, and will it ever be *exactly* as good as the convolution?

# %% [markdown]
# ## What to remember
#
# - A convolution lays one small kernel on every window of the image: few weights, used everywhere.
# - The gradient of a weight is the sum over all windows in which it was used. It is a convolution of the image with $g$.
# - The gradient of the image is stamped: each $g_{ij}$ brings the kernel to the window that it has seen, and overlaps add up.
# - Maps move along with the image (equivariant). The largest number of a map does not change (invariant), as long as all windows are there.
# - Max pooling routes: all of $g$ goes to the winner.
#
# **Read on.** LeCun, Bottou, Bengio, Haffner, *Gradient-Based Learning Applied to Document Recognition* (1998). Dumoulin, Visin, *A Guide
# to Convolution Arithmetic for Deep Learning* (2016). Fukushima, *Neocognitron* (1980): the windows, before the gradient.
