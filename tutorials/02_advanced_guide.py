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

# %% [markdown]
# # 2. The advanced guide: tapes under control
#
# TensorFlow's guide *Advanced automatic differentiation* is about the rest of what a gradient tape can
# do. Here are its examples, in our own words and code, on minitape, with their tapes to look into. You
# need lesson 1: what a tape records, what a cotangent is, and why a gradient may be `None`. The lesson
# takes 60 minutes; the exercises are at the end.
#
# Afterwards you can
#
# - tell a tape what not to look at, in three ways, and say which one to take,
# - give a function a derivative of your own,
# - compute second derivatives with two tapes, and use them,
# - say which shape a jacobian has, and compute one for each example of a batch,
# - take a Newton step.

# %%
import matplotlib.pyplot as plt
import numpy as np

import minitape as tf
import viz

# %% [markdown]
# ## Three ways to leave something out
#
# In lesson 1 a missing gradient was an accident. Often it is what you want: you compute an accuracy
# that nobody differentiates, or a value that should count as a fixed number. There are three ways to
# say so.

# %% [markdown]
# ### 1. Stop recording
#
# Inside `tape.stop_recording()` the tape does not look. What is computed there reaches the tape as a
# plain number. Before you run the cell: what are the two derivatives of $z = x^2 + y^2$ at $x = 2$,
# $y = 3$, if $y^2$ is computed unseen?

# %%
x, y = tf.Variable(2.0), tf.Variable(3.0)

with viz.recording(), tf.GradientTape() as tape:
    x_squared = x * x
    with tape.stop_recording():
        y_squared = y * y
    z = x_squared + y_squared

player = viz.step(tape, z, {"x": x, "y": y}, title="One square is computed unseen")
gradients = tape.gradient(z, {"x": x, "y": y})
print("dz/dx:", gradients["x"].numpy())
print("dz/dy:", gradients["y"])
player

# %% [markdown]
# In the picture `y_squared` is a constant without a past. It costs nothing to keep, and that is the
# usual reason for `stop_recording`: values for a log or a plot need no memory on the tape.

# %% [markdown]
# ### 2. Start again
#
# `tape.reset()` throws away everything recorded so far, and what was watched too. The tape then goes
# on as if its block had just begun.

# %%
x, y = tf.Variable(2.0), tf.Variable(3.0)

with viz.recording(), tf.GradientTape() as tape:
    y_squared = y * y
    tape.reset()  # for instance because we notice that the block has to start over
    z = x * x + y_squared

player = viz.step(tape, z, {"x": x, "y": y}, title="The first square is forgotten")
gradients = tape.gradient(z, {"x": x, "y": y})
print("dz/dx:", gradients["x"].numpy())
print("dz/dy:", gradients["y"])
player

# %% [markdown]
# The same numbers for another reason: this time the square *was* on the tape, and was dropped.

# %% [markdown]
# ### 3. Stop the gradient
#
# `tf.stop_gradient(value)` gives the same value on, and no cotangent passes back through it. No tape
# is mentioned: it holds for all of them. And it stops one path, not a whole block, so the other
# operations of a line are recorded as usual.

# %%
x, y = tf.Variable(2.0), tf.Variable(3.0)

with viz.recording(), tf.GradientTape() as tape:
    y_squared = y**2
    z = x**2 + tf.stop_gradient(y_squared)

player = viz.step(tape, z, {"x": x, "y": y}, title="One path is stopped")
gradients = tape.gradient(z, {"x": x, "y": y})
print("dz/dx:", gradients["x"].numpy())
print("dz/dy:", gradients["y"])
player

# %% [markdown]
# Look for `y_squared` in this player: its `pow` *is* recorded. But `z` was made from a constant 9.0
# beside it, and no line leads from there to `y`. Which way is for what?
#
# | you write | what is left out | for which tapes |
# |:--|:--|:--|
# | `with tape.stop_recording():` | the operations of a block | this one |
# | `tape.reset()` | all that came before | this one |
# | `tf.stop_gradient(value)` | the paths through one value | all, and in graphs too |
#
# A formula often says "treat this as a constant". Then `stop_gradient` is the word for it:

# %%
x = tf.Variable(2.0)

with tf.GradientTape(persistent=True) as tape:
    both_move = x * x
    one_moves = x * tf.stop_gradient(x)  # x times "what x happens to be"

print(both_move.numpy(), tape.gradient(both_move, x).numpy())
print(one_moves.numpy(), tape.gradient(one_moves, x).numpy())

# %% [markdown]
# The same value, 4, and half the slope.

