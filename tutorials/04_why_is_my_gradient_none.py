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
# # 4. Why is my gradient None?
#
# It is the question that people ask most about gradient tapes. There are about a dozen answers, and
# this lesson has all of them: a small program with the mistake, how to find it, and the program
# mended. The tool for finding is `viz.explain`. You need lessons 1 and 2. The lesson takes 60 minutes;
# it is also a page to come back to.
#
# Afterwards you can
#
# - find the line where the path from the target to the source broke,
# - sort a mistake into one of five families, and mend it,
# - tell `None` from zero,
# - break a path on purpose.

# %%
import numpy as np

import minitape as tf
import viz

# %% [markdown]
# ## What None means
#
# A tape writes down operations. For a gradient it walks back through what it wrote, from the target to
# the source. `None` means: **I have not written down any way from here to there.** It does not mean
# zero. So look for the place where a way should have been written down and was not. There are five
# families of places:
#
# 1. the tape does not follow the *source*,
# 2. the path *leaves* the world of tensors,
# 3. the tape is *not listening* at that moment,
# 4. an *operation* on the path has no derivative,
# 5. there *is* no path.
#
# `viz.explain(tape, target, source)` finds the place. It looks at what the tape recorded, and at what
# `viz.recording()` saw besides. Here is what it says when all is well:

# %%
x = tf.Variable(2.0)

with viz.recording(), tf.GradientTape() as tape:
    square = x * x
    y = square + 3.0 * x

viz.explain(tape, y, x)

# %% [markdown]
# The gradient, and what each path from `x` to `y` brings: the chain rule in one sentence. Two paths go
# through the square, since it uses `x` twice.

# %% [markdown]
# ## Family 1: the tape does not follow the source
#
# ### Not watched
#
# By itself a tape watches trainable variables. It does not watch a constant, an input, or a result from
# before its block. Before you read the explanation: which line would you add, and where?

# %%
x = tf.constant(3.0)

with viz.recording(), tf.GradientTape() as tape:
    y = x * x

print(tape.gradient(y, x))
viz.explain(tape, y, x)

# %% [markdown]
# **Look at the picture**: the cross marks the place where the way breaks off, with a few words beside
# it. Solid arrows are recorded, dotted ones are not. Under "What to write instead" is the line that is
# missing. Mended:

# %%
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x

print(tape.gradient(y, x).numpy())

# %% [markdown]
# ### Watched too late
#
# A tape records nothing in hindsight. `watch` must come before the first use.

# %%
x = tf.constant(3.0)

with viz.recording(), tf.GradientTape() as tape:
    y = x * x
    tape.watch(x)

print(tape.gradient(y, x))
viz.explain(tape, y, x)

# %%
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x

print(tape.gradient(y, x).numpy())

# %% [markdown]
# ### A variable was replaced by a tensor
#
# The classic in training loops. The first round works, and the second does not. Guess the line before
# you look.

# %%
w = tf.Variable(2.0)

with viz.recording():
    for step in range(2):
        with tf.GradientTape() as tape:
            loss = (w - 5.0) ** 2
        gradient = tape.gradient(loss, w)
        print(f"step {step}: {type(w).__name__}, gradient {gradient}")
        if gradient is not None:
            w = w - 0.1 * gradient

viz.explain(tape, loss, w)

# %% [markdown]
# `w = w - ...` computes a *new tensor* and gives it the old name. The variable is still there, but nobody
# has a name for it. `assign_sub` changes the variable itself:

# %%
w = tf.Variable(2.0)

for step in range(2):
    with tf.GradientTape() as tape:
        loss = (w - 5.0) ** 2
    gradient = tape.gradient(loss, w)
    print(f"step {step}: {type(w).__name__}, gradient {gradient.numpy():.1f}")
    w.assign_sub(0.1 * gradient)

# %% [markdown]
# ### A variable that is not trainable
#
# Some variables are made with `trainable=False`: counters, running means. A tape leaves them alone
# unless you watch them.

# %%
offset = tf.Variable(1.0, trainable=False)

