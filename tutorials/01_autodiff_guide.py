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
# # 1. The autodiff guide, tape by tape
#
# TensorFlow's guide *Introduction to gradients and automatic differentiation* shows in two dozen
# small examples what a gradient tape can do. Here are all of them, in our own words and code, on
# minitape, and each with its tape to look into. You need to know what a derivative is and how to
# read a few lines of Python. The lesson takes 45 to 60 minutes.
#
# Afterwards you can
#
# - record a computation and ask for its gradient,
# - say which values a tape watches, and change that,
# - explain what the gradient of a target with several elements is,
# - name five reasons for a gradient of `None`, and mend them.

# %%
import matplotlib.pyplot as plt
import numpy as np

import minitape as tf
import viz

# %% [markdown]
# In place of `import minitape as tf` you could write `import tensorflow as tf`: the names are the same.
# `viz` is the part that shows what happened.

# %% [markdown]
# ## The first tape
#
# The area of a square with side 3 is 9. How fast does the area grow when the side grows? The
# derivative of $s^2$ is $2s$, so the answer is 6. A tape finds it without knowing the formula: it
# writes down which operations ran (*forward*), and then walks back through its list (*backward*).

# %%
side = tf.Variable(3.0)

with viz.recording(), tf.GradientTape() as tape:
    area = side**2

player = viz.step(tape, area, side, title="The slope of a square")
print(tape.gradient(area, side).numpy())
player

# %% [markdown]
# **Look into the tape.** Click the player and press the right arrow key. (If you only see a still
# picture, run the cell, or choose *Trust Notebook*; the steps are also in the table under it.)
#
# 1. **forward**: one operation, `pow`, is recorded. The tape keeps what it needs for the way back.
# 2. **seed**: the walk back starts at the target with the number 1, since the target changes by 1
#    when the target changes by 1. Such a number that travels backward is called a *cotangent*.
# 3. **pull**: `pow` multiplies the cotangent with its own derivative, and passes 6 to `side`.
# 4. **release**: the record is no longer needed, so the tape forgets it.
#
# `with viz.recording():` switches the pictures' notes on: values and lines of code. The tape works
# the same without it.

# %% [markdown]
# ## Any shape: a linear layer
#
# Values may be vectors and matrices. Here is a layer with three inputs and two outputs, and the mean
# of the squared outputs as its loss. We ask for two gradients at once: a list of sources gives a
# list of gradients, and **each gradient has the shape of its source**.

# %%
weights = tf.Variable([[0.5, -1.0], [0.25, 0.0], [-0.5, 2.0]], name="weights")
bias = tf.Variable(tf.zeros(2), name="bias")
features = [[1.0, 2.0, 3.0]]

with viz.recording(), tf.GradientTape(persistent=True) as tape:
    outputs = features @ weights + bias
    loss = tf.reduce_mean(outputs**2)

for_weights, for_bias = tape.gradient(loss, [weights, bias])
print(weights.shape, for_weights.shape)
print(bias.shape, for_bias.shape)

# %% [markdown]
# Sources may also come in a dictionary, or in lists within dictionaries: the gradients come in the
# same structure.

# %%
gradients = tape.gradient(loss, {"weights": weights, "bias": bias})
print(gradients["bias"])

# %%
viz.step(tape, loss, [weights, bias], title="A linear layer")

# %% [markdown]
# Step to the end and look at the rule of `matmul`: the gradient for `weights` is the transposed input
# times the cotangent. That is why a layer has to remember its input until the way back.

# %% [markdown]
# ## All variables of a model
#
# A model collects its variables by itself. `layer.trainable_variables` is the list to differentiate
# with respect to.

# %%
layer = tf.keras.layers.Dense(2, activation="relu", kernel_initializer="ones")
features = tf.constant([[1.0, 2.0, 3.0]])

with viz.recording(), tf.GradientTape() as tape:
    outputs = layer(features)
    loss = tf.reduce_mean(outputs**2)

player = viz.step(tape, loss, layer.trainable_variables, title="A dense layer")
for variable, gradient in zip(
    layer.trainable_variables,
    tape.gradient(loss, layer.trainable_variables),
    strict=True,
):
    print(f"{variable.name}: shape {gradient.shape}")
player

# %% [markdown]
# ## What does a tape watch?
#
# A tape could record everything, but that would cost memory. It records an operation only when one
# of the inputs is *watched*. By itself it watches **trainable variables**, and nothing else. Before
# you run the next cell: which of the four sources will have a gradient?

# %%
trained = tf.Variable(3.0, name="trained")
frozen = tf.Variable(3.0, name="frozen", trainable=False)
shifted = tf.Variable(2.0, name="shifted") + 1.0  # a variable plus a number is a tensor
fixed = tf.constant(3.0)