# %% [markdown]
# ## A derivative of your own
#
# A function under `@tf.custom_gradient` returns two things: its result, and a function for the way
# back. That function takes the cotangent of the result, which people call the *upstream gradient*, and
# returns the cotangent of the argument. There are three common reasons to write one:
#
# - the derivative should be *another* one, for instance a limited one,
# - the automatic one is right on paper but not in floating point,
# - there is none, since the value was computed by something that no tape can see.
#
# The first reason: here is a function that changes nothing on the way forward. On the way back it lets
# pass a cotangent of length 0.5 at most (`tf.clip_by_norm` shortens what is longer).


# %%
@tf.custom_gradient
def clipped(value):
    """The value itself; its gradient has length 0.5 at most."""

    def backward(upstream):
        return tf.clip_by_norm(upstream, 0.5)

    return value, backward


v = tf.Variable(2.0)

with viz.recording(), tf.GradientTape() as tape:
    output = clipped(v * v)

player = viz.step(tape, output, v, title="A clipped gradient")
print(tape.gradient(output, v).numpy())
player

# %% [markdown]
# The slope of $v^2$ at 2 is 4, and the tape says 2. Step through: the seed is 1, `clipped` passes only
# 0.5 on, and the square doubles and doubles that: $0.5 \cdot 2v = 2$. Large gradients that are cut
# down in this way keep a training from exploding.

# %% [markdown]
# ### When floating point fails
#
# The second reason. $\log(1 + e^x)$ has the derivative $1 - \frac{1}{1 + e^x}$, which is a number
# between 0 and 1. But for $x = 100$, $e^x$ is beyond the largest float32, so it is infinity there.
# The rule of `log` divides by it and passes 0, the rule of `exp` multiplies by it, and zero times
# infinity is *not a number*:


# %%
def plain(x):
    """log(1 + exp(x)), as it stands in the book."""
    return tf.math.log(1.0 + tf.exp(x))


@tf.custom_gradient
def careful(x):
    """The same, with a derivative that never multiplies infinity by zero."""
    e = tf.exp(x)

    def backward(upstream):
        return upstream * (1.0 - 1.0 / (1.0 + e))

    return tf.math.log(1.0 + e), backward


x = tf.constant(100.0)
for function in (plain, careful):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    print(f"{function.__name__}: {tape.gradient(y, x).numpy()}")

# %% [markdown]
# A derivative that you wrote yourself may be wrong, and nothing in a program would tell you.
# `tf.check_gradients` does: it compares with finite differences, that is, with
# $\frac{f(x + h) - f(x - h)}{2h}$ for a small $h$. It checks second derivatives as well.

# %%
print(bool(tf.check_gradients(careful, [0.3])))
print(bool(tf.check_gradients(clipped, [0.3])))

# %% [markdown]
# `careful` is right. `clipped` is not the derivative of its function, and it was not meant to be: that
# is a decision, and now you know that you made it.

# %% [markdown]
# ### It survives a trace
#
# `tf.function` runs the Python of a function once and keeps the operations as a graph (lesson 8). The
# derivative that you wrote is kept with them. TensorFlow can also save such a graph to disk and load it
# elsewhere, gradient included; minitape does not save graphs.


# %%
class Clipping(tf.Module):
    """A model whose only step is `clipped`."""

    @tf.function(input_signature=[tf.TensorSpec(None)])  # one argument, of any shape
    def __call__(self, value):
        return clipped(value)


model, v = Clipping(), tf.Variable(2.0)

with tf.GradientTape() as tape:
    output = model(v * v)

print(tape.gradient(output, v).numpy())

# %% [markdown]
# ## Several tapes at once
#
# Tapes do not know of each other. Each records what *it* watches, even if they run at the same time.

# %%
x0, x1 = tf.constant(0.0), tf.constant(0.0)

with viz.recording(), tf.GradientTape() as tape0, tf.GradientTape() as tape1:
    tape0.watch(x0)
    tape1.watch(x1)
    y0 = tf.math.sin(x0)
    y1 = tf.nn.sigmoid(x1)
    total = y0 + y1

player0 = viz.step(tape0, total, x0, title="What the first tape saw")
player1 = viz.step(tape1, total, x1, title="What the second tape saw")
print(tape0.gradient(total, x0).numpy())  # cos(0)
print(tape1.gradient(total, x1).numpy())  # sigmoid(0) * (1 - sigmoid(0))

# %%
player0

# %%
player1

# %% [markdown]
# The first tape has a record of the sine and of the sum. The sigmoid is a mere number to it.

# %% [markdown]
# ## Derivatives of derivatives
#
# `tape.gradient` computes with ordinary operations. So if a *second* tape is listening while the first
# one answers, it records that computation and can differentiate it. Two tapes, one inside the other,
# give the second derivative. Here is $x^3$ at 3. Its derivatives are $3x^2$ and $6x$, so we expect 27
# and 18:

# %%
x = tf.Variable(3.0)

with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = x * x * x
    slope = inner.gradient(y, x)  # inside the block of `outer`: it is recorded
curvature = outer.gradient(slope, x)