with viz.recording(), tf.GradientTape() as tape:
    y = (offset + 2.0) ** 2

print(tape.gradient(y, offset))
viz.explain(tape, y, offset)

# %%
with tf.GradientTape() as tape:
    tape.watch(offset)
    y = (offset + 2.0) ** 2

print(tape.gradient(y, offset).numpy())

# %% [markdown]
# ### A tape that watches nothing by itself
#
# With `watch_accessed_variables=False` you choose everything yourself. Then it is easy to forget one.

# %%
w, b = tf.Variable(2.0), tf.Variable(1.0)

with viz.recording(), tf.GradientTape(watch_accessed_variables=False) as tape:
    tape.watch(w)
    y = (3.0 * w + b) ** 2

print(*tape.gradient(y, [w, b]))
viz.explain(tape, y, b)

# %%
with tf.GradientTape(watch_accessed_variables=False) as tape:
    tape.watch([w, b])
    y = (3.0 * w + b) ** 2

print(*[gradient.numpy() for gradient in tape.gradient(y, [w, b])])

# %% [markdown]
# ### Whole numbers and strings
#
# `tf.constant(10)` is an integer. There is no whole number a little beside 10, so there is no
# derivative, whatever you watch. The same holds for text. Watching it gives a warning.

# %%
count = tf.constant(10)

with viz.recording(), tf.GradientTape() as tape:
    tape.watch(count)
    y = count * count

print(tape.gradient(y, count))
viz.explain(tape, y, count)

# %%
count = tf.constant(10.0)

with tf.GradientTape() as tape:
    tape.watch(count)
    y = count * count

print(tape.gradient(y, count).numpy())

# %%
text = tf.constant("2.5")

with viz.recording(), tf.GradientTape() as tape:
    tape.watch(text)
    y = tf.strings.to_number(text) ** 2

print(tape.gradient(y, text))
viz.explain(tape, y, text)

# %% [markdown]
# Numbers that were read from a file often come as text. Convert first, and differentiate with respect to
# the number:

# %%
number = tf.strings.to_number(text)

with tf.GradientTape() as tape:
    tape.watch(number)
    y = number**2

print(tape.gradient(y, number).numpy())

# %% [markdown]
# ## Family 2: the path leaves the world of tensors
#
# ### NumPy
#
# A NumPy function gives an array. An array has no history. When it comes back into the computation, it
# is a constant.

# %%
x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

with viz.recording(), tf.GradientTape() as tape:
    squares = x**2
    means = np.mean(squares, axis=0)
    y = tf.reduce_mean(means)

player = viz.step(tape, y, x, title="What the tape saw")
print(tape.gradient(y, x))
viz.explain(tape, y, x)

# %% [markdown]
# In the picture the value takes a way past the tape. And this is what the tape itself has: the square,
# and nothing that leads from there to `y`. Step through it: the last step says what you know already.

# %%
player

# %% [markdown]
# The mend is easy here, as the function has nearly the same name in TensorFlow:

# %%
with tf.GradientTape() as tape:
    squares = x**2
    means = tf.reduce_mean(squares, axis=0)
    y = tf.reduce_mean(means)

print(tape.gradient(y, x).numpy())

# %% [markdown]
# ### Python numbers
#
# `float(...)`, `int(...)` and `.numpy()` do the same thing. They are fine for printing. They are not fine
# when you go on computing with the result.

# %%
scale = tf.Variable(3.0)

with viz.recording(), tf.GradientTape() as tape:
    factor = float(scale)
    y = factor * 2.0 * tf.constant(1.0)

print(tape.gradient(y, scale))
viz.explain(tape, y, scale)

# %%
with tf.GradientTape() as tape:
    y = scale * 2.0 * tf.constant(1.0)

print(tape.gradient(y, scale).numpy())

# %% [markdown]
# ### State
#
# A variable keeps a number, not the story of that number. What is assigned to it loses its past.

# %%
x, memory = tf.Variable(3.0), tf.Variable(0.0)