with viz.recording(), tf.GradientTape() as tape:
    total = trained**2 + frozen**2 + shifted**2

player = viz.step(tape, total, [trained, frozen, shifted, fixed], title="Four sources")
for gradient in tape.gradient(total, [trained, frozen, shifted, fixed]):
    print(gradient)
player

# %% [markdown]
# Only the first one. In the picture the squares of the others are plain constants: nothing says where
# they came from. A tape can tell you what it watches:

# %%
print([variable.name for variable in tape.watched_variables()])

# %% [markdown]
# You decide with `watch`. A constant that is watched has a gradient:

# %%
side = tf.constant(3.0)

with viz.recording(), tf.GradientTape() as tape:
    tape.watch(side)
    area = side**2

player = viz.step(tape, area, side, title="A watched constant")
print(tape.gradient(area, side).numpy())
player

# %% [markdown]
# And with `watch_accessed_variables=False` a tape watches nothing that it was not told to. Here the
# sine of `left` leaves no trace. (The derivative of softplus, $\log(1 + e^x)$, is the sigmoid, which
# is almost 1 at 10.)

# %%
left, right = tf.Variable(0.0), tf.Variable(10.0)

with viz.recording(), tf.GradientTape(watch_accessed_variables=False) as tape:
    tape.watch(right)
    total = tf.reduce_sum(tf.math.sin(left) + tf.nn.softplus(right))

player = viz.step(tape, total, {"left": left, "right": right}, title="Only one is watched")
gradients = tape.gradient(total, {"left": left, "right": right})
print("left: ", gradients["left"])
print("right:", gradients["right"].numpy())
player

# %% [markdown]
# ## A result on the way as the source
#
# The source need not be an input. With $u = x^2$ and $v = u^2$, the derivative of $v$ with respect to
# $u$ is $2u$, that is 18 at $x = 3$. Watch how **two paths meet**: `square` is used twice by one
# multiplication, so it receives 9 twice, and the two are added up.

# %%
x = tf.constant(3.0)

with viz.recording(), tf.GradientTape() as tape:
    tape.watch(x)
    square = x * x
    fourth = square * square

player = viz.step(tape, fourth, square, title="With respect to a result on the way")
print(tape.gradient(fourth, square).numpy())
player

# %% [markdown]
# ## Asking twice
#
# A tape lets go of its records as soon as it has answered, so it answers once. With
# `persistent=True` it keeps them, and you can ask as often as you like. Drop it (`del tape`) when you
# are done: until then it holds the values of everything it recorded.

# %%
x = tf.constant([1.0, 3.0])

with viz.recording(), tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    square = x * x
    fourth = square * square

player = viz.step(tape, fourth, x, title="A persistent tape releases nothing")
print(tape.gradient(fourth, x).numpy())  # 4 x**3
print(tape.gradient(square, x).numpy())  # 2 x
del tape
player

# %% [markdown]
# A tape costs little, but not nothing: record what you want to differentiate, not the whole program.

# %% [markdown]
# ## Targets with several parts
#
# A gradient belongs to *one* number. Of two targets you can ask for one after the other:

# %%
x = tf.Variable(2.0)

with viz.recording(), tf.GradientTape(persistent=True) as tape:
    square = x**2
    inverse = 1 / x

print(tape.gradient(square, x).numpy())
print(tape.gradient(inverse, x).numpy())

# %% [markdown]
# If you pass both, you get the gradient of their **sum**: 4 − 0.25. The picture shows how that comes
# about: each target is a seed of its own, and at `x` the paths meet.

# %%
print(tape.gradient({"square": square, "inverse": inverse}, x).numpy())
viz.step(tape, [square, inverse], x, title="Two targets")

# %% [markdown]
# The same holds for a target with several elements: 3 + 4 = 7.

# %%
x = tf.Variable(2.0)

with viz.recording(), tf.GradientTape() as tape:
    multiples = x * [3.0, 4.0]

player = viz.step(tape, multiples, x, title="A target with two elements")
print(tape.gradient(multiples, x).numpy())
player

# %% [markdown]
# If you need the derivative of each element by itself, ask for `tape.jacobian` (see the next
# tutorial). One case needs none: when each element of the target depends on its own element of the
# source only, the gradient of the sum *is* the list of derivatives. So a single call gives the whole
# curve of the sigmoid's slope.

# %%
x = tf.linspace(-10.0, 10.0, 200 + 1)

with viz.recording(), tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.nn.sigmoid(x)

player = viz.step(tape, y, x, title="Element by element")
slope = tape.gradient(y, x)
print("steepest:", tf.reduce_max(slope).numpy())
player

# %% alt="Two curves. The sigmoid rises from 0 to 1 in the shape of an S. Its slope, dashed, is a bell with the height 0.25 at x = 0."
plt.figure(figsize=(6, 3))
plt.plot(x, y, label="sigmoid")
plt.plot(x, slope, "--", label="its slope")
plt.xlabel("x")
plt.legend()
plt.show()