print("first: ", slope.numpy())
print("second:", curvature.numpy())

# %% [markdown]
# **Look at the outer tape.** For a square the picture is small. It has what *you* wrote (A), and then
# what the inner tape did on its way back (B): a backward pass, recorded like any other computation.

# %%
x = tf.Variable(3.0)

with viz.recording(), tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = x * x
    slope = inner.gradient(y, x)

player = viz.step(outer, slope, x, title="The derivative of a derivative")
print("second:", outer.gradient(slope, x).numpy())
player

# %% [markdown]
# A common mistake is one level of indentation. If `inner.gradient` stands outside of the outer block,
# nobody is listening. `viz.explain` says so. (It is the subject of lesson 4.)

# %%
x = tf.Variable(1.0)

with viz.recording():
    with tf.GradientTape() as outer, tf.GradientTape() as inner:
        y = x * x * x
    slope = inner.gradient(y, x)  # too late for `outer`

why = viz.explain(outer, slope, x)
print(outer.gradient(slope, x))
why

# %% [markdown]
# There is no limit: each further tape gives one more derivative. For an element-by-element function
# the whole curve comes at once, as in lesson 1.

# %% alt="Three curves. Tanh rises from -1 to 1. Its slope, dashed, is a bell with the height 1 at x = 0. Its curvature, dotted, is positive on the left, 0 at x = 0 and negative on the right."
x = tf.linspace(-4.0, 4.0, 161)

with tf.GradientTape() as second:
    second.watch(x)
    with tf.GradientTape() as first:
        first.watch(x)
        y = tf.tanh(x)
    slope = first.gradient(y, x)
curvature = second.gradient(slope, x)

plt.figure(figsize=(6, 3))
plt.plot(x, y, label="tanh")
plt.plot(x, slope, "--", label="its slope")
plt.plot(x, curvature, ":", label="its curvature")
plt.xlabel("x")
plt.legend()
plt.show()

# %% [markdown]
# ## A use: calm models
#
# How much would the output change if somebody changed the *input* a little? The gradient with respect
# to the input says so. A model in which that gradient is large can be fooled by a tiny change of a
# picture. So one adds its length to the loss, and training makes both small: the errors and the
# slopes. This is called *input gradient regularisation*.
#
# It needs two tapes that differentiate by two things. The inner one by the input, the outer one by the
# weights. The inner tape is told to leave the weights alone; it would not be wrong to watch them, just
# a waste.

# %%
tf.random.set_seed(7)
x = tf.random.normal([7, 5])  # seven examples with five features
layer = tf.keras.layers.Dense(10, activation=tf.nn.relu)
layer.build([None, 5])


def steepness():
    """The length of the gradient with respect to the input."""
    with tf.GradientTape(watch_accessed_variables=False) as inner:
        inner.watch(x)
        outputs = layer(x)
        total = tf.reduce_sum(outputs**2)
    return tf.norm(inner.gradient(total, x))


with viz.recording(), tf.GradientTape() as outer:
    length = steepness()

player = viz.step(outer, length, layer.trainable_variables, title="The slope of a slope")
for gradient in outer.gradient(length, layer.trainable_variables):
    print(gradient.shape)
player

# %% [markdown]
# The shapes are those of the kernel and of the bias. The picture has three areas, and its legend names
# them. A, *dense*, is what the layer computed. B, *forward of the inner tape*, is the square and the
# sum. C, *backward of the inner tape*, is the way back through both. The kernel is used in A by
# `matmul`, and again in C by the rule of `matmul`, which multiplies by the transposed kernel. The outer
# tape adds up what comes back along both ways.
#
# **Now train with it.** Twenty points of the curve $\sin 2x$, with errors. A network with 40 and 40 units
# learns them, and its loss has two parts: `fit` times the mean squared error, plus `calm` times the
# mean squared slope. The slope is asked for at the data, or at places that are drawn anew in each step.

# %%
rng = np.random.default_rng(0)
points = tf.constant(rng.uniform(-2.0, 2.0, size=(20, 1)))
seen = tf.sin(2.0 * points) + 0.4 * rng.normal(size=(20, 1))


def slopes(network, x):
    """The derivative of the network's output, at each x."""
    with tf.GradientTape(watch_accessed_variables=False) as inner:
        inner.watch(x)
        outputs = network(x)
    return inner.gradient(outputs, x)


def error(network):
    return tf.reduce_mean((network(points) - seen) ** 2)