with viz.recording(), tf.GradientTape() as tape:
    memory.assign_add(x)
    y = memory**2

print(tape.gradient(y, x))
viz.explain(tape, y, x)

# %% [markdown]
# Keep the sum in a tensor with a name of its own, and assign after the tape if you need to:

# %%
x, memory = tf.Variable(3.0), tf.Variable(0.0)

with tf.GradientTape() as tape:
    total = memory + x
    y = total**2
memory.assign(total)

print(tape.gradient(y, x).numpy())

# %% [markdown]
# ## Family 3: the tape is not listening
#
# ### Outside of the block
#
# What is computed before the block, or after it, is not recorded. It is often a normalisation at the
# beginning, or the loss at the end. First, something at the beginning:

# %%
w = tf.Variable(2.0)

with viz.recording():
    scaled = 10.0 * w
    with tf.GradientTape() as tape:
        y = scaled * scaled

print(tape.gradient(y, w))
viz.explain(tape, y, w)

# %%
with tf.GradientTape() as tape:
    scaled = 10.0 * w
    y = scaled * scaled

print(tape.gradient(y, w).numpy())

# %% [markdown]
# And the loss at the end, with one indentation too few:

# %%
with viz.recording():
    with tf.GradientTape() as tape:
        prediction = 10.0 * w
    loss = (prediction - 1.0) ** 2

print(tape.gradient(loss, w))
viz.explain(tape, loss, w)

# %%
with tf.GradientTape() as tape:
    prediction = 10.0 * w
    loss = (prediction - 1.0) ** 2

print(tape.gradient(loss, w).numpy())

# %% [markdown]
# ### Recording stopped, or reset
#
# Lesson 2 used these on purpose. By accident they look like this:

# %%
x = tf.Variable(4.0)

with viz.recording(), tf.GradientTape() as tape:
    with tape.stop_recording():
        root = tf.sqrt(x)  # was meant for the log only
        print("root:", root.numpy())
    y = 3.0 * root

print(tape.gradient(y, x))
viz.explain(tape, y, x)

# %%
with tf.GradientTape() as tape:
    root = tf.sqrt(x)
    with tape.stop_recording():
        print("root:", root.numpy())
    y = 3.0 * root

print(tape.gradient(y, x).numpy())

# %% [markdown]
# Print where the tape is stopped, but compute outside of it. And here is a `reset` that stands one line
# too low:

# %%
x = tf.Variable(4.0)

with viz.recording(), tf.GradientTape() as tape:
    root = tf.sqrt(x)
    tape.reset()
    y = 3.0 * root

print(tape.gradient(y, x))
viz.explain(tape, y, x)

# %%
with tf.GradientTape() as tape:
    tape.reset()
    root = tf.sqrt(x)
    y = 3.0 * root

print(tape.gradient(y, x).numpy())

# %% [markdown]
# ### The tape is used up
#
# After the first answer a tape that is not persistent has let go of its records. This is no `None` but
# an error, which is kinder: you see it at once.

# %%
x = tf.Variable(3.0)

with viz.recording(), tf.GradientTape() as tape:
    square = x * x
    fourth = square * square

print(tape.gradient(square, x).numpy())
try:
    tape.gradient(fourth, x)
except RuntimeError as error:
    print("RuntimeError:", str(error).split(". ")[0])

viz.explain(tape, fourth, x)

# %%
with tf.GradientTape(persistent=True) as tape:
    square = x * x
    fourth = square * square

print(tape.gradient(square, x).numpy(), tape.gradient(fourth, x).numpy())

# %% [markdown]
# ## Family 4: an operation without a derivative
#
# ### stop_gradient
#
# Somebody wrote it on purpose, and you did not know.


# %%
def similarity(a, b):
    """A helper from a library."""
    return tf.reduce_sum(a * tf.stop_gradient(b))


a, b = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])

with viz.recording(), tf.GradientTape() as tape:
    y = similarity(a, b)

print(*tape.gradient(y, [a, b]))
viz.explain(tape, y, b)