# %% [markdown]
# ## Control flow
#
# A tape records what ran. An `if` is not an operation: the tape sees the branch that was taken and
# knows nothing of the other one.

# %%
switch = tf.constant(1.0)
taken, passed_by = tf.Variable(2.0), tf.Variable(2.0)

with viz.recording(), tf.GradientTape(persistent=True) as tape:
    tape.watch(switch)
    if switch > 0.0:
        result = taken + 5.0
    else:
        result = passed_by**2

print(*tape.gradient(result, [taken, passed_by]))
viz.step(tape, result, [taken, passed_by, switch], title="A branch")

# %% [markdown]
# The condition itself has no gradient either, though it was watched: a comparison gives true or
# false, and between the two there is no slope.

# %%
print(tape.gradient(result, switch))

# %% [markdown]
# ## Why is my gradient None?
#
# `None` means: *no path leads from this target back to this source*. That is the question people ask
# most, so look at the cases one by one. In each player, go to the last step: it says why.

# %% [markdown]
# ### 0. There is no connection at all

# %%
x, y = tf.Variable(2.0), tf.Variable(3.0)

with viz.recording(), tf.GradientTape() as tape:
    z = y * y

player = viz.step(tape, z, x, title="Not connected")
print(tape.gradient(z, x))
player

# %% [markdown]
# ### 1. A variable was replaced by a tensor
#
# `x = x + 1` makes a *new tensor* and gives it the old name. In the next round of the loop there is no
# variable any more. `x.assign_add(1)` changes the variable instead.

# %%
x = tf.Variable(2.0)

for _epoch in range(2):
    with viz.recording(), tf.GradientTape() as tape:
        y = x + 1
    player = viz.step(tape, y, x, title="x is a tensor by now")
    print(type(x).__name__, ":", tape.gradient(y, x))
    x = x + 1

player

# %% [markdown]
# ### 2. A step was computed outside
#
# NumPy's functions give arrays. An array has no history, so the tape starts anew after it.

# %%
x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

with viz.recording(), tf.GradientTape() as tape:
    squares = x**2
    means = np.mean(squares, axis=0)  # tf.reduce_mean(squares, axis=0) keeps the path
    mean = tf.reduce_mean(means, axis=0)

player = viz.step(tape, mean, x, title="A step in NumPy")
print(tape.gradient(mean, x))
player

# %% [markdown]
# `viz.explain` says the same without a player, draws where the path broke, and shows the line that
# mends it. Try it on the other cases too.

# %%
viz.explain(tape, mean, x)

# %% [markdown]
# ### 3. Whole numbers
#
# Integers cannot change by a little, so they have no derivative. It is easy to make one by accident:
# `tf.constant(10)` is an integer, `tf.constant(10.0)` is not. Watching it gives a warning.

# %%
x = tf.constant(10)

with viz.recording(), tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x

player = viz.step(tape, y, x, title="Integers")
print(tape.gradient(y, x))
player

# %% [markdown]
# ### 4. The path goes through a variable's state
#
# A tape sees which value a variable *has*, not where that value came from. An assignment therefore
# ends the path.

# %%
added, state = tf.Variable(3.0), tf.Variable(0.0)

with viz.recording(), tf.GradientTape() as tape:
    state.assign_add(added)
    y = state**2  # (0 + added)**2 in numbers, but only a square of `state` on the tape

player = viz.step(tape, y, added, title="Through a variable's state")
print(tape.gradient(y, added))
player

# %% [markdown]
# ## An error instead of None
#
# Some operations could be differentiated, but nobody has written down how. Then a silent `None` would
# be a trap, and you get an error instead.

# %%
image, factor = tf.Variable([[[0.5, 0.0, 0.0]]]), tf.Variable(0.1)

with tf.GradientTape() as tape:
    changed = tf.image.adjust_contrast(image, factor)

try:
    tape.gradient(changed, [image, factor])
except LookupError as error:
    print(f"{type(error).__name__}: {error}")

# %% [markdown]
# ## Zeros instead of None
#
# Sometimes zeros are handier than `None`, for instance when gradients are added up afterwards.

# %%
x, y = tf.Variable([2.0, 2.0]), tf.Variable(3.0)

with viz.recording(), tf.GradientTape() as tape:
    z = y**2

player = viz.step(tape, z, x, title="Not connected, and zeros wanted")
print(tape.gradient(z, x, unconnected_gradients=tf.UnconnectedGradients.ZERO))
player

# %% [markdown]
# ## Exercises
#
# Replace each `...` by your code, run the cell, and run the check under it. A check that says nothing
# is passed.