def trained(fit, calm, everywhere):
    """A network after 1000 steps with the loss `fit * error + calm * slopes squared`."""
    tf.random.set_seed(7)
    widths = [(40, "tanh"), (40, "tanh"), (1, None)]
    network = tf.keras.Sequential(
        [tf.keras.layers.Dense(units, shape, dtype="float64") for units, shape in widths]
    )
    optimizer, places = tf.keras.optimizers.Adam(0.01), np.random.default_rng(1)
    for _ in range(1000):
        asked = tf.constant(places.uniform(-2.0, 2.0, size=(20, 1))) if everywhere else points
        with tf.GradientTape() as outer:
            steep = tf.reduce_mean(slopes(network, asked) ** 2)
            loss = fit * error(network) + calm * steep
        weights = network.trainable_variables
        gradients = outer.gradient(loss, weights, unconnected_gradients="zero")
        optimizer.apply_gradients(zip(gradients, weights, strict=True))
    return network


cases = {
    "slopes only": trained(0.0, 1.0, everywhere=False),
    "error only": trained(1.0, 0.0, everywhere=False),
    "both, at the data": trained(1.0, 0.1, everywhere=False),
    "both, everywhere": trained(1.0, 0.01, everywhere=True),
}

# %% [markdown]
# Before you look: which of the four has the largest slope anywhere on the line from $-2$ to $2$?

# %%
line = tf.constant(np.linspace(-2.0, 2.0, 401)[:, None])
print(" " * 19 + "error  slope at a point  largest slope")
for name, network in cases.items():
    at_points = np.sqrt(np.mean(slopes(network, points).numpy() ** 2))
    largest = np.max(np.abs(slopes(network, line)))
    print(f"{name:18} {error(network).numpy():6.3f} {at_points:17.2f} {largest:14.1f}")

# %% alt="Four curves over twenty points that follow a sine. Slopes only: a horizontal line. Error only: a smooth wave. Both, at the data: a staircase, flat at each point and steep between them. Both, everywhere: a wave that is a little flatter than the second."
plt.figure(figsize=(6, 3.4))
plt.plot(points, seen, "ko", markersize=4, label="the points")
for (name, network), dashes in zip(cases.items(), [":", "-.", "-", "--"], strict=True):
    plt.plot(line, network(line), dashes, label=name)
plt.xlabel("x")
plt.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
plt.show()

# %% [markdown]
# Two surprises. With the **slopes only**, the network learns to say the same number everywhere: nothing
# is calmer than that, and nothing is more useless. The length is *added* to a loss, it does not replace
# one.
#
# With **both, at the data**, the points get what was asked for: the curve is almost flat there. But
# between them it is steeper than without any penalty. The network builds stairs. Only where the slope
# is asked for **everywhere** is the curve calm, and it fits the points nearly as well as before. A
# network gives you what you ask for, at the places where you ask.

# %% [markdown]
# ## Jacobians
#
# A gradient belongs to one number; several targets are added up. If you want the derivative of *each*
# element of the target, ask for the **jacobian**. Its shape is that of the target followed by that of
# the source: one derivative for every pair of elements. Here are three results of three numbers,
# $y_i = x_i \sum_j x_j$:

# %%
x = tf.constant([1.0, 2.0, 3.0])

with viz.recording(), tf.GradientTape() as tape:
    tape.watch(x)
    y = x * tf.reduce_sum(x)

view = viz.jacobian(tape, y, x)
print(tape.jacobian(y, x).numpy())
view

# %% [markdown]
# **Look at the rows.** Row $i$ is an ordinary gradient whose seed is 1 at $y_i$ and 0 at the others.
# Choose a row with the slider: the player under it steps through exactly this way back. The engine takes
# all rows at once, with a stack of seeds in place of one.

# %% [markdown]
# ### A scalar source
#
# Here 201 results depend on one number, so the jacobian has the shape of the results.

# %%
x = tf.linspace(-10.0, 10.0, 200 + 1)
delta = tf.Variable(0.0)

with tf.GradientTape() as tape:
    y = tf.nn.sigmoid(x + delta)

slopes = tape.jacobian(y, delta)
print(y.shape, slopes.shape)

# %% alt="Two curves. y rises from 0 to 1 in the shape of an S. The derivative by delta, dashed, is a bell with the height 0.25 at x = 0."
plt.figure(figsize=(6, 3))
plt.plot(x, y, label="y")
plt.plot(x, slopes, "--", label="dy / d delta")
plt.xlabel("x")
plt.legend()
plt.show()

# %% [markdown]
# ### A matrix as the source
#
# Seven examples go into a layer with ten outputs. The outputs have shape (7, 10), the kernel has shape
# (5, 10). Say aloud what shape the jacobian has before you run this.

# %%
tf.random.set_seed(3)
x = tf.random.normal([7, 5])
layer = tf.keras.layers.Dense(10, activation=tf.nn.relu)

with tf.GradientTape(persistent=True) as tape:
    y = layer(x)

jacobian = tape.jacobian(y, layer.kernel)
print(y.shape, layer.kernel.shape, jacobian.shape)