# %%
with tf.GradientTape() as tape:
    y = tf.reduce_sum(a * b)

print(*[gradient.numpy() for gradient in tape.gradient(y, [a, b])])

# %% [markdown]
# ### Steps, comparisons, positions
#
# `round`, `floor` and `ceil` are staircases: flat, then a jump. A comparison gives true or false.
# `argmax` gives a position. In all these cases a small change of the input changes nothing at all, or
# everything. There is no useful derivative, and so TensorFlow has none. (`tf.sign` is a staircase too,
# but there TensorFlow chose zeros.)

# %%
x = tf.Variable(2.6)

with viz.recording(), tf.GradientTape() as tape:
    level = tf.round(x)
    y = level**2

print(tape.gradient(y, x))
viz.explain(tape, y, x)

# %% [markdown]
# Here no line was forgotten. You have to decide what you mean. `tf.grad_pass_through` treats the
# staircase as a ramp: forward it rounds, backward it acts as if nothing had happened. (This is called
# the *straight-through estimator*; networks with rounded weights are trained with it.)

# %%
with tf.GradientTape() as tape:
    level = tf.grad_pass_through(tf.round)(x)
    y = level**2

print(y.numpy(), tape.gradient(y, x).numpy())

# %% [markdown]
# A comparison is mended by a smooth step, the sigmoid; `argmax` by the softmax, smooth weights in place
# of one position:

# %%
scores = tf.Variable([1.0, 3.0, 2.0])

with viz.recording(), tf.GradientTape() as tape:
    best = tf.cast(tf.argmax(scores), tf.float32)
    y = best * 10.0

print(tape.gradient(y, scores))
viz.explain(tape, y, scores)

# %%
positions = tf.range(3, dtype=tf.float32)

with tf.GradientTape() as tape:
    about = tf.reduce_sum(tf.nn.softmax(scores) * positions)
    y = about * 10.0

print(f"{y.numpy():.3f}", tape.gradient(y, scores).numpy())

# %% [markdown]
# ### A cast to whole numbers on the way
#
# The source is a float and the target is a float. In between somebody made an integer of it.

# %%
price = tf.Variable(19.9)

with viz.recording(), tf.GradientTape() as tape:
    euros = tf.cast(price, tf.int32)
    tax = tf.cast(euros, tf.float32) * 0.2

print(tape.gradient(tax, price))
viz.explain(tape, tax, price)

# %%
with tf.GradientTape() as tape:
    euros = tf.cast(price, tf.float32)
    tax = euros * 0.2

print(tape.gradient(tax, price).numpy())

# %% [markdown]
# ### A custom gradient that gives None
#
# Who writes a derivative may also leave one out. To find that, `viz.explain` has to run the rules once
# more, so the tape must not be used up: it is persistent here.


# %%
@tf.custom_gradient
def weighted(value, weight):
    """value * weight, with a gradient for the value only."""

    def backward(upstream):
        return upstream * weight, None

    return value * weight, backward


value, weight = tf.Variable(2.0), tf.Variable(5.0)

with viz.recording(), tf.GradientTape(persistent=True) as tape:
    y = weighted(value, weight)

print(*tape.gradient(y, [value, weight]))
viz.explain(tape, y, weight)


# %%
@tf.custom_gradient
def weighted(value, weight):
    """value * weight, with both gradients."""

    def backward(upstream):
        return upstream * weight, upstream * value

    return value * weight, backward


with tf.GradientTape() as tape:
    y = weighted(value, weight)

print(*[gradient.numpy() for gradient in tape.gradient(y, [value, weight])])

# %% [markdown]
# ## Family 5: there is no path
#
# Sometimes the tape is right and the program does not do what you think. Here two names are alike.

# %%
weight, weights = tf.Variable(2.0), tf.Variable(3.0)

with viz.recording(), tf.GradientTape() as tape:
    y = weights * weights

print(tape.gradient(y, weight))
viz.explain(tape, y, weight)

# %%
with tf.GradientTape() as tape:
    y = weight * weight

print(tape.gradient(y, weight).numpy())