# %% [markdown]
# **Exercise 1.** Record $f(a, b) = a^2 b + \sin b$ at $a = 2$, $b = 3$, and put the gradients for `a`
# and `b` into `for_a` and `for_b`.

# %% nbgrader={"grade": false, "grade_id": "two-variables", "locked": false, "schema_version": 3, "solution": true, "task": false}
a, b = tf.Variable(2.0), tf.Variable(3.0)
for_a = for_b = None
### BEGIN SOLUTION
with tf.GradientTape() as tape:
    f = a**2 * b + tf.sin(b)
for_a, for_b = tape.gradient(f, [a, b])
### END SOLUTION

# %% nbgrader={"grade": true, "grade_id": "two-variables-check", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
assert for_a is not None, "for_a is still None: ask the tape with tape.gradient(f, [a, b])."
assert for_b is None or abs(float(for_b) - 4.0) > 1e-4, (
    "for_b is a**2 alone, so sin(b) is not on the tape: np.sin is NumPy's, tf.sin is recorded."
)
assert abs(float(for_a) - 12.0) < 1e-4, "for_a should be 2ab = 12: is the square on a?"
assert for_b is not None, "for_b is still None: is b used inside the tape's block?"
assert abs(float(for_b) - (4.0 + np.cos(3.0))) < 1e-4, "for_b should be a**2 + cos(b)."

# %% [markdown]
# **Exercise 2.** By hand: $p = xy$ and $z = p + x$ at $x = 2$, $y = 5$. Which cotangents do `p`, `y`
# and `x` have at the end? Fill in three numbers, then compare with the player of your own tape.

# %% nbgrader={"grade": false, "grade_id": "by-hand", "locked": false, "schema_version": 3, "solution": true, "task": false}
cotangents = {"p": None, "y": None, "x": None}
### BEGIN SOLUTION
cotangents = {"p": 1.0, "y": 2.0, "x": 6.0}
### END SOLUTION

# %% nbgrader={"grade": true, "grade_id": "by-hand-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
x, y = tf.Variable(2.0), tf.Variable(5.0)
with viz.recording(), tf.GradientTape() as tape:
    p = x * y
    z = p + x
player = viz.step(tape, z, [p, y, x])
for name, gradient in zip(["p", "y", "x"], player.gradients, strict=True):
    assert cotangents[name] is not None, f"The cotangent of {name} is missing."
    assert cotangents[name] != 5.0 or name != "x", "Two paths lead to x: add up what they bring."
    assert cotangents[name] == float(gradient), f"The cotangent of {name} is another number."

# %% [markdown]
# **Exercise 3.** A function should return the slope of $x^3$ at `value`. The lines that are commented
# out return `None`: there are two mistakes in them. Write them anew without the mistakes.


# %% nbgrader={"grade": false, "grade_id": "two-mistakes", "locked": false, "schema_version": 3, "solution": true, "task": false}
def slope_of_cube(value):
    """The derivative of x**3 at a number."""
    # x = tf.constant(int(value))
    # with tf.GradientTape() as tape:
    #     y = x**3
    # return tape.gradient(y, x)
    ### BEGIN SOLUTION
    x = tf.constant(float(value))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x**3
    return tape.gradient(y, x)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "two-mistakes-check", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
found = slope_of_cube(3)
assert found is not None, "Still None: is x a floating number, and does the tape watch it?"
assert abs(float(found) - 27.0) < 1e-4, "The slope of x**3 at 3 is 27."

# %% [markdown]
# **Exercise 4.** Gradient descent: walk from 10 to the lowest point of $(x - 3)^2$ in 50 steps of size
# 0.1 times the slope. Keep `x` a variable all the way.

# %% nbgrader={"grade": false, "grade_id": "descent", "locked": false, "schema_version": 3, "solution": true, "task": false}
x = tf.Variable(10.0)
for _step in range(50):
    ### BEGIN SOLUTION
    with tf.GradientTape() as tape:
        loss = (x - 3.0) ** 2
    x.assign_sub(0.1 * tape.gradient(loss, x))
    ### END SOLUTION

# %% nbgrader={"grade": true, "grade_id": "descent-check", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
assert isinstance(x, tf.Variable), "x is no variable any more: use x.assign_sub(...)."
assert float(x) != 10.0, "x did not move: assign a new value in every step."
assert abs(float(x) - 3.0) < 0.01, "x did not arrive at 3: is the step 0.1 times the slope?"

# %% [markdown]
# ## What to remember
#
# - A tape records operations on what it watches: trainable variables by themselves, all else by
#   `watch`.
# - Backward, each operation multiplies what arrives with its own derivative; where paths meet,
#   cotangents add up.
# - A gradient has the shape of its source, and several targets count as their sum.
# - `None` means that no path was recorded: look for replaced variables, NumPy, integers and state.
#
# Next: controlling the tape, your own gradients, higher derivatives and jacobians.