# %% [markdown]
# That is $7 \cdot 10 \cdot 5 \cdot 10 = 3500$ numbers. If we add up those of all results, we get the
# gradient of the sum, which is what `tape.gradient` gives:

# %%
gradient = tape.gradient(y, layer.kernel)
summed = tf.reduce_sum(jacobian, axis=[0, 1])
print(gradient.shape, summed.shape)
print("the same:", bool(tf.reduce_max(abs(gradient - summed)) < 1e-3))

# %% [markdown]
# Most of the 3500 are zero. Output 3 of an example depends on column 3 of the kernel and on nothing
# else of it. So for one example, the block (output, column) is filled on its diagonal only, and not
# even there where the relu is off:

# %% alt="A square of ten outputs by ten columns of the kernel. Only cells on the diagonal are bright, and some of them are dark, too."
for_one = tf.reduce_max(abs(jacobian[0]), axis=1)  # the largest of the five rows
plt.figure(figsize=(3.6, 3))
plt.imshow(for_one, cmap="viridis")
plt.xlabel("column of the kernel")
plt.ylabel("output")
plt.colorbar()
plt.show()

# %% [markdown]
# ## The Hessian, and Newton's method
#
# The jacobian of a gradient is the **Hessian**: all second derivatives, and there is one for every
# pair of parameters. For a kernel of shape (5, 8) it has shape (5, 8, 5, 8).
#
# Here is a network with a hidden layer of eight units. We want the first kernel. The second one is
# given, and so are the outputs for 30 inputs: a *teacher*, a network of the same form, has made them,
# with errors of about 0.05. We begin not far from the teacher's kernel.

# %%
rng = np.random.default_rng(1)
x = tf.constant(rng.normal(size=(30, 5)))
teacher = 0.5 * rng.normal(size=(5, 8))
second = tf.constant(0.5 * rng.normal(size=(8, 6)))
wanted = tf.tanh(x @ teacher) @ second + 0.05 * rng.normal(size=(30, 6))
start = teacher + 0.3 * rng.normal(size=(5, 8))
kernel = tf.Variable(start)


def errors():
    """By how much each of the 180 outputs is off, scaled: the squares add up to their mean."""
    off = tf.tanh(x @ kernel) @ second - wanted
    return tf.reshape(off, [180]) / np.sqrt(180)


def loss_of_network():
    return tf.reduce_sum(errors() ** 2)


with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        loss = loss_of_network()
    gradient = inner.gradient(loss, kernel)
hessian = outer.jacobian(gradient, kernel)

print(kernel.shape, gradient.shape, hessian.shape)

# %% [markdown]
# To calculate with it we make a matrix of it: one row and one column for each of the 40 parameters.
# The order of two derivatives does not matter, so the matrix is symmetric. That is a good check.

# %% alt="The Hessian as a square of 40 by 40 cells, symmetric about its diagonal. The diagonal is red, which is positive. Beside it red and blue cells are mixed, in blocks of 8 by 8."
gradient_vector = tf.reshape(gradient, [40, 1])
hessian_matrix = tf.reshape(hessian, [40, 40])
difference = abs(hessian_matrix - tf.transpose(hessian_matrix))
print(hessian_matrix.shape, "symmetric:", bool(tf.reduce_max(difference) < 1e-6))


def show(matrix, size=3.6):
    """Draws a matrix: red above zero, blue below, white is zero."""
    limit = tf.reduce_max(abs(matrix))
    plt.figure(figsize=(size, size))
    plt.imshow(matrix, vmin=-limit, vmax=limit, cmap="seismic")
    plt.colorbar(shrink=0.7)
    plt.show()


show(hessian_matrix)

# %% [markdown]
# **Newton's method** uses both. Near the place where we are, the loss looks like a surface with slope
# $g$ and curvature $H$. If $H$ is **positive definite**, that surface is a bowl (a paraboloid): it bends
# up in every direction. Its lowest point is the step $-H^{-1} g$ away, so we subtract $H^{-1} g$. Do not
# invert the matrix: `tf.linalg.solve(H, g)` solves $H u = g$, which is faster and more precise.
#
# And if $H$ is not positive definite? Then the surface has no lowest point. It is a saddle, and Newton's
# step goes to the middle of the saddle, uphill or downhill. Before you run this: will the loss fall?


# %%
def newton_system():
    """The loss, and the matrix and the right side that Newton's method solves with."""
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            loss = loss_of_network()
        gradient = inner.gradient(loss, kernel)
    hessian = outer.jacobian(gradient, kernel)
    return loss, tf.reshape(hessian, [40, 40]), tf.reshape(gradient, [40, 1])


def walk(system, damping=0.0, steps=5):
    """The losses at the start and after each step; a little of the unit matrix may be added."""
    kernel.assign(start)
    losses = []
    for _ in range(steps):
        loss, matrix, right = system()
        update = tf.linalg.solve(matrix + damping * tf.eye(40, dtype=tf.float64), right)
        kernel.assign_sub(tf.reshape(update, [5, 8]))
        losses.append(float(loss))
    return losses