# %% [markdown]
# ## Zero is not None
#
# A gradient of zero is an answer: there *is* a path, and a small change of the source changes nothing.
# Typical reasons are a relu that is off, a function that is saturated (so far out that it is flat), and
# a factor that is zero. `viz.explain` says where the numbers became zero.

# %%
x, w = tf.Variable(-1.0), tf.Variable(4.0)

with viz.recording(), tf.GradientTape(persistent=True) as tape:
    hidden = tf.nn.relu(x)
    y = w * hidden

print(tape.gradient(y, x).numpy())
viz.explain(tape, y, x)

# %% [markdown]
# ## Any suspicious gradient
#
# None is the loudest of the wrong gradients, not the worst. `viz.check(tape)` looks at a whole tape for the
# others too: NaN and infinities, zeros, numbers that do not fit their dtype, shapes that met silently, and
# gradient functions of your own that are wrong. Before you run the next cell: at `x = 0` the logarithm is
# not chosen. Is the gradient 0 there?

# %%
x = tf.Variable([0.0, 2.0])

with viz.recording(), tf.GradientTape() as tape:
    y = tf.where(x > 0.0, tf.math.log(x), 0.0)

print(tape.gradient(y, x).numpy())

# %% [markdown]
# Where was that NaN born?

# %%
with viz.recording(), tf.GradientTape() as tape:
    y = tf.where(x > 0.0, tf.math.log(x), 0.0)

print(viz.check(tape, y, x))

# %% [markdown]
# The usual cure is a safe input *inside* of the branch:

# %%
with tf.GradientTape() as tape:
    safe = tf.where(x > 0.0, x, 1.0)
    y = tf.where(x > 0.0, tf.math.log(safe), 0.0)

print(tape.gradient(y, x).numpy())

# %% [markdown]
# And a mistake that raises no error and gives no strange number: predictions of shape (3, 1) against labels
# of shape (3,). Which shape does the difference have?

# %%
w = tf.Variable([[0.5]])
inputs, labels = tf.constant([[1.0], [2.0], [3.0]]), tf.constant([1.0, 2.0, 3.0])

with viz.recording(), tf.GradientTape() as tape:
    loss = tf.reduce_mean((inputs @ w - labels) ** 2)

print(viz.check(tape, loss, w))

# %% [markdown]
# ## A correction that was tried
#
# In a notebook `why.try_mend()` looks for a correction: it changes lines of the cell, runs it on copies of
# your values, and shows the change only if the gradient is there.

# %%
x = tf.Variable([1.0, -2.0, 3.0])

with viz.recording(), tf.GradientTape() as tape:
    squares = tf.constant(np.square(x.numpy()))
    loss = tf.reduce_sum(squares)

why = viz.explain(tape, loss, x)

# %%
why.try_mend()

# %% [markdown]
# For a script there is `minitape explain FILE.py --fix CORRECTED.py --out PAGE.html`. And `%load_ext viz`
# with `%tape explain on` looks at the gradients of every cell from then on.

# %% [markdown]
# ## When there are two mistakes
#
# Mend one, and the gradient is still `None`. That is where people despair. All of them are named:

# %%
x = tf.Variable(4.0)

with viz.recording(), tf.GradientTape() as tape:
    left = tf.stop_gradient(x) * 2.0
    right = tf.floor(x) * 3.0
    y = left + right

print(tape.gradient(y, x))
viz.explain(tape, y, x)

# %% [markdown]
# ## Without a recording
#
# In a long program you may not have put `viz.recording()` around it. The tape alone knows less, and the
# explanation says so instead of guessing:

# %%
x = tf.Variable(4.0)

with tf.GradientTape() as tape:
    y = tf.stop_gradient(x) * 2.0

viz.explain(tape, y, x)