def shown(losses):
    return "  ".join(f"{loss:.4f}" for loss in losses)


eigenvalues = np.linalg.eigvalsh(hessian_matrix)
print("the smallest and largest eigenvalue:", eigenvalues[[0, -1]].round(3))
print("how many are negative:", int(np.sum(eigenvalues < 0)))
print("Newton:                  ", shown(walk(newton_system)))
print("Newton with damping 0.1: ", shown(walk(newton_system, damping=0.1)))

# %% [markdown]
# It climbs. Seven of the 40 eigenvalues are negative, so in seven directions the surface bends down.
# Adding a little of the unit matrix, $\varepsilon I$, is called *damping*. It lifts every eigenvalue by
# $\varepsilon$. With 0.1 the first matrix is positive definite, and the first step points downhill. But
# it is much too long, and the loss rises all the same. (Programs that use Newton's method therefore
# choose the damping anew in each step, and take no step that makes the loss larger.)
#
# **A matrix that never bends down.** Our loss is a sum of squares, $L = e_1^2 + \dots + e_{180}^2$. Let $J$ be
# the jacobian of the errors $e$. Then $g = 2 J^\top e$, and $H$ is $2 J^\top J$ plus a part that is small
# where the errors are small. *Gauss and Newton's* method leaves that part out. $2 J^\top J$ has no
# negative eigenvalue, whatever $J$ is, and it needs no second derivatives at all:


# %%
def gauss_newton_system():
    """The same as `newton_system`, with 2 J^T J in place of the Hessian."""
    with tf.GradientTape() as tape:
        e = errors()
    jacobian = tf.reshape(tape.jacobian(e, kernel), [180, 40])
    transposed = tf.transpose(jacobian)
    return tf.reduce_sum(e**2), 2.0 * transposed @ jacobian, 2.0 * transposed @ e[:, tf.newaxis]


print("Gauss-Newton:", shown(walk(gauss_newton_system)))

# %% [markdown]
# Four steps, and there it stays: the rest is the teacher's errors. How far does gradient descent get?
# That depends on its rate, so we must not take just any. At the lowest point the largest eigenvalue of
# the Hessian says which rates are stable: those below 2 divided by it. (Along that direction a step
# multiplies the distance by $1 - \text{rate} \cdot \text{eigenvalue}$. Beyond the border that is more than 1.)

# %%
walk(gauss_newton_system, steps=20)
lowest, matrix, _ = newton_system()
border = 2.0 / np.linalg.eigvalsh(matrix)[-1]
print(f"lowest loss {float(lowest):.6f}, rates below {border:.2f} are stable")

print("above the lowest loss after  10       100      1000 steps")
for rate in [0.3, 1.0, 1.6, 2.0]:
    kernel.assign(start)
    above = {}
    for step in range(1001):
        with tf.GradientTape() as tape:
            loss = loss_of_network()
        above[step] = float(loss - lowest)
        kernel.assign_sub(rate * tape.gradient(loss, kernel))
    print(f"rate {rate}:".ljust(26), *(f"{above[step]:.1e} " for step in [10, 100, 1000]))

# %% [markdown]
# So Gauss-Newton needs four steps, and gradient descent at its best rate about a thousand. Newton's
# method without a positive definite Hessian goes uphill.
#
# Why then does nobody train large networks so? Look at the price of one step. Gradient descent takes one
# gradient. Gauss-Newton takes a jacobian of 180 rows and solves with a matrix of $40^2 = 1600$ entries. A
# layer with a million parameters would have one with a million millions. Lesson 7 shows how to use a
# Hessian without ever writing it down.

# %% [markdown]
# ## Batch jacobians
#
# Usually each example is computed by itself: row 0 of the result depends on row 0 of the input only.
# Then most of the jacobian is zero, and one wants just one small jacobian per example.

# %%
tf.random.set_seed(8)
x = tf.random.normal([7, 5])
layer1 = tf.keras.layers.Dense(8, activation=tf.nn.elu)
layer2 = tf.keras.layers.Dense(6, activation=tf.nn.elu)

with tf.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
    tape.watch(x)
    y = layer2(layer1(x))

full = tape.jacobian(y, x)
print(x.shape, y.shape, full.shape)

# %% [markdown]
# To see it as a flat picture, put the 7 by 7 blocks (an example of the result, an example of the
# input) side by side, with a line around each:


# %% alt="Seven by seven blocks. Only the seven blocks on the diagonal have red and blue cells; all others are white."
def show_blocks(jacobian):
    """Draws a jacobian of shape (b, y, b, x) as blocks of shape (y, x)."""
    framed = tf.pad(jacobian, [[0, 0], [0, 1], [0, 0], [0, 1]])
    rows, columns = framed.shape[0] * framed.shape[1], framed.shape[2] * framed.shape[3]
    show(tf.reshape(framed, [rows, columns]), size=4.2)


show_blocks(full)

# %% [markdown]
# Only the blocks on the diagonal have something in them. There are three ways to get these 7 blocks.
# Adding up over the input's examples works, since all other terms are zero; `einsum` picks the
# diagonal; and `batch_jacobian` does not compute the others in the first place:

# %%
summed = tf.reduce_sum(full, axis=2)
picked = tf.einsum("bxby->bxy", full)
direct = tape.batch_jacobian(y, x)
print(summed.shape, picked.shape, direct.shape)
print("the same:", bool(tf.reduce_max(abs(direct - summed)) < 1e-3))
print("the same:", bool(tf.reduce_max(abs(direct - picked)) < 1e-3))

# %% [markdown]
# The full one takes $7 \cdot 6 = 42$ ways back, one for each element of the result. The direct one
# takes 6: a seed with a 1 for output 0 of *every* example gives the rows of all examples at once, since
# they cannot disturb one another.
#
# ### When examples do depend on each other
#
# That last sentence is an assumption, and `batch_jacobian` does not check it. Batch normalisation
# subtracts the mean of the whole batch, so every example depends on all of them:

# %% alt="Seven by seven blocks. Those on the diagonal are the strongest, and now all others have pale red and blue cells as well."
normalisation = tf.keras.layers.BatchNormalization()

with viz.recording(), tf.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
    tape.watch(x)
    y = layer2(normalisation(layer1(x), training=True))

full = tape.jacobian(y, x)
print(full.shape)
show_blocks(full)

# %% [markdown]
# Now the other blocks are filled as well. `batch_jacobian` gives an answer of the usual shape without a
# word of warning. It is the full jacobian, summed over the examples of the result, and no derivative
# of a single example any more. `viz.jacobian` looks at the paths and warns you:

# %%
direct = tape.batch_jacobian(y, x)
picked = tf.einsum("bxby->bxy", full)
summed = tf.transpose(tf.reduce_sum(full, axis=0), [1, 0, 2])
print(direct.shape)
print("still the diagonal blocks:", bool(tf.reduce_max(abs(direct - picked)) < 1e-3))
print("the sum over the result's examples:", bool(tf.reduce_max(abs(direct - summed)) < 1e-3))

# %%
print(viz.jacobian(tape, y, x, batch_jacobian=True).words)

# %% [markdown]
# ## Exercises
#
# Replace each `...` by your code, run the cell, and run the check under it. A check that says nothing
# is passed.

# %% [markdown]
# **Exercise 1.** Write `reversed_gradient`, a function that returns its argument unchanged and turns
# the gradient round: what comes in as $g$ goes on as $-g$. (Such a layer is used to make a network
# *unlearn* something.)


# %% nbgrader={"grade": false, "grade_id": "reversed-gradient", "locked": false, "schema_version": 3, "solution": true, "task": false}
@tf.custom_gradient
def reversed_gradient(value):
    """The value itself; its gradient has the other sign."""
    ### BEGIN SOLUTION
    return value, lambda upstream: -upstream
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "reversed-gradient-check", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
x = tf.Variable([3.0, 1.0])
with tf.GradientTape() as tape:
    try:
        y = reversed_gradient(x**2)
        z = 5.0 * y  # so that what arrives at the function is 5, and not 1
    except TypeError:
        raise AssertionError("Return two things: the value, and a function of upstream.") from None
assert np.allclose(y, [9.0, 1.0]), (
    "Forward nothing should change: return the value, without a minus."
)
try:
    found = tape.gradient(z, x)
except ValueError as error:
    raise AssertionError(f"What the inner function returns has another shape: {error}") from None
assert found is not None, "Nothing comes back: the inner function should return -upstream."
found = np.array(found)
assert not np.allclose(found, [30.0, 10.0]), (
    "The gradient still has its old sign: return -upstream in the inner function."
)
assert not np.allclose(found, [-6.0, -2.0]), (
    "With 5 * y behind it, 5 comes in, and -1 went on: use upstream, do not return a fixed number."
)
assert np.allclose(found, [-30.0, -10.0]), (
    "The gradient of 5 * x**2 is 10 x; reversed, -10 x: upstream times -1, nothing else."
)

# %% [markdown]
# **Exercise 2.** Compute the third derivative of $x^4$ at 2 with three tapes, and put it into `third`.

# %% nbgrader={"grade": false, "grade_id": "third-derivative", "locked": false, "schema_version": 3, "solution": true, "task": false}
x = tf.Variable(2.0)
third = None
### BEGIN SOLUTION
with tf.GradientTape() as tape3:
    with tf.GradientTape() as tape2:
        with tf.GradientTape() as tape1:
            y = x**4
        first = tape1.gradient(y, x)
    second = tape2.gradient(first, x)