# %% [markdown]
# ## The checklist
#
# | family | look for | write instead |
# |:--|:--|:--|
# | the source is not followed | a constant, an input | `tape.watch(x)`, before it is used |
# | | `w = w - ...` | `w.assign_sub(...)` |
# | | `trainable=False`, `watch_accessed_variables=False` | `tape.watch(w)` |
# | | `tf.constant(10)`, text | `tf.constant(10.0)`, `tf.strings.to_number` |
# | the path leaves | `np.`, `.numpy()`, `float(...)` | the function of `tf` |
# | | `assign` on the way | a tensor with a new name |
# | the tape does not listen | indentation, `stop_recording`, `reset` | move the line |
# | | a second question | `persistent=True` |
# | no derivative | `stop_gradient` | leave it out |
# | | `round`, `floor`, `ceil` | `tf.grad_pass_through` |
# | | `>`, `argmax` | `tf.sigmoid`, `tf.nn.softmax` |
# | | `tf.cast(x, tf.int32)` | no cast |
# | there is no path | names that are alike | the other name |

# %% [markdown]
# ## Exercises
#
# Replace each `...` by your code, run the cell, and run the check under it. A check that says nothing
# is passed. The checks ask `viz.explain` for their hints.

# %% [markdown]
# **Exercise 1.** Five programs. In each of them the gradient of `y` with respect to `x` is `None`. Find
# the cause *without running them*, and fill in one of the words `"not_watched"`, `"dtype"`, `"numpy"`,
# `"state"`, `"outside"`, `"stop_gradient"`, `"not_differentiable"`, `"no_path"`.

# %% tags=["needed"]
PROGRAMS = {
    "A": """
x = tf.Variable(2.0)
with tf.GradientTape() as tape:
    y = tf.floor(x) * 3.0
""",
    "B": """
x = tf.Variable(2.0)
z = x * 2.0
with tf.GradientTape() as tape:
    y = z * z
""",
    "C": """
x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    total = np.sum(x * x)
    y = tf.sqrt(total)
""",
    "D": """
x, best = tf.Variable(2.0), tf.Variable(0.0)
with tf.GradientTape() as tape:
    best.assign(x * x)
    y = best + 1.0
""",
    "E": """
x = tf.constant(2.0)
with tf.GradientTape() as tape:
    y = x * x
""",
}

# %% nbgrader={"grade": false, "grade_id": "diagnosis", "locked": false, "schema_version": 3, "solution": true, "task": false}
causes = {"A": None, "B": None, "C": None, "D": None, "E": None}
### BEGIN SOLUTION
causes = {
    "A": "not_differentiable",
    "B": "outside",
    "C": "numpy",
    "D": "state",
    "E": "not_watched",
}
### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "diagnosis-check", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false}
import linecache


def explained(name, program):
    """What viz.explain says of a program."""
    file, names = f"program {name}", {"tf": tf, "np": np}
    linecache.cache[file] = len(program), None, program.splitlines(True), file
    with viz.recording():
        exec(compile(program, file, "exec"), names)
    tape, y, x = names["tape"], names["y"], names["x"]
    return viz.explain(tape, y, x)


for name, program in PROGRAMS.items():
    assert causes[name] is not None, f"Program {name} has no cause yet."
    why = explained(name, program.strip())
    assert causes[name] == why.cause, f"Program {name} is another case. {why.text}"

# %% [markdown]
# **Exercise 2.** This training should bring `w` to 3. It has three mistakes. Write `trained()` without
# them; it returns the variable.
#
# ```python
# def trained():
#     w = tf.Variable(0)
#     for _ in range(50):
#         with tf.GradientTape() as tape:
#             loss = np.square(w - 3)
#         gradient = tape.gradient(loss, w)
#         w = w - 0.1 * gradient
#     return w
# ```


# %% nbgrader={"grade": false, "grade_id": "training", "locked": false, "schema_version": 3, "solution": true, "task": false}
def trained():
    """A variable that gradient descent brought to 3."""
    ### BEGIN SOLUTION
    w = tf.Variable(0.0)
    for _ in range(50):
        with tf.GradientTape() as tape:
            loss = tf.square(w - 3.0)
        gradient = tape.gradient(loss, w)
        w.assign_sub(0.1 * gradient)
    return w
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "training-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
try:
    w = trained()