third = tape3.gradient(second, x)
### END SOLUTION

# %% nbgrader={"grade": true, "grade_id": "third-derivative-check", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
assert third is not None, (
    "third is None: each gradient but the last must be asked for inside the next tape's block."
)
assert abs(float(third) - 32.0) > 1e-3, "32 is the first derivative, 4x**3: two more to go."
assert abs(float(third) - 48.0) < 1e-3, "The third derivative of x**4 is 24x, so 48 at 2."

# %% [markdown]
# **Exercise 3.** Shapes, without running anything. A layer computes `y = x @ w` with `x` of shape
# (4, 2) and `w` of shape (2, 3). Which shapes do these have? Fill in tuples.

# %% nbgrader={"grade": false, "grade_id": "shapes", "locked": false, "schema_version": 3, "solution": true, "task": false}
shapes = {
    "tape.gradient(y, w)": None,
    "tape.jacobian(y, w)": None,
    "tape.jacobian(y, x)": None,
    "tape.batch_jacobian(y, x)": None,
}
### BEGIN SOLUTION
shapes = {
    "tape.gradient(y, w)": (2, 3),
    "tape.jacobian(y, w)": (4, 3, 2, 3),
    "tape.jacobian(y, x)": (4, 3, 4, 2),
    "tape.batch_jacobian(y, x)": (4, 3, 2),
}
### END SOLUTION

# %% nbgrader={"grade": true, "grade_id": "shapes-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
x, w = tf.Variable(tf.ones([4, 2])), tf.Variable(tf.ones([2, 3]))
with tf.GradientTape(persistent=True) as tape:
    y = x @ w
rules = {
    "tape.gradient(y, w)": "A gradient has the shape of its source.",
    "tape.jacobian(y, w)": "A jacobian has the shape of its target, then that of its source.",
    "tape.jacobian(y, x)": "A jacobian has the shape of its target, then that of its source.",
    "tape.batch_jacobian(y, x)": "One jacobian per example: the batch is there once, and in front.",
}
for call, rule in rules.items():
    assert shapes[call] is not None, f"The shape of {call} is missing. {rule}"
    assert tuple(shapes[call]) == tuple(eval(call).shape), f"{call} has another shape. {rule}"

# %% [markdown]
# **Exercise 4.** Write `newton(f, x)`: one Newton step, without damping, for a function `f` of a vector
# `x`. It returns the new point $x - H^{-1} g$, and `x` is a tensor of shape (n,).
# (`tf.linalg.solve` wants a column: `gradient[:, tf.newaxis]`.)


# %% nbgrader={"grade": false, "grade_id": "newton", "locked": false, "schema_version": 3, "solution": true, "task": false}
def newton(f, x):
    """The point after one Newton step from x."""
    ### BEGIN SOLUTION
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        gradient = inner.gradient(y, x)
    hessian = outer.jacobian(gradient, x)
    return x - tf.linalg.solve(hessian, gradient[:, tf.newaxis])[:, 0]
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "newton-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
def bowl(x):
    """A paraboloid with its lowest point at (1, -2)."""
    a, b = x[0] - 1.0, x[1] + 2.0
    return 3.0 * a * a + a * b + b * b


start = tf.constant([4.0, 5.0])
try:
    arrived = newton(bowl, start)
except (TypeError, ValueError, AttributeError) as error:
    raise AssertionError(
        f"{error} Is a None among the gradients? x is a plain tensor: each tape has to watch it, "
        "and the inner tape is asked inside the outer one's block."
    ) from None
assert arrived is not None, "newton should return the new point."
arrived = np.array(arrived)
assert arrived.shape == (2,), f"The new point should have shape (2,), like x, not {arrived.shape}."
assert not np.allclose(arrived, 2 * start - [1.0, -2.0], atol=1e-3), "Subtract the step: x - ..."
assert np.allclose(arrived, [1.0, -2.0], atol=1e-3), (
    "From anywhere in a paraboloid one Newton step leads to its lowest point, here (1, -2). "
    "Is the step solve(hessian, gradient), and is the hessian outer.jacobian(gradient, x)?"
)

# %% [markdown]
# ## What to remember
#
# - `stop_recording` and `reset` are about one tape; `stop_gradient` stops a path for all of them.
# - `custom_gradient`: a result, and a function from the upstream gradient to the argument's. Check it
#   with `tf.check_gradients`.
# - Ask the inner tape inside the outer tape's block, and you can differentiate its answer.
# - A jacobian has the shape of the target followed by that of the source. The jacobian of a gradient is
#   the Hessian.
# - `batch_jacobian` is right where examples do not depend on each other.
#
# Next: what is inside a tape? We build one.