except (TypeError, ValueError) as error:
    problem = str(error).split("\n")[0]
    raise AssertionError(
        f"It stopped with: {problem} Is the variable a float, the loss free of NumPy, "
        "and w a variable all the way (assign_sub)?"
    ) from None
assert w is not None, "trained should return the variable."
assert isinstance(w, tf.Variable), "w is no variable any more: use w.assign_sub(...)."
assert w.dtype.is_floating, "w holds whole numbers: write tf.Variable(0.0)."
assert abs(float(w) - 3.0) < 0.01, f"w is {float(w):.3f}, not 3: are there 50 steps of 0.1?"

# %% [markdown]
# **Exercise 3.** The other way round. Two weights, one prediction: `y = decoder * encoder * 3.0`. Write
# `half_frozen` so that the number stays the same and a gradient comes back for `decoder` only. Nothing
# else is allowed to change: both are trainable variables, and the tape is somebody else's.


# %% nbgrader={"grade": false, "grade_id": "half-frozen", "locked": false, "schema_version": 3, "solution": true, "task": false}
def half_frozen(decoder, encoder):
    """decoder * encoder * 3, as a constant of the encoder."""
    ### BEGIN SOLUTION
    return decoder * tf.stop_gradient(encoder * 3.0)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "half-frozen-check", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
decoder, encoder = tf.Variable(2.0), tf.Variable(5.0)
with viz.recording(), tf.GradientTape() as tape:
    y = half_frozen(decoder, encoder)
assert y is not None and float(y) == 30.0, "The number should stay 2 * 5 * 3 = 30."
for_encoder, for_decoder = viz.explain(tape, y, encoder), viz.explain(tape, y, decoder)
assert for_encoder.gradient is None, f"The encoder is not frozen. {for_encoder.text}"
assert for_decoder.gradient is not None, f"The decoder is frozen too. {for_decoder.text}"
assert for_encoder.cause == "stop_gradient", (
    f"It is frozen, but by an accident: {for_encoder.cause}. There is a function that says so."
)

# %% [markdown]
# **Exercise 4.** Write `stepped(x)`: forward it is 1 where $x > 0$ and 0 elsewhere. Backward it acts like
# the sigmoid, whose derivative is $s (1 - s)$ with $s = \mathrm{sigmoid}(x)$. Use `tf.custom_gradient`.


# %% nbgrader={"grade": false, "grade_id": "stepped", "locked": false, "schema_version": 3, "solution": true, "task": false}
def stepped(x):
    """A step forward, a sigmoid backward."""
    ### BEGIN SOLUTION

    @tf.custom_gradient
    def step(x):
        s = tf.sigmoid(x)
        return tf.cast(x > 0.0, x.dtype), lambda upstream: upstream * s * (1.0 - s)

    return step(x)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "stepped-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
x = tf.Variable([-1.0, 0.5, 2.0])
with viz.recording(), tf.GradientTape() as tape:
    step = stepped(x)
    assert step is not None, "stepped should return the step."
    y = 2.0 * tf.cast(step, tf.float32)
assert step.numpy().tolist() == [0.0, 1.0, 1.0], "Forward it should be 1 where x > 0, else 0."
why = viz.explain(tape, y, x)
assert why.gradient is not None, f"Still None. {why.text}"
s = 1 / (1 + np.exp([1.0, -0.5, -2.0]))
assert not np.allclose(why.gradient, s * (1 - s)), "Multiply by upstream: y is 2 times the step."
assert np.allclose(why.gradient, 2 * s * (1 - s)), "Backward: upstream * s * (1 - s)."

# %% [markdown]
# ## What to remember
#
# - `None` is not zero. It says that no way was written down.
# - Ask where the way broke: at the source, into NumPy or a variable, while the tape did not listen, at
#   an operation without a derivative, or nowhere, as there is none.
# - Put `viz.recording()` around the program, and `viz.explain(tape, y, x)` gives you the line.
#
# Next: a whole network, by hand and by tape.
